"""SQLite files and PostgreSQL databases: opened, read and written in transactions, with errors in one line.

Imported only where a database is used, since it needs SQLAlchemy.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from pagesieve.errors import PagesieveError

BUSY_SECONDS = 60  # how long a process waits for another one's transaction


class Purpose(NamedTuple):
    """The purpose of a database: its name in messages, and the class of its errors."""

    noun: str
    error: type[PagesieveError]


def open_engine(path_or_url: str, name: str, purpose: Purpose) -> sa.Engine:
    """Return an engine for a path or a database URL, without connecting yet; `name` is what messages call it."""
    if "://" not in path_or_url:
        return _sqlite_engine(Path(path_or_url), purpose)
    try:
        url = make_url(path_or_url)
        if "@" in (url.host or ""):  # the rest of a password, which would be shown where the host is
            raise ValueError("an @ in a password is written %40")
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        if url.drivername == "postgresql+psycopg":
            return sa.create_engine(url, pool_pre_ping=True)
    except (SQLAlchemyError, ValueError, ImportError) as error:
        raise purpose.error(f"{name}: not a database URL that can be used") from error
    if url.get_backend_name() != "sqlite":
        raise purpose.error(f"{name}: a {purpose.noun} is a SQLite file or a PostgreSQL database")
    return _sqlite_engine(Path(url.database or ""), purpose)


def _sqlite_engine(path: Path, purpose: Purpose) -> sa.Engine:
    if path.is_dir():
        raise purpose.error(f"{path}: a folder, not a {purpose.noun}")
    if not path.parent.is_dir():
        raise purpose.error(f"{path}: the folder {path.parent} does not exist")
    engine = sa.create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(_location(path), uri=True, timeout=BUSY_SECONDS, check_same_thread=False),
        poolclass=QueuePool,
        max_overflow=-1,  # a connection a thread, however many there are
    )
    sa.event.listen(engine, "connect", _configure)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _location(path: Path) -> str:
    quoted = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return f"file:{quoted}"
    # Without the right to write, SQLite cannot make its log: where there is none, nobody is taken to change the file.
    logged = Path(f"{path}-wal").exists()
    return f"file:{quoted}?mode=ro" if logged else f"file:{quoted}?mode=ro&immutable=1"


def _configure(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions begin when we say so
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: sa.Connection) -> None:
    # A transaction that will write takes the lock at once, or two of them could wait for each other for ever. One
    # statement that reads needs no transaction.
    if connection.get_execution_options().get("writes", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def reading(engine: sa.Engine, name: str, purpose: Purpose) -> Iterator[sa.Connection]:
    """Open a connection for one statement that reads."""
    with _translated(name, purpose), engine.connect() as connection:
        if connection.dialect.name == "postgresql":  # saves the ways to the server that begin and end a transaction
            connection.execution_options(isolation_level="AUTOCOMMIT")
        yield connection


@contextmanager
def writing(engine: sa.Engine, name: str, purpose: Purpose) -> Iterator[sa.Connection]:
    """Open a transaction that writes everything or nothing."""
    with _translated(name, purpose), engine.connect() as connection:
        connection = connection.execution_options(writes=True)
        with connection.begin():
            yield connection


@contextmanager
def _translated(name: str, purpose: Purpose) -> Iterator[None]:
    """Convert errors of the database to the error of the purpose, with a message of one line."""
    try:
        yield
    except (UnicodeError, OverflowError) as error:  # of the driver: text that is none, a number beyond eight bytes
        raise purpose.error(f"{name}: a damaged {purpose.noun}: {_first_line(error)}") from error
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise purpose.error(f"{name}: {_plainly(_first_line(cause), purpose.noun)}") from error


def _first_line(error: BaseException | None) -> str:
    """Return the first line of an error's message, or the error's name if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _plainly(reason: str, noun: str) -> str:
    known = {
        "file is not a database": f"not a {noun} (not a SQLite file)",
        "attempt to write a readonly database": f"the {noun} is read-only",
        "database or disk is full": f"the disk is full; the {noun} is as it was",
        "database is locked": f"another process has held the {noun} for {BUSY_SECONDS} seconds",
        "unable to open database file": "cannot be opened or made",
    }
    return next((plain for sign, plain in known.items() if sign in reason), reason)


def insert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert statement that can define what happens to existing rows."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
