"""Which columns some fields make: joined where they are one thing, and left out where they say nothing.

A column is there because the page repeats it: what always says the same is a button and no column, what is called the
same and is never in one record with it is the same column, and odd properties share one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagesieve.records.drafts import BODY, HALF, Cell, Draft, draft_all
from pagesieve.records.fields import LABEL_ENDS
from pagesieve.records.filled import Filled
from pagesieve.records.naming import Namer
from pagesieve.records.price_words import join_price_words
from pagesieve.records.ratings import Told
from pagesieve.records.results import Type
from pagesieve.records.values import LEAST_STEM, is_count
from pagesieve.text.numbers import number_in

FEW = 3  # records: fewer cannot tell what stays the same
NEARLY_ALL = 0.8  # of the records say the same: it is no value
FEW_ACTIONS = 3  # wordings of a button
RARE_NAME = 0.1  # of the records have a column without a clear name: no more, and it is none
RARE_LABEL = 0.2  # of the records have a value with a label: fewer, and it shares a column with other such
MANY_LABELS = 6  # such values: fewer have a column each
SAME = 1.02  # times a share: as good as it
LONG_COPY = 20  # characters that two texts begin with: one is the other, cut short
LONGEST_UNIT = 20  # characters of what is counted

_ACTION = re.compile(
    r"(?:add|buy|shop|quick|view|see|show|read|learn|load|play|more|less|next|prev(?:ious)?|follow|unfollow|subscribed?|"
    r"unsubscribe|share|reply|report|compare|contact|chat|leave|select|choose|expand|close|order|pre-?order|sign|log|"
    r"click|save|email|print|download|like|edit|delete|cached|text version|similar|mehr|weiter|teilen|kaufen|in den|"
    r"voir|lire|ajouter|acheter|ver|leer|comprar|añadir|更多|查看|分享|收藏|举报|回复|加入|购买)\b.{0,24}",
    re.IGNORECASE,
)


def make_columns(namer: Namer, fields: Sequence[Filled], records: int) -> tuple[list[Draft], list[Draft]]:
    """Return the columns that some fields make, and what is in none.

    That is what says the same in nearly all records, and what hardly any has and the page does not name.
    """
    columns = draft_all(namer, fields, records)
    others: list[Draft] = []
    if records >= FEW:
        join_price_words(columns)
        columns, others = _without_constants([each for each in columns if each.cells], records)
        columns = _join_labelled(_without_cut_copies(columns), records)
        columns = _join_namesakes(columns, records)
        rare = [each for each in columns if _is_rare(each, records)] if len(columns) > 1 else []
        columns, others = [each for each in columns if each not in rare], others + rare
    return _in_order(_join_prose(columns)), others


def add_ratings(columns: list[Draft], told: Sequence[tuple[int, Told]]) -> None:
    """Add the ratings that attributes tell, unless a column of numbers says the same: that is one of ratings then."""
    new = Draft("rating", "rating", [Cell(record, words, (row,), None) for record, (row, words) in told])
    for each in columns:
        if each.type == "number" and _say_the_same(each, new):
            each.type, each.name = "rating", each.name if each.named else "rating"
            return
    record, _, rows, *_ = new.cells[0]
    before = [
        k for k, each in enumerate(columns) if any(cell.record == record and cell.rows < rows for cell in each.cells)
    ]
    columns.insert(before[-1] + 1 if before else 0, new)


def _say_the_same(one: Draft, other: Draft) -> bool:
    """Whether the numbers of two columns stand in one proportion, such as 4.5 and 90%."""
    numbers = {cell.record: number_in(cell.text) for cell in one.cells}
    pairs = [(numbers[cell.record], number_in(cell.text)) for cell in other.cells if cell.record in numbers]
    shares = [first / second for first, second in pairs if first and second]
    return len(shares) >= HALF * len(other.cells) and max(shares) <= SAME * min(shares)


# What is no column


def _without_constants(drafts: list[Draft], records: int) -> tuple[list[Draft], list[Draft]]:
    """Part columns from what says the same in nearly all records, such as buttons, and from words behind numbers."""
    kept: list[Draft] = []
    others: list[Draft] = []
    for each in drafts:
        if kept and not each.known and _is_unit(kept[-1], each):
            _count(kept[-1], each)
            others.append(each)
        elif _is_constant(each, records):
            others.append(each)
        else:
            kept.append(each)
    return (kept, others) if kept else (others, [])


def _is_constant(draft: Draft, records: int) -> bool:
    if draft.type == "image" or draft.known or draft.headed or draft.listed or len(draft.wordings) > FEW_ACTIONS:
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
    units = {cell.record: cell.text for cell in unit.cells}
    numbers.fill([cell._replace(unit=cell.unit or units.get(cell.record, "")) for cell in numbers.cells])
    if not numbers.named:
        numbers.name, numbers.named = max(unit.wordings, key=lambda text: (len(text), text)), True


def _is_rare(draft: Draft, records: int) -> bool:
    """Whether hardly any record has a column, and the page has no clear name for it."""
    few = len(draft.at) <= max(1, RARE_NAME * records)
    return few and not draft.known and (draft.vague or not draft.named)


def _without_cut_copies(drafts: list[Draft]) -> list[Draft]:
    """Drop columns that give the text of a namesake cut short, as pages do for narrow screens; the longest stays."""
    longest: dict[str, Draft] = {}
    for each in sorted((each for each in drafts if each.type == "text"), key=lambda each: -each.length):
        longest.setdefault(each.name, each)
    return [each for each in drafts if not _is_cut_copy(each, longest.get(each.name, each))]


def _is_cut_copy(draft: Draft, other: Draft) -> bool:
    if draft is other or draft.known or draft.type != "text" or draft.listed or other.listed:
        return False
    if not draft.at <= other.at:
        return False
    texts = {cell.record: cell.text for cell in other.cells}
    cut = [cell.text.rstrip(" .…") for cell in draft.cells]
    return all(
        len(text) >= LONG_COPY and texts[cell.record].startswith(text)
        for cell, text in zip(draft.cells, cut, strict=True)
    )


# Joining


def _join_labelled(drafts: list[Draft], records: int) -> list[Draft]:
    """Join values with labels that few records have into one list, if there are many: the odd properties of goods."""
    least = max(2, RARE_LABEL * records)
    rare = [each for each in drafts if each.has_label and not each.known and len(each.at) < least]
    if len(rare) < MANY_LABELS:
        return drafts
    cells = sorted((_with_label(cell, each) for each in rare for cell in each.cells), key=lambda cell: cell.rows)
    source = rare[0].source
    joined = Draft("text", "text", cells, source and source.without_label(), named=False, listed=True)
    return [joined if each is rare[0] else each for each in drafts if each is rare[0] or each not in rare]


def _with_label(cell: Cell, draft: Draft) -> Cell:
    label = cell.label or draft.name + LABEL_ENDS[0]
    return cell._replace(text=f"{label} {cell.text}", label="")


def _join_namesakes(drafts: list[Draft], records: int) -> list[Draft]:
    """Join columns of one name and type: those that no record has both of, and of those that are rare all.

    Texts and links are one type if either is rare.
    """
    found: list[Draft] = []
    known: dict[tuple[str, Type], list[Draft]] = {}
    for each in drafts:
        alike = known.setdefault((each.name.casefold(), "text" if each.type == "link" else each.type), [])
        into = next((other for other in alike if _are_one(other, each, records)), None)
        if into is None:
            alike.append(each)
            found.append(each)
        else:
            into.join(each)
    return found


def _are_one(one: Draft, other: Draft, records: int) -> bool:
    if one.headed != other.headed:
        return False
    if one.type != other.type:  # a text where others are links, such as an author without a page
        rarer = min(len(one.at), len(other.at))
        return one.named and one.at.isdisjoint(other.at) and rarer <= max(1, RARE_NAME * records)
    if one.named and one.tag == other.tag and one.at.isdisjoint(other.at):
        return True
    return max(len(one.at), len(other.at)) < HALF * records and one.type != "price"


def _join_prose(drafts: list[Draft]) -> list[Draft]:
    """Make one column of all that is called `body`, and one text of what a record has there."""
    prose = [each for each in drafts if each.name == BODY and each.type == "text"]
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
    """Order columns as they stand in the records that have both of two; of two that no record has, by their names."""
    places = [{cell.record: cell.rows for cell in reversed(each.cells)} for each in drafts]
    order = list(range(len(drafts)))
    end, moved = len(order) - 1, True
    while moved and end > 0:  # at most as often as there are columns, whatever these say of each other
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
