# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Which tags belong together: the tree of some tokens, built forwards or backwards, and what is around one of them.

An end tag may be left away where the element cannot hold what follows, or where its parent ends. Forwards that is
decided when the next start tag comes. Backwards a start tag without its end tag takes over what it may hold of what was
found so far; the two give the same tree wherever only such end tags are missing.

What is around a text is found without a tree. Backwards from it, a start tag that no end tag waits for is of an element
around it; forwards, an end tag that nothing open waits for ends one of those. Every token is looked at once.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from pagesieve.page.kernel.tags import CLOSES_P, TAG_ID, TAGS, TREE_RULES

# What a token is: the numbers of `tape`.
TEXT = cython.declare(cython.int, 0)
LINKED = cython.declare(cython.int, 1)
START = cython.declare(cython.int, 2)
END = cython.declare(cython.int, 3)
ALONE = cython.declare(cython.int, 4)

KNOWN = cython.declare(cython.int, len(TAGS))
NUMBERS = cython.declare(cython.int, len(TAGS) + 16384)  # that `tape` gives
# Levels that are searched for what a tag belongs to: or a page of end tags that close nothing would take for ever.
FARTHEST = cython.declare(cython.int, 512)

# Elements whose end tag may be left away, and what they cannot hold then: groups by bits.
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
    bits = array("i", [0]) * len(TAGS)
    for bit, names in _GROUPS.items():
        for name in names[column].split():
            bits[TAG_ID[name]] |= bit
    return bits


# By element: the groups it is of, and the groups that cannot hold it.
_OPEN = _bits(0)
_BARRED = _bits(1)
# Where the search for what an end tag closes ends.
_SCOPES = bytearray(len(TAGS))
for _name in ("table", "html", "template", "object", "applet", "marquee"):
    _SCOPES[TAG_ID[_name]] = 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _holds(
    tag: cython.int,
    child: cython.int,
    opens: cython.const[cython.int][::1],
    barred: cython.const[cython.int][::1],
) -> cython.bint:
    return tag >= KNOWN or child >= KNOWN or not opens[tag] & barred[child]


@cython.cfunc
@cython.exceptval(check=False)
def _pair(
    tag: cython.int,
    names: cython.int[::1],
    depth: cython.int,
    open_of: cython.int[::1],
    scopes: cython.const[cython.uchar][::1],
) -> cython.int:
    """The innermost of what is open that a tag belongs to, or -1. Only a table's own tags reach out of its cells."""
    k: cython.int = depth - 1
    least: cython.int = max(depth - FARTHEST, 0)
    if not open_of[tag]:
        return -1
    while k >= least and names[k] != tag:
        if names[k] < KNOWN and scopes[names[k]] and not (tag < KNOWN and scopes[tag]):
            return -1
        k -= 1
    return k if k >= least else -1


def forwards(tags_: Any, whats_: Any, first: cython.int, stop: cython.int) -> tuple[array[int], array[int]]:
    """The tree of the tokens from `first` to before `stop`: the token of each node, in order, and its parent or -1.

    A start tag first ends the elements that cannot hold it, as far as their end tags may be left away. An end tag ends
    the innermost element of its name and all that is open inside; where there is none it is nothing.
    """
    tags: cython.const[cython.int][::1] = tags_
    whats: cython.const[cython.uchar][::1] = whats_
    opens: cython.const[cython.int][::1] = _OPEN
    barred: cython.const[cython.int][::1] = _BARRED
    scopes: cython.const[cython.uchar][::1] = _SCOPES
    most: cython.Py_ssize_t = max(stop - first, 0)
    token_ = array("i", bytes(4 * most))
    parent_ = array("i", bytes(4 * most))
    stack_ = array("i", bytes(4 * most))
    token: cython.int[::1] = token_
    parent: cython.int[::1] = parent_
    stack: cython.int[::1] = stack_
    names_ = array("i", bytes(4 * most))  # of what is open
    open_ = array("i", bytes(4 * NUMBERS))  # how many of each
    names: cython.int[::1] = names_
    open_of: cython.int[::1] = open_
    n: cython.int = 0
    depth: cython.int = 0
    i: cython.int
    k: cython.int
    tag: cython.int
    for i in range(first, stop):
        tag = tags[i]
        if whats[i] == END:
            k = _pair(tag, names, depth, open_of, scopes)
            while k >= 0 and depth > k:
                depth -= 1
                open_of[names[depth]] -= 1
            continue
        if whats[i] == START or whats[i] == ALONE:
            while depth and not _holds(names[depth - 1], tag, opens, barred):
                depth -= 1
                open_of[names[depth]] -= 1
        token[n] = i
        parent[n] = stack[depth - 1] if depth else -1
        if whats[i] == START:
            stack[depth] = n
            names[depth] = tag
            open_of[tag] += 1
            depth += 1
        n += 1
    return token_[:n], parent_[:n]


