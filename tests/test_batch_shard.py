"""A shard: every page of it becomes a row or a reject, whatever it does to the process that reads it."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagesieve.batch import BatchOptions, Item, Shard, Skipped, Stats, row_fields
from pagesieve.batch.pages import ROWS, Extractor, ask, page_child
from pagesieve.batch.run import run_shard
from pagesieve.errors import BadLibrary, BadOption, NothingFound, RunStopped
from pagesieve.workers import child as children
from pagesieve.workers import pool
from pagesieve.workers.child import Child, Reason, Rejected, shortened

SENTENCE = "A sentence of some length, such as articles are made of, and one more clause to it."
ARTICLE = f"<!doctype html><title>The headline</title><h1>The headline</h1>{f'<p>{SENTENCE}</p>' * 6}".encode()
RECORD = "<li><h2><a href='/{0}'>Thing number {0}</a></h2><p>Price: {0}.50 EUR</p><p>Some words on thing {0}.</p></li>"
RECORDS = f"<!doctype html><ul>{''.join(RECORD.format(number) for number in range(12))}</ul>".encode()
TITLE = b"<!doctype html><title>Only a headline</title><h1>Only a headline</h1>"
# Takes seconds, and some hundreds of megabytes.
LARGE = b"<!doctype html><title>Large</title>" + f"<div><p>{SENTENCE} <b>It</b> goes on.</p></div>\n".encode() * 130_000
SLOW = LARGE + b"<table>words"  # the parser has to read it too: not done when its process is killed after .3 s

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")


def item(name: str, data: bytes | None, **more: Any) -> Item:
    return Item(name, f"https://example.org/{name}", data, **more)


def run(items: list[Item | Skipped], folder: Path, **options: Any) -> tuple[list[Any], list[Any], Stats]:
    """The rows, the rejects and the figures of some items, and that none is lost or doubled."""
    shard, folder = Shard(0, "files"), folder / "out"
    folder.mkdir(exist_ok=True)
    stats = run_shard(shard, BatchOptions(**options), str(folder), read=lambda *_: items)
    rows, rejects = (read_lines(folder / f"part-00000{ending}") for ending in (".jsonl", ".rejects.jsonl"))
    pages = [each.id for each in items if isinstance(each, Item)]
    assert sorted(answer["id"] for answer in rows + rejects) == sorted(pages)
    assert stats == Stats.from_dict(json.loads((folder / "part-00000.stats.json").read_text()))
    assert (stats.pages, stats.results, stats.rejected.total()) == (len(pages), len(rows), len(rejects))
    return rows, rejects, stats


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    yield
    page_child(BatchOptions()).close()


# What is made of a page


@pytest.mark.parametrize(
    ("what", "data", "expected"),
    [
        ("article", ARTICLE, {"title": "The headline", "method": "blocks", "authors": [], "comments": None}),
        ("headline", ARTICLE, {"title": "The headline", "encoding": "utf-8", "notes": []}),
        ("records", RECORDS, {"url": "https://example.org/page"}),
        ("all", ARTICLE, {"title": "The headline", "method": "blocks", "kind": "article"}),
        ("all", RECORDS, {"canonical": None, "tags": []}),
        ("all", TITLE, {"title": "Only a headline", "text": None, "method": None, "records": None, "columns": None}),
    ],
)
def test_a_row_has_what_was_asked_for(what: str, data: bytes, expected: dict[str, Any]) -> None:
    row = Extractor({"what": what}).answer(data, {"url": "https://example.org/page"})
    assert ("id", *row) == row_fields(what)
    assert {name: row[name] for name in expected} == expected
    if row.get("text"):
        assert SENTENCE in row["text"] or data is RECORDS
    if row.get("records"):
        assert len(row["records"]) == 12 or data is ARTICLE
        assert all(column["name"] in record for column in row["columns"] for record in row["records"])


@pytest.mark.parametrize(
    ("what", "data", "error"),
    [
        ("article", b"<p>Short.</p>", NothingFound),
        ("records", TITLE, NothingFound),
        ("headline", f"<p>{SENTENCE}</p>".encode(), NothingFound),
        ("all", b"<p>Short.</p>", NothingFound),
        ("all", b" \n", NothingFound),
        ("all", b"%PDF-1.7 and more", Rejected),
    ],
)
def test_a_page_without_it_has_no_row(what: str, data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        Extractor({"what": what}).answer(data, {})


def test_options_are_those_of_an_article() -> None:
    page = ARTICLE + b"<table><tr><td>Cells of a table, with enough words to count as text.</td></tr></table>"
    for method in ("lineblocks", "reverse"):
        row = Extractor({"method": method, "include_comments": True}).answer(page, {})
        assert (row["method"], row["comments"]) == (method, "")
        assert SENTENCE in row["text"]


def test_the_header_says_the_encoding() -> None:
    page = ARTICLE.replace(b"headline", "überschrift".encode("cp1252"))
    row = Extractor({"what": "headline"}).answer(page, {"content_type": "text/html; charset=windows-1252"})
    assert row["title"] == "The überschrift"


# The shard


def test_rows_and_rejects_are_the_items(tmp_path: Path) -> None:
    items: list[Item | Skipped] = [
        item("a", ARTICLE),
        Skipped("not a page: image/png"),
        item("b", b""),
        item("c", b"%PDF-1.7 and more"),
        Skipped("not a page: text/css"),
        item("d", None, fault="truncated: 3 of 70 bytes"),
        item("e", None),
        item("f", ARTICLE * 50),
        item("g", ARTICLE),
    ]
    rows, rejects, stats = run(items, tmp_path, max_bytes=20_000)
    assert [row["id"] for row in rows] == ["a", "g"]
    assert [(reject["id"], reject["reason"].split(": ")[0]) for reject in rejects] == [
        ("b", "nothing found"),
        ("c", "not a page"),
        ("d", "truncated"),
        ("e", "no bytes"),
        ("f", "larger than 20000 bytes"),
    ]
    assert rejects[0] == {"id": "b", "url": "https://example.org/b", "reason": "nothing found: the page is empty"}
    assert stats.skipped == {"not a page": 2}
    assert stats.rejected["nothing found"] == 1
    assert (stats.methods, stats.encodings) == ({"blocks": 2}, {"utf-8": 2})
    assert stats.bytes == sum(len(each.data or b"") for each in items if isinstance(each, Item))


def test_rejects_have_the_facts_of_pages_without_a_text(tmp_path: Path) -> None:
    page = b"<title>A wall by the sea</title><meta name=author content='Ann Lee'><p>Short."
    _, (reject,), stats = run([item("a", page)], tmp_path)
    assert stats.rejected == {"nothing found": 1}
    assert reject["reason"].startswith("nothing found: blocks: no lines")
    assert (reject["title"], reject["authors"], reject["text"]) == ("A wall by the sea", ["Ann Lee"], None)
    assert set(reject) == {*row_fields("article"), "reason"}


@pytest.mark.parametrize("include_captions", [None, True, False])
def test_captions_are_in_the_text_only_where_they_are_asked_for(include_captions: bool | None) -> None:
    figure = b"<figure><img src=a.jpg><figcaption>The wall at low tide, seen from the bay.</figcaption></figure>"
    options = {"include_captions": include_captions, "bodies": ["text", "markdown"]}
    row = Extractor(options).answer(ARTICLE.replace(b"</p>", b"</p>" + figure, 1), {})
    assert ("low tide" in row["text"]) is (include_captions is True)
    assert ("low tide" in row["markdown"]) is (include_captions is not False)


def test_names_that_are_no_text_stay_apart(tmp_path: Path) -> None:
    items = [Item(f"file{half}", f"https://example.org/{half}", ARTICLE) for half in ("\udcff", "\udcfe")]
    run_shard(Shard(0, "files"), BatchOptions(), str(tmp_path), read=lambda *_: items)
    rows = read_lines(tmp_path / "part-00000.jsonl")
    assert [row["id"] for row in rows] == ["file\\udcff", "file\\udcfe"]
    assert rows[0]["url"] == "https://example.org/\\udcff"


def test_halves_of_characters_are_replaced() -> None:
    encoded = children._encoded({"row": {"text": "a\ud800b", "tags": ["ü\udfff"]}})
    assert json.loads(encoded.decode()) == {"row": {"text": "a\ufffdb", "tags": ["ü\ufffd"]}}


def test_equal_runs_give_equal_bytes(tmp_path: Path) -> None:
    items: list[Item | Skipped] = [item("a", ARTICLE), item("b", b""), item("c", RECORDS)]
    for format in ("jsonl", "jsonl.gz", "jsonl.zst", "parquet"):
        written = []
        for attempt in ("1", "2"):
            folder = tmp_path / format / attempt
            folder.mkdir(parents=True)
            options = BatchOptions(what="all", format=format)
            run_shard(Shard(7, "files"), options, str(folder), read=lambda *_: items)
            assert sorted(os.listdir(folder)) == sorted(
                f"part-00007.{ending}" for ending in (format, "rejects.jsonl", "stats.json")
            )
            written.append((folder / f"part-00007.{format}").read_bytes())
        assert written[0] == written[1]


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[int] = []

    def slowly(*_: object) -> Iterator[Item]:
        for number in range(3):
            yield item(str(number), ARTICLE)
            time.sleep(0.3)

    def told(stats: Stats) -> None:
        seen.append(stats.pages)

    stats = run_shard(Shard(0, "files"), BatchOptions(), str(tmp_path), told, read=slowly)
    assert seen[-1] == stats.pages == 3
    assert len(seen) > 1
    assert seen == sorted(seen)


def test_a_source_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def failing(*_: object) -> Iterator[Item]:
        yield item("a", ARTICLE)
        raise OSError("the source is gone")

    with pytest.raises(OSError, match="source is gone"):
        run_shard(Shard(0, "files"), BatchOptions(), str(tmp_path), read=failing)
    assert os.listdir(tmp_path) == []


# What pages do to their process


def test_a_page_that_takes_too_long_costs_only_itself(tmp_path: Path) -> None:
    items: list[Item | Skipped] = [item("a", ARTICLE), item("b", SLOW), item("c", ARTICLE)]
    began = time.monotonic()
    rows, rejects, _ = run(items, tmp_path, timeout=0.5)
    assert [row["id"] for row in rows] == ["a", "c"]
    assert [reject["reason"] for reject in rejects] == ["took longer than 0.5 s"]
    assert time.monotonic() - began < 20


@needs_linux
@pytest.mark.parametrize("memory", [1, 60])
def test_a_page_that_needs_too_much_costs_only_itself(tmp_path: Path, memory: int) -> None:
    items: list[Item | Skipped] = [item("a", ARTICLE), item("b", LARGE), item("c", ARTICLE)]
    rows, _, stats = run(items, tmp_path, memory=memory)
    assert [row["id"] for row in rows] == ["a", "c"]
    assert stats.rejected == {f"needs more than {memory} MB": 1}


def test_a_large_page_within_the_limits_is_done(tmp_path: Path) -> None:
    rows, rejects, _ = run([item("a", LARGE)], tmp_path, timeout=100)
    assert not rejects
    assert rows[0]["text"].count(SENTENCE) == 130_000


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_page_whose_process_dies_costs_only_itself(tmp_path: Path, number: signal.Signals) -> None:
    options = BatchOptions(timeout=60)

    def items(*_: object) -> Iterator[Item]:
        yield item("a", ARTICLE)
        pid = page_child(options).pid
        assert pid is not None
        threading.Timer(0.3, os.kill, (pid, number)).start()
        yield item("b", SLOW)
        yield item("c", ARTICLE)

    stats = run_shard(Shard(0, "files"), options, str(tmp_path), read=items)
    assert [row["id"] for row in read_lines(tmp_path / "part-00000.jsonl")] == ["a", "c"]
    assert read_lines(tmp_path / "part-00000.rejects.jsonl")[0]["reason"] == f"died: {number.name}"
    assert stats.rejected == {"died": 1}


def row_child(options: BatchOptions) -> Child:
    return Child(ROWS, options.as_dict(), options.limits)


def test_a_process_that_died_between_pages_costs_none() -> None:
    with row_child(BatchOptions(what="headline")) as child:
        ask(child, item("a", ARTICLE))
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        time.sleep(0.2)
        assert isinstance(ask(child, item("b", ARTICLE)), dict)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell whether the page was taken")
@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_dies_before_it_takes_a_page_is_replaced_once(
    times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped while the page is sent to it, and killed then."""
    exchange = children._exchange
    killed: list[int] = []
    with row_child(BatchOptions(what="headline")) as child:
        ask(child, item("a", ARTICLE))

        def exchanged(line: socket.socket, file: int, parts: tuple[bytes, bytes], limit: float) -> object:
            pid = child.pid
            if parts[1] and len(killed) < times and pid is not None:
                killed.append(pid)
                os.kill(pid, signal.SIGSTOP)
                while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
                    time.sleep(0.01)
                threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
            return exchange(line, file, parts, limit)

        monkeypatch.setattr(children, "_exchange", exchanged)
        answer = ask(child, item("b", ARTICLE))
        if times == 1:
            assert isinstance(answer, dict)
        else:
            assert answer == "died: SIGKILL"
        assert len(set(killed)) == times
        assert isinstance(ask(child, item("c", ARTICLE)), dict)


