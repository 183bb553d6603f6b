"""Score extractors on labelled pages: every one on the same bytes in the same process, page by page.

For methods that use knowledge of a site, each page is scored with a library that has learnt the site's other pages. A
library never returns a page as its own reference, so it can learn all pages of a site at once. Templates are counts,
from which a page cannot be removed: each site's pages are split into parts, and every part is scored with a library of
the others. The gold defines the sites, not the hosts of the URLs.
"""

import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pagesieve.api import open_sites
from pagesieve.errors import BadInput, BadOption, MissingExtra, NothingFound
from pagesieve.evaluate.archives import Gold, LabelledSet, Sample, read_gold, read_pages
from pagesieve.evaluate.metrics import (
    LeafCounts,
    body_tokens,
    captions_of,
    character_f1,
    count_leaves,
    fold_blanks,
    fold_title,
    headlines_of,
    overlap,
    share_in,
    shingles,
    tokens,
    without_captions,
)
from pagesieve.evaluate.peers import Extracted, Extractor
from pagesieve.methods.registry import SITE_METHODS
from pagesieve.page.static import parse
from pagesieve.text.urls import split_url

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

MIN_PAGES = 5  # of a site, to be worth learning
LEAVES_OUT = ("sharpened", "layout")  # the methods that never compare a page with itself
PARTS = 5  # of a site's pages, for the others

T = TypeVar("T")

# Errors of the request; any other error is the extractor's failure on one page.
_FATAL = (BadOption, MissingExtra)


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one output; None if the answer has nothing to compare with."""

    precision: float
    recall: float
    f1: float
    captionless_f1: float  # without the lines that are captions in the page, on both sides
    shingle_f1: float
    snippets_in: float | None
    snippets_out: float | None
    title_exact: float | None
    title_f1: float | None
    failed: bool
    leaves: LeafCounts | None = None


@dataclass(frozen=True, slots=True)
class PageRow:
    """The score of one extractor on one page."""

    set_name: str
    extractor: str
    gold: Gold
    score: Score
    ms: float
    error: str | None = None


def run_samples(
    samples: Sequence[Sample], extractors: Sequence[Extractor], on_page: Callable[[], None] = lambda: None
) -> list[PageRow]:
    """Score the extractors on every page of the samples; `on_page` is called after each page."""
    rows: list[PageRow] = []
    with peers_kept_quiet():
        for sample in samples:
            for page_rows in _rows_of(sample, extractors):
                rows.extend(page_rows)
                on_page()
    return rows


def _rows_of(sample: Sample, extractors: Sequence[Extractor]) -> Iterator[list[PageRow]]:
    for number, (gold, html) in enumerate(read_pages(sample)):
        if number == 0:
            for extractor in extractors:
                call(extractor, html, gold.url)  # a first call loads tables and models; it is not timed
        answer = Answer(gold, html)
        rows: dict[str, PageRow] = {}
        # The extractors take turns to be the first on a page.
        shift = number % len(extractors)
        for extractor in (*extractors[shift:], *extractors[:shift]):
            output, ms, error = call(extractor, html, gold.url)
            score = answer.score(output, extractor.gives_titles, extractor.gives_leaves)
            name = extractor.name
            rows[name] = PageRow(sample.labelled_set.name, name, gold, score, ms, error)
        yield [rows[extractor.name] for extractor in extractors]


def call(extractor: Extractor, html: bytes, url: str | None) -> tuple[Extracted, float, str | None]:
    """Run an extractor on a page; return its output, its milliseconds, and the error it raised, if any."""
    start = perf_counter()
    output, error = caught(extractor.extract, html, url)
    ms = (perf_counter() - start) * 1000
    output = output or Extracted(None)
    if extractor.title is not None:
        title, title_error = caught(extractor.title, html, url)
        output = replace(output, title=title)
        error = error or title_error
    return output, ms, error


def caught(function: Callable[[bytes, str | None], T], html: bytes, url: str | None) -> tuple[T | None, str | None]:
    """Call a function of an extractor; return its result, and the error it raised, if any."""
    try:
        return function(html, url), None
    except _FATAL:
        raise
    except NothingFound:
        return None, None
    except Exception as error:  # a peer may raise anything; that is a failure on this page
        return None, f"{type(error).__name__}: {error}".splitlines()[0]


@contextmanager
def peers_kept_quiet() -> Iterator[None]:
    """Keep the peers' log lines and warnings out of the progress bar."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


