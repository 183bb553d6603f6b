"""One page by HTTP, under limits of size, time and redirects, from checked addresses only.

Import this module where a URL is really fetched, not at the top of another: httpx is slow to import.

The environment's proxies (HTTP_PROXY and the like) are not used: behind one, the address connected to
could not be checked. SSL_CERT_FILE and SSL_CERT_DIR are honoured.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import httpcore
import httpx

from pagesieve.errors import FetchError
from pagesieve.fetching import BadBody, is_page, unpack
from pagesieve.fetching.guard import Guard, Resolver, system_addresses

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1"

ACCEPT_ENCODING = "gzip, deflate"
ENCODINGS = ("gzip", "x-gzip", "deflate")  # that a server may send then
SCHEMES = frozenset({"http", "https"})
LONGEST_SHOWN_URL = 200
MOST_CONNECTIONS = 32  # of one page in a browser
# Headers of one connection, or of a body as it was packed.
NOT_PASSED_ON = frozenset(
    {"accept-encoding", "connection", "content-encoding", "content-length", "host", "keep-alive", "transfer-encoding"}
)

SocketOptions = Iterable[tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]]


def _user_agent() -> str:
    try:
        return f"pagesieve/{version('pagesieve')} (compatible; Mozilla/5.0)"
    except PackageNotFoundError:  # run from a checkout
        return "pagesieve (compatible; Mozilla/5.0)"


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """The limits of a fetch: bytes after decompression, and seconds in all, redirects included."""

    max_bytes: int = 32 * 1024 * 1024
    timeout: float = 20.0
    connect_timeout: float = 10.0
    max_redirects: int = 10
    allow_private: bool = False
    user_agent: str = field(default_factory=_user_agent)
    resolve: Resolver = system_addresses


DEFAULT_OPTIONS = FetchOptions()


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a URL gave: the body, unpacked; the URL after redirects, without credentials; its type."""

    body: bytes
    url: str
    content_type: str | None
    status: int


def fetch(url: str, options: FetchOptions = DEFAULT_OPTIONS) -> Fetched:
    """Fetch a page.

    Raises FetchError where there is none to be had within the limits, and AddressRefused where the URL,
    or one it redirects to, leads to an address that is not public.
    """
    deadline = _Deadline(options.timeout)
    client = httpx.Client(
        transport=_GuardedTransport(Guard(options.allow_private, options.resolve), deadline),
        headers={"User-Agent": options.user_agent, "Accept": ACCEPT, "Accept-Encoding": ACCEPT_ENCODING},
        timeout=httpx.Timeout(options.timeout, connect=options.connect_timeout),
        follow_redirects=False,  # httpx reads the bodies of redirects whole, however large
        trust_env=False,
    )
    with client:
        return _follow(client, _parsed(url), options)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered to one request: the body unpacked, the headers without those of its packing."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def named(self) -> dict[str, str]:
        """The headers by name, in lower case; the last of each."""
        return {name.lower(): value for name, value in self.headers}


class Exchanges:
    """The requests of one browser's page: each goes through the guard, and all must be done by one deadline.

    Threads may share it. Redirects are handed back as they are: the browser follows them by asking again.
    """

    def __init__(self, options: FetchOptions = DEFAULT_OPTIONS) -> None:
        self._options = options
        guard = Guard(options.allow_private, options.resolve)
        self._transport = _GuardedTransport(guard, _Deadline(options.timeout), MOST_CONNECTIONS)

    def ask(self, method: str, url: str, headers: Iterable[tuple[str, str]] = (), body: bytes | None = None) -> Answer:
        """Send one request as it is; the answer may be of any type and status. Raises FetchError."""
        sent = [(name, value) for name, value in headers if name.lower() not in NOT_PASSED_ON]
        timeout = httpx.Timeout(self._options.timeout, connect=self._options.connect_timeout).as_dict()
        parsed = _parsed(url)
        _check(parsed)
        request = httpx.Request(
            method,
            _without_credentials(parsed),
            headers=[*sent, ("Accept-Encoding", ACCEPT_ENCODING)],
            content=body,
            extensions={"timeout": timeout},
        )
        with _explained(parsed, self._options), closing(self._transport.handle_request(request)) as response:
            response.request = request
            return self._answer(response)

    def _answer(self, response: httpx.Response) -> Answer:
        limit = self._options.max_bytes
        raw = _read(response, limit)
        body = _unpacked(raw, response.headers.get("Content-Encoding", ""), _shown(response.url), limit)
        kept = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in NOT_PASSED_ON]
        return Answer(response.status_code, tuple(kept), body)

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()


def _follow(client: httpx.Client, url: httpx.URL, options: FetchOptions) -> Fetched:
    request = client.build_request("GET", url)
    for _ in range(options.max_redirects + 1):
        _check(request.url)
        with _explained(request.url, options), closing(client.send(request, stream=True)) as response:
            if response.next_request is None:
                return _fetched(response, options)
            request = response.next_request
    raise FetchError(f"{_shown(url)}: more than {options.max_redirects} redirects, the last to {_shown(request.url)}")


