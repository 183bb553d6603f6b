"""Feed mutated pages to everything that runs in the kernel.

python tools/fuzz_kernel.py [--pages 2000] [--seed 7] [FOLDER…]

FOLDER holds pages (*.html); the example site is the default. Errors of Pagesieve's own are answers; any other
exception, and any exception that C code could not pass on, ends the run and leaves the page in a file. Memory errors
are found by the sanitizers: see `make sanitize`. Needs the extra `sites`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp
from typing import Any

import pagesieve
from pagesieve.articles.metadata import metadata
from pagesieve.errors import PagesieveError
from pagesieve.page.static import parse
from pagesieve.sites.library import Sites

EXAMPLES = Path(__file__).parents[1] / "examples" / "site"
URL = "https://fuzz.example/news/2024/05/17/story.html"
LONGEST = 20_000  # bytes of one page
MOST_CHANGES = 60  # of one page
LEARNT = 20  # pages that the site library knows
PIECES = (
    *b"< > </ <!-- --> <! <![CDATA[ ]]> /> \" ' = & &amp; &#x1f600; &#0; &notit; \x00 \xff \xe4\xb8\xad".split(),
    *b"<p> </p> <li> </ul> <table> <tr> <td> </table> <textarea> </textarea> <title> </title> </script>".split(),
    *b"<svg> </svg> <math> <template> <select> <option> <form> <pre> <ruby> <b> </b> <a> </a> <plaintext>".split(),
    b"<script><!--<script>",
    b'<meta property="article:published_time" content="2024-05-17">',
    b'<script type="application/ld+json">{"@type": "Article", "author": "',
    b'<div style="display:none">',
    b"<td colspan=1000 rowspan=1000>",
    b"\xef\xbb\xbf",
    b"\r\n",
)

Entry = Callable[[bytes], object]


def main() -> int:
    """Run until so many pages are through; return 1 where one is answered by anything but an answer."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folders", metavar="FOLDER", type=Path, nargs="*", default=[EXAMPLES])
    arguments.add_argument("--pages", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=7)
    given = arguments.parse_args()
    sources = [path.read_bytes() for folder in given.folders for path in sorted(folder.rglob("*.html"))]
    if not sources:
        arguments.error("no *.html in these folders")
    unraised: list[str] = []
    sys.unraisablehook = lambda problem: unraised.append(f"{problem.exc_value!r} in {problem.object!r}")
    started, read, answers = time.monotonic(), 0, Counter[str]()
    with TemporaryDirectory() as folder, pagesieve.open_sites(Path(folder) / "sites.db") as sites:
        sites.learn((f"https://fuzz.example/news/{k}.html", source) for k, source in enumerate(sources[:LEARNT]))
        entries = dict(_entries(sites))
        for data in _mutated(sources, given.seed, given.pages):
            read += len(data)
            for name, entry in entries.items():
                problem = _try(entry, data, answers, name) or "".join(unraised)
                if problem:
                    path = Path(mkstemp(suffix=".html")[1])
                    path.write_bytes(data)
                    print(f"{name}: {problem}; the page is in {path}", file=sys.stderr)
                    return 1
    seconds = time.monotonic() - started
    print(f"{given.pages:,} pages, {read:,} bytes in {seconds:.0f} s, {pagesieve.KERNEL} kernel: no fault")
    print(f"answered: {', '.join(f'{name} {answers[name]:,}' for name in entries)}")
    return 0


def _entries(sites: Sites) -> Iterator[tuple[str, Entry]]:
    """Yield what is called with each page, by name: together it reaches every module of the kernel."""
    for method in ("auto", "lineblocks", "svm", "reverse"):
        yield method, partial(_written, method=method)
    yield "records", lambda data: pagesieve.records(data, URL, mode="static").to_rows()
    yield "catalogue", lambda data: pagesieve.catalogue(data, URL)
    yield "headline", lambda data: pagesieve.headline(data, URL)
    yield "kind", lambda data: pagesieve.kind(data, URL)
    yield "facts", lambda data: metadata(parse(data, URL))
    for method in ("sharpened", "layout", "template"):
        yield method, partial(_written, method=method, sites=sites)


def _written(data: bytes, **options: Any) -> tuple[str, ...]:
    article = pagesieve.article(data, URL, **options)
    return article.text, article.markdown, article.html


def _try(entry: Entry, data: bytes, answers: Counter[str], name: str) -> str | None:
    """Call an entry and count its answer; return what went wrong, None where nothing did."""
    try:
        entry(data)
        answers[name] += 1
    except PagesieveError:
        return None
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return None


def _mutated(sources: Sequence[bytes], seed: int, count: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    for _ in range(count):
        source = rng.choice(sources)
        start = rng.randrange(max(1, len(source) - LONGEST // 2))
        data = bytearray(source[start : start + rng.randrange(10, LONGEST)])
        for _ in range(rng.randrange(1, MOST_CHANGES)):
            _change(rng, data)
        yield bytes(data)


def _change(rng: random.Random, data: bytearray) -> None:
    """Insert a piece of markup, delete, repeat or overwrite a few bytes."""
    at, way = rng.randrange(len(data) + 1), rng.random()
    if way < 0.4:
        data[at:at] = rng.choice(PIECES)
    elif way < 0.6:
        del data[at : at + rng.randrange(1, 30)]
    elif way < 0.7:
        data[at:at] = data[at : at + rng.randrange(1, 200)] * rng.randrange(1, 20)
    elif data:
        data[at - 1] = rng.randrange(256)


if __name__ == "__main__":
    sys.exit(main())
