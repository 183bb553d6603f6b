"""The inside of a line as Markdown: escapes where a sign would be read as markup, and nowhere else."""

from __future__ import annotations

import re
import unicodedata

from pagesieve.page.kernel import blocks as kinds
from pagesieve.writing.document import Mark, Piece, Run

_SIGNS = {kinds.STRONG: "**", kinds.EMPHASIS: "*", kinds.STRIKE: "~~"}
_ELEMENTS = {
    kinds.STRONG: "strong",
    kinds.EMPHASIS: "em",
    kinds.STRIKE: "s",
    kinds.SUPERSCRIPT: "sup",
    kinds.SUBSCRIPT: "sub",
}
_QUOTES = {kinds.QUOTE: ("“", "”"), kinds.INNER_QUOTE: ("‘", "’")}

_MAYBE_SPECIAL = re.compile(r"[\\`*_<&~\[\]!]")
# A sign is escaped where it could begin or end markup: not inside of a word, not between blanks.
_SPECIAL = (
    r"\\(?=[!-/:-@\[-`{-~\n])|`|(?<=\S)\*|\*(?=\S)|(?<![^\W_])_(?=\S)|(?<=\S)_(?![^\W_])|<(?=[A-Za-z/!?])"
    r"|&(?=#\d{1,7};|#[xX][0-9A-Fa-f]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)|~(?=~)|(?<=~)~|\](?=\()|!(?=\[)"
)
# In a link brackets are escaped too; where there are several tildes, those that could end a strike as well.
_PATTERNS = {
    (in_link, tildes): re.compile(_SPECIAL + (r"|[\[\]]" if in_link else "") + (r"|(?<=\S)~" if tildes else ""))
    for in_link in (False, True)
    for tildes in (False, True)
}
_TASK = re.compile(r"\[[ xX]\](?=\s)")
# What begins a block at the start of a line: heading, item, quote, underline, rule, the line below a table's head,
# the definition of a link.
_BLOCK_START = re.compile(
    r"#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|[-|:\s]*-[-|:\s]*$|(?:_\s*){3,}$|\[(?=(?:[^\]\\]|\\.)*\]:)|\d{1,9}(?=[.)](?:\s|$))"
)
_TOUCHES = ""  # in place of a character: the sign that ends one mark, where another begins
_IN_TARGET = re.compile(r"[()<>\\\s|`]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_TICKS = re.compile(r"`+")


def inline(run: Run, in_cell: bool = False) -> str:
    """Return a run as Markdown. Breaks are line ends; in a cell of a table, elements."""
    if len(run) > 1 or not isinstance(run[0], str):
        return "".join(_Inline(run, in_cell).write())
    text = run[0]
    if _MAYBE_SPECIAL.search(text):
        text = _escape(text, ">" if in_cell else " ", "<" if in_cell else "\n", tildes=text.count("~") > 1)
        return "\\" + text if _TASK.match(text) else text
    return text


def guard(line: str) -> str:
    """A line that is not taken for a heading, item, quote, rule or part of a table."""
    found = _BLOCK_START.match(line)
    if not found:
        return line
    at = found.end() if found[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"


def longest_ticks(text: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, _TICKS.findall(text)), default=0)


def code_span(text: str, in_cell: bool = False) -> str:
    """Inline code, whatever backticks are in it."""
    if in_cell and "\\|" in text:  # no cell can hold this in backticks
        return _code_element(text)
    ticks = "`" * (1 + longest_ticks(text))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _code_element(text: str) -> str:
    return f"<code>{_escape(text, '>', '<', in_link=True)}</code>"


def _target(url: str) -> str:
    """An address with the signs encoded that would end it."""
    return _ENTITY.sub("&amp;", _IN_TARGET.sub(lambda match: f"%{ord(match[0]):02X}", url))


def _escape(text: str, before: str, after: str, in_link: bool = False, tildes: bool = False) -> str:
    """A text with its special signs escaped; what stands before and after it matters."""
    if not _MAYBE_SPECIAL.search(text):
        return text
    whole = before + text + after
    last = len(text) + 1
    is_special = _PATTERNS[in_link, tildes].match

    def escaped(found: re.Match[str]) -> str:
        at = found.start()
        return "\\" + found[0] if 0 < at < last and is_special(whole, at) else found[0]

    return _MAYBE_SPECIAL.sub(escaped, whole)[1:-1]


class _Inline:
    """Writes one run."""

    def __init__(self, run: Run, in_cell: bool) -> None:
        self.run = run
        self.in_cell = in_cell
        self.many_tildes = sum([piece.count("~") for piece in run if isinstance(piece, str)]) > 1
        self.forms: dict[int, str] = {}  # how the mark at each place is written
        self._decide()

    def write(self) -> list[str]:
        """Return the pieces as they are written."""
        out: list[str] = []
        in_link = False
        for place, piece in enumerate(self.run):
            if isinstance(piece, str):
                out.append(self._text(piece, place, in_link))
            elif piece.kind <= kinds.LINK:
                in_link = piece.kind > 0 if abs(piece.kind) == kinds.LINK else in_link
                out.append(self.forms[place])
            else:
                out.append(self._object(piece, place, in_link))
        return out

    def _text(self, text: str, place: int, in_link: bool) -> str:
        if not _MAYBE_SPECIAL.search(text):
            return text
        written = _escape(text, self._before(place), self._after(place), in_link, self.many_tildes)
        return "\\" + written if place == 0 and _TASK.match(written) else written

    def _object(self, mark: Mark, place: int, in_link: bool) -> str:
        if mark.kind == kinds.BREAK:
            return "<br>" if self.in_cell else "\n"
        if mark.kind == kinds.IMAGE:
            return f"![{_escape(mark.text, '[', ']', in_link=True)}]({_target(mark.url)})"
        if mark.kind == kinds.FORMULA:
            return _escape(mark.text, " ", "\n")
        if mark.kind != kinds.CODE:
            return mark.text
        # Backticks may not touch, and a bracket in them could end the link.
        before = self.run[place - 1] if place else ""
        touches = not isinstance(before, str) and before.kind == kinds.CODE
        if touches or (in_link and "]" in mark.text):
            return _code_element(mark.text)
        return code_span(mark.text, self.in_cell)

    # Emphasis

    def _decide(self) -> None:
        """Find how each mark is written, inner ones first: by signs where these are read as such, or by elements."""
        opened: list[int] = []
        for place, piece in enumerate(self.run):
            if isinstance(piece, str) or piece.kind > kinds.LINK:
                continue
            if piece.kind > 0:
                opened.append(place)
                continue
            start = opened.pop()
            self.forms[start], self.forms[place] = self._form(piece, start, place, opened)

    def _form(self, mark: Mark, start: int, end: int, outer: list[int]) -> tuple[str, str]:
        """Return how a mark begins and ends; `outer` are the places of the marks around it."""
        kind = -mark.kind
        if kind == kinds.LINK:
            return "[", f"]({_target(mark.url)})"
        if kind in _QUOTES:
            return _QUOTES[kind]
        if kind in _SIGNS:
            within = any(self._in_one_run(kind, self.run[place], place) for place in outer)
            opens = _flanks(self._before(start, kind), self._after(start, kind), within)
            if opens and _flanks(self._after(end, kind), self._before(end, kind), within):
                return _SIGNS[kind], _SIGNS[kind]
        return f"<{_ELEMENTS[kind]}>", f"</{_ELEMENTS[kind]}>"

    def _before(self, place: int, kind: int = 0) -> str:
        """Return the character before a place; signs that make one run with those of a mark of `kind` are skipped."""
        own = self.run[place]
        for at in range(place - 1, -1, -1):
            piece = self.run[at]
            if not kind or not self._in_one_run(kind, piece, at):
                return self._last(piece, at)
            if _turns(piece, own):
                return _TOUCHES
        return ">" if self.in_cell else " "

    def _after(self, place: int, kind: int = 0) -> str:
        """Return the character after a place in the same way."""
        own = self.run[place]
        for at in range(place + 1, len(self.run)):
            piece = self.run[at]
            if not kind or not self._in_one_run(kind, piece, at):
                return self._first(piece, at)
            if _turns(piece, own):
                return "<"  # that one will see this one before it, and become an element
        return "<" if self.in_cell else "\n"

    def _in_one_run(self, kind: int, piece: Piece, at: int) -> bool:
        """Whether the signs of a mark at a place would be one run with those of a mark of `kind`."""
        if isinstance(piece, str) or abs(piece.kind) not in _SIGNS:
            return False
        other = _SIGNS[abs(piece.kind)]
        return other[0] == _SIGNS[kind][0] and self.forms.get(at, other) == other

    def _last(self, piece: Piece, at: int) -> str:
        """Return the last character of a piece as written, as far as it matters."""
        if isinstance(piece, str):
            return piece[-1]
        if piece.kind <= kinds.LINK:
            kind = abs(piece.kind)
            return self.forms.get(at, _SIGNS.get(kind) or ("[" if kind == kinds.LINK else ">"))[-1]
        if piece.kind == kinds.BREAK:
            return ">" if self.in_cell else "\n"
        if piece.kind == kinds.FORMULA:
            return piece.text[-1]
        return "`" if piece.kind == kinds.CODE else ")"

    def _first(self, piece: Piece, at: int) -> str:
        """Return the first character of a piece as written, as far as it matters."""
        if isinstance(piece, str):
            return piece[0]
        if abs(piece.kind) == kinds.LINK:
            return "[" if piece.kind > 0 else "]"
        if piece.kind < kinds.LINK:
            return self.forms.get(at, _SIGNS.get(abs(piece.kind), "<"))[0]
        if piece.kind == kinds.BREAK:
            return "<" if self.in_cell else "\n"
        if piece.kind == kinds.FORMULA:
            return piece.text[0]
        return "`" if piece.kind == kinds.CODE else "!"


def _turns(piece: Piece, own: Piece) -> bool:
    """Whether one of two marks opens and the other closes."""
    return isinstance(piece, Mark) and isinstance(own, Mark) and (piece.kind > 0) != (own.kind > 0)


def _flanks(outside: str, inside: str, within: bool) -> bool:
    """CommonMark's rule for one end of emphasis: a word inside, or a blank or punctuation outside.

    What one edition takes for punctuation (symbols, emoji) and another does not, counts against it on either side.
    `within` another mark of the same sign, the sign may not be one that could as well end as begin something.
    """
    if inside.isspace() or outside == _TOUCHES:
        return False
    word = unicodedata.category(inside)[0] in "LN"
    if within:
        return outside.isspace() or (word and _is_punctuation(outside))
    return word or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "P" or (sign.isascii() and not sign.isalnum() and not sign.isspace())
