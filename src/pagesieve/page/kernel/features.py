# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What the block model knows of each line of a page, in a few passes over the rows and one over the text.

Trees do not care for logarithms, so that counts are counts here. `NAMES`, `WORD_NAMES` and `CONTEXT_NAMES` are the
columns in order.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import shadow as cython

from pagesieve.page.tags import ATTRIBUTE_ID, BLOCK, SORTS, TAG_ID, TAGS

KNOWN = cython.declare(cython.int, len(TAGS))
BLOCK_BIT = cython.declare(cython.int, BLOCK)
LINK = cython.declare(cython.int, TAG_ID["a"])
H1 = cython.declare(cython.int, TAG_ID["h1"])
CLASS = cython.declare(cython.int, ATTRIBUTE_ID["class"])
ID = cython.declare(cython.int, ATTRIBUTE_ID["id"])
ROLE = cython.declare(cython.int, ATTRIBUTE_ID["role"])
META, SCRIPT = TAG_ID["meta"], TAG_ID["script"]
PROPERTY, CONTENT, TYPE = ATTRIBUTE_ID["property"], ATTRIBUTE_ID["content"], ATTRIBUTE_ID["type"]
MOST_STATED = 20_000  # bytes of one JSON-LD
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
SEED = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
_MASK = 0xFFFFFFFFFFFFFFFF

LEVELS = cython.declare(cython.int, 5)  # of block elements around a line
NEAR = cython.declare(cython.int, 3)  # lines on either side, in a window
FAR = cython.declare(cython.int, 10)
SHIFTS = cython.declare(cython.int, 2)  # lines on either side that are looked at one by one
LONGEST_WORD = cython.declare(cython.int, 24)  # letters of a class or id that count
MOST_WORDS = cython.declare(cython.int, 64)  # of one element: a page could make them up by the thousand

# What a line may stand in anywhere: a bit each.
INSIDE = (
    ("nav", "nav menu"),
    ("header", "header"),
    ("footer", "footer"),
    ("aside", "aside"),
    ("form", "form fieldset"),
    ("article", "article"),
    ("main", "main"),
    ("list", "ul ol dl"),
    ("table", "table"),
    ("quote", "blockquote"),
    ("figure", "figure"),
    ("heading", "h1 h2 h3 h4 h5 h6"),
    ("code", "pre code"),
    ("details", "details dialog summary"),
)
BITS = cython.declare(cython.int, len(INSIDE))
# And directly: the sort of the nearest block element, a number each.
DIRECTLY = (
    "p",
    "li dd dt",
    "td th",
    "h1 h2 h3 h4 h5 h6",
    "div section article main body center",
    "pre listing",
    "blockquote",
    "figcaption caption legend",
)
SORTS_OF_BLOCK = cython.declare(cython.int, len(DIRECTLY))
# The inline element that holds its first text.
INLINE = ("a", "strong b em i", "span font", "time small label cite")
SORTS_OF_INLINE = cython.declare(cython.int, len(INLINE))
# What the block elements further out are.
AROUND = ("ul ol dl menu", "table tbody tr thead tfoot", "div", "section article main", "body html", "li dd dt td th")

_ROLES = {
    b"navigation": "nav",
    b"banner": "header",
    b"contentinfo": "footer",
    b"complementary": "aside",
    b"search": "form",
    b"article": "article",
    b"main": "main",
    b"dialog": "details",
}


def _bits() -> array[int]:
    column = array("i", [0]) * len(TAGS)
    for bit, (_, names) in enumerate(INSIDE):
        for name in names.split():
            column[TAG_ID[name]] |= 1 << bit
    return column


def _numbered(groups: tuple[str, ...]) -> array[int]:
    column = array("i", [0]) * len(TAGS)
    for number, names in enumerate(groups):
        for name in names.split():
            column[TAG_ID[name]] = number + 1
    return column


_INSIDE = _bits()
_DIRECTLY = _numbered(DIRECTLY)
_INLINE = _numbered(INLINE)
_AROUND = _numbered(AROUND)
_LEVEL = array("i", [0]) * len(TAGS)
for _k in range(1, 7):
    _LEVEL[TAG_ID[f"h{_k}"]] = _k
MAIN_BIT = cython.declare(cython.int, 1 << [name for name, _ in INSIDE].index("main"))
ARTICLE_BIT = cython.declare(cython.int, 1 << [name for name, _ in INSIDE].index("article"))
_ROLE_BITS = {role: 1 << [name for name, _ in INSIDE].index(of) for role, of in _ROLES.items()}

# What a page says that it is, in its meta elements and its JSON-LD.
STATED = (
    ("article", (b"Article", b"article", b"BlogPosting", b"Report")),
    ("product", (b"Product", b"product", b"Offer")),
    ("list", (b"ItemList", b"CollectionPage", b"SearchResultsPage", b"OfferCatalog")),
    ("forum", (b"DiscussionForumPosting", b"QAPage", b"Question")),
    ("faq", (b"FAQPage",)),
    ("site", (b"website", b"WebSite")),
)
LONG_LINE = cython.declare(cython.int, 120)  # characters

