"""Score dates and authors on the sets of articles that have them in their answers.

A date is right if its day is. An author is right if the surname of the first author in the answer occurs in what was
found; where the answer names nobody, only an empty author is right.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from pagesieve.articles.metadata import metadata
from pagesieve.evaluate.archives import Gold, Sample, read_pages
from pagesieve.evaluate.figures import ScoredSet, mean, plain_table, rate
from pagesieve.page.static import parse

METHOD = "facts"  # its name in the file of floors

_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_BETWEEN = re.compile(r"\s*(?:[,;&、\n]|\band\b|\bund\b)\s*")
_PREFIX = re.compile(r"(?:by|von|par|por)\s+", re.IGNORECASE)
_WORD = re.compile(r"[\w'’-]+")
# Suffixes of a surname.
_TITLES = frozenset("md phd dr jr sr ii iii rn rd mba cpa ms ma esq dds dvm msc bsc mph np pa rdn ldn cfa".split())


@dataclass(frozen=True, slots=True)
class FactScore:
    """What was found on one page, and whether it is right; None where that is not known."""

    gold: Gold
    date: str | None
    author: str | None
    found: Mapping[str, str]  # where
    date_right: bool | None
    author_right: bool


@dataclass(frozen=True, slots=True)
class FactFigures:
    """Shares of the pages of a set."""

    date_right: float | None  # of those whose day is known
    author_right: float | None
    author_found: float | None  # right, of those whose author is known
    author_invented: float | None  # wrong, of those where nobody is named


class FactSet(ScoredSet[FactScore]):
    """The scores of every page of one set of articles."""

    @property
    def figures(self) -> FactFigures:
        """The figures of the set."""
        scores = self.scores
        return FactFigures(
            date_right=mean(score.date_right for score in scores),
            author_right=mean(score.author_right for score in scores),
            author_found=mean(score.author_right for score in scores if score.gold.author),
            author_invented=mean(not score.author_right for score in scores if not score.gold.author),
        )


def run_facts(sample: Sample, on_page: Callable[[], None] = lambda: None) -> FactSet:
    """Score the facts of every page of a set of articles."""
    scores = []
    for gold, html in read_pages(sample):
        facts = metadata(parse(html, gold.url))
        right = None if day(gold.date) is None else day(gold.date) == day(facts.date)
        scores.append(
            FactScore(gold, facts.date, facts.author, facts.found, right, is_right(gold.author, facts.author))
        )
        on_page()
    return FactSet(sample.labelled_set.name, scores)


def has_facts(sample: Sample) -> bool:
    """Tell whether the answers of a set have dates or authors."""
    return any(gold.date or gold.author for gold in sample.golds.values())


def day(date: str | None) -> str | None:
    """Return the day of a date in ISO 8601 form, None where there is none."""
    found = _DAY.match(date or "")
    return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}" if found else None


def is_right(right: str | None, given: str | None) -> bool:
    """Tell whether an author is right."""
    return not given if not right else bool(given) and surname(right) in _folded(given or "")


def surname(author: str) -> str:
    """Return the surname of the first author in an answer, with case and accents folded and suffixes removed."""
    first = _PREFIX.sub("", _BETWEEN.split(author.strip())[0])
    words = _WORD.findall(_folded(first))
    return next((word for word in reversed(words) if word not in _TITLES), "")


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if not unicodedata.combining(c))


def floored(sets: Sequence[FactSet]) -> Mapping[str, FactFigures]:
    """Return the figures by set that floors apply to."""
    return {each.name: each.figures for each in sets}


def fact_table(sets: Sequence[FactSet]) -> Table:
    """Return a table with a row for each set."""
    table = plain_table("dates and authors", ["set"], ("pages", "date", "author", "named", "invented"))
    for each in sets:
        figures = each.figures
        values = (figures.date_right, figures.author_right, figures.author_found, figures.author_invented)
        table.add_row(each.name, str(each.pages), *map(rate, values))
    return table


def fact_json(of: FactSet, with_pages: bool = False) -> dict[str, Any]:
    """Return the scores of a set as plain values, each page's only `with_pages`."""
    report: dict[str, Any] = {"set": of.name, "pages": of.pages, **asdict(of.figures)}
    if with_pages:
        report["rows"] = [_row(score) for score in of.scores]
    return report


def _row(score: FactScore) -> dict[str, Any]:
    known = {"id": score.gold.id, "right_date": score.gold.date, "right_author": score.gold.author}
    found = {"date": score.date, "author": score.author, "found": dict(score.found)}
    return known | found | {"date_right": score.date_right, "author_right": score.author_right}
