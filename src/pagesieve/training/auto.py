"""Training the block model that `auto` stands on.

The second stage must see what the first says of pages it was not trained on, and both must see what words of classes
say on other sites. So the sites are cut in parts: what a page is told of its words, and by the first stage, comes from
the other parts. The thresholds come from cross-validation between sites, and so do all figures of the report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from pagesieve.articles.forest import Forest
from pagesieve.articles.model import (
    FIRST_FEATURES,
    SECOND_FEATURES,
    BlockModel,
    LineFeatures,
    describe,
    page_threshold,
    sigmoid,
    word_table,
)
from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import Gold, LabelledSet, read_pages, take_sample
from pagesieve.evaluate.folds import group_folds
from pagesieve.evaluate.headlines import headlines_of
from pagesieve.evaluate.labels import LEAST_SHARE, label
from pagesieve.evaluate.metrics import body_tokens, tokens
from pagesieve.page import kernel
from pagesieve.page.static import parse
from pagesieve.training.trees import grow

FOLDS = 5
PARTS = 2  # of the sites, for what a page is told by others
MOST_LINES = 150  # of a page: a few have thousands, which teach the same again and again
LEAST_SITES = 3  # that a word stands on
LEAST_ODDS = 0.5  # that a word of the text says: most say nothing, and would fill the model
PRIOR_PAGES = 4.0  # pages that a word counts as seen on before it was seen
LONG_LINE = 60  # words; longer lines do not count more
THRESHOLDS = np.arange(0.1, 0.91, 0.025)
# How much recall counts before precision: for precision, for both, for recall. The middle one leans to precision since
# dragnet_train and daniel_half, which are not trained on, came out with too much.
BETAS = (0.4, 0.7, 1.5)
FOREST = {
    "max_iter": 80,
    "learning_rate": 0.11,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 80,
    "l2_regularization": 5.0,
    "max_features": 0.3,
    "max_bins": 128,
}
WORST = 30  # pages that the report names

Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], None]


class Said(NamedTuple):
    """Words of a page by their digests, each once, and the share of what they stand for that is the gold's."""

    digests: NDArray[np.int64]
    shares: Floats


class Lines(NamedTuple):
    """A labelled page by its lines: how many words each has, and how many of them are the gold's."""

    set_name: str
    gold: Gold
    described: LineFeatures
    words: Floats
    hits: Floats
    wanted: int  # words of the gold
    # Words and what share is the gold's: of classes, of the text's words below their elements; of the text, of the
    # lines that they stand in.
    classes: Said
    spoken: Said

    @property
    def text(self) -> NDArray[np.bool_]:
        """Which lines are content."""
        return self.hits >= LEAST_SHARE * np.maximum(self.words, 1)

    @property
    def weights(self) -> Floats:
        """How much each line counts in training: long lines more, a page of many lines not much more than others."""
        own: Floats = np.where(self.words > 0, 0.5 + np.minimum(self.words, LONG_LINE) / 15, 0.0)
        scaled: Floats = own * (10 / max(float(own.sum()), 1.0) ** 0.7)
        return scaled


@dataclass(frozen=True, slots=True)
class PageScore:
    """How the model did on a page of a site that it had not seen: precision, recall and F1 over words."""

    set_name: str
    gold: Gold
    precision: float
    recall: float
    f1: float


class AutoReport(NamedTuple):
    """The scores of every page in cross-validation, and the thresholds."""

    scores: list[PageScore]
    thresholds: tuple[float, ...]
    lines: int


def train(sets: Sequence[LabelledSet], limit: int | None, progress: Progress) -> tuple[BlockModel, AutoReport]:
    """A model of all pages, and how models of the other sites did on each."""
    pages = _read(sets, limit, progress)
    sites = [page.gold.site for page in pages]
    fold = np.array(group_folds(sites, FOLDS))
    likelihoods = list[Floats]([np.zeros(0)] * len(pages))
    for number in range(FOLDS):
        model = fit([page for page, own in zip(pages, fold, strict=True) if own != number])
        for k in np.flatnonzero(fold == number).tolist():
            likelihoods[k] = model.score_lines(pages[k].described.blocks.page)[1]
        progress("cross-validation", number + 1, FOLDS)
    thresholds = tuple(best_threshold(pages, likelihoods, beta) for beta in BETAS)
    scores = [score(page, found, thresholds[1]) for page, found in zip(pages, likelihoods, strict=True)]
    model = fit(pages, thresholds, {each.name: sum(page.set_name == each.name for page in pages) for each in sets})
    progress("model", 1, 1)
    return model, AutoReport(scores, thresholds, sum(len(page.words) for page in pages))


