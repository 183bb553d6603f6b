# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Addresses of links: made absolute where that is plain to see, and what they say of the page behind them."""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel.common import fnv_seed, is_digit, is_letter, mix, plus, scatter
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.digests import KnownWords, word_digest

from pagesieve.text.urls import BUTTONS, TRACKING, TRACKING_STARTS

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAMES = _LETTERS + _LETTERS.upper() + "0123456789_-+~,=@!./"
_SIGNS = bytes(
    (IN_PATH if sign in _NAMES else 0)
    | (IN_QUERY if sign in _NAMES + "&;:|" else 0)
    | (IN_HOST if sign in _LETTERS + "0123456789-" else 0)
    for sign in map(chr, range(256))
)
_SCRIPT = cython.declare(cython.const[cython.uchar][::1], b"javascript:")
_SCHEMES = cython.declare(cython.const[cython.uchar][::1], b"https://")
_WWW = cython.declare(cython.const[cython.uchar][::1], b"www.")
_UPLOADS = cython.declare(cython.const[cython.uchar][::1], b"/uploads/")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_blank(c: cython.int) -> cython.bint:
    """Whether a byte is stripped from the ends of an address."""
    return c == SPACE or TAB <= c <= LINE_FEED or FORM_FEED <= c <= CARRIAGE_RETURN or c == 0


_DROPPED = cython.declare(KnownWords, KnownWords(dict.fromkeys((*TRACKING, *BUTTONS), 1)))
_DROPPED_STARTS = cython.declare(KnownWords, KnownWords(dict.fromkeys(TRACKING_STARTS, 1)))
_MAX_START_LENGTH = cython.declare(cython.int, max(map(len, TRACKING_STARTS)))


