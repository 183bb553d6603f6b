"""The article without the whole tree: from the densest text outwards, until it would take in more than the article.

The paper begins with the two longest texts and grows while a sibling is similar (`PAPER`). The default begins where
long texts stand closest together, so that a lone giant (a cookie notice, a licence) is not mistaken for the article,
and grows as long as the long text at least doubles. Among the lines of what was found, a small forest chooses, and the
units of the page decide as they do for `auto`. Training is in `pagesieve.training.reverse`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from pagesieve.articles.by_units import LineDecisions, decide
from pagesieve.articles.comments import comment_rows
from pagesieve.articles.forest import Forest
from pagesieve.articles.model import page_threshold
from pagesieve.errors import NothingFound
from pagesieve.page import kernel
from pagesieve.page.kernel.feature_table import LEVELS, LINE_NAMES
from pagesieve.page.lines import CONTROLS, Blocks, kept_rows, split
from pagesieve.page.partial import Part, Tape
from pagesieve.page.table import Bools, Page
from pagesieve.selection import Reason, Selection


@dataclass(frozen=True, slots=True)
class ReverseOptions:
    """Where to begin, and how far to grow. The values were measured on news pages."""

    long_text: int = 60  # bytes of a text that counts
    window: int = 30  # tags and texts on either side, for texts that stand together
    gain: float = 2.0  # times the long text that an element must hold for it to be taken instead of one inside it
    similar: float | None = None  # the paper's rule: grow from the two longest texts while a sibling is as similar
    clean: bool = True  # whether a small forest chooses among the lines of the part


PAPER = ReverseOptions(long_text=1, similar=0.8, clean=False)  # 0.7 to 0.9 is the usable range


def region(tape: Tape, options: ReverseOptions = ReverseOptions()) -> Part:
    """Return the element of a page that holds the article."""
    if options.similar is None:
        found = tape.grown(options.long_text, options.window, options.gain)
    else:
        found = _by_similarity(tape, options)
    if found is None:
        raise NothingFound("the page has no long text outside of links")
    return found


def _by_similarity(tape: Tape, options: ReverseOptions) -> Part | None:
    """Take the lowest element around the two longest texts, then its parent as long as it has a similar sibling."""
    texts = tape.longest(2)
    if not texts:
        return None
    parts = tape.around(texts[0])
    if not parts:
        return Part(tape, texts[0], texts[0] + 1)
    level = next((k for k, part in enumerate(parts) if part.first <= texts[-1] < part.stop), len(parts) - 1)
    while level + 1 < len(parts) and _has_similar_sibling(parts[level], parts[level + 1], options.similar or 1.0):
        level += 1
    return parts[level]


def _has_similar_sibling(part: Part, parent: Part, least: float) -> bool:
    tree = parent.tree
    before = Part(part.tape, parent.first, part.first).nodes
    siblings = tree.children[0]
    return before in siblings and any(
        tree.similarity(before, sibling) >= least for sibling in siblings if sibling != before
    )


# What a small forest is told of each line: what the kernel measures of lines, without words and statements.
REVERSE_FEATURES: tuple[str, ...] = LINE_NAMES[: LINE_NAMES.index("title_of_line")]
SHIPPED = "models/reverse.model"
MODEL = "reverse"


def describe_part(blocks: Blocks, comments: Bools) -> NDArray[np.float32]:
    """Return the features of the lines of a part of a page, given which rows are in comments."""
    lines = len(blocks)
    values = np.zeros((lines, len(REVERSE_FEATURES)), dtype=np.float32)
    around, groups = np.zeros((lines, LEVELS), dtype=np.int32), np.zeros((lines, 2), dtype=np.int32)
    kernel.features.describe(blocks.page, comments.view(np.uint8), blocks.rows, blocks.starts, values, around, groups)
    return values


@cache
def shipped() -> Forest:
    """Return the forest that comes with Pagesieve, read once."""
    return Forest.load(resources.files("pagesieve").joinpath(SHIPPED), MODEL, REVERSE_FEATURES)


def _likelihood(forest: Forest, values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how likely each line is content."""
    likelihood = np.ones(len(values))
    kernel.trees.second_likelihoods(forest.gates(), forest.baseline[0], values, likelihood, 0.0)
    return likelihood


def reverse(page: Page, options: ReverseOptions = ReverseOptions()) -> Selection:
    """Select from the part of a page that holds the article."""
    comments = comment_rows(page)
    blocks = split(page)
    decided = None
    if options.clean and len(blocks):
        forest = shipped()
        likelihood = _likelihood(forest, describe_part(blocks, comments))
        decided = decide(blocks, likelihood, page_threshold(likelihood, forest.trained["threshold"]))
    chosen = np.ones(len(blocks), dtype=np.bool_) if decided is None else decided.kept
    kept, seen, _ = kept_rows(blocks, chosen, CONTROLS, comments)
    if not seen:
        raise NothingFound("nothing is left of the part that holds the longest texts")
    return Selection(blocks, kept, comments, _Reasons(blocks, kept, comments, decided))


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block was kept or dropped, worded on request."""

    blocks: Blocks
    kept: Bools
    comments: Bools
    decided: LineDecisions | None  # by the forest and the units of the page

    def __call__(self, block: int) -> Reason:
        rows, decided = self.blocks.rows_of(block), self.decided
        if self.comments[rows[0]]:
            return Reason("in a section of comments", "comment")
        if decided is not None:
            return Reason(decided.reason(block), decided.fate(block), decided.evidence(block))
        if self.kept[rows].any():
            return Reason("in the element around the densest text", "article")
        return Reason("a form control", "control")
