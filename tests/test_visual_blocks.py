"""Visual blocks: the five rules, what merges, the tree, and how regular it is."""

from __future__ import annotations

import numpy as np
import pytest

from pagesieve.records.visual import BlockOptions, VisualBlocks, build, is_visible
from tests.drawn_pages import draw, random_page, row_of

# Two blocks that every page of the rules has, so that the one in question is never an only child.
AROUND = '<div id=one box="0 0 600 100">One block of text.</div><div id=two box="0 100 600 100">Another block.</div>'


def ids(blocks: VisualBlocks) -> list[str]:
    return [blocks.page.attribute(row, "id") or blocks.page.tag_name(row) for row in blocks.row.tolist()]


def tree(blocks: VisualBlocks) -> dict[str, list[str]]:
    """The names of the blocks inside each block that has any."""
    names = ids(blocks)
    return {
        names[block]: [names[child] for child in blocks.children(block).tolist()]
        for block in range(len(blocks))
        if len(blocks.children(block))
    }


def blocks_of(extra: str, options: BlockOptions = BlockOptions()) -> list[str]:
    return ids(build(draw(f"<html><body>{AROUND}{extra}</body></html>"), options))


IN_FLOW = '<div id=x box="0 200 600 100" {}>Text of the block.</div>'

NO_BLOCK = {
    "R1: not wider than the base font": '<div id=x box="0 200 16 100">Text of the block.</div>',
    "R1: not higher than the base font": '<div id=x box="0 200 600 16">Text of the block.</div>',
    "R3: no text": '<div id=x box="0 200 600 100"></div>',
    "R3: blank text": '<div id=x box="0 200 600 100"> &nbsp;\n</div>',
    "R4: hidden": IN_FLOW.format('look="visibility: hidden"'),
    "R4: transparent": IN_FLOW.format('look="opacity: 0"'),
    "R4: in a transparent element": f'<div look="opacity: 0">{IN_FLOW.format("")}<p>More.</p></div>',
    "R4: left of the page": '<div id=x box="-700 200 600 100">Text of the block.</div>',
    "R4: above the page": '<div id=x box="0 -300 600 100">Text of the block.</div>',
    "R4: right of the page": '<div id=x box="1000 200 600 100">Text of the block.</div>',
    "R4: cut off": (
        '<div box="0 200 600 100" look="overflow: hidden">A slide. <p>Two.</p>'
        '<div id=x box="600 200 600 100">The next slide.</div></div>'
    ),
    "R4: fully covered": (
        IN_FLOW.format("")
        + '<div box="0 190 700 200" paint=5 look="position: absolute; background-color: rgb(1, 1, 1)">Over.</div>'
    ),
    "R5: absolute": IN_FLOW.format('look="position: absolute"'),
    "R5: fixed": IN_FLOW.format('look="position: fixed"'),
    "not laid out": '<div id=x box="">Text of the block.</div>',
}

A_BLOCK = {
    "plain": IN_FLOW.format(""),
    "R1: a little larger than the base font": '<div id=x box="0 200 17 17">Text of the block.</div>',
    "R4: half transparent": IN_FLOW.format('look="opacity: 0.5"'),
    "R4: partly outside": '<div id=x box="-300 200 600 100">Text of the block.</div>',
    "R4: scrolled to": (
        '<div box="0 200 600 100" look="overflow: auto">A slide. <p>Two.</p>'
        '<div id=x box="600 200 300 100">The next slide.</div></div>'
    ),
    "R4: partly covered": (
        IN_FLOW.format("")
        + '<div box="0 190 300 200" paint=5 look="position: absolute; background-color: rgb(1, 1, 1)">Over.</div>'
    ),
    "R4: covered by what one sees through": (
        IN_FLOW.format("")
        + '<div box="0 190 700 200" paint=5 look="position: absolute; background-color: rgba(1, 1, 1, 0.4)">Over.</div>'
    ),
    "R4: under a fixed head, from where it scrolls": (
        IN_FLOW.format("")
        + '<div box="0 190 700 200" paint=5 look="position: fixed; background-color: rgb(1, 1, 1)">Over.</div>'
    ),
    "R4: under its own child": (
        '<div id=x box="0 200 600 100">Text of the block.'
        '<p box="0 200 600 100" paint=5 look="background-color: rgb(1, 1, 1)">Its own child.</p></div>'
    ),
    "R5: a float": IN_FLOW.format('look="float: left"'),
    "R5: relative": IN_FLOW.format('look="position: relative"'),
}


@pytest.mark.parametrize("extra", NO_BLOCK.values(), ids=NO_BLOCK.keys())
def test_what_is_no_block(extra: str) -> None:
    assert "x" not in blocks_of(extra)


@pytest.mark.parametrize("extra", A_BLOCK.values(), ids=A_BLOCK.keys())
def test_what_is_a_block(extra: str) -> None:
    assert "x" in blocks_of(extra)


