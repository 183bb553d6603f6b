"""Whether a part of a page that was parsed alone is what the whole page has there."""

from __future__ import annotations

from pagesieve.page.table import Page

LONG = 20  # characters of the text by which the place is found

Row = tuple[str, str, tuple[tuple[str, str], ...]]


def stands_in(part: Page, whole: Page) -> bool:
    """Whether the rows of a part stand in the whole table: elements with their attributes and texts, one by one."""
    body = next((row for row in range(len(part)) if part.tag_name(row) == "body"), 0)
    wanted = [_row(part, row) for row in range(body + 1, len(part))]
    offset = next((k for k, (_, text, _) in enumerate(wanted) if len(text.strip()) > LONG), 0)
    if not wanted:
        return True
    rows = [_row(whole, row) for row in range(len(whole))]
    starts = (k - offset for k, row in enumerate(rows) if row == wanted[offset] and k >= offset)
    return any(rows[start : start + len(wanted)] == wanted for start in starts)


def _row(page: Page, row: int) -> Row:
    name = page.tag_name(row)
    return name, page.text(row) if name == "#text" else "", tuple(page.attributes(row).items())
