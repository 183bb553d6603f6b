"""Fetch the page of a URL by HTTP alone or with a browser, for the library and the command line."""

from pagesieve.errors import BadOption, FetchError
from pagesieve.fetching.guard import shown_url
from pagesieve.fetching.http import DEFAULT_OPTIONS, fetch, retrying
from pagesieve.fetching.options import USER_AGENT, FetchOptions, RenderOptions
from pagesieve.page.static import PageSource, other_than_page

MAX_SETTLE = 10.0  # seconds


def fetch_page(url: str, *, browser: bool = False, options: FetchOptions = DEFAULT_OPTIONS) -> PageSource:
    """Fetch a page through the guard; with `browser`, as Chromium renders it after its scripts have run.

    Raises FetchError if the page cannot be fetched, AddressRefused if its address is not public, and MissingExtra or
    MissingBrowser if `browser` is set and no browser is installed.
    """
    if browser:
        return _rendered(url, options)
    response = fetch(url, options)
    if other := other_than_page(response.body):
        raise FetchError(f"{shown_url(response.url)}: not a page but {other}")
    return PageSource(response.body, response.url, response.content_type)


def _rendered(url: str, options: FetchOptions) -> PageSource:
    from pagesieve.fetching.chromium import shared

    if options.cache is not None:
        raise BadOption("a cache is for pages that are fetched without a browser")
    how = RenderOptions(
        timeout=options.timeout,
        settle=min(MAX_SETTLE, options.timeout / 2),
        max_bytes=options.max_bytes,
        max_redirects=options.max_redirects,
        allow_private=options.allow_private,
        resolve=options.resolve,
        # A browser has its own user agent, unless another is set.
        user_agent=None if options.user_agent == USER_AGENT else options.user_agent,
    )
    browser = shared()
    page = retrying(lambda: browser.render(url=url, options=how), options)
    return PageSource(page, page.url)
