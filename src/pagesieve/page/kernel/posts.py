# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Find in an element that may be a post, less the posts inside of it, its body, its author and its date.

What such an element has of its own are spans: an array of where each begins and ends, in order, from its first row on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, zeros
from cython.cimports.pagesieve.page.kernel.view import view_of


class MarkedRows:
    """Some rows of a page, which are in order, and those of them that stand in spans: the first `most`."""

    def __init__(self, rows: Any, most: int) -> None:
        self.rows = as_column(rows)
        self.places = zeros("i", most)
        self.stops = zeros("i", most)

    def first_from(self, row):
        """Return the place of the first of the rows from a row on."""
        low: cython.int = 0
        high: cython.int = len(self.rows)
        while low < high:
            middle = (low + high) // 2
            if self.rows[middle] < row:
                low = middle + 1
            else:
                high = middle
        return low

    def find(self, spans):
        """Find the rows that stand in some spans; return how many they are."""
        count: cython.int = 0
        for j in range(0, len(spans), 2):
            place = self.first_from(spans[j])
            while place < len(self.rows) and self.rows[place] < spans[j + 1] and count < len(self.places):
                self.places[count] = place
                self.stops[count] = spans[j + 1]
                count += 1
                place += 1
        return count

    def among(self, spans: cython.const[cython.int][::1]) -> list[int]:
        """Return the rows that stand in some spans."""
        return [self.rows[self.places[j]] for j in range(self.find(spans))]


class PostMarks:
    """What is marked on a page: bodies of posts, authors, dates, and texts with a year."""

    def __init__(
        self,
        page: Any,
        bodies: tuple[Any, Any, Any],
        authors: tuple[Any, Any],
        dates: Any,
        years: Any,
        is_date: Callable[[int], bool],
        sure: int,
        most: int,
    ) -> None:
        self.view = view_of(page)
        self.bodies = MarkedRows(bodies[0], most)
        self.kept, self.chars = as_column(bodies[1]), as_column(bodies[2])
        self.authors = MarkedRows(authors[0], most)
        self.strengths = as_column(authors[1])
        self.dates = MarkedRows(dates, most)
        self.years = MarkedRows(years, most)
        self.is_date = is_date
        self.sure = sure

    def find(self, spans: cython.const[cython.int][::1]) -> tuple[int, int, int, int]:
        """Return the body of an element, its author and how sure that is, and the date that it states first.

        They are rows, -1 where there is none. Author and date stand outside of the body. An author before the body is
        surer by one: what follows may be who changed or liked the post.
        """
        body = self.find_body(spans)
        stop = self.view.end[body] if body >= 0 else -1
        author = -1
        best = 0
        for j in range(self.authors.find(spans)):
            row = self.authors.rows[self.authors.places[j]]
            strength = self.strengths[self.authors.places[j]] + (row < body)
            if strength > best and not body <= row < stop:
                author = row
                best = strength
        for j in range(self.dates.find(spans)):
            row = self.dates.rows[self.dates.places[j]]
            if not body <= row < stop:
                return body, author, best, row
        return body, author, best, -1

    def is_more(self, one, other):
        """Whether more of a body was kept than of another, or as much and it is longer; more than of none, -1."""
        if other < 0 or self.kept[one] != self.kept[other]:
            return other < 0 or self.kept[one] > self.kept[other]
        return self.chars[one] > self.chars[other]

    def find_body(self, spans):
        """Return the row of the body: the one of which most was kept, or the longest; or -1.

        One that author or date stand in gives way to the next inside of it, if that is without them.
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
        while body >= 0:
            smaller: cython.int = -1
            for j in range(count):
                place = bodies.places[j]
                if place > body and bodies.rows[place] < self.view.end[bodies.rows[body]]:
                    if self.is_more(place, smaller):
                        smaller = place
            if smaller < 0 or not self.is_marked(spans, bodies.rows[body], bodies.rows[smaller]):
                return bodies.rows[body]
            body = smaller
        return -1

    def is_between(self, row, outer, inner):
        """Whether a row stands in an element, but not in one inside of it."""
        return outer <= row < self.view.end[outer] and not inner <= row < self.view.end[inner]

    def is_marked(self, spans, outer, inner):
        """Whether the author or the date stands in an element, but not in one inside of it."""
        for j in range(self.dates.find(spans)):
            if self.is_between(self.dates.rows[self.dates.places[j]], outer, inner):
                return True
        for j in range(self.authors.find(spans)):
            place = self.authors.places[j]
            if self.strengths[place] >= self.sure and self.is_between(self.authors.rows[place], outer, inner):
                return True
        for j in range(self.years.find(spans)):
            row = self.years.rows[self.years.places[j]]
            if self.is_between(row, outer, inner) and self.is_date(row):
                return True
        return False
