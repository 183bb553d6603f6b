"""Build the report of a page: the article by each method, or the records, with every unit and its fate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from pagesieve.api import check_sites, find_article, page_source, parsed_references
from pagesieve.article import Article, ArticleOptions, Html
from pagesieve.errors import BadInput, NothingFound, PagesieveError
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.report.alignment import align
from pagesieve.report.data import Line, Picture, Report, Unit, View
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
    """Return the picture of a page, made smaller; None if there is none. Raises MissingExtra without Pillow."""
    if not png:
        return None
    from pagesieve.report.boxes import as_picture

    return as_picture(png)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a view: its number in the report, and the picture on which it may be drawn."""

    number: int
    picture: Picture | None

    def shown(self, page: Page, units: Sequence[Unit]) -> tuple[tuple[Unit, ...], str]:
        """Return units with their places in the picture, or else the source of the page with units marked."""
        if self.picture is not None and page.rendered:
            from pagesieve.report.boxes import placed

            return placed(page, units, self.picture), ""  # type: ignore[arg-type]
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
