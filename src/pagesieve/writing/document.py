"""The document of a selection: a table of paragraphs, headings, lists, quotes, code and tables, in reading order.

The kernel builds it (`pagesieve.page.kernel.document.document`), and all writers write it, so that the formats always
agree. It contains none of the page's markup.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pagesieve.page import kernel
from pagesieve.page.kernel import constants as kinds
from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.page.lines import as_marks
from pagesieve.page.stated import base_url
from pagesieve.page.table import Bools, Page
from pagesieve.stages import stage
from pagesieve.text.patterns import pattern
from pagesieve.text.urls import safe_url
from pagesieve.text.whitespace import fold

if TYPE_CHECKING:
    from pagesieve.page.kernel.document.document import BlockTable
    from pagesieve.writing.images import Images
    from pagesieve.writing.notes import Notes

_RT, _RP = TAG_ID["rt"], TAG_ID["rp"]
_MERGED = frozenset((*range(kinds.STRONG, kinds.STRIKE + 1), kinds.LINK))


class WriterOptions(NamedTuple):
    """Options for writing more than the text."""

    links: bool = False
    images: bool = False
    tables: bool = True
    captions: bool = True
    captions_in_text: bool = True  # in plain text too; a document of little else has them there all the same
    # For one page of several:
    note_prefix: str = ""  # before the label of each note
    images_before: frozenset[str] = frozenset()  # `image_names` of the pages before, which are not written again


class Mark(NamedTuple):
    """A mark in a line: emphasis, a link, an image, a note and so on.

    Marks up to LINK open and close (a negative kind) around words. Those from CODE to FORMULA have a text of their own.
    An image has its address and the words that stand in for it; a reference has the label of its note, none where it
    leads back from it.
    """

    kind: int
    text: str = ""
    url: str = ""


Target = tuple[str, str]  # the address of a link or an image, and the words that stand in for the image
Piece = str | Mark
Run = list[Piece]  # the inside of a line, in reading order; white space is folded across pieces

_MARKS = {kind: Mark(kind) for kind in range(-kinds.LINK, kinds.BREAK + 1)}


def _column(number: int) -> cached_property[list[int]]:
    """Return a property for a column of the block table as a list, created on first access."""
    return cached_property(lambda document: document.table.blocks[number :: kinds.BLOCK_COLUMNS].tolist())


class Document:
    """The blocks of a document by columns; block 0 is the document itself.

    The parts of block `b` begin at `b + 1`; each ends where the next begins, at its `end`; the last one at `end[b]`.
    `pagesieve.page.kernel.constants` names the kinds and says what `value` is.
    """

    def __init__(self, page: Page, table: BlockTable, rare: _Rare, captions_in_text: bool = True) -> None:
        self.page = page
        self.table = table
        self.targets = rare.targets
        self._notes = rare.found_notes
        self._languages = rare.languages
        self.captions_in_text = captions_in_text

    def __len__(self) -> int:
        return len(self.table.blocks) // kinds.BLOCK_COLUMNS - 1

    kind = _column(kinds.KIND)
    end = _column(kinds.END)
    begin = _column(kinds.BEGIN)  # where the text begins, in bytes; of a cell, the columns that it spans
    stop = _column(kinds.STOP)  # where the text ends; of a cell, the rows that it spans
    value = _column(kinds.VALUE)
    _marks = _column(kinds.MARKS)
    _marks_end = _column(kinds.MARKS_END)

    @cached_property
    def _mark_rows(self) -> list[tuple[int, ...]]:
        numbers = iter(self.table.marks.tolist())
        return list(zip(*[numbers] * kinds.MARK_COLUMNS, strict=True))

    def parts(self, block: int = 0) -> Iterator[int]:
        """Yield the parts of a block."""
        part, stop, end = block + 1, self.end[block], self.end
        while part < stop:
            yield part
            part = end[part]

    def text(self, block: int) -> str:
        """Return the text of a paragraph, a heading or a code block, without its marks."""
        return self.table.text[self.begin[block] : self.stop[block]].decode("utf-8", "replace")

    def language(self, block: int) -> str:
        """Return the language of a code block, where the page says it."""
        row = self.value[block]
        return language(self.page, row) or self._languages.get(row, "")

    def note(self, block: int) -> str:
        """Return the label of an item or a block that is a note; empty for others."""
        number = self.value[block] if self.kind[block] in (kinds.ITEM, kinds.NOTE) else 0
        return self._notes.label(number) if self._notes and number else ""

    def is_image(self, block: int) -> bool:
        """Whether a paragraph holds nothing but images."""
        if self.kind[block] != kinds.PARAGRAPH or self._marks[block] == self._marks_end[block]:
            return False
        marks = self._mark_rows[self._marks[block] : self._marks_end[block]]
        return any(mark[0] == kinds.IMAGE for mark in marks) and not self.text(block).strip()

    def run(self, block: int) -> Run:
        """Return the text of a paragraph or a heading in pieces."""
        first, last = self._marks[block], self._marks_end[block]
        if first == last:
            return [self.text(block)]
        run: Run = []
        words = self.table.text
        at = self.begin[block]
        for kind, place, value in self._mark_rows[first:last]:
            if place > at:
                run.append(words[at:place].decode("utf-8", "replace"))
                at = place
            if kind == kinds.BREAK:
                at += 1
                run.append(_MARKS[kind])
            elif value >= 0:
                url, alt = self.targets[value]
                run.append(Mark(kind, alt, url))
            elif -kinds.FORMULA <= kind <= -kinds.CODE:  # the piece before is its text
                run[-1] = Mark(-kind, str(run[-1]))
            elif kind < kinds.CODE:
                run.append(_MARKS[kind])
        if at < self.stop[block]:
            run.append(words[at : self.stop[block]].decode("utf-8", "replace"))
        return run


def settle(run: Run) -> Run:
    """Join texts that touch, and drop marks around nothing and marks that close only to open again."""
    settled: Run = []
    for piece in run:
        last = settled[-1] if settled else None
        if isinstance(piece, str):
            if isinstance(last, str):
                settled[-1] = last + piece
            else:
                settled.append(piece)
        elif isinstance(last, Mark) and _cancel(last, piece):
            settled.pop()
        else:
            settled.append(piece)
    return settled


def _cancel(last: Mark, mark: Mark) -> bool:
    if 0 < last.kind <= kinds.LINK:
        return mark.kind == -last.kind
    return mark.kind in _MERGED and last.kind == -mark.kind and last.url == mark.url


def without(run: Run, kind: int) -> Run:
    """Return a run without the marks of one kind."""
    return settle([piece for piece in run if isinstance(piece, str) or abs(piece.kind) != kind])


def in_one_line(run: Run) -> Run:
    """Return a run with blanks instead of line breaks."""
    return settle([" " if isinstance(piece, Mark) and piece.kind == kinds.BREAK else piece for piece in run])


@stage("writing")
def build(page: Page, rows: Any, options: WriterOptions = WriterOptions()) -> Document:
    """Return the document made of the text rows that `rows` marks: a mask, as an array or as bytes."""
    rare = _Rare(page, options)
    table = kernel.document.document.build(page, as_marks(rows), options, rare)
    return Document(page, table, rare, options.captions_in_text)


class _Rare:
    """Handles rare elements, links and images for the kernel."""

    def __init__(self, page: Page, options: WriterOptions) -> None:
        self.page = page
        self._note_prefix = options.note_prefix
        self.targets: list[Target] = []
        self._numbers: dict[str, int] = {}  # of the targets of links
        self.found_notes: Notes | None = None
        self.languages: dict[int, str] = {}  # of code, by its row: what a label beside it names
        self._images_before = options.images_before

    @cached_property
    def _images(self) -> Images:
        from pagesieve.writing.images import Images

        return Images(self.page, self._images_before)

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def formula_copies(self) -> bytes:
        """Mark the rows that are the rendered copy of an adjacent formula."""
        from pagesieve.writing.math import formula_copies

        return formula_copies(self.page)

    def formula(self, row: int) -> tuple[bytes, bool]:
        """Return a formula and whether it is TeX; nothing for an empty one."""
        from pagesieve.writing.math import formula

        text, is_tex = formula(self.page, row)
        return text.encode(), is_tex

    def is_gutter(self, row: int) -> bool:
        """Whether a row holds nothing but line numbers."""
        return is_gutter(self.page, row)

    def is_tool_line(self, line: bytes) -> bool:
        """Whether a line beside a block of code belongs to its tool bar."""
        return bool(_TOOL_LINE.fullmatch(fold(line.decode("utf-8", "replace")).lower()))

    def is_label(self, line: bytes, row: int, apart: bool) -> bool:
        """Whether a line before the code of a row only names its language, or the languages of some tabs.

        If the line is `apart`, like a heading or a list, it and the code must be alone in an element.
        """
        text = fold(line.decode("utf-8", "replace"))
        names = languages_in(text)
        if not names or (apart and not _is_headed(self.page, row, text, len(names) == 1)):
            return False
        return len(names) > 1 or self._has_language(row, names[0])

    def is_label_in(self, inner: int, row: int) -> bool:
        """Whether an element at the beginning of the code of a row only names its language."""
        page = self.page
        name = page.text(inner).strip().lower()
        if name not in _LABELS or page.text_chars[inner] == page.text_chars[row]:
            return False
        is_named = _LABEL.search(page.attribute(inner, "class") or "")
        return bool(is_named or _is_before_code(page, inner, row)) and self._has_language(row, name)

    def _has_language(self, row: int, name: str) -> bool:
        """Whether code may be in a language, judged by the page; record the language if the page does not state any.

        If there are several labels, the nearest one counts; the kernel passes it first.
        """
        stated = language(self.page, row) or self.languages.get(row, "")
        if _ALIASES.get(stated, stated) != _ALIASES.get(name, name) if stated else name in _TOOLS:
            return False
        self.languages[row] = _checked(name)
        return True

    def notes(self, kept: Bools) -> array[int] | None:
        """Return the role of each row for notes; empty if there are no notes."""
        from pagesieve.writing.notes import find_notes

        self.found_notes = find_notes(self.page, kept, self._note_prefix)
        return self.found_notes.rows if self.found_notes else None

    def reference(self, note: int) -> int:
        """Return the number of the target that has the label of a note, none for a link back."""
        self.targets.append(("", self.found_notes.label(-note) if self.found_notes and note < 0 else ""))
        return len(self.targets) - 1

    def is_sign(self, row: int) -> bool:
        """Whether the text of a row has no letter and no digit."""
        return not any(map(str.isalnum, self.page.text(row)))

    def place_cells(self, lines: Lines) -> tuple[int, list[tuple[int, int, int]]]:
        """Find the columns of cells that span."""
        return place_cells(lines)

    def ruby(self, row: int, kept: Bools) -> bytes:
        """Return a text with its reading in brackets: the page's own brackets where it has them."""
        import numpy as np

        page, end = self.page, int(self.page.end[row])
        brackets = _RP in page.tag[row:end]
        parts: list[str] = []
        for here in (row + np.flatnonzero(page.tag[row:end] == TEXT)).tolist():
            text, above = page.text(here), page.tag[page.parent[here]]
            if page.chars[here] == 0 or not kept[here]:
                parts.append(" " if text and above not in (_RT, _RP) else "")
            elif above == _RT and not brackets:
                parts.append(f"({fold(text)})")
            else:
                parts.append(fold(text) if brackets and above in (_RT, _RP) else text)
        return "".join(parts).encode("utf-8", "replace")

    def link(self, row: int) -> int:
        """Return the number of a link's target; -1 if there is none that may be written."""
        url = safe_url(self.page.attribute(row, "href") or "", self._base)
        if not url:
            return -1
        number = self._numbers.setdefault(url, len(self.targets))
        if number == len(self.targets):
            self.targets.append((url, ""))
        return number

    def image(self, row: int) -> int:
        """Return the number of an image; -1 if it is not written."""
        image = self._images.read(row)
        if image is None:
            return -1
        self.targets.append(image)
        return len(self.targets) - 1


