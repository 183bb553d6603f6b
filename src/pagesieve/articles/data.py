"""The article from the data of a page: its JSON-LD, or what its scripts hold to show it.

Pages that scripts fill, and pages behind a wall, show little of an article or nothing, and yet carry it. What is found
becomes a small page of its own, so that all that works with pages works with it. The headline and the facts are still
those of the page that was given.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from pagesieve.articles.scripts import Data, script_data, scripts_with, unquoted
from pagesieve.articles.structured import ARTICLE, linked_data
from pagesieve.errors import NothingFound
from pagesieve.page.lines import CONTROLS, inside, shown, split
from pagesieve.page.stated import document_title, named_facts
from pagesieve.page.static import built
from pagesieve.page.table import Page
from pagesieve.selection import Selection
from pagesieve.text.whitespace import squeeze

LEAST = 500  # characters of a body: less is mostly a teaser
CUT_OFF = ("…", "...")  # how a teaser ends,
LONGEST_TEASER = 2_000  # if it has no more characters than this
SENTENCE = 400  # characters: prose has shorter sentences on average
LEAST_LETTERS = 0.7  # of the signs of a body: with fewer, it is no prose
LEAST_TITLE, LONGEST_TITLE = 8, 300  # characters, blanks and punctuation not counted
FARTHEST = 4  # objects between the one that has the page's headline and the text
DEEPEST = 8  # objects and lists in which a paragraph may stand
LONGEST = 1_000_000  # characters of a body
LEAST_LEFT = 0.5  # of the characters of a body, once it is read as HTML
MOST_PIECES = 5_000
MOST_ANSWERS = 200

# When the data are believed rather than what the page shows.
MUCH = 2_000  # characters: a page that shows as much is no teaser
TIMES = 2.0  # what is shown, at least
NOTICE = 400  # characters: less may be a notice in the place of the article,
TIMES_NOTICE = 4.0  # where the data have so many times as much
SAMPLES, SAMPLE = 50, 24  # of a text, that are looked for in another; characters of each
MOST_SHOWN = 0.5  # of the data's text: of what the page shows, the method chose what is content
LEAST_SHARED = 0.7  # of what was found on the page
LEAST_CODE, PER_CODE = 2, 100  # signs of data in a line, characters for each: what an editor left in the text
PROBE = 40  # characters, at most
AFTER = 4  # times what is shown: bytes after the words of the page in a script, where the rest of the text would be
LEAST_SAYINGS, MOST_SAID = 4, 0.8  # pieces of prose there; share of them on the page that means that all is shown

_ARTICLE_BODY = b'"articleBody"'
_LINKED_BODIES = (_ARTICLE_BODY, b'Posting"', b'Question"')
_BY_ARTICLE_BODY = "the page's JSON-LD (articleBody)"
_BY_SCRIPT = "the data of one of the page's scripts"
_OTHER_POSTS = ("acceptedAnswer", "suggestedAnswer", "comment")
_TITLES = frozenset(("og:title", "twitter:title"))
_NAMES = ("title", "headline", "name")  # an object that has one, and not the page's, is about something else
_TELLING = ("text", "content", "html", "value", "body", "paragraph", "children", "data", "nodes", "spans", "items")
_TAG = re.compile(r"</?[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>|<!--.*?-->", re.DOTALL)
_ESCAPED_TAG = re.compile(r"&lt;/?(?:p|div|br|h[1-6]|ul|li|span|strong|em|a)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…][\"')\]»”’]*(?=\s|$)|[。！？।؟۔]")
_LINE_END = re.compile(r"\s*\n\s*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]{3,}")
_UNESCAPED = re.compile(r"[^\"'\\&<>/\s][^\"'\\&<>/\n]*")  # what data may write in no other way, but for letters
_PROSE = re.compile(rb"(?: [A-Za-z\x80-\xff'-]+){5,8}|[\x80-\xff]{45,60}")  # some words in a row
_CODE = re.compile(r'"\s*[:,]\s*["{\[]')


@dataclass(frozen=True, slots=True)
class Body:
    """A text that may be the article: its pieces, HTML or plain, and where it was found."""

    pieces: tuple[str, ...]
    where: str
    shown: str  # without markup, about
    away: int = 0  # objects between it and the headline

    @property
    def chars(self) -> int:
        """How much text it is, blanks not counted."""
        return len("".join(self.shown.split()))


def by_data(page: Page) -> Selection:
    """The article that the data of a page hold, all of it, on a page of its own. Raises NothingFound where none is."""
    body = max(_bodies(page), key=_rank, default=None)
    selection = _selection(page, body, f"in {body.where}") if body is not None else None
    if selection is None:
        raise NothingFound(f"the page's data hold no text of {LEAST} characters or more under its headline")
    return selection


def fuller_data(page: Page, found: Selection) -> Selection | None:
    """The same where the page shows only a part of it, or a notice in its place; None where that is not so."""
    visible = int((page.chars + page.hidden_chars)[found.rows].sum())
    if visible >= MUCH:
        return None
    words = _words_of(page, found)
    spans = list(scripts_with(page, words))
    if (visible >= NOTICE or _ARTICLE_BODY not in page.text_buffer) and not _go_on(page, spans, words, visible):
        return None
    bodies = [body for body in _bodies(page, words) if body.chars >= TIMES * visible]
    body = max(_hidden(bodies, visible, page, found), key=_rank, default=None) if bodies else None
    if body is None:
        return None
    return _selection(page, body, f"in {body.where}; the page shows {visible:,} characters of {body.chars:,}")


def _go_on(page: Page, spans: list[tuple[int, int]], words: Sequence[bytes], visible: int) -> bool:
    """Whether scripts, after some words, have other prose than the page shows. To read them would tell, but slowly."""
    window, seen = int(AFTER * visible), b""
    for start, stop in spans:
        at = max(page.text_buffer.find(word, start, stop) for word in words)
        sayings = _PROSE.findall(page.text_buffer, at, min(stop, at + window))
        seen = seen or shown(page, 0, len(page)).encode("utf-8", "replace")
        if len(sayings) < LEAST_SAYINGS or sum(each in seen for each in sayings) < MOST_SAID * len(sayings):
            return True
    return False


def _rank(body: Body) -> float:
    """How likely a body is the article: long, and near to the headline."""
    return body.chars / (1 + body.away)


def _hidden(bodies: list[Body], visible: int, page: Page, found: Selection) -> Iterator[Body]:
    """Those that hold what was found on the page, or what a notice stands for, and that are not seen there."""
    told = squeeze(" ".join(map(found.blocks.text, np.flatnonzero(found.kept).tolist())))
    seen = squeeze(shown(page, 0, len(page))) + told
    for body in bodies:
        text = squeeze(body.shown)
        is_behind_notice = visible < NOTICE and body.chars >= TIMES_NOTICE * visible and body.where == _BY_ARTICLE_BODY
        if _share_in(seen, text) <= MOST_SHOWN and (is_behind_notice or _share_in(text, told) >= LEAST_SHARED):
            yield body


def _share_in(text: str, part: str) -> float:
    """How much of a text stands in another, by samples. Both are squeezed."""
    step = max(SAMPLE, len(part) // SAMPLES)
    samples = [part[at : at + SAMPLE] for at in range(0, max(1, len(part) - SAMPLE + 1), step)]
    return sum(sample in text for sample in samples) / len(samples)


def _words_of(page: Page, found: Selection) -> tuple[bytes, bytes]:
    """A few words of the longest text that was found on the page, in the two ways in which data may write them."""
    longest = int(np.argmax(np.where(found.rows, page.chars + page.hidden_chars, 0)))
    words = max(_UNESCAPED.findall(page.text(longest)), key=len, default="")[:PROBE]
    return words.encode(), json.dumps(words)[1:-1].encode()


def _selection(page: Page, body: Body, reason: str) -> Selection | None:
    """All of a body, on a page of its own; None where markup swallows it."""
    source = "".join(map(_as_html, body.pieces)).encode("utf-8", "replace")
    own = built(source, page.url, page.encoding, page.encoding_why)
    blocks = split(own)
    selection = Selection(blocks, (own.chars > 0) & ~inside(own, CONTROLS), own.chars < 0, _Reason(reason))
    code = [k for k in range(len(blocks)) if _is_code(blocks.text(k))]
    if code:
        selection = selection.without(frozenset(code), "data, not words")
    return selection if own.chars[selection.rows].sum() >= LEAST_LEFT * body.chars else None


@dataclass(frozen=True, slots=True)
class _Reason:
    """One and the same for all blocks. No closure: an article can be pickled."""

    reason: str

    def __call__(self, block: int) -> str:
        return self.reason


def _bodies(page: Page, words: Sequence[bytes] = ()) -> Iterator[Body]:
    """The texts in the page's data that may be the article; `words` stand in scripts that are worth a look."""
    titles = _titles(page)
    if any(word in page.text_buffer for word in _LINKED_BODIES):
        yield from _linked_bodies(page, titles)
    keys = [key for key in map(squeeze, titles) if len(key) >= LEAST_TITLE]
    if keys:
        yield from _script_bodies(page, keys, words or [*map(_probe, titles)])


