"""A document as Markdown (CommonMark with GitHub's tables)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.page.kernel import blocks as kinds
from pagesieve.writing.document import Document, Mark, Run, in_one_line, without
from pagesieve.writing.markdown_inline import code_span, guard, inline, longest_ticks

_BULLETS = ("-", "*")
_AFTER_NUMBER = (".", ")")
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)(?=#+$)")
_PIPE = re.compile(r"(\\?)\|")
_BREAK = "<br>"
_BACKSLASH = r"\\"
_LISTS = (kinds.BULLET_LIST, kinds.NUMBERED_LIST)


def write_markdown(document: Document) -> str:
    """Return a document as Markdown."""
    return _join(document, 0)


def _join(document: Document, above: int, tight: bool = False) -> str:
    """Write the parts of a block; in a tight item, a list that follows a paragraph closely belongs to it."""
    is_term = document.kind[above] == kinds.TERM
    written: list[str] = []
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
            written.append("\n" if is_close else "\n\n")
        written.append(text)
        last = kind
    return "".join(written)


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
        text = inline(document.run(block))
        return f"{'#' * document.value[block]} {_CLOSING_HASHES.sub(_BACKSLASH, text)}" if text else ""
    if kind in _LISTS:
        return _list(document, block, marker)
    if kind == kinds.CODE_BLOCK:
        text = document.text(block)
        fence = "`" * max(3, 1 + longest_ticks(text))
        return f"{fence}{document.language(block)}\n{text}\n{fence}"
    if kind == kinds.BLOCK_QUOTE:
        inside = _join(document, block)
        return "\n".join([f"> {line}" if line else ">" for line in inside.split("\n")]) if inside else ""
    if kind == kinds.DEFINITIONS:
        return _definitions(document, block)
    return "---" if kind == kinds.RULE else _table(document, block)


def _paragraph(run: Run) -> str:
    text = inline(run)
    return "  \n".join([guard(line) for line in text.split("\n")]) if "\n" in text else guard(text)


def _wrapped(run: Run, kind: int) -> Run:
    """A run with a mark around all of it."""
    return [Mark(kind), *without(run, kind), Mark(-kind)]


def _indented(text: str, width: int) -> str:
    """A text whose lines after the first stand `width` further in; blank lines stay blank."""
    if "\n" not in text:
        return text
    first, *others = text.split("\n")
    blanks = " " * width
    return "\n".join([first, *(blanks + line if line else line for line in others)])


def _list(document: Document, above: int, marker: int) -> str:
    numbered = document.kind[above] == kinds.NUMBERED_LIST
    items = [*document.parts(above)]
    loose = any(_paragraphs(document, item) > 1 for item in items)
    written = []
    sign = f"{_BULLETS[marker]} "
    for number, item in enumerate(items, max(document.value[above], 0)):
        if numbered:
            sign = f"{number}{_AFTER_NUMBER[marker]} "
        inside = _join(document, item, tight=not loose)
        if inside:
            written.append(sign + _indented(inside, len(sign)))
    return ("\n\n" if loose else "\n").join(written)


def _paragraphs(document: Document, above: int) -> int:
    if document.end[above] == above + 2:
        return 1
    return sum(document.kind[part] <= kinds.CAPTION for part in document.parts(above))


def _definitions(document: Document, above: int) -> str:
    """Write a term in bold, what is said of it as items below: plain Markdown has no other form for it."""
    written: list[str] = []
    after_item = False
    for entry in document.parts(above):
        text = _join(document, entry)
        if not text:
            continue
        is_term = document.kind[entry] == kinds.TERM
        if written:
            written.append("\n" if after_item and not is_term else "\n\n")
        written.append(text if is_term else "- " + _indented(text, 2))
        after_item = not is_term
    return "".join(written)


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
    """Write a cell in one line. A bar is escaped; one after a backslash has no form that all readers agree on."""
    text = _BREAK.join(_cell_lines(document, cell))
    return _PIPE.sub(lambda match: r"\|" if not match[1] else r"\&#124;", text) if "|" in text else text


def _cell_lines(document: Document, above: int) -> Iterator[str]:
    for block in document.parts(above):
        kind = document.kind[block]
        if kind <= kinds.HEADING:
            yield inline(document.run(block), in_cell=True)
        elif kind == kinds.CODE_BLOCK:
            yield from (code_span(line, in_cell=True) for line in document.text(block).split("\n") if line)
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
