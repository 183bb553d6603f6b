"""Formulas: TeX where the page carries it, plain signs where it has MathML alone."""

from __future__ import annotations

from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.page.table import Page
from pagesieve.text.whitespace import fold

_SCRIPTS = {TAG_ID["msup"]: "^", TAG_ID["msub"]: "_", TAG_ID["mover"]: "^", TAG_ID["munder"]: "_"}
_BOTH_SCRIPTS = tag_ids("msubsup munderover")
_LEFT_OUT = tag_ids("annotation annotation-xml mphantom none mprescripts")
_ROWS = tag_ids("mtr mtable")
_SPACED = frozenset("=<>≤≥≠≈→∈⊂×+−±∧∨⇒⇔")
# Signs that are there for the ear alone: "f applied to x", "a times b".
_UNHEARD = {0x2061: " ", 0x2062: None, 0x2063: None, 0x2064: None}


def tex_of(page: Page, row: int) -> str:
    """The TeX that a formula carries as its annotation, or nothing."""
    for inner in range(row + 1, int(page.end[row])):
        if page.tag[inner] == TAG_ID["annotation"]:
            encoding = (page.attribute(inner, "encoding") or "").lower()
            if "tex" in encoding:
                return _bare(fold(page.text(inner)))
    return ""


def _bare(tex: str) -> str:
    """TeX without the style that a converter wrapped it in."""
    wrapper = "{\\displaystyle "
    return tex[len(wrapper) : -1].strip() if tex.startswith(wrapper) and tex.endswith("}") else tex


def linear(page: Page, row: int) -> str:
    """A formula in one line: fractions with a slash, raised and lowered parts after ^ and _."""
    written: dict[int, str] = {}
    # Rows below come first, so what a row is made of is written when its turn comes.
    for inner in range(int(page.end[row]) - 1, row - 1, -1):
        tag = int(page.tag[inner])
        if tag == TEXT:
            written[inner] = _text(page, inner)
        elif tag not in _LEFT_OUT:
            written[inner] = _join(tag, _parts(page, inner, written))
    return fold(written[row])


def _text(page: Page, row: int) -> str:
    """A text; the blanks around words between formulas matter, those of the source do not."""
    text = page.text(row).translate(_UNHEARD)
    if page.tag[page.parent[row]] == TAG_ID["mtext"]:
        return " ".join(text.replace("\xa0", " ").split(" "))
    return fold(text) or " " * (text == " ")


def _parts(page: Page, row: int, written: dict[int, str]) -> list[str]:
    parts, inner = [], row + 1
    while inner < page.end[row]:
        if written.get(inner):
            parts.append(written[inner])
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