class Joiner:
    """Addresses made absolute, as `text.urls.absolute` does it, where they are of plain characters; most are."""

    def __init__(self, origin: bytes, folder: bytes) -> None:
        is_long = len(folder) > MAX_PLAIN_LENGTH
        self.origin, self.folder = b"" if is_long else origin, b"" if is_long else folder
        self.signs = _SIGNS
        self.dropped, self.starts, self.longest_start = _DROPPED, _DROPPED_STARTS, _MAX_START_LENGTH
        self.data = bytearray(2 * MAX_PLAIN_LENGTH + 16)
        self.size = 0

    def join(self, text, start, stop):
        """Write where an address leads to `data`; return whether it leads anywhere, or that is not plain to see."""
        if start < stop and text[start] == HASH:
            return LEADS_NOWHERE
        while start < stop and _is_blank(text[start]):
            start += 1
        while start < stop and _is_blank(text[stop - 1]):
            stop -= 1
        if stop - start > MAX_PLAIN_LENGTH:
            return LEADS_UNSURE
        if self.has_prefix(text, start, stop, _SCRIPT):
            return LEADS_NOWHERE
        self.size = 0
        at = self.put_begin(text, start, stop)
        if at < 0:
            return LEADS_UNSURE
        if at < stop and text[at] == QUESTION:
            return LEADS_THERE if self.put_query(text, at + 1, stop) else LEADS_UNSURE
        # A button is told by what is after a question mark, even after `#`.
        return LEADS_UNSURE if self.has(text, at, stop, QUESTION) else LEADS_THERE

    def has(self, text, start, stop, sign):
        """Whether a byte stands in a span."""
        for k in range(start, stop):
            if text[k] == sign:
                return True
        return False

    def has_prefix(self, text, start, stop, word):
        """Whether a span begins with a word of small letters, in any case."""
        if stop - start < len(word):
            return False
        for k in range(len(word)):
            c = text[start + k]
            if (c + 32 if UPPER_A <= c <= UPPER_Z else c) != word[k]:
                return False
        return True

    def put(self, text, start, stop):
        """Add a span."""
        for k in range(start, stop):
            self.data[self.size] = text[k]
            self.size += 1

    def put_begin(self, text, start, stop):
        """Write an address up to its query or fragment; return where that begins, or -1."""
        origin = self.origin
        folder = self.folder
        slashes = 0
        if start < stop and text[start] == SLASH:
            slashes = 2 if start + 1 < stop and text[start + 1] == SLASH else 1
        if slashes < 2 and self.starts_with_scheme(text, start, stop):
            at = start + 7 if text[start + 4] == COLON else start + 8
            self.put(text, start, at)
            return self.put_host(text, at, stop)
        if len(origin) == 0:
            return -1
        if slashes == 2:
            self.put(origin, 0, 5 if origin[4] == COLON else 6)
            self.put(text, start, start + 2)
            return self.put_host(text, start + 2, stop)
        if slashes == 1:
            self.put(origin, 0, len(origin))
            return self.put_path(text, start, stop, False)
        if len(folder) == 0 or start == stop or text[start] == DOT or not self.signs[text[start]] & IN_PATH:
            return -1
        self.put(folder, 0, len(folder))
        return self.put_path(text, start, stop, True)

    def starts_with_scheme(self, text, start, stop):
        """Whether a span begins with a scheme of the web, in small letters."""
        if stop - start < 8:
            return False
        for k in range(4):
            if text[start + k] != _SCHEMES[k]:
                return False
        at = start + 5 if text[start + 4] == _SCHEMES[4] else start + 4
        return text[at] == COLON and text[at + 1] == SLASH and text[at + 2] == SLASH

    def put_host(self, text, start, stop):
        """Write a host of several names and the path after it; return where that ends, or -1."""
        at = start
        dots = 0
        while at < stop and (self.signs[text[at]] & IN_HOST or text[at] == DOT):
            if text[at] == DOT:
                dots += 1
                if at == start or text[at - 1] == DOT:
                    return -1
            at += 1
        if dots == 0 or text[at - 1] == DOT:
            return -1
        self.put(text, start, at)
        if at < stop and text[at] == SLASH:
            return self.put_path(text, at, stop, False)
        self.data[self.size] = SLASH
        self.size += 1
        return at if at == stop or text[at] == QUESTION or text[at] == HASH else -1

    def put_path(self, text, start, stop, relative):
        """Write a path; return where it ends, or -1 where it is not plain."""
        at = start
        while at < stop and self.signs[text[at]] & IN_PATH:
            if text[at] == SLASH and at + 1 < stop and (text[at + 1] == DOT or (relative and text[at + 1] == SLASH)):
                return -1
            at += 1
        if at < stop and text[at] != QUESTION and text[at] != HASH:
            return -1
        self.put(text, start, at)
        return at

    def put_query(self, text, start, stop):
        """Write a query, if there is one; return whether it is normal as it is."""
        at = start
        begin = start
        while at <= stop:
            ends: cython.bint = at == stop or text[at] == HASH
            if ends or text[at] == AMPERSAND:
                if at == start and ends:
                    return True
                if at == begin or not self.is_kept(text, begin, at):
                    return False
                begin = at + 1
            elif not self.signs[text[at]] & IN_QUERY:
                return False
            if ends:
                break
            at += 1
        self.data[self.size] = QUESTION
        self.size += 1
        self.put(text, start, at)
        return True

    def is_kept(self, text, start, stop):
        """Whether a pair of a query is part of a normal address, and makes no button of it."""
        at = start
        while at < stop and text[at] != EQUALS:
            at += 1
            if at - start <= self.longest_start and self.starts.flags_in(text, start, at):
                return False
        return self.dropped.flags_in(text, start, at) == 0


# The shape of an address

