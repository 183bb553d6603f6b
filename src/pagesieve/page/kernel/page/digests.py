# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Digests of words, and what is known by them: numbers in the order in which they come, flags of known words."""

from __future__ import annotations

import cython
from cython.cimports.pagesieve.page.kernel.common import fnv_seed, mix, zeros
from cython.cimports.pagesieve.page.kernel.constants import *


def word_digest(text, start, stop):
    """Return the digest of a word, capitals of ASCII taken for small letters."""
    digest: cython.ulonglong = fnv_seed()
    for k in range(start, stop):
        c = text[k]
        digest = mix(digest, c + 32 if UPPER_A <= c <= UPPER_Z else c)
    return digest


class Numbers:
    """Numbers for digests, from 0 on; there is room for `most` of them."""

    def __init__(self, most: int) -> None:
        slots = 16
        while slots < 2 * most:
            slots *= 2
        self.mask = slots - 1
        self.table = zeros("i", slots)
        self.digests = zeros("Q", most + 1)
        self.count = 0

    def find(self, digest):
        """Return the number of a digest, or -1."""
        slot = cython.cast(cython.int, digest & self.mask)
        while self.table[slot]:
            if self.digests[self.table[slot] - 1] == digest:
                return self.table[slot] - 1
            slot = (slot + 1) & self.mask
        return -1

    def number(self, digest):
        """Return the number of a digest, the next one where it is new."""
        slot = cython.cast(cython.int, digest & self.mask)
        while self.table[slot]:
            if self.digests[self.table[slot] - 1] == digest:
                return self.table[slot] - 1
            slot = (slot + 1) & self.mask
        self.digests[self.count] = digest
        self.count += 1
        self.table[slot] = self.count
        return self.count - 1


class KnownWords:
    """The flags of some words."""

    def __init__(self, words: dict[str, int]) -> None:
        self.numbers = Numbers(len(words))
        self.flags = zeros("i", len(words) + 1)
        for word, flags in words.items():
            name = word.encode()
            number = self.numbers.number(word_digest(name, 0, len(name)))
            self.flags[number] = flags

    def flags_of(self, digest):
        """Return the flags of the word of a digest; 0 where it is not known."""
        number = self.numbers.find(digest)
        return self.flags[number] if number >= 0 else 0

    def flags_in(self, text, start, stop):
        """Return the flags of the word that a span is."""
        return self.flags_of(word_digest(text, start, stop))
