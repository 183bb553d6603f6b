"""Align the lines of a page's Markdown with its units. Both are in the same order, so one pass is enough."""

from __future__ import annotations

import re
from collections.abc import Sequence

AHEAD = 60  # units that are looked at for a line
MIN_LETTERS = 8  # letters of a unit that counts wherever it stands in a line, not only at its beginning

_NOT_TEXT = re.compile(r"^\s*(?:[-*+>#|\s]|\d+[.)]\s)*|\[\^[^\[\]]*\]:?|\]\([^)\s\]]*\)")  # marks, notes, addresses


def align(lines: Sequence[str], texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each line the numbers of the texts in it, possibly none."""
    rest = [_letters(text) for text in texts]
    matches: list[tuple[int, ...]] = []
    at = 0
    for line in lines:
        taken = _taken(_letters(_NOT_TEXT.sub("", line)), rest, at)
        matches.append(tuple(taken))
        if taken:
            at = taken[-1] + (not rest[taken[-1]])
    return matches


def _taken(line: str, rest: list[str], at: int) -> list[int]:
    """Return the texts of a line from a position on, and remove from `rest` the part of them that is in the line."""
    taken: list[int] = []
    for k in range(at, min(at + AHEAD, len(rest))):
        if not line:
            break
        text = rest[k]
        place = line.find(text) if text else -1
        if place == 0 or (place > 0 and len(text) >= MIN_LETTERS):
            taken.append(k)
            line, rest[k] = line[place + len(text) :], ""
        elif text.startswith(line):
            taken.append(k)
            line, rest[k] = "", text[len(line) :]
    return taken


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which Markdown does not change."""
    return "".join(filter(str.isalnum, text))
