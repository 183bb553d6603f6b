"""`pagesieve serve`: the same jobs over HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from pagesieve.cli import DONE
from pagesieve.cli.serving import checked_options, token_option, with_guarded_fetching, with_limits
from pagesieve.errors import BadInput, MissingExtra
from pagesieve.processes import available_cpus
from pagesieve.service.options import HOST, PORT


@click.command()
@click.option("--host", metavar="HOST", default=HOST, show_default=True, help="Where to listen.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 for any free one."
)
@token_option
@click.option("--workers", metavar="N", type=click.IntRange(1), help="Processes that read pages [one for each CPU].")
@with_limits
@click.option("--sites", metavar="DB", help="A site library that requests may use, show, and add to.")
@click.option(
    "--corrections", metavar="FOLDER",
    help="Where the web page saves pages whose answers were corrected there, for `pagesieve train` and `evaluate`.",
)  # fmt: skip
@with_guarded_fetching
def serve(workers: int | None, **given: Any) -> int:
    """Answer over HTTP: articles, headlines, catalogues, records and Markdown of pages that requests give or name.

    The service listens on this machine alone, unless there is a token. It fetches from public addresses only. Each page
    is read in a process of its own, within limits of time and memory. What goes wrong is one JSON object (RFC 9457).
    SIGTERM and Ctrl-C end it when all that it has taken is answered. The log, lines of JSON on standard error, has
    nothing of any page. / is a web page for all of this; /openapi.json describes the endpoints; /healthz, /readyz and
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
    options = checked_options(workers=workers or available_cpus(), **given)
    if options.corrections is not None:
        _make_folder(Path(options.corrections))
    run(options)
    return DONE


def _make_folder(folder: Path) -> None:
    """Make a folder where there is none. Raises BadInput where nothing can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror or error}") from error
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{folder}: nothing can be written into it")
