# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What the elements and the style sheets of a page say of whether its rows are seen.

Plain cases are settled here. Of others, a quick look says where `pagesieve.page.styles` has to look closer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import cython
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.cimports.libc.string import memchr, memcpy, memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import fnv, fnv_seed, is_digit, is_letter, is_space, times, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.view import PageView, view_of

from pagesieve.page.kernel.tags import TAGS

_RIGHT_BRACE = cython.declare(cython.int, ord("}"))
_LEFT_PARENTHESIS = cython.declare(cython.int, ord("("))
_RIGHT_PARENTHESIS = cython.declare(cython.int, ord(")"))
_BACKSLASH = cython.declare(cython.int, ord("\\"))
_AT = cython.declare(cython.int, ord("@"))
_COMMA = cython.declare(cython.int, ord(","))
_ASTERISK = cython.declare(cython.int, ord("*"))
_A = cython.declare(cython.int, ord("a"))
_C = cython.declare(cython.int, ord("c"))
_E = cython.declare(cython.int, ord("e"))
_F = cython.declare(cython.int, ord("f"))
_H = cython.declare(cython.int, ord("h"))
_R = cython.declare(cython.int, ord("r"))
_V = cython.declare(cython.int, ord("v"))
_T = cython.declare(cython.int, ord("t"))

# What a byte may be: white space, or a part of a name.
_IS_SPACE = cython.declare(cython.int, 1)
_IN_NAME = cython.declare(cython.int, 2)


def _sorts_of_bytes() -> bytes:
    name = [is_letter(byte) or is_digit(byte) or byte in b"-_" or byte >= 0x80 for byte in range(256)]
    return bytes(is_space(byte) + 2 * name[byte] for byte in range(256))


_SORTS = cython.declare(cython.const[cython.uchar][::1], _sorts_of_bytes())


def _next(css, at, stop, byte):
    """Return where a byte stands in a span, or -1."""
    found = cython.cast(Bytes, memchr(css + at, byte, stop - at)) if at < stop else cython.NULL
    return -1 if found == cython.NULL else found - css


# Declarations

_NO_COLOUR = cython.declare(cython.int, -1)
_UNKNOWN = cython.declare(cython.int, 100)  # a colour that is told by its name, a call or several words
# How the value of a property is looked at.
_DISPLAY = cython.declare(cython.int, 1)
_VISIBILITY = cython.declare(cython.int, 2)
_CONTENT = cython.declare(cython.int, 3)
_OPACITY = cython.declare(cython.int, 4)
_FONT = cython.declare(cython.int, 5)  # the size of letters
_SIZE = cython.declare(cython.int, 6)  # of a box, which hides where what overflows is cut
_CUTS = cython.declare(cython.int, 7)  # what overflows
_POSITION = cython.declare(cython.int, 8)
_SIDE = cython.declare(cython.int, 9)  # a length that hides where the element is placed
_CLIP = cython.declare(cython.int, 10)  # whatever it is, there
_ANY = cython.declare(cython.int, 11)  # whatever it is, anywhere
_FAR = cython.declare(cython.int, 12)  # a length of three digits, anywhere
_SCALE = cython.declare(cython.int, 13)
_MOVED = cython.declare(cython.int, 14)  # a length of three digits, or a call that may scale
_PAINTED = cython.declare(cython.int, 15)  # a colour that may be clear
_BEHIND = cython.declare(cython.int, 16)  # the colour behind it
_IMAGE = cython.declare(cython.int, 17)  # the image behind it


def _spelled(words: dict[int, str]) -> bytes:
    """Return words, the shortest first, each after its length and its number; and a 0 after them."""
    names = sorted((len(name), number, name.encode()) for number, names in words.items() for name in names.split())
    return b"".join(bytes((size, number)) + name for size, number, name in names) + b"\0"


_PROPERTIES = cython.declare(
    cython.const[cython.uchar][::1],
    _spelled(
        {
            1: "display",
            2: "visibility",
            3: "content-visibility",
            4: "opacity",
            5: "font-size font",
            6: "height width max-height max-width",
            7: "overflow overflow-x overflow-y",
            8: "position",
            9: "left right top bottom margin-left margin-top inset-inline-start",
            10: "clip",
            11: "clip-path -webkit-clip-path",
            12: "text-indent",
            13: "scale",
            14: "transform -webkit-transform",
            15: "color -webkit-text-fill-color",
            16: "background background-color",
            17: "background-image",
        }
    ),
)
# The values that say something, as bits; any other one is _OTHER.
_OTHER = cython.declare(cython.int, 4)
_NONE = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "none"}))
_HIDDEN = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "hidden"}))
_SEEN = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "hidden collapse", 2: "visible"}))
_CALLS = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "scale matrix"}))
_VARIABLE = cython.declare(cython.const[cython.uchar][::1], b"var(")


def _is_at(css, start, stop, word, size):
    """Whether a span begins with a word, in whatever case."""
    k = 0
    while k < size and start + k < stop and (css[start + k] | 32) == word[k]:
        k += 1
    return k == size


def _way(css, start, stop):
    """Return how the value of a property is looked at; 0 where it hides nothing."""
    at = 0
    size = stop - start
    while 0 < _PROPERTIES[at] < size:
        at += 2 + _PROPERTIES[at]
    while _PROPERTIES[at] == size and size > 0:
        if _is_at(css, start, stop, cython.address(_PROPERTIES[at + 2]), size):
            return _PROPERTIES[at + 1]
        at += 2 + size
    return 0


