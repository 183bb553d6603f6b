"""Crawls of the example site, end to end: every page found, once, and right; interrupted, resumed, and run again."""

from __future__ import annotations

import csv
import json
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from pagesieve.evaluate.metrics import captions_of, overlap, shingles, tokens, without_captions
from tests.crawl.crawls import LIMIT, Crawled, command, crawl, environment, path_of
from tests.site_server import SiteServer

ROOT = Path(__file__).parents[2] / "examples"
STARTS = {
    "catalogue": "en/index.html",
    "catalogue of two pages": "en/world/index.html",
    "rss": "en/feed.xml",
    "json feed": "en/feed.json",
    "sitemap": "sitemap_index.xml",
    "site": "",
}


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ROOT / name).read_text("utf-8").splitlines()]


GOLD = {row["id"]: row for row in _lines("gold.jsonl")}
CRAWL_GOLD = {row["id"]: row for row in _lines("crawl.jsonl")}


def articles(crawled: Crawled) -> dict[str, dict[str, Any]]:
    return {path: row for path, row in crawled.by_path().items() if row["kind"] == "article"}


def f1(gold: str, text: str) -> float:
    return overlap(shingles(tokens(gold)), shingles(tokens(text))).f1


def in_plain_text(path: str, gold: str) -> str:
    """Return a gold without its captions, which plain text does not have."""
    return without_captions(gold, captions_of((ROOT / "site" / path).read_bytes()))


def check_right(found: dict[str, dict[str, Any]], ids: set[str]) -> None:
    """Check that all articles are there, their headlines right, and their texts on the whole."""
    gold = GOLD | CRAWL_GOLD
    assert ids <= set(found)
    assert {path: found[path]["title"] for path in ids} == {path: gold[path]["title"] for path in ids}
    scores = [f1(in_plain_text(path, gold[path]["text"]), found[path]["text"]) for path in ids]
    assert sum(scores) / len(scores) >= 0.97


# From every sort of START


def _expected(start: str) -> tuple[set[str], set[str]]:
    """Return the articles of one page, and those of several, that a START leads to."""
    long = {id for id, row in CRAWL_GOLD.items() if not row["scripts"]}
    if start in ("sitemap", "site"):
        return set(GOLD), long
    if start == "catalogue of two pages":
        return set(), {id for id in long if id.startswith("en/")}
    english = {id for id in GOLD if id.startswith("en/")}
    return english, {id for id in long if id.startswith("en/") and start != "catalogue"}


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_all_articles_are_found_and_right(start: str, site_server: SiteServer, tmp_path: Path) -> None:
    crawled = crawl(site_server.url + STARTS[start], "--workers", 2, output=tmp_path / "out.jsonl")
    assert crawled.status == 0, crawled.said
    ids, long = _expected(start)
    found = articles(crawled)
    check_right(found, ids | long)
    assert not {page for id in long for page in CRAWL_GOLD[id]["pages"][1:]} & set(crawled.by_path())
    for id in long:
        assert [path_of(url) for url in found[id]["parts"]] == CRAWL_GOLD[id]["pages"]
    asked = site_server.asked(200)
    assert len(asked) == len(set(asked)), "asked for a page twice"
    assert all(one.user_agent.startswith("pagesieve/") for one in site_server.log)


@pytest.mark.slow
def test_scripts_run_with_a_browser_only(site_server: SiteServer, tmp_path: Path) -> None:
    (built,) = [id for id, row in CRAWL_GOLD.items() if row["scripts"]]
    start = f"{site_server.url}en/world/index-2.html"
    plain = crawl(start, output=tmp_path / "plain.jsonl")
    assert f1(CRAWL_GOLD[built]["text"], articles(plain)[built]["text"]) < 0.5
    shown = crawl(start, "--browser", output=tmp_path / "shown.jsonl")
    assert f1(CRAWL_GOLD[built]["text"], articles(shown)[built]["text"]) >= 0.97
    others = set(articles(plain)) - {built}
    assert others
    assert {path: articles(shown)[path]["text"] for path in others} == {
        path: articles(plain)[path]["text"] for path in others
    }


