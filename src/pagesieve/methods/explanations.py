"""Explain in words which features contributed most to the block model's score of a line.

A score is the sum of changes at the nodes on the paths through all trees. Each change is attributed to the feature that
selected the branch. The changes are summed by groups of features, and the explanation names the groups with the largest
contributions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.lines.feature_table import FIRST_NAMES, INSIDE
from pagesieve.page.table import Page

if TYPE_CHECKING:
    from pagesieve.page.kernel.lines.words import WordTable

MAX_LINES = 5000  # of a page: nobody reads more reasons, and they cost far more time than everything else
MAX_NAME_LENGTH = 2000  # characters of a class or an id that are read
MAX_GROUPS = 3  # in an explanation
MIN_MOVE = 0.08  # share of the largest contribution, below which groups are not named
_OWN_FIRST = "first"  # the group of the first forest's likelihood, which is replaced by that forest's contributions
_MANY = 3  # similar lines

# Patterns of the names of features, for each group; the first that matches counts.
GROUPS = {
    name: re.compile(rf"^(?:{pattern})$")
    for name, pattern in {
        "links": r"(.+_)?links|link_count",
        "sentences": r"marks|mark_count|stop|capitals|ideographs|(next|within).*_(marks|stop)",
        "numbers": r"digits|dates|prices",
        "length": r"chars|words|texts|word_size|share|of_longest",
        "comments": r"(page_)?in_comments",
        "page": r"page_.*",
        "names": r"words_.*",
        "wording": r"text_.*",
        "headline": r"title_.*|from_h1|has_h1|from_heading|heading_.*",
        "place": r"line|before|unlinked_before|from_longest|depth",
        "hidden": r"hidden",
        "element": r"is_.*|in_.*",
        "list": r"list_.*",
        "table": r"table_.*",
        "article": r"article_.*",
        "repeats": r"(alike|same|path|style).*",
        "stated": r"said_.*",
        "likely": r"first.*",
        "surroundings": r".*",
    }.items()
}
# Words for the elements that may contain a line.
_ELEMENTS = {
    "nav": "a navigation",
    "header": "a page header",
    "footer": "a page footer",
    "aside": "an aside",
    "form": "a form",
    "article": "an article element",
    "main": "the main element",
    "list": "a list",
    "table": "a table",
    "quote": "a quotation",
    "figure": "a figure",
    "heading": "a heading",
    "code": "code",
    "details": "a part that can be opened",
}
# The words of each group for a contribution towards content, and for one against it.
_SAID = {
    "sentences": ("written in sentences", "not written in sentences"),
    "numbers": ("few numbers", "numbers, dates or prices"),
    "length": ("a long text", "a short text"),
    "comments": ("not among comments", "among what looks like comments"),
    "page": ("likely on such a page", "unlikely on such a page"),
    "wording": ("begins like a text", "begins like a notice or a link"),
    "headline": ("close to the headline", "far from the headline, or below another"),
    "place": ("where the text of the page is", "away from the text of the page"),
    "hidden": ("not hidden", "hidden"),
    "list": ("in such a list", "in such a list"),
    "table": ("in such a table", "in such a table"),
    "article": ("in the element of the article", "not in the element of the article"),
    "stated": ("in a text that the page states", "not in the text that the page states"),
    "likely": ("amid likely lines", "far from the article"),
    "surroundings": ("amid text", "amid short lines"),
}

_PLACES = {name: place for place, name in enumerate(FIRST_NAMES)}


class Values(Protocol):
    """The features of a line by their names."""

    def __getitem__(self, name: str, /) -> float: ...


Telling = tuple[float, str | None]  # the score of a word, and the word
_NONE: Telling = (0.0, None)


@cache
def _groups(names: tuple[str, ...]) -> NDArray[np.int32]:
    """Return the number of each feature's group; the likelihood of the first forest is the last group."""
    patterns = list(GROUPS.values())
    numbers = [next(k for k, each in enumerate(patterns) if each.fullmatch(name)) for name in names]
    return np.array(
        [len(patterns) if name == _OWN_FIRST else number for name, number in zip(names, numbers, strict=True)],
        dtype=np.int32,
    )


