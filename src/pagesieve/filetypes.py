"""Files that are no pages, known by how they begin: a clear error is worth more than the text of an image."""

from __future__ import annotations

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


def other_than_page(data: bytes) -> str | None:
    """What a file is that cannot be a page, or None: pages begin in other ways."""
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return "an image or a recording (RIFF)"
    return next((name for start, name in _SIGNATURES if data.startswith(start)), None)
