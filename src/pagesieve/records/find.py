"""Find the records of a page: without a browser, with one, or with one if the page needs it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pagesieve.errors import BadInput, BadOption, MissingExtra, NothingFound, PagesieveError, RenderError
from pagesieve.options import option
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.regions import best_list, segment
from pagesieve.records.results import Records

if TYPE_CHECKING:
    from pagesieve.fetching.chromium import Snapshot
    from pagesieve.fetching.options import RenderOptions
    from pagesieve.page.rendered import RenderedPage

MODES = ("auto", "visual", "static")
REGIONS = ("best", "paper")
MIN_TEXT = 400  # characters of a page with scripts: on a page with less, they write the rest


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """How to find the records of a page."""

    mode: str = option(
        "auto",
        "`static` uses no browser, `visual` always does, and `auto` only where there is one and the page holds no"
        " records before its scripts have run",
        MODES,
    )
    region: str = option(
        "best",
        "how to choose the part of the page that holds the records: the `best` list, or by the rule of the `paper`, in"
        " a browser",
        REGIONS,
    )
    render: RenderOptions | None = option(None, "how a browser shows the page")
    live: bool = False  # whether the browser opens the URL, and not the given source
    date: datetime | None = option(None, "when the page was read, which '3 hours ago' counts from")

    def __post_init__(self) -> None:
        for name, value, choices in (("mode", self.mode, MODES), ("region", self.region, REGIONS)):
            if value not in choices:
                raise BadOption(f"{name} is one of {', '.join(choices)}, not {value!r}")
        if self.region == "paper" and self.mode == "static":
            raise BadOption("region paper needs a rendered page, so it cannot be used with mode static")
        if self.scrolls and self.mode == "static":
            raise BadOption("to scroll needs a browser, so it cannot be used with mode static")

    @property
    def scrolls(self) -> bool:
        """Whether the page is scrolled, which needs a browser."""
        return self.render is not None and self.render.scroll > 0


DEFAULT = RecordOptions()


def find_records(
    html: str | bytes | Page | None,
    url: str | None,
    options: RecordOptions = DEFAULT,
    *,
    content_type: str | None = None,
) -> Records:
    """Return the records of a page, given as source or as a Page, or of a URL to open. Raise NothingFound if none."""
    records = _find(html, url, options, content_type)
    is_live = html is None or options.live
    return replace(records, date=options.date or (datetime.now(UTC) if is_live else None))


def _find(
    html: str | bytes | Page | None, url: str | None, options: RecordOptions, content_type: str | None
) -> Records:
    if isinstance(html, Page) and html.rendered:
        return find_visual(html, options) if options.mode != "static" else find_static(html)  # type: ignore[arg-type]
    if isinstance(html, Page):
        if options.mode == "visual":
            raise BadOption("mode visual renders a page in a browser, which needs its source: give text or bytes")
        return find_static(html)
    if html is None:
        shot = show(None, url, options)
        source, content_type = shot.source
        return find_visual(shot.page(), options, parse(source, shot.url, content_type=content_type))
    page = parse(html, url, content_type=content_type)
    if options.mode == "static":
        return find_static(page)
    if options.mode == "visual" or options.region == "paper" or options.scrolls:
        return _find_rendered(html, page, options)
    return _find_auto(html, page, options)


def find_static(page: Page, *notes: str) -> Records:
    """Return the records by the tree of the page alone; notes give the reason if a browser was requested."""
    return Records(page, segment(page), "static", remarks=(*page.notes, *notes))


def find_visual(page: RenderedPage, options: RecordOptions = DEFAULT, source: Page | None = None) -> Records:
    """Return the records by the look of the page in a browser.

    If the browser shows the page badly, the boxes of elements are not used. If the source holds a better list than the
    rendered page, or an equal one while the page is shown badly, the records are those of the source.
    """
    from pagesieve.records import paper, visual

    if options.region == "paper":
        return Records(page, paper.segment(page), "visual", remarks=page.notes)
    rendered, sourced = best_list(page), best_list(source) if source is not None else None
    if source is not None and sourced is not None and (rendered is None or rendered.is_poorer_than(sourced)):
        return find_static(source, *page.notes, "found in the source: the browser shows a poorer list, or none")
    visible = visual.is_visible(page)
    regions = visual.segment(page, visible)
    flaw = visual.flaw(page, regions[0], visible)
    if flaw is None:
        return Records(page, regions, "visual", remarks=page.notes)
    if source is not None and sourced is not None and rendered is not None and not sourced.is_poorer_than(rendered):
        return find_static(source, *page.notes, f"found in the source: {flaw}")
    return Records(page, segment(page), "visual", remarks=(*page.notes, f"found without boxes: {flaw}"))


def show(html: str | bytes | None, url: str | None, options: RecordOptions, picture: bool = False) -> Snapshot:
    """Render the page in the browser of this process. Scripts of a given source run without access to the network."""
    from pagesieve.fetching.chromium import shared
    from pagesieve.fetching.options import RenderOptions

    render = options.render or RenderOptions()
    if render.scripts is None:
        render = replace(render, scripts=True)
    return shared().snapshot(None if options.live else html, url, render, picture=picture)


def _find_rendered(html: str | bytes, page: Page, options: RecordOptions) -> Records:
    """Find the records of a page in a browser, or in its source if the browser fails."""
    try:
        rendered = show(html, page.url, options).page()
    except (BadInput, RenderError) as error:
        if options.region == "paper":
            raise
        with suppress(NothingFound):
            return find_static(page, f"found in the source: {error}")
        raise
    return find_visual(rendered, options, page)


def _find_auto(html: str | bytes, page: Page, options: RecordOptions) -> Records:
    """Find records without a browser, or with one if nothing is found or scripts write the page."""
    records, reason = None, NothingFound("the page has next to no text before its scripts run")
    try:
        records = find_static(page)
        if page.text_chars[0] >= MIN_TEXT or not len(page.rows("script")):
            return records
    except NothingFound as error:
        reason = error
    try:
        return _find_rendered(html, page, options)
    except MissingExtra as error:
        if records is None:
            raise NothingFound(f"{reason} (without a browser; with one there may be: {error})") from error
    except PagesieveError:  # a browser can fail in many ways on a page that was read well
        if records is None:
            raise
    return records
