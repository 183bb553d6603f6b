"""What holds for any page: no word lost, glued or doubled; Markdown that says what it shows; HTML that is harmless."""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

import pagesieve
from pagesieve.page.kernel.tags import BLOCK
from pagesieve.page.table import Bools, Node, Page
from pagesieve.text.urls import SAFE_SCHEMES
from pagesieve.writing import WriterOptions, build, write_html, write_markdown, write_text
from pagesieve.writing.html import ALLOWED
from tests.profiles import examples
from tests.writing.helpers import EVERYTHING, URL, Written, write

RENDER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

# Signs of Markdown, punctuation of several scripts, letters, blanks, an emoji, an accent that combines.
SIGNS = "*_`~[]()<>!#+-=|\\/&;:.,'\"^$%@{}1290"
LETTERS = "abcxyzAZéß中文のя"
OTHERS = "“”（）。、—…€→😀\u0301 \u00a0\u3000\n"
TEXT = st.text(alphabet=SIGNS + LETTERS + OTHERS, max_size=12)
CHUNKS = st.sampled_from(
    "word|snake_case|__init__|**|* |- |1. |# |&amp;|&copy;|<b>|](|![|](x)|~~|```|---|===|http://a.b/c_d|<!--"
    "|[x] |[a]: |\\|$x$|中。|”文".split("|")
) | st.sampled_from(["| - |", "\\|", "|"])
WORDS = st.lists(TEXT | CHUNKS, max_size=6).map("".join)

MARKS = ["b", "i", "s", "sup", "sub", "q", "code", "span", 'a href="/x"']


@st.composite
def inlines(draw: st.DrawFn, depth: int = 2) -> str:
    """A line with marks in it."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        inside = draw(WORDS)
        tag = draw(st.sampled_from(["", "", *MARKS, "br"]))
        if tag == "br":
            parts.append("<br>")
        elif tag and depth:
            parts.append(f"<{tag}>{draw(inlines(depth=depth - 1))}</{tag.split()[0]}>")
        else:
            parts.append(html.escape(inside))
    return "".join(parts)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Paragraphs, headings, lists, quotes, definitions, code and tables with such lines in them."""
    shapes = [
        "<p>{}</p>",
        "<h2>{}</h2>",
        "<ul><li>{}</li><li>{}<ul><li>{}</li></ul></li></ul>",
        "<ol><li><p>{}</p><p>{}</p></li><li>{}</li></ol>",
        "<blockquote><p>{}</p>{}</blockquote>",
        "<dl><dt>{}</dt><dd>{}</dd><dd>{}</dd></dl>",
        "<table><tr><th>{}</th><th>b</th></tr><tr><td>{}</td><td>{}</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<figure><figcaption>{}</figcaption></figure>",
        "<div>{}<div>{}</div>{}</div>",
    ]
    chosen = draw(st.lists(st.sampled_from(shapes), min_size=1, max_size=4))
    return "".join(re.sub(r"\{\}", lambda _: draw(inlines()), shape) for shape in chosen)


def signs(text: str) -> str:
    """A text without its blanks."""
    return "".join(text.split())


BLOCK_TAG = re.compile(
    r"</?(?:p|h[1-6]|li|ul|ol|dl|dt|dd|blockquote|table|caption|thead|tbody|tr|t[hd]|pre|br|hr)\b[^>]*>"
)


def shown(page: str) -> str:
    """The visible text of HTML that a writer or a renderer wrote (where every `>` in a value is escaped)."""
    quoted = re.sub(r"<q>|</q>", '"', page)
    return html.unescape(re.sub(r"<[^>]*>", "", BLOCK_TAG.sub(" ", quoted)))


def without_quotes(text: str) -> str:
    return re.sub('[“”‘’"]', "", text)


