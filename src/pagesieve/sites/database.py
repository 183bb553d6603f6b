"""The database under a site library: its schema and versions, and the settings of SQLite and PostgreSQL.

Imported only when a library is opened, since it needs SQLAlchemy.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from pagesieve.errors import BadLibrary

SCHEMA = 2
BUSY_SECONDS = 60  # how long a process waits for another one's transaction
LOCK = 7_244_633_783  # of PostgreSQL: one process at a time makes the schema

metadata = sa.MetaData()
number = sa.BigInteger().with_variant(sa.Integer, "sqlite")

versions = sa.Table("pagesieve_library", metadata, sa.Column("version", sa.Integer, nullable=False))
sites = sa.Table(
    "pagesieve_site",
    metadata,
    sa.Column("id", number, primary_key=True),
    sa.Column("key", sa.String, nullable=False, unique=True),
    sa.Column("counted", sa.Integer, nullable=False, server_default="0"),  # pages whose leaves were counted,
    sa.Column("batch", sa.Integer, nullable=False, server_default="0"),  # and how many of them are in the open batch
)
pages = sa.Table(
    "pagesieve_page",
    metadata,
    sa.Column("id", number, primary_key=True),  # grows: the newest page has the greatest
    sa.Column("site", number, sa.ForeignKey(sites.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("url", sa.String, nullable=False),  # empty where a page has none
    sa.Column("digest", sa.LargeBinary, nullable=False),  # of its content
    sa.Column("learnt", sa.String, nullable=False),  # ISO 8601, UTC
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("sketch", sa.LargeBinary, nullable=False),
    sa.Column("outline", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("site", "url", "digest"),
    sa.Index("pagesieve_page_of_site", "site", "id"),
    sqlite_autoincrement=True,
)

templates = sa.Table(  # and the entries of the open batch
    "pagesieve_template",
    metadata,
    sa.Column("id", number, primary_key=True),  # grows, and is never used again
    sa.Column("site", number, sa.ForeignKey(sites.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("tag", sa.String, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("frequency", sa.Integer, nullable=False),
    sa.Column("first_seen", sa.String, nullable=False),  # ISO 8601, UTC
    sa.Column("last_seen", sa.String, nullable=False),
    sa.Column("last_page", sa.Integer, nullable=False),  # the number among the site's counted pages
    sa.Column("open", sa.Boolean, nullable=False),
    sa.Index("pagesieve_template_of_site", "site", "id"),
    sqlite_autoincrement=True,
)
counted = sa.Table(  # the pages that were counted, for ever: no page counts twice
    "pagesieve_counted",
    metadata,
    sa.Column("site", number, sa.ForeignKey(sites.c.id, ondelete="CASCADE"), primary_key=True),
    sa.Column("page", sa.BigInteger, primary_key=True, autoincrement=False),  # a digest of its URL and its content
    sqlite_with_rowid=False,
)


def _add_templates(connection: sa.Connection) -> None:
    for column in ("counted", "batch"):
        connection.execute(sa.text(f"ALTER TABLE pagesieve_site ADD COLUMN {column} INTEGER DEFAULT 0 NOT NULL"))
    metadata.create_all(connection, [templates, counted])


# What turns a library of one version into one of the next; the key is the version it starts from.
MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: _add_templates}


def open_engine(path_or_url: str) -> sa.Engine:
    """Return an engine for a path or a database URL, without connecting yet."""
    if "://" not in path_or_url:
        return _sqlite_engine(Path(path_or_url))
    try:
        url = make_url(path_or_url)
        if "@" in (url.host or ""):  # the rest of a password, which would be shown where the host is
            raise ValueError("an @ in a password is written %40")
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        if url.drivername == "postgresql+psycopg":
            return sa.create_engine(url, pool_pre_ping=True)
    except (SQLAlchemyError, ValueError, ImportError) as error:
        raise BadLibrary(f"{shown(path_or_url)}: not a database URL that can be used") from error
    if url.get_backend_name() != "sqlite":
        raise BadLibrary(f"{shown(path_or_url)}: a site library is a SQLite file or a PostgreSQL database")
    return _sqlite_engine(Path(url.database or ""))


def shown(path_or_url: str) -> str:
    """Return a library's name for messages, without its password."""
    return re.sub(
        r"(://[^:@/]*):.*@|(password=)[^&]*", lambda hit: f"{hit[2]}***" if hit[2] else f"{hit[1]}:***@", path_or_url
    )


