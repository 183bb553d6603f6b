"""Decide whether CSS declarations, in a `style` attribute or a rule, hide an element.

Only the declarations themselves count, without sizes that depend on a layout, and without variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import NOT_DISPLAYED, SHOWN
from pagesieve.text.patterns import pattern

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
