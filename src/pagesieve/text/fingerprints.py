"""Fingerprints of texts, to detect exact duplicates."""

import hashlib

_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_LOWER = bytes(range(256)).lower()
_BYTES = 16  # of a digest: two different texts in 2 ** 64 have the same


def fingerprint(text: str) -> str:
    """Return the digest of a text, ignoring blanks, ASCII punctuation and the case of ASCII letters."""
    squeezed = text.encode("utf-8", "replace").translate(_LOWER, _SIGNS)
    return hashlib.blake2b(squeezed, digest_size=_BYTES).hexdigest()
