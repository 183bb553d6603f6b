"""Find the article in the data of a page: in its JSON-LD, or in the data of its scripts.

Pages that scripts fill, and pages behind a paywall, may show little or nothing of an article that their data contain.
The text from the data becomes a small page of its own, so that all functions for pages work with it. The headline and
the facts still come from the original page.

Scripts are never run. JSON is parsed as a whole. Other scripts are read token by token: brackets, keys and strings
count, and all else (numbers, names, functions) is skipped. So broken data can be read as well, and the cost of a
hostile page is proportional to its size, up to a limit.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

import numpy as np

from pagesieve.errors import NothingFound
from pagesieve.methods.teaser import ARTICLE_BODY, MIN_BYTES, NOTICE
from pagesieve.page import kernel
from pagesieve.page.lines import CONTROLS, inside, shown, split
from pagesieve.page.linked import ARTICLE, linked_data
from pagesieve.page.stated import address, document_title, meta
from pagesieve.page.static import built
from pagesieve.page.table import Page
from pagesieve.selection import Reason, Selection
from pagesieve.text.whitespace import squeeze

Data = Any  # a str, a list of data, or an object as a dict of data

MIN_BODY = 500  # characters of a body; shorter ones are mostly teasers
CUT_OFF = ("…", "...")  # the end of a teaser,
MAX_TEASER_LENGTH = 2_000  # which has at most so many characters
SENTENCE = 400  # characters: prose has shorter sentences on average
MIN_LETTERS = 0.7  # share of letters in a body; with less, it is not prose
MAX_TEXT_DEPTH = 8  # objects and lists around a paragraph
MAX_BODY = 1_000_000  # characters of a body
MIN_LEFT = 0.5  # share of a body's characters that remain when it is parsed as HTML
MAX_PIECES = 5_000
MAX_ANSWERS = 200

# When the data replace the visible text
TIMES = 2.0  # times as long as the visible text, at least
TIMES_NOTICE = 4.0  # the same, if the visible text may be a notice
SAMPLES, SAMPLE = 50, 24  # samples of a text that are searched in another; characters of each
MAX_SHOWN = 0.5  # share of the data in the visible text; with more, the method selected the right text
MIN_SHARED = 0.7  # share of the selected text that the data must contain
MIN_CODE, PER_CODE = 2, 100  # marks of data in a line, and characters for each, which editors leave in texts
AFTER = 4  # bytes of a script for each visible byte, in which the rest would follow the words of the page
MIN_SAYINGS, MAX_SAID = 4, 0.8  # pieces of prose there, at least; the share of them on the page if it shows all

_LINKED_BODIES = (ARTICLE_BODY, b'Posting"', b'Question"')
_BY_ARTICLE_BODY = "the page's JSON-LD (articleBody)"
_BY_SCRIPT = "the data of one of the page's scripts"
_OTHER_POSTS = ("acceptedAnswer", "suggestedAnswer", "comment")
_TITLES = ("og:title", "twitter:title")
_TELLING = ("text", "content", "html", "value", "body", "paragraph", "children", "data", "nodes", "spans", "items")
_TAG = re.compile(r"</?[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>|<!--.*?(?:-->|\Z)", re.DOTALL)
_ESCAPED_TAG = re.compile(r"&lt;/?(?:p|div|br|h[1-6]|ul|li|span|strong|em|a)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…][\"')\]»”’]*(?=\s|$)|[。！？।؟۔]")
_LINE_END = re.compile(r"(?<!\s)[^\S\n]*\n\s*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]{3,}")
_CODE = re.compile(r'"\s*[:,]\s*["{\[]')


@dataclass(frozen=True, slots=True)
class Body:
    """A text that may be the article: its pieces, HTML or plain text, and its source."""

    pieces: tuple[str, ...]
    where: str
    shown: str  # approximately the text without markup
    away: int = 0  # the number of objects between it and the headline

    @property
    def chars(self) -> int:
        """The number of characters without blanks."""
        return kernel.page.stated.signs_and_letters(self.shown)[0]


def by_data(page: Page) -> Selection:
    """Return the article in the data of a page as a page of its own. Raise NothingFound if there is none."""
    body = max(_bodies(page), key=_rank, default=None)
    selection = _selection(page, body, f"in {body.where}") if body is not None else None
    if selection is None:
        raise NothingFound(f"the page's data hold no text of {MIN_BODY} characters or more under its headline")
    return selection


def hidden_data(page: Page, found: Selection, words: Sequence[bytes], visible: int) -> Selection | None:
    """Return the article in the data if the page shows only a part of it, or a notice in its place; otherwise None.

    `words` are words of the visible text that was selected, and `visible` is its number of characters.
    """
    least = TIMES * visible
    bodies = [body for body in _bodies(page, words, least) if body.chars >= least]
    body = max(_hidden(bodies, visible, page, found), key=_rank, default=None) if bodies else None
    if body is None:
        return None
    return _selection(page, body, f"in {body.where}; the page shows {visible:,} characters of {body.chars:,}")


def goes_on(page: Page, spans: list[tuple[int, int]], words: Sequence[bytes], visible: int) -> bool:
    """Whether scripts have prose after some words that the page does not show: a quick test before reading them."""
    window, seen = int(AFTER * visible), b""
    for start, stop in spans:
        at = max(page.text_buffer.find(word, start, stop) for word in words)
        sayings = kernel.page.stated.phrases(page.text_buffer, at, min(stop, at + window))
        if len(sayings) >= MIN_SAYINGS:
            seen = seen or shown(page, 0, len(page)).encode("utf-8", "replace")
            if kernel.page.stated.count_in(sayings, seen) < MAX_SAID * len(sayings):
                return True
    return False


def _rank(body: Body) -> float:
    """Return the rank of a body: the longer it is and the nearer to the headline, the likelier it is the article."""
    return body.chars / (1 + body.away)


def _hidden(bodies: list[Body], visible: int, page: Page, found: Selection) -> Iterator[Body]:
    """Yield the bodies that contain the selected text, or that a notice replaces, if the page hides most of them."""
    told = squeeze(" ".join(map(found.blocks.text, np.flatnonzero(found.kept).tolist())))
    seen = squeeze(shown(page, 0, len(page))) + told
    for body in bodies:
        text = squeeze(body.shown)
        is_behind_notice = visible < NOTICE and body.chars >= TIMES_NOTICE * visible and body.where == _BY_ARTICLE_BODY
        if _share_in(seen, text) <= MAX_SHOWN and (is_behind_notice or _share_in(text, told) >= MIN_SHARED):
            yield body


def _share_in(text: str, part: str) -> float:
    """Return the share of `part` that a text contains, by samples. Both are squeezed."""
    step = max(SAMPLE, len(part) // SAMPLES)
    samples = [part[at : at + SAMPLE] for at in range(0, max(1, len(part) - SAMPLE + 1), step)]
    return sum(sample in text for sample in samples) / len(samples)


def _selection(page: Page, body: Body, reason: str) -> Selection | None:
    """Select all of a body on a page of its own, or return None if the parser loses most of it."""
    source = "".join(map(_as_html, body.pieces)).encode("utf-8", "replace")
    own = built(source, address(page), page.encoding, page.encoding_why)
    blocks = split(own)
    kept = (own.chars > 0) & ~inside(own, CONTROLS)
    selection = Selection(blocks, kept, own.chars < 0, _Same(Reason(reason, "article")))
    lines = ((k, blocks.text(k)) for k in range(len(blocks)))
    code = [k for k, line in lines if _code_in(line) >= max(MIN_CODE, len(line) / PER_CODE)]
    if code:
        selection = selection.without(frozenset(code), Reason("data, not words", "rule"))
    return selection if own.chars[selection.rows].sum() >= MIN_LEFT * body.chars else None


@dataclass(frozen=True, slots=True)
class _Same:
    """The same reason for all blocks. Not a closure, so that an article can be pickled."""

    reason: Reason

    def __call__(self, block: int) -> Reason:
        return self.reason


def _bodies(page: Page, words: Sequence[bytes] = (), least: float = MIN_BODY) -> Iterator[Body]:
    """Yield the texts in the page's data that may be the article.

    Read only scripts that contain one of `words`, and only texts of at least `least` characters.
    """
    titles = _titles(page)
    if any(word in page.text_buffer for word in _LINKED_BODIES):
        yield from _linked_bodies(page, titles)
    keys = tuple(key for key in map(squeeze, titles) if len(key) >= kernel.page.stated.MIN_TITLE)
    if keys:
        yield from _script_bodies(page, keys, words or [*map(_probe, titles)], max(MIN_BODY, least))


def _titles(page: Page) -> list[str]:
    """Return the distinct titles of the page, without headlines from JSON-LD, which may be those of other pages."""
    return [*dict.fromkeys(filter(None, (*(title for _, title in meta(page).firsts(*_TITLES)), document_title(page))))]


def body_of(texts: Iterable[str], where: str, away: int = 0, least: float = MIN_BODY) -> Body | None:
    """Return a body of some texts, or None if they are too short or not prose."""
    pieces = []
    left = MAX_BODY
    for text in islice(texts, MAX_PIECES):
        left -= len(text)
        if left < 0:
            break
        pieces.append(text)
    if MAX_BODY - left < least:
        return None
    body = Body(tuple(pieces), where, " ".join(map(_without_markup, pieces)), away)
    is_cut_off = len(body.shown) <= MAX_TEASER_LENGTH and body.shown.rstrip().endswith(CUT_OFF)
    return body if body.chars >= least and _is_prose(body) and not is_cut_off else None


def _is_prose(body: Body) -> bool:
    chars, letters = kernel.page.stated.signs_and_letters(body.shown)
    if letters < MIN_LETTERS * chars:
        return False
    return len(_SENTENCE_END.findall(body.shown)) >= max(chars / SENTENCE, _code_in(body.shown))


def _code_in(text: str) -> int:
    """Count the marks of data in a text."""
    return len(_CODE.findall(text))


def _unescaped(piece: str) -> str:
    """Return a piece with its markup unescaped."""
    return html.unescape(piece) if _ESCAPED_TAG.search(piece) else piece


def _without_markup(piece: str) -> str:
    return _TAG.sub(" ", _unescaped(piece))


def _as_html(piece: str) -> str:
    """Return a piece as HTML: unchanged if it has markup, otherwise with a paragraph for each line."""
    text = _unescaped(piece)
    if _TAG.search(text):
        return f"<div>{text}</div>"
    lines = _LINE_END.split(html.unescape(text).strip())
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in lines)


# JSON-LD


def _linked_bodies(page: Page, titles: list[str]) -> Iterator[Body]:
    """Yield the text of the article, posting or question in JSON-LD; of several, only that with the page's headline."""
    articles = [thing for rank, thing in linked_data(page, titles[0] if titles else "").things if rank == ARTICLE]
    found = [(thing, body) for thing in articles if (body := _linked_body(thing))]
    if len(found) > 1:
        own, is_title = tuple(map(squeeze, titles)), kernel.page.stated.is_title
        found = [(thing, body) for thing, body in found if is_title(thing.get("headline") or thing.get("name"), own)]
    yield from (body for _, body in found[:1])


