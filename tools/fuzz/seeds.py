"""Seeds: the files that cases are made of. All come from the example site, or are made of it when a run begins."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import warcs
from tests.writing.helpers import CASES, read_cases

import pagesieve
from pagesieve.page.static import parse
from pagesieve.records.schema import Schema

SITE = Path(__file__).parents[2] / "examples" / "site"
FEEDS = (".xml", ".gz", ".json", ".txt")
LEARNT = 12  # pages of a library
ARCHIVED = 6  # pages of an archive
MODELS = ("kind", "reverse", "svm", "auto")

Seeds = Callable[[], list[bytes]]


@cache
def pages() -> list[bytes]:
    """The pages of the example site, and the sources of the writers' cases, a page for each file of them."""
    site = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
    return [*site, *(_joined(path) for path in sorted(CASES.iterdir()))]


def _joined(path: Path) -> bytes:
    """Return the sources of a file of cases as one page."""
    return "\n".join(["<!doctype html><title>Cases</title>", *(case.source for case in read_cases(path))]).encode()


@cache
def encoded_pages() -> list[bytes]:
    """Pages in many encodings."""
    texts = [one.decode("utf-8", "replace") for one in pages()[::6]]
    names = (
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-be",
        "gb18030",
        "cp1252",
        "cp1251",
        "euc_jp",
        "cp949",
        "iso2022_jp",
    )
    return [text.encode(name, "ignore") for text in texts for name in names]


@cache
def feeds() -> list[bytes]:
    """The feeds and sitemaps of the example site, and one in each format that it has none of."""
    found = [path.read_bytes() for path in sorted(SITE.rglob("*")) if path.suffix in FEEDS]
    unpacked = [gzip.decompress(one) for one in found if one.startswith(b"\x1f\x8b")]
    atom = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><title type="html">&lt;b></title>'
    atom += b'<link href="/a"/><updated>2024-05-17T00:00:00Z</updated></entry><link rel="next" href="?2"/></feed>'
    listed = b'{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1", "url": "/a"}]}'
    return [*found, *unpacked, atom, listed, b"https://example.org/a\nhttps://example.org/b\n"]


@cache
def archives() -> list[bytes]:
    """WARCs: plain, a member for each record, all in one member, and stored without compression."""
    bodies = enumerate(pages()[:ARCHIVED])
    records = [warcs.record("warcinfo", b"software: fuzz\r\n", content_type="application/warc-fields")]
    records += [warcs.response(f"http://example.com/{number}", body[:5000]) for number, body in bodies]
    chunked = warcs.chunked(gzip.compress(warcs.page(1), mtime=0))
    records.append(
        warcs.response("http://example.com/c", chunked, Content_Encoding="gzip", Transfer_Encoding="chunked")
    )
    whole = b"".join(records)
    return [whole, warcs.packed(records), warcs.member(whole), b"".join(map(warcs.stored, records))]


@cache
def snapshots() -> list[bytes]:
    """Saved pages."""
    return _saved(*(parse(one[:8000], "https://example.org/").save for one in pages()[::7]))


@cache
def models() -> list[bytes]:
    """The shipped models."""
    return [(files("pagesieve.models") / f"{name}.model").read_bytes() for name in MODELS]


@cache
def schemas() -> list[bytes]:
    """Schemas of the lists of the example site."""
    found = []
    for source in pages():
        try:
            found.append(Schema.of(pagesieve.records(source, mode="static")).to_json().encode())
        except pagesieve.NothingFound:
            continue
    return found


@cache
def libraries() -> list[bytes]:
    """A site library that has learnt some pages."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sites.db"
        learn(path)
        return [path.read_bytes()]


def learn(path: Path) -> None:
    """Make a site library of the first pages."""
    with pagesieve.open_sites(path) as sites:
        sites.learn((f"https://fuzz.example/news/{k}.html", source) for k, source in enumerate(pages()[:LEARNT]))


def _saved(*saves: Callable[[str | Path], None]) -> list[bytes]:
    found = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "saved"
        for save in saves:
            save(path)
            found.append(path.read_bytes())
    return found
