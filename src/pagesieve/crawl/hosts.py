"""The hosts that a crawl may fetch from."""

from __future__ import annotations

from collections.abc import Iterable

from pagesieve.errors import BadOption
from pagesieve.text.urls import absolute, host_of, same_family, split_url

ANY = "*"


class Hosts:
    """The sites of the STARTs, with their subdomains, the hosts that were named, and those that feeds name."""

    def __init__(self, starts: Iterable[str], named: Iterable[str] = ()) -> None:
        self._homes = {host_of(url) for url in starts}
        self._named = {_named(host) for host in named}

    def allow(self, url: str) -> bool:
        """Whether an address may be fetched."""
        host = host_of(url)
        if ANY in self._named or host in self._named or host in self._homes:
            return True
        bare = (split_url(url).hostname or "").removeprefix("www.")
        return bare in self._named or any(_is_same_site(host, home) for home in self._homes)

    def add(self, url: str) -> None:
        """Allow the site of an address: that of an entry of a feed that was given."""
        self._homes.add(host_of(url))


def _named(host: str) -> str:
    """Return a host that was named as it stands in addresses. Raises BadOption where it can be none."""
    if host == ANY:
        return ANY
    address = absolute(f"https://{host}/", "")
    if address is None or address.count("/") > 3 or "?" in address:
        raise BadOption(f"a host is a name such as example.org, not {host!r}")
    return host_of(address)


def _is_same_site(host: str, home: str) -> bool:
    """Whether a host belongs to the site of another: numbers are no domains, so an IP address is only itself."""
    is_name = any(c.isalpha() for c in home.partition(":")[0]) and "." in home
    return is_name and same_family(host, home)
