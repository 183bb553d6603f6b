"""Layout similarity: the golden cases of the method, its guards, and the command line around it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pagesieve
from pagesieve.methods.layout import PAPER, LayoutOptions, in_blocks_of_links, layout
from pagesieve.page.table import Page
from pagesieve.sites.outlines import EXACT, OutlineOptions, outline, outlined

SITE = Path(__file__).parent.parent / "examples" / "site"
GOLD = [json.loads(line) for line in (SITE.parent / "gold.jsonl").read_text("utf-8").splitlines()]
ALL = LayoutOptions(least_alike=0.0, most_alike=1.0, odd=0.0, amid=2.0, short_edge=0, date_edge=0, refine=False)


def left(target: str, *references: str, options: LayoutOptions = ALL) -> str:
    """The texts that are left of a body when those of the references are gone."""
    page = pagesieve.parse(f"<body>{target}</body>")
    selection = layout(page, [pagesieve.parse(f"<body>{reference}</body>") for reference in references], options)
    return " ".join(page.text(int(row)) for row in np.flatnonzero(selection.rows))


def rows_named(page: Page, options: OutlineOptions = OutlineOptions()) -> list[str]:
    return [page.tag_name(int(row)) for row in outlined(page, options).rows]


# Preprocessing

DELETED = [
    "<script>x</script>",
    "<noscript>x</noscript>",
    "<style>x</style>",
    "<form><p>x</p></form>",
    "<fieldset>x</fieldset>",
    "<select><option>x</select>",
    "<textarea>x</textarea>",
    "<button>x</button>",
    "<label>x</label>",
    "<menu>x</menu>",
    "<object>x</object>",
    "<p style='display:none'>x</p>",
    "<p style='Visibility : HIDDEN'>x</p>",
    "<!--x-->",
    "<div></div>",
    "<div><span> </span></div>",
    "<p></p>",
    "<img src=x><br>",
]


@pytest.mark.parametrize("deleted", DELETED)
def test_what_is_deleted_before_pages_are_compared(deleted: str) -> None:
    assert rows_named(pagesieve.parse(f"<body>{deleted}<b>kept</b></body>")) == ["b", "#text"]


def test_pictures_and_breaks_can_be_nodes() -> None:
    page = pagesieve.parse("<body><p>x<br><img src=a></p></body>")
    assert rows_named(page, OutlineOptions(keep_images=True)) == ["p", "#text", "br", "img"]


# Node pairs: identical, quasi-identical, different

PAIRS = [
    ('<p class=a id="b">x</p>', "<p id=b class=a>x</p>", True),
    ("<p>x<i>y</i></p>", "<p>x<i>y</i></p>", True),
    ("<p class=a>x</p>", "<p class=b>x</p>", False),
    ("<p class=a>x</p>", "<p class=a title=c>x</p>", False),
    ("<p class=a>x</p>", "<p class=a>y</p>", False),  # quasi-identical: tag and attributes only
    ("<p>x<i>y</i></p>", "<p>x<b>y</b></p>", False),
    ("<p>x</p>", "<div>x</div>", False),
]


@pytest.mark.parametrize(("one", "two", "identical"), PAIRS)
def test_identical_nodes_as_the_paper_has_them(one: str, two: str, identical: bool) -> None:
    first, second = (outline(pagesieve.parse(f"<body>{html}</body>"), EXACT) for html in (one, two))
    assert (first.digests[0] == second.digests[0]) == identical


@pytest.mark.parametrize("other", ["<p id=t-4711>Read 12 times</p>", "<p data-token=x9>Read 345 times</p>"])
def test_what_differs_on_every_page_does_not_count_by_default(other: str) -> None:
    assert left("<p id=t-1>Read 7 times</p><p>The article.</p>", other) == "The article."
    assert "Read 7 times" in left(
        "<p id=t-1>Read 7 times</p><p>The article.</p>", other, options=LayoutOptions(**_fields(PAPER))
    )


def _fields(options: LayoutOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in LayoutOptions.__dataclass_fields__}


def test_a_text_of_digits_alone_is_not_any_other() -> None:
    assert left("<p>1234</p><p>The article.</p>", "<p>5678</p>") == "1234 The article."


# Deleting identical nodes

MULTISETS = [
    # (target, reference, what is left)
    ("<p>a</p><p>b</p>", "<p>a</p>", "b"),
    ("<p>a</p><p>a</p><p>b</p>", "<p>a</p>", "a b"),  # twice here, once there: one copy goes
    ("<p>a</p><p>a</p><p>b</p>", "<p>a</p><p>a</p>", "b"),
    ("<div><p>a</p><p>b</p></div>", "<div><p>a</p><p>c</p></div>", "b"),  # not identical: its children are tried
    # The block as a whole is a hit and takes its paragraph out of the reference, so the lone one stays.
    ("<p>a</p><div><p>a</p><p>x</p></div><p>b</p>", "<div><p>a</p><p>x</p></div>", "a b"),
    ("<p>b</p>", "<p>a</p>", "b"),
]


@pytest.mark.parametrize(("target", "reference", "rest"), MULTISETS)
def test_a_hit_is_used_up(target: str, reference: str, rest: str) -> None:
    assert left(target, reference) == rest


def test_of_several_references_any_may_have_a_short_text() -> None:
    assert left("<p>a</p><p>b</p><p>c</p>", "<p>a</p>", "<p>b</p>") == "c"


def test_a_long_text_takes_two_references() -> None:
    long = "word " * 40
    assert left(f"<p>{long}</p><p>c</p>", f"<p>{long}</p>", "<p>z</p>").startswith("word")
    assert left(f"<p>{long}</p><p>c</p>", f"<p>{long}</p>", f"<p>{long}</p>") == "c"
    assert left(f"<p>{long}</p><p>c</p>", f"<p>{long}</p>") == "c"


# Purifying

LINKS = [
    # (html, what is left) with a density of 0.3
    ("<p>A long text about many things <a href=/x>link</a></p>", "A long text about many things  link"),
    ("<div><p>text</p></div><div>short <a href=/x>link</a></div>", "text"),  # rule 1: 4 of 9 characters
    ("<div>text</div><ul><li><a href=/1>one</a><li><a href=/2>two</a></ul>", "text"),
    ("<div>text</div><div><a href=/1>one</a> | <a href=/2>two</a> [<a href=/3>three</a>]</div>", "text"),  # rule 2
    ("<div>text</div><div><span><a href=/1>one</a></span> - <b><a href=/2>two</a></b></div>", "text"),
    ("<div>text</div><p><a name=top>anchor</a></p>", "text anchor"),  # an anchor is no link
]


@pytest.mark.parametrize(("html", "rest"), LINKS)
def test_both_rules_about_links(html: str, rest: str) -> None:
    assert left(html, "<p>other</p>").split() == rest.split()


def test_the_density_of_a_links_parent_decides() -> None:
    page = pagesieve.parse("<body><p>abcdefg<a href=/>hij</a></p></body>")  # 3 of 10 characters
    for density, goes in ((0.25, True), (0.3, False)):
        marked = in_blocks_of_links(page, page.chars, LayoutOptions(link_density=density))
        assert bool(marked[page.rows("p")[0]]) == goes


def test_a_paragraph_with_much_text_of_its_own_is_spared() -> None:
    html = f"<p>{'text ' * 30}<a href=/>{'link ' * 30}</a></p>"
    assert "text" in left(html, "<p>other</p>")
    with pytest.raises(pagesieve.NotASibling):
        left(html, "<p>other</p>", options=LayoutOptions(**{**_fields(ALL), "spared": 10**9}))


def test_refinement_keeps_the_richest_stretch() -> None:
    body = "<p>" + "</p><p>".join(f"Sentence {name} of the article, which is quite long." for name in "abcdef") + "</p>"
    noise = "<p>x</p>" * 30 + "<p>A stray remark.</p>"
    refined = LayoutOptions(**{**_fields(ALL), "refine": True})
    assert "stray" in left(body + noise, "<p>other</p>")
    assert "stray" not in left(body + noise, "<p>other</p>", options=refined)


def test_short_lines_and_dates_go_from_the_ends() -> None:
    edges = LayoutOptions(least_alike=0.0, most_alike=1.0)
    article = "A paragraph of the article that is long enough to be one."
    html = (
        f"<p>By A. B.</p><p>Monday, 2024-05-13 at 10:04 in town</p><p>{article}</p><p>x</p><p>{article}</p><p>(ab)</p>"
    )
    assert left(html, "<p>other</p>", options=edges) == f"{article} x {article}"


def test_what_a_site_says_in_every_article_is_said() -> None:
    article = "".join(f"<p>Paragraph {name} of this article says something new about it.</p>" for name in "abcdefgh")
    notice = f"<p>{'This notice stands below every article of the site. ' * 3}</p>"
    amid = LayoutOptions(least_alike=0.0, most_alike=1.0)
    assert "notice" in left(f"<div>{article}{notice}</div>", f"<div><p>q</p>{notice}</div>", options=amid)
    assert "notice" not in left(f"<div>{article}</div><footer>{notice}</footer>", f"<div>{notice}</div>", options=amid)


# Guards


def example(name: str) -> bytes:
    return (SITE / name).read_bytes()


ENGLISH = [row["id"] for row in GOLD if row["lang"] == "en"]
CHINESE = [row["id"] for row in GOLD if row["lang"].startswith("zh")]


def test_a_reference_of_another_site_is_refused() -> None:
    with pytest.raises(pagesieve.NotASibling, match="no sibling"):
        pagesieve.article(example(ENGLISH[0]), method="layout", reference=example(CHINESE[0]))


def test_the_same_page_is_no_reference() -> None:
    with pytest.raises(pagesieve.NotASibling, match="same article"):
        pagesieve.article(example(ENGLISH[0]), method="layout", reference=example(ENGLISH[0]))


@pytest.mark.parametrize("empty", ["", "<html></html>", "<body><script>x</script></body>"])
def test_an_empty_reference_is_refused(empty: str) -> None:
    with pytest.raises(pagesieve.NotASibling, match="no sibling"):
        pagesieve.article(example(ENGLISH[0]), method="layout", reference=empty)


def test_an_empty_page_has_nothing() -> None:
    with pytest.raises(pagesieve.NothingFound):
        pagesieve.article("<p></p>", method="layout", reference=example(ENGLISH[0]))


def test_without_any_reference_the_error_says_what_to_give() -> None:
    for extract in (pagesieve.article, pagesieve.extract):
        with pytest.raises(pagesieve.BadOption, match="a reference, which is another page of the site, or"):
            extract(example(ENGLISH[0]), method="layout")


def test_a_second_copy_among_several_references_is_passed_over() -> None:
    page = example(ENGLISH[0])
    found = pagesieve.article(page, method="layout", reference=[page, *map(example, ENGLISH[1:4])])
    assert len(found.text) > 500


# The example site


@pytest.mark.parametrize("names", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_the_example_articles_are_found_with_one_reference(names: list[str]) -> None:
    gold = {row["id"]: row for row in GOLD}
    recalls = []
    for name, other in zip(names, names[1:] + names[:1], strict=True):
        found = pagesieve.article(example(name), method="layout", reference=example(other))
        assert found.method == "layout"
        words = [word for word in gold[name]["text"].split() if len(word) > 3]
        recalls.append(sum(word in found.text for word in words) / len(words))
    assert np.mean(recalls) >= 0.97


def test_every_block_has_a_reason() -> None:
    found = pagesieve.article(example(ENGLISH[0]), method="layout", reference=example(ENGLISH[1]))
    reasons = {decision.reason for decision in found.decisions}
    assert "not in the reference page" in reasons
    assert "template: stands in the reference page too" in reasons
    assert all(reasons)


def test_a_library_gives_the_references(tmp_path: Path) -> None:
    gold = {row["id"]: row for row in GOLD}
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        assert sites.learn((gold[name]["url"], example(name)) for name in ENGLISH) == len(ENGLISH)
        for name in ENGLISH:
            found = pagesieve.article(example(name), url=gold[name]["url"], method="layout", sites=sites)
            assert found.method == "layout"
        with pytest.raises(pagesieve.NothingFound):
            pagesieve.article(example(CHINESE[0]), url="https://other.example.org/x", method="layout", sites=sites)
