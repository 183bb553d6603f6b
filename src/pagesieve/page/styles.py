"""Decide whether CSS declarations, in a `style` attribute or a rule, hide an element.

Only the declarations themselves count, without sizes that depend on a layout, and without variables. Of the rules in
`style` elements only simple selectors are read: an element, classes and an id, in lists. Rules in `@media` count if
they are for screens of any size. If another rule sets a property under a condition (`.open .panel`, `.panel.open`,
`:hover`, `:target`), a reader or a script changes it, and its value in simple rules is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import NOT_DISPLAYED, SHOWN
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.text.patterns import pattern

if TYPE_CHECKING:
    from pagesieve.page.table import Page


# The ways in which elements are hidden, by the numbers of `Page.hidden_by`. The kernel knows the first numbers, SHOWN,
# HIDDEN_ATTRIBUTE, NOT_DISPLAYED and NOT_VISIBLE. Scripts often show elements that are hidden in these ways.
WAYS = (
    "",
    "hidden",
    "display none",
    "visibility hidden",
    "opacity 0",
    "font size 0",
    "transparent",
    "the colour of its background",
    "off the screen",
    "clipped",
    "no size",
    "scaled to nothing",
    "for screen readers only",
    "aria-hidden",
    "a closed dialog",
    "the description of a drawing",
    "display none, by a rule",
    "visibility hidden, by a rule",
)
OPACITY, FONT_SIZE, TRANSPARENT, SAME_COLOUR = range(4, 8)
OFF_SCREEN, CLIPPED, NO_SIZE, SCALED, FOR_SCREEN_READERS, ARIA_HIDDEN, CLOSED_DIALOG, DESCRIPTION = range(8, 16)
RULE_DISPLAY, RULE_VISIBILITY = 16, 17

MIN_OPACITY = 0.02  # also the minimum alpha of a colour; anything below is invisible
MIN_FONT = 1.5  # pixels
MIN_RELATIVE = 0.05  # relative to the surrounding font size
NO_PIXELS = 1.0  # the size of a box that shows no text
FAR_PIXELS, FAR_RELATIVE = 500.0, 100.0  # off the screen: in pixels, and in em or per cent
FAR_MARGIN = 2000.0  # pixels: smaller margins centre wide boxes
MAX_LEFT = 5000.0  # pixels: to the right of any screen; readers scroll down, but not so far to the right
SAME = 4  # of 255: the difference between components of two colours that look the same

Colour = tuple[int, int, int, float]  # red, green, blue, alpha

_COMMENT = pattern(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = pattern(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_URL = pattern(r"url\((?:[^()\"']|\"[^\"]*\"|'[^']*')*\)", re.IGNORECASE)
_NUMBER = pattern(r"([+-]?(?:\d+\.?\d*|\.\d+))(e[+-]?\d+)?\s*(px|pt|em|rem|ex|ch|%|vw|vh|cm|mm|in)?")
_CALL = pattern(r"(?<![a-z0-9-])([a-z0-9-]+)\(([^()]*)\)")
_HEXADECIMAL = pattern(r"[0-9a-f]{6}(?:[0-9a-f]{2})?")
_STRING = pattern(r"\"[^\"]*\"|'[^']*'")
# Valid values; browsers ignore a declaration with another value, so that the previous one counts.
_VALID = {
    "opacity": pattern(
        r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?|(?:calc|var|min|max|clamp)\(.*|inherit|initial|unset"
    ),
    "visibility": pattern(r"visible|hidden|collapse|inherit|initial|unset|revert|var\(.*"),
    "display": pattern(
        r"(?:none|block|inline|flow|flow-root|flex|grid|table|contents|list-item|ruby|run-in|inline-[a-z]+|table-[a-z-]+|"
        r"-(?:webkit|ms|moz)-[a-z-]+|inherit|initial|unset|revert|var\(.*)(?:\s.*)?"
    ),
}
_SIDES = ("left", "right", "top", "bottom", "inset-inline-start")
_MARGINS = ("margin-left", "margin-top")
_FILLS = frozenset("padding padding-bottom padding-top min-height min-width flex flex-grow text-overflow".split())
_PIXELS = {"px": 1.0, "": 1.0, "pt": 1.33, "cm": 37.8, "mm": 3.78, "in": 96.0}
_NAMED = {name: tuple(bytes.fromhex(code)) for name, code in map(str.split, kernel.page.visibility.COLOURS.split(","))}


class Look(NamedTuple):
    """The effects of declarations on one element. None means that there is no declaration."""

    way: int = SHOWN  # the way in which the element and its content are hidden
    visible: bool | None = None  # inherited, so that an element inside can override it
    has_size: bool | None = None
    colour: Colour | None = None
    background: Colour | str | None = None  # "image" if the colour is unknown


def without_addresses(style: str) -> str:
    """Return an equivalent style without addresses, if that is simple."""
    return _URL.sub("url()", style) if "(" in style and "\\" not in style and "/*" not in style else style


def declarations(style: str) -> dict[str, str]:
    """Return the declarations of a style by property, in lower case. The last one wins, unless one is important."""
    if "/*" in style:
        style = _COMMENT.sub(" ", style)
    if "\\" in style:
        style = _ESCAPE.sub(_unescape, style)
    if "(" in style:
        style = _URL.sub("url()", style)
    if "'" in style or '"' in style:
        style = _STRING.sub("''", style)
    found: dict[str, str] = {}
    important = set()
    for part in style.lower().split(";"):
        name, _, value = part.partition(":")
        value, _, word = value.partition("!")
        name, value = name.strip(), value.strip()
        if not name or not value or (name in _VALID and not _VALID[name].fullmatch(value)):
            continue
        if word and word.strip() == "important":
            important.add(name)
        elif name in important:
            continue
        found[name] = value
    return found


def _unescape(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else 0
    return chr(code) if 0 < code < 0xD800 else found[2] or ""


def look(style: str, is_hard: bool = True) -> Look:
    """Return the look that a style gives an element; `is_hard` as in `look_of`."""
    return look_of(declarations(style), is_hard)


def look_of(said: Mapping[str, str], is_hard: bool = True) -> Look:
    """Return the look that declarations give an element; if they are not hard, only `display` hides it whole."""
    visibility = said.get("visibility")
    return Look(
        way=_way(said) if is_hard else _display(said),
        visible=visibility == "visible" if visibility in ("visible", "hidden", "collapse") else None,
        has_size=_has_size(said),
        colour=_text_colour(said),
        background=_background(said),
    )


def _way(said: Mapping[str, str]) -> int:
    """Return the way in which declarations hide an element with all its content."""
    if way := _display(said):
        return way
    if "opacity" in said and _share(said["opacity"]) < MIN_OPACITY:
        return OPACITY
    for names, test, way in _TESTS:
        if not names.isdisjoint(said) and test(said):
            return way
    return SHOWN


def _display(said: Mapping[str, str]) -> int:
    """Return whether declarations do not display an element, as a way."""
    is_gone = said.get("display") == "none" or said.get("content-visibility") == "hidden"
    return NOT_DISPLAYED if is_gone else SHOWN


def _share(value: str) -> float:
    found = _NUMBER.match(value)
    if found is None or found.end() != len(value):
        return 1.0
    return float(found[1] + (found[2] or "")) / (100 if found[3] == "%" else 1)


def _lengths(value: str) -> list[tuple[float, bool]]:
    """Return the lengths in a value, in pixels or in per cent or em, and whether each is in pixels."""
    found = []
    for number, power, unit in _NUMBER.findall(value):
        length = float(number + power)
        is_pixels = unit in _PIXELS
        found.append((length * _PIXELS[unit] if is_pixels else length, is_pixels))
    return found


def _length(value: str) -> tuple[float, bool]:
    """Return the first length of a value as `_lengths` does; 0 pixels without one."""
    found = _NUMBER.search(value)
    if found is None:
        return 0.0, True
    number, power, unit = found.groups("")
    is_pixels = unit in _PIXELS
    return float(number + power) * (_PIXELS[unit] if is_pixels else 1), is_pixels


def _is_far(value: str | None) -> bool:
    """Whether the first length of a value moves something off the screen, to the left or above it."""
    if not value or "-" not in value or value.startswith(("calc", "var")):
        return False
    length, is_pixels = _length(value)
    return -length >= (FAR_PIXELS if is_pixels else FAR_RELATIVE)


def _pixels(value: str) -> float:
    """Return the first length of a value if it is in pixels, otherwise 0."""
    length, is_pixels = _length(value)
    return length if is_pixels else 0.0


def _is_placed(said: Mapping[str, str]) -> bool:
    return said.get("position") in ("absolute", "fixed")


def _is_off_screen(said: Mapping[str, str]) -> bool:
    if _is_placed(said) and (
        any(_is_far(said[side]) for side in _SIDES if side in said)
        or any(-_pixels(said[side]) >= FAR_MARGIN for side in _MARGINS if side in said)
        or ("left" in said and _pixels(said["left"]) >= MAX_LEFT)
    ):
        return True
    if _is_far(said.get("text-indent")):
        return True
    if said.get("white-space") == "nowrap" and said.get("text-indent") in ("100%", "101%") and _cuts(said, ""):
        return True
    moved = [values for name, values in _calls(said) if name.startswith("translate")]
    # A shift by its own width or height moves an element above or beside a place: a label, the next slide.
    return any(_is_far(each) and not _is_own_size(each) for values in moved for each in values.split(","))


def _is_own_size(value: str) -> bool:
    return value.strip() == "-100%"


def _is_clipped(said: Mapping[str, str]) -> bool:
    if _is_placed(said) and "clip" in said:
        found = _CALL.match(said["clip"])
        sides = [length for length, _ in _lengths(found[2])] if found and found[1] == "rect" else []
        if len(sides) == 4 and min(sides[2] - sides[0], sides[1] - sides[3]) <= NO_PIXELS:
            return True
    for name, values in _CALL.findall(said.get("clip-path", said.get("-webkit-clip-path", ""))):
        sides = [length for length, is_pixels in _lengths(values) if not is_pixels or not length]
        if name == "inset" and sides and min(sides[:2]) >= 50:
            return True
        if name in ("circle", "ellipse") and sides and sides[0] == 0:
            return True
        if name == "polygon" and sides and not any(sides):
            return True
    return False


def _cuts(said: Mapping[str, str], side: str) -> bool:
    return any(
        said.get(name, "").startswith(("hidden", "clip")) for name in ("overflow", f"overflow-{side}" if side else "")
    )


def _is_empty(said: Mapping[str, str]) -> bool:
    """Whether overflow is hidden, and the box has no height or width, nor padding or the like that gives it one."""
    return _FILLS.isdisjoint(said) and any(
        _cuts(said, side) and any(_is_nothing(said.get(name)) for name in (size, f"max-{size}"))
        for side, size in (("y", "height"), ("x", "width"))
    )


def _is_nothing(value: str | None) -> bool:
    """Whether a length is 0, or too small for a line."""
    if not value or not value[0].isdigit():
        return False
    lengths = _lengths(value)
    return len(lengths) == 1 and lengths[0][0] <= (NO_PIXELS if lengths[0][1] else 0.0)


def _calls(said: Mapping[str, str]) -> list[tuple[str, str]]:
    return _CALL.findall(said.get("transform", said.get("-webkit-transform", "")))


def _is_scaled(said: Mapping[str, str]) -> bool:
    calls = _calls(said)
    factors = [values for name, values in calls if name.startswith("scale")] + [said.get("scale", "")]
    if any(length == 0 for values in factors for length, _ in _lengths(values)[:2]):
        return True
    matrices = [[length for length, _ in _lengths(values)[:2]] for name, values in calls if name.startswith("matrix")]
    return [0.0, 0.0] in matrices


# The other ways to hide an element, each with the properties of which one has to be declared.
_TESTS = (
    (frozenset(("clip", "clip-path", "-webkit-clip-path")), _is_clipped, CLIPPED),
    (
        frozenset(("position", "text-indent", "transform", "-webkit-transform")),
        _is_off_screen,
        OFF_SCREEN,
    ),
    (frozenset(("overflow", "overflow-x", "overflow-y")), _is_empty, NO_SIZE),
    (frozenset(("transform", "-webkit-transform", "scale")), _is_scaled, SCALED),
)


def _has_size(said: Mapping[str, str]) -> bool | None:
    """Whether the font has a visible size, or None without a declaration."""
    value = said.get("font-size")
    if value is None:
        font = said.get("font")
        found = re.search(r"(?:^|\s)([\d.]+(?:px|pt|em|rem|%)?)(?:\s*/|\s)", font) if font else None
        value = found[1] if found else None
    if value is None or value.startswith(("calc", "var", "clamp", "min", "max", "inherit", "unset")):
        return None
    lengths = _lengths(value)
    if not lengths:
        return True
    length, is_pixels = lengths[0]
    return length >= MIN_FONT if is_pixels else length >= MIN_RELATIVE


def _text_colour(said: Mapping[str, str]) -> Colour | None:
    """Return the colour of texts, or None without a declaration, or if another property makes them visible."""
    shows = "text" in (said.get("background-clip"), said.get("-webkit-background-clip")) or "text-shadow" in said
    fill = said.get("-webkit-text-fill-color", said.get("color"))
    if fill is None:
        return None
    return (0, 0, 0, 1.0) if shows else colour(fill)


def _background(said: Mapping[str, str]) -> Colour | str | None:
    """Return the background colour, "image" if it is unknown, or None without a declaration."""
    value = said.get("background-color") or said.get("background")
    if "url(" in said.get("background", "") or said.get("background-image", "none") != "none":
        return "image"
    if value is None or value in ("none", "transparent", "inherit", "initial", "unset"):
        return None
    found = colour(value)
    if found is None:
        words = value.split()
        found = next((each for each in map(colour, words) if each is not None), None)
    if found is None:
        return "image"
    return found if found[3] > 1 - MIN_OPACITY else "image" if found[3] else None


def colour(value: str) -> Colour | None:
    """Return a colour by its name, its hexadecimal digits or its components, or None."""
    value = value.strip().lower()
    if value == "transparent":
        return (0, 0, 0, 0.0)
    if value in _NAMED:
        red, green, blue = _NAMED[value]
        return red, green, blue, 1.0
    if value.startswith("#"):
        return _hexadecimal(value[1:])
    found = _CALL.fullmatch(value)
    if found is None or found[1] not in ("rgb", "rgba", "hsl", "hsla"):
        return None
    parts = [float(number + power) * (2.55 if unit == "%" else 1) for number, power, unit in _NUMBER.findall(found[2])]
    if len(parts) not in (3, 4):
        return None
    alpha = parts[3] / (255 if parts[3] > 1 else 1) if len(parts) == 4 else 1.0
    if found[1].startswith("hsl"):
        return (0, 0, 0, 0.0) if alpha < MIN_OPACITY else None
    red, green, blue = (int(min(max(part, 0.0), 255.0)) for part in parts[:3])
    return red, green, blue, alpha


def _hexadecimal(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if not _HEXADECIMAL.fullmatch(digits):
        return None
    parts = bytes.fromhex(digits)
    return parts[0], parts[1], parts[2], parts[3] / 255 if len(parts) == 4 else 1.0


def looks_same(one: Colour, other: Colour) -> bool:
    """Whether a reader cannot distinguish two colours."""
    return abs(one[0] - other[0]) <= SAME and abs(one[1] - other[1]) <= SAME and abs(one[2] - other[2]) <= SAME


MAX_CSS = 500_000  # bytes of style sheets
MAX_RULES = 500  # rules that may hide something

_CLASS, _ID = ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]
_SELECTOR = pattern(r"([a-zA-Z][\w-]*)?((?:[.#]-{0,2}[^\W\d][\w-]*)*)")
_NAMES = pattern(r"([.#])(-{0,2}[^\W\d][\w-]*)")
_ELEMENT = pattern(r"[a-zA-Z][\w-]*")
_COMBINATORS = pattern(r"[\s>+~]+")
_SCREEN = pattern(r"(?:only\s+)?(?:screen|all)")
_PSEUDO_ELEMENT = pattern(r"::|:(?:before|after|first-line|first-letter)\b")
_CLOSED = b"\n}}}\n"  # after a style sheet, to close its open blocks


_Element = tuple[str, str | None, frozenset[str]]  # the name, id and classes of an element, for simple selectors


def _element(page: Page, row: int) -> _Element:
    return page.tag_name(row), page.attribute(row, "id"), frozenset((page.attribute(row, "class") or "").split())


def _names_of(element: _Element) -> set[str]:
    """Return the classes and the id of an element as in selectors."""
    _, own_id, classes = element
    return {f".{name}" for name in classes} | ({f"#{own_id}"} if own_id else set())


class Selector(NamedTuple):
    """A simple selector."""

    tag: str
    classes: tuple[str, ...]
    id: str
    names: frozenset[str]  # the classes and the id, as in selectors
    key: str  # the name by which elements are searched, as in selectors

    @property
    def weight(self) -> tuple[int, int, int]:
        """The specificity, which decides between conflicting rules."""
        return int(bool(self.id)), len(self.classes), int(bool(self.tag))

    def fits(self, element: _Element) -> bool:
        """Whether the selector matches an element."""
        tag, own_id, classes = element
        if (self.tag and tag != self.tag) or (self.id and own_id != self.id):
            return False
        return not self.classes or classes.issuperset(self.classes)


class _Rules:
    """The rules of a page for some names."""

    def __init__(self) -> None:
        self.simple: list[tuple[Selector, dict[str, str]]] = []
        self.conditional: dict[str, set[str]] = {}  # the properties set under a condition, by name
        self.by_name: dict[str, list[int]] = {}  # the simple rules by name

    def order(self) -> None:
        """Sort the simple rules by specificity, the highest last."""
        self.simple.sort(key=lambda rule: rule[0].weight)
        for number, (selector, _) in enumerate(self.simple):
            for name in selector.names or (selector.tag,):
                self.by_name.setdefault(name, []).append(number)

    def declared(self, element: _Element, keys: set[str]) -> dict[str, str]:
        """Return the declarations of the simple rules, in order, for an element that was found by some names.

        Properties that another rule sets under a condition are left out.
        """
        said: dict[str, str] = {}
        changing = {name for key in keys for name in self.conditional.get(key, ())}
        named = {number for name in (element[0], *_names_of(element)) for number in self.by_name.get(name, ())}
        for number in sorted(named):
            selector, declared = self.simple[number]
            if selector.fits(element):
                said |= declared
            elif not keys.isdisjoint(selector.names):
                changing |= declared.keys()
        return {name: value for name, value in said.items() if name not in changing}


def style_sheets(page: Page, rows: list[int], asked: list[int]) -> bytes:
    """Return the text of the `style` elements `rows`, and of those in `asked` that are for screens.

    The text has no comments, and open blocks are closed at the end of each element, as in browsers.
    """
    seen = sorted([*rows, *(row for row in asked if _is_for_screens(page, row))])
    css: bytes = kernel.page.visibility.style_sheet(page, seen, _CLOSED, MAX_CSS)
    return css


def _is_for_screens(page: Page, row: int) -> bool:
    """Whether a `style` element is for screens after the page has loaded."""
    sort, media = page.attribute(row, "type"), page.attribute(row, "media")
    return (
        (not sort or sort.strip().lower() == "text/css")
        and (not media or _is_screen(media))
        and page.attribute(row, "amp-boilerplate") is None
    )


def _is_screen(media: str) -> bool:
    """Whether one of the media stands for all screens."""
    return any(_SCREEN.fullmatch(each.strip().lower()) for each in media.split(","))


def _named(page: Page, by_name: dict[str, list[Selector]], holds: bytearray) -> Iterator[tuple[int, list[Selector]]]:
    """Yield the rows of a mask with each of the names, which are written as in selectors, and the name's selectors."""
    for mark, attribute in ((".", _CLASS), ("#", _ID)):
        words = {name[1:].encode(): named for name, named in by_name.items() if name.startswith(mark)}
        if words:
            yield from kernel.page.visibility.named_rows(page, holds, attribute, words)
    for name, named in by_name.items():
        if name[0] not in ".#":
            yield from ((row, named) for row in page.rows(name).tolist() if holds[row])


