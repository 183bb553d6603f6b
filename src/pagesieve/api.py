"""The public functions: extract, article, headline, catalogue, records, kind, fetch and open_sites."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar, Unpack

from pagesieve.article import (
    FORMATS,
    Article,
    ArticleKeywords,
    ArticleOptions,
    Format,
    Html,
    OptionKeywords,
    check,
    page_facts,
    read_article,
    refuse_unknown,
)
from pagesieve.errors import BadInput, MissingExtra, NothingFound
from pagesieve.fetching import PAGE_ENDINGS
from pagesieve.headlines.headline import find_headline
from pagesieve.methods.registry import MethodInputs, load_model
from pagesieve.page.stated import address
from pagesieve.page.static import PageSource, check_url, other_than_page
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.urls import MAX_URL, is_url

if TYPE_CHECKING:
    from datetime import datetime

    from pagesieve.fetching.http import FetchOptions
    from pagesieve.fetching.options import RenderOptions
    from pagesieve.headlines.catalogue import Catalogue
    from pagesieve.kinds.kind import Kind
    from pagesieve.records.results import Records
    from pagesieve.records.schema import Schema
    from pagesieve.sites.library import Sites

_DEFAULTS = ArticleOptions()
_BYTES, _TEXTS, _NAMES = (
    (bytes, bytearray),
    (str, bytes),
    (str, Path),
)  # tuples: isinstance is faster with them than with unions
NO_PAGE = "give a page as html, or the url of one"

Given = ParamSpec("Given")
Result = TypeVar("Result")


def with_named_options(more: Collection[str] = ()) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Decorate a function so that the error for an unknown keyword suggests the most similar option.

    The options are the parameters of the function, and the names in `more` that it passes on.
    """

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        code = function.__code__
        known = dict.fromkeys((*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *more))

        @wraps(function)
        def call(*given: Given.args, **named: Given.kwargs) -> Result:
            if named and not named.keys() <= known.keys():
                refuse_unknown(function.__name__, named, known)
            return function(*given, **named)

        return call

    return decorate


@with_named_options()
def open_sites(path_or_url: str | Path, *, template_life: int = 200) -> Sites:
    """Open a site library: a SQLite file by its path, or a PostgreSQL database by its URL. Create it if necessary.

    A template that has not occurred on the last `template_life` pages of its site no longer counts, since sites are
    redesigned.
    """
    try:
        from pagesieve.sites.library import Sites
    except ImportError as error:
        raise MissingExtra("a site library", "sites") from error
    from pagesieve.sites.templates import TemplateOptions

    return Sites(path_or_url, template_options=TemplateOptions(life=template_life))


@with_named_options()
def fetch(url: str, *, browser: bool = False, options: FetchOptions | None = None) -> Page:
    """Fetch a page for the other functions, from public addresses only, within limits of size and time.

    If `browser` is true, Chromium loads the page and runs its scripts. `options` (of `pagesieve.fetching.http`) changes
    the limits and names a cache. Raise FetchError if the URL gives no page, AddressRefused if its address or the target
    of a redirect is not public, and MissingBrowser if no browser is installed.
    """
    check_url(url)
    if url is None:
        raise BadInput("fetch() needs a url")
    return _fetched(url, browser, options).page


def _fetched(url: str, browser: bool = False, options: FetchOptions | None = None) -> PageSource:
    from pagesieve.fetching.http import DEFAULT_OPTIONS
    from pagesieve.fetching.pages import fetch_page

    return fetch_page(url, browser=browser, options=options or DEFAULT_OPTIONS)


@with_named_options(ArticleKeywords.__annotations__)
def extract(
    html: Html | None = None,
    url: str | None = None,
    *,
    format: Format = "text",
    **as_article: Unpack[ArticleKeywords],
) -> str | None:
    """Return the article of a page as text, Markdown, HTML, JSON or TEI, or None if the page has no article.

    The other options are those of `article`. Without `html`, the page is fetched from `url`.
    """
    check("format", format, FORMATS)
    try:
        found = _article(html, url, **as_article)
    except NothingFound:
        return None
    return found.as_json() if format == "json" else str(getattr(found, format))


