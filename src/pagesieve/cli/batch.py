"""`pagesieve batch`: very many pages, in shards that processes or a cluster run, with results in files."""

from __future__ import annotations

import signal
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any

import click

from pagesieve.batch.plan import FORMATS, WHATS, BatchOptions
from pagesieve.cli import BAD_INPUT, DONE, INTERRUPTED, NOTHING_FOUND, fail, say
from pagesieve.cli.batch_progress import Display, summary
from pagesieve.cli.options import article_keywords, with_article_options
from pagesieve.cli.sites import open_library
from pagesieve.errors import BadOption, BatchStopped, MissingExtra

if TYPE_CHECKING:
    from pagesieve.batch.engine import Engine
    from pagesieve.batch.run import Run

DEFAULTS = BatchOptions()
MB = 1_000_000

ENGINES = {"local": "pagesieve.batch.local", "ray": "pagesieve.batch.ray"}  # imported when asked for
LEARNING = "pagesieve.batch.learn"
FORMAT_NEEDS = {"parquet": ("pyarrow",), "jsonl.zst": ("zstandard",)}


@click.command(short_help="Extract from very many pages (WARC, folders, JSONL, Parquet, URLs) into files.")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
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
@with_article_options
@click.option(
    "--learn",
    is_flag=True,
    help="Two passes: first learn the sites of these pages into --sites, then extract with what was learnt.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULTS.timeout,
    show_default=True,
    help="The most that a page may take.",
)
@click.option(
    "--memory",
    metavar="MB",
    type=click.IntRange(min=1),
    default=DEFAULTS.memory,
    show_default=True,
    help="The most memory that a page may need.",
)
@click.option(
    "--max-bytes",
    metavar="BYTES",
    type=click.IntRange(min=1),
    default=DEFAULTS.max_bytes,
    show_default=True,
    help="The largest page that is read.",
)
@click.option("--allow-private", is_flag=True, help="Fetch from addresses that are not public, too.")
@click.option("--workers", metavar="N", type=click.IntRange(min=1), help="Shards at a time.  [default: one a CPU]")
@click.option(
    "--shard-size",
    metavar="MB",
    type=click.FloatRange(min=0, min_open=True),
    default=64,
    show_default=True,
    help="About how much of a WARC or JSONL file is one shard.",
)
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
    results or in the rejects.

    A page that takes too long, needs too much memory or crashes what reads it costs only itself. A run that was
    stopped, whether by Ctrl-C, a full disk or a power cut, goes on with --resume: finished shards are skipped, the
    others are repeated.

    \b
    pagesieve batch crawl.warc.gz -o articles/
    pagesieve batch 'crawl/*.warc.gz' -o articles/ -f parquet --workers 8
    pagesieve batch 'crawl/*.warc.gz' -o articles/ -f parquet --workers 8 --resume
    pagesieve batch pages/ -o records/ --what records -f jsonl.zst
    pagesieve batch urls.txt -o articles/ --timeout 10
    pagesieve batch crawl.warc.gz -o articles/ --sites sites.db --learn
    pagesieve batch s3://bucket/crawl/*.warc.gz -o s3://bucket/articles --engine ray --address auto

    Exit status: 0 done, also where pages were rejected; 1 no page gave a result; 2 bad usage or input, no room to
    write, or a shard that had to be given up; 130 interrupted.
    """
    _refuse_missing(given)
    from pagesieve.batch.run import running

    # What stops a service is as good a reason to tidy up as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options, engine = _options(given), _engine(given)
    shard_bytes, resume = _shard_bytes(given["shard_size"]), given["resume"]
    with running(sources, options, given["output"], shard_bytes=shard_bytes, resume=resume) as run:
        if run.resumed:
            say(f"{run.done} of {len(run.plan.shards)} shards are done already")
        elif resume:
            say(f"{given['output']}: there is no run to go on with; one begins")
        return _run(run, engine)


def _refuse_missing(given: dict[str, Any]) -> None:
    """Says which optional part is not installed."""
    modules = ["fsspec", "fastwarc", *FORMAT_NEEDS.get(given["format"], ())]
    if not all(map(find_spec, modules)):
        raise MissingExtra("a batch", "batch")
    if given["engine"] == "ray" and find_spec("ray") is None:
        raise MissingExtra("--engine ray", "ray")


def _options(given: dict[str, Any]) -> BatchOptions:
    """The options of a run. Says once, before any page is read, what would be wrong with every one of them."""
    if given["learn"] and given["sites"] is None:
        raise BadOption("--learn needs --sites: the library to learn into")
    keywords = article_keywords(given)
    if given["sites"] is not None and not given["learn"]:
        open_library(given["sites"]).close()
    own = ("what", "format", "sites", "learn", "timeout", "memory", "max_bytes", "allow_private")
    return BatchOptions(**keywords, **{name: given[name] for name in own})


def _shard_bytes(megabytes: float) -> int:
    """The size of a shard, as it was asked for."""
    if not 1 <= megabytes * MB < inf:  # nan is neither
        raise BadOption(f"--shard-size is a number of MB, at least 0.000001, not {megabytes}")
    return round(megabytes * MB)


def _engine(given: dict[str, Any]) -> Engine:
    """What runs the shards, as it was asked for."""
    settings = {"workers": given["workers"]}
    if given["engine"] == "ray":
        settings["address"] = given["address"]
    elif given["address"] is not None:
        raise BadOption("--address is for --engine ray")
    return partial(import_module(ENGINES[given["engine"]]).run, **settings)


def _run(run: Run, engine: Engine) -> int:
    """Does what is left of a run, and sums it up; returns the exit status."""
    display, whole = Display(run.left), len(run.plan.shards)
    try:
        if run.plan.options.learn:
            learnt = import_module(LEARNING).learn(run, engine, Display)
            say(f"{learnt.pages} pages of {learnt.sites} sites are learnt, {learnt.new} of them new")
        with display:
            engine(run.left, run.extraction, display)
    except KeyboardInterrupt:
        done = f"{run.done + display.done} of {whole} shards are done"
        return fail(f"interrupted: {done}; --resume goes on with the others", INTERRUPTED)
    except BatchStopped as error:
        return fail(f"{error} ({run.done + display.done} of {whole} shards are done)", BAD_INPUT)
    stats = run.folder.sum_up()
    summary(stats, display.stats, display.seconds, run.folder.path)
    if lost := len(run.left) - display.done:
        return fail(f"{lost} of {whole} shards were given up; --resume tries them again", BAD_INPUT)
    return DONE if stats.results else fail("no page gave a result", NOTHING_FOUND)
