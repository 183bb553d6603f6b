"""What cutting a page into records gives, whichever way it was done."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Segmentation"]


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One region of a page and the records in it; all numbers are rows of the page's table.

    Records are disjoint, in document order, and inside the region. A record is one subtree, or several that belong
    together: sibling rows of an old table, cells of a grid.
    """

    region: int
    """The element that holds the records."""
    records: tuple[tuple[int, ...], ...]
    """Of each record the roots of its subtrees, in document order."""
    noise: tuple[int, ...] = ()
    """Roots of the subtrees inside the region that belong to no record: headings, advertisements, page numbers."""
    score: float = 0.0
    """How sure the choice of this region is; only to be compared with the other regions of the same page."""
