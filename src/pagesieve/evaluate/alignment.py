"""Which texts of a page are its answer: the page's words are aligned with those of the gold.

The gold says what the article is, not where it stands. The longest common subsequence of the two sequences of words
finds it, whatever was left out in between; where the gold has another order than the page, a text whose runs of words
stand in the gold belongs to it too.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from pagesieve.evaluate.metrics import tokens

RUN = 5  # words in a row that do not stand in the gold by chance
LEAST = 3  # words in a row that are aligned; fewer may be a menu's that fill a gap of the gold
MOST_CELLS = 2_000_000_000  # of the alignment's matrix of bits


def matched(texts: Sequence[str], wanted: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each text of a page, in order: how many words it has, and how many of them are the gold's.

    The gold is given as its words.
    """
    words = [tokens(text) for text in texts]
    hits = np.zeros(len(words), dtype=np.int64)
    rest = _align(words, wanted, hits)
    runs = frozenset(run for part in rest for run in _runs(part))
    for k, own in enumerate(words):
        if runs and hits[k] < len(own) >= RUN:
            hits[k] = max(hits[k], _in_runs(own, runs))
    return np.array([len(own) for own in words], dtype=np.int64), hits


def _align(words: Sequence[Sequence[str]], wanted: Sequence[str], hits: NDArray[np.int64]) -> list[Sequence[str]]:
    """Counts the aligned words of each text into `hits`; gives the parts of the gold that nothing is aligned with."""
    known = set(wanted)
    places = [(k, word) for k, own in enumerate(words) for word in own if word in known]
    if len(places) * len(wanted) > MOST_CELLS:
        return [wanted]
    rest = list[Sequence[str]]()
    for code in LCSseq.opcodes([word for _, word in places], list(wanted)):
        if code.tag == "equal" and code.src_end - code.src_start >= LEAST:
            np.add.at(hits, [places[i][0] for i in range(code.src_start, code.src_end)], 1)
        else:
            rest.append(wanted[code.dest_start : code.dest_end])
    return rest


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)]


def _in_runs(words: Sequence[str], runs: frozenset[tuple[str, ...]]) -> int:
    """How many of the words stand in a run that the gold has too."""
    found = bytearray(len(words))
    for i, run in enumerate(_runs(words)):
        if run in runs:
            found[i : i + RUN] = b"\1" * RUN
    return sum(found)
