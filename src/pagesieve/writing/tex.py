"""Make the TeX of formulas safe: remove commands that reach beyond a formula, and make it harmless in Markdown."""

import re

# What engines make links, attributes, styles and downloads of: how many arguments each has before the one that shows.
_REACHING = {
    "href": 1, "url": 0, "class": 1, "cssId": 1, "style": 1, "data": 1, "htmlClass": 1, "htmlId": 1, "htmlStyle": 1,
    "htmlData": 1, "mmlToken": 1, "bbox": 0, "require": 1, "includegraphics": 1, "unicode": 1,
}  # fmt: skip
_WITH_OPTIONS = frozenset(("mmlToken", "bbox", "includegraphics", "unicode"))  # [in brackets]
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.|$)", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTIONS = re.compile(r"\s*\[[^\]]*\]")
_BLANKS = re.compile(r"\s*")
# Where Markdown without formulas would read markup: an element, an entity, the address of a link.
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w{1,31};)|\](?=\()")


def inert(tex: str) -> str:
    r"""Return TeX without `\href` and its like: the text of a link stays, its address goes.

    A backslash at the end would escape the sign that ends the formula, and is removed too.
    """
    parts: list[str] = []
    done = at = 0
    while match := _COMMAND.search(tex, at):
        at = match.end()
        if match[1] in _REACHING:
            parts.append(tex[done : match.start()])
            done = at = _after_arguments(tex, at, match[1])
            if tex[done : done + 1].isalpha():  # it may not become part of the command before
                parts.append(" ")
    parts.append(tex[done:])
    left = "".join(parts).strip()
    is_cut = (len(left) - len(left.rstrip("\\"))) % 2
    return left[:-1].rstrip() if is_cut else left


def _after_arguments(tex: str, at: int, command: str) -> int:
    """Return the end of the arguments of a command."""
    for _ in range(_REACHING[command]):
        at = _after_options(tex, at, command)
        at = _after_group(tex, at)
    return _after_options(tex, at, command)


def _after_options(tex: str, at: int, command: str) -> int:
    match = _OPTIONS.match(tex, at) if command in _WITH_OPTIONS else None
    return match.end() if match else at


def _after_group(tex: str, at: int) -> int:
    """Return the end of an argument: a group in braces, a command or a single character."""
    start = _BLANKS.match(tex, at).end()  # type: ignore[union-attr]
    if not tex.startswith("{", start):
        command = _COMMAND.match(tex, start)
        return command.end() if command else start + 1
    depth = 0
    for brace in _BRACE.finditer(tex, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return brace.end()
    return len(tex)


def in_markdown(formula: str) -> str:
    """Return an equivalent formula that Markdown, with or without support for formulas, never reads as markup.

    Blanks mean nothing in a formula, so a blank separates characters that would be markup together. A backtick could
    end a code span elsewhere, whose text would then be markup: it is a quotation mark in TeX, and written as one.
    """
    return _MARKUP.sub(r"\g<0> ", formula).replace("`", "‘")
