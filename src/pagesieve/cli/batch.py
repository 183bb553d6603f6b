"""`pagesieve batch`: extract very many pages in shards, with processes or a cluster, into files."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any, Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from pagesieve.batch import BatchOptions, Shard, Stats
from pagesieve.cli import BAD_INPUT, DONE, INTERRUPTED, NOTHING_FOUND, fail, say, visible
from pagesieve.cli.article import article_keywords, bodies_option, with_article_options
from pagesieve.cli.sites import open_library
from pagesieve.cli.sources import declared_option, sources_argument
from pagesieve.errors import BadOption, MissingExtra, RunStopped

if TYPE_CHECKING:
    from pagesieve.batch.run import Engine, Run

DEFAULTS = BatchOptions()
AUTOMATIC = "auto"  # the method that calls others
MB = 1_000_000

ENGINES = {"local": "pagesieve.batch.local", "ray": "pagesieve.batch.ray"}  # imported when needed
LEARNING, DUPLICATES = "pagesieve.batch.learn", "pagesieve.batch.duplicates"
INTERVAL = 30.0  # seconds between two lines if standard error is not a terminal
SHOWN = 6  # values of each count in the summary: reasons, encodings
UNKNOWN_SIZE = 1_000_000  # bytes assumed for a shard of unknown size
COLUMNS = (BarColumn(30), TextColumn("{task.fields[figures]}"), TimeRemainingColumn(), TextColumn("left"))
POSITIVE = click.FloatRange(min=0, min_open=True)
FORMAT_NEEDS = {"parquet": ("pyarrow",), "jsonl.zst": ("zstandard",)}
_option = partial(declared_option, BatchOptions)


@click.command()
@sources_argument
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    required=True,
    help="The folder of the results, local or in a store that fsspec supports, such as s3://bucket/run.",
)
@_option("format", "-f", "--format")
@_option("what")
@bodies_option
@with_article_options
@_option("learn")
@_option("languages", "--language", metavar="CODE", multiple=True)
@_option("min_words", metavar="N", type=click.IntRange(min=0))
@_option("deduplicate")
@_option("similarity", metavar="SHARE", type=float)
@_option("timeout", metavar="SECONDS", type=POSITIVE)
@_option("memory", metavar="MB", type=click.IntRange(min=1))
@_option("max_bytes", metavar="BYTES", type=click.IntRange(min=1))
@_option("allow_private")
@click.option(
    "--workers", metavar="N", type=click.IntRange(min=1), help="Shards at a time.  [default: one for each CPU]"
)
@click.option(
    "--shard-size",
    metavar="MB",
    type=POSITIVE,
    default=64,
    show_default=True,
    help="The approximate size of a shard of a WARC or JSONL file.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run: repeat its command with this option.")
@click.option(
    "--engine",
    type=click.Choice(tuple(ENGINES)),
    default="local",
    show_default=True,
    help="Run the shards in processes of this machine, or on a Ray cluster.",
)
@click.option("--address", metavar="ADDRESS", help="The address of the Ray cluster.  [default: start Ray locally]")
def batch(sources: tuple[str, ...], **given: Any) -> int:
    """Extract from very many pages into files; --resume continues an interrupted run.

    Each SOURCE is a WARC (.warc, .warc.gz), a folder of pages, JSONL (.jsonl, .jsonl.gz: an object per line with "html"
    and "url"), Parquet (columns of these names), a list of URLs (.txt, .urls), a page or its URL, a pattern of file
    names ('crawl/*.warc.gz'), or - for a list of sources on standard input. Paths may lie in any store that fsspec
    supports, such as s3://bucket/crawl.warc.gz.

    The sources are split into shards. Each shard has three files: part-00000.jsonl (or another format) with the
    results, part-00000.rejects.jsonl with the other pages and the reason for each, and part-00000.stats.json
    once it is finished. manifest.json describes the run; stats.json has its statistics at the end. Every page is in the
    results or in the rejects, or, with --deduplicate, in part-00000.duplicates.jsonl with the id of the page that it
    repeats.

    The id of a page in JSONL or Parquet is its column "id", if there is one. All other columns are copied to the
    results.

    If a page takes too long, needs too much memory or crashes its process, only that page is rejected. If a run stops,
    by Ctrl-C, a full disk or a power cut, --resume continues it: it skips finished shards and repeats the others.

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

    Exit status: 0 success, even if pages were rejected; 1 no page has a result; 2 bad usage or input, a full disk, or a
    shard that failed repeatedly; 130 interrupted.
    """
    _refuse_missing(given)
    from pagesieve.batch.run import running

    # Clean up as on Ctrl-C when a service manager stops the command.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options, engine = _options(given), _engine(given)
    shard_bytes, resume = _shard_bytes(given["shard_size"]), given["resume"]
    with running(sources, options, given["output"], shard_bytes=shard_bytes, resume=resume) as run:
        if run.resumed:
            say(f"{run.done} of {len(run.plan.shards)} shards are done already")
        elif resume:
            say(f"{given['output']}: no run to continue; starting one")
        return _run(run, engine)


def _refuse_missing(options: dict[str, Any]) -> None:
    """Raise MissingExtra if an optional part that the options need is not installed."""
    modules = ["fsspec", "fastwarc", *FORMAT_NEEDS.get(options["format"], ())]
    if not all(map(find_spec, modules)):
        raise MissingExtra("a batch", "batch")
    if options["engine"] == "ray" and find_spec("ray") is None:
        raise MissingExtra("--engine ray", "ray")
    if options["deduplicate"] and find_spec("datasketch") is None:
        raise MissingExtra("--deduplicate", "batch", "datasketch")


def _options(options: dict[str, Any]) -> BatchOptions:
    """Return the options of a run. Raises BadOption before any page is read if they fit no page."""
    if options["learn"] and options["sites"] is None:
        raise BadOption("--learn needs --sites: the library to learn into")
    keywords = article_keywords(options)
    if options["sites"] is not None and not options["learn"]:
        open_library(options["sites"]).close()
    keywords |= {name: options[name] for name in BatchOptions.__dataclass_fields__.keys() & options.keys()}
    keywords["languages"] = tuple(code for codes in options["languages"] for code in codes.split(","))
    keywords["bodies"] = options["bodies"] or DEFAULTS.bodies
    return BatchOptions(**keywords)


def _shard_bytes(megabytes: float) -> int:
    """Return the size of a shard in bytes."""
    if not 1 <= megabytes * MB < inf:  # nan is neither
        raise BadOption(f"--shard-size is a number of MB, at least 0.000001, not {megabytes}")
    return round(megabytes * MB)


def _engine(options: dict[str, Any]) -> Engine:
    """Return the engine of the options."""
    settings = {"workers": options["workers"]}
    if options["engine"] == "ray":
        settings["address"] = options["address"]
    elif options["address"] is not None:
        raise BadOption("--address is for --engine ray")
    return partial(import_module(ENGINES[options["engine"]]).run, **settings)


def _run(run: Run, engine: Engine) -> int:
    """Run the remaining shards, print the summary, and return the exit status."""
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
        return fail(f"interrupted: {done}; continue with --resume", INTERRUPTED)
    except RunStopped as error:
        return fail(f"{error} ({run.done + display.done} of {whole} shards are done)", BAD_INPUT)
    stats = run.folder.sum_up()
    summary(stats, display.stats, display.seconds, run)
    if lost:
        return fail(f"{lost} of {whole} shards were given up; --resume tries them again", BAD_INPUT)
    return DONE if stats.results else fail("no page has a result", NOTHING_FOUND)


class Display:
    """A `Watch` that shows the progress of a run: a bar on a terminal, otherwise a line at intervals."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.done = 0  # shards finished
        self._finished = Stats()
        self._running: dict[int, tuple[Shard, Stats]] = {}
        self._size_finished = 0
        self._size = sum(map(_size, shards))
        console = Console(stderr=True)
        self._bars = Progress(*COLUMNS, console=console, transient=True) if console.is_terminal else None
        self._began = self._reported = self._ended = time.monotonic()

    def __enter__(self) -> Self:
        self._began = self._reported = time.monotonic()
        if self._bars:
            self._bars.add_task("", total=self._size, figures="")
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = time.monotonic()
        if self._bars:
            self._bars.stop()

    def progress(self, shard: Shard, stats: Stats) -> None:
        """Show the progress of a shard."""
        self._running[shard.number] = shard, stats
        self._show()

    def finished(self, shard: Shard, stats: Stats) -> None:
        """Count a finished shard."""
        self._running.pop(shard.number, None)
        self._finished.add(stats)
        self._size_finished += _size(shard)
        self.done += 1
        self._show()

    def repeated(self, shard: Shard, why: str) -> None:
        """Report that a shard will be repeated."""
        self._running.pop(shard.number, None)
        say(f"{shard.name}: {why}; trying it again")

    def given_up(self, shard: Shard, why: str) -> None:
        """Report that a shard has failed too often, or would fail again."""
        self._running.pop(shard.number, None)
        say(f"{shard.name}: {why}; given up, --resume tries it again ({_location(shard)})")

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        return self._ended - self._began

    @property
    def stats(self) -> Stats:
        """The statistics of this run so far."""
        stats = Stats()
        stats.add(self._finished)
        for _, running in self._running.values():
            stats.add(running)
        return stats

    def _show(self) -> None:
        now = time.monotonic()
        if self._bars:
            text = figures(self.stats, now - self._began)
            self._bars.update(self._bars.task_ids[0], completed=self._size_done(), figures=text)
        elif now - self._reported >= INTERVAL:
            self._reported = now
            seconds, done = now - self._began, self._size_done()
            left = f", {done / self._size:.0%} done, {duration(seconds * (self._size / done - 1))} left" if done else ""
            say(f"{figures(self.stats, seconds)}{left}")

    def _size_done(self) -> float:
        return self._size_finished + sum(self._part(shard, stats) for shard, stats in self._running.values())

    def _part(self, shard: Shard, stats: Stats) -> float:
        """Return how much of a shard is done; estimate the size of its pages from the finished shards."""
        if shard.names:
            return _size(shard) * min(1.0, stats.pages / len(shard.names))
        if not self._finished.bytes:
            return 0.0
        return min(_size(shard), stats.bytes * self._size_finished / self._finished.bytes)


def _size(shard: Shard) -> int:
    return shard.size or UNKNOWN_SIZE


def _location(shard: Shard) -> str:
    """Return the part of the input that a shard covers."""
    if shard.names:
        return f"{shard.names[0]} and {len(shard.names) - 1} more" if len(shard.names) > 1 else shard.names[0]
    stop = shard.stop if shard.stop >= 0 else "the end"
    return f"{shard.path}, {'row groups' if shard.kind == 'parquet' else 'bytes'} {shard.start} to {stop}"


def figures(stats: Stats, seconds: float) -> str:
    """Return the number of pages, the speed and the number of rejects as one line."""
    seconds = max(seconds, 1e-3)
    pace = f"{stats.pages / seconds:,.0f} pages/s, {stats.bytes / MB / seconds:.1f} MB/s"
    return f"{stats.pages:,} pages, {pace}, {stats.rejected.total():,} rejected"


def duration(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def summary(whole: Stats, now: Stats, seconds: float, run: Run) -> None:
    """Print the statistics of all pages of a run (`whole`), and the speed of the pages since it was resumed (`now`)."""
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
