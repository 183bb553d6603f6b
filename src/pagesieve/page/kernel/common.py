"""Small functions that several kernel modules share, as the uncompiled kernel has them; `common.pxd` says more."""

from __future__ import annotations

from array import array
from typing import Any

from pagesieve.page.kernel.constants import *

_MASK = 0xFFFFFFFFFFFFFFFF


def zeros(code: str, count: int) -> array[Any]:
    """Return an array of so many zeros, given its type code."""
    return array(code, bytes(array(code).itemsize * count))


def as_column(column: Any) -> Any:
    """Return a column as a list, which is what Python reads fastest."""
    return column.tolist() if hasattr(column, "tolist") else column


def times(a: int, b: int) -> int:
    """Multiply two digests."""
    return (a * b) & _MASK


def plus(a: int, b: int) -> int:
    """Add two digests."""
    return (a + b) & _MASK


def fnv_seed() -> int:
    """Return what a digest begins with."""
    return 0xCBF29CE484222325


def fnv(digest: int, value: int) -> int:
    """Add a value to a digest by FNV-1a."""
    return ((digest ^ value) * 0x100000001B3) & _MASK


def mix(digest: int, value: int) -> int:
    """Add a value to a digest, the high bits mixed into the low ones."""
    digest = fnv(digest, value)
    return digest ^ (digest >> 29)


def scatter(digest: int) -> int:
    """Spread a change of any bit over all bits, so that sums of digests do not cancel out."""
    digest = times(digest ^ (digest >> 32), 0xD6E8FEB86659FD93)
    digest = times(digest ^ (digest >> 32), 0xD6E8FEB86659FD93)
    return digest ^ (digest >> 32)


def is_space(c: int) -> bool:
    """Whether a byte is white space of HTML."""
    return c == SPACE or TAB <= c <= CARRIAGE_RETURN


def is_wide_space(code: int) -> bool:
    """Whether a code point beyond ASCII is white space."""
    return code in (NO_BREAK_SPACE, IDEOGRAPHIC_SPACE)


def is_digit(c: int) -> bool:
    """Whether a byte is a digit."""
    return DIGIT_0 <= c <= DIGIT_9


def is_letter(c: int) -> bool:
    """Whether a byte is a letter of ASCII."""
    return LOWER_A <= (c | 0x20) <= LOWER_Z


def utf8_width(first: int) -> int:
    """Return how many bytes a character beyond ASCII has, by the first of them."""
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def utf8_code(text: bytes, i: int, stop: int) -> int:
    """Return the code point of a character beyond ASCII; NO_CHARACTER for one of four bytes or that is cut off."""
    first = text[i]
    if first < 0xE0 and i + 1 < stop:
        return (first & 0x1F) << 6 | (text[i + 1] & 0x3F)
    if 0xE0 <= first < 0xF0 and i + 2 < stop:
        return (first & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | (text[i + 2] & 0x3F)
    return NO_CHARACTER
