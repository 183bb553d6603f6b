"""URLs: make them absolute, normalise, check and mask them, compare them, assign them to sites; and lists of URLs.

w3lib's functions do something else: `safe_url_string` keeps default ports, escapes the `|` and `[` that servers expect
as they are, and fails on lone surrogates; `canonicalize_url` sorts queries, and servers may answer differently then.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urljoin, urlsplit

from pagesieve.text.patterns import pattern

DEFAULT_PORTS = {"http": 80, "https": 443}
SAFE_SCHEMES = ("http:", "https:", "mailto:", "ftp:", "tel:")
MAX_URL = 2000  # characters of a URL: anything longer is data, not an address
COUNTRY = 2  # letters of a country's top-level domain,
SHORT_LABEL = 3  # and of its subdivisions: co, com, org, gov
REMEMBERED = 4096

# Parameters that only say where a reader came from, or who it is. Only those that are certain.
TRACKING = frozenset(
    "fbclid gclid dclid gbraid wbraid msclkid yclid igshid mc_cid mc_eid _ga _gl _hsenc _hsmi ref_src ref_url xtor spm "
    "scm cmpid phpsessid jsessionid ns_mchannel ns_source ns_campaign ns_linkname ns_fee at_medium at_campaign "
    "wt.mc_id".split()
)
TRACKING_STARTS = ("utm_", "pk_", "mtm_", "hsa_", "at_custom")
# Parameters that turn an article's address into a button.
BUTTONS = frozenset("share replytocom print printable like_comment redirect redirect_to add-to-cart".split())

# What is normal already: a host in lower case, a path of plain characters without dot segments; no query.
_PLAIN = pattern(r"https?://[a-z0-9\-]+(?:\.[a-z0-9\-]+)+(?:/[A-Za-z0-9_\-+~,=@!./]*)?")
_PLAIN_PATH = pattern(r"/(?:[A-Za-z0-9_\-+~,=@!.][A-Za-z0-9_\-+~,=@!./]*)?")
_PLAIN_QUERY = pattern(r"[A-Za-z0-9_\-+~,=@!./&;:|%]*")
_DOTS = pattern(r"/\.\.?(?:/|$)")
_LINE_ENDS = pattern(r"[\t\n\r]")
_HOST = pattern(r"[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*")
_ESCAPE = pattern(r"%[0-9a-f]{2}", re.IGNORECASE)
_BLANKS = " \t\n\r\f\0"
_SCRIPT = "javascript:"
_SAFE = "%/:=&?~+!$,;'@()*[]|"
_UNSAFE = pattern(r"[^!#$&-;=?-\[\]_a-z|~]")
_SCHEME = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CONTROLS = pattern(r"[\x00-\x1f\x7f]+")  # browsers drop line ends and tabs wherever they stand in an address
_WORD = pattern(r"\S+")
_AFTER_ADDRESS = "'\"`:;,.!)]}>…"  # what may follow an address in a sentence
# Name and password. Where a password holds a / or ?, which it may not, all up to the last @ is taken for it; in a web
# address only if no @ stands before the path, which may hold one itself.
_NAME = r"[^/?#]*@"
_UNESCAPED = r"[^/?#@:\[]*:(?!\d{0,5}(?:[/?#]|$)).*@"
_OF_WEB = pattern(rf"\A(?:{_NAME}|{_UNESCAPED})", re.DOTALL)
_OF_STORE = pattern(rf"\A(?:{_UNESCAPED}|{_NAME})", re.DOTALL)
# Before a host: the scheme, and name and password. The host: an IPv6 address, or a name in any script.
_WEB = pattern(r"(https?://)(?:[^/?#]*@)?(?=(?:\[[0-9a-f:.]+\]|[.-]*\w[\w.-]*)(?::\d*)?(?:[/?#]|\Z))", re.IGNORECASE)
# An address that is safe as it is: of the web, absolute, and without anything that is written in several ways.
_SAFE_URL = pattern(r"https?://[a-z0-9.-]+(?:/[\w/.~%+,=@!&*-]*+(?:\?[\w/.~%+,=@!&*-]++)?)?", re.ASCII)
_UNWRITTEN = pattern(r"[\s\"<>\\^`{|}\x80-\x9f\ud800-\udfff]")


def is_url(name: str) -> bool:
    """Whether a name is the URL of something to fetch."""
    return name.lower().startswith(("http://", "https://"))


def web_url(url: str) -> str:
    """Return an http or https URL without name and password; empty if it is not one, or its host is not valid."""
    before = _WEB.match(url)
    return before[1] + url[before.end() :] if before else ""


def safe_url(address: str, base: str | None) -> str:
    """Return an address made absolute but otherwise unchanged; empty if it is malformed, or not safe to write."""
    if _SAFE_URL.fullmatch(address):
        return address
    address = (address if address.isprintable() else _CONTROLS.sub("", address)).strip()
    try:
        url = urljoin(base, address) if base and address else address
        urlsplit(url)  # which raises as `urljoin` does where there is a base
    except ValueError:
        return ""
    scheme = _SCHEME.match(url)
    if scheme and scheme[0].lower() not in SAFE_SCHEMES:
        return ""
    return _UNWRITTEN.sub(lambda match: quote(match[0], errors="replace"), url)


def safe_urls(addresses: Iterable[str], base: str | None) -> list[str]:
    """Return each of some addresses as `safe_url` does."""
    return [safe_url(address, base) for address in addresses]


def masked(text: str) -> str:
    """Return a text for a message, a log or a note with masked addresses: see `masked_url`."""
    if "://" not in text:
        return text
    return _WORD.sub(lambda word: masked_url(word[0]) if "://" in word[0] else word[0], text)


def masked_url(url: str) -> str:
    """Return an address with `***` for its name and password, for the values of its query, and for its fragment.

    The path of a file is returned unchanged.
    """
    bare = url.rstrip(_AFTER_ADDRESS)
    scheme, *others = bare.split("//")
    if not others or scheme[-1:] not in ("", ":"):
        return url
    secret = _OF_STORE if scheme and not scheme.lower().endswith(("http:", "https:")) else _OF_WEB
    path, *rest = re.split("([?#])", "//".join([scheme, *(secret.sub("***@", other) for other in others)]))
    return path + "".join(map(_masked_query, rest)) + url[len(bare) :]


def _masked_query(query: str) -> str:
    """Mask the values of a query or fragment, or leave the sign before it."""
    if query in ("?", "#", ""):
        return query
    pairs = (pair.partition("=") for pair in query.split("&"))
    return "&".join(f"{name}=***" if equals else "***" for name, equals, _ in pairs)


def split_url(url: str) -> SplitResult:
    """Split a URL into its parts; all are empty if it is malformed."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def absolute(href: str, base: str) -> str | None:
    """Return the URL of a link, absolute and normalised; None if it does not lead to a page.

    Fragment, tracking parameters and a default port are dropped, scheme and host are in lower case, the host in ASCII,
    and characters that a URL may not contain are escaped. The path keeps its case and its last slash.
    """
    href = href.strip(_BLANKS)
    if len(href) > MAX_URL or href[: len(_SCRIPT)].lower() == _SCRIPT:
        return None
    whole, _, _ = href.partition("#")
    path, _, query = whole.partition("?")
    plain = _plain(path, base)
    if path == href and plain is not None:
        return plain
    if plain is not None and len(plain) + len(query) < MAX_URL and _PLAIN_QUERY.fullmatch(query):
        query = _without_tracking(_with_capitals(query))
        return f"{plain}?{query}" if query else plain
    return _normal(base, _LINE_ENDS.sub("", whole))


