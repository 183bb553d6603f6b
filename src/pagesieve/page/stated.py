"""The statements of a page for machines: title, URL, language, `meta` elements.

The kernel collects them in one pass, and they are stored with the page. `pagesieve.page.linked` reads JSON-LD and
microdata.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import MAX_FACT_LENGTH as MAX_FACT_LENGTH
from pagesieve.page.kernel.constants import MAX_STATING
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.urls import safe_url, safe_urls, web_url

if TYPE_CHECKING:
    from pagesieve.page.kernel.page.stated import Statements

_REFRESH = r"\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=\s*+)?(?P<url>.*)"
_MAX_REFRESH_LENGTH = 4000  # characters of the target of a refresh
_HTML, _REL = TAG_ID["html"], ATTRIBUTE_ID["rel"]

statements: Callable[[Page], "Statements"] = kernel.page.stated.statements
meta = statements  # whose `facts` and `firsts` are those of the `meta` elements


def document_title(page: Page) -> str:
    """Return the text of the first `<title>` that is not empty, since drawings may have titles, too."""
    return statements(page).title


@stage("statements")
def stated_titles(page: Page) -> list[str]:
    """Return the distinct titles that a page states: each title, and its longest part."""
    return statements(page).titles


def linked_headlines(page: Page) -> list[str]:
    """Return the first `headline` of each JSON-LD script without parsing it, since most callers need nothing else."""
    return statements(page).headlines


def linked_scripts(page: Page) -> list[tuple[int, int]]:
    """Return the positions of the JSON-LD scripts in the text of a page."""
    return statements(page).scripts


def key_strings(script: str, key: str) -> Iterable[str]:
    """Return the strings of a key in a JSON-LD script in which some are in lists or objects."""
    from pagesieve.page.linked import strings_of

    return strings_of(script, key)


def og_types(page: Page) -> list[bytes]:
    """Return the values of `og:type` in attributes `property`, on which the models were trained."""
    return statements(page).types


def og_type(page: Page) -> str:
    """Return the first `og:type` in lower case, or an empty string."""
    return next(iter(og_types(page)), b"").decode("utf-8", "replace").lower()


def refresh_url(page: Page) -> str | None:
    """Return the URL to which a page refreshes, as stated."""
    for row in page.rows("meta")[:MAX_STATING].tolist():
        if (page.attribute(row, "http-equiv") or "").strip().lower() == "refresh":
            content = (page.attribute(row, "content") or "")[:_MAX_REFRESH_LENGTH]
            found = re.match(_REFRESH, content, re.IGNORECASE | re.DOTALL)
            return found["url"].strip(" \t\r\n'\"") or None if found else None
    return None


def license_links(page: Page) -> list[tuple[int, str]]:
    """Return the `link` and `a` elements that lead to the licence of a page, each with its name."""
    found: list[tuple[int, str]] = []
    rows = kernel.page.stated.rows_with_value(page, _REL, b"license")
    for name in ("link", "a") if rows else ():
        found += [(row, name) for row in rows if page.tag_name(row) == name][:1]
    return found


def html_language(page: Page) -> str:
    """Return the language that the `html` element states."""
    row = kernel.page.facts.first_row(page, _HTML)  # the document, which has no attributes, if there is none
    return (page.attribute(row, "lang") or page.attribute(row, "xml:lang") or "").strip()[:MAX_FACT_LENGTH]


# Addresses: of the page, of the base of relative ones, and of images


def canonical_url(page: Page) -> str | None:
    """Return the URL that a page states as its own, unchanged."""
    return statements(page).canonical


def address(page: Page) -> str | None:
    """Return the address of a page: the URL with which it was parsed, or else the one that it states as its own.

    Addresses that are relative or not of the web are ignored. User name and password of a stated one are removed.
    """
    if page.url:
        return page.url
    found = statements(page)
    if found.address is None:
        found.address = _web_address(found.canonical, found.base)
        for _, url in () if found.address else found.firsts("og:url"):
            found.address = _web_address(url, found.base)
    return found.address or None


def _web_address(url: str | None, base: str | None) -> str:
    """Return a URL as an absolute address of the web, or an empty string."""
    safe = safe_url(url, base) if url else ""
    return web_url(f"https:{safe}" if safe.startswith("//") else safe)


def base_url(page: Page) -> str | None:
    """Return the base of the page's relative addresses."""
    own, stated = address(page), statements(page).base
    return (safe_url(stated, own) or own) if stated else own


# `src` is a placeholder if an image is loaded lazily.
_LAZY_SOURCES = (
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-actualsrc",
    "data-lazy",
    "data-original-src",
    "data-echo",
)
_SIZE_IN_SET = r"(\d{1,6}(?:\.\d{1,3})?)[wx],?"
_TOUCHING_IN_SET = r"(\s\d{1,6}(?:\.\d{1,3})?[wx]),(?=\S)"
_MAX_SET_LENGTH = 20_000  # characters that are read
# Placeholders of images that are not loaded yet.
_PLACEHOLDER = (
    r"(?i)^data:|(?:blank|dummy|empty|grey|lazy|lazyload|loading|placeholder|pixel|spacer|transparent|1x1)"
    r"[\w.-]{0,12}\.(?:gif|png|svg|jpg|webp)"
)


def image_url(page: Page, row: int, base: str | None) -> str:
    """Return the address of an image; empty where it has none that is safe to write."""
    return image_urls(page, (row,), base)[0]


def image_urls(page: Page, rows: Sequence[int], base: str | None) -> list[str]:
    """Return the address of each of some images; empty where one has none that is safe to write."""
    images = page.attributes_of_each(rows)
    urls = safe_urls(list(map(_likely_source, images)), base)
    return [url or _other_url(page, row, found, base) for url, row, found in zip(urls, rows, images, strict=True)]


def _likely_source(found: dict[str, str]) -> str:
    """Return the first address of an image that is no placeholder; empty where there is none."""
    late = next((found[name] for name in _LAZY_SOURCES if found.get(name)), "")
    source = late or found.get("src", "")
    return source if late or not re.search(_PLACEHOLDER, source) else ""


def _other_url(page: Page, row: int, found: dict[str, str], base: str | None) -> str:
    """Return the address of an image whose likely one is not safe, or is not there."""
    return next(filter(None, (safe_url(source, base) for source in _image_sources(page, row, found))), "")


def _image_sources(page: Page, row: int, found: dict[str, str]) -> Iterator[str]:
    yield from (found[name] for name in _LAZY_SOURCES if found.get(name))
    source = found.get("src", "")
    if source and not re.search(_PLACEHOLDER, source):
        yield source
    yield from _largest_of_set(found)
    above = int(page.parent[row])
    if page.tag[above] == TAG_ID["picture"]:
        for before in range(above + 1, row):
            if page.tag[before] == TAG_ID["source"]:
                yield from _largest_of_set(page.attributes(before))
    if source:
        yield source


def _largest_of_set(found: dict[str, str]) -> Iterator[str]:
    """Yield the largest image of each set, or the first one if no sizes are stated."""
    for name in ("data-srcset", "srcset"):
        if not found.get(name):
            continue
        sizes: dict[str, float] = {}
        url = ""
        for word in re.sub(_TOUCHING_IN_SET, r"\1, ", found[name][:_MAX_SET_LENGTH]).split():
            size = re.fullmatch(_SIZE_IN_SET, word)
            if size and url:
                sizes[url] = float(size[1])
            elif word.strip(","):
                url = word.strip(",")
                sizes.setdefault(url, 0)
        if sizes:
            yield max(sizes, key=sizes.__getitem__)
