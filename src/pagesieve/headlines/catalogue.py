"""Catalogues: the article links of a page that lists articles, with all titles that the page gives them."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from pagesieve.errors import BadInput
from pagesieve.headlines.anchors import Anchor, Beside, beside, read_anchor
from pagesieve.headlines.judgement import Judgement, is_front
from pagesieve.headlines.pagination import find_pages, link_base
from pagesieve.headlines.titles import titles_of
from pagesieve.page import kernel
from pagesieve.page.table import Page
from pagesieve.text.dates import date_in
from pagesieve.text.urls import absolute, key, masked_url

_PLAIN_WORD = re.compile(r"[A-Za-z0-9]+")
# What a heading says above links that are not the page's own list.
_BESIDE = re.compile(
    r"\b(?:most (?:read|popular|viewed|shared|commented|discussed|recent|watched)|popular|trending|related|recommended|"
    r"recommendations|you (?:may|might)|top (?:posts|stories|news|articles)|(?:recent|latest|hot) comments|"
    r"recent (?:posts|entries|articles)|more (?:from|on|in)\b|editor.?s.? (?:picks?|choice)|don.t miss|"
    r"meistgelesen|beliebt|empfohlen|ähnliche|verwandte|das könnte|neueste (?:beiträge|kommentare)|"
    r"les? plus (?:lus?|populaires?|vus?)|plus lus|à lire aussi|recommandé|sur le même (?:sujet|thème)|"
    r"articles (?:récents|similaires)|"
    r"(?:lo )?más (?:leíd|vist|popular|comentad)|relacionad|recomendad|te puede interesar|entradas recientes|"
    r"mais (?:lid|vist|popular)|populares|posts recentes|più (?:lett|vist|popolar)|popolari|correlati|consigliati|"
    r"potrebbe interessar|articoli recenti|meest gelezen|populair|gerelateerd|aanbevolen|mest (?:läst|lest|læst|sett)|"
    r"najczęściej|najpopularniejsze|polecane|podobne|nejčtenější|populární|popüler|çok okunan|ilgili|önerilen|"
    r"terpopuler|terkait|populer|xem nhiều|liên quan|đọc nhiều|"
    r"популярн|самые? читаем|читайте также|похожие|рекоменд|последние комментарии|свежие комментарии|δημοφιλ|σχετικ)"
    r"|人気|関連|ランキング|おすすめ|最近の|最新コメント|热门|熱門|推荐|推薦|相关|相關|排行|点击|猜你喜欢|最热|热点"
    r"|인기|관련|추천|많이 본|الأكثر|ذات صلة|ยอดนิยม|เกี่ยวข้อง",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Link:
    """An article that a page links to."""

    title: str  # the best of its titles
    url: str  # absolute and normalised
    titles: tuple[str, ...]  # all titles that the page gives it, the best first
    date: str | None = None  # in ISO 8601, if there is one next to the link or in its URL
    summary: str | None = None  # if there is one next to the link
    main: bool = True  # whether it is in the main list of the page, and not in a menu or beside that list


class _Named(NamedTuple):
    """An article with its titles, and the links to it."""

    target: int  # its index among the targets of the page
    url: str
    titles: tuple[str, ...]
    anchors: list[Anchor]


@dataclass(frozen=True, eq=False, slots=False)
class Catalogue:
    """The article links of a page, and the further pages of its list. Attributes are computed on first access."""

    page: Page = field(repr=False)
    url: str

    def __getstate__(self) -> dict[str, Any]:
        """Pickle only the page and its URL; everything else is derived from them."""
        return {"page": self.page, "url": self.url}

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links of the main list, each URL once, in the order of the page."""
        named, items, main = self._listed
        return self._links(items, [one for one in named if main[one.target]], main)

    @cached_property
    def all_links(self) -> tuple[Link, ...]:
        """All article links, including those in menus and beside the main list, such as most-read lists."""
        named, items, main = self._listed
        return self._links(items, named, main)

    @cached_property
    def other_links(self) -> tuple[str, ...]:
        """The addresses of links that do not lead to articles, but to sections, tags, help pages."""
        judgement = self._judgement
        return tuple(dict.fromkeys(judgement.address(target) for target in judgement.judge.no_articles()))

    @property
    def next_url(self) -> str | None:
        """The next page of the list."""
        return self._pagination[0]

    @property
    def pages(self) -> tuple[str, ...]:
        """The addresses of all linked pages of the list."""
        return self._pagination[1]

    def titles(self, url: str) -> tuple[str, ...]:
        """Return all titles that links of the page give a URL, the best first. Any spelling of the URL will do.

        The URL need not be in `all_links`: every link to it counts.
        """
        address = absolute(url, self.url)
        if address is None:
            return ()
        wanted = key(address)
        target = self._judgement.targets.with_key(wanted.encode("utf-8", "replace"))
        if target < 0:
            return ()
        # A link whose href does not contain the name of the page, such as "" or "?", is a button of that page.
        word = max(_PLAIN_WORD.findall(wanted.rpartition("/")[2]), key=len, default="")
        return self._titles([anchor for anchor in self._anchors(target) if self._spells(anchor, word)])

    @cached_property
    def _judgement(self) -> Judgement:
        return Judgement(self.page, self.url, self._base)

    def _anchors(self, target: int) -> list[Anchor]:
        return [read_anchor(self._judgement.links, number) for number in self._judgement.targets.links_to(target)]

    def _spells(self, anchor: Anchor, word: str) -> bool:
        """Whether a word is in the address of a link, ignoring line ends, which browsers remove from addresses."""
        href = self.page.attribute(anchor.row, "href") or ""
        return word in href or not href.isprintable()

    def _titles(self, anchors: list[Anchor]) -> tuple[str, ...]:
        labels = self._judgement.labels if any(anchor.said for anchor in anchors) else frozenset[str]()
        return titles_of(anchors, labels)

    def _named(self, target: int) -> _Named:
        anchors = self._anchors(target)
        return _Named(target, self._judgement.address(target), self._titles(anchors), anchors)

    @cached_property
    def _listed(self) -> tuple[list[_Named], Any, bytes]:
        """The articles with their titles, the kernel's `Items`, and for each target whether it is in the main list."""
        judge = self._judgement.judge
        named = [one for target in judge.articles() if (one := self._named(target)).titles]
        listed = bytearray(self._judgement.targets.count)
        for one in named:
            listed[one.target] = 1
        items = kernel.records.main_list.Items(judge, bytes(listed))
        return named, items, _main_targets(self.page, judge, items, is_front(self.url))

    def _links(self, items: Any, named: list[_Named], main: bytes) -> tuple[Link, ...]:
        """Return the links to some articles, with their dates and summaries."""
        return tuple(
            Link(titles[0], url, titles, near.date or date_in(url), near.summary, bool(main[target]))
            for (target, url, titles, _), near in zip(named, self._beside(items, named), strict=True)
        )

    @cached_property
    def _base(self) -> str:
        return link_base(self.page, self.url)

    @cached_property
    def _pagination(self) -> tuple[str | None, tuple[str, ...]]:
        return find_pages(self.page, self._judgement, self.url, self._base)

    def _beside(self, items: Any, named: list[_Named]) -> list[Beside]:
        """Return the date and summary next to each link; of several links to an article, use the one with the title."""
        wanted = [
            (next((anchor for anchor in anchors if title in anchor.text), anchors[0]), title)
            for _, _, (title, *_), anchors in named
        ]
        return beside(self.page, items, wanted)


def _main_targets(page: Page, judge: Any, items: Any, is_front: bool) -> bytes:
    """Return for each target whether it stands in the page's own list; `judge` and `items` are of the kernel."""
    main = kernel.records.main_list.MainList(judge, items)
    beside = [row for row in main.headings() if _BESIDE.search(page.text(row))]
    found: bytes = main.find(is_front, beside)
    return found


def find_catalogue(page: Page, url: str) -> Catalogue:
    """Return the article links of a page, with their titles. `url` is the address of the page.

    Raise BadInput if it is not a URL, since links are made absolute with it.
    """
    address = absolute(url, url)
    if address is None:
        raise BadInput(f"not the address of a page: {masked_url(url)!r}")
    return Catalogue(page, address)
