"""What simple rules in the `style` elements of a page say of its elements, as far as it may hide them.

Simple selectors only: an element, classes and an id, in lists. Rules in `@media` count where they are for screens of
any size. A property that another rule sets under some condition (`.open .panel`, `.panel.open`, `:hover`, `:target`)
is one that a reader or a script changes, and what a simple rule says of it does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TAGS
from pagesieve.page.styles import LEAST_OPACITY, SHOWN, Colour, Look, declarations, look, looks_same

if TYPE_CHECKING:
    from pagesieve.page.table import Page

MOST_CSS = 500_000  # bytes of style sheets that are read
MOST_RULES = 500  # that may hide something
LONGEST_NAME = 63  # bytes of names that are told apart by their length

_STYLE = TAG_ID["style"]
_CLASS, _ID = ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]
_SELECTOR = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#]-{0,2}[^\W\d][\w-]*)*)")
_NAMES = re.compile(r"([.#])(-{0,2}[^\W\d][\w-]*)")
_ELEMENT = re.compile(r"[a-zA-Z][\w-]*")
_COMBINATORS = re.compile(r"[\s>+~]+")
_SCREEN = re.compile(r"(?:only\s+)?(?:screen|all)")
_PSEUDO_ELEMENT = re.compile(r"::|:(?:before|after|first-line|first-letter)\b")
_CLOSED = b"\n}}}\n"  # after a style sheet: what it leaves open ends with it
# Where style sheets do not count, as scripts run and nobody has used the template.
_IS_INERT = np.array([name in ("noscript", "template") for name in TAGS] + [False])


_Element = tuple[str, str | None, frozenset[str]]  # what simple selectors ask for: the element, its id and its classes


def _element(page: Page, row: int) -> _Element:
    return page.tag_name(row), page.attribute(row, "id"), frozenset((page.attribute(row, "class") or "").split())


def _names_of(element: _Element) -> set[str]:
    """Return the classes and the id of an element as they are written in selectors."""
    _, own_id, classes = element
    return {f".{name}" for name in classes} | ({f"#{own_id}"} if own_id else set())


@dataclass(frozen=True)
class _Selector:
    """A simple selector."""

    tag: str
    classes: tuple[str, ...]
    id: str

    @property
    def weight(self) -> tuple[int, int, int]:
        return int(bool(self.id)), len(self.classes), int(bool(self.tag))

    @property
    def key(self) -> str:
        """The name that elements are looked for by, as it is written in selectors."""
        return f"#{self.id}" if self.id else f".{self.classes[0]}" if self.classes else self.tag

    @cached_property
    def names(self) -> set[str]:
        """The names of classes and the id, as they are written in selectors."""
        return {f".{name}" for name in self.classes} | ({f"#{self.id}"} if self.id else set())

    def fits(self, element: _Element) -> bool:
        tag, own_id, classes = element
        if (self.tag and tag != self.tag) or (self.id and own_id != self.id):
            return False
        return not self.classes or classes.issuperset(self.classes)


@dataclass(slots=True)
class _Rules:
    """The rules of a page about some names."""

    simple: list[tuple[_Selector, dict[str, str]]] = field(default_factory=list)
    conditional: dict[str, set[str]] = field(default_factory=dict)  # by name, the properties set under a condition

    def declared(self, element: _Element, keys: set[str]) -> dict[str, str]:
        """Return what the simple rules, the weightiest last, say of an element that some names are looked for by.

        Properties are left out that another rule sets under a condition.
        """
        said: dict[str, str] = {}
        changing = {name for key in keys for name in self.conditional.get(key, ())}
        for selector, declared in self.simple:
            if selector.fits(element):
                said |= declared
            elif keys & selector.names:
                changing |= declared.keys()
        return {name: value for name, value in said.items() if name not in changing}


def rules_of(
    page: Page, css: bytes, names: bytearray, counts: Callable[[int], bool]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows, of those that count, that a simple rule may hide, with the declarations of all simple rules.

    `css` is what `style_sheets` gives, `names` a sieve of the names of the rows that count.
    """
    if not css:
        return
    sheet = _Sheet(css)
    rows = _rows(page, sheet.hiding(names), counts)
    if not rows:
        return
    elements = {row: _element(page, row) for row in rows}
    named = {selector.key for selectors in rows.values() for selector in selectors}
    rules = sheet.about(named.union(*map(_names_of, set(elements.values()))))
    rules.simple.sort(key=lambda rule: rule[0].weight)
    told: dict[_Element, dict[str, str]] = {}
    for row, selectors in sorted(rows.items()):
        element = elements[row]
        if element not in told:
            told[element] = rules.declared(element, {selector.key for selector in selectors})
        yield row, told[element]


