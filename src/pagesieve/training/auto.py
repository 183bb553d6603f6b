"""Train the block model, the default method of `auto`.

The second stage must be trained on first-stage scores of pages that the first stage has not seen, and both stages on
word scores from other sites. So the sites are split into parts, and the word scores and first-stage scores of a page
come from the other parts. The thresholds and all figures of the report come from cross-validation between sites.

A `Curation` can leave pages out, and can add pages that are composed of others; the composed pages of a fold consist
of pages of that fold. The forests are trained on them, but the word scores are not, since the names of an article's
elements are no worse on another page. `research/train.py` makes the shipped model with a curation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import Gold, LabelledSet, Progress, group_folds, read_samples
from pagesieve.evaluate.metrics import MIN_SHARE, label_lines
from pagesieve.evaluate.report import plain_table
from pagesieve.kinds.kind import kind
from pagesieve.methods.blocks import BlockModel, first_likelihood, page_threshold, sigmoid, word_table
from pagesieve.methods.decisions import decide
from pagesieve.methods.features import (
    FIRST_FEATURES,
    SECOND_FEATURES,
    STORY_FEATURES,
    LineFeatures,
    describe,
    first_apart,
    story_headings,
)
from pagesieve.page import kernel
from pagesieve.page.forest import ARRAYS, Forest
from pagesieve.page.kernel.lines.unit_table import UNIT_DEFINITIONS, UNIT_LIST, UNIT_SECTION, UNIT_TABLE
from pagesieve.page.lines import Units, as_mask, units_of
from pagesieve.page.static import parse
from pagesieve.page.table import Bools, Page
from pagesieve.training.forests import grow
from pagesieve.training.report import markdown_table

FOLDS = 5
PARTS = 2  # of the sites, for scores from other sites
MAX_LINES = 150  # of a page: a few pages have thousands of similar lines
MIN_SITES = 3  # on which a word occurs
MIN_ODDS = 0.5  # of a word of the text: most words have no effect, and would fill the model
PRIOR_PAGES = 4.0  # the weight of the prior of a word, in pages
LONG_LINE = 60  # words; longer lines do not count more
THRESHOLDS = np.arange(0.1, 0.91, 0.025)
# The weight of recall for favor="precision", the default, and favor="recall". The default prefers precision, since
# dragnet_train and daniel_half, on which no model was trained, had too much text.
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
COMPOSED = "composed"  # the name of the set of composed pages
CURVE, CURVE_PARTS = (1, 2), 4  # a quarter of the sites, half of them
WORST = 30  # pages in the report

Floats = NDArray[np.float64]
LabelledPage = tuple[Gold, bytes]


class Curation(NamedTuple):
    """A change of the labelled pages before training: some are left out, and some are added.

    `left_out` has the ids of pages with wrong golds, by the names of their sets. They are scored, but no model is
    trained on them. `compose` returns pages that are composed of others, for a seed.
    """

    left_out: Mapping[str, Collection[str]] = {}
    compose: Callable[[Sequence[LabelledPage], int], Iterable[LabelledPage]] = lambda pages, seed: ()

    def leaves_out(self, set_name: str, gold: Gold) -> bool:
        """Whether a page is left out of training."""
        return gold.id in self.left_out.get(set_name, ())


NO_CURATION = Curation()


class Said(NamedTuple):
    """The distinct words of a page by digest, and for each the share of its lines or text that is in the gold."""

    digests: NDArray[np.int64]
    shares: Floats


class Lines(NamedTuple):
    """The lines of a labelled page: the number of words of each, and how many of them are in the gold."""

    set_name: str
    gold: Gold
    described: LineFeatures
    words: Floats
    hits: Floats
    wanted: int  # words of the gold
    # Words with the share of the gold: for classes, in the text below their elements; for words of the text, in the
    # lines that contain them.
    classes: Said
    spoken: Said
    is_left_out: bool = False

    @property
    def text(self) -> NDArray[np.bool_]:
        """A mask of the lines that are content."""
        return self.hits >= MIN_SHARE * np.maximum(self.words, 1)

    @property
    def weights(self) -> Floats:
        """The weight of each line in training: higher for long lines, and limited for pages with many lines."""
        own: Floats = np.where(self.words > 0, 0.5 + np.minimum(self.words, LONG_LINE) / 15, 0.0)
        scaled: Floats = own * (10 / max(float(own.sum()), 1.0) ** 0.7)
        return scaled


@dataclass(frozen=True, slots=True)
class PageScore:
    """The score of a page whose site the model has not seen: precision, recall and F1 over words."""

    set_name: str
    gold: Gold
    precision: float
    recall: float
    f1: float


class CurvePoint(NamedTuple):
    """The score of a model of some of the training pages on the first fold."""

    pages: int
    f1: float


class Loss(NamedTuple):
    """The mean loss of the pages by one cause (a part of 1 - F1), line by line and with the decisions of units."""

    cause: str
    by_lines: float
    by_units: float


class AutoReport(NamedTuple):
    """The scores of all pages in cross-validation, the thresholds, the learning curve, and the losses by cause."""

    scores: list[PageScore]
    thresholds: tuple[float, ...]
    lines: int
    curve: list[CurvePoint]
    losses: list[Loss]


def train(
    sets: Sequence[LabelledSet], limit: int | None, progress: Progress, curation: Curation = NO_CURATION
) -> tuple[BlockModel, AutoReport]:
    """Train a model on all pages, and report the score of each page by a model of the other sites."""
    pages, sources = list[Lines](), list[LabelledPage]()
    for set_name, gold, html in read_samples(sets, limit, progress):
        page = labelled_lines(set_name, gold, html)
        if page is not None:
            pages.append(page._replace(is_left_out=curation.leaves_out(set_name, gold)))
            sources.append((gold, html))
    if not any(page.text.any() for page in pages):
        raise BadInput("no line of these pages is content: there is nothing to learn")
    fold = group_folds([page.gold.site for page in pages], FOLDS)
    by_fold = [list[LabelledPage]() for _ in range(FOLDS)]
    for page, source, own in zip(pages, sources, fold, strict=True):
        if not page.is_left_out:
            by_fold[own].append(source)
    for number, whole in enumerate(by_fold):
        composed = _labelled(curation.compose(whole, number))
        pages += composed
        fold += [number] * len(composed)
        progress("composed pages", number + 1, FOLDS)
    likelihoods = list[Floats]([np.zeros(0)] * len(pages))
    for number in range(FOLDS):
        model = fit([page for page, own in zip(pages, fold, strict=True) if own != number])
        for k in np.flatnonzero(np.array(fold) == number).tolist():
            likelihoods[k] = np.asarray(model.score_lines(_page(pages[k]))[1])
        progress("cross-validation", number + 1, FOLDS)
    real = len(sources)
    thresholds = tuple(best_threshold(pages[:real], likelihoods[:real], beta) for beta in BETAS)
    headings = [headings_of(page, found, thresholds[1]) for page, found in zip(pages, likelihoods, strict=True)]
    chosen = [
        kept(page, found, thresholds[1], apart)
        for page, found, apart in zip(pages, likelihoods, stories_apart(headings, fold), strict=True)
    ]
    scores = [score(page, marked) for page, marked in zip(pages, chosen, strict=True)]
    by_lines = [each >= page_threshold(each, thresholds[1]) for each in likelihoods[:real]]
    losses = find_losses(pages[:real], by_lines, chosen[:real])
    names = dict.fromkeys(page.set_name for page in pages)
    model = replace(fit(pages, thresholds, _counts(names, pages)), stories=grow_stories(headings))
    progress("model", 1, 1)
    curve = learning_curve(pages, fold, scores, thresholds[1])
    progress("learning curve", 1, 1)
    return model, AutoReport(scores, thresholds, sum(len(page.words) for page in pages), curve, losses)


def find_losses(pages: Sequence[Lines], by_lines: Sequence[Bools], by_units: Sequence[Bools]) -> list[Loss]:
    """Return the losses by cause, the largest first, without pages with wrong golds."""
    sums = {"by_lines": Counter[str](), "by_units": Counter[str]()}
    counted = 0
    for page, lines, units in zip(pages, by_lines, by_units, strict=True):
        if not page.is_left_out:
            counted += 1
            for name, marked in (("by_lines", lines), ("by_units", units)):
                given = (page.described, page.words, page.hits, page.wanted, marked, 1 - score(page, marked).f1)
                sums[name].update(divide_loss(*given))
    found = [
        Loss(cause, sums["by_lines"][cause] / counted, sums["by_units"][cause] / counted)
        for cause in sums["by_lines"] | sums["by_units"]
    ]
    return sorted(found, key=lambda loss: -loss.by_units)


def learning_curve(
    pages: Sequence[Lines], fold: Sequence[int], scores: Sequence[PageScore], threshold: float
) -> list[CurvePoint]:
    """Return the scores on the first fold of models of some of the sites, and of all sites, of the other folds.

    `scores` come from cross-validation, whose models have seen all other folds.
    """
    held = [k for k, own in enumerate(fold) if own == 0 and pages[k].set_name != COMPOSED]
    others = [page for page, own in zip(pages, fold, strict=True) if own != 0]
    parts = np.array(group_folds([page.gold.site for page in others], CURVE_PARTS))
    curve = []
    for most in CURVE:
        seen = [page for page, part in zip(others, parts.tolist(), strict=True) if part < most]
        model = fit(seen)
        likelihoods = [np.asarray(model.score_lines(_page(pages[k]))[1]) for k in held]
        found = [score(pages[k], kept(pages[k], each, threshold)) for k, each in zip(held, likelihoods, strict=True)]
        curve.append(CurvePoint(len(seen), float(np.mean([each.f1 for each in found]))))
    return [*curve, CurvePoint(len(others), float(np.mean([scores[k].f1 for k in held])))]


def _page(page: Lines) -> Page:
    return page.described.blocks.page


def _counts(names: Iterable[str], pages: Sequence[Lines]) -> dict[str, int]:
    """Return the number of training pages of each set."""
    return {name: sum(page.set_name == name and not page.is_left_out for page in pages) for name in names}


def _labelled(composed: Iterable[LabelledPage]) -> list[Lines]:
    """Return the lines of composed pages."""
    lines = (labelled_lines(COMPOSED, gold, html) for gold, html in composed)
    return [page for page in lines if page is not None]


def labelled_lines(set_name: str, gold: Gold, html: bytes) -> Lines | None:
    """Return the lines of a page, or None if it has none."""
    described = describe(parse(html, gold.url))
    if not len(described.blocks):
        return None
    words, hits, wanted = label_lines(described.blocks, gold, html)
    text = hits >= MIN_SHARE * np.maximum(words, 1)
    spoken = _spoken(described, words > 0, text & (words > 0))
    return Lines(set_name, gold, described, words, hits, wanted, _classes(described, words, hits), spoken)


def _classes(described: LineFeatures, words: Floats, hits: Floats) -> Said:
    """Return for each word of a class or id the share of the words in lines below its elements that are in the gold."""
    page, blocks = described.blocks.page, described.blocks
    rows, digests = (np.array(column) for column in kernel.lines.words.words(page))
    line_of = np.searchsorted(blocks.first, np.arange(len(page) + 1))
    own = [np.append(0, np.cumsum(column)) for column in (words, hits)]
    held, found = (sums[line_of[page.end[rows]]] - sums[line_of[rows]] for sums in own) if len(rows) else ([], [])
    return _shares(digests, np.asarray(held), np.asarray(found))


def _spoken(described: LineFeatures, known: NDArray[np.bool_], text: NDArray[np.bool_]) -> Said:
    """Return for each word of the text the share of the lines with it that are content."""
    lines, digests = (np.array(column, dtype=np.int64) for column in kernel.lines.words.text_words(described.words))
    return _shares(digests, known[lines].astype(np.float64), text[lines].astype(np.float64))


def _shares(digests: NDArray[np.int64], held: Floats, found: Floats) -> Said:
    distinct, which = np.unique(digests.astype(np.int64), return_inverse=True)
    of, have = (np.bincount(which, column, len(distinct)) for column in (held, found))
    return Said(distinct[of > 0], have[of > 0] / of[of > 0])


def word_scores(pages: Sequence[Lines]) -> dict[int, float]:
    """Return for each word the log odds that a line below or around it is content."""
    of_words = float(np.mean([page.hits.sum() / max(page.words.sum(), 1) for page in pages]))
    of_lines = float(np.mean([page.text[page.words > 0].mean() for page in pages if page.words.any()]))
    sites = np.unique([page.gold.site or page.gold.id for page in pages], return_inverse=True)[1]
    classes = _odds([page.classes for page in pages], sites, of_words)
    return classes | _odds([page.spoken for page in pages], sites, of_lines, MIN_ODDS)


def _odds(said: Sequence[Said], sites: NDArray[np.intp], prior: float, least: float = 0.0) -> dict[int, float]:
    """Return the log odds of the words that occur on enough sites, relative to the prior, if they are large enough."""
    digests, which = np.unique(np.concatenate([each.digests for each in said]), return_inverse=True)
    site = np.repeat(sites, [len(each.digests) for each in said])
    counts = np.bincount(which, minlength=len(digests))
    shares = np.bincount(which, np.concatenate([each.shares for each in said]), len(digests))
    on = np.bincount(np.unique(site * np.int64(len(digests)) + which) % len(digests), minlength=len(digests))
    yes, no = shares + PRIOR_PAGES * prior, counts - shares + PRIOR_PAGES * (1 - prior)
    odds = np.log(yes / no) - np.log(prior / (1 - prior))
    kept = (on >= MIN_SITES) & (np.abs(odds) >= least)
    return dict(zip(digests[kept].tolist(), odds[kept].tolist(), strict=True))


def fit(
    pages: Sequence[Lines], thresholds: Sequence[float] = (0.5, 0.5, 0.5), trained: dict[str, int] | None = None
) -> BlockModel:
    """Fit a model to pages, except those that are left out."""
    pages = [page for page in pages if not page.is_left_out]
    part = np.array(group_folds([page.gold.site for page in pages], PARTS))
    samples = [sampled(page) for page in pages]
    real = np.array([page.set_name != COMPOSED for page in pages])
    for number in range(PARTS):
        table = word_table(word_scores([pages[k] for k in np.flatnonzero(real & (part != number)).tolist()]))
        for k in np.flatnonzero(part == number).tolist():
            pages[k].described.add_words(*table)
    for number in range(PARTS):
        others = np.flatnonzero(part != number).tolist()
        first = grown([pages[k] for k in others], [samples[k] for k in others], FIRST_FEATURES)
        for k in np.flatnonzero(part == number).tolist():
            described = pages[k].described
            described.add_context(first_likelihood(first, described.values))
    return BlockModel(
        grown(pages, samples, FIRST_FEATURES),
        grown(pages, samples, SECOND_FEATURES),
        no_stories(),
        *word_table(word_scores([pages[k] for k in np.flatnonzero(real).tolist()])),
        np.array(thresholds, dtype=np.float64),
        {"pages": len(pages), "sets": trained or {}},
    )


def sampled(page: Lines) -> NDArray[np.intp]:
    """Return the lines of a page for training: all lines with words, or an even sample of them."""
    known = np.flatnonzero(page.words > 0)
    if len(known) <= MAX_LINES:
        return known
    return known[np.linspace(0, len(known) - 1, MAX_LINES).astype(np.intp)]


def grown(
    pages: Sequence[Lines], samples: Sequence[NDArray[np.intp]], names: tuple[str, ...], **options: Any
) -> Forest:
    """Grow a forest over the first features of sampled lines."""
    pairs = list(zip(pages, samples, strict=True))
    values = np.concatenate([page.described.values[chosen, : len(names)] for page, chosen in pairs])
    text = np.concatenate([page.text[chosen] for page, chosen in pairs]).astype(np.intp)
    weights = np.concatenate([page.weights[chosen] for page, chosen in pairs])
    return grow(values, text, weights, names, **(options or FOREST))


def kept(page: Lines, likelihood: Floats, threshold: float, apart: Bools | None = None) -> Bools:
    """Return a mask of the kept lines of a page, by its units; `apart` marks lines of another article."""
    return decide(page.described.blocks, likelihood, page_threshold(likelihood, threshold), apart=apart).kept


def headings_of(page: Lines, likelihood: Floats, threshold: float) -> Headings:
    """Return the labelled headings of a page that may begin another article."""
    return label_headings(page.described, likelihood, page_threshold(likelihood, threshold), page.words, page.hits)


def score(page: Lines, kept: Bools) -> PageScore:
    """Return the word precision, recall and F1 of the kept lines of a page."""
    words, hits = float(page.words[kept].sum()), float(page.hits[kept].sum())
    precision = hits / words if words else float(not page.wanted)
    recall = min(1.0, hits / page.wanted) if page.wanted else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return PageScore(page.set_name, page.gold, precision, recall, f1)


def best_threshold(pages: Sequence[Lines], likelihoods: Sequence[Floats], beta: float) -> float:
    """Return the threshold with the best mean F-beta over pages, without the decisions of units."""

    def mean(threshold: float) -> float:
        found = [
            score(page, each >= page_threshold(each, threshold)) for page, each in zip(pages, likelihoods, strict=True)
        ]
        precision, recall = (np.array([getattr(each, name) for each in found]) for name in ("precision", "recall"))
        square = beta * beta
        return float(np.mean((1 + square) * precision * recall / np.maximum(square * precision + recall, 1e-9)))

    return float(max(THRESHOLDS, key=mean))


# The report


def rows_of(report: AutoReport) -> list[tuple[str, int, float, float, float]]:
    """Return the pages and mean figures of each set, and of each page type and language in it."""
    groups = defaultdict[str, list[PageScore]](list)
    for each in report.scores:
        language = (each.gold.lang or "").split("-")[0] if each.set_name != COMPOSED else ""
        for name in (each.set_name, f"{each.set_name}: {each.gold.page_type}", f"language {language}"):
            if not name.endswith((": None", "language ")):
                groups[name].append(each)
    groups["all"] = [each for each in report.scores if each.set_name != COMPOSED]
    rows = []
    for name, found in sorted(groups.items()):
        precision, recall, f1 = zip(*((each.precision, each.recall, each.f1) for each in found), strict=True)
        rows.append((name, len(found), float(np.mean(precision)), float(np.mean(recall)), float(np.mean(f1))))
    return rows


def as_table(report: AutoReport) -> Table:
    """Return a table of the figures on pages of sites that the model had not seen."""
    low, usual, high = report.thresholds
    title = (
        f"words, on pages of unseen sites, by units; a line is kept from {usual:.3f} on "
        f"({low:.3f} precision, {high:.3f} recall)"
    )
    table = plain_table(title, [""], ("pages", "precision", "recall", "F1"))
    for group, pages, *figures in rows_of(report):
        table.add_row(group, f"{pages:,}", *(f"{figure:.3f}" for figure in figures))
    return table


def as_markdown(report: AutoReport) -> str:
    """Return the figures and the worst pages as Markdown."""
    worst = [
        (each.set_name, each.gold.id, each.gold.page_type or "", each.gold.site or "", each.precision, each.recall)
        for each in sorted(report.scores, key=lambda each: each.f1)[:WORST]
    ]
    parts = [
        "# The model on pages of unseen sites",
        f"{report.lines:,} lines, thresholds {', '.join(f'{each:.3f}' for each in report.thresholds)}",
        markdown_table(("group", "pages", "precision", "recall", "F1"), rows_of(report)),
    ]
    if report.curve:
        parts += [
            "## Worth of more pages",
            "Models of a quarter of the sites, half of them and all, on the first fold:",
            markdown_table(("training pages", "F1"), report.curve),
        ]
    if report.losses:
        parts += [
            "## What is lost, by cause",
            "Of 1 - F1, on average over the pages whose golds are right; line by line, and as units decide:",
            markdown_table(("words", "by lines", "by units"), report.losses),
        ]
    parts += [
        f"## The worst {WORST} pages",
        markdown_table(("set", "page", "type", "site", "precision", "recall"), worst),
    ]
    return "\n\n".join(parts) + "\n"


# The loss by cause: kept words that the gold does not have, and dropped words that it has. The loss of a page (1 - F1)
# is divided among the causes in proportion to its wrong words.

LONG = 80  # characters: a longer line is a text
NOT_THERE = "dropped: not on the page as the gold has it"


def divide_loss(
    described: LineFeatures, words: Floats, hits: Floats, wanted: int, kept: Bools, loss: float
) -> dict[str, float]:
    """Return the parts of a page's loss by cause, from the kept lines and the number of gold words of each line."""
    wrong, missed = np.where(kept, words - hits, 0.0), np.where(kept, 0.0, hits)
    found = dict[str, float]()
    for begin, lost in (("kept", wrong), ("dropped", missed)):
        for cause, marked in _causes(described, hits, begin == "kept"):
            found[f"{begin}: {cause}"] = float(lost[marked].sum())
    found[NOT_THERE] = max(0.0, wanted - float(hits.sum()))
    total = sum(found.values())
    return {cause: loss * lost / total for cause, lost in found.items() if lost} if total else {}


