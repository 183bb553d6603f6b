"""Draw the way of a page: python docs/make_way.py

Boxes have colours of their own, and lines a grey that is seen on white and on black: the picture can stand on both.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

FILE = Path(__file__).with_name("images") / "way_of_a_page.svg"
STEPS = [  # what a page is at each step, what makes it so, and where that is
    ("bytes", "from a file, a URL, a WARC, a browser", "fetching/  batch/  crawl/"),
    ("text", "the encoding is found", "page/static"),
    ("table", "a row for each node, in document order; it never changes", "page/static  page/table"),
    ("lines and units", "what is read as one: lines; lists, tables, figures, sections", "page/lines"),
    ("selection", "a method keeps rows, with a decision for every block", "methods/  headlines/  sites/"),
    ("document", "paragraphs, headings, lists, quotations, code, tables", "writing/document"),
    ("output", "text, Markdown, HTML, TEI, JSON: written when asked for", "writing/  article.py"),
]
RECORDS = [
    ("records", "what recurs on the page, cut into records", "records/regions"),
    ("items and columns", "what differs between records, named and typed", "records/fields  records/columns"),
    ("table of records", "CSV, JSON, Parquet, a database", "records/results"),
]
WIDTH, BOX, HEIGHT, GAP, TOP = 900, 420, 62, 26, 14
FILL, INK, SOFT, LINE = "#e0f2f1", "#12312d", "#3d5b57", "#7d8a88"


def main() -> None:
    """Write the picture."""
    FILE.write_text(picture(), encoding="utf-8")


def picture() -> str:
    """Return the picture: one column for articles, one for records, which leaves it at the table."""
    left = [box(10, row(n), *step) for n, step in enumerate(STEPS)]
    right = [box(WIDTH - BOX - 10, row(n + 4), *step) for n, step in enumerate(RECORDS)]
    lines = [down(10, n) for n in range(len(STEPS) - 1)] + [down(WIDTH - BOX - 10, n + 4) for n in range(2)]
    height = row(len(STEPS)) - GAP + TOP
    turn = row(2) + HEIGHT / 2
    x, y = WIDTH - BOX / 2 - 10, row(4) - 3
    lines.append(f'<path d="M{10 + BOX} {turn}H{x}V{y}" marker-end="url(#a)"/>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
            'font-family="system-ui, sans-serif" aria-labelledby="t">',
            '<title id="t">The way of a page: bytes, text, table, lines and units, selection, document, output; '
            "records branch off at the table</title>",
            f'<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>',
            *left,
            *right,
            f'<g fill="none" stroke="{LINE}" stroke-width="2">',
            *lines,
            "</g>",
            "</svg>\n",
        ]
    )


def row(number: int) -> float:
    """Return where a row begins."""
    return TOP + number * (HEIGHT + GAP)


def box(x: float, y: float, what: str, how: str, where: str) -> str:
    """Return a box: what a page is now, how it came to be, and in which files."""
    return (
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="7" fill="{FILL}"/>'
        f'<text x="{x + 14}" y="{y + 24}" font-size="16" font-weight="600" fill="{INK}">{escape(what)}</text>'
        f'<text x="{x + BOX - 14}" y="{y + 23}" font-size="11.5" text-anchor="end" '
        f'font-family="ui-monospace, monospace" fill="{SOFT}">{escape(where)}</text>'
        f'<text x="{x + 14}" y="{y + 46}" font-size="13" fill="{INK}">{escape(how)}</text>'
    )


def down(x: float, number: int) -> str:
    """Return an arrow from a row to the next."""
    return f'<path d="M{x + BOX / 2} {row(number) + HEIGHT}V{row(number + 1) - 3}" marker-end="url(#a)"/>'


if __name__ == "__main__":
    main()