def style_sheets(page: Page) -> bytes:
    """Return the text of the `style` elements that are for screens, without comments, each closed as browsers do."""
    rows = np.flatnonzero(page.tag == _STYLE)
    plain = (page.attribute_at[rows] == page.attribute_at[rows + 1]) & ~_IS_INERT[
        np.minimum(page.tag[page.parent[rows]], len(TAGS))
    ]
    starts, ends = page.text_at[rows].tolist(), page.text_at[page.end[rows]].tolist()
    found = [
        _without_comments(page.text_buffer[start:end])
        for row, is_plain, start, end in zip(rows.tolist(), plain.tolist(), starts, ends, strict=True)
        if is_plain or _is_for_screens(page, row)
    ]
    return _CLOSED.join((*found, b""))[:MOST_CSS]


def _is_for_screens(page: Page, row: int) -> bool:
    """Whether a `style` element is for screens, once a page has been loaded, with its scripts."""
    if _IS_INERT[min(int(page.tag[page.parent[row]]), len(TAGS))] or page.attribute(row, "amp-boilerplate") is not None:
        return False
    sort, media = page.attribute(row, "type"), page.attribute(row, "media")
    return (not sort or sort.strip().lower() == "text/css") and (not media or _is_screen(media))


def _is_screen(media: str) -> bool:
    """Whether one of some media is all screens."""
    return any(_SCREEN.fullmatch(each.strip().lower()) for each in media.split(","))


def _without_comments(css: bytes) -> bytes:
    """Return a style sheet without its comments, and without those of HTML, which hid it from old browsers."""
    if b"<!--" in css or b"-->" in css:
        css = css.replace(b"<!--", b"").replace(b"-->", b"")
    pieces = []
    at, start = 0, css.find(b"/*")
    while start >= 0:
        pieces.append(css[at:start])
        end = css.find(b"*/", start + 2)
        at = end + 2 if end >= 0 else len(css)
        start = css.find(b"/*", at)
    return b" ".join((*pieces, css[at:])) if pieces else css


def _rows(page: Page, selectors: list[_Selector], counts: Callable[[int], bool]) -> dict[int, list[_Selector]]:
    """Return the rows that fit some selectors, of those that count, each with those selectors."""
    by_name: dict[str, list[_Selector]] = {}
    for selector in selectors:
        by_name.setdefault(selector.key, []).append(selector)
    found: dict[int, list[_Selector]] = {}
    for row, name in _named(page, by_name):
        if counts(row):
            element = _element(page, row)
            fitting = [selector for selector in by_name[name] if selector.fits(element)]
            if fitting:
                found.setdefault(row, []).extend(fitting)
    return found


