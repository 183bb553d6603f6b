"""Measuring methods that know the site: each page is scored with what its site's other pages taught.

All pages of a site are learnt; a library never offers a page as its own reference, so each is left out when its turn
comes. Sites are those of the gold, whatever the hosts of their URLs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pagesieve.api import SITE_METHODS, open_sites
from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import Gold, LabelledSet, Sample, read_gold, read_pages

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

LEAST_PAGES = 5  # of a site, for there to be something to learn


@contextmanager
def site_knowledge(method: str, samples: list[Sample]) -> Iterator[tuple["Sites | None", list[Sample]]]:
    """For a method that knows sites: a library of the sets' pages, and the pages of sites that have enough of them."""
    if method not in SITE_METHODS:
        yield None, samples
        return
    known = of_known_sites(samples)
    with TemporaryDirectory() as folder, open_sites(Path(folder) / "sites.db") as sites:
        learn_sets(sites, [sample.labelled_set for sample in known])
        yield sites, known


def of_known_sites(samples: Sequence[Sample]) -> list[Sample]:
    """The samples without the pages of small sites; those that are left have a URL of their site."""
    kept = [_of_known_sites(sample) for sample in samples]
    if not any(sample.golds for sample in kept):
        raise BadInput(f"no site has {LEAST_PAGES} pages in these sets, so there is nothing to learn from")
    return [sample for sample in kept if sample.golds]


def _of_known_sites(sample: Sample) -> Sample:
    large = _large_sites(read_gold(sample.labelled_set).values())
    return Sample(
        sample.labelled_set,
        {
            name: replace(gold, url=_url(gold, sample.labelled_set.name))
            for name, gold in sample.golds.items()
            if gold.site in large
        },
    )


def _large_sites(golds: Iterable[Gold]) -> frozenset[str]:
    counts = Counter(gold.site for gold in golds if gold.site)
    return frozenset(site for site, count in counts.items() if count >= LEAST_PAGES)


def _url(gold: Gold, set_name: str) -> str:
    """The page's URL with its set and site for a host: what one set teaches of a site is not used in another."""
    parts = urlsplit(gold.url or "")
    query = f"?{parts.query}" if parts.query else ""
    return f"http://{set_name}.{gold.site}{parts.path or '/'}{query}"


def learn_sets(library: "Sites", sets: Sequence[LabelledSet]) -> None:
    """Learns every page of every large site of the sets."""
    for labelled_set in sets:
        everything = _of_known_sites(Sample(labelled_set, read_gold(labelled_set)))
        library.learn((str(gold.url), html) for gold, html in read_pages(everything))
