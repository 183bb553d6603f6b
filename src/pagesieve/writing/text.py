"""A document as plain text: a blank line between paragraphs, one line an item, cells between bars."""

from __future__ import annotations

from pagesieve.writing.document import (
    Block,
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
from pagesieve.writing.inline import plain
from pagesieve.writing.tables import grid


def write_text(blocks: list[Block], options: WriterOptions = WriterOptions()) -> str:
    """The blocks as plain text."""
    return "\n\n".join(filter(None, [_block(block, options) for block in blocks]))


def _block(block: Block, options: WriterOptions) -> str:
    match block:
        case Paragraph() | Heading():
            return plain(block.run)
        case CodeBlock():
            return block.text
        case Quote():
            return write_text(block.blocks, options)
        case Listing():
            return "\n".join(_items(block, options))
        case Definitions():
            return "\n".join(_entries(block, options))
        case Table():
            return _table(block, options)
        case Rule():
            return ""


def _items(listing: Listing, options: WriterOptions) -> list[str]:
    items = []
    for number, item in enumerate(listing.items, listing.start):
        text = _tight(item, options)
        if text:
            marker = f"{number}. " if listing.ordered else "- "
            items.append(marker + indent(text, len(marker)))
    return items


def _entries(definitions: Definitions, options: WriterOptions) -> list[str]:
    written = ((term, _tight(blocks, options)) for term, blocks in definitions.entries)
    return [text if term else "  " + indent(text, 2) for term, text in written if text]


def _tight(blocks: list[Block], options: WriterOptions) -> str:
    """Blocks without blank lines between them."""
    return "\n".join(filter(None, [_block(block, options) for block in blocks]))


def indent(text: str, width: int) -> str:
    """A text whose lines after the first stand `width` further in; blank lines stay blank."""
    if "\n" not in text:
        return text
    first, *others = text.split("\n")
    blanks = " " * width
    return "\n".join([first, *(blanks + line if line else line for line in others)])


def _table(table: Table, options: WriterOptions) -> str:
    lines = [plain(table.caption)] if table.caption else []
    for cells in grid(table):
        texts = [" ".join(_tight(cell.blocks, options).split()) if cell else "" for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        lines.append(" | ".join(texts).strip())
    return "\n".join(filter(None, lines))
