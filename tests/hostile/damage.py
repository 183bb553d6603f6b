"""Damage to files, the same in each run: flipped bytes, missing ends, members and values that are something else."""

from __future__ import annotations

import json
import random
import sqlite3
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

# What stands in the place of a value: of every type, too large, too deep, not in UTF-8.
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 3, 2**31, 2**63, 1.5, float("inf"), "", "\0", "x" * 5000, "\ud800", [], {}, [None], [[]]),
    *({"a": None}, "2020-13-45T99:00", "[", "{}"),
)
ODD_SQL = (
    *("NULL", "-1", "0", "9223372036854775807", "1.5", "''", "'x'", "x''", "x'ff00'", "zeroblob(100000)"),
    *("CAST(x'ff61' AS TEXT)", "CAST(x'6100ff' AS TEXT)", "'[1,2]'", "'{}'", "'[[[['", "1e999"),
)
_METHODS = (1, 12, 14, 99)  # of compression: shrunk, bzip2, LZMA, AES


def damaged(data: bytes, seed: int) -> bytes:
    """Return bytes of which some are other than they were: flipped, cut off, left out, doubled or mixed."""
    chance = random.Random(seed)
    spoilt = bytearray(data)
    at, length = chance.randrange(len(data)), chance.choice((1, 2, 8, 100, 1000))
    match chance.randrange(6):
        case 0:
            for _ in range(chance.choice((1, 1, 3, 20))):
                spoilt[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        case 1:
            spoilt[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        case 2:
            del spoilt[at:]
        case 3:
            del spoilt[at : at + length]
        case 4:
            spoilt[at:at] = spoilt[: chance.choice((1, 4, 30))]
        case 5:
            spoilt[at : at + length] = chance.randbytes(length)
    return bytes(spoilt)


def spoilt_members(data: bytes, seed: int) -> bytes:
    """Return a zip file with sound checksums around a damaged member, or whose directory tells something else."""
    chance = random.Random(seed)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = {member.filename: archive.read(member) for member in archive.infolist()}
    name = chance.choice(list(members))
    if chance.random() < 0.2:
        del members[name]
    elif chance.random() < 0.9:
        members[name] = damaged(members[name], seed)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    found = bytearray(buffer.getvalue())
    if chance.random() < 0.2:  # the method in the directory and in the member's own head
        for signature, offset in ((b"PK\1\2", 10), (b"PK\3\4", 8)):
            found[found.find(signature) + offset] = chance.choice(_METHODS)
    if chance.random() < 0.2:  # encrypted, it says
        found[found.find(b"PK\1\2") + 8] |= 1
    return bytes(found)


def odd_json(value: Any) -> Iterator[Any]:
    """Yield a JSON value with each of its parts replaced by something odd, and with each left out."""
    yield from ODD_VALUES
    if isinstance(value, dict):
        for key in value:
            yield {name: each for name, each in value.items() if name != key}
            yield from ({**value, key: odd} for odd in odd_json(value[key]))
    elif isinstance(value, list) and value:
        yield value[1:]
        yield value * 2
        yield from ([odd, *value[1:]] for odd in odd_json(value[0]))


def written(value: Any) -> str:
    """Return a value as JSON, as Python writes it: with lone surrogates and numbers that are none."""
    return json.dumps(value)


def odd_databases(path: Path) -> Iterator[str]:
    """Put odd values into each column of a database in turn; yield what was changed, with the file in place."""
    sound = path.read_bytes()
    with sqlite3.connect(path) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(table, row[1]) for table in tables for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    for table, column in columns:
        for odd in ODD_SQL:
            if _change(path, f"UPDATE {table} SET {column} = {odd}"):
                yield f"{table}.{column} = {odd}"
            path.write_bytes(sound)
        if _change(path, f"ALTER TABLE {table} RENAME COLUMN {column} TO other"):
            yield f"{table} without {column}"
        path.write_bytes(sound)
    for table in tables:
        if _change(path, f"DELETE FROM {table}"):
            yield f"{table} without rows"
        path.write_bytes(sound)
        if _change(path, f"DROP TABLE {table}"):
            yield f"no {table}"
        path.write_bytes(sound)


def _change(path: Path, statement: str) -> bool:
    """Change a database without a log beside it; return whether that was possible."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        with connection:
            connection.execute(statement)
    except sqlite3.Error:
        return False
    finally:
        connection.close()
    return True
