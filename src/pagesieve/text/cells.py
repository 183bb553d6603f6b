"""Cells of CSV that a spreadsheet program does not run as formulas."""

import re

_FORMULA = tuple("=+-@\t\r")
_NUMBER = re.compile(r"[+-]\d+(?:[.,' ]\d+)*\s?%?")


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet program runs: put an apostrophe before one that begins like a formula.

    Plain numbers such as -3 and +4.5 stay as they are.
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
