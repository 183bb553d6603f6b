"""Score the posts of threads, on sets of records whose golds have the authors of posts.

A post is found if its text matches as the texts of records do (`evaluate/records.py`). Its author is right if the gold
has the same name, its date if the gold has the same day. A gold has no day for a date such as "2 days ago": this date
is not scored. A post agrees with the records of the page if one record has all of its rows, and those of no other post.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from rich.table import Table

import pagesieve
from pagesieve.errors import NothingFound
from pagesieve.evaluate.archives import Gold, Sample, read_pages
from pagesieve.evaluate.facts import day
from pagesieve.evaluate.metrics import fold
from pagesieve.evaluate.records import f1_of, match, words_of
from pagesieve.evaluate.report import ScoredSet, mean, plain_table, rates
from pagesieve.records.find import find_static
from pagesieve.selection import Selection

POSTS = "posts"  # the name in the file of floors


@dataclass(frozen=True, slots=True)
class PostScore:
    """The score of the posts of one page."""

    gold: Gold
    outputs: int  # posts in the output,
    matches: int  # and those of them that are of the gold
    posts_f1: float
    post_author_f1: float | None  # None if the gold has none
    post_date_f1: float | None
    agreement: float  # F1 of the posts and the records of the page


@dataclass(frozen=True, slots=True)
class PostFigures:
    """The means over the pages of a set."""

    posts_f1: float
    post_author_f1: float | None
    post_date_f1: float | None
    agreement: float


class PostSet(ScoredSet[PostScore]):
    """The scores of every page of one set."""

    @property
    def figures(self) -> PostFigures:
        """The figures of the set."""
        means = {each.name: mean(getattr(score, each.name) for score in self.scores) for each in fields(PostFigures)}
        return PostFigures(**means)  # type: ignore[arg-type]


def has_posts(sample: Sample) -> bool:
    """Whether the golds of a set are posts: whether most of them have an author."""
    records = [record for gold in sample.golds.values() for record in gold.records]
    return 2 * sum(record.author is not None for record in records) > len(records)


def run_posts(sample: Sample) -> PostSet:
    """Score the posts of every page of a set."""
    return PostSet(sample.labelled_set.name, [_score(gold, html) for gold, html in read_pages(sample)])


def _score(gold: Gold, html: bytes) -> PostScore:
    article = None
    with suppress(NothingFound):
        article = pagesieve.article(html, gold.url)
    posts = article.posts if article is not None else ()
    pairs = match([words_of(each.text) for each in gold.records], [words_of(each.text) for each in posts])
    authors = [_name(each.author) for each in gold.records], [_name(each.author) for each in posts]
    dates = [day(each.date) for each in gold.records], [day(each.date) for each in posts]
    return PostScore(
        gold=gold,
        outputs=len(posts),
        matches=len(pairs),
        posts_f1=f1_of(len(pairs), len(posts), len(gold.records)),
        post_author_f1=_fact_f1(*authors, pairs),
        post_date_f1=_fact_f1(*dates, pairs),
        agreement=_agreement(article.selection) if article is not None else 0.0,
    )


def _name(author: str | None) -> str | None:
    """Return the name of an author in the form in which names are compared."""
    return " ".join(fold(author).split()) if author else None


def _fact_f1(golds: Sequence[str | None], given: Sequence[str | None], pairs: Mapping[int, int]) -> float | None:
    """Return the F1 of a fact of posts, or None if the gold has it of no post."""
    wanted = sum(fact is not None for fact in golds)
    unknown = {output for gold, output in pairs.items() if golds[gold] is None}
    stated = sum(fact is not None for k, fact in enumerate(given) if k not in unknown)
    right = sum(golds[gold] is not None and golds[gold] == given[output] for gold, output in pairs.items())
    return f1_of(right, stated, wanted) if wanted else None


def _agreement(selection: Selection) -> float:
    """Return the F1 of the posts of a page and its records, of which one has all rows of one post."""
    page = selection.blocks.page
    try:
        records = find_static(page).segmentation.records
    except NothingFound:
        records = ()
    number = np.full(len(page), -1)
    for k, roots in enumerate(records):
        for root in roots:
            number[root : page.end[root]] = k
    around = [{*number[post.rows].tolist()} for post in selection.posts]
    counts = Counter(k for numbers in around for k in numbers)
    same = sum(len(numbers) == 1 and counts[min(numbers)] == 1 and numbers != {-1} for numbers in around)
    return f1_of(same, len(around), len(records))


COLUMNS = {"posts F1": "posts_f1", "author": "post_author_f1", "date": "post_date_f1", "as records": "agreement"}


def post_table(sets: Sequence[PostSet]) -> Table:
    """Return a table with a row for each set."""
    table = plain_table("posts", ["set"], ("pages", *COLUMNS))
    for each in sets:
        table.add_row(each.name, str(each.pages), *rates(getattr(each.figures, name) for name in COLUMNS.values()))
    return table


def post_json(of: PostSet, with_pages: bool) -> dict[str, Any]:
    """Return the scores of a set as plain values, each page's only `with_pages`."""
    report: dict[str, Any] = {"set": of.name, "pages": of.pages, **asdict(of.figures)}
    return report | ({"rows": [_row(score) for score in of.scores]} if with_pages else {})


def _row(score: PostScore) -> dict[str, Any]:
    row = {"id": score.gold.id, "site": score.gold.site, "posts": len(score.gold.records)}
    return row | {each.name: getattr(score, each.name) for each in fields(PostScore) if each.name != "gold"}
