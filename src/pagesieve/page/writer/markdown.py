"""A document as Markdown (CommonMark with GitHub's tables); what would be read as markup is escaped."""

from __future__ import annotations

import re

from pagesieve.page.writer.document import (
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
from pagesieve.page.writer.inline import Break, Image, InlineCode, Mark, Math, Run
from pagesieve.page.writer.tables import grid
from pagesieve.page.writer.text import indent

# Signs that begin markup wherever they stand. An underscore inside a word does not, nor does a lone tilde.
_SPECIAL = re.compile(r"[\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|~(?=~)|(?<=~)~|!(?=\[)|!$")
# Signs that begin a block at the start of a line.
_BLOCK_START = re.compile(r"^(?:(#{1,6})(?=\s|$)|([-+])(?=\s|$)|(>)|(={1,}|-{2,}|~{3,})(?=\s*$)|(\|)|(:)(?=\s))")
_NUMBER_START = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_BARE_RULE = re.compile(r"^(?:-\s*){3,}$|^(?:_\s*){3,}$")
_SIGNS = {"strong": "**", "em": "*", "strike": "~~"}


def write_markdown(blocks: list[Block], options: WriterOptions = WriterOptions()) -> str:
    """The blocks as Markdown."""
    written: list[str] = []
    last: Block | None = None
    for block in blocks:
        text = _block(block, options)
        # Two lists in a row would be read as one.
        if isinstance(block, Listing) and isinstance(last, Listing) and block.ordered == last.ordered:
            written.append("<!-- -->")
        if text:
            written.append(text)
            last = block
    return "\n\n".join(written)


def _block(block: Block, options: WriterOptions) -> str:
    match block:
        case Paragraph():
            text = _paragraph(block.run)
            return f"*{text}*" if block.caption and re.fullmatch(r"[^*\n]+", text) else text
        case Heading():
            text = _line(block.run)
            return f"{'#' * block.level} {re.sub(r'(#+)$', _escaped_hashes, text)}" if text else ""
        case CodeBlock():
            fence = "`" * max(3, 1 + _longest_run(block.text))
            return f"{fence}{block.language}\n{block.text}\n{fence}"
        case Quote():
            inside = write_markdown(block.blocks, options)
            return "\n".join(f"> {line}".rstrip() for line in inside.split("\n")) if inside else ""
        case Listing():
            return _listing(block, options)
        case Definitions():
            return _definitions(block, options)
        case Table():
            return _table(block, options)
        case Rule():
            return "---"


def _escaped_hashes(match: re.Match[str]) -> str:
    return "\\" + match[1]


def _longest_run(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


def _paragraph(run: Run) -> str:
    lines = _inline(run).split("\n")
    return "  \n".join(filter(None, (_guard(line.strip()) for line in lines)))


def _line(run: Run) -> str:
    return _inline([" " if isinstance(piece, Break) else piece for piece in run]).strip()


def _guard(line: str) -> str:
    """A line that is not taken for a heading, item, quote or rule."""
    if _BARE_RULE.match(line):
        return "\\" + line
    line = _NUMBER_START.sub(r"\1\\\2", line)
    return _BLOCK_START.sub(lambda match: "\\" + match[0], line)


def _listing(listing: Listing, options: WriterOptions) -> str:
    items = []
    loose = any(sum(isinstance(block, Paragraph) for block in item) > 1 for item in listing.items)
    for number, item in enumerate(listing.items, max(listing.start, 0)):
        marker = f"{number}. " if listing.ordered else "- "
        inside = write_markdown(item, options)
        if not loose:
            # A list inside an item stands close to it: a blank line would make every item a paragraph.
            inside = re.sub(r"\n\n(?=(?:- |\d+\. ))", "\n", inside)
        items.append(marker + _blank_lines(indent(inside, len(marker))))
    return ("\n\n" if loose else "\n").join(items)


def _blank_lines(text: str) -> str:
    return re.sub(r"\n[ ]+(?=\n)", "\n", text)


def _definitions(definitions: Definitions, options: WriterOptions) -> str:
    """A term in bold, what is said of it as an item below: plain Markdown has no other form for it."""
    lines: list[str] = []
    for term, blocks in definitions.entries:
        inside = write_markdown(blocks, options)
        if term:
            lines.append(
                ("\n" if lines else "") + (f"**{inside}**" if re.fullmatch(r"[^*\n]+", inside) else inside) + "\n"
            )
        elif inside:
            lines.append("- " + _blank_lines(indent(inside, 2)))
    return "\n".join(lines).strip()


def _table(table: Table, options: WriterOptions) -> str:
    rows = [[_cell(cell.blocks, options) if cell else "" for cell in cells] for cells in grid(table)]
    width = max(map(len, rows))
    has_head = all(cell.header for cell in table.rows[0])
    head = rows.pop(0) if has_head else [""] * width
    lines = [_bars(head, width), "|" + " --- |" * width]
    lines.extend(_bars(cells, len(cells)) for cells in rows)
    caption = _line(table.caption)
    return (f"{caption}\n\n" if caption else "") + "\n".join(lines)


def _bars(cells: list[str], width: int) -> str:
    return "| " + " | ".join(cells + [""] * (width - len(cells))) + " |"


def _cell(blocks: list[Block], options: WriterOptions) -> str:
    text = write_markdown(blocks, options).strip()
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    return re.sub(r"\s*\n\s*", "<br>", re.sub(r"\n\n+", "\n", text))


def _inline(run: Run) -> str:
    out: list[str] = []
    opened: list[tuple[int, Mark]] = []  # (where in `out` it stands, the mark)
    for number, piece in enumerate(run):
        match piece:
            case str():
                out.append(_escape(piece))
            case Mark(opens=True):
                opened.append((number, piece))
                out.append(_SIGNS.get(piece.kind, "["))
            case Mark():
                place, mark = opened.pop()
                out.append("")
                out[place], out[number] = _around(out, run, place, number, mark)
            case Break():
                out.append("\n")
            case InlineCode():
                out.append(_code(piece.text))
            case Math():
                sign = "$$" if piece.display else "$"
                out.append(f"{sign}{piece.text}{sign}" if piece.tex else _escape(piece.text))
            case Image():
                out.append(f"![{_escape(piece.alt)}]({_target(piece.url)})")
    return "".join(out)


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def _around(out: list[str], run: Run, start: int, end: int, mark: Mark) -> tuple[str, str]:
    """How a mark begins and ends. Signs are read as emphasis only where words touch them: else elements are used."""
    if mark.kind == "link":
        return "[", f"]({_target(mark.url)})"
    before, after = "".join(out[:start])[-1:], _first(run[end + 1 :])
    inside = "".join(out[start + 1 : end])
    sign = _SIGNS.get(mark.kind)
    if sign and _touches(before, inside[:1]) and _touches(after, inside[-1:]):
        return sign, sign
    element = {"strike": "s"}.get(mark.kind, mark.kind)
    return f"<{element}>", f"</{element}>"


def _first(run: Run) -> str:
    """The first sign of what follows a mark, as far as it matters: a letter, a blank or another sign."""
    for piece in run:
        return piece[:1] if isinstance(piece, str) else " " if isinstance(piece, Break) else "*"
    return ""


def _touches(outside: str, inside: str) -> bool:
    """CommonMark's rule for one end of emphasis."""
    return inside.isalnum() or not outside or outside.isspace() or not outside.isalnum()


def _target(url: str) -> str:
    """An address with the signs escaped that would end it."""
    return re.sub(r"[()<>\\\s]", lambda match: f"%{ord(match[0]):02X}", url)


def _code(text: str) -> str:
    ticks = "`" * (1 + _longest_run(text))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"
