"""The command line through the real script: what comes out where, and with which exit status."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import pagesieve
from pagesieve import __main__
from pagesieve.cli import INTERRUPTED
from pagesieve.cli.article import wrapped
from pagesieve.cli.sources import Fetching, find_sources, read_source
from pagesieve.errors import BadInput
from tests.terminals import on_terminal

SCRIPT = str(Path(sys.executable).with_name("pagesieve"))
LONG = "A sentence of some length, such as articles are made of, and one more clause to it."
PAGE = f"<title>The headline</title><h1>The headline</h1>{f'<p>{LONG}</p>' * 4}"
TEXT = "\n\n".join([LONG] * 4) + "\n"
POOR = "<p>Too little."
SCRIPTED = f"<body><script>document.body.innerHTML = `{PAGE}`</script>"

Done = subprocess.CompletedProcess[bytes]


def run(
    *args: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None, environment: dict[str, str] | None = None
) -> Done:
    return subprocess.run(
        [SCRIPT, *args], input=stdin, capture_output=True, timeout=60, cwd=cwd, env=os.environ | (environment or {})
    )


def shell(command: str, cwd: Path | None = None) -> Done:
    return subprocess.run(
        ["bash", "-c", command.replace("pagesieve", SCRIPT)], capture_output=True, timeout=60, cwd=cwd
    )


def check(done: Done, status: int, out: str | bytes | None = None, err: str | None = None) -> None:
    """The exit status; all of standard output; what the one line on standard error holds (None: no line)."""
    assert done.returncode == status, done.stderr.decode()
    if out is not None:
        assert done.stdout == (out.encode() if isinstance(out, str) else out)
    lines = done.stderr.decode().splitlines()
    if err is None:
        assert lines == []
    else:
        assert len(lines) == 1, lines
        assert lines[0].startswith("pagesieve: ")
        assert err in lines[0]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


# A terminal, where a person reads

CHINESE = "石门村小学一共有二十六个学生和五个老师，他们每天都在同一间教室里上课。"


def test_a_terminal_shows_the_headline_and_whole_words(page: Path) -> None:
    shown = on_terminal([SCRIPT, "article", page], 40)
    assert run("article", page).stdout.decode() == TEXT  # a pipe has the body alone
    assert shown.startswith("The headline\n\nA sentence of some length,")
    assert max(map(cell_len, shown.splitlines())) <= 40
    paragraphs = shown.removesuffix("\n").split("\n\n")[1:]
    assert [" ".join(each.split("\n")) for each in paragraphs] == [LONG] * 4


def test_wide_characters_count_as_two_columns(page: Path) -> None:
    page.write_text(f"<meta charset=utf-8><h1>学生</h1>{f'<p>{CHINESE * 3}</p>' * 4}", encoding="utf-8")
    lines = on_terminal([SCRIPT, "article", page], 30).splitlines()
    assert lines[:2] == ["学生", ""]
    widths = list(map(cell_len, lines))
    assert max(widths) <= 30
    assert sum(width > 26 for width in widths) > len(widths) / 2
    assert "".join(lines[2:]) == CHINESE * 12
    assert not any(line.startswith(("，", "。")) for line in lines)


@pytest.mark.parametrize("args", [["-f", "markdown"], ["-f", "html"], ["-f", "json"], ["--why"]])
def test_what_is_for_programs_is_the_same_on_a_terminal(page: Path, args: list[str]) -> None:
    assert on_terminal([SCRIPT, "article", *args, page], 40) == run("article", *args, page).stdout.decode()


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("two words more", ["two words", "more"]),
        ("a https://example.org/long b", ["a", "https://example.org/long", "b"]),
        ("    indented line", ["    indented", "    line"]),
        ("ten\xa0columns wide", ["ten\xa0columns", "wide"]),
        ("这是第一句。这是", ["这是第一", "句。这是"]),
        ("一二三四「五六」", ["一二三四", "「五六」"]),
        ("한국어 단어 한국어", ["한국어", "단어", "한국어"]),
        ("26个学生来了", ["26个学生来", "了"]),
    ],
)
def test_lines_end_between_words(line: str, lines: list[str]) -> None:
    assert wrapped(line, 10).split("\n") == lines


@given(st.text(st.characters(exclude_characters="\n")), st.integers(1, 30))
def test_wrapping_loses_nothing_but_blanks(line: str, width: int) -> None:
    assert "".join(wrapped(line, width).split()) == "".join(line.split())


# Each command says what it is


def test_version() -> None:
    check(run("--version"), 0, f"pagesieve {pagesieve.__version__}\n")


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["article", "--help"], ["evaluate", "-h"]])
def test_help(args: list[str]) -> None:
    done = run(*args)
    check(done, 0)
    assert done.stdout.startswith(b"Usage: pagesieve")


def test_without_a_command_the_help_goes_to_standard_error() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Usage: pagesieve")


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "pagesieve", "article"], capture_output=True, timeout=60)
    check(done, 2, "", "Try 'pagesieve article --help'")


def test_the_reference_is_up_to_date(root: Path) -> None:
    """But for where lines are broken, which is up to the version of click."""
    written = (root / "docs" / "cli.md").read_text(encoding="utf-8")
    # In a process of its own: click remembers the options of a command that was called by itself before.
    code = f"import runpy; print(runpy.run_path({str(root / 'docs' / 'make_cli.py')!r})['reference']())"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert written.split() == made.stdout.split(), "run python docs/make_cli.py"


# What is written


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_formats(page: Path, format: str) -> None:
    check(run("article", "-f", format, page), 0, getattr(pagesieve.article(PAGE), format) + "\n")


def test_json_names_its_input(page: Path) -> None:
    done = run("article", "--format", "json", "--url", "https://example.org/a", page)
    check(done, 0)
    facts = json.loads(done.stdout)
    assert facts.pop("input") == str(page)
    assert facts == pagesieve.article(PAGE, "https://example.org/a").as_dict(["text"])


def test_json_has_the_bodies_that_are_asked_for(page: Path) -> None:
    done = run("article", "-f", "json", "--with", "markdown,html,markdown", page)
    check(done, 0)
    found, article = json.loads(done.stdout), pagesieve.article(PAGE)
    assert (found["markdown"], found["html"]) == (article.markdown, article.html)
    assert "text" not in found


def test_markdown_with_its_facts(page: Path) -> None:
    check(run("article", "-f", "markdown", "--with-metadata", page), 0, pagesieve.article(PAGE).as_markdown() + "\n")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("-f", "json", "--with", "pdf"), "--with is any of text,markdown,html, not 'pdf'"),
        (("-f", "json", "--with", ""), "--with is any of text,markdown,html, not ''"),
        (("--with", "html"), "--with is for -f json and csv: the other formats write only the body"),
        (("--with-metadata",), "--with-metadata is for -f markdown and json, not text"),
    ],
)
def test_bodies_that_cannot_be(page: Path, options: tuple[str, ...], error: str) -> None:
    check(run("article", *options, page), 2, err=error)


def test_text_is_the_default_and_standard_input_a_source() -> None:
    check(run("article", "-", stdin=PAGE.encode()), 0, TEXT)


def test_the_encoding_of_standard_input_is_found() -> None:
    text = "这是一篇文章的正文，有足够多的字，可以当作一篇文章来读。" * 6
    check(run("article", "-", stdin=f"<meta charset=gb2312><p>{text}".encode("gbk")), 0, text + "\n")


def test_options_reach_the_article(tmp_path: Path) -> None:
    linked = tmp_path / "linked.html"
    linked.write_text(PAGE + f"<p>{LONG} <a href=/x>there</a> <img src=y.png alt=pic></p><p>{LONG}</p>")
    done = run("article", "-f", "markdown", "--links", "--images", "--url", "https://example.org/a/", linked)
    assert b"[there](https://example.org/x)" in done.stdout
    assert b"![pic](https://example.org/a/y.png)" in done.stdout
    assert b"](" not in run("article", "-f", "markdown", linked).stdout


def test_why_gives_a_line_a_block(page: Path) -> None:
    done = run("article", "--why", page)
    check(done, 0)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(pagesieve.article(PAGE).decisions)
    assert all(line.startswith(("keep  ", "drop  ")) for line in lines)


def test_several_sources_are_told_apart(tmp_path: Path) -> None:
    for name in ("b.html", "a.htm", "c.txt"):
        (tmp_path / name).write_text(PAGE)
    check(run("article", ".", cwd=tmp_path), 0, f"==> a.htm <==\n{TEXT}==> b.html <==\n{TEXT}")
    check(run("article", "c.txt", "a.htm", cwd=tmp_path), 0, f"==> c.txt <==\n{TEXT}==> a.htm <==\n{TEXT}")
    done = run("article", "-f", "json", ".", cwd=tmp_path)
    assert [json.loads(line)["input"] for line in done.stdout.splitlines()] == ["a.htm", "b.html"]


def test_the_whole_example_site(site: Path) -> None:
    done = run("article", "-f", "json", site)
    assert done.returncode == 0
    titles = {json.loads(line)["title"] for line in done.stdout.splitlines()}
    assert "Seal in the lido closes the slow lane" in titles


def test_notes_go_to_standard_error() -> None:
    deep = b"<div>" * 3000 + PAGE.encode()
    check(run("article", "-", stdin=deep), 0, TEXT, "standard input: ")


# Output is UTF-8 and whole, wherever it goes


@pytest.mark.parametrize(
    "environment", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "LANG": "C"}, {"LC_ALL": "POSIX"}]
)
def test_output_is_utf_8_on_any_terminal(environment: dict[str, str]) -> None:
    body = "Größe, naïve, 中文, 😀, and enough words to be an article of its own accord. " * 3
    done = run("article", "-", stdin=f"<p>{body}".encode(), environment=environment)
    check(done, 0, body.strip() + "\n")


@pytest.mark.parametrize("name", ["with blanks.html", "größe 中文.html", "two\nlines.html", "-dash.html", "tab\t.html"])
def test_odd_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(PAGE)
    check(run("article", f"./{name}", cwd=tmp_path), 0, TEXT)
    (tmp_path / name).write_text(POOR)
    check(run("article", ".", cwd=tmp_path), 1, "", "nothing found")


def test_names_that_are_no_text(tmp_path: Path) -> None:
    for name in (b"\xff.html", b"ok.html"):
        (tmp_path / os.fsdecode(name)).write_text(PAGE)
    done = run("article", ".", cwd=tmp_path)
    check(done, 0)
    assert b"==> \xff.html <==\n" in done.stdout
    done = run("article", "-f", "json", ".", cwd=tmp_path)
    assert {json.loads(line)["input"] for line in done.stdout.splitlines()} == {"\ufffd.html", "ok.html"}


def test_a_reader_that_has_seen_enough(tmp_path: Path, site: Path) -> None:
    for number in range(60):
        shutil.copy(site / "en" / "index.html", tmp_path / f"{number}.html")
    done = shell("set -o pipefail; pagesieve article . 2> errors | head -1; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.stdout.decode().splitlines()[-1] == "0"
    assert (tmp_path / "errors").read_bytes() == b""


@pytest.mark.parametrize(
    ("redirected", "message"),
    [
        ("pagesieve article page.html >&-", "standard output is closed"),
        ("pagesieve article - <&-", "standard input is closed"),
        pytest.param(
            "pagesieve article page.html > /dev/full",
            "cannot be written: No space left",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full"),
        ),
    ],
)
def test_closed_and_full_files(page: Path, redirected: str, message: str) -> None:
    check(shell(redirected, page.parent), 2, "", message)


# Errors are one line and a status


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nope"], "No such command 'nope'"),
        (["--nope"], "--nope"),
        (["article"], "Missing argument 'SOURCE...'"),
        (["article", "--nope", "x"], "--nope"),
        (["article", "-f", "pdf", "x"], "'text', 'markdown', 'html', 'json', 'tei', 'csv'"),
        (
            ["article", "--method", "magic", "x"],
            "'auto', 'sharpened', 'layout', 'template', 'svm', 'blocks', 'data', 'reverse', 'records', 'lineblocks'",
        ),
        (
            ["article", "--method", "layout", "x", "y"],
            "needs --sites (a library that has learnt the site) or --reference",
        ),
        (["article", "--method", "template", "--reference", "x", "y"], "--method template needs --sites"),
        (["article", "--favor", "speed", "x"], "'precision', 'recall'"),
        (["article", "missing.html"], "missing.html: No such file or directory"),
        (["article", "two\nlines.html"], "two\\nlines.html: No such file"),
        (["article", ""], "without a name"),
        (["article", "empty.html"], "empty.html: empty"),
        (["article", "blank.html"], "blank.html: empty"),
        (["article", "image.html"], "image.html: not a page but an image (PNG)"),
        (["article", "folder"], "folder: no pages in this folder"),
        (["article", "ftp://example.org/"], "only http and https"),
        (["article", "file:///etc/passwd"], "only http and https"),
        (["article", "http://127.0.0.1:9/"], "not public"),
        (["article", "http://localhost:9/"], "not public"),
        (["article", "http://[::1]:9/"], "not public"),
        (["article", "--allow-private", "http://127.0.0.1:9/"], "no connection"),
        (["article", "http://"], "not a"),
        (["article", "--url", b"http://\xff/", "page.html"], "url is not text"),
        (["evaluate"], "Missing argument 'ARCHIVE...'"),
        (["artcle", "page.html"], "No such command 'artcle'. Did you mean 'article'? Try 'pagesieve --help'."),
        (["headlines", "page.html"], "Did you mean 'headline'?"),
        (["sites", "lst"], "No such command 'lst'. Did you mean 'list'? Try 'pagesieve sites --help'."),
        (["page.html"], "Did you mean 'article page.html'?"),
        (["https://example.org/"], "Did you mean 'article https://example.org/'?"),
        (["zzz"], "No such command 'zzz'. Try 'pagesieve --help'."),
        (["article", "--bylins", "page.html"], "--bylines"),
        (["evaluate", "missing"], "missing"),
        (["evaluate", "folder"], "folder"),
    ],
)
def test_errors(page: Path, args: list[str | bytes], message: str) -> None:
    folder = page.parent
    (folder / "empty.html").write_bytes(b"")
    (folder / "blank.html").write_bytes(b" \n\n")
    (folder / "image.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "folder").mkdir()
    check(run(*args, cwd=folder), 2, "", message)


def test_empty_standard_input() -> None:
    check(run("article", "-"), 2, "", "standard input: empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(page: Path) -> None:
    page.chmod(0)
    check(run("article", page), 2, "", "Permission denied")


def test_nothing_found(tmp_path: Path) -> None:
    check(run("article", "-", stdin=POOR.encode()), 1, "", "standard input: nothing found")
    page = tmp_path / "poor.html"
    page.write_text(f"<title>A wall by the sea</title><meta name=author content='Ann Lee'>{POOR}")
    done = run("article", "-f", "json", "--with", "text,markdown", page)
    assert (done.returncode, done.stdout.count(b"\n")) == (1, 1)
    assert b"nothing found" in done.stderr
    facts = json.loads(done.stdout)
    assert (facts["input"], facts["title"], facts["authors"]) == (str(page), "A wall by the sea", ["Ann Lee"])
    assert (facts["text"], facts["markdown"]) == (None, None)
    filed = run("article", "-f", "json", "-o", tmp_path / "out", page)
    assert (filed.returncode, filed.stdout) == (1, b"")  # a page without a file is tried again
    check(run("article", "-f", "csv", page), 1, "", "nothing found")


@pytest.mark.parametrize(
    ("options", "text", "markdown"), [((), 0, 1), (("--captions",), 1, 1), (("--no-captions",), 0, 0)]
)
def test_captions(tmp_path: Path, options: tuple[str, ...], text: int, markdown: int) -> None:
    caption = "The wall at low tide, as it is seen from the quarry across the bay."
    stone = "<p>The harbour wall was built in nine weeks, with stone that came by barge from across the bay.</p>" * 3
    page = tmp_path / "page.html"
    page.write_text(f"<h1>A wall</h1>{stone}<figure><img src=a.jpg><figcaption>{caption}</figcaption></figure>{stone}")
    assert run("article", page, *options).stdout.decode().count(caption) == text
    assert run("article", page, "-f", "markdown", *options).stdout.decode().count(caption) == markdown


@pytest.mark.parametrize(
    ("pages", "status"),
    [
        ({"a.html": PAGE, "b.html": PAGE}, 0),
        ({"a.html": PAGE, "b.html": POOR}, 0),
        ({"a.html": POOR, "b.html": POOR}, 1),
        ({"a.html": PAGE, "b.html": ""}, 2),
        ({"a.html": "", "b.html": PAGE}, 2),
        ({"a.html": POOR, "b.html": ""}, 2),
    ],
)
def test_the_status_of_several(tmp_path: Path, pages: dict[str, str], status: int) -> None:
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    done = run("article", ".", cwd=tmp_path)
    assert done.returncode == status
    found = [name for name, text in pages.items() if text == PAGE]
    assert done.stdout.decode() == "".join(f"==> {name} <==\n{TEXT}" for name in found)
    assert len(done.stderr.splitlines()) == len(pages) - len(found)


def test_control_c_is_one_line_and_130() -> None:
    process = subprocess.Popen(
        [SCRIPT, "article", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"<p>")
    process.stdin.flush()
    until = time.monotonic() + 60
    while struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))) != (0,):  # until it waits for more
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"pagesieve: interrupted\n")


def test_control_c_while_python_loads_the_commands() -> None:
    code = """
