# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True, cdivision=True
"""What a page is like as a whole, by which its kind is told: its texts, lines, elements, groups of similar pieces."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.libc.math import log1p, sqrt
from cython.cimports.libc.string import memchr, memcmp
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.common import *
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured, view_of

from pagesieve.page.kernel.constants import SIGNS
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, ATTRIBUTES, TAG_FLAGS, TAG_ID, TAGS

_SIGNS = cython.declare(cython.const[cython.uchar][::1], SIGNS)
_OF_TEXT, _OF_PARENTS, _OF_GROUPS, _OF_TITLES = 17, 3, 3 * 8 + 6, 10  # features
_SHORT_NUMBER = cython.declare(cython.int, 3)  # characters of a link that may be the number of a page

_IS_LETTER = cython.declare(cython.int, 1)

# What a row may be inside of, as bits.
_CONTROL = cython.declare(cython.int, 1)  # of a form: not there to be read
_HEADING = cython.declare(cython.int, 2)
_CHROME = cython.declare(cython.int, 4)  # what is around the content
_LISTS = ("select optgroup option datalist button textarea", "h1 h2 h3 h4 h5 h6", "nav header footer aside menu")


def _bits() -> bytearray:
    """Return a byte for each known element, with a bit for each of the lists that it is in."""
    bits = bytearray(len(TAGS))
    for bit, names in enumerate(_LISTS):
        for name in names.split():
            bits[TAG_ID[name]] |= 1 << bit
    return bits


def _steps(*words: bytes) -> bytes:
    """Return how far a search for words of one length goes on, by the byte that stands where their last one would."""
    last = len(words[0]) - 1
    steps = bytearray([last + 1] * 256)
    for place in range(last):
        for word in words:
            steps[word[place]] = last - place
    return bytes(steps)


def _plain() -> bytearray:
    """Mark the bytes of ASCII that are letters, or no signs."""
    return bytearray(1 if chr(code).isalpha() else 2 if code <= 32 else 0 for code in range(128)) + bytearray(128)


def _silent() -> bytearray:
    """Mark the attributes that say nothing of the page, by their numbers."""
    silent = bytearray(len(ATTRIBUTES))
    for name in "class id src style title alt data-src data-srcset srcset sizes onclick d points".split():
        silent[ATTRIBUTE_ID[name]] = 1
    return silent


_PLAIN = cython.declare(cython.const[cython.uchar][::1], _plain())
_SILENT = cython.declare(cython.const[cython.uchar][::1], _silent())
_BITS = cython.declare(cython.const[cython.uchar][::1], _bits())
_IS_IMAGE = cython.declare(cython.const[cython.uchar][::1], bytes(flags & tags.IMAGE != 0 for flags in TAG_FLAGS))
_SCHEMA, _PUBLISHED = b"schema.org/", b"article:published_time"  # the first of them is shorter
_SCHEMA_DATA = cython.declare(cython.const[cython.uchar][::1], _SCHEMA)
_PUBLISHED_DATA = cython.declare(cython.const[cython.uchar][::1], _PUBLISHED)
_STEPS = cython.declare(cython.const[cython.uchar][::1], _steps(_SCHEMA, _PUBLISHED[: len(_SCHEMA)]))


# Lines


class _Chunk:
    """The text between two borders: that of the chunk at hand, and the most of any."""

    def __init__(self) -> None:
        self.text = self.most = 0

    def add(self, text, border):
        """Add the text of a line, which is a border or not."""
        self.text = text if border else self.text + text
        self.most = max(self.most, self.text)


class LineSums:
    """The sums over all lines; the fields are in the `.pxd`."""

    def __init__(self, long: int, title: int) -> None:
        self.long, self.title = long, title
        self.lines = self.chars = self.linked = self.longest = 0
        self.long_lines = self.long_chars = self.very_long_lines = self.very_long_chars = 0
        self.run = self.longest_run = 0
        self.link_lines = self.link_line_chars = self.short_link_lines = 0
        self.headings = self.linked_headings = self.titles = self.title_chars = 0
        self.between_titles, self.between_headings = _Chunk(), _Chunk()
        self.numbers = 0
        self.asked: list[int] = []

    def read(self, page: PageSums, columns: tuple[Any, Any, int]) -> None:
        """Read the lines of a page, as `lines.split` gives them."""
        rows: cython.const[cython.longlong][::1] = columns[0]
        chars: cython.const[cython.int][::1] = columns[1]
        first: cython.int
        stop: cython.Py_ssize_t
        answer: cython.int
        self.lines = columns[2]
        texts: cython.Py_ssize_t = len(rows) - self.lines
        starts: cython.const[cython.longlong][::1] = rows[texts:]
        linked: cython.const[cython.int][::1] = chars[self.lines :]
        for k in range(self.lines):
            first = rows[starts[k]]
            within = page.within[first]
            self.add_text(chars[k], linked[k])
            self.add_title(chars[k], linked[k], within & _HEADING != 0, within & _CHROME != 0)
            if chars[k] <= _SHORT_NUMBER and linked[k] > 0:
                stop = starts[k + 1] if k + 1 < self.lines else texts
                answer = _is_number(page.view, first)
                if answer == 1 and stop == starts[k] + 1:
                    self.numbers += 1
                elif answer != 0:
                    self.asked.append(k)

    def add_text(self, chars, linked):
        """Add the text of a line."""
        own = chars - linked
        self.chars += chars
        self.linked += linked
        self.longest = max(self.longest, own)
        if own >= self.long:
            self.long_lines += 1
            self.long_chars += own
        if own >= 2.5 * self.long:
            self.very_long_lines += 1
            self.very_long_chars += own
        self.run = self.run + 1 if own >= 0.75 * self.long else 0
        self.longest_run = max(self.longest_run, self.run)
        if linked >= 0.9 * chars:
            if chars >= self.title:
                self.link_lines += 1
                self.link_line_chars += chars
            else:
                self.short_link_lines += 1

    def add_title(self, chars, linked, heading, chrome):
        """Add a line that may be the title of an article: a link, or a heading."""
        links: cython.bint = linked >= 0.8 * chars
        headed: cython.bint = heading and links and chars >= self.title // 2
        titled: cython.bint = links and chars >= self.title and not chrome
        self.headings += heading
        self.linked_headings += headed
        if titled:
            self.titles += 1
            self.title_chars += chars
        self.between_titles.add(chars - linked, titled)
        self.between_headings.add(chars - linked, headed)

    def most_between(self) -> tuple[int, int]:
        """Return the most text between two titles, and between two headings that are links."""
        return self.between_titles.most, self.between_headings.most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_number(view: PageView, row: cython.int) -> cython.int:
    """Return whether a text is nothing but digits, and blanks at its ends: 1, 0, or -1 where that is unclear."""
    start = view.text_at[row]
    stop = view.text_at[row + 1]
    while start < stop and is_space(view.text[start]):
        start += 1
    while stop > start and is_space(view.text[stop - 1]):
        stop -= 1
    for at in range(start, stop):
        if SPACE < view.text[at] < 127 and not is_digit(view.text[at]):
            return 0
    for at in range(start, stop):
        if not is_digit(view.text[at]):
            return -1
    return 1


# Texts


class SignSums:
    """Count the digits, marks, prices and dates in texts; the fields are in the `.pxd`."""

    def __init__(self) -> None:
        self.texts = self.stops = self.marks = self.digits = self.prices = self.dates = 0

    def read(self, text, start, stop):
        """Read a text. A number goes on after wide spaces, and ends with the text."""
        i: cython.Py_ssize_t = start
        data: cython.p_const_uchar = cython.address(text[0])
        plain: cython.p_const_uchar = cython.address(_PLAIN[0])
        sort: cython.int
        ended: cython.bint = False
        hour: cython.bint = False  # whether a colon stands before, and a number of up to two digits before that
        digits: cython.int = 0  # of a number that may go on
        number: cython.int = 0  # its last four
        while i < stop:
            c = data[i]
            sort = plain[c]
            if sort:
                if digits or hour:
                    self.dates += _is_date(digits, number, hour)
                    digits = number = hour = 0
                i += 1
                while i < stop and plain[data[i]]:
                    sort |= plain[data[i]]
                    i += 1
                ended = ended and not sort & _IS_LETTER
                continue
            if is_digit(c):
                self.digits += 1
                digits += 1
                number = (10 * number + c - DIGIT_0) % 10_000
                ended = False
                i += 1
                continue
            if c < 128:
                if digits or hour:
                    self.dates += _is_date(digits, number, hour)
                    hour = c == COLON and 0 < digits <= 2
                    digits = number = 0
                i += 1
                sort = _SIGNS[c]
            else:
                code = utf8_code(text, i, stop)
                i += utf8_width(c)
                if is_wide_space(code):
                    continue
                self.dates += _is_date(digits, number, False)
                digits = number = 0
                self.digits += WIDE_DIGIT_0 <= code <= WIDE_DIGIT_9
                sort = _SIGNS[code]
            self.marks += sort & IS_MARK != 0
            self.prices += sort & IS_PRICE != 0
            ended = sort & IS_STOP != 0 or (ended and sort & IS_CLOSING != 0)
        self.dates += _is_date(digits, number, hour)
        self.texts += 1
        self.stops += ended


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_date(digits: cython.int, number: cython.int, minutes: cython.bint) -> cython.bint:
    """Whether a number is a year, or the minutes of a time."""
    return (digits == 4 and 1900 <= number < 2100) or (digits == 2 and minutes)


# Groups of siblings


class Siblings:
    """What siblings of one element name hold together, over a whole page."""

    def __init__(self, names: int, least: int, long: int, title: int) -> None:
        self.sums, self.met = zeros("d", FIELDS * names), zeros("i", names)
        self.least, self.long, self.title = least, long, title

    def read(self, page):
        """Add up the children of each row of a page that are seen and have text to be read; keep groups of them."""
        view: PageView = page.view
        for row in range(view.rows):
            if page.chars_at[view.end[row]] == page.chars_at[row]:
                continue
            self.count = 0
            child = row + 1
            while child < view.end[row]:
                if (
                    view.tag[child] != tags.TEXT
                    and view.visibility[child] == tags.IS_SEEN
                    and page.chars_at[view.end[child]] > page.chars_at[child]
                ):
                    self.add(page, row, child)
                child = view.end[child]
            for k in range(self.count):
                if self.sums[FIELDS * self.met[k] + SIZE] >= self.least:
                    self.offer(cython.address(self.sums[FIELDS * self.met[k]]))

    def add(self, page, parent, row):
        """Add a child to those of its name."""
        name = page.view.tag[row]
        end = page.view.end[row]
        chars: cython.double = page.chars_at[end] - page.chars_at[row]
        linked: cython.double = page.linked_at[end] - page.linked_at[row]
        group: cython.p_double = cython.address(self.sums[FIELDS * name])
        if group[PARENT] != parent + 1:
            for k in range(FIELDS):
                group[k] = 0
            group[PARENT] = parent + 1
            group[NAME] = name
            self.met[self.count] = name
            self.count += 1
        group[SIZE] += 1
        group[CHARS] += chars
        group[SQUARES] += chars * chars
        group[LINKED] += linked
        group[IMAGES] += page.images_at[end] > page.images_at[row]
        group[LINKS] += page.links_at[end] > page.links_at[row]
        group[LONG] += chars - linked >= self.long

    def offer(self, group):
        """Keep a group if it is among those with the most text, and its size if it is the largest of its sort."""
        place: cython.int = GROUPS
        while place > 0 and self.is_before(group, cython.address(self.best[FIELDS * (place - 1)])):
            place -= 1
        if place < GROUPS:
            for k in range(FIELDS * GROUPS - 1, FIELDS * (place + 1) - 1, -1):
                self.best[k] = self.best[k - FIELDS]
            for k in range(FIELDS):
                self.best[FIELDS * place + k] = group[k]
        for k in range(3):
            if (
                (k == 0 and group[LINKS] / group[SIZE] > 0.8 and group[CHARS] / group[SIZE] > self.title)
                or (k == 1 and group[IMAGES] / group[SIZE] > 0.7)
                or (k == 2 and group[LONG] / group[SIZE] > 0.5)
            ):
                self.sizes[k] = max(self.sizes[k], group[SIZE])
                self.chars[k] = max(self.chars[k], group[CHARS])

    def is_before(self, one, other):
        """Whether a group comes before another: it has more text, or as much and stands before it."""
        if one[CHARS] != other[CHARS]:
            return one[CHARS] > other[CHARS]
        return one[PARENT] < other[PARENT] or (one[PARENT] == other[PARENT] and one[NAME] < other[NAME])

    def groups(self) -> list[tuple[float, ...]]:
        """Return the groups with the most text, the first one first, each as it was added up."""
        found = [tuple([self.best[FIELDS * k + at] for at in range(SIZE, FIELDS)]) for k in range(GROUPS)]
        return [group for group in found if group[0]]


# Pages


class PageSums:
    """What stands where on a page, and how much there is to be read."""

    def __init__(self, page: Any) -> None:
        self.view = measured(page)
        rows = self.view.rows
        self.within = bytearray(rows)
        sums: cython.int[::1] = zeros("i", 4 * (rows + 1))
        self.chars_at, self.linked_at = sums[: rows + 1], sums[rows + 1 : 2 * rows + 2]
        self.images_at, self.links_at = sums[2 * rows + 2 : 3 * rows + 3], sums[3 * rows + 3 :]
        self.read()

    def read(self):
        """Sum up the rows, in order."""
        view: PageView = self.view
        if view.rows == 0:
            return
        # Locals, which writing a byte cannot change: a compiler reads what an object holds anew after each.
        tag: cython.p_const_int = cython.address(view.tag[0])
        parent: cython.p_const_int = cython.address(view.parent[0])
        own: cython.p_const_int = cython.address(view.chars[0])
        in_link: cython.p_const_uchar = cython.address(view.linked[0])
        within: cython.p_uchar = cython.address(self.within[0])
        chars_at: cython.p_int = cython.address(self.chars_at[0])
        linked_at: cython.p_int = cython.address(self.linked_at[0])
        images_at: cython.p_int = cython.address(self.images_at[0])
        links_at: cython.p_int = cython.address(self.links_at[0])
        known: cython.p_const_uchar = cython.address(_BITS[0])
        is_image: cython.p_const_uchar = cython.address(_IS_IMAGE[0])
        image: cython.bint
        for row in range(view.rows):
            image = False
            if tag[row] < tags.KNOWN_TAGS:
                within[row] = (within[parent[row]] if row else 0) | (known[tag[row]] if row else 0)
                image = is_image[tag[row]]
            elif row:
                within[row] = within[parent[row]]
            chars = 0 if within[row] & _CONTROL else own[row]
            linked: cython.bint = in_link[row] != 0
            chars_at[row + 1] = chars_at[row] + chars
            linked_at[row + 1] = linked_at[row] + (chars if linked else 0)
            images_at[row + 1] = images_at[row] + image
            links_at[row + 1] = links_at[row] + (linked and (row == 0 or not in_link[parent[row]]))

    @property
    def chars(self) -> int:
        """How many characters there are to be read."""
        return self.chars_at[self.view.rows]

    def signs(self) -> SignSums:
        """Return what the texts are made of that are there to be read."""
        found: SignSums = SignSums()
        row: cython.int
        with cython.nogil:
            for row in range(self.view.rows):
                if self.chars_at[row + 1] > self.chars_at[row]:
                    found.read(self.view.text, self.view.text_at[row], self.view.text_at[row + 1])
        return found

    def siblings(self, names: int, least: int, long: int, title: int) -> Siblings:
        """Return what siblings of one name hold together, given how many names of elements there are."""
        found: Siblings = Siblings(names, least, long, title)
        found.read(self)
        return found

    def features(
        self,
        columns: tuple[Any, Any, int],
        lines: LineSums,
        numbers: int,
        siblings: Siblings,
        counted: bytes,
        others: list[float | bool],
    ) -> Any:
        """Return what is told of the texts, the elements, the groups of siblings and the titles, and then the others.

        `columns` are those of the lines, of which so many are numbers; `counted` are the elements that are counted.
        """
        elements: cython.const[cython.uchar][::1] = counted
        found = zeros("f", _OF_TEXT + len(elements) + _OF_PARENTS + _OF_GROUPS + _OF_TITLES + len(others))
        self.values, self.count = found, 0
        self.put_text(lines, self.signs())
        self.put_elements(columns, elements, lines.chars + 1.0)
        self.put_groups(siblings)
        self.put_titles(lines, numbers)
        for value in others:
            self.put(value)
        return found

    def put(self, value):
        """Write the next feature."""
        self.values[self.count] = value
        self.count += 1

    def put_text(self, lines, signs):
        """Write what the texts are like, of lines and of what they are made of."""
        total: cython.double = lines.chars + 1.0
        self.put(log1p(total))
        self.put(lines.linked / total)
        self.put(log1p(lines.lines))
        self.put(log1p(lines.longest))
        self.put(lines.long_chars / total)
        self.put(log1p(lines.long_lines))
        self.put(lines.very_long_chars / total)
        self.put(log1p(lines.very_long_lines))
        self.put(log1p(lines.link_lines))
        self.put(lines.link_line_chars / total)
        self.put(log1p(lines.short_link_lines))
        self.put(log1p(lines.longest_run))
        self.put(signs.marks / total)
        self.put(signs.digits / total)
        self.put(cython.cast(cython.double, signs.stops) / max(signs.texts, 1))
        self.put(log1p(signs.prices))
        self.put(log1p(signs.dates))

    def put_elements(self, columns, counted, total):
        """Write how many elements there are of each name, and how much text stands directly in some of them."""
        view: PageView = self.view
        rows: cython.const[cython.longlong][::1] = columns[0]
        chars: cython.const[cython.int][::1] = columns[1]
        lines: cython.int = columns[2]
        starts: cython.const[cython.longlong][::1] = rows[len(rows) - lines :]
        counts = cython.declare(cython.int[256])
        held = cython.declare(cython.longlong[256])
        for k in range(256):
            counts[k] = held[k] = 0
        for row in range(view.rows):
            if view.tag[row] < tags.KNOWN_TAGS:
                counts[view.tag[row]] += 1
        for line in range(lines):
            name = view.tag[view.parent[rows[starts[line]]]]
            if name < tags.KNOWN_TAGS:
                held[name] += chars[line]
        for k in range(len(counted)):
            self.put(log1p(counts[counted[k]]))
        self.put(held[tags.TAG_P] / total)
        self.put((held[tags.TAG_TD] + held[tags.TAG_TH]) / total)
        self.put(held[tags.TAG_LI] / total)

    def put_groups(self, siblings):
        """Write what the groups of siblings with the most text are like, and how large the largest are of each sort."""
        total: cython.double = self.chars_at[self.view.rows] + 1.0
        for k in range(GROUPS):
            group: cython.p_double = cython.address(siblings.best[FIELDS * k])
            size = group[SIZE]
            if size == 0:
                self.count += 8
                continue
            mean = group[CHARS] / size
            self.put(log1p(size))
            self.put(group[CHARS] / total)
            self.put(log1p(mean))
            self.put(group[LINKED] / (group[CHARS] + 1))
            self.put(sqrt(max(group[SQUARES] / size - mean * mean, 0.0)) / (mean + 1))
            self.put(group[IMAGES] / size)
            self.put(group[LINKS] / size)
            self.put(group[LONG] / size)
        for k in range(3):
            self.put(log1p(siblings.sizes[k]))
            self.put(siblings.chars[k] / total)

    def put_titles(self, lines, numbers):
        """Write what the links are like that may be titles, and how much text stands between two of them."""
        own: cython.double = lines.chars - lines.linked + 1.0
        self.put(log1p(lines.linked_headings))
        self.put(log1p(lines.headings - lines.linked_headings))
        self.put(cython.cast(cython.double, lines.linked_headings) / (lines.headings + 1))
        self.put(log1p(lines.titles))
        self.put(lines.title_chars / (lines.chars + 1.0))
        self.put(log1p(numbers))
        self.put(lines.between_titles.most / own)
        self.put(log1p(lines.between_titles.most))
        self.put(lines.between_headings.most / own)
        self.put(log1p(lines.between_headings.most))


# Statements


def statements(page: Any, scripts: list[tuple[int, int]], names: tuple[bytes, ...]) -> tuple[int, bool]:
    """Return which of up to 32 names a page states, as bits, and whether it states when it was published.

    Names stand in quotation marks in scripts, given by their places in the text, or after `schema.org/` in attributes:
    not in links, nor in those that say how an element looks.
    """
    view: PageView = view_of(page)
    found: Statements = Statements(names)
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    for begin, end in scripts:
        if 0 <= begin <= end <= view.text_at[view.rows]:
            found.read_script(view.text, begin, end)
    found.read_attributes(view)
    return found.said, found.is_published


@cython.final
@cython.cclass
class Statements:
    """What a page states of itself, as far as it is one of some names."""

    names: tuple
    count: cython.int
    word: cython.p_const_uchar[32]
    size: cython.Py_ssize_t[32]
    beginning: cython.uchar[256]  # 1 for the bytes that a name begins with
    said = cython.declare(cython.uint, visibility="readonly")  # a bit for each name
    is_published = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, names: tuple[bytes, ...]) -> None:
        self.names = names
        self.count = min(len(names), 32)
        for k in range(self.count):
            name: bytes = names[k]
            self.word[k], self.size[k] = name, len(name)
            if self.size[k]:
                self.beginning[self.word[k][0]] = 1
        self.said, self.is_published = 0, False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(
        self, text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t, quoted: cython.bint
    ) -> cython.void:
        """Add the names that stand at a place; if `quoted`, up to a quotation mark."""
        if at >= end or not self.beginning[text[at]]:
            return
        for k in range(self.count):
            size = self.size[k]
            if (
                end - at >= size + quoted
                and memcmp(cython.address(text[at]), self.word[k], size) == 0
                and not (quoted and text[at + size] != QUOTATION_MARK)
            ):
                self.said |= cython.cast(cython.uint, 1) << k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_script(
        self, text: cython.const[cython.uchar][::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.void:
        """Read a script: a name stands between quotation marks."""
        while begin < end:
            quote = cython.cast(cython.p_const_uchar, memchr(cython.address(text[begin]), QUOTATION_MARK, end - begin))
            if quote is cython.NULL:
                return
            begin = quote - cython.address(text[0]) + 1
            self.add(text, begin, end, True)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_attributes(self, view: PageView) -> cython.void:
        """Read the attributes of a page."""
        row: cython.int = 0
        least: cython.int = len(_SCHEMA_DATA)
        for k in range(view.attributes):
            name = view.attribute_name[k]
            if view.value_at[k + 1] - view.value_at[k] <= least or (name < tags.KNOWN_ATTRIBUTES and _SILENT[name]):
                continue
            if name == tags.ATTR_HREF:
                while view.attribute_at[row + 1] <= k:
                    row += 1
                if view.tag[row] == tags.TAG_A:
                    continue
            self.read_value(view.values, view.value_at[k], view.value_at[k + 1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_value(
        self, text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.void:
        """Read the value of an attribute: both marks are looked for at once, by the method of Horspool."""
        data: cython.p_const_uchar = cython.address(text[0])
        steps: cython.p_const_uchar = cython.address(_STEPS[0])
        size: cython.Py_ssize_t = len(_SCHEMA_DATA)
        more: cython.Py_ssize_t = len(_PUBLISHED_DATA)
        last: cython.int
        while at + size <= end:
            last = data[at + size - 1]
            if last == _SCHEMA_DATA[size - 1] and memcmp(data + at, cython.address(_SCHEMA_DATA[0]), size) == 0:
                self.add(text, at + size, end, False)
            elif last == _PUBLISHED_DATA[size - 1] and end - at >= more:
                if memcmp(data + at, cython.address(_PUBLISHED_DATA[0]), more) == 0:
                    self.is_published = True
            at += steps[last]


def seen(page: Any) -> int:
    """Return how many characters are seen of a page."""
    view: PageView = measured(page)
    chars: cython.longlong = 0
    for row in range(view.rows):
        chars += view.chars[row]
    return chars


def headings(page: Any, most: cython.int) -> list[str]:
    """Return the texts of the first headings of the two highest levels in which something is seen."""
    view: PageView = measured(page)
    row: cython.int = 0
    below: cython.int
    found: list[str] = []
    while row < view.rows and len(found) < most:
        if view.tag[row] == tags.TAG_H1 or view.tag[row] == tags.TAG_H2:
            below = row
            while below < view.end[row] and not view.chars[below]:
                below += 1
            if below == view.end[row]:  # neither is there in those inside
                row = below
                continue
            found.append(view.text_of(row))
        row += 1
    return found
