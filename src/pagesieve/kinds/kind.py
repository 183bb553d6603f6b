"""Determine the kind of a page: article, catalogue, records, or other.

A forest of small trees uses features of the whole page: the share of its text in links, whether the text has long lines
or many similar pieces, the targets of links in headings, statements in metadata, and the form of the URL. It was
trained on labelled pages (`pagesieve train --method kind`). Three rules that need no training are tried before it.
"""

from __future__ import annotations

from array import array
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

from pagesieve.kinds.problem import problem
from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.page.cache import kept
from pagesieve.page.kernel.tags import KNOWN_TAGS, TAG_ID
from pagesieve.page.lines import split
from pagesieve.page.stated import address, linked_scripts, og_type
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.dates import YEAR
from pagesieve.text.patterns import pattern
from pagesieve.text.urls import split_url

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["article", "catalogue", "records", "other"]
KINDS: tuple[Kind, ...] = ("article", "catalogue", "records")  # the kinds that the forest distinguishes
SHIPPED = "models/kind.model"

MIN_TEXT = 60  # characters: a page with fewer is an error page, a login form, or empty
_NUMBER, _DAY = pattern(r"\d{4,}"), pattern(rf"/{YEAR}/\d")
_QUESTION = pattern(r"(?:^|&)(?:q|s|query|search|keywords?|k|wd|text)=")
# A URL that ends with a year, a month or a day is that of an archive of a blog or newspaper.
_ARCHIVE = pattern(rf"/{YEAR}(?:/\d{{1,2}}){{0,2}}/?$")

LONG = 80  # characters of text outside links that make a line long
TITLE = 20  # characters of a link that may be the title of an article
ALIKE = 3  # siblings with the same name that form a group

# fmt: off
COUNTED = (
    "a h1 h2 h3 h4 article time table tr li p img form input select textarea button iframe pre code blockquote dl "
    "section figure main aside nav ul ol"
).split()
# Types that pages state in JSON-LD, in microdata, and for social networks.
STATED = (
    "Product", "Article", "NewsArticle", "BlogPosting", "DiscussionForumPosting", "QAPage", "FAQPage", "CollectionPage",
    "ItemList", "SearchResultsPage", "TechArticle", "articleBody", "datePublished", "Comment",
)
OG_TYPES = ("article", "product", "website")
# Words in the URLs of common programs, whatever the language of the page.
NAMED = (
    "forum thread topic product category tag blog news search collection shop docs wiki question page archive author "
    "list index event job review"
).split()
# fmt: on


def kind(page: Page) -> Kind:
    """Return the kind of a page."""
    return _kind(page.unveiled)


@kept
@stage("kind")
def _kind(page: Page) -> Kind:
    sums = kernel.page.kinds.PageSums(page)
    if sums.chars < MIN_TEXT or problem(page) is not None:
        return "other"
    if is_archive(address(page)):
        return "catalogue"
    return KINDS[shipped().best(_features(page, sums))]


def is_archive(url: str | None) -> bool:
    """Whether a URL is that of the archive of a year, month or day."""
    return _ARCHIVE.search(split_url(url or "").path) is not None


@cache
def shipped() -> Forest:
    """Return the shipped forest; it is loaded once."""
    return Forest.load(resources.files("pagesieve").joinpath(SHIPPED), "kind", KIND_FEATURES)


def measure(page: Page) -> NDArray[np.float32]:
    """Return the features of a page."""
    import numpy as np

    return np.frombuffer(_features(page, kernel.page.kinds.PageSums(page)), dtype=np.float32)


def _features(page: Page, sums: kernel.page.kinds.PageSums) -> array[float]:
    """Return the features of a page, computed from its sums."""
    blocks = split(page)
    lines = kernel.page.kinds.LineSums(LONG, TITLE)
    lines.read(sums, blocks.columns)
    numbers = lines.numbers + sum(blocks.text(line).isdigit() for line in lines.asked)
    siblings = sums.siblings(KNOWN_TAGS + len(page.more_tags), ALIKE, LONG, TITLE)
    others = _stated(page) + _address(address(page))
    values: array[float] = sums.features(blocks.columns, lines, numbers, siblings, _COUNTED_TAGS, others)
    return values


_COUNTED_TAGS = bytes(TAG_ID[name] for name in COUNTED)

# The names of the features, in order.
_TEXT = (
    *("text", "linked", "lines", "longest", "long_share", "long_lines", "very_long_share", "very_long_lines"),
    *("link_lines", "link_lines_share", "short_link_lines", "longest_run", "marks", "digits", "sentences"),
    *("prices", "dates"),
)
_ELEMENTS = (*(f"count_{name}" for name in COUNTED), "in_p", "in_cells", "in_items")
_OF_GROUP = ("size", "share", "chars", "links", "spread", "images", "linking", "long")
_GROUPS = (
    *(f"group{k}_{name}" for k in (1, 2, 3) for name in _OF_GROUP),
    *("linking_size", "linking_share", "pictured_size", "pictured_share", "long_size", "long_share_of_group"),
)
_TITLES = (
    *("linked_headings", "other_headings", "linked_headings_share", "titles", "titles_share", "numbered_links"),
    *("chunk_titles", "chunk_titles_text", "chunk_headings", "chunk_headings_text"),
)
_STATED_NAMES = tuple(name.encode() for name in STATED)
_STATED = (*(f"og_{name}" for name in OG_TYPES), *(f"says_{name}" for name in STATED), "published")


def _stated(page: Page) -> list[float | bool]:
    """Return the features of the page's own statements."""
    own = og_type(page)
    said, is_published = kernel.page.kinds.statements(page, linked_scripts(page), _STATED_NAMES)
    return [*map(own.startswith, OG_TYPES), *[said >> k & 1 for k in range(len(STATED))], is_published]


_ADDRESS = (
    *("no_address", "folders", "last_length", "last_words", "last_digits", "number", "date", "file", "slash", "query"),
    *("home", "asks"),
    *(f"names_{name}" for name in NAMED),
)


def _address(url: str | None) -> list[float | bool]:
    """Return the features of the URL."""
    parts = split_url(url or "")
    path, query = parts.path, parts.query
    folders = [folder for folder in path.split("/") if folder]
    last = folders[-1] if folders else ""
    low = (url or "").lower()
    return [
        url is None,
        len(folders),
        len(last),
        last.count("-") + last.count("_"),
        sum(map(str.isdigit, last)),
        _NUMBER.search(path) is not None,
        _DAY.search(path) is not None,
        "." in last,
        path.endswith("/"),
        bool(query),
        not folders,
        bool(query) and _QUESTION.search(query) is not None,
        *[name in low for name in NAMED],
    ]


KIND_FEATURES = (*_TEXT, *_ELEMENTS, *_GROUPS, *_TITLES, *_STATED, *_ADDRESS)
