"""What is found out about a page once, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from pagesieve.page.table import Page

T = TypeVar("T")


def kept(read: Callable[[Page], T]) -> Callable[[Page], T]:
    """Let a function of a page do its work once for each page; its answer is kept with the page."""

    @wraps(read)
    def answer(page: Page) -> T:
        known: dict[Callable[[Page], T], T] = page.__dict__.setdefault("_answers", {})
        if read not in known:
            known[read] = read(page)
        return known[read]

    return answer


class lazy(Generic[T]):
    """A property that is read when it is first asked for, and then kept with its object.

    It does without the lock of `functools.cached_property`, which takes longer than most of what is read.
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
