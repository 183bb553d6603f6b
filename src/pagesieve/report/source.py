"""Redraw the source of a page for a report: only its text, in boxes and spans.

No markup of the page is copied. The output has only the elements `div`, `span` and `br`, which a browser's parser
never moves, with classes of our own for the kinds of elements. Attributes of the page are not written, except the
alternative text of an image or the value of a form field, as text. So nothing of the page can run, load, or leave the
report.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.kernel.tags import BLOCK, FOREIGN, IMAGE, TEXT
from pagesieve.page.lines import nearest
from pagesieve.page.table import HIDDEN, UNSEEN, Ints, Page
from pagesieve.report.data import Unit

MAX_DEPTH = 200  # elements inside each other that are written; browsers stop at 512

# What elements look like, by their names; others are plain boxes or nothing.
_LOOKS = {name: name for name in "h1 h2 h3 h4 h5 h6 li dd pre blockquote table tr a code hr sub sup".split()}
_LOOKS |= {"td": "cell", "th": "cell head", "figcaption": "small", "caption": "small", "small": "small", "tt": "code"}
_LOOKS |= {**dict.fromkeys(("b", "strong", "dt"), "strong"), **dict.fromkeys(("i", "em", "cite"), "em"), "kbd": "code"}
_LOOKS |= dict.fromkeys(("input", "button", "select", "textarea", "option"), "control")
_WORDS = {"img": ("alt",), "input": ("value", "placeholder")}  # the attributes that stand in for an element


def redraw(page: Page, units: Sequence[Unit], prefix: str = "", whole: bool = True) -> str:
    """Return the page as HTML, with `data-unit` on the elements of each unit, and an id on the first of them.

    It ends with the last unit if it is not to be drawn whole.
    """
    return _Writer(page, units, prefix, whole).written()


class _Writer:
    """Writes the rows of a page in order."""

    def __init__(self, page: Page, units: Sequence[Unit], prefix: str, whole: bool) -> None:
        self._page, self._prefix = page, prefix
        ways = page.hidden_by  # of what is hidden, units are drawn: they are not shown for a reason that can be read
        visibility = page.visibility if ways is None else np.where(ways > 0, HIDDEN, page.visibility)
        # Lists, since every row is asked about.
        self._seen: list[int] = visibility.tolist()
        self._tag: list[int] = page.tag.tolist()
        self._end: list[int] = page.end.tolist()
        self._flags: list[int] = page.tag_flags.tolist()
        self._units = {unit.id: unit for unit in units}
        self._marks = _marks(page, units)
        self._begun: set[int] = set()  # the units of which something is written
        self._parts: list[str] = []
        marked = np.zeros(len(page) + 1, dtype=np.int64)
        marked[1:][[row for unit in units for row in unit.rows]] = 1
        self._stop = len(page) if whole else max((row + 1 for unit in units for row in unit.rows), default=len(page))
        self._before: list[int] = np.cumsum(marked).tolist()  # how many rows of units stand before each row

    def written(self) -> str:
        """Write all rows."""
        ends = list[tuple[int, str]]()
        row = 1
        while row < self._stop:
            while ends and row >= ends[-1][0]:
                self._parts.append(ends.pop()[1])
            row = self._row(row, ends)
        self._parts += [closing for _, closing in reversed(ends)]
        return "".join(self._parts)

    def _row(self, row: int, ends: list[tuple[int, str]]) -> int:
        """Write one row, as far as it is visible; return the next."""
        page = self._page
        if self._tag[row] == TEXT:
            self._text(row)
            return row + 1
        end, flags = self._end[row], self._flags[row]
        has_units = self._before[end] > self._before[row]
        if self._seen[row] == UNSEEN or (self._seen[row] == HIDDEN and not has_units):
            return end
        name = page.tag_name(row)
        if name == "br":
            self._parts.append("<br>")
            return end
        if end == row + 1 or (not has_units and (flags & (FOREIGN | IMAGE) or name in _WORDS)):
            self._leaf(row, name, flags)
            return end
        if len(ends) < MAX_DEPTH:
            opening, closing = self._tags(row, name, flags)
            if opening:
                self._parts.append(opening)
                ends.append((end, closing))
        return row + 1

    def _text(self, row: int) -> None:
        page = self._page
        if self._seen[row] == UNSEEN:
            return
        text = escape(page.text(row).replace("\0", ""), quote=False)
        if row in self._marks:
            opening, closing = self._wrapped("span", row, "")
            self._parts.append(f"{opening}{text}{closing}")
        elif self._seen[row] != HIDDEN or not text.strip():
            self._parts.append(text)

    def _leaf(self, row: int, name: str, flags: int) -> None:
        """Write an element without text of its own: an empty box for an image, a field of a form, a rule."""
        page, is_image = self._page, bool(flags & (IMAGE | FOREIGN))
        if not is_image and name not in ("input", "hr", "td", "th") and row not in self._marks:
            return
        if name == "input" and (page.attribute(row, "type") or "").lower() == "hidden":
            return
        words = next(filter(None, (page.attribute(row, each) for each in _WORDS.get(name, ()))), "").strip()
        look = "image" if is_image else _LOOKS.get(name, "")
        opening, closing = self._wrapped("div" if flags & BLOCK else "span", row, look)
        self._parts.append(f"{opening}{escape(words.replace(chr(0), ''))}{closing}")

    def _tags(self, row: int, name: str, flags: int) -> tuple[str, str]:
        """Return the start and end tags for an element; empty if it needs none."""
        look = _LOOKS.get(name, "")
        if self._seen[row] == HIDDEN and self._seen[self._page.parent[row]] != HIDDEN:
            look = f"{look} hidden".strip()
        if not flags & BLOCK and not look and row not in self._marks:
            return "", ""
        return self._wrapped("div" if flags & BLOCK else "span", row, look)

    def _wrapped(self, tag: str, row: int, look: str) -> tuple[str, str]:
        """Return the tags around what is in a row: one element, or one for each unit that the row is of."""
        classes = [f"p-{each}" for each in look.split()]
        units = self._marks.get(row)
        if units is None:
            plain = f' class="{" ".join(classes)}"' if classes else ""
            return f"<{tag}{plain}>", f"</{tag}>"
        opening = ""
        for unit in units:
            begins = f' id="{self._prefix}u{unit}"' if unit not in self._begun else ""
            self._begun.add(unit)
            opening += f'<{tag}{begins} class="{" ".join(["unit", *classes])}"{fate_attributes(self._units[unit])}>'
            classes = []
        return opening, f"</{tag}>" * len(units)


def fate_attributes(unit: Unit) -> str:
    """Return the attributes for the unit of an element and its fate."""
    return f' data-unit="{unit.id}" data-fate="{unit.fate}"{" data-kept" if unit.kept else ""}'


def _marks(page: Page, units: Sequence[Unit]) -> dict[int, list[int]]:
    """Return the rows that are to be marked, and the units they are of: a record that is one item is both.

    A block is marked by the element that holds it and nothing of another, or else by each of its texts.
    """
    texts = np.zeros(len(page) + 1, dtype=np.int64)
    texts[1:] = page.chars > 0
    texts[1:][[row for unit in units for row in unit.rows if page.tag[row] == TEXT]] = 1
    before = np.cumsum(texts)
    around = nearest(page, (page.tag_flags & BLOCK) > 0)
    marks: dict[int, list[int]] = {}
    for unit in units:
        holder = _holder(page, unit.rows, before, around)
        for row in unit.rows if holder is None else (holder,):
            marks.setdefault(row, []).append(unit.id)
    return marks


def _holder(page: Page, rows: tuple[int, ...], before: NDArray[np.int64], around: Ints) -> int | None:
    """Return the innermost block element around some texts and no others; None if there is none.

    `around` has the innermost block element at or around each row.
    """
    if not all(page.tag[row] == TEXT for row in rows):
        return None
    row = int(around[rows[0]])
    while row > 0 and page.end[row] <= rows[-1]:
        row = int(around[page.parent[row]])
    return row if row > 0 and before[page.end[row]] - before[row] == len(rows) else None
