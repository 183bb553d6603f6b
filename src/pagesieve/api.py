"""The functions that people call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from pagesieve.article import Article
from pagesieve.articles.blocks_with_site import sharpened
from pagesieve.articles.data import by_data, fuller_data
from pagesieve.articles.kind import Kind
from pagesieve.articles.kind import kind as page_kind
from pagesieve.articles.layout import LayoutOptions, layout
from pagesieve.articles.lineblocks import LineBlockOptions, lineblocks
from pagesieve.articles.model import BlockModel, blocks_by_model
from pagesieve.articles.model import shipped as shipped_blocks
from pagesieve.articles.reverse import ReverseOptions, region, reverse
from pagesieve.articles.svm import SvmModel, shipped
from pagesieve.articles.template import SvmOptions, template
from pagesieve.errors import BadInput, BadModel, BadOption, MissingExtra, NothingFound
from pagesieve.headlines.catalogue import Catalogue, find_catalogue
from pagesieve.headlines.headline import find_headline
from pagesieve.page.filetypes import other_than_page
from pagesieve.page.kernel.tags import tag_ids
from pagesieve.page.lines import Blocks
from pagesieve.page.partial import Partial, parse_part
from pagesieve.page.stated import canonical_url
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.results import Records
from pagesieve.selection import Selection
from pagesieve.sites.outlines import Outline
from pagesieve.sites.templates import TemplateOptions
from pagesieve.text.whitespace import fold
from pagesieve.writing import WriterOptions

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

Html = str | bytes | bytearray | Page
Format = Literal["text", "markdown", "html", "json"]
Favor = Literal["precision", "recall"]

FORMATS = ("text", "markdown", "html", "json")
FAVORS = ("precision", "recall")

# How far a wish for precision or recall moves a method's threshold: times, and plus.
_FAVORED = {None: 1.0, "precision": 1.5, "recall": 0.6}
_GAINS = {None: 2.0, "precision": 3.0, "recall": 1.4}
_MARGINS = {None: 0.0, "precision": 0.3, "recall": -0.3}

HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
HEADING_DEPTH = 8  # elements between a heading and its text, at most
HEADLINE_LINES = 5  # of a headline, at most
BEGINNING = 20  # blocks at the start of an article, among which its headline may stand


@dataclass(frozen=True, slots=True)
class _Given:
    """What a method may use besides the page."""

    favor: str | None = None
    references: Sequence[Page] = ()
    sites: Sites | None = None
    model: SvmModel | BlockModel | None = None


def _by_layout(page: Page, given: _Given) -> Selection:
    """By comparison with the reference given, or with the pages that the library has of the site."""
    return layout(page, *_siblings(page, given))


def _by_sharpened(page: Page, given: _Given) -> Selection:
    """By the block model, and the same comparison."""
    references, alike = _siblings(page, given)
    return sharpened(page, _block_model(given), references, given.favor, alike)


def _siblings(page: Page, given: _Given) -> tuple[Sequence[Page | Outline], LayoutOptions]:
    """What a page is compared with, and how."""
    if given.references:
        return given.references, LayoutOptions()
    if given.sites is None:
        raise NothingFound("no reference page and no site library given")
    # What the library has of the site is of the site; only a reference given by hand has to show that it is.
    known = [reference.outline for reference in given.sites.reference(_url(page), page)]
    return known, replace(LayoutOptions(), least_alike=0.0)


def _by_template(page: Page, given: _Given) -> Selection:
    """By the templates that the library has of the site, and the support vector machine."""
    if given.sites is None:
        raise NothingFound("no site library given")
    templates = given.sites.templates(_url(page))
    if not templates:
        raise NothingFound("the library knows no template of the site")
    return template(page, _svm(given), templates, _svm_options(given))


def _by_svm(page: Page, given: _Given) -> Selection:
    return template(page, _svm(given), options=_svm_options(given))


def _svm(given: _Given) -> SvmModel:
    return given.model if isinstance(given.model, SvmModel) else shipped()


def _svm_options(given: _Given) -> SvmOptions:
    return replace(SvmOptions(), threshold=_MARGINS[given.favor])


def _url(page: Page) -> str:
    """The address of a page, which its site is known by."""
    url = page.url or canonical_url(page)
    if not url:
        raise NothingFound("the site of a page is known by its url, and none is given")
    return url


def _by_blocks(page: Page, given: _Given) -> Selection:
    return blocks_by_model(page, _block_model(given), given.favor)


def _block_model(given: _Given) -> BlockModel:
    return given.model if isinstance(given.model, BlockModel) else shipped_blocks()


def _by_lineblocks(page: Page, given: _Given) -> Selection:
    options = LineBlockOptions()
    return lineblocks(page, replace(options, threshold=round(options.threshold * _FAVORED[given.favor])))


def _by_records(page: Page, given: _Given) -> Selection:
    """By the records of a page."""
    from pagesieve.records.static import records_text

    return records_text(page)


def _by_data(page: Page, given: _Given) -> Selection:
    """By what the page's JSON-LD or scripts hold."""
    return by_data(page)


