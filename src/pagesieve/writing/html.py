"""A document as clean HTML: a fixed set of elements and attributes, everything else escaped.

What is written is made here, from the document; no markup of the page passes through. So no script, event
handler or style can. Addresses were checked when the document was built.
"""

from __future__ import annotations

from html import escape

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
from pagesieve.writing.inline import Break, Checkbox, Image, InlineCode, Mark, Math, Run

_ELEMENTS = {"strong": "strong", "em": "em", "strike": "s", "sup": "sup", "sub": "sub", "link": "a"}
_ELEMENTS |= {"quote": "q", "inner quote": "q"}

# All that can stand in the output: elements and their attributes.
ALLOWED: dict[str, frozenset[str]] = {
    **dict.fromkeys("p h1 h2 h3 h4 h5 h6 pre blockquote ul li dl dt dd table caption tr hr br".split(), frozenset()),
    **dict.fromkeys("strong em s sup sub q".split(), frozenset()),
    "a": frozenset(("href",)),
    "img": frozenset(("src", "alt")),
    "ol": frozenset(("start",)),
    "code": frozenset(("class",)),
    "td": frozenset(("colspan", "rowspan")),
    "th": frozenset(("colspan", "rowspan")),
}


def write_html(blocks: list[Block], options: WriterOptions = WriterOptions()) -> str:
    """The blocks as HTML, one block a line."""
    return "\n".join([_block(block) for block in blocks])


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return f"<p>{_run(block.run)}</p>"
        case Heading():
            return f"<h{block.level}>{_run(block.run)}</h{block.level}>"
        case CodeBlock():
            language = f' class="language-{escape(block.language)}"' if block.language else ""
            return f"<pre><code{language}>{escape(block.text, quote=False)}</code></pre>"
        case Quote():
            return f"<blockquote>\n{write_html(block.blocks)}\n</blockquote>"
        case Listing():
            return _listing(block)
        case Definitions():
            entries = ((("dt" if term else "dd"), _flow(blocks)) for term, blocks in block.entries)
            return "<dl>\n" + "\n".join(f"<{tag}>{inside}</{tag}>" for tag, inside in entries) + "\n</dl>"
        case Table():
            return _table(block)
        case Rule():
            return "<hr>"


def _flow(blocks: list[Block]) -> str:
    """The inside of an item or cell: a paragraph that opens it needs no element of its own."""
    if not blocks or not isinstance(blocks[0], Paragraph):
        return write_html(blocks)
    if len(blocks) > 1 and isinstance(blocks[1], Paragraph):
        return write_html(blocks)
    return "\n".join(filter(None, (_run(blocks[0].run), write_html(blocks[1:]))))


def _listing(listing: Listing) -> str:
    tag = "ol" if listing.ordered else "ul"
    start = f' start="{listing.start}"' if listing.ordered and listing.start != 1 else ""
    items = "\n".join([f"<li>{_flow(item)}</li>" for item in listing.items])
    return f"<{tag}{start}>\n{items}\n</{tag}>"


def _table(table: Table) -> str:
    lines = ["<table>"]
    if table.caption:
        lines.append(f"<caption>{_run(table.caption)}</caption>")
    for cells in table.rows:
        lines.append("<tr>")
        for cell in cells:
            tag = "th" if cell.header else "td"
            columns = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
            rows = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            lines.append(f"<{tag}{columns}{rows}>{_flow(cell.blocks)}</{tag}>")
        lines.append("</tr>")
    lines.append("</table>")
    return "\n".join(lines)


def _run(run: Run) -> str:
    out: list[str] = []
    for piece in run:
        match piece:
            case str():
                out.append(escape(piece, quote=False))
            case Mark(kind="link", opens=True):
                out.append(f'<a href="{escape(piece.url)}">')
            case Mark():
                out.append(f"<{_ELEMENTS[piece.kind]}>" if piece.opens else f"</{_ELEMENTS[piece.kind]}>")
            case Break():
                out.append("<br>")
            case InlineCode():
                out.append(f"<code>{escape(piece.text, quote=False)}</code>")
            case Math() | Checkbox():
                out.append(escape(piece.signed, quote=False))
            case Image():
                out.append(f'<img src="{escape(piece.url)}" alt="{escape(piece.alt)}">')
    return "".join(out)
