"""Read the records of a WARC in order, from any byte on, skipping damaged and oversized ones; and their pages.

The *chain* of a file is what one reads from its beginning: a gzip member ends where the next begins, a record without
compression where its length says. Where that fails (a corrupt member, one that breaks off or inflates without end), the
chain goes on at the next place that looks like a record: a gzip member that begins with "WARC/", or a version line
followed by the head of a record. A record belongs to the shard in which its *place* lies, the first byte of its member
or its own; a place that does not look like a record's, to the shard of the record before it.

A shard of compressed records may begin anywhere. The first place after its beginning that looks like a record is one of
the chain, unless it lies inside another record: a WARC that is the payload of a WARC. Deflate interrupts what it stores
at least every 65,535 bytes, so from such a place no chain goes on for longer. Where one does not, the shard looks back
for a place from where one does, and follows the chain from there. Shards of uncompressed records begin at places of the
chain, which costs little to follow.

Members are framed here and not by fastwarc, which inflates a member to its end however large it is, loses the head of a
member that is damaged further on, and does not say where a file that breaks off does so. It reads the heads.
"""

import io
import os
import re
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO

from pagesieve.batch import Item, Skipped
from pagesieve.batch.storage import EXTRA, GZIP, find, read_at
from pagesieve.errors import MissingExtra
from pagesieve.fetching import DECODERS, HTML_TYPES, BadBody, is_markup, media_type, unpack
from pagesieve.page.static import other_than_page

PIECE = 1 << 15  # bytes read at a time
INFLATED = 1 << 16  # bytes inflated at a time
FIRST = 16  # the same at the beginning of a member, so that damage further on does not hide how it begins
GROWTH = 64  # times as many the next time: the head of a record, then all of it
MAX_START = 1 << 17  # bytes of a member that inflate to nothing: the header of a real one is shorter

HEAD_BYTES = 1 << 16  # of the longest head of a record, and of the longest of HTTP
SURE = 1 << 17  # bytes: over which a chain must go on to be trusted, more than deflate stores in one piece
LOOK_BACK = 1 << 20  # bytes: how far a shard looks for the chain before its beginning, at first
LOOK_FURTHER = 4  # times as far, each time that there was none
MAX_SKIPPED = 1 << 32  # bytes that are inflated only to see whether a last member has more than one record
MAX_LINE_ENDS = 64  # bytes of line ends after a record: two line ends by the standard

ENDS_EARLY = "the file ends within it"
CORRUPT = "corrupt gzip data"
NO_RECORD = "no WARC record"
TOO_SHORT = "the record ends early"

DOUBTFUL_TYPES = frozenset({"text/xml", "application/xml", "application/octet-stream", "unknown/unknown"})
BEGINNING = 1024  # bytes: where a page of a doubtful type must have its <html
MAX_TYPE = 60  # characters

_BEGINNING = b"WARC/"
_VERSION = re.compile(rb"WARC/\d\.\d+\r\n")
_LENGTH = re.compile(rb"\r\nContent-Length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_TYPE = re.compile(rb"\r\nWARC-Type[ \t]*:", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_KIND = re.compile(r"[a-z-]{1,20}")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")


class Damaged(Exception):
    """A gzip member cannot be read any further; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the file: head and content, or the reason why it cannot be read."""

    place: int  # of its gzip member, or its own where there is no compression
    inside: int = 0  # where it begins in its member
    head: bytes = b""
    content: bytes = b""  # only the beginning, where it is larger than was allowed
    length: int = 0  # of the content
    fault: str | None = None
    sure: bool = True  # the chain goes on where this ends; not where the next place had to be looked for
    known: bool = True  # the place looks like a record's


