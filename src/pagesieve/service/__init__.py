"""Pagesieve as an HTTP service and as tools for agents; this module has the options of both."""

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
CLEANUP = 10.0  # the longest shutdown in seconds, besides the time for a fetch and a page


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """The options of a service: its address, its access control, and its limits.

    Requests have to send the `token`. A service without a token listens on loopback only.
    """

    host: str = option(HOST, "the address to listen on")
    port: int = option(8321, "the port to listen on; 0 for any free one")
    token: str | None = field(default=None, repr=False)
    workers: int = field(default_factory=available_cpus)  # processes that read pages
    queue: int = option(128, "the number of requests that may wait for a worker; more get status 429")
    timeout: float = option(
        20.0,
        "the time limit of each step: receiving a request, fetching a page, waiting for a worker, reading the page",
    )
    memory: int = option(1024, "the memory limit of a page, in MB")
    max_bytes: int = option(10_000_000, "the size limit of a body, and of a fetched page")
    min_rate: int = option(
        1000,
        "bytes per second that a client must receive of a response or send of a batch; slower ones are disconnected",
    )
    sites: str | None = option(None, "a site library that requests may use, show and extend")
    corrections: str | None = option(
        None,
        "the folder in which the web page saves corrected results, for `pagesieve train` and `evaluate`",
    )
    browser: bool = option(False, "let requests open addresses in Chromium")
    allow_private: bool = same_option(FetchOptions, "allow_private")
    user_agent: str | None = option(None, FetchOptions.__dataclass_fields__["user_agent"].metadata["help"])

    def __post_init__(self) -> None:
        for name in ("workers", "max_bytes", "memory", "min_rate"):
            if getattr(self, name) <= 0:
                raise BadOption(f"{name} must be more than 0, not {getattr(self, name)}")
        if self.queue < 0:
            raise BadOption(f"queue must be 0 or more, not {self.queue}")
        check_timeout(self.timeout)
        if self.token is not None and not re.fullmatch(rf"[!-~]{{{MIN_TOKEN},}}", self.token):
            raise BadOption(f"a token needs at least {MIN_TOKEN} visible ASCII characters, and no spaces")
        if self.token is None and not is_loopback(self.host):
            raise BadOption(
                f"other machines can reach {self.host}: set a token (--token or PAGESIEVE_TOKEN), or listen on {HOST}"
            )

    @property
    def limits(self) -> Limits:
        """The limits of a page process. A rendered page may be larger than its source, whose size is checked before."""
        return Limits(timeout=self.timeout, memory=self.memory, max_bytes=32 * self.max_bytes)

    @property
    def grace(self) -> float:
        """The maximum time in seconds that a shutdown waits for requests."""
        return 2 * self.timeout + CLEANUP


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, under a name or address that other machines cannot reach."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
