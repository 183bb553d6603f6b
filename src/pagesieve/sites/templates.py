"""Site templates: leaves that recur on many pages of a site. This module learns them and finds them on pages.

Texts are compared by their code points, without normalisation: a letter with a combining accent is two code points, and
not equal to the single letter that looks the same. A text of more than MAX_TEXT characters is never a template.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from pagesieve.errors import BadOption
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAGS
from pagesieve.page.table import Bools, Ints, Page

SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a page in document order: one for each element with visible text directly inside it.

    The text of a leaf is the text of its text rows, joined and with blanks collapsed: `<p>a<b>c</b>d</p>` has the
    leaves p with "a d" and b with "c". A comment inside a text does not split it.
    """

    page: Page
    rows: Ints  # the elements
    texts: Ints  # the text rows that are seen and not blank,
    leaf_of_text: Ints  # and the leaf of each
    digests: NDArray[np.uint64]  # of name and text: equal for equal leaves of any page
    at: Ints  # leaves + 1 offsets into
    codes: NDArray[np.uint32]  # the characters of all texts, as code points

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{len(self)} leaves of {self.page!r}>"

    @cached_property
    def chars(self) -> Ints:
        """The length of each leaf's text, in code points."""
        return np.diff(self.at)

    @cached_property
    def tag_digests(self) -> NDArray[np.uint64]:
        """The digest of each leaf's name, which does not depend on the page."""
        digests: NDArray[np.uint64] = self.page.name_digests[0][self.page.tag[self.rows]]
        return digests

    @cached_property
    def signatures(self) -> NDArray[np.uint64]:
        """The pairs of adjacent characters in each leaf's text, as 64 bits."""
        return signatures(self.codes, self.at)

    def tag(self, k: int) -> str:
        """Return the name of a leaf's element."""
        return self.page.tag_name(int(self.rows[k]))

    def text(self, k: int) -> str:
        """Return the text of a leaf."""
        return self._text[self._at[k] : self._at[k + 1]]

    @cached_property
    def _text(self) -> str:
        return self.codes.astype("<u4", copy=False).tobytes().decode("utf-32-le")

    @cached_property
    def _at(self) -> list[int]:
        offsets: list[int] = self.at.tolist()
        return offsets


def leaves(page: Page) -> Leaves:
    """Return the leaves of a page. They are not cached."""
    texts, leaf_of_text, rows, digests, at, codes = kernel.page.derive.leaves(page, page.name_digests[0])
    return Leaves(
        page=page,
        rows=np.frombuffer(rows, dtype=np.int32),
        texts=np.frombuffer(texts, dtype=np.int32),
        leaf_of_text=np.frombuffer(leaf_of_text, dtype=np.int32),
        digests=np.frombuffer(digests, dtype=np.uint64),
        at=np.frombuffer(at, dtype=np.int32),
        codes=np.frombuffer(codes, dtype=np.uint32)[: at[-1]],
    )


def signatures(codes: NDArray[np.uint32], at: Ints) -> NDArray[np.uint64]:
    """Return the pairs of adjacent characters in each text, as bits; for empty texts any value."""
    pairs = codes * SPREAD + np.append(codes[1:], np.uint32(0))
    bits = np.append(np.uint64(1) << (pairs * SPREAD >> np.uint64(58)), np.uint64(0))
    bits[at[1:] - 1] = 0  # the last character of a text has no neighbour
    return np.bitwise_or.reduceat(bits, at[:-1]) if len(at) > 1 else bits[:0]


EDIT = 8  # characters of the shorter text for each edit
MAX_TEXT = 1000  # characters of a template
MAX_TAG = 64
LEAVES = 10_000  # of a page count when it is learnt: the first ones
AT_ONCE = 512  # leaves that are compared at once
MAX_TRIED = 256  # texts with a piece in common that a leaf is compared with

_SIZES = range(4, 8)  # characters of a piece


def _pieces(lengths: Any) -> tuple[Ints, Ints]:
    """Return the number of pieces for texts of some lengths (one more than their edits), and the size of a piece."""
    count = np.asarray(lengths, dtype=np.int32) // EDIT + 1
    return count, np.asarray(lengths, dtype=np.int32) // count


