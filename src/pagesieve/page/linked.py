"""Read what the JSON-LD and the microdata of a page state about its article.

A script is parsed once, on first use. Many sites write invalid JSON, with comments, superfluous commas, several
consecutive values, or strings that break off. From such a script, everything is used that can be parsed.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pagesieve.page.kernel.constants import MAX_FACT_LENGTH, MAX_KEY_VALUES, MAX_SCRIPT_BYTES, MAX_SCRIPTS
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.kernel.page.facts import Words, values_with
from pagesieve.page.kernel.page.stated import readable
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.page.stated import linked_scripts, statements
from pagesieve.page.table import Page, view_of
from pagesieve.text.dates import parse_datetime
from pagesieve.text.patterns import pattern
from pagesieve.text.whitespace import clean, fold, squeeze

Thing = dict[str, Any]  # an object of JSON-LD

_MAX_THINGS = 300
_MAX_DEPTH = 6
_MAX_NAMES = 50
_MAX_LIST_LENGTH = 4000  # characters of a list of names
_TELLING = (b"author", b"datePublished", b"dateCreated", b"dateModified", b"publisher", b"headline", b"articleBody")
_INSIDE = ("@graph", "mainEntity", "mainEntityOfPage")
_ARTICLES = ("article", "posting", "report", "recipe", "howto", "question", "creativework", "guide", "story")
_MEDIA = ("videoobject", "audioobject", "mediaobject")  # an article may contain them, and a page may be one
# Things that a page shows or belongs to.
_OTHERS = (
    *("organization", "person", "website", "breadcrumblist", "imageobject", "itemlist", "product", "rating", "offer"),
    *("comment", "answer", "localbusiness", "event", "collectionpage", "sitenavigationelement", "jobposting"),
)
ARTICLE, PAGE, OTHER, NEVER = range(4)  # how likely a thing is the article


def _whole(text: str) -> str:
    """Return an unescaped text without halves of surrogate pairs and without invisible characters."""
    return clean(text if text.isascii() else text.encode("utf-8", "replace").decode())


# Parsing

_MAX_TRIALS = 8  # values of one script that are parsed
_DECODER = json.JSONDecoder(strict=False)
# A string, or text that is not JSON: comments, the marks around a script in HTML and XML, superfluous commas.
_TEXT = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_UNWANTED = pattern(rf"({_TEXT})|<!--|-->|<!\[CDATA\[|\]\]>|//[^\n]*+|/\*.*?(?:\*/|\Z)|,(?=\s*+[]}}])", re.DOTALL)
_PART = pattern(rf"{_TEXT}|[][{{}},]", re.DOTALL)
_OPENING = pattern(r"[{[]")
# Strings that are useful whatever is around them.
_STRING = r'("(?:[^"\\\n]|\\.){1,300}")'
_DATE_STRING = pattern(rf'"(datePublished|dateModified|dateCreated)"\s*:\s*{_STRING}')
_BODY_STRING = pattern(r'"articleBody"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_AUTHOR_STRING = pattern(
    rf'"author"\s*:\s*[\[{{\s]{{0,20}}(?:"@?\w{{1,30}}"\s*:\s*"[^"]{{0,300}}"\s*,\s*){{0,4}}(?:"name"\s*:\s*)?{_STRING}'
)


def parse(text: str) -> tuple[list[Any], bool]:
    """Return the JSON values of a text as far as they can be read, and whether these are all of them."""
    try:
        return [_DECODER.decode(text)], True
    except (ValueError, RecursionError):
        pass
    values, is_whole = _parse_each(_without_unwanted(text))
    if not values and "&quot;" in text:
        from html import unescape

        values, is_whole = _parse_each(_without_unwanted(unescape(text)))
    return values, is_whole


def _without_unwanted(text: str) -> str:
    """Return a text without comments, marks and superfluous commas. A second pass finds commas before comments."""
    for _ in range(2):
        text = _UNWANTED.sub(lambda found: found[1] or " ", text)
    return text


def _parse_each(text: str) -> tuple[list[Any], bool]:
    """Return the values of a text with garbage between them, and whether all of them are intact."""
    values, at, is_whole = list[Any](), 0, True
    for _ in range(_MAX_TRIALS):
        opening = _OPENING.search(text, at)
        if not opening:
            break
        start = opening.start()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            value, at, is_whole = _begun(text, start, error.pos), max(error.pos, start + 1), False
        except (ValueError, RecursionError):
            return values, False
        if value:
            values.append(value)
    return values, is_whole


def _begun(text: str, start: int, stop: int) -> Any:
    """Return a broken value up to the last comma or bracket before the error."""
    inside: Any = ()  # the brackets that are open: the one that closes the innermost, and those around it
    whole, around = start, inside
    for part in _PART.finditer(text, start, stop):
        sign = part[0]
        if sign in ("{", "["):
            inside = ("}" if sign == "{" else "]", inside)
            whole, around = part.end(), inside
        elif sign in ("}", "]"):
            inside = inside[1] if inside else ()
        elif sign == ",":
            whole, around = part.start(), inside
    closing = []
    while around:
        bracket, around = around
        closing.append(bracket)
    try:
        return _DECODER.decode(text[start:whole] + "".join(closing))
    except (ValueError, RecursionError):
        return None


def _told(text: str) -> list[Thing]:
    """Return the useful strings of a script that cannot be parsed, as one thing."""
    found = {name: _string(value) for name, value in reversed(_DATE_STRING.findall(text))}
    for name, string in (("author", _AUTHOR_STRING), ("articleBody", _BODY_STRING)):
        if match := string.search(text):
            found[name] = _string(match[1])
    return [{"@type": "Article", **found}] if found else []


def _string(source: str) -> str:
    """Return the value of a JSON string, or an empty string if it is invalid."""
    try:
        return str(_DECODER.decode(source))
    except ValueError:
        return ""


_AFTER_KEY = pattern(r"\s*:\s*")


def strings_of(script: str, key: str) -> Iterator[str]:
    """Yield the strings of a key anywhere in a script, also in lists and objects, up to the first broken one."""
    at = script.find(key)
    for _ in range(MAX_KEY_VALUES):
        if at < 0:
            return
        after = _AFTER_KEY.match(script, at + len(key))
        at += len(key)
        if after:
            try:
                value, at = _DECODER.raw_decode(script, after.end())
            except (ValueError, RecursionError):
                return
            yield from _strings_in(value)
        at = script.find(key, at)


def _strings_in(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for each in value[:_MAX_THINGS]:
            yield from _strings_in(each, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        for name in ("name", "text", "itemListElement"):
            yield from _strings_in(value.get(name), depth + 1)


# JSON-LD


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The things of a page's JSON-LD that may be the article, the likeliest first, and all that have a name."""

    things: Sequence[tuple[int, Thing]]
    named: dict[str, Thing]  # by their @id

    def values(self, name: str) -> list[Any]:
        """Return the values of a property, from the likeliest thing on."""
        return [thing[name] for _, thing in self.things if thing.get(name)] if self.things else []

    def strings(self, name: str) -> list[str]:
        """Return the values of a property that are strings or numbers."""
        found = []
        for value in self.values(name):
            one = value[0] if isinstance(value, list) else value
            one = one.get("@value") if isinstance(one, dict) else one
            if isinstance(one, str | int) and 0 < len(text := str(one)) <= MAX_FACT_LENGTH:
                found.append(_whole(text))
        return found

    def names(self, value: Any) -> list[tuple[str, bool]]:
        """Return the names in a value, and whether each belongs to an organisation."""
        found = (self._name(one) for one in (value if isinstance(value, list) else [value])[:_MAX_NAMES])
        texts = ((name, is_group) for name, is_group in found if isinstance(name, str) and name.strip())
        return [(_whole(name[:_MAX_LIST_LENGTH]), is_group) for name, is_group in texts]

    def _name(self, value: Any) -> tuple[Any, bool]:
        if not isinstance(value, dict):
            return value, False
        thing = value if value.get("name") else self.named.get(str(value.get("@id")), value)
        name, types = thing.get("name"), _types(thing)
        return name[0] if isinstance(name, list) and name else name, bool(types) and "person" not in types