def _plain(address: str, base: str) -> str | None:
    """Return an address without query as a normal URL if it has only plain characters, as most have; otherwise None."""
    if "/." in address and _DOTS.search(address):
        return None
    if _PLAIN.fullmatch(address):
        return address if address.count("/") > 2 else address + "/"
    origin = _normal_origin(base) if address[:1] == "/" else None
    if origin and _PLAIN_PATH.fullmatch(address):
        return origin + address
    if origin and address[:2] == "//":
        return _plain(f"{origin.partition(':')[0]}:{address}", base)
    return None


@lru_cache(REMEMBERED)
def _normal_origin(url: str) -> str | None:
    """Scheme, host and port of a URL, as they stand in a normal one."""
    normal = _normal(url, "/")
    return normal and normal.removesuffix("/")


def _normal(base: str, href: str) -> str | None:
    try:
        url = urljoin(base, href)
        parts = urlsplit(url)
        given_port = parts.port
    except ValueError:
        return None
    host = _written_host(parts.hostname) if parts.hostname else None
    if parts.scheme not in DEFAULT_PORTS or host is None or len(url) > MAX_URL:
        return None
    port = "" if given_port in (None, DEFAULT_PORTS[parts.scheme]) else f":{given_port}"
    path = _escaped(_without_dots(_without_session(parts.path).replace("\\", "/"))) or "/"
    query = _without_tracking(_escaped(parts.query))
    return f"{parts.scheme}://{host}{port}{path}{'?' if query else ''}{query}"


@lru_cache(REMEMBERED)
def _written_host(host: str) -> str | None:
    """Return the host in the form of a normal URL; None if it is not valid."""
    ascii_host = _ascii_host(host)
    if ascii_host and ":" in ascii_host:  # an IPv6 address, whose brackets are off by now
        return f"[{ascii_host}]"
    return ascii_host if ascii_host and _HOST.fullmatch(ascii_host) else None


def _ascii_host(host: str) -> str | None:
    """Return the host in the form of DNS: lower case, ASCII, no final dot; None if it has no such form."""
    host = host.rstrip(".").lower()
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def _without_dots(path: str) -> str:
    """Resolve the `.` and `..` of a path."""
    if "/." not in path or not _DOTS.search(path):
        return path
    segments: list[str] = []
    names = path.split("/")
    for name in names:
        if name == "..":
            del segments[max(1, len(segments) - 1) :]
        elif name != ".":
            segments.append(name)
    return "/".join(segments) + ("/" if names[-1] in (".", "..") else "")


