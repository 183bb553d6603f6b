"""What a service is started with: where it listens, who may ask, and what a request may cost."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from pagesieve.child import LONGEST_TIMEOUT, Limits
from pagesieve.errors import BadOption
from pagesieve.processes import available_cpus

HOST, PORT = "127.0.0.1", 8321
QUEUE = 128  # requests that wait
TIMEOUT = 20.0  # seconds
MAX_BYTES = 10_000_000  # of a page
MEMORY = 1024  # MB a page
MIN_RATE = 1000  # bytes a second
SHORTEST_TOKEN = 16  # characters
LEFT_OVER = 10.0  # seconds that a shutdown takes at most, besides a fetch and a page


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """The options of a service. `token` is what requests have to present; without one it listens on loopback only."""

    host: str = HOST
    port: int = PORT
    token: str | None = field(default=None, repr=False)
    workers: int = field(default_factory=available_cpus)  # processes that read pages
    queue: int = QUEUE  # requests that wait for a worker, at most
    timeout: float = TIMEOUT  # seconds each: for a head, a body, to fetch a page, to wait for a worker, for a page
    memory: int = MEMORY  # MB a page
    max_bytes: int = MAX_BYTES  # of a body, of a line of a batch, and of a page that is fetched
    min_rate: int = MIN_RATE  # bytes a second that a client sends of a batch, and takes of an answer, at least
    sites: str | None = None  # a site library
    corrections: str | None = None  # a folder for pages whose answers were corrected
    browser: bool = False  # whether requests may open addresses in Chromium
    allow_private: bool = False
    user_agent: str | None = None

    def __post_init__(self) -> None:
        for name in ("workers", "max_bytes", "memory", "min_rate"):
            if getattr(self, name) <= 0:
                raise BadOption(f"{name} is more than 0, not {getattr(self, name)}")
        if self.queue < 0:
            raise BadOption(f"queue is 0 or more, not {self.queue}")
        if not 0 < self.timeout <= LONGEST_TIMEOUT:
            raise BadOption(f"timeout is more than 0 and at most {LONGEST_TIMEOUT:.0f}, not {self.timeout}")
        if self.token is not None and not _is_token(self.token):
            raise BadOption(f"a token is at least {SHORTEST_TOKEN} visible ASCII characters without spaces")
        if self.token is None and not is_loopback(self.host):
            raise BadOption(
                f"{self.host} can be reached from other machines: set a token (--token or PAGESIEVE_TOKEN), or"
                f" listen on {HOST}"
            )

    @property
    def limits(self) -> Limits:
        """What a page may cost. A rendered page is larger than its source, which was measured already."""
        return Limits(timeout=self.timeout, memory=self.memory, max_bytes=32 * self.max_bytes)

    @property
    def grace(self) -> float:
        """The seconds that a shutdown waits for requests, at most."""
        return 2 * self.timeout + LEFT_OVER


def is_loopback(host: str) -> bool:
    """Whether a host names this machine, and cannot be reached from others."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_token(token: str) -> bool:
    return len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
