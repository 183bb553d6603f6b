# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""The headline of a page: which texts may be it, what speaks for each, and which lines of the body repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import cython
from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_DecodeUTF8,
    PyUnicode_KIND,
    PyUnicode_New,
    PyUnicode_WRITE,
)
from cython.cimports.libc.math import ceil, log1p
from cython.cimports.libc.string import memcmp
from cython.cimports.pagesieve.page.kernel.common import count_below, is_digit, is_letter, is_space
from cython.cimports.pagesieve.page.kernel.constants import SPACE
from cython.cimports.pagesieve.page.kernel.page.stated import Statements, statements
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_HREF,
    ATTR_ITEMPROP,
    IS_SEEN,
    TAG_A,
    TAG_ASIDE,
    TAG_FOOTER,
    TAG_H1,
    TAG_H6,
    TAG_NAV,
)

from pagesieve.page.kernel.document.document import PERMALINKS
from pagesieve.page.kernel.lines.lines import shown
from pagesieve.page.kernel.page.stated import partings
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import fold

_Bytes = cython.typedef(cython.pointer(cython.const[cython.uchar]))
_Bits = cython.typedef(cython.p_ulonglong)

_MAX_LENGTH = cython.declare(cython.int, 1000)  # characters of a headline, and of the path of an address
_MAX_HEADINGS = cython.declare(cython.int, 100)
_MAX_BYTES_LENGTH = cython.declare(cython.int, 1200)  # a heading that is longer was never closed
_MAX_LINE_LENGTH = cython.declare(cython.int, 150)  # characters: what is longer is a paragraph, the title's source
_MAX_ROWS = cython.declare(cython.int, 300)  # in a candidate
_MIN_COMMON = cython.declare(cython.double, 0.75)  # of a heading below h1 that is in a stated title
_UNLIKE = cython.declare(cython.double, 0.5)  # where none is more like an external title, these are candidates
_MIN_PART = cython.declare(cython.double, 0.4)  # of a title: a heading with as much of it is the headline
_PLAIN_LENGTH = cython.declare(cython.int, 10)  # characters of a headline that is taken without a look at others
_FULL_LENGTH = cython.declare(cython.double, 25.0)  # characters: an only h1 of as many says enough
_MAX_PARTS = cython.declare(cython.int, 8)
_MAX_PROBES = cython.declare(cython.int, 4)
_PROBE_BYTES = cython.declare(cython.int, 16)  # of a word, which tell whether it is worth looking for
_MAX_LOOKS = cython.declare(cython.int, 12)  # at the texts with a word of a title
_MIN_SLUG = cython.declare(cython.int, 2)  # words; what has fewer is a section or a number
_PUT_OFF = cython.declare(cython.int, 500)  # bytes of a text that is read only if need be
_SPARE_BYTES = cython.declare(cython.int, 20)  # that a line may be longer than the title it has a word of
_LINK_ROWS = cython.declare(cython.int, 4)  # of a heading, among which a link to the front page may be,
_LINK_DEPTH = cython.declare(cython.int, 3)  # or as many elements above it
_CUT_SHORT = ("…", "...")
_HOME_NAMES = frozenset(("", "index", "default", "home"))
_PERMALINKS = cython.declare(str, "".join(PERMALINKS))
_MARKED = b"headline"  # in an itemprop


# Texts as they are compared


@cython.cfunc
@cython.exceptval(check=False)
def _is_word(character: cython.Py_UCS4) -> cython.bint:
    """Whether a character is a letter or digit."""
    code = cython.cast(cython.int, character)
    return (is_letter(code) or is_digit(code)) if code < 128 else character.isalnum()


@cython.ccall
def squeeze(text: str) -> str:
    """Return what `pagesieve.text.whitespace.squeeze` does: a text, case folded, without blanks and punctuation."""
    if text.isascii():
        return _squeezed_ascii(text)
    folded: str = text.casefold()
    character: cython.Py_UCS4
    highest: cython.uint = 0
    size: cython.Py_ssize_t = 0
    for character in folded:
        if _is_word(character):
            size += 1
            highest |= cython.cast(cython.uint, character)
    if size == 0:
        return text.casefold().replace(" ", "")
    made: str = PyUnicode_New(size, min(highest, 0x10FFFF))
    kind = PyUnicode_KIND(made)
    data = PyUnicode_DATA(made)
    size = 0
    for character in folded:
        if _is_word(character):
            PyUnicode_WRITE(kind, data, size, character)
            size += 1
    return made


def _ascii_words() -> bytes:
    """Return for each character of ASCII that is a letter or digit the one that stands for it, else 0."""
    return bytes(ord(chr(code).lower()) if chr(code).isalnum() else 0 for code in range(128))


_ASCII_WORDS = cython.declare(cython.const[cython.uchar][::1], _ascii_words())


@cython.cfunc
def _squeezed_ascii(text: str) -> str:
    """Return a text of ASCII squeezed."""
    given = cython.cast(_Bytes, PyUnicode_DATA(text))
    size: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    for k in range(len(text)):
        size += _ASCII_WORDS[given[k]] != 0
    if size == 0:
        return text.lower().replace(" ", "")
    made: str = PyUnicode_New(size, 127)
    data = cython.cast(cython.p_uchar, PyUnicode_DATA(made))
    size = 0
    for k in range(len(text)):
        code = _ASCII_WORDS[given[k]]
        if code:
            data[size] = code
            size += 1
    return made


@cython.cfunc
def _folded(text: str) -> str:
    """Return a text with its blanks folded, without what cannot be seen."""
    character: cython.Py_UCS4
    code: cython.uint
    last: cython.uint = SPACE
    for character in text:
        code = cython.cast(cython.uint, character)
        if not SPACE <= code < 127 or (code == SPACE and last == SPACE):
            return fold(text)
        last = code
    return text.rstrip() if last == SPACE else text


