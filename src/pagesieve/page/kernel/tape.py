# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
"""A tape: the tags and texts of a source, one after the other; and which of its tags belong together.

A token is where it begins and ends, whose tag it is, and what it is. The tape can be read in both directions, which is
what parsing backwards needs.

An end tag may be omitted where the element cannot hold what follows, or where its parent ends. Forwards that is decided
when the next start tag comes. Backwards a start tag without its end tag takes over what it may hold of what was found
so far; the two give the same tree wherever only such end tags are missing.

What is around a text is found without a tree. Backwards from it, a start tag that no end tag waits for is of an element
around it; forwards, an end tag that nothing open waits for ends one of those. Every token is looked at once.
`tape.pxd` has the types.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.tags import CLOSES_P, KNOWN_TAGS, TAG_A, VOID
from cython.cimports.pagesieve.page.kernel.tokenizer import Tokenizer, int_room

from pagesieve.page.kernel.tags import TAG_FLAGS, TAG_ID, TAGS, TREE_RULES

# Elements whose end tag may be omitted, and what they cannot hold then: groups by bits.
_GROUPS = {
    1: ("li", "li"),
    2: ("dt dd", "dt dd"),
    4: ("option", "option optgroup"),
    8: ("optgroup", "optgroup"),
    16: ("td th", "td th tr tbody thead tfoot"),
    32: ("tr", "tr tbody thead tfoot"),
    64: ("tbody thead tfoot caption colgroup", "tbody thead tfoot"),
    128: ("p", " ".join(name for name, rules in zip(TAGS, TREE_RULES, strict=True) if rules & CLOSES_P)),
    256: ("caption colgroup", "tr td th"),
    512: ("rt rp", "rt rp"),
}


def _bits(column: int) -> array[int]:
    bits = zeros("i", KNOWN_TAGS + OTHER_NAMES)
    for bit, names in _GROUPS.items():
        for name in names[column].split():
            bits[TAG_ID[name]] |= bit
    return bits


# By element: the groups it is in, and the groups that cannot hold it.
GROUPS = _bits(0)
BARRED = _bits(1)
_groups = cython.declare(cython.int[::1], GROUPS)
_barred = cython.declare(cython.int[::1], BARRED)
# By element: whether the search for what an end tag closes ends there.
_scopes = cython.declare(cython.uchar[::1], bytearray(KNOWN_TAGS + OTHER_NAMES))
for _name in ("table", "html", "template", "object", "applet", "marquee"):
    _scopes[TAG_ID[_name]] = 1


# Reading

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)
_BYTES_A_TOKEN = 16  # few pages have fewer


def _read(tokens, at, stops, tag, what, room):
    """Write the tokens of a source into columns; return how many there are, or -1 if there is no room for them."""
    source: cython.p_const_uchar = tokens.source
    kind: cython.int = -1
    linked: cython.bint = False
    n: cython.Py_ssize_t = 0
    while kind != TOKEN_NONE:
        if n + 2 > room:
            return -1
        kind = tokens.next()
        first = tokens.text
        last = tokens.start
        while first < last and source[first] <= SPACE:
            first += 1
        while last > first and source[last - 1] <= SPACE:
            last -= 1
        if last > first:
            at[n] = cython.cast(cython.int, first)
            stops[n] = cython.cast(cython.int, last)
            tag[n] = 0
            what[n] = TOKEN_LINKED if linked else TOKEN_TEXT
            n += 1
        if kind == TOKEN_START or kind == TOKEN_END:
            at[n] = cython.cast(cython.int, tokens.start)
            tag[n] = tokens.tag
            if tokens.tag == TAG_A:
                linked = kind == TOKEN_START
            what[n] = _read_tag(tokens, kind)
            stops[n] = cython.cast(cython.int, tokens.at)
            n += 1
    return n


def _read_tag(tokens, kind):
    """Read to the end of a tag, or of its element where that holds only text; return what it is on the tape."""
    if tokens.in_tag:
        tokens.skip_attributes(-1)
    if kind == TOKEN_END:
        return kind
    if tokens.tag >= KNOWN_TAGS:  # a slash says that it has no content
        return TOKEN_ALONE if tokens.self_closing else TOKEN_START
    if _FLAGS[tokens.tag] & VOID:
        return TOKEN_ALONE
    if not tokens.holds_text():
        return TOKEN_START
    tokens.raw_text()
    return TOKEN_ALONE


def scan(source: bytes) -> tuple[int, Any, Any, Any, bytearray]:
    """Return the tokens of a source: how many, where each begins and ends, the number of its element, what it is.

    Comments are left out, and so is the content of scripts, styles and other elements that hold only text. Texts are
    without the blanks around them, and those of nothing but blanks are no tokens. To count the tags first would take
    longer than to read them all, so a page with more than there is room for is read again.
    """
    room: cython.Py_ssize_t = len(source) // _BYTES_A_TOKEN + 64
    count: cython.Py_ssize_t = -1
    while count < 0:
        at, stop, tag, what = int_room(room), int_room(room), int_room(room), bytearray(room)
        count = _read(Tokenizer(source), at, stop, tag, what, room)
        room *= 8
    return count, at, stop, tag, what


class Stack:
    """Tags that wait for the other tag of their element."""

    def __init__(self, room: cython.Py_ssize_t):
        self.names = int_room(room + 1)
        self.counts = zeros("i", KNOWN_TAGS + OTHER_NAMES)
        self.depth = 0

    def push(self, tag):
        """Put a tag on the stack."""
        self.names[self.depth] = tag
        self.counts[tag] += 1
        self.depth += 1

    def pop_to(self, depth):
        """Take tags off the stack until so many are left."""
        while self.depth > depth:
            self.depth -= 1
            self.counts[self.names[self.depth]] -= 1

    def pair(self, tag):
        """Find the innermost tag that a tag belongs to. Only a table's own tags reach out of its cells."""
        k: cython.int = self.depth - 1
        least: cython.int = max(self.depth - FARTHEST, 0)
        if self.counts[tag] == 0:
            return -1
        while k >= least and self.names[k] != tag:
            if _scopes[self.names[k]] and not _scopes[tag]:
                return -1
            k -= 1
        return k if k >= least else -1

    def make_way(self, tag):
        """End the elements that cannot hold a start tag."""
        while self.depth > 0 and _groups[self.names[self.depth - 1]] & _barred[tag]:
            self.pop_to(self.depth - 1)


