# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""What the class of an element says of how it is written: unread, an icon, a caption, an anchor, a tool."""

from __future__ import annotations

from array import array

import cython
from cython.cimports.pagesieve.page.kernel.common import fnv_seed, is_space, mix
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CLASS

_WORDS = {
    ROLE_UNREAD: (
        "btn-copy clipboard-copy copy-button copy-code-button copybtn hljs-copy-button material-icons "
        "material-icons-outlined material-icons-round material-symbols-outlined material-symbols-rounded "
        "material-symbols-sharp mw-editsection"
    ),
    ROLE_ICON: "dashicons fa fab far fas genericon glyphicon icon icon-font iconfont",
    ROLE_CAPTION: (
        "caption caption-text captiontext figure-caption image-caption image__caption imagecaption img-caption "
        "imgcaption media-caption photo-caption photo__caption pic-caption wp-caption-dd wp-caption-text"
    ),
    ROLE_ANCHOR: (
        "anchor anchor-link anchorjs-link direct-link hash-link header-anchor header-link headerlink heading-anchor "
        "heading-link heading-permalink permalink self-link selflink"
    ),
    ROLE_TOOL: (
        "btn clipboard clipboard-btn code-copy code-header copy copy-btn copy-code toolbar toolbar-item "
        "zeroclipboard-container"
    ),
}
_SLOTS = 256  # a power of two, some times the words


def _digest(word: str) -> int:
    digest: cython.ulonglong = fnv_seed()
    for byte in word.encode():
        digest = mix(digest, byte)
    return digest


def _table() -> tuple[array[int], bytes]:
    """Return a hash table of the words: their digests, 0 where a slot is empty, and their roles."""
    digests = array("Q", bytes(8 * _SLOTS))
    roles = bytearray(_SLOTS)
    for role, words in _WORDS.items():
        for word in words.split():
            digest = _digest(word)
            slot = digest % _SLOTS
            while digests[slot]:
                slot = (slot + 1) % _SLOTS
            digests[slot] = digest
            roles[slot] = role
    return digests, bytes(roles)


_found = _table()
_MASK = cython.declare(cython.int, _SLOTS - 1)
_DIGESTS = cython.declare(cython.ulonglong[::1], _found[0])
_ROLES = cython.declare(cython.const[cython.uchar][::1], _found[1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _role_of_word(digest: cython.ulonglong) -> cython.int:
    """Return the role of a word by its digest; 0 where it has none."""
    slot: cython.int = digest & _MASK
    while _DIGESTS[slot] and _DIGESTS[slot] != digest:
        slot = (slot + 1) & _MASK
    return _ROLES[slot]


def role_of(view, row):
    """Return what the words of a row's class say; capital letters are as small ones."""
    k = view.attribute(row, ATTR_CLASS)
    if k < 0:
        return 0
    digest: cython.ulonglong
    roles = 0
    at = view.value_at[k]
    stop = view.value_at[k + 1]
    while at < stop:
        digest = fnv_seed()
        start = at
        while at < stop and not is_space(view.values[at]):
            byte: cython.int = view.values[at]
            digest = mix(digest, byte | 0x20 if UPPER_A <= byte <= UPPER_Z else byte)
            at += 1
        if at > start:
            roles |= _role_of_word(digest)
        at += 1
    return roles