@with_named_options(OptionKeywords.__annotations__)
def article(
    html: Html | None = None,
    url: str | None = None,
    *,
    reference: Html | Sequence[Html] | None = None,
    sites: Sites | None = None,
    external: Sequence[str] = (),
    **options: Unpack[OptionKeywords],
) -> Article:
    """Return the article of a page: body, headline, facts, and a decision about every block.

    `html` is text, bytes (the encoding is detected) or a Page. If it is None, `fetch` loads the page from `url`;
    otherwise nothing is fetched. `method` is `auto` or the name of a method. `reference` is another page of the same
    site, or a sequence of them. `sites` is a library that has learnt the site (see `open_sites`); it needs `url`.
    `model` is a file that `pagesieve train` wrote, and replaces the shipped model. `favor` is `precision` or `recall`.
    `external` has the titles that other pages give this one (see `headline`). Raise NothingFound if the page has no
    article; the attribute `facts` of the error has the facts that the page states. The result is never None.
    """
    return _article(html, url, reference, sites, external, **options)


def _article(
    html: Html | None,
    url: str | None,
    reference: Html | Sequence[Html] | None = None,
    sites: Sites | None = None,
    external: Sequence[str] = (),
    **options: Unpack[OptionKeywords],
) -> Article:
    chosen = ArticleOptions(**options) if options else _DEFAULTS
    return find_article(page_source(html, url), chosen, parsed_references(reference), sites, external)


def _show_options() -> None:
    """Show the fields of ArticleOptions in the signature of `article`."""
    signature, named = inspect.signature(article), inspect.Parameter.KEYWORD_ONLY
    shown = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    shown += [inspect.Parameter(f.name, named, default=f.default, annotation=f.type) for f in fields(ArticleOptions)]
    article.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]


_show_options()


@stage("routing")
def find_article(
    source: PageSource,
    options: ArticleOptions,
    references: Sequence[Page] = (),
    sites: Sites | None = None,
    external: Sequence[str] = (),
) -> Article:
    """Return the article of a page that is not parsed yet, for `article`, the batch and the command line."""
    check_sites(sites)
    titles = checked_titles(external)
    inputs = MethodInputs(options.favor, references, sites, load_model(options.model, options.method))
    try:
        return read_article(source, options, inputs, titles)
    except NothingFound as error:
        error.read_facts = lambda: page_facts(source.page, titles)
        raise


@with_named_options()
def headline(html: Html | None = None, url: str | None = None, external: Sequence[str] = ()) -> str:
    """Return the headline as the page shows it, with white space folded, or an empty string if the page has none.

    `external` has the titles that other pages give this one, such as the texts of links to it on a catalogue page.
    Without `html`, the page is fetched from `url`.
    """
    return find_headline(page_source(html, url).page, checked_titles(external))


@with_named_options()
def catalogue(html: Html | None = None, url: str | None = None) -> Catalogue:
    """Return the article links of a page that lists articles: `links` with their titles, and `next_url`.

    `url` is the address of the page, which makes its links absolute; by default, it is the address that the page states
    as its own. Raise BadInput if neither is available. `links` is empty if the page has no article links. Without
    `html`, the page is fetched from `url`.
    """
    from pagesieve.headlines.catalogue import find_catalogue

    page = page_source(html, url).page
    own = address(page)
    if not own:
        raise BadInput("give the url of the page: its links are made absolute with it")
    return find_catalogue(page, own)


@with_named_options()
def records(
    html: Html | None = None,
    url: str | None = None,
    mode: str = "auto",
    *,
    region: str = "best",
    date: datetime | None = None,
    schema: Schema | str | Path | None = None,
    sites: Sites | None = None,
    render: RenderOptions | None = None,
) -> Records:
    """Return the records of a page (search results, a thread, a list): `records` with text and items, `to_rows()`.

    `mode` is `static` (without a browser), `visual` (as a browser shows the page), or `auto`: static first, then with a
    browser if one is installed and the page has no records, or next to no text, before its scripts run. The attribute
    `mode` of the result has the mode that was used, and `notes` the reason. If `html` is None, a browser opens `url`.
    `region` is the rule that chooses the list: `best`, or `paper` for the rule of the paper. `date` is the time when
    the page was read, from which "3 hours ago" is counted; by default, it is the date that the page states.

    `schema` is the schema of other pages (`Records.schema`), or the file in which it was saved. The table then has its
    columns, and `drift` lists what no longer fits. `sites` is a library that has learnt the site; it gives the list the
    same columns on each page. `render` (of `pagesieve.fetching.chromium`) has the options of the browser:
    `RenderOptions(scroll=3)` uses a browser, and scrolls up to three times to load more of a list. Raise NothingFound
    if nothing on the page recurs, or if no list fits the schema.
    """
    from pagesieve.records.find import RecordOptions, find_records

    options = RecordOptions(mode, region, render, date=date)
    given = checked_schema(schema, sites)
    if html is None:
        check_url(url)
        if url is None:
            raise BadInput(NO_PAGE)
        return with_columns(find_records(None, url, options), given, sites)
    source = page_source(html, url)
    found = find_records(source.page if isinstance(html, Page) else source.html, url, options)
    return with_columns(found, given, sites)


