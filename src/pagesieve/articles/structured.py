"""What a page states for machines: JSON-LD and microdata, read as things with properties."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pagesieve.articles.moments import moment
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.page.stated import linked_scripts
from pagesieve.page.table import Page
from pagesieve.text.whitespace import fold, squeeze

_MOST_SCRIPTS = 12
_MOST_BYTES = 400_000  # of a script that is parsed; of a longer one, only strings are looked for
_MOST_THINGS = 300
_MOST_DEPTH = 6
_MOST_NAMES = 50
_LONGEST, _LONGEST_LIST = 1000, 4000  # characters
_MOST_PROPERTIES = 150  # elements with an itemprop
_MOST_ABOVE = 40  # rows above an element
_MOST_TEXT = 400  # bytes

_TELLING = (b"author", b"datePublished", b"dateCreated", b"dateModified", b"publisher", b"headline", b"articleBody")
_INSIDE = ("@graph", "mainEntity", "mainEntityOfPage")
_ARTICLES = ("article", "posting", "report", "recipe", "howto", "question", "creativework", "guide", "story")
_PAGES = ("page",)
_MEDIA = ("videoobject", "audioobject", "mediaobject")  # what an article may show, and a page may be
# What a page shows or belongs to, but is not.
_OTHERS = (
    *("organization", "person", "website", "breadcrumblist", "imageobject", "itemlist", "product", "rating", "offer"),
    *("comment", "answer", "localbusiness", "event", "collectionpage", "sitenavigationelement", "jobposting"),
)
_OF_OTHERS = (*_OTHERS, "review")  # a review inside of a page is not the page
ARTICLE, PAGE, OTHER, NEVER = range(4)  # how likely a thing is the article

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_STRING = r'("(?:[^"\\\n]|\\.){1,300}")'
_DATE_STRING = re.compile(rf'"(datePublished|dateModified|dateCreated)"\s*:\s*{_STRING}')
_BODY_STRING = re.compile(r'"articleBody"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_AUTHOR_STRING = re.compile(
    rf'"author"\s*:\s*[\[{{\s]{{0,20}}(?:"@?\w{{1,30}}"\s*:\s*"[^"]{{0,300}}"\s*,\s*){{0,4}}(?:"name"\s*:\s*)?{_STRING}'
)

_ITEMPROP = ATTRIBUTE_ID["itemprop"]
_WANTED = frozenset(("author", "creator", "datepublished", "datemodified", "datecreated"))


@dataclass(frozen=True, slots=True)
class Linked:
    """The things of a page's JSON-LD that may be the article, the likeliest first, and all that have a name."""

    things: Sequence[tuple[int, dict[str, Any]]] = ()
    named: dict[str, dict[str, Any]] = field(default_factory=dict)  # by their @id

    def values(self, name: str) -> Iterator[Any]:
        """What the things say of one property, the likeliest thing first."""
        return (thing[name] for _, thing in self.things if thing.get(name))

    def strings(self, name: str) -> Iterator[str]:
        """The same where it is text, or a number."""
        for value in self.values(name):
            one = value[0] if isinstance(value, list) else value
            one = one.get("@value") if isinstance(one, dict) else one
            if isinstance(one, str | int) and 0 < len(text := str(one)) <= _LONGEST:
                yield _whole(text)

    def names(self, value: Any) -> list[tuple[str, bool]]:
        """The names in a value, and whether each is that of an organisation."""
        found = (self._name(one) for one in (value if isinstance(value, list) else [value])[:_MOST_NAMES])
        return [
            (_whole(name[:_LONGEST_LIST]), is_group)
            for name, is_group in found
            if isinstance(name, str) and name.strip()
        ]

    def _name(self, value: Any) -> tuple[Any, bool]:
        if not isinstance(value, dict):
            return value, False
        thing = value if value.get("name") else self.named.get(str(value.get("@id")), value)
        name, types = thing.get("name"), _types(thing)
        return name[0] if isinstance(name, list) and name else name, bool(types) and "person" not in types


def linked_data(page: Page, title: str) -> Linked:
    """What a page's JSON-LD says, in whatever shape it is."""
    values = [value for row in linked_scripts(page, _MOST_SCRIPTS) for value in _script(page, row)]
    found: list[tuple[int, dict[str, Any]]] = []
    named: dict[str, dict[str, Any]] = {}
    for thing in _things(values):
        if "@id" in thing and "name" in thing:
            named.setdefault(str(thing["@id"]), thing)
        rank = _rank(thing)
        if rank != NEVER:
            found.append((rank, thing))
    return Linked(_sorted(found, title), named)


def _whole(text: str) -> str:
    """A text without halves of surrogate pairs, which are no text."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _sorted(things: list[tuple[int, dict[str, Any]]], title: str) -> list[tuple[int, dict[str, Any]]]:
    """The likeliest first; of several articles, the one that has the page's headline."""
    if sum(rank == ARTICLE for rank, _ in things) > 1:
        key = squeeze(title)
        things.sort(key=lambda one: (one[0], not _is_called(one[1], key)))
    else:
        things.sort(key=lambda one: one[0])
    return things


def _is_called(thing: dict[str, Any], key: str) -> bool:
    name = thing.get("headline") or thing.get("name")
    called = squeeze(name) if isinstance(name, str) else ""
    return bool(called) and (called in key or key in called)