def _by_reverse(page: Page, given: _Given) -> Selection:
    return reverse(page)


def _part(html: Html, url: str | None, given: _Given) -> tuple[Page, Partial]:
    """The part of a page that holds the article, parsed alone."""
    if isinstance(html, Page):
        raise BadInput("reverse reads the source of a page: give it as text or bytes, not parsed")
    _check_url(url)
    source = _source(html)
    options = replace(ReverseOptions(), gain=_GAINS[given.favor])
    return parse_part(source, url, lambda tape: region(tape, options))


METHODS: dict[str, Callable[[Page, _Given], Selection]] = {
    "sharpened": _by_sharpened,
    "layout": _by_layout,
    "template": _by_template,
    "svm": _by_svm,
    "blocks": _by_blocks,
    "data": _by_data,
    "reverse": _by_reverse,
    "records": _by_records,
    "lineblocks": _by_lineblocks,
}
SITE_METHODS = ("sharpened", "layout", "template")  # those that know the site
# Those that a model of one's own can be given to, and what it is.
MODELS: dict[str, type[SvmModel] | type[BlockModel]] = {
    "auto": BlockModel,
    "sharpened": BlockModel,
    "blocks": BlockModel,
    "template": SvmModel,
    "svm": SvmModel,
}
# Who answers for `auto`: the first that can. But where it finds a teaser and the data hold all of the article, `data`.
AUTO = ("sharpened", "blocks", "data")


def open_sites(path_or_url: str | Path, *, template_life: int = 200) -> Sites:
    """Opens a site library, and makes it where there is none: a SQLite file by its path, PostgreSQL by database URL.

    A template that was not seen for `template_life` pages of its site no longer counts: sites are redesigned.
    """
    try:
        from pagesieve.sites.library import Sites
    except ImportError as error:
        raise MissingExtra("a site library", "sites") from error
    return Sites(path_or_url, template_options=TemplateOptions(life=template_life))


def extract(html: Html, url: str | None = None, *, format: Format = "text", **as_article: object) -> str | None:
    """The article of a page as text, Markdown, HTML or JSON; None where nothing is found.

    The other options are those of `article`.
    """
    _check("format", format, FORMATS)
    try:
        found = article(html, url, **as_article)  # type: ignore[arg-type]
    except NothingFound:
        return None
    return found.as_json() if format == "json" else str(getattr(found, format))


