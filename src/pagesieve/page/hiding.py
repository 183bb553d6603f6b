"""Which rows of a page no reader sees, and why: the one answer that `Page.visibility` gives to all methods and writers.

An element is hidden by its attributes, by its inline style, by a class that is known for it, or by a simple rule of a
`style` element (page/rules.py). Pages hide much that a reader will see: what fades in, what opens with a click. So:

- html and body are never hidden;
- what one way hides on a page is not hidden if it is a large share of the page's text (MOST): a script will show it;
- in ways that scripts use for what they will show (_FADING), neither is a panel (see `_is_panel`), which a click shows,
  nor what is LONG;
- `aria-hidden` is for screen readers, and a reader sees the text: only what is short is taken for a decoration.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, ATTRIBUTES, COMMENT, TAG_ID, TEXT
from pagesieve.page.rules import hash_table, may_hide, rules_of, style_sheets
from pagesieve.page.styles import (
    ARIA_HIDDEN,
    CLOSED_DIALOG,
    DESCRIPTION,
    FONT_SIZE,
    FOR_SCREEN_READERS,
    HIDDEN_ATTRIBUTE,
    LAST_SOFT,
    LEAST_OPACITY,
    NO_SIZE,
    NOT_DISPLAYED,
    NOT_VISIBLE,
    OFF_SCREEN,
    OPACITY,
    RULE_DISPLAY,
    RULE_VISIBILITY,
    SAME_COLOUR,
    SCALED,
    SHOWN,
    TRANSPARENT,
    Colour,
    Look,
    colour,
    declarations,
    look,
    look_of,
    looks_same,
)
from pagesieve.text.numbers import STARS

if TYPE_CHECKING:
    from pagesieve.page.table import Page

Ways = NDArray[np.uint8]

MOST = 0.3  # the share of the page's text from which on it is not hidden
# Characters of what one way hides on a page, from which on a script will show it, or it is there to be read: sections
# of an article that fade in, slides, answers to questions.
LONG = 600
ICON = 30  # characters of an element that is a decoration
MOST_STYLED = 20_000  # inline styles that are read
MOST_CONTROL = 60  # rows of a control
MOST_PANELS = 200  # elements hidden in one way that are looked at: whether a click shows them
MOST_NAMED = 20  # places that are looked at for what refers to an id
LONGEST_LABEL = 500  # characters of classes that are looked at
MOST_COLOURS = 200  # of texts, and behind them
SIEVE = 1 << 14  # places of the sieve of names, a power of two

SCREEN_READER_CLASSES = (
    "a11y-hidden accessibly-hidden assistive-text element-invisible hidden-visually hide-visually is-sr-only "
    "is-visually-hidden offscreen-text screen-reader screen-reader-only screen-reader-text screenreader "
    "screenreader-only sr-only sr-only-focusable sr-text srOnly u-hiddenVisually u-screen-reader-text u-sr-only "
    "u-visually-hidden u-visuallyHidden visually-hidden visually-hidden-focusable visuallyHidden visuallyhidden wb-inv"
).split()

_HTML, _BODY, _DIALOG, _DESC = (TAG_ID[name] for name in ("html", "body", "dialog", "desc"))
_CLASS, _STYLE, _HIDDEN, _ARIA = (ATTRIBUTE_ID[name] for name in ("class", "style", "hidden", "aria-hidden"))
_BGCOLOR, _COLOR = ATTRIBUTE_ID["bgcolor"], ATTRIBUTE_ID["color"]
_BY_RULE = {NOT_DISPLAYED: RULE_DISPLAY}
_FADING = (OPACITY, RULE_DISPLAY, NO_SIZE, OFF_SCREEN, SCALED)  # what scripts use for what they will show
_CONTROLS = frozenset(ATTRIBUTE_ID[name] for name in ("aria-expanded", "aria-controls"))
_STARS = re.compile(rf"[{STARS}\s]+")
_HEXADECIMAL = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")
_PANEL = re.compile(
    r"accordion|collaps|toggle|faq|expand|spoiler|carousel|slide|swiper|slick|splide|flickity|wow\b|aos|reveal|lazy|"
    r"fade|animat|elementor-invisible|(?:^|[\s_-])tab(?:s|bed|[\s_-]|$)|panel|read-?more|dropdown",
    re.IGNORECASE,
)


class Hiding:
    """What a page hides. `chars` are the characters of its rows, as far as their elements alone say that they are seen.

    Each answer is a column of numbers of WAYS, or None where all is shown.
    """

    def __init__(self, page: Page, chars: NDArray[np.int32]) -> None:
        self.page = weakref.proxy(page)  # which keeps this: a cycle would only be freed by the collector
        self._chars = chars
        self._sums = np.zeros(len(page) + 1, dtype=np.int32)  # of a page, at most `static.SIZE_LIMIT`
        np.cumsum(chars, out=self._sums[1:])

    @cached_property
    def soft(self) -> Ways | None:
        """What attributes and inline styles hide in ways that scripts undo so often that methods judge them."""
        found = _Marks(self)
        found.hide(self._with_hidden_attribute, HIDDEN_ATTRIBUTE, most=1.0)
        found.hide([row for row, said in self._inline.items() if said.way == NOT_DISPLAYED], NOT_DISPLAYED, most=1.0)
        found.inherit([(row, said.visible) for row, said in self._inline.items()], NOT_VISIBLE, most=1.0)
        return found.ways

    @property
    def is_soft(self) -> bool:
        """Whether nothing may hide anything in other ways than the soft ones."""
        return not self._suspects and not self._css and not any(True for _ in self.page.hidden_by_browser())

    @cached_property
    def by_markup(self) -> Ways | None:
        """What the page hides, as far as its elements say so: without rules and what a browser computes."""
        found = self._by_elements()
        self._add_styles(found, {})
        return found.ways

    @cached_property
    def all(self) -> Ways | None:
        """All that the page hides."""
        found = self._by_elements()
        self._add_styles(found, self._ruled(self._names, self._has_text))
        for hidden, way in self.page.hidden_by_browser():
            if way not in _FADING or self.total(hidden) < LONG:  # what fades in, only if it is little
                found.mark(hidden, way)
        return found.ways

    def marks_any(self, rows: NDArray[np.bool_]) -> bool:
        """Whether elements may hide some rows in other ways than the soft ones: quicker to tell than `by_markup`."""
        return bool(self._suspects) and bool(self._holding(rows)[self._suspects].any())

    @cached_property
    def _suspects(self) -> list[int]:
        """The elements that may hide what they hold, by themselves, in other ways than the soft ones."""
        found = [*self._read_out.tolist(), *self._aria_hidden, *self._dialogs, *self._descriptions]
        if self._has_stated_colours:
            found += [row for row, _ in self._coloured(_COLOR)]
        return found + [row for row, said in self._inline.items() if said.way > LAST_SOFT or not _is_soft(said)]

    def rules_any(self, rows: NDArray[np.bool_]) -> bool:
        """Whether rules or a browser may hide some rows: quicker to tell than `all`."""
        if any(True for _ in self.page.hidden_by_browser()):
            return True
        if not self._css:
            return False
        holds = self._holding(rows)
        names: bytearray = kernel.suspects.name_sieve(self.page, holds, SIEVE)
        return any(map(may_hide, self._ruled(names, lambda row: bool(holds[row])).values()))

    def _holding(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the rows that hold one of some, or are one."""
        counts = np.zeros(len(rows) + 1, dtype=np.int32)
        np.cumsum(rows, out=counts[1:])
        found: NDArray[np.bool_] = counts[self.page.end] > counts[:-1]
        return found

    # What is hidden whole

    def _by_elements(self) -> _Marks:
        """Hide what classes, attributes and elements hide that are there for it."""
        page, found = self.page, _Marks(self)
        # A colon for screen readers parts the words before it from those after it; a reader sees two lines.
        found.hide([row for row in self._read_out.tolist() if self.size(row) > 1], FOR_SCREEN_READERS)
        found.hide(self._with_hidden_attribute, HIDDEN_ATTRIBUTE, most=1.0)
        short = [row for row in self._aria_hidden if not self._is_read(row)]
        if self._size_of_all(row for row in short if self.size(row) > ICON) >= LONG:
            short = [row for row in short if self.size(row) <= ICON]
        found.hide(short, ARIA_HIDDEN)
        found.hide([row for row in self._dialogs if page.attribute(row, "open") is None], CLOSED_DIALOG)
        found.hide(self._descriptions, DESCRIPTION)
        return found

    @cached_property
    def _with_hidden_attribute(self) -> list[int]:
        return self._owners(np.flatnonzero(self.page.attribute_name == _HIDDEN))

    @cached_property
    def _aria_hidden(self) -> list[int]:
        """The elements with text that are hidden from screen readers."""
        places = np.flatnonzero(self.page.attribute_name == _ARIA)
        sizes = self.page.value_at[places + 1] - self.page.value_at[places]
        rows = self._owners(places[sizes == len(b"true")])  # "false" is longer
        return [row for row, size in zip(rows, self._sizes(rows), strict=True) if size > 0]

    @cached_property
    def _dialogs(self) -> list[int]:
        return self._elements(_DIALOG)

    @cached_property
    def _descriptions(self) -> list[int]:
        return self._elements(_DESC)

    @cached_property
    def _css(self) -> bytes:
        return style_sheets(self.page)

    @cached_property
    def _names(self) -> bytearray:
        """A sieve of the classes and ids of the elements with text."""
        found: bytearray = kernel.suspects.name_sieve(self.page, self._sums[self.page.end] > self._sums[:-1], SIEVE)
        return found

    @cached_property
    def _read_out(self) -> NDArray[np.int32]:
        """The elements with a class that is known to be read out and not shown."""
        rows = kernel.suspects.word_rows(self.page, _CLASS, _screen_reader_digests())
        return np.array([row for row, _ in rows], dtype=np.int32)

    def _is_read(self, row: int) -> bool:
        """Whether what is aria-hidden is there to be read: a double for screen readers, long, a panel, or a rating."""
        first, last = self._read_out.searchsorted((self.page.parent[row], self.page.end[self.page.parent[row]]))
        if last > first and self.page.tag[self.page.parent[row]] != _BODY:
            return True
        if self.size(row) <= ICON:
            return _STARS.fullmatch(self.page.text(row)) is not None
        return self.size(row) >= LONG or _is_panel(self.page, row)

    # What styles hide

    def _add_styles(self, found: _Marks, ruled: dict[int, Look]) -> None:
        """Hide what inline styles and simple rules hide."""
        inline = self._inline
        if inline or ruled or self._has_stated_colours:
            self._hide_by_looks(found, inline, {})
            self._hide_by_looks(found, ruled, _BY_RULE)
            said = sorted((inline | ruled).items())
            found.inherit([(row, each.visible) for row, each in inline.items()], NOT_VISIBLE, most=1.0)
            never = set(self._never_shown([row for row, each in ruled.items() if each.visible is False]))
            seen = [(row, each.visible) for row, each in said if each.visible is not False or row in never]
            found.inherit(seen, RULE_VISIBILITY)
            found.inherit([(row, each.has_size) for row, each in inline.items()], FONT_SIZE)
            found.inherit(self._sized(ruled, said), FONT_SIZE)
            self._add_colours(found, said)

    def _hide_by_looks(self, found: _Marks, looks: dict[int, Look], names: dict[int, int]) -> None:
        """Hide what is hidden whole; `names` are the numbers of ways that are to be called otherwise."""
        by_way: dict[int, list[int]] = {}
        for row in sorted(looks):
            if looks[row].way != SHOWN:
                by_way.setdefault(names.get(looks[row].way, looks[row].way), []).append(row)
        for way, rows in sorted(by_way.items()):
            if way <= LAST_SOFT:
                found.hide(rows, way, most=1.0)
            else:
                found.hide(self._never_shown(rows) if way in _FADING else rows, way)

    @cached_property
    def _inline(self) -> dict[int, Look]:
        """What inline styles say, by row in order, where it may matter."""
        page = self.page
        places = np.flatnonzero(page.attribute_name == _STYLE)[:MOST_STYLED]
        if not len(places):
            return {}
        starts, ends = page.value_at[places], page.value_at[places + 1]
        hiding, painted, behind = kernel.style_sheets.hiding_values(page.value_buffer, starts, ends)
        rows = self._owners(places)
        looks = {rows[k]: self._look(int(starts[k]), int(ends[k])) for k in hiding}
        if any(map(_is_inherited, looks.values())) or self._paints(painted, behind):
            looks = {row: self._look(*span) for row, *span in zip(rows, starts.tolist(), ends.tolist(), strict=True)}
        return {row: said for row, said in looks.items() if said != _PLAIN}

    def _look(self, start: int, end: int) -> Look:
        """Return what the inline style in a span of the values says."""
        return look(self.page.value_buffer[start:end].decode("utf-8", "replace"))

    def _paints(self, painted: bool, behind: bool) -> bool:
        """Whether inline styles, or what HTML once had for them, state colours of texts and of what is behind them."""
        names = self.page.attribute_name
        return (behind or bool((names == _BGCOLOR).any())) and (painted or bool((names == _COLOR).any()))

    def _ruled(self, names: bytearray, counts: Callable[[int], bool]) -> dict[int, Look]:
        """Return what rules and inline styles together say of the rows that count; `names` is a sieve of theirs."""
        looks: dict[int, Look] = {}
        for row, said in rules_of(self.page, self._css, names, counts):
            own = self.page.attribute(row, "style")
            looks[row] = look_of(said | declarations(own) if own else said)
        return looks

    def _sized(self, ruled: dict[int, Look], said: list[tuple[int, Look]]) -> list[tuple[int, bool | None]]:
        """Return the rows whose letters have a size or none; in what a rule hides, classes may set another one.

        Lists are often laid out so: no size for the blanks between their items, and one for the items.
        """
        sizes = {row: each.has_size for row, each in said}
        for row in self._outermost(sorted(row for row, each in ruled.items() if each.has_size is False)):
            below = np.arange(row + 1, self.page.end[row])
            named = below[self.page.tag[below] != TEXT]
            sizes |= {each: True for each in named.tolist() if sizes.get(each) is None and self._is_named(each)}
        return sorted(sizes.items())

    def _is_named(self, row: int) -> bool:
        return self.page.attribute(row, "class") is not None or self.page.attribute(row, "id") is not None

    def _never_shown(self, rows: list[int]) -> list[int]:
        """Return the rows, of those that one way hides, which no script and no click will show."""
        never = [row for k, row in enumerate(rows) if k >= MOST_PANELS or not _is_panel(self.page, row)]
        return never if self._size_of_all(never) < LONG else []

    def _outermost(self, rows: Iterable[int]) -> list[int]:
        """Return those of some elements, given in order, that are in no other one."""
        found: list[int] = []
        for row in rows:
            if not found or row >= self.page.end[found[-1]]:
                found.append(row)
        return found

    def _size_of_all(self, rows: Iterable[int]) -> int:
        """Return how many characters are in some elements, given in order, each once."""
        return sum(map(self.size, self._outermost(rows)))

    def _add_colours(self, found: _Marks, said: list[tuple[int, Look]]) -> None:
        """Hide texts that are transparent, or of the colour that is stated behind them."""
        texts = {row: each.colour for row, each in said if each.colour is not None}
        texts = dict(self._coloured(_COLOR)) | texts
        clear = {each for each in texts.values() if each[3] < LEAST_OPACITY}
        backs: dict[int, Colour | str] = dict(self._coloured(_BGCOLOR))
        backs |= {row: each.background for row, each in said if each.background is not None}
        behind = list(dict.fromkeys(each for each in backs.values() if isinstance(each, tuple)))[:MOST_COLOURS]
        written = list(dict.fromkeys(texts.values()))[:MOST_COLOURS]
        same = {(text, back) for text in written for back in behind if looks_same(text, back)}
        if clear or same:
            self._paint(found, texts, backs, clear, same)

    def _paint(
        self,
        found: _Marks,
        texts: dict[int, Colour],
        backs: dict[int, Colour | str],
        clear: set[Colour],
        same: set[tuple[Colour, Colour]],
    ) -> None:
        """Find the colours of all rows, by their numbers, and hide what is clear or the same as what is behind it."""
        numbers = {each: k for k, each in enumerate({*texts.values(), *backs.values()}, start=1)}
        text, back = self._spread(texts, numbers), self._spread(backs, numbers)
        for each in clear:
            found.mark(text == numbers[each], TRANSPARENT)
        for one, other in same:
            found.mark((text == numbers[one]) & (back == numbers[other]), SAME_COLOUR)

    def _spread(self, stated: Mapping[int, Colour | str], numbers: Mapping[Colour | str, int]) -> NDArray[np.int32]:
        """Return the number of what is stated for each row or the nearest one around it that states something."""
        found = np.zeros(len(self.page), dtype=np.int32)
        for row in sorted(stated):
            found[row : self.page.end[row]] = numbers[stated[row]]
        return found

    @cached_property
    def _has_stated_colours(self) -> bool:
        """Whether the attributes that HTML once had for colours state one of texts and one behind them."""
        names = self.page.attribute_name
        return bool((names == _BGCOLOR).any()) and bool((names == _COLOR).any())

    def _coloured(self, attribute: int) -> Iterator[tuple[int, Colour]]:
        """Yield the rows with an attribute for a colour, as HTML once had them, and the colour."""
        places = np.flatnonzero(self.page.attribute_name == attribute)
        for row, place in zip(self._owners(places), places.tolist(), strict=True):
            value = self.page.attribute_value(place).strip().lower()
            found = colour(f"#{value}" if _HEXADECIMAL.fullmatch(value) else value)
            if found is not None:
                yield row, found

    # Rows

    def _owners(self, places: NDArray[np.intp]) -> list[int]:
        """Return the rows of some attributes, given by their places in the table of attributes."""
        rows: list[int] = (self.page.attribute_at.searchsorted(places, side="right") - 1).tolist()
        return rows

    def size(self, row: int) -> int:
        """Return how many characters are in an element."""
        return int(self._sums[self.page.end[row]] - self._sums[row])

    def _elements(self, tag: int) -> list[int]:
        rows: list[int] = np.flatnonzero(self.page.tag == tag).tolist()
        return rows

    def _sizes(self, rows: list[int]) -> list[int]:
        """Return how many characters are in each of some elements."""
        sizes: list[int] = (self._sums[self.page.end[rows]] - self._sums[rows]).tolist()
        return sizes

    def _has_text(self, row: int) -> bool:
        return self.size(row) > 0

    def total(self, hidden: NDArray[np.bool_] | None = None) -> int:
        """Return how many characters some rows have, or all."""
        return int(self._sums[-1]) if hidden is None else int(self._chars[hidden].sum())


