"""What is kept of a page, decided by its units: whole lists and tables, headings with their sections, whole posts.

The model says how likely each line is content. That is evidence about the units that the lines are in: a list or table
is kept or dropped whole, a heading follows its section, an embedded post amid the article is part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pagesieve.methods.stories import MIN_OTHERS, other_stories
from pagesieve.page import kernel
from pagesieve.page.kernel.lines import unit_table
from pagesieve.page.lines import Blocks, as_mask
from pagesieve.page.units import KINDS, Units
from pagesieve.selection import Fate
from pagesieve.stages import stage

if TYPE_CHECKING:
    from pagesieve.page.kernel.lines.deciding import Rules
    from pagesieve.page.table import Bools, Page


class UnitOptions(NamedTuple):
    """When a unit decides about its lines. The values were measured on eleven sets (docs/methods/auto.md)."""

    # A list, definition list or data table, by the share of its characters that the model keeps, is kept whole from
    # the first on, dropped whole below the second, and in between kept if its mean likelihood reaches the third.
    keep_share: float = 0.5
    drop_share: float = 0.3
    mean: float = 0.4
    most_share: float = 0.5  # one with more than this share of what is kept on the page is not dropped
    # One that was dropped is kept after all amid the article (see `reach`) if its mean likelihood reaches this, and at
    # most this share of it is links: ingredients, results, opening hours.
    list_mean: float = 0.15
    list_links: float = 0.2
    # It is looked into instead where its parts have more lines and characters than these, on average.
    part_lines: int = 3
    part_chars: int = 150
    row_share: float = 0.2  # the row of a table that was looked into is kept whole from this share on
    # A value whose label ("Type:") is kept is kept too from this likelihood on; otherwise the label is dropped.
    value_likelihood: float = 0.3
    # A post, a quotation or a figure is amid the article if lines are kept so close before and after it, and its mean
    # likelihood reaches this.
    reach: int = 2
    amid_mean: float = 0.05
    figure_mean: float = 0.4  # the same of a figure: the captions of pictures are in some golds, and not in others
    alike_mean: float = 0.3  # and of one where another figure amid the article is kept: captions are kept alike
    # A line of at most so many characters, between kept ones of at least so many, with a likelihood from this on.
    short_line: int = 200
    long_line: int = 80
    short_likelihood: float = 0.4
    # A heading is kept if this share of its section is, and its own likelihood reaches this.
    section_share: float = 0.4
    heading_likelihood: float = 0.3


DEFAULT = UnitOptions()


def _nothing_more(line: int, kept: bool) -> str:
    """Say nothing of what moved the model."""
    return ""


@dataclass(frozen=True, eq=False)
class LineDecisions:
    """Which lines of a page are kept, and which units decided that."""

    blocks: Blocks
    numbers: Any  # the table of the units, as the kernel made it
    likelihood: Any  # a number for each line
    threshold: float
    marks: Any  # whether each line is kept: a byte each
    rules: Sequence[int]  # what decided about each line: the BY_ constants of `kernel.lines.unit_table`
    deciding: Sequence[int]  # the unit that did, by its number
    why: Callable[[int, bool], str]  # what moved the model to keep or drop a line
    shares: dict[int, tuple[float, float]] = field(default_factory=dict)  # of the units that were asked about

    @classmethod
    def of(
        cls,
        blocks: Blocks,
        likelihood: Any,
        threshold: float,
        found: tuple[Any, Any, Any, Any],
        why: Callable[[int, bool], str] = _nothing_more,
    ) -> LineDecisions:
        """Return what the kernel has decided."""
        units, kept, rules, deciding = found
        return cls(blocks, units, likelihood, threshold, kept, rules, deciding, why)

    @cached_property
    def kept(self) -> Bools:
        """Whether each line is kept."""
        return as_mask(self.marks)

    @cached_property
    def units(self) -> Units:
        """The units of the page."""
        return Units.of(self.numbers)

    def reason(self, line: int) -> str:
        """Return why a line is kept or dropped."""
        rule = int(self.rules[line])
        if rule == unit_table.BY_MODEL:
            return self._by_model(line)
        unit = int(self.deciding[line])
        told = self._whole(rule, unit, line) if rule in _OF_LISTS else self._told(rule, line)
        return f"{told} ({_short(self._number(rule, unit, line))})"

    def fate(self, line: int) -> Fate:
        """Return what became of a line, as a kind."""
        if self.marks[line]:
            return "article"
        return _FATES.get(int(self.rules[line]), "rule")

    def evidence(self, line: int) -> dict[str, float]:
        """Return the numbers that decided: how likely the line is, what was needed, and the share of its unit."""
        numbers = {"likelihood": float(self.likelihood[line]), "threshold": float(self.threshold)}
        rule, unit = int(self.rules[line]), int(self.deciding[line])
        if rule != unit_table.BY_MODEL and unit >= 0 and rule not in _BY_LIKELIHOOD:
            numbers["share"] = self._number(rule, unit, line)
        return numbers

    def _by_model(self, line: int) -> str:
        """Return what the model said of a line that no unit decided about."""
        kept = bool(self.marks[line])
        said = self.why(line, kept) or ("likely to be content" if kept else "unlikely to be content")
        return f"{said} ({_short(self.likelihood[line])}, {_short(self.threshold)} needed)"

    def _told(self, rule: int, line: int) -> str:
        kept, dropped = _TOLD[rule]
        return kept if self.marks[line] else dropped

    def _number(self, rule: int, unit: int, line: int) -> float:
        """Return what a rule went by: the likelihood of a line, or the share of a unit that the model keeps."""
        if unit < 0 or rule in _BY_LIKELIHOOD:
            return float(self.likelihood[line])
        return self._shares(unit)[0]

    def _shares(self, unit: int) -> tuple[float, float]:
        """Return the share of a unit's characters that the model keeps, and the share that is in links."""
        if unit not in self.shares:
            lines = slice(self.units.line[unit], self.units.line_end[unit])
            chars = self.blocks.chars[lines].tolist()
            pairs = zip(chars, self.likelihood[lines], strict=True)
            liked = sum(own for own, likelihood in pairs if likelihood >= self.threshold)
            linked, total = int(self.blocks.link_chars[lines].sum()), max(sum(chars), 1)
            self.shares[unit] = liked / total, linked / total
        return self.shares[unit]

    def _whole(self, rule: int, unit: int, line: int) -> str:
        """Return what a list or table is, and what became of it: "in a list of 12 links, dropped whole"."""
        kind, parts = int(self.units.kind[unit]), int(self.units.level[unit])
        linked = self._shares(unit)[1] > 0.5
        names = ("links" if linked else "items", "rows", "definitions")
        name = dict(zip(_WHOLES, names, strict=True))[kind]
        size = f" of {parts} {name}" if parts > 1 else f" of {name}" if linked else ""
        place = " amid the article" if rule == unit_table.BY_AMID else ""
        return f"in a {KINDS[kind]}{size}{place}, {'kept' if self.marks[line] else 'dropped'} whole"


