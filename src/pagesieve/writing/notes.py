"""Footnotes: which parts of a page are notes, which links lead to them, and which lead back.

Two links mark a note: one in the text, of a number or a sign, and one in the note that leads back to it. A link without
a link back is not a reference: tables of contents have those.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel import constants as kinds
from pagesieve.page.kernel.tags import BLOCK, KNOWN_TAGS, TAG_FLAGS, TAG_ID, tag_ids
from pagesieve.page.table import Bools, Page
from pagesieve.text.whitespace import fold

_LINK = TAG_ID["a"]
_NO_NOTES = tag_ids("h1 h2 h3 h4 h5 h6 body html table tr ul ol dl main article")
_CLOSE = 3  # levels: how far above a reference the element may be that the note leads back to
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


def find_notes(page: Page, kept: Bools, prefix: str = "") -> Notes | None:
    """Return the notes of a page whose text and reference are both kept; None if there are none.

    Their labels begin with `prefix`.
    """
    links = dict(_anchors(page, kept))
    places = _places(page, set(links.values()))
    answers = _Answers(page, [(link, place) for link, name in links.items() if (place := places.get(name, 0))])
    notes = Notes(array("i", bytes(4 * len(page))))
    numbers, used = dict[int, int](), set[str]()  # the numbers of the rows that are notes, and their labels
    for link, name in links.items():
        label = fold(page.text(link)).strip(_BRACKETS)
        note = _note_of(page, places.get(name, 0)) if _REFERENCE.fullmatch(label) else 0
        if note <= link:  # notes follow the text
            continue
        targets = answers.of(note)
        if not targets.back or not targets.lead_to(page, link):
            continue
        if note not in numbers:
            numbers[note] = len(numbers) + 1
            notes.rows[note] = numbers[note]
            notes.labels.append(_unused(prefix + label, numbers[note], used))
            used.add(notes.labels[-1])
            for row in targets.back:
                notes.rows[row] = kinds.LEADS_BACK
        notes.rows[link] = -numbers[note]
    return notes if numbers else None


def _anchors(page: Page, kept: Bools) -> Iterator[tuple[int, str]]:
    """Yield the links to places on the page that are kept, and the names of the places."""
    rows, before = np.flatnonzero(page.tag == _LINK), np.append(0, np.cumsum(kept))
    for row in rows[before[page.end[rows]] > before[rows]].tolist():
        target = page.attribute(row, "href") or ""
        if target.startswith("#") and len(target) > 1:
            yield row, unquote(target[1:])


def _places(page: Page, names: set[str]) -> dict[str, int]:
    """Return the row of each name that links lead to."""
    rows: dict[str, int] = kernel.page.stated.rows_with_name(page, names)
    return rows


def _note_of(page: Page, row: int) -> int:
    """Return the block that is the note at a place; 0 if there is none."""
    while row > 0 and not (page.tag[row] < KNOWN_TAGS and TAG_FLAGS[page.tag[row]] & BLOCK):
        row = int(page.parent[row])
    return 0 if row <= 0 or page.tag[row] in _NO_NOTES else row


@dataclass(frozen=True, slots=True)
class _Answer:
    """The targets of the links in a note."""

    places: list[int]  # in order
    back: list[int]  # the links that lead out of the note

    def lead_to(self, page: Page, link: int) -> bool:
        """Whether one leads to a link, to something in it, or to something close around it or just before it."""
        at = bisect_left(self.places, link)
        if at < len(self.places) and self.places[at] < page.end[link]:
            return True
        above = link
        for _ in range(_CLOSE):
            above = int(page.parent[above])
            if above <= 0:
                return False
            at = bisect_left(self.places, above)
            if at < len(self.places) and self.places[at] == above:
                return True
            if page.tag[above] < KNOWN_TAGS and TAG_FLAGS[page.tag[above]] & BLOCK:
                return False
        return False


class _Answers:
    """The links of all notes, each note's found once."""

    def __init__(self, page: Page, links: list[tuple[int, int]]) -> None:
        self._page, self._links = page, links  # the links in order, with the places they lead to
        self._known: dict[int, _Answer] = {}

    def of(self, note: int) -> _Answer:
        """Return the targets of the links in a note."""
        if note not in self._known:
            end = int(self._page.end[note])
            inside = self._links[bisect_left(self._links, (note + 1, 0)) : bisect_left(self._links, (end, 0))]
            back = [link for link, place in inside if not note <= place < end]
            self._known[note] = _Answer(sorted(place for _, place in inside), back)
        return self._known[note]


def _unused(label: str, number: int, used: Container[str]) -> str:
    """Return a label that Markdown can write and that no other note has."""
    label = _NO_LABEL.sub("-", label).strip("-") or f"note-{number}"
    return label if label not in used else f"{label}-{number}"
