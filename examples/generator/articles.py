"""The articles' own text: one file each in texts/, read into blocks that every template can write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise
from pathlib import Path

from .markup import plain

TEXTS = Path(__file__).parent / "texts"
PAGE_BREAK = "\n\n---\n\n"
LIST_ITEM = re.compile(r"^(-|\d+\.) ")


@dataclass(frozen=True)
class Block:
    """A piece of a body: kind is p, h, quote, ul, ol, table or figure; rows hold its texts."""

    kind: str
    rows: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """The first text: all there is of a paragraph, a heading or a caption."""
        return self.rows[0][0]

    @property
    def pieces(self) -> list[str]:
        """What a reader sees, in order."""
        return [plain(cell) for row in self.rows for cell in row]


@dataclass(frozen=True)
class Article:
    """An article and everything its page is made from."""

    name: str
    id: str
    section: str
    title: str
    short: str
    long: str
    alt: str
    author: str
    source: str
    editor: str
    published: datetime
    updated: datetime
    dirt: frozenset[str]
    blocks: tuple[Block, ...]
    comments: tuple[tuple[str, str], ...]
    breaks: tuple[int, ...] = ()  # how many blocks stand before each page but the first

    @property
    def parts(self) -> list[tuple[Block, ...]]:
        """The blocks of each page that the article goes over."""
        edges = (0, *self.breaks, len(self.blocks))
        return [self.blocks[start:stop] for start, stop in pairwise(edges)]

    @property
    def text(self) -> str:
        """The body as a reader sees it, a piece a line."""
        return "\n".join(piece for block in self.blocks for piece in block.pieces)


def read_articles(language: str) -> list[Article]:
    """Return the articles in one language, newest first."""
    found = [read_article(path) for path in sorted((TEXTS / language).glob("*.txt"))]
    return sorted(found, key=lambda article: article.published, reverse=True)


def read_article(path: Path) -> Article:
    """Read one file: 'key: value' lines, a blank line, the body, '%%', comments as 'name | text' lines.

    A line '---' ends a page of an article that goes over several.
    """
    head, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
    body, _, comments = rest.partition("\n%%\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    pages = [[read_block(chunk) for chunk in page.split("\n\n")] for page in body.split(PAGE_BREAK)]
    published = datetime.fromisoformat(fields["published"])
    return Article(
        name=path.stem,
        id=fields["id"],
        section=fields["section"],
        title=fields["title"],
        short=fields["short"],
        long=fields["long"],
        alt=fields["alt"],
        author=fields["author"],
        source=fields.get("source", ""),
        editor=fields.get("editor", ""),
        published=published,
        updated=datetime.fromisoformat(fields.get("updated", fields["published"])),
        dirt=frozenset(fields.get("dirt", "").replace(",", " ").split()),
        blocks=tuple(block for page in pages for block in page),
        comments=tuple(split_pair(line, " | ") for line in comments.splitlines()),
        breaks=tuple(accumulate(len(page) for page in pages[:-1])),
    )


def read_block(chunk: str) -> Block:
    """Read one chunk of a body between blank lines."""
    chunk = chunk.strip("\n")
    first = chunk[:2]
    if first == "##":
        return Block("h", ((chunk[3:],),))
    if first == "> ":
        return Block("quote", (split_pair(chunk[2:], " -- "),))
    if first[0] == "!":
        return Block("figure", ((chunk[1:],),))
    if first == "| ":
        rows = (line.strip("| ").split(" | ") for line in chunk.splitlines())
        return Block("table", tuple(tuple(row) for row in rows))
    if LIST_ITEM.match(chunk):
        kind = "ul" if first[0] == "-" else "ol"
        return Block(kind, tuple((LIST_ITEM.sub("", line),) for line in chunk.splitlines()))
    if "\n" in chunk:
        raise ValueError(f"a paragraph is one line: {chunk[:60]!r}")
    return Block("p", ((chunk,),))


def split_pair(line: str, separator: str) -> tuple[str, str]:
    """Split a line into two at the separator, which must be there."""
    left, found, right = line.partition(separator)
    if not found:
        raise ValueError(f"no {separator!r} in {line!r}")
    return left, right
