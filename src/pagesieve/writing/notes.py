"""Footnotes: which parts of a page are notes, which links lead to them, and which lead back.

A note is known by two links: one in the text, of a number or a sign, and one in the note that leads back to it. A link
without an answer is no reference: tables of contents have those.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np

from pagesieve.page.kernel import constants as kinds
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, KNOWN_TAGS, TAG_FLAGS, TAG_ID, tag_ids
from pagesieve.page.table import Bools, Page
from pagesieve.text.whitespace import fold

_LINK = TAG_ID["a"]
_NO_NOTES = tag_ids("h1 h2 h3 h4 h5 h6 body html table tr ul ol dl main article")
_CLOSE = 3  # levels: how far above a reference the element may be that the note leads back to
_NAMES = [ATTRIBUTE_ID["id"], ATTRIBUTE_ID["name"]]
# What references look like: numbers, a letter or two, signs, "note 1".
_REFERENCE = re.compile(
    r"(?i)(?:\d{1,4}|[a-z]{1,2}|[ivxl]{1,6}|[*†‡§¶]{1,4}|(?:note|nb|n|fn|anm\.?|注|註)\s?\d{1,3})[.:]?"
)
_BRACKETS = "[](){}⁽⁾［］（）〔〕^ "
_NO_LABEL = re.compile(r"[^\w-]+")


@dataclass
class Notes:
    """The notes of a page."""

    rows: array[int]  # what each row is: the number of the note that it is, less than 0 for a link to it, LEADS_BACK
    labels: list[str] = field(default_factory=list)  # of each note, as Markdown has them

    def label(self, number: int) -> str:
        """Return the label of a note by its number."""
        return self.labels[number - 1]


def find_notes(page: Page, kept: Bools) -> Notes | None:
    """Return the notes of a page of which both the note and a link to it are kept; None where there are none."""
    links = dict(_anchors(page, kept))
    places = _places(page, set(links.values()))
    notes = Notes(array("i", bytes(4 * len(page))))
    numbers: dict[int, int] = {}  # of the rows that are notes
    for link, name in links.items():
        label = fold(page.text(link)).strip(_BRACKETS)
        note = _note_of(page, places.get(name, 0)) if _REFERENCE.fullmatch(label) else 0
        if note <= link:  # notes follow the text
            continue
        back = _links_back(page, link, note, links, places)
        if not back:
            continue
        if note not in numbers:
            numbers[note] = len(numbers) + 1
            notes.rows[note] = numbers[note]
            notes.labels.append(_unused(label, numbers[note], notes.labels))
        notes.rows[link] = -numbers[note]
        for row in back:
            notes.rows[row] = kinds.LEADS_BACK
    return notes if numbers else None


def _anchors(page: Page, kept: Bools) -> Iterator[tuple[int, str]]:
    """Yield the links to places on the page that are kept, and the names of the places."""
    for row in np.flatnonzero(page.tag == _LINK).tolist():
        target = page.attribute(row, "href") or ""
        if target.startswith("#") and len(target) > 1 and any(kept[row : page.end[row]]):
            yield row, unquote(target[1:])


def _places(page: Page, names: set[str]) -> dict[str, int]:
    """Return the row of each name that links lead to."""
    named = np.flatnonzero(np.isin(page.attribute_name, _NAMES))
    rows = np.searchsorted(page.attribute_at, named, side="right") - 1
    found: dict[str, int] = {}
    for row in rows.tolist():
        for name in (page.attribute(row, "id"), page.attribute(row, "name")):
            if name in names:
                found.setdefault(name, row)
    return found


def _note_of(page: Page, row: int) -> int:
    """Return the block that is the note at a place; 0 where there is none."""
    while row > 0 and not (page.tag[row] < KNOWN_TAGS and TAG_FLAGS[page.tag[row]] & BLOCK):
        row = int(page.parent[row])
    return 0 if row <= 0 or page.tag[row] in _NO_NOTES else row


def _links_back(page: Page, link: int, note: int, links: dict[int, str], places: dict[str, int]) -> list[int]:
    """Return the links of a note that lead back, if one leads back to this link; else nothing."""
    inside = [row for row in links if note < row < page.end[note]]
    targets = {row: places.get(links[row], 0) for row in inside}
    if not any(target and _is_at(page, link, target) for target in targets.values()):
        return []
    return [row for row, target in targets.items() if target and not note <= target < page.end[note]]


def _is_at(page: Page, link: int, place: int) -> bool:
    """Whether a place is a link, something in it, or something close around it or just before it."""
    if link <= place < page.end[link]:
        return True
    above = link
    for _ in range(_CLOSE):
        above = int(page.parent[above])
        if above <= 0:
            return False
        if above == place:
            return True
        if page.tag[above] < KNOWN_TAGS and TAG_FLAGS[page.tag[above]] & BLOCK:
            return False
    return False


def _unused(label: str, number: int, used: list[str]) -> str:
    """Return a label that Markdown can write and that no other note has."""
    label = _NO_LABEL.sub("-", label).strip("-") or f"note-{number}"
    return label if label not in used else f"{label}-{number}"
