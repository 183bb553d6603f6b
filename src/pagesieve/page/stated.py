"""What a page states of itself where no reader sees it: title, URL, language, `meta` elements, JSON-LD, microdata.

All of it is read here and nowhere else. What is asked for more than once is kept with the page.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.keeping import kept
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.dates import parse_datetime
from pagesieve.text.invisible import clean
from pagesieve.text.urls import safe_url, web_url
from pagesieve.text.whitespace import fold, squeeze

T = TypeVar("T")
Thing = dict[str, Any]  # an object of JSON-LD

LONGEST_FACT = 1000  # characters: what is longer is no name, date or headline
_MOST_ROWS = 1000  # elements of one name; a page with more of them is up to something
_MOST_LINKS = 5000
_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=\s*+)?(?P<url>.*)", re.IGNORECASE | re.DOTALL)
_LONGEST_LIST = 4000  # characters of a list of names, or of where a page goes on
_TITLE, _HTML, _LINK, _SCRIPT = TAG_ID["title"], TAG_ID["html"], TAG_ID["link"], TAG_ID["script"]
_REL, _TYPE, _ITEMPROP, _PROPERTY = (ATTRIBUTE_ID[name] for name in ("rel", "type", "itemprop", "property"))


def _readable(text: str) -> str:
    """Return a text with its blanks folded and its entities resolved: many sites escape a text once too often."""
    return fold(html.unescape(text) if "&" in text else text)


@kept
def document_title(page: Page) -> str:
    """Return the text of `<title>`; a drawing may have one too, so the first that is not empty."""
    titles = (_readable(page.text(row)) for row in np.flatnonzero(page.tag == _TITLE)[:_MOST_ROWS].tolist())
    return next((title[:LONGEST_FACT] for title in titles if title), "")


# What sites put between the headline and their name. A hyphen or colon inside a word separates nothing.
# The first look says quickly where there is none.
TITLE_PARTING = re.compile(
    r"(?=[\s|｜¦_»«›‹•·:-])(?:(?<!\s)\s+[-–—:~/<>→•·]+\s+|(?:(?<!\s)\s+)?(?:[|｜¦_»«›‹•·]|--+|::+)+\s*)"
)


@kept
@stage("statements")
def stated_titles(page: Page) -> list[str]:
    """Return the titles that a page states, each once: as they are, and the longest part of each."""
    whole = [document_title(page), *(text for _, text in meta(page).firsts("og:title", "twitter:title"))]
    whole += linked_headlines(page)
    parts = [max(TITLE_PARTING.split(title), key=len) for title in whole]
    return [title for title in dict.fromkeys((*whole, *parts)) if title]


@kept
def canonical_url(page: Page) -> str | None:
    """Return the URL that a page names as its own, as it stands there."""
    for row in kernel.stated.rows_with_value(page, _LINK, _REL, b"canonical", _MOST_ROWS):
        if (page.attribute(row, "rel") or "").strip().lower() == "canonical":
            return (page.attribute(row, "href") or "").strip() or None
    return None


@kept
def address(page: Page) -> str | None:
    """Return the address of a page: the one that was given, or else the one that it names as its own.

    What is not absolute, or is no address of the web, does not count. A name and password that it names are left out.
    """
    if page.url:
        return page.url
    base = _stated_base(page)
    named = (canonical_url(page), *(url for _, url in meta(page).firsts("og:url")))
    found = (safe_url(url, base) for url in named if url)
    return next(filter(None, (web_url(_with_scheme(url)) for url in found)), None)


def _with_scheme(url: str) -> str:
    return f"https:{url}" if url.startswith("//") else url


def refresh_url(page: Page) -> str | None:
    """Return the URL that a page goes on to by itself, as it stands there."""
    for row in page.rows("meta")[:_MOST_ROWS].tolist():
        if (page.attribute(row, "http-equiv") or "").strip().lower() == "refresh":
            found = _REFRESH.match((page.attribute(row, "content") or "")[:_LONGEST_LIST])
            return found["url"].strip(" \t\r\n'\"") or None if found else None
    return None


def license_links(page: Page) -> list[tuple[int, str]]:
    """Return the `link` and `a` elements that lead to the licence of a page, each with its name."""
    found = []
    for name in ("link", "a"):
        rows = kernel.stated.rows_with_value(page, TAG_ID[name], _REL, b"license", _MOST_LINKS)
        found += [(row, name) for row in rows[:1]]
    return found


def html_language(page: Page) -> str:
    """Return the language that the `html` element names."""
    row = int((page.tag == _HTML).argmax())  # the document, which has no attributes, where there is none
    return (page.attribute(row, "lang") or page.attribute(row, "xml:lang") or "").strip()[:LONGEST_FACT]


def text_below(page: Page, row: int) -> str:
    """Return the text below a row, blanks folded; empty where it is too long to be a name or a date."""
    start, stop = int(page.text_at[row]), int(page.text_at[page.end[row]])
    return "" if stop - start > _MOST_TEXT else fold(page.text_buffer[start:stop].decode("utf-8", "replace"))


# `meta` elements

_META_NAMES = bytes(ATTRIBUTE_ID[name] for name in ("property", "name", "itemprop", "http-equiv"))
_BETWEEN_WORDS = str.maketrans("", "", " :._-")


@dataclass(frozen=True, slots=True)
class Meta:
    """The facts in the `meta` elements of a page by their names. They are decoded when they are asked for."""

    found: dict[bytes, list[bytes]]

    def values(self, *names: str, longest: int = LONGEST_FACT, folded: bool = True) -> Iterator[tuple[str, list[str]]]:
        """Yield those of some names that the page has, in their order, with all values of up to `longest` characters.

        Upper case and what stands between the words of a name do not count. Values keep their lines if not `folded`.
        """
        for name in names:
            if contents := self.found.get(_key(name)):
                read = _readable if folded else html.unescape
                texts = (read(content.decode("utf-8", "replace")) for content in contents)
                yield name, [text for text in texts if 0 < len(text) <= longest]

    def firsts(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield the same, with the first value of each."""
        return ((name, values[0]) for name, values in self.values(*names) if values)


