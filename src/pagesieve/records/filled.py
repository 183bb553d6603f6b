"""Fields with what they hold in each record: texts, links, images."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property

from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.records.fields import LABEL_ENDS, Field, Roots, label_above, label_of
from pagesieve.records.marks import Place, unlabelled
from pagesieve.records.reading import Reader

LOOKED_AT = 5  # items, evenly spread
MUCH_MORE = 1.5  # times a text: an element with more holds other things too

BUTTONS = tag_ids("button option select textarea")
_IMG = TAG_ID["img"]
_PARTING = frozenset("-–—|·•,;:/")
_AROUND = re.compile(
    r"^(?:[-–—|·•,;:/]\s+)+|(?<!\s)(?<!\s[-–—|·•,;/])(?:\s++[-–—|·•,;/])++\s*+$"
)  # what parts a text from the next
_SIGNS = frozenset(" |,.·•‧・-–—/\\:;()[]{}<>»«›‹…*+&~_\"'")


class Filled:
    """A field with its texts and links: one of each an item."""

    def __init__(self, reader: Reader, field: Field, place: Place, known: bool) -> None:
        self.reader, self.field = reader, field
        self.place = place
        self.known = known  # to a schema: it is a column whatever it says
        self.at, self.rows = field.at, field.roots
        if field.listed:
            self.at = [record for record, roots in zip(field.at, field.roots, strict=True) for _ in roots]
            self.rows = [(row,) for roots in field.roots for row in roots]
        self.texts = list(map(_without_signs, reader.rows.texts_of(self.rows, field.between)))
        self.label = label = _common_label(self.texts)  # taken off what it stands before
        if label:
            self.texts = [text[len(label) :].lstrip() for text in self.texts]
        self.by_label = True  # it is told apart by its label, where it has one
        self.after = ""  # what stands behind it in all records, such as "views"
        self.wordings = set(self.texts)

    def part(self, label: str, texts: list[str]) -> Filled:
        """Return a field of a part of each text, less those that are empty."""
        found = copy(self)
        kept = [k for k, text in enumerate(texts) if text]
        found.at, found.rows = [self.at[k] for k in kept], [self.rows[k] for k in kept]
        found.texts = [texts[k] for k in kept]
        found.label = label
        found.wordings, found.after = set(found.texts), ""
        found.__dict__.pop("links", None)
        return found

    def without_label(self) -> Filled:
        """Return the field as one of all labels: at the place that its label does not tell apart."""
        found = copy(self)
        found.place = unlabelled(self.place)
        found.by_label = False
        return found

    @cached_property
    def links(self) -> list[str | None]:
        """The address that each item links to, or of an image its own."""
        if self.is_image:
            return [self.reader.image(self.image_row(rows)) for rows in self.rows]
        return list(map(self.reader.link, self.rows))

    @property
    def is_linked(self) -> bool:
        """Whether most of its items are links: they have an address, and most of their text is in it."""
        chars, linked = self.reader.page.text_chars.item, self.reader.page.link_chars.item
        count = len(self.rows) - self.links.count(None)
        for rows, link in zip(self.rows, self.links, strict=True):
            if 2 * count <= len(self.rows):
                return False
            count -= link is not None and 2 * sum(map(linked, rows)) <= sum(map(chars, rows))
        return 2 * count > len(self.rows)

    @property
    def is_part_of_link(self) -> bool:
        """Whether it stands in a link that holds more: the whole record, or much of it."""
        rows, chars = self.reader.rows, self.reader.page.text_chars.item
        for roots in self.rows[:: -(-len(self.rows) // LOOKED_AT)]:
            around = next(iter(rows.anchors(roots)), roots[0])
            if around >= roots[0] or chars(around) <= MUCH_MORE * sum(map(chars, roots)):
                return False
        return True

    @property
    def is_image(self) -> bool:
        """Whether it has no text."""
        return self.wordings == {""}

    def image_row(self, rows: Roots) -> int:
        """Return the row of the image among some rows."""
        return next(
            (row for row in range(rows[0], self.reader.rows.end(rows[-1])) if self.reader.rows.tag(row) == _IMG),
            rows[0],
        )

    @property
    def is_shown(self) -> bool:
        """Whether a browser shows any of it."""
        return any(self.reader.is_shown(row) for rows in self.rows for row in rows)

    @property
    def is_label(self) -> bool:
        """Whether it is only a label of what comes next."""
        return len(self.wordings) == 1 and self.texts[0].endswith(LABEL_ENDS)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: punctuation between other fields, or images without an address."""
        if self.is_image:
            return not any(self.links)
        return len(self.wordings) == 1 and not set(self.texts[0]) - _SIGNS

    def is_static(self, records: int) -> bool:
        """Whether it is there in all records and stays the same in text, look and link."""
        if len(self.wordings) > 1 or self.field.listed:
            return False
        if self.field.glue or self._is_button or self.texts[0].rstrip(" :：") == (label_above(self.field) or None):
            return True  # a button, or the label of the row that it is in
        if len(self.texts) < records or len(set(self.links)) > 1:
            return False
        return len({self.reader.look(rows[0]) for rows in self.rows}) == 1

    @property
    def _is_button(self) -> bool:
        return any(self.reader.rows.tag(row) in BUTTONS for row in self.rows[0]) or self.field.key[0] in BUTTONS


def _without_signs(text: str) -> str:
    """Return a text without the signs at its ends that part it from the next; few have any."""
    return _AROUND.sub("", text) if text and (text[0] in _PARTING or text[-1] in _PARTING) else text


def _common_label(texts: list[str]) -> str:
    """Return the label that all texts begin with, if each goes on after it."""
    label = label_of(texts[0]) if texts else ""
    return label if label and all(text.startswith(label) and len(text) > len(label) for text in texts) else ""
