"""Many pages: what `extract` says of each, in order, from this process or from others."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pagesieve
from pagesieve import BadInput, BadLibrary, BadModel, BadOption, PagesieveError
from pagesieve.workers import many, pool
from pagesieve.workers.many import _source, _Work
from tests.test_batch_local import ROOT, is_running, wait_for

PAGE = (
    "<h1>Bread</h1><p>Mix flour, water, salt and yeast number {0}; wait, fold, bake, and let it cool for {0} hours.</p>"
)
ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the pool does not run there")


def page(number: int) -> str:
    return PAGE.format(number)


def numbered(first: int = 0) -> Iterator[str]:
    return map(page, itertools.count(first))


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that are started."""
    started: list[int] = []
    python = pool.start_python

    def start(*given: Any) -> subprocess.Popen[bytes]:
        process = python(*given)
        started.append(process.pid)
        return process

    monkeypatch.setattr(pool, "start_python", start)
    return started


# Results


@pytest.fixture(scope="module")
def all_sorts(articles: dict[str, bytes]) -> list[Any]:
    """Pages of every type that may be given, and things that are none."""
    found = list(articles.values())[:6]
    url = "https://example.org/a"
    text = found[0].decode("utf-8", "replace")
    pages = [
        *found,
        text,
        bytearray(found[1]),
        pagesieve.parse(found[2]),
        (found[3], url),
        (found[4], None),
        (text, url),
    ]
    return [*pages, "", b"", b"%PDF-1.7 ...", 17, (found[0], 17), (found[0], url, "more"), (found[0], "\ud800")]


def as_text(result: str | PagesieveError | None) -> tuple[object, ...]:
    return (type(result), str(result))


WAYS = [{"workers": 1}, {"workers": 2}, {"workers": 2, "threads": True}]


@pytest.mark.parametrize("way", [*WAYS, {"workers": 3}, {"workers": 3, "threads": True}], ids=str)
def test_results_are_those_of_extract_in_order(all_sorts: list[Any], way: dict[str, Any]) -> None:
    expected = []
    for given in all_sorts:
        html, url = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        try:
            expected.append(as_text(pagesieve.extract(html, url, format="json", include_links=True)))
        except PagesieveError as error:
            expected.append(as_text(error))
    found = pagesieve.extract_many(iter(all_sorts), format="json", include_links=True, **way)
    assert list(map(as_text, found)) == expected
    assert {kind for kind, _ in expected} == {str, type(None), BadInput}


def test_addresses_alone_are_not_fetched() -> None:
    found = list(pagesieve.extract_many([None, (None, "http://127.0.0.1:9/")], workers=1))  # type: ignore[list-item]
    assert list(map(str, found)) == ["a page is str, bytes or Page, not NoneType"] * 2


def test_one_worker_is_this_process_and_two_are_others(pids: list[int]) -> None:
    assert len(list(pagesieve.extract_many(map(page, range(5)), workers=1))) == 5
    assert pids == []
    assert len(list(pagesieve.extract_many(map(page, range(5)), workers=2))) == 5
    assert len(pids) == 2
    assert not any(map(is_running, pids))


def test_no_more_workers_than_pages(pids: list[int]) -> None:
    assert list(pagesieve.extract_many([], workers=4)) == []
    assert list(pagesieve.extract_many(iter(()), workers=4)) == []
    assert len(list(pagesieve.extract_many([page(1)], workers=4))) == 1
    assert pids == []


def test_workers_none_is_as_many_as_there_are_cpus(monkeypatch: pytest.MonkeyPatch, pids: list[int]) -> None:
    monkeypatch.setattr(pool, "available_cpus", lambda: 3)
    results = pagesieve.extract_many(numbered())
    next(results)
    assert len(pids) == 3


def test_an_error_that_is_nobodys_purpose_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("mistake")

    monkeypatch.setattr(many, "extract", fail)
    (result,) = pagesieve.extract_many([page(1)], workers=1)
    assert isinstance(result, PagesieveError)
    assert str(result) == "failed: KeyError: 'mistake'"


