# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Which blocks of a style sheet may hide something: a quick look before `pagesieve.page.styles` says what they do."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, is_digit, is_space
from cython.cimports.pagesieve.page.kernel.constants import (
    COLON,
    DIGIT_0,
    DOT,
    EXCLAMATION,
    HASH,
    HYPHEN,
    LEFT_BRACE,
    LOWER_A,
    LOWER_Z,
    SEMICOLON,
    SLASH,
    UNDERSCORE,
)
from cython.cimports.pagesieve.page.kernel.derive import _folded

_RIGHT_BRACE = cython.declare(cython.int, ord("}"))
_RIGHT_PARENTHESIS = cython.declare(cython.int, ord(")"))
_BACKSLASH = cython.declare(cython.int, ord("\\"))
_AT = cython.declare(cython.int, ord("@"))
_COMMA = cython.declare(cython.int, ord(","))
_ASTERISK = cython.declare(cython.int, ord("*"))
_C = cython.declare(cython.int, ord("c"))
_E = cython.declare(cython.int, ord("e"))
_H = cython.declare(cython.int, ord("h"))
_N = cython.declare(cython.int, ord("n"))
_T = cython.declare(cython.int, ord("t"))
_NO_COLOUR = cython.declare(cython.int, -1)
_UNKNOWN = cython.declare(cython.int, 100)  # a colour that is told by its name, a call or several words
# How the value of a property is looked at.
_NONE = cython.declare(cython.int, 1)  # `none`
_HIDDEN = cython.declare(cython.int, 2)  # `hidden`, `collapse`
_ZERO = cython.declare(cython.int, 3)  # a number that is hardly more than nothing
_ANY = cython.declare(cython.int, 4)  # whatever it is
_FAR = cython.declare(cython.int, 5)  # a length of three digits
_MOVED = cython.declare(cython.int, 6)  # the same, or a call that may scale
_PAINTED = cython.declare(cython.int, 7)  # a colour that may be clear
_BEHIND = cython.declare(cython.int, 8)  # the colour behind it


def _spelled() -> bytes:
    """Return the properties that may hide something, each after its length and the way its value is looked at."""
    properties = {
        1: "display",
        2: "visibility content-visibility",
        3: "opacity font-size font scale height width max-height max-width",
        4: "clip clip-path -webkit-clip-path",
        5: "left right top bottom margin-left margin-top inset-inline-start text-indent",
        6: "transform -webkit-transform",
        7: "color -webkit-text-fill-color",
        8: "background background-color",
    }
    names = [(way, name.encode()) for way, names in properties.items() for name in names.split()]
    return b"".join(bytes((len(name), way)) + name for way, name in names)


_PROPERTIES = cython.declare(cython.const[cython.uchar][::1], _spelled())
_SCALE = cython.declare(cython.const[cython.uchar][::1], b"scale")
_MATRIX = cython.declare(cython.const[cython.uchar][::1], b"matrix")


def _way(css, start, stop):
    """Return how the value of a property is looked at; 0 where it hides nothing."""
    at = 0
    size = stop - start
    while at < len(_PROPERTIES):
        length = _PROPERTIES[at]
        if length == size:
            k = 0
            while k < size and (css[start + k] | 32) == _PROPERTIES[at + 2 + k]:
                k += 1
            if k == size:
                return _PROPERTIES[at + 1]
        at += 2 + length
    return 0


def _has(css, start, stop, word):
    """Whether a span has a word in it, in whatever case."""
    size = len(word)
    for at in range(start, stop - size + 1):
        k = 0
        while k < size and (css[at + k] | 32) == word[k]:
            k += 1
        if k == size:
            return True
    return False


def _has_digits(css, start, stop):
    """Whether a span has three digits in a row, or a power of ten."""
    digits = 0
    for at in range(start, stop):
        if digits > 0 and (css[at] | 32) == _E:
            return True
        digits = digits + 1 if is_digit(css[at]) else 0
        if digits == 3:
            return True
    return False


def _is_clear(css, start, stop):
    """Whether a colour may be transparent: by its name, the last part of a call, or a fourth hexadecimal part."""
    while stop > start + 1 and is_space(css[stop - 1]):
        stop -= 1
    last = css[stop - 1]
    if css[start] == HASH:
        return (stop - start == 5 and last == DIGIT_0) or (stop - start == 9 and css[stop - 2] == DIGIT_0)
    if last == _RIGHT_PARENTHESIS:
        before = css[stop - 2]
        return before == DIGIT_0 or not is_digit(before) or _has_digits(css, start, stop)
    return (css[start] | 32) == _T


