"""Items: what the records of a region hold, laid under each other as the columns of a table.

A field (see pagesieve.records.fields) whose text, look or link differs between records is dynamic: an item. One that
stays the same in all of them is static, a button or a label, and is dropped. Which items make which columns, with which
names and types, is told in pagesieve.records.columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter

from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.table import Page
from pagesieve.records.columns import FEW, add_ratings, make_columns
from pagesieve.records.drafts import HALF, Draft, draft_all
from pagesieve.records.fields import Field, find_fields, label_above
from pagesieve.records.filled import Filled
from pagesieve.records.marks import LABEL_SIGNS, Mark, Place, itemprop_of, places_of, typical_length
from pagesieve.records.naming import Namer, distinct, is_words
from pagesieve.records.pairs import split_pairs
from pagesieve.records.ratings import find_ratings
from pagesieve.records.reading import Reader
from pagesieve.records.results import Column, Item, Items, Segmentation
from pagesieve.records.values import type_of

LABELLED = 0.8  # of the records with a field have its label: fewer, and it is no label of the field

_IMG = TAG_ID["img"]


def align(page: Page, segmentation: Segmentation, known: Collection[Place] = ()) -> Items:
    """Return the items of the records of a region, aligned in columns.

    Fields at `known` places are columns even where they say the same in all records.
    """
    records = segmentation.records
    reader = Reader.of(page, records)
    found = _joined(find_fields(reader, records), len(records))
    fields = [
        Filled(reader, each, place, place in known) for each, place in zip(found, places_of(page, found), strict=True)
    ]
    dynamic = _join_alternatives(reader, _dynamic(fields, len(records)))
    namer = Namer(reader)
    parts, whole = _with_pairs(dynamic)
    columns, others = make_columns(namer, parts, len(records))
    others += draft_all(namer, whole, len(records))
    if not any(each.type == "rating" for each in columns) and (told := find_ratings(page, records)):
        add_ratings(columns, told)
    return _table(columns, others, len(records))


def _joined(fields: list[Field], records: int) -> list[Field]:
    """Join fields that are alike and that no record has both of."""
    found: list[Field] = []
    open_fields: dict[object, tuple[Field, set[int]]] = {}
    for each in fields:
        alike = _alike(each, records)
        known = open_fields.get(alike)
        if alike is not None and known is not None and known[1].isdisjoint(each.at):
            _join(known[0], each)
            known[1].update(each.at)
        else:
            open_fields[alike] = each, set(each.at)
            found.append(each)
    return found


def _alike(field: Field, records: int) -> object:
    """Return the key by which fields are alike: element, classes and label; of rare ones also the elements around."""
    if field.listed:
        return None
    if field.key[0] == _IMG:
        return field.key
    if field.key[1]:
        return field.key, label_above(field)
    if len(field.at) > HALF * records or field.above is None or field.above.above is None:
        return None
    return field.key, field.above.key[0], field.above.above.key[0], label_above(field)


def _join(into: Field, other: Field) -> None:
    """Take in another field; the place is that of the one which more records have."""
    if len(other.at) > len(into.at):
        into.above, into.key = other.above, other.key
    pairs = sorted((*zip(into.at, into.roots, strict=True), *zip(other.at, other.roots, strict=True)))
    into.at, into.roots = [record for record, _ in pairs], [roots for _, roots in pairs]


def _dynamic(fields: list[Filled], records: int) -> list[Filled]:
    """Return the fields that change; all of them where the records are too few to tell, or all the same."""
    spoken = [each for each in fields if not each.is_empty]
    if records < FEW:
        return _without_copies(spoken)
    static = _static(spoken, records)
    leading = _leading(spoken, static)
    kept: list[Filled] = []
    label: Filled | None = None
    for each in spoken:
        if id(each) not in static:
            each.label = each.label or (label.texts[0] if label is not None and _is_before(label, each) else "")
            kept.append(each)
            label = None
            continue
        leads = each.is_label or each.field.glue or id(each) in leading
        if kept and label is None and id(each) not in leading:
            kept[-1].after = kept[-1].after or each.texts[0]
        label = each if leads else None
    return _without_copies(kept or spoken)


def _static(fields: Sequence[Filled], records: int) -> set[int]:
    """Return the identities of fields that are labels, or stay the same in all records."""
    alone = _said_alone(fields)
    return {
        id(each)
        for each in fields
        if not each.known and id(each) not in alone and (each.is_label or each.is_static(records))
    }


def _leading(fields: Sequence[Filled], static: set[int]) -> set[int]:
    """Return the identities of fields that are labels without a colon: they stand before each value of one place."""
    places: dict[tuple[int, int], list[Filled]] = {}
    for each in fields:
        places.setdefault((id(each.field.above), each.field.key[0]), []).append(each)
    return {
        id(each)
        for inside in places.values()
        if len(inside) % 2 == 0 and all((id(each) in static) == (k % 2 == 0) for k, each in enumerate(inside))
        for each in inside[::2]
        if is_words(each.texts[0])
    }


def _said_alone(fields: Sequence[Filled]) -> set[int]:
    """Return the identities of words between fields that some records have without any: there they are the value."""
    beside: dict[int, set[int]] = {}
    for each in fields:
        if not each.field.glue:
            beside.setdefault(id(each.field.above), set()).update(each.at)
    return {
        id(each)
        for each in fields
        if each.field.glue and not beside.get(id(each.field.above), set()).issuperset(each.at)
    }


def _is_before(label: Filled, field: Filled) -> bool:
    """Whether nearly all records that have a field have a label before it."""
    at = set(field.at)
    return len(at.intersection(label.at)) >= LABELLED * len(at)


def _with_pairs(fields: list[Filled]) -> tuple[list[Filled], list[Filled]]:
    """Return fields with those in parts that are made of labels and values, and these as they were."""
    found: list[Filled] = []
    whole: list[Filled] = []
    for each in fields:
        parts = split_pairs(each)
        found += parts or [each]
        whole += [each] if parts else []
    return found, whole


def _join_alternatives(reader: Reader, fields: list[Filled]) -> list[Filled]:
    """Join neighbours in one place that no record has both of, and that are numbers, dates or the like in all of them.

    Only a class tells them apart, such as "hot" and "cold".
    """
    found: list[Filled] = []
    for each in fields:
        last = found[-1] if found else None
        if last is not None and _are_alternatives(last, each):
            _join(last.field, each.field)
            found[-1] = Filled(reader, last.field, last.place, last.known or each.known)
        else:
            found.append(each)
    return found


def _are_alternatives(one: Filled, other: Filled) -> bool:
    first, second = one.field, other.field
    if first.above is not second.above or first.key[::2] != second.key[::2] or first.listed or second.listed:
        return False
    if one.is_image or not set(first.at).isdisjoint(second.at):
        return False
    return type_of(one.texts) == type_of(other.texts) != "text"


def _without_copies(fields: list[Filled]) -> list[Filled]:
    """Drop fields that say in every record what another one says, as on pages written for several screens.

    The one that is shown stays, or else the first.
    """
    said: set[tuple[int, str, str | None]] = set()
    kept = set()
    for number, each in sorted(enumerate(fields), key=lambda pair: not pair[1].is_shown):
        told = set(zip(each.at, each.texts, each.links, strict=True))
        if told <= said and not each.known:
            continue
        said |= told
        said.update((record, text, None) for record, text in zip(each.at, each.texts, strict=True))
        kept.add(number)
    return [each for number, each in enumerate(fields) if number in kept]


def _table(columns: Sequence[Draft], others: Sequence[Draft], records: int) -> Items:
    # Names go first to what most records have, so that a rare column takes no name from another.
    order = sorted(range(len(columns)), key=lambda k: len(columns[k].at) < HALF * records)
    names = dict(zip(order, distinct([columns[k].name for k in order]), strict=True))
    for number, name in names.items():
        columns[number].name = name
    return Items(
        tuple(Column(each.name, each.type, each.listed) for each in columns),
        _items(columns, records),
        tuple(map(_mark, columns)),
        _items(others, records),
    )


def _mark(column: Draft) -> Mark:
    """Return what a column is recognised by on other pages."""
    filled = column.source
    if filled is None:  # what attributes tell
        return Mark(Place((column.name,)), column.name, column.type)
    label = (filled.label or label_above(filled.field)).strip(LABEL_SIGNS) if filled.by_label else ""
    itemprop = itemprop_of(filled.reader.page, filled.field)
    return Mark(filled.place, column.name, column.type, label, itemprop, typical_length(filled.texts))


def _items(columns: Sequence[Draft], records: int) -> tuple[tuple[Item, ...], ...]:
    found: list[list[Item]] = [[] for _ in range(records)]
    for each in columns:
        name, type = each.name, each.type
        for record, text, rows, link, label, unit in each.cells:
            said = text
            if (label or unit) and type != "image":
                said = " ".join(filter(None, (label, text, unit)))
            found[record].append(Item(name, type, said, link, rows, label, unit))
    return tuple(tuple(sorted(items, key=attrgetter("rows"))) if len(items) > 1 else tuple(items) for items in found)
