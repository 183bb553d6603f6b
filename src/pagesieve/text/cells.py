"""Cells of CSV that a spreadsheet program does not take for formulas."""

import re

_FORMULA = tuple("=+-@\t\r")
_NUMBER = re.compile(r"[+-]\d+(?:[.,' ]\d+)*\s?%?")


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet program runs: one that begins like a formula is given an apostrophe.

    Plain numbers such as -3 and +4.5 stay as they are.
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
