"""The inside of a line: texts, marks around them, and things that stand among them.

A run is a list of pieces in reading order. Marks open and close like brackets; `tidy` folds the blanks across
pieces, so that no writer has to think about them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from pagesieve.text.whitespace import clean, fold


@dataclass(frozen=True, slots=True)
class Mark:
    """Opens or closes what is said of the pieces between: strong, em, strike, sup, sub, quote, inner quote, link."""

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

    @property
    def signed(self) -> str:
        """The formula between the dollar signs that mark TeX."""
        sign = "$$" if self.display else "$"
        return f"{sign}{self.text}{sign}" if self.tex else self.text


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its address and the words that stand in for it."""

    url: str
    alt: str


@dataclass(frozen=True, slots=True)
class Checkbox:
    """The box at the head of an item of a to-do list."""

    checked: bool

    @property
    def signed(self) -> str:
        """The box in plain signs."""
        return "[x]" if self.checked else "[ ]"


Piece = str | Mark | Break | InlineCode | Math | Image | Checkbox
Run = list[Piece]

_ONLY_TEXTS = frozenset((str,))


def tidy(run: Run) -> Run:
    """The run with its blanks folded, none just inside a mark, no empty marks, no breaks at its ends."""
    if not _ONLY_TEXTS.issuperset(map(type, run)):
        return _settle(_folded(run))
    words = fold("".join(cast(list[str], run)))
    return [words] if words else []


def _folded(run: Run) -> Run:
    """The run with a single blank or break between its pieces where there were any, before what opens there."""
    folded: Run = []
    gap: str | Break | None = None
    begun = False
    for piece in run:
        if type(piece) is str:
            words = " ".join(piece.split())
            if not words.isprintable():
                piece = clean(piece)
                words = " ".join(piece.split())
            if not words:
                gap = gap or (" " if piece else None)
                continue
            gap = gap or (" " if piece[0].isspace() else None)
            if gap and begun:
                _put_gap(folded, gap)
            folded.append(words)
            gap, begun = " " if piece[-1].isspace() else None, True
        elif type(piece) is Mark:
            folded.append(piece)
        elif type(piece) is Break:
            gap = piece
        else:
            if gap and begun:
                _put_gap(folded, gap)
            folded.append(piece)
            gap, begun = None, True
    return folded


def _put_gap(run: Run, gap: str | Break) -> None:
    """A blank or break at the end of the run, but before the marks that have just opened."""
    at = len(run)
    while at and isinstance(piece := run[at - 1], Mark) and piece.opens:
        at -= 1
    run.insert(at, gap)


def _settle(run: Run) -> Run:
    """Drops marks around nothing and marks that close only to open again; joins texts that touch."""
    kept: list[Piece | list[str]] = []
    for piece in run:
        last = kept[-1] if kept else None
        if type(piece) is str:
            if type(last) is list:
                last.append(piece)
            else:
                kept.append([piece])
        elif type(piece) is Mark and type(last) is Mark and _cancel(last, piece):
            kept.pop()
        else:
            kept.append(piece)
    return ["".join(piece) if isinstance(piece, list) else piece for piece in kept]


_MERGED = frozenset(("strong", "em", "strike", "link"))


def _cancel(last: Mark, mark: Mark) -> bool:
    if last.opens:
        return not mark.opens
    return mark.opens and mark.kind == last.kind and mark.url == last.url and mark.kind in _MERGED


def is_empty(run: Run) -> bool:
    """Whether a tidied run shows nothing."""
    return not run or (type(run[0]) is not str and all(type(piece) is Mark for piece in run))


def has_words(run: Run) -> bool:
    """Whether a run is more than pictures."""
    return any(not isinstance(piece, Mark | Image | Break) and piece != " " for piece in run)


def in_one_line(run: Run) -> Run:
    """A run whose breaks are blanks."""
    return tidy([" " if isinstance(piece, Break) else piece for piece in run])


def without(run: Run, kind: str) -> Run:
    """A run less the marks of one kind."""
    return tidy([piece for piece in run if not (isinstance(piece, Mark) and piece.kind == kind)])


_SUP = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUB = dict(zip("0123456789+-−=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓ", strict=True))
_SIGNS = {"sup": _SUP, "sub": _SUB}
_BLANKS = re.compile(" {2,}")
_BETWEEN = frozenset(", –;")  # stand between raised numbers and have no raised form
QUOTES = {("quote", True): "“", ("quote", False): "”", ("inner quote", True): "‘", ("inner quote", False): "’"}


def plain(run: Run) -> str:
    """A tidied run as plain text; breaks become line ends. Links and pictures are written as Markdown has them."""
    if len(run) == 1 and type(run[0]) is str:
        return run[0]
    out: list[str] = []
    raised: list[str] = []
    for piece in run:
        match piece:
            case str():
                out.append(small(piece, raised[-1]) if raised else piece)
            case Mark(kind="sup" | "sub"):
                raised.append(piece.kind) if piece.opens else raised.pop()
            case Mark(kind="link"):
                out.append("[" if piece.opens else f"]({piece.url})")
            case Mark():
                out.append(QUOTES.get((piece.kind, piece.opens), ""))
            case Break():
                out.append("\n")
            case Image():
                out.append(f"![{piece.alt}]({piece.url})")
            case Math() | Checkbox():
                out.append(piece.signed)
            case InlineCode():
                out.append(piece.text)
    return _BLANKS.sub(" ", "".join(out)).strip()


def small(text: str, kind: str) -> str:
    """Small digits and signs for superscripts and subscripts that have them; other text as it is."""
    signs = _SIGNS[kind]
    if not any(c in signs for c in text) or not all(c in signs or c in _BETWEEN for c in text):
        return text
    return "".join(signs.get(c, c) for c in text)