# Points for an article, by what the address has. They were set by eye on catalogue pages of many sites.
_NEVER = cython.declare(cython.double, -100.0)  # what is no article, whatever is around it
_FIRST_WORD = cython.declare(cython.double, -1.0)  # without marks between words; 1 more with each, up to
_MAX_MARKS = cython.declare(cython.int, 4)
_DATE = cython.declare(cython.double, 2.0)
_ENDING = cython.declare(cython.double, 0.5)
_LONG_NUMBER_POINTS = cython.declare(cython.double, 2.0)
_NUMBER = cython.declare(cython.double, 0.5)
_ASKED_LONG = cython.declare(cython.double, 1.5)
_ASKED = cython.declare(cython.double, 1.0)
_ASKED_NO_NUMBER = cython.declare(cython.double, -1.0)
_ROOT = cython.declare(cython.double, -0.5)
_FOLDER = cython.declare(cython.double, 0.5)
_LIST = cython.declare(cython.double, -4.0)
_SERVICE = cython.declare(cython.double, -3.0)
_BELOW_LIST = cython.declare(cython.double, -1.5)
_CHILD = cython.declare(cython.double, 1.0)
_SIBLING = cython.declare(cython.double, -1.5)

# Names of lists and of service pages, in the words of the systems that most sites run on.
_LISTS = (
    "tag tags tagged category categories cat author authors autor auteur topic topics thema themen tema temas label "
    "labels user users member members profile profiles by staff archive archives section sections seccion rubrique "
    "series podcast podcasts newsletter newsletters search keyword keywords index home"
)
_SERVICES = (
    "login signin signup register registration account subscribe subscription subscriptions feed rss atom comments "
    "about about-us contact contact-us contactus privacy privacy-policy terms terms-of-use terms-of-service "
    "terms-and-conditions cookie-policy cookies imprint impressum datenschutz agb aviso-legal mentions-legales "
    "advertise advertising careers jobs help faq sitemap cart checkout wishlist donate shop store print email share "
    "wp-login.php wp-admin intent sharer sharer.php submit user-agreement copyright disclaimer legal press"
)
# The ends of names, with the dot.
_FILES = (
    ".jpg .jpeg .png .gif .webp .svg .bmp .ico .css .js .json .xml .rss .atom .pdf .zip .gz .rar .exe .apk .dmg .mp3 "
    ".mp4 .m4a .ogg .avi .mov .doc .docx .xls .xlsx .ppt .pptx .epub .torrent .ics"
)
_PAGES = ".htm .html .shtm .shtml .php .asp .aspx .jsp .ece .cms .stm .amp " + " ".join(f".php{k}" for k in range(10))
# What stands before the number of a page.
_NUMBERED = "page paged pagina seite pg pn pageno pagenum pageindex start offset p index list default"


def _known_names() -> dict[str, int]:
    found = dict[str, int]()
    sorts = {NAMES_LIST: _LISTS, NAMES_SERVICE: _SERVICES, NAMES_STATIC: "p", NAMES_FILE: _FILES}
    for flag, names in (*sorts.items(), (NAMES_ENDING, _PAGES), (NAMES_PAGE, _NUMBERED)):
        for name in names.split():
            found[name] = found.get(name, 0) | flag
    return found


