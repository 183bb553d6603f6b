"""The kind of an output by its name: a database, a file of some format, or a folder; and cells of CSV."""

import re
from pathlib import PurePath

DATABASE = "database"
DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")
DATABASE_SCHEMES = ("sqlite:", "postgresql:", "postgres:", "postgresql+psycopg:")
ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet"}


def is_database(name: str) -> bool:
    """Whether an output is a database: a SQLite file by its ending, or a database URL."""
    return name.lower().startswith(DATABASE_SCHEMES) or name.lower().endswith(DATABASE_ENDINGS)


def format_of(name: str) -> str | None:
    """Return the format that the name of an output implies, or None."""
    return DATABASE if is_database(name) else ENDINGS.get(PurePath(name.lower()).suffix)


_FORMULA = tuple("=+-@\t\r")
_NUMBER = re.compile(r"[+-]\d+(?:[.,' ]\d+)*\s?%?")


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet program runs: put an apostrophe before one that begins like a formula.

    Plain numbers such as -3 and +4.5 stay as they are.
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
