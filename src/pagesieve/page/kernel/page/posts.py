# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Find the posts of a page: the elements that are named as posts are and hold a text besides an author or a date.

What such an element has of its own, less the posts inside of it, are spans: an array of where each begins and ends, in
order, from its first row on.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import (
    count_below,
    fnv_seed,
    is_digit,
    is_letter,
    is_space,
    mix,
    zeros,
)
from cython.cimports.pagesieve.page.kernel.constants import HASH, HYPHEN, SLASH, SPACE
from cython.cimports.pagesieve.page.kernel.page.name_table import *
from cython.cimports.pagesieve.page.kernel.page.names import Screen, names_among, post_names_of, value_bits
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured
from cython.cimports.pagesieve.page.kernel.tags import (
    ATTR_CLASS,
    ATTR_HREF,
    ATTR_ID,
    ATTR_ITEMPROP,
    ATTR_ITEMTYPE,
    ATTR_NAME,
    ATTR_TYPE,
    TAG_A,
    TAG_ABBR,
    TAG_BLOCKQUOTE,
    TAG_BODY,
    TAG_BUTTON,
    TAG_DATALIST,
    TAG_DD,
    TAG_DIV,
    TAG_FORM,
    TAG_H1,
    TAG_H4,
    TAG_HTML,
    TAG_INPUT,
    TAG_OPTGROUP,
    TAG_OPTION,
    TAG_SECTION,
    TAG_SELECT,
    TAG_TABLE,
    TAG_TD,
    TAG_TEXTAREA,
    TAG_TIME,
    TAG_TR,
)

# One of these is in a class, an id or microdata of what is looked at, with capitals as here.
_POST_WORDS = cython.declare(Screen, Screen("post|omment|essage|answer|repl|uestion|Post|Answer|thing|comtr"))
_BODY_WORDS = cython.declare(
    Screen, Screen("ody|ext|ontent|essage|cooked|rapper|md|t_f|inner|pid_|post|omment|copy|msg")
)
_MARK_WORDS = cython.declare(
    Screen, Screen("uthor|user|User|name|poster|creator|nick|fn|date|time|posted|profile|left")
)
_QUOTATION_WORDS = cython.declare(Screen, Screen("uote"))
# Addresses of profiles that are no members' (of the staff, of a start page) have one of these.
_STAFF_WORDS = cython.declare(Screen, Screen("author|Author|people|home|Home|.google.|youtube|twitter"))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_control(tag: cython.int) -> cython.bint:
    """Whether what is in an element is not there to be read."""
    return (
        tag == TAG_SELECT
        or tag == TAG_OPTGROUP
        or tag == TAG_OPTION
        or tag == TAG_DATALIST
        or tag == TAG_BUTTON
        or tag == TAG_TEXTAREA
    )


# Whether a page may be a thread


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_post(view: PageView, names: cython.uint[::1], row: cython.int) -> cython.bint:
    """Whether an element says that it is a post, or holds some; a page may be named after its posts."""
    tag = view.tag[row]
    return names[row] & (NAME_POST | NAME_POST_TYPE) != 0 and tag != TAG_A and tag != TAG_BODY and tag != TAG_HTML


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_seen_post(view: PageView, names: cython.uint[::1], row: cython.int) -> cython.bint:
    """Whether an element is there to be seen and says that it is a post, or holds some."""
    if not names[row] & (NAME_POST | NAME_POST_TYPE | NAME_POST_ELEMENT):
        return False
    if names[row] & NAME_POST_ELEMENT:
        return True
    if view.visibility[row] != 0 or not _is_post(view, names, row):
        return False
    return names[row] & NAME_POST_TYPE != 0 or _POST_WORDS.has_any(view, row, ATTR_ITEMTYPE)


def may_be_thread(page: Any, kept: cython.const[cython.uchar][::1]) -> int:
    """Return the first of the rows that were kept where these may be posts; else -1.

    A quick answer for most pages: two elements around some are named as posts are, or links to people and rows that
    were kept stand by turns.
    """
    view: PageView = measured(page)
    if len(kept) != view.rows:
        return -1
    first: cython.int = 0
    while first < view.rows and not kept[first]:
        first += 1
    if first < view.rows and (
        _has_named_posts(view, kept, post_names_of(page), first) or _has_bylines(view, kept, first)
    ):
        return first
    return -1


def has_named_posts(page: Any, kept: cython.const[cython.uchar][::1], first: cython.int) -> bool:
    """Whether two elements around rows that were kept, from the first of these on, are named as posts are."""
    view: PageView = measured(page)
    return (
        len(kept) == view.rows and 0 <= first < view.rows and _has_named_posts(view, kept, post_names_of(page), first)
    )


def has_bylines(page: Any, kept: cython.const[cython.uchar][::1], first: cython.int) -> bool:
    """Whether links to people and rows that were kept stand by turns, from the first of these on."""
    view: PageView = measured(page)
    return len(kept) == view.rows and 0 <= first < view.rows and _has_bylines(view, kept, first)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_bylines(view: PageView, kept: cython.const[cython.uchar][::1], first: cython.int) -> cython.bint:
    """Whether links to people and rows that were kept stand by turns."""
    last: cython.int = view.rows - 1
    while last > first and not kept[last]:
        last -= 1
    count: cython.int = 0
    is_written: cython.bint = True  # whether a row was kept since the last such link
    row: cython.int = max(first - MAX_BEFORE, 1)
    while row <= last:
        if kept[row]:
            is_written = True
        elif is_written and view.tag[row] == TAG_A and _leads_to_somebody(view, row) and _is_apart(view, kept, row):
            count += 1
            if count == MIN_BYLINES:
                return True
            is_written = False
            row = view.end[row]
            continue
        row += 1
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_apart(view: PageView, kept: cython.const[cython.uchar][::1], row: cython.int) -> cython.bint:
    """Whether a link is no part of a text: it was not kept, or little stands beside it."""
    above = view.parent[row]
    if view.text_at[view.end[above]] - view.text_at[above] <= MAX_BYLINE:
        return True
    for inner in range(row, view.end[row]):
        if kept[inner]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leads_to_somebody(view: PageView, row: cython.int) -> cython.bint:
    """Whether a link has a short text, and its address is that of a profile, or is this text after the host."""
    start = view.text_at[row]
    stop = view.text_at[view.end[row]]
    k = view.attribute(row, ATTR_HREF)
    if k < 0 or not 0 < stop - start <= MAX_STAMP:
        return False
    if _STAFF_WORDS.is_in(view, k):
        return False
    if value_bits(view, k) & VALUE_PROFILE:
        return True
    while stop > start and is_space(view.text[stop - 1]):
        stop -= 1
    while start < stop and is_space(view.text[start]):
        start += 1
    begin = view.value_at[k]
    end = view.value_at[k + 1] - (stop - start)
    if stop - start < MIN_PERSON or end <= begin:
        return False
    for at in range(stop - start):
        if view.text[start + at] | 32 != view.values[end + at] | 32:
            return False
    slashes: cython.int = 0
    for at in range(begin, end):
        slashes += view.values[at] == SLASH
    return view.values[end - 1] == SLASH and (end == begin + 1 or slashes == SLASHES_OF_HOST)


