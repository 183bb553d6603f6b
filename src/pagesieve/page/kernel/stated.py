# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Which of a page's many elements are worth a look for what it says of itself: those with a telling attribute, the
headings that have something in common with a title, and the texts that may name a day.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from pagesieve.page.kernel import cython_shim as cython

from pagesieve.page.kernel.tags import TAG_ID

H1 = cython.declare(cython.int, TAG_ID["h1"])
H6 = cython.declare(cython.int, TAG_ID["h6"])
WORDS = cython.declare(cython.int, 4)  # of 64 bits, for the letters of a heading: what has more is not judged here
LETTERS = cython.declare(cython.int, 64 * 4)
UNSURE = cython.declare(cython.int, -1)  # how many letters a text has that is not plain
LONGEST_NAME = cython.declare(cython.int, 64)  # bytes of the name of a fact
BITS = cython.declare(cython.ulonglong, 0xFFFF_FFFF_FFFF_FFFF)


def _plain(column: Any) -> Any:
    """A column as the kernel reads it fastest: as it is when compiled, as a list when not."""
    return column if cython.compiled or isinstance(column, array | bytes) else column.tolist()


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _small(byte: cython.int) -> cython.int:
    return byte + 32 if 65 <= byte <= 90 else byte


@cython.cfunc
@cython.exceptval(check=False)
def _may_say(
    values: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    words: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Whether a value begins with one of some words, each ended by a zero, or with what is beyond ASCII."""
    word: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    while start < stop and values[start] <= 32:
        start += 1
    if start == stop:
        return False
    if values[start] >= 128:
        return True
    while word < len(words):
        k = 0
        while words[word + k] and start + k < stop and _small(values[start + k]) == words[word + k]:
            k += 1
        if not words[word + k]:
            return True
        word += k
        while words[word]:
            word += 1
        word += 1
    return False


def saying(page: Any, tag: int, names_: bytes, words_: bytes, most: int) -> list[int]:
    """The rows of an element that may say one of some words in an attribute: the caller is to read what it says.

    `names` are the numbers of the attributes, a byte each. The words are in small letters, each ended by a zero; what
    begins with one, in small letters or not, may say it. Of the rows of the element, the first `most` are looked at.
    """
    tags: cython.const[cython.int][::1] = _plain(page.tag)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    values: cython.const[cython.uchar][::1] = page.value_buffer
    names: cython.const[cython.uchar][::1] = names_
    words: cython.const[cython.uchar][::1] = words_
    wanted: cython.int = tag
    left: cython.Py_ssize_t = most
    count: cython.Py_ssize_t = len(names_)
    found: list[int] = []
    row: cython.int
    k: cython.int
    j: cython.Py_ssize_t
    says: cython.bint
    for row in range(len(page.tag)):
        if tags[row] != wanted:
            continue
        if left == 0:
            break
        left -= 1
        says = False
        for k in range(attribute_at[row], attribute_at[row + 1]):
            for j in range(count):
                if attribute_name[k] == names[j]:
                    says = says or _may_say(values, value_at[k], value_at[k + 1], words)
        if says:
            found.append(row)
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _name(
    values: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t, key: cython.uchar[::1]
) -> cython.int:
    """Fills in a name in small letters, without what stands between its words, and says how long it is; 0 where it is
    too long to be one.
    """
    size: cython.int = 0
    byte: cython.int
    at: cython.Py_ssize_t
    for at in range(start, stop):
        byte = _small(values[at])
        # Blanks, and - . : _
        if byte == 32 or 9 <= byte <= 10 or byte == 13 or 45 <= byte <= 46 or byte == 58 or byte == 95:
            continue
        if size == LONGEST_NAME:
            return 0
        key[size] = byte
        size += 1
    return size


def named(
    page: Any, tag: int, names_: bytes, content: int, wanted: dict[bytes, str], most: int
) -> list[tuple[str, int, int]]:
    """The elements that name one of the facts wanted: as what it is wanted, and where its value begins and ends.

    `names` are the numbers of the attributes that may hold a name, `content` is that of the one with the fact. Names
    are compared in small letters, without what stands between their words: `article:published_time` and
    `article.published-time` are the same. Of the rows of the element, the first `most` are looked at.
    """
    tags: cython.const[cython.int][::1] = _plain(page.tag)
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    values: cython.const[cython.uchar][::1] = page.value_buffer
    names: cython.const[cython.uchar][::1] = names_
    key_ = bytearray(LONGEST_NAME)
    key: cython.uchar[::1] = key_
    element: cython.int = tag
    holds: cython.int = content
    left: cython.Py_ssize_t = most
    found: list[tuple[str, int, int]] = []
    row: cython.int
    k: cython.int
    j: cython.Py_ssize_t
    fact: cython.int
    size: cython.int
    for row in range(len(page.tag)):
        if tags[row] != element:
            continue
        if left == 0:
            break
        left -= 1
        fact = -1
        for k in range(attribute_at[row], attribute_at[row + 1]):
            if attribute_name[k] == holds:
                fact = k
        if fact < 0:
            continue
        for k in range(attribute_at[row], attribute_at[row + 1]):
            for j in range(len(names)):
                if attribute_name[k] == names[j]:
                    size = _name(values, value_at[k], value_at[k + 1], key)
                    name = wanted.get(bytes(key_[:size])) if size else None
                    if name is not None:
                        found.append((name, value_at[fact], value_at[fact + 1]))
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _squeezed(
    text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t, key: cython.uchar[::1]
) -> cython.int:
    """Fills in the letters and digits of a text in small letters, and says how many; UNSURE where it is not plain.

    Plain is ASCII with no-break spaces and the dashes and quotation marks of print, which are no letters.
    """
    size: cython.int = 0
    byte: cython.int
    at: cython.Py_ssize_t = start
    while at < stop:
        byte = _small(text[at])
        if byte >= 128:
            if byte == 0xC2 and at + 1 < stop and text[at + 1] == 0xA0:
                at += 2
            elif byte == 0xE2 and at + 2 < stop and text[at + 1] == 0x80:
                at += 3
            else:
                return UNSURE
            continue
        if 97 <= byte <= 122 or 48 <= byte <= 57:
            if size == LETTERS:
                return UNSURE
            key[size] = byte
            size += 1
        at += 1
    return size if size else UNSURE


@cython.cfunc
@cython.exceptval(check=False)
def _in_common(
    titles: cython.const[cython.uchar][::1],
    size: cython.int,
    places: cython.ulonglong[::1],
    row: cython.ulonglong[::1],
) -> cython.int:
    """The length of the longest subsequence that a key has in common with a title, given where each byte is in the key.

    A bit for each letter of the key, 64 letters at once: those that are zero at the end of a title are in common.
    """
    words: cython.int = (size + 63) // 64
    word: cython.int
    k: cython.Py_ssize_t
    before: cython.ulonglong
    both: cython.ulonglong
    added: cython.ulonglong
    carry: cython.ulonglong
    place: cython.int
    common: cython.int
    most: cython.int = 0
    for word in range(words):
        row[word] = BITS
    for k in range(len(titles)):
        if titles[k]:
            carry = 0
            for word in range(words):
                before = row[word]
                both = before & places[titles[k] * WORDS + word]
                added = (before + both + carry) & BITS
                carry = 1 if added < before or (carry and added == before) else 0
                row[word] = added | (before - both)
            continue
        common = 0
        for place in range(size):
            if not row[place >> 6] >> (place & 63) & 1:
                common += 1
        most = max(most, common)
        for word in range(words):
            row[word] = BITS
    return most


def headings(page: Any, titles_: bytes, least: float, longest: int, most: int) -> list[tuple[int, int, bool, bool]]:
    """The headings that are seen and may be the headline, how many others each has of its level and depth, whether
    some of it is not seen, and whether it was judged.

    Below h1, those are left out of which less than the share `least` is in common with every title; what is not
    plain is not judged, and the caller is to do it. Titles are squeezed, each ended by a zero. The first `most`
    headings are looked at, of up to `longest` bytes each.
    """
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    end: cython.const[cython.int][::1] = _plain(page.end)
    depth: cython.const[cython.int][::1] = _plain(page.depth)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    state: cython.const[cython.uchar][::1] = _plain(page.visibility)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    titles: cython.const[cython.uchar][::1] = titles_
    places_ = array("Q", bytes(8 * 256 * WORDS))
    places: cython.ulonglong[::1] = places_
    bits_ = array("Q", bytes(8 * WORDS))
    bits: cython.ulonglong[::1] = bits_
    key_ = bytearray(LETTERS)
    key: cython.uchar[::1] = key_
    share: cython.double = least
    limit: cython.Py_ssize_t = longest
    left: cython.Py_ssize_t = most
    size: cython.int
    common: cython.int
    k: cython.int
    row: cython.int
    alike: cython.int
    partly: cython.bint
    judged: cython.bint
    seen: list[int] = []
    for row in range(len(page.tag)):
        if H1 <= tag[row] <= H6:
            if left == 0:
                break
            left -= 1
            if state[row] == 0:
                seen.append(row)
    found: list[tuple[int, int, bool, bool]] = []
    for row in seen:
        if not 0 < text_at[end[row]] - text_at[row] <= limit:
            continue
        judged = tag[row] == H1 or len(titles) == 0
        if not judged:
            size = _squeezed(text, text_at[row], text_at[end[row]], key)
            if size != UNSURE:
                judged = True
                for k in range(size):
                    places[key[k] * WORDS + (k >> 6)] |= cython.cast(cython.ulonglong, 1) << (k & 63)
                common = _in_common(titles, size, places, bits)
                for k in range(size):
                    places[key[k] * WORDS + (k >> 6)] = 0
                if common < share * size:
                    continue
        alike = -1
        for other in seen:
            k = other
            if tag[k] == tag[row] and depth[k] == depth[row]:
                alike += 1
        partly = False
        if end[row] - row > 2:  # one text in one element is seen as a whole
            for k in range(row, end[row]):
                partly = partly or state[k] != 0
        found.append((row, alike, partly, judged))
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _holds(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    word: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Whether a word stands in a part of a text."""
    size: cython.Py_ssize_t = len(word)
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    first: cython.uchar = word[0]
    for at in range(start, stop - size + 1):
        if text[at] == first:
            k = 1
            while k < size and text[at + k] == word[k]:
                k += 1
            if k == size:
                return True
    return False


def last_holding(page: Any, word_: bytes) -> int:
    """The last text row that is seen and holds a word; -1 where there is none."""
    chars: cython.const[cython.int][::1] = _plain(page.chars)
    text_at: cython.const[cython.int][::1] = _plain(page.text_at)
    text: cython.const[cython.uchar][::1] = page.text_buffer
    word: cython.const[cython.uchar][::1] = word_
    row: cython.int
    for row in range(len(page.tag) - 1, 0, -1):
        if chars[row] and _holds(text, text_at[row], text_at[row + 1], word):
            return row
    return -1


def seen_from(page: Any, first: int) -> bytes:
    """The texts that are seen from a row on, with a zero where one that is not seen stands between them."""
    state: cython.const[cython.uchar][::1] = _plain(page.visibility[first:])
    text_at: cython.const[cython.int][::1] = _plain(page.text_at[first:])
    text: bytes = page.text_buffer
    rows: cython.int = len(page.tag) - first
    start: cython.int = text_at[0]
    row: cython.int
    parts: list[bytes] = []
    for row in range(rows):
        if state[row] != 0 and text_at[row] < text_at[row + 1]:
            if start < text_at[row]:
                parts.append(text[start : text_at[row]])
            start = text_at[row + 1]
    parts.append(text[start : text_at[rows]])
    return b"\0".join(parts)


def marked(page: Any, name: int, word_: bytes, most: int) -> list[int]:
    """The first rows with an attribute whose value holds a word."""
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at)
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    values: cython.const[cython.uchar][::1] = page.value_buffer
    word: cython.const[cython.uchar][::1] = word_
    wanted: cython.int = name
    left: cython.Py_ssize_t = most
    row: cython.int = 0
    k: cython.int
    found: list[int] = []
    for k in range(len(page.attribute_name)):
        if attribute_name[k] == wanted and _holds(values, value_at[k], value_at[k + 1], word):
            if left == 0:
                break
            left -= 1
            while attribute_at[row + 1] <= k:
                row += 1
            found.append(row)
    return found


