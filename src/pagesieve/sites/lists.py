"""The lists of records on the pages of a site: learnt page by page, merged, and stored in the site library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from pagesieve.errors import BadInput, BadLibrary, NothingFound
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.schema import MAX_COLUMNS, Schema
from pagesieve.sites import database

MAX_LISTS = 12  # of a site; those that most pages show are kept
MIN_RECORDS = 3  # of a list: with fewer, constant fields cannot be recognised
MIN_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class _Stored:
    """A list of a site, and its number in the library; None for a new one."""

    id: int | None
    schema: Schema


def list_of(page: Page) -> Schema | None:
    """Return the schema of the list of records on a page, or None."""
    try:
        table = find_static(page)
    except NothingFound:
        return None
    if len(table) < MIN_RECORDS:
        return None
    return table.schema if MIN_COLUMNS <= len(table.columns) <= MAX_COLUMNS else None


def read_lists(connection: Connection, site: int, library: str) -> list[Schema]:
    """Return the lists of a site, those on most pages first. Raises BadLibrary if one is damaged."""
    return [stored.schema for stored in _read(connection, site, library)]


def learn_lists(connection: Connection, site: int, new: Iterable[Schema], library: str) -> None:
    """Merge the lists of new pages into those of a site."""
    known = _read(connection, site, library)
    changed = False
    for schema in new:
        changed = True
        at = next((k for k, stored in enumerate(known) if stored.schema.shows_list_of(schema)), None)
        if at is None:
            known.append(_Stored(None, schema))
        else:
            known[at] = _Stored(known[at].id, known[at].schema.merged(schema))
    if changed:
        _write(connection, site, known)


def _read(connection: Connection, site: int, library: str) -> list[_Stored]:
    lists = database.lists
    order = (lists.c.pages.desc(), lists.c.id)
    rows = connection.execute(select(lists.c.id, lists.c.schema).where(lists.c.site == site).order_by(*order)).all()
    try:
        return [_Stored(row.id, Schema.from_json(row.schema)) for row in rows]
    except (BadInput, TypeError) as error:
        raise BadLibrary(f"{library}: a damaged list in the library: {error}") from error


def _write(connection: Connection, site: int, known: list[_Stored]) -> None:
    """Store the lists of a site; above the limit, keep the newest and those on most pages."""
    lists = database.lists
    order = sorted(range(len(known)), key=lambda k: (-known[k].schema.pages, -k))
    for number, stored in enumerate(known[k] for k in order):
        row = {"site": site, "pages": stored.schema.pages, "schema": stored.schema.to_json()}
        if stored.id is None and number < MAX_LISTS:
            connection.execute(lists.insert().values(**row))
        elif number < MAX_LISTS:
            connection.execute(lists.update().where(lists.c.id == stored.id).values(**row))
        elif stored.id is not None:
            connection.execute(lists.delete().where(lists.c.id == stored.id))
