"""The results for a page with records: its regions, the records, their items, and the table that they make."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pagesieve.errors import BadInput, MissingExtra
from pagesieve.page.table import Node, Page

if TYPE_CHECKING:
    from rich.table import Table

    from pagesieve.records.reading import Reader

LINK_ENDING = "_link"  # of the name under which a column's links stand in a row
LISTED = ", "  # between the items of a record that are in one column
NARROW, WIDE = 10, 28  # characters that a column takes at least; one of long texts
LONG = 24  # characters of a text, on average, that make its column a wide one
LONGEST_CELL = 160  # characters of a text that are shown
NUMBERS = ("number", "price")
SNIPPET = 60  # characters of a record's beginning, where it is shown

Type = Literal["text", "link", "image", "date", "number", "price"]
Row = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One region of a page and the records in it; all numbers are rows of the page's table.

    Records are disjoint, in document order, and inside the region. A record is one subtree, or several that belong
    together: sibling rows of an old table, cells of a grid.
    """

    region: int
    """The element that holds the records."""
    records: tuple[tuple[int, ...], ...]
    """Of each record the roots of its subtrees, in document order."""
    noise: tuple[int, ...] = ()
    """Roots of the subtrees inside the region that belong to no record: headings, advertisements, page numbers."""
    score: float = 0.0
    """How sure the choice of this region is; only to be compared with the other regions of the same page."""
    answers: Mapping[int, int] = field(default_factory=dict)
    """For the first row of each record that stands in another, as an answer does, the first row of that one."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table that records make."""

    name: str
    type: Type
    listed: bool = False  # a record may have several items there: tags, authors


class Item(NamedTuple):
    """One thing that a record holds."""

    name: str  # its column's
    type: Type
    text: str  # as it is read, with its label; of an image, what stands in for it
    link: str | None  # where it leads to; of an image, where it lies
    rows: tuple[int, ...]  # of the page, each with what is below it
    label: str = ""  # how the text begins, if that is the same in all records: "Price:"

    @property
    def value(self) -> str | None:
        """The value in a table: the text without its label, or the address of an image."""
        if self.type == "image":
            return self.link or self.text or None
        return self.text[len(self.label) :].lstrip() or None