def backwards(tags_: Any, whats_: Any, first: cython.int, stop: cython.int) -> tuple[array[int], array[int]]:
    """The same tree, built from the last token to the first, as the paper has it.

    End tags wait on a stack for their start tags; every new node becomes the first child of the active one. A start
    tag that does not pair with the last end tag has lost its own: it takes over the leading children of the active node
    that it may hold. Where it pairs with an earlier one, those in between never had a start tag and dissolve.
    """
    tags: cython.const[cython.int][::1] = tags_
    whats: cython.const[cython.uchar][::1] = whats_
    opens: cython.const[cython.int][::1] = _OPEN
    barred: cython.const[cython.int][::1] = _BARRED
    scopes: cython.const[cython.uchar][::1] = _SCOPES
    most: cython.Py_ssize_t = max(stop - first, 0) + 1
    # A node is the token it was made of, counted from `first`, but 0 is the root around all of them. One of an end tag
    # takes the place of its start tag when that is found; until then `of` is -1.
    of_ = array("i", [-1]) * most
    name_ = array("i", [-1]) * most
    child_ = array("i", bytes(4 * most))  # the first one, 0 where there is none
    next_ = array("i", bytes(4 * most))
    above_ = array("i", bytes(4 * most))  # of nodes that are open
    last_ = array("i", bytes(4 * most))  # child of each, where it has one
    stack_ = array("i", bytes(4 * most))
    names_ = array("i", bytes(4 * most))  # of what is on the stack
    open_ = array("i", bytes(4 * NUMBERS))  # how many of each
    of: cython.int[::1] = of_
    name: cython.int[::1] = name_
    child: cython.int[::1] = child_
    nexts: cython.int[::1] = next_
    above: cython.int[::1] = above_
    lasts: cython.int[::1] = last_
    stack: cython.int[::1] = stack_
    names: cython.int[::1] = names_
    open_of: cython.int[::1] = open_
    depth: cython.int = 0
    active: cython.int = 0
    node: cython.int
    last: cython.int
    i: cython.int
    k: cython.int
    tag: cython.int
    for i in range(stop - 1, first - 1, -1):
        tag = tags[i]
        node = i - first + 1
        if whats[i] == END:
            name[node] = tag
            _put_first(node, active, child, nexts, lasts)
            above[node] = active
            active = node
            stack[depth] = node
            names[depth] = tag
            open_of[tag] += 1
            depth += 1
            continue
        if whats[i] != START:
            of[node] = i
            if whats[i] == ALONE:
                name[node] = tag
            _put_first(node, active, child, nexts, lasts)
            continue
        k = _pair(tag, names, depth, open_of, scopes)
        if k >= 0 and (
            tag >= KNOWN or not opens[tag] or (k == depth - 1 and _holds_all(tag, child[active], name, nexts))
        ):
            while depth - 1 > k:
                depth -= 1
                open_of[names[depth]] -= 1
                _dissolve(stack[depth], above[stack[depth]], child, nexts, lasts)
            depth -= 1
            open_of[tag] -= 1
            of[stack[depth]] = i
            active = above[stack[depth]]
            continue
        of[node] = i
        name[node] = tag
        last = 0
        k = child[active]
        while k and (name[k] < 0 or _holds(tag, name[k], opens, barred)):
            last = k
            k = nexts[k]
        if last:
            child[node] = child[active]
            lasts[node] = last
            nexts[last] = 0
        nexts[node] = k
        child[active] = node
        if not k:
            lasts[active] = node
    while depth:
        depth -= 1
        _dissolve(stack[depth], above[stack[depth]], child, nexts, lasts)
    return _in_order(of_, child_, next_)


@cython.cfunc
@cython.exceptval(check=False)
def _holds_all(tag: cython.int, child: cython.int, name: cython.int[::1], nexts: cython.int[::1]) -> cython.bint:
    """Whether an element may hold a node and all its next siblings; if not, the end tag is that of another element."""
    opens: cython.const[cython.int][::1] = _OPEN
    barred: cython.const[cython.int][::1] = _BARRED
    while child:
        if name[child] >= 0 and not _holds(tag, name[child], opens, barred):
            return False
        child = nexts[child]
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_first(
    node: cython.int, parent: cython.int, child: cython.int[::1], nexts: cython.int[::1], lasts: cython.int[::1]
) -> cython.void:
    """Makes a node the first child of another."""
    nexts[node] = child[parent]
    if not child[parent]:
        lasts[parent] = node
    child[parent] = node


@cython.cfunc
@cython.exceptval(check=False)
def _dissolve(
    node: cython.int, parent: cython.int, child: cython.int[::1], nexts: cython.int[::1], lasts: cython.int[::1]
) -> cython.void:
    """Puts the children of a node, which is its parent's first, in its place."""
    if not child[node]:
        child[parent] = nexts[node]
        return
    child[parent] = child[node]
    nexts[lasts[node]] = nexts[node]
    if not nexts[node]:
        lasts[parent] = lasts[node]


