"""Make a case that finds a fault smaller, as long as it finds the same one."""

from __future__ import annotations

from collections.abc import Callable

MAX_ATTEMPTS = 2000


def shrunk(data: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Return a small part of a case for which `still` holds: pieces are left out, ever smaller ones."""
    attempts, size = 0, len(data) // 2
    while size and attempts < MAX_ATTEMPTS:
        at, smaller = 0, False
        while at < len(data) and attempts < MAX_ATTEMPTS:
            tried = data[:at] + data[at + size :]
            attempts += 1
            if still(tried):
                data, smaller = tried, True
            else:
                at += size
        if not smaller:
            size //= 2
    return data
