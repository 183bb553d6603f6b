"""Every pattern costs twice as much for twice the text, whatever the text is made of."""

from __future__ import annotations

import ast
import gc
import importlib
import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pagesieve
from pagesieve.text import vocabulary
from pagesieve.text.patterns import Later
from tests.worst_strings import Form, WorstStrings

MAX_RATIO = 2.3
SHORT, SIZES = range(16, 33, 4), (128, 512, 4096)  # units of a string: the shorter ones for what doubles with each
SUSPICIOUS = 1.5  # times longer than in proportion: it is measured then,
ATTEMPTS = 8  # times at most,
LONG = 0.02  # and at larger sizes until it takes so many seconds
DOUBLING = 3  # times longer for four units more, and again for the next four: it would never end

FOLDER = Path(pagesieve.__file__).parent
METHODS = frozenset(("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"))
LOCALS = {"pagesieve.facts.next_part": {"numbers": {2, 17}}}  # of functions that make patterns

Calls = dict[str, dict[str, set[str]]]  # methods by the name that they are called of, by modules


class Use(NamedTuple):
    """A pattern, where it stands, and the methods that it is called by."""

    where: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


# Which patterns there are


def uses() -> Iterator[Use]:
    """Yield every pattern of the package; fails where one is made in a way that is not understood."""
    trees = {_module(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.rglob("*.py"))}
    calls = {name: called(tree) for name, tree in trees.items()}
    for name, tree in trees.items():
        for statement in tree.body if name != Later.__module__ else ():
            yield from _uses_of(name, statement, calls)


def _module(path: Path) -> str:
    return ".".join(("pagesieve", *path.relative_to(FOLDER).with_suffix("").parts)).removesuffix(".__init__")


def called(tree: ast.AST) -> dict[str, set[str]]:
    """Return the methods of patterns that a module calls, by the name of the pattern; "" where it is only named."""
    found: dict[str, set[str]] = {}
    nodes = list(ast.walk(tree))
    methods = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in METHODS}
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = node.id if isinstance(node, ast.Name) else node.attr
            found.setdefault(name, set()).add(methods.get(id(node), ""))
    return found


def _uses_of(module: str, statement: ast.stmt, calls: Calls) -> Iterator[Use]:
    """Yield the patterns that a statement of a module assigns, or has in functions."""
    made: list[Any] = [node for node in ast.walk(statement) if _is_call(node, {"compile"})]
    used: list[Any] = [node for node in ast.walk(statement) if _is_call(node, METHODS)]
    if not made and not used:
        return
    values = vars(importlib.import_module(module)) | LOCALS.get(module, {})
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        found = [(name, pattern) for name in names for pattern in patterns_in(values[name])]
        assert len(found) >= len(made), f"{module}:{statement.lineno}: a pattern that is not found"
        yield from (Use(f"{module}.{name}", each, methods_of(module, name, calls)) for name, each in found)
        made = []
    for node in [*made, *used]:
        methods = METHODS & {node.func.attr} or METHODS
        yield Use(f"{module}:{node.lineno}", _evaluated(node, values), methods)


def _is_call(node: ast.AST, names: frozenset[str] | set[str]) -> bool:
    """Whether a node is a call of a function of `re`, or makes a pattern that is compiled on first use."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "pattern" and "compile" in names
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr in names


def _evaluated(node: Any, values: dict[str, Any]) -> re.Pattern[Any]:
    """Return the pattern of a call."""
    function = ast.Attribute(node.func.value, "compile", ast.Load())
    arguments = node.args if node.func.attr == "compile" else node.args[:1]
    flags = [each for each in node.keywords if each.arg == "flags"]
    expression = ast.fix_missing_locations(ast.Expression(ast.Call(function, arguments, flags)))
    pattern = eval(compile(expression, "pattern", "eval"), values)
    assert isinstance(pattern, re.Pattern)
    return pattern


def patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in a value of a module: itself, or what it holds."""
    if isinstance(value, Later):
        yield value.compiled()
    elif isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | list | tuple | set | frozenset):
        for each in value.values() if isinstance(value, dict) else value:
            yield from patterns_in(each)


def methods_of(module: str, name: str, calls: Calls) -> frozenset[str]:
    """Return the methods that a pattern is called by; all where it is handed on. A private one has one module."""
    modules = [calls[module]] if name.startswith("_") else calls.values()
    methods = set().union(*(found.get(name, set()) for found in modules))
    return frozenset(methods) if methods and "" not in methods else METHODS


