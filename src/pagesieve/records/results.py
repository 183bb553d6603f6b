"""The records of a page: its regions, the records in them, their items, and the table that they make."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pagesieve.destinations import harmless as harmless_cell
from pagesieve.errors import MissingExtra
from pagesieve.page.stated import address
from pagesieve.page.table import Node, Page
from pagesieve.records.values import read_values, setting_of
from pagesieve.text.types import MOST, Type, is_uncertain_price

if TYPE_CHECKING:
    from rich.table import Table

    from pagesieve.records.database import DatabaseTable
    from pagesieve.records.fields import Reader
    from pagesieve.records.schema import Fitted, Schema

TABLE = "records"  # the name of a table in a database, unless another is given
LINK_ENDING = "_link"  # of the name of a column's links in a row
SEPARATOR = ", "  # between the items of a record that are in one column
NUMBERS = ("number", "price", "count", "rating")
MAX_SCORE = 30.0  # beyond, a probability is 0 or 1
HEADINGS = tuple(f"h{level}" for level in range(1, 7))
MAX_BELOW_HEADING = 200  # characters between the heading of a list and its first record
MAX_NAME_LENGTH = 120  # characters of the heading of a list
MAX_REPR = 60  # characters of a record that its `repr` shows

# Threads
NEAR = 8  # rows from the beginning of a record that may state its depth
DEPTH_ATTRIBUTES = ("data-depth", "data-level", "data-indent", "aria-level", "indent")
DEPTH_CLASS = re.compile(r"(?:^|[\s_-])(?:depth|level|lvl|indent|nested)[_-]?(\d{1,3})(?=$|[\s_-])", re.IGNORECASE)
INDENTED = re.compile(r"(?:margin|padding)-left:\s*(\d{1,4})", re.IGNORECASE)
NOT_STATED = -1

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A region of a page and the records in it, as rows of the page's table.

    Records are disjoint, in document order, and inside the region. A record is one subtree, or several that belong
    together: sibling rows of an old table, cells of a grid.
    """

    region: int
    """The element that holds the records."""
    records: tuple[tuple[int, ...], ...]
    """For each record the roots of its subtrees, in document order."""
    noise: tuple[int, ...] = ()
    """Roots of the subtrees inside the region that belong to no record: headings, advertisements, page numbers."""
    score: float = 0.0
    """The logit of how likely this is the page's own list; in a browser, its look is added."""
    answers: Mapping[int, int] = field(default_factory=dict)
    """A map from the first row of each record inside another, as an answer is, to the first row of that record."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of some records."""

    name: str
    type: Type
    listed: bool = False  # a record may have several items there: tags, authors


