"""Train the small forest of `reverse`, which selects lines of the part that contains the article."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pagesieve.errors import BadInput, PagesieveError
from pagesieve.evaluate.archives import Gold, LabelledSet, Progress, group_folds, read_samples
from pagesieve.evaluate.metrics import label_lines
from pagesieve.methods.blocks import sigmoid
from pagesieve.methods.features import LineFeatures
from pagesieve.methods.reverse import REVERSE_FEATURES, region
from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.lines import Blocks, split
from pagesieve.page.partial import parse_part
from pagesieve.page.static import PageSource
from pagesieve.page.table import Bools
from pagesieve.threads.comments import comment_rows
from pagesieve.training.auto import (
    BETAS,
    FOLDS,
    NO_CURATION,
    AutoReport,
    Curation,
    Floats,
    Lines,
    Said,
    best_threshold,
    grown,
    kept,
    sampled,
    score,
)

PAGE_TYPES = (None, "article")
FOREST = {
    "max_iter": 40,
    "learning_rate": 0.15,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 80,
    "l2_regularization": 5.0,
    "max_features": 0.3,
    "max_bins": 128,
}
_NOTHING_SAID = Said(np.zeros(0, dtype=np.int64), np.zeros(0))


def train(
    sets: Sequence[LabelledSet], limit: int | None, progress: Progress, curation: Curation = NO_CURATION
) -> tuple[Forest, AutoReport]:
    """Train a forest on all pages of articles, and report the score of each page by a forest of the other sites."""
    parts = _labelled_parts(sets, limit, progress)
    pages = [page._replace(is_left_out=curation.leaves_out(page.set_name, page.gold)) for page in parts]
    if not any(page.text.any() for page in pages):
        raise BadInput("no line of these pages is content: there is nothing to learn")
    fold = np.array(group_folds([page.gold.site for page in pages], FOLDS))
    likelihoods = list[Floats]([np.zeros(0)] * len(pages))
    for number in range(FOLDS):
        forest = _fit([pages[k] for k in np.flatnonzero(fold != number).tolist()])
        for k in np.flatnonzero(fold == number).tolist():
            likelihoods[k] = sigmoid(forest.scores(pages[k].described.values)[:, 0])
        progress("cross-validation", number + 1, FOLDS)
    threshold = best_threshold(pages, likelihoods, BETAS[1])
    scores = [score(page, kept(page, found, threshold)) for page, found in zip(pages, likelihoods, strict=True)]
    forest = replace(_fit(pages), trained={"pages": len(pages), "threshold": threshold})
    progress("model", 1, 1)
    return forest, AutoReport(scores, (threshold,) * 3, sum(len(page.words) for page in pages), [], [])


def _labelled_parts(sets: Sequence[LabelledSet], limit: int | None, progress: Progress) -> Iterator[Lines]:
    """Yield the lines of the part of each page that contains the article; pages without such a part are left out."""
    for set_name, gold, html in read_samples(sets, limit, progress):
        page = _labelled_part(set_name, gold, html) if gold.page_type in PAGE_TYPES else None
        if page is not None:
            yield page


class _PartFeatures(LineFeatures):
    """The features of the lines of a part of a page that `reverse` has."""

    def __init__(self, blocks: Blocks, comments: Bools) -> None:
        self.blocks = blocks
        self.comments = comments
        width = len(REVERSE_FEATURES)
        self.values = np.asarray(kernel.lines.engine.describe_part(blocks.page, blocks.columns, comments, width))


def _labelled_part(set_name: str, gold: Gold, html: bytes) -> Lines | None:
    try:
        part = parse_part(PageSource(html, gold.url), region)[0]
    except PagesieveError:
        return None
    blocks, comments = split(part), comment_rows(part)
    if not len(blocks):
        return None
    return Lines(
        set_name, gold, _PartFeatures(blocks, comments), *label_lines(blocks, gold, html), _NOTHING_SAID, _NOTHING_SAID
    )


def _fit(pages: Sequence[Lines]) -> Forest:
    learnt = [page for page in pages if not page.is_left_out]
    return grown(learnt, [sampled(page) for page in learnt], REVERSE_FEATURES, **FOREST)
