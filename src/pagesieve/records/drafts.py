"""Columns in the making: each field with a name and a type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pagesieve.records.column_types import column_type
from pagesieve.records.fields import Roots
from pagesieve.records.filled import Filled
from pagesieve.records.naming import Namer, words_of
from pagesieve.records.results import Type
from pagesieve.records.values import counted_in, is_count

HALF = 0.5  # of the records
FEW_LABELS = 2  # records that have a label, of four or more: fewer, and it is no name
LONG_TITLE = 8  # characters of a title, on average at least
VARIED = 0.3  # of the titles are different ones
SAME_TITLES = 0.8  # of the texts of a field say the same: they are no titles,
FEW_TITLES = 3  # if there are so many
LONG_TEXT = 8  # words of prose, on average at least
LONG_LINK = 20  # words of prose that is a link as a whole

BODY, TITLE = "body", "title"
NAMING = frozenset(("price", "date", "image", "rating"))  # types that are a name, where classes tell little
_PROSE = frozenset("abstract body desc description excerpt snippet summary teaser".split())  # words of names of texts
_TITLES = frozenset((TITLE, "headline"))  # words of names of titles,
_PERSONS = frozenset("artist author brand company poster seller shop store user vendor".split())  # whose names differ
_NAMES = _TITLES | {"name"}  # and of what may stand for one


class Cell(NamedTuple):
    """What a record has in a column."""

    record: int
    text: str
    rows: Roots
    link: str | None
    label: str = ""
    unit: str = ""


@dataclass(slots=True)
class Draft:
    """A column in the making."""

    name: str
    type: Type
    cells: list[Cell]
    source: Filled | None = None
    headed: bool = False  # its name is that of the head of its table
    named: bool = True  # by the page, not by its type
    vague: bool = False  # by a class that may tell little, or by the words before it
    listed: bool = False
    at: set[int] = field(init=False)
    wordings: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.fill(self.cells)

    def fill(self, cells: list[Cell]) -> None:
        """Let these be its cells."""
        self.cells = cells
        self.at, self.wordings = {cell.record for cell in cells}, {cell.text for cell in cells}

    def join(self, other: Draft) -> None:
        """Take in what another column has; what more records have tells the type."""
        if len(other.at) > len(self.at):
            self.type, self.source = other.type, other.source
        self.listed = self.listed or other.listed or not self.at.isdisjoint(other.at)
        self.fill(sorted((*self.cells, *other.cells), key=lambda cell: (cell.record, cell.rows)))

    @property
    def tag(self) -> int | None:
        """The element that holds it."""
        return self.source.field.key[0] if self.source else None

    @property
    def known(self) -> bool:
        """Whether a schema has it."""
        return self.source is not None and self.source.known

    @property
    def has_label(self) -> bool:
        """Whether it is known by the label of its row: one of many properties."""
        return self.source is not None and not self.headed and bool(self.source.field.key[2].strip())

    @property
    def length(self) -> float:
        """How many characters its texts have, on average."""
        return sum(len(cell.text) for cell in self.cells) / max(1, len(self.cells))

    @property
    def words(self) -> float:
        """How many words its texts have, on average."""
        return sum(cell.text.count(" ") + 1 for cell in self.cells) / max(1, len(self.cells))


def draft_all(namer: Namer, fields: Sequence[Filled], records: int) -> list[Draft]:
    """Return each field with its name and type, less those without anything to tell."""
    heads = [namer.head(each.field) for each in fields]
    least = min(FEW_LABELS, records // FEW_LABELS)
    names = [head or namer.name(each.field, each.label, least) for head, each in zip(heads, fields, strict=True)]
    titles = list(map(_is_called_title, names))
    buttons = [
        is_title and not head and _repeats(each) for is_title, head, each in zip(titles, heads, fields, strict=True)
    ]
    has_title = any(is_title and not is_button for is_title, is_button in zip(titles, buttons, strict=True))
    has_name = any(_is_called_name(name) for name in names)
    drafts: list[Draft] = []
    for head, name, each, is_button in zip(heads, names, fields, buttons, strict=True):
        type = _type(each, name)
        draft = Draft(name, type, _cells(each, type), each, bool(head), listed=each.field.listed)
        if not draft.cells:
            continue
        if is_button:
            draft.name, draft.named = type, False
        elif not name:
            may_be_title = not has_title and not (has_name and each.is_part_of_link)
            draft.name = _plain_name(namer, each, draft, may_be_title, records)
            draft.named, draft.vague = draft.name != type, draft.name not in (type, TITLE)
            has_title = has_title or draft.name == TITLE
        drafts.append(draft)
    _settle_links(drafts, records)
    _name_body(drafts)
    return drafts


def _is_called_title(name: str) -> bool:
    return not _TITLES.isdisjoint(words_of(name))


def _is_called_name(name: str) -> bool:
    """Whether a name says that it is one of the records, as "hotel_name" does."""
    return words_of(name)[-1:] == ["name"] and _PERSONS.isdisjoint(words_of(name))


def _repeats(filled: Filled) -> bool:
    """Whether nearly all texts of a field say the same, which no title does."""
    texts = filled.texts
    if len(texts) < FEW_TITLES or len(filled.wordings) > 1 + (1 - SAME_TITLES) * len(texts):
        return False
    return max(Counter(texts).values()) >= SAME_TITLES * len(texts)


def _type(filled: Filled, name: str) -> Type:
    if filled.is_image:
        return "image"
    found = column_type(filled.texts, name, filled.after)
    return "link" if found == "text" and filled.is_linked else found


def _cells(filled: Filled, type: Type) -> list[Cell]:
    each = zip(filled.at, filled.texts, filled.rows, filled.links, strict=True)
    label = filled.label
    if type != "image":  # what has no text is an image where others have words
        unit = filled.after if type == "count" and is_count(f"1 {filled.after}") else ""
        return [Cell(record, text, rows, link, label, unit) for record, text, rows, link in each if text]
    attribute = filled.reader.page.attribute
    cells = []
    for record, _, rows, link in each:
        row = filled.image_row(rows)
        cells.append(Cell(record, (attribute(row, "alt") or "").strip(), (row,), link, label))
    return cells


def _plain_name(namer: Namer, filled: Filled, draft: Draft, may_be_title: bool, records: int) -> str:
    """Return a name for what the page has no clear one for: what is counted, the type, a title, words of classes."""
    if draft.type == "count":
        counted = filled.after if is_count(f"1 {filled.after}") else ""
        return counted or namer.vague_name(filled.field, "") or counted_in(filled.texts) or draft.type
    if draft.type in NAMING:
        return draft.type
    if may_be_title and draft.type == "link" and _is_title(draft, records):
        return TITLE
    return namer.vague_name(filled.field, filled.label) or draft.type


def _is_title(draft: Draft, records: int) -> bool:
    """Whether a column of links could be the titles of the records."""
    texts = len(draft.cells)
    return texts >= HALF * records and draft.length >= LONG_TITLE and len(draft.wordings) >= VARIED * texts


def _settle_links(drafts: list[Draft], records: int) -> None:
    """Let texts in links be texts where they are prose, or not the title in a link around much of a record."""
    is_titled = False
    for draft in (each for each in drafts if each.type == "link"):
        words = set(words_of(draft.name))
        is_text = draft.words >= LONG_LINK or not words.isdisjoint(_PROSE)
        if not is_text and draft.source is not None and draft.source.is_part_of_link:
            is_text = is_titled or words.isdisjoint(_NAMES)
            is_titled = is_titled or (not is_text and len(draft.at) >= HALF * records)
        if is_text:
            draft.type = "text"
            draft.name = draft.name if draft.named else draft.type


def _name_body(drafts: list[Draft]) -> None:
    """Call the longest text that the page has no name for the body of the records, unless another is called so."""
    prose = [each for each in drafts if not each.named and each.type == "text" and each.words >= LONG_TEXT]
    if prose and not any(each.name.casefold() == BODY for each in drafts):
        longest = max(prose, key=lambda each: each.words * len(each.at))
        longest.name, longest.named = BODY, True
