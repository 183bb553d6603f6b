"""The fields of the records of a region: places that records have in common, and what each record has there.

A field whose text, look or link differs between records is dynamic: it becomes a column. A field that is the same in
all records is static, a button or a label, and is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from statistics import fmean

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import KNOWN_TAGS, TAG_ID, TAGS, tag_ids
from pagesieve.page.lines import split
from pagesieve.page.stated import base_url, image_urls
from pagesieve.page.table import Page
from pagesieve.records.results import Place
from pagesieve.text.types import type_of
from pagesieve.text.urls import safe_urls

Roots = tuple[int, ...]
Field = kernel.records.fields.Field
CELLS, LABEL_ENDS = kernel.records.fields.CELLS, kernel.records.fields.LABEL_ENDS
label_of = kernel.records.fields.label_of

FEW = 3  # records: with fewer, it is unknown what stays the same
HALF = 0.5  # of the records
LABELLED = 0.8  # of the records of a field have a label before it: with fewer, it is not the field's label
SAMPLES = 5  # records, evenly spread, that represent all
MUCH_MORE = 1.5  # times the text of a field: an element with more text holds other things too

# A text made of pairs of a label and a value, such as "97% Size: 4K Depth: 2"
MIN_LABELS = 2
MIN_SHARE = 0.8  # of the texts have each of these labels
MAX_VALUE = 30  # characters of a value in most texts: longer values are prose

LINE = "line"  # the element of a line of several elements
LABEL_SIGNS = " :："  # not part of a label
CLASS = "."  # before a class in a step of a path

LOOKS = ("color", "background-color", "font-size", "font-weight", "font-style")
BUTTONS = tag_ids("button option select textarea")
_IMG = TAG_ID["img"]
_SEPARATORS = frozenset("-–—|·•,;:/")
_BEFORE = re.compile(r"(?:[-–—|·•,;:/]\s+)+")  # separates a text from the one before
_BEHIND = re.compile(r"(?:[-–—|·•,;/]\s+)*[-–—|·•,;/](?=\s)")  # and from the next, read backwards
_SIGNS = frozenset(" |,.·•‧・-–—/\\:;()[]{}<>»«›‹…*+&~_\"'")
_PAIR_END = re.compile(r"(?<!\s)\s+[-–—|·•]\s+|(?:(?<!\s)\s+)?[;\n]\s*")
_PAIR_LABEL = re.compile(r"(?:(?<=\s)|^)([^\W\d_][\w/]{1,19})[:：]\s+(?=\S)")
_STEP_LABEL = re.compile(r"^((?:[^\[]|\[\d+\])*+)\[.*\]")  # in a step of a path
_WORDS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,2}[:：]?")  # one to three


class Reader:
    """Reads the texts, links, images and looks of the rows `start` to `stop` of a page."""

    def __init__(self, page: Page, start: int, stop: int) -> None:
        self.page, self.start, self.stop = page, start, stop
        self.rows = kernel.records.rows.RecordRows(page, start, stop, split(page).first)
        self._urls: dict[int, str] = {}

    @classmethod
    def of(cls, page: Page, records: tuple[Roots, ...]) -> Reader:
        """Return a reader of some records, each given by its roots."""
        rows = [row for each in records for row in each]
        return cls(page, min(rows, default=0), max((int(page.end[row]) for row in rows), default=0))

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def links(self, items: Sequence[Roots]) -> list[str | None]:
        """Return for each item the address of the link around it, or of the first link inside it."""
        anchors = list(map(self.rows.anchors, items))
        self._read_urls([rows[0] for rows in anchors if rows])
        return list(map(self._first_url, anchors))

    def _first_url(self, anchors: Sequence[int]) -> str | None:
        for row in anchors:
            if row not in self._urls:
                self._read_urls([row])
            if self._urls[row]:
                return self._urls[row]
        return None

    def _read_urls(self, anchors: Sequence[int]) -> None:
        """Read the addresses of some links; empty for links within the page."""
        hrefs = {row: self.rows.href(row) for row in anchors if row not in self._urls}
        leading = ["" if href.startswith("#") else href for href in hrefs.values()]
        self._urls |= zip(hrefs, safe_urls(leading, self._base), strict=True)

    def images(self, rows: Sequence[int]) -> list[str | None]:
        """Return the address of each image, in whichever attribute the page has it."""
        return [url or None for url in image_urls(self.page, rows, self._base)]

    def look(self, row: int) -> tuple[int, ...]:
        """Return numbers for the look of a row; none if no browser has rendered the page."""
        style = getattr(self.page, "style", None)
        return () if style is None else tuple(style[row, self._look_columns].tolist())

    def is_shown(self, row: int) -> bool:
        """Whether a browser paints anything of a row; also true if no browser has rendered the page."""
        paint = getattr(self.page, "paint", None)
        return paint is None or bool((paint[row : self.rows.end(row)] >= 0).any())

    @cached_property
    def _look_columns(self) -> list[int]:
        from pagesieve.page.rendered import STYLES

        return [STYLES.index(name) for name in LOOKS]


def label_above(field: Field) -> str:
    """Return the label of the row or list entry that a field is in; empty if there is none."""
    place: Field | None = field
    while place is not None:
        if place.key[0] not in CELLS and place.key[2].strip():
            return place.key[2]
        place = place.above
    return ""


def is_words(text: str) -> bool:
    """Whether a text consists of one to three words, as a label does."""
    return _WORDS.fullmatch(text) is not None


class FieldValues:
    """A field with the text, rows and link of each of its items."""

    def __init__(self, reader: Reader, field: Field, place: Place, in_schema: bool) -> None:
        self.reader, self.field = reader, field
        self.place = place
        self.in_schema = in_schema  # it is a column even if it is static
        self.at, self.rows = field.at, field.roots
        if field.listed:
            self.at = [record for record, roots in zip(field.at, field.roots, strict=True) for _ in roots]
            self.rows = [(row,) for roots in field.roots for row in roots]
        self.samples = sample(field.roots)  # the rows in a few records
        self.label_above = label_above(field)
        texts = list(map(_without_separators, reader.rows.texts_of(self.rows, field.between)))
        self.label = label = _common_label(texts)  # what the texts began with
        self._set_texts([text[len(label) :].lstrip() for text in texts] if label else texts)
        self.by_label = True  # its label, if any, distinguishes it from other fields
        self.after = ""  # what follows it in all records, such as "views"

    def _set_texts(self, texts: list[str]) -> None:
        self.texts, self.wordings = texts, set(texts)
        self.is_image = self.wordings == {""}  # it has no text

    def part(self, label: str, texts: list[str]) -> FieldValues:
        """Return a field of a part of each text, without the empty parts."""
        part = copy(self)
        items = [k for k, text in enumerate(texts) if text]
        part.at, part.rows = [self.at[k] for k in items], [self.rows[k] for k in items]
        part._set_texts([texts[k] for k in items])
        part.label, part.after = label, ""
        part.__dict__.pop("links", None)
        return part

    def without_label(self) -> FieldValues:
        """Return the field at the place that it shares with fields of other labels."""
        field = copy(self)
        field.place = unlabelled(self.place)
        field.by_label = False
        return field

    @cached_property
    def links(self) -> list[str | None]:
        """The address that each item links to; that of the image if it is one."""
        if self.is_image:
            return self.reader.images(self.image_rows)
        return self.reader.links(self.rows)

    @cached_property
    def image_rows(self) -> list[int]:
        """The row of the first image of each item, or else its first row."""
        return list(map(self._image_row, self.rows))

    def _image_row(self, rows: Roots) -> int:
        below = range(rows[0], self.reader.rows.end(rows[-1]))
        return next((row for row in below if self.reader.rows.tag(row) == _IMG), rows[0])

    @property
    def alternatives(self) -> list[str]:
        """The alternative text of each image."""
        return [(text or "").strip() for text in self.reader.page.attribute_of_each(self.image_rows, "alt")]

    @property
    def is_linked(self) -> bool:
        """Whether most of its items are links: they have an address, and most of their text is in the link."""
        chars, linked = self.reader.page.text_chars.item, self.reader.page.link_chars.item
        count = len(self.rows) - self.links.count(None)
        for rows, link in zip(self.rows, self.links, strict=True):
            if 2 * count <= len(self.rows):
                return False
            count -= link is not None and 2 * sum(map(linked, rows)) <= sum(map(chars, rows))
        return 2 * count > len(self.rows)

    @property
    def is_part_of_link(self) -> bool:
        """Whether it is in a link that holds more: the whole record, or much of it."""
        rows, chars = self.reader.rows, self.reader.page.text_chars.item
        for roots in sample(self.rows):
            around = next(iter(rows.anchors(roots)), roots[0])
            if around >= roots[0] or chars(around) <= MUCH_MORE * sum(map(chars, roots)):
                return False
        return True

    @property
    def is_shown(self) -> bool:
        """Whether a browser paints any of it."""
        return any(self.reader.is_shown(row) for rows in self.rows for row in rows)

    @property
    def is_label(self) -> bool:
        """Whether it is only a label of the next field."""
        return len(self.wordings) == 1 and self.texts[0].endswith(LABEL_ENDS)

    @property
    def is_empty(self) -> bool:
        """Whether it has no content: punctuation between other fields, or images without an address."""
        if self.is_image:
            return not any(self.links)
        return len(self.wordings) == 1 and not set(self.texts[0]) - _SIGNS

    def is_static(self, records: int) -> bool:
        """Whether all records have it, with the same text, look and link."""
        if len(self.wordings) > 1 or self.field.listed:
            return False
        if self.field.glue or self._is_button or self.texts[0].rstrip(" :：") == (self.label_above or None):
            return True  # a button, or the label of the row that it is in
        if len(self.texts) < records or len(set(self.links)) > 1:
            return False
        return len({self.reader.look(rows[0]) for rows in self.rows}) == 1

    @property
    def _is_button(self) -> bool:
        return any(self.reader.rows.tag(row) in BUTTONS for row in self.rows[0]) or self.field.key[0] in BUTTONS


def sample(rows: Sequence[Roots]) -> Sequence[Roots]:
    """Return a few of the items of a field, evenly spread."""
    return rows[:: -(-len(rows) // SAMPLES)]


def _without_separators(text: str) -> str:
    """Return a text without the signs at its ends that separate it from its neighbours."""
    if not text or (text[0] not in _SEPARATORS and text[-1] not in _SEPARATORS):
        return text
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    behind = _BEHIND.match(text[::-1])  # backwards, so that a run of signs is read once
    return text[: len(text) - behind.end()].rstrip() if behind else text


def _common_label(texts: list[str]) -> str:
    """Return the label that all texts begin with, if each continues after it."""
    label = label_of(texts[0]) if texts else ""
    return label if label and all(text.startswith(label) and len(text) > len(label) for text in texts) else ""


# The fields of a region


def dynamic_fields(reader: Reader, records: tuple[Roots, ...], schema: Collection[Place]) -> list[FieldValues]:
    """Return the fields of some records that differ between them, and all fields at the places of a schema."""
    fields = _join_alike(kernel.records.fields.find(reader.rows, reader.page, records), len(records))
    places = places_of(reader.page, fields)
    values = [FieldValues(reader, each, place, place in schema) for each, place in zip(fields, places, strict=True)]
    return _join_alternatives(reader, _without_static(values, len(records)))


def _join_alike(fields: list[Field], records: int) -> list[Field]:
    """Join fields that are alike and that no record has both of."""
    joined: list[Field] = []
    open_fields: dict[object, tuple[Field, set[int]]] = {}
    for each in fields:
        key = _join_key(each, records)
        other = open_fields.get(key)
        if key is not None and other is not None and other[1].isdisjoint(each.at):
            _join(other[0], each)
            other[1].update(each.at)
        else:
            open_fields[key] = each, set(each.at)
            joined.append(each)
    return joined


def _join_key(field: Field, records: int) -> object:
    """Return the key that alike fields share: element, classes and label; for rare fields also the elements around."""
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
    """Add a field to another; the place is that of the field which more records have."""
    if len(other.at) > len(into.at):
        into.above, into.key = other.above, other.key
    pairs = sorted((*zip(into.at, into.roots, strict=True), *zip(other.at, other.roots, strict=True)))
    into.at, into.roots = [record for record, _ in pairs], [roots for _, roots in pairs]


def _without_static(fields: list[FieldValues], records: int) -> list[FieldValues]:
    """Return the dynamic fields; all fields if there are too few records to decide, or none is dynamic."""
    fields = [each for each in fields if not each.is_empty]
    if records < FEW:
        return _without_copies(fields)
    static = _static(fields, records)
    leading = _leading(fields, static)
    dynamic: list[FieldValues] = []
    label: FieldValues | None = None
    for each in fields:
        if id(each) not in static:
            each.label = each.label or (label.texts[0] if label is not None and _is_before(label, each) else "")
            dynamic.append(each)
            label = None
            continue
        if dynamic and label is None and id(each) not in leading:
            dynamic[-1].after = dynamic[-1].after or each.texts[0]
        label = each if each.is_label or each.field.glue or id(each) in leading else None
    return _without_copies(dynamic or fields)


def _static(fields: Sequence[FieldValues], records: int) -> set[int]:
    """Return the ids of the fields that are labels, or are the same in all records."""
    alone = _lone_glue(fields)
    return {
        id(each)
        for each in fields
        if not each.in_schema and id(each) not in alone and (each.is_label or each.is_static(records))
    }


def _leading(fields: Sequence[FieldValues], static: set[int]) -> set[int]:
    """Return the ids of the fields that are labels without a colon: there is one before each value of a place."""
    places: dict[tuple[int, int], list[FieldValues]] = {}
    for each in fields:
        places.setdefault((id(each.field.above), each.field.key[0]), []).append(each)
    return {
        id(each)
        for inside in places.values()
        if len(inside) % 2 == 0 and all((id(each) in static) == (k % 2 == 0) for k, each in enumerate(inside))
        for each in inside[::2]
        if is_words(each.texts[0])
    }


def _lone_glue(fields: Sequence[FieldValues]) -> set[int]:
    """Return the ids of the words between fields that are alone in some records: there they are the value."""
    others: dict[int, set[int]] = {}
    for each in fields:
        if not each.field.glue:
            others.setdefault(id(each.field.above), set()).update(each.at)
    return {
        id(each)
        for each in fields
        if each.field.glue and not others.get(id(each.field.above), set()).issuperset(each.at)
    }


def _is_before(label: FieldValues, field: FieldValues) -> bool:
    """Whether nearly all records that have a field have a label before it."""
    at = set(field.at)
    return len(at.intersection(label.at)) >= LABELLED * len(at)


def _join_alternatives(reader: Reader, fields: list[FieldValues]) -> list[FieldValues]:
    """Join neighbours in one place that no record has both of and that are of one type, but not texts.

    They differ only by a class, such as "hot" and "cold".
    """
    joined: list[FieldValues] = []
    for each in fields:
        last = joined[-1] if joined else None
        if last is not None and _are_alternatives(last, each):
            _join(last.field, each.field)
            joined[-1] = FieldValues(reader, last.field, last.place, last.in_schema or each.in_schema)
        else:
            joined.append(each)
    return joined


def _are_alternatives(one: FieldValues, other: FieldValues) -> bool:
    first, second = one.field, other.field
    if first.above is not second.above or first.key[::2] != second.key[::2] or first.listed or second.listed:
        return False
    if one.is_image or not set(first.at).isdisjoint(second.at):
        return False
    return type_of(one.texts) == type_of(other.texts) != "text"


def _without_copies(fields: list[FieldValues]) -> list[FieldValues]:
    """Drop fields that repeat another field in every record, as on pages written for several screens.

    A field that is shown comes before one that is not, and an earlier field before a later one.
    """
    seen: set[tuple[int, str, str | None]] = set()
    originals = set()
    for number, each in sorted(enumerate(fields), key=lambda pair: not pair[1].is_shown):
        items = set(zip(each.at, each.texts, each.links, strict=True))
        if items <= seen and not each.in_schema:
            continue
        seen |= items
        seen.update((record, text, None) for record, text in zip(each.at, each.texts, strict=True))
        originals.add(number)
    return [each for number, each in enumerate(fields) if number in originals]


# Places


def places_of(page: Page, fields: Iterable[Field]) -> list[Place]:
    """Return the place of each field, given all fields of some records in document order."""
    counts = Counter[tuple[str, ...]]()
    paths: dict[Field, tuple[str, ...]] = {}
    places = []
    for field in fields:
        path = _path(page, field, paths)
        counts[path] += 1
        places.append(Place(path, counts[path]))
    return places


def unlabelled(place: Place) -> Place:
    """Return a place without the labels of its steps; the numbers of cells stay."""
    return Place(tuple(_STEP_LABEL.sub(r"\1", step) for step in place.path))


def _path(page: Page, field: Field, paths: dict[Field, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the steps down to a field; `paths` has those of the fields around it."""
    way: list[Field] = []
    place: Field | None = field
    while place is not None and place.above is not None and place not in paths:
        way.append(place)
        place = place.above
    path = paths.get(place, ()) if place is not None else ()
    for each in reversed(way):
        path = paths[each] = (*path, _step(page, each))
    return path


