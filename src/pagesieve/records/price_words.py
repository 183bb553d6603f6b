"""Words that pages set in a place for prices, such as "from": they go with the price that comes next."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagesieve.records.drafts import Cell, Draft
from pagesieve.records.naming import words_of
from pagesieve.records.values import is_money

FEW_WORDINGS = 3  # of a column of such words

_DIGIT = re.compile(r"\d")


def join_price_words(drafts: Sequence[Draft]) -> None:
    """Make what columns of prices say without a digit the label of the next price of its record, if both make a price.

    That price stands in the column of the words if most there are prices, else in its own.
    """
    priced = [each for each in drafts if each.type == "price" or _is_of_words(each)]
    if len(priced) < 2 or all(_DIGIT.search(text) for each in priced for text in each.wordings):
        return
    prices: dict[int, list[Cell]] = {}  # by record
    for each in priced:
        for cell in each.cells:
            if each.type == "price" and _DIGIT.search(cell.text):
                prices.setdefault(cell.record, []).append(cell)
    joined: dict[int, Cell] = {}  # by the identity of the cell that they stand for
    dropped: set[int] = set()
    for each in priced:
        for cell in each.cells:
            price = None if _DIGIT.search(cell.text) else _next_price(cell, prices.get(cell.record, ()))
            if price is not None:
                kept, left = (cell, price) if each.type == "price" else (price, cell)
                joined[id(kept)] = price._replace(rows=cell.rows + price.rows, label=cell.text)
                dropped.add(id(left))
    for each in priced:
        each.fill([joined.get(id(cell), cell) for cell in each.cells if id(cell) not in dropped])


def _is_of_words(draft: Draft) -> bool:
    """Whether a column is called a price, and holds nothing but a few wordings without a digit."""
    if draft.type != "text" or len(draft.wordings) > FEW_WORDINGS or draft.known or draft.headed:
        return False
    return "price" in words_of(draft.name) and not any(map(_DIGIT.search, draft.wordings))


def _next_price(words: Cell, prices: Sequence[Cell]) -> Cell | None:
    """Return the first price behind some words that is one with them, too."""
    later = [cell for cell in prices if cell.rows > words.rows and is_money(f"{words.text} {cell.text}")]
    return min(later, key=lambda cell: cell.rows, default=None)
