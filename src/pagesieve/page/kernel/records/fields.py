# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The fields that the records of a region have in common: their trees laid over each other, from the roots down.

All records are walked at once. At each place the children are grouped by element and class. A group becomes one place,
several places (cells, and parts that all records have equally often) or one place with many parts (paragraphs, tags). A
place that holds only words, or a sentence with marks in it, is a field. Every row is visited once for each level, so
the cost is proportional to the size of the records.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel import tags
from cython.cimports.pagesieve.page.kernel.records.rows import RecordRows

from pagesieve.page.kernel.records.rows import FORMATTING
from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.text.types import MOST, SAMPLES, are_prices, are_values

STABLE = 0.9  # of the records have a part equally often: each occurrence is a place of its own
LABELLED = 0.6  # of the repeated parts begin with a label: the labels distinguish them
MAX_IN_PROSE = 0.75  # of the records have a heading or table between paragraphs: with more, it is a part of its own
MAX_LABEL_SHARE = 0.75  # of the labels are different: with more, they are not labels
MAX_PLACES = 8  # for a repeated part that records have differently often
MIN_CLASS = 0.05  # of the records have a class: a rarer class says nothing about the place
MAX_KEYS = 60  # sorts of children that are compared with each other, to join those that replace each other
MAX_VALUES = 16  # that are split off the beginning of a line, one after the other
MAX_PIECES = 4  # rows of a price at the beginning of a line
MAX_SIGN, MAX_PIECE = 4, 8  # characters of a currency, and of a piece of a price
MIN_WORDINGS = 4  # records for each wording: text between elements that changes less often is glue, not a value
MAX_GLUE = 40  # characters
MIN_NOTES = 3  # lines with a note next to their text: with fewer, it may be a word of the text
MAX_LABEL = 40  # characters
MAX_PRICE_WORD = 12  # characters of a word before a price, such as "was"

LABEL_ENDS = (":", "：")
CELLS = tag_ids("td th")
PARAGRAPHS = tag_ids("#text p blockquote pre ul ol")
LISTS = tag_ids("ul ol")
PROSE = PARAGRAPHS | tag_ids("h1 h2 h3 h4 h5 h6 table dl hr figure div")  # the elements of texts
LINE = -1  # in place of the element, in the key of a line of several elements
_AFTER_LABEL = " :："
_SEPARATORS = " -–—·.|"  # between a value and the rest of its line

_BR = cython.declare(cython.int, TAG_ID["br"])
_DT = cython.declare(cython.int, TAG_ID["dt"])
_DD = cython.declare(cython.int, TAG_ID["dd"])
_TR = cython.declare(cython.int, TAG_ID["tr"])
_TD = cython.declare(cython.int, TAG_ID["td"])
_TH = cython.declare(cython.int, TAG_ID["th"])
_P = cython.declare(cython.int, TAG_ID["p"])

Roots = tuple[int, ...]
Key = tuple[int, tuple[str, ...], str]  # element, classes, label (or the number of a cell)


@cython.final
@cython.cclass
class Field:
    """A place that records have in common: the records that have it, and its rows in each of them."""

    above = cython.declare(Field, visibility="public")  # type: Field | None  # noqa: F821  # the place around it
    key = cython.declare(tuple, visibility="public")  # type: Key  # element, classes, label (or the number of a cell)
    at = cython.declare(list, visibility="public")  # type: list[int]  # the records that have it, in order
    roots = cython.declare(list, visibility="public")  # type: list[Roots]  # the rows in each of them
    several = cython.declare(cython.bint, visibility="public")  # type: bool  # it is several rows side by side, not one element
    between = cython.declare(str, visibility="public")  # separates its lines
    whole = cython.declare(cython.bint, visibility="public")  # not to be divided
    listed = cython.declare(cython.bint, visibility="public")  # each row is an item of its own: tags, links
    glue = cython.declare(cython.bint, visibility="public")  # text between other fields that hardly changes

    def __init__(self, above: Field | None, key: Key, at: list[int], roots: list[Roots], several: bool = False) -> None:
        self.above, self.key, self.at, self.roots, self.several = above, key, at, roots, several
        self.between = " "
        self.whole = self.listed = self.glue = False