class Member(io.RawIOBase):
    """One gzip member of a file, inflated as it is read. Raises Damaged if it is truncated or corrupt."""

    def __init__(self, file: BinaryIO, place: int) -> None:
        self._file = file
        self._place = place
        self._inflater = zlib.decompressobj(31)
        self._most = FIRST
        self._position = 0
        self.consumed = place  # the first byte of the file that was not needed yet: past the member after its end

    def readable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """The number of bytes inflated so far."""
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Inflate some more; at the end nothing."""
        inflater = self._inflater
        while not inflater.eof:
            data = inflater.unconsumed_tail or read_at(self._file, self.consumed, PIECE)
            try:
                piece = inflater.decompress(data, min(self._most, len(buffer)))
            except zlib.error as error:
                raise Damaged(CORRUPT) from error
            self.consumed += len(data) - len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
            if piece:
                self._most = min(self._most * GROWTH, INFLATED)
                self._position += len(piece)
                buffer[: len(piece)] = piece
                return len(piece)
            if not data and not inflater.eof:
                raise Damaged(ENDS_EARLY)
            if self._most == FIRST and self.consumed - self._place > MAX_START:
                raise Damaged(CORRUPT)
        return 0

    def begins_record(self) -> bool:
        """Whether a member that was not read yet begins as a record does."""
        try:
            return self.read(len(_BEGINNING)) == _BEGINNING
        except Damaged:
            return False


# Reading a shard


def read_records(file: BinaryIO, start: int, stop: int, bound: int) -> Iterator[Record]:
    """Yield the records of a shard; those whose content is longer than `bound` only with its beginning."""
    if is_packed(file):
        records = packed_records(file, first_place(file, start, bound), bound)
    else:
        records = plain_records(file, start, bound)
    for record in records:
        if 0 <= stop <= record.place and record.known:
            return
        yield record


def read_record(file: BinaryIO, place: int, inside: int, bound: int) -> Record | None:
    """Read the record at a place of the chain; None if there is none."""
    follow = packed_records if is_packed(file) else plain_records
    for record in follow(file, place, bound):
        if (record.place, record.inside) >= (place, inside):
            return record if (record.place, record.inside) == (place, inside) else None
    return None


def cut(file: BinaryIO, shard_bytes: int) -> list[tuple[int, int]]:
    """Split a file into shards; return the first place of each and the one after its end. A gzip member stays whole."""
    size = file.seek(0, os.SEEK_END)
    if is_packed(file):
        starts = [0] if _holds_many(file) else list(range(0, size, shard_bytes))
    else:
        starts = [0]
        for record in plain_records(file, 0, 0):
            if record.known and record.place >= starts[-1] + shard_bytes:
                starts.append(record.place)
    return list(zip(starts, [*starts[1:], size], strict=True))


def is_warc(file: BinaryIO) -> bool:
    """Whether there is any record in a file."""
    search = _next_member if is_packed(file) else _next_head
    return search(file, 0) is not None


def is_packed(file: BinaryIO) -> bool:
    """Whether the records of a file are gzip members; also where the first of them is damaged."""
    beginning = read_at(file, 0, len(_BEGINNING))
    if beginning.startswith(GZIP) or beginning == _BEGINNING:
        return beginning != _BEGINNING
    return _next_head(file, 0) is None


# The chain


def packed_records(file: BinaryIO, place: int | None, bound: int) -> Iterator[Record]:
    """Follow the chain of compressed records from a place on."""
    while place is not None and read_at(file, place, 1):
        place = yield from _member_records(file, place, bound)


def plain_records(file: BinaryIO, place: int | None, bound: int) -> Iterator[Record]:
    """Follow the chain of uncompressed records from a place on."""
    size = file.seek(0, os.SEEK_END)
    while place is not None and place < size:
        file.seek(place)
        head = _read_head(file)
        length = _length(head)
        if length is None:
            yield Record(place, fault=NO_RECORD, sure=False, known=False)
            place = _next_head(file, place + 1)
            continue
        end = place + len(head) + length
        fault = ENDS_EARLY if end > size else None
        yield Record(place, 0, head, file.read(_wanted(length, bound)), length, fault, sure=fault is None)
        place = _next_head(file, place + len(head)) if fault else end + _line_ends(read_at(file, end, MAX_LINE_ENDS))


def _member_records(file: BinaryIO, place: int, bound: int) -> Generator[Record, None, int | None]:
    """Yield the records of one member; return the place where the chain goes on."""
    member = Member(file, place)
    stream: io.BufferedReader = io.BufferedReader(member, INFLATED)
    try:
        beginning: bytes | None = stream.peek(len(_BEGINNING))[: len(_BEGINNING)]
    except Damaged:
        beginning = None
    if beginning == b"":
        return member.consumed  # an empty member, as some tools put at the end
    if beginning != _BEGINNING:
        yield Record(place, fault=NO_RECORD, sure=False, known=False)
        return _next_member(file, place + 1)
    while True:
        record = _framed(stream, place, bound)
        yield record
        if record.fault == TOO_SHORT:
            return member.consumed
        if record.fault:
            return _next_member(file, place + 1)
        if not record.sure:
            further = _next_member(file, member.consumed) if record.inside == 0 else None
            if further is not None:
                return further
            if not _skipped(stream, record):
                return _next_member(file, member.consumed)
        try:
            if not stream.peek(1):
                return member.consumed
        except Damaged:
            return _next_member(file, place + 1)


def _framed(stream: io.BufferedReader, place: int, bound: int) -> Record:
    """Read the next record of a member, and the line ends after it. Read only the beginning of an oversized record."""
    inside, head = stream.tell(), b""
    try:
        head = _read_head(stream)
        length = _length(head)
        if length is None:
            return Record(place, inside, fault=NO_RECORD, sure=False)
        content = stream.read(_wanted(length, bound))
        if length > bound:
            return Record(place, inside, head, content, length, sure=False)
        _skip_line_ends(stream)  # this also verifies the member's checksum
    except Damaged as damage:
        return Record(place, inside, head, fault=str(damage), sure=False)
    return Record(place, inside, head, content, length, TOO_SHORT if len(content) < length else None)


def _skipped(stream: io.BufferedReader, record: Record) -> bool:
    """Skip the rest of an oversized record; return False if the member ends before."""
    left = record.length - len(record.content)
    if record.inside == 0 and left > MAX_SKIPPED:
        return False
    try:
        while left and (skipped := stream.read(min(left, INFLATED))):
            left -= len(skipped)
        _skip_line_ends(stream)
    except Damaged:
        return False
    return not left


def _skip_line_ends(stream: io.BufferedReader) -> None:
    left = MAX_LINE_ENDS
    while left and (found := _line_ends(stream.peek(1)[:left])):
        left -= len(stream.read(found))


def _line_ends(data: bytes) -> int:
    """Return how many bytes of line ends there are at the beginning."""
    return len(data) - len(data.lstrip(b"\r\n"))


def _read_head(stream: BinaryIO | io.BufferedReader) -> bytes:
    """Read up to an empty line; nothing if there is none within HEAD_BYTES."""
    head = bytearray()
    while not head.endswith(_END_OF_HEAD):
        line = stream.readline(HEAD_BYTES - len(head))
        if not line:
            return b""
        head += line
    return bytes(head)


def _wanted(length: int, bound: int) -> int:
    return length if length <= bound else min(length, HEAD_BYTES)


def _length(head: bytes) -> int | None:
    """Return the length of the content according to the head of a record; None if it is not a head."""
    match = _LENGTH.search(head) if _VERSION.match(head) and _TYPE.search(head) else None
    return int(match[1]) if match else None


def _holds_many(file: BinaryIO) -> bool:
    """Whether the first member has more than one record: then it may well have all of them."""
    records = packed_records(file, 0, HEAD_BYTES)
    next(records, None)
    second = next(records, None)
    return second is not None and second.place == 0


# Searching for it


def first_place(file: BinaryIO, start: int, bound: int) -> int | None:
    """Find the first place of the chain at `start` or after it that looks like a compressed record's."""
    if start == 0:
        return 0
    first = _next_member(file, start)
    if first is None or _goes_on(file, first, bound):
        return first
    for record in packed_records(file, _place_before(file, start, bound), bound):
        if record.known and record.place >= start:
            return record.place
    return None


