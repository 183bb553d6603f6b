"""Clusters of blocks: equations (8) to (13) by hand, DBSCAN next to scikit-learn's, local noise, the visual mode."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagesieve.errors import NothingFound
from pagesieve.page.rendered import RenderedPage
from pagesieve.page.table import Ints
from pagesieve.records import paper, visual
from pagesieve.records.paper import (
    ATTRIBUTES,
    CONTENT,
    COUNTABLE,
    DOM,
    PARTS,
    VISUAL,
    WEIGHT,
    aligned,
    attributes,
    dbscan,
    distance,
    has_noise_words,
    local_noise,
)
from pagesieve.records.regions import find_candidates
from pagesieve.records.results import Segmentation
from pagesieve.records.visual import BlockOptions, VisualBlocks, build, is_visible
from tests.drawn_pages import draw, random_page
from tests.profiles import examples

Points = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]  # values, weight, countable
Cut = Callable[[RenderedPage], list[Segmentation]]
WAYS = pytest.mark.parametrize("segment", [paper.segment, visual.segment], ids=["paper", "best"])


def numbered(blocks: VisualBlocks, name: str) -> int:
    return next(k for k, row in enumerate(blocks.row.tolist()) if blocks.page.attribute(row, "id") == name)


def parts_alike(blocks: VisualBlocks, a: int, b: int) -> list[float]:
    """How alike two blocks are by content, by DOM and by look: equations (9) to (11)."""
    values, ends = attributes(blocks, np.array([a, b], dtype=np.int32)), np.cumsum([len(part) for part in PARTS])
    parts = [slice(end - len(part), end) for part, end in zip(PARTS, ends.tolist(), strict=True)]
    return [
        1 - float(distance(values[0, part], values[1:, part], WEIGHT[part] / WEIGHT[part].sum(), COUNTABLE[part])[0])
        for part in parts
    ]


def similarity(blocks: VisualBlocks, a: int, b: int) -> float:
    """Equation (8)."""
    return float(np.mean(parts_alike(blocks, a, b)))


def distances(blocks: VisualBlocks, chosen: Ints) -> NDArray[np.float64]:
    """Equation (13) for all pairs of some blocks."""
    values = attributes(blocks, chosen)
    return np.array([distance(each, values, WEIGHT, COUNTABLE) for each in values])


# Equation (12)


def sim(a: float, b: float, countable: bool = True) -> float:
    return 1 - float(distance(np.array([a]), np.array([[b]]), np.ones(1), np.array([countable]))[0])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (3, 1, 1 - 4 / 10),
        (2, 2, 1),
        (0, 0, 1),
        (0, 5, 0),
        (5, 0, 0),
        (100, 50, 1 - 2500 / 12500),
        (-3, 3, 0),
        (-3, -1, 0.6),
    ],
)
def test_equation_12_for_what_is_countable(a: float, b: float, expected: float) -> None:
    assert sim(a, b) == pytest.approx(expected)


def test_equation_12_for_what_is_not() -> None:
    assert sim(4, 4, countable=False) == 1
    assert sim(4, 5, countable=False) == 0


# Two blocks by hand: b is longer, has another tag, one child more, is higher, stands lower, and has another colour.
TWO = """
<html><body><div id=list box="0 0 500 500">
  <div id=a box="10 10 400 100"><p>Ten <b>letters</b></p><p>x</p></div>
  <section id=b box="10 110 400 200" look="color: rgb(9, 9, 9)">
    <p>Twenty <a href=y>letters</a></p><p>w</p><p>are</p>
  </section>
