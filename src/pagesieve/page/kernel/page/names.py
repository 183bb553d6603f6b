# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What the classes, ids and microdata of a page say of its elements: one pass over them; the bits are in `name_table`.

All patterns of words are looked for at once, by the method of Aho and Corasick: one step for each character.
"""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import is_digit, utf8_width, zeros
from cython.cimports.pagesieve.page.kernel.constants import HYPHEN, LINE_FEED, SPACE, UNDERSCORE
from cython.cimports.pagesieve.page.kernel.page.attributes import Labels, keep_labels, labels_before, labels_of
from cython.cimports.pagesieve.page.kernel.page.name_table import *
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured, view_of
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_CLASS,
    ATTR_ID,
    ATTR_ITEMPROP,
    ATTR_ITEMTYPE,
    TAG_CODE,
    TAG_PRE,
    TEXT,
)

from pagesieve.page.kernel.page.name_table import (
    AUTHOR_PROPERTIES,
    BODY_ENDS,
    BODY_PROPERTIES,
    NAME_PROPERTIES,
    PATTERNS,
    POST_NAMES,
    POST_TYPES,
    POST_WORDS,
    VALUE_PATTERNS,
    name_spellings,
    spellings,
)

_Bytes = cython.typedef(cython.pointer(cython.const[cython.uchar]))
_WAS_READ = cython.declare(cython.uint, 1 << 31)
_OF_COMMENTS = cython.declare(cython.uint, NAME_COMMENT | NAME_SECTION | NAME_OF_COMMENTS | NAME_NO_SECTION)


def _symbols(letters: str, blanks: bytes) -> bytes:
    """Return the symbol of each byte, given the characters that have one, and those that are edges."""
    symbols = bytearray(256)
    for symbol, letter in enumerate(letters, 1):
        symbols[ord(letter)] = symbols[ord(letter.upper())] = symbol
    for digit in b"0123456789":
        symbols[digit] = SYMBOL_DIGIT
    for blank in blanks:
        symbols[blank] = SYMBOL_EDGE
    symbols[128:] = bytes([SYMBOL_WIDE]) * 128
    return bytes(symbols)


_WORD_SYMBOLS = _symbols("abcdefghijklmnopqrstuvwxyz-_", b" \t\n\v\f\r\x1c\x1d\x1e\x1f")
_SYMBOL_OF = cython.declare(cython.const[cython.uchar][::1], _WORD_SYMBOLS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_blank(values: _Bytes, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a character beyond ASCII is white space."""
    code: cython.int = 0
    if values[at] == 0xC2 and at + 1 < stop:
        code = values[at + 1]
    elif 0xE0 <= values[at] < 0xF0 and at + 2 < stop:
        code = (values[at] & 0x0F) << 12 | (values[at + 1] & 0x3F) << 6 | (values[at + 2] & 0x3F)
    return (
        code == 0xA0
        or code == 0x85
        or code == 0x1680
        or 0x2000 <= code <= 0x200A
        or 0x2028 <= code <= 0x2029
        or code == 0x202F
        or code == 0x205F
        or code == 0x3000
    )


def _list(pattern: str) -> bytes:
    """Return the spellings of a pattern, each ended by a zero."""
    return "".join(f"{spelling}\0" for spelling in spellings(pattern)).encode()


