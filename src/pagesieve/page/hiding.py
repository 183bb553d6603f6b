"""Find the hidden rows of a page, and the way in which each is hidden, for `Page.visibility`.

An element is hidden by its attributes, by its inline style, by a class that is known to hide, or by a simple rule of a
`style` element (page/styles.py). But pages hide much text that a reader will see, because it fades in or opens with a
click. So there are these exceptions:

- html and body are never hidden;
- text that is hidden in one way is visible if it is more than MAX_SHARE of the page's text: a script will show it;
- in ways that scripts use for text that they will show (_FADING), panels, which a click opens (see `_without_panels`),
  and LONG texts are visible, too;
- `aria-hidden` is for screen readers, and a reader sees the text: only short ones are decorations. A price, a number
  with a unit or a rating is hidden only if the same value is next to it (see `_hide_copies`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress
from typing import TYPE_CHECKING

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import (
    LAST_SOFT,
    NOT_DISPLAYED,
    SHOWN,
    STYLE_BEHIND,
    STYLE_COLOUR,
    STYLE_GONE,
    STYLE_HARD,
    STYLE_IMAGE,
    STYLE_INVISIBLE,
    STYLE_ODD,
    STYLE_SIZE,
    STYLE_VISIBLE,
)
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, IS_SEEN, TEXT
from pagesieve.page.lines import as_marks
from pagesieve.page.styles import (
    ARIA_HIDDEN,
    CLOSED_DIALOG,
    DESCRIPTION,
    FONT_SIZE,
    FOR_SCREEN_READERS,
    MIN_OPACITY,
    NO_SIZE,
    OFF_SCREEN,
    OPACITY,
    RULE_DISPLAY,
    RULE_VISIBILITY,
    SAME_COLOUR,
    SCALED,
    TRANSPARENT,
    Colour,
    Look,
    Sheet,
    colour,
    declarations,
    look,
    look_of,
    looks_same,
    may_hide,
    without_addresses,
)
from pagesieve.text.numbers import STARS, numbers_in
from pagesieve.text.patterns import pattern
from pagesieve.text.types import is_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.kernel.page.view import PageView
    from pagesieve.page.table import Page

_view_of: Callable[[Page], PageView] = kernel.page.view.view_of
Marks = kernel.page.visibility.Marks
Ways = kernel.page.visibility.Ways

MAX_SHARE = 0.3  # the share of the page's text from which it is not hidden
# Characters hidden in one way, from which the text is for readers: sections of an article that fade in, slides,
# answers to questions.
LONG = 600
ICON = 30  # characters of a decoration
MAX_BESIDE = 100  # characters next to a value
MAX_BESIDE_ROWS = 100  # rows of a value and of the text next to it
MAX_STYLED = 20_000  # inline styles of a page
MAX_CONTROL = 60  # rows of a control
MAX_PANELS = 200  # elements hidden in one way that may be panels
MAX_COLOURS = 200  # of texts, and behind them
_BGCOLOR, _COLOR = ATTRIBUTE_ID["bgcolor"], ATTRIBUTE_ID["color"]
_PLAIN = Look()
# The effects of inline styles: soft ones, hiding ones, and inherited ones.
_SOFT = STYLE_GONE | STYLE_VISIBLE | STYLE_INVISIBLE
_HIDING = STYLE_GONE | STYLE_INVISIBLE | STYLE_HARD
_INHERITED = STYLE_SIZE | STYLE_COLOUR | STYLE_ODD
_PAINT = STYLE_COLOUR | STYLE_BEHIND | STYLE_IMAGE
_BY_RULE = {NOT_DISPLAYED: RULE_DISPLAY}
_FADING = (OPACITY, RULE_DISPLAY, NO_SIZE, OFF_SCREEN, SCALED)  # ways that scripts use for text that they will show
_CENTS = pattern(r"(?<=\d)\0(?=\d\d\Z)")  # the boundary between two texts, before cents
_STARS = pattern(rf"[{STARS}\s]+")
_HEXADECIMAL = pattern(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")


class Hiding:
    """The rows that a page hides, except in soft ways, which are in its `Marks`.

    Each attribute is a column of numbers of WAYS, or None if no row is hidden.
    """

    def __init__(self, page: Page, marks: Marks) -> None:
        self.page = weakref.proxy(page)  # the page refers to this object: only the collector would free a cycle
        self.marks = marks
        _, self._with_aria, self._read_out, self._dialogs, self._descriptions, *self._sheets = marks.rows
        self._looks: dict[str, Look] = {}
        self._values: list[int] = []  # rows of prices, numbers with a unit and ratings, with `aria-hidden`

    @lazy
    def by_markup(self) -> bytearray | None:
        """The rows that elements, attributes and inline styles hide, without rules and the styles of a browser.

        None if rows are hidden in soft ways only.
        """
        if not self.marks.may_hide():
            return None
        found = self._by_elements()
        self._add_styles(found, {})
        self._hide_copies(found)
        return found.column if found.hides else None

    @lazy
    def all(self) -> bytearray | None:
        """All hidden rows."""
        found = self._by_elements()
        self._add_styles(found, self._ruled)
        self.__dict__.pop("_sheet", None)
        chars = self.marks.by_element[1]
        for hidden, way in self.page.hidden_by_browser():
            if way not in _FADING or sum(compress(chars, hidden)) < LONG:
                found.mark(as_marks(hidden), way)  # what fades in, only if it is little
        self._hide_copies(found)
        return found.column

    def is_suspect(self, place: int, bits: int) -> bool:
        """Whether an inline style may hide something in ways that are not soft."""
        if not self.marks.states_paint and not self._counts(bits):
            return False
        said = self._look(place, bits)
        return said.way > LAST_SOFT or not _is_soft(said)

    def rules_any(self, holds: bytearray) -> bool:
        """Whether rules or a browser may hide something in the elements of a mask. This is quicker than `all`."""
        if self.page.rendered:
            return True
        # Few pages have such a rule about what they keep: only there, all rules are read. Elsewhere the style sheets,
        # which are a third of many pages, are not kept.
        found = self._sheet is not None and any(may_hide(said) for _, said in self._looks_by_rules(holds))
        if not found:
            del self.__dict__["_sheet"]
        return found

    # What is hidden whole

    def _by_elements(self) -> Ways:
        """Hide rows by the classes, attributes and elements whose purpose is to hide."""
        found = Ways(self.marks, MAX_SHARE)
        # A colon for screen readers parts the words before it from those after it; a reader sees two lines.
        found.hide([row for row in self._read_out if self.size(row) > 1], FOR_SCREEN_READERS)
        if self._with_aria:
            self._hide_decorations(found)
        found.hide([row for row in self._dialogs if self.page.attribute(row, "open") is None], CLOSED_DIALOG)
        found.hide(self._descriptions, DESCRIPTION)
        return found

    def _hide_decorations(self, found: Ways) -> None:
        """Hide what has `aria-hidden`, but for values, ratings and long texts."""
        icons, odd, numbers, longer = self.marks.decorations(ICON)
        text_of = _view_of(self.page).text_of
        self._values = [row for row in numbers if is_value(" ".join(text_of(row).split()))]
        icons += set(numbers).difference(self._values)
        icons += [row for row in odd if _STARS.fullmatch(text_of(row)) is None]  # which are a rating
        longer = self._without_panels([row for row in longer if self.size(row) < LONG], len(longer))
        if self._size_of_all(longer) < LONG:
            icons += longer
        found.hide(sorted(icons), ARIA_HIDDEN)

    def _hide_copies(self, found: Ways) -> None:
        """Hide values with `aria-hidden`, or the visible text next to them for screen readers, if both are the same.

        The text for screen readers is kept: "$19.97" instead of "$", "19" and a raised "97". But a sentence with
        several values, such as "Now $5, was $7", is hidden, and the values are kept.
        """
        if not self._values:
            return
        values_in: dict[int, list[int]] = {}  # by the element around them
        for row in self._outermost(self._values):
            values_in.setdefault(self._around(row), []).append(row)
        text_of = _view_of(self.page).text_of
        copies: list[int] = []
        sentences: list[int] = []
        for around, rows in values_in.items():
            texts = self._texts_beside(around, rows, found)
            if not texts:
                continue
            beside = numbers_in(" ".join(map(text_of, texts)))
            pieces = list(map(self._pieces, rows))
            numbers = [numbers_in(_CENTS.sub(".", "\0".join(each)).replace("\0", "")) for each in pieces]
            is_plain = len(texts) == 1 and all(len(each) == 1 for each in pieces)
            if is_plain and len(numbers) > 1 and beside == set().union(*numbers):
                sentences += texts
            else:
                copies += [row for row, each in zip(rows, numbers, strict=True) if each <= beside]
        found.hide(sorted(copies), ARIA_HIDDEN)
        found.hide(sorted(sentences), FOR_SCREEN_READERS)

    def _pieces(self, row: int) -> list[str]:
        """Return the texts in an element, without white space around them."""
        view = _view_of(self.page)
        rows = (each for each in range(row, view.end_of(row)) if view.tag_of(each) == TEXT)
        return [text for each in rows if (text := view.text_of(each).strip())]

    def _around(self, row: int) -> int:
        """Return the nearest element around a row that has more text."""
        size = self.size(row)
        around = int(self.page.parent[row])
        while around > 0 and self.size(around) == size:
            around = int(self.page.parent[around])
        return around

    def _texts_beside(self, around: int, values: list[int], found: Ways) -> list[int]:
        """Return the visible texts in an element that are not in its values; none if they are too long."""
        view, visibility, column = _view_of(self.page), self.marks.by_element[0], found.column
        end = view.end_of(around)
        if end - around > MAX_BESIDE_ROWS or self.size(around) > self._size_of_all(values) + MAX_BESIDE:
            return []
        own = {each for row in values for each in range(row, view.end_of(row))}
        return [
            row
            for row in range(around + 1, end)
            if view.tag_of(row) == TEXT
            and row not in own
            and visibility[row] == IS_SEEN
            and self.marks.size(row)
            and (column is None or column[row] == SHOWN)
        ]

    # What styles hide

    def _add_styles(self, found: Ways, ruled: dict[int, Look]) -> None:
        """Hide rows by inline styles and simple rules."""
        if not (ruled or self.marks.styles or self.marks.paints):
            return
        inline = self._inline(bool(ruled))
        said = sorted((inline | ruled).items())
        self._hide_by_looks(found, inline, {})
        if ruled:
            self._hide_by_looks(found, ruled, _BY_RULE)
            never = set(self._never_shown([row for row, each in ruled.items() if each.visible is False]))
            seen = [(row, each.visible) for row, each in said if each.visible is not False or row in never]
            found.inherit(seen, RULE_VISIBILITY)
        found.inherit([(row, each.has_size) for row, each in inline.items()], FONT_SIZE)
        if ruled:
            found.inherit(self._sized(ruled, said), FONT_SIZE)
        if ruled or self.marks.paints or self._clears or self._hard & STYLE_ODD:
            self._add_colours(found, said)

    def _hide_by_looks(self, found: Ways, looks: dict[int, Look], names: dict[int, int]) -> None:
        """Hide what is hidden whole; `names` are the numbers of ways that are to be called otherwise."""
        by_way: dict[int, list[int]] = {}
        for row in sorted(looks):
            way = names.get(looks[row].way, looks[row].way)
            if way > LAST_SOFT:
                by_way.setdefault(way, []).append(row)
        for way, rows in sorted(by_way.items()):
            found.hide(self._never_shown(rows) if way in _FADING else rows, way)

    def _inline(self, ruled: bool) -> dict[int, Look]:
        """Return what inline styles say, by row in order, where it may matter, with rules or without."""
        wanted = -1
        if not ruled and not self._hard & STYLE_ODD:
            wanted = STYLE_HARD | self._hard & STYLE_SIZE
            if self.marks.paints or self._clears:
                wanted |= _PAINT
        styles = ((row, place, bits) for row, place, bits in self.marks.styles if bits & wanted)
        all_count = ruled and self.marks.states_paint  # a rule may state the colour that is behind a text
        looks = {row: self._look(place, bits) for row, place, bits in styles if all_count or self._counts(bits)}
        return {row: said for row, said in looks.items() if said != _PLAIN}

    def _counts(self, bits: int) -> bool:
        """Whether the effects of an inline style may matter."""
        return bool(bits & _HIDING) or self._all_count

    @lazy
    def _hard(self) -> int:
        """The effects, as bits, of all inline styles that may hide something in ways that are not soft."""
        said = 0
        for _, _, bits in self.marks.hard:
            said |= bits if bits & STYLE_HARD else 0
        return said

    @lazy
    def _clears(self) -> bool:
        """Whether an inline style makes texts transparent."""
        looks = (
            self._look(place, bits) for _, place, bits in self.marks.hard if bits & STYLE_HARD and bits & STYLE_COLOUR
        )
        return any(said.colour is not None and said.colour[3] < MIN_OPACITY for said in looks)

    @lazy
    def _all_count(self) -> bool:
        """Whether all inline styles may matter: others may show rows again that one hides, or colours may be equal."""
        if self.marks.said & STYLE_INVISIBLE or self.marks.paints:
            return True
        odd = (self._look(place, bits) for _, place, bits in self.marks.hard if bits & STYLE_HARD and bits & _INHERITED)
        return any(map(_is_inherited, odd))

    def _look(self, place: int, bits: int) -> Look:
        """Return the look that an inline style declares."""
        if not bits & ~_SOFT:
            visible = True if bits & STYLE_VISIBLE else False if bits & STYLE_INVISIBLE else None
            return Look(NOT_DISPLAYED if bits & STYLE_GONE else SHOWN, visible)
        style = self.page.attribute_value(place)
        if style not in self._looks:
            plain = without_addresses(style)  # many differ in these only
            if plain not in self._looks:
                self._looks[plain] = look(plain, bits & STYLE_HARD != 0)
            self._looks[style] = self._looks[plain]
        return self._looks[style]

    @lazy
    def _sheet(self) -> Sheet | None:
        """The style sheets of the page."""
        return Sheet.of(self.page, *self._sheets) if any(self._sheets) else None

    @lazy
    def _ruled(self) -> dict[int, Look]:
        """The looks, by rules and inline styles together, of elements with text that a simple rule may hide."""
        if self._sheet is None:
            return {}
        return dict(self._looks_by_rules(self.marks.with_text()))

    def _looks_by_rules(self, holds: bytearray) -> Iterator[tuple[int, Look]]:
        """Yield what rules and inline styles together say of the rows, of those in a mask, that a rule may hide."""
        by_rules: dict[int, Look] = {}  # by what they declare, which elements of the same names share
        for row, said in self._sheet.rules_of(holds) if self._sheet else ():
            if own := self.page.attribute(row, "style"):
                yield row, look_of(said | declarations(own))
                continue
            if id(said) not in by_rules:
                by_rules[id(said)] = look_of(said)
            yield row, by_rules[id(said)]

    def _sized(self, ruled: dict[int, Look], said: list[tuple[int, Look]]) -> list[tuple[int, bool | None]]:
        """Return the rows that set a font size, and whether it is visible.

        Inside an element to which a rule gives the size 0, elements with classes count as visible: many lists use the
        size 0 to remove the blanks between their items, and a class sets the size of the items.
        """
        sizes, view = {row: each.has_size for row, each in said}, _view_of(self.page)
        for row in self._outermost(sorted(row for row, each in ruled.items() if each.has_size is False)):
            below = [each for each in range(row + 1, view.end_of(row)) if view.tag_of(each) != TEXT]
            sizes |= {each: True for each in below if sizes.get(each) is None and self._is_named(each)}
        return sorted(sizes.items())

    def _is_named(self, row: int) -> bool:
        return self.page.attribute(row, "class") is not None or self.page.attribute(row, "id") is not None

    def _never_shown(self, rows: list[int]) -> list[int]:
        """Return the rows, of those hidden in one way, that no script and no click will show."""
        never = self._without_panels(rows, MAX_PANELS)
        return never if self._size_of_all(never) < LONG else []

    def _without_panels(self, rows: list[int], most: int) -> list[int]:
        """Return the rows that are not panels. Only the first `most` rows are checked."""
        found: list[int] = kernel.page.visibility.without_panels(self.page, rows, most, MAX_CONTROL)
        return found

    def _outermost(self, rows: Iterable[int]) -> list[int]:
        """Return the elements, given in order, that are not inside another one of them."""
        found: list[int] = []
        view = _view_of(self.page)
        for row in rows:
            if not found or row >= view.end_of(found[-1]):
                found.append(row)
        return found

    def _size_of_all(self, rows: Iterable[int]) -> int:
        """Return the number of characters in elements, given in order, counting each character once."""
        return sum(map(self.size, self._outermost(rows)))

    def _add_colours(self, found: Ways, said: list[tuple[int, Look]]) -> None:
        """Hide texts that are transparent, or that have the stated colour of their background."""
        texts = {row: each.colour for row, each in said if each.colour is not None}
        texts = dict(self._coloured(_COLOR)) | texts
        clear = {each for each in texts.values() if each[3] < MIN_OPACITY}
        backs: dict[int, Colour | str] = dict(self._coloured(_BGCOLOR))
        backs |= {row: each.background for row, each in said if each.background is not None}
        behind = list(dict.fromkeys(each for each in backs.values() if isinstance(each, tuple)))[:MAX_COLOURS]
        written = list(dict.fromkeys(texts.values()))[:MAX_COLOURS]
        same = {(text, back) for text in written for back in behind if looks_same(text, back)}
        if clear or same:
            self._paint(found, texts, backs, clear, same)

    def _paint(
        self,
        found: Ways,
        texts: dict[int, Colour],
        backs: dict[int, Colour | str],
        clear: set[Colour],
        same: set[tuple[Colour, Colour]],
    ) -> None:
        """Find the colours of all rows, and hide rows with a clear colour, or with that of their background."""

        numbers = {each: k for k, each in enumerate({*texts.values(), *backs.values()}, start=1)}
        text, back = self._spread(texts, numbers), self._spread(backs, numbers)
        for each in clear:
            found.mark(as_marks(text == numbers[each]), TRANSPARENT)
        for one, other in same:
            found.mark(as_marks((text == numbers[one]) & (back == numbers[other])), SAME_COLOUR)

    def _spread(self, stated: Mapping[int, Colour | str], numbers: Mapping[Colour | str, int]) -> NDArray[np.int32]:
        """Return for each row the number of the colour that the row, or else the nearest row around it, states."""
        import numpy as np

        found = np.zeros(len(self.page), dtype=np.int32)
        for row in sorted(stated):
            found[row : self.page.end[row]] = numbers[stated[row]]
        return found

    def _coloured(self, attribute: int) -> Iterator[tuple[int, Colour]]:
        """Yield the rows with an obsolete attribute for a colour, and the colour."""
        known: dict[str, Colour | None] = {}
        for row, place in _view_of(self.page).with_attribute(attribute):
            value = self.page.attribute_value(place)
            if value not in known:
                word = value.strip().lower()
                known[value] = colour(f"#{word}" if _HEXADECIMAL.fullmatch(word) else word)
            found = known[value]
            if found is not None:
                yield row, found

    def size(self, row: int) -> int:
        """Return the number of characters in an element."""
        return self.marks.size(row)


def _is_inherited(said: Look) -> bool:
    """Whether a look hides something that an element inside may show again."""
    return said.visible is False or said.has_size is False or (said.colour is not None and said.colour[3] < 1)


def _is_soft(said: Look) -> bool:
    """Whether a look has no sizes and colours."""
    return said.has_size is None and said.colour is None and said.background is None
