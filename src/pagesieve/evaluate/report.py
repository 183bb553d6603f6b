"""Figures of groups of pages, as tables for people, JSON for programs, and a picture of accuracy against speed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, Protocol, TypeVar

from rich.table import Table

from pagesieve.errors import BadInput, MissingExtra
from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.peers import Extractor
from pagesieve.evaluate.score import PageRow, Score

Row = TypeVar("Row")
NONE = "–"


class Scored(Protocol):
    """The score of one rule, mode or method on one page."""

    @property
    def gold(self) -> Gold:
        """The gold of the page."""


ScoreT = TypeVar("ScoreT", bound=Scored)


@dataclass(frozen=True, slots=True)
class ScoredSet(Generic[ScoreT]):
    """The scores of every page of one set."""

    name: str
    scores: Sequence[ScoreT]

    @property
    def sites(self) -> int:
        """The number of sites."""
        return len({site_key(score.gold) for score in self.scores})

    @property
    def pages(self) -> int:
        """The number of pages."""
        return len({score.gold.id for score in self.scores})

    @property
    def title(self) -> str:
        """The title of its table."""
        return f"{self.name}: {self.pages} pages, {self.sites} sites"


@dataclass(frozen=True, slots=True)
class Figures:
    """The means over a group's pages; None if no page has a gold to compare with."""

    pages: int
    sites: int
    precision: float
    recall: float
    f1: float
    captionless_f1: float
    shingle_f1: float
    snippets_in: float | None
    snippets_out: float | None
    title_exact: float | None
    title_f1: float | None
    leaf_precision: float | None  # over all leaves of the group
    leaf_recall: float | None
    site_f1: float
    answered: float
    failures: int
    ms: float


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one extractor on one part of a set; `by` is set, page_type or lang."""

    set_name: str
    by: str
    value: str
    extractor: str
    figures: Figures


# The parts of a set, by the name of the field in its answers.
_PARTS: dict[str, Callable[[Gold], str | None]] = {
    "page_type": lambda gold: gold.page_type,
    "lang": lambda gold: primary_language(gold.lang),
}
_SCORE_MEANS = tuple(field.name for field in fields(Score) if field.name not in ("failed", "leaves"))


def primary_language(lang: str | None) -> str | None:
    """Return the language of a tag without its region: en for en-US."""
    return lang.replace("_", "-").split("-")[0].lower() if lang else None


def site_key(gold: Gold) -> str:
    """Return the site of a page; a page whose site is not known counts as a separate site."""
    return gold.site or f"page:{gold.id}"


def figures_of(rows: Sequence[PageRow]) -> Figures:
    """Average the rows (at least one) of one extractor."""
    # The order of the pages in an archive must not show, not even in the last digit.
    ordered = sorted(rows, key=lambda row: (row.set_name, row.gold.id))
    failures = sum(row.score.failed for row in ordered)
    by_site = collect(ordered, lambda row: site_key(row.gold))
    leaf_precision, leaf_recall = _leaf_rates(ordered)
    means = {name: mean(getattr(row.score, name) for row in ordered) for name in _SCORE_MEANS}
    return Figures(
        pages=len(ordered),
        sites=len(by_site),
        leaf_precision=leaf_precision,
        leaf_recall=leaf_recall,
        site_f1=fmean(fmean(row.score.f1 for row in site) for site in by_site.values()),
        answered=1.0 - failures / len(ordered),
        failures=failures,
        ms=fmean(row.ms for row in ordered),
        **means,  # type: ignore[arg-type]  # words and shingles are never None
    )


def _leaf_rates(rows: Sequence[PageRow]) -> tuple[float | None, float | None]:
    """Return precision and recall over the leaves of all pages together, as in the paper."""
    counts = [row.score.leaves for row in rows if row.score.leaves is not None]
    if not counts:
        return None, None
    hits = sum(count.tp for count in counts)
    called, text = hits + sum(count.fp for count in counts), hits + sum(count.fn for count in counts)
    return hits / called if called else None, hits / text if text else None


def groups_of(rows: Iterable[PageRow]) -> list[Group]:
    """Return the groups of every set in the rows: the whole, then each page type and each language.

    A set that has only one page type or language is not split by it.
    """
    return [
        group
        for set_name, of_set in collect(rows, lambda row: row.set_name).items()
        for group in (
            *_groups(set_name, "set", {set_name: of_set}),
            *(group for by in _PARTS for group in _groups(set_name, by, _split(of_set, by))),
        )
    ]


def _split(rows: Sequence[PageRow], by: str) -> dict[str, list[PageRow]]:
    parts = collect(rows, lambda row: _PARTS[by](row.gold) or "")
    parts.pop("", None)
    largest_first = sorted(parts.items(), key=lambda part: (-len(part[1]), part[0]))
    return dict(largest_first) if len(parts) > 1 else {}


def _groups(set_name: str, by: str, parts: dict[str, list[PageRow]]) -> Iterable[Group]:
    for value, part in parts.items():
        for extractor, rows in collect(part, lambda row: row.extractor).items():
            yield Group(set_name, by, value, extractor, figures_of(rows))


def collect(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Group rows by a key, in the order in which the keys first occur."""
    collected: dict[str, list[Row]] = {}
    for row in rows:
        collected.setdefault(key(row), []).append(row)
    return collected


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are known, None if none is."""
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers else None


def plain_table(title: str, labels: Iterable[str], numbers: Iterable[str]) -> Table:
    """Return a table without lines: columns of labels, then columns of numbers."""
    # One blank between columns: the widest table, with snippets and titles, has to fit a hundred columns.
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
    for heading in labels:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def rate(value: float | None) -> str:
    """Return a rate as tables show it."""
    return NONE if value is None else f"{value:.3f}"


def rates(values: Iterable[float | None]) -> list[str]:
    """Return some rates as tables show them."""
    return [rate(value) for value in values]


def plain(named: str, figures: dict[str, Any]) -> list[dict[str, Any]]:
    """Return figures by name (a rule, a mode) as plain values."""
    return [{named: name} | asdict(each) for name, each in figures.items()]


# A whole run

ALL_SETS = "all sets"
WHOLE_MS = 100  # from here on, tenths of a millisecond are noise
SIZE_INCHES = (8.0, 5.0)
DOTS_PER_INCH = 150

# The columns of a table, in order: the figure, its heading.
_RATES = {
    "precision": "prec",
    "recall": "rec",
    "f1": "F1",
    "captionless_f1": "F1-cap",
    "shingle_f1": "4gram",
    "snippets_in": "with",
    "snippets_out": "w/out",
    "leaf_precision": "leafP",
    "leaf_recall": "leafR",
    "title_exact": "ttl=",
    "title_f1": "ttl~",
    "site_f1": "site",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A whole run: the extractors (the others are compared with the first), and every row."""

    extractors: Sequence[Extractor]
    rows: Sequence[PageRow]

    @property
    def groups(self) -> list[Group]:
        """The figures per set, page type and language."""
        return groups_of(self.rows)

    @property
    def overall(self) -> list[Group]:
        """The figures of each extractor over the pages of all sets together."""
        return [
            Group(ALL_SETS, "set", ALL_SETS, extractor.name, figures_of(rows))
            for extractor in self.extractors
            if (rows := [row for row in self.rows if row.extractor == extractor.name])
        ]

    def set_figures(self, extractor: str) -> dict[str, Figures]:
        """Return the figures of one extractor by set."""
        wholes = (group for group in self.groups if group.by == "set")
        return {group.set_name: group.figures for group in wholes if group.extractor == extractor}