@cython.cfunc
def _has_named_posts(
    view: PageView, kept: cython.const[cython.uchar][::1], names: cython.uint[::1], first: cython.int
) -> cython.bint:
    """Whether two elements around rows that were kept are named as posts are.

    Those that link to pages of their own, or are made of links, are none.
    """
    if not names[view.rows] & (NAME_POST | NAME_POST_TYPE | NAME_POST_ELEMENT):
        return False
    found: cython.int[::1] = zeros("i", MAX_FIRST_POSTS)
    count: cython.int = 0
    last: cython.int = view.rows  # where the last that was found begins
    follows: cython.int = view.rows  # the next row that was kept
    is_named: cython.bint = False
    row: cython.int
    for row in range(view.rows - 1, first - 1, -1):
        if kept[row]:
            follows = row
        if names[row] and follows < view.rows and _is_seen_post(view, names, row):
            is_named = True
            if follows < view.end[row] <= last:
                last = row
                if count < MAX_FIRST_POSTS:
                    found[count] = row
                count += 1
    row = first
    for _ in range(MAX_ABOVE if is_named and count < MIN_POSTS else 0):
        if row <= 0:
            break
        row = view.parent[row]
        if _is_post(view, names, row) and view.end[row] <= last and count < MAX_FIRST_POSTS:
            last = row
            found[count] = row
            count += 1
    few = min(count, MAX_FIRST_POSTS)
    return count >= MIN_POSTS and not _lead_away(view, found, few) and not _are_links(view, found, few)


def are_posts(page: Any, rows: list[int]) -> list[bool]:
    """Return which of some elements say that they are posts, or hold some."""
    view: PageView = measured(page)
    names: cython.uint[::1] = post_names_of(page)
    return [0 <= row < view.rows and _is_post(view, names, row) for row in rows]


def rows_with_short_year(
    page: Any, first: cython.int, stop: cython.int, least: cython.int, most: cython.int
) -> list[int]:
    """Return the text rows among some that have `least` to `most` bytes and a date such as 16-Jun-20."""
    view: PageView = measured(page)
    found: list[int] = []
    row: cython.int
    for row in range(max(first, 0), min(stop, view.rows)):
        if view.chars[row] and least <= view.text_at[row + 1] - view.text_at[row] <= most:
            if _has_short_year(view, view.text_at[row], view.text_at[row + 1]):
                found.append(row)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_short_year(view: PageView, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a text has a number, a hyphen, letters, a hyphen and two digits."""
    text = view.text
    at: cython.Py_ssize_t
    for at in range(start + 4, stop - 2):
        if text[at] != HYPHEN or not is_digit(text[at + 1]) or not is_digit(text[at + 2]):
            continue
        if at + 3 < stop and is_digit(text[at + 3]):
            continue
        begin: cython.Py_ssize_t = at
        while begin > start and (is_letter(text[begin - 1]) or text[begin - 1] >= 128):
            begin -= 1
        if begin < at and begin - 2 >= start and text[begin - 1] == HYPHEN and is_digit(text[begin - 2]):
            return True
    return False


def section(page: Any, texts: cython.const[cython.uchar][::1], around: cython.int) -> tuple[int, int]:
    """Return the rows of an element around some texts that has little other text: where it begins and ends.

    That is as much as the texts have and `around` characters, at the most.
    """
    view: PageView = measured(page)
    sums: cython.longlong[::1] = zeros("q", view.rows + 1)
    row: cython.int
    first: cython.int = -1
    last: cython.int = 0
    most: cython.longlong = around
    with cython.nogil:
        for row in range(view.rows):
            sums[row + 1] = sums[row] + view.chars[row]
            if texts[row]:
                first = row if first < 0 else first
                last = row
                most += 2 * view.chars[row]
        row = max(first, 0)
        while view.end[row] <= last:
            row = view.parent[row]
        while row > 0 and sums[view.end[view.parent[row]]] - sums[view.parent[row]] <= most:
            row = view.parent[row]
    return row, view.end[row]


def lead_away(page: Any, roots: list[int]) -> bool:
    """Whether most of some elements have a headline that links to a page of their own, as those of a blog do."""
    view: PageView = measured(page)
    return _lead_away(view, array("i", roots), len(roots))


@cython.cfunc
def _lead_away(view: PageView, roots: cython.const[cython.int][::1], count: cython.int) -> cython.bint:
    """Whether most of some elements have a headline that links to a page of their own."""
    headings: cython.int[::1] = zeros("i", view.rows)  # the nearest at or above each row, or 0
    away: cython.int[::1] = zeros("i", view.rows + 1)  # how many of those before a row have such a link
    linked: cython.int = 0
    k: cython.int
    row: cython.int
    for row in range(1, view.rows):
        headings[row] = row if TAG_H1 <= view.tag[row] <= TAG_H4 else headings[view.parent[row]]
        if headings[row] and view.tag[row] == TAG_A and _links_away(view, row):
            away[headings[row] + 1] = 1
    for row in range(view.rows):
        away[row + 1] += away[row]
    for k in range(count):
        linked += away[view.end[roots[k]]] > away[roots[k]]
    return 2 * linked > count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _links_away(view: PageView, row: cython.int) -> cython.bint:
    """Whether a link leads to another page, which is nobody's profile."""
    return _has_address(view, row) and not value_bits(view, view.attribute(row, ATTR_HREF)) & VALUE_PROFILE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_address(view: PageView, row: cython.int) -> cython.bint:
    """Whether a link has an address, of no place in a page."""
    k = view.attribute(row, ATTR_HREF)
    if k < 0 or view.value_at[k] == view.value_at[k + 1]:
        return False
    for at in range(view.value_at[k], view.value_at[k + 1]):
        if view.values[at] == HASH:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _are_links(view: PageView, roots: cython.const[cython.int][::1], count: cython.int) -> cython.bint:
    """Whether most text of some elements is in links."""
    chars: cython.longlong = 0
    linked: cython.longlong = 0
    for k in range(count):
        for row in range(roots[k], view.end[roots[k]]):
            chars += view.chars[row]
            if view.linked[row]:
                linked += view.chars[row]
    return 2 * linked > chars


# Posts


@cython.final
@cython.cclass
class MarkedRows:
    """Some rows of a page, which are in order, and those of them that stand in spans: the first MAX_MARKS."""

    rows: cython.int[::1]  # in order,
    count: cython.int  # so many
    places: cython.int[::1]  # those of the rows that were found last, by their places in `rows`,
    stops: cython.int[::1]  # and where the span that each stands in ends

    def __init__(self, most: int) -> None:
        self.rows = zeros("i", most)
        self.count = 0
        self.places, self.stops = zeros("i", MAX_MARKS), zeros("i", MAX_MARKS)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, row: cython.int) -> cython.void:
        """Add a row after the others."""
        self.rows[self.count] = row
        self.count += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def first_from(self, row: cython.int) -> cython.int:
        """Return the place of the first of the rows from a row on."""
        return count_below(cython.address(self.rows[0]), self.count, row) if self.count > 0 else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, spans: cython.const[cython.int][::1]) -> cython.int:
        """Find the rows that stand in some spans; return how many they are."""
        count: cython.int = 0
        for j in range(0, len(spans), 2):
            place = self.first_from(spans[j])
            while place < self.count and self.rows[place] < spans[j + 1] and count < MAX_MARKS:
                self.places[count] = place
                self.stops[count] = spans[j + 1]
                count += 1
                place += 1
        return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _digest_words(view: PageView, row: cython.int, is_first: cython.bint) -> cython.ulonglong:
    """Return the digest of an element's name and classes, or of its first class, without digits; 0 without a letter."""
    k = view.attribute(row, ATTR_CLASS)
    if k < 0:
        return 0
    digest: cython.ulonglong = mix(fnv_seed(), view.tag[row])
    is_begun: cython.bint = False  # whether a word is,
    is_inside: cython.bint = False  # and has a letter
    has_any: cython.bint = False
    for at in range(view.value_at[k], view.value_at[k + 1]):
        c = view.values[at]
        if is_space(c):
            if is_first and is_begun:
                break
            is_inside = False
            continue
        is_begun = True
        if not is_digit(c):
            digest = mix(digest if is_inside else mix(digest, SPACE), c)
            is_inside = has_any = True
    return digest | 1 if has_any else 0


