"""Options: each is declared once, as a field of a frozen dataclass, with its default, its help and its choices.

The options of commands, the models of the service and the tables of the documentation are made from these fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any


def option(default: Any, help: str, choices: Sequence[str] = ()) -> Any:
    """Return the field of an option, as the command line, the service and the documentation describe it."""
    return field(default=default, metadata={"help": help, "choices": choices})


def same_option(options: type, name: str) -> Any:
    """Return the field of an option that another class declares, with the same default, help and choices."""
    declared = options.__dataclass_fields__[name]  # type: ignore[attr-defined]
    return option(declared.default, **declared.metadata)
