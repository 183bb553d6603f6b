"""A picture of accuracy against speed."""

from pathlib import Path

from pagesieve.errors import BadInput, MissingExtra
from pagesieve.evaluate.peers import EXTRA
from pagesieve.evaluate.report import Evaluation

SIZE_INCHES = (8.0, 5.0)
DOTS_PER_INCH = 150


def draw_plot(evaluation: Evaluation, path: Path) -> None:
    """Write a PNG: milliseconds a page against word F1; a large point is an extractor, a small one a set."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("the plot", EXTRA) from error
    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.add_subplot()
    sets = [group for group in evaluation.groups if group.by == "set"]
    for number, whole in enumerate(evaluation.overall):
        colour = f"C{number}"
        parts = [group.figures for group in sets if group.extractor == whole.extractor]
        axes.scatter([f.ms for f in parts], [f.f1 for f in parts], s=18, color=colour, alpha=0.35, linewidths=0)
        x, y = whole.figures.ms, whole.figures.f1
        label = f"{whole.extractor}: {y:.3f}, {x:.1f} ms"
        axes.scatter([x], [y], s=90, color=colour, edgecolors="black", linewidths=0.8, zorder=3, label=label)
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds a page (log)")
    axes.set_ylabel("word F1")
    axes.set_title(f"{evaluation.overall[0].figures.pages} pages; small points: single sets", fontsize="medium")
    axes.legend()
    axes.grid(which="both", alpha=0.25)
    try:
        figure.savefig(path, format="png")
    except OSError as error:
        raise BadInput(f"{path}: the plot cannot be written: {error.strerror}") from error
