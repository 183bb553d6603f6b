"""Parse XML from anywhere: slightly broken documents are repaired, and hostile ones do no harm.

lxml parses it piece by piece, without a DTD, without the network and with libxml2's own limits of depth and length. No
reference to an entity reaches lxml: those of HTML and of XML are resolved first, and all others become text. So an
entity that a document declares is never expanded, neither in text nor in attributes.
"""

import html
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from pagesieve.errors import BadFeed, MissingExtra
from pagesieve.fetching import BadBody, unpack
from pagesieve.fetching.urls import shown_url
from pagesieve.page.static import decode, other_than_page

try:
    from lxml import etree
except ImportError as error:
    raise MissingExtra("reading feeds and sitemaps", "crawl") from error

MAX_BYTES = 50 * 1024 * 1024  # bytes, unpacked: the limit of the sitemaps protocol
MAX_ELEMENTS = 2_000_000  # of a document: a full sitemap that names each page in 20 languages has 1.2 million
MAX_PARTS = 200_000  # of a document: four times the entries of a full sitemap
MAX_NESTED = 200_000  # elements of one entry
MAX_REPAIRS = 1_000_000  # references that XML does not know, and stray characters
GZIP = b"\x1f\x8b"

Element = Any  # lxml has no types

_DOUBTFUL = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"  # these stay as they are
    r"|&(?!(?:amp|lt|gt|quot|apos);)(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});)?"
    r"|<(?![A-Za-z_/!?])",
    re.DOTALL,
)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PAGE = re.compile(r"<(?:!doctype\s+)?html\b", re.IGNORECASE)
_BEGINNING = 1000  # characters
_MAX_NAME = 40
_CONTAINER = "channel"  # of RSS: its children are parts, like those of the root


def read_text(body: bytes, url: str) -> str:
    """Unpack and decode a body, by its content. Raises BadFeed if it is too large, or not text."""
    if body.startswith(GZIP):
        try:
            body = unpack(body, "gzip", MAX_BYTES)
        except BadBody as error:
            raise BadFeed(f"{shown_url(url)}: {error}") from error
    if len(body) > MAX_BYTES:
        raise BadFeed(f"{shown_url(url)}: larger than {MAX_BYTES:,} bytes")
    other = other_than_page(body)
    if other:
        raise BadFeed(f"{shown_url(url)}: neither a feed nor a sitemap but {other}")
    return decode(body).text


def read_parts(text: str, url: str) -> Iterator[Element]:
    """Yield the root element when it begins, then each child of the root, or of its channel, when it ends.

    A part is emptied before the next one is yielded. Raises BadFeed if there is no element, or too many.
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
    depth = count = nested = parts = 0
    for event, element in events:
        if event == "start":
            depth, count, nested = depth + 1, count + 1, nested + 1
            if count > MAX_ELEMENTS or nested > MAX_NESTED or parts > MAX_PARTS:
                raise BadFeed(f"{shown_url(url)}: too many elements")
            if depth == 1:
                yield element
            continue
        parent = element.getparent()
        if depth == 2 or (depth == 3 and local_name(parent) == _CONTAINER):
            yield element
            _free(element, parent)
            nested, parts = 0, parts + 1
        depth -= 1


def _free(element: Element, parent: Element) -> None:
    """Free the memory of an element and of those before it."""
    element.clear()
    while element.getprevious() is not None:
        del parent[0]


def _well_formed(text: str, url: str) -> str:
    """Return a document with its references resolved, except those of XML, and with stray characters escaped."""
    start = max(text.find("<"), 0)  # some programs print their warnings first
    repaired, count = _DOUBTFUL.subn(_repair, text[start:], MAX_REPAIRS)
    if count == MAX_REPAIRS:
        raise BadFeed(f"{shown_url(url)}: too broken to be read as XML")
    return _ILLEGAL.sub("", repaired)


def _repair(match: re.Match[str]) -> str:
    text = match[0]
    if text[:2] == "<!":
        return text
    resolved = html.unescape(text)
    return text.replace("&", "&amp;") if resolved == text and text != "<" else html.escape(resolved)


def describe(root: Element | None, text: str) -> str:
    """Describe a document that is neither a feed nor a sitemap, in a few words."""
    if root is not None:
        return f"<{local_name(root)[:_MAX_NAME]}>"
    if "<" not in text:
        return "text"
    return "a page" if _PAGE.search(text, 0, _BEGINNING) else "broken XML"


def namespace(element: Element) -> str:
    """Return the namespace of an element; an empty one if it has none."""
    return _tag(element).rpartition("}")[0][1:]


def local_name(element: Element) -> str:
    """Return the name of an element in lower case, without its namespace, but with a prefix that is not declared."""
    return _tag(element).rpartition("}")[2].lower()


def _tag(element: Element) -> str:
    """Return the tag of an element; an empty one for a reference to an entity, which lxml keeps as an element."""
    return element.tag if isinstance(element.tag, str) else ""


def text_of(element: Element | None) -> str:
    """Return all text in an element; an empty one if there is no element."""
    return "" if element is None else "".join(element.itertext()).strip()
