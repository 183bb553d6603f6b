# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What is derived from the columns of a page: how much text a row holds, whether it is seen, its digest."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_FLAGS, TAG_ID, TAGS

UNSEEN = cython.declare(cython.int, 4)
LINK = cython.declare(cython.int, 16)

TEXT = cython.declare(cython.int, 1)
COMMENT = cython.declare(cython.int, 2)

PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SEED = cython.declare(cython.ulonglong, 0xCBF29CE484222325)


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _times(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    if cython.compiled:
        return a * b
    else:
        return (a * b) & 0xFFFFFFFFFFFFFFFF


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _plus(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    if cython.compiled:
        return a + b
    else:
        return (a + b) & 0xFFFFFFFFFFFFFFFF


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _scatter(h: cython.ulonglong) -> cython.ulonglong:
    """Spreads a change of any bit over all bits, so that sums of digests do not cancel out."""
    h = _times(h ^ (h >> 32), 0xD6E8FEB86659FD93)
    h = _times(h ^ (h >> 32), 0xD6E8FEB86659FD93)
    return h ^ (h >> 32)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_ascii_blank(c: cython.int) -> cython.bint:
    return c == 32 or (9 <= c <= 13)


@cython.cfunc
@cython.exceptval(check=False)
def _folded(
    data: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    digits: cython.bint,
) -> cython.ulonglong:
    """The digest of a span with its blanks folded, and without its digits if so wished; 0 where nothing is left."""
    h: cython.ulonglong = SEED
    i: cython.Py_ssize_t
    c: cython.int
    blank: cython.bint = False
    empty: cython.bint = True
    for i in range(start, stop):
        c = data[i]
        if c <= 32 and _is_ascii_blank(c):
            blank = True
            continue
        if not digits and 48 <= c <= 57:
            continue
        if blank and not empty:
            h = _times(h ^ 32, PRIME)
        h = _times(h ^ c, PRIME)
        blank = False
        empty = False
    return 0 if empty else _scatter(h)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _of_pair(
    of_name: cython.ulonglong,
    values: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    digits: cython.bint,
) -> cython.ulonglong:
    """The digest of an attribute, from that of its name."""
    return _scatter(of_name ^ _folded(values, start, stop, digits))


def digest(data: bytes) -> int:
    """The digest of a name or a text, blanks folded."""
    return int(_folded(data, 0, len(data), True))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _unblank(text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
    """How many characters of a span of UTF-8 are not blank (ASCII blanks, no-break and wide spaces)."""
    count: cython.int = 0
    spaces: cython.int = 0  # bytes that a wide one may begin with
    i: cython.Py_ssize_t
    c: cython.int
    # Without branches, so that the compiler takes many bytes at a time.
    for i in range(start, stop):
        c = text[i]
        count += (c > 32) & (c & 0xC0 != 0x80)
        spaces += (c == 0xC2) | (c == 0xE3)
    if spaces:
        for i in range(start, stop):
            c = text[i]
            if c == 0xC2 and i + 1 < stop and text[i + 1] == 0xA0:
                count -= 1
            elif c == 0xE3 and i + 2 < stop and text[i + 1] == 0x80 and text[i + 2] == 0x80:
                count -= 1
    return count


@cython.cfunc
@cython.exceptval(check=False)
def _declares(
    values: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    declaration: cython.const[cython.uchar][::1],
    length: cython.Py_ssize_t,
) -> cython.bint:
    """Whether a style holds a declaration, whatever its blanks and letter case."""
    i: cython.Py_ssize_t = start
    while i < stop:
        at: cython.Py_ssize_t = 0
        while i < stop and values[i] != 59:
            c: cython.int = values[i]
            i += 1
            if _is_ascii_blank(c):
                continue
            if 65 <= c <= 90:
                c += 32
            if at < length and c == declaration[at]:
                at += 1
                if at == length:
                    return True
            else:
                at = length + 1
        i += 1
    return False


def measure(page: Any) -> tuple[bytearray, array[int], bytearray, array[int]]:
    """Per row: 0 seen, 1 unseen by its element, 2 hidden by an attribute; its own characters; inside a link; veiled.

    Only text rows that are seen have characters: those that are not blank. The characters of those hidden are veiled.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    values: cython.const[cython.uchar][::1] = page.value_buffer
    sorts: cython.int[::1] = TAG_FLAGS
    none: cython.const[cython.uchar][::1] = b"display:none"
    invisible: cython.const[cython.uchar][::1] = b"visibility:hidden"
    known: cython.int = len(TAGS)
    hidden_name: cython.int = ATTRIBUTE_ID["hidden"]
    style_name: cython.int = ATTRIBUTE_ID["style"]
    href_name: cython.int = ATTRIBUTE_ID["href"]
    html_tag: cython.int = TAG_ID["html"]
    body_tag: cython.int = TAG_ID["body"]

    state_ = bytearray(rows)
    chars_ = array("i", bytes(4 * rows))
    linked_ = bytearray(rows)
    veiled_ = array("i", bytes(4 * rows))
    veiled: cython.int[::1] = veiled_
    state: cython.uchar[::1] = state_
    chars: cython.int[::1] = chars_
    linked: cython.uchar[::1] = linked_
    row: cython.int
    above: cython.int
    sort: cython.int
    k: cython.int
    a: cython.int
    for row in range(1, rows):
        above = parent[row]
        state[row] = state[above]
        linked[row] = linked[above]
        if tag[row] == TEXT:
            if state[row] == 0:
                chars[row] = _unblank(text, text_at[row], text_at[row + 1])
            elif state[row] == 2:
                veiled[row] = _unblank(text, text_at[row], text_at[row + 1])
            continue
        sort = sorts[tag[row]] if tag[row] < known else 0
        if sort & UNSEEN:  # also what is hidden around it does not make it text
            state[row] = 1
        for k in range(attribute_at[row], attribute_at[row + 1]):
            a = attribute_name[k]
            if a == href_name:
                if sort & LINK:
                    linked[row] = 1
            elif state[row] == 0 and tag[row] != html_tag and tag[row] != body_tag:
                # A page whose body is hidden until its scripts have run is still a page.
                if a == hidden_name:
                    state[row] = 2
                elif a == style_name and (
                    _declares(values, value_at[k], value_at[k + 1], none, 12)
                    or _declares(values, value_at[k], value_at[k + 1], invisible, 17)
                ):
                    state[row] = 2
    return state_, chars_, linked_, veiled_


def digests(page: Any, tag_digests: Any, attribute_digests: Any) -> array[int]:
    """A 64-bit digest of each row's subtree: element, attributes in any order, texts and children in order.

    Blanks are folded; comments and blank texts do not count. A row that does not count has digest 0.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    values: cython.const[cython.uchar][::1] = page.value_buffer
    of_tag: cython.const[cython.ulonglong][::1] = _plain(tag_digests)
    of_attribute: cython.const[cython.ulonglong][::1] = _plain(attribute_digests)
    result = array("Q", bytes(8 * rows))
    digest_: cython.ulonglong[::1] = result
    row: cython.int
    k: cython.int
    h: cython.ulonglong
    # Rows below come first, so a row's entry holds its children's digests when its turn comes.
    for row in range(rows - 1, -1, -1):
        if tag[row] == TEXT:
            h = _folded(text, text_at[row], text_at[row + 1], True)
        elif tag[row] == COMMENT:
            h = 0
        else:
            h = _plus(of_tag[tag[row]], digest_[row])
            for k in range(attribute_at[row], attribute_at[row + 1]):
                h = _plus(h, _of_pair(of_attribute[attribute_name[k]], values, value_at[k], value_at[k + 1], True))
            h = _scatter(h)
        digest_[row] = h
        if h != 0 and row > 0:
            digest_[parent[row]] = _plus(_times(digest_[parent[row]], PRIME), h)
    return result


def outline(
    page: Any, chars_: Any, dropped_: Any, kept_: Any, tag_digests: Any, attribute_digests: Any, digits: cython.bint
) -> tuple[array[int], array[int], array[int], array[int]]:
    """What a page is compared by: its rows that count, the digest and size of each one's subtree; and every row's text.

    Elements that `dropped_` marks by their number do not count, nor does what is inside them; of the others those do
    that have text below them, or that `kept_` marks. Attributes count whose own digest is not 0, digits in texts and
    values if `digits` says so. The digests are those of `digests`, folded to 32 bits.
    """
    rows: cython.int = len(page.tag)
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    values: cython.const[cython.uchar][::1] = page.value_buffer
    chars: cython.const[cython.int][::1] = _plain(chars_)
    dropped: cython.const[cython.uchar][::1] = _plain(dropped_)
    kept: cython.const[cython.uchar][::1] = _plain(kept_)
    of_tag: cython.const[cython.ulonglong][::1] = _plain(tag_digests)
    of_attribute: cython.const[cython.ulonglong][::1] = _plain(attribute_digests)
    known: cython.int = len(TAGS)
    body_tag: cython.int = TAG_ID["body"]
    own_ = array("i", bytes(4 * rows))
    below_ = array("i", bytes(4 * rows))
    size_ = array("i", bytes(4 * rows))
    inside_ = bytearray(rows)
    digest_ = array("Q", bytes(8 * rows))
    own: cython.int[::1] = own_
    below: cython.int[::1] = below_
    size: cython.int[::1] = size_
    inside: cython.uchar[::1] = inside_
    digests_: cython.ulonglong[::1] = digest_
    row: cython.int
    k: cython.int
    number: cython.int
    above: cython.int
    h: cython.ulonglong
    of_name: cython.ulonglong
    for row in range(1, rows):
        number = tag[row]
        if inside[parent[row]] or (number < known and dropped[number]):
            inside[row] = 1
        else:
            own[row] = chars[row]
    # Rows below come first, so a row's entries hold its children's sums when its turn comes.
    for row in range(rows - 1, 0, -1):
        number = tag[row]
        above = parent[row]
        below[row] += own[row]
        if inside[row] or not (below[row] > 0 or (number < known and kept[number])):
            continue
        below[above] += below[row]
        size[row] += 1
        size[above] += size[row]
        if number == TEXT:
            h = _folded(text, text_at[row], text_at[row + 1], digits)
            if h == 0 and not digits:
                h = _folded(text, text_at[row], text_at[row + 1], True)
        else:
            h = _plus(of_tag[number], digests_[row])
            for k in range(attribute_at[row], attribute_at[row + 1]):
                of_name = of_attribute[attribute_name[k]]
                if of_name != 0:
                    h = _plus(h, _of_pair(of_name, values, value_at[k], value_at[k + 1], digits))
            h = _scatter(h)
        digests_[row] = h
        if h != 0:
            digests_[above] = _plus(_times(digests_[above], PRIME), h)
    body: cython.int = 0
    while body < rows and tag[body] != body_tag:
        body += 1
    end: cython.int = page.end[body] if body < rows else 0
    count: cython.int = size[body] - 1 if body < rows and size[body] > 0 else 0
    found_ = array("i", bytes(4 * count))
    folded_ = array("I", bytes(4 * count))
    sizes_ = array("i", bytes(4 * count))
    found: cython.int[::1] = found_
    folded: cython.uint[::1] = folded_
    sizes: cython.int[::1] = sizes_
    k = 0
    for row in range(body + 1, end):
        if size[row] > 0 and k < count:
            found[k] = row
            folded[k] = cython.cast(cython.uint, (digests_[row] ^ (digests_[row] >> 32)) & 0xFFFFFFFF)
            sizes[k] = size[row]
            k += 1
    return found_, folded_, sizes_, own_


def matches(digests_: Any, sizes_: Any, other_digests: Any, other_sizes: Any) -> bytearray:
    """Marks the rows of one outline that stand in another too, subtree by subtree.

    An outline is a forest in document order: a digest a row, and how many rows its subtree has. Subtrees are looked for
    from the outside in; one that is found is used up, with all that is inside it, and what is around it has changed.
    """
    rows: cython.int = len(digests_)
    others: cython.int = len(other_digests)
    digest_: cython.const[cython.uint][::1] = _plain(digests_)
    size: cython.const[cython.int][::1] = _plain(sizes_)
    other: cython.const[cython.uint][::1] = _plain(other_digests)
    other_size: cython.const[cython.int][::1] = _plain(other_sizes)
    slots: cython.uint = 16
    while slots < 2 * cython.cast(cython.uint, others):
        slots += slots
    # A table from digest to the other outline's rows of that digest, chained, the first row first.
    keys_: array[int] = array("I", bytes(4 * slots))
    first_: array[int] = array("i", [-2]) * slots
    next_: array[int] = array("i", bytes(4 * others))
    used_ = bytearray(others)
    marked_ = bytearray(rows)
    stack_: array[int] = array("i", bytes(4 * (rows + 1)))
    keys: cython.uint[::1] = keys_
    first: cython.int[::1] = first_
    following: cython.int[::1] = next_
    used: cython.uchar[::1] = used_
    marked: cython.uchar[::1] = marked_
    stack: cython.int[::1] = stack_
    row: cython.int
    hit: cython.int
    child: cython.int
    end: cython.int
    k: cython.int
    slot: cython.uint
    # The row around each of the other outline's rows, or -1.
    around_: array[int] = array("i", bytes(4 * others))
    around: cython.int[::1] = around_
    above: cython.int = -1
    for row in range(others):
        while above >= 0 and above + other_size[above] <= row:
            above = around[above]
        around[row] = above
        above = row
    for row in range(others - 1, -1, -1):
        slot = other[row] & (slots - 1)
        while first[slot] != -2 and keys[slot] != other[row]:
            slot = (slot + 1) & (slots - 1)
        following[row] = first[slot] if first[slot] >= 0 else -1
        keys[slot] = other[row]
        first[slot] = row
    depth: cython.int = 0
    row = 0
    while row < rows:
        stack[depth] = row
        depth += 1
        row += size[row]
    while depth > 0:
        depth -= 1
        row = stack[depth]
        slot = digest_[row] & (slots - 1)
        while first[slot] != -2 and keys[slot] != digest_[row]:
            slot = (slot + 1) & (slots - 1)
        hit = first[slot]
        while hit >= 0 and used[hit]:  # never to be seen again
            hit = following[hit]
        if first[slot] != -2:
            first[slot] = hit
        if hit >= 0 and other_size[hit] != size[row]:
            hit = -1
        end = row + size[row]
        if hit >= 0:
            for k in range(hit, hit + other_size[hit]):
                used[k] = 1
            above = around[hit]
            while above >= 0 and not used[above]:  # what has lost a part is not what it was
                used[above] = 1
                above = around[above]
            for k in range(row, end):
                marked[k] = 1
        else:
            child = row + 1
            while child < end and depth < rows:  # more than all rows are never open, unless subtrees do not nest
                stack[depth] = child
                depth += 1
                child += size[child]
    return marked_
