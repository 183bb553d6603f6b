"""Remove the text that the pages of one article repeat: headline, standfirst, byline, footers and comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile

import numpy as np

from pagesieve.facts.next_part import names_page
from pagesieve.headlines.headline import without_headline
from pagesieve.selection import Reason, Selection
from pagesieve.text.whitespace import fold

_HEAD = 12  # blocks at the beginning of a page that may repeat earlier pages
_PARAGRAPH = 80  # characters of a paragraph: with the first new one, the text of the page begins
_SENTENCE = 25  # characters of a block that counts as repeated wherever it occurs; shorter ones may agree by chance
_SAME = 0.9  # share of a page's text that earlier pages have if it repeats one of them
_REPEATED = Reason("repeated from another page", "rule")
_PAGE_NUMBER = Reason("the number of a page", "rule")


def is_repeated(selection: Selection, earlier: Iterable[Selection]) -> bool:
    """Whether earlier pages have nearly all of a page's text, so that the page repeats one of them."""
    known = {text for page in earlier for _, text in _texts(page, _kept(page))}
    texts = [text for _, text in _texts(selection, _kept(selection))]
    return sum(len(text) for text in texts if text in known) >= _SAME * sum(map(len, texts))


def without_repeats(pages: Sequence[Selection], title: str) -> list[Selection]:
    """Return the pages of an article without repeated text. `title` is the headline of the article.

    Text at the beginning of several pages remains on the first of them, and so do comments. Text at the end of several
    pages remains on the last. Lines with the number of the page are removed.
    """
    found: list[Selection] = []
    head, shown, comments = set[str](), set[str](), set[str]()
    for number, given in enumerate(pages, 1):
        selection = page = _without_number(given, number)
        if found:
            selection = without_headline(page, title) if title else page
            selection = _without(selection, _repeated(selection, head, shown), _REPEATED)
            selection = _without_comments(selection, comments)
            found[-1] = _without(found[-1], _same_ends(found[-1], selection), _REPEATED)
        found.append(selection)
        head.update(text for _, text in _texts(page, _kept(page)[:_HEAD]))
        shown.update(text for _, text in _texts(page, np.flatnonzero(page.blocks.chars >= _SENTENCE).tolist()))
        comments.update(text for _, text in _texts(page, _commented(page)))
    return found


def _texts(selection: Selection, blocks: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield blocks with their texts, white space folded."""
    return ((block, fold(selection.blocks.text(block))) for block in blocks)


def _kept(selection: Selection) -> list[int]:
    kept: list[int] = np.flatnonzero(selection.kept).tolist()
    return kept


def _commented(selection: Selection) -> list[int]:
    commented: list[int] = np.flatnonzero(selection.blocks.any(selection.comments)).tolist()
    return commented


def _without(selection: Selection, blocks: Iterable[int], reason: Reason) -> Selection:
    dropped = frozenset(blocks)
    return selection.without(dropped, reason) if dropped else selection


def _repeated(selection: Selection, head: set[str], shown: set[str]) -> Iterator[int]:
    """Yield the blocks at the beginning of a page that earlier pages have, up to the first new paragraph."""
    for block, text in _texts(selection, islice(_kept(selection), _HEAD)):
        if text in head or text in shown:
            yield block
        elif len(text) >= _PARAGRAPH:
            return


def _same_ends(selection: Selection, following: Selection) -> Iterator[int]:
    """Yield the blocks at the end of a page that the end of the next page repeats, starting with the last one."""
    ends = zip(_texts(selection, _kept(selection)[:0:-1]), _texts(following, _kept(following)[:0:-1]), strict=False)
    return (block for (block, _), _ in takewhile(lambda pair: pair[0][1] == pair[1][1], ends))


def _without_number(selection: Selection, number: int) -> Selection:
    """Return a page without the lines before its first and after its last paragraph that have its number."""
    kept = _kept(selection)
    sides = (islice(kept, _HEAD), islice(reversed(kept), _HEAD))
    short = (takewhile(lambda pair: len(pair[1]) < _PARAGRAPH, _texts(selection, side)) for side in sides)
    lines = frozenset(block for side in short for block, text in side if names_page(text, number))
    return _without(selection, lines, _PAGE_NUMBER) if len(lines) < len(kept) else selection


def _without_comments(selection: Selection, known: set[str]) -> Selection:
    """Return a page without the comments that earlier pages have."""
    repeated = [block for block, text in _texts(selection, _commented(selection)) if text in known]
    if not repeated:
        return selection
    comments = selection.comments.copy()
    for block in repeated:
        comments[selection.blocks.rows_of(block)] = False
    return replace(selection, comments=comments)
