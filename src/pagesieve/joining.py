"""Articles over several pages: follow the links from page to page, and join the pages into one article.

The text that the pages repeat is removed: headline, standfirst, byline, footers and comments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import Any

import numpy as np

from pagesieve.article import Article
from pagesieve.errors import BadInput, BadOption, PagesieveError
from pagesieve.facts.fields import Metadata
from pagesieve.facts.next_part import names_page
from pagesieve.headlines.headline import without_headline
from pagesieve.selection import Decision, Reason, Selection
from pagesieve.text.urls import absolute, key
from pagesieve.text.whitespace import fold
from pagesieve.threads.thread import HTML_RULE, RULE, Post, Posts
from pagesieve.writing import Document, image_names, write_html, write_markdown, write_text

MAX_PARTS = 20  # pages of an article
_MAX_FAILED = 3  # consecutive pages that cannot be read, after which the walk ends


def follow(first: Article, get: Callable[[str], Article], *, url: str | None = None, most: int = MAX_PARTS) -> Article:
    """Follow the links to the next page of an article, and return the article of all pages.

    The result is `first` itself if there is no next page. `get` takes a URL and returns the article of that page. If
    it raises a PagesieveError, the page is left out, and `notes` says so. `url` is the address of the first page, if
    the article does not have it. `most` is the maximum number of pages to read.
    """
    if most < 1:
        raise BadOption(f"most is the number of pages to read, at least 1, not {most!r}")
    walk = _Walk(first, url or first.url)
    while len(walk.articles) + len(walk.notes) < most and (address := walk.next_address()):
        try:
            walk.add(address, get(address))
        except PagesieveError as error:
            walk.miss(str(error))
    if len(walk.articles) == 1 and not walk.notes:
        return first
    return join(walk.articles, parts=walk.addresses, notes=walk.notes)


class _Walk:
    """The pages of an article that have been read so far."""

    def __init__(self, first: Article, url: str | None) -> None:
        self.articles, self.addresses, self.notes = [first], [url or ""], list[str]()
        self._seen = {spelling(url or "")}
        self._failed = 0  # pages since the last one that could be read
        self._is_over = False

    def next_address(self) -> str | None:
        """Return the address of the next page, or None if there is none or it has been read already."""
        url = self.addresses[-1]
        if not url or self._is_over or self._failed >= _MAX_FAILED:
            return None
        address = self.articles[-1].next_part(url, self._failed)
        if address is None or spelling(address) in self._seen:
            return None
        self._seen.add(spelling(address))
        return address

    def add(self, address: str, article: Article) -> None:
        """Add the page that was read from an address, or end the walk if it repeats an earlier page."""
        final = article.page.url or address  # a server may have redirected
        selections = (page.selection for page in self.articles)
        if (final != address and spelling(final) in self._seen) or is_repeated(article.selection, selections):
            self._is_over = True
            return
        self._seen.add(spelling(final))
        self.articles.append(article)
        self.addresses.append(final)
        self._failed = 0

    def miss(self, why: str) -> None:
        """Record that a page could not be read, and why."""
        self._failed += 1
        self.notes.append(f"page {len(self.addresses) + len(self.notes) + 1} is missing: {why}")


def spelling(url: str) -> str:
    """Return the normal form of an address, for comparisons."""
    return key(absolute(url, url) or url)


def join(articles: Iterable[Article], *, parts: Sequence[str] = (), notes: Sequence[str] = ()) -> Article:
    """Join the articles of several pages, in order, into one.

    Text that a page repeats from earlier ones (headline, standfirst, byline) appears once, and so do comments; a page
    that repeats an earlier one is left out. The headline is that of the first page, and each fact that of the first
    page that states it. `parts` has the addresses of the pages, if the articles do not have them. `notes` are added to
    the notes of the pages.
    """
    articles = list(articles)
    if not articles or not all(isinstance(article, Article) for article in articles):
        raise BadInput("join() takes a sequence of at least one Article")
    addresses = list(parts) or [article.url or "" for article in articles]
    pages, urls = list[Article](), list[str]()
    for article, address in zip(articles, addresses, strict=True):
        if not pages or not is_repeated(article.selection, (page.selection for page in pages)):
            pages.append(article)
            urls.append(address)
    first = {each.name: getattr(articles[0], each.name) for each in fields(Article) if each.name != "parts"}
    return JoinedArticle(**first, parts=tuple(filter(None, urls)), pages=tuple(_as_pages(pages)), remarks=tuple(notes))


def _as_pages(articles: Sequence[Article]) -> Iterator[Article]:
    """Yield the articles as pages of one: without comments and repeated text, and with distinct labels of notes."""
    selections = without_repeats([article.selection for article in articles], articles[0].title)
    images = frozenset[str]()
    for number, (article, selection) in enumerate(zip(articles, selections, strict=True), 1):
        prefix = f"p{number}-" if number > 1 else ""
        options = article.options._replace(note_prefix=prefix, images_before=images)
        yield replace(article, selection=selection, include_comments=False, options=options)
        if options.images:
            images |= image_names(article.page)


@dataclass(frozen=True, repr=False)
class JoinedArticle(Article):
    """An article of several pages. Each page writes its own part; the comments of all come last."""

    pages: tuple[Article, ...] = ()  # each without the text that it repeats
    remarks: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """The body as plain text, without the headline. Rules separate the posts of a thread."""
        return self._written("text", write_text, RULE if self.selection.posts else "\n\n")

    @cached_property
    def markdown(self) -> str:
        """The body as Markdown."""
        return self._written("markdown", write_markdown, RULE if self.selection.posts else "\n\n")

    @cached_property
    def html(self) -> str:
        """The body as clean HTML."""
        return self._written("html", write_html, HTML_RULE if self.selection.posts else "\n")

    def _written(self, body: str, write: Callable[[Document], str], gap: str) -> str:
        bodies = [getattr(page, body) for page in self.pages]
        comments = map(write, self._comment_documents)
        return gap.join(filter(None, (*bodies, *comments)))

    @property
    def _comment_documents(self) -> tuple[Document, ...]:
        return tuple(page._comment_document for page in self.pages) if self.include_comments else ()

    @property
    def _documents(self) -> tuple[Document, ...]:
        return (*(document for page in self.pages for document in page._documents), *self._comment_documents)

    @cached_property
    def metadata(self) -> Metadata:
        """The facts, each from the first page that states it."""
        facts = super().metadata
        for page in self.pages[1:]:
            facts = facts.completed(page.metadata)
        return facts

    def next_part(self, url: str | None = None, skip: int = 0) -> str | None:
        """Return the address of the page after the last joined one; `url` is the address of that last page."""
        return self.pages[-1].next_part(url or (self.parts[-1] if self.parts else None), skip)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the pages, and a note for each page that is missing."""
        return (*(note for page in self.pages for note in page.notes), *self.remarks)

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """The posts of a thread."""
        return tuple(_numbered(page.posts for page in self.pages))

    @cached_property
    def comments(self) -> Posts:
        """The readers' comments on all pages, each once."""
        posts = _numbered(page.comments for page in self.pages)
        return Posts(posts, "\n\n".join(filter(None, (str(page.comments) for page in self.pages))))

    def _posts_as_dict(self, bodies: Sequence[str]) -> dict[str, Any]:
        return {name: [post.as_dict(bodies) for post in getattr(self, name)] for name in ("posts", "comments")}

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions about all blocks of all pages, in order: kept or dropped, and why."""
        return tuple(
            replace(decision, part=number) for number, page in enumerate(self.pages) for decision in page.decisions
        )


def _numbered(pages: Iterable[Sequence[Post]]) -> Iterator[Post]:
    """Yield the posts of all pages, with the numbers of their parents counted over all pages."""
    before = 0
    for posts in pages:
        for post in posts:
            yield post if post.parent is None else replace(post, parent=post.parent + before)
        before += len(posts)


_HEAD = 12  # blocks at the beginning of a page that may repeat earlier pages
_PARAGRAPH = 80  # characters of a paragraph: with the first new one, the text of the page begins
_SENTENCE = 25  # characters of a block that counts as repeated wherever it occurs; shorter ones may agree by chance
_SAME = 0.9  # share of a page's text that earlier pages have if it repeats one of them
_REPEATED = Reason("repeated from another page", "rule")
_PAGE_NUMBER = Reason("the number of a page", "rule")


def is_repeated(selection: Selection, earlier: Iterable[Selection]) -> bool:
    """Whether earlier pages have nearly all of a page's text, so that the page repeats one of them."""
    known = {text for page in earlier for _, text in _texts(page, _kept(page))}
    texts = [text for _, text in _texts(selection, _kept(selection))]
    return sum(len(text) for text in texts if text in known) >= _SAME * sum(map(len, texts))