_OWN = (
    "chars links words marks mark_count stop digits capitals ideographs dates prices link_count texts word_size hidden"
)
_PLACE = "share of_longest line before unlinked_before from_h1 has_h1 from_longest depth from_heading heading_level"
_PAGE = "page_lines page_chars page_links page_paragraphs page_in_main page_in_article page_long"
_NEIGHBOUR = "chars links stop depth path"
NAMES: tuple[str, ...] = (
    *_OWN.split(),
    *_PLACE.split(),
    *_PAGE.split(),
    *(f"is_{k}" for k in range(len(DIRECTLY))),
    *(f"in_inline_{k}" for k in range(len(INLINE))),
    *(f"in_{name}" for name, _ in INSIDE),
    *(
        f"around{level}_{what}"
        for level in range(1, 6)
        for what in ("chars", "links", "share", "line_chars", "lines", "paragraphs", "place", "sort")
    ),
    *(f"next{by:+}_{what}" for by in (-2, -1, 1, 2) for what in _NEIGHBOUR.split()),
    *(f"within{size}_{what}" for size in (3, 10) for what in ("chars", "links", "marks")),
    *(f"{group}_{what}" for group in ("path", "style") for what in ("lines", "share", "line_chars", "links")),
    "same_text",
    *(f"alike{level}_{what}" for level in range(1, 6) for what in ("count", "share")),
    *(f"page_is_{name}" for name, _ in STATED),
    "in_comments",
    "page_in_comments",
)
WORD_NAMES: tuple[str, ...] = tuple(f"words_{what}" for what in ("1", "2", "3", "sum", "least", "most", "faded"))
CONTEXT_NAMES: tuple[str, ...] = (
    "first",
    *(f"first{by:+}" for by in (-3, -2, -1, 1, 2, 3)),
    *(f"first_within{size}" for size in (3, 8)),
    *(f"first_around{level}" for level in range(1, 6)),
    *(f"first_{what}" for what in ("path", "style", "most", "page", "before", "after", "up", "down")),
)
CONTEXT_WIDTH = cython.declare(cython.int, len(CONTEXT_NAMES))


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled or isinstance(column, array | bytearray) else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mix(h: cython.ulonglong, value: cython.ulonglong) -> cython.ulonglong:
    if cython.compiled:
        h = (h ^ value) * PRIME
        return h ^ (h >> 29)
    else:
        h = ((h ^ value) * PRIME) & _MASK
        return h ^ (h >> 29)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mark(code: cython.int) -> cython.int:
    """1 for a comma and its like, 3 for what ends a sentence, 4 for what may stand after that, 8 for money."""
    if code < 128:
        if code == 46 or code == 33 or code == 63:  # . ! ?
            return 3
        if code == 44 or code == 58 or code == 59:  # , : ;
            return 1
        if code == 36:
            return 8
        return 4 if code == 34 or code == 39 or code == 41 or code == 93 else 0  # " ' ) ]
    if code < 0x2000:
        if code == 0x61F or code == 0x964 or code == 0x965 or code == 0x6D4 or code == 0x589 or code == 0x104B:
            return 3
        if code == 0x60C or code == 0x61B or code == 0x387:
            return 1
        return 4 if code == 0xBB else 8 if 0xA2 <= code <= 0xA5 else 0
    if code == 0x2026 or code == 0x3002 or code == 0xFF01 or code == 0xFF1F or code == 0xFF0E or code == 0xFF61:
        return 3
    if code == 0x3001 or code == 0xFF0C or code == 0xFF1A or code == 0xFF1B or code == 0xFF64:
        return 1
    if code == 0x2019 or code == 0x201D or code == 0x300D or code == 0x300F or code == 0xFF09 or code == 0x3011:
        return 4
    if 0x20A0 <= code <= 0x20BF or code == 0x5143 or code == 0x5186 or code == 0xC6D0 or code == 0xFFE5:
        return 8
    return 0


