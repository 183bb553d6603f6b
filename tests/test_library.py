"""The site library, in SQLite and in a real PostgreSQL: what it keeps, what it gives, and that nothing breaks it."""

from __future__ import annotations

import multiprocessing
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.errors import BadInput, BadLibrary
from pagesieve.page.static import parse
from pagesieve.sites import database, library
from pagesieve.sites.outlines import SKETCH, Outline, likeness, outline, padded
from pagesieve.sites.templates import TemplateOptions
from tests import postgres
from tests.library_pages import HOST, count_as_process, html, learn_as_process, long_page, menu_page, page
from tests.profiles import examples


def execute(url: str, *statements: str) -> None:
    """Does something to a database, as somebody else might."""
    engine = database.open_engine(url, url)
    with closing(engine.raw_connection()) as connection:
        for statement in statements:
            connection.cursor().execute(statement)
        connection.commit()
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def library_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a new library may be made."""
    if request.param == "sqlite":
        yield str(tmp_path / "sites.db")
        return
    url = request.getfixturevalue("postgresql")
    with postgres.new_database(url) as name:
        yield name


def urls(references: list[library.Reference]) -> list[str | None]:
    return [reference.url for reference in references]


def kept(sites: library.Sites, url: str = HOST) -> list[str | None]:
    return [url for url, _, _ in sites.pages(url)]


# Learning and looking up


def test_what_was_learnt_is_given(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert sites.reference(f"{HOST}/news/x.html") == []
        assert sites.learn([page(1), page(2)]) == 2
        assert urls(sites.reference(f"{HOST}/news/x.html")) == [page(2)[0], page(1)[0]]
    with pagesieve.open_sites(library_url) as sites:
        (found,) = sites.reference(f"{HOST}/news/x.html", limit=1)
        expected = outline(parse(page(2)[1]))
        assert found.outline.digests.tolist() == expected.digests.tolist()
        assert found.outline.sizes.tolist() == expected.sizes.tolist()
        assert found.learnt.endswith("+00:00")


@pytest.mark.parametrize("given", [html("text"), html("text").encode(), parse(html("text"))])
def test_a_page_is_text_bytes_or_parsed(library_url: str, given: library.Html) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert sites.learn([(f"{HOST}/a", given)]) == 1
        assert sites.learn([(f"{HOST}/a", html("text"))]) == 0
        assert sites.reference(f"{HOST}/b", given) == []


def test_learning_twice_changes_nothing(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert sites.learn(page(k) for k in range(5)) == 5
        before = sites.sites(), sites.pages(HOST)
        assert sites.learn(page(k % 5) for k in range(20)) == 0
        assert (sites.sites(), sites.pages(HOST)) == before


def test_pages_without_their_own_url_are_pages(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert sites.learn((HOST, html(f"text {k}")) for k in (1, 2, 3, 2, 1)) == 3
        assert kept(sites) == [HOST] * 3
        assert len(sites.reference(HOST, html("text 2"))) == 2


def test_the_newest_are_kept(library_url: str) -> None:
    with library.Sites(library_url, pages_per_site=4) as sites:
        assert sites.learn(page(k) for k in range(7)) == 7
        assert kept(sites) == [page(k)[0] for k in (6, 5, 4, 3)]
        sites.learn([page(k, "http://other.example") for k in range(3)])
        sites.learn([page(9)])
        assert kept(sites) == [page(k)[0] for k in (9, 6, 5, 4)]
        assert len(kept(sites, "http://other.example")) == 3


def test_what_others_learn_and_forget_is_seen_when_asked_again(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "FRESH_SECONDS", 0.0)
    with pagesieve.open_sites(library_url) as one, pagesieve.open_sites(library_url) as two:
        for k in range(3):
            one.learn([page(k)])
            assert urls(two.reference(HOST + "/news/x"))[0] == page(k)[0]
        one.forget(HOST)
        assert two.reference(HOST + "/news/x") == []
        one.learn([page(7)])
        assert urls(two.reference(HOST + "/news/x")) == [page(7)[0]]


def test_similar_urls_come_first_then_what_is_alike_then_the_newest(library_url: str) -> None:
    learnt = [
        (f"{HOST}/news/a", html("a", "one")),
        (f"{HOST}/news/b", html("b", "two")),
        (f"{HOST}/news/c", html("c", "three")),
        (f"{HOST}/sport/d", html("d", "two")),
        ("https://example.org/news/e", html("e", "two")),  # of the site, but of another scheme
    ]
    with pagesieve.open_sites(library_url) as sites:
        sites.learn(learnt)
        found = urls(sites.reference(f"{HOST}/news/x", html("x", "two")))
        assert [url[-6:] for url in found if url] == ["news/b", "news/c", "news/a", "port/d", "news/e"]
        found = urls(sites.reference(f"{HOST}/news/x"))
        assert [url[-6:] for url in found if url] == ["news/c", "news/b", "news/a", "port/d", "news/e"]


def test_the_same_content_is_no_reference(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([page(1), (f"{HOST}/print/1.html", page(1)[1]), page(2)])
        assert urls(sites.reference(*page(1))) == [page(2)[0]]
        assert len(sites.reference(page(1)[0])) == 3


def test_a_site_is_a_host_whatever_its_scheme(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([("http://www.example.org/a", html("a")), ("https://EXAMPLE.org/b", html("b"))])
        sites.learn([("http://sub.example.org/a", html("a")), ("http://example.org:8080/a", html("a"))])
        assert [(site.key, site.pages) for site in sites.sites()] == [
            ("example.org", 2),
            ("example.org:8080", 1),
            ("sub.example.org", 1),
        ]
        assert kept(sites, "www.example.org") == ["https://EXAMPLE.org/b", "http://www.example.org/a"]
        assert all(site.size > 0 and site.newest for site in sites.sites())


def test_a_site_is_forgotten(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([page(1), page(2), page(1, "http://other.example")])
        assert sites.forget("http://nobody.example") == 0
        assert sites.forget("https://www.example.org/any") == 2
        assert [site.key for site in sites.sites()] == ["other.example"]
        assert sites.pages(HOST) == []
        assert sites.reference(HOST) == []
        assert sites.learn([page(1)]) == 1


@pytest.mark.parametrize("url", ["", "no url", "/a/b", "http://", f"{HOST}/\ud800"])
def test_a_page_of_no_site_is_refused(library_url: str, url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        with pytest.raises(BadInput):
            sites.learn([(url, html("a"))])
        assert sites.sites() == []


ODD = {
    "umlauts": "ä" * 5000,
    "digits": random.Random(1).randbytes(9000).hex(),
    "zero byte": "?a=\0",
    "sql": "%00'\"; DROP TABLE x",
    "emoji": "\U0001f600" * 999,
}


@pytest.mark.parametrize("rest", ODD.values(), ids=ODD)
def test_odd_urls_are_kept(library_url: str, rest: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert sites.learn([(f"{HOST}/news/{rest}", html("a"))]) == 1
        assert sites.learn([(f"{HOST}/news/{rest}", html("a"))]) == 0
        assert len(sites.reference(f"{HOST}/news/{rest}", html("b"))) == 1


@pytest.mark.parametrize("content", ["", "<p>", "<script>1</script>", b"\0\xff", "<body>" + "<div>" * 5000 + "deep"])
def test_odd_pages_are_kept(library_url: str, content: str | bytes) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert sites.learn([(HOST, content), (HOST, html("a"))]) == 2
        assert len(sites.reference(HOST)) == 2
        assert len(sites.reference(HOST, content)) == 1


# Many at once


def test_processes_learning_at_once_lose_nothing(library_url: str) -> None:
    # Nothing is there yet: the schema is made by all of them at once, too.
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        new = sum(pool.starmap(learn_as_process, [(library_url, k) for k in range(4)]))
    with pagesieve.open_sites(library_url) as sites:
        counts = {site.key: site.pages for site in sites.sites()}
        assert counts == {"a.example": 20, "b.example": 20} | {f"own{k}.example": 10 for k in range(4)}
        assert new == sum(counts.values())
        assert all(len(set(kept(sites, key))) == count for key, count in counts.items())


def test_libraries_opened_at_once_make_one_schema(library_url: str) -> None:
    def open_and_learn(k: int) -> int:
        with pagesieve.open_sites(library_url) as sites:
            return sites.learn([page(k)])

    with ThreadPoolExecutor(12) as threads:
        assert sum(threads.map(open_and_learn, range(12))) == 12
    with pagesieve.open_sites(library_url) as sites:
        assert len(kept(sites)) == 12


def test_threads_share_a_library(library_url: str) -> None:
    with library.Sites(library_url, pages_per_site=100) as sites, ThreadPoolExecutor(10) as threads:

        def work(k: int) -> int:
            new = sites.learn([page(k), page(k + 1)])
            assert page(k)[0] in urls(sites.reference(f"{HOST}/news/x", html("x"), limit=100))
            return new

        assert sum(threads.map(work, range(60))) == 61
        assert len(set(kept(sites))) == 61


def test_learning_and_forgetting_at_once(library_url: str) -> None:
    with library.Sites(library_url, pages_per_site=100) as sites, ThreadPoolExecutor(4) as threads:
        forgetting, learning = [], []
        for k in range(60):
            learning.append(threads.submit(sites.learn, [page(k)]))
            forgetting.append(threads.submit(sites.forget, HOST))
        assert sum(job.result() for job in learning) == 60
        assert sum(job.result() for job in forgetting) + len(kept(sites)) == 60


LEARNER = """
import sys, pagesieve
from tests.library_pages import page
with pagesieve.open_sites(sys.argv[1]) as sites:
    for k in range(1_000_000):
        sites.learn([page(k), page(k, "http://other.example")])
        print("learnt", flush=True)
