"""Extract tags and sections of an article from keywords, which may be lists, machine notes or whole sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pagesieve.text.patterns import pattern
from pagesieve.text.whitespace import fold, squeeze

MAX_TAGS = 50
MAX_LIST_LENGTH = 4000  # characters of a list of tags
_MAX_LENGTH = 60  # characters of a tag
_SHORT_TITLE = 20  # characters of a headline that may be a tag too
_MAX_WORDS = 10  # of a tag; with more, it is a sentence
_GLUED = 4  # words of a single tag that consists of several, unless it is a phrase
_MIN_OF_TITLE, _MAX_OF_TITLE = 5, 0.6  # words of the headline that are tags, and their share
_MAX_PARTS = 200

_BETWEEN_TAGS = pattern(r"[,;，、；|]")
_BETWEEN_SECTIONS = pattern(r"[;；|]|,(?=\S)")  # "Arts, Books" is one section
_MARKUP = pattern(r"</?[a-zA-Z][^<>]*>")
_AROUND = " \t#*-–—·•:,;"
_QUOTES = '"“”„«»‚‘`'

# Machine notes: ids, users, switches ("type_news", "locale: US"); and tags after the name of their category.
_ID = pattern(
    r"(?=.*\d)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=.*\d)T?[0-9a-f]{16,}|\d{5,}|(?=.*\d)[a-z]{1,10}[-_]?\d{6,}"
    r"|(?=.*\d)(?=.*[A-Z])[A-Z0-9]{20,}|(?!(?:19|20)\d\d$)[\d\W_]*",
    re.I,
)
_SWITCH = pattern(
    r"@\S*|_[^\W_]\S*|\[.*\]|(?:type|channel|van|meta|team|article|source|section|stream|uuid|id)[_-]\S*|[^\s_]*+_\S*\.[a-z]{2,4}"
)
_PAIR = pattern(r"([^\W\d_][\w -]{0,24})(:(?=\S)|: |/(?=\S))(.+)")
_SORTS = frozenset(
    "tag tags article-tag subject topic topics keyword keywords person organization place category".split()
)
_NOTES = frozenset(
    """content-type contenttype locale displaytype shorttitle contentid hasproduct type site sitegroup section sections
    subsection source genre layout indholdstype serie tillæg articleid length target path clone lite elevated adnode
    language lang format template author date id uuid nlp-category nlp-entity-tokens""".split()
)
_SMALL = frozenset(
    "the a an of and in on for to with by at or is from as und der die das de la le et du des y el en".split()
)
_HAN_WORDS = pattern(r"[\u3040-\u30ff\u3400-\u9fff·]{1,8}(?: [\u3040-\u30ff\u3400-\u9fff·\w]{1,8}){2,}")


def tags(texts: Iterable[str], title: str = "") -> tuple[str, ...]:
    """Return the distinct tags in some texts, without machine notes, sentences, and the headline."""
    parts = _parts(texts, _BETWEEN_TAGS)
    if len(parts) == 1:
        parts = _unglued(fold(parts[0]))
    found = _without_headline(_each_once(map(_tag, parts)), title)
    is_title = len(found) == 1 and len(found[0]) > _SHORT_TITLE and squeeze(found[0]) == squeeze(title)
    return () if is_title else found[:MAX_TAGS]


def _without_headline(found: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return tags without the words of the headline, if a program has made tags of most of its words."""
    if len(found) < _MIN_OF_TITLE:
        return found
    words = [squeeze(word) for word in title.split()]
    shared = {tag for tag in found if squeeze(tag) in words}
    is_made = len(shared) >= _MIN_OF_TITLE and len(shared) > _MAX_OF_TITLE * len(words)
    return tuple(tag for tag in found if tag not in shared) if is_made else found


def sections(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names of sections in some texts."""
    found = (fold(part) for part in _parts(texts, _BETWEEN_SECTIONS))
    return _each_once(part for part in found if not _ID.fullmatch(part))[:MAX_TAGS]


def _parts(texts: Iterable[str], between: re.Pattern[str]) -> list[str]:
    """Split texts at separators. If most of several texts have no comma, a text with a comma is one tag."""
    each = [[part for part in between.split(text[:MAX_LIST_LENGTH]) if part.strip()] for text in dict.fromkeys(texts)]
    is_list = sum(len(parts) > 1 for parts in each) * 2 > len(each)
    kept = (parts if is_list or len(parts) != 2 else [", ".join(map(str.strip, parts))] for parts in each)
    return [part for parts in kept for part in parts][:_MAX_PARTS]


def _each_once(texts: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for text in texts:
        if 0 < len(text) <= _MAX_LENGTH:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())


def _tag(text: str) -> str:
    """Return a tag as readers write it, or an empty string if the text is not a tag."""
    text = fold(_MARKUP.sub(" ", text) if "<" in text else text)
    if text.replace(" ", "").isalpha():  # the usual case
        return text if text.count(" ") < _MAX_WORDS else ""
    if not text or _SWITCH.fullmatch(text):
        return ""
    text = _without_quotes(_value(text).strip(_AROUND))
    if _ID.fullmatch(text) or len(text.split(" ")) > _MAX_WORDS:
        return ""
    return text.replace("_", " ").strip() if " " not in text else text


def _without_quotes(text: str) -> str:
    """Return a text without quotation marks around it, or without a single unpaired one."""
    marks = sum(sign in _QUOTES for sign in text)
    return text.strip(_QUOTES) if marks == 1 or (text[:1] in _QUOTES and text[-1:] in _QUOTES) else text


def _value(text: str) -> str:
    """Return a tag without the name of its category, or an empty string for a machine note."""
    pair = _PAIR.fullmatch(text)
    if pair is None:
        return text
    key = pair[1].strip().lower().replace(" ", "-")
    if key in _SORTS:
        return pair[3]
    is_note = key in _NOTES or (pair[2] == ":" and " " not in pair[1]) or re.search(r"[a-z][A-Z]", pair[1])
    return "" if (is_note and pair[2] != "/") or key in _NOTES else text


def _unglued(text: str) -> list[str]:
    """Split a single tag that consists of several ones without separators; return no tags for a heap of words."""
    words = text.split(" ")
    if _HAN_WORDS.fullmatch(text):
        return words
    if len(words) < _GLUED or _SMALL.intersection(map(str.lower, words)):
        return [text]
    if all(word[:1].isupper() and word.isalpha() for word in words):
        return words
    return [text] if len(words) <= _GLUED + 1 else []
