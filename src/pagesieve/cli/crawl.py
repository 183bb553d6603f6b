"""`pagesieve crawl`: from an address to articles and tables, politely and safely."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import click

from pagesieve.cli import DONE, INTERRUPTED, NOTHING_FOUND, say
from pagesieve.cli.article import bodies_option
from pagesieve.cli.sources import allow_private_option, raw_cells_option
from pagesieve.crawl.options import CONCURRENCY, DEPTH, LIST_PAGES, PER_HOST, CrawlOptions
from pagesieve.crawl.outputs import MARKDOWN, REJECTS, check_output, output_format, write, write_rejects
from pagesieve.crawl.run import Ended
from pagesieve.crawl.run import crawl as run_crawl
from pagesieve.crawl.store import Entry, Outcome, Store
from pagesieve.crawl.watching import Figures, counted
from pagesieve.errors import BadOption

JOB_ENDING = ".crawl"
INTERVAL = 30.0  # seconds between two lines where standard error is no terminal
FRAME = 0.2  # seconds between two where it is one
SHOWN = 8  # reasons in the summary

_POSITIVE = click.FloatRange(min=0, min_open=True)
_ENDS = {
    "count": "as many results as were asked for",
    "seconds": "its time is over",
    "interrupted": "interrupted",
}


@click.command()
@click.argument("starts", metavar="START...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    required=True,
    help="Where to write: NAME.jsonl, NAME.csv, NAME.parquet, NAME.db or postgresql://…; another name is a folder of"
    " Markdown.",
)
@click.option("--job", metavar="FOLDER", help="Where the crawl keeps its state, to go on later.  [default: OUT.crawl]")
@click.option("--table", metavar="NAME", help="The table of a database that pages go to.  [default: pages]")
@click.option(
    "--depth",
    metavar="N",
    type=click.IntRange(0),
    default=DEPTH,
    show_default=True,
    help="How many links a page may be away from START.",
)
@click.option(
    "--count", metavar="N", type=click.IntRange(1), help="Stop after so many results; the same command then goes on."
)
@click.option("--time", "seconds", metavar="SECONDS", type=_POSITIVE, help="Stop after so many seconds.")
@click.option("--rate", metavar="N", type=_POSITIVE, help="Requests a second to one host, at most.")
@click.option(
    "--host",
    "hosts",
    metavar="HOST",
    multiple=True,
    help="Another host to take pages from; * for any. May be repeated.",
)
@click.option("--since", metavar="DATE", help="Leave out pages that are older than a day such as 2024-05-31.")
@click.option(
    "--list-pages", metavar="N", type=click.IntRange(1), default=LIST_PAGES, show_default=True,
    help="Pages of one list, at most.",
)  # fmt: skip
@bodies_option
@click.option("--no-follow", is_flag=True, help="Do not join articles over several pages.")
@click.option(
    "--sites", metavar="DB", help="A site library: it learns the pages as they come, and is used for those after them."
)
@click.option(
    "--twice", is_flag=True, help="At the end, read the first pages of a site again with what was learnt (--sites)."
)
@click.option("--schema", metavar="FILE", help="The columns of the tables, as `records --save-schema` wrote them.")
@click.option(
    "--browser", is_flag=True, help="Render pages whose text needs scripts; the first pages of a site tell which do."
)
@click.option("--ignore-robots", is_flag=True, help="Do not ask robots.txt: for sites of your own.")
@click.option("--no-throttle", is_flag=True, help="Do not slow down for slow servers: for sites of your own.")
@click.option(
    "--concurrency", metavar="N", type=click.IntRange(1), default=CONCURRENCY, show_default=True,
    help="Requests at a time.",
)  # fmt: skip
@click.option(
    "--per-host", metavar="N", type=click.IntRange(1), default=PER_HOST, show_default=True,
    help="Requests at a time to one host.",
)  # fmt: skip
@click.option(
    "--workers", metavar="N", type=click.IntRange(1), help="Processes that read pages; one for each CPU if not given."
)
@click.option(
    "--user-agent",
    metavar="TEXT",
    help="What servers are told who asks, also when reading robots.txt.  [default: pagesieve/VERSION]",
)
@allow_private_option
@raw_cells_option
def crawl(starts: tuple[str, ...], output: str, **given: Any) -> int:
    """Crawl from each START, and write articles and tables to OUT.

    START is a page that lists articles, a feed (RSS, Atom, JSON Feed), a sitemap, or a site, whose feeds and sitemaps
    are looked for. Lists are followed from page to page; the pages that they lead to become articles, and pages of
    records become tables. The same command goes on after an interruption, and after a finished crawl it takes only
    what is new or has changed.

    \b
    pagesieve crawl https://example.org/ -o news.jsonl --count 100
    pagesieve crawl https://example.org/feed.xml -o articles/      a folder of Markdown
    pagesieve crawl https://example.org/sitemap.xml -o news.db --sites sites.db --twice
    """
    options = _options(output, given)
    job = Path(given["job"] or _job_folder(output))
    figures = _Display()
    check_output(output, given["table"])
    ended = run_crawl(starts, job, options, figures)
    figures.close()
    return _conclude(ended, job, output, figures, options.bodies, given)


def _options(output: str, given: dict[str, Any]) -> CrawlOptions:
    bodies = tuple(given["bodies"] or (("text", "markdown") if output_format(output) == MARKDOWN else ("text",)))
    names = (
        "depth", "count", "seconds", "rate", "hosts", "since", "list_pages", "sites", "twice", "schema", "browser",
        "concurrency", "per_host", "workers", "user_agent", "allow_private",
    )  # fmt: skip
    if given["table"] is not None and output_format(output) != "database":
        raise BadOption("--table is for a database: name one with -o (.db, .sqlite, .sqlite3, postgresql://…)")
    return CrawlOptions(
        bodies=bodies,
        follow=not given["no_follow"],
        robots=not given["ignore_robots"],
        throttle=not given["no_throttle"],
        **{name: given[name] for name in names},
    )


def _job_folder(output: str) -> str:
    if "://" in output:
        raise BadOption("a crawl into a database server needs a folder for what it knows: name one with --job")
    return output.rstrip("/") + JOB_ENDING


def _conclude(
    ended: Ended, job: Path, output: str, figures: _Display, bodies: Sequence[str], given: dict[str, Any]
) -> int:
    """Write the results and the summary; return the exit status."""
    with Store(job) as store:
        write(store.rows(), output, bodies=bodies, table=given["table"], raw_cells=given["raw_cells"])
        write_rejects(store.rejects(), job)
        counts = store.counts()
    for message in figures.messages:
        say(message)
    say(figures.line(counts.waiting))
    for head, number in counts.rejected.most_common(SHOWN):
        example = counts.examples[head]
        such = f"{head}, such as {example.removeprefix(f'{head}: ')}"
        say(f"  {number} rejected: {example if number == 1 else such}")
    if counts.rejected.total() > 1:
        say(f"  all of them are in {job / REJECTS}")
    kinds = counted(counts.kinds, records="tables" if counts.kinds["records"] > 1 else "table")
    say(f"{counts.results} result{'s' * (counts.results != 1)} in {output}" + (f" ({kinds})" if kinds else ""))
    if not ended.is_finished:
        say(f"stopped: {_ENDS.get(ended.why, ended.why)}; the same command goes on")
    if ended.why == "interrupted":
        return INTERRUPTED
    return DONE if counts.results else NOTHING_FOUND


class _Display(Figures):
    """Shows the figures now and then: in one line of a terminal, or as lines of a log."""

    def __init__(self) -> None:
        super().__init__()
        self._last = monotonic()
        self._is_terminal = sys.stderr.isatty()

    def settled(self, entry: Entry, outcome: Outcome | None) -> None:
        """Count an address, and show the figures if it is time."""
        super().settled(entry, outcome)
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
