"""The block model, on which `auto` is built: two forests estimate the likelihood that a line is content.

The features of the first forest are the line, its position, the lines around it, and the names of its elements. The
second forest also uses the likelihoods of the first one for nearby, surrounding and similar lines. Training is in
`pagesieve.training.auto`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagesieve import arrayfile
from pagesieve.arrayfile import Spec
from pagesieve.errors import BadModel, NothingFound
from pagesieve.methods.decisions import LineDecisions, decide
from pagesieve.methods.features import (
    FIRST_FEATURES,
    SECOND_FEATURES,
    STORY_FEATURES,
    LineFeatures,
    describe,
    story_apart,
)
from pagesieve.page import forest, kernel
from pagesieve.page.forest import Column, Forest
from pagesieve.page.lines import CONTROLS, as_mask, marked_tags
from pagesieve.selection import Reason, Selection
from pagesieve.stages import stage

if TYPE_CHECKING:
    from array import array
    from importlib.resources.abc import Traversable

    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.methods.features import Floats
    from pagesieve.page.kernel.lines.engine import PageLines
    from pagesieve.page.kernel.lines.trees import Gates
    from pagesieve.page.table import Page

KIND = "auto"
VERSION = 2
SHIPPED = "models/auto.model"
STAGES = {"first": FIRST_FEATURES, "second": SECOND_FEATURES, "stories": STORY_FEATURES}
ARRAYS = {f"{stage}_{name}": spec for stage in STAGES for name, spec in forest.ARRAYS.items()} | {
    "words": Spec("int64", 1),
    "word_scores": Spec("float32", 1),
    "thresholds": Spec("float64", 1),
}
FAVORS = ("precision", None, "recall")  # in the order of the thresholds
MAX_WORDS = 1 << 20
# If no line looks much like content, the threshold falls to this share of the highest likelihood, but not below the
# second number, since no line below that is content on any page.
RELATIVE, UNLIKELY = 0.55, 0.25
# A line with a lower score from the first trees is not content. The second forest does not see lines with a likelihood
# below SURE from the first one. On 225 pages of nine sets, it would have given such lines .14 at most.
EARLY_TREES, EARLY_SCORE, EARLY_LIKELIHOOD = 24, -3.0, 0.003
SURE = 0.01
MIN_CHARS = 40  # characters of content; a page with less has no article
# Hidden text is kept if this share of the content is hidden: scripts will show an article, but not a note.
MIN_HIDDEN = 0.2


def sigmoid(scores: Floats) -> Floats:
    """Return likelihoods from 0 to 1, given the scores of a forest."""
    import numpy as np

    return 1 / (1 + np.exp(np.minimum(-scores, 40)))


def first_likelihood(first: Forest, values: NDArray[np.float32]) -> array[float]:
    """Return the likelihood of each line by the first forest.

    For half of the lines of a page, the first trees are enough to show that they are not content. These lines get the
    average likelihood of such lines.
    """
    found: array[float] = kernel.lines.trees.first_likelihoods(
        first.gates(0, EARLY_TREES),
        first.gates(EARLY_TREES),
        float(first.baseline[0]),
        values,
        len(values),
        EARLY_SCORE,
        EARLY_LIKELIHOOD,
    )
    return found


def page_threshold(likelihood: Any, threshold: float) -> float:
    """Return the threshold for the lines of a page, which is lower if all lines are unlikely."""
    needed: float = kernel.lines.trees.page_threshold(likelihood, threshold, RELATIVE, UNLIKELY)
    return needed


@dataclass(frozen=True, eq=False)
class BlockModel:
    """The two forests, the scores of words of classes, ids and the text, and the thresholds."""

    first: Forest
    second: Forest
    stories: Forest  # over headings, for those that begin another article
    words: Column  # a hash table of the digests of classes, ids and text, for the kernel; 0 is empty
    word_scores: Column
    thresholds: Column  # for precision, for the default, for recall
    trained: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _compiled(self) -> tuple[Any, ...]:
        """The arguments of `engine.PageLines.score` in the kernel."""
        first, second = self.first, self.second
        return (
            kernel.lines.words.WordTable(self.words, self.word_scores),
            (first.gates(0, EARLY_TREES), first.gates(EARLY_TREES), float(first.baseline[0])),
            (second.gates(), float(second.baseline[0])),
            (EARLY_SCORE, EARLY_LIKELIHOOD, SURE),
        )

    @cached_property
    def _stories(self) -> tuple[Gates, float]:
        """What the kernel scores headings with."""
        return self.stories.gates(), float(self.stories.baseline[0])

    def score_lines(self, page: Page) -> tuple[LineFeatures, Any]:
        """Return the lines of a page, and the likelihood of each to be content."""
        described = describe(page)
        return described, self._score(described.lines)

    @stage("forests")
    def _score(self, lines: PageLines) -> array[float]:
        likelihood: array[float] = lines.score(*self._compiled)
        return likelihood

    def decide(self, page: Page, favor: str | None) -> tuple[LineFeatures, LineDecisions]:
        """Return the lines of a page, and the decisions about them by its units."""
        described, likelihood = self.score_lines(page)
        threshold = page_threshold(likelihood, self.threshold(favor))
        apart = story_apart(described, self._stories, likelihood, threshold)
        return described, decide(described.blocks, likelihood, threshold, apart=apart)

    def threshold(self, favor: str | None) -> float:
        """Return the likelihood from which a line is kept."""
        return float(self.thresholds[FAVORS.index(favor)])

    def save(self, path: str | Path) -> None:
        """Write the model to a file for `load`. The same model gives the same bytes."""
        if problem := find_problem(self):
            raise BadModel(f"{path}: not written: {problem}")
        import numpy as np

        arrays = {
            f"{stage}_{name}": np.asarray(getattr(getattr(self, stage), name), dtype=spec.dtype)
            for stage in STAGES
            for name, spec in forest.ARRAYS.items()
        }
        for name in ("words", "word_scores", "thresholds"):
            arrays[name] = np.asarray(getattr(self, name), dtype=ARRAYS[name].dtype)
        arrayfile.write(path, KIND, VERSION, {"names": list(SECOND_FEATURES), "trained": dict(self.trained)}, arrays)

    @classmethod
    def load(cls, path: str | Path | Traversable) -> BlockModel:
        """Read a model. Raise BadModel if the file is not a model, or if its arrays do not fit."""
        facts, arrays = arrayfile.read_columns(path, KIND, VERSION, ARRAYS)
        trained = facts.get("trained")
        if facts.get("names") != list(SECOND_FEATURES) or not isinstance(trained, dict):
            raise BadModel(f"{path}: trained on other features than this version has: train it again")
        first, second, stories = (
            Forest(names, **{name: arrays[f"{stage}_{name}"] for name in forest.ARRAYS})  # type: ignore[arg-type]
            for stage, names in STAGES.items()
        )
        model = cls(first, second, stories, arrays["words"], arrays["word_scores"], arrays["thresholds"], trained)
        if problem := find_problem(model):
            raise BadModel(f"{path}: {problem}")
        return model


def find_problem(model: BlockModel) -> str | None:
    """Return what is wrong with a model, or None. The kernel relies on these checks to stay in arrays and to end."""
    for name, names in STAGES.items():
        trees: Forest = getattr(model, name)
        if trees.names != names or len(trees.baseline) != 1:
            return f"its {name} forest is of other features"
        if problem := forest.find_problem(trees):
            return problem
    slots = len(model.words)
    if not 2 <= slots <= MAX_WORDS or slots & (slots - 1) or len(model.word_scores) != slots:
        return f"{slots:,} places for words with {len(model.word_scores):,} scores"
    if not kernel.lines.words.is_table(model.words):
        return "its table of words has no empty place, or a negative digest"
    if len(model.thresholds) != len(FAVORS) or not all(0 < own < 1 for own in model.thresholds):
        return "its thresholds are not between 0 and 1"
    return None


@cache
def shipped() -> BlockModel:
    """Return the shipped model; it is loaded once."""
    return BlockModel.load(Path(__file__).parents[1] / SHIPPED)


def word_table(scores: Mapping[int, float]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return a hash table of the scores of words by digest, as the two arrays of a model."""
    import numpy as np

    slots = 2
    while slots < 2 * len(scores) + 2:
        slots *= 2
    known, column = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.float32)
    for digest, score in sorted(scores.items()):
        slot = digest & (slots - 1)
        while known[slot]:
            slot = (slot + 1) & (slots - 1)
        known[slot], column[slot] = digest, score
    return known, column


