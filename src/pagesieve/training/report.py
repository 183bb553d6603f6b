"""Report a training run of the support vector machine: as Markdown, on the terminal, and as a picture.

All figures are for unseen blocks: each fold of sites is classified by a model of the other folds.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.table import Table

from pagesieve.arrayfile import put_file
from pagesieve.errors import MissingExtra
from pagesieve.evaluate.report import plain_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXTRA = "train"
PLOT_NAME = "report.png"
SIZE_INCHES = (15.0, 4.8)
DOTS_PER_INCH = 130
TEXT_COLOUR, NOISE_COLOUR, MARK_COLOUR = "#1f6fb2", "#e08a3c", "#c0392b"
BINS = 60
# Margins beyond these quantiles are drawn at the edge, so that a few outliers do not squeeze the rest.
SHOWN_QUANTILES = (0.002, 0.998)


class SetFigures(NamedTuple):
    """The used part of one set."""

    name: str
    pages: int
    sites: int
    blocks: int
    text_blocks: int


class Tried(NamedTuple):
    """One pair of parameters: its F1 over the folds, and the standard deviation between folds."""

    cost: float
    gamma: float
    f1: float
    spread: float


class Fold(NamedTuple):
    """The score of the chosen parameters on the sites of one fold, trained on the others."""

    number: int
    sites: int
    blocks: int
    precision: float
    recall: float
    f1: float


class Confusion(NamedTuple):
    """The numbers of held-out blocks by true and predicted class; text is the positive class."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def precision(self) -> float:
        """The share of blocks classified as text that are text."""
        return self.tp / max(1, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """The share of text blocks that are classified as text."""
        return self.tp / max(1, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.tp / max(1, 2 * self.tp + self.fp + self.fn)


class Scores(NamedTuple):
    """The margins of the held-out blocks, and whether each is text."""

    margins: NDArray[np.floating[Any]]
    labels: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingReport:
    """The figures of a training run."""

    features: str
    feature_names: tuple[str, ...]
    sets: tuple[SetFigures, ...]
    tried: tuple[Tried, ...]
    chosen: tuple[float, float]  # cost, gamma
    confusion: Confusion
    folds: tuple[Fold, ...]
    scores: Scores
    vectors: int
    size_bytes: int
    seconds: float


# Markdown


def as_markdown(report: TrainingReport) -> str:
    """Return the whole report: sets, tried parameters, confusion table, figures per fold."""
    found, (cost, gamma) = report.confusion, report.chosen
    # The name of a set is that of a folder and may contain any characters.
    sets: list[Sequence[object]] = [(" ".join(s.name.replace("|", "\\|").split()), *s[1:]) for s in report.sets]
    if len(sets) > 1:
        sets.append(["all", *(sum(counts) for counts in zip(*(s[1:] for s in report.sets), strict=True))])
    tried = []
    for each in report.tried:
        row = (f"{each.cost:g}", f"{each.gamma:g}", f"{each.f1:.4f}", f"{each.spread:.4f}")
        tried.append(tuple(f"**{cell}**" for cell in row) if (each.cost, each.gamma) == (cost, gamma) else row)
    parts = [
        "# Training report",
        f"An RBF support vector machine over {len(report.feature_names)} features (`{report.features}`), "
        f"C = {cost:g}, gamma = {gamma:g}: "
        f"**precision {found.precision:.3f}, recall {found.recall:.3f}, F1 {found.f1:.3f}** on held-out blocks. "
        f"{report.vectors:,} support vectors, {_kilobytes(report.size_bytes)}, trained in {report.seconds:.0f} s.",
        f"![Precision and recall, margins, parameters tried]({PLOT_NAME})",
        "## Sets",
        markdown_table(("set", "pages", "sites", "blocks", "text blocks"), sets),
        "## Held-out blocks",
        f"Each block was judged by a model that had seen no page of its site ({len(report.folds)} folds of sites).",
        markdown_table(
            ("", "called text", "called noise", ""),
            [
                ("is text", found.tp, found.fn, f"recall {found.recall:.3f}"),
                ("is noise", found.fp, found.tn, ""),
                ("", f"precision {found.precision:.3f}", "", f"F1 {found.f1:.3f}"),
            ],
        ),
        "## Folds",
        markdown_table(("fold", "sites", "blocks", "precision", "recall", "F1"), report.folds),
        "## Parameters tried",
        "F1 over the folds; the spread is the standard deviation between folds. The chosen pair is bold.",
        markdown_table(("C", "gamma", "F1", "spread"), tried),
        "## Features",
        f"The set `{report.features}`: " + ", ".join(f"`{name}`" for name in report.feature_names) + ".",
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table whose first column is a label, and the others numbers."""
    lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *(map(_cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, (int, np.integer)) else str(value)


def _kilobytes(size: int) -> str:
    return f"{size / 1000:.0f} kB"


# The terminal


def as_rich(report: TrainingReport) -> Group:
    """Return a summary for a terminal: training data, confusion table, quality, size."""
    found, (cost, gamma) = report.confusion, report.chosen
    worst = min(report.folds, key=lambda fold: fold.f1, default=None)
    facts = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    pages, sites, blocks, texts = (sum(counts) for counts in list(zip(*report.sets, strict=True))[1:])
    facts.add_row("trained on", f"{pages:,} pages of {sites:,} sites: {blocks:,} blocks, {texts:,} of them text")
    facts.add_row("parameters", f"C = {cost:g}, gamma = {gamma:g} (best of {len(report.tried)})")
    facts.add_row("held out", f"precision {found.precision:.3f}  recall {found.recall:.3f}  [bold]F1 {found.f1:.3f}[/]")
    if worst is not None:
        facts.add_row("", f"{len(report.folds)} folds of sites; the worst, number {worst.number}: F1 {worst.f1:.3f}")
    size = f"{report.vectors:,} vectors of {len(report.feature_names)} features, {_kilobytes(report.size_bytes)}"
    facts.add_row("model", f"{size}, in {report.seconds:.0f} s")
    table = plain_table("", [""], ("called text", "called noise"))
    table.add_row("is text", f"{found.tp:,}", f"{found.fn:,}")
    table.add_row("is noise", f"{found.fp:,}", f"{found.tn:,}")
    return Group(facts, "", table)


# The picture


def plot(report: TrainingReport, path: Path) -> None:
    """Write a PNG: precision against recall by margin, margins of text and noise, tried parameters."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("the report", EXTRA) from error
    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    curve, margins, grid = figure.subplots(1, 3)
    _draw_curve(curve, report)
    _draw_margins(margins, report.scores)
    _draw_grid(grid, report)
    for axes in (curve, margins):
        axes.spines[["top", "right"]].set_visible(False)
    buffer = io.BytesIO()
    # Leave out version and date, so that the same report gives the same picture.
    figure.savefig(buffer, format="png", metadata={"Software": None})
    put_file(path, buffer.getvalue())


def precision_recall(scores: Scores) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision and recall with the margin of each block as the threshold, from the highest margin down."""
    order = np.argsort(-scores.margins, kind="stable")
    margins, hits = scores.margins[order], np.cumsum(scores.labels[order])
    # Blocks with the same margin get the same class.
    last = np.flatnonzero(np.append(margins[1:] != margins[:-1], True)) if len(margins) else np.zeros(0, np.int64)
    found = hits[last].astype(np.float64)
    return found / (last + 1), found / max(1, int(scores.labels.sum()))


def _draw_curve(axes: Axes, report: TrainingReport) -> None:
    precision, recall = precision_recall(report.scores)
    found = report.confusion
    axes.plot(recall, precision, color=TEXT_COLOUR, linewidth=1.8)
    label = f"margin 0: precision {found.precision:.3f}, recall {found.recall:.3f}"
    axes.scatter([found.recall], [found.precision], s=55, color=MARK_COLOUR, zorder=3, label=label)
    axes.set(xlabel="recall", ylabel="precision", title="Held-out blocks, as the margin moves")
    axes.set(xlim=(0, 1.02), ylim=(0, 1.02))
    axes.grid(alpha=0.25)
    axes.legend(loc="lower left", frameon=False)


def _draw_margins(axes: Axes, scores: Scores) -> None:
    # The bins span all margins except the outliers, and in any case 0.
    shown = np.append(scores.margins, 0.0)
    low, high = np.quantile(shown, SHOWN_QUANTILES)
    edges = np.linspace(min(low, -1.0), max(high, 1.0), BINS + 1)
    for name, colour, which in (("noise", NOISE_COLOUR, ~scores.labels), ("text", TEXT_COLOUR, scores.labels)):
        values = np.clip(scores.margins[which], edges[0], edges[-1])
        axes.hist(values, bins=edges.tolist(), color=colour, alpha=0.65, label=f"{name} ({len(values):,})")
    axes.axvline(0, ymax=0.9, color="#444444", linewidth=1, linestyle="--")
    axes.set_yscale("symlog", linthresh=10)
    axes.set(xlabel="margin (text above 0)", ylabel="blocks (log)", title="Margins of held-out blocks")
    axes.legend(loc="upper left", frameon=False, ncols=2)
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * 2)


def _draw_grid(axes: Axes, report: TrainingReport) -> None:
    from matplotlib.patches import Rectangle

    costs, gammas = sorted({t.cost for t in report.tried}), sorted({t.gamma for t in report.tried})
    f1 = np.full((len(costs), len(gammas)), np.nan)
    for tried in report.tried:
        f1[costs.index(tried.cost), gammas.index(tried.gamma)] = tried.f1
    axes.set_facecolor("#eeeeee")
    # A little room above and below, so that a grid of one cell, or of equal ones, can be drawn.
    low, high = float(np.nanmin(f1)) - 1e-3, float(np.nanmax(f1)) + 1e-3
    image = axes.imshow(f1, origin="lower", aspect="auto", cmap="viridis", vmin=low, vmax=high)
    for (row, column), value in np.ndenumerate(f1):
        if np.isfinite(value):
            colour = "black" if value > (low + high) / 2 else "white"
            axes.text(column, row, f"{value:.3f}", ha="center", va="center", color=colour, fontsize="small")
    cost, gamma = report.chosen
    if cost in costs and gamma in gammas:
        corner = gammas.index(gamma) - 0.47, costs.index(cost) - 0.47
        axes.add_patch(Rectangle(corner, 0.94, 0.94, fill=False, edgecolor=MARK_COLOUR, linewidth=2.5))
    axes.set_xticks(range(len(gammas)), [f"{g:.3g}" for g in gammas])
    axes.set_yticks(range(len(costs)), [f"{c:.3g}" for c in costs])
    axes.set(xlabel="gamma", ylabel="C", title="F1 of the parameters tried (chosen: framed)")
    axes.figure.colorbar(image, ax=axes, pad=0.02)
