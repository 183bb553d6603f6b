"""Region focus: equations (1) to (7) by hand, and the paper's rule."""

from __future__ import annotations

import numpy as np
import pytest

from pagesieve.errors import NothingFound
from pagesieve.records.paper import (
    PaperOptions,
    area_ratio,
    areas,
    candidates,
    content_ratio,
    paper_region,
    spacing_ratio,
)
from pagesieve.records.visual import VisualBlocks, build, centres, offset_ratio
from tests.drawn_pages import draw

# A block at (100, 50), 300 wide and 400 high, on a page of 600 x 800.
BLOCK = np.array([[100.0, 50.0, 400.0, 450.0]])
PAGE = (600.0, 800.0)


def test_equations_1_and_2_the_centre_of_a_block() -> None:
    assert centres(BLOCK).tolist() == [[100 + 300 / 2, 50 + 400 / 2]]


def test_equations_3_and_4_the_offset_ratio() -> None:
    # The page's centre is (300, 400), the block's (250, 250); half the page's diagonal is 500.
    assert offset_ratio(BLOCK, PAGE) == pytest.approx([np.sqrt(50**2 + 150**2) / 500])
    assert offset_ratio(np.array([[200.0, 300.0, 400.0, 500.0]]), PAGE) == pytest.approx([0.0])


def test_equations_5_and_6_the_area_ratio() -> None:
    assert areas(BLOCK).tolist() == [300 * 400]
    assert area_ratio(BLOCK, PAGE) == pytest.approx([120_000 / 480_000])


def test_equation_7_the_content_ratio() -> None:
    assert content_ratio(np.array([30, 0, 120], dtype=np.int32), 120).tolist() == [0.25, 0.0, 1.0]


def test_a_page_of_no_size_has_ratios_too() -> None:
    nothing = np.zeros((1, 4))
    assert offset_ratio(nothing, (0.0, 0.0)).tolist() == [0.0]
    assert area_ratio(nothing, (0.0, 0.0)).tolist() == [0.0]
    assert content_ratio(np.array([0], dtype=np.int32), 0).tolist() == [0.0]


def test_the_spacing_ratio() -> None:
    boxes = np.array([[0, 400, 9, 500], [0, 0, 9, 100], [0, 120, 9, 300], [0, 130, 9, 290]], dtype=np.float64)
    assert spacing_ratio(boxes, 500).tolist() == [20 / 500, 0.0, 100 / 500]


def named(blocks: VisualBlocks, block: int) -> str | None:
    return blocks.page.attribute(int(blocks.row[block]), "id")


LONG, SHORT = "word " * 40, "word " * 4


def page(main: str, aside: str = "") -> VisualBlocks:
    return build(draw(f'<html><body><div id=head box="0 0 1000 50">{SHORT}</div>{main}{aside}</body></html>'))


def test_the_region_is_central_large_and_rich() -> None:
    blocks = page(
        f'<div id=main box="200 100 700 850">{LONG}</div>',
        f'<div id=aside box="0 100 200 850">{SHORT}</div>',
    )
    assert named(blocks, paper_region(blocks)) == "main"


@pytest.mark.parametrize(
    ("main", "why"),
    [
        (f'<div id=main box="0 600 1000 400">{LONG}</div>', "far from the centre"),
        (f'<div id=main box="300 300 400 400">{LONG}</div>', "small"),
        (f'<div id=main box="100 100 800 800">{SHORT}</div><p box="0 900 900 50">{LONG}</p>', "poor"),
    ],
)
def test_what_is_no_region(main: str, why: str) -> None:
    blocks = page(main)
    assert "main" not in [named(blocks, block) for block in candidates(blocks).tolist()], why


def test_of_nested_candidates_the_innermost() -> None:
    inner = f'<div id=inner box="150 100 700 800">{LONG}<p box="0 0 5 5">x</p></div>'
    blocks = page(f'<div id=outer box="100 60 800 900">{SHORT}{inner}</div>')
    assert [named(blocks, block) for block in candidates(blocks).tolist()] == [None, "outer", "inner"]
    assert named(blocks, paper_region(blocks)) == "inner"


def test_of_several_innermost_candidates_the_largest() -> None:
    blocks = page(f'<div id=left box="0 50 480 900">{LONG}</div>', f'<div id=right box="480 50 500 900">{LONG}</div>')
    options = PaperOptions(offset=0.4, area=0.4, content=0.4)
    assert {named(blocks, block) for block in candidates(blocks, options).tolist()} == {None, "left", "right"}
    assert named(blocks, paper_region(blocks, options)) == "right"


def test_a_page_without_a_candidate_has_no_region() -> None:
    with pytest.raises(NothingFound):
        paper_region(page(""), PaperOptions(area=1.0))
    with pytest.raises(NothingFound):
        paper_region(build(draw("")))
