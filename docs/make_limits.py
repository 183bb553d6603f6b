"""Write the table of docs/limits.md from the code: python docs/make_limits.py

A limit is listed here by its place, `module:NAME` or `module:Class.field`; its value is read there.
"""

from __future__ import annotations

import dataclasses
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).resolve().parent / "limits.md"
BEGIN, END = "<!-- limits: written by docs/make_limits.py -->", "<!-- end of limits -->"
FIXED = "fixed"


class Limit(NamedTuple):
    """A limit: what it bounds, its place in the code, the unit of its value, and the option that changes it."""

    what: str
    place: str
    unit: str = ""
    change: str = FIXED


def _fetch(what: str, field: str, unit: str = "", more: str = "") -> Limit:
    change = f"`FetchOptions({field}=…)`" + (f"; {more}" if more else "")
    return Limit(what, f"fetching.options:FetchOptions.{field}", unit, change)


def _render(what: str, field: str, unit: str = "") -> Limit:
    return Limit(what, f"fetching.options:RenderOptions.{field}", unit, f"`RenderOptions({field}=…)`")


def _child(what: str, field: str, unit: str, change: str) -> Limit:
    return Limit(what, f"workers.child:Limits.{field}", unit, change)


def _crawl(what: str, field: str, option: str, unit: str = "") -> Limit:
    return Limit(what, f"crawl.job:CrawlOptions.{field}", unit, f"`--{option}` of `crawl`")


def _service(what: str, field: str, unit: str = "") -> Limit:
    option = field.replace("_", "-")
    return Limit(what, f"service:ServiceOptions.{field}", unit, f"`--{option}` of `serve`, `--{option}` of `mcp`")


def _batch(what: str, field: str, unit: str = "") -> Limit:
    return Limit(what, f"batch:BatchOptions.{field}", unit, f"`--{field.replace('_', '-')}` of `batch`")


