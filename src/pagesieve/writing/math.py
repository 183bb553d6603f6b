"""Formulas: TeX if the page contains it, plain characters for MathML without TeX."""

import re

import numpy as np

from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TEXT, tag_ids
from pagesieve.page.table import Bools, Page
from pagesieve.text.whitespace import fold
from pagesieve.writing.tex import inert

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