def _fetched(response: httpx.Response, options: FetchOptions) -> Fetched:
    """Read an answer that is no redirect, once its head has shown that it is a page."""
    shown = _shown(response.url)
    content_type = response.headers.get("Content-Type")
    if not response.is_success:
        raise FetchError(f"{shown}: the server answered {response.status_code} {response.reason_phrase}".rstrip())
    if not is_page(content_type):
        raise FetchError(f"{shown}: not a page but {content_type}")
    raw = _read(response, options.max_bytes)
    body = _unpacked(raw, response.headers.get("Content-Encoding", ""), shown, options.max_bytes)
    return Fetched(body, str(_without_credentials(response.url)), content_type, response.status_code)


def _read(response: httpx.Response, limit: int) -> bytes:
    """Read the body as it was sent, stopping once it is too large."""
    declared = response.headers.get("Content-Length", "")
    too_large = FetchError(f"{_shown(response.url)}: larger than {limit:,} bytes")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise too_large
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > limit:
            raise too_large
    return bytes(body)


def _unpacked(raw: bytes, content_encoding: str, shown: str, limit: int) -> bytes:
    """Undo the Content-Encoding, without ever holding more than the limit."""
    coding = content_encoding.strip().lower()
    if coding in ("", "identity") or not raw:
        return raw
    if coding not in ENCODINGS:
        raise FetchError(f"{shown}: sent in a coding that was not asked for, {coding}")
    try:
        return unpack(raw, coding, limit)
    except BadBody as error:
        raise FetchError(f"{shown}: {error}") from error


def _parsed(url: str) -> httpx.URL:
    try:
        return httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"{url[:LONGEST_SHOWN_URL]!r}: not a URL ({_line(error)})") from error


def _check(url: httpx.URL) -> None:
    """Refuse a URL, given or redirected to, that is not one of a web page."""
    if url.scheme not in SCHEMES:
        raise FetchError(f"{_shown(url)}: not an http or https URL")
    if not url.host or b"%" in url.raw_host or not 0 < (url.port or 80) < 1 << 16:
        raise FetchError(f"{_shown(url)}: not a URL (its host or port is wrong)")


def _without_credentials(url: httpx.URL) -> httpx.URL:
    return url.copy_with(userinfo=b"") if url.userinfo else url


def without_credentials(url: str) -> str:
    """A URL without the name and password in it."""
    return str(_without_credentials(_parsed(url)))


def shown_url(url: str) -> str:
    """Write a URL for a message, as far as it is one."""
    try:
        return _shown(_parsed(url))
    except FetchError:
        return url[:LONGEST_SHOWN_URL]


def _shown(url: httpx.URL) -> str:
    """Write a URL for a message: without the password, and no longer than a person reads."""
    text = str(_without_credentials(url))
    return text if len(text) <= LONGEST_SHOWN_URL else text[:LONGEST_SHOWN_URL] + "…"


@contextmanager
def _explained(url: httpx.URL, options: FetchOptions) -> Iterator[None]:
    """Turn what httpx, httpcore and the system raise into one line that names the URL."""
    try:
        yield
    except httpcore.ConnectTimeout as error:
        limit = min(options.connect_timeout, options.timeout)
        raise FetchError(f"{_shown(url)}: no connection within {limit:g} s") from error
    except (TimeoutError, httpcore.TimeoutException) as error:
        raise FetchError(f"{_shown(url)}: no complete answer within {options.timeout:g} s") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError, OSError) as error:
        raise FetchError(f"{_shown(url)}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    cause = next(iter(error.args), None)  # httpcore puts the system's error there, and cuts the chain
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its TLS certificate is not valid ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({cause.reason or _line(cause)})"
    if isinstance(error, httpcore.ConnectError):
        return f"no connection ({getattr(cause, 'strerror', None) or _line(error)})"
    return f"the connection failed ({_line(error)})"


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class _Deadline:
    """The moment by which everything must be done. A limit for each read alone never stops a slow drip."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self, at_most: float | None = None) -> float:
        """Give the seconds left, `at_most` so many; raises TimeoutError where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("out of time")
        return left if at_most is None else min(left, at_most)


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every step must be done by the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left(timeout))
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _GuardedBackend(httpcore.NetworkBackend):
    """Connects to the very addresses that the guard has checked.

    Only the connection goes by address: the Host header, and the name that TLS asks and checks the
    certificate for, remain those of the URL.
    """

    def __init__(self, guard: Guard, deadline: _Deadline) -> None:
        self._guard = guard
        self._deadline = deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception | None = None
        for address in self._guard.addresses(host, port, self._deadline.left()):
            left = self._deadline.left(timeout)
            try:
                stream = self._backend.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _TimedStream(stream, self._deadline)
        raise failure or httpcore.ConnectError("no address")


class _Body(httpx.SyncByteStream):
    """The body of a response as httpx wants it."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _GuardedTransport(httpx.BaseTransport):
    """Sends each request of a client, and so each hop of a redirect, through the guard."""

    def __init__(self, guard: Guard, deadline: _Deadline, connections: int = 10) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=connections,
            network_backend=_GuardedBackend(guard, deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        response = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.read(),
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


@cache
def _ssl_context() -> ssl.SSLContext:
    """The certificates to trust, which take some 20 ms to load."""
    return httpx.create_ssl_context()
