"""Apply a schema to the records of a page: the same columns on every page, and what no longer fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pagesieve.errors import NothingFound
from pagesieve.records.items import align
from pagesieve.records.marks import path_likeness, step_likeness
from pagesieve.records.matching import match, ranked
from pagesieve.records.results import Column, Item, Items, path_of
from pagesieve.records.schema import Schema, SchemaColumn, signature

if TYPE_CHECKING:
    from pagesieve.page.table import Page
    from pagesieve.records.results import Records, Segmentation

FITS = 0.2  # of the schema's columns are in the best region of a page
FITS_OTHER = 0.5  # in another region, where the best does not fit
RECORD, REGION = 0.2, 0.1  # what it is worth that the records, and the elements around them, are as in the schema


@dataclass(frozen=True, slots=True)
class Fitted:
    """The table of some records by a schema."""

    items: Items
    missing: tuple[str, ...]  # columns that the page does not have
    unknown: tuple[str, ...]  # fields of the page that are not in the schema, as the page calls them

    @property
    def drift(self) -> tuple[str, ...]:
        """What no longer fits, in words."""
        told = (("columns not found", self.missing), ("fields not in the schema", self.unknown))
        return tuple(f"{what}: {', '.join(names)}" for what, names in told if names)


def fit(page: Page, segmentation: Segmentation, schema: Schema) -> Fitted:
    """Return the items of the records of a region in the columns of a schema."""
    found = align(page, segmentation, {column.mark.place for column in schema.columns})
    columns = _columns_of(found, schema)
    rows = tuple(_row(items, columns) for items in found.records)
    others = tuple(
        (*rest, *_left(items, row)) for items, row, rest in zip(found.records, rows, found.others, strict=True)
    )
    there = {column.name for column in columns.values()}
    known = tuple(Column(column.name, column.type, column.listed) for column in schema.kept)
    marks = tuple(column.mark for column in schema.kept)
    return Fitted(
        Items(known, rows, marks, others),
        tuple(column.name for column in schema.kept if column.name not in there),
        tuple(column.name for column in found.columns if column.name not in columns),
    )


def _columns_of(found: Items, schema: Schema) -> dict[str, SchemaColumn]:
    """Return which column of a schema each column of a page is; several are one where no record has both."""
    at: dict[str, set[int]] = {column.name: set() for column in found.columns}
    for number, items in enumerate(found.records):
        for item in items:
            at[item.name].add(number)
    names: dict[str, SchemaColumn] = {}
    records: dict[int, set[int]] = {}  # that have an item, by the number of the schema's column
    for _, own, number in ranked(found.marks, [column.mark for column in schema.columns]):
        name = found.columns[own].name
        if name not in names and records.get(number, set()).isdisjoint(at[name]):
            names[name] = schema.columns[number]
            records[number] = records.get(number, set()) | at[name]
    return names


def _row(items: Sequence[Item], columns: dict[str, SchemaColumn]) -> tuple[Item, ...]:
    """Return the items of a record that are in columns of the schema; the first of each where it has one only."""
    found: list[Item] = []
    taken: set[str] = set()
    for item in items:
        column = columns.get(item.name)
        if column is not None and column.keep and (column.listed or column.name not in taken):
            taken.add(column.name)
            found.append(item._replace(name=column.name, type=column.type))
    return tuple(found)


def _left(items: Sequence[Item], row: Sequence[Item]) -> Sequence[Item]:
    """Return the items of a record that are in no column of the schema."""
    taken = {(item.rows, item.text) for item in row}
    return [item for item in items if (item.rows, item.text) not in taken]


def apply(found: Records, schemas: Sequence[Schema]) -> Records:
    """Return the records of the region that fits one of some schemas best, in its columns.

    Raises NothingFound where no region of the page fits any.
    """
    best: tuple[float, Records, Schema] | None = None
    for region in found.regions:
        least = FITS if region.number == found.number else FITS_OTHER
        for schema in schemas:
            points = _points(region, schema, least)
            if points > (best[0] if best else 0.0):
                best = points, region, schema
        if best is not None and best[0] >= FITS_OTHER:
            break
    if best is None:
        raise NothingFound("the schema fits no list of this page")
    _, region, schema = best
    return replace(region, applied=schema)


def _points(region: Records, schema: Schema, least: float) -> float:
    """Return how well a region fits a schema; 0 where it has less than some share of the columns."""
    pairs = match(region.table.marks, [column.mark for column in schema.columns])
    total = sum(column.pages for column in schema.columns)
    share = sum(schema.columns[number].pages for number in pairs.values()) / total
    if share < least:
        return 0.0
    alike = step_likeness(signature(region.reader, region.segmentation.records), schema.record)
    around = path_likeness(tuple(path_of(region.region).split(" > ")), tuple(schema.region.split(" > ")))
    return share + RECORD * alike + REGION * around
