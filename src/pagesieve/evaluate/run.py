"""The run: every extractor on the same bytes in the same process, scored page by page."""

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from pagesieve.errors import BadOption, MissingExtra, NothingFound
from pagesieve.evaluate.archives import Sample, read_pages
from pagesieve.evaluate.figures import PageRow
from pagesieve.evaluate.peers import Extracted, Extractor
from pagesieve.evaluate.score import Answer

T = TypeVar("T")

# These say that the run was asked for wrongly; any other error is the extractor's failure on one page.
_FATAL = (BadOption, MissingExtra)


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
        # Each takes its turn to be the first to touch the page.
        shift = number % len(extractors)
        for extractor in (*extractors[shift:], *extractors[:shift]):
            output, ms, error = call(extractor, html, gold.url)
            score = answer.score(output, extractor.gives_titles, extractor.gives_leaves)
            name = extractor.name
            rows[name] = PageRow(sample.labelled_set.name, name, gold, score, ms, error)
        yield [rows[extractor.name] for extractor in extractors]


def call(extractor: Extractor, html: bytes, url: str | None) -> tuple[Extracted, float, str | None]:
    """Run an extractor on a page: what it gave, its milliseconds, and what it raised, if it did."""
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
    """Call a function of an extractor: what it gave, and what it raised, if it did."""
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
