# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The scanner of HTML source, by the tokenization rules of the HTML standard; `tokenizer.pxd` says how to use it."""

from __future__ import annotations

import re
from array import array
from html.entities import html5
from itertools import accumulate

import cython
from cython.cimports.cpython.array import clone
from cython.cimports.libc.stdlib import free, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy, strlen
from cython.cimports.pagesieve.page.kernel.common import is_digit, is_letter
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.tags import KNOWN_TAGS, TAG_SCRIPT

from pagesieve.page.kernel.tags import ATTRIBUTES, ESCAPABLE, RAW, TAG_FLAGS, TAGS, TREE_RULES

_INTS = array("i")

# Bytes


# Parts of these: bytes, names, the states of the standard's tokenizer, what stands before the tokens, references.
@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_blank(c: cython.int) -> cython.bint:
    return c <= SPACE and (c == SPACE or c == LINE_FEED or c == TAB or c == CARRIAGE_RETURN or c == FORM_FEED)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ends_name(c: cython.int) -> cython.bint:
    """Whether a byte ends the name of an element."""
    return c <= GREATER and (c == GREATER or c == SLASH or _is_blank(c))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lower(c: cython.int) -> cython.int:
    return c + 32 if UPPER_A <= c <= UPPER_Z else c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find(
    source: cython.p_const_uchar, byte: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Return where the byte stands next, or `stop`."""
    if start >= stop:
        return stop
    hit: cython.p_const_uchar = cython.cast(cython.p_const_uchar, memchr(source + start, byte, stop - start))
    return stop if hit == cython.NULL else hit - source


# Names


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _with_byte(key: cython.ulonglong, c: cython.ulonglong) -> cython.ulonglong:
    """Append a byte to a key: the last eight bytes of a name, as a number."""
    return key << 8 | c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slot(key: cython.ulonglong) -> cython.uint:
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    return cython.cast(cython.uint, key * factor >> 54)


class Names:
    """A table of names with open addressing. Names with capital letters belong to svg: the builders look them up."""

    def __init__(self, names: tuple[str, ...]):
        self.held = "".join(names).encode()
        self.names = self.held
        self.starts = array("i", [0, *accumulate(map(len, names))])
        self.keys = array("Q", bytes(8 * NAME_SLOTS))
        self.numbers = array("i", bytes(4 * NAME_SLOTS))
        for number, name in enumerate(names):
            if name == name.lower():
                self.add(int.from_bytes(name.encode(), "big") & 0xFFFFFFFFFFFFFFFF, number)

    def add(self, key, number):
        """Add a name."""
        slot: cython.uint = _slot(key)
        while self.keys[slot] != 0:
            slot = (slot + 1) & (NAME_SLOTS - 1)
        self.keys[slot] = key
        self.numbers[slot] = number | (self.starts[number + 1] - self.starts[number]) << 10

    def exact(self, source, start, stop, key):
        """Return the number of a name with this key, or -1."""
        slot: cython.uint = _slot(key)
        while self.keys[slot] != 0:
            if self.keys[slot] == key:
                number = self.numbers[slot] & 1023
                if self.numbers[slot] >> 10 == stop - start and (
                    stop - start <= 8 or self.spells(source, start, number)
                ):
                    return number
            slot = (slot + 1) & (NAME_SLOTS - 1)
        return -1

    def number(self, source, start, stop, key):
        """Return the number of a name, letter case aside, or -1."""
        number: cython.int = self.exact(source, start, stop, key)
        if number < 0:
            key = 0
            for k in range(start, stop):
                key = _with_byte(key, _lower(source[k]))
            number = self.exact(source, start, stop, key)
        return number

    def spells(self, source, start, number):
        """Whether a name stands in the source, letter case aside."""
        first: cython.int = self.starts[number]
        for k in range(self.starts[number + 1] - first):
            if _lower(source[start + k]) != self.names[first + k]:
                return False
        return True


_TAG_NAMES = cython.declare(Names, Names(TAGS))
_ATTRIBUTE_NAMES = cython.declare(Names, Names(ATTRIBUTES))
# Elements whose content is text. The standard lets plaintext never end; here, as lexbor writes it, it does. Where the
# others have no end tag in the rest of a page, they would swallow it, and end at the next tag: but for the first two,
# since code has tags in its strings, and plaintext is meant to swallow it.
_SWALLOW = ("script", "plaintext")
_HOLDERS = _SWALLOW + tuple(
    name
    for name, flags, rules in zip(TAGS, TAG_FLAGS, TREE_RULES, strict=True)
    if (flags & RAW or rules & ESCAPABLE) and name not in _SWALLOW
)
# By element: its number among them, from 1 on, or 0.
_HOLDS_TEXT = cython.declare(
    cython.const[cython.uchar][::1], bytes(_HOLDERS.index(name) + 1 if name in _HOLDERS else 0 for name in TAGS)
)
_MAX_SWALLOW = cython.declare(cython.int, len(_SWALLOW))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _other_number(source: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return the number of an element that is not known: a hash of the whole name."""
    h: cython.uint = 2166136261
    for k in range(start, stop):
        h = (h ^ _lower(source[k])) * 16777619
    return KNOWN_TAGS + cython.cast(cython.int, (h >> 7) % OTHER_NAMES)


# Tokens


class Buffer:
    """Bytes that are written one after the other."""

    def __dealloc__(self):
        free(self.data)

    def begin(self, room):
        """Forget what was written, and make room for so many bytes."""
        self.end = 0
        if room > self.room:
            free(self.data)  # without a copy of what is forgotten
            self.data = cython.NULL
            self.room = 0
            self.reserve(room)
        return 0

    def reserve(self, size):
        """Make room for so many bytes more."""
        if self.end + size <= self.room:
            return 0
        room: cython.Py_ssize_t = 2 * self.room + size
        data: cython.p_uchar = cython.cast(cython.p_uchar, realloc(self.data, room))
        if data == cython.NULL:
            with cython.gil:
                raise MemoryError
        self.data = data
        self.room = room
        return 0

    def write(self, data, size):
        """Append bytes, for which there is room."""
        memcpy(self.data + self.end, data, size)
        self.end += size


class Tokenizer:
    """Reads a source token by token."""

    def __init__(self, html: bytes):
        self.begin(html)

    def begin(self, html):
        """Begin a source."""
        self.html = html
        self.source = self.html
        self.stop = len(html)
        self.at = 0
        self.endless = 0

    def begin_again(self, tokens):
        """Begin the source of another tokenizer, which has to stay."""
        self.begin(tokens.html)
        self.source = tokens.source
        self.stop = tokens.stop

    def with_line_feeds(self, target):
        """Read the source with every CR LF and every lone CR as LF, as the standard has it."""
        target.begin(self.stop)
        while self.at < self.stop:
            end: cython.Py_ssize_t = _find(self.source, CARRIAGE_RETURN, self.at, self.stop)
            self.put(target, self.at, end)
            if end < self.stop:
                _put_character(target, LINE_FEED)
            self.at = end + 2 if end + 1 < self.stop and self.source[end + 1] == LINE_FEED else end + 1
        self.source = target.data
        self.stop = target.end
        self.at = 0
        return 0

    def next(self):
        """Read a text, which may be empty, and the markup after it."""
        at: cython.Py_ssize_t = self.at
        self.text = at
        at = _find(self.source, LESS, at, self.stop)
        while at < self.stop and not _begins_markup(self.source, at, self.stop):
            at = _find(self.source, LESS, at + 1, self.stop)
        self.start = at
        return _read_markup(self, at) if at < self.stop else TOKEN_NONE

    def next_attribute(self):
        """Read the next attribute of the tag, and look its name up."""
        if not self.in_tag or not _scan_attribute(self):
            return False
        self.attribute = _ATTRIBUTE_NAMES.number(self.source, self.name, self.name_end, self.key)
        return True

    def skip_attributes(self, limit):
        """Read to the end of the tag; return where the first attribute after `limit` of them begins, or -1."""
        excess: cython.Py_ssize_t = -1
        while self.in_tag and _scan_attribute(self):
            if limit == 0:
                excess = self.name
            limit -= 1
        return excess

    def holds_text(self):
        """Whether the content of the tag's element is text up to its end tag."""
        return self.tag < KNOWN_TAGS and _HOLDS_TEXT[self.tag] != 0

    def raw_text(self):
        """Read the content of the element whose start tag was just read, and its end tag."""
        start: cython.Py_ssize_t = self.at
        end: cython.Py_ssize_t = _script_data_end(self) if self.tag == TAG_SCRIPT else _raw_text_end(self)
        length: cython.Py_ssize_t = self.last - self.first
        self.first = start
        self.last = end
        self.at = end
        if end >= self.stop:
            if _HOLDS_TEXT[self.tag] > _MAX_SWALLOW:
                self.last = _next_tag(self.source, start, self.stop)
                self.at = self.last
            return False
        self.at = end + 2 + length
        self.in_tag = True
        self.skip_attributes(-1)
        return True

    def same(self, one, two, length):
        """Whether two spans of the source are the same."""
        return memcmp(self.source + one, self.source + two, length) == 0

    def after_blanks(self, start, stop):
        """Return the first byte of a span that is not white space, or its end."""
        return _after_blanks(self.source, start, stop)

    def put(self, target, start, stop):
        """Copy a span of the source."""
        if stop <= start:
            return
        memcpy(target.data + target.end, self.source + start, stop - start)
        target.end += stop - start

    def put_resolved(self, target, start, stop, in_attribute):
        """Copy a span with its character references resolved."""
        at: cython.Py_ssize_t = start
        while True:
            amp: cython.Py_ssize_t = _find(self.source, AMPERSAND, at, stop)
            self.put(target, at, amp)
            if amp >= stop:
                return True
            at = _put_common_reference(self, target, amp, stop)
            if at == amp:
                at = _put_reference(self, target, amp, stop, in_attribute)
                if at < 0:
                    return False


# Markup: one function for each group of states of the standard's tokenizer


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begins_markup(source: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a `<` begins a tag, a comment or a doctype; else it is text."""
    if at + 1 >= stop:
        return False
    c: cython.int = source[at + 1]
    return is_letter(c) or (c == SLASH and at + 2 < stop) or c == EXCLAMATION or c == QUESTION


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _read_markup(tokens: Tokenizer, start: cython.Py_ssize_t) -> cython.int:
    """Apply the tag open state, and the states it leads to."""
    c: cython.int = tokens.source[start + 1]
    if is_letter(c):
        return _read_tag_name(tokens, start + 1, TOKEN_START)
    if c == SLASH:
        if is_letter(tokens.source[start + 2]):
            return _read_tag_name(tokens, start + 2, TOKEN_END)
    elif c == EXCLAMATION:
        if _stands_at(tokens.source, start + 2, tokens.stop, b"--"):
            return _read_comment(tokens, start + 4)
        if _stands_at(tokens.source, start + 2, tokens.stop, b"doctype", True):
            return _read_to_greater(tokens, start + 2, TOKEN_DOCTYPE)
    return _read_to_greater(tokens, start + 1 if c == QUESTION else start + 2, TOKEN_BOGUS)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _read_tag_name(tokens: Tokenizer, start: cython.Py_ssize_t, kind: cython.int) -> cython.int:
    """Apply the tag name state."""
    source: cython.p_const_uchar = tokens.source
    stop: cython.Py_ssize_t = tokens.stop
    key: cython.ulonglong = source[start]
    at: cython.Py_ssize_t = start + 1
    while at < stop and not _ends_name(source[at]):
        key = _with_byte(key, source[at])
        at += 1
    tokens.first = start
    tokens.last = at
    tokens.in_tag = at >= stop or source[at] != GREATER
    if not tokens.in_tag:  # as most are
        tokens.closed = True
        tokens.self_closing = False
        at += 1
    tokens.at = at
    tokens.tag = _TAG_NAMES.number(source, start, tokens.last, key)
    if tokens.tag < 0:
        tokens.tag = _other_number(source, start, tokens.last)
    return kind


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _read_to_greater(tokens: Tokenizer, start: cython.Py_ssize_t, kind: cython.int) -> cython.int:
    """Apply the bogus comment state, or what the states of a doctype come to."""
    tokens.first = start
    tokens.last = _find(tokens.source, GREATER, start, tokens.stop)
    tokens.closed = tokens.last < tokens.stop
    tokens.at = tokens.last + 1 if tokens.closed else tokens.stop
    return kind


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _read_comment(tokens: Tokenizer, start: cython.Py_ssize_t) -> cython.int:
    """Apply the comment states."""
    at: cython.Py_ssize_t = _find(tokens.source, GREATER, start, tokens.stop)
    ending: cython.int = -1
    while at < tokens.stop:
        ending = _comment_ending(tokens.source, start, at)
        if ending >= 0:
            break
        at = _find(tokens.source, GREATER, at + 1, tokens.stop)
    tokens.first = start
    tokens.closed = ending >= 0
    tokens.last = at - ending if tokens.closed else tokens.stop
    tokens.at = at + 1 if tokens.closed else tokens.stop
    return TOKEN_COMMENT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _comment_ending(source: cython.p_const_uchar, start: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.int:
    """Return how many bytes before a `>` end a comment with it (`-->`, `--!>`, at the start `>`, `->`), -1 if none."""
    if at == start or (at == start + 1 and source[start] == HYPHEN):
        return cython.cast(cython.int, at - start)
    if source[at - 1] == HYPHEN and source[at - 2] == HYPHEN:
        return 2
    if at >= start + 3 and source[at - 1] == EXCLAMATION and source[at - 2] == HYPHEN and source[at - 3] == HYPHEN:
        return 3
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scan_attribute(tokens: Tokenizer) -> cython.bint:
    """Apply the attribute states: a name, and a value if `=` follows it. The first byte of a name may be `=`."""
    source: cython.p_const_uchar = tokens.source
    stop: cython.Py_ssize_t = tokens.stop
    at: cython.Py_ssize_t = tokens.at
    slash: cython.bint = False
    while at < stop and (source[at] == SLASH or _is_blank(source[at])):
        slash = source[at] == SLASH
        at += 1
    if at >= stop or source[at] == GREATER:
        tokens.in_tag = False
        tokens.self_closing = slash
        tokens.closed = at < stop
        tokens.at = at + 1 if at < stop else stop
        return False
    tokens.name = at
    key: cython.ulonglong = source[at]
    at += 1
    while at < stop and not (source[at] == EQUALS or _ends_name(source[at])):
        key = _with_byte(key, source[at])
        at += 1
    tokens.key = key
    tokens.name_end = at
    at = _after_blanks(source, at, stop)
    tokens.value = at
    tokens.value_end = at
    tokens.at = _scan_value(tokens, at + 1) if at < stop and source[at] == EQUALS else at
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scan_value(tokens: Tokenizer, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Apply the states of an attribute's value; return where the next attribute is looked for."""
    source: cython.p_const_uchar = tokens.source
    at: cython.Py_ssize_t = _after_blanks(source, start, tokens.stop)
    c: cython.int = source[at] if at < tokens.stop else 0
    if c == QUOTATION_MARK or c == APOSTROPHE:
        tokens.value = at + 1
        tokens.value_end = _find(source, c, at + 1, tokens.stop)
        return min(tokens.value_end + 1, tokens.stop)
    tokens.value = at
    while at < tokens.stop and source[at] != GREATER and not _is_blank(source[at]):
        at += 1
    tokens.value_end = at
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _raw_text_end(tokens: Tokenizer) -> cython.Py_ssize_t:
    """Return where the end tag of the element stands: the states of RAWTEXT and RCDATA.

    Where there is none, there is none for the elements of that name that follow: they need not look again.
    """
    bit: cython.uint = 1 << _HOLDS_TEXT[tokens.tag]
    if tokens.endless & bit:
        return tokens.stop
    at: cython.Py_ssize_t = _find(tokens.source, LESS, tokens.at, tokens.stop)
    while at < tokens.stop and not _is_end_tag(tokens, at):
        at = _find(tokens.source, LESS, at + 1, tokens.stop)
    if at >= tokens.stop:
        tokens.endless |= bit
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next_tag(source: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the next start or end tag begins, or `stop`; comments are none."""
    at: cython.Py_ssize_t = _find(source, LESS, start, stop)
    while at < stop:
        name: cython.Py_ssize_t = at + 2 if at + 1 < stop and source[at + 1] == SLASH else at + 1
        if name < stop and is_letter(source[name]):
            return at
        at = _find(source, LESS, at + 1, stop)
    return stop


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _script_data_end(tokens: Tokenizer) -> cython.Py_ssize_t:
    """Return where the end tag of a script stands: the states of script data.

    In a comment (escaped), a script that is opened (double escaped) needs an end tag of its own.
    """
    source: cython.p_const_uchar = tokens.source
    start: cython.Py_ssize_t = tokens.at
    at: cython.Py_ssize_t = start
    escaped: cython.bint = False
    double: cython.bint = False
    while True:
        mark: cython.Py_ssize_t = _find(source, LESS, at, tokens.stop)
        if escaped and _has_comment_end(source, at, mark, start):
            escaped = False
            double = False
        if mark >= tokens.stop:
            return tokens.stop
        at = mark + 1
        if _is_end_tag(tokens, mark):
            if not double:
                return mark
            double = False
        elif _stands_at(source, at, tokens.stop, b"!--"):
            escaped = True
            at += 1  # two dashes may open and close at once, as in `<!-->`, so they are looked at again
        elif escaped and not double and _has_name(tokens, at, TAG_SCRIPT):
            double = True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_comment_end(
    source: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, least: cython.Py_ssize_t
) -> cython.bint:
    """Whether a span has the `>` of a `-->` whose first byte is not before `least`."""
    at: cython.Py_ssize_t = _find(source, GREATER, start, stop)
    while at < stop:
        if at - 2 >= least and source[at - 1] == HYPHEN and source[at - 2] == HYPHEN:
            return True
        at = _find(source, GREATER, at + 1, stop)
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_end_tag(tokens: Tokenizer, start: cython.Py_ssize_t) -> cython.bint:
    """Whether the end tag of the element whose start tag was just read stands at a `<`."""
    return start + 1 < tokens.stop and tokens.source[start + 1] == SLASH and _has_name(tokens, start + 2, tokens.tag)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_name(tokens: Tokenizer, start: cython.Py_ssize_t, tag: cython.int) -> cython.bint:
    """Whether the name of a known element stands at a place, and ends there."""
    end: cython.Py_ssize_t = start + _TAG_NAMES.starts[tag + 1] - _TAG_NAMES.starts[tag]
    return end < tokens.stop and _TAG_NAMES.spells(tokens.source, start, tag) and _ends_name(tokens.source[end])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after_blanks(source: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while start < stop and _is_blank(source[start]):
        start += 1
    return start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _stands_at(
    source: cython.p_const_uchar,
    at: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    word: cython.p_const_uchar,
    any_case: cython.bint = False,
) -> cython.bint:
    """Whether a word stands at a place; in `any_case`, given in small letters."""
    k: cython.Py_ssize_t = 0
    while word[k] != 0:
        if at + k >= stop or (_lower(source[at + k]) if any_case else source[at + k]) != word[k]:
            return False
        k += 1
    return True


def is_word(data, start, stop, word):
    """Whether a span is a word, letter case aside, given in small letters."""
    return stop - start == cython.cast(cython.Py_ssize_t, strlen(word)) and _stands_at(
        data, start, stop, cython.cast(cython.p_const_uchar, word), True
    )


# The source before its tokens


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 as they are; no text is made of them to find out."""
    source: cython.p_const_uchar = data
    stop: cython.Py_ssize_t = len(data)
    is_valid: cython.bint
    with cython.nogil:
        is_valid = _is_utf8(source, stop)
    return is_valid


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_utf8(source: cython.p_const_uchar, stop: cython.Py_ssize_t) -> cython.bint:
    at: cython.Py_ssize_t = 0
    while at < stop:
        if source[at] < 0x80:
            at = ascii_end(source, at, stop)
        elif at + 2 < stop and _is_common(source[at], source[at + 1], source[at + 2]):
            at += 3
        else:
            size = _character_size(source, at, stop)
            if size == 0:
                return False
            at += size
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_common(first: cython.int, second: cython.int, third: cython.int) -> cython.bint:
    """Whether three bytes are a character of UTF-8 between U+1000 and U+CFFF, as those of most scripts are."""
    return 0xE1 <= first <= 0xEC and (second & third & 0x80) != 0 and ((second | third) & 0x40) == 0


def ascii_end(source, at, stop):
    """Return where the next byte beyond ASCII stands, or `stop`: many bytes at once, in a loop that is vectorised."""
    word: cython.ulonglong = 0
    high: cython.ulonglong = 0x8080808080808080
    while at + 64 <= stop:
        together: cython.uchar = 0
        for k in range(64):
            together |= source[at + k]
        if together >= 0x80:
            break
        at += 64
    while at + 8 <= stop:
        memcpy(cython.address(word), source + at, 8)
        if word & high:
            break
        at += 8
    while at < stop and source[at] < 0x80:
        at += 1
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _character_size(source: cython.p_const_uchar, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return how many bytes a character beyond ASCII has, or 0 if it is not UTF-8."""
    byte: cython.int = source[at]
    size: cython.int = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    if byte < 0xC2 or byte > 0xF4 or at + size > stop:
        return 0
    second: cython.int = source[at + 1]
    # What could be written shorter, halves of surrogate pairs, and what is beyond Unicode.
    if (
        (byte == 0xE0 and second < 0xA0)
        or (byte == 0xED and second > 0x9F)
        or (byte == 0xF0 and second < 0x90)
        or (byte == 0xF4 and second > 0x8F)
    ):
        return 0
    for k in range(at + 1, at + size):
        if source[k] & 0xC0 != 0x80:
            return 0
    return size


def element_number(name):
    """Return the number that the tag of an element has, given its name."""
    tokens: Tokenizer = Tokenizer(b"<" + name)
    tokens.next()
    return tokens.tag


# Character references

_LEGACY = {name.encode(): text.encode() for name, text in html5.items() if not name.endswith(";")}
_NAMED = {name.encode(): text.encode() for name, text in html5.items() if name.endswith(";")}
_WINDOWS = bytes(range(128, 160)).decode("windows-1252", "replace")
_NAME = re.compile(rb"&([0-9A-Za-z]*;?)")
_NUMBER = re.compile(rb"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _put_common_reference(
    tokens: Tokenizer, target: Buffer, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Write what one of the most common references means; return the place after it, or where it is for others.

    Whole data sets stand in values with `&quot;` for every quote, and some pages write numbers only.
    """
    source: cython.p_const_uchar = tokens.source
    at: cython.Py_ssize_t = start + 1
    number: cython.int = 0
    if at < stop and source[at] == HASH:  # decimal, closed, and of the characters that stand for themselves
        at += 1
        while at < stop and at < start + 7 and DIGIT_0 <= source[at] <= DIGIT_9:
            number = 10 * number + source[at] - DIGIT_0
            at += 1
        if at >= stop or source[at] != SEMICOLON or number < 32 or 127 <= number < 160 or number >= 0xD800:
            return start
        _put_character(target, number)
        return at + 1
    if _stands_at(source, at, stop, b"amp;"):
        _put_character(target, AMPERSAND)
        return at + 4
    if _stands_at(source, at, stop, b"nbsp;"):
        _put_character(target, 0xA0)
        return at + 5
    if _stands_at(source, at, stop, b"quot;"):
        _put_character(target, QUOTATION_MARK)
        return at + 5
    if _stands_at(source, at, stop, b"lt;"):
        _put_character(target, LESS)
        return at + 3
    if _stands_at(source, at, stop, b"gt;"):
        _put_character(target, GREATER)
        return at + 3
    if _stands_at(source, at, stop, b"apos;"):
        _put_character(target, APOSTROPHE)
        return at + 5
    return start


@cython.cfunc
@cython.exceptval(-2, check=False)
def _look_up(
    tokens: Tokenizer,
    target: Buffer,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    in_attribute: cython.bint,
    known: cython.p_uchar,
    key: cython.ulonglong,
) -> cython.Py_ssize_t:
    """Let it be known what a reference means, given its letters and the byte after them, and return 0.

    A long one, which has no place in `known`, is written instead; return the place after it, or -1 as below. A function
    with Python objects takes the GIL at its end, too: this is one of its own.
    """
    meant, length = _reference(tokens.source[start:stop], in_attribute)
    if len(meant) <= KNOWN_BYTES - 10 and known != cython.NULL:
        memcpy(known, cython.address(key), 8)
        known[8], known[9] = len(meant), length
        memcpy(known + 10, cython.cast(cython.p_const_uchar, meant), len(meant))
        return 0
    if len(meant) > length:
        return -1
    target.write(meant, len(meant))
    return start + cython.cast(cython.Py_ssize_t, length)


@cython.cfunc
@cython.nogil
@cython.exceptval(-2, check=False)
def _put_reference(
    tokens: Tokenizer, target: Buffer, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, in_attribute: cython.bint
) -> cython.Py_ssize_t:
    """Write what any reference means, or `&`; return the place after it, -1 if it is longer than it was written.

    It depends on its letters and the byte after them. The same ones come again, and are known by these.
    """
    source: cython.p_const_uchar = tokens.source
    end: cython.Py_ssize_t = start + 1
    key: cython.ulonglong = 0
    while end < stop and (is_letter(source[end]) or is_digit(source[end]) or (source[end] == HASH and key == 0)):
        key = _with_byte(key, source[end])
        end += 1
    size: cython.Py_ssize_t = end - start - 1
    after: cython.int = source[end] if end < stop else 0
    # In a value, `&copy=1` is a parameter.
    if size == 0 or (
        in_attribute
        and (after == EQUALS or (size > MAX_LEGACY_LENGTH and after != SEMICOLON))
        and source[start + 1] != HASH
    ):
        _put_character(target, AMPERSAND)
        return start + 1
    key = _with_byte(key, after)
    known: cython.p_uchar = tokens.known + KNOWN_BYTES * (2 * (_slot(key) % KNOWN_REFERENCES) + in_attribute)
    if size > 7:
        known = cython.NULL
    if known == cython.NULL or memcmp(known, cython.address(key), 8) != 0:
        with cython.gil:
            end = _look_up(tokens, target, start, min(end + 1, stop), in_attribute, known, key)
        if end != 0:
            return end
    if known[8] > known[9]:
        return -1
    target.write(known + 10, known[8])
    return start + known[9]


def _reference(written: bytes, in_attribute: bool) -> tuple[bytes, int]:
    """Return what a character reference stands for, and how long it is: `&` by itself if it is none."""
    if written[1:2] == b"#":
        number = _NUMBER.match(written)
        return (_numeric_reference(*number.groups()), number.end()) if number else (b"&", 1)
    matched = _NAME.match(written)
    name = matched[1] if matched else b""
    if name in _NAMED:
        return _NAMED[name], len(name) + 1
    name = name.removesuffix(b";")
    for size in range(min(len(name), MAX_LEGACY_LENGTH), 1, -1):
        if name[:size] in _LEGACY:
            if in_attribute and size < len(name):
                return b"&", 1
            return _LEGACY[name[:size]], size + 1
    return b"&", 1


def _numeric_reference(hexadecimal: bytes | None, decimal: bytes | None) -> bytes:
    """Return the character of a number, by the standard's rules for numbers that are no characters."""
    digits = (hexadecimal or decimal or b"").lstrip(b"0")[:8] or b"0"
    number = int(digits, 16 if hexadecimal else 10)
    if number == 0 or number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return "\ufffd".encode()
    if 128 <= number < 160 and _WINDOWS[number - 128] != "\ufffd":
        return _WINDOWS[number - 128].encode()
    return chr(number).encode()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _put_character(target: Buffer, number: cython.int) -> cython.void:
    """Write a character below U+D800 as UTF-8."""
    data: cython.p_uchar = target.data
    end: cython.Py_ssize_t = target.end
    if number < 0x80:
        data[end] = number
        target.end = end + 1
    elif number < 0x800:
        data[end] = 0xC0 | number >> 6
        data[end + 1] = 0x80 | number & 63
        target.end = end + 2
    else:
        data[end] = 0xE0 | number >> 12
        data[end + 1] = 0x80 | number >> 6 & 63
        data[end + 2] = 0x80 | number & 63
        target.end = end + 3


def int_room(count):
    """Return room for so many numbers, not cleared."""
    return clone(_INTS, count, False)