@cache
def _key(name: str) -> bytes:
    """Return a name as the kernel writes it."""
    return name.lower().translate(_BETWEEN_WORDS).encode()


@kept
def meta(page: Page) -> Meta:
    """Return the facts in the `meta` elements of a page."""
    return Meta(kernel.stated.meta_values(page, _META_NAMES))


@kept
def og_types(page: Page) -> list[bytes]:
    """Return each `og:type`; under another attribute than `property` it is not what models know."""
    if _key("og:type") not in meta(page).found:
        return []
    found: list[bytes] = kernel.stated.meta_values(page, bytes([_PROPERTY])).get(_key("og:type"), [])
    return found


def og_type(page: Page) -> str:
    """Return the first `og:type` in lower case; empty where there is none."""
    return next(iter(og_types(page)), b"").decode("utf-8", "replace").lower()


# JSON-LD

_MOST_SCRIPTS = 12  # that are read
_MOST_BYTES = 400_000  # of a script that is parsed; in a longer one, only strings are looked for
_MOST_THINGS = 300
_MOST_DEPTH = 6
_MOST_NAMES = 50
_TELLING = (b"author", b"datePublished", b"dateCreated", b"dateModified", b"publisher", b"headline", b"articleBody")
_INSIDE = ("@graph", "mainEntity", "mainEntityOfPage")
_ARTICLES = ("article", "posting", "report", "recipe", "howto", "question", "creativework", "guide", "story")
_MEDIA = ("videoobject", "audioobject", "mediaobject")  # what an article may show, and a page may be
# What a page shows or belongs to, but is not.
_OTHERS = (
    *("organization", "person", "website", "breadcrumblist", "imageobject", "itemlist", "product", "rating", "offer"),
    *("comment", "answer", "localbusiness", "event", "collectionpage", "sitenavigationelement", "jobposting"),
)
ARTICLE, PAGE, OTHER, NEVER = range(4)  # how likely a thing is the article

# Many sites write JSON that no parser takes: then strings are looked for, whatever is around them.
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_STRING = r'("(?:[^"\\\n]|\\.){1,300}")'
_DATE_STRING = re.compile(rf'"(datePublished|dateModified|dateCreated)"\s*:\s*{_STRING}')
_BODY_STRING = re.compile(r'"articleBody"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_HEADLINE_STRING = re.compile(r'"headline"\s*:\s*("(?:[^"\\]|\\.)*")')
_AUTHOR_STRING = re.compile(
    rf'"author"\s*:\s*[\[{{\s]{{0,20}}(?:"@?\w{{1,30}}"\s*:\s*"[^"]{{0,300}}"\s*,\s*){{0,4}}(?:"name"\s*:\s*)?{_STRING}'
)
_DECODER = json.JSONDecoder(strict=False)