def _sqlite_engine(path: Path) -> sa.Engine:
    if path.is_dir():
        raise BadLibrary(f"{path}: a folder, not a site library")
    if not path.parent.is_dir():
        raise BadLibrary(f"{path}: the folder {path.parent} does not exist")
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
def reading(engine: sa.Engine, name: str) -> Iterator[sa.Connection]:
    """Open a connection for one statement that reads."""
    with _translated(name), engine.connect() as connection:
        if connection.dialect.name == "postgresql":  # saves the ways to the server that begin and end a transaction
            connection.execution_options(isolation_level="AUTOCOMMIT")
        yield connection


@contextmanager
def writing(engine: sa.Engine, name: str) -> Iterator[sa.Connection]:
    """Open a transaction that writes everything or nothing."""
    with _translated(name), engine.connect() as connection:
        connection = connection.execution_options(writes=True)
        with connection.begin():
            yield connection


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """Turn errors of the database into BadLibrary, with one line that says why."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        reason = str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__
        raise BadLibrary(f"{name}: {_plainly(reason)}") from error


def _plainly(reason: str) -> str:
    known = {
        "file is not a database": "not a site library (not a SQLite file)",
        "attempt to write a readonly database": "the site library is read-only",
        "database or disk is full": "the disk is full; the site library is as it was",
        "database is locked": f"another process has held the site library for {BUSY_SECONDS} seconds",
        "unable to open database file": "cannot be opened or made",
    }
    return next((plain for sign, plain in known.items() if sign in reason), reason)


def prepare(engine: sa.Engine, name: str) -> None:
    """Create the schema if there is none, and update an older one. Raise BadLibrary for other databases."""
    with reading(engine, name) as connection:
        version = _version(connection, name)
    if version == SCHEMA:
        return
    if engine.dialect.name == "sqlite":
        # Only now that the file is known to be ours or empty: a database of something else stays as it is.
        with reading(engine, name) as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    with writing(engine, name) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        version = _version(connection, name)
        if version is None:
            metadata.create_all(connection)
            connection.execute(versions.insert().values(version=SCHEMA))
        else:
            for step in range(version, SCHEMA):
                MIGRATIONS[step](connection)
            connection.execute(versions.update().values(version=SCHEMA))


def _version(connection: sa.Connection, name: str) -> int | None:
    """Return the version of the library; None for an empty database."""
    tables = set(sa.inspect(connection).get_table_names())
    if versions.name not in tables:
        if tables and connection.dialect.name == "sqlite":
            raise BadLibrary(f"{name}: not a site library (a database of something else)")
        return None
    found = connection.execute(sa.select(versions.c.version)).scalar()
    if not isinstance(found, int) or found < 1:
        raise BadLibrary(f"{name}: not a site library (of no known version)")
    if found > SCHEMA:
        raise BadLibrary(f"{name}: a site library of version {found}, newer than {SCHEMA}: update Pagesieve")
    return found


def insert_new(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> bool:
    """Insert a row unless it exists; return whether it was inserted."""
    statement = _insert(connection, table).values(**values).on_conflict_do_nothing()
    return connection.execute(statement.returning(*table.primary_key)).first() is not None


def locked_site(connection: sa.Connection, key: str) -> int:
    """Return the number of a site, locked until the transaction ends; create the site if it is new."""
    statement = _insert(connection, sites).values(key=key)
    # Written even where it is there: a site found and then locked might be forgotten in between.
    statement = statement.on_conflict_do_update(index_elements=["key"], set_={"key": key})
    return int(connection.execute(statement.returning(sites.c.id)).scalar_one())


def _insert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
