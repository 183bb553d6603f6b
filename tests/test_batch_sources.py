"""Sources of a batch: what is a page in them, that each comes once however they are cut, and what damage costs."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("fastwarc")
pytest.importorskip("fsspec")

from pagesieve.batch import BatchOptions, Item, Shard, Skipped, storage, warc
from pagesieve.batch.sources import plan_shards, read_item, read_shard
from pagesieve.batch.warc import archive_iterator
from pagesieve.errors import BadInput, MissingExtra
from tests import warcs
from tests.profiles import examples

OPTIONS = BatchOptions(max_bytes=100_000)


def all_of(shards: list[Shard], options: BatchOptions = OPTIONS) -> tuple[list[Item], Counter[str]]:
    found = [each for shard in shards for each in read_shard(shard, options)]
    items = [each for each in found if isinstance(each, Item)]
    return items, Counter(each.reason for each in found if isinstance(each, Skipped))


def written(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def read(folder: Path, name: str, data: bytes, **cuts: int) -> tuple[list[Item], Counter[str]]:
    return all_of(plan_shards([written(folder, name, data)], **cuts))


def offsets(items: list[Item]) -> list[str]:
    return [item.id.rpartition("#")[2] for item in items]


def pages_of(items: list[Item]) -> list[bytes]:
    return [item.data for item in items if item.data is not None]


# WARC: what is a page


@pytest.mark.parametrize("packed", [False, True])
def test_warc_of_a_crawler(tmp_path: Path, packed: bool) -> None:
    records = warcs.some(4)
    data, name = (warcs.packed(records), "a.warc.gz") if packed else (b"".join(records), "a.warc")
    items, skipped = read(tmp_path, name, data)
    assert pages_of(items) == [warcs.page(number) for number in range(4)]
    assert [item.url for item in items] == [f"http://example.com/{number}" for number in range(4)]
    assert {item.content_type for item in items} == {warcs.HTML}
    assert skipped == {"warcinfo record": 1, "request record": 4, "metadata record": 4}


PAGE = warcs.page(1)
RESPONSES: dict[str, tuple[bytes, bytes | str]] = {
    "plain": (warcs.http(PAGE), PAGE),
    "no type": (warcs.http(PAGE, None), PAGE),
    "no type, an image": (warcs.http(b"\x89PNG\r\n\x1a\n" + bytes(100), None), "not a page: an image (PNG)"),
    "says HTML, is a PDF": (warcs.http(b"%PDF-1.4 ..."), "not a page: a PDF"),
    "pdf": (warcs.http(b"%PDF-1.4 ...", "application/pdf"), "not a page: application/pdf"),
    "xhtml": (warcs.http(PAGE, "application/xhtml+xml"), PAGE),
    "xml, a page": (warcs.http(PAGE, "text/xml"), PAGE),
    "xml, a feed": (warcs.http(b"<rss></rss>", "text/xml"), "not a page: text/xml"),
    "nonsense type": (warcs.http(PAGE, "a/" + "b" * 500), "not a page: a type that is none"),
    "missing": (warcs.http(PAGE, status="404 Not Found"), "status 404"),
    "moved": (warcs.http(b"", status="301 Moved"), "status 301"),
    "empty": (warcs.http(b" \n"), "! empty"),
    "no head": (b"<html>no head", "! its HTTP head cannot be read"),
    "line feeds only": (warcs.http(PAGE).replace(b"\r\n", b"\n"), PAGE),
    "chunked": (warcs.http(warcs.chunked(PAGE, 10), Transfer_Encoding="chunked"), PAGE),
    "said chunked": (warcs.http(PAGE, Transfer_Encoding="chunked"), PAGE),
    "chunked, cut": (
        warcs.http(warcs.chunked(PAGE, 10)[:40], Transfer_Encoding="chunked"),
        "! its chunked body ends early",
    ),
    "gzip": (warcs.http(gzip.compress(PAGE), Content_Encoding="gzip"), PAGE),
    "chunked gzip": (
        warcs.http(warcs.chunked(gzip.compress(PAGE), 20), Content_Encoding="GZIP", Transfer_Encoding="chunked"),
        PAGE,
    ),
    "gzip twice": (warcs.http(gzip.compress(gzip.compress(PAGE)), Content_Encoding="gzip, gzip"), PAGE),
    "said gzip": (warcs.http(PAGE, Content_Encoding="gzip"), PAGE),
    "gzip, cut": (warcs.http(gzip.compress(PAGE)[:-12], Content_Encoding="gzip"), "! its gzip body ends early"),
    "not gzip": (warcs.http(b"abc", Content_Encoding="gzip"), "! its body is not gzip, as it claims"),
    "deflate": (warcs.http(zlib.compress(PAGE), Content_Encoding="deflate"), PAGE),
    "raw deflate": (warcs.http(zlib.compress(PAGE, wbits=-15), Content_Encoding="deflate"), PAGE),
    "a coding nobody knows": (warcs.http(PAGE, Content_Encoding="utf-8"), PAGE),
    "bomb": (
        warcs.http(gzip.compress(bytes(10_000_000)), Content_Encoding="gzip"),
        "! larger than 100,000 bytes when unpacked (gzip)",
    ),
    "large": (warcs.http(warcs.page(1, 100_001)), "! larger than 100,000 bytes"),
    "larger": (warcs.http(warcs.page(1, 500_000)), "! larger than 100,000 bytes"),
    "a large film": (warcs.http(bytes(500_000), "video/mp4"), "not a page: video/mp4"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", RESPONSES)
def test_a_response(tmp_path: Path, case: str, packed: bool) -> None:
    content, expected = RESPONSES[case]
    one = warcs.record("response", content, url="<http://a.example/>", content_type="application/http")
    data = warcs.packed([one]) if packed else one
    items, skipped = read(tmp_path, "a.warc.gz" if packed else "a.warc", data)
    if isinstance(expected, bytes):
        assert [(item.id.rpartition("#")[2], item.url, item.data) for item in items] == [
            ("0", "http://a.example/", expected)
        ]
    elif expected.startswith("! "):
        assert [(item.url, item.data, item.fault) for item in items] == [("http://a.example/", None, expected[2:])]
    else:
        assert (items, skipped) == ([], {expected: 1})


@pytest.mark.parametrize(("coding", "package"), [("br", "brotli"), ("zstd", "zstandard")])
def test_codings_of_other_libraries(tmp_path: Path, coding: str, package: str) -> None:
    library = pytest.importorskip(package)
    pack = library.compress if coding == "br" else library.ZstdCompressor().compress
    records = [
        warcs.response("http://a.example/", body, Content_Encoding=coding)
        for body in (pack(PAGE), pack(bytes(10_000_000)), b"abc", pack(PAGE)[:5])
    ]
    items, _ = read(tmp_path, "a.warc", b"".join(records))
    assert [item.data for item in items] == [PAGE, None, None, None]
    assert items[1].fault == f"larger than 100,000 bytes when unpacked ({coding})"


@pytest.mark.parametrize("kind", ["warcinfo", "request", "metadata", "revisit", "conversion", "continuation"])
def test_other_records_are_counted(tmp_path: Path, kind: str) -> None:
    items, skipped = read(tmp_path, "a.warc", warcs.record(kind, b"x" * 300_000, url="http://a.example/"))
    assert (items, skipped) == ([], {f"{kind} record": 1})


def test_resources_have_their_type_in_the_record(tmp_path: Path) -> None:
    records = [
        warcs.record("resource", PAGE, url="http://a.example/", content_type="text/html"),
        warcs.record("resource", b"20240101", url="dns:a.example", content_type="text/dns"),
    ]
    items, skipped = read(tmp_path, "a.warc", b"".join(records))
    assert (pages_of(items), skipped) == ([PAGE], {"not a page: text/dns": 1})


def test_what_fastwarc_writes(tmp_path: Path) -> None:
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import ArchiveIterator

    given, out = b"".join(warcs.some(3)), io.BytesIO()
    stream = GzipWriter(out)
    for each in ArchiveIterator(io.BytesIO(given), parse_http=False):
        each.write(stream)
    stream.close()
    items, _ = read(tmp_path, "a.warc.gz", out.getvalue(), shard_bytes=200)
    assert pages_of(items) == [warcs.page(number) for number in range(3)]


# WARC: every record once, however it is cut


LONG_PAGE = warcs.page(1, 5000)  # so long that what comes after it does not make it a binary file


def nested() -> bytes:
    """A WARC.gz to be a payload: its members lie in the outer one as they are."""
    return warcs.packed(
        warcs.response(f"http://inner.example/{number}", warcs.page(100 + number)) for number in range(5)
    )


def hostile_members() -> list[bytes]:
    """Members full of what looks like the beginning of another."""
    magic = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
    noise = random.Random(1).randbytes(3000)
    plain = b"".join(warcs.some(2))
    return [
        warcs.member(warcs.response("http://a.example/0", PAGE)),
        warcs.stored(warcs.response("http://a.example/1", LONG_PAGE + magic * 50)),
        warcs.stored(warcs.response("http://a.example/2", LONG_PAGE + nested() + noise)),
        warcs.member(warcs.response("http://a.example/3", LONG_PAGE + noise + nested())),
        warcs.stored(warcs.response("http://a.example/4", PAGE + plain)),
        warcs.stored(warcs.record("resource", nested() * 30, url="http://a.example/5", content_type="text/html")),
        warcs.member(warcs.response("http://a.example/6", PAGE)),
        warcs.stored(warcs.response("http://a.example/7", nested())),
    ]


def torn(members: list[bytes]) -> list[bytes]:
    """The same with damage: in the middle of one, at the beginning of one, two in a row, and the last cut off."""
    broken = list(members)
    for at in (1, 4, 5):
        middle = len(broken[at]) // 2
        broken[at] = broken[at][:middle] + b"\xff" * 40 + broken[at][middle + 40 :]
    broken[3] = b"\0" * 20 + broken[3][20:]
    broken[-1] = broken[-1][:-30]
    return broken


GZIPPED = {
    "a crawler's": warcs.packed(warcs.some(6)),
    "hostile": b"".join(hostile_members()),
    "torn": b"".join(torn([warcs.member(each) for each in warcs.some(6)])),
    "hostile and torn": b"".join(torn(hostile_members())),
    "one member": warcs.member(b"".join(warcs.some(6))),
    "two records a member": b"".join(
        warcs.member(b"".join(pair)) for pair in zip(*[iter(warcs.some(5))] * 2, strict=True)
    ),
    "large": warcs.packed(
        [*warcs.some(2), warcs.response("http://a.example/", warcs.page(9, 400_000)), *warcs.some(2)]
    ),
    "junk between": warcs.packed(warcs.some(2)) + b"junk" * 99 + warcs.packed(warcs.some(2)) + bytes(500),
}


def test_hostile_members_are_told_from_records(tmp_path: Path) -> None:
    items, skipped = read(tmp_path, "a.warc.gz", b"".join(hostile_members()))
    assert [item.url for item in items] == [f"http://a.example/{number}" for number in (0, 1, 2, 3, 4, 6)]
    assert not [item for item in items if item.fault]
    assert skipped == {"not a page: compressed (gzip)": 2}


@examples(60)
@given(data=st.data())
@pytest.mark.parametrize("case", GZIPPED)
def test_cuts_of_a_compressed_warc(tmp_path_factory: pytest.TempPathFactory, case: str, data: st.DataObject) -> None:
    path = written(tmp_path_factory.mktemp("cuts"), "a.warc.gz", GZIPPED[case])
    size = len(GZIPPED[case])
    cuts = sorted(data.draw(st.sets(st.integers(1, size - 1), max_size=12)))
    places = zip([0, *cuts], [*cuts, size], strict=True)
    shards = [Shard(number, "warc", path, start, stop) for number, (start, stop) in enumerate(places)]
    assert all_of(shards) == all_of([Shard(0, "warc", path, 0, -1)])


@pytest.mark.parametrize("case", GZIPPED)
def test_every_cut_of_a_compressed_warc(tmp_path: Path, case: str) -> None:
    path = written(tmp_path, "a.warc.gz", GZIPPED[case])
    whole = all_of([Shard(0, "warc", path, 0, -1)])
    for size in (97, 250, 1001):
        assert all_of(plan_shards([path], shard_bytes=size)) == whole


def test_a_chain_is_looked_for_far_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "LOOK_BACK", 64)
    path = written(tmp_path, "a.warc.gz", GZIPPED["hostile and torn"])
    assert all_of(plan_shards([path], shard_bytes=700)) == all_of([Shard(0, "warc", path, 0, -1)])


def test_chains_in_a_file_larger_than_what_makes_sure(tmp_path: Path) -> None:
    noise = random.Random(2)
    members = [
        warcs.stored(warcs.response(f"http://a.example/{number}", LONG_PAGE + noise.randbytes(9000) + nested()))
        for number in range(60)
    ]
    members[30] = members[30][:4000] + bytes(100) + members[30][4100:]
    path = written(tmp_path, "a.warc.gz", b"".join(members))
    options = BatchOptions()
    whole = all_of([Shard(0, "warc", path, 0, -1)], options)
    assert {item.url for item in whole[0]} >= {f"http://a.example/{number}" for number in range(60)}
    assert all_of(plan_shards([path], shard_bytes=7001), options) == whole


def plain_cases() -> dict[str, bytes]:
    inner = b"".join(warcs.some(3))
    outer = warcs.response("http://a.example/", PAGE + b"\r\n\r\n" + inner + b"WARC/1.0\r\nand so on")
    return {
        "a crawler's": b"".join(warcs.some(6)),
        "records in records": b"".join([*warcs.some(1), outer, outer, *warcs.some(1)]),
        "a wrong length": b"".join(
            [outer, warcs.record("response", PAGE, url="http://b.example/", length=9**9), outer]
        ),
        "too short a length": b"".join([outer, warcs.record("resource", PAGE * 9, length=12), *warcs.some(2)]),
        "cut off": b"".join(warcs.some(3))[:-250],
        "junk": b"".join(warcs.some(2)) + b"junk" * 50 + b"".join(warcs.some(2)),
    }


@examples(40)
@given(size=st.integers(1, 3000))
@pytest.mark.parametrize("case", plain_cases())
def test_cuts_of_a_plain_warc(tmp_path_factory: pytest.TempPathFactory, case: str, size: int) -> None:
    path = written(tmp_path_factory.mktemp("cuts"), "a.warc", plain_cases()[case])
    assert all_of(plan_shards([path], shard_bytes=size)) == all_of([Shard(0, "warc", path, 0, -1)])


def test_records_in_a_record_are_none(tmp_path: Path) -> None:
    items, skipped = read(tmp_path, "a.warc", plain_cases()["records in records"], shard_bytes=100)
    urls = ["http://example.com/0", "http://a.example/", "http://a.example/", "http://example.com/0"]
    assert [item.url for item in items] == urls
    assert not [item for item in items if item.fault]
    assert skipped["request record"] == 2


# WARC: damage


def test_damage_costs_only_what_is_damaged(tmp_path: Path) -> None:
    records = [warcs.response(f"http://a.example/{number}", warcs.page(number, 2000)) for number in range(6)]
    members = [warcs.stored(each) for each in records]
    places = [str(sum(map(len, members[:number]))) for number in range(6)]
    members[1] = members[1][:-8] + bytes(8)  # its checksum
    members[3] = bytes(30) + members[3][30:]
    members[5] = members[5][:-100]
    items, _ = read(tmp_path, "a.warc.gz", b"".join(members))
    assert offsets(items) == places
    assert [item.fault for item in items] == [
        None,
        "corrupt gzip data",
        None,
        "no WARC record",
        None,
        "the file ends within it",
    ]
    assert [item.url for item in items if item.fault] == ["http://a.example/1", None, "http://a.example/5"]


def test_a_plain_warc_that_ends_early(tmp_path: Path) -> None:
    items, _ = read(tmp_path, "a.warc", b"".join(warcs.response("http://a.example/", PAGE) for _ in range(3))[:-40])
    assert [item.fault for item in items] == [None, None, "the file ends within it"]
    assert items[2].url == "http://a.example/"


def test_a_wrong_length_costs_only_its_record(tmp_path: Path) -> None:
    wrong = warcs.record("response", warcs.http(PAGE), url="http://b.example/", length=10**12)
    records = [warcs.response("http://a.example/", PAGE), wrong, warcs.response("http://c.example/", PAGE)]
    items, _ = read(tmp_path, "a.warc", b"".join(records))
    assert [(item.url, item.fault is None) for item in items] == [
        ("http://a.example/", True),
        ("http://b.example/", False),
        ("http://c.example/", True),
    ]
    short = warcs.member(warcs.record("response", warcs.http(PAGE), url="http://b.example/", length=5000))
    packed = warcs.member(records[0]) + short + warcs.member(records[2])
    items, _ = read(tmp_path, "a.warc.gz", packed)
    assert [item.fault for item in items] == [None, "the record ends early", None]


def test_a_record_in_one_piece_with_others_may_be_too_large(tmp_path: Path) -> None:
    records = [*warcs.some(1), warcs.response("http://a.example/", warcs.page(1, 5_000_000)), *warcs.some(2)]
    items, _ = read(tmp_path, "a.warc.gz", warcs.member(b"".join(records)))
    assert [item.fault for item in items] == [None, "larger than 100,000 bytes", None, None]
    assert [item.id for item in items] == [read_item(item.id, OPTIONS).id for item in items]


def zeros_member(head: bytes, megabytes: int) -> bytes:
    """A member of a few kilobytes for each megabyte of zeros in it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(head)] + [packer.compress(bytes(1_000_000)) for _ in range(megabytes)]
    return b"".join([*parts, packer.flush()])


