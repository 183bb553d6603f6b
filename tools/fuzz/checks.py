"""What a target says where something is wrong."""

from __future__ import annotations


class Fault(AssertionError):
    """What must hold for every input does not hold for this one."""


def check(holds: bool, what: str) -> None:
    """Raise Fault where something does not hold."""
    if not holds:
        raise Fault(what)
