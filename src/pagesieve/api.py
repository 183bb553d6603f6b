"""The functions that people call."""

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
from pagesieve.fetching import PAGE_ENDINGS, other_than_page
from pagesieve.headlines.headline import find_headline
from pagesieve.methods.registry import MethodInputs, load_model
from pagesieve.page.stated import address
from pagesieve.page.static import PageSource, check_url
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
)  # tuples, which are told apart faster than unions
NO_PAGE = "neither a page nor the url of one is given"

Given = ParamSpec("Given")
Result = TypeVar("Result")


def with_named_options(more: Collection[str] = ()) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Make a function say which option was probably meant by a keyword that it does not have.

    Those that it has are its parameters and `more`, where it passes others on.
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
    """Open a site library, and make it where there is none: a SQLite file by its path, PostgreSQL by database URL.

    A template that was not seen for `template_life` pages of its site no longer counts: sites are redesigned.
    """
    try:
        from pagesieve.sites.library import Sites
    except ImportError as error:
        raise MissingExtra("a site library", "sites") from error
    from pagesieve.sites.templates import TemplateOptions

    return Sites(path_or_url, template_options=TemplateOptions(life=template_life))


@with_named_options()
def fetch(url: str, *, browser: bool = False, options: FetchOptions | None = None) -> Page:
    """Fetch a page, which the other functions take: from public addresses only, and within limits of size and time.

    With `browser` the page is taken as Chromium shows it once its scripts have run. `options` (of
    `pagesieve.fetching.http`) changes the limits, and names a cache. Raises FetchError where the URL gives no page,
    AddressRefused where its address, or one it redirects to, is not public, and MissingBrowser where there is none.
    """
    check_url(url)
    if url is None:
        raise BadInput("no url is given")
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
    """Return the article of a page as text, Markdown, HTML, JSON or TEI; None where nothing is found.

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

    `html` is text, bytes (the encoding is detected) or a Page. Without it, the page is fetched from `url` as `fetch`
    does; with it, nothing is fetched. `method` is `auto` or the name of a method. `reference`
    is another page of the same site, or several; `sites` a library that has learnt the site (see `open_sites`), which
    needs `url`; `model` a file that `pagesieve train` wrote, in place of the one that comes with Pagesieve; `favor` is
    `precision` or `recall`; `external` what other pages call this one (see `headline`). Raises NothingFound where the
    page holds no article; the `facts` of that error are those that the page states. Never returns None.
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
    """Return the article of a page that is not parsed yet; what `article`, the batch and the command line call."""
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
    """Return the headline of a page as it stands there, white space folded; empty where the page has none.

    `external` is what other pages call it: the titles that a catalogue page has for its address. Without `html`, the
    page is fetched from `url`.
    """
    return find_headline(page_source(html, url).page, checked_titles(external))


@with_named_options()
def catalogue(html: Html | None = None, url: str | None = None) -> Catalogue:
    """Return the article links of a page that lists articles: `links` with their titles, and `next_url`.

    `url` is the page's own address, which its links are relative to; without it, the one that the page names counts.
    Raises BadInput where there is none. `links` is empty where the page has no such links. Without `html`, the page is
    fetched from `url`.
    """
    from pagesieve.headlines.catalogue import find_catalogue

    page = page_source(html, url).page
    own = address(page)
    if not own:
        raise BadInput("links are made absolute by the url of their page, and none is given")
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

    `mode` is `static` (without a browser), `visual` (as a browser shows the page), or `auto`: static, but with a
    browser where one is installed and the page holds no records before its scripts have run; `mode` of the result says
    which it was, and `notes` why. `html` None opens `url` in a browser. `region` chooses where the records are: `best`,
    or `paper` for the rule of the paper. `date` is when the page was read, which "3 hours ago" counts from; without it,
    what the page states counts. `schema` is that of other pages (`Records.schema`), or the file where it is saved: the
    table has its columns, and `drift` says what no longer fits. `sites` is a library that has learnt the site: its list
    has the same columns on each page. `render` (of `pagesieve.fetching.chromium`) says how a browser renders the page;
    with `RenderOptions(scroll=3)` it is used and loads more of a list that goes on. Raises NothingFound where nothing
    on the page recurs, or no list fits the schema.
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
    """Return the schema that was given, or read it from its file. Raises BadInput where it is none, or beside sites."""
    check_sites(sites)
    if schema is None:
        return None
    if sites is not None:
        raise BadInput("columns are those of a schema or those of a site: give schema or sites, not both")
    from pagesieve.records.schema import Schema

    if isinstance(schema, str | Path):
        return Schema.load(schema)
    if not isinstance(schema, Schema):
        raise BadInput(f"schema is a Schema or the name of its file, not {type(schema).__name__}")
    return schema


def with_columns(found: Records, schema: Schema | None, sites: Sites | None) -> Records:
    """Return records in the columns of a schema, or in those that a site library has learnt of their list.

    Raises NothingFound where the schema fits no list of the page. Where no list of the site does, they stay the same.
    """
    from pagesieve.records.schema import apply

    if schema is not None:
        return apply(found, [schema])
    if sites is None:
        return found
    if not found.url:
        raise BadInput("a site is known by the url of its page, and none is given")
    try:
        return apply(found, sites.lists(found.url))
    except NothingFound:
        return found


@with_named_options()
def kind(html: Html | None = None, url: str | None = None) -> Kind:
    """Return the kind of a page: `article` (one main thing), `catalogue` (links to articles), `records`, or `other`.

    Without `html`, the page is fetched from `url`.
    """
    from pagesieve.kinds.kind import kind

    return kind(page_source(html, url).page)


@stage("routing")
def page_source(html: Html | None, url: str | None) -> PageSource:
    """Return the page that was given, or else fetch the one of the address. Raises BadInput where neither is a page."""
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
    """Raise BadInput where an address, or the name of a file, was given in place of a page: one word without markup."""
    name = html.strip()
    if "<" in name or len(name.split()) != 1:
        return
    if is_url(name):
        from pagesieve.fetching.urls import shown_url

        raise BadInput(f"html is a page, not its address: give {shown_url(name)} as url=, or to fetch()")
    if name.lower().endswith(PAGE_ENDINGS):
        raise BadInput(f"html is a page, not the name of its file: give Path({name!r}).read_bytes()")


def parsed_references(given: Html | Sequence[Html] | None) -> list[Page]:
    """Return the reference pages that were given. Raises BadInput where one is no page."""
    if given is None:
        return []
    if isinstance(given, str | bytes | bytearray | Page):
        return [page_source(given, None).page]
    if not isinstance(given, Iterable):
        raise BadInput(f"reference is a page or several, not {type(given).__name__}")
    return [page_source(html, None).page for html in given]


def check_sites(given: object) -> None:
    """Raise BadInput where the name of a site library was given in place of the library."""
    if isinstance(given, _NAMES):
        raise BadInput(f"sites is an open library, not its name: open_sites({str(given)!r})")


def checked_titles(given: Sequence[str]) -> Sequence[str]:
    """Return the titles that were given. Raises BadInput where they are something else."""
    if given == ():
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(title, str) for title in given):
        raise BadInput("external is a sequence of titles, each a str")
    return given