@pytest.mark.slow
def test_records_become_tables(site_server: SiteServer, tmp_path: Path) -> None:
    crawled = crawl(f"{site_server.url}shop/grid.html", "--depth", 0, output=tmp_path / "out.jsonl")
    (row,) = crawled.rows
    assert row["kind"] == "records"
    assert {"price", "number"} & {column["type"] for column in row["columns"]}
    assert any(isinstance(value, dict) and value["amount"] for value in row["records"][0].values())


# Outputs


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example site, crawled into every sort of output."""
    from tests.site_server import serving_site

    folder = tmp_path_factory.mktemp("outputs")
    with serving_site(ROOT / "site") as server:
        for name in ("out.jsonl", "out.csv", "out.parquet", "out.db", "articles"):
            crawled = crawl(server.url, "--job", folder / "job", "--with", "text,markdown", output=folder / name)
            assert crawled.status == 0, crawled.said
    return folder


def _urls(folder: Path) -> set[str]:
    return {json.loads(line)["url"] for line in (folder / "out.jsonl").read_text("utf-8").splitlines()}


@pytest.mark.slow
def test_csv(outputs: Path) -> None:
    with (outputs / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["url"] for row in rows} == _urls(outputs)
    assert all(row["title"] and row["text"] for row in rows if row["kind"] == "article")
    with (outputs / "out.records.csv").open(encoding="utf-8", newline="") as file:
        assert len({row["_page"] for row in csv.DictReader(file)}) == sum(row["kind"] == "records" for row in rows)


@pytest.mark.slow
def test_parquet(outputs: Path) -> None:
    from pyarrow import parquet

    rows = parquet.read_table(outputs / "out.parquet").to_pylist()
    assert {row["url"] for row in rows} == _urls(outputs)
    assert all(row["records"] is None or json.loads(row["records"]) for row in rows)
    assert any(len(row["parts"] or ()) == 3 for row in rows)


@pytest.mark.slow
def test_database(outputs: Path) -> None:
    with sqlite3.connect(outputs / "out.db") as database:
        urls = {url for (url,) in database.execute("SELECT url FROM pages")}
        (records,) = database.execute("SELECT count(*) FROM records").fetchone()
    assert urls == _urls(outputs)
    assert records > 20


@pytest.mark.slow
def test_markdown(outputs: Path) -> None:
    index = [json.loads(line) for line in (outputs / "articles" / "index.jsonl").read_text("utf-8").splitlines()]
    assert {row["url"] for row in index} == _urls(outputs)
    (seal,) = [row for row in index if "seal-closes-pool" in row["url"]]
    document = (outputs / "articles" / seal["file"]).read_text("utf-8")
    assert document.startswith("---\n")
    assert "\n# Seal in the lido closes the slow lane\n" in document
    assert {path.name for path in (outputs / "articles").iterdir()} == {row["file"] for row in index} | {"index.jsonl"}


# Interrupted, and run again


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_crawl_goes_on(
    how: signal.Signals, outputs: Path, site_server: SiteServer, tmp_path: Path
) -> None:
    whole = Crawled(0, "", outputs / "out.jsonl")
    site_server.latency = 0.1
    output = tmp_path / "out.jsonl"
    process = subprocess.Popen(
        command(site_server.url, "-o", output, "--concurrency", 2), stderr=subprocess.PIPE, text=True, env=environment()
    )
    until = time.monotonic() + LIMIT
    while len(site_server.asked(200)) < 15 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(how)
    _, said = process.communicate(timeout=LIMIT)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "the same command goes on" in said
        assert 0 < len(Crawled(130, said, output).rows) < len(whole.rows)
    first = len(site_server.log)
    site_server.latency = 0.0
    again = crawl(site_server.url, output=output)
    assert again.status == 0, again.said
    assert again.by_path().keys() == whole.by_path().keys()
    for path, row in whole.by_path().items():
        assert again.by_path()[path].get("text") == row.get("text")
    assert len(site_server.log) - first < len(whole.rows) + 12, "begun anew"


@pytest.mark.slow
def test_a_second_run_takes_what_is_new_or_changed(site_server: SiteServer, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    start = f"{site_server.url}en/index.html"
    first = crawl(start, output=output)
    changed, gone = "en/2024/05/seal-closes-pool-4181077.html", "en/2024/05/lost-radio-play-4181024.html"
    page = site_server.files[changed].body.decode("utf-8", "surrogateescape")
    site_server.put(changed, page.replace("shows no intention", "shows no sign").encode("utf-8", "surrogateescape"))
    site_server.put("en/2024/05/new-story-4190001.html", page.replace("Seal in the lido", "Otter in the lido"))
    front = site_server.files["en/index.html"].body.decode("utf-8", "surrogateescape")
    link = '<article class="card" data-story="4190001"><h3><a href="2024/05/new-story-4190001.html">Otter in the lido'
    link += " closes the slow lane</a></h3><p>Swimmers share the pool with a second visitor.</p></article>"
    front = front.replace('<article class="card"', link + '<article class="card"', 1)
    site_server.put("en/index.html", front.encode("utf-8", "surrogateescape"))
    site_server.log.clear()
    second = crawl(start, output=output)
    assert sorted(set(site_server.asked(200))) == sorted(
        {"/robots.txt", "/en/index.html", f"/{changed}", "/en/2024/05/new-story-4190001.html"}
    )
    assert second.by_path().keys() == first.by_path().keys() | {"en/2024/05/new-story-4190001.html"}
    assert "shows no sign" in second.by_path()[changed]["text"]
    assert second.by_path()[gone] == first.by_path()[gone]


@pytest.mark.slow
def test_limits(site_server: SiteServer, tmp_path: Path) -> None:
    some = crawl(f"{site_server.url}sitemap_index.xml", "--count", 5, output=tmp_path / "some.jsonl")
    assert len(some.rows) == 5
    assert "the same command goes on" in some.said
    none = crawl(f"{site_server.url}en/index.html", "--since", "2030-01-01", output=tmp_path / "none.jsonl")
    assert none.status == 1
    assert "older than 2030-01-01" in none.said
    none = crawl(f"{site_server.url}en/index.html", "--since", "2024-05-14", output=tmp_path / "late.jsonl")
    assert {row["date"][:10] for row in none.rows if row["kind"] == "article"} == {"2024-05-14", "2024-05-15"}


@pytest.mark.slow
def test_a_site_library_learns(site_server: SiteServer, tmp_path: Path) -> None:
    library = tmp_path / "sites.db"
    crawled = crawl(f"{site_server.url}en/index.html", "--sites", library, "--twice", output=tmp_path / "out.jsonl")
    check_right(articles(crawled), {id for id in GOLD if id.startswith("en/")})
    from pagesieve import open_sites

    with open_sites(library) as sites:
        (site,) = sites.sites()
        assert site.pages >= 12
        assert len(sites.templates(site_server.url)) > 10
    methods = {row["method"] for row in articles(crawled).values()}
    assert methods == {"sharpened"}


# Bad input


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["ftp://example.org/"], "not the address of"),
        (["nonsense://x"], "not the address of"),
        (["https://example.org/", "--twice"], "twice is for a site library"),
        (["https://example.org/", "--since", "yesterday"], "since is a date"),
        (["https://example.org/", "--schema", "/no/such.json"], "/no/such.json"),
    ],
)
def test_bad_input_is_one_line(given: list[str], why: str, tmp_path: Path) -> None:
    crawled = crawl(*given, output=tmp_path / "out.jsonl")
    assert crawled.status == 2
    assert why in crawled.said
    assert len(crawled.said.splitlines()) == 1


@pytest.mark.slow
def test_what_a_site_does_not_name_is_looked_for(site_server: SiteServer, tmp_path: Path) -> None:
    """Without robots.txt and links to feeds, a sitemap is found where most sites have theirs."""
    site_server.remove("robots.txt")
    front = site_server.files["index.html"].body
    site_server.put("index.html", re.sub(rb'<link rel="alternate"[^>]*>', b"", front))
    site_server.put("sitemap.xml", site_server.files["sitemap_index.xml"].body)
    crawled = crawl(site_server.url, output=tmp_path / "out.jsonl")
    assert set(GOLD) <= set(articles(crawled))
    assert [one.path for one in site_server.log if one.method == "HEAD"] == ["/sitemap.xml"]
