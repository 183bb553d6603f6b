"""What happens inside of a line: texts, marks, links, code, formulas and pictures come together to a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import Bools, Page
from pagesieve.text.urls import safe_url
from pagesieve.text.whitespace import fold
from pagesieve.writing.code import CODE, language, trimmed, verbatim
from pagesieve.writing.document import Block, CodeBlock, WriterOptions
from pagesieve.writing.inline import Break, Checkbox, Image, InlineCode, Mark, Math, Run
from pagesieve.writing.math import linear, tex_of
from pagesieve.writing.rows import Rows

CODE_LINES = 3  # code with as many lines is a block, also where the page does not say so

_MARKS = {
    "strong": "strong",
    "b": "strong",
    "em": "em",
    "i": "em",
    "cite": "em",
    "s": "strike",
    "strike": "strike",
    "del": "strike",
    "sup": "sup",
    "sub": "sub",
    "q": "quote",
}
_MARK_OF = {TAG_ID[name]: kind for name, kind in _MARKS.items()}
_STRUCK_OUT = Mark("strike", False)

_PERMALINKS = frozenset("# ¶ § ⚓ 🔗 \uf0c1".split())
_LONGEST_PERMALINK = 8  # bytes
_SIDES, _TOO_SMALL = ("width", "height"), ("0", "1")
_FIRST_IDEOGRAPH = "\u2e80"  # from here on, words are not set apart by blanks
_CELLS = tag_ids("td th")
_LI, _RT, _RP = TAG_ID["li"], TAG_ID["rt"], TAG_ID["rp"]


class Lines(ABC):
    """The line that is being filled, and what is open around it."""

    def __init__(self, page: Page, rows: Bools, options: WriterOptions) -> None:
        self.page = page
        self.options = options
        self.rows = Rows(page, rows, options)
        self.base = base_url(page) if options.links or options.images else None
        self.run: Run = []
        self.marks: list[Mark] = []
        self.heading = 0
        self.link_before = 0  # the row of the link that has just ended
        self.images: set[str] = set()  # the addresses of those that were written
        self.skip = 0  # rows before this one are done
        self.closing: list[tuple[int, Callable[[], None]]] = []  # (row where it closes, what to do then)

    @abstractmethod
    def _flush(self) -> None:
        """Ends the line: what has come together becomes a paragraph or a heading."""

    @abstractmethod
    def _add(self, block: Block) -> None:
        """Adds a finished block."""

    def _close_until(self, row: int) -> None:
        while self.closing and self.closing[-1][0] <= row:
            self.closing.pop()[1]()

    def _when_closed(self, row: int, done: Callable[[], None]) -> None:
        self.closing.append((int(self.page.end[row]), done))

    def _skip(self, row: int) -> None:
        self.skip = int(self.page.end[row])

    # Marks

    def _mark(self, row: int, mark: Mark) -> None:
        self.run.append(mark)
        self.marks.append(mark)
        self._when_closed(row, self._unmark)

    def _unmark(self) -> None:
        mark = self.marks.pop()
        self.run.append(Mark(mark.kind, False, mark.url))

    def _open_style(self, row: int) -> None:
        kind = _MARK_OF[int(self.page.tag[row])]
        within = [mark.kind for mark in self.marks]
        if kind == "quote" and kind in within:
            kind = "inner quote"
        if kind not in within:
            self._mark(row, Mark(kind, True))

    def _open_insertion(self, row: int) -> None:
        """What takes the place of something struck out is another word."""
        if self.run and self.run[-1] == _STRUCK_OUT:
            self.run.append(" ")

    def _open_link(self, row: int) -> None:
        if not self.page.linked[row]:
            return
        if self._is_permalink(row):
            self._skip(row)
            return
        # Two links that touch are two things: their words are never one word.
        if self.link_before and self._href(self.link_before) != self._href(row):
            self.run.append(" ")
        self._when_closed(row, lambda: self._leave_link(row))
        url = safe_url(self._href(row), self.base) if self.options.links else ""
        if url and all(mark.kind != "link" for mark in self.marks):
            self._mark(row, Mark("link", True, url))

    def _is_permalink(self, row: int) -> bool:
        """Whether a link is the sign beside a heading that leads to itself."""
        page, size = self.page, self.page.text_at[self.page.end[row]] - self.page.text_at[row]
        return bool(size <= _LONGEST_PERMALINK) and page.text(row).strip() in _PERMALINKS and "#" in self._href(row)

    def _href(self, row: int) -> str:
        return self.page.attribute(row, "href") or ""

    def _leave_link(self, row: int) -> None:
        self.link_before = row

    # Things among the words

    def _is_new_word(self, text: str) -> bool:
        """Whether a text that touches the one before it, each in an element of its own, is meant as another word.

        Styles keep such elements apart on the screen. Of 2,000 on labelled pages, more than nine in ten are other words
        where the second begins with a capital or a digit; a small letter goes on with the word (drop caps, plurals).
        """
        if not (text[:1].isupper() or text[:1].isdigit()):
            return False
        before = next((piece for piece in reversed(self.run) if piece and not isinstance(piece, Mark)), None)
        return isinstance(before, str) and before[-1].isalnum() and before[-1] < _FIRST_IDEOGRAPH

    def _break(self, row: int) -> None:
        """A line break; a second one in a row ends the paragraph."""
        self.link_before = 0
        for piece in reversed(self.run):
            if isinstance(piece, Break) and not self.heading:
                self._flush()
                return
            if not isinstance(piece, Mark) and not (isinstance(piece, str) and not piece.strip()):
                break
        self.run.append(Break())

    def _code(self, row: int) -> None:
        self._skip(row)
        text, broken = verbatim(self.page, row, self.rows.kept)
        if not text.strip():
            return
        self.link_before = 0
        lines = text.strip().count("\n") + 1
        if lines >= CODE_LINES or (broken and lines > 1):
            self._flush()
            self._add(CodeBlock(trimmed(text), language(self.page, row)))
            return
        # Blanks at the ends are between the code and the words around it.
        self.run.extend((text[: len(text) - len(text.lstrip())], InlineCode(fold(text)), text[len(text.rstrip()) :]))

    def _ruby(self, row: int) -> None:
        """The text with its reading in brackets: the page's own brackets where it has them."""
        self._skip(row)
        self.link_before = 0
        page, kept = self.page, self.rows.kept
        brackets = _RP in page.tag[row : self.skip]
        for inner in np.flatnonzero(page.tag[row : self.skip] == TEXT).tolist():
            here = row + inner
            text, above = page.text(here), page.tag[page.parent[here]]
            if page.chars[here] == 0 or not kept[here]:
                self.run.append(" " if text and above not in (_RT, _RP) else "")
            elif above == _RT and not brackets:
                self.run.append(f"({fold(text)})")
            else:
                self.run.append(fold(text) if brackets and above in (_RT, _RP) else text)

    def _math(self, row: int) -> None:
        self._skip(row)
        tex = tex_of(self.page, row)
        text = tex or linear(self.page, row)
        if text:
            self.link_before = 0
            self.run.append(Math(text, bool(tex), self.page.attribute(row, "display") == "block"))

    def _script(self, row: int) -> None:
        self._skip(row)
        tex = fold(self.page.text(row))
        if tex:
            self.link_before = 0
            self.run.append(Math(tex, True, "display" in (self.page.attribute(row, "type") or "")))

    def _image(self, row: int) -> None:
        self.run.append(" ")
        url = image_url(self.page, row, self.base) if self.rows.wanted[row] else ""
        if url and not self._is_pixel(row) and not self._is_repeated(url, row):
            self.images.add(url)
            self.run.extend((Image(url, fold(self.page.attribute(row, "alt") or "")), " "))

    def _is_repeated(self, url: str, row: int) -> bool:
        """Whether a picture was there before: for readers without scripts, for each turn of a gallery.

        In tables the same sign says yes more than once.
        """
        if url not in self.images:
            return False
        above = row
        while above > 0 and self.page.tag[above] not in _CELLS:
            above = int(self.page.parent[above])
        return above <= 0

    def _is_pixel(self, row: int) -> bool:
        """Whether a picture is too small to be seen: it counts visits."""
        return any((self.page.attribute(row, side) or "").removesuffix("px") in _TOO_SMALL for side in _SIDES)

    def _checkbox(self, row: int) -> None:
        page, above = self.page, int(self.page.parent[row])
        if page.attribute(row, "type") == "checkbox" and _LI in (page.tag[above], page.tag[page.parent[above]]):
            self.run.extend((Checkbox(page.attribute(row, "checked") is not None), " "))


INLINE_OPENERS: dict[int, Callable[[Lines, int], None]] = {
    **dict.fromkeys(CODE, Lines._code),
    **dict.fromkeys(_MARK_OF, Lines._open_style),
    TAG_ID["ins"]: Lines._open_insertion,
    TAG_ID["br"]: Lines._break,
    TAG_ID["input"]: Lines._checkbox,
    TAG_ID["ruby"]: Lines._ruby,
    TAG_ID["math"]: Lines._math,
    TAG_ID["script"]: Lines._script,
    TAG_ID["img"]: Lines._image,
    TAG_ID["a"]: Lines._open_link,
}
