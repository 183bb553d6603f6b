"""The store of a crawl: every address with its state, and the results, in a SQLite file of the job folder.

The outcome of a page is stored in one transaction: its result, its state, and the addresses that it links to. A crawl
that is killed loses only the pages in progress, which the next run fetches again.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar

from pagesieve.errors import BadInput, RunStopped
from pagesieve.text.urls import host_of, key, masked, masked_url
from pagesieve.workers.child import reason_category

VERSION = 2
FILE = "crawl.db"
BUSY_SECONDS = 10.0
NO_STORE = "not a crawl's store"
DAMAGED = "damaged; name another output or job folder"

Role = Literal["start", "list", "feed", "sitemap", "page"]
RANKS: dict[str, int] = {"start": 0, "sitemap": 0, "feed": 0, "list": 0, "page": 1}  # lower ranks come first


class State(IntEnum):
    """The state of an address, as a number in the store; the reason of a reject is a text beside it."""

    WAITING = 0
    DONE = 1  # its page gave a result or links
    REJECTED = 2  # its page gave nothing, or its server has no such page
    COVERED = 3  # another address has the result of its page
    REFUSED = 4  # the crawl may not fetch it: another site, robots.txt, a redirect to no page
    UNREACHABLE = 5  # there was no answer, or the server was in trouble: the next run tries again
    UNREADABLE = 6  # reading its page took too much time or memory, or died: the next run tries again

    @property
    def is_reject(self) -> bool:
        """Whether there is no result, for a reason."""
        return self in _REJECTS


_REJECTS = (State.REJECTED, State.REFUSED, State.UNREACHABLE, State.UNREADABLE)
_TEMPORARY = (State.UNREACHABLE, State.UNREADABLE)
_FRUITLESS = (State.REFUSED, State.UNREACHABLE)  # no page came: the result of an earlier run stays
_IS_REJECT = f"state IN ({', '.join(str(int(state)) for state in _REJECTS)})"  # in SQL
_IS_TEMPORARY = f"state IN ({', '.join(str(int(state)) for state in _TEMPORARY)})"

_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL, role TEXT NOT NULL,
    rank INTEGER NOT NULL, depth INTEGER NOT NULL, number INTEGER NOT NULL, titles TEXT NOT NULL, changed TEXT,
    state INTEGER NOT NULL, run INTEGER NOT NULL, reason TEXT, kind TEXT, etag TEXT, modified TEXT,
    digest TEXT, canonical TEXT, heading TEXT, cover INTEGER REFERENCES pages
);
CREATE INDEX pages_waiting ON pages (state, host, rank, id);
CREATE INDEX pages_canonical ON pages (canonical) WHERE canonical IS NOT NULL;
CREATE TABLE results (
    id INTEGER PRIMARY KEY REFERENCES pages, url TEXT NOT NULL, kind TEXT NOT NULL, run INTEGER NOT NULL,
    row TEXT NOT NULL
);
CREATE TABLE bodies (id INTEGER PRIMARY KEY REFERENCES pages, about TEXT NOT NULL, body BLOB NOT NULL);
"""
# SQLite stores any value in any column, so the type of each value is checked when it is read.
_TYPES: dict[str, type | UnionType] = {
    **dict.fromkeys(("id", "depth", "number", "state", "run"), int),
    **dict.fromkeys(("value", "url", "host", "role", "titles", "row", "about"), str),
    **dict.fromkeys(("changed", "reason", "kind", "etag", "modified", "digest"), str | None),
    "body": bytes,
}
_JSON_ERRORS = (ValueError, RecursionError)
_REASON = "coalesce(reason, '') AS reason"  # rejects always have a reason

Decoded = TypeVar("Decoded")


@dataclass(frozen=True, slots=True)
class Link:
    """An address that a page, a feed or a sitemap names."""

    url: str
    role: Role = "page"
    titles: tuple[str, ...] = ()  # its names there
    changed: str | None = None  # the date of its last change, if there is one
    number: int = 0  # of a page of a list: which one, from 0 on
    depth: int = 0  # links from a START


