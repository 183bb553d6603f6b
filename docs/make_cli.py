"""Writes docs/cli.md, the reference of the command line, from what `--help` says: python docs/make_cli.py"""

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

Written from `--help` by `python docs/make_cli.py`; a test fails where it is out of date.

Results go to standard output, in UTF-8 whatever the terminal's encoding is; everything else goes to standard error.
A problem is one line. The exit status is

| | |
| --- | --- |
| 0 | done; also where whoever reads the results, such as `head`, has seen enough |
| 1 | nothing found in any of the sources; or, from `evaluate`, a figure below its floor |
| 2 | bad usage, or a source that cannot be read (the others are still written) |
| 130 | interrupted by Ctrl-C |

A source is a file, a folder (all pages below it: `.html`, `.htm`, `.xhtml`, `.shtml`, `.xht`), an `http` or `https`
URL, or `-` for standard input. Only public addresses are fetched unless `--allow-private` is given.
`python -m pagesieve` is the same as `pagesieve`.
"""


def help_of(command: click.Command, name: str, parent: click.Context | None = None) -> tuple[str, click.Context]:
    """What `--help` prints for a command, at a fixed width."""
    context = click.Context(command, parent, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    return command.get_help(context), context


def chapters(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """A chapter for a command, and for each command below it."""
    text, context = help_of(command, name, parent)
    yield f"## {context.command_path}\n\n```\n{text}\n```\n"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from chapters(found, inner, context)


def reference() -> str:
    """The whole of docs/cli.md."""
    return "\n".join([INTRODUCTION, *chapters(commands, "pagesieve")])


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
    sys.stdout.write(f"{FILE} written\n")
