"""`pagesieve batch` through the real script: runs that are killed, interrupted, out of room, and taken up again."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pagesieve.batch import Shard, Stats
from pagesieve.batch.run import Task, Watch
from pagesieve.cli import batch as command
from pagesieve.cli.batch import Display
from tests import warcs
from tests.terminals import read_all

SCRIPT = str(Path(sys.executable).with_name("pagesieve"))
PATIENCE = 120  # seconds: for what is sure to happen, on a machine that has other things to do
LONG = "A sentence of some length, such as articles are made of, and one more clause to it."
ARTICLE = f"<title>Page %d</title><h1>Page %d</h1>{f'<p>{LONG} %d</p>' * 4}"
POOR = "<p>Too little. %d"
PAGES = 240
EVERY_POOR = 10  # of the pages are poor, and rejected
SHARD_MB = "0.012"  # makes some ten shards of them
URLS = 120  # makes two shards
HELD = 7  # the URL that is not answered until the gate is opened

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

Done = subprocess.CompletedProcess[str]


def start(*args: object, stdin: int = subprocess.DEVNULL, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """The command, in a session of its own: all its processes can be found, and interrupted as by a terminal."""
    return subprocess.Popen(
        [SCRIPT, "batch", *map(str, args)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def run(*args: object, stdin: str = "") -> Done:
    return end(start(*args, stdin=subprocess.PIPE), stdin)


def end(process: subprocess.Popen[str], stdin: str | None = None) -> Done:
    out, err = process.communicate(stdin, timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def wait_for(happens: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.01)


# The input


def page(number: int) -> str:
    return POOR % number if number % EVERY_POOR == 0 else ARTICLE.replace("%d", str(number))


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Pages in a file."""
    path = tmp_path / "pages.jsonl"
    write_pages(path, range(PAGES))
    return path


def write_pages(path: Path, numbers: Sequence[int]) -> None:
    objects = ({"url": f"https://example.org/{number}", "html": page(number)} for number in numbers)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects))


def identifiers(path: Path) -> Counter[str]:
    """The ids that the pages of a file have."""
    found, offset = Counter[str](), 0
    for line in path.read_bytes().splitlines(keepends=True):
        found[f"{path}#{offset}"] += 1
        offset += len(line)
    return found


class Site:
    """Pages on this machine, one of which is not answered as long as the gate is closed."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.is_asked = threading.Event()  # for the page that is held back
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                number = int(self.path[1:])
                if number == HELD:
                    site.is_asked.set()
                    site.gate.wait(PATIENCE)
                body = page(number).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """Clients are killed here."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.urls = [f"http://127.0.0.1:{self.server.server_port}/{number}" for number in range(URLS)]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.gate.set()
    site.server.shutdown()
    site.server.server_close()


