"""URLs to fetch: parse them as the HTTP client does, check them, and write them in messages."""

import httpx

from pagesieve.errors import FetchError
from pagesieve.text.urls import masked, masked_url

SCHEMES = frozenset({"http", "https"})
MAX_SHOWN_URL = 200


def parsed(url: str) -> httpx.URL:
    """Parse a URL and check that it may belong to a web page. Raises FetchError."""
    address = _parse(url)
    check(address)
    return address


def _parse(url: str) -> httpx.URL:
    try:
        return httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"{shown_url(url)!r}: not a URL ({fault(error)})") from error


def check(url: httpx.URL) -> None:
    """Raise FetchError if a URL, of the caller or of a redirect, cannot belong to a web page."""
    if url.scheme not in SCHEMES:
        raise FetchError(f"{shown(url)}: not an http or https URL")
    try:
        host = url.host  # decoded, where it is an international name
    except ValueError as error:
        raise FetchError(f"{shown(url)}: not a URL (its host is not a name: {fault(error)})") from error
    if not host or "%" in host or not 0 < port(url) < 1 << 16:
        raise FetchError(f"{shown(url)}: not a URL (its host or port is wrong)")


def port(url: httpx.URL) -> int:
    """Return the port that a URL leads to."""
    return url.port if url.port is not None else 443 if url.scheme == "https" else 80


def without_credentials(url: str) -> str:
    """Return a URL without the name and password in it."""
    return str(_without_credentials(_parse(url)))


def shown_url(url: str) -> str:
    """Return an address for a message: masked and shortened."""
    text = masked_url("%20".join(url.split()))
    return text if len(text) <= MAX_SHOWN_URL else text[:MAX_SHOWN_URL] + "…"


def shown(url: httpx.URL) -> str:
    """Write a URL for a message as `shown_url` does."""
    return shown_url(str(url))


def _without_credentials(url: httpx.URL) -> httpx.URL:
    return url.copy_with(userinfo=b"") if url.userinfo else url


def one_line(error: BaseException) -> str:
    """Return the message of an error in one line, without the secrets of addresses."""
    return masked(" ".join(str(error).split())) or type(error).__name__


def fault(error: BaseException) -> str:
    """Return the message of an error about an invalid URL, without the quoted part, which may be a password."""
    return one_line(error).partition(": ")[0]