class Sheet:
    """The style sheets of a page. Rules count if they are in no block, or in a block for screens.

    Blocks that have been read are cached by their position.
    """

    def __init__(self, page: Page, css: bytes) -> None:
        self.page = page
        self.css = css
        self._cases: dict[int, str | None] = {-1: ""}
        self._hiding: dict[int, list[Selector]] = {}  # the simple selectors of rules that may hide something
        self._declared: dict[int, dict[str, str]] = {}
        self._elements: dict[int, _Element] = {}  # by their rows

    @classmethod
    def of(cls, page: Page, rows: list[int], asked: list[int]) -> Sheet | None:
        """Return the style sheets of a page, given its `style` elements as to `style_sheets`; None without any."""
        css = style_sheets(page, rows, asked)
        return cls(page, css) if css else None

    def rules_of(self, holds: bytearray) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the rows, of those in a mask, that a simple rule may hide, with what all simple rules declare."""
        rows = self._hidden_rows(holds)
        if not rows:
            return
        elements = {row: self._element(row) for row in rows}
        named = {selector.key for selectors in rows.values() for selector in selectors}
        rules = self._about(named, set(elements.values()))
        rules.order()
        told: dict[_Element, dict[str, str]] = {}
        for row, selectors in sorted(rows.items()):
            element = elements[row]
            if element not in told:
                told[element] = rules.declared(element, {selector.key for selector in selectors})
            yield row, told[element]

    def _hidden_rows(self, holds: bytearray) -> dict[int, list[Selector]]:
        """Return the rows, of those in a mask, that a simple rule may hide by itself, each with such selectors."""
        found: dict[int, list[Selector]] = {}
        by_name: dict[str, list[Selector]] = {}
        for selector in self._selectors_for(holds):
            by_name.setdefault(selector.key, []).append(selector)
        for row, named in _named(self.page, by_name, holds):
            element = self._element(row)
            fitting = [selector for selector in named if selector.fits(element)]
            if fitting:
                found.setdefault(row, []).extend(fitting)
        return found

    def _selectors_for(self, holds: bytearray) -> list[Selector]:
        """Return the simple selectors of rules that may hide rows of a mask."""
        found: list[Selector] = []
        blocks = kernel.page.visibility.hiding_blocks(self.css, self.page, holds, MAX_RULES)
        for head, begin, around, end, is_plain in blocks:
            if self._case(around) != "":
                continue
            if begin not in self._hiding:
                selectors = [each for each in map(_simple, self._selectors(head, begin)) if each]
                hides = selectors and (is_plain or may_hide(look_of(self._declarations(begin, end))))
                self._hiding[begin] = selectors if hides else []
            found += self._hiding[begin]
        return list(dict.fromkeys(found))[:MAX_RULES]

    def _element(self, row: int) -> _Element:
        if row not in self._elements:
            self._elements[row] = _element(self.page, row)
        return self._elements[row]

    def _declarations(self, begin: int, end: int) -> dict[str, str]:
        """Return the declarations of a block."""
        if begin not in self._declared:
            self._declared[begin] = declarations(_text(self.css[begin + 1 : end]))
        return self._declared[begin]

    def _about(self, keys: set[str], elements: set[_Element]) -> _Rules:
        """Return the rules for some elements, which are searched by some names.

        These are the simple rules that match elements or have one of the names, and the properties that other rules for
        these names set.
        """
        rules = _Rules()
        names = keys.union(*map(_names_of, elements))
        tags = {"", *(element[0] for element in elements)}
        for selectors, begin, around, named in self._naming(keys, names, tags):
            case = self._case(around)
            said: dict[str, str] | None = None
            for selector in selectors if case is not None else ():
                simple = _simple(selector) if case == "" else None
                if simple is None:
                    about = named & keys & _last_names(selector)
                    if not about:
                        continue
                elif keys.isdisjoint(simple.names) and (simple.tag not in tags or not simple.names <= names):
                    continue
                if said is None:
                    said = self._declarations(begin, self.css.find(b"}", begin))
                if simple is not None:
                    rules.simple.append((simple, said))
                    continue
                for name in about:
                    rules.conditional.setdefault(name, set()).update(said)
        return rules

    def _naming(self, keys: set[str], names: set[str], tags: set[str]) -> list[tuple[list[str], int, int, set[str]]]:
        """Return the selectors for keys, and simple ones for names or elements, with their rules and the names.

        Each name is in the last part of its selector.
        """
        words: dict[bytes, set[str]] = {}
        for name in names:
            if word := name.lstrip(".#").encode():
                words.setdefault(word, set()).add(name)
        looked_for, elements = {name.lstrip(".#").encode() for name in keys}, {tag.encode() for tag in tags if tag}
        return kernel.page.visibility.naming_blocks(self.css, looked_for, words, elements, MAX_RULES)

    def _selectors(self, start: int, begin: int) -> list[str]:
        """Return the selectors from a position up to the block of their rule."""
        head = self.css[start:begin].strip()
        return [] if head.startswith(b"@") else [each.strip() for each in _text(head).split(",")]

    def _case(self, block: int) -> str | None:
        """Return the condition of the rules in a block: "" for every screen, None if no reader meets it."""
        if block not in self._cases:
            start = max(self.css.rfind(each, 0, block) for each in (b"{", b"}", b";")) + 1
            rule, _, case = _text(self.css[start:block]).strip().lower().partition(" ")
            self._cases[block] = "" if rule == "@media" and _is_screen(case) else case or rule
            if rule.endswith("keyframes") or rule in ("@font-face", "@page") or case.strip() == "print":
                self._cases[block] = None
        return self._cases[block]


def _text(css: bytes) -> str:
    return css.decode("utf-8", "replace")


def _simple(selector: str) -> Selector | None:
    """Return a selector if it is simple, otherwise None."""
    found = _SELECTOR.fullmatch(selector)
    if found is None or not selector:
        return None
    tag, names = (found[1] or "").lower(), _NAMES.findall(found[2])
    classes = tuple([name for mark, name in names if mark == "."])
    ids = [name for mark, name in names if mark == "#"]
    if len(ids) > 1:
        return None
    key = f"#{ids[0]}" if ids else f".{classes[0]}" if classes else tag
    return Selector(tag, classes, ids[0] if ids else "", frozenset(map("".join, names)), key)


def _last_names(selector: str) -> set[str]:
    """Return the names in the last part of a selector, which matches the elements."""
    last = _COMBINATORS.split(selector)[-1]
    if _PSEUDO_ELEMENT.search(last):  # it is not part of the element's content
        return set()
    element = _ELEMENT.match(last)
    return {mark + name for mark, name in _NAMES.findall(last)} | ({element[0].lower()} if element else set())


def may_hide(said: Look) -> bool:
    """Whether an element with this look may be hidden."""
    return (
        said.way != SHOWN
        or said.visible is False
        or said.has_size is False
        or (said.colour is not None and (said.colour[3] < MIN_OPACITY or _is_same(said.colour, said.background)))
    )


def _is_same(text: Colour, behind: Colour | str | None) -> bool:
    return isinstance(behind, tuple) and looks_same(text, behind)