@kept
def linked_scripts(page: Page) -> list[tuple[int, int]]:
    """Return where in the text of a page the scripts of JSON-LD begin and end."""
    rows = kernel.stated.rows_with_value(page, _SCRIPT, _TYPE, b"application/ld+json", _MOST_ROWS)
    return [(int(page.text_at[row]), int(page.text_at[page.end[row]])) for row in rows]


@kept
def linked_headlines(page: Page) -> list[str]:
    """Return the first `headline` of each script of JSON-LD. They are not parsed: most callers want nothing else."""
    texts = (_headline_in(page.text_buffer, *span) for span in linked_scripts(page)[:_MOST_SCRIPTS])
    return [text for text in texts if 0 < len(text) <= LONGEST_FACT]


def _headline_in(buffer: bytes, start: int, stop: int) -> str:
    at = buffer.find(b'"headline"', start, stop)
    if at < 0:
        return ""
    # Four bytes a character, and every one of them may be written as an escape of six.
    found = _HEADLINE_STRING.match(buffer[at : min(stop, at + 6 * LONGEST_FACT)].decode("utf-8", "replace"))
    return _readable(_whole(_string(found[1]))) if found else ""


def _string(source: str) -> str:
    """Return the text that a JSON string stands for; empty where it is none."""
    try:
        return str(_DECODER.decode(source))
    except ValueError:
        return ""


def _whole(text: str) -> str:
    """Return a text that was escaped without halves of surrogate pairs and characters that no reader sees."""
    return clean(text if text.isascii() else text.encode("utf-8", "replace").decode())


# Texts that stand in the page too: the article's, parts of recipes and guides, answers; and what sums it up.
_BODY_KEYS = ('"articleBody"', '"reviewBody"')
_PART_KEYS = ('"recipeIngredient"', '"ingredients"', '"recipeInstructions"', '"text"')
_SUMMARY_KEYS = ('"description"', '"abstract"')
_MOST_VALUES = 500  # of one key in one script
_AFTER_KEY = re.compile(r"\s*:\s*")


@dataclass(frozen=True, slots=True)
class StatedTexts:
    """Texts of its content that a page states besides showing them; empty where it does not."""

    body: str
    parts: str
    summary: str


@stage("statements")
def stated_texts(page: Page) -> StatedTexts:
    """Return the texts in a page's JSON-LD and its description. Nothing else of the JSON is parsed."""
    found = {keys: list[str]() for keys in (_BODY_KEYS, _PART_KEYS, _SUMMARY_KEYS)}
    for start, stop in linked_scripts(page)[:_MOST_SCRIPTS]:
        stop = min(stop, start + _MOST_BYTES)
        here = [(keys, key) for keys in found for key in keys if page.text_buffer.find(key.encode(), start, stop) >= 0]
        if here:
            script = page.text_buffer[start:stop].decode("utf-8", "replace")
            for keys, key in here:
                found[keys] += _texts_of(script, key)
    body, parts, summary = found.values()
    summary += [text for _, texts in meta(page).values("description", "og:description") for text in texts]
    return StatedTexts(*("\n".join(map(_whole, dict.fromkeys(texts))) for texts in (body, parts, summary)))


def _texts_of(script: str, key: str) -> Iterator[str]:
    """Yield the strings that a key has anywhere in a script, also in lists and objects, up to one that is broken."""
    at = script.find(key)
    for _ in range(_MOST_VALUES):
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
        yield html.unescape(value) if "&" in value else value
    elif isinstance(value, list) and depth < _MOST_DEPTH:
        for each in value[:_MOST_THINGS]:
            yield from _strings_in(each, depth + 1)
    elif isinstance(value, dict) and depth < _MOST_DEPTH:
        for name in ("name", "text", "itemListElement"):
            yield from _strings_in(value.get(name), depth + 1)


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The things of a page's JSON-LD that may be the article, the likeliest first, and all that have a name."""

    things: Sequence[tuple[int, Thing]]
    named: dict[str, Thing]  # by their @id

    def values(self, name: str) -> Iterator[Any]:
        """Yield what the things say of one property, the likeliest thing first."""
        return (thing[name] for _, thing in self.things if thing.get(name))

    def strings(self, name: str) -> Iterator[str]:
        """Yield the same where it is text, or a number."""
        for value in self.values(name):
            one = value[0] if isinstance(value, list) else value
            one = one.get("@value") if isinstance(one, dict) else one
            if isinstance(one, str | int) and 0 < len(text := str(one)) <= LONGEST_FACT:
                yield _whole(text)

    def names(self, value: Any) -> list[tuple[str, bool]]:
        """Return the names in a value, and whether each is that of an organisation."""
        found = (self._name(one) for one in (value if isinstance(value, list) else [value])[:_MOST_NAMES])
        texts = ((name, is_group) for name, is_group in found if isinstance(name, str) and name.strip())
        return [(_whole(name[:_LONGEST_LIST]), is_group) for name, is_group in texts]

    def _name(self, value: Any) -> tuple[Any, bool]:
        if not isinstance(value, dict):
            return value, False
        thing = value if value.get("name") else self.named.get(str(value.get("@id")), value)
        name, types = thing.get("name"), _types(thing)
        return name[0] if isinstance(name, list) and name else name, bool(types) and "person" not in types


