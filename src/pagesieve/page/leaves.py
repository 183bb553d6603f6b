"""The leaves of a page: the elements with text directly inside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.table import Ints, Page

SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a page in document order: one for each element with text directly inside it that a reader sees.

    A leaf's text is that of its text rows, joined and blank-folded: `<p>a<b>c</b>d</p>` has the leaves p with "a d" and
    b with "c". A comment inside a text parts nothing.
    """

    page: Page
    rows: Ints  # the elements
    texts: Ints  # the text rows that are seen and not blank,
    leaf_of_text: Ints  # and the leaf of each
    digests: NDArray[np.uint64]  # of name and text: equal for equal leaves of any page
    at: Ints  # leaves + 1 offsets into
    codes: NDArray[np.uint32]  # the characters of all texts, as code points

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{len(self)} leaves of {self.page!r}>"

    @cached_property
    def chars(self) -> Ints:
        """The length of each leaf's text, in code points."""
        return np.diff(self.at)

    @cached_property
    def tag_digests(self) -> NDArray[np.uint64]:
        """The digest of each leaf's name, which does not depend on the page."""
        digests: NDArray[np.uint64] = self.page.name_digests[0][self.page.tag[self.rows]]
        return digests

    @cached_property
    def signatures(self) -> NDArray[np.uint64]:
        """Which pairs of neighbouring characters each leaf's text has, in 64 bits."""
        return signatures(self.codes, self.at)

    def tag(self, k: int) -> str:
        """Return the name of a leaf's element."""
        return self.page.tag_name(int(self.rows[k]))

    def text(self, k: int) -> str:
        """Return the text of a leaf."""
        return self._text[self._at[k] : self._at[k + 1]]

    @cached_property
    def _text(self) -> str:
        return self.codes.astype("<u4", copy=False).tobytes().decode("utf-32-le")

    @cached_property
    def _at(self) -> list[int]:
        found: list[int] = self.at.tolist()
        return found


def leaves(page: Page) -> Leaves:
    """Return the leaves of a page. Not kept with the page: hand them on."""
    texts, leaf_of_text, rows, digests, at, codes = kernel.leaves.leaves(page, page.name_digests[0])
    return Leaves(
        page=page,
        rows=np.frombuffer(rows, dtype=np.int32),
        texts=np.frombuffer(texts, dtype=np.int32),
        leaf_of_text=np.frombuffer(leaf_of_text, dtype=np.int32),
        digests=np.frombuffer(digests, dtype=np.uint64),
        at=np.frombuffer(at, dtype=np.int32),
        codes=np.frombuffer(codes, dtype=np.uint32)[: at[-1]],
    )


def signatures(codes: NDArray[np.uint32], at: Ints) -> NDArray[np.uint64]:
    """Return which pairs of neighbouring characters each text has, as bits; of empty texts nothing that counts."""
    pairs = codes * SPREAD + np.append(codes[1:], np.uint32(0))
    bits = np.append(np.uint64(1) << (pairs * SPREAD >> np.uint64(58)), np.uint64(0))
    bits[at[1:] - 1] = 0  # the last character of a text has no neighbour
    return np.bitwise_or.reduceat(bits, at[:-1]) if len(at) > 1 else bits[:0]