def _without_session(path: str) -> str:
    at = path.lower().find(";jsessionid=") if ";" in path else -1
    return path if at < 0 else path[:at]


def _escaped(text: str) -> str:
    if not _UNSAFE.search(text):
        return text
    return _with_capitals(quote(text, safe=_SAFE, errors="replace"))


def _with_capitals(text: str) -> str:
    """Write escapes in capitals."""
    return _ESCAPE.sub(lambda found: found[0].upper(), text) if "%" in text else text


def _without_tracking(query: str) -> str:
    if not query:
        return ""
    return "&".join(pair for pair in query.split("&") if pair and not _is_tracking(pair.partition("=")[0].lower()))


def _is_tracking(name: str) -> bool:
    return name in TRACKING or name.startswith(TRACKING_STARTS)


def address_of(href: str, base: str) -> str | None:
    """Return the URL of a link; None if it is not a page, the page itself, or a button of an article."""
    return None if href.startswith("#") or is_button(href) else absolute(href, base)


def is_button(href: str) -> bool:
    """Whether a link is a button of an article (share, print, reply), although it has the article's address."""
    if "?" not in href:
        return False
    query = href.partition("?")[2].partition("#")[0]
    return any(pair.partition("=")[0].lower() in BUTTONS for pair in query.split("&"))


def key(url: str) -> str:
    """Return a key for all spellings of a normal URL: no scheme, no `www.`, no last slash, escapes decoded."""
    rest = url.partition("://")[2].removeprefix("www.").rstrip("/")
    return unquote(rest) if "%" in rest else rest


def host_of(url: str) -> str:
    """The host of a normal URL, with its port, without `www.`."""
    return url.partition("://")[2].partition("/")[0].removeprefix("www.")


@lru_cache(REMEMBERED)
def same_family(host: str, other: str) -> bool:
    """Whether two hosts seem to have one owner: news.example.org and sport.example.org."""
    ours, theirs = host.split(".")[::-1], other.split(".")[::-1]
    labels = zip(ours, theirs, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], labels))
    # Below a country's co or com anybody can register a name.
    divided = len(ours) > 2 and len(ours[0]) == COUNTRY and len(ours[1]) <= SHORT_LABEL
    return host == other or common >= (3 if divided else 2)


class _Parts(NamedTuple):
    """The parts by which URLs are compared."""

    origin: tuple[str, str, int | None]
    directories: list[str]
    pairs: frozenset[tuple[tuple[str, str], int]]  # of the query, numbered where one is repeated


def site_key(url: str) -> str:
    """The site of a URL: its host in lower case and ASCII, without `www.`, with the port unless it is a default one."""
    parts = split_url(url.strip())
    if not parts.hostname:
        return ""
    _, host, port = _origin(parts)
    host = host.removeprefix("www.")
    return host if port is None or port in DEFAULT_PORTS.values() else f"{host}:{port}"


def similarity(one: str, two: str) -> tuple[float, float]:
    """Return the similarity of two URLs of a site, from 0 to 1: of their directories, then of their queries.

    Only for the same scheme and host; (0, 0) otherwise. The directories decide and the query breaks ties, so pairs
    compare as tuples do. Two URLs with the same directories and no query are (1, 1), whatever their file names.
    """
    a, b = _parts(one), _parts(two)
    if a is None or b is None or a.origin != b.origin:
        return 0.0, 0.0
    pairs = max(len(a.pairs), len(b.pairs))
    return _alike_directories(a.directories, b.directories), len(a.pairs & b.pairs) / pairs if pairs else 1.0


@lru_cache(REMEMBERED)
def _parts(url: str) -> _Parts | None:
    parts = split_url(url.strip())
    if not parts.hostname:
        return None
    scheme, host, port = _origin(parts)
    directories = [directory for directory in parts.path.split("/")[:-1] if directory]  # the rest is the file name
    counts = Counter(parse_qsl(parts.query, keep_blank_values=True))
    pairs = frozenset((pair, k) for pair, count in counts.items() for k in range(count))
    return _Parts((scheme, host, port or DEFAULT_PORTS.get(scheme)), directories, pairs)


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    """Scheme, host and port; a name that has no form in ASCII is a host all the same, and a wrong port none."""
    host = (parts.hostname or "").rstrip(".")
    try:
        port = parts.port
    except ValueError:
        port = None
    return parts.scheme, _ascii_host(host) or host.lower(), port


def _alike_directories(a: list[str], b: list[str]) -> float:
    if a == b:
        return 1.0
    longest = max(len(a), len(b))
    common = next((k for k, (one, two) in enumerate(zip(a, b, strict=False)) if one != two), min(len(a), len(b)))
    return common / longest


def entries(text: str) -> list[str]:
    """Return the lines of a list that are neither empty nor comments (which begin with #)."""
    stripped = (line.strip("\r\t ") for line in text.removeprefix("\ufeff").split("\n"))
    return [line for line in stripped if line and not line.startswith("#")]
