"""The first pass of `batch --learn`, with real processes and databases."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

import pagesieve
from pagesieve.batch import BatchOptions, Shard, learn, local
from pagesieve.batch.run import Task, Watch
from pagesieve.errors import BadLibrary, RunStopped
from pagesieve.sites import library
from tests import postgres
from tests.learnt_sites import PAGES, content, learnt, page, url, write_crawl

SCRIPT = str(Path(sys.executable).with_name("pagesieve"))
SITES = {
    "many.example": learn.MAX_PAGES,
    "some.example": 9,
    "other.example": 6,
}  # and how many of their pages are learnt


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawl") / "crawl.warc.gz"
    write_crawl(path)
    return path


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the library holds after the pages were learnt one site after the other."""
    path = tmp_path_factory.mktemp("expected") / "sites.db"
    with pagesieve.open_sites(path) as sites:
        for site in ("many.example", "some.example", "www.other.example"):
            count = PAGES[site]
            spread = (
                [k * count // learn.MAX_PAGES for k in range(learn.MAX_PAGES)]
                if count > learn.MAX_PAGES
                else range(count)
            )
            sites.learn((url(site, number), page(site, number).decode()) for number in spread)
    return content(str(path))


def here(shards: Sequence[Shard], task: Task, watch: Watch, workers: int = 1) -> None:
    """An engine without processes of its own, which cost more than these pages do."""
    for shard in shards:
        watch.finished(shard, task(shard, progress=None))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learns into SQLite without a process of its own, too."""
    monkeypatch.setattr(local, "run", here)


def several_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "TASK", 1)  # a task a site


def test_no_page_of_a_run_pushes_another_out_of_the_library() -> None:
    assert learn.MAX_PAGES <= library.PAGES_PER_SITE


def test_sqlite(crawl: Path, tmp_path: Path, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    several_at_a_time(monkeypatch)
    found = learnt(crawl, tmp_path / "out", str(tmp_path / "sites.db"), partial(local.run, workers=2))
    assert found == learn.Learnt(3, sum(SITES.values()), sum(SITES.values()))
    assert content(str(tmp_path / "sites.db")) == expected
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        assert {site.key: site.pages for site in sites.sites()} == SITES
        assert "News of some.example, as on all its pages" in {found.text for found in sites.templates("some.example")}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["learnt.json", "manifest.json"]


def test_postgresql_from_many_workers_learns_what_sqlite_does(
    crawl: Path, tmp_path: Path, expected: dict[str, object], postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    several_at_a_time(monkeypatch)

    def engine(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
        (local.run if shards[0].kind == "sites" else here)(shards, task, watch, workers=3)

    with postgres.new_database(postgresql) as name:
        learnt(crawl, tmp_path / "out", name, engine)
        assert content(name) == expected


@pytest.mark.usefixtures("quick")
def test_shards_do_not_matter(crawl: Path, tmp_path: Path, expected: dict[str, object]) -> None:
    learnt(crawl, tmp_path / "out", str(tmp_path / "sites.db"), here, shard_bytes=9000)
    assert content(str(tmp_path / "sites.db")) == expected


# Taken up again


def interrupted(shards: Sequence[Shard], task: Task, watch: Watch, workers: int = 1) -> None:
    """An engine that is interrupted half-way."""
    here(shards[: len(shards) // 2], task, watch)
    raise KeyboardInterrupt


def not_at_all(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
    raise AssertionError("nothing is left to do")


@pytest.mark.usefixtures("quick")
def test_indexing_is_taken_up(crawl: Path, tmp_path: Path, expected: dict[str, object]) -> None:
    out, name = tmp_path / "out", str(tmp_path / "sites.db")
    with pytest.raises(KeyboardInterrupt):
        learnt(crawl, out, name, interrupted)
    before = {path: path.stat().st_ino for path in (out / learn.WORK / "pages").glob("part-*")}
    assert before
    done: list[Shard] = []

    def engine(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
        done.extend(shards)
        assert {path: path.stat().st_ino for path in before} == before
        here(shards, task, watch)

    learnt(crawl, out, name, engine, resume=True)
    assert len(before) == 2 * done[0].number
    assert content(name) == expected
    assert learnt(crawl, out, name, not_at_all, resume=True).new == sum(SITES.values())


def test_learning_is_taken_up(
    crawl: Path, tmp_path: Path, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    several_at_a_time(monkeypatch)
    monkeypatch.setattr(local, "run", here)
    out, name = tmp_path / "out", str(tmp_path / "sites.db")
    with monkeypatch.context() as patch:
        patch.setattr(local, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learnt(crawl, out, name, here)
    assert 0 < len(content(name)) < len(SITES)
    found = learnt(crawl, out, name, not_at_all, resume=True)
    assert found.new == sum(SITES.values())
    assert content(name) == expected


@pytest.mark.usefixtures("quick")
def test_what_is_learnt_twice_counts_once(crawl: Path, tmp_path: Path, expected: dict[str, object]) -> None:
    """As when a worker dies between the library and its marker; or in another run."""
    name = str(tmp_path / "sites.db")
    learnt(crawl, tmp_path / "one", name, here)
    found = learnt(crawl, tmp_path / "two", name, here)
    assert (found.pages, found.new) == (sum(SITES.values()), 0)
    assert content(name) == expected


def give_up(shards: Sequence[Shard], task: Task, watch: Watch) -> None:
    here(shards[1:], task, watch)


def test_without_all_pages_nothing_is_learnt(crawl: Path, tmp_path: Path) -> None:
    with pytest.raises(RunStopped, match=r"^1 of \d+ shards could not be learnt; --resume tries them again$"):
        learnt(crawl, tmp_path / "out", str(tmp_path / "sites.db"), give_up)
    assert content(str(tmp_path / "sites.db")) == {}


def test_a_library_that_is_none(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "sites.db").write_text("something else, and long enough to be looked at" * 99)
    with pytest.raises(BadLibrary, match="not a site library"):
        learnt(crawl, tmp_path / "out", str(tmp_path / "sites.db"), not_at_all)


def test_a_library_that_fails_stops_the_run(tmp_path: Path) -> None:
    """All other tasks would fail as well."""
    (tmp_path / "sites.db").mkdir()
    task = tmp_path / "part-00000.jsonl"
    task.write_text(json.dumps(["some.example", []]))
    options = BatchOptions(sites=str(tmp_path / "sites.db"))
    with pytest.raises(RunStopped, match="not a site library"):
        learn.learn_sites(Shard(0, "sites", str(task)), options, str(tmp_path))


# What is indexed


def indexed(shard: Shard, folder: Path, **options: object) -> list[list[str]]:
    stats = learn.index(shard, BatchOptions(**options), str(folder))  # type: ignore[arg-type]
    assert json.loads((folder / "part-00000.stats.json").read_text()) == stats.as_dict()
    return [json.loads(line) for line in (folder / "part-00000.jsonl").read_text().splitlines()]


def test_a_list_of_urls_is_not_fetched(tmp_path: Path) -> None:
    urls = ("https://www.nobody.invalid/a", "http://nobody.invalid:8080/b")
    found = indexed(Shard(0, "urls", names=urls), tmp_path)
    assert found == [["nobody.invalid", urls[0], urls[0]], ["nobody.invalid:8080", urls[1], urls[1]]]


GIVEN = "https://a.example/x"
PAGES_OF_LINES: dict[str, tuple[dict[str, str], list[str]]] = {
    "has its address": ({"html": "<p>Text.", "url": GIVEN}, ["a.example", GIVEN]),
    "names another": (
        {"html": "<link rel=canonical href=https://b.example/y><p>Text.", "url": GIVEN},
        ["a.example", GIVEN],
    ),
    "only names one": ({"html": f"<link rel=canonical href={GIVEN}><p>Text."}, []),
    "has none": ({"html": "<p>Text."}, []),
    "too large": ({"html": "<p>Text." + " " * learn.MAX_BYTES, "url": GIVEN}, []),
    "empty": ({"html": ""}, []),
}


def test_pages_are_known_by_the_address_of_their_source(tmp_path: Path) -> None:
    """Never by one that a page names: it could then change what is known of another site."""
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"id": name, **row}) + "\n" for name, (row, _) in PAGES_OF_LINES.items()))
    shard = Shard(0, "jsonl", str(path), 0, path.stat().st_size)
    expected = [found for _, found in PAGES_OF_LINES.values() if found]
    assert [line[:2] for line in indexed(shard, tmp_path)] == expected


def test_a_page_that_its_reader_dies_of_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crawl: Path
) -> None:
    """Here by the limit of memory."""
    path = tmp_path / "large.jsonl"
    path.write_text(json.dumps({"html": "<p>a</p>" * 200_000, "url": GIVEN}))
    task = tmp_path / "part-00001.jsonl"
    task.write_text(json.dumps(["a.example", [[GIVEN, f"{path}#0"]]]))
    options = BatchOptions(sites=str(tmp_path / "sites.db"), memory=10)
    stats = learn.learn_sites(Shard(1, "sites", str(task)), options, str(tmp_path))
    assert (stats.pages, stats.results) == (1, 0)
    assert stats.rejected == {"needs more than 10 MB": 1}


def test_a_page_that_has_become_one_of_another_site_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps({"html": "<p>Text.", "url": "https://b.example/x"}))
    task = tmp_path / "part-00001.jsonl"
    task.write_text(json.dumps(["a.example", [[GIVEN, f"{path}#0"]]]))
    options = BatchOptions(sites=str(tmp_path / "sites.db"))
    stats = learn.learn_sites(Shard(1, "sites", str(task)), options, str(tmp_path))
    assert stats.rejected == {"not what it was": 1}
    assert content(str(tmp_path / "sites.db")) == {}


# The whole


def test_two_passes_by_one_command(crawl: Path, tmp_path: Path, expected: dict[str, object]) -> None:
    args = [SCRIPT, "batch", str(crawl), "-o", "out", "--sites", "sites.db", "--method", "template", "--learn"]
    done = subprocess.run(args, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"learnt {sum(SITES.values())} pages of 3 sites, {sum(SITES.values())} of them new" in done.stderr
    assert content(str(tmp_path / "sites.db")) == expected
    rows = [json.loads(line) for line in (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()]
    assert {row["url"].split("/")[2] for row in rows} == PAGES.keys() - {"few.example"}
    assert not any("on all its pages" in row["text"] for row in rows)


# Why nothing was learnt

FEW = {"url": "https://few.example/1", "html": "<p>One page of its site."}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"html": "<p>Without an address."}] * 7, "none of 7 pages has an address"),
        ([FEW, {"html": "<p>Without."}], "a site needs 5 pages, and of 1 none has them (few.example has 1); 1 pages"),
        ([FEW, {"url": "https://b.example/", "html": "<p>b"}] * 2, "of 2 none has them (b.example has 2)"),
    ],
)
def test_why_nothing_was_learnt(rows: list[dict[str, str]], why: str, tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = learnt(source, tmp_path / "out", str(tmp_path / "sites.db"), here, shard_bytes=30)
    assert (found.sites, found.pages, found.new) == (0, 0, 0)
    assert why in found.why


@pytest.mark.usefixtures("quick")
def test_pages_that_the_library_knows_are_not_new(crawl: Path, tmp_path: Path) -> None:
    assert learnt(crawl, tmp_path / "one", str(tmp_path / "sites.db"), here).why == ""
    assert learnt(crawl, tmp_path / "two", str(tmp_path / "sites.db"), here).why == "the library knew all of them"
