"""What reads a file says in one line, by an error of Pagesieve, that the file is damaged; nothing else is raised."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import pagesieve
from pagesieve.crawl.store import Link, Outcome, State, Store
from pagesieve.errors import PagesieveError
from pagesieve.methods.svm import shipped
from tests.hostile.damage import damaged, odd_databases, odd_json, spoilt_members, written

SEEDS = range(60)
EVERY = 11  # of the odd values in a database, other ones for each column: all of them take a minute
URL = "https://example.org/"
RECORDS = b"<ul>" + b"".join(b"<li><a href=/x%d>One of many %d</a> <b>%d EUR</b>" % (k, k, k) for k in range(12))
HTML = (
    b"<html lang=en><x-y foo=1><h1>A headline</h1>"
    + b"<p class=a id=b>Words and words and more of them, so that something is found.</p>" * 4
    + RECORDS
)


def check(use: Callable[[], object], case: object) -> None:
    """Do something with a file that may be damaged; only an error of Pagesieve, in one line, may come of it."""
    said = "in one line"
    try:
        use()
    except PagesieveError as error:
        said = str(error)
    except Exception as error:
        raise AssertionError(f"{case}: {error!r}") from error
    assert len(said.splitlines()) == 1, case


def check_all(uses: list[Callable[[], object]], case: object) -> None:
    for use in uses:
        check(use, case)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "page.npz"
    pagesieve.parse(HTML, URL).save(path)
    return path


def use_page(path: Path) -> None:
    page = pagesieve.Page.load(path)
    pagesieve.extract(page, format="json")
    pagesieve.headline(page)
    pagesieve.records(page, mode="static").to_rows()


@pytest.mark.parametrize("spoil", [damaged, spoilt_members])
def test_damaged_pages(saved: Path, spoil: Callable[[bytes, int], bytes]) -> None:
    sound = saved.read_bytes()
    for seed in SEEDS:
        saved.write_bytes(spoil(sound, seed))
        check(lambda: use_page(saved), seed)


def test_offsets_whose_differences_overflow(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name in ("text_at", "attribute_at", "value_at"):
        offsets = np.load(io.BytesIO(members[f"{name}.npy"]))
        offsets[1:4] = 2**31 - 1, -(2**31), -1  # each is more than the one before, as far as 32 bits can tell
        assert (np.diff(offsets) >= 0).all()
        told = io.BytesIO()
        np.lib.format.write_array(told, offsets, (1, 0))
        with zipfile.ZipFile(saved, "w") as archive:
            for each, data in (members | {f"{name}.npy": told.getvalue()}).items():
                archive.writestr(each, data)
        with pytest.raises(pagesieve.BadInput, match="offsets out of order"):
            pagesieve.Page.load(saved)


def test_a_loaded_thread_is_a_thread(tmp_path: Path) -> None:
    html = Path(__file__).parents[1].joinpath("posts", "cases", "phpbb.html").read_bytes()
    page = pagesieve.parse(html)
    page.save(tmp_path / "page")
    loaded = pagesieve.Page.load(tmp_path / "page")
    assert loaded.end.data.format == "i"  # which "<i" is not, though it is the same
    posts = pagesieve.article(page).posts
    assert posts
    assert pagesieve.article(loaded).posts == posts


def test_pages_with_odd_facts(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    facts = json.loads(np.load(io.BytesIO(members["facts.npy"])).tobytes())
    for odd in odd_json(facts):
        told = io.BytesIO()
        np.lib.format.write_array(told, np.frombuffer(written(odd).encode(), dtype=np.uint8), (1, 0))
        with zipfile.ZipFile(saved, "w") as archive:
            for name, data in (members | {"facts.npy": told.getvalue()}).items():
                archive.writestr(name, data)
        check(lambda: use_page(saved), odd)


@pytest.mark.parametrize("spoil", [damaged, spoilt_members])
def test_damaged_models(tmp_path: Path, spoil: Callable[[bytes, int], bytes]) -> None:
    path = tmp_path / "model.npz"
    shipped().save(path)
    sound = path.read_bytes()
    for seed in SEEDS:
        path.write_bytes(spoil(sound, seed))
        check(lambda: pagesieve.extract(HTML, method="svm", model=path), seed)


def test_damaged_schemas(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    pagesieve.records(HTML, mode="static").schema.save(path)
    sound = path.read_bytes()

    def use() -> None:
        found = pagesieve.records(HTML, mode="static", schema=path)
        assert found.to_rows(typed=True) is not None
        assert found.drift is not None

    for seed in SEEDS:
        path.write_bytes(damaged(sound, seed))
        check(use, seed)
    for odd in odd_json(json.loads(sound)):
        path.write_text(written(odd))
        check(use, odd)


def test_a_column_of_no_page_is_no_column() -> None:
    told = pagesieve.records(HTML, mode="static").schema.to_json()
    with pytest.raises(pagesieve.BadInput, match="a bad pages: 0"):
        pagesieve.Schema.from_json(told.replace('"pages": 1', '"pages": 0'))


# Databases


def use_sites(path: Path) -> None:
    with pagesieve.open_sites(path) as sites:
        uses: list[Callable[[], object]] = [
            sites.sites,
            lambda: sites.pages(URL),
            lambda: sites.reference(URL, HTML),
            lambda: pagesieve.extract(HTML, URL, method="template", sites=sites),
            lambda: pagesieve.records(HTML, URL, mode="static", sites=sites).to_rows(),
            lambda: sites.learn([(URL + "new", HTML + b"<p>More of it")]),
            lambda: sites.forget(URL),
        ]
        check_all(uses, path)


def use_store(folder: Path) -> None:
    with Store(folder) as store:

        def go_on() -> None:
            for entry in store.take("example.org", 1):
                store.finish(entry.id, Outcome(url=URL, row={}, kind="article", links=[Link(URL + "b", titles=("T",))]))

        uses: list[Callable[[], object]] = [
            lambda: store.begin([URL], {"limit": 1}),
            lambda: [store.take(host, 9) for host in store.hosts()],
            lambda: list(store.rows()),
            lambda: list(store.rejects()),
            lambda: list(store.bodies()),
            store.counts,
            go_on,
            store.end,
        ]
        check_all(uses, folder)


def make_sites(folder: Path) -> Path:
    with pagesieve.open_sites(folder / "sites.db") as sites:
        sites.learn([(f"{URL}{k}", HTML + b"<p>Number %d" % k) for k in range(8)])
    return folder / "sites.db"


def make_store(folder: Path) -> Path:
    with Store(folder) as store:
        store.begin([URL], {"limit": 1})
        (entry,) = store.take("example.org", 5)
        found = [Link(URL + each, titles=("T",)) for each in "bc"]
        store.finish(entry.id, Outcome(url=URL, row={"a": 1}, kind="article", links=found, body=(b"x", {"url": URL})))
        store.finish(store.take("example.org", 1)[0].id, Outcome(State.REJECTED, reason="answered 404"))
        store.end()
    return store.path


DATABASES: dict[str, tuple[Callable[[Path], Path], Callable[[Path], None]]] = {
    "site library": (make_sites, use_sites),
    "crawl": (make_store, lambda path: use_store(path.parent)),
}


def without_log(path: Path) -> None:
    """Write what SQLite keeps beside a database into it, and remove the rest."""
    for name in ("wal", "shm", "journal"):
        Path(f"{path}-{name}").unlink(missing_ok=True)


@pytest.mark.parametrize("name", DATABASES)
def test_damaged_databases(name: str, tmp_path: Path) -> None:
    make, use = DATABASES[name]
    path = make(tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    sound = path.read_bytes()
    for seed in SEEDS[:20]:
        path.write_bytes(damaged(sound, seed))
        check(lambda: use(path), seed)
        without_log(path)
    path.write_bytes(sound)
    for case in islice(odd_databases(path), 0, None, EVERY):
        check(lambda: use(path), case)
        without_log(path)


def test_a_store_that_cannot_be_used_is_not_kept_locked(tmp_path: Path) -> None:
    path = make_store(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE facts SET value = '99' WHERE name = 'version'")
    connection.close()
    with pytest.raises(pagesieve.BadInput) as refused:
        Store(tmp_path)
    with sqlite3.connect(path, timeout=0) as connection:
        connection.execute("UPDATE facts SET value = '1' WHERE name = 'version'")
    connection.close()
    assert "another version" in str(refused.value)
    Store(tmp_path).close()
