"""What simple rules in the `style` elements of a page say of its elements, as far as it may hide them.

Simple selectors only: an element, classes and an id, in lists. Rules in `@media` count where they are for screens of
any size. A property that another rule sets under some condition (`.open .panel`, `.panel.open`, `:hover`, `:target`)
is one that a reader or a script changes, and what a simple rule says of it does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID
from pagesieve.page.styles import LEAST_OPACITY, SHOWN, Colour, Look, declarations, look, looks_same

if TYPE_CHECKING:
    from pagesieve.page.table import Page

MOST_CSS = 500_000  # bytes of style sheets that are read
KEPT_SHEETS = 32  # of which the rules that hide are remembered
MOST_RULES = 500  # that may hide something

_STYLE = TAG_ID["style"]
_CLASS, _ID = ATTRIBUTE_ID["class"], ATTRIBUTE_ID["id"]
_OPEN, _CLOSE = b"{}"
_COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SELECTOR = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#]-?[_a-zA-Z][\w-]*)*)")
_HAS_SIMPLE = re.compile(rb"(?:^|,)\s*[\w.#-]+\s*(?:,|$)")
_NAMES = re.compile(r"([.#])(-?[_a-zA-Z][\w-]*)")
_SCREEN = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)\s*")


@dataclass(frozen=True, slots=True)
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

    @property
    def names(self) -> set[str]:
        """The names of classes and the id, as they are written in selectors."""
        return {f".{name}" for name in self.classes} | ({f"#{self.id}"} if self.id else set())

    def fits(self, page: Page, row: int) -> bool:
        if self.tag and page.tag_name(row) != self.tag:
            return False
        if self.id and page.attribute(row, "id") != self.id:
            return False
        return not self.classes or set(self.classes) <= set((page.attribute(row, "class") or "").split())


@dataclass(slots=True)
class _Rules:
    """The rules of a page about some names."""

    simple: list[tuple[_Selector, dict[str, str]]] = field(default_factory=list)
    conditional: dict[str, set[str]] = field(default_factory=dict)  # by name, the properties set under a condition


def rules_of(page: Page, has_text: Callable[[int], bool]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows with text that a simple rule may hide, each with the declarations of all simple rules about it."""
    css = _style_sheets(page)
    if not css:
        return
    sheet = _read(css)
    rows = _rows(page, sheet.hiding, has_text)
    if not rows:
        return
    rules = sheet.about({selector.key for selectors in rows.values() for selector in selectors})
    by_weight = sorted(rules.simple, key=lambda rule: rule[0].weight)
    for row, selectors in sorted(rows.items()):
        said: dict[str, str] = {}
        keys = {selector.key for selector in selectors}
        changing = {name for key in keys for name in rules.conditional.get(key, ())}
        for selector, declared in by_weight:
            if selector.fits(page, row):
                said |= declared
            elif keys & selector.names:
                changing |= declared.keys()
        yield row, {name: value for name, value in said.items() if name not in changing}


def _style_sheets(page: Page) -> bytes:
    """Return the text of the `style` elements that are for screens, without comments."""
    found = []
    for row in np.flatnonzero(page.tag == _STYLE).tolist():
        media = page.attribute(row, "media")
        if media and media.strip().lower() not in ("all", "screen"):
            continue
        if page.attribute(row, "amp-boilerplate") is None:
            found.append(page.text_buffer[page.text_at[row] : page.text_at[page.end[row]]])
    css = b"\n".join(found)[:MOST_CSS]
    return _COMMENT.sub(b" ", css) if b"/*" in css else css


def _rows(page: Page, selectors: list[_Selector], has_text: Callable[[int], bool]) -> dict[int, list[_Selector]]:
    """Return the rows with text that fit some selectors, each with those selectors."""
    by_name: dict[str, list[_Selector]] = {}
    for selector in selectors:
        by_name.setdefault(selector.key, []).append(selector)
    found: dict[int, list[_Selector]] = {}
    for row, name in _named(page, by_name):
        for selector in by_name[name]:
            if has_text(row) and selector.fits(page, row):
                found.setdefault(row, []).append(selector)
    return found


