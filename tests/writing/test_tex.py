"""Formulas come from pages, too: in Markdown and HTML their TeX is a formula, and nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import pagesieve
from pagesieve.writing.math import in_markdown, inert

ATTACKS = [
    "x <img src=q onerror=alert(1)>",
    "x </p><script>alert(1)</script>",
    "\\text{<svg/onload=alert(1)>}",
    "<!-- x --><?php x ?><![CDATA[x]]>",
    "&lt;img src=q onerror=alert(1)&gt;",
    "[x](javascript:alert(1))",
    "![x](https://example.org/seen.png)",
    "<https://example.org/>",
    "\\href{javascript:alert(1)}{x}",
    "` $",
    "x\\",
]


def page(tex: str) -> dict[str, str]:
    """Pages with a formula in every way that carries TeX, amid a text with code that is markup outside of it."""
    escaped = tex.replace("&", "&amp;").replace("<", "&lt;")
    ways = {
        "annotation": f"<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{escaped}</annotation>"
        "</semantics></math>",
        "script": f"<script type='math/tex'>{tex}</script>",
        "display": f"<script type='math/tex; mode=display'>{tex}</script>",
    }
    code = "<code>&lt;img src=code onerror=alert(2)&gt;</code>"
    text = "The formula stands amid a text that is long enough to be read as what the page is about, and goes on. "
    return {
        name: f"<h1>Formulas</h1><p>{text * 3}Let {way} be {code}.</p><p>{text * 3}</p>" for name, way in ways.items()
    }


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


def elements(html: str) -> set[str]:
    parser = _Elements()
    parser.feed(html)
    parser.close()
    return set(parser.found)


@pytest.mark.parametrize("tex", [tex for tex in ATTACKS if "</script" not in tex])
@pytest.mark.parametrize("way", ["annotation", "script", "display"])
def test_a_formula_is_never_markup(tex: str, way: str) -> None:
    found = pagesieve.article(page(tex)[way])
    for text in (found.markdown, found.html):
        assert "href" not in text
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(found.markdown)
    assert elements(shown) <= {"h1", "p", "code", "em", "strong"}
    assert elements(found.html) <= {"h1", "p", "code"}
    assert "<code>&lt;img" in shown


@pytest.mark.parametrize("tex", ATTACKS)
def test_scripts_in_annotations_are_no_markup(tex: str) -> None:
    shown = MarkdownIt("commonmark", {"html": True}).render(pagesieve.article(page(tex)["annotation"]).markdown)
    assert elements(shown) <= {"h1", "p", "code", "em", "strong"}


@pytest.mark.parametrize(
    ("tex", "left"),
    [
        (r"\href{javascript:alert(1)}{x+y}^2", "{x+y}^2"),
        (r"a \href {https://example.org/{a}} b", "a  b"),
        (r"\href\evil{x}", "{x}"),
        (r"\h\href{a}ref{b}{c}", r"\h ref{b}{c}"),
        (r"\href x y", "y"),
        (r"\url{javascript:alert(1)}", "{javascript:alert(1)}"),
        (r"\style{background:url(//example.org)}{x}", "{x}"),
        (r"\htmlClass{c}{\htmlData{a=b}{x}}", "{{x}}"),
        (r"\mmlToken{mi}[href='javascript:alert(1)']{x}", "{x}"),
        (r"\bbox[background:url(x)]{x}", "{x}"),
        (r"\includegraphics[width=1em]{https://example.org/x.png}y", "y"),
        (r"\require{html}x", "x"),
        (r"\href{never closed \href{x", ""),
        (r"\href{a\}b}{x}", "{x}"),
        (r"a \\href b", r"a \\href b"),
        (r"\hrefx \classic \urls", r"\hrefx \classic \urls"),
        (r"\frac{a}{b} \le \text{so [x] and \{y\}}", r"\frac{a}{b} \le \text{so [x] and \{y\}}"),
        ("x\\", "x"),
        ("x\\ \\", "x\\"),
        ("x\\\\", "x\\\\"),
    ],
)
def test_commands_that_reach_beyond_a_formula_go(tex: str, left: str) -> None:
    assert inert(tex) == left


@pytest.mark.parametrize(
    ("tex", "written"),
    [
        ("$a<b$", "$a< b$"),
        ("$a < b$", "$a < b$"),
        ("$a<2$", "$a<2$"),
        ("$a &= b$", "$a &= b$"),
        ("$a &lt; b$", "$a & lt; b$"),
        ("$f[x](y)$", "$f[x] (y)$"),
        ("$``a''$", "$‘‘a''$"),
        (r"$\sqrt[3]{x_1*x_2}$", r"$\sqrt[3]{x_1*x_2}$"),
    ],
)
def test_a_formula_in_markdown_is_set_as_it_was(tex: str, written: str) -> None:
    assert in_markdown(tex) == written


@given(st.text(alphabet="\\{}[]()<>!/ahref&;#`$_* \n", max_size=60))
def test_whatever_the_tex(tex: str) -> None:
    left = inert(tex)
    assert not re.search(r"(?<!\\)(?:\\\\)*\\href(?![A-Za-z])", left)
    markdown = f"a ${in_markdown(left)}$ b".replace("\n", " ")
    assert elements(MarkdownIt("commonmark", {"html": True}).render(markdown)) <= {"p", "em", "strong"}