def describe(
    page: Any, chars_: Any, comments_: Any, texts_: Any, starts_: Any, values_: Any, containers_: Any, groups_: Any
) -> None:
    """Fills a row of `values` a line, its block elements from the inside out, and the numbers of its path and style.

    `chars` is how long each text row is, `comments` which rows look like readers' comments, `texts` the text rows of
    the lines, `starts` where in them each line begins.
    Lines of one path stand in the same elements; of one style, in elements of the same classes too. Groups are numbered
    by their first line.
    """
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    depth: cython.const[cython.int][::1] = _plain(page.depth)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    names: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    chars: cython.const[cython.int][::1] = _plain(chars_)
    linked: cython.const[cython.uchar][::1] = _plain(page.linked)
    state: cython.const[cython.uchar][::1] = _plain(page.state)
    comments: cython.const[cython.uchar][::1] = _plain(comments_)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    value_bytes: cython.const[cython.uchar][::1] = page.value_buffer
    texts: cython.const[cython.longlong][::1] = _plain(texts_)
    starts: cython.const[cython.longlong][::1] = _plain(starts_)
    values: cython.float[:, ::1] = values_
    containers: cython.int[:, ::1] = containers_
    groups: cython.int[:, ::1] = groups_
    sorts: cython.int[::1] = SORTS
    bits: cython.int[::1] = _INSIDE
    directly: cython.int[::1] = _DIRECTLY
    inline: cython.int[::1] = _INLINE
    around: cython.int[::1] = _AROUND
    heading: cython.int[::1] = _LEVEL
    rows: cython.int = len(page.tag)
    lines: cython.int = len(starts_)
    count: cython.int = len(texts_)
    if not lines:
        return
    # By row: the nearest block at or above, what it is inside of, the digests of its path and of its style.
    block_ = array("i", bytes(4 * rows))
    within_ = array("i", bytes(4 * rows))
    paths_ = array("Q", bytes(8 * rows))
    styles_ = array("Q", bytes(8 * rows))
    block: cython.int[::1] = block_
    within: cython.int[::1] = within_
    paths: cython.ulonglong[::1] = paths_
    styles: cython.ulonglong[::1] = styles_
    # Sums over the lines at and below each row.
    sum_chars_ = array("i", bytes(4 * rows))
    sum_links_ = array("i", bytes(4 * rows))
    sum_lines_ = array("i", bytes(4 * rows))
    sum_paragraphs_ = array("i", bytes(4 * rows))
    first_line_ = array("i", bytes(4 * (rows + 1)))  # of those at or after each row
    sum_chars: cython.int[::1] = sum_chars_
    sum_links: cython.int[::1] = sum_links_
    sum_lines: cython.int[::1] = sum_lines_
    sum_paragraphs: cython.int[::1] = sum_paragraphs_
    first_line: cython.int[::1] = first_line_
    # By line.
    of_line_ = array("i", bytes(4 * lines))
    links_of_line_ = array("i", bytes(4 * lines))
    marks_of_line_ = array("i", bytes(4 * lines))
    stop_of_line = bytearray(lines)
    of_line: cython.int[::1] = of_line_
    links_of_line: cython.int[::1] = links_of_line_
    marks_of_line: cython.int[::1] = marks_of_line_
    stops: cython.uchar[::1] = stop_of_line
    row: cython.int
    above: cython.int
    t: cython.int
    k: cython.int
    i: cython.int
    j: cython.int
    c: cython.int
    path: cython.ulonglong
    style: cython.ulonglong
    for row in range(1, rows):
        above = parent[row]
        t = tag[row]
        block[row] = block[above]
        within[row] = within[above]
        if t < 4:  # no element
            paths[row] = paths[above]
            styles[row] = styles[above]
            continue
        if t < KNOWN:
            within[row] |= bits[t]
            if sorts[t] & BLOCK_BIT:
                block[row] = row
        path = _mix(paths[above], t)
        style = _mix(styles[above], t)
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if names[k] == CLASS:
                for i in range(value_at[k], value_at[k + 1]):
                    style = _mix(style, value_bytes[i])
            elif names[k] == ROLE:
                within[row] |= _role(page.value_buffer[value_at[k] : value_at[k + 1]])
        paths[row] = path
        styles[row] = style

    line: cython.int
    stop: cython.int
    size: cython.int
    words: cython.int
    marks: cython.int
    digits: cython.int
    capitals: cython.int
    letters: cython.int
    ideographs: cython.int
    dates: cython.int
    prices: cython.int
    link_count: cython.int
    ended: cython.bint
    in_word: cython.bint
    sort: cython.int
    code: cython.int
    run: cython.int
    number: cython.int
    hour: cython.bint
    first: cython.int
    longest: cython.int = 0
    longest_line: cython.int = 0
    most: cython.int = 0
    total: cython.longlong = 0
    total_links: cython.longlong = 0
    total_paragraphs: cython.longlong = 0
    total_main: cython.longlong = 0
    total_article: cython.longlong = 0
    total_long: cython.longlong = 0
    for line in range(lines):
        stop = starts[line + 1] if line + 1 < lines else count
        size = words = marks = digits = capitals = letters = ideographs = dates = prices = link_count = 0
        ended = in_word = False
        first = texts[starts[line]]
        for k in range(starts[line], stop):
            row = texts[k]
            size += chars[row]
            if linked[row]:
                links_of_line[line] += chars[row]
                if k == starts[line] or parent[row] != parent[texts[k - 1]]:
                    link_count += 1
            i = text_at[row]
            j = text_at[row + 1]
            run = number = 0
            hour = False
            while i < j:
                c = text[i]
                if c < 128:
                    i += 1
                    if 97 <= c <= 122 or 65 <= c <= 90:
                        letters += 1
                        if c <= 90:
                            capitals += 1
                        ended = False
                        if not in_word:
                            in_word = True
                            words += 1
                        if run:
                            if (run == 4 and 1900 <= number < 2100) or (run == 2 and hour):
                                dates += 1
                            run = number = 0
                            hour = False
                        continue
                    if 48 <= c <= 57:
                        digits += 1
                        run += 1
                        number = (10 * number + c - 48) % 100000
                        ended = False
                        if not in_word:
                            in_word = True
                            words += 1
                        continue
                    if run:
                        if (run == 4 and 1900 <= number < 2100) or (run == 2 and hour):
                            dates += 1
                        hour = c == 58
                        run = number = 0
                    elif c != 58:
                        hour = False
                    if c <= 32:
                        in_word = False
                        continue
                    in_word = False
                    code = c
                elif c < 0xE0:
                    code = (c & 31) << 6
                    if i + 1 < j:
                        code |= text[i + 1] & 63
                    i += 2
                elif c < 0xF0:
                    code = (c & 15) << 12
                    if i + 2 < j:
                        code |= (text[i + 1] & 63) << 6 | text[i + 2] & 63
                    i += 3
                else:
                    code = 0x1F000
                    i += 4
                if code >= 128 and run:
                    if (run == 4 and 1900 <= number < 2100) or (run == 2 and hour):
                        dates += 1
                    run = number = 0
                    hour = False
                sort = _mark(code)
                if sort & 1:
                    marks += 1
                if sort & 8:
                    prices += 1
                if sort & 2:
                    ended = True
                elif not sort & 4 and code != 0xA0 and code != 0x3000:
                    ended = False
                if 0x2E80 <= code < 0xD800 and not sort & 3:
                    ideographs += 1
                    words += ideographs & 1  # two to a word
                    in_word = False
                elif code >= 128 and not sort:
                    if not in_word and code != 0xA0 and code != 0x3000:
                        in_word = True
                        words += 1
            if (run == 4 and 1900 <= number < 2100) or (run == 2 and hour):
                dates += 1
            in_word = False
        of_line[line] = size
        marks_of_line[line] = marks
        stops[line] = ended
        total += size
        total_links += links_of_line[line]
        above = block[first]
        sum_chars[first] += size
        sum_links[first] += links_of_line[line]
        sum_lines[first] += 1
        if tag[above] < KNOWN and directly[tag[above]] == 1:
            sum_paragraphs[first] += size
            total_paragraphs += size
        if within[first] & MAIN_BIT:
            total_main += size
        if within[first] & ARTICLE_BIT:
            total_article += size
        if size >= LONG_LINE and 4 * links_of_line[line] < size:
            total_long += size
        if size > longest:
            longest = size
        if size - links_of_line[line] > most:
            most = size - links_of_line[line]
            longest_line = line
        values[line, 0] = size
        values[line, 1] = links_of_line[line] / (size + 1.0)
        values[line, 2] = words
        values[line, 3] = marks / (size + 1.0)
        values[line, 4] = marks
        values[line, 5] = ended
        values[line, 6] = digits / (size + 1.0)
        values[line, 7] = capitals / (letters + 1.0)
        values[line, 8] = ideographs / (size + 1.0)
        values[line, 9] = dates
        values[line, 10] = prices
        values[line, 11] = link_count
        values[line, 12] = stop - starts[line]
        values[line, 13] = size / (words + 1.0)
        values[line, 14] = state[first] > 0
    for row in range(rows - 1, 0, -1):
        above = parent[row]
        sum_chars[above] += sum_chars[row]
        sum_links[above] += sum_links[row]
        sum_lines[above] += sum_lines[row]
        sum_paragraphs[above] += sum_paragraphs[row]
    line = 0
    for row in range(rows + 1):
        while line < lines and texts[starts[line]] < row:
            line += 1
        first_line[row] = line

    before: cython.longlong = 0
    unlinked_before: cython.longlong = 0
    unlinked: cython.double = total - total_links + 1.0
    last_h1: cython.int = -1
    next_h1: cython.int = -1
    last_heading: cython.int = -1
    last_level: cython.int = 0
    has_h1: cython.bint = False
    at: cython.int
    level: cython.int
    own: cython.int
    other: cython.int
    by: cython.int
    for line in range(lines):
        if _in_h1(texts[starts[line]], tag, parent):
            next_h1 = line
            has_h1 = True
            break
    for line in range(lines):
        first = texts[starts[line]]
        size = of_line[line]
        above = block[first]
        t = tag[above] if tag[above] < KNOWN else 0
        if heading[t]:
            last_heading = line
            last_level = heading[t]
        if has_h1 and next_h1 == line:
            last_h1 = line
            next_h1 = -1
            for i in range(line + 1, lines):
                if _in_h1(texts[starts[i]], tag, parent):
                    next_h1 = i
                    break
        at = 15
        values[line, at] = size / (total + 1.0)
        values[line, at + 1] = size / (longest + 1.0)
        values[line, at + 2] = line / (lines + 0.0)
        values[line, at + 3] = before / (total + 1.0)
        values[line, at + 4] = (unlinked_before + (size - links_of_line[line]) / 2.0) / unlinked
        before += size
        unlinked_before += size - links_of_line[line]
        values[line, at + 5] = _from_h1(line, last_h1, next_h1)
        values[line, at + 6] = has_h1
        values[line, at + 7] = line - longest_line
        values[line, at + 8] = depth[first]
        values[line, at + 9] = line - last_heading if last_heading >= 0 else -1
        values[line, at + 10] = last_level
        at = 26
        values[line, at] = lines
        values[line, at + 1] = total
        values[line, at + 2] = total_links / (total + 1.0)
        values[line, at + 3] = total_paragraphs / (total + 1.0)
        values[line, at + 4] = total_main / (total + 1.0)
        values[line, at + 5] = total_article / (total + 1.0)
        values[line, at + 6] = total_long / (total + 1.0)
        at = 33
        for k in range(SORTS_OF_BLOCK):
            values[line, at + k] = directly[t] == k + 1
        at += SORTS_OF_BLOCK
        t = tag[parent[first]]
        for k in range(SORTS_OF_INLINE):
            values[line, at + k] = t < KNOWN and inline[t] == k + 1
        at += SORTS_OF_INLINE
        for k in range(BITS):
            values[line, at + k] = (within[first] >> k) & 1
        at += BITS
        for level in range(LEVELS):
            containers[line, level] = above
            own = sum_chars[above]
            values[line, at] = own
            values[line, at + 1] = sum_links[above] / (own + 1.0)
            values[line, at + 2] = own / (total + 1.0)
            values[line, at + 3] = own / (sum_lines[above] + 1.0)
            values[line, at + 4] = sum_lines[above]
            values[line, at + 5] = sum_paragraphs[above] / (own + 1.0)
            values[line, at + 6] = (line - first_line[above]) / (sum_lines[above] + 0.0) if sum_lines[above] else 0.0
            values[line, at + 7] = around[tag[above]] if tag[above] < KNOWN else 0
            at += 8
            above = block[parent[above]] if above > 0 else 0
        for by in range(-SHIFTS, SHIFTS + 1):
            if by == 0:
                continue
            other = line + by
            if 0 <= other < lines:
                values[line, at] = of_line[other]
                values[line, at + 1] = links_of_line[other] / (of_line[other] + 1.0)
                values[line, at + 2] = stops[other]
                values[line, at + 3] = depth[texts[starts[other]]] - depth[first]
                values[line, at + 4] = paths[texts[starts[other]]] == paths[first]
            else:
                values[line, at] = -1
                values[line, at + 1] = -1
                values[line, at + 2] = 0
                values[line, at + 3] = 0
                values[line, at + 4] = 0
            at += 5
    _windows(values, of_line, links_of_line, marks_of_line, lines, at)
    _grouped(values, groups, 0, paths, texts, starts, of_line, links_of_line, lines, total, at + 6)
    _grouped(values, groups, 1, styles, texts, starts, of_line, links_of_line, lines, total, at + 10)
    at += 14
    for line in range(lines):
        first = texts[starts[line]]
        path = SEED
        for i in range(text_at[first], text_at[first + 1]):
            if text[i] > 32:
                path = _mix(path, text[i])
        paths[first] = path
    _same(values, paths, texts, starts, lines, at)
    _alike(values, containers, tag, styles, sum_chars, rows, lines, total, at + 1)
    at += 1 + 2 * LEVELS
    stated: tuple[int, ...] = _stated(page)
    for k in range(len(stated)):
        i = stated[k]
        for line in range(lines):
            values[line, at + k] = i
    at += len(stated)
    before = 0
    for line in range(lines):
        if comments[texts[starts[line]]]:
            before += of_line[line]
    for line in range(lines):
        values[line, at] = comments[texts[starts[line]]]
        values[line, at + 1] = before / (total + 1.0)


