"""Score facts, next to those of peers: titles, dates, authors, descriptions, tags and languages.

A date is right if its day is. An author is right if the result contains the surname of the gold's first author; if the
gold names nobody, only an empty author is right. Descriptions and tags have no gold: they are compared with the
statements of the page.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from rich.table import Table

from pagesieve.evaluate.archives import Gold, Sample, read_pages
from pagesieve.evaluate.metrics import character_f1, fold_title
from pagesieve.evaluate.peers import OWN_NAME, Extractor, PageFacts, own_extractor
from pagesieve.evaluate.report import ScoredSet, collect, mean, plain, plain_table, rates
from pagesieve.evaluate.score import caught, peers_kept_quiet
from pagesieve.page.stated import linked_scripts, meta
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.text.whitespace import squeeze

FACTS = "facts"  # the name in the file of floors

_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_BETWEEN = re.compile(r"(?:(?<!\s)\s+)?(?:[,;&、\n]|\band\b|\bund\b)\s*")
_PREFIX = re.compile(r"(?:by|von|par|por)\s+", re.IGNORECASE)
_WORD = re.compile(r"[\w'’-]+")
# Suffixes of a surname.
_TITLES = frozenset("md phd dr jr sr ii iii rn rd mba cpa ms ma esq dds dvm msc bsc mph np pa rdn ldn cfa".split())
_DESCRIPTIONS = ("description", "og:description", "twitter:description", "DC.description")
_KEYWORDS = ("keywords", "news_keywords", "article:tag", "parsely-tags", "sailthru.tags", "DC.subject")
_LINKED = re.compile(r'"(description|keywords)"\s*:\s*("[^"\\]*+(?:\\.[^"\\]*+)*+"|\[[^\[\]]*\])')
_NO_TAG = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|\b[0-9a-f]{16,}|\b\d{5,}|^@|\w_\w|\w:\S|[;|]|,\S", re.I)
_MAX_TAG = 60  # characters
_MACRO = {"nb": "no", "nn": "no", "wuu": "zh", "yue": "zh", "fil": "tl"}


@dataclass(frozen=True, slots=True)
class FactScore:
    """The facts that an extractor returned for one page, and whether they are right; None if that is not known."""

    gold: Gold
    extractor: str
    given: PageFacts
    title_f1: float | None
    date_right: bool | None
    author_right: bool | None
    authors_f1: float | None
    description_right: bool | None
    tags_sound: float | None
    language_right: bool | None
    language_wrong: bool | None


@dataclass(frozen=True, slots=True)
class FactFigures:
    """Shares of the pages of a set."""

    title_f1: float | None
    date_right: float | None  # of those whose day is known
    author_right: float | None
    author_found: float | None  # right, of those whose author is known
    author_other: float | None  # somebody else, of those whose author is known
    author_unlabelled: float | None  # somebody, of those where the answer names nobody, whether or not the page does
    authors_f1: float | None  # of all surnames, of those whose author is known
    description_right: float | None  # one of those that the page states, of those that state one
    tags_sound: float | None  # of the tags given, where the page states some: those that it states, and no ids or notes
    language_right: float | None
    language_wrong: float | None  # another one, not none


HEADINGS = ("title~", "date", "author", "named", "other", "unlab.", "all", "descr.", "tags", "lang", "wrong")


class FactSet(ScoredSet[FactScore]):
    """The scores of every extractor on every page of one set of articles."""

    @property
    def figures(self) -> FactFigures:
        """The figures of Pagesieve."""
        return self.by_extractor[OWN_NAME]

    @property
    def by_extractor(self) -> dict[str, FactFigures]:
        """The figures of each extractor."""
        return {name: _figures(scores) for name, scores in collect(self.scores, lambda each: each.extractor).items()}


def _figures(scores: Sequence[FactScore]) -> FactFigures:
    named = [score for score in scores if score.gold.author]
    unlabelled = [score for score in scores if not score.gold.author and score.author_right is not None]
    measured = {each.name for each in fields(FactScore)}
    means = {
        each.name: mean(getattr(score, each.name) for score in scores)
        for each in fields(FactFigures)
        if each.name in measured
    }
    return FactFigures(
        **means,
        author_found=mean(score.author_right for score in named),
        author_other=mean(bool(score.given.authors) and not score.author_right for score in named),
        author_unlabelled=mean(bool(score.given.authors) for score in unlabelled),
    )


def run_facts(sample: Sample, peers: Iterable[Extractor] = ()) -> FactSet:
    """Score the facts of every page of a set of articles, for Pagesieve and the peers that return facts."""
    extractors = [own_extractor(), *(peer for peer in peers if peer.facts is not None)]
    knows_authors = any(gold.author for gold in sample.golds.values())
    scores = []
    with peers_kept_quiet():
        for gold, source in read_pages(sample):
            page = parse(source, gold.url)
            for each in extractors:
                facts = caught(each.facts, source, gold.url)[0] if each.facts is not None else None
                scores.append(_score(gold, page, each.name, facts or PageFacts(), knows_authors))
    return FactSet(sample.labelled_set.name, scores)


def _score(gold: Gold, page: Page, name: str, facts: PageFacts, knows_authors: bool) -> FactScore:
    """Compare an extractor's facts with the gold; `knows_authors`: pages without an author in the gold have none."""
    language = _language(facts.language)
    return FactScore(
        gold,
        name,
        facts,
        title_f1=character_f1(fold_title(gold.title), fold_title(facts.title or "")) if gold.title else None,
        date_right=None if day(gold.date) is None else day(gold.date) == day(facts.date),
        author_right=is_right(gold.author, ", ".join(facts.authors)) if knows_authors else None,
        authors_f1=_authors_f1(gold.author, facts.authors) if gold.author else None,
        description_right=_is_stated(facts.description, stated(page, "description", _DESCRIPTIONS)),
        tags_sound=_sound(facts.tags, stated(page, "keywords", _KEYWORDS)),
        language_right=None if gold.lang is None else language == _language(gold.lang),
        language_wrong=None if gold.lang is None else language not in (None, _language(gold.lang)),
    )