class Item(NamedTuple):
    """One value of a record."""

    name: str  # of its column
    type: Type
    text: str  # with its label and unit; the alternative text of an image
    link: str | None  # the address that it links to, or the address of an image
    rows: tuple[int, ...]  # of the page, each with the rows below it
    label: str = ""  # the beginning of the text, if it is the same in all records: "Price:"
    unit: str = ""  # the end of the text, if it is what is counted, in an element of its own: "comments"

    @property
    def value(self) -> str | None:
        """The value in a table: the text without its label and unit, or the address of an image."""
        if self.type == "image":
            return self.link or self.text or None
        return self.text[len(self.label) :].removesuffix(self.unit).strip() or None


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a field in its record."""

    path: tuple[str, ...]  # the elements down to it, with the classes that recur: "div.info", "td[2]", "li[Size]"
    number: int = 1  # among the fields with this path, in document order


@dataclass(frozen=True, slots=True)
class Mark:
    """The properties by which a field is recognised on other pages of its site."""

    place: Place
    name: str  # on the page
    type: Type
    label: str = ""  # before its values, without a colon
    itemprop: str = ""  # of the innermost element around it that has one
    length: int = 0  # characters of a value, at the median

    @property
    def identity(self) -> tuple[Place, Type, str]:
        """The properties of a field that stay the same unless the site or its values change."""
        return self.place, self.type, self.label


@dataclass(frozen=True, slots=True)
class Items:
    """The columns of some records, the items of each record, and the mark of each column."""

    columns: tuple[Column, ...]
    records: tuple[tuple[Item, ...], ...]
    marks: tuple[Mark, ...]
    others: tuple[tuple[Item, ...], ...] = ()
    """For each record the items in no column, since they are the same in nearly all records: "Report", "votes"."""


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """A record: its text, line by line, and its items."""

    of: Records
    number: int  # from 0, in the order of the page

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        return f"<Record {self.number} {text if len(text) <= MAX_REPR else text[: MAX_REPR - 1] + '…'!r}>"

    @property
    def rows(self) -> tuple[int, ...]:
        """The roots of its subtrees, as rows of the page."""
        return self.of.segmentation.records[self.number]

    @property
    def text(self) -> str:
        """Its whole text, with buttons and labels, line by line."""
        return self.of.reader.rows.text(self.rows, "\n")

    @property
    def items(self) -> tuple[Item, ...]:
        """Its items in document order: all that differs between the records, in a column or not."""
        table = self.of.table
        items, others = table.records[self.number], table.others[self.number] if table.others else ()
        return tuple(sorted((*items, *others), key=lambda item: item.rows)) if others else items

    @property
    def parent(self) -> int | None:
        """The number of the record that it answers, in a thread; None if it answers none."""
        return self.of.parents[self.number]

    @property
    def depth(self) -> int:
        """The number of records above it in the thread."""
        return self.of.depths[self.number]


@dataclass(frozen=True, repr=False)
class Records:
    """The records of one region of a page, and the other regions of the page. Items are found on first access."""

    page: Page
    segmentations: Sequence[Segmentation] = field(repr=False)  # of the page, the best first
    mode: str  # visual if they are from the page as a browser shows it, static if from its source
    number: int = 0  # of this region among the segmentations
    date: datetime | None = None  # of the page, if known: "3 hours ago" is relative to it
    applied: Schema | None = None  # gives the table its columns, in place of the page's own
    remarks: tuple[str, ...] = ()  # problems of the page, and why only its source or its tree was used

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
        """The records, in document order."""
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
            for k, segmentation in enumerate(self.segmentations)
            if segmentation.records
        )

    @property
    def probability(self) -> float:
        """How likely this is the page's own list, between 0 and 1."""
        return 1 / (1 + math.exp(-max(min(self.segmentation.score, MAX_SCORE), -MAX_SCORE)))

    @cached_property
    def name(self) -> str:
        """The heading of the list; empty if none is near its first record."""
        first = self.segmentation.records[0][0]
        for row in reversed(self.page.rows("caption", *HEADINGS).tolist()):
            end = int(self.page.end[row])
            text = " ".join(self.page.text(row).split()) if end <= first else ""
            if text:
                is_near = self.page.chars[end:first].sum() <= MAX_BELOW_HEADING and len(text) <= MAX_NAME_LENGTH
                return text if is_near else ""
        return ""

    @property
    def noise(self) -> tuple[Node, ...]:
        """The elements in the region that belong to no record."""
        return tuple(self.page.node(row) for row in self.segmentation.noise)

    @property
    def url(self) -> str | None:
        """The address that was given, or else the canonical address that the page states."""
        return address(self.page)

    @cached_property
    def next_url(self) -> str | None:
        """The address of the next page of the list: by a statement of the page, page numbers, or a button."""
        from pagesieve.headlines.links import next_page

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
        from pagesieve.records.columns import align

        return align(self.page, self.segmentation)

    @cached_property
    def fitted(self) -> Fitted | None:
        """The table in the columns of the schema that was applied, and what does not fit; None without a schema."""
        if self.applied is None:
            return None
        from pagesieve.records.schema import fit

        return fit(self.page, self.segmentation, self.applied)

    @property
    def schema(self) -> Schema:
        """The schema that was applied, or else one of the page's own columns and their marks."""
        from pagesieve.records.schema import Schema

        return self.applied or Schema.of(self)

    @property
    def drift(self) -> tuple[str, ...]:
        """What no longer fits the schema that was applied: columns not found, fields that it does not have."""
        return self.fitted.drift if self.fitted is not None else ()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Problems of the page, why only its source or its tree was used, and which prices stay text."""
        return (*self.remarks, *filter(None, map(self._unread, self.columns)))

    def _unread(self, column: Column) -> str:
        """Return a note about the prices of a column that cannot be read for certain; empty if there are none."""
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
        """For each record the number of the one that it answers, in a thread; None if it answers none."""
        if self.segmentation.answers:
            return _parents_by_place(self.segmentation)
        for stated in _stated_depths(self.page, self.segmentation).values():
            rank = {depth: k for k, depth in enumerate(sorted(set(stated)))}
            depths = [rank[depth] for depth in stated]
            if _is_thread(depths):
                return _parents_by_depth(depths)
        return (None,) * len(self)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For each record the number of records above it in the thread."""
        depths: list[int] = []
        for above in self.parents:
            depths.append(0 if above is None else depths[above] + 1)
        return tuple(depths)

    @cached_property
    def reader(self) -> Reader:
        """The reader of the records' texts."""
        from pagesieve.records.fields import Reader

        return Reader.of(self.page, self.segmentation.records)

    @cached_property
    def link_names(self) -> dict[str, str]:
        """The names of the links of columns, except for columns whose links are all in an earlier one."""
        if self.applied is not None:
            return self.applied.link_names
        seen: set[tuple[int, str]] = set()
        link_names: dict[str, str] = {}
        taken = {column.name for column in self.columns}
        links: dict[str, set[tuple[int, str]]] = {}
        for number, items in enumerate(self.table.records):
            for item in items:
                if item.link is not None and item.type != "image":
                    links.setdefault(item.name, set()).add((number, item.link))
        for column in self.columns:
            own = links.get(column.name, set())
            name = column.name + LINK_ENDING
            if own - seen and not column.listed and name not in taken:
                link_names[column.name] = name
                seen |= own
        return link_names

    @property
    def header(self) -> list[str]:
        """The names of a row's values, in order: each column, followed by its links."""
        links = self.link_names
        return [name for column in self.columns for name in (column.name, links.get(column.name)) if name is not None]

    def to_rows(self, typed: bool = False) -> list[Row]:
        """Return the table as one dict for each record, from column names to values; a missing value is None.

        Values are texts as on the page. If `typed`, numbers, counts and ratings are numbers, dates are in ISO 8601, a
        price has its `amount` and `currency`, and a column with several items in a record has lists. A price that
        cannot be read for certain, such as "$25,85000", stays text, and a note says so.
        """
        return [self._row(items, number, typed) for number, items in enumerate(self.table.records)]

    def _row(self, items: Sequence[Item], number: int, typed: bool) -> Row:
        """Return the row of a record."""
        links = self.link_names
        row: Row = dict.fromkeys(self.header)
        row |= {column.name: [] for column in self.columns if typed and column.listed}
        for place, item in enumerate(items):
            before, value = row[item.name], self._values.get((number, place)) if typed else item.value
            if isinstance(before, list):
                before.append(value)
            elif typed or before is None:
                row[item.name] = value
            elif value:
                row[item.name] = before + SEPARATOR + value
            if item.name in links:
                row[links[item.name]] = item.link
        return row

    @cached_property
    def _values(self) -> dict[tuple[int, int], Any]:
        """The typed values of all items, by record and place."""
        setting = setting_of(self.page, self.date)
        places: dict[str, list[tuple[int, int]]] = {column.name: [] for column in self.columns}
        for number, items in enumerate(self.table.records):
            for place, item in enumerate(items):
                if item.value is not None:
                    places[item.name].append((number, place))
        values: dict[tuple[int, int], Any] = {}
        for column in self.columns:
            texts = [self.table.records[number][place].value or "" for number, place in places[column.name]]
            values |= zip(places[column.name], read_values(texts, column.type, setting), strict=True)
        return values

    def to_csv(self, *, header: bool = True, harmless: bool = True) -> str:
        """Return the table as CSV, with a header unless `header` is false.

        If `harmless`, an apostrophe precedes cells that a spreadsheet program would read as a formula.
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
        """Return everything but the page itself as a dict for JSON, with typed values."""
        return {
            "url": self.url,
            "mode": self.mode,
            "notes": list(self.notes),
            "region": path_of(self.region),
            "name": self.name,
            "probability": round(self.probability, 3),
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
        from pagesieve.records.outputs import ParquetTable

        with closing(ParquetTable(path)) as table:
            table.add(self)

    def to_database(self, path_or_url: str | Path, table: str = TABLE) -> int:
        """Store the records in a table of a SQLite file or a PostgreSQL database; return how many are new.

        A missing table is created, and new columns are added. A record that is already stored is updated: it is
        identified by its site and its link, or else its values.
        """
        with closing(open_table(path_or_url, table)) as opened:
            return opened.add(self)

    def to_markdown(self) -> str:
        """Return the table as Markdown, with links: a table, or a list of cards if it is too wide for one.

        The records are those of `records`, in the same order; each is a row or an item. Images are left out.
        """
        from pagesieve.records.outputs import markdown

        return markdown(self)

    def to_table(self, width: int = 100) -> Table:
        """Return the table for a terminal, with as many columns as fit its width.

        Columns with more values, and more different values, come first; the others are named below the table.
        """
        from pagesieve.records.outputs import terminal_table

        return terminal_table(self, width)


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


# Threads


def _parents_by_place(region: Segmentation) -> tuple[int | None, ...]:
    """Return for each record the nearest record around it."""
    numbers = {record[0]: number for number, record in enumerate(region.records)}
    result: list[int | None] = []
    for record in region.records:
        row = region.answers.get(record[0])
        while row is not None and row not in numbers:
            row = region.answers.get(row)
        result.append(None if row is None else numbers[row])
    return tuple(result)


def _stated_depths(page: Page, region: Segmentation) -> dict[str, list[int]]:
    """Return the depths of all records by the attribute that states them, with NOT_STATED for records without it."""
    stated: dict[str, list[int]] = {}
    for number, record in enumerate(region.records):
        for row in range(record[0], min(record[0] + NEAR, int(page.end[record[-1]]))):
            for name, depth in _depths_of(page.attributes(row)):
                column = stated.setdefault(name, [NOT_STATED] * len(region.records))
                column[number] = max(column[number], depth)
    return stated


def _depths_of(attributes: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the depths that the attributes of an element state, with the names of the attributes."""
    for name in DEPTH_ATTRIBUTES:
        if attributes.get(name, "").isdecimal():
            yield name, int(attributes[name])
    for name, pattern in (("class", DEPTH_CLASS), ("style", INDENTED)):
        match = pattern.search(attributes.get(name, ""))
        if match:
            yield name, int(match[1])


def _is_thread(depths: list[int]) -> bool:
    """Whether depths are those of a thread: it begins at the top, and an answer is at most one deeper."""
    return depths[0] == 0 < max(depths) and all(after <= before + 1 for before, after in pairwise(depths))


def _parents_by_depth(depths: list[int]) -> tuple[int | None, ...]:
    """Return for each record the last one before it that is one less deep."""
    last: dict[int, int] = {}
    result: list[int | None] = []
    for number, depth in enumerate(depths):
        result.append(last.get(depth - 1))
        last[depth] = number
    return tuple(result)