def linked_data(page: Page, title: str) -> LinkedData:
    """Return what a page's JSON-LD says; of several articles, the one of that title comes first."""
    found = _linked_things(page)
    if sum(rank == ARTICLE for rank, _ in found.things) < 2:
        return found
    key = squeeze(title)
    return LinkedData(sorted(found.things, key=lambda one: (one[0], not _is_called(one[1], key))), found.named)


@kept
def _linked_things(page: Page) -> LinkedData:
    scripts = linked_scripts(page)[:_MOST_SCRIPTS]
    values = [value for start, stop in scripts for value in _parse_script(page.text_buffer, start, stop)]
    things: list[tuple[int, Thing]] = []
    named: dict[str, Thing] = {}
    for thing in _things(values):
        if "@id" in thing and "name" in thing:
            named.setdefault(str(thing["@id"]), thing)
        rank = _rank(thing)
        if rank != NEVER:
            things.append((rank, thing))
    return LinkedData(sorted(things, key=lambda one: one[0]), named)


def _is_called(thing: Thing, key: str) -> bool:
    name = thing.get("headline") or thing.get("name")
    called = squeeze(name) if isinstance(name, str) else ""
    return bool(called) and (called in key or key in called)


def _parse_script(buffer: bytes, start: int, stop: int) -> list[Any]:
    """Return the values in a script: parsed where that is possible, else its telling strings."""
    source = buffer[start : min(stop, start + _MOST_BYTES)]
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
    """Return the first JSON value of a text, comments and garbage around it passed over; None where it is none."""
    begin = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0)
    if text.startswith("[CDATA[", begin):
        begin = text.find("{", begin)
    try:
        return _DECODER.raw_decode(text, max(begin, 0))[0]
    except (ValueError, RecursionError):
        return None


def _strings(text: str) -> list[Any]:
    """Return the telling strings of a script that no parser takes, as one thing."""
    found = {name: _string(value) for name, value in reversed(_DATE_STRING.findall(text))}
    for name, pattern in (("author", _AUTHOR_STRING), ("articleBody", _BODY_STRING)):
        if match := pattern.search(text):
            found[name] = _string(match[1])
    return [{"@type": "Article", **found}] if found else []


def _things(values: list[Any]) -> Iterator[Thing]:
    """Yield every object that stands on its own, in order: in lists, in graphs, or as what a page is about."""
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


def type_names(thing: Thing) -> list[str]:
    """Return the types of a thing as they stand there."""
    types = thing.get("@type", "")
    return [str(each)[:200] for each in (types[:5] if isinstance(types, list) else [types]) if each]


def _types(thing: Thing) -> str:
    return " ".join(type_names(thing)).lower()


_TRAIL = b"BreadcrumbList"


def breadcrumbs(page: Page) -> list[str]:
    """Return the names in the first trail of breadcrumbs that a page's JSON-LD has, from the home page on."""
    buffer = page.text_buffer
    for start, stop in linked_scripts(page)[:_MOST_SCRIPTS]:
        if stop - start <= _MOST_BYTES and buffer.find(_TRAIL, start, stop) >= 0:
            value = _parsed(buffer[start:stop].decode("utf-8", "replace"))
            for thing in _things([value]):
                if _TRAIL.decode() in type_names(thing):
                    return _trail(thing.get("itemListElement"))
    return []


def _trail(items: Any) -> list[str]:
    """Return the names of the items of a trail."""
    found = []
    for item in items[:_MOST_NAMES] if isinstance(items, list) else []:
        inner = item.get("item") if isinstance(item, dict) else None
        name = item.get("name") if isinstance(item, dict) else None
        name = name or (inner.get("name") if isinstance(inner, dict) else None)
        if isinstance(name, str):
            found.append(_readable(_whole(name[:LONGEST_FACT])))
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

