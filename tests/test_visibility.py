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
from pagesieve.page.rules import may_hide, style_sheets
from pagesieve.page.styles import look
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
    names = bytearray(b"\1" * kernel.constants.SIEVE_SIZE)
    found = kernel.visibility.hiding_blocks(f".a b{{}}.x{{{sheet}}}".encode(), names)
    hides = may_hide(look(sheet))
    assert found or not hides
    assert hides or not any(is_plain for *_, is_plain in found)


def _without_comments(css: bytes) -> bytes:
    return re.sub(rb"/\*.*?(?:\*/|\Z)", b" ", css.replace(b"<!--", b"").replace(b"-->", b""), flags=re.DOTALL)


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
    ("selectors", "is_about"),
    [
        (".x", True),
        (".a .x", True),
        (".x .a", False),
        (".x>a , b", True),
        (".x > a:hover", False),
        (".a+.x:hover", True),
        (".xx", False),
        ("a", False),
        (".a,.b.x ", True),
    ],
)
def test_rules_about_a_name(selectors: str, is_about: bool) -> None:
    css = f"@media screen{{{selectors}{{color:red}}}}.y{{}}".encode()
    found = kernel.visibility.naming_blocks(css, {b"x": {".x"}}, 9)
    assert [(css[head:begin], names) for head, begin, _, names in found] == (
        [(selectors.encode(), {".x"})] if is_about else []
    )


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