# Code: its language, and the line numbers and tool bars next to it

# What only the buttons beside code say.
_TOOL_LINE = pattern(
    r"copy|copied!?|copy code|copy (?:to|as) \w+|copy snippet|run code|try it|try it out|try it yourself ?»?|"
    r"open in \w+|open sandbox|view raw|\d+ lines?(?: of code)?|copier|copiar|copiar código|kopieren|code kopieren|"
    r"копировать|скопировать|复制|复制代码|复制成功|拷贝|複製|コピー|복사"
)

_CODE = tag_ids("code kbd samp tt")

_GUTTER = pattern(r"\b(?:gutter|gl|ln[tr]?|line-?nos?|line-?num(?:ber)?s?|linenodiv|nums?|blob-num)\b", re.IGNORECASE)
_LANGUAGE_NAME = pattern(r"[a-z][\w+#.-]{0,19}", re.ASCII)
_PREFIX = pattern(r"(?:language|lang|highlight-source|highlight-text|highlight|brush|src)[-:_](.+)")
_NO_LANGUAGE = frozenset("none plain plaintext text txt nohighlight default source console-output wrapper lang".split())
# Names that stand for a language when they are a class of their own, beside a highlighter's.
_LANGUAGES = frozenset(
    "asm bash batch c c# c++ clojure cmake cpp cs csharp css dart diff docker dockerfile elixir elm erlang fortran "
    "fsharp go golang graphql groovy haskell hcl html http ini java javascript js json jsx julia kotlin latex less "
    "lisp lua makefile markdown matlab nginx nim nix objc objectivec ocaml pascal perl php powershell prolog proto "
    "protobuf ps1 py pycon python python3 r rb ruby rs rust sass scala scheme scss sh shell solidity sql svelte swift "
    "tcl terraform tex toml ts tsx typescript vb vbnet verilog vhdl vim vue xml yaml yml zig zsh".split()
)
# Other names that labels of code have, and names of one language.
_LABELS = _LANGUAGES | frozenset("console curl f# node.js nodejs objective-c plaintext".split())
_TOOLS = frozenset("cmake docker http nginx terraform vim".split())  # also what a line above code may be about
_PACKAGERS = frozenset("bun cargo conda gradle maven npm npx pip pnpm poetry sbt uv yarn".split())  # beside each other
_ALIASES = {
    name: names.split()[0]
    for names in (
        "bash console sh shell zsh",
        "cpp c++",
        "csharp c# cs",
        "fsharp f#",
        "go golang",
        "html markup vue xml",
        "javascript js jsx node.js nodejs",
        "markdown md",
        "objectivec objc objective-c",
        "powershell ps1",
        "python py pycon python3",
        "ruby rb",
        "rust rs",
        "typescript ts tsx",
        "yaml yml",
    )
    for name in names.split()
}
_LABEL = pattern(
    r"(?:^|[\s_-])(?:lang(?:uage)?|code[-_]?(?:lang(?:uage)?|label|type))(?:[-_]?(?:name|label|tag|title|badge))?(?!\S)"
)
_BETWEEN_TABS = pattern(r"[\s|/·•]+")
_COPY = pattern(r"\scopy(?: code)?$")
_HIGHLIGHTERS = frozenset(
    "brush: code codehilite crayon highlight hljs prettyprint sourcecode syntaxhighlighter".split()
)
_NAMING = ("data-lang", "data-language", "data-enlighter-language", "data-code-language")


