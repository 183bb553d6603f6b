"""Compose labelled pages from labelled pages, so that a model has seen what follows an article.

A page of an article gets what many pages have: the next article in full below, teasers before or after, boxes of links
between its paragraphs, comments. All of it is taken from pages of other sites; the gold stays that of the page. What
was put in is never part of the gold, and the page must still be labelled as it was before.

Composing must not carry pages from one side of a split to the other: give only pages that stand on the same side.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.metrics import MIN_SHARE, label_lines
from pagesieve.page.lines import split
from pagesieve.page.static import parse
from research import furniture
from research.apart import AFTER, AMID, BEFORE, BELOW, END, INSIDE, Article, Host, take_apart

PAGE_TYPES = (None, "article")  # of the pages that are composed
MIN_DONORS = 3  # of a language; with fewer, pages of any language are taken
MAX_CHANGE = 0.01  # of the gold's words, between the labels of a page and of what was made of it
TRIES = 3  # for each page that is asked for
FOLLOWING = (AFTER, AFTER, AFTER, BELOW, BELOW, END, END, INSIDE)  # where what follows an article stands
AROUND_COMMENTS = (BELOW, AFTER, AFTER, END)
MAX_NEXT = 3  # articles that follow

Page = tuple[Gold, bytes]
Writer = Callable[[Sequence[Article], str | None, Random], str]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How often a page gets each thing, from 0 to 1."""

    next_article: float = 0.5
    one_more: float = 0.25  # after each next article
    teasers_before: float = 0.2
    teasers_after: float = 0.45
    links: float = 0.35
    comments: float = 0.15