def blocks_by_model(page: Page, model: BlockModel, favor: str | None = None) -> Selection:
    """Select the content of a page by the likelihoods of the model and the units of the page."""
    described, decided = model.decide(page, favor)
    return selected(described, decided, partial(_explained, page, model, favor))


def _explained(page: Page, model: BlockModel, favor: str | None) -> LineDecisions:
    """Decide about a page again, with explanations; the features of all lines are not stored for that."""
    from pagesieve.methods.explanations import Explainer

    described, decided = model.decide(page, favor)
    forests = (model.first, model.second, model._compiled[0])
    return replace(decided, why=Explainer(page, described.blocks.first, described.values, *forests))


@stage("decision")
def selected(
    described: LineFeatures, decided: LineDecisions, explain: Callable[[], LineDecisions] | None = None
) -> Selection:
    """Return the kept lines without form controls and hidden text, and without comments unless they are the content.

    `explain` returns the same decisions with explanations; it is called when the reasons are read.
    """
    lines = described.lines
    kept, comments, seen, hidden, has_comments = lines.keep(decided.marks, marked_tags(CONTROLS), MIN_HIDDEN)
    if has_comments and (body := _without_comments(described, kept)) is not None:
        kept, comments, seen, hidden = body
    if seen + hidden < MIN_CHARS:
        raise NothingFound(f"no lines of {MIN_CHARS} characters or more look like content")
    return Selection(described.blocks, kept, comments, _Reasons(explain or (lambda: decided), kept, lines.comments))


