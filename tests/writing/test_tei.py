"""TEI: valid by the official schema, whatever the page; and what is written of what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.writing import Header, WriterOptions, build, write_tei, write_text
from tests.test_cli import LONG
from tests.writing.helpers import CASES, EVERYTHING, URL, read_cases, selected
from tests.writing.test_writer_properties import soups

etree = pytest.importorskip("lxml.etree")

SCHEMA = etree.RelaxNG(etree.parse(str(Path(__file__).parent / "tei_lite.rng")))
HEADER = Header(title="A title")


def written(source: str, header: Header = HEADER, options: WriterOptions = EVERYTHING) -> str:
    page = pagesieve.parse(source, URL)
    tei = write_tei([build(page, selected(page), options)], header)
    check_valid(tei)
    return tei


def check_valid(tei: str) -> None:
    SCHEMA.assertValid(etree.fromstring(tei.encode()))


def body(source: str) -> str:
    return written(source).partition("<body>\n")[2].partition("\n</body>")[0]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a &lt; b</p>", "<p>a &lt; b</p>"),
        ("", "<p/>"),
        (
            "<p>a<br>b <b>c</b> <i>d</i> <s>e</s></p>",
            '<p>a<lb/>b <hi rend="bold">c</hi> <hi rend="italic">d</hi> <hi rend="strikethrough">e</hi></p>',
        ),
        (
            "<p>x<sup>2</sup> <q>y</q> <code>z</code></p>",
            '<p>x<hi rend="superscript">2</hi> <q>y</q> <code>z</code></p>',
        ),
        (
            "<p>a</p><h2>b</h2><p>c</p><h3>d</h3><p>e</p><h2>f</h2><p>g</p>",
            "<p>a</p>\n<div>\n<head>b</head>\n<p>c</p>\n<div>\n<head>d</head>\n<p>e</p>\n</div>\n</div>\n"
            "<div>\n<head>f</head>\n<p>g</p>\n</div>",
        ),
        ("<ul><li>a<li>b</ul>", '<list rend="bulleted">\n<item>a</item>\n<item>b</item>\n</list>'),
        ("<ol start=3><li>a</ol>", '<list rend="numbered">\n<item n="3">a</item>\n</list>'),
        (
            "<dl><dt>a<dt>b<dd>c<dd>d<dt>e</dl>",
            '<list type="gloss">\n<label>a<lb/>b</label><item>cd</item>\n<label>e</label><item></item>\n</list>',
        ),
        ("<blockquote><h3>a</h3><p>b</p></blockquote>", '<q rend="block">\n<p rend="heading">a</p>\n<p>b</p>\n</q>'),
        (
            "<table><caption>t</caption><tr><th>a<th>b<tr><td colspan=2>c</table>",
            '<table>\n<head>t</head>\n<row><cell role="label">a</cell><cell role="label">b</cell></row>\n'
            '<row><cell cols="2">c</cell></row>\n</table>',
        ),
        ("<pre><code class=language-python>a &lt; 1\n  b</code></pre>", '<eg rend="python">a &lt; 1\n  b</eg>'),
        ("<p>a</p><hr><p>b</p>", '<p>a</p>\n<milestone unit="section" rend="rule"/>\n<p>b</p>'),
        (
            "<p><a href='x y?a=1&b=2#c'>d</a> e</p>",
            '<p><ref target="https://example.org/dir/x%20y?a=1&amp;b=2#c">d</ref> e</p>',
        ),
        (
            "<p>a <img src=b.png alt='c &amp; d'></p>",
            '<p>a <figure><graphic url="https://example.org/dir/b.png"/><figDesc>c &amp; d</figDesc></figure></p>',
        ),
    ],
)
def test_blocks(source: str, expected: str) -> None:
    assert body(source) == expected


@pytest.mark.parametrize("path", sorted(CASES.glob("*.txt")), ids=lambda path: path.stem)
def test_every_case_of_the_other_writers_is_valid(path: Path) -> None:
    for case in read_cases(path):
        written(case.source)


@given(soups())
def test_any_page_is_valid_and_has_all_words(soup: str) -> None:
    page = pagesieve.parse(soup, URL)
    document = build(page, selected(page), WriterOptions())
    tei = write_tei([document], HEADER)
    check_valid(tei)
    shown = " ".join(etree.fromstring(tei.encode()).find(".//{*}body").itertext())
    assert signs(shown) == signs(re.sub(r"(?m)^ *(?:[-•]|\d+\.) ", "", write_text(document)))


def signs(text: str) -> str:
    """The letters of a text."""
    return "".join(character for character in text if character.isalpha())


FACTS = st.text(max_size=40)


@given(
    st.builds(
        Header,
        title=FACTS,
        authors=st.lists(FACTS, max_size=3).map(tuple),
        publisher=st.none() | FACTS,
        published=st.none() | st.sampled_from(("2024-05-01", "2024-05-01T10:00", "2024-05-01T10:00:00+02:00", "May")),
        url=st.none() | st.text(max_size=30).map("https://example.org/{}".format),
        language=st.none() | st.sampled_from(("en", "pt_BR", "zh-Hans-CN", "english, german", "")),
        terms=st.lists(FACTS, max_size=3).map(tuple),
        description=st.none() | FACTS,
        license=st.none() | FACTS | st.text(max_size=20).map("https://{}".format),
    )
)
def test_any_header_is_valid(header: Header) -> None:
    written("<p>a</p>", header)


@pytest.mark.parametrize(
    "address",
    [
        "a[b]c",
        "%",
        "%zz",
        "a#b#c",
        "{x}|^`",
        "中文?q=é",
        "a\\b",
        "//[::1/",
        "//[::1]:8/a[b]",
        "//a::1/b",
        "//u:p@a:80/",
    ],
)
def test_any_address_is_valid(address: str) -> None:
    written(f'<p><a href="{address}">a</a> <img src="{address}"> b</p>', Header(title="a", url=address))


def test_the_facts_are_in_the_header() -> None:
    facts = (
        '<html lang=en><title>The title</title><meta name=author content="Jane Doe">'
        '<meta property="og:site_name" content="The Paper"><meta name=description content="A & B.">'
        '<meta property="article:published_time" content="2024-05-01T10:00:00Z"><meta name=keywords content="a, b">'
        '<link rel=license href="https://creativecommons.org/licenses/by/4.0/">'
    )
    article = pagesieve.article(f"{facts}<h1>The title</h1>{f'<p>{LONG}</p>' * 4}", "https://example.org/a")
    check_valid(article.tei)
    assert article.tei == pagesieve.extract(
        f"{facts}<h1>The title</h1>{f'<p>{LONG}</p>' * 4}", "https://example.org/a", format="tei"
    )
    tree = etree.fromstring(article.tei.encode())

    def texts(path: str) -> list[str]:
        return [found.text for found in tree.iterfind(path.replace("/", "/{*}").replace("/{*}/{*}", "//{*}"))]

    assert texts(".//titleStmt/title") == ["The title"]
    assert texts(".//titleStmt/author") == ["Jane Doe"]
    assert texts(".//publicationStmt/publisher") == ["The Paper"]
    assert texts(".//notesStmt/note") == ["A & B."]
    assert texts(".//keywords/term") == ["a", "b"]
    assert texts(".//bibl/ref") == ["https://example.org/a"]
    assert texts(".//licence") == ["https://creativecommons.org/licenses/by/4.0/"]
    assert tree.find(".//{*}publicationStmt/{*}date").get("when") == "2024-05-01T10:00:00+00:00"
    assert tree.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"