def is_gutter(page: Page, row: int) -> bool:
    """Whether a row holds nothing but the line numbers beside a piece of code."""
    if not _GUTTER.search(page.attribute(row, "class") or ""):
        return False
    text = "".join(page.text(row).split())
    return not text or (text.isascii() and text.isdigit())


def languages_in(text: str) -> list[str]:
    """Return the languages that a line names if it has no other words; next to others, package managers count too."""
    names = list(filter(None, _BETWEEN_TABS.split(_COPY.sub("", text.lower()))))
    vocabulary = _LABELS | _PACKAGERS if len(names) > 1 else _LABELS
    return names if vocabulary.issuperset(names) else []


def _is_headed(page: Page, row: int, line: str, alone: bool) -> bool:
    """Whether an element around code begins with a line, and with nothing else before the code.

    One that is `alone` names the code and nothing else, so nothing else follows, nor can the element be linked to.
    """
    above, before = row, ""
    while above > 0 and not before:
        above = int(page.parent[above])
        if page.text_at[row] - page.text_at[above] > kinds.MAX_TABS_LENGTH:
            return False
        before = _squeezed(page, int(page.text_at[above]), int(page.text_at[row]))
    rest = before.removeprefix("".join(line.lower().split()))
    if rest == before or not (rest == "" or rest.startswith("copy")):
        return False
    if not alone:
        return True
    behind = int(page.text_at[page.end[above]]) - int(page.text_at[page.end[row]])
    is_linked = page.attribute(above, "id") is not None and page.attribute(above, "role") != "tabpanel"
    return behind <= kinds.MAX_TOOL_LENGTH and not is_linked


