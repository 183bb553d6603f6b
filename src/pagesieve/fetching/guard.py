"""URLs to fetch, and the check that connections go to permitted network addresses only.

URLs are untrusted, and their hosts may resolve to services of this machine or of its network. So hosts are resolved
and their addresses checked here, and the caller must connect to one of the addresses returned: if it resolved the name
again, the owner of the name could answer differently.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from pagesieve.errors import AddressRefused, FetchError
from pagesieve.fetching.options import Resolver, system_addresses
from pagesieve.text.urls import masked, masked_url

if TYPE_CHECKING:
    import httpx

SCHEMES = frozenset({"http", "https"})
MAX_SHOWN_URL = 200


def parsed(url: str) -> httpx.URL:
    """Parse a URL and check that it may belong to a web page. Raises FetchError."""
    address = _parse(url)
    check(address)
    return address


def _parse(url: str) -> httpx.URL:
    import httpx  # it is slow to import, and a browser's driver checks addresses without it

    try:
        return httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"{shown_url(url)!r}: not a URL ({fault(error)})") from error


def check(url: httpx.URL) -> None:
    """Raise FetchError if a URL, of the caller or of a redirect, cannot belong to a web page."""
    if url.scheme not in SCHEMES:
        raise FetchError(f"{shown(url)}: not an http or https URL")
    try:
        host = url.host  # decoded, where it is an international name
    except ValueError as error:
        raise FetchError(f"{shown(url)}: not a URL (its host is not a name: {fault(error)})") from error
    if not host or "%" in host or not 0 < port(url) < 1 << 16:
        raise FetchError(f"{shown(url)}: not a URL (its host or port is wrong)")


def port(url: httpx.URL) -> int:
    """Return the port that a URL leads to."""
    return url.port if url.port is not None else 443 if url.scheme == "https" else 80


def without_credentials(url: str) -> str:
    """Return a URL without the name and password in it."""
    return str(_without_credentials(_parse(url)))


def shown_url(url: str) -> str:
    """Return an address for a message: masked and shortened."""
    text = masked_url("%20".join(url.split()))
    return text if len(text) <= MAX_SHOWN_URL else text[:MAX_SHOWN_URL] + "…"


def shown(url: httpx.URL) -> str:
    """Write a URL for a message as `shown_url` does."""
    return shown_url(str(url))


def _without_credentials(url: httpx.URL) -> httpx.URL:
    return url.copy_with(userinfo=b"") if url.userinfo else url


def one_line(error: BaseException) -> str:
    """Return the message of an error in one line, without the secrets of addresses."""
    return masked(" ".join(str(error).split())) or type(error).__name__


def fault(error: BaseException) -> str:
    """Return the message of an error about an invalid URL, without the quoted part, which may be a password."""
    return one_line(error).partition(": ")[0]


# Networks that `ipaddress` counts as global, in some versions of Python or in all, and that hold no web sites.
NOT_PUBLIC_IPV4 = (
    IPv4Network("100.64.0.0/10"),  # carrier-grade NAT; the metadata service of one cloud
    IPv4Network("168.63.129.16/32"),  # the metadata service of another
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.88.99.0/24"),  # 6to4 relays
)
NOT_PUBLIC_IPV6 = (
    IPv6Network("2001::/23"),  # protocol assignments; Teredo, which embeds an IPv4 address
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4, which embeds one, too
    IPv6Network("3fff::/20"),  # documentation
)
# All other ranges of IPv6 are local, reserved, or embed an IPv4 address.
GLOBAL_UNICAST = IPv6Network("2000::/3")
# On an IPv6-only network every IPv4 site has an address with this prefix; the embedded address decides.
NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether any machine on the Internet could reach an IP address."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address):
        embedded = _embedded_ipv4(parsed)
        if embedded is None:
            return parsed in GLOBAL_UNICAST and not any(parsed in network for network in NOT_PUBLIC_IPV6)
        parsed = embedded
    if parsed.is_multicast or parsed.is_reserved or not parsed.is_global:
        return False
    return not any(parsed in network for network in NOT_PUBLIC_IPV4)


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which packets to an IPv6 address are translated, or None."""
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped


@dataclass(frozen=True, slots=True)
class Guard:
    """Resolves hosts, and refuses addresses that are not public unless `allow_private` is set."""

    allow_private: bool = False
    resolve: Resolver = system_addresses

    def addresses(self, host: str, port: int, timeout: float | None = None) -> list[str]:
        """Return the permitted addresses of a host, at least one.

        Raises FetchError if none is found within `timeout` seconds, AddressRefused where none is public.
        """
        addresses = self._resolved(host, port, timeout)
        allowed = [address for address in addresses if self.allow_private or is_public(address)]
        if not allowed:
            raise AddressRefused(f"{host}: its address {addresses[0]} is not public; allow it with --allow-private")
        return allowed

    def _resolved(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        answer = _within(timeout, lambda: self.resolve(host, port))
        if isinstance(answer, OSError | UnicodeError):
            why = getattr(answer, "strerror", None) or answer
            is_temporary = isinstance(answer, socket.gaierror) and answer.errno == socket.EAI_AGAIN
            raise FetchError(f"{host}: no address found ({why})", is_temporary=is_temporary) from answer
        if isinstance(answer, BaseException):
            raise answer
        if not answer:
            raise FetchError(f"{host}: no address found")
        return answer


def _within(timeout: float | None, resolve: Callable[[], Sequence[str]]) -> Sequence[str] | BaseException:
    """Run a resolver in its own thread, because the system's cannot be cancelled."""
    answers: queue.SimpleQueue[Sequence[str] | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(resolve())
        except BaseException as error:
            answers.put(error)

    threading.Thread(target=work, daemon=True, name="pagesieve-resolver").start()
    try:
        return answers.get(timeout=timeout)
    except queue.Empty:
        return TimeoutError("the resolver did not answer in time")