def _is_little(css, start, stop):
    """Whether a span has a number that may be hardly more than nothing: one that begins with 0, 1 or a dot."""
    at = start
    while at < stop:
        if not is_digit(css[at]) and css[at] != DOT:
            at += 1
            continue
        whole: cython.int = 0  # up to the dot
        first: cython.Py_ssize_t = at
        while at < stop and is_digit(css[at]) and whole < 100:
            whole = 10 * whole + css[at] - DIGIT_0
            at += 1
        if whole <= 1 or (at < stop and (css[at] | 32) == _E):
            return True
        while at < stop and (is_digit(css[at]) or css[at] == DOT):
            at += 1
        at = max(at, first + 1)
    return False


def _may_hide(css, way, start, stop):
    """Whether a value may hide something, given how it is looked at."""
    first = css[start] | 32
    if way == _NONE:
        return first == _N
    if way == _HIDDEN:
        return first == _H or first == _C
    if way == _ZERO:
        return _is_little(css, start, stop)
    if way == _FAR:
        return _has_digits(css, start, stop)
    if way == _MOVED:
        return _has_digits(css, start, stop) or _has(css, start, stop, _SCALE) or _has(css, start, stop, _MATRIX)
    if way == _PAINTED:
        return _is_clear(css, start, stop)
    return way == _ANY


def _first(css, start, stop):
    """Return the first digit of a colour that is in digits, or _UNKNOWN for any other."""
    if css[start] != HASH or start + 1 >= stop:
        return _UNKNOWN
    c = css[start + 1] | 32
    return c - DIGIT_0 if is_digit(c) else c - LOWER_A + 10


class _Block:
    """What has been seen of the block that is being read."""

    def __init__(self) -> None:
        self.start()

    def start(self):
        """Begin a block."""
        self.hides = False
        self.colour = self.behind = _NO_COLOUR  # the first digit of a colour, or _UNKNOWN

    def read(self, css, start, stop):
        """Read a declaration: a property up to a colon, and a value."""
        colon = start
        while colon < stop and css[colon] != COLON:
            colon += 1
        while start < colon and is_space(css[start]):
            start += 1
        end = colon
        while end > start and is_space(css[end - 1]):
            end -= 1
        way = _way(css, start, end)
        value = colon + 1
        while value < stop and is_space(css[value]):
            value += 1
        end = value
        while end < stop and css[end] != EXCLAMATION:  # as in `!important`
            end += 1
        stop = end
        if way == 0 or value >= stop:
            return
        if way == _BEHIND:
            self.behind = _first(css, value, stop)
        elif _may_hide(css, way, value, stop):
            self.hides = True
        if way == _PAINTED:
            self.colour = _first(css, value, stop)

    def is_suspect(self):
        """Whether the block may hide something: in itself, or since its colours may be the same."""
        if self.hides or self.colour == _NO_COLOUR or self.behind == _NO_COLOUR:
            return self.hides
        return self.colour == _UNKNOWN or self.behind == _UNKNOWN or abs(self.colour - self.behind) <= 1


def _is_name(byte):
    """Whether a byte may be a part of a name."""
    return LOWER_A <= (byte | 32) <= LOWER_Z or is_digit(byte) or byte == HYPHEN or byte == UNDERSCORE or byte >= 0x80


def _is_present(css, start, stop, sieve):
    """Whether a selector is simple, and a page may have all its classes and ids."""
    while start < stop and is_space(css[start]):
        start += 1
    while stop > start and is_space(css[stop - 1]):
        stop -= 1
    at = start
    while at < stop and _is_name(css[at]):
        at += 1
    while at < stop:
        first = at + 1
        if css[at] != DOT and css[at] != HASH:
            return False
        at = first
        while at < stop and _is_name(css[at]):
            at += 1
        if at < stop and css[at] != DOT and css[at] != HASH:  # most selectors are not simple: no digest for these
            return False
        digest: cython.ulonglong = _folded(css, first, at, True)
        if not sieve[digest & (len(sieve) - 1)]:
            return False
    return start < stop


def _has_present(css, start, stop, sieve):
    """Whether one of the selectors of a list is simple, and a page may have all its classes and ids."""
    at = start
    for end in range(start, stop + 1):
        if end == stop or css[end] == _COMMA:
            if _is_present(css, at, end, sieve):
                return True
            at = end + 1
    return False


def _is_at_rule(css, start, stop):
    """Whether what stands before a block is no selector but a rule such as `@media`, which has blocks inside."""
    while start < stop and is_space(css[start]):
        start += 1
    return start < stop and css[start] == _AT


def _block_end(css, at):
    """Return where the block ends that begins at a place, with those inside, or the style sheet."""
    depth = 0
    while at < len(css):
        if css[at] == LEFT_BRACE:
            depth += 1
        elif css[at] == _RIGHT_BRACE:
            depth -= 1
            if depth == 0:
                break
        at += 1
    return at


