"""The options that `pagesieve serve` and `pagesieve mcp` have in common."""

from __future__ import annotations

from typing import Any

import click

from pagesieve.api import open_sites
from pagesieve.cli.sources import Command, allow_private_option
from pagesieve.service.options import MAX_BYTES, MEMORY, MIN_RATE, QUEUE, TIMEOUT, ServiceOptions

_LIMITS = (
    click.option(
        "--queue", metavar="N", type=click.IntRange(0), default=QUEUE, show_default=True,
        help="Requests that wait for a worker; the next is told to come back.",
    ),
    click.option(
        "--timeout", metavar="SECONDS", type=click.FloatRange(0, min_open=True), default=TIMEOUT, show_default=True,
        help="How long each may take: a request to arrive, a page to be fetched, a request to wait, a page to be read.",
    ),
    click.option(
        "--max-bytes", metavar="N", type=click.IntRange(1), default=MAX_BYTES, show_default=True,
        help="The largest body, or page that is fetched.",
    ),
    click.option(
        "--memory", metavar="MB", type=click.IntRange(1), default=MEMORY, show_default=True, help="Memory for a page.",
    ),
    click.option(
        "--min-rate", metavar="N", type=click.IntRange(1), default=MIN_RATE, show_default=True,
        help="Bytes per second at which a client must receive an answer or send a batch; slower ones are disconnected.",
    ),
)  # fmt: skip
_FETCHING = (
    click.option("--browser", is_flag=True, help="Let requests open addresses in Chromium."),
    click.option("--user-agent", metavar="TEXT", help="What servers are told who asks.  [default: pagesieve/VERSION]"),
    allow_private_option,
)
token_option = click.option(
    "--token",
    metavar="TEXT",
    envvar="PAGESIEVE_TOKEN",
    help="What requests have to send as `Authorization: Bearer TEXT`. Better set PAGESIEVE_TOKEN: other users of the"
    " machine can see arguments.",
)


def with_limits(command: Command) -> Command:
    """Add the options for what a request may cost to a command."""
    return _with(_LIMITS, command)


def with_guarded_fetching(command: Command) -> Command:
    """Add the options for how addresses in requests are fetched to a command."""
    return _with(_FETCHING, command)


def _with(options: tuple[Any, ...], command: Command) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def checked_options(**given: Any) -> ServiceOptions:
    """Return the options of a service, whose site library and browser are there."""
    options = ServiceOptions(**given)
    if options.sites is not None:
        open_sites(options.sites).close()  # made if new, refused if it is no library
    if options.browser:
        from pagesieve.fetching.chromium import find_browser

        find_browser()
    return options