def _titles(page: Page) -> list[str]:
    """What the page calls itself, each once. Headlines in JSON-LD may be those of other pages."""
    return [*dict.fromkeys(filter(None, (*named_facts(page, _TITLES).values(), document_title(page))))]


def body_of(texts: Iterable[str], where: str, away: int = 0) -> Body | None:
    """A body made of some texts; None where they are too short, or no prose."""
    pieces = []
    left = LONGEST
    for text in islice(texts, MOST_PIECES):
        left -= len(text)
        if left < 0:
            break
        pieces.append(text)
    if LONGEST - left < LEAST:
        return None
    body = Body(tuple(pieces), where, " ".join(map(_without_markup, pieces)), away)
    return body if body.chars >= LEAST and _is_prose(body) and not _is_cut_off(body) else None


def _is_cut_off(body: Body) -> bool:
    return len(body.shown) <= LONGEST_TEASER and body.shown.rstrip().endswith(CUT_OFF)


def _is_prose(body: Body) -> bool:
    letters = sum(map(str.isalpha, body.shown))
    sentences = len(_SENTENCE_END.findall(body.shown))
    return letters >= LEAST_LETTERS * body.chars and sentences >= max(body.chars / SENTENCE, _code_in(body.shown))


def _is_code(line: str) -> bool:
    return _code_in(line) >= max(LEAST_CODE, len(line) / PER_CODE)


