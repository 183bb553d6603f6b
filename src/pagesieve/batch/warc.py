"""The records of a WARC, in order, from any byte of it on, past whatever is damaged or too large.

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
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from pagesieve.batch.storage import Blocks
from pagesieve.batch.streams import ENDS_EARLY, GZIP, Damaged, Member, Stream

HEAD_BYTES = 1 << 16  # of the longest head of a record, and of the longest of HTTP
SURE = 1 << 17  # bytes: over which a chain must go on to be trusted, more than deflate stores in one piece
LOOK_BACK = 1 << 20  # bytes: how far a shard looks for the chain before its beginning, at first
LOOK_FURTHER = 4  # times as far, each time that there was none
MOST_SKIPPED = 1 << 32  # bytes that are inflated only to see whether a last member has more than one record
MOST_BLANK = 64  # bytes of line ends after a record: two line ends by the standard

NO_RECORD = "no WARC record"
TOO_SHORT = "the record ends early"

_BEGINNING = b"WARC/"
_VERSION = re.compile(rb"WARC/\d\.\d+\r\n")
_LENGTH = re.compile(rb"\r\nContent-Length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_TYPE = re.compile(rb"\r\nWARC-Type[ \t]*:", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it lies in the file: head and content, or what is wrong with it."""

    place: int  # of its gzip member, or its own where there is no compression
    inside: int = 0  # where it begins in its member
    head: bytes = b""
    content: bytes = b""  # only the beginning, where it is larger than was allowed
    length: int = 0  # of the content
    fault: str | None = None
    sure: bool = True  # the chain goes on where this ends; not where the next place had to be looked for
    known: bool = True  # the place looks like a record's


def read_records(blocks: Blocks, start: int, stop: int, bound: int) -> Iterator[Record]:
    """The records of a shard; those whose content is longer than `bound` only with its beginning."""
    if is_packed(blocks):
        first = first_place(blocks, start, bound)
        records = packed_records(blocks, first, bound)
    else:
        records = plain_records(blocks, start, bound)
    for record in records:
        if 0 <= stop <= record.place and record.known:
            return
        yield record


def read_record(blocks: Blocks, place: int, inside: int, bound: int) -> Record | None:
    """The record at a place of the chain; None where there is none."""
    follow = packed_records if is_packed(blocks) else plain_records
    for record in follow(blocks, place, bound):
        if (record.place, record.inside) >= (place, inside):
            return record if (record.place, record.inside) == (place, inside) else None
    return None


def cut(blocks: Blocks, shard_bytes: int) -> list[tuple[int, int]]:
    """The shards of a file, as places from and up to. A file of one gzip member cannot be cut."""
    if is_packed(blocks):
        starts = [0] if _holds_many(blocks) else list(range(0, blocks.size, shard_bytes))
    else:
        starts = [0]
        for record in plain_records(blocks, 0, 0):
            if record.known and record.place >= starts[-1] + shard_bytes:
                starts.append(record.place)
    return list(zip(starts, [*starts[1:], blocks.size], strict=True))


def is_warc(blocks: Blocks) -> bool:
    """Whether there is any record in a file."""
    search = _next_member if is_packed(blocks) else _next_head
    return search(blocks, 0) is not None


def is_packed(blocks: Blocks) -> bool:
    """Whether the records of a file are gzip members; also where the first of them is damaged."""
    beginning = blocks.at(0, len(_BEGINNING))
    if beginning.startswith(GZIP) or beginning == _BEGINNING:
        return beginning != _BEGINNING
    return _next_head(blocks, 0) is None


def first_place(blocks: Blocks, start: int, bound: int) -> int | None:
    """The first place of the chain at `start` or after it that looks like a record's; for compressed records."""
    if start == 0:
        return 0
    first = _next_member(blocks, start)
    if first is None or _goes_on(blocks, first, bound):
        return first
    for record in packed_records(blocks, _place_before(blocks, start, bound), bound):
        if record.known and record.place >= start:
            return record.place
    return None


def packed_records(blocks: Blocks, place: int | None, bound: int) -> Iterator[Record]:
    """The chain of compressed records from a place on."""
    while place is not None and place < blocks.size:
        place = yield from _member_records(blocks, place, bound)


def plain_records(blocks: Blocks, place: int | None, bound: int) -> Iterator[Record]:
    """The chain of uncompressed records from a place on."""
    while place is not None and place < blocks.size:
        stream = Stream(blocks.pieces(place))
        head = stream.until(_END_OF_HEAD, HEAD_BYTES) or b""
        length = _length(head)
        if length is None:
            yield Record(place, fault=NO_RECORD, sure=False, known=False)
            place = _next_head(blocks, place + 1)
            continue
        end = place + len(head) + length
        fault = ENDS_EARLY if end > blocks.size else None
        yield Record(place, 0, head, stream.take(_wanted(length, bound)), length, fault, sure=fault is None)
        place = _next_head(blocks, place + len(head)) if fault else end + _blank(blocks.at(end, MOST_BLANK))


