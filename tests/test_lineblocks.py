"""The line-block distribution function: blocks, stretches, comments, reasons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve import BadOption, NothingFound, parse
from pagesieve.methods.lineblocks import LineBlockOptions, block_sums, lineblocks, richest_stretch
from pagesieve.page.lines import shown, split
from pagesieve.threads.comments import comment_rows

LONG = "A sentence of some length, such as articles are made of, and one more clause to it."
MANY = f"<p>{LONG}</p>" * 4


def texts(html: str) -> list[str]:
    blocks = split(parse(html))
    return [blocks.text(k) for k in range(len(blocks))]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("one", ["one"]),
        ("one<br>two", ["one", "two"]),
        ("<p>one<p>two", ["one", "two"]),
        ("<p>on<b>e</b> <i>two</i>", ["one two"]),
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("<ul><li>one<li>two</ul>three", ["one", "two", "three"]),
        ("<p>one<script>two</script> three", ["one three"]),
        ("<p>one<span hidden>two</span>three", ["onethree"]),
        ("<p>one<!-- two -->three", ["onethree"]),
        ("<table><tr><td>one<td>two<tr><td>three</table>", ["one two", "three"]),
        ("<p>one <x-y>two</x-y> three", ["one two three"]),
        ("<p>\u00a0</p><p>\u3000one", ["one"]),
    ],
)
def test_blocks_are_the_lines_that_are_shown(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


def test_a_block_counts_its_characters_and_those_in_links() -> None:
    blocks = split(parse("<p>ab <a href=x>c d</a> e<p><a href=y>fg</a><p><a>hi</a>"))
    assert blocks.chars.tolist() == [5, 2, 2]
    assert blocks.link_chars.tolist() == [2, 2, 0]


def test_where_a_line_ends_is_a_blank_in_what_is_shown() -> None:
    page = parse("<h1>One<br>two<b>three</b> <i>four</i><div>five</div>six</h1>")
    (row,) = page.rows("h1").tolist()
    assert shown(page, row, int(page.end[row])) == "One twothree four five six"


fragments = st.lists(
    st.sampled_from(["<p>", "</p>", "<b>", "</b>", "<br>", "one ", "two", " ", "<a href=x>", "</a>", "<li>", "<div>"]),
    max_size=30,
)


@given(fragments)
def test_blocks_hold_every_row_that_is_seen_once(pieces: list[str]) -> None:
    page = parse("".join(pieces))
    blocks = split(page)
    spans = [row for first, last in zip(blocks.first, blocks.last, strict=True) for row in range(first, last + 1)]
    assert len(spans) == len(set(spans))
    assert set(np.flatnonzero(page.chars).tolist()) <= set(spans)
    assert int(blocks.chars.sum()) == int(page.chars.sum())
    assert blocks.mask(np.ones(len(blocks), dtype=np.bool_)).tolist() == (page.chars > 0).tolist()


weights = st.lists(st.integers(0, 200), max_size=40).map(lambda numbers: np.array(numbers, dtype=np.int32))


@given(weights, st.integers(1, 5))
def test_a_block_is_so_many_lines_in_a_row(numbers: np.ndarray, lines: int) -> None:
    expected = [int(numbers[at : at + lines].sum()) for at in range(len(numbers))]
    assert block_sums(numbers, lines).tolist() == expected


@given(weights, st.integers(1, 4), st.integers(1, 400), st.integers(1, 5))
def test_no_stretch_is_richer(numbers: np.ndarray, lines: int, threshold: int, gap: int) -> None:
    """Against the words of the method, written out one block at a time."""
    options = LineBlockOptions(lines, threshold, gap)
    sums = block_sums(numbers, lines)
    stretches: list[list[int]] = []
    for at in np.flatnonzero(sums >= threshold).tolist():
        if stretches and at - stretches[-1][-1] <= gap:
            stretches[-1].append(at)
        else:
            stretches.append([at])
    start, stop = richest_stretch(numbers, options)
    totals = [int(numbers[found[0] : found[-1] + lines].sum()) for found in stretches]
    assert int(numbers[start:stop].sum()) == max(totals, default=0)
    assert start == stop or (numbers[start] > 0 and numbers[stop - 1] > 0)


@pytest.mark.parametrize(("lines", "threshold", "gap"), [(0, 86, 4), (3, 0, 4), (3, 86, 0)])
def test_options_that_mean_nothing(lines: int, threshold: int, gap: int) -> None:
    with pytest.raises(BadOption, match="at least"):
        LineBlockOptions(lines, threshold, gap)


def kept(html: str) -> list[str]:
    selection = lineblocks(parse(html))
    return [selection.blocks.text(k) for k in np.flatnonzero(selection.kept).tolist()]


def test_the_article_stands_between_navigation_and_footer() -> None:
    menu = "<ul>" + "<li><a href=x>A link of the menu</a>" * 12 + "</ul>"
    assert kept(f"{menu}{MANY}{menu}<p>Imprint<p>Contact<p>Help") == [LONG] * 4


def test_short_lines_inside_are_stepped_over() -> None:
    assert "Short" in kept(f"{MANY}<h2>Short</h2><p>Two</p>{MANY}")


@pytest.mark.parametrize(
    "html", ["", "<p>Short", "<br>" * 50, f"<p><a href=x>{LONG}</a>" * 9, f"<script>{LONG * 9}</script>"]
)
def test_nothing_is_found(html: str) -> None:
    with pytest.raises(NothingFound, match="86 characters"):
        lineblocks(parse(html))


@pytest.mark.parametrize(
    ("start", "is_section"),
    [
        ('<div class="comments">', True),
        ('<div id="comments">', True),
        ('<div id="COMMENTS">', True),
        ('<section class="post-comments wide">', True),
        ('<ol class="commentlist">', True),
        ('<div id="respond">', True),
        ('<div class="comment-section">', True),
        ('<div class="comments-count">', False),
        ('<div class="comments-link">', False),
        ('<div class="commentary">', False),
        ('<div class="responding">', False),
        ('<div title="comments">', False),
        ('<div class="com" id="ments">', False),
        ('<div class="x" data-x="comments">', False),
    ],
)
def test_sections_of_comments(start: str, is_section: bool) -> None:
    page = parse(f"{MANY}{start}<p>What a reader wrote.</p></div>")
    marked = "".join(page.text(row) for row in np.flatnonzero(comment_rows(page)).tolist())
    assert ("What a reader wrote." in marked) == is_section
    assert LONG not in marked


def test_a_section_that_is_nearly_the_whole_page_is_none() -> None:
    page = parse(f"<div class=comments>{MANY}</div><p>A foot.")
    assert not comment_rows(page).any()


def test_every_block_has_its_reason() -> None:
    gap = "<p>.</p>" * 8
    html = f"<p><a href=x>Only a link</a>{gap}{MANY * 2}{gap}{MANY}{gap}<div id=comments><p>{LONG}</div>"
    reasons = [decision.reason for decision in lineblocks(parse(html)).decisions()]
    assert reasons[0] == "nothing but links"
    assert reasons[1] == "only 3 characters in 3 lines, under 86"
    assert reasons[9] == "in the richest stretch: 201 characters in 3 lines"
    assert reasons[9 + 8 + 8] == "outside the richest stretch, though 201 characters stand in 3 lines"
    assert reasons[-1] == "in a section of comments"
