"""What a crawl tells of itself while it runs: pages a second, kinds, rejects by reason, and what is to be known."""

from __future__ import annotations

from collections import Counter
from time import monotonic
from typing import Protocol

from pagesieve.crawl.store import REJECTED, Entry, Outcome, reason_head

_PLURALS = {"article": "articles", "catalogue": "catalogues", "feed": "feeds", "sitemap": "sitemaps"}


def counted(kinds: Counter[str], **names: str) -> str:
    """Write how many there are of each kind, most first; `names` has other words for some kinds."""
    words = {kind: names.get(kind, kind if number == 1 else _PLURALS.get(kind, kind)) for kind, number in kinds.items()}
    return ", ".join(f"{number} {words[kind]}" for kind, number in kinds.most_common())


class Watch(Protocol):
    """Is told what becomes of each address."""

    def settled(self, entry: Entry, outcome: Outcome | None) -> None:
        """Something has come of an address; None: it is as it was."""

    def say(self, message: str) -> None:
        """Tell something that a person should know."""


class Figures:
    """Counts what becomes of addresses in this run."""

    def __init__(self) -> None:
        self.began = monotonic()
        self.kinds: Counter[str] = Counter()
        self.rejected: Counter[str] = Counter()
        self.unchanged = 0
        self.messages: list[str] = []

    def settled(self, entry: Entry, outcome: Outcome | None) -> None:
        """Count an address."""
        if outcome is None:
            self.unchanged += 1
        elif outcome.state == REJECTED:
            self.rejected[reason_head(outcome.reason or "")] += 1
        else:
            self.kinds[(outcome.kind if outcome.row or outcome.found else None) or "other"] += 1

    def say(self, message: str) -> None:
        """Keep a message."""
        self.messages.append(message)

    @property
    def done(self) -> int:
        """How many addresses were fetched."""
        return self.kinds.total() + self.rejected.total() + self.unchanged

    def line(self, waiting: int | None = None) -> str:
        """Return the figures of this run in a line; reasons of rejects only as long as it is not known what waits."""
        seconds = monotonic() - self.began
        parts = [f"{self.done} fetched", f"{self.done / seconds:.1f} pages/s" if seconds > 0 else ""]
        parts += [] if waiting is None else [f"{waiting} waiting"]
        parts += [counted(self.kinds, records="of records")]
        parts += [f"{self.unchanged} unchanged"] if self.unchanged else []
        parts += [f"{self.rejected.total()} rejected"] if self.rejected and waiting is not None else []
        line = ", ".join(part for part in parts if part)
        if self.rejected and waiting is None:
            reasons = ", ".join(f"{count} {reason}" for reason, count in self.rejected.most_common(5))
            line += f"; rejected: {reasons}"
        return line
