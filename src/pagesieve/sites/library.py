"""The site library: knowledge of each site's pages, in a SQLite file or a PostgreSQL database.

For a page, the library stores its URL, a digest of its content and its outline, not the HTML. For a site, it stores
the templates, the leaves of the last few pages, from which it learns the next templates, and the columns of the lists
on its pages. Every change is one transaction, so several processes may learn at once, and a process that is killed
leaves no partial changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import compress, groupby, islice
from pathlib import Path
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, bindparam, func, select

from pagesieve.errors import BadInput, BadLibrary, NothingFound
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.schema import MAX_COLUMNS, Schema
from pagesieve.sites import database
from pagesieve.sites.outlines import Outline, likeness, outline, padded
from pagesieve.sites.templates import Counts, Entry, Leaves, Template, TemplateOptions, Templates, leaves
from pagesieve.text.urls import masked_url, similarity, site_key

PAGES_PER_SITE = 32  # the newest are kept
REFERENCES = 8  # given for a page
BATCH = 64  # pages learnt in one transaction
MAX_URL = 2000  # bytes kept of a URL: PostgreSQL's indexes take no more than 2,700
CACHED_SITES = 256
FRESH_SECONDS = 1.0
CACHED_OUTLINES = CACHED_SITES * REFERENCES

Html = str | bytes | Page
Key = TypeVar("Key")
Value = TypeVar("Value")

_FIELDS = ("tag", "text", "frequency", "first_seen", "last_seen", "last_page", "open")  # of an entry as it is stored
_TEXTS = frozenset(("tag", "text", "first_seen", "last_seen", "key", "url", "learnt", "newest"))
_BYTES = frozenset(("digest", "sketch", "outline"))  # the other columns are numbers

# Used for every page that is looked up, and so built once. Not a join: for that PostgreSQL would read every page of the
# site, deleted ones included, instead of the last entry of the index.
_OF_KEY = select(database.sites.c.id).where(database.sites.c.key == bindparam("of")).scalar_subquery()
_NEWEST = select(func.max(database.pages.c.id)).where(database.pages.c.site == _OF_KEY)
# Changes whenever the templates do: when pages are counted, or a site is forgotten and learnt anew.
_LAST_ENTRY = select(func.max(database.templates.c.id)).where(database.templates.c.site == database.sites.c.id)
_COUNTED = select(database.sites.c.counted, _LAST_ENTRY.scalar_subquery()).where(
    database.sites.c.key == bindparam("of")
)


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A learnt page: its URL (None if it has none), the time of learning, and its outline."""

    url: str | None
    learnt: str
    outline: Outline


@dataclass(frozen=True, slots=True)
class Site:
    """A summary of a site in the library."""

    key: str
    pages: int
    newest: str
    size: int  # bytes


class _NewPage(NamedTuple):
    """A page to learn."""

    site: str
    row: dict[str, Any]
    leaves: Leaves
    shown: Schema | None  # the list of records on it
    mark: int  # identifies it for ever


class _Kept(NamedTuple):
    """A page of the library without its outline."""

    id: int
    url: str
    digest: bytes
    learnt: str


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """The pages of a site, the newest last, and their sketches, a row for each."""

    pages: list[_Kept]
    sketches: NDArray[np.uint32]


_UNKNOWN = _Known([], padded([]))
_Cached = tuple[float, tuple[Any, ...] | None, Value]  # when we last asked, what the answer was, and what was read


def content_digest(page: Page) -> bytes:
    """Return a digest of all texts and tags, which differs for two versions of a page."""
    digest = blake2b(page.text_buffer, digest_size=16)
    digest.update(page.tag.tobytes())
    return digest.digest()


def _opened(address: str, pages_per_site: int, template_options: TemplateOptions) -> Sites:
    return Sites(address, pages_per_site=pages_per_site, template_options=template_options)


