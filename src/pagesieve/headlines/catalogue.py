"""The catalogue step: the article links of a page that lists articles, with all that the page calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pagesieve.errors import BadInput
from pagesieve.headlines.anchors import Anchor, Reader, width_of
from pagesieve.headlines.items import Beside, Standing, beside
from pagesieve.headlines.judgement import Repeated, Target, find_targets, judge, repeated_texts
from pagesieve.headlines.pagination import pagination
from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.table import Page
from pagesieve.text.dates import date_in
from pagesieve.text.urls import absolute, address_of, key

LONGEST_TITLE = 300  # characters: what is longer is a text
LONGEST_DATE = 40  # characters of a link that is nothing but a date
UNFINISHED = ("…", "...", "···", "[…]")

LEAST_WORD = 15  # width of a heading of one word: a shorter one names the section
LEAST_TELLING = 30  # width of a text that can do without a word of the title

# Words of scripts that part them; of others, pairs of characters.
_TELLING = re.compile(r"[぀-鿿가-힯]{2}|[^\W\d_぀-鿿가-힯]{4,}|\d{2,}")
# A number of something: comments, views, shares. Possessive: digits are words too, and can be shared out in many ways.
_COUNT = re.compile(r"\W*+\d[\d.,]*+\W*+(?:\w++\W*+){0,2}+")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9]+")
_FILE_NAME = re.compile(r"\S+\.(?:jpe?g|png|gif|webp)|(?:IMG|DSC)[_\d\W]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """An article that a page links to."""

    title: str  # the best of its titles
    url: str  # absolute and normal
    titles: tuple[str, ...]  # all that the page calls it, the best first
    date: str | None = None  # ISO, where one stands next to the link or in its URL
    summary: str | None = None  # where one stands next to the link


@dataclass(frozen=True, eq=False, slots=False)
class Catalogue:
    """What a page lists: its article links, and where the list goes on. Each is found when it is first asked for."""

    page: Page = field(repr=False)
    url: str

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The article links, in the order of the page; one URL appears once, where it first stands."""
        articles = [target for target in self._targets.values() if target.is_article]
        named = ((target, titles_of(target.anchors, self._repeated, self._reader.labels)) for target in articles)
        kept = [(target, titles) for target, titles in named if titles]
        return tuple(
            Link(titles[0], target.url, titles, near.date or date_in(target.url), near.summary)
            for (target, titles), near in zip(kept, self._beside(kept), strict=True)
        )

    @property
    def next_url(self) -> str | None:
        """The next page of the list."""
        return self._pagination[0]

    @property
    def pages(self) -> tuple[str, ...]:
        """All pages of the list that are linked."""
        return self._pagination[1]

    def titles(self, url: str) -> tuple[str, ...]:
        """All that the page calls the page of a URL, the best first; the URL may be spelt in any way.

        It need not be among the links: what leads there is a witness, wherever it stands.
        """
        address = absolute(url, self.url)
        if address is None:
            return ()
        wanted = key(address)
        # Most links can be told from it by a look: the longest word of its name does not stand in them.
        word = max(_PLAIN_WORD.findall(wanted.rpartition("/")[2]), key=len, default="")
        # A line end within an address is left out of it, so one with such signs has to be looked at.
        likely = ((row, href) for row, href in self._reader.hrefs.items() if word in href or not href.isprintable())
        leading = frozenset(row for row, href in likely if self._key(href) == wanted)
        # Only what shows as much can say the same.
        anchors = self._reader.read(self._reader.as_long_as(leading)) if leading else []
        found = [anchor for anchor in anchors if anchor.row in leading]
        labels = self._reader.labels if any(anchor.said for anchor in found) else frozenset[str]()
        return titles_of(found, self._said_elsewhere(anchors, leading), labels)

    def _said_elsewhere(self, anchors: list[Anchor], leading: frozenset[int]) -> Repeated:
        """What some of the links say that others say too, which lead elsewhere."""
        texts = {(anchor.text, anchor.chars) for anchor in anchors if anchor.row in leading and anchor.text}
        others = (one for one in anchors if one.row not in leading and (one.text, one.chars) in texts)
        return frozenset((one.text, one.chars) for one in others if self._key(one.href) is not None)

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.page)

    @cached_property
    def _base(self) -> str:
        """What the links of the page are relative to."""
        for row in np.flatnonzero(self.page.tag == TAG_ID["base"]).tolist():
            href = self.page.attribute(row, "href")
            if href is not None:
                return absolute(href, self.url) or self.url
        return self.url

    def _key(self, href: str) -> str | None:
        address = address_of(href, self._base)
        return None if address is None else key(address)

    @cached_property
    def _targets(self) -> dict[str, Target]:
        anchors = self._reader.read(self._reader.hrefs)
        self._reader.place(anchors)
        found = find_targets(anchors, self.url, self._base)
        judge(found, repeated_texts(found))
        return found

    @cached_property
    def _repeated(self) -> Repeated:
        return repeated_texts(self._targets)

    @cached_property
    def _pagination(self) -> tuple[str | None, tuple[str, ...]]:
        return pagination(self.page, self._targets, self.url, self._base)

    def _beside(self, kept: list[tuple[Target, tuple[str, ...]]]) -> list[Beside]:
        """What stands next to the links: next to the one that shows the title, where several lead to one article."""
        standing = {
            anchor.row: Standing(anchor.row, target.url, anchor.place.number)
            for target, _ in kept
            for anchor in target.anchors
        }
        wanted = [(standing[_shows(target.anchors, titles[0]).row], titles[0]) for target, titles in kept]
        return beside(self.page, [standing[row] for row in sorted(standing)], wanted)


