"""Formulas: TeX if the page contains it, plain characters for MathML without TeX."""

import re

import numpy as np

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TEXT, tag_ids
from pagesieve.page.table import Bools, Page
from pagesieve.text.whitespace import fold

_SCRIPTS = {TAG_ID["msup"]: "^", TAG_ID["msub"]: "_", TAG_ID["mover"]: "^", TAG_ID["munder"]: "_"}
_BOTH_SCRIPTS = tag_ids("msubsup munderover")
_LEFT_OUT = tag_ids("annotation annotation-xml mphantom none mprescripts")
_ROWS = tag_ids("mtr mtable")
_SPACED = frozenset("=<>≤≥≠≈→∈⊂×+−±∧∨⇒⇔")
# Signs that are there for the ear alone: "f applied to x", "a times b".
_UNHEARD = {0x2061: " ", 0x2062: None, 0x2063: None, 0x2064: None}
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # without a shape outside of the font of a page, as in any other text


def formula(page: Page, row: int) -> tuple[str, bool]:
    """Return a formula in its written form, and whether it is TeX; TeX is between dollar signs."""
    if page.tag[row] == TAG_ID["script"]:
        tex, display = fold(page.text(row)), "display" in (page.attribute(row, "type") or "")
    else:
        tex, display = _tex_of(page, row), page.attribute(row, "display") == "block"
        if not tex:
            return _linear(page, row), False
    tex = inert(_PRIVATE.sub("", tex))
    sign = "$$" if display else "$"
    return (f"{sign}{tex}{sign}", True) if tex else ("", True)


def _tex_of(page: Page, row: int) -> str:
    """Return the TeX in the annotation of a formula, or an empty string."""
    for inner in range(row + 1, int(page.end[row])):
        if page.tag[inner] == TAG_ID["annotation"]:
            encoding = (page.attribute(inner, "encoding") or "").lower()
            if "tex" in encoding:
                return _bare(fold(page.text(inner)))
    return ""


def _bare(tex: str) -> str:
    """Return TeX without the style that a converter wrapped it in."""
    wrapper = "{\\displaystyle "
    return tex[len(wrapper) : -1].strip() if tex.startswith(wrapper) and tex.endswith("}") else tex


def _linear(page: Page, row: int) -> str:
    """Return a formula in one line: fractions with a slash, raised and lowered parts after ^ and _."""
    texts: dict[int, str] = {}
    # Rows below come first, so what a row is made of is written when its turn comes.
    for inner in range(int(page.end[row]) - 1, row - 1, -1):
        tag = int(page.tag[inner])
        if tag == TEXT:
            texts[inner] = _text(page, inner)
        elif tag not in _LEFT_OUT:
            texts[inner] = _join(tag, _parts(page, inner, texts))
    return fold(texts[row])


def _text(page: Page, row: int) -> str:
    """Return a text; the blanks around words between formulas matter, those of the source do not."""
    text = _PRIVATE.sub("", page.text(row).translate(_UNHEARD))
    if page.tag[page.parent[row]] == TAG_ID["mtext"]:
        return " ".join(text.replace("\xa0", " ").split(" "))
    return fold(text) or " " * (text == " ")


def _parts(page: Page, row: int, texts: dict[int, str]) -> list[str]:
    parts, inner = [], row + 1
    while inner < page.end[row]:
        if texts.get(inner):
            parts.append(texts[inner])
        inner = int(page.end[inner])
    return parts


def _join(tag: int, parts: list[str]) -> str:
    if len(parts) == 2 and tag == TAG_ID["mfrac"]:
        return f"{_group(parts[0])}/{_group(parts[1])}"
    if len(parts) == 2 and tag in _SCRIPTS:
        return f"{parts[0]}{_SCRIPTS[tag]}{_group(parts[1])}"
    if len(parts) == 3 and tag in _BOTH_SCRIPTS:
        return f"{parts[0]}_{_group(parts[1])}^{_group(parts[2])}"
    if tag == TAG_ID["msqrt"]:
        return f"√{_group(''.join(parts))}"
    if len(parts) == 2 and tag == TAG_ID["mroot"]:
        return f"{_group(parts[1])}√{_group(parts[0])}"
    if tag == TAG_ID["mfenced"]:
        return f"({', '.join(parts)})"
    if tag in _ROWS:
        return ", ".join(parts)
    text = "".join(parts)
    return f" {text} " if tag == TAG_ID["mo"] and text in _SPACED else text


def _group(part: str) -> str:
    return part if len(part) == 1 or part.isalnum() else f"({part.strip()})"


def formula_copies(page: Page) -> bytes:
    """Mark the rows that are the rendered copy of an adjacent formula, as KaTeX and MathJax write it."""
    copies = np.zeros(len(page), dtype=np.bool_)
    for row in page.rows("script").tolist():
        if (page.attribute(row, "type") or "").startswith("math/tex"):
            for copy in _typeset_before(page, row):
                copies[copy : page.end[copy]] = True
    _mark_hidden_copies(page, copies)
    return copies.tobytes()


def _typeset_before(page: Page, row: int) -> list[int]:
    """Return the elements that MathJax inserted right before a formula's script."""
    rows: list[int] = []
    before = row - 1
    while before > page.parent[row]:
        while page.parent[before] != page.parent[row]:
            before = int(page.parent[before])
        if page.tag[before] != TEXT:
            if "MathJax" not in (page.attribute(before, "class") or ""):
                break
            rows.append(before)
        elif page.chars[before]:
            break
        before -= 1
    return rows


def _mark_hidden_copies(page: Page, copies: Bools) -> None:
    """Mark the rows hidden from screen readers next to a formula that is not."""
    maths = np.concatenate(([0], np.cumsum(page.tag == TAG_ID["math"])))
    places = np.flatnonzero(page.attribute_name == ATTRIBUTE_ID["aria-hidden"])
    for row in (np.searchsorted(page.attribute_at, places, side="right") - 1).tolist():
        above, end = int(page.parent[row]), int(page.end[row])
        beside = maths[page.end[above]] - maths[above]
        if beside and maths[end] == maths[row] and page.attribute(row, "aria-hidden") == "true":
            copies[row:end] = True


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
