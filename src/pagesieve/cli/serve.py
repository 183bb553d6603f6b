"""`pagesieve serve`: the HTTP service; and `pagesieve mcp`: tools for agents."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Any

import click

from pagesieve.api import open_sites
from pagesieve.cli import DONE
from pagesieve.cli.sources import Command, declared_option
from pagesieve.errors import BadInput, BadOption, MissingExtra
from pagesieve.service import HOST, ServiceOptions
from pagesieve.workers.pool import available_cpus

_option = partial(declared_option, ServiceOptions)

# The options that `serve` and `mcp` share.


def _with(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command."""
    return lambda command: reduce(lambda command, add: add(command), reversed(options), command)


with_limits = _with(  # the limits of a request
    _option("queue", metavar="N", type=click.IntRange(0)),
    _option("timeout", metavar="SECONDS", type=click.FloatRange(0, min_open=True)),
    _option("max_bytes", metavar="N", type=click.IntRange(1)),
    _option("memory", metavar="MB", type=click.IntRange(1)),
    _option("min_rate", metavar="N", type=click.IntRange(1)),
)
with_guarded_fetching = _with(  # how the service fetches pages
    _option("browser"),
    _option("user_agent", metavar="TEXT"),
    _option("allow_private"),
)
token_option = click.option(
    "--token",
    metavar="TEXT",
    envvar="PAGESIEVE_TOKEN",
    help="The token that requests have to send as `Authorization: Bearer TEXT`. Prefer to set PAGESIEVE_TOKEN, since"
    " other users of the machine can see arguments.",
)


def checked_options(**values: Any) -> ServiceOptions:
    """Return the options of a service. Raise PagesieveError if its site library or browser cannot be used."""
    options = ServiceOptions(**values)
    if options.sites is not None:
        open_sites(options.sites).close()  # creates a new library, and raises if the file is not a library
    if options.browser:
        from pagesieve.fetching.chromium import find_browser

        find_browser()
    return options


@click.command()
@_option("host", metavar="HOST")
@_option("port", metavar="N", type=click.IntRange(0, 65535))
@token_option
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1),
    help="The number of processes that read pages [one for each CPU].",
)
@with_limits
@_option("sites", metavar="DB")
@_option("corrections", metavar="FOLDER")
@with_guarded_fetching
def serve(workers: int | None, **values: Any) -> int:
    """Serve articles, headlines, catalogues and records over HTTP. A request has a page or its address.

    The service listens on this machine only, unless you set a token. It fetches from public addresses only. Separate
    processes read the pages, within limits of time and memory. Errors are JSON objects (RFC 9457). On SIGTERM or
    Ctrl-C, the service answers all accepted requests and ends. The log, lines of JSON on standard error, has nothing
    from any page. / is a web page for all of this; /openapi.json describes the endpoints; /healthz, /readyz and
    /metrics are for operators.

    \b
    pagesieve serve
    curl http://127.0.0.1:8321/v1/read/https://example.org/news            an address as Markdown
    curl -H 'Content-Type: text/html' --data-binary @page.html http://127.0.0.1:8321/v1/article
    curl -H 'Content-Type: application/json' -d '{"url": "https://…"}' http://127.0.0.1:8321/v1/records
    curl -H 'Content-Type: application/x-ndjson' -T - http://127.0.0.1:8321/v1/batch -X POST < pages.jsonl
    PAGESIEVE_TOKEN=… pagesieve serve --host 0.0.0.0 --sites sites.db
    """
    try:
        from pagesieve.service.server import serve as run
    except ImportError as error:
        raise MissingExtra("the service", "serve") from error
    options = checked_options(workers=workers or available_cpus(), **values)
    if options.corrections is not None:
        _make_folder(Path(options.corrections))
    run(options)
    return DONE


def _make_folder(folder: Path) -> None:
    """Create a folder if necessary. Raise BadInput if it is not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror or error}") from error
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{folder}: is not writable")


PORT = 8322
WORKERS = 2  # an agent reads few pages at a time


@click.command()
@click.option("--http", is_flag=True, help="Listen on HTTP, at /mcp, instead of standard input.")
@click.option("--host", metavar="HOST", help=f"With --http: the address to listen on.  [default: {HOST}]")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    help=f"With --http: the port; 0 for any free one.  [default: {PORT}]",
)
@token_option
@click.option(
    "--workers", metavar="N", type=click.IntRange(1), default=WORKERS, show_default=True,
    help="The number of processes that read pages.",
)  # fmt: skip
@with_limits
@click.option("--sites", metavar="DB", help="A site library with templates and columns for the tools.")
@with_guarded_fetching
def mcp(http: bool, host: str | None, port: int | None, token: str | None, **values: Any) -> int:
    """Give agents tools to read web pages, over the Model Context Protocol.

    The tools are read_page (an article as Markdown, in parts if it is long), page_records (a list as a table),
    page_links (the articles that a page links to), page_headline, and explain_page (why blocks were kept or dropped).
    They fetch pages from public addresses only, and separate processes read them, within limits of time and memory.
    The content of a page is marked as data from outside, in a frame that the page cannot close.

    A client starts the command and talks to it on standard input and output; the log goes to standard error. With
    --http, the server listens on this machine only, unless you set a token. When its input ends, or on SIGTERM or
    Ctrl-C, it answers all accepted calls and ends.

    \b
    {"mcpServers": {"pagesieve": {"command": "pagesieve", "args": ["mcp"]}}}        in most clients' configuration
    claude mcp add pagesieve -- pagesieve mcp --sites ~/sites.db
    pagesieve mcp --http                                                            http://127.0.0.1:8322/mcp
    PAGESIEVE_TOKEN=… pagesieve mcp --http --host 0.0.0.0
    {"mcpServers": {"pagesieve": {"type": "http", "url": "http://127.0.0.1:8322/mcp",
                                  "headers": {"Authorization": "Bearer …"}}}}       the header only with a token
    """
    if http:
        _serve_http(checked_options(host=host or HOST, port=PORT if port is None else port, token=token, **values))
    elif host is not None or port is not None:
        raise BadOption("--host and --port are for HTTP: add --http")
    else:
        _serve_stdio(checked_options(**values))
    return DONE


def _serve_http(options: ServiceOptions) -> None:
    try:
        from pagesieve.service.mcp.http import create_mcp_app
        from pagesieve.service.server import serve
    except ImportError as error:
        raise MissingExtra("the MCP server", "serve") from error
    serve(options, create_mcp_app)


def _serve_stdio(options: ServiceOptions) -> None:
    try:
        from pagesieve.service.mcp.server import serve_stdio
    except ImportError as error:
        raise MissingExtra("the MCP server", "serve") from error
    serve_stdio(options)
