"""What simple rules in the `style` elements of a page say of its elements, as far as it may hide them.

Simple selectors only: an element, classes and an id, in lists. Rules in `@media` count where they are for screens of
any size. A property that another rule sets under some condition (`.open .panel`, `.panel.open`, `:hover`, `:target`)
is one that a reader or a script changes, and what a simple rule says of it does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import SHOWN
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.page.styles import LEAST_OPACITY, Colour, Look, declarations, look, looks_same

if TYPE_CHECKING:
    from pagesieve.page.table import Page

MOST_CSS = 500_000  # bytes of style sheets that are read
MOST_RULES = 500  # that may hide something

_CLASS, _ID = ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]
_SELECTOR = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#]-{0,2}[^\W\d][\w-]*)*)")
_NAMES = re.compile(r"([.#])(-{0,2}[^\W\d][\w-]*)")
_ELEMENT = re.compile(r"[a-zA-Z][\w-]*")
_COMBINATORS = re.compile(r"[\s>+~]+")
_SCREEN = re.compile(r"(?:only\s+)?(?:screen|all)")
_PSEUDO_ELEMENT = re.compile(r"::|:(?:before|after|first-line|first-letter)\b")
_CLOSED = b"\n}}}\n"  # after a style sheet: what it leaves open ends with it


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


def style_sheets(page: Page, rows: list[int], asked: list[int]) -> bytes:
    """Return the text of `style` elements, and of those that are asked whether they are for screens.

    It is without comments, each element is closed as browsers do.
    """
    seen = sorted([*rows, *(row for row in asked if _is_for_screens(page, row))])
    css: bytes = kernel.visibility.style_sheet(page, seen, _CLOSED, MOST_CSS)
    return css


def _is_for_screens(page: Page, row: int) -> bool:
    """Whether a `style` element is for screens, once a page has been loaded."""
    sort, media = page.attribute(row, "type"), page.attribute(row, "media")
    return (
        (not sort or sort.strip().lower() == "text/css")
        and (not media or _is_screen(media))
        and page.attribute(row, "amp-boilerplate") is None
    )


def _is_screen(media: str) -> bool:
    """Whether one of some media is all screens."""
    return any(_SCREEN.fullmatch(each.strip().lower()) for each in media.split(","))


def _rows(page: Page, selectors: list[_Selector], holds: bytearray) -> dict[int, list[_Selector]]:
    """Return the rows that fit some selectors, of those in a mask, each with those selectors."""
    by_name: dict[str, list[_Selector]] = {}
    for selector in selectors:
        by_name.setdefault(selector.key, []).append(selector)
    found: dict[int, list[_Selector]] = {}
    for row, named in _named(page, by_name, holds):
        element = _element(page, row)
        fitting = [selector for selector in named if selector.fits(element)]
        if fitting:
            found.setdefault(row, []).extend(fitting)
    return found


def _named(page: Page, by_name: dict[str, list[_Selector]], holds: bytearray) -> Iterator[tuple[int, list[_Selector]]]:
    """Yield the rows of a mask with each of some names, which are written as in selectors, and the selectors of it."""
    for mark, attribute in ((".", _CLASS), ("#", _ID)):
        words = {name[1:].encode(): named for name, named in by_name.items() if name.startswith(mark)}
        if words:
            yield from kernel.visibility.named_rows(page, holds, attribute, words)
    for name, named in by_name.items():
        if name[0] not in ".#":
            yield from ((row, named) for row in page.rows(name).tolist() if holds[row])


class Sheet:
    """A style sheet, whose rules count if they are in no block, or in one for screens."""

    def __init__(self, css: bytes) -> None:
        self.css = css
        self._cases: dict[int, str | None] = {-1: ""}  # by where a block begins

    def rules_of(self, page: Page, holds: bytearray) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the rows, of those in a mask, that a simple rule may hide, with what all simple rules declare."""
        rows = self.hidden_rows(page, holds)
        if not rows:
            return
        elements = {row: _element(page, row) for row in rows}
        named = {selector.key for selectors in rows.values() for selector in selectors}
        rules = self.about(named.union(*map(_names_of, set(elements.values()))))
        rules.simple.sort(key=lambda rule: rule[0].weight)
        told: dict[_Element, dict[str, str]] = {}
        for row, selectors in sorted(rows.items()):
            element = elements[row]
            if element not in told:
                told[element] = rules.declared(element, {selector.key for selector in selectors})
            yield row, told[element]

    def hidden_rows(self, page: Page, holds: bytearray) -> dict[int, list[_Selector]]:
        """Return the rows, of those in a mask, that a simple rule may hide by itself, each with such selectors."""
        return _rows(page, self.hiding(kernel.visibility.name_sieve(page, holds)), holds)

    def hiding(self, names: bytearray) -> list[_Selector]:
        """Return the simple selectors of rules that may hide something, as far as their names are in a sieve."""
        found: list[_Selector] = []
        for head, begin, around, end, is_plain in kernel.visibility.hiding_blocks(self.css, names)[:MOST_RULES]:
            selectors = [
                each for each in map(_simple, self._selectors(head, begin)) if each and self._case(around) == ""
            ]
            if selectors and (is_plain or may_hide(look(_text(self.css[begin + 1 : end])))):
                found += selectors
        return list(dict.fromkeys(found))[:MOST_RULES]

    def about(self, names: Iterable[str]) -> _Rules:
        """Return the rules about some names: the simple ones, and what others set."""
        rules = _Rules()
        for head, begin, around, named in self._naming(names):
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

    def _naming(self, names: Iterable[str]) -> list[tuple[int, int, int, set[str]]]:
        """Return where the rules are whose selectors have some of the names, and which."""
        words: dict[bytes, set[str]] = {}
        for name in names:
            if word := name.lstrip(".#").encode():
                words.setdefault(word, set()).add(name)
        return kernel.visibility.naming_blocks(self.css, words, MOST_RULES)

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
