"""Addresses: made absolute where the page's own is known, and only those that do no harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, urljoin

from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.table import Page

SAFE_SCHEMES = ("http:", "https:", "mailto:", "ftp:", "tel:")

# Where pages keep the address of a picture that is loaded late; `src` is then a placeholder.
_SOURCES = ("data-src", "data-original", "data-lazy-src", "src")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IGNORED = re.compile(r"[\x00-\x1f\x7f]+")  # browsers drop line ends and tabs wherever they stand in an address
_UNWRITTEN = re.compile(r"[\s\"<>\\^`{|}\x80-\x9f\ud800-\udfff]")
_CANDIDATE = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])")


def base_url(page: Page) -> str | None:
    """What the page's relative addresses are relative to."""
    for row in page.rows("base").tolist():
        href = page.attribute(row, "href")
        if href:
            return safe_url(href, page.url) or page.url
    return page.url


def safe_url(address: str, base: str | None) -> str:
    """An address made absolute; empty where it is not one that may be written."""
    address = _IGNORED.sub("", address).strip()
    try:
        url = urljoin(base, address) if base and address else address
    except ValueError:
        return ""
    scheme = _SCHEME.match(url)
    if scheme and scheme[0].lower() not in SAFE_SCHEMES:
        return ""
    return _UNWRITTEN.sub(lambda match: quote(match[0], errors="replace"), url)


def image_url(page: Page, row: int, base: str | None) -> str:
    """The address of a picture; empty where it has none that may be written."""
    return next(filter(None, (safe_url(source, base) for source in _image_sources(page, row))), "")


def _image_sources(page: Page, row: int) -> Iterator[str]:
    found = page.attributes(row)
    yield from (found[name] for name in _SOURCES if found.get(name))
    yield from _first_of_set(found)
    above = int(page.parent[row])
    if page.tag[above] == TAG_ID["picture"]:
        for before in range(above + 1, row):
            if page.tag[before] == TAG_ID["source"]:
                yield from _first_of_set(page.attributes(before))


def _first_of_set(found: dict[str, str]) -> Iterator[str]:
    for name in ("data-srcset", "srcset"):
        candidate = _CANDIDATE.match(found.get(name, ""))
        if candidate:
            yield candidate[1]
