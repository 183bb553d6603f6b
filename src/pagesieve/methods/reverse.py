"""Find the article without the whole tree: start with the densest text and grow outwards.

The paper starts with the two longest texts and grows while a sibling is similar (`PAPER`). The default starts where
long texts are closest together, so that it does not mistake a single long text (a cookie notice, a licence) for the
article, and grows as long as the amount of long text at least doubles. A small forest selects lines of the resulting
element, and the units of the page decide as for `auto`. Training is in `pagesieve.training.reverse`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pagesieve.errors import NothingFound
from pagesieve.methods.blocks import RELATIVE, UNLIKELY
from pagesieve.methods.decisions import LineDecisions, rules
from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.lines.feature_table import LINE_NAMES
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.lines import CONTROLS, Blocks, marked_tags
from pagesieve.page.partial import Part
from pagesieve.selection import Reason, Selection
from pagesieve.stages import stage
from pagesieve.threads.comments import MAX_SHARE

if TYPE_CHECKING:
    from pagesieve.page.kernel.html.tape import Tape
    from pagesieve.page.kernel.lines.engine import PartLines
    from pagesieve.page.kernel.lines.trees import Gates
    from pagesieve.page.table import Page


@dataclass(frozen=True, slots=True)
class ReverseOptions:
    """Where to start, and how far to grow. The values were measured on news pages."""

    long_text: int = 60  # bytes of a long text
    window: int = 30  # tags and texts on either side, for the density of texts
    gain: float = 2.0  # an element replaces one inside it if it has so many times its long text
    similar: float | None = None  # the paper's rule: grow while a sibling is at least so similar
    clean: bool = True  # whether a small forest selects lines of the part


PAPER = ReverseOptions(long_text=1, similar=0.8, clean=False)  # 0.7 to 0.9 is the usable range


def region(tape: Tape, options: ReverseOptions = ReverseOptions()) -> Part:
    """Return the element of a page that contains the article."""
    if options.similar is None:
        found = tape.grown(options.long_text, options.window, options.gain)
    else:
        found = _by_similarity(tape, options)
    if found is None:
        raise NothingFound("the page has no long text outside of links")
    return Part(tape, *found)


def _by_similarity(tape: Tape, options: ReverseOptions) -> tuple[int, int] | None:
    """Return the lowest element around the two longest texts, or an ancestor while it has a similar sibling."""
    texts = tape.longest(2)
    if not texts:
        return None
    spans = tape.around(texts[0])
    if not spans:
        return texts[0], texts[0] + 1
    parts = [Part(tape, first, stop) for first, stop in spans]
    level = next((k for k, (first, stop) in enumerate(spans) if first <= texts[-1] < stop), len(parts) - 1)
    while level + 1 < len(parts) and _has_similar_sibling(parts[level], parts[level + 1], options.similar or 1.0):
        level += 1
    return spans[level]


def _has_similar_sibling(part: Part, parent: Part, least: float) -> bool:
    tree = parent.tree
    before = part.tape.nodes(parent.first, part.first)
    siblings = tree.children[0]
    return before in siblings and any(
        tree.similarity(before, sibling) >= least for sibling in siblings if sibling != before
    )


# The features of the small forest: those of the kernel without words and without statements of the page.
REVERSE_FEATURES: tuple[str, ...] = LINE_NAMES[: LINE_NAMES.index("title_of_line")]
SHIPPED = "models/reverse.model"
MODEL = "reverse"


@cache
def shipped() -> Forest:
    """Return the shipped forest; it is loaded once."""
    return Forest.load(resources.files("pagesieve").joinpath(SHIPPED), MODEL, REVERSE_FEATURES)


def reverse(page: Page, options: ReverseOptions = ReverseOptions()) -> Selection:
    """Select the article from the part of a page that contains it."""
    lines = _read_lines(page, options.clean)
    if not lines.seen:
        raise NothingFound("nothing is left of the part that holds the longest texts")
    blocks = Blocks.of_columns(page, lines.columns)
    return Selection(blocks, lines.rows, lines.comments, _Reasons(blocks, lines))


@stage("lines of a part")
def _read_lines(page: Page, clean: bool) -> PartLines:
    forest, limits = _chooser()
    without = marked_tags(CONTROLS)
    return kernel.lines.engine.PartLines(page, forest if clean else None, limits, rules(), without, MAX_SHARE)


@cache
def _chooser() -> tuple[tuple[Gates, int, float], tuple[float, float, float]]:
    """Return the forest and the limits of its likelihoods in the kernel's format."""
    forest = shipped()
    limits = forest.trained["threshold"], RELATIVE, UNLIKELY
    return (forest.gates(), len(REVERSE_FEATURES), forest.baseline[0]), limits


class _Reasons:
    """The reasons of the decisions about blocks, written on demand."""

    def __init__(self, blocks: Blocks, lines: PartLines) -> None:
        self.blocks = blocks
        self.rows, self.comments = lines.rows, lines.comments
        self.judged = lines.decided and (lines.likelihood, lines.threshold, lines.decided)

    @lazy
    def decided(self) -> LineDecisions | None:
        """The decisions of the forest and the units of the page."""
        return self.judged and LineDecisions.of(self.blocks, *self.judged)

    def __call__(self, block: int) -> Reason:
        rows, decided = self.blocks.row_numbers(block), self.decided
        if self.comments[rows[0]]:
            return Reason("in a section of comments", "comment")
        if decided is not None:
            return Reason(decided.reason(block), decided.fate(block), decided.evidence(block))
        if any(self.rows[row] for row in rows):
            return Reason("in the element around the densest text", "article")
        return Reason("a form control", "control")
