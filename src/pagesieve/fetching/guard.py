"""Which network addresses may be connected to.

A URL comes from a page or from a stranger, and its host may be a name for the machine's own services or
for its neighbours. So a host is resolved here, its addresses are checked here, and what connects must
use one of the addresses returned: to resolve the name again would let its owner answer differently.
"""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from pagesieve.errors import AddressRefused, FetchError

Resolver = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host for a port, or raises OSError."""

# What `ipaddress` counts as global in some Python versions or in all, and no web site is reached by.
NOT_PUBLIC_IPV4 = tuple(
    map(
        ip_network,
        (
            "100.64.0.0/10",  # shared by a carrier's customers; the metadata service of one cloud
            "168.63.129.16/32",  # the metadata service of another
            "192.0.0.0/24",  # protocol assignments
            "192.88.99.0/24",  # relays of 6to4
        ),
    )
)
NOT_PUBLIC_IPV6 = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocol assignments; Teredo, which hides an IPv4 address
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which hides another
            "3fff::/20",  # documentation
        ),
    )
)
# All other ranges of IPv6 are local, reserved, or an IPv4 address in disguise.
GLOBAL_UNICAST = IPv6Network("2000::/3")
# An IPv6-only network reaches every IPv4 site under this prefix, so that what follows it decides.
NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Say whether an IP address is one that any machine on the Internet could reach."""
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
    """Give the IPv4 address that packets to an IPv6 address go to, if they do."""
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped


def system_addresses(host: str, port: int) -> list[str]:
    """Resolve a host the way the operating system does."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class Guard:
    """Resolves hosts, and refuses addresses that are not public unless `allow_private` is set."""

    allow_private: bool = False
    resolve: Resolver = system_addresses

    def addresses(self, host: str, port: int, timeout: float | None = None) -> list[str]:
        """Give the addresses of a host that may be connected to, at least one.

        Raises FetchError where the host has none within `timeout` seconds, AddressRefused where it has
        none that is public.
        """
        found = self._resolved(host, port, timeout)
        allowed = [address for address in found if self.allow_private or is_public(address)]
        if not allowed:
            raise AddressRefused(f"{host}: its address {found[0]} is not public; allow it with --allow-private")
        return allowed

    def _resolved(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        answer = _within(timeout, lambda: self.resolve(host, port))
        if isinstance(answer, OSError | UnicodeError):
            raise FetchError(f"{host}: no address found ({getattr(answer, 'strerror', None) or answer})") from answer
        if isinstance(answer, BaseException):
            raise answer
        if not answer:
            raise FetchError(f"{host}: no address found")
        return answer


def _within(timeout: float | None, resolve: Callable[[], Sequence[str]]) -> Sequence[str] | BaseException:
    """Run a resolver in a thread of its own, since the system's cannot be told to give up."""
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
