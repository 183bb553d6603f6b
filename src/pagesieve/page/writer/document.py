"""The selected rows of a page as a small document: paragraphs, headings, lists, quotes, code, tables.

One builder reads the page, three writers write what it built, so the formats cannot disagree about what a page
says. Nothing of the page's own markup goes further than this.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin

import numpy as np

from pagesieve.page.table import SEEN, Bools, Page
from pagesieve.page.tags import BLOCK, TAG_ID, TEXT, tag_ids
from pagesieve.page.writer.inline import (
    Break,
    Image,
    InlineCode,
    Mark,
    Math,
    Run,
    clean,
    fold,
    is_empty,
    tidy,
)
from pagesieve.page.writer.math import linear, tex_of
from pagesieve.page.writer.tables import is_data_table, span

DEEPEST = 40  # containers nested further are written as if they were not there
SAFE_SCHEMES = ("http:", "https:", "mailto:", "ftp:", "tel:")

_MARKS = {
    "strong": "strong",
    "b": "strong",
    "em": "em",
    "i": "em",
    "cite": "em",
    "s": "strike",
    "strike": "strike",
    "del": "strike",
    "sup": "sup",
    "sub": "sub",
}
_MARK_OF = {TAG_ID[name]: kind for name, kind in _MARKS.items()}
_CODE = tag_ids("code kbd samp tt")
_PRE = tag_ids("pre listing xmp plaintext")
_LISTS = tag_ids("ul ol menu dir")
_HEADINGS = {TAG_ID[f"h{level}"]: level for level in range(1, 7)}
_GUTTER = re.compile(r"\b(gutter|line-?nos?|line-?numbers?|rouge-gutter|lnt?)\b")
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|brush|sourceCode|highlight)[-:_ ]+\s*([A-Za-z][\w+#.-]*)")
_NO_LANGUAGE = {"none", "plain", "plaintext", "text", "nohighlight", "default", "source"}


@dataclass(slots=True)
class Paragraph:
    """A line of text or several; `caption` where it belongs to a picture or table."""

    run: Run
    caption: bool = False


@dataclass(slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    run: Run


@dataclass(slots=True)
class CodeBlock:
    """Code, as it stands, and its language where the page says it."""

    text: str
    language: str


@dataclass(slots=True)
class Rule:
    """A line across the page."""


@dataclass(slots=True)
class Quote:
    """A quotation."""

    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Listing:
    """A list; `start` is the first number of an ordered one."""

    ordered: bool
    start: int = 1
    items: list[list[Block]] = field(default_factory=list)


@dataclass(slots=True)
class Definitions:
    """Terms and what is said of them, in order: (is it a term, its blocks)."""

    entries: list[tuple[bool, list[Block]]] = field(default_factory=list)


@dataclass(slots=True)
class Cell:
    """A cell of a table and how many columns and rows it spans."""

    blocks: list[Block]
    header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Table:
    """Rows of cells."""

    rows: list[list[Cell]] = field(default_factory=list)
    caption: Run = field(default_factory=list)


Block = Paragraph | Heading | CodeBlock | Rule | Quote | Listing | Definitions | Table


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """What else is written beside the text."""

    links: bool = False
    images: bool = False
    tables: bool = True


def build(page: Page, rows: Bools, options: WriterOptions = WriterOptions()) -> list[Block]:
    """The document made of the text rows that `rows` marks."""
    return _Builder(page, rows, options).build()


def base_url(page: Page) -> str | None:
    """What the page's relative addresses are relative to."""
    for row in page.rows("base"):
        href = page.attribute(int(row), "href")
        if href:
            return urljoin(page.url or "", href.strip()) or None
    return page.url


@dataclass(frozen=True, slots=True)
class _Target:
    """Where finished blocks go, and the list, definitions or table that this is the inside of."""

    add: Callable[[Block], None]
    inside: Listing | Definitions | Table | None = None


