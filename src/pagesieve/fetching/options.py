"""The options of fetching and of rendering; without the modules that fetch and render, which are slow to import."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pagesieve import __version__
from pagesieve.errors import BadOption
from pagesieve.options import option, same_option

USER_AGENT = f"pagesieve/{__version__}"
RETRIES = 2  # attempts after the first

Resolver = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host for a port, or raises OSError."""


def system_addresses(host: str, port: int) -> list[str]:
    """Resolve a host as the operating system does."""
    import socket

    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in results))


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """The limits of a fetch: bytes before and after decompression, and seconds.

    `timeout` applies to each attempt with all its redirects. There are at most `retries` further attempts, after waits
    of half a second that doubles, or of the time that the server asks for, but no more than a minute. So one fetch
    takes at most `(retries + 1) * timeout` and a minute per retry.
    """

    max_bytes: int = option(32 * 1024 * 1024, "the maximum size of a body in bytes, both as sent and as decompressed")
    timeout: float = option(20.0, "the maximum time of one attempt in seconds, including redirects")
    connect_timeout: float = option(10.0, "the maximum time to connect in seconds")
    max_redirects: int = option(10, "the maximum number of redirects of one attempt")
    allow_private: bool = option(False, "also fetch from addresses that are not public")
    user_agent: str = option(USER_AGENT, "the user agent to send to servers; by default, pagesieve/VERSION")
    resolve: Resolver = option(system_addresses, "the function that looks up the addresses of a host")
    retries: int = option(RETRIES, "the maximum number of attempts after the first")
    cache: Path | None = option(None, "cache pages in this folder, and fetch again only what may have changed")
    wait: Callable[[float], None] = option(time.sleep, "the function that waits between attempts")

    def __post_init__(self) -> None:
        if not (self.user_agent.isascii() and self.user_agent.isprintable() and self.user_agent.strip()):
            raise BadOption(f"a user agent is a line of ASCII characters, not {self.user_agent!r}")


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Options for rendering. Times are in seconds for one page."""

    width: int = option(1366, "the width of the window in pixels")
    height: int = option(900, "the height of the window in pixels")
    timeout: float = option(30.0, "the maximum time of a page in seconds, after which rendering fails")
    settle: float = option(10.0, "the maximum time of loading in seconds, after which the page is taken as it is")
    quiet: float = option(0.3, "the seconds without requests or changes after which a page from the network is taken")
    scripts: bool | None = option(None, "run the scripts of the page; by default, those of a URL, not of given HTML")
    scroll: int = option(
        0, "scroll to the end this many times, as long as more is loaded, for lists that go on (in a browser)"
    )
    max_bytes: int = option(16 * 1024 * 1024, "the maximum size of one response in bytes")
    max_requests: int = option(1000, "the maximum number of requests of a page")
    max_redirects: int = same_option(FetchOptions, "max_redirects")
    allow_private: bool = same_option(FetchOptions, "allow_private")
    resolve: Resolver = same_option(FetchOptions, "resolve")
    user_agent: str | None = option(None, "the user agent to send to servers; by default, that of the browser")