class Answer:
    """One page's gold, prepared once and compared with the output of every extractor."""

    def __init__(self, gold: Gold, html: bytes) -> None:
        self.gold, self.html = gold, html
        self.headlines = [tokens(headline) for headline in headlines_of(gold, html)]
        body = body_tokens(gold.text, self.headlines)
        self.words = Counter(body)
        self.captions = captions_of(html)
        self.words_less_captions = self._words_less_captions(gold.text)
        self.shingles = shingles(body)
        self.title = fold_title(gold.title or "")
        title = fold_blanks(gold.title or "")  # what is part of the headline need not be in the body
        self.snippets_in = [snippet for snippet in map(fold_blanks, gold.snippets_in) if snippet not in title]
        self.snippets_out = [fold_blanks(snippet) for snippet in gold.snippets_out]

    def score(self, output: Extracted, gives_titles: bool = True, gives_leaves: bool = False) -> Score:
        """Score an output; one without text has failed, unless the gold body is empty too."""
        text = output.text or ""
        body = body_tokens(text, self.headlines)
        words = overlap(self.words, Counter(body))
        present, absent = self._score_snippets(text)
        exact, characters = self._score_title(output.title) if gives_titles else (None, None)
        return Score(
            precision=words.precision,
            recall=words.recall,
            f1=words.f1,
            captionless_f1=overlap(self.words_less_captions, self._words_less_captions(text)).f1,
            shingle_f1=overlap(self.shingles, shingles(body)).f1,
            snippets_in=present,
            snippets_out=absent,
            title_exact=exact,
            title_f1=characters,
            failed=bool(self.words) and not text.strip(),
            leaves=self._count_leaves(output) if gives_leaves else None,
        )

    def _words_less_captions(self, text: str) -> Counter[str]:
        return Counter(body_tokens(without_captions(text, self.captions), self.headlines))

    def _count_leaves(self, output: Extracted) -> LeafCounts:
        if output.article is not None:
            return count_leaves(output.article.page, output.article.selection.rows, self.gold, self.html)
        page = parse(self.html)
        return count_leaves(page, np.zeros(len(page), dtype=np.bool_), self.gold, self.html)

    def _score_snippets(self, text: str) -> tuple[float | None, float | None]:
        folded = fold_blanks(text) if self.snippets_in or self.snippets_out else ""
        present = share_in(self.snippets_in, folded) if self.snippets_in else None
        absent = 1.0 - share_in(self.snippets_out, folded) if self.snippets_out else None
        # An output without text leaves out the wrong snippets too, but earns nothing for it.
        return present, 0.0 if absent is not None and not folded else absent

    def _score_title(self, title: str | None) -> tuple[float | None, float | None]:
        if not self.title:
            return None, None
        folded = fold_title(title or "")
        return float(folded == self.title), character_f1(self.title, folded)


# Methods that know the site


Part = tuple["Sites | None", list[Sample]]  # pages, and what is known of their sites


@contextmanager
def site_knowledge(method: str, samples: list[Sample]) -> Iterator[list[Part]]:
    """Yield the pages to score, in parts, each with the site library to use.

    For a method that knows sites, these are the pages of sites with enough pages, and libraries of their other pages.
    """
    if method not in SITE_METHODS:
        yield [(None, samples)]
        return
    large = of_known_sites(samples)
    sets = [sample.labelled_set for sample in large]
    count = 1 if method in LEAVES_OUT else PARTS
    with TemporaryDirectory() as folder, ExitStack() as libraries:
        parts: list[Part] = []
        for number in range(count):
            sites = libraries.enter_context(open_sites(Path(folder) / f"{number}.db"))
            own = [_of_part(sample, number, count) for sample in large]
            learn_sets(sites, sets, None if count == 1 else (number, count))
            parts.append((sites, [sample for sample in own if sample.golds]))
        yield parts


def _of_part(sample: Sample, number: int, count: int) -> Sample:
    """Return one part of a sample: every site's pages of the set are dealt out in turn."""
    golds, dealt, part = read_gold(sample.labelled_set), Counter[str | None](), {}
    for name in sorted(golds):
        part[name] = dealt[golds[name].site] % count
        dealt[golds[name].site] += 1
    return Sample(sample.labelled_set, {name: gold for name, gold in sample.golds.items() if part[name] == number})


def of_known_sites(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples without the pages of small sites; the others get a URL on their site."""
    large = [_of_known_sites(sample) for sample in samples]
    if not any(sample.golds for sample in large):
        raise BadInput(f"no site has {MIN_PAGES} pages in these sets: there is nothing to learn from")
    return [sample for sample in large if sample.golds]


def _of_known_sites(sample: Sample) -> Sample:
    counts = Counter[str | None](gold.site for gold in read_gold(sample.labelled_set).values() if gold.site)
    return Sample(
        sample.labelled_set,
        {
            name: replace(gold, url=_url(gold, sample.labelled_set.name))
            for name, gold in sample.golds.items()
            if counts[gold.site] >= MIN_PAGES
        },
    )


def _url(gold: Gold, set_name: str) -> str:
    """Return the page's URL with its set and site as the host, so that sets do not share knowledge of sites."""
    parts = split_url(gold.url or "")
    query = f"?{parts.query}" if parts.query else ""
    return f"http://{set_name}.{gold.site}{parts.path or '/'}{query}"


def learn_sets(library: "Sites", sets: Sequence[LabelledSet], but: tuple[int, int] | None = None) -> None:
    """Learn every page of every large site of the sets, except one part (number, count)."""
    for labelled_set in sets:
        everything = _of_known_sites(Sample(labelled_set, read_gold(labelled_set)))
        if but is not None:
            own = _of_part(everything, *but).golds
            everything = replace(
                everything, golds={name: gold for name, gold in everything.golds.items() if name not in own}
            )
        library.learn(((str(gold.url), html) for gold, html in read_pages(everything)), lists=False)
