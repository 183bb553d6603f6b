"""Region focus: the smallest block that holds all records, by where it stands, how large it is and how much it says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.page.table import Ints
from pagesieve.records.visual_blocks import Boxes, VisualBlocks

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RegionOptions:
    """The paper's thresholds. The last one is on what it calls the spacing ratio."""

    offset: float = 0.2  # T_o: a candidate's centre is nearer to the page's
    area: float = 0.4  # T_a: a candidate covers more of the page
    content: float = 0.4  # T_c: a candidate holds more of the page's text
    spacing: float = 0.2  # T_d: records of one region lie nearer to each other


def centres(boxes: Boxes) -> NDArray[np.float64]:
    """Equations (1) and (2): the middle of each box."""
    found: NDArray[np.float64] = (boxes[:, :2] + boxes[:, 2:]) / 2
    return found


def offset_ratio(boxes: Boxes, size: tuple[float, float]) -> Floats:
    """Equations (3) and (4), B_o: how far each box's centre is from the page's, over half the page's diagonal."""
    away = centres(boxes) - np.array(size) / 2
    found: Floats = np.hypot(away[:, 0], away[:, 1]) / max(np.hypot(*size) / 2, 1.0)
    return found


def area_ratio(boxes: Boxes, size: tuple[float, float]) -> Floats:
    """Equations (5) and (6), B_a: the area of each box over the page's."""
    return areas(boxes) / max(size[0] * size[1], 1.0)


def areas(boxes: Boxes) -> Floats:
    """Equation (5): width times height."""
    found: Floats = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0), axis=1)
    return found


def content_ratio(chars: Ints, page_chars: int) -> Floats:
    """Equation (7), B_c: the length of each block's text over the page's."""
    return chars / max(page_chars, 1)


def spacing_ratio(boxes: Boxes, height: float) -> Floats:
    """The gap above each box but the first, in the order of their tops, over the height of the region."""
    boxes = boxes[np.argsort(boxes[:, 1], kind="stable")]
    reached = np.maximum.accumulate(boxes[:, 3])
    found: Floats = np.maximum(boxes[1:, 1] - reached[:-1], 0.0) / max(height, 1.0)
    return found


def candidates(blocks: VisualBlocks, options: RegionOptions = RegionOptions()) -> Ints:
    """The blocks that are near the centre, large, and rich."""
    size = blocks.page.size
    found = offset_ratio(blocks.box, size) < options.offset
    found &= area_ratio(blocks.box, size) > options.area
    found &= content_ratio(blocks.chars, int(blocks.chars[0])) > options.content
    return np.flatnonzero(found).astype(np.int32)


def paper_region(blocks: VisualBlocks, options: RegionOptions = RegionOptions()) -> int:
    """The block that the paper's rule chooses: of the candidates the innermost, of several such the largest."""
    found = candidates(blocks, options)
    if not len(found):
        raise NothingFound("no block is near the middle of the page, large and full of text")
    around = np.zeros(len(blocks), dtype=np.bool_)
    for block in found.tolist():
        above = int(blocks.parent[block])
        while above >= 0 and not around[above]:
            around[above] = True
            above = int(blocks.parent[above])
    innermost = found[~around[found]]
    return int(innermost[areas(blocks.box[innermost]).argmax()])