"""


def test_a_killed_process_leaves_a_usable_library(library_url: str) -> None:
    for turn in range(3):
        command = [sys.executable, "-c", LEARNER, library_url]
        learner = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent)
        assert learner.stdout is not None
        assert learner.stdout.readline() == b"learnt\n"
        time.sleep(0.05 * turn)  # in the midst of the next pages
        learner.send_signal(signal.SIGKILL)
        learner.wait()
        learner.stdout.close()
        with pagesieve.open_sites(library_url) as sites:
            assert len(kept(sites)) > 0
            assert kept(sites) == [
                url and url.replace("other.example", "example.org") for url in kept(sites, "other.example")
            ]
            assert all(len(found.outline) for found in sites.reference(HOST, html("x"), limit=99))
            assert sites.learn([page(-1 - turn), page(-1 - turn, "http://other.example")]) == 2


# Versions


def step(*statements: str) -> Callable[[sqlalchemy.Connection], None]:
    """A migration of some statements."""

    def migrate(connection: sqlalchemy.Connection) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    return migrate


FIRST_VERSION = """
CREATE TABLE pagesieve_library (version INTEGER NOT NULL);
CREATE TABLE pagesieve_site (id {id}, key VARCHAR NOT NULL UNIQUE);
CREATE TABLE pagesieve_page (
    id {growing}, site {number} NOT NULL REFERENCES pagesieve_site (id) ON DELETE CASCADE, url VARCHAR NOT NULL,
    digest {bytes} NOT NULL, learnt VARCHAR NOT NULL, rows INTEGER NOT NULL, sketch {bytes} NOT NULL,
    outline {bytes} NOT NULL, UNIQUE (site, url, digest)
);
CREATE INDEX pagesieve_page_of_site ON pagesieve_page (site, id);
INSERT INTO pagesieve_library VALUES (1);
INSERT INTO pagesieve_site (key) VALUES ('example.org')
"""
TYPES = {
    "sqlite": {
        "id": "INTEGER NOT NULL PRIMARY KEY",
        "growing": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
        "number": "INTEGER",
        "bytes": "BLOB",
    },
    "postgresql": {
        "id": "BIGSERIAL PRIMARY KEY",
        "growing": "BIGSERIAL PRIMARY KEY",
        "number": "BIGINT",
        "bytes": "BYTEA",
    },
}


def test_a_library_of_the_first_version_learns_templates(library_url: str) -> None:
    kind = "postgresql" if library_url.startswith("postgresql") else "sqlite"
    execute(library_url, *FIRST_VERSION.format(**TYPES[kind]).split(";"))
    engine = database.open_engine(library_url, library_url)
    with database.writing(engine, library_url) as connection:
        connection.execute(database.pages.insert().values(site=1, **library._new_page(*page(1)).row))
    engine.dispose()
    for _ in range(2):
        with pagesieve.open_sites(library_url) as sites:
            assert kept(sites) == [page(1)[0]]
            assert len(sites.reference(HOST, html("x"))) == 1
            assert len(sites.templates(HOST)) == 0
    with pagesieve.open_sites(library_url) as sites:
        # Its page is known, but only now are its leaves counted.
        assert sites.learn([page(1), page(2), page(3), page(4)]) == 3
        assert [template.frequency for template in sites.templates(HOST)] == [4] * 10
        assert sites.forget(HOST) == 4


def test_an_older_library_is_brought_up_to_date(library_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([page(1)])
    now = database.SCHEMA
    monkeypatch.setattr(database, "SCHEMA", now + 2)
    steps = {
        now: step("CREATE TABLE added (a INTEGER)", "INSERT INTO added VALUES (5)"),
        now + 1: step("UPDATE added SET a = a + 1"),
    }
    monkeypatch.setattr(database, "MIGRATIONS", steps)
    for _ in range(2):  # the second time, nothing is left to do
        with pagesieve.open_sites(library_url) as sites:
            assert kept(sites) == [page(1)[0]]
            with database.reading(sites._engine, sites.name) as connection:
                assert connection.exec_driver_sql("SELECT a, version FROM added, pagesieve_library").all() == [
                    (6, now + 2)
                ]


def test_a_migration_that_fails_changes_nothing(library_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([page(1)])
    with monkeypatch.context() as changed:
        changed.setattr(database, "SCHEMA", database.SCHEMA + 1)
        steps = {database.SCHEMA - 1: step("DELETE FROM pagesieve_page", "no SQL")}
        changed.setattr(database, "MIGRATIONS", steps)
        with pytest.raises(BadLibrary):
            pagesieve.open_sites(library_url)
    with pagesieve.open_sites(library_url) as sites:
        assert kept(sites) == [page(1)[0]]


def refused(library_url: str, *signs: str) -> None:
    """A library is not opened, for a reason of one line without a password."""
    with pytest.raises(BadLibrary) as error:
        pagesieve.open_sites(library_url)
    message = str(error.value)
    assert "\n" not in message
    assert postgres.PASSWORD not in message
    assert all(sign in message for sign in signs), message


@pytest.mark.parametrize(("version", "sign"), [(4, "newer than 3: update Pagesieve"), (0, "not a site library")])
def test_a_library_of_another_version_is_refused(library_url: str, version: int, sign: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([page(1)])
    execute(library_url, f"UPDATE pagesieve_library SET version = {version}")
    refused(library_url, sign)
    execute(library_url, f"UPDATE pagesieve_library SET version = {database.SCHEMA}")
    with pagesieve.open_sites(library_url) as sites:
        assert kept(sites) == [page(1)[0]]


def test_a_library_without_a_version_is_refused(library_url: str) -> None:
    pagesieve.open_sites(library_url).close()
    execute(library_url, "DELETE FROM pagesieve_library")
    refused(library_url, "not a site library")


def test_a_library_that_lost_a_table_says_so(library_url: str) -> None:
    pagesieve.open_sites(library_url).close()
    execute(library_url, "DROP TABLE pagesieve_page")
    with pagesieve.open_sites(library_url) as sites, pytest.raises(BadLibrary, match="pagesieve_page"):
        sites.learn([page(1)])


@pytest.mark.parametrize("url", [None, 7, b"https://example.org/", "https://example\ud800.org/"])
def test_what_is_no_url_is_refused(tmp_path: Path, url: Any) -> None:
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        for asked in (sites.templates, sites.pages, sites.forget, lambda url: sites.learn([(url, html("x"))])):
            with pytest.raises(BadInput):
                asked(url)


@pytest.mark.parametrize(
    ("table", "column", "broken"),
    [
        ("template", "tag", b"p"),
        ("template", "text", b"\xff"),
        ("template", "frequency", "many"),
        ("template", "frequency", 1.5),
        ("template", "last_page", b""),
        ("site", "counted", "x"),
        ("site", "batch", b"x"),
    ],
)
def test_a_damaged_template_says_so(tmp_path: Path, table: str, column: str, broken: object) -> None:
    """SQLite alone takes them: any value for any column."""
    library = tmp_path / "sites.db"
    with pagesieve.open_sites(library) as sites:
        sites.learn(page(k) for k in range(5))
    with closing(sqlite3.connect(library)) as connection, connection:
        connection.execute(f"UPDATE pagesieve_{table} SET {column} = ?", (broken,))
    with pagesieve.open_sites(library) as sites:
        with pytest.raises(BadLibrary, match="a damaged row"):
            sites.learn([page(6)])
        with suppress(BadLibrary):
            sites.templates(HOST)


@pytest.mark.parametrize(
    ("column", "broken"), [("outline", b"broken"), ("outline", b""), ("sketch", b"123"), ("sketch", bytes(999))]
)
def test_a_damaged_page_says_so(library_url: str, column: str, broken: bytes) -> None:
    with pagesieve.open_sites(library_url) as sites:
        sites.learn([page(1)])
    with pagesieve.open_sites(library_url) as sites:
        with database.writing(sites._engine, sites.name) as connection:
            connection.execute(database.pages.update().values(**{column: broken}))
        with pytest.raises(BadLibrary, match="a damaged page") as error:
            sites.reference(HOST, html("x"))
        assert postgres.PASSWORD not in str(error.value)


# Templates

Dump = tuple[list[tuple[object, ...]], list[tuple[object, ...]], int]


def dump(sites: library.Sites) -> Dump:
    """All that was counted, but when."""
    table, of = database.templates, database.sites
    columns = (of.c.key, table.c.tag, table.c.text, table.c.frequency, table.c.last_page, table.c.open)
    entries = sqlalchemy.select(*columns).join(of, of.c.id == table.c.site).order_by(of.c.key, table.c.id)
    counters = sqlalchemy.select(of.c.key, of.c.counted, of.c.batch).order_by(of.c.key)
    with database.writing(sites._engine, sites.name) as connection:
        counted = connection.execute(sqlalchemy.select(sqlalchemy.func.count()).select_from(database.counted)).scalar()
        return (
            [tuple(row) for row in connection.execute(entries)],
            [tuple(row) for row in connection.execute(counters)],
            counted or 0,
        )


def shown(sites: library.Sites, url: str = HOST) -> list[tuple[str, int]]:
    return [(template.text, template.frequency) for template in sites.templates(url)]


def test_templates_are_learnt_with_the_pages(library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert shown(sites) == []
        sites.learn(menu_page(k) for k in range(3))
        assert shown(sites) == []  # too few pages
        sites.learn([menu_page(3)])
        assert shown(sites) == [(f"one {k}", 4) for k in range(9)]
        sites.learn([menu_page(k) for k in range(4, 12)])
    with pagesieve.open_sites(library_url) as sites:
        assert shown(sites, "www.example.org") == [(f"one {k}", 12) for k in range(9)]
        first = sites.templates(HOST)[0]
        assert first.tag == "li"
        assert first.first_seen <= first.last_seen
        assert first.last_seen.endswith("+00:00")
        assert shown(sites, "http://unknown.example") == []
        assert sites.templates(HOST) is sites.templates(f"{HOST}/any")  # not read again


def test_a_page_counts_once_however_often_it_is_learnt(library_url: str) -> None:
    with library.Sites(library_url, pages_per_site=2) as sites:
        sites.learn(menu_page(k) for k in range(7))
        before = dump(sites)
        sites.learn(menu_page(k) for k in range(7))  # the first ones are new again: they were not kept
        sites.learn([menu_page(6), menu_page(6)])
        assert dump(sites) == before
        assert before[1:] == ([("example.org", 7, 7)], 7)
        url, _ = menu_page(6)
        sites.learn([(url, html("other content"))])
        assert dump(sites)[2] == 8


def test_forgetting_a_site_forgets_its_templates(library_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pagesieve.open_sites(library_url) as sites, pagesieve.open_sites(library_url) as other:
        sites.learn([*(menu_page(k) for k in range(5)), *(menu_page(k, "http://other.example") for k in range(5))])
        assert len(other.templates(HOST)) == 9
        sites.forget(HOST)
        assert shown(sites) == []
        assert len(sites.templates("http://other.example")) == 9
        assert dump(sites)[1:] == ([("other.example", 5, 5)], 5)
        sites.learn(menu_page(k, template="two") for k in range(5))
        assert shown(sites) == [(f"two {k}", 5) for k in range(9)]
        monkeypatch.setattr(library, "FRESH_SECONDS", 0.0)  # as if they had passed
        assert shown(other) == shown(sites)


def test_what_others_learn_is_seen_soon(library_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pagesieve.open_sites(library_url) as one, pagesieve.open_sites(library_url) as two:
        one.learn(menu_page(k) for k in range(4))
        assert shown(two)[0] == ("one 0", 4)
        one.learn([menu_page(4)])
        assert shown(one)[0] == ("one 0", 5)
        monkeypatch.setattr(library, "FRESH_SECONDS", 0.0)  # as if they had passed
        assert shown(two)[0] == ("one 0", 5)


def test_how_templates_are_learnt_may_be_chosen(library_url: str) -> None:
    options = TemplateOptions(pages=5, frequency=2, least_pages=2, life=6)
    with library.Sites(library_url, template_options=options) as sites:
        sites.learn(menu_page(k) for k in range(2))
        assert len(shown(sites)) == 9
        sites.learn(menu_page(k, template="new") for k in range(2, 8))
        assert shown(sites) == [(f"new {k}", 6) for k in range(9)]
    with library.Sites(library_url) as sites:  # not yet deleted, and here they live longer
        assert len(shown(sites)) == 18


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 15))
@examples(12)
def test_it_does_not_matter_how_pages_are_grouped(sizes: list[int], extra: int) -> None:
    pages = [long_page(k, host) for k in range(12 + extra) for host in (HOST, "http://other.example")]
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for name, groups in (("whole", [len(pages)]), ("parts", sizes * len(pages))):
            with library.Sites(Path(folder) / name) as sites:
                rest = iter(pages)
                for size in groups:
                    sites.learn(islice(rest, size))
                found.append(([*map(shown, [sites] * 2, [HOST, "other.example"])], sorted(dump(sites)[0], key=str)))
        assert found[0] == found[1]


COUNTER = """
import sys, pagesieve
from tests.library_pages import long_page
with pagesieve.open_sites(sys.argv[1]) as sites:
    print("ready", flush=True)
    for k in range(0, 60, 3):
        sites.learn(long_page(k + j, host) for j in range(3) for host in ("http://a.example", "http://b.example"))
