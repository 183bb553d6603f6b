"""`pagesieve article` for corpora: files of pages, lists of sources, CSV."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.cli.article import ENDINGS, PageFiles, file_name
from pagesieve.cli.sources import is_list
from pagesieve.errors import BadInput
from pagesieve.facts.fields import FACTS
from tests.test_cli import LONG, PAGE, POOR, SCRIPT, TEXT, check, run

PATIENCE = 60  # seconds


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Three pages, two of them of one name, and one without an article."""
    for name in ("a/index.html", "b/index.html", "b/c.html"):
        path = tmp_path / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.replace("headline", f"headline of {name}"))
    (tmp_path / "pages" / "poor.html").write_text(POOR)
    return tmp_path


# The names of files


@pytest.mark.parametrize(
    ("source", "beginning"),
    [
        ("crawl/story.html", "story-"),
        ("https://www.example.org/News/2024/a-story.html?id=3", "example.org-News-2024-a-story.html-id-3-"),
        ("https://example.org/", "example.org-"),
        ("../../etc/passwd", "passwd-"),
        ("https://example.org/../../x", "example.org-..-..-x-"),
        ("-rf.html", "rf-"),
        (".hidden.html", "hidden-"),
        ("日本語.html", "日本語-"),
        ("name\udcff.html", "name-"),
        ("...", "page-"),
        ("standard input", "standard-input-"),
    ],
)
def test_the_name_of_a_file_says_whose_it_is(source: str, beginning: str) -> None:
    name = file_name(source, ".md")
    assert name.startswith(beginning)
    assert len(name) == len(beginning) + 10 + len(".md")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300), st.booleans())
def test_names_of_files_are_safe(text: str, is_address: bool) -> None:
    name = file_name(f"https://example.org/{text}" if is_address else text, ".txt")
    assert Path(name).name == name
    assert name[0] not in ".-"
    assert name.isprintable()
    assert len(name.encode()) < 120


@given(st.sets(st.text("aA./?&=-% ", min_size=1, max_size=12), min_size=2))
def test_no_two_addresses_have_one_file(paths: set[str]) -> None:
    names = {file_name(f"https://example.org/{path}", ".txt").lower() for path in paths}
    assert len(names) == len(paths)


# Files of pages


@pytest.mark.parametrize("format", ENDINGS)
def test_one_file_a_page(format: str, pages: Path) -> None:
    done = run("article", "-f", format, "-o", "out/deep", "pages", cwd=pages)
    written = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [
        "pagesieve: pages/poor.html: nothing found: "
        + done.stderr.decode().partition("nothing found: ")[2].split("\n")[0],
        "pagesieve: 3 files written to out/deep",
    ]
    assert sorted(str(path.relative_to(pages)) for path in (pages / "out/deep").iterdir()) == sorted(written)
    assert len(written) == 3
    assert all(name.endswith(ENDINGS[format]) for name in written)
    first = (pages / written[0]).read_text()
    article = pagesieve.article((pages / "pages/a/index.html").read_bytes())
    if format not in ("json", "csv"):
        assert first == f"{getattr(article, format)}\n"
    else:
        facts = json.loads(first) if format == "json" else next(csv.DictReader(io.StringIO(first)))
        assert (facts["input"], facts["title"]) == ("pages/a/index.html", "The headline of a/index.html")


def test_files_that_are_there_are_kept_unless_they_are_to_be_overwritten(pages: Path) -> None:
    first = run("article", "-o", "out", "pages/a", cwd=pages).stdout.decode().strip()
    (pages / first).write_text("edited")
    again = run("article", "-o", "out", "pages/a", "pages/b", cwd=pages)
    assert len(again.stdout.decode().splitlines()) == 2
    assert "2 files written to out, 1 existed already (--overwrite" in again.stderr.decode()
    assert (pages / first).read_text() == "edited"
    check(run("article", "-o", "out", "pages/a", cwd=pages), 0, "", "0 files written to out, 1 existed already")
    check(run("article", "-o", "out", "--overwrite", "pages/a", cwd=pages), 0, f"{first}\n", "1 file written to out")
    assert (pages / first).read_text() == TEXT


def test_nothing_is_left_of_a_file_that_was_not_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = PageFiles(str(tmp_path / "out"), ".txt", overwrite=False)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            files.write("page.html", "text")
    assert list((tmp_path / "out").iterdir()) == []
    (tmp_path / "out").rmdir()
    with pytest.raises(BadInput, match="cannot be written: No such file"):
        files.write("page.html", "text")


def test_a_command_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE)
    os.mkfifo(tmp_path / "b.html")
    command = [SCRIPT, "article", "-o", "out", "a.html", "b.html"]
    started = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + PATIENCE
    while not list(tmp_path.glob("out/a-*.txt")):
        assert time.monotonic() < until
        time.sleep(0.01)
    opened = Event()

    def hold() -> None:
        with (tmp_path / "b.html").open("wb"):  # as soon as the command reads it
            started.send_signal(signal.SIGINT)
            while not opened.wait(2) and started.poll() is None:  # it may have come just before the command reads
                started.send_signal(signal.SIGINT)

    thread = Thread(target=hold)
    thread.start()
    started.communicate(timeout=PATIENCE)
    opened.set()
    thread.join()
    assert started.returncode == 130
    assert [path.name[:2] for path in (tmp_path / "out").iterdir()] == ["a-"]
    (tmp_path / "b.html").unlink()
    (tmp_path / "b.html").write_text(PAGE)
    done = run(*command[1:], cwd=tmp_path)
    assert "1 file written to out, 1 existed already" in done.stderr.decode()


# Lists of sources