def checked_schema(schema: Schema | str | Path | None, sites: Sites | None) -> Schema | None:
    """Return the schema, read from its file if necessary. Raise BadInput if it is invalid, or if sites is set too."""
    check_sites(sites)
    if schema is None:
        return None
    if sites is not None:
        raise BadInput("the columns come from a schema or from a site library: give schema or sites, not both")
    from pagesieve.records.schema import Schema

    if isinstance(schema, str | Path):
        return Schema.load(schema)
    if not isinstance(schema, Schema):
        raise BadInput(f"schema is a Schema or the name of its file, not {type(schema).__name__}")
    return schema


def with_columns(found: Records, schema: Schema | None, sites: Sites | None) -> Records:
    """Return records with the columns of a schema, or with those that a site library has learnt for their list.

    Raise NothingFound if the schema fits no list of the page. If no list of the library fits, return them unchanged.
    """
    from pagesieve.records.schema import apply

    if schema is not None:
        return apply(found, [schema])
    if sites is None:
        return found
    if not found.url:
        raise BadInput("give the url of the page: the site library looks up its site with it")
    try:
        return apply(found, sites.lists(found.url))
    except NothingFound:
        return found


@with_named_options()
def kind(html: Html | None = None, url: str | None = None) -> Kind:
    """Return the kind of a page: `article`, `catalogue` (links to articles), `records`, or `other`.

    Without `html`, the page is fetched from `url`.
    """
    from pagesieve.kinds.kind import kind

    return kind(page_source(html, url).page)


@stage("routing")
def page_source(html: Html | None, url: str | None) -> PageSource:
    """Return the source of a page, fetched from its URL if there is no HTML. Raise BadInput if it is not a page."""
    if html is None:
        check_url(url)
        if url is None:
            raise BadInput(NO_PAGE)
        return _fetched(url)
    if isinstance(html, _BYTES):
        html = bytes(html)
        if other := other_than_page(html):
            raise BadInput(f"not a page but {other}")
    if isinstance(html, _TEXTS) and len(html) <= MAX_URL:
        _refuse_name(html if isinstance(html, str) else html.decode("utf-8", "replace"))
    return PageSource(html, url)


def _refuse_name(html: str) -> None:
    """Raise BadInput if the text is a URL or the name of a file: one word without markup."""
    name = html.strip()
    if "<" in name or len(name.split()) != 1:
        return
    if is_url(name):
        from pagesieve.fetching.guard import shown_url

        raise BadInput(f"html is a page, not its address: give {shown_url(name)} as url=, or to fetch()")
    if name.lower().endswith(PAGE_ENDINGS):
        raise BadInput(f"html is a page, not the name of its file: give Path({name!r}).read_bytes()")


def parsed_references(given: Html | Sequence[Html] | None) -> list[Page]:
    """Return the reference pages, parsed. Raise BadInput if one of them is not a page."""
    if given is None:
        return []
    if isinstance(given, str | bytes | bytearray | Page):
        return [page_source(given, None).page]
    if not isinstance(given, Iterable):
        raise BadInput(f"reference is a page or a sequence of pages, not {type(given).__name__}")
    return [page_source(html, None).page for html in given]


def check_sites(given: object) -> None:
    """Raise BadInput if `sites` is the name of a site library, and not an open library."""
    if isinstance(given, _NAMES):
        raise BadInput(f"sites is an open library, not its name: open_sites({str(given)!r})")


def checked_titles(given: Sequence[str]) -> Sequence[str]:
    """Return the titles. Raise BadInput if they are not a sequence of str."""
    if given == ():
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(title, str) for title in given):
        raise BadInput("external is a sequence of titles, each a str")
    return given