@cython.final
@cython.cclass
class _Cut:
    """The children of a place, cut into parts: of each the number of its key, and its rows."""

    keys: list  # for each part the number of its key, and its rows as a tuple
    rows: list
    first: list  # for each record its first part; and the end

    def __init__(self):
        self.keys = []
        self.rows = []
        self.first = [0]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add(self, key: cython.int, rows: tuple) -> cython.int:
        """Add a part of the last record."""
        self.keys.append(key)
        self.rows.append(rows)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def end_record(self) -> cython.int:
        """Begin the next record."""
        self.first.append(len(self.keys))
        return 0

    @cython.cfunc
    def records(self) -> cython.Py_ssize_t:
        """Return the number of records."""
        return len(self.first) - 1

    @cython.cfunc
    def counts(self) -> list:
        """Return the number of parts of each record."""
        return [self.first[k + 1] - self.first[k] for k in range(self.records())]


@cython.final
@cython.cclass
class _Group:
    """Parts of one sort, in document order: the record and the rows of each."""

    at: list
    rows: list
    most: cython.int  # parts of one record
    run: cython.int  # parts of the last record

    def __init__(self):
        self.at = []
        self.rows = []
        self.most = self.run = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add(self, record: cython.int, rows: tuple) -> cython.int:
        """Add a part of a record."""
        self.run = self.run + 1 if self.at and self.at[len(self.at) - 1] == record else 1
        self.most = max(self.most, self.run)
        self.at.append(record)
        self.rows.append(rows)
        return 0

    @cython.cfunc
    def by_record(self) -> list:
        """Return pairs of a record and its parts."""
        records: list = []
        last = -1
        record: cython.int
        for k in range(len(self.at)):
            record = self.at[k]
            if record != last:
                records.append((record, []))
            records[len(records) - 1][1].append(self.rows[k])
            last = record
        return records