def _linked_body(thing: dict[str, Any]) -> Body | None:
    text = thing.get("articleBody")
    if isinstance(text, list):
        return body_of((each for each in text if isinstance(each, str)), _BY_ARTICLE_BODY)
    if isinstance(text, str):
        return body_of([text], _BY_ARTICLE_BODY)
    return body_of(_posts(thing), "the page's JSON-LD (text)")


def _posts(thing: dict[str, Any]) -> Iterator[str]:
    """Yield the text of a posting or question, and of its answers."""
    if isinstance(thing.get("text"), str):
        yield thing["text"]
    for name in _OTHER_POSTS:
        answers = thing.get(name)
        for answer in (answers if isinstance(answers, list) else [answers])[:MAX_ANSWERS]:
            if isinstance(answer, dict) and isinstance(answer.get("text"), str):
                yield answer["text"]


# Scripts


def _script_bodies(page: Page, titles: tuple[str, ...], words: Sequence[bytes], least: float) -> Iterator[Body]:
    """Yield the texts of at least `least` characters in objects with the page's headline."""
    for data in script_data(page, words):
        for away, texts in _texts_about(data, titles):
            body = body_of(texts, _BY_SCRIPT, away, least)
            if body:
                yield body


def _probe(title: str) -> bytes:
    """Return a part of a title that has only one spelling in data."""
    return max(_ASCII_WORD.findall(title), key=len, default="").encode()