def _code_in(text: str) -> int:
    """How many signs of data there are in a text."""
    return len(_CODE.findall(text))


def _unescaped(piece: str) -> str:
    """A piece whose markup is not escaped."""
    return html.unescape(piece) if _ESCAPED_TAG.search(piece) else piece


def _without_markup(piece: str) -> str:
    return _TAG.sub(" ", _unescaped(piece))


def _as_html(piece: str) -> str:
    """A piece as HTML: as it is where it has markup, a paragraph a line where not."""
    text = _unescaped(piece)
    if _TAG.search(text):
        return f"<div>{text}</div>"
    lines = _LINE_END.split(html.unescape(text).strip())
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in lines)


# JSON-LD


def _linked_bodies(page: Page, titles: list[str]) -> Iterator[Body]:
    """The text of the article, posting or question; of several, only of one that has the page's headline."""
    articles = [thing for rank, thing in linked_data(page, titles[0] if titles else "").things if rank == ARTICLE]
    found = [(thing, body) for thing in articles if (body := _linked_body(thing))]
    keys = [*map(squeeze, titles)]
    if len(found) > 1:
        found = [(thing, body) for thing, body in found if _is_title(thing.get("headline") or thing.get("name"), keys)]
    yield from (body for _, body in found[:1])


def _linked_body(thing: dict[str, Any]) -> Body | None:
    text = thing.get("articleBody")
    if isinstance(text, list):
        return body_of((each for each in text if isinstance(each, str)), _BY_ARTICLE_BODY)
    if isinstance(text, str):
        return body_of([text], _BY_ARTICLE_BODY)
    return body_of(_posts(thing), "the page's JSON-LD (text)")