def _causes(described: LineFeatures, hits: Floats, is_kept: bool) -> Iterator[tuple[str, Bools]]:
    """Yield a mask of the lines of each cause; each line has one cause."""
    blocks, units = described.blocks, units_of(described.blocks)
    left = np.ones(len(blocks), dtype=np.bool_)
    gold = np.flatnonzero(hits)
    below = np.arange(len(blocks)) > (gold[-1] if len(gold) else -1)
    long = blocks.chars >= LONG
    comments: Bools = np.logical_or.reduceat(described.comments[blocks.rows], blocks.starts)
    causes = [
        ("comments", comments),
        ("lists and tables", _lines_of(units, len(blocks), UNIT_LIST, UNIT_TABLE, UNIT_DEFINITIONS)),
        ("headings", _headings(units, len(blocks))),
    ]
    if is_kept:
        causes += [("texts below the article", long & below), ("short lines below the article", below)]
    causes += [("texts", long), ("short lines", ~long)]
    for cause, marked in causes:
        yield cause, marked & left
        left &= ~marked


def _lines_of(units: Units, lines: int, *kinds: int) -> Bools:
    """Return a mask of the lines in units of some kinds."""
    steps = np.zeros(lines + 1, dtype=np.int64)
    chosen = np.isin(units.kind, kinds)
    np.add.at(steps, units.line[chosen], 1)
    np.add.at(steps, units.line_end[chosen], -1)
    marked: Bools = np.cumsum(steps[:-1]) > 0
    return marked


