"""Shards on a real Ray: a cluster of three machines of one CPU each, all of them on this one; some are lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagesieve.batch import BatchOptions, Shard, Stats, local
from pagesieve.batch import ray as engine
from pagesieve.batch.duplicates import deduplicate
from pagesieve.batch.run import TRIES, Engine, Progress, running
from pagesieve.errors import BadInput, MissingExtra, RunStopped
from tests import postgres, warcs
from tests.learnt_sites import PAGES, Quiet, content, learnt, page, quiet, write_crawl
from tests.test_batch_local import SHARDS, Watched, all_pids, fail, linger, note, pids

ray = pytest.importorskip("ray")

SCRIPT = str(Path(sys.executable).with_name("pagesieve"))
ROOT = Path(__file__).resolve().parent.parent
NODES = 3
BUCKET = "s3://crawls"
MEMORY = 20  # MB that a page may need
HUNGRY = b"<title>Too much</title>" + b"<p>a</p>" * 400_000


@pytest.fixture(scope="module")
def cluster(s3: None) -> Iterator[Any]:
    cluster_utils: Any = pytest.importorskip("ray.cluster_utils")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "src")]))  # the tasks of the tests, and these
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = cluster_utils.Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        for _ in range(NODES - 1):
            cluster.add_node(num_cpus=1, wait=False)
        cluster.wait_for_nodes()
        yield cluster
        cluster.shutdown()


@pytest.fixture(scope="module")
def on_cluster(cluster: Any) -> Iterator[Engine]:
    """The engine, connected once."""
    ray.init(address=cluster.address, log_to_driver=False, logging_level="critical")
    yield engine.run
    ray.shutdown()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WARC with one page that needs more memory than it may have."""
    path = tmp_path_factory.mktemp("crawl") / "crawl.warc.gz"
    write_crawl(path)
    with path.open("ab") as file:
        file.write(warcs.packed([warcs.response("https://some.example/hungry", HUNGRY)]))
    return path