def _named(page: Page, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the rows with each of some names, which are written as in selectors."""
    for mark, attribute in ((".", _CLASS), ("#", _ID)):
        words = {kernel.derive.digest(name[1:].encode()): name for name in names if name.startswith(mark)}
        if words:
            for row, digest in kernel.suspects.word_rows(page, attribute, hash_table(words.values())):
                yield row, words[digest]
    for name in names:
        if name[0] not in ".#":
            yield from ((row, name) for row in page.rows(name).tolist())


@lru_cache(maxsize=KEPT_SHEETS)
def _read(css: bytes) -> _Sheet:
    return _Sheet(css)


class _Sheet:
    """A style sheet, and where its blocks begin and end. The pages of a site have it in common, so it is kept."""

    def __init__(self, css: bytes) -> None:
        self.css = css
        self._codes = np.frombuffer(css, dtype=np.uint8)

    @cached_property
    def hiding(self) -> list[_Selector]:
        """The simple selectors of rules that may hide something."""
        found: list[_Selector] = []
        count = 0
        for head, begin, end in kernel.style_sheets.hiding_blocks(self._codes):
            if not _HAS_SIMPLE.search(self.css[head:begin]):
                continue
            selectors = [each for each in map(_simple, self._selectors(head, begin)) if each]
            if selectors and may_hide(look(_text(self.css[begin + 1 : end]))):
                count += 1
                found += selectors
            if count == MOST_RULES:
                break
        return found

    def about(self, names: Iterable[str]) -> _Rules:
        """Return the rules about some names: the simple ones, and what others set."""
        rules, seen = _Rules(), set[int]()
        for name in names:
            for begin in self._blocks_of(name):
                said = declarations(_text(self.css[begin + 1 : self.css.find(b"}", begin)]))
                head = max(self.css.rfind(each, 0, begin) for each in (b"}", b"{", b";")) + 1
                for selector in self._selectors(head, begin):
                    simple = _simple(selector)
                    if simple is None:
                        if _names(selector, name):
                            rules.conditional.setdefault(name, set()).update(said)
                    elif begin not in seen:
                        rules.simple.append((simple, said))
                seen.add(begin)
        return rules

    def _blocks_of(self, name: str) -> Iterator[int]:
        """Yield where the blocks of rules begin whose selectors have a name."""
        word, css, at = name.encode(), self.css, 0
        for _ in range(MOST_RULES):
            at = css.find(word, at)
            if at < 0:
                return
            begin, end = css.find(b"{", at), css.find(b"}", at)
            if begin >= 0 and (begin < end or end < 0):
                yield begin
                at = begin
            at += 1

    def _selectors(self, start: int, begin: int) -> list[str]:
        """Return the selectors from a place up to the block of their rule; none where it is for some cases only."""
        head = self.css[start:begin].strip()
        if head.startswith(b"@") or not self._is_for_all(start):
            return []
        return [each.strip() for each in _text(head).split(",")]

    def _is_for_all(self, place: int) -> bool:
        """Whether a place is outside of all blocks, or in one for screens."""
        opens, closes, tops = self._braces
        depth = int(opens.searchsorted(place) - closes.searchsorted(place))
        if depth <= 0:
            return True
        if depth > 1:
            return False
        opened = int(tops[tops.searchsorted(place) - 1])
        start = max(self.css.rfind(each, 0, opened) for each in (b"{", b"}", b";")) + 1
        return _SCREEN.fullmatch(_text(self.css[start:opened]).strip().lower()) is not None

    @cached_property
    def _braces(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The places of opening braces, of closing ones, and of those that open a block outside of all others."""
        opens, closes = np.flatnonzero(self._codes == _OPEN), np.flatnonzero(self._codes == _CLOSE)
        outside = np.arange(len(opens)) == closes.searchsorted(opens)
        return opens, closes, opens[outside]


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


def _names(selector: str, name: str) -> bool:
    """Whether a selector is about what has a name: it stands in the last part."""
    last = re.split(r"[\s>+~]+", selector)[-1]
    return re.search(re.escape(name) + r"(?![\w-])", last) is not None


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


def hash_table(words: Iterable[str]) -> NDArray[np.uint64]:
    """Return the digests of words, which may begin with a mark of selectors, as the kernel looks them up."""
    digests = [kernel.derive.digest(word.lstrip(".#").encode()) for word in words]
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
