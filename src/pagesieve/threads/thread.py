"""Posts with their texts, and threads of posts as text, Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Self

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.stated import base_url
from pagesieve.page.table import Page, frozen, view_of
from pagesieve.selection import PostRows
from pagesieve.text.patterns import pattern
from pagesieve.writing import Document, WriterOptions, build, write_html, write_markdown, write_text

_WRITERS = {"text": write_text, "markdown": write_markdown, "html": write_html}
RULE, HTML_RULE = "\n\n---\n\n", "\n<hr>\n"  # between posts
_ROOT = 1  # the row of the root element of a part of a page; row 0 is the document
_DIV, _BLOCKQUOTE = TAG_ID["div"], TAG_ID["blockquote"]
_CLASS = bytes([ATTRIBUTE_ID["class"]])
_QUOTING_WORDS = (b"bbcode_quote", b"quotemain")
_QUOTING = b"".join(word + b"\0" for word in _QUOTING_WORDS)  # in the kernel's format of words
_QUOTES = pattern(r"(?:^|\s)(?:bbcode_quote|quotemain)(?:\s|$)")
_MAX_QUOTATIONS = 200  # of a post
_SPECIAL = pattern(r"[\\`*\[\]<>&#~|$]|\b_|_\b")  # characters that may mean something to Markdown


@dataclass(frozen=True, slots=True)
class Post:
    """One post of a thread, or one comment: its text, and its author and date if the page states them."""

    author: str | None
    date: str | None  # in ISO 8601, with the time and the zone if the page states them
    text: str
    markdown: str
    html: str
    parent: int | None = None  # the index of the post that it answers, in which the page nests it
    depth: int = 0  # the number of posts in which it is nested

    def as_dict(self, bodies: Sequence[str] = ("text", "markdown", "html")) -> dict[str, Any]:
        """Return the fields as a dict for JSON, with the text in each format of `bodies`."""
        return {name: getattr(self, name) for name in ("author", "date", "parent", "depth", *bodies)}


class Posts(tuple[Post, ...]):
    """A tuple of posts; `str()` returns the text of all of them as the page has it."""

    text: str

    def __new__(cls, posts: Iterable[Post] = (), text: str = "") -> Self:
        """Create the tuple. `text` is the text of the posts, with the text between them."""
        found = super().__new__(cls, posts)
        found.text = text
        return found

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Thread:
    """Posts and their documents."""

    rows: tuple[PostRows, ...]
    documents: tuple[Document, ...]

    @classmethod
    def of(cls, page: Page, posts: Sequence[PostRows], options: WriterOptions) -> Self:
        """Create a thread of posts."""
        base = base_url(page) if posts else None
        return cls(tuple(posts), tuple(_document(page, base, post, options) for post in posts))

    def first(self, count: int) -> Self:
        """Return a thread of the first posts."""
        return type(self)(self.rows[:count], self.documents[:count])

    @property
    def posts(self) -> tuple[Post, ...]:
        """The posts with their texts."""
        return tuple(
            Post(
                author=post.author,
                date=post.date,
                text=write_text(document),
                markdown=write_markdown(document),
                html=write_html(document),
                parent=post.parent,
                depth=post.depth,
            )
            for post, document in zip(self.rows, self.documents, strict=True)
        )

    def as_dicts(self, bodies: Sequence[str]) -> list[dict[str, Any]]:
        """Return `Post.as_dict` of each post, without writing formats that are not in `bodies`."""
        return [
            {"author": post.author, "date": post.date, "parent": post.parent, "depth": post.depth}
            | {name: _WRITERS[name](document) for name in bodies}
            for post, document in zip(self.rows, self.documents, strict=True)
        ]

    def text(self, before: Document, bylines: bool) -> str:
        """Return the thread as plain text after the document `before`, with authors and dates if `bylines` is true."""
        return self._joined(before, write_text, _plain if bylines else _nothing, RULE)

    def markdown(self, before: Document) -> str:
        """Return the thread as Markdown after the document `before`."""
        return self._joined(before, write_markdown, _as_markdown, RULE)

    def html(self, before: Document) -> str:
        """Return the thread as HTML after the document `before`."""
        return self._joined(before, write_html, _as_html, HTML_RULE)

    def _joined(
        self, before: Document, write: Callable[[Document], str], byline: Callable[[PostRows], str], rule: str
    ) -> str:
        """Return the posts with rules between them, each after its byline."""
        posts = (byline(post) + write(document) for post, document in zip(self.rows, self.documents, strict=True))
        return rule.join(filter(None, (write(before), *posts)))


def _document(page: Page, base: str | None, post: PostRows, options: WriterOptions) -> Document:
    """Return a post as a document, made from the smallest part of the page around it, since there may be many posts."""
    last, view = int(post.rows[-1]), view_of(page)
    root = view.parent_of(int(post.rows[0]))
    while view.end_of(root) <= last:
        root = view.parent_of(root)
    # The part of a page has no `base` element, so the base URL of its links becomes its address.
    part = _with_quotations(page.part(root, base), view.tag_of(root) == _BLOCKQUOTE)
    rows = np.zeros(len(part), dtype=np.bool_)
    rows[post.rows - (root - 1)] = True
    return build(part, rows, options)


def _with_quotations(part: Page, is_body: bool) -> Page:
    """Return a post with its quotations as `blockquote`: some forums use it for posts, and `div` for quotations."""
    if not is_body and not any(word in part.value_buffer for word in _QUOTING_WORDS):  # as in most posts
        return part
    found = kernel.page.stated.rows_with_word(part, _QUOTING, _CLASS, 0, len(part), _MAX_QUOTATIONS)
    quoting = [row for row, _ in found if part.tag[row] == _DIV and _QUOTES.search(part.attribute(row, "class") or "")]
    if not is_body and not quoting:
        return part
    tags = part.tag.copy()
    tags[quoting] = _BLOCKQUOTE
    if is_body:
        tags[_ROOT] = _DIV
    return part.changed(tag=frozen(tags))


def _nothing(post: PostRows) -> str:
    return ""


def _plain(post: PostRows) -> str:
    said = ", ".join(filter(None, (post.author, post.date)))
    return f"{said}\n\n" if said else ""


def _as_markdown(post: PostRows) -> str:
    return _plain(replace(post, author=f"**{_SPECIAL.sub(_escaped, post.author)}**") if post.author else post)


def _escaped(found: re.Match[str]) -> str:
    return "\\" + found[0]


def _as_html(post: PostRows) -> str:
    author = f"<strong>{escape(post.author, quote=False)}</strong>" if post.author else None
    said = _plain(replace(post, author=author)).strip()
    return f"<p>{said}</p>\n" if said else ""
