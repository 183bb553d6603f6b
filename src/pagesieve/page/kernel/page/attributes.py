# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""The classes, ids and roles of a page, each value once: what is known of a value holds for all that have it.

Pages repeat the values of these attributes, so whatever is asked about their words is asked once for each value.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.string import memcmp, memcpy
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.tags import ATTR_CLASS, ATTR_ID, ATTR_ROLE

_FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_MAX_PROBES = cython.declare(
    cython.int, 32
)  # places of the hash table that are looked at: a page may choose its values


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _digest(data: cython.pointer(cython.const[cython.uchar]), size: cython.Py_ssize_t) -> cython.ulonglong:
    """Return a digest of some bytes, read eight at a time."""
    digest: cython.ulonglong = size
    piece: cython.ulonglong = 0
    while size >= 8:
        memcpy(cython.address(piece), data, 8)
        digest = (digest ^ piece) * _FACTOR
        digest ^= digest >> 32
        data += 8
        size -= 8
    if size:
        piece = 0
        memcpy(cython.address(piece), data, size)
        digest = (digest ^ piece) * _FACTOR
        digest ^= digest >> 32
    return digest


class Labels:
    """The different values of the classes, ids and roles of a page, numbered in the order of their first."""

    def read(self, view):
        """Number the values, if that is not done."""
        k: cython.int
        if self.is_read:
            return
        self.is_read = True
        for k in range(view.attributes):
            name = view.attribute_name[k]
            if name == ATTR_CLASS or name == ATTR_ID or name == ATTR_ROLE:
                self.number[k] = self.find(view, k)
            else:
                self.number[k] = -1

    def find(self, view, place):
        """Return the number of the value of an attribute: that of an equal one before it, or a new one."""
        start = view.value_at[place]
        size = view.value_at[place + 1] - start
        if size == 0:
            data: cython.pointer(cython.const[cython.uchar]) = cython.NULL
        else:
            data = cython.address(view.values[start])
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        slot: cython.Py_ssize_t = _digest(data, size) & mask
        probes: cython.int = 0
        while self.slots[slot] and probes < _MAX_PROBES:
            other = self.place[self.slots[slot] - 1]
            at = view.value_at[other]
            if view.value_at[other + 1] - at == size and (
                size == 0 or memcmp(data, cython.address(view.values[at]), size) == 0
            ):
                return self.slots[slot] - 1
            slot = (slot + 1) & mask
            probes += 1
        self.place[self.count] = place
        self.count += 1
        if not self.slots[slot]:
            self.slots[slot] = self.count
        return self.count - 1


def labels_before(view):
    """Return the labels of a page, which are still to be read if nobody has asked for them."""
    if view.origin is not None:
        view = view.origin
    kept = view.labels
    if kept is not None:
        return cython.cast(Labels, kept)
    found: Labels = Labels()
    size: cython.Py_ssize_t = 64
    while size < 2 * view.attributes:
        size *= 2
    numbers: cython.int[::1] = zeros("i", 2 * view.attributes)
    found.count = 0
    found.is_read = False
    found.number = numbers[: view.attributes]
    found.place = numbers[view.attributes :]
    found.slots = zeros("i", size)
    return found


def keep_labels(view, labels):
    """Keep labels that were read with their page, for it and for those that hide other rows of it."""
    if view.origin is not None:
        view = view.origin
    labels.slots = None
    view.labels = labels
    return 0


def labels_of(view):
    """Return the labels of a page."""
    found: Labels = labels_before(view)
    if not found.is_read:
        with cython.nogil:
            found.read(view)
        keep_labels(view, found)
    return found
