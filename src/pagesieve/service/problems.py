"""What goes wrong with a request, as RFC 9457 has it: a status, a type, and one line that says what to do."""

from __future__ import annotations

from typing import Any, NamedTuple

from pagesieve.child import Reason, Sort
from pagesieve.errors import (
    AddressRefused,
    FetchError,
    MissingExtra,
    NothingFound,
    PagesieveError,
    RunStopped,
    plain_line,
)
from pagesieve.text.urls import masked

MEDIA_TYPE = "application/problem+json"
TYPES = "urn:pagesieve:problem:"  # what the types of problems begin with
RETRY_AFTER = 1  # seconds


class Sorted(NamedTuple):
    """A sort of problem: the status of the answer, and its title."""

    status: int
    title: str


PROBLEMS = {
    "bad-request": Sorted(400, "The request cannot be read"),
    "unauthorized": Sorted(401, "A token is needed"),
    "origin-refused": Sorted(403, "Requests from other sites are refused"),
    "address-refused": Sorted(403, "The address is not a public one"),
    "not-found": Sorted(404, "There is nothing here"),
    "no-library": Sorted(404, "The service has no site library"),
    "no-corrections": Sorted(404, "The service has no folder for corrections"),
    "unknown-site": Sorted(404, "The library does not know the site"),
    "method-not-allowed": Sorted(405, "The method is not allowed here"),
    "request-timeout": Sorted(408, "The request did not arrive in time"),
    "too-large": Sorted(413, "The request is too large"),
    "unsupported-media-type": Sorted(415, "The type of the body is not one that is read"),
    "misdirected": Sorted(421, "The service does not answer for this host"),
    "bad-input": Sorted(422, "What was given cannot be used"),
    "nothing-found": Sorted(422, "The page does not hold what was asked for"),
    "fetch-failed": Sorted(422, "The address gives no page"),
    "page-too-costly": Sorted(422, "The page needs more memory than a page may"),
    "busy": Sorted(429, "Too many requests are waiting"),
    "failed": Sorted(500, "The service failed"),
    "page-died": Sorted(500, "The process that read the page died"),
    "unavailable": Sorted(503, "The service cannot do this now"),
    "page-timeout": Sorted(504, "The page took too long"),
}
OF_STATUS = {400: "bad-request", 404: "not-found", 405: "method-not-allowed"}  # of those that the framework finds
_OF_SORT: dict[Sort, str] = {
    "size": "too-large",
    "time": "page-timeout",
    "memory": "page-too-costly",
    "death": "page-died",
    "failure": "failed",
    "nothing": "nothing-found",
    "refusal": "bad-input",
}
_TO_RETRY = ("busy", "unavailable")


class Problem(Exception):
    """Why a request has no result; `sort` is a key of PROBLEMS, `quotes` says that others wrote some of the detail."""

    def __init__(self, sort: str, detail: str, *, quotes: bool = False, **more: Any) -> None:
        super().__init__(detail)
        self.sort, self.detail, self.quotes, self.more = sort, plain_line(masked(detail)), quotes, more

    @property
    def status(self) -> int:
        """The status of the answer."""
        return PROBLEMS[self.sort].status

    @property
    def headers(self) -> dict[str, str]:
        """The headers that belong to the status."""
        if self.sort == "unauthorized":
            return {"WWW-Authenticate": "Bearer"}
        if self.sort == "method-not-allowed" and "allow" in self.more:
            return {"Allow": self.more["allow"]}
        return {"Retry-After": str(RETRY_AFTER)} if self.sort in _TO_RETRY else {}

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as its JSON has it."""
        title = PROBLEMS[self.sort].title
        return {"type": TYPES + self.sort, "title": title, "status": self.status, "detail": self.detail} | self.more


def of_reason(reason: Reason) -> Problem:
    """Return the problem of a page that its process has no answer for."""
    if reason.sort == "failure":  # what failed is in the log; it may quote the page
        return Problem("failed", "the page could not be read, which is an error of Pagesieve")
    facts = {"facts": reason.facts | {"text": None}} if reason.facts else {}
    detail = f"the page {reason}" if reason.sort in ("time", "memory") else str(reason)
    return Problem(_OF_SORT[reason.sort], detail, quotes=reason.sort in ("nothing", "refusal"), **facts)


def of_error(error: PagesieveError) -> Problem:
    """Return the problem that an error is."""
    if isinstance(error, AddressRefused):
        return Problem("address-refused", str(error), quotes=True)
    if isinstance(error, FetchError):
        more = {} if error.status is None else {"upstream_status": error.status}
        return Problem("fetch-failed", str(error), quotes=True, **more)
    if isinstance(error, NothingFound):
        return Problem("nothing-found", str(error), quotes=True)
    if isinstance(error, MissingExtra | RunStopped):
        return Problem("unavailable", str(error))
    return Problem("bad-input", str(error), quotes=True)
