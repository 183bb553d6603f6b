"""What the scripts of a page hold for it to be shown: objects, lists and texts, in JSON or as JavaScript writes them.

Scripts are never run. What is JSON is taken whole; the rest is read sign by sign: brackets, keys and texts count, all
else (numbers, names, functions) is passed over. So nothing is too broken to be read, and a page that is up to something
costs no more than its size, up to a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import numpy as np

from pagesieve.page.kernel.tags import TAG_ID
from pagesieve.page.table import Page

MOST_BYTES = 4_000_000  # of the scripts of a page that are read
MOST_PARTS = 200_000  # texts, keys and brackets that are read sign by sign
MOST_TRIALS = 200  # of taking for JSON what is none,
DEAR = 25  # trials that one counts for that ends late
LEAST_BYTES = 400  # a shorter script holds no article
DEEPEST = 200  # what is nested further is left out

Data = Any  # a text, a list of data, or an object: a dict of data

_SCRIPT = TAG_ID["script"]
# A text and whether it is a key, a key without quotes, a bracket. Texts end with their line at the latest.
_PART = re.compile(
    r'"([^"\\\n]*(?:\\.[^"\\\n]*)*)"(\s{0,20}:)?'
    r"|'([^'\\\n]*(?:\\.[^'\\\n]*)*)'(\s{0,20}:)?"
    r"|(?<![\w$])([A-Za-z_$][\w$]{0,60})\s{0,20}:"
    r"|([\[{])|[\]}]"
)
_JSON = re.compile(r"\{\s{0,20}[\"}]|\[\s{0,20}[\"\[{\]\d\-tfn]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "v": "", "0": ""}
_SURROGATES = re.compile("[\ud800-\udfff]")
_QUOTED = ("{", "[", "%7B", "%5B")  # what data begin with that stand in a text
# Numbers say nothing here, and a number of a million digits would take long to read.
_DECODER = json.JSONDecoder(strict=False, parse_int=bool, parse_float=bool)


@dataclass(slots=True)
class Budget:
    """How much more of a page's scripts is read."""

    size: int = MOST_BYTES
    parts: int = MOST_PARTS
    trials: int = MOST_TRIALS


def scripts_with(page: Page, words: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Where in the page's texts the scripts are in which one of some words stands; short ones are passed over."""
    rows = np.flatnonzero(page.tag == _SCRIPT)
    starts, stops = page.text_at[rows], page.text_at[page.end[rows]]
    long = stops - starts >= LEAST_BYTES
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        if any(page.text_buffer.find(word, start, stop) >= 0 for word in words):
            yield start, stop


def script_data(page: Page, words: Sequence[bytes]) -> Iterator[list[Data]]:
    """The data of the scripts in which one of some words stands."""
    budget = Budget()
    for start, stop in scripts_with(page, words):
        if stop - start <= budget.size:
            budget.size -= stop - start
            yield read_data(page.text_buffer[start:stop].decode("utf-8", "replace"), budget)


def read_data(source: str, budget: Budget | None = None) -> list[Data]:
    """The objects, lists and texts of a source that are not inside of others."""
    return _Reader(source, budget or Budget()).read()


@dataclass(slots=True)
class _Reader:
    """Reads one source, with a stack of what is open."""

    source: str
    budget: Budget
    root: list[Data] = field(default_factory=list)
    open: list[Data] = field(default_factory=list)
    beyond: int = 0  # brackets that are open too deep
    key: str = ""

    def read(self) -> list[Data]:
        self.open.append(self.root)
        at, budget = 0, self.budget
        while budget.parts > 0 and (match := _PART.search(self.source, at)):
            budget.parts -= 1
            double, is_key, single, is_single_key, name, opening = match.groups()
            text = single if double is None else double
            if opening:
                at = self._take_json(match.start()) or self._open(opening, match.end())
                continue
            at = match.end()
            if name or is_key or is_single_key:
                self.key = name or text_in(text)
            elif text is not None:
                self._put(text_in(text))
            else:
                self._close()
        return self.root

    def _take_json(self, at: int) -> int:
        """Takes the JSON value that begins here; returns where it ends, or 0 where there is none."""
        if self.budget.trials <= 0 or not _JSON.match(self.source, at):
            return 0
        try:
            value, end = _DECODER.raw_decode(self.source, at)
        except json.JSONDecodeError as error:
            self.budget.trials -= DEAR if error.pos - at > LEAST_BYTES else 1
            return 0
        except (ValueError, RecursionError):
            self.budget.trials = 0
            return 0
        self._put(value)
        return int(end)

    def _open(self, bracket: str, end: int) -> int:
        if self.beyond or len(self.open) >= DEEPEST:
            self.beyond += 1
        else:
            new: Data = {} if bracket == "{" else []
            self._put(new)
            self.open.append(new)
        return end

    def _close(self) -> None:
        self.key = ""
        if self.beyond:
            self.beyond -= 1
        elif len(self.open) > 1:
            self.open.pop()

    def _put(self, value: Data) -> None:
        where, key, self.key = self.open[-1], self.key, ""
        if self.beyond:
            return
        if isinstance(where, list):
            where.append(value)
        else:
            where[key or str(len(where))] = value


def unquoted(text: str) -> list[Data]:
    """The data that stand in a text, as for JSON.parse; none where it is just a text."""
    if not LEAST_BYTES <= len(text) <= MOST_BYTES or not text.startswith(_QUOTED):
        return []
    return read_data(unquote(text) if text.startswith("%") else text)


def text_in(raw: str) -> str:
    """A text as it is meant: escapes resolved, halves of surrogate pairs put together or replaced."""
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(_resolved, raw)
    if _SURROGATES.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _resolved(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    return chr(int(digits, 16)) if digits else _CONTROLS.get(match[3], match[3])
