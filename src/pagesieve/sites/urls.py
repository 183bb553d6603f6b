"""How alike two URLs are, and which site a URL belongs to."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
REMEMBERED = 1024  # URLs: those of a site are compared with every page of it


class _Parts(NamedTuple):
    """What two URLs are compared by."""

    origin: tuple[str, str, int | None]
    directories: list[str]
    pairs: frozenset[tuple[tuple[str, str], int]]  # each with how many like it came before: a pair may come twice


def similarity(one: str, two: str) -> tuple[float, float]:
    """How alike two URLs of a site are, from 0 to 1: their directories, then their queries.

    Only for the same scheme and host; (0, 0) otherwise. The directories decide, the query breaks ties, so pairs compare
    as tuples do. Two URLs of the same directories and no query are (1, 1), whatever their file names.
    """
    a, b = _parts(one), _parts(two)
    if a is None or b is None or a.origin != b.origin:
        return 0.0, 0.0
    pairs = max(len(a.pairs), len(b.pairs))
    return _alike_directories(a.directories, b.directories), len(a.pairs & b.pairs) / pairs if pairs else 1.0


def site_key(url: str) -> str:
    """The site of a URL: its host in small letters and ASCII, without `www.`, with a port that is not the usual one."""
    parts = _split(url)
    if parts is None:
        return ""
    host = _host(parts).removeprefix("www.")
    port = _port(parts)
    return host if port is None or port in DEFAULT_PORTS.values() else f"{host}:{port}"


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
        return parts if parts.hostname else None
    except ValueError:
        return None


@lru_cache(REMEMBERED)
def _parts(url: str) -> _Parts | None:
    parts = _split(url)
    if parts is None:
        return None
    return _Parts(_origin(parts), _directories(parts), _pairs(parts.query))


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme.lower(), _host(parts), _port(parts) or DEFAULT_PORTS.get(parts.scheme.lower())


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host.lower()


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        return None


def _directories(parts: SplitResult) -> list[str]:
    """The directories of a path, from the root on; what follows the last slash is the file name."""
    return [directory for directory in parts.path.split("/")[:-1] if directory]


def _pairs(query: str) -> frozenset[tuple[tuple[str, str], int]]:
    counts = Counter(parse_qsl(query, keep_blank_values=True))
    return frozenset((pair, k) for pair, count in counts.items() for k in range(count))


def _alike_directories(a: list[str], b: list[str]) -> float:
    if a == b:
        return 1.0
    longest = max(len(a), len(b))
    common = next((k for k, (one, two) in enumerate(zip(a, b, strict=False)) if one != two), min(len(a), len(b)))
    return common / longest
