"""Signatures of texts, to recognise texts with the same words, or with nearly the same shingles of words."""

from __future__ import annotations

import base64
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pagesieve.errors import MissingExtra
from pagesieve.text.types import words

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH

SIGNATURE = "signature"  # what it is called in the row of a page, which it leaves before that is written

SHINGLE = 5  # words
PERMUTATIONS = 128
SCHEME = "affine32"
SEED = 1
AT_A_TIME = 10_000  # shingles: each takes a number for every permutation
WEIGHTS = (0.1, 0.9)  # of wrong and of missed candidates: the wrong ones are compared again


class Signature(NamedTuple):
    """The data by which a page is compared with others."""

    id: str
    url: str | None
    digest: str  # empty if there is no text
    hashes: str  # those of its MinHash, in Base64


def sign(fingerprint: str | None, text: str | None, similarity: float) -> tuple[str, str]:
    """Return the digest and the hashes of a text, which has a fingerprint of its own."""
    if not text or not fingerprint:
        return "", ""
    return fingerprint, "" if similarity == 1 else base64.b64encode(_sketch(text).hashvalues.tobytes()).decode()


def _minhash() -> Any:
    try:
        import datasketch
    except ImportError as error:
        raise MissingExtra("--deduplicate", "batch", "datasketch") from error
    return datasketch


def _sketch(text: str) -> MinHash:
    tokens = [word.encode("utf-8", "replace") for word in words(text.casefold().replace("’", "'"))]
    shingles = sorted({b" ".join(tokens[k : k + SHINGLE]) for k in range(max(1, len(tokens) - SHINGLE + 1))})
    sketch: MinHash = _minhash().MinHash(PERMUTATIONS, SEED, scheme=SCHEME)
    for k in range(0, len(shingles), AT_A_TIME):
        sketch.update_batch(shingles[k : k + AT_A_TIME])
    return sketch


class Seen:
    """The pages kept so far."""

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._ids: list[str] = []
        self._digests: dict[str, int] = {}
        self._sketches: dict[int, Any] = {}
        self._alike: MinHashLSH | None = None
        if similarity < 1:
            self._alike = _minhash().MinHashLSH(similarity, PERMUTATIONS, WEIGHTS, hashfunc=_short)

    def repeated(self, page: Signature) -> tuple[str, float] | None:
        """Return the id of the first page that this one repeats, and their similarity; if there is none, keep the page.

        A page with the same text takes precedence over one with a similar text.
        """
        if not page.digest:
            return None
        if page.digest in self._digests:
            return self._ids[self._digests[page.digest]], 1.0
        sketch = self._sketch(page.hashes) if self._alike is not None else None
        number = len(self._ids)
        if self._alike is not None:
            for candidate in sorted(self._alike.query(sketch)):
                similarity = float(self._sketches[candidate].jaccard(sketch))
                if similarity >= self._similarity:
                    return self._ids[candidate], similarity
            self._alike.insert(number, sketch, check_duplication=False)
            self._sketches[number] = sketch
        self._ids.append(page.id)
        self._digests[page.digest] = number
        return None

    def _sketch(self, hashes: str) -> Any:
        values = np.frombuffer(base64.b64decode(hashes), np.uint32)
        return _minhash().LeanMinHash(seed=SEED, hashvalues=values, scheme=SCHEME)


def _short(band: bytes) -> bytes:
    """A key of the index, which takes less memory than what it stands for."""
    return blake2b(band, digest_size=8).digest()