def linked_data(page: Page, title: str) -> LinkedData:
    """Return the JSON-LD of a page. Of several articles, the one with the title comes first."""
    found = _scripts(page).data
    if len(found.things) < 2 or found.things[1][0] != ARTICLE:  # they are in order
        return found
    key = squeeze(title)
    return LinkedData(sorted(found.things, key=lambda one: (one[0], not _is_called(one[1], key))), found.named)


class _Scripts:
    """The JSON-LD scripts of a page. Each is parsed once; long ones are only searched for strings."""

    def __init__(self, page: Page) -> None:
        self._text, self._spans = page.text_buffer, linked_scripts(page)[:MAX_SCRIPTS]
        self._parsed: dict[int, tuple[list[Any], bool]] = {}

    def values(self, words: Iterable[bytes]) -> Iterator[Any]:
        """Yield the values of the scripts with one of the words, and the useful strings of broken ones."""
        for start, stop in self._spans:
            source = self._text[start : min(stop, start + MAX_SCRIPT_BYTES)]
            if not any(word in source for word in words):
                continue
            text = source.decode("utf-8", "replace")
            if start not in self._parsed:
                self._parsed[start] = ([], False) if stop - start > MAX_SCRIPT_BYTES else parse(text)
            values, is_whole = self._parsed[start]
            yield from values
            if not is_whole:
                yield from _told(text)

    @lazy
    def data(self) -> LinkedData:
        """The things of the scripts that may be the article."""
        things: list[tuple[int, Thing]] = []
        named: dict[str, Thing] = {}
        for thing in _things(list(self.values(_TELLING))):
            if "@id" in thing and "name" in thing:
                named.setdefault(str(thing["@id"]), thing)
            rank = _rank(thing)
            if rank != NEVER:
                things.append((rank, thing))
        return LinkedData(sorted(things, key=lambda one: one[0]), named)


