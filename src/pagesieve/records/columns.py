"""The columns of the table that the fields of a region make: their names, types and cells.

A column exists because the page repeats it. What is always the same is a button and not a column; fields of one name
that no record has both of are one column; rare properties share a column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from statistics import median_low
from typing import NamedTuple

from pagesieve.page.table import Page
from pagesieve.records.fields import (
    FEW,
    HALF,
    LABEL_ENDS,
    LABEL_SIGNS,
    FieldValues,
    Reader,
    Roots,
    dynamic_fields,
    itemprops_of,
    split_pairs,
)
from pagesieve.records.names import Namer, distinct
from pagesieve.records.results import Column, Item, Items, Mark, Place, Segmentation
from pagesieve.records.values import Rating, find_ratings
from pagesieve.text.numbers import number_in
from pagesieve.text.types import STEM, Type, column_type, counted_in, is_count, is_money, words_of
from pagesieve.text.vocabulary import ACTIONS, pattern_of

MIN_LABELS = 2  # records with a label, of four or more: with fewer, it is not a name
MIN_TITLE = 8  # characters of a title, on average
MIN_TITLES = 0.3  # of the texts of titles are different
MAX_REPEATED = 0.8  # of the texts of a field are the same: with more, they are not titles
MIN_REPEATS = 3  # texts: with fewer, it is unknown whether they repeat
MIN_PROSE = 8  # words of prose, on average
MIN_LINKED_PROSE = 20  # words of prose that is a link as a whole

BODY, SUMMARY, TITLE, OLD_PRICE = "body", "summary", "title", "old_price"
NAMING = frozenset(("price", "date", "image", "rating"))  # types that are names
# What columns without a name are called, by what they hold
RANK, COUNT, URL, TAGS, DETAILS = "rank", "count", "url", "tags", "details"
MIN_RANKS = 0.8  # of numbers are one more than the number before: ranks
_PROSE = frozenset("abstract body desc description excerpt snippet summary teaser".split())  # words in names of texts
_TITLES = frozenset((TITLE, "headline"))  # words in names of titles
_PERSONS = frozenset(
    "artist author brand company poster seller shop store user vendor".split()
)  # that have names of their own
_NAMES = _TITLES | {"name"}  # words in names of titles, and of what may replace them
_OTHER_PRICES = frozenset("regular retail".split())  # words in names of prices that may be struck out
CONSTANT = 0.8  # of the records have the same text: it is not a value
MAX_ACTIONS = 3  # wordings of a button
MAX_PRICE_WORDS = 3  # wordings of a column of words such as "from"
RARE = 0.1  # of the records have a column: if it has no clear name either, it is dropped
RARE_LABEL = 0.2  # of the records have a value with a label: with fewer, it shares a column with other rare ones
MIN_RARE_LABELS = 6  # that share a column: fewer have a column each
SAME_RATIO = 1.02  # between the largest and the smallest of ratios that count as equal
MAX_MARKS = 2  # wordings of a text without a name that only marks records
MIN_TITLED = 0.9  # of the records have a text that may be their title, though nothing says so
MIN_COPY = 20  # characters that a text shares with a longer one if it is that text cut short
MAX_UNIT = 20  # characters of what is counted

_ACTION = re.compile(rf"(?:{pattern_of(ACTIONS)})\b.{{0,24}}", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_URL = re.compile(r"(?:https?://)?[\w-]+(?:\.[\w-]+)+(?:$|[/:?…]|\s?[›»>]).*", re.DOTALL)


def align(page: Page, segmentation: Segmentation, schema: Collection[Place] = ()) -> Items:
    """Return the items of the records of a region, aligned in columns.

    Fields at the places of a schema are columns even if they are the same in all records.
    """
    records = segmentation.records
    reader = Reader.of(page, records)
    namer = Namer(reader)
    parts, whole = split_pairs(dynamic_fields(reader, records, schema))
    columns, others = _columns(namer, parts, len(records))
    others += _drafts(namer, whole, len(records))
    if not any(each.type == "rating" for each in columns) and (ratings := find_ratings(page, records)):
        _add_ratings(columns, ratings)
    return _table(page, columns, others, len(records))


class Cell(NamedTuple):
    """One item of a record in a column."""

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
    source: FieldValues | None = None
    headed: bool = False  # its name is the head of its table
    named: bool = True  # by the page, not by its type
    vague: bool = False  # its name is the words before it
    listed: bool = False
    page_name: str = ""  # before it is named after what it holds: by this other pages have it, too
    at: set[int] = field(init=False)
    wordings: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.fill(self.cells)

    def fill(self, cells: list[Cell]) -> None:
        """Replace its cells."""
        self.cells = cells
        self.at, self.wordings = {cell.record for cell in cells}, {cell.text for cell in cells}

    def join(self, other: Draft) -> None:
        """Add the cells of another column, and take its type if more records have it."""
        if len(other.at) > len(self.at):
            self.type, self.source = other.type, other.source
        self.listed = self.listed or other.listed or not self.at.isdisjoint(other.at)
        self.fill(sorted((*self.cells, *other.cells), key=lambda cell: (cell.record, cell.rows)))

    @property
    def tag(self) -> int | None:
        """The element that holds it."""
        return self.source.field.key[0] if self.source else None

    @property
    def in_schema(self) -> bool:
        """Whether a schema has it."""
        return self.source is not None and self.source.in_schema

    @property
    def has_label(self) -> bool:
        """Whether its name is the label of its row: one of many properties."""
        return self.source is not None and not self.headed and bool(self.source.field.key[2].strip())

    @property
    def length(self) -> float:
        """The characters of its texts, on average."""
        return sum(len(cell.text) for cell in self.cells) / max(1, len(self.cells))

    @property
    def words(self) -> float:
        """The words of its texts, on average."""
        return sum(cell.text.count(" ") + 1 for cell in self.cells) / max(1, len(self.cells))


def _drafts(namer: Namer, fields: Sequence[FieldValues], records: int) -> list[Draft]:
    """Return a column for each field, with a name and a type, if it has any cell."""
    heads = namer.heads(fields)
    names = namer.names(fields, heads, min(MIN_LABELS, records // MIN_LABELS))
    words = list(map(words_of, names))
    titles = [not _TITLES.isdisjoint(each) for each in words]
    buttons = [
        is_title and not head and (_repeats(each) or _type(each, of_name) in ("price", "date"))
        for is_title, head, of_name, each in zip(titles, heads, words, fields, strict=True)
    ]  # or prices or dates, which are not titles either
    has_title = any(is_title and not is_button for is_title, is_button in zip(titles, buttons, strict=True))
    has_name = any(map(_is_record_name, words))
    drafts: list[Draft] = []
    for head, name, of_name, each, is_button in zip(heads, names, words, fields, buttons, strict=True):
        type = _type(each, of_name)
        draft = Draft(name, type, _cells(each, type), each, bool(head), listed=each.field.listed)
        if not draft.cells:
            continue
        if is_button:
            draft.name, draft.named = type, False
        elif not name:
            may_be_title = not has_title and not (has_name and each.is_part_of_link)
            draft.name = _plain_name(namer, each, draft, may_be_title, records)
            draft.named, draft.vague = draft.name != type, draft.name == namer.name_before(each)
            has_title = has_title or draft.name == TITLE
        drafts.append(draft)
    _name_old_prices(drafts, namer)
    _settle_links(drafts, records)
    _name_summary(drafts)
    return drafts


def _name_old_prices(drafts: Sequence[Draft], namer: Namer) -> None:
    """Name the columns of prices that are struck out, if there are prices that are not."""
    prices = [each for each in drafts if each.type == "price"]
    old = [each for each in prices if len(prices) > 1 and each.source is not None and namer.is_struck(each.source)]
    for draft in old if len(old) < len(prices) else ():
        if not draft.headed and _OTHER_PRICES.isdisjoint(words_of(draft.name)):
            draft.name, draft.named = OLD_PRICE, True


def _is_record_name(words: Sequence[str]) -> bool:
    """Whether the words of a name are those of the records' own names, such as "hotel_name"."""
    return words[-1:] == ["name"] and _PERSONS.isdisjoint(words)