def _posts(thing: dict[str, Any]) -> Iterator[str]:
    """The text of a posting or question, and of those that answer it."""
    if isinstance(thing.get("text"), str):
        yield thing["text"]
    for name in _OTHER_POSTS:
        answers = thing.get(name)
        for answer in (answers if isinstance(answers, list) else [answers])[:MOST_ANSWERS]:
            if isinstance(answer, dict) and isinstance(answer.get("text"), str):
                yield answer["text"]


# Scripts


def _script_bodies(page: Page, keys: list[str], words: Sequence[bytes]) -> Iterator[Body]:
    """The texts of objects that have the page's headline."""
    for data in script_data(page, words):
        for away, texts in _texts_about(data, keys):
            body = body_of(texts, _BY_SCRIPT, away)
            if body:
                yield body


def _probe(title: str) -> bytes:
    """What of a title stands in data however they are written."""
    return max(_ASCII_WORD.findall(title), key=len, default="").encode()


def _is_title(value: Any, keys: list[str]) -> bool:
    """Whether a text is the headline, or the most of it: what stands before the name of the site."""
    if not isinstance(value, str) or not LEAST_TITLE <= len(value) <= LONGEST_TITLE:
        return False
    first = value[0]
    if first.isalnum() and not any(key.startswith(first.casefold()) for key in keys):
        return False  # as most are, and quickly told
    called = squeeze(value)
    return len(called) >= LEAST_TITLE and any(key.startswith(called) and 2 * len(called) >= len(key) for key in keys)


def _texts_about(data: Data, keys: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The texts, and the lists of texts, of the objects that have one of some headlines and of what is in them.

    Each with how many objects are between it and the headline.
    """
    stack: list[tuple[Data, int]] = [(data, FARTHEST + 1)]
    while stack:
        value, away = stack.pop()
        if isinstance(value, dict):
            away = _distance(value, away, keys)
            if away <= FARTHEST:
                yield from ((away, texts) for texts in _texts_in(value))
        inside = value.values() if isinstance(value, dict) else value
        for each in inside:
            if isinstance(each, dict | list):
                stack.append((each, away))
            elif isinstance(each, str) and (quoted := unquoted(each)):
                stack.append((quoted, away))


def _texts_in(thing: dict[str, Data]) -> Iterator[list[str]]:
    """What an object itself says, property by property."""
    for each in thing.values():
        if isinstance(each, list):
            yield [*_paragraphs(each)]
        elif isinstance(each, str) and len(each) >= LEAST:
            yield [each]


def _distance(thing: dict[str, Data], above: int, keys: list[str]) -> int:
    """How far an object is from one that has the headline, given how far the one around it is."""
    inside = [each for each in thing.values() if isinstance(each, dict)]
    if any(_is_title(each, keys) for part in (thing, *inside) for each in part.values()):
        return 0
    return FARTHEST + 1 if _is_named(thing) else above + 1


def _is_named(thing: dict[str, Data]) -> bool:
    return any(thing.get(name) for name in _NAMES)


def _paragraphs(members: list[Data]) -> Iterator[str]:
    """The texts of a list, one a member; members with a name of their own are other things."""
    for member in members[:MOST_PIECES]:
        if isinstance(member, str):
            yield member
        elif isinstance(member, dict) and not _is_named(member):
            yield "".join(_told(member, 0))


def _told(value: Data, depth: int) -> Iterator[str]:
    """The texts in a paragraph, in order, however editors nest them."""
    if isinstance(value, str):
        yield value
    elif depth < DEEPEST and isinstance(value, list):
        for each in value:
            yield from _told(each, depth + 1)
    elif depth < DEEPEST and isinstance(value, dict):
        for name in _TELLING:
            if name in value:
                yield from _told(value[name], depth + 1)