def _step(page: Page, place: Field) -> str:
    tag, classes, label = place.key
    if tag == kernel.records.fields.LINE:
        name = LINE
    else:
        name = TAGS[tag] if tag < KNOWN_TAGS else page.tag_name(place.roots[0][0])
    label = label.strip(LABEL_SIGNS)
    return CLASS.join((f"{name}[{label}]" if label else name, *sorted(classes)))


def itemprops_of(page: Page, fields: Iterable[Field | None]) -> list[str]:
    """Return for each field the `itemprop` of the innermost element of the record around it; empty if none has one."""
    number = page.attribute_number("itemprop")
    return ["" if number is None or field is None else _itemprop_of(page, field, number) for field in fields]


def _itemprop_of(page: Page, field: Field, number: int) -> str:
    outermost: Field = field
    while outermost.above is not None:
        outermost = outermost.above
    if not field.roots:
        return ""
    top = outermost.roots[field.at[0]]
    row = field.roots[0][0]
    while row >= top[0]:
        if value := kernel.page.stated.attribute(page, row, number):
            return value.split()[0] if value.split() else ""
        row = int(page.parent[row])
    return ""


# Pairs of labels and values in one text

Pair = tuple[str, str]  # label, empty if there is none, and value


def split_pairs(fields: Sequence[FieldValues]) -> tuple[list[FieldValues], list[FieldValues]]:
    """Split fields that are made of pairs; return all fields then, and those that were split."""
    parts = [_parts(each) for each in fields]
    whole = [field for field, own in zip(fields, parts, strict=True) if own]
    return [each for field, own in zip(fields, parts, strict=True) for each in own or [field]], whole