def _stated(page: Any) -> tuple[int, ...]:
    """What the page says that it is: a flag for each of STATED."""
    said = []
    tag, at, names = page.tag, page.attribute_at, page.attribute_name
    for row in ((tag == META) | (tag == SCRIPT)).nonzero()[0].tolist():
        own = {int(names[k]): k for k in range(at[row], at[row + 1])}
        if tag[row] == META:
            if PROPERTY in own and CONTENT in own and _value(page, own[PROPERTY]) == b"og:type":
                said.append(_value(page, own[CONTENT]))
        elif TYPE in own and _value(page, own[TYPE]) == b"application/ld+json":
            said.append(page.text_buffer[page.text_at[row] : page.text_at[row + 1]][:MOST_STATED])
    joined = b" ".join(said)
    return tuple(int(any(word in joined for word in words)) for _, words in STATED)


def _value(page: Any, k: int) -> bytes:
    value: bytes = page.value_buffer[page.value_at[k] : page.value_at[k + 1]]
    return value.strip()


@cython.cfunc
def _same(
    values: cython.float[:, ::1],
    digests: cython.ulonglong[::1],
    texts: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    lines: cython.int,
    at: cython.int,
) -> cython.void:
    """How many lines begin with the same text."""
    slots: cython.int = 64
    while slots < 2 * lines:
        slots *= 2
    table_ = array("i", bytes(4 * slots))  # a line of each text, and 1
    count_ = array("i", bytes(4 * slots))
    table: cython.int[::1] = table_
    count: cython.int[::1] = count_
    line: cython.int
    again: cython.int
    slot: cython.Py_ssize_t
    digest: cython.ulonglong
    for again in range(2):
        for line in range(lines):
            digest = digests[texts[starts[line]]]
            slot = cython.cast(cython.Py_ssize_t, digest & cython.cast(cython.ulonglong, slots - 1))
            while table[slot] and digests[texts[starts[table[slot] - 1]]] != digest:
                slot = (slot + 1) & (slots - 1)
            if again:
                values[line, at] = count[slot]
            else:
                table[slot] = line + 1
                count[slot] += 1


