"""The quick look of the kernel at styles and style sheets agrees with the closer one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve import parse
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import (
    LAST_SOFT,
    NOT_DISPLAYED,
    STYLE_BEHIND,
    STYLE_COLOUR,
    STYLE_GONE,
    STYLE_HARD,
    STYLE_INVISIBLE,
    STYLE_SIZE,
    STYLE_VISIBLE,
)
from pagesieve.page.styles import look, looks_same, may_hide, style_sheets
from tests.test_hidden import HIDING, SHOWING

DECLARATIONS = (
    "display:none",
    "display : NONE!important",
    "display:block",
    "display:foo",
    "display:none\xa0",
    "visibility:hidden",
    "visibility:visible",
    "visibility:inherit",
    "content-visibility:hidden",
    "background:url(a;b)",
    "background:url('a);display:none')",
    "font-family:'a;display:none;b'",
    "font-family:'a",
    "/* display:none */",
    "color:red",
    "color:var(--a)",
    "font:12px/1 Arial",
    "width:0",
    "d\\69 splay:none",
    "",
    *HIDING,
    *SHOWING,
)


def _bits(style: str) -> int:
    html = '<p style="' + style.replace('"', "&quot;") + '">text</p>'
    styles = parse(html)._marks.styles
    return styles[0][2] if styles else 0


@given(st.lists(st.sampled_from(DECLARATIONS), max_size=4))
def test_bits_of_inline_styles(declarations: list[str]) -> None:
    style = ";".join(declarations)
    said, bits = look(style), _bits(style)
    assert bool(bits & STYLE_GONE) == (said.way == NOT_DISPLAYED)
    assert (True if bits & STYLE_VISIBLE else False if bits & STYLE_INVISIBLE else None) == said.visible
    if said.way > LAST_SOFT or said.has_size is False or (said.colour and said.colour[3] == 0):
        assert bits & STYLE_HARD
    if not bits & STYLE_HARD:
        assert bits & STYLE_SIZE or said.has_size is None
        assert bits & STYLE_COLOUR or said.colour is None
        assert bits & STYLE_BEHIND or said.background in (None, "image")


@given(st.lists(st.sampled_from([each for each in DECLARATIONS if "\\" not in each and "*" not in each]), max_size=4))
def test_rules_that_hide_are_found(declarations: list[str]) -> None:
    sheet = ";".join(declarations)
    page = parse("<p class=x>text</p>")
    found = kernel.page.visibility.hiding_blocks(
        f".a b{{}}.x{{{sheet}}}".encode(), page, bytearray(b"\1" * len(page)), 9
    )
    hides = may_hide(look(sheet))
    assert found or not hides
    assert hides or not any(is_plain for *_, is_plain in found)


def _without_comments(css: bytes) -> bytes:
    """Read a style sheet as browsers do: the marks of HTML count outside comments, and join nothing to one."""
    tokens = re.compile(rb"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
    return tokens.sub(lambda found: b" " if found[0].startswith(b"/*") else b"", css)


@given(st.lists(st.sampled_from(["/*", "*/", "<!--", "-->", "*", "/", "-", ">", "<", "!", "a", "{", "}"])))
def test_style_sheets_are_without_comments(pieces: list[str]) -> None:
    css = "".join(pieces)
    page = parse(f"<style>{css}</style><style media=print>b</style><p>text</p>")
    (row, _) = page.rows("style").tolist()
    found = style_sheets(page, [row], [])
    assert found.rstrip() == (_without_comments(page.text(row).encode()) + b"\n}}}\n").rstrip()


@pytest.mark.parametrize(
    ("attributes", "is_read"),
    [
        ("", True),
        (' type="text/css" id=a', True),
        (" type=text/less", False),
        (" media='print, screen'", True),
        (" media=print", False),
        (" amp-boilerplate", False),
        (" data-a=b", True),
    ],
)
def test_style_sheets_for_screens(attributes: str, is_read: bool) -> None:
    page = parse(f"<style{attributes}>.x{{}}</style><p>text</p>")
    assert (b".x" in style_sheets(page, *page._marks.rows[5:])) == is_read


@pytest.mark.parametrize(
    ("selectors", "about"),
    [
        (".x", [".x"]),
        (".a .x", [".a .x"]),
        (".x .a", []),
        (".x>a , B", ["B"]),
        (".x > a:hover", []),
        (".a+.x:hover", [".a+.x:hover"]),
        (".xx", []),
        ("a", []),
        (".a,,.b.x ", [".b.x"]),
    ],
)
@pytest.mark.parametrize("name", [".x", "x"])  # a class, or an element, which is looked for everywhere
def test_rules_about_a_name(selectors: str, about: list[str], name: str) -> None:
    css = f"@media screen{{{selectors}{{color:red}}}}.y{{}}".encode()
    found = kernel.page.visibility.naming_blocks(css, {b"x"}, {b"x": {name}}, {b"b"}, 9)
    assert [(selected, names) for selected, _, _, names in found] == ([(about, {name})] if about else [])


_PARTS = st.integers(0, 255)
_COLOURS = st.one_of(
    st.sampled_from(
        ["white", "BLACK", "transparent", "inherit", "darkblue", "var(--a)", "#ff", "rgb(1,2)", "hsl(0,0%,9%)"]
    ),
    st.tuples(_PARTS, _PARTS, _PARTS).map(lambda parts: "#{:02x}{:02X}{:02x}".format(*parts)),
    st.tuples(_PARTS, _PARTS, _PARTS).map(lambda parts: "rgb({}, {},{})".format(*parts)),
    st.tuples(_PARTS, _PARTS, _PARTS).map(lambda parts: "rgba({},{},{},.99)".format(*parts)),
    st.text("0123456789abcdef", min_size=3, max_size=4).map("#{}".format),
)


@given(_COLOURS, st.one_of(_COLOURS, st.none()), st.sampled_from(["", ";text-shadow:1px 1px red"]))
def test_colours_that_look_the_same_are_alike(text: str, behind: str | None, shadow: str) -> None:
    one, other = look(f"color:{text}{shadow}").colour, look(f"background:{behind or text}").background
    page = parse(f"<div style='background:{behind or text}'>a</div><p style='color:{text}{shadow}'>b</p>")
    if one is not None and isinstance(other, tuple) and looks_same(one, other):
        assert page._marks.paints
    both = look(f"color:{text}{shadow};background:{behind or text}")
    assert not may_hide(both) or _bits(f"color:{text}{shadow};background:{behind or text}") & STYLE_HARD


def test_colours_that_differ_are_told_apart() -> None:
    assert not parse("<div style='background:#fff'>a<font color=333>b</font></div>")._marks.paints
    assert parse("<div bgcolor=white>a<font color=' FEFEFE '>b</font></div>")._marks.paints


def test_what_is_hidden_softly() -> None:
    page = parse(
        "<div style=display:none>a<p hidden>b</p></div>"
        "<div style=visibility:hidden>c<b style=visibility:visible>d<i style='display:none'>e</i></b></div><p>f</p>"
    )
    ways = page.unveiled.hidden_by
    assert ways is not None
    found = {page.text(row): int(ways[row]) for row in range(len(page)) if page.tag_name(row) == "#text"}
    assert found == {"a": 2, "b": 1, "c": 3, "d": 0, "e": 2, "f": 0}
    assert page.unveiled.hidden_chars.sum() == 4


def test_lengths_of_texts() -> None:
    page = parse(f"<p>{'é' * 700} \xa0\u3000{'a' * 3}\u3001</p><p></p><p>  \n </p>")
    assert page.chars.max() == 704
