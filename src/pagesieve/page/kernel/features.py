# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What the block model knows of each line of a page, in a few passes over the rows and one over the text.

Trees do not care for logarithms, so that counts are counts here. `NAMES`, `WORD_NAMES` and `CONTEXT_NAMES` are the
columns in order.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from cython.cimports.pagesieve.page.kernel.stated import meta_values

from pagesieve.page.kernel.characters import SIGNS
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, TAG_FLAGS, TAG_ID, TAGS

KNOWN = cython.declare(cython.int, len(TAGS))
BLOCK_BIT = cython.declare(cython.int, BLOCK)
# The bits of `characters`.
MARK = cython.declare(cython.int, 1)
STOP = cython.declare(cython.int, 2)
CLOSING = cython.declare(cython.int, 4)
PRICE = cython.declare(cython.int, 8)
LINK = cython.declare(cython.int, TAG_ID["a"])
H1 = cython.declare(cython.int, TAG_ID["h1"])
CLASS = cython.declare(cython.int, ATTRIBUTE_ID["class"])
ID = cython.declare(cython.int, ATTRIBUTE_ID["id"])
ROLE = cython.declare(cython.int, ATTRIBUTE_ID["role"])
PROPERTY = ATTRIBUTE_ID["property"]
MOST_META = 1000  # elements that are looked at
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SEED = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
_MASK = 0xFFFFFFFFFFFFFFFF

LEVELS = cython.declare(cython.int, 5)  # of block elements around a line
NEAR = cython.declare(cython.int, 3)  # lines on either side, in a window
FAR = cython.declare(cython.int, 10)
SHIFTS = cython.declare(cython.int, 2)  # lines on either side that are looked at one by one
LONGEST_WORD = cython.declare(cython.int, 24)  # letters of a word that count
TEXT_SEED = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # words of the text are others than those of classes
MOST_TEXT = cython.declare(cython.int, 30)  # words that a line begins with
SAYING = cython.declare(cython.int, 10)  # words, at most, of a line that is looked up as a whole
MOST_WORDS = cython.declare(cython.int, 64)  # of one element: a page could make them up by the thousand

# What a line may stand in anywhere: a bit each.
INSIDE = (
    ("nav", "nav menu"),
    ("header", "header"),
    ("footer", "footer"),
    ("aside", "aside"),
    ("form", "form fieldset"),
    ("article", "article"),
    ("main", "main"),
    ("list", "ul ol dl"),
    ("table", "table"),
    ("quote", "blockquote"),
    ("figure", "figure"),
    ("heading", "h1 h2 h3 h4 h5 h6"),
    ("code", "pre code"),
    ("details", "details dialog summary"),
)
BITS = cython.declare(cython.int, len(INSIDE))
# And directly: the sort of the nearest block element, a number each.
DIRECTLY = (
    "p",
    "li dd dt",
    "td th",
    "h1 h2 h3 h4 h5 h6",
    "div section article main body center",
    "pre listing",
    "blockquote",
    "figcaption caption legend",
)
SORTS_OF_BLOCK = cython.declare(cython.int, len(DIRECTLY))
# The inline element that holds its first text.
INLINE = ("a", "strong b em i", "span font", "time small label cite")
SORTS_OF_INLINE = cython.declare(cython.int, len(INLINE))
# What the block elements further out are.
AROUND = ("ul ol dl menu", "table tbody tr thead tfoot", "div", "section article main", "body html", "li dd dt td th")

_ROLES = {
    b"navigation": "nav",
    b"banner": "header",
    b"contentinfo": "footer",
    b"complementary": "aside",
    b"search": "form",
    b"article": "article",
    b"main": "main",
    b"dialog": "details",
}


def _bits() -> array[int]:
    column = array("i", [0]) * len(TAGS)
    for bit, (_, names) in enumerate(INSIDE):
        for name in names.split():
            column[TAG_ID[name]] |= 1 << bit
    return column


def _numbered(groups: tuple[str, ...]) -> array[int]:
    column = array("i", [0]) * len(TAGS)
    for number, names in enumerate(groups):
        for name in names.split():
            column[TAG_ID[name]] = number + 1
    return column


_INSIDE = _bits()
_DIRECTLY = _numbered(DIRECTLY)
_INLINE = _numbered(INLINE)
_AROUND = _numbered(AROUND)
_COUNTED = _numbered(("img picture svg", "input select button textarea option"))
_LEVEL = array("i", [0]) * len(TAGS)
for _k in range(1, 7):
    _LEVEL[TAG_ID[f"h{_k}"]] = _k
MAIN_BIT = cython.declare(cython.int, 1 << [name for name, _ in INSIDE].index("main"))
ARTICLE_BIT = cython.declare(cython.int, 1 << [name for name, _ in INSIDE].index("article"))
_ROLE_BITS = {role: 1 << [name for name, _ in INSIDE].index(of) for role, of in _ROLES.items()}

# What a page says that it is, in `og:type`.
STATED = (
    ("article", (b"Article", b"article", b"BlogPosting", b"Report")),
    ("product", (b"Product", b"product", b"Offer")),
    ("list", (b"ItemList", b"CollectionPage", b"SearchResultsPage", b"OfferCatalog")),
    ("forum", (b"DiscussionForumPosting", b"QAPage", b"Question")),
    ("faq", (b"FAQPage",)),
    ("site", (b"website", b"WebSite")),
)
LONG_LINE = cython.declare(cython.int, 120)  # characters

