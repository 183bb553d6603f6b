"""Keys that tell records apart for ever: the same record has the same key whenever its page is read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from pagesieve.text.dates import parse_datetime
from pagesieve.text.urls import absolute, key, site_key

if TYPE_CHECKING:
    from pagesieve.records.results import Item, Records

BYTES = 16  # of a digest
CHANGING = frozenset(("count", "rating"))  # types of values that change while the record stays the same


def record_keys(found: Records) -> list[str]:
    """Return the key of each record: a digest of its site, and of its link or else its values.

    The schema of the records says which link, or which column, tells them apart.
    """
    site = site_key(found.url) if found.url else ""
    column = found.schema.key
    rows = found.to_rows() if column is not None else []
    return [
        _digest(site, _identity(rows[number].get(column) if column is not None else None, items))
        for number, items in enumerate(found.table.records)
    ]


def _identity(told: str | None, items: Sequence[Item]) -> list[str]:
    """Return what a record is: the value that tells it apart, or all values that stay."""
    if told:
        address = absolute(told, told)
        return ["key", key(address) if address is not None else told]
    lasting = [item for item in items if _lasts(item)] or items
    return ["values", *sorted(f"{item.value or ''} {item.link or ''}" for item in lasting)]


def _lasts(item: Item) -> bool:
    """Whether a value says the same tomorrow; "3 hours ago" does not."""
    return item.type not in CHANGING and (item.type != "date" or parse_datetime(item.value or "") is not None)


def _digest(site: str, identity: list[str]) -> str:
    written = json.dumps([site, *identity]).encode()
    return blake2b(written, digest_size=BYTES).hexdigest()