@cython.cfunc
def _alike(
    values: cython.float[:, ::1],
    containers: cython.int[:, ::1],
    tag: cython.const[cython.int][::1],
    styles: cython.ulonglong[::1],
    sums: cython.int[::1],
    rows: cython.int,
    lines: cython.int,
    total: cython.longlong,
    at: cython.int,
) -> cython.void:
    """How many elements there are like those around each line, and how much of the page's text they hold."""
    slots: cython.int = 64
    while slots < 2 * rows:
        slots *= 2
    table_ = array("i", bytes(4 * slots))  # a row of each style, and 1
    count_ = array("i", bytes(4 * slots))
    held_ = array("i", bytes(4 * slots))
    place_ = array("i", bytes(4 * rows))  # the slot of each row
    table: cython.int[::1] = table_
    count: cython.int[::1] = count_
    held: cython.int[::1] = held_
    place: cython.int[::1] = place_
    row: cython.int
    slot: cython.Py_ssize_t
    digest: cython.ulonglong
    for row in range(1, rows):
        if tag[row] < 4 or not sums[row]:
            continue
        digest = styles[row]
        slot = cython.cast(cython.Py_ssize_t, digest & cython.cast(cython.ulonglong, slots - 1))
        while table[slot] and styles[table[slot] - 1] != digest:
            slot = (slot + 1) & (slots - 1)
        table[slot] = row + 1
        count[slot] += 1
        held[slot] += sums[row]
        place[row] = cython.cast(cython.int, slot)
    line: cython.int
    level: cython.int
    for line in range(lines):
        for level in range(LEVELS):
            row = containers[line, level]
            values[line, at + 2 * level] = count[place[row]] if row else 0
            values[line, at + 2 * level + 1] = held[place[row]] / (total + 1.0) if row else 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _from_h1(line: cython.int, before: cython.int, after: cython.int) -> cython.float:
    """How far the closest headline is, in lines: positive after it, negative before it; 0 without one."""
    if before < 0 and after < 0:
        return 0
    if before < 0 or (after >= 0 and after - line < line - before):
        return line - after
    return line - before