# What they cost


def slowest(pattern: re.Pattern[Any], methods: frozenset[str] = METHODS) -> tuple[float, str]:
    """Return how many times longer a pattern takes for twice the text, where that is too much, and the text."""
    work = _work(pattern, methods)
    for form in WorstStrings(pattern).forms():
        times = _growth(work, form)
        if times > MAX_RATIO:
            return times, repr(form(20))
    return 0.0, ""


def _work(pattern: re.Pattern[Any], methods: frozenset[str]) -> Callable[[str], object]:
    """Return what takes longest of what is done with a pattern."""
    at_start = frozenset(("match", "fullmatch"))
    name = "match" if methods <= at_start else "search" if methods <= at_start | {"search"} else "findall"
    work: Callable[[Any], object] = getattr(pattern, "fullmatch" if methods <= {"fullmatch"} else name)
    return (lambda text: work(text.encode("latin-1"))) if isinstance(pattern.pattern, bytes) else work


def _growth(work: Callable[[str], object], form: Form) -> float:
    """Return how many times longer twice the text takes, measured where it seems to take more than its share."""
    if _doubles(work, form):
        return inf
    for small, size in pairwise((SHORT[-1], *SIZES)):
        if _seconds(work, form(size)) > SUSPICIOUS * size / small * _seconds(work, form(small)):
            times = _measured(work, form, size)
            if times > MAX_RATIO:
                return times
    return 0.0


def _doubles(work: Callable[[str], object], form: Form) -> bool:
    """Whether a few units more take several times as long, and a few more as well."""
    times, before = 0, inf
    for size in SHORT:
        now = _seconds(work, form(size))
        is_much = now > DOUBLING * before and _ratio(work, form(size - SHORT.step), form(size), DOUBLING) > DOUBLING
        times, before = times + 1 if is_much else 0, now
        if times == 2:
            return True
    return False


def _measured(work: Callable[[str], object], form: Form, size: int) -> float:
    """Measure at this size, and at larger ones: a repeat that has a bound grows up to that."""
    while True:
        text, twice = form(size), form(2 * size)
        times = _ratio(work, text, twice, MAX_RATIO)
        if times <= MAX_RATIO or _seconds(work, twice) > LONG:
            return times
        size *= 2


def _ratio(work: Callable[[str], object], text: str, twice: str, most: float) -> float:
    """Return the best of some attempts: what grows too fast does so every time, a busy machine does not."""
    found = inf
    for _ in range(ATTEMPTS):
        found = min(found, _seconds(work, twice) / _seconds(work, text))
        if found <= most:
            break
    return found


def _seconds(work: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    work(text)
    return time.thread_time() - start


@pytest.fixture
def _uncollected() -> Iterator[None]:
    """No garbage is collected while something is measured."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_uncollected")
def test_twice_the_text_takes_twice_the_time() -> None:
    found = ((use.where, *slowest(use.pattern, use.methods)) for use in uses())
    slow = [f"{where}: {times:.1f} times, with {text}" for where, times, text in found if times]
    assert not slow, "\n".join(slow)


BAD = [
    (r"\s*;", "search"),
    (r"\d+x", "search"),
    (r"<[^>]*>", "sub"),
    (r"<!--.*?-->", "sub"),
    (r"a\s*b?\s*c", "match"),
    (r"\d+\.?\d*%", "fullmatch"),
    (r"(?:\s+-)+$", "search"),
    (r"(?:a+)+b", "match"),
    (rb"[\x80-\xff]+\.", "finditer"),
]


@pytest.mark.usefixtures("_uncollected")
@pytest.mark.parametrize(("pattern", "method"), BAD)
def test_what_takes_longer_is_noticed(pattern: str | bytes, method: str) -> None:
    assert slowest(re.compile(pattern), frozenset({method}))[0] > MAX_RATIO


LISTS = {name: words for name, words in vars(vocabulary).items() if name.isupper()}


@pytest.mark.parametrize("name", LISTS)
def test_words_are_patterns_without_groups(name: str) -> None:
    """So each list can be a part of any pattern."""
    entries = [entry for of_language in LISTS[name].values() for entry in of_language]
    assert entries
    assert all(re.compile(entry).groups == 0 for entry in entries)
    assert all(len(set(of_language)) == len(of_language) for of_language in LISTS[name].values())
    joined = re.compile(vocabulary.pattern_of(LISTS[name]))
    assert all(joined.fullmatch(entry) for entry in entries if entry.isalpha())
