"""What the kernel's modules use of `cython` when they run uncompiled and Cython is not installed.

Types and decorators that mean nothing to plain Python: each stands for itself or hands back what it gets.
"""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

compiled = False

int = int
uint = int
char = int
uchar = int
longlong = int
ulonglong = int
Py_ssize_t = int
bint = bool
void = None
double = float
float = float
short = int


def cfunc(function: F) -> F:
    """Compiled: a C function. Here: the function."""
    return function


inline = ccall = cclass = cfunc


def boundscheck(_: bool) -> Callable[[F], F]:
    """Compiled: whether indices are checked. Here: they always are."""
    return cfunc


wraparound = initializedcheck = cdivision = nonecheck = boundscheck


def exceptval(*_: object, check: bool = True) -> Callable[[F], F]:
    """Compiled: how a C function reports an exception. Here: it raises."""
    return cfunc


def declare(_: object, value: Any = None) -> Any:
    """Compiled: a C variable. Here: its value."""
    return value


def cast(_: object, value: Any) -> Any:
    """Compiled: the value as another C type. Here: the value."""
    return value