def _parts(values: FieldValues) -> list[FieldValues]:
    """Return a field for each label in the texts of a field, and one for the rest; none if texts are not of pairs."""
    if len(values.texts) < FEW or values.field.listed or values.label or not _has_colons(values.texts):
        return []
    pairs = [list(_pairs(text)) for text in values.texts]
    labels = _recurring_labels(pairs)
    if not labels:
        return []
    by_label = [_by_label(each, labels) for each in pairs]
    names = {"": "", **{label: f"{label}:" for label in labels}}
    parts = [values.part(name, [each.get(label, "") for each in by_label]) for label, name in names.items()]
    return [part for part in parts if part.texts]


def _has_colons(texts: Sequence[str]) -> bool:
    """Whether nearly all texts have colons; stops at the first text that decides."""
    left = (1 - MIN_SHARE) * len(texts)  # texts that may have none
    for text in texts:
        if text.count(":") + text.count("：") < MIN_LABELS:
            left -= 1
            if left < 0:
                return False
    return True


def _recurring_labels(pairs: Sequence[Sequence[Pair]]) -> list[str]:
    """Return the labels that recur, in their usual order; none if the texts are not made of pairs."""
    counts = Counter(label for each in pairs for label in dict.fromkeys(label for label, _ in each if label))
    if sum(count >= MIN_SHARE * len(pairs) for count in counts.values()) < MIN_LABELS:
        return []
    lengths = [len(value) for each in pairs for label, value in each if label]
    if sum(length > MAX_VALUE for length in lengths) > (1 - MIN_SHARE) * len(lengths):
        return []
    places: dict[str, list[float]] = {label: [] for label, count in counts.items() if count >= FEW}
    for each in pairs:
        for k, (label, _) in enumerate(each):
            if label in places:
                places[label].append(k / len(each))
    return sorted(places, key=lambda label: fmean(places[label]))


def _pairs(text: str) -> Iterator[Pair]:
    """Cut a text into its labels and values."""
    for piece in _PAIR_END.split(text):
        labels = list(_PAIR_LABEL.finditer(piece))
        before = piece[: labels[0].start()] if labels else piece
        if before.strip():
            yield "", before.strip(" ,")
        for k, label in enumerate(labels):
            end = labels[k + 1].start() if k + 1 < len(labels) else len(piece)
            yield label[1], piece[label.end() : end].strip(" ,")


def _by_label(pairs: Sequence[Pair], recurring: Sequence[str]) -> dict[str, str]:
    """Return the value of each label; rare labels, and second values of a label, stay in the text without one."""
    values: dict[str, str] = {}
    rest: list[str] = []
    for label, value in pairs:
        if label in recurring and label not in values:
            values[label] = value
        else:
            rest.append(f"{label}: {value}" if label else value)
    return values | {"": " - ".join(rest)}
