"""What a page states of itself where no reader sees it: title, URL, language, `meta` elements.

The kernel finds all of it in one pass, and keeps it with the page. What JSON-LD and microdata say of the article is
read in `pagesieve.page.linked`.
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

_MAX_LINKS = 5000
_REFRESH = r"\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=\s*+)?(?P<url>.*)"
_MAX_REFRESH_LENGTH = 4000  # characters of where a page goes on
_HTML, _REL = TAG_ID["html"], ATTRIBUTE_ID["rel"]

statements: Callable[[Page], "Statements"] = kernel.page.stated.statements
meta = statements  # whose `facts` and `firsts` are those of the `meta` elements


def document_title(page: Page) -> str:
    """Return the text of `<title>`; a drawing may have one too, so the first that is not empty."""
    return statements(page).title


@stage("statements")
def stated_titles(page: Page) -> list[str]:
    """Return the titles that a page states, each once: as they are, and the longest part of each."""
    return statements(page).titles


def linked_headlines(page: Page) -> list[str]:
    """Return the first `headline` of each script of JSON-LD. They are not parsed: most callers want nothing else."""
    return statements(page).headlines


def linked_scripts(page: Page) -> list[tuple[int, int]]:
    """Return where in the text of a page the scripts of JSON-LD begin and end."""
    return statements(page).scripts


def key_strings(script: str, key: str) -> Iterable[str]:
    """Return the strings that a key has in a script of JSON-LD where some are in lists or objects."""
    from pagesieve.page.linked import strings_of

    return strings_of(script, key)


def og_types(page: Page) -> list[bytes]:
    """Return each `og:type`; under another attribute than `property` it is not what models know."""
    return statements(page).types


def og_type(page: Page) -> str:
    """Return the first `og:type` in lower case; empty where there is none."""
    return next(iter(og_types(page)), b"").decode("utf-8", "replace").lower()


def refresh_url(page: Page) -> str | None:
    """Return the URL that a page goes on to by itself, as it stands there."""
    for row in page.rows("meta")[:MAX_STATING].tolist():
        if (page.attribute(row, "http-equiv") or "").strip().lower() == "refresh":
            content = (page.attribute(row, "content") or "")[:_MAX_REFRESH_LENGTH]
            found = re.match(_REFRESH, content, re.IGNORECASE | re.DOTALL)
            return found["url"].strip(" \t\r\n'\"") or None if found else None
    return None


def license_links(page: Page) -> list[tuple[int, str]]:
    """Return the `link` and `a` elements that lead to the licence of a page, each with its name."""
    found = []
    for name in ("link", "a"):
        rows = kernel.page.stated.rows_with_value(page, TAG_ID[name], _REL, b"license", _MAX_LINKS)
        found += [(row, name) for row in rows[:1]]
    return found


def html_language(page: Page) -> str:
    """Return the language that the `html` element names."""
    row = kernel.page.facts.first_row(page, _HTML)  # the document, which has no attributes, where there is none
    return (page.attribute(row, "lang") or page.attribute(row, "xml:lang") or "").strip()[:MAX_FACT_LENGTH]


# Addresses: the page's own, what others are relative to, and where an image keeps its own


def canonical_url(page: Page) -> str | None:
    """Return the URL that a page names as its own, as it stands there."""
    return statements(page).canonical


def address(page: Page) -> str | None:
    """Return the address of a page: the one that was given, or else the one that it names as its own.

    What is not absolute, or is no address of the web, does not count. A name and password that it names are left out.
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
    """Return an address of the web, given what it is relative to; empty where it is none."""
    safe = safe_url(url, base) if url else ""
    return web_url(f"https:{safe}" if safe.startswith("//") else safe)


def base_url(page: Page) -> str | None:
    """What the page's relative addresses are relative to."""
    own, stated = address(page), statements(page).base
    return (safe_url(stated, own) or own) if stated else own


# `src` is a placeholder where an image is loaded late.
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
# What stands in the place of an image until it is loaded.
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
    """Yield the largest image of each set; the first where their sizes are not stated."""
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