LIMITS: dict[str, tuple[Limit, ...]] = {
    "page": (
        Limit("size of a page; larger ones are refused", "page.static:SIZE_LIMIT", "bytes"),
        Limit("nesting of elements; deeper ones are flattened, with a note", "page.static:DEPTH_LIMIT"),
        Limit("formatting elements open at a time", "page.static:FORMATTING_LIMIT"),
        Limit("attributes of an element", "page.static:ATTRIBUTE_LIMIT"),
        Limit("part of a page searched for a declared encoding", "page.static:DECLARED_WITHIN", "bytes"),
        Limit("names of encodings looked up", "page.static:MAX_LABELS"),
        Limit("sample of the text for detecting the encoding", "page.static:SAMPLE_BYTES", "bytes"),
        Limit("size of a saved page (`Page.save`), decompressed", "page.table:SAVED_LIMIT", "bytes"),
        Limit("JSON-LD scripts read", "page.kernel.constants:MAX_SCRIPTS"),
        Limit(
            "size of a JSON-LD script that is parsed; longer ones are searched for strings",
            "page.kernel.constants:MAX_SCRIPT_BYTES",
            "bytes",
        ),
        Limit("depth of JSON-LD", "page.linked:_MAX_DEPTH"),
        Limit("`<option>` elements of a page that needs the repairing parser", "page.static:OPTION_LIMIT"),
        Limit("style sheets in a page, read for hidden text", "page.styles:MAX_CSS", "bytes"),
        Limit("rules of style sheets that may hide text", "page.styles:MAX_RULES"),
        Limit("inline styles, read for hidden text", "page.hiding:MAX_STYLED"),
        Limit("colours of text compared with the background", "page.hiding:MAX_COLOURS"),
        Limit("a fact stated by a page (name, date, headline)", "page.kernel.constants:MAX_FACT_LENGTH", "characters"),
        Limit("scripts searched for an article in data", "methods.data:MAX_BYTES", "bytes"),
        Limit("nesting of such data", "methods.data:MAX_DEPTH"),
        Limit("length of a URL; longer ones are not addresses", "text.urls:MAX_URL", "characters"),
        Limit("rows of a saved model's word table", "methods.blocks:MAX_WORDS"),
        Limit("support vectors of a model", "methods.svm:MAX_VECTORS"),
    ),
    "output": (
        Limit("nesting of containers", "page.kernel.constants:MAX_BLOCK_DEPTH"),
        Limit("columns that a cell spans", "page.kernel.constants:MAX_COLUMNS"),
        Limit("rows that a cell spans", "page.kernel.constants:MAX_ROWS"),
        Limit("cells of a table's grid; larger tables lose their empty cells", "page.kernel.constants:MAX_GRID_SIZE"),
        Limit("nesting of elements in a report", "report.build:MAX_DEPTH"),
        Limit("units in a view of a report; a note gives their full number", "report.build:MAX_UNITS"),
        Limit("tags of an article", "facts.keywords:MAX_TAGS"),
        Limit("columns of a schema that a site library keeps", "records.schema:MAX_COLUMNS"),
    ),
    "fetching": (
        _fetch(
            "body, as sent and decompressed", "max_bytes", "bytes", "`--max-bytes` of `batch`, `--max-bytes` of `serve`"
        ),
        _fetch("one attempt, including redirects", "timeout", "s"),
        _fetch("connecting", "connect_timeout", "s"),
        _fetch("redirects", "max_redirects"),
        _fetch("attempts after the first", "retries"),
        Limit("first wait between attempts; it doubles", "fetching.retries:RetryOptions.first_wait", "s"),
        Limit("wait between attempts", "fetching.retries:RetryOptions.longest_wait", "s"),
        Limit("`Retry-After` that is obeyed", "fetching.retries:RetryOptions.longest_retry_after", "s"),
        Limit("window of Zstandard", "fetching:ZSTD_WINDOW", "bytes"),
        Limit("idle connections", "fetching.http:MAX_IDLE"),
        Limit("time until an idle connection is closed", "fetching.http:KEPT_FOR", "s"),
        Limit("each of the two files of a cache", "fetching.cache:MAX_BYTES", "bytes"),
        Limit("a URL in a message", "fetching.guard:MAX_SHOWN_URL", "characters"),
        Limit("a message about a URL, and the detail of a problem", "errors:MAX_MESSAGE", "characters"),
    ),
    "joining": (
        Limit("pages of an article", "joining:MAX_PARTS", "", "`follow(most=…)`; `--max-parts` of `article`"),
        Limit("pages in a row that cannot be read", "joining:_MAX_FAILED"),
    ),
    "browser": (
        _render("total time of a page", "timeout", "s"),
        _render("time for loading; then the page is taken as it is", "settle", "s"),
        _render("time without requests before the page is taken", "quiet", "s"),
        _render("size of one response", "max_bytes", "bytes"),
        _render("requests of a page", "max_requests"),
        _render("redirects of a request", "max_redirects"),
        _render("scrolling to the end", "scroll"),
        Limit("picture of a page: width, height", "fetching.chromium:MAX_PICTURE_SIZE", "pixels"),
        Limit(
            "pages at a time", "fetching.chromium:BrowserOptions.at_once", "", "`Browser(BrowserOptions(at_once=…))`"
        ),
        Limit(
            "pages until the browser is restarted",
            "fetching.chromium:BrowserOptions.restart_after",
            "",
            "`Browser(BrowserOptions(restart_after=…))`",
        ),
        Limit("requests fetched at a time", "fetching.driver:FETCHING_THREADS"),
        Limit("attempts to render a page, if the browser dies", "fetching.driver:ATTEMPTS"),
        Limit("time for closing a tab; then the browser is killed", "fetching.driver:CLOSE_LIMIT", "s"),
    ),
    "page process": (
        _child("time of a page", "timeout", "s", "`CrawlOptions(limits=Limits(timeout=…))`"),
        _child("memory of a page", "memory", "MB", "`CrawlOptions(limits=Limits(memory=…))`"),
        _child("size of a page", "max_bytes", "bytes", "`CrawlOptions(limits=Limits(max_bytes=…))`"),
        Limit("result of a page, as JSON", "workers.child:MAX_RESULT", "bytes"),
        Limit("highest time limit", "workers.child:MAX_TIMEOUT", "s"),
        Limit("start of a process", "workers.child:START_LIMIT", "s"),
        Limit("a reason in a message", "workers.child:MAX_REASON", "characters"),
    ),
    "batch": (
        _batch("time of a page", "timeout", "s"),
        _batch("memory of a page", "memory", "MB"),
        _batch("size of a page", "max_bytes", "bytes"),
        Limit("attempts at a shard whose worker dies", "batch.run:TRIES"),
        Limit("attempts at a shard whose machine is lost (Ray)", "batch.ray:TRIES_OF_LOST"),
        Limit("shard of a WARC or JSONL file", "batch.sources:SHARD_BYTES", "bytes", "`--shard-size` of `batch`"),
        Limit("head of a WARC record, and of HTTP in it", "batch.warc:HEAD_BYTES", "bytes"),
        Limit("page that is learnt (`--learn`)", "batch.learn:MAX_BYTES", "bytes"),
        Limit("pages of a site that are learnt", "batch.learn:MAX_PAGES"),
        Limit("pages a chunk of `extract_many`", "workers.many:CHUNK_PAGES"),
        Limit("bytes a chunk of `extract_many`", "workers.many:CHUNK_BYTES", "bytes"),
        Limit("chunks that `extract_many` reads ahead, for each worker", "workers.many:AHEAD"),
        Limit("pages that `extract_many` reads ahead, for each thread", "workers.many:THREAD_PAGES"),
        Limit("attempts of `extract_many` at a page whose worker dies", "workers.many:TRIES"),
    ),
    "crawl": (
        _crawl("links from a START", "depth", "depth"),
        _crawl("pages of one list", "list_pages", "list-pages"),
        _crawl("results of a run", "count", "count"),
        _crawl("time of a run", "seconds", "time", "s"),
        _crawl("requests a second to one host", "rate", "rate"),
        _crawl("requests at a time", "concurrency", "concurrency"),
        _crawl("requests at a time to one host", "per_host", "per-host"),
        Limit("`Crawl-delay` of a robots.txt", "crawl.downloader:MAX_DELAY", "s"),
        Limit("part of a robots.txt that is read", "crawl.discovery:ROBOTS_BYTES", "bytes"),
        Limit("feeds of a page, and sitemaps of a robots.txt", "crawl.discovery:MAX_LINKS"),
        Limit("links of a page that are searched for feeds", "crawl.discovery:_MAX_ROWS"),
        Limit("entries of a feed", "crawl.feeds:MAX_ENTRIES"),
        Limit("URLs of a sitemap", "crawl.feeds:MAX_URLS"),
        Limit("nesting of sitemaps", "crawl.spider:MAX_NESTED"),
        Limit("consecutive pages that only forward to another", "crawl.spider:MAX_MOVES"),
        Limit("pages of one article", "joining:MAX_PARTS"),
        Limit("sections of a front page", "crawl.reading:MAX_SECTIONS"),
        Limit("XML, decompressed", "crawl.feeds:MAX_BYTES", "bytes"),
        Limit("elements of XML", "crawl.feeds:MAX_ELEMENTS"),
        Limit("elements of one entry", "crawl.feeds:MAX_NESTED"),
        Limit("references that are repaired", "crawl.feeds:MAX_REPAIRS"),
    ),
    "site library": (
        Limit("pages of a site that are kept", "sites.library:PAGES_PER_SITE"),
        Limit("pages of a site that a page is compared with", "sites.library:REFERENCES"),
        Limit("URL that is kept", "sites.library:MAX_URL", "bytes"),
        Limit("sites that are held in memory", "sites.library:CACHED_SITES"),
        Limit("lists of a site", "sites.library:MAX_LISTS"),
        Limit("leaves of a page that are learnt", "sites.templates:LEAVES"),
        Limit("a template's text", "sites.templates:MAX_TEXT", "characters"),
        Limit("wait for another process's transaction", "databases:BUSY_SECONDS", "s"),
    ),
    "service": (
        _service("waiting requests; the next one gets status 429", "queue"),
        _service("each of: head, body, fetch, wait for a process, page", "timeout", "s"),
        _service("size of a body, a line of a batch, or a fetched page", "max_bytes", "bytes"),
        _service("memory of a page", "memory", "MB"),
        _service("minimum rate a second at which a client sends a batch or reads a response", "min_rate", "bytes"),
        Limit("places for requests of many pages: one for this many others", "service.engine:LONG_SHARE"),
        Limit("fetches at a time", "service.engine:FETCHES"),
        Limit("share of the fetches for requests of many pages: one in", "service.engine:PATIENT_SHARE"),
        Limit("size from which pages have separate processes", "service.engine:LARGE", "bytes"),
        Limit("share of the queue for such pages: one in", "service.engine:LARGE_SHARE"),
        Limit("starts of a process for a request", "service.engine:STARTS"),
        Limit("part of a too large body that is read, in multiples of the limit", "service.requests:PATIENCE"),
        Limit("pages of a batch that are being fetched or wait, for each process", "service.requests:AHEAD"),
        Limit("the id of a line of a batch", "service.requests:MAX_ID", "characters"),
        Limit("an address", "service.schemas:MAX_URL", "characters"),
        Limit("reference pages of a request", "service.schemas:MAX_REFERENCES"),
        Limit("titles of a request", "service.schemas:MAX_TITLES"),
        Limit("units that a correction names", "service.schemas:MAX_UNITS"),
        Limit("pages that a request corrects", "service.schemas:MAX_CORRECTED"),
        Limit("pages to learn in a request", "service.schemas:MAX_PAGES"),
        Limit("minimum length of a token", "service:MIN_TOKEN", "characters"),
        Limit("time for shutdown, besides a fetch and a page", "service:CLEANUP", "s"),
        Limit("connections that wait to be accepted", "service.server:BACKLOG"),
        Limit("time until an idle connection is closed", "service.server:KEEP_ALIVE", "s"),
    ),
    "agents": (
        Limit("text of a result, by default", "service.mcp.tools:LENGTH", "characters", "argument `length`"),
        Limit("text of a result, at most", "service.mcp.tools:MAX_LENGTH", "characters"),
        Limit("entries of a result, by default", "service.mcp.tools:COUNT", "", "argument `count`"),
        Limit("entries of a result, at most", "service.mcp.tools:MAX_COUNT"),
        Limit("a value in a table or list", "service.mcp.tools:MAX_CELL", "characters"),
        Limit("results kept for the next part", "service.mcp.server:MAX_CACHED"),
        Limit("… their total size", "service.mcp.server:MAX_CACHED_CHARS", "characters"),
        Limit("… for how long", "service.mcp.server:CACHE_SECONDS", "s"),
    ),
}


