"""Parse only the element of a page that contains the article, found from its densest text outwards.

The source is read once, as a tape of tags and texts. Starting with a text, the elements around it are found level by
level, backwards and forwards; only the selected element becomes a table. This works on bytes of any encoding in which
the bytes of `<` and `>` have no other meaning; other encodings are decoded first.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.kernel.constants import TOKEN_START
from pagesieve.page.static import SIZE_LIMIT, PageSource, as_utf8, built
from pagesieve.page.table import Page

if TYPE_CHECKING:
    from pagesieve.page.kernel.html.tape import Tape

_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BEGINNING = 1024  # bytes in which UTF-16 is recognised


class Part(NamedTuple):
    """An element by its tokens: from its start tag to before `stop`."""

    tape: Tape
    first: int
    stop: int

    @property
    def source(self) -> bytes:
        """The source of the element."""
        at, end = self.tape.span(self.first, self.stop)
        return self.tape.source[at:end]

    @property
    def nodes(self) -> int:
        """The number of elements and texts, including the element itself."""
        return self.tape.nodes(self.first, self.stop)

    @property
    def tree(self) -> Tree:
        """The element and its descendants."""
        tokens, parents = kernel.html.tape.forwards(self.tape, self.first, self.stop)
        return Tree.of(self.tape, tokens, parents)


class Partial(NamedTuple):
    """A page of which only a part was parsed: the size of the part, and the whole page on demand."""

    source: PageSource
    nodes: int  # elements and texts that were built
    size: int  # bytes that they were built from
    of: int  # bytes that the page has

    def __repr__(self) -> str:
        return f"<Partial: {self.nodes} nodes, {self.size} of {self.of} bytes>"

    @property
    def page(self) -> Page:
        """The whole page, parsed on first access."""
        return self.source.page


def parse_part(given: PageSource, choose: Callable[[Tape], Part]) -> tuple[Page, Partial]:
    """Parse the part of a page that `choose` selects from its tape, as a page of its own."""
    html = given.html
    if isinstance(html, Page):
        raise BadInput("reverse reads the source of a page: give it as text or bytes, not parsed")
    if not isinstance(html, str | bytes):
        raise BadInput(f"a page is str, bytes or Page, not {type(html).__name__}")
    if len(html) > SIZE_LIMIT:
        raise BadInput(f"a page of {len(html):,} bytes; {SIZE_LIMIT:,} is the most")
    part, source, encoding, why = _chosen(html, given.content_type, choose)
    page = built(source, given.url, encoding, why)
    return page, Partial(given, part.nodes, len(source), len(part.tape.source))


def _chosen(
    html: str | bytes, content_type: str | None, choose: Callable[[Tape], Part]
) -> tuple[Part, bytes, str, str]:
    """Return the part that `choose` selects, the part as UTF-8, and the encoding of the page with the reason for it."""
    if isinstance(html, str):
        part = choose(kernel.html.tape.Tape(html.encode("utf-8", "replace")))
        return part, part.source, "utf-8", "text"
    if not (html.startswith(_BYTE_ORDER_MARKS) or b"\0" in html[:_BEGINNING]):
        # Tags can be found in the original bytes; only the part has to be UTF-8.
        part = choose(kernel.html.tape.Tape(html))
        source = part.tape.utf8(part.first, part.stop)
        if source is not None:
            return part, source, "utf-8", "utf-8 body"
    decoded = as_utf8(html, content_type)
    part = choose(kernel.html.tape.Tape(decoded.utf8))
    return part, part.source, decoded.encoding, decoded.why


# How similar two elements are

MAX_COMPARED = 2000  # pairs of elements; all further pairs count as different
MAX_DEPTH = 200  # levels that are compared; everything below counts as different


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree of elements and texts: the name of each (-1 for a text), its children, its size, and its shape.

    Two nodes have the same shape if their descendants have the same names in the same order.
    """

    names: list[int]
    children: list[list[int]]
    sizes: list[int]
    shapes: list[int]

    @classmethod
    def of(cls, tape: Tape, tokens: Sequence[int], parents: Sequence[int]) -> Tree:
        """Return the tree of nodes in document order, given the token and the parent of each."""
        read = tape.tokens()
        names = [read[token][2] if read[token][3] >= TOKEN_START else -1 for token in tokens]
        return cls.made(names, parents)

    @classmethod
    def made(cls, names: list[int], parents: Sequence[int]) -> Tree:
        """Return the tree of nodes in document order, given the name and the parent of each."""
        children: list[list[int]] = [[] for _ in names]
        for node, parent in enumerate(parents):
            if parent >= 0:
                children[parent].append(node)
        sizes, shapes = [1] * len(names), [0] * len(names)
        known: dict[tuple[int, ...], int] = {}
        for node in range(len(names) - 1, -1, -1):
            sizes[node] += sum(sizes[child] for child in children[node])
            shape = (names[node], *(shapes[child] for child in children[node]))
            shapes[node] = known.setdefault(shape, len(known))
        return cls(names, children, sizes, shapes)

    def similarity(self, one: int, two: int) -> float:
        """Return the similarity of two nodes, from 0 to 1, by their names and the share of descendants that match.

        Children of one shape are compared once, and pairs of shapes are cached, so lists of similar items cost little.
        """
        return _Comparison(self).of(one, two)


class _Comparison:
    """A comparison of two nodes, with a cache of the pairs compared so far."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.known: dict[tuple[int, int], float] = {}

    def of(self, one: int, two: int, depth: int = 0) -> float:
        tree = self.tree
        if tree.names[one] != tree.names[two]:
            return 0.0
        if tree.shapes[one] == tree.shapes[two]:
            return 1.0
        pair = (min(tree.shapes[one], tree.shapes[two]), max(tree.shapes[one], tree.shapes[two]))
        if pair not in self.known:
            if len(self.known) >= MAX_COMPARED or depth >= MAX_DEPTH:
                return 0.0
            self.known[pair] = 0.0  # a placeholder while it is computed
            self.known[pair] = self._compared(one, two, depth + 1)
        return self.known[pair]

    def _compared(self, one: int, two: int, depth: int) -> float:
        ones, twos = self._distinct(one), self._distinct(two)
        shared = 2.0
        for own, others in ((ones, twos), (twos, ones)):
            for child, size in own.values():
                shared += size * max((self.of(child, other, depth) for other, _ in others.values()), default=0.0)
        return shared / (self.tree.sizes[one] + self.tree.sizes[two])

    def _distinct(self, node: int) -> dict[int, tuple[int, int]]:
        """Return the children of a node by shape: one of each, and the number of nodes in all of them."""
        found: dict[int, tuple[int, int]] = {}
        for child in self.tree.children[node]:
            shape, size = self.tree.shapes[child], self.tree.sizes[child]
            found[shape] = (child, found[shape][1] + size if shape in found else size)
        return found
