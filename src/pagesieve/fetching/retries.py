"""When to ask a server again, and how long to wait before that.

Here is the decision alone, without a client and without a clock; `fetching/http.py` and crawls act on it.
"""

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from pagesieve.errors import FetchError

# Timeout of the request, too early, too many requests; errors of the server and of gateways before it
STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_NUMBER = 12  # digits of a number of seconds; a longer one is beyond every limit


@dataclass(frozen=True, slots=True)
class RetryOptions:
    """How often to ask again, and how long to wait. Times are in seconds."""

    retries: int = 2  # after the first attempt
    first_wait: float = 0.5  # it doubles with each attempt
    longest_wait: float = 30.0
    longest_retry_after: float = 60.0  # a server that asks for more is not asked again


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
    """Return how many seconds to wait before the next attempt, or None where there is to be none.

    `attempt` is the number of the attempt that failed, from 1 on; `outcome` the status that the server answered, or the
    error; `retry_after` the value of that header. `now` is the time in seconds since the epoch, which a date in the
    header is relative to, and `chance` a random number from 0 to 1: between half of the wait and all of it is used, so
    that clients that failed together do not come back together. A server is never asked earlier than it says.
    """
    if attempt > options.retries or not is_temporary(outcome):
        return None
    asked = retry_after_seconds(retry_after, now)
    if asked > options.longest_retry_after:
        return None
    longest = min(options.first_wait * 2.0 ** (attempt - 1), options.longest_wait)
    return max(asked, longest * (1 + chance) / 2)


def is_temporary(outcome: int | BaseException) -> bool:
    """Whether another attempt may succeed, given the status of an answer or an error."""
    if isinstance(outcome, int):
        return outcome in STATUSES
    return isinstance(outcome, FetchError) and outcome.is_temporary


def retry_after_seconds(value: str | None, now: float) -> float:
    """Return how many seconds a Retry-After header asks to wait; 0 where it says nothing that can be understood."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= LONGEST_NUMBER else float("inf")
    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError, TypeError, IndexError):
        return 0.0