class _Braces:
    """Which blocks a place of a style sheet is in, while the sheet is read."""

    def __init__(self) -> None:
        self.depth = 0
        self.top = -1  # where the block begins that is in no other one

    def open(self, at):
        """Begin a block; return whether it is in no other one, or in one that is in none."""
        self.depth += 1
        if self.depth == 1:
            self.top = at
        return self.depth <= 2

    def close(self):
        """End a block. What closes none counts for nothing."""
        if self.depth > 0:
            self.depth -= 1

    def around(self):
        """Return where the block begins that is around the one which was begun last, or -1."""
        return self.top if self.depth > 1 else -1


def hiding_blocks(css: Any, names: Any) -> list[tuple[int, int, int, int]]:
    """Return the rules of a style sheet that may hide something.

    Of each: where its selectors, its block and the block around it (-1 for none) begin, and where it ends. Left out are
    rules deeper in other blocks, and those whose selectors are not simple or have names that are not in a sieve
    (`suspects.name_sieve`).
    """
    text: cython.const[cython.uchar][::1] = as_column(css)
    sieve: cython.const[cython.uchar][::1] = as_column(names)
    found: list[tuple[int, int, int, int]] = []
    braces: _Braces = _Braces()
    block: _Block = _Block()
    head: cython.Py_ssize_t = 0  # where the selectors of the block begin that is read,
    begin: cython.Py_ssize_t = -1  # and the block itself
    around: cython.Py_ssize_t = -1
    start: cython.Py_ssize_t = 0  # of the declaration
    at: cython.Py_ssize_t = 0
    while at < len(text):
        c = text[at]
        if c == LEFT_BRACE:
            begin = at if braces.open(at) and _has_present(text, start, at, sieve) else -1
            if begin < 0 and not _is_at_rule(text, start, at):
                at = _block_end(text, at)
                continue
            head, around, start = start, braces.around(), at + 1
            block.start()
        elif c == SEMICOLON or c == _RIGHT_BRACE:
            if begin >= 0:
                block.read(text, start, at)
            start = at + 1
            if c == _RIGHT_BRACE:
                if begin >= 0 and block.is_suspect():
                    found.append((head, begin, around, at))
                braces.close()
                begin = -1
        at += 1
    return found


def naming_blocks(css: Any, digests: Any, lengths: Any) -> list[tuple[int, int, int, int]]:
    """Return the rules whose selectors have one of some names, once for each such name.

    Of each: where its selectors, its block and the block around it (-1 for none) begin, and the digest of the name.
    Rules deeper in other blocks are left out. The digests are in a hash table (see `suspects.word_rows`); `lengths` has
    a 1 for each length of a name, the last one for all that are longer.
    """
    has_length: cython.const[cython.uchar][::1] = as_column(lengths)
    text: cython.const[cython.uchar][::1] = as_column(css)
    table: cython.const[cython.ulonglong][::1] = as_column(digests)
    mask: cython.ulonglong = len(table) - 1
    found: list[tuple[int, int, int, int]] = []
    braces: _Braces = _Braces()
    digest: cython.ulonglong
    start: cython.Py_ssize_t = 0  # of what may be selectors
    at: cython.Py_ssize_t = 0
    while at < len(text):
        c = text[at]
        if c == SEMICOLON or c == _RIGHT_BRACE:
            start = at + 1
            if c == _RIGHT_BRACE:
                braces.close()
        elif c == LEFT_BRACE:
            name: cython.Py_ssize_t = start if braces.open(at) else at
            while name < at:
                end: cython.Py_ssize_t = name
                while end < at and _is_name(text[end]):
                    end += 1
                if end > name and has_length[min(end - name, len(has_length) - 1)]:
                    digest = _folded(text, name, end, True)
                    slot: cython.int = digest & mask
                    while table[slot] != 0 and table[slot] != digest:
                        slot = (slot + 1) & mask
                    if table[slot] == digest:
                        found.append((start, at, braces.around(), digest))
                name = end + 1
            if not _is_at_rule(text, start, at):
                at = _block_end(text, at)
                continue
            start = at + 1
        at += 1
    return found


def hiding_values(values: cython.const[cython.uchar][::1], starts: Any, stops: Any) -> tuple[list[int], bool, bool]:
    """Return which of some inline styles may hide something, and whether any is of a colour, and of one behind it.

    Styles with escapes or comments are among them, whatever they say.
    """
    first: cython.const[cython.int][::1] = as_column(starts)
    last: cython.const[cython.int][::1] = as_column(stops)
    found: list[int] = []
    block: _Block = _Block()
    painted: cython.bint = False
    behind: cython.bint = False
    for k in range(len(first)):
        block.start()
        start: cython.Py_ssize_t = first[k]
        for at in range(first[k], last[k] + 1):
            if at == last[k] or values[at] == SEMICOLON:
                block.read(values, start, at)
                start = at + 1
            elif values[at] == _BACKSLASH or (values[at] == SLASH and values[at + 1] == _ASTERISK):
                block.hides = True
        painted = painted or block.colour != _NO_COLOUR
        behind = behind or block.behind != _NO_COLOUR
        if block.is_suspect():
            found.append(k)
    return found, painted, behind
