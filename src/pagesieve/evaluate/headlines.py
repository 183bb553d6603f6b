"""Score headlines on sets of detail pages with the catalogue pages that link to them.

Each rule is scored on the same pages: the default and the paper's, each with and without the catalogue pages, the first
`h1`, and the titles of peers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from rich.table import Table

from pagesieve.evaluate.archives import Gold, Sample, read_named
from pagesieve.evaluate.metrics import character_f1, fold_title
from pagesieve.evaluate.peers import Extractor
from pagesieve.evaluate.report import ScoredSet, collect, mean, plain, plain_table, rates
from pagesieve.evaluate.score import caught, peers_kept_quiet
from pagesieve.headlines.catalogue import Catalogue, find_catalogue
from pagesieve.headlines.headline import RULES, HeadlineOptions, find_headline
from pagesieve.page.lines import shown
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.text.urls import absolute, key

HEADLINE = "headline"  # the name in the file of floors
FLOORED_RULE = "default with catalogue"  # the rule that floors apply to


@dataclass(frozen=True, slots=True)
class TitleScore:
    """The score of one rule on one page."""

    gold: Gold
    rule: str
    headline: str
    title_exact: float
    title_f1: float
    linked: float | None  # whether the page is among the links of its catalogue pages, where the rule has them


@dataclass(frozen=True, slots=True)
class TitleFigures:
    """The means over the pages of a set."""

    title_exact: float
    title_f1: float
    answered: float
    linked: float | None


class HeadlineSet(ScoredSet[TitleScore]):
    """The scores of every rule on one set of headlines."""

    @property
    def figures(self) -> dict[str, TitleFigures]:
        """The figures of each rule."""
        return {
            rule: TitleFigures(
                title_exact=fmean(score.title_exact for score in scores),
                title_f1=fmean(score.title_f1 for score in scores),
                answered=fmean(bool(score.headline.strip()) for score in scores),
                linked=mean(score.linked for score in scores),
            )
            for rule, scores in collect(self.scores, lambda score: score.rule).items()
        }


@dataclass(frozen=True, slots=True)
class _Detail:
    """A detail page, and the titles that its catalogue pages give it."""

    gold: Gold
    html: bytes
    page: Page
    external: tuple[str, ...]
    linked: bool


def run_headlines(sample: Sample, peers: Sequence[Extractor] = ()) -> HeadlineSet:
    """Score every rule and the peers on every page of a set of headlines."""
    scores: list[TitleScore] = []
    with peers_kept_quiet():
        for detail in _details(sample):
            scores += [_score(rule, detail, headline) for rule, headline in _headlines(detail, peers)]
    return HeadlineSet(sample.labelled_set.name, scores)


def _details(sample: Sample) -> Iterator[_Detail]:
    wanted = {name for gold in sample.golds.values() for name in (gold.id, *(each[0] for each in gold.catalogues))}
    pages = dict(read_named(sample.labelled_set, wanted))
    for name in sorted(sample.golds):
        gold = sample.golds[name]
        catalogues = [find_catalogue(parse(pages[each], url), url) for each, url in gold.catalogues]
        url = gold.url or ""
        external = dict.fromkeys(title for catalogue in catalogues for title in catalogue.titles(url))
        linked = any(_links_to(catalogue, url) for catalogue in catalogues)
        yield _Detail(gold, pages[name], parse(pages[name], gold.url), tuple(external), linked)


def _links_to(catalogue: Catalogue, url: str) -> bool:
    address = absolute(url, catalogue.url)
    return address is not None and any(key(link.url) == key(address) for link in catalogue.all_links)


def _headlines(detail: _Detail, peers: Sequence[Extractor]) -> Iterator[tuple[str, str]]:
    """Yield each rule by its name, and the headline it finds."""
    for rule in RULES:
        options = HeadlineOptions(rule)
        yield f"{rule} with catalogue", find_headline(detail.page, detail.external, options)
        yield rule, find_headline(detail.page, (), options)
    yield "first h1", _first_h1(detail.page)
    for peer in peers:
        if peer.gives_titles:
            yield peer.name, _peer_title(peer, detail) or ""


def _peer_title(peer: Extractor, detail: _Detail) -> str | None:
    if peer.title is not None:
        return caught(peer.title, detail.html, detail.gold.url)[0]
    output, _ = caught(peer.extract, detail.html, detail.gold.url)
    return output.title if output is not None else None


def _first_h1(page: Page) -> str:
    return next((shown(page, row, int(page.end[row])) for row in page.rows("h1").tolist()), "")


def _score(rule: str, detail: _Detail, headline: str) -> TitleScore:
    right, title = fold_title(detail.gold.title or ""), fold_title(headline)
    linked = float(detail.linked) if rule.endswith(" with catalogue") else None
    return TitleScore(detail.gold, rule, headline, float(right == title), character_f1(right, title), linked)


def floored_headlines(sets: Sequence[HeadlineSet]) -> Mapping[str, TitleFigures]:
    """Return the figures by set that floors apply to."""
    return {each.name: each.figures[FLOORED_RULE] for each in sets}


def headline_table(of: HeadlineSet) -> Table:
    """Return the table of a set, with a row for each rule."""
    table = plain_table(of.title, ["rule"], ("ttl=", "ttl~", "found", "linked"))
    for rule, figures in of.figures.items():
        table.add_row(rule, *rates(asdict(figures).values()))
    return table


def headline_json(of: HeadlineSet, with_pages: bool) -> dict[str, Any]:
    """Return the scores of a set as plain values, each page's only `with_pages`."""
    report: dict[str, Any] = {"set": of.name, "pages": of.pages, "sites": of.sites, "rules": plain("rule", of.figures)}
    return report | ({"rows": [_title_row(score) for score in of.scores]} if with_pages else {})


def _title_row(score: TitleScore) -> dict[str, Any]:
    row = {"id": score.gold.id, "rule": score.rule, "title": score.gold.title}
    return row | {name: value for name, value in asdict(score).items() if name != "gold"}
