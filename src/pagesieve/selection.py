"""What a method answers: the rows that it keeps, and a decision about every block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pagesieve.page.lines import Blocks
from pagesieve.page.table import Bools
from pagesieve.text.whitespace import cut

SNIPPET = 80  # characters of a decision's text

# What becomes of a block, or of a part of a record: it is kept as the article or a record, or it is dropped
Fate = Literal[
    "article",
    "record",
    "item",  # one thing that a record holds
    "headline",  # which is not part of the body
    "comment",  # what readers wrote
    "template",  # a template that the site library knows
    "sibling",  # stands on other pages of the site too
    "model",  # the model says so
    "list",  # a list or table that is dropped whole
    "other",  # another article on the page
    "control",  # not shown, or a form control
    "rule",  # any other rule of the method
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a block was kept or dropped: in words, as a kind, and by the numbers that decided."""

    text: str
    fate: Fate
    numbers: Mapping[str, float] = field(default_factory=dict)  # likelihood, threshold, margin, share, pages …


Reasons = Callable[[int], Reason]  # why a block, by its number, was kept or dropped


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one block of the page, and why."""

    first: int  # the block's rows: from this one
    last: int  # to this one
    kept: bool
    reason: str
    text: str = ""  # how the block begins
    part: int = 0  # the number of its page, in an article of several
    fate: Fate = "rule"  # what became of it, as a kind
    numbers: Mapping[str, float] = field(default_factory=dict, hash=False)  # what decided


@dataclass(frozen=True, slots=True, eq=False)
class PostRows:
    """One post of a thread, or one comment, by its rows."""

    root: int  # the element that holds it
    rows: NDArray[np.intp]  # the text rows of what was written, in order
    author: str | None
    date: str | None  # in ISO 8601
    parent: int | None  # the number of the post that it stands inside of
    depth: int  # how many posts it stands inside of


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What a method answers: the text rows it keeps, and why each block of the page was kept or dropped."""

    blocks: Blocks
    rows: Bools  # the text rows that are kept, as a mask over the page's rows
    comments: Bools  # text rows that readers wrote below the article
    reason: Reasons  # why a block, by its number, was kept or dropped
    parts: tuple[tuple[int, ...], ...] = ()  # rows (each with what is below) that plain text separates: records
    posts: tuple[PostRows, ...] = ()  # of a thread; what else is kept stands before the first

    @property
    def kept(self) -> Bools:
        """Which blocks are kept, at least in part."""
        return self.blocks.any(self.rows)

    def without(self, dropped: frozenset[int], reason: Reason) -> Selection:
        """Return the selection without some of its blocks, dropped for one more reason."""
        rows = self.rows.copy()
        for block in dropped:
            rows[self.blocks.rows_of(block)] = False
        return Selection(self.blocks, rows, self.comments, _Also(dropped, reason, self.reason), self.parts, self.posts)

    def decisions(self) -> Iterator[Decision]:
        """Yield what became of each block, in order."""
        blocks = self.blocks
        columns = (blocks.first.tolist(), blocks.last.tolist(), self.kept.tolist(), blocks.any(self.comments).tolist())
        for k, (first, last, kept, commented) in enumerate(zip(*columns, strict=True)):
            reason = self.reason(k)
            fate = "comment" if commented and not kept else reason.fate
            text = cut(blocks.text(k), SNIPPET)
            yield Decision(first, last, kept, reason.text, text, fate=fate, numbers=reason.numbers)


@dataclass(frozen=True, slots=True)
class _Also:
    """The reasons there were, except for some blocks. Not a closure, so that an article can be pickled."""

    dropped: frozenset[int]
    reason: Reason
    before: Reasons

    def __call__(self, block: int) -> Reason:
        return self.reason if block in self.dropped else self.before(block)
