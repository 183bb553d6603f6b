"""What kind of page this is: an article, a catalogue of articles, records, or none of them.

A forest of small trees looks at the page as a whole: how much of its text is in links, whether it comes in long lines
or in many similar pieces, what the headings link to, what the page states of itself, what its URL looks like. It was
trained on labelled pages (`pagesieve train --method kind`). Three rules come before it, for what needs no training.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from math import log1p, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.forest import Forest
from pagesieve.articles.problem import problem
from pagesieve.page import kernel
from pagesieve.page.keeping import kept
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.lines import Blocks, inside, readable, split
from pagesieve.page.stated import address, linked_scripts, og_type
from pagesieve.page.table import Bools, Page
from pagesieve.stages import stage
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


@kept
@stage("kind")
def kind(page: Page) -> Kind:
    """Return the kind of a page."""
    page = page.unveiled
    rows = readable(page)
    if int(page.chars[rows].sum()) < LEAST_TEXT or problem(page) is not None:
        return "other"
    if is_archive(address(page)):
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
    lines = kernel.line_sums.LineSums(LONG, TITLE)
    heading, chrome = (inside(page, names).view(np.uint8) for names in (_HEADINGS, _CHROME))
    lines.read((blocks.first, blocks.chars, blocks.link_chars), heading, chrome)
    values = [
        *_text(lines, kernel.punctuation.total(page, rows.view(np.uint8))),
        *_elements(page, blocks, lines.chars + 1.0),
        *_groups(page, rows),
        *_titles(lines, sum(blocks.text(line).isdigit() for line in lines.numbers)),
        *_stated(page),
        *_address(address(page)),
    ]
    return np.array(values, dtype=np.float32)


_HEADINGS, _CHROME = "h1 h2 h3 h4 h5 h6", "nav header footer aside menu"

_TEXT = (
    *("text", "linked", "lines", "longest", "long_share", "long_lines", "very_long_share", "very_long_lines"),
    *("link_lines", "link_lines_share", "short_link_lines", "longest_run", "marks", "digits", "sentences"),
    *("prices", "dates"),
)


def _text(lines: Any, counts: tuple[int, int, int, int, int, int]) -> list[float]:
    """Measure the text, by what is counted of its lines and of the rows that are read."""
    total = lines.chars + 1.0
    texts, marks, digits, stops, prices, dates = counts
    return [
        log1p(total),
        lines.linked / total,
        log1p(lines.lines),
        log1p(lines.longest),
        lines.long_chars / total,
        log1p(lines.long_lines),
        lines.very_long_chars / total,
        log1p(lines.very_long_lines),
        log1p(lines.link_lines),
        lines.link_line_chars / total,
        log1p(lines.short_link_lines),
        log1p(lines.longest_run),
        marks / total,
        digits / total,
        stops / max(texts, 1),
        log1p(prices),
        log1p(dates),
    ]


_ELEMENTS = (*(f"count_{name}" for name in COUNTED), "in_p", "in_cells", "in_items")


def _elements(page: Page, blocks: Blocks, total: float) -> list[float]:
    """Count each element, and measure how much of the text stands directly in some of them."""
    counts = np.bincount(page.tag, minlength=_MOST_TAG + 1)[_COUNTED_TAGS]
    around = page.tag[page.parent[blocks.first]]
    held = np.bincount(around, blocks.chars, _MOST_TAG + 1)
    shares = [sum(float(held[TAG_ID[name]]) for name in names) / total for names in (("p",), ("td", "th"), ("li",))]
    return [*np.log1p(counts).tolist(), *shares]


_COUNTED_TAGS = np.array([TAG_ID[name] for name in COUNTED])
_MOST_TAG = max(TAG_ID.values())

_OF_GROUP = ("size", "share", "chars", "links", "spread", "images", "linking", "long")
_GROUPS = (
    *(f"group{k}_{name}" for k in range(1, GROUPS + 1) for name in _OF_GROUP),
    *("linking_size", "linking_share", "pictured_size", "pictured_share", "long_size", "long_share_of_group"),
)


def _groups(page: Page, rows: Bools) -> list[float]:
    """Measure groups of similar pieces: elements of one name in one parent, those with the most text first."""
    groups = kernel.siblings.alike(page, rows.view(np.uint8), ALIKE, LONG)
    total = float(page.chars[rows].sum()) + 1
    values = []
    for group in sorted(groups, key=lambda group: -group[3])[:GROUPS]:
        values += _group(group[2:], total)
    values += [0.0] * (GROUPS * len(_OF_GROUP) - len(values))
    linking = [group for group in groups if group[7] / group[2] > 0.8 and group[3] / group[2] > TITLE]
    pictured = [group for group in groups if group[6] / group[2] > 0.7]
    wordy = [group for group in groups if group[8] / group[2] > 0.5]
    for chosen in (linking, pictured, wordy):
        values += [log1p(max((group[2] for group in chosen), default=0))]
        values += [max((group[3] for group in chosen), default=0) / total]
    return values


def _group(group: tuple[float, ...], total: float) -> list[float]:
    """Return what is told of a group of siblings, given what the kernel has added up of them."""
    size, held, squares, linked, pictured, linking, long = group
    mean = held / size
    spread = sqrt(max(squares / size - mean**2, 0)) / (mean + 1)
    shares = (pictured / size, linking / size, long / size)
    return [log1p(size), held / total, log1p(mean), linked / (held + 1), spread, *shares]


_TITLES = (
    *("linked_headings", "other_headings", "linked_headings_share", "titles", "titles_share", "numbered_links"),
    *("chunk_titles", "chunk_titles_text", "chunk_headings", "chunk_headings_text"),
)


def _titles(lines: Any, numbered: int) -> list[float]:
    """Measure links that may be titles of articles, and the most text between two of them."""
    text = lines.chars - lines.linked
    return [
        log1p(lines.linked_headings),
        log1p(lines.headings - lines.linked_headings),
        lines.linked_headings / (lines.headings + 1),
        log1p(lines.titles),
        lines.title_chars / (lines.chars + 1.0),
        log1p(numbered),
        *(value for most in lines.most_between() for value in (most / (text + 1.0), log1p(most))),
    ]


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
