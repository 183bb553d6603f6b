"""Finding the records of a page: without a browser, with one, or with one where the page asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagesieve.errors import BadOption, MissingExtra, NothingFound, PagesieveError
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.results import Records
from pagesieve.records.static import segment

if TYPE_CHECKING:
    from pagesieve.fetching.rendering import RenderOptions, Snapshot
    from pagesieve.page.rendered import RenderedPage

MODES = ("auto", "visual", "static")
REGIONS = ("best", "paper")
LITTLE_TEXT = 400  # characters on a page with scripts: they are to write the rest


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """How records are looked for: `mode` is one of MODES, `region` the rule that chooses the region."""

    mode: str = "auto"
    region: str = "best"
    render: RenderOptions | None = None  # how a browser shows the page
    live: bool = False  # it opens the url, rather than the source that was read from there

    def __post_init__(self) -> None:
        for name, value, known in (("mode", self.mode, MODES), ("region", self.region, REGIONS)):
            if value not in known:
                raise BadOption(f"{name} is one of {', '.join(known)}, not {value!r}")
        if self.region == "paper" and self.mode == "static":
            raise BadOption("region: the paper's rule goes by what a browser shows, so not with mode static")


DEFAULT = RecordOptions()


def find_records(
    html: str | bytes | Page | None,
    url: str | None,
    options: RecordOptions = DEFAULT,
    *,
    content_type: str | None = None,
) -> Records:
    """The records of a page given as source or as a Page, or of a URL that a browser opens. Raises NothingFound."""
    if is_rendered(html):
        return find_visual(html, options) if options.mode != "static" else find_static(html)  # type: ignore[arg-type]
    if isinstance(html, Page):
        if options.mode == "visual":
            raise BadOption("mode visual shows a page in a browser, which needs its source: give text or bytes")
        return find_static(html)
    if options.mode == "visual" or options.region == "paper" or html is None:
        return find_visual(show(html, url, options).page(), options)
    page = parse(html, url, content_type=content_type)
    return find_static(page) if options.mode == "static" else _find_auto(html, page, options)


def is_rendered(page: object) -> bool:
    """Whether a browser has seen the page. Known by its columns: to import the class would cost everybody's time."""
    return isinstance(page, Page) and hasattr(page, "box")


def find_static(page: Page) -> Records:
    """The records by the tree of the page alone."""
    return Records(page, segment(page), "static")


def find_visual(page: RenderedPage, options: RecordOptions = DEFAULT) -> Records:
    """The records by what the browser shows."""
    from pagesieve.records import paper, visual

    found = paper.segment(page) if options.region == "paper" else visual.segment(page)
    return Records(page, found, "visual")


def show(html: str | bytes | None, url: str | None, options: RecordOptions, picture: bool = False) -> Snapshot:
    """The page in the process's browser. The scripts of a source that is given run too, but reach nothing."""
    from pagesieve.fetching.chromium import shared
    from pagesieve.fetching.rendering import RenderOptions

    source = None if options.live else html
    return shared().snapshot(source, url, options.render or RenderOptions(scripts=True), picture=picture)


def _find_auto(html: str | bytes, page: Page, options: RecordOptions) -> Records:
    """Without a browser, unless nothing is found or the page is to be written by its scripts, and there is one."""
    found, reason = None, NothingFound("the page has next to no text before its scripts run")
    try:
        found = find_static(page)
        if not _is_unwritten(page):
            return found
    except NothingFound as error:
        reason = error
    try:
        return find_visual(show(html, page.url, options).page(), options)
    except MissingExtra as error:
        if found is None:
            raise NothingFound(f"{reason} (without a browser; with one there may be: {error})") from error
    except PagesieveError:  # a browser can fail in many ways where the page itself was read well
        if found is None:
            raise
    return found


def _is_unwritten(page: Page) -> bool:
    """Whether a page has next to no text, and scripts."""
    return int(page.text_chars[0]) < LITTLE_TEXT and len(page.rows("script")) > 0