@cython.cfunc
@cython.exceptval(check=False)
def _in_h1(row: cython.int, tag: cython.const[cython.int][::1], parent: cython.const[cython.int][::1]) -> cython.bint:
    _k: cython.int
    for _k in range(4):
        row = parent[row]
        if row <= 0:
            return False
        if tag[row] == H1:
            return True
    return False


def _role(role: bytes) -> int:
    return _ROLE_BITS.get(role.strip().lower(), 0)


@cython.cfunc
@cython.exceptval(check=False)
def _windows(
    values: cython.float[:, ::1],
    chars: cython.int[::1],
    links: cython.int[::1],
    marks: cython.int[::1],
    lines: cython.int,
    at: cython.int,
) -> cython.void:
    """The text outside of links, the share in links and the marks of the lines around each one."""
    which: cython.int
    size: cython.int
    line: cython.int
    enters: cython.int
    leaves: cython.int
    text: cython.longlong
    linked: cython.longlong
    signs: cython.longlong
    held: cython.int
    for which in range(2):
        size = NEAR if which == 0 else FAR
        text = linked = signs = 0
        held = 0
        for line in range(-size, lines):
            enters = line + size
            leaves = line - size - 1
            if enters < lines:
                text += chars[enters] - links[enters]
                linked += links[enters]
                signs += marks[enters]
                held += 1
            if leaves >= 0:
                text -= chars[leaves] - links[leaves]
                linked -= links[leaves]
                signs -= marks[leaves]
                held -= 1
            if line >= 0:
                values[line, at] = text / (held + 0.0)
                values[line, at + 1] = linked / (text + linked + 1.0)
                values[line, at + 2] = signs / (held + 0.0)
        at += 3