def test_one_process_does_many_pages_and_shards(tmp_path: Path) -> None:
    options = BatchOptions()
    pids = set()
    for number in range(3):
        run_shard(Shard(number, "files"), options, str(tmp_path), read=lambda *_: [item("a", ARTICLE), item("b", b"")])
        pids.add(page_child(options).pid)
    assert len(pids) == 1
    run_shard(Shard(4, "files"), BatchOptions(what="all"), str(tmp_path), read=lambda *_: [item("a", ARTICLE)])
    assert page_child(BatchOptions(what="all")).pid not in pids
    assert not any(_is_alive(pid) for pid in pids if pid is not None)


def test_ctrl_c_is_for_the_worker() -> None:
    with row_child(BatchOptions(what="headline")) as child:
        ask(child, item("a", ARTICLE))
        pid = child.pid
        assert pid is not None
        os.kill(pid, signal.SIGINT)
        time.sleep(0.1)
        assert isinstance(ask(child, item("b", ARTICLE)), dict)
        assert child.pid == pid


def test_an_answer_nobody_waited_for_is_not_the_next_pages() -> None:
    class Interrupted(Exception):
        pass

    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with row_child(BatchOptions(what="all", timeout=60)) as child:
            ask(child, item("a", ARTICLE))
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Interrupted):
                ask(child, item("b", LARGE))
            answer = ask(child, item("c", TITLE))
            assert isinstance(answer, dict)
            assert answer["title"] == "Only a headline"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


