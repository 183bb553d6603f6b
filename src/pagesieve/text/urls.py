"""The URLs of links, made absolute and normal, so that one page has one address."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from urllib.parse import quote, unquote, urljoin, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST = 2000  # characters of a URL: what is longer is data, not an address
COUNTRY = 2  # letters of a country's ending,
SHORT_LABEL = 3  # and of what it is divided into: co, com, org, gov
REMEMBERED = 4096

# Parameters that only say where a reader came from, or who he is: certain ones only.
TRACKING = frozenset(
    "fbclid gclid dclid gbraid wbraid msclkid yclid igshid mc_cid mc_eid _ga _gl _hsenc _hsmi ref_src ref_url xtor spm "
    "scm cmpid phpsessid jsessionid ns_mchannel ns_source ns_campaign ns_linkname ns_fee at_medium at_campaign "
    "wt.mc_id".split()
)
_TRACKING_STARTS = ("utm_", "pk_", "mtm_", "hsa_", "at_custom")
# Parameters that make a button of an article's address.
_BUTTONS = frozenset("share replytocom print printable like_comment redirect redirect_to add-to-cart".split())

# What needs no repair: a host in small letters, a path of plain characters without dot segments; no query.
_PLAIN = re.compile(r"https?://[a-z0-9\-]+(?:\.[a-z0-9\-]+)+(?:/[A-Za-z0-9_\-+~,=@!./]*)?")
_PLAIN_PATH = re.compile(r"/(?:[A-Za-z0-9_\-+~,=@!.][A-Za-z0-9_\-+~,=@!./]*)?")
_DOTS = re.compile(r"/\.\.?(?:/|$)")
_CONTROLS = re.compile(r"[\t\n\r]")
_HOST = re.compile(r"[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*")
_ESCAPE = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_SAFE = "%/:=&?~+!$,;'@()*[]|"
_UNSAFE = re.compile(r"[^!#$&-;=?-\[\]_a-z|~]")


def absolute(href: str, base: str) -> str | None:
    """The URL of a link, absolute and normal; None where it leads to no page.

    Fragment and tracking parameters are folded, scheme and host are in small letters, the host in ASCII, a default port
    is left out, and what may not stand in a URL is escaped. The path keeps its case and its last slash.
    """
    href = href.strip(" \t\n\r\f\0")
    if len(href) > LONGEST:
        return None
    if _PLAIN.fullmatch(href) and not _DOTS.search(href):
        return href if href.count("/") > 2 else href + "/"
    if _PLAIN_PATH.fullmatch(href) and not _DOTS.search(href) and (origin := _origin(base)):
        return origin + href
    try:
        return _normal(urljoin(base, _CONTROLS.sub("", href).partition("#")[0]))
    except ValueError:
        return None


@lru_cache(REMEMBERED)
def _origin(url: str) -> str | None:
    """Scheme, host and port of a URL, as they stand in a normal one."""
    try:
        normal = _normal(urljoin(url, "/"))
    except ValueError:
        return None
    return normal and normal.removesuffix("/")


def _normal(url: str) -> str | None:
    parts = urlsplit(url)
    host = _ascii_host(parts.hostname) if parts.hostname else None
    if parts.scheme not in DEFAULT_PORTS or host is None or len(url) > LONGEST:
        return None
    port = "" if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f":{parts.port}"
    path = _escaped(_without_dots(_without_session(parts.path).replace("\\", "/"))) or "/"
    query = _without_tracking(_escaped(parts.query))
    return f"{parts.scheme}://{host}{port}{path}{'?' if query else ''}{query}"


def _without_dots(path: str) -> str:
    """A path with its `.` and `..` worked out."""
    if not _DOTS.search(path):
        return path
    kept: list[str] = []
    names = path.split("/")
    for name in names:
        if name == "..":
            del kept[max(1, len(kept) - 1) :]
        elif name != ".":
            kept.append(name)
    return "/".join(kept) + ("/" if names[-1] in (".", "..") else "")


def _without_session(path: str) -> str:
    at = path.lower().find(";jsessionid=") if ";" in path else -1
    return path if at < 0 else path[:at]


@lru_cache(REMEMBERED)
def _ascii_host(host: str) -> str | None:
    """A host as it is looked up; None where no host can have the name."""
    host = host.rstrip(".").lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    if ":" in host:  # an address of version 6, whose brackets are off by now
        return f"[{host}]"
    return host if _HOST.fullmatch(host) else None


def _escaped(text: str) -> str:
    if not _UNSAFE.search(text):
        return text
    return _ESCAPE.sub(lambda found: found[0].upper(), quote(text, safe=_SAFE, errors="replace"))


def _without_tracking(query: str) -> str:
    if not query:
        return ""
    return "&".join(pair for pair in query.split("&") if pair and not _is_tracking(pair.partition("=")[0].lower()))


def _is_tracking(name: str) -> bool:
    return name in TRACKING or name.startswith(_TRACKING_STARTS)


def address_of(href: str, base: str) -> str | None:
    """The URL that a link leads to; None where that is no page, the page itself, or a button of an article."""
    return None if href.startswith("#") or is_button(href) else absolute(href, base)


def is_button(href: str) -> bool:
    """Whether a link is a button of an article (share, print, reply), though it has its address."""
    if "?" not in href:
        return False
    query = href.partition("?")[2].partition("#")[0]
    return any(pair.partition("=")[0].lower() in _BUTTONS for pair in query.split("&"))


def key(url: str) -> str:
    """What all spellings of a normal URL have in common: no scheme, no `www.`, no last slash, escapes undone."""
    rest = url.partition("://")[2].removeprefix("www.").rstrip("/")
    return unquote(rest) if "%" in rest else rest


def host_of(url: str) -> str:
    """The host of a normal URL, with its port, without `www.`."""
    return url.partition("://")[2].partition("/")[0].removeprefix("www.")


@lru_cache(REMEMBERED)
def same_family(host: str, other: str) -> bool:
    """Whether two hosts seem to be of one owner: news.example.org and sport.example.org."""
    ours, theirs = host.split(".")[::-1], other.split(".")[::-1]
    labels = zip(ours, theirs, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], labels))
    # Below a country's co or com everybody has names.
    divided = len(ours) > 2 and len(ours[0]) == COUNTRY and len(ours[1]) <= SHORT_LABEL
    return host == other or common >= (3 if divided else 2)
