"""A page's table and lexbor's own tree as lists of rows, to compare them node by node."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pagesieve.page.kernel.page.view import PageView
from pagesieve.page.kernel.tags import ATTRIBUTES, TAGS
from pagesieve.page.static import within_limits
from pagesieve.page.table import Page
from pagesieve.text.whitespace import clean

# What serialising loses, by the sign of it in the page. Only where the parser had to repair a page does it matter.
LOST_BY_SERIALISING = {
    "text that looks like markup in an svg element named like a raw-text element": (
        rb"(?is)<(svg|math)\b.*<(iframe|style|noframes|xmp|noembed|script|plaintext)\b"
    ),
    "plaintext, which never ends": rb"(?i)<plaintext",
    "how a processing instruction ends": rb"<\?",
    "a script that ends inside a comment that opens a script": rb"(?is)<script\b.*<!--.*<script\b",
    "a void element's name inside svg or math": rb"(?is)<(svg|math)\b.*<(image|frame|source|track|param|keygen)\b",
    "texts that stand side by side": rb"(?is)<(table|frameset|math|template)\b",
}

RAW = ("script", "style")
Row = tuple[str, str, tuple[tuple[str, str], ...], int]  # tag, text, attributes, number of the parent


def tree_rows(source: bytes) -> list[Row]:
    """Lexbor's tree: the html element and all below it. What stands inside templates cannot be reached."""
    root = LexborHTMLParser(within_limits(source)[0]).root
    rows: list[Row] = []
    if root is None:
        return rows
    numbers: dict[int, int] = {}
    for node in root.traverse(include_text=True):
        parent = node.parent
        above = numbers.get(parent.mem_id, -1) if parent is not None else -1
        numbers[node.mem_id] = len(rows)
        raw = parent is not None and parent.tag in RAW
        rows.append((*_facts(node, raw), above))
    return rows


def _facts(node: LexborNode, raw: bool) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """What a node is, without the characters that no reader sees: they are in no table, but for scripts and styles."""
    if node.is_text_node:
        text = node.text_content or ""
        return "#text", text if raw else clean(text), ()
    if node.is_element_node:
        return node.tag or "", "", tuple((name, clean(value or "")) for name, value in node.attributes.items())
    return "#comment", _comment(node.comment_content or "" if node.is_comment_node else ""), ()


def _comment(text: str) -> str:
    """What can be compared: selectolax strips comments, and gives nothing of a processing instruction."""
    text = text.strip()
    return "" if text.startswith("?") else text


def table_rows(page: Page) -> list[Row]:
    """The rows of a page's table in the same form."""
    html = next((row for row in range(len(page)) if page.tag_name(row) == "html"), None)
    rows: list[Row] = []
    if html is None:
        return rows
    numbers: dict[int, int] = {}
    row = html
    while row < page.end[html]:
        tag = page.tag_name(row)
        numbers[row] = len(rows)
        rows.append(
            (tag, _text(page, row), tuple(page.attributes(row).items()), numbers.get(int(page.parent[row]), -1))
        )
        row = int(page.end[row]) if tag == "template" else row + 1
    return rows


def _text(page: Page, row: int) -> str:
    tag = page.tag_name(row)
    if tag == "#comment":
        return _comment(page.text(row))
    return page.text(row) if tag == "#text" else ""


def difference(tree: list[Row], table: list[Row]) -> str | None:
    """The first difference, or None."""
    for number, (expected, found) in enumerate(zip(tree, table, strict=False)):
        if expected != found:
            return f"node {number}: lexbor {str(expected)[:200]}, table {str(found)[:200]}"
    return None if len(tree) == len(table) else f"lexbor {len(tree)} nodes, table {len(table)}"


def lost_by_serialising(source: bytes) -> str | None:
    """What serialising loses of a source, or None."""
    return next((name for name, sign in LOST_BY_SERIALISING.items() if re.search(sign, source)), None)


def columns(built: PageView) -> tuple[object, ...]:
    """What a builder made, with names for numbers, so that two builders can be compared."""
    page = Page.of_columns(built)
    tags, names = TAGS + page.more_tags, ATTRIBUTES + page.more_attributes
    return (
        [tags[number] for number in page.tag],
        *(getattr(page, name).tolist() for name in ("parent", "end", "depth", "text_at", "attribute_at")),
        [names[number] for number in page.attribute_name],
        page.value_at.tolist(),
        page.text_buffer,
        page.value_buffer,
    )