WORKER = """
import sys
from pagesieve.batch import BatchOptions, Item
from pagesieve.batch.pages import ask, page_child
child = page_child(BatchOptions(timeout=100))
ask(child, Item("a", None, b"<p>"))
print(child.pid, flush=True)
ask(child, Item("b", None, b"<div><p>A few words.</p></div>" * 600_000))
"""


@needs_linux
def test_it_dies_with_its_worker() -> None:
    worker = subprocess.Popen([sys.executable, "-c", WORKER], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    pid = int(worker.stdout.readline())
    time.sleep(0.5)
    assert _is_alive(pid)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    until = time.monotonic() + 60
    while _is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# What goes wrong with a page, and with all


class _Failing:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def answer(self, *_: object) -> dict[str, Any]:
        raise self.error


@pytest.mark.parametrize(
    ("error", "reply"),
    [
        (NothingFound("no lines"), {"text": "nothing found: no lines", "sort": "nothing"}),
        (Rejected("not a page: a PDF"), {"text": "not a page: a PDF", "sort": "refusal"}),
        (RecursionError("too deep"), {"text": "failed: RecursionError: too deep", "sort": "failure"}),
        (
            ValueError("two\nlines " + "x" * 500),
            {"text": "failed: ValueError: two lines " + "x" * 169 + "…", "sort": "failure"},
        ),
        (KeyError("\ud800"), {"text": "failed: KeyError: '\\ud800'", "sort": "failure"}),
        (MemoryError(), {"text": "needs more than 5 MB", "sort": "memory"}),
        (BadLibrary("the library is gone"), "the library is gone"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_goes_wrong_has_a_reason(error: Exception, reply: object) -> None:
    kind, body, is_last = reply_of(_Failing(error), b"<p>")
    assert json.loads(body) == reply
    assert kind == (children._REASON if isinstance(reply, dict) else children._STOP)
    assert is_last == isinstance(error, MemoryError)


def reply_of(maker: children.Maker, page: bytes) -> tuple[int, bytes, bool]:
    with pool.file_in_memory() as file:
        return children._reply(maker, file.fileno(), pool.write_parts(file.fileno(), (b"{}", page)), 5)


def test_results_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MAX_RESULT", 100)
    _, body, _ = reply_of(Extractor({}), ARTICLE)
    assert "result larger than" in json.loads(body)["text"]


def test_reasons_go_to_other_processes() -> None:
    reason = pickle.loads(pickle.dumps(Reason("died: SIGKILL", "death")))
    assert (reason, type(reason), reason.sort) == ("died: SIGKILL", Reason, "death")


def test_reasons_are_one_short_line() -> None:
    assert shortened(" a\n b\tc ") == "a b c"
    assert len(shortened("x" * 1000)) == children.MAX_REASON


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"model": "no/such.model"}, "no/such.model"),
        ({"sites": "/dev/null/library"}, "/dev/null/library"),
    ],
)
def test_options_that_will_not_do_stop_the_batch(options: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(RunStopped, match=why):
        run([item("a", ARTICLE)], tmp_path, **options)
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("option", ["method", "favor", "what", "format"])
def test_options_that_do_not_exist_are_refused(option: str) -> None:
    with pytest.raises(BadOption, match=f"{option} is one of"):
        BatchOptions(**{option: "none"})  # type: ignore[arg-type]


def test_a_child_that_does_not_start_stops_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with row_child(BatchOptions()) as child, pytest.raises(RunStopped, match="exit status 1"):
        ask(child, item("a", ARTICLE))


PEER = "import socket, sys; peer = socket.socket(fileno=int(sys.argv[1]));"


@pytest.mark.parametrize(
    ("start", "error", "cause"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", ChildProcessError, "died: SIGKILL"),
        ("raise SystemExit(3)", RunStopped, "died: exit status 3"),
        (f"{PEER} peer.recv(99); peer.send(b'half')", RunStopped, "died: exit status 0"),  # of a reply
    ],
)
def test_a_process_that_does_not_start(
    start: str, error: type[Exception], cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was killed is worth another try, for the shard alone; one that cannot start stops the batch."""
    monkeypatch.setattr(pool, "_START", start)
    with pytest.raises(error, match=f"does not start: it {cause}"):
        ask(row_child(BatchOptions()), item("a", ARTICLE))
