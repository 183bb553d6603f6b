"""The headline of a page: what its visible texts, its own statements and a catalogue page agree on.

Candidates are collected (headings, visible lines with words of a stated title, stated titles and their parts, external
titles) and compared with what is stated; the best is taken. The rule of the paper is there as `paper`.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from operator import mul
from urllib.parse import unquote, urlsplit

import numpy as np
from rapidfuzz.distance import LCSseq

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TAGS, tag_ids
from pagesieve.page.lines import Blocks, shown
from pagesieve.page.stated import (
    LONGEST_FACT,
    TITLE_PARTING,
    address,
    document_title,
    linked_headlines,
    meta,
)
from pagesieve.page.table import Bools, Page
from pagesieve.selection import Reason, Selection
from pagesieve.stages import stage
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import fold, squeeze

RULES = ("default", "paper")

# How much each sign counts: fitted by benchmarks/fit_headline.py. No set for training has external titles, so they are
# set to count for about as much as the address.
WEIGHTS = {
    "h1": 2.3,
    "h2": 1.5,
    "line": 0.5,
    "visible": -5.4,
    "visible and like the title": 4.3,
    "like the title": -1.2,
    "visible and inside a stated title": 2.2,
    "visible and a long part of a title": 1.3,
    "the whole title": -1.4,
    "end of the title": -1.8,
    "more than the title": -2.2,
    "like a declared title": 1.7,
    "like the address": 3.6,
    "the only h1": 0.8,
    "like the site's name": -0.4,
    "linked": -1.0,
    "aside": -1.2,
    "alike": -0.9,
    "before the text": 1.7,
    "leads home": -1.9,
    "itemprop": 1.3,
    "like an external title": 4.0,
    "an external title": 1.0,
}

_WEIGHTS = tuple(WEIGHTS.values())

_MOST_HEADINGS = 100
_MOST_OF_PAPER = 1000  # the paper takes them all
_LONGEST_BYTES = 1200  # a heading that is longer was never closed
_LONGEST_LINE = 150  # characters: what is longer is a paragraph, whose beginning a site took for its title
_MOST_ROWS = 300  # in a candidate
_LEAST_COMMON = 0.75  # of a heading below h1: where less of it is in any stated title, it is not the headline
_UNLIKE = 0.5  # where no candidate is more similar to an external title, these are candidates themselves
_LEAST_PART = 0.4  # of a title: a heading with as much of it is the headline, and no line need be looked for
_PLAIN_LENGTH = 10  # characters of a headline that is taken without a look at others
_FULL_LENGTH = 25  # characters: an only h1 of as many says enough
_MOST_PARTS = 8
_MOST_PROBES = 4
_PROBE_BYTES = 16  # of a word, which tell whether it is worth looking for
_MOST_LOOKS = 12  # at the texts with a word of a title
_MOST_EXTERNAL = 20
_LEAST_SLUG = 2  # words; what has fewer is a section or a number
_SPARE_BYTES = 20  # that a line may be longer than the title it has a word of
_CUT_SHORT = ("…", "...")
_HOME_NAMES = frozenset(("", "index", "default", "home"))

_TITLES = ("og:title", "twitter:title", "headline")
_SITE_NAMES = ("og:site_name", "application-name")
_H1, _H6, _A = TAG_ID["h1"], TAG_ID["h6"], TAG_ID["a"]
HEADINGS = tag_ids("h1 h2 h3 h4 h5 h6")
_IS_HEADING = np.array([number in HEADINGS for number in range(len(TAGS) + 1)])
_ASIDES = bytes(number in tag_ids("aside nav footer") for number in range(len(TAGS)))
_ITEMPROP = bytes([ATTRIBUTE_ID["itemprop"]])
_WORD = re.compile(r"[^\W_]+")
_SLUG_WORD = re.compile(r"[^\W\d_]{2,}")
_MARK = re.compile(r"[-–—:~/<>→•·|｜¦_»«›‹]")  # one of these at least: quickly asked


@dataclass(frozen=True, slots=True)
class HeadlineOptions:
    """Which rule chooses: `default`, or that of the `paper`."""

    rule: str = "default"


DEFAULT = HeadlineOptions()


def lcs_similarity(a: str, b: str) -> float:
    """Return twice the longest common subsequence over the sum of the lengths; 0 where both are empty."""
    size = len(a) + len(b)
    return 2 * LCSseq.similarity(a, b) / size if size else 0.0


@stage("headline")
def find_headline(page: Page, external: Iterable[str] = (), options: HeadlineOptions = DEFAULT) -> str:
    """Return the headline of a page, blanks folded; empty where it has none. `external` is what other pages call it."""
    titles = _external_titles(external)
    # Not by rules: some themes hide the headline by one where a picture shows it.
    page = page.showing(_in_headings(page), rules=False)
    if options.rule == "paper":
        return _paper_headline(page, titles)
    return _best_headline(page, titles) if titles else _own_headline(page)


def _in_headings(page: Page) -> Bools:
    """Return which rows are headings, or in one."""
    found = np.zeros(len(page), dtype=np.bool_)
    for row in np.flatnonzero(_IS_HEADING[np.minimum(page.tag, len(TAGS))]).tolist():
        found[row : page.end[row]] = True
    return found


def _own_headline(page: Page) -> str:
    """Return the headline by the page alone, found once for each page."""
    if "_headline" not in page.__dict__:
        page.__dict__["_headline"] = _plain_headline(page) or _best_headline(page, ())
    headline: str = page.__dict__["_headline"]
    return headline


def _plain_headline(page: Page) -> str:
    """Return the only `h1` of a page if all titles that the page states have it, one as its first half; else ""."""
    headings = [each for each in kernel.stated.visible_headings(page, _MOST_HEADINGS) if each[1] == 1]
    if len(headings) != 1:
        return ""
    row, _, _, start, stop = headings[0]
    if not 0 < stop - start <= _LONGEST_BYTES or _is_partly_seen(page, row):
        return ""
    text = _without_permalink(page, row, page.text_buffer[start:stop].decode("utf-8", "replace"))
    key = squeeze(text)
    if len(key) < _PLAIN_LENGTH:
        return ""
    titles = [squeeze(title) for title in (document_title(page), *_declared_titles(page)) if title]
    is_beginning = any(title.startswith(key) and 2 * len(key) >= len(title) for title in titles)
    if not is_beginning or not all(key in title for title in titles):
        return ""
    return _text(page, _Candidate(key, text, row))


def _external_titles(given: Iterable[str]) -> list[str]:
    """Return the first external titles, their blanks folded, each once."""
    folded = (fold(title.encode("utf-8", "replace").decode()) for title in given)
    return list(dict.fromkeys(title for title in folded if 0 < len(title) <= LONGEST_FACT))[:_MOST_EXTERNAL]


def _paper_headline(page: Page, external: Sequence[str]) -> str:
    """Return, of the external titles and the headings, the one most similar to `<title>`."""
    rows = np.flatnonzero((page.tag >= _H1) & (page.tag <= _H6))[:_MOST_OF_PAPER].tolist()
    headings = [fold(page.text(row))[:LONGEST_FACT] for row in rows]
    candidates = [*external, *(heading for heading in headings if heading)]
    title = document_title(page) or next(iter(external), "")
    return max(candidates, key=lambda candidate: lcs_similarity(candidate, title), default="")


def _best_headline(page: Page, external: Sequence[str]) -> str:
    """Return the candidate with the most signs of a headline."""
    witnesses = _witnesses(page, external)
    found = _candidates(page, witnesses)
    if len(found) < 2:
        return _text(page, found[0]) if found else ""
    signs = _signs_of(page, witnesses, found)
    return _text(page, max(found, key=lambda candidate: sum(map(mul, signs(candidate), _WEIGHTS))))


def _cuts(title: str) -> list[tuple[int, int]]:
    """Return where in a title something separates the headline from the site's name."""
    return [mark.span() for mark in TITLE_PARTING.finditer(title)] if _MARK.search(title) else []


