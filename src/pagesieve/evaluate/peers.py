"""The extractors to measure, Pagesieve and its peers, all with the same interface.

A peer is called as its own documentation recommends for the main text without comments. Only `extract` is timed. If a
peer needs a second pass over the page for the title, it comes from `title`, which is not timed.
"""

import importlib
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pagesieve.errors import BadOption, MissingExtra, NothingFound
from pagesieve.facts.metadata import metadata

if TYPE_CHECKING:
    from pagesieve.article import Article
    from pagesieve.sites.library import Sites

OWN_NAME = "pagesieve"

# The tags that end a line where a peer returns HTML only.
_BLOCK_TAGS = frozenset(
    "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header "
    "hr li main nav ol p pre section table td th tr ul".split()
)


@dataclass(frozen=True, slots=True)
class Extracted:
    """The output of an extractor for a page; None if it found nothing. Pagesieve's output has the article too."""

    text: str | None
    title: str | None = None
    article: "Article | None" = None


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts that an extractor returns for a page; empty for missing ones."""

    title: str | None = None
    date: str | None = None
    authors: tuple[str, ...] = ()
    description: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    found: Mapping[str, str] = field(default_factory=dict)  # where, as far as it says


@dataclass(frozen=True, slots=True)
class Extractor:
    """A function that takes bytes and a URL and returns the text, and perhaps the title, of a page."""

    name: str
    version: str
    extract: Callable[[bytes, str | None], Extracted]
    title: Callable[[bytes, str | None], str | None] | None = None
    facts: Callable[[bytes, str | None], PageFacts] | None = None  # not timed either
    gives_titles: bool = True
    gives_leaves: bool = False  # whether its leaves are scored


JUDGES_OF_LEAVES = ("template", "svm")  # methods that decide leaf by leaf


def own_extractor(method: str = "auto", sites: "Sites | None" = None, model: str | None = None) -> Extractor:
    """Return Pagesieve as an extractor with one of its methods, a site library, and another model."""
    import pagesieve

    def extract(html: bytes, url: str | None) -> Extracted:
        article = pagesieve.article(html, url=url, method=method, sites=sites, model=model)
        return Extracted(article.text, article.title, article)

    def facts(html: bytes, url: str | None) -> PageFacts:
        try:
            found = pagesieve.article(html, url=url, method=method, sites=sites, model=model).metadata
        except NothingFound:
            found = metadata(pagesieve.parse(html, url))
        named = (found.title, found.published, found.authors, found.description, found.tags, found.language)
        return PageFacts(*named, found.found)

    judges = method in JUDGES_OF_LEAVES
    return Extractor(OWN_NAME, version("pagesieve"), extract, facts=facts, gives_leaves=judges)


def load_peers(names: Iterable[str]) -> list[Extractor]:
    """Load each named peer once; raise if one is unknown or not installed."""
    unique = list(dict.fromkeys(names))
    for name in unique:
        if name not in PEERS:
            raise BadOption(f"there is no peer named {name}; choose from {', '.join(PEERS)}")
    return [PEERS[name]() for name in unique]


def _need(module: str, package: str) -> Any:
    # Peers are optional and mostly untyped, so they are imported by name on demand.
    try:
        with warnings.catch_warnings(action="ignore"):
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(f"comparing with {package}", None, package) from error


def _trafilatura() -> Extractor:
    trafilatura = _need("trafilatura", "trafilatura")

    def extract(html: bytes, url: str | None) -> Extracted:
        return Extracted(trafilatura.extract(html, url=url, include_comments=False))

    def title(html: bytes, url: str | None) -> str | None:
        document = trafilatura.extract_metadata(html, default_url=url)
        return document.title if document is not None else None

    def facts(html: bytes, url: str | None) -> PageFacts:
        found = trafilatura.extract_metadata(html, default_url=url)
        authors = tuple(filter(None, (found.author or "").split("; ")))
        return PageFacts(found.title, found.date, authors, found.description, tuple(found.tags or ()), found.language)

    return Extractor("trafilatura", version("trafilatura"), extract, title, facts)


def _resiliparse() -> Extractor:
    encoding = _need("resiliparse.parse.encoding", "resiliparse")
    html_tree = _need("resiliparse.parse.html", "resiliparse").HTMLTree
    html2text = _need("resiliparse.extract.html2text", "resiliparse")

    def extract(html: bytes, url: str | None) -> Extracted:
        tree = html_tree.parse_from_bytes(html, encoding.detect_encoding(html))
        text = html2text.extract_plain_text(tree, main_content=True, alt_texts=False, comments=False)
        return Extracted(text, tree.title)

    return Extractor("resiliparse", version("resiliparse"), extract)


def _readability() -> Extractor:
    readability = _need("readability", "readability-lxml")
    html_module, etree = (_need(name, "readability-lxml") for name in ("lxml.html", "lxml.etree"))

    def extract(html: bytes, url: str | None) -> Extracted:
        document = readability.Document(html, url=url)
        summary = html_module.fromstring(document.summary(html_partial=True))
        events = etree.iterwalk(summary, events=("start", "end", "comment"))
        return Extracted(_lines_of(events), document.short_title())

    return Extractor("readability", version("readability-lxml"), extract)


def _justext() -> Extractor:
    justext = _need("justext", "jusText")
    # A page does not say its language, so the stop words of all languages count.
    stop_words = frozenset().union(*map(justext.get_stoplist, justext.get_stoplists()))

    def extract(html: bytes, url: str | None) -> Extracted:
        paragraphs = justext.justext(html, stop_words)
        return Extracted("\n".join(p.text for p in paragraphs if not p.is_boilerplate))

    return Extractor("justext", version("jusText"), extract, gives_titles=False)


def _boilerpy3() -> Extractor:
    article_extractor = _need("boilerpy3.extractors", "boilerpy3").ArticleExtractor(raise_on_failure=False)
    html_to_unicode = importlib.import_module("w3lib.encoding").html_to_unicode

    def extract(html: bytes, url: str | None) -> Extracted:
        document = article_extractor.get_doc(html_to_unicode(None, html)[1])
        return Extracted(document.content, document.title)

    return Extractor("boilerpy3", version("boilerpy3"), extract)


def _goose3() -> Extractor:
    goose = _need("goose3", "goose3").Goose({"enable_image_fetching": False})

    def extract(html: bytes, url: str | None) -> Extracted:
        article = goose.extract(raw_html=html)
        return Extracted(article.cleaned_text, article.title)

    return Extractor("goose3", version("goose3"), extract)


def _newspaper4k() -> Extractor:
    newspaper = _need("newspaper", "newspaper4k")

    def extract(html: bytes, url: str | None) -> Extracted:
        article = newspaper.article(url or "", input_html=html, fetch_images=False)
        return Extracted(article.text, article.title)

    def facts(html: bytes, url: str | None) -> PageFacts:
        found = newspaper.article(url or "", input_html=html, fetch_images=False)
        date = found.publish_date.isoformat() if found.publish_date else None
        tags = tuple(sorted(found.tags or ())) or tuple(filter(None, found.meta_keywords or ()))
        return PageFacts(found.title, date, tuple(found.authors), found.meta_description, tags, found.meta_lang)

    return Extractor("newspaper4k", version("newspaper4k"), extract, facts=facts)


def _lines_of(events: Iterable[tuple[str, Any]]) -> str:
    """Return the text of an lxml tree, given its events, with a line break around each block."""
    parts: list[str] = []
    for event, node in events:
        if node.tag in _BLOCK_TAGS:
            parts.append("\n")
        # A comment has no end; what follows it is text all the same.
        parts.append((node.text if event == "start" else node.tail) or "")
    return "".join(parts)


PEERS: dict[str, Callable[[], Extractor]] = {
    "trafilatura": _trafilatura,
    "resiliparse": _resiliparse,
    "readability": _readability,
    "justext": _justext,
    "boilerpy3": _boilerpy3,
    "goose3": _goose3,
    "newspaper4k": _newspaper4k,
}