def _may_scale(css, start, stop):
    """Whether a transformation has a call that may scale."""
    for at in range(start, stop):
        k = 0
        while _CALLS[k]:
            if _is_at(css, at, stop, cython.address(_CALLS[k + 2]), _CALLS[k]):
                return True
            k += 2 + _CALLS[k]
    return False


def _stated(css, start, stop, words):
    """Return the number of a value among some words, _OTHER where it is none, all bits where that is not plain."""
    while stop > start and is_space(css[stop - 1]):
        stop -= 1
    for k in range(start, stop):
        if css[k] >= 0x80 or css[k] == _BACKSLASH or (css[k] < SPACE and not is_space(css[k])):
            return 7
    at = 0
    while words[at]:
        if words[at] == stop - start and _is_at(css, start, stop, cython.address(words[at + 2]), stop - start):
            return words[at + 1]
        at += 2 + words[at]
    return _OTHER


def _is_power(css, at, stop):
    """Whether a power of ten stands at a place after a number."""
    if at + 1 >= stop or (css[at] | 32) != _E:
        return False
    return is_digit(css[at + 1]) or css[at + 1] == HYPHEN or css[at + 1] == PLUS


def _has_digits(css, start, stop):
    """Whether a span has three digits in a row, or a power of ten."""
    digits = 0
    for at in range(start, stop):
        if digits > 0 and _is_power(css, at, stop):
            return True
        digits = digits + 1 if is_digit(css[at]) else 0
        if digits == 3:
            return True
    return False


def _hundredths(css, at, stop):
    """Return the number at a place in hundredths, 1000 at most; -1 with a power of ten."""
    found: cython.int = 0
    while at < stop and is_digit(css[at]):
        found = min(10 * found + css[at] - DIGIT_0, 1000)
        at += 1
    found *= 100
    if at < stop and css[at] == DOT:
        at += 1
        if at < stop and is_digit(css[at]):
            found += 10 * (css[at] - DIGIT_0)
            at += 1
            if at < stop and is_digit(css[at]):
                found += css[at] - DIGIT_0
        while at < stop and is_digit(css[at]):
            at += 1
    return -1 if _is_power(css, at, stop) else found


def _is_clear(css, start, stop):
    """Whether a colour may be transparent: by its name, the last part of a call, or a fourth hexadecimal part."""
    while stop > start + 1 and is_space(css[stop - 1]):
        stop -= 1
    last = css[stop - 1]
    if css[start] == HASH:
        return (stop - start == 5 and last == DIGIT_0) or (stop - start == 9 and css[stop - 2] == DIGIT_0)
    if last != _RIGHT_PARENTHESIS:
        return (css[start] | 32) == _T
    numbers = 0
    alpha: cython.int = 0
    at = start
    while at < stop:
        if not is_digit(css[at]) and css[at] != DOT:
            at += 1
            continue
        alpha = _hundredths(css, at, stop)
        if alpha < 0 or (css[at - 1] == HYPHEN and at > start):
            return True
        numbers += 1
        while at < stop and (is_digit(css[at]) or css[at] == DOT):
            at += 1
        if css[at] == PERCENT and alpha == 100:
            alpha = 0
    return numbers == 4 and (alpha < 2 or 100 < alpha < 600)  # more than 1 is of 255


def _is_little(css, start, stop, way):
    """Whether a span has a number that may be hardly more than nothing."""
    at = start
    while at < stop:
        if not is_digit(css[at]) and css[at] != DOT:
            at += 1
            continue
        if at > start and css[at - 1] == HYPHEN:
            return True
        found = _hundredths(css, at, stop)
        while at < stop and (is_digit(css[at]) or css[at] == DOT):
            at += 1
        if found < 2:
            return True
        unit: cython.int = css[at] | 32 if at < stop else 0
        if way == _OPACITY:
            if unit == PERCENT and found < 200:
                return True
        elif unit == _E or unit == _R or unit == PERCENT or unit == _V:  # of the letters around, or of something else
            if found < 5:
                return True
        elif found < 150:
            return True
    return False


def _may_hide(css, way, start, stop):
    """Whether a value may hide something, given how it is looked at."""
    if way == _OPACITY or way == _FONT or way == _SIZE or way == _SCALE:
        return _is_little(css, start, stop, way)
    if way == _FAR or way == _SIDE:
        return _has_digits(css, start, stop)
    if way == _MOVED:
        return _has_digits(css, start, stop) or _may_scale(css, start, stop)
    if way == _PAINTED:
        return _is_clear(css, start, stop)
    return way == _ANY or way == _CLIP


def _first(css, start, stop):
    """Return the first digit of a colour that is in digits, or _UNKNOWN for any other."""
    if css[start] != HASH or start + 1 >= stop:
        return _UNKNOWN
    c = css[start + 1] | 32
    return c - DIGIT_0 if is_digit(c) else c - LOWER_A + 10


def _is_variable(css, start, stop):
    """Whether a value is a variable, of which nothing is known."""
    if not _is_at(css, start, stop, cython.address(_VARIABLE[0]), len(_VARIABLE)):
        return False
    end = _next(css, start, stop, _RIGHT_PARENTHESIS)
    while end >= 0 and end + 1 < stop and (css[end + 1] == _RIGHT_PARENTHESIS or css[end + 1] == _COMMA):
        end = _next(css, end + 1, stop, _RIGHT_PARENTHESIS)
    while 0 < end < stop - 1 and is_space(css[end + 1]):
        end += 1
    return end == stop - 1