def moved_groups(first: Forest, second: Forest, values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the contribution of each group of features to the score of each line."""
    moves = second.moves(values, _groups(second.names))
    own, moves = moves[:, -1], moves[:, :-1]
    before = first.moves(values[:, : len(first.names)], _groups(second.names)[: len(first.names)])
    total = before.sum(axis=1)
    # The first forest uses the same features.
    moves[:, : before.shape[1]] += before * np.divide(own, total, out=np.zeros_like(own), where=total != 0)[:, None]
    moves[total == 0, list(GROUPS).index("likely")] += own[total == 0]
    return moves


def chosen_groups(moves: NDArray[np.float64], kept: bool) -> list[list[str]]:
    """Return for each line the groups with the largest contributions to its decision, the largest first."""
    towards = moves if kept else -moves
    order = np.argsort(-towards, axis=1, kind="stable")[:, :MAX_GROUPS]
    strongest = np.take_along_axis(towards, order, axis=1)
    named = strongest > np.maximum(MIN_MOVE * strongest[:, :1], 0)
    names = list(GROUPS)
    return [
        [names[group] for group, is_named in zip(groups, line, strict=True) if is_named]
        for groups, line in zip(order.tolist(), named.tolist(), strict=True)
    ]


def say_groups(groups: Sequence[str], values: Values, kept: bool, name: str | None) -> str:
    """Return the contributions of groups to the decision about a line in words; the text may be empty.

    `name` is the class or id with the largest contribution.
    """
    said = [_say(group, values, kept, name) for group in groups]
    return ", ".join(dict.fromkeys(filter(None, said)))


def _say(group: str, values: Values, kept: bool, name: str | None) -> str | None:
    if group == "links":
        many = ("among links", "mostly links")[values["links"] > 0.5]
        return "few links" if kept else many
    if group == "names":
        return f"in an element called {name}" if name else None
    if group == "element":
        inside = next((_ELEMENTS[each] for each in reversed(INSIDE) if values[f"in_{each}"]), "no special element")
        return "a paragraph" if values["is_0"] else f"in {inside}"
    if group == "repeats":
        alike = int(values["style_lines"])
        few = "one of its kind" if kept else "unlike the text of the page"
        return f"one of {alike} lines alike" if alike >= _MANY else few
    towards, away = _SAID[group]
    return towards if kept else away


@dataclass(frozen=True, slots=True, eq=False)
class Explainer:
    """Explains the decisions of two forests about the lines of a page. Pickling keeps only the words."""

    page: Page
    rows: NDArray[np.intp]  # the first row of each line
    values: NDArray[np.float32]  # the features of each line
    first: Forest
    second: Forest
    words: WordTable
    seen: tuple[dict[int, Telling], dict[int, Telling]] = field(default_factory=lambda: ({0: _NONE}, {0: _NONE}))
    # The groups for dropped and for kept lines, which are computed for all lines at once on first use.
    groups: list[list[list[str]]] = field(default_factory=list)

    def __call__(self, line: int, kept: bool) -> str:
        """Return the explanation for a line, or an empty text if the page has too many lines."""
        if len(self.rows) > MAX_LINES:
            return ""
        if not self.groups:
            moves = moved_groups(self.first, self.second, self.values)
            # Both at once, since several threads may call this.
            self.groups.extend([chosen_groups(moves, False), chosen_groups(moves, True)])
        chosen = self.groups[kept][line]
        name = None
        if "names" in chosen:
            name = telling_name(self.page, int(self.rows[line]), self.words, kept, self.seen[kept])
        return say_groups(chosen, _Line(self.values[line]), kept, name)

    def __reduce__(self) -> tuple[type[_Explained], tuple[list[tuple[str, str]]]]:
        return _Explained, ([(self(line, False), self(line, True)) for line in range(len(self.rows))],)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """The features of a line by their names."""

    values: NDArray[np.float32]

    def __getitem__(self, name: str) -> float:
        return float(self.values[_PLACES[name]])


@dataclass(frozen=True, slots=True)
class _Explained:
    """The explanations in words."""

    said: list[tuple[str, str]]

    def __call__(self, line: int, kept: bool) -> str:
        return self.said[line][kept]


# The most telling name

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def telling_name(
    page: Page,
    row: int,
    words: WordTable,
    positive: bool,
    seen: dict[int, Telling] | None = None,
) -> str | None:
    """Return the word in the classes and ids around a row with the highest score for content, or against it.

    `words` is the table of words of a model. `seen` caches the results for the surrounding elements. The result is None
    if no word has a score of that sign.
    """
    seen, way = {0: _NONE} if seen is None else seen, list[int]()
    while row not in seen:
        way.append(row)
        row = int(page.parent[row])
    best = seen[row]
    for row in reversed(way):
        own = _most_telling(page, row, words, positive)
        best = seen[row] = own if own[1] is not None and own[0] >= best[0] else best
    return best[1]


def _most_telling(page: Page, row: int, words: WordTable, positive: bool) -> Telling:
    """Return the score of the most telling word in an element's own names, and the word."""
    best, found = 0.0, None
    for value in (page.attribute(row, "class"), page.attribute(row, "id")):
        for word in _WORD.findall(value[:MAX_NAME_LENGTH] if value else ""):
            score = kernel.lines.words.class_score(word.encode(), words) * (1 if positive else -1)
            if score > best:
                best, found = score, word
    return best, found