def _parts(title: str, cuts: list[tuple[int, int]]) -> list[str]:
    """Return what is between the cuts of a title, and all that is before or after each."""
    cuts = cuts[:_MOST_PARTS]
    if not cuts:
        return []
    longer = [*(title[:start] for start, _ in cuts[1:]), *(title[stop:] for _, stop in cuts[:-1])]
    return [part for part in (*_pieces(title, cuts), *longer) if _WORD.search(part)]


def _pieces(title: str, cuts: list[tuple[int, int]]) -> list[str]:
    """Return what is between the cuts of a title."""
    if not cuts:
        return [title]
    starts = [0, *(stop for _, stop in cuts)]
    stops = [*(start for start, _ in cuts), len(title)]
    return [title[start:stop] for start, stop in zip(starts, stops, strict=True)]


@dataclass(frozen=True, slots=True)
class _Witnesses:
    """What candidates are compared with: squeezed, unless it is said to be as it stands."""

    texts: tuple[str, ...]  # the stated titles as they stand
    external: Sequence[str]  # the external titles as they stand
    title: str
    declared: tuple[str, ...]
    outside: tuple[str, ...]  # the external titles that are whole,
    begun: tuple[str, ...]  # and those that were cut short
    titles: tuple[str, ...]  # all of these
    common: tuple[str, ...]  # these and the slug, less what is part of another
    sites: tuple[str, ...]
    slug: str
    pieces: dict[str, list[str]]  # of each stated or external title as it stands: what is between its cuts
    parts: set[str]  # of the stated titles
    longest: str  # the longest part of the title, or of what stands for it


