"""What matching a page with a site's templates costs, beside lexbor's parse of it: python benchmarks/templates.py

A page of 2,000 leaves in the markup of a list: a third equal to a template, a third changed a little, a third unknown;
Latin and Chinese words that the texts share. Then a page and a library whose texts all begin alike. Medians.
"""

from __future__ import annotations

import html
import random
import statistics
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser

import pagesieve
from pagesieve.sites.templates import Template, Templates, leaves

LEAVES = 2000
SIZES = (1_000, 10_000, 100_000)
ROUNDS = 15
SECONDS = 2.0  # for all rounds, at most
LATIN = "abcdefghijklmnoprstuvw"
CJK = "".join(chr(0x4E00 + 7 * k) for k in range(1500))
TAGS = ("a", "p", "span", "li", "div")

Leaf = tuple[str, str]  # tag, text


def vocabulary(rng: random.Random, letters: str, shortest: int, longest: int, size: int) -> list[str]:
    return ["".join(rng.choices(letters, k=rng.randint(shortest, longest))) for _ in range(size)]


def texts_of_words(rng: random.Random) -> Callable[[], str]:
    """Makes texts of 1 to 12 words, one in three Chinese; few words are frequent, as in any language."""
    latin, chinese = vocabulary(rng, LATIN, 2, 9, 5000), vocabulary(rng, CJK, 1, 3, 5000)
    weights = [1 / rank for rank in range(1, 5001)]

    def make() -> str:
        words, blank = (chinese, "") if rng.random() < 1 / 3 else (latin, " ")
        return blank.join(rng.choices(words, weights, k=rng.randint(1, 12)))

    return make


def texts_that_begin_alike(rng: random.Random) -> Callable[[], str]:
    """Makes texts whose first half is the same."""
    words = vocabulary(rng, LATIN, 2, 9, 5000)
    return lambda: f"Published by the editors of the evening paper in {' '.join(rng.choices(words, k=8))}"


def changed(rng: random.Random, text: str) -> str:
    """A text with as many edits as are allowed, or fewer."""
    letters = list(text)
    for _ in range(rng.randint(1, max(1, len(text) // 8))):
        letters[rng.randrange(len(letters))] = rng.choice(LATIN)
    return "".join(letters)


def a_page(rng: random.Random, make: Callable[[], str], known: list[Leaf]) -> str:
    """A page of leaves: a third known, a third changed, a third new."""
    third = LEAVES // 3
    own = rng.choices(known, k=third) + [(tag, changed(rng, text)) for tag, text in rng.choices(known, k=third)]
    own += [(rng.choice(TAGS), make()) for _ in range(LEAVES - len(own))]
    rng.shuffle(own)
    items = "".join(item(k, *leaf) for k, leaf in enumerate(own))
    return f"<!doctype html><html><head><title>x</title></head><body>{items}</body></html>"


def item(k: int, tag: str, text: str) -> str:
    """A leaf with the markup around it: 240 bytes a leaf in all, somewhat less than on news pages."""
    address = f' href="/2024/05/section-{k % 9}/story-number-{k}.html" title="Story number {k}"' if tag == "a" else ""
    return (
        f'<div class="list-item list-item--{k % 7}" id="item-{k}" data-position="{k}">\n  <div class="list-item__in">'
        f'<img src="/images/thumb-{k}.jpg" alt="" width="80" height="60">\n'
        f'    <{tag} class="list-item__text"{address}>{html.escape(text)}</{tag}>\n  </div>\n</div>\n'
    )


def median(work: Callable[[int], object]) -> float:
    """Milliseconds, the median of several rounds, which work is told the number of."""
    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < SECONDS:
        started = time.perf_counter()
        work(len(times))
        times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)


def fresh(source: str) -> list[pagesieve.Page]:
    """A page for each round, nothing derived from it yet."""
    return [pagesieve.parse(source) for _ in range(ROUNDS)]


def matching(templates: Templates, pages: list[pagesieve.Page]) -> Callable[[int], object]:
    return lambda turn: templates.match(leaves(pages[turn]))


def measure(name: str, words: Callable[[random.Random], Callable[[], str]], table: Table) -> None:
    rng = random.Random(7)
    make = words(rng)
    known = list(dict.fromkeys((rng.choice(TAGS), make()) for _ in range(max(SIZES) * 3 // 2)))[: max(SIZES)]
    source = a_page(rng, make, known[: min(SIZES)])
    sets = [Templates([Template(tag, text, 3, "", "") for tag, text in known[:size]]) for size in SIZES]
    parse = median(lambda _: LexborHTMLParser(source))
    costs = [median(matching(templates, fresh(source))) for templates in sets]
    page = leaves(pagesieve.parse(source))
    for templates, cost in zip(sets, costs, strict=True):
        figures = (f"{parse:.2f}", f"{cost:.2f}", f"{cost / parse:.2f}", f"{cost / costs[0]:.2f}")
        table.add_row(name, f"{len(templates):,}", *figures, str((templates.match(page) >= 0).sum()))


def main() -> None:
    table = Table("texts", "templates", "parse", "match", "match / parse", "growth", "matched", title="ms")
    measure("words", texts_of_words, table)
    measure("begin alike", texts_that_begin_alike, table)
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
