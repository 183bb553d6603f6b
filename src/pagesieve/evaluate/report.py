"""What a run is told as: tables for people, JSON for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from typing import Any

from rich.table import Table

from pagesieve.evaluate.figures import Figures, Group, PageRow, figures_of, groups_of
from pagesieve.evaluate.peers import Extractor
from pagesieve.evaluate.score import Score

ALL_SETS = "all sets"
# From here on, tenths of a millisecond are noise.
WHOLE_MS = 100

_NONE = "–"
# The columns of a table, in order: the figure, its heading.
_RATES = {
    "precision": "prec",
    "recall": "rec",
    "f1": "F1",
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
    """A whole run: who was measured (the first is the one the others are compared with), and every row."""

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
        """Give the figures of one extractor by set."""
        wholes = (group for group in self.groups if group.by == "set")
        return {group.set_name: group.figures for group in wholes if group.extractor == extractor}


@dataclass(frozen=True, slots=True)
class Ratio:
    """An extractor next to the first of the run on the same pages: above 1 is more accurate, or slower."""

    set_name: str
    extractor: str
    f1: float | None
    shingle_f1: float | None
    ms: float | None


def ratios(groups: Iterable[Group]) -> list[Ratio]:
    """Compare each extractor of a set with the first one of it."""
    found = []
    for _, of_set in groupby((g for g in groups if g.by == "set"), key=lambda group: group.set_name):
        first, *others = of_set
        for other in others:
            pairs = {name: _ratio(other, first, name) for name in ("f1", "shingle_f1", "ms")}
            found.append(Ratio(other.set_name, other.extractor, **pairs))
    return found


def _ratio(group: Group, base: Group, name: str) -> float | None:
    below = getattr(base.figures, name)
    return float(getattr(group.figures, name) / below) if below else None


def tables(evaluation: Evaluation) -> list[Table]:
    """Give a table a set, one of all sets where there are several, and the ratios where there are peers."""
    groups = evaluation.groups
    by_set = [list(of_set) for _, of_set in groupby(groups, key=lambda group: group.set_name)]
    if len(by_set) > 1:
        by_set.append(evaluation.overall)
    found = [_set_table(of_set) for of_set in by_set]
    if len(evaluation.extractors) > 1:
        found.append(_ratio_table(evaluation, [group for of_set in by_set for group in of_set]))
    return found


def _set_table(groups: Sequence[Group]) -> Table:
    figures = groups[0].figures
    table = _plain_table(f"{groups[0].set_name}: {figures.pages} pages, {figures.sites} sites")
    shown = [name for name in _RATES if any(getattr(g.figures, name) is not None for g in groups)]
    for heading in ("", "extractor"):
        table.add_column(heading, no_wrap=True)
    for heading in ("pages", *(_RATES[name] for name in shown), "fail", "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    for (by, _), rows in groupby(groups, key=lambda group: (group.by, group.value)):
        for number, group in enumerate(rows):
            label, pages = (group.value, str(group.figures.pages)) if number == 0 else ("", "")
            rates = (_rate(getattr(group.figures, name)) for name in shown)
            table.add_row(
                label if by != "set" else "",
                group.extractor,
                pages,
                *rates,
                str(group.figures.failures),
                _milliseconds(group.figures.ms),
                style="bold" if by == "set" else None,
            )
    return table


def _ratio_table(evaluation: Evaluation, groups: Iterable[Group]) -> Table:
    first = evaluation.extractors[0].name
    table = _plain_table(f"ratios to {first}")
    for heading in ("set", "extractor"):
        table.add_column(heading, no_wrap=True)
    for heading in ("F1", "4gram", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for set_name, of_set in groupby(ratios(groups), key=lambda ratio: ratio.set_name):
        for number, ratio in enumerate(of_set):
            time = _NONE if ratio.ms is None else f"{ratio.ms:.2f}"
            label = set_name if number == 0 else ""
            table.add_row(label, ratio.extractor, _rate(ratio.f1), _rate(ratio.shingle_f1), time)
    return table


def _plain_table(title: str) -> Table:
    # One blank between columns: the widest table, with snippets and titles, has to fit a hundred columns.
    return Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))


def _rate(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


def _milliseconds(value: float) -> str:
    return f"{value:.0f}" if value >= WHOLE_MS else f"{value:.1f}"


def as_json(evaluation: Evaluation, settings: dict[str, Any], with_pages: bool = False) -> dict[str, Any]:
    """Give everything a run found as plain values; the rows of single pages only when asked for."""
    groups = evaluation.groups
    report: dict[str, Any] = {
        **settings,
        "extractors": [{"name": e.name, "version": e.version} for e in evaluation.extractors],
        "groups": [_group_json(group) for group in (*groups, *evaluation.overall)],
        "ratios": [asdict(ratio) for ratio in ratios((*groups, *evaluation.overall))],
        "errors": [_row_head(row) | {"error": row.error} for row in evaluation.rows if row.error],
    }
    if with_pages:
        report["pages"] = [_row_json(row) for row in evaluation.rows]
    return report


def _group_json(group: Group) -> dict[str, Any]:
    head = {"set": group.set_name, "by": group.by, "value": group.value, "extractor": group.extractor}
    return head | {field.name: getattr(group.figures, field.name) for field in fields(Figures)}


def _row_head(row: PageRow) -> dict[str, Any]:
    return {"set": row.set_name, "id": row.gold.id, "extractor": row.extractor}


def _row_json(row: PageRow) -> dict[str, Any]:
    gold = {"site": row.gold.site, "page_type": row.gold.page_type, "lang": row.gold.lang}
    scores = {field.name: getattr(row.score, field.name) for field in fields(Score) if field.name != "leaves"}
    if row.score.leaves is not None:
        scores["leaves"] = asdict(row.score.leaves)
    return _row_head(row) | gold | scores | {"ms": row.ms}