@cython.cfunc
def _unspaced(text: str) -> str:
    """Return a text without blanks and what cannot be seen."""
    return "".join(_folded(text).split())


@cython.cfunc
@cython.exceptval(check=False)
def _ones(bits: cython.ulonglong) -> cython.int:
    """Return how many bits are set."""
    count: cython.int = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@cython.final
@cython.cclass
class Pattern:
    """A text that others are compared with: for each of its characters, where it stands, as bits."""

    size: cython.Py_ssize_t
    words: cython.Py_ssize_t  # of 64 bits, one for each character
    last_slot: cython.uint
    codes: bytearray  # a hash table of the characters, each plus 1,
    places: bytearray  # and the bits of each
    open: bytearray  # while a text is compared: the characters that are not in common yet

    def __init__(self, text: str) -> None:
        character: cython.Py_UCS4
        one: cython.ulonglong = 1
        at: cython.Py_ssize_t
        slots: cython.Py_ssize_t = 128
        self.size = len(text)
        self.words = (self.size + 63) >> 6
        while slots < 2 * self.size:
            slots *= 2
        self.last_slot = slots - 1
        self.codes = bytearray(4 * slots)
        self.places = bytearray(8 * slots * self.words)
        self.open = bytearray(8 * self.words)
        codes = cython.cast(cython.p_uint, cython.cast(cython.p_char, self.codes))
        places = cython.cast(_Bits, cython.cast(cython.p_char, self.places))
        for at in range(self.size):
            character = text[at]
            code = cython.cast(cython.uint, character)
            slot = self.slot(codes, code)
            codes[slot] = code + 1
            places[slot * self.words + (at >> 6)] |= one << (at & 63)

    @cython.cfunc
    @cython.exceptval(check=False)
    def slot(self, codes: cython.p_uint, code: cython.uint) -> cython.Py_ssize_t:
        """Return where in the table a character is, or would be."""
        at: cython.uint = code & self.last_slot
        while codes[at] and codes[at] != code + 1:
            at = (at + 1) & self.last_slot
        return at

    @cython.cfunc
    @cython.exceptval(check=False)
    def common(self, text: str) -> cython.Py_ssize_t:
        """Return the length of the longest common subsequence, by the bit-parallel method of Hyyrö."""
        codes = cython.cast(cython.p_uint, cython.cast(cython.p_char, self.codes))
        places = cython.cast(_Bits, cython.cast(cython.p_char, self.places))
        left = cython.cast(_Bits, cython.cast(cython.p_char, self.open))
        character: cython.Py_UCS4
        carry: cython.ulonglong
        before: cython.ulonglong
        taken: cython.ulonglong
        grown: cython.ulonglong
        found: cython.Py_ssize_t = 0
        words = self.words
        k: cython.Py_ssize_t
        for k in range(words):
            left[k] = ~cython.cast(cython.ulonglong, 0)
        for character in text:
            slot = self.slot(codes, cython.cast(cython.uint, character))
            if not codes[slot]:
                continue
            carry = 0
            for k in range(words):
                before = left[k]
                taken = before & places[slot * words + k]
                grown = before + taken + carry
                carry = grown < before or (carry and grown == before)
                left[k] = grown | (before - taken)
        for k in range(words):
            found += _ones(~left[k])
        return found

    @cython.ccall
    @cython.exceptval(check=False)
    def similarity(self, text: str) -> cython.double:
        """Return twice the longest common subsequence over the sum of the lengths; 0 where both are empty."""
        size: cython.double = self.size + len(text)
        return 2 * self.common(text) / size if size else 0.0


# The parts of a title


@cython.cfunc
def _pieces(title: str, spans: list) -> list:
    """Return what is between the cuts of a title."""
    found: list = []
    at: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    for start, stop in spans:
        found.append(title[at:start])
        at = stop
    found.append(title[at:])
    return found


@cython.ccall
def parts(title: str, spans: list) -> list[str]:
    """Return what is between the first cuts of a title, and all that is before or after each."""
    if not spans:
        return []
    spans = spans[:_MAX_PARTS]
    found: list = _pieces(title, spans)
    found += [title[:start] for start, _ in spans[1:]]
    found += [title[stop:] for _, stop in spans[: len(spans) - 1]]
    return [part for part in found if _longest_word(part)]


@cython.cfunc
def _longest_word(text: str) -> str:
    """Return the first of the longest runs of letters and digits; empty where there is none."""
    at: cython.Py_ssize_t
    begin: cython.Py_ssize_t = 0  # of the word that is being read
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t = 0
    for at in range(len(text)):
        if not _is_word(text[at]):
            begin = at + 1
        elif at + 1 - begin > stop - start:
            start, stop = begin, at + 1
    return text[start:stop]


# The address


@cython.cfunc
def _host_and_path(url: str) -> tuple:
    """Return the name of the host in lower case, and the path."""
    if not url:
        return "", ""
    size: cython.Py_ssize_t = len(url)
    start: cython.Py_ssize_t = 8 if url.startswith("https://") else 7 if url.startswith("http://") else 0
    stop: cython.Py_ssize_t = start
    character: cython.Py_UCS4
    for character in url:
        if not SPACE < cython.cast(cython.int, character) < 127:
            start = 0
    while stop < size and (_is_word(url[stop]) or url[stop] == "." or url[stop] == "-"):
        stop += 1
    if start == 0 or (stop < size and url[stop] not in "/?#"):
        parts = split_url(url)
        return parts.hostname or "", parts.path
    end: cython.Py_ssize_t = stop
    while end < size and url[end] not in "?#":
        end += 1
    return url[start:stop].lower(), url[stop:end]


