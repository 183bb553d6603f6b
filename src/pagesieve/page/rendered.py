"""A page as a browser renders it: the node table with the box, the styles and the paint order of each row.

It is built from one snapshot (DOMSnapshot.captureSnapshot of Chromium's protocol), which `fetching/chromium.py` takes.
The rows are those of the browser's tree after its scripts have run, with shadow trees where they are shown. Generated
content (::before, list markers), the inside of frames and the content of `template` are left out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pagesieve.arrayfile import FileSort, Spec
from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, ATTRIBUTES, COMMENT, DOCTYPE, DOCUMENT, TAG_ID, TAGS, TEXT
from pagesieve.page.styles import (
    FONT_SIZE,
    MIN_FONT,
    MIN_OPACITY,
    OPACITY,
    RULE_VISIBILITY,
    TRANSPARENT,
    colour,
)
from pagesieve.page.table import Bools, Ints, Page, are_offsets, frozen

Floats = NDArray[np.float32]

# The styles that table 1 of the method compares, and those that decide whether a row is visible. A shorthand such as
# `padding` has one value for four sides.
STYLES = (
    *("color", "font-style", "font-size", "font-weight", "font-family"),
    *("padding", "border-width", "border-style", "margin", "box-sizing"),
    *("display", "position", "float", "left", "top", "overflow", "vertical-align", "text-align"),
    *("background-color", "background-image", "background-position", "background-repeat", "background-size"),
    *("opacity", "visibility", "z-index", "clip", "clip-path", "text-indent"),
)
STYLE_ID = {name: number for number, name in enumerate(STYLES)}
QUESTION = {"computedStyles": list(STYLES), "includePaintOrder": True}  # the parameters of captureSnapshot

DEFAULT_FONT_SIZE = 16.0  # of browsers, for pages without text

_OPAQUE = (0, 0, 0, 1.0)
_NODE_TYPES = {3: TEXT, 4: TEXT, 7: COMMENT, 8: COMMENT, 9: DOCUMENT, 10: DOCTYPE}  # by the DOM's node types


@dataclass(frozen=True, eq=False, kw_only=True)
class RenderedPage(Page):
    """A page with the boxes and styles of its rows in a browser. Build it with `pagesieve.fetching.chromium`."""

    box: Floats = field(repr=False)  # rows x 4: x, y, width, height in pixels of the document; NaN: not laid out
    style: Ints = field(repr=False)  # rows x STYLES: numbers of style_values, -1: not laid out; of a text, its parent's
    style_values: tuple[str, ...] = field(repr=False)
    paint: Ints = field(repr=False)  # rows with larger numbers are painted later, over the others; -1: not laid out
    line_at: Ints = field(repr=False)  # rows + 1 offsets into `line`
    line: Floats = field(repr=False)  # the boxes of text rows, one for each of its lines
    size: tuple[float, float]  # of the document
    viewport: tuple[float, float]
    missing_styles: int = 0  # style sheets of the page that could not be loaded

    rendered: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"<Rendered{super().__repr__()[1:]}"

    def style_of(self, row: int, name: str) -> str | None:
        """Return the computed value of one style of a row, or None if the row is not laid out."""
        if name not in STYLE_ID:
            raise BadInput(f"the style {name!r} is not kept; those that are: {', '.join(STYLES)}")
        number = int(self.style[row, STYLE_ID[name]])
        return None if number < 0 else self.style_values[number]

    def style_column(self, name: str) -> Ints:
        """Return one style of all rows, as indices into `style_values`."""
        return self.style[:, STYLE_ID[name]]

    def pixels(self, name: str) -> Floats:
        """Return one style of all rows in pixels (or as a plain number), with NaN for values that are not numbers."""
        numbers = np.array([*map(_number, self.style_values), np.nan], dtype=np.float32)
        return numbers[self.style_column(name)]

    @cached_property
    def laid_out(self) -> Bools:
        """Whether each row has a box."""
        return self.paint >= 0

    @cached_property
    def base_font_size(self) -> float:
        """The font size of most of the page's text, in pixels."""
        texts = np.flatnonzero(self.laid_out & (self.tag == TEXT) & (self.chars > 0))
        if not len(texts):
            return DEFAULT_FONT_SIZE
        sizes, which = np.unique(self.pixels("font-size")[texts], return_inverse=True)
        return float(sizes[np.bincount(which, weights=self.chars[texts]).argmax()])

    def hidden_by_browser(self) -> Iterator[tuple[Bools, int]]:
        """Yield the rows that computed styles hide by opacity, font size, visibility or colour, and the way."""
        clear = self._with_style("opacity", lambda value: _number(value) < MIN_OPACITY)
        hidden = np.zeros(len(self), dtype=np.bool_)
        for row in np.flatnonzero(clear & (self.tag != TEXT)).tolist():
            hidden[row : self.end[row]] = True
        yield hidden, OPACITY
        yield self._with_style("visibility", lambda value: value != "visible"), RULE_VISIBILITY
        yield self._with_style("font-size", lambda value: _number(value) < MIN_FONT), FONT_SIZE
        yield self._with_style("color", lambda value: (colour(value) or _OPAQUE)[3] < MIN_OPACITY), TRANSPARENT

    def _with_style(self, name: str, is_hiding: Callable[[str], bool]) -> Bools:
        """Return the rows for which a function of a style's value is true."""
        values = np.array([*map(is_hiding, self.style_values), False], dtype=np.bool_)
        found: Bools = values[self.style_column(name)]
        return found

    # Saving and loading

    _SAVED: ClassVar[FileSort] = Page._SAVED._replace(name="a saved page of a browser")
    _SPECS: ClassVar[dict[str, Spec]] = {
        **Page._SPECS,
        "box": Spec("float32", 2, finite=False),  # NaN where a row is not laid out
        "style": Spec("int32", 2),
        "paint": Spec("int32", 1),
        "line_at": Spec("int32", 1),
        "line": Spec("float32", 2, finite=False),
    }

    def _facts(self) -> dict[str, Any]:
        shown = {"size": self.size, "viewport": self.viewport, "missing_styles": self.missing_styles}
        return super()._facts() | {"rendered": shown | {"styles": STYLES, "style_values": self.style_values}}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return super()._arrays() | {name: getattr(self, name) for name in self._SPECS.keys() - Page._SPECS.keys()}

    @classmethod
    def _fields(cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        shown = facts["rendered"]
        if tuple(shown["styles"]) != STYLES:
            raise ValueError("other styles")
        return super()._fields(facts, arrays) | {
            **{name: arrays[name] for name in cls._SPECS.keys() - Page._SPECS.keys()},
            "style_values": tuple(map(str, shown["style_values"])),
            "size": _pair(shown["size"]),
            "viewport": _pair(shown["viewport"]),
            "missing_styles": int(shown["missing_styles"]),
        }

    def fault(self) -> str | None:
        """Return what is wrong with the columns, or None."""
        return super().fault() or _fault(self)


def _fault(page: RenderedPage) -> str | None:
    rows = len(page)
    if page.box.shape != (rows, 4) or page.style.shape != (rows, len(STYLES)) or page.paint.shape != (rows,):
        return "boxes or styles that do not fit the rows"
    if ((page.style < -1) | (page.style >= len(page.style_values))).any():
        return "styles that are not there"
    if (np.isnan(page.box).any(axis=1) != (page.paint < 0)).any():
        return "boxes of rows that are not laid out"
    offsets = page.line_at
    if len(offsets) != rows + 1 or page.line.ndim != 2 or page.line.shape[1] != 4:
        return "lines that do not fit the rows"
    if not are_offsets(offsets, len(page.line)):
        return "lines out of order"
    return None


def _pair(numbers: Any) -> tuple[float, float]:
    first, second = numbers
    return float(first), float(second)


def _number(value: str) -> float:
    try:
        return float(value.removesuffix("px"))
    except ValueError:
        return float("nan")


def from_snapshot(
    snapshot: Mapping[str, Any],
    url: str | None = None,
    *,
    viewport: tuple[float, float] = (0.0, 0.0),
    encoding: str = "utf-8",
    encoding_why: str = "browser",
    notes: tuple[str, ...] = (),
    missing_styles: int = 0,
) -> RenderedPage:
    """Build the page of a snapshot that was requested with QUESTION. Raise BadInput if it is not a snapshot."""
    try:
        reader = _Reader(snapshot)
        fields = reader.table() | reader.looks()
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadInput(f"not a snapshot of a page ({type(error).__name__}: {error})") from error
    return RenderedPage(
        **fields,
        viewport=viewport,
        missing_styles=missing_styles,
        url=url,
        encoding=encoding,
        encoding_why=encoding_why,
        notes=notes,
    )


class _Reader:
    """Converts the lists of a snapshot to columns, with vectorised operations."""

    def __init__(self, snapshot: Mapping[str, Any]) -> None:
        self.document = snapshot["documents"][0]
        self.nodes = self.document["nodes"]
        # Chromium writes -1 for an empty string: index -1 finds this one.
        self.strings: list[str] = [*snapshot["strings"], ""]
        self.encoded = [string.encode("utf-8", "replace") for string in self.strings]
        self.lengths = np.fromiter(map(len, self.encoded), np.int32, len(self.encoded))
        kept = np.ones(len(self.nodes["parentIndex"]), dtype=np.bool_)
        kept[self.nodes["pseudoType"]["index"]] = False
        self.kept: NDArray[np.int64] = np.flatnonzero(kept)
        self.row_of: Ints = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)

    def column(self, name: str) -> Ints:
        """Return one column of the nodes, without nodes that are left out."""
        found: Ints = np.array(self.nodes[name], dtype=np.int32)[self.kept]
        return found

    def table(self) -> dict[str, Any]:
        """Return the columns and buffers that every page has."""
        parent = self.row_of[self.column("parentIndex")]
        parent[0] = -1
        depth, end = _nesting(parent.tolist())
        sort = self.column("nodeType")
        tag, more_tags = self.tags(sort)
        text_at, text_buffer = self.texts(tag)
        table = {
            "tag": frozen(tag),
            "parent": frozen(parent),
            "end": frozen(np.array(end, dtype=np.int32)),
            "depth": frozen(np.array(depth, dtype=np.int32)),
            "text_at": frozen(text_at),
            "text_buffer": text_buffer,
            "more_tags": more_tags,
            **self.attributes(),
        }
        return _without_invisible(table)

    def tags(self, sort: Ints) -> tuple[Ints, tuple[str, ...]]:
        """Return the number of each row's element or sort of row, and the names that are not in TAGS."""
        names = self.column("nodeName")
        numbers, more = self.numbers(names[sort == 1], TAG_ID, len(TAGS), is_tag=True)
        tag = numbers[names]
        for node_type, number in _NODE_TYPES.items():
            tag[sort == node_type] = number
        if (tag < 0).any():
            raise ValueError("a node of no known type")
        return tag, more

    def numbers(
        self, used: Ints, known: Mapping[str, int], first: int, is_tag: bool = False
    ) -> tuple[Ints, tuple[str, ...]]:
        """Return a number for each string that is used as a name, by the string's index; and the names that are new."""
        numbers = np.full(len(self.strings), -1, dtype=np.int32)
        more: dict[str, int] = {}
        for at in dict.fromkeys(used.tolist()):
            name = self.strings[at]
            if is_tag and name.isupper():  # an element of HTML; those of svg and math have small letters
                name = name.lower()
            number = known.get(name)
            numbers[at] = more.setdefault(name, first + len(more)) if number is None else number
        return numbers, tuple(more)

    def texts(self, tag: Ints) -> tuple[Ints, bytes]:
        """Return the offsets of the texts, and the buffer; a doctype is written as the static builder writes it."""
        at = np.where((tag == TEXT) | (tag == COMMENT), self.column("nodeValue"), -1)
        lengths = self.lengths[at]
        pieces = [self.encoded[k] for k in at.tolist()]
        names = self.column("nodeName")
        for row in np.flatnonzero(tag == DOCTYPE).tolist():
            pieces[row] = b"DOCTYPE " + self.encoded[names[row]]
            lengths[row] = len(pieces[row])
        return _offsets(lengths), b"".join(pieces)

    def attributes(self) -> dict[str, Any]:
        """Return the table of attributes, from one list for each node: name, value, name, value."""
        lists = [self.nodes["attributes"][node] for node in self.kept.tolist()]
        counts = np.fromiter(map(len, lists), np.int32, len(lists))
        flat = np.fromiter(chain.from_iterable(lists), np.int32, int(counts.sum()))
        names, values = flat[0::2], flat[1::2]
        numbers, more = self.numbers(names, ATTRIBUTE_ID, len(ATTRIBUTES))
        return {
            "attribute_at": frozen(_offsets(counts // 2)),
            "attribute_name": frozen(numbers[names]),
            "value_at": frozen(_offsets(self.lengths[values])),
            "value_buffer": b"".join([self.encoded[k] for k in values.tolist()]),
            "more_attributes": more,
        }

    def looks(self) -> dict[str, Any]:
        """Return the boxes, styles and paint order of the rows."""
        layout, rows = self.document["layout"], len(self.kept)
        bounds = np.array(layout["bounds"], dtype=np.float32).reshape(-1, 4)
        shown = self.row_of[np.array(layout["nodeIndex"], dtype=np.int32)]
        # A collapsed blank has an empty box at the corner of the page.
        shown[(bounds[:, 2] == 0) & (bounds[:, 3] == 0) & (self.column("nodeType")[shown] == 3)] = -1
        style, values = self.styles(layout["styles"])
        box, paint = np.full((rows, 4), np.nan, dtype=np.float32), np.full(rows, -1, dtype=np.int32)
        looks = np.full((rows, len(STYLES)), -1, dtype=np.int32)
        first = np.flatnonzero(shown >= 0)[::-1]  # of several boxes of a row, the first is written last
        box[shown[first]] = bounds[first]
        paint[shown[first]] = np.array(layout["paintOrders"], dtype=np.int32)[first]
        looks[shown[first]] = style[first]
        size = float(self.document["contentWidth"]), float(self.document["contentHeight"])
        box[0], paint[0] = (0, 0, *size), 0  # Chromium returns that of the window
        line_at, line = self.lines(shown)
        return {
            "box": frozen(box),
            "style": frozen(looks),
            "style_values": values,
            "paint": frozen(paint),
            "line_at": frozen(line_at),
            "line": frozen(line),
            "size": size,
        }

    def styles(self, lists: list[list[int]]) -> tuple[Ints, tuple[str, ...]]:
        """Return the styles of each box as indices into the values that occur, and those values."""
        styled = np.fromiter(map(len, lists), np.int32, len(lists)) == len(STYLES)
        flat = np.fromiter(
            chain.from_iterable([styles for styles in lists if len(styles) == len(STYLES)]),
            np.int32,
            int(styled.sum()) * len(STYLES),
        )
        used = np.zeros(len(self.strings), dtype=np.bool_)
        used[flat] = True
        numbers = (np.cumsum(used) - 1).astype(np.int32)
        style = np.full((len(lists), len(STYLES)), -1, dtype=np.int32)
        style[styled] = numbers[flat].reshape(-1, len(STYLES))
        return style, tuple(self.strings[at] for at in np.flatnonzero(used).tolist())

    def lines(self, shown: Ints) -> tuple[Ints, Floats]:
        """Return the boxes of the lines of each text row."""
        boxes = self.document["textBoxes"]
        rows = shown[np.array(boxes["layoutIndex"], dtype=np.int32)]
        bounds = np.array(boxes["bounds"], dtype=np.float32).reshape(-1, 4)[rows >= 0]
        rows = rows[rows >= 0]
        counts = np.bincount(rows, minlength=len(self.kept)).astype(np.int32)
        return _offsets(counts), bounds[np.argsort(rows, kind="stable")]


def _nesting(parent: list[int]) -> tuple[list[int], list[int]]:
    """Return the depth of each row, and the row after its last descendant, from parents in document order."""
    depth, end = [0] * len(parent), list(range(1, len(parent) + 1))
    for row in range(1, len(parent)):
        depth[row] = depth[parent[row]] + 1
    for row in range(len(parent) - 1, 0, -1):
        above = parent[row]
        if end[row] > end[above]:
            end[above] = end[row]
    return depth, end


def _offsets(lengths: NDArray[Any]) -> Ints:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _without_invisible(table: dict[str, Any]) -> dict[str, Any]:
    """Return the columns and buffers of a page without the characters that no reader sees; scripts and styles stay.

    Where a builder of the kernel makes a page, it does the same. So methods and writers read what a reader reads.
    """
    text_at, value_at = table["text_at"].copy(), table["value_at"].copy()
    text = kernel.html.cleaning.texts(table["tag"], table["parent"], text_at, table["text_buffer"])
    values = kernel.html.cleaning.values(value_at, table["value_buffer"])
    return table | {
        "text_at": frozen(text_at),
        "text_buffer": text,
        "value_at": frozen(value_at),
        "value_buffer": values,
    }
