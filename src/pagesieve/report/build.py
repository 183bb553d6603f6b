"""The data of a report: the article by each method, or the records, with every unit of the page and its fate.

A rendered page has its picture, and its units their boxes in it. The lines of the Markdown are aligned with the units:
both are in the same order, so one pass is enough.
"""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagesieve.api import check_sites, find_article, page_source, parsed_references
from pagesieve.article import Article, ArticleOptions, Html
from pagesieve.errors import BadInput, MissingExtra, NothingFound, PagesieveError
from pagesieve.fetching.options import RenderOptions
from pagesieve.page.kernel.tags import BLOCK, FOREIGN, IMAGE, TEXT
from pagesieve.page.lines import nearest
from pagesieve.page.static import PageSource
from pagesieve.page.table import HIDDEN, UNSEEN, Ints, Page
from pagesieve.selection import Fate
from pagesieve.text.whitespace import cut
from pagesieve.writing import write_heading

if TYPE_CHECKING:
    from pagesieve.page.rendered import RenderedPage
    from pagesieve.records.results import Records
    from pagesieve.sites.library import Sites


class Box(NamedTuple):
    """A rectangle of the picture, in pixels."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a page: a block, a record, an item of one, or text that belongs to no record."""

    id: int  # from 0, in the order of the page; unique in a view
    rows: tuple[int, ...]  # of the page, each with what is below it
    fate: Fate
    kept: bool
    reason: str
    text: str  # the beginning of its text
    numbers: Mapping[str, float] = field(default_factory=dict)  # on which the decision rests
    name: str = ""  # of an item, its column's
    parent: int | None = None  # of an item, the record that holds it
    box: Box | None = None  # its place in the picture, if the picture shows it

    def as_dict(self) -> dict[str, Any]:
        """Return the unit ready for JSON."""
        return {
            "id": self.id,
            "rows": list(self.rows),
            "fate": self.fate,
            "kept": self.kept,
            "reason": self.reason,
            "numbers": dict(self.numbers),
            "text": self.text,
            "name": self.name,
            "parent": self.parent,
            "box": self.box and self.box._asdict(),
        }


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result in Markdown, and its units."""

    text: str
    units: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """The result of one method."""

    asked: str  # the requested method, or `table` for the records
    method: str  # the method that found the article, or the mode of the records
    units: tuple[Unit, ...]
    result: tuple[Line, ...]  # in Markdown
    title: str = ""
    notes: tuple[str, ...] = ()
    source: str = ""  # the page's own source, redrawn, with units marked; empty if the picture shows the page
    failure: str = ""  # why there is no result
    has_own_page: bool = False  # rows are not those of the page, but of a part of it, or of its data

    @property
    def markdown(self) -> str:
        """The result in Markdown."""
        return "\n".join(line.text for line in self.result)

    def as_dict(self) -> dict[str, Any]:
        """Return the view ready for JSON. `source` is HTML of `div`, `span` and `br` alone, safe to insert."""
        return {
            "asked": self.asked,
            "method": self.method,
            "title": self.title,
            "notes": list(self.notes),
            "failure": self.failure,
            "has_own_page": self.has_own_page,
            "units": [unit.as_dict() for unit in self.units],
            "lines": [{"text": line.text, "units": list(line.units)} for line in self.result],
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a page, as a browser shows it."""

    data: bytes
    media_type: str
    width: int
    height: int

    @property
    def url(self) -> str:
        """The picture as a data URL."""
        return f"data:{self.media_type};base64,{b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class Report:
    """The results of several methods for one page."""

    name: str  # the file or address of the page
    url: str | None
    views: tuple[View, ...]
    picture: Picture | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The headline; without one, the name of the page."""
        return next((view.title for view in self.views if view.title), self.name)

    @property
    def is_empty(self) -> bool:
        """Whether no method found anything."""
        return all(view.failure for view in self.views)

    def as_dict(self) -> dict[str, Any]:
        """Return the report ready for JSON; the picture is a data URL."""
        picture = self.picture
        image = picture and {"width": picture.width, "height": picture.height, "url": picture.url}
        return {
            "name": self.name,
            "url": self.url,
            "title": self.title,
            "notes": list(self.notes),
            "picture": image,
            "views": [view.as_dict() for view in self.views],
        }


TABLE = "table"  # the view of the records; a method is called records, too
SNIPPET = 240  # characters of a unit's text
MAX_UNITS = 5000  # of a view: nobody reads more, and browsers become slow
QUALITY = 80  # of the picture, of 100
MIN_SIDE = 2  # pixels of a box that is seen
EXTRA = "browser"
AHEAD = 60  # units that are looked at for a line
MIN_LETTERS = 8  # letters of a unit that counts wherever it stands in a line, not only at its beginning

_NOT_TEXT = re.compile(r"^\s*(?:[-*+>#|\s]|\d+[.)]\s)*|\[\^[^\[\]]*\]:?|\]\([^)\s\]]*\)")  # marks, notes, addresses


@dataclass(frozen=True, slots=True)
class Render:
    """A page as a browser shows it, and the picture of it (PNG)."""

    page: RenderedPage
    png: bytes


def build_report(
    html: Html | PageSource | Render,
    url: str | None = None,
    *,
    methods: Sequence[str] = ("auto",),
    records: bool = False,
    reference: Html | Sequence[Html] | None = None,
    sites: Sites | None = None,
    options: ArticleOptions | None = None,
    name: str | None = None,
) -> Report:
    """Return a report on a page: the results of some methods, and the fate of every unit with the reason.

    `html` is a page as `article` takes it, one that is not parsed yet, or one with its picture (Render). `methods` are
    names of methods or `auto`; with `records` the table of records is one more view, after them. `reference`, `sites`
    and `options` are those of `article`; `name` is the name of the page. A method that finds nothing has a view
    with the failure.
    """
    check_sites(sites)
    references = parsed_references(reference)
    source = _source(html, url)
    picture = read_picture(html.png) if isinstance(html, Render) else None
    chosen = options or ArticleOptions()
    views = list[View]()
    for method in dict.fromkeys(methods):
        wanted = replace(chosen, method=method)
        views.append(_article_view(source, wanted, references, sites, _Place(len(views), picture)))
    if records:
        views.append(_records_view(source, _Place(len(views), picture)))
    if not views:
        raise BadInput("a report needs a method, or records")
    is_shown = any(not view.source and not view.failure for view in views)
    return Report(
        name=name or source.page.url or "page",
        url=source.page.url,
        views=tuple(views),
        picture=picture if is_shown else None,
        notes=source.page.notes,
    )


def _source(html: Html | PageSource | Render, url: str | None) -> PageSource:
    if isinstance(html, PageSource):
        return html
    return page_source(html.page if isinstance(html, Render) else html, url)


def read_picture(png: bytes) -> Picture | None:
    """Return the picture of a page as WebP, which takes a tenth of the space; None if there is none.

    Raises MissingExtra without Pillow.
    """
    if not png:
        return None
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra("the picture of a page", EXTRA) from error
    image = Image.open(io.BytesIO(png)).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY)
    return Picture(buffer.getvalue(), "image/webp", image.width, image.height)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a view: its number in the report, and the picture on which it may be drawn."""

    number: int
    picture: Picture | None

    def shown(self, page: Page, units: Sequence[Unit]) -> tuple[tuple[Unit, ...], str]:
        """Return units with their places in the picture, or else the source of the page with units marked."""
        if self.picture is not None and page.rendered:
            return _placed(page, units, self.picture), ""  # type: ignore[arg-type]
        return tuple(units), redraw(page, units, f"v{self.number}-", whole=len(units) < MAX_UNITS)


