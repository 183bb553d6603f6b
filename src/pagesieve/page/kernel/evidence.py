# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""What the block model knows of a page's own statements: which lines repeat its title, its data, its description."""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel import feature_table as column
from cython.cimports.pagesieve.page.kernel.common import fnv_seed, mix, zeros
from cython.cimports.pagesieve.page.kernel.features import heading_level
from cython.cimports.pagesieve.page.kernel.tags import IS_SEEN
from cython.cimports.pagesieve.page.kernel.words import WordReader


def _slots(count):
    """Return the size of a hash table for so many entries: a power of two, at most half full."""
    slots = 64
    while slots < 2 * count:
        slots *= 2
    return slots


def _run(digests, at, size):
    """Return the digest of some words in a row, never 0."""
    digest: cython.ulonglong = mix(fnv_seed(), size)
    for k in range(at, at + size):
        digest = mix(digest, cython.cast(cython.ulonglong, digests[k]))
    return digest | 1


class _Runs:
    """The runs of one to three words that a text has."""

    def __init__(self, words: WordReader):
        self.count = words.count
        slots = _slots(3 * words.count)
        self.mask = slots - 1
        self.known = zeros("Q", slots)
        for size in range(1, column.LONGEST_RUN + 1):
            for at in range(words.count - size + 1):
                self.add(_run(words.digests, at, size))

    def slot(self, digest):
        slot = cython.cast(cython.Py_ssize_t, digest & cython.cast(cython.ulonglong, self.mask))
        while self.known[slot] and self.known[slot] != digest:
            slot = (slot + 1) & self.mask
        return slot

    def add(self, digest):
        self.known[self.slot(digest)] = digest

    def share(self, words, line):
        """Return the share of the runs of a line that the text has."""
        start = words.at[line]
        count = words.at[line + 1] - start
        size = min(column.LONGEST_RUN, count)
        if not size:
            return 0.0
        found: cython.double = 0
        for at in range(start, start + count - size + 1):
            if self.known[self.slot(_run(words.digests, at, size))]:
                found += 1
        return found / (count - size + 1)


class _Titles:
    """The words of the titles that a page states: by word, a bit for each title that has it."""

    def __init__(self, texts: list[bytes]):
        self.count = min(len(texts), column.MOST_TITLES)
        self.mask = _slots(column.MOST_TITLES * column.MOST_TEXT_WORDS) - 1
        self.known, self.bits = zeros("q", self.mask + 1), zeros("i", self.mask + 1)
        self.sizes, self.common = zeros("i", column.MOST_TITLES), zeros("i", column.MOST_TITLES)
        words: WordReader = WordReader(column.MOST_TEXT_WORDS)
        for title in range(self.count):
            words.read_whole(texts[title])
            self.sizes[title] = words.count
            for k in range(words.count):
                slot = self.slot(words.digests[k])
                self.known[slot] = words.digests[k]
                self.bits[slot] |= 1 << title

    def slot(self, digest):
        slot = digest & self.mask
        while self.known[slot] and self.known[slot] != digest:
            slot = (slot + 1) & self.mask
        return slot

    def compare(self, words, line):
        """Compare a line with every title: `found` has how many of its words are in any, `common` how many in each."""
        self.found = 0
        for title in range(self.count):
            self.common[title] = 0
        for k in range(words.at[line], words.at[line + 1]):
            bits = self.bits[self.slot(words.digests[k])]
            if bits:
                self.found += 1
                for title in range(self.count):
                    self.common[title] += (bits >> title) & 1

    def tell(self, lines, words, line):
        """Fill in what a line has of the titles; return how much it is like one of them."""
        self.compare(words, line)
        count = words.at[line + 1] - words.at[line]
        of_title: cython.double = 0
        alike: cython.double = 0
        common: cython.double
        for title in range(self.count):
            common = min(self.common[title], self.sizes[title])
            if common:
                of_title = max(of_title, common / self.sizes[title])
                alike = max(alike, 2 * common / (self.sizes[title] + count))
        lines.values[line, column.TITLE_OF_LINE] = self.found / (count + 0.0) if count else 0.0
        lines.values[line, column.TITLE_OF_TITLE] = of_title
        lines.values[line, column.TITLE_ALIKE] = alike
        return alike


def tell_titles(view, lines, words, titles):
    """Fill the columns about the titles that the page states; return the line of its title, -1 without one.

    It is the line that is most like one of them; headings, and what is seen, come first.
    """
    known: _Titles = _Titles(titles)
    best: cython.double = 0
    own: cython.double
    found = -1
    for line in range(lines.lines):
        own = known.tell(lines, words, line)
        if 100 * own < column.LEAST_ALIKE:
            continue
        level = heading_level(view, lines, line)
        own += 0.3 if level == 1 else 0.15 if level else 0.0
        if view.visibility[lines.first[line]] != IS_SEEN:
            own -= 0.5
        if own > best:
            best = own
            found = line
    return found


def tell_stated(lines, words, text, at, page_at):
    """Fill the column `at` with the share of each line that stands in a text that the page states.

    `page_at`, where it is not -1, gets how much of the page's text that is, and 0 where there is none.
    """
    stated: WordReader = WordReader(min(len(text), column.MOST_STATED_WORDS))
    stated.read_whole(text)
    runs: _Runs = _Runs(stated)
    in_text: cython.double = 0
    line: cython.int
    with cython.nogil:
        for line in range(lines.lines):
            lines.values[line, at] = runs.share(words, line)
            in_text += lines.chars[line] * lines.values[line, at]
        if page_at >= 0:
            for line in range(lines.lines):
                lines.values[line, page_at] = in_text / (lines.total + 1.0)
    return 0
