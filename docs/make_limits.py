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
    """A limit: what it bounds, where it is in the code, the unit of its value, and how it is changed."""

    what: str
    place: str
    unit: str = ""
    change: str = FIXED


def _fetch(what: str, field: str, unit: str = "", more: str = "") -> Limit:
    change = f"`FetchOptions({field}=…)`" + (f"; {more}" if more else "")
    return Limit(what, f"fetching.http:FetchOptions.{field}", unit, change)


def _render(what: str, field: str, unit: str = "") -> Limit:
    return Limit(what, f"fetching.chromium:RenderOptions.{field}", unit, f"`RenderOptions({field}=…)`")


def _child(what: str, field: str, unit: str, change: str) -> Limit:
    return Limit(what, f"child:Limits.{field}", unit, change)


def _crawl(what: str, field: str, option: str, unit: str = "") -> Limit:
    return Limit(what, f"crawl.options:CrawlOptions.{field}", unit, f"`--{option}` of `crawl`")


def _service(what: str, field: str, unit: str = "") -> Limit:
    option = field.replace("_", "-")
    return Limit(
        what, f"service.options:ServiceOptions.{field}", unit, f"`--{option}` of `serve`, `--{option}` of `mcp`"
    )


def _batch(what: str, field: str, unit: str = "") -> Limit:
    return Limit(what, f"batch:BatchOptions.{field}", unit, f"`--{field.replace('_', '-')}` of `batch`")


