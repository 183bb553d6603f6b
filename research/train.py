"""Train a shipped model: python -m research.train auto|reverse SET... -o FILE [--report FILE]

It differs from `pagesieve train` in two ways: pages whose golds are plainly wrong teach nothing (`left_out.py`), and
the model of `auto` also learns from pages that are composed of others (`compose.py`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pagesieve.evaluate.archives import find_sets
from pagesieve.methods.reverse import MODEL
from pagesieve.training import auto, reverse
from research.compose import compose_all
from research.left_out import LEFT_OUT

CURATION = auto.Curation(LEFT_OUT, compose_all)


def main() -> None:
    """Train the model that is named, and write it with its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=("auto", "reverse"))
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("-o", "--output", required=True, type=Path)
    parser.add_argument("--report", type=Path, help="the file for the report, as Markdown")
    parser.add_argument("--limit", type=int, help="pages of each set, at most")
    options = parser.parse_args()
    sets = find_sets(options.sets)
    if options.method == "auto":
        model, report = auto.train(sets, options.limit, show, CURATION)
        model.save(options.output)
    else:
        forest, report = reverse.train(sets, options.limit, show, CURATION)
        forest.save(options.output, MODEL)
    if options.report is not None:
        options.report.write_text(auto.as_markdown(report), encoding="utf-8")


def show(stage: str, done: int, total: int) -> None:
    """Report progress on standard error."""
    print(f"\r{stage}: {done} of {total} ", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