def value_of(place: str) -> Any:
    """Return the value of a limit, from the code."""
    module, _, name = place.partition(":")
    code = import_module(f"pagesieve.{module}")
    owner, _, field = name.partition(".")
    if not field:
        return getattr(code, name)
    return {each.name: each.default for each in dataclasses.fields(getattr(code, owner))}[field]


def formatted(value: Any, unit: str) -> str:
    """Return a value for the table, bytes in the largest unit that gives a whole number."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return f"{', '.join(f'{each:,}' for each in value)} {unit}"
    for size, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if unit == "bytes" and value % size == 0:
            return f"{value // size:,} {name}"
    if unit == "bytes" and value % 1_000_000 == 0:
        return f"{value // 1_000_000:,} MB"
    return f"{value:,g} {unit}".strip() if isinstance(value, float) else f"{value:,} {unit}".strip()


def table() -> list[str]:
    """Return the lines of the table."""
    lines = ["| of | limit | default | in the code | to change it |", "| --- | --- | ---: | --- | --- |"]
    for title, limits in LIMITS.items():
        for limit in limits:
            value, place = formatted(value_of(limit.place), limit.unit), limit.place.replace(":", "` `")
            lines.append(f"| {title} | {limit.what} | {value} | `{place}` | {limit.change} |")
    return lines


def document(text: str) -> str:
    """Return limits.md with its table as the code has them."""
    before, _, rest = text.partition(BEGIN)
    return "\n".join([before + BEGIN, *table(), END + rest.partition(END)[2]])


if __name__ == "__main__":
    FILE.write_text(document(FILE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{FILE} written\n")
