"""Learning sites and using what was learnt, through the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).parent.parent / "examples" / "site"
HOME = "https://news.example.org/"
PAGE = SITE / "en/2024/05/seal-closes-pool-4181077.html"
SIBLING = SITE / "en/2024/05/library-of-things-4180640.html"
PAGES = len(list((SITE / "en").rglob("*.html")))


def run(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pagesieve", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def only_line(text: str) -> str:
    (line,) = text.splitlines()
    return line


def test_an_article_by_a_reference() -> None:
    done = run("article", "--why", PAGE, "--reference", SIBLING)
    assert done.returncode == 0
    assert "; on the other page of the site too" in done.stdout


def test_several_references() -> None:
    done = run("article", "--why", PAGE, "--reference", SIBLING, "--reference", SITE / "en/index.html")
    assert "of 2 other pages of the site too" in done.stdout


@pytest.mark.parametrize(
    ("reference", "message"),
    [("missing.html", "missing.html: No such file"), (SITE / "en/2024", " of the site too")],
)
def test_a_reference_may_be_missing_or_a_folder(reference: object, message: str) -> None:
    done = run("article", "--why", PAGE, "--reference", reference)
    assert message in done.stdout + done.stderr


def test_learn_list_show_forget(tmp_path: Path) -> None:
    library = tmp_path / "sites.db"
    learnt = run("learn", SITE / "en", "--url", HOME, "--sites", library)
    assert (learnt.returncode, learnt.stdout) == (0, "")
    assert only_line(learnt.stderr) == f"pagesieve: {PAGES} new pages of {PAGES} in {library}"
    assert only_line(run("learn", SITE / "en", "--url", HOME, "--sites", library).stderr).startswith(
        f"pagesieve: 0 new pages of {PAGES}"
    )

    assert only_line(run("sites", "list", "--sites", library).stdout).startswith(f"news.example.org\t{PAGES} pages\t")
    shown = run("sites", "show", "https://www.news.example.org/any/page", "--sites", library)
    pages, templates, lists = (part.splitlines() for part in shown.stdout.split("\n\n"))
    assert all(re.fullmatch(r"\S+\t\d+ pages\t.+", line) for line in lists)
    assert len(pages) == PAGES
    assert len(templates) == 20
    tag, frequency, first, last, text = templates[1].split("\t")
    assert (tag, frequency, text) == ("a", f"{PAGES} pages", "Sign in")
    assert first <= last
    more = re.fullmatch(r"pagesieve: (\d+) more templates: --all shows them", only_line(shown.stderr))
    assert more
    everything = run("sites", "show", "news.example.org", "--all", "--sites", library)
    assert everything.stderr == ""
    assert len(everything.stdout.splitlines()) == PAGES + 1 + 20 + int(more[1]) + 1 + len(lists)
    assert max(len(line.split("\t")[-1]) for line in templates) <= 60

    found = run("article", "--why", PAGE, "--sites", library)
    assert "of 8 other pages of the site too" in found.stdout

    forgotten = run("sites", "forget", "news.example.org", "--sites", library)
    assert only_line(forgotten.stderr) == f"pagesieve: forgot {PAGES} pages of news.example.org"
    for command in (("list",), ("show", "news.example.org"), ("forget", "news.example.org")):
        done = run("sites", *command, "--sites", library)
        assert (done.returncode, done.stdout) == (1, "")
        only_line(done.stderr)


def test_controls_of_pages_are_written_out(tmp_path: Path) -> None:
    """A page must not be able to talk to the terminal of somebody who looks at what was learnt of it."""
    library = tmp_path / "sites.db"
    for k in range(4):
        (tmp_path / f"{k}.html").write_text(f"<p>menu \x9b31m of the site</p><p>{k * 7}</p>")
    assert run("learn", tmp_path, "--url", "https://example.org/\x1b[2J", "--sites", library).returncode == 0
    for more in ((), ("--all",)):
        shown = run("sites", "show", "example.org", "--sites", library, *more)
        assert not {"\x1b", "\x9b"} & {*shown.stdout}
        assert "https://example.org/\\x1b[2J\t" in shown.stdout
        assert "31m of the site" in shown.stdout


def test_a_site_of_few_pages_has_no_templates_yet(tmp_path: Path) -> None:
    run("learn", PAGE, SIBLING, "--url", HOME, "--sites", tmp_path / "sites.db")
    shown = run("sites", "show", "news.example.org", "--sites", tmp_path / "sites.db")
    assert len(shown.stdout.split("\n\n")[0].splitlines()) == 2
    assert "Sign in" not in shown.stdout
    assert shown.stderr == ""


def test_pages_without_an_address_need_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<link rel=canonical href={HOME}><p>Some text.</p>", "utf-8")
    refused = run("learn", page, "--sites", tmp_path / "sites.db")
    assert refused.returncode == 2
    assert "the site is not known" in refused.stderr
    learnt = run("learn", page, "--url", "https://example.org/", "--sites", tmp_path / "sites.db")
    assert learnt.returncode == 0


def test_one_bad_page_among_good_ones_is_told_and_the_rest_learnt(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.html", tmp_path / "bad.html"
    good.write_text("<p>Some text.</p>", "utf-8")
    bad.write_bytes(b"%PDF-1.7")
    done = run("learn", good, bad, "--url", "https://example.org/", "--sites", tmp_path / "sites.db")
    assert done.returncode == 2
    assert "not a page but a PDF" in done.stderr
    assert "1 new pages of 2" in done.stderr


@pytest.mark.parametrize(
    "command", [["article", PAGE], ["sites", "list"], ["sites", "show", "x"], ["sites", "forget", "x"]]
)
def test_a_library_that_is_not_there_is_not_made(tmp_path: Path, command: list[object]) -> None:
    library = tmp_path / "sites.db"
    done = run(*command, "--sites", library)
    assert done.returncode == 2
    assert "there is no such site library" in only_line(done.stderr)
    assert not library.exists()


@pytest.mark.parametrize("command", [["learn", PAGE], ["article", PAGE], ["sites", "list"]])
def test_a_file_that_is_no_library(tmp_path: Path, command: list[object]) -> None:
    library = tmp_path / "sites.db"
    library.write_bytes(b"This is a text, not a library. " * 100)
    done = run(*command, "--sites", library)
    assert done.returncode == 2
    assert "not a site library" in only_line(done.stderr)
    assert library.read_bytes() == b"This is a text, not a library. " * 100
