"""Read the simple rules in the `style` elements of a page that may hide elements.

Only simple selectors are read: an element, classes and an id, in lists. Rules in `@media` count if they are for screens
of any size. If another rule sets a property under a condition (`.open .panel`, `.panel.open`, `:hover`, `:target`), a
reader or a script changes it, and its value in simple rules is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import SHOWN
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.page.styles import MIN_OPACITY, Colour, Look, declarations, look_of, looks_same
from pagesieve.text.patterns import pattern

if TYPE_CHECKING:
    from pagesieve.page.table import Page

MAX_CSS = 500_000  # bytes of style sheets
MAX_RULES = 500  # rules that may hide something

_CLASS, _ID = ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]
_SELECTOR = pattern(r"([a-zA-Z][\w-]*)?((?:[.#]-{0,2}[^\W\d][\w-]*)*)")
_NAMES = pattern(r"([.#])(-{0,2}[^\W\d][\w-]*)")
_ELEMENT = pattern(r"[a-zA-Z][\w-]*")
_COMBINATORS = pattern(r"[\s>+~]+")
_SCREEN = pattern(r"(?:only\s+)?(?:screen|all)")
_PSEUDO_ELEMENT = pattern(r"::|:(?:before|after|first-line|first-letter)\b")
_CLOSED = b"\n}}}\n"  # after a style sheet, to close its open blocks


_Element = tuple[str, str | None, frozenset[str]]  # the name, id and classes of an element, for simple selectors


def _element(page: Page, row: int) -> _Element:
    return page.tag_name(row), page.attribute(row, "id"), frozenset((page.attribute(row, "class") or "").split())


def _names_of(element: _Element) -> set[str]:
    """Return the classes and the id of an element as in selectors."""
    _, own_id, classes = element
    return {f".{name}" for name in classes} | ({f"#{own_id}"} if own_id else set())


class Selector(NamedTuple):
    """A simple selector."""

    tag: str
    classes: tuple[str, ...]
    id: str
    names: frozenset[str]  # the classes and the id, as in selectors
    key: str  # the name by which elements are searched, as in selectors

    @property
    def weight(self) -> tuple[int, int, int]:
        """The specificity, which decides between conflicting rules."""
        return int(bool(self.id)), len(self.classes), int(bool(self.tag))

    def fits(self, element: _Element) -> bool:
        """Whether the selector matches an element."""
        tag, own_id, classes = element
        if (self.tag and tag != self.tag) or (self.id and own_id != self.id):
            return False
        return not self.classes or classes.issuperset(self.classes)


class _Rules:
    """The rules of a page for some names."""

    def __init__(self) -> None:
        self.simple: list[tuple[Selector, dict[str, str]]] = []
        self.conditional: dict[str, set[str]] = {}  # the properties set under a condition, by name
        self.by_name: dict[str, list[int]] = {}  # the simple rules by name

    def order(self) -> None:
        """Sort the simple rules by specificity, the highest last."""
        self.simple.sort(key=lambda rule: rule[0].weight)
        for number, (selector, _) in enumerate(self.simple):
            for name in selector.names or (selector.tag,):
                self.by_name.setdefault(name, []).append(number)

    def declared(self, element: _Element, keys: set[str]) -> dict[str, str]:
        """Return the declarations of the simple rules, in order, for an element that was found by some names.

        Properties that another rule sets under a condition are left out.
        """
        said: dict[str, str] = {}
        changing = {name for key in keys for name in self.conditional.get(key, ())}
        named = {number for name in (element[0], *_names_of(element)) for number in self.by_name.get(name, ())}
        for number in sorted(named):
            selector, declared = self.simple[number]
            if selector.fits(element):
                said |= declared
            elif not keys.isdisjoint(selector.names):
                changing |= declared.keys()
        return {name: value for name, value in said.items() if name not in changing}


def style_sheets(page: Page, rows: list[int], asked: list[int]) -> bytes:
    """Return the text of the `style` elements `rows`, and of those in `asked` that are for screens.

    The text has no comments, and open blocks are closed at the end of each element, as in browsers.
    """
    seen = sorted([*rows, *(row for row in asked if _is_for_screens(page, row))])
    css: bytes = kernel.page.visibility.style_sheet(page, seen, _CLOSED, MAX_CSS)
    return css


def _is_for_screens(page: Page, row: int) -> bool:
    """Whether a `style` element is for screens after the page has loaded."""
    sort, media = page.attribute(row, "type"), page.attribute(row, "media")
    return (
        (not sort or sort.strip().lower() == "text/css")
        and (not media or _is_screen(media))
        and page.attribute(row, "amp-boilerplate") is None
    )


def _is_screen(media: str) -> bool:
    """Whether one of the media stands for all screens."""
    return any(_SCREEN.fullmatch(each.strip().lower()) for each in media.split(","))


def _named(page: Page, by_name: dict[str, list[Selector]], holds: bytearray) -> Iterator[tuple[int, list[Selector]]]:
    """Yield the rows of a mask with each of the names, which are written as in selectors, and the name's selectors."""
    for mark, attribute in ((".", _CLASS), ("#", _ID)):
        words = {name[1:].encode(): named for name, named in by_name.items() if name.startswith(mark)}
        if words:
            yield from kernel.page.visibility.named_rows(page, holds, attribute, words)
    for name, named in by_name.items():
        if name[0] not in ".#":
            yield from ((row, named) for row in page.rows(name).tolist() if holds[row])