def _witnesses(page: Page, external: Sequence[str]) -> _Witnesses:
    title, facts = document_title(page), meta(page)
    declared = _declared_titles(page)
    host, slug = _host_and_slug(address(page) or "")
    sites = [*(text for _, text in facts.firsts(*_SITE_NAMES)), *filter(None, [host])]
    texts = tuple(dict.fromkeys(text for text in (title, *declared) if text))
    keys = {text: squeeze(text) for text in (*texts, *external, *sites)}
    outside = tuple(keys[text] for text in external if not text.endswith(_CUT_SHORT))
    begun = tuple(keys[text] for text in external if text.endswith(_CUT_SHORT))
    titles = tuple(dict.fromkeys(key for text in (*texts, *external) if (key := keys[text])))
    slug = squeeze(slug)
    cuts = {text: _cuts(text) for text in (*texts, *external)}
    main = next(iter(cuts), "")
    return _Witnesses(
        texts=texts,
        external=external,
        title=keys.get(title, ""),
        declared=tuple(dict.fromkeys(keys[text] for text in declared)),
        outside=outside,
        begun=begun,
        titles=titles,
        common=_outermost((*titles, slug) if slug else titles),
        sites=tuple(dict.fromkeys(key for text in sites if (key := keys[text]))),
        slug=slug,
        pieces={text: _pieces(text, cuts[text]) for text in cuts},
        parts={squeeze(part) for text in texts for part in _parts(text, cuts[text])},
        longest=max(map(squeeze, _pieces(main, cuts.get(main, []))), key=len),
    )


def _declared_titles(page: Page) -> tuple[str, ...]:
    """Return the titles that the `meta` elements and the JSON-LD of a page state."""
    return (*(text for _, text in meta(page).firsts(*_TITLES)), *linked_headlines(page))


def _host_and_slug(url: str) -> tuple[str, str]:
    """Return the name of the host without what all hosts have, and the part of the path with the most words."""
    parts = split_url(url)
    host = (parts.hostname or "").removeprefix("www.").rpartition(".")[0]
    wordy = [(len(_SLUG_WORD.findall(part)), part) for part in unquote(parts.path[:LONGEST_FACT]).split("/")]
    words, slug = max(wordy, default=(0, ""), key=lambda pair: pair[0])
    return host, slug.rpartition(".")[0] or slug if words >= _LEAST_SLUG else ""


