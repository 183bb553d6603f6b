"""The check that connections go to permitted network addresses only.

URLs are untrusted, and their hosts may resolve to services of this machine or of its network. So hosts are resolved
and their addresses checked here, and the caller must connect to one of the addresses returned: if it resolved the name
again, the owner of the name could answer differently.
"""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from pagesieve.errors import AddressRefused, FetchError
from pagesieve.fetching.options import Resolver, system_addresses

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