def forwards(tags_: Any, whats_: Any, first: cython.int, stop: cython.int) -> tuple[array[int], array[int]]:
    """Return the tree of the tokens from `first` to before `stop`: the token and the parent (or -1) of each node.

    A start tag first ends the elements that cannot hold it, as far as their end tags may be omitted. An end tag ends
    the innermost element of its name and all that is open inside; without one it means nothing.
    """
    tags: cython.const[cython.int][::1] = tags_
    whats: cython.const[cython.uchar][::1] = whats_
    most: cython.Py_ssize_t = max(stop - first, 0)
    tokens, parents = zeros("i", most), zeros("i", most)
    token: cython.int[::1] = tokens
    parent: cython.int[::1] = parents
    stack: Stack = Stack(most)
    nodes: cython.int[::1] = int_room(most + 1)  # of what is on the stack
    n: cython.int = 0
    for i in range(first, stop):
        if whats[i] == TOKEN_END:
            k = stack.pair(tags[i])
            if k >= 0:
                stack.pop_to(k)
            continue
        if whats[i] == TOKEN_START or whats[i] == TOKEN_ALONE:
            stack.make_way(tags[i])
        token[n] = i
        parent[n] = nodes[stack.depth - 1] if stack.depth else -1
        if whats[i] == TOKEN_START:
            nodes[stack.depth] = n
            stack.push(tags[i])
        n += 1
    return tokens[:n], parents[:n]


