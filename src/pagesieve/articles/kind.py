"""What kind of page this is: an article, a catalogue of articles, records, or none of them.

A forest of small trees looks at the page as a whole: how much of its text is in links, whether it comes in long lines
or in many similar pieces, what the headings link to, what the page states of itself, what its URL looks like. It was
trained on labelled pages (`pagesieve train --model kind`). Two rules come before it, for what needs no training.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.forest import Forest
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.lines import Blocks, inside, readable, split
from pagesieve.page.stated import linked_scripts, og_type
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.text.dates import YEAR
from pagesieve.text.urls import split_url

Kind = Literal["article", "catalogue", "records", "other"]
KINDS: tuple[Kind, ...] = ("article", "catalogue", "records")  # those that the forest tells apart
SHIPPED = "models/kind.model"

LEAST_TEXT = 60  # characters: a page with fewer is an error, a login form, or empty
_NUMBER, _DAY = re.compile(r"\d{4,}"), re.compile(rf"/{YEAR}/\d")
_QUESTION = re.compile(r"(?:^|&)(?:q|s|query|search|keywords?|k|wd|text)=")
# A URL that ends with a year, a month or a day is the archive of a blog or newspaper.
_ARCHIVE = re.compile(rf"/{YEAR}(?:/\d{{1,2}}){{0,2}}/?$")

LONG = 80  # characters of text outside links that make a line long
TITLE = 20  # characters of a link that may be the title of an article
ALIKE = 3  # siblings of one name that make a group
GROUPS = 3  # looked at, by the text they hold

# fmt: off
COUNTED = (
    "a h1 h2 h3 h4 article time table tr li p img form input select textarea button iframe pre code blockquote dl "
    "section figure main aside nav ul ol"
).split()
# What pages state of themselves in JSON-LD, in microdata, and for social networks.
STATED = (
    "Product", "Article", "NewsArticle", "BlogPosting", "DiscussionForumPosting", "QAPage", "FAQPage", "CollectionPage",
    "ItemList", "SearchResultsPage", "TechArticle", "articleBody", "datePublished", "Comment",
)
OG_TYPES = ("article", "product", "website")
# What programs call their parts in URLs, whatever the language of the page.
NAMED = (
    "forum thread topic product category tag blog news search collection shop docs wiki question page archive author "
    "list index event job review"
).split()
# fmt: on


def kind(page: Page) -> Kind:
    """Return the kind of a page."""
    rows = readable(page)
    if int(page.chars[rows].sum()) < LEAST_TEXT:
        return "other"
    if is_archive(page.url):
        return "catalogue"
    scores = shipped().scores(measure(page, rows)[None, :])
    return KINDS[int(scores[0].argmax())]


def is_archive(url: str | None) -> bool:
    """Whether a URL is that of the archive of a year, month or day."""
    return _ARCHIVE.search(split_url(url or "").path) is not None


@cache
def shipped() -> Forest:
    """Return the forest that comes with Pagesieve, read once."""
    return Forest.load(resources.files("pagesieve").joinpath(SHIPPED), "kind", KIND_FEATURES)


def measure(page: Page, rows: Bools) -> NDArray[np.float32]:
    """Return the features of a page, given the text rows that are there to be read."""
    blocks = split(page)
    values = [
        *_text(page, blocks, rows),
        *_elements(page, blocks),
        *_groups(page, rows),
        *_titles(page, blocks),
        *_stated(page),
        *_address(page.url),
    ]
    return np.array(values, dtype=np.float32)


_TEXT = (
    *("text", "linked", "lines", "longest", "long_share", "long_lines", "very_long_share", "very_long_lines"),
    *("link_lines", "link_lines_share", "short_link_lines", "longest_run", "marks", "digits", "sentences"),
    *("prices", "dates"),
)


def _text(page: Page, blocks: Blocks, rows: Bools) -> list[float]:
    chars, linked = blocks.chars, blocks.link_chars
    own = chars - linked
    total = float(chars.sum()) + 1
    links = linked >= 0.9 * chars
    titles = links & (chars >= TITLE)
    texts, marks, digits, stops, prices, dates = kernel.punctuation.total(page, rows.view(np.uint8))
    return [
        np.log1p(total),
        float(linked.sum()) / total,
        np.log1p(len(chars)),
        np.log1p(own.max(initial=0)),
        float(own[own >= LONG].sum()) / total,
        np.log1p(np.count_nonzero(own >= LONG)),
        float(own[own >= 2.5 * LONG].sum()) / total,
        np.log1p(np.count_nonzero(own >= 2.5 * LONG)),
        np.log1p(np.count_nonzero(titles)),
        float(chars[titles].sum()) / total,
        np.log1p(np.count_nonzero(links & ~titles)),
        np.log1p(_longest_run(own >= 0.75 * LONG)),
        marks / total,
        digits / total,
        stops / max(texts, 1),
        np.log1p(prices),
        np.log1p(dates),
    ]


def _longest_run(of: Bools) -> int:
    """Return how many in a row are marked, at most."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], of, [False]]).astype(np.int8)))
    return int((edges[1::2] - edges[::2]).max(initial=0))


_ELEMENTS = (*(f"count_{name}" for name in COUNTED), "in_p", "in_cells", "in_items")


def _elements(page: Page, blocks: Blocks) -> list[float]:
    """Count each element, and measure how much of the text stands directly in some of them."""
    counts = np.bincount(page.tag)
    numbers = [counts[TAG_ID[name]] if TAG_ID[name] < len(counts) else 0 for name in COUNTED]
    total = float(blocks.chars.sum()) + 1
    around = page.tag[page.parent[blocks.first]] if len(blocks) else np.zeros(0, dtype=np.int32)
    places = (around == TAG_ID["p"], (around == TAG_ID["td"]) | (around == TAG_ID["th"]), around == TAG_ID["li"])
    shares = [float(blocks.chars[place].sum()) / total for place in places]
    return [*np.log1p(numbers).tolist(), *shares]