def _is_before_code(page: Page, inner: int, row: int) -> bool:
    """Whether all that follows a row in another is an element of code, and not in the same line."""
    end, stop = int(page.end[inner]), int(page.end[row])
    code = next((k for k in range(end, stop) if int(page.tag[k]) in _CODE or page.chars[k] > 0), stop)
    if code == stop or int(page.tag[code]) not in _CODE or page.text_chars[code] == 0:
        return False
    between = page.text_buffer[page.text_at[end] : page.text_at[code]]
    return (not between or b"\n" in between) and page.text_chars[code] == page.text_chars[row] - page.text_chars[inner]


def _squeezed(page: Page, start: int, stop: int) -> str:
    """Return a text without blanks, in small letters."""
    return "".join(page.text_buffer[start:stop].decode("utf-8", "replace").lower().split())


def language(page: Page, row: int) -> str:
    """Return the language of a piece of code, from itself, the code element in it, or the three elements around it."""
    below = page.tag[row + 1 : min(row + 4, int(page.end[row]))].tolist()
    inner = [row + 1 + number for number, tag in enumerate(below) if tag in _CODE]
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
    """Return the language that an element's attributes name; `own` where the element is the code itself."""
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


# The positions of cells in a table with cells that span columns or rows

Span = tuple[int, int, bool]  # the columns and rows of a cell, and whether there is text in it
Lines = list[tuple[int, list[Span]]]  # the number of each row that is not empty, and its cells


