"""What the plain text of an article costs, written by the kernel and by way of a document.

    python benchmarks/writing.py ../shared/data/articles/news424.tar.xz ../shared/data/articles/wcxb_dev.tar.xz

The rows that a method selects on each page, written both ways; the best of several rounds. Also the share of pages
that the kernel writes; the others are left to the document's writer, and cost what that costs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.page.table import Bools, Page
from pagesieve.writing import build, write_text
from pagesieve.writing.direct import direct_text

ROUNDS = 5
METHODS = ("svm", "lineblocks")


def best(function: Callable[[], object]) -> float:
    """The best time of several, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def selections(path: Path, method: str) -> Iterator[tuple[Page, Bools]]:
    """The pages of a set with the rows that the method keeps."""
    (labelled_set,) = find_sets([path])
    for _, html in read_pages(take_sample(labelled_set)):
        try:
            article = pagesieve.article(html, method=method)
        except pagesieve.PagesieveError:
            continue
        yield article.page, article.selection.rows


def figures(times: list[float]) -> str:
    return f"{mean(times):6.3f} mean {median(times):6.3f} median"


def main(paths: list[Path]) -> None:
    for path in paths:
        for method in METHODS:
            slow, fast, left = [], [], 0
            for page, rows in selections(path, method):
                slow.append(best(lambda page=page, rows=rows: write_text(build(page, rows))))
                if direct_text(page, rows) is None:
                    left += 1
                else:
                    fast.append(best(lambda page=page, rows=rows: direct_text(page, rows)))
            name = f"{path.name.removesuffix('.tar.xz')}, {method}"
            share = f"{len(fast)} of {len(slow)} pages ({len(fast) / len(slow):.1%})"
            sys.stdout.write(f"{name:24} ms a page: document {figures(slow)}; kernel {figures(fast)}, {share}\n")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