class Sheet:
    """The style sheets of a page. Rules count if they are in no block, or in a block for screens.

    Blocks that have been read are cached by their position.
    """

    def __init__(self, page: Page, css: bytes) -> None:
        self.page = page
        self.css = css
        self._cases: dict[int, str | None] = {-1: ""}
        self._hiding: dict[int, list[Selector]] = {}  # the simple selectors of rules that may hide something
        self._declared: dict[int, dict[str, str]] = {}
        self._elements: dict[int, _Element] = {}  # by their rows

    @classmethod
    def of(cls, page: Page, rows: list[int], asked: list[int]) -> Sheet | None:
        """Return the style sheets of a page, given its `style` elements as to `style_sheets`; None without any."""
        css = style_sheets(page, rows, asked)
        return cls(page, css) if css else None

    def rules_of(self, holds: bytearray) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the rows, of those in a mask, that a simple rule may hide, with what all simple rules declare."""
        rows = self._hidden_rows(holds)
        if not rows:
            return
        elements = {row: self._element(row) for row in rows}
        named = {selector.key for selectors in rows.values() for selector in selectors}
        rules = self._about(named, set(elements.values()))
        rules.order()
        told: dict[_Element, dict[str, str]] = {}
        for row, selectors in sorted(rows.items()):
            element = elements[row]
            if element not in told:
                told[element] = rules.declared(element, {selector.key for selector in selectors})
            yield row, told[element]

    def _hidden_rows(self, holds: bytearray) -> dict[int, list[Selector]]:
        """Return the rows, of those in a mask, that a simple rule may hide by itself, each with such selectors."""
        found: dict[int, list[Selector]] = {}
        by_name: dict[str, list[Selector]] = {}
        for selector in self._selectors_for(holds):
            by_name.setdefault(selector.key, []).append(selector)
        for row, named in _named(self.page, by_name, holds):
            element = self._element(row)
            fitting = [selector for selector in named if selector.fits(element)]
            if fitting:
                found.setdefault(row, []).extend(fitting)
        return found

    def _selectors_for(self, holds: bytearray) -> list[Selector]:
        """Return the simple selectors of rules that may hide rows of a mask."""
        found: list[Selector] = []
        blocks = kernel.page.visibility.hiding_blocks(self.css, self.page, holds, MAX_RULES)
        for head, begin, around, end, is_plain in blocks:
            if self._case(around) != "":
                continue
            if begin not in self._hiding:
                selectors = [each for each in map(_simple, self._selectors(head, begin)) if each]
                hides = selectors and (is_plain or may_hide(look_of(self._declarations(begin, end))))
                self._hiding[begin] = selectors if hides else []
            found += self._hiding[begin]
        return list(dict.fromkeys(found))[:MAX_RULES]

    def _element(self, row: int) -> _Element:
        if row not in self._elements:
            self._elements[row] = _element(self.page, row)
        return self._elements[row]

    def _declarations(self, begin: int, end: int) -> dict[str, str]:
        """Return the declarations of a block."""
        if begin not in self._declared:
            self._declared[begin] = declarations(_text(self.css[begin + 1 : end]))
        return self._declared[begin]

    def _about(self, keys: set[str], elements: set[_Element]) -> _Rules:
        """Return the rules for some elements, which are searched by some names.

        These are the simple rules that match elements or have one of the names, and the properties that other rules for
        these names set.
        """
        rules = _Rules()
        names = keys.union(*map(_names_of, elements))
        tags = {"", *(element[0] for element in elements)}
        for selectors, begin, around, named in self._naming(keys, names, tags):
            case = self._case(around)
            said: dict[str, str] | None = None
            for selector in selectors if case is not None else ():
                simple = _simple(selector) if case == "" else None
                if simple is None:
                    about = named & keys & _last_names(selector)
                    if not about:
                        continue
                elif keys.isdisjoint(simple.names) and (simple.tag not in tags or not simple.names <= names):
                    continue
                if said is None:
                    said = self._declarations(begin, self.css.find(b"}", begin))
                if simple is not None:
                    rules.simple.append((simple, said))
                    continue
                for name in about:
                    rules.conditional.setdefault(name, set()).update(said)
        return rules

    def _naming(self, keys: set[str], names: set[str], tags: set[str]) -> list[tuple[list[str], int, int, set[str]]]:
        """Return the selectors for keys, and simple ones for names or elements, with their rules and the names.

        Each name is in the last part of its selector.
        """
        words: dict[bytes, set[str]] = {}
        for name in names:
            if word := name.lstrip(".#").encode():
                words.setdefault(word, set()).add(name)
        looked_for, elements = {name.lstrip(".#").encode() for name in keys}, {tag.encode() for tag in tags if tag}
        return kernel.page.visibility.naming_blocks(self.css, looked_for, words, elements, MAX_RULES)

    def _selectors(self, start: int, begin: int) -> list[str]:
        """Return the selectors from a position up to the block of their rule."""
        head = self.css[start:begin].strip()
        return [] if head.startswith(b"@") else [each.strip() for each in _text(head).split(",")]

    def _case(self, block: int) -> str | None:
        """Return the condition of the rules in a block: "" for every screen, None if no reader meets it."""
        if block not in self._cases:
            start = max(self.css.rfind(each, 0, block) for each in (b"{", b"}", b";")) + 1
            rule, _, case = _text(self.css[start:block]).strip().lower().partition(" ")
            self._cases[block] = "" if rule == "@media" and _is_screen(case) else case or rule
            if rule.endswith("keyframes") or rule in ("@font-face", "@page") or case.strip() == "print":
                self._cases[block] = None
        return self._cases[block]


def _text(css: bytes) -> str:
    return css.decode("utf-8", "replace")


def _simple(selector: str) -> Selector | None:
    """Return a selector if it is simple, otherwise None."""
    found = _SELECTOR.fullmatch(selector)
    if found is None or not selector:
        return None
    tag, names = (found[1] or "").lower(), _NAMES.findall(found[2])
    classes = tuple([name for mark, name in names if mark == "."])
    ids = [name for mark, name in names if mark == "#"]
    if len(ids) > 1:
        return None
    key = f"#{ids[0]}" if ids else f".{classes[0]}" if classes else tag
    return Selector(tag, classes, ids[0] if ids else "", frozenset(map("".join, names)), key)


def _last_names(selector: str) -> set[str]:
    """Return the names in the last part of a selector, which matches the elements."""
    last = _COMBINATORS.split(selector)[-1]
    if _PSEUDO_ELEMENT.search(last):  # it is not part of the element's content
        return set()
    element = _ELEMENT.match(last)
    return {mark + name for mark, name in _NAMES.findall(last)} | ({element[0].lower()} if element else set())


def may_hide(said: Look) -> bool:
    """Whether an element with this look may be hidden."""
    return (
        said.way != SHOWN
        or said.visible is False
        or said.has_size is False
        or (said.colour is not None and (said.colour[3] < MIN_OPACITY or _is_same(said.colour, said.background)))
    )


def _is_same(text: Colour, behind: Colour | str | None) -> bool:
    return isinstance(behind, tuple) and looks_same(text, behind)