def find_catalogue(page: Page, url: str) -> Catalogue:
    """The article links of a page, with their titles; `url` is the page's own address, which links are relative to.

    A URL that is none is BadInput: without it no link can be made absolute.
    """
    address = absolute(url, url)
    if address is None:
        raise BadInput(f"not the address of a page: {url!r}")
    return Catalogue(page, address)


def _shows(anchors: list[Anchor], title: str) -> Anchor:
    return next((anchor for anchor in anchors if anchor.text == title), anchors[0])


def titles_of(anchors: Iterable[Anchor], repeated: Repeated, labels: frozenset[str]) -> tuple[str, ...]:
    """All titles that some links to one page show or state, the best first; what buttons say is none.

    `repeated` is what links to other pages show too, `labels` what they state.
    """
    shown, weak, stated = list[Anchor](), list[str](), list[str]()
    for anchor in anchors:
        stated += [text for text in anchor.said if text not in labels and _is_title(text)]
        if not anchor.text or (anchor.text, anchor.chars) in repeated:
            continue
        if anchor.inline or "#" in anchor.href or not _is_title(anchor.text):
            weak.append(anchor.text)
        else:
            shown.append(anchor)
    if not shown:
        return tuple(dict.fromkeys((*stated, *weak)))
    best = _finished(max(shown, key=_rank).text, stated)
    others = (text for text in (*(anchor.text for anchor in shown), *stated) if _tells_of(text, best))
    return tuple(dict.fromkeys((best, *others)))


def _rank(anchor: Anchor) -> tuple[bool, bool, int]:
    """Whole titles before shortened ones, headings before other texts, long ones before short ones."""
    titled = anchor.heading and (" " in anchor.text or anchor.width >= LEAST_WORD)
    return not anchor.text.endswith(UNFINISHED), titled, len(anchor.text)


def _finished(title: str, stated: list[str]) -> str:
    """A title, or the longer one that is stated and begins with it: lists cut titles, and do not always say so."""
    begin = title.rstrip(".…·[] ") if title.endswith(UNFINISHED) else title
    return max((text for text in stated if text.startswith(begin)), key=len, default=title)


def _tells_of(text: str, title: str) -> bool:
    """Whether a text besides a title can be one: it is long, or it has a word of the title. "Read on" has none."""
    if width_of(text) >= LEAST_TELLING:
        return True
    title = title.casefold()
    return any(word in title for word in _TELLING.findall(text.casefold()))


def _is_title(text: str) -> bool:
    """Whether a text can be a title: not too long, not a date, a count, or the name of a picture's file."""
    if len(text) > LONGEST_TITLE or _COUNT.fullmatch(text) or _FILE_NAME.fullmatch(text):
        return False
    return len(text) > LONGEST_DATE or date_in(text) is None