</div></body></html>
"""


def test_similarity_and_its_parts_by_hand() -> None:
    blocks = build(draw(TWO))
    pair = numbered(blocks, "a"), numbered(blocks, "b")
    # length 11 and 17; links 0 and 1; no images, no multimedia; tag and text differ
    content = [1 - 36 / (121 + 289), 0, 1, 1, 0, 0]
    # depth 4 and 4, children 2 and 3, one sibling each; the path differs
    dom = [1, 1 - 1 / 13, 1, 0]
    # height 100 and 200, relative and absolute top 10 and 110; the colour differs; all else is the same
    tops = 1 - 10000 / (100 + 12100)
    visual = [1] * (len(VISUAL) - 4) + [1 - 10000 / 50000, tops, tops, 0]
    assert parts_alike(blocks, *pair) == pytest.approx([np.mean(content), np.mean(dom), np.mean(visual)])
    assert similarity(blocks, *pair) == pytest.approx((np.mean(content) + np.mean(dom) + np.mean(visual)) / 3)


def test_equation_13_the_distance() -> None:
    blocks = build(draw(TWO))
    pair = np.array([numbered(blocks, "a"), numbered(blocks, "b")], dtype=np.int32)
    alike = similarity(blocks, *pair.tolist())
    assert distances(blocks, pair) == pytest.approx(np.array([[0, 1 - alike], [1 - alike, 0]]))


def test_every_attribute_of_table_1_is_compared() -> None:
    assert (len(CONTENT), len(DOM), len(VISUAL)) == (6, 4, 5 + 6 + 10 + 5)
    assert len(set(ATTRIBUTES)) == len(ATTRIBUTES) == len(WEIGHT) == len(COUNTABLE)
    assert WEIGHT.sum() == pytest.approx(1)


def test_a_block_is_like_itself_and_likeness_is_mutual() -> None:
    blocks = build(draw(TWO))
    everyone = np.arange(len(blocks), dtype=np.int32)
    found = distances(blocks, everyone)
    assert (np.diag(found) == 0).all()
    assert (found == found.T).all()
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    assert all(similarity(blocks, block, block) == 1 for block in everyone.tolist())


# DBSCAN


@st.composite
def points(draw: st.DrawFn) -> Points:
    """Blocks of a few kinds: near each other within a kind, some of them odd; countable attributes and codes."""
    seed, count = draw(st.integers(0, 2**32)), draw(st.integers(1, 90))
    kinds, width = draw(st.integers(1, 5)), draw(st.integers(1, 12))
    rng = np.random.default_rng(seed)
    countable = rng.random(width) < 0.6
    values = rng.integers(-2, 9, (kinds, width)).astype(np.float64)[rng.integers(0, kinds, count)]
    values = np.where(
        countable & (rng.random((count, width)) < 0.5),
        np.round(values * rng.uniform(0.6, 1.7, values.shape), 1),
        values,
    )
    for column in np.flatnonzero(~countable):
        values[:, column] = np.unique(values[:, column], return_inverse=True)[1]
    weight = rng.random(width) + 0.1
    return values, weight / weight.sum(), countable


def matrix_of(blocks: Points) -> NDArray[np.float64]:
    values, weight, countable = blocks
    return np.array([distance(each, values, weight, countable) for each in values])


@examples(150)
@given(points(), st.floats(0.01, 0.9), st.integers(1, 6))
def test_dbscan_equals_scikit_learns(blocks: Points, radius: float, least: int) -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    expected = cluster.DBSCAN(eps=radius, min_samples=least, metric="precomputed").fit(matrix_of(blocks)).labels_
    assert dbscan(*blocks, radius, least).tolist() == expected.tolist()


@examples(60)
@given(points())
def test_distances_are_those_of_a_likeness(blocks: Points) -> None:
    found = matrix_of(blocks)
    assert (found == found.T).all()
    assert (np.diag(found) == 0).all()
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()


def test_dbscan_of_nothing() -> None:
    assert list(dbscan(np.zeros((0, 3)), np.ones(3) / 3, np.ones(3, dtype=np.bool_), 0.3, 2)) == []


def listed(count: int) -> VisualBlocks:
    """A list of records that are alike but for their texts, with a heading between every fifty."""
    items = []
    for k in range(count):
        tag = "h2" if k % 50 == 0 else "div"
        text = f"Record {k} " + "text " * (5 + k % 3)
        items.append(f'<{tag} box="10 {10 + 50 * k} 400 50">{text}<p>more</p></{tag}>')
    return build(draw(f'<html><body box="0 0 500 {50 * count + 50}">{"".join(items)}</body></html>'))


def test_many_blocks_that_are_alike_are_clustered_without_comparing_all_pairs() -> None:
    """Four times the blocks may cost eight times the time, where all pairs would cost sixteen."""

    def seconds(blocks: NDArray[np.float64]) -> float:
        times = []
        for _ in range(5):
            start = time.thread_time()
            dbscan(blocks, WEIGHT, COUNTABLE, 0.3, 2)
            times.append(time.thread_time() - start)
        return min(times)

    few, many = (listed(count) for count in (500, 2000))
    children = [attributes(blocks, blocks.children(0)) for blocks in (few, many)]
    assert seconds(children[1]) < 8 * max(seconds(children[0]), 1e-3)


# Local noise


def test_edges_that_line_up() -> None:
    boxes = np.array(
        [[0, 0, 500, 9], [10, 9, 410, 20], [11, 20, 410, 30], [10, 30, 410, 40], [10, 40, 300, 50]], dtype=np.float64
    )
    assert aligned(boxes).tolist() == [False, True, True, True, False]
    assert aligned(boxes[:2]).tolist() == [True, True]  # of two, nobody knows which is odd


NOISE = [
    "<b>Next</b>",
    "<a>« Previous</a> <a>2</a>",
    "<a>下一页</a>",
    "<span><a> 上一页 </a></span>",
    "<a>次へ</a>",
    "<a>Weiter »</a>",
    "<a>Следующая</a>",
    "<a>›</a>",
    "<a>1</a> <a>2</a> <b>3</b>",
    "<li>[1]</li><li>[2]</li><li>[3]</li>",
]
NO_NOISE = [
    "Next to the house stands a tree.",
    "<p>Go to the next page of the book</p>",
    "下一页还有更多内容",
    "<b>7</b> points",
    "<p>Chapter <i>1</i></p>",
]


def of_ends(last: str) -> VisualBlocks:
    records = "".join(f'<div box="0 {100 * k} 500 100">Record {k}, <i>first</i> of all</div>' for k in range(4))
    page = draw(f"<html><body>{records}<div id=last box='0 400 500 50'>{last}</div></body></html>")
    return build(page, BlockOptions(short_text=0))


@pytest.mark.parametrize("last", NOISE)
def test_noise_words_alone_in_their_tags(last: str) -> None:
    blocks = of_ends(last)
    found = has_noise_words(blocks, blocks.children(0))
    assert found.tolist() == [False] * 4 + [True]
    assert local_noise(blocks, blocks.children(0)).tolist() == [False] * 4 + [True]


@pytest.mark.parametrize("last", NO_NOISE)
def test_words_within_a_text_are_no_noise(last: str) -> None:
    blocks = of_ends(last)
    assert not local_noise(blocks, blocks.children(0)).any()


# The visual mode as a whole


def results(count: int = 6, extra: str = "", look: str = "") -> str:
    """A page of results between a menu and a list of pages."""
    records = "".join(
        f'<div class=hit id=r{k} box="200 {100 + 120 * k} 700 110" {look}><h3 box="200 {100 + 120 * k} 700 30" '
        f'look="font-size: 20px"><a href="/{k}">Result number {k}</a></h3>'
        f"<p>What it says about the matter, in a sentence that goes on for a while, variant {k}.</p></div>"
        for k in range(count)
    )
    menu = "".join(f'<li box="0 {100 + 30 * k} 150 30"><a href="/m{k}">Menu {k}</a></li>' for k in range(12))
    height = 140 + 120 * count
    return (
        f'<html box="0 0 1000 {height + 60}"><body><ul box="0 100 150 400">{menu}</ul>'
        f'<div id=hits box="200 100 700 {height}">{records}{extra}'
        f'<div id=pages box="200 {height} 700 40"><a>Previous</a> <a>1</a> <a>2</a> <a>3</a> <a>Next</a></div>'
        "</div></body></html>"
    )


def cut(html: str, segment: Cut = visual.segment, height: float = 1000.0) -> tuple[str | None, list[str]]:
    """The ids of the best region and of its records."""
    page = draw(html, (1000.0, height))
    best = segment(page)[0]
    return page.attribute(best.region, "id"), [
        "+".join(page.attribute(row, "id") or "?" for row in record) for record in best.records
    ]


@WAYS
def test_the_records_of_a_page_of_results(segment: Cut) -> None:
    assert cut(results(), segment) == ("hits", [f"r{k}" for k in range(6)])


def test_what_is_noise_is_told() -> None:
    page = draw(results())
    found = paper.segment(page)[0]
    assert [page.attribute(row, "id") for row in found.noise] == ["pages"]


def test_a_block_that_is_unlike_the_others_is_no_record() -> None:
    odd = '<h2 id=odd box="300 820 90 20" look="color: rgb(9, 0, 0); display: flex">An advertisement</h2>'
    assert "odd" not in cut(results(extra=odd), paper.segment)[1]


def test_records_beyond_a_wide_gap_are_of_another_list() -> None:
    """T_d: the largest gap between neighbouring records, over the region's height."""
    far = '<div class=hit id=far box="200 1600 700 110"><h3>Far away</h3><p>Something else, but of one form.</p></div>'
    html = results(extra=far).replace('id=hits box="200 100 700 860"', 'id=hits box="200 100 700 1700"')
    height = 1900.0
    assert "far" not in cut(html, paper.segment, height)[1]


