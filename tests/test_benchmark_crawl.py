"""The WARC that benchmarks are run on: what Common Crawl's are like, and no two of its pages equal."""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("fastwarc")
pytest.importorskip("fsspec")

from fastwarc.warc import ArchiveIterator

from pagesieve.batch import BatchOptions, Item, Skipped
from pagesieve.batch.sources import plan_shards, read_shard

FILE = Path(__file__).parent.parent / "benchmarks" / "crawl.py"
PAGES = [
    ("https://a.example/one", b"<html><head><title>One</title></head><body><p>Of 2020-05-04.</p></body></html>"),
    ("https://b.example/two?x=1", b"<title>Two</title><p>Two."),
    ("https://c.example/with a blank", "<title>Drei</title><p>Größe".encode("latin-1")),
]


@pytest.fixture(scope="module")
def crawl() -> ModuleType:
    spec = spec_from_file_location("benchmark_crawl", FILE)
    assert spec
    assert spec.loader
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(crawl: ModuleType, path: Path, pages: int) -> list[int]:
    places: list[int] = crawl.write_crawl(path, [crawl.Source(*page) for page in PAGES], pages)
    return places


def test_it_has_the_records_of_a_crawl(crawl: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "pages.warc.gz"
    places = write(crawl, path, 7)
    with path.open("rb") as file:
        records = [
            (
                record.headers["WARC-Type"],
                record.stream_pos,
                record.headers.get("WARC-Target-URI"),
                record.reader.read(),
            )
            for record in ArchiveIterator(file)
        ]
    assert [kind for kind, *_ in records] == ["warcinfo", *["request", "response", "metadata"] * 7]
    responses = [record for record in records if record[0] == "response"]
    assert [place for _, place, *_ in responses] == places
    assert len({url for _, _, url, _ in responses}) == 7
    assert len({body for *_, body in responses}) == 7
    originals = Counter(str(url).split("page=")[0][:-1] for _, _, url, _ in responses)
    assert originals.keys() == {
        "https://a.example/one",
        "https://b.example/two?x=1",
        "https://c.example/with%20a%20blank",
    }
    assert max(originals.values()) - min(originals.values()) <= 1


def test_every_record_is_a_gzip_member(crawl: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "pages.warc.gz"
    for place in write(crawl, path, 3):
        member = zlib.decompressobj(31)
        record = member.decompress(path.read_bytes()[place:])
        assert record.startswith(b"WARC/1.0\r\nWARC-Type: response\r\n")
        assert record.endswith(b"\r\n\r\n")
        assert member.unused_data


def test_a_batch_finds_just_these_pages(crawl: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "pages.warc.gz"
    places = write(crawl, path, 20)
    shards = plan_shards([str(path)], shard_bytes=path.stat().st_size // 4)
    found = [each for shard in shards for each in read_shard(shard, BatchOptions())]
    assert len(shards) >= 4
    assert [each.id for each in found if isinstance(each, Item)] == [f"{path}#{place}" for place in places]
    assert not any(each.fault for each in found if isinstance(each, Item))
    skipped = Counter(each.reason for each in found if isinstance(each, Skipped))
    assert skipped == {"warcinfo record": 1, "request record": 20, "metadata record": 20}


def test_it_is_the_same_every_time(crawl: ModuleType, tmp_path: Path) -> None:
    files = [tmp_path / "one.warc.gz", tmp_path / "two.warc.gz"]
    for file in files:
        write(crawl, file, 5)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("html", "changed"),
    [
        (
            b"<html><head><title>A</title></head><body>b</body></html>",
            b'<html><head><meta name="page-id" content="7"><title>A (7)</title></head>'
            b"<body>b<p>Page 7, seen on 8 January 2015</p>\n</body></html>",
        ),
        (b"of 2020-05-04, 12020-05-04", b"of 2015-01-08, 12020-05-04<p>Page 7, seen on 8 January 2015</p>\n"),
        (
            b"<HEADER>x</HEADER><script>'</body>'</script></BODY>",
            b"<HEADER>x</HEADER><script>'</body>'</script><p>Page 7, seen on 8 January 2015</p>\n</BODY>",
        ),
        (b"", b"<p>Page 7, seen on 8 January 2015</p>\n"),
    ],
)
def test_title_id_and_dates_are_changed(crawl: ModuleType, html: bytes, changed: bytes) -> None:
    assert crawl.changed(html, 7) == changed