@cython.cfunc
def _wordiest(path: str) -> str:
    """Return the part of a path with the most words, if it has enough: letters, two or more in a row."""
    size: cython.Py_ssize_t = len(path)
    most: cython.int = _MIN_SLUG - 1
    words: cython.int = 0
    letters: cython.int = 0
    begin: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    for at in range(size + 1):
        if at < size and _is_word(path[at]) and not path[at].isdecimal():
            letters += 1
            words += letters == 2
            continue
        letters = 0
        if at == size or path[at] == "/":
            if words > most:
                most, start, stop = words, begin, at
            words, begin = 0, at + 1
    return path[start:stop]


@cython.ccall
def host_and_slug(url: str) -> tuple[str, str]:
    """Return the name of the host without what all hosts have, and the part of the path with the most words."""
    host, path = _host_and_path(url)
    path = path[:_MAX_LENGTH]
    if "%" in path:
        from urllib.parse import unquote

        path = unquote(path)
    slug: str = _wordiest(path)
    return host.removeprefix("www.").rpartition(".")[0], slug.rpartition(".")[0] or slug


# What candidates are compared with


@cython.final
@cython.cclass
class Witnesses:
    """What candidates are compared with: squeezed, unless it is said to be as it stands."""

    texts: list  # the stated titles as they stand
    external: list  # the external titles as they stand
    title: str
    declared: list
    outside: list  # the external titles that are whole,
    begun: list  # and those that were cut short
    titles: list  # all of these
    common: list  # these and the slug, less what is part of another
    sites: list
    slug: str
    pieces: dict  # of each stated or external title as it stands: what is between its cuts
    parts: set  # of the stated titles
    longest: str  # the longest part of the title, or of what stands for it
    patterns: dict

    def __init__(
        self, title: str, declared: Sequence[str], external: Sequence[str], sites: Sequence[str], slug: str
    ) -> None:
        """Take the title, the other titles that the page states, those of other pages, names of the site, a slug."""
        self.texts = list(dict.fromkeys([text for text in (title, *declared) if text]))
        self.external = list(external)
        self.title = squeeze(title)
        self.slug = squeeze(slug)
        self.declared = _keys(declared)
        self.outside = [squeeze(text) for text in external if not text.endswith(_CUT_SHORT)]
        self.begun = [squeeze(text) for text in external if text.endswith(_CUT_SHORT)]
        self.titles = _keys([*self.texts, *external])
        self.common = _outermost([*self.titles, self.slug] if self.slug else self.titles)
        self.sites = _keys(sites)
        self.patterns = {}
        self._cut()

    @cython.cfunc
    def _cut(self):
        """Cut the titles into their parts."""
        text: str
        self.pieces = {}
        self.parts = set()
        for text in self.texts:
            spans = partings(text)
            self.pieces[text] = _pieces(text, spans)
            self.parts.update([squeeze(part) for part in parts(text, spans)])
        for text in self.external:
            self.pieces.setdefault(text, _pieces(text, partings(text)))
        self.longest = ""
        for text in next(iter(self.pieces.values()), ()):
            key = squeeze(text)
            if len(key) > len(self.longest):
                self.longest = key

    @cython.cfunc
    def pattern(self, key: str) -> Pattern:
        """Return the pattern of a text, made once."""
        found = self.patterns.get(key)
        if found is None:
            found = self.patterns[key] = Pattern(key)
        return found

    @cython.cfunc
    @cython.exceptval(-1)
    def holds(self, key: str) -> cython.bint:
        """Whether a text is in a title."""
        title: str
        for title in self.titles:
            if key in title:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1)
    def shares(self, key: str) -> cython.bint:
        """Whether enough of a heading is in a stated title or in the URL, where there is one."""
        title: str
        least: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ceil(_MIN_COMMON * len(key)))
        for title in self.common:
            if least <= len(title) and self.pattern(title).common(key) >= least:
                return True
        return not self.common

    @cython.cfunc
    @cython.exceptval(-1)
    def has_part(self, key: str) -> cython.bint:
        """Whether a text is a long part of a stated title, and not just the site's name."""
        return len(key) >= _MIN_PART * len(self.longest) and key in self.parts and key not in self.sites

    @cython.cfunc
    @cython.exceptval(-1)
    def agrees(self, key: str) -> cython.bint:
        """Whether a text has so much of the longest part of the title that no other line need be looked for."""
        return len(key) >= _MIN_PART * len(self.longest) and (key in self.longest or self.longest in key)

    @cython.cfunc
    @cython.exceptval(check=True)
    def likeness(self, key: str, others: list) -> cython.double:
        """Return the greatest similarity of a text to some others."""
        most: cython.double = 0.0
        other: str
        for other in others:
            most = max(most, self.pattern(other).similarity(key))
        return most

    @cython.cfunc
    @cython.exceptval(check=True)
    def external_likeness(self, key: str) -> cython.double:
        """Return the similarity to the external titles; one that was cut short is compared with as much as it has."""
        most: cython.double = self.likeness(key, self.outside)
        other: str
        for other in self.begun:
            most = max(most, self.pattern(other).similarity(key[: len(other)]))
        return most


@cython.cfunc
def _keys(texts: Any) -> list:
    """Return some texts squeezed, each once."""
    return list(dict.fromkeys([key for text in texts if (key := squeeze(text))]))


@cython.cfunc
def _outermost(titles: list) -> list:
    """Return the titles that are not part of another: what is in common with a part is in common with the whole."""
    found: list = []
    title: str
    other: str
    for title in titles:
        for other in titles:
            if len(other) > len(title) and title in other:
                break
        else:
            found.append(title)
    return found


# The texts of a page


@cython.cfunc
def _decoded(view: PageView, start: cython.int, stop: cython.int) -> str:
    """Return some text of a page."""
    text = cython.cast(cython.p_char, view.text_buffer)
    return PyUnicode_DecodeUTF8(text + start, stop - start, b"replace")


