"""Results of which only a part was told: kept a while, so that the next part is of the same page."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from pagesieve.service.asking import Asked
from pagesieve.service.mcp.results import Made

SECONDS = 600.0
MOST = 32  # results
MOST_CHARS = 16_000_000  # of all of them as JSON


class _Entry(NamedTuple):
    until: float
    text: str  # JSON


class Kept:
    """The results that were kept last, by what was asked."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._clock = clock

    def get(self, asked: Asked) -> Made | None:
        """Return what was made, if it is still kept."""
        self._drop()
        entry = self._entries.get(_key(asked))
        if entry is None:
            return None
        made: Made = json.loads(entry.text)
        return made

    def put(self, asked: Asked, made: Made) -> None:
        """Keep what was made, instead of what was kept longest where that is too much."""
        key = _key(asked)
        self._entries.pop(key, None)
        self._entries[key] = _Entry(self._clock() + SECONDS, json.dumps(made))
        self._drop()

    def _drop(self) -> None:
        """Drop what is too old, and what is too much."""
        size, now = sum(len(entry.text) for entry in self._entries.values()), self._clock()
        while self._entries:
            key, first = next(iter(self._entries.items()))
            if first.until > now and len(self._entries) <= MOST and size <= MOST_CHARS:
                return
            size -= len(first.text)
            del self._entries[key]


def _key(asked: Asked) -> str:
    """Return a short key: what was asked may hold a page."""
    given = asked.given
    told = json.dumps([asked.job, given.url, given.browser, asked.options], sort_keys=True)
    return sha256(told.encode() + b"\0" + (given.data or b"")).hexdigest()
