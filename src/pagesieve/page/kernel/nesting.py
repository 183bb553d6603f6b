# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Keeps a page's nesting within bounds before the parser sees it.

HTML parsers walk their stack of open elements again and again, so 200,000 nested elements cost them minutes,
and unclosed formatting elements are written anew into every paragraph that follows. One pass over the source
counts the open elements by name and leaves out the tags beyond the limits; text is never left out.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memchr

# Elements that never nest without another element between them, so they are not counted.
_FLAT = (
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr "
    "p li dt dd tr td th tbody thead tfoot option optgroup rt rp rb rtc caption colgroup"
)
_FORMATTING = "a b big code em font i nobr s small strike strong tt u"
_TEXT_ONLY = "script style textarea title xmp iframe noembed noframes"
# Drawn shapes, which svg closes with a slash; even outside of svg a parser has no trouble with many of them.
_SHAPES = "path circle rect line polyline polygon ellipse use stop g text tspan animate image"

# Opened again, they give their attributes to the one that is open, one by one.
_ROOTS = "html head body"
MOST_ROOTS = cython.declare(cython.int, 16)

BUCKETS = cython.declare(cython.int, 4096)
FLAT = cython.declare(cython.int, 1)
FORMATTING = cython.declare(cython.int, 2)
TEXT_ONLY = cython.declare(cython.int, 3)
SHAPE = cython.declare(cython.int, 4)
ROOT = cython.declare(cython.int, 5)


def bucket(name: bytes) -> int:
    """The number under which the elements of a name are counted; a few names share one."""
    h = 0
    for byte in name:
        h = (h * 31 + (byte | 32)) % 4096
    return h


def _classes() -> array[int]:
    classes = array("i", [0] * 4096)
    for number, names in ((1, _FLAT), (2, _FORMATTING), (3, _TEXT_ONLY), (4, _SHAPES), (5, _ROOTS)):
        for name in names.split():
            classes[bucket(name.encode())] = number
    return classes