_OF_GROUP = ("size", "share", "chars", "links", "spread", "images", "linking", "long")
_GROUPS = (
    *(f"group{k}_{name}" for k in range(1, GROUPS + 1) for name in _OF_GROUP),
    *("linking_size", "linking_share", "pictured_size", "pictured_share", "long_size", "long_share_of_group"),
)


def _groups(page: Page, rows: Bools) -> list[float]:
    """Measure groups of similar pieces: elements of one name in one parent, those with the most text first."""
    groups = kernel.siblings.alike(page, rows.view(np.uint8), ALIKE, LONG)
    _, _, sizes, held, squares, linked, *counts = np.array(groups, dtype=np.float64).reshape(-1, 9).T
    total = float(page.chars[rows].sum()) + 1
    mean = held / sizes
    spread = np.sqrt(np.maximum(squares / sizes - mean**2, 0)) / (mean + 1)
    shares = [count / sizes for count in counts]  # with an image, a link, a long text
    columns = (np.log1p(sizes), held / total, np.log1p(mean), linked / (held + 1), spread, *shares)
    values = []
    best = np.argsort(-held, kind="stable")[:GROUPS].tolist()
    for k in range(GROUPS):
        values += [float(column[best[k]]) for column in columns] if k < len(best) else [0.0] * len(columns)
    pictured, linking, wordy = (share > least for share, least in zip(shares, (0.7, 0.8, 0.5), strict=True))
    for chosen in (linking & (mean > TITLE), pictured, wordy):
        values += [float(column[chosen].max(initial=0)) for column in columns[:2]]
    return values


_TITLES = (
    *("linked_headings", "other_headings", "linked_headings_share", "titles", "titles_share", "numbered_links"),
    *("chunk_titles", "chunk_titles_text", "chunk_headings", "chunk_headings_text"),
)


def _titles(page: Page, blocks: Blocks) -> list[float]:
    """Count links that may be titles of articles, and measure the most text between two of them."""
    chars, linked = blocks.chars, blocks.link_chars
    first = blocks.first
    heading = inside(page, "h1 h2 h3 h4 h5 h6")[first]
    chrome = inside(page, "nav header footer aside menu")[first]
    links = linked >= 0.8 * chars
    headings = heading & links & (chars >= TITLE // 2)
    titles = links & (chars >= TITLE) & ~chrome
    short = np.flatnonzero((chars <= 3) & (linked > 0)).tolist()
    return [
        np.log1p(np.count_nonzero(headings)),
        np.log1p(np.count_nonzero(heading & ~headings)),
        np.count_nonzero(headings) / (np.count_nonzero(heading) + 1),
        np.log1p(np.count_nonzero(titles)),
        float(chars[titles].sum()) / (float(chars.sum()) + 1),
        np.log1p(sum(blocks.text(k).isdigit() for k in short)),
        *_largest_chunk(titles, chars - linked),
        *_largest_chunk(headings, chars - linked),
    ]


def _largest_chunk(borders: Bools, text: Ints) -> list[float]:
    """Return the most text between two borders: its share of all, and its size."""
    largest = float(np.bincount(np.cumsum(borders), text).max(initial=0))
    return [largest / (float(text.sum()) + 1), np.log1p(largest)]


_STATED_NAMES = tuple(name.encode() for name in STATED)
_STATED = (*(f"og_{name}" for name in OG_TYPES), *(f"says_{name}" for name in STATED), "published")


def _stated(page: Page) -> list[float]:
    """Return what the page states of itself."""
    own, values = og_type(page), page.value_buffer
    linked = b" ".join(page.text_buffer[start:stop] for start, stop in linked_scripts(page))
    named = _named_after(b"schema.org/", values)
    says = (name in named or b'"%b"' % name in linked for name in _STATED_NAMES)
    facts = (*map(own.startswith, OG_TYPES), *says, b"article:published_time" in values)
    return [*map(float, facts)]


def _named_after(mark: bytes, buffer: bytes) -> set[bytes]:
    """Return what of STATED is named after a mark in a buffer, or begins a name there."""
    found = set[bytes]()
    at = buffer.find(mark)
    while at >= 0:
        at += len(mark)
        if buffer.startswith(_STATED_NAMES, at):
            found.update(name for name in _STATED_NAMES if buffer.startswith(name, at))
        at = buffer.find(mark, at)
    return found


_ADDRESS = (
    *("no_address", "folders", "last_length", "last_words", "last_digits", "number", "date", "file", "slash", "query"),
    *("home", "asks"),
    *(f"names_{name}" for name in NAMED),
)


def _address(url: str | None) -> list[float]:
    """Return what the URL looks like."""
    parts = split_url(url or "")
    folders = [folder for folder in parts.path.split("/") if folder]
    last = folders[-1] if folders else ""
    low = (url or "").lower()
    return [
        float(url is None),
        float(len(folders)),
        float(len(last)),
        float(last.count("-") + last.count("_")),
        float(sum(sign.isdigit() for sign in last)),
        float(_NUMBER.search(parts.path) is not None),
        float(_DAY.search(parts.path) is not None),
        float("." in last),
        float(parts.path.endswith("/")),
        float(bool(parts.query)),
        float(not folders),
        float(_QUESTION.search(parts.query) is not None),
        *(float(name in low) for name in NAMED),
    ]


KIND_FEATURES = (*_TEXT, *_ELEMENTS, *_GROUPS, *_TITLES, *_STATED, *_ADDRESS)
