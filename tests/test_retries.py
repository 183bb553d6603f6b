"""The decision when to ask a server again, as tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.errors import AddressRefused, FetchError
from pagesieve.fetching.retries import RetryOptions, retry_after_seconds, seconds_to_wait

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT
FAILED = FetchError("no connection", is_temporary=True)


@pytest.mark.parametrize(
    ("attempt", "outcome", "retry_after", "chance", "seconds"),
    [
        (1, 503, None, 0.0, 0.25),
        (1, 503, None, 1.0, 0.5),
        (2, 503, None, 1.0, 1.0),
        (3, 503, None, 1.0, None),
        (1, FAILED, None, 1.0, 0.5),
        (1, FetchError("not a page"), None, 1.0, None),
        (1, AddressRefused("not public"), None, 1.0, None),
        (1, ValueError("a mistake"), None, 1.0, None),
        (1, 200, None, 1.0, None),
        (1, 404, "5", 1.0, None),
        (1, 429, "0", 1.0, 0.5),
        (1, 429, "5", 1.0, 5.0),
        (1, 429, "60", 1.0, 60.0),
        (1, 429, "61", 1.0, None),
        (1, 429, "9" * 5000, 1.0, None),
        (1, 429, "Tue, 14 Nov 2023 22:13:50 GMT", 1.0, 30.0),
        (1, 429, "Tue, 14 Nov 2023 23:13:50 GMT", 1.0, None),
        (1, 429, "Tue, 14 Nov 2023 12:00:00 GMT", 1.0, 0.5),
        (1, 429, "soon", 1.0, 0.5),
        (1, 429, "-5", 1.0, 0.5),
    ],
)
def test_the_wait(
    attempt: int, outcome: int | Exception, retry_after: str | None, chance: float, seconds: float | None
) -> None:
    assert seconds_to_wait(attempt, outcome, retry_after, now=NOW, chance=chance) == seconds


def test_the_wait_stops_growing() -> None:
    options = RetryOptions(retries=100, longest_wait=30)
    waits = [seconds_to_wait(attempt, 503, None, options, now=NOW, chance=1.0) for attempt in range(1, 101)]
    assert waits[:4] == [0.5, 1, 2, 4]
    assert waits[-1] == 30


@given(st.text())
def test_any_header_is_a_number_of_seconds(value: str) -> None:
    assert retry_after_seconds(value, NOW) >= 0
