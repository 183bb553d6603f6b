"""What `benchmarks/markdown.py` counts: the markup of a page inside the gold, and what of it the Markdown shows."""

from __future__ import annotations

import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from pagesieve.evaluate.archives import Gold

FILE = Path(__file__).parent.parent / "benchmarks" / "markdown.py"
URL = "https://example.org/a"
PAGE = """<title>T</title><nav><ul><li><a href="/home">Home</a></li></ul></nav><h1>The title</h1><h2>A part</h2>
<p>Some words with <a href="/b">a link</a> among them, and more.</p>
<ul><li>One thing that is listed here</li><li>two</li></ul><ol><li><a href="#part">A part</a></li></ol>
<table><tr><th>Name of the river<th>Size in km<tr><td>Danube, Donau<td>2850 or more</table>
<pre><code class="language-py">x = 1</code></pre>
<blockquote>Nobody ever said this.</blockquote>
<figure><img src=c.png><figcaption>A river in May.</figcaption></figure>"""
GOLD = """The title
A part
Some words with a link among them, and more.
One thing that is listed here
two
Name of the river Size in km Danube, Donau 2850 or more
x = 1
Nobody ever said this.
A river in May."""


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    for package in ("trafilatura", "markdownify", "readability", "markdown_it"):
        pytest.importorskip(package)
    spec = spec_from_file_location("benchmark_markdown", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def counts(found: Counter[tuple[str, str]]) -> dict[str, int]:
    return dict(Counter(column for column, _ in found.elements()))


def test_markup_inside_the_gold_is_wanted(benchmark: ModuleType) -> None:
    wanted = benchmark.wanted_of(Gold("1", GOLD, URL, title="The title"), PAGE.encode())
    assert counts(wanted) == {
        "headings": 1,
        "links": 1,
        "items": 2,
        "heads": 2,
        "cells": 2,
        "code": 1,
        "language": 1,
        "quotations": 1,
        "captions": 1,
    }


def test_markdown_is_counted_by_the_same_things(benchmark: ModuleType) -> None:
    gold = Gold("1", GOLD, URL, title="The title")
    text = (
        "# A part\n\nSome words with [a link](https://example.org/b) among them.\n\n- two\n\n"
        "| Name of the river | Size in km |\n"
        "| --- | --- |\n| Danube, Donau | 0 |\n\n```js\nx = 1\n```\n\n> Nobody ever said this.\n\n"
        "*A river in May.*\n\n[^1]: A note.\n"
    )
    page = benchmark.Compared("x", gold, benchmark.wanted_of(gold, PAGE.encode()), {"a": text})
    found = {column: count[0] for column, count in page.counts("a").items()}
    assert found == {
        "headings": 1,
        "items": 1,
        "heads": 2,
        "cells": 1,
        "code": 1,
        "language": 0,
        "quotations": 1,
        "captions": 1,
        "links": 1,
    }
