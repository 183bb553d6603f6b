"""The command line: one module a command, loaded when it is called."""

from __future__ import annotations

import importlib
import os
import sys

import click

from pagesieve import KERNEL, __version__
from pagesieve.errors import NothingFound, PagesieveError

COMMANDS = {
    "article": "pagesieve.cli.article",
    "evaluate": "pagesieve.cli.evaluate",
}

NOTHING_FOUND, BAD_INPUT = 1, 2


class _Commands(click.Group):
    """Finds a command by its name, in the module of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message=f"pagesieve {__version__} ({KERNEL} kernel)")
def commands() -> None:
    """Give back what a person came for: the article of a web page, with its headline and facts.

    \b
    pagesieve article page.html                    the article as plain text
    pagesieve article -f markdown https://…        fetched, as Markdown
    curl -s https://… | pagesieve article -f json -
    pagesieve COMMAND --help                       what a command can do

    Results go to standard output, everything else to standard error. Exit status: 0 done, 1 nothing found, 2 bad
    usage or input.
    """


def main() -> None:
    """Runs the command line; every error on purpose is one line and an exit status."""
    try:
        status = commands.main(standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever was reading has seen enough. Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except click.exceptions.Abort:
        status = _fail("interrupted", 130)
    except KeyboardInterrupt:
        status = _fail("interrupted", 130)
    except click.ClickException as error:
        error.show()
        status = BAD_INPUT
    except NothingFound as error:
        status = _fail(str(error), NOTHING_FOUND)
    except PagesieveError as error:
        status = _fail(str(error), BAD_INPUT)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int) -> int:
    click.echo(f"pagesieve: {message}", err=True)
    return status