class Sites:
    """An open library. A context manager; threads may share it."""

    def __init__(
        self,
        path_or_url: str | Path,
        *,
        pages_per_site: int = PAGES_PER_SITE,
        template_options: TemplateOptions = TemplateOptions(),
    ) -> None:
        self.name = masked_url(str(path_or_url))
        self._address = str(path_or_url)
        self.pages_per_site = pages_per_site
        self.template_options = template_options
        self._engine = database.open_engine(str(path_or_url), self.name)
        self._outlines: dict[int, Outline] = {}
        self._known: dict[str, _Cached[_Known]] = {}
        self._templates: dict[str, _Cached[Templates]] = {}
        self._lists: dict[str, _Cached[tuple[Schema, ...]]] = {}
        self._changes = 0  # made by this library itself
        self._lock = Lock()
        try:
            database.prepare(self._engine, self.name)
        except BadLibrary:
            self.close()
            raise

    def __enter__(self) -> Sites:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the library."""
        self._engine.dispose()

    def __repr__(self) -> str:
        return f"<Sites in {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle its address: another process opens the library itself."""
        return _opened, (self._address, self.pages_per_site, self.template_options)

    # Learning

    def learn(self, pages: Iterable[tuple[str, Html]], *, lists: bool = True) -> int:
        """Learn pages, as pairs of URL and HTML; return how many were new. A page in the library changes nothing.

        The URL may be the domain alone: URL and content together identify a page. Without `lists`, only the knowledge
        for articles is learnt, in less time.
        """
        new = 0
        rest = iter(pages)
        while batch := list(islice(rest, BATCH)):
            new_pages = [_new_page(url, html, lists) for url, html in batch]
            new += self._store(sorted(new_pages, key=lambda page: page.site))
            self._drop_caches()
        return new

    def _store(self, batch: list[_NewPage]) -> int:
        """Store a batch in one transaction, with its sites in order, so that concurrent learners cannot deadlock."""
        new = 0
        with database.writing(self._engine, self.name) as connection:
            for key, own in groupby(batch, key=lambda page: page.site):
                site, pages = database.locked_site(connection, key), list(own)
                added = [database.insert_new(connection, database.pages, {"site": site, **page.row}) for page in pages]
                new += sum(added)
                if any(added):
                    self._trim(connection, site)
                self._count(connection, site, pages)
        return new

    def _count(self, connection: Connection, site: int, pages: list[_NewPage]) -> None:
        """Count the leaves of pages that are new to the site, and merge their lists."""
        marks = [{"site": site, "page": page.mark} for page in pages]
        fresh = [database.insert_new(connection, database.counted, mark) for mark in marks]
        if not any(fresh):
            return
        counts = self._counts(connection, site)
        for page in compress(pages, fresh):
            counts.count(page.leaves, page.row["learnt"])
        _keep(connection, site, counts)
        schemas = [page.shown for page in compress(pages, fresh) if page.shown is not None]
        learn_lists(connection, site, schemas, self.name)

    def _counts(self, connection: Connection, site: int) -> Counts:
        """Return the counts of a site so far."""
        sites, templates = database.sites, database.templates
        of_site = select(sites.c.counted, sites.c.batch).where(sites.c.id == site)
        pages, batch = self._sound(connection.execute(of_site).one())
        columns = [templates.c[name] for name in (*_FIELDS, "id")]
        rows = connection.execute(select(*columns).where(templates.c.site == site).order_by(templates.c.id))
        return Counts(self.template_options, pages, batch, [Entry(*self._sound(row)) for row in rows])

    def _trim(self, connection: Connection, site: int) -> None:
        """Delete all pages of a site but the newest."""
        pages = database.pages
        newest = select(pages.c.id).where(pages.c.site == site).order_by(pages.c.id.desc()).limit(self.pages_per_site)
        connection.execute(pages.delete().where(pages.c.site == site, pages.c.id.not_in(newest)))

    # Looking up

    def reference(self, url: str, page: Html | None = None, limit: int = REFERENCES) -> list[Reference]:
        """Return the learnt pages most similar to this one, best first: by URL, and among equals by content.

        If `page` is given, pages with the same content are left out, and among those with equally similar URLs the
        most similar come first; otherwise the newest.
        """
        target = parse(page, url) if page is not None else None
        # Pages never change and their numbers only grow: if the newest is the same, all are.
        site_pages = self._fresh(self._known, site_key(url), _NEWEST, self._read_pages, _UNKNOWN)
        alike = (
            likeness(outline(target).sketch, site_pages.sketches)
            if target is not None
            else [0.0] * len(site_pages.pages)
        )
        # The same content has the same sketch: only where there is one like it is the digest worth its time.
        same = content_digest(target) if target is not None and 1.0 in alike else None
        order = sorted(
            (k for k, row in enumerate(site_pages.pages) if row.digest != same),
            key=lambda k: (similarity(url, site_pages.pages[k].url), alike[k], site_pages.pages[k].id),
            reverse=True,
        )
        best = [site_pages.pages[k] for k in order[:limit]]
        outlines = self._load([row.id for row in best])
        return [Reference(row.url or None, row.learnt, outlines[row.id]) for row in best if row.id in outlines]

    def _fresh(
        self, cache: dict[str, _Cached[Value]], key: str, asking: Select[Any], read: Callable[[str], Value], none: Value
    ) -> Value:
        """Return cached knowledge of a site; read it again if the result of a statement has changed.

        The statement is run at most once a second, since other processes may learn.
        """
        with self._lock:
            checked_at, version, value = cache.get(key, (-FRESH_SECONDS, None, none))
            changes = self._changes
        now = monotonic()
        if now - checked_at < FRESH_SECONDS:
            return value
        with database.reading(self._engine, self.name) as connection:
            row = connection.execute(asking, {"of": key}).first()
        current = tuple(row) if row is not None and row[0] is not None else None
        if current != version:
            value = read(key)
        with self._lock:
            if changes == self._changes:  # or another thread has learnt meanwhile, and this may be old already
                _remember(cache, {key: (now, current, value)}, CACHED_SITES)
        return value

    def _drop_caches(self) -> None:
        """Drop the caches, so that changes made through this library are visible at once."""
        with self._lock:
            self._changes += 1
            self._known.clear()
            self._templates.clear()
            self._lists.clear()

    def _read_pages(self, key: str) -> _Known:
        pages, sites = database.pages, database.sites
        columns = (pages.c.id, pages.c.url, pages.c.digest, pages.c.learnt, pages.c.sketch)
        statement = select(*columns).join(sites).where(sites.c.key == key).order_by(pages.c.id)
        with database.reading(self._engine, self.name) as connection:
            rows = [self._sound(row) for row in connection.execute(statement)]
        try:
            sketches = padded([np.frombuffer(row.sketch, dtype="<u4") for row in rows])
        except ValueError as error:
            raise BadLibrary(f"{self.name}: a damaged page in the library: {error}") from error
        return _Known([_Kept(*row[:-1]) for row in rows], sketches)

    def _load(self, numbers: list[int]) -> dict[int, Outline]:
        """Return outlines by the number of their page. A page never changes, so they are cached."""
        with self._lock:
            outlines = {number: self._outlines[number] for number in numbers if number in self._outlines}
        missing = [number for number in numbers if number not in outlines]
        if missing:
            read = self._read(missing)
            outlines |= read
            with self._lock:
                _remember(self._outlines, read, CACHED_OUTLINES)
        return outlines

    def _read(self, numbers: list[int]) -> dict[int, Outline]:
        pages = database.pages
        statement = select(pages.c.id, pages.c.rows, pages.c.outline).where(pages.c.id.in_(numbers))
        with database.reading(self._engine, self.name) as connection:
            rows = [self._sound(row) for row in connection.execute(statement)]
        try:
            return {row.id: Outline.unpack(row.outline, row.rows) for row in rows}
        except ValueError as error:
            raise BadLibrary(f"{self.name}: a damaged page in the library: {error}") from error

    def templates(self, url: str) -> Templates:
        """Return the current templates of a site (its host, or any URL of it), the most frequent first."""
        return self._fresh(self._templates, key_of(url), _COUNTED, self._read_templates, _NO_TEMPLATES)

    def _read_templates(self, key: str) -> Templates:
        """Read the current templates of a site: the permanent ones, and those of an open batch with enough pages."""
        sites, templates, options = database.sites, database.templates, self.template_options
        so_far = (sites.c.batch >= options.least_pages) & (templates.c.frequency >= options.frequency)
        columns = [templates.c[field.name] for field in fields(Template)]
        statement = (
            select(*columns)
            .join(sites, templates.c.site == sites.c.id)
            .where(sites.c.key == key, ~templates.c.open | so_far)
            .where(sites.c.counted - templates.c.last_page < options.life)
            .order_by(templates.c.frequency.desc(), templates.c.id)
        )
        with database.reading(self._engine, self.name) as connection:
            return Templates([Template(*self._sound(row)) for row in connection.execute(statement)])

    def lists(self, url: str) -> tuple[Schema, ...]:
        """Return the lists of records on the pages of a site, those on most pages first.

        Each has the columns that most of its pages have; see `records(…, sites=…)`.
        """
        return self._fresh(self._lists, key_of(url), _COUNTED, self._read_lists, ())

    def _read_lists(self, key: str) -> tuple[Schema, ...]:
        with database.reading(self._engine, self.name) as connection:
            site = connection.execute(select(database.sites.c.id).where(database.sites.c.key == key)).scalar()
            stored = [] if site is None else read_lists(connection, site, self.name)
        return tuple(schema.common() for schema in stored)

    def _sound(self, row: Any) -> Any:
        """Return a row whose values have the right types; SQLite stores any value in any column."""
        for name, value in row._mapping.items():
            if not isinstance(value, str if name in _TEXTS else bytes if name in _BYTES else int):
                raise BadLibrary(f"{self.name}: a damaged row in the library: its {name} is {value!r:.40}")
        return row

    # Listing and forgetting

    def sites(self) -> list[Site]:
        """Return all sites, in the order of their names."""
        return self._sites(None)

    def _sites(self, key: str | None) -> list[Site]:
        pages, sites = database.pages, database.sites
        total = func.sum(func.length(pages.c.outline) + func.length(pages.c.sketch) + func.length(pages.c.url))
        statement = (
            select(sites.c.key, func.count(pages.c.id), func.max(pages.c.learnt).label("newest"), total)
            .join(pages)
            .group_by(sites.c.key)
            .order_by(sites.c.key)
        )
        if key is not None:
            statement = statement.where(sites.c.key == key)
        with database.reading(self._engine, self.name) as connection:
            return [Site(*self._sound(row)) for row in connection.execute(statement)]

    def pages(self, url: str) -> list[tuple[str | None, str, int]]:
        """Return the stored pages of a site, newest first: (url, time of learning, nodes)."""
        pages, sites = database.pages, database.sites
        statement = (
            select(pages.c.url, pages.c.learnt, pages.c.rows)
            .join(sites)
            .where(sites.c.key == key_of(url))
            .order_by(pages.c.id.desc())
        )
        with database.reading(self._engine, self.name) as connection:
            rows = [self._sound(row) for row in connection.execute(statement)]
        return [(row.url or None, row.learnt, row.rows) for row in rows]

    def forget(self, url: str) -> int:
        """Delete a site with its pages, templates and lists; return the number of deleted pages."""
        pages, sites = database.pages, database.sites
        with database.writing(self._engine, self.name) as connection:
            site = connection.execute(select(sites.c.id).where(sites.c.key == key_of(url)).with_for_update()).scalar()
            if site is None:
                return 0
            for table in (database.templates, database.counted, database.lists):
                connection.execute(table.delete().where(table.c.site == site))
            gone = int(connection.execute(pages.delete().where(pages.c.site == site)).rowcount)
            connection.execute(sites.delete().where(sites.c.id == site))
        self._drop_caches()
        return gone