@cython.final
@cython.cclass
class _Post:
    """An element that is a post, or may be one."""

    place: cython.int  # of its element among the roots
    root: cython.int  # its element
    end: cython.int
    inner: list  # the posts inside of it
    spans: cython.int[::1]  # where its own rows begin and end, by turns
    body: cython.int  # the row of what was written, or -1
    stated: cython.int  # the place of the date that it states, or -1
    signed: cython.int  # the row that has the author, or -1,
    dated: cython.int  # and the one that has the date
    strength: cython.int  # how sure the author is
    author: object
    date: object  # None where it has none,
    is_dated: cython.bint  # or was not read yet
    is_whole: cython.bint  # whether it was read with this element, not in one inside of it
    sorts: set  # of the elements that are around nothing but it


@cython.final
@cython.cclass
class Finder:
    """The posts among some rows of a page, from the innermost elements outwards.

    `kept` marks the text rows that are taken for written, `given` has authors by the row of their post, and `dating`
    are the numbers of the attributes that may have a date. `reader` reads texts: `name` and `is_date` are asked about
    a text, `date_at` about an element, `date_in` about a text row, and `years` gives the texts with a year.
    """

    view: PageView
    reader: object
    given: dict
    kept: cython.const[cython.uchar][::1]
    names: cython.uint[::1]
    first = cython.declare(cython.int, visibility="readonly")  # the rows in which posts are looked for
    stop = cython.declare(cython.int, visibility="readonly")
    # By root, an element that is named as posts are: its row, what alike posts have in common, what equal ones have.
    roots: MarkedRows
    sorts: cython.ulonglong[::1]
    kinds: cython.ulonglong[::1]
    # By row.
    sums: cython.longlong[::1]  # characters before it
    kept_sums: cython.longlong[::1]
    asking: cython.uchar[::1]  # whether it is in a form that asks who somebody is
    beside: cython.int[::1]  # the nearest such element at or above it, or 0
    furniture: cython.int[::1]
    # What is marked.
    bodies: MarkedRows
    authors: MarkedRows
    dates: MarkedRows
    years: MarkedRows
    seen: MarkedRows
    texts: MarkedRows
    strengths: cython.int[::1]  # by author
    signed = cython.declare(dict, visibility="readonly")  # by root of a post: the row that has its author
    usual: cython.ulonglong  # the digest of the element that most posts stand in
    author_names: list  # by author and by date, None where they were not read yet
    stated_dates: list

    def __init__(
        self,
        page: Any,
        kept: cython.const[cython.uchar][::1],
        first: cython.int,
        stop: cython.int,
        given: dict,
        dating: cython.const[cython.int][::1],
        reader: Any,
        is_named: bool = True,
    ) -> None:
        self.view = measured(page)
        if not 0 <= first <= stop <= self.view.rows or len(kept) != self.view.rows:
            raise IndexError(f"rows {first} to {stop} of a page of {self.view.rows} rows")
        self.kept, self.given, self.reader = kept, given, reader
        self.first = self.stop = 0
        self.signed = {}
        self.usual = 0
        self.roots = MarkedRows(self.view.rows)
        if is_named:
            self.find_roots(post_names_of(page), first, stop)
            if not self.roots.count:
                return
        else:
            self.first, self.stop = first, stop
        rows = self.stop - self.first
        self.names = names_among(page, self.first, self.stop)
        self.sums, self.kept_sums = zeros("q", self.view.rows + 1), zeros("q", self.view.rows + 1)
        self.asking = bytearray(self.view.rows)
        self.bodies, self.authors, self.dates = MarkedRows(rows), MarkedRows(rows), MarkedRows(rows)
        self.seen, self.texts = MarkedRows(rows), MarkedRows(rows)
        self.strengths = zeros("i", rows)
        asking: MarkedRows = MarkedRows(self.view.rows)
        with cython.nogil:
            self.mark_forms(asking)
            self.mark(dating)
            self.mark_texts()
        self.author_names, self.stated_dates = [None] * self.authors.count, [None] * self.dates.count
        self.years = MarkedRows(rows)
        for row in reader.years(self.first, self.stop):
            self.years.add(row)
        self.beside, self.furniture = self.nearest(NAME_BESIDE), None

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_roots(self, names: cython.uint[::1], first: cython.int, stop: cython.int) -> cython.void:
        """Find the elements that are named as posts are, and how far they reach."""
        for row in range(first, stop):
            if names[row] and _is_seen_post(self.view, names, row):
                self.roots.add(row)
                self.stop = max(self.stop, self.view.end[row])
        self.first = self.roots.rows[0] if self.roots.count else 0

    # What is marked

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark_forms(self, asking: MarkedRows) -> cython.void:
        """Sum up characters, and mark the rows in forms, but for long ones, that ask who somebody is."""
        for row in range(self.view.rows):
            self.sums[row + 1] = self.sums[row] + self.view.chars[row]
            self.kept_sums[row + 1] = self.kept_sums[row] + (self.view.chars[row] if self.kept[row] else 0)
            if self.view.tag[row] == TAG_INPUT and self.asks(row):
                asking.add(row)
        if not asking.count:
            return
        stop: cython.int = 0  # of the form that the row is in
        for row in range(self.view.rows):
            end = self.view.end[row]
            if self.view.tag[row] == TAG_FORM and self.sums[end] - self.sums[row] <= MAX_FORM_LENGTH:
                place = asking.first_from(row)
                if place < asking.count and asking.rows[place] < end:
                    stop = max(stop, end)
            self.asking[row] = row < stop

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def asks(self, row: cython.int) -> cython.bint:
        """Whether an input asks for a password or an email address."""
        for k in range(self.view.attribute_at[row], self.view.attribute_at[row + 1]):
            name = self.view.attribute_name[k]
            if name == ATTR_TYPE or name == ATTR_NAME or name == ATTR_ID:
                if value_bits(self.view, k) & VALUE_ASKING:
                    return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark(self, dating: cython.const[cython.int][::1]) -> cython.void:
        """Find the bodies of posts, and the elements that may say who wrote one, or when."""
        for row in range(self.first, self.stop):
            if self.view.attribute_at[row] == self.view.attribute_at[row + 1]:
                continue
            if self.is_body(row):
                self.bodies.add(row)
            if self.asking[row]:
                continue
            strength = self.strength_of(row)
            is_dated: cython.bint = self.may_be_dated(row, dating)
            if (strength or is_dated) and self.is_mark(row):
                if strength:
                    self.strengths[self.authors.count] = strength
                    self.authors.add(row)
                if is_dated:
                    self.dates.add(row)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_body(self, row: cython.int) -> cython.bint:
        """Whether an element is named as the bodies of posts are, and is no signature."""
        names = self.names[row]
        if not names & (NAME_BODY | NAME_BODY_PROPERTY) or self.sums[self.view.end[row]] == self.sums[row]:
            return False
        if self.view.visibility[row] != 0 or not _BODY_WORDS.has_any(self.view, row, ATTR_ITEMPROP):
            return False
        return names & NAME_BODY_PROPERTY != 0 or not (names | self.names[self.view.parent[row]]) & NAME_SIGNATURE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_mark(self, row: cython.int) -> cython.bint:
        """Whether an element may say who wrote a post, or when: a link, a time, or by its names."""
        tag = self.view.tag[row]
        if tag == TAG_A or tag == TAG_TIME or tag == TAG_ABBR:
            return True
        return self.view.visibility[row] == 0 and _MARK_WORDS.has_any(self.view, row, ATTR_ITEMPROP)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_be_dated(self, row: cython.int, dating: cython.const[cython.int][::1]) -> cython.bint:
        """Whether an attribute that may have a date has a number."""
        for k in range(self.view.attribute_at[row], self.view.attribute_at[row + 1]):
            for j in range(len(dating)):
                if self.view.attribute_name[k] == dating[j]:
                    for at in range(self.view.value_at[k], self.view.value_at[k + 1]):
                        if is_digit(self.view.values[at]) or self.view.values[at] >= 128:
                            return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def strength_of(self, row: cython.int) -> cython.int:
        """Return how surely an element marks an author; 0 where it does not."""
        size = self.view.text_at[self.view.end[row]] - self.view.text_at[row]
        if not 0 < size <= MAX_MARKED_LENGTH:
            return 0
        names = self.names[row]
        if names & (NAME_NAME_PROPERTY | NAME_AUTHOR_PROPERTY):
            return NAMED if names & NAME_NAME_PROPERTY else STATED
        if names & (NAME_PICTURE | NAME_SURE_AUTHOR):
            return 0 if names & NAME_PICTURE else SURE
        if self.view.tag[row] == TAG_A:
            k = self.view.attribute(row, ATTR_HREF)
            if k >= 0 and value_bits(self.view, k) & VALUE_PROFILE:
                return LINKED
        return HINTED if names & NAME_AUTHOR else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark_texts(self) -> cython.void:
        """Find the texts that are seen, and those that are there to be read: in no control, in no form to log in."""
        stop: cython.int = 0  # of the control that the row is in
        row: cython.int = self.view.parent[self.first]
        while row > 0:
            if _is_control(self.view.tag[row]):
                stop = self.view.end[row]
            row = self.view.parent[row]
        for row in range(self.first, self.stop):
            if _is_control(self.view.tag[row]):
                stop = max(stop, self.view.end[row])
            if self.view.chars[row]:
                self.seen.add(row)
                if row >= stop and not self.asking[row]:
                    self.texts.add(row)

    @cython.cfunc
    def nearest(self, name: cython.uint) -> cython.int[::1]:
        """Return for each row the nearest element at or above it that has a name, or 0."""
        found: cython.int[::1] = zeros("i", self.view.rows)
        row: cython.int
        for row in range(max(self.first, 1), self.stop):
            found[row] = row if self.names[row] & name else found[self.view.parent[row]]
        return found

    @cython.cfunc
    def name_of(self, place: cython.int) -> str:
        """Return the name that an element marks as that of an author; empty where it is none."""
        name: str = self.author_names[place]
        if name is not None:
            return name
        row = self.authors.rows[place]
        first = self.seen.first_from(row)
        stop = self.seen.first_from(self.view.end[row])
        # A letter may stand for the picture of somebody.
        least = 1 if stop - first == 1 and self.strengths[place] >= SURE else 2
        for k in range(first, min(stop, first + MAX_NAME_TEXTS)):
            name = self.reader.name(self.seen.rows[k])
            if len(name) >= least:
                break
        else:
            name = ""
        self.author_names[place] = name
        return name

    @cython.cfunc
    def date_of(self, place: cython.int) -> str:
        """Return the date that an element states; empty where it states none."""
        date: str = self.stated_dates[place]
        if date is None:
            date = self.stated_dates[place] = self.reader.date_at(self.dates.rows[place]) or ""
        return date

    # An element that may be a post

    @cython.cfunc
    def read(self, place: cython.int, inner: list) -> _Post:
        """Return an element as a post, less the posts inside of it."""
        post: _Post = _Post()
        post.place, post.root, post.inner, post.sorts = place, self.roots.rows[place], inner, set()
        post.end = self.view.end[post.root]
        post.is_dated, post.is_whole = False, True
        post.spans = zeros("i", 2 * len(inner) + 2)
        post.spans[0] = post.root
        j: cython.int = 1
        for one in inner:
            within: _Post = one
            post.spans[j] = within.root
            post.spans[j + 1] = within.end
            j += 2
        post.spans[j] = post.end
        self.find_who_and_when(post)
        if post.author and post.body >= 0 and self.kinds[place]:
            if _digest_words(self.view, post.body, False) == self.kinds[place]:
                post.body = -1  # an answer to it, of which nothing was kept
        return post

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def find_who_and_when(self, post: _Post) -> cython.int:
        """Find the body of an element, its author and how sure that is, and the date that it states first.

        Author and date stand outside of the body. An author before the body is surer by one: what follows may be who
        changed or liked the post.
        """
        body = post.body = self.find_body(post.spans)
        stop = self.view.end[body] if body >= 0 else -1
        post.author, post.strength, post.stated, post.signed, post.dated = None, 0, -1, -1, -1
        for j in range(self.authors.find(post.spans)):
            place = self.authors.places[j]
            row = self.authors.rows[place]
            strength = self.strengths[place] + (row < body)
            if strength > post.strength and not body <= row < stop and self.name_of(place):
                post.author, post.strength, post.signed = self.name_of(place), strength, row
        for j in range(self.dates.find(post.spans)):
            place = self.dates.places[j]
            if not body <= self.dates.rows[place] < stop and self.date_of(place):
                post.stated = place
                post.dated = self.dates.rows[place]
                break
        if post.root in self.given:
            post.author, post.strength = self.given[post.root], GIVEN
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_more(self, one: cython.int, other: cython.int) -> cython.bint:
        """Whether more of a body was kept than of another, or as much and it is longer; more than of none, -1."""
        if other < 0:
            return True
        row = self.bodies.rows[one]
        than = self.bodies.rows[other]
        kept = self.kept_sums[self.view.end[row]] - self.kept_sums[row]
        than_kept = self.kept_sums[self.view.end[than]] - self.kept_sums[than]
        if kept != than_kept:
            return kept > than_kept
        return self.sums[self.view.end[row]] - self.sums[row] > self.sums[self.view.end[than]] - self.sums[than]

    @cython.cfunc
    def find_body(self, spans: cython.const[cython.int][::1]) -> cython.int:
        """Return the row of the body: the one of which most was kept, or the longest; or -1.

        One that author or date stand in gives way to the outermost inside of it that is without them.
        """
        bodies: MarkedRows = self.bodies
        body: cython.int = -1
        count = bodies.find(spans)
        for j in range(count):
            row = bodies.rows[bodies.places[j]]
            if row == spans[0] or self.view.end[row] > bodies.stops[j]:  # a post is inside of it
                bodies.places[j] = -1
            elif self.is_more(bodies.places[j], body):
                body = bodies.places[j]
        outer: cython.int = body
        while outer >= 0:
            inner: cython.int = -1
            for j in range(count):
                place = bodies.places[j]
                if place > outer and bodies.rows[place] < self.view.end[bodies.rows[outer]]:
                    if self.is_more(place, inner):
                        inner = place
            if inner >= 0 and self.is_marked(spans, bodies.rows[body], bodies.rows[inner]):
                body = inner
            outer = inner
        return bodies.rows[body] if body >= 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_between(self, row: cython.int, outer: cython.int, inner: cython.int) -> cython.bint:
        """Whether a row stands in an element, but not in one inside of it."""
        return outer <= row < self.view.end[outer] and not inner <= row < self.view.end[inner]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_marked(self, spans: cython.const[cython.int][::1], outer: cython.int, inner: cython.int) -> cython.bint:
        """Whether the author or the date stands in an element, but not in one inside of it."""
        for j in range(self.dates.find(spans)):
            place = self.dates.places[j]
            if self.is_between(self.dates.rows[place], outer, inner) and self.date_of(place):
                return True
        for j in range(self.authors.find(spans)):
            place = self.authors.places[j]
            if self.strengths[place] >= SURE and self.is_between(self.authors.rows[place], outer, inner):
                if self.name_of(place):
                    return True
        for j in range(self.years.find(spans)):
            row = self.years.rows[self.years.places[j]]
            if self.is_between(row, outer, inner) and self.reader.is_date(row):
                return True
        return False

    @cython.cfunc
    def read_date(self, post: _Post) -> object:
        """Return when a post was written, in ISO 8601, or None."""
        if post.is_dated:
            return post.date
        post.is_dated = True
        post.date = None
        if post.stated >= 0:
            post.date = self.date_of(post.stated)
            return post.date
        stop = self.view.end[post.body] if post.body >= 0 else -1
        for j in range(self.years.find(post.spans)):
            row = self.years.rows[self.years.places[j]]
            if not post.body <= row < stop:
                post.date = self.reader.date_in(row)
                if post.date:
                    post.dated = row
                    break
        return post.date or None

    @cython.cfunc
    def has_text(self, post: _Post) -> cython.bint:
        """Whether a post has more than a sign of its own."""
        chars: cython.longlong = 0
        for j in range(0, len(post.spans), 2):
            chars += self.sums[post.spans[j + 1]] - self.sums[post.spans[j]]
        return chars > 1

    @cython.cfunc
    def rows_of(self, post: _Post) -> list:
        """Return the text rows of what was written; none where nothing but signs was."""
        if post.body < 0:
            rows = self.rows_without_body(post)
        else:
            rows = []
            first = post.body + 1
            stop = self.texts.first_from(self.view.end[post.body])
            for k in range(self.texts.first_from(first), stop):
                if self.beside[self.texts.rows[k]] < first:
                    rows.append(self.texts.rows[k])
        return rows if self.has_words(rows) else []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def has_words(self, rows: list) -> cython.bint:
        """Whether one of some texts has a letter or a digit."""
        row: cython.int
        for row in rows:
            is_ascii: cython.bint = True
            for at in range(self.view.text_at[row], self.view.text_at[row + 1]):
                c = self.view.text[at]
                if is_letter(c) or is_digit(c):
                    return True
                if c >= 128:
                    is_ascii = False
            if not is_ascii and any(map(str.isalnum, self.view.text_of(row))):
                return True
        return False

    @cython.cfunc
    def rows_without_body(self, post: _Post) -> list:
        """Return the rows that were kept, without authors, dates and furniture, where no element is named a body."""
        kept: cython.longlong = 0
        count: cython.int = 0
        for j in range(0, len(post.spans), 2):
            kept += self.kept_sums[post.spans[j + 1]] - self.kept_sums[post.spans[j]]
            count += post.spans[j + 1] - post.spans[j]
        found: list = []
        if kept == 0 or count > MAX_ROWS:
            return found
        if self.furniture is None:
            self.furniture = self.nearest(NAME_FURNITURE)
        gone: set = set()
        for j in range(self.years.find(post.spans)):
            row = self.years.rows[self.years.places[j]]
            if self.kept[row] and self.reader.is_date(row):
                gone.add(row)
        authors = self.authors.find(post.spans)
        dates = self.dates.find(post.spans)
        a: cython.int = 0
        d: cython.int = 0
        end: cython.int = 0  # of what marks an author or a date
        for j in range(0, len(post.spans), 2):
            first = max(post.spans[j], post.root + 1)
            for k in range(self.texts.first_from(first), self.texts.first_from(post.spans[j + 1])):
                row = self.texts.rows[k]
                while a < authors and self.authors.rows[self.authors.places[a]] <= row:
                    if self.name_of(self.authors.places[a]):
                        end = max(end, self.view.end[self.authors.rows[self.authors.places[a]]])
                    a += 1
                while d < dates and self.dates.rows[self.dates.places[d]] <= row:
                    if self.date_of(self.dates.places[d]):
                        end = max(end, self.view.end[self.dates.rows[self.dates.places[d]]])
                    d += 1
                if row >= end and self.kept[row] and self.furniture[row] < first and row not in gone:
                    found.append(row)
        return found

    # Posts

    def posts(self) -> list[tuple[int, list[int], str | None, str | None, int | None, int, int]]:
        """Return the posts, in order: root, rows, author, date, the number of the one it stands in, depth, sort."""
        found: list = []  # those that no element looked at so far is around, the last of the page first
        self.sorts, self.kinds = zeros("Q", self.roots.count), zeros("Q", self.roots.count)
        place: cython.int
        for place in range(self.roots.count - 1, -1, -1):
            row = self.roots.rows[place]
            end = self.view.end[row]
            if self.sums[end] - self.sums[row] <= 1:
                continue
            self.kinds[place] = _digest_words(self.view, row, False)
            self.sorts[place] = _digest_words(self.view, row, True) or 2 * cython.cast(
                cython.ulonglong, self.view.tag[row]
            )
            inner: list = []
            while found and cython.cast(_Post, found[len(found) - 1]).root < end:
                inner.append(found.pop())
            found += reversed(self.taken(place, inner))
        found.reverse()
        return self.with_others(self.written(found))

    @cython.cfunc
    def with_others(self, found: list) -> list:
        """Return posts with the elements of which nothing was kept, but that name an author and are made as a post is.

        These stand in no post, and none stands in them. Their text stands in elements as those of posts do.
        """
        kinds: set = set()
        stops: dict = {}
        elements: set = set()  # that texts of the posts stand in
        row: cython.int
        for root, rows, *_ in found:
            kinds.add(self.kinds[self.roots.first_from(root)])
            stops[root] = self.view.end[root]
            for row in rows:
                elements.add(self.element_of(row))
        kinds.discard(0)
        others: list = []
        starts: list = [*stops]
        k: cython.int = 0
        stop: cython.int = 0  # of the posts before
        for place in range(self.roots.count if kinds else 0):
            row = self.roots.rows[place]
            while k < len(starts) and starts[k] <= row:
                stop = max(stop, cython.cast(cython.int, stops[starts[k]]))
                k += 1
            end = self.view.end[row]
            if row < stop or self.kinds[place] not in kinds or (k < len(starts) and starts[k] < end):
                continue
            stop = end
            post: _Post = self.read(place, [])
            if post.strength < LINKED:
                continue
            self.read_date(post)
            rows = self.rows_of(post) if post.body >= 0 else self.rows_apart(post, set())
            if self.has_words([each for each in rows if self.element_of(each) in elements]):
                others.append((post.root, rows, post.author, post.date, None, 0, self.sorts[place]))
                self.signed[post.root] = post.signed
        if not others:
            return found
        merged: list = sorted([*found, *others])
        numbers: dict = {each[0]: number for number, each in enumerate(merged)}
        return [
            (root, rows, author, date, None if parent is None else numbers[found[parent][0]], depth, sort)
            for root, rows, author, date, parent, depth, sort in merged
        ]

    @cython.cfunc
    def taken(self, place: cython.int, inner: list) -> list:
        """Return the posts in an element, given those further inside: with itself, instead of one, or as they are."""
        count = len(inner)
        if count > MAX_INSIDE:
            return inner
        sort = self.sorts[place]
        first: _Post = inner[0] if count else None
        if count == 1:
            first.sorts.add(sort)
        elif count > 1 and sort & 1 and sort not in first.sorts and sort in cython.cast(_Post, inner[1]).sorts:
            # An element around a post, and elements like it around the answers to it, which stand beside the post.
            first.place, first.root = place, self.roots.rows[place]
            first.end = self.view.end[first.root]
            first.inner = first.inner + inner[1:]
            first.is_whole = False
            return [first]
        own = self.widened(place, inner) or self.absorbing(place, inner)
        if own is None:
            own = self.read(place, inner)
            if count and not (self.has_text(own) and (0 <= own.body <= first.root or self.is_answered(own))):
                return inner
            if not (own.author or self.read_date(own)) or not (own.body >= 0 or self.rows_of(own)):
                return inner
            if count and not self.is_like(own):
                return inner
        self.read_date(own)
        return [own]

    @cython.cfunc
    def widened(self, place: cython.int, inner: list) -> _Post:
        """Return the only post inside with the element around it, where that says better who wrote it, or when."""
        if len(inner) != 1 or self.is_made_as(place, inner):
            return None
        post: _Post = inner[0]
        row = self.roots.rows[place]
        size = self.sums[post.end] - self.sums[post.root]
        if self.sums[self.view.end[row]] - self.sums[row] > size + max(size, MAX_AROUND):
            return None
        own = self.read(place, post.inner)
        return own if own.strength > post.strength or (post.date is None and self.read_date(own)) else None

    @cython.cfunc
    def absorbing(self, place: cython.int, inner: list) -> _Post:
        """Return an element as one post where it has a body, and what is inside of it only looks like posts."""
        if not 0 < len(inner) <= MAX_LOOKALIKES or self.is_made_as(place, inner):
            return None
        for one in inner:
            if cython.cast(_Post, one).body >= 0:
                return None
        own = self.read(place, [])
        if own.body < 0 or not own.author:
            return None
        for one in inner:
            if own.body <= cython.cast(_Post, one).root < self.view.end[own.body]:
                return None
        return own

    @cython.cfunc
    def is_like(self, own: _Post) -> cython.bint:
        """Whether an element is a post as those inside of it are: of the same sort, or surely with author and date."""
        if own.strength >= SURE and self.read_date(own):
            return True
        for one in own.inner:
            if self.sorts[cython.cast(_Post, one).place] == self.sorts[own.place]:
                return True
        return False

    @cython.cfunc
    def is_answered(self, own: _Post) -> cython.bint:
        """Whether an element without a body is a post, and what is inside of it are the answers, made as it is."""
        return own.body < 0 and bool(own.author) and self.is_made_as(own.place, own.inner)

    @cython.cfunc
    def is_made_as(self, place: cython.int, inner: list) -> cython.bint:
        """Whether an element has the name and the classes of a post inside of it, numbers aside."""
        for one in inner:
            if self.kinds[place] and self.kinds[cython.cast(_Post, one).place] == self.kinds[place]:
                return True
        return False

    @cython.cfunc
    def written(self, posts: list) -> list:
        """Return the posts that have text, each before those inside of it."""
        stack: list = [(post, None, 0) for post in reversed(posts)]
        found: list = []
        while stack:
            one, parent, depth = stack.pop()
            post: _Post = one
            whole: _Post = post if post.is_whole else self.read(post.place, post.inner)
            rows = self.rows_of(whole)
            if rows:
                found.append((post.root, rows, post.author, post.date, parent, depth, self.sorts[post.place]))
                self.signed[post.root] = post.signed
                parent, depth = len(found) - 1, depth + 1
            stack += [(within, parent, depth) for within in reversed(post.inner)]
        return found

    # Posts without a name: records

    def posts_in(self, records: list[list[int]]) -> list[tuple[int, list[int], str | None, str | None, bool]]:
        """Return the records that have text as posts: root, rows, author, date, and whether they have a date or a time.

        Each record is some elements in a row. None are posts if most link to another page, each with a text of its own.
        """
        row: cython.int
        for roots in records:
            for row in roots:
                if not self.first <= row < self.stop:
                    raise IndexError(f"row {row} is not in the rows {self.first} to {self.stop}")
        posts: list = [self.read_record(roots) for roots in records]
        common: set = self.common_texts(posts)
        found: list = []
        away: cython.int = 0
        self.usual = self.usual_element(posts, common)
        for one in posts:
            post: _Post = one
            away += self.leads_away(post, common)
            rows = self.rows_of(post) if post.body >= 0 else self.rows_apart(post, common)
            if self.has_words(rows):
                found.append((post.root, rows, post.author, self.read_date(post), self.is_stamped(post, rows)))
                self.signed[post.root] = post.signed
        return [] if 2 * away > len(posts) else found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def leads_away(self, post: _Post, common: set) -> cython.bint:
        """Whether a record has a link to another page whose text may be its title: no name, date, button or label."""
        row: cython.int
        for j in range(0, len(post.spans), 2):
            for row in range(post.spans[j], post.spans[j + 1]):
                end = self.view.end[row]
                if self.view.tag[row] != TAG_A or row <= post.signed < end or not _has_address(self.view, row):
                    continue
                least = 1 if _links_away(self.view, row) else MIN_TITLE_WORDS
                for k in range(self.seen.first_from(row), self.seen.first_from(end)):
                    text = self.seen.rows[k]
                    if self.view.text_at[text + 1] - self.view.text_at[text] >= MIN_TITLE:
                        words = self.view.text_of(text).strip()
                        if words not in common and len(words.split()) >= least and not self.reader.is_date(text):
                            return True
        return False

    def opening(self, like: cython.int) -> tuple[int, list[int], str | None, str | None] | None:
        """Return the post in these rows, which stand before those of a thread: root, rows, author, date; None if none.

        Its author is the last that is marked as that of another post of the thread is, given the row of this one.
        """
        if not 0 <= like < self.view.rows:
            raise IndexError(f"row {like} of a page of {self.view.rows} rows")
        if self.stop <= self.first:
            return None
        place: cython.int = self.authors.count - 1
        while place >= 0 and not (self.is_alike(self.authors.rows[place], like) and self.name_of(place)):
            place -= 1
        if place < 0:
            return None
        signed = self.authors.rows[place]
        root = signed
        while root > 0 and self.view.end[self.view.parent[root]] <= self.stop:
            root = self.view.parent[root]
        post: _Post = self.read_span(array("i", [root, self.stop]))
        post.author, post.signed = self.name_of(place), signed
        rows = self.rows_of(post) if post.body >= 0 else self.rows_apart(post, set())
        if not self.has_words(rows) or signed >= rows[0]:
            return None
        kept: cython.bint = False
        row: cython.int
        for row in rows:
            kept = kept or self.kept[row]
        return (root, rows, post.author, post.date) if kept or (post.body >= 0 and post.date) else None

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_alike(self, row: cython.int, like: cython.int) -> cython.bint:
        """Whether two elements that mark authors have the same name and classes, or are links to profiles."""
        digest = _digest_words(self.view, row, False)
        if digest and digest == _digest_words(self.view, like, False):
            return True
        one = self.view.attribute(row, ATTR_HREF)
        other = self.view.attribute(like, ATTR_HREF)
        return (
            one >= 0 and other >= 0 and value_bits(self.view, one) & value_bits(self.view, other) & VALUE_PROFILE != 0
        )

    @cython.cfunc
    def read_record(self, roots: list[int]) -> _Post:
        """Return a record as a post."""
        spans: cython.int[::1] = zeros("i", 2 * len(roots))
        for j in range(len(roots)):
            spans[2 * j] = roots[j]
            spans[2 * j + 1] = self.view.end[roots[j]]
        return self.read_span(spans)

    @cython.cfunc
    def read_span(self, spans: cython.int[::1]) -> _Post:
        """Return some rows as a post."""
        post: _Post = _Post()
        post.root, post.end, post.inner, post.place = spans[0], spans[len(spans) - 1], [], 0
        post.is_dated, post.is_whole, post.sorts, post.spans = False, True, set(), spans
        self.find_who_and_when(post)
        self.read_date(post)
        return post

    @cython.cfunc
    def texts_of(self, post: _Post) -> list:
        """Return the texts of a post that are there to be read."""
        rows: list = []
        for j in range(0, len(post.spans), 2):
            for k in range(self.texts.first_from(post.spans[j]), self.texts.first_from(post.spans[j + 1])):
                rows.append(self.texts.rows[k])
        return rows

    @cython.cfunc
    def common_texts(self, posts: list) -> set:
        """Return the texts that more than half of some posts have: buttons and labels."""
        counts: dict = {}
        for post in posts:
            for text in {self.view.text_of(row).strip() for row in self.texts_of(post)}:
                counts[text] = counts.get(text, 0) + 1
        return {text for text in counts if 2 * counts[text] > len(posts)}

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def longest_of(self, post: _Post, rows: list) -> cython.int:
        """Return the longest of some texts that is no date, or -1; one in the usual element, or kept, if any is."""
        longest: cython.int = -1
        most: cython.longlong = 0
        row: cython.int
        for row in rows:
            chars: cython.longlong = self.view.chars[row]
            chars <<= 20 if self.kept[row] else 0
            chars <<= 20 if self.usual and self.element_of(row) == self.usual else 0
            if chars > most and row != post.dated and not self.reader.is_date(row):
                most = chars
                longest = row
        return longest

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def element_of(self, row: cython.int) -> cython.ulonglong:
        """Return the digest of the element that a text stands in."""
        parent = self.view.parent[row]
        return _digest_words(self.view, parent, False) or 2 * cython.cast(cython.ulonglong, self.view.tag[parent] + 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def usual_element(self, posts: list, common: set) -> cython.ulonglong:
        """Return the digest of the element that the longest texts of most posts stand in, or 0."""
        counts: dict = {}
        self.usual = 0
        for one in posts:
            rows = [row for row in self.texts_of(one) if self.view.text_of(row).strip() not in common]
            longest = self.longest_of(one, rows)
            if longest >= 0:
                digest = self.element_of(longest)
                counts[digest] = counts.get(digest, 0) + 1
        for digest in counts:
            if 2 * counts[digest] > len(posts):
                return digest
        return 0

    @cython.cfunc
    def rows_apart(self, post: _Post, common: set) -> list:
        """Return the rows of what was written where no element is named a body: what is apart from author and date.

        That is the largest element around the longest text without them; or what follows them, if that is a part of a
        text.
        """
        rows: list = [row for row in self.texts_of(post) if self.view.text_of(row).strip() not in common]
        longest = self.longest_of(post, rows)
        if longest < 0:
            return []
        j: cython.int = 0
        while longest >= post.spans[j + 1]:
            j += 2
        body: cython.int = longest
        above: cython.int = self.view.parent[body]
        while above >= post.spans[j] and self.view.end[above] <= post.spans[j + 1] and not self.has_byline(post, above):
            body = above
            above = self.view.parent[body]
        first = body
        stop = self.view.end[body]
        if not self.is_container(body):
            first = post.spans[j]
            stop = post.spans[j + 1]
            for row in (post.signed, post.dated):
                if first <= row < body:
                    first = self.view.end[row]
                elif body < row < stop:
                    stop = row
        if self.furniture is None:
            self.furniture = self.nearest(NAME_FURNITURE)
        found: list = []
        for row in rows:
            if first <= row < stop and max(self.furniture[row], self.beside[row]) <= body:
                if row == longest or not self.reader.is_date(row):
                    found.append(row)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_byline(self, post: _Post, row: cython.int) -> cython.bint:
        """Whether the author or the date of a post stands in an element."""
        return row <= post.signed < self.view.end[row] or row <= post.dated < self.view.end[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_container(self, row: cython.int) -> cython.bint:
        """Whether an element is around whole texts, not a part of one."""
        tag = self.view.tag[row]
        return (
            tag == TAG_DIV or tag == TAG_TD or tag == TAG_TR or tag == TAG_TABLE or tag == TAG_SECTION or tag == TAG_DD
        )

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_stamped(self, post: _Post, rows: list) -> cython.bint:
        """Whether a date or a time stands beside what was written, maybe without a year."""
        if post.date:
            return True
        written: set = set(rows)
        row: cython.int
        for row in self.texts_of(post):
            if row not in written and self.view.text_at[row + 1] - self.view.text_at[row] <= MAX_STAMP:
                if self.reader.is_date(row):
                    return True
        return False

    # What is in posts

    def inserts(self) -> list[int]:
        """Return the rows that are attached files, or previews of other pages, in order."""
        return [row for row in range(self.first, self.stop) if self.names[row] & NAME_INSERT]

    def quotations(self) -> list[int]:
        """Return the rows that are quotations, or what says who is quoted, in order."""
        found = []
        row: cython.int
        for row in range(self.first, self.stop):
            if self.view.tag[row] == TAG_BLOCKQUOTE:
                if not self.names[row] & NAME_BODY:
                    found.append(row)
            elif self.names[row] & NAME_QUOTATION and self.view.visibility[row] == 0:
                k = self.view.attribute(row, ATTR_CLASS)
                if k >= 0 and _QUOTATION_WORDS.is_in(self.view, k):
                    found.append(row)
        return found