@dataclass(frozen=True, slots=True)
class Entry:
    """An address that waits, with what the store knows about it."""

    id: int
    url: str
    host: str
    role: str
    depth: int
    number: int
    titles: tuple[str, ...]
    changed: str | None
    etag: str | None
    modified: str | None
    digest: str | None  # of the page that was read in an earlier run


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an address."""

    state: State = State.DONE
    reason: str | None = None  # of a reject, in words
    kind: str | None = None
    url: str | None = None  # after redirects
    row: dict[str, Any] | None = None  # the result
    links: Sequence[Link] = ()
    others: Sequence[str] = ()  # addresses of the same page, or of later pages of the same article
    etag: str | None = None
    modified: str | None = None
    digest: str | None = None
    canonical: str | None = None  # the address that the page calls its own, if it is another one
    heading: str | None = None  # a digest of its headline: pages with one canonical address may differ in it
    body: tuple[bytes, dict[str, Any]] | None = None  # for pages that are read again at the end


class Body(NamedTuple):
    """A page that is to be read again."""

    id: int
    data: bytes
    about: dict[str, Any]


@dataclass(slots=True)
class Counts:
    """The results and rejects of all runs, and the addresses that wait."""

    waiting: int = 0
    results: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    rejects: Counter[str] = field(default_factory=Counter)  # by the categories of their reasons
    examples: dict[str, str] = field(default_factory=dict)  # by the same: a reason in full, with the address


class Store:
    """The store of a crawl. It belongs to one thread, and only one process at a time can open it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._db.close()  # or the file stays locked
                raise
        except OSError as error:
            raise BadInput(f"{folder}: the job folder cannot be made: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise BadInput(f"{self.path}: {_plain_message(error)}") from error
        except RunStopped as error:  # there is no run yet
            raise BadInput(str(error)) from error

    def _open(self) -> None:
        """Lock the file, and check it or make its tables."""
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._prepare()
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        run = self._fact("run") or 0
        if not isinstance(run, int):
            raise BadInput(f"{self.path}: {NO_STORE}")
        self.run = run

    def _prepare(self) -> None:
        with self._transaction():
            tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables and not {"facts", "pages", "results", "bodies"} <= tables:
                raise BadInput(f"{self.path}: {NO_STORE}")
            if not tables:
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._set("version", VERSION)
        if self._fact("version") == 1:
            self._upgrade()
        if self._fact("version") != VERSION:
            raise BadInput(f"{self.path}: of another version of Pagesieve; name another job folder")

    def _upgrade(self) -> None:
        """Make a file of version 2 from one of version 1, which had one state for rejects of all sorts.

        The next run tries all of them once more, as if they had been unreachable.
        """
        with self._transaction():
            self._db.execute("UPDATE pages SET state = ? WHERE state = ?", (State.UNREACHABLE, State.REJECTED))
            self._set("version", 2)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write in a transaction. Raises RunStopped if the file cannot be written."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:  # SQLite has ended it already if the disk is full
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise RunStopped(f"{self.path}: {_plain_message(error)}") from error

    def _read(self, statement: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a query. Raises RunStopped if they cannot be read, or have values of wrong types."""
        try:
            cursor = self._db.execute(statement, values)
            types = [_TYPES.get(name, object) for name, *_ in cursor.description or ()]
            for row in cursor:
                if not all(map(isinstance, row, types)):
                    raise RunStopped(f"{self.path}: {DAMAGED}")
                yield row
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise RunStopped(f"{self.path}: {_plain_message(error)}") from error

    def _decode(self, text: str, kind: type[Decoded]) -> Decoded:
        """Return a value from its JSON. Raises RunStopped if it is not JSON, or of another type."""
        try:
            value = json.loads(text)
        except _JSON_ERRORS as error:
            raise RunStopped(f"{self.path}: {DAMAGED}") from error
        if not isinstance(value, kind):
            raise RunStopped(f"{self.path}: {DAMAGED}")
        return value

    def _fact(self, name: str) -> Any:
        row = next(self._read("SELECT value FROM facts WHERE name = ?", name), None)
        try:
            return None if row is None else json.loads(row[0])
        except _JSON_ERRORS as error:
            raise BadInput(f"{self.path}: {NO_STORE}") from error

    def _set(self, name: str, value: object) -> None:
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    # Runs

    def begin(self, starts: Sequence[str], options: dict[str, Any]) -> None:
        """Begin a run: the first one, one that resumes a run that has not ended, or one that looks for changes.

        `options` are those that have to be the same in all runs. Raises BadInput if they, or the starts, differ.
        """
        before = self._fact("kept")
        if not isinstance(before, dict | None):
            raise BadInput(f"{self.path}: {NO_STORE}")
        fixed = json.loads(json.dumps({"starts": starts, **options}))  # as the store has them: lists, no tuples
        for name, value in fixed.items():
            if before is not None and before.get(name) != value:
                raise BadInput(
                    f"{self.folder}: the crawl was begun with {name} {_show(before.get(name))}, not {_show(value)}: "
                    "name another output or job folder"
                )
        is_resumed = before is not None and self._fact("ended") is None
        with self._transaction():
            if before is None:
                self._set("kept", fixed)
            if not is_resumed:
                self.run += 1
                self._set("run", self.run)
                self._set("began", _now())
                self._db.execute("DELETE FROM facts WHERE name = 'ended'")
            if before is not None and not is_resumed:
                self._look_for_changes()
            self._add(Link(url, "start") for url in starts)

    def _look_for_changes(self) -> None:
        """Let addresses wait again whose pages may have changed.

        These are all lists, feeds and sitemaps; pages whose server can say whether they have changed, if no feed or
        sitemap says it; and pages whose last failure may have been temporary.
        """
        self._db.execute(
            f"UPDATE pages SET state = ?, reason = NULL WHERE state != ? AND (role != 'page' OR {_IS_TEMPORARY} OR"
            " (state = ? AND changed IS NULL AND (etag IS NOT NULL OR modified IS NOT NULL)))",
            (State.WAITING, State.COVERED, State.DONE),
        )

    def end(self) -> None:
        """Note that the run is finished: the next one looks for changes."""
        with self._transaction():
            self._set("ended", _now())

    # What waits

    def _add(self, links: Iterable[Link]) -> None:
        """Add the addresses of links, and update those that the store has already."""
        for link in links:
            columns = "id, state, run, titles, changed, role"
            row = next(self._read(f"SELECT {columns} FROM pages WHERE key = ?", key(link.url)), None)
            if row is None:
                self._insert(link)
            else:
                self._update(link, *row)

    def _insert(self, link: Link) -> None:
        self._db.execute(
            "INSERT INTO pages (key, url, host, role, rank, depth, number, titles, changed, state, run)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key(link.url), link.url, host_of(link.url), link.role, RANKS[link.role], link.depth, link.number,
                json.dumps(link.titles), link.changed, State.WAITING, self.run,
            ),
        )  # fmt: skip

    def _update(self, link: Link, id: int, state: int, run: int, titles: str, changed: str | None, role: str) -> None:
        """Add titles to an address, and let it wait again if its page has changed since an earlier run."""
        before = tuple(self._decode(titles, list))
        merged = (*before, *(title for title in dict.fromkeys(link.titles) if title not in before))
        if merged != before:
            self._db.execute("UPDATE pages SET titles = ? WHERE id = ?", (json.dumps(merged), id))
        if link.changed is not None and (changed is None or link.changed > changed):  # feeds and sitemaps differ
            is_settled = state == State.DONE or state in _REJECTS
            again = changed is not None and is_settled and role == "page" and run < self.run
            self._db.execute(
                "UPDATE pages SET changed = ?, state = ? WHERE id = ?",
                (link.changed, State.WAITING if again else state, id),
            )

    def hosts(self) -> list[str]:
        """Return the hosts of the addresses that wait."""
        hosts: list[str] = []
        while row := next(
            self._read(
                "SELECT host FROM pages WHERE state = ? AND host > ? ORDER BY host LIMIT 1",
                State.WAITING,
                hosts[-1] if hosts else "",
            ),
            None,
        ):
            hosts.append(row[0])
        return hosts

    def take(self, host: str, number: int, *, without: Collection[int] = ()) -> list[Entry]:
        """Return the next addresses of a host that wait, except those of some ids; lists come before pages."""
        columns = "id, url, host, role, depth, number, titles, changed, etag, modified, digest"
        rows = self._read(
            f"SELECT {columns} FROM pages WHERE state = ? AND host = ? ORDER BY rank, id LIMIT ?",
            State.WAITING,
            host,
            number + len(without),
        )
        entries = (self._entry(*row) for row in rows)
        return [entry for entry in entries if entry.id not in without][:number]

    def _entry(self, *row: Any) -> Entry:
        id, url, host, role, depth, number, titles, *rest = row
        return Entry(id, url, host, role, depth, number, tuple(self._decode(titles, list)), *rest)

    def is_waiting(self, id: int) -> bool:
        """Return whether an address still waits: another page may have covered it since it was taken."""
        return next(self._read("SELECT 1 FROM pages WHERE id = ? AND state = ?", id, State.WAITING), None) is not None

    def stands_for(self, url: str, id: int) -> bool:
        """Return whether the crawl has the page of an address that another one, `id`, was redirected to."""
        row = next(self._read("SELECT id, state, cover FROM pages WHERE key = ?", key(url)), None)
        return row is not None and row[0] != id and row[1] not in _REJECTS and row[2] != id

    def same(self, id: int, canonical: str, heading: str) -> str | None:
        """Return the address of another result with the same canonical address and headline; None if there is none."""
        rows = self._read(
            "SELECT url FROM pages WHERE (key = ? OR canonical = ?) AND heading = ? AND state = ? AND id != ?",
            key(canonical), key(canonical), heading, State.DONE, id,
        )  # fmt: skip
        return next((str(url) for (url,) in rows), None)

    # Outcomes

    def finish(self, id: int, outcome: Outcome) -> None:
        """Write the outcome of an address. If another page has covered it meanwhile, only its links are taken."""
        with self._transaction():
            if next(self._read("SELECT 1 FROM pages WHERE id = ? AND state = ?", id, State.COVERED), None):
                self._add(outcome.links)
                return
            if outcome.state in _FRUITLESS:
                self._db.execute(
                    "UPDATE pages SET state = ?, run = ?, reason = ? WHERE id = ?",
                    (outcome.state, self.run, outcome.reason, id),
                )
                return
            self._db.execute(
                "UPDATE pages SET state = ?, run = ?, reason = ?, kind = ?, etag = ?, modified = ?, digest = ?,"
                " canonical = ?, heading = ? WHERE id = ?",
                (
                    outcome.state, self.run, outcome.reason, outcome.kind, outcome.etag, outcome.modified,
                    outcome.digest, outcome.canonical and key(outcome.canonical), outcome.heading, id,
                ),
            )  # fmt: skip
            if outcome.row is not None:
                self._write_result(id, outcome)
            elif outcome.state != State.DONE:
                self._forget(id)
            for url in outcome.others:
                self._cover(url, id)
            self._add(outcome.links)

    def _write_result(self, id: int, outcome: Outcome) -> None:
        row = json.dumps(outcome.row, ensure_ascii=False)
        values = (id, outcome.url, outcome.kind, self.run, row)
        self._db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", values)
        for (url,) in self._db.execute(
            "SELECT url FROM pages WHERE canonical = (SELECT key FROM pages WHERE id = ?) AND heading = ?"
            " AND state = ?",
            (id, outcome.heading, State.DONE),
        ).fetchall():
            self._cover(url, id)
        if outcome.body is not None:
            data, about = outcome.body
            packed = zlib.compress(data, 1)
            self._db.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?, ?)", (id, json.dumps(about), packed))

    def _cover(self, url: str, cover: int) -> None:
        """Mark an address as covered by another one, and delete its own result."""
        self._add([Link(url)])
        (id,) = self._db.execute("SELECT id FROM pages WHERE key = ?", (key(url),)).fetchone()
        if id != cover:
            self._db.execute(
                "UPDATE pages SET state = ?, run = ?, cover = ? WHERE id = ?", (State.COVERED, self.run, cover, id)
            )
            self._forget(id)

    def _forget(self, id: int) -> None:
        self._db.execute("DELETE FROM results WHERE id = ?", (id,))
        self._db.execute("DELETE FROM bodies WHERE id = ?", (id,))

    def mark_unchanged(self, id: int) -> None:
        """Note that a page has not changed: its result stays."""
        with self._transaction():
            self._db.execute("UPDATE pages SET state = ?, run = ? WHERE id = ?", (State.DONE, self.run, id))

    # Pages that are read again

    def bodies(self) -> Iterator[Body]:
        """Yield the pages that are to be read again, one after another."""
        last = 0
        while row := next(
            self._read("SELECT id, about, body FROM bodies WHERE id > ? ORDER BY id LIMIT 1", last), None
        ):
            last = row[0]
            try:
                data = zlib.decompress(row[2])
            except zlib.error as error:
                raise RunStopped(f"{self.path}: {DAMAGED}") from error
            yield Body(last, data, self._decode(row[1], dict))

    def replace(self, id: int, row: dict[str, Any] | None) -> None:
        """Replace the result of a page that was read again, unless that failed (None), and delete its body."""
        with self._transaction():
            if row is not None:
                text = json.dumps(row, ensure_ascii=False)
                self._db.execute("UPDATE results SET row = ? WHERE id = ?", (text, id))
            self._db.execute("DELETE FROM bodies WHERE id = ?", (id,))

    # Results

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the kind and the row of each result, in the order in which the crawl came across their addresses."""
        for kind, row in self._read("SELECT kind, row FROM results ORDER BY id"):
            yield kind, self._decode(row, dict)

    def rejects(self) -> Iterator[tuple[str, str]]:
        """Yield the addresses without a result, and the reasons."""
        yield from self._read(f"SELECT url, {_REASON} FROM pages WHERE {_IS_REJECT} ORDER BY id")

    def counts(self) -> Counts:
        """Count the results and rejects of all runs, and the addresses that wait."""
        counts = Counts()
        ((counts.waiting,),) = self._read("SELECT count(*) FROM pages WHERE state = ?", State.WAITING)
        counts.kinds.update(dict(self._read("SELECT kind, count(*) FROM results GROUP BY kind")))
        counts.results = counts.kinds.total()
        for reason, number, url, _ in self._read(
            f"SELECT {_REASON}, count(*), url, min(id) FROM pages WHERE {_IS_REJECT} GROUP BY 1"
        ):
            counts.rejects[reason_category(reason)] += number
            address = masked_url(url)
            counts.examples.setdefault(reason_category(reason), reason if address in reason else f"{reason}: {address}")
        return counts


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _show(value: object) -> str:
    return masked(", ".join(map(str, value)) if isinstance(value, list) else repr(value))


def _plain_message(error: Exception) -> str:
    """Return an error of SQLite as a message for the user."""
    messages = {
        "file is not a database": NO_STORE,
        "no such column": NO_STORE,
        "disk image is malformed": DAMAGED,
        "Could not decode to UTF-8": DAMAGED,
        "database is locked": "another crawl is using this job folder",
        "database or disk is full": "the disk is full; what is done is kept, and the same command goes on",
        "disk I/O error": "the disk cannot be written; what is done is kept, and the same command goes on",
        "readonly database": "the job folder is read-only",
    }
    return next((message for sign, message in messages.items() if sign in str(error)), str(error))