@given(documents())
@examples(300)
@example("<p><b>a</b><i>b</i><b>c</b></p>")
@example("<p>a<b>(b)</b>c<b>。</b>文</p>")
@example("<p><i>a<b>b</b></i><b>c</b>d</p>")
@example("<table><tr><th>a<th>b<tr><td>c *<br>d<td><p>e *</p><p>* f</p></table>")
@example("<p>![a<a href=x>b</a>](c)</p>")
def test_markdown_shows_what_html_shows(page: str) -> None:
    for options in (EVERYTHING, WriterOptions()):
        written = write(page, options=options)
        rendered = RENDER.render(written.markdown)
        assert without_quotes(signs(shown(rendered))) == without_quotes(signs(shown(written.html)))


@given(WORDS)
@examples(300)
def test_markdown_keeps_the_shape(text: str) -> None:
    """A text is a paragraph, a heading, an item or a cell in Markdown too: it opens no block of its own."""
    escaped = html.escape(text)
    for shape, tags in (
        (f"<p>{escaped}</p>", ["p"]),
        (f"<h3>{escaped}</h3>", ["h3"]),
        (f"<ul><li>x{escaped}</li></ul>", ["ul", "li"]),
        (f"<blockquote>{escaped}</blockquote>", ["blockquote", "p"]),
        (f"<table><tr><th>{escaped}<th>b<tr><td>c<td>d</table>", ["table", "thead", "tr", "th", "th"]),
    ):
        written = write(shape).markdown
        if not write(f"<p>{escaped}</p>").text:
            continue
        found = re.findall(r"<(\w+)", RENDER.render(written))
        inline = [tag for tag in found if tag not in ("tbody", "td") or "th" not in tags]
        assert inline[: len(tags)] == tags
        assert found.count("p") == tags.count("p")
        assert not set(found) & {"hr", "pre", "code", "em", "strong", "a", "img", "s"}


@given(st.text(alphabet="abc é,.:()?!'\"-–—0123456789%&€$#/", max_size=60))
def test_ordinary_prose_has_no_backslashes(text: str) -> None:
    assert "\\" not in write(f"<p>x {html.escape(text)}</p>").markdown


# Words


def reference(page: Page, rows: Bools) -> str:
    """The text of the rows with a blank where an element ends a line, where a text is left out, between links."""
    text = "".join(_pieces(page.root, rows))
    return re.sub("(.)\x0f\x0e(?!\\1)", " ", text)


def _pieces(node: Node, rows: Bools) -> Iterator[str]:
    page, row = node.page, node.row
    if node.tag == "#text":
        kept = rows[row] or page.chars[row] == 0
        yield page.text(row) if kept and node.seen else " " if node.seen else ""
        return
    apart = " " if page.tag_flags[row] & BLOCK or node.tag in ("br", "img") else ""
    link = chr(0x10 + int(node.attributes["href"][1:])) if _is_link(node, rows) else ""
    yield apart + ("\x0e" + link if link else "")
    for child in node.children:
        yield from _pieces(child, rows)
    yield (link + "\x0f" if link else "") + apart


def _is_link(node: Node, rows: Bools) -> bool:
    return node.get("href") is not None and bool(rows[node.row : node.page.end[node.row]].any())


def words(text: str) -> Counter[str]:
    folded = re.sub("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1b\x7f]", "", text)
    return Counter(re.findall(r"\w+", unicodedata.normalize("NFKC", folded)))


SOUP_TAGS = (
    "p div span b i em a ul li menu dl dt dd table tr td th blockquote h1 h3 pre br hr sup sub section article "
    "figure figcaption summary details center font label s"
).split()


@st.composite
def soups(draw: st.DrawFn) -> str:
    """Tags opened and closed in any order around plain words."""
    parts = []
    for _ in range(draw(st.integers(1, 25))):
        tag = draw(st.sampled_from(SOUP_TAGS))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            parts.append(f"<{tag} href=/{draw(st.integers(1, 3))}>" if tag == "a" else f"<{tag}>")
        elif kind == 1:
            parts.append(f"</{tag}>")
        else:
            parts.append(draw(st.sampled_from(["alpha", " beta", "gamma ", "中文", " ", "\n", "x-y", "δ ", "w2"])))
    return "".join(parts)


