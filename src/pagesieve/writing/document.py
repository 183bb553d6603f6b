"""The document of a selection: a table of paragraphs, headings, lists, quotes, code and tables, in reading order.

The kernel builds it (`pagesieve.page.kernel.document`), three writers write it, so the formats cannot disagree about
what a page says. Nothing of the page's own markup goes further than this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import (
    BEGIN,
    BLOCK_COLUMNS,
    BREAK,
    CODE,
    END,
    FORMULA,
    KIND,
    LINK,
    MARK_COLUMNS,
    MARKS,
    MARKS_END,
    STOP,
    STRIKE,
    STRONG,
    VALUE,
)
from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import Bools, Page
from pagesieve.text.urls import safe_url
from pagesieve.text.whitespace import fold
from pagesieve.writing.code import is_gutter, language
from pagesieve.writing.math import formula, formula_copies
from pagesieve.writing.tables import Lines, place_cells

if TYPE_CHECKING:
    from pagesieve.page.kernel.document import BlockTable

_RT, _RP = TAG_ID["rt"], TAG_ID["rp"]
_CELLS = tag_ids("td th")
_SIDES, _TOO_SMALL = ("width", "height"), ("0", "1")
_MERGED = frozenset((*range(STRONG, STRIKE + 1), LINK))


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """What else is written beside the text."""

    links: bool = False
    images: bool = False
    tables: bool = True


class Mark(NamedTuple):
    """Something in a line beside words.

    Marks up to LINK open and close (a negative kind) around words. Those from CODE to FORMULA have a text of their own.
    An image has its address and the words that stand in for it.
    """

    kind: int
    text: str = ""
    url: str = ""


Target = tuple[str, str]  # the address of a link or an image, and the words that stand in for the image
Piece = str | Mark
Run = list[Piece]  # the inside of a line, in reading order; white space is folded across pieces

_MARKS = {kind: Mark(kind) for kind in range(-LINK, BREAK + 1)}


def _column(number: int) -> cached_property[list[int]]:
    """Return a column of the block table as a list, made when it is first asked for."""
    return cached_property(lambda document: document.table.blocks[number::BLOCK_COLUMNS].tolist())


class Document:
    """The blocks of a document by columns; block 0 is the document itself.

    The parts of block `b` begin at `b + 1`; each ends where the next begins, at its `end`; the last one at `end[b]`.
    `pagesieve.page.kernel.constants` names the kinds and says what `value` is.
    """

    def __init__(self, page: Page, table: BlockTable, targets: list[Target]) -> None:
        self.page = page
        self.table = table
        self.targets = targets

    def __len__(self) -> int:
        return len(self.table.blocks) // BLOCK_COLUMNS - 1

    kind = _column(KIND)
    end = _column(END)
    begin = _column(BEGIN)  # where the text begins, in bytes; of a cell, the columns that it spans
    stop = _column(STOP)  # where the text ends; of a cell, the rows that it spans
    value = _column(VALUE)
    _marks = _column(MARKS)
    _marks_end = _column(MARKS_END)

    @cached_property
    def _mark_rows(self) -> list[tuple[int, ...]]:
        numbers = iter(self.table.marks.tolist())
        return list(zip(*[numbers] * MARK_COLUMNS, strict=True))

    def parts(self, block: int = 0) -> Iterator[int]:
        """Yield the parts of a block."""
        part, stop, end = block + 1, self.end[block], self.end
        while part < stop:
            yield part
            part = end[part]

    def text(self, block: int) -> str:
        """Return the text of a paragraph, a heading or a code block, without its marks."""
        return self.table.text[self.begin[block] : self.stop[block]].decode("utf-8", "replace")

    def language(self, block: int) -> str:
        """Return the language of a code block, where the page says it."""
        return language(self.page, self.value[block])

    def run(self, block: int) -> Run:
        """Return the text of a paragraph or a heading in pieces."""
        first, last = self._marks[block], self._marks_end[block]
        if first == last:
            return [self.text(block)]
        run: Run = []
        words = self.table.text
        at = self.begin[block]
        for kind, place, value in self._mark_rows[first:last]:
            if place > at:
                run.append(words[at:place].decode("utf-8", "replace"))
                at = place
            if kind == BREAK:
                at += 1
                run.append(_MARKS[kind])
            elif value >= 0:
                url, alt = self.targets[value]
                run.append(Mark(kind, alt, url))
            elif -FORMULA <= kind <= -CODE:  # the piece before is its text
                run[-1] = Mark(-kind, str(run[-1]))
            elif kind < CODE:
                run.append(_MARKS[kind])
        if at < self.stop[block]:
            run.append(words[at : self.stop[block]].decode("utf-8", "replace"))
        return run


def settle(run: Run) -> Run:
    """Join texts that touch, and drop marks around nothing and marks that close only to open again."""
    settled: Run = []
    for piece in run:
        last = settled[-1] if settled else None
        if isinstance(piece, str):
            if isinstance(last, str):
                settled[-1] = last + piece
            else:
                settled.append(piece)
        elif isinstance(last, Mark) and _cancel(last, piece):
            settled.pop()
        else:
            settled.append(piece)
    return settled


def _cancel(last: Mark, mark: Mark) -> bool:
    if 0 < last.kind <= LINK:
        return mark.kind == -last.kind
    return mark.kind in _MERGED and last.kind == -mark.kind and last.url == mark.url


def without(run: Run, kind: int) -> Run:
    """Return a run less the marks of one kind."""
    return settle([piece for piece in run if isinstance(piece, str) or abs(piece.kind) != kind])


def in_one_line(run: Run) -> Run:
    """Return a run with blanks in place of its breaks."""
    return settle([" " if isinstance(piece, Mark) and piece.kind == BREAK else piece for piece in run])


def build(page: Page, rows: Bools, options: WriterOptions = WriterOptions()) -> Document:
    """Return the document made of the text rows that `rows` marks."""
    rare = _Rare(page)
    marked = np.ascontiguousarray(rows).view(np.uint8)
    table = kernel.document.build(page, marked, options.links, options.images, options.tables, rare)
    return Document(page, table, rare.targets)


class _Rare:
    """Answers the kernel where a page has something rare, or addresses are wanted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.targets: list[Target] = []
        self._numbers: dict[str, int] = {}  # of the targets of links
        self._images: set[str] = set()  # the addresses of those that were written

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def formula_copies(self) -> bytes:
        """Mark the rows that repeat for the eye what a formula beside them says."""
        return formula_copies(self.page)

    def formula(self, row: int) -> tuple[bytes, bool]:
        """Return a formula and whether it is TeX; nothing for an empty one."""
        text, is_tex = formula(self.page, row)
        return text.encode(), is_tex

    def is_gutter(self, row: int) -> bool:
        """Whether a row holds nothing but line numbers."""
        return is_gutter(self.page, row)

    def place_cells(self, lines: Lines) -> tuple[int, list[tuple[int, int, int]]]:
        """Find the columns of cells that span."""
        return place_cells(lines)

    def ruby(self, row: int, kept: Bools) -> bytes:
        """Return a text with its reading in brackets: the page's own brackets where it has them."""
        page, end = self.page, int(self.page.end[row])
        brackets = _RP in page.tag[row:end]
        written: list[str] = []
        for here in (row + np.flatnonzero(page.tag[row:end] == TEXT)).tolist():
            text, above = page.text(here), page.tag[page.parent[here]]
            if page.chars[here] == 0 or not kept[here]:
                written.append(" " if text and above not in (_RT, _RP) else "")
            elif above == _RT and not brackets:
                written.append(f"({fold(text)})")
            else:
                written.append(fold(text) if brackets and above in (_RT, _RP) else text)
        return "".join(written).encode("utf-8", "replace")

    def link(self, row: int) -> int:
        """Return the number of a link's target; -1 where there is none that may be written."""
        url = safe_url(self.page.attribute(row, "href") or "", self._base)
        if not url:
            return -1
        number = self._numbers.setdefault(url, len(self.targets))
        if number == len(self.targets):
            self.targets.append((url, ""))
        return number

    def image(self, row: int) -> int:
        """Return the number of an image; -1 where it is not written."""
        url = image_url(self.page, row, self._base)
        if not url or self._is_pixel(row) or self._is_repeated(url, row):
            return -1
        self._images.add(url)
        self.targets.append((url, fold(self.page.attribute(row, "alt") or "")))
        return len(self.targets) - 1

    def _is_repeated(self, url: str, row: int) -> bool:
        """Whether an image was there before: for readers without scripts, for each turn of a gallery.

        In tables the same sign says yes more than once.
        """
        if url not in self._images:
            return False
        above = row
        while above > 0 and self.page.tag[above] not in _CELLS:
            above = int(self.page.parent[above])
        return above <= 0

    def _is_pixel(self, row: int) -> bool:
        """Whether an image is too small to be seen: it counts visits."""
        return any((self.page.attribute(row, side) or "").removesuffix("px") in _TOO_SMALL for side in _SIDES)