def place_cells(numbered: Lines) -> tuple[int, list[tuple[int, int, int]]]:
    """Return the width of a table, and (column, columns, rows) for each of its cells.

    Columns in which no cell with text begins say nothing and are left out: their cells have column -1, so a cell that
    claims a thousand columns costs nothing. Where the grid would still be huge, the width is 0 and the cells of each
    line are numbered. Rows are counted without the empty ones.
    """
    lines = _with_rows_left(numbered)
    columns = _columns(lines)
    if columns is None:
        return 0, [(number, cell[0], cell[1]) for line in lines for number, cell in enumerate(line)]
    cells = [cell for line in lines for cell in line]
    used = sorted({column for column, cell in zip(columns, cells, strict=True) if cell[2]})
    if len(used) * len(lines) > kinds.MAX_GRID_SIZE:
        return 0, [(number, cell[0], cell[1]) for line in lines for number, cell in enumerate(line)]
    index = {column: number for number, column in enumerate(used)}
    return len(used), [(index.get(at, -1), cell[0], cell[1]) for at, cell in zip(columns, cells, strict=True)]


def _with_rows_left(numbered: Lines) -> list[list[Span]]:
    """Return the cells of each row, spanning only rows that are there."""
    left = [number for number, _ in numbered]

    def count(number: int, rows: int) -> int:
        return bisect_left(left, number + rows) - bisect_left(left, number) if rows > 1 else rows

    return [[(columns, count(number, rows), filled) for columns, rows, filled in line] for number, line in numbered]


def _columns(lines: list[list[Span]]) -> list[int] | None:
    """Return the column in which each cell begins; None where cells reach too far down to say."""
    if sum(columns * rows for line in lines for columns, rows, _ in line if rows > 1) > kinds.MAX_GRID_SIZE:
        return None
    taken: dict[int, int] = {}  # column -> how many more rows it is taken from above
    found: list[int] = []
    for line in lines:
        column = 0
        fresh: dict[int, int] = {}
        for columns, rows, _ in line:
            while column in taken:
                column += 1
            found.append(column)
            if rows > 1:
                fresh.update(dict.fromkeys(range(column, column + columns), rows))
            column += columns
        taken = {place: left - 1 for place, left in (taken | fresh).items() if left > 1}
    return found


# Plain text, which the kernel writes


@stage("writing")
def write_text(document: Document) -> str:
    """Return a document as plain text. Links and images are written as in Markdown."""
    text: str = kernel.document.plaintext.text(document.table, document.targets, document.captions_in_text)
    return text
