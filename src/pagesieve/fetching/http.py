"""Fetch pages and other resources by HTTP, with limits on size, time and redirects, from checked addresses only.

Import this module in the function that fetches, not at the top of a module: httpx is slow to import.

The environment's proxies (HTTP_PROXY and the like) are not used: behind one, the address connected to
could not be checked. SSL_CERT_FILE and SSL_CERT_DIR are honoured.
"""

import logging
import random
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeVar

import httpcore
import httpx

from pagesieve.errors import FetchError, PagesieveError
from pagesieve.fetching import BadBody, is_page, unpack
from pagesieve.fetching.guard import Guard
from pagesieve.fetching.options import FetchOptions as FetchOptions  # also public here
from pagesieve.fetching.retries import DEFAULT_OPTIONS as DEFAULT_RETRIES
from pagesieve.fetching.retries import retry_after_seconds, seconds_to_wait
from pagesieve.fetching.transport import Connections, Deadline, GuardedTransport
from pagesieve.fetching.urls import check, fault, one_line, parsed, shown, without_credentials

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1"

# Headers of one connection, or of a body as it was packed.
NOT_PASSED_ON = frozenset(
    "accept-encoding connection content-encoding content-length host keep-alive proxy-connection te transfer-encoding"
    " upgrade".split()
)
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})  # methods whose empty body has a length, too

T = TypeVar("T")


def _codings() -> Iterator[str]:
    """Yield the codings to request: those that an installed module can decode within a limit."""
    yield from ("gzip", "deflate", "br")
    with suppress(ImportError):
        import zstandard  # noqa: F401

        yield "zstd"


CODINGS = tuple(_codings())
ACCEPT_ENCODING = ", ".join(CODINGS)
_SENT = frozenset({*CODINGS, "x-gzip"})  # that a server may use

DEFAULT_OPTIONS = FetchOptions()


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a fetch: the decompressed body; the URL after redirects, without credentials; its type."""

    body: bytes
    url: str
    content_type: str | None
    status: int


def fetch(url: str, options: FetchOptions = DEFAULT_OPTIONS) -> Fetched:
    """Fetch a page; retry if a connection fails or the server is temporarily unavailable.

    Raises FetchError if the page cannot be fetched within the limits, and AddressRefused if the URL,
    or one to which it redirects, leads to an address that is not public.
    """
    target = parsed(url)
    return retrying(lambda: _attempt(target, options), options)


def retrying(attempt: Callable[[], T], options: FetchOptions) -> T:
    """Return the result of an attempt; repeat it if it raises a temporary FetchError."""
    retries = replace(DEFAULT_RETRIES, retries=options.retries)
    number = 1
    while True:
        try:
            return attempt()
        except FetchError as error:
            outcome = error if error.status is None else error.status
            now, chance = time.time(), random.random()
            seconds = seconds_to_wait(number, outcome, error.retry_after, retries, now=now, chance=chance)
            if seconds is None:
                raise
        options.wait(seconds)
        number += 1


def _attempt(url: httpx.URL, options: FetchOptions) -> Fetched:
    guard = Guard(options.allow_private, options.resolve)
    guarded = GuardedTransport(Connections(guard, options.connect_timeout), Deadline(options.timeout))
    if options.cache is None:
        return _followed(url, guarded, options)
    from pagesieve.fetching.cache import CachedTransport, UnusableCopy

    try:
        return _followed(
            url, CachedTransport(guarded, options.cache, options.max_bytes, options.allow_private), options
        )
    except UnusableCopy:
        return _attempt(url, replace(options, cache=None))


_IS_OURS = ContextVar("request_is_ours", default=False)  # whether httpx logs a request of this module


def _mask(record: logging.LogRecord) -> bool:
    """Mask the address of our request in a record of httpx's log, and let the record pass."""
    if _IS_OURS.get() and isinstance(record.args, tuple):
        record.args = tuple(shown(each) if isinstance(each, httpx.URL) else each for each in record.args)
    return True


logging.getLogger("httpx").addFilter(_mask)


@contextmanager
def _masking() -> Iterator[None]:
    """Mask the addresses that httpx logs in the body of a `with` statement."""
    token = _IS_OURS.set(True)
    try:
        yield
    finally:
        _IS_OURS.reset(token)