@pytest.mark.parametrize("claimed", [10, 500_000_000])
def test_a_bomb_is_not_inflated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claimed: int) -> None:
    head = warcs.record("response", warcs.http(b""), url="http://a.example/", content_type="application/http")
    head = head.replace(b"Content-Length: ", b"Content-Length: %d\r\nX: " % claimed)[:-4]
    bomb = zeros_member(head, 500)
    path = written(tmp_path, "a.warc.gz", warcs.packed(warcs.some(1)) + bomb + warcs.packed(warcs.some(2)))
    inflated = 0
    readinto = warc.Member.readinto

    def counted(self: warc.Member, buffer: memoryview) -> int:
        nonlocal inflated
        size = readinto(self, buffer)
        inflated += size
        return size

    monkeypatch.setattr(warc.Member, "readinto", counted)
    tracemalloc.start()
    items, _ = all_of([Shard(0, "warc", path)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert inflated < 2_000_000
    assert peak < 10_000_000
    assert [item.url for item in items if not item.fault] == [
        "http://example.com/0",
        "http://example.com/0",
        "http://example.com/1",
    ]
    assert len({item.id.split("+")[0] for item in items if item.fault}) == 1


def test_a_huge_plain_record_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    size = 500_000_000
    head = warcs.record(
        "response", warcs.http(b""), url="http://a.example/", content_type="application/http", length=size
    )
    with path.open("wb") as file:
        file.write(head[:-4])
        file.seek(head.index(b"HTTP/1.1") + size)  # a hole, which takes no room
        file.write(b"\r\n\r\n" + warcs.response("http://b.example/", PAGE))
    tracemalloc.start()
    items, _ = all_of(plan_shards([str(path)]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [item.fault for item in items] == ["larger than 100,000 bytes", None]
    assert peak < 10_000_000


# JSONL and Parquet


LINES = {
    b'{"url": "http://a.example/", "html": "<p>a"}': b"<p>a",
    b'{"content": "<p>\\u00e9"}': "<p>é".encode(),
    b'{"raw_html": "<p>b", "id": 1}\r': b"<p>b",
    b'{"html": null, "body": "<p>c", "id": 1}': b"<p>c",
    '{"html": "<p>\u00e4 \u4e2d"}'.encode(): "<p>ä 中".encode(),
    b'{"html": "\\ud83d"}': b"?",
    b'{"html": "': "not JSON",
    b"[" * 5000: "not JSON",
    b"[1]": "not a JSON object",
    b'{"url": "http://a.example/"}': "no page in it: no text in html, content, raw_html or body",
    b'{"html": 12}': "no page in it: no text in html, content, raw_html or body",
    b'{"html": "<p>x", "b\\ud800": 1}': "a column name with half of a character: 'b\\ud800'",
    b'{"html": "<p>d", "": "\\ud800", "b": {"\\udc00": NaN}}': b"<p>d",
    b'{"html": "<p>e", "b": %bNaN%b}' % (b"[" * 100, b"]" * 100): b"<p>e",
    b'{"html": "<p>x", "b": %b%b}' % (b"[" * 101, b"]" * 101): "a column of more than 100 levels",
    b'{"html": "<p>x", "id": %b1%b}' % (b'{"a":' * 900, b"}" * 900): "a column of more than 100 levels",
    b'{"html": "<p>x", "b": %b}' % (b"9" * 5000): "not JSON",
    b'{"html": "<p>x", NaN: 1}': "not JSON",
    b'{"html": ""}': "empty",
    b'{"html": "%PDF-1.4"}': "not a page but a PDF",
    b'{"html": "' + b"x" * 150_000 + b'"}': "larger than 100,000 bytes",
    b'{"html": "' + b"x" * 900_000 + b'"}': "larger than 100,000 bytes",
    b'{"html": "<p>the last"}': b"<p>the last",
}
JSONL = b"\xef\xbb\xbf" + b"\n\n".join(LINES)


@pytest.mark.parametrize("packed", [False, True])
def test_lines(tmp_path: Path, packed: bool) -> None:
    data, name = (
        (gzip.compress(JSONL[:200]) + gzip.compress(JSONL[200:]), "a.jsonl.gz") if packed else (JSONL, "a.ndjson")
    )
    items, skipped = read(tmp_path, name, data)
    assert [item.data or item.fault for item in items] == list(LINES.values())
    assert (items[0].url, items[0].content_type) == ("http://a.example/", "text/html; charset=utf-8")
    assert not skipped
    assert [int(place) for place in offsets(items)][:2] == [0, JSONL.index(b"\n") + 2]


@examples(40)
@given(size=st.integers(1, 4000) | st.integers(4000, len(JSONL)))
def test_cuts_of_lines(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    path = written(tmp_path_factory.mktemp("cuts"), "a.jsonl", b"\n".join(list(LINES)[:-3]) + b"\n")
    assert all_of(plan_shards([path], shard_bytes=size)) == all_of([Shard(0, "jsonl", path, 0, -1)])


def test_a_corrupt_compressed_list_of_lines(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(b'{"html": "<p>%s"}\n' % str(n * 7919**3).encode() for n in range(9000)))
    items, _ = read(tmp_path, "a.jsonl.gz", data[: len(data) // 2])
    assert len(items) > 1000
    assert [item.fault for item in items if item.fault] == ["the file ends within it: nothing after it can be read"]


def parquet(folder: Path, name: str = "a.parquet", rows: int = 100, group: int = 7) -> str:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    table = arrow.table(
        {
            "url": [f"http://a.example/{row}" for row in range(rows)],
            "html": [None if row == 3 else warcs.page(row).decode() for row in range(rows)],
            "other": list(range(rows)),
        }
    )
    write_table(table, folder / name, row_group_size=group, compression="gzip")
    return str(folder / name)


def test_rows(tmp_path: Path) -> None:
    path = parquet(tmp_path)
    items, _ = all_of(plan_shards([path]))
    assert [item.id for item in items] == [f"{path}#{row}" for row in range(100)]
    assert [item.data for item in items] == [None if row == 3 else warcs.page(row) for row in range(100)]
    assert items[3].fault == "no page in it: no text in html, content, raw_html or body"
    assert items[8].url == "http://a.example/8"


@examples(20)
@given(size=st.integers(1, 20_000))
def test_cuts_of_rows(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    path = parquet(tmp_path_factory.mktemp("cuts"))
    shards = plan_shards([path], shard_bytes=size)
    assert all_of(shards) == all_of([Shard(0, "parquet", path, 0, -1)])
    assert len(shards) == 15 if size == 1 else len(shards) <= 15


def test_a_corrupt_row_group_costs_its_rows(tmp_path: Path) -> None:
    path = parquet(tmp_path)
    data = bytearray(Path(path).read_bytes())
    data[len(data) // 3 : len(data) // 3 + 300] = b"\xff" * 300
    Path(path).write_bytes(data)
    items, _ = all_of(plan_shards([path]))
    assert [item.id for item in items] == [f"{path}#{row}" for row in range(100)]
    assert 0 < len([item for item in items if item.fault == "a corrupt row group"]) <= 21


def test_bytes_in_rows(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    table = arrow.table({"body": [b"<p>\xe4"], "content_type": ["text/html; charset=latin-1"]})
    write_table(table, tmp_path / "a.parquet")
    items, _ = all_of(plan_shards([str(tmp_path / "a.parquet")]))
    assert [(item.data, item.content_type) for item in items] == [(b"<p>\xe4", "text/html; charset=latin-1")]


# Files, folders, patterns, lists


def folder_of_pages(folder: Path) -> Path:
    for name in (
        "b.html",
        "a.HTM",
        "sub/ä ö.html",
        "sub/deep [1]/c*.xhtml",
        "notes.md",
        "a::b.html",
        "~c.html",
        "x#1.html",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(f"<p>{name}".encode())
    return folder


def test_a_folder(tmp_path: Path) -> None:
    folder = folder_of_pages(tmp_path / "pages and more")
    shards = plan_shards([str(folder)], shard_files=3)
    items, _ = all_of(shards)
    assert [len(shard.names) for shard in shards] == [3, 3, 1]
    assert [shard.name for shard in shards] == ["part-00000", "part-00001", "part-00002"]
    assert sum(shard.size for shard in shards) == sum(len(item.data or b"") for item in items)
    assert [os.path.relpath(item.id, folder) for item in items] == sorted(
        ["a.HTM", "b.html", "a::b.html", "~c.html", "x#1.html", "sub/ä ö.html", "sub/deep [1]/c*.xhtml"]
    )
    assert all(item.data == f"<p>{os.path.relpath(item.id, folder)}".encode() for item in items)
    assert [read_item(item.id, OPTIONS) for item in items] == items


def test_patterns_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_of_pages(tmp_path)
    monkeypatch.chdir(tmp_path)
    cases = {
        "*.html": ["a::b.html", "b.html", "x#1.html", "~c.html"],
        "sub/**/*.xhtml": ["sub/deep [1]/c*.xhtml"],
        "sub/deep [1]/c*.xhtml": ["sub/deep [1]/c*.xhtml"],
        "./b.html": ["./b.html"],
        "notes.md": ["notes.md"],
        "file://" + str(tmp_path / "sub" / "ä ö.html"): ["file://" + str(tmp_path / "sub" / "ä ö.html")],
    }
    for source, names in cases.items():
        shards = plan_shards([source])
        assert [name for shard in shards for name in shard.names] == names
        assert not [item for item in all_of(shards)[0] if item.fault]
    shards = plan_shards(["b.html", "./b.html", "file://" + str(tmp_path / "b.html"), str(tmp_path)])
    assert len(all_of(shards)[0]) == 7


def test_what_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, "a.warc", b"".join(warcs.some(2)))
    listed = written(tmp_path, "a.urls", b"http://a.example/\r\nhttp://b.example/\nhttp://a.example/\n")
    shards = plan_shards([path, listed, path, str(tmp_path / "*.warc"), "http://b.example/"])
    assert [shard.kind for shard in shards] == ["warc", "urls"]
    assert shards[1].names == ("http://a.example/", "http://b.example/")


def test_files_that_are_no_pages_are_faults(tmp_path: Path) -> None:
    written(tmp_path, "a.html", b"")
    written(tmp_path, "b.html", b"%PDF-1.4")
    written(tmp_path, "c.html", warcs.page(1, 200_000))
    written(tmp_path, "d.html", PAGE)
    shards = plan_shards([str(tmp_path)])
    (tmp_path / "d.html").unlink()
    items, _ = all_of(shards)
    assert [item.fault for item in items] == [
        "empty",
        "not a page but a PDF",
        "larger than 100,000 bytes",
        "No such file or directory",
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_regular_file_is_counted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.html")
    (tmp_path / "b.html").symlink_to("nowhere")
    (tmp_path / "c.html").mkdir()
    written(tmp_path, "d.html", PAGE)
    for source in (str(tmp_path), str(tmp_path / "*.html")):
        items, _ = all_of(plan_shards([source]))
        assert [(Path(item.id).name, item.fault) for item in items] == [
            ("a.html", "not a regular file"),
            ("b.html", "No such file or directory"),
            ("d.html", None),
        ]
    os.mkfifo(tmp_path / "a.warc")
    with pytest.raises(BadInput, match="not a regular file"):
        plan_shards([str(tmp_path / "a.warc")])


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.html")).write_bytes(PAGE)
    except OSError:
        pytest.skip("this file system has only names that are text")
    items, _ = all_of(plan_shards([str(tmp_path)]))
    assert items[0].data == PAGE
    assert items[0].id.encode().endswith(b"\\udcff.html")


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = written(tmp_path, "ä b.html", PAGE)
    archive = written(tmp_path, "a.warc", b"".join(warcs.some(2)))
    given = f"\n{page}\r\nhttp://a.example/x\n# a comment\n{archive}\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    shards = plan_shards(["-"])
    assert [(shard.kind, shard.path, shard.names) for shard in shards] == [
        ("warc", archive, ()),
        ("files", "", (page,)),
        ("urls", "", ("http://a.example/x",)),
    ]


def test_urls_are_fetched(at: Callable[[str], str], tmp_path: Path) -> None:
    path = written(tmp_path, "list.txt", "\n".join(map(at, ("gbk", "to?/gbk", "missing", "zip"))).encode())
    shards = plan_shards([path], shard_urls=3)
    items, _ = all_of(shards, BatchOptions(allow_private=True))
    assert [len(shard.names) for shard in shards] == [3, 1]
    assert [item.id for item in items] == [at("gbk"), at("to?/gbk"), at("missing"), at("zip")]
    assert [item.url for item in items] == [at("gbk"), at("gbk"), at("missing"), at("zip")]
    assert [item.data is None for item in items] == [False, False, True, True]
    assert items[2].fault == "the server answered 404 Not Found"
    refused, _ = all_of(shards)
    assert [item.data for item in refused] == [None] * 4
    assert read_item(at("gbk"), BatchOptions(allow_private=True)) == items[0]


def test_sources_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty folder").mkdir()
    for ending in ("warc.gz", "jsonl", "parquet", "txt", "html"):
        written(tmp_path, f"empty.{ending}", b"")
        written(tmp_path, f"bad.{ending}", b"nonsense\n")
    pytest.importorskip("pyarrow.parquet").write_table(
        pytest.importorskip("pyarrow").table({"text": ["a"]}), tmp_path / "other.parquet"
    )
    written(tmp_path, "text.warc.gz", gzip.compress(b"no WARC"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    cases = {
        "missing.html": "missing.html: No such file or directory",
        "missing.warc.gz": "missing.warc.gz: No such file or directory",
        "empty folder": "empty folder: no pages in this folder",
        "*.xhtml": "*.xhtml: no file matches",
        **{f"empty.{ending}": f"empty.{ending}: empty" for ending in ("warc.gz", "jsonl", "parquet", "txt", "html")},
        "bad.warc.gz": "bad.warc.gz: no WARC record in it",
        "text.warc.gz": "text.warc.gz: no WARC record in it",
        "bad.parquet": "bad.parquet: not a Parquet file",
        "other.parquet": "other.parquet: no column html, content, raw_html or body, but text",
        "bad.txt": "bad.txt: 'nonsense' is not the URL of a page",
        "": "a source without a name",
        "-": "standard input: empty",
        "nosuch://a/b": "nosuch://a/b: ",
    }
    for source, message in cases.items():
        with pytest.raises(BadInput) as caught:
            plan_shards([source])
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)
    with pytest.raises(BadInput, match="no source"):
        plan_shards([])


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, "a.html", PAGE)
    os.chmod(path, 0)
    if os.access(path, os.R_OK):
        pytest.skip("whoever runs this may read everything")
    with pytest.raises(BadInput, match="Permission denied"):
        plan_shards([path])


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    written(tmp_path, "a.html", PAGE)
    locked = tmp_path / "locked"
    locked.mkdir(0)
    if os.access(locked, os.R_OK):
        pytest.skip("whoever runs this may read everything")
    with pytest.raises(BadInput, match="locked: Permission denied"):
        plan_shards([str(tmp_path)])


@pytest.mark.parametrize(("module", "name"), [("fsspec", "a.html"), ("fastwarc", "a.warc"), ("pyarrow", "a.parquet")])
def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    path = written(tmp_path, name, warcs.response("http://a.example/", PAGE))
    for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == module]:
        monkeypatch.setitem(sys.modules, loaded, None)
    monkeypatch.setitem(sys.modules, module, None)
    archive_iterator.cache_clear()
    with pytest.raises(MissingExtra, match=r"batches needs an optional part: pip install 'fastwarc"):
        plan_shards([path])


# By id


@pytest.mark.parametrize("case", GZIPPED)
def test_a_page_by_its_id(tmp_path: Path, case: str) -> None:
    path = written(tmp_path, "a #1+2.warc.gz", GZIPPED[case])
    items, _ = all_of([Shard(0, "warc", path)])
    assert len({item.id for item in items}) == len(items)
    assert [read_item(item.id, OPTIONS) for item in items] == items


def test_a_page_by_its_id_in_other_sources(tmp_path: Path) -> None:
    paths = [
        written(tmp_path, "a.warc", plain_cases()["junk"]),
        written(tmp_path, "a.jsonl", JSONL),
        written(tmp_path, "a.jsonl.gz", gzip.compress(JSONL)),
        parquet(tmp_path, rows=20),
    ]
    items, _ = all_of(plan_shards(paths))
    assert [read_item(item.id, OPTIONS) for item in items] == items
    for item_id in (f"{paths[0]}#0", f"{paths[3]}#20", f"{paths[1]}#9999999", f"{tmp_path}/b.warc#0"):
        with pytest.raises(BadInput):
            read_item(item_id, OPTIONS)


# A store


@pytest.mark.usefixtures("s3")
def test_a_bucket(tmp_path: Path) -> None:
    boto3 = pytest.importorskip("boto3")

    bucket = "s3://pages"
    boto3.client("s3").create_bucket(Bucket="pages")
    files = {
        "a b.warc.gz": GZIPPED["hostile and torn"],
        "plain.warc": plain_cases()["junk"],
        "lines.jsonl": JSONL,
        "rows.parquet": Path(parquet(tmp_path)).read_bytes(),
        "pages/ä 1.html": PAGE,
        "pages/deep/2.html": PAGE,
        "pages/3.txt": b"http://a.example/\n",
    }
    for name, data in files.items():
        boto3.client("s3").put_object(Bucket="pages", Key=f"x/{name}", Body=data)
        (tmp_path / "x" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "x" / name).write_bytes(data)

    def relative(folder: str) -> list[tuple[str, bytes | None, str | None]]:
        names = ["*.warc*", "lines.jsonl", "rows.parquet", "pages"]
        items, _ = all_of(plan_shards([f"{folder}/x/{name}" for name in names], shard_bytes=5000))
        assert items[-1] == read_item(items[-1].id, OPTIONS)
        assert items[0] == read_item(items[0].id, OPTIONS)
        return [(item.id.removeprefix(folder), item.data, item.fault) for item in items]

    assert relative(bucket) == relative(str(tmp_path))
    assert plan_shards([f"{bucket}/x/pages/3.txt"])[0].names == ("http://a.example/",)
    for missing in ("x/none.warc.gz", "x/none/", "x/*.none"):
        with pytest.raises(BadInput):
            plan_shards([f"{bucket}/{missing}"])
    with pytest.raises(BadInput):
        plan_shards(["s3://no-such-bucket/a.warc"])


# The parts


@given(data=st.binary(max_size=60), mark=st.binary(min_size=2, max_size=4), start=st.integers(0, 60))
@example(data=b"aaabaab", mark=b"aab", start=3)
def test_find(data: bytes, mark: bytes, start: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "SEARCHED", 3)
        expected = data.find(mark, start)
        assert storage.find(io.BytesIO(data), mark, start) == (None if expected < 0 else expected)