class _Block:
    """What has been seen of the declarations that are being read."""

    def __init__(self) -> None:
        self.start()

    def start(self):
        """Begin a block."""
        self.hides = self.cuts = self.is_flat = self.is_placed = self.is_far = False
        self.display = self.content = self.visibility = self.says = 0
        self.colour = self.behind = _NO_COLOUR

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
        if way == 0:
            return
        value = colon + 1
        while value < stop and is_space(css[value]):
            value += 1
        end = value
        while end < stop and css[end] != EXCLAMATION:  # as in `!important`
            end += 1
        if value >= end:
            return
        if way == _DISPLAY:
            self.display |= _stated(css, value, end, _NONE)
        elif way == _CONTENT:
            self.content |= _stated(css, value, end, _HIDDEN)
        elif way == _VISIBILITY:
            self.visibility |= _stated(css, value, end, _SEEN)
        elif way == _BEHIND:
            self.says |= STYLE_BEHIND
            if not _is_variable(css, value, end):
                self.behind = _first(css, value, end)
        elif way == _IMAGE:
            self.says |= STYLE_IMAGE
        elif way == _CUTS:
            self.cuts = self.cuts or (css[value] | 32) == _H or (css[value] | 32) == _C
        elif way == _POSITION:
            self.is_placed = self.is_placed or (css[value] | 32) == _A or (css[value] | 32) == _F
        elif not _may_hide(css, way, value, end):
            pass
        elif way == _SIZE:
            self.is_flat = True
        elif way == _SIDE or way == _CLIP:
            self.is_far = True
        else:
            self.hides = True
        if way == _PAINTED:
            self.says |= STYLE_COLOUR
            if not _is_variable(css, value, end):
                self.colour = _first(css, value, end)
        elif way == _FONT:
            self.says |= STYLE_SIZE

    def read_all(self, css, start, stop):
        """Read the declarations of a rule."""
        self.start()
        end = _next(css, start, stop, SEMICOLON)
        while end >= 0:
            self.read(css, start, end)
            start = end + 1
            end = _next(css, start, stop, SEMICOLON)
        self.read(css, start, stop)

    def hides_otherwise(self):
        """Whether the block may hide something but by `display` and `visibility`: or since its colours are the same."""
        if self.hides or (self.cuts and self.is_flat) or (self.is_placed and self.is_far):
            return True
        if self.colour == _NO_COLOUR or self.behind == _NO_COLOUR:
            return False
        return self.colour == _UNKNOWN or self.behind == _UNKNOWN or abs(self.colour - self.behind) <= 1

    def is_suspect(self):
        """Whether the block may hide something."""
        return (self.display | self.content | self.visibility) & 1 or self.hides_otherwise()

    def is_gone(self, css, start, stop):
        """Whether the rule that was read plainly says that something is not displayed."""
        if self.display != 1:
            return False
        for at in range(start, stop):
            c = css[at]
            if c == _BACKSLASH or c == QUOTATION_MARK or c == APOSTROPHE or c == _LEFT_PARENTHESIS:
                return False
        return True

    def bits(self, values, start, stop):
        """Read an inline style; return what it says as bits of `constants`."""
        odd: cython.bint = False
        parted: cython.bint = (
            False  # whether a semicolon may part no declarations, since it is in a string or an address
        )
        quote: cython.int = 0
        called: cython.bint = False
        plain: cython.bint
        self.start()
        for at in range(start, stop):
            c = values[at]
            if c == SEMICOLON:
                self.read(values, start, at)
                start = at + 1
                parted = parted or called or quote != 0
            elif c == _BACKSLASH or (c == SLASH and at + 1 < stop and values[at + 1] == _ASTERISK):
                odd = True
            elif quote:
                quote = 0 if c == quote else quote
            elif c == QUOTATION_MARK or c == APOSTROPHE:
                quote = c
            elif c == _LEFT_PARENTHESIS:
                called = True
            elif c == _RIGHT_PARENTHESIS:
                called = False
        self.read(values, start, stop)
        bits: cython.int = self.says
        if self.hides_otherwise():
            bits |= STYLE_HARD
        stated: cython.int = self.display | self.content
        if stated & 1 == 0 and self.visibility & 3 == 0 and not odd:
            return bits
        plain = self.display != 5 and self.display != 7 and self.content != 5 and self.content != 7
        if odd or parted or not plain or self.visibility not in (0, 1, 2, 4):
            return bits | STYLE_HARD | STYLE_ODD
        if stated & 1:
            bits |= STYLE_GONE
        return bits | (STYLE_INVISIBLE if self.visibility & 1 else STYLE_VISIBLE if self.visibility & 2 else 0)


# Rows

# The classes of what is read out and not shown, and which lengths they have, as bits by their first byte.
_READ_OUT_NAMES = (
    "a11y-hidden accessibly-hidden assistive-text element-invisible hidden-visually hide-visually is-sr-only "
    "is-visually-hidden offscreen-text screen-reader screen-reader-only screen-reader-text screenreader "
    "screenreader-only sr-only sr-only-focusable sr-text srOnly u-hiddenVisually u-screen-reader-text u-sr-only "
    "u-visually-hidden u-visuallyHidden visually-hidden visually-hidden-focusable visuallyHidden visuallyhidden wb-inv"
)
_READ_OUT = cython.declare(cython.const[cython.uchar][::1], _spelled({1: _READ_OUT_NAMES}))


def _lengths_by_first() -> Any:
    found = zeros("I", 256)
    for name in _READ_OUT_NAMES.split():
        found[ord(name[0])] |= 1 << len(name)
    return found


