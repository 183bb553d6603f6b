"""Stand in for `cython` where the kernel runs uncompiled and Cython is not installed.

Types and decorators mean nothing to plain Python: a type is a name, and a decorator returns what it is given.
"""

from collections.abc import Callable
from typing import Any, Self, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

compiled = False


class _Type:
    """A C type, an array of it (`cython.int[::1]`), or a constant one (`cython.const[cython.int]`)."""

    def __getitem__(self, _: object) -> Self:
        return self


int = uint = char = uchar = longlong = ulonglong = Py_ssize_t = bint = void = double = float = short = const = _Type()


def cfunc(function: F) -> F:
    """Compiled: a C function. Here: the function."""
    return function


inline = ccall = cclass = final = cfunc


class _NoGil:
    """Compiled: a function that may run without the GIL, or `with`: what does. Here: nothing."""

    def __call__(self, function: F) -> F:
        return function

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


nogil = _NoGil()


def exceptval(*_: object, check: bool = True) -> Callable[[F], F]:
    """Compiled: how a C function reports an exception. Here: it raises."""
    return cfunc


def declare(_: object, value: Any = None) -> Any:
    """Compiled: a C variable. Here: its value."""
    return value


def cast(_: object, value: Any) -> Any:
    """Compiled: the value as another C type. Here: the value."""
    return value
