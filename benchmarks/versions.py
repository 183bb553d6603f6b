"""Compare two source trees of Pagesieve on the same pages: do they give the same answers, and how fast?

    python benchmarks/versions.py ../before/src src ../shared/data/*/*.tar.xz examples/site [--rounds 3] [--every 10]

Both kernels have to be compiled (`python setup.py build_ext --inplace`). A process for each tree takes every page by
turns; times are CPU time of the thread, the best of the rounds. Answers are compared byte by byte; those that differ
are listed.
"""

import argparse
import hashlib
import json
import pickle
import subprocess
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TIMED = ("text", "markdown", "html", "json", "reverse", "parse")
RICH = {"include_links": True, "include_images": True}
OUTPUTS: dict[str, Callable[[Any, bytes, str | None], object]] = {
    "text": lambda sieve, page, url: sieve.extract(page, url),
    "markdown": lambda sieve, page, url: sieve.extract(page, url, format="markdown"),
    "html": lambda sieve, page, url: sieve.extract(page, url, format="html"),
    "json": lambda sieve, page, url: sieve.extract(page, url, format="json"),
    "reverse": lambda sieve, page, url: sieve.extract(page, url, method="reverse"),
    "parse": lambda sieve, page, url: _columns(sieve.parse(page, url)),
    "rich markdown": lambda sieve, page, url: sieve.extract(
        page, url, format="markdown", include_comments=True, **RICH
    ),
    "rich html": lambda sieve, page, url: sieve.extract(page, url, format="html", **RICH),
    "without tables": lambda sieve, page, url: sieve.extract(page, url, include_tables=False, include_comments=True),
    "reverse json": lambda sieve, page, url: sieve.extract(page, url, method="reverse", format="json"),
    "svm": lambda sieve, page, url: sieve.extract(page, url, method="svm"),
    "lineblocks": lambda sieve, page, url: sieve.extract(page, url, method="lineblocks"),
    "records": lambda sieve, page, url: sieve.records(page, url, mode="static").to_rows(),
    "decisions": lambda sieve, page, url: [(d.first, d.last, d.kept) for d in sieve.article(page, url).decisions],
    "catalogue": lambda sieve, page, url: sieve.catalogue(page, url).links if url else None,
    "kind": lambda sieve, page, url: sieve.kind(page, url),
    "encoding": lambda sieve, page, url: sieve.parse(page, url).encoding,
}


def _columns(page: Any) -> bytes:
    columns = (page.tag, page.parent, page.end, page.depth, page.text_at, page.attribute_name, page.value_at)
    return b"".join(column.tobytes() for column in columns) + page.text_buffer + page.value_buffer


def serve(source: str) -> None:
    """Answer for one tree: read pages from standard input, write times and digests to standard output."""
    sys.path.insert(0, source)
    import pagesieve

    if not str(pagesieve.__file__).startswith(source):
        raise SystemExit(f"{source}: no Pagesieve")
    for name in OUTPUTS:  # models are loaded before anything is timed
        _answer(pagesieve, name, b"<p>" + b"A sentence that is long enough. " * 20, None, 1)
    while True:
        try:
            page, url, rounds, names = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answers = {name: _answer(pagesieve, name, page, url, rounds if name in TIMED else 1) for name in names}
        sys.stdout.buffer.write(pickle.dumps(answers))
        sys.stdout.buffer.flush()


def _answer(sieve: Any, name: str, page: bytes, url: str | None, rounds: int) -> tuple[float, str]:
    best, found = float("inf"), ""
    for _ in range(rounds):
        start = time.thread_time()
        try:
            answer = OUTPUTS[name](sieve, page, url)
        except sieve.PagesieveError as error:
            answer = type(error).__name__
        best = min(best, time.thread_time() - start)
        found = answer if name == "encoding" else hashlib.sha256(repr(answer).encode("utf-8", "replace")).hexdigest()
    return best, found


def pages_of(path: Path) -> Iterator[tuple[str, bytes, str | None]]:
    """Yield the pages of an archive or a folder: name, bytes, address."""
    if path.is_dir():
        for file in sorted(path.rglob("*.html")):
            yield str(file), file.read_bytes(), None
        return
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        urls: dict[str, str | None] = {}
        for name, file in files.items():
            if name.endswith("gold.jsonl") and file:
                urls.update({row["id"]: row.get("url") for row in map(json.loads, file)})
        for name, file in files.items():
            if "/pages/" in name and file:
                yield name, file.read(), urls.get(Path(name).stem)


class Tree:
    """One source tree, in a process of its own."""

    def __init__(self, source: Path) -> None:
        command = [sys.executable, __file__, "--serve", str(source.resolve())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, page: bytes, url: str | None, rounds: int, names: list[str]) -> dict[str, tuple[float, str]]:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        to.write(pickle.dumps((page, url, rounds, names)))
        to.flush()
        answers: dict[str, tuple[float, str]] = pickle.load(back)
        return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=1, help="how often each page is timed")
    parser.add_argument("--every", type=int, default=1, help="take one page of this many")
    parser.add_argument("--timed-only", action="store_true", help="only the outputs that are timed")
    given = parser.parse_args()
    names = [*TIMED, "encoding"] if given.timed_only else list(OUTPUTS)
    before, after = Tree(given.before), Tree(given.after)
    times: dict[str, Counter[Any]] = defaultdict(Counter)  # seconds by group and output, pages by group
    differing: dict[str, list[str]] = defaultdict(list)
    count = 0
    for path in given.pages:
        for number, (name, page, url) in enumerate(pages_of(path)):
            if number % given.every:
                continue
            count += 1
            first, second = (before, after) if count % 2 else (after, before)
            answers = {tree: tree.ask(page, url, given.rounds, names) for tree in (first, second)}
            old, new = answers[before], answers[after]
            groups = ["all", "utf-8" if old["encoding"][1] == "utf-8" else "old encodings"]
            for group in groups:
                times[group].update(pages=1)
            for output in names:
                if old[output][1] != new[output][1]:
                    differing[output].append(f"{path.name} {name}")
                for group in groups:
                    times[f"{group} {output}"].update(before=old[output][0], after=new[output][0])
        print(f"{path.name}: {count} pages so far", file=sys.stderr)
    report(names, times, differing, count)


def report(names: list[str], times: dict[str, Counter[str]], differing: dict[str, list[str]], count: int) -> None:
    """Print the ratios and the pages whose answers differ."""
    print(f"{count} pages")
    for group in ("all", "utf-8", "old encodings"):
        for output in (name for name in names if name in TIMED and times[group]["pages"]):
            took, pages = times[f"{group} {output}"], times[group]["pages"]
            before, after = 1000 * took["before"] / pages, 1000 * took["after"] / pages
            print(f"{group:14} {output:10} {before:8.3f} {after:8.3f} ms a page, {before / after:.2f} times as fast")
    for output in names:
        print(f"{output}: {len(differing[output]) or 'none'} differ")
        print(*(f"    {page}\n" for page in differing[output][:20]), sep="", end="")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        main()