@cython.cfunc
def _grouped(
    values: cython.float[:, ::1],
    groups: cython.int[:, ::1],
    which: cython.int,
    digests: cython.ulonglong[::1],
    texts: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    chars: cython.int[::1],
    links: cython.int[::1],
    lines: cython.int,
    total: cython.longlong,
    at: cython.int,
) -> cython.void:
    """Numbers the lines of one digest alike, and says how many there are and how much they hold."""
    slots: cython.int = 64
    while slots < 2 * lines:
        slots *= 2
    table_ = array("i", bytes(4 * slots))
    table: cython.int[::1] = table_  # the group of a slot, and 1
    first_: array[int] = array("i", bytes(4 * lines))  # line of each group
    first: cython.int[::1] = first_
    size_: array[int] = array("i", bytes(4 * lines))
    size: cython.int[::1] = size_
    held_: array[int] = array("i", bytes(4 * lines))
    held: cython.int[::1] = held_
    in_links_: array[int] = array("i", bytes(4 * lines))
    in_links: cython.int[::1] = in_links_
    found: cython.int = 0
    line: cython.int
    slot: cython.Py_ssize_t
    digest: cython.ulonglong
    group: cython.int
    for line in range(lines):
        digest = digests[texts[starts[line]]]
        slot = cython.cast(cython.Py_ssize_t, digest & cython.cast(cython.ulonglong, slots - 1))
        while table[slot] and digests[texts[starts[first[table[slot] - 1]]]] != digest:
            slot = (slot + 1) & (slots - 1)
        if not table[slot]:
            first[found] = line
            found += 1
            table[slot] = found
        group = table[slot] - 1
        groups[line, which] = group
        size[group] += 1
        held[group] += chars[line]
        in_links[group] += links[line]
    for line in range(lines):
        group = groups[line, which]
        values[line, at] = size[group]
        values[line, at + 1] = held[group] / (total + 1.0)
        values[line, at + 2] = held[group] / (size[group] + 0.0)
        values[line, at + 3] = in_links[group] / (held[group] + 1.0)


# Words of classes and ids


@cython.cfunc
@cython.exceptval(check=False)
def _next_word(
    values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int, found: cython.int[::1]
) -> cython.bint:
    """The next word of a class or id: letters of one case, a capital first; found[0] to found[1]."""
    i: cython.int = start
    while i < stop and not (97 <= (values[i] | 32) <= 122):
        i += 1
    if i >= stop:
        return False
    found[0] = i
    i += 1
    while i < stop and 97 <= (values[i] | 32) <= 122:
        if values[i] <= 90 and values[i - 1] > 90:  # the next hump
            break
        i += 1
    found[1] = i
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _word_digest(values: cython.const[cython.uchar][::1], start: cython.int, stop: cython.int) -> cython.longlong:
    h: cython.ulonglong = SEED
    i: cython.int
    for i in range(start, min(stop, start + LONGEST_WORD)):
        h = _mix(h, values[i] | 32)
    return cython.cast(cython.longlong, (h >> 1) | 1)


def words(page: Any) -> tuple[array[int], array[int]]:
    """The words of all classes, ids and roles: the row and the digest of each."""
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    names: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    values: cython.const[cython.uchar][::1] = page.value_buffer
    rows: array[int] = array("i")
    digests: array[int] = array("q")
    span_ = array("i", [0, 0])
    span: cython.int[::1] = span_
    row: cython.int
    k: cython.int
    at: cython.int
    taken: cython.int
    for row in range(len(page.tag)):
        taken = 0
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if names[k] != CLASS and names[k] != ID and names[k] != ROLE:
                continue
            at = value_at[k]
            while taken < MOST_WORDS and _next_word(values, at, value_at[k + 1], span):
                at = span[1]
                if span[1] - span[0] > 1:
                    rows.append(row)
                    digests.append(_word_digest(values, span[0], span[1]))
                    taken += 1
    return rows, digests


def describe_words(page: Any, containers_: Any, known_: Any, scores_: Any, values_: Any, at: cython.int) -> None:
    """Fills the columns about the words of classes and ids, from `at` on: what the elements around each line say.

    `known` is a table of digests with a power of two for its size, 0 where empty, and `scores` what each word says.
    """
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    names: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    value_bytes: cython.const[cython.uchar][::1] = page.value_buffer
    containers: cython.const[cython.int][:, ::1] = containers_
    known: cython.const[cython.longlong][::1] = _plain(known_)
    scores: cython.const[cython.float][::1] = _plain(scores_)
    values: cython.float[:, ::1] = values_
    slots: cython.longlong = len(known_)
    rows: cython.int = len(page.tag)
    lines: cython.int = containers_.shape[0]
    own_ = array("f", bytes(4 * rows))
    sum_ = array("f", bytes(4 * rows))
    least_ = array("f", bytes(4 * rows))
    most_ = array("f", bytes(4 * rows))
    faded_ = array("f", bytes(4 * rows))
    own: cython.float[::1] = own_
    sums: cython.float[::1] = sum_
    least: cython.float[::1] = least_
    most: cython.float[::1] = most_
    faded: cython.float[::1] = faded_
    span_ = array("i", [0, 0])
    span: cython.int[::1] = span_
    row: cython.int
    above: cython.int
    k: cython.int
    i: cython.int
    taken: cython.int
    found: cython.int
    digest: cython.longlong
    slot: cython.longlong
    score: cython.double
    for row in range(1, rows):
        above = parent[row]
        score = 0
        found = 0
        taken = 0
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if names[k] != CLASS and names[k] != ID and names[k] != ROLE:
                continue
            i = value_at[k]
            while taken < MOST_WORDS and _next_word(value_bytes, i, value_at[k + 1], span):
                i = span[1]
                if span[1] - span[0] > 1:
                    taken += 1
                    digest = _word_digest(value_bytes, span[0], span[1])
                    slot = digest & (slots - 1)
                    while known[slot] and known[slot] != digest:
                        slot = (slot + 1) & (slots - 1)
                    if known[slot]:
                        score += scores[slot]
                        found += 1
        if found:
            score /= found
        own[row] = score
        sums[row] = sums[above] + score
        least[row] = min(least[above], score)
        most[row] = max(most[above], score)
        faded[row] = faded[above] * 0.7 + score if found else faded[above]
    line: cython.int
    for line in range(lines):
        row = containers[line, 0]
        values[line, at] = own[row]
        values[line, at + 1] = own[containers[line, 1]]
        values[line, at + 2] = own[containers[line, 2]]
        values[line, at + 3] = sums[row]
        values[line, at + 4] = least[row]
        values[line, at + 5] = most[row]
        values[line, at + 6] = faded[row]