_LENGTHS = cython.declare(cython.uint[::1], _lengths_by_first())
_CSS = cython.declare(cython.const[cython.uchar][::1], b"text/css")
_STRETCH = cython.declare(cython.Py_ssize_t, 240)  # bytes whose characters a byte can count
# The sorts of rows that are collected.
_WITH_HIDDEN = cython.declare(cython.int, 0)
_WITH_ARIA = cython.declare(cython.int, 1)
_IS_READ_OUT = cython.declare(cython.int, 2)
_IS_DIALOG = cython.declare(cython.int, 3)
_IS_DESCRIPTION = cython.declare(cython.int, 4)
_IS_SHEET = cython.declare(cython.int, 5)
_MAY_BE_SHEET = cython.declare(cython.int, 6)
# How a row is hidden while rows are read: a way of those that nothing inside undoes, and a bit.
_WAY = cython.declare(cython.int, 3)
_INVISIBLE = cython.declare(cython.int, 4)


def _chars(text, start, stop):
    """Count the characters of a span of UTF-8 that are not white space (of ASCII, or no-break or ideographic)."""
    count: cython.int = 0
    spaces: cython.uchar = 0  # whether there are bytes that one beyond ASCII may begin with
    i: cython.Py_ssize_t = start
    while i < stop:
        # Without branches and in bytes, so that the compiler takes many at a time.
        last: cython.Py_ssize_t = min(i + _STRETCH, stop)
        few: cython.uchar = 0
        while i < last:
            c: cython.schar = text[i]
            few += (c > SPACE) | ((c < 0) & (c >= -64))
            spaces |= (c == 0xC2 - 256) | (c == 0xE3 - 256)
            i += 1
        count += few
    if spaces:
        for i in range(start, stop):
            if text[i] == 0xC2 and i + 1 < stop and text[i + 1] == 0xA0:
                count -= 1
            elif text[i] == 0xE3 and i + 2 < stop and text[i + 1] == 0x80 and text[i + 2] == 0x80:
                count -= 1
    return count


def _is_read_out(values, at, stop):
    """Whether one of the classes in a span is known for what is read out and not shown."""
    sorts: Bytes = cython.address(_SORTS[0])
    while at < stop:
        start = at
        while at < stop and sorts[values[at]] != _IS_SPACE:
            at += 1
        size = at - start
        if 0 < size <= LONGEST_WORD and _LENGTHS[values[start]] >> size & 1:
            k = 0
            while _READ_OUT[k]:
                j = 0
                while _READ_OUT[k] == size and j < size and values[start + j] == _READ_OUT[k + 2 + j]:
                    j += 1
                if j == size:
                    return True
                k += 2 + _READ_OUT[k]
        at += 1
    return False


