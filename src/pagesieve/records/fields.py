"""The fields that the records of a region have in common, which the kernel finds, and their labels."""

from __future__ import annotations

import re

from pagesieve.page import kernel
from pagesieve.records.reading import Reader
from pagesieve.records.values import is_one_value

Roots = tuple[int, ...]
Field = kernel.record_fields.Field

CELLS, LABEL_ENDS = kernel.record_fields.CELLS, kernel.record_fields.LABEL_ENDS

_LABEL = re.compile(rf"[^\W\d_][^:：]{{0,{kernel.record_fields.LONGEST_LABEL}}}?(?::(?=\s|$)|：)")


def find_fields(reader: Reader, records: tuple[Roots, ...]) -> list[Field]:
    """Return the fields of some records, in document order."""
    return kernel.record_fields.find(reader.rows, reader.page, records, is_one_value, label_of)


def label_above(field: Field) -> str:
    """Return the label of the row or list entry that a field is in; empty where there is none."""
    place: Field | None = field
    while place is not None:
        if place.key[0] not in CELLS and place.key[2].strip():
            return place.key[2]
        place = place.above
    return ""


def label_of(text: str) -> str:
    """Return the label that a text begins with, such as "Price:" of "Price: 3"; empty where it has none."""
    if ":" not in text and "：" not in text:
        return ""
    found = _LABEL.match(text)
    return found[0] if found else ""
