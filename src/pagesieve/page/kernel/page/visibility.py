# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What the elements and the style sheets of a page say of whether its rows are seen.

Plain cases are settled here. Of others, a quick look says where `pagesieve.page.styles` has to look closer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.cimports.libc.string import memchr, memcpy, memset
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import fnv, fnv_seed, is_digit, is_letter, is_space, times, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.html.tokenizer import int_room
from cython.cimports.pagesieve.page.kernel.page.view import PageView, view_of

from pagesieve.page.kernel.tags import ATTRIBUTES, TAGS


def _sorts_of_bytes() -> bytes:
    name = [is_letter(byte) or is_digit(byte) or byte in b"-_" or byte >= 0x80 for byte in range(256)]
    return bytes(is_space(byte) + 2 * name[byte] for byte in range(256))


_SORTS = cython.declare(cython.const[cython.uchar][::1], _sorts_of_bytes())


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next(css: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t, byte: cython.int) -> cython.Py_ssize_t:
    """Return where a byte stands in a span, or -1."""
    found = cython.cast(Bytes, memchr(css + at, byte, stop - at)) if at < stop else cython.NULL
    return -1 if found == cython.NULL else found - css


# Colours

COLOURS = (
    "white ffffff,black 000000,red ff0000,green 008000,blue 0000ff,yellow ffff00,gray 808080,grey 808080,"
    "silver c0c0c0,navy 000080,maroon 800000,purple 800080,teal 008080,olive 808000,lime 00ff00,aqua 00ffff,"
    "fuchsia ff00ff,orange ffa500,whitesmoke f5f5f5,snow fffafa,ivory fffff0,ghostwhite f8f8ff,"
    "floralwhite fffaf0,lightgray d3d3d3,lightgrey d3d3d3,darkgray a9a9a9,darkgrey a9a9a9,beige f5f5dc"
)
# The tone of a colour: the first hexadecimal digit of each of its parts. Colours that look the same have tones whose
# digits are at most 1 apart. `_NO_TONE` and `_ANY_TONE` stand for none, and for one that only a closer look tells.


def _named_tones() -> bytes:
    """Return the names of colours, each after its length and the two bytes of its tone; and a 0 after them."""
    found = b""
    for pair in COLOURS.split(","):
        name, code = pair.split()
        found += bytes((len(name), int(code[0], 16), int(code[2] + code[4], 16))) + name.encode()
    return found + b"\0"


_TONES = cython.declare(cython.const[cython.uchar][::1], _named_tones())
_RGB = cython.declare(cython.const[cython.uchar][::1], b"rgb")