def backwards(tags_: Any, whats_: Any, first: cython.int, stop: cython.int) -> tuple[array[int], array[int]]:
    """Return the same tree, built from the last token to the first, as the paper has it.

    End tags wait on a stack for their start tags; every new node becomes the first child of the active one. A start
    tag that does not pair with the last end tag has lost its own: it takes over the leading children of the active node
    that it may hold. Where it pairs with an earlier one, those in between never had a start tag and dissolve.
    """
    tags: cython.const[cython.int][::1] = tags_
    whats: cython.const[cython.uchar][::1] = whats_
    tree: BackwardTree = BackwardTree(max(stop - first, 0) + 1)
    for i in range(stop - 1, first - 1, -1):
        node = i - first + 1
        if whats[i] == TOKEN_END:
            tree.read_end_tag(node, tags[i])
        elif whats[i] == TOKEN_START:
            tree.read_start_tag(node, tags[i], i)
        else:
            tree.token[node] = i
            if whats[i] == TOKEN_ALONE:
                tree.name[node] = tags[i]
            tree.put_first(node)
    tree.dissolve_to(0)
    return tree.in_order()


class BackwardTree:
    """A tree that grows from its last token to its first."""

    def __init__(self, room: cython.Py_ssize_t):
        self.token = array("i", [-1]) * room
        self.name = array("i", [-1]) * room
        self.child, self.last, self.sibling = zeros("i", room), zeros("i", room), zeros("i", room)
        self.above, self.nodes = int_room(room), int_room(room)
        self.ends = Stack(room)
        self.active = 0

    def put_first(self, node):
        """Make a node the first child of the active one."""
        self.sibling[node] = self.child[self.active]
        if self.child[self.active] == 0:
            self.last[self.active] = node
        self.child[self.active] = node

    def read_end_tag(self, node, tag):
        """Let an end tag wait for its start tag; its node is the active one until then."""
        self.name[node] = tag
        self.put_first(node)
        self.above[node] = self.active
        self.active = node
        self.nodes[self.ends.depth] = node
        self.ends.push(tag)

    def read_start_tag(self, node, tag, token):
        """Pair a start tag with its end tag, or make a node of it where that was omitted."""
        k: cython.int = self.ends.pair(tag)
        if k >= 0 and (_groups[tag] == 0 or (k == self.ends.depth - 1 and self.holds_all(tag))):
            self.dissolve_to(k + 1)
            self.ends.pop_to(k)
            self.token[self.nodes[k]] = token
            self.active = self.above[self.nodes[k]]
        else:
            self.token[node] = token
            self.name[node] = tag
            self.adopt(node)

    def holds_all(self, tag):
        """Whether an element may hold all children of the active node; if not, the end tag is another element's."""
        child: cython.int = self.child[self.active]
        while child:
            if self.name[child] >= 0 and _groups[tag] & _barred[self.name[child]]:
                return False
            child = self.sibling[child]
        return True

    def adopt(self, node):
        """Make a node the first child of the active one, and what it may hold of the next children its own."""
        groups: cython.int = _groups[self.name[node]]
        last: cython.int = 0
        k: cython.int = self.child[self.active]
        while k and (self.name[k] < 0 or not groups & _barred[self.name[k]]):
            last = k
            k = self.sibling[k]
        if last:
            self.child[node] = self.child[self.active]
            self.last[node] = last
            self.sibling[last] = 0
        self.sibling[node] = k
        self.child[self.active] = node
        if k == 0:
            self.last[self.active] = node

    def dissolve_to(self, depth):
        """Put the children of end tags without start tags in their place, until so many are left on the stack."""
        while self.ends.depth > depth:
            node: cython.int = self.nodes[self.ends.depth - 1]
            parent: cython.int = self.above[node]
            self.ends.pop_to(self.ends.depth - 1)
            if self.child[node] == 0:
                self.child[parent] = self.sibling[node]
                continue
            self.child[parent] = self.child[node]
            self.sibling[self.last[node]] = self.sibling[node]
            if self.sibling[node] == 0:
                self.last[parent] = self.last[node]

    def in_order(self) -> tuple[array[int], array[int]]:
        """Return the token and the parent (or -1) of each node, in document order."""
        tokens: array[int] = array("i")
        parents: array[int] = array("i")
        waiting = [(self.child[0], -1)]
        while waiting:
            node, above = waiting.pop()
            if node:
                waiting.append((self.sibling[node], above))
                waiting.append((self.child[node], len(tokens)))
                tokens.append(self.token[node])
                parents.append(above)
        return tokens, parents


