"""What a crawl knows and has done, in a SQLite file of its job folder: every address with its state, and the results.

What becomes of a page is one transaction: its result, its state, and the addresses that it led to. So a crawl that is
killed loses only the pages that were under way, which are fetched again. Scrapy's own job folder keeps its queue in
files that are complete only after an orderly end.
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
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar

from pagesieve.errors import BadInput, RunStopped
from pagesieve.text.urls import host_of, key, masked, masked_url

VERSION = 1
FILE = "crawl.db"
BUSY_SECONDS = 10.0
NO_STORE = "not a crawl's store"
DAMAGED = "damaged; name another output or job folder"

Role = Literal["start", "list", "feed", "sitemap", "page"]
RANKS: dict[str, int] = {"start": 0, "sitemap": 0, "feed": 0, "list": 0, "page": 1}  # the lower go first

# How the reasons begin of pages that may be had another time.
TEMPORARY = (
    "cannot be fetched",
    "answered 429",
    "answered 5",
    "robots.txt cannot be had",
    "took longer",
    "died",
    "needs",
)

WAITING, DONE, REJECTED, COVERED = range(4)  # states of an address; COVERED: another one stands for it

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
# SQLite stores any value in any column: what is read is checked by the column's name.
_TYPES: dict[str, type | UnionType] = {
    **dict.fromkeys(("id", "depth", "number", "state", "run"), int),
    **dict.fromkeys(("value", "url", "host", "role", "titles", "row", "about"), str),
    **dict.fromkeys(("changed", "reason", "kind", "etag", "modified", "digest"), str | None),
    "body": bytes,
}
_NO_JSON = (ValueError, RecursionError)
_REASON = "coalesce(reason, '') AS reason"  # every page that is rejected has one

Decoded = TypeVar("Decoded")


@dataclass(frozen=True, slots=True)
class Found:
    """An address that a page, a feed or a sitemap names."""

    url: str
    role: Role = "page"
    titles: tuple[str, ...] = ()  # what it is called there
    changed: str | None = None  # when its page changed last, as far as it is told
    number: int = 0  # which page of a list it is, from 0 on
    depth: int = 0  # links from a START


@dataclass(frozen=True, slots=True)
class Entry:
    """An address that waits, and what is known of it."""

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
    digest: str | None  # of its page as it was done; None where it was not


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a page."""

    state: int = DONE
    reason: str | None = None  # it was rejected
    kind: str | None = None
    url: str | None = None  # after redirects
    row: dict[str, Any] | None = None  # the result
    found: Sequence[Found] = ()
    others: Sequence[str] = ()  # addresses of the same page, or of later pages of the same article
    etag: str | None = None
    modified: str | None = None
    digest: str | None = None
    canonical: str | None = None  # the address that the page calls its own, where it is another one
    heading: str | None = None  # a digest of its headline: pages that call one address their own may differ in it
    keeps: bool = False  # it could not be fetched now: what came of it in an earlier run stays
    body: tuple[bytes, dict[str, Any]] | None = None  # to do the page again


class Body(NamedTuple):
    """A page that is kept to be done again."""

    id: int
    data: bytes
    about: dict[str, Any]


@dataclass(slots=True)
class Counts:
    """How far a crawl is."""

    waiting: int = 0
    results: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)  # by what their reasons have in common
    examples: dict[str, str] = field(default_factory=dict)  # of each: a reason in full, with the address