class _Marks:
    """The rows that are hidden, while they are found."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding
        self._page = hiding.page
        self.ways: Ways | None = None

    def hide(self, rows: Iterable[int], way: int, most: float = MOST) -> None:
        """Hide some elements, given in order, with all in them, unless that is most of the page."""
        spans: list[tuple[int, int]] = []
        for row in rows:
            if self._page.tag[row] not in (_HTML, _BODY) and (not spans or row >= spans[-1][1]):
                spans.append((row, int(self._page.end[row])))
        if spans and (most >= 1 or sum(self._hiding.size(row) for row, _ in spans) < most * self._hiding.total()):
            ways = self._marked()
            for row, end in spans:
                below = ways[row:end]
                below[below <= _replaced(way)] = way

    def inherit(self, said: list[tuple[int, bool | None]], way: int, most: float = MOST) -> None:
        """Hide what inherits a False, as far as no element inside says otherwise."""
        if all(value is not False for _, value in said):
            return
        hidden = np.zeros(len(self._page), dtype=np.bool_)
        for row, value in said:
            if value is not None and self._page.tag[row] not in (_HTML, _BODY):
                hidden[row : self._page.end[row]] = not value
        self.mark(hidden, way, most)

    def mark(self, hidden: NDArray[np.bool_], way: int, most: float = MOST) -> None:
        """Mark rows as hidden, unless they are most of the page; what was hidden before keeps its way, if not soft."""
        if most < 1 and self._hiding.total(hidden) >= most * self._hiding.total():
            return
        ways = self._marked()
        ways[hidden & (ways <= _replaced(way))] = way

    def _marked(self) -> Ways:
        if self.ways is None:
            self.ways = np.zeros(len(self._page), dtype=np.uint8)
        return self.ways


def _replaced(way: int) -> int:
    """Return the highest number of the ways that another one replaces: the soft ones, which methods judge."""
    return SHOWN if way <= LAST_SOFT else LAST_SOFT


def _is_inherited(said: Look) -> bool:
    """Whether a look hides something that an element inside may show again."""
    return said.visible is False or said.has_size is False or (said.colour is not None and said.colour[3] < 1)


def _is_soft(said: Look) -> bool:
    """Whether a look says nothing of sizes and colours."""
    return said.has_size is None and said.colour is None and said.background is None


_PLAIN = Look()


@cache
def _screen_reader_digests() -> NDArray[np.uint64]:
    return hash_table([kernel.derive.digest(name.encode()) for name in SCREEN_READER_CLASSES])


def _is_panel(page: Page, row: int) -> bool:
    """Whether an element is one that a click or a script shows: named so, in what is, or after a control for it."""
    if (
        page.attribute(row, "aria-labelledby")
        or page.attribute(row, "role") == "tabpanel"
        or _is_named_panel(page, row)
    ):
        return True
    before = _sibling_before(page, row)
    if row - before <= MOST_CONTROL:
        names = page.attribute_name[page.attribute_at[before] : page.attribute_at[row]].tolist()
        if not _CONTROLS.isdisjoint(names):
            return True
    return _is_referred(page, (page.attribute(row, "id") or "").strip().encode())


def _is_referred(page: Page, name: bytes) -> bool:
    """Whether an attribute refers to an id: its value is that, or a link to it."""
    at = page.value_buffer.find(name) if name else -1
    for _ in range(MOST_NAMED):
        if at < 0:
            break
        k = int(page.value_at.searchsorted(at, side="right")) - 1
        start, end = int(page.value_at[k]), int(page.value_at[k + 1])
        value = page.value_buffer[start:end]
        if value == b"#" + name or (value == name and _refers(page, int(page.attribute_name[k]))):
            return True
        at = page.value_buffer.find(name, at + 1)
    return False


def _refers(page: Page, number: int) -> bool:
    """Whether an attribute is one that names other elements."""
    name = ATTRIBUTES[number] if number < len(ATTRIBUTES) else page.more_attributes[number - len(ATTRIBUTES)]
    return name.startswith(("aria-", "data-")) or name == "for"


def _is_named_panel(page: Page, row: int) -> bool:
    """Whether an element, or one of the two around it, is called a panel."""
    for each in (row, int(page.parent[row]), int(page.parent[page.parent[row]])):
        if each <= 0 or page.tag[each] in (_HTML, _BODY):
            return False
        labels = (page.attribute(each, "class"), page.attribute(each, "id"))
        if any(_PANEL.search(label[:LONGEST_LABEL]) for label in labels if label):
            return True
    return False


def _sibling_before(page: Page, row: int) -> int:
    """Return the element before a row in the same one; the row itself where there is none."""
    above, before = int(page.parent[row]), row - 1
    while before > above:
        while page.parent[before] != above:
            before = int(page.parent[before])
        if page.tag[before] not in (TEXT, COMMENT):
            return before
        before -= 1
    return row