_CLASSES = _classes()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _find(
    source: cython.const[cython.uchar][::1],
    byte: cython.int,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where the byte stands next, or `stop`."""
    if start >= stop:
        return stop
    if cython.compiled:
        first: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(source[0]))
        hit: cython.p_uchar = cython.cast(cython.p_uchar, memchr(first + start, byte, stop - start))
        return stop if hit == cython.NULL else hit - first
    else:
        at: cython.Py_ssize_t = source.find(byte, start, stop)
        return stop if at < 0 else at


@cython.cfunc
@cython.exceptval(check=False)
def _tag_end(
    source: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    attributes: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Just after the `>` that ends the tag, or where one attribute more than `attributes` begins."""
    i: cython.Py_ssize_t = start
    blank: cython.bint = False
    value: cython.bint = False
    while i < stop:
        c: cython.int = source[i]
        if c == 62:
            return i + 1
        if (c == 34 or c == 39) and value:
            i = _find(source, c, i + 1, stop)
            blank = True
            value = False
        elif c == 61:
            value = True
            blank = False
        elif c <= 32 or c == 47:
            blank = not value
        else:
            if blank:
                attributes -= 1
                if attributes < 0:
                    return i
            blank = False
            value = False
        i += 1
    return stop


@cython.cfunc
@cython.exceptval(check=False)
def _after_comment(
    source: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Just after the comment whose `<!--` stands at `start`."""
    i: cython.Py_ssize_t = start + 4
    if i < stop and source[i] == 62:
        return i + 1
    while True:
        i = _find(source, 62, i, stop)
        if i >= stop:
            return stop
        if source[i - 1] == 45 and source[i - 2] == 45:
            return i + 1
        if source[i - 1] == 33 and source[i - 2] == 45 and source[i - 3] == 45 and i - 3 >= start + 4:
            return i + 1
        i += 1


@cython.cfunc
@cython.exceptval(check=False)
def _same_name(
    source: cython.const[cython.uchar][::1],
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.bint:
    """Whether the names at `a` and `b` are the same, letter case aside."""
    if b + length > stop:
        return False
    i: cython.Py_ssize_t
    for i in range(length):
        if (source[a + i] | 32) != (source[b + i] | 32):
            return False
    if b + length == stop:
        return True
    c: cython.int = source[b + length]
    return c <= 32 or c == 62 or c == 47


@cython.cfunc
@cython.exceptval(check=False)
def _after_text_only(
    source: cython.const[cython.uchar][::1],
    name: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where the end tag of a text-only element stands; its name is the one at `name`."""
    i: cython.Py_ssize_t = start
    while True:
        i = _find(source, 60, i, stop)
        if i + 2 >= stop:
            return stop
        if source[i + 1] == 47 and _same_name(source, name, i + 2, length, stop):
            return i
        i += 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_letter(c: cython.int) -> cython.bint:
    return 97 <= (c | 32) <= 122


def excess(
    html: bytes,
    depth_limit: cython.int,
    formatting_limit: cython.int,
    attribute_limit: cython.Py_ssize_t,
) -> list[tuple[int, int]]:
    """The spans of what goes beyond the limits: tags nested too deep, and a tag's attributes past the limit.

    Empty for nearly every page. Spans are in order and do not overlap.
    """
    source: cython.const[cython.uchar][::1] = html
    classes: cython.int[::1] = _CLASSES
    opened: cython.int[::1] = array("i", bytes(4 * 4096))
    cut: cython.int[::1] = array("i", bytes(4 * 4096))
    spans: list[tuple[int, int]] = []
    stop: cython.Py_ssize_t = len(html)
    no_limit: cython.Py_ssize_t = stop + 1
    i: cython.Py_ssize_t = 0
    depth: cython.int = 0
    formatting: cython.int = 0
    roots: cython.int = 0
    while True:
        i = _find(source, 60, i, stop)
        if i + 1 >= stop:
            return spans
        c: cython.int = source[i + 1]
        closes: cython.bint = c == 47
        if c == 33:
            if i + 3 < stop and source[i + 2] == 45 and source[i + 3] == 45:
                i = _after_comment(source, i, stop)
            else:
                i += 2
            continue
        name: cython.Py_ssize_t = i + 2 if closes else i + 1
        if name >= stop or not _is_letter(source[name]):
            i += 1
            continue
        h: cython.int = 0
        j: cython.Py_ssize_t = name
        while j < stop:
            c = source[j]
            if c <= 32 or c == 62 or c == 47:
                break
            h = (h * 31 + (c | 32)) % BUCKETS
            j += 1
        end: cython.Py_ssize_t = _tag_end(source, j, stop, attribute_limit)
        tail: cython.Py_ssize_t = end
        if end < stop and source[end - 1] != 62:
            end = _tag_end(source, end, stop, no_limit)
        sort: cython.int = classes[h]
        drop: cython.bint = False
        if closes:
            if cut[h] > 0:
                cut[h] -= 1
                drop = True
            elif opened[h] > 0 and sort != ROOT:
                opened[h] -= 1
                depth -= 1
                formatting -= sort == FORMATTING
        elif sort == ROOT:
            roots += 1
            drop = roots > MOST_ROOTS
        elif sort == TEXT_ONLY or sort == FLAT or (sort == SHAPE and end >= 2 and source[end - 2] == 47):
            pass
        elif depth >= depth_limit or (sort == FORMATTING and formatting >= formatting_limit):
            cut[h] += 1
            drop = True
        else:
            opened[h] += 1
            depth += 1
            formatting += sort == FORMATTING
        if drop:
            spans.append((i, end))
        elif tail < end:
            spans.append((tail, end - 1))
        i = end
        if sort == TEXT_ONLY and not closes:
            i = _after_text_only(source, name, j - name, end, stop)