@given(soups(), st.randoms(use_true_random=False))
@examples(500)
def test_no_word_is_lost_glued_or_doubled(soup: str, random: Random) -> None:
    """For any selection, the words of every format are those of the reference.

    Numbers of ordered lists, quotation marks and brackets of readings are added to the text, so none are here.
    """
    page = pagesieve.parse(soup, URL)
    rows = page.chars > 0
    rows &= np.array([random.random() < 0.8 for _ in range(len(page))])
    document = build(page, rows)
    expected = words(reference(page, rows))
    assert words(write_text(document)) == expected
    assert words(shown(write_html(document))) == expected
    assert words(shown(RENDER.render(write_markdown(document)))) == expected


# Harm

HOSTILE = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<a href="javascript:alert(1)">x</a>',
        '<a href=" \tJaVaScRiPt&#58;alert(1)">x</a>',
        '<a href="java\nscript:alert(1)">x</a>',
        '<a href="\x01javascript:alert(1)">x</a>',
        '<a href="&#x6A;avascript&colon;alert(1)">x</a>',
        '<a href="vbscript:x">x</a><a href="data:text/html;base64,PHNjcmlwdD4=">y</a>',
        '<a href="https://a.b/&quot; onmouseover=&quot;x">x</a>',
        "<a href='//a.b/\"><script>x</script>'>x</a>",
        '<img src="javascript:x" srcset="javascript:y 1x" data-src="data:image/svg+xml,x" alt="&quot; onload=&quot;x">',
        "<svg onload=alert(1)><a xlink:href='javascript:x'><text>x</text></a></svg>",
        "<math><annotation encoding=application/x-tex></math><script>x</script>&lt;img src=x onerror=y></annotation>",
        "<pre><code class='language-x\" onclick=\"y'>z</code></pre>",
        "<iframe src=javascript:x></iframe><object data=x></object><embed src=x><form action=x><input name=y>",
        "<style>@import 'x'</style><link rel=stylesheet href=x><meta http-equiv=refresh content='0;url=javascript:x'>",
        "<base href='javascript:x//'><a href='y'>z</a>",
        "<p onclick=x style='background:url(javascript:x)'>&lt;script&gt;y&lt;/script&gt;</p>",
        "<noscript><p title='</noscript><img src=x onerror=y>'></noscript>",
        "<table><tr><td colspan='2\" onclick=\"x'>a<td>b<tr><td>c<td>d</table>",
        "<ol start='1\" onclick=\"x'><li>a</ol>",
        "<textarea></textarea><img src=x onerror=y>",
        "<xmp><script>x</script></xmp><plaintext><script>y</script>",
    ]
)


@given(st.lists(HOSTILE | soups() | st.text(max_size=20), max_size=8).map("".join))
@examples(300)
def test_html_is_made_of_allowed_elements_and_attributes(soup: str) -> None:
    written = write(soup)
    _assert_harmless(written)
    _assert_harmless(write(soup, url=None))


def _assert_harmless(written: Written) -> None:
    body = LexborHTMLParser(f"<body>{written.html}").body
    assert body is not None
    for node in body.traverse():
        if node.tag in ("body", "tbody"):
            continue
        assert node.tag in ALLOWED
        assert set(node.attributes) <= ALLOWED[node.tag]
        for name in ("href", "src"):
            scheme = re.match(r"\s*([^/?#]*?):", node.attributes.get(name) or "")
            assert scheme is None or scheme[1].lower() + ":" in SAFE_SCHEMES
    for address in re.findall(r'(?:href|src)="([^"]*)"', RENDER.render(written.markdown)):
        assert not address.lower().startswith(("javascript:", "vbscript:", "data:"))


@given(st.binary(max_size=300))
def test_writers_take_any_bytes(source: bytes) -> None:
    page = pagesieve.parse(source)
    document = build(page, np.ones(len(page), dtype=np.bool_), EVERYTHING)
    for writer in (write_text, write_markdown, write_html):
        assert isinstance(writer(document), str)
