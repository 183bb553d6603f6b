"""What the tests of `batch --learn` share: pages of a few sites, a run over them, and what a library then holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select

from pagesieve.batch import BatchOptions, Shard, Stats, learn
from pagesieve.batch.run import Engine, running
from pagesieve.sites import database
from tests import warcs

PAGES = {"many.example": 45, "some.example": 9, "few.example": 4, "www.other.example": 6}
SHARD_BYTES = 4000


def page(site: str, number: int) -> bytes:
    menu = "".join(f"<li>{part} of {site}, as on all its pages</li>" for part in ("News", "Contact", "Imprint"))
    text = f"<p>This is sentence {number} of {site}, which is long enough to be one, and has a comma. {number}.</p>"
    return f"<title>{number}</title><ul>{menu}</ul><h1>Title {number}</h1><article>{text * 4}</article>".encode()


def url(site: str, number: int) -> str:
    return f"https://{site}/section/{number:03d}.html"


def write_crawl(path: Path) -> None:
    """A WARC of all pages, those of the sites among each other."""
    order = sorted((number, site) for site, count in PAGES.items() for number in range(count))
    path.write_bytes(warcs.packed(warcs.response(url(site, number), page(site, number)) for number, site in order))


class Quiet:
    """Is told how shards fare, and fails where one is given up; `finished` is what was."""

    def __init__(self, shards: Sequence[Shard] = ()) -> None:
        self.shards: list[Shard] = []

    def progress(self, shard: Shard, stats: Stats) -> None:
        pass

    def finished(self, shard: Shard, stats: Stats) -> None:
        self.shards.append(shard)

    def repeated(self, shard: Shard, why: str) -> None:
        pass

    def given_up(self, shard: Shard, why: str) -> None:
        raise AssertionError(why)


@contextmanager
def quiet(shards: Sequence[Shard]) -> Iterator[Quiet]:
    yield Quiet()


def learnt(
    source: Path, out: Path, library: str, engine: Engine, *, resume: bool = False, shard_bytes: int = SHARD_BYTES
) -> learn.Learnt:
    """What is learnt from a source by the first pass of a run."""
    options = BatchOptions(sites=library, learn=True)
    with running([str(source)], options, str(out), shard_bytes=shard_bytes, resume=resume) as run:
        assert len(run.plan.shards) > 1
        return learn.learn(run, engine, quiet)


def content(library: str) -> dict[str, Any]:
    """All that a library holds of each site, but for the times and the numbers of rows."""
    engine = database.open_engine(library, library)
    found: dict[str, Any] = {}
    with engine.connect() as connection:
        for site, key, *counts in connection.execute(select(database.sites)):
            found[key] = [tuple(counts)]
            for table in (database.pages, database.templates, database.counted):
                left_out = ("id", "site", "learnt", "first_seen", "last_seen")
                columns = [column for column in table.c if column.name not in left_out]
                order = table.c.page if table is database.counted else table.c.id
                rows = connection.execute(select(*columns).where(table.c.site == site).order_by(order))
                found[key].append([tuple(row) for row in rows])
    engine.dispose()
    return found