_BODY_ENDS = cython.declare(cython.const[cython.uchar][::1], _list(BODY_ENDS))
_POST_NAMES = cython.declare(cython.const[cython.uchar][::1], _list(POST_NAMES))
_POST_TYPES = cython.declare(cython.const[cython.uchar][::1], _list(POST_TYPES))
_BODY_PROPERTIES = cython.declare(cython.const[cython.uchar][::1], _list(BODY_PROPERTIES))
_NAME_PROPERTIES = cython.declare(cython.const[cython.uchar][::1], _list(NAME_PROPERTIES))
_AUTHOR_PROPERTIES = cython.declare(cython.const[cython.uchar][::1], _list(AUTHOR_PROPERTIES))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _without(
    values: _Bytes,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    words: cython.const[cython.uchar][::1],
    case: cython.int,
) -> cython.Py_ssize_t:
    """Return where a text ends without the one of some words that it ends with; -1 where it ends with none.

    Each of the words ends with a zero, and none ends another. `case` is
    32 where capital letters count as small ones, else 0.
    """
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    for end in range(len(words)):
        if words[end] == 0:
            at = stop - (end - begin)
            k: cython.Py_ssize_t = end - begin
            while at >= start and k > 0 and values[at + k - 1] | case == words[begin + k - 1]:
                k -= 1
            if k == 0:
                return at
            begin = end + 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_body(values: _Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a word that ends as the names of bodies do has the name of a post before that."""
    while stop > start and is_digit(values[stop - 1]):
        stop -= 1
    at = _without(values, start, stop, _BODY_ENDS, 32)
    while at > start and (values[at - 1] == HYPHEN or values[at - 1] == UNDERSCORE):
        at -= 1
    return at > start and _without(values, start, at, _POST_NAMES, 32) >= 0


@cython.final
@cython.cclass
class _Pairs:
    """Some words of four letters and more, by their first five: what may have one of them, by two pairs of letters.

    A text is read two bytes at a time, so that a word begins with a pair or in the middle of one: a bit for each.
    """

    first: cython.uint[::1]  # by pair: the words that may be there
    second: cython.uint[::1]

    def __init__(self, words: tuple[str, ...]) -> None:
        one: cython.uint = 1
        self.first, self.second = zeros("I", PAIRS), zeros("I", PAIRS)
        for k, word in enumerate(words):
            letters = [ord(letter) & 31 for letter in word]
            self.first[letters[0] << 5 | letters[1]] |= one << (2 * k)
            self.second[letters[2] << 5 | letters[3]] |= one << (2 * k)
            self.first[letters[1] << 5 | letters[2]] |= one << (2 * k + 1)
            for last in letters[4:5] or range(32):
                self.second[letters[3] << 5 | last] |= one << (2 * k + 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_have(self, values: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether one of the words may be in a text. The byte after it is read, which bytes of Python always have."""
        if stop - start < 4:
            return False
        held: cython.uint = 0
        pair: cython.int = (values[start] & 31) << 5 | (values[start + 1] & 31)
        at: cython.Py_ssize_t = start + 2
        while at < stop:
            follows: cython.int = (values[at] & 31) << 5 | (values[at + 1] & 31)
            held |= self.first[pair] & self.second[follows]
            pair = follows
            at += 2
        return held != 0


_POST_PAIRS = cython.declare(_Pairs, _Pairs(POST_WORDS))


class Screen:
    """Some words that are looked for all at once: a bit for each of their letters, 64 in all. Case counts."""

    def __init__(self, words: str) -> None:
        one: cython.ulonglong = 1
        bit: cython.int = 0
        self.letters = zeros("Q", 256)
        self.begins = self.ends = 0
        for word in words.split("|"):
            self.begins |= one << bit
            for letter in word:
                self.letters[ord(letter)] |= one << bit
                bit += 1
            self.ends |= one << (bit - 1)

    def is_in(self, view, k):
        """Whether one of the words is in the value of an attribute."""
        read: cython.ulonglong = 0  # the letters up to which the last bytes are a word
        for at in range(view.value_at[k], view.value_at[k + 1]):
            read = ((read << 1) | self.begins) & self.letters[view.values[at]]
            if read & self.ends:
                return True
        return False

    def has_any(self, view, row, other):
        """Whether one of the words is in the class or the id of a row, or in another attribute, given its number."""
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            name = view.attribute_name[k]
            if (name == ATTR_CLASS or name == ATTR_ID or name == other) and self.is_in(view, k):
                return True
        return False


@cython.final
@cython.cclass
class Vocabulary:
    """Some spellings, and the bits that each sets in a text that has it; `symbols` are those of the text, by byte."""

    states = cython.declare(cython.int, visibility="readonly")
    symbols: cython.const[cython.uchar][::1]  # by byte
    steps: cython.ushort[::1]  # by state and symbol: the next state, as its place here
    marks: cython.uint[::1]  # by state: the bits of the spellings that end there

    def __init__(self, wanted: Any, symbols: bytes) -> None:
        self.symbols = symbols
        pairs = [(spelling.replace("^", " ").replace("$", " ").encode(), bits) for spelling, bits in wanted]
        most = 2 + sum(len(spelling) for spelling, _ in pairs)
        self.steps = zeros("H", most * SYMBOLS)
        self.marks = zeros("I", most)
        self.states = 1
        for spelling, bits in pairs:
            self.marks[self.add(spelling)] |= bits
        self.add(b" ")  # where a word begins
        self.connect(zeros("i", self.states))
        if self.states * SYMBOLS > 0xFFFF:
            raise ValueError("too many spellings")
        for place in range(self.states * SYMBOLS):
            self.steps[place] *= SYMBOLS

    @cython.cfunc
    def add(self, spelling: cython.const[cython.uchar][::1]) -> cython.int:
        """Return the state that a spelling ends in."""
        state: cython.int = 0
        for k in range(len(spelling)):
            place = state * SYMBOLS + (SYMBOL_EDGE if spelling[k] == SPACE else self.symbols[spelling[k]])
            if not self.steps[place]:
                self.steps[place] = self.states
                self.states += 1
            state = self.steps[place]
        return state

    @cython.cfunc
    @cython.exceptval(check=False)
    def connect(self, links: cython.int[::1]) -> cython.void:
        """Let each state go on, where it has no step, as the longest of the others that ends as it does."""
        queue: cython.int[::1] = zeros("i", self.states)
        count: cython.int = 1
        k: cython.int = 0
        symbol: cython.int
        while k < count:
            state = queue[k]
            k += 1
            link = links[state]
            self.marks[state] |= self.marks[link]
            for symbol in range(SYMBOLS):
                follows = self.steps[link * SYMBOLS + symbol] if state else 0
                step = self.steps[state * SYMBOLS + symbol]
                if step:
                    links[step] = follows
                    queue[count] = step
                    count += 1
                else:
                    self.steps[state * SYMBOLS + symbol] = follows

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def scan(self, values: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.uint:
        """Return the bits of all words of a text."""
        begin: cython.Py_ssize_t = start  # of the word
        at: cython.Py_ssize_t = start
        width: cython.int
        bits: cython.uint = 0
        own: cython.uint = 0  # of the word
        state: cython.int = self.steps[SYMBOL_EDGE]
        while at <= stop:
            symbol: cython.int = _SYMBOL_OF[values[at]] if at < stop else SYMBOL_EDGE
            width = 1
            if symbol == SYMBOL_DIGIT and at > begin and is_digit(values[at - 1]):
                at += 1
                continue
            if symbol == SYMBOL_WIDE:
                width = utf8_width(values[at])
                symbol = SYMBOL_EDGE if _is_blank(values, at, stop) else 0
            state = self.steps[state + symbol]
            own |= self.marks[state >> 5]
            if symbol == SYMBOL_EDGE:
                if own:
                    if own & NAME_BODY_END and _is_body(values, begin, min(at, stop)):
                        own |= NAME_BODY
                    bits |= own & ~(own >> NAME_EXCLUDED) & ((1 << NAME_EXCLUDED) - 1)
                    own = 0
                begin = at + width
            at += width
        return bits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, values: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.uint:
        """Return the bits of a text that is one word, with all its signs; a line feed at its end does not count."""
        at: cython.Py_ssize_t
        state: cython.int = self.steps[SYMBOL_EDGE]
        bits: cython.uint = 0
        if stop > start and values[stop - 1] == LINE_FEED:
            stop -= 1
        for at in range(start, stop):
            state = self.steps[state + self.symbols[values[at]]]
            bits |= self.marks[state >> 5]
        return bits | self.marks[self.steps[state + SYMBOL_EDGE] >> 5]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self, values: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.uint:
        """Return the bits of a class or id."""
        bits = self.scan(values, start, stop)
        if stop - start > MAX_NAMES_LENGTH:
            read = self.scan(values, start, _cut(values, start, stop))
            bits = (bits & _OF_COMMENTS) | (read & ~_OF_COMMENTS)
        if not bits & NAME_OF_COMMENTS:
            bits &= ~cython.cast(cython.uint, NAME_COMMENT)
        if bits & NAME_NO_SECTION:
            bits &= ~cython.cast(cython.uint, NAME_SECTION)
        return bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cut(values: _Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the first MAX_NAMES_LENGTH characters of a text end; a number counts as one."""
    left: cython.int = MAX_NAMES_LENGTH
    at: cython.Py_ssize_t
    for at in range(start, stop):
        is_more: cython.bint = at > start and is_digit(values[at]) and is_digit(values[at - 1])
        if not is_more and values[at] & 0xC0 != 0x80:
            if left == 0:
                return at
            left -= 1
    return stop


_VOCABULARY = cython.declare(Vocabulary, Vocabulary(name_spellings(PATTERNS), _WORD_SYMBOLS))
_OF_VALUES = cython.declare(
    Vocabulary, Vocabulary(name_spellings(VALUE_PATTERNS), _symbols("abcdefhilmnoprstuvw/@.?-_=&~", b""))
)


def names_in(value: bytes) -> int:
    """Return the bits of a class or id."""
    return _VOCABULARY.read(value, 0, len(value))


def value_bits(view, k):
    """Return what an attribute says that is no name: an address, or what a form asks for."""
    start: cython.Py_ssize_t = view.value_at[k]
    stop: cython.Py_ssize_t = min(view.value_at[k + 1], start + MAX_VALUE_LENGTH)
    return _OF_VALUES.find(cython.address(view.values[0]), start, stop) if stop > start else 0


def is_profile(address: bytes) -> bool:
    """Whether an address is that of somebody's profile."""
    return _OF_VALUES.find(address, 0, len(address)) & VALUE_PROFILE != 0


def post_names_of(page: Any) -> Any:
    """Return the bits of each row of a page that is named as posts or comments are, and those of all rows at the end.

    They are read once and kept with the page. Other bits are not sure: `names_among` reads those.
    """
    kept = page.__dict__.get("_post_names")
    if kept is None:
        view: PageView = view_of(page)
        kept = zeros("I", view.rows + 1)
        bits: cython.uint[::1] = kept
        labels: Labels = labels_before(view)
        of_labels: cython.uint[::1] = zeros("I", view.attributes + 1)
        with cython.nogil:
            labels.read(view)
            _read_names(view, bits, 0, view.rows, True, labels, of_labels)
        keep_labels(view, labels)
        if page.more_tags and "author" in page.more_attributes:
            _read_elements(page, view, bits)
        page.__dict__["_post_names"] = kept
    return kept


def names_among(page: Any, first: cython.int, stop: cython.int) -> Any:
    """Return the bits of each row of a page, of which those of some are read."""
    view: PageView = view_of(page)
    kept = zeros("I", view.rows + 1)
    bits: cython.uint[::1] = kept
    if first < 0 or stop > view.rows:
        raise IndexError(f"rows {first} to {stop} of a page of {view.rows} rows")
    labels: Labels = labels_of(view)
    of_labels: cython.uint[::1] = zeros("I", labels.count + 1)
    with cython.nogil:
        _read_names(view, bits, first, stop, False, labels, of_labels)
    return kept


@cython.cfunc
def _read_elements(page: Any, view: PageView, bits: cython.uint[::1]) -> cython.void:
    """Set the bit of elements with an author whose own name is that of a post: <some-comment author=…>."""
    author: cython.int = page.attribute_number("author")
    row: cython.int
    for row in range(view.rows):
        if view.attribute(row, author) >= 0 and names_in(page.tag_name(row).encode()) & NAME_POST:
            bits[row] |= NAME_POST_ELEMENT
            bits[view.rows] |= NAME_POST_ELEMENT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _read_names(
    view: PageView,
    bits: cython.uint[::1],
    first: cython.int,
    stop: cython.int,
    screened: cython.bint,
    labels: Labels,
    of_labels: cython.uint[::1],
) -> cython.void:
    """Fill in the bits of some rows; those without anything below them have none.

    Each value is read once: `of_labels`, all 0 before, has their bits, and one more for those that were read.
    """
    values: _Bytes = cython.address(view.values[0])
    row: cython.int
    k: cython.int
    for row in range(max(first, 1), stop):
        if view.end[row] == row + 1:
            continue
        own: cython.uint = 0
        for k in range(view.attribute_at[row], view.attribute_at[row + 1]):
            name = view.attribute_name[k]
            begin = view.value_at[k]
            end = view.value_at[k + 1]
            if name == ATTR_CLASS or name == ATTR_ID:
                label = labels.number[k]
                if not of_labels[label]:
                    of_labels[label] = _WAS_READ
                    if not screened or _POST_PAIRS.may_have(values, begin, end):
                        of_labels[label] |= _VOCABULARY.read(values, begin, end)
                own |= of_labels[label] & ~_WAS_READ
            elif name == ATTR_ITEMPROP:
                own |= _read_property(values, begin, end)
            elif name == ATTR_ITEMTYPE and _without(values, begin, end, _POST_TYPES, 0) >= 0:
                own |= NAME_POST_TYPE
        bits[row] = own
        bits[view.rows] |= own


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _read_property(values: _Bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.uint:
    """Return the bit of an itemprop."""
    if _without(values, start, stop, _BODY_PROPERTIES, 0) == start:
        return NAME_BODY_PROPERTY
    if _without(values, start, stop, _NAME_PROPERTIES, 0) == start:
        return NAME_NAME_PROPERTY
    return NAME_AUTHOR_PROPERTY if _without(values, start, stop, _AUTHOR_PROPERTIES, 0) == start else 0


def texts_in(page: Any, name: cython.uint, share: cython.double) -> Any:
    """Mark the text rows inside elements with a bit, but for code, which highlighters name the comments in so.

    An element with more than a share of the text of the page is the page itself. What is inside of one that counts is
    not looked at.
    """
    view: PageView = measured(page)
    bits: cython.uint[::1] = post_names_of(page)
    found = bytearray(view.rows)
    if bits[view.rows] & name:
        _mark_texts(view, bits, name, share, zeros("q", view.rows + 1), found)
    return found


@cython.cfunc
def _mark_texts(
    view: PageView,
    bits: cython.uint[::1],
    name: cython.uint,
    share: cython.double,
    sums: cython.longlong[::1],
    found: cython.uchar[::1],
) -> cython.void:
    row: cython.int
    stop: cython.int = 0
    code: cython.int = 0  # where the code ends that the row is in
    for row in range(view.rows):
        sums[row + 1] = sums[row] + view.chars[row]
    most = share * sums[view.rows]
    for row in range(view.rows):
        if row >= code and (view.tag[row] == TAG_PRE or view.tag[row] == TAG_CODE):
            code = view.end[row]
        end = view.end[row]
        if bits[row] & name and end > stop and row >= code and sums[end] - sums[row] <= most:
            stop = end
        if row < stop and view.tag[row] == TEXT:
            found[row] = 1