import sys
class Interrupts:
    def find_spec(self, name, *_):
        if name == "pagesieve.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
from pagesieve.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, b"", b"pagesieve: interrupted\n")
    assert __main__.INTERRUPTED == INTERRUPTED


# URLs


class Handler(BaseHTTPRequestHandler):
    """A small site: a page in GBK, a way to it, an image, a page that a script writes, and some about fetching."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        paragraphs = "<p>这是正文，有足够多的字，可以当作一篇文章来读，不是吗？我们看一看，想一想。</p>" * 9
        body = f"<title>头条</title>{paragraphs}".encode("gbk")
        answers = {
            "/a": (200, {"Content-Type": "text/html; charset=gbk"}, body),
            "/moved": (302, {"Location": "/a"}, b""),
            "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
            "/mail": (302, {"Location": "mailto:x"}, b""),
            "/kept": (200, {"Content-Type": "text/html", "Cache-Control": "max-age=1000"}, PAGE.encode()),
            "/agent": (200, {"Content-Type": "text/html"}, f"<h1>{self.headers['User-Agent']}</h1>".encode()),
            "/script": (200, {"Content-Type": "text/html"}, SCRIPTED.encode()),
        }
        self.asked.append(self.path)
        status, headers, content = answers.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.mark.parametrize("path", ["/a", "/moved"])
def test_a_url(server: str, path: str) -> None:
    done = run("article", "-f", "json", "--allow-private", server + path)
    check(done, 0)
    facts = json.loads(done.stdout)
    assert (facts["input"], facts["url"], facts["title"]) == (server + path, server + "/a", "头条")
    assert facts["text"].startswith("这是正文")


def test_private_addresses_are_refused(server: str) -> None:
    check(run("article", server + "/a"), 2, "", "--allow-private")


@pytest.mark.parametrize(("path", "message"), [("/missing", "404"), ("/image", "image/png"), ("/mail", "redirects")])
def test_urls_that_give_no_page(server: str, path: str, message: str) -> None:
    check(run("article", "--allow-private", server + path), 2, "", message)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_regular_file_in_a_folder_is_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.html")
    (tmp_path / "b.html").symlink_to("nowhere")
    (tmp_path / "c.html").mkdir()
    pipe, link = find_sources((str(tmp_path),), None, Fetching())
    with pytest.raises(BadInput, match=r"a\.html: not a regular file"):
        read_source(pipe)
    with pytest.raises(BadInput, match=r"b\.html: No such file"):
        read_source(link)


def test_a_page_that_a_script_writes(server: str) -> None:
    url = f"{server}/script"
    check(run("article", "--allow-private", url), 1, "", "nothing found")
    check(run("article", "--allow-private", "--browser", url), 0, TEXT)
    check(run("headline", "--allow-private", "--browser", url), 0, "The headline\n")
    check(run("article", "--browser", url), 2, "", "--allow-private")


def test_without_a_browser_there_is_one_line(server: str, tmp_path: Path) -> None:
    code = "import sys; sys.modules['playwright'] = None; from pagesieve.__main__ import main; main()"
    command = [sys.executable, "-c", code, "article", "--allow-private", "--browser", f"{server}/a", f"{server}/a"]
    check(subprocess.run(command, capture_output=True), 2, "", "pip install 'playwright")


@pytest.mark.parametrize("command", ["article", "headline", "catalogue", "records"])
def test_a_cache(server: str, tmp_path: Path, command: str) -> None:
    Handler.asked.clear()
    done = [run(command, "--allow-private", "--cache", tmp_path / "new" / "cache", f"{server}/kept") for _ in range(2)]
    assert done[0].stdout == done[1].stdout
    assert Handler.asked == ["/kept"]


def test_a_cache_that_cannot_be_used(server: str, page: Path) -> None:
    Handler.asked.clear()
    check(run("article", "--cache", page, f"{server}/kept", f"{server}/kept"), 2, "", "cannot be used as a cache")
    check(run("article", "--cache", "c", "--browser", f"{server}/kept"), 2, "", "--cache is for pages")
    check(
        run("records", "--cache", "c", "--mode", "visual", f"{server}/kept", cwd=page.parent), 2, "", "--cache is for"
    )
    assert Handler.asked == []


@pytest.mark.parametrize("browser", [[], ["--browser"]])
def test_the_user_agent(server: str, browser: list[str]) -> None:
    agent = run("headline", "--allow-private", *browser, f"{server}/agent").stdout.decode()
    assert ("Chrome" in agent) if browser else agent.startswith("pagesieve/")
    mine = run(
        "headline", "--allow-private", *browser, "--user-agent", "Mine/1.0 (+https://mine.example)", f"{server}/agent"
    )
    check(mine, 0, "Mine/1.0 (+https://mine.example)\n")
    check(
        run("headline", *browser, "--user-agent", "a\nb", f"{server}/agent"), 2, "", "a user agent is a line of ASCII"
    )