def _named(page: Page, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the rows with each of some names, which are written as in selectors."""
    for mark, attribute in ((".", _CLASS), ("#", _ID)):
        words = {kernel.derive.digest(name[1:].encode()): name for name in names if name.startswith(mark)}
        if words:
            for row, digest in kernel.suspects.word_rows(page, attribute, hash_table(words)):
                yield row, words[digest]
    for name in names:
        if name[0] not in ".#":
            yield from ((row, name) for row in page.rows(name).tolist())


class _Sheet:
    """A style sheet, whose rules count if they are in no block, or in one for screens."""

    def __init__(self, css: bytes) -> None:
        self.css = css
        self._codes = np.frombuffer(css, dtype=np.uint8)
        self._cases: dict[int, str | None] = {-1: ""}  # by where a block begins

    def hiding(self, names: bytearray) -> list[_Selector]:
        """Return the simple selectors of rules that may hide something, as far as their names are in a sieve."""
        found: list[_Selector] = []
        for head, begin, around, end in kernel.style_sheets.hiding_blocks(self._codes, names)[:MOST_RULES]:
            selectors = [
                each for each in map(_simple, self._selectors(head, begin)) if each and self._case(around) == ""
            ]
            if selectors and may_hide(look(_text(self.css[begin + 1 : end]))):
                found += selectors
        return list(dict.fromkeys(found))[:MOST_RULES]

    def about(self, names: Iterable[str]) -> _Rules:
        """Return the rules about some names: the simple ones, and what others set."""
        rules = _Rules()
        for (head, begin, around), named in self._naming(names).items():
            case = self._case(around)
            said = declarations(_text(self.css[begin + 1 : self.css.find(b"}", begin)])) if case is not None else {}
            for selector in self._selectors(head, begin) if said else ():
                simple = _simple(selector) if case == "" else None
                if simple is not None:
                    rules.simple.append((simple, said))
                    continue
                for name in named & _last_names(selector):
                    rules.conditional.setdefault(name, set()).update(said)
        return rules

    def _naming(self, names: Iterable[str]) -> dict[tuple[int, int, int], set[str]]:
        """Return where the rules are whose selectors have some of the names, and which."""
        words: dict[int, set[str]] = {}
        lengths = bytearray(LONGEST_NAME + 1)
        for name in names:
            word = name.lstrip(".#").encode()
            words.setdefault(kernel.derive.digest(word), set()).add(name)
            lengths[min(len(word), LONGEST_NAME)] = 1
        found: dict[tuple[int, int, int], set[str]] = {}
        for head, begin, around, digest in kernel.style_sheets.naming_blocks(self._codes, hash_table(words), lengths):
            found.setdefault((head, begin, around), set()).update(words[digest])
            if len(found) == MOST_RULES:
                break
        return found

    def _selectors(self, start: int, begin: int) -> list[str]:
        """Return the selectors from a place up to the block of their rule."""
        head = self.css[start:begin].strip()
        return [] if head.startswith(b"@") else [each.strip() for each in _text(head).split(",")]

    def _case(self, block: int) -> str | None:
        """Return the case that the rules in a block are for: "" for every screen, None where no reader meets it."""
        if block not in self._cases:
            start = max(self.css.rfind(each, 0, block) for each in (b"{", b"}", b";")) + 1
            rule, _, case = _text(self.css[start:block]).strip().lower().partition(" ")
            self._cases[block] = "" if rule == "@media" and _is_screen(case) else case or rule
            if rule.endswith("keyframes") or rule in ("@font-face", "@page") or case.strip() == "print":
                self._cases[block] = None
        return self._cases[block]


def _text(css: bytes) -> str:
    return css.decode("utf-8", "replace")


def _simple(selector: str) -> _Selector | None:
    """Return a simple selector; None for any other."""
    found = _SELECTOR.fullmatch(selector)
    if found is None or not selector:
        return None
    names = found[2]
    ids = [name for mark, name in _NAMES.findall(names) if mark == "#"]
    classes = tuple(name for mark, name in _NAMES.findall(names) if mark == ".")
    return _Selector((found[1] or "").lower(), classes, ids[0] if ids else "") if len(ids) < 2 else None


def _last_names(selector: str) -> set[str]:
    """Return the names in the last part of a selector, which it is about."""
    last = _COMBINATORS.split(selector)[-1]
    if _PSEUDO_ELEMENT.search(last):  # which is beside what the element holds
        return set()
    element = _ELEMENT.match(last)
    return {mark + name for mark, name in _NAMES.findall(last)} | ({element[0].lower()} if element else set())


def may_hide(said: Look) -> bool:
    """Whether something that looks like this may not be seen."""
    return (
        said.way != SHOWN
        or said.visible is False
        or said.has_size is False
        or (said.colour is not None and (said.colour[3] < LEAST_OPACITY or _is_same(said.colour, said.background)))
    )


def _is_same(text: Colour, behind: Colour | str | None) -> bool:
    return isinstance(behind, tuple) and looks_same(text, behind)


def hash_table(digests: Collection[int]) -> NDArray[np.uint64]:
    """Return digests as the kernel looks them up."""
    slots = 4
    while slots < 4 * len(digests):
        slots *= 2
    table = np.zeros(slots, dtype=np.uint64)
    for digest in digests:
        slot = digest & (slots - 1)
        while table[slot] and int(table[slot]) != digest:
            slot = (slot + 1) & (slots - 1)
        table[slot] = digest
    return table
