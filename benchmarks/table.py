"""How long the node table takes next to lexbor's parse alone, and how long the import takes.

    python benchmarks/table.py ../shared/data/*/*.tar.xz      (or any pages: files and folders)

Both are timed on the same bytes in the same run: what lexbor gets is the page as it is, what `parse` gets too, so
finding the encoding is in our time and not in lexbor's.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

import pagesieve
from pagesieve.page import kernel
from pagesieve.page.static import parse

ROUNDS = 3


def pages(names: list[str]) -> Iterator[tuple[str, bytes]]:
    for path in map(Path, names):
        if path.name.endswith(".tar.xz"):
            with tarfile.open(path, "r|xz") as members:
                for member in members:
                    opened = members.extractfile(member) if "/pages/" in member.name else None
                    if opened is not None:
                        yield path.name.removesuffix(".tar.xz"), opened.read()
        elif path.is_dir():
            yield from ((path.name, page.read_bytes()) for page in sorted(path.rglob("*.html")))
        else:
            yield path.parent.name, path.read_bytes()


def best(function: object, data: bytes) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function(data)
        times.append(time.perf_counter() - start)
    return min(times)


def import_seconds() -> float:
    command = [
        sys.executable,
        "-c",
        "import time; t = time.perf_counter(); import pagesieve; print(time.perf_counter() - t)",
    ]
    return statistics.median(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(9))


def main() -> None:
    sets: dict[str, list[float]] = {}
    for name, data in pages(sys.argv[1:]):
        row = sets.setdefault(name, [0, 0, 0, 0])
        row[0] += 1
        row[1] += best(LexborHTMLParser, data)
        row[2] += best(parse, data)
        row[3] += not isinstance(kernel.html.builders.from_source(data), str)
    sets["all"] = [sum(column) for column in zip(*sets.values(), strict=True)]
    print(f"pagesieve {pagesieve.__version__}; import {import_seconds():.3f} s (median of 9)")
    print("| set | pages | lexbor, ms per page | our table, ms per page | ratio | read straight from the source |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (count, lexbor, ours, direct) in sets.items():
        print(
            f"| {name} | {count:.0f} | {1000 * lexbor / count:.3f} | {1000 * ours / count:.3f} | {ours / lexbor:.2f} "
            f"| {100 * direct / count:.0f} % |"
        )


if __name__ == "__main__":
    main()
