"""The strings on which a pattern may take longest, derived from the pattern itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any, NamedTuple

from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # isort: skip

LONG = 9  # repetitions: a repeat of fewer costs little
MAX_LETTERS = 8  # that are told apart by what of the pattern they match
MAX_PLACES = 10  # repeats of a pattern that are looked at
POOL = "aZ0 \n-_.,:;/\\\"'<>()[]{}=&#%@+*|é中½\u3000\x00"
UNITS = 32  # that there are in any case
FAILING = ("", "\x00")  # what stands after a run: nothing, or what hardly any pattern goes on with

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_LETTERS = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY)

Form = Callable[[int], str]  # a string of so many units; where they are many, of so many characters


class _Place(NamedTuple):
    """A repeat of a pattern: the shortest string that leads to it, and strings that it repeats."""

    before: str
    bodies: tuple[str, ...]


class WorstStrings:
    """What a pattern is tried with: runs of what each of its repeats takes, behind what leads there."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self._tree = _parser.parse(pattern.pattern, pattern.flags)
        self._is_of_bytes = isinstance(pattern.pattern, bytes)

    def forms(self) -> Iterator[Form]:
        """Yield the strings of any size, each once."""
        seen = set()
        for before, unit, between, other in self._runs():
            for end in FAILING:
                if (before, unit, between, other, end) not in seen:
                    seen.add((before, unit, between, other, end))
                    yield self._form(before, unit, between, other, end)

    def _form(self, before: str, unit: str, between: str, other: str, end: str) -> Form:
        def make(size: int) -> str:
            if not other:
                return before + unit * _count(size, unit) + end
            return before + unit * _count(size // 2, unit) + between + other * _count(size // 2, other) + end

        return make

    def _runs(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield what stands before a run, what is repeated in it, what follows, and a second run."""
        letters = self._telling
        for letter in letters:
            yield "", letter, "", ""
        for one, two in product(letters[:4], repeat=2):
            yield "", one + two, "", ""
        whole = self._example(self._tree)
        if whole:
            yield "", whole, "", ""
        places = list(dict.fromkeys(islice(self._places(self._tree, ""), MAX_PLACES)))
        for before, bodies in places:
            for body in bodies:
                yield before, body, "", ""
                if before:
                    yield "", before + body, "", ""
                    yield "", before, "", ""
                    yield "", before + body * LONG, "", ""
        for first, second in combinations(places, 2):
            if second.before.startswith(first.before):
                between = second.before[len(first.before) :]
                yield first.before, first.bodies[0], between, second.bodies[0]

    @cached_property
    def _letters(self) -> list[re.Pattern[Any]]:
        """The parts of the pattern that match one letter, each as a pattern."""
        found = {repr(node): node for node in _walk(self._tree) if node[0] in _LETTERS}
        return [self._compiled([node]) for node in found.values()]

    @cached_property
    def _pool(self) -> str:
        """Letters that may be told apart: some of every sort, and those that the pattern names."""
        named = []
        for kind, value in _walk(self._tree):
            for each, given in value if kind == _constants.IN else [(kind, value)]:
                if each in (_constants.LITERAL, _constants.NOT_LITERAL):
                    named.append(chr(given))
                elif each == _constants.RANGE:
                    named.extend(map(chr, given))
        most = "\xff" if self._is_of_bytes else "\U0010ffff"
        return "".join(letter for letter in dict.fromkeys(POOL + "".join(named)) if letter <= most)

    @cached_property
    def _telling(self) -> list[str]:
        """One letter of each sort, those first that match most of the pattern."""
        sorts: dict[tuple[bool, ...], str] = {}
        for letter in self._pool:
            sorts.setdefault(tuple(self._matches(node, letter) for node in self._letters), letter)
        return [letter for _, letter in sorted(sorts.items(), key=lambda pair: -sum(pair[0]))][:MAX_LETTERS]

    def _matches(self, node: re.Pattern[Any], text: str) -> bool:
        return node.fullmatch(text.encode("latin-1") if self._is_of_bytes else text) is not None

    def _compiled(self, nodes: list[Any]) -> re.Pattern[Any]:
        part = _parser.SubPattern(self._tree.state, nodes)
        made: re.Pattern[Any] = _compiler.compile(part, self._tree.state.flags)
        return made

    def _places(self, nodes: Any, before: str) -> Iterator[_Place]:
        """Yield the long repeats of some nodes, with what leads to them from the beginning of the pattern."""
        for node in nodes:
            kind, value = node
            if kind in _REPEATS:
                _, most, body = value
                if most == _constants.MAXREPEAT or most >= LONG:
                    yield _Place(before, self._bodies(body))
                yield from self._places(body, before)
            else:
                for part in _parts(kind, value):
                    yield from self._places(part, before)
            before += self._example([node])

    def _bodies(self, body: Any) -> tuple[str, ...]:
        """Return strings that a repeat takes once: letters of several sorts where it takes one of them."""
        if len(body) == 1 and body[0][0] in _LETTERS:
            node = self._compiled(list(body))
            letters = [letter for letter in self._telling if self._matches(node, letter)][:3]
            return tuple(letters) or (self._example(body),)
        found = [self._example(body)]
        for kind, value in body:
            found.extend(self._example(part) for part in _parts(kind, value))
        return tuple(dict.fromkeys(filter(None, found)))[:4] or ("a",)

    def _example(self, nodes: Any) -> str:
        """Return a short string that some nodes match, as far as that is told without what stands around."""
        return "".join(self._example_of(kind, value) for kind, value in nodes)

    def _example_of(self, kind: Any, value: Any) -> str:
        if kind == _constants.LITERAL:
            return chr(value)
        if kind in _LETTERS:
            node = self._compiled([(kind, value)])
            return next((letter for letter in self._telling + list(self._pool) if self._matches(node, letter)), "")
        if kind in _REPEATS:
            least, _, body = value
            return self._example(body) * min(int(least), 40)
        if kind == _constants.ASSERT:
            return self._example(value[1]) if value[0] < 0 else ""
        parts = _parts(kind, value)
        return self._example(parts[0]) if parts else ""


def _count(size: int, unit: str) -> int:
    return max(min(size, UNITS), size // len(unit))


def _walk(nodes: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all nodes, and those below them."""
    for kind, value in nodes:
        yield kind, value
        for part in [value[2]] if kind in _REPEATS else _parts(kind, value):
            yield from _walk(part)


def _parts(kind: Any, value: Any) -> list[Any]:
    """Return the alternatives below a node that is neither a letter nor a repeat."""
    if kind == _constants.BRANCH:
        return list(value[1])
    if kind == _constants.SUBPATTERN:
        return [value[3]]
    if kind == _constants.ATOMIC_GROUP:
        return [value]
    if kind in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [value[1]]
    if kind == _constants.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    return []
