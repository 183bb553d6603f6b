"""What the writers write: a small document of paragraphs, headings, lists, quotes, code and tables.

One builder makes it, three writers write it, so the formats cannot disagree about what a page says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pagesieve.writing.inline import Run


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """What else is written beside the text."""

    links: bool = False
    images: bool = False
    tables: bool = True


@dataclass(slots=True)
class Paragraph:
    """A line of text or several; `caption` where it belongs to a picture or table."""

    run: Run
    caption: bool = False


@dataclass(slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    run: Run


@dataclass(slots=True)
class CodeBlock:
    """Code, as it stands, and its language where the page says it."""

    text: str
    language: str


@dataclass(slots=True)
class Rule:
    """A line across the page."""


@dataclass(slots=True)
class Quote:
    """A quotation."""

    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Listing:
    """A list; `start` is the first number of an ordered one."""

    ordered: bool
    start: int = 1
    items: list[list[Block]] = field(default_factory=list)


@dataclass(slots=True)
class Definitions:
    """Terms and what is said of them, in order: (is it a term, its blocks)."""

    entries: list[tuple[bool, list[Block]]] = field(default_factory=list)


@dataclass(slots=True)
class Cell:
    """A cell of a table and how many columns and rows it spans."""

    blocks: list[Block] = field(default_factory=list)
    header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Table:
    """Rows of cells."""

    rows: list[list[Cell]] = field(default_factory=list)
    caption: Run = field(default_factory=list)


Block = Paragraph | Heading | CodeBlock | Rule | Quote | Listing | Definitions | Table