def test_errors_keep_no_page() -> None:
    (result,) = pagesieve.extract_many([b"%PDF-1.7"], workers=1)
    assert isinstance(result, BadInput)
    assert result.__traceback__ is None


# Laziness


@pytest.mark.parametrize(
    ("way", "ahead"),
    [*zip(WAYS, (0, (2 * many.AHEAD + 1) * many.CHUNK_PAGES, 2 * many.THREAD_PAGES), strict=True)],
    ids=str,
)
def test_an_endless_iterable_is_read_only_a_little_ahead(way: dict[str, Any], ahead: int) -> None:
    read = itertools.count()
    results = pagesieve.extract_many((page(next(read)) for _ in itertools.count()), **way)
    for number in range(200):
        assert f"number {number};" in str(next(results))
    assert next(read) <= 200 + ahead


def test_threads_are_of_this_process(pids: list[int]) -> None:
    results = pagesieve.extract_many(numbered(), workers=2, threads=True)
    next(results)
    assert 1 <= sum(thread.name.startswith(many.THREAD_NAME) for thread in threading.enumerate()) <= 2
    results.close()
    assert not any(thread.name.startswith(many.THREAD_NAME) for thread in threading.enumerate())
    assert pids == []


def test_the_first_result_waits_for_few_pages() -> None:
    read = itertools.count()
    next(pagesieve.extract_many((page(next(read)) for _ in itertools.count()), workers=2))
    assert next(read) < 2 * many.CHUNK_PAGES


def test_large_pages_are_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "CHUNK_BYTES", 1)
    read = itertools.count()
    results = pagesieve.extract_many((page(next(read)) for _ in itertools.count()), workers=2)
    for _ in range(50):
        next(results)
    assert next(read) <= 50 + many.AHEAD * 2 + 1


def test_nothing_is_read_before_the_first_result_is_asked_for() -> None:
    read = itertools.count()
    pagesieve.extract_many((page(next(read)) for _ in range(3)), workers=2)
    assert next(read) == 0


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_error_of_the_iterable_comes_after_the_results_before_it(way: dict[str, Any]) -> None:
    def broken() -> Iterator[str]:
        yield from map(page, range(40))
        raise OSError("the disk is gone")

    results = pagesieve.extract_many(broken(), **way)
    assert [f"number {n};" in str(next(results)) for n in range(40)] == [True] * 40
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


# Options


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"format": "pdf"}, BadOption),
        ({"method": "magic"}, BadOption),
        ({"favor": "speed"}, BadOption),
        ({"model": "a.model", "method": "reverse"}, BadOption),
        ({"model": "no/such/file"}, BadModel),
        ({"sites": "sites.db"}, BadInput),
        ({"external": "a title"}, BadInput),
        ({"reference": 17}, BadInput),
        ({"no_such_option": 1}, TypeError),
    ],
)
def test_a_wrong_option_raises_at_the_call(options: dict[str, Any], error: type[Exception], workers: int) -> None:
    with pytest.raises(error):
        pagesieve.extract_many([page(1)], workers=workers, **options)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2"])
def test_workers_are_a_number(workers: Any) -> None:
    with pytest.raises(BadOption, match="workers"):
        pagesieve.extract_many([page(1)], workers=workers)


@pytest.mark.parametrize("pages", [b"<p>one page", "<p>one page", pagesieve.parse("<p>one page"), 17, None])
def test_one_page_is_not_many(pages: Any) -> None:
    with pytest.raises(BadInput, match="iterable of pages"):
        pagesieve.extract_many(pages)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_references_and_models_reach_the_workers(articles: dict[str, bytes], way: dict[str, Any]) -> None:
    html, sibling = list(articles.values())[:2]
    expected = pagesieve.extract(html, reference=sibling, format="json")
    assert list(pagesieve.extract_many([html] * 3, reference=sibling, format="json", **way)) == [expected] * 3


