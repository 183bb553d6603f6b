"""No message, log or note shows the passwords and query values of addresses; what is data keeps them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import pagesieve
from pagesieve.batch import BatchOptions, Plan
from pagesieve.crawl.feeds import read_feed, read_sitemap
from pagesieve.errors import BadOption, PagesieveError
from pagesieve.records.database import DatabaseTable
from pagesieve.service.responses import Problem
from pagesieve.sites.library import Sites
from pagesieve.text.urls import masked, masked_url
from pagesieve.workers.child import shortened
from tests.site_server import SiteServer

SECRETS = ("hunter2", "sesame")
AT = "//user:hunter2@"
QUERY = "?token=sesame&page=sesame"

SHOWN = [
    ("http://user:hunter2@host/p?token=abc", "http://***@host/p?token=***"),
    ("http://user:hunter2@host/p?token=abc: answered 404", "http://***@host/p?token=***: answered 404"),
    ("('https://h/p?a=1&b=2&c#top', twice)", "('https://h/p?a=***&b=***&***#***', twice)"),
    ("http://a/?x=1, http://key@b/?y=2", "http://a/?x=***, http://***@b/?y=***"),
    ("http://user:hunter2/sesame@host/", "http://***@host/"),  # a / that was not escaped
    ("http://u:hunter2@h/?mail=a@b.c", "http://***@h/?mail=***"),
    ("http://h/#access_token=abc", "http://h/#access_token=***"),
    ("https://web.archive.org/web/2020/http://u:hunter2@h/", "https://web.archive.org/web/2020/http://***@h/"),
    ("postgresql://u:hun@ter2/?@h/db?password=x&port=1", "postgresql://***@h/db?password=***&port=***"),
    ("s3://key:hunter2@bucket/a@2x.png", "s3://***@2x.png"),  # rather too much than too little
    # Nothing to mask.
    *(
        (text, text)
        for text in ("", "a note: no address?", "https://medium.com/@user/post", "http://h:8080/@x", "/a?b")
    ),
    ("http://[::1]:80/@x", "http://[::1]:80/@x"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_addresses_in_a_text(text: str, shown: str) -> None:
    assert masked(text) == shown
    assert masked(shown) == shown


@pytest.mark.parametrize(
    ("url", "shown"), [("//u:p@h/a?b", "//***@h/a?***"), ("/a b?c#d", "/a b?c#d"), ("a.db", "a.db")]
)
def test_an_address_or_a_path(url: str, shown: str) -> None:
    assert masked_url(url) == shown


ADDRESS = f"http:{AT}[x/{QUERY}"
DATABASE = f"postgresql:{AT}127.0.0.1:1/db{QUERY}"
RAISED: dict[str, Callable[[], object]] = {
    "a page": lambda: pagesieve.extract("<p>x", f"http:{AT}h/\ud800{QUERY}"),
    "its links": lambda: pagesieve.catalogue("<p>x", ADDRESS),
    "a feed": lambda: read_feed(b"<rss/>", ADDRESS),
    "another feed": lambda: read_feed(b"no feed", f"http:{AT}h/{QUERY}"),
    "a sitemap": lambda: read_sitemap(b"<urlset/>", ADDRESS),
    "another sitemap": lambda: read_sitemap(b"no sitemap", f"http:{AT}h/{QUERY}"),
    "a library": lambda: Sites(DATABASE),
    "a library of another sort": lambda: Sites(f"mysql:{AT}h/db{QUERY}"),
    "a password that was not escaped": lambda: Sites("postgresql://user:hun@ter2/sesame@h/db"),
    "a table": lambda: DatabaseTable(f"mysql:{AT}h/db{QUERY}", "t"),
    "another run": lambda: Plan((f"http:{AT}h/{QUERY}",), BatchOptions(), ()).check_same(["b"], BatchOptions()),
}


@pytest.mark.parametrize("name", RAISED)
def test_errors(name: str) -> None:
    with pytest.raises(PagesieveError) as caught:
        RAISED[name]()
    assert not any(secret in str(caught.value) for secret in SECRETS)


def test_reasons_and_problems() -> None:
    said = f"failed: ValueError: http:{AT}h/{QUERY}"
    hidden = "failed: ValueError: http://***@h/?token=***&page=***"
    assert (shortened(said), Problem("failed", said).detail) == (hidden, hidden)


def test_a_run_is_resumed_with_what_an_older_version_has_written() -> None:
    then, now = BatchOptions(sites="postgresql://user:***@h/db"), BatchOptions(sites="postgresql://user:hunter2@h/db")
    Plan(("a",), then, ()).check_same(["a"], now)
    with pytest.raises(BadOption):
        Plan(("a",), then, ()).check_same(["a"], BatchOptions(sites="postgresql://user:hunter2@other/db"))


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pagesieve", *args], capture_output=True, text=True, timeout=100, cwd=cwd, env=os.environ
    )


COMMANDS = [
    *(f"{command} {{}}" for command in ("article", "records --mode static", "headline", "catalogue", "explain")),
    f"article --url {{}} --sites {DATABASE} -",
    f"learn {DATABASE} {{}}",
    f"sites list {DATABASE}",
    "crawl {} -o out.jsonl --no-throttle",
    "crawl --allow-private {} -o out.jsonl --no-throttle",
    "batch {} -o out --workers 1",
    "batch --allow-private {} -o out --workers 1",
    f"batch -o out --sites {DATABASE} --learn {{}}",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, site_server: SiteServer, tmp_path: Path) -> None:
    address = f"{site_server.url}nothing/here".replace("//", AT, 1) + QUERY
    done = run(*command.format(address).split(), cwd=tmp_path)
    assert done.returncode in (1, 2), done.stderr
    assert done.stderr.startswith("pagesieve: ")
    assert not any(secret in done.stderr for secret in SECRETS), done.stderr
    for path in tmp_path.rglob("*rejects.jsonl"):
        for line in map(json.loads, path.read_text().splitlines()):
            assert not any(secret in line["reason"] for secret in SECRETS)
            assert "sesame" in line["url"]  # which is data


def test_an_address_with_blanks(tmp_path: Path) -> None:
    done = run("article", "https://anna:hun ter2@127.0.0.1:1/a?token=ses ame", cwd=tmp_path)
    assert done.stderr.count("***@127.0.0.1:1/a?token=***") == 1, done.stderr
    assert not any(part in done.stderr for part in ("hun", "ter2", "ses", "ame="))
