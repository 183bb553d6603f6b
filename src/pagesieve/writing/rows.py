"""Which rows of a page the builder visits: the kept texts, what stands among them, and what shapes them.

Most rows shape nothing (spans, the blocks of a layout) or lie outside of the selection. They are set aside with
whole columns, so that the builder walks a few hundred rows where the page has thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, TAG_ID, TAGS, TEXT
from pagesieve.page.table import SEEN, UNSEEN, Bools, Ints, Page
from pagesieve.writing.document import WriterOptions

LONGEST_CAPTION = 300  # characters of a figure; with more, its text is more than a caption

_IMG, _MATH, _SCRIPT, _HR, _FIGURE = (TAG_ID[name] for name in "img math script hr figure".split())

_TEX_TYPE = b"math/tex"  # of the scripts that MathJax reads


def column_of(names: str) -> Bools:
    """A look-up by tag number; the last entry stands for all the elements without a number of their own."""
    column = np.zeros(len(TAGS) + 1, dtype=np.bool_)
    column[[TAG_ID[name] for name in names.split()]] = True
    return column


def owners(page: Page, places: Ints, first: int = 0, last: int | None = None) -> Ints:
    """The rows (of those from `first` to `last`) whose attributes stand at these places of the attribute table."""
    # Of one type, or numpy would copy the whole column to search it.
    starts = page.attribute_at[first : None if last is None else last + 1]
    return (first + np.searchsorted(starts, places.astype(np.int32), side="right") - 1).astype(np.int32)


# The elements that say something beyond "here a line begins and ends".
_SHAPES = column_of(
    "strong b em i cite s strike del ins sup sub q a code kbd samp tt pre listing xmp plaintext ruby ul ol menu dir li "
    "dl dt dd h1 h2 h3 h4 h5 h6 blockquote figcaption table td th hr math script img"
)
_RAISED = column_of("sup sub rt rp")
_AMONG = column_of("br input img")  # matter where they stand in a line that is kept, though no text is below


class Rows:
    """The rows of a page as the builder needs them."""

    def __init__(self, page: Page, rows: Bools, options: WriterOptions) -> None:
        self.page = page
        self.tag: Ints = np.minimum(page.tag, len(TAGS)) if page.more_tags else page.tag
        is_text = self.tag == TEXT
        self.copies = self._copies_of_formulas()
        self.kept: Bools = rows & is_text & (page.visibility != UNSEEN) & ~self.copies
        self._is_text = is_text
        self.wanted: Bools = page.below(self._with_objects(options)) > 0
        self.line = self._line_numbers()

    def sums(self, column: NDArray[np.generic]) -> Ints:
        """The running sum of a column, from 0: the sum over the rows i to j is `sums[j] - sums[i]`."""
        sums = np.zeros(len(self.page) + 1, dtype=np.int32)
        np.cumsum(column, out=sums[1:])
        return sums

    @cached_property
    def kept_chars(self) -> Ints:
        """The running sum of the characters that are kept."""
        return self.sums(self.page.chars * self.kept)

    def _line_numbers(self) -> Ints:
        """For each row, how many line ends of blocks stand before it."""
        page = self.page
        is_block = (page.tag_flags & BLOCK) > 0
        ends = np.zeros(len(page) + 1, dtype=np.int32)
        ends[:-1][is_block] = 1
        ends[page.end[is_block]] = 1
        return np.cumsum(ends, dtype=np.int32)

    def to_visit(self) -> Ints:
        """The rows to visit, in order."""
        with_text = np.zeros(int(self.line[-1]) + 1, dtype=np.bool_)
        with_text[self.line[:-1][self.wanted & (self._is_text | _SHAPES[self.tag])]] = True
        among = self._is_text | _AMONG[self.tag]
        among &= with_text[self.line[:-1]] & (self.page.visibility == SEEN) & ~self.copies
        return np.flatnonzero(self.kept | among | (self.wanted & _SHAPES[self.tag])).astype(np.int32)

    def seams(self, visit: Ints) -> Bools:
        """Which rows to visit are texts where one inline element has just ended and another begun, nothing between."""
        page, tag = self.page, self.tag
        found = np.zeros(len(visit), dtype=np.bool_)
        places = np.flatnonzero(tag[visit] == TEXT)
        texts = visit[places]
        before, here = texts[:-1], texts[1:]
        above_before, above = page.parent[before], page.parent[here]
        found[places[1:]] = (
            (page.end[above_before] <= here)
            & (above > before)
            & (self.line[before] == self.line[here])
            & ~_RAISED[tag[above_before]]
            & ~_RAISED[tag[above]]
        )
        return found

    # Pictures, lines and formulas

    def _with_objects(self, options: WriterOptions) -> Bools:
        """The kept rows and the pictures, lines and formulas that stand among them."""
        wanted = self.kept.copy()
        objects = [*self._of(_HR), *self._of(_MATH), *self._tex_scripts]
        if options.images:
            objects += [row for row in self._of(_IMG) if self.page.visibility[row] == SEEN]
        if objects:
            wanted[[row for row in objects if self._stands_among_kept(row)]] = True
        return wanted

    def _with_attribute(self, name: str) -> list[int]:
        places = np.flatnonzero(self.page.attribute_name == ATTRIBUTE_ID[name])
        rows: list[int] = owners(self.page, places.astype(np.int32)).tolist()
        return rows

    def _of(self, tag: int) -> list[int]:
        rows: list[int] = np.flatnonzero(self.tag == tag).tolist()
        return rows

    def _stands_among_kept(self, row: int) -> bool:
        """Whether at least half of the text next to a row is kept, or next to the figure that it is in."""
        if self.copies[row]:
            return False
        above = self._next_text(row, 0)
        if self._is_kept(above):
            return True
        figure = next((up for up in self._around(row) if self.page.tag[up] == _FIGURE), 0)
        caption = int(self.page.text_chars[figure])
        return 0 < figure <= above and caption <= LONGEST_CAPTION and self._is_kept(self._next_text(figure, caption))

    def _next_text(self, row: int, chars: int) -> int:
        """The closest row around one that has more than so many characters below it."""
        while row > 0 and self.page.text_chars[row] <= chars:
            row = int(self.page.parent[row])
        return row

    def _around(self, row: int) -> Iterator[int]:
        while row > 0:
            row = int(self.page.parent[row])
            yield row

    def _is_kept(self, row: int) -> bool:
        """Whether there is text below a row, and at least half of it is kept."""
        sums, chars = self.kept_chars, self.page.text_chars[row]
        return bool(2 * (sums[self.page.end[row]] - sums[row]) >= chars > 0)

    @cached_property
    def _tex_scripts(self) -> list[int]:
        """The formulas in TeX that MathJax reads."""
        page = self.page
        types = np.flatnonzero(page.attribute_name == ATTRIBUTE_ID["type"])
        starts = page.value_at[types]
        long_enough = page.value_at[types + 1] - starts >= len(_TEX_TYPE)
        values = zip(types[long_enough].tolist(), starts[long_enough].tolist(), strict=True)
        of_tex = [k for k, start in values if page.value_buffer.startswith(_TEX_TYPE, start)]
        rows = owners(page, np.array(of_tex, dtype=np.int32))
        return [row for row in rows.tolist() if page.tag[row] == _SCRIPT]

    def _copies_of_formulas(self) -> Bools:
        """The rows that repeat for the eye what a formula beside them says (as KaTeX and MathJax write it)."""
        copies = np.zeros(len(self.page), dtype=np.bool_)
        for row in self._tex_scripts:
            for copy in self._typeset_before(row):
                copies[copy : self.page.end[copy]] = True
        maths = self.tag == _MATH
        if maths.any():
            self._mark_hidden_copies(copies, self.sums(maths))
        return copies

    def _typeset_before(self, row: int) -> list[int]:
        """The elements right before a formula's script that MathJax has put there."""
        page, found = self.page, list[int]()
        before = row - 1
        while before > page.parent[row]:
            while page.parent[before] != page.parent[row]:
                before = int(page.parent[before])
            if page.tag[before] != TEXT:
                if "MathJax" not in (page.attribute(before, "class") or ""):
                    break
                found.append(before)
            elif page.chars[before]:
                break
            before -= 1
        return found

    def _mark_hidden_copies(self, copies: Bools, maths: Ints) -> None:
        page = self.page
        for row in self._with_attribute("aria-hidden"):
            above, end = int(page.parent[row]), int(page.end[row])
            beside = maths[page.end[above]] - maths[above]
            if beside and maths[end] == maths[row] and page.attribute(row, "aria-hidden") == "true":
                copies[row:end] = True
