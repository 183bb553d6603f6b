"""The selected rows of a page as a document. Nothing of the page's own markup goes further than this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pagesieve.page.kernel.tags import TAG_ID, TEXT, tag_ids
from pagesieve.page.table import Bools, Page
from pagesieve.writing.code import PRE, is_code_table, language, trimmed, verbatim
from pagesieve.writing.document import (
    Block,
    Cell,
    CodeBlock,
    Definitions,
    Heading,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Table,
    WriterOptions,
)
from pagesieve.writing.inline import Mark, has_words, in_one_line, is_empty, tidy, without
from pagesieve.writing.lines import INLINE_OPENERS, Lines
from pagesieve.writing.tables import cells_of, is_data_table, settle, skeleton

DEEPEST = 40  # containers nested further are written as if they were not there
LONGEST_HEADING = 400  # characters: what is longer is an article in a heading that nobody closed

_LISTS = tag_ids("ul ol menu dir")
_CELLS = tag_ids("td th")
_HEADINGS = {TAG_ID[f"h{level}"]: level for level in range(1, 7)}
_LI = TAG_ID["li"]


def build(page: Page, rows: Bools, options: WriterOptions = WriterOptions()) -> list[Block]:
    """The document made of the text rows that `rows` marks."""
    return _Builder(page, rows, options).build()


@dataclass(frozen=True, slots=True)
class _Target:
    """Where finished blocks go, and the list or definitions that this is the inside of."""

    add: Callable[[Block], None]
    inside: Listing | Definitions | None = None
    rules: bool = False  # whether a line across may stand here


class _Builder(Lines):
    """Walks the rows once, in order, with a stack of what is open."""

    def __init__(self, page: Page, rows: Bools, options: WriterOptions) -> None:
        super().__init__(page, rows, options)
        self.document: list[Block] = []
        self.target = _Target(self.document.append, rules=True)
        self.last: Block | None = None
        self.last_stray: Block | None = None  # the last list made of items outside of any
        self.caption = False
        self.nesting = 0
        self.cells: dict[int, Cell] = {}

    def build(self) -> list[Block]:
        """The document."""
        page, rows = self.page, self.rows
        visit = rows.to_visit()
        of_rows = (rows.tag, rows.line, rows.kept, page.text_at[:-1], page.text_at[1:])
        columns = (visit, *(column[visit] for column in of_rows), rows.seams(visit))
        line_before = -1
        for row, tag, line, kept, start, stop, seam in zip(*(column.tolist() for column in columns), strict=True):
            if row < self.skip:
                continue
            if self.closing and self.closing[-1][0] <= row:
                self._close_until(row)
            if line != line_before:
                line_before = line
                if self.run:
                    self._flush()
            if tag != TEXT:
                _OPENERS[tag](self, row)
            elif kept:
                text = page.text_buffer[start:stop].decode("utf-8", "replace")
                if seam and self._is_new_word(text):
                    self.run.append(" ")
                self.run.append(text)
                self.link_before = 0
            elif start < stop:
                # Blanks, and texts left out: what stands around them is not run together.
                self.run.append(" ")
                self.link_before = 0
        self._close_until(len(page))
        self._flush()
        return _without_idle_rules(self.document)

    def _add(self, block: Block) -> None:
        self.target.add(block)
        self.last = block

    def _flush(self) -> None:
        self.link_before = 0
        run = self.run
        self.run = [*self.marks]
        if self.marks:
            run.extend([Mark(mark.kind, False, mark.url) for mark in reversed(self.marks)])
        run = tidy(run)
        if is_empty(run):
            return
        if self.heading and has_words(run):
            self._add(Heading(self.heading, in_one_line(without(run, "strong"))))
        else:
            self._add(Paragraph(run, self.caption))

    # Blocks

    def _rule(self, row: int) -> None:
        if self.target.rules and self.rows.wanted[row]:
            self._add(Rule())

    def _redirect(self, row: int, target: _Target, done: Callable[[], Block | None]) -> None:
        """Sends what follows to another target until the row ends, then adds what came of it."""
        self._flush()
        before = self.target, self.heading, self.caption
        self.target, self.heading, self.caption, self.last = target, 0, False, None

        def close() -> None:
            self._flush()
            self.target, self.heading, self.caption = before
            self.last = None
            block = done()
            if block is not None:
                self._add(block)

        self._when_closed(row, close)

    def _open_container(self, row: int, target: _Target, done: Callable[[], Block | None]) -> bool:
        """Opens a container, unless containers are nested too deep already."""
        if self.nesting >= DEEPEST:
            return False
        self.nesting += 1

        def close() -> Block | None:
            self.nesting -= 1
            return done()

        self._redirect(row, target, close)
        return True

    def _open_part(self, row: int, blocks: list[Block]) -> None:
        """Opens a part of a container: an item, an entry, a cell."""
        self._redirect(row, _Target(blocks.append), lambda: None)

    def _open_heading(self, row: int) -> None:
        sums = self.rows.kept_chars
        if sums[self.page.end[row]] - sums[row] > LONGEST_HEADING:
            return
        before, self.heading = self.heading, _HEADINGS[int(self.page.tag[row])]

        def close() -> None:
            self._flush()
            self.heading = before

        self._when_closed(row, close)

    def _open_caption(self, row: int) -> None:
        before, self.caption = self.caption, True

        def close() -> None:
            self._flush()
            self.caption = before

        self._when_closed(row, close)

    def _open_quote(self, row: int) -> None:
        quote = Quote()
        self._open_container(row, _Target(quote.blocks.append, rules=True), lambda: quote if quote.blocks else None)

    def _open_list(self, row: int) -> None:
        ordered = bool(self.page.tag[row] == TAG_ID["ol"])
        listing = Listing(ordered, _number(self.page.attribute(row, "start"), 1) if ordered else 1)

        def stray(block: Block) -> None:
            """What stands in a list but in none of its items: a list goes with the item before it."""
            if not isinstance(block, Listing) or not listing.items or not listing.items[-1]:
                listing.items.append([block])
            elif isinstance(last := listing.items[-1][-1], Listing) and last.ordered == block.ordered:
                last.items.extend(block.items)
            else:
                listing.items[-1].append(block)

        self._open_container(row, _Target(stray, listing), lambda: _settled(listing))

    def _open_item(self, row: int) -> None:
        item: list[Block] = []
        listing = self.target.inside
        if isinstance(listing, Listing):
            if listing.ordered and not listing.items:
                listing.start += self._items_before(row)
            self._open_part(row, item)
            listing.items.append(item)
            return
        before = self.last

        def outside() -> Block | None:
            """Items outside of any list make one together."""
            if isinstance(before, Listing) and before is self.last_stray and item:
                before.items.append(item)
                self.last = before
                return None
            self.last_stray = _settled(Listing(False, items=[item]))
            return self.last_stray

        self._open_container(row, _Target(item.append), outside)

    def _items_before(self, row: int) -> int:
        """How many items of the same list were left out before this one."""
        page, above = self.page, int(self.page.parent[row])
        count, sibling = 0, above + 1
        while sibling < row:
            count += bool(page.tag[sibling] == _LI)
            sibling = int(page.end[sibling])
        return count

    def _open_definitions(self, row: int) -> None:
        definitions = Definitions()

        def stray(block: Block) -> None:
            definitions.entries.append((False, [block]))

        def done() -> Block | None:
            definitions.entries = [entry for entry in definitions.entries if entry[1]]
            return definitions if definitions.entries else None

        self._open_container(row, _Target(stray, definitions), done)

    def _open_entry(self, row: int) -> None:
        definitions = self.target.inside
        if not isinstance(definitions, Definitions):
            return
        blocks: list[Block] = []
        self._open_part(row, blocks)
        definitions.entries.append((bool(self.page.tag[row] == TAG_ID["dt"]), blocks))

    def _code_block(self, row: int) -> None:
        self._skip(row)
        text = trimmed(verbatim(self.page, row, self.rows.kept)[0])
        if text:
            self._add(CodeBlock(text, language(self.page, row)))

    # Tables

    def _open_table(self, row: int) -> None:
        page = self.page
        cells = cells_of(page, row)
        if is_code_table(page, row, cells.tolist()):
            self._code_block(row)
        elif is_data_table(page, row, cells, self.rows.kept_chars):
            if not self.options.tables:
                self._skip(row)
                return
            lines = skeleton(page, cells)
            table = Table([[cell for _, cell in line] for line in lines.values()])

            def done() -> Block | None:
                settle(table)
                return table if table.rows else None

            def stray(block: Block) -> None:
                """What stands in a table but in none of its cells is its caption."""
                if isinstance(block, Paragraph | Heading):
                    table.caption.extend([" ", *block.run] if table.caption else block.run)
                else:
                    table.rows.append([Cell([block])])

            if self._open_container(row, _Target(stray), done):
                self.cells.update(pair for line in lines.values() for pair in line)

    def _open_cell(self, row: int) -> None:
        cell = self.cells.pop(row, None)
        if cell is not None:
            self._open_part(row, cell.blocks)


_OPENERS: dict[int, Callable[[_Builder, int], None]] = {
    **INLINE_OPENERS,
    **dict.fromkeys(PRE, _Builder._code_block),
    **dict.fromkeys(_LISTS, _Builder._open_list),
    **dict.fromkeys(_HEADINGS, _Builder._open_heading),
    **dict.fromkeys(_CELLS, _Builder._open_cell),
    **dict.fromkeys(tag_ids("dt dd"), _Builder._open_entry),
    TAG_ID["hr"]: _Builder._rule,
    TAG_ID["li"]: _Builder._open_item,
    TAG_ID["dl"]: _Builder._open_definitions,
    TAG_ID["blockquote"]: _Builder._open_quote,
    TAG_ID["figcaption"]: _Builder._open_caption,
    TAG_ID["table"]: _Builder._open_table,
}


def _settled(listing: Listing) -> Block | None:
    """A list without empty items; a list that holds nothing but a list is that list; None for an empty one."""
    listing.items = [item for item in listing.items if item]
    if len(listing.items) == 1 and len(listing.items[0]) == 1 and isinstance(inner := listing.items[0][0], Listing):
        return inner
    return listing if listing.items else None


def _without_idle_rules(blocks: list[Block]) -> list[Block]:
    """The blocks with lines across only between others, and never two in a row."""
    kept: list[Block] = []
    for block in blocks:
        if not isinstance(block, Rule) or (kept and not isinstance(kept[-1], Rule)):
            kept.append(block)
    if kept and isinstance(kept[-1], Rule):
        kept.pop()
    return kept


def _number(text: str | None, default: int) -> int:
    try:
        number = int(text or "")
    except ValueError:
        return default
    return number if abs(number) < 10**9 else default