"""


def test_a_learner_that_is_killed_and_run_again_counts_as_one_that_was_not(library_url: str, tmp_path: Path) -> None:
    with library.Sites(tmp_path / "undisturbed.db") as sites:
        for k in range(60):
            sites.learn([long_page(k, "http://a.example"), long_page(k, "http://b.example")])
        expected = dump(sites)
    for turn in range(3):
        command = [sys.executable, "-c", COUNTER, library_url]
        learner = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent)
        assert learner.stdout is not None
        assert learner.stdout.readline() == b"ready\n"
        time.sleep(0.03 + 0.04 * turn)
        learner.send_signal(signal.SIGKILL)
        learner.wait()
        learner.stdout.close()
    with pagesieve.open_sites(library_url) as sites:
        partly = dump(sites)
        assert [row[1:] for row in partly[0] if row[0] == "a.example"] == [
            row[1:] for row in partly[0] if row[0] == "b.example"
        ]
        for k in range(60):
            sites.learn([long_page(k, "http://a.example"), long_page(k, "http://b.example")])
        assert dump(sites) == expected


def test_processes_counting_the_same_pages_count_each_once(library_url: str) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.starmap(count_as_process, [(library_url, k) for k in range(4)])
    with pagesieve.open_sites(library_url) as sites:
        # Which pages share a batch depends on who is first, but the menu is on all of them.
        assert shown(sites, "long.example")[:9] == [(f"one {k}", 40) for k in range(9)]
        entries, counters, marks = dump(sites)
        assert counters == [("long.example", 40, 0), *((f"short{k}.example", 9, 9) for k in range(3))]
        assert marks == 40 + 3 * 9
        for k in range(3):
            frequencies = Counter({text: n for key, _, text, n, *_ in entries if key == f"short{k}.example"})
            assert frequencies["one 0"] == 9
            assert frequencies["text 5"] == 1
            assert all(n in (1, 9) for n in frequencies.values())


# Files that are no library


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A SQLite library of one page."""
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        sites.learn([page(1)])
    return tmp_path / "sites.db"