def without_repeats(pages: Sequence[Selection], title: str) -> list[Selection]:
    """Return the pages of an article without repeated text. `title` is the headline of the article.

    Text at the beginning of several pages remains on the first of them, and so do comments. Text at the end of several
    pages remains on the last. Lines with the number of the page are removed.
    """
    found: list[Selection] = []
    head, shown, comments = set[str](), set[str](), set[str]()
    for number, given in enumerate(pages, 1):
        selection = page = _without_number(given, number)
        if found:
            selection = without_headline(page, title) if title else page
            selection = _without(selection, _repeated(selection, head, shown), _REPEATED)
            selection = _without_comments(selection, comments)
            found[-1] = _without(found[-1], _same_ends(found[-1], selection), _REPEATED)
        found.append(selection)
        head.update(text for _, text in _texts(page, _kept(page)[:_HEAD]))
        shown.update(text for _, text in _texts(page, np.flatnonzero(page.blocks.chars >= _SENTENCE).tolist()))
        comments.update(text for _, text in _texts(page, _commented(page)))
    return found


def _texts(selection: Selection, blocks: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield blocks with their texts, white space folded."""
    return ((block, fold(selection.blocks.text(block))) for block in blocks)


def _kept(selection: Selection) -> list[int]:
    kept: list[int] = np.flatnonzero(selection.kept).tolist()
    return kept


def _commented(selection: Selection) -> list[int]:
    commented: list[int] = np.flatnonzero(selection.blocks.any(selection.comments)).tolist()
    return commented


def _without(selection: Selection, blocks: Iterable[int], reason: Reason) -> Selection:
    dropped = frozenset(blocks)
    return selection.without(dropped, reason) if dropped else selection


def _repeated(selection: Selection, head: set[str], shown: set[str]) -> Iterator[int]:
    """Yield the blocks at the beginning of a page that earlier pages have, up to the first new paragraph."""
    for block, text in _texts(selection, islice(_kept(selection), _HEAD)):
        if text in head or text in shown:
            yield block
        elif len(text) >= _PARAGRAPH:
            return


def _same_ends(selection: Selection, following: Selection) -> Iterator[int]:
    """Yield the blocks at the end of a page that the end of the next page repeats, starting with the last one."""
    ends = zip(_texts(selection, _kept(selection)[:0:-1]), _texts(following, _kept(following)[:0:-1]), strict=False)
    return (block for (block, _), _ in takewhile(lambda pair: pair[0][1] == pair[1][1], ends))


def _without_number(selection: Selection, number: int) -> Selection:
    """Return a page without the lines before its first and after its last paragraph that have its number."""
    kept = _kept(selection)
    sides = (islice(kept, _HEAD), islice(reversed(kept), _HEAD))
    short = (takewhile(lambda pair: len(pair[1]) < _PARAGRAPH, _texts(selection, side)) for side in sides)
    lines = frozenset(block for side in short for block, text in side if names_page(text, number))
    return _without(selection, lines, _PAGE_NUMBER) if len(lines) < len(kept) else selection


def _without_comments(selection: Selection, known: set[str]) -> Selection:
    """Return a page without the comments that earlier pages have."""
    repeated = [block for block, text in _texts(selection, _commented(selection)) if text in known]
    if not repeated:
        return selection
    comments = selection.comments.copy()
    for block in repeated:
        comments[selection.blocks.rows_of(block)] = False
    return replace(selection, comments=comments)