def _repeats(values: FieldValues) -> bool:
    """Whether nearly all texts of a field are the same, as no titles are."""
    texts = values.texts
    if len(texts) < MIN_REPEATS or len(values.wordings) > 1 + (1 - MAX_REPEATED) * len(texts):
        return False
    return max(Counter(texts).values()) >= MAX_REPEATED * len(texts)


def _type(values: FieldValues, words: Sequence[str]) -> Type:
    if values.is_image:
        return "image"
    type = column_type(values.texts, words, values.after)
    return "link" if type == "text" and values.is_linked else type


def _cells(values: FieldValues, type: Type) -> list[Cell]:
    label = values.label
    if type == "image":
        images = zip(values.at, values.alternatives, values.image_rows, values.links, strict=True)
        return [Cell(record, text, (row,), link, label) for record, text, row, link in images]
    unit = values.after if type == "count" and is_count(f"1 {values.after}") else ""
    each = zip(values.at, values.texts, values.rows, values.links, strict=True)
    return [Cell(record, text, rows, link, label, unit) for record, text, rows, link in each if text]


def _plain_name(namer: Namer, values: FieldValues, draft: Draft, may_be_title: bool, records: int) -> str:
    """Return a name for a column that the page does not name: what it counts, its type, a title, the words before."""
    if draft.type == "count":
        return (values.after if is_count(f"1 {values.after}") else "") or counted_in(values.texts) or draft.type
    if draft.type in NAMING:
        return draft.type
    if may_be_title and draft.type == "link" and _may_be_title(draft, records):
        return TITLE
    return namer.name_before(values) or draft.type


