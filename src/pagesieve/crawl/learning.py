"""How a site library learns during a crawl, and how the crawl detects that a site was redesigned."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from pagesieve import api
from pagesieve.crawl.options import CrawlOptions
from pagesieve.page.table import Page
from pagesieve.sites.templates import Templates, leaves
from pagesieve.text.urls import site_key

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

ENOUGH = 8  # pages of a site after which more pages hardly change what the library knows of it
ALL = 32  # the first pages of a site that are learnt; after them
EVERY = 16  # one of so many is
UNLIKE = 0.15  # a page with a smaller share of its site's templates does not look like the site
LAST = 5  # pages of a site that must all be unlike it


class Familiarity(TypedDict, total=False):
    """What a site library knows about the site of a page; empty without a library."""

    site_pages: int  # of the site
    fit: float | None  # the share of the site's templates that is on the page; None if there were few pages


class Learner:
    """Learns pages of sites as they come."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._pages: Counter[str] = Counter()
        self._snapshots: dict[str, _Snapshot] = {}  # by site, from its first page here

    def learn(self, url: str, page: Page) -> Familiarity:
        """Learn a page if it is one of those to be learnt; return what the library knows of its site.

        The templates are those from before the run, since the library learns a new design at once.
        """
        site = site_key(url)
        self._pages[site] += 1
        if self._pages[site] > ALL and self._pages[site] % EVERY:
            return {"site_pages": ALL, "fit": None}
        pages = len(self._sites.pages(url))
        if site not in self._snapshots or pages < self._snapshots[site].pages:  # the library forgot the site
            templates = self._sites.templates(url) if pages >= ENOUGH else None
            self._snapshots[site] = _Snapshot(pages, templates or None)
        fit = _fit(self._snapshots[site].templates, page)
        self._sites.learn([(url, page)])
        return {"site_pages": pages, "fit": fit}


class _Snapshot(NamedTuple):
    """What the library knew of a site before the run."""

    pages: int
    templates: Templates | None  # None if there were few pages


def _fit(templates: Templates | None, page: Page) -> float | None:
    if templates is None:
        return None
    weights = np.array([template.frequency for template in templates], dtype=np.float64)
    matches = templates.match(leaves(page))
    rows = np.unique(matches[matches >= 0])
    return float(weights[rows].sum() / weights.sum())


class Drift:
    """Notices that a site looks different, or that its lists no longer fit their schema, and says so once.

    A site that looks different is deleted from the library, which then learns it anew.
    """

    def __init__(self, options: CrawlOptions, say: Callable[[str], None]) -> None:
        self._options, self._say = options, say
        self._fits: dict[str, deque[float]] = {}
        self._notes: set[str] = set()

    def check(self, url: str, reading: Mapping[str, Any]) -> None:
        """Take what was read from a page."""
        site = site_key(url)
        fit = reading.get("fit")
        if fit is not None:
            fits = self._fits.setdefault(site, deque(maxlen=LAST))
            fits.append(fit)
            if len(fits) == LAST and max(fits) < UNLIKE:
                self._forget(site)
        for note in reading.get("drift", ()):
            if note not in self._notes:
                self._notes.add(note)
                self._say(f"{site}: {note}")

    def _forget(self, site: str) -> None:
        assert self._options.sites is not None
        del self._fits[site]
        with api.open_sites(self._options.sites) as sites:
            count = sites.forget(site)
        self._say(f"{site}: looks different from what was learnt; {count} pages of it are forgotten")