def test_a_list_of_sources(pages: Path) -> None:
    (pages / "list").write_text("\ufeff# pages\n\npages/a/index.html\r\n  pages/b  \n")
    done = run("article", "-f", "json", "--from-list", "list", cwd=pages)
    names = [json.loads(line)["input"] for line in done.stdout.decode().splitlines()]
    assert names == ["pages/a/index.html", "pages/b/c.html", "pages/b/index.html"]
    piped = run("article", "-f", "json", "pages/a", "--from-list", "-", stdin=b"pages/b/c.html", cwd=pages)
    names = [json.loads(line)["input"] for line in piped.stdout.decode().splitlines()]
    assert names == ["pages/a/index.html", "pages/b/c.html"]


def test_a_bad_line_of_a_list_does_not_stop_the_others(pages: Path) -> None:
    listed = b"ftp://example.org/\nmissing.html\npages/empty\npages/a/index.html\n"
    (pages / "pages/empty").mkdir()
    done = run("article", "--from-list", "-", stdin=listed, cwd=pages)
    assert done.returncode == 2
    assert done.stdout.decode() == f"==> pages/a/index.html <==\n{TEXT}"
    errors = done.stderr.decode().splitlines()
    assert [error.split(": ")[1] for error in errors] == ["ftp://example.org/", "missing.html", "pages/empty"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.org/\n", True),
        ("# my list\nhttps://example.org/1\n\nhttps://example.org/2", True),
        ("https://example.org/1\nnonsense\nhttps://example.org/2", True),
        ("https://example.org/\n" * 5000, True),
        ("<a>https://example.org/</a>", False),
        ("Some words\nand https://example.org/ among them\nhttps://example.org/", False),
        ("", False),
        ("\0", False),
    ],
)
def test_a_list_is_told_from_a_page(text: str, expected: bool) -> None:
    assert is_list(text.encode()) == expected


# CSV


def test_csv_has_one_header_and_all_facts(pages: Path) -> None:
    quoted = f"<title>Say &quot;no&quot;, twice</title><meta name=keywords content='a, b'><p>{LONG}</p><p>{LONG}</p>"
    (pages / "pages/a/index.html").write_text(quoted)
    done = run("article", "-f", "csv", "--with", "text,markdown", "pages/a", "pages/b", cwd=pages)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    assert [row["input"] for row in rows] == ["pages/a/index.html", "pages/b/c.html", "pages/b/index.html"]
    assert set(FACTS) | {"input", "text", "markdown"} <= set(rows[0])
    assert rows[0]["title"] == 'Say "no", twice'
    assert rows[0]["tags"] == "a; b"
    assert rows[0]["text"] == f"{LONG}\n\n{LONG}"
    assert done.stdout.decode().count("input,url,") == 1


def test_cells_of_csv_are_harmless_unless_asked_for_raw(pages: Path) -> None:
    (pages / "pages/a/index.html").write_text(f"<title>=1+1 is what I say</title><p>{LONG}</p><p>{LONG}</p>")
    for raw, title in (([], "'=1+1 is what I say"), (["--raw-cells"], "=1+1 is what I say")):
        done = run("article", "-f", "csv", *raw, "pages/a", cwd=pages)
        (row,) = csv.DictReader(io.StringIO(done.stdout.decode(), newline=""))
        assert row["title"] == title


# What is refused


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["urls.txt"], "urls.txt: a list of pages, not a page: read it with --from-list"),
        (["--overwrite", "pages"], "--overwrite is for -o"),
        (["--why", "-o", "out", "pages"], "leave out -o"),
        (["-f", "tei", "pages"], "name a folder for them with -o"),
        (["-o", "urls.txt", "pages"], "urls.txt: cannot create the folder"),
        (["--from-list", "missing"], "missing: No such file"),
        (["--from-list", "empty"], "empty: no sources in this list"),
        (["--from-list", "-"], "standard input: no sources in this list"),
        (["--with", "html", "-f", "html", "pages"], "--with is for -f json and csv"),
        (["--raw-cells", "pages"], "--raw-cells is for -f csv"),
        (["--method", "template", "--sites", "urls.txt", "pages"], "urls.txt"),
    ],
)
def test_wrong_options_are_one_error_however_many_pages(args: list[str], message: str, pages: Path) -> None:
    (pages / "urls.txt").write_text("https://example.org/1\nhttps://example.org/2\n")
    (pages / "empty").write_text("# nothing\n")
    check(run("article", *args, cwd=pages), 2, "", message)
    assert not (pages / "out").exists()


# Batches


def test_a_batch_says_what_it_left_out_and_why_nothing_was_learnt(tmp_path: Path) -> None:
    sentence = "<p>Man nehme Mehl, Wasser, Salz und Hefe, warte eine Stunde und backe das Brot im heißen Ofen.</p>"
    german, english = (
        f"<html lang=de><title>Brot</title>{sentence * 6}",
        PAGE.replace("<title>", "<html lang=en><title>"),
    )
    rows = [{"id": f"{number}", "html": html} for number, html in enumerate((english, german, english, POOR))]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)))
    chosen = ["--language", "fr,en", "--language", "it", "--min-words", "9", "--deduplicate"]
    learning = ["--learn", "--sites", "sites.db", "--workers", "1"]
    done = run("batch", "pages.jsonl", "-o", "out", *chosen, *learning, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.decode().splitlines()
    assert lines[0].startswith("pagesieve: learnt 0 pages of 0 sites, 0 of them new: none of 4 pages has an address")
    assert lines[1].startswith("pagesieve: 4 pages, 1 results, 2 rejected, 1 duplicates")
    assert lines[2].split()[1:] == ["1", "another", "language;", "1", "nothing", "found"]
    repeated = json.loads((tmp_path / "out/part-00000.duplicates.jsonl").read_text())
    assert repeated == {"id": "2", "url": None, "duplicate_of": "0", "similarity": 1.0}
