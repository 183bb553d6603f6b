"""`pagesieve batch`: very many pages, in shards that processes or a cluster run, with results in files."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any, Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from pagesieve.batch import FORMATS, WHATS, BatchOptions, Shard, Stats
from pagesieve.cli import BAD_INPUT, DONE, INTERRUPTED, NOTHING_FOUND, fail, say, visible
from pagesieve.cli.article import article_keywords, bodies_option, with_article_options
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import Command, allow_private_option, sources_argument
from pagesieve.errors import BadOption, MissingExtra, RunStopped

if TYPE_CHECKING:
    from pagesieve.batch.run import Engine, Run

DEFAULTS = BatchOptions()
AUTOMATIC = "auto"  # the method that others answer for
MB = 1_000_000

ENGINES = {"local": "pagesieve.batch.local", "ray": "pagesieve.batch.ray"}  # imported when asked for
LEARNING, DUPLICATES = "pagesieve.batch.learn", "pagesieve.batch.duplicates"
INTERVAL = 30.0  # seconds between two lines where standard error is no terminal
SHOWN = 6  # values of each count in the summary: reasons, encodings
UNKNOWN_SIZE = 1_000_000  # bytes that a shard of unknown size counts as
COLUMNS = (BarColumn(30), TextColumn("{task.fields[figures]}"), TimeRemainingColumn(), TextColumn("left"))
POSITIVE = click.FloatRange(min=0, min_open=True)
FORMAT_NEEDS = {"parquet": ("pyarrow",), "jsonl.zst": ("zstandard",)}


def _limit(name: str, unit: str, kind: Any, default: float, help: str) -> Callable[[Command], Command]:
    return click.option(name, metavar=unit, type=kind, default=default, show_default=True, help=help)


@click.command()
@sources_argument
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    required=True,
    help="Where to write: a folder, or one of a store that fsspec knows, such as s3://bucket/run.",
)
@click.option(
    "-f", "--format", type=click.Choice(FORMATS), default=DEFAULTS.format, show_default=True, help="Of the results."
)
@click.option(
    "--what",
    type=click.Choice(WHATS),
    default=DEFAULTS.what,
    show_default=True,
    help="What to look for on each page; all is whatever it has.",
)
@bodies_option
@with_article_options
@click.option(
    "--learn",
    is_flag=True,
    help="Two passes: first learn the sites of these pages into --sites, then extract with what was learnt.",
)
@click.option(
    "--language",
    "languages",
    metavar="CODE",
    multiple=True,
    help="Reject pages in other languages: en, pt-br, or several (en,de). Repeatable.",
)
@click.option(
    "--min-words",
    metavar="N",
    type=click.IntRange(min=0),
    default=DEFAULTS.min_words,
    help="Reject pages with fewer words (in scripts without blanks between words: characters).",
)
@click.option(
    "--deduplicate", is_flag=True, help="Leave out pages whose text repeats that of a page before them, or nearly."
)
@click.option(
    "--similarity",
    metavar="SHARE",
    type=float,
    default=DEFAULTS.similarity,
    show_default=True,
    help="What --deduplicate takes for a repetition: the share of runs of 5 words in common; 1 for the same text only.",
)
@_limit("--timeout", "SECONDS", POSITIVE, DEFAULTS.timeout, "The most that a page may take.")
@_limit("--memory", "MB", click.IntRange(min=1), DEFAULTS.memory, "The most memory that a page may need.")
@_limit("--max-bytes", "BYTES", click.IntRange(min=1), DEFAULTS.max_bytes, "The largest page that is read.")
@allow_private_option
@click.option("--workers", metavar="N", type=click.IntRange(min=1), help="Shards at a time.  [default: one a CPU]")
@_limit("--shard-size", "MB", POSITIVE, 64, "About how much of a WARC or JSONL file is one shard.")
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted: the same command, and this.")
@click.option(
    "--engine",
    type=click.Choice(tuple(ENGINES)),
    default="local",
    show_default=True,
    help="What runs the shards: processes of this machine, or a Ray cluster.",
)
@click.option("--address", metavar="ADDRESS", help="The Ray cluster; without it Ray is started on this machine.")
def batch(sources: tuple[str, ...], **given: Any) -> int:
    """Extract from very many pages, into files; runs that were interrupted go on.

    Each SOURCE is a WARC (.warc, .warc.gz), a folder of pages, JSONL (.jsonl, .jsonl.gz: an object a line with "html"
    and "url"), Parquet (columns of these names), a list of URLs (.txt, .urls), a page or its URL, a pattern of file
    names ('crawl/*.warc.gz'), or - for a list of sources on standard input. Paths may be of any store that fsspec
    knows, such as s3://bucket/crawl.warc.gz.

    The sources are cut into shards. A shard makes three files, part-00000.jsonl (or the format asked for) with the
    results, part-00000.rejects.jsonl with the pages that gave none and the reason for each, and part-00000.stats.json
    once it is finished. manifest.json says what the run is, stats.json sums it up at the end. Every page is in the
    results or in the rejects; with --deduplicate, in the results, the rejects or part-00000.duplicates.jsonl, with the
    id of the page that it repeats.

    The id of a page in JSONL or Parquet is its column "id", where there is one. All other columns are passed through
    to the results.

    A page that takes too long, needs too much memory or crashes what reads it costs only itself. A run that was
    stopped, whether by Ctrl-C, a full disk or a power cut, goes on with --resume: finished shards are skipped, the
    others are repeated.

    \b
    pagesieve batch crawl.warc.gz -o articles/
    pagesieve batch 'crawl/*.warc.gz' -o articles/ -f parquet --workers 8
    pagesieve batch 'crawl/*.warc.gz' -o articles/ -f parquet --workers 8 --resume
    pagesieve batch crawl.warc.gz -o articles/ -f parquet --with text,markdown
    pagesieve batch pages/ -o records/ --what records -f jsonl.zst
    pagesieve batch urls.txt -o articles/ --timeout 10
    pagesieve batch pages.jsonl -o corpus/ -f parquet --language en,de --min-words 100 --deduplicate
    pagesieve batch crawl.warc.gz -o articles/ --sites sites.db --learn
    pagesieve batch s3://bucket/crawl/*.warc.gz -o s3://bucket/articles --engine ray --address auto

    Exit status: 0 done, also where pages were rejected; 1 no page gave a result; 2 bad usage or input, no room to
    write, or a shard that had to be given up; 130 interrupted.
    """
    _refuse_missing(given)
    from pagesieve.batch.run import running

    # Tidy up when a service manager stops this, as on Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options, engine = _options(given), _engine(given)
    shard_bytes, resume = _shard_bytes(given["shard_size"]), given["resume"]
    with running(sources, options, given["output"], shard_bytes=shard_bytes, resume=resume) as run:
        if run.resumed:
            say(f"{run.done} of {len(run.plan.shards)} shards are done already")
        elif resume:
            say(f"{given['output']}: no run to go on with; starting one")
        return _run(run, engine)


def _refuse_missing(given: dict[str, Any]) -> None:
    """Say which optional part is not installed."""
    modules = ["fsspec", "fastwarc", *FORMAT_NEEDS.get(given["format"], ())]
    if not all(map(find_spec, modules)):
        raise MissingExtra("a batch", "batch")
    if given["engine"] == "ray" and find_spec("ray") is None:
        raise MissingExtra("--engine ray", "ray")
    if given["deduplicate"] and find_spec("datasketch") is None:
        raise MissingExtra("--deduplicate", "deduplicate")


def _options(given: dict[str, Any]) -> BatchOptions:
    """The options of a run. Says once, before any page is read, what would be wrong with every one of them."""
    if given["learn"] and given["sites"] is None:
        raise BadOption("--learn needs --sites: the library to learn into")
    keywords = article_keywords(given)
    if given["sites"] is not None and not given["learn"]:
        open_library(given["sites"]).close()
    own = {"what", "format", "sites", "learn", "timeout", "memory", "max_bytes", "allow_private"}
    own |= {"min_words", "deduplicate", "similarity"}
    languages = tuple(code for codes in given["languages"] for code in codes.split(","))
    bodies = given["bodies"] or DEFAULTS.bodies
    return BatchOptions(**keywords, **{name: given[name] for name in own}, languages=languages, bodies=bodies)


def _shard_bytes(megabytes: float) -> int:
    """The size of a shard, as it was asked for."""
    if not 1 <= megabytes * MB < inf:  # nan is neither
        raise BadOption(f"--shard-size is a number of MB, at least 0.000001, not {megabytes}")
    return round(megabytes * MB)


def _engine(given: dict[str, Any]) -> Engine:
    """The engine that was asked for."""
    settings = {"workers": given["workers"]}
    if given["engine"] == "ray":
        settings["address"] = given["address"]
    elif given["address"] is not None:
        raise BadOption("--address is for --engine ray")
    return partial(import_module(ENGINES[given["engine"]]).run, **settings)


def _run(run: Run, engine: Engine) -> int:
    """Do what is left of a run, and sum it up; return the exit status."""
    display, whole = Display(run.left), len(run.plan.shards)
    try:
        if run.plan.options.learn:
            learnt = import_module(LEARNING).learn(run, engine, Display)
            why = f": {learnt.why}" if learnt.why else ""
            say(f"learnt {learnt.pages} pages of {learnt.sites} sites, {learnt.new} of them new{why}")
        with display:
            engine(run.left, run.extraction, display)
        lost = len(run.left) - display.done
        if run.plan.options.deduplicate and not lost:
            import_module(DUPLICATES).deduplicate(run, engine, Display)
    except KeyboardInterrupt:
        done = f"{run.done + display.done} of {whole} shards are done"
        return fail(f"interrupted: {done}; go on with --resume", INTERRUPTED)
    except RunStopped as error:
        return fail(f"{error} ({run.done + display.done} of {whole} shards are done)", BAD_INPUT)
    stats = run.folder.sum_up()
    summary(stats, display.stats, display.seconds, run)
    if lost:
        return fail(f"{lost} of {whole} shards were given up; --resume tries them again", BAD_INPUT)
    return DONE if stats.results else fail("no page gave a result", NOTHING_FOUND)


class Display:
    """Shows what becomes of the shards of a run, as a `Watch`: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.done = 0  # shards finished
        self._finished = Stats()
        self._running: dict[int, tuple[Shard, Stats]] = {}
        self._size_finished = 0
        self._size = sum(map(_size, shards))
        console = Console(stderr=True)
        self._bars = Progress(*COLUMNS, console=console, transient=True) if console.is_terminal else None
        self._began = self._told = self._ended = time.monotonic()

    def __enter__(self) -> Self:
        self._began = self._told = time.monotonic()
        if self._bars:
            self._bars.add_task("", total=self._size, figures="")
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = time.monotonic()
        if self._bars:
            self._bars.stop()

    def progress(self, shard: Shard, stats: Stats) -> None:
        """A shard has come this far."""
        self._running[shard.number] = shard, stats
        self._show()

    def finished(self, shard: Shard, stats: Stats) -> None:
        """A shard is finished."""
        self._running.pop(shard.number, None)
        self._finished.add(stats)
        self._size_finished += _size(shard)
        self.done += 1
        self._show()

    def repeated(self, shard: Shard, why: str) -> None:
        """A shard has to be done again."""
        self._running.pop(shard.number, None)
        say(f"{shard.name}: {why}; trying it again")

    def given_up(self, shard: Shard, why: str) -> None:
        """A shard has failed too often, or would fail again."""
        self._running.pop(shard.number, None)
        say(f"{shard.name}: {why}; given up, --resume tries it again ({_whereabouts(shard)})")

    @property
    def seconds(self) -> float:
        """How long the run took."""
        return self._ended - self._began

    @property
    def stats(self) -> Stats:
        """What was done in this run so far."""
        stats = Stats()
        stats.add(self._finished)
        for _, running in self._running.values():
            stats.add(running)
        return stats

    def _show(self) -> None:
        now = time.monotonic()
        if self._bars:
            told = figures(self.stats, now - self._began)
            self._bars.update(self._bars.task_ids[0], completed=self._size_done(), figures=told)
        elif now - self._told >= INTERVAL:
            self._told = now
            seconds, done = now - self._began, self._size_done()
            left = f", {done / self._size:.0%} done, {duration(seconds * (self._size / done - 1))} left" if done else ""
            say(f"{figures(self.stats, seconds)}{left}")

    def _size_done(self) -> float:
        return self._size_finished + sum(self._part(shard, stats) for shard, stats in self._running.values())

    def _part(self, shard: Shard, stats: Stats) -> float:
        """How much of a shard is done. Finished shards tell how large pages are, compared with their source."""
        if shard.names:
            return _size(shard) * min(1.0, stats.pages / len(shard.names))
        if not self._finished.bytes:
            return 0.0
        return min(_size(shard), stats.bytes * self._size_finished / self._finished.bytes)