@cache
def _searched() -> NDArray[np.bool_]:
    """Return for each length of a text the sizes of the pieces that texts close to it are cut into."""
    sizes = _pieces(range(MAX_TEXT + 1))[1]
    found = np.zeros((MAX_TEXT + 1, _SIZES.stop), dtype=np.bool_)
    for length in range(EDIT, MAX_TEXT + 1):
        shortest = next(k for k in range(EDIT, length + 1) if length - k <= k // EDIT)
        found[length, sizes[shortest : length + length // EDIT + 1]] = True
    return found


def close(one: str, two: str) -> bool:
    """Whether two texts are close: at most one edit for every 8 characters of the shorter one.

    So texts of up to 7 characters must be equal. Characters are code points as they stand, not normalised.
    """
    most = min(len(one), len(two)) // EDIT
    return Levenshtein.distance(one, two, score_cutoff=most) <= most


def _close(ones: list[str], twos: list[str], most: Ints) -> Bools:
    """Return for each pair of texts whether its edit distance is within its limit."""
    from rapidfuzz.process import cpdist  # a slow import, needed with a site library only

    cutoff = int(most.max(initial=0))  # beyond it rapidfuzz stops counting
    near: Bools = cpdist(ones, twos, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.int32) <= most
    return near


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """The parameters for learning templates, and how long templates count.

    An open batch counts from `least_pages` on, so that the grouping of pages does not matter.
    """

    pages: int = 10  # of a batch
    frequency: int = 3  # pages of a batch that have a template
    least_pages: int = 4
    life: int = 200  # a template that is missing on so many pages of its site no longer counts

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or value < 1:
                raise BadOption(f"{field.name} of templates is a whole number from 1 on, not {value!r}")


@dataclass(frozen=True, slots=True)
class Template:
    """A leaf that recurs on the pages of a site."""

    tag: str
    text: str
    frequency: int  # pages it was seen on
    first_seen: str  # ISO 8601, UTC
    last_seen: str


def _grams(codes: NDArray[np.uint32], at: Ints, size: int, tags: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a digest for each offset: of the next characters, `size` of them, and of their element."""
    digests = tags + np.uint64(size)
    for k in range(size):
        digests = digests * SPREAD + codes[at + k]
    return digests * SPREAD


def _spans(counts: Ints) -> tuple[Ints, Ints]:
    """Return the positions 0, 1, … within each span, and the span of each."""
    span = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return np.arange(len(span), dtype=np.int32) - np.repeat(np.cumsum(counts) - counts, counts).astype(np.int32), span


def _bits(words: NDArray[np.uint64]) -> Ints:
    """Return how many bits of each word are set."""
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        words = (words & np.uint64(mask)) + (words >> np.uint64(shift) & np.uint64(mask))
    return (words * np.uint64(0x0101010101010101) >> np.uint64(56)).astype(np.int32)


class _Index:
    """An index of texts of elements that finds texts equal or close to leaves.

    Digests find equal texts. Each text is split into one piece more than the edits it allows, so that a close text
    has one of the pieces unchanged, moved by at most as many characters as there may be edits.
    """

    def __init__(self, tags: Sequence[str], texts: Sequence[str]) -> None:
        self.texts = texts
        of_tag = {tag: kernel.page.derive.digest(tag.encode("utf-8", "surrogatepass")) for tag in {*tags}}
        digests = np.array([of_tag[tag] for tag in tags], dtype=np.uint64)
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
        self._lengths = np.array([len(text) for text in texts], dtype=np.int32)
        at = np.append(0, np.cumsum(self._lengths)).astype(np.int32)
        own = kernel.page.derive.leaf_digests(codes, at, digests)
        fit = np.flatnonzero(self._lengths <= MAX_TEXT)[::-1].tolist()
        self._numbers = {own[k]: k for k in fit}  # of equal texts the first
        self._signatures = signatures(codes, at)
        self._cut(codes, at, digests)

    def _cut(self, codes: NDArray[np.uint32], at: Ints, tags: NDArray[np.uint64]) -> None:
        """Sort the pieces of all texts by digest; note where each digest, and each value of its first bits, begins."""
        long = np.flatnonzero((self._lengths >= EDIT) & (self._lengths <= MAX_TEXT)).astype(np.int32)
        count, size = _pieces(self._lengths[long])
        nth, text = _spans(count)
        size, text = size[text], long[text]
        offset = nth * size
        keys = np.zeros(len(text), dtype=np.uint64)
        for each in _SIZES:
            here = size == each
            keys[here] = _grams(codes, at[text[here]] + offset[here], each, tags[text[here]])
        order = np.argsort(keys, kind="stable")
        self._text, self._offset, keys = text[order], offset[order], keys[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        self._keys, self._first = keys[first], np.append(first, len(keys)).astype(np.int32)
        bits = len(first).bit_length() + 1
        self._shift = np.uint64(64 - bits)
        counts = np.bincount((self._keys >> self._shift).astype(np.int64), minlength=1 << bits)
        self._slots = np.append(0, np.cumsum(counts)).astype(np.int32)

    def match(self, leaves: Leaves, wanted: Ints) -> Ints:
        """Return for each wanted leaf the number of the text equal to it, else of the first close to it, else -1."""
        number = self._numbers.get
        numbers = np.array([number(digest, -1) for digest in leaves.digests[wanted].tolist()], dtype=np.int32)
        rest = np.flatnonzero(numbers < 0).astype(np.int32)
        for start in range(0, len(rest), AT_ONCE):
            part = rest[start : start + AT_ONCE]
            leaf, text = self.close(leaves, wanted[part])
            numbers[part[leaf[::-1]]] = text[::-1]  # the first of a leaf is written last
        return numbers

    def close(self, leaves: Leaves, wanted: Ints, before: bool = False) -> tuple[Ints, Ints]:
        """Return all pairs of a wanted leaf and a text of 8 characters or more that are close, by their numbers.

        With `before`, only those whose text has the smaller number: the texts are those of the leaves.
        """
        leaf, text = self._candidates(leaves, wanted, before)
        texts = {k: leaves.text(int(wanted[k])) for k in {*leaf.tolist()}}
        most = np.minimum(leaves.chars[wanted[leaf]], self._lengths[text]) // EDIT
        near = _close([texts[k] for k in leaf.tolist()], [self.texts[k] for k in text.tolist()], most)
        return leaf[near], text[near]

    def _candidates(self, leaves: Leaves, wanted: Ints, before: bool) -> tuple[Ints, Ints]:
        """Return the pairs that have a piece in common at about the same position, and few other characters."""
        lengths = leaves.chars[wanted]
        leaf, at, first, count = self._hits(leaves, wanted, lengths)
        nth, hit = _spans(count)
        place = first[hit] + nth
        if before:
            earlier = np.flatnonzero(self._text[place] < leaf[hit])
            place, hit = place[earlier], hit[earlier]
        leaf, at, text, offset = leaf[hit], at[hit], self._text[place], self._offset[place]
        length, other = lengths[leaf], self._lengths[text]
        most = np.minimum(length, other) // EDIT
        near = np.flatnonzero(np.abs(offset - at) + np.abs((other - offset) - (length - at)) <= most)
        leaf, text, most = leaf[near], text[near], 2 * most[near]
        mine, its = leaves.signatures[wanted[leaf]], self._signatures[text]
        near = np.flatnonzero((_bits(mine & ~its) <= most) & (_bits(its & ~mine) <= most))
        pairs = np.sort(leaf[near] * np.int64(len(self.texts)) + text[near])
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]  # faster than np.unique
        leaf, text = (column.astype(np.int32) for column in np.divmod(pairs, max(len(self.texts), 1)))
        return leaf, text

    def _hits(self, leaves: Leaves, wanted: Ints, lengths: Ints) -> tuple[NDArray[Any], ...]:
        """Return where wanted leaves have pieces of texts: leaf, offset, the first piece and how many there are.

        The rarest pieces of a leaf come first, and those beyond MAX_TRIED are left out.
        """
        at, leaf = _spans(np.where(lengths <= MAX_TEXT, lengths, 0))
        hits = []
        for size in _SIZES:
            here = _searched()[lengths[leaf], size] & (at + size <= lengths[leaf])
            own, offset = leaf[here], at[here]
            keys = _grams(leaves.codes, leaves.at[wanted[own]] + offset, size, leaves.tag_digests[wanted[own]])
            hit, key = self._look_up(keys)
            hits.append(np.stack([own[hit], offset[hit], self._first[key], self._first[key + 1] - self._first[key]]))
        leaf, at, first, count = np.concatenate(hits, axis=1)
        order = np.lexsort((count, leaf))
        before = np.cumsum(count[order]) - count[order]
        chosen = order[before - before[np.searchsorted(leaf[order], leaf[order])] < MAX_TRIED]
        return tuple(column[chosen] for column in (leaf, at, first, np.minimum(count, MAX_TRIED)))

    def _look_up(self, keys: NDArray[np.uint64]) -> tuple[Ints, Ints]:
        """Return the numbers of the keys that pieces have, and the numbers of those among the keys of the index."""
        slots = (keys >> self._shift).astype(np.int64)
        nth, hit = _spans(self._slots[slots + 1] - self._slots[slots])
        entries = self._slots[slots[hit]] + nth
        same = self._keys[entries] == keys[hit]
        return hit[same], entries[same]


class Templates(Sequence[Template]):
    """The templates of a site, indexed for matching. They are immutable, so threads may share them."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self._templates = tuple(templates)
        self._index = _Index([t.tag for t in self._templates], [t.text for t in self._templates])

    def match(self, leaves: Leaves) -> Ints:
        """Return for each leaf the number of the template of its element with an equal or else a close text, or -1.

        If several are close, it is the first.
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
        """Count a page that has this leaf."""
        self.frequency += 1
        self.last_seen, self.last_page, self.changed = when, page, True

    def template(self) -> Template:
        """Return the entry as a template."""
        return Template(self.tag, self.text, self.frequency, self.first_seen, self.last_seen)


class Counts:
    """The counts of a site's leaves: its templates, and the open batch of pages.

    The counts depend only on the order of the pages. To store them, use the entries that are new (without an id) or
    `changed`, and the entries that are gone.
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
        """Return the current templates, the most frequent first."""
        live = [entry for entry in self.entries if self._lives(entry) and self._counts(entry)]
        return Templates(entry.template() for entry in sorted(live, key=lambda entry: -entry.frequency))

    def count(self, leaves: Leaves, when: str) -> None:
        """Count a page: each of its leaves once."""
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
        """Return the templates, and for each leaf the number of its template. Drop expired templates that match."""
        while True:
            entries, index = self._templates = self._templates or _indexed(
                [entry for entry in self.entries if not entry.open and self._lives(entry)]
            )
            numbers = index.match(leaves, wanted)
            if all(self._lives(entries[k]) for k in {*numbers.tolist()} - {-1}):
                return entries, numbers
            self._templates = None

    def _see(self, entries: list[Entry], numbers: Ints, leaves: Ints, page: int, when: str) -> Ints:
        """Count the page for the entries that match its leaves; return the leaves without an entry."""
        for k in {*numbers.tolist()} - {-1}:
            entries[k].see(page, when)
        return leaves[numbers < 0]

    def _close_batch(self) -> None:
        """Make the frequent leaves of the batch permanent templates; drop the others and expired templates."""
        permanent = []
        for entry in self.entries:
            if not self._lives(entry) or (entry.open and entry.frequency < self.options.frequency):
                self.gone.append(entry)
                continue
            entry.changed = entry.changed or entry.open
            entry.open = False
            permanent.append(entry)
        self.entries, self.batch = permanent, 0
        self._templates = self._open = None

    def _lives(self, entry: Entry) -> bool:
        return self.pages - entry.last_page < self.options.life

    def _counts(self, entry: Entry) -> bool:
        return not entry.open or (self.batch >= self.options.least_pages and entry.frequency >= self.options.frequency)


def _indexed(entries: list[Entry]) -> tuple[list[Entry], _Index]:
    return entries, _Index([entry.tag for entry in entries], [entry.text for entry in entries])


def _counted(leaves: Leaves) -> Ints:
    """Return the leaves that count when a page is learnt: short enough, each once, and not more than LEAVES."""
    first: Ints = np.sort(np.unique(leaves.digests, return_index=True)[1]).astype(np.int32)
    page = leaves.page
    long = [len(TAGS) + k for k, name in enumerate(page.more_tags) if len(name) > MAX_TAG]
    fit = (leaves.chars[first] <= MAX_TEXT) & ~np.isin(page.tag[leaves.rows[first]], long)
    return first[fit][:LEAVES]


def _apart(leaves: Leaves, wanted: Ints) -> list[int]:
    """Return the leaves that are not close to an earlier leaf in the result.

    The leaves are processed by halves, so that of many close leaves only the first is compared with the others.
    """
    if len(wanted) <= AT_ONCE:
        return _apart_at_once(leaves, wanted)
    half = len(wanted) // 2
    first, rest = _apart(leaves, wanted[:half]), wanted[half:]
    near = _index_of(leaves, first).match(leaves, rest) >= 0
    return first + _apart(leaves, rest[~near])


def _apart_at_once(leaves: Leaves, wanted: Ints) -> list[int]:
    joined: set[int] = set()
    pairs = _index_of(leaves, wanted.tolist()).close(leaves, wanted, before=True)
    for number, other in zip(*(column.tolist() for column in pairs), strict=True):
        if other not in joined:
            joined.add(number)
    return [leaf for number, leaf in enumerate(wanted.tolist()) if number not in joined]


def _index_of(leaves: Leaves, numbers: list[int]) -> _Index:
    return _Index([leaves.tag(k) for k in numbers], [leaves.text(k) for k in numbers])
