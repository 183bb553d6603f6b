"""The command line: one module per command, loaded when the command is called."""

import importlib
import io
import os
import sys
from collections.abc import Collection
from typing import Any

import click

from pagesieve import __version__
from pagesieve.errors import NothingFound, PagesieveError, closest, unforeseen

# The module and the short help of each command, so that the general help loads none of the modules.
COMMANDS = {
    "article": ("article", "Write the article of each SOURCE: file, folder, URL, or - for standard input."),
    "catalogue": (
        "headlines",
        "List the articles that each SOURCE links to: file, folder, URL, or - for standard input.",
    ),
    "headline": ("headlines", "Write the headline of each SOURCE: file, folder, URL, or - for standard input."),
    "records": ("records", "Write the records of each SOURCE (search results, a thread, a list) as a table."),
    "explain": ("explain", "Write a report: the page with every unit, its fate and the reason."),
    "batch": ("batch", "Extract from very many pages (WARC, folders, JSONL, Parquet, URLs) into files."),
    "crawl": ("crawl", "Crawl from a list, a feed, a sitemap or a site; write articles and tables."),
    "serve": ("serve", "Serve articles, records and Markdown of pages over HTTP, for a page or its URL."),
    "mcp": ("serve", "Give agents tools to read web pages, over the Model Context Protocol."),
    "learn": ("sites", "Learn the pages of a site: add them to a site library."),
    "sites": ("sites", "List, show or forget the sites of a site library."),
    "train": ("train", "Train a model on your own labelled pages."),
    "evaluate": ("evaluate", "Measure accuracy and speed on labelled pages, alone or next to other extractors."),
}

DONE, NOTHING_FOUND, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


class _Interrupted(Exception):
    """The user pressed Ctrl-C."""


class _ReaderGone(Exception):
    """The reader of the results has closed the pipe."""


class CommandGroup(click.Group):
    """A group that suggests the closest command if a name does not exist."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by the first argument, unless that is an option."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            other = self.suggestion(ctx, name)
            raise click.UsageError(f"No such command {name!r}.{f' Did you mean {other!r}?' if other else ''}", ctx)
        return super().resolve_command(ctx, args)

    def suggestion(self, ctx: click.Context, name: str) -> str | None:
        """Return the command that the user probably meant by a name that does not exist."""
        return closest(name, self.list_commands(ctx))


class _Commands(CommandGroup):
    """The group of all commands, which imports the module of a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(f"pagesieve.cli.{module}"), cmd_name)
        return command

    def suggestion(self, ctx: click.Context, name: str) -> str | None:
        """Return the command with the closest name; for a page without a command, the command that reads it."""
        from pagesieve.text.urls import is_url

        return f"article {name}" if is_url(name) or os.path.exists(name) else super().suggestion(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; replace the exceptions to which click would respond with its own message or status."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise _Interrupted from error
        except BrokenPipeError as error:
            raise _ReaderGone from error


_VERSION_HELP = "Show the version and exit."


def _show_version(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
    if is_set:
        click.echo(f"pagesieve {__version__}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help=_VERSION_HELP)
def commands() -> None:
    """Extract the article of a web page, or its records as a table.

    \b
    pagesieve article page.html                    the article as plain text
    pagesieve article -f markdown https://…        the article of a URL, as Markdown
    curl -s https://… | pagesieve article -f json -
    pagesieve records https://…                    search results, a thread or a list as a table
    pagesieve COMMAND --help                       the options of a command

    Commands write results to standard output, in UTF-8, and everything else to standard error. Exit status: 0 success,
    1 nothing found, 2 bad usage or input.
    """


def main() -> None:
    """Run the command line. Each error of Pagesieve prints one line and sets the exit status."""
    if sys.stdout is None:
        sys.exit(fail("standard output is closed", BAD_INPUT))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Results are always UTF-8. File names may be any bytes, and are written unchanged.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.exit(_status())


def _status() -> int:
    """Run a command, print its error if it fails, and return its exit status."""
    try:
        status = _run()
        sys.stdout.flush()
        return status
    except (_ReaderGone, BrokenPipeError):
        # Without this, Python would report the error again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (_Interrupted, KeyboardInterrupt, click.exceptions.Abort):
        return fail("interrupted", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return BAD_INPUT
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "pagesieve"
        message = " ".join(error.format_message().split())  # click puts choices on separate lines
        stop = "" if message.endswith((".", "?", ")")) else "."
        return fail(f"{message}{stop} Try '{where} --help'.", BAD_INPUT)
    except click.ClickException as error:
        return fail(error.format_message(), BAD_INPUT)
    except NothingFound as error:
        return fail(str(error), NOTHING_FOUND)
    except PagesieveError as error:
        return fail(str(error), BAD_INPUT)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return fail(f"the results cannot be written: {error.strerror or error}", BAD_INPUT)


def _run() -> int:
    try:
        status = commands.main(prog_name="pagesieve", standalone_mode=False)
    except SystemExit as stop:
        status = stop.code
    return status if isinstance(status, int) else DONE


def fail(message: str, status: int) -> int:
    """Print an error as one line on standard error and return the status."""
    say(message)
    return status


def fail_source(name: str, error: Exception) -> int:
    """Print the error of a source and return its exit status."""
    if "://" in name:
        from pagesieve.fetching.guard import shown_url

        name = shown_url(name)
    if isinstance(error, NothingFound):
        return fail(f"{name}: nothing found: {error}", NOTHING_FOUND)
    message = str(error) if isinstance(error, PagesieveError) else unforeseen(error)
    return fail(message if name in message else f"{name}: {message}", BAD_INPUT)


def exit_status(outcomes: Collection[int]) -> int:
    """Return the exit status of a command, given those of its sources."""
    if BAD_INPUT in outcomes:
        return BAD_INPUT
    return DONE if DONE in outcomes else NOTHING_FOUND


def say(message: str, address: str | None = None) -> None:
    """Write a message as one line to standard error; mask secrets in addresses and escape control characters.

    `address` is written unmasked: it is a result, such as the address of the next page.
    """
    from pagesieve.text.urls import masked

    click.echo(f"pagesieve: {visible(masked(message) + (f': {address}' if address else ''))}", err=True)


def as_text(name: str) -> str:
    """Return a file name as text for JSON; bytes that are not UTF-8 are replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def visible(text: str) -> str:
    """Return a text with line ends and other control characters escaped, which file names may contain."""
    return "".join(c if c.isprintable() or "\udc80" <= c <= "\udcff" else repr(c)[1:-1] for c in text)
