"""The Markdown of forty labelled pages, ours beside that of trafilatura and of readability with markdownify.

    python benchmarks/markdown.py ../shared/data/articles -o markdown.html

What is counted is the page's own markup: its headings, items of lists, heads and cells of tables, blocks of code,
quotations, captions and links, as far as their text stands in the gold. Each is found where the Markdown, read by
markdown-it, has the same sort of thing with the same words; of code, with the same language too; of links, with the
same address. The headline is set aside on both sides. The HTML page that is written has the counts, then all texts.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

import trafilatura
from markdown_it import MarkdownIt
from markdownify import markdownify
from readability import Document
from selectolax.lexbor import LexborHTMLParser, LexborNode

import pagesieve
from pagesieve.evaluate.archives import Gold, find_set, read_gold, read_named
from pagesieve.page.static import decode

# What the pages are like: the set, the page type and the language where one is asked for, and how many. The pages of
# wcxb_dev are English, and two of them are recipes, so the last three sorts come from other sets.
SORTS = {
    "documentation": ("wcxb_dev", "documentation", None, 12),
    "forum": ("wcxb_dev", "forum", None, 8),
    "article": ("wcxb_dev", "article", None, 8),
    "recipe": ("kinds_own", "article", None, 4),
    "Chinese": ("magic_html", None, "zh", 4),
    "German": ("blogs_own", None, "de", 4),
}
COLUMNS = {
    "headings": "headings",
    "items": "items of lists",
    "heads": "heads of tables",
    "cells": "cells of tables",
    "code": "blocks of code",
    "language": "code with its language",
    "quotations": "quotations",
    "captions": "captions",
    "links": "links",
}
LONG = 25  # letters and digits: a text of so many is in the gold for no other reason than being there

_BLOCKS = frozenset("p li td th h1 h2 h3 h4 h5 h6 dt dd blockquote figcaption pre div section article body".split())
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|highlight)-([\w+#-]+)")
_NO_LANGUAGE = frozenset("none plain plaintext text txt nohighlight default source".split())
_NO_LETTER = re.compile(r"[\W_]+")

_SAID_BY_NAME = {"li": "items", "blockquote": "quotations", "figcaption": "captions"}

Thing = tuple[str, str]  # a column, and what is compared: the letters of the text, with the language or the address


def letters(text: str) -> str:
    """Return the letters and digits of a text in small letters."""
    return _NO_LETTER.sub("", text).casefold()


# The page's own markup


def things(html: str, url: str | None, is_inside: Callable[[LexborNode], bool]) -> Iterator[Thing]:
    """Yield what the markup of a page says, as far as it is inside."""
    tree = LexborHTMLParser(html)
    for node in tree.css("script, style, noscript, template, svg, button"):
        node.decompose()
    body = tree.body
    for node in (
        body.css(":is(h1, h2, h3, h4, h5, h6, li, td, th, pre, blockquote, figcaption, a[href])") if body else ()
    ):
        if is_inside(node):
            yield from _things_of(node, url)


def _things_of(node: LexborNode, url: str | None) -> Iterator[Thing]:
    name, text = node.tag or "", letters(own_text(node))
    if not text:
        return
    if name in _HEADINGS:
        yield "headings", text
    elif name in _SAID_BY_NAME:
        yield _SAID_BY_NAME[name], text
    elif name in ("td", "th"):
        if not node.css("table, pre"):
            yield "heads" if is_head(node) else "cells", text
    elif name == "pre" and not text.isdigit():  # line numbers
        yield "code", text
        language = language_of(node)
        if language:
            yield "language", f"{language} {text}"
    elif name == "a":
        address = urljoin(url or "", node.attributes.get("href") or "")
        if address.startswith("http") and not leads_inside(node):
            yield "links", f"{text} {unquote(urldefrag(address)[0])}"


def leads_inside(node: LexborNode) -> bool:
    """Whether a link leads to a place on its own page."""
    return (node.attributes.get("href") or "").startswith("#")


def own_text(node: LexborNode) -> str:
    """Return the text of an element; of an item, without the lists in it."""
    if node.tag != "li":
        return node.text(separator=" ")
    copy = LexborHTMLParser(node.html or "")
    for inner in copy.css("li ul, li ol"):
        inner.decompose()
    return copy.body.text(separator=" ") if copy.body else ""


def above(node: LexborNode) -> Iterator[LexborNode]:
    """Yield an element and those around it."""
    here: LexborNode | None = node
    while here is not None and here.tag not in (None, "html", "-document"):
        yield here
        here = here.parent


def is_head(cell: LexborNode) -> bool:
    """Whether a cell is one of a row of heads; the head of a row has no form in Markdown."""
    row = cell.parent
    if row is None or (row.parent is not None and row.parent.tag == "thead"):
        return True
    return not row.css("td")


def language_of(pre: LexborNode) -> str:
    """Return the language that code, what it holds or what it is in is said to be written in."""
    for node in (pre, *pre.css("code"), *list(above(pre))[1:4]):
        stated = node.attributes.get("data-lang") or node.attributes.get("data-language")
        found = [stated] if stated else _LANGUAGE.findall(node.attributes.get("class") or "")
        named = next((name.lower() for name in found if name.lower() not in _NO_LANGUAGE), "")
        if named:
            return named
    return ""


def _is_of_contents(item: LexborNode) -> bool:
    """Whether an item leads to a section of its own page: it says nothing that the heading there does not say."""
    link = item.css_first("a[href]")
    return link is not None and leads_inside(link) and letters(link.text()) == letters(own_text(item))


class Inside:
    """Whether an element stands in the gold: by its block, its list or its table."""

    def __init__(self, gold: Gold) -> None:
        self.text = letters(gold.text)
        self.lines = {letters(line) for line in gold.text.splitlines()}
        self.title = letters(gold.title or "")

    def __call__(self, node: LexborNode) -> bool:
        for around in above(node):
            if around.tag in _HEADINGS:
                text = letters(around.text())
                return text in self.lines
            if around.tag == "li" and _is_of_contents(around):
                return False
            if around.tag in ("li", "td", "th"):
                return self._has_long(around) or self._has_whole(around)
            if around.tag in _BLOCKS:
                return self._has_long(around) or letters(around.text()) in self.lines
        return False

    def _has_long(self, block: LexborNode) -> bool:
        text = letters(own_text(block))
        return len(text) >= LONG and text in self.text

    def _has_whole(self, part: LexborNode) -> bool:
        """Whether the row or the list that a short item or cell is in stands in the gold, all of it in one piece."""
        whole = part.parent
        text = letters(whole.text()) if whole is not None else ""
        return len(text) >= LONG // 2 and text in self.text

    def limited(self, found: Iterable[Thing]) -> Counter[Thing]:
        """Count things, none more often than its text is in the gold: menus repeat what the article says."""
        counts = Counter(thing for thing in found if thing[1] != self.title)
        return Counter({thing: min(count, self._times(thing)) for thing, count in counts.items()})

    def _times(self, thing: Thing) -> int:
        column, text = thing
        text = text.split(" ")[0 if column == "links" else -1]
        return max(1, self.text.count(text))


# The Markdown

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
# Footnotes, which CommonMark does not have: on the pages, notes are items, and references show their labels.
_NOTE = re.compile(r"^\[\^[^\]\s]+\]: ", re.MULTILINE)
_REFERENCE = re.compile(r"\[\^([^\]\s]+)\]")


def shown(markdown: str) -> Counter[Thing]:
    """Return what a reader of the Markdown sees. A caption may be any paragraph."""
    html = _READER.render(_REFERENCE.sub(r"\1", _NOTE.sub("- ", markdown)))
    found = Counter(things(html, None, lambda node: True))
    for node in LexborHTMLParser(html).css("p, li, td"):
        found["captions", letters(node.text())] += 1
    return found


def ours(html: bytes, url: str | None) -> str:
    try:
        return pagesieve.article(html, url, include_links=True).markdown
    except pagesieve.PagesieveError:
        return ""


def by_trafilatura(html: bytes, url: str | None) -> str:
    return (
        trafilatura.extract(html, url=url, output_format="markdown", include_links=True, include_comments=False) or ""
    )


def by_readability(html: bytes, url: str | None) -> str:
    text: str = markdownify(
        Document(html, url=url).summary(html_partial=True), heading_style="atx", code_language_callback=_said_language
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _said_language(pre: Any) -> str:
    classes = " ".join(
        [*pre.get("class", ()), *(name for code in pre.find_all("code") for name in code.get("class", ()))]
    )
    return next(iter(_LANGUAGE.findall(classes)), "")


WRITERS: dict[str, Callable[[bytes, str | None], str]] = {
    "Pagesieve": ours,
    "trafilatura": by_trafilatura,
    "readability, markdownify": by_readability,
}


# Choosing, counting, showing


@dataclass(frozen=True)
class Compared:
    """A page, and what each made of it."""

    sort: str
    gold: Gold
    wanted: Counter[Thing]
    texts: dict[str, str]

    def counts(self, name: str) -> dict[str, tuple[int, int, int]]:
        """Return, by column: how many are found, how many there are, how many were written."""
        found = shown(self.texts[name])
        title = letters(self.gold.title or "")
        counts = {}
        for column in COLUMNS:
            wanted = Counter({thing: n for thing, n in self.wanted.items() if thing[0] == column})
            written = Counter({thing: n for thing, n in found.items() if thing[0] == column and thing[1] != title})
            counts[column] = ((wanted & written).total(), wanted.total(), written.total())
        return counts


def chosen(folder: Path) -> Iterator[tuple[str, Gold, bytes, Counter[Thing]]]:
    """Yield the pages of each sort and what is wanted of them.

    Ids say nothing of a page, so the first by id are any; of four times as many the pages with most sorts of markup are
    taken, or there would be few tables, captions and quotations.
    """
    for sort, (name, page_type, language, count) in SORTS.items():
        labelled = find_set(folder, name)
        golds = [
            gold
            for gold in read_gold(labelled).values()
            if page_type in (None, gold.page_type) and (language is None or (gold.lang or "").startswith(language))
        ]
        first = {gold.id: gold for gold in sorted(golds, key=lambda gold: gold.id)[: 4 * count]}
        pages = [(first[page_id], html) for page_id, html in sorted(read_named(labelled, first))]
        marked_up = [(sort, gold, html, wanted_of(gold, html)) for gold, html in pages]
        marked_up.sort(key=lambda page: -len({column for column, _ in page[3]}))
        yield from marked_up[:count]


def wanted_of(gold: Gold, html: bytes) -> Counter[Thing]:
    """Return what the markup of a page says inside the gold."""
    inside = Inside(gold)
    return inside.limited(things(decode(html).text, gold.url, inside))


def compare(sort: str, gold: Gold, html: bytes, wanted: Counter[Thing]) -> Compared:
    """Let all write a page."""
    return Compared(sort, gold, wanted, {name: write(html, gold.url) for name, write in WRITERS.items()})


def summed(pages: list[Compared], name: str) -> dict[str, tuple[int, int, int]]:
    """Return the counts of all pages together."""
    counts = [page.counts(name) for page in pages]
    return {column: tuple(map(sum, zip(*(count[column] for count in counts), strict=True))) for column in COLUMNS}  # type: ignore[misc]


def as_table(pages: list[Compared]) -> list[list[str]]:
    """Return the counts in lines: found of how many, and which share of what was written that is."""
    lines = [["", *COLUMNS.values()]]
    totals = {name: summed(pages, name) for name in WRITERS}
    lines.append(["on the pages", *(str(next(iter(totals.values()))[column][1]) for column in COLUMNS)])
    for name, counts in totals.items():
        lines.append([name, *(_cell(*counts[column]) for column in COLUMNS)])
    return lines


def _cell(found: int, wanted: int, written: int) -> str:
    share = f"{found / wanted:.3f}".removeprefix("0") if wanted else "–"
    return f"{share} ({found})"


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; color: #222; }
table { border-collapse: collapse; } th, td { border: 1px solid #ccc; padding: .3rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } td.best { background: #e2f2e2; font-weight: 600; }
section { border-top: 2px solid #444; margin-top: 2.5rem; }
.texts { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; }
pre { background: #f6f6f4; padding: .8rem; overflow: auto; max-height: 46rem; white-space: pre-wrap; }
pre { font-size: 12.5px; overflow-wrap: anywhere; }
.counts { color: #555; font-size: 13px; }
"""