def _may_be_title(draft: Draft, records: int) -> bool:
    """Whether a column of links could be the titles of the records."""
    texts = len(draft.cells)
    return texts >= HALF * records and draft.length >= MIN_TITLE and len(draft.wordings) >= MIN_TITLES * texts


def _settle_links(drafts: list[Draft], records: int) -> None:
    """Change links to texts if they are prose, or not the title in a link around much of a record."""
    is_titled = False
    for draft in (each for each in drafts if each.type == "link"):
        words = set(words_of(draft.name))
        is_text = draft.words >= MIN_LINKED_PROSE or not words.isdisjoint(_PROSE)
        if not is_text and draft.source is not None and draft.source.is_part_of_link:
            is_text = is_titled or words.isdisjoint(_NAMES)
            is_titled = is_titled or (not is_text and len(draft.at) >= HALF * records)
        if is_text:
            draft.type = "text"
            draft.name = draft.name if draft.named else draft.type


def _name_summary(drafts: list[Draft]) -> None:
    """Name the longest text without a name the summary of the records, unless they have a body."""
    prose = [each for each in drafts if not each.named and each.type == "text" and each.words >= MIN_PROSE]
    if prose and not any(each.name.casefold() in (BODY, SUMMARY) for each in drafts):
        longest = max(prose, key=lambda each: each.words * len(each.at))
        longest.name, longest.page_name, longest.named = SUMMARY, longest.type, True


def _name_by_content(drafts: Sequence[Draft]) -> None:
    """Name the columns that have no name after what they hold: ranks, addresses, tags."""
    for draft in (each for each in drafts if not each.named and each.type in ("number", "text", "link")):
        draft.name = _content(draft)


def _content(draft: Draft) -> str:
    """Return what an unnamed column of numbers, texts or links holds."""
    texts = [cell.text for cell in draft.cells]
    if draft.type == "number":
        numbers = [int(text) if text.isdecimal() else None for text in (text.strip("#.") for text in texts)]
        if None in numbers:
            return draft.type
        rising = sum(after == before + 1 for before, after in pairwise(filter(None, numbers)))
        return RANK if rising >= MIN_RANKS * (len(numbers) - 1) > 0 else COUNT
    if sum(_URL.fullmatch(text) is not None for text in texts) > HALF * len(texts):
        return URL
    if draft.listed:
        return TAGS if draft.type == "link" else DETAILS
    return draft.type if draft.type == "link" else DETAILS


def _title_first(drafts: list[Draft], records: int) -> list[Draft]:
    """Move the titles of the records to the beginning, and name them so unless the head of a table names them."""
    title = _titles_of(drafts, records)
    if title is None:
        return drafts
    if not title.headed and not title.in_schema:
        for each in drafts:
            if each.name == TITLE:
                each.name = each.type
        title.name, title.named = TITLE, True
    return [title, *(each for each in drafts if each is not title)]


def _titles_of(drafts: Sequence[Draft], records: int) -> Draft | None:
    """Return the column of the records' titles: by its name, or else the first text, if it is long and differs."""
    likely = [each for each in drafts if each.type in ("text", "link") and len(each.at) >= HALF * records]
    likely = [each for each in likely if not each.listed]
    words = {id(each): words_of(each.name) for each in likely}
    named = [each for each in likely if not _TITLES.isdisjoint(words[id(each)]) or _is_record_name(words[id(each)])]
    if named:
        return max(named, key=lambda each: (not _TITLES.isdisjoint(words[id(each)]), len(each.at)))
    first = next((each for each in likely if each.name != URL), None)
    if first is None or first.named or first.length < MIN_TITLE or len(first.wordings) <= HALF * len(first.at):
        return None
    return first if len(first.at) >= MIN_TITLED * records else None


