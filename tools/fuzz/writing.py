"""Targets that write pages: every visible text of a page in every format, and the formats read again."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from typing import Any

from lxml import etree
from selectolax.lexbor import LexborHTMLParser
from tools.fuzz.bench import Bench
from tools.fuzz.checks import check

from pagesieve.page.static import parse
from pagesieve.text.urls import SAFE_SCHEMES
from pagesieve.writing import WriterOptions, build, write_html, write_markdown, write_text
from pagesieve.writing.html import ALLOWED
from pagesieve.writing.tei import Header, write_tei

URL = "https://fuzz.example/news/2024/05/17/story.html"
OPTIONS = (WriterOptions(links=True, images=True), WriterOptions())
# The elements that Markdown is written with where it has no signs of its own.
WRITTEN = frozenset(
    f"<{slash}{name}>" for name in ("br", "sup", "sub", "strong", "em", "s", "code") for slash in ("", "/")
)
_TAG = re.compile(r"<[^>]*>")
_ADDRESS = re.compile(r'(?:href|src)="([^"]*)"')
_SCHEME = re.compile(r"\s*([a-zA-Z][^/?#:]*:)")


def writing(data: bytes, bench: Bench) -> None:
    """Write all that is seen: harmless HTML, Markdown without live HTML of the page, TEI that is XML."""
    page = parse(data, URL)
    for options in OPTIONS:
        document = build(page, page.chars > 0, options)
        text, html, markdown = write_text(document), write_html(document), write_markdown(document)
        _check_html(html)
        _check_markdown(markdown)
        etree.fromstring(write_tei([document], Header(title="t")).encode(), etree.XMLParser(huge_tree=True))
        if not options.images:  # of which each is written once, but in tables
            again = parse(f"<!doctype html><body>{html}", URL)
            read = write_text(build(again, again.chars > 0, options))
            check(_bare(read) == _bare(text), "the text of HTML that was written and read again is another")


def _check_html(html: str) -> None:
    body = LexborHTMLParser(f"<body>{html}").body
    check(body is not None, "HTML without a body")
    assert body is not None
    for node in body.traverse():
        if node.tag not in ("body", "tbody"):
            check(node.tag in ALLOWED, f"<{node.tag}> is written")
            check(set(node.attributes) <= ALLOWED[node.tag or ""], f"attributes of <{node.tag}>: {[*node.attributes]}")
            for name in ("href", "src"):
                _check_address(node.attributes.get(name) or "")


def _check_markdown(markdown: str) -> None:
    for token in _renderer().parse(markdown):
        for one in (token, *(token.children or ())):
            if one.type in ("html_inline", "html_block"):
                tags = _TAG.findall(one.content)
                check(set(tags) <= WRITTEN, f"live HTML in Markdown: {one.content[:80]!r}")
    for address in _ADDRESS.findall(_renderer().render(markdown)):
        _check_address(unescape(address))


def _check_address(address: str) -> None:
    scheme = _SCHEME.match(address)
    check(scheme is None or scheme[1].lower() in SAFE_SCHEMES, f"an address that may run: {address[:80]!r}")


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _bare(text: str) -> str:
    """Return a text without white space and what cannot be seen."""
    return re.sub(r"[\s\u200b-\u200f\u00ad\ufeff]+", "", text)