_OWN = (
    "chars links words marks mark_count stop digits capitals ideographs dates prices link_count texts word_size hidden"
)
_PLACE = "share of_longest line before unlinked_before from_h1 has_h1 from_longest depth from_heading heading_level"
_PAGE = "page_lines page_chars page_links page_paragraphs page_in_main page_in_article page_long"
_NEIGHBOUR = "chars links stop depth path"
NAMES: tuple[str, ...] = (
    *_OWN.split(),
    *_PLACE.split(),
    *_PAGE.split(),
    *(f"is_{k}" for k in range(len(DIRECTLY))),
    *(f"in_inline_{k}" for k in range(len(INLINE))),
    *(f"in_{name}" for name, _ in INSIDE),
    *(
        f"around{level}_{what}"
        for level in range(1, 6)
        for what in ("chars links share line_chars lines paragraphs place sort images controls".split())
    ),
    *(f"next{by:+}_{what}" for by in (-2, -1, 1, 2) for what in _NEIGHBOUR.split()),
    *(f"within{size}_{what}" for size in (3, 10) for what in ("chars", "links", "marks")),
    *(f"{group}_{what}" for group in ("path", "style") for what in ("lines", "share", "line_chars", "links")),
    "same_text",
    "same_before",
    *(f"alike{level}_{what}" for level in range(1, 6) for what in ("count", "share")),
    *(f"page_is_{name}" for name, _ in STATED),
    "in_comments",
    "page_in_comments",
)
WORD_NAMES: tuple[str, ...] = (
    *(f"words_{what}" for what in ("1", "2", "3", "sum", "least", "most", "faded")),
    *(f"text_{what}" for what in ("mean", "least", "first", "whole")),
)
CONTEXT_NAMES: tuple[str, ...] = (
    "first",
    *(f"first{by:+}" for by in (-3, -2, -1, 1, 2, 3)),
    *(f"first_within{size}" for size in (3, 8)),
    *(f"first_around{level}" for level in range(1, 6)),
    *(f"first_{what}" for what in ("path", "style", "most", "page", "before", "after", "up", "down")),
)
CONTEXT_WIDTH = cython.declare(cython.int, len(CONTEXT_NAMES))
# Where the columns of each sort begin.
OWN_AT = cython.declare(cython.int, NAMES.index("chars"))
PLACE_AT = cython.declare(cython.int, NAMES.index("share"))
PAGE_AT = cython.declare(cython.int, NAMES.index("page_lines"))
DIRECTLY_AT = cython.declare(cython.int, NAMES.index("is_0"))
INLINE_AT = cython.declare(cython.int, NAMES.index("in_inline_0"))
INSIDE_AT = cython.declare(cython.int, NAMES.index("in_nav"))
AROUND_AT = cython.declare(cython.int, NAMES.index("around1_chars"))
NEXT_AT = cython.declare(cython.int, NAMES.index("next-2_chars"))
WITHIN_AT = cython.declare(cython.int, NAMES.index("within3_chars"))
GROUP_AT = cython.declare(cython.int, NAMES.index("path_lines"))
SAME_AT = cython.declare(cython.int, NAMES.index("same_text"))
ALIKE_AT = cython.declare(cython.int, NAMES.index("alike1_count"))
STATED_AT = cython.declare(cython.int, NAMES.index("page_is_article"))
COMMENTS_AT = cython.declare(cython.int, NAMES.index("in_comments"))


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled or isinstance(column, array | bytearray) else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mix(h: cython.ulonglong, value: cython.ulonglong) -> cython.ulonglong:
    if cython.compiled:
        h = (h ^ value) * PRIME
        return h ^ (h >> 29)
    else:
        h = ((h ^ value) * PRIME) & _MASK
        return h ^ (h >> 29)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _width(first: cython.int) -> cython.int:
    """How many bytes a character beyond ASCII has, by the first of them."""
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 4


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _code(text: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """The number of a character beyond ASCII; 0xFFFF for those of four bytes, and where it is cut off."""
    c: cython.int = text[i]
    if c < 0xE0:
        return (c & 31) << 6 | text[i + 1] & 63 if i + 1 < stop else 0xFFFF
    if c < 0xF0 and i + 2 < stop:
        return (c & 15) << 12 | (text[i + 1] & 63) << 6 | text[i + 2] & 63
    return 0xFFFF


@cython.cclass
class _Lines:
    """The lines of a page while they are described: its columns, what is derived of its rows, and of its lines."""

    tag: cython.const[cython.int][::1]
    parent: cython.const[cython.int][::1]
    depth: cython.const[cython.int][::1]
    text_at: cython.const[cython.int][::1]
    chars: cython.const[cython.int][::1]
    linked: cython.const[cython.uchar][::1]
    text: cython.const[cython.uchar][::1]
    texts: cython.const[cython.longlong][::1]
    starts: cython.const[cython.longlong][::1]
    signs: cython.const[cython.uchar][::1]
    values: cython.float[:, ::1]
    rows: cython.int
    lines: cython.int
    # By row: the nearest block at or above, what it is inside of, the digests of its path and of its style.
    block: cython.int[::1]
    within: cython.int[::1]
    paths: cython.ulonglong[::1]
    styles: cython.ulonglong[::1]
    # Sums over the lines at and below each row, and the first line at or after it.
    sum_chars: cython.int[::1]
    sum_links: cython.int[::1]
    sum_lines: cython.int[::1]
    sum_paragraphs: cython.int[::1]
    sum_images: cython.int[::1]
    sum_controls: cython.int[::1]
    first_line: cython.int[::1]
    # By line: its first row, and what it holds.
    first: cython.int[::1]
    of_line: cython.int[::1]
    links_of_line: cython.int[::1]
    marks_of_line: cython.int[::1]
    stops: cython.uchar[::1]
    total: cython.longlong
    # Of the line that is being read.
    words: cython.int
    marks: cython.int
    digits: cython.int
    letters: cython.int
    capitals: cython.int
    ideographs: cython.int
    dates: cython.int
    prices: cython.int
    ended: cython.bint
    in_word: cython.bint
    run: cython.int  # digits in a row, up to here
    number: cython.int  # what they say
    hour: cython.bint  # whether a colon stands before them, and a number before that

    def __init__(self, page: Any, chars: Any, texts: Any, starts: Any, values: Any):
        self.tag, self.parent, self.depth = _plain(page.tag), _plain(page.parent), _plain(page.depth)
        self.text_at, self.text = _plain(page.text_at), page.text_buffer
        self.chars, self.linked = _plain(chars), _plain(page.linked)
        self.texts, self.starts = _plain(texts), _plain(starts)
        self.signs = SIGNS
        self.values = values
        self.rows, self.lines = len(page.tag), len(starts)
        self.block, self.within = _ints(self.rows), _ints(self.rows)
        self.paths, self.styles = _digests(self.rows), _digests(self.rows)
        self.sum_chars, self.sum_links = _ints(self.rows), _ints(self.rows)
        self.sum_lines, self.sum_paragraphs = _ints(self.rows), _ints(self.rows)
        self.sum_images, self.sum_controls = _ints(self.rows), _ints(self.rows)
        self.first_line = _ints(self.rows + 1)
        self.first, self.of_line = _ints(self.lines), _ints(self.lines)
        self.links_of_line, self.marks_of_line = _ints(self.lines), _ints(self.lines)
        self.stops = bytearray(self.lines)
        self.total = 0

    # By row

    def walk(self, page: Any) -> None:
        """What each row is inside of, and the digests of what is above it."""
        attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
        names: cython.const[cython.int][::1] = _plain(page.attribute_name)
        value_at: cython.const[cython.int][::1] = _plain(page.value_at)
        values: cython.const[cython.uchar][::1] = page.value_buffer
        sorts: cython.int[::1] = TAG_FLAGS
        bits: cython.int[::1] = _INSIDE
        counted: cython.int[::1] = _COUNTED
        row: cython.int
        above: cython.int
        t: cython.int
        k: cython.int
        i: cython.int
        style: cython.ulonglong
        for row in range(1, self.rows):
            above = self.parent[row]
            t = self.tag[row]
            self.block[row] = self.block[above]
            self.within[row] = self.within[above]
            if t < 4:  # no element
                self.paths[row] = self.paths[above]
                self.styles[row] = self.styles[above]
                continue
            if t < KNOWN:
                self.within[row] |= bits[t]
                self.sum_images[row] = counted[t] == 1
                self.sum_controls[row] = counted[t] == 2
                if sorts[t] & BLOCK_BIT:
                    self.block[row] = row
            style = _mix(self.styles[above], t)
            for k in range(attribute_at[row], attribute_at[row + 1]):
                if names[k] == CLASS:
                    for i in range(value_at[k], value_at[k + 1]):
                        style = _mix(style, values[i])
                elif names[k] == ROLE:
                    self.within[row] |= _role(page.value_buffer[value_at[k] : value_at[k + 1]])
            self.paths[row] = _mix(self.paths[above], t)
            self.styles[row] = style

    @cython.cfunc
    def add_up(self) -> cython.void:
        """The sums below each row, and the first line at or after it; each line is at its first row so far."""
        row: cython.int
        above: cython.int
        line: cython.int = 0
        for row in range(self.rows - 1, 0, -1):
            above = self.parent[row]
            self.sum_chars[above] += self.sum_chars[row]
            self.sum_links[above] += self.sum_links[row]
            self.sum_lines[above] += self.sum_lines[row]
            self.sum_paragraphs[above] += self.sum_paragraphs[row]
            self.sum_images[above] += self.sum_images[row]
            self.sum_controls[above] += self.sum_controls[row]
        for row in range(self.rows + 1):
            while line < self.lines and self.first[line] < row:
                line += 1
            self.first_line[row] = line

    # What a line is made of

    @cython.cfunc
    def read(self, line: cython.int, hidden: cython.bint) -> cython.void:
        """Reads a line: its own columns, and what it adds to the element it stands in."""
        values: cython.float[:, ::1] = self.values
        directly: cython.int[::1] = _DIRECTLY
        start: cython.int = self.starts[line]
        stop: cython.int = self.starts[line + 1] if line + 1 < self.lines else len(self.texts)
        first: cython.int = self.texts[start]
        size: cython.int = 0
        links: cython.int = 0
        link_count: cython.int = 0
        k: cython.int
        row: cython.int
        self.words = self.marks = self.digits = self.letters = self.capitals = 0
        self.ideographs = self.dates = self.prices = 0
        self.ended = self.in_word = False
        for k in range(start, stop):
            row = self.texts[k]
            size += self.chars[row]
            if self.linked[row]:
                links += self.chars[row]
                if k == start or self.parent[row] != self.parent[self.texts[k - 1]]:
                    link_count += 1
            self.read_text(self.text_at[row], self.text_at[row + 1])
        self.first[line] = first
        self.of_line[line] = size
        self.links_of_line[line] = links
        self.marks_of_line[line] = self.marks
        self.stops[line] = self.ended
        self.total += size
        self.sum_chars[first] += size
        self.sum_links[first] += links
        self.sum_lines[first] += 1
        k = self.tag[self.block[first]]
        if k < KNOWN and directly[k] == 1:
            self.sum_paragraphs[first] += size
        values[line, OWN_AT] = size
        values[line, OWN_AT + 1] = links / (size + 1.0)
        values[line, OWN_AT + 2] = self.words
        values[line, OWN_AT + 3] = self.marks / (size + 1.0)
        values[line, OWN_AT + 4] = self.marks
        values[line, OWN_AT + 5] = self.ended
        values[line, OWN_AT + 6] = self.digits / (size + 1.0)
        values[line, OWN_AT + 7] = self.capitals / (self.letters + 1.0)
        values[line, OWN_AT + 8] = self.ideographs / (size + 1.0)
        values[line, OWN_AT + 9] = self.dates
        values[line, OWN_AT + 10] = self.prices
        values[line, OWN_AT + 11] = link_count
        values[line, OWN_AT + 12] = stop - start
        values[line, OWN_AT + 13] = size / (self.words + 1.0)
        values[line, OWN_AT + 14] = hidden

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_text(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Counts what stands in one text of a line."""
        text: cython.const[cython.uchar][::1] = self.text
        c: cython.int
        code: cython.int
        self.run = self.number = 0
        self.hour = False
        while i < stop:
            c = text[i]
            if c < 128:
                i += 1
                if self.read_letter(c):
                    continue
                code = c
            else:
                code = _code(text, i, stop)
                i += _width(c)
            if code >= 128 and self.run:
                self.end_number()
                self.hour = False
            self.read_sign(code)
        self.end_number()
        self.in_word = False

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def read_letter(self, c: cython.int) -> cython.bint:
        """Counts a letter, a digit or a blank of ASCII; False for another sign."""
        if 97 <= c <= 122 or 65 <= c <= 90:
            self.letters += 1
            if c <= 90:
                self.capitals += 1
            if self.run:
                self.end_number()
                self.hour = False
        elif 48 <= c <= 57:
            self.digits += 1
            self.run += 1
            self.number = (10 * self.number + c - 48) % 100000
        else:
            if self.run:
                self.end_number()
                self.hour = c == 58
            elif c != 58:
                self.hour = False
            self.in_word = False
            return c <= 32
        self.ended = False
        self.begin_word()
        return True

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def read_sign(self, code: cython.int) -> cython.void:
        """Counts any other character."""
        sort: cython.int = self.signs[code]
        blank: cython.bint = code == 0xA0 or code == 0x3000
        if sort & MARK:
            self.marks += 1
        if sort & PRICE:
            self.prices += 1
        if sort & STOP:
            self.ended = True
        elif not sort & CLOSING and not blank:
            self.ended = False
        if 0x2E80 <= code < 0xD800 and not sort & (MARK | STOP):
            self.ideographs += 1
            self.words += self.ideographs & 1  # two to a word
            self.in_word = False
        elif code >= 128 and not sort and not blank:
            self.begin_word()

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def begin_word(self) -> cython.void:
        if not self.in_word:
            self.in_word = True
            self.words += 1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def end_number(self) -> cython.void:
        """A year is a date, and so are the minutes of a time."""
        if (self.run == 4 and 1900 <= self.number < 2100) or (self.run == 2 and self.hour):
            self.dates += 1
        self.run = self.number = 0

    # Where it stands

    @cython.cfunc
    def place(self) -> cython.void:
        """Where each line stands: in the page, from the headline, the heading before it and the longest line."""
        values: cython.float[:, ::1] = self.values
        heading: cython.int[::1] = _LEVEL
        all_chars: cython.double = self.total + 1.0
        unlinked: cython.double = 1.0
        before: cython.longlong = 0
        unlinked_before: cython.longlong = 0
        longest: cython.int = 0
        longest_line: cython.int = 0
        most: cython.int = 0
        last_heading: cython.int = -1
        last_level: cython.int = 0
        last_h1: cython.int = -1
        next_h1: cython.int = self.next_h1(0)
        has_h1: cython.bint = next_h1 >= 0
        line: cython.int
        own: cython.int
        t: cython.int
        for line in range(self.lines):
            own = self.of_line[line] - self.links_of_line[line]
            unlinked += own
            longest = max(longest, self.of_line[line])
            if own > most:
                most = own
                longest_line = line
        for line in range(self.lines):
            own = self.of_line[line] - self.links_of_line[line]
            t = self.tag[self.block[self.first[line]]]
            if t < KNOWN and heading[t]:
                last_heading = line
                last_level = heading[t]
            if next_h1 == line:
                last_h1 = line
                next_h1 = self.next_h1(line + 1)
            values[line, PLACE_AT] = self.of_line[line] / all_chars
            values[line, PLACE_AT + 1] = self.of_line[line] / (longest + 1.0)
            values[line, PLACE_AT + 2] = line / (self.lines + 0.0)
            values[line, PLACE_AT + 3] = before / all_chars
            values[line, PLACE_AT + 4] = (unlinked_before + own / 2.0) / unlinked
            values[line, PLACE_AT + 5] = _from_h1(line, last_h1, next_h1)
            values[line, PLACE_AT + 6] = has_h1
            values[line, PLACE_AT + 7] = line - longest_line
            values[line, PLACE_AT + 8] = self.depth[self.first[line]]
            values[line, PLACE_AT + 9] = line - last_heading if last_heading >= 0 else -1
            values[line, PLACE_AT + 10] = last_level
            before += self.of_line[line]
            unlinked_before += own

    @cython.cfunc
    @cython.exceptval(check=False)
    def next_h1(self, line: cython.int) -> cython.int:
        """The next line in a headline, from this one on; -1 without one."""
        while line < self.lines:
            if _in_h1(self.first[line], self.tag, self.parent):
                return line
            line += 1
        return -1

    @cython.cfunc
    def tell_page(self, comments: cython.const[cython.uchar][::1]) -> cython.void:
        """What the page is made of, beside each of its lines; and which of them look like comments."""
        values: cython.float[:, ::1] = self.values
        all_chars: cython.double = self.total + 1.0
        links: cython.longlong = 0
        in_main: cython.longlong = 0
        in_article: cython.longlong = 0
        long_lines: cython.longlong = 0
        in_comments: cython.longlong = 0
        line: cython.int
        size: cython.int
        for line in range(self.lines):
            size = self.of_line[line]
            links += self.links_of_line[line]
            if self.within[self.first[line]] & MAIN_BIT:
                in_main += size
            if self.within[self.first[line]] & ARTICLE_BIT:
                in_article += size
            if size >= LONG_LINE and 4 * self.links_of_line[line] < size:
                long_lines += size
            if comments[self.first[line]]:
                in_comments += size
        for line in range(self.lines):
            values[line, PAGE_AT] = self.lines
            values[line, PAGE_AT + 1] = self.total
            values[line, PAGE_AT + 2] = links / all_chars
            values[line, PAGE_AT + 3] = self.sum_paragraphs[0] / all_chars
            values[line, PAGE_AT + 4] = in_main / all_chars
            values[line, PAGE_AT + 5] = in_article / all_chars
            values[line, PAGE_AT + 6] = long_lines / all_chars
            values[line, COMMENTS_AT] = comments[self.first[line]]
            values[line, COMMENTS_AT + 1] = in_comments / all_chars

    # What it stands in

    @cython.cfunc
    def tell_elements(self) -> cython.void:
        """What each line is in: directly, in which inline element, and anywhere."""
        values: cython.float[:, ::1] = self.values
        directly: cython.int[::1] = _DIRECTLY
        inline: cython.int[::1] = _INLINE
        line: cython.int
        first: cython.int
        t: cython.int
        k: cython.int
        for line in range(self.lines):
            first = self.first[line]
            t = self.tag[self.block[first]]
            for k in range(SORTS_OF_BLOCK):
                values[line, DIRECTLY_AT + k] = t < KNOWN and directly[t] == k + 1
            t = self.tag[self.parent[first]]
            for k in range(SORTS_OF_INLINE):
                values[line, INLINE_AT + k] = t < KNOWN and inline[t] == k + 1
            for k in range(BITS):
                values[line, INSIDE_AT + k] = (self.within[first] >> k) & 1

    @cython.cfunc
    def tell_containers(self, containers: cython.int[:, ::1]) -> cython.void:
        """The block elements around each line, from the inside out, and what they hold."""
        values: cython.float[:, ::1] = self.values
        around: cython.int[::1] = _AROUND
        line: cython.int
        level: cython.int
        row: cython.int
        at: cython.int
        own: cython.int
        count: cython.int
        for line in range(self.lines):
            row = self.block[self.first[line]]
            at = AROUND_AT
            for level in range(LEVELS):
                containers[line, level] = row
                own = self.sum_chars[row]
                count = self.sum_lines[row]
                values[line, at] = own
                values[line, at + 1] = self.sum_links[row] / (own + 1.0)
                values[line, at + 2] = own / (self.total + 1.0)
                values[line, at + 3] = own / (count + 1.0)
                values[line, at + 4] = count
                values[line, at + 5] = self.sum_paragraphs[row] / (own + 1.0)
                values[line, at + 6] = (line - self.first_line[row]) / (count + 0.0) if count else 0.0
                values[line, at + 7] = around[self.tag[row]] if self.tag[row] < KNOWN else 0
                values[line, at + 8] = self.sum_images[row]
                values[line, at + 9] = self.sum_controls[row]
                at += 10
                row = self.block[self.parent[row]] if row > 0 else 0

    # What is beside it

    @cython.cfunc
    def tell_neighbours(self) -> cython.void:
        """The lines just before and after each one."""
        values: cython.float[:, ::1] = self.values
        line: cython.int
        other: cython.int
        by: cython.int
        at: cython.int
        first: cython.int
        for line in range(self.lines):
            first = self.first[line]
            at = NEXT_AT
            for by in range(-SHIFTS, SHIFTS + 1):
                if by == 0:
                    continue
                other = line + by
                if 0 <= other < self.lines:
                    values[line, at] = self.of_line[other]
                    values[line, at + 1] = self.links_of_line[other] / (self.of_line[other] + 1.0)
                    values[line, at + 2] = self.stops[other]
                    values[line, at + 3] = self.depth[self.first[other]] - self.depth[first]
                    values[line, at + 4] = self.paths[self.first[other]] == self.paths[first]
                else:  # the other three columns stay 0
                    values[line, at] = -1
                    values[line, at + 1] = -1
                at += 5

    @cython.cfunc
    def tell_windows(self) -> cython.void:
        """The text outside of links, the share in links and the marks of the lines around each one."""
        self.tell_window(NEAR, WITHIN_AT)
        self.tell_window(FAR, WITHIN_AT + 3)

    @cython.cfunc
    @cython.exceptval(check=False)
    def tell_window(self, size: cython.int, at: cython.int) -> cython.void:
        values: cython.float[:, ::1] = self.values
        text: cython.longlong = 0
        linked: cython.longlong = 0
        signs: cython.longlong = 0
        held: cython.int = 0
        line: cython.int
        enters: cython.int
        leaves: cython.int
        for line in range(-size, self.lines):
            enters = line + size
            leaves = line - size - 1
            if enters < self.lines:
                text += self.of_line[enters] - self.links_of_line[enters]
                linked += self.links_of_line[enters]
                signs += self.marks_of_line[enters]
                held += 1
            if leaves >= 0:
                text -= self.of_line[leaves] - self.links_of_line[leaves]
                linked -= self.links_of_line[leaves]
                signs -= self.marks_of_line[leaves]
                held -= 1
            if line >= 0:
                values[line, at] = text / (held + 0.0)
                values[line, at + 1] = linked / (text + linked + 1.0)
                values[line, at + 2] = signs / (held + 0.0)

    # What is like it

    @cython.cfunc
    def tell_groups(self, groups: cython.int[:, ::1]) -> cython.void:
        """The lines of the same path, and of the same style: how many there are and how much they hold."""
        self.tell_group(self.paths, groups, 0, GROUP_AT)
        self.tell_group(self.styles, groups, 1, GROUP_AT + 4)

    @cython.cfunc
    def tell_group(
        self, digests: cython.ulonglong[::1], groups: cython.int[:, ::1], which: cython.int, at: cython.int
    ) -> cython.void:
        values: cython.float[:, ::1] = self.values
        own: cython.ulonglong[::1] = _digests(self.lines)
        group: cython.int[::1] = _ints(self.lines)
        size: cython.int[::1] = _ints(self.lines)
        held: cython.int[::1] = _ints(self.lines)
        links: cython.int[::1] = _ints(self.lines)
        line: cython.int
        k: cython.int
        for line in range(self.lines):
            own[line] = digests[self.first[line]]
        _number(own, self.lines, group)
        for line in range(self.lines):
            k = group[line]
            groups[line, which] = k
            size[k] += 1
            held[k] += self.of_line[line]
            links[k] += self.links_of_line[line]
        for line in range(self.lines):
            k = group[line]
            values[line, at] = size[k]
            values[line, at + 1] = held[k] / (self.total + 1.0)
            values[line, at + 2] = held[k] / (size[k] + 0.0)
            values[line, at + 3] = links[k] / (held[k] + 1.0)

    @cython.cfunc
    def tell_same(self) -> cython.void:
        """How many lines begin with the same text, and how many of them stand before each one."""
        own: cython.ulonglong[::1] = _digests(self.lines)
        group: cython.int[::1] = _ints(self.lines)
        size: cython.int[::1] = _ints(self.lines)
        line: cython.int
        i: cython.int
        digest: cython.ulonglong
        for line in range(self.lines):
            digest = SEED
            for i in range(self.text_at[self.first[line]], self.text_at[self.first[line] + 1]):
                if self.text[i] > 32:
                    digest = _mix(digest, self.text[i])
            own[line] = digest
        _number(own, self.lines, group)
        for line in range(self.lines):
            self.values[line, SAME_AT + 1] = size[group[line]]
            size[group[line]] += 1
        for line in range(self.lines):
            self.values[line, SAME_AT] = size[group[line]]

    @cython.cfunc
    def tell_alike(self, containers: cython.int[:, ::1]) -> cython.void:
        """How many elements there are like those around each line, and how much of the page's text they hold."""
        group: cython.int[::1] = _ints(self.rows)
        count: cython.int[::1] = _ints(self.rows)
        held: cython.int[::1] = _ints(self.rows)
        row: cython.int
        line: cython.int
        level: cython.int
        _number(self.styles, self.rows, group)
        for row in range(1, self.rows):
            if self.tag[row] >= 4 and self.sum_chars[row]:
                count[group[row]] += 1
                held[group[row]] += self.sum_chars[row]
        for line in range(self.lines):
            for level in range(LEVELS):
                row = containers[line, level]
                if row:  # else the two columns stay 0
                    self.values[line, ALIKE_AT + 2 * level] = count[group[row]]
                    self.values[line, ALIKE_AT + 2 * level + 1] = held[group[row]] / (self.total + 1.0)


def _ints(count: int) -> array[int]:
    return array("i", bytes(4 * count))


def _digests(count: int) -> array[int]:
    return array("Q", bytes(8 * count))


@cython.cfunc
def _number(digests: cython.ulonglong[::1], count: cython.int, group: cython.int[::1]) -> cython.void:
    """Numbers what has the same digest alike, in the order of who comes first."""
    slots: cython.int = 64
    while slots < 2 * count:
        slots *= 2
    table: cython.int[::1] = _ints(slots)  # the group of a slot, and 1
    first: cython.int[::1] = _ints(count)  # of each group
    found: cython.int = 0
    k: cython.int
    slot: cython.Py_ssize_t
    for k in range(count):
        slot = cython.cast(cython.Py_ssize_t, digests[k] & cython.cast(cython.ulonglong, slots - 1))
        while table[slot] and digests[first[table[slot] - 1]] != digests[k]:
            slot = (slot + 1) & (slots - 1)
        if not table[slot]:
            first[found] = k
            found += 1
            table[slot] = found
        group[k] = table[slot] - 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _from_h1(line: cython.int, before: cython.int, after: cython.int) -> cython.float:
    """How far the closest headline is, in lines: positive after it, negative before it; 0 without one."""
    if before < 0 and after < 0:
        return 0
    if before < 0 or (after >= 0 and after - line < line - before):
        return line - after
    return line - before


@cython.cfunc
@cython.exceptval(check=False)
def _in_h1(row: cython.int, tag: cython.const[cython.int][::1], parent: cython.const[cython.int][::1]) -> cython.bint:
    _k: cython.int
    for _k in range(4):
        row = parent[row]
        if row <= 0:
            return False
        if tag[row] == H1:
            return True
    return False


def _role(role: bytes) -> int:
    return _ROLE_BITS.get(role.strip().lower(), 0)


def _stated(page: Any) -> tuple[int, ...]:
    """What the page says that it is: a flag for each of STATED."""
    found = meta_values(page, bytes([PROPERTY]), MOST_META)
    said = b" ".join([page.value_buffer[start:stop] for name, start, stop in found if name == b"ogtype"])
    return tuple(int(any(word in said for word in words)) for _, words in STATED)


def describe(
    page: Any, chars: Any, comments_: Any, texts: Any, starts: Any, values: Any, containers_: Any, groups_: Any
) -> None:
    """Fills a row of `values` a line, its block elements from the inside out, and the numbers of its path and style.

    `values` is all zeros before. `chars` is how long each text row is, `comments` which rows look like readers'
    comments, `texts` the text rows of the lines, `starts` where in them each line begins. Lines of one path stand in
    the same elements; of one style, in elements of the same classes too. Groups are numbered by their first line.
    """
    state: cython.const[cython.uchar][::1] = _plain(page.visibility)
    comments: cython.const[cython.uchar][::1] = _plain(comments_)
    containers: cython.int[:, ::1] = containers_
    groups: cython.int[:, ::1] = groups_
    described: _Lines = _Lines(page, chars, texts, starts, values)
    line: cython.int
    if not described.lines:
        return
    described.walk(page)
    for line in range(described.lines):
        described.read(line, state[described.texts[described.starts[line]]] > 0)
    described.add_up()
    described.place()
    described.tell_page(comments)
    described.tell_elements()
    described.tell_containers(containers)
    described.tell_neighbours()
    described.tell_windows()
    described.tell_groups(groups)
    described.tell_same()
    described.tell_alike(containers)
    values[:, STATED_AT : STATED_AT + len(STATED)] = _stated(page)


# Words of classes and ids


@cython.cfunc
@cython.exceptval(check=False)
def _next_word(
    values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int, found: cython.int[::1]
) -> cython.bint:
    """The next word of a class or id: letters of one case, a capital first; found[0] to found[1]."""
    i: cython.int = start
    while i < stop and not (97 <= (values[i] | 32) <= 122):
        i += 1
    if i >= stop:
        return False
    found[0] = i
    i += 1
    while i < stop and 97 <= (values[i] | 32) <= 122:
        if values[i] <= 90 and values[i - 1] > 90:  # the next hump
            break
        i += 1
    found[1] = i
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _word_digest(values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.longlong:
    h: cython.ulonglong = SEED
    i: cython.int
    for i in range(start, min(stop, start + LONGEST_WORD)):
        h = _mix(h, values[i] | 32)
    return cython.cast(cython.longlong, (h >> 1) | 1)


def words(page: Any) -> tuple[array[int], array[int]]:
    """The words of all classes, ids and roles: the row and the digest of each."""
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    names: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    values: cython.const[cython.uchar][::1] = page.value_buffer
    rows: array[int] = array("i")
    digests: array[int] = array("q")
    span_ = array("i", [0, 0])
    span: cython.int[::1] = span_
    row: cython.int
    k: cython.int
    at: cython.int
    taken: cython.int
    for row in range(len(page.tag)):
        taken = 0
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if names[k] != CLASS and names[k] != ID and names[k] != ROLE:
                continue
            at = value_at[k]
            while taken < MOST_WORDS and _next_word(values, at, value_at[k + 1], span):
                at = span[1]
                if span[1] - span[0] > 1:
                    rows.append(row)
                    digests.append(_word_digest(values, span[0], span[1]))
                    taken += 1
    return rows, digests


# Words of the text


@cython.cclass
class _Text:
    """The digests of the words that a line begins with, and of all of them where they are few.

    A word is letters, or how many digits; of a script without blanks, each two signs. `digests` holds `count` of them.
    """

    text: cython.const[cython.uchar][::1]
    text_at: cython.const[cython.int][::1]
    texts: cython.const[cython.longlong][::1]
    starts: cython.const[cython.longlong][::1]
    signs: cython.const[cython.uchar][::1]
    digests: cython.longlong[::1]
    count: cython.int
    whole: cython.longlong  # 0 where there are more words than would make a saying
    word: cython.ulonglong
    letters: cython.int
    number: cython.int  # digits
    last: cython.int  # the sign of a script without blanks before, 0 without one

    def __init__(self, page: Any, texts: Any, starts: Any):
        self.text, self.text_at = page.text_buffer, _plain(page.text_at)
        self.texts, self.starts = _plain(texts), _plain(starts)
        self.signs = SIGNS
        self.digests = array("q", bytes(8 * (MOST_TEXT + 1)))

    @cython.cfunc
    def read(self, line: cython.int) -> cython.void:
        """Reads a line."""
        k: cython.Py_ssize_t
        row: cython.Py_ssize_t
        stop: cython.Py_ssize_t = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.texts)
        h: cython.ulonglong = TEXT_SEED
        self.count = 0
        for k in range(self.starts[line], stop):
            row = self.texts[k]
            self.read_text(self.text_at[row], self.text_at[row + 1])
            if self.count >= MOST_TEXT:
                break
        self.whole = 0
        if 0 < self.count <= SAYING:
            for k in range(self.count):
                h = _mix(h, cython.cast(cython.ulonglong, self.digests[k]))
            self.whole = cython.cast(cython.longlong, (h >> 1) | 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_text(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        text: cython.const[cython.uchar][::1] = self.text
        c: cython.int
        code: cython.int
        self.begin()
        while i < stop and self.count < MOST_TEXT:
            c = text[i]
            if c < 128:
                i += 1
                if 97 <= (c | 32) <= 122:
                    if self.number:
                        self.end()
                    self.add(c | 32)
                elif 48 <= c <= 57:
                    if self.letters:
                        self.end()
                    self.number += 1
                elif self.letters or self.number:
                    self.end()
                self.last = 0
                continue
            code = _code(text, i, stop)
            i += _width(c)
            if 0x3040 <= code < 0xA000:
                self.add_sign(code)
            elif self.signs[code] or code < 0xC0 or 0x2000 <= code < 0x3040 or code >= 0xD800:
                self.end()
                self.last = 0
            else:
                if self.number:
                    self.end()
                self.add(code)
                self.last = 0
        self.end()

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def begin(self) -> cython.void:
        self.word = TEXT_SEED
        self.letters = self.number = self.last = 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def add(self, code: cython.int) -> cython.void:
        """A letter more."""
        if self.letters < LONGEST_WORD:
            self.word = _mix(self.word, code)
        self.letters += 1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def add_sign(self, code: cython.int) -> cython.void:
        """A sign of a script without blanks: with the one before it, it is a word."""
        if self.letters or self.number:
            self.end()
        if self.last and self.count < MOST_TEXT:
            self.word = _mix(_mix(self.word, self.last), code)
            self.letters = 1
            self.end()
        self.last = code

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def end(self) -> cython.void:
        """The end of a word, if there is one."""
        if self.number:
            self.word = _mix(self.word, min(self.number, 5))
        if (self.letters or self.number) and self.count < MOST_TEXT:
            self.digests[self.count] = cython.cast(cython.longlong, (self.word >> 1) | 1)
            self.count += 1
        self.word = TEXT_SEED
        self.letters = self.number = 0


def text_words(page: Any, texts: Any, starts: Any) -> tuple[array[int], array[int]]:
    """The words that the lines begin with, and short lines as a whole: the line and the digest of each."""
    lines: array[int] = array("i")
    digests: array[int] = array("q")
    text: _Text = _Text(page, texts, starts)
    line: cython.int
    k: cython.int
    for line in range(len(starts)):
        text.read(line)
        for k in range(text.count):
            lines.append(line)
            digests.append(text.digests[k])
        if text.whole:
            lines.append(line)
            digests.append(text.whole)
    return lines, digests


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _slot(known: cython.const[cython.longlong][::1], digest: cython.longlong) -> cython.Py_ssize_t:
    """Where a digest stands in a table; -1 where it does not."""
    slots: cython.longlong = len(known)
    slot: cython.longlong = digest & (slots - 1)
    while known[slot] and known[slot] != digest:
        slot = (slot + 1) & (slots - 1)
    return slot if known[slot] else -1


def describe_text(page: Any, texts: Any, starts: Any, known_: Any, scores_: Any, values_: Any, at: cython.int) -> None:
    """Fills the columns about the words of the text, from `at` on: what those say that a line begins with."""
    known: cython.const[cython.longlong][::1] = _plain(known_)
    scores: cython.const[cython.float][::1] = _plain(scores_)
    values: cython.float[:, ::1] = values_
    text: _Text = _Text(page, texts, starts)
    line: cython.int
    k: cython.int
    found: cython.int
    slot: cython.Py_ssize_t
    total: cython.double
    least: cython.double
    for line in range(len(starts)):
        text.read(line)
        found = 0
        total = 0
        least = 0
        values[line, at + 2] = 0
        for k in range(text.count):
            slot = _slot(known, text.digests[k])
            if slot >= 0:
                found += 1
                total += scores[slot]
                least = min(least, scores[slot])
                if k == 0:
                    values[line, at + 2] = scores[slot]
        values[line, at] = total / found if found else 0
        values[line, at + 1] = least
        slot = _slot(known, text.whole) if text.whole else -1
        values[line, at + 3] = scores[slot] if slot >= 0 else 0


def describe_words(page: Any, containers_: Any, known_: Any, scores_: Any, values_: Any, at: cython.int) -> None:
    """Fills the columns about the words of classes and ids, from `at` on: what the elements around each line say.

    `known` is a table of digests with a power of two for its size, 0 where empty, and `scores` what each word says.
    """
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    names: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    value_bytes: cython.const[cython.uchar][::1] = page.value_buffer
    containers: cython.const[cython.int][:, ::1] = containers_
    known: cython.const[cython.longlong][::1] = _plain(known_)
    scores: cython.const[cython.float][::1] = _plain(scores_)
    values: cython.float[:, ::1] = values_
    rows: cython.int = len(page.tag)
    lines: cython.int = containers_.shape[0]
    own_ = array("f", bytes(4 * rows))
    sum_ = array("f", bytes(4 * rows))
    least_ = array("f", bytes(4 * rows))
    most_ = array("f", bytes(4 * rows))
    faded_ = array("f", bytes(4 * rows))
    own: cython.float[::1] = own_
    sums: cython.float[::1] = sum_
    least: cython.float[::1] = least_
    most: cython.float[::1] = most_
    faded: cython.float[::1] = faded_
    span_ = array("i", [0, 0])
    span: cython.int[::1] = span_
    row: cython.int
    above: cython.int
    k: cython.int
    i: cython.int
    taken: cython.int
    found: cython.int
    slot: cython.Py_ssize_t
    score: cython.double
    for row in range(1, rows):
        above = parent[row]
        score = 0
        found = 0
        taken = 0
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if names[k] != CLASS and names[k] != ID and names[k] != ROLE:
                continue
            i = value_at[k]
            while taken < MOST_WORDS and _next_word(value_bytes, i, value_at[k + 1], span):
                i = span[1]
                if span[1] - span[0] > 1:
                    taken += 1
                    slot = _slot(known, _word_digest(value_bytes, span[0], span[1]))
                    if slot >= 0:
                        score += scores[slot]
                        found += 1
        if found:
            score /= found
        own[row] = score
        sums[row] = sums[above] + score
        least[row] = min(least[above], score)
        most[row] = max(most[above], score)
        faded[row] = faded[above] * 0.7 + score if found else faded[above]
    line: cython.int
    for line in range(lines):
        row = containers[line, 0]
        values[line, at] = own[row]
        values[line, at + 1] = own[containers[line, 1]]
        values[line, at + 2] = own[containers[line, 2]]
        values[line, at + 3] = sums[row]
        values[line, at + 4] = least[row]
        values[line, at + 5] = most[row]
        values[line, at + 6] = faded[row]


# What the first stage said of the lines around


def describe_context(
    end_: Any, texts_: Any, starts_: Any, containers_: Any, groups_: Any, first_: Any, values_: Any, at: cython.int
) -> None:
    """Fills the columns about the first stage's answers, from `at` on: of the lines near, around, alike, and all.

    Answers are from 0 to 1; column 0 of the values is how long each line is, which is what counts in means.
    """
    end: cython.const[cython.int][::1] = _plain(end_)
    texts: cython.const[cython.longlong][::1] = _plain(texts_)
    starts: cython.const[cython.longlong][::1] = _plain(starts_)
    containers: cython.const[cython.int][:, ::1] = containers_
    groups: cython.const[cython.int][:, ::1] = groups_
    first: cython.const[cython.double][::1] = _plain(first_)
    values: cython.float[:, ::1] = values_
    lines: cython.int = len(starts_)
    if not lines:
        return
    # Sums before each line, so that those of any stretch are two look-ups.
    weight_ = array("d", bytes(8 * (lines + 1)))
    yes_ = array("d", bytes(8 * (lines + 1)))
    weight: cython.double[::1] = weight_
    yes: cython.double[::1] = yes_
    group_weight_ = array("d", bytes(8 * 2 * lines))
    group_yes_ = array("d", bytes(8 * 2 * lines))
    group_weight: cython.double[::1] = group_weight_
    group_yes: cython.double[::1] = group_yes_
    line: cython.int
    other: cython.int
    by: cython.int
    level: cython.int
    k: cython.int
    low: cython.int
    high: cython.int
    most: cython.double = 0
    w: cython.double
    for line in range(lines):
        w = float(values[line, 0])
        weight[line + 1] = weight[line] + w
        yes[line + 1] = yes[line] + w * first[line]
        most = max(most, first[line])
        for k in range(2):
            group_weight[k * lines + groups[line, k]] += w
            group_yes[k * lines + groups[line, k]] += w * first[line]
    rows: cython.int = len(end_)
    first_line_ = array("i", bytes(4 * (rows + 1)))  # of those at or after each row
    first_line: cython.int[::1] = first_line_
    line = 0
    for k in range(rows + 1):
        while line < lines and texts[starts[line]] < k:
            line += 1
        first_line[k] = line
    up: cython.int = -1
    for line in range(lines):
        values[line, at] = first[line]
        k = at + 1
        for by in range(-3, 4):
            if by:
                other = line + by
                values[line, k] = first[other] if 0 <= other < lines else -1
                k += 1
        for by in (3, 8):
            low = max(0, line - by)
            high = min(lines, line + by + 1)
            values[line, k] = (yes[high] - yes[low]) / (weight[high] - weight[low] + 1)
            k += 1
        for level in range(5):
            other = containers[line, level]
            low = first_line[other]
            high = first_line[end[other]]
            # The line itself is left out: what do the others say?
            w = float(values[line, 0])
            values[line, k] = (yes[high] - yes[low] - w * first[line]) / (weight[high] - weight[low] - w + 1)
            k += 1
        for by in range(2):
            other = groups[line, by]
            w = float(values[line, 0])
            values[line, k] = (group_yes[by * lines + other] - w * first[line]) / (
                group_weight[by * lines + other] - w + 1
            )
            k += 1
        values[line, k] = most
        values[line, k + 1] = yes[lines] / (weight[lines] + 1)
        values[line, k + 2] = yes[line] / (yes[lines] + 1)
        values[line, k + 3] = (yes[lines] - yes[line + 1]) / (yes[lines] + 1)
        values[line, k + 4] = line - up if up >= 0 else -1
        if first[line] >= 0.5:
            up = line
    up = -1
    for line in range(lines - 1, -1, -1):
        values[line, at + CONTEXT_WIDTH - 1] = up - line if up >= 0 else -1
        if first[line] >= 0.5:
            up = line
