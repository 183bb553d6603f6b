"""What is kept by units: a table of small pages for each rule, given how likely each line is; reasons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from pagesieve.methods.decisions import LineDecisions, decide
from pagesieve.page.lines import split
from pagesieve.page.static import parse
from tests.growing import growth
from tests.nonsense import pages
from tests.profiles import examples

LONG = "long enough to be a paragraph of an article, with a comma and a stop, and some more words after that. " * 2
FIGURE = "<figure><figcaption>what</figcaption></figure>"
YES, NO = 0.9, 0.1


def decided(html: str, *likelihood: float, url: str | None = None) -> LineDecisions:
    blocks = split(parse(html, url), hidden=True)
    assert len(blocks) == len(likelihood)
    return decide(blocks, np.array(likelihood, dtype=np.float64), 0.5)


def spread(lines: int) -> NDArray[np.float64]:
    """Likelihoods of every size."""
    return np.asarray((np.arange(lines) * 0.37) % 1.0, dtype=np.float64)


def items(count: int, text: str = "an item") -> str:
    return f"<ul>{f'<li>{text}' * count}</ul>"


# A page, how likely its lines are, which are kept (1) or not (0), and the reason of one of them by its number.
Case = tuple[str, list[float], str, int, str]
CASES: dict[str, Case] = {
    "a list is kept whole": (items(4), [YES, YES, NO, YES], "1111", 2, "in a list of 4 items, kept whole (.75)"),
    "a list is dropped whole": (
        f"<p>{LONG}</p>{items(4)}",
        [YES, NO, NO, NO, YES],
        "10000",
        4,
        "in a list of 4 items, dropped whole (.25)",
    ),
    "a list is left to the model if little else is kept": (
        items(4),
        [NO, NO, NO, YES],
        "0001",
        3,
        "likely to be content (.90, .50 needed)",
    ),
    "in between by the mean": (
        items(5),
        [0.6, 0.6, 0.4, 0.4, 0.4],
        "11111",
        4,
        "in a list of 5 items, kept whole (.40)",
    ),
    "in between and unlikely": (
        f"<p>{LONG}</p>{items(5)}",
        [YES, 0.6, 0.6, NO, NO, NO],
        "100000",
        1,
        "in a list of 5 items, dropped whole (.40)",
    ),
    "links are called so": (
        items(2, "<a href=a>a link</a>"),
        [NO, NO],
        "00",
        0,
        "in a list of 2 links, dropped whole (.00)",
    ),
    "from the outside in": (
        f"<ul><li>{LONG}<li>{LONG}{items(2)}</ul>",
        [YES, YES, NO, NO],
        "1111",
        2,
        "in a list of 2 items, kept whole (.96)",
    ),
    "a list amid the article": (
        f"<p>{LONG}</p>{items(3)}<p>{LONG}</p>",
        [YES, 0.2, 0.2, 0.2, YES],
        "11111",
        2,
        "in a list of 3 items amid the article, kept whole (.00)",
    ),
    "links amid the article": (
        f"<p>{LONG}</p>{items(2, '<a href=a>a link</a>')}<p>{LONG}</p>",
        [YES, 0.2, 0.2, YES],
        "1001",
        1,
        "in a list of 2 links, dropped whole (.00)",
    ),
    "a list of long posts is looked into": (
        f"<ul>{f'<li><p>who</p><p>when</p><p>{LONG}</p><p>reply</p>' * 2}</ul>",
        [NO, NO, YES, NO] * 2,
        "00100010",
        2,
        "likely to be content (.90, .50 needed)",
    ),
    "a table with its header": (
        "<table><tr><th>A<th>B<tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6</table>",
        [NO, YES, YES, YES],
        "1111",
        0,
        "in a table of 4 rows, kept whole (.75)",
    ),
    "definitions": (
        "<dl><dt>term<dd>something<dt>term<dd>something</dl>",
        [NO, YES, NO, YES],
        "1111",
        0,
        "in a definition list of 2 definitions, kept whole (.69)",
    ),
    "a label with its value": (
        "<p>Type:</p><p>wood</p>",
        [NO, YES],
        "11",
        0,
        "a label and its value (.10)",
    ),
    "a likely value with its label": ("<p>Type:</p><p>wood</p>", [YES, 0.4], "11", 1, "a label and its value (.40)"),
    "a label without its value": (
        "<p>Type:</p><p>wood</p>",
        [YES, NO],
        "00",
        0,
        "a label whose value was dropped (.90)",
    ),
    "a post amid the article": (
        f"<p>{LONG}</p><blockquote class=twitter-tweet><p>said</p>— who</blockquote><p>{LONG}</p>",
        [YES, NO, NO, YES],
        "1111",
        2,
        "in an embedded post amid the article (.00)",
    ),
    "a post after the article": (
        f"<p>{LONG}</p><blockquote class=twitter-tweet><p>said</p>— who</blockquote>",
        [YES, NO, NO],
        "100",
        1,
        "unlikely to be content (.10, .50 needed)",
    ),
    "a quotation with its author": (
        "<blockquote><p>something said</p><p>who</p></blockquote>",
        [YES, NO],
        "11",
        1,
        "in a quotation amid the article (.81)",
    ),
    "an unlikely caption": (
        f"<p>{LONG}</p>{FIGURE}<p>{LONG}</p>",
        [YES, 0.3, YES],
        "101",
        1,
        "unlikely to be content (.30, .50 needed)",
    ),
    "a caption": (
        f"<p>{LONG}</p>{FIGURE}<p>{LONG}</p>",
        [YES, 0.45, YES],
        "111",
        1,
        "in a figure amid the article (.00)",
    ),
    "captions are kept alike": (
        f"<p>{LONG}</p>{FIGURE}<p>{LONG}</p>{FIGURE}<p>{LONG}</p>{FIGURE}<p>{LONG}</p>{FIGURE}",
        [YES, 0.45, YES, 0.35, YES, 0.25, YES, 0.35],
        "11111010",
        3,
        "in a figure amid the article (.00)",
    ),
    "code": ("<pre><p>a</p><p>b</p></pre>", [YES, NO], "11", 1, "in code of which some was kept (.50)"),
    "a short line": (
        f"<p>{LONG}</p><p>so</p><p>{LONG}</p>",
        [YES, 0.45, YES],
        "111",
        1,
        "a short line between two that were kept (.45)",
    ),
    "a heading with its section": (
        f"<h2>heading</h2><p>{LONG}</p>",
        [0.35, YES],
        "11",
        0,
        "heading of a section that was kept (.35)",
    ),
    "an unlikely heading": (
        f"<h2>heading</h2><p>{LONG}</p>",
        [NO, YES],
        "01",
        0,
        "unlikely to be content (.10, .50 needed)",
    ),
    "the last heading without its section": (
        f"<p>{LONG}</p><h2>heading</h2><p>other</p>",
        [YES, YES, NO],
        "100",
        1,
        "heading of a section that was dropped (.90)",
    ),
    "the headings above it too": (
        f"<p>{LONG}</p><h2>heading</h2><h3>heading</h3><p>other</p>",
        [YES, YES, YES, NO],
        "1000",
        1,
        "heading of a section that was dropped (.90)",
    ),
    "headings alone": ("<h2>heading</h2><p>other</p>", [YES, NO], "10", 0, "likely to be content (.90, .50 needed)"),
    "a heading that is an item": (
        f"<p>{LONG}</p><ul><li><h2>{LONG}</h2><p>x</p><p>x</p><p>x</p></ul>",
        [YES, YES, NO, NO, NO],
        "11000",
        1,
        "likely to be content (.90, .50 needed)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_units_decide(case: str) -> None:
    html, likelihood, kept, line, reason = CASES[case]
    found = decided(html, *likelihood)
    assert "".join(str(int(each)) for each in found.kept) == kept
    assert found.reason(line) == reason


# Several articles

HEADLINE = "A seal closes the pool by the sea"
TEASER = "<article><h3>{}</h3><p>" + LONG + "</p></article>"
OTHERS = TEASER.format("A library of things") + TEASER.format("Rain in the hills")
OWN = f"<article><h1>{HEADLINE}</h1>{f'<p>{LONG}</p>' * 3}</article>"
BODY = f"<h1>{HEADLINE}</h1><article>{f'<p>{LONG}</p>' * 3}</article>"
STORIES: dict[str, tuple[str, str, str]] = {
    "the one with the headline": (OWN + OTHERS, "https://example.org/news/a", "11110000"),
    "after others": (OTHERS + OWN, "https://example.org/news/a", "00001111"),
    "the one after the headline": (BODY + OTHERS, "https://example.org/news/a", "11110000"),
    "on the page of a site": (OWN + OTHERS, "https://example.org/", "11111111"),
    "one other may be a part": (OWN + TEASER.format("More"), "https://example.org/news/a", "111111"),
    "none has the headline": (OTHERS + TEASER.format("Sand"), "https://example.org/news/a", "111111"),
}


@pytest.mark.parametrize("case", STORIES)
def test_the_other_articles_of_a_page_are_dropped(case: str) -> None:
    body, url, kept = STORIES[case]
    found = decided(f"<title>{HEADLINE} | Example</title>{body}", *[YES] * len(kept), url=url)
    assert "".join(str(int(each)) for each in found.kept) == kept
    if "0" in kept:
        assert found.reason(kept.index("0")).startswith("part of another article on the page (")


# Properties


@given(pages)
@examples(60)
def test_every_line_has_a_reason(html: str) -> None:
    blocks = split(parse(html), hidden=True)
    found = decide(blocks, spread(len(blocks)), 0.5)
    assert all(found.reason(line).strip(" ()") for line in range(len(blocks)))


@pytest.mark.parametrize(
    "part", ["<ul><li>a", "<blockquote>a", "<h2>a</h2><div>b", "<dl><dt>a<dd>b", "<p>a:</p><p>b</p>"]
)
def test_the_cost_grows_with_the_page(part: str) -> None:
    made = {size: split(parse(part * size), hidden=True) for size in (4_000, 8_000)}
    likely = {size: spread(len(blocks)) for size, blocks in made.items()}
    assert growth(lambda size: decide(made[size], likely[size], 0.5), 4_000) < 3
