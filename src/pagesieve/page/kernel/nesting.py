# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Keeps a page's nesting within limits before the parser sees it.

HTML parsers walk their stack of open elements again and again, so 200,000 nested elements cost them minutes, and
unclosed formatting elements are written anew into every paragraph that follows. One pass over the source counts the
open elements by name and finds the tags beyond the limits; text is never left out.
"""

from __future__ import annotations

from array import array

import cython
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.tags import KNOWN_TAGS
from cython.cimports.pagesieve.page.kernel.tokenizer import Tokenizer, element_number

from pagesieve.page.kernel.common import zeros

_NAMES = {
    # Elements that never nest without another element between them, or hold only text: they are not counted.
    FLAT: (
        "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr "
        "p li dt dd tr td th tbody thead tfoot option optgroup rt rp rb rtc caption colgroup "
        "script style textarea title xmp iframe noembed noframes plaintext"
    ),
    FORMATTED: "a b big code em font i nobr s small strike strong tt u",
    # Drawn shapes, which svg closes with a slash; even outside of svg a parser has no trouble with many of them.
    SHAPE: "path circle rect line polyline polygon ellipse use stop g text tspan animate image",
    # Opened again, they give their attributes to the one that is open, one by one.
    ROOT: "html head body",
}


def _kinds() -> array[int]:
    kinds = array("i", bytes(4 * (KNOWN_TAGS + OTHER_NAMES)))
    for kind, names in _NAMES.items():
        for name in names.split():
            kinds[element_number(name.encode())] = kind
    return kinds


_KINDS = _kinds()


@cython.final
@cython.cclass
class _Limits:
    """Counts the elements that are open, and lists the spans that go beyond the limits."""

    tokens: Tokenizer
    kinds: cython.int[::1]  # by element
    opened: cython.int[::1]  # how many of each element are open
    cut: cython.int[::1]  # how many start tags of each were left out
    depth: cython.int
    formatting: cython.int
    roots: cython.int
    depth_limit: cython.int
    formatting_limit: cython.int
    attribute_limit: cython.int
    spans: list

    def __init__(self, html: bytes, depth: int, formatting: int, attributes: int):
        self.tokens = Tokenizer(html)
        self.kinds = _KINDS
        self.opened, self.cut = zeros("i", len(_KINDS)), zeros("i", len(_KINDS))
        self.depth = self.formatting = self.roots = 0
        self.depth_limit, self.formatting_limit, self.attribute_limit = depth, formatting, attributes
        self.spans = []

    def read(self) -> list[tuple[int, int]]:
        """Return the spans of the whole source."""
        tokens: Tokenizer = self.tokens
        kind: cython.int = tokens.next()
        while kind != TOKEN_NONE:
            if kind == TOKEN_START or kind == TOKEN_END:
                self.read_tag(kind)
                if kind == TOKEN_START and tokens.holds_text():
                    tokens.raw_text()
            kind = tokens.next()
        return self.spans

    @cython.cfunc
    def read_tag(self, kind: cython.int) -> cython.int:
        """Read a tag to its end, and leave it out, or its attributes beyond the limit."""
        tokens: Tokenizer = self.tokens
        excess: cython.Py_ssize_t = tokens.skip_attributes(self.attribute_limit)
        if self.end(tokens.tag) if kind == TOKEN_END else self.start(tokens.tag):
            self.spans.append((tokens.start, tokens.at))
        elif excess >= 0:
            self.spans.append((excess, tokens.at - tokens.closed))
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start(self, number: cython.int) -> cython.bint:
        """Count a start tag; return whether it is to be left out."""
        kind: cython.int = self.kinds[number]
        if kind == ROOT:
            self.roots += 1
            return self.roots > MOST_ROOTS
        if kind == FLAT or (kind == SHAPE and self.tokens.self_closing):
            return False
        if self.depth >= self.depth_limit or (kind == FORMATTED and self.formatting >= self.formatting_limit):
            self.cut[number] += 1
            return True
        self.opened[number] += 1
        self.depth += 1
        self.formatting += kind == FORMATTED
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end(self, number: cython.int) -> cython.bint:
        """Count an end tag; return whether it is to be left out, as its start tag was."""
        if self.cut[number] > 0:
            self.cut[number] -= 1
            return True
        if self.opened[number] > 0:
            self.opened[number] -= 1
            self.depth -= 1
            self.formatting -= self.kinds[number] == FORMATTED
        return False


def excess(
    html: bytes, depth_limit: cython.int, formatting_limit: cython.int, attribute_limit: cython.int
) -> list[tuple[int, int]]:
    """Return the spans beyond the limits: tags nested too deep, and a tag's attributes past the limit.

    Empty for nearly every page. Spans are in order and do not overlap.
    """
    return _Limits(html, depth_limit, formatting_limit, attribute_limit).read()
