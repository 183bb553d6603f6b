"""The lists of records that the pages of a site show: learnt page by page, merged, and kept in the site library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from pagesieve.errors import BadInput, BadLibrary, NothingFound
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.schema import MOST_COLUMNS, Schema
from pagesieve.sites import database

MOST_LISTS = 12  # of a site; those that most pages show are kept
LEAST_RECORDS = 3  # of a list: fewer cannot tell which of its fields stay the same
LEAST_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class _Stored:
    """A list of a site, and its number in the library; None for a new one."""

    id: int | None
    schema: Schema


def list_of(page: Page) -> Schema | None:
    """Return the schema of the list that a page shows; None where it shows none."""
    try:
        found = find_static(page)
    except NothingFound:
        return None
    if len(found) < LEAST_RECORDS:
        return None
    return found.schema if LEAST_COLUMNS <= len(found.columns) <= MOST_COLUMNS else None


def read_lists(connection: Connection, site: int, library: str) -> list[Schema]:
    """Return the lists of a site, those that most pages show first. Raises BadLibrary where one is damaged."""
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
    """Store the lists of a site; of more than are kept, the newest stay and those that most pages show."""
    lists = database.lists
    order = sorted(range(len(known)), key=lambda k: (-known[k].schema.pages, -k))
    for number, stored in enumerate(known[k] for k in order):
        row = {"site": site, "pages": stored.schema.pages, "schema": stored.schema.to_json()}
        if stored.id is None and number < MOST_LISTS:
            connection.execute(lists.insert().values(**row))
        elif number < MOST_LISTS:
            connection.execute(lists.update().where(lists.c.id == stored.id).values(**row))
        elif stored.id is not None:
            connection.execute(lists.delete().where(lists.c.id == stored.id))