@cython.cfunc
def _shown(page: Any, view: PageView, row: cython.int) -> str:
    """Return the text that is seen below a row, its blanks folded."""
    seen: bytes = shown(page, row, view.end[row])
    return _folded(seen.decode("utf-8", "replace"))


@cython.cfunc
@cython.exceptval(check=False)
def _is_partly_seen(view: PageView, row: cython.int) -> cython.bint:
    """Whether something below a visible row is hidden; one text in one element is visible as a whole."""
    below: cython.int
    if view.end[row] - row > 2:
        for below in range(row, view.end[row]):
            if view.visibility[below] != IS_SEEN:
                return True
    return False


@cython.cfunc
def _seen(page: Any, view: PageView, row: cython.int) -> str:
    """Return the visible text below a row, not caring for blanks between its lines; empty where it is too long."""
    size = view.text_at[view.end[row]] - view.text_at[row]
    if not 0 < size <= _MAX_BYTES_LENGTH or view.end[row] - row > _MAX_ROWS:
        return ""
    if _is_partly_seen(view, row):
        return _shown(page, view, row)
    return _decoded(view, view.text_at[row], view.text_at[view.end[row]])


@cython.ccall
def without_sign(text: str) -> str:
    """Return a text without a sign that may be a permalink, at its end or else at its beginning."""
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t = len(text)
    while stop > 0 and text[stop - 1].isspace():
        stop -= 1
    while start < stop and text[start].isspace():
        start += 1
    if start == stop:
        return text
    if text[stop - 1] in _PERMALINKS:
        return text[start : stop - 1].rstrip()
    return text[start + 1 : stop].lstrip() if text[start] in _PERMALINKS else text


@cython.cfunc
def _without_permalink(view: PageView, row: cython.int, text: str) -> str:
    """Return the text of a heading without the sign that links to it."""
    bare: str = without_sign(text)
    below: cython.int
    if len(bare) == len(text):
        return text
    for below in range(row + 1, view.end[row]):
        if view.tag[below] == TAG_A and "#" in _href(view, below) and view.text_of(below).strip() in PERMALINKS:
            return bare
    return text


@cython.cfunc
def _href(view: PageView, row: cython.int) -> str:
    """Return the address that an element links to; empty where it has none."""
    k = view.attribute(row, ATTR_HREF)
    return view.value_of(k) if k >= 0 else ""


# Candidates


@cython.final
@cython.cclass
class Candidate:
    """A text that may be the headline, and where it stands."""

    key: str  # squeezed
    text = cython.declare(str, visibility="readonly")
    row: cython.int  # where it is visible; -1 where it is only stated
    level = cython.declare(cython.int, visibility="readonly")  # of its heading; 0 for none
    alike = cython.declare(cython.int, visibility="readonly")  # other headings of its level and depth
    is_line: cython.bint
    is_marked: cython.bint  # as the headline, by itemprop

    def __init__(self, key: str, text: str, row: cython.int = -1, level: cython.int = 0, alike: cython.int = 0) -> None:
        self.key, self.text, self.row, self.level, self.alike = key, text, row, level, alike


@cython.ccall
def text_of(page: Any, candidate: Candidate) -> str:
    """Return a candidate as readers see it."""
    view: PageView = measured(page)
    row = candidate.row
    text: str = candidate.text
    if row >= 0 and view.end[row] - row > 2:
        text = _without_permalink(view, row, _shown(page, view, row))
    return _folded(text)[:_MAX_LENGTH]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _visible_headings(view: PageView, rows: cython.p_int) -> cython.int:
    """Write down the visible ones of the first headings; return how many there are."""
    left: cython.int = _MAX_HEADINGS
    count: cython.int = 0
    row: cython.int
    for row in range(view.rows):
        if TAG_H1 <= view.tag[row] <= TAG_H6:
            if left == 0:
                break
            left -= 1
            if view.visibility[row] == IS_SEEN:
                rows[count] = row
                count += 1
    return count


@cython.cfunc
@cython.exceptval(check=False)
def _heading_bytes(view: PageView, row: cython.int) -> cython.int:
    """Return how long the text of a heading is; 0 where it is too long to be one."""
    size = view.text_at[view.end[row]] - view.text_at[row]
    return size if size <= _MAX_BYTES_LENGTH else 0


@cython.cfunc
def _heading_text(view: PageView, row: cython.int) -> str:
    """Return the text of a heading, seen or not, without a permalink."""
    return _without_permalink(view, row, _decoded(view, view.text_at[row], view.text_at[view.end[row]]))


@cython.ccall
def plain(page: Any, titles: list[str]) -> str:
    """Return the only `h1` of a page if all titles that the page states have it, one as its first half; else ""."""
    view: PageView = measured(page)
    rows = cython.declare(cython.int[100])
    row: cython.int = -1
    key: str
    title: str
    is_beginning = False
    for k in range(_visible_headings(view, rows)):
        if view.tag[rows[k]] == TAG_H1:
            if row >= 0:
                return ""
            row = rows[k]
    if row < 0 or not _heading_bytes(view, row) or _is_partly_seen(view, row):
        return ""
    text: str = _heading_text(view, row)
    key = squeeze(text)
    if len(key) < _PLAIN_LENGTH:
        return ""
    for title in titles:
        if title:
            title = squeeze(title)
            if key not in title:
                return ""
            is_beginning |= title.startswith(key) and 2 * len(key) >= len(title)
    return text_of(page, Candidate(key, text, row)) if is_beginning else ""