# What the first stage said of the lines around


def describe_context(
    end_: Any, texts_: Any, starts_: Any, containers_: Any, groups_: Any, first_: Any, values_: Any, at: cython.int
) -> None:
    """Fills the columns about the first stage's answers, from `at` on: of the lines near, around, alike, and all.

    Answers are from 0 to 1; column 0 of the values is how long each line is, which is what counts in means.
    """
    end: cython.const[cython.int][::1] = _plain(end_)
    texts: cython.const[cython.longlong][::1] = _plain(texts_)
    starts: cython.const[cython.longlong][::1] = _plain(starts_)
    containers: cython.const[cython.int][:, ::1] = containers_
    groups: cython.const[cython.int][:, ::1] = groups_
    first: cython.const[cython.double][::1] = _plain(first_)
    values: cython.float[:, ::1] = values_
    lines: cython.int = len(starts_)
    if not lines:
        return
    # Sums before each line, so that those of any stretch are two look-ups.
    weight_ = array("d", bytes(8 * (lines + 1)))
    yes_ = array("d", bytes(8 * (lines + 1)))
    weight: cython.double[::1] = weight_
    yes: cython.double[::1] = yes_
    group_weight_ = array("d", bytes(8 * 2 * lines))
    group_yes_ = array("d", bytes(8 * 2 * lines))
    group_weight: cython.double[::1] = group_weight_
    group_yes: cython.double[::1] = group_yes_
    line: cython.int
    other: cython.int
    by: cython.int
    level: cython.int
    k: cython.int
    low: cython.int
    high: cython.int
    most: cython.double = 0
    w: cython.double
    for line in range(lines):
        w = float(values[line, 0])
        weight[line + 1] = weight[line] + w
        yes[line + 1] = yes[line] + w * first[line]
        most = max(most, first[line])
        for k in range(2):
            group_weight[k * lines + groups[line, k]] += w
            group_yes[k * lines + groups[line, k]] += w * first[line]
    rows: cython.int = len(end_)
    first_line_ = array("i", bytes(4 * (rows + 1)))  # of those at or after each row
    first_line: cython.int[::1] = first_line_
    line = 0
    for k in range(rows + 1):
        while line < lines and texts[starts[line]] < k:
            line += 1
        first_line[k] = line
    up: cython.int = -1
    for line in range(lines):
        values[line, at] = first[line]
        k = at + 1
        for by in range(-3, 4):
            if by:
                other = line + by
                values[line, k] = first[other] if 0 <= other < lines else -1
                k += 1
        for by in (3, 8):
            low = max(0, line - by)
            high = min(lines, line + by + 1)
            values[line, k] = (yes[high] - yes[low]) / (weight[high] - weight[low] + 1)
            k += 1
        for level in range(5):
            other = containers[line, level]
            low = first_line[other]
            high = first_line[end[other]]
            # The line itself is left out: what do the others say?
            w = float(values[line, 0])
            values[line, k] = (yes[high] - yes[low] - w * first[line]) / (weight[high] - weight[low] - w + 1)
            k += 1
        for by in range(2):
            other = groups[line, by]
            w = float(values[line, 0])
            values[line, k] = (group_yes[by * lines + other] - w * first[line]) / (
                group_weight[by * lines + other] - w + 1
            )
            k += 1
        values[line, k] = most
        values[line, k + 1] = yes[lines] / (weight[lines] + 1)
        values[line, k + 2] = yes[line] / (yes[lines] + 1)
        values[line, k + 3] = (yes[lines] - yes[line + 1]) / (yes[lines] + 1)
        values[line, k + 4] = line - up if up >= 0 else -1
        if first[line] >= 0.5:
            up = line
    up = -1
    for line in range(lines - 1, -1, -1):
        values[line, at + CONTEXT_WIDTH - 1] = up - line if up >= 0 else -1
        if first[line] >= 0.5:
            up = line
