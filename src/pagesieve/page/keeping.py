"""What is found out about a page once, and kept with it."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from pagesieve.page.table import Page

T = TypeVar("T")


def kept(read: Callable[[Page], T]) -> Callable[[Page], T]:
    """Let a function of a page do its work once for each page; its answer is kept with the page."""
    name = f"_kept_{read.__module__}.{read.__name__}"

    @wraps(read)
    def answer(page: Page) -> T:
        known: dict[str, T] = page.__dict__
        if name not in known:
            known[name] = read(page)
        return known[name]

    return answer
