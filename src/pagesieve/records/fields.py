"""The fields that the records of a region have in common: their trees laid over each other, from the roots down.

All records are walked at once. At each place the children are grouped by element and class. A group becomes one place,
several places (cells, and parts that every record has equally often) or one place with many parts (paragraphs, tags). A
place that holds only words, or a sentence with marks in it, is a field. Every row is visited once for each level, so
the cost grows with the size of the records alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.records.reading import Reader
from pagesieve.text.dates import is_date, is_plain_date

STABLE = 0.9  # of the records have a part equally often: each time it stands there is a place of its own
LABELLED = 0.6  # of the repeated parts begin with a label: they are told apart by it
RECURRING = 0.75  # of the labels, at most, are different ones: else they are no labels
MOST_PLACES = 8  # that one repeated part is given where records have it differently often
RARE_CLASS = 0.05  # of the records have a class: fewer, and it tells nothing of the place
MOST_KEYS = 60  # sorts of children that are compared with each other, to join those that stand for each other
FEW_WORDINGS = 4  # records a wording: text between elements that changes more rarely is glue, not a value
LONG_OWN = 40  # characters: no glue
LONGEST_LABEL = 40  # characters

LABEL_ENDS = (":", "：")
CELLS = tag_ids("td th")
FORMATTING = tag_ids("b strong em i mark u font big small sub sup wbr q cite abbr tt code s del ins kbd var nobr bdi")
PARAGRAPHS = tag_ids("#text p blockquote pre ul ol")
LINE = -1  # stands for the element in the key of a line of several elements
_BR, _DT, _DD, _TR, _P = (TAG_ID[name] for name in "br dt dd tr p".split())

_LABEL = re.compile(rf"[^\W\d_][^:：]{{0,{LONGEST_LABEL}}}?(?::(?=\s|$)|：)")

Roots = tuple[int, ...]
Key = tuple[int, tuple[str, ...], str]  # element, classes, label (or the number of a cell)
Group = list[tuple[int, list[Roots]]]  # children of one sort, by record

_TEXT_KEY: Key = (TEXT, (), "")


@dataclass(slots=True, eq=False)
class Field:
    """A place that records have in common: in which records it is, and the rows that are there in each."""

    above: Field | None
    key: Key
    at: list[int] = field(default_factory=list)  # the records, each once, in order
    roots: list[Roots] = field(default_factory=list)
    whole: bool = False  # not to be taken apart
    several: bool = False  # the rows stand side by side; else it is one element
    between: str = " "  # what parts its lines
    listed: bool = False  # each of the rows is an item of its own: tags, links
    glue: bool = False  # text between other fields that hardly changes

    def add(self, record: int, roots: Roots) -> None:
        """Put the rows of one more record there."""
        self.at.append(record)
        self.roots.append(roots)


def find_fields(reader: Reader, records: tuple[Roots, ...]) -> list[Field]:
    """Return the fields of some records, in document order."""
    return list(_Walk(reader).fields(records))


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
    found = _LABEL.match(text)
    return found[0] if found else ""


class _Walk:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def fields(self, records: tuple[Roots, ...]) -> Iterator[Field]:
        top = Field(None, (0, (), ""), several=True)
        for number, roots in enumerate(records):
            top.add(number, roots)
        waiting = [top]
        if all(len(roots) == 1 for roots in records):
            top.several = False  # however the roots differ
        while waiting:  # not by recursion: pages nest deeper than Python does
            place = waiting.pop()
            parts = self._taken_apart(place)
            if parts is None:
                yield place
            else:
                waiting += reversed(parts)

    def _taken_apart(self, place: Field) -> list[Field] | None:
        """Return the places inside a place, or None where it is a field."""
        if place.whole:
            return None
        reader = self.reader
        children = [list(roots) if place.several else reader.children(roots[0]) for roots in place.roots]
        if all(reader.is_text(child) for each in children for child in each):
            return None
        if not any(reader.cuts(child) for each in children for child in each):
            return self._phrase(place, children)
        cut = _with_terms([self._segments(each) for each in children])
        if self._is_prose(cut):
            place.between = "\n"
            return None
        return self._places(place, cut)

    # A line: words, and elements among them

    def _phrase(self, place: Field, children: list[list[int]]) -> list[Field] | None:
        reader = self.reader
        if place.key[2].endswith(LABEL_ENDS):
            return None  # its label is taken off later
        spoken = [[child for child in each if reader.says(child)] for each in children]
        together = [roots for roots, each in zip(place.roots, spoken, strict=True) if len(each) > 1]
        if is_one_value([reader.text(roots) for roots in together]):
            return None
        if parts := self._after_date(place, spoken):
            return parts
        elements = [[child for child in each if not reader.is_text(child)] for each in spoken]
        own = [tuple(reader.own(child) for child in each if self._is_word(child)) for each in spoken]
        if self._is_sentence(own, elements):
            return None
        cut: list[list[tuple[Key, Roots]]] = [[(self._key(child), (child,)) for child in each] for each in spoken]
        parts = self._places(place, cut)
        for part in parts:
            part.glue = part.key[0] == TEXT
        return parts

    def _after_date(self, place: Field, spoken: list[list[int]]) -> list[Field]:
        """Split lines that begin with a date in an element of its own: the date and the rest; else return nothing."""
        reader = self.reader
        if not all(each and not reader.is_text(each[0]) for each in spoken) or max(map(len, spoken)) == 1:
            return []
        if not is_one_value([reader.text((each[0],)).rstrip(" -–—·.|") for each in spoken]):
            return []
        date, rest = Field(place, self._key(spoken[0][0])), Field(place, _TEXT_KEY, several=True)
        for record, each in zip(place.at, spoken, strict=True):
            date.add(record, (each[0],))
            if len(each) > 1:
                rest.add(record, tuple(each[1:]))
        return [date, rest]

    def _is_word(self, row: int) -> bool:
        return self.reader.is_text(row) and self.reader.is_word(row)

    def _is_sentence(self, own: list[tuple[str, ...]], elements: list[list[int]]) -> bool:
        """Whether the words between some elements make one text of them all."""
        wordings = {words for words in own if words}
        marked = self._are_marks({self._key(child) for each in elements for child in each})
        if wordings:
            if marked and max(map(len, wordings)) > 1:
                return True
            longest = max(len(word) for words in wordings for word in words)
            if is_one_value([" ".join(words) for words in own if words]):
                return False
            varied = len(wordings) > max(1, len(own) // FEW_WORDINGS)
            return varied or longest > LONG_OWN or (marked and len(own) == 1)
        return marked and not _stable([len(each) for each in elements])

    def _are_marks(self, keys: set[Key]) -> bool:
        """Whether elements only mark words: all are for that, and no two have different classes."""
        return all(key[0] in FORMATTING for key in keys) and len({key[1] for key in keys if key[1]}) < 2

    # Blocks, and the lines between them

    def _segments(self, children: list[int]) -> list[tuple[Key, Roots]]:
        """Return the blocks among some children, and the lines between them, each with what it is known by."""
        reader, found = self.reader, list[tuple[Key, Roots]]()
        label, cell, line = "", 0, list[int]()
        for row in children:
            if not reader.cuts(row):
                if reader.says(row):
                    line.append(row)
                continue
            if line:
                self._add_line(found, line)
                line = []
            tag = reader.tag(row)
            cell += tag in CELLS
            if tag == _BR or not reader.says(row):
                continue
            if tag in CELLS:
                found.append(((tag, (), str(cell)), (row,)))
                continue
            if tag == _DT:
                label = reader.text((row,)).rstrip(" :：")[:LONGEST_LABEL]
            found.append(((tag, reader.classes(row), label if tag == _DD else ""), (row,)))
        if line:
            self._add_line(found, line)
        return found

    def _add_line(self, found: list[tuple[Key, Roots]], line: list[int]) -> None:
        """Add a line of rows that say something to what was found before; it may go on with the line before."""
        rows = self._telling(line)
        found.append((self._key_of(rows), rows))
        if len(found) > 1 and self._goes_on(*found[-2:]):
            (key, before), (_, rows) = found.pop(-2), found.pop()
            found.append((key, before + rows))

    def _goes_on(self, first: tuple[Key, Roots], second: tuple[Key, Roots]) -> bool:
        """Whether two lines are one text that a line break cuts."""
        if first[0] != second[0] or first[0][0] != TEXT:
            return False
        return all(len(self.reader.text(rows)) >= LONG_OWN for _, rows in (first, second))

    def _telling(self, line: list[int]) -> Roots:
        """Return the rows of a line without the signs beside a lone element."""
        if len(line) > 1:
            telling = [row for row in line if not self.reader.is_text(row) or self.reader.is_word(row)]
            if len(telling) == 1:
                return tuple(telling)
        return tuple(line)

    def _key_of(self, rows: Roots) -> Key:
        """Return what a line is known by."""
        if len(rows) == 1:
            return self._key(rows[0])
        if any(map(self._is_word, rows)):
            return _TEXT_KEY
        first = next((row for row in rows if not self.reader.is_text(row)), rows[0])
        return LINE, self.reader.classes(first), ""

    def _key(self, row: int) -> Key:
        if self.reader.is_text(row):
            return _TEXT_KEY
        return self.reader.tag(row), self.reader.classes(row), ""

    def _is_prose(self, cut: list[list[tuple[Key, Roots]]]) -> bool:
        """Whether records have nothing there but paragraphs, in different numbers."""
        keys = {key for each in cut for key, _ in each}
        if _stable([len(each) for each in cut]) or not all(key[0] in PARAGRAPHS for key in keys):
            return False
        paragraphs = [key for key in keys if key[0] == _P]
        if len(paragraphs) > 1:
            return False
        group = [(number, [rows for key, rows in each if key[0] == _P]) for number, each in enumerate(cut)]
        return not paragraphs or self._by_label(paragraphs[0], group) is None

    # Places

    def _places(self, place: Field, cut: list[list[tuple[Key, Roots]]]) -> list[Field]:
        renamed = _joined_keys([[key for key, _ in each] for each in cut])
        groups: dict[Key, Group] = {key: [] for key in _in_order(renamed)}
        for record, each, keys in zip(place.at, cut, renamed, strict=True):
            for key, (_, rows) in zip(keys, each, strict=True):
                _add(groups[key], record, rows)
        return [part for key, group in groups.items() for part in self._resolved(place, key, group)]

    def _resolved(self, place: Field, key: Key, group: Group) -> list[Field]:
        """Return the places of one sort of children."""
        counts = [len(each) for _, each in group]
        if max(counts) == 1:
            return self._numbered(place, key, group)
        if not key[2] and (labelled := self._by_label(key, group)):
            return [part for inner, each in labelled.items() for part in self._resolved(place, inner, each)]
        by_lines = key[0] in PARAGRAPHS
        if not by_lines and (_stable(counts) or (max(counts) <= MOST_PLACES and not self._all_links(group))):
            return self._numbered(place, key, group)
        listed = Field(place, key, whole=True, several=True, between="\n", listed=not by_lines)
        for record, each in group:
            listed.add(record, tuple(row for rows in each for row in rows))
        return [listed]

    def _all_links(self, group: Group) -> bool:
        """Whether nothing but links is there: tags, authors."""
        linked = self.reader.page.link_chars
        chars = self.reader.page.text_chars
        return all(linked[row] == chars[row] for _, each in group for rows in each for row in rows)

    def _numbered(self, place: Field, key: Key, group: Group) -> list[Field]:
        most = max(len(each) for _, each in group)
        parts = [Field(place, key, several=key[0] == TEXT) for _ in range(most)]
        for record, each in group:
            for part, rows in zip(parts, each, strict=False):
                part.add(record, rows)
        for part in parts:
            part.several = part.several or any(len(rows) > 1 for rows in part.roots)
        return parts

    def _by_label(self, key: Key, group: Group) -> dict[Key, Group] | None:
        """Group the parts by the labels that they begin with, if most have one and records share them; else None."""
        labels = [[self._label(rows) for rows in each] for _, each in group]
        known = Counter(label for each in labels for label in each if label)
        every = sum(map(len, labels))
        if known.total() < LABELLED * every or (len(group) > 1 and len(known) > RECURRING * known.total()):
            return None
        found: dict[Key, Group] = {}
        for (record, each), names in zip(group, labels, strict=True):
            for rows, name in zip(each, names, strict=True):
                # What has no label of its own goes by a blank one, so that it is not looked at again.
                _add(found.setdefault((*key[:2], name or " "), []), record, rows)
        return found

    def _label(self, rows: Roots) -> str:
        reader = self.reader
        if reader.tag(rows[0]) == _TR:
            cells = [row for row in reader.children(rows[0]) if reader.tag(row) in CELLS]
            if len(cells) == 2:
                return reader.text((cells[0],)).rstrip(" :：")[:LONGEST_LABEL]
        texts = reader.text_rows(rows[0], reader.end(rows[-1]))
        return label_of(reader.own(texts[0])) if texts else ""


def _add(group: Group, record: int, rows: Roots) -> None:
    if not group or group[-1][0] != record:
        group.append((record, []))
    group[-1][1].append(rows)


def _with_terms(cut: list[list[tuple[Key, Roots]]]) -> list[list[tuple[Key, Roots]]]:
    """Make each `dt` the label of its `dd` where records share these labels; else treat it as any other element."""
    terms = [{key[2] for key, _ in each if key[0] == _DD and key[2]} for each in cut]
    known = Counter(term for each in terms for term in each)
    if not known:
        return cut
    shared = sum(count for count in known.values() if count > 1)
    paired = len(known) == 1 or known.total() > len(cut)  # a `dt` alone in its list is a head, not a label
    if paired and (len(cut) == 1 or shared >= LABELLED * known.total()):
        return [[(key, rows) for key, rows in each if key[0] != _DT] for each in cut]
    return [[((*key[:2], ""), rows) if key[0] == _DD else (key, rows) for key, rows in each] for each in cut]


def _stable(counts: list[int]) -> bool:
    """Whether nearly all counts are the same, and there is more than one to tell by."""
    return len(counts) > 1 and Counter(counts).most_common(1)[0][1] >= STABLE * len(counts)


def _joined_keys(keys: list[list[Key]]) -> list[list[Key]]:
    """Return the keys less the classes that tell nothing; those that stand for each other become one."""
    having: dict[Key, set[int]] = {}
    for number, each in enumerate(keys):
        for key in each:
            there = having.get(key)
            if there is None:
                having[key] = {number}
            else:
                there.add(number)
    plain = _without_rare_classes(having, len(keys))
    holders: dict[Key, set[int]] = {}
    for key, there in having.items():
        holders.setdefault(plain[key], set()).update(there)
    stands_for = _stand_ins(holders, len(keys))
    final = {key: stands_for.get(name, name) for key, name in plain.items()}
    if all(key == name for key, name in final.items()):
        return keys
    return [[final[key] for key in each] for each in keys]


def _without_rare_classes(having: dict[Key, set[int]], records: int) -> dict[Key, Key]:
    """Return each key with its classes in order, less those that few records have."""
    counts = Counter[tuple[int, str]]()
    for key, there in having.items():
        for name in key[1]:
            counts[key[0], name] += len(there)
    least = max(2, RARE_CLASS * records) if records > 1 else 1
    return {
        key: (key[0], tuple(sorted(name for name in key[1] if counts[key[0], name] >= least)), key[2]) for key in having
    }


def _stand_ins(holders: dict[Key, set[int]], records: int) -> dict[Key, Key]:
    """Map keys to others that stand for the same: no record has both, and they share a class or cover all records."""
    found: dict[Key, Key] = {}
    if len(holders) > MOST_KEYS:
        return found
    kept: list[Key] = []
    for key in sorted(holders, key=lambda key: -len(holders[key])):
        for other in kept:
            if key[0] == other[0] and key[2] == other[2] and _exclusive(key, other, holders, records):
                holders[other] |= holders[key]
                found[key] = other
                break
        else:
            kept.append(key)
    return found


def _exclusive(key: Key, other: Key, holders: dict[Key, set[int]], records: int) -> bool:
    if not holders[key].isdisjoint(holders[other]):
        return False
    return not set(key[1]).isdisjoint(other[1]) or len(holders[key]) + len(holders[other]) == records


def _in_order(keys: Iterable[list[Key]]) -> list[Key]:
    """Return every key once, each behind those that stand before it where it is first seen."""
    order: list[Key] = []
    known: set[Key] = set()
    last: list[Key] = []
    for each in keys:
        if each == last:
            continue
        last = each
        before: Key | None = None
        for key in each:
            if key not in known:  # rare after the first record, and only then is the place looked for
                if order and before == order[-1]:
                    order.append(key)
                else:
                    order.insert(0 if before is None else order.index(before) + 1, key)
                known.add(key)
            before = key
    return order


# What type of value a text is: price, number, date or just text

MOST = 0.8  # of a column's values: the column is of a type where as many are
LONGEST_PRICE = 32  # characters
LOOKED_AT = 200  # values of a column, evenly spread, that its type is told by

_SIGNS = "$€£¥￥₹₽₩₺₴₫฿₪"
_CODES = "usd eur gbp cad aud nzd chf cny rmb jpy inr rub krw sek nok dkk pln czk huf brl mxn zar hkd sgd try"
_WORDS = r"kr|zł|kč|元|円|원|руб\.?|rs\.?"
_CURRENCY = rf"(?:[a-z]{{0,3}}\s?[{_SIGNS}]|{_CODES.replace(' ', '|')}|{_WORDS})"
_AMOUNT = r"(?:\d{1,3}(?:[ ,.'’]\d{3})*|\d+)(?:\s?[.,]\s?(?:\d{1,2}|-|–))?"
_RANGE = rf"(?:\s?(?:-|–|to)\s?{_CURRENCY}?\s?{_AMOUNT})?"
_PRICE = re.compile(
    rf"(?:(?:from|ab):?\s)?(?:{_CURRENCY}\s?{_AMOUNT}{_RANGE}|{_AMOUNT}\s?{_CURRENCY})(?:\s?(?:/|per\s)?\s?\w{{0,10}}\.?)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[(#+\-–~]?\s?(?:\d{1,3}(?:[ ,.'’]\d{3})+|\d+)(?:[.,]\d+)?\s?[%km+)]?", re.IGNORECASE)


def is_price(text: str) -> bool:
    """Whether a text is a sum of money, or a range of it, and nothing else."""
    return len(text) <= LONGEST_PRICE and _PRICE.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else: a count, a share, a rank."""
    return _NUMBER.fullmatch(text) is not None


ValueType = Literal["price", "date", "number", "text"]
_TESTS: dict[ValueType, Callable[[str], bool]] = {"price": is_price, "date": is_date, "number": is_number}


def type_of(texts: list[str]) -> ValueType:
    """Return the type of a column by its values: what most of them are."""
    looked_at = _some(texts)
    return next((name for name, test in _TESTS.items() if _are_most(looked_at, test)), "text")


def is_one_value(texts: list[str]) -> bool:
    """Whether nearly all texts are a price or a date as a whole, so that their parts are no values of their own."""
    return _are_most(_some(texts), lambda text: is_price(text.rstrip(" –-")) or is_plain_date(text))


def _are_most(texts: list[str], test: Callable[[str], bool]) -> bool:
    """Whether most texts pass a test; no more are tried than it takes to know."""
    left = len(texts)  # that pass, or were not tried
    least = MOST * left
    for text in texts:
        if not test(text):
            left -= 1
            if left < least:
                return False
    return left > 0


def _some(texts: list[str]) -> list[str]:
    return texts[:: max(1, len(texts) // LOOKED_AT)]
