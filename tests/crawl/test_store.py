"""The store of a crawl: what waits, what was done, and what a run finds of the one before."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from pagesieve.crawl import store as store_module
from pagesieve.crawl.store import FILE, Link, Outcome, State, Store
from pagesieve.errors import BadInput, RunStopped

HOME = "https://a.example/"
KEPT = {"depth": 2}


def page(title: str, **more: object) -> Outcome:
    return Outcome(State.DONE, kind="article", url=HOME, row={"title": title}, heading=title, **more)  # type: ignore[arg-type]


def ids(store: Store, host: str = "a.example") -> dict[str, int]:
    """Return the ids of what waits, by the last part of the address."""
    return {entry.url.rpartition("/")[2]: entry.id for entry in store.take(host, 100)}


def states(store: Store) -> dict[str, int]:
    rows = sqlite3.Connection.execute(store._db, "SELECT url, state FROM pages")
    return {url.rpartition("/")[2]: state for url, state in rows}


def titles(store: Store) -> list[str]:
    return [row["title"] for _, row in store.rows()]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose start has led to three pages."""
    store = Store(tmp_path)
    store.begin([HOME], KEPT)
    store.finish(ids(store)[""], Outcome(links=[Link(HOME + name, depth=1) for name in ("a", "b", "c")]))
    return store


def again(store: Store) -> Store:
    """Return the store as another process opens it, which begins a run."""
    store.close()
    opened = Store(store.folder)
    opened.begin([HOME], KEPT)
    return opened


# Runs


def test_the_sorts_of_runs(store: Store) -> None:
    store.finish(ids(store)["a"], page("A"))
    store = again(store)
    assert (store.run, sorted(ids(store))) == (1, ["b", "c"]), "the run goes on"
    for id in ids(store).values():
        store.finish(id, page(str(id)))
    store.end()
    store = again(store)
    assert (store.run, sorted(ids(store))) == (2, [""]), "another run looks for changes"
    assert again(store).run == 2


def test_what_must_stay_the_same(store: Store) -> None:
    with pytest.raises(BadInput, match="begun with depth 2, not 3: name another"):
        store.begin([HOME], {"depth": 3})
    with pytest.raises(BadInput, match=r"begun with starts https://a.*, not https://b"):
        store.begin(["https://b.example/"], KEPT)


def test_the_second_run_asks_for_what_may_have_changed(store: Store) -> None:
    known = ids(store)
    store.finish(known["a"], page("A", etag='"1"'))
    store.finish(known["b"], page("B"))
    store.finish(known["c"], Outcome(State.UNREACHABLE, "answered 500"))
    store.end()
    store = again(store)
    assert sorted(ids(store)) == ["", "a", "c"]
    (entry,) = [entry for entry in store.take("a.example", 9) if entry.url.endswith("a")]
    assert entry.etag == '"1"'
    store.mark_unchanged(entry.id)
    assert titles(store) == ["A", "B"]


def test_a_later_date_makes_a_page_wait_again(store: Store) -> None:
    known = ids(store)
    store.finish(known["a"], page("A", links=[Link(HOME + "b", changed="2024-01-01")]))
    store.finish(known["b"], page("B", links=[Link(HOME + "b", changed="2024-01-02")]))
    assert states(store)["b"] == State.DONE, "dates of feeds and sitemaps differ in the same run"
    for change, state in (("2024-01-02", State.DONE), ("2024-01-03", State.WAITING)):
        store.finish(known["c"], page("C"))
        store.end()
        store = again(store)
        store.finish(ids(store)[""], Outcome(links=[Link(HOME + "b", changed=change)]))
        assert states(store)["b"] == state


@pytest.mark.parametrize(
    ("state", "waits", "keeps"),
    [
        (State.REJECTED, False, False),
        (State.REFUSED, False, True),
        (State.UNREACHABLE, True, True),
        (State.UNREADABLE, True, False),
    ],
)
def test_rejects_in_the_second_run(store: Store, state: State, waits: bool, keeps: bool) -> None:
    """The state of a reject decides whether it is tried again and whether its earlier result stays, not its reason."""
    id = ids(store)["a"]
    store.finish(id, page("A"))
    store.finish(id, Outcome(state, "died: cannot be fetched: answered 500"))
    assert [url for url, _ in store.rejects()] == [f"{HOME}a"]
    assert titles(store) == (["A"] if keeps else [])
    store.end()
    store = again(store)
    assert store.is_waiting(id) == waits


