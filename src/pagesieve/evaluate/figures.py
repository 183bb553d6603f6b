"""Figures of a group of pages (a set, a page type, a language, a site), and the tables they are shown in."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import fmean
from typing import Any, Generic, Protocol, TypeVar

from rich.table import Table

from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.score import PageRow, Score

Row = TypeVar("Row")
NONE = "–"


class Scored(Protocol):
    """How one rule, mode or method did on one page."""

    @property
    def gold(self) -> Gold:
        """The right answer of the page."""


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
    """The means over a group's pages; None where no page has anything to compare with."""

    pages: int
    sites: int
    precision: float
    recall: float
    f1: float
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
    """Return the site of a page; one whose site is not known is a site of its own."""
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
    """Return the mean of the values that are known, None where none is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


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


def plain(named: str, figures: dict[str, Any]) -> list[dict[str, Any]]:
    """Return figures by name (a rule, a mode) as plain values."""
    return [{named: name} | asdict(each) for name, each in figures.items()]
