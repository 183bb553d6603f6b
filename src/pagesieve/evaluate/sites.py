"""Measure methods that know the site: each page is scored with a library learnt from the site's other pages.

A library never returns a page as its own reference, so all pages of a site can be learnt at once. Templates are counts,
and a page cannot be taken out of them again: each site's pages are split into parts, and every part is scored with a
library of the others. Sites are those of the gold, whatever the hosts of their URLs.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pagesieve.api import open_sites
from pagesieve.articles.methods import SITE_METHODS
from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import Gold, LabelledSet, Sample, read_gold, read_pages

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

LEAST_PAGES = 5  # of a site, to be worth learning
LEAVES_OUT = ("sharpened", "layout")  # the methods that never compare a page with itself
PARTS = 5  # of a site's pages, for the others


Part = tuple["Sites | None", list[Sample]]  # pages, and what is known of their sites


@contextmanager
def site_knowledge(method: str, samples: list[Sample]) -> Iterator[list[Part]]:
    """Yield the pages to score, in parts, each with the site library to use.

    For a method that knows sites, these are the pages of sites with enough pages, and libraries of their other pages.
    """
    if method not in SITE_METHODS:
        yield [(None, samples)]
        return
    known = of_known_sites(samples)
    sets = [sample.labelled_set for sample in known]
    count = 1 if method in LEAVES_OUT else PARTS
    with TemporaryDirectory() as folder, ExitStack() as libraries:
        parts: list[Part] = []
        for number in range(count):
            sites = libraries.enter_context(open_sites(Path(folder) / f"{number}.db"))
            own = [_of_part(sample, number, count) for sample in known]
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
    kept = [_of_known_sites(sample) for sample in samples]
    if not any(sample.golds for sample in kept):
        raise BadInput(f"no site has {LEAST_PAGES} pages in these sets: there is nothing to learn from")
    return [sample for sample in kept if sample.golds]


def _of_known_sites(sample: Sample) -> Sample:
    counts = Counter[str | None](gold.site for gold in read_gold(sample.labelled_set).values() if gold.site)
    return Sample(
        sample.labelled_set,
        {
            name: replace(gold, url=_url(gold, sample.labelled_set.name))
            for name, gold in sample.golds.items()
            if counts[gold.site] >= LEAST_PAGES
        },
    )


def _url(gold: Gold, set_name: str) -> str:
    """Return the page's URL with its set and site as the host: what is learnt from one set is not used in another."""
    parts = urlsplit(gold.url or "")
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
        library.learn((str(gold.url), html) for gold, html in read_pages(everything))
