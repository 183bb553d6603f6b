"""Build the report of a page: the article by each method, or the records, with every unit and its fate.

A rendered page has its picture, and its units their boxes in it. The lines of the Markdown are aligned with the units:
both are in the same order, so one pass is enough.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from pagesieve.api import check_sites, find_article, page_source, parsed_references
from pagesieve.article import Article, ArticleOptions, Html
from pagesieve.errors import BadInput, MissingExtra, NothingFound, PagesieveError
from pagesieve.fetching.options import RenderOptions
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.report.data import Box, Line, Picture, Report, Unit, View
from pagesieve.report.source import redraw
from pagesieve.text.whitespace import cut
from pagesieve.writing import write_heading

if TYPE_CHECKING:
    from pagesieve.page.rendered import RenderedPage
    from pagesieve.records.results import Records
    from pagesieve.sites.library import Sites

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
