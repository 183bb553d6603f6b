"""Site templates: leaves that come again on many pages of a site, how they are found on a page, how they are learnt.

Texts are compared by their code points as they stand: an e with an accent of its own is two, and not equal to the one
letter that looks like it. A text of more than LONGEST is never a template: it is not learnt, and not matched.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import overload

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from pagesieve.errors import BadOption
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAGS
from pagesieve.page.leaves import Leaves
from pagesieve.page.table import Bools, Ints

EDIT = 8  # characters of the shorter text for each edit
LONGEST = 1000  # characters of a template
LONGEST_TAG = 64
LEAVES = 10_000  # of a page count when it is learnt: the first ones
AT_ONCE = 512  # leaves that are compared in one go: each may be close to every text there is

# Lengths that are much the same share a bucket; each is a fifth longer than the one before, so that the lengths close
# to one lie in two or three. The kernel's SHORT_BUCKETS counts those whose texts leave room for short pieces only.
_EDGES = [EDIT, 12, 18, 23]
while _EDGES[-1] <= LONGEST:
    _EDGES.append(_EDGES[-1] * 5 // 4 + 1)
_BUCKETS = np.array([bisect_right(_EDGES, length) - 1 for length in range(LONGEST + 1)], dtype=np.int32)

_REACH = np.array([(edge - 1) // EDIT for edge in _EDGES[1:]], dtype=np.int32)  # the edits in each bucket, at most


def close(one: str, two: str) -> bool:
    """Whether two texts are close: at most one edit for every 8 characters of the shorter one.

    So texts of up to 7 characters must be equal. Characters are code points as they stand, not normalised.
    """
    most = min(len(one), len(two)) // EDIT
    return Levenshtein.distance(one, two, score_cutoff=most) <= most


def _close(ones: list[str], twos: list[str]) -> Bools:
    """For each pair of texts whether they are close."""
    most = np.array([min(len(one), len(two)) // EDIT for one, two in zip(ones, twos, strict=True)], dtype=np.int32)
    near: Bools = cpdist(ones, twos, scorer=Levenshtein.distance, dtype=np.int32) <= most
    return near


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """How templates are learnt, and how long they count.

    While a batch is open, what it has so far counts from `least_pages` on; so it does not matter how pages are grouped.
    """

    pages: int = 10  # of a batch
    frequency: int = 3  # pages of a batch that a template stands on
    least_pages: int = 4
    life: int = 200  # a template not seen on so many pages of its site no longer counts

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or value < 1:
                raise BadOption(f"{field.name} of templates is a whole number from 1 on, not {value!r}")


@dataclass(frozen=True, slots=True)
class Template:
    """A leaf that comes again on the pages of a site."""

    tag: str
    text: str
    frequency: int  # pages it was seen on
    first_seen: str  # ISO 8601, UTC
    last_seen: str


class _Index:
    """Texts of elements, made ready to find those that leaves are close to."""

    def __init__(self, tags: Sequence[str], texts: Sequence[str]) -> None:
        self.texts = texts
        digests = {tag: kernel.derive.digest(tag.encode("utf-8", "surrogatepass")) for tag in {*tags}}
        self._tags = np.array([digests[tag] for tag in tags], dtype=np.uint64)
        self._codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
        self._at = np.zeros(len(texts) + 1, dtype=np.int32)
        np.cumsum([len(text) for text in texts], out=self._at[1:])
        self._index = kernel.leaves.index(self._codes, self._at, self._tags, _BUCKETS, _REACH)

    def match(self, leaves: Leaves, wanted: Ints) -> Ints:
        """For each wanted leaf the number of the text it is equal to, else of the first it is close to, else -1."""
        found = self.equal(leaves)
        rest = wanted[found[wanted] < 0]
        for start in range(0, len(rest), AT_ONCE):
            leaf, number = self.close(leaves, rest[start : start + AT_ONCE])
            found[leaf[::-1]] = number[::-1]  # the first of a leaf's is written last
        return found[wanted]

    def equal(self, leaves: Leaves) -> Ints:
        """For each leaf the number of the first text it is equal to, or -1."""
        found = kernel.leaves.equal(
            leaves.codes,
            leaves.at,
            leaves.tag_digests,
            leaves.digests,
            self._codes,
            self._at,
            self._tags,
            self._index,
        )
        return np.frombuffer(found, dtype=np.int32)

    def close(self, leaves: Leaves, wanted: Ints) -> tuple[Ints, Ints]:
        """All pairs of a wanted leaf and a text that are close, but not those of short texts; in order."""
        candidates = kernel.leaves.candidates(
            leaves.codes,
            leaves.at,
            leaves.tag_digests,
            wanted,
            _BUCKETS,
            _REACH,
            self._codes,
            self._at,
            self._tags,
            self._index,
        )
        leaf, number = (np.frombuffer(column, dtype=np.int32) for column in candidates)
        pairs = np.unique(leaf * np.int64(len(self.texts)) + number)  # one may come twice
        leaf, number = (column.astype(np.int32) for column in np.divmod(pairs, max(len(self.texts), 1)))
        texts = {k: leaves.text(k) for k in {*leaf.tolist()}}
        near = _close([texts[k] for k in leaf.tolist()], [self.texts[k] for k in number.tolist()])
        return leaf[near], number[near]


class Templates(Sequence[Template]):
    """The templates of a site, ready to be found on a page. Nobody changes them; threads may share them."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self._templates = tuple(templates)
        self._index = _Index([t.tag for t in self._templates], [t.text for t in self._templates])

    def match(self, leaves: Leaves) -> Ints:
        """For each leaf the number of the template that it is: of the same element, with equal or else close text.

        Of several that are close it is the first; -1 where there is none.
        """
        return self._index.match(leaves, np.arange(len(leaves), dtype=np.int32))

    def __len__(self) -> int:
        return len(self._templates)

    @overload
    def __getitem__(self, k: int) -> Template: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Template, ...]: ...
    def __getitem__(self, k: int | slice) -> Template | tuple[Template, ...]:
        return self._templates[k]

    def __repr__(self) -> str:
        return f"<{len(self)} templates>"