def _in_order(of: array[int], child: array[int], nexts: array[int]) -> tuple[array[int], array[int]]:
    """The nodes in document order: the token of each, and its parent or -1."""
    token: array[int] = array("i")
    parent: array[int] = array("i")
    waiting = [(child[0], -1)]
    while waiting:
        node, above = waiting.pop()
        if not node:
            continue
        waiting.append((nexts[node], above))
        waiting.append((child[node], len(token)))
        token.append(of[node])
        parent.append(above)
    return token, parent


# From a text outwards


def _room(count: int) -> Any:
    """Room for so many numbers, whatever they are now."""
    return np.empty(count, dtype=np.int32) if cython.compiled else array("i", bytes(4 * count))


def _counters() -> Any:
    """A count of 0 for each number that an element can have."""
    return np.zeros(NUMBERS, dtype=np.int32) if cython.compiled else array("i", bytes(4 * NUMBERS))


def around(tags_: Any, whats_: Any, count: cython.int, token: cython.int) -> tuple[list[int], list[int]]:
    """The elements around a token, the innermost first: the token of each one's start tag, and where it ends.

    An element ends before the token given; its end tag, where there is one, is the last of its tokens.
    """
    tags: cython.const[cython.int][::1] = tags_
    whats: cython.const[cython.uchar][::1] = whats_
    opens: cython.const[cython.int][::1] = _OPEN
    barred: cython.const[cython.int][::1] = _BARRED
    scopes: cython.const[cython.uchar][::1] = _SCOPES
    start_ = _room(token + 1)
    start: cython.int[::1] = start_
    names_ = _room(count + 1)
    names: cython.int[::1] = names_
    ends_ = _room(count - token + 1)
    ends: cython.int[::1] = ends_
    outer: cython.int = 0  # end tags on the stack that stand after the text
    open_ = _counters()
    open_of: cython.int[::1] = open_
    levels: cython.int = 0
    depth: cython.int = 0
    # What each element found so far cannot stand in, the last one found last: those inside each end tag that waits, and
    # those around all of them. `base` is where a level's begin.
    bars_ = _room(token + 1)
    bars: cython.int[::1] = bars_
    base_ = _room(count + 2)
    base: cython.int[::1] = base_
    top: cython.int = 0
    run: cython.int
    i: cython.int
    k: cython.int
    tag: cython.int
    # The end tags after it that close nothing opened after it: those of the elements around it, and strays.
    for i in range(token + 1, count):
        tag = tags[i]
        if whats[i] == START:
            names[depth] = tag
            open_of[tag] += 1
            depth += 1
        elif whats[i] == END:
            k = _pair(tag, names, depth, open_of, scopes)
            if k < 0:
                ends[outer] = tag
                outer += 1
            while k >= 0 and depth > k:
                depth -= 1
                open_of[names[depth]] -= 1
    while depth:
        depth -= 1
        open_of[names[depth]] -= 1
    # They wait on the stack, the first of them last.
    for k in range(outer):
        names[k] = ends[outer - 1 - k]
        open_of[names[k]] += 1
    depth = outer
    for k in range(depth + 1):
        base[k] = 0
    for i in range(token - 1, -1, -1):
        tag = tags[i]
        if whats[i] == END:
            names[depth] = tag
            open_of[tag] += 1
            depth += 1
            base[depth] = top
        elif whats[i] == ALONE:
            bars[top] = barred[tag] if tag < KNOWN else 0
            top += 1
        elif whats[i] == START:
            run = top  # where those begin that the element may hold
            while run > base[depth] and not (tag < KNOWN and opens[tag] & bars[run - 1]):
                run -= 1
            k = _pair(tag, names, depth, open_of, scopes)
            if k >= 0 and (tag >= KNOWN or not opens[tag] or (k == depth - 1 and run == base[depth])):
                top = base[k + 1]
                while depth > k:
                    depth -= 1
                    open_of[names[depth]] -= 1
                if depth < outer:  # one of an element around it; those before it in the stack never had a start tag
                    outer = depth
                    start[levels] = i
                    levels += 1
            else:  # its end tag was left away: it takes over what it may hold
                top = run
                if depth == outer and not run:
                    start[levels] = i
                    levels += 1
            bars[top] = barred[tag] if tag < KNOWN else 0
            top += 1
    # What is still on the stack are end tags without start tags.
    while depth:
        depth -= 1
        open_of[names[depth]] = 0
    stop_ = _room(levels)
    stop: cython.int[::1] = stop_
    for k in range(levels):
        stop[k] = count
    chain_ = _counters()  # how many of each element are around and have not ended
    chain: cython.int[::1] = chain_
    for k in range(levels):
        chain[tags[start[k]]] += 1
    level: cython.int = 0
    found: cython.int
    for i in range(token + 1, count):
        tag = tags[i]
        if whats[i] == START or whats[i] == ALONE:
            while depth and tag < KNOWN and names[depth - 1] < KNOWN and opens[names[depth - 1]] & barred[tag]:
                depth -= 1
                open_of[names[depth]] -= 1
            if not depth and tag < KNOWN:
                while level < levels and tags[start[level]] < KNOWN and opens[tags[start[level]]] & barred[tag]:
                    stop[level] = i
                    chain[tags[start[level]]] -= 1
                    level += 1
            if whats[i] == START:
                names[depth] = tag
                open_of[tag] += 1
                depth += 1
        elif whats[i] == END:
            k = _pair(tag, names, depth, open_of, scopes)
            if k >= 0:
                while depth > k:
                    depth -= 1
                    open_of[names[depth]] -= 1
            elif chain[tag]:
                found = level
                while found < levels and found - level < FARTHEST and tags[start[found]] != tag:
                    found += 1
                if found < levels and tags[start[found]] == tag:
                    while depth:
                        depth -= 1
                        open_of[names[depth]] -= 1
                    while level <= found:
                        stop[level] = i + 1 if level == found else i
                        chain[tags[start[level]]] -= 1
                        level += 1
        if level >= levels:
            break
    return start_[:levels].tolist(), stop_.tolist()