def _without_comments(described: LineFeatures, marks: bytearray) -> tuple[Any, Any, int, int] | None:
    """Return the kept rows without comments, the comments, and the numbers of visible and hidden characters kept.

    The result is None if comments are the content of the page, so that the rows do not change.
    """
    from pagesieve.threads.posts import is_thread

    page, comments = described.blocks.page, described.comments
    body = as_mask(marks) & ~comments
    seen, hidden = int(page.chars[body].sum()), int(page.hidden_chars[body].sum())
    if seen + hidden < MIN_CHARS or is_thread(page, body, comments & (page.chars > 0)):
        return None
    return body, comments, seen, hidden


class _Reasons:
    """The reasons of the decisions, which are made again on first use."""

    def __init__(self, explain: Callable[[], LineDecisions], kept: Any, comments: Any) -> None:
        self._explain = explain
        self._kept = kept
        self._comments = comments

    def __call__(self, block: int) -> Reason:
        decided = self._decided
        reason, evidence = decided.reason(block), decided.evidence(block)
        if not decided.marks[block] or self._is_kept[block]:
            return Reason(reason, decided.fate(block), evidence)
        is_comment = bool(self._comments[decided.blocks.row_numbers(block)[0]])
        why = "a comment" if is_comment else "a form control"  # what is hidden has its reason in `selection.only_shown`
        return Reason(f"{reason}, but {why}", "comment" if is_comment else "control", evidence)

    def __reduce__(self) -> tuple[type[_Reasons], tuple[Callable[[], LineDecisions], Any, Any]]:
        return _Reasons, (partial(_same, self._decided), self._kept, self._comments)

    @cached_property
    def _decided(self) -> LineDecisions:
        return self._explain()

    @cached_property
    def _is_kept(self) -> list[bool]:
        """Whether each block is kept, at least in part."""
        kept: list[bool] = self._decided.blocks.any(self._kept).tolist()
        return kept


def _same(decided: LineDecisions) -> LineDecisions:
    return decided