# Columns


def _columns(namer: Namer, fields: Sequence[FieldValues], records: int) -> tuple[list[Draft], list[Draft]]:
    """Return the columns that some fields make, and the fields that are not columns.

    Those are the same in nearly all records, or hardly any record has them and the page does not name them.
    """
    columns = _drafts(namer, fields, records)
    others: list[Draft] = []
    if records >= FEW:
        _join_price_words(columns)
        columns, others = _without_constants([each for each in columns if each.cells], records)
        columns = _join_labelled(_without_cut_copies(columns), records)
        columns = _join_namesakes(columns, records)
        rare = [each for each in columns if _is_rare(each, records)] if len(columns) > 1 else []
        columns, others = [each for each in columns if each not in rare], others + rare
    columns = _in_order(_join_prose(columns))
    for each in columns:
        each.page_name = each.page_name or each.name
    _name_by_content(columns)
    return _title_first(columns, records), others


def _add_ratings(columns: list[Draft], ratings: Sequence[tuple[int, Rating]]) -> None:
    """Add a column of ratings in attributes, unless a column of numbers has the same values: it becomes that column."""
    new = Draft("rating", "rating", [Cell(record, words, (row,), None) for record, (row, words) in ratings])
    for each in columns:
        if each.type == "number" and _are_proportional(each, new):
            each.type, each.name = "rating", each.name if each.named else "rating"
            return
    record, _, rows, *_ = new.cells[0]
    before = [
        k for k, each in enumerate(columns) if any(cell.record == record and cell.rows < rows for cell in each.cells)
    ]
    columns.insert(before[-1] + 1 if before else 0, new)


def _are_proportional(one: Draft, other: Draft) -> bool:
    """Whether the numbers of two columns are in one proportion, such as 4.5 and 90%."""
    numbers = {cell.record: number_in(cell.text) for cell in one.cells}
    pairs = [(numbers[cell.record], number_in(cell.text)) for cell in other.cells if cell.record in numbers]
    ratios = [first / second for first, second in pairs if first and second]
    return len(ratios) >= HALF * len(other.cells) and max(ratios) <= SAME_RATIO * min(ratios)


def _join_price_words(drafts: Sequence[Draft]) -> None:
    """Make words in columns of prices, such as "from", the label of the next price of the record.

    The price goes to the column of the words if that is one of prices, and else stays in its own.
    """
    priced = [each for each in drafts if each.type == "price" or _is_of_words(each)]
    if len(priced) < 2 or all(_DIGIT.search(text) for each in priced for text in each.wordings):
        return
    prices: dict[int, list[Cell]] = {}  # by record
    for each in priced:
        for cell in each.cells:
            if each.type == "price" and _DIGIT.search(cell.text):
                prices.setdefault(cell.record, []).append(cell)
    joined: dict[int, Cell] = {}  # by the id of the cell that it replaces
    dropped: set[int] = set()
    for each in priced:
        for cell in each.cells:
            price = None if _DIGIT.search(cell.text) else _next_price(cell, prices.get(cell.record, ()))
            if price is not None:
                into, other = (cell, price) if each.type == "price" else (price, cell)
                joined[id(into)] = price._replace(rows=cell.rows + price.rows, label=cell.text)
                dropped.add(id(other))
    for each in priced:
        each.fill([joined.get(id(cell), cell) for cell in each.cells if id(cell) not in dropped])


def _is_of_words(draft: Draft) -> bool:
    """Whether a column is named a price, and has only a few wordings without a digit."""
    if draft.type != "text" or len(draft.wordings) > MAX_PRICE_WORDS or draft.in_schema or draft.headed:
        return False
    return "price" in words_of(draft.name) and not any(map(_DIGIT.search, draft.wordings))


def _next_price(words: Cell, prices: Sequence[Cell]) -> Cell | None:
    """Return the first price after some words that is also a price together with them."""
    later = [cell for cell in prices if cell.rows > words.rows and is_money(f"{words.text} {cell.text}")]
    return min(later, key=lambda cell: cell.rows, default=None)


# Leaving out what is not a column


