"""Values that are computed once for each page or object, and stored with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, Self, TypeVar, overload

P = TypeVar("P")  # a page
T = TypeVar("T")


def kept(read: Callable[[P], T]) -> Callable[[P], T]:
    """Decorate a function of a page so that its result is computed once and stored with the page."""

    @wraps(read)
    def answer(page: P) -> T:
        known: dict[Callable[[P], T], T] = page.__dict__.setdefault("_answers", {})
        if read not in known:
            known[read] = read(page)
        return known[read]

    return answer


class lazy(Generic[T]):
    """A property that is computed on first access and then stored with its object.

    Unlike `functools.cached_property`, it takes no lock, which would cost more than most values.
    """

    def __init__(self, read: Callable[[Any], T]) -> None:
        self.read, self.name, self.__doc__ = read, read.__name__, read.__doc__

    @overload
    def __get__(self, owner: None, sort: type) -> Self: ...
    @overload
    def __get__(self, owner: object, sort: type) -> T: ...
    def __get__(self, owner: object | None, sort: type) -> Self | T:
        if owner is None:
            return self
        value = owner.__dict__[self.name] = self.read(owner)
        return value
