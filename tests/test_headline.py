"""The headline: similarity by hand, the paper's two stages, and a small page for every weakness of its rule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

import pagesieve
from pagesieve.cli.headlines import headline as command
from pagesieve.errors import BadInput
from pagesieve.headlines.headline import (
    RULES,
    WEIGHTS,
    HeadlineOptions,
    find_headline,
    without_headline,
)
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import MAX_FACT_LENGTH
from pagesieve.page.lines import split
from pagesieve.page.stated import address, linked_headlines
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.selection import Reason, Selection
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import squeeze
from tests.nonsense import pages

TEXT = "<p>The harbour wall was built in nine weeks. Stone came by barge from the quarry across the bay.</p>" * 3
PAPER = HeadlineOptions("paper")

# The longest common subsequence and the similarity, worked out by hand.
SIMILARITIES = [
    ("", "", 0.0),
    ("", "abc", 0.0),
    ("abc", "abc", 1.0),
    ("abc", "xyz", 0.0),
    ("abcd", "acbd", 2 * 3 / 8),
    ("kitten", "sitting", 2 * 4 / 13),  # ittn
    ("A wall", "A wall | Post", 2 * 6 / 19),
    ("新闻标题", "新闻标题_新浪新闻", 2 * 4 / 13),
    ("北京今天下雨", "今天北京下雨", 2 * 4 / 12),
    ("标题", "Title", 0.0),
    ("ab", "ba", 2 * 1 / 4),
]


@pytest.mark.parametrize(("a", "b", "expected"), SIMILARITIES)
def test_similarity_by_hand(a: str, b: str, expected: float) -> None:
    assert kernel.page.headline.Pattern(a).similarity(b) == pytest.approx(expected)
    assert kernel.page.headline.Pattern(b).similarity(a) == pytest.approx(expected)


# Of few letters, so that they have much in common; and some that share a slot of a table.
texts = st.text(st.sampled_from("abc0é的\0\x80\u0161\U0001f517"), max_size=300) | st.text(max_size=30)


@given(texts, texts)
def test_similarity_is_that_of_rapidfuzz(a: str, b: str) -> None:
    size = len(a) + len(b)
    expected = 2 * LCSseq.similarity(a, b) / size if size else 0.0
    assert kernel.page.headline.Pattern(a).similarity(b) == expected


@given(st.text(st.characters() | st.sampled_from("aB_9 -ßİςΣ½²٣的ａ"), max_size=20))
def test_the_kernel_squeezes_as_python_does(text: str) -> None:
    assert kernel.page.headline.squeeze(text) == squeeze(text)


ADDRESSES = [
    "https://www.bay-post.example/2024/a-wall-by-the-sea.html",
    "http://Post.Example:8080/city/a_wall_by.the?page=a-b-c-d-e#x",
    "https://user:word@www.post.co.example/a-b/wall-sea/pier-of-stone",
    "https://post.example",
    "https://post.example?a-wall-by-the-sea",
    "https://post.example/a%20wall%2fby/1-2-3/the/",
    "https://post.example/стена-у-моря/x",
    "https://bücher.example/a-wall by-the-sea/",
    " \thttps://post.example/a-wall\n-by/of-stone",
    "https://[::1]/a-wall/by",
    "https://[::/a-wall/by",
    "//post.example/a-wall-by",
    "HTTPS://POST.EXAMPLE/A-WALL-BY",
    "https:///a-wall-by",
    "",
]


def host_and_slug(url: str) -> tuple[str, str]:
    """The rule, said slowly."""
    parts = split_url(url)
    host = (parts.hostname or "").removeprefix("www.").rpartition(".")[0]
    found = [
        (len(re.findall(r"[^\W\d_]{2,}", part)), part) for part in unquote(parts.path[:MAX_FACT_LENGTH]).split("/")
    ]
    words, slug = max(found, key=lambda pair: pair[0])
    return host, slug.rpartition(".")[0] or slug if words > 1 else ""


@pytest.mark.parametrize("url", ADDRESSES)
def test_host_and_slug(url: str) -> None:
    assert kernel.page.headline.host_and_slug(url) == host_and_slug(url)


@given(st.text(st.sampled_from("htps:/w.a1-_%20?#@[]é\t "), max_size=30))
def test_host_and_slug_of_any_address(url: str) -> None:
    for whole in (url, f"https://{url}", f"https://a.example/{url}"):
        assert kernel.page.headline.host_and_slug(whole) == host_and_slug(whole)


# The paper's rule

PAPER_PAGES = [
    ("<title>A wall by the sea | Post</title><h1>Post</h1><h2>A wall by the sea</h2>", (), "A wall by the sea"),
    ("<title>A wall by the sea</title><h1>Sport</h1>", ("A wall by the sea", "A wall"), "A wall by the sea"),
    ("<title></title><h1>The Post</h1><h3>A wall by the sea</h3>", ("A wall by a sea",), "A wall by a sea"),
    ("<h1>The Post</h1><h3>A wall</h3>", (), "The Post"),  # nothing to compare with: the first
    ("<title>A wall</title>", (), ""),  # <title> itself is no candidate
    ("", ("A wall",), "A wall"),
]


@pytest.mark.parametrize(("html", "external", "expected"), PAPER_PAGES)
def test_the_papers_rule(html: str, external: tuple[str, ...], expected: str) -> None:
    assert find_headline(parse(html), external, PAPER) == expected


CATALOGUES = {"en": ("en/index.html", "en/world/index.html"), "zh": ("zh/index.html", "zh/shehui/index.html")}


@pytest.mark.parametrize("rule", RULES)
def test_the_two_stages_on_the_example_site(
    rule: str, site: Path, gold: list[dict[str, Any]], articles: dict[str, bytes]
) -> None:
    named = 0
    for answer in gold:
        for name in CATALOGUES.get(answer["lang"], ()):
            # The front page of a site lies above its other pages.
            address = f"https://{answer['site']}/{name.partition('/')[2]}"
            external = pagesieve.catalogue((site / name).read_bytes(), address).titles(answer["url"])
            named += len(external) > 1
            page = parse(articles[answer["id"]], answer["url"])
            if rule == "paper" and answer["title"] not in external:
                continue  # not every page has a heading that is the headline
            assert find_headline(page, external, HeadlineOptions(rule)) == answer["title"]
    assert named > 10  # one URL, several external titles


# The default, where the paper's rule is weak

NAVIGATION = "<nav><a href=/>Home</a> <a href=/sport>Sport</a></nav>"
RELATED = "<aside><h3><a href=/1>A pier by the sea</a></h3><h3><a href=/2>A wall by the lake</a></h3></aside>"
SITE_NAME = "<meta property=og:site_name content='The Bay Post'>"
LINKED_DATA = '<script type="application/ld+json">%s</script>'

WEAKNESSES = {
    "no heading at all": f"<title>A wall by the sea | The Bay Post</title><div>A wall by the sea</div>{TEXT}",
    "no heading, a prefix": f"<title>The Post : A wall by the sea</title><b>A wall by the sea</b>{TEXT}",
    "no heading, three parts": f"<title>A wall by the sea_City_The Bay Post</title><td>A wall by the sea</td>{TEXT}",
    "wide signs": f"<title>A wall by the sea｜City｜Bay Post</title><td>A wall by the sea</td>{TEXT}",
    "h1 is the site's name": (
        f"<title>A wall by the sea | The Bay Post</title>{SITE_NAME}"
        f"<h1><a href=/>The Bay Post</a></h1><div>A wall by the sea</div>{TEXT}"
    ),
    "h1 is the site's name, the headline an h3": (
        f"<title>A wall by the sea - The Post</title><h1>The Post</h1><h3>A wall by the sea</h3>{TEXT}"
    ),
    "h1 is the section": f"<title>A wall by the sea | City</title><h1>City</h1><h2>A wall by the sea</h2>{TEXT}",
    "headings in a related list": f"<title>A wall by the sea</title><h1>A wall by the sea</h1>{TEXT}{RELATED}",
    "related headings only": f"<title>A wall by the sea | Post</title><p>A wall by the sea</p>{TEXT}{RELATED}",
    "a hidden heading": f"<title>A wall by the sea</title><h1 hidden>Menu</h1><h2>A wall by the sea</h2>{TEXT}",
    "a hidden part": f"<title>A wall by the sea</title><h1>A wall by the sea<span hidden> (menu)</span></h1>{TEXT}",
    "a label in the heading": (
        f"<title>A wall by the sea</title><h1><span>Opinion</span> <b>A wall by the sea</b></h1>{TEXT}"
    ),
    "og:title only": f"<meta property=og:title content='A wall by the sea'>{NAVIGATION}{TEXT}",
    "twitter:title only": f"<meta name=twitter:title content='A wall by the sea'>{NAVIGATION}{TEXT}",
    "JSON-LD only": f"{LINKED_DATA % json.dumps({'headline': 'A wall by the sea'})}{NAVIGATION}{TEXT}",
    "escaped twice": f"<meta property=og:title content='A wall by the&amp;#32;sea'>{NAVIGATION}{TEXT}",
    "microdata": f"<title>The Post</title><div itemprop=headline>A wall by the sea</div>{TEXT}",
    "the title says it otherwise": f"<title>Bay: new wall</title><h1>A wall by the sea</h1>{TEXT}",
    "lines in the heading": f"<title>A wall by the sea</title><h1>A wall<br>by the sea</h1>{TEXT}",
    "case and signs differ": f"<title>“a WALL” by the sea!</title><h1>A wall by the sea</h1>{TEXT}",
    "a permalink after it": (
        f"<title>A wall by the sea - docs</title><h1>A wall by the sea<a href=#wall>¶</a></h1>{TEXT}"
    ),
    "a permalink before it": f"<title>Docs</title><h1><a href=/page#wall> # </a>A wall by the sea</h1>{TEXT}",
    "only <title>": "<title>A wall by the sea</title>",
    "only an h1": f"<h1>A wall by the sea</h1>{TEXT}",
}


@pytest.mark.parametrize("name", WEAKNESSES)
def test_where_the_papers_rule_is_weak(name: str) -> None:
    assert pagesieve.headline(WEAKNESSES[name]) == "A wall by the sea"


def test_a_sign_that_is_no_permalink_is_part_of_the_headline() -> None:
    assert pagesieve.headline(f"<title>Docs</title><h1>Walls in C#</h1>{TEXT}") == "Walls in C#"
    assert pagesieve.headline(f"<title>Docs</title><h1>Walls in <a href=/cs>C#</a></h1>{TEXT}") == "Walls in C#"


@pytest.mark.parametrize("heading", ["A wall by the sea<a href=#wall>¶</a>", "<a href=#wall>#</a>A wall by the sea"])
def test_a_headline_with_a_permalink_is_not_repeated_in_the_body(heading: str) -> None:
    found = pagesieve.article(f"<title>A wall by the sea</title><main><h1>{heading}</h1>{TEXT}</main>")
    assert found.title == "A wall by the sea"
    assert "wall by the sea" not in found.text.splitlines()[0]


CHINESE = "<p>潮水退到最远的时候，滩涂有四公里宽。他一脚深一脚浅地往外走，肩上挑着两只筐。</p>" * 4


def test_a_language_without_blanks() -> None:
    html = f"<title>渔民老邱和他救下的鹬_社会_云泽新闻网</title><div class=t>渔民老邱和他救下的鹬</div>{CHINESE}"
    assert pagesieve.headline(html) == "渔民老邱和他救下的鹬"


def test_the_address_is_a_witness() -> None:
    html = f"<title>The Bay Post</title><h2>A pier by the sea</h2><h2>A wall by the sea</h2>{TEXT}"
    assert pagesieve.headline(html, "https://post.example/2024/a-wall-by-the-sea.html") == "A wall by the sea"
    assert pagesieve.headline(html, "https://post.example/2024/a-pier-by-the-sea.html") == "A pier by the sea"


EXTERNAL = [
    (f"<h1>The Bay Post</h1><div>A wall by the sea</div>{TEXT}", ("A wall by the sea", "Picture"), "A wall by the sea"),
    (
        f"<title>Post</title><h2>A pier</h2><h2>A wall by the sea</h2>{TEXT}",
        ("A wall by the s...",),
        "A wall by the sea",
    ),
    (f"<h1>The Bay Post</h1>{TEXT}", ("A wall by the sea",), "A wall by the sea"),  # nothing in the page is like it
    (f"<title>Iran | State</title><h1>Iran</h1>{TEXT}", ("Iran Overview",), "Iran"),  # the page knows better
    ("", ("A wall\n  by the sea",), "A wall by the sea"),
    ("", ("", "  "), ""),
]


@pytest.mark.parametrize(("html", "external", "expected"), EXTERNAL)
def test_external_titles_are_witnesses(html: str, external: tuple[str, ...], expected: str) -> None:
    assert pagesieve.headline(html, external=external) == expected


def test_an_article_takes_external_titles() -> None:
    html = f"<title>Post</title><h2>A pier by the sea</h2><h2>A wall by the sea</h2>{TEXT}"
    assert pagesieve.article(html, external=["A wall by the sea"]).title == "A wall by the sea"
    for wrong in ("A wall", [1]):
        with pytest.raises(BadInput, match="external"):
            pagesieve.article(html, external=wrong)  # type: ignore[arg-type]


def test_an_empty_page_has_no_headline() -> None:
    for html in ("", " ", "<p></p>", "<title> </title>", "<h1></h1>", "<script>x</script>"):
        assert pagesieve.headline(html) == ""


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("A wall", []),
        ("A twenty-one: wall", []),
        ("A | B", ["A", "B"]),
        ("A - B_C", ["A", "B", "C", "A - B", "B_C"]),
        ("A | ", ["A"]),
        ("| | |", []),
    ],
)
def test_parts_of_a_title(title: str, parts: list[str]) -> None:
    assert kernel.page.headline.parts(title, kernel.page.stated.partings(title)) == parts


HEADINGS = {
    "<h1>other</h1>": {"other": 0},
    "<h2>A wall</h2>": {"A wall": 0},
    "<h2>A\u00a0\u201cwall\u201d \u2013</h2>": {"A\u00a0\u201cwall\u201d \u2013": 0},
    "<h2>other</h2>": {},
    "<h2>öther</h2>": {},
    "<h2>!</h2>": {},
    "<h2>A wäll of stone</h2>": {"A wäll of stone": 0},
    f"<h2>{'a' * 300}</h2>": {},
    f"<h1>{'a' * 1300}</h1>": {},
    "<h1></h1>": {},
    "<h1 hidden>A wall</h1>": {},
    "<h2>A <i>wall</i><b hidden>of</b></h2>": {"A wall": 0},
    "<h2>A wall</h2><h3>other</h3><h2>other</h2>": {"A wall": 1},
    "<h2>A wall</h2><div><h2>of stone</h2></div>": {"A wall": 0, "of stone": 0},
}


@pytest.mark.parametrize("html", HEADINGS, ids=lambda html: html[:40])
def test_headings_that_may_be_the_headline(html: str) -> None:
    page = parse(f"<title>A wall of stone</title>{html}")
    found = kernel.page.headline.candidates(page, kernel.page.headline.witnesses_of(page, (), address(page) or ""))
    assert {one.text: one.alike for one in found if one.level} == HEADINGS[html]


def test_of_many_headings_the_first_count() -> None:
    page = parse("<title>A wall by the sea</title>" + "<h2 hidden>x</h2><h2>z</h2>" * 50 + "<h1>A wall by the sea</h1>")
    found = kernel.page.headline.candidates(page, kernel.page.headline.witnesses_of(page, (), address(page) or ""))
    assert [(one.text, one.level) for one in found] == [("A wall by the sea", 0)]


# Lines that have a word of the title: the first texts with it count, whether they are visible or not.
PIER = "<title>The pier - Post</title>"
LINES = {
    "<p>The new pier</p>": True,
    f"<p>The new <b>pi</b>er</p><p>A pier{' of stone' * 9}</p>": True,
    "<p>The new <b>pi</b>er</p>": False,  # where the word is not whole in any text
    "<p>The new Pier</p>": False,
    "<p hidden>The new pier</p>": False,
    "<script>pier</script>" * 10 + "<p>The new pier</p>": True,
    "<script>pier</script>" * 11 + "<p>The new pier</p>": False,
    f"<script>{'x' * 5000}pier</script>" * 10 + "<p>The new pier</p>": True,
    f"<script>{'x' * 5000}pier</script>" * 11 + "<p>The new pier</p>": False,
    f"<script>{'x' * 5000}</script>" * 30 + "<p>The new pier</p>": True,
    f"<script>{'x' * 5000}</script><script>{'x' * 600}pier</script>" * 11 + "<p>The new pier</p>": False,
    f"<script>{'x' * 5000}pier</script><script>{'x' * 600}</script>" * 11 + "<p>The new pier</p>": False,
    f"<script>{'x' * 5000}pier</script><script>{'x' * 600}</script>" * 10 + "<p>The new pier</p>": True,
}


@pytest.mark.parametrize("html", LINES, ids=lambda html: f"{html[:30]} {len(html)}")
def test_lines_that_may_be_the_headline(html: str) -> None:
    page = parse(PIER + html)
    found = kernel.page.headline.candidates(page, kernel.page.headline.witnesses_of(page, (), address(page) or ""))
    assert any(one.text == "The new pier" for one in found) == LINES[html]


def selected(page: Page) -> Selection:
    """All that is seen of a page."""
    return Selection(split(page), page.chars > 0, page.chars < 0, lambda _: Reason("seen", "article"))


REPEATS = {
    "<h1>A wall by the sea</h1>": True,
    "<p>A wall by the sea</p>": True,
    "<p>A wall</p><p>by the</p><p>sea</p>": True,
    "<p>A wa​ll <b>by the</b> sea</p>": True,
    "<p>A wall by the</p>": False,
    "<p>A wall by the seas</p>": False,
    "<p>a wall by the sea</p>": False,
    f"{TEXT}<p>A wall by the sea</p>": False,  # after what is longer
    f"{TEXT}<h2>A wall by the sea</h2>": True,
    f"{TEXT}<h2>A wall <i>by the</i> sea #</h2>": True,
}


@pytest.mark.parametrize("html", REPEATS, ids=lambda html: html[-40:])
def test_lines_that_repeat_the_headline(html: str) -> None:
    title = "A wall by the sea"
    selection = selected(parse(f"<title>{title}</title><main>{html}{TEXT}</main>"))
    dropped = {decision.text for decision in selection.decisions() if decision.kept} - {
        decision.text for decision in without_headline(selection, title).decisions() if decision.kept
    }
    assert bool(dropped) == REPEATS[html]


def test_an_article_that_is_only_its_headline_stays() -> None:
    selection = selected(parse("<h1>A wall</h1>"))
    assert without_headline(selection, "A wall") is selection
    assert without_headline(selection, "") is selection


def test_without_a_title_every_heading_may_be_the_headline() -> None:
    assert pagesieve.headline("<h2>A wall by the sea</h2>") == "A wall by the sea"


# Whatever the page


def _linked(source: str) -> list[str]:
    return linked_headlines(parse(LINKED_DATA % source))


HOSTILE = {
    "[" * 100_000 + '"headline":"x"': ["x"],
    '{"a":' * 50_000: [],
    '{"headline": 5}': [],
    '{"headline": NaN}': [],
    '{"headline": null, "headline": "x"}': [],
    '{"headline": ["x"]}': [],
    '{"headline": {"headline": "x"}}': [],
    '{"headline": "\\ud800 x"}': ["? x"],
    '{"headline": "\\u00zz"}': [],
    '{"headline": "' + "x" * 2_000_000: [],
    '{"headline": "' + "\\" * 20_001 + '"}': [],
    '{"headline": "' + "x" * (MAX_FACT_LENGTH + 1) + '"}': [],
    '{"headline": "a\nb"}': ["a b"],
    '{"headline" : "A &quot;wall&quot;", }': ['A "wall"'],
}


@pytest.mark.parametrize("source", HOSTILE, ids=lambda source: source[:30])
def test_hostile_linked_data(source: str) -> None:
    assert _linked(source) == HOSTILE[source]
    assert isinstance(pagesieve.headline(LINKED_DATA % source), str)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["headline", "name"]), inner),
    max_leaves=12,
)


@given(pages, st.lists(st.text(max_size=40), max_size=3), st.sampled_from(RULES), json_values, st.text(max_size=30))
def test_never_raises(html: str, external: list[str], rule: str, linked: Any, url: str) -> None:
    whole = html + LINKED_DATA % json.dumps(linked)
    found = find_headline(parse(whole, f"https://a.example/{url}"), external, HeadlineOptions(rule))
    assert len(found) <= MAX_FACT_LENGTH
    assert found == " ".join(found.split())
    found.encode()


@pytest.mark.parametrize("rule", RULES)
def test_long_things(rule: str) -> None:
    for html in (
        f"<title>{'wall | ' * 50_000}</title><h1>{'wall ' * 50_000}</h1>",
        "<h1>" * 300 + "wall",
        "<h2>wall</h2>" * 20_000,
        "<title>wall</title>" + "<b>wall</b>" * 20_000,
        "<title>wall</title>" + "<b>" * 400 + "wall",
    ):
        assert len(find_headline(parse(html), ["wall" * 1000] * 1000, HeadlineOptions(rule))) <= MAX_FACT_LENGTH


def test_every_sign_has_a_weight() -> None:
    assert all(isinstance(weight, float) for weight in WEIGHTS.values())
    page = parse("<h1>A wall</h1><h2>by the sea</h2>")
    witnesses = kernel.page.headline.witnesses_of(page, (), address(page) or "")
    found = kernel.page.headline.candidates(page, witnesses)
    assert {len(signs) for signs in kernel.page.headline.signs(page, witnesses, found)} == {len(WEIGHTS)}
    with pytest.raises(ValueError, match="weights"):
        kernel.page.headline.best(page, witnesses, (1.0,))


# The command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    html = f"<title>Post</title><h2>A pier by the sea</h2><h2>A wall by the sea</h2>{TEXT}"
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    (tmp_path / "empty.html").write_text("<p></p>", encoding="utf-8")
    links = "".join(f"<li><a href=city/{n}.html>A {n} by the sea</a>" for n in ("wall", "mole", "quay"))
    (tmp_path / "index.html").write_text(f"<ul>{links}</ul>", encoding="utf-8")
    return tmp_path


def _run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    return result.return_value, result.stdout, result.stderr


def test_the_command_with_a_catalogue(folder: Path) -> None:
    address = ("--url", "https://post.example/city/wall.html")
    status, out, _ = _run(folder / "page.html", *address, "--catalogue", folder / "index.html", "-f", "json")
    facts = json.loads(out)
    assert (status, facts["headline"], facts["external"]) == (0, "A wall by the sea", ["A wall by the sea"])


def test_the_command_says_what_is_wrong(folder: Path) -> None:
    assert _run(folder / "empty.html")[0] == 1
    status, _, err = _run(folder / "page.html", "--catalogue", folder / "index.html")
    assert (status, "--url" in err) == (2, True)
    status, out, err = _run(
        folder / "page.html", "--url", "https://post.example/x", "--catalogue", folder / "index.html"
    )
    assert (status, bool(out), "no catalogue page links to" in err) == (0, True, True)
    assert _run(folder / "page.html", "--url", "http://[", "--catalogue", folder / "index.html")[0] == 2


def test_several_sources_are_named(folder: Path) -> None:
    status, out, _ = _run(folder / "page.html", folder / "empty.html", "--rule", "paper")
    assert (status, out.count("\t")) == (0, 1)