@dataclass(frozen=True, slots=True)
class Ratio:
    """An extractor relative to the first of the run on the same pages: above 1 is more accurate, or slower."""

    set_name: str
    extractor: str
    f1: float | None
    shingle_f1: float | None
    ms: float | None


def ratios(groups: Iterable[Group]) -> list[Ratio]:
    """Compare each extractor of a set with the first one of it."""
    results = []
    for _, of_set in groupby((g for g in groups if g.by == "set"), key=lambda group: group.set_name):
        first, *others = of_set
        for other in others:
            pairs = {
                name: float(getattr(other.figures, name) / base) if (base := getattr(first.figures, name)) else None
                for name in ("f1", "shingle_f1", "ms")
            }
            results.append(Ratio(other.set_name, other.extractor, **pairs))
    return results


def tables(evaluation: Evaluation) -> list[Table]:
    """Return a table for each set, one of all sets if there are several, and the ratios if there are peers."""
    groups = evaluation.groups
    by_set = [list(of_set) for _, of_set in groupby(groups, key=lambda group: group.set_name)]
    if len(by_set) > 1:
        by_set.append(evaluation.overall)
    result = [_set_table(of_set) for of_set in by_set]
    if len(evaluation.extractors) > 1:
        result.append(_ratio_table(evaluation, [group for of_set in by_set for group in of_set]))
    return result