def has_facts(sample: Sample) -> bool:
    """Whether the golds of a set have dates, authors or languages."""
    return any(gold.date or gold.author or gold.lang for gold in sample.golds.values())


def day(date: str | None) -> str | None:
    """Return the day of a date in ISO 8601 form, None if there is none."""
    match = _DAY.match(date or "")
    return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}" if match else None


def is_right(right: str | None, authors: str | None) -> bool:
    """Whether an author is right."""
    return not authors if not right else bool(authors) and surname(right) in _folded(authors or "")


def surname(author: str) -> str:
    """Return the surname of the first author in an answer, with case and accents folded and suffixes removed."""
    first = _PREFIX.sub("", _BETWEEN.split(author.strip())[0])
    words = _WORD.findall(_folded(first))
    return next((word for word in reversed(words) if word not in _TITLES), "")


def _authors_f1(right: str, authors: Sequence[str]) -> float:
    """Return the F1 of the surnames of all authors."""
    wanted = {surname(name) for name in _BETWEEN.split(right)} - {""}
    surnames = {surname(name) for name in authors} - {""}
    return 2 * len(wanted & surnames) / (len(wanted) + len(surnames)) if wanted or surnames else 1.0


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if not unicodedata.combining(c))


def _language(tag: str | None) -> str | None:
    """Return the language of a tag, without its region."""
    code = re.split("[-_]", tag.lower())[0] if tag else None
    return _MACRO.get(code, code) if code else None


def stated(page: Page, linked: str, names: tuple[str, ...]) -> list[str]:
    """Return what a page states under some names of `meta` elements and one of JSON-LD, without heuristics."""
    found = [text for _, texts in meta(page).values(*names, longest=4000) for text in texts]
    scripts = b" ".join(page.text_buffer[slice(*span)] for span in linked_scripts(page)).decode("utf-8", "replace")
    for name, value in _LINKED.findall(scripts):
        if name == linked:
            try:
                read = json.loads(value, strict=False)
            except ValueError:
                continue
            found += [html.unescape(str(each)) for each in (read if isinstance(read, list) else [read])]
    return [text for text in found if text.strip()]


def _is_stated(description: str | None, texts: Sequence[str]) -> bool | None:
    """Whether a page states a description, ignoring markup and blanks."""
    if not texts:
        return None
    plain = {squeeze(re.sub(r"<[^<>]*>", " ", text)) for text in texts}
    return squeeze(description) in plain if description else False


def _sound(tags: Sequence[str], texts: Sequence[str]) -> float | None:
    """Return the share of tags that a page states and that are not ids, notes or lists; 0 without tags."""
    if not texts:
        return None
    whole = "|".join(squeeze(text) for text in texts)
    sound = [tag for tag in tags if len(tag) <= _MAX_TAG and not _NO_TAG.search(tag) and squeeze(tag) in whole]
    return len(sound) / len(tags) if tags else 0.0


def fact_table(sets: Sequence[FactSet]) -> Table:
    """Return a table with a row for each set and extractor."""
    table = plain_table("facts", ["set", "extractor"], ("pages", *HEADINGS))
    for each in sets:
        for name, figures in each.by_extractor.items():
            table.add_row(each.name, name, str(each.pages), *rates(asdict(figures).values()))
    return table


def fact_json(of: FactSet, with_pages: bool) -> dict[str, Any]:
    """Return the scores of a set as plain values, each page's only `with_pages`."""
    others = {name: figures for name, figures in of.by_extractor.items() if name != OWN_NAME}
    report: dict[str, Any] = {"set": of.name, "pages": of.pages, **asdict(of.figures), "peers": plain("peer", others)}
    return report | ({"rows": [_fact_row(score) for score in of.scores]} if with_pages else {})


def _fact_row(score: FactScore) -> Mapping[str, Any]:
    row = {"id": score.gold.id, "right_date": score.gold.date, "right_author": score.gold.author}
    values = {name: value for name, value in asdict(score).items() if name not in ("gold", "given")}
    return row | values | asdict(score.given)