@pytest.fixture(scope="module")
def expected(crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the local engine writes."""
    out = tmp_path_factory.mktemp("expected") / "out"
    extract(str(crawl), str(out), partial(local.run, workers=2), Quiet())
    found = files(out)
    assert len(found) >= 2 * 2 * NODES
    assert b"".join(found.values()).count(b'"id"') == sum(PAGES.values()) + 1
    assert b"".join(found.values()).count(f"needs more than {MEMORY} MB".encode()) == 1
    return found


def extract(source: str, out: str, engine: Engine, watch: Quiet) -> None:
    options = BatchOptions(memory=MEMORY, deduplicate=True)
    with running([source], options, out, shard_bytes=1000) as run:
        engine(run.left, run.extraction, watch)
        deduplicate(run, engine, quiet)
        assert sorted(shard.number for shard in watch.shards) == list(range(len(run.plan.shards)))


def files(out: Path) -> dict[str, bytes]:
    """The files of results, rejects and duplicates."""
    assert not [path for path in out.iterdir() if path.name.endswith(".tmp")]
    return {path.name: path.read_bytes() for path in out.glob("part-*") if not path.name.endswith("stats.json")}


# Results


def test_a_machine_is_lost_and_the_results_are_those_of_the_local_engine(
    cluster: Any, crawl: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """Half way, and from S3 to S3."""
    s3fs = pytest.importorskip("s3fs")

    class Watch(Quiet):
        def finished(self, shard: Shard, stats: Any) -> None:
            super().finished(shard, stats)
            if len(self.shards) == 3:
                cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    store = s3fs.S3FileSystem()
    store.mkdir(BUCKET)
    source = f"{BUCKET}/crawl.warc.gz"
    store.put(str(crawl), source)
    extract(source, f"{BUCKET}/run/out", partial(engine.run, address=cluster.address), Watch())
    assert len(cluster.worker_nodes) == NODES - 2
    store.get(f"{BUCKET}/run/out/", f"{tmp_path}/out/", recursive=True)
    found = files(tmp_path / "out")
    assert {name: data.replace(source.encode(), str(crawl).encode()) for name, data in found.items()} == expected


def test_ray_learns_what_the_local_engine_does(on_cluster: Engine, tmp_path: Path, postgresql: str) -> None:
    """Here into SQLite, there by several workers into PostgreSQL."""
    write_crawl(tmp_path / "crawl.warc.gz")
    one = learnt(
        tmp_path / "crawl.warc.gz", tmp_path / "one", str(tmp_path / "sites.db"), partial(local.run, workers=1)
    )
    with postgres.new_database(postgresql) as name:
        two = learnt(tmp_path / "crawl.warc.gz", tmp_path / "two", name, on_cluster)
        assert one == two
        assert content(str(tmp_path / "sites.db")) == content(name)


def test_a_command_with_a_ray_of_its_own(tmp_path: Path) -> None:
    """Names may be relative; Ray says nothing, and nothing of it is left."""
    for number in range(3):
        (tmp_path / f"{number}.html").write_bytes(page("some.example", number))
    args = ["batch", "0.html", "1.html", "2.html", "--workers", "1", "--deduplicate"]
    done = {
        name: subprocess.run(
            [SCRIPT, *args, "-o", name, "--engine", name], cwd=tmp_path, capture_output=True, check=False
        )
        for name in ("local", "ray")
    }
    assert done["ray"].returncode == 0, done["ray"].stderr
    assert files(tmp_path / "ray") == files(tmp_path / "local")
    assert done["ray"].stdout == b""
    # A line of progress comes after some seconds only.
    lines = {
        name: [line for line in run.stderr.decode().splitlines() if "s left" not in line] for name, run in done.items()
    }
    assert len(lines["ray"]) == len(lines["local"]), lines["ray"]


# How it is done


def test_every_shard_is_done_once_and_not_too_many_wait(
    on_cluster: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_flight: list[int] = []
    hand_out = engine._Driver._hand_out

    def counted(driver: engine._Driver) -> None:
        hand_out(driver)
        in_flight.append(len(driver._running))

    monkeypatch.setattr(engine._Driver, "_hand_out", counted)
    watch = Watched()
    many = [Shard(number, "files") for number in range(20)]
    on_cluster(many, partial(note, folder=tmp_path), watch)
    assert sorted(watch.finished_shards) == list(range(20))
    assert [len(pids(tmp_path, shard.number)) for shard in many] == [1] * 20
    assert max(in_flight) == engine.IN_FLIGHT * round(ray.cluster_resources()["CPU"])


def test_no_shards_need_no_ray() -> None:
    watched = Watched()
    engine.run([], note, watched, address="127.0.0.1:1")  # type: ignore[arg-type]
    assert watched.finished_shards == {}


def in_trouble(shard: Shard, *, folder: Path, progress: Progress | None) -> Stats:
    """Fails with some shards, each in its own way."""
    note(shard, folder=folder, progress=progress)
    if shard.number == 1:
        raise BadInput("crawl.parquet: no Parquet file")
    if shard.number == 2:
        raise ConnectionError("no answer")
    if shard.number == 3 or (shard.number == 4 and len(pids(folder, 4)) == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    return Stats(pages=1)


def test_shards_that_fail_are_repeated_and_given_up(on_cluster: Engine, tmp_path: Path) -> None:
    watch = Watched()
    on_cluster(SHARDS, partial(in_trouble, folder=tmp_path), watch)
    assert sorted(watch.finished_shards) == [0, 4, 5]
    killed, unanswered = "its worker was killed", "ConnectionError: no answer"
    assert sorted(watch.repeats) == [(2, unanswered)] * (TRIES - 1) + [(3, killed)] * (TRIES - 1) + [(4, killed)]
    assert sorted(watch.lost) == [(1, "crawl.parquet: no Parquet file"), (2, unanswered), (3, killed)]
    assert [len(pids(tmp_path, shard.number)) for shard in SHARDS] == [1, 1, TRIES, TRIES, 2, 1]


def unknown() -> None:
    """Stands for what other machines have not."""


def test_what_the_machines_cannot_do_stops_the_run(on_cluster: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown, "__module__", "nowhere")
    module = type(sys)("nowhere")
    module.unknown = unknown  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nowhere", module)
    with pytest.raises(RunStopped, match=r"the same version of Pagesieve\? .*No module named 'nowhere'"):
        on_cluster(SHARDS, unknown, Watched())  # type: ignore[arg-type]


def stopping(folder: Path) -> Callable[[Shard], None]:
    def stop(shard: Shard) -> None:
        if len(all_pids(folder)) == 2:
            raise KeyboardInterrupt

    return stop


def test_tasks_are_unwound_when_the_run_is_interrupted(on_cluster: Engine, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        on_cluster(SHARDS[:2], partial(linger, folder=tmp_path), Watched(stopping(tmp_path)))
    assert {path.name for path in tmp_path.glob("*.left")} == {"0.left", "1.left"}


def test_what_would_stop_every_shard_stops_the_run(on_cluster: Engine, tmp_path: Path) -> None:
    task = partial(fail, error=RunStopped("out: the disk is full"), folder=tmp_path)
    with pytest.raises(RunStopped, match=r"^out: the disk is full$"):
        on_cluster(SHARDS, task, Watched())


def test_no_ray_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"--engine ray needs an optional part: pip install 'ray"):
        engine.run(SHARDS, note, Watched())  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_a_cluster_that_is_not_there(scheme: str) -> None:
    with pytest.raises(BadInput, match=f"^--address {scheme}127.0.0.1:[0-9]+: no Ray cluster answers there: "):
        engine._check_answers(f"{scheme}127.0.0.1:{postgres.free_port()}")