def _headings(units: Units, lines: int) -> Bools:
    marked = np.zeros(lines, dtype=np.bool_)
    for k in np.flatnonzero(units.kind == UNIT_SECTION).tolist():
        marked[units.line[k] : units.head_end[k]] = True
    return marked


# The forest over headings, which finds those that begin another article. It is trained on likelihoods from a model of
# other sites, as in its later use. Pages that are not a single article have no such headings.

# A section belongs to another article if hardly any of its words are in the gold, and those of the
# last lines before it are.
STORY_FOREST = {
    "max_iter": 80,
    "learning_rate": 0.08,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 12,
    "l2_regularization": 3.0,
    "max_features": 0.4,
}
HARDLY, MOSTLY = 0.2, 0.6
LINES_BEFORE = 6
MAX_WORDS = 300  # of a section; longer ones do not count more


class Headings(NamedTuple):
    """The headings of a page that may begin another article, with their features and labels.

    `labels` is 1 if the section below is hardly in the gold although the text before is, 0 if it is mostly in the gold,
    and -1 if neither is clear. `words` is the number of words of the section that are likely content.
    """

    described: LineFeatures
    lines: NDArray[np.int32]
    values: NDArray[np.float32]
    labels: NDArray[np.intp]
    words: Floats


def label_headings(
    described: LineFeatures, likelihood: Floats, threshold: float, words: Floats, hits: Floats
) -> Headings:
    """Label the headings of a page, from the likelihoods of its lines and the number of gold words of each line."""
    likely = likelihood >= threshold
    lines, values = story_headings(described, likelihood, threshold)
    if kind(described.blocks.page) != "article":
        lines, values = lines[:0], values[:0]
    labels, sizes = np.full(len(lines), -1, dtype=np.intp), np.zeros(len(lines))
    for k, line in enumerate(lines.tolist()):
        stop = int(lines[k + 1]) if k + 1 < len(lines) else len(likely)
        below, before = np.flatnonzero(likely[line:stop]) + line, np.flatnonzero(likely[:line])[-LINES_BEFORE:]
        share, own = (hits[which].sum() / max(words[which].sum(), 1) for which in (below, before))
        sizes[k] = words[below].sum()
        if share > MOSTLY or (share < HARDLY and own > MOSTLY):
            labels[k] = share < HARDLY
    return Headings(described, lines, values, labels, sizes)