def of_version_1(store: Store) -> None:
    """Make the file of a store one of version 1, in which all rejects have one state."""
    store.close()
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE facts SET value = '1' WHERE name = 'version'")
        database.execute("UPDATE pages SET state = 2 WHERE state > 3")
    database.close()


def test_a_job_folder_of_an_earlier_version_is_resumed(store: Store) -> None:
    known = ids(store)
    store.finish(known["a"], page("A"))
    store.finish(known["b"], Outcome(State.UNREACHABLE, "answered 500"))
    of_version_1(store)
    store = again(store)
    assert (store.run, sorted(ids(store)), titles(store)) == (1, ["c"], ["A"])
    assert list(store.rejects()) == [(f"{HOME}b", "answered 500")]
    store.finish(known["c"], page("C"))
    store.end()
    store = again(store)
    assert (store.run, sorted(ids(store))) == (2, ["", "b"])


# What one page does to others


def test_a_transaction_is_whole(store: Store) -> None:
    bad = Link(HOME + "d", titles=(object(),))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        store.finish(ids(store)["a"], page("A", links=[Link(HOME + "e"), bad]))
    assert sorted(ids(store)) == ["a", "b", "c"]
    assert titles(store) == []
    store.finish(ids(store)["a"], page("A"))
    assert titles(store) == ["A"]


def test_a_covered_page_is_no_result_whenever_it_comes(store: Store) -> None:
    known = ids(store)
    store.finish(known["b"], page("B"))
    assert store.is_waiting(known["c"])
    store.finish(known["a"], page("A", others=[HOME + "b", HOME + "c"]))
    assert titles(store) == ["A"]
    assert not store.is_waiting(known["c"])
    store.finish(known["c"], page("C", links=[Link(HOME + "d")]))  # it was under way
    assert titles(store) == ["A"]
    assert states(store)["c"] == State.COVERED
    assert sorted(ids(store)) == ["d"], "what it leads to is not lost"


def test_a_page_does_not_give_way_to_the_address_that_it_covers(store: Store) -> None:
    """It was redirected there: in the next run that address is known, but only by the page itself."""
    known = ids(store)
    store.finish(known["a"], page("A", others=[HOME + "moved"]))
    assert not store.stands_for(HOME + "moved", known["a"])
    assert store.stands_for(HOME + "moved", known["b"])
    assert store.stands_for(HOME + "c", known["a"])
    store.finish(known["c"], Outcome(State.REJECTED, "answered 404"))
    assert not store.stands_for(HOME + "c", known["a"])
    assert not store.stands_for(HOME + "nowhere", known["a"])


@pytest.mark.parametrize("own_comes", ["first", "last"])
def test_pages_that_call_one_address_their_own(store: Store, own_comes: str) -> None:
    known = ids(store)
    first, last = ("a", "b") if own_comes == "first" else ("b", "a")
    store.finish(known[first], page("Same", canonical=None if first == "a" else HOME + "a"))
    if last == "b":
        assert store.same(known["b"], HOME + "a", "Same") == HOME + "a"
        assert store.same(known["b"], HOME + "a", "Other") is None
    else:
        store.finish(known["a"], page("Same"))
        assert titles(store) == ["Same"]
        assert states(store)["b"] == State.COVERED
    store.finish(known["c"], page("Other", canonical=HOME + "a"))
    assert sorted(titles(store)) == ["Other", "Same"]


def test_a_server_that_fails_deletes_nothing(store: Store) -> None:
    id = ids(store)["a"]
    store.finish(id, page("A", etag='"1"'))
    store.finish(id, Outcome(State.UNREACHABLE, "answered 503"))
    assert titles(store) == ["A"]
    assert list(store.rejects()) == [(HOME + "a", "answered 503")]
    store.finish(id, Outcome(State.REJECTED, "answered 404"))
    assert titles(store) == []