def _set_table(groups: Sequence[Group]) -> Table:
    figures = groups[0].figures
    names = [name for name in _RATES if any(getattr(g.figures, name) is not None for g in groups)]
    title = f"{groups[0].set_name}: {figures.pages} pages, {figures.sites} sites"
    table = plain_table(title, ("", "extractor"), ("pages", *(_RATES[name] for name in names), "fail", "ms"))
    for (by, _), rows in groupby(groups, key=lambda group: (group.by, group.value)):
        for number, group in enumerate(rows):
            label, pages = (group.value, str(group.figures.pages)) if number == 0 else ("", "")
            rates = (rate(getattr(group.figures, name)) for name in names)
            table.add_row(
                label if by != "set" else "",
                group.extractor,
                pages,
                *rates,
                str(group.figures.failures),
                f"{group.figures.ms:.0f}" if group.figures.ms >= WHOLE_MS else f"{group.figures.ms:.1f}",
                style="bold" if by == "set" else None,
            )
    return table


def _ratio_table(evaluation: Evaluation, groups: Iterable[Group]) -> Table:
    title = f"ratios to {evaluation.extractors[0].name}"
    table = plain_table(title, ("set", "extractor"), ("F1", "4gram", "time"))
    for set_name, of_set in groupby(ratios(groups), key=lambda ratio: ratio.set_name):
        for number, ratio in enumerate(of_set):
            time = NONE if ratio.ms is None else f"{ratio.ms:.2f}"
            label = set_name if number == 0 else ""
            table.add_row(label, ratio.extractor, rate(ratio.f1), rate(ratio.shingle_f1), time)
    return table


def as_json(evaluation: Evaluation, settings: dict[str, Any], with_pages: bool = False) -> dict[str, Any]:
    """Return all figures of a run as plain values; those of each page only with `with_pages`."""
    groups = evaluation.groups
    report: dict[str, Any] = {
        **settings,
        "extractors": [{"name": e.name, "version": e.version} for e in evaluation.extractors],
        "groups": [
            {"set": group.set_name, "by": group.by, "value": group.value, "extractor": group.extractor}
            | asdict(group.figures)
            for group in (*groups, *evaluation.overall)
        ],
        "ratios": [asdict(ratio) for ratio in ratios((*groups, *evaluation.overall))],
        "errors": [_row_head(row) | {"error": row.error} for row in evaluation.rows if row.error],
    }
    if with_pages:
        report["pages"] = [_row_json(row) for row in evaluation.rows]
    return report


def _row_head(row: PageRow) -> dict[str, Any]:
    return {"set": row.set_name, "id": row.gold.id, "extractor": row.extractor}


def _row_json(row: PageRow) -> dict[str, Any]:
    gold = {"site": row.gold.site, "page_type": row.gold.page_type, "lang": row.gold.lang}
    scores = {name: value for name, value in asdict(row.score).items() if name != "leaves" or value is not None}
    return _row_head(row) | gold | scores | {"ms": row.ms}


def draw_plot(evaluation: Evaluation, path: Path) -> None:
    """Write a PNG: milliseconds per page against word F1; a large point is an extractor, a small one a set."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("the plot", "train", "matplotlib") from error
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
    axes.set_xlabel("milliseconds per page (log)")
    axes.set_ylabel("word F1")
    axes.set_title(f"{evaluation.overall[0].figures.pages} pages; small points: single sets", fontsize="medium")
    axes.legend()
    axes.grid(which="both", alpha=0.25)
    try:
        figure.savefig(path, format="png")
    except OSError as error:
        raise BadInput(f"{path}: the plot cannot be written: {error.strerror}") from error
