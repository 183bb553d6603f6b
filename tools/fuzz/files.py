"""Targets that load files: saved pages, models, schemas, site libraries, WARCs, feeds and sitemaps."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tools.fuzz import seeds
from tools.fuzz.bench import Bench
from tools.fuzz.checks import check

import pagesieve
from pagesieve.batch import warc
from pagesieve.batch.warc import page_of, read_records
from pagesieve.crawl.feeds import read_feed, read_sitemap
from pagesieve.errors import BadFeed, BadModel, NothingFound
from pagesieve.kinds.kind import KIND_FEATURES
from pagesieve.methods.blocks import BlockModel
from pagesieve.methods.reverse import MODEL, REVERSE_FEATURES
from pagesieve.methods.svm import SvmModel
from pagesieve.page.forest import Forest
from pagesieve.page.table import Page
from pagesieve.records.schema import Schema
from pagesieve.text.urls import is_url

URL = "https://fuzz.example/news/1.html"
MAX_PAGE_SIZE = 100_000  # bytes of a page in a WARC
SHARDS = (500, 5000)  # bytes of a shard


def saved_page(data: bytes, bench: Bench) -> None:
    """Load a page: it is sound, methods can use it, and it is the same after it was saved."""
    page = Page.load(bench.file(data))
    check(page.fault() is None, "a damaged page was loaded")
    again = bench.folder / "again"
    page.save(again)
    check(Page.load(again).text_buffer == page.text_buffer, "a page that was saved is another")
    try:
        pagesieve.article(page).as_json()
    except NothingFound:
        return


def model(data: bytes, bench: Bench) -> None:
    """Load a model of each kind: one that is loaded has an answer for any page and any numbers."""
    path = bench.file(data)
    for load, use in _KINDS:
        try:
            loaded = load(path)
        except BadModel:
            continue
        use(loaded)


def _use_method(method: str) -> Callable[[Any], object]:
    def use(loaded: Any) -> None:
        try:
            pagesieve.article(seeds.pages()[1], URL, method=method, model=loaded)
        except NothingFound:
            return

    return use


def _use_forest(forest: Forest) -> None:
    rng = np.random.default_rng(7)
    values = np.concatenate([rng.normal(0, 100, (50, len(forest.names))), np.full((1, len(forest.names)), np.nan)])
    check(len(forest.scores(values.astype(np.float32))) == len(values), "a forest does not score every line")


_KINDS: tuple[tuple[Callable[[Path], Any], Callable[[Any], object]], ...] = (
    (SvmModel.load, _use_method("svm")),
    (BlockModel.load, _use_method("blocks")),
    (lambda path: Forest.load(path, "kind", KIND_FEATURES), _use_forest),
    (lambda path: Forest.load(path, MODEL, REVERSE_FEATURES), _use_forest),
)


def schema(data: bytes, bench: Bench) -> None:
    """Load a schema: written and read again it is the same."""
    found = Schema.load(bench.file(data))
    check(Schema.from_json(found.to_json()) == found, "a schema that was written is another")


def library(data: bytes, bench: Bench) -> None:
    """Open a site library, ask it for all that it has, and let it learn."""
    with pagesieve.open_sites(bench.file(data)) as sites:
        sites.sites()
        sites.pages(URL)
        sites.reference(URL)
        sites.templates(URL)
        sites.lists(URL)
        sites.learn([(URL, seeds.pages()[2])])


def archive(data: bytes, bench: Bench) -> None:
    """Read a WARC: its shards hold what all of it holds, whatever is wrong with it."""
    file = io.BytesIO(data)
    whole = [_key(record) for record in read_records(file, 0, -1, MAX_PAGE_SIZE)]
    for record in read_records(file, 0, -1, MAX_PAGE_SIZE):
        page_of(record, "id", MAX_PAGE_SIZE)
    for size in SHARDS:
        shards = (read_records(file, start, stop, MAX_PAGE_SIZE) for start, stop in warc.cut(file, size))
        cut = [_key(record) for shard in shards for record in shard]
        check(cut == whole, f"shards of {size} bytes hold {len(cut)} records, the file {len(whole)}")


def feed(data: bytes, bench: Bench) -> None:
    """Read a feed and a sitemap: what they name are addresses."""
    for read in (_feed_urls, _sitemap_urls):
        try:
            check(all(map(is_url, read(data))), "what is named is no address")
        except BadFeed:
            continue


def _feed_urls(data: bytes) -> list[str]:
    found = read_feed(data, URL)
    return [*(entry.url for entry in found.entries), *([found.next_url] if found.next_url else [])]


def _sitemap_urls(data: bytes) -> list[str]:
    found = read_sitemap(data, URL)
    return [one.url for one in (*found.pages, *found.sitemaps)]


def _key(record: Any) -> tuple[Any, ...]:
    return record.place, record.inside, record.head, record.content, record.fault
