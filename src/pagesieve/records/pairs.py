"""Labels and values that stand in one text, such as "97% Size: 4K Depth: 2": each label that recurs is a field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from pagesieve.records.filled import Filled

FEW = 3  # texts: fewer cannot tell what recurs
LABELLED = 0.8  # of the texts have each of two labels or more: then the text is made of pairs
LONGEST_VALUE = 30  # characters of a value, at most, in most texts: else it is prose
LEAST_LABELS = 2

_PARTING = re.compile(r"(?<!\s)\s+[-–—|·•]\s+|(?:(?<!\s)\s+)?[;\n]\s*")
_LABEL = re.compile(r"(?:(?<=\s)|^)([^\W\d_][\w/]{1,19})[:：]\s+(?=\S)")

Pair = tuple[str, str]  # label, empty for what has none, and value


def split_pairs(filled: Filled) -> list[Filled]:
    """Return the fields that the texts of a field are made of: what has no label, and each label; else none."""
    if len(filled.texts) < FEW or filled.field.listed or filled.label or not _has_colons(filled.texts):
        return []
    pairs = [list(_pairs(text)) for text in filled.texts]
    labels = _recurring(pairs)
    if not labels:
        return []
    told = [_by_label(each, labels) for each in pairs]
    names = {"": "", **{label: f"{label}:" for label in labels}}
    parts = [filled.part(name, [each.get(label, "") for each in told]) for label, name in names.items()]
    return [part for part in parts if part.texts]


def _has_colons(texts: Sequence[str]) -> bool:
    """Whether nearly all texts have colons; few fields do, so no more are looked at than it takes to know."""
    left = (1 - LABELLED) * len(texts)  # that may have none
    for text in texts:
        if text.count(":") + text.count("：") < LEAST_LABELS:
            left -= 1
            if left < 0:
                return False
    return True


def _recurring(pairs: Sequence[Sequence[Pair]]) -> list[str]:
    """Return the labels that recur, as they mostly follow each other; none where the texts are not made of pairs."""
    counts = Counter(label for each in pairs for label in dict.fromkeys(label for label, _ in each if label))
    if sum(count >= LABELLED * len(pairs) for count in counts.values()) < LEAST_LABELS:
        return []
    lengths = [len(value) for each in pairs for label, value in each if label]
    if sum(length > LONGEST_VALUE for length in lengths) > (1 - LABELLED) * len(lengths):
        return []
    places: dict[str, list[float]] = {label: [] for label, count in counts.items() if count >= FEW}
    for each in pairs:
        for k, (label, _) in enumerate(each):
            if label in places:
                places[label].append(k / len(each))
    return sorted(places, key=lambda label: fmean(places[label]))


def _pairs(text: str) -> Iterator[Pair]:
    """Cut a text into its labels and values."""
    for piece in _PARTING.split(text):
        found = list(_LABEL.finditer(piece))
        before = piece[: found[0].start()] if found else piece
        if before.strip():
            yield "", before.strip(" ,")
        for k, label in enumerate(found):
            end = found[k + 1].start() if k + 1 < len(found) else len(piece)
            yield label[1], piece[label.end() : end].strip(" ,")


def _by_label(pairs: Sequence[Pair], recurring: Sequence[str]) -> dict[str, str]:
    """Return the value of each label; what recurs in few texts, or a second time in one, goes with what has none."""
    found: dict[str, str] = {}
    rest: list[str] = []
    for label, value in pairs:
        if label in recurring and label not in found:
            found[label] = value
        else:
            rest.append(f"{label}: {value}" if label else value)
    return found | {"": " - ".join(rest)}