def grow_stories(headings: Sequence[Headings]) -> Forest:
    """Grow the forest, or return a forest that finds no headings if there is no training data."""
    values = np.concatenate([each.values for each in headings])
    labels = np.concatenate([each.labels for each in headings])
    words = np.minimum(np.concatenate([each.words for each in headings]), MAX_WORDS)
    weights = words * np.where(labels == 1, 2.0, 1.0) / 100
    known = (labels >= 0) & (weights > 0)
    if len(set(labels[known].tolist())) < 2:
        return no_stories()
    return grow(values[known], labels[known], weights[known], STORY_FEATURES, **STORY_FOREST)


def no_stories() -> Forest:
    """Return a forest of one leaf, for which no heading begins another article."""
    leaf = {name: np.zeros(1, dtype=spec.dtype) for name, spec in ARRAYS.items()}
    leaf |= {"feature": np.full(1, -1, dtype=np.int16), "baseline": np.full(1, -20.0)}
    return Forest(STORY_FEATURES, **leaf)  # type: ignore[arg-type]


def stories_apart(headings: Sequence[Headings], fold: Sequence[int]) -> list[Bools | None]:
    """Return for each page the lines of another article, by a forest that has not seen the fold of the page."""
    numbers = np.array(fold)
    found: list[Bools | None] = [None] * len(headings)
    for number in sorted(set(fold)):
        forest = grow_stories([headings[k] for k in np.flatnonzero(numbers != number).tolist()])
        for k in np.flatnonzero(numbers == number).tolist():
            each = headings[k]
            likelihood = sigmoid(forest.scores(each.values)[:, 0])
            apart = first_apart(each.described, each.lines.tolist(), likelihood.tolist())
            found[k] = None if apart is None else as_mask(apart)
    return found