@cython.final
@cython.cclass
class _Walk:
    """Divides the places of some records into smaller ones. Keys are represented by numbers."""

    rows: RecordRows
    page: object
    keys: list  # by number
    numbers: dict  # by key
    by_class: dict  # numbers by element and the attribute `class`
    text_key: cython.int
    # About the current place: whether a part is named by a term, all children are texts, any child cuts a line.
    has_terms: cython.bint
    only_texts: cython.bint
    is_cut: cython.bint

    def __init__(self, rows: RecordRows, page: Any) -> None:
        self.rows = rows
        self.page = page
        self.keys = []
        self.numbers = {}
        self.by_class = {}
        self.text_key = self._number((tags.TEXT, (), ""))
        self.has_terms = self.only_texts = self.is_cut = False

    @cython.cfunc
    def divided(self, place: Field) -> list:
        """Return the places inside a place, or None if it is a field."""
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

    @cython.cfunc
    def _children(self, place: Field) -> list:
        """Return the children of each record at a place; set whether all are texts, and whether any cuts a line."""
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _number(self, key: tuple) -> cython.int:
        """Return the number of a key."""
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.keys)
            self.keys.append(key)
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _key(self, row: cython.int) -> cython.int:
        """Return the key of a row: its element and classes; all texts have one key."""
        tag = self.rows.tag(row)
        if tag == tags.TEXT:
            return self.text_key
        tag_and_class = (tag, self.rows.class_of(row))
        found = self.by_class.get(tag_and_class)
        if found is None:
            found = self.by_class[tag_and_class] = self._number((tag, self.rows.classes(row), ""))
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _key_of(self, rows: tuple) -> cython.int:
        """Return the key of a line."""
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

    @cython.cfunc
    def _phrase(self, place: Field, children: list) -> list:
        """Return the parts of a place without blocks, or None if it is one text."""
        label: str = place.key[2]
        if label.endswith(LABEL_ENDS):
            return None  # its label is removed later
        lines: list = [self._visible(each) for each in children]
        if _has_label(place.above) and self._has_words(lines):
            return None
        together = [place.roots[k] for k in range(len(lines)) if len(lines[k]) > 1]
        if self._are_values(together, "") or self._have_cents(together):
            return None
        parts: list = self._after_value(place, lines)
        if parts:
            return parts
        if self._has_tail(lines):
            return None
        if not self._have_prices(lines) and self._is_sentence(lines):
            return self._without_notes(place, lines)
        parts = self._places(place, self._parts_of_line(lines))
        part: Field
        for part in parts:
            part.glue = part.key[0] == tags.TEXT
        return parts

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _have_prices(self, lines: list) -> cython.bint:
        """Whether nearly all lines are two or more prices, each in an element, and short words: "was £5, now £4"."""
        priced: list = [texts for texts in [self._priced(line) for line in lines] if texts]
        return are_prices(priced, MOST * len(lines))

    @cython.cfunc
    def _priced(self, line: list) -> list:
        """Return the texts of the elements of a line that may be prices with short words; none if there is more."""
        texts: list = []
        row: cython.int
        for row in line:
            text: str = self.rows.text((row,)).strip()
            has_digit = any(map(str.isdigit, text))
            if self.rows.tag(row) != tags.TEXT:
                texts.append(text)
                if not has_digit:
                    return []
            elif has_digit or len(text) > MAX_PRICE_WORD:
                return []
        return texts if len(texts) > 1 else []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _have_cents(self, parts: list) -> cython.bint:
        """Whether all of some parts are amounts with their cents in an element of their own."""
        for roots in parts:
            if not self.rows.cents(roots) or not _is_amount(self.rows.text(roots)):
                return False
        return len(parts) > 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _has_words(self, lines: list) -> cython.bint:
        """Whether there are words between the elements of lines."""
        row: cython.int
        for each in lines:
            for row in each:
                if self.rows.tag(row) == tags.TEXT and self.rows.is_word(row):
                    return True
        return False

    @cython.cfunc
    def _parts_of_line(self, lines: list) -> _Cut:
        """Cut lines into their rows. Texts have numbers if all lines have equally many."""
        numbered: cython.bint = self._has_texts_between(lines)
        cut: _Cut = _Cut()
        each: list
        row: cython.int
        for each in lines:
            number = 0
            for row in each:
                key = self._key(row)
                if numbered and key == self.text_key:
                    key = self._number((tags.TEXT, (), " " * number))  # blanks are no label
                    number += 1
                cut.add(key, (row,))
            cut.end_record()
        return cut

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _has_texts_between(self, lines: list) -> cython.bint:
        """Whether lines have equally many texts, two or more, and words in elements between them."""
        counts: set = set()
        each: list
        row: cython.int
        for each in lines:
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

    @cython.cfunc
    def _without_notes(self, place: Field, lines: list) -> list:
        """Separate texts from notes before or behind them, such as "New listing"; return None if there are none."""
        first: list = []
        last: list = []
        each: list
        for each in lines:
            if len(each) > 1:
                first.append(each[0])
                last.append(each[len(each) - 1])
        before = self._note(first, lines)
        behind = self._note(last, lines)
        if before < 0 and behind < 0:
            return None
        notes: list = [([], []), ([], [])]
        rest: list = []
        for k in range(len(lines)):
            each = lines[k]
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

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _note(self, ends: list, lines: list) -> cython.int:
        """Return the key of the elements that are notes at one end of lines, or -1.

        They have one text, are in several lines and nowhere else, and are not elements that mark words.
        """
        row: cython.int
        having: dict = {}
        for row in ends:
            if self.rows.tag(row) != tags.TEXT and self.rows.tag(row) not in FORMATTING:
                having.setdefault(self._key(row), []).append(row)
        key: cython.int
        for key, rows in having.items():
            wordings = {self.rows.text((row,)) for row in rows}
            if len(rows) < MIN_NOTES or len(wordings) > 1 or "" in wordings:
                continue
            if len(rows) == sum([self._key(row) == key for each in lines for row in each]):
                return key
        return -1

    @cython.cfunc
    def _visible(self, children: list) -> list:
        """Return the rows that show a text or an image."""
        found: list = []
        row: cython.int
        for row in children:
            if self.rows.shows(row):
                found.append(row)
        return found

    @cython.cfunc
    def _after_value(self, place: Field, lines: list) -> list:
        """Split lines that begin with a date or a price in elements of its own; return no part if they do not."""
        if self._is_rest_of_many(place):
            return []
        for count in range(MAX_PIECES, 0, -1):
            parts: list = self._cut_after(place, lines, count)
            if parts:
                return parts
        return []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_rest_of_many(self, place: Field | None) -> cython.bint:
        """Whether a place is the rest of a line after many values; each rest is read again as a whole."""
        for _ in range(MAX_VALUES):
            if place is None or not place.several:
                return False
            place = place.above
        return True

    @cython.cfunc
    def _cut_after(self, place: Field, lines: list, count: cython.int) -> list:
        """Split lines after some rows if these are a date or a price in nearly all lines."""
        each: list
        most = 0
        first: list = []
        for each in lines:
            if len(each) < count or not self._may_be_pieces(each, count):
                return []
            most = max(most, len(each))
            first.append(tuple(each[:count]))
        if most == count or not self._are_values(first, _SEPARATORS):
            return []
        key = self.keys[self._key_of(first[0])]
        at = [place.at[k] for k in range(len(lines)) if len(lines[k]) > count]
        rest = [tuple(each[count:]) for each in lines if len(each) > count]
        head: Field = Field(place, key, list(place.at), first, count > 1)
        head.whole = count > 1
        return [head, Field(place, self.keys[self.text_key], at, rest, True)]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _has_tail(self, lines: list) -> cython.bint:
        """Whether each line is a marked word or number and a word that is the same in all: "3 comments"."""
        each: list
        tails: set = set()
        for each in lines:
            if len(each) != 2 or self.rows.tag(each[0]) not in FORMATTING or self.rows.tag(each[1]) != tags.TEXT:
                return False
            if not self.rows.is_word(each[1]):
                return False
            tails.add(self.rows.own(each[1]))
        return len(tails) == 1 and len(lines) > 1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _may_be_pieces(self, line: list, count: cython.int) -> cython.bint:
        """Whether the first rows of a line are an element, or elements and signs of currency.

        Two numbers with a blank between them are not pieces of one.
        """
        row: cython.int
        if count == 1:
            row = line[0]
            return self.rows.tag(row) != tags.TEXT
        last: str = ""
        for row in line[:count]:
            longest = MAX_SIGN if self.rows.tag(row) == tags.TEXT else MAX_PIECE
            text: str = self.rows.text((row,))
            if len(text) > longest:
                return False
            if last[-1:].isdigit() and text[:1].isdigit() and f"{last} {text}" in self.rows.text(tuple(line[:count])):
                return False
            last = text
        return True

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _are_values(self, parts: list, separators: str) -> cython.bint:
        """Whether nearly all parts, which are texts or rows, are a price or a date between some separators."""
        parts = parts[:: max(1, len(parts) // SAMPLES)]
        rows: object = self.rows  # so that Python reads one text after the other, up to the one that decides
        texts: object = parts if parts and isinstance(parts[0], str) else map(rows.text, parts)
        return are_values(texts, len(parts), separators)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_sentence(self, lines: list) -> cython.bint:
        """Whether lines of words and elements are one text each."""
        own: list = []
        counts: list = []
        elements: set = set()
        each: list
        row: cython.int
        for each in lines:
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
        wordings = {wording for wording in own if wording}
        return self._is_glued(own, wordings, marked) if wordings else marked and not _stable(counts)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_glued(self, own: list, wordings: set, marked: cython.bint) -> cython.bint:
        """Whether the words between elements, of each record and in different wordings, belong to one text."""
        if marked and max([len(words) for words in wordings]) > 1:
            return True
        longest = max([len(word) for words in wordings for word in words])
        if self._are_values([" ".join(words) for words in own if words], ""):
            return False
        varied = _most_wordings(wordings) > max(1, len(own) // MIN_WORDINGS)
        return varied or longest > MAX_GLUE or (marked and len(own) == 1)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _are_marks(self, keys: set) -> cython.bint:
        """Whether all elements only mark words, and no two have different classes."""
        classes = set()
        for number in keys:
            key = self.keys[number]
            if key[0] not in FORMATTING:
                return False
            if key[1]:
                classes.add(key[1])
        return len(classes) < 2

    # Blocks, and the lines between them

    @cython.cfunc
    def _segments(self, children: list) -> _Cut:
        """Return the blocks among the children of each record, and the lines between them."""
        cut: _Cut = _Cut()
        self.has_terms = False
        for each in children:
            self._segment(cut, each)
            cut.end_record()
        return self._with_terms(cut) if self.has_terms else cut

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _segment(self, cut: _Cut, children: list) -> cython.int:
        label = ""
        cell = 0
        line: list = []
        row: cython.int
        for row in children:
            if not self.rows.cuts(row):
                if self.rows.shows(row):
                    line.append(row)
                continue
            if line:
                self._add_line(cut, line)
                line = []
            tag = self.rows.tag(row)
            cell += tag == _TD or tag == _TH
            if tag == _BR or not self.rows.shows(row):
                continue
            if tag == _DT:
                label = self.rows.text((row,)).rstrip(_AFTER_LABEL)[:MAX_LABEL]
            cut.add(self._block_key(row, tag, cell, label), (row,))
        if line:
            self._add_line(cut, line)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _block_key(self, row: cython.int, tag: cython.int, cell: cython.int, label: str | None) -> cython.int:
        """Return the key of a block: of a cell with its number, of a description with its term."""
        if tag == _TD or tag == _TH:
            return self._number((tag, (), str(cell)))
        if tag == _DD and label:
            self.has_terms = True
            return self._number((tag, self.rows.classes(row), label))
        return self._key(row)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add_line(self, cut: _Cut, line: list) -> cython.int:
        """Add a line of visible rows, or join it to the line before if both are one text."""
        rows = self._without_signs(line)
        key = self._key_of(rows)
        last = len(cut.keys) - 1
        if last >= cut.first[len(cut.first) - 1] and key == self.text_key == cut.keys[last]:
            before: tuple = cut.rows[last]
            if len(self.rows.text(before)) >= MAX_GLUE and len(self.rows.text(rows)) >= MAX_GLUE:
                cut.rows[last] = before + rows  # one text that a line break cuts
                return 0
        return cut.add(key, rows)

    @cython.cfunc
    def _without_signs(self, line: list) -> tuple:
        """Return the rows of a line without the signs next to a lone element."""
        if len(line) > 1:
            row: cython.int
            others: list = []
            for row in line:
                if self.rows.tag(row) != tags.TEXT or self.rows.is_word(row):
                    others.append(row)
            if len(others) == 1:
                return tuple(others)
        return tuple(line)

    @cython.cfunc
    def _with_terms(self, cut: _Cut) -> _Cut:
        """Make each `dt` the label of its `dd` if records share these labels; else treat both as any other element."""
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_prose(self, cut: _Cut) -> cython.bint:
        """Whether records have only paragraphs, in different numbers, and some of them headings or tables."""
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
        return not rows or not self._have_labels(self._labels(rows), cut.records())

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _are_between(self, cut: _Cut) -> cython.bint:
        """Whether most records have paragraphs, and other elements have no class and are only in some records."""
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
        return (
            len(prose) >= LABELLED * records
            and max([len(there) for there in having.values()]) <= MAX_IN_PROSE * records
        )

    # Places

    @cython.cfunc
    def _places(self, place: Field, cut: _Cut) -> list:
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

    @cython.cfunc
    def _resolved(self, place: Field, key: tuple, group: _Group) -> list:
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
            if self._have_labels(labels, len(parts)):
                return self._by_label(place, key, group, labels)
            if by_lines and len([label for label in labels if label]) >= len(parts):
                by_lines = not self._are_short(group, parts)
        if not by_lines:
            counts = [len(each) for _, each in parts]
            if _stable(counts):
                return _numbered(place, key, parts, group.most)
            if group.most <= MAX_PLACES:
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

    @cython.cfunc
    def _terms(self, group: _Group, labels: list) -> list:
        """Return for each part the part before it as its label, empty for labels; none unless parts are such pairs.

        A part that is a label as a whole names the next part of its record, as a `dt` does a `dd`.
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

    @cython.cfunc
    def _described(self, group: _Group, terms: list) -> _Group:
        """Return the parts that have a term."""
        found: _Group = _Group()
        for k in range(len(terms)):
            if terms[k]:
                found.add(group.at[k], group.rows[k])
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _are_short(self, group: _Group, parts: list) -> cython.bint:
        """Whether lines are values, not prose: all are short, and nearly all records have equally many."""
        if not _stable([len(each) for _, each in parts]):
            return False
        for rows in group.rows:
            if len(self.rows.text(rows)) >= MAX_GLUE:
                return False
        return True

    @cython.cfunc
    def _by_label(self, place: Field, key: tuple, group: _Group, labels: list) -> list:
        """Return the places of parts by their labels."""
        groups: dict = {}
        own: _Group
        for k in range(len(labels)):
            # Parts without a label have a blank one, so that they are not read again.
            name = labels[k] or " "
            if name not in groups:
                groups[name] = _Group()
            own = groups[name]
            own.add(group.at[k], group.rows[k])
        found: list = []
        for name, own in groups.items():
            found += self._resolved(place, (key[0], key[1], name), own)
        return found

    @cython.cfunc
    def _by_value(self, group: _Group) -> list:
        """Separate dates and prices from other parts of records that have both, in different numbers."""
        values: _Group = _Group()
        others: _Group = _Group()
        for k in range(len(group.at)):
            own: _Group = values if self._are_values([group.rows[k]], _SEPARATORS) else others
            own.add(group.at[k], group.rows[k])
        return [own for own in (others, values) if own.at]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _have_labels(self, labels: list, records: cython.int) -> cython.bint:
        """Whether most parts have a label, and records share the labels."""
        known = Counter([label for label in labels if label])
        having = known.total()
        return having >= LABELLED * len(labels) and (records == 1 or len(known) <= MAX_LABEL_SHARE * having)

    @cython.cfunc
    def _labels(self, parts: list) -> list:
        """Return the labels that some parts begin with; empty for parts without one."""
        return [self._label(rows) for rows in parts]

    @cython.cfunc
    def _label(self, rows: tuple) -> str:
        row: cython.int = rows[0]
        cell: cython.int
        if self.rows.tag(row) == _TR:
            cells: list = []
            for cell in self.rows.children(row):
                tag = self.rows.tag(cell)
                if tag == _TD or tag == _TH:
                    cells.append(cell)
            if len(cells) == 2:
                return self.rows.text((cells[0],)).rstrip(_AFTER_LABEL)[:MAX_LABEL]
        text = self.rows.first_text(row, self.rows.end(rows[len(rows) - 1]))
        return label_of(self.rows.own(text)) if text >= 0 else ""

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _are_alike(self, group: _Group) -> cython.bint:
        """Whether all parts are links, or all are single lines: tags, authors."""
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _has_parts(self, row: cython.int) -> cython.bint:
        """Whether a row has more than one visible part, at any depth."""
        child: cython.int
        while True:
            inside: list = []
            for child in self.rows.children(row):
                if self.rows.shows(child):
                    inside.append(child)
            if len(inside) != 1:
                return len(inside) > 1
            row = inside[0]

    @cython.cfunc
    def _joined_keys(self, cut: _Cut) -> list:
        """Return the keys of all parts without rare classes; keys that replace each other become one."""
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

    @cython.cfunc
    def _without_rare_classes(self, having: dict, records: cython.int) -> dict:
        """Map each key to that with its classes in order, without those that few records have."""
        counts: dict = {}
        for number, there in having.items():
            key = self.keys[number]
            for name in key[1]:
                counts[key[0], name] = counts.get((key[0], name), 0) + len(there)
        least = max(2, MIN_CLASS * records) if records > 1 else 1
        found: dict = {}
        for number in having:
            key = self.keys[number]
            common = tuple(sorted([name for name in key[1] if counts[key[0], name] >= least]))
            found[number] = number if common == key[1] else self._number((key[0], common, key[2]))
        return found

    @cython.cfunc
    def _stand_ins(self, holders: dict, records: cython.int) -> dict:
        """Map keys to others that replace them: no record has both, and they share a class or cover all records."""
        found: dict = {}
        if not 1 < len(holders) <= MAX_KEYS:
            return found
        joined: list = []
        for number in _by_holders(holders):
            for other in joined:
                if self._is_stand_in(number, other, holders, records):
                    holders[other] |= holders[number]
                    found[number] = other
                    break
            else:
                joined.append(number)
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_stand_in(self, number: cython.int, other: cython.int, holders: dict, records: cython.int) -> cython.bint:
        key, known = self.keys[number], self.keys[other]
        own: set = holders[number]
        there: set = holders[other]
        if key[0] != known[0] or key[2] != known[2] or not own.isdisjoint(there):
            return False
        return len(own) + len(there) == records or not set(key[1]).isdisjoint(known[1])


@cython.ccall
def label_of(text: str) -> str:
    """Return the label that a text begins with, such as "Price:" of "Price: 3"; empty if there is none."""
    colon: cython.Py_ssize_t = 0
    for character in text[: MAX_LABEL + 2]:
        if character == ":" or character == "：":
            break
        colon += 1
    else:
        return ""
    if colon == 0 or not text[0].isalnum() or text[0].isdecimal():
        return ""
    return text[: colon + 1] if text[colon] == "：" or not text[colon + 1 : colon + 2].strip() else ""


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_amount(text: str) -> cython.bint:
    for character in text:
        if not character.isdigit() and character not in " .,":
            return False
    return True


@cython.cfunc
@cython.exceptval(-1, check=False)
def _most_wordings(wordings: set) -> cython.int:
    """Return the number of wordings between elements; of one place, if all lines have equally many."""
    if len({len(words) for words in wordings}) > 1:
        return len(wordings)
    return max([len(set(at)) for at in zip(*wordings, strict=True)])


@cython.cfunc
@cython.exceptval(-1, check=False)
def _has_label(place: Field | None) -> cython.bint:
    """Whether a place is in a row or list entry with a label."""
    while place is not None:
        if place.key[0] not in CELLS and place.key[2].strip():
            return True
        place = place.above
    return False


@cython.cfunc
def _single(place: Field, key: tuple, at: list, roots: list) -> Field:
    """Return the place of parts that a record has at most once."""
    several: cython.bint = key[0] == tags.TEXT
    rows: tuple
    for rows in roots:
        several = several or len(rows) > 1
    return Field(place, key, at, roots, several)


@cython.cfunc
def _numbered(place: Field, key: tuple, parts: list, most: cython.int) -> list:
    """Return a place for each occurrence of a part in a record, given the parts by record."""
    places: list = [([], []) for _ in range(most)]
    for record, each in parts:
        for k in range(len(each)):
            places[k][0].append(record)
            places[k][1].append(each[k])
    return [_single(place, key, at, roots) for at, roots in places]


@cython.cfunc
@cython.exceptval(-1, check=False)
def _stable(counts: list) -> cython.bint:
    """Whether nearly all counts are the same, and there is more than one."""
    known: dict = {}
    for count in counts:
        known[count] = known.get(count, 0) + 1
    return len(counts) > 1 and max(known.values()) >= STABLE * len(counts)


@cython.cfunc
def _by_holders(holders: dict) -> list:
    """Return the keys in the order of their number of records, the largest first."""
    counted = sorted([(-len(there), k, number) for k, (number, there) in enumerate(holders.items())])
    return [number for _, _, number in counted]


@cython.cfunc
def _in_order(keys: list, first: list) -> list:
    """Return every key once, after the keys before its first occurrence."""
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


def find(rows: RecordRows, page: Any, records: tuple[Roots, ...]) -> list[Field]:
    """Return the fields of some records, in document order."""
    walk: _Walk = _Walk(rows, page)
    several = {len(roots) for roots in records} != {1}  # else it is the element of each, however these differ
    waiting = [Field(None, (0, (), ""), list(range(len(records))), list(records), several)]
    found: list[Field] = []
    while waiting:  # not by recursion: pages nest deeper than Python does
        place = waiting.pop()
        parts = walk.divided(place)
        if parts is None:
            found.append(place)
        else:
            waiting += reversed(parts)
    return found