def _without_constants(drafts: list[Draft], records: int) -> tuple[list[Draft], list[Draft]]:
    """Separate columns from what is the same in nearly all records, such as buttons, and from the units of numbers."""
    columns: list[Draft] = []
    others: list[Draft] = []
    for each in drafts:
        if columns and not each.in_schema and _is_unit(columns[-1], each):
            _count(columns[-1], each)
            others.append(each)
        elif _is_constant(each, records):
            others.append(each)
        else:
            columns.append(each)
    return (columns, others) if columns else (others, [])


def _is_constant(draft: Draft, records: int) -> bool:
    if draft.type == "image" or draft.in_schema or draft.headed or draft.listed or len(draft.wordings) > MAX_ACTIONS:
        return False
    if len(draft.wordings) == 1 and len(draft.at) >= CONSTANT * records:
        return True
    return all(_ACTION.fullmatch(text) for text in draft.wordings)


def _is_unit(before: Draft, draft: Draft) -> bool:
    """Whether a column only has what the numbers before it count: "vote", "votes"."""
    if before.type not in ("number", "count") or draft.type not in ("text", "link") or draft.headed:
        return False
    stems = {text.casefold()[:STEM] for text in draft.wordings}
    units = len(stems) == 1 and all(len(text) <= MAX_UNIT and is_count(f"1 {text}") for text in draft.wordings)
    return units and draft.at <= before.at


def _count(numbers: Draft, unit: Draft) -> None:
    """Make a column of numbers a count, named after what it counts if it has no name."""
    numbers.type = "count"
    units = {cell.record: cell.text for cell in unit.cells}
    numbers.fill([cell._replace(unit=cell.unit or units.get(cell.record, "")) for cell in numbers.cells])
    if not numbers.named:
        numbers.name, numbers.named = max(unit.wordings, key=lambda text: (len(text), text)), True


def _is_rare(draft: Draft, records: int) -> bool:
    """Whether a column is left out: few records have it, or it has no name and only marks records."""
    if draft.in_schema or draft.headed or draft.name == OLD_PRICE:
        return False
    if draft.has_label or draft.vague:
        return draft.vague and len(draft.at) <= max(1, RARE * records)
    if draft.named and (len(draft.wordings) > 1 or draft.type not in ("text", "link")):
        return draft.type in ("text", "link", "count") and len(draft.at) <= max(1, RARE * records)
    if draft.type not in ("text", "link", "number"):
        return len(draft.at) <= max(1, RARE * records)
    only_marks = draft.type != "number" and len(draft.wordings) <= min(MAX_MARKS, len(draft.at) - 1)
    return len(draft.at) < HALF * records or (only_marks and not draft.named)


def _without_cut_copies(drafts: list[Draft]) -> list[Draft]:
    """Drop columns that repeat a text of the same name cut short, as pages do for narrow screens."""
    longest: dict[str, Draft] = {}
    for each in sorted((each for each in drafts if each.type == "text"), key=lambda each: -each.length):
        longest.setdefault(each.name, each)
    return [each for each in drafts if not _is_cut_copy(each, longest.get(each.name, each))]


def _is_cut_copy(draft: Draft, other: Draft) -> bool:
    if draft is other or draft.in_schema or draft.type != "text" or draft.listed or other.listed:
        return False
    if not draft.at <= other.at:
        return False
    texts = {cell.record: cell.text for cell in other.cells}
    copies = [cell.text.rstrip(" .…") for cell in draft.cells]
    return all(
        len(text) >= MIN_COPY and texts[cell.record].startswith(text)
        for cell, text in zip(draft.cells, copies, strict=True)
    )


# Joining


def _join_labelled(drafts: list[Draft], records: int) -> list[Draft]:
    """Join the values with rare labels into one list, if there are many: the odd properties of goods."""
    least = max(2, RARE_LABEL * records)
    rare = [each for each in drafts if each.has_label and not each.in_schema and len(each.at) < least]
    if len(rare) < MIN_RARE_LABELS:
        return drafts
    cells = sorted((_with_label(cell, each) for each in rare for cell in each.cells), key=lambda cell: cell.rows)
    source = rare[0].source
    joined = Draft("text", "text", cells, source and source.without_label(), named=False, listed=True)
    return [joined if each is rare[0] else each for each in drafts if each is rare[0] or each not in rare]


def _with_label(cell: Cell, draft: Draft) -> Cell:
    label = cell.label or draft.name + LABEL_ENDS[0]
    return cell._replace(text=f"{label} {cell.text}", label="")


