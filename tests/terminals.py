"""A terminal, for commands that write something else to one than to a pipe."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path

STYLES = re.compile(r"\x1b\[[0-9;]*m")
PATIENCE = 120  # seconds, on a busy machine


def on_terminal(command: Sequence[str | Path], columns: int) -> str:
    """Return what a command writes to standard output where that is a terminal of this width, without styles."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, env=environment)
    os.close(theirs)
    seen = read_all(ours)
    assert process.wait(PATIENCE) == 0
    return STYLES.sub("", seen.decode()).replace("\r\n", "\n")


def read_all(terminal: int) -> bytes:
    """Return what is written to a terminal until nobody has its other end, and close it."""
    seen = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            seen += piece
    except OSError:  # Linux says so that nobody has the other end
        pass
    os.close(terminal)
    return seen
