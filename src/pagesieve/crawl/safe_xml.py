"""Read the XML of strangers: tolerant of what is slightly broken, and harmless whatever it is.

lxml reads it piece by piece, without a DTD, without the network and with libxml2's own limits of depth and length. No
reference to an entity reaches it: those of HTML and of XML are resolved first, and all others are text. An entity that
a document declares is therefore never expanded, in text or in attributes.
"""

import html
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from pagesieve.crawl import EXTRA
from pagesieve.errors import BadFeed, MissingExtra
from pagesieve.fetching import BadBody, other_than_page, unpack
from pagesieve.fetching.urls import shown_url
from pagesieve.page.decode import decode

try:
    from lxml import etree
except ImportError as error:
    raise MissingExtra("reading feeds and sitemaps", EXTRA) from error

LARGEST = 50 * 1024 * 1024  # bytes, unpacked: the limit of the sitemaps protocol
MOST_ELEMENTS = 2_000_000  # of a document: a full sitemap that names each page in 20 languages has 1.2 million
MOST_PARTS = 200_000  # of a document: four times the entries of a full sitemap
MOST_HELD = 200_000  # elements of one entry
MOST_REPAIRS = 1_000_000  # references that XML does not know, and stray characters
GZIP = b"\x1f\x8b"

Element = Any  # lxml has no types

_DOUBTFUL = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"  # which are as they should be, whatever is in them
    r"|&(?!(?:amp|lt|gt|quot|apos);)(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});)?"
    r"|<(?![A-Za-z_/!?])",
    re.DOTALL,
)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PAGE = re.compile(r"<(?:!doctype\s+)?html\b", re.IGNORECASE)
_BEGINNING = 1000  # characters
_LONGEST_NAME = 40
_CONTAINER = "channel"  # of RSS: what it holds is yielded, as what the root holds


def read_text(body: bytes, url: str) -> str:
    """Unpack and decode a body, both by its content. Raise BadFeed where it is too large, or no text."""
    if body.startswith(GZIP):
        try:
            body = unpack(body, "gzip", LARGEST)
        except BadBody as error:
            raise BadFeed(f"{shown_url(url)}: {error}") from error
    if len(body) > LARGEST:
        raise BadFeed(f"{shown_url(url)}: larger than {LARGEST:,} bytes")
    other = other_than_page(body)
    if other:
        raise BadFeed(f"{shown_url(url)}: neither a feed nor a sitemap but {other}")
    return decode(body).text


def read_parts(text: str, url: str) -> Iterator[Element]:
    """Yield the root element as it begins, then each element below the root, or below its channel, as it ends.

    A part is complete until the next one is asked for, and is then emptied. Raise BadFeed where there is no element at
    all, and beyond the limits.
    """
    events = etree.iterparse(
        BytesIO(_well_formed(text, url).encode()),
        events=("start", "end"),
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        yield from _parts(events, url)
    except etree.XMLSyntaxError as error:
        raise BadFeed(f"{shown_url(url)}: not XML") from error


def _parts(events: Iterator[tuple[str, Element]], url: str) -> Iterator[Element]:
    depth = count = held = parts = 0
    for event, element in events:
        if event == "start":
            depth, count, held = depth + 1, count + 1, held + 1
            if count > MOST_ELEMENTS or held > MOST_HELD or parts > MOST_PARTS:
                raise BadFeed(f"{shown_url(url)}: too many elements")
            if depth == 1:
                yield element
            continue
        parent = element.getparent()
        if depth == 2 or (depth == 3 and local_name(parent) == _CONTAINER):
            yield element
            _forget(element, parent)
            held, parts = 0, parts + 1
        depth -= 1


def _forget(element: Element, parent: Element) -> None:
    """Free the memory of an element that was read, and of those before it."""
    element.clear()
    while element.getprevious() is not None:
        del parent[0]


def _well_formed(text: str, url: str) -> str:
    """Return a document with its references resolved, except those that XML knows, and stray characters escaped."""
    start = max(text.find("<"), 0)  # some programs print their warnings first
    repaired, count = _DOUBTFUL.subn(_escaped, text[start:], MOST_REPAIRS)
    if count == MOST_REPAIRS:
        raise BadFeed(f"{shown_url(url)}: too broken to be read as XML")
    return _ILLEGAL.sub("", repaired)


def _escaped(found: re.Match[str]) -> str:
    whole = found[0]
    if whole[:2] == "<!":
        return whole
    resolved = html.unescape(whole)
    return whole.replace("&", "&amp;") if resolved == whole and whole != "<" else html.escape(resolved)


def described(root: Element | None, text: str) -> str:
    """Say in a few words what a document is that is not what it should be."""
    if root is not None:
        return f"<{local_name(root)[:_LONGEST_NAME]}>"
    if "<" not in text:
        return "text"
    return "a page" if _PAGE.search(text, 0, _BEGINNING) else "broken XML"


def namespace(element: Element) -> str:
    """Return the namespace of an element; empty where it has none."""
    return _tag(element).rpartition("}")[0][1:]


def local_name(element: Element) -> str:
    """Return the name of an element in lower case, without its namespace; a prefix that is not declared stays."""
    return _tag(element).rpartition("}")[2].lower()


def _tag(element: Element) -> str:
    """Return the tag of an element; empty for a reference to an entity, which lxml keeps among the elements."""
    return element.tag if isinstance(element.tag, str) else ""


def text_of(element: Element | None) -> str:
    """Return the text of an element and all it holds; empty where there is none."""
    return "" if element is None else "".join(element.itertext()).strip()