def _followed(url: httpx.URL, transport: httpx.BaseTransport, options: FetchOptions) -> Fetched:
    """Fetch a page with a transport, and close it. Follow redirects, and check each like the URL."""
    client = httpx.Client(
        transport=transport,
        headers={"User-Agent": options.user_agent, "Accept": ACCEPT, "Accept-Encoding": ACCEPT_ENCODING},
        follow_redirects=False,  # httpx reads the bodies of redirects whole, however large
        trust_env=False,
    )
    with client, _masking():
        request = client.build_request("GET", url)
        for _ in range(options.max_redirects + 1):
            check(request.url)
            with (
                explained(request.url, options.timeout, options.connect_timeout),
                closing(client.send(request, stream=True)) as response,
            ):
                if response.next_request is None:
                    return _fetched(response, options)
                request = response.next_request
    raise FetchError(f"{shown(url)}: more than {options.max_redirects} redirects, the last to {shown(request.url)}")


def _fetched(response: httpx.Response, options: FetchOptions) -> Fetched:
    """Read a response that is not a redirect, after checking by its head that it is a page."""
    name, headers = shown(response.url), response.headers
    content_type = headers.get("Content-Type")
    check_status(name, response.status_code, response.reason_phrase, headers.get("Retry-After"))
    if not is_page(content_type):
        raise FetchError(f"{name}: not a page but {content_type}")
    body = _body(response, name, options)
    return Fetched(body, without_credentials(str(response.url)), content_type, response.status_code)


def _body(response: httpx.Response, name: str, options: FetchOptions) -> bytes:
    length, coding = response.headers.get("Content-Length"), response.headers.get("Content-Encoding")
    try:
        return read_body(response.iter_raw(), length, coding, name, options.max_bytes)
    except FetchError as error:
        if options.cache is not None:
            from pagesieve.fetching.cache import UnusableCopy, is_copy

            if is_copy(response):
                raise UnusableCopy(str(error)) from error
        raise


def check_status(name: str, status: int, phrase: str = "", retry_after: str | None = None) -> None:
    """Raise FetchError unless a status means success; `name` names the URL."""
    if 200 <= status < 300:
        return
    seconds, most = retry_after_seconds(retry_after, time.time()), DEFAULT_RETRIES.longest_retry_after
    asks = f", and asks to wait {seconds:,.0f} s; {most:g} s is the most that is waited" if seconds > most else ""
    message = f"{name}: the server answered {status} {phrase}".rstrip()
    raise FetchError(f"{message}{asks}", status=status, retry_after=retry_after)


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to one request: the decompressed body, and the headers other than those of its encoding."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def named(self) -> dict[str, str]:
        """The headers by name, in lower case; the last of each."""
        return {name.lower(): value for name, value in self.headers}


class Exchanges:
    """Single requests through the guard, over persistent connections, for the page of a browser or for a crawl.

    Responses may be of any type and status. Redirects are returned; the caller follows them with another request.
    Nothing is retried and nothing is cached, but headers of conditional requests are sent unchanged. Any number of
    threads may send requests at once: each request has a separate connection, which is then kept for the next
    request to the same scheme, host and port. All requests share one deadline, `timeout` seconds from now; with
    `each`, each request has its own.
    """

    def __init__(self, options: FetchOptions = DEFAULT_OPTIONS, *, each: bool = False) -> None:
        self._options = options
        self._deadline = None if each else Deadline(options.timeout)
        guard = Guard(options.allow_private, options.resolve)
        self._connections = Connections(guard, options.connect_timeout)

    def ask(self, method: str, url: str, headers: Iterable[tuple[str, str]] = (), body: bytes | None = None) -> Answer:
        """Send one request unchanged. Raises FetchError, and AddressRefused if the guard refuses the address."""
        options, target = self._options, parsed(url)
        sent = self._headers(method, target, headers, body)
        with explained(target, options.timeout, options.connect_timeout):
            deadline = self._deadline or Deadline(options.timeout)
            response = self._connections.send(method.encode("ascii", "replace"), target, sent, body or b"", deadline)
            with closing(response):
                received = [(_text(name), _text(value)) for name, value in response.headers]
                named = {name.lower(): value for name, value in received}
                length, coding = named.get("content-length"), named.get("content-encoding")
                read = read_body(response.iter_stream(), length, coding, shown(target), options.max_bytes)
        headers_left = [(name, value) for name, value in received if name.lower() not in NOT_PASSED_ON]
        return Answer(response.status, tuple(headers_left), read)

    def _headers(
        self, method: str, url: httpx.URL, headers: Iterable[tuple[str, str]], body: bytes | None
    ) -> list[tuple[bytes, bytes]]:
        sent = [(b"Host", url.netloc), (b"Accept-Encoding", ACCEPT_ENCODING.encode())]
        is_named = False
        for name, value in headers:
            lower = name.lower()
            if lower not in NOT_PASSED_ON:
                is_named = is_named or lower == "user-agent"
                sent.append((name.encode("ascii", "replace"), value.encode("utf-8", "replace")))
        if not is_named:
            sent.append((b"User-Agent", self._options.user_agent.encode()))
        if body or method in WITH_BODY:
            sent.append((b"Content-Length", b"%d" % len(body or b"")))
        return sent

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()


