"""The kind of an output by its name: a database, a file of some format, or a folder."""

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
