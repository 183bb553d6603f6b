"""Write docs/cli.md, the reference of the command line, from the output of `--help`: python docs/make_cli.py"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from pagesieve.cli import commands

FILE = Path(__file__).with_name("cli.md")
WIDTH = 100
INTRODUCTION = """\
# The command line

`python docs/make_cli.py` writes this page from the output of `--help`; a test fails if it is out of date.

Commands write results to standard output, in UTF-8 whatever the encoding of the terminal, and everything else to
standard error.
Each error is one line. The exit status is

| status | meaning |
| --- | --- |
| 0 | success; also if the reader of the results, such as `head`, closes the pipe |
| 1 | nothing found in any of the sources; for `evaluate`, a figure is below its floor |
| 2 | bad usage, or a source that cannot be read (results of other sources are still written) |
| 130 | interrupted by Ctrl-C |

A source is a file, a folder (all pages below it: `.html`, `.htm`, `.xhtml`, `.shtml`, `.xht`), an `http` or `https`
URL, or `-` for standard input. Commands fetch only public addresses unless `--allow-private` is given.
`python -m pagesieve` is the same as `pagesieve`.
"""


def help_of(command: click.Command, name: str, parent: click.Context | None = None) -> tuple[str, click.Context]:
    """Return the output of `--help` for a command, at a fixed width."""
    context = click.Context(command, parent, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    return command.get_help(context), context


def chapters(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """Yield a chapter for a command and for each of its subcommands."""
    text, context = help_of(command, name, parent)
    yield f"## {context.command_path}\n\n```\n{text}\n```\n"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            subcommand = command.get_command(context, inner)
            assert subcommand is not None
            yield from chapters(subcommand, inner, context)


def reference() -> str:
    """Return the content of docs/cli.md."""
    return "\n".join([INTRODUCTION, *chapters(commands, "pagesieve")])


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
    sys.stdout.write(f"{FILE} written\n")
