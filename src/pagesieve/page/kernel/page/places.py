# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The places of some rows in the structure of a page: the same elements above, of the same first classes."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, fnv_seed, is_digit, is_letter, is_space, mix, zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.page.digests import KnownWords, Numbers
from cython.cimports.pagesieve.page.kernel.page.view import PageView, view_of
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CLASS, ATTR_ID, ATTR_ROLE, KNOWN_TAGS, TAG_LI

from pagesieve.page.kernel.tags import TAGS

# Words in classes and ids, which are much the same on pages of every language.
_NAVIGATION = (
    "nav navi navbar navigation menu submenu breadcrumb breadcrumbs crumb crumbs footer foot topbar toolbar "
    "pagenavi login signin cookie share sharing social sharedaddy addtoany copyright skip "
    "lang language languages blogroll linkroll tagcloud archivelist blogarchive masthead"
)
_LABELS = (
    "tag tags taglinks taglist cat cats catlinks category categories label labels author authors byline vcard "
    "postedby meta commentlink commentlinks commentslink commentslinks kicker eyebrow rubric "
    "posted-by comment-link comment-links comments-link comments-links"
)
_SIDE = (
    "sidebar sidebars side aside rail rightrail sidecol sidecolumn rightcol rightcolumn rightbar rightside sideright "
    "leftside sideleft secondary tertiary complementary related popular popularposts mostpopular mostread mostviewed "
    "most-read most-viewed top-posts trending trend ranking rank recommended recommend recommends recommendation "
    "recommendations ticker newsticker breaking taboola outbrain sponsor sponsored promo modal remodal popup slideout "
    "offcanvas recentcomments newsletter related-posts you-may"
)
_MAIN = "main maincontent primary hfeed feed stream posts archive"
_PAGES = "pagination pager paging"
_AROUND = "content-sidebar sidebar-content has-sidebar with-sidebar without-sidebar no-sidebar and-sidebar"
_WORDS = {
    **dict.fromkeys(_PAGES.split(), PLACE_NAVIGATION | PLACE_AROUND),
    **dict.fromkeys(_AROUND.split(), PLACE_AROUND),
    **dict.fromkeys(_NAVIGATION.split(), PLACE_NAVIGATION),
    **dict.fromkeys(_SIDE.split(), PLACE_SIDE),
    **dict.fromkeys(("widget", "widgets"), PLACE_WIDGET),
    **dict.fromkeys(_MAIN.split(), PLACE_MAIN),
    **dict.fromkeys(_LABELS.split(), PLACE_LABEL),
}
# What an element is by its name. The classes of the body describe the page, those of an item what it is about.
_BY_TAG = {
    **dict.fromkeys("nav footer menu form select button".split(), PLACE_NAVIGATION),
    **dict.fromkeys("body article li".split(), PLACE_UNTOLD),
    "header": PLACE_HEADER,
    "aside": PLACE_SIDE,
    "main": PLACE_MAIN,
}
_TAG_BITS = bytes(_BY_TAG.get(name, 0) for name in TAGS)


class Places:
    """The different places of a page, numbered in the order of the page."""

    def __init__(self, view: PageView) -> None:
        self.view = view
        self.words = _KNOWN
        self.tag_bits = _TAG_BITS
        self.wanted = bytearray(view.rows)
        self.of = zeros("i", view.rows)
        self.count = 0

    def want(self, row):
        """Mark a row and those above it."""
        while row > 0 and not self.wanted[row]:
            self.wanted[row] = 1
            self.count += 1
            row = self.view.parent[row]

    def find(self) -> None:
        """Number the places of all rows that are wanted."""
        self.numbers = Numbers(self.count)
        self.flags = bytearray(self.count + 1)
        with cython.nogil:
            self.number_all()

    def number_all(self):
        """Number the places from the top of the page on; that of a row is made of the one above."""
        for row in range(1, self.view.rows):
            if self.wanted[row]:
                self.of[row] = self.number(row, self.of[self.view.parent[row]])

    def number(self, row, above):
        """Return the number of the place of a row, given that of the row above."""
        digest: cython.ulonglong = mix(mix(fnv_seed(), above), self.view.tag[row])
        known = self.numbers.count
        number = self.numbers.number(self.with_name(digest, row)) + 1
        if self.numbers.count > known:
            self.flags[number] = self.flags[above] | self.read(row)
        return number

    def with_name(self, digest, row):
        """Return a digest with the first name of a row without its digits: of its classes, else its id."""
        at = self.first_of(self.view.attribute(row, ATTR_CLASS))
        stop = 0
        if at >= 0:
            stop = self.view.value_at[self.view.attribute(row, ATTR_CLASS) + 1]
        else:
            at = self.first_of(self.view.attribute(row, ATTR_ID))
            if at >= 0:
                stop = self.view.value_at[self.view.attribute(row, ATTR_ID) + 1]
        while 0 <= at < stop and not is_space(self.view.values[at]):
            if not is_digit(self.view.values[at]):
                digest = mix(digest, self.view.values[at])
            at += 1
        return digest

    def first_of(self, attribute):
        """Return where the first name in the value of an attribute begins, or -1."""
        if attribute < 0:
            return -1
        at = self.view.value_at[attribute]
        stop = self.view.value_at[attribute + 1]
        while at < stop and is_space(self.view.values[at]):
            at += 1
        return at if at < stop else -1

    def read(self, row):
        """Return what a row says of its place: by its element, its classes, its id and its role."""
        tag = self.view.tag[row]
        bits = self.tag_bits[tag] if tag < KNOWN_TAGS else 0
        flags = self.named(self.view.attribute(row, ATTR_CLASS)) | self.named(self.view.attribute(row, ATTR_ID))
        if bits & PLACE_UNTOLD:
            flags &= PLACE_SIDE | PLACE_WIDGET if tag == TAG_LI else 0
        return flags | (bits & ~PLACE_UNTOLD) | self.named(self.view.attribute(row, ATTR_ROLE))

    def named(self, attribute):
        """Return what the words in the value of an attribute say, and each two that a hyphen joins."""
        if attribute < 0:
            return 0
        flags = 0
        at = self.view.value_at[attribute]
        stop = self.view.value_at[attribute + 1]
        before = -1  # where the word before a hyphen begins
        while at < stop:
            begin = at
            while at < stop and is_letter(self.view.values[at]):
                at += 1
            if at > begin:
                flags |= self.words.flags_in(self.view.values, begin, at)
                if before >= 0:
                    flags |= self.words.flags_in(self.view.values, before, at)
                before = begin if at < stop and self.view.values[at] == HYPHEN else -1
            else:
                before = -1
            at += 1
        return flags


_KNOWN = cython.declare(KnownWords, KnownWords(_WORDS))


def find(page: Any, rows: Any) -> tuple[list[int], list[int]]:
    """Return the number of the place of each of some rows; and of each place what is known of it."""
    wanted: cython.const[cython.int][::1] = as_column(rows)
    places: Places = Places(view_of(page))
    for k in range(len(wanted)):
        places.want(wanted[k])
    places.find()
    return [places.of[row] for row in wanted], list(places.flags)[: places.numbers.count + 1]
