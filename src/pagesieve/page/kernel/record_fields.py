# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The fields that the records of a region have in common: their trees laid over each other, from the roots down.

All records are walked at once. At each place the children are grouped by element and class. A group becomes one place,
several places (cells, and parts that every record has equally often) or one place with many parts (paragraphs, tags). A
place that holds only words, or a sentence with marks in it, is a field. Every row is visited once for each level, so
the cost grows with the size of the records alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.record_rows import RecordRows

from pagesieve.page.kernel.record_rows import FORMATTING
from pagesieve.page.kernel.tags import TAG_ID, tag_ids

STABLE = 0.9  # of the records have a part equally often: each time it stands there is a place of its own
LABELLED = 0.6  # of the repeated parts begin with a label: they are told apart by it
IN_PROSE = 0.75  # of the records, at most, have a heading or table between paragraphs: else it is a part of its own
RECURRING = 0.75  # of the labels, at most, are different ones: else they are no labels
MOST_PLACES = 8  # that one repeated part is given where records have it differently often
RARE_CLASS = 0.05  # of the records have a class: fewer, and it tells nothing of the place
MOST_KEYS = 60  # sorts of children that are compared with each other, to join those that stand for each other
MOST_VALUES = 16  # that are taken off the beginning of a line, one after another
MOST_PIECES = 4  # rows that a price at the beginning of a line is in
LONGEST_SIGN, LONGEST_PIECE = 4, 8  # characters of a currency, and of a piece of a price
FEW_WORDINGS = 4  # records a wording: text between elements that changes more rarely is glue, not a value
LONG_OWN = 40  # characters: no glue
FEW_NOTES = 3  # lines that have a note beside their text: fewer, and it may be a word of the text
LONGEST_LABEL = 40  # characters

LABEL_ENDS = (":", "：")
CELLS = tag_ids("td th")
PARAGRAPHS = tag_ids("#text p blockquote pre ul ol")
LISTS = tag_ids("ul ol")
PROSE = PARAGRAPHS | tag_ids("h1 h2 h3 h4 h5 h6 table dl hr figure div")  # what texts have among their paragraphs
LINE = -1  # stands for the element in the key of a line of several elements
_AFTER_LABEL = " :："
_PARTING = " -–—·.|"

_BR = cython.declare(cython.int, TAG_ID["br"])
_DT = cython.declare(cython.int, TAG_ID["dt"])
_DD = cython.declare(cython.int, TAG_ID["dd"])
_TR = cython.declare(cython.int, TAG_ID["tr"])
_TD = cython.declare(cython.int, TAG_ID["td"])
_TH = cython.declare(cython.int, TAG_ID["th"])
_P = cython.declare(cython.int, TAG_ID["p"])

Roots = tuple[int, ...]
Key = tuple[int, tuple[str, ...], str]  # element, classes, label (or the number of a cell)


class Field:
    """A place that records have in common: in which records it is, and the rows that are there in each."""

    def __init__(self, above: Field | None, key: Key, at: list[int], roots: list[Roots], several: bool = False) -> None:
        self.above, self.key, self.at, self.roots, self.several = above, key, at, roots, several
        self.between = " "
        self.whole = self.listed = self.glue = False


class _Cut:
    """The children of a place, cut into parts: of each the number of its key, and its rows."""

    def __init__(self):
        self.keys = []
        self.rows = []
        self.first = [0]

    def add(self, key, rows):
        """Add a part of the last record."""
        self.keys.append(key)
        self.rows.append(rows)
        return 0

    def end_record(self):
        """Let the next part be one of the next record."""
        self.first.append(len(self.keys))
        return 0

    def records(self):
        """Return how many records there are."""
        return len(self.first) - 1

    def counts(self):
        """Return how many parts each record has."""
        return [self.first[k + 1] - self.first[k] for k in range(self.records())]


