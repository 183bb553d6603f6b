"""The example site: written by its generator, of a realistic size, and in agreement with its own gold."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SITE = EXAMPLES / "site"
KILOBYTE = 1000
MIN_SIZE, MAX_SIZE = 20 * KILOBYTE, 100 * KILOBYTE
RESERVED = ("example.org", "example.com")
# What browsers read where a page names the smaller set.
STORED_AS = {"gb2312": "gbk", "iso-8859-1": "cp1252"}
UNSEEN = "script, style, noscript, [hidden]"


def read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


GOLD = read_lines("gold.jsonl")
RECORDS = read_lines("records.jsonl")
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
CRAWL = read_lines("crawl.jsonl")  # what only a crawl finds whole
CATALOGUES = {
    "en": ["en/index.html", "en/world/index.html", "en/world/index-2.html"],
    "zh": ["zh/index.html", "zh/shehui/index.html", "zh/shehui/index_2.html"],
}

each_page = pytest.mark.parametrize("page", PAGES)
each_article = pytest.mark.parametrize("gold", GOLD, ids=lambda gold: gold["id"])
each_linked = pytest.mark.parametrize("gold", [*GOLD, *CRAWL], ids=lambda gold: gold["id"])
each_crawled = pytest.mark.parametrize("gold", CRAWL, ids=lambda gold: gold["id"])
each_records_page = pytest.mark.parametrize("gold", RECORDS, ids=lambda gold: gold["id"])


@cache
def source(page: str) -> str:
    raw = (SITE / page).read_bytes()
    declared = re.search(rb"charset=[\"']?([a-z0-9-]+)", raw[:2000], re.IGNORECASE)
    assert declared, f"{page} names no encoding"
    name = declared[1].decode()
    return raw.decode(STORED_AS.get(name, name))


@cache
def visible(page: str) -> str:
    """What a page says, without scripts, folded to single spaces."""
    tree = LexborHTMLParser(source(page))
    for node in tree.css(UNSEEN):
        node.decompose()
    assert tree.body is not None
    # Elements break lines, or the cells of a table would run together; inline markup breaks them too,
    # and so the comparison leaves out spaces altogether (see squeezed).
    return tree.body.text(separator=" ")


def squeezed(words: str) -> str:
    return "".join(words.split())


def stand_in_order(pieces: list[str], whole: str) -> str | None:
    """Return the first piece that does not stand in the text after the pieces before it."""
    start, text = 0, squeezed(whole)
    for piece in pieces:
        found = text.find(squeezed(piece), start)
        if found < 0:
            return piece
        start = found + len(squeezed(piece))
    return None


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield importlib.import_module("generate")
    for name in [name for name in sys.modules if name.split(".")[0] in ("generate", "generator")]:
        del sys.modules[name]


# --- the generator


def test_the_files_are_the_generators(generate: ModuleType) -> None:
    assert generate.differing(EXAMPLES) == []


def damage(folder: Path, how: str) -> None:
    page = folder / "site" / GOLD[0]["id"]
    if how == "changed":
        page.write_bytes(page.read_bytes() + b" ")
    elif how == "missing":
        page.unlink()
    elif how == "stranger":
        (folder / "site" / "stranger.html").write_text("<p>Who am I?")
    elif how == "gold":
        (folder / "gold.jsonl").write_text("")


@pytest.mark.parametrize("how", ["changed", "missing", "stranger", "gold"])
def test_check_notices_and_writing_repairs(
    generate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    folder = ["--folder", str(tmp_path)]
    assert generate.main(folder) == 0
    assert generate.main(["--check", *folder]) == 0
    damage(tmp_path, how)
    capsys.readouterr()
    assert generate.main(["--check", *folder]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert generate.main(folder) == 0
    assert generate.main(["--check", *folder]) == 0


# --- size and shape


@each_page
def test_a_page_is_of_a_realistic_size(page: str) -> None:
    assert MIN_SIZE <= (SITE / page).stat().st_size <= MAX_SIZE


def test_there_are_enough_pages() -> None:
    assert all(count >= 12 for count in Counter(gold["lang"] for gold in GOLD).values())
    assert {gold["lang"] for gold in GOLD} == {"en", "zh"}
    counts = {gold["id"]: gold["n_records"] for gold in RECORDS}
    assert counts == {
        "forum/thread-4711-1.html": 11,
        "forum/thread-4711-2.html": 11,
        "search/results.html": 12,
        "shop/grid.html": 24,
    }
    named = {gold["id"] for gold in GOLD} | set(counts) | {page for pages in CATALOGUES.values() for page in pages}
    named |= {page for gold in CRAWL for page in gold["pages"]}
    assert set(PAGES) - named == {"app/notes.html", "index.html"}


@each_page
def test_relative_links_resolve_and_the_others_are_reserved(page: str) -> None:
    tree = LexborHTMLParser(source(page))
    links = [node.attributes.get(name) or "" for name in ("href", "src") for node in tree.css(f"[{name}]")]
    assert links
    for link in links:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https"):
            assert (parts.hostname or "").endswith(RESERVED), link
        elif not parts.scheme and parts.path:
            assert ((SITE / page).parent / unquote(parts.path)).is_file(), link


@pytest.mark.parametrize("attribute", ["data-page-key", "data-req", "data-sign"])
def test_tokens_differ_from_page_to_page(attribute: str) -> None:
    values = [match[1] for page in PAGES for match in re.finditer(rf'{attribute}="([0-9a-f-]+)"', source(page))]
    assert len(values) >= 12
    assert len(set(values)) == len(values)


DIRT = {
    "unclosed paragraph": r"<p[^>]*>[^<]+\n<p",
    "unclosed item": r"<li>[^<]+\n<li>",
    "unclosed cell": r"<TD>[^<]+<TD>",
    "capitals": r"<P[^>]*>",
    "end tag in a script": r"<script[^>]*>[^<]*'<div[^\n]*</div>",
    "markup in a comment": r"<!-- <div",
    "conditional comment": r"<!--\[if lt IE 9\]>",
    "hidden by style": r'style="display:none"',
    "hidden by attribute": r"<p hidden>",
    "picture in noscript": r"<noscript><img",
    "layout table in a layout table": r"<TABLE border=0 cellpadding=0><TR><TD><TABLE",
    "attribute without quotes": r"<p data-k=[0-9a-f]+ class=para>",
    "br for paragraphs": r"<br /><br />\n　　",
    "stray end tag": r"</section>\n</div>\n<section",
    "named entity": r"&mdash;",
    "numbered entity": r"&#8217;",
    "no-break space": r"&nbsp;",
    "linked data": r"application/ld\+json",
    "OpenGraph": r"og:title",
    "icon": r"<svg",
    "tracking pixel": r'width="1" height="1"',
}


@pytest.mark.parametrize("pattern", DIRT.values(), ids=DIRT)
def test_the_dirt_is_there(pattern: str) -> None:
    assert any(re.search(pattern, source(page)) for page in PAGES)


@pytest.mark.parametrize(("declared", "stored"), STORED_AS.items())
def test_one_page_is_stored_in_more_than_it_declares(declared: str, stored: str) -> None:
    pages = [page for page in PAGES if f"charset={declared}" in source(page).replace('"', "")]
    assert len(pages) == 1
    raw = (SITE / pages[0]).read_bytes()
    with pytest.raises(UnicodeDecodeError):
        raw.decode("utf-8")
    if declared == "gb2312":
        with pytest.raises(UnicodeDecodeError):
            raw.decode(declared)
    else:
        assert re.search(r"[\x80-\x9f]", raw.decode(declared)), "only control characters tell the two apart"
    assert raw.decode(stored)


# --- the gold


@each_article
def test_the_body_stands_in_the_page(gold: dict[str, Any]) -> None:
    pieces = gold["text"].split("\n")
    assert len(pieces) >= 5
    assert stand_in_order([gold["title"], *pieces], visible(gold["id"])) is None


@each_article
def test_title_author_and_address_stand_in_the_page(gold: dict[str, Any]) -> None:
    assert gold["title"] in source(gold["id"])
    assert gold["author"] in visible(gold["id"])
    assert gold["title"] not in gold["text"]
    assert urlsplit(gold["url"]).hostname == gold["site"]
    assert gold["id"].endswith(urlsplit(gold["url"]).path)


@each_linked
def test_a_catalogue_links_to_the_page_by_its_title_and_otherwise(gold: dict[str, Any]) -> None:
    anchors = []
    for page in CATALOGUES[gold["lang"]]:
        for node in LexborHTMLParser(source(page)).css("a[href]"):
            target = ((SITE / page).parent / (node.attributes["href"] or "").split("#")[0]).resolve()
            anchors += [node.text(strip=True)] if target == (SITE / gold["id"]).resolve() else []
    assert gold["title"] in anchors
    assert len(set(anchors)) >= 2


def test_no_sentence_stands_in_two_articles() -> None:
    seen: dict[str, str] = {}
    for gold in [*GOLD, *CRAWL]:
        for sentence in {part.strip() for part in re.split(r"(?<=[.!?。！？])\s*|\n", gold["text"])}:
            if len(sentence) > 12:
                assert seen.setdefault(sentence, gold["id"]) == gold["id"], sentence


@each_records_page
def test_the_records_stand_in_the_page(gold: dict[str, Any]) -> None:
    assert gold["n_records"] == len(gold["records"])
    pieces = [piece for record in gold["records"] for piece in record["fields"].values()]
    assert stand_in_order(pieces, visible(gold["id"])) is None
    for record in gold["records"]:
        assert record["text"] == " ".join(record["fields"].values())


def test_the_notes_are_only_in_the_script() -> None:
    page = "app/notes.html"
    tree = LexborHTMLParser(source(page))
    store, root = (tree.css(f"#{name}")[0] for name in ("store", "root"))
    notes = json.loads(store.text())["notes"]
    assert len(notes) >= 10
    assert root.text(strip=True) == ""
    for note in notes:
        assert note["text"] not in visible(page)
        assert note["place"] not in visible(page)


# --- what only a crawl finds


def test_some_articles_go_over_three_pages() -> None:
    assert sorted(len(gold["pages"]) for gold in CRAWL) == [1, 3, 3]
    assert {gold["lang"] for gold in CRAWL if len(gold["pages"]) > 1} == {"en", "zh"}


@each_crawled
def test_each_piece_stands_in_one_page_in_order(gold: dict[str, Any]) -> None:
    assert gold["pages"][0] == gold["id"]
    assert [urlsplit(url).path for url in gold["urls"]] == ["/" + page.partition("/")[2] for page in gold["pages"]]
    pages = [visible(page) for page in gold["pages"]]
    if gold["scripts"]:
        assert not any(squeezed(piece) in squeezed(pages[0]) for piece in gold["text"].split("\n"))
        return
    assert stand_in_order([gold["title"], *gold["text"].split("\n")], " ".join(pages)) is None
    for piece in gold["text"].split("\n"):
        assert sum(squeezed(piece) in squeezed(page) for page in pages) == 1, piece


@each_crawled
def test_each_page_of_an_article_links_to_the_others(gold: dict[str, Any]) -> None:
    for page in gold["pages"]:
        hrefs = {node.attributes["href"] or "" for node in LexborHTMLParser(source(page)).css("a[href]")}
        linked = {((SITE / page).parent / href.split("#")[0]).resolve() for href in hrefs}
        assert {(SITE / other).resolve() for other in gold["pages"]} - {(SITE / page).resolve()} <= linked


def test_a_script_file_has_the_text_that_its_page_lacks() -> None:
    (gold,) = (gold for gold in CRAWL if gold["scripts"])
    scripts = [node.attributes.get("src") for node in LexborHTMLParser(source(gold["id"])).css("script[src]")]
    (script,) = (src for src in scripts if src)
    written = ((SITE / gold["id"]).parent / script).read_text(encoding="utf-8")
    for piece in gold["text"].split("\n"):
        assert json.dumps(piece, ensure_ascii=False) in written