@dataclass(slots=True)
class Entry:
    """A leaf that is counted: a template, or one of the open batch."""

    tag: str
    text: str
    frequency: int
    first_seen: str
    last_seen: str
    last_page: int  # the number of the page of its site that it was last seen on
    open: bool = True  # of the open batch
    id: int | None = None  # where it is stored
    changed: bool = False

    def see(self, page: int, when: str) -> None:
        """Counts a page that it stands on."""
        self.frequency += 1
        self.last_seen, self.last_page, self.changed = when, page, True

    def template(self) -> Template:
        """The entry as others see it."""
        return Template(self.tag, self.text, self.frequency, self.first_seen, self.last_seen)


class Counts:
    """The counts of a site's leaves: its templates, and the open batch of pages.

    The outcome depends on the order of the pages alone. Who stores it asks afterwards for the entries, which are new
    (no id), `changed` or as they were, and for those that are gone.
    """

    def __init__(self, options: TemplateOptions, pages: int = 0, batch: int = 0, entries: Iterable[Entry] = ()) -> None:
        self.options = options
        self.pages = pages  # counted so far
        self.batch = batch  # of them in the open batch
        self.entries = list(entries)  # in the order in which they were added
        self.gone: list[Entry] = []
        self._templates: tuple[list[Entry], _Index] | None = None
        self._open: tuple[list[Entry], _Index] | None = None

    def templates(self) -> Templates:
        """The templates as they now count, the most frequent first."""
        found = [entry for entry in self.entries if self._lives(entry) and self._counts(entry)]
        return Templates(entry.template() for entry in sorted(found, key=lambda entry: -entry.frequency))

    def count(self, leaves: Leaves, when: str) -> None:
        """Counts a page: each of its leaves once."""
        page, rest = self.pages + 1, _counted(leaves)
        rest = self._see(*self._live_templates(leaves, rest), rest, page, when)
        entries, index = self._open = self._open or _indexed([entry for entry in self.entries if entry.open])
        rest = self._see(entries, index.match(leaves, rest), rest, page, when)
        new = [Entry(leaves.tag(k), leaves.text(k), 1, when, when, page) for k in _apart(leaves, rest)]
        if new:
            self.entries += new
            self._open = None
        self.pages, self.batch = page, self.batch + 1
        if self.batch >= self.options.pages:
            self._close_batch()

    def _live_templates(self, leaves: Leaves, wanted: Ints) -> tuple[list[Entry], Ints]:
        """The templates, and the number of that which each leaf is. One that has died is dropped when it is hit."""
        while True:
            entries, index = self._templates = self._templates or _indexed(
                [entry for entry in self.entries if not entry.open and self._lives(entry)]
            )
            found = index.match(leaves, wanted)
            if all(self._lives(entries[k]) for k in {*found.tolist()} - {-1}):
                return entries, found
            self._templates = None

    def _see(self, entries: list[Entry], found: Ints, leaves: Ints, page: int, when: str) -> Ints:
        """Counts the page for the entries that were found on it; gives the leaves that are none of them."""
        for k in {*found.tolist()} - {-1}:
            entries[k].see(page, when)
        return leaves[found < 0]

    def _close_batch(self) -> None:
        """What was frequent in the batch is a template for good; the rest is dropped, and so are the dead."""
        kept = []
        for entry in self.entries:
            if not self._lives(entry) or (entry.open and entry.frequency < self.options.frequency):
                self.gone.append(entry)
                continue
            entry.changed = entry.changed or entry.open
            entry.open = False
            kept.append(entry)
        self.entries, self.batch = kept, 0
        self._templates = self._open = None

    def _lives(self, entry: Entry) -> bool:
        return self.pages - entry.last_page < self.options.life

    def _counts(self, entry: Entry) -> bool:
        return not entry.open or (self.batch >= self.options.least_pages and entry.frequency >= self.options.frequency)