def _article_view(
    source: PageSource, options: ArticleOptions, references: Sequence[Page], sites: Sites | None, place: _Place
) -> View:
    try:
        article = find_article(source, options, references=references, sites=sites)
    except (NothingFound, BadInput) as error:  # as of a method that needs the source, given a rendered page
        return _failed(options.method, error)
    blocks = article.selection.blocks
    texts = list(map(blocks.text, range(min(len(blocks), MAX_UNITS))))
    units = [
        Unit(
            id=number,
            rows=tuple(blocks.rows_of(number).tolist()),
            fate=decision.fate,
            kept=decision.kept,
            reason=decision.reason,
            text=cut(text, SNIPPET),
            numbers=decision.numbers,
        )
        for number, (text, decision) in enumerate(zip(texts, article.selection.decisions(), strict=False))
    ]
    placed, drawn = place.shown(article.page, units)
    lines = _lines(article, texts, units)
    return View(
        asked=options.method,
        method=article.method,
        units=placed,
        result=lines,
        title=article.title,
        notes=(*article.notes, *_note(len(units), len(blocks))),
        source=drawn,
        has_own_page=article.whole is not None,
    )


def _lines(article: Article, texts: Sequence[str], units: Sequence[Unit]) -> tuple[Line, ...]:
    """Return the headline and the body in Markdown, each line with the units that it is made of."""
    headlines = tuple(unit.id for unit in units if unit.fate == "headline")
    head = [Line(write_heading([article.title], 1), headlines), Line("")] if article.title else []
    lines = article.markdown.split("\n")
    numbers = [unit.id for unit in units if unit.kept]
    taken = align(lines, [texts[number] for number in numbers])
    body = [Line(line, tuple(numbers[k] for k in each)) for line, each in zip(lines, taken, strict=True)]
    return (*head, *body)