def _read(sets: Sequence[LabelledSet], limit: int | None, progress: Progress) -> list[Lines]:
    """The pages of some sets, their lines labelled."""
    samples = [take_sample(each, limit) for each in sets]
    total = sum(len(sample.golds) for sample in samples)
    found, done = [], 0
    for sample in samples:
        for gold, html in read_pages(sample):
            done += 1
            progress("pages", done, total)
            page = labelled_lines(sample.labelled_set.name, gold, html)
            if page is not None:
                found.append(page)
    if not any(page.text.any() for page in found):
        raise BadInput("no line of these pages is content: there is nothing to learn")
    return found


def labelled_lines(set_name: str, gold: Gold, html: bytes) -> Lines | None:
    """A page by its lines; None where it has none."""
    described = describe(parse(html, gold.url))
    blocks = described.blocks
    if not len(blocks):
        return None
    labels = label(blocks.page, blocks.rows, gold, html)
    line = np.repeat(np.arange(len(blocks)), np.diff(np.append(blocks.starts, len(blocks.rows))))
    words, hits = (np.bincount(line, column, len(blocks)).astype(np.float64) for column in (labels.words, labels.hits))
    wanted = len(body_tokens(gold.text, [tokens(headline) for headline in headlines_of(gold, html)]))
    text = hits >= LEAST_SHARE * np.maximum(words, 1)
    spoken = _spoken(described, words > 0, text & (words > 0))
    return Lines(set_name, gold, described, words, hits, wanted, _classes(described, words, hits), spoken)


def _classes(described: LineFeatures, words: Floats, hits: Floats) -> Said:
    """For each word of a class or id: the share of the gold's among the words of the lines below its elements."""
    page, blocks = described.blocks.page, described.blocks
    rows, digests = (np.array(column) for column in kernel.words.words(page))
    line_of = np.searchsorted(blocks.first, np.arange(len(page) + 1))
    own = [np.append(0, np.cumsum(column)) for column in (words, hits)]
    held, found = (sums[line_of[page.end[rows]]] - sums[line_of[rows]] for sums in own) if len(rows) else ([], [])
    return _shares(digests, np.asarray(held), np.asarray(found))


def _spoken(described: LineFeatures, known: NDArray[np.bool_], text: NDArray[np.bool_]) -> Said:
    """For each word of the text: the share of the lines with it that are content."""
    blocks = described.blocks
    columns = kernel.words.text_words(blocks.page, blocks.rows, blocks.starts)
    lines, digests = (np.array(column, dtype=np.int64) for column in columns)
    return _shares(digests, known[lines].astype(np.float64), text[lines].astype(np.float64))


def _shares(digests: NDArray[np.int64], held: Floats, found: Floats) -> Said:
    distinct, which = np.unique(digests.astype(np.int64), return_inverse=True)
    of, have = (np.bincount(which, column, len(distinct)) for column in (held, found))
    return Said(distinct[of > 0], have[of > 0] / of[of > 0])


def word_scores(pages: Sequence[Lines]) -> dict[int, float]:
    """What each word says of the lines that it stands above or in."""
    of_words = float(np.mean([page.hits.sum() / max(page.words.sum(), 1) for page in pages]))
    of_lines = float(np.mean([page.text[page.words > 0].mean() for page in pages if page.words.any()]))
    sites = np.unique([page.gold.site or page.gold.id for page in pages], return_inverse=True)[1]
    classes = _odds([page.classes for page in pages], sites, of_words)
    return classes | _odds([page.spoken for page in pages], sites, of_lines, LEAST_ODDS)


def _odds(said: Sequence[Said], sites: NDArray[np.intp], prior: float, least: float = 0.0) -> dict[int, float]:
    """The logarithms of the odds of words, next to those of any, where they stand on enough sites and say so much."""
    digests, which = np.unique(np.concatenate([each.digests for each in said]), return_inverse=True)
    site = np.repeat(sites, [len(each.digests) for each in said])
    counts = np.bincount(which, minlength=len(digests))
    shares = np.bincount(which, np.concatenate([each.shares for each in said]), len(digests))
    on = np.bincount(np.unique(site * np.int64(len(digests)) + which) % len(digests), minlength=len(digests))
    yes, no = shares + PRIOR_PAGES * prior, counts - shares + PRIOR_PAGES * (1 - prior)
    odds = np.log(yes / no) - np.log(prior / (1 - prior))
    kept = (on >= LEAST_SITES) & (np.abs(odds) >= least)
    return dict(zip(digests[kept].tolist(), odds[kept].tolist(), strict=True))


def fit(
    pages: Sequence[Lines], thresholds: Sequence[float] = (0.5, 0.5, 0.5), trained: dict[str, int] | None = None
) -> BlockModel:
    """A model of some pages."""
    part = np.array(group_folds([page.gold.site for page in pages], PARTS))
    samples = [_sampled(page) for page in pages]
    for number in range(PARTS):
        table = word_table(word_scores([page for page, own in zip(pages, part, strict=True) if own != number]))
        for k in np.flatnonzero(part == number).tolist():
            pages[k].described.add_words(*table)
    for number in range(PARTS):
        others = np.flatnonzero(part != number).tolist()
        first = _grown([pages[k] for k in others], [samples[k] for k in others], FIRST_FEATURES)
        for k in np.flatnonzero(part == number).tolist():
            described = pages[k].described
            described.add_context(sigmoid(first.scores(described.values)[:, 0]))
    return BlockModel(
        _grown(pages, samples, FIRST_FEATURES),
        _grown(pages, samples, SECOND_FEATURES),
        *word_table(word_scores(pages)),
        np.array(thresholds, dtype=np.float64),
        {"pages": len(pages), "sets": trained or {}},
    )


