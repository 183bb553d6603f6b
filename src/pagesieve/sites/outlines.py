"""Outlines, by which pages are compared: the digests of all subtrees that may hold text, in document order."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAGS, tag_ids
from pagesieve.page.table import Bools, Ints, Page

AUXILIARY = "script noscript style link meta"
INTERACTION = (
    "form fieldset legend input select menu optgroup option textarea map area applet object param button label"
)
SKETCH = 64  # digests: enough to tell which pages of a site are most alike

_NONE = np.uint32(0xFFFFFFFF)


def _marked(names: str) -> NDArray[np.uint8]:
    """Return a mark for each known element that is named."""
    marks = np.zeros(len(TAGS), dtype=np.uint8)
    marks[list(tag_ids(names))] = 1
    return marks


_DROPPED = _marked(f"#comment {AUXILIARY} {INTERACTION}")
_IMAGES = _marked("img image br")
_NOTHING = _marked("")


@dataclass(frozen=True, slots=True)
class OutlineOptions:
    """The rules by which two nodes are equal.

    The paper compares all attributes and texts to the letter. But ids with numbers, tokens, counts and times differ on
    every page. Measured on 604 pages of 35 sites: attributes change nothing, since texts are nodes too; digits in
    texts, left out, are worth two points of precision. A text of nothing but digits keeps them.
    """

    attributes: frozenset[str] | None = frozenset()  # the names of those that count; None: all
    digits: bool = False  # whether the digits in values and texts count
    keep_images: bool = False  # whether pictures and line breaks are nodes, though they hold no text


EXACT = OutlineOptions(attributes=None, digits=True)  # as the paper has it


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A forest in document order: a digest a row, and how many rows its subtree has."""

    digests: NDArray[np.uint32]
    sizes: Ints

    def __len__(self) -> int:
        return len(self.digests)

    @property
    def sketch(self) -> NDArray[np.uint32]:
        """The smallest digests. Two sketches have about the same share in common as the outlines."""
        digests: NDArray[np.uint32] = np.sort(self.digests)
        first: Bools = np.append(True, digests[1:] != digests[:-1])[: len(digests)]
        return digests[first][:SKETCH]

    def found_in(self, other: Outline) -> Bools:
        """Mark the rows that are in another outline too: subtree by subtree, from the outside in, each used once."""
        marked = kernel.page.derive.matches(self.digests, self.sizes, other.digests, other.sizes)
        return np.frombuffer(marked, dtype=np.bool_)

    def pack(self) -> bytes:
        """Return the outline as compressed bytes."""
        return self.digests.astype("<u4").tobytes() + zlib.compress(self.sizes.astype("<i4").tobytes(), 1)

    @classmethod
    def unpack(cls, packed: bytes, rows: int) -> Outline:
        """Return the outline that `pack` returned as bytes. Raises ValueError for other bytes."""
        try:
            digests = np.frombuffer(packed[: 4 * rows], dtype="<u4").astype(np.uint32)
            sizes = np.frombuffer(_inflated(packed[4 * rows :], 4 * rows), dtype="<i4").astype(np.int32)
        except zlib.error as error:
            raise ValueError(f"not an outline: {error}") from error
        if len(digests) != rows or len(sizes) != rows or not _nests(sizes):
            raise ValueError("not an outline")
        return cls(digests, sizes)


def padded(sketches: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Return sketches as one array, a row each; short ones are padded with a digest that counts as none."""
    array = np.full((len(sketches), SKETCH), _NONE, dtype=np.uint32)
    for row, sketch in zip(array, sketches, strict=True):
        row[: len(sketch)] = sketch
    return array


def likeness(sketch: NDArray[np.uint32], sketches: NDArray[np.uint32]) -> list[float]:
    """Return an estimate of the share of digests that an outline has in common with each of several, by their sketches.

    It is the share that both have of the smallest digests of the two together; 1 if neither has any.
    """
    both = np.empty((len(sketches), 2 * SKETCH), dtype=np.uint32)
    both[:, :SKETCH], both[:, SKETCH:] = padded([sketch]), sketches
    both.sort(axis=1)
    again = np.zeros(both.shape, dtype=np.bool_)
    again[:, 1:] = both[:, 1:] == both[:, :-1]
    real = both != _NONE
    distinct = np.cumsum(real & ~again, axis=1)
    shared = (again & real & (distinct <= SKETCH)).sum(axis=1)
    union = np.minimum(distinct[:, -1], SKETCH)
    shares: list[float] = np.where(union > 0, shared / np.maximum(union, 1), 1.0).tolist()
    return shares


def _inflated(packed: bytes, size: int) -> bytes:
    """Decompress bytes to a known size and no further, since a file is not trusted."""
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(packed, max(size, 0) + 1)
    if not unpacker.eof:
        raise ValueError("not an outline")
    return data


def _nests(sizes: Ints) -> bool:
    """Whether subtrees of these sizes nest: none ends after the subtree that contains it."""
    ends = np.arange(len(sizes)) + sizes
    if not ((sizes >= 1).all() and (ends <= len(sizes)).all()):
        return False
    bounds = np.column_stack((np.arange(len(sizes)), ends)).ravel()
    return bool((np.maximum.reduceat(np.append(ends, 0), bounds)[::2] == ends).all()) if len(sizes) else True


class Outlined(NamedTuple):
    """A page with its outline."""

    outline: Outline
    rows: Ints  # the page's row of each of the outline's
    chars: Ints  # the characters of each of the page's text rows, 0 inside scripts, forms and the like


def outlined(page: Page, options: OutlineOptions = OutlineOptions()) -> Outlined:
    """Return the outline of a page's body: of the nodes with text that is not in a script, in a form, or hidden.

    It is cached as long as the page exists: a library uses it to find references and again to compare them.
    """
    cached = _KNOWN.setdefault(page, {})
    if options not in cached:
        cached[options] = _outlined(page, options)
    return cached[options]


def _outlined(page: Page, options: OutlineOptions) -> Outlined:
    tags, names = page.name_digests
    if options.attributes is not None:
        counted = [number for name in options.attributes if (number := page.attribute_number(name)) is not None]
        names = np.where(np.isin(np.arange(len(names)), counted), names, np.uint64(0))
    rows, digests, sizes, chars = kernel.page.derive.outline(
        page, page.chars, _DROPPED, _IMAGES if options.keep_images else _NOTHING, tags, names, options.digits
    )
    ints = (np.frombuffer(column, dtype=np.int32) for column in (sizes, rows, chars))
    return Outlined(Outline(np.frombuffer(digests, dtype=np.uint32), next(ints)), *ints)


_KNOWN: WeakKeyDictionary[Page, dict[OutlineOptions, Outlined]] = WeakKeyDictionary()


def outline(page: Page, options: OutlineOptions = OutlineOptions()) -> Outline:
    """Return the outline of a page."""
    return outlined(page, options).outline