def _size(shard: Shard) -> int:
    return shard.size or UNKNOWN_SIZE


def _whereabouts(shard: Shard) -> str:
    """Which part of the input a shard is."""
    if shard.names:
        return f"{shard.names[0]} and {len(shard.names) - 1} more" if len(shard.names) > 1 else shard.names[0]
    stop = shard.stop if shard.stop >= 0 else "the end"
    return f"{shard.path}, {'row groups' if shard.kind == 'parquet' else 'bytes'} {shard.start} to {stop}"


def figures(stats: Stats, seconds: float) -> str:
    """Write pages, their pace, and how many were rejected, in a line."""
    seconds = max(seconds, 1e-3)
    pace = f"{stats.pages / seconds:,.0f} pages/s, {stats.bytes / MB / seconds:.1f} MB/s"
    return f"{stats.pages:,} pages, {pace}, {stats.rejected.total():,} rejected"


def duration(seconds: float) -> str:
    """Write a time the way people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def summary(whole: Stats, now: Stats, seconds: float, run: Run) -> None:
    """Say what became of all pages of a run, and how fast those of this run (`now`) were."""
    counts = f"{whole.pages:,} pages, {whole.results:,} results, {whole.rejected.total():,} rejected"
    counts += f", {whole.duplicates:,} duplicates" if whole.duplicates else ""
    say(f"{counts} ({_pace(whole, now, seconds)}), in {run.folder.path}")
    for name in ("rejected", "skipped", "encodings", "kinds", "methods"):
        if counted := getattr(whole, name):
            listed = _listed(counted)
            if name == "methods" and run.plan.options.method == AUTOMATIC:
                listed = f"{counted.total():,} {AUTOMATIC} ({listed})"
            click.echo(f"  {name:9}  {visible(listed)}", err=True)


def _pace(whole: Stats, now: Stats, seconds: float) -> str:
    if not now.pages:
        return "nothing was left to do"
    some = f"{now.pages:,} of them in " if now.pages < whole.pages else ""
    return f"{some}{duration(seconds)}, {now.pages / max(seconds, 1e-3):,.0f} pages/s"


def _listed(counted: Counter[str]) -> str:
    listed = [f"{count:,} {value}" for value, count in counted.most_common(SHOWN)]
    if more := counted.total() - sum(count for _, count in counted.most_common(SHOWN)):
        listed.append(f"{more:,} others")
    return "; ".join(listed)