@cython.final
@cython.cclass
class _Search:
    """The search for every text of a page that may be the headline."""

    page: object
    view: PageView
    witnesses: Witnesses
    every: cython.bint
    found: dict  # the candidates by their keys

    def __init__(self, page: Any, witnesses: Witnesses, every: bool) -> None:
        self.page, self.view, self.witnesses, self.every = page, measured(page), witnesses, every
        self.found = {}

    @cython.cfunc
    def add(self, key: str, text: str, row: cython.int) -> Candidate:
        """Add a candidate that is no heading, unless it is there already; return the one that is there."""
        known = self.found.get(key)
        if known is None:
            known = self.found[key] = Candidate(key, text, row)
        return known

    @cython.cfunc
    def add_stated(self, text: str):
        """Add a text that is only stated."""
        key = squeeze(text)
        if key:
            self.add(key, text, -1)

    # Headings

    @cython.cfunc
    def add_headings(self):
        """Add the visible headings; below h1, those that have enough in common with a stated title."""
        view = self.view
        rows = cython.declare(cython.int[100])
        k: cython.int
        j: cython.int
        count = _visible_headings(view, rows)
        for k in range(count):
            row = rows[k]
            if not _heading_bytes(view, row):
                continue
            text = _heading_text(view, row)
            key = squeeze(text)
            if view.tag[row] != TAG_H1 and not self.every and not self.witnesses.shares(key):
                continue
            alike = -1
            for j in range(count):
                alike += view.tag[rows[j]] == view.tag[row] and view.depth[rows[j]] == view.depth[row]
            if _is_partly_seen(view, row):
                text = _without_permalink(view, row, _seen(self.page, view, row))
                key = squeeze(text)
            self.add_heading(Candidate(key, text, row, view.tag[row] - TAG_H1 + 1, alike))
            if not self.witnesses.holds(key):
                self.add_inner(row, alike)

    @cython.cfunc
    def add_heading(self, heading: Candidate):
        """Add a heading; of two with the same text, the one of the higher level stays."""
        before: Candidate = self.found.get(heading.key)
        if heading.key and (before is None or heading.level < before.level):
            self.found[heading.key] = heading

    @cython.cfunc
    def add_inner(self, row: cython.int, alike: cython.int):
        """Add the longest text of a heading that has a label too, if it is most of the heading, and in a title."""
        view = self.view
        longest: cython.int = row
        sum: cython.int = 0
        below: cython.int
        if not 3 < view.end[row] - row <= _MAX_ROWS:
            return
        for below in range(row, view.end[row]):
            sum += view.chars[below]
            if view.chars[below] > view.chars[longest]:
                longest = below
        if 2 * view.chars[longest] > sum:
            text = view.text_of(longest)
            key = squeeze(text)
            if self.witnesses.holds(key):
                self.add_heading(Candidate(key, text, longest, view.tag[row] - TAG_H1 + 1, alike))

    # Marked elements

    @cython.cfunc
    def add_marked(self):
        """Add the elements that microdata calls the headline."""
        view = self.view
        left: cython.int = _MAX_LOOKS
        k: cython.int
        for k in range(view.attributes):
            if view.attribute_name[k] != ATTR_ITEMPROP:
                continue
            if view.value_buffer.find(_MARKED, view.value_at[k], view.value_at[k + 1]) < 0:
                continue
            if left == 0:
                return
            left -= 1
            row = _row_at(view.attribute_at, view.rows, k)
            if view.visibility[row] == IS_SEEN:
                text = _seen(self.page, view, row)
                key = squeeze(text)
                if key:
                    self.add(key, text, row).is_marked = True

    # Lines

    @cython.cfunc
    def add_lines(self):
        """Add the visible lines, and the elements around them, with a long word of a stated title and little more."""
        words: dict = {}
        title: str
        for title, pieces in self.witnesses.pieces.items():
            for piece in pieces[:_MAX_PROBES]:
                word = _longest_word(piece)
                if word:
                    words.setdefault(word, title)
        for word, title in list(words.items())[:_MAX_PROBES]:
            self.add_rows(word.encode(), cython.cast(cython.int, len(title.encode()) * 1.3 + _SPARE_BYTES))

    @cython.cfunc
    def add_rows(self, word: bytes, longest: cython.int):
        """Add the visible ones of the first texts with a word, and the elements around them."""
        view = self.view
        row: cython.int = 1
        probe: _Probe = _Probe(view, word)
        # Most words are not visible anywhere, or only in paragraphs.
        last = probe.last_row(view.rows - 1, view.text_at[view.rows])
        probe.stop = view.text_at[last + 1]
        last = probe.last_row(last, longest)
        while row <= last:
            at: cython.Py_ssize_t = view.text_at[row]
            while row <= last and _size(view, row) <= max(_PUT_OFF, longest):
                row += 1
            if not self.add_between(probe, at, view.text_at[row] + len(word) - 1, longest):
                return
            probe.put_off(row)
            row += 1

    @cython.cfunc
    @cython.exceptval(-1)
    def add_between(
        self, probe: _Probe, at: cython.Py_ssize_t, stop: cython.Py_ssize_t, longest: cython.int
    ) -> cython.bint:
        """Add the visible texts with a word between two places; return whether there may be more."""
        view = self.view
        while True:
            at = probe.find(at, stop)
            if at < 0:
                return True
            row = _row_at(view.text_at, view.rows, at)
            if view.chars[row] and _size(view, row) <= longest:
                if not probe.is_among_first():
                    return False
                self.add_around(row, longest)
            probe.found += 1
            if probe.found >= _MAX_LOOKS:
                return False
            at = view.text_at[row + 1]

    @cython.cfunc
    def add_around(self, row: cython.int, longest: cython.int):
        """Add a text and the elements around it while they have little more text, one for each length."""
        view = self.view
        size: cython.int = 0
        while row >= 0:
            bigger = view.text_at[view.end[row]] - view.text_at[row]
            if bigger > longest:
                return
            if bigger > size:
                text = _seen(self.page, view, row)
                key = squeeze(text)
                # Where a link cuts a line, nothing but punctuation may be left of it.
                if len(key) <= _MAX_LINE_LENGTH and _longest_word(key):
                    self.add(key, text, row).is_line = True
            size = bigger
            row = view.parent[row]

    # All of them

    @cython.cfunc
    @cython.exceptval(-1)
    def needs_lines(self) -> cython.bint:
        """Whether no candidate agrees with the title so far."""
        one: Candidate
        for one in self.found.values():
            if self.witnesses.agrees(one.key):
                return self.every
        return True

    @cython.cfunc
    @cython.exceptval(-1)
    def shows_part(self) -> cython.bint:
        """Whether a candidate is a long part of a stated title."""
        one: Candidate
        for one in self.found.values():
            if self.witnesses.has_part(one.key):
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1)
    def is_like_external(self) -> cython.bint:
        """Whether a candidate is similar to an external title."""
        one: Candidate
        for one in self.found.values():
            if self.witnesses.external_likeness(one.key) >= _UNLIKE:
                return True
        return False

    @cython.cfunc
    def run(self) -> list:
        """Return the candidates, each once."""
        text: str
        self.add_headings()
        self.add_marked()
        if self.needs_lines():
            self.add_lines()
        # A visible part of a title goes before what is only stated.
        if not self.shows_part():
            for text in self.witnesses.texts:
                self.add_stated(text)
                self.add_stated(max(self.witnesses.pieces[text], key=len))
        # What other pages call it is a witness, and the headline itself only where nothing here is similar to it.
        if self.witnesses.external and not self.is_like_external():
            for text in self.witnesses.external:
                self.add_stated(text)
        return list(self.found.values())