def around(tags: Any, whats: Any, count: cython.int, token: cython.int) -> tuple[list[int], list[int]]:
    """Return the elements around a token, the innermost first: the token of each one's start tag, and where it ends.

    An element ends before the token given; its end tag, where there is one, is the last of its tokens.
    """
    found: Surroundings = Surroundings(tags, whats, count, token)
    found.find()
    return list(found.start[: found.levels]), list(found.stop[: found.levels])


class Surroundings:
    """The elements around a token."""

    def __init__(self, tags: Any, whats: Any, count: cython.int, token: cython.int):
        self.tags, self.whats, self.count, self.token = tags, whats, count, token
        self.levels = self.level = self.top = self.outer = 0
        self.start, self.stop, self.bars = int_room(token + 1), int_room(token + 1), int_room(token + 1)
        self.base = int_room(count + 2)
        self.stack = Stack(count)
        self.around = zeros("i", KNOWN_TAGS + OTHER_NAMES)

    def find(self):
        """Find all of them."""
        self.wait_for_ends(int_room(self.count - self.token + 1))
        self.find_starts()
        self.find_ends()
        return 0

    def wait_for_ends(self, ends):
        """Put on the stack the end tags after the token that close nothing opened after it, the first of them last.

        They are those of the elements around it, and strays.
        """
        for i in range(self.token + 1, self.count):
            if self.whats[i] == TOKEN_START:
                self.stack.push(self.tags[i])
            elif self.whats[i] == TOKEN_END:
                k = self.stack.pair(self.tags[i])
                if k >= 0:
                    self.stack.pop_to(k)
                else:
                    ends[self.outer] = self.tags[i]
                    self.outer += 1
        self.stack.pop_to(0)
        self.base[0] = 0
        for k in range(self.outer):
            self.stack.push(ends[self.outer - 1 - k])
            self.base[k + 1] = 0

    def find_starts(self):
        """Find the start tags of the elements around the token, from it to the first token."""
        for i in range(self.token - 1, -1, -1):
            tag = self.tags[i]
            if self.whats[i] == TOKEN_END:
                self.stack.push(tag)
                self.base[self.stack.depth] = self.top
            elif self.whats[i] == TOKEN_ALONE:
                self.bar(tag)
            elif self.whats[i] == TOKEN_START:
                self.read_start_tag(i, tag)
        self.stack.pop_to(0)  # end tags without start tags

    def read_start_tag(self, i, tag):
        """Pair a start tag before the token with its end tag, or let it take over what it may hold."""
        depth: cython.int = self.stack.depth
        run: cython.int = self.top  # where those begin that the element may hold
        while run > self.base[depth] and not _groups[tag] & self.bars[run - 1]:
            run -= 1
        k: cython.int = self.stack.pair(tag)
        if k >= 0 and (_groups[tag] == 0 or (k == depth - 1 and run == self.base[depth])):
            self.top = self.base[k + 1]
            self.stack.pop_to(k)
            if k < self.outer:  # of an element around the token; those before it on the stack never had a start tag
                self.outer = k
                self.add_level(i)
        else:
            self.top = run
            if depth == self.outer and run == 0:
                self.add_level(i)
        self.bar(tag)

    def add_level(self, i):
        """Add the element of a start tag to those around the token."""
        self.start[self.levels] = i
        self.stop[self.levels] = self.count
        self.levels += 1
        self.around[self.tags[i]] += 1

    def bar(self, tag):
        """Note what an element cannot stand in."""
        self.bars[self.top] = _barred[tag]
        self.top += 1

    def find_ends(self):
        """Find where the elements around the token end, from it to the last token."""
        for i in range(self.token + 1, self.count):
            if self.level >= self.levels:
                return
            if self.whats[i] == TOKEN_END:
                self.end_after(i, self.tags[i])
            elif self.whats[i] == TOKEN_START or self.whats[i] == TOKEN_ALONE:
                self.start_after(i, self.tags[i])

    def start_after(self, i, tag):
        """Read a start tag after the token: it ends elements that cannot hold it."""
        self.stack.make_way(tag)
        if self.stack.depth == 0:
            while self.level < self.levels and _groups[self.tags[self.start[self.level]]] & _barred[tag]:
                self.end_level(i)
        if self.whats[i] == TOKEN_START:
            self.stack.push(tag)

    def end_after(self, i, tag):
        """Read an end tag after the token: it ends an element opened after it, or one around it."""
        found: cython.int = self.stack.pair(tag)
        if found >= 0:
            self.stack.pop_to(found)
            return
        if self.around[tag] == 0:
            return
        found = self.level
        while found < self.levels and found - self.level < FARTHEST and self.tags[self.start[found]] != tag:
            found += 1
        if found < self.levels and self.tags[self.start[found]] == tag:
            self.stack.pop_to(0)
            while self.level < found:
                self.end_level(i)
            self.end_level(i + 1)

    def end_level(self, stop):
        """End the innermost element around the token that has not ended."""
        self.stop[self.level] = stop
        self.around[self.tags[self.start[self.level]]] -= 1
        self.level += 1