def _failed(name: str, error: PagesieveError) -> View:
    return View(name, name, (), (), failure=str(error))


# Records


def _records_view(source: PageSource, place: _Place) -> View:
    from pagesieve.records.find import RecordOptions, find_records

    mode = "auto" if source.page.rendered else "static"
    try:
        table = find_records(source.page, source.url, RecordOptions(mode))
    except NothingFound as error:
        return _failed(TABLE, error)
    units = list(islice(record_units(table), MAX_UNITS))
    placed, drawn = place.shown(table.page, units)
    records = [unit.id for unit in units if unit.fate == "record"]
    lines = tuple(Line(text, (records[k],) if k is not None and k < len(records) else ()) for text, k in _table(table))
    notes = (*table.notes, *_note(len(records), len(table), "records"))
    return View(TABLE, table.mode, placed, lines, notes=notes, source=drawn)


def _note(shown: int, count: int, what: str = "units") -> tuple[str, ...]:
    return (f"the first {shown:,} of {count:,} {what} are shown",) if shown < count else ()


def record_units(table: Records) -> Iterator[Unit]:
    """Yield the records, each followed by its items, and the noise among them, in the order of the page."""
    page, count, number = table.page, len(table), 0
    parts = [(rows, k) for k, rows in enumerate(table.segmentation.records)]
    parts += [((row,), -1) for row in table.segmentation.noise if page.text_chars[row] > 0]
    for rows, k in sorted(parts):
        record = number
        if k < 0:
            text = cut(" ".join(page.text(rows[0]).split()), SNIPPET)
            yield Unit(record, rows, "rule", False, "in the list, but in no record", text)
            number += 1
            continue
        numbers = {"record": k + 1, "of": count}
        text = cut(" ".join(table.records[k].text.split()), SNIPPET)
        yield Unit(record, rows, "record", True, f"record {k + 1} of {count}", text, numbers)
        number += 1
        for item in table.records[k].items:
            in_column = item in table.table.records[k]
            reason = f"{item.name}: {item.type}" if in_column else "in no column: the same in nearly all records"
            text = cut(item.text or item.link or "", SNIPPET)
            yield Unit(number, item.rows, "item", in_column, reason, text, numbers, item.name, record)
            number += 1


def _table(table: Records) -> Iterator[tuple[str, int | None]]:
    """Yield the lines of the table in Markdown, each with the number of its record."""
    yield _table_row(table.header), None
    yield "|" + " --- |" * len(table.header), None
    for k, row in enumerate(table.to_rows()):
        yield _table_row(["" if value is None else value for value in row.values()]), k