@cython.ccall
def candidates(page: Any, witnesses: Witnesses, every: bool = False) -> list[Candidate]:
    """Return every text that may be the headline, each once; `every` heading and line, also those that cannot win."""
    search: _Search = _Search(page, witnesses, every)
    return search.run()


@cython.cfunc
@cython.exceptval(check=False)
def _row_at(starts: cython.const[cython.int][::1], rows: cython.int, at: cython.int) -> cython.int:
    """Return the last row that begins at or before a place, given where rows begin."""
    return max(count_below(cython.address(starts[0]), rows, at + 1) - 1, 0)


@cython.final
@cython.cclass
class _Probe:
    """A word that is looked for in the text of a page, up to `stop`: it may begin in one text and go on in the next.

    What it begins with is looked for first, by the method of Horspool.
    """

    view: PageView
    word: bytes
    begin: _Bytes
    text: _Bytes
    stop: cython.Py_ssize_t
    last: cython.int  # the last byte of the beginning
    steps: cython.uchar[256]  # by the byte that stands there: how far the next place is
    found: cython.int  # texts with the word so far
    longest: cython.int[12]  # texts that are not read yet: they may have it
    waiting: cython.int  # how many they are

    def __init__(self, view: PageView, word: bytes) -> None:
        k: cython.int
        self.view, self.word = view, word
        self.text = cython.cast(_Bytes, cython.cast(cython.p_char, view.text_buffer))
        self.stop = self.found = self.waiting = 0
        self.last = min(len(word), _PROBE_BYTES) - 1
        self.begin = cython.cast(_Bytes, cython.cast(cython.p_char, word))
        for k in range(256):
            self.steps[k] = self.last + 1
        for k in range(self.last):
            self.steps[self.begin[k]] = self.last - k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def beginning(self, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the word may begin first, between two places; -1 where it does not."""
        begin, text, last = self.begin, self.text, self.last
        at += last
        while at < stop:
            if text[at] == begin[last] and memcmp(text + at - last, begin, last) == 0:
                return at - last
            at += self.steps[text[at]]
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def last_row(self, row: cython.int, longest: cython.int) -> cython.int:
        """Return the last visible text of up to `longest` bytes, up to a row, in which the word may begin; or -1."""
        chars: cython.pointer(cython.const[cython.int]) = cython.address(self.view.chars[0])
        text_at: cython.pointer(cython.const[cython.int]) = cython.address(self.view.text_at[0])
        while row > 0:
            stop: cython.Py_ssize_t = text_at[row + 1]
            if chars[row] and stop - text_at[row] <= longest:
                if self.beginning(text_at[row], max(stop, min(stop + self.last, self.stop))) >= 0:
                    return row
            row -= 1
        return -1

    @cython.cfunc
    @cython.exceptval(-2)
    def find(self, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the word stands first, between two places; -1 where it does not."""
        stop = min(stop, self.stop)
        at = self.beginning(at, stop)
        return at if at < 0 or self.last + 1 == len(self.word) else self.view.text_buffer.find(self.word, at, stop)

    @cython.cfunc
    @cython.exceptval(-1)
    def count(self, row: cython.int) -> cython.int:
        """Count a text if the word begins in it."""
        stop: cython.Py_ssize_t = self.view.text_at[row + 1]
        self.found += self.find(self.view.text_at[row], stop + len(self.word) - 1) >= 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def put_off(self, row: cython.int) -> cython.int:
        """Keep a long text, most likely a script, to be read if need be; of too many, read the shortest."""
        if self.waiting < _MAX_LOOKS:
            self.longest[self.waiting] = row
            self.waiting += 1
        else:
            self.count(self.shortest(row))
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def shortest(self, row: cython.int) -> cython.int:
        """Return the shortest of a text and those that were put off; the others remain."""
        k: cython.int
        for k in range(self.waiting):
            if _size(self.view, self.longest[k]) < _size(self.view, row):
                self.longest[k], row = row, self.longest[k]
        return row

    @cython.cfunc
    @cython.exceptval(-1)
    def is_among_first(self) -> cython.bint:
        """Whether a text is among the first with the word; what was put off is read as far as that depends on it."""
        while self.found < _MAX_LOOKS <= self.found + self.waiting:
            self.waiting -= 1
            self.count(self.shortest(self.longest[self.waiting]))
        return self.found < _MAX_LOOKS


@cython.cfunc
@cython.exceptval(check=False)
def _size(view: PageView, row: cython.int) -> cython.int:
    """Return how many bytes the text of a row has."""
    return view.text_at[row + 1] - view.text_at[row]


# What speaks for a candidate


@cython.final
@cython.cclass
class _Judge:
    """What speaks for and against the candidates of a page."""

    view: PageView
    witnesses: Witnesses
    title: Pattern
    longest_text: cython.int  # the row with the most characters
    homes: set  # the rows of headings that link to the front page
    only: Candidate  # the one h1 that does not name the site
    signs: cython.double[23]  # of a candidate, in the order of the weights

    def __init__(self, page: Any, witnesses: Witnesses, found: list[Candidate]) -> None:
        one: Candidate
        row: cython.int
        self.view, self.witnesses = measured(page), witnesses
        self.title = witnesses.pattern(witnesses.title)
        self.longest_text = 0
        view: PageView = self.view
        longest: cython.int = 0
        for row in range(view.rows):
            if view.chars[row] > view.chars[longest]:
                longest = row
        self.longest_text = longest
        self.homes = set()
        self.only = None
        proper = 0
        for one in found:
            if one.level == 1 and self.leads_home(one.row):
                self.homes.add(one.row)
        for one in found:
            if one.level == 1 and one.row not in self.homes and one.key not in witnesses.sites:
                proper += 1
                self.only = one if proper == 1 else None

    @cython.cfunc
    @cython.exceptval(-1)
    def leads_home(self, row: cython.int) -> cython.bint:
        """Whether a heading links to the front page: then it names the site."""
        view = self.view
        below: cython.int
        for below in range(row, min(view.end[row], row + _LINK_ROWS)):
            if view.tag[below] == TAG_A and _is_home(_href(view, below)):
                return True
        for _ in range(_LINK_DEPTH):
            row = view.parent[row]
            if row < 0:
                return False
            if view.tag[row] == TAG_A and _is_home(_href(view, row)):
                return True
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_linked(self, row: cython.int) -> cython.bint:
        """Whether a row, or the next, is in a link."""
        return self.view.linked[row] or (row + 1 < self.view.rows and self.view.linked[row + 1])

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_aside(self, row: cython.int) -> cython.bint:
        """Whether a row is below an element that is not about the page."""
        while row > 0:
            row = self.view.parent[row]
            tag = self.view.tag[row]
            if tag == TAG_ASIDE or tag == TAG_NAV or tag == TAG_FOOTER:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1)
    def read(self, one: Candidate) -> cython.int:
        """Read the signs of a candidate."""
        witnesses = self.witnesses
        key: str = one.key
        title: str = witnesses.title
        is_h1 = one.level == 1
        visible = one.row >= 0
        linked = visible and self.is_linked(one.row)
        like_title = self.title.similarity(key)
        signs = self.signs
        signs[0] = is_h1
        signs[1] = one.level == 2
        signs[2] = one.is_line
        signs[3] = visible
        signs[4] = like_title if visible else 0.0
        signs[5] = like_title
        signs[6] = visible and witnesses.holds(key)
        signs[7] = visible and witnesses.has_part(key)
        signs[8] = key == title
        signs[9] = key != title and title.endswith(key)
        signs[10] = key != title and len(title) > 0 and title in key
        signs[11] = witnesses.likeness(key, witnesses.declared)
        signs[12] = witnesses.pattern(witnesses.slug).similarity(key) if witnesses.slug else 0.0
        signs[13] = min(1.0, len(key) / _FULL_LENGTH) if one is self.only else 0.0
        signs[14] = witnesses.likeness(key, witnesses.sites)
        signs[15] = linked
        signs[16] = visible and self.is_aside(one.row)
        signs[17] = log1p(one.alike)
        signs[18] = visible and one.row < self.longest_text
        signs[19] = is_h1 and linked and one.row in self.homes
        signs[20] = one.is_marked
        signs[21] = witnesses.external_likeness(key)
        signs[22] = key in witnesses.outside
        return 0


