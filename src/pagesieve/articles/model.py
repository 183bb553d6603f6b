"""The block model, on which `auto` is built: two forests say how likely each line of a page is part of its content.

The first sees the line, where it stands, what is around it, and the names of its elements; the second also sees what
the first said of the lines near it, around it and like it. Training is in `pagesieve.training.auto`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pagesieve import arrayfile
from pagesieve.arrayfile import Spec
from pagesieve.articles import forest
from pagesieve.articles.by_units import LineDecisions, decide
from pagesieve.articles.explaining import Explainer
from pagesieve.articles.forest import Forest
from pagesieve.articles.line_features import FIRST_FEATURES, SECOND_FEATURES, Floats, LineFeatures, describe
from pagesieve.articles.posts import is_thread
from pagesieve.articles.stories import STORY_FEATURES, first_apart, story_headings
from pagesieve.errors import BadModel, NothingFound
from pagesieve.page import kernel
from pagesieve.page.lines import CONTROLS, marked_tags
from pagesieve.page.table import Bools, Page
from pagesieve.selection import Reason, Selection
from pagesieve.stages import stage

if TYPE_CHECKING:
    from pagesieve.page.kernel.engine import PageLines

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
MOST_WORDS = 1 << 20
# Where no line looks much like content, the threshold falls to this share of the highest likelihood, but not below the
# other: what is less likely than that is not content on any page.
RELATIVE, UNLIKELY = 0.55, 0.25
# A line of which the first trees say less than this is not content; neither is one that the first forest finds less
# likely than SURE, which the second does not see. On 225 pages of nine sets, the second would have given .14 at most.
EARLY_TREES, EARLY_SCORE, EARLY_LIKELIHOOD = 24, -3.0, 0.003
SURE = 0.01
LEAST = 40  # characters: a page with less content than this has none
# The share of the content that must be hidden for hidden text to be kept: a script will show an article, not a note.
LEAST_HIDDEN = 0.2


def sigmoid(scores: Floats) -> Floats:
    """Return likelihoods from 0 to 1, given the scores of a forest."""
    return 1 / (1 + np.exp(np.minimum(-scores, 40)))


def first_likelihood(first: Forest, values: NDArray[np.float32]) -> Floats:
    """Return how likely each line is content by the first forest.

    Half of the lines of a page are so unlike content that the first trees suffice: they get what such lines get on
    average.
    """
    found = kernel.trees.first_likelihoods(
        first.gates(0, EARLY_TREES),
        first.gates(EARLY_TREES),
        float(first.baseline[0]),
        values,
        len(values),
        EARLY_SCORE,
        EARLY_LIKELIHOOD,
    )
    return np.frombuffer(found)


def page_threshold(likelihood: Floats, threshold: float) -> float:
    """Return the likelihood from which the lines of a page are kept: the threshold, or less where all are unlikely."""
    return min(threshold, max(UNLIKELY, RELATIVE * kernel.trees.highest(likelihood)))


@dataclass(frozen=True, eq=False)
class BlockModel:
    """The two forests, the scores of words of classes, ids and the text, and the thresholds."""

    first: Forest
    second: Forest
    stories: Forest  # over headings: which begin another article than the page's own
    words: NDArray[np.int64]  # digests of classes, ids and text, in a table that the kernel looks up: 0 where empty
    word_scores: NDArray[np.float32]
    thresholds: Floats  # for precision, for both, for recall
    trained: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _compiled(self) -> tuple[Any, ...]:
        """What the kernel scores lines with: see `engine.PageLines.score`."""
        first, second = self.first, self.second
        return (
            kernel.words.WordTable(self.words, self.word_scores),
            (first.gates(0, EARLY_TREES), first.gates(EARLY_TREES), float(first.baseline[0])),
            (second.gates(), float(second.baseline[0])),
            (EARLY_SCORE, EARLY_LIKELIHOOD, SURE),
        )

    def score_lines(self, page: Page) -> tuple[LineFeatures, Floats]:
        """Return the lines of a page, and how likely each is part of its content."""
        described = describe(page)
        return described, self._score(described.lines)

    @stage("forests")
    def _score(self, lines: PageLines) -> Floats:
        return np.frombuffer(lines.score(*self._compiled))

    def apart(self, described: LineFeatures, likelihood: Floats, threshold: float) -> Bools | None:
        """Return the lines of another article than the page's own; None where there is none."""
        headings, values = story_headings(described, likelihood, threshold)
        if not len(headings):
            return None
        return first_apart(described, headings, sigmoid(self.stories.scores(values)[:, 0]))

    def decide(self, page: Page, favor: str | None) -> tuple[LineFeatures, LineDecisions]:
        """Return the lines of a page, and which of them are kept, by its units."""
        described, likelihood = self.score_lines(page)
        threshold = page_threshold(likelihood, self.threshold(favor))
        apart = self.apart(described, likelihood, threshold)
        return described, decide(described.blocks, likelihood, threshold, apart=apart)

    def threshold(self, favor: str | None) -> float:
        """Return the likelihood from which a line is kept."""
        return float(self.thresholds[FAVORS.index(favor)])

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `load` reads; the same model gives the same bytes."""
        if problem := find_problem(self):
            raise BadModel(f"{path}: not written: {problem}")
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
        """Read a model; raise BadModel for a file that is not one, or whose arrays do not fit."""
        facts, arrays = arrayfile.read(path, KIND, VERSION, ARRAYS)
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
    """Return what is wrong with a model, or None: what the kernel relies on to stay within its arrays and to end."""
    for name, names in STAGES.items():
        trees: Forest = getattr(model, name)
        if trees.names != names or len(trees.baseline) != 1:
            return f"its {name} forest is of other features"
        if problem := forest.find_problem(trees):
            return problem
    slots = len(model.words)
    if not 2 <= slots <= MOST_WORDS or slots & (slots - 1) or len(model.word_scores) != slots:
        return f"{slots:,} places for words with {len(model.word_scores):,} scores"
    if not (model.words >= 0).all() or not (model.words == 0).any():
        return "its table of words has no empty place, or a negative digest"
    if len(model.thresholds) != len(FAVORS) or not ((model.thresholds > 0) & (model.thresholds < 1)).all():
        return "its thresholds are not between 0 and 1"
    return None


@cache
def shipped() -> BlockModel:
    """Return the model that comes with Pagesieve, read once."""
    return BlockModel.load(resources.files("pagesieve").joinpath(SHIPPED))


def word_table(scores: Mapping[int, float]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the scores of words, by their digests, as the two arrays of a model: a hash table."""
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
    """Keep what the model takes for content, by the units of the page."""
    described, decided = model.decide(page, favor)
    return selected(described, decided, partial(_explained, page, model, favor))