def article(
    html: Html,
    url: str | None = None,
    *,
    method: str = "auto",
    reference: Html | Sequence[Html] | None = None,
    sites: Sites | None = None,
    model: str | Path | BlockModel | SvmModel | None = None,
    favor: Favor | None = None,
    external: Sequence[str] = (),
    include_comments: bool = False,
    include_tables: bool = True,
    include_links: bool = False,
    include_images: bool = False,
) -> Article:
    """The article of a page: body, headline, facts, and a decision about every block.

    `html` is text, bytes (the encoding is found) or a Page. `method` is `auto` or the name of a method. `reference` is
    another page of the same site, or several; `sites` a library that has learnt the site (see `open_sites`), which
    needs `url`; `model` a file that `pagesieve train` wrote, in place of the one that comes with Pagesieve; `external`
    what other pages call this one (see `headline`). Raises NothingFound where the page holds no article; never returns
    None.
    """
    _check("method", method, ("auto", *METHODS))
    if favor is not None:
        _check("favor", favor, FAVORS)
    if model is not None and method not in MODELS:
        raise BadOption(f"model: {', '.join(MODELS)} take one, not {method}")
    if isinstance(sites, str | Path):
        raise BadInput(f"sites is an open library, not its name: open_sites({str(sites)!r})")
    given = _Given(favor, _references(reference), sites, _model(model, method))
    page, partial = _part(html, url, given) if method == "reverse" else (_page(html, url), None)
    name, selection = _automatic(page, given) if method == "auto" else _select(page, (method,), given)
    title = find_headline(page, _titles(external)) if partial is None else None
    return Article(
        page=selection.blocks.page,
        selection=_without_headline(selection, title) if title is not None else selection,
        headline=title,
        method=name,
        options=WriterOptions(links=include_links, images=include_images, tables=include_tables),
        include_comments=include_comments,
        whole=partial or (page if selection.blocks.page is not page else None),
        external=_titles(external),
    )


def headline(html: Html, url: str | None = None, external: Sequence[str] = ()) -> str:
    """The headline of a page as it stands there, blanks folded; empty where the page has none.

    `external` is what other pages call it: the titles that a catalogue page has for its address.
    """
    return find_headline(_page(html, url), _titles(external))


def _titles(given: Sequence[str]) -> Sequence[str]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(title, str) for title in given):
        raise BadInput("external is a sequence of titles, each a str")
    return given


def catalogue(html: Html, url: str | None = None) -> Catalogue:
    """The article links of a page that lists articles: `links` with their titles, and `next_url` where it goes on.

    `url` is the page's own address, which its links are relative to; without it, the one that the page names counts.
    Raises BadInput where there is none. A page without such links has none: `links` is empty.
    """
    page = _page(html, url)
    address = page.url or canonical_url(page)
    if not address:
        raise BadInput("links are made absolute by the url of their page, and none is given")
    return find_catalogue(page, address)


def records(html: Html | None, url: str | None = None, mode: str = "auto", *, region: str = "best") -> Records:
    """The records of a page (search results, a thread, a list): `records` with their text and items, and `to_rows()`.

    `mode` is `static` (without a browser), `visual` (as a browser shows the page), or `auto`: static, but with a
    browser where one is installed and the page holds no records before its scripts have run; `mode` of the result says
    which it was. `html` None opens `url` in a browser. `region` chooses where the records are: `best`, or `paper` for
    the rule of the paper. Raises NothingFound where nothing on the page recurs.
    """
    from pagesieve.records.find import RecordOptions, find_records

    options = RecordOptions(mode, region)
    _check_url(url)
    if html is None:
        if url is None:
            raise BadInput("neither a page nor the url of one is given")
        return find_records(None, url, options)
    return find_records(_page(html, url) if isinstance(html, Page) else _source(html), url, options)


def kind(html: Html, url: str | None = None) -> Kind:
    """What kind of page this is: `article` (one main thing), `catalogue` (links to articles), `records`, or `other`."""
    return page_kind(_page(html, url))