class Store:
    """The store of a crawl. It belongs to one thread; one process at a time has it open."""

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
            raise BadInput(f"{self.path}: {_plainly(error)}") from error
        except RunStopped as error:  # there is no run yet
            raise BadInput(str(error)) from error

    def _open(self) -> None:
        """Lock the file and check it, or make it."""
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._prepare()
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        run = self._fact("run") or 0
        if not isinstance(run, int):
            raise BadInput(f"{self.path}: {NO_STORE}")
        self.run = run

    def _prepare(self) -> None:
        with self._writing():
            tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables and not {"facts", "pages", "results", "bodies"} <= tables:
                raise BadInput(f"{self.path}: {NO_STORE}")
            if not tables:
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._set("version", VERSION)
        if self._fact("version") != VERSION:
            raise BadInput(f"{self.path}: of another version of Pagesieve; name another job folder")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Open a transaction. Raises RunStopped where it cannot be written."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:  # SQLite has ended it already where the disk is full
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise RunStopped(f"{self.path}: {_plainly(error)}") from error

    def _read(self, statement: str, *values: object) -> Iterator[Any]:
        """Yield rows. Raises RunStopped where they cannot be read, or hold what was never written."""
        try:
            cursor = self._db.execute(statement, values)
            types = [_TYPES.get(name, object) for name, *_ in cursor.description or ()]
            for row in cursor:
                if not all(map(isinstance, row, types)):
                    raise RunStopped(f"{self.path}: {DAMAGED}")
                yield row
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise RunStopped(f"{self.path}: {_plainly(error)}") from error

    def _decoded(self, text: str, kind: type[Decoded]) -> Decoded:
        """Return a value that is stored as JSON. Raises RunStopped where it is none, or of another type."""
        try:
            value = json.loads(text)
        except _NO_JSON as error:
            raise RunStopped(f"{self.path}: {DAMAGED}") from error
        if not isinstance(value, kind):
            raise RunStopped(f"{self.path}: {DAMAGED}")
        return value

    def _fact(self, name: str) -> Any:
        found = next(self._read("SELECT value FROM facts WHERE name = ?", name), None)
        try:
            return None if found is None else json.loads(found[0])
        except _NO_JSON as error:
            raise BadInput(f"{self.path}: {NO_STORE}") from error

    def _set(self, name: str, value: object) -> None:
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    # The runs

    def begin(self, starts: Sequence[str], kept: dict[str, Any]) -> str:
        """Begin a run, and say which: `new`, `resumed` (the last did not end), or `again` (for what has changed).

        `kept` is what may not differ between runs, by names. Raises BadInput where it does.
        """
        before = self._fact("kept")
        if not isinstance(before, dict | None):
            raise BadInput(f"{self.path}: {NO_STORE}")
        given = {"starts": list(starts), **kept}
        for name, value in given.items():
            if before is not None and before.get(name) != value:
                raise BadInput(
                    f"{self.folder}: the crawl was begun with {name} {_shown(before.get(name))}, not {_shown(value)}: "
                    "name another output or job folder"
                )
        resumed = before is not None and self._fact("ended") is None
        with self._writing():
            if before is None:
                self._set("kept", given)
            if not resumed:
                self.run += 1
                self._set("run", self.run)
                self._set("began", _now())
                self._db.execute("DELETE FROM facts WHERE name = 'ended'")
            if before is not None and not resumed:
                self._ask_again()
            self._add(Found(url, "start") for url in starts)
        return "new" if before is None else "resumed" if resumed else "again"

    def _ask_again(self) -> None:
        """Let those addresses wait again that tell what has changed, and pages that only their server can tell of.

        So do pages that could not be had, but not those that were had and are no results.
        """
        temporary = " OR ".join(["reason LIKE ?"] * len(TEMPORARY))
        self._db.execute(
            f"UPDATE pages SET state = ?, reason = NULL WHERE state != ? AND (role != 'page' OR {temporary} OR"
            " (state = ? AND changed IS NULL AND (etag IS NOT NULL OR modified IS NOT NULL)))",
            (WAITING, COVERED, *(f"{sign}%" for sign in TEMPORARY), DONE),
        )

    def end(self) -> None:
        """Note that the run has come to its end: the next one looks for what has changed."""
        with self._writing():
            self._set("ended", _now())

    # What waits

    def _add(self, found: Iterable[Found]) -> int:
        """Add addresses that are not known yet; return how many."""
        new = 0
        for each in found:
            columns = "id, state, run, titles, changed, role"
            known = next(self._read(f"SELECT {columns} FROM pages WHERE key = ?", key(each.url)), None)
            if known is None:
                self._insert(each)
                new += 1
            else:
                self._renew(each, *known)
        return new

    def _insert(self, found: Found) -> None:
        self._db.execute(
            "INSERT INTO pages (key, url, host, role, rank, depth, number, titles, changed, state, run)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key(found.url), found.url, host_of(found.url), found.role, RANKS[found.role], found.depth, found.number,
                json.dumps(found.titles), found.changed, WAITING, self.run,
            ),
        )  # fmt: skip

    def _renew(self, found: Found, id: int, state: int, run: int, titles: str, changed: str | None, role: str) -> None:
        """Note what else is told of a known address; let it wait again where it has changed."""
        known = tuple(self._decoded(titles, list))
        merged = (*known, *(title for title in dict.fromkeys(found.titles) if title not in known))
        if merged != known:
            self._db.execute("UPDATE pages SET titles = ? WHERE id = ?", (json.dumps(merged), id))
        if found.changed is not None and (changed is None or found.changed > changed):  # feeds and sitemaps differ
            again = changed is not None and state in (DONE, REJECTED) and role == "page" and run < self.run
            self._db.execute(
                "UPDATE pages SET changed = ?, state = ? WHERE id = ?", (found.changed, WAITING if again else state, id)
            )

    def hosts(self) -> list[str]:
        """Return the hosts of addresses that wait."""
        found: list[str] = []
        while row := next(
            self._read(
                "SELECT host FROM pages WHERE state = ? AND host > ? ORDER BY host LIMIT 1",
                WAITING,
                found[-1] if found else "",
            ),
            None,
        ):
            found.append(row[0])
        return found

    def take(self, host: str, number: int, *, without: Collection[int] = ()) -> list[Entry]:
        """Return the next addresses of a host that wait, except some; lists come before pages."""
        columns = "id, url, host, role, depth, number, titles, changed, etag, modified, digest"
        rows = self._read(
            f"SELECT {columns} FROM pages WHERE state = ? AND host = ? ORDER BY rank, id LIMIT ?",
            WAITING,
            host,
            number + len(without),
        )
        entries = (self._entry(*row) for row in rows)
        return [entry for entry in entries if entry.id not in without][:number]

    def _entry(self, *row: Any) -> Entry:
        id, url, host, role, depth, number, titles, changed, *known = row
        return Entry(id, url, host, role, depth, number, tuple(self._decoded(titles, list)), changed, *known)

    def is_waiting(self, id: int) -> bool:
        """Whether an address waits still: another page may have covered it since it was taken."""
        return next(self._read("SELECT 1 FROM pages WHERE id = ? AND state = ?", id, WAITING), None) is not None

    def stands_for(self, url: str, id: int) -> bool:
        """Whether an address that a page was led to is one of the crawl's: not rejected, and not covered by it."""
        known = next(self._read("SELECT id, state, cover FROM pages WHERE key = ?", key(url)), None)
        return known is not None and known[0] != id and known[1] != REJECTED and known[2] != id

    def same(self, id: int, canonical: str, heading: str) -> str | None:
        """Return the address of another result that is the same page as one: both call one address their own."""
        found = self._read(
            "SELECT url FROM pages WHERE (key = ? OR canonical = ?) AND heading = ? AND state = ? AND id != ?",
            key(canonical), key(canonical), heading, DONE, id,
        )  # fmt: skip
        return next((str(url) for (url,) in found), None)

    # What was done

    def finish(self, id: int, outcome: Outcome) -> int:
        """Write down what came of an address; return how many new ones it led to.

        An address that another page has covered meanwhile stays covered.
        """
        with self._writing():
            if next(self._read("SELECT 1 FROM pages WHERE id = ? AND state = ?", id, COVERED), None):
                return self._add(outcome.found)
            if outcome.keeps:
                self._db.execute(
                    "UPDATE pages SET state = ?, run = ?, reason = ? WHERE id = ?",
                    (outcome.state, self.run, outcome.reason, id),
                )
                return 0
            self._db.execute(
                "UPDATE pages SET state = ?, run = ?, reason = ?, kind = ?, etag = ?, modified = ?, digest = ?,"
                " canonical = ?, heading = ? WHERE id = ?",
                (
                    outcome.state, self.run, outcome.reason, outcome.kind, outcome.etag, outcome.modified,
                    outcome.digest, outcome.canonical and key(outcome.canonical), outcome.heading, id,
                ),
            )  # fmt: skip
            if outcome.row is not None:
                self._keep(id, outcome)
            elif outcome.state != DONE:
                self._forget(id)
            for url in outcome.others:
                self._cover(url, id)
            return self._add(outcome.found)

    def _keep(self, id: int, outcome: Outcome) -> None:
        row = json.dumps(outcome.row, ensure_ascii=False)
        values = (id, outcome.url, outcome.kind, self.run, row)
        self._db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", values)
        for (url,) in self._db.execute(
            "SELECT url FROM pages WHERE canonical = (SELECT key FROM pages WHERE id = ?) AND heading = ?"
            " AND state = ?",
            (id, outcome.heading, DONE),
        ).fetchall():
            self._cover(url, id)
        if outcome.body is not None:
            data, about = outcome.body
            packed = zlib.compress(data, 1)
            self._db.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?, ?)", (id, json.dumps(about), packed))

    def _cover(self, url: str, cover: int) -> None:
        """Mark an address as covered by another one; what it was taken for before is no result any more."""
        self._add([Found(url)])
        (id,) = self._db.execute("SELECT id FROM pages WHERE key = ?", (key(url),)).fetchone()
        if id != cover:
            self._db.execute(
                "UPDATE pages SET state = ?, run = ?, cover = ? WHERE id = ?", (COVERED, self.run, cover, id)
            )
            self._forget(id)

    def _forget(self, id: int) -> None:
        self._db.execute("DELETE FROM results WHERE id = ?", (id,))
        self._db.execute("DELETE FROM bodies WHERE id = ?", (id,))

    def unchanged(self, id: int) -> None:
        """Note that a page is as it was: its result stays."""
        with self._writing():
            self._db.execute("UPDATE pages SET state = ?, run = ? WHERE id = ?", (DONE, self.run, id))

    # Pages that are done again

    def bodies(self) -> Iterator[Body]:
        """Yield the pages that are kept to be done again, one after another."""
        last = 0
        while row := next(
            self._read("SELECT id, about, body FROM bodies WHERE id > ? ORDER BY id LIMIT 1", last), None
        ):
            last = row[0]
            try:
                data = zlib.decompress(row[2])
            except zlib.error as error:
                raise RunStopped(f"{self.path}: {DAMAGED}") from error
            yield Body(last, data, self._decoded(row[1], dict))

    def replace(self, id: int, row: dict[str, Any] | None) -> None:
        """Take another result for a page that was done again, and forget its body."""
        with self._writing():
            if row is not None:
                written = json.dumps(row, ensure_ascii=False)
                self._db.execute("UPDATE results SET row = ? WHERE id = ?", (written, id))
            self._db.execute("DELETE FROM bodies WHERE id = ?", (id,))

    # What there is

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the kind and the row of each result, in the order in which their addresses were found."""
        for kind, row in self._read("SELECT kind, row FROM results ORDER BY id"):
            yield kind, self._decoded(row, dict)

    def rejects(self) -> Iterator[tuple[str, str]]:
        """Yield the addresses that gave no result, and why."""
        yield from self._read(f"SELECT url, {_REASON} FROM pages WHERE state = ? ORDER BY id", REJECTED)

    def counts(self) -> Counts:
        """Count what there is: results and rejects of all runs."""
        counts = Counts()
        ((counts.waiting,),) = self._read("SELECT count(*) FROM pages WHERE state = ?", WAITING)
        counts.kinds.update(dict(self._read("SELECT kind, count(*) FROM results GROUP BY kind")))
        counts.results = counts.kinds.total()
        for reason, number, url, _ in self._read(
            f"SELECT {_REASON}, count(*), url, min(id) FROM pages WHERE state = ? GROUP BY 1", REJECTED
        ):
            counts.rejected[reason_head(reason)] += number
            shown = masked_url(url)
            counts.examples.setdefault(reason_head(reason), reason if shown in reason else f"{reason}: {shown}")
        return counts


def reason_head(reason: str) -> str:
    """Return what a reason has in common with others: what stands before its first colon."""
    return reason.split(": ", 1)[0]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _shown(value: object) -> str:
    return masked(", ".join(map(str, value)) if isinstance(value, list) else repr(value))


def _plainly(error: Exception) -> str:
    known = {
        "file is not a database": NO_STORE,
        "no such column": NO_STORE,
        "disk image is malformed": DAMAGED,
        "Could not decode to UTF-8": DAMAGED,
        "database is locked": "another crawl is using this job folder",
        "database or disk is full": "the disk is full; what is done is kept, and the same command goes on",
        "disk I/O error": "the disk cannot be written; what is done is kept, and the same command goes on",
        "readonly database": "the job folder is read-only",
    }
    return next((plain for sign, plain in known.items() if sign in str(error)), str(error))