@cython.cfunc
@cython.exceptval(-1)
def _is_home(href: str) -> cython.bint:
    """Whether an address is that of a front page."""
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return False
    name: str = parts.path.strip("./")
    bare = not parts.query and not parts.fragment and bool(href.strip())
    return bare and "/" not in name and name.partition(".")[0] in _HOME_NAMES


def signs(page: Any, witnesses: Witnesses, found: list[Candidate]) -> list[tuple[float, ...]]:
    """Return the signs of each of some candidates, in the order of the weights."""
    judge: _Judge = _Judge(page, witnesses, found)
    one: Candidate
    read = []
    for one in found:
        judge.read(one)
        read.append(tuple([judge.signs[k] for k in range(23)]))
    return read


@cython.ccall
def witnesses_of(page: Any, external: Sequence[str], address: str) -> Witnesses:
    """Return what the candidates of a page are compared with, given what others call it, and its address or ""."""
    stated: Statements = statements(page)
    host, slug = host_and_slug(address)
    sites = [text for _, text in stated.firsts("og:site_name", "application-name")]
    return Witnesses(stated.title, stated.declared, external, [*sites, host], slug)


def plain_headline(page: Any) -> str:
    """Return the headline if the page has a single `h1` that all titles that it states confirm; else ""."""
    stated: Statements = statements(page)
    return plain(page, [stated.title, *stated.declared])


