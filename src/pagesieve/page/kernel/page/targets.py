# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""Where the links of a page lead, and which of that are articles.

By the shape of the addresses, what the links say, their places, and similar links.
"""

from __future__ import annotations

from typing import Any, Protocol

import cython
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.document.document import Bytes
from cython.cimports.pagesieve.page.kernel.page.addresses import Joiner, Shape
from cython.cimports.pagesieve.page.kernel.page.digests import Numbers
from cython.cimports.pagesieve.page.kernel.page.links import Links
from cython.cimports.pagesieve.page.kernel.page.places import Places


class Rare(Protocol):
    """What few addresses need."""

    def address(self, href: bytes) -> bytes | None:
        """Return where a link leads; None where that is no other page."""

    def key(self, address: bytes) -> bytes:
        """Return what all spellings of an address have in common."""

    def is_outside(self, address: bytes) -> bool:
        """Whether an address is of another site than the page."""

    def page_number(self, address: bytes) -> int | None:
        """Return which page of a longer list an address names."""


class Targets:
    """Where the links of a page lead, each page once; the columns are in the `.pxd`."""

    def __init__(self, page: Any, links: Links, bases: tuple[bytes, bytes, bytes], rare: Rare) -> None:
        """Find them, given the origin and the folder that addresses are relative to, and the address of the page."""
        self.links, self.rare = links, rare
        self.values = page.value_buffer
        self.joiner, self.shape = Joiner(bases[0], bases[1]), Shape(bases[2])
        self.keys = Numbers(links.count)
        self.addresses = Bytes(64 * links.count + 64)
        self.target, self.next = zeros("i", links.count), zeros("i", links.count)
        self.first, self.last = zeros("i", links.count), zeros("i", links.count)
        self.address = zeros("i", links.count + 1)
        self.above = zeros("Q", links.count)
        self.count = 0
        hrefs: Numbers = Numbers(links.count)
        known: cython.int[::1] = zeros("i", links.count)
        for k in range(links.count):
            self.add_link(k, hrefs, known)
        self.find_repeated(Numbers(links.count), zeros("i", links.count))

    def add_link(self, k, hrefs, known):
        """Find where a link leads, given what is known of the spellings that have been seen."""
        count = hrefs.count
        href = hrefs.number(self.links.spelling(k, True))
        if hrefs.count > count:
            known[href] = self.find(k)
        target = known[href]
        self.target[k] = target
        self.next[k] = -1
        if target >= 0:
            if self.last[target] >= 0:
                self.next[self.last[target]] = k
            else:
                self.first[target] = k
            self.last[target] = k
        return 0

    def find(self, k):
        """Return the number of the target of a link, a new one where no link has led there; -1 for none."""
        view = self.links.view
        joiner = self.joiner
        start = view.value_at[self.links.href[k]]
        stop = view.value_at[self.links.href[k] + 1]
        begin = self.addresses.at
        leads = joiner.join(view.values, start, stop)
        if leads == LEADS_NOWHERE:
            return -1
        if leads == LEADS_THERE:
            self.addresses.copy(joiner.data, 0, joiner.size)
        else:
            address = self.rare.address(self.values[start:stop])
            if address is None:
                return -1
            self.addresses.put(address)
        self.shape.split(self.addresses.data, begin, self.addresses.at)
        self.read_key()
        target = self.keys.number(self.shape.key)
        if target < self.count:
            self.addresses.at = begin
            return target
        self.address[target], self.address[target + 1] = begin, self.addresses.at
        self.above[target] = self.shape.above
        self.last[target] = -1
        self.count += 1
        return target

    def read_key(self):
        """Compute the digests of the address that was added last."""
        shape = self.shape
        stop = self.addresses.at
        while stop > shape.host and self.addresses.data[stop - 1] == SLASH:
            stop -= 1
        for k in range(shape.host, stop):
            if self.addresses.data[k] == PERCENT:
                key = self.rare.key(self.addresses.since(shape.start))
                shape.read_key(key, 0, len(key))
                return 0
        shape.read_key(self.addresses.data, shape.host, stop)
        return 0

    def find_repeated(self, texts, said_of):
        """Mark the links that show what links to other pages show too: it is no title of theirs."""
        for k in range(self.links.count):
            if self.target[k] >= 0 and self.links.text[k]:
                known = texts.count
                text = texts.number(self.links.text[k])
                if texts.count > known:
                    said_of[text] = self.target[k]
                elif said_of[text] != self.target[k]:
                    said_of[text] = -1
        for k in range(self.links.count):
            if self.target[k] >= 0 and self.links.text[k] and said_of[texts.find(self.links.text[k])] < 0:
                self.links.flags[k] |= IS_REPEATED

    # For Python

    def address_of(self, target: cython.int) -> bytes:
        """Return the address of a target."""
        return bytes(memoryview(self.addresses.buffer)[self.address[target] : self.address[target + 1]])

    def links_to(self, target: cython.int) -> list[int]:
        """Return the links to a target, in order."""
        found = []
        k = self.first[target]
        while k >= 0:
            found.append(k)
            k = self.next[k]
        return found

    def with_key(self, key: bytes) -> int:
        """Return the target of a key, or -1."""
        self.shape.read_key(key, 0, len(key))
        return self.keys.find(self.shape.key)


# The points that decide, set by eye on catalogue pages of many sites and languages.
_NEVER = cython.declare(cython.double, -100.0)
_MIN_POINTS = cython.declare(cython.double, 2.0)  # an article
_SURE = cython.declare(cython.double, 6.0)  # an article that shows what the site's addresses are like
_REPEATED = cython.declare(cython.double, -1.5)  # a text that several links have: "more", "comments"
_HEADING = cython.declare(cython.double, 1.5)
_NAVIGATION = cython.declare(cython.double, -2.5)
_MENU = cython.declare(cython.double, -2.5)  # more, where only navigation leads there, unlike articles
_LABEL = cython.declare(cython.double, -2.0)
_HEADER = cython.declare(cython.double, -0.5)
_INLINE = cython.declare(cython.double, -1.0)
_BOOKMARK = cython.declare(cython.double, 2.0)  # rel="bookmark"
_LABEL_REL = cython.declare(cython.double, -4.0)
_PARENT = cython.declare(cython.double, -4.0)  # other links lead to pages below it
_LIKE = cython.declare(cython.double, 1.5)  # its address is like those of the sure ones,
_UNLIKE = cython.declare(cython.double, -1.5)  # or like none of them
_LIKE_SHARE = cython.declare(cython.double, 0.25)
_UNLIKE_SHARE = cython.declare(cython.double, 0.05)
_MIN_SURE = cython.declare(cython.int, 5)
_PLACE = cython.declare(cython.double, 0.5)  # how much the others in the same place count,
_MAX_PLACE = cython.declare(cython.double, 3.0)  # with this many points at most
_OUTSIDE = cython.declare(cython.double, -2.0)  # another site's, in a list of this one's
_MIN_OUTSIDE = cython.declare(cython.int, 5)  # links of a list that leads to other sites,
_OUTSIDE_SHARE = cython.declare(cython.double, 0.7)  # of which most are sure


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _width_points(width: cython.double) -> cython.double:
    """Return the points for how much a link says."""
    if width >= 25:
        return 2.0 if width >= 40 else 1.5
    if width >= 10:
        return 0.5 if width >= 15 else -0.5
    return -1.5


class Judge:
    """Which targets are articles; the columns are in the `.pxd`."""

    def __init__(self, targets: Targets) -> None:
        self.targets, self.links, self.shape = targets, targets.links, targets.shape
        self.count = targets.count
        self.places = Places(self.links.view)
        for k in range(self.links.count):
            self.places.want(self.links.row[k])
        self.places.find()
        self.points = zeros("d", self.count)
        self.outside, self.is_article, self.strong = (bytearray(self.count) for _ in range(3))
        self.page_number, self.kin = zeros("i", self.count), zeros("i", self.count)
        places = self.places.numbers.count + 1
        self.sums = zeros("d", places)
        self.counts, self.stamps, self.own = (zeros("i", places) for _ in range(3))
        self.others, self.sure_others = zeros("i", places), zeros("i", places)
        self.weigh()
        self.judge(zeros("i", self.count + 1), zeros("i", self.count + 1))

    def weigh(self):
        """Weigh the addresses of all targets."""
        targets, shape = self.targets, self.shape
        hosts: Numbers = Numbers(self.count)
        kin: Numbers = Numbers(self.count)
        is_outside: cython.uchar[::1] = bytearray(self.count)
        for target in range(self.count):
            shape.split(targets.addresses.data, targets.address[target], targets.address[target + 1])
            known = hosts.count
            host = hosts.number(shape.host_digest())
            if hosts.count > known:
                is_outside[host] = targets.rare.is_outside(targets.address_of(target))
            self.outside[target] = is_outside[host]
            number = targets.rare.page_number(targets.address_of(target)) if shape.may_be_numbered() else None
            self.page_number[target] = -1 if number is None else number
            self.points[target] = _NEVER
            self.kin[target] = -1
            if number is None:
                shape.weigh()
                self.points[target] = shape.points
                self.strong[target] = shape.strong
                if shape.signature:
                    self.kin[target] = kin.number(shape.signature)
        return 0

    def judge(self, kin, below):
        """Mark the targets that are articles; there is room to count kin, and the targets below each."""
        for target in range(self.count):
            self.points[target] += self.best_of(target)
        self.learn_from_places()
        sure = self.learn_from_kin(kin, below)
        for target in range(self.count):
            self.is_article[target] = not self.outside[target] and self.points[target] >= _MIN_POINTS
        self.judge_outside(sure)

    def best_of(self, target):
        """Return the points of the best link to a target."""
        k = self.targets.first[target]
        best = self.link_points(k)
        k = self.targets.next[k]
        while k >= 0:
            best = max(best, self.link_points(k))
            k = self.targets.next[k]
        return best

    def link_points(self, k):
        """Return the points for how a link stands in the page."""
        flags = self.links.flags[k]
        place = self.places.flags[self.places.of[self.links.row[k]]]
        points = _REPEATED if flags & IS_REPEATED else _width_points(self.links.width[k])
        if flags & IN_HEADING:
            points += _HEADING
        elif place & PLACE_LABEL:
            points += _LABEL
        if place & PLACE_NAVIGATION:
            points += _NAVIGATION
        if place & PLACE_HEADER:
            points += _HEADER
        if flags & IN_TEXT:
            points += _INLINE
        if flags & IS_LABEL:
            points += _LABEL_REL
        elif flags & IS_BOOKMARK:
            points += _BOOKMARK
        return points

    def is_new(self, target, place):
        """Whether this is the first link to a target in its place, where targets are taken in order."""
        if self.stamps[place] == target + 1:
            return False
        self.stamps[place] = target + 1
        return True

    def learn_from_places(self):
        """Give each target a part of the mean points of those in the same place: the items of a list are alike."""
        for target in range(self.count):
            k = self.targets.first[target]
            while k >= 0:
                place = self.places.of[self.links.row[k]]
                if self.is_new(target, place):
                    self.sums[place] += max(self.points[target], -_MAX_PLACE - 1)
                    self.counts[place] += 1
                k = self.targets.next[k]
        for target in range(self.count):
            self.points[target] += _PLACE * max(-_MAX_PLACE, min(_MAX_PLACE, self.best_place(target)))

    def best_place(self, target):
        """Return the mean points of the best place with a link to a target."""
        best = _NEVER
        k = self.targets.first[target]
        while k >= 0:
            place = self.places.of[self.links.row[k]]
            best = max(best, self.sums[place] / self.counts[place])
            k = self.targets.next[k]
        return best

    def learn_from_kin(self, kin, below):
        """Compare addresses with those of the sure articles; return how many are sure."""
        sure = 0
        for target in range(self.count):
            if self.points[target] >= _SURE and not self.outside[target] and not self.is_only_navigation(target):
                kin[self.kin[target]] += 1
                sure += 1
            above = self.targets.keys.find(self.targets.above[target])
            if above >= 0:
                below[above] += 1
        for target in range(self.count):
            if sure >= _MIN_SURE and not self.outside[target]:
                alike = kin[self.kin[target]] if self.kin[target] >= 0 else 0
                self.points[target] += self.kin_points(target, cython.cast(cython.double, alike) / sure)
            if below[target] > 1:
                self.points[target] += _PARENT
        return sure

    def kin_points(self, target, share):
        """Return the points of a target, given how many of the sure ones have an address like its own."""
        if share >= _LIKE_SHARE:
            return _LIKE
        points = _UNLIKE if share < _UNLIKE_SHARE else 0.0
        return points + _MENU if not self.strong[target] and self.is_only_navigation(target) else points

    def is_only_navigation(self, target):
        """Whether all links to a target stand in navigation, and in no heading."""
        k = self.targets.first[target]
        while k >= 0:
            place = self.places.flags[self.places.of[self.links.row[k]]]
            if not place & PLACE_NAVIGATION or self.links.flags[k] & IN_HEADING:
                return False
            k = self.targets.next[k]
        return True

    def judge_outside(self, sure):
        """Mark targets of other sites that stand among the site's own articles, or are the list themselves."""
        for target in range(self.count):
            k = self.targets.first[target]
            while k >= 0:
                place = self.places.of[self.links.row[k]]
                if not self.links.flags[k] & IN_TEXT and self.is_new(self.count + target, place):
                    if self.outside[target]:
                        self.others[place] += 1
                        self.sure_others[place] += self.points[target] >= _SURE
                    else:
                        self.own[place] += self.is_article[target]
                k = self.targets.next[k]
        for target in range(self.count):
            if self.outside[target] and self.stands_in_list(target, sure):
                self.is_article[target] = self.points[target] + _OUTSIDE >= _MIN_POINTS

    def stands_in_list(self, target, sure):
        """Whether a target of another site stands in a list of such, or among more of the site's own articles."""
        k = self.targets.first[target]
        while k >= 0:
            place = self.places.of[self.links.row[k]]
            others = self.others[place]
            is_list: cython.bint = (
                self.sure_others[place] >= _OUTSIDE_SHARE * others and others >= _MIN_OUTSIDE and others > sure
            )
            if not self.links.flags[k] & IN_TEXT and (is_list or self.own[place] > others):
                return True
            k = self.targets.next[k]
        return False

    # For Python

    def articles(self) -> list[int]:
        """Return the targets that are articles, in order."""
        return [target for target in range(self.count) if self.is_article[target]]

    def no_articles(self) -> list[int]:
        """Return the targets that are none, in order."""
        return [target for target in range(self.count) if not self.is_article[target]]

    def numbered(self) -> list[tuple[int, int]]:
        """Return the targets of the same site that are pages of a longer list, and which."""
        return [
            (target, self.page_number[target])
            for target in range(self.count)
            if self.page_number[target] >= 0 and not self.outside[target]
        ]
