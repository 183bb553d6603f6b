"""Files that are no pages, known by how they begin: a clear error is worth more than the text of an image."""

from __future__ import annotations

import codecs

_SIGNATURES = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n\x1a\n", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"GIF87a", "an image (GIF)"),
    (b"GIF89a", "an image (GIF)"),
    (b"PK\x03\x04", "a zip file, or an office document in one"),
    (b"\x1f\x8b\x08", "compressed (gzip)"),
    (b"BZh91AY&SY", "compressed (bzip2)"),
    (b"\xfd7zXZ\0", "compressed (xz)"),
    (b"(\xb5/\xfd", "compressed (zstd)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"{\\rtf", "a document (RTF)"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a database (SQLite)"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_BEGINNINGS = tuple(start for start, _ in _SIGNATURES)
_BEGINNING = 4096  # bytes that are looked at for signs that no text has
_LEAST = 64  # of them: fewer do not tell
_CONTROLS = bytes({*range(1, 9), *range(14, 27), *range(28, 32), 127})  # but for blanks, and the escape of ISO-2022
_MOST_CONTROLS = 0.05
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # who writes one means text
_UTF16_ZEROS = 0.1  # of UTF-16's bytes are zero, at least: its markup has one in every second place


def other_than_page(data: bytes) -> str | None:
    """What a file is that cannot be a page, or None: pages begin in other ways."""
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return "an image or a recording (RIFF)"
    if data.startswith(_BEGINNINGS):
        return next(name for start, name in _SIGNATURES if data.startswith(start))
    return "binary data" if _is_binary(data[:_BEGINNING]) else None


def _is_binary(beginning: bytes) -> bool:
    """Whether bytes are of no text in any encoding: many of them are control characters, and they are not UTF-16."""
    size = len(beginning)
    if size < _LEAST or beginning.startswith(_BYTE_ORDER_MARKS) or beginning.count(0) >= _UTF16_ZEROS * size:
        return False
    return size - len(beginning.translate(None, _CONTROLS)) > _MOST_CONTROLS * size
