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
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TEXT
from pagesieve.page.rules import hash_table, rules_of
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
_CONTROLS = [ATTRIBUTE_ID[name] for name in ("aria-expanded", "aria-controls")]
_STARS = re.compile(rf"[{STARS}\s]+")
_HEXADECIMAL = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")
_PANEL = re.compile(
    r"accordion|collaps|toggle|faq|expand|spoiler|carousel|slide|swiper|slick|splide|flickity|wow\b|aos|reveal|lazy|"
    r"fade|animat|elementor-invisible|(?:^|[\s_-])tab(?:s|bed|[\s_-]|$)|panel|read-?more|dropdown",
    re.IGNORECASE,
)


def hidden_rows(page: Page, chars: NDArray[np.int32]) -> Ways | None:
    """Return why each row is not shown, as a number of WAYS; None where all is shown.

    `chars` are the characters of the rows, as far as their elements alone say that they are seen.
    """
    found = _Hiding(page, chars)
    found.add_classes()
    found.add_attributes()
    found.add_styles()
    for hidden, way in page.hidden_by_browser():
        found.add_computed(hidden, way)
    return found.ways


class _Hiding:
    """The rows that are hidden, while they are found."""

    def __init__(self, page: Page, chars: NDArray[np.int32]) -> None:
        self.page = page
        self.ways: Ways | None = None
        self._sums = np.zeros(len(page) + 1, dtype=np.int64)
        np.cumsum(chars, out=self._sums[1:])

    # What is hidden whole

    def add_attributes(self) -> None:
        """Hide what the attributes and elements hide that HTML has for it."""
        page, names = self.page, self.page.attribute_name
        self._hide(self._owners(np.flatnonzero(names == _HIDDEN)), HIDDEN_ATTRIBUTE, most=1.0)
        places = np.flatnonzero(names == _ARIA)
        if len(places):
            sizes = page.value_at[places + 1] - page.value_at[places]
            places = places[sizes == len(b"true")]  # "false" is longer
            short = [row for row in self._owners(places) if self._has_text(row) and not self._is_read(row)]
            if sum(self._size(row) for row in short if self._size(row) > ICON) >= LONG:
                short = [row for row in short if self._size(row) <= ICON]
            self._hide(short, ARIA_HIDDEN)
        dialogs = np.flatnonzero(page.tag == _DIALOG).tolist()
        self._hide([row for row in dialogs if page.attribute(row, "open") is None], CLOSED_DIALOG)
        self._hide(np.flatnonzero(page.tag == _DESC).tolist(), DESCRIPTION)

    def add_classes(self) -> None:
        """Hide what has a class that is known to be read out and not shown."""
        found = kernel.suspects.word_rows(self.page, _CLASS, _class_table())
        self._read_out = np.array([row for row, _ in found], dtype=np.int32)
        # A colon for screen readers parts the words before it from those after it; a reader sees two lines.
        self._hide([row for row in self._read_out.tolist() if self._size(row) > 1], FOR_SCREEN_READERS)

    def _is_read(self, row: int) -> bool:
        """Whether what is aria-hidden is there to be read: a double for screen readers, long, a panel, or a rating."""
        first, last = self._read_out.searchsorted((self.page.parent[row], self.page.end[self.page.parent[row]]))
        if last > first and self.page.tag[self.page.parent[row]] != _BODY:
            return True
        if self._size(row) <= ICON:
            return _STARS.fullmatch(self.page.text(row)) is not None
        return self._size(row) >= LONG or _is_panel(self.page, row)

    # What styles hide

    def add_styles(self) -> None:
        """Hide what inline styles and simple rules hide."""
        inline = self._inline()
        ruled = self._ruled()
        if inline or ruled:
            self._hide_by_looks(inline, {})
            self._hide_by_looks(ruled, _BY_RULE)
            said = sorted((inline | ruled).items())
            self._inherit([(row, inline[row].visible) for row in sorted(inline)], NOT_VISIBLE, most=1.0)
            never = set(self._never_shown([row for row, each in ruled.items() if each.visible is False]))
            seen = [(row, each.visible) for row, each in said if each.visible is not False or row in never]
            self._inherit(seen, RULE_VISIBILITY)
            self._inherit([(row, each.has_size) for row, each in sorted(inline.items())], FONT_SIZE)
            self._inherit(self._sized(ruled, said), FONT_SIZE)
            self._add_colours(said)

    def _hide_by_looks(self, looks: dict[int, Look], names: dict[int, int]) -> None:
        """Hide what is hidden whole; `names` are the numbers of ways that are to be called otherwise."""
        by_way: dict[int, list[int]] = {}
        for row in sorted(looks):
            if looks[row].way != SHOWN:
                by_way.setdefault(names.get(looks[row].way, looks[row].way), []).append(row)
        for way, rows in sorted(by_way.items()):
            if way <= LAST_SOFT:
                self._hide(rows, way, most=1.0)
            elif way in _FADING:
                self._hide(self._never_shown(rows), way)
            else:
                self._hide(rows, way)

    def _inline(self) -> dict[int, Look]:
        """Return what inline styles say, by row, where it may matter."""
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

    def _ruled(self) -> dict[int, Look]:
        """Return what rules and inline styles together say of the rows that rules are about."""
        looks: dict[int, Look] = {}
        for row, said in rules_of(self.page, self._has_text):
            own = self.page.attribute(row, "style")
            looks[row] = look_of(said | declarations(own) if own else said)
        return looks

    def _sized(self, ruled: dict[int, Look], said: list[tuple[int, Look]]) -> list[tuple[int, bool | None]]:
        """Return the rows whose letters have a size or none; in what a rule hides, classes may set another one.

        Lists are often laid out so: no size for the blanks between their items, and one for the items.
        """
        sizes = {row: each.has_size for row, each in said}
        for row in [row for row, each in ruled.items() if each.has_size is False]:
            below = np.arange(row + 1, self.page.end[row])
            named = below[self.page.tag[below] != TEXT]
            sizes |= {each: True for each in named.tolist() if sizes.get(each) is None and self._is_named(each)}
        return sorted(sizes.items())

    def _is_named(self, row: int) -> bool:
        return self.page.attribute(row, "class") is not None or self.page.attribute(row, "id") is not None

    def _never_shown(self, rows: list[int]) -> list[int]:
        """Return the rows, of those that one way hides, which no script and no click will show."""
        never = [row for row in rows if not _is_panel(self.page, row)]
        return never if sum(map(self._size, never)) < LONG else []

    def _inherit(self, said: list[tuple[int, bool | None]], way: int, most: float = MOST) -> None:
        """Hide what inherits a False, as far as no element inside says otherwise."""
        if all(value is not False for _, value in said):
            return
        hidden = np.zeros(len(self.page), dtype=np.bool_)
        for row, value in said:
            if value is not None and self.page.tag[row] not in (_HTML, _BODY):
                hidden[row : self.page.end[row]] = not value
        self._mark(hidden, way, most)

    def _add_colours(self, said: list[tuple[int, Look]]) -> None:
        """Hide texts that are transparent, or of the colour that is stated behind them."""
        texts = {row: each.colour for row, each in said if each.colour is not None}
        texts = dict(self._coloured(_COLOR)) | texts
        clear = {each for each in texts.values() if each[3] < LEAST_OPACITY}
        backs: dict[int, Colour | str] = dict(self._coloured(_BGCOLOR))
        backs |= {row: each.background for row, each in said if each.background is not None}
        behind = {each for each in backs.values() if isinstance(each, tuple)}
        same = {(text, back) for text in set(texts.values()) for back in behind if looks_same(text, back)}
        if clear or same:
            self._paint(texts, backs, clear, same)

    def _paint(
        self,
        texts: dict[int, Colour],
        backs: dict[int, Colour | str],
        clear: set[Colour],
        same: set[tuple[Colour, Colour]],
    ) -> None:
        """Find the colours of all rows, by their numbers, and hide what is clear or the same as what is behind it."""
        numbers = {each: k for k, each in enumerate({*texts.values(), *backs.values()}, start=1)}
        text, back = self._spread(texts, numbers), self._spread(backs, numbers)
        for each in clear:
            self._mark(text == numbers[each], TRANSPARENT)
        for one, other in same:
            self._mark((text == numbers[one]) & (back == numbers[other]), SAME_COLOUR)

    def _spread(self, stated: Mapping[int, Colour | str], numbers: Mapping[Colour | str, int]) -> NDArray[np.int32]:
        """Return the number of what is stated for each row or the nearest one around it that states something."""
        found = np.zeros(len(self.page), dtype=np.int32)
        for row in sorted(stated):
            found[row : self.page.end[row]] = numbers[stated[row]]
        return found

    def _coloured(self, attribute: int) -> Iterator[tuple[int, Colour]]:
        """Yield the rows with an attribute for a colour, as HTML once had them, and the colour."""
        places = np.flatnonzero(self.page.attribute_name == attribute)
        for row, place in zip(self._owners(places), places.tolist(), strict=True):
            value = self.page.attribute_value(place).strip().lower()
            found = colour(f"#{value}" if _HEXADECIMAL.fullmatch(value) else value)
            if found is not None:
                yield row, found

    def add_computed(self, hidden: NDArray[np.bool_], way: int) -> None:
        """Hide rows that a browser does not show; those that fade in only if they are few."""
        if way not in _FADING or np.diff(self._sums)[hidden].sum() < LONG:
            self._mark(hidden, way)

    # Rows

    def _owners(self, places: NDArray[np.intp]) -> list[int]:
        """Return the rows of some attributes, given by their places in the table of attributes."""
        rows: list[int] = (self.page.attribute_at.searchsorted(places, side="right") - 1).tolist()
        return rows

    def _size(self, row: int) -> int:
        """Return how many characters are in an element."""
        return int(self._sums[self.page.end[row]] - self._sums[row])

    def _has_text(self, row: int) -> bool:
        return self._size(row) > 0

    def _hide(self, rows: Iterable[int], way: int, most: float = MOST) -> None:
        """Hide some elements with all in them, unless that is most of the page."""
        hidden: NDArray[np.bool_] | None = None
        for row in rows:
            if self.page.tag[row] not in (_HTML, _BODY):
                hidden = np.zeros(len(self.page), dtype=np.bool_) if hidden is None else hidden
                hidden[row : self.page.end[row]] = True
        if hidden is not None:
            self._mark(hidden, way, most)

    def _mark(self, hidden: NDArray[np.bool_], way: int, most: float = MOST) -> None:
        """Mark rows as hidden, unless they are most of the page; what was hidden before keeps its reason."""
        size = int(np.diff(self._sums)[hidden].sum())
        if most < 1 and size >= most * self._sums[-1]:
            return
        if self.ways is None:
            self.ways = np.zeros(len(self.page), dtype=np.uint8)
        self.ways[hidden & (self.ways == SHOWN)] = way


