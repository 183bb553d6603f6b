"""The first pass of `batch --learn`: learn the sites of a batch from the pages of the batch itself.

The addresses alone decide which pages of a site are learnt, and in which order, so every engine and database learns
the same. First the pages of each shard are indexed: site, address, id. The index is sorted, and some pages of every
site that has enough are chosen. One task learns a site, in one transaction.

Finished tasks are marked, like shards, and not repeated. If a task is repeated because its worker died, the pages that
are in the library already change nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from fsspec.core import url_to_fs

from pagesieve import api
from pagesieve.batch import BatchOptions, Item, Shard, Skipped, Stats, local
from pagesieve.batch.outputs import Folder
from pagesieve.batch.pages import Row, ask, check_is_page, page_child
from pagesieve.batch.run import Display, Engine, Progress, Reports, Run, do_all, with_text
from pagesieve.batch.sources import read_item, read_shard
from pagesieve.batch.storage import exists, open_file
from pagesieve.errors import BadInput, BadLibrary, RunStopped
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.sites.outlines import outline
from pagesieve.sites.templates import leaves
from pagesieve.text.urls import site_key
from pagesieve.workers.child import About, Reason, reason_category

if TYPE_CHECKING:
    from pagesieve.sites.library import Sites

MIN_PAGES = 5  # pages of a site: fewer have no templates
MAX_PAGES = 32  # pages that are learnt of a site: as many as the library keeps, so that none pushes another out
MAX_BYTES = 2_000_000  # bytes of a page that is learnt: all those of a site are held at a time
TASK = 500  # pages that a task learns, or a few more

MARKER = "learnt.json"  # in the folder of the run: all is learnt
WORK = "learning"  # a folder in it, until then
LINES = ".jsonl"

SCHEMA = "CREATE TABLE pages (site TEXT, url TEXT, id TEXT, PRIMARY KEY (site, url, id)) WITHOUT ROWID"


@dataclass(frozen=True, slots=True)
class Learnt:
    """The numbers of sites and pages that were learnt from a batch."""

    sites: int
    pages: int
    new: int  # of them
    why: str = ""  # nothing was learnt, or nothing new


def learn(run: Run, engine: Engine, display: Display) -> Learnt:
    """Learn the sites of a run into its library; if that was done before, only return its figures.

    `display` makes the watch of some shards. Raises RunStopped if not everything could be learnt, since the extraction
    would then have other results than another run.
    """
    library = run.plan.options.sites
    assert library is not None, "there is a library to learn into"
    before = _load(run.folder)
    if before is not None:
        return before
    api.open_sites(library).close()  # made if new, refused if it is no library
    work = f"{run.folder.address}/{WORK}"
    pages, sites = Folder(f"{work}/pages"), Folder(f"{work}/sites")
    indexing = partial(index, options=run.plan.options, folder=pages.path)
    do_all(run.plan.shards, indexing, pages, engine, display, "learnt")
    groups = list(_planned(sites, _chosen(pages, run.plan.shards)))
    # A SQLite file has one writer at a time, and lies on this machine.
    is_file = "://" not in library or library.startswith("sqlite")
    learner = partial(local.run, workers=1) if is_file else engine
    task = partial(learn_sites, options=run.plan.options, folder=sites.path)
    do_all([group for group, _ in groups], task, sites, learner, display, "learnt")
    stats = sites.sum_up()
    count = sum(count for _, count in groups)
    why = "" if stats.results else _why_nothing(pages, run.plan.shards, stats)
    learnt = Learnt(count, stats.pages - stats.rejected.total(), stats.results, why)
    run.folder.write_lines(MARKER, [asdict(learnt)])
    with run.folder.telling():
        files, root = url_to_fs(work)
        files.rm(root, recursive=True)
    return learnt


def _why_nothing(folder: Folder, shards: Sequence[Shard], learning: Stats) -> str:
    """Return why no page of a batch was learnt; `learning` are the statistics of the chosen pages."""
    if learning.rejected:
        reason, count = learning.rejected.most_common(1)[0]
        return f"{learning.rejected.total()} of {learning.pages} pages could not be: {reason} ({count})"
    if learning.pages:
        return "the library knew all of them"
    total = folder.sum_up().pages
    sites = Counter(site for shard in shards for site, _, _ in _lines(f"{folder.path}/{shard.name}{LINES}"))
    if not sites:
        return f"none of {total} pages has an address, from a column `url` or a WARC record"
    site, most = min(sites.items(), key=lambda pair: (-pair[1], pair[0]))
    without = f"; {total - sites.total()} pages have no address" if total > sites.total() else ""
    return f"a site needs {MIN_PAGES} pages, and of {len(sites)} none has them ({site} has {most}){without}"


def _load(folder: Folder) -> Learnt | None:
    """Return the result of an earlier pass; None if it was not finished."""
    path = f"{folder.address}/{MARKER}"
    if not exists(path):
        return None
    with folder.telling(), open_file(path) as file:
        return Learnt(**json.load(file))


def index(shard: Shard, options: BatchOptions, folder: str, progress: Progress | None = None) -> Stats:
    """Write the pages of a shard that could be learnt to a file: the site, address and id of each."""
    stats = Stats()
    place = Folder(folder)
    place.write_lines(shard.name + LINES, _indexed(shard, options, stats, Reports(stats, progress)))
    place.mark(shard, stats)
    return stats


def _indexed(shard: Shard, options: BatchOptions, stats: Stats, reports: Reports) -> Iterator[list[str]]:
    for item in _items(shard, options):
        if isinstance(item, Skipped):
            continue
        stats.pages += 1
        stats.bytes += len(item.data or b"")
        item = with_text(item)
        url = _address(item)
        if url and (site := site_key(url)):
            yield [site, url, item.id]
        reports.tell()


def _items(shard: Shard, options: BatchOptions) -> Iterable[Item | Skipped]:
    """The pages of a shard; those of a list of URLs without being fetched."""
    if shard.kind == "urls":
        return (Item(url, url, b"") for url in shard.names)
    return read_shard(shard, options)


def _address(item: Item) -> str | None:
    """Return the address of a page by its source: the page itself must not choose its site."""
    return None if item.data is None or len(item.data) > MAX_BYTES else item.url


class Look:
    """Reads a page as learning does, in a page process, which a hostile page may kill."""

    def __init__(self, options: dict[str, Any]) -> None:
        pass

    def answer(self, data: bytes, about: About) -> Row:
        """Return nothing. Raises Rejected if the bytes are not a page."""
        check_is_page(data)
        page = parse(data, about.get("url"), content_type=about.get("content_type"))
        outline(page)
        leaves(page)
        return {}


LOOK = f"{Look.__module__}:{Look.__name__}"


def _chosen(folder: Folder, shards: Sequence[Shard]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the sites that have enough pages, in order, each with the pages to learn, by address and id.

    If there are many, they are spread evenly over the sorted addresses: the first ones could all be of one section.
    """
    try:
        with folder.telling(), closing(sqlite3.connect("")) as ordered:  # a temporary file
            ordered.execute(SCHEMA)
            lines = chain.from_iterable(_lines(f"{folder.path}/{shard.name}{LINES}") for shard in shards)
            ordered.executemany("INSERT OR IGNORE INTO pages VALUES (?, ?, ?)", lines)
            counts = ordered.execute(
                "SELECT site, COUNT(*) FROM pages GROUP BY site HAVING COUNT(*) >= ?", (MIN_PAGES,)
            )
            for site, count in sorted(counts):
                pages = ordered.execute("SELECT url, id FROM pages WHERE site = ? ORDER BY url, id", (site,))
                places = {k * count // MAX_PAGES for k in range(MAX_PAGES)} if count > MAX_PAGES else range(count)
                yield site, [page for k, page in enumerate(pages) if k in places]
    except sqlite3.Error as error:
        raise RunStopped(f"the index of the pages cannot be sorted: {error}") from error


def _planned(folder: Folder, chosen: Iterable[tuple[str, list[tuple[str, str]]]]) -> Iterator[tuple[Shard, int]]:
    """Write the tasks that learn the sites to files; yield each task with the number of its sites."""
    folder.prepare()
    group: list[tuple[str, list[tuple[str, str]]]] = []
    number = 0
    for each in chain(chosen, [None]):
        if each is not None:
            group.append(each)
        size = sum(len(pages) for _, pages in group)
        if size >= TASK or (each is None and group):
            shard = Shard(number, "sites", size=size)
            folder.write_lines(shard.name + LINES, group)
            yield replace(shard, path=f"{folder.path}/{shard.name}{LINES}"), len(group)
            group, number = [], number + 1


def learn_sites(shard: Shard, options: BatchOptions, folder: str, progress: Progress | None = None) -> Stats:
    """Learn the sites of a task, each in one transaction; `results` of its figures are the pages that were new."""
    stats = Stats()
    reports = Reports(stats, progress)
    with _library(options) as sites:
        for site, pages in _lines(shard.path):
            stats.results += sites.learn(_pages(site, pages, options, stats), lists=False)
            reports.tell()
    Folder(folder).mark(shard, stats)
    return stats


@contextmanager
def _library(options: BatchOptions) -> Iterator[Sites]:
    assert options.sites is not None
    try:
        with api.open_sites(options.sites) as sites:
            yield sites
    except BadLibrary as error:  # every other task would fail as well
        raise RunStopped(str(error)) from error


def _pages(site: str, pages: list[tuple[str, str]], options: BatchOptions, stats: Stats) -> Iterator[tuple[str, Page]]:
    """Yield the pages of a site to learn; those that turn out to be no pages, or of another site, are left out."""
    for _, item_id in pages:
        item = _read_again(item_id, options)
        stats.pages += 1
        stats.bytes += len(item.data or b"")
        looked = ask(page_child(options, LOOK), item)
        if isinstance(looked, Reason):
            stats.rejected[reason_category(looked)] += 1
        elif item.data is None or not (url := _address(item)) or site_key(url) != site:
            stats.rejected["not what it was"] += 1  # a list of URLs may lead anywhere
        else:
            yield url, parse(item.data, url, content_type=item.content_type)


def _read_again(item_id: str, options: BatchOptions) -> Item:
    try:
        return with_text(read_item(item_id, options))
    except BadInput as error:  # it was there a moment ago: its store may answer the next time
        raise OSError(str(error)) from error


def _lines(path: str) -> Iterator[Any]:
    with open_file(path) as file:
        for line in file:
            yield json.loads(line)