def test_an_only_child_is_one_unit_with_its_parent() -> None:
    """R2: the outermost stands for the unit, the largest of them for its size."""
    page = draw(
        f'<html><body>{AROUND}<div id=outer box="0 200 600 10"><div id=middle box="0 200 600 90">'
        '<ul id=inner box="0 200 600 90"><li>The first one.</li><li>The other one.</li></ul></div></div></body></html>'
    )
    blocks = build(page)
    (block,) = [k for k, name in enumerate(ids(blocks)) if name == "outer"]
    assert "middle" not in ids(blocks)
    assert "inner" not in ids(blocks)
    assert blocks.inner[block] == row_of(page, "inner")
    assert blocks.box[block].tolist() == [0, 200, 600, 290]


def test_a_child_beside_text_is_no_only_child() -> None:
    assert "x" in blocks_of('<div box="0 200 600 100">Words <p id=x>and a paragraph.</p></div>')
    assert "x" not in blocks_of('<div box="0 200 600 100"> <p id=x>A paragraph of text.</p><!-- note --></div>')


def test_what_is_fine_grained_merges_into_the_block_around_it() -> None:
    link = '<div id=box box="0 200 600 100">See <a id=x look="display: inline">this link</a> or <p>that one.</p></div>'
    assert "x" not in blocks_of(link)
    assert "x" in blocks_of(link, BlockOptions(short_text=0, merge_inline=False))
    short = '<div id=box box="0 200 600 100">See <p id=x>few words</p> or a longer text.</div>'
    assert "x" in blocks_of(short, BlockOptions(short_text=7))
    assert "x" not in blocks_of(short)
    inside = "<p>The first one.</p><p>The second one.</p>"
    around = f'<div id=box box="0 200 600 100"><a id=x look="display: inline">{inside}</a> or more</div>'
    assert "x" in blocks_of(around)


# The paper's figure 4: a result with a title, texts and links; an empty row, a separator and a hidden one in between.
RESULT = """
<html box="0 0 1000 1000"><body>
  <div id=result box="100 100 600 300">
    <h3 id=title box="100 100 600 30"><a look="display: inline" box="100 100 300 25">A title that links</a></h3>
    <div id=empty box="100 130 600 20"></div>
    <div id=summary box="100 150 600 200">
      <div id=picture box="100 150 200 200">A picture's caption, <span look="display: inline">in short</span></div>
      <div id=details box="300 150 400 200">
        <p id=text box="300 150 400 120">What the page is about, in a few lines of text that go on.</p>
        <p id=hidden box="300 270 400 40" look="visibility: hidden">What nobody sees.</p>
        <p id=source box="300 310 400 40">example.org <a look="display: inline">more</a></p>
      </div>
    </div>
    <hr id=separator box="100 350 600 2">
    <div id=menu box="600 100 80 20" look="position: absolute">Menu</div>
  </div>
  <div id=next box="100 400 600 100">The next result.</div>
</body></html>
"""


def test_the_visual_block_tree_of_figure_4() -> None:
    blocks = build(draw(RESULT))
    assert tree(blocks) == {
        "html": ["result", "next"],
        "result": ["title", "summary"],
        "summary": ["picture", "details"],
        "details": ["text", "source"],
    }
    assert blocks.parent.tolist() == [-1, 0, 1, 1, 3, 3, 5, 5, 0]
    assert len(blocks) < len(blocks.page)


def test_blocks_of_a_row_that_is_none_stand_under_the_next_block_above() -> None:
    blocks = build(draw(RESULT.replace('id=details box="300 150 400 200"', 'id=details box="300 150 400 10"')))
    assert tree(blocks)["summary"] == ["picture", "text", "source"]


def test_text_that_cannot_be_seen_does_not_count() -> None:
    page = draw(RESULT)
    blocks = build(page)
    (details,) = [k for k, name in enumerate(ids(blocks)) if name == "details"]
    assert blocks.chars[details] == page.text_chars[blocks.row[details]]
    assert "What nobody sees." in page.text(int(blocks.row[details]))
    assert not is_visible(page)[row_of(page, "hidden")]


def test_a_page_that_shows_nothing_has_its_root_only() -> None:
    for html in ("", "<html><body></body></html>", "<p> </p>", "<!-- x -->"):
        blocks = build(draw(html))
        assert len(blocks) == 1
        assert blocks.parent.tolist() == [-1]


def test_a_block_tree_is_one() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        blocks = build(random_page(rng))
        assert blocks.parent[0] == -1
        assert (blocks.parent[1:] < np.arange(1, len(blocks))).all()
        page = blocks.page
        for block in range(1, len(blocks)):
            above = blocks.row[blocks.parent[block]]
            assert above < blocks.row[block] < page.end[above]
        assert (blocks.chars[1:] > 0).all()
        assert (blocks.chars <= blocks.chars[0]).all()