def test_pages_that_are_done_again(store: Store) -> None:
    known = ids(store)
    store.finish(known["a"], page("A", body=(b"<p>a", {"url": HOME + "a"})))
    store.finish(known["b"], page("B", body=(b"<p>b", {"url": HOME + "b"})))
    store.finish(known["b"], Outcome(State.REJECTED, "answered 404"))
    (body,) = store.bodies()
    assert (body.data, body.about) == (b"<p>a", {"url": HOME + "a"})
    store.replace(body.id, {"title": "Better"})
    assert titles(store) == ["Better"]
    assert list(store.bodies()) == []


def test_counts(store: Store) -> None:
    known = ids(store)
    store.finish(known["a"], page("A"))
    store.finish(known["b"], Outcome(State.REJECTED, "answered 404: https://a.example/b"))
    counts = store.counts()
    assert (counts.waiting, counts.results, dict(counts.rejects)) == (1, 1, {"answered 404": 1})


# Files that are no store, or cannot be used


def test_two_processes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import sys; from pathlib import Path; from pagesieve.crawl import store; store.BUSY_SECONDS = 0.1\n"
        "try: store.Store(Path(sys.argv[1]))\n"
        "except store.BadInput as error: print(error)\n"
        "except store.RunStopped as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(store.folder)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == f"{store.path}: another crawl is using this job folder"
    store.finish(ids(store)["a"], page("A"))


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE pages (id INTEGER)")
    database.close()


def _of_the_future(path: Path) -> None:
    Store(path.parent).close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE facts SET value = '99' WHERE name = 'version'")
    database.close()


def _nonsense(path: Path) -> None:
    Store(path.parent).close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE facts SET value = '{' WHERE name = 'version'")
    database.close()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.write_bytes(b"nothing of the kind" * 100), "not a crawl's store"),
        (_foreign, "not a crawl's store"),
        (_nonsense, "not a crawl's store"),
        (_of_the_future, "of another version"),
        (lambda path: path.mkdir(), "unable to open database file"),
    ],
)
def test_what_is_no_store(tmp_path: Path, make: object, why: str) -> None:
    make(tmp_path / FILE)  # type: ignore[operator]
    before = (tmp_path / FILE).read_bytes() if (tmp_path / FILE).is_file() else b""
    with pytest.raises(BadInput, match=f"{FILE}: {why}") as caught:
        Store(tmp_path)
    assert "\n" not in str(caught.value)
    assert not before or (tmp_path / FILE).read_bytes() == before, "left as it was"


def test_a_job_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="the job folder cannot be made"):
        Store(tmp_path / "file" / "job")


def _use(folder: Path) -> None:
    with Store(folder) as opened:
        opened.begin([HOME], KEPT)
        opened.take(opened.hosts()[0], 100)
        list(opened.rows())


def test_a_damaged_store_stops_the_crawl(store: Store) -> None:
    for _ in range(40):
        first = next(iter(ids(store).values()))
        store.finish(first, page("A" * 2000, links=[Link(f"{HOME}{first}-{at}") for at in range(20)]))
    store.close()
    data = bytearray(store.path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    store.path.write_bytes(data)
    with pytest.raises((RunStopped, BadInput), match=f"{FILE}: (damaged|not a crawl's store)") as caught:
        _use(store.folder)
    assert "\n" not in str(caught.value)


def test_a_full_disk(store: Store) -> None:
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    known = ids(store)
    with pytest.raises(RunStopped, match="the disk is full; what is done is kept, and the same command goes on"):
        store.finish(known["a"], page("A" * 1_000_000))
    assert titles(store) == []
    store._db.execute("PRAGMA max_page_count = 1000000")
    store.finish(known["a"], page("A"))
    assert titles(store) == ["A"]


def test_the_words_for_errors_are_plain() -> None:
    assert store_module._plain_message(sqlite3.OperationalError("attempt to write a readonly database")) == (
        "the job folder is read-only"
    )