def _is_inherited(said: Look) -> bool:
    """Whether a look hides something that an element inside may show again."""
    return said.visible is False or said.has_size is False or (said.colour is not None and said.colour[3] < 1)


_PLAIN = Look()


@cache
def _class_table() -> NDArray[np.uint64]:
    return hash_table(SCREEN_READER_CLASSES)


def _is_panel(page: Page, row: int) -> bool:
    """Whether an element is one that a click or a script shows: named so, in what is, or after a control for it."""
    if page.attribute(row, "aria-labelledby") or page.attribute(row, "role") == "tabpanel":
        return True
    name = (page.attribute(row, "id") or "").encode()
    if name and page.value_buffer.count(name) > 1:
        return True
    before = _sibling_before(page, row)
    if row - before <= MOST_CONTROL:
        names = page.attribute_name[page.attribute_at[before] : page.attribute_at[row]]
        if np.isin(names, _CONTROLS).any():
            return True
    for each in (row, int(page.parent[row]), int(page.parent[page.parent[row]])):
        if each <= 0 or page.tag[each] in (_HTML, _BODY):
            return False
        labels = (page.attribute(each, "class"), page.attribute(each, "id"))
        if any(_PANEL.search(label) for label in labels if label):
            return True
    return False


def _sibling_before(page: Page, row: int) -> int:
    """Return the element before a row in the same one; the row itself where there is none."""
    above, before = int(page.parent[row]), row - 1
    while before > above:
        while page.parent[before] != above:
            before = int(page.parent[before])
        if page.tag[before] != TEXT:
            return before
        before -= 1
    return row