def _join_namesakes(drafts: list[Draft], records: int) -> list[Draft]:
    """Join columns of one name and type if no record has both, or both are rare.

    Texts and links count as one type if either is rare.
    """
    columns: list[Draft] = []
    namesakes: dict[tuple[str, Type], list[Draft]] = {}
    for each in drafts:
        alike = namesakes.setdefault((each.name.casefold(), "text" if each.type == "link" else each.type), [])
        into = next((other for other in alike if _are_one(other, each, records)), None)
        if into is None:
            alike.append(each)
            columns.append(each)
        else:
            into.join(each)
    return columns


def _are_one(one: Draft, other: Draft, records: int) -> bool:
    if one.headed != other.headed:
        return False
    if one.type != other.type:  # a text where others are links, such as an author without a page
        rarer = min(len(one.at), len(other.at))
        return one.named and one.at.isdisjoint(other.at) and rarer <= max(1, RARE * records)
    if one.named and one.tag == other.tag and one.at.isdisjoint(other.at):
        return True
    return max(len(one.at), len(other.at)) < HALF * records and one.type != "price"


def _join_prose(drafts: list[Draft]) -> list[Draft]:
    """Make one column of all those named a body or a summary, with one text for each record."""
    prose = [each for each in drafts if each.name in (BODY, SUMMARY) and each.type == "text"]
    if len(prose) < 2:
        return drafts
    parts: dict[int, list[Cell]] = {}
    for cell in sorted((cell for each in prose for cell in each.cells), key=lambda cell: cell.rows):
        parts.setdefault(cell.record, []).append(cell)
    prose[0].fill([_one_text(cells) for _, cells in sorted(parts.items())])
    prose[0].listed = False
    return [each for each in drafts if each is prose[0] or each not in prose]


def _one_text(cells: list[Cell]) -> Cell:
    text = "\n".join(f"{cell.label} {cell.text}" if cell.label else cell.text for cell in cells)
    rows = tuple(row for cell in cells for row in cell.rows)
    return Cell(cells[0].record, text, rows, next((cell.link for cell in cells if cell.link), None))


def _in_order(drafts: list[Draft]) -> list[Draft]:
    """Order columns as in the records that have both of two neighbours; without such records, by name."""
    places = [{cell.record: cell.rows for cell in reversed(each.cells)} for each in drafts]
    order = list(range(len(drafts)))
    end, moved = len(order) - 1, True
    while moved and end > 0:  # ends even if records contradict each other
        moved = False
        for k in range(end):
            one, other = places[order[k]], places[order[k + 1]]
            both = one.keys() & other.keys()
            behind = sum(one[record] > other[record] for record in both)
            if 2 * behind > len(both) or (not both and drafts[order[k]].name > drafts[order[k + 1]].name):
                order[k], order[k + 1] = order[k + 1], order[k]
                moved = True
        end -= 1
    return [drafts[k] for k in order]


# The table


def _table(page: Page, columns: Sequence[Draft], others: Sequence[Draft], records: int) -> Items:
    # Columns that most records have come first, so that a rare column does not take the name of another.
    order = sorted(range(len(columns)), key=lambda k: len(columns[k].at) < HALF * records)
    names = dict(zip(order, distinct([columns[k].name for k in order]), strict=True))
    for number, name in names.items():
        columns[number].name = name
    itemprops = itemprops_of(page, [each.source.field if each.source else None for each in columns])
    return Items(
        tuple(Column(each.name, each.type, each.listed) for each in columns),
        _items(columns, records),
        tuple(map(_mark, columns, itemprops)),
        _items(others, records),
    )


def _mark(column: Draft, itemprop: str) -> Mark:
    """Return the mark that a column is recognised by on other pages."""
    values, name = column.source, column.page_name or column.name
    if values is None:  # ratings in attributes
        return Mark(Place((name,)), name, column.type)
    label = (values.label or values.label_above).strip(LABEL_SIGNS) if values.by_label else ""
    return Mark(values.place, name, column.type, label, itemprop, median_low(map(len, values.texts)))


def _items(columns: Sequence[Draft], records: int) -> tuple[tuple[Item, ...], ...]:
    items: list[list[Item]] = [[] for _ in range(records)]
    for each in columns:
        name, type = each.name, each.type
        for record, text, rows, link, label, unit in each.cells:
            if (label or unit) and type != "image":
                text = " ".join(filter(None, (label, text, unit)))
            items[record].append(Item(name, type, text, link, rows, label, unit))
    return tuple(tuple(sorted(each, key=attrgetter("rows"))) for each in items)
