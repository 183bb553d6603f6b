"""Convert network errors to a FetchError with one line that names the URL."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore
import httpx

from pagesieve.errors import FetchError, PagesieveError
from pagesieve.fetching.urls import fault, one_line, shown


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
        raise FetchError(f"{shown(url)}: it redirects to what is not a URL ({fault(error)})") from error
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