class Marks:
    """What the elements of a page say of whether its rows are seen, found in one pass."""

    if TYPE_CHECKING:
        by_element: tuple[Any, Any, Any]  # by row: its visibility, its characters, and 1 in a link
        soft: bytearray | None  # by row: by which of the ways up to LAST_SOFT it is hidden; None where none is
        # The rows with `hidden`; with `aria-hidden` and text; read out and not shown; dialogs; descriptions; `style`
        # elements for screens; and those that may be.
        rows: tuple[list[int], list[int], list[int], list[int], list[int], list[int], list[int]]
        styles: list[tuple[int, int, int]]  # of inline styles that say something: row, place among attributes, bits
        said: int  # the bits of all of these
        states_colour: bool  # whether attributes of HTML state a colour of texts,
        states_behind: bool  # and one behind them

    def __init__(self, page: Any, look: Callable[[str], Any], most_styles: int) -> None:
        """Read a page. `look` is asked for the way and the visibility of inline styles that are not plain."""
        self.view = view_of(page)
        rows = self.view.rows
        self.look = look
        self.by_element = bytearray(rows), zeros("i", rows), bytearray(rows)
        self.visibility, self.chars, self.linked = self.by_element
        self.state = bytearray(rows)
        self.sums = zeros("i", rows + 1)
        self.rows = [], [], [], [], [], [], []
        self.styles = []
        self.styles_left = most_styles
        number = page.attribute_number("amp-boilerplate")
        self.boilerplate = -1 if number is None else number
        view: PageView = self.view
        block: _Block = _Block()
        with cython.nogil:
            self.read(view, block)
        aria: list = self.rows[1]
        aria[:] = [row for row in aria if self.below(row)]
        self.soft = self._soft() if self.hides_softly else None

    def read(self, view, block):
        """Read all rows; parents stand before their children."""
        # Pointers: what is written to a byte could be any field of an object, which would be read again.
        parent: cython.pointer(cython.const[cython.int]) = cython.address(view.parent[0])
        tag: cython.pointer(cython.const[cython.int]) = cython.address(view.tag[0])
        text_at: cython.pointer(cython.const[cython.int]) = cython.address(view.text_at[0])
        text: Bytes = cython.address(view.text[0])
        visibility: cython.p_uchar = cython.address(self.visibility[0])
        linked: cython.p_uchar = cython.address(self.linked[0])
        state: cython.p_uchar = cython.address(self.state[0])
        chars: cython.p_int = cython.address(self.chars[0])
        sums: cython.p_int = cython.address(self.sums[0])
        rows: cython.int = view.rows
        for row in range(1, rows):
            above = parent[row]
            visibility[row] = visibility[above]
            linked[row] = linked[above]
            state[row] = state[above]
            if tag[row] != tags.TEXT:
                self.read_element(view, row, block)
            elif visibility[row] == tags.IS_SEEN:
                chars[row] = _chars(text, text_at[row], text_at[row + 1])
            sums[row + 1] = sums[row] + chars[row]
        return 0

    def read_element(self, view, row, block):
        """Read an element and its attributes."""
        tag = view.tag[row]
        flags = view.flags(row)
        if flags & tags.UNSEEN:
            self.visibility[row] = tags.IS_UNSEEN
        if tag == tags.TAG_STYLE:
            above = view.tag[view.parent[row]]
            if above != tags.TAG_NOSCRIPT and above != tags.TAG_TEMPLATE:  # scripts run, and nobody has used it
                self.find(_IS_SHEET if self.is_plain_sheet(view, row) else _MAY_BE_SHEET, row)
        elif tag == tags.TAG_DIALOG:
            self.find(_IS_DIALOG, row)
        elif tag == tags.TAG_DESC:
            self.find(_IS_DESCRIPTION, row)
        if view.attribute_at[row] == view.attribute_at[row + 1]:
            return 0
        state: cython.int = self.state[row]
        bits = 0
        name: cython.pointer(cython.const[cython.int]) = cython.address(view.attribute_name[0])
        value_at: cython.pointer(cython.const[cython.int]) = cython.address(view.value_at[0])
        values: Bytes = cython.address(view.values[0])
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            if name[k] == tags.ATTR_CLASS:
                if _is_read_out(values, value_at[k], value_at[k + 1]):
                    self.find(_IS_READ_OUT, row)
            elif name[k] == tags.ATTR_HREF:
                if flags & tags.LINK:
                    self.linked[row] = 1
            elif name[k] == tags.ATTR_STYLE:
                bits = self.read_style(view, row, k, block)
            elif name[k] == tags.ATTR_HIDDEN:
                self.find(_WITH_HIDDEN, row)
                state = state & _INVISIBLE | HIDDEN_ATTRIBUTE
            elif name[k] == tags.ATTR_ARIA_HIDDEN:
                if value_at[k + 1] - value_at[k] == 4:  # "true"; "false" is longer
                    self.find(_WITH_ARIA, row)
            elif name[k] == tags.ATTR_COLOR:
                self.states_colour = True
            elif name[k] == tags.ATTR_BGCOLOR:
                self.states_behind = True
        if bits & STYLE_GONE and state & _WAY == 0:
            state |= NOT_DISPLAYED
        if bits & STYLE_INVISIBLE:
            state |= _INVISIBLE
        elif bits & STYLE_VISIBLE:
            state &= ~_INVISIBLE
        if state != self.state[row] and tag != tags.TAG_HTML and tag != tags.TAG_BODY:
            self.state[row] = state
            self.hides_softly = True
        return 0

    def is_plain_sheet(self, view, row):
        """Whether a `style` element is for screens, as far as it needs no closer look."""
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            name = view.attribute_name[k]
            size = view.value_at[k + 1] - view.value_at[k]
            if name == tags.ATTR_MEDIA or name == self.boilerplate:
                return False
            if name == tags.ATTR_TYPE and size > 0:
                if size != len(_CSS) or not _is_at(
                    cython.address(view.values[view.value_at[k]]), 0, size, cython.address(_CSS[0]), size
                ):
                    return False
        return True

    def read_style(self, view, row, k, block):
        """Read an inline style; return its bits."""
        if self.styles_left == 0:
            return 0
        self.styles_left -= 1
        bits = block.bits(cython.address(view.values[0]), view.value_at[k], view.value_at[k + 1])
        if bits:
            with cython.gil:
                if bits & STYLE_ODD:
                    bits = self.looked_at(k, bits)
                self.styles.append((row, k, bits))
                self.said |= bits
        return bits

    def looked_at(self, k, bits):
        """Return the bits of an inline style with those that only a closer look tells."""
        said = self.look(self.view.value_of(k))
        if said.way == NOT_DISPLAYED:
            bits |= STYLE_GONE
        if said.visible is not None:
            bits |= STYLE_VISIBLE if said.visible else STYLE_INVISIBLE
        return bits

    def find(self, sort, row):
        """Collect a row."""
        with cython.gil:
            cython.cast(list, self.rows[sort]).append(row)
        return 0

    def below(self, row):
        """Return how many characters are in an element."""
        return self.sums[self.view.end[row]] - self.sums[row]

    def size(self, row: cython.int) -> int:
        """Return how many characters are in an element."""
        return self.below(row)

    def _soft(self) -> bytearray:
        """Return the column of the soft ways."""
        found = bytearray(self.view.rows)
        ways: cython.uchar[::1] = found
        for row in range(self.view.rows):
            state = self.state[row]
            ways[row] = state & _WAY if state & _WAY else NOT_VISIBLE if state else SHOWN
        return found

    def measures(self, hidden: Any) -> tuple[Any, Any, Any, Any]:
        """Return the columns `visibility`, `chars`, `linked` and `hidden_chars`, given why each row is hidden."""
        rows = self.view.rows
        hidden_chars = zeros("i", rows)
        if hidden is None:
            return *self.by_element, hidden_chars
        columns = bytearray(self.by_element[0]), self.by_element[1][:], self.by_element[2], hidden_chars
        ways: cython.const[cython.uchar][::1] = hidden
        visibility: cython.uchar[::1] = columns[0]
        chars: cython.int[::1] = columns[1]
        softly: cython.int[::1] = hidden_chars
        for row in range(rows):
            if ways[row] == SHOWN:
                continue
            if ways[row] > LAST_SOFT:
                visibility[row] = tags.IS_UNSEEN
            elif visibility[row] == tags.IS_SEEN:
                visibility[row] = tags.IS_HIDDEN
                softly[row] = chars[row]
            chars[row] = 0
        return columns

    def holding(self, rows: Any) -> bytearray:
        """Mark the rows that hold one of some, given as a mask, or are one."""
        wanted: cython.const[cython.uchar][::1] = rows
        counts: cython.int[::1] = zeros("i", self.view.rows + 1)
        found = bytearray(self.view.rows)
        holds: cython.uchar[::1] = found
        for row in range(self.view.rows):
            counts[row + 1] = counts[row] + (wanted[row] != 0)
        for row in range(self.view.rows):
            holds[row] = counts[self.view.end[row]] > counts[row]
        return found

    def with_text(self) -> bytearray:
        """Mark the rows that hold text."""
        found = bytearray(self.view.rows)
        holds: cython.uchar[::1] = found
        for row in range(self.view.rows):
            holds[row] = self.below(row) > 0
        return found