@dataclass(frozen=True, slots=True)
class Items:
    """The columns of some records, and the items of each."""

    columns: tuple[Column, ...]
    records: tuple[tuple[Item, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One record: its text as it is read, line by line, and its items."""

    of: Records
    number: int  # from 0, in the order of the page

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        return f"<Record {self.number} {text if len(text) <= SNIPPET else text[: SNIPPET - 1] + '…'!r}>"

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows of the page that it is, each with all that is below."""
        return self.of.segmentation.records[self.number]

    @property
    def text(self) -> str:
        """Its whole text, with buttons and labels, line by line."""
        return self.of.reader.rows.text(self.rows, "\n")

    @property
    def items(self) -> tuple[Item, ...]:
        """Its items: what differs between the records, in the order of the page."""
        return self.of.table.records[self.number]

    @property
    def parent(self) -> int | None:
        """The number of the record that it answers, in a thread; None where it answers none."""
        return self.of.parents[self.number]

    @property
    def depth(self) -> int:
        """How many records of the thread stand above it."""
        return self.of.depths[self.number]


@dataclass(frozen=True, repr=False)
class Records:
    """The records of one region of a page, and the other regions of the page. Items are found on first use."""

    page: Page
    segmentations: Sequence[Segmentation] = field(repr=False)  # of the page, the best first
    mode: str  # how they were found: visual or static
    number: int = 0  # which of the regions this is

    def __repr__(self) -> str:
        return f"<Records: {len(self)} in {self.region!r}, {self.mode}>"

    def __len__(self) -> int:
        return len(self.segmentation.records)

    @property
    def segmentation(self) -> Segmentation:
        """The region and its records as rows of the page."""
        return self.segmentations[self.number]

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records, in the order of the page."""
        return tuple(Record(self, number) for number in range(len(self)))

    @property
    def region(self) -> Node:
        """The element that holds the records."""
        return self.page.node(self.segmentation.region)

    @property
    def regions(self) -> tuple[Records, ...]:
        """Every region of the page that holds records, the best first."""
        return tuple(Records(self.page, self.segmentations, self.mode, k) for k in range(len(self.segmentations)))

    @property
    def noise(self) -> tuple[Node, ...]:
        """The elements in the region that belong to no record."""
        return tuple(self.page.node(row) for row in self.segmentation.noise)

    @property
    def url(self) -> str | None:
        """The address of the page."""
        return self.page.url

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table, with their names and types."""
        return self.table.columns

    @cached_property
    def table(self) -> Items:
        """The items of all records."""
        from pagesieve.records.items import align

        return align(self.page, self.segmentation)

    @cached_property
    def parents(self) -> tuple[int | None, ...]:
        """For each record the number of the one that it answers, in a thread; None where it answers none."""
        from pagesieve.records.threads import parents

        return parents(self.page, self.segmentation)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For each record how many of the thread stand above it."""
        from pagesieve.records.threads import depths

        return depths(self.parents)

    @cached_property
    def reader(self) -> Reader:
        """The reader of the records' texts."""
        from pagesieve.records.reading import Reader

        return Reader.of(self.page, self.segmentation.records)

    @cached_property
    def _links(self) -> dict[str, str]:
        """The names under which columns give their links, but for links that an earlier column gives."""
        told: set[tuple[int, str]] = set()
        found: dict[str, str] = {}
        taken = {column.name for column in self.columns}
        links: dict[str, set[tuple[int, str]]] = {}
        for number, items in enumerate(self.table.records):
            for item in items:
                if item.link is not None and item.type != "image":
                    links.setdefault(item.name, set()).add((number, item.link))
        for column in self.columns:
            there = links.get(column.name, set())
            name = column.name + LINK_ENDING
            if there - told and not column.listed and name not in taken:
                found[column.name] = name
                told |= there
        return found

    @property
    def header(self) -> list[str]:
        """The names of a row's values, in order: each column, and where its items link to."""
        links = self._links
        return [name for column in self.columns for name in (column.name, links.get(column.name)) if name is not None]

    def to_rows(self) -> list[Row]:
        """Return the table as a list of dicts, one for each record: column names to values, None for none."""
        empty: Row = dict.fromkeys(self.header)
        return [self._row(items, empty.copy()) for items in self.table.records]

    def _row(self, items: Sequence[Item], row: Row) -> Row:
        """Fill in the row of a record."""
        links = self._links
        for item in items:
            before, value = row[item.name], item.value
            row[item.name] = value if before is None else before + LISTED + value if value else before
            if item.name in links:
                row[links[item.name]] = item.link
        return row

    def to_csv(self) -> str:
        """Return the table as CSV with a header."""
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, self.header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.to_rows())
        return buffer.getvalue()

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the page itself, ready for JSON."""
        return {
            "url": self.url,
            "mode": self.mode,
            "region": path_of(self.region),
            "columns": [{"name": column.name, "type": column.type} for column in self.columns],
            "records": [
                {"text": record.text, "items": row, "parent": record.parent, "depth": record.depth}
                for record, row in zip(self.records, self.to_rows(), strict=True)
            ],
        }

    def to_json(self) -> str:
        """Return `as_dict` as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table to a Parquet file; all values are text, as on the page."""
        try:
            import pyarrow as arrow
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("Parquet", "parquet") from error
        schema = arrow.schema([(name, arrow.string()) for name in self.header])
        try:
            parquet.write_table(arrow.Table.from_pylist(self.to_rows(), schema=schema), path)
        except OSError as error:
            raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error

    def to_table(self, width: int = 100) -> Table:
        """Return the table for a terminal of some width, with as many columns as fit.

        Columns are chosen by how much they tell, and stand in the order of the page; the others are named below.
        """
        from rich.table import Table
        from rich.text import Text

        shown, left = _chosen(self, width)
        result = Table(show_edge=False, pad_edge=False, header_style="bold", caption_justify="left")
        result.add_column("", justify="right", style="dim", no_wrap=True)
        for column in shown:
            justify: Literal["right", "left"] = "right" if column.type in NUMBERS else "left"
            result.add_column(_plain(column.name), justify=justify, overflow="ellipsis", min_width=NARROW // 2)
        for number, items in enumerate(self.table.records, 1):
            result.add_row(str(number), *(Text(_cell(items, column)) for column in shown))
        if left:
            result.caption = f"not shown: {', '.join(left)}"
        return result


def path_of(node: Node) -> str:
    """Return a selector of an element: the path from the nearest element with an id, each with its first class."""
    steps: list[str] = []
    each: Node | None = node
    while each is not None and not each.tag.startswith("#"):
        name = each.get("id", "")
        classes = (each.get("class") or "").split()
        steps.append(f"{each.tag}#{name}" if name else ".".join([each.tag, *classes[:1]]))
        if name:
            break
        each = each.parent
    return " > ".join(reversed(steps))


def _chosen(found: Records, width: int) -> tuple[list[Column], list[str]]:
    """Return the columns that fit, and the names of the others; addresses of images are never shown."""
    texts = {column.name: list[str]() for column in found.columns}
    for item in (item for items in found.table.records for item in items):
        texts[item.name].append(item.text)
    sizes = {name: _size(name, each) for name, each in texts.items()}
    telling = {name: len(each) + len(set(each)) for name, each in texts.items()}  # how many values, and different ones
    ranked = sorted((column for column in found.columns if column.type != "image"), key=lambda c: -telling[c.name])
    room, taken = width - NARROW, set[str]()
    for column in ranked:
        if sizes[column.name] <= room or not taken:
            room -= sizes[column.name]
            taken.add(column.name)
    left = [_plain(column.name) for column in found.columns if column.name not in taken]
    return [column for column in found.columns if column.name in taken], left


def _size(name: str, texts: list[str]) -> int:
    mean = sum(map(len, texts)) / len(texts) if texts else 0
    longest = max(len(name), int(mean))
    return 3 + (WIDE if mean > LONG else max(NARROW // 2, min(longest, LONG)))


def _cell(items: tuple[Item, ...], column: Column) -> str:
    text = ", ".join(_plain(item.value or "") for item in items if item.name == column.name)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _plain(text: str) -> str:
    """Return a text on one line, without control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