def _texts_about(data: list[Data], titles: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Yield the texts of objects with one of the headlines, and of the objects inside them.

    Each is paired with the number of objects between it and the headline.
    """
    for away, thing in kernel.page.stated.objects_about(data, titles, unquoted):
        yield from ((away, texts) for texts in _texts_in(thing))


def _texts_in(thing: dict[str, Data]) -> Iterator[list[str]]:
    """Yield the texts of an object, property by property, without nested objects."""
    for each in thing.values():
        if isinstance(each, list):
            yield [*_paragraphs(each)]
        elif isinstance(each, str) and len(each) >= MIN_BODY:
            yield [each]


def _paragraphs(members: list[Data]) -> Iterator[str]:
    """Yield the texts of a list, one for each member; members with names of their own are not paragraphs."""
    for member in members[:MAX_PIECES]:
        if isinstance(member, str):
            yield member
        elif isinstance(member, dict) and not kernel.page.stated.is_named(member):
            yield "".join(_told(member, 0))


def _told(value: Data, depth: int) -> Iterator[str]:
    """Yield the texts of a paragraph at all levels of nesting, in order."""
    if isinstance(value, str):
        yield value
    elif depth < MAX_TEXT_DEPTH and isinstance(value, list):
        for each in value:
            yield from _told(each, depth + 1)
    elif depth < MAX_TEXT_DEPTH and isinstance(value, dict):
        for name in _TELLING:
            if name in value:
                yield from _told(value[name], depth + 1)


# Reading scripts

MAX_BYTES = 4_000_000  # of the scripts of a page that are read
MAX_PARTS = 200_000  # strings, keys and brackets that are read token by token
MAX_TRIALS = 200  # failed attempts to parse JSON,
DEAR = 25  # of which a late failure counts for this many
MAX_DEPTH = 200  # levels of nesting; anything deeper is left out

_QUOTED = ("{", "[", "%7B", "%5B")  # the beginning of quoted data
# Numbers are not needed, and to parse a number of a million digits would take long.
_DECODER = json.JSONDecoder(strict=False, parse_int=bool, parse_float=bool)


@dataclass(slots=True)
class Budget:
    """The amount of a page's scripts that may still be read."""

    size: int = MAX_BYTES
    parts: int = MAX_PARTS
    trials: int = MAX_TRIALS

    def decode(self, source: str, at: int) -> tuple[Data, int] | None:
        """Return the JSON value at a position and the position of its end, or None if there is none."""
        if self.trials <= 0:
            return None
        try:
            return _DECODER.raw_decode(source, at)
        except json.JSONDecodeError as error:
            self.trials -= DEAR if error.pos - at > MIN_BYTES else 1
        except (ValueError, RecursionError):
            self.trials = 0
        return None


def script_data(page: Page, words: Sequence[bytes]) -> Iterator[list[Data]]:
    """Yield the data of the scripts that contain one of the words."""
    budget = Budget()
    for start, stop in kernel.page.stated.scripts_with(page, list(words), MIN_BYTES):
        if stop - start <= budget.size:
            budget.size -= stop - start
            yield read_data(page.text_buffer[start:stop].decode("utf-8", "replace"), budget)


def read_data(source: str, budget: Budget | None = None) -> list[Data]:
    """Return the outermost objects, lists and strings of a source."""
    left = budget or Budget()
    data: list[Data]
    data, left.parts = kernel.page.stated.read_data(source, left.parts, MAX_DEPTH, left.decode)
    return data


def unquoted(text: str) -> list[Data]:
    """Return the data quoted in a string, as for JSON.parse, or an empty list for an ordinary string."""
    if not MIN_BYTES <= len(text) <= MAX_BYTES or not text.startswith(_QUOTED):
        return []
    return read_data(unquote(text) if text.startswith("%") else text)
