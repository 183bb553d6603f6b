"""Code: its language, and the line numbers that highlighters put beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.page.kernel.tags import tag_ids
from pagesieve.page.table import Page

_CODE = tag_ids("code kbd samp tt")

_GUTTER = re.compile(
    r"\b(?:gutter|gl|ln[tr]?|line-?nos?|line-?num(?:ber)?s?|linenodiv|nums?|blob-num)\b", re.IGNORECASE
)
_LANGUAGE_NAME = re.compile(r"[a-z][\w+#.-]{0,19}", re.ASCII)
_PREFIX = re.compile(r"(?:language|lang|highlight-source|highlight-text|highlight|brush|src)[-:_](.+)")
_NO_LANGUAGE = frozenset("none plain plaintext text txt nohighlight default source console-output wrapper lang".split())
# Names that stand for a language when they are a class of their own, beside a highlighter's.
_LANGUAGES = frozenset(
    "asm bash batch c c# c++ clojure cmake cpp cs csharp css dart diff docker dockerfile elixir elm erlang fortran "
    "fsharp go golang graphql groovy haskell hcl html http ini java javascript js json jsx julia kotlin latex less "
    "lisp lua makefile markdown matlab nginx nim nix objc objectivec ocaml pascal perl php powershell prolog proto "
    "protobuf ps1 py pycon python python3 r rb ruby rs rust sass scala scheme scss sh shell solidity sql svelte swift "
    "tcl terraform tex toml ts tsx typescript vb vbnet verilog vhdl vim vue xml yaml yml zig zsh".split()
)
_HIGHLIGHTERS = frozenset(
    "brush: code codehilite crayon highlight hljs prettyprint sourcecode syntaxhighlighter".split()
)
_NAMING = ("data-lang", "data-language", "data-enlighter-language", "data-code-language")


def is_gutter(page: Page, row: int) -> bool:
    """Whether a row holds nothing but the line numbers beside a piece of code."""
    if page.attribute_at[row] == page.attribute_at[row + 1]:
        return False
    if not _GUTTER.search(page.attribute(row, "class") or ""):
        return False
    text = "".join(page.text(row).split())
    return not text or (text.isascii() and text.isdigit())


def language(page: Page, row: int) -> str:
    """Return the language of a piece of code, from itself, the code element in it, or the three elements around it."""
    below = page.tag[row + 1 : min(row + 4, int(page.end[row]))].tolist()
    inner = [row + 1 + number for number, tag in enumerate(below) if tag in _CODE]
    for candidate in (row, *inner):
        named = _named(page.attributes(candidate), own=True)
        if named:
            return named
    for _ in range(3):
        row = int(page.parent[row])
        if row <= 0:
            break
        named = _named(page.attributes(row), own=False)
        if named:
            return named
    return ""


def _named(found: dict[str, str], own: bool) -> str:
    """Return the language that an element's attributes name; `own` where the element is the code itself."""
    return next(filter(None, map(_checked, _names(found, own))), "")


def _names(found: dict[str, str], own: bool) -> Iterator[str]:
    yield from (found[name] for name in _NAMING if name in found)
    words = [word.rstrip(";").lower() for word in found.get("class", "").split()]
    yield from (match[1] for word in words if (match := _PREFIX.fullmatch(word)))
    if own or not _HIGHLIGHTERS.isdisjoint(words):
        yield from (word for word in words if word in _LANGUAGES)
    if own and found.get("lang", "").lower() in _LANGUAGES:
        yield found["lang"]


def _checked(name: str) -> str:
    name = name.strip().lower()
    return name if _LANGUAGE_NAME.fullmatch(name) and name not in _NO_LANGUAGE else ""
