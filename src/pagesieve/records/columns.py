"""Columns: fields with a name and a type, joined where they are one thing, and left out where they say nothing.

A column is there because the page repeats it: what always says the same is a button and no column, what is called the
same and is never in one record with it is the same column, and what only few records have, without a name of its own,
shares a column with its likes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pagesieve.records.column_types import column_type
from pagesieve.records.fields import LABEL_ENDS, Roots
from pagesieve.records.filled import Filled
from pagesieve.records.naming import Namer, words_of
from pagesieve.records.ratings import Told
from pagesieve.records.results import Type
from pagesieve.records.values import LEAST_STEM, counted_in, is_count
from pagesieve.text.numbers import number_in

FEW = 3  # records: fewer cannot tell what stays the same
NEARLY_ALL = 0.8  # of the records say the same: it is no value
RARE = 0.5  # of the records have a field
LONG_TITLE = 8  # characters of a title, on average at least
VARIED = 0.3  # of the titles are different ones
LONG_TEXT = 8  # words of prose, on average at least
LONG_LINK = 20  # words of prose that is a link as a whole
FEW_ACTIONS = 3  # wordings of a button
SAME = 1.02  # times a share: as good as it
LONG_COPY = 20  # characters that two texts begin with: one is the other, cut short
LONGEST_UNIT = 20  # characters of what is counted
RARE_NAME = 0.1  # of the records have a column without a clear name: no more, and it is none
RARE_LABEL = 0.2  # of the records have a value with a label: fewer, and it shares a column with other such
MANY_LABELS = 6  # such values: fewer have a column each

BODY, TITLE = "body", "title"
_PROSE = frozenset("abstract body desc description excerpt snippet summary teaser".split())  # words of names of texts
_TITLES = frozenset((TITLE, "headline"))  # words of names of titles
NAMING = frozenset(("price", "date", "image", "rating"))  # types that are a name, where classes tell little
_ACTION = re.compile(
    r"(?:add|buy|shop|quick|view|see|show|read|learn|load|play|more|less|next|prev(?:ious)?|follow|unfollow|subscribed?|"
    r"unsubscribe|share|reply|report|compare|contact|chat|leave|text version|select|choose|expand|close|order|pre-?order|sign|log|click|"
    r"save|email|print|download|like|edit|delete|cached|similar|mehr|weiter|teilen|kaufen|in den|voir|lire|ajouter|"
    r"acheter|ver|leer|comprar|añadir|更多|查看|分享|收藏|举报|回复|加入|购买)\b.{0,24}",
    re.IGNORECASE,
)


class Cell(NamedTuple):
    """What a record has in a column."""

    record: int
    text: str
    rows: Roots
    link: str | None
    label: str = ""


@dataclass(slots=True)
class Draft:
    """A column in the making."""

    name: str
    type: Type
    cells: list[Cell]
    named: bool = True  # by the page, not by its type
    vague: bool = False  # by a class that may tell little, or by the words before it
    headed: bool = False  # by the head of its table
    listed: bool = False
    label: bool = False  # of a row of its own: one of many properties
    tag: int = 0  # of the elements that hold it
    wordings: set[str] = field(init=False)
    at: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self._note()

    def _note(self) -> None:
        self.wordings, self.at = {cell.text for cell in self.cells}, {cell.record for cell in self.cells}

    def join(self, other: Draft) -> None:
        """Take in what another column has."""
        self.listed = self.listed or other.listed or not self.at.isdisjoint(other.at)
        self.cells = sorted((*self.cells, *other.cells), key=lambda cell: (cell.record, cell.rows))
        self._note()

    @property
    def length(self) -> float:
        """How long its texts are, on average."""
        return sum(len(cell.text) for cell in self.cells) / max(1, len(self.cells))

    @property
    def words(self) -> float:
        """How many words its texts have, on average."""
        return sum(cell.text.count(" ") + 1 for cell in self.cells) / max(1, len(self.cells))


def draft_columns(namer: Namer, fields: Sequence[Filled], records: int) -> tuple[list[Draft], list[Draft]]:
    """Return the columns that some fields make, and what is in none.

    That is what says the same in nearly all records, and what hardly any has and the page does not name.
    """
    drafts = _name_all(namer, fields, records)
    columns, others = _without_constants(drafts, records) if records >= FEW else (drafts, [])
    columns = _without_cut_copies(columns)
    columns = _join_labelled(columns, records)
    columns = _join_prose(_join_namesakes(columns, records))
    rare = [each for each in columns if _is_rare(each, records)] if len(columns) > 1 else []
    return _in_order([each for each in columns if each not in rare]), others + rare


def rating_column(told: Iterable[tuple[int, Told]]) -> Draft:
    """Return the column of ratings that attributes tell."""
    return Draft("rating", "rating", [Cell(record, words, (row,), None) for record, (row, words) in told])


def add_ratings(columns: list[Draft], told: list[tuple[int, Told]]) -> None:
    """Add the ratings that attributes tell, unless a column of numbers says the same: that is one of ratings then."""
    new = rating_column(told)
    for each in columns:
        if each.type == "number" and _say_the_same(each, new):
            each.type = "rating"
            if not each.named:
                each.name = "rating"
            return
    insert_column(columns, new)


def _say_the_same(one: Draft, other: Draft) -> bool:
    """Whether the numbers of two columns stand in one proportion, such as 4.5 and 90%."""
    numbers = {cell.record: number_in(cell.text) for cell in one.cells}
    pairs = [(numbers[cell.record], number_in(cell.text)) for cell in other.cells if cell.record in numbers]
    shares = [first / second for first, second in pairs if first and second]
    return len(shares) >= RARE * len(other.cells) and max(shares) <= SAME * min(shares)


def insert_column(columns: list[Draft], new: Draft) -> None:
    """Insert a column where it stands in its first record."""
    record, _, rows, *_ = new.cells[0]
    before = [
        k for k, each in enumerate(columns) if any(cell.record == record and cell.rows < rows for cell in each.cells)
    ]
    columns.insert(before[-1] + 1 if before else 0, new)


# Names and types


def _name_all(namer: Namer, fields: Sequence[Filled], records: int) -> list[Draft]:
    heads = [namer.head(each.field) for each in fields]
    names = [head or namer.name(each.field, each.label) for head, each in zip(heads, fields, strict=True)]
    drafts: list[Draft] = []
    has_title = any(not _TITLES.isdisjoint(words_of(name)) for name in names)
    for head, name, each in zip(heads, names, fields, strict=True):
        type: Type = "image" if each.is_image else column_type(each.texts, name, each.after)
        type = "link" if type == "text" and each.is_linked else type
        draft = Draft(name, type, _cells(each, type), headed=bool(head), listed=each.field.listed)
        draft.label, draft.tag = bool(each.field.key[2].strip()) and not head, each.field.key[0]
        if type == "link" and (draft.words >= LONG_LINK or not _PROSE.isdisjoint(words_of(name))):
            draft.type = "text"
        if not name:
            draft.name = _plain_name(namer, each, draft, not has_title, records)
            draft.named, draft.vague = draft.name != draft.type, draft.name not in (draft.type, TITLE)
            has_title = has_title or draft.name == TITLE
        if draft.cells:
            drafts.append(draft)
    return _with_body(drafts)


def _plain_name(namer: Namer, filled: Filled, draft: Draft, may_be_title: bool, records: int) -> str:
    """Return a name for what the page has no clear one for: what is counted, the type, a title, words of classes."""
    if draft.type == "count":
        counted = filled.after if is_count(f"1 {filled.after}") else ""
        vague = namer.vague_name(filled.field, "")
        return counted or vague or counted_in(filled.texts) or draft.type
    if draft.type in NAMING:
        return draft.type
    if may_be_title and draft.type == "link" and _is_title(draft, records):
        return TITLE
    return namer.vague_name(filled.field, filled.label) or draft.type


def _with_body(drafts: list[Draft]) -> list[Draft]:
    """Call the longest text that the page has no name for the body of the records, unless another is called so."""
    prose = [each for each in drafts if not each.named and each.type == "text" and each.words >= LONG_TEXT]
    if prose and not any(each.name.casefold() == BODY for each in drafts):
        longest = max(prose, key=lambda each: each.words * len(each.at))
        longest.name, longest.named = BODY, True
    return drafts


def _is_title(draft: Draft, records: int) -> bool:
    """Whether a column of links could be the titles of the records."""
    texts = len(draft.cells)
    return texts >= RARE * records and draft.length >= LONG_TITLE and len(draft.wordings) >= VARIED * texts


def _cells(filled: Filled, type: Type) -> list[Cell]:
    cells = []
    for record, text, rows, link in zip(filled.at, filled.texts, filled.rows, filled.links, strict=True):
        if type == "image":
            rows = (filled.image_row(rows),)
            text = (filled.reader.page.attribute(rows[0], "alt") or "").strip()
        elif not text:  # an image where others have words
            continue
        cells.append(Cell(record, text, rows, link, filled.label))
    return cells


# What is no column


def _is_rare(draft: Draft, records: int) -> bool:
    """Whether hardly any record has a column, and the page has no clear name for it."""
    return records >= FEW and len(draft.at) <= max(1, RARE_NAME * records) and (draft.vague or not draft.named)


def _without_constants(drafts: list[Draft], records: int) -> tuple[list[Draft], list[Draft]]:
    """Part columns from what says the same in nearly all records, such as buttons, and from words behind numbers."""
    kept: list[Draft] = []
    others: list[Draft] = []
    for each in drafts:
        if kept and _is_unit(kept[-1], each):
            _count(kept[-1], each)
            others.append(each)
        elif _is_constant(each, records):
            others.append(each)
        else:
            kept.append(each)
    return (kept, others) if kept else (others, [])


def _is_constant(draft: Draft, records: int) -> bool:
    if draft.type == "image" or draft.headed or draft.listed or len(draft.wordings) > FEW_ACTIONS:
        return False
    if len(draft.wordings) == 1 and len(draft.at) >= NEARLY_ALL * records:
        return True
    return all(_ACTION.fullmatch(text) for text in draft.wordings)


def _is_unit(before: Draft, draft: Draft) -> bool:
    """Whether a column only says what the numbers before it count: "vote", "votes"."""
    if before.type not in ("number", "count") or draft.type not in ("text", "link") or draft.headed:
        return False
    stems = {text.casefold()[:LEAST_STEM] for text in draft.wordings}
    units = len(stems) == 1 and all(len(text) <= LONGEST_UNIT and is_count(f"1 {text}") for text in draft.wordings)
    return units and draft.at <= before.at


def _count(numbers: Draft, unit: Draft) -> None:
    """Let numbers be a count, named after what they count if they have no name."""
    numbers.type = "count"
    if not numbers.named:
        numbers.name, numbers.named = max(unit.wordings, key=lambda text: (len(text), text)), True


def _without_cut_copies(drafts: list[Draft]) -> list[Draft]:
    """Drop columns that give the text of a namesake cut short, as pages do for narrow screens; the longest stays."""
    longest: dict[str, Draft] = {}
    for each in sorted((each for each in drafts if each.type == "text"), key=lambda each: -each.length):
        longest.setdefault(each.name, each)
    return [each for each in drafts if not _is_cut_copy(each, longest.get(each.name, each))]


def _is_cut_copy(draft: Draft, other: Draft) -> bool:
    if draft is other or draft.type != "text" or draft.listed or other.listed or not draft.at <= other.at:
        return False
    texts = {cell.record: cell.text for cell in other.cells}
    cut = (cell.text.rstrip(" .…") for cell in draft.cells)
    return all(
        len(text) >= LONG_COPY and texts[cell.record].startswith(text)
        for cell, text in zip(draft.cells, cut, strict=True)
    )


# Joining


def _join_labelled(drafts: list[Draft], records: int) -> list[Draft]:
    """Join values with labels that few records have into one list, if there are many: the odd properties of goods."""
    rare = [each for each in drafts if each.label and len(each.at) < max(2, RARE_LABEL * records)]
    if len(rare) < MANY_LABELS:
        return drafts
    joined = Draft("text", "text", [_with_label(cell, each) for each in rare for cell in each.cells], named=False)
    joined.cells.sort(key=lambda cell: (cell.record, cell.rows))
    joined.listed = True
    found = []
    for each in drafts:
        if each is rare[0]:
            found.append(joined)
        elif each not in rare:
            found.append(each)
    return found


def _with_label(cell: Cell, draft: Draft) -> Cell:
    label = cell.label or draft.name + LABEL_ENDS[0]
    return cell._replace(text=f"{label} {cell.text}", label="")


def _join_namesakes(drafts: list[Draft], records: int) -> list[Draft]:
    """Join columns of one name and type: those that no record has both of, and of those that are rare all."""
    found: list[Draft] = []
    known: dict[tuple[str, Type], list[Draft]] = {}
    for each in drafts:
        alike = known.setdefault((each.name.casefold(), each.type), [])
        into = next((other for other in alike if _are_one(other, each, records)), None)
        if into is None:
            alike.append(each)
            found.append(each)
        else:
            into.join(each)
    return found


def _are_one(one: Draft, other: Draft, records: int) -> bool:
    if records < FEW or one.headed != other.headed:
        return False
    if one.named and one.tag == other.tag and one.at.isdisjoint(other.at):
        return True
    return max(len(one.at), len(other.at)) < RARE * records and one.type != "price"


def _join_prose(drafts: list[Draft]) -> list[Draft]:
    """Make one column of all that is called `body`."""
    prose = [each for each in drafts if each.name == BODY]
    if len(prose) < 2:
        return drafts
    parts: dict[int, list[Cell]] = {}
    for cell in sorted((cell for each in prose for cell in each.cells), key=lambda cell: cell.rows):
        parts.setdefault(cell.record, []).append(cell)
    prose[0].cells = [_one_text(cells) for _, cells in sorted(parts.items())]
    prose[0].listed, prose[0].at = False, set(parts)
    return [each for each in drafts if each.name != BODY or each is prose[0]]


def _in_order(drafts: list[Draft]) -> list[Draft]:
    """Order columns as they stand in the records that have both of two; of two that no record has, by their names."""
    places = [{cell.record: cell.rows for cell in reversed(each.cells)} for each in drafts]
    order = list(range(len(drafts)))
    moved = True
    for end in range(len(order) - 1, 0, -1):
        if not moved:
            break
        moved = False
        for k in range(end):
            one, other = places[order[k]], places[order[k + 1]]
            both = one.keys() & other.keys()
            behind = sum(one[record] > other[record] for record in both)
            if 2 * behind > len(both) or (not both and drafts[order[k]].name > drafts[order[k + 1]].name):
                order[k], order[k + 1] = order[k + 1], order[k]
                moved = True
    return [drafts[k] for k in order]


def _one_text(cells: list[Cell]) -> Cell:
    text = "\n".join(f"{cell.label} {cell.text}" if cell.label else cell.text for cell in cells)
    rows = tuple(row for cell in cells for row in cell.rows)
    return Cell(cells[0].record, text, rows, next((cell.link for cell in cells if cell.link), None))