def test_a_library_is_opened_by_each_worker(articles: dict[str, bytes], tmp_path: Path) -> None:
    url = "https://example.org/{}.html"
    pages = [(html, url.format(number)) for number, html in enumerate(articles.values())][:8]
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        sites.learn((url, html) for html, url in pages)
        expected = [pagesieve.extract(html, url, sites=sites, format="json") for html, url in pages]
        assert any('"sharpened"' in str(found) for found in expected)
        assert list(pagesieve.extract_many(pages, workers=2, sites=sites, format="json")) == expected


def test_a_library_that_fails_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "extract", _raise(BadLibrary("sites.db: it is gone")))
    with pytest.raises(BadLibrary, match="it is gone"):
        list(pagesieve.extract_many([page(1)], workers=1))


def _raise(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


# The end of the workers


def test_closing_ends_the_workers(pids: list[int]) -> None:
    results = pagesieve.extract_many(numbered(), workers=2)
    next(results)
    assert all(map(is_running, pids))
    results.close()
    assert pids
    assert not any(map(is_running, pids))
    assert list(results) == []


def test_leaving_the_loop_ends_the_workers(pids: list[int]) -> None:
    for _ in pagesieve.extract_many(numbered(), workers=2):
        break
    assert pids
    assert not any(map(is_running, pids))


def test_an_interrupt_ends_the_workers(pids: list[int]) -> None:
    def interrupted() -> Iterator[str]:
        yield from map(page, range(10))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(pagesieve.extract_many(interrupted(), workers=2))
    assert pids
    assert not any(map(is_running, pids))


SCRIPT = """
import sys, pagesieve
from tests.test_many import numbered, page
for found in pagesieve.extract_many(numbered(), workers=2):
    print(found, flush=True)
"""  # without a guard: a worker that ran the script again would start workers of its own


def test_a_script_without_a_guard_is_interrupted(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert b"number 0;" in process.stdout.readline()
    workers = children(process.pid)
    assert len(workers) == 2
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: to all of them
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert errors.count(b"Traceback") == 1
    wait_for(lambda: not any(map(is_running, workers)))


def children(pid: int) -> list[int]:
    if sys.platform != "linux":
        pytest.skip("looks into /proc")
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_it_runs_in_any_thread(pids: list[int]) -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.extend(pagesieve.extract_many(map(page, range(9)), workers=2)))
    thread.start()
    thread.join()
    assert len(found) == 9
    assert len(pids) == 2


def test_a_run_goes_on_where_the_thread_that_began_it_has_ended() -> None:
    """On Linux its workers die with it."""
    results = pagesieve.extract_many(numbered(), workers=2)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(next(results)))
    thread.start()
    thread.join()
    found.extend(itertools.islice(results, 100))
    assert [f"number {number};" in str(each) for number, each in enumerate(found)] == [True] * 101
    results.close()


# Workers die


class _Deadly(_Work):
    """Kills its process at a page that says so."""

    def result(self, source: many._Source) -> str | PagesieveError | None:
        if "number 13;" in str(source.html):
            os.kill(os.getpid(), signal.SIGKILL)
        if "number 99;" in str(source.html):
            os._exit(3)
        return super().result(source)


def test_a_page_that_kills_its_worker_is_an_error_and_the_others_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "_Work", _Deadly)
    found = list(pagesieve.extract_many(map(page, range(60)), workers=2))
    assert isinstance(found[13], PagesieveError)
    assert str(found[13]) == "died: its worker was killed (SIGKILL)"
    assert [f"number {number};" in str(each) for number, each in enumerate(found) if number != 13] == [True] * 59


def test_a_worker_that_ends_by_itself_ends_the_run(monkeypatch: pytest.MonkeyPatch, pids: list[int]) -> None:
    monkeypatch.setattr(many, "_Work", _Deadly)
    with pytest.raises(PagesieveError, match="a worker ended with status 3"):
        list(pagesieve.extract_many(numbered(), workers=2))
    assert not any(map(is_running, pids))


def test_a_source_is_sent_without_types_of_the_caller() -> None:
    class Own(str):
        pass

    source = _source((Own("<p>"), Own("https://example.org/")))
    assert (type(source.html), type(source.url)) == (str, str)