def as_page(pages: list[Compared]) -> str:
    """Return the HTML page: the table, then the Markdown of each page side by side."""
    sections = "\n".join(_section(page) for page in pages)
    title = f"The Markdown of {len(pages)} pages"
    return (
        f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>"
        f"<p>How much of the pages' own markup inside the gold is found, and how many that is.</p>"
        f"{_html_table(as_table(pages))}\n{sections}\n"
    )


def _html_table(lines: list[list[str]]) -> str:
    head, *rows = lines
    best = [max(row[k] for row in rows[1:]) for k in range(len(head))]
    written = ["<tr>" + "".join(f"<th>{escape(cell)}" for cell in head)]
    for number, row in enumerate(rows):
        marks = (" class=best" if number and k and cell == best[k] else "" for k, cell in enumerate(row))
        written.append("<tr>" + "".join(f"<td{mark}>{escape(cell)}" for mark, cell in zip(marks, row, strict=True)))
    return f"<table>{''.join(written)}</table>"


def _section(page: Compared) -> str:
    columns = []
    for name, text in page.texts.items():
        counts = [f"{COLUMNS[c]} {found}/{of}" for c, (found, of, _) in page.counts(name).items() if of]
        columns.append(
            f"<div><h3>{name}</h3><p class=counts>{', '.join(counts)}</p><pre>{escape(text) or '(nothing)'}</pre></div>"
        )
    return (
        f"<section><h2>{escape(page.gold.title or page.gold.id)}</h2>"
        f"<p>{page.sort}, {page.gold.id}, {escape(page.gold.url or '')}</p>"
        f"<div class=texts>{''.join(columns)}</div></section>"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with the sets of labelled articles")
    parser.add_argument("-o", "--output", type=Path, default=Path("markdown.html"))
    given = parser.parse_args()
    pages = [compare(*page) for page in chosen(given.folder)]
    for line in as_table(pages):
        print("| " + " | ".join(line) + " |")
    given.output.write_text(as_page(pages), encoding="utf-8")


if __name__ == "__main__":
    main()