def _next_member(file: BinaryIO, start: int) -> int | None:
    """Find the next place that looks like a compressed record's, at `start` or after it."""
    place = find(file, GZIP, start)
    while place is not None and not Member(file, place).begins_record():
        place = find(file, GZIP, place + 1)
    return place


def _next_head(file: BinaryIO, start: int) -> int | None:
    """Find the next line that looks like the beginning of an uncompressed record, at `start` or after it."""
    place = find(file, _BEGINNING, start)
    while place is not None:
        if place == 0 or read_at(file, place - 1, 1) == b"\n":
            file.seek(place)
            if _length(_read_head(file)) is not None:
                return place
        place = find(file, _BEGINNING, place + 1)
    return None


def _goes_on(file: BinaryIO, place: int, bound: int) -> bool:
    """Whether a chain from this place goes on, without a search, for so long that it is the file's; or to its end."""
    for record in packed_records(file, place, bound):
        if record.place - place > SURE:
            return True
        if not record.sure:
            return False
    return True


def _place_before(file: BinaryIO, start: int, bound: int) -> int:
    """Find a place of the chain before `start`, if possible without reading everything before it."""
    back = LOOK_BACK
    while back < start:
        place = _next_member(file, start - back)
        while place is not None and place < start:
            if _goes_on(file, place, bound):
                return place
            place = _next_member(file, place + 1)
        back *= LOOK_FURTHER
    return 0