def _scripts(page: Page) -> _Scripts:
    """Return the scripts of a page, which are stored with it."""
    found = statements(page)
    if found.linked is None:
        found.linked = _Scripts(page)
    scripts: _Scripts = found.linked
    return scripts


def _is_called(thing: Thing, key: str) -> bool:
    name = thing.get("headline") or thing.get("name")
    called = squeeze(name) if isinstance(name, str) else ""
    return bool(called) and (called in key or key in called)


def _things(values: list[Any]) -> Iterator[Thing]:
    """Yield the independent objects in order: in lists, in graphs, and as the main entity of a page."""
    stack = [(value, 0) for value in reversed(values)]
    most = _MAX_THINGS
    while stack and most > 0:
        value, depth = stack.pop()
        most -= 1
        if isinstance(value, dict):
            yield value
            inside = [value[name] for name in _INSIDE if isinstance(value.get(name), list | dict)]
        else:
            inside = value if isinstance(value, list) else []
        if depth < _MAX_DEPTH:
            stack += [(each, depth + 1) for each in reversed(inside[:_MAX_THINGS])]


def type_names(thing: Thing) -> list[str]:
    """Return the types of a thing as stated."""
    types = thing.get("@type", "")
    return [str(each)[:200] for each in (types[:5] if isinstance(types, list) else [types]) if each]


def _types(thing: Thing) -> str:
    return " ".join(type_names(thing)).lower()


_TRAIL = b"BreadcrumbList"


def breadcrumbs(page: Page) -> list[str]:
    """Return the names in the first breadcrumb trail of a page's JSON-LD, from the home page on."""
    for value in _scripts(page).values([_TRAIL]):
        for thing in _things([value]):
            if _TRAIL.decode() in type_names(thing):
                return _trail(thing.get("itemListElement"))
    return []


def _trail(items: Any) -> list[str]:
    """Return the names of the items of a trail."""
    found = []
    for item in items[:_MAX_NAMES] if isinstance(items, list) else []:
        inner = item.get("item") if isinstance(item, dict) else None
        name = item.get("name") if isinstance(item, dict) else None
        name = name or (inner.get("name") if isinstance(inner, dict) else None)
        if isinstance(name, str):
            found.append(readable(_whole(name[:MAX_FACT_LENGTH])))
    return found


def _rank(thing: Thing) -> int:
    types = _types(thing)
    if "article" in types:
        return ARTICLE
    if types.endswith(_OTHERS):
        return NEVER
    if types.endswith(_ARTICLES) or ("headline" in thing and not types.endswith(("page", *_MEDIA))):
        return ARTICLE
    return PAGE if types.endswith("page") else OTHER


# Microdata

_ITEMPROP = ATTRIBUTE_ID["itemprop"]
_PROPERTIES = ("author", "creator", "datepublished", "datemodified", "datecreated")
_NAMES = Words(*_PROPERTIES, fold=True)
_OF_OTHERS = (*_OTHERS, "review")  # a review inside a page is not the page
_MAX_PROPERTIES = 150  # elements with an itemprop
_MAX_ABOVE = 40  # rows above an element
_MAX_TEXT = 400  # bytes


@dataclass(frozen=True, slots=True)
class Property:
    """One property of the page in microdata: its name in lower case, and its value."""

    name: str
    value: str


def microdata(page: Page) -> list[Property]:
    """Return the authors and dates in microdata, without those of comments and of products."""
    found = []
    for row, names in values_with(page, _ITEMPROP, _NAMES, _MAX_PROPERTIES):
        for name in dict.fromkeys(filter(_PROPERTIES.__contains__, names.lower().split())):
            value = "" if _is_of_others(page, row) else _property(page, row, name)
            if value:
                found.append(Property(name, fold(value)))
    return found


def _property(page: Page, row: int, name: str) -> str:
    """Return the value of a property: from an attribute, or else its text."""
    value = page.attribute(row, "content") or page.attribute(row, "datetime")
    title = (page.attribute(row, "title") or "") if not value and name.startswith("date") else ""
    # An element that shows a part of a date may have all of it in its title.
    return value or (title if parse_datetime(title) else _inner(page, row))


def _inner(page: Page, row: int) -> str:
    """Return the name below a row, or else its text."""
    for below in range(row + 1, min(view_of(page).end_of(row), row + _MAX_ABOVE)):
        if (page.attribute(below, "itemprop") or "").strip().lower() == "name":
            return page.attribute(below, "content") or _text_below(page, below)
    return _text_below(page, row)


def _text_below(page: Page, row: int) -> str:
    """Return the text below a row with blanks folded, or an empty string if it is too long for a name or a date."""
    return fold(view_of(page).text_within(row, _MAX_TEXT))


def _is_of_others(page: Page, row: int) -> bool:
    """Whether a property belongs to a comment, a review or a product."""
    view = view_of(page)
    above = view.parent_of(row)
    for _ in range(_MAX_ABOVE):
        if above <= 0:
            return False
        kind = page.attribute(above, "itemtype")
        if kind:
            return kind.strip().lower().endswith(_OF_OTHERS)
        above = view.parent_of(above)
    return False
