"""Bytes that come in pieces, taken in order and with a bound on what is held; gzip members as such streams."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from pagesieve.batch.storage import Blocks

GZIP = b"\x1f\x8b\x08"
CHUNK = 1 << 16  # bytes inflated at a time
FIRST = 16  # the same at the beginning of a member: so that damage further on does not hide how it begins
GROWTH = 64  # times as many the next time: the head of a record, then all of it
LONGEST_START = 1 << 17  # bytes of a member that give nothing yet: a real one's header is shorter

ENDS_EARLY = "the file ends within it"
CORRUPT = "corrupt gzip data"


class Damaged(Exception):
    """What was being read cannot be read on; the message says why."""


class Stream:
    """Takes bytes from pieces, in order. What is held is what was asked for, and a piece more."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = bytearray()
        self.position = 0  # bytes taken so far

    def peek(self, count: int) -> bytes:
        """The next bytes, which are not taken; fewer at the end."""
        while len(self._held) < count and self._more():
            pass
        return bytes(self._held[:count])

    def take(self, count: int) -> bytes:
        """The next bytes; fewer at the end."""
        parts = [bytes(self._held)]
        self._held.clear()
        missing = count - len(parts[0])
        while missing > 0 and (piece := next(self._pieces, b"")):
            parts.append(piece)
            missing -= len(piece)
        if missing < 0:
            self._held += parts[-1][missing:]
            parts[-1] = parts[-1][:missing]
        taken = b"".join(parts)
        self.position += len(taken)
        return taken

    def skip(self, count: int) -> int:
        """Passes over the next bytes without holding them; says how many there were."""
        skipped = 0
        while skipped < count and self.peek(1):
            passed = min(count - skipped, len(self._held))
            del self._held[:passed]
            self.position += passed
            skipped += passed
        return skipped

    def until(self, mark: bytes, most: int) -> bytes | None:
        """What comes up to `mark`, and the mark itself; None where it is not among the next `most` bytes."""
        searched = 0
        while (found := self._held.find(mark, searched, most)) < 0:
            searched = max(0, len(self._held) - len(mark) + 1)
            if len(self._held) >= most or not self._more():
                return None
        return self.take(found + len(mark))

    def skip_past(self, mark: bytes) -> None:
        """Passes over all up to `mark`, a single byte, and over that; or to the end."""
        while self.peek(1):
            found = self._held.find(mark)
            self.skip(len(self._held) if found < 0 else found + 1)
            if found >= 0:
                return

    def _more(self) -> bool:
        piece = next(self._pieces, b"")
        self._held += piece
        return bool(piece)


class Member:
    """One gzip member of a file, inflated piece by piece."""

    def __init__(self, blocks: Blocks, offset: int) -> None:
        self._blocks = blocks
        self._offset = offset
        self.consumed = offset  # the first byte of the file that was not needed yet: past the member after its end

    def pieces(self) -> Iterator[bytes]:
        """What is in it; Damaged where it breaks off, is corrupt, or its checksum is wrong."""
        unpacker, most = zlib.decompressobj(31), FIRST
        while not unpacker.eof:
            given = unpacker.unconsumed_tail or self._blocks.piece(self.consumed)
            try:
                piece = unpacker.decompress(given, most)
            except zlib.error as error:
                raise Damaged(CORRUPT) from error
            self.consumed += len(given) - len(unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail)
            if piece:
                most = min(most * GROWTH, CHUNK)
                yield piece
            elif not given and not unpacker.eof:
                raise Damaged(ENDS_EARLY)
            elif most == FIRST and self.consumed - self._offset > LONGEST_START:
                raise Damaged(CORRUPT)


def inflated(blocks: Blocks) -> Iterator[bytes]:
    """All that is in a gzip file, its members one after another."""
    offset = 0
    while offset < blocks.size:
        member = Member(blocks, offset)
        yield from member.pieces()
        offset = member.consumed
