"""What writing an article costs, from the selection to text, Markdown and HTML; also against another version.

    python benchmarks/writing.py /data/*/pages --each 20 --before ../pagesieve-before/src

Folders of pages, of which one in so many is taken. With `--before`, the package in that folder is loaded beside this
one, both write by turns, and pages that they write differently are named. Times are of the thread's own processor time,
the best of several rounds.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import mean, median
from types import ModuleType
from typing import Any

ROUNDS = 5
FORMATS = ("text", "markdown", "html")


def load(source: Path | None) -> ModuleType:
    """Return the package in a folder, or the one that is installed; modules loaded before are forgotten."""
    for name in [name for name in sys.modules if name.split(".")[0] == "pagesieve" or "cimports.pagesieve" in name]:
        del sys.modules[name]
    if source:
        sys.path.insert(0, str(source))
    try:
        package = importlib.import_module("pagesieve")
        importlib.import_module("pagesieve.api")
    finally:
        if source:
            sys.path.remove(str(source))
    return package


def article(package: ModuleType, html: bytes, options: dict[str, bool]) -> Any:
    try:
        return package.article(html, "https://example.org/a/", **options)
    except package.PagesieveError:
        return None


def written(article: Any, format: str) -> tuple[float, str]:
    """Return the time in milliseconds, and the text."""
    fresh = dataclasses.replace(article)
    start = time.thread_time()
    text: str = getattr(fresh, format)
    return 1000 * (time.thread_time() - start), text


def measure(packages: list[ModuleType], paths: list[Path], options: dict[str, bool]) -> None:
    times: dict[str, list[list[float]]] = defaultdict(list)
    for path in paths:
        html = path.read_bytes()
        articles = [article(package, html, options) for package in packages]
        if None in articles:
            continue
        for format in FORMATS:
            rounds = [[written(one, format) for one in articles] for _ in range(ROUNDS)]
            times[format].append([min(one[k][0] for one in rounds) for k in range(len(articles))])
            if len({text for _, text in rounds[0]}) > 1:
                sys.stdout.write(f"{path}: {format} differs\n")
    for format, found in times.items():
        columns = [[page[k] for page in found] for k in range(len(packages))]
        figures = [f"{mean(column):.3f} mean {median(column):.3f} median" for column in columns]
        ratio = f", {sum(columns[-1]) / sum(columns[0]):.2f} times faster" if len(columns) > 1 else ""
        sys.stdout.write(f"{format:9} ms a page of {len(found)}: {', before '.join(figures)}{ratio}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--all", action="store_true", help="with links, images and comments")
    given = parser.parse_args()
    options = dict.fromkeys(("include_links", "include_images", "include_comments"), True) if given.all else {}
    packages = [load(None)]
    if given.before:
        packages.append(load(given.before))
    paths = sorted(path for folder in given.folders for path in folder.iterdir())[:: given.each]
    measure(packages, paths, options)


if __name__ == "__main__":
    main()