class Ways:
    """Why rows are hidden, as a column of numbers or None, while that is found out; those of soft ways are there first.

    Those replace no other, and others only them.
    """

    if TYPE_CHECKING:
        column: bytearray | None
        hides: bool  # in other ways than the soft ones

    def __init__(self, marks: Marks, most: float) -> None:
        """Hide nothing in one way that has a share `most` of the page's text, or more."""
        self.marks = marks
        self.most = most
        self.column = None if marks.soft is None else bytearray(marks.soft)
        self.hides = False

    def made(self):
        """Return the column to hide something, made if it is not there."""
        if self.column is None:
            self.column = bytearray(self.marks.view.rows)
        self.hides = True
        return self.column

    def is_most(self, chars):
        """Whether this many characters are most of the page."""
        return chars >= self.most * self.marks.sums[self.marks.view.rows]

    def hide(self, rows: list[int], way: cython.int) -> None:
        """Hide some elements, given in order, with all in them, unless that is most of the page."""
        view: PageView = self.marks.view
        spans: list[int] = []  # the outermost
        stop: cython.int = 0
        chars: cython.longlong = 0
        row: cython.int
        for row in rows:
            if row >= stop and view.tag[row] != tags.TAG_HTML and view.tag[row] != tags.TAG_BODY:
                spans.append(row)
                stop = view.end[row]
                chars += self.marks.below(row)
        if not spans or self.is_most(chars):
            return
        ways: cython.uchar[::1] = self.made()
        for row in spans:
            for each in range(row, view.end[row]):
                if ways[each] <= LAST_SOFT:
                    ways[each] = way

    def inherit(self, said: list[tuple[int, bool | None]], way: cython.int) -> None:
        """Hide what inherits a False, as far as no element inside says otherwise, unless that is most of the page."""
        if not any(value is False for _, value in said):
            return
        view: PageView = self.marks.view
        values: cython.uchar[::1] = bytearray(view.rows)  # 1 for a False, 2 for a True
        row: cython.int
        for row, value in said:
            if value is not None and view.tag[row] != tags.TAG_HTML and view.tag[row] != tags.TAG_BODY:
                values[row] = 2 if value else 1
        for row in range(1, view.rows):
            if values[row] == 0:
                values[row] = values[view.parent[row]]
        for row in range(view.rows):
            values[row] = values[row] == 1
        self.mark(values, way)

    def mark(self, hidden: cython.const[cython.uchar][::1], way: cython.int) -> None:
        """Hide the rows of a mask, unless they are most of the page."""
        chars: cython.longlong = 0
        for row in range(self.marks.view.rows):
            if hidden[row]:
                chars += self.marks.chars[row]
        if self.is_most(chars):
            return
        ways: cython.uchar[::1] = self.made()
        for row in range(self.marks.view.rows):
            if hidden[row] and ways[row] <= LAST_SOFT:
                ways[row] = way


# Style sheets

_FACTOR = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)


def _place(data, start, stop, folds):
    """Return the place of a name in a sieve, whatever its case if asked: by its ends, for many names are long."""
    size: cython.Py_ssize_t = stop - start
    first: cython.ulonglong = 0
    last: cython.ulonglong = 0
    digest: cython.ulonglong = fnv_seed()
    if size < 8 or folds:
        for k in range(start, stop):
            digest = fnv(digest, data[k] | 32 if folds and is_letter(data[k]) else data[k])
    else:
        memcpy(cython.address(first), data + start, 8)
        memcpy(cython.address(last), data + stop - 8, 8)
        digest = times(times(first, _FACTOR) ^ last, _FACTOR) ^ size
        digest ^= digest >> 32
    return times(digest, _FACTOR) >> 50


def _place_of(name: bytes, folds: bool) -> int:
    return _place(name, 0, len(name), folds)


def _tag_places() -> Any:
    places = zeros("I", len(TAGS))
    for number, name in enumerate(TAGS):
        places[number] = _place_of(name.encode(), True)
    return places


_TAG_PLACES = cython.declare(cython.uint[::1], _tag_places())


def _add_words(view, row, name, sieve):
    """Mark the words of an attribute of a row in a sieve."""
    k = view.attribute(row, name)
    if k < 0:
        return
    values: Bytes = cython.address(view.values[0])
    at = view.value_at[k]
    stop = view.value_at[k + 1]
    while at < stop:
        start = at
        while at < stop and not is_space(values[at]):
            at += 1
        if at > start:
            sieve[_place(values, start, at, False)] = 1
        at += 1


