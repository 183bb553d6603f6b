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

import cython
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memchr
from cython.cimports.pagesieve.page.kernel.common import zeros
from cython.cimports.pagesieve.page.kernel.constants import *
from cython.cimports.pagesieve.page.kernel.html.tokenizer import Tokenizer, is_utf8
from cython.cimports.pagesieve.page.kernel.tags import CLOSES_P, KNOWN_TAGS, TAG_A, VOID

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

_LAST_COUNT = cython.declare(cython.int, 1023)  # the bits of an element's number that its count is found by


# Room


def _int_room(count):
    """Return room for so many numbers, not cleared: to clear it may take as long as to read a page."""
    room: cython.p_int = cython.cast(cython.p_int, malloc((count + 1) * cython.sizeof(cython.int)))
    if room == cython.NULL:
        raise MemoryError
    return room


def _counts():
    """Return counts of elements, by the last bits of their numbers; known elements share one with rare names only."""
    counts: cython.p_int = cython.cast(cython.p_int, calloc(_LAST_COUNT + 1, cython.sizeof(cython.int)))
    if counts == cython.NULL:
        raise MemoryError
    return counts


# Reading

_FLAGS = cython.declare(cython.int[::1], TAG_FLAGS)
_ESCAPE = cython.declare(cython.int, 0x1B)
_BYTES_A_TOKEN = cython.declare(cython.int, 32)  # few pages have fewer; room for more is made when it is needed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _grown_room(column: cython.pointer(cython.p_int), room: cython.Py_ssize_t) -> cython.bint:
    """Make a column as long as it has to be; False where there is no memory for that."""
    made = cython.cast(cython.p_int, realloc(column[0], room * cython.sizeof(cython.int)))
    if made == cython.NULL:
        return False
    column[0] = made
    return True


