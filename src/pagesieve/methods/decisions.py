"""Decide which lines of a page are kept, by its units: whole lists and tables, headings with their sections, posts.

The likelihoods of the lines are evidence about the units that contain them. A list or table is kept or dropped whole,
a heading follows its section, and an embedded post inside the article is part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pagesieve.methods.features import MIN_OTHERS, other_stories
from pagesieve.page import kernel
from pagesieve.page.kernel.lines import unit_table
from pagesieve.page.lines import KINDS, Blocks, Units, as_mask
from pagesieve.selection import Fate
from pagesieve.stages import stage

if TYPE_CHECKING:
    from pagesieve.page.kernel.lines.deciding import Rules
    from pagesieve.page.table import Bools, Page


class UnitOptions(NamedTuple):
    """The rules for units. The values were measured on eleven sets (docs/methods/auto.md)."""

    # A list, definition list or data table is kept whole if the model keeps the first share of its characters, dropped
    # whole below the second share, and in between kept if its mean likelihood reaches the third number.
    keep_share: float = 0.5
    drop_share: float = 0.3
    mean: float = 0.4
    most_share: float = 0.5  # a unit with more than this share of the kept text is not dropped
    # A dropped unit inside the article (see `reach`) is kept after all if its mean likelihood reaches the first number,
    # and at most the second share of it is links: ingredients, results, opening hours.
    list_mean: float = 0.15
    list_links: float = 0.2
    # If its parts have more lines and characters on average than these, they are decided one by one instead.
    part_lines: int = 3
    part_chars: int = 150
    row_share: float = 0.2  # a row of a table whose rows are decided one by one is kept whole from this share on
    # A value whose label ("Type:") is kept is kept from this likelihood on; otherwise the label is dropped, too.
    value_likelihood: float = 0.3
    # A post, a quotation or a figure is inside the article if kept lines are so close before and after it. It is kept
    # if its mean likelihood reaches the second number.
    reach: int = 2
    amid_mean: float = 0.05
    figure_mean: float = 0.4  # the same for a figure: some golds have captions, and others do not
    alike_mean: float = 0.3  # and if another figure inside the article is kept, since captions are kept alike
    # A short line between two kept ones is kept: its maximum length, the minimum length of the others, its likelihood.
    short_line: int = 200
    long_line: int = 80
    short_likelihood: float = 0.4
    # A heading is kept if this share of its section is kept, and its own likelihood reaches the second number.
    section_share: float = 0.4
    heading_likelihood: float = 0.3


DEFAULT = UnitOptions()


def _nothing_more(line: int, kept: bool) -> str:
    """Return no explanation."""
    return ""


@dataclass(frozen=True, eq=False)
class LineDecisions:
    """The decisions about the lines of a page, and the units that made them."""

    blocks: Blocks
    numbers: Any  # the kernel's table of the units
    likelihood: Any  # a number for each line
    threshold: float
    marks: Any  # whether each line is kept: a byte each
    rules: Sequence[int]  # the rule that decided about each line: a BY_ constant of `kernel.lines.unit_table`
    deciding: Sequence[int]  # the number of the unit that decided
    why: Callable[[int, bool], str]  # returns the explanation for a line
    shares: dict[int, tuple[float, float]] = field(default_factory=dict)  # a cache of the shares of units

    @classmethod
    def of(
        cls,
        blocks: Blocks,
        likelihood: Any,
        threshold: float,
        found: tuple[Any, Any, Any, Any],
        why: Callable[[int, bool], str] = _nothing_more,
    ) -> LineDecisions:
        """Return the decisions of the kernel."""
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
        """Return why a line is kept or dropped, in words."""
        rule = int(self.rules[line])
        if rule == unit_table.BY_MODEL:
            return self._by_model(line)
        unit = int(self.deciding[line])
        told = self._whole(rule, unit, line) if rule in _OF_LISTS else self._told(rule, line)
        return f"{told} ({_short(self._number(rule, unit, line))})"

    def fate(self, line: int) -> Fate:
        """Return the category of the decision about a line."""
        if self.marks[line]:
            return "article"
        return _FATES.get(int(self.rules[line]), "rule")

    def evidence(self, line: int) -> dict[str, float]:
        """Return the numbers behind a decision: the likelihood of the line, the threshold, the share of its unit."""
        numbers = {"likelihood": float(self.likelihood[line]), "threshold": float(self.threshold)}
        rule, unit = int(self.rules[line]), int(self.deciding[line])
        if rule != unit_table.BY_MODEL and unit >= 0 and rule not in _BY_LIKELIHOOD:
            numbers["share"] = self._number(rule, unit, line)
        return numbers

    def _by_model(self, line: int) -> str:
        """Return the reason for a line about which the model decided, and no unit."""
        kept = bool(self.marks[line])
        said = self.why(line, kept) or ("likely to be content" if kept else "unlikely to be content")
        return f"{said} ({_short(self.likelihood[line])}, {_short(self.threshold)} needed)"

    def _told(self, rule: int, line: int) -> str:
        kept, dropped = _TOLD[rule]
        return kept if self.marks[line] else dropped

    def _number(self, rule: int, unit: int, line: int) -> float:
        """Return the number behind a rule: the likelihood of a line, or the share of a unit that the model keeps."""
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
        """Return the reason for a list or table: "in a list of 12 links, dropped whole"."""
        kind, parts = int(self.units.kind[unit]), int(self.units.level[unit])
        linked = self._shares(unit)[1] > 0.5
        names = ("links" if linked else "items", "rows", "definitions")
        name = dict(zip(_WHOLES, names, strict=True))[kind]
        size = f" of {parts} {name}" if parts > 1 else f" of {name}" if linked else ""
        place = " amid the article" if rule == unit_table.BY_AMID else ""
        return f"in a {KINDS[kind]}{size}{place}, {'kept' if self.marks[line] else 'dropped'} whole"


_WHOLES = (unit_table.UNIT_LIST, unit_table.UNIT_TABLE, unit_table.UNIT_DEFINITIONS)
_OF_LISTS = (unit_table.BY_WHOLE, unit_table.BY_AMID)
_BY_LIKELIHOOD = (unit_table.BY_LINES, unit_table.BY_SECTION, unit_table.BY_VALUE)  # rules by the line's likelihood
# The fate of a dropped line, by rule.
_FATES: dict[int, Fate] = {unit_table.BY_MODEL: "model", unit_table.BY_STORY: "other"}
_FATES |= dict.fromkeys(_OF_LISTS, "list")
# The words of each rule for a line that is kept, and for one that is dropped.
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
    """Decide which lines of a page are kept, by the likelihood of each line and the threshold.

    `why` returns the explanation of the model for a line. `apart` marks the lines of other articles on the page, with a
    byte for each line.
    """
    found = kernel.lines.deciding.decide(blocks.page, blocks.columns, likelihood, threshold, apart, rules(options))
    return LineDecisions.of(blocks, likelihood, threshold, found, why)


def _other_stories(page: Page, lines: tuple[Any, Any, int], units: Any, likelihood: Any, threshold: float) -> bytearray:
    return other_stories(Blocks.of_columns(page, lines), units, likelihood, threshold)


@cache
def rules(options: UnitOptions = DEFAULT) -> Rules:
    """Return options in the kernel's format."""
    return kernel.lines.deciding.Rules(options, _other_stories, MIN_OTHERS + 1)