def _text(raw: bytes) -> str:
    """Return a name or value of a header as text: decoded as UTF-8 if valid, otherwise byte by byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# Bodies


def read_body(
    chunks: Iterable[bytes], content_length: str | None, content_encoding: str | None, name: str, limit: int
) -> bytes:
    """Return a decompressed body, without ever holding more than the limit, compressed or not.

    `name` names the URL in messages. Raises FetchError.
    """
    return _unpacked(_read(chunks, content_length or "", name, limit), content_encoding or "", name, limit)


def _read(chunks: Iterable[bytes], declared: str, name: str, limit: int) -> bytes:
    """Read the body as sent, and stop once it is too large."""
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise FetchError(f"{name}: larger than {limit:,} bytes")
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > limit:
            raise FetchError(f"{name}: larger than {limit:,} bytes")
    return b"".join(parts)


def _unpacked(raw: bytes, content_encoding: str, name: str, limit: int) -> bytes:
    coding = content_encoding.strip().lower()
    if coding in ("", "identity") or not raw:
        return raw
    if coding not in _SENT:
        raise FetchError(f"{name}: sent in an encoding that was not requested: {coding}")
    try:
        return unpack(raw, coding, limit)
    except BadBody as error:
        raise FetchError(f"{name}: {error}") from error


# Failures


@contextmanager
def explained(url: httpx.URL, timeout: float, connect_timeout: float) -> Iterator[None]:
    """Convert any exception of the client, its libraries and the system to a FetchError.

    It is temporary if a connection failed, but not after a timeout: the next attempt would take as long.
    """
    try:
        yield
    except PagesieveError:
        raise
    except httpcore.ConnectTimeout as error:
        limit = min(connect_timeout, timeout)
        raise FetchError(f"{shown(url)}: no connection within {limit:g} s", is_temporary=True) from error
    except (TimeoutError, httpcore.TimeoutException) as error:
        raise FetchError(f"{shown(url)}: no complete answer within {timeout:g} s") from error
    except (httpx.InvalidURL, httpx.ProtocolError, UnicodeError) as error:
        # These are httpx's own, which reads no other URL than that of a redirect; what is below raises httpcore's.
        raise FetchError(f"{shown(url)}: it redirects to something that is not a URL ({fault(error)})") from error
    except Exception as error:  # h2, hpack, h11, idna and ssl raise more than they say
        is_temporary = isinstance(error, httpcore.NetworkError | httpcore.RemoteProtocolError) and not _is_tls(error)
        raise FetchError(f"{shown(url)}: {_reason(error)}", is_temporary=is_temporary) from error


def _cause(error: Exception) -> object:
    return next(iter(error.args), None)  # httpcore puts the system's error there, and cuts the chain


def _is_tls(error: Exception) -> bool:
    return isinstance(_cause(error), ssl.SSLError)


def _reason(error: Exception) -> str:
    cause = _cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its TLS certificate is not valid ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({cause.reason or one_line(cause)})"
    if isinstance(error, httpcore.ConnectError):
        return f"no connection ({getattr(cause, 'strerror', None) or one_line(error)})"
    return f"the connection failed ({one_line(error)})"
