# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""What the block model knows of a page's own statements: which lines repeat its title, its data, its description."""

from __future__ import annotations

import cython
from cython.cimports.libc.stdlib import calloc, free, malloc
from cython.cimports.pagesieve.page.kernel.common import fnv_seed, mix, zeros
from cython.cimports.pagesieve.page.kernel.lines import feature_table as column
from cython.cimports.pagesieve.page.kernel.lines.features import heading_level
from cython.cimports.pagesieve.page.kernel.lines.words import WordReader
from cython.cimports.pagesieve.page.kernel.tags import IS_SEEN


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slots(count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the size of a hash table for so many entries: a power of two, at most half full."""
    slots = 64
    while slots < 2 * count:
        slots *= 2
    return slots


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _run(
    digests: cython.pointer(cython.const[cython.longlong]), at: cython.Py_ssize_t, size: cython.int
) -> cython.ulonglong:
    """Return the digest of some words in a row, never 0."""
    digest: cython.ulonglong = mix(fnv_seed(), size)
    for k in range(at, at + size):
        digest = mix(digest, cython.cast(cython.ulonglong, digests[k]))
    return digest | 1


class Runs:
    """The runs of one to three words that a text has."""

    def __cinit__(self):
        self.known = cython.NULL

    def __init__(self, text: bytes):
        self.text = text
        self.words = WordReader(min(len(text), column.MAX_STATED_WORDS))

    def __dealloc__(self):
        free(self.known)

    def read(self):
        """Read the text."""
        self.words.read_whole(self.text)
        count = self.words.count
        slots = _slots(3 * count)
        self.mask = slots - 1
        self.known = cython.cast(cython.pointer(cython.ulonglong), calloc(slots, cython.sizeof(cython.ulonglong)))
        if self.known == cython.NULL:
            with cython.gil:
                raise MemoryError
        for size in range(1, column.MAX_RUN_LENGTH + 1):
            for at in range(count - size + 1):
                self.add(_run(self.words.digests, at, size))
        return 0

    def slot(self, digest):
        """Return where a digest stands, or would."""
        slot = cython.cast(cython.Py_ssize_t, digest & cython.cast(cython.ulonglong, self.mask))
        while self.known[slot] and self.known[slot] != digest:
            slot = (slot + 1) & self.mask
        return slot

    def add(self, digest):
        """Add the digest of a run."""
        self.known[self.slot(digest)] = digest

    def share(self, words, runs, line):
        """Return the share of the runs of a line that the text has, given those of all lines."""
        start = words.at[line]
        count = words.at[line + 1] - start
        size = min(column.MAX_RUN_LENGTH, count)
        if not size:
            return 0.0
        found: cython.double = 0
        for at in range(start, start + count - size + 1):
            if self.known[self.slot(runs[at])]:
                found += 1
        return found / (count - size + 1)


class Titles:
    """The words of the titles that a page states: by word, a bit for each title that has it."""

    def __init__(self, texts: list[bytes]):
        self.count = min(len(texts), column.MAX_TITLES)
        size: cython.Py_ssize_t = 0  # of the titles: no word is shorter than a byte
        for title in range(self.count):
            size += len(texts[title])
        slots = _slots(min(size, column.MAX_TITLES * column.MAX_TEXT_WORDS))
        self.mask = slots - 1
        self.known = zeros("q", slots)
        ints: cython.int[::1] = zeros("i", slots + 2 * column.MAX_TITLES)
        self.bits, self.sizes = ints[:slots], ints[slots : slots + column.MAX_TITLES]
        self.common = ints[slots + column.MAX_TITLES :]
        words: WordReader = WordReader(column.MAX_TEXT_WORDS)
        for title in range(self.count):
            words.read_whole(texts[title])
            self.sizes[title] = words.count
            for k in range(words.count):
                slot = self.slot(words.digests[k])
                self.known[slot] = words.digests[k]
                self.bits[slot] |= 1 << title

    def slot(self, digest):
        """Return where a digest stands, or would."""
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

    def describe(self, view, lines, words):
        """Fill the columns about the titles that the page states; return the line of its title, -1 without one.

        It is the line that is most like one of them; headings, and what is seen, come first.
        """
        best: cython.double = 0
        own: cython.double
        found = -1
        for line in range(lines.lines):
            own = self.tell(lines, words, line)
            if 100 * own < column.MIN_ALIKE:
                continue
            level = heading_level(view, lines, line)
            own += 0.3 if level == 1 else 0.15 if level else 0.0
            if view.visibility[lines.first[line]] != IS_SEEN:
                own -= 0.5
            if own > best:
                best = own
                found = line
        return found


class Stated:
    """The texts that a page states, and the runs of words of its lines."""

    def __cinit__(self):
        self.runs = cython.NULL

    def __dealloc__(self):
        free(self.runs)

    def set_up(self, texts):
        """Take over the texts of bodies, parts and the description, each of which may be empty."""
        body, other, description = texts
        self.body = Runs(body) if body else None
        self.other = Runs(other) if other else None
        self.description = Runs(description) if description else None
        return 0

    def describe(self, lines, words):
        """Fill the columns about the texts that the page states."""
        if self.body is None and self.other is None and self.description is None:
            return 0
        self.read_runs(words)
        self.tell(lines, words, self.body, column.SAID_BODY, column.SAID_BODY_PAGE)
        self.tell(lines, words, self.other, column.SAID_OTHER, column.SAID_OTHER_PAGE)
        self.tell(lines, words, self.description, column.SAID_DESCRIPTION, -1)
        return 0

    def read_runs(self, words):
        """Find the digests of the runs of words of all lines, each where its first word stands.

        They are as long as those of a text can be, or as the line is.
        """
        count: cython.size_t = words.at[words.lines] + 1
        self.runs = cython.cast(cython.pointer(cython.ulonglong), malloc(count * cython.sizeof(cython.ulonglong)))
        if self.runs == cython.NULL:
            with cython.gil:
                raise MemoryError
        for line in range(words.lines):
            start = words.at[line]
            size = min(column.MAX_RUN_LENGTH, words.at[line + 1] - start)
            if size:
                for at in range(start, words.at[line + 1] - size + 1):
                    self.runs[at] = _run(words.digests, at, size)
        return 0

    def tell(self, lines, words, known, at, page_at):
        """Fill the column `at` with the share of each line that stands in a text, if there is one.

        `page_at`, where it is not -1, gets how much of the page's text that is, and 0 where there is none.
        """
        if known is None:
            return 0
        known.read()
        in_text: cython.double = 0
        for line in range(lines.lines):
            lines.values[line, at] = known.share(words, self.runs, line)
            in_text += lines.chars[line] * lines.values[line, at]
        if page_at >= 0:
            for line in range(lines.lines):
                lines.values[line, page_at] = in_text / (lines.total + 1.0)
        return 0