def _explained(page: Page, model: BlockModel, favor: str | None) -> LineDecisions:
    """Decide about a page again, and say what moved the model: nobody keeps the features of all lines for that."""
    described, decided = model.decide(page, favor)
    forests = (model.first, model.second, model.words, model.word_scores)
    return replace(decided, why=Explainer(page, described.blocks.first, described.values, *forests))


@stage("decision")
def selected(
    described: LineFeatures, decided: LineDecisions, explain: Callable[[], LineDecisions] | None = None
) -> Selection:
    """Return the lines that are kept, without form controls and hidden text; comments only if the page is for them.

    `explain` gives the same decisions with what moved the model, and is called where somebody asks for the reasons.
    """
    blocks, comments = described.blocks, described.comments
    page = blocks.page
    found, seen, hidden, has_comments = described.lines.keep(decided.kept, marked_tags(CONTROLS), LEAST_HIDDEN)
    kept: Bools = np.frombuffer(found, dtype=np.bool_)
    if has_comments:
        body = kept & ~comments
        of_body = int(page.chars[body].sum()), int(page.hidden_chars[body].sum())
        if sum(of_body) >= LEAST and not is_thread(page, body, comments & (page.chars > 0)):
            kept, (seen, hidden) = body, of_body
    if seen + hidden < LEAST:
        raise NothingFound(f"no lines of {LEAST} characters or more look like content")
    return Selection(blocks, kept, comments & ~kept, _Reasons(explain or (lambda: decided), kept, comments))


class _Reasons:
    """Why a block was kept or dropped; the decisions are made again, and the texts on demand."""

    def __init__(self, explain: Callable[[], LineDecisions], kept: Bools, comments: Bools) -> None:
        self._explain = explain
        self._kept = kept
        self._comments = comments

    def __call__(self, block: int) -> Reason:
        decided = self._decided
        reason, evidence = decided.reason(block), decided.evidence(block)
        if not decided.kept[block] or self._is_kept[block]:
            return Reason(reason, decided.fate(block), evidence)
        is_comment = bool(self._comments[decided.blocks.rows_of(block)[0]])
        why = "a comment" if is_comment else "a form control"  # what is hidden has its reason in articles/shown
        return Reason(f"{reason}, but {why}", "comment" if is_comment else "control", evidence)

    def __reduce__(self) -> tuple[type[_Reasons], tuple[Callable[[], LineDecisions], Bools, Bools]]:
        return _Reasons, (partial(_same, self._decided), self._kept, self._comments)

    @cached_property
    def _decided(self) -> LineDecisions:
        return self._explain()

    @cached_property
    def _is_kept(self) -> list[bool]:
        """Whether something of each block is kept."""
        kept: list[bool] = self._decided.blocks.any(self._kept).tolist()
        return kept


def _same(decided: LineDecisions) -> LineDecisions:
    return decided
