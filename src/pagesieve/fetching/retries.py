"""When to retry a request, and how long to wait before that.

This module only decides, without a client and a clock; `fetching/http.py` and crawls act on the decision.
"""

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from pagesieve.errors import FetchError
from pagesieve.fetching.options import RETRIES

# Timeout of the request, too early, too many requests; errors of the server and of gateways before it
STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
MAX_NUMBER = 12  # digits of a number of seconds; a longer one is beyond every limit


@dataclass(frozen=True, slots=True)
class RetryOptions:
    """The number of retries and the waits between them. Times are in seconds."""

    retries: int = RETRIES  # after the first attempt
    first_wait: float = 0.5  # it doubles with each attempt
    longest_wait: float = 30.0
    longest_retry_after: float = 60.0  # if a server asks for more, there is no retry


DEFAULT_OPTIONS = RetryOptions()


def seconds_to_wait(
    attempt: int,
    outcome: int | BaseException,
    retry_after: str | None = None,
    options: RetryOptions = DEFAULT_OPTIONS,
    *,
    now: float,
    chance: float,
) -> float | None:
    """Return the number of seconds to wait before the next attempt, or None to give up.

    `attempt` is the number of the attempt that failed, from 1 on; `outcome` the status of the response, or the error;
    `retry_after` the value of that header. `now` is the time in seconds since the epoch, for a date in the header.
    `chance` is a random number from 0 to 1, which chooses between half of the wait and all of it, so that clients that
    failed together do not retry together. The wait is never shorter than the server asks for.
    """
    if attempt > options.retries or not is_temporary(outcome):
        return None
    requested = retry_after_seconds(retry_after, now)
    if requested > options.longest_retry_after:
        return None
    longest = min(options.first_wait * 2.0 ** (attempt - 1), options.longest_wait)
    return max(requested, longest * (1 + chance) / 2)


def is_temporary(outcome: int | BaseException) -> bool:
    """Whether another attempt may succeed, judged by the status of a response or an error."""
    if isinstance(outcome, int):
        return outcome in STATUSES
    return isinstance(outcome, FetchError) and outcome.is_temporary


def retry_after_seconds(value: str | None, now: float) -> float:
    """Return the number of seconds in a Retry-After header; 0 if it is not valid."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= MAX_NUMBER else float("inf")
    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError, TypeError, IndexError):
        return 0.0
