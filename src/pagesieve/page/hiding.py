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
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.keeping import lazy
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
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, ATTRIBUTES, COMMENT, TAG_ID, TEXT
from pagesieve.page.rules import Sheet, may_hide, style_sheets
from pagesieve.page.styles import (
    ARIA_HIDDEN,
    CLOSED_DIALOG,
    DESCRIPTION,
    FONT_SIZE,
    FOR_SCREEN_READERS,
    LEAST_OPACITY,
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
    colour,
    declarations,
    look,
    look_of,
    looks_same,
)
from pagesieve.text.numbers import STARS

if TYPE_CHECKING:
    from pagesieve.page.table import Page

Marks = kernel.visibility.Marks
Ways = kernel.visibility.Ways

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
_HTML, _BODY = TAG_ID["html"], TAG_ID["body"]
_BGCOLOR, _COLOR = ATTRIBUTE_ID["bgcolor"], ATTRIBUTE_ID["color"]
_PLAIN = Look()
# What inline styles say: what is soft, what hides something, and what those inside inherit.
_SOFT = STYLE_GONE | STYLE_VISIBLE | STYLE_INVISIBLE
_HIDING = STYLE_GONE | STYLE_INVISIBLE | STYLE_HARD
_INHERITED = STYLE_SIZE | STYLE_COLOUR | STYLE_ODD
_PAINT = STYLE_COLOUR | STYLE_BEHIND | STYLE_IMAGE
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
    """What a page hides, but for the soft ways, which its `Marks` know.

    Each answer is a column of numbers of WAYS, or None where all is shown.
    """

    def __init__(self, page: Page, marks: Marks) -> None:
        self.page = weakref.proxy(page)  # which keeps this: a cycle would only be freed by the collector
        self.marks = marks
        _, self._aria_hidden, self._read_out, self._dialogs, self._descriptions, *self._sheets = marks.rows
        # The elements that may hide what they hold by themselves in other ways than the soft ones; and by their styles.
        self._suspects = [*self._read_out, *self._aria_hidden, *self._dialogs, *self._descriptions]
        self._styles = [each for each in marks.styles if each[2] & ~_SOFT]
        self._looks: dict[str, Look] = {}

    @lazy
    def is_soft(self) -> bool:
        """Whether nothing may hide anything in other ways than the soft ones."""
        found = self._suspects or self._styles or any(self._sheets) or self._has_stated_colours or self.page.rendered
        return not found

    @lazy
    def by_markup(self) -> bytearray | None:
        """What the page hides, as far as its elements say so: without rules and what a browser computes.

        None where it hides nothing but in the soft ways.
        """
        found = self._by_elements()
        self._add_styles(found, {})
        return found.column if found.hides else None

    @lazy
    def all(self) -> bytearray | None:
        """All that the page hides."""
        if self.is_soft:
            return self.marks.soft
        found = self._by_elements()
        self._add_styles(found, self._ruled)
        for hidden, way in self.page.hidden_by_browser():
            if way not in _FADING or int(np.frombuffer(self.marks.by_element[1], np.int32)[hidden].sum()) < LONG:
                found.mark(hidden.view(np.uint8), way)  # what fades in, only if it is little
        return found.column

    def marks_any(self, holds: bytearray) -> bool:
        """Whether elements that a mask has may hide something in other ways than the soft ones.

        It is quicker to tell than `by_markup`.
        """
        return (
            any(map(holds.__getitem__, self._suspects))
            or any(holds[row] and self._is_suspect(place, bits) for row, place, bits in self._styles)
            or (self._has_stated_colours and any(holds[row] for row, _ in self._coloured(_COLOR)))
        )

    def _is_suspect(self, place: int, bits: int) -> bool:
        """Whether an inline style counts, and is not soft."""
        if not self._counts(bits):
            return False
        said = self._look(place, bits)
        return said.way > LAST_SOFT or not _is_soft(said)

    def rules_any(self, holds: bytearray) -> bool:
        """Whether rules may hide something in elements that a mask has, or a browser: quicker to tell than `all`."""
        if self.page.rendered:
            return True
        # Few pages have such a rule about what they keep: only there, all rules are read.
        if self._sheet is None or not self._sheet.hidden_rows(self.page, holds):
            return False
        return any(holds[row] and may_hide(said) for row, said in self._ruled.items())

    # What is hidden whole

    def _by_elements(self) -> Ways:
        """Hide what classes, attributes and elements hide that are there for it."""
        found = Ways(self.marks, MOST)
        # A colon for screen readers parts the words before it from those after it; a reader sees two lines.
        found.hide([row for row in self._read_out if self.size(row) > 1], FOR_SCREEN_READERS)
        short = [row for row in self._aria_hidden if not self._is_read(row)]
        if self._size_of_all(row for row in short if self.size(row) > ICON) >= LONG:
            short = [row for row in short if self.size(row) <= ICON]
        found.hide(short, ARIA_HIDDEN)
        found.hide([row for row in self._dialogs if self.page.attribute(row, "open") is None], CLOSED_DIALOG)
        found.hide(self._descriptions, DESCRIPTION)
        return found

    def _is_read(self, row: int) -> bool:
        """Whether what is aria-hidden is there to be read: a double for screen readers, long, a panel, or a rating."""
        above = int(self.page.parent[row])
        first, last = bisect_left(self._read_out, above), bisect_left(self._read_out, self.page.end[above])
        if first < last and self.page.tag[above] != _BODY:
            return True
        if self.size(row) <= ICON:
            return _STARS.fullmatch(self.page.text(row)) is not None
        return self.size(row) >= LONG or _is_panel(self.page, row)

    # What styles hide

    def _add_styles(self, found: Ways, ruled: dict[int, Look]) -> None:
        """Hide what inline styles and simple rules hide."""
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
        if ruled or self._paints or self._hard & (STYLE_COLOUR | STYLE_ODD):
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
            if self._paints or self._hard & STYLE_COLOUR:
                wanted |= _PAINT
        styles = ((row, place, bits) for row, place, bits in self.marks.styles if bits & wanted)
        looks = {row: self._look(place, bits) for row, place, bits in styles if self._counts(bits)}
        return {row: said for row, said in looks.items() if said != _PLAIN}

    def _counts(self, bits: int) -> bool:
        """Whether what an inline style says may matter."""
        return bool(bits & _HIDING) or self._all_count

    @lazy
    def _hard(self) -> int:
        """What is said by all inline styles that may hide something in other ways than the soft ones, as bits."""
        said = 0
        for _, _, bits in self._styles:
            said |= bits if bits & STYLE_HARD else 0
        return said

    @property
    def _paints(self) -> bool:
        """Whether inline styles, or what HTML once had for them, state colours of texts and of what is behind them."""
        marks = self.marks
        states_colour, states_behind = marks.states_colour, marks.states_behind
        return bool((marks.said & STYLE_COLOUR or states_colour) and (marks.said & STYLE_BEHIND or states_behind))

    @lazy
    def _all_count(self) -> bool:
        """Whether all inline styles may matter: one hides what others may show again, or colours may be the same."""
        if self.marks.said & STYLE_INVISIBLE or self._paints:
            return True
        odd = (self._look(place, bits) for _, place, bits in self._styles if bits & STYLE_HARD and bits & _INHERITED)
        return any(map(_is_inherited, odd))

    def _look(self, place: int, bits: int) -> Look:
        """Return what an inline style says."""
        if not bits & ~_SOFT:
            visible = True if bits & STYLE_VISIBLE else False if bits & STYLE_INVISIBLE else None
            return Look(NOT_DISPLAYED if bits & STYLE_GONE else SHOWN, visible)
        style = self.page.attribute_value(place)
        if style not in self._looks:
            self._looks[style] = look(style)
        return self._looks[style]

    @lazy
    def _sheet(self) -> Sheet | None:
        """The style sheets of the page."""
        css = style_sheets(self.page, *self._sheets) if any(self._sheets) else b""
        return Sheet(css) if css else None

    @lazy
    def _ruled(self) -> dict[int, Look]:
        """What rules and inline styles together say of elements with text that a simple rule may hide."""
        looks: dict[int, Look] = {}
        for row, said in self._sheet.rules_of(self.page, self.marks.with_text()) if self._sheet else ():
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

    def _add_colours(self, found: Ways, said: list[tuple[int, Look]]) -> None:
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
        found: Ways,
        texts: dict[int, Colour],
        backs: dict[int, Colour | str],
        clear: set[Colour],
        same: set[tuple[Colour, Colour]],
    ) -> None:
        """Find the colours of all rows, by their numbers, and hide what is clear or the same as what is behind it."""
        numbers = {each: k for k, each in enumerate({*texts.values(), *backs.values()}, start=1)}
        text, back = self._spread(texts, numbers), self._spread(backs, numbers)
        for each in clear:
            found.mark((text == numbers[each]).view(np.uint8), TRANSPARENT)
        for one, other in same:
            found.mark(((text == numbers[one]) & (back == numbers[other])).view(np.uint8), SAME_COLOUR)

    def _spread(self, stated: Mapping[int, Colour | str], numbers: Mapping[Colour | str, int]) -> NDArray[np.int32]:
        """Return the number of what is stated for each row or the nearest one around it that states something."""
        found = np.zeros(len(self.page), dtype=np.int32)
        for row in sorted(stated):
            found[row : self.page.end[row]] = numbers[stated[row]]
        return found

    @property
    def _has_stated_colours(self) -> bool:
        """Whether the attributes that HTML once had for colours state one of texts and one behind them."""
        return self.marks.states_colour and self.marks.states_behind

    def _coloured(self, attribute: int) -> Iterator[tuple[int, Colour]]:
        """Yield the rows with an attribute for a colour, as HTML once had them, and the colour."""
        if not self.marks.states_colour and not self.marks.states_behind:
            return
        places = np.flatnonzero(self.page.attribute_name == attribute)
        rows = self.page.attribute_at.searchsorted(places, side="right") - 1
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            value = self.page.attribute_value(place).strip().lower()
            found = colour(f"#{value}" if _HEXADECIMAL.fullmatch(value) else value)
            if found is not None:
                yield row, found

    def size(self, row: int) -> int:
        """Return how many characters are in an element."""
        return self.marks.size(row)


def _is_inherited(said: Look) -> bool:
    """Whether a look hides something that an element inside may show again."""
    return said.visible is False or said.has_size is False or (said.colour is not None and said.colour[3] < 1)


def _is_soft(said: Look) -> bool:
    """Whether a look says nothing of sizes and colours."""
    return said.has_size is None and said.colour is None and said.background is None


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