# Colours
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _digit(c: cython.int) -> cython.int:
    """Return the value of a hexadecimal digit, or -1."""
    if is_digit(c):
        return c - DIGIT_0
    return (c | 32) - LOWER_A + 10 if LOWER_A <= (c | 32) <= LOWER_A + 5 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _digits_tone(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return the tone of a colour in hexadecimal digits."""
    size = stop - start
    step = 1 if size == 3 or size == 4 else 2 if size == 6 or size == 8 else 0
    if step == 0:
        return _ANY_TONE
    for at in range(start, stop):
        if _digit(css[at]) < 0:
            return _ANY_TONE
    return _digit(css[start]) << 8 | _digit(css[start + step]) << 4 | _digit(css[start + 2 * step])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _parts_tone(css: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return the tone of a colour whose parts are whole numbers in parentheses."""
    found: cython.int = 0
    for _ in range(3):
        while at < stop and (is_space(css[at]) or css[at] == _COMMA):
            at += 1
        value: cython.int = 0
        if at >= stop or not is_digit(css[at]):
            return _ANY_TONE
        while at < stop and is_digit(css[at]):
            value = min(10 * value + css[at] - DIGIT_0, 255)
            at += 1
        if at >= stop or not (is_space(css[at]) or css[at] == _COMMA or css[at] == _RIGHT_PARENTHESIS):
            return _ANY_TONE
        found = found << 4 | value >> 4
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tone(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return the tone of a colour, as it is stated."""
    while stop > start and is_space(css[stop - 1]):
        stop -= 1
    if start < stop and css[start] == HASH:
        return _digits_tone(css, start + 1, stop)
    at = start
    while at < stop and is_letter(css[at]):
        at += 1
    size = at - start
    if at == stop:
        k: cython.Py_ssize_t = 0
        while _TONES[k]:
            if _TONES[k] == size and _is_at(css, start, stop, cython.address(_TONES[k + 3]), size):
                return _TONES[k + 1] << 8 | _TONES[k + 2]
            k += 3 + _TONES[k]
        return _NO_TONE
    if 3 <= size <= 4 and css[at] == _LEFT_PARENTHESIS and _is_at(css, start, stop, cython.address(_RGB[0]), 3):
        return _parts_tone(css, at + 1, stop)
    return _ANY_TONE


# Declarations


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
            18: "text-shadow background-clip -webkit-background-clip",
        }
    ),
)
# The values that say something, as bits; any other one is _OTHER.
_NONE = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "none"}))
_HIDDEN = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "hidden"}))
_SEEN = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "hidden collapse", 2: "visible"}))
_CALLS = cython.declare(cython.const[cython.uchar][::1], _spelled({1: "scale matrix"}))
_VARIABLE = cython.declare(cython.const[cython.uchar][::1], b"var(")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_at(
    css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, word: Bytes, size: cython.Py_ssize_t
) -> cython.bint:
    """Whether a span begins with a word, in whatever case."""
    k = 0
    while k < size and start + k < stop and (css[start + k] | 32) == word[k]:
        k += 1
    return k == size


# Declarations
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _way(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_scale(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a transformation has a call that may scale."""
    for at in range(start, stop):
        k = 0
        while _CALLS[k]:
            if _is_at(css, at, stop, cython.address(_CALLS[k + 2]), _CALLS[k]):
                return True
            k += 2 + _CALLS[k]
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _stated(
    css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, words: cython.const[cython.uchar][::1]
) -> cython.int:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_power(css: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a power of ten stands at a place after a number."""
    if at + 1 >= stop or (css[at] | 32) != _E:
        return False
    return is_digit(css[at + 1]) or css[at + 1] == HYPHEN or css[at + 1] == PLUS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_digits(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a span has three digits in a row, or a power of ten."""
    digits = 0
    for at in range(start, stop):
        if digits > 0 and _is_power(css, at, stop):
            return True
        digits = digits + 1 if is_digit(css[at]) else 0
        if digits == 3:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hundredths(css: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_clear(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_little(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, way: cython.int) -> cython.bint:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_hide(css: Bytes, way: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_variable(css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a value is a variable, of which nothing is known."""
    if not _is_at(css, start, stop, cython.address(_VARIABLE[0]), len(_VARIABLE)):
        return False
    end = _next(css, start, stop, _RIGHT_PARENTHESIS)
    while end >= 0 and end + 1 < stop and (css[end + 1] == _RIGHT_PARENTHESIS or css[end + 1] == _COMMA):
        end = _next(css, end + 1, stop, _RIGHT_PARENTHESIS)
    while 0 < end < stop - 1 and is_space(css[end + 1]):
        end += 1
    return end == stop - 1


@cython.final
@cython.cclass
class _Block:
    """What has been seen of the declarations that are being read."""

    hides: cython.bint  # in other ways than by the next ones
    cuts: cython.bint  # which hide together
    is_flat: cython.bint
    is_placed: cython.bint  # these too
    is_far: cython.bint
    display: cython.int  # which values are stated, as bits
    content: cython.int
    visibility: cython.int
    says: cython.int  # the bits of what is inherited
    colour: cython.int  # the tones
    behind: cython.int
    is_shadowed: cython.bint  # so that letters are seen whatever their colour
    # Of all blocks that were read: the tones of texts and of what is behind them, as bits; and whether there is one
    # that only a closer look tells.
    texts: cython.uchar[512]
    behinds: cython.uchar[512]
    has_any_tone: cython.bint

    def __init__(self) -> None:
        self.start()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start(self) -> cython.void:
        """Begin a block."""
        self.hides = self.cuts = self.is_flat = self.is_placed = self.is_far = False
        self.display = self.content = self.visibility = self.says = 0
        self.colour = self.behind = _NO_TONE
        self.is_shadowed = False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self, css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
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
        if value < end:
            self.note(css, way, value, end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def note(self, css: Bytes, way: cython.int, value: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
        """Note what a property with a value, which is not empty, says of whether something is seen."""
        if way == _DISPLAY:
            self.display |= _stated(css, value, end, _NONE)
        elif way == _CONTENT:
            self.content |= _stated(css, value, end, _HIDDEN)
        elif way == _VISIBILITY:
            self.visibility |= _stated(css, value, end, _SEEN)
        elif way == _BEHIND:
            self.says |= STYLE_BEHIND
            if not _is_variable(css, value, end):
                self.behind = _tone(css, value, end)
                self.add_tone(self.behind, False)
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
                self.colour = _tone(css, value, end)
                self.add_tone(self.colour, True)
        elif way == _FONT:
            self.says |= STYLE_SIZE
        elif way == _SHADOW:
            self.is_shadowed = True
            self.add_tone(0, True)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_tone(self, tone: cython.int, is_text: cython.bint) -> cython.void:
        """Note the tone of a text, or of what is behind one."""
        if tone == _ANY_TONE:
            self.has_any_tone = True
        elif tone >= 0 and is_text:
            self.texts[tone >> 3] |= 1 << (tone & 7)
        elif tone >= 0:
            self.behinds[tone >> 3] |= 1 << (tone & 7)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_attribute(
        self, values: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, is_text: cython.bint
    ) -> cython.void:
        """Note the colour that an attribute of HTML states, which may be digits without the sign for them."""
        while start < stop and is_space(values[start]):
            start += 1
        while stop > start and is_space(values[stop - 1]):
            stop -= 1
        tone: cython.int = _ANY_TONE
        if stop - start == 3 or stop - start == 6:
            tone = _digits_tone(values, start, stop)
        if tone < 0:
            tone = _tone(values, start, stop)
        if tone == _NO_TONE and start < stop and (values[start] | 32) == _T:  # it may be transparent
            tone = _ANY_TONE
        self.add_tone(tone, is_text)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_match(self) -> cython.bint:
        """Whether a text that was noted may be of a colour that is behind one."""
        if self.has_any_tone:
            return True
        tone: cython.int = 0
        while tone < 4096:
            if self.behinds[tone >> 3] == 0:  # as nearly all are
                tone += 8
                continue
            if self.behinds[tone >> 3] >> (tone & 7) & 1 and self.has_text_like(tone):
                return True
            tone += 1
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_text_like(self, tone: cython.int) -> cython.bint:
        """Whether the tone of a text is at most 1 apart from a tone in each part."""
        red: cython.int = tone >> 8
        green: cython.int = tone >> 4 & 15
        blue: cython.int = tone & 15
        for one in range(max(red - 1, 0), min(red + 2, 16)):
            for two in range(max(green - 1, 0), min(green + 2, 16)):
                for three in range(max(blue - 1, 0), min(blue + 2, 16)):
                    if self.texts[one << 5 | two << 1 | three >> 3] >> (three & 7) & 1:
                        return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_all(self, css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Read the declarations of a rule."""
        self.start()
        end = _next(css, start, stop, SEMICOLON)
        while end >= 0:
            self.read(css, start, end)
            start = end + 1
            end = _next(css, start, stop, SEMICOLON)
        self.read(css, start, stop)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hides_otherwise(self) -> cython.bint:
        """Whether the block may hide something but by `display` and `visibility`: or since its colours are the same."""
        if self.hides or (self.cuts and self.is_flat) or (self.is_placed and self.is_far):
            return True
        if self.colour == _NO_TONE or self.behind == _NO_TONE:
            return False
        return (
            self.is_shadowed
            or self.colour == _ANY_TONE
            or self.behind == _ANY_TONE
            or (
                abs((self.colour >> 8) - (self.behind >> 8)) <= 1
                and abs((self.colour >> 4 & 15) - (self.behind >> 4 & 15)) <= 1
                and abs((self.colour & 15) - (self.behind & 15)) <= 1
            )
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_suspect(self) -> cython.bint:
        """Whether the block may hide something."""
        return (self.display | self.content | self.visibility) & 1 or self.hides_otherwise()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_gone(self, css: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether the rule that was read plainly says that something is not displayed."""
        if self.display != 1:
            return False
        for at in range(start, stop):
            c = css[at]
            if c == _BACKSLASH or c == QUOTATION_MARK or c == APOSTROPHE or c == _LEFT_PARENTHESIS:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bits(self, values: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
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
        if odd or parted:
            self.has_any_tone = True
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


# Rows
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _chars(text: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
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
    return count - _wide_spaces(text, start, stop) if spaces else count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _wide_spaces(text: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Count the no-break and ideographic spaces of a span of UTF-8; in stretches, as above."""
    count: cython.int = 0
    i: cython.Py_ssize_t = start
    while i + 1 < stop:
        last: cython.Py_ssize_t = min(i + _STRETCH, stop - 1)
        few: cython.uchar = 0
        while i < last:
            few += (text[i] == 0xC2) & (text[i + 1] == 0xA0)
            i += 1
        count += few
    i = start
    while i + 2 < stop:
        last = min(i + _STRETCH, stop - 2)
        few = 0
        while i < last:
            few += (text[i] == 0xE3) & (text[i + 1] == 0x80) & (text[i + 2] == 0x80)
            i += 1
        count += few
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_read_out(values: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether one of the classes in a span is known for what is read out and not shown."""
    sorts: Bytes = cython.address(_SORTS[0])
    while at < stop:
        start = at
        while at < stop and sorts[values[at]] != _IS_SPACE:
            at += 1
        size = at - start
        if 0 < size <= MAX_WORD_LENGTH and _LENGTHS[values[start]] >> size & 1:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_be_value(text: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a span has a digit, and a letter, a slash, a dollar sign or a byte that is not ASCII."""
    has_digit: cython.bint = False
    has_unit: cython.bint = False
    while at < stop:
        c = text[at]
        has_digit = has_digit or is_digit(c)
        has_unit = has_unit or is_letter(c) or c >= 0x80 or c == _DOLLAR or c == SLASH
        at += 1
    return has_digit and has_unit


@cython.final
@cython.cclass
class Marks:
    """What the elements of a page say of whether its rows are seen, found in one pass."""

    view: PageView
    look: object
    by_element = cython.declare(tuple, visibility="readonly")  # type: tuple[Any, Any, Any]
    soft = cython.declare(object, visibility="readonly")  # type: bytearray | None
    rows = cython.declare(tuple, visibility="readonly")  # type: tuple[list[int], list[int], list[int], list[int], list[int], list[int], list[int]]
    styles = cython.declare(list, visibility="readonly")  # type: list[tuple[int, int, int]]
    hard = cython.declare(list, visibility="readonly")  # type: list[tuple[int, int, int]]
    said = cython.declare(cython.int, visibility="readonly")  # type: int
    states_colours = cython.declare(cython.bint, visibility="readonly")  # type: bool
    states_paint = cython.declare(cython.bint, visibility="readonly")  # type: bool
    paints = cython.declare(cython.bint, visibility="readonly")  # type: bool
    states_colour: cython.bint
    states_behind: cython.bint
    visibility: cython.uchar[::1]
    linked: cython.uchar[::1]
    state: cython.uchar[::1]
    chars: cython.int[::1]
    sums: cython.int[::1]
    # What was found while rows were read: rows with their sorts, and inline styles as `styles` has them.
    found: cython.int[::1]
    count: cython.Py_ssize_t
    read_styles: cython.int[::1]
    style_count: cython.Py_ssize_t
    most_styles: cython.Py_ssize_t
    boilerplate: cython.int  # the number of the attribute of style sheets that scripts of AMP undo
    hides_softly: cython.bint

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
        # Each attribute is one at most, and so is each row by its element.
        self.found = int_room(2 * (rows + self.view.attributes))
        self.read_styles = int_room(3 * self.view.attributes)
        self.count = self.style_count = 0
        self.most_styles = most_styles
        number = page.attribute_number("amp-boilerplate")
        self.boilerplate = -1 if number is None else number
        view: PageView = self.view
        block: _Block = _Block()
        with cython.nogil:
            self.read(view, block)
        self.collect()
        self.soft = self._soft() if self.hides_softly else None
        if (self.states_colour or self.said & STYLE_COLOUR) and (self.states_behind or self.said & STYLE_BEHIND):
            self.states_paint = True
            self.paints = block.may_match()
        self.states_colours = self.states_colour and self.states_behind

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read(self, view: PageView, block: _Block) -> cython.int:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_element(self, view: PageView, row: cython.int, block: _Block) -> cython.int:
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
                block.add_attribute(values, value_at[k], value_at[k + 1], True)
            elif name[k] == tags.ATTR_BGCOLOR:
                self.states_behind = True
                block.add_attribute(values, value_at[k], value_at[k + 1], False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_plain_sheet(self, view: PageView, row: cython.int) -> cython.bint:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_style(self, view: PageView, row: cython.int, k: cython.int, block: _Block) -> cython.int:
        """Read an inline style; return its bits."""
        if self.most_styles == 0:
            return 0
        self.most_styles -= 1
        bits = block.bits(cython.address(view.values[0]), view.value_at[k], view.value_at[k + 1])
        if bits:
            if bits & STYLE_ODD:
                with cython.gil:
                    bits = self.looked_at(k, bits)
            at = 3 * self.style_count
            self.read_styles[at] = row
            self.read_styles[at + 1] = k
            self.read_styles[at + 2] = bits
            self.style_count += 1
            self.said |= bits
        return bits

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def looked_at(self, k: cython.int, bits: cython.int) -> cython.int:
        """Return the bits of an inline style with those that only a closer look tells."""
        said = self.look(self.view.value_of(k))
        if said.way == NOT_DISPLAYED:
            bits |= STYLE_GONE
        if said.visible is not None:
            bits |= STYLE_VISIBLE if said.visible else STYLE_INVISIBLE
        return bits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, sort: cython.int, row: cython.int) -> cython.void:
        """Collect a row."""
        self.found[2 * self.count] = row
        self.found[2 * self.count + 1] = sort
        self.count += 1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def collect(self) -> cython.int:
        """Make lists of the rows and inline styles that were found."""
        self.styles = []
        self.hard = []
        k: cython.Py_ssize_t
        for k in range(self.count):
            if self.found[2 * k + 1] != _WITH_ARIA or self.below(self.found[2 * k]):
                cython.cast(list, self.rows[self.found[2 * k + 1]]).append(self.found[2 * k])
        for k in range(self.style_count):
            bits = self.read_styles[3 * k + 2]
            found = (self.read_styles[3 * k], self.read_styles[3 * k + 1], bits)
            self.styles.append(found)
            if bits & ~(STYLE_GONE | STYLE_VISIBLE | STYLE_INVISIBLE):
                self.hard.append(found)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def below(self, row: cython.int) -> cython.int:
        """Return how many characters are in an element."""
        return self.sums[self.view.end[row]] - self.sums[row]

    def size(self, row: cython.int) -> int:
        """Return how many characters are in an element."""
        return self.below(row)

    def may_hide(self) -> bool:
        """Whether elements, attributes or inline styles may hide something in ways that are not soft."""
        _, with_aria, read_out, dialogs, descriptions, _, _ = self.rows
        return bool(
            with_aria or read_out or dialogs or descriptions or self.hard or (self.states_colours and self.paints)
        )

    def decorations(self, icon: cython.int) -> tuple[list[int], list[int], list[int], list[int]]:
        """Return the rows with `aria-hidden`, but those beside what is read out in their place.

        First those of at most so many characters that begin in ASCII, then the other short ones, then the short ones
        that may be a value, then those with more.
        """
        icons: list[int] = []
        odd: list[int] = []
        numbers: list[int] = []
        longer: list[int] = []
        read_out: list = self.rows[2]
        for row in cython.cast(list, self.rows[1]):
            above: cython.int = self.view.parent[row]
            if read_out and self.view.tag[above] != tags.TAG_BODY:
                place = bisect_left(read_out, above)
                if place < len(read_out) and cython.cast(cython.int, read_out[place]) < self.view.end[above]:
                    continue
            if self.below(row) > icon:
                longer.append(row)
                continue
            at: cython.int = self.view.text_at[row]
            stop: cython.int = self.view.text_at[self.view.end[row]]
            while self.view.text[at] <= SPACE:  # there are characters
                at += 1
            if _may_be_value(cython.address(self.view.text[0]), at, stop):
                numbers.append(row)
            elif self.view.text[at] < 0x80:
                icons.append(row)
            else:
                odd.append(row)
        return icons, odd, numbers, longer

    def _soft(self) -> bytearray:
        """Return the column of the soft ways."""
        found = bytearray(self.view.rows)
        ways: cython.uchar[::1] = found
        row: cython.int
        for row in range(self.view.rows):
            ways[row] = self.state[row] & _WAY
            if ways[row] == SHOWN and self.state[row]:
                ways[row] = NOT_VISIBLE
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
        row: cython.int
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

    def asked(self, rows: Any) -> tuple[bytearray, bool, list[tuple[int, int, int]]]:
        """Tell what may hide something of some rows, given as a mask, in other ways than the soft ones.

        It is a mask of the rows that hold one of them, or are one; whether one of these elements may hide what it holds
        by itself or by a colour; and those of their inline styles that are not soft.
        """
        wanted: cython.const[cython.uchar][::1] = rows
        found = bytearray(self.view.rows)
        holds: cython.uchar[::1] = found
        view: PageView = self.view
        row: cython.int
        self.hold(view, cython.address(wanted[0]), cython.address(holds[0]))
        suspect: cython.bint = self.states_colours and self.has_colour(holds)
        for sort in range(_WITH_ARIA, _IS_SHEET):
            for row in cython.cast(list, self.rows[sort]):
                suspect = suspect or holds[row]
        styles = [each for each in self.hard if holds[cython.cast(cython.int, each[0])]] if self.hard else self.hard
        return found, suspect, styles

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold(self, view: PageView, wanted: cython.p_const_uchar, holds: cython.p_uchar) -> cython.void:
        """Mark the rows that hold one of some, or are one: the last row of a subtree comes first."""
        parent: cython.pointer(cython.const[cython.int]) = cython.address(view.parent[0])
        row: cython.int = view.rows - 1
        while row > 0:
            if wanted[row]:
                holds[row] = 1
            if holds[row]:
                holds[parent[row]] = 1
            row -= 1
        if wanted[0]:
            holds[0] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_colour(self, holds: cython.const[cython.uchar][::1]) -> cython.bint:
        """Whether an attribute of a row in a mask states the colour of its text."""
        for row in range(self.view.rows):
            k = self.view.attribute(row, tags.ATTR_COLOR) if holds[row] else -1
            if k >= 0:
                place: cython.int = self.view.value_at[k]
                if _tone(cython.address(self.view.values[0]), place, self.view.value_at[k + 1]) != _NO_TONE:
                    return True
        return False

    def with_text(self) -> bytearray:
        """Mark the rows that hold text."""
        found = bytearray(self.view.rows)
        holds: cython.uchar[::1] = found
        for row in range(self.view.rows):
            holds[row] = self.below(row) > 0
        return found


@cython.final
@cython.cclass
class Ways:
    """Why rows are hidden, as a column of numbers or None, while that is found out; those of soft ways are there first.

    Those replace no other, and others only them.
    """

    marks: Marks
    most: cython.double
    column = cython.declare(object, visibility="readonly")  # type: bytearray | None
    hides = cython.declare(cython.bint, visibility="readonly")  # type: bool

    def __init__(self, marks: Marks, most: float) -> None:
        """Hide nothing in one way that has a share `most` of the page's text, or more."""
        self.marks = marks
        self.most = most
        self.column = None if marks.soft is None else bytearray(marks.soft)
        self.hides = False

    @cython.cfunc
    def made(self) -> cython.uchar[::1]:
        """Return the column to hide something, made if it is not there."""
        if self.column is None:
            self.column = bytearray(self.marks.view.rows)
        self.hides = True
        return self.column

    @cython.cfunc
    def is_most(self, chars: cython.longlong) -> cython.bint:
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


# What the classes and ids of what a click shows contain, in lower case; besides them, `wow` that ends a word, and what
# begins with `tab`.
_PANEL_NAMES = (
    "accordion collaps toggle faq expand spoiler carousel slide swiper slick splide flickity aos reveal lazy fade "
    "animat elementor-invisible panel readmore read-more dropdown wow tab"
)
_PANELS = cython.declare(
    cython.const[cython.uchar][::1],
    _spelled({1: _PANEL_NAMES.removesuffix(" wow tab"), 2: "wow", 3: "tab"}),
)
_TAB_BED = cython.declare(cython.const[cython.uchar][::1], b"bed")


def _panel_beginnings() -> bytes:
    pairs = {(ord(name[0]) & 31) << 5 | ord(name[1]) & 31 for name in _PANEL_NAMES.split()}
    return bytes(pair in pairs for pair in range(1024))


_PANEL_BEGINNINGS = cython.declare(cython.const[cython.uchar][::1], _panel_beginnings())
_MAX_LABEL_LENGTH = cython.declare(cython.Py_ssize_t, 500)  # bytes of classes that are looked at


# What a click shows
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _parts_words(css: Bytes, start: cython.Py_ssize_t, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a byte of a span parts words, or is not in it."""
    return at < start or at >= stop or css[at] == HYPHEN or css[at] == UNDERSCORE or is_space(css[at])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _calls_panel(values: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether classes or an id are called as what a click or a script shows."""
    stop = min(stop, start + _MAX_LABEL_LENGTH)
    for at in range(start, stop - 2):
        if not _PANEL_BEGINNINGS[(values[at] & 31) << 5 | values[at + 1] & 31]:
            continue
        k: cython.Py_ssize_t = 0
        while _PANELS[k]:
            size: cython.Py_ssize_t = _PANELS[k]
            if _is_at(values, at, stop, cython.address(_PANELS[k + 2]), size):
                after: cython.Py_ssize_t = at + size
                if _PANELS[k + 1] == _WOW:
                    if after == stop or values[after] == HYPHEN or not _SORTS[values[after]] & _IN_NAME:
                        return True
                elif _PANELS[k + 1] != _TAB:
                    return True
                elif _parts_words(values, start, at - 1, stop) and (
                    _parts_words(values, start, after, stop)
                    or (values[after] | 32) == _S
                    or _is_at(values, after, stop, cython.address(_TAB_BED[0]), len(_TAB_BED))
                ):
                    return True
            k += 2 + size
    return False


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_panel(view: PageView, row: cython.int, most: cython.int) -> cython.bint:
    """Whether an element is one that a click shows: called so, or after a control of at most so many rows."""
    k: cython.int = view.attribute(row, tags.ATTR_ARIA_LABELLEDBY)
    if k >= 0 and view.value_at[k] < view.value_at[k + 1]:
        return True
    k = view.attribute(row, tags.ATTR_ROLE)
    if k >= 0 and view.value_of(k) == "tabpanel":
        return True
    before = _sibling_before(view, row)
    if row - before <= most:
        for k in range(view.attribute_at[before], view.attribute_at[row]):
            if view.attribute_name[k] == tags.ATTR_ARIA_EXPANDED or view.attribute_name[k] == tags.ATTR_ARIA_CONTROLS:
                return True
    for _ in range(3):  # the element and the two around it
        if row <= 0 or view.tag[row] == tags.TAG_HTML or view.tag[row] == tags.TAG_BODY:
            break
        for name in (tags.ATTR_CLASS, tags.ATTR_ID):
            k = view.attribute(row, name)
            if k >= 0 and _calls_panel(cython.address(view.values[0]), view.value_at[k], view.value_at[k + 1]):
                return True
        row = view.parent[row]
    return False


def without_panels(page: Any, rows: list[int], most: cython.Py_ssize_t, most_control: cython.int) -> list[int]:
    """Return the elements, of some, that no click and no script shows, as far as the first ones, at most `most`, tell.

    Such a panel is called so, stands after a control for it of at most so many rows, or an attribute refers to it: its
    value is the id of the panel, or a link to that.
    """
    view: PageView = view_of(page)
    panels: set[int] = set()
    named: list[tuple[int, bytes]] = []
    row: cython.int
    for row in rows[:most]:
        if _is_panel(view, row, most_control):
            panels.add(row)
            continue
        k: cython.int = view.attribute(row, tags.ATTR_ID)
        name: bytes = view.value_of(k).strip().encode() if k >= 0 else b""
        if name:
            named.append((row, name))
    if named:
        in_use: set[bytes] = _names_with_reference(page, {name for _, name in named})
        panels.update([row for row, name in named if name in in_use])
    return [row for row in rows if row not in panels] if panels else rows


@cython.cfunc
def _names_with_reference(page: Any, names: set) -> set:
    """Return those of some ids that an attribute refers to."""
    view: PageView = view_of(page)
    values: Bytes = cython.address(view.values[0])
    sieve: cython.uchar[::1] = bytearray(SIEVE_SIZE)
    lengths: cython.ulonglong = 0  # of the names, as bits
    found: set[bytes] = set()
    refers: cython.const[cython.uchar][::1] = _REFERS + bytes(map(_refers, page.more_attributes))
    name: bytes
    for name in names:
        sieve[_place_of(name, False)] = 1
        lengths |= cython.cast(cython.ulonglong, 1) << min(len(name), 63)
    for k in range(view.attributes):
        start: cython.Py_ssize_t = view.value_at[k]
        stop: cython.Py_ssize_t = view.value_at[k + 1]
        is_link: cython.bint = start < stop and values[start] == HASH
        for begin in range(start + (not refers[view.attribute_name[k]]), start + 1 + is_link):
            if lengths >> min(stop - begin, 63) & 1 and sieve[_place(values, begin, stop, False)]:
                word = view.value_buffer[begin:stop]
                if word in names:
                    found.add(word)
    return found


def _refers(name: str) -> bool:
    """Whether an attribute is one that names other elements."""
    return name.startswith(("aria-", "data-")) or name == "for"


_REFERS = bytes(map(_refers, ATTRIBUTES))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sibling_before(view: PageView, row: cython.int) -> cython.int:
    """Return the element before a row in the same one; the row itself where there is none."""
    above = view.parent[row]
    before = row - 1
    while before > above:
        while view.parent[before] != above:
            before = view.parent[before]
        if view.tag[before] != tags.TEXT and view.tag[before] != tags.COMMENT:
            return before
        before -= 1
    return row


def shown_rows(rows: Any, starts: Any, ways: Any) -> tuple[Any, int, Any]:
    """Return the rows of blocks without those that are hidden, how many there are, and where in them blocks begin.

    Blocks are given by their rows and where in these each begins. What soft ways hide stays, and a block that is hidden
    whole keeps its rows.
    """
    given: cython.const[cython.Py_ssize_t][::1] = rows
    begins: cython.const[cython.Py_ssize_t][::1] = starts
    hidden: cython.const[cython.uchar][::1] = ways
    found = zeros("q", len(given))
    found_starts = zeros("q", len(begins))
    kept: cython.longlong[::1] = found
    kept_starts: cython.longlong[::1] = found_starts
    count: cython.Py_ssize_t = 0
    for block in range(begins.shape[0]):
        start = begins[block]
        stop = begins[block + 1] if block + 1 < begins.shape[0] else given.shape[0]
        kept_starts[block] = count
        for k in range(start, stop):
            if hidden[given[k]] <= LAST_SOFT:
                kept[count] = given[k]
                count += 1
        if count == kept_starts[block]:
            for k in range(start, stop):
                kept[count] = given[k]
                count += 1
    return found, count, found_starts


# Style sheets

_FACTOR = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
_RULES_AT_ONCE = 256


# Style sheets
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(data: Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, folds: cython.bint) -> cython.uint:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _beginning(data: Bytes, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the place in a sieve of how a name begins."""
    return SIEVE_SIZE + ((data[start] & 63) << 6 | data[start + 1] & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_words(values: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t, sieve: cython.uchar[::1]) -> cython.void:
    """Mark the words of a span in a sieve."""
    while at < stop:
        start = at
        while at < stop and not is_space(values[at]):
            at += 1
        if at > start:
            sieve[_place(values, start, at, False)] = 1
            if at > start + 1:
                sieve[_beginning(values, start)] = 1
            else:  # whatever follows
                memset(cython.address(sieve[SIEVE_SIZE + ((values[start] & 63) << 6)]), 1, 64)
        at += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_names(view: PageView, wanted: cython.const[cython.uchar][::1], sieve: cython.uchar[::1]) -> cython.void:
    """Mark the elements, classes and ids of some rows, given as a mask, in a sieve; after it, how these begin."""
    for row in range(1, view.rows):
        if not wanted[row] or view.tag[row] < tags.FIRST_ELEMENT:
            continue
        if view.tag[row] < tags.KNOWN_TAGS:
            sieve[_TAG_PLACES[view.tag[row]]] = 1
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            if view.attribute_name[k] == tags.ATTR_CLASS or view.attribute_name[k] == tags.ATTR_ID:
                _add_words(cython.address(view.values[0]), view.value_at[k], view.value_at[k + 1], sieve)


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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_sheet(
    found: cython.p_uchar, written: cython.Py_ssize_t, css: Bytes, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Write a style sheet without its comments and the marks of those of HTML; return how much has been written."""
    at: cython.Py_ssize_t = 0
    while at < stop:
        begin = next_mark(css, at, stop)
        while begin >= 0 and css[begin] != SLASH:
            size: cython.Py_ssize_t = 0  # of a mark of HTML
            if css[begin] == LESS:
                size = 4 if begin + 3 < stop and css[begin + 2] == HYPHEN and css[begin + 3] == HYPHEN else 0
            elif begin > at and css[begin - 1] == HYPHEN:
                begin -= 1
                size = 3
            if size > 0:
                memcpy(found + written, css + at, begin - at)
                written += begin - at
                at = begin + size
            begin = next_mark(css, max(at, begin + 1), stop)
        last = stop if begin < 0 else begin
        memcpy(found + written, css + at, last - at)
        written += last - at
        if begin < 0:
            break
        found[written] = SPACE
        written += 1
        at = _next(css, begin + 2, stop, _ASTERISK)
        while at >= 0 and at + 1 < stop and css[at + 1] != SLASH:
            at = _next(css, at + 1, stop, _ASTERISK)
        at = at + 2 if 0 <= at < stop - 1 else stop
    return written


def style_sheet(page: Any, rows: list[int], closed: bytes, most: cython.Py_ssize_t) -> bytes:
    """Return the text of some `style` elements without comments, `closed` after each; at most so many bytes.

    Left out, too, are the marks of comments of HTML, which hid style sheets from old browsers.
    """
    view: PageView = view_of(page)
    wanted: cython.int[::1] = zeros("i", len(rows))
    end: Bytes = closed
    end_size: cython.Py_ssize_t = len(closed)
    size: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = len(rows)
    k: cython.Py_ssize_t
    for k in range(count):
        wanted[k] = rows[k]
        size += view.text_at[view.end[wanted[k]]] - view.text_at[wanted[k]] + end_size
    found: bytes = PyBytes_FromStringAndSize(cython.NULL, size)
    room: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(found))
    with cython.nogil:
        for k in range(count):
            if written >= most:
                break
            start = view.text_at[wanted[k]]
            stop = view.text_at[view.end[wanted[k]]]
            written = _add_sheet(room, written, cython.address(view.text[0]) + start, stop - start)
            memcpy(room + written, end, end_size)
            written += end_size
        memset(room + written, SPACE, max(min(size, most) - written, 0))  # where the comments would be
    return found[:most]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_present(
    css: Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t, sieve: cython.const[cython.uchar][::1]
) -> cython.bint:
    """Whether one of the selectors of a list is simple, and a page may have all its names."""
    sorts: Bytes = cython.address(_SORTS[0])
    while at < stop:
        while at < stop and sorts[css[at]] == _IS_SPACE:
            at += 1
        first = start = at
        present: cython.bint = True
        if at < stop and (css[at] == DOT or css[at] == HASH):
            present = sieve[_beginning(css, at + 1)]
        else:
            while at < stop and sorts[css[at]] == _IN_NAME:
                at += 1
            present = at == start or sieve[_place(css, start, at, True)]
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


@cython.final
@cython.cclass
class _Braces:
    """Where the blocks of a style sheet begin, while it is read."""

    css: Bytes
    size: cython.Py_ssize_t
    start: cython.Py_ssize_t  # where the head of a block begins,
    at: cython.Py_ssize_t  # and the block itself
    depth: cython.Py_ssize_t
    top: cython.Py_ssize_t  # where the block begins that is in no other one

    def __init__(self, sheet: bytes) -> None:
        self.css = sheet
        self.size = len(sheet)
        self.at = self.start = self.depth = 0
        self.top = -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def next(self) -> cython.bint:
        """Go to the next block; return whether there is one."""
        at = next_of(self.css, self.at, self.size, self.size, LEFT_BRACE, _RIGHT_BRACE, SEMICOLON)
        while at >= 0 and self.css[at] != LEFT_BRACE:
            self.start = at + 1
            if self.css[at] == _RIGHT_BRACE and self.depth > 0:  # what closes no block counts for nothing
                self.depth -= 1
            at = next_of(self.css, at + 1, self.size, self.size, LEFT_BRACE, _RIGHT_BRACE, SEMICOLON)
        if at < 0:
            return False
        self.at = at
        self.depth += 1
        if self.depth == 1:
            self.top = at
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end(self) -> cython.Py_ssize_t:
        """Return where the block ends, or -1 where others are in it."""
        found = next_of(self.css, self.at + 1, self.size, self.size, LEFT_BRACE, _RIGHT_BRACE, _RIGHT_BRACE)
        return found if found >= 0 and self.css[found] == _RIGHT_BRACE else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(self) -> cython.void:
        """Go on with the blocks in this one."""
        self.at += 1
        self.start = self.at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave(self) -> cython.void:
        """Go on after this block, unless its head is a rule such as `@media`: then with those in it."""
        head: cython.Py_ssize_t = self.start
        while is_space(self.css[head]):
            head += 1
        if self.css[head] == _AT:
            self.enter()
            return
        depth: cython.Py_ssize_t = 1
        at = self.at
        while depth > 0:
            at = next_of(self.css, at + 1, self.size, self.size, LEFT_BRACE, _RIGHT_BRACE, _RIGHT_BRACE)
            if at < 0:
                self.at = self.size
                return
            depth += 1 if self.css[at] == LEFT_BRACE else -1
        self.at = at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_outer(self) -> cython.bint:
        """Whether the block is in no other one, or in one that is in none."""
        return self.depth <= 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def around(self) -> cython.Py_ssize_t:
        """Return where the block begins that is around this one, or -1."""
        return self.top if self.depth > 1 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_hiding(
    braces: _Braces, block: _Block, sieve: cython.const[cython.uchar][::1], found: cython.int[::1]
) -> cython.Py_ssize_t:
    """Find the rules that may hide something, as `hiding_blocks` has them; return how many there are."""
    css: Bytes = braces.css
    count: cython.Py_ssize_t = 0
    while 5 * count < found.shape[0] and braces.next():
        if not braces.is_outer() or not _has_present(css, braces.start, braces.at, sieve):
            braces.leave()
            continue
        end = braces.end()
        if end < 0:
            braces.enter()
            continue
        block.read_all(css, braces.at + 1, end)
        if block.is_suspect():
            found[5 * count] = braces.start
            found[5 * count + 1] = braces.at
            found[5 * count + 2] = braces.around()
            found[5 * count + 3] = end
            found[5 * count + 4] = block.is_gone(css, braces.at, end)
            count += 1
        braces.at = end
    return count


def hiding_blocks(sheet: bytes, page: Any, rows: bytearray, most: int) -> list[tuple[int, int, int, int, bool]]:
    """Return the first rules of a style sheet that may hide something of some rows of a page, given as a mask.

    Of each: where its selectors, its block and the block around it (-1 for none) begin, where it ends, and whether it
    plainly hides something. Left out are rules deeper in other blocks, with blocks inside, and those whose selectors
    are not simple or have names that the rows have not.
    """
    view: PageView = view_of(page)
    wanted: cython.const[cython.uchar][::1] = rows
    sieve: cython.uchar[::1] = bytearray(SIEVE_SIZE + 4096)
    room: cython.int[::1] = int_room(5 * most)
    braces: _Braces = _Braces(sheet)
    block: _Block = _Block()
    count: cython.Py_ssize_t
    for name in page.more_tags:
        sieve[_place_of(name.encode(), True)] = 1
    with cython.nogil:
        _add_names(view, wanted, sieve)
        count = _find_hiding(braces, block, sieve, room)
    return [
        (room[5 * k], room[5 * k + 1], room[5 * k + 2], room[5 * k + 3], room[5 * k + 4] != 0) for k in range(count)
    ]


def _selectors_about(
    sheet: bytes,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    keys: set[bytes],
    names: dict[bytes, set[str]],
    elements: set[bytes],
) -> list[str]:
    """Return those of some selectors that have a key in their last part, or are simple: of known elements and names.

    What stands before the last part is around the elements that the rule is about.
    """
    css: Bytes = sheet
    sorts: Bytes = cython.address(_SORTS[0])
    found: list[str] = []
    while start < stop:
        end = _next(css, start, stop, _COMMA)
        after = stop + 1 if end < 0 else end + 1
        end = stop if end < 0 else end
        while end > start and sorts[css[end - 1]] == _IS_SPACE:
            end -= 1
        while start < end and sorts[css[start]] == _IS_SPACE:
            start += 1
        first = last = end
        has_key: cython.bint = False
        is_known: cython.bint = end > start
        while first > start and sorts[css[first - 1]] != _IS_SPACE and css[first - 1] not in b">+~":
            first -= 1
            if sorts[css[first]] != _IN_NAME:
                word: bytes = sheet[first + 1 : last]
                has_key = has_key or word in keys
                is_known = is_known and (css[first] == DOT or css[first] == HASH) and word in names
                last = first
        element: bytes = sheet[first:last]
        is_known = is_known and first == start and (not element or element.lower() in elements)
        if has_key or is_known or element in keys:
            found.append(sheet[start:end].decode("utf-8", "replace"))
        start = after
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next_name(
    braces: _Braces,
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    sieve: cython.const[cython.uchar][::1],
    lengths: cython.const[cython.ulonglong][::1],
    marked: cython.bint,
    start: cython.pointer(cython.Py_ssize_t),
) -> cython.Py_ssize_t:
    """Return where the next name of a sieve ends that stands in a span, and where it begins; -1 without one."""
    css: Bytes = braces.css
    sorts: Bytes = cython.address(_SORTS[0])
    while at < stop:
        if marked:
            at = next_of(css, at, stop, braces.size, DOT, HASH, HASH) + 1
            if at == 0:
                return -1
        first: cython.Py_ssize_t = at
        if lengths[css[at]] or not marked:
            while sorts[css[at]] == _IN_NAME:
                at += 1
        if at > first and lengths[css[first]] >> min(at - first, 63) & 1 and sieve[_place(css, first, at, False)]:
            start[0] = first
            return at
        if not marked:
            at += 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_naming(
    braces: _Braces,
    sieve: cython.const[cython.uchar][::1],
    lengths: cython.const[cython.ulonglong][::1],
    marked: cython.bint,
    found: cython.Py_ssize_t[::1],
) -> cython.Py_ssize_t:
    """Find the next rules with a name of a sieve: where each and its block begin, and the block around; count them."""
    count: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    while 3 * count < found.shape[0] and braces.next():
        if braces.is_outer():
            at = _next_name(braces, braces.start, braces.at, sieve, lengths, marked, cython.address(start))
            if at >= 0:
                found[3 * count] = braces.start
                found[3 * count + 1] = braces.at
                found[3 * count + 2] = braces.around()
                count += 1
        braces.leave()
    return count


def naming_blocks(
    sheet: bytes, keys: set[bytes], names: dict[bytes, set[str]], elements: set[bytes], most: int
) -> list[tuple[list[str], int, int, set[str]]]:
    """Return the rules about some names, of the first rules, at most so many, whose selectors have one of them.

    Of each: the selectors about those names that are keys, and the simple ones about any and about some elements;
    where its block and the block around it (-1 for none) begin; and what stands for its names. Rules deeper in other
    blocks are left out.
    """
    sieve: cython.uchar[::1] = bytearray(SIEVE_SIZE)
    lengths: cython.ulonglong[::1] = zeros("Q", 256)  # of the names, as bits by their first byte
    found: list[tuple[list[str], int, int, set[str]]] = []
    braces: _Braces = _Braces(sheet)
    marked: cython.bint = True  # whether all names are classes and ids
    start: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    room: cython.Py_ssize_t[::1] = zeros("q", 3 * _RULES_AT_ONCE)
    for word, meant in names.items():
        sieve[_place_of(word, False)] = 1
        lengths[word[0]] |= cython.cast(cython.ulonglong, 1) << min(len(word), 63)
        marked = marked and all(each[0] in ".#" for each in meant)
    count: cython.Py_ssize_t = 1
    while count and most > 0:
        with cython.nogil:
            count = _find_naming(braces, sieve, lengths, marked, room)
        for k in range(count):
            head = room[3 * k]
            block = room[3 * k + 1]
            about: set[str] = set()
            at = _next_name(braces, head, block, sieve, lengths, marked, cython.address(start))
            while at >= 0:
                about.update(names.get(sheet[start:at], ()))
                at = _next_name(braces, at, block, sieve, lengths, marked, cython.address(start))
            if about and most > 0:
                most -= 1
                selectors = _selectors_about(sheet, head, block, keys, names, elements)
                if selectors and not sheet[head:block].lstrip().startswith(b"@"):
                    found.append((selectors, block, room[3 * k + 2], about))
    return found
