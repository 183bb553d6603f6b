# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The rules about lines and links that methods share, each in one or two passes over the rows of a page."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, BLOCK, TAG_FLAGS, TAG_ID, TAGS, TEXT

KNOWN = cython.declare(cython.int, len(TAGS))
TEXT_ROW = cython.declare(cython.int, TEXT)
LINK = cython.declare(cython.int, TAG_ID["a"])
BREAK = cython.declare(cython.int, TAG_ID["br"])
CELL = cython.declare(cython.int, TAG_ID["td"])
HEAD_CELL = cython.declare(cython.int, TAG_ID["th"])
CLASS = cython.declare(cython.int, ATTRIBUTE_ID["class"])
ID = cython.declare(cython.int, ATTRIBUTE_ID["id"])
BLOCK_BIT = cython.declare(cython.int, BLOCK)

# What may stand between the links of a list of links: the paper's separators, and numbers (ranks, counts, dates).
SEPARATORS = " \t\r\n\f_-|[](){}<>【】（）「」«»‹›·•/,，、.:：0123456789\u00a0\u3000"
SEPARATOR_SIZE = cython.declare(cython.int, 10)  # characters, at most
_PLAIN_SEPARATORS = bytearray(chr(code) in SEPARATORS for code in range(128))
_OTHER_SEPARATORS = array("i", sorted(ord(sign) for sign in SEPARATORS if ord(sign) >= 128))
# One of these is in every class or id that names a section of comments.
_HINTS = b"comment", b"respond", b"pinglun"
HINT_SIZE = cython.declare(cython.int, 7)


def _shifts() -> bytes:
    """How far to the next place where one of the hints may end, by the byte where none ends."""
    size = len(_HINTS[0])
    far = {word[k]: size - 1 - k for k in range(size) for word in _HINTS}
    return bytes(far.get(byte | 32, size) for byte in range(256))


_SHIFTS = _shifts()


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled or isinstance(column, array | bytearray) else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _cuts(tag: cython.int, sorts: cython.int[::1]) -> cython.bint:
    """Whether an element begins and ends a line. The cells of a table's row stand in one."""
    return tag < KNOWN and (tag == BREAK or (sorts[tag] & BLOCK_BIT != 0 and tag != CELL and tag != HEAD_CELL))


def split(tag_: Any, end_: Any, chars_: Any, linked_: Any) -> tuple[array[int], array[int], array[int], array[int]]:
    """The rendered lines of a page: the rows of their texts, where in those each line begins, their characters, and
    those in links.
    """
    tag: cython.const[cython.int][::1] = _plain(tag_)
    end: cython.const[cython.int][::1] = _plain(end_)
    chars: cython.const[cython.int][::1] = _plain(chars_)
    linked: cython.const[cython.uchar][::1] = _plain(linked_)
    sorts: cython.int[::1] = TAG_FLAGS
    rows: cython.int = len(tag_)
    borders_ = bytearray(rows + 1)
    borders: cython.uchar[::1] = borders_
    texts_ = array("q", bytes(8 * rows))
    starts_ = array("q", bytes(8 * rows))
    sums_ = array("i", bytes(4 * rows))
    link_sums_ = array("i", bytes(4 * rows))
    texts: cython.longlong[::1] = texts_
    starts: cython.longlong[::1] = starts_
    sums: cython.int[::1] = sums_
    link_sums: cython.int[::1] = link_sums_
    count: cython.int = 0
    line: cython.int = -1
    begins: cython.bint = True
    row: cython.int
    for row in range(rows):
        if borders[row]:
            begins = True
        if _cuts(tag[row], sorts):
            begins = True
            borders[end[row]] = 1
        if chars[row]:
            if begins:
                line += 1
                starts[line] = count
                begins = False
            texts[count] = row
            count += 1
            sums[line] += chars[row]
            if linked[row]:
                link_sums[line] += chars[row]
    line += 1
    return texts_[:count], starts_[:line], sums_[:line], link_sums_[:line]