def _member_records(blocks: Blocks, place: int, bound: int) -> Generator[Record, None, int | None]:
    """The records of one member; returns the place where the chain goes on."""
    member = Member(blocks, place)
    stream = Stream(member.pieces())
    beginning = _peeked(stream)
    if beginning == b"":
        return member.consumed  # an empty member, as some tools put at the end
    if beginning != _BEGINNING:
        yield Record(place, fault=NO_RECORD, sure=False, known=False)
        return _next_member(blocks, place + 1)
    while True:
        record = _framed(stream, place, bound)
        yield record
        if record.fault == TOO_SHORT:
            return member.consumed
        if record.fault:
            return _next_member(blocks, place + 1)
        if not record.sure:
            further = _next_member(blocks, member.consumed) if record.inside == 0 else None
            if further is not None:
                return further
            if not _skipped(stream, record):
                return _next_member(blocks, member.consumed)
        try:
            if not stream.peek(1):
                return member.consumed
        except Damaged:
            return _next_member(blocks, place + 1)


def _framed(stream: Stream, place: int, bound: int) -> Record:
    """The next record of a member, and the line ends after it; one that is too large only up to its beginning."""
    inside, head = stream.position, b""
    try:
        head = stream.until(_END_OF_HEAD, HEAD_BYTES) or b""
        length = _length(head)
        if length is None:
            return Record(place, inside, fault=NO_RECORD, sure=False)
        content = stream.take(_wanted(length, bound))
        if length > bound:
            return Record(place, inside, head, content, length, sure=False)
        stream.take(_blank(stream.peek(MOST_BLANK)))  # this is also what checks the member's sum
    except Damaged as damage:
        return Record(place, inside, head, fault=str(damage), sure=False)
    return Record(place, inside, head, content, length, TOO_SHORT if len(content) < length else None)


def _skipped(stream: Stream, record: Record) -> bool:
    """Passes over the rest of a record that is too large; False where the member does not get so far."""
    left = record.length - len(record.content)
    if record.inside == 0 and left > MOST_SKIPPED:
        return False
    try:
        if stream.skip(left) < left:
            return False
        stream.take(_blank(stream.peek(MOST_BLANK)))
    except Damaged:
        return False
    return True


def _peeked(stream: Stream) -> bytes | None:
    try:
        return stream.peek(len(_BEGINNING))
    except Damaged:
        return None


def _wanted(length: int, bound: int) -> int:
    return length if length <= bound else min(length, HEAD_BYTES)


def _length(head: bytes) -> int | None:
    """How long the content is by the head of a record; None where it is no such head."""
    found = _LENGTH.search(head) if _VERSION.match(head) and _TYPE.search(head) else None
    return int(found[1]) if found else None


def _blank(following: bytes) -> int:
    """How many bytes of line ends there are."""
    return len(following) - len(following.lstrip(b"\r\n"))


def _holds_many(blocks: Blocks) -> bool:
    """Whether the first member has more than one record: then it may well have all of them."""
    records = packed_records(blocks, 0, HEAD_BYTES)
    next(records, None)
    second = next(records, None)
    return second is not None and second.place == 0


def _next_member(blocks: Blocks, start: int) -> int | None:
    """The next place that looks like a compressed record's, at `start` or after it."""
    place = blocks.find(GZIP, start)
    while place is not None and _peeked(Stream(Member(blocks, place).pieces())) != _BEGINNING:
        place = blocks.find(GZIP, place + 1)
    return place


def _next_head(blocks: Blocks, start: int) -> int | None:
    """The next place that looks like an uncompressed record's, at `start` or after it: a line with a head after it."""
    place = blocks.find(_BEGINNING, start)
    while place is not None:
        head = Stream(blocks.pieces(place)).until(_END_OF_HEAD, HEAD_BYTES)
        if (place == 0 or blocks.at(place - 1, 1) == b"\n") and _length(head or b"") is not None:
            return place
        place = blocks.find(_BEGINNING, place + 1)
    return None


def _goes_on(blocks: Blocks, place: int, bound: int) -> bool:
    """Whether a chain from this place goes on, without a search, for so long that it is the file's; or to its end."""
    for record in packed_records(blocks, place, bound):
        if record.place - place > SURE:
            return True
        if not record.sure:
            return False
    return True


def _place_before(blocks: Blocks, start: int, bound: int) -> int:
    """A place of the chain before `start`, found without reading all that is before it where that can be."""
    back = LOOK_BACK
    while back < start:
        place = _next_member(blocks, start - back)
        while place is not None and place < start:
            if _goes_on(blocks, place, bound):
                return place
            place = _next_member(blocks, place + 1)
        back *= LOOK_FURTHER
    return 0
