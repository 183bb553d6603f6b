"""Everything on a page that recurs, and so might be its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.table import Ints, Page

__all__ = ["Candidates", "find"]

GOOD, BAD = 1, 2  # the bits of Candidates.hints

# Words in the classes and ids of pages, whatever their language.
GOOD_WORDS = (
    "result results item items post posts product products listing listings list thread entry article story card row "
    "hit record review reviews topic message answer question content main feed stream tile teaser offer snippet"
)
BAD_WORDS = (
    "nav navigation menu footer foot sidebar side aside header breadcrumb breadcrumbs pagination pager paging filter "
    "filters facet facets refine refinement related widget ad ads sponsored social share tag tags category categories "
    "toolbar tab tabs dropdown login popular trending recommend recommended promo banner carousel cookie modal "
    "copyright links"
)


def _digests(words: str, bit: int) -> dict[int, int]:
    return {kernel.recurring.word_digest(word): bit for word in words.split()}


_HINTS = _digests(GOOD_WORDS, GOOD) | _digests(BAD_WORDS, BAD)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The groups of a page that recur. The records of a group are in order, disjoint, and inside its region."""

    page: Page
    sort: Ints  # of each group: how it was found
    region: Ints  # the innermost row that holds its records
    first: Ints  # the number of its first record; those of the next group follow its last
    lead: Ints  # how many children of the region stand before the first record
    likeness: Ints  # how alike neighbouring records are, in hundredths: their tag paths,
    named: Ints  # and their classes
    begin: Ints  # of each record: its first row,
    end: Ints  # and the row after its last
    hints: NDArray[np.uint8]  # of each row of the page: what its class and id say
    text_digest: NDArray[np.uint32]  # of each text row
    chars: Ints  # of each text row: its characters, if it is text of the page
    chars_before: Ints  # and those of all rows before each row, and before the end
    sketch: Any  # of each row the tag paths below it, as the kernel keeps them

    def __len__(self) -> int:
        return len(self.sort)

    @property
    def sizes(self) -> Ints:
        """How many records each group has."""
        return np.diff(np.append(self.first, len(self.begin))).astype(np.int32)

    def spans(self, group: int) -> tuple[Ints, Ints]:
        """The first rows and the ends of a group's records."""
        start = int(self.first[group])
        stop = int(self.first[group + 1]) if group + 1 < len(self) else len(self.begin)
        return self.begin[start:stop], self.end[start:stop]


def find(page: Page) -> Candidates:
    """Finds all groups of two or more alike stretches of a page."""
    recurring = kernel.recurring
    sketch, counts, own = recurring.sketches(page, page.visibility, page.chars)
    classes, hints, texts = recurring.names(page, _HINTS)
    chars = np.frombuffer(own, dtype=np.int32)
    before = np.zeros(len(page) + 1, dtype=np.int32)
    np.cumsum(chars, out=before[1:])
    groups = recurring.candidates(page, before, counts, sketch, classes)
    sort, region, first, lead, begin, end = (np.frombuffer(column, dtype=np.int32) for column in groups)
    alike, named = recurring.likeness(sketch, classes, begin, first)
    return Candidates(
        page,
        sort,
        region,
        first,
        lead,
        np.frombuffer(alike, dtype=np.int32),
        np.frombuffer(named, dtype=np.int32),
        begin,
        end,
        np.frombuffer(hints, dtype=np.uint8),
        np.frombuffer(texts, dtype=np.uint32),
        chars,
        before,
        sketch,
    )