class Tape:
    """The tags and texts of a source."""

    def __init__(self, source: bytes):
        """Read a source. Comments are left out, and the content of scripts, styles and others that hold only text.

        Texts are without the blanks around them, and those of nothing but blanks are no tokens.
        """
        tokens: Tokenizer = Tokenizer(source)
        self.source = source
        self.count = 0
        self.room = 0
        has_room: cython.bint
        with cython.nogil:
            has_room = self.grow(tokens.stop // _BYTES_A_TOKEN + 64) and self.read(tokens)
        if not has_room:
            raise MemoryError

    def __dealloc__(self):
        free(self.at)
        free(self.stop)
        free(self.tag)
        free(self.what)

    def __len__(self) -> int:
        return self.count

    def grow(self, room):
        """Make room for so many tokens."""
        self.room = room
        return (
            _grown_room(cython.address(self.at), room)
            and _grown_room(cython.address(self.stop), room)
            and _grown_room(cython.address(self.tag), room)
            and _grown_room(cython.address(self.what), room)
        )

    def read(self, tokens):
        """Read all tokens of a source."""
        source: cython.p_const_uchar = tokens.source
        kind: cython.int = -1
        linked: cython.bint = False
        n: cython.int = 0
        while kind != TOKEN_NONE:
            if n + 2 > self.room and not self.grow(2 * self.room):
                return False
            kind = tokens.next()
            first = tokens.text
            last = tokens.start
            while first < last and source[first] <= SPACE:
                first += 1
            while last > first and source[last - 1] <= SPACE:
                last -= 1
            if last > first:
                self.at[n] = cython.cast(cython.int, first)
                self.stop[n] = cython.cast(cython.int, last)
                self.tag[n] = 0
                self.what[n] = TOKEN_LINKED if linked else TOKEN_TEXT
                n += 1
            if kind == TOKEN_START or kind == TOKEN_END:
                self.at[n] = cython.cast(cython.int, tokens.start)
                self.tag[n] = tokens.tag
                if tokens.tag == TAG_A:
                    linked = kind == TOKEN_START
                self.what[n] = _read_tag(tokens, kind)
                self.stop[n] = cython.cast(cython.int, tokens.at)
                n += 1
        self.count = n
        return True

    def tokens(self) -> list[tuple[int, int, int, int]]:
        """Return all tokens: where each begins and ends, the number of its element, and what it is."""
        return [(self.at[k], self.stop[k], self.tag[k], self.what[k]) for k in range(self.count)]

    def span(self, first: cython.int, stop: cython.int) -> tuple[int, int]:
        """Return where the tokens from `first` to before `stop` begin in the source, and where they end."""
        self.check(first, stop)
        return self.at[first], self.stop[stop - 1]

    def utf8(self, first: cython.int, stop: cython.int) -> bytes | None:
        """Return the source of these tokens if it is UTF-8; None if not, or if it may be ISO-2022.

        That is written in the bytes of ASCII, and an ESC begins its other alphabets.
        """
        at, end = self.span(first, stop)
        source: bytes = self.source[at:end]
        has_escape: cython.bint = memchr(cython.cast(cython.p_const_uchar, source), _ESCAPE, len(source)) != cython.NULL
        return None if has_escape or not is_utf8(source) else source

    def nodes(self, first: cython.int, stop: cython.int) -> int:
        """Return how many elements and texts begin with the tokens from `first` to before `stop`."""
        if first == stop:
            return 0
        self.check(first, stop)
        k: cython.int
        count: cython.int = 0
        for k in range(first, stop):
            count += self.what[k] != TOKEN_END
        return count

    def check(self, first, stop):
        """Raise IndexError where no tokens stand from `first` to before `stop`."""
        if not 0 <= first < stop <= self.count:
            raise IndexError(f"tokens {first} to {stop} of {self.count}")
        return 0

    def longest(self, count: int) -> list[int]:
        """Return the longest texts outside of links, the longest first."""
        texts = [(self.at[k] - self.stop[k], k) for k in range(self.count) if self.what[k] == TOKEN_TEXT]
        return [k for _, k in sorted(texts)[:count]]

    def around(self, token: cython.int) -> list[tuple[int, int]]:
        """Return the elements around a token, the innermost first: its start tag, and before which token it ends.

        The end tag of an element, where there is one, is the last of its tokens.
        """
        self.check(token, token + 1)
        found: Surroundings = Surroundings(self, token)
        found.find()
        return [(found.start[k], found.stop[k]) for k in range(found.levels)]

    def grown(self, least: cython.int, window: cython.int, gain: cython.double) -> tuple[int, int] | None:
        """Return the tokens, from and to before, of the largest element around the densest text that is worth its size.

        The densest is the text that has the most text of `least` bytes or more, outside of links, within `window`
        tokens. An element is worth its size where it holds `gain` times the long text of the one it was grown from; the
        first is the one that holds a second long text.
        """
        text: cython.int = -1
        texts: LongTexts = LongTexts(self, least)
        with cython.nogil:
            text = texts.densest(window)
        if text < 0:
            return None
        found: Surroundings = Surroundings(self, text)
        best: cython.int = 0
        with cython.nogil:
            found.find()
            best = texts.worth_most(found, gain)
        if best < 0:
            return text, text + 1
        return found.start[best], found.stop[best]


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


# Growing


class LongTexts:
    """The texts outside of links that have a least size, and what elements hold of them."""

    def __init__(self, tape: Tape, least: cython.int):
        self.tape = tape
        self.count = 0
        self.places = _int_room(tape.count)
        self.sizes = _int_room(tape.count)
        k: cython.int
        for k in range(tape.count):
            size = tape.stop[k] - tape.at[k]
            if tape.what[k] == TOKEN_TEXT and size >= least:
                self.places[self.count] = k
                self.sizes[self.count] = size
                self.count += 1

    def __dealloc__(self):
        free(self.places)
        free(self.sizes)

    def densest(self, window):
        """Return the text that has the most of the others within `window` tokens of it, or -1.

        The longest text of a page may be a lone one: a cookie notice, a licence. An article's stand together.
        """
        best: cython.int = -1
        most: cython.longlong = -1
        total: cython.longlong = 0
        first: cython.int = 0  # of those within the window, and the one after the last
        stop: cython.int = 0
        k: cython.int
        for k in range(self.count):
            while stop < self.count and self.places[stop] - self.places[k] <= window:
                total += self.sizes[stop]
                stop += 1
            while self.places[k] - self.places[first] > window:
                total -= self.sizes[first]
                first += 1
            if total > most or (total == most and self.sizes[k] > self.sizes[best]):
                best = k
                most = total
        return self.places[best] if best >= 0 else -1

    def worth_most(self, found, gain):
        """Return which of the elements around a text is the largest that is worth its size, or -1 if there are none."""
        best: cython.int = 0
        level: cython.int
        if found.levels == 0:
            return -1
        self.weigh(found)
        while best < found.levels and found.held[best] <= found.held[0]:
            best += 1
        if best == found.levels:
            best = 0
        for level in range(best + 1, found.levels):
            if found.held[level] >= gain * found.held[best]:
                best = level
        return best

    def weigh(self, found):
        """Write how many bytes of these texts each element around a text holds."""
        k: cython.int
        first: cython.int = 0  # of the texts that were counted, and the one after the last
        while first < self.count and self.places[first] < found.token:
            first += 1
        stop: cython.int = first
        total: cython.int = 0
        for k in range(found.levels):
            while first > 0 and self.places[first - 1] >= found.start[k]:
                first -= 1
                total += self.sizes[first]
            while stop < self.count and self.places[stop] < found.stop[k]:
                total += self.sizes[stop]
                stop += 1
            found.held[k] = total


class Stack:
    """Tags that wait for the other tag of their element."""

    def __init__(self, room: cython.Py_ssize_t):
        self.names = _int_room(room + 1)
        self.counts = _counts()
        self.depth = 0

    def __dealloc__(self):
        free(self.names)
        free(self.counts)

    def push(self, tag):
        """Put a tag on the stack."""
        self.names[self.depth] = tag
        self.counts[tag & _LAST_COUNT] += 1
        self.depth += 1

    def pop_to(self, depth):
        """Take tags off the stack until so many are left."""
        while self.depth > depth:
            self.depth -= 1
            self.counts[self.names[self.depth] & _LAST_COUNT] -= 1

    def pair(self, tag):
        """Find the innermost tag that a tag belongs to. Only a table's own tags reach out of its cells."""
        k: cython.int = self.depth - 1
        least: cython.int = max(self.depth - MAX_DISTANCE, 0)
        if self.counts[tag & _LAST_COUNT] == 0:
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


class Surroundings:
    """The elements around a token."""

    def __init__(self, tape: Tape, token: cython.int):
        self.tape, self.tags, self.whats = tape, tape.tag, tape.what
        self.count, self.token = tape.count, token
        self.levels = self.level = self.top = self.outer = 0
        self.start, self.stop, self.held = _int_room(token), _int_room(token), _int_room(token)
        self.bars, self.base, self.ends = _int_room(token), _int_room(self.count + 1), _int_room(self.count - token)
        self.stack = Stack(self.count)
        self.around = _counts()

    def __dealloc__(self):
        free(self.start)
        free(self.stop)
        free(self.held)
        free(self.bars)
        free(self.base)
        free(self.ends)
        free(self.around)

    def find(self):
        """Find all of them."""
        self.wait_for_ends()
        self.find_starts()
        self.find_ends()

    def wait_for_ends(self):
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
                    self.ends[self.outer] = self.tags[i]
                    self.outer += 1
        self.stack.pop_to(0)
        self.base[0] = 0
        for k in range(self.outer):
            self.stack.push(self.ends[self.outer - 1 - k])
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
        self.around[self.tags[i] & _LAST_COUNT] += 1

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
        if self.around[tag & _LAST_COUNT] == 0:
            return
        found = self.level
        while found < self.levels and found - self.level < MAX_DISTANCE and self.tags[self.start[found]] != tag:
            found += 1
        if found < self.levels and self.tags[self.start[found]] == tag:
            self.stack.pop_to(0)
            while self.level < found:
                self.end_level(i)
            self.end_level(i + 1)

    def end_level(self, stop):
        """End the innermost element around the token that has not ended."""
        self.stop[self.level] = stop
        self.around[self.tags[self.start[self.level]] & _LAST_COUNT] -= 1
        self.level += 1


# Trees


def forwards(tape: Tape, first: cython.int, stop: cython.int) -> tuple[array[int], array[int]]:
    """Return the tree of the tokens from `first` to before `stop`: the token and the parent (or -1) of each node.

    A start tag first ends the elements that cannot hold it, as far as their end tags may be omitted. An end tag ends
    the innermost element of its name and all that is open inside; without one it means nothing.
    """
    first, stop = max(first, 0), min(stop, tape.count)
    tags, whats = tape.tag, tape.what
    most: cython.Py_ssize_t = max(stop - first, 0)
    tokens, parents = zeros("i", most), zeros("i", most)
    token: cython.int[::1] = tokens
    parent: cython.int[::1] = parents
    stack: Stack = Stack(most)
    nodes: cython.int[::1] = zeros("i", most + 1)  # of what is on the stack
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


def backwards(tape: Tape, first: cython.int, stop: cython.int) -> tuple[array[int], array[int]]:
    """Return the same tree, built from the last token to the first, as the paper has it.

    End tags wait on a stack for their start tags; every new node becomes the first child of the active one. A start
    tag that does not pair with the last end tag has lost its own: it takes over the leading children of the active node
    that it may hold. Where it pairs with an earlier one, those in between never had a start tag and dissolve.
    """
    first, stop = max(first, 0), min(stop, tape.count)
    tags, whats = tape.tag, tape.what
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
        self.above, self.nodes = zeros("i", room), zeros("i", room)
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
