"""`pagesieve mcp`: tools for agents."""

from __future__ import annotations

from typing import Any

import click

from pagesieve.cli import DONE
from pagesieve.cli.serve import checked_options, token_option, with_guarded_fetching, with_limits
from pagesieve.errors import BadOption, MissingExtra
from pagesieve.service import HOST, ServiceOptions

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
