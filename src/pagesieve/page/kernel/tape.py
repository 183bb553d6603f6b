# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The tags and texts of a source, one after the other, in one pass that skips what it need not look at.

No tree is built: a token is where it begins and ends, whose tag it is, and what it is. It can be read in both
directions, which is what parsing backwards needs.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from cython.cimports.pagesieve.page.kernel.ascii import SPACE
from cython.cimports.pagesieve.page.kernel.syntax import (
    TOKEN_ALONE,
    TOKEN_END,
    TOKEN_LINKED,
    TOKEN_NONE,
    TOKEN_START,
    TOKEN_TEXT,
)
from cython.cimports.pagesieve.page.kernel.tags import KNOWN_TAGS, TAG_A, VOID
from cython.cimports.pagesieve.page.kernel.tokenizer import Tokenizer, int_room

from pagesieve.page.kernel.tags import TAG_FLAGS

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)
_BYTES_A_TOKEN = 16  # few pages have fewer


@cython.final
@cython.cclass
class _Tape:
    """The tokens of a source while it is read."""

    tokens: Tokenizer
    at: cython.int[::1]
    stops: cython.int[::1]
    tag: cython.int[::1]
    what: cython.uchar[::1]
    columns: tuple  # that these are views of
    room: cython.Py_ssize_t
    count: cython.Py_ssize_t
    linked: cython.bint  # whether a link is open

    def __init__(self, source: bytes, room: cython.Py_ssize_t):
        self.tokens = Tokenizer(source)
        self.columns = (int_room(room), int_room(room), int_room(room), bytearray(room))
        self.at, self.stops, self.tag, self.what = self.columns
        self.room = room
        self.count = 0
        self.linked = False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self) -> cython.bint:
        """Read the whole source; return whether there was room for it."""
        kind: cython.int = self.tokens.next()
        while kind != TOKEN_NONE:
            if self.count >= self.room:
                return False
            if kind == TOKEN_TEXT:
                self.add_text()
            elif kind == TOKEN_START or kind == TOKEN_END:
                self.add_tag(kind)
            kind = self.tokens.next()
        return True

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, tag: cython.int, what: cython.int) -> cython.void:
        self.at[self.count] = cython.cast(cython.int, first)
        self.stops[self.count] = cython.cast(cython.int, last)
        self.tag[self.count] = tag
        self.what[self.count] = what
        self.count += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def add_text(self) -> cython.void:
        """Add a text without the blanks around it, if there is more to it."""
        source: cython.p_const_uchar = self.tokens.source
        first: cython.Py_ssize_t = self.tokens.first
        last: cython.Py_ssize_t = self.tokens.last
        while first < last and source[first] <= SPACE:
            first += 1
        while last > first and source[last - 1] <= SPACE:
            last -= 1
        if last > first:
            self.add(first, last, 0, TOKEN_LINKED if self.linked else TOKEN_TEXT)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def add_tag(self, kind: cython.int) -> cython.void:
        """Add a tag, or a whole element where its content is text."""
        start: cython.Py_ssize_t = self.tokens.start
        number: cython.int = self.tokens.tag
        self.tokens.skip_attributes()
        if number == TAG_A:
            self.linked = kind == TOKEN_START
        elif kind == TOKEN_START:
            if self.is_empty(number):
                kind = TOKEN_ALONE
            elif self.tokens.holds_text():
                self.tokens.raw_text()
                kind = TOKEN_ALONE
        self.add(start, self.tokens.at, number, kind)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_empty(self, number: cython.int) -> cython.bint:
        """Whether the element of the start tag just read has no content: a slash says so of one that is not known."""
        return _FLAGS[number] & VOID != 0 if number < KNOWN_TAGS else self.tokens.self_closing


def scan(source: bytes) -> tuple[int, Any, Any, Any, bytearray]:
    """Return the tokens of a source: how many, where each begins and ends, the number of its element, what it is.

    Comments are left out, and so is the content of scripts, styles and other elements that hold only text. Texts of
    nothing but blanks are no tokens. To count the tags first would take longer than to read them all, so a page with
    more than there is room for is read again.
    """
    room: cython.Py_ssize_t = len(source) // _BYTES_A_TOKEN + 64
    tape: _Tape = _Tape(source, room)
    while not tape.read():
        room *= 8
        tape = _Tape(source, room)
    return (tape.count, *tape.columns)
