"""The results for a page with records: its regions, the records, their items, and the table that they make."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pagesieve.errors import MissingExtra
from pagesieve.page.stated import address
from pagesieve.page.table import Node, Page
from pagesieve.records.marks import Mark
from pagesieve.text.cells import harmless as harmless_cell
from pagesieve.text.whitespace import cut

if TYPE_CHECKING:
    from rich.table import Table

    from pagesieve.records.database import DatabaseTable
    from pagesieve.records.fitting import Fitted
    from pagesieve.records.reading import Reader
    from pagesieve.records.schema import Schema

TABLE = "records"  # the name of a table in a database, unless another is given
LINK_ENDING = "_link"  # of the name under which a column's links stand in a row
LISTED = ", "  # between the items of a record that are in one column
NARROW, WIDE = 10, 28  # characters that a column takes at least; one of long texts
LONG = 24  # characters of a text, on average, that make its column a wide one
LONGEST_CELL = 160  # characters of a text that are shown
NUMBERS = ("number", "price", "count", "rating")
SNIPPET = 60  # characters of a record's beginning, where it is shown

Type = Literal["text", "link", "image", "date", "number", "price", "rating", "count"]
Row = dict[str, Any]


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
    text: str  # as it is read, with its label and unit; of an image, what stands in for it
    link: str | None  # where it leads to; of an image, where it lies
    rows: tuple[int, ...]  # of the page, each with what is below it
    label: str = ""  # how the text begins, if that is the same in all records: "Price:"
    unit: str = ""  # how it ends, if that says what is counted and has an element of its own: "comments"

    @property
    def value(self) -> str | None:
        """The value in a table: the text without its label and unit, or the address of an image."""
        if self.type == "image":
            return self.link or self.text or None
        return self.text[len(self.label) :].removesuffix(self.unit).strip() or None


@dataclass(frozen=True, slots=True)
class Items:
    """The columns of some records, the items of each record, and what each column is recognised by."""

    columns: tuple[Column, ...]
    records: tuple[tuple[Item, ...], ...]
    marks: tuple[Mark, ...]
    others: tuple[tuple[Item, ...], ...] = ()
    """Of each record the items that are in no column, since they say the same in nearly all: "Report", "votes"."""


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
        """Its items: what differs between the records, in the order of the page, be it in a column or only a link."""
        table = self.of.table
        items, others = table.records[self.number], table.others[self.number] if table.others else ()
        return tuple(sorted((*items, *others), key=lambda item: item.rows)) if others else items

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
    mode: str  # how they were found: visual, in the page as a browser shows it, or static, in its source
    number: int = 0  # which of the regions this is
    date: datetime | None = None  # of the page, where it is known: what "3 hours ago" counts from
    applied: Schema | None = None  # whose columns the table has, in place of the page's own
    remarks: tuple[str, ...] = ()  # what happened to the page, and why its source or its tree alone was used

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
        return tuple(
            self if k == self.number else replace(self, number=k, applied=None)
            for k, found in enumerate(self.segmentations)
            if found.records
        )

    @property
    def noise(self) -> tuple[Node, ...]:
        """The elements in the region that belong to no record."""
        return tuple(self.page.node(row) for row in self.segmentation.noise)

    @property
    def url(self) -> str | None:
        """The address that was given, or else the one that the page names as its own."""
        return address(self.page)

    @cached_property
    def next_url(self) -> str | None:
        """The next page of the list: as the page states it, by the numbers of its pages, or by a button."""
        from pagesieve.headlines.pagination import next_page

        return next_page(self.page, self.url, self.segmentation.records[0][0]) if self.url else None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table, with their names and types."""
        return self.table.columns

    @cached_property
    def table(self) -> Items:
        """The items of all records."""
        if self.fitted is not None:
            return self.fitted.items
        from pagesieve.records.items import align

        return align(self.page, self.segmentation)

    @cached_property
    def fitted(self) -> Fitted | None:
        """The table by the schema that was applied, and what does not fit; None without one."""
        if self.applied is None:
            return None
        from pagesieve.records.fitting import fit

        return fit(self.page, self.segmentation, self.applied)

    @property
    def schema(self) -> Schema:
        """The columns, and what each is recognised by on other pages: of the schema applied, or the page's own."""
        from pagesieve.records.schema import Schema

        return self.applied or Schema.of(self)

    @property
    def drift(self) -> tuple[str, ...]:
        """What no longer fits the schema that was applied: columns not found, fields that it does not have."""
        return self.fitted.drift if self.fitted is not None else ()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What happened to the page, why its source or its tree alone was used, and which prices stay text."""
        return (*self.remarks, *filter(None, map(self._unread, self.columns)))

    def _unread(self, column: Column) -> str:
        """Return what is to be said of the prices of a column that cannot be read for certain; empty for nothing."""
        from pagesieve.records.values import MOST, is_uncertain_price

        cells = [
            (item.value or "", self._values.get((number, place)))
            for number, items in enumerate(self.table.records)
            for place, item in enumerate(items)
            if item.name == column.name
        ]
        texts = 0
        if column.type == "price":
            texts = sum(isinstance(value, str) for _, value in cells)
        elif column.type == "text":
            uncertain = sum(is_uncertain_price(text) for text, _ in cells)
            texts = uncertain if uncertain >= MOST * len(cells) else 0
        return f"column {column.name!r}: prices that cannot be read for certain stay text: {texts}" if texts else ""

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
    def link_names(self) -> dict[str, str]:
        """The names under which columns give their links, but for links that an earlier column gives."""
        if self.applied is not None:
            return self.applied.link_names
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
        links = self.link_names
        return [name for column in self.columns for name in (column.name, links.get(column.name)) if name is not None]

    def to_rows(self, typed: bool = False) -> list[Row]:
        """Return the table as a list of dicts, one for each record: column names to values, None for none.

        Values are texts as on the page. If `typed`, numbers, counts and ratings are numbers, dates are in ISO 8601, a
        price has its `amount` and `currency`, and a column with several items a record has lists. A price that cannot
        be read for certain, such as "$25,85000", stays text, and a note says so.
        """
        empty: Row = dict.fromkeys(self.header)
        if typed:
            return [self._typed_row(items, number, empty.copy()) for number, items in enumerate(self.table.records)]
        return [self._row(items, empty.copy()) for items in self.table.records]

    def _row(self, items: Sequence[Item], row: Row) -> Row:
        """Fill in the row of a record."""
        links = self.link_names
        for item in items:
            before, value = row[item.name], item.value
            row[item.name] = value if before is None else before + LISTED + value if value else before
            if item.name in links:
                row[links[item.name]] = item.link
        return row

    def _typed_row(self, items: Sequence[Item], number: int, row: Row) -> Row:
        """Fill in the row of a record with values of the columns' types."""
        links, values = self.link_names, self._values
        row |= {column.name: [] for column in self.columns if column.listed}
        for place, item in enumerate(items):
            value = values.get((number, place))
            if isinstance(row[item.name], list):
                row[item.name].append(value)
            else:
                row[item.name] = value
            if item.name in links:
                row[links[item.name]] = item.link
        return row

    @cached_property
    def _values(self) -> dict[tuple[int, int], Any]:
        """The typed values of all items, by record and place."""
        from pagesieve.records.typed_values import read_values, setting_of

        setting = setting_of(self.page, self.date)
        places: dict[str, list[tuple[int, int]]] = {column.name: [] for column in self.columns}
        for number, items in enumerate(self.table.records):
            for place, item in enumerate(items):
                if item.value is not None:
                    places[item.name].append((number, place))
        found: dict[tuple[int, int], Any] = {}
        for column in self.columns:
            texts = [self.table.records[number][place].value or "" for number, place in places[column.name]]
            found |= zip(places[column.name], read_values(texts, column.type, setting), strict=True)
        return found

    def to_csv(self, *, header: bool = True, harmless: bool = True) -> str:
        """Return the table as CSV, with a header unless that is switched off.

        Cells that a spreadsheet program would take for a formula begin with an apostrophe, if `harmless`.
        """
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        as_cell = harmless_cell if harmless else str
        if header:
            writer.writerow(map(as_cell, self.header))
        for row in self.to_rows():
            writer.writerow([None if value is None else as_cell(value) for value in row.values()])
        return buffer.getvalue()

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the page itself, ready for JSON; values are typed."""
        return {
            "url": self.url,
            "mode": self.mode,
            "notes": list(self.notes),
            "region": path_of(self.region),
            "next_url": self.next_url,
            "drift": list(self.drift),
            "columns": [{"name": column.name, "type": column.type, "listed": column.listed} for column in self.columns],
            "records": [
                {"text": record.text, "items": row, "parent": record.parent, "depth": record.depth}
                for record, row in zip(self.records, self.to_rows(typed=True), strict=True)
            ],
        }

    def to_json(self) -> str:
        """Return `as_dict` as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table to a Parquet file, with the types of its columns."""
        from pagesieve.records.parquet import ParquetTable

        with closing(ParquetTable(path)) as table:
            table.add(self)

    def to_database(self, path_or_url: str | Path, table: str = TABLE) -> int:
        """Store the records in a table of a SQLite file or a PostgreSQL database; return how many are new.

        The table is made where there is none, and new columns are added. A record that is there is updated: it is known
        by its site and its link, or else its values.
        """
        with closing(open_table(path_or_url, table)) as opened:
            return opened.add(self)

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


def open_table(path_or_url: str | Path, table: str = TABLE) -> DatabaseTable:
    """Open a table in a database for the records of pages."""
    try:
        from pagesieve.records.database import DatabaseTable
    except ImportError as error:
        raise MissingExtra("a database", "sites") from error
    return DatabaseTable(str(path_or_url), table)


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
    return cut(text, LONGEST_CELL)


def _plain(text: str) -> str:
    """Return a text on one line, without control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