_PROPERTIES = frozenset(("author", "creator", "datepublished", "datemodified", "datecreated"))
_OF_OTHERS = (*_OTHERS, "review")  # a review inside of a page is not the page
_MOST_PROPERTIES = 150  # elements with an itemprop
_MOST_ABOVE = 40  # rows above an element
_MOST_TEXT = 400  # bytes


@dataclass(frozen=True, slots=True)
class Property:
    """One property that microdata give the page: its name in lower case, and its value."""

    name: str
    value: str


def microdata(page: Page) -> list[Property]:
    """Return the authors and dates in microdata, without those of what readers wrote or of things for sale."""
    found = []
    for k in np.flatnonzero(page.attribute_name == _ITEMPROP)[:_MOST_PROPERTIES].tolist():
        names = page.value_buffer[page.value_at[k] : page.value_at[k + 1]].decode("utf-8", "replace").lower().split()
        for name in dict.fromkeys(filter(_PROPERTIES.__contains__, names)):
            row = int(page.attribute_at.searchsorted(np.int32(k), side="right")) - 1
            value = "" if _is_of_others(page, row) else _property(page, row, name)
            if value:
                found.append(Property(name, fold(value)))
    return found


def _property(page: Page, row: int, name: str) -> str:
    """Return the value of a property: what is stated, or else what stands there."""
    value = page.attribute(row, "content") or page.attribute(row, "datetime")
    title = (page.attribute(row, "title") or "") if not value and name.startswith("date") else ""
    # An element that shows a part of a date may have all of it in its title.
    return value or (title if parse_datetime(title) else _inner(page, row))


def _inner(page: Page, row: int) -> str:
    """Return the name below a row where there is one, else its text."""
    for below in range(row + 1, min(int(page.end[row]), row + _MOST_ABOVE)):
        if (page.attribute(below, "itemprop") or "").strip().lower() == "name":
            return page.attribute(below, "content") or text_below(page, below)
    return text_below(page, row)


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


# Addresses: what they are relative to, and where an image keeps its own

# `src` is a placeholder where an image is loaded late.
_LAZY_SOURCES = (
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-actualsrc",
    "data-lazy",
    "data-original-src",
    "data-echo",
)
_SIZE_IN_SET = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)[wx],?")
_TOUCHING_IN_SET = re.compile(r"(\s\d{1,6}(?:\.\d{1,3})?[wx]),(?=\S)")
_LONGEST_SET = 20_000  # characters that are read
# What stands in the place of an image until it is loaded.
_PLACEHOLDER = re.compile(
    r"(?i)^data:|(?:blank|dummy|empty|grey|lazy|lazyload|loading|placeholder|pixel|spacer|transparent|1x1)[\w.-]{0,12}\.(?:gif|png|svg|jpg|webp)"
)


def base_url(page: Page) -> str | None:
    """What the page's relative addresses are relative to."""
    own, stated = address(page), _stated_base(page)
    return (safe_url(stated, own) or own) if stated else own


def _stated_base(page: Page) -> str | None:
    """Return what the page says that its relative addresses are relative to, as it stands there."""
    hrefs = (page.attribute(row, "href") for row in page.rows("base").tolist())
    return next(filter(None, hrefs), None)


def image_url(page: Page, row: int, base: str | None) -> str:
    """The address of an image; empty where it has none that is safe to write."""
    return next(filter(None, (safe_url(source, base) for source in _image_sources(page, row))), "")


def _image_sources(page: Page, row: int) -> Iterator[str]:
    found = page.attributes(row)
    yield from (found[name] for name in _LAZY_SOURCES if found.get(name))
    source = found.get("src", "")
    if source and not _PLACEHOLDER.search(source):
        yield source
    yield from _largest_of_set(found)
    above = int(page.parent[row])
    if page.tag[above] == TAG_ID["picture"]:
        for before in range(above + 1, row):
            if page.tag[before] == TAG_ID["source"]:
                yield from _largest_of_set(page.attributes(before))
    if source:
        yield source


def _largest_of_set(found: dict[str, str]) -> Iterator[str]:
    """Yield the largest image of each set; the first where their sizes are not stated."""
    for name in ("data-srcset", "srcset"):
        if not found.get(name):
            continue
        sizes: dict[str, float] = {}
        url = ""
        for word in _TOUCHING_IN_SET.sub(r"\1, ", found[name][:_LONGEST_SET]).split():
            size = _SIZE_IN_SET.fullmatch(word)
            if size and url:
                sizes[url] = float(size[1])
            elif word.strip(","):
                url = word.strip(",")
                sizes.setdefault(url, 0)
        if sizes:
            yield max(sizes, key=sizes.__getitem__)
