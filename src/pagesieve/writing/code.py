"""Code: its text as it stands, its language, and what highlighters put beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.page.kernel.tags import BLOCK, TAG_ID, TEXT, tag_ids
from pagesieve.page.table import SEEN, Bools, Page
from pagesieve.text.whitespace import clean

CODE = tag_ids("code kbd samp tt")
PRE = tag_ids("pre listing xmp plaintext")

_BR = TAG_ID["br"]
# Line ends right inside of these are not shown: in code, and in what only holds code.
_TABLE_PARTS = tag_ids("table thead tbody tfoot tr")
_BOXES = _TABLE_PARTS | tag_ids("td div figure section article ol ul")
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


def verbatim(page: Page, row: int, kept: Bools) -> tuple[str, bool]:
    """The kept text below a row as it stands, and whether elements begin new lines in it.

    Blank texts are nobody's to select, and they hold the indentation: they are kept where they would be shown.
    """
    parts: list[str] = []
    end = int(page.end[row])
    hiding = _TABLE_PARTS if page.tag[row] in PRE or page.tag[row] in CODE else _BOXES
    tags, sorts, ends = (column[row:end].tolist() for column in (page.tag, page.tag_flags, page.end))
    closing: list[int] = []
    broken = False
    inner = 1
    while inner < end - row:
        while closing and closing[-1] <= row + inner:
            closing.pop()
            _new_line(parts)
        here = row + inner
        if tags[inner] == TEXT:
            text = clean(page.text(here)).replace("\xa0", " ")
            if kept[here] or (page.chars[here] == 0 and page.visibility[here] == SEEN):
                if kept[here] or "\n" not in text or int(page.tag[page.parent[here]]) not in hiding:
                    parts.append(text)
            elif page.visibility[here] == SEEN:
                parts.append(" ")  # what stands around a text left out is not run together
        elif tags[inner] == _BR:
            parts.append("\n")
            broken = True
        elif is_gutter(page, here):
            inner = ends[inner] - row
            continue
        elif sorts[inner] & BLOCK:
            _new_line(parts)
            closing.append(ends[inner])
            broken = True
        inner += 1
    if closing:
        _new_line(parts)
    return "".join(parts), broken


def _new_line(parts: list[str]) -> None:
    if not parts or not parts[-1].endswith("\n"):
        parts.append("\n")


def trimmed(text: str) -> str:
    """Code without blank lines around it and without blanks at the ends of its lines."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    first = next((number for number, line in enumerate(lines) if line), 0)
    return "\n".join(lines[first:])


def is_gutter(page: Page, row: int) -> bool:
    """Whether a row holds nothing but the line numbers beside a piece of code."""
    if page.attribute_at[row] == page.attribute_at[row + 1]:
        return False
    if not _GUTTER.search(page.attribute(row, "class") or ""):
        return False
    text = "".join(page.text(row).split())
    return not text or (text.isascii() and text.isdigit())


def is_code_table(page: Page, row: int, cells: list[int]) -> bool:
    """Whether a table only sets line numbers beside the lines of a piece of code."""
    gutters = sum(is_gutter(page, cell) for cell in cells)
    return gutters > 0 and len(cells) <= 3 * gutters and TAG_ID["th"] not in page.tag[row : page.end[row]]


def language(page: Page, row: int) -> str:
    """The language of a piece of code, from itself, the code element in it, or the three elements around it."""
    below = page.tag[row + 1 : min(row + 4, int(page.end[row]))].tolist()
    inner = [row + 1 + number for number, tag in enumerate(below) if tag in CODE]
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
    """The language that an element's attributes name; `own` where the element is the code itself."""
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
