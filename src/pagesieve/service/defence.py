"""Who may ask: this machine or whoever has the token, and no page of another site; and headers for browsers."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagesieve.service.answers import problem_response
from pagesieve.service.options import ServiceOptions, is_loopback
from pagesieve.service.problems import Problem

OPEN = ("/", "/healthz", "/readyz", "/openapi.json")  # and what is below STATIC: they tell nothing of any page
STATIC = "/static/"
OWN_SITES = ("same-origin", "none")  # none: an address that was typed, or a bookmark

# A web page of the service runs its own scripts only, and talks to the service alone; an answer is no page at all.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types page-source"
)
_ANSWER_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


class SecurityHeaders:
    """Adds to every answer the headers that tell browsers what they may do with it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        is_static = scope["path"].startswith(STATIC)
        is_page = is_static or scope["path"] == "/"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers["Content-Security-Policy"] = _PAGE_POLICY if is_page else _ANSWER_POLICY
                headers["Cache-Control"] = "no-cache" if is_static else "no-store"  # "/" says who opened it
            await send(message)

        return await self._app(scope, receive, sending)


class Defence:
    """Refuses requests that other sites make a browser send, and those without the token where there is one."""

    def __init__(self, app: ASGIApp, options: ServiceOptions) -> None:
        self._app, self._token = app, options.token
        self._is_loopback = is_loopback(options.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and (problem := self._refusal(scope)) is not None:
            return await problem_response(problem)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Problem | None:
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host", "")
        if self._is_loopback and not is_loopback(_name(host)):
            # A site can make its own name stand for this machine, and would then be one origin with the service.
            return Problem("misdirected", "the Host header does not name this machine")
        if (origin := headers.get("origin")) is not None and not _is_same(origin, host):
            return Problem("origin-refused", "the Origin header names another site")
        is_open = path in OPEN or path.startswith(STATIC)
        if not is_open and headers.get("sec-fetch-site", "none") not in OWN_SITES:
            return Problem("origin-refused", "another site has made a browser send this")
        if self._token is not None and not is_open and not self._is_known(headers.get("authorization", "")):
            return Problem("unauthorized", "send the header Authorization: Bearer TOKEN")
        return None

    def _is_known(self, authorization: str) -> bool:
        """Whether a header has the token; it takes as long whatever it has."""
        assert self._token is not None
        scheme, _, given = authorization.partition(" ")
        same = hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token.encode())
        return scheme.lower() == "bearer" and same


def _name(host: str) -> str:
    """Return the name in a Host header, without the port; empty where it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_same(origin: str, host: str) -> bool:
    """Whether an origin is that of the service, as the client names it."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.scheme in ("http", "https") and found.netloc.lower() == host.lower()