_WHOLES = (unit_table.UNIT_LIST, unit_table.UNIT_TABLE, unit_table.UNIT_DEFINITIONS)
_OF_LISTS = (unit_table.BY_WHOLE, unit_table.BY_AMID)
_BY_LIKELIHOOD = (unit_table.BY_LINES, unit_table.BY_SECTION, unit_table.BY_VALUE)  # of the line itself
# What became of a line that is dropped, by the rule that did it.
_FATES: dict[int, Fate] = {unit_table.BY_MODEL: "model", unit_table.BY_STORY: "other"}
_FATES |= dict.fromkeys(_OF_LISTS, "list")
# What the rules say of a line that is kept, and of one that is dropped.
_TOLD = {
    unit_table.BY_ROW: ("in a row of a table of which some was kept", ""),
    unit_table.BY_TERM: ("a term whose description was kept", "a term whose description was dropped"),
    unit_table.BY_POST: ("in an embedded post amid the article", ""),
    unit_table.BY_QUOTATION: ("in a quotation amid the article", ""),
    unit_table.BY_FIGURE: ("in a figure amid the article", ""),
    unit_table.BY_CODE: ("in code of which some was kept", ""),
    unit_table.BY_LINES: ("a short line between two that were kept", ""),
    unit_table.BY_SECTION: ("heading of a section that was kept", "heading of a section that was dropped"),
    unit_table.BY_VALUE: ("a label and its value", "a label whose value was dropped"),
    unit_table.BY_STORY: ("", "part of another article on the page"),
}


def _short(number: float) -> str:
    """Return a number from 0 to 1 as two decimals: .12, 1.00."""
    return f"{number:.2f}"[int(number < 0.995) :]


@stage("decision")
def decide(
    blocks: Blocks,
    likelihood: Any,
    threshold: float,
    why: Callable[[int, bool], str] = _nothing_more,
    apart: Any = None,
    options: UnitOptions = DEFAULT,
) -> LineDecisions:
    """Return which lines of a page are kept, given how likely each is, and from which likelihood a line is kept.

    `why` says what moved the model to keep a line, or to drop it; `apart` marks lines of other articles on the page, a
    byte each.
    """
    found = kernel.lines.deciding.decide(blocks.page, blocks.columns, likelihood, threshold, apart, rules(options))
    return LineDecisions.of(blocks, likelihood, threshold, found, why)


def _other_stories(page: Page, lines: tuple[Any, Any, int], units: Any, likelihood: Any, threshold: float) -> bytearray:
    return other_stories(Blocks.of_columns(page, lines), units, likelihood, threshold)


@cache
def rules(options: UnitOptions = DEFAULT) -> Rules:
    """Return options as the kernel takes them."""
    return kernel.lines.deciding.Rules(options, _other_stories, MIN_OTHERS + 1)
