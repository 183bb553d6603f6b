"""`pagesieve crawl`: articles and tables from an address."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from pagesieve.cli import DONE, INTERRUPTED, NOTHING_FOUND, say
from pagesieve.cli.article import bodies_option
from pagesieve.cli.sources import declared_option, raw_cells_option
from pagesieve.crawl.job import CrawlOptions, Progress, count_words
from pagesieve.crawl.outputs import MARKDOWN, REJECTS, check_output, output_format, write, write_rejects
from pagesieve.crawl.run import End
from pagesieve.crawl.run import crawl as run_crawl
from pagesieve.crawl.store import Entry, Outcome, Store
from pagesieve.errors import BadOption

JOB_ENDING = ".crawl"
INTERVAL = 30.0  # seconds between two lines in a log
FRAME = 0.2  # seconds between two states of the line in a terminal
MAX_REASONS = 8  # in the summary

_POSITIVE = click.FloatRange(min=0, min_open=True)
_option = partial(declared_option, CrawlOptions)
_ENDS = {
    End.COUNT: "as many results as were asked for",
    End.TIME: "its time is over",
    End.INTERRUPTED: "interrupted",
}


@click.command()
@click.argument("starts", metavar="START...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    required=True,
    help="The output: NAME.jsonl, NAME.csv, NAME.parquet, NAME.db or postgresql://…; any other name is a folder of"
    " Markdown.",
)
@click.option("--job", metavar="FOLDER", help="The folder for the state of the crawl.  [default: OUT.crawl]")
@click.option("--table", metavar="NAME", help="The table for pages in a database.  [default: pages]")
@_option("depth", metavar="N", type=click.IntRange(0))
@_option("count", metavar="N", type=click.IntRange(1))
@_option("seconds", "--time", metavar="SECONDS", type=_POSITIVE)
@_option("rate", metavar="N", type=_POSITIVE)
@_option("hosts", "--host", metavar="HOST", multiple=True)
@_option("since", metavar="DATE")
@_option("list_pages", metavar="N", type=click.IntRange(1))
@bodies_option
@click.option("--no-follow", is_flag=True, help="Do not join the pages of articles over several pages.")
@_option("sites", metavar="DB")
@_option("twice")
@_option("schema", metavar="FILE")
@_option("browser")
@click.option("--ignore-robots", is_flag=True, help="Ignore robots.txt: for sites of your own.")
@click.option("--no-throttle", is_flag=True, help="Do not slow down for slow servers: for sites of your own.")
@_option("concurrency", metavar="N", type=click.IntRange(1))
@_option("per_host", metavar="N", type=click.IntRange(1))
@_option("workers", metavar="N", type=click.IntRange(1))
@_option("user_agent", metavar="TEXT")
@_option("allow_private")
@raw_cells_option
def crawl(starts: tuple[str, ...], output: str, **values: Any) -> int:
    """Crawl from each START, and write articles and tables to OUT.

    START is a page that lists articles, a feed (RSS, Atom, JSON Feed), a sitemap, or a site, whose feeds and sitemaps
    are used if it has any. The crawl follows lists from page to page; the pages that they link to become articles, and
    pages of records become tables. The same command resumes an interrupted crawl; after a finished one, it fetches
    only pages that are new or have changed.

    \b
    pagesieve crawl https://example.org/ -o news.jsonl --count 100
    pagesieve crawl https://example.org/feed.xml -o articles/      a folder of Markdown
    pagesieve crawl https://example.org/sitemap.xml -o news.db --sites sites.db --twice
    """
    options = _options(output, values)
    folder = Path(values["job"] or _job_folder(output))
    progress = _Display()
    check_output(output, values["table"])
    end = run_crawl(starts, folder, options, progress)
    progress.close()
    return _conclude(end, folder, output, progress, options.bodies, values)


def _options(output: str, values: dict[str, Any]) -> CrawlOptions:
    bodies = tuple(values["bodies"] or (("text", "markdown") if output_format(output) == MARKDOWN else ("text",)))
    names = CrawlOptions.__dataclass_fields__.keys() & values.keys() - {"bodies"}
    if values["table"] is not None and output_format(output) != "database":
        raise BadOption("--table is for a database: name one with -o (.db, .sqlite, .sqlite3, postgresql://…)")
    return CrawlOptions(
        bodies=bodies,
        follow=not values["no_follow"],
        robots=not values["ignore_robots"],
        throttle=not values["no_throttle"],
        **{name: values[name] for name in names},
    )


def _job_folder(output: str) -> str:
    if "://" in output:
        raise BadOption("a crawl into a database server needs a folder for its state: name one with --job")
    return output.rstrip("/") + JOB_ENDING


def _conclude(
    end: End, folder: Path, output: str, progress: Progress, bodies: Sequence[str], values: dict[str, Any]
) -> int:
    """Write the results and the summary; return the exit status."""
    with Store(folder) as store:
        write(store.rows(), output, bodies=bodies, table=values["table"], raw_cells=values["raw_cells"])
        write_rejects(store.rejects(), folder)
        counts = store.counts()
    for message in progress.messages:
        say(message)
    say(progress.line(counts.waiting))
    for head, number in counts.rejects.most_common(MAX_REASONS):
        example = counts.examples[head]
        such = f"{head}, such as {example.removeprefix(f'{head}: ')}"
        say(f"  {number} rejected: {example if number == 1 else such}")
    if counts.rejects.total() > 1:
        say(f"  all of them are in {folder / REJECTS}")
    kinds = count_words(counts.kinds, records="tables" if counts.kinds["records"] > 1 else "table")
    say(f"{counts.results} result{'s' * (counts.results != 1)} in {output}" + (f" ({kinds})" if kinds else ""))
    if end in _ENDS:
        say(f"stopped: {_ENDS[end]}; the same command goes on")
    if end == End.INTERRUPTED:
        return INTERRUPTED
    return DONE if counts.results else NOTHING_FOUND


class _Display(Progress):
    """Shows the progress from time to time: as one line of a terminal, or as lines of a log."""

    def __init__(self) -> None:
        super().__init__()
        self._last = monotonic()
        self._is_terminal = sys.stderr.isatty()

    def settle(self, entry: Entry, outcome: Outcome | None) -> None:
        """Count an outcome, and show the progress if it is time."""
        super().settle(entry, outcome)
        now = monotonic()
        if now - self._last >= (FRAME if self._is_terminal else INTERVAL):
            self._last = now
            self._show()

    def _show(self) -> None:
        line = self.line()
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r\x1b[K" + line[:width])
            sys.stderr.flush()
        else:
            say(line)

    def close(self) -> None:
        """Clear the line."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")