# The page of a record


@cache
def archive_iterator() -> Any:
    """Import fastwarc's reader. Raises MissingExtra if it is not installed."""
    try:
        from fastwarc.warc import ArchiveIterator
    except ImportError as error:
        raise MissingExtra("batches", EXTRA) from error
    return ArchiveIterator


def page_of(record: Record, item_id: str, max_bytes: int) -> Item | Skipped:
    """Return the page in a record, or the reason why there is none; a damaged record is an item with the reason."""
    url = None
    try:
        if not record.head:
            raise BadBody(record.fault)
        headers = _headers(record)
        kind = (headers.headers.get("WARC-Type") or "").strip().lower()
        if kind not in ("response", "resource"):
            return Skipped(f"{kind if _KIND.fullmatch(kind) else 'unknown'} record")
        url = headers.headers.get("WARC-Target-URI", "").strip("<> \t") or None
        if record.fault:
            raise BadBody(record.fault)
        return _page(record, headers, item_id, url, max_bytes)
    except BadBody as error:
        return Item(item_id, url, None, fault=str(error))


def _headers(record: Record) -> Any:
    """The headers of a record, and those of its HTTP response, which are read on first access."""
    reader = archive_iterator()
    try:
        return next(reader(io.BytesIO(record.head + record.content[:HEAD_BYTES]), parse_http=False))
    except Exception as error:  # fastwarc's have no class in common
        raise BadBody("its WARC head cannot be read") from error


def _http_headers(headers: Any) -> Any:
    """The head of an HTTP response."""
    try:
        headers.parse_http(quirks_mode=True)
    except Exception as error:  # as above
        raise BadBody("its HTTP head cannot be read") from error
    if headers.http_headers is None or not 100 <= (headers.http_headers.status_code or 0) <= 999:
        raise BadBody("its HTTP head cannot be read")
    return headers.http_headers


def _page(record: Record, headers: Any, item_id: str, url: str | None, max_bytes: int) -> Item | Skipped:
    content_type, codings, chunked = headers.headers.get("Content-Type"), "", False
    if (content_type or "").lower().startswith("application/http") or record.content.startswith(b"HTTP/"):
        http = _http_headers(headers)
        if http.status_code != 200:
            return Skipped(f"status {http.status_code}")
        content_type, codings = http.get("Content-Type"), http.get("Content-Encoding", "")
        chunked = "chunked" in http.get("Transfer-Encoding", "").lower()
    if other := _other_type(content_type):
        return Skipped(f"not a page: {other}")
    if record.length > max_bytes + HEAD_BYTES:
        raise BadBody(f"larger than {max_bytes:,} bytes")
    body = record.content[record.length - headers.content_length :]  # fastwarc has taken HTTP's head off the length
    body = _dechunked(body) if chunked else body
    for coding in reversed([name.strip().lower() for name in codings.split(",")]):
        if coding in DECODERS and body:  # browsers ignore other codings, too
            body = unpack(body, coding, max_bytes, or_markup=True)
    if len(body) > max_bytes:
        raise BadBody(f"larger than {max_bytes:,} bytes")
    other = other_than_page(body)
    if not other and media_type(content_type) in DOUBTFUL_TYPES and b"<html" not in body[:BEGINNING].lower():
        other = media_type(content_type)
    if other:
        return Skipped(f"not a page: {other}")
    if not body or body.isspace():
        raise BadBody("empty")
    return Item(item_id, url, body, content_type)


def _other_type(content_type: str | None) -> str | None:
    """Return the media type if it shows that this is not a page; None if it is HTML, or inconclusive."""
    name = media_type(content_type)
    if not name or name in HTML_TYPES or name in DOUBTFUL_TYPES:
        return None
    return name if len(name) <= MAX_TYPE and _MEDIA_TYPE.fullmatch(name) else "a type that is none"


def _dechunked(raw: bytes) -> bytes:
    """Remove the framing of chunks; return the body unchanged if a tool removed the framing but left the header."""
    pieces: list[bytes] = []
    at = 0
    while match := _CHUNK.match(raw, at):
        size, start = int(match[1], 16), match.end()
        if size == 0:
            return b"".join(pieces)
        at = start + size
        pieces.append(raw[start:at])
        end = raw[at : at + 2]
        if not end.startswith((b"\r\n", b"\n")):
            break
        at += 2 if end == b"\r\n" else 1
    if len(pieces) < 2 and is_markup(raw):
        return raw
    raise BadBody("its chunked body ends early")