def _check(option: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadOption(f"{option} is one of {', '.join(known)}, not {value!r}")


def _references(given: Html | Sequence[Html] | None) -> list[Page]:
    if given is None:
        return []
    if isinstance(given, str | bytes | bytearray | Page):
        return [_page(given, None)]
    if not isinstance(given, Iterable):
        raise BadInput(f"reference is a page or several, not {type(given).__name__}")
    return [_page(html, None) for html in given]


def _model(given: str | Path | BlockModel | SvmModel | None, method: str) -> BlockModel | SvmModel | None:
    if given is None:
        return None
    sort = MODELS[method]
    if isinstance(given, sort):
        return given
    if not isinstance(given, str | Path):
        raise BadInput(f"model is a path, or a {sort.__name__} for {method}, not {type(given).__name__}")
    try:
        about = Path(given).stat()
    except (OSError, ValueError) as error:
        raise BadModel(f"{given}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return _read_model(method, str(given), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _read_model(method: str, path: str, changed: int, size: int) -> BlockModel | SvmModel:
    """A model from its file, read again only when that has changed."""
    return MODELS[method].load(path)


def _automatic(page: Page, given: _Given) -> tuple[str, Selection]:
    """The answer of `auto`, and who gave it: those that know the site only where there is something to know."""
    knows = given.references or given.sites is not None
    name, selection = _select(page, tuple(name for name in AUTO if knows or name not in SITE_METHODS), given)
    fuller = fuller_data(page, selection) if name != "data" else None
    return (name, selection) if fuller is None else ("data", fuller)


def _select(page: Page, names: tuple[str, ...], given: _Given) -> tuple[str, Selection]:
    """The first method that can answer, and its answer."""
    reasons = []
    for name in names:
        try:
            return name, METHODS[name](page, given)
        except NothingFound as error:
            if len(names) == 1:
                raise
            reasons.append(f"{name}: {error}")
    raise NothingFound("; ".join(reasons))


def _page(html: Html, url: str | None) -> Page:
    """What was given as a page; one that was parsed before takes the address that is given now."""
    _check_url(url)
    if isinstance(html, Page):
        return html if url in (None, html.url) else replace(html, url=url)
    return parse(_source(html), url)


def _source(html: str | bytes | bytearray) -> str | bytes:
    """What was given as a page's source; bytes that are something else are refused."""
    if not isinstance(html, bytes | bytearray):
        return html
    html = bytes(html)
    if other := other_than_page(html):
        raise BadInput(f"not a page but {other}")
    return html


def _check_url(url: object) -> None:
    if url is None:
        return
    if not isinstance(url, str):
        raise BadInput(f"url is a str, not {type(url).__name__}")
    try:
        url.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"url is not text: {url!r}") from error


def _without_headline(selection: Selection, title: str) -> Selection:
    """The selection less the blocks that only repeat the headline, unless nothing else is kept."""
    kept = np.flatnonzero(selection.kept).tolist()
    dropped = frozenset(kept).intersection(_headline_blocks(selection.blocks, kept, title)) if title else frozenset()
    return selection.without(dropped, "the headline") if 0 < len(dropped) < len(kept) else selection


def _headline_blocks(blocks: Blocks, kept: list[int], title: str) -> Iterator[int]:
    """The blocks that are the headline: in a heading wherever it stands, elsewhere before anything longer."""
    squeezed, chars = "".join(title.split()), blocks.chars
    start = max(0, kept[0] - HEADLINE_LINES)  # its first lines may have been dropped already
    beginning = takewhile(lambda k: k < kept[0] or chars[k] <= len(squeezed), range(start, len(blocks)))
    for k in islice(beginning, BEGINNING):
        yield from _spelling(blocks, range(k, min(k + HEADLINE_LINES, len(blocks))), squeezed)
    for k in np.flatnonzero(chars == len(squeezed)).tolist():
        if _in_heading(blocks.page, int(blocks.rows[blocks.starts[k]])):
            yield from _spelling(blocks, range(k, k + 1), squeezed)


def _in_heading(page: Page, row: int) -> bool:
    for _ in range(HEADING_DEPTH):
        row = int(page.parent[row])
        if row < 0 or page.tag[row] in HEADINGS:
            return row >= 0
    return False


def _spelling(blocks: Blocks, numbers: range, squeezed: str) -> list[int]:
    """The first of some blocks, as many as it takes to spell a text without its blanks; none where they do not."""
    rest, taken = squeezed, list[int]()
    for k in numbers:
        # The whole line costs more to read than its first text, which tells most lines apart.
        first = blocks.rows[blocks.starts[k]]
        if blocks.chars[k] > len(rest) or not rest.startswith(_squeezed(blocks.page.text(first))):
            break
        line = _squeezed(blocks.text(k))
        if not line or not rest.startswith(line):
            break
        rest = rest[len(line) :]
        taken.append(k)
        if not rest:
            return taken
    return []


def _squeezed(text: str) -> str:
    """A text without its blanks."""
    return "".join(fold(text).split())