def test_a_text_file_is_refused_and_unharmed(tmp_path: Path) -> None:
    for size in (5, 5000):
        path = tmp_path / f"{size}.txt"
        path.write_bytes(b"text " * (size // 5))
        refused(str(path), str(path), "not a site library")
        assert path.read_bytes() == b"text " * (size // 5)


def test_a_database_of_something_else_is_refused_and_unharmed(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (a)")
    before = path.read_bytes()
    refused(str(path), "a database of something else")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_truncated_library_is_refused_and_stays_as_it_is(path: Path) -> None:
    for share in (0.5, 0.9):
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
        before = path.read_bytes()
        refused(str(path), "malformed")
        assert path.read_bytes() == before


def test_an_empty_file_becomes_a_library(tmp_path: Path) -> None:
    (tmp_path / "sites.db").touch()
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        assert sites.learn([page(1)]) == 1


@pytest.mark.parametrize("name", ["a b", "100%", "a?b=c", "a#b", "ä", ":memory:", "%41", "file:x"])
def test_a_library_may_have_any_name(tmp_path: Path, name: str) -> None:
    for opened in (tmp_path / name, str(tmp_path / name)):
        with pagesieve.open_sites(opened) as sites:
            sites.learn([page(1)])
    assert (tmp_path / name).is_file()


def test_a_sqlite_library_may_be_given_by_url(path: Path) -> None:
    with pagesieve.open_sites(f"sqlite:///{path}") as sites:
        assert kept(sites) == [page(1)[0]]


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    refused(str(tmp_path), "a folder, not a site library")
    refused(str(tmp_path / "none" / "sites.db"), "does not exist")
    refused("sqlite://", "a folder")


def test_a_library_that_may_only_be_read(path: Path, tmp_path: Path) -> None:
    """On a disk that nobody may write to, since root may write to any file."""
    with on_a_disk(tmp_path / "disk") as disk:
        shutil.copy(path, disk / "sites.db")
        (disk / "open").mkdir()
        with pagesieve.open_sites(path) as sites:  # what is learnt now is in the log beside the file
            sites.learn([page(2)])
            for part in tmp_path.glob("sites.db*"):
                shutil.copy(part, disk / "open")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        for name, pages in (("sites.db", [1]), ("open/sites.db", [2, 1])):
            with pagesieve.open_sites(disk / name) as sites:
                read_only(sites, [page(k)[0] for k in pages])
        refused(str(disk / "new.db"), "cannot be opened or made")


READER = """
import os, sys
from pathlib import Path
import pagesieve
from tests.test_library import page, read_only
path = Path(sys.argv[1]) / "sites.db"
with pagesieve.open_sites(path) as sites:
    sites.learn([page(1)])
path.chmod(0o444)
path.parent.chmod(0o555)
if os.geteuid() == 0:
    os.setuid(65534)  # nobody
with pagesieve.open_sites(path) as sites:
    read_only(sites, [page(1)[0]])
"""


def test_a_library_that_this_user_may_only_read() -> None:
    folder = tempfile.mkdtemp()  # unlike the folders of the tests, one that others may look into
    try:
        subprocess.run([sys.executable, "-c", READER, folder], check=True, cwd=Path(__file__).parent.parent)
    finally:
        Path(folder).chmod(0o755)
        shutil.rmtree(folder)


def read_only(sites: library.Sites, pages: list[str]) -> None:
    assert kept(sites) == pages
    assert len(sites.reference(HOST, html("x"))) == len(pages)
    with pytest.raises(BadLibrary, match=r"^[^\n]*the site library is read-only$"):
        sites.learn([page(9)])
    with pytest.raises(BadLibrary, match=r"^[^\n]*the site library is read-only$"):
        sites.forget(HOST)
    assert kept(sites) == pages


@contextmanager
def on_a_disk(folder: Path) -> Iterator[Path]:
    """A small disk of its own; skips where that is not allowed."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    with on_a_disk(tmp_path / "disk") as disk:
        path = disk / "sites.db"
        with library.Sites(path, pages_per_site=10**6) as sites:
            with pytest.raises(BadLibrary, match=r"^[^\n]*the disk is full; the site library is as it was$"):
                sites.learn(page(k) for k in range(10**6))
            whole = len(kept(sites))
            with pytest.raises(BadLibrary):
                sites.learn(page(j) for j in range(-10_000, 0))
            assert len(kept(sites)) >= whole
            assert len(sites.reference(HOST, html("x"))) == library.REFERENCES
        refused(str(disk / "new.db"), "the disk is full")
        (disk / "new.db").unlink(missing_ok=True)
        with pagesieve.open_sites(path) as sites:
            assert len(kept(sites)) >= whole
            assert len(sites.reference(HOST, html("x"))) == library.REFERENCES


# Database URLs


@pytest.mark.parametrize(
    "url",
    [
        "nothing://a:not-to-be-shown@b/c",
        "mysql://a:not-to-be-shown@b/c",
        "postgresql+nothing://a:not-to-be-shown@b/c",
        "postgresql://a:not-to-be-shown@b:port/c",
        "postgresql://a:not-to-be-shown@[b/c",
        "://a:not-to-be-shown@b",
        "postgresql://127.0.0.1:1/c?password=not-to-be-shown",
        "postgresql://a:x/@not-to-be-shown@127.0.0.1:1/c",
    ],
)
def test_a_wrong_database_url_is_refused(url: str) -> None:
    refused(url)


def test_a_server_that_does_not_run_is_named_without_the_password() -> None:
    port = postgres.free_port()
    refused(f"postgresql://me:{postgres.PASSWORD}@127.0.0.1:{port}/sites", f"//***@127.0.0.1:{port}", "refused")


def test_a_server_refuses_in_one_line(postgresql: str) -> None:
    refused(f"{postgresql}nothing", "nothing", "does not exist")
    refused(postgresql.replace(postgres.PASSWORD, "wrong") + "postgres", "password authentication failed")


def test_an_open_library_does_not_show_its_password(postgresql: str, library_url: str) -> None:
    with pagesieve.open_sites(library_url) as sites:
        assert postgres.PASSWORD not in repr(sites)


def test_a_database_may_hold_other_tables(postgresql: str, library_url: str) -> None:
    if library_url.startswith("postgresql"):
        execute(library_url, "CREATE TABLE other (a INTEGER)")
        with pagesieve.open_sites(library_url) as sites:
            assert sites.learn([page(1)]) == 1


# Outlines

TREES = st.recursive(
    st.tuples(st.integers(0, 3), st.just(())),
    lambda trees: st.tuples(st.integers(0, 3), st.lists(trees, max_size=4).map(tuple)),
    max_leaves=12,
)
FORESTS = st.lists(TREES, max_size=5)


class Node:
    """A node of a tree, as the specification speaks of it."""

    def __init__(self, tree: tuple[int, tuple[object, ...]], row: int) -> None:
        self.tree, self.row, self.removed = tree, row, False
        self.children: list[Node] = []
        self.end: int
        row += 1
        for child in tree[1]:
            self.children.append(Node(child, row))  # type: ignore[arg-type]
            row = self.children[-1].end
        self.end = row

    def all(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.all()


def grow(forest: list[tuple[int, tuple[object, ...]]]) -> list[Node]:
    nodes: list[Node] = []
    for tree in forest:
        nodes.append(Node(tree, nodes[-1].end if nodes else 0))
    return nodes


def everything(nodes: list[Node]) -> list[Node]:
    return [inner for node in nodes for inner in node.all()]


def as_outline(nodes: list[Node]) -> Outline:
    rows = everything(nodes)
    digests = [zlib.crc32(repr(node.tree).encode()) for node in rows]
    return Outline(np.array(digests, dtype=np.uint32), np.array([n.end - n.row for n in rows], dtype=np.int32))


def slowly_found(target: list[Node], reference: list[Node]) -> list[bool]:
    """The specification's loop, word for word. A node of the reference that has lost a part is not what it was."""
    found = [False] * len(everything(target))
    stack = list(target)
    while stack:
        node = stack.pop()
        hits = [other for other in everything(reference) if other.tree == node.tree and not other.removed]
        if hits:
            for other in everything(reference):
                if hits[0] in other.all() or other in hits[0].all():
                    other.removed = True
            for inner in node.all():
                found[inner.row] = True
        else:
            stack.extend(node.children)
    return found


def test_found_in_is_what_the_specification_says() -> None:
    @given(FORESTS, FORESTS)
    @examples(300)
    def check(one: list[tuple[int, tuple[object, ...]]], two: list[tuple[int, tuple[object, ...]]]) -> None:
        target, reference = grow(one), grow(two)
        found = as_outline(target).found_in(as_outline(reference)).tolist()
        assert found == slowly_found(target, reference)

    check()


LEAF = (1, ())
OTHER = (2, ())
FOUND = [  # target, reference, the rows found
    ([LEAF, LEAF], [LEAF], [0, 1]),  # a block that stands twice loses one copy only
    ([LEAF, LEAF], [LEAF, LEAF], [1, 1]),
    ([(0, (LEAF, OTHER))], [(0, (LEAF, OTHER))], [1, 1, 1]),
    ([LEAF, (0, (LEAF,))], [(0, (LEAF,))], [0, 1, 1]),  # the hit took its whole subtree
    ([(3, (LEAF, OTHER))], [OTHER, LEAF], [0, 1, 1]),
    ([(0, (LEAF, OTHER)), LEAF], [(0, (LEAF, OTHER))], [0, 0, 1, 1]),  # the block has lost its leaf to the lone one
    ([LEAF], [], [0]),
    ([], [LEAF], []),
]


@pytest.mark.parametrize(("target", "reference", "rows"), FOUND)
def test_a_block_is_used_once(
    target: list[tuple[int, tuple[object, ...]]], reference: list[tuple[int, tuple[object, ...]]], rows: list[int]
) -> None:
    assert as_outline(grow(target)).found_in(as_outline(grow(reference))).tolist() == [bool(row) for row in rows]


@given(FORESTS)
def test_an_outline_is_unpacked_as_it_was_packed(forest: list[tuple[int, tuple[object, ...]]]) -> None:
    packed = as_outline(grow(forest))
    found = Outline.unpack(packed.pack(), len(packed))
    assert found.digests.tolist() == packed.digests.tolist()
    assert found.sizes.tolist() == packed.sizes.tolist()


@given(st.binary(max_size=60), st.integers(-9, 20))
def test_any_bytes_are_an_outline_or_refused(packed: bytes, rows: int) -> None:
    for tail in (packed, packed[: 4 * max(rows, 0)] + zlib.compress(packed)):
        try:
            found = Outline.unpack(tail, rows)
        except ValueError:
            continue
        assert len(found) == rows
        found.found_in(found)


@given(st.lists(st.integers(1, 9), max_size=9))
def test_only_subtrees_that_nest_are_an_outline(sizes: list[int]) -> None:
    ends = [row + size for row, size in enumerate(sizes)]
    nested = all(
        ends[inner] <= ends[row] <= len(sizes)
        for row in range(len(sizes))
        for inner in range(row, ends[row])
        if inner < len(sizes)
    )
    packed = bytes(4 * len(sizes)) + zlib.compress(np.array(sizes, dtype="<i4").tobytes())
    if nested:
        assert Outline.unpack(packed, len(sizes)).sizes.tolist() == sizes
    else:
        with pytest.raises(ValueError, match="not an outline"):
            Outline.unpack(packed, len(sizes))


def test_a_packed_bomb_is_not_blown_up() -> None:
    with pytest.raises(ValueError, match="not an outline"):
        Outline.unpack(bytes(4) + zlib.compress(bytes(10**8)), 1)


DIGESTS = st.lists(st.integers(0, 2**32 - 2), max_size=30, unique=True)


@given(DIGESTS, st.lists(DIGESTS, max_size=4))
def test_likeness_is_exact_for_small_outlines(one: list[int], several: list[list[int]]) -> None:
    sketches = [np.sort(np.array(two, dtype=np.uint32)) for two in several]
    expected = [len({*one} & {*two}) / len({*one} | {*two}) if one or two else 1 for two in several]
    assert likeness(np.sort(np.array(one, dtype=np.uint32)), padded(sketches)) == pytest.approx(expected)


def test_likeness_of_large_outlines_is_about_right() -> None:
    digests = np.random.default_rng(0).integers(0, 2**32 - 1, 3000, dtype=np.uint32)
    one = Outline(digests[:2000], np.ones(2000, dtype=np.int32))
    two = Outline(digests[1000:], np.ones(2000, dtype=np.int32))
    assert likeness(one.sketch, padded([two.sketch, one.sketch])) == pytest.approx([1 / 3, 1], abs=0.15)
    assert len(one.sketch) == SKETCH


# Cost


def test_a_look_up_costs_no_more_after_many_pages(library_url: str) -> None:
    def cost(sites: library.Sites) -> float:
        given = parse(html("x"))
        times = []
        for _ in range(200):
            started = time.thread_time()
            sites.reference(f"{HOST}/news/x", given)
            times.append(time.thread_time() - started)
        return min(times)  # what else the machine does hits the others

    with pagesieve.open_sites(library_url) as sites:
        sites.learn(page(k) for k in range(100))
        few = cost(sites)
        sites.learn(page(k) for k in range(100, 1_000))
        assert cost(sites) < 2 * few
        (site,) = sites.sites()
        assert site.pages == library.PAGES_PER_SITE
