"""The page of a URL, by HTTP alone or as a browser shows it: what the library and the command line fetch by."""

from pagesieve.errors import BadOption, FetchError
from pagesieve.fetching import other_than_page
from pagesieve.fetching.http import DEFAULT_OPTIONS, USER_AGENT, FetchOptions, fetch, retrying
from pagesieve.fetching.urls import shown_url
from pagesieve.page.static import PageSource

LONGEST_SETTLING = 10.0  # seconds


def fetch_page(url: str, *, browser: bool = False, options: FetchOptions = DEFAULT_OPTIONS) -> PageSource:
    """Fetch a page through the guard; with `browser`, take it as Chromium shows it once its scripts have run.

    Raises FetchError where there is none to be had, AddressRefused where its address is not public, and MissingExtra or
    MissingBrowser where a browser is asked for and there is none.
    """
    if browser:
        return _rendered(url, options)
    found = fetch(url, options)
    if other := other_than_page(found.body):
        raise FetchError(f"{shown_url(found.url)}: not a page but {other}")
    return PageSource(found.body, found.url, found.content_type)


def _rendered(url: str, options: FetchOptions) -> PageSource:
    from pagesieve.fetching.chromium import RenderOptions, shared

    if options.cache is not None:
        raise BadOption("a cache is for pages that are fetched without a browser")
    how = RenderOptions(
        timeout=options.timeout,
        settle=min(LONGEST_SETTLING, options.timeout / 2),
        max_bytes=options.max_bytes,
        max_redirects=options.max_redirects,
        allow_private=options.allow_private,
        resolve=options.resolve,
        # A browser says what it is itself, unless it is told to say something else.
        user_agent=None if options.user_agent == USER_AGENT else options.user_agent,
    )
    browser = shared()
    page = retrying(lambda: browser.render(url=url, options=how), options)
    return PageSource(page, page.url)