_NO_TEMPLATES = Templates()


def key_of(url_or_site: str) -> str:
    """Return the key of a site, given as a URL or as the key itself."""
    _check_url(url_or_site)
    return site_key(url_or_site) if "://" in url_or_site else site_key(f"http://{url_or_site}")


def _new_page(url: str, html: Html, lists: bool = False) -> _NewPage:
    """Return a page in the form in which it is stored; with `lists`, including the list of records on it."""
    _check_url(url)
    key = site_key(url)
    if not key:
        raise BadInput(f"{masked_url(url)!r}: not the URL of a page: it has no host")
    page = parse(html, url)
    page_outline = outline(page)
    row: dict[str, Any] = {
        "url": _kept(url),
        "digest": content_digest(page),
        "learnt": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": len(page_outline),
        "sketch": page_outline.sketch.astype("<u4").tobytes(),
        "outline": page_outline.pack(),
    }
    return _NewPage(key, row, leaves(page), list_of(page) if lists else None, _mark(row["url"], row["digest"]))


def _mark(url: str, digest: bytes) -> int:
    """Return a page's digest as a signed number of eight bytes."""
    return int.from_bytes(blake2b(digest + url.encode(), digest_size=8).digest(), "little", signed=True)


def _keep(connection: Connection, site: int, counts: Counts) -> None:
    """Store counts: insert new entries, update changed ones, delete dropped ones."""
    sites, templates = database.sites, database.templates
    entries = [({name: getattr(entry, name) for name in _FIELDS}, entry) for entry in counts.entries]
    new = [{"site": site, **row} for row, entry in entries if entry.id is None]
    changed = [{**row, "of": entry.id} for row, entry in entries if entry.id is not None and entry.changed]
    gone = [{"of": entry.id} for entry in counts.gone if entry.id is not None]
    of = templates.c.id == bindparam("of")
    if gone:
        connection.execute(templates.delete().where(of), gone)
    if changed:
        connection.execute(templates.update().where(of), changed)
    if new:
        connection.execute(templates.insert(), new)
    connection.execute(sites.update().where(sites.c.id == site).values(counted=counts.pages, batch=counts.batch))


def _kept(url: str) -> str:
    """Return a URL that any database accepts."""
    return url.encode()[:MAX_URL].decode(errors="ignore").replace("\0", "%00")


def _check_url(url: object) -> None:
    if not isinstance(url, str):
        raise BadInput(f"a URL is a str, not {type(url).__name__}")
    try:
        url.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"{masked_url(url)!r}: not the URL of a page; it holds half of a character") from error


def _remember(cache: dict[Key, Value], read: dict[Key, Value], most: int) -> None:
    """Add to a cache, and drop its oldest entries."""
    cache |= read
    for key in list(cache)[: len(cache) - most]:
        del cache[key]


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