MIXED = Recipe()
TWO_ARTICLES = Recipe(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def compose(pages: Sequence[Page], count: int, seed: int, recipe: Recipe = MIXED) -> Iterator[Page]:
    """Yield up to `count` composed pages; the same pages and seed give the same ones.

    The id of each says which page it is and which others it has parts of. There are fewer than `count` where too few
    pages can be taken apart.
    """
    pantry = _Pantry(pages)
    rng = Random(seed)
    hosts = [number for number, (gold, _) in enumerate(pages) if gold.page_type in PAGE_TYPES]
    rng.shuffle(hosts)
    made = 0
    for turn in range(TRIES * count if hosts else 0):
        if made == count:
            break
        host = hosts[turn % len(hosts)]
        page = _composed(pantry, host, Random(f"{seed} {turn} {pages[host][0].id}"), recipe)
        if page is not None and keeps_labels(pages[host], page):
            made += 1
            yield page


def keeps_labels(first: Page, composed: Page) -> bool:
    """Tell whether all lines that are content of one page are content of the other, and next to nothing else is."""
    before, after = _content(*first), _content(*composed)
    words, gone, new = (sum(found.values()) for found in (before, before - after, after - before))
    return words > 0 and gone + new <= MAX_CHANGE * words


def _content(gold: Gold, html: bytes) -> Counter[str]:
    """Return the lines of a page that are content, with their words of the gold."""
    blocks = split(parse(html, gold.url), hidden=True)
    if not len(blocks):
        return Counter()
    words, hits, _ = label_lines(blocks, gold, html)
    found = Counter[str]()
    for k in np.flatnonzero((hits >= MIN_SHARE * np.maximum(words, 1)) & (words > 0)).tolist():
        found[blocks.text(k)] += int(hits[k])
    return found


def _composed(pantry: _Pantry, number: int, rng: Random, recipe: Recipe) -> Page | None:
    """Return a page with what the dice say put in; None where it cannot be taken apart, or nothing was put in."""
    host = pantry.host(number)
    if host is None:
        return None
    table = _Table(host, rng, lambda count: pantry.articles(number, count, rng))
    table.put_in(recipe)
    if not table.inserts:
        return None
    made_of = "+".join([host.gold.id, *dict.fromkeys(table.used)])
    html = host.filled({place: "".join(parts) for place, parts in table.inserts.items()})
    return replace(host.gold, id=made_of), html.encode("utf-8", "replace")


class _Table:
    """A page on the table: what is put in where, and the ids of the pages that it was taken from."""

    def __init__(self, host: Host, rng: Random, articles: Callable[[int], list[Article]]) -> None:
        self.host, self.rng, self.articles = host, rng, articles
        self.inserts = defaultdict[int, list[str]](list)
        self.used: list[str] = []

    def put_in(self, recipe: Recipe) -> None:
        """Put in what the recipe and the dice say; nothing where the page has no place for it."""
        if self._throw(recipe.next_article):
            count = 1
            while count < MAX_NEXT and self._throw(recipe.one_more):
                count += 1
            self._put(FOLLOWING, (count, count), self._next_articles)
        if self._throw(recipe.teasers_before):
            self._put((BEFORE,), furniture.TEASERS, furniture.short_teasers)
        if self._throw(recipe.teasers_after):
            self._put(FOLLOWING, furniture.TEASERS, furniture.teasers)
        if self._throw(recipe.links):
            self._put((AMID,), furniture.LINKS, furniture.links)
        if self._throw(recipe.comments):
            self._put(AROUND_COMMENTS, furniture.COMMENTS, furniture.comments)

    def _throw(self, likely: float) -> bool:
        return self.rng.random() < likely

    def _put(self, names: Sequence[str], size: tuple[int, int], write: Writer) -> None:
        """Put a number of articles in at a place of one of these names, in some form."""
        place = self._place(names)
        taken = self.articles(self.rng.randint(*size)) if place is not None else []
        if place is not None and taken:
            self.used += [article.gold.id for article in taken]
            self.inserts[place].append(write(taken, self.host.gold.lang, self.rng))

    def _place(self, names: Sequence[str]) -> int | None:
        """Return the number of a place of the host; names that are given more often are likelier."""
        there = [name for name in names if name in self.host.places]
        if not there:
            return None
        name = self.rng.choice(there)
        return self.rng.choice([number for number, own in enumerate(self.host.places) if own == name])

    def _next_articles(self, articles: Sequence[Article], lang: str | None, rng: Random) -> str:
        return "".join(furniture.next_article(article, self.host.dress, lang, rng) for article in articles)


class _Pantry:
    """The pages that are given, taken apart when they are needed, and which of them go with which."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._known: dict[int, Article | None] = {}
        self._numbers = defaultdict[str, list[int]](list)  # of pages to take from, by language
        for number, (gold, _) in enumerate(pages):
            if gold.page_type in PAGE_TYPES:
                self._numbers[_language(gold)].append(number)

    def host(self, number: int) -> Host | None:
        """Return a page as one that things can be put into."""
        return self._taken_apart(number)[0]

    def articles(self, number: int, count: int, rng: Random) -> list[Article]:
        """Return up to `count` articles of other sites than a page's own, of its language where there are enough."""
        own = self._pages[number][0]
        of_language = [k for k in self._numbers[_language(own)] if self._is_other(k, own)]
        everywhere = (k for numbers in self._numbers.values() for k in numbers if self._is_other(k, own))
        choice = of_language if len(of_language) >= MIN_DONORS else list(everywhere)
        rng.shuffle(choice)
        found = list[Article]()
        for k in choice[: TRIES * count + TRIES]:
            if len(found) < count and (article := self._article(k)) is not None and article.headline:
                found.append(article)
        return found

    def _is_other(self, number: int, own: Gold) -> bool:
        gold = self._pages[number][0]
        return gold.id != own.id and (gold.site is None or gold.site != own.site)

    def _article(self, number: int) -> Article | None:
        return self._known[number] if number in self._known else self._taken_apart(number)[1]

    def _taken_apart(self, number: int) -> tuple[Host | None, Article | None]:
        host, article = take_apart(*self._pages[number]) or (None, None)
        self._known[number] = article
        return host, article


def _language(gold: Gold) -> str:
    return (gold.lang or "").split("-")[0]


# Composed pages by how they are composed, as shares of all pages.
RECIPES = ((MIXED, 0.1), (TWO_ARTICLES, 0.08))


def compose_all(pages: Sequence[Page], seed: int) -> Iterator[Page]:
    """Compose pages of some pages by all recipes, as the shipped model learns from them."""
    for recipe, share in RECIPES:
        yield from compose(pages, round(share * len(pages)), seed, recipe)