def test_records_that_nobody_sees_are_dropped() -> None:
    html = results(8).replace("id=r3", 'look="visibility: hidden" id=r3')
    region, records = cut(html, height=1200.0)
    assert region == "hits"
    assert records == [f"r{k}" for k in range(8) if k != 3]


def test_records_that_scripts_were_to_show_stay() -> None:
    assert cut(results(look='look="opacity: 0"'))[1] == [f"r{k}" for k in range(6)]


def test_a_page_that_is_not_laid_out_is_cut_by_its_tree() -> None:
    html = results().replace('<html box="0 0 1000 920">', '<html box="">')
    assert 'box=""' in html
    assert cut(html)[1] == [f"r{k}" for k in range(6)]


def test_what_says_nothing_at_the_ends_of_a_list_is_no_record() -> None:
    """Here the pages are in a box like those of the results."""
    pages = '<div class=hit id=more box="200 820 700 110"><h3><a href=x>1</a></h3><p><a>Next</a></p></div>'
    assert cut(results(extra=pages))[1] == [f"r{k}" for k in range(6)]


def test_a_grid_is_cut_into_its_cells() -> None:
    cells = "".join(
        "<tr>"
        + "".join(
            f'<td id=c{row}{k} box="{50 + 300 * k} {100 + 200 * row} 290 190"><b>Product {row}{k}</b>'
            f"<p>A description of it, which differs: {row * 7 + k}.</p><i>{row + k}9.90 €</i></td>"
            for k in range(3)
        )
        + "</tr>"
        for row in range(4)
    )
    html = f'<html><body><table id=grid box="50 100 900 800">{cells}</table></body></html>'
    assert cut(html)[1] == [f"c{row}{k}" for row in range(4) for k in range(3)]