class _Builder:
    """Walks the rows once, in order, with a stack of what is open."""

    def __init__(self, page: Page, rows: Bools, options: WriterOptions) -> None:
        self.page = page
        self.options = options
        self.base = base_url(page)
        self.tag: list[int] = page.tag.tolist()
        self.end: list[int] = page.end.tolist()
        self.sort: list[int] = page.sort.tolist()
        self.has_math = bool((page.tag == TAG_ID["math"]).any())
        self.kept: Bools = np.logical_and(rows, page.tag == TEXT)
        self.wanted = (page.below(self._with_objects()) > 0).tolist()
        self.document: list[Block] = []
        self.target = _Target(self.document.append)
        self.run: Run = []
        self.marks: list[Mark] = []
        self.heading = 0
        self.caption = False
        self.nesting = 0
        self.after_link = False
        self.closing: list[tuple[int, Callable[[], None]]] = []  # (row where it closes, what to do then)

    def _with_objects(self) -> Bools:
        """The kept rows and the pictures, lines and formulas that stand among them."""
        page, wanted = self.page, np.copy(self.kept)
        names = ["hr", "math", "script"] + (["img"] if self.options.images else [])
        kept_chars, all_chars = page.below(page.chars * self.kept), page.text_chars
        for row in page.rows(*names).tolist():
            if self.tag[row] == TAG_ID["script"] and not (page.attribute(row, "type") or "").startswith("math/tex"):
                continue
            above = row
            while above > 0 and all_chars[above] == 0:
                above = int(page.parent[above])
            wanted[row] = 2 * kept_chars[above] >= all_chars[above] > 0
        return wanted

    def build(self) -> list[Block]:
        row, last = 0, len(self.page)
        while row < last:
            self._close_until(row)
            row = self._visit(row) if self.wanted[row] else self._pass(row)
        self._close_until(last)
        self._flush()
        return self.document

    def _close_until(self, row: int) -> None:
        while self.closing and self.closing[-1][0] <= row:
            self.closing.pop()[1]()

    def _pass(self, row: int) -> int:
        """Leaves a subtree out; its line ends count, so that what stands around it is not run together."""
        tag = self.tag[row]
        if tag == TAG_ID["br"]:
            self._break()
        elif tag == TAG_ID["input"]:
            self._checkbox(row)
        elif self.sort[row] & BLOCK:
            self._flush()
        elif tag == TAG_ID["img"] or (self.page.state[row] == SEEN and self._has_text(row)):
            self.run.append(" ")
        return self.end[row]

    def _has_text(self, row: int) -> bool:
        return bool(self.page.text_at[self.end[row]] > self.page.text_at[row])

    def _visit(self, row: int) -> int:
        """Opens a row; returns the row to go on with: the next one, or the one after its subtree."""
        tag = self.tag[row]
        if tag == TEXT:
            self.run.append(self.page.text(row))
            self.after_link = False
            return row + 1
        if self.has_math and self._is_second_copy_of_math(row):
            return self.end[row]
        whole = self._WHOLE.get(tag)
        if whole is not None:
            whole(self, row)
            return self.end[row]
        opener = self._OPENERS.get(tag)
        if opener is not None:
            return opener(self, row)
        if self.sort[row] & BLOCK:
            self._flush()
            self.closing.append((self.end[row], self._flush))
        return row + 1

    # Lines

    def _flush(self) -> None:
        """Ends the line: what has come together becomes a paragraph or a heading."""
        self.after_link = False
        if not self.run:
            return
        run = tidy(self.run + [Mark(mark.kind, False) for mark in reversed(self.marks)])
        self.run = list(self.marks)
        if is_empty(run):
            return
        if self.heading:
            self.target.add(Heading(self.heading, _in_one_line(run)))
        else:
            self.target.add(Paragraph(run, self.caption))

    def _break(self) -> None:
        """A line break; a second one in a row ends the paragraph."""
        self.after_link = False
        for piece in reversed(self.run):
            if isinstance(piece, Break):
                self._flush()
                return
            if not isinstance(piece, Mark) and not (isinstance(piece, str) and not piece.strip()):
                break
        self.run.append(Break())

    def _mark(self, row: int, mark: Mark) -> int:
        self.run.append(mark)
        self.marks.append(mark)
        self.closing.append((self.end[row], lambda: self._unmark(mark)))
        return row + 1

    def _unmark(self, mark: Mark) -> None:
        self.marks.remove(mark)
        self.run.append(Mark(mark.kind, False))

    def _open_style(self, row: int) -> int:
        kind = _MARK_OF[self.tag[row]]
        if any(mark.kind == kind for mark in self.marks):
            return row + 1
        return self._mark(row, Mark(kind, True))

    def _open_link(self, row: int) -> int:
        # Two links that touch are two things: their words are never one word.
        if self.after_link:
            self.run.append(" ")
        href = self.page.attribute(row, "href")
        if href is None:
            return row + 1
        self.closing.append((self.end[row], self._leave_link))
        url = self._address(href)
        if not (self.options.links and url) or any(mark.kind == "link" for mark in self.marks):
            return row + 1
        return self._mark(row, Mark("link", True, url))

    def _leave_link(self) -> None:
        self.after_link = True

    def _open_quotation(self, row: int) -> int:
        self.run.append("“")
        self.closing.append((self.end[row], lambda: self.run.append("”")))
        return row + 1

    def _address(self, address: str) -> str:
        """An address made absolute; empty where it is not one that may be written."""
        address = "".join(clean(address).split())
        try:
            url = urljoin(self.base, address) if self.base else address
        except ValueError:
            return ""
        scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", url)
        if scheme and scheme[0].lower() not in SAFE_SCHEMES:
            return ""
        return url

    # Things among the words

    def _code(self, row: int) -> None:
        text = self._verbatim(row)
        if text.strip():
            # Blanks at the ends are between the code and the words around it.
            self.run.extend((text[: len(text) - len(text.lstrip())], InlineCode(fold(text))))
            self.run.append(text[len(text.rstrip()) :])
            self.after_link = False

    def _ruby(self, row: int) -> None:
        """The text with its reading in brackets: the page's own brackets where it has them."""
        page, brackets = self.page, TAG_ID["rp"] in self.tag[row : self.end[row]]
        for inner in range(row + 1, self.end[row]):
            if self.tag[inner] != TEXT:
                continue
            reading = self.tag[int(page.parent[inner])] == TAG_ID["rt"]
            text = fold(page.text(inner))
            self.run.append(f"({text})" if reading and text and not brackets else text)
        self.after_link = False

    def _math(self, row: int) -> None:
        tex = tex_of(self.page, row)
        text = tex if tex else linear(self.page, row)
        if text:
            self.run.append(Math(text, bool(tex), self.page.attribute(row, "display") == "block"))

    def _script(self, row: int) -> None:
        tex = fold(self.page.text(row))
        if tex:
            self.run.append(Math(tex, True, "display" in (self.page.attribute(row, "type") or "")))

    def _is_second_copy_of_math(self, row: int) -> bool:
        """Whether a row repeats for the eye what a formula beside it says (as KaTeX and MathJax write it)."""
        if self.page.attribute(row, "aria-hidden") != "true":
            return False
        above = int(self.page.parent[row])
        around = self.tag[above : self.end[above]]
        return TAG_ID["math"] in around and TAG_ID["math"] not in self.tag[row : self.end[row]]

    def _image(self, row: int) -> None:
        found = self.page.attributes(row)
        sources = (found.get(name, "") for name in ("src", "data-src", "data-original", "data-lazy-src"))
        url = next((url for source in sources if source and (url := self._address(source))), "")
        if not url and found.get("srcset"):
            url = self._address(found["srcset"].split(",")[0].split()[0])
        if url:
            self.run.append(Image(url, fold(found.get("alt", ""))))

    def _checkbox(self, row: int) -> None:
        if self.page.attribute(row, "type") == "checkbox" and self._list_item_above(row):
            self.run.append("[x] " if self.page.attribute(row, "checked") is not None else "[ ] ")

    def _list_item_above(self, row: int) -> bool:
        parents = (int(self.page.parent[row]), int(self.page.parent[self.page.parent[row]]))
        return any(self.tag[above] == TAG_ID["li"] for above in parents)

    def _rule(self, row: int) -> None:
        self._flush()
        self.target.add(Rule())

    # Blocks

    def _open_container(self, row: int, target: _Target, done: Callable[[], None]) -> int:
        """Sends what follows to another target until the row ends."""
        self._flush()
        if self.nesting >= DEEPEST:
            self.closing.append((self.end[row], self._flush))
            return row + 1
        before = self.target
        self.target = target
        self.nesting += 1

        def close() -> None:
            self._flush()
            self.target = before
            self.nesting -= 1
            done()

        self.closing.append((self.end[row], close))
        return row + 1

    def _open_heading(self, row: int) -> int:
        self._flush()
        before, self.heading = self.heading, _HEADINGS[self.tag[row]]

        def close() -> None:
            self._flush()
            self.heading = before

        self.closing.append((self.end[row], close))
        return row + 1

    def _open_caption(self, row: int) -> int:
        self._flush()
        before, self.caption = self.caption, True

        def close() -> None:
            self._flush()
            self.caption = before

        self.closing.append((self.end[row], close))
        return row + 1

    def _open_quote(self, row: int) -> int:
        quote, before = Quote(), self.target
        return self._open_container(
            row, _Target(quote.blocks.append), lambda: before.add(quote) if quote.blocks else None
        )

    def _open_list(self, row: int) -> int:
        listing = Listing(self.tag[row] == TAG_ID["ol"], _number(self.page.attribute(row, "start"), 1))
        before = self.target

        def stray(block: Block) -> None:
            """What stands in a list but in none of its items: a list goes with the item before it."""
            if isinstance(block, Listing) and listing.items:
                listing.items[-1].append(block)
            else:
                listing.items.append([block])

        def done() -> None:
            listing.items = [item for item in listing.items if item]
            if listing.items:
                before.add(listing)

        return self._open_container(row, _Target(stray, listing), done)

    def _open_item(self, row: int) -> int:
        item: list[Block] = []
        listing, before = self.target.inside, self.target
        self._flush()
        if isinstance(listing, Listing):
            listing.items.append(item)
            return self._open_container(row, _Target(item.append), lambda: None)
        return self._open_container(  # an item outside of any list
            row, _Target(item.append), lambda: before.add(Listing(False, items=[item])) if item else None
        )

    def _open_definitions(self, row: int) -> int:
        definitions, before = Definitions(), self.target

        def stray(block: Block) -> None:
            definitions.entries.append((False, [block]))

        def done() -> None:
            definitions.entries = [entry for entry in definitions.entries if entry[1]]
            if definitions.entries:
                before.add(definitions)

        return self._open_container(row, _Target(stray, definitions), done)

    def _open_entry(self, row: int) -> int:
        definitions = self.target.inside
        self._flush()
        if not isinstance(definitions, Definitions):
            self.closing.append((self.end[row], self._flush))
            return row + 1
        blocks: list[Block] = []
        definitions.entries.append((self.tag[row] == TAG_ID["dt"], blocks))
        return self._open_container(row, _Target(blocks.append), lambda: None)

    def _open_pre(self, row: int) -> None:
        self._flush()
        text = self._verbatim(row).strip("\r\n")
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        if text.strip():
            self.target.add(CodeBlock(text, self._language(row)))

    def _verbatim(self, row: int) -> str:
        """The kept text below a row as it stands; a block inside begins a new line."""
        page, parts = self.page, list[str]()
        inner = row + 1
        ends: list[int] = []
        while inner < self.end[row]:
            while ends and ends[-1] <= inner:
                ends.pop()
                _new_line(parts)
            tag = self.tag[inner]
            if tag == TEXT:
                # Blank texts are nobody's to select, and they hold the indentation.
                if self.kept[inner] or (page.chars[inner] == 0 and page.state[inner] == SEEN):
                    parts.append(clean(page.text(inner)))
            elif tag == TAG_ID["br"]:
                parts.append("\n")
            elif self._is_gutter(inner):
                inner = self.end[inner]
                continue
            elif self.sort[inner] & BLOCK:
                _new_line(parts)
                ends.append(self.end[inner])
            inner += 1
        return "".join(parts)

    def _is_gutter(self, row: int) -> bool:
        """Whether a row holds the line numbers beside a piece of code."""
        return bool(_GUTTER.search(self.page.attribute(row, "class") or ""))

    def _language(self, row: int) -> str:
        """The language of a piece of code, from itself, the code element in it, or the two elements around it."""
        inner = [r for r in range(row + 1, min(row + 4, self.end[row])) if self.tag[r] in _CODE]
        above = int(self.page.parent[row])
        for candidate in (row, *inner, above, int(self.page.parent[above])):
            if candidate <= 0:
                continue
            found = self.page.attributes(candidate)
            named = found.get("data-lang") or found.get("data-language") or ""
            match = _LANGUAGE.search(found.get("class", ""))
            language = (named or (match[1] if match else "")).lower()
            if language and language not in _NO_LANGUAGE and re.fullmatch(r"[\w+#.-]{1,20}", language):
                return language
        return ""

    # Tables

    def _open_table(self, row: int) -> int:
        if not is_data_table(self.page, row, self.kept):
            self._flush()
            self.closing.append((self.end[row], self._flush))
            return row + 1
        if not self.options.tables:
            self._flush()
            return self.end[row]
        table, before = Table(), self.target

        def stray(block: Block) -> None:
            """What stands in a table but in none of its cells: its caption, or a cell of its own."""
            if isinstance(block, Paragraph) and not table.rows:
                table.caption.extend([" ", *block.run] if table.caption else block.run)
            else:
                table.rows.append([Cell([block])])

        def done() -> None:
            table.rows = [cells for cells in table.rows if any(cell.blocks for cell in cells)]
            if table.rows:
                before.add(table)

        return self._open_container(row, _Target(stray, table), done)

    def _open_row(self, row: int) -> int:
        table = self.target.inside
        self._flush()
        if isinstance(table, Table):
            table.rows.append([])
        self.closing.append((self.end[row], self._flush))
        return row + 1

    def _open_cell(self, row: int) -> int:
        table = self.target.inside
        self._flush()
        if not isinstance(table, Table):
            if self._is_gutter(row):
                return self.end[row]
            self.closing.append((self.end[row], self._flush))
            return row + 1
        if not table.rows:
            table.rows.append([])
        # Cells left out before this one keep their place.
        cell = Cell([], self.tag[row] == TAG_ID["th"], *span(self.page, row))
        table.rows[-1].extend(self._cells_left_out(row, len(table.rows[-1])))
        table.rows[-1].append(cell)
        return self._open_container(row, _Target(cell.blocks.append), lambda: None)

    def _cells_left_out(self, row: int, written: int) -> list[Cell]:
        page, above = self.page, int(self.page.parent[row])
        before, sibling = 0, above + 1
        missing: list[Cell] = []
        while sibling < row:
            if self.tag[sibling] in _CELLS:
                if before >= written:
                    missing.append(Cell([], False, *span(page, sibling)))
                before += 1
            sibling = self.end[sibling]
        return missing

    _WHOLE: dict[int, Callable[[_Builder, int], None]]
    _OPENERS: dict[int, Callable[[_Builder, int], int]]