def shown(page: Any, start: int, stop: int) -> bytes:
    """The text that is seen in some rows, or hidden as the first is; where a line or a cell ends is a blank."""
    tag: cython.const[cython.int][::1] = _plain(page.tag[start:stop])
    end: cython.const[cython.int][::1] = _plain(page.end[start:stop])
    state: cython.const[cython.uchar][::1] = _plain(page.visibility[start:stop])
    text_at: cython.const[cython.int][::1] = _plain(page.text_at[start : stop + 1])
    sorts: cython.int[::1] = TAG_FLAGS
    buffer: bytes = page.text_buffer
    rows: cython.int = stop - start
    borders_ = bytearray(rows + 1)
    borders: cython.uchar[::1] = borders_
    ended: cython.bint = False
    row: cython.int
    pieces: list[bytes] = []
    for row in range(rows):
        if borders[row]:
            ended = True
        if tag[row] == CELL or tag[row] == HEAD_CELL or _cuts(tag[row], sorts):
            ended = True
            borders[min(end[row] - start, rows)] = 1
        if tag[row] == TEXT_ROW and (state[row] == 0 or state[row] == state[0]):
            if ended:
                pieces.append(b" ")
                ended = False
            pieces.append(buffer[text_at[row] : text_at[row + 1]])
    return b"".join(pieces)


def inside(tag_: Any, parent_: Any, wanted_: Any) -> bytearray:
    """Which rows are, or are inside, elements of some sorts: `wanted` marks them by their numbers."""
    tag: cython.const[cython.int][::1] = _plain(tag_)
    parent: cython.const[cython.int][::1] = _plain(parent_)
    wanted: cython.const[cython.uchar][::1] = wanted_
    rows: cython.int = len(tag_)
    found_ = bytearray(rows)
    found: cython.uchar[::1] = found_
    row: cython.int
    for row in range(1, rows):
        if found[parent[row]] or (tag[row] < KNOWN and wanted[tag[row]]):
            found[row] = 1
    return found_


@cython.cfunc
@cython.exceptval(check=False)
def _separates(
    text: cython.const[cython.uchar][::1],
    start: cython.int,
    stop: cython.int,
    plain: cython.const[cython.uchar][::1],
    others: cython.const[cython.int][::1],
) -> cython.bint:
    """Whether a text is nothing but separators."""
    i: cython.int = start
    code: cython.int
    k: cython.int
    while i < stop:
        code = text[i]
        if code < 128:
            if not plain[code]:
                return False
            i += 1
            continue
        if code < 0xE0:
            code = (code & 31) << 6
            if i + 1 < stop:
                code |= text[i + 1] & 63
            i += 2
        elif code < 0xF0:
            code = (code & 15) << 12
            if i + 2 < stop:
                code |= (text[i + 1] & 63) << 6 | text[i + 2] & 63
            i += 3
        else:
            return False
        k = 0
        while k < len(others) and others[k] != code:
            k += 1
        if k == len(others):
            return False
    return True


