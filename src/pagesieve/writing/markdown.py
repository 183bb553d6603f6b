"""A document as Markdown (CommonMark with GitHub's tables)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from pagesieve.page.kernel import constants as kinds
from pagesieve.stages import stage
from pagesieve.writing.document import Document, Mark, Piece, Run, in_one_line, settle, without
from pagesieve.writing.math import in_markdown

_BULLETS = ("-", "*")
_AFTER_NUMBER = (".", ")")
_LINE_BREAK = re.compile(r"\n(?=[^\n])")  # before a line that is not blank
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)(?=#+$)")
_PIPE = re.compile(r"(\\?)\|")
_BREAK = "<br>"
_NOTE_INDENT = 4
_AT_START_OF_NOTE = re.compile(r"(?:[\s^.:,\])}]|\\[\[\]])+")
_BACKSLASH = r"\\"
_LISTS = (kinds.BULLET_LIST, kinds.NUMBERED_LIST)

# Inside a line: characters are escaped only where they would be read as markup.
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
    r"#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|[|:\s]*+-[-|:\s]*+$|(?:_\s*){3,}$|\[(?=(?:[^\]\\]|\\.)*\]:)|\d{1,9}(?=[.)](?:\s|$))"
)
_TOUCHES = ""  # in place of a character: the sign that ends one mark, where another begins
_IN_TARGET = re.compile(r"[()<>\\\s|`]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_TICKS = re.compile(r"`+")


@stage("writing")
def write_markdown(document: Document) -> str:
    """Return a document as Markdown."""
    return _join(document, 0)


def _join(document: Document, above: int, tight: bool = False) -> str:
    """Write the parts of a block; in a tight item, a list follows a paragraph without a blank line."""
    is_term = document.kind[above] == kinds.TERM
    blocks: list[str] = []
    last = -1  # the kind of the block before
    other = False  # the list before had the second sort of marker
    for block in document.parts(above):
        kind = document.kind[block]
        # Two lists in a row would be read as one, were their markers the same.
        other = not other and _would_merge(last, kind)
        text = _block(document, block, kind, is_term, int(other))
        if not text:
            continue
        if last >= 0:
            is_close = tight and last <= kinds.CAPTION and _may_follow(kind, document.value[block])
            of_image = kind == kinds.CAPTION and last == kinds.PARAGRAPH and document.is_image(block - 1)
            blocks.append("  \n" if of_image else "\n" if is_close else "\n\n")
        blocks.append(text)
        last = kind
    return "".join(blocks)


def _would_merge(last: int, kind: int) -> bool:
    return (kind == last and kind in _LISTS) or (last == kinds.DEFINITIONS and kind == kinds.BULLET_LIST)


def _may_follow(kind: int, start: int) -> bool:
    """Whether a block is a list that may stand right below a paragraph."""
    return kind == kinds.BULLET_LIST or (kind == kinds.NUMBERED_LIST and start == 1)


def _block(document: Document, block: int, kind: int, is_term: bool, marker: int) -> str:
    if kind <= kinds.CAPTION:
        run = document.run(block)
        if is_term:
            run = _wrapped(run, kinds.STRONG)
        elif kind == kinds.CAPTION:
            run = _wrapped(run, kinds.EMPHASIS)
        return _paragraph(run)
    if kind == kinds.HEADING:
        return write_heading(document.run(block), document.value[block])
    if kind in _LISTS:
        return _list(document, block, marker)
    if kind == kinds.CODE_BLOCK:
        text = document.text(block)
        fence = "`" * max(3, 1 + _longest_ticks(text))
        return f"{fence}{document.language(block)}\n{text}\n{fence}"
    if kind == kinds.BLOCK_QUOTE:
        inside = _join(document, block)
        return "\n".join([f"> {line}" if line else ">" for line in inside.split("\n")]) if inside else ""
    if kind == kinds.DEFINITIONS:
        return _definitions(document, block)
    if kind == kinds.NOTE:
        return _note(document, block, tight=False)
    return "---" if kind == kinds.RULE else _table(document, block)


def write_heading(run: Run, level: int) -> str:
    """Return a run as a heading; empty if it is."""
    text = _inline(run)
    return f"{'#' * level} {_CLOSING_HASHES.sub(_BACKSLASH, text)}" if text else ""


def _note(document: Document, block: int, tight: bool) -> str:
    """Write a footnote without the sign that leads back, since renderers add their own."""
    inside = _join(document, block, tight)
    match = _AT_START_OF_NOTE.match(inside)
    return f"[^{document.note(block)}]: {_indented(inside[match.end() :] if match else inside, _NOTE_INDENT)}"


def _paragraph(run: Run) -> str:
    text = _inline(run)
    return "  \n".join([_guard(line) for line in text.split("\n")]) if "\n" in text else _guard(text)


def _wrapped(run: Run, kind: int) -> Run:
    """Return a run with a mark around all of it."""
    return [Mark(kind), *without(run, kind), Mark(-kind)]


def _indented(text: str, width: int) -> str:
    """Indent the lines of a text after the first by `width`; blank lines stay blank."""
    return _LINE_BREAK.sub("\n" + " " * width, text) if "\n" in text else text


def _list(document: Document, above: int, marker: int) -> str:
    numbered = document.kind[above] == kinds.NUMBERED_LIST
    items = [*document.parts(above)]
    loose = any(_paragraphs(document, item) > 1 for item in items)
    written: list[str] = []
    after_note = False
    between = "\n\n" if loose else "\n"
    sign = f"{_BULLETS[marker]} "
    for number, item in enumerate(items, max(document.value[above], 0)):
        if numbered:
            sign = f"{number}{_AFTER_NUMBER[marker]} "
        is_note = bool(document.note(item))
        inside = "" if is_note else _join(document, item, tight=not loose)
        if is_note or inside:
            written.append("" if not written else between if is_note == after_note else "\n\n")
            written.append(_note(document, item, not loose) if is_note else sign + _indented(inside, len(sign)))
            after_note = is_note
    return "".join(written)


def _paragraphs(document: Document, above: int) -> int:
    if document.end[above] == above + 2:
        return 1
    return sum(document.kind[part] <= kinds.CAPTION for part in document.parts(above))


def _definitions(document: Document, above: int) -> str:
    """Write a term in bold and its descriptions as items below: plain Markdown has no definition lists."""
    lines: list[str] = []
    after_item = False
    for entry in document.parts(above):
        text = _join(document, entry)
        if not text:
            continue
        is_term = document.kind[entry] == kinds.TERM
        if lines:
            lines.append("\n" if after_item and not is_term else "\n\n")
        lines.append(text if is_term else "- " + _indented(text, 2))
        after_item = not is_term
    return "".join(lines)


# Tables


def _table(document: Document, table: int) -> str:
    lines = [*document.parts(table)]
    caption = _caption(document, lines.pop(0)) if document.kind[lines[0]] == kinds.TABLE_CAPTION else ""
    rows = [_row(document, line, document.value[table]) for line in lines]
    width = max(map(len, rows))
    head = rows.pop(0) if all(_is_head(document, cell) for cell in document.parts(lines[0])) else []
    written = [_bars(head + [""] * (width - len(head))), "|" + " --- |" * width]
    written.extend(map(_bars, rows))
    return (f"{caption}\n\n" if caption else "") + "\n".join(written)


def _caption(document: Document, caption: int) -> str:
    run: Run = []
    for block in document.parts(caption):
        run += [" ", *document.run(block)] if run else document.run(block)
    return _paragraph(in_one_line(run))


def _row(document: Document, line: int, width: int) -> list[str]:
    """Write the cells of a row: an empty one where a cell beside or above reaches in."""
    if not width:
        return [_cell(document, cell) for cell in document.parts(line)]
    row = [""] * width
    for cell in document.parts(line):
        if document.value[cell] >= 0:
            row[document.value[cell]] = _cell(document, cell)
    return row


def _is_head(document: Document, cell: int) -> bool:
    """Whether a cell is empty or a head: because the page calls it one, or all of it is bold."""
    if document.kind[cell] == kinds.HEADER_CELL:
        return True
    parts = document.parts(cell)
    return all(document.kind[part] <= kinds.CAPTION and _is_bold(document.run(part)) for part in parts)


def _is_bold(run: Run) -> bool:
    bold = Mark(kinds.STRONG)
    return run[0] == bold and run[-1] == Mark(-kinds.STRONG) and run.count(bold) == 1


def _bars(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(document: Document, cell: int) -> str:
    """Write a cell in one line, with bars escaped. Parsers do not agree on a bar after a backslash."""
    text = _BREAK.join(_cell_lines(document, cell))
    return _PIPE.sub(lambda match: r"\|" if not match[1] else r"\&#124;", text) if "|" in text else text


def _cell_lines(document: Document, above: int) -> Iterator[str]:
    for block in document.parts(above):
        kind = document.kind[block]
        if kind <= kinds.HEADING:
            yield _inline(document.run(block), in_cell=True)
        elif kind == kinds.CODE_BLOCK:
            yield from (_code_span(line, in_cell=True) for line in document.text(block).split("\n") if line)
        elif kind in _LISTS:
            for number, item in enumerate(document.parts(block), document.value[block]):
                marker = f"{number}. " if kind == kinds.NUMBERED_LIST else "- "
                yield marker + _BREAK.join(_cell_lines(document, item))
        elif kind == kinds.TABLE:
            for line in document.parts(block):
                if document.kind[line] != kinds.TABLE_CAPTION:
                    yield from _cell_lines(document, line)
        else:  # a quotation, an entry, a row, a cell
            yield from _cell_lines(document, block)


# The inside of a line


def _inline(run: Run, in_cell: bool = False) -> str:
    """Return a run as Markdown. Breaks are line ends; in a cell of a table, elements."""
    if len(run) > 1 and any(isinstance(piece, Mark) and piece.kind == kinds.REFERENCE for piece in run):
        run = _with_references(run)
    if len(run) > 1 or not isinstance(run[0], str):
        return "".join(_expressible(run, in_cell).write())
    text = run[0]
    if _MAYBE_SPECIAL.search(text):
        text = _escape(text, ">" if in_cell else " ", "<" if in_cell else "\n", tildes=text.count("~") > 1)
        return "\\" + text if _TASK.match(text) else text
    return text


def _with_references(run: Run) -> Run:
    """Return a run with `[^1]` in place of the signs that lead to notes; raised brackets around them go."""
    referred: Run = []
    inside = False
    for piece in run:
        if isinstance(piece, Mark) and abs(piece.kind) == kinds.REFERENCE:
            inside = piece.kind > 0
            if inside and piece.text:
                referred.append(Mark(kinds.TEX, f"[^{piece.text}]"))
        elif not inside:
            referred.append(piece)
    return settle(_lowered(referred)) or [""]


def _lowered(run: Run) -> Run:
    """Return a run without the superscripts in which there is nothing but references and the brackets around them."""
    lowered: Run = []
    start = -1  # of the superscript that is open
    for piece in run:
        lowered.append(piece)
        if piece == Mark(kinds.SUPERSCRIPT):
            start = len(lowered) - 1
        elif piece == Mark(-kinds.SUPERSCRIPT) and start >= 0:
            inside = lowered[start + 1 : -1]
            if all(_is_of_reference(inner) for inner in inside):
                lowered[start:] = [inner for inner in inside if isinstance(inner, Mark)]
            start = -1
    return lowered


def _is_of_reference(piece: Piece) -> bool:
    if isinstance(piece, str):
        return not piece.strip("[](),;– ")
    return piece.kind == kinds.TEX and piece.text.startswith("[^")


def _guard(line: str) -> str:
    """Escape the start of a line that would be taken for a heading, item, quote, rule or part of a table."""
    match = _BLOCK_START.match(line)
    if not match:
        return line
    at = match.end() if match[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"


def _longest_ticks(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, _TICKS.findall(text)), default=0)


def _code_span(text: str, in_cell: bool = False) -> str:
    """Write inline code, whatever backticks are in it."""
    if in_cell and "\\|" in text:  # no cell can hold this in backticks
        return _code_element(text)
    ticks = "`" * (1 + _longest_ticks(text))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _code_element(text: str) -> str:
    return f"<code>{_escape(text, '>', '<', in_link=True)}</code>"


def write_text(text: str, url: str | None = None, in_cell: bool = False) -> str:
    """Return a text on one line, as a link if it has an address."""
    line = " ".join(text.split())
    before, after = (">", "<") if in_cell else ("\n", "\n")
    line = _escape(line, before, after, in_link=url is not None, tildes=line.count("~") > 1)
    line = line.replace("|", "\\|") if in_cell else line
    return f"[{line}]({_target(url)})" if url else line


def _target(url: str) -> str:
    """Encode the characters of an address that would end it."""
    return _ENTITY.sub("&amp;", _IN_TARGET.sub(lambda match: f"%{ord(match[0]):02X}", url))


def _escape(text: str, before: str, after: str, in_link: bool = False, tildes: bool = False) -> str:
    """Escape the special characters of a text, given the characters before and after it."""
    if not _MAYBE_SPECIAL.search(text):
        return text
    whole = before + text + after
    last = len(text) + 1
    is_special = _PATTERNS[in_link, tildes].match

    def escaped(found: re.Match[str]) -> str:
        at = found.start()
        return "\\" + found[0] if 0 < at < last and is_special(whole, at) else found[0]

    return _MAYBE_SPECIAL.sub(escaped, whole)[1:-1]


_MAX_EASED = 3  # attempts to move punctuation; then emphasis that Markdown cannot express is dropped


def _expressible(run: Run, in_cell: bool) -> _Inline:
    """Return the writer of a run in which Markdown can express all emphasis."""
    writer = _Inline(run, in_cell)
    for _ in range(_MAX_EASED):
        if not writer.failed:
            return writer
        writer = _Inline(_eased(writer.run, writer.failed), in_cell)
    while writer.failed:
        places = {place for start, (end, _, _) in writer.failed.items() for place in (start, end)}
        writer = _Inline(settle([p for place, p in enumerate(writer.run) if place not in places]) or [""], in_cell)
    return writer


def _eased(run: Run, failed: dict[int, tuple[int, bool, bool]]) -> Run:
    """Return a run in which punctuation moves out of the failed marks, so that they begin and end at words.

    `failed` has the place where each begins: the place where it ends, and which of both could be written. A mark that
    nothing can be moved out of is dropped.
    """
    pieces: list[Run] = [[piece] for piece in run]
    for start, (end, opens, closes) in failed.items():
        first, last = _signs_at(run[start + 1], 1), _signs_at(run[end - 1], -1)
        if not (first and last and _is_pair(str(run[start + 1])[0], str(run[end - 1])[-1])):
            first, last = 0 if opens else first, 0 if closes else last
        if not first and not last:
            pieces[start], pieces[end] = [], []
            continue
        if first:
            head = str(pieces[start + 1][0])
            pieces[start], pieces[start + 1] = [head[:first], run[start]], [head[first:]]
        if last and pieces[end - 1][0]:
            tail = str(pieces[end - 1][0])
            pieces[end - 1], pieces[end] = [tail[: len(tail) - last]], [run[end], tail[len(tail) - last :]]
    return settle([piece for some in pieces for piece in some if piece != ""]) or [""]


def _is_pair(opening: str, closing: str) -> bool:
    """Whether two signs are brackets or quotes around something."""
    return unicodedata.category(opening) in ("Ps", "Pi") and unicodedata.category(closing) in ("Pe", "Pf")


def _signs_at(piece: Piece, step: int) -> int:
    """Return how many characters at the start (or, with -1, at the end) of a text are neither letters nor digits."""
    text = piece[::step] if isinstance(piece, str) else ""
    return next((at for at, sign in enumerate(text) if unicodedata.category(sign)[0] in "LN"), len(text))


class _Inline:
    """Writes one run."""

    def __init__(self, run: Run, in_cell: bool) -> None:
        self.run = run
        self.in_cell = in_cell
        self.many_tildes = sum([piece.count("~") for piece in run if isinstance(piece, str)]) > 1
        # The sign of the mark at each place; empty for what has none.
        self.signs = ["" if isinstance(piece, str) else _SIGNS.get(abs(piece.kind), "") for piece in run]
        self.forms: dict[int, str] = {}  # how the mark at each place is written
        # The marks that no sign can express: where each begins, where it ends, and which of both could be written.
        self.failed: dict[int, tuple[int, bool, bool]] = {}
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
        escaped = _escape(text, self._before(place), self._after(place), in_link, self.many_tildes)
        return "\\" + escaped if place == 0 and _TASK.match(escaped) else escaped

    def _object(self, mark: Mark, place: int, in_link: bool) -> str:
        if mark.kind == kinds.BREAK:
            return "<br>" if self.in_cell else "\n"
        if mark.kind == kinds.IMAGE:
            return f"![{_escape(mark.text, '[', ']', in_link=True)}]({_target(mark.url)})"
        if mark.kind == kinds.FORMULA:
            return _escape(mark.text, self._before(place), self._after(place))
        if mark.kind != kinds.CODE:
            return in_markdown(mark.text)
        # Backticks may not touch, and a bracket in them could end the link.
        before = self.run[place - 1] if place else ""
        touches = not isinstance(before, str) and before.kind == kinds.CODE
        if touches or (in_link and "]" in mark.text):
            return _code_element(mark.text)
        return _code_span(mark.text, self.in_cell)

    # Emphasis

    def _decide(self) -> None:
        """Determine the form of each mark, inner ones first: signs where Markdown reads them as such, or elements."""
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
            within = any(self._in_one_run(kind, place) for place in outer)
            before, after = self._before(start, kind), self._after(end, kind)
            opens = _flanks(before, self._after(start, kind), within)
            closes = _flanks(after, self._before(end, kind), within)
            touches = "<" in (before, after)  # strong words are beside it
            if kind == kinds.EMPHASIS and (touches or not (opens and closes)) and self._is_apart(start, end):
                return "_", "_"
            if opens and closes:
                return _SIGNS[kind], _SIGNS[kind]
            if kind != kinds.STRIKE:  # without the line through it, a text says the opposite
                self.failed[start] = (end, opens, closes)
        return f"<{_ELEMENTS[kind]}>", f"</{_ELEMENTS[kind]}>"

    def _is_apart(self, start: int, end: int) -> bool:
        """Whether a mark has blanks or punctuation on both sides, where an underscore can be its sign."""
        return all(_parts(self._before(start), self._after(start))) and all(_parts(self._after(end), self._before(end)))

    def _before(self, place: int, kind: int = 0) -> str:
        """Return the character before a place; signs that make one run with those of a mark of `kind` are skipped."""
        own = self.run[place]
        for at in range(place - 1, -1, -1):
            piece = self.run[at]
            if not kind or not self._in_one_run(kind, at):
                return self._last(piece, at)
            if _turns(piece, own):
                return _TOUCHES
        return ">" if self.in_cell else " "

    def _after(self, place: int, kind: int = 0) -> str:
        """Return the character after a place in the same way."""
        own = self.run[place]
        for at in range(place + 1, len(self.run)):
            piece = self.run[at]
            if not kind or not self._in_one_run(kind, at):
                return self._first(piece, at)
            if _turns(piece, own):
                return "<"  # that one will see this one before it, and become an element
        return "<" if self.in_cell else "\n"

    def _in_one_run(self, kind: int, at: int) -> bool:
        """Whether the signs of a mark at a place would be one run with those of a mark of `kind`."""
        other = self.signs[at]
        return other != "" and other[0] == _SIGNS[kind][0] and self.forms.get(at, other) == other

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


def _parts(outside: str, inside: str) -> tuple[bool, bool]:
    """Whether a blank or punctuation is outside a mark, and no blank inside."""
    return outside.isspace() or (outside != "_" and _is_punctuation(outside)), not inside.isspace()


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


# What YAML does not allow as it is, or takes for the end of a line.
_UNWRITTEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write_front_matter(facts: Mapping[str, Any]) -> str:
    """Return facts, texts or lists of texts, as front matter between its two lines, without the empty ones."""
    lines = ["---"]
    for name, value in facts.items():
        if isinstance(value, str) and value:
            lines.append(f"{name}: {_quoted(value)}")
        elif value:
            lines += [f"{name}:", *(f"  - {_quoted(each)}" for each in value)]
    return "\n".join([*lines, "---"])


def _quoted(text: str) -> str:
    """Return a text in quotes: a string of JSON is one of YAML, but for a few characters."""
    whole = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return _UNWRITTEN.sub(lambda found: f"\\u{ord(found[0]):04x}", whole)
