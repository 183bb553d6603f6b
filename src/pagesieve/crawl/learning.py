"""How a site library grows with a crawl, and how it notices that a site looks different now."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pagesieve.page.table import Page
from pagesieve.sites.templates import Templates, leaves
from pagesieve.text.urls import site_key

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

ENOUGH = 8  # pages of a site that are learnt before what is known of it counts as much as it ever will
ALL = 32  # pages of a site that are learnt as they come; then
EVERY = 16  # one of so many is
UNLIKE = 0.15  # of what the templates say: a page with less of it looks different


class Learner:
    """Learns pages of sites as they come."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._seen: Counter[str] = Counter()
        self._before: dict[str, _Before] = {}  # by site, as its first page here found it

    def learn(self, url: str, page: Page) -> dict[str, Any]:
        """Learn a page, if its turn has come; return how many pages of its site are known, and how well it fits.

        `fit` is the share of what the templates of the site said before this run that is on the page; None where few
        pages were known. The templates of now would not do: they learn a new design as fast as it comes.
        """
        site = site_key(url)
        self._seen[site] += 1
        if self._seen[site] > ALL and self._seen[site] % EVERY:
            return {"known": ALL, "fit": None}
        known = len(self._sites.pages(url))
        if site not in self._before or known < self._before[site].known:  # the site was forgotten
            templates = self._sites.templates(url) if known >= ENOUGH else None
            self._before[site] = _Before(known, templates or None)
        fit = _fit(self._before[site].templates, page)
        self._sites.learn([(url, page)])
        return {"known": known, "fit": fit}


class _Before(NamedTuple):
    """What was known of a site."""

    known: int  # pages
    templates: Templates | None  # None where they were few


def _fit(templates: Templates | None, page: Page) -> float | None:
    if templates is None:
        return None
    weights = np.array([template.frequency for template in templates], dtype=np.float64)
    matched = templates.match(leaves(page))
    seen = np.unique(matched[matched >= 0])
    return float(weights[seen].sum() / weights.sum())