def _script(page: Page, row: int) -> list[Any]:
    """The values in one script: parsed where that is possible, else its telling strings."""
    start, stop = int(page.text_at[row]), int(page.text_at[page.end[row]])
    source = page.text_buffer[start : min(stop, start + _MOST_BYTES)]
    if not any(word in source for word in _TELLING):
        return []
    text = source.decode("utf-8", "replace")
    if stop - start > _MOST_BYTES:
        return _strings(text)
    value = _parsed(text)
    if value is None:
        value = _parsed(_TRAILING_COMMA.sub("", html.unescape(text) if "&quot;" in text else text))
    return _strings(text) if value is None else [value]


def _parsed(text: str) -> Any:
    """The first JSON value of a text, comments and garbage around it passed over; None where it is none."""
    begin = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0)
    if text.startswith("[CDATA[", begin):
        begin = text.find("{", begin)
    try:
        return _DECODER.raw_decode(text, max(begin, 0))[0]
    except (ValueError, RecursionError):
        return None


_DECODER = json.JSONDecoder(strict=False)


def _strings(text: str) -> list[Any]:
    """The telling strings of a script that no parser takes, as one thing."""
    found = {name: _string(value) for name, value in reversed(_DATE_STRING.findall(text))}
    author = _AUTHOR_STRING.search(text)
    if author:
        found["author"] = _string(author[1])
    body = _BODY_STRING.search(text)
    if body:
        found["articleBody"] = _string(body[1])
    return [{"@type": "Article", **found}] if found else []


def _string(source: str) -> str:
    try:
        return str(json.loads(source, strict=False))
    except ValueError:
        return ""


def _things(values: list[Any]) -> Iterator[dict[str, Any]]:
    """Every object that stands on its own, in order: in lists, in graphs, or as what a page is about."""
    stack = [(value, 0) for value in reversed(values)]
    most = _MOST_THINGS
    while stack and most > 0:
        value, depth = stack.pop()
        most -= 1
        if isinstance(value, dict):
            yield value
            inside = [value[name] for name in _INSIDE if isinstance(value.get(name), list | dict)]
        else:
            inside = value if isinstance(value, list) else []
        if depth < _MOST_DEPTH:
            stack += [(each, depth + 1) for each in reversed(inside[:_MOST_THINGS])]


def _types(thing: dict[str, Any]) -> str:
    types = thing.get("@type", "")
    return " ".join(map(str, types[:5])).lower() if isinstance(types, list) else str(types)[:200].lower()


def _rank(thing: dict[str, Any]) -> int:
    types = _types(thing)
    if "article" in types:
        return ARTICLE
    if types.endswith(_OTHERS):
        return NEVER
    if types.endswith(_ARTICLES) or ("headline" in thing and not types.endswith((*_PAGES, *_MEDIA))):
        return ARTICLE
    return PAGE if types.endswith(_PAGES) else OTHER


# Microdata


@dataclass(frozen=True, slots=True)
class Property:
    """One property that microdata give the page: its name in small letters, its value, and where it stands."""

    name: str
    value: str
    row: int


def microdata(page: Page) -> list[Property]:
    """The properties wanted, but not those of what readers wrote or of things that are for sale."""
    found = []
    for k in np.flatnonzero(page.attribute_name == _ITEMPROP)[:_MOST_PROPERTIES].tolist():
        names = page.value_buffer[page.value_at[k] : page.value_at[k + 1]].decode("utf-8", "replace").lower().split()
        for name in dict.fromkeys(filter(_WANTED.__contains__, names)):
            row = int(page.attribute_at.searchsorted(np.int32(k), side="right")) - 1
            value = "" if _is_of_others(page, row) else _property(page, row, name)
            if value:
                found.append(Property(name, fold(value), row))
    return found


def _property(page: Page, row: int, name: str) -> str:
    """The value of a property: what is stated, or else what stands there."""
    stated = page.attribute(row, "content") or page.attribute(row, "datetime")
    return stated or _dated(name, page.attribute(row, "title") or "") or _inner(page, row)


def _dated(name: str, title: str) -> str:
    """The date in the title of an element that shows only a part of it."""
    return title if name.startswith("date") and moment(title) else ""


def _inner(page: Page, row: int) -> str:
    """The name below a row where there is one, else its text."""
    for below in range(row + 1, min(int(page.end[row]), row + _MOST_ABOVE)):
        if (page.attribute(below, "itemprop") or "").strip().lower() == "name":
            return page.attribute(below, "content") or text_below(page, below)
    return text_below(page, row)


def text_below(page: Page, row: int) -> str:
    """The text below a row, blanks folded; empty where it is too long to be a name or a date."""
    start, stop = int(page.text_at[row]), int(page.text_at[page.end[row]])
    return "" if stop - start > _MOST_TEXT else fold(page.text_buffer[start:stop].decode("utf-8", "replace"))


def _is_of_others(page: Page, row: int) -> bool:
    """Whether the thing that a property is of is a comment, a review, a product."""
    above = int(page.parent[row])
    for _ in range(_MOST_ABOVE):
        if above <= 0:
            return False
        kind = page.attribute(above, "itemtype")
        if kind:
            return kind.strip().lower().endswith(_OF_OTHERS)
        above = int(page.parent[above])
    return False
