"""The database under a site library: its schema and versions.

Imported only when a library is opened, since it needs SQLAlchemy.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import sqlalchemy as sa

from pagesieve import databases
from pagesieve.errors import BadLibrary

SCHEMA = 3
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
    sa.Column("url", sa.String, nullable=False),  # empty if a page has none
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
lists = sa.Table(  # the lists of records that pages of a site show
    "pagesieve_list",
    metadata,
    sa.Column("id", number, primary_key=True),
    sa.Column("site", number, sa.ForeignKey(sites.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("pages", sa.Integer, nullable=False),  # that showed it
    sa.Column("schema", sa.String, nullable=False),  # its columns: a schema of pagesieve.records, in JSON
    sa.Index("pagesieve_list_of_site", "site", "id"),
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


def _add_lists(connection: sa.Connection) -> None:
    metadata.create_all(connection, [lists])


# What turns a library of one version into one of the next; the key is the version it starts from.
MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: _add_templates, 2: _add_lists}


# How errors of the database are told.
LIBRARY = databases.Purpose("site library", BadLibrary)

open_engine = partial(databases.open_engine, purpose=LIBRARY)
reading = partial(databases.reading, purpose=LIBRARY)
writing = partial(databases.writing, purpose=LIBRARY)


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
    version = connection.execute(sa.select(versions.c.version)).scalar()
    if not isinstance(version, int) or version < 1:
        raise BadLibrary(f"{name}: not a site library (of no known version)")
    if version > SCHEMA:
        raise BadLibrary(f"{name}: a site library of version {version}, newer than {SCHEMA}: update Pagesieve")
    return version


def insert_new(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> bool:
    """Insert a row unless it exists; return whether it was inserted."""
    statement = databases.insert(connection, table).values(**values).on_conflict_do_nothing()
    return connection.execute(statement.returning(*table.primary_key)).first() is not None


def locked_site(connection: sa.Connection, key: str) -> int:
    """Return the number of a site, locked until the transaction ends; create the site if it is new."""
    statement = databases.insert(connection, sites).values(key=key)
    # Written even where it is there: a site found and then locked might be forgotten in between.
    statement = statement.on_conflict_do_update(index_elements=["key"], set_={"key": key})
    return int(connection.execute(statement.returning(sites.c.id)).scalar_one())