_CELLS = tag_ids("td th")

_Builder._WHOLE = {
    **dict.fromkeys(_PRE, _Builder._open_pre),
    **dict.fromkeys(_CODE, _Builder._code),
    TAG_ID["ruby"]: _Builder._ruby,
    TAG_ID["math"]: _Builder._math,
    TAG_ID["script"]: _Builder._script,
    TAG_ID["img"]: _Builder._image,
    TAG_ID["hr"]: _Builder._rule,
}
_Builder._OPENERS = {
    **dict.fromkeys(_MARK_OF, _Builder._open_style),
    **dict.fromkeys(_LISTS, _Builder._open_list),
    **dict.fromkeys(_HEADINGS, _Builder._open_heading),
    **dict.fromkeys(_CELLS, _Builder._open_cell),
    **dict.fromkeys(tag_ids("dt dd"), _Builder._open_entry),
    TAG_ID["a"]: _Builder._open_link,
    TAG_ID["q"]: _Builder._open_quotation,
    TAG_ID["li"]: _Builder._open_item,
    TAG_ID["dl"]: _Builder._open_definitions,
    TAG_ID["blockquote"]: _Builder._open_quote,
    TAG_ID["figcaption"]: _Builder._open_caption,
    TAG_ID["table"]: _Builder._open_table,
    TAG_ID["tr"]: _Builder._open_row,
}


def _in_one_line(run: Run) -> Run:
    """The run of a heading: no line breaks, and not bold once more."""
    pieces = [piece for piece in run if not (isinstance(piece, Mark) and piece.kind == "strong")]
    return tidy([" " if isinstance(piece, Break) else piece for piece in pieces])


def _new_line(parts: list[str]) -> None:
    if parts and not parts[-1].endswith("\n"):
        parts.append("\n")


def _number(text: str | None, default: int) -> int:
    try:
        number = int(text or "")
    except ValueError:
        return default
    return number if abs(number) < 10**9 else default
