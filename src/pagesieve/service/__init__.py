"""Pagesieve over HTTP and as tools for agents: the options of a service, which all other modules here take."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field

from pagesieve.errors import BadOption
from pagesieve.fetching.options import FetchOptions
from pagesieve.options import option, same_option
from pagesieve.workers.child import Limits, check_timeout
from pagesieve.workers.pool import available_cpus

HOST = "127.0.0.1"
MIN_TOKEN = 16  # characters
CLEANUP = 10.0  # seconds that a shutdown takes at most, besides a fetch and a page


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """The options of a service: where it listens, who may use it, and what a request may cost.

    `token` is what requests have to present; a service without one listens on loopback only.
    """

    host: str = option(HOST, "where to listen")
    port: int = option(8321, "0 for any free one")
    token: str | None = field(default=None, repr=False)
    workers: int = field(default_factory=available_cpus)  # processes that read pages
    queue: int = option(128, "requests that wait for a worker; the next is told to come back")
    timeout: float = option(
        20.0,
        "how long each may take: a request to arrive, a page to be fetched, a request to wait, a page to be read",
    )
    memory: int = option(1024, "memory for a page, in MB")
    max_bytes: int = option(10_000_000, "the largest body, or page that is fetched")
    min_rate: int = option(
        1000,
        "bytes per second at which a client must receive an answer or send a batch; slower ones are disconnected",
    )
    sites: str | None = option(None, "a site library that requests may use, show, and add to")
    corrections: str | None = option(
        None,
        "where the web page saves pages whose answers were corrected there, for `pagesieve train` and `evaluate`",
    )
    browser: bool = option(False, "let requests open addresses in Chromium")
    allow_private: bool = same_option(FetchOptions, "allow_private")
    user_agent: str | None = option(None, FetchOptions.__dataclass_fields__["user_agent"].metadata["help"])

    def __post_init__(self) -> None:
        for name in ("workers", "max_bytes", "memory", "min_rate"):
            if getattr(self, name) <= 0:
                raise BadOption(f"{name} is more than 0, not {getattr(self, name)}")
        if self.queue < 0:
            raise BadOption(f"queue is 0 or more, not {self.queue}")
        check_timeout(self.timeout)
        if self.token is not None and not re.fullmatch(rf"[!-~]{{{MIN_TOKEN},}}", self.token):
            raise BadOption(f"a token is at least {MIN_TOKEN} visible ASCII characters without spaces")
        if self.token is None and not is_loopback(self.host):
            raise BadOption(
                f"{self.host} can be reached from other machines: set a token (--token or PAGESIEVE_TOKEN), or"
                f" listen on {HOST}"
            )

    @property
    def limits(self) -> Limits:
        """What a page may cost. A rendered page is larger than its source, whose size was checked already."""
        return Limits(timeout=self.timeout, memory=self.memory, max_bytes=32 * self.max_bytes)

    @property
    def grace(self) -> float:
        """The seconds that a shutdown waits for requests, at most."""
        return 2 * self.timeout + CLEANUP


def is_loopback(host: str) -> bool:
    """Whether a host names this machine, and cannot be reached from others."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
