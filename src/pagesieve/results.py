"""What Pagesieve gives back: the selection a method made, and the article written from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from pagesieve.articles.metadata import Metadata
from pagesieve.page.table import Bools, Page
from pagesieve.page.writer import WriterOptions, build, write_html, write_markdown, write_text
from pagesieve.page.writer.document import Block
from pagesieve.page.writer.inline import fold

SNIPPET = 80  # characters of a decision's text


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one block of the page, and why."""

    first: int  # the block's rows: from this one
    last: int  # to this one
    kept: bool
    reason: str
    text: str = ""  # how the block begins


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What a method answers: the text rows it keeps, and a decision for every block."""

    rows: Bools
    decisions: tuple[Decision, ...]
    comments: Bools  # text rows that readers wrote below the article

    def keep(self, rows: Bools, dropped: tuple[Decision, ...]) -> Selection:
        """The selection with fewer rows; the decisions about what was dropped take the place of the old ones."""
        changed = {decision.first: decision for decision in dropped}
        decisions = tuple(changed.get(decision.first, decision) for decision in self.decisions)
        return Selection(rows, decisions, self.comments)


@dataclass(frozen=True)
class Article:
    """The article of a page. The texts are written when they are first asked for."""

    page: Page = field(repr=False)
    selection: Selection = field(repr=False)
    metadata: Metadata = field(repr=False)
    method: str
    kind: str = "article"
    options: WriterOptions = field(default=WriterOptions(), repr=False)
    include_comments: bool = field(default=False, repr=False)

    @property
    def title(self) -> str:
        """The headline; empty where the page has none."""
        return self.metadata.title

    @property
    def author(self) -> str | None:
        """Who wrote it, as the page says."""
        return self.metadata.author

    @property
    def date(self) -> str | None:
        """When it was published, as the page says."""
        return self.metadata.date

    @property
    def source(self) -> str | None:
        """The name of the site."""
        return self.metadata.source

    @property
    def language(self) -> str | None:
        """The language, as the page says."""
        return self.metadata.language

    @property
    def url(self) -> str | None:
        """The address that was given, or else the one the page names as its own."""
        return self.page.url or self.metadata.canonical

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the page before it was read."""
        return self.page.notes

    @property
    def encoding(self) -> str:
        """What the page's bytes were read as."""
        return self.page.encoding

    @cached_property
    def _blocks(self) -> list[Block]:
        rows = self.selection.rows
        return build(self.page, rows | self.selection.comments if self.include_comments else rows, self.options)

    @cached_property
    def text(self) -> str:
        """The body as plain text; the headline is not in it."""
        return write_text(self._blocks, self.options)

    @cached_property
    def markdown(self) -> str:
        """The body as Markdown."""
        return write_markdown(self._blocks, self.options)

    @cached_property
    def html(self) -> str:
        """The body as clean HTML."""
        return write_html(self._blocks, self.options)

    @cached_property
    def comments(self) -> str:
        """What readers wrote below, as plain text; empty where there is nothing."""
        return write_text(build(self.page, self.selection.comments, self.options), self.options)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """Every block of the page in order: kept or dropped, and why."""
        return tuple(self._with_text(decision) for decision in self.selection.decisions)

    def _with_text(self, decision: Decision) -> Decision:
        page = self.page
        rows = (row for row in range(decision.first, decision.last + 1) if page.chars[row])
        text = fold(" ".join(page.text(row) for row in rows))
        snippet = text if len(text) <= SNIPPET else text[: SNIPPET - 1] + "…"
        return Decision(decision.first, decision.last, decision.kept, decision.reason, snippet)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the page itself, ready for JSON."""
        return {
            "url": self.url,
            "title": self.title,
            "author": self.author,
            "date": self.date,
            "source": self.source,
            "language": self.language,
            "kind": self.kind,
            "method": self.method,
            "encoding": self.encoding,
            "notes": list(self.notes),
            "text": self.text,
            "comments": self.comments,
        }

    def as_json(self) -> str:
        """`as_dict` as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)


def no_rows(page: Page) -> Bools:
    """A mask that marks nothing."""
    return np.zeros(len(page), dtype=np.bool_)