def _indexed(entries: list[Entry]) -> tuple[list[Entry], _Index]:
    return entries, _Index([entry.tag for entry in entries], [entry.text for entry in entries])


def _counted(leaves: Leaves) -> Ints:
    """The leaves that count when a page is learnt: no long ones, equal ones once, and not more than a page may have."""
    first: Ints = np.sort(np.unique(leaves.digests, return_index=True)[1]).astype(np.int32)
    page = leaves.page
    long = [len(TAGS) + k for k, name in enumerate(page.more_tags) if len(name) > LONGEST_TAG]
    fit = (leaves.chars[first] <= LONGEST) & ~np.isin(page.tag[leaves.rows[first]], long)
    return first[fit][:LEAVES]


def _apart(leaves: Leaves, wanted: Ints) -> list[int]:
    """The leaves that are not close to one before them that is apart itself.

    By halves, so that of many that are close to each other only the first is compared with the others.
    """
    if len(wanted) <= AT_ONCE:
        return _apart_at_once(leaves, wanted)
    half = len(wanted) // 2
    first, rest = _apart(leaves, wanted[:half]), wanted[half:]
    near = _index_of(leaves, first).match(leaves, rest) >= 0
    return first + _apart(leaves, rest[~near])


def _apart_at_once(leaves: Leaves, wanted: Ints) -> list[int]:
    index = _index_of(leaves, wanted.tolist())
    place = {leaf: number for number, leaf in enumerate(wanted.tolist())}
    joined: set[int] = set()
    for leaf, number in zip(*(column.tolist() for column in index.close(leaves, wanted)), strict=True):
        if number < place[leaf] and number not in joined:
            joined.add(place[leaf])
    return [leaf for leaf, number in place.items() if number not in joined]


def _index_of(leaves: Leaves, numbers: list[int]) -> _Index:
    return _Index([leaves.tag(k) for k in numbers], [leaves.text(k) for k in numbers])
