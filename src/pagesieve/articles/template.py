"""Templates drop what the site says on every page; a support vector machine classifies what is left.

`pagesieve.sites.templates` learns the templates, `pagesieve.articles.features` measures the blocks,
`pagesieve.articles.svm` classifies them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagesieve.articles.comments import comment_rows
from pagesieve.articles.features import measure
from pagesieve.articles.refine import among_paragraphs, edges, in_richest_stretch
from pagesieve.articles.svm import Floats, SvmModel
from pagesieve.errors import NothingFound
from pagesieve.page.leaves import leaves
from pagesieve.page.lines import Blocks, readable, split
from pagesieve.page.table import Bools, Ints, Page
from pagesieve.selection import Selection
from pagesieve.sites.templates import Templates

NO_TEMPLATES = Templates()
SHOWN = 60  # characters of a template in a reason


@dataclass(frozen=True, slots=True)
class SvmOptions:
    """What becomes of a classified block. The values were measured on pages of Chinese news sites."""

    threshold: float = 0.0  # the margin above which a block is text
    whole_page: bool = True  # whether blocks are measured together with what the templates drop
    among: int = 100  # characters of a template that stays if it is among the article's paragraphs, and taken for text
    short_edge: int = 20  # characters: shorter lines go from the ends of what is left
    date_edge: int = 40  # characters: shorter lines with a date go from there too
    refine: bool = True  # whether the line-block distribution function has the last word


# As in the paper: a template goes wherever it stands, and every block above the threshold stays.
PAPER = SvmOptions(whole_page=False, among=10**9, short_edge=0, date_edge=0, refine=False)


def template(
    page: Page, model: SvmModel, templates: Templates = NO_TEMPLATES, options: SvmOptions = SvmOptions()
) -> Selection:
    """Keep the blocks of a page that the machine takes for text, without the leaves that are templates of the site."""
    rows, comments = readable(page), comment_rows(page)
    matched = _matched(page, templates)
    left = rows & (matched < 0)
    measured = measure(model.features, page, rows if options.whole_page else left)
    margins = measured.spread(page, model.margins(measured.values))
    text = rows & ~comments & (margins > options.threshold)
    kept = text & left
    blocks = split(page)
    kept |= among_paragraphs(blocks, kept, text & ~left, options.among)
    if options.refine and kept.any():
        kept &= in_richest_stretch(blocks, kept)
    kept &= ~edges(blocks, kept, options.short_edge, options.date_edge)
    if not kept.any():
        raise NothingFound("no block of the page is taken for text")
    return Selection(blocks, kept, comments, _Reasons(blocks, kept, comments, matched, margins, templates, options))


def _matched(page: Page, templates: Templates) -> Ints:
    """Return the number of the template that each text row matches; -1 where there is none."""
    found = np.full(len(page), -1, dtype=np.int32)
    if len(templates):
        of_page = leaves(page)
        found[of_page.texts] = templates.match(of_page)[of_page.leaf_of_text]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Reasons:
    """Why a block was kept or dropped; the text is made on demand."""

    blocks: Blocks
    kept: Bools
    comments: Bools
    matched: Ints
    margins: Floats
    templates: Templates
    options: SvmOptions

    def __call__(self, block: int) -> str:
        first, last = int(self.blocks.first[block]), int(self.blocks.last[block])
        kept = self.kept[first : last + 1].any()
        row = first + int(self.kept[first : last + 1].argmax()) if kept else first
        if self.matched[row] >= 0:
            return f"among the article's paragraphs, though a {self._template(row)}" if kept else self._template(row)
        if self.comments[row]:
            return "in a section of comments"
        margin = self.margins[row]
        if np.isnan(margin):
            return "a form control"
        told = f"SVM margin {margin:+.2f}"
        return (
            f"at an end of the article or far from it, {told}" if not kept and margin > self.options.threshold else told
        )

    def _template(self, row: int) -> str:
        known = self.templates[int(self.matched[row])]
        text = known.text if len(known.text) <= SHOWN else known.text[: SHOWN - 1] + "…"
        return f"template of the site, seen on {known.frequency} pages: <{known.tag}> {text}"
