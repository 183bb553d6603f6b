"""The inside of a line: texts, marks around them, and things that stand among them.

A run is a list of pieces in reading order. Marks open and close like brackets; `tidy` folds the blanks across
pieces, so that no writer has to think about them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Soft hyphens, zero-width spaces and joiners of lines, byte order marks; and control characters.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1b\x7f]")


@dataclass(frozen=True, slots=True)
class Mark:
    """Opens or closes what is said of the pieces between: strong, em, strike, sup, sub, link."""

    kind: str
    opens: bool
    url: str = ""


@dataclass(frozen=True, slots=True)
class Break:
    """A line ends here, the paragraph goes on."""


@dataclass(frozen=True, slots=True)
class InlineCode:
    """A piece of code within a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Math:
    """A formula as TeX, or as plain signs where the page has no TeX."""

    text: str
    tex: bool
    display: bool


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its address and the words that stand in for it."""

    url: str
    alt: str


Piece = str | Mark | Break | InlineCode | Math | Image
Run = list[Piece]


def clean(text: str) -> str:
    """A text without characters that are not to be seen."""
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """A text with every run of blanks folded into one space, none at its ends."""
    return " ".join(clean(text).split())


def tidy(run: Run) -> Run:
    """The run with its blanks folded, no blanks just inside a mark, no empty marks, no breaks at its ends."""
    tidied: Run = []
    blank, begun = False, False  # a blank is due; something stands on this line already
    for piece in run:
        if isinstance(piece, str):
            cleaned = clean(piece)
            words = " ".join(cleaned.split())
            if not words:
                blank = blank or bool(cleaned)
                continue
            if (blank or cleaned[0].isspace()) and begun:
                _put_blank(tidied)
            tidied.append(words)
            blank, begun = cleaned[-1].isspace(), True
        elif isinstance(piece, Mark):
            tidied.append(piece)
        elif isinstance(piece, Break):
            tidied.append(piece)
            blank, begun = False, False
        else:
            if blank and begun:
                _put_blank(tidied)
            tidied.append(piece)
            blank, begun = False, True
    return _trim(_without_empty_marks(tidied))


def _put_blank(run: Run) -> None:
    """A space at the end of the run, but before the marks that have just opened."""
    at = len(run)
    while at and isinstance(piece := run[at - 1], Mark) and piece.opens:
        at -= 1
    run.insert(at, " ")


def _without_empty_marks(run: Run) -> Run:
    """Drops marks around nothing, and a mark that closes only to open again."""
    kept: Run = []
    for piece in run:
        last = kept[-1] if kept else None
        if isinstance(piece, Mark) and isinstance(last, Mark) and _cancel(last, piece):
            kept.pop()
        else:
            kept.append(piece)
    return kept


def _cancel(last: Mark, mark: Mark) -> bool:
    if last.opens:
        return not mark.opens
    return mark.opens and mark.kind == last.kind and mark.kind != "link"


def _trim(run: Run) -> Run:
    start, end = 0, len(run)
    while start < end and isinstance(run[start], Break):
        start += 1
    while end > start and isinstance(run[end - 1], Break):
        end -= 1
    return run[start:end]


def is_empty(run: Run) -> bool:
    """Whether a tidied run shows nothing."""
    return all(isinstance(piece, Mark | Break) for piece in run)


_SUP = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUB = dict(zip("0123456789+-−=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓ", strict=True))
_SIGNS = {"sup": _SUP, "sub": _SUB}


def plain(run: Run, images: bool = False) -> str:
    """A tidied run as plain text; breaks become line ends."""
    out: list[str] = []
    raised: list[str] = []
    for piece in run:
        if isinstance(piece, str):
            out.append(_raise(piece, raised[-1]) if raised else piece)
        elif isinstance(piece, Mark):
            if piece.kind in _SIGNS:
                raised.append(piece.kind) if piece.opens else raised.pop()
        elif isinstance(piece, Break):
            out.append("\n")
        elif isinstance(piece, Image):
            out.append(f"[{piece.alt}]" if images and piece.alt else "")
        elif isinstance(piece, Math):
            out.append(f"${piece.text}$" if piece.tex else piece.text)
        else:
            out.append(piece.text)
    return "".join(out)


def _raise(text: str, kind: str) -> str:
    """Small digits and signs for superscripts and subscripts that have them; other text as it is."""
    signs = _SIGNS[kind]
    return "".join(signs[c] for c in text) if all(c in signs for c in text) else text
