"""Measure the time of the stages of an extraction, for `pagesieve evaluate --profile`.

The decorator `@stage(name)` marks a function as a stage and returns the function itself. While a `Profile` runs, and
only then, the code of the function is replaced by code that measures it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from time import thread_time_ns
from types import FunctionType, TracebackType
from typing import Any, Self, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

REST = "between the stages"


class Profile:
    """A context manager that measures the CPU time of the thread by stage.

    If a stage calls another, the time of the inner one counts only there. Only one thread may run a profile at a time.
    """

    def __init__(self) -> None:
        self.nanoseconds = defaultdict[str, int](int)
        self._open = list[str]()
        self._since = 0

    def __enter__(self) -> Self:
        global _current
        _current = self
        for each in _stages:
            each.begin()
        self.enter(REST)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _current
        self.leave()
        for each in _stages:
            each.end()
        _current = None

    def enter(self, name: str) -> None:
        """Begin a stage."""
        now = thread_time_ns()
        if self._open:
            self.nanoseconds[self._open[-1]] += now - self._since
        self._open.append(name)
        self._since = thread_time_ns()

    def leave(self) -> None:
        """End the innermost stage."""
        now = thread_time_ns()
        self.nanoseconds[self._open.pop()] += now - self._since
        self._since = thread_time_ns()


_current: Profile | None = None


class _Stage:
    """A function that is a stage, with its original code, and a copy that can be called while a profile runs."""

    def __init__(self, name: str, function: FunctionType) -> None:
        self.name, self.function = name, function
        self.code, self.defaults = function.__code__, function.__kwdefaults__
        parts = (function.__globals__, function.__name__, function.__defaults__, function.__closure__)
        self.own = FunctionType(self.code, *parts)
        self.own.__kwdefaults__ = self.defaults

    def begin(self) -> None:
        """Replace the code of the function by code that measures it."""
        self.function.__kwdefaults__ = {"_stage": self}
        self.function.__code__ = _measured.__code__

    def end(self) -> None:
        """Restore the function."""
        self.function.__code__, self.function.__kwdefaults__ = self.code, self.defaults

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function, and measure it if a profile runs."""
        profile = _current
        if profile is None:
            return self.own(*args, **kwargs)
        profile.enter(self.name)
        try:
            return self.own(*args, **kwargs)
        finally:
            profile.leave()


_stages = list[_Stage]()


def _measured(*args: Any, _stage: _Stage, **kwargs: Any) -> Any:
    return _stage.call(args, kwargs)


def stage(name: str) -> Callable[[Function], Function]:
    """Return a decorator that marks a function as a stage. The function must not be a closure."""

    def decorate(function: Function) -> Function:
        assert isinstance(function, FunctionType)
        _stages.append(_Stage(name, function))
        if _current is not None:
            _stages[-1].begin()
        return function

    return decorate
