"""Small functions that several kernel modules share; `common.pxd` has their types."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

_MASK = 0xFFFFFFFFFFFFFFFF


def as_column(column: Any) -> Any:
    """Return a column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    if cython.compiled or isinstance(column, list):
        return column
    return column.tolist() if hasattr(column, "tolist") else column


def int_room(count):
    """Return room for so many numbers, whatever they are now."""
    return np.empty(count, dtype=np.int32) if cython.compiled else array("i", bytes(4 * count))


def int_zeros(count):
    """Return so many zeros."""
    return np.zeros(count, dtype=np.int32) if cython.compiled else array("i", bytes(4 * count))


def times(a, b):
    """Multiply two digests."""
    return a * b if cython.compiled else (a * b) & _MASK


def plus(a, b):
    """Add two digests."""
    return a + b if cython.compiled else (a + b) & _MASK


def mix(digest, value):
    """Mix a value into a digest."""
    prime: cython.ulonglong = 0x100000001B3
    digest = times(digest ^ value, prime)
    return digest ^ (digest >> 29)


def scatter(digest):
    """Spread a change of any bit over all bits, so that sums of digests do not cancel out."""
    factor: cython.ulonglong = 0xD6E8FEB86659FD93
    digest = times(digest ^ (digest >> 32), factor)
    digest = times(digest ^ (digest >> 32), factor)
    return digest ^ (digest >> 32)


def is_space(c):
    """Whether a byte is white space of HTML."""
    return c == 32 or 9 <= c <= 13