def blocks_of_links(page: Any, chars_: Any, density: cython.double, spared: cython.int) -> bytearray:
    """The rows that go with their links, given how much text is left in each row.

    The parent of a link goes when more than `density` of its text is in links and less than `spared` is not. A block,
    or a node of several links, goes when its text is all in links but for separators; a lone link within a line is part
    of its sentence.
    """
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    linked: cython.const[cython.uchar][::1] = _plain(page.linked)
    chars: cython.const[cython.int][::1] = _plain(chars_)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    sorts: cython.int[::1] = TAG_FLAGS
    plain: cython.const[cython.uchar][::1] = _PLAIN_SEPARATORS
    others: cython.const[cython.int][::1] = _OTHER_SEPARATORS
    rows: cython.int = len(page.tag)
    all_: array[int] = array("i", bytes(4 * rows))  # text in and below each row,
    in_links_: array[int] = array("i", bytes(4 * rows))  # of it in links,
    words_: array[int] = array("i", bytes(4 * rows))  # texts outside of them that are more than separators,
    links_: array[int] = array("i", bytes(4 * rows))  # and links
    gone_ = bytearray(rows)
    both: cython.int[::1] = all_
    in_links: cython.int[::1] = in_links_
    words: cython.int[::1] = words_
    links: cython.int[::1] = links_
    gone: cython.uchar[::1] = gone_
    row: cython.int
    above: cython.int
    for row in range(rows - 1, 0, -1):
        above = parent[row]
        if chars[row]:
            both[row] += chars[row]
            if linked[row]:
                in_links[row] += chars[row]
            elif chars[row] > SEPARATOR_SIZE or not _separates(text, text_at[row], text_at[row + 1], plain, others):
                words[row] += 1
        if linked[row]:
            if not linked[above]:
                links[row] += 1
            if tag[row] == LINK and both[row]:
                gone[above] = 2  # has a link: its text is not summed up yet
        both[above] += both[row]
        in_links[above] += in_links[row]
        words[above] += words[row]
        links[above] += links[row]
    for row in range(rows):
        if row and gone[parent[row]] == 1:
            gone[row] = 1
        elif gone[row] == 2:
            gone[row] = in_links[row] > density * both[row] and both[row] - in_links[row] < spared
        if not gone[row] and in_links[row] and not words[row]:
            if links[row] > 1 or (tag[row] < KNOWN and sorts[tag[row]] & BLOCK_BIT):
                gone[row] = 1
    return gone_


def hinted(page: Any) -> list[tuple[int, int]]:
    """The rows and attributes whose class or id holds a word that sections of comments are named with."""
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    names: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    values: cython.const[cython.uchar][::1] = page.value_buffer
    comment: cython.const[cython.uchar][::1] = _HINTS[0]
    respond: cython.const[cython.uchar][::1] = _HINTS[1]
    pinglun: cython.const[cython.uchar][::1] = _HINTS[2]
    shifts: cython.const[cython.uchar][::1] = _SHIFTS
    found = []
    row: cython.int
    k: cython.int
    i: cython.int
    c: cython.int
    hit: cython.bint
    for row in range(len(page.tag)):
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if names[k] != CLASS and names[k] != ID:
                continue
            hit = False
            i = value_at[k]
            while i <= value_at[k + 1] - HINT_SIZE:
                if shifts[values[i + HINT_SIZE - 1]]:
                    i += shifts[values[i + HINT_SIZE - 1]]
                    continue
                c = values[i] | 32
                if c == 99:
                    hit = _stands(values, i, comment)
                elif c == 114:
                    hit = _stands(values, i, respond)
                elif c == 112:
                    hit = _stands(values, i, pinglun)
                if hit:
                    found.append((row, k))
                    break
                i += 1
    return found


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _stands(
    values: cython.const[cython.uchar][::1], at: cython.int, word: cython.const[cython.uchar][::1]
) -> cython.bint:
    k: cython.int
    for k in range(HINT_SIZE):
        if values[at + k] | 32 != word[k]:
            return False
    return True


def line_sums(rows_: Any, starts_: Any, column_: Any, kept_: Any, linked_: Any) -> array[int]:
    """The sums of a column over the rows of each line that are kept and not in a link."""
    texts: cython.const[cython.longlong][::1] = _plain(rows_)
    starts: cython.const[cython.longlong][::1] = _plain(starts_)
    column: cython.const[cython.int][::1] = _plain(column_)
    kept: cython.const[cython.uchar][::1] = _plain(kept_)
    linked: cython.const[cython.uchar][::1] = _plain(linked_)
    count: cython.Py_ssize_t = len(rows_)
    lines: cython.Py_ssize_t = len(starts_)
    sums_ = array("i", bytes(4 * lines))
    sums: cython.int[::1] = sums_
    line: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    k: cython.Py_ssize_t
    row: cython.Py_ssize_t
    for line in range(lines):
        stop = starts[line + 1] if line + 1 < lines else count
        for k in range(starts[line], stop):
            row = texts[k]
            if kept[row] and not linked[row]:
                sums[line] += column[row]
    return sums_