def _table_row(cells: Sequence[str]) -> str:
    escaped = (" ".join(cell.split()).replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


# Pictures


def render(given: PageSource | str, *, allow_private: bool = False, user_agent: str | None = None) -> Render:
    """Return a page as Chromium shows it, and its picture: of a URL, opened through the guard, or of a source.

    The scripts of a source do not run, and nothing is loaded for it. Raises MissingExtra or MissingBrowser where there
    is no browser, RenderError where it fails.
    """
    from pagesieve.fetching.chromium import shared

    options = RenderOptions(allow_private=allow_private, user_agent=user_agent)
    if isinstance(given, str):
        shot = shared().snapshot(None, given, options, picture=True)
    else:
        html = given.html
        assert not isinstance(html, Page)
        shot = shared().snapshot(
            bytes(html) if isinstance(html, bytearray) else html,
            given.url,
            replace(options, scripts=False),
            content_type=given.content_type,
            picture=True,
        )
    return Render(shot.page(), shot.png)


def _placed(page: RenderedPage, units: Sequence[Unit], picture: Picture) -> tuple[Unit, ...]:
    """Return units with their boxes in the picture; units that it does not show have none."""
    return tuple(replace(unit, box=_box(page, unit, picture)) for unit in units)


def _box(page: RenderedPage, unit: Unit, picture: Picture) -> Box | None:
    from pagesieve.records.picture import outline

    box = outline(page, unit.rows)
    if box is None:
        return None
    left, top = max(box.left, 0.0), max(box.top, 0.0)
    right, bottom = min(box.right, float(picture.width)), min(box.bottom, float(picture.height))
    if right - left < MIN_SIDE or bottom - top < MIN_SIDE:
        return None
    return Box(left, top, right - left, bottom - top)


# Lines


def align(lines: Sequence[str], texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each line the numbers of the texts in it, possibly none."""
    rest = [_letters(text) for text in texts]
    matches: list[tuple[int, ...]] = []
    at = 0
    for line in lines:
        taken = _taken(_letters(_NOT_TEXT.sub("", line)), rest, at)
        matches.append(tuple(taken))
        if taken:
            at = taken[-1] + (not rest[taken[-1]])
    return matches


def _taken(line: str, rest: list[str], at: int) -> list[int]:
    """Return the texts of a line from a position on, and remove from `rest` the part of them that is in the line."""
    taken: list[int] = []
    for k in range(at, min(at + AHEAD, len(rest))):
        if not line:
            break
        text = rest[k]
        place = line.find(text) if text else -1
        if place == 0 or (place > 0 and len(text) >= MIN_LETTERS):
            taken.append(k)
            line, rest[k] = line[place + len(text) :], ""
        elif text.startswith(line):
            taken.append(k)
            line, rest[k] = "", text[len(line) :]
    return taken


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which Markdown does not change."""
    return "".join(filter(str.isalnum, text))


MAX_DEPTH = 200  # elements inside each other that are written; browsers stop at 512

# The source of a page, drawn again: only its text, in boxes and spans. No markup of the page is copied. The output has
# only the elements `div`, `span` and `br`, which a browser's parser never moves, with classes of our own for the kinds
# of elements. Attributes of the page are not written, except the alternative text of an image or the value of a form
# field, as text. So nothing of the page can run, load, or leave the report.

# What elements look like, by their names; others are plain boxes or nothing.
_LOOKS = {name: name for name in "h1 h2 h3 h4 h5 h6 li dd pre blockquote table tr a code hr sub sup".split()}
_LOOKS |= {"td": "cell", "th": "cell head", "figcaption": "small", "caption": "small", "small": "small", "tt": "code"}
_LOOKS |= {**dict.fromkeys(("b", "strong", "dt"), "strong"), **dict.fromkeys(("i", "em", "cite"), "em"), "kbd": "code"}
_LOOKS |= dict.fromkeys(("input", "button", "select", "textarea", "option"), "control")
_WORDS = {"img": ("alt",), "input": ("value", "placeholder")}  # the attributes that stand in for an element


def redraw(page: Page, units: Sequence[Unit], prefix: str = "", whole: bool = True) -> str:
    """Return the page as HTML, with `data-unit` on the elements of each unit, and an id on the first of them.

    It ends with the last unit if it is not to be drawn whole.
    """
    return _Writer(page, units, prefix, whole).written()


class _Writer:
    """Writes the rows of a page in order."""

    def __init__(self, page: Page, units: Sequence[Unit], prefix: str, whole: bool) -> None:
        self._page, self._prefix = page, prefix
        ways = page.hidden_by  # of what is hidden, units are drawn: they are not shown for a reason that can be read
        visibility = page.visibility if ways is None else np.where(ways > 0, HIDDEN, page.visibility)
        # Lists, since every row is asked about.
        self._seen: list[int] = visibility.tolist()
        self._tag: list[int] = page.tag.tolist()
        self._end: list[int] = page.end.tolist()
        self._flags: list[int] = page.tag_flags.tolist()
        self._units = {unit.id: unit for unit in units}
        self._marks = _marks(page, units)
        self._begun: set[int] = set()  # the units of which something is written
        self._parts: list[str] = []
        marked = np.zeros(len(page) + 1, dtype=np.int64)
        marked[1:][[row for unit in units for row in unit.rows]] = 1
        self._stop = len(page) if whole else max((row + 1 for unit in units for row in unit.rows), default=len(page))
        self._before: list[int] = np.cumsum(marked).tolist()  # how many rows of units stand before each row

    def written(self) -> str:
        """Write all rows."""
        ends = list[tuple[int, str]]()
        row = 1
        while row < self._stop:
            while ends and row >= ends[-1][0]:
                self._parts.append(ends.pop()[1])
            row = self._row(row, ends)
        self._parts += [closing for _, closing in reversed(ends)]
        return "".join(self._parts)

    def _row(self, row: int, ends: list[tuple[int, str]]) -> int:
        """Write one row, as far as it is visible; return the next."""
        page = self._page
        if self._tag[row] == TEXT:
            self._text(row)
            return row + 1
        end, flags = self._end[row], self._flags[row]
        has_units = self._before[end] > self._before[row]
        if self._seen[row] == UNSEEN or (self._seen[row] == HIDDEN and not has_units):
            return end
        name = page.tag_name(row)
        if name == "br":
            self._parts.append("<br>")
            return end
        if end == row + 1 or (not has_units and (flags & (FOREIGN | IMAGE) or name in _WORDS)):
            self._leaf(row, name, flags)
            return end
        if len(ends) < MAX_DEPTH:
            opening, closing = self._tags(row, name, flags)
            if opening:
                self._parts.append(opening)
                ends.append((end, closing))
        return row + 1

    def _text(self, row: int) -> None:
        page = self._page
        if self._seen[row] == UNSEEN:
            return
        text = escape(page.text(row).replace("\0", ""), quote=False)
        if row in self._marks:
            opening, closing = self._wrapped("span", row, "")
            self._parts.append(f"{opening}{text}{closing}")
        elif self._seen[row] != HIDDEN or not text.strip():
            self._parts.append(text)

    def _leaf(self, row: int, name: str, flags: int) -> None:
        """Write an element without text of its own: an empty box for an image, a field of a form, a rule."""
        page, is_image = self._page, bool(flags & (IMAGE | FOREIGN))
        if not is_image and name not in ("input", "hr", "td", "th") and row not in self._marks:
            return
        if name == "input" and (page.attribute(row, "type") or "").lower() == "hidden":
            return
        words = next(filter(None, (page.attribute(row, each) for each in _WORDS.get(name, ()))), "").strip()
        look = "image" if is_image else _LOOKS.get(name, "")
        opening, closing = self._wrapped("div" if flags & BLOCK else "span", row, look)
        self._parts.append(f"{opening}{escape(words.replace(chr(0), ''))}{closing}")

    def _tags(self, row: int, name: str, flags: int) -> tuple[str, str]:
        """Return the start and end tags for an element; empty if it needs none."""
        look = _LOOKS.get(name, "")
        if self._seen[row] == HIDDEN and self._seen[self._page.parent[row]] != HIDDEN:
            look = f"{look} hidden".strip()
        if not flags & BLOCK and not look and row not in self._marks:
            return "", ""
        return self._wrapped("div" if flags & BLOCK else "span", row, look)

    def _wrapped(self, tag: str, row: int, look: str) -> tuple[str, str]:
        """Return the tags around what is in a row: one element, or one for each unit that the row is of."""
        classes = [f"p-{each}" for each in look.split()]
        units = self._marks.get(row)
        if units is None:
            plain = f' class="{" ".join(classes)}"' if classes else ""
            return f"<{tag}{plain}>", f"</{tag}>"
        opening = ""
        for unit in units:
            begins = f' id="{self._prefix}u{unit}"' if unit not in self._begun else ""
            self._begun.add(unit)
            opening += f'<{tag}{begins} class="{" ".join(["unit", *classes])}"{fate_attributes(self._units[unit])}>'
            classes = []
        return opening, f"</{tag}>" * len(units)


def fate_attributes(unit: Unit) -> str:
    """Return the attributes for the unit of an element and its fate."""
    return f' data-unit="{unit.id}" data-fate="{unit.fate}"{" data-kept" if unit.kept else ""}'


def _marks(page: Page, units: Sequence[Unit]) -> dict[int, list[int]]:
    """Return the rows that are to be marked, and the units they are of: a record that is one item is both.

    A block is marked by the element that holds it and nothing of another, or else by each of its texts.
    """
    texts = np.zeros(len(page) + 1, dtype=np.int64)
    texts[1:] = page.chars > 0
    texts[1:][[row for unit in units for row in unit.rows if page.tag[row] == TEXT]] = 1
    before = np.cumsum(texts)
    around = nearest(page, (page.tag_flags & BLOCK) > 0)
    marks: dict[int, list[int]] = {}
    for unit in units:
        holder = _holder(page, unit.rows, before, around)
        for row in unit.rows if holder is None else (holder,):
            marks.setdefault(row, []).append(unit.id)
    return marks


def _holder(page: Page, rows: tuple[int, ...], before: NDArray[np.int64], around: Ints) -> int | None:
    """Return the innermost block element around some texts and no others; None if there is none.

    `around` has the innermost block element at or around each row.
    """
    if not all(page.tag[row] == TEXT for row in rows):
        return None
    row = int(around[rows[0]])
    while row > 0 and page.end[row] <= rows[-1]:
        row = int(around[page.parent[row]])
    return row if row > 0 and before[page.end[row]] - before[row] == len(rows) else None
