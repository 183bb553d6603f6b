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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _read(
    tokens: Tokenizer,
    at: cython.int[::1],
    stops: cython.int[::1],
    tag: cython.int[::1],
    what: cython.uchar[::1],
    room: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the tokens of a source into columns; return how many there are, or -1 if there is no room for them."""
    source: cython.p_const_uchar = tokens.source
    kind: cython.int = -1
    linked: cython.bint = False
    n: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    while kind != TOKEN_NONE:
        if n + 2 > room:
            return -1
        kind = tokens.next()
        first = tokens.text
        last = tokens.start
        while first < last and source[first] <= SPACE:
            first += 1
        while last > first and source[last - 1] <= SPACE:
            last -= 1
        if last > first:
            at[n] = cython.cast(cython.int, first)
            stops[n] = cython.cast(cython.int, last)
            tag[n] = 0
            what[n] = TOKEN_LINKED if linked else TOKEN_TEXT
            n += 1
        if kind == TOKEN_START or kind == TOKEN_END:
            at[n] = cython.cast(cython.int, tokens.start)
            tag[n] = tokens.tag
            if tokens.tag == TAG_A:
                linked = kind == TOKEN_START
            what[n] = _read_tag(tokens, kind)
            stops[n] = cython.cast(cython.int, tokens.at)
            n += 1
    return n


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _read_tag(tokens: Tokenizer, kind: cython.int) -> cython.int:
    """Read to the end of a tag, or of its element where that holds only text; return what it is on the tape."""
    if tokens.in_tag:
        tokens.skip_attributes(-1)
    if kind == TOKEN_END:
        return kind
    if tokens.tag >= KNOWN_TAGS:  # a slash says that it has no content
        return TOKEN_ALONE if tokens.self_closing else TOKEN_START
    if _FLAGS[tokens.tag] & VOID:
        return TOKEN_ALONE
    if not tokens.holds_text():
        return TOKEN_START
    tokens.raw_text()
    return TOKEN_ALONE


def scan(source: bytes) -> tuple[int, Any, Any, Any, bytearray]:
    """Return the tokens of a source: how many, where each begins and ends, the number of its element, what it is.

    Comments are left out, and so is the content of scripts, styles and other elements that hold only text. Texts are
    without the blanks around them, and those of nothing but blanks are no tokens. To count the tags first would take
    longer than to read them all, so a page with more than there is room for is read again.
    """
    room: cython.Py_ssize_t = len(source) // _BYTES_A_TOKEN + 64
    count: cython.Py_ssize_t = -1
    while count < 0:
        at, stop, tag, what = int_room(room), int_room(room), int_room(room), bytearray(room)
        count = _read(Tokenizer(source), at, stop, tag, what, room)
        room *= 8
    return count, at, stop, tag, what
