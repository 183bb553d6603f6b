"""A crawl in a process of its own whose network is made up: `python -m tests.crawl.driver TASK`, a file of JSON.

The guard is on. Names have the addresses that the task gives them, and the public one leads to a server of this
machine; whatever else is connected to is written down, and is nobody's. Prints what came of the crawl, as JSON.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpcore

from pagesieve.crawl import downloader, reading
from pagesieve.crawl.job import CrawlOptions, Progress
from pagesieve.crawl.reading import Reader, Reading
from pagesieve.crawl.run import crawl
from pagesieve.crawl.store import Store
from pagesieve.workers.child import About, Limits
from tests.hostile_addresses import PUBLIC_ADDRESS, THIS_MACHINE

KILLS, HANGS = b"<!-- kills -->", b"<!-- hangs -->"


class HarmedReader(Reader):
    """A reader that some pages harm."""

    def answer(self, data: bytes, about: About) -> Reading:
        """Read an answer, unless it kills this process or keeps it busy."""
        if KILLS in data:
            os.kill(os.getpid(), signal.SIGKILL)
        if HANGS in data:
            time.sleep(3600)
        return super().answer(data, about)


class Network:
    """Names and connections."""

    def __init__(self, names: Sequence[str], rebinding: Sequence[str], port: int) -> None:
        self.names, self.rebinding, self.port = set(names), set(rebinding), port
        self.connected: list[str] = []
        self._asked: Counter[str] = Counter()

    def resolve(self, host: str, port: int) -> Sequence[str]:
        """Return the address of a name: this machine's, except for those that are public, or were at first."""
        self._asked[host] += 1
        if host in self.names or (host in self.rebinding and self._asked[host] == 1):
            return [PUBLIC_ADDRESS]
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            return [THIS_MACHINE]
        return [str(entry[4][0]) for entry in found]

    def connect(self, backend: httpcore.SyncBackend, host: str, port: int, *rest: Any, **named: Any) -> Any:
        """Connect the public address to the server."""
        self.connected.append(host)
        if host != PUBLIC_ADDRESS or port == 443:
            raise httpcore.ConnectTimeout("nobody there") if port == 443 else httpcore.ConnectError("nobody there")
        return _really(backend, THIS_MACHINE, self.port, *rest, **named)


_really = httpcore.SyncBackend.connect_tcp


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Run a crawl; return its results, rejects, messages, and the addresses that were connected to."""
    network = Network(task["names"], task.get("rebinding", ()), task["port"])
    really = downloader.fetch_options
    downloader.fetch_options = lambda options: replace(really(options), resolve=network.resolve)
    httpcore.SyncBackend.connect_tcp = lambda *given, **named: network.connect(*given, **named)  # type: ignore
    reading.READER = f"{__spec__.name}:{HarmedReader.__name__}"
    progress = Progress()
    given = {**task["options"], "limits": Limits(**task["limits"])}
    end = crawl(task["starts"], Path(task["job"]), CrawlOptions(**given), progress)
    with Store(Path(task["job"])) as store:
        return {
            "why": end,
            "can_be_interrupted": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
            "rows": [row for _, row in store.rows()],
            "rejects": dict(store.rejects()),
            "said": progress.messages,
            "connected": [host for host, _ in itertools.groupby(network.connected)],
        }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text("utf-8")))))
