"""What robots.txt allows, by RFC 9309: read once for each origin of a crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from protego import Protego

from pagesieve.crawl.discovery import parse_robots, robots_sitemaps
from pagesieve.errors import FetchError

LONGEST_DELAY = 30.0  # seconds between two requests that a robots.txt may ask for

Ask = Callable[[str], Awaitable[tuple[int, bytes]]]
"""Fetches an address, redirects included: its status and its body. Raises FetchError."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one origin."""

    parsed: Protego | None  # None: all is allowed
    refused: str = ""  # why nothing is, where the server could not tell
    sitemaps: tuple[str, ...] = ()

    def refusal(self, url: str, agent: str) -> str:
        """Say why an address may not be fetched; empty where it may."""
        if self.refused:
            return self.refused
        if self.parsed is None or self.parsed.can_fetch(url, agent):
            return ""
        return "forbidden by robots.txt"

    def delay(self, agent: str) -> float:
        """Return the seconds that are to be between two requests."""
        asked = self.parsed.crawl_delay(agent) if self.parsed is not None else None
        return min(float(asked or 0.0), LONGEST_DELAY)


class Robots:
    """The rules of all origins of a crawl; each robots.txt is asked for once, by whoever needs it first."""

    def __init__(self, ask: Ask, agent: str) -> None:
        self._ask, self._agent = ask, agent
        self._rules: dict[str, asyncio.Task[Rules]] = {}

    async def rules(self, url: str) -> Rules:
        """Return the rules of the origin of an address."""
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}/robots.txt"
        if place not in self._rules:
            self._rules[place] = asyncio.ensure_future(self._read(place))
        return await asyncio.shield(self._rules[place])

    async def _read(self, place: str) -> Rules:
        try:
            status, body = await self._ask(place)
        except FetchError as error:
            return Rules(None, f"robots.txt cannot be had: {error}")
        if status >= 500 or status == 429:  # the server may not be asked before it can tell
            return Rules(None, f"robots.txt cannot be had: the server answered {status}")
        if status != 200:
            return Rules(None)
        return Rules(parse_robots(body, self._agent), "", robots_sitemaps(body, place))