def _sampled(page: Lines) -> NDArray[np.intp]:
    """The lines of a page to learn from: all that tell anything, or so many of them, evenly spread."""
    known = np.flatnonzero(page.words > 0)
    if len(known) <= MOST_LINES:
        return known
    return known[np.linspace(0, len(known) - 1, MOST_LINES).astype(np.intp)]


def _grown(pages: Sequence[Lines], samples: Sequence[NDArray[np.intp]], names: tuple[str, ...]) -> Forest:
    pairs = list(zip(pages, samples, strict=True))
    values = np.concatenate([page.described.values[chosen, : len(names)] for page, chosen in pairs])
    text = np.concatenate([page.text[chosen] for page, chosen in pairs]).astype(np.intp)
    weights = np.concatenate([page.weights[chosen] for page, chosen in pairs])
    return grow(values, text, weights, names, **FOREST)


def score(page: Lines, likelihood: Floats, threshold: float) -> PageScore:
    """Precision, recall and F1 of what is kept of a page, over words."""
    kept = likelihood >= page_threshold(likelihood, threshold)
    words, hits = float(page.words[kept].sum()), float(page.hits[kept].sum())
    precision = hits / words if words else float(not page.wanted)
    recall = min(1.0, hits / page.wanted) if page.wanted else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return PageScore(page.set_name, page.gold, precision, recall, f1)


def best_threshold(pages: Sequence[Lines], likelihoods: Sequence[Floats], beta: float) -> float:
    """The threshold with the best mean over pages of F, recall counting beta times as much as precision."""

    def mean(threshold: float) -> float:
        found = [score(page, each, threshold) for page, each in zip(pages, likelihoods, strict=True)]
        square = beta * beta
        return float(
            np.mean(
                [
                    (1 + square) * each.precision * each.recall / max(square * each.precision + each.recall, 1e-9)
                    for each in found
                ]
            )
        )

    return float(max(THRESHOLDS, key=mean))


# The report


class Row(NamedTuple):
    """The means of a group of pages."""

    group: str
    pages: int
    precision: float
    recall: float
    f1: float


def rows_of(report: AutoReport) -> list[Row]:
    """The figures of each set, of each page type and language of it."""
    groups = defaultdict[str, list[PageScore]](list)
    for each in report.scores:
        language = (each.gold.lang or "").split("-")[0]
        for name in (each.set_name, f"{each.set_name}: {each.gold.page_type}", f"language {language}"):
            if not name.endswith((": None", "language ")):
                groups[name].append(each)
    groups["all"] = report.scores
    return [
        Row(name, len(found), *(float(np.mean([getattr(each, of) for each in found])) for of in Row._fields[2:]))
        for name, found in sorted(groups.items())
    ]


def as_table(report: AutoReport) -> Table:
    """The figures on pages of sites that the model had not seen."""
    low, usual, high = report.thresholds
    title = (
        f"words, on pages of unseen sites; a line is kept from {usual:.3f} on ({low:.3f} precision, {high:.3f} recall)"
    )
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("")
    for name in ("pages", "precision", "recall", "F1"):
        table.add_column(name, justify="right")
    for row in rows_of(report):
        table.add_row(row.group, f"{row.pages:,}", *(f"{figure:.3f}" for figure in row[2:]))
    return table


def as_markdown(report: AutoReport) -> str:
    """The figures, and the pages that came out worst."""
    lines = [
        "# The block model on pages of unseen sites",
        "",
        f"{report.lines:,} lines, thresholds {report.thresholds}",
        "",
    ]
    lines += ["| group | pages | precision | recall | F1 |", "| --- | ---: | ---: | ---: | ---: |"]
    lines += [f"| {r.group} | {r.pages} | {r.precision:.3f} | {r.recall:.3f} | {r.f1:.3f} |" for r in rows_of(report)]
    lines += ["", f"## The worst {WORST} pages", "", "| set | page | type | site | precision | recall |"]
    lines += ["| --- | --- | --- | --- | ---: | ---: |"]
    for each in sorted(report.scores, key=lambda each: each.f1)[:WORST]:
        gold = each.gold
        cells = (each.set_name, gold.id, gold.page_type or "", gold.site or "")
        lines.append(f"| {' | '.join(cells)} | {each.precision:.2f} | {each.recall:.2f} |")
    return "\n".join(lines) + "\n"
