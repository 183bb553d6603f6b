"""Catalogues: the article links of a page that lists articles, with all titles that the page gives them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from pagesieve.errors import BadInput
from pagesieve.headlines.links import (
    Anchor,
    Beside,
    Judgement,
    beside,
    find_pages,
    is_front,
    link_base,
    read_anchor,
    width_of,
)
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


# Titles


MAX_TITLE_LENGTH = 300  # characters: anything longer is not a title
MAX_DATE_LENGTH = 40  # characters of a link whose text is only a date
LETTERS_WITH_FIGURES = 5  # letters besides a date in figures: "pm", "Uhr"
WORDS_WITH_MONTH = 4  # words besides a date with the name of its month: "Published Tuesday", "de"
UNFINISHED = ("…", "...", "···", "[…]")

MIN_WORD = 15  # width of a title of one word: a shorter one names the section
MIN_TELLING = 30  # width of a text that needs no word of the title

# Words, or pairs of characters in scripts that do not separate words.
_TELLING = re.compile(r"[぀-鿿가-힯]{2}|[^\W\d_぀-鿿가-힯]{4,}|\d{2,}")
# A count of comments, views or shares. The quantifier is possessive, since digits match in many ways.
_COUNT = re.compile(r"\W*+\d[\d.,]*+\W*+(?:\w++\W*+){0,2}+")
_FILE_NAME = re.compile(r"\S+\.(?:jpe?g|png|gif|webp)|(?:IMG|DSC)[_\d\W]+", re.IGNORECASE)
_WORD, _FIGURES = re.compile(r"[^\W\d_年月日년월일]+"), re.compile(r"\d\s?[./年년-]\s?\d")
# Substitutes for pictures, dates of changes, and labels of buttons for comments.
_NO_TITLE = re.compile(
    r"\W*(?:no[\s_-]*(?:image|photo|picture|thumbnail|title)(?:[\s_-]+(?:available|found|yet))?|"
    r"(?:image|photo|picture)[\s_-]+not[\s_-]+(?:available|found)|(?:default|featured|post)[\s_-]*(?:image|thumbnail)|"
    r"image|photo|thumbnail|placeholder|read this (?:post|article))\W*"
    r"|(?:last )?(?:updated|published|posted)(?: on)?\b.{0,12}\d.*"
    r"|(?:leave a|\d+|no) (?:comments?|reply|replies|responses?) (?:on|to)\b.*",
    re.IGNORECASE,
)
_BUTTON_BEFORE = re.compile(r"(?:permalink|permanent link|link)(?: to)?[:\s]+(?=\S)", re.IGNORECASE)
# A date in figures, the year first, before or after a title: lists have it, and headlines do not.
_DAY = (
    r"[\[(（【]?\b(?:19|20)\d\d(?:[-/.]\d{1,2}[-/.]\d{1,2}|年\d{1,2}月\d{1,2}日)"
    r"(?:\s\d{1,2}:\d\d(?::\d\d)?)?\b[\])）】]?"
)
_DAY_BEFORE, _DAY_AFTER = re.compile(rf"{_DAY}[\s:|·–-]*+"), re.compile(rf"[\s|·–-]{_DAY}$")
_SIGNS = " |·–-"  # separate a title from the text next to it


def titles_of(anchors: Iterable[Anchor], labels: frozenset[str]) -> tuple[str, ...]:
    """Return the titles in the texts and attributes of links to one page, the best first, without labels of buttons.

    `labels` are the title attributes that links to other pages have, too.
    """
    shown: list[tuple[str, Anchor]] = []
    weak: list[str] = []
    shared: list[str] = []
    stated: list[str] = []
    for anchor in anchors:
        if anchor.said:
            stated += [title for text in anchor.said if text not in labels and _is_title(title := _bare(text))]
        if not anchor.text:
            continue
        title = _bare(anchor.text)
        if anchor.repeated:
            if anchor.heading and anchor.width >= MIN_WORD and _is_title(title):
                shared.append(title)
        elif not _is_title(title):
            if not _says_nothing(title):
                weak.append(title)
        elif anchor.inline or anchor.fragment:
            weak.append(title)
        else:
            shown.append((title, anchor))
    if not shown:
        return tuple(dict.fromkeys((*stated, *weak) if stated or not shared else shared))
    if len(shown) == 1 and not stated:
        return (shown[0][0],)
    best = _finished(max(shown, key=_rank)[0], stated)
    texts = dict.fromkeys((*(title for title, _ in shown), *stated))
    texts.pop(best, None)
    return best, *(text for text in texts if _tells_of(text, best))


def _bare(text: str) -> str:
    """Return a text without a date before or after it, a sign before it, or "Permalink to"."""
    if text[:1] in "|·•":
        text = text.lstrip("|·• ")
    if text[:1] in "PpLl":
        text = _BUTTON_BEFORE.sub("", text, count=1) if _BUTTON_BEFORE.match(text) else text
    if ("20" in text or "19" in text) and not text.isalpha():
        before = _DAY_BEFORE.match(text)
        bare = _DAY_AFTER.sub("", text[before.end() :] if before else text)
        return (bare.rstrip(_SIGNS) if len(bare) < len(text) else text) or text
    return text


def _rank(shown: tuple[str, Anchor]) -> tuple[bool, bool, int]:
    """Rank whole titles before shortened ones, headings before other texts, long ones before short ones."""
    title, anchor = shown
    titled = anchor.heading and (" " in title or anchor.width >= MIN_WORD)
    return not title.endswith(UNFINISHED), titled, len(title)


def _finished(title: str, stated: list[str]) -> str:
    """Return a title, or the longest stated one that begins with it, since lists cut titles without a mark."""
    begin = title.rstrip(".…·[] ") if title.endswith(UNFINISHED) else title
    return max((text for text in stated if text.startswith(begin)), key=len, default=title)


def _tells_of(text: str, title: str) -> bool:
    """Whether another text can be a title too: it is long, or has a word of the title, unlike "Read on"."""
    if width_of(text) >= MIN_TELLING:
        return True
    title = title.casefold()
    return any(word in title for word in _TELLING.findall(text.casefold()))


def _is_title(text: str) -> bool:
    """Whether a text can be a title: it is not too long, and not a date, count, image file or label of a button."""
    if (
        len(text) > MAX_TITLE_LENGTH
        or _COUNT.fullmatch(text)
        or _FILE_NAME.fullmatch(text)
        or _NO_TITLE.fullmatch(text)
    ):
        return False
    return len(text) > MAX_DATE_LENGTH or date_in(text) is None


def _says_nothing(text: str) -> bool:
    """Whether a text is only a date, a substitute for a picture, or the label of a button."""
    if not text or _NO_TITLE.fullmatch(text):
        return True
    if len(text) > MAX_DATE_LENGTH or date_in(text) is None:
        return False
    words = _WORD.findall(text)
    return len("".join(words)) <= LETTERS_WITH_FIGURES if _FIGURES.search(text) else len(words) <= WORDS_WITH_MONTH
