"""A document as Markdown (CommonMark with GitHub's tables)."""

from __future__ import annotations

import re

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
from pagesieve.writing.inline import Mark, Run, in_one_line, without
from pagesieve.writing.markdown_inline import code_span, guard, inline, longest_ticks
from pagesieve.writing.tables import grid
from pagesieve.writing.text import indent

_BULLETS = ("-", "*")
_AFTER_NUMBER = (".", ")")
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)(?=#+$)")
_PIPE = re.compile(r"(\\?)\|")
_BREAK = "<br>"


def write_markdown(blocks: list[Block], options: WriterOptions = WriterOptions()) -> str:
    """The blocks as Markdown."""
    return _join(blocks, tight=False)


def _join(blocks: list[Block], tight: bool) -> str:
    """The blocks one after the other; a list that follows a paragraph closely belongs to it in a tight item."""
    written: list[str] = []
    last: Block | None = None
    other = False  # the list before had the second sort of marker
    for block in blocks:
        # Two lists in a row would be read as one, were their markers the same.
        other = not other and _would_merge(last, block)
        text = _block(block, int(other))
        if not text:
            continue
        if last is not None:
            written.append("\n" if tight and isinstance(last, Paragraph) and _may_follow(block) else "\n\n")
        written.append(text)
        last = block
    return "".join(written)


def _would_merge(last: Block | None, block: Block) -> bool:
    if isinstance(last, Definitions):
        return isinstance(block, Listing) and not block.ordered
    return isinstance(block, Listing) and isinstance(last, Listing) and block.ordered == last.ordered


def _may_follow(block: Block) -> bool:
    """Whether a block is a list that may stand right below a paragraph."""
    return isinstance(block, Listing) and (not block.ordered or block.start == 1)


def _block(block: Block, marker: int = 0) -> str:
    match block:
        case Paragraph():
            return _paragraph(_wrapped(block.run, "em") if block.caption else block.run)
        case Heading():
            text = inline(block.run)
            return f"{'#' * block.level} {_CLOSING_HASHES.sub(_BACKSLASH, text)}" if text else ""
        case CodeBlock():
            fence = "`" * max(3, 1 + longest_ticks(block.text))
            return f"{fence}{block.language}\n{block.text}\n{fence}"
        case Quote():
            inside = _join(block.blocks, tight=False)
            return "\n".join(f"> {line}" if line else ">" for line in inside.split("\n")) if inside else ""
        case Listing():
            return _listing(block, marker)
        case Definitions():
            return _definitions(block)
        case Table():
            return _table(block)
        case Rule():
            return "---"


_BACKSLASH = r"\\"


def _paragraph(run: Run) -> str:
    return "  \n".join([guard(line) for line in inline(run).split("\n")])


def _wrapped(run: Run, kind: str) -> Run:
    """A run with a mark around all of it."""
    return [Mark(kind, True), *without(run, kind), Mark(kind, False)]


def _listing(listing: Listing, marker: int) -> str:
    loose = any(sum(isinstance(block, Paragraph) for block in item) > 1 for item in listing.items)
    items = []
    for number, item in enumerate(listing.items, max(listing.start, 0)):
        sign = f"{number}{_AFTER_NUMBER[marker]} " if listing.ordered else f"{_BULLETS[marker]} "
        inside = _join(item, tight=not loose)
        if inside:
            items.append(sign + indent(inside, len(sign)))
    return ("\n\n" if loose else "\n").join(items)


def _definitions(definitions: Definitions) -> str:
    """A term in bold, what is said of it as items below: plain Markdown has no other form for it."""
    written = ""
    after_item = False
    for term, blocks in definitions.entries:
        text = _join([_as_term(block) if term else block for block in blocks], tight=False)
        if not text:
            continue
        if written:
            written += "\n" if after_item and not term else "\n\n"
        written += text if term else "- " + indent(text, 2)
        after_item = not term
    return written


def _as_term(block: Block) -> Block:
    return Paragraph(_wrapped(block.run, "strong")) if isinstance(block, Paragraph) else block


def _table(table: Table) -> str:
    rows = [[_cell(cell.blocks) if cell else "" for cell in cells] for cells in grid(table)]
    width = max(map(len, rows))
    filled = [cell for cell in table.rows[0] if cell.blocks]
    head = rows.pop(0) if all(cell.header or _is_bold(cell) for cell in filled) else []
    lines = [_bars(head + [""] * (width - len(head))), "|" + " --- |" * width]
    lines.extend(map(_bars, rows))
    caption = _paragraph(in_one_line(table.caption)) if table.caption else ""
    return (f"{caption}\n\n" if caption else "") + "\n".join(lines)


def _is_bold(cell: Cell) -> bool:
    """Whether all of a cell is bold: a head that the page does not call one."""
    return all(isinstance(block, Paragraph) and _is_all(block.run, "strong") for block in cell.blocks)


def _is_all(run: Run, kind: str) -> bool:
    """Whether a mark of one kind is around all of a run."""
    first, last = run[0], run[-1]
    return first == Mark(kind, True) and last == Mark(kind, False) and run.count(first) == 1


def _bars(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(blocks: list[Block]) -> str:
    """Blocks in one line. A bar is escaped; one after a backslash has no form that all readers agree on but this."""
    return _PIPE.sub(lambda match: r"\|" if not match[1] else r"\&#124;", _BREAK.join(_cell_lines(blocks)))


def _cell_lines(blocks: list[Block]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        match block:
            case Paragraph() | Heading():
                lines.append(inline(block.run, in_cell=True))
            case CodeBlock():
                lines.extend(code_span(line, in_cell=True) for line in block.text.split("\n") if line)
            case Quote():
                lines.extend(_cell_lines(block.blocks))
            case Listing():
                for number, item in enumerate(block.items, block.start):
                    marker = f"{number}. " if block.ordered else "- "
                    lines.append(marker + _BREAK.join(_cell_lines(item)))
            case Definitions():
                for _, entry in block.entries:
                    lines.extend(_cell_lines(entry))
            case Table():
                lines.extend(line for cells in block.rows for cell in cells for line in _cell_lines(cell.blocks))
            case Rule():
                pass
    return lines
