"""Which pages of a crawl need a browser, by measurement: their text as it is sent against that after their scripts."""

from __future__ import annotations

from collections.abc import Callable

from pagesieve.text.urls import site_key

PAGES = 3  # of a sort that are measured
MORE = 2.0  # times the text after its scripts: then a page needs them
LEAST = 200  # characters more, at least
SHORT = 600  # characters: pages of a site with less text are a sort of their own

Say = Callable[[str], None]


class Rendering:
    """Measures the first pages of each site, and the first short ones, and decides for the others of their sort."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._votes: dict[tuple[str, bool], list[bool]] = {}

    def is_measured(self, url: str, sent: int) -> bool:
        """Whether enough pages of this sort were measured, given the characters that a page was sent with."""
        return len(self._votes.get((site_key(url), sent < SHORT), ())) >= PAGES

    def is_needed(self, url: str, sent: int) -> bool:
        """Whether pages of this sort need a browser: most of those that were measured do."""
        votes = self._votes.get((site_key(url), sent < SHORT), [])
        return self.is_measured(url, sent) and 2 * sum(votes) > len(votes)

    def is_always_needed(self, url: str) -> bool:
        """Whether the pages of a site are best rendered at once: they are sent with little text, and need scripts."""
        return self.is_needed(url, 0) and not self._votes.get((site_key(url), False))

    def measure(self, url: str, sent: int, shown: int) -> bool:
        """Take the characters of a page as it is sent and as it is shown; return whether it needs its scripts."""
        needs = shown >= MORE * sent and shown - sent >= LEAST
        votes = self._votes.setdefault((site_key(url), sent < SHORT), [])
        votes.append(needs)
        if len(votes) == PAGES and self.is_needed(url, sent):
            sort = "pages with little text" if sent < SHORT else "pages"
            self._say(f"{site_key(url)}: its {sort} need scripts, and are rendered")
        return needs