def densest(at_: Any, stops_: Any, whats_: Any, count: cython.int, least: cython.int, window: cython.int) -> int:
    """The text of `least` bytes or more that has the most such text within `window` tokens of it; -1 without one.

    The longest text of a page may be a lone one: a cookie notice, a licence. An article's stand together.
    """
    at: cython.const[cython.int][::1] = at_
    stops: cython.const[cython.int][::1] = stops_
    whats: cython.const[cython.uchar][::1] = whats_
    best: cython.int = -1
    most: cython.longlong = -1
    total: cython.longlong = 0
    first: cython.int = 0
    stop: cython.int = 0
    i: cython.int
    size: cython.int
    longest: cython.int = 0
    for i in range(count):
        while stop < count and stop <= i + window:
            if whats[stop] == TEXT and stops[stop] - at[stop] >= least:
                total += stops[stop] - at[stop]
            stop += 1
        while first < i - window:
            if whats[first] == TEXT and stops[first] - at[first] >= least:
                total -= stops[first] - at[first]
            first += 1
        size = stops[i] - at[i]
        if whats[i] == TEXT and size >= least and (total > most or (total == most and size > longest)):
            best = i
            most = total
            longest = size
    return best


def covered(at_: Any, stops_: Any, whats_: Any, least: cython.int, starts: list[int], ends: list[int]) -> list[int]:
    """How many bytes of texts of `least` bytes or more each of some ranges of tokens holds, each range in the next."""
    at: cython.const[cython.int][::1] = at_
    stops: cython.const[cython.int][::1] = stops_
    whats: cython.const[cython.uchar][::1] = whats_
    found = []
    levels: cython.int = len(starts)
    k: cython.int
    i: cython.int
    stop_here: cython.int
    first_here: cython.int
    first: cython.int = starts[0] if levels else 0
    stop: cython.int = first
    total: cython.longlong = 0
    for k in range(levels):
        first_here = starts[k]
        stop_here = ends[k]
        for i in range(first_here, first):
            if whats[i] == TEXT and stops[i] - at[i] >= least:
                total += stops[i] - at[i]
        for i in range(stop, stop_here):
            if whats[i] == TEXT and stops[i] - at[i] >= least:
                total += stops[i] - at[i]
        first = first_here
        stop = max(stop, stop_here)
        found.append(total)
    return found


def grown(
    tape: tuple[Any, Any, Any, Any, int], least: cython.int, window: cython.int, gain: cython.double
) -> tuple[int, int] | None:
    """From which token to which the largest element around the densest text goes that is worth its size.

    It is worth it where it holds `gain` times the long text of the one it was grown from; the first is the one that
    holds a second long text. The tape is where tokens begin and end, their elements, what they are, and how many.
    """
    at, stops, tags, whats, count = tape
    text: cython.int = densest(at, stops, whats, count, least, window)
    if text < 0:
        return None
    starts, ends = around(tags, whats, count, text)
    held = covered(at, stops, whats, least, starts, ends)
    levels: cython.int = len(held)
    level: cython.int = 0
    best: cython.int = 0
    while best < levels and held[best] <= held[0]:
        best += 1
    if best == levels:
        best = 0
    for level in range(best + 1, levels):
        if held[level] >= gain * held[best]:
            best = level
    return (starts[best], ends[best]) if levels else (text, text + 1)
