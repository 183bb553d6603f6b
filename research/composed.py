"""How much of the wrong articles is kept on pages composed of several.

    python -m research.composed ../shared/data/articles/world_news.tar.xz ../shared/data/articles/blogs_own.tar.xz

Puts a second article, of another site, below that of each page, and compares what `auto` and others extract with the
gold of the first; beside it the same for the pages as they were. Give sets whose sites the model was not trained on.
`--recipe mixed` puts in teasers, links and comments too, as in training.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from pagesieve.evaluate.archives import Gold, find_sets, read_samples
from pagesieve.evaluate.peers import Extractor, load_peers, own_extractor
from pagesieve.evaluate.score import Answer, Score, call, peers_kept_quiet
from research.compose import MIXED, TWO_ARTICLES, compose

RECIPES = {"two": TWO_ARTICLES, "mixed": MIXED}
FIGURES = ("precision", "recall", "f1")


def scores(pages: list[tuple[Gold, bytes]], extractor: Extractor) -> Iterator[Score]:
    for gold, html in pages:
        yield Answer(gold, html).score(call(extractor, html, gold.url)[0])


def row(pages: list[tuple[Gold, bytes]], extractor: Extractor) -> list[float]:
    found = list(scores(pages, extractor))
    return [fmean(getattr(score, name) for score in found) for name in FIGURES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recipe", choices=RECIPES, default="two")
    parser.add_argument("--method", default="auto")
    options = parser.parse_args()
    pages = [(gold, html) for _, gold, html in read_samples(find_sets(options.sets), None, lambda *_: None)]
    composed = list(compose(pages, options.count, options.seed, RECIPES[options.recipe]))
    alone = {gold.id: (gold, html) for gold, html in pages}
    first = [alone[gold.id.split("+")[0]] for gold, _ in composed]
    print(f"{len(composed)} pages composed of {len(pages)}")
    print("| | precision | recall | F1 | before: precision | recall | F1 |\n|" + " --- |" + " ---: |" * 6)
    with peers_kept_quiet():
        for extractor in (own_extractor(options.method), *load_peers(("trafilatura", "readability"))):
            figures = row(composed, extractor) + row(first, extractor)
            print(f"| {extractor.name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |", flush=True)


if __name__ == "__main__":
    main()
