# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Write a document as plain text: a blank line between paragraphs, one line an item, cells between bars."""

from __future__ import annotations

import cython
from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.document.document import BlockTable, Bytes

_QUOTES = {QUOTE: "“", -QUOTE: "”", INNER_QUOTE: "‘", -INNER_QUOTE: "’"}
_QUOTE_BYTES = {kind: sign.encode() for kind, sign in _QUOTES.items()}
_RAISED = {
    SUPERSCRIPT: dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True)),
    SUBSCRIPT: dict(zip("0123456789+-−=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓ", strict=True)),
}
_BETWEEN = frozenset(", –;")  # stand between raised numbers and have no raised form


@cython.final
@cython.cclass
class _Writer:
    """Writes the blocks of a table. A block is known by its number."""

    blocks: cython.int[::1]
    marks: cython.int[::1]
    text: cython.const[cython.uchar][::1]
    targets: list
    out: Bytes
    spoken: Bytes  # a line whose marks are written as text
    indent: cython.int
    fresh: cython.bint  # whether a line of the output has just begun
    captions: cython.bint  # whether the captions of pictures are written

    def __init__(self, table: BlockTable, targets: list, captions: bool):
        self.blocks = table.blocks
        self.marks = table.marks
        self.text = table.text
        self.targets = targets
        self.out = Bytes(len(table.text) + len(table.text) // 8 + 64)
        self.captions = captions or self._is_gallery()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _get(self, block: cython.int, column: cython.int) -> cython.int:
        return self.blocks[block * BLOCK_COLUMNS + column]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_gallery(self) -> cython.bint:
        """Whether at least half of the text is captions: then they are what the page is for."""
        balance = 0  # bytes of captions, less those of other texts
        for block in range(1, self._get(0, END)):
            size = self._get(block, STOP) - self._get(block, BEGIN)
            if self._get(block, KIND) == CAPTION:
                balance += size
            elif self._get(block, KIND) <= CODE_BLOCK:
                balance -= size
        return balance >= 0

    @cython.cfunc
    def write(self) -> str:
        """Return the whole document."""
        self._write_parts(0, b"\n\n")
        return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, self.out.raw), self.out.at, b"replace")

    @cython.cfunc
    def _indent_line(self) -> cython.int:
        """Put blanks before the first word of a line; a line without words has none."""
        if self.fresh:
            self.fresh = False
            self.out.put(b" " * self.indent)

    @cython.cfunc
    def _end_line(self, line_ends: bytes) -> cython.int:
        self.out.put(line_ends)
        self.fresh = True

    @cython.cfunc
    def _put_lines(
        self, text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.int:
        """Put a text as it stands, indented line by line."""
        if self.indent == 0:
            self.fresh = False
            return self.out.copy(text, at, stop)
        while at < stop:
            after = at
            while after < stop and text[after] != LINE_FEED:
                after += 1
            if after > at:
                self._indent_line()
                self.out.copy(text, at, after)
            if after < stop:
                self._end_line(b"\n")
            at = after + 1
        return 0

    @cython.cfunc
    def _put_text(self, block: cython.int) -> cython.int:
        """Put the text of a paragraph, a heading or a code block."""
        if self._is_spoken(block):
            self._speak(block)
            return self._put_lines(self.spoken.data, 0, self.spoken.at)
        return self._put_lines(self.text, self._get(block, BEGIN), self._get(block, STOP))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_spoken(self, block: cython.int) -> cython.bint:
        """Whether marks of a text are written: superscripts, quotes, links, images."""
        for k in range(self._get(block, MARKS), self._get(block, MARKS_END)):
            kind = self.marks[k * MARK_COLUMNS + MARK_KIND]
            if SUPERSCRIPT <= kind <= LINK or kind == IMAGE:
                return True
        return False

    @cython.cfunc
    def _speak(self, block: cython.int) -> cython.int:
        """Write a text with its marks to `spoken`."""
        at = self._get(block, BEGIN)
        raised: list[int] = []
        if self.spoken is None:
            self.spoken = Bytes(256)
        self.spoken.at = 0
        for mark in range(self._get(block, MARKS), self._get(block, MARKS_END)):
            k = mark * MARK_COLUMNS
            kind = self.marks[k + MARK_KIND]
            if kind == REFERENCE or kind == -REFERENCE:
                continue
            start = at
            at = self.marks[k + MARK_AT]
            if raised and not -FORMULA <= kind <= -CODE:
                self._raise(start, at, raised[len(raised) - 1])
            else:
                self.spoken.copy(self.text, start, at)
            if kind == BREAK:
                at += 1
                self.spoken.put(b"\n")
            elif kind == SUPERSCRIPT or kind == SUBSCRIPT:
                raised.append(kind)
            elif kind == -SUPERSCRIPT or kind == -SUBSCRIPT:
                raised.pop()
            elif kind == LINK:
                self.spoken.put(b"[")
            elif kind == -LINK:
                self._put_string(f"]({self.targets[self.marks[k + MARK_VALUE]][0]})")
            elif kind == IMAGE:
                url, alt = self.targets[self.marks[k + MARK_VALUE]]
                self._put_string(f"![{alt}]({url})")
            else:
                self.spoken.put(_QUOTE_BYTES.get(kind, b""))
        return self.spoken.copy(self.text, at, self._get(block, STOP))

    @cython.cfunc
    def _put_string(self, text: str) -> cython.int:
        return self.spoken.put(text.encode("utf-8", "replace"))

    @cython.cfunc
    def _raise(self, start: cython.int, stop: cython.int, kind: cython.int) -> cython.int:
        """Write a piece of a superscript or subscript."""
        if start < stop:
            piece: str = bytes(self.text[start:stop]).decode("utf-8", "replace")
            self._put_string(_raised(piece, kind))
        return 0

    @cython.cfunc
    def _write_parts(self, above: cython.int, line_ends: bytes) -> cython.int:
        """Write the parts of a block with line ends between them."""
        start = self.out.at
        block = above + 1
        while block < self._get(above, END):
            before = self.out.at
            fresh = self.fresh
            if before > start:
                self._end_line(line_ends)
            if not self._write_block(block):
                self.out.at = before
                self.fresh = fresh
            block = self._get(block, END)

    @cython.cfunc
    def _write_block(self, block: cython.int) -> cython.bint:
        """Write a block; return whether there was anything to write."""
        start = self.out.at
        kind = self._get(block, KIND)
        if kind == CAPTION and not self.captions:
            return False
        if kind <= CODE_BLOCK:
            self._put_text(block)
        elif kind == BLOCK_QUOTE or kind == NOTE:
            self._write_parts(block, b"\n\n")
        elif kind == BULLET_LIST or kind == NUMBERED_LIST or kind == DEFINITIONS:
            self._write_items(block)
        elif kind == TABLE:
            self._write_table(block)
        return self.out.at > start

    @cython.cfunc
    def _write_items(self, block: cython.int) -> cython.int:
        """Write the items of a list, or terms and their definitions."""
        start = self.out.at
        number = self._get(block, VALUE)
        item = block + 1
        kind = self._get(block, KIND)
        marker: bytes = b"- "
        while item < self._get(block, END):
            if kind == NUMBERED_LIST:
                marker = b"%d. " % number
                number += 1
            elif kind == DEFINITIONS:
                marker = b"" if self._get(item, KIND) == TERM else b"  "
            self._write_item(item, marker, self.out.at > start)
            item = self._get(item, END)

    @cython.cfunc
    def _write_item(self, item: cython.int, marker: bytes | None, line_end: cython.bint) -> cython.int:
        """Write an item after its marker, its lines indented by the marker's width; nothing where it is empty."""
        before = self.out.at
        fresh = self.fresh
        if line_end:
            self._end_line(b"\n")
        if marker:
            self._indent_line()
            self.out.put(marker)
        start = self.out.at
        self.indent += len(marker)
        self._write_parts(item, b"\n")
        self.indent -= len(marker)
        if self.out.at == start:
            self.out.at = before
            self.fresh = fresh
        return 0

    @cython.cfunc
    def _write_table(self, table: cython.int) -> cython.int:
        """Write the caption of a table, then a line for each row, the cells between bars."""
        start = self.out.at
        line = table + 1
        if self._get(line, KIND) == TABLE_CAPTION:
            self._write_caption(line)
            line = self._get(line, END)
        while line < self._get(table, END):
            before = self.out.at
            fresh = self.fresh
            if before > start:
                self._end_line(b"\n")
            if not self._write_cells(line):
                self.out.at = before
                self.fresh = fresh
            line = self._get(line, END)

    @cython.cfunc
    def _write_caption(self, caption: cython.int) -> cython.int:
        block = caption + 1
        while block < self._get(caption, END):
            if block > caption + 1:
                self._indent_line()
                self.out.put(b" ")
            self._put_text(block)
            block = self._get(block, END)

    @cython.cfunc
    def _write_cells(self, line: cython.int) -> cython.bint:
        """Write a row of a table; return whether there was anything to write. Empty cells at its end are left out."""
        column = 0
        cell = line + 1
        self._indent_line()
        start = self.out.at
        stop = start  # of the last cell with words
        while cell < self._get(line, END):
            if self._get(cell, VALUE) >= 0:
                while column < self._get(cell, VALUE):
                    # The blank before a bar is gone where the row begins with it.
                    self.out.put(b" | " if self.out.at > start else b"| ")
                    column += 1
                if self._write_cell(cell):
                    stop = self.out.at
            cell = self._get(cell, END)
        self.out.at = stop
        return stop > start

    @cython.cfunc
    def _write_cell(self, cell: cython.int) -> cython.bint:
        """Write a cell in one line; return whether there is anything in it."""
        indent = self.indent
        start = self.out.at
        self.indent = 0
        self._write_parts(cell, b"\n")
        self.indent = indent
        self.fresh = False
        self.out.fold(start)
        return self.out.at > start


@cython.cfunc
def _raised(text: str, kind: cython.int) -> str:
    """Return a text with superscript or subscript characters if Unicode has them all; otherwise unchanged."""
    signs: dict = _RAISED[kind]
    if not any(c in signs for c in text) or not all(c in signs or c in _BETWEEN for c in text):
        return text
    return "".join([signs.get(c, c) for c in text])


def text(table: BlockTable, targets: list[tuple[str, str]], captions: bool) -> str:
    """Return a document as plain text.

    `targets` has the address of each link and image, and the words that stand in for an image. Without `captions`,
    those of pictures are left out, unless they are at least half of the text.
    """
    writer: _Writer = _Writer(table, targets, captions)
    return writer.write()
