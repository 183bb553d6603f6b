# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, infer_types=True
"""Decide what is kept of a page by its units, given how likely each line is content.

A few passes over the units: lists and tables, from the outside in; their parts; what is inserted in an article (posts,
quotations, figures, code); short lines; headings at last, since they follow what is below them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.lines.unit_table import *
from cython.cimports.pagesieve.page.kernel.lines.units import read_units
from cython.cimports.pagesieve.page.kernel.page.view import PageView, measured


class Rules:
    """When units decide about lines, and what tells which articles on a page are not its own."""

    def __init__(self, options: Any, others: Callable[[Any, Any, Any, Any, float], Any], least_stories: int) -> None:
        """Take over the options of `pagesieve.methods.decisions.UnitOptions`.

        Where at least `least_stories` units are articles, `others` is asked which of them are not the page's own, given
        the page, its lines and units, how likely the lines are, and from which likelihood one is kept.
        """
        self.others = others
        self.least_stories = least_stories
        self.keep_share = options.keep_share
        self.drop_share = options.drop_share
        self.most_share = options.most_share
        self.mean = options.mean
        self.row_share = options.row_share
        self.amid_mean = options.amid_mean
        self.figure_mean = options.figure_mean
        self.alike_mean = options.alike_mean
        self.short_likelihood = options.short_likelihood
        self.section_share = options.section_share
        self.heading_likelihood = options.heading_likelihood
        self.value_likelihood = options.value_likelihood
        self.list_mean = options.list_mean
        self.list_links = options.list_links
        self.part_lines = options.part_lines
        self.part_chars = options.part_chars
        self.reach = options.reach
        self.short_line = options.short_line
        self.long_line = options.long_line


@cython.final
@cython.cclass
class _Decision:
    """The lines of a page while it is decided about them."""

    units: cython.const[cython.int][::1]  # UNIT_COLUMNS numbers a unit
    chars: cython.const[cython.int][::1]
    linked: cython.const[cython.int][::1]
    likelihood: cython.const[cython.double][::1]
    count: cython.int
    lines: cython.int
    # By line: whether it is kept, what decided, and the unit that did.
    kept: cython.uchar[::1]
    why: cython.uchar[::1]
    by: cython.int[::1]
    # Before each line: characters, those kept, and characters times likelihoods.
    held: cython.double[::1]
    taken: cython.double[::1]
    weighed: cython.double[::1]
    rules: Rules

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set_up(
        self,
        units: cython.const[cython.int][::1],
        chars: cython.const[cython.int][::1],
        linked: cython.const[cython.int][::1],
        likelihood: cython.const[cython.double][::1],
        rules: Rules,
    ) -> cython.int:
        """Make the columns, given the units, and of each line its characters, those in links, and its likelihood."""
        self.units = units
        self.chars = chars
        self.linked = linked
        self.likelihood = likelihood
        self.count = units.shape[0] // UNIT_COLUMNS
        self.lines = chars.shape[0]
        size = self.lines + 1
        sums: cython.double[::1] = zeros("d", 3 * size)
        self.held, self.taken, self.weighed = sums[:size], sums[size : 2 * size], sums[2 * size :]
        self.rules = rules
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def get(self, unit: cython.int, column: cython.int) -> cython.int:
        """Return one number of a unit."""
        return self.units[unit * UNIT_COLUMNS + column]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_up(self) -> cython.void:
        """Fill in the running sums."""
        for line in range(self.lines):
            own = self.chars[line]
            self.held[line + 1] = self.held[line] + own
            self.taken[line + 1] = self.taken[line] + (own if self.kept[line] else 0)
            self.weighed[line + 1] = self.weighed[line] + own * self.likelihood[line]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share(self, first: cython.int, end: cython.int) -> cython.double:
        """Return the share of the characters of some lines that is kept, as of the last running sums."""
        held = self.held[end] - self.held[first]
        return (self.taken[end] - self.taken[first]) / held if held > 0 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def average(self, first: cython.int, end: cython.int) -> cython.double:
        """Return the mean likelihood of some lines, by their characters."""
        held = self.held[end] - self.held[first]
        return (self.weighed[end] - self.weighed[first]) / held if held > 0 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put(
        self, first: cython.int, end: cython.int, unit: cython.int, kept: cython.bint, why: cython.int
    ) -> cython.void:
        """Keep or drop some lines."""
        for line in range(first, end):
            self.kept[line] = kept
            self.why[line] = why
            self.by[line] = unit

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def any_kept(self, first: cython.int, end: cython.int) -> cython.bint:
        """Whether any of some lines is kept."""
        for line in range(max(first, 0), min(end, self.lines)):
            if self.kept[line]:
                return True
        return False

    # The model alone

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_likely(self, threshold: cython.double) -> cython.void:
        """Keep the lines that are likely enough."""
        for line in range(self.lines):
            self.kept[line] = self.likelihood[line] >= threshold

    # Articles

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop_apart(self, apart: cython.const[cython.uchar][::1] | None) -> cython.void:
        """Drop the lines below a heading that begins another article than the page's own."""
        for line in range(self.lines):
            if apart[line]:
                self.put(line, line + 1, -1, False, BY_STORY)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop_stories(self, others: cython.const[cython.uchar][::1]) -> cython.void:
        """Drop the units that are articles other than the page's own."""
        for unit in range(self.count):
            if others[unit]:
                self.put(self.get(unit, UNIT_LINE), self.get(unit, UNIT_LINE_END), unit, False, BY_STORY)

    # Lists and tables

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_lists(self) -> cython.void:
        """Keep or drop lists, definition lists and tables whole; what is inside of such a one is passed over."""
        end = 0  # of the lines that were decided about
        self.add_up()
        for unit in range(self.count):
            kind = self.get(unit, UNIT_KIND)
            if (kind == UNIT_LIST or kind == UNIT_TABLE or kind == UNIT_DEFINITIONS) and (
                self.get(unit, UNIT_LINE_END) > end and not self.is_looked_into(unit)
            ):
                self.decide_list(unit)
                end = self.get(unit, UNIT_LINE_END)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_looked_into(self, unit: cython.int) -> cython.bint:
        """Whether the parts of a list are long and of several lines: posts of a thread, records, cells of a layout."""
        parts = max(self.get(unit, UNIT_LEVEL), 1)
        first = self.get(unit, UNIT_LINE)
        end = self.get(unit, UNIT_LINE_END)
        return (
            end - first > self.rules.part_lines * parts
            and self.held[end] - self.held[first] > self.rules.part_chars * parts
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_list(self, unit: cython.int) -> cython.void:
        """Keep a list whole if enough of it is kept, or not much less and it is likely enough; else drop it whole.

        One that holds most of what is kept on the page is not dropped, but left to the model.
        """
        first = self.get(unit, UNIT_LINE)
        end = self.get(unit, UNIT_LINE_END)
        if self.why[first] == BY_STORY:
            return
        share = self.share(first, end)
        kept: cython.bint = share >= self.rules.keep_share or (
            share >= self.rules.drop_share and self.average(first, end) >= self.rules.mean
        )
        if kept or self.taken[end] - self.taken[first] <= self.rules.most_share * self.taken[self.lines]:
            self.put(first, end, unit, kept, BY_WHOLE)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_parts(self) -> cython.void:
        """Keep rows of tables whole, terms with their descriptions, and labels with their values."""
        self.add_up()
        for unit in range(self.count):
            kind = self.get(unit, UNIT_KIND)
            first = self.get(unit, UNIT_LINE)
            end = self.get(unit, UNIT_LINE_END)
            if end - first < 2 or self.why[first] != BY_MODEL:
                continue
            if kind == UNIT_GROUP:
                self.decide_group(unit)
            elif kind == UNIT_PAIR:
                self.decide_pair(unit)
            elif kind == UNIT_ROW and self.share(first, end) >= self.rules.row_share:
                self.put(first, end, unit, True, BY_ROW)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_group(self, unit: cython.int) -> cython.void:
        """Keep the terms of a group if a description is kept, and drop them if none is."""
        first = self.get(unit, UNIT_LINE)
        head_end = self.get(unit, UNIT_HEAD_END)
        described = self.any_kept(head_end, self.get(unit, UNIT_LINE_END))
        if head_end < self.get(unit, UNIT_LINE_END) and described != self.any_kept(first, head_end):
            self.put(first, head_end, unit, described, BY_TERM)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_pair(self, unit: cython.int) -> cython.void:
        """Keep the label of a kept value; of a kept label, keep the value if it is likely, or else drop the label."""
        label = self.get(unit, UNIT_LINE)
        if self.kept[label + 1] and not self.kept[label]:
            self.put(label, label + 1, unit, True, BY_VALUE)
        elif self.kept[label] and not self.kept[label + 1]:
            if self.likelihood[label + 1] >= self.rules.value_likelihood:
                self.put(label + 1, label + 2, unit, True, BY_VALUE)
            else:
                self.put(label, label + 1, unit, False, BY_VALUE)

    # What is inserted in an article

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_inserts(self) -> cython.void:
        """Keep posts, quotations, figures and code whole if some of it is kept; plain lists, too, amid what is kept."""
        end = 0  # of the last that was kept
        self.add_up()
        for unit in range(self.count):
            why = BY_AMID if self.is_plain_list(unit) else self.reason(self.get(unit, UNIT_KIND))
            first = self.get(unit, UNIT_LINE)
            if not why or self.get(unit, UNIT_LINE_END) <= end:
                continue
            least = self.least_mean(why)
            if self.share(first, self.get(unit, UNIT_LINE_END)) > 0 or (why != BY_CODE and self.is_amid(unit, least)):
                end = self.get(unit, UNIT_LINE_END)
                self.put(first, end, unit, True, why)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_figures_alike(self) -> cython.void:
        """Where a figure amid the article is kept, keep the others amid it that are a little less likely."""
        if not self.has_figure_amid():
            return
        for unit in range(self.count):
            if self.get(unit, UNIT_KIND) == UNIT_FIGURE and self.is_amid(unit, self.rules.alike_mean):
                first = self.get(unit, UNIT_LINE)
                end = self.get(unit, UNIT_LINE_END)
                if not self.any_kept(first, end) and self.why[first] == BY_MODEL:
                    self.put(first, end, unit, True, BY_FIGURE)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_figure_amid(self) -> cython.bint:
        """Whether a figure amid the article is kept."""
        for unit in range(self.count):
            if self.get(unit, UNIT_KIND) == UNIT_FIGURE and self.is_amid(unit, self.rules.figure_mean):
                if self.any_kept(self.get(unit, UNIT_LINE), self.get(unit, UNIT_LINE_END)):
                    return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_plain_list(self, unit: cython.int) -> cython.bint:
        """Whether a unit is a list or table that was dropped whole, and is not made of links."""
        first = self.get(unit, UNIT_LINE)
        if self.why[first] != BY_WHOLE or self.by[first] != unit or self.kept[first]:
            return False
        links = 0
        for line in range(first, self.get(unit, UNIT_LINE_END)):
            links += self.linked[line]
        return links <= self.rules.list_links * (self.held[self.get(unit, UNIT_LINE_END)] - self.held[first])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def least_mean(self, why: cython.int) -> cython.double:
        """Return the mean likelihood that a unit amid the article needs, by the rule."""
        if why == BY_AMID:
            return self.rules.list_mean
        return self.rules.figure_mean if why == BY_FIGURE else self.rules.amid_mean

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def reason(self, kind: cython.int) -> cython.int:
        """Return why what is inserted is kept, by its kind; 0 for other kinds."""
        if kind == UNIT_POST:
            return BY_POST
        if kind == UNIT_QUOTATION:
            return BY_QUOTATION
        if kind == UNIT_FIGURE:
            return BY_FIGURE
        return BY_CODE if kind == UNIT_CODE else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_amid(self, unit: cython.int, least: cython.double) -> cython.bint:
        """Whether lines are kept right before and after a unit, and its mean likelihood reaches `least`."""
        first = self.get(unit, UNIT_LINE)
        end = self.get(unit, UNIT_LINE_END)
        return (
            self.average(first, end) >= least
            and self.any_kept(first - self.rules.reach, first)
            and self.any_kept(end, end + self.rules.reach)
        )

    # Lines

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_short_lines(self) -> cython.void:
        """Keep a short line between two long ones that are kept."""
        for line in range(1, self.lines - 1):
            if (
                not self.kept[line]
                and self.kept[line - 1]
                and self.kept[line + 1]
                and self.why[line] == BY_MODEL
                and self.chars[line] <= self.rules.short_line
                and self.chars[line - 1] >= self.rules.long_line
                and self.chars[line + 1] >= self.rules.long_line
                and self.likelihood[line] >= self.rules.short_likelihood
            ):
                self.put(line, line + 1, -1, True, BY_LINES)

    # Headings

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_headings(self) -> cython.void:
        """Decide about headings, the last first: one may be all that is kept of the section that it is in."""
        last = self.lines - 1
        may_drop = self.has_more_than_headings()
        for unit in range(self.count - 1, -1, -1):
            while last >= 0 and not self.kept[last]:
                last -= 1
            if self.get(unit, UNIT_KIND) == UNIT_SECTION and self.get(unit, UNIT_HEAD_END) < self.get(
                unit, UNIT_LINE_END
            ):
                self.decide_heading(unit, last if may_drop else self.lines)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_more_than_headings(self) -> cython.bint:
        """Whether more text is kept outside of headings than in them."""
        text = 0
        for line in range(self.lines):
            if self.kept[line]:
                text += self.chars[line]
        for unit in range(self.count):
            if self.get(unit, UNIT_KIND) == UNIT_SECTION:
                for line in range(self.get(unit, UNIT_LINE), self.get(unit, UNIT_HEAD_END)):
                    if self.kept[line]:
                        text -= 2 * self.chars[line]
        return text > 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_listed(self, unit: cython.int) -> cython.bint:
        """Whether a unit stands in a list or table: a heading there may be all that an item is."""
        above = self.get(unit, UNIT_PARENT)
        kind = self.get(above, UNIT_KIND) if above >= 0 else 0
        return kind == UNIT_LIST or kind == UNIT_ROW

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decide_heading(self, unit: cython.int, last: cython.int) -> cython.void:
        """Keep the heading of a section that is kept, and drop one after which nothing of the page is kept."""
        first = self.get(unit, UNIT_LINE)
        head_end = self.get(unit, UNIT_HEAD_END)
        held = 0
        taken = 0
        for line in range(head_end, self.get(unit, UNIT_LINE_END)):
            held += self.chars[line]
            if self.kept[line]:
                taken += self.chars[line]
        if self.any_kept(first, head_end):
            if last < head_end and not self.is_listed(unit):
                self.put(first, head_end, unit, False, BY_SECTION)
        elif (
            taken > 0
            and taken >= self.rules.section_share * held
            and self.get(unit, UNIT_LEVEL) > 1
            and self.likelihood[first] >= self.rules.heading_likelihood
        ):
            self.put(first, head_end, unit, True, BY_SECTION)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_stories(units: cython.const[cython.int][::1]) -> cython.int:
    """Return how many units are articles."""
    found = 0
    for unit in range(len(units) // UNIT_COLUMNS):
        if units[unit * UNIT_COLUMNS + UNIT_KIND] == UNIT_STORY:
            found += 1
    return found


def decide(
    page: Any,
    lines: tuple[Any, Any, int],
    likelihood: Any,
    threshold: cython.double,
    apart: Any,
    rules: Rules,
) -> tuple[Any, Any, Any, Any]:
    """Return the table of the units of a page; and of each line whether it is kept, what decided, and by which unit.

    `lines` is what `lines.split` returns; `threshold` is the likelihood from which the model keeps a line.
    `apart` marks the lines of articles other than the page's own, or is None.
    """
    view: PageView = measured(page)
    places: cython.const[cython.longlong][::1] = lines[0]
    sizes: cython.const[cython.int][::1] = lines[1]
    likely: cython.const[cython.double][::1] = likelihood
    count: cython.Py_ssize_t = lines[2]
    at: cython.Py_ssize_t = places.shape[0] - count
    chars: cython.const[cython.int][::1] = sizes[:count]
    units = read_units(view, places[:at], places[at:])
    kept, why, by = bytearray(count), bytearray(count), zeros("i", count)
    decision: _Decision = _Decision()
    decision.set_up(units, chars, sizes[count:], likely, rules)
    decision.kept, decision.why, decision.by = kept, why, by
    decision.keep_likely(threshold)
    if apart is not None:
        decision.drop_apart(apart)
    if _count_stories(decision.units) >= rules.least_stories:
        decision.drop_stories(rules.others(page, lines, units, likelihood, threshold))
    decision.decide_lists()
    decision.decide_parts()
    decision.decide_inserts()
    decision.keep_figures_alike()
    decision.keep_short_lines()
    decision.decide_headings()
    return units, kept, why, by