def name_sieve(page: Any, rows: bytearray) -> bytearray:
    """Return a sieve of the elements, classes and ids of some rows, given as a mask."""
    view: PageView = view_of(page)
    wanted: cython.const[cython.uchar][::1] = rows
    found = bytearray(SIEVE_SIZE)
    sieve: cython.uchar[::1] = found
    for row in range(1, view.rows):
        if not wanted[row] or view.tag[row] < tags.FIRST_ELEMENT:
            continue
        if view.tag[row] < tags.KNOWN_TAGS:
            sieve[_TAG_PLACES[view.tag[row]]] = 1
        else:
            sieve[_place_of(page.more_tags[view.tag[row] - tags.KNOWN_TAGS].encode(), True)] = 1
        if view.attribute_at[row] < view.attribute_at[row + 1]:
            _add_words(view, row, tags.ATTR_CLASS, sieve)
            _add_words(view, row, tags.ATTR_ID, sieve)
    return found


def named_rows(page: Any, rows: bytearray, attribute: cython.int, names: dict[bytes, Any]) -> list[tuple[int, Any]]:
    """Return the rows, of those that a mask has, whose attribute has a word that is a name, and what stands for it."""
    view: PageView = view_of(page)
    wanted: cython.const[cython.uchar][::1] = rows
    sieve: cython.uchar[::1] = bytearray(SIEVE_SIZE)
    values: Bytes = cython.address(view.values[0])
    found: list[tuple[int, Any]] = []
    for name in names:
        sieve[_place_of(name, False)] = 1
    for row in range(1, view.rows):
        k = view.attribute(row, attribute) if wanted[row] else -1
        if k < 0:
            continue
        at = view.value_at[k]
        stop = view.value_at[k + 1]
        while at < stop:
            start = at
            while at < stop and not is_space(values[at]):
                at += 1
            if at > start and sieve[_place(values, start, at, False)]:
                meant = names.get(view.value_buffer[start:at])
                if meant is not None:
                    found.append((row, meant))
            at += 1
    return found


def _find(css, at, stop, first, second):
    """Return where a byte stands right before another one, from a place on, or -1. The second one is rare."""
    at = _next(css, at + 1, stop, second)
    while at >= 0 and css[at - 1] != first:
        at = _next(css, at + 1, stop, second)
    return at - 1 if at > 0 else -1


def _add_sheet(found, written, css, stop):
    """Write a style sheet without its comments; return how much has been written."""
    at: cython.Py_ssize_t = 0
    while True:
        begin = _find(css, at, stop, SLASH, _ASTERISK)
        last = stop if begin < 0 else begin
        memcpy(found + written, css + at, last - at)
        written += last - at
        if begin < 0:
            return written
        found[written] = SPACE
        written += 1
        at = _next(css, begin + 2, stop, _ASTERISK)
        while at >= 0 and at + 1 < stop and css[at + 1] != SLASH:
            at = _next(css, at + 1, stop, _ASTERISK)
        at = at + 2 if 0 <= at < stop - 1 else stop


def style_sheet(page: Any, rows: list[int], closed: bytes, most: cython.Py_ssize_t) -> bytes:
    """Return the text of some `style` elements without comments, `closed` after each; at most so many bytes.

    Left out, too, are the marks of comments of HTML, which hid style sheets from old browsers.
    """
    view: PageView = view_of(page)
    size: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    row: cython.int
    for row in rows:
        size += view.text_at[view.end[row]] - view.text_at[row] + len(closed)
    found: bytes = PyBytes_FromStringAndSize(cython.NULL, size)
    room: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(found))
    for row in rows:
        start = view.text_at[row]
        stop = view.text_at[view.end[row]]
        css: Bytes = cython.address(view.text[0]) + start
        length: cython.Py_ssize_t = stop - start
        if _next(css, 0, length, LESS) >= 0 or _find(css, 0, length, HYPHEN, GREATER) >= 0:
            text = view.text_buffer[start:stop].replace(b"<!--", b"").replace(b"-->", b"")
            css = text
            length = len(text)
        written = _add_sheet(room, written, css, length)
        memcpy(room + written, cython.cast(Bytes, closed), len(closed))
        written += len(closed)
    memset(room + written, SPACE, size - written)  # where the comments would be
    return found[:most]


def _has_present(css, at, stop, sieve):
    """Whether one of the selectors of a list is simple, and a page may have all its names."""
    sorts: Bytes = cython.address(_SORTS[0])
    while at < stop:
        while at < stop and sorts[css[at]] == _IS_SPACE:
            at += 1
        first = start = at
        while at < stop and sorts[css[at]] == _IN_NAME:
            at += 1
        present: cython.bint = at == start or sieve[_place(css, start, at, True)]
        while present and at < stop and (css[at] == DOT or css[at] == HASH):
            start = at + 1
            at = start
            while at < stop and sorts[css[at]] == _IN_NAME:
                at += 1
            present = sieve[_place(css, start, at, False)]
        last = at
        while at < stop and sorts[css[at]] == _IS_SPACE:
            at += 1
        if present and last > first and (at == stop or css[at] == _COMMA):
            return True
        at = _next(css, at, stop, _COMMA)
        if at < 0:
            return False
        at += 1
    return False


