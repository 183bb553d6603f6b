"""Compares a page's table with lexbor's own tree, node by node, and names the known ways in which they differ."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pagesieve.page.static import within_limits
from pagesieve.page.table import Page

Row = tuple[str, str, tuple[tuple[str, str], ...], int]  # tag, text, attributes, index of the parent


def tree_rows(source: bytes) -> list[Row]:
    """Lexbor's tree of a page as rows: the html element and all below it; templates' contents are not reachable."""
    root = LexborHTMLParser(within_limits(source)[0]).root
    rows: list[Row] = []
    if root is None:
        return rows
    index: dict[int, int] = {}
    for node in root.traverse(include_text=True):
        parent = node.parent
        above = index.get(parent.mem_id, -1) if parent is not None else -1
        index[node.mem_id] = len(rows)
        rows.append((*_facts(node), above))
    return rows


def _facts(node: LexborNode) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    if node.is_text_node:
        return "#text", node.text_content or "", ()
    if node.is_comment_node:
        return "#comment", (node.comment_content or "").strip(), ()  # selectolax strips it
    if node.is_element_node:
        return node.tag or "", "", tuple((name, value or "") for name, value in node.attributes.items())
    return "#other", "", ()


def table_rows(page: Page) -> list[Row]:
    """The rows of a page's table in the same form, without what stands inside templates."""
    html = next((row for row in range(len(page)) if page.tag_name(row) == "html"), None)
    rows: list[Row] = []
    if html is None:
        return rows
    index: dict[int, int] = {}
    row = html
    while row < page.end[html]:
        tag = page.tag_name(row)
        index[row] = len(rows)
        text = page.text(row) if tag == "#text" else page.text(row).strip() if tag == "#comment" else ""
        rows.append((tag, text, tuple(page.attributes(row).items()), index.get(int(page.parent[row]), -1)))
        row = int(page.end[row]) if tag == "template" else row + 1
    return rows


def difference(tree: list[Row], table: list[Row]) -> str | None:
    """The first difference, or None."""
    for number, (a, b) in enumerate(zip(tree, table, strict=False)):
        if a != b:
            return f"node {number}: lexbor {str(a)[:200]} table {str(b)[:200]}"
    if len(tree) != len(table):
        return f"lexbor {len(tree)} nodes, table {len(table)}"
    return None


def named_case(difference: str | None) -> Iterator[str]:
    """The names of the known losses of serialising that explain a difference."""
    if difference is None:
        return
    yield "unknown"