@cython.ccall
def best(page: Any, witnesses: Witnesses, weights: tuple[float, ...]) -> str:
    """Return the candidate with the most signs of a headline, as readers see it."""
    found: list = candidates(page, witnesses)
    if len(found) < 2:
        return text_of(page, found[0]) if found else ""
    judge: _Judge = _Judge(page, witnesses, found)
    weight = cython.declare(cython.double[23])
    one: Candidate
    winner: Candidate = found[0]
    most: cython.double = 0.0
    sum: cython.double
    k: cython.int
    if len(weights) != 23:
        raise ValueError(f"{len(weights)} weights for 23 signs")
    for k in range(23):
        weight[k] = weights[k]
    for one in found:
        judge.read(one)
        sum = 0.0
        for k in range(23):
            sum += judge.signs[k] * weight[k]
        if sum > most or one is winner:
            winner, most = one, sum
    return text_of(page, winner)


# Lines of the body that only repeat the headline

_HEADING_DEPTH = cython.declare(cython.int, 8)  # elements between a heading and its text, at most
_HEADLINE_LINES = cython.declare(cython.int, 5)  # of a headline, at most
_BEGINNING = cython.declare(cython.int, 20)  # lines at the start of an article, among which its headline may stand


@cython.final
@cython.cclass
class _Body:
    """The lines of a page, and the headline that is looked for among them."""

    page: object
    view: PageView
    rows: cython.const[cython.longlong][::1]
    starts: cython.const[cython.longlong][::1]
    chars: cython.const[cython.int][::1]
    kept: cython.const[cython.uchar][::1]  # by row of the page
    lines: cython.Py_ssize_t
    title: str  # without blanks

    def __init__(self, page: Any, rows: Any, starts: Any, chars: Any, kept: Any, title: str) -> None:
        self.page, self.view = page, measured(page)
        self.rows, self.starts, self.chars, self.kept = rows, starts, chars, kept
        self.lines = len(self.starts)
        self.title = "".join(title.split())

    @cython.cfunc
    @cython.exceptval(check=False)
    def stop(self, line: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where in `rows` a line ends."""
        return self.starts[line + 1] if line + 1 < self.lines else len(self.rows)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_kept(self, line: cython.Py_ssize_t) -> cython.bint:
        """Whether a line is kept, at least in part."""
        k: cython.Py_ssize_t
        for k in range(self.starts[line], self.stop(line)):
            if self.kept[self.rows[k]]:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def in_heading(self, row: cython.Py_ssize_t) -> cython.bint:
        """Whether a text stands in a heading."""
        for _ in range(_HEADING_DEPTH):
            row = self.view.parent[row]
            if row < 0:
                return False
            if TAG_H1 <= self.view.tag[row] <= TAG_H6:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def may_begin(self, row: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.bint:
        """Whether the title may go on with a text from a place on, or with a permalink, as far as ASCII tells."""
        k: cython.int
        is_first = True
        for k in range(self.view.text_at[row], self.view.text_at[row + 1]):
            c = self.view.text[k]
            if is_space(c):
                continue
            if not SPACE < c < 127 or (is_first and c == 35):  # a number sign
                return True
            if at == len(self.title) or cython.cast(cython.int, self.title[at]) != c:
                return False
            at += 1
            is_first = False
        return True

    @cython.cfunc
    def text(self, line: cython.Py_ssize_t) -> str:
        """Return the text of a line without its blanks."""
        seen: bytes = shown(self.page, self.rows[self.starts[line]], self.rows[self.stop(line) - 1] + 1)
        return _unspaced(seen.decode("utf-8", "replace"))

    @cython.cfunc
    def spelling(self, line: cython.Py_ssize_t, most: cython.int) -> list:
        """Return the lines from one on that together spell the title; none where they do not."""
        taken: list = []
        rest: str = self.title
        while len(taken) < most and line < self.lines:
            first = self.rows[self.starts[line]]
            if self.chars[line] > len(rest) + 1 or not self.may_begin(first, len(self.title) - len(rest)):
                break
            text: str = _unspaced(self.view.text_of(first))
            if not (text in PERMALINKS or rest.startswith(text)):
                break
            if self.stop(line) - self.starts[line] > 1:
                text = self.text(line)
            if not rest.startswith(text) and self.in_heading(first):
                text = without_sign(text)
            if not text or not rest.startswith(text):
                break
            rest = rest[len(text) :]
            taken.append(line)
            if not rest:
                return taken
            line += 1
        return []

    @cython.cfunc
    def headline(self) -> list:
        """Return the lines that are the headline: in a heading anywhere, elsewhere only before anything longer."""
        found: list = []
        size: cython.Py_ssize_t = len(self.title)
        first: cython.Py_ssize_t = 0
        line: cython.Py_ssize_t
        while first < self.lines and not self.is_kept(first):
            first += 1
        if first == self.lines:
            return found
        start = max(0, first - _HEADLINE_LINES)  # its first lines may have been dropped already
        for line in range(start, min(start + _BEGINNING, self.lines)):
            if line >= first and self.chars[line] > size:
                break
            found += self.spelling(line, _HEADLINE_LINES)
        for line in range(self.lines):
            if size <= self.chars[line] <= size + 1 and self.in_heading(self.rows[self.starts[line]]):
                found += self.spelling(line, 1)  # with a permalink, one character more
        return found

    @cython.cfunc
    @cython.exceptval(-1)
    def keeps_more(self, dropped: set) -> cython.bint:
        """Whether a line is kept that is not one of some."""
        line: cython.Py_ssize_t
        for line in range(self.lines):
            if self.is_kept(line) and line not in dropped:
                return True
        return False


def repeating_lines(page: Any, rows: Any, starts: Any, chars: Any, kept: Any, title: str) -> set[int]:
    """Return the lines of a page that only repeat the headline; none where nothing else is kept.

    The lines are given by the rows of their texts, where in these each begins, and their characters; what is `kept`, by
    row of the page.
    """
    body: _Body = _Body(page, rows, starts, chars, kept, title)
    found: set = set(body.headline()) if body.title else set()
    return found if found and body.keeps_more(found) else set()