class _Braces:
    """Where the blocks of a style sheet begin, while it is read."""

    def __init__(self, sheet: bytes) -> None:
        self.css = sheet
        self.size = len(sheet)
        self.at = self.start = self.depth = 0
        self.top = -1

    def next(self):
        """Go to the next block; return whether there is one."""
        begin = _next(self.css, self.at, self.size, LEFT_BRACE)
        if begin < 0:
            return False
        place = _next(self.css, self.at, begin, _RIGHT_BRACE)
        while place >= 0:
            self.start = place + 1
            if self.depth > 0:  # what closes no block counts for nothing
                self.depth -= 1
            place = _next(self.css, self.start, begin, _RIGHT_BRACE)
        place = _next(self.css, self.start, begin, SEMICOLON)
        while place >= 0:
            self.start = place + 1
            place = _next(self.css, self.start, begin, SEMICOLON)
        self.at = begin
        self.depth += 1
        if self.depth == 1:
            self.top = begin
        return True

    def end(self):
        """Return where the block ends, or -1 where others are in it."""
        found = _next(self.css, self.at, self.size, _RIGHT_BRACE)
        return found if _next(self.css, self.at + 1, found, LEFT_BRACE) < 0 else -1

    def enter(self):
        """Go on with the blocks in this one."""
        self.at += 1
        self.start = self.at

    def leave(self):
        """Go on after this block, unless its head is a rule such as `@media`: then with those in it."""
        head: cython.Py_ssize_t = self.start
        while is_space(self.css[head]):
            head += 1
        if self.css[head] == _AT:
            self.enter()
            return
        depth: cython.Py_ssize_t = 0
        while True:
            end = _next(self.css, self.at, self.size, _RIGHT_BRACE)
            if end < 0:
                self.at = self.size
                return
            place = _next(self.css, self.at, end, LEFT_BRACE)
            while place >= 0:
                depth += 1
                place = _next(self.css, place + 1, end, LEFT_BRACE)
            depth -= 1
            self.at = end
            if depth == 0:
                return
            self.at += 1

    def is_outer(self):
        """Whether the block is in no other one, or in one that is in none."""
        return self.depth <= 2

    def around(self):
        """Return where the block begins that is around this one, or -1."""
        return self.top if self.depth > 1 else -1


def hiding_blocks(sheet: bytes, names: bytearray) -> list[tuple[int, int, int, int, bool]]:
    """Return the rules of a style sheet that may hide something.

    Of each: where its selectors, its block and the block around it (-1 for none) begin, where it ends, and whether it
    plainly hides something. Left out are rules deeper in other blocks, with blocks inside, and those whose selectors
    are not simple or have names that are not in a sieve.
    """
    css: Bytes = sheet
    sieve: cython.const[cython.uchar][::1] = names
    found: list[tuple[int, int, int, int, bool]] = []
    braces: _Braces = _Braces(sheet)
    block: _Block = _Block()
    while braces.next():
        if not braces.is_outer() or not _has_present(css, braces.start, braces.at, sieve):
            braces.leave()
            continue
        end = braces.end()
        if end < 0:
            braces.enter()
            continue
        block.read_all(css, braces.at + 1, end)
        if block.is_suspect():
            found.append((braces.start, braces.at, braces.around(), end, block.is_gone(css, braces.at, end)))
        braces.at = end
    return found


def _is_about(sheet: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, names: dict[bytes, set[str]]) -> bool:
    """Whether one of some selectors is the name of an element, or has one of some names in its last part.

    What stands before that is around the elements that the rule is about.
    """
    css: Bytes = sheet
    sorts: Bytes = cython.address(_SORTS[0])
    while start < stop:
        end = _next(css, start, stop, _COMMA)
        after = stop + 1 if end < 0 else end + 1
        end = stop if end < 0 else end
        while end > start and sorts[css[end - 1]] == _IS_SPACE:
            end -= 1
        while start < end and sorts[css[start]] == _IS_SPACE:
            start += 1
        first = last = end
        while first > start and sorts[css[first - 1]] != _IS_SPACE and css[first - 1] not in b">+~":
            first -= 1
            if sorts[css[first]] != _IN_NAME:
                if sheet[first + 1 : last] in names:
                    return True
                last = first
        if sheet[first:last] in names or (last == end and first == start < end):
            return True
        start = after
    return False


def naming_blocks(sheet: bytes, names: dict[bytes, set[str]], most: int) -> list[tuple[int, int, int, set[str]]]:
    """Return the rules about some names, of the first rules, at most so many, whose selectors have one of them.

    Of each: where its selectors, its block and the block around it (-1 for none) begin, and what stands for its names.
    Rules deeper in other blocks are left out.
    """
    css: Bytes = sheet
    sorts: Bytes = cython.address(_SORTS[0])
    sieve: cython.uchar[::1] = bytearray(SIEVE_SIZE)
    lengths: cython.ulonglong[::1] = zeros("Q", 256)  # of the names, as bits by their first byte
    found: list[tuple[int, int, int, set[str]]] = []
    braces: _Braces = _Braces(sheet)
    for word in names:
        sieve[_place_of(word, False)] = 1
        lengths[word[0]] |= cython.cast(cython.ulonglong, 1) << min(len(word), 63)
    while most > 0 and braces.next():
        meant: set[str] = set()
        at: cython.Py_ssize_t = braces.start if braces.is_outer() else braces.at
        while at < braces.at:
            start: cython.Py_ssize_t = at
            while sorts[css[at]] == _IN_NAME:
                at += 1
            if at > start and lengths[css[start]] >> min(at - start, 63) & 1 and sieve[_place(css, start, at, False)]:
                meant.update(names.get(sheet[start:at], ()))
            at += 1
        if meant:
            most -= 1
            if _is_about(sheet, braces.start, braces.at, names):
                found.append((braces.start, braces.at, braces.around(), meant))
        braces.leave()
    return found