@WAYS
@pytest.mark.parametrize(
    "html", ["", "<p>", "<html><body></body></html>", "<div box='0 0 900 900'>One text only.</div>"]
)
def test_a_page_without_records_raises(html: str, segment: Cut) -> None:
    with pytest.raises(NothingFound):
        segment(draw(html))


@WAYS
def test_twice_the_records_cost_little_more_than_twice_the_time(segment: Cut) -> None:
    sizes = (1000, 2000)
    best = dict.fromkeys(sizes, float("inf"))
    pages = {count: draw(results(count), (1000.0, 120.0 * count + 200)) for count in sizes}
    for _ in range(6):  # by turns, so that a busy machine slows both
        for count, page in pages.items():
            start = time.thread_time()
            found = segment(page)[0]
            best[count] = min(best[count], time.thread_time() - start)
            assert len(found.records) == count
    assert best[2000] < 2.6 * best[1000]


# Scores


def test_every_weight_is_of_a_feature() -> None:
    page = draw(results())
    candidates = find_candidates(page)
    assert set(visual.WEIGHTS) == set(visual.measured(candidates, page, is_visible(page)))


def test_features_of_what_the_browser_shows_by_hand() -> None:
    """Two columns of two cells, on a page 1000 wide: text at 100 and 500, the third cell without a size."""
    boxes = [
        f'box="{100 + 400 * (k % 2)} {100 + 100 * (k // 2)} 300 50"' if k != 2 else 'box="100 200 0 0"'
        for k in range(4)
    ]
    cells = "".join(f'<p {box}>Words <b look="font-weight: 700">and</b> more</p>' for box in boxes)
    page = draw(f'<html><body><div id=list box="0 0 1000 500">{cells}</div></body></html>')
    candidates = find_candidates(page)
    (group,) = [k for k in range(len(candidates)) if candidates.sizes[k] == 4][:1]
    found = {name: values[group] for name, values in visual.measured(candidates, page, is_visible(page)).items()}
    # Three cells are seen: the box around them is (100, 100) to (800, 250), its centre (450, 175).
    assert found["off_centre"] == pytest.approx(np.hypot(50, 325) / np.hypot(500, 500))
    assert found["aside"] == pytest.approx(50 / 1000)
    assert found["log_width"] == pytest.approx(np.log(3 * 300 / 4 / 1000))
    assert found["with_font_weights"] == 3 / 4
    assert found["with_font_sizes"] == 0
    assert found["lined_up"] == pytest.approx(1 / 3)


@WAYS
def test_records_are_disjoint_in_order_and_inside_their_region(segment: Cut) -> None:
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(150):
        page = random_page(rng)
        try:
            regions = segment(page)
        except NothingFound:
            continue
        found += 1
        for region in regions:
            rows = [row for record in region.records for row in record]
            ends = [int(page.end[row]) for row in rows]
            assert all(record for record in region.records)
            assert region.region < rows[0]
            assert ends[-1] <= page.end[region.region]
            assert all(end <= row for end, row in zip(ends, rows[1:], strict=False))
    assert found > 10
