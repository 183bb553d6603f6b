# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""Where a page may hold what no reader sees: characters (see pagesieve.text.invisible), and elements by their names."""

from __future__ import annotations

from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import as_column, is_space, utf8_code
from cython.cimports.pagesieve.page.kernel.constants import CARRIAGE_RETURN, LINE_FEED, NO_BREAK_SPACE, TAB
from cython.cimports.pagesieve.page.kernel.derive import _folded
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CLASS, ATTR_ID, TAG_SCRIPT, TAG_STYLE, TEXT
from cython.cimports.pagesieve.page.kernel.view import PageView, view_of


def _leads() -> bytes:
    """Return by byte whether a character that is looked for may begin with it."""
    controls = [c for c in range(32) if c not in (TAB, LINE_FEED, CARRIAGE_RETURN)]
    return bytes(c in (*controls, 127, 0xC2, 0xCD, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3) for c in range(256))


_LEADS = cython.declare(cython.const[cython.uchar][::1], _leads())


def _is_suspect(code):
    """Whether a character of two or three bytes is one that is looked for."""
    if code < 0x2000:
        return (
            code < NO_BREAK_SPACE
            or code == 0xAD
            or code == 0x34F
            or 0x115F <= code <= 0x1160
            or 0x17B4 <= code <= 0x17B5
            or 0x180B <= code <= 0x180F
        )
    if code < 0x3000:
        return 0x200B <= code <= 0x200D or 0x202A <= code <= 0x202E or 0x2060 <= code <= 0x206F
    return code == 0x3164 or 0xFE00 <= code <= 0xFE0F or code == 0xFEFF or code == 0xFFA0 or 0xFFF0 <= code <= 0xFFFB


def _has_suspect(data, start, stop):
    """Whether a span of UTF-8 may hold a character that is looked for; of those of four bytes, by the first two."""
    for at in range(start, stop):
        lead = data[at]
        if not _LEADS[lead]:
            continue
        if lead < 128:
            return True
        if lead >= 0xF0:
            if at + 1 < stop and (lead == 0xF3 or data[at + 1] == 0x9B or data[at + 1] == 0x9D):
                return True
        elif _is_suspect(utf8_code(data, at, stop)):
            return True
    return False


def texts(tag: Any, parent: Any, text_at: Any, text: cython.const[cython.uchar][::1]) -> list[int]:
    """Return the rows whose own text may hold such characters, without those in scripts and styles."""
    tags: cython.const[cython.int][::1] = as_column(tag)
    above: cython.const[cython.int][::1] = as_column(parent)
    offsets: cython.const[cython.int][::1] = as_column(text_at)
    found: list[int] = []
    for row in range(1, len(tags)):
        if tags[row] != TEXT or tags[above[row]] == TAG_SCRIPT or tags[above[row]] == TAG_STYLE:
            continue
        if _has_suspect(text, offsets[row], offsets[row + 1]):
            found.append(row)
    return found


def values(value_at: Any, values: cython.const[cython.uchar][::1]) -> list[int]:
    """Return the places of the attributes whose value may hold such characters."""
    offsets: cython.const[cython.int][::1] = as_column(value_at)
    if not _has_suspect(values, 0, len(values)):
        return []
    return [k for k in range(len(offsets) - 1) if _has_suspect(values, offsets[k], offsets[k + 1])]


def _add_words(view, row, name, sieve):
    """Mark the words of an attribute of a row in the sieve."""
    k = view.attribute(row, name)
    if k < 0:
        return
    at = view.value_at[k]
    stop = view.value_at[k + 1]
    while at < stop:
        start = at
        while at < stop and not is_space(view.values[at]):
            at += 1
        if at > start:
            digest: cython.ulonglong = _folded(view.values, start, at, True)
            sieve[digest & (len(sieve) - 1)] = 1
        at += 1


def name_sieve(page: Any, rows: Any, size: cython.int) -> bytearray:
    """Return a sieve of the classes and ids of some rows, given as a mask: 1 where the digest of one of them falls.

    The digests are those of `derive.digest`, by their last bits; the size is a power of two.
    """
    view: PageView = view_of(page)
    wanted: cython.const[cython.uchar][::1] = as_column(rows.view("u1"))
    found = bytearray(size)
    sieve: cython.uchar[::1] = found
    for row in range(1, view.rows):
        if wanted[row] and view.attribute_at[row] < view.attribute_at[row + 1]:
            _add_words(view, row, ATTR_CLASS, sieve)
            _add_words(view, row, ATTR_ID, sieve)
    return found


def word_rows(page: Any, name: cython.int, digests: Any) -> list[tuple[int, int]]:
    """Return the rows with an attribute that has one of some words, and the digest of the word.

    The digests are those of `derive.digest`, in a hash table: a power of two of them, 0 where a slot is empty.
    """
    view: PageView = view_of(page)
    table: cython.const[cython.ulonglong][::1] = as_column(digests)
    mask: cython.ulonglong = len(digests) - 1
    found: list[tuple[int, int]] = []
    digest: cython.ulonglong
    for row in range(1, view.rows):
        k = view.attribute(row, name)
        if k < 0:
            continue
        at = view.value_at[k]
        stop = view.value_at[k + 1]
        while at < stop:
            start = at
            while at < stop and not is_space(view.values[at]):
                at += 1
            digest = _folded(view.values, start, at, True)
            slot: cython.int = digest & mask
            while table[slot] != 0 and table[slot] != digest:
                slot = (slot + 1) & mask
            if at > start and table[slot] == digest:
                found.append((row, digest))
            at += 1
    return found