class _Group:
    """Parts of one sort, in order: the record and the rows of each."""

    def __init__(self):
        self.at = []
        self.rows = []
        self.most = self.run = 0

    def add(self, record, rows):
        """Add a part of a record."""
        self.run = self.run + 1 if self.at and self.at[len(self.at) - 1] == record else 1
        self.most = max(self.most, self.run)
        self.at.append(record)
        self.rows.append(rows)
        return 0

    def by_record(self):
        """Return each record once, with its parts."""
        found: list = []
        last = -1
        record: cython.int
        for k in range(len(self.at)):
            record = self.at[k]
            if record != last:
                found.append((record, []))
            found[len(found) - 1][1].append(self.rows[k])
            last = record
        return found


class _Walk:
    """Takes the places of some records apart. Keys are known by their numbers."""

    def __init__(self, rows: RecordRows, page: Any, is_one_value: Any, label_of: Any) -> None:
        self.rows = rows
        self.page = page
        self.is_one_value, self.label_of = is_one_value, label_of
        self.keys = []
        self.numbers = {}
        self.by_class = {}
        self.text_key = self._number((tags.TEXT, (), ""))
        self.has_terms = self.only_texts = self.is_cut = False

    def taken_apart(self, place):
        """Return the places inside a place, or None where it is a field."""
        if place.whole:
            return None
        children = self._children(place)
        if self.only_texts:
            return None
        if not self.is_cut:
            return self._phrase(place, children)
        cut: _Cut = self._segments(children)
        if self._is_prose(cut):
            place.between = "\n"
            return None
        return self._places(place, cut)

    def _children(self, place):
        """Return the children of each record at a place; note whether all are texts, and whether any cuts a line."""
        self.only_texts, self.is_cut = True, False
        found: list = []
        roots: tuple
        row: cython.int
        for roots in place.roots:
            inside: list = list(roots) if place.several else self.rows.children(roots[0])
            for row in inside:
                if self.rows.tag(row) != tags.TEXT:
                    self.only_texts = False
                    self.is_cut = self.is_cut or self.rows.cuts(row)
            found.append(inside)
        return found

    # Keys

    def _number(self, key):
        """Return the number of a key."""
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.keys)
            self.keys.append(key)
        return found

    def _key(self, row):
        """Return what a row is known by: its element and classes; all texts are alike."""
        tag = self.rows.tag(row)
        if tag == tags.TEXT:
            return self.text_key
        kept = (tag, self.rows.class_of(row))
        found = self.by_class.get(kept)
        if found is None:
            found = self.by_class[kept] = self._number((tag, self.rows.classes(row), ""))
        return found

    def _key_of(self, rows):
        """Return what a line is known by."""
        row: cython.int = rows[0]
        if len(rows) == 1:
            return self._key(row)
        for row in rows:
            if self.rows.is_word(row):
                return self.text_key
        for row in rows:
            if self.rows.tag(row) != tags.TEXT:
                return self._number((LINE, self.rows.classes(row), ""))
        return self._number((LINE, (), ""))

    # A line: words, and elements among them

    def _phrase(self, place, children):
        """Return the parts of a place without blocks, or None where it is one text."""
        label: str = place.key[2]
        if label.endswith(LABEL_ENDS):
            return None  # its label is taken off later
        spoken: list = [self._spoken(each) for each in children]
        if _has_label(place.above) and self._has_words(spoken):
            return None
        together = [place.roots[k] for k in range(len(spoken)) if len(spoken[k]) > 1]
        if self.is_one_value(together, self._text) or self._have_cents(together):
            return None
        parts: list = self._after_value(place, spoken)
        if parts:
            return parts
        if self._has_tail(spoken):
            return None
        if self._is_sentence(spoken):
            return self._without_notes(place, spoken)
        parts = self._places(place, self._parts_of_line(spoken))
        part: Field
        for part in parts:
            part.glue = part.key[0] == tags.TEXT
        return parts

    def _have_cents(self, parts):
        """Whether all of some parts are amounts with their cents in an element of their own."""
        for roots in parts:
            if not self.rows.cents(roots) or not _is_amount(self.rows.text(roots)):
                return False
        return len(parts) > 0

    def _has_words(self, spoken):
        """Whether words stand between the elements of lines."""
        row: cython.int
        for each in spoken:
            for row in each:
                if self.rows.tag(row) == tags.TEXT and self.rows.is_word(row):
                    return True
        return False

    def _parts_of_line(self, spoken):
        """Cut lines into their rows. Texts are told apart by their number where all lines have equally many."""
        numbered: cython.bint = self._has_texts_between(spoken)
        cut: _Cut = _Cut()
        each: list
        row: cython.int
        for each in spoken:
            number = 0
            for row in each:
                key = self._key(row)
                if numbered and key == self.text_key:
                    key = self._number((tags.TEXT, (), " " * number))  # blanks are no label
                    number += 1
                cut.add(key, (row,))
            cut.end_record()
        return cut

    def _has_texts_between(self, spoken):
        """Whether lines have equally many texts, two or more, and words in elements between them."""
        counts: set = set()
        each: list
        row: cython.int
        for each in spoken:
            count = 0
            apart: cython.bint = True
            for row in each:
                if self.rows.tag(row) != tags.TEXT:
                    apart = apart or self.rows.first_text(row, self.rows.end(row)) >= 0
                elif not apart:
                    return False
                else:
                    count += 1
                    apart = False
            counts.add(count)
        return len(counts) == 1 and max(counts) > 1

    def _without_notes(self, place, spoken):
        """Part texts from what stands before or behind them as a note, such as "New listing"; None if there is none."""
        first: list = []
        last: list = []
        each: list
        for each in spoken:
            if len(each) > 1:
                first.append(each[0])
                last.append(each[len(each) - 1])
        before = self._note(first, spoken)
        behind = self._note(last, spoken)
        if before < 0 and behind < 0:
            return None
        notes: list = [([], []), ([], [])]
        rest: list = []
        for k in range(len(spoken)):
            each = spoken[k]
            begin = len(each) > 1 and self._key(each[0]) == before
            end = len(each) - (len(each) > begin + 1 and self._key(each[len(each) - 1]) == behind)
            for number, rows in enumerate((each[:begin], each[end:])):
                if rows:
                    notes[number][0].append(place.at[k])
                    notes[number][1].append(tuple(rows))
            rest.append(tuple(each[begin:end]))
        text: Field = Field(place, self.keys[self.text_key], list(place.at), rest, True)
        text.whole = True
        found: list = [text]
        if notes[0][0]:
            found.insert(0, Field(place, self.keys[before], notes[0][0], notes[0][1]))
        if notes[1][0]:
            found.append(Field(place, self.keys[behind], notes[1][0], notes[1][1]))
        return found

    def _note(self, ends, spoken):
        """Return the key of the elements that are notes at one end of lines, or -1.

        They say the same wherever they are, in several lines, stand nowhere else, and are not there to mark words.
        """
        row: cython.int
        having: dict = {}
        for row in ends:
            if self.rows.tag(row) != tags.TEXT and self.rows.tag(row) not in FORMATTING:
                having.setdefault(self._key(row), []).append(row)
        key: cython.int
        for key, rows in having.items():
            wordings = {self.rows.text((row,)) for row in rows}
            if len(rows) < FEW_NOTES or len(wordings) > 1 or "" in wordings:
                continue
            if len(rows) == sum([self._key(row) == key for each in spoken for row in each]):
                return key
        return -1

    def _spoken(self, children):
        """Return those of some rows that say something."""
        found: list = []
        row: cython.int
        for row in children:
            if self.rows.says(row):
                found.append(row)
        return found

    def _after_value(self, place, spoken):
        """Split lines that begin with a date or a price in elements of its own: that, and the rest; or return none."""
        if self._is_rest_of_many(place):
            return []
        for count in range(MOST_PIECES, 0, -1):
            parts: list = self._cut_after(place, spoken, count)
            if parts:
                return parts
        return []

    def _is_rest_of_many(self, place):
        """Whether a place is what is left of a line after many values: each rest is read again as a whole."""
        for _ in range(MOST_VALUES):
            if place is None or not place.several:
                return False
            place = place.above
        return True

    def _cut_after(self, place, spoken, count):
        """Split lines after some rows, if these are a date or a price in nearly all of them."""
        each: list
        most = 0
        first: list = []
        for each in spoken:
            if len(each) < count or not self._may_be_pieces(each, count):
                return []
            most = max(most, len(each))
            first.append(tuple(each[:count]))
        if most == count or not self.is_one_value(first, self._within_signs):
            return []
        key = self.keys[self._key_of(first[0])]
        at = [place.at[k] for k in range(len(spoken)) if len(spoken[k]) > count]
        rest = [tuple(each[count:]) for each in spoken if len(each) > count]
        head: Field = Field(place, key, list(place.at), first, count > 1)
        head.whole = count > 1
        return [head, Field(place, self.keys[self.text_key], at, rest, True)]

    def _has_tail(self, spoken):
        """Whether each line is a marked word or number and what it is of, the same in all: "3 comments"."""
        each: list
        tails: set = set()
        for each in spoken:
            if len(each) != 2 or self.rows.tag(each[0]) not in FORMATTING or self.rows.tag(each[1]) != tags.TEXT:
                return False
            if not self.rows.is_word(each[1]):
                return False
            tails.add(self.rows.own(each[1]))
        return len(tails) == 1 and len(spoken) > 1

    def _may_be_pieces(self, line, count):
        """Whether the first rows of a line are elements; where they are several, some may be a sign of currency.

        Two numbers with a blank between them are no pieces of one.
        """
        row: cython.int
        if count == 1:
            row = line[0]
            return self.rows.tag(row) != tags.TEXT
        last: str = ""
        for row in line[:count]:
            longest = LONGEST_SIGN if self.rows.tag(row) == tags.TEXT else LONGEST_PIECE
            text: str = self.rows.text((row,))
            if len(text) > longest:
                return False
            if last[-1:].isdigit() and text[:1].isdigit() and f"{last} {text}" in self.rows.text(tuple(line[:count])):
                return False
            last = text
        return True

    def _text(self, roots):
        """Return the text of some rows; for call-backs."""
        return self.rows.text(roots)

    def _within_signs(self, roots):
        """Return a text without the signs that part it from others."""
        return self.rows.text(roots).strip(_PARTING)

    def _is_sentence(self, spoken):
        """Whether the words between some elements make one text of them all."""
        own: list = []
        counts: list = []
        elements: set = set()
        each: list
        row: cython.int
        for each in spoken:
            words: list = []
            count = 0
            for row in each:
                if self.rows.tag(row) != tags.TEXT:
                    count += 1
                    elements.add(self._key(row))
                elif self.rows.is_word(row):
                    words.append(self.rows.own(row))
            own.append(tuple(words))
            counts.append(count)
        marked = self._are_marks(elements)
        wordings = {said for said in own if said}
        return self._is_glued(own, wordings, marked) if wordings else marked and not _stable(counts)

    def _is_glued(self, own, wordings, marked):
        """Whether words that stand between elements, of each record and the different ones, belong to one text."""
        if marked and max([len(words) for words in wordings]) > 1:
            return True
        longest = max([len(word) for words in wordings for word in words])
        if self.is_one_value([words for words in own if words], " ".join):
            return False
        varied = _most_wordings(wordings) > max(1, len(own) // FEW_WORDINGS)
        return varied or longest > LONG_OWN or (marked and len(own) == 1)

    def _are_marks(self, keys):
        """Whether elements only mark words: all are for that, and no two have different classes."""
        classes = set()
        for number in keys:
            key = self.keys[number]
            if key[0] not in FORMATTING:
                return False
            if key[1]:
                classes.add(key[1])
        return len(classes) < 2

    # Blocks, and the lines between them

    def _segments(self, children):
        """Return the blocks among the children of each record, and the lines between them."""
        cut: _Cut = _Cut()
        self.has_terms = False
        for each in children:
            self._segment(cut, each)
            cut.end_record()
        return self._with_terms(cut) if self.has_terms else cut

    def _segment(self, cut, children):
        label = ""
        cell = 0
        line: list = []
        row: cython.int
        for row in children:
            if not self.rows.cuts(row):
                if self.rows.says(row):
                    line.append(row)
                continue
            if line:
                self._add_line(cut, line)
                line = []
            tag = self.rows.tag(row)
            cell += tag == _TD or tag == _TH
            if tag == _BR or not self.rows.says(row):
                continue
            if tag == _DT:
                label = self.rows.text((row,)).rstrip(_AFTER_LABEL)[:LONGEST_LABEL]
            cut.add(self._block_key(row, tag, cell, label), (row,))
        if line:
            self._add_line(cut, line)
        return 0

    def _block_key(self, row, tag, cell, label):
        """Return what a block is known by: a cell by its number, a description by its term."""
        if tag == _TD or tag == _TH:
            return self._number((tag, (), str(cell)))
        if tag == _DD and label:
            self.has_terms = True
            return self._number((tag, self.rows.classes(row), label))
        return self._key(row)

    def _add_line(self, cut, line):
        """Add a line of rows that say something; it may go on with the line before."""
        rows = self._telling(line)
        key = self._key_of(rows)
        last = len(cut.keys) - 1
        if last >= cut.first[len(cut.first) - 1] and key == self.text_key == cut.keys[last]:
            before: tuple = cut.rows[last]
            if len(self.rows.text(before)) >= LONG_OWN and len(self.rows.text(rows)) >= LONG_OWN:
                cut.rows[last] = before + rows  # one text that a line break cuts
                return 0
        return cut.add(key, rows)

    def _telling(self, line):
        """Return the rows of a line without the signs beside a lone element."""
        if len(line) > 1:
            row: cython.int
            telling: list = []
            for row in line:
                if self.rows.tag(row) != tags.TEXT or self.rows.is_word(row):
                    telling.append(row)
            if len(telling) == 1:
                return tuple(telling)
        return tuple(line)

    def _with_terms(self, cut):
        """Make each `dt` the label of its `dd` where records share these labels; else treat it as any other element."""
        terms: list = []
        for k in range(cut.records()):
            keys = [self.keys[number] for number in cut.keys[cut.first[k] : cut.first[k + 1]]]
            terms.append({key[2] for key in keys if key[0] == _DD and key[2]})
        known = Counter([term for each in terms for term in each])
        shared = sum([count for count in known.values() if count > 1])
        paired = len(known) == 1 or known.total() > len(terms)  # a `dt` alone in its list is a head, not a label
        are_labels = paired and (len(terms) == 1 or shared >= LABELLED * known.total())
        found: _Cut = _Cut()
        for k in range(cut.records()):
            for part in range(cut.first[k], cut.first[k + 1]):
                key = self.keys[cut.keys[part]]
                if are_labels and key[0] != _DT:
                    found.add(cut.keys[part], cut.rows[part])
                elif not are_labels:
                    found.add(self._number((_DD, key[1], "")) if key[0] == _DD else cut.keys[part], cut.rows[part])
            found.end_record()
        return found

    def _is_prose(self, cut):
        """Whether records have nothing there but paragraphs, in different numbers, and headings or tables in some."""
        keys = [self.keys[number] for number in set(cut.keys)]
        paragraphs = others = lists = 0
        for key in keys:
            if key[0] not in PROSE:
                return False
            lists += key[0] in LISTS
            paragraphs += key[0] == _P
            others += key[0] not in PARAGRAPHS
        if lists == len(keys) or paragraphs > 1 or _stable(cut.counts()) or (others and not self._are_between(cut)):
            return False
        rows = [cut.rows[k] for k in range(len(cut.keys)) if self.keys[cut.keys[k]][0] == _P]
        return not rows or not self._are_told_apart(self._labels(rows), cut.records())

    def _are_between(self, cut):
        """Whether most records have paragraphs there, and what is none has no class and is in some of them only."""
        having: dict = {}
        prose: set = set()
        for k in range(cut.records()):
            for part in range(cut.first[k], cut.first[k + 1]):
                key = self.keys[cut.keys[part]]
                if key[0] == _P:
                    prose.add(k)
                elif key[0] not in PARAGRAPHS:
                    if key[1]:
                        return False
                    having.setdefault(key[0], set()).add(k)
        records = cut.records()
        return len(prose) >= LABELLED * records and max([len(there) for there in having.values()]) <= IN_PROSE * records

    # Places

    def _places(self, place, cut):
        """Return the places that the parts of a place make, in order."""
        names: list = self._joined_keys(cut)
        groups: dict = {number: _Group() for number in _in_order(names, cut.first)}
        group: _Group
        for k in range(cut.records()):
            for part in range(cut.first[k], cut.first[k + 1]):
                group = groups[names[part]]
                group.add(place.at[k], cut.rows[part])
        found: list = []
        for number, group in groups.items():
            found += self._resolved(place, self.keys[number], group)
        return found

    def _resolved(self, place, key, group):
        """Return the places of one sort of children."""
        if group.most == 1:
            return [_single(place, key, group.at, group.rows)]
        parts = group.by_record()
        by_lines: cython.bint = key[0] in PARAGRAPHS and key[0] not in LISTS
        if not key[2]:
            labels = self._labels(group.rows)
            terms: list = self._terms(group, labels)
            if terms:
                return self._by_label(place, key, self._described(group, terms), [term for term in terms if term])
            if self._are_told_apart(labels, len(parts)):
                return self._by_label(place, key, group, labels)
            if by_lines and len([label for label in labels if label]) >= len(parts):
                by_lines = not self._are_short(group, parts)
        if not by_lines:
            counts = [len(each) for _, each in parts]
            if _stable(counts):
                return _numbered(place, key, parts, group.most)
            if group.most <= MOST_PLACES:
                if key[0] in LISTS or not self._are_alike(group):
                    return _numbered(place, key, parts, group.most)
                sorts: list = self._by_value(group)
                if len(sorts) > 1:
                    return [each for own in sorts for each in self._resolved(place, key, own)]
        at = [record for record, _ in parts]
        roots = [tuple([row for rows in each for row in rows]) for _, each in parts]
        listed: Field = Field(place, key, at, roots, True)
        listed.whole, listed.between, listed.listed = True, "\n", not by_lines
        return [listed]

    def _terms(self, group, labels):
        """Return what the part before each part calls it, empty for those parts; none unless parts come in such pairs.

        A part that is a label as a whole calls the next one of its record, as a `dt` does a `dd`.
        """
        if len(labels) < 2 or not labels[0]:
            return []
        found: list = []
        for k in range(len(labels)):
            if k % 2:
                if labels[k] or group.at[k] != group.at[k - 1]:
                    return []
                found.append(labels[k - 1].rstrip(_AFTER_LABEL))
            elif labels[k] and self.rows.text(group.rows[k]) == labels[k]:
                found.append("")
            else:
                return []
        return found if found[len(found) - 1] else []

    def _described(self, group, terms):
        """Return the parts that have a term."""
        found: _Group = _Group()
        for k in range(len(terms)):
            if terms[k]:
                found.add(group.at[k], group.rows[k])
        return found

    def _are_short(self, group, parts):
        """Whether lines are values, not prose: all are short, and nearly all records have equally many."""
        if not _stable([len(each) for _, each in parts]):
            return False
        for rows in group.rows:
            if len(self.rows.text(rows)) >= LONG_OWN:
                return False
        return True

    def _by_label(self, place, key, group, labels):
        """Return the places of parts by the labels that they begin with."""
        groups: dict = {}
        own: _Group
        for k in range(len(labels)):
            # What has no label of its own goes by a blank one, so that it is not looked at again.
            name = labels[k] or " "
            if name not in groups:
                groups[name] = _Group()
            own = groups[name]
            own.add(group.at[k], group.rows[k])
        found: list = []
        for name, own in groups.items():
            found += self._resolved(place, (key[0], key[1], name), own)
        return found

    def _by_value(self, group):
        """Part what is a date or a price from what is not, where records have both, in different numbers."""
        values: _Group = _Group()
        others: _Group = _Group()
        for k in range(len(group.at)):
            own: _Group = values if self.is_one_value([group.rows[k]], self._within_signs) else others
            own.add(group.at[k], group.rows[k])
        return [own for own in (others, values) if own.at]

    def _are_told_apart(self, labels, records):
        """Whether most parts have a label, and records share them."""
        known = Counter([label for label in labels if label])
        having = known.total()
        return having >= LABELLED * len(labels) and (records == 1 or len(known) <= RECURRING * having)

    def _labels(self, parts):
        """Return the labels that some parts begin with; empty where they have none."""
        return [self._label(rows) for rows in parts]

    def _label(self, rows):
        row: cython.int = rows[0]
        cell: cython.int
        if self.rows.tag(row) == _TR:
            cells: list = []
            for cell in self.rows.children(row):
                tag = self.rows.tag(cell)
                if tag == _TD or tag == _TH:
                    cells.append(cell)
            if len(cells) == 2:
                return self.rows.text((cells[0],)).rstrip(_AFTER_LABEL)[:LONGEST_LABEL]
        text = self.rows.first_text(row, self.rows.end(rows[len(rows) - 1]))
        return self.label_of(self.rows.own(text)) if text >= 0 else ""

    def _are_alike(self, group):
        """Whether nothing but links is there, or nothing but single lines: tags, authors."""
        linked, chars = self.page.link_chars, self.page.text_chars
        links: cython.bint = True
        lines: cython.bint = True
        row: cython.int
        for rows in group.rows:
            for row in rows:
                links = links and linked[row] == chars[row]
                lines = lines and not self._has_parts(row)
            if not links and not lines:
                return False
        return True

    def _has_parts(self, row):
        """Whether a row has more than one part that says something, at any depth."""
        child: cython.int
        while True:
            inside: list = []
            for child in self.rows.children(row):
                if self.rows.says(child):
                    inside.append(child)
            if len(inside) != 1:
                return len(inside) > 1
            row = inside[0]

    def _joined_keys(self, cut):
        """Return the keys of all parts less the classes that tell nothing; those that stand for each other are one."""
        having: dict = {}
        there: set
        for k in range(cut.records()):
            for part in range(cut.first[k], cut.first[k + 1]):
                there = having.get(cut.keys[part])
                if there is None:
                    having[cut.keys[part]] = {k}
                else:
                    there.add(k)
        plain: dict = self._without_rare_classes(having, cut.records())
        holders: dict = {}
        for number, there in having.items():
            holders.setdefault(plain[number], set()).update(there)
        stands_for = self._stand_ins(holders, cut.records())
        final = {number: stands_for.get(name, name) for number, name in plain.items()}
        if list(final.values()) == list(final):
            return cut.keys
        return [final[number] for number in cut.keys]

    def _without_rare_classes(self, having, records):
        """Return each key with its classes in order, less those that few records have."""
        counts: dict = {}
        for number, there in having.items():
            key = self.keys[number]
            for name in key[1]:
                counts[key[0], name] = counts.get((key[0], name), 0) + len(there)
        least = max(2, RARE_CLASS * records) if records > 1 else 1
        found: dict = {}
        for number in having:
            key = self.keys[number]
            kept = tuple(sorted([name for name in key[1] if counts[key[0], name] >= least]))
            found[number] = number if kept == key[1] else self._number((key[0], kept, key[2]))
        return found

    def _stand_ins(self, holders, records):
        """Map keys to those that they stand for: no record has both, and they share a class or cover all records."""
        found: dict = {}
        if not 1 < len(holders) <= MOST_KEYS:
            return found
        kept: list = []
        for number in _most_held(holders):
            for other in kept:
                if self._is_stand_in(number, other, holders, records):
                    holders[other] |= holders[number]
                    found[number] = other
                    break
            else:
                kept.append(number)
        return found

    def _is_stand_in(self, number, other, holders, records):
        key, known = self.keys[number], self.keys[other]
        own: set = holders[number]
        there: set = holders[other]
        if key[0] != known[0] or key[2] != known[2] or not own.isdisjoint(there):
            return False
        return len(own) + len(there) == records or not set(key[1]).isdisjoint(known[1])


def _is_amount(text):
    for character in text:
        if not character.isdigit() and character not in " .,":
            return False
    return True


def _most_wordings(wordings):
    """Return how many wordings there are of the words between elements: at one place, if all have equally many."""
    if len({len(words) for words in wordings}) > 1:
        return len(wordings)
    return max([len(set(at)) for at in zip(*wordings, strict=True)])


def _has_label(place):
    """Whether a place is in a row or list entry with a label."""
    while place is not None:
        if place.key[0] not in CELLS and place.key[2].strip():
            return True
        place = place.above
    return False


def _single(place, key, at, roots):
    """Return the place of parts that each record has once."""
    several: cython.bint = key[0] == tags.TEXT
    rows: tuple
    for rows in roots:
        several = several or len(rows) > 1
    return Field(place, key, at, roots, several)


def _numbered(place, key, parts, most):
    """Return a place for each time that a part stands in a record, given the parts by record."""
    places: list = [([], []) for _ in range(most)]
    for record, each in parts:
        for k in range(len(each)):
            places[k][0].append(record)
            places[k][1].append(each[k])
    return [_single(place, key, at, roots) for at, roots in places]


def _stable(counts):
    """Whether nearly all counts are the same, and there is more than one to tell by."""
    known: dict = {}
    for count in counts:
        known[count] = known.get(count, 0) + 1
    return len(counts) > 1 and max(known.values()) >= STABLE * len(counts)


def _most_held(holders):
    """Return the keys, those that most records have first."""
    counted = sorted([(-len(there), k, number) for k, (number, there) in enumerate(holders.items())])
    return [number for _, _, number in counted]


def _in_order(keys, first):
    """Return every key once, each behind those that stand before it where it is first seen."""
    order: list = []
    known: set = set()
    last: list = []
    for k in range(len(first) - 1):
        each: list = keys[first[k] : first[k + 1]]
        if each == last:
            continue
        last = each
        before = None
        for key in each:
            if key not in known:  # rare after the first record, and only then is the place looked for
                if order and before == order[len(order) - 1]:
                    order.append(key)
                else:
                    order.insert(0 if before is None else order.index(before) + 1, key)
                known.add(key)
            before = key
    return order


def find(
    rows: RecordRows,
    page: Any,
    records: tuple[Roots, ...],
    is_one_value: Callable[[list[Any], Callable[[Any], str]], bool],
    label_of: Callable[[str], str],
) -> list[Field]:
    """Return the fields of some records, in document order.

    `is_one_value` says of some things and a function that reads each whether nearly all are a price or a date as a
    whole; `label_of` returns the label that a text begins with.
    """
    walk: _Walk = _Walk(rows, page, is_one_value, label_of)
    several = {len(roots) for roots in records} != {1}  # else it is the element of each, however these differ
    waiting = [Field(None, (0, (), ""), list(range(len(records))), list(records), several)]
    found: list[Field] = []
    while waiting:  # not by recursion: pages nest deeper than Python does
        place = waiting.pop()
        parts = walk.taken_apart(place)
        if parts is None:
            found.append(place)
        else:
            waiting += reversed(parts)
    return found