def richest_stretch(
    weights_: Any, lines: cython.Py_ssize_t, threshold: cython.longlong, gap: cython.Py_ssize_t
) -> tuple[int, int]:
    """From which line to which the stretch with the most weight goes; an empty one where there is none.

    A line is rich where it and those after it, `lines` in all, reach the threshold. A stretch goes from a rich line to
    the end of the block of the last one; rich lines more than `gap` apart are of two stretches.
    """
    weights: cython.const[cython.int][::1] = _plain(weights_)
    count: cython.Py_ssize_t = len(weights_)
    best_start: cython.Py_ssize_t = 0
    best_stop: cython.Py_ssize_t = 0
    best: cython.longlong = -1
    start: cython.Py_ssize_t = -1
    last: cython.Py_ssize_t = -1
    total: cython.longlong = 0
    within: cython.longlong = 0  # the weight of the block that begins here
    i: cython.Py_ssize_t
    for i in range(min(lines, count)):
        within += weights[i]
    for i in range(count + 1):
        if i < count and within >= threshold:
            if start >= 0 and i - last > gap:
                total = _between(weights, start, min(last + lines, count))
                if total > best:
                    best, best_start, best_stop = total, start, min(last + lines, count)
                start = -1
            if start < 0:
                start = i
            last = i
        if i < count:
            within -= weights[i]
            if i + lines < count:
                within += weights[i + lines]
    if start >= 0:
        total = _between(weights, start, min(last + lines, count))
        if total > best:
            best_start, best_stop = start, min(last + lines, count)
    while best_start < best_stop and not weights[best_start]:
        best_start += 1
    while best_stop > best_start and not weights[best_stop - 1]:
        best_stop -= 1
    return best_start, best_stop


@cython.cfunc
@cython.exceptval(check=False)
def _between(
    weights: cython.const[cython.int][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.longlong:
    total: cython.longlong = 0
    i: cython.Py_ssize_t
    for i in range(start, stop):
        total += weights[i]
    return total


def article_rows(
    page: Any,
    blocks: tuple[Any, Any],
    without: tuple[Any, bytes, bytes],
    links: tuple[float, int],
    stretch: tuple[int, int, int],
) -> tuple[bytearray, bytearray]:
    """The text rows that make up the article of a part of a page, and the rows that go with their links.

    In order: what is not read (`without`: comments by row, controls and headlines by element) goes, then blocks of
    links, then the headline unless nothing else is there, then what is not of the richest stretch of lines.
    """
    comments_, controls, heads = without
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    chars: cython.const[cython.int][::1] = _plain(page.chars)
    comments: cython.const[cython.uchar][::1] = _plain(comments_)
    control: cython.const[cython.uchar][::1] = controls
    head: cython.const[cython.uchar][::1] = heads
    rows: cython.int = len(page.tag)
    left_ = array("i", bytes(4 * rows))
    left: cython.int[::1] = left_
    within_ = bytearray(rows)  # 1 in a control, 2 in a headline
    within: cython.uchar[::1] = within_
    kept_ = bytearray(rows)
    kept: cython.uchar[::1] = kept_
    row: cython.int
    for row in range(1, rows):
        within[row] = within[parent[row]]
        if tag[row] < KNOWN:
            within[row] |= control[tag[row]] | head[tag[row]] << 1
        if chars[row] and not within[row] & 1 and not comments[row]:
            left[row] = chars[row]
    gone_ = blocks_of_links(page, left_, links[0], links[1])
    gone: cython.const[cython.uchar][::1] = gone_
    body: cython.bint = False
    for row in range(1, rows):
        if left[row] and not gone[row]:
            kept[row] = 1
            body = body or within[row] < 2
    if body:
        for row in range(1, rows):
            if within[row] > 1:
                kept[row] = 0
    texts, starts = blocks
    sums = line_sums(texts, starts, page.chars, kept_, page.linked)
    first: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    first, stop = richest_stretch(sums, *stretch)
    if first < stop:
        lines: cython.Py_ssize_t = len(starts)
        low: cython.int = texts[starts[first]]
        high: cython.int = texts[starts[stop] - 1 if stop < lines else len(texts) - 1]
        for row in range(1, rows):
            if row < low or row > high:
                kept[row] = 0
    return kept_, gone_
