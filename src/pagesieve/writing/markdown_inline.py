"""The inside of a line as Markdown: escapes where a sign would be read as markup, and nowhere else."""

from __future__ import annotations

import re
import unicodedata

from pagesieve.writing.inline import QUOTES, Break, Checkbox, Image, InlineCode, Mark, Math, Piece, Run

_SIGNS = {"strong": "**", "em": "*", "strike": "~~"}
_ELEMENTS = {"strong": "strong", "em": "em", "strike": "s", "sup": "sup", "sub": "sub"}

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
    """A tidied run as Markdown. Breaks are line ends; in a cell of a table, elements."""
    return "".join(_Inline(run, in_cell).write())


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
    last = len(text) + 1

    def escaped(match: re.Match[str]) -> str:
        return match[0] if match.start() in (0, last) else "\\" + match[0]

    return _PATTERNS[in_link, tildes].sub(escaped, before + text + after)[1:-1]


class _Inline:
    """Writes one run."""

    def __init__(self, run: Run, in_cell: bool) -> None:
        self.run = run
        self.in_cell = in_cell
        self.many_tildes = sum(piece.count("~") for piece in run if isinstance(piece, str)) > 1
        self.forms: dict[int, str] = {}  # how the mark at each place is written
        if len(run) > 1:
            self._decide()

    def write(self) -> list[str]:
        out, in_link = list[str](), False
        for place, piece in enumerate(self.run):
            match piece:
                case str():
                    out.append(self._text(piece, place, in_link))
                case Mark():
                    in_link = piece.opens if piece.kind == "link" else in_link
                    out.append(self.forms[place])
                case Break():
                    out.append("<br>" if self.in_cell else "\n")
                case InlineCode():
                    out.append(self._code(piece.text, place, in_link))
                case Math():
                    out.append(piece.signed if piece.tex else _escape(piece.text, " ", "\n"))
                case Image():
                    out.append(f"![{_escape(piece.alt, '[', ']', in_link=True)}]({_target(piece.url)})")
                case Checkbox():
                    out.append(piece.signed)
        return out

    def _text(self, text: str, place: int, in_link: bool) -> str:
        written = _escape(text, self._before(place), self._after(place), in_link, self.many_tildes)
        return "\\" + written if place == 0 and _TASK.match(written) else written

    def _code(self, text: str, place: int, in_link: bool) -> str:
        # Backticks may not touch, and a bracket in them could end the link.
        touches = place > 0 and isinstance(self.run[place - 1], InlineCode)
        return _code_element(text) if touches or (in_link and "]" in text) else code_span(text, self.in_cell)

    # Emphasis

    def _decide(self) -> None:
        """How each mark is written, inner ones first: by signs where they are read as emphasis, else by elements."""
        opened: list[int] = []
        for place, piece in enumerate(self.run):
            if not isinstance(piece, Mark):
                continue
            if piece.opens:
                opened.append(place)
                continue
            start = opened.pop()
            within = any(self._in_one_run(piece, self.run[outer], outer) for outer in opened)
            self.forms[start], self.forms[place] = self._form(piece, start, place, within)

    def _form(self, mark: Mark, start: int, end: int, within: bool) -> tuple[str, str]:
        """How a mark begins and ends; `within` where one of the same sign is around it."""
        if mark.kind == "link":
            return "[", f"]({_target(mark.url)})"
        if (mark.kind, True) in QUOTES:
            return QUOTES[mark.kind, True], QUOTES[mark.kind, False]
        sign = _SIGNS.get(mark.kind)
        if sign and self._opens_well(start, within) and self._closes_well(end, within):
            return sign, sign
        element = _ELEMENTS[mark.kind]
        return f"<{element}>", f"</{element}>"

    def _opens_well(self, place: int, within: bool) -> bool:
        return _flanks(self._before(place, own=True), self._after(place, own=True), within)

    def _closes_well(self, place: int, within: bool) -> bool:
        return _flanks(self._after(place, own=True), self._before(place, own=True), within)

    def _before(self, place: int, own: bool = False) -> str:
        """The character before a place; signs that make one run with the `own` mark at it are stepped over."""
        own_mark = self.run[place]
        at = place - 1
        while at >= 0:
            piece = self.run[at]
            if own and self._in_one_run(own_mark, piece, at):
                if isinstance(piece, Mark) and isinstance(own_mark, Mark) and piece.opens != own_mark.opens:
                    return _TOUCHES
                at -= 1
                continue
            return self._last(piece, at)
        return ">" if self.in_cell else " "

    def _after(self, place: int, own: bool = False) -> str:
        own_mark = self.run[place]
        at = place + 1
        while at < len(self.run):
            piece = self.run[at]
            if own and self._in_one_run(own_mark, piece, at):
                if isinstance(piece, Mark) and isinstance(own_mark, Mark) and piece.opens != own_mark.opens:
                    return "<"  # that one will see this one before it, and become an element
                at += 1
                continue
            return self._first(piece, at)
        return "<" if self.in_cell else "\n"

    def _in_one_run(self, own: Piece, piece: Piece, at: int) -> bool:
        """Whether the signs of two marks would be one run of the same sign."""
        if not isinstance(piece, Mark) or not isinstance(own, Mark):
            return False
        sign, other = _SIGNS.get(own.kind), _SIGNS.get(piece.kind)
        return bool(sign and other and sign[0] == other[0] and self.forms.get(at, other) == other)

    def _last(self, piece: Piece, at: int) -> str:
        """The last character of a piece as written, as far as it matters."""
        match piece:
            case str():
                return piece[-1]
            case Mark():
                return self.forms.get(at, _SIGNS.get(piece.kind) or ("[" if piece.kind == "link" else ">"))[-1]
            case Break():
                return ">" if self.in_cell else "\n"
            case Math(tex=False):
                return piece.text[-1]
        return "`" if isinstance(piece, InlineCode) else ")"

    def _first(self, piece: Piece, at: int) -> str:
        """The first character of a piece as written, as far as it matters."""
        match piece:
            case str():
                return piece[0]
            case Mark(kind="link"):
                return "[" if piece.opens else "]"
            case Mark():
                return self.forms.get(at, _SIGNS.get(piece.kind, "<"))[0]
            case Break():
                return "<" if self.in_cell else "\n"
            case Math(tex=False):
                return piece.text[0]
        return "`" if isinstance(piece, InlineCode) else "!"


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