class Held:
    """A run that has come to the page that is held back, and its folder."""

    def __init__(self, pages: Path, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        urls = folder.parent / "urls.txt"
        urls.write_text("\n".join(site.urls))
        self.args = [pages, urls, "-o", folder, "--shard-size", SHARD_MB, "--allow-private", "--workers", 2]
        self.expected = identifiers(pages) + Counter(site.urls)
        self.process = start(*self.args)
        wait_for(lambda: (site.is_asked.is_set() and markers(folder)) or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()

    def complete(self) -> None:
        """Opens the gate and takes the run up; all pages are there once, and what was finished was not done again."""
        finished = {path: path.stat().st_ino for path in markers(self.folder)}
        assert 0 < len(finished) < shards(self.folder)
        self.site.gate.set()
        done = run(*self.args, "--resume")
        assert done.returncode == 0, done.stderr
        assert f"{len(finished)} of {shards(self.folder)} shards are done already" in done.stderr
        assert {path: path.stat().st_ino for path in finished} == finished
        self.check()

    def check(self) -> None:
        assert written(self.folder) == self.expected
        assert len(markers(self.folder)) == shards(self.folder)
        assert temporary(self.folder) == []
        whole = json.loads((self.folder / "stats.json").read_text())
        assert whole["pages"] == self.expected.total()
        assert whole["results"] == len(rows(self.folder, "part-?????.jsonl"))


@pytest.fixture
def held(pages: Path, site: Site, tmp_path: Path) -> Iterator[Held]:
    held = Held(pages, site, tmp_path / "out")
    yield held
    held.process.kill()
    held.process.communicate()


# The output


def rows(folder: Path, pattern: str) -> list[dict[str, str]]:
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text().splitlines()]


def written(folder: Path) -> Counter[str]:
    """The ids of results and rejects."""
    found = rows(folder, "part-?????.jsonl") + rows(folder, "part-?????.rejects.jsonl")
    return Counter(row["id"] for row in found)


def markers(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-?????.stats.json"))


def shards(folder: Path) -> int:
    return len(json.loads((folder / "manifest.json").read_text())["shards"])


def temporary(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(".tmp")]


def processes(session: int, holding: str = "") -> list[int]:
    """The processes of a session that are alive and whose command line holds something."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            line = (path / "cmdline").read_text(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_session) == session and state != "Z" and holding in line:
            found.append(int(path.name))
    return found


# A run


def test_every_page_is_a_result_or_a_reject(pages: Path, tmp_path: Path) -> None:
    done = run(pages, "-o", tmp_path / "out", "--shard-size", SHARD_MB, "--workers", 2)
    assert (done.returncode, done.stdout) == (0, "")
    first, *more = done.stderr.splitlines()
    rejected = PAGES // EVERY_POOR
    assert first.startswith(f"pagesieve: {PAGES} pages, {PAGES - rejected} results, {rejected} rejected (")
    assert first.endswith(f"pages/s), in {tmp_path / 'out'}")
    assert more[0].split()[:2] == ["rejected", f"{rejected}"]
    assert [line.split()[0] for line in more] == ["rejected", "encodings", "methods"]
    assert re.fullmatch(rf"  methods    {PAGES - rejected} auto \((?:\d+ (?:blocks|data)(?:; )?)+\)", more[2])
    assert written(tmp_path / "out") == identifiers(pages)
    assert shards(tmp_path / "out") >= 8
    assert all(row["reason"] for row in rows(tmp_path / "out", "*.rejects.jsonl"))


def test_any_number_of_workers_gives_the_same_files(pages: Path, tmp_path: Path) -> None:
    contents = []
    for workers in (1, 3):
        folder = tmp_path / f"by-{workers}"
        assert (
            run(pages, "-o", folder, "-f", "jsonl.gz", "--shard-size", SHARD_MB, "--workers", workers).returncode == 0
        )
        files = [*folder.glob("part-?????.jsonl.gz"), *folder.glob("*.rejects.jsonl")]
        contents.append({path.name: path.read_bytes() for path in files})
    assert contents[0] == contents[1]
    assert sum(len(gzip.decompress(data).splitlines()) for name, data in contents[0].items() if name.endswith("gz")) > 0


def test_one_page_is_enough_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(1))
    assert run(tmp_path / "page.html", "-o", tmp_path / "out").returncode == 0
    assert [row["title"] for row in rows(tmp_path / "out", "part-00000.jsonl")] == ["Page 1"]


def test_no_result_at_all(tmp_path: Path) -> None:
    write_pages(tmp_path / "poor.jsonl", [0, 10, 20])
    done = run(tmp_path / "poor.jsonl", "-o", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "pagesieve: no page has a result"
    assert written(tmp_path / "out").total() == 3


# What is refused, in one line


def refused(message: str, *args: object) -> None:
    done = run(*args)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith("pagesieve: ")
    assert message in line


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["missing.warc.gz"], "missing.warc.gz: No such file"),
        (["PAGES", "--method", "template"], "--method template needs --sites"),
        (["PAGES", "--method", "layout"], "--method layout needs --sites (a library that has learnt the site)"),
        (["PAGES", "--learn"], "--learn needs --sites"),
        (["PAGES", "--sites", "missing.db"], "missing.db: there is no such site library"),
        (["PAGES", "--model", "missing.model"], "missing.model"),
        (["PAGES", "--method", "lineblocks", "--model", "m"], "--model is for --method"),
        (["PAGES", "--address", "auto"], "--address is for --engine ray"),
        (["PAGES", "--workers", "0"], "0 is not in the range"),
        (["PAGES", "--timeout", "0"], "0.0 is not in the range"),
        (["PAGES", "--timeout", "nan"], "timeout must be more than 0 and at most 86400, not nan"),
        (["PAGES", "--timeout", "inf"], "timeout must be more than 0 and at most 86400, not inf"),
        (["PAGES", "--shard-size", "nan"], "--shard-size is a number of MB, at least 0.000001, not nan"),
        (["PAGES", "--shard-size", "inf"], "--shard-size is a number of MB"),
        (["PAGES", "--shard-size", "1e-9"], "--shard-size is a number of MB"),
        (["PAGES", "-o", ""], "a folder without a name"),
        (["PAGES", "--format", "csv"], "'csv' is not one of"),
        (["PAGES", "-o", "PAGES/out"], "Not a directory"),
        (["PAGES", "-o", "nothing://out"], "nothing"),
        ([], "Missing argument 'SOURCE...'"),
    ],
)
def test_refused(pages: Path, tmp_path: Path, args: list[str], message: str) -> None:
    refused(message, "-o", tmp_path / "out", *[arg.replace("PAGES", str(pages)) for arg in args])
    assert not (tmp_path / "out").exists()


def test_only_the_same_run_is_taken_up(pages: Path, tmp_path: Path) -> None:
    args = [pages, "-o", tmp_path / "out", "--shard-size", SHARD_MB]
    done = run(*args, "--resume")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == f"pagesieve: {tmp_path / 'out'}: no run to continue; starting one"

    refused("holds a run already: continue it with --resume", *args)
    refused("the run was begun with format 'jsonl', not 'parquet'", *args, "--resume", "-f", "parquet")
    refused("the run was begun with other sources", *args[1:], "--resume", tmp_path)
    before = {path: path.stat().st_mtime_ns for path in markers(tmp_path / "out")}
    done = run(*args[:3], "--resume")  # shards are as they were, whatever their size would be now
    assert done.returncode == 0
    assert "rejected (nothing was left to do), in" in done.stderr
    assert f"{len(before)} of {len(before)} shards are done already" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in markers(tmp_path / "out")} == before

    with pages.open("a") as file:
        file.write("\n")
    size = pages.stat().st_size
    change = f"it had {size - 1} bytes, and has {size} now"
    refused(f"{pages} has changed ({change}) since the run was begun", *args, "--resume")


def test_pages_of_a_folder_that_come_or_go(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "1.html").write_text(page(1))
    assert run(folder, "-o", tmp_path / "out").returncode == 0
    (folder / "2.html").write_text(page(2))
    refused("2.html is new since the run was begun", folder, "-o", tmp_path / "out", "--resume")
    (folder / "1.html").unlink()
    refused("1.html is gone since the run was begun", folder, "-o", tmp_path / "out", "--resume")
    (folder / "2.html").rename(folder / "1.html")
    assert run(folder, "-o", tmp_path / "out", "--resume").returncode == 0
    (folder / "1.html").write_text(page(1) + page(2))
    refused("what is in files has changed (it had ", folder, "-o", tmp_path / "out", "--resume")


def test_sources_that_were_named_on_standard_input_need_not_be_named_again(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(1))
    args = ["-", "-o", tmp_path / "out", "--shard-size", SHARD_MB]
    assert run(*args, stdin=f"{pages}\n{tmp_path / 'page.html'}\n").returncode == 0
    assert written(tmp_path / "out") == identifiers(pages) + Counter([str(tmp_path / "page.html")])
    for marker in markers(tmp_path / "out")[::2]:
        marker.unlink()
    assert run(*args, "--resume").returncode == 0
    assert written(tmp_path / "out") == identifiers(pages) + Counter([str(tmp_path / "page.html")])
    pages.write_text("{}")
    refused(f"{pages} has changed", *args, "--resume")


def test_results_without_a_manifest_are_not_mixed_with_others(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "part-00000.stats.json").write_text("{}")
    refused("holds results, but no manifest", pages, "-o", tmp_path)


# Runs that are stopped


def check_told(line: str, folder: Path) -> None:
    """A line says how many shards are done; each worker may just have finished one, and had no time to say so."""
    told = re.search(r"(\d+) of (\d+) shards are done", line)
    assert told is not None
    assert int(told[1]) <= len(markers(folder)) <= int(told[1]) + 2
    assert int(told[2]) == shards(folder)


@linux_only
def test_a_parent_that_is_killed(held: Held) -> None:
    held.process.kill()
    held.process.wait()
    wait_for(lambda: not processes(held.process.pid))
    held.complete()


@linux_only
@pytest.mark.parametrize(("number", "to_all"), [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False)])
def test_a_run_that_is_interrupted(held: Held, number: signal.Signals, to_all: bool) -> None:
    (os.killpg if to_all else os.kill)(held.process.pid, number)
    done = end(held.process)
    assert done.returncode == 130
    (line,) = done.stderr.splitlines()
    assert line.startswith("pagesieve: interrupted: ")
    assert line.endswith("; continue with --resume")
    check_told(line, held.folder)
    assert temporary(held.folder) == []
    wait_for(lambda: not processes(held.process.pid))
    held.complete()


@linux_only
def test_workers_that_are_killed(held: Held) -> None:
    workers = processes(held.process.pid, "pagesieve.workers.pool")
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    held.site.gate.set()
    done = end(held.process)
    assert done.returncode == 0, done.stderr
    assert "its worker was killed (SIGKILL); trying it again" in done.stderr
    held.check()


@linux_only
def test_two_runs_do_not_share_a_folder(held: Held) -> None:
    refused("another run is using this folder", *held.args, "--resume")
    held.site.gate.set()
    assert end(held.process).returncode == 0
    held.check()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with little room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@linux_only
def test_a_full_disk(pages: Path, small_disk: Path) -> None:
    args = [pages, "-o", small_disk / "out", "--shard-size", SHARD_MB, "--workers", 2]
    done = run(*args)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "the disk is full" in line
    assert "--resume" in line
    check_told(line, small_disk / "out")
    assert temporary(small_disk / "out") == []

    subprocess.run(["mount", "-o", "remount,size=16m", small_disk], check=True)
    assert run(*args, "--resume").returncode == 0
    assert written(small_disk / "out") == identifiers(pages)


# Archives that are damaged or hostile


MB = 1_000_000
HUGE = 500  # MB
Part = tuple[list[bytes | int], str]  # a record as bytes and holes of so many, and why it is rejected ("": it is not)


def response(number: int) -> bytes:
    return warcs.response(f"https://example.org/{number}", page(number).encode())


def plain(number: int) -> Part:
    return [response(number)], ""


def packed(number: int) -> Part:
    return [warcs.member(response(number))], ""


def zeros(megabytes: int, before: bytes = b"") -> bytes:
    """A gzip member that is a thousandth of what is in it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(before) + b"".join(packer.compress(bytes(MB)) for _ in range(megabytes)) + packer.flush()


def beginning(length: int) -> bytes:
    """A record up to where its page begins, which says that it has so many bytes in all."""
    head = warcs.http(b"")
    whole = warcs.record("response", head, url="https://example.org/", content_type="application/http", length=length)
    return whole[: whole.index(head) + len(head)]


def huge() -> bytes:
    return beginning(len(warcs.http(b"")) + HUGE * MB)


def corrupt(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


ENDS, CORRUPT, LARGE = "the file ends within it", "corrupt gzip data", "larger than 20,000,000 bytes"
DAMAGE: dict[str, tuple[str, Callable[[], list[Part]], Callable[[int], Part]]] = {
    "a truncated WARC": ("a.warc", lambda: [([response(100)[:-60]], ENDS)], plain),
    "a truncated WARC, compressed": ("a.warc.gz", lambda: [([warcs.member(response(101))[:-60]], ENDS)], packed),
    "a corrupt gzip member": (
        "a.warc.gz",
        lambda: [
            ([corrupt(warcs.member(response(101)), -8)], CORRUPT),  # in its checksum
            packed(102),
            ([corrupt(warcs.member(response(103)), 0)], "no WARC record"),
            packed(104),
            ([corrupt(warcs.member(response(105)), 150)], CORRUPT),
            packed(106),
        ],
        packed,
    ),
    "a record of 500 MB": (
        "a.warc",
        lambda: [([huge(), HUGE * MB, b"\r\n\r\n"], LARGE), plain(101)],
        plain,
    ),
    "a gzip member that is a bomb": (
        "a.warc.gz",
        lambda: [([zeros(HUGE, huge())], LARGE), packed(101)],
        packed,
    ),
    "a gzip member that is a bomb and says that it is none": (
        "a.warc.gz",
        lambda: [([zeros(HUGE, beginning(5))], "its HTTP head cannot be read"), packed(101)],
        packed,
    ),
    "a page that is a bomb": (
        "a.warc.gz",
        lambda: [
            (
                [warcs.member(warcs.response("https://example.org/", zeros(HUGE), Content_Encoding="gzip"))],
                f"{LARGE} when unpacked (gzip)",
            ),
            packed(101),
        ],
        packed,
    ),
}


def write_archive(path: Path, parts: list[Part]) -> dict[str, str]:
    """Writes an archive; the ids that its pages have, and why each of them is rejected."""
    reasons = {}
    with path.open("wb") as file:
        for pieces, reason in parts:
            reasons[f"{path}#{file.tell()}"] = reason
            for piece in pieces:
                file.seek(piece, os.SEEK_CUR) if isinstance(piece, int) else file.write(piece)
    return reasons


@pytest.mark.parametrize("case", DAMAGE)
def test_an_archive_that_is_damaged_or_hostile(tmp_path: Path, case: str) -> None:
    name, damaged, good = DAMAGE[case]
    expected = write_archive(tmp_path / name, [*map(good, range(1, 10)), *damaged()])
    folder = tmp_path / "out"
    args = [tmp_path / name, "-o", folder, "--shard-size", "0.001", "--workers", 2]
    done = run(*args)
    assert done.returncode == 0, done.stderr
    for marker in markers(folder)[::2]:
        marker.unlink()
    assert run(*args, "--resume").returncode == 0
    rejects = {row["id"]: row["reason"] for row in rows(folder, "part-?????.rejects.jsonl")}
    of_bomb = {id for id in rejects if "+" in id}  # what comes in its member after the record that it says it is
    assert written(folder) == Counter([*expected, *of_bomb])
    assert {id: why for id, why in rejects.items() if id not in of_bomb} == {
        id: why for id, why in expected.items() if why
    }
    assert len(of_bomb) == ("says" in case)


# A shard that is given up


def give_up(shards: Sequence[Shard], task: Task, watch: Watch, *, workers: int | None) -> None:
    """An engine that loses a shard."""
    watch.repeated(shards[0], "its worker was killed (SIGKILL)")
    watch.given_up(shards[0], "its worker was killed (SIGKILL)")
    for shard in shards[1:]:
        watch.finished(shard, task(shard, progress=None))


def test_a_shard_that_is_given_up(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pagesieve.batch import local

    monkeypatch.setattr(local, "run", give_up)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    folder = tmp_path / "out"
    args = [str(pages), "-o", str(folder), "--shard-size", SHARD_MB]
    assert command.batch.main(args, standalone_mode=False) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "pagesieve: part-00000: its worker was killed (SIGKILL); trying it again"
    assert lines[1].startswith("pagesieve: part-00000: its worker was killed (SIGKILL); given up")
    assert f"({pages}, bytes 0 to " in lines[1]
    assert lines[-1] == f"pagesieve: 1 of {shards(folder)} shards were given up; --resume tries them again"

    assert run(*args, "--resume").returncode == 0
    assert written(folder) == identifiers(pages)


# What is shown


def test_lines_where_nobody_watches(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "INTERVAL", 0.0)
    shards = [Shard(number, "warc", size=1000) for number in range(4)]
    with Display(shards) as display:
        display.progress(shards[0], Stats(pages=5, bytes=2000))  # how much of its shard that is, cannot be known yet
        display.finished(shards[0], Stats(pages=10, bytes=4000, rejected=Counter(slow=2)))
        display.progress(shards[1], Stats(pages=5, bytes=2000, rejected=Counter(slow=1)))
    assert display.done == 1
    assert (display.stats.pages, display.stats.rejected["slow"]) == (15, 3)
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.startswith("pagesieve: 5 pages, ")
    assert first.endswith("0 rejected")
    assert "MB/s, 2 rejected, 25% done, " in second
    assert "pagesieve: 15 pages, " in third
    assert "MB/s, 3 rejected, 38% done, " in third
    assert third.endswith(" s left")


def test_shards_of_files_are_as_far_as_their_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "INTERVAL", 0.0)
    shards = [Shard(0, "urls", names=("https://a.example", "https://b.example"))]
    with Display(shards) as display:
        display.progress(shards[0], Stats(pages=1))
    assert "50% done" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.25, "0.2 s"), (59.9, "59.9 s"), (61, "1 min 1 s"), (7260, "2 h 1 min"), (3599.9, "1 h 0 min")],
)
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert command.duration(seconds) == said


def test_a_bar_where_somebody_watches(pages: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = start(pages, "-o", tmp_path / "out", "--shard-size", SHARD_MB, stderr=theirs)
    os.close(theirs)
    seen = read_all(ours)
    assert end(process).returncode == 0
    assert b"pages/s" in seen
    assert b"left" in seen
    assert f"{PAGES} pages, ".encode() in seen
