"""How long the stages of an extraction take, for `pagesieve evaluate --profile`.

A function that is a stage says so by `@stage(name)`; it costs a tenth of a microsecond a call as long as no profile is
taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from time import thread_time_ns
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")

REST = "between the stages"


class Profile:
    """The CPU time of the thread by stage, while the `with` statement runs.

    Time in a stage that another calls counts for the inner one alone. Profiles are for one thread at a time.
    """

    def __init__(self) -> None:
        self.nanoseconds = defaultdict[str, int](int)
        self._open = list[str]()
        self._since = 0

    def __enter__(self) -> Self:
        global _current
        _current = self
        self.enter(REST)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _current
        self.leave()
        _current = None

    def enter(self, name: str) -> None:
        """Begin a stage."""
        now = thread_time_ns()
        if self._open:
            self.nanoseconds[self._open[-1]] += now - self._since
        self._open.append(name)
        self._since = thread_time_ns()

    def leave(self) -> None:
        """End the stage that was begun last."""
        now = thread_time_ns()
        self.nanoseconds[self._open.pop()] += now - self._since
        self._since = thread_time_ns()


_current: Profile | None = None


def stage(name: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Return a decorator for a function that is a stage."""

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @wraps(function)
        def timed(*args: Given.args, **keywords: Given.kwargs) -> Result:
            profile = _current
            if profile is None:
                return function(*args, **keywords)
            profile.enter(name)
            try:
                return function(*args, **keywords)
            finally:
                profile.leave()

        return timed

    return decorate