def _outermost(titles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the titles that are not part of another: what is in common with a part is in common with the whole."""
    return tuple(title for title in titles if not any(title in other and title != other for other in titles))


@dataclass(slots=True)
class _Candidate:
    """A text that may be the headline, and where it stands."""

    key: str  # squeezed
    text: str
    row: int = -1  # where it is visible; -1 where it is only stated
    level: int = 0  # of its heading
    alike: int = 0  # other headings of its level and depth
    is_line: bool = False
    is_marked: bool = False  # as the headline, by itemprop


def _candidates(page: Page, witnesses: _Witnesses) -> list[_Candidate]:
    """Return every text that may be the headline, each once."""
    found: dict[str, _Candidate] = {}
    _add_headings(page, witnesses, found)
    for row, _ in kernel.stated.rows_with_word(page, b"headline\0", _ITEMPROP, 0, len(page), _MOST_LOOKS):
        if key := squeeze(text := _seen(page, row)):
            found.setdefault(key, _Candidate(key, text, row)).is_marked = True
    if not _agreed(witnesses, found.values()):
        _add_lines(page, witnesses, found)
    # A visible part of a title goes before what is only stated.
    if not any(_is_seen_part(one, witnesses) for one in found.values()):
        for text in witnesses.texts:
            _add(text, found)
            _add(max(witnesses.pieces[text], key=len), found)
    # What other pages call it is a witness, and the headline itself only where nothing here is similar to it.
    if witnesses.external and all(_like_external(key, witnesses) < _UNLIKE for key in found):
        for text in witnesses.external:
            _add(text, found)
    return list(found.values())


def _is_seen_part(one: _Candidate, witnesses: _Witnesses) -> bool:
    """Whether a candidate is a long part of a stated title, and not just the site's name."""
    least = _LEAST_PART * len(witnesses.longest)
    return len(one.key) >= least and one.key in witnesses.parts and one.key not in witnesses.sites


def _add(text: str, found: dict[str, _Candidate]) -> None:
    if key := squeeze(text):
        found.setdefault(key, _Candidate(key, text))


def _add_headings(page: Page, witnesses: _Witnesses, found: dict[str, _Candidate]) -> None:
    """Add the visible headings; below h1, those that have enough in common with a stated title."""
    headings = kernel.stated.visible_headings(page, _MOST_HEADINGS)
    places = [(level, depth) for _, level, depth, _, _ in headings]
    for row, level, depth, start, stop in headings:
        if not 0 < stop - start <= _LONGEST_BYTES:
            continue
        text = _without_permalink(page, row, page.text_buffer[start:stop].decode("utf-8", "replace"))
        key = squeeze(text)
        if level > 1 and not _in_common(key, witnesses):
            continue
        if _is_partly_seen(page, row):
            key = squeeze(text := _without_permalink(page, row, _seen(page, row)))
        alike = places.count((level, depth)) - 1
        _add_heading(found, _Candidate(key, text, row, level, alike))
        if not _is_inside(key, witnesses) and (inner := _longest_text(page, row)) >= 0:
            inner_key = squeeze(text := page.text(inner))
            if _is_inside(inner_key, witnesses):
                _add_heading(found, _Candidate(inner_key, text, inner, level, alike))


def _add_heading(found: dict[str, _Candidate], heading: _Candidate) -> None:
    """Add a heading to the candidates; of two with the same text, the one of the higher level stays."""
    before = found.get(heading.key)
    if heading.key and (before is None or heading.level < before.level):
        found[heading.key] = heading


def _is_inside(key: str, witnesses: _Witnesses) -> bool:
    return any(key in title for title in witnesses.titles)


def _longest_text(page: Page, row: int) -> int:
    """Return the row of the longest text in a heading that has a label too; -1 where no text is most of it."""
    stop = int(page.end[row])
    if not 3 < stop - row <= _MOST_ROWS:
        return -1
    longest = row + int(page.chars[row:stop].argmax())
    return longest if page.chars[longest] * 2 > page.chars[row:stop].sum() else -1


def _in_common(key: str, witnesses: _Witnesses) -> bool:
    """Whether enough of a heading is in a stated title or in the URL, where there is one."""
    least = math.ceil(_LEAST_COMMON * len(key))
    for title in witnesses.common:
        if LCSseq.similarity(key, title, score_cutoff=least) >= least:
            return True
    return not witnesses.common


def _agreed(witnesses: _Witnesses, found: Iterable[_Candidate]) -> bool:
    """Whether a heading has so much of the longest part of the title that no other line need be looked for."""
    longest = witnesses.longest
    least = _LEAST_PART * len(longest)
    return any(len(one.key) >= least and (one.key in longest or longest in one.key) for one in found)


def _add_lines(page: Page, witnesses: _Witnesses, found: dict[str, _Candidate]) -> None:
    """Add the visible lines, and the elements around them, with a long word of a stated title and little more."""
    for title, word in _probes(witnesses):
        longest = len(title.encode()) * 1.3 + _SPARE_BYTES
        for row in _rows_with(page, word):
            for around in _around(page, row, longest):
                key = squeeze(text := _seen(page, around))
                # Where a link cuts a line, nothing but punctuation may be left of it.
                if len(key) <= _LONGEST_LINE and _WORD.search(key):
                    found.setdefault(key, _Candidate(key, text, around)).is_line = True


def _around(page: Page, row: int, longest: float) -> Iterator[int]:
    """Yield a text row and the elements around it while they have little more text, one for each length."""
    size = 0
    while row >= 0:
        bigger = int(page.text_at[page.end[row]] - page.text_at[row])
        if bigger > longest:
            return
        if bigger > size:
            yield row
        size = bigger
        row = int(page.parent[row])


def _probes(witnesses: _Witnesses) -> Iterator[tuple[str, bytes]]:
    """Yield the longest word of each piece of the titles, each word once, after its title."""
    words: dict[bytes, str] = {}
    for title, pieces in witnesses.pieces.items():
        for piece in pieces[:_MOST_PROBES]:
            word = max(_WORD.findall(piece), key=len, default="")
            if word:
                words.setdefault(word.encode(), title)
    return ((title, word) for word, title in islice(words.items(), _MOST_PROBES))


def _rows_with(page: Page, word: bytes) -> Iterator[int]:
    """Yield the visible ones of the first text rows with a word."""
    # Most of a page's text is scripts, and most of the words are not visible anywhere.
    last = kernel.stated.last_row_with(page, word[:_PROBE_BYTES])
    if last < 0:
        return
    stop = int(page.text_at[last + 1])
    at = page.text_buffer.find(word, 0, stop)
    for _ in range(_MOST_LOOKS):
        if at < 0:
            return
        row = int(page.text_at.searchsorted(np.int32(at), side="right")) - 1
        if page.chars[row]:
            yield row
        at = page.text_buffer.find(word, int(page.text_at[row + 1]), stop)


def _seen(page: Page, row: int) -> str:
    """Return the visible text below a row, not caring for blanks between its lines; empty where it is too long."""
    stop = int(page.end[row])
    first, last = int(page.text_at[row]), int(page.text_at[stop])
    if not 0 < last - first <= _LONGEST_BYTES or stop - row > _MOST_ROWS:
        return ""
    if _is_partly_seen(page, row):
        return shown(page, row, stop)
    return page.text_buffer[first:last].decode("utf-8", "replace")


def _is_partly_seen(page: Page, row: int) -> bool:
    """Whether something below a visible row is hidden; one text in one element is visible as a whole."""
    stop = int(page.end[row])
    return stop - row > 2 and bool(page.visibility[row:stop].any())


def _text(page: Page, candidate: _Candidate) -> str:
    """Return a candidate as readers see it."""
    row = candidate.row
    text = candidate.text
    if row >= 0 and page.end[row] - row > 2:
        text = _without_permalink(page, row, shown(page, row, int(page.end[row])))
    return fold(text)[:LONGEST_FACT]


def _without_permalink(page: Page, row: int, text: str) -> str:
    """Return the text of a heading without the sign that links to it."""
    bare = _without_sign(text)
    if len(bare) == len(text):
        return text
    links = [below for below in range(row + 1, int(page.end[row])) if page.tag[below] == _A]
    signs = (link for link in links if page.text(link).strip() in kernel.document.PERMALINKS)
    return bare if any("#" in (page.attribute(link, "href") or "") for link in signs) else text


def _without_sign(text: str) -> str:
    """Return a text without a sign that may be a permalink, at its end or else at its beginning."""
    bare = text.strip()
    if bare[-1:] in kernel.document.PERMALINKS:
        return bare[:-1].rstrip()
    return bare[1:].lstrip() if bare[:1] in kernel.document.PERMALINKS else text


def _signs_of(
    page: Page, witnesses: _Witnesses, found: Sequence[_Candidate]
) -> Callable[[_Candidate], tuple[float, ...]]:
    """Return a function that gives the signs of a candidate, in the order of WEIGHTS."""
    longest_text = int(page.chars.argmax())
    page_linked, length = page.linked, len(page)
    homes = {one.row for one in found if one.level == 1 and _leads_home(page, one.row)}
    proper = [one for one in found if one.level == 1 and one.row not in homes and one.key not in witnesses.sites]
    only = proper[0] if len(proper) == 1 else None
    rows = [one.row for one in found if one.row >= 0]
    aside = {row for row, is_aside in zip(rows, kernel.stated.inside_any(page, rows, _ASIDES), strict=True) if is_aside}
    title = witnesses.title

    def signs(one: _Candidate) -> tuple[float, ...]:
        key, row = one.key, one.row
        visible = row >= 0
        like_title = lcs_similarity(key, title)
        linked = visible and bool(page_linked[row] or (row + 1 < length and page_linked[row + 1]))
        return (
            one.level == 1,
            one.level == 2,
            one.is_line,
            visible,
            like_title if visible else 0.0,
            like_title,
            visible and _is_inside(key, witnesses),
            visible and _is_seen_part(one, witnesses),
            key == title,
            key != title and title.endswith(key),
            key != title and bool(title) and title in key,
            _most_like(key, witnesses.declared),
            lcs_similarity(key, witnesses.slug) if witnesses.slug else 0.0,
            min(1.0, len(key) / _FULL_LENGTH) if one is only else 0.0,
            _most_like(key, witnesses.sites),
            linked,
            row in aside,
            math.log1p(one.alike),
            visible and row < longest_text,
            one.level == 1 and linked and row in homes,
            one.is_marked,
            _like_external(key, witnesses),
            key in witnesses.outside,
        )

    return signs


def _most_like(key: str, others: tuple[str, ...]) -> float:
    return max([lcs_similarity(key, other) for other in others]) if others else 0.0


def _like_external(key: str, witnesses: _Witnesses) -> float:
    """Return the similarity to the external titles; one that was cut short is compared with as much as it has."""
    if not witnesses.external:
        return 0.0
    begun = max([lcs_similarity(key[: len(other)], other) for other in witnesses.begun], default=0.0)
    return max(begun, _most_like(key, witnesses.outside))


def _leads_home(page: Page, row: int) -> bool:
    """Whether a heading links to the front page: then it names the site."""
    above, stop = row, min(int(page.end[row]), row + 4)
    links = [below for below in range(row, stop) if page.tag[below] == _A]
    for _ in range(3):
        above = int(page.parent[above])
        if above >= 0 and page.tag[above] == _A:
            links.append(above)
    return any(_is_home(page.attribute(link, "href") or "") for link in links)


def _is_home(href: str) -> bool:
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return False
    name = parts.path.strip("./")
    bare = not parts.query and not parts.fragment and bool(href.strip())
    return bare and "/" not in name and name.partition(".")[0] in _HOME_NAMES


# Lines that only repeat the headline

HEADING_DEPTH = 8  # elements between a heading and its text, at most
HEADLINE_LINES = 5  # of a headline, at most
BEGINNING = 20  # blocks at the start of an article, among which its headline may stand


@stage("the headline in the body")
def without_headline(selection: Selection, title: str) -> Selection:
    """Drop the blocks that only repeat the headline, unless nothing else is kept; name those dropped before, too."""
    kept = np.flatnonzero(selection.kept).tolist()
    found = frozenset(_headline_blocks(selection.blocks, kept, title)) if title and kept else frozenset()
    return selection.without(found, _HEADLINE) if found and not found.issuperset(kept) else selection


_HEADLINE = Reason("the headline", "headline")


def _headline_blocks(blocks: Blocks, kept: list[int], title: str) -> Iterator[int]:
    """Yield the blocks that are the headline: in a heading anywhere, elsewhere only before anything longer."""
    squeezed, chars = "".join(title.split()), blocks.chars
    start = max(0, kept[0] - HEADLINE_LINES)  # its first lines may have been dropped already
    beginning = takewhile(lambda k: k < kept[0] or chars[k] <= len(squeezed), range(start, len(blocks)))
    for k in islice(beginning, BEGINNING):
        yield from _spelling(blocks, range(k, min(k + HEADLINE_LINES, len(blocks))), squeezed)
    for k in np.flatnonzero((chars == len(squeezed)) | (chars == len(squeezed) + 1)).tolist():  # with a permalink
        if _in_heading(blocks.page, int(blocks.rows[blocks.starts[k]])):
            yield from _spelling(blocks, range(k, k + 1), squeezed)


def _in_heading(page: Page, row: int) -> bool:
    for _ in range(HEADING_DEPTH):
        row = int(page.parent[row])
        if row < 0 or page.tag[row] in HEADINGS:
            return row >= 0
    return False


def _spelling(blocks: Blocks, numbers: range, squeezed: str) -> list[int]:
    """Return the leading blocks that together spell a text, white space aside; none where they do not."""
    rest, taken = squeezed, list[int]()
    for k in numbers:
        # The whole line costs more to read than its first text, which tells most lines apart.
        first = int(blocks.rows[blocks.starts[k]])
        begins = _squeezed(blocks.page.text(first))
        if blocks.chars[k] > len(rest) + 1 or not (begins in kernel.document.PERMALINKS or rest.startswith(begins)):
            break
        line = _squeezed(blocks.text(k))
        if not rest.startswith(line) and _in_heading(blocks.page, first):
            line = _without_sign(line)
        if not line or not rest.startswith(line):
            break
        rest = rest[len(line) :]
        taken.append(k)
        if not rest:
            return taken
    return []


def _squeezed(text: str) -> str:
    return "".join(fold(text).split())