def beside(page: Any, rows: list[int], wanted_: bytes) -> list[bool]:
    """Which of some rows are below an element of some sorts: `wanted` marks them by their numbers."""
    tag: cython.const[cython.int][::1] = _plain(page.tag)
    parent: cython.const[cython.int][::1] = _plain(page.parent)
    wanted: cython.const[cython.uchar][::1] = wanted_
    known: cython.int = len(wanted_)
    row: cython.int
    is_below: cython.bint
    found: list[bool] = []
    for each in rows:
        row = each
        is_below = False
        while row > 0 and not is_below:
            row = parent[row]
            is_below = tag[row] < known and wanted[tag[row]] != 0
        found.append(is_below)
    return found


def holding(page: Any, words_: bytes, names_: bytes, first: int, stop: int, most: int) -> list[tuple[int, int]]:
    """The rows among some that are seen and have an attribute that holds a word, and the number of the attribute.

    `names` are the numbers of the attributes that are looked at. The words are each ended by a zero, and have up to 64
    letters in all. Of the attributes that hold a word, the first `most` count. Where a row has several, it is the one
    with the last of the words.
    """
    attribute_at: cython.const[cython.int][::1] = _plain(page.attribute_at[first : stop + 1])
    attribute_name: cython.const[cython.int][::1] = _plain(page.attribute_name)
    value_at: cython.const[cython.int][::1] = _plain(page.value_at)
    state: cython.const[cython.uchar][::1] = _plain(page.visibility[first:stop])
    values: cython.const[cython.uchar][::1] = page.value_buffer
    names: cython.const[cython.uchar][::1] = names_
    # A bit for each letter of the words: those that the last bytes of a value have been, up to this letter, are set.
    letters_ = array("Q", bytes(8 * 256))
    letters: cython.ulonglong[::1] = letters_
    begins: cython.ulonglong = 0
    ends: cython.ulonglong = 0
    read: cython.ulonglong
    held: cython.ulonglong
    one: cython.ulonglong = 1
    left_ = array("i", [most]) * 64  # by the bit that ends a word
    left: cython.int[::1] = left_
    row: cython.int
    k: cython.int
    j: cython.int
    at: cython.int
    last: cython.int
    name: cython.int
    wanted: cython.bint
    found: list[tuple[int, int]] = []
    if len(words_.replace(b"\0", b"")) > 64:
        raise ValueError("words of more than 64 letters")
    j = 0
    for word in words_.removesuffix(b"\0").split(b"\0"):
        begins |= one << j
        for letter in word:
            letters[letter] |= one << j
            j += 1
        ends |= one << (j - 1)
    for row in range(stop - first):
        last = -1
        name = -1
        for k in range(attribute_at[row], attribute_at[row + 1]):
            wanted = False
            for j in range(len(names)):
                wanted = wanted or attribute_name[k] == names[j]
            if not wanted:
                continue
            read = held = 0
            for at in range(value_at[k], value_at[k + 1]):
                read = ((read << 1) | begins) & letters[values[at]]
                held |= read & ends
            j = 0
            while held:
                if held & 1 and left[j]:
                    left[j] -= 1
                    if j >= last:
                        last = j
                        name = attribute_name[k]
                held >>= 1
                j += 1
        if last >= 0 and state[row] == 0:
            found.append((row + first, name))
    return found


def dated(page: Any, first: int, stop: int, veiled: bool, least: int, most: int) -> list[int]:
    """The text rows among some that hold a year and are of `least` to `most` bytes; those that are seen, or veiled too
    if that is asked for.
    """
    chars: cython.const[cython.int][::1] = _plain(page.chars[first:stop])
    hidden: cython.const[cython.int][::1] = _plain(page.hidden_chars[first:stop])
    text_at: cython.const[cython.int][::1] = _plain(page.text_at[first : stop + 1])
    text: cython.const[cython.uchar][::1] = page.text_buffer
    shortest: cython.int = least
    longest: cython.int = most
    also: cython.bint = veiled
    found: list[int] = []
    row: cython.int
    at: cython.int
    for row in range(stop - first):
        if not (chars[row] or (also and hidden[row])) or not shortest <= text_at[row + 1] - text_at[row] <= longest:
            continue
        for at in range(text_at[row], text_at[row + 1] - 3):
            # 19 or 20, and two digits more
            if (
                ((text[at] == 49 and text[at + 1] == 57) or (text[at] == 50 and text[at + 1] == 48))
                and 48 <= text[at + 2] <= 57
                and 48 <= text[at + 3] <= 57
            ):
                found.append(row + first)
                break
    return found