_KNOWN_NAMES = cython.declare(KnownWords, KnownWords(_known_names()))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_small(c: cython.int) -> cython.bint:
    return LOWER_A <= c <= LOWER_Z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _after_year(text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """Return where a year that begins here ends, or -1."""
    if at + 4 > stop or not (is_digit(text[at + 2]) and is_digit(text[at + 3])):
        return -1
    century = (text[at] - DIGIT_0) * 10 + text[at + 1] - DIGIT_0
    return at + 4 if is_digit(text[at + 1]) and 19 <= century <= 20 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_followed(text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether what is after a date is no longer number, and parts it from the next name."""
    if at >= stop:
        return False
    digits = 0
    while digits < 5 and at + digits < stop and is_digit(text[at + digits]):
        digits += 1
    if digits == 5:
        return False
    c = text[at]
    return digits > 0 or c == SLASH or c == UNDERSCORE or c == DOT or c == HYPHEN


class Shape:
    """The shape of a normal address, next to that of the page itself."""

    def __init__(self, url: bytes) -> None:
        self.words = _KNOWN_NAMES
        self.split(url, 0, len(url))
        self.own = url
        self.own_host, self.own_host_end = self.host, self.host_end
        self.own_path, self.own_path_end = self.path, self.path_end
        self.own_folder = self.name - 1 if self.name > self.path else self.path  # where the folder of the page ends

    def split(self, text, start, stop):
        """Find the parts of an address."""
        self.start = start
        at = start
        while text[at] != COLON:
            at += 1
        at += 3
        if at + 4 <= stop and text[at] == _WWW[0] and text[at + 1] == _WWW[0] and text[at + 2] == _WWW[0]:
            at += 4 if text[at + 3] == DOT else 0
        self.text = text
        self.host = at
        while at < stop and text[at] != SLASH:
            at += 1
        self.host_end = at
        while at < stop and text[at] == SLASH:
            at += 1
        self.path = at
        while at < stop and text[at] != QUESTION:
            at += 1
        self.query, self.query_end = min(at + 1, stop), stop
        while at > self.path and text[at - 1] == SLASH:
            at -= 1
        self.path_end = at
        self.name = self.path
        self.has_digit = False
        for k in range(self.path, at):
            if text[k] == SLASH:
                self.name = k + 1
            elif is_digit(text[k]):
                self.has_digit = True

    def host_digest(self):
        """Return a digest of the host."""
        return word_digest(self.text, self.host, self.host_end)

    def read_key(self, text, start, stop):
        """Compute the digests of a key: of the whole, and of what is before its last slash."""
        digest: cython.ulonglong = fnv_seed()
        self.above = digest
        for k in range(start, stop):
            if text[k] == SLASH:
                self.above = digest
            digest = mix(digest, text[k])
        self.key = digest

    def may_be_numbered(self):
        """Whether the address may be that of a page of a longer list, which takes a closer look."""
        return self.numbers_in(self.query, self.query_end) or (
            self.has_digit and self.numbers_in(self.path, self.path_end)
        )

    def numbers_in(self, start, stop):
        """Whether a number stands after a word for the pages of a list."""
        at = start
        while at < stop:
            begin = at
            while at < stop and is_letter(self.text[at]):
                at += 1
            end = at
            c = self.text[at] if at < stop else 0
            if c == SLASH or c == EQUALS or c == UNDERSCORE or c == HYPHEN:
                c = self.text[at + 1] if at + 1 < stop else 0
            if end > begin and is_digit(c) and self.words.flags_in(self.text, begin, end) & NAMES_PAGE:
                return True
            at += 1 if at == begin else 0
        return False

    def is_home(self):
        """Whether the address is of the same host as the page."""
        size = self.host_end - self.host
        if size != self.own_host_end - self.own_host:
            return False
        for k in range(size):
            if self.text[self.host + k] != self.own[self.own_host + k]:
                return False
        return True

    def is_above(self):
        """Whether the path is that of the page, or of a section that it belongs to."""
        size = self.path_end - self.path
        own = self.own_path_end - self.own_path
        if size > own or (size < own and self.own[self.own_path + size] != SLASH):
            return False
        for k in range(size):
            if self.text[self.path + k] != self.own[self.own_path + k]:
                return False
        return True

    def is_archive(self):
        """Whether the path ends with a year, a month or a day."""
        at = max(self.path, self.path_end - MAX_ARCHIVE_LENGTH)
        while at < self.path_end:
            if (at == self.path or self.text[at - 1] == SLASH) and self.ends_archive(at):
                return True
            at += 1
        return False

    def ends_archive(self, at):
        """Whether nothing but a year, a month and a day are in the rest of the path."""
        text = self.text
        stop = self.path_end
        at = _after_year(text, at, stop)
        if at < 0 or at == stop:
            return at == stop
        if text[at] != SLASH and text[at] != HYPHEN:
            return False
        at += 1
        begin = at
        if at + 3 <= stop and _is_small(text[at]) and _is_small(text[at + 1]) and _is_small(text[at + 2]):
            at += 3
        else:
            while at < stop and at < begin + 2 and is_digit(text[at]):
                at += 1
            if at == begin:
                return False
        if at < stop:
            if text[at] != SLASH:
                return False
            at += 1
            begin = at
            while at < stop and at < begin + 2 and is_digit(text[at]):
                at += 1
            return at == stop and at > begin
        return True

    def is_file(self):
        """Whether the path is that of a file that is no page."""
        dot = self.path_end - 1
        while dot >= self.path and self.text[dot] != DOT:
            dot -= 1
        if dot >= self.path and self.words.flags_in(self.text, dot, self.path_end) & NAMES_FILE:
            return True
        size = len(_UPLOADS)
        for at in range(self.path, self.path_end - size + 1):
            if self.text[at] == SLASH:
                k = 1
                while k < size and (self.text[at + k] | 0x20) == (_UPLOADS[k] | 0x20):
                    k += 1
                if k == size and self.text[at + size - 1] == SLASH:
                    return True
        return False

    def weigh(self):
        """Find what the address says of the page behind it."""
        self.points = _NEVER
        self.strong = False
        self.signature = 0
        if self.query == self.query_end:
            above: cython.bint = self.is_home() and self.is_above()
            if self.path == self.path_end or above or (self.has_digit and self.is_archive()):
                return
        if not self.is_file():
            self.weigh_article()

    def weigh_article(self):
        """Find the points, and what the address has in common with others."""
        dot = self.path_end - 1
        while dot >= self.name and self.text[dot] != DOT:
            dot -= 1
        ends: cython.bint = dot >= self.name and self.words.flags_in(self.text, dot, self.path_end) & NAMES_ENDING != 0
        self.last_end = dot if ends else self.path_end
        marks = min(self.count_marks(), _MAX_MARKS)
        number: cython.double = self.number_points()
        dated: cython.bint = self.name > self.path and self.has_digit and self.is_dated()
        self.points = _FIRST_WORD + marks + number + self.folder_points() + self.kin_points()
        if ends:
            self.points += _ENDING
        if dated:
            self.points += _DATE
        self.strong = dated or number >= _ASKED_LONG
        level = 0
        for k in range(self.path, self.path_end):
            if self.text[k] == SLASH:
                level += 1
        digest: cython.ulonglong = mix(self.host_digest(), 0 if dated else level + 1)
        digest = mix(digest, ends + 2 * (marks >= MANY_WORDS) + 4 * (number >= _LONG_NUMBER_POINTS))
        self.signature = mix(digest, self.asked()) | 1

    def count_marks(self):
        """Return how many marks stand between the words of the last name; an escaped letter says about a word."""
        marks = 0
        at = self.name
        while at < self.last_end:
            c = self.text[at]
            if c == HYPHEN or c == UNDERSCORE or c == PLUS:
                marks += 1
            elif c == PERCENT and self.is_escape(at):
                if self.text[at + 1] == DIGIT_0 + 2 and self.text[at + 2] == DIGIT_0:
                    marks += 1
                    at += 2
                elif self.is_escape(at + 3):
                    marks += 1
                    at += 8 if self.is_escape(at + 6) else 5
            at += 1
        return marks

    def is_escape(self, at):
        """Whether an escape in capitals begins here."""
        if at + 3 > self.last_end or self.text[at] != PERCENT:
            return False
        for k in range(at + 1, at + 3):
            if not (is_digit(self.text[k]) or UPPER_A <= self.text[k] <= UPPER_A + 5):
                return False
        return True

    def number_points(self):
        """Return the points for the numbers in the last name and in the query."""
        points = 0.0
        named = self.longest_number(self.name, self.last_end)
        if named:
            points += _LONG_NUMBER_POINTS if named >= LONG_NUMBER else _NUMBER
        if self.query < self.query_end:
            asked = self.longest_number(self.query, self.query_end)
            if asked:
                points += _ASKED_LONG if asked >= LONG_NUMBER else _ASKED
            elif not named:
                points += _ASKED_NO_NUMBER
        return points

    def longest_number(self, start, stop):
        """Return the digits of the longest number in a span; 0 where none has enough."""
        longest = 0
        digits = 0
        for k in range(start, stop):
            digits = digits + 1 if is_digit(self.text[k]) else 0
            longest = max(longest, digits)
        return longest if longest >= MIN_NUMBER else 0

    def folder_points(self):
        """Return the points for what the names of the path are known for."""
        last = self.words.flags_in(self.text, self.name, self.last_end)
        if last & (NAMES_LIST | NAMES_SERVICE) or self.is_numbered_list():
            return _LIST
        if self.name == self.path:
            return _ROOT
        at = self.path
        every = 0
        folder = 0
        while at < self.name:
            end = at
            while self.text[end] != SLASH:
                end += 1
            folder = self.words.flags_in(self.text, at, end)
            every |= folder
            at = end + 1
        if folder & NAMES_LIST:
            return _LIST
        if folder & NAMES_STATIC or every & NAMES_SERVICE:
            return _SERVICE
        return _BELOW_LIST if every & NAMES_LIST else _FOLDER

    def is_numbered_list(self):
        """Whether the last name is that of a category or tag with its number."""
        if self.last_end - self.name < 4:
            return False
        a = self.text[self.name] | 0x20
        c = self.text[self.name + 2] | 0x20
        if (self.text[self.name + 1] | 0x20) != LOWER_A:
            return False
        if not ((a == LOWER_A + 2 and c == LOWER_A + 19) or (a == LOWER_A + 19 and c == LOWER_A + 6)):
            return False
        for k in range(self.name + 3, self.last_end):
            if not is_digit(self.text[k]):
                return False
        return True

    def is_dated(self):
        """Whether a year and a month stand in the path."""
        text = self.text
        stop = self.path_end
        for start in range(self.path, stop - 4):
            if (start > self.path and is_digit(text[start - 1])) or not is_digit(text[start]):
                continue
            at = _after_year(text, start, stop)
            if at < 0 or at >= stop:
                continue
            c = text[at]
            if c == SLASH or c == UNDERSCORE or c == DOT or c == HYPHEN:
                at += 1
            if self.is_month(at):
                return True
        return False

    def is_month(self, at):
        """Whether a month stands here, by number or by three letters, and a date may end after it."""
        text = self.text
        stop = self.path_end
        if at >= stop:
            return False
        c = text[at]
        d = text[at + 1] if at + 1 < stop else 0
        if DIGIT_0 < c <= DIGIT_9 and _is_followed(text, at + 1, stop):
            return True
        if (c == DIGIT_0 and DIGIT_0 < d <= DIGIT_9) or (c == DIGIT_0 + 1 and DIGIT_0 <= d <= DIGIT_0 + 2):
            return _is_followed(text, at + 2, stop)
        if at + 3 <= stop and _is_small(c) and _is_small(d) and _is_small(text[at + 2]):
            return _is_followed(text, at + 3, stop)
        return False

    def kin_points(self):
        """Return the points for an address below that of the page, or beside it."""
        own = self.own_path_end - self.own_path
        if own == 0 or not self.is_home():
            return 0.0
        if self.shares(own) and self.path_end > self.path + own and self.text[self.path + own] == SLASH:
            return _CHILD
        folder = self.own_folder - self.own_path
        if folder > 0 and self.name - 1 - self.path == folder and self.shares(folder):
            return _SIBLING
        return 0.0

    def shares(self, size):
        """Whether the path begins as that of the page does, with so many bytes."""
        if self.path_end - self.path < size:
            return False
        for k in range(size):
            if self.text[self.path + k] != self.own[self.own_path + k]:
                return False
        return True

    def asked(self):
        """Return a digest of what the query asks for, in any order; 0 without one."""
        if self.query == self.query_end:
            return 0
        digest: cython.ulonglong = word_digest(self.text, 0, 0)
        for k in range(self.name, self.path_end):
            digest = mix(digest, self.text[k])
        begin = self.query
        while begin <= self.query_end:
            end = begin
            name: cython.ulonglong = fnv_seed()
            while end < self.query_end and self.text[end] != AMPERSAND and self.text[end] != EQUALS:
                name = mix(name, self.text[end])
                end += 1
            digest = plus(digest, scatter(name))
            while end < self.query_end and self.text[end] != AMPERSAND:
                end += 1
            begin = end + 1
        return digest
