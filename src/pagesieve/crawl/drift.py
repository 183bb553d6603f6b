"""Whether a site still looks as it was learnt, and its lists as their schema says."""

from __future__ import annotations

from collections import deque

from pagesieve import api
from pagesieve.crawl.learning import UNLIKE
from pagesieve.crawl.options import CrawlOptions
from pagesieve.crawl.reading import Reading
from pagesieve.crawl.watching import Watch
from pagesieve.text.urls import site_key

LAST = 5  # pages of a site that must all look different


class Drift:
    """Sees each page of a crawl; says once that a site has changed, and lets the library forget how it was."""

    def __init__(self, options: CrawlOptions, watch: Watch) -> None:
        self._options, self._watch = options, watch
        self._fits: dict[str, deque[float]] = {}
        self._said: set[str] = set()

    def see(self, url: str, reading: Reading) -> None:
        """Take what was read from a page."""
        site = site_key(url)
        fit = reading.get("fit")
        if fit is not None:
            fits = self._fits.setdefault(site, deque(maxlen=LAST))
            fits.append(fit)
            if len(fits) == LAST and max(fits) < UNLIKE:
                self._forget(site)
        for what in reading.get("drift", ()):
            if what not in self._said:
                self._said.add(what)
                self._watch.say(f"{site}: {what}")

    def _forget(self, site: str) -> None:
        assert self._options.sites is not None
        del self._fits[site]
        with api.open_sites(self._options.sites) as sites:
            gone = sites.forget(site)
        self._watch.say(f"{site}: looks different from what was learnt; {gone} pages of it are forgotten")