def _long_texts(tape, least):
    """Return the bytes of each token that is a text outside of links and has `least` bytes or more; 0 for others."""
    i: cython.Py_ssize_t
    at: cython.const[cython.int][::1] = tape[0]
    stops: cython.const[cython.int][::1] = tape[1]
    whats: cython.const[cython.uchar][::1] = tape[3]
    count: cython.Py_ssize_t = tape[4]
    sizes: cython.int[::1] = int_room(count)
    for i in range(count):
        size = stops[i] - at[i]
        sizes[i] = size if whats[i] == TOKEN_TEXT and size >= least else 0
    return sizes


def _densest(sizes, window):
    """Return the long text that has the most long text within `window` tokens of it, or -1.

    The longest text of a page may be a lone one: a cookie notice, a licence. An article's stand together.
    """
    best: cython.int = -1
    most: cython.longlong = -1
    total: cython.longlong = 0
    longest: cython.int = 0
    i: cython.int
    count: cython.int = cython.cast(cython.int, sizes.shape[0])
    for i in range(-window, count):
        if i + window < count:
            total += sizes[i + window]
        if i - window > 0:
            total -= sizes[i - window - 1]
        if i >= 0 and sizes[i] > 0 and (total > most or (total == most and sizes[i] > longest)):
            best = i
            most = total
            longest = sizes[i]
    return best


def _covered(sizes, found, held):
    """Write how many bytes of long texts each element around a token holds."""
    k: cython.int
    i: cython.int
    first: cython.int = found.token
    stop: cython.int = first
    total: cython.longlong = 0
    for k in range(found.levels):
        for i in range(found.start[k], first):
            total += sizes[i]
        for i in range(stop, found.stop[k]):
            total += sizes[i]
        first = found.start[k]
        stop = max(stop, found.stop[k])
        held[k] = total


def _worth_most(held, levels, gain):
    """Return the largest element that is worth its size, by its level."""
    best: cython.int = 0
    level: cython.int
    while best < levels and held[best] <= held[0]:
        best += 1
    if best == levels:
        best = 0
    for level in range(best + 1, levels):
        if held[level] >= gain * held[best]:
            best = level
    return best


def grown(
    tape: tuple[Any, Any, Any, Any, int], least: cython.int, window: cython.int, gain: cython.double
) -> tuple[int, int] | None:
    """Return the tokens, from and to before, of the largest element around the densest text that is worth its size.

    It is worth it where it holds `gain` times the long text of the one it was grown from; the first is the one that
    holds a second long text. The tape is where tokens begin and end, their elements, what they are, and how many.
    """
    sizes: cython.int[::1] = _long_texts(tape, least)
    text: cython.int = _densest(sizes, window)
    if text < 0:
        return None
    found: Surroundings = Surroundings(tape[2], tape[3], tape[4], text)
    found.find()
    if found.levels == 0:
        return text, text + 1
    held: cython.int[::1] = int_room(found.levels)
    _covered(sizes, found, held)
    best: cython.int = _worth_most(held, found.levels, gain)
    return found.start[best], found.stop[best]