LIMITS: dict[str, tuple[Limit, ...]] = {
    "page": (
        Limit("size of a page; a larger one is refused", "page.static:SIZE_LIMIT", "bytes"),
        Limit("elements inside each other; deeper ones are flattened, with a note", "page.static:DEPTH_LIMIT"),
        Limit("formatting elements that are open at a time", "page.static:FORMATTING_LIMIT"),
        Limit("attributes of an element", "page.static:ATTRIBUTE_LIMIT"),
        Limit("bytes that are searched for a declared encoding", "page.decode:DECLARED_WITHIN", "bytes"),
        Limit("names of encodings that are looked up", "page.decode:MAX_LABELS"),
        Limit("text that the encoding is detected by", "page.decode:SAMPLE_BYTES", "bytes"),
        Limit("size of a saved page (`Page.save`), unpacked", "page.table:SAVED_LIMIT", "bytes"),
        Limit("JSON-LD scripts that are read", "page.kernel.constants:MOST_SCRIPTS"),
        Limit(
            "JSON-LD script that is parsed; of a longer one, strings",
            "page.kernel.constants:MOST_SCRIPT_BYTES",
            "bytes",
        ),
        Limit("depth of JSON-LD", "page.linked:_MOST_DEPTH"),
        Limit("options of a page that the parser has to repair", "page.static:OPTION_LIMIT"),
        Limit("style sheets in a page that are read for what they hide", "page.rules:MOST_CSS", "bytes"),
        Limit("rules of style sheets that may hide something", "page.rules:MOST_RULES"),
        Limit("inline styles that are read for what they hide", "page.hiding:MOST_STYLED"),
        Limit("colours of texts that are compared with those behind them", "page.hiding:MOST_COLOURS"),
        Limit("a fact that a page states (name, date, headline)", "page.kernel.constants:LONGEST_FACT", "characters"),
        Limit("scripts that are searched for an article in data", "articles.data:MOST_BYTES", "bytes"),
        Limit("nesting of such data", "articles.data:DEEPEST"),
        Limit("a URL; a longer one is no address", "text.urls:LONGEST", "characters"),
        Limit("rows of a saved model's word table", "articles.model:MOST_WORDS"),
        Limit("support vectors of a model", "articles.svm:MOST_VECTORS"),
    ),
    "output": (
        Limit("containers inside each other", "page.kernel.constants:DEEPEST_BLOCK"),
        Limit("columns that a cell spans", "page.kernel.constants:MOST_COLUMNS"),
        Limit("rows that a cell spans", "page.kernel.constants:MOST_ROWS"),
        Limit("places of a table; a larger one loses its empty cells", "page.kernel.constants:LARGEST_GRID"),
        Limit("elements inside each other in a report", "report.source:DEEPEST"),
        Limit("units of a view of a report; a note says how many there are", "report.build:MOST_UNITS"),
        Limit("tags of an article", "articles.keywords:MOST_TAGS"),
        Limit("columns of a schema that a site library keeps", "records.schema:MOST_COLUMNS"),
    ),
    "fetching": (
        _fetch(
            "body, as sent and unpacked", "max_bytes", "bytes", "`--max-bytes` of `batch`, `--max-bytes` of `serve`"
        ),
        _fetch("one attempt, redirects included", "timeout", "s"),
        _fetch("connecting", "connect_timeout", "s"),
        _fetch("redirects", "max_redirects"),
        _fetch("attempts after the first", "retries"),
        Limit("first wait between attempts; it doubles", "fetching.retries:RetryOptions.first_wait", "s"),
        Limit("wait between attempts", "fetching.retries:RetryOptions.longest_wait", "s"),
        Limit("`Retry-After` that is waited for", "fetching.retries:RetryOptions.longest_retry_after", "s"),
        Limit("window of Zstandard", "fetching:ZSTD_WINDOW", "bytes"),
        Limit("connections that are kept", "fetching.transport:MOST_IDLE"),
        Limit("time that a connection is kept", "fetching.transport:KEPT_FOR", "s"),
        Limit("each of the two files of a cache", "fetching.cache:MOST_BYTES", "bytes"),
        Limit("a URL in a message", "fetching.urls:LONGEST_SHOWN_URL", "characters"),
        Limit("a message about a URL, and the detail of a problem", "errors:LONGEST_MESSAGE", "characters"),
    ),
    "joining": (
        Limit("pages of an article", "joining:MOST_PARTS", "", "`follow(most=…)`; `--max-parts` of `article`"),
        Limit("pages in a row that cannot be read", "joining:_MOST_FAILED"),
    ),
    "browser": (
        _render("everything of a page", "timeout", "s"),
        _render("loading and coming to rest; then the page is taken as it is", "settle", "s"),
        _render("rest without a request, before a page is taken", "quiet", "s"),
        _render("one answer", "max_bytes", "bytes"),
        _render("requests of a page", "max_requests"),
        _render("redirects of a request", "max_redirects"),
        _render("scrolling to the end", "scroll"),
        Limit("picture of a page: width, height", "fetching.chromium:LARGEST_PICTURE", "pixels"),
        Limit(
            "pages at a time", "fetching.chromium:BrowserOptions.at_once", "", "`Browser(BrowserOptions(at_once=…))`"
        ),
        Limit(
            "pages until the browser is started anew",
            "fetching.chromium:BrowserOptions.restart_after",
            "",
            "`Browser(BrowserOptions(restart_after=…))`",
        ),
        Limit("requests that are fetched at a time", "fetching.driver:FETCHING_THREADS"),
        Limit("attempts to render a page, if the browser dies", "fetching.driver:ATTEMPTS"),
        Limit("closing of a tab; then the browser is killed", "fetching.driver:CLOSE_LIMIT", "s"),
    ),
    "page process": (
        _child("time of a page", "timeout", "s", "`CrawlOptions(limits=Limits(timeout=…))`"),
        _child("memory of a page", "memory", "MB", "`CrawlOptions(limits=Limits(memory=…))`"),
        _child("size of a page", "max_bytes", "bytes", "`CrawlOptions(limits=Limits(max_bytes=…))`"),
        Limit("result of a page, as JSON", "child:MOST_RESULT", "bytes"),
        Limit("a time limit that can be asked for", "child:LONGEST_TIMEOUT", "s"),
        Limit("start of a process", "child:START_LIMIT", "s"),
        Limit("a reason in a message", "child:LONGEST_REASON", "characters"),
    ),
    "batch": (
        _batch("time of a page", "timeout", "s"),
        _batch("memory of a page", "memory", "MB"),
        _batch("size of a page", "max_bytes", "bytes"),
        Limit("attempts at a shard whose worker dies", "batch.run:TRIES"),
        Limit("attempts at a shard whose machine is lost (Ray)", "batch.ray:TRIES_OF_LOST"),
        Limit("shard of a WARC or JSONL file", "batch.sources:SHARD_BYTES", "bytes", "`--shard-size` of `batch`"),
        Limit("head of a WARC record, and of HTTP in it", "batch.warc:HEAD_BYTES", "bytes"),
        Limit("page that is learnt (`--learn`)", "batch.learn:LARGEST", "bytes"),
        Limit("pages of a site that are learnt", "batch.learn:MOST"),
        Limit("pages a chunk of `extract_many`", "many:CHUNK_PAGES"),
        Limit("bytes a chunk of `extract_many`", "many:CHUNK_BYTES", "bytes"),
        Limit("chunks that `extract_many` reads ahead, for each worker", "many:AHEAD"),
        Limit("pages that `extract_many` reads ahead, for each thread", "many:THREAD_PAGES"),
        Limit("attempts of `extract_many` at a page whose worker dies", "many:TRIES"),
    ),
    "crawl": (
        _crawl("links from a START", "depth", "depth"),
        _crawl("pages of one list", "list_pages", "list-pages"),
        _crawl("results of a run", "count", "count"),
        _crawl("time of a run", "seconds", "time", "s"),
        _crawl("requests a second to one host", "rate", "rate"),
        _crawl("requests at a time", "concurrency", "concurrency"),
        _crawl("requests at a time to one host", "per_host", "per-host"),
        Limit("`Crawl-delay` of a robots.txt that is kept", "crawl.robots:LONGEST_DELAY", "s"),
        Limit("robots.txt that is read", "crawl.discovery:ROBOTS_BYTES", "bytes"),
        Limit("feeds of a page, and sitemaps of a robots.txt", "crawl.discovery:MOST_FOUND"),
        Limit("links of a page that are looked at for feeds", "crawl.discovery:_MOST_ROWS"),
        Limit("entries of a feed", "crawl.feeds:MOST_ENTRIES"),
        Limit("URLs of a sitemap", "crawl.sitemaps:MOST_URLS"),
        Limit("sitemaps inside each other", "crawl.spider:MOST_NESTED"),
        Limit("pages, one after another, that only lead on", "crawl.spider:MOST_MOVES"),
        Limit("pages of one article", "crawl.spider:MOST_PARTS"),
        Limit("sections of a front page", "crawl.reading:MOST_SECTIONS"),
        Limit("XML, unpacked", "crawl.safe_xml:LARGEST", "bytes"),
        Limit("elements of XML", "crawl.safe_xml:MOST_ELEMENTS"),
        Limit("elements of one entry", "crawl.safe_xml:MOST_HELD"),
        Limit("references that are repaired", "crawl.safe_xml:MOST_REPAIRS"),
    ),
    "site library": (
        Limit("pages of a site that are kept", "sites.library:PAGES_PER_SITE"),
        Limit("pages of a site that a page is compared with", "sites.library:REFERENCES"),
        Limit("URL that is kept", "sites.library:LONGEST_URL", "bytes"),
        Limit("sites that are held in memory", "sites.library:CACHED_SITES"),
        Limit("lists of a site", "sites.lists:MOST_LISTS"),
        Limit("leaves of a page that are learnt", "sites.templates:LEAVES"),
        Limit("a template's text", "sites.templates:LONGEST", "characters"),
        Limit("wait for another process's transaction", "databases:BUSY_SECONDS", "s"),
    ),
    "service": (
        _service("requests that wait; the next one is told 429", "queue"),
        _service("each of: head, body, fetch, wait for a process, page", "timeout", "s"),
        _service("body, line of a batch, and page that is fetched", "max_bytes", "bytes"),
        _service("memory of a page", "memory", "MB"),
        _service("a second, of an answer that is taken or of a batch that is sent, at least", "min_rate", "bytes"),
        Limit("places for requests of many pages: one for so many others", "service.engine:LONG_SHARE"),
        Limit("fetches at a time", "service.engine:FETCHES"),
        Limit("share of the fetches for requests of many pages: one in", "service.engine:PATIENT_SHARE"),
        Limit("page that goes to processes of its own", "service.engine:LARGE", "bytes"),
        Limit("share of the queue for such pages: one in", "service.engine:LARGE_SHARE"),
        Limit("starts of a process for a request", "service.engine:STARTS"),
        Limit("a body that is too large is read and dropped up to so many times the limit", "service.bodies:PATIENCE"),
        Limit("pages of a batch that are fetched or wait, for each process", "service.batching:AHEAD"),
        Limit("an id of a line of a batch", "service.batching:LONGEST_ID", "characters"),
        Limit("an address", "service.asking:LONGEST_URL", "characters"),
        Limit("reference pages of a request", "service.asking:MOST_REFERENCES"),
        Limit("titles of a request", "service.asking:MOST_TITLES"),
        Limit("units that a correction names", "service.asking:MOST_UNITS"),
        Limit("pages that a request corrects", "service.asking:MOST_CORRECTED"),
        Limit("pages that a request has learnt", "service.asking:MOST_PAGES"),
        Limit("length of a token, at least", "service.options:SHORTEST_TOKEN", "characters"),
        Limit("shutdown, besides a fetch and a page", "service.options:LEFT_OVER", "s"),
        Limit("connections that wait to be accepted", "service.server:BACKLOG"),
        Limit("time that an idle connection is kept", "service.server:KEEP_ALIVE", "s"),
    ),
    "agents": (
        Limit("text of an answer, as a rule", "service.mcp.tools:LENGTH", "characters", "argument `length`"),
        Limit("text of an answer that can be asked for", "service.mcp.tools:MOST_LENGTH", "characters"),
        Limit("entries of an answer, as a rule", "service.mcp.tools:COUNT", "", "argument `count`"),
        Limit("entries of an answer that can be asked for", "service.mcp.tools:MOST_COUNT"),
        Limit("a value in a table or list", "service.mcp.results:LONGEST_CELL", "characters"),
        Limit("results that are kept for the next part", "service.mcp.keeping:MOST"),
        Limit("… of all of them", "service.mcp.keeping:MOST_CHARS", "characters"),
        Limit("… for", "service.mcp.keeping:SECONDS", "s"),
    ),
}


def value_of(place: str) -> Any:
    """Return the value of a limit, from the code."""
    module, _, name = place.partition(":")
    found = import_module(f"pagesieve.{module}")
    owner, _, field = name.partition(".")
    if not field:
        return getattr(found, name)
    return {each.name: each.default for each in dataclasses.fields(getattr(found, owner))}[field]


def shown(value: Any, unit: str) -> str:
    """Return a value for the table: bytes in the largest unit that they are whole in."""
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
            value, place = shown(value_of(limit.place), limit.unit), limit.place.replace(":", "` `")
            lines.append(f"| {title} | {limit.what} | {value} | `{place}` | {limit.change} |")
    return lines


def document(text: str) -> str:
    """Return limits.md with its table as the code has them."""
    before, _, rest = text.partition(BEGIN)
    return "\n".join([before + BEGIN, *table(), END + rest.partition(END)[2]])


if __name__ == "__main__":
    FILE.write_text(document(FILE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{FILE} written\n")
