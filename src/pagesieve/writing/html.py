"""A document as clean HTML: a fixed set of elements and attributes, everything else escaped.

The writer creates all markup from the document and copies none of the page, so the output has no scripts, event
handlers or styles. Addresses were checked when the document was built.
"""

from html import escape

from pagesieve.page.kernel import constants as kinds
from pagesieve.stages import stage
from pagesieve.writing.document import Document, Mark

# The elements that the output may contain, with their attributes.
ALLOWED: dict[str, frozenset[str]] = {
    **dict.fromkeys("p h1 h2 h3 h4 h5 h6 pre blockquote ul li dl dt dd table caption tr hr br".split(), frozenset()),
    **dict.fromkeys("figure figcaption".split(), frozenset()),
    **dict.fromkeys("strong em s sup sub q".split(), frozenset()),
    "a": frozenset(("href",)),
    "img": frozenset(("src", "alt")),
    "ol": frozenset(("start",)),
    "code": frozenset(("class",)),
    "td": frozenset(("colspan", "rowspan")),
    "th": frozenset(("colspan", "rowspan")),
}

_ELEMENTS = {kinds.STRONG: "strong", kinds.EMPHASIS: "em", kinds.STRIKE: "s", kinds.QUOTE: "q", kinds.INNER_QUOTE: "q"}
_ELEMENTS |= {kinds.SUPERSCRIPT: "sup", kinds.SUBSCRIPT: "sub"}
_TAGS = {kinds.BREAK: "<br>", -kinds.LINK: "</a>", kinds.REFERENCE: "", -kinds.REFERENCE: ""}
_TAGS |= {kind: f"<{name}>" for kind, name in _ELEMENTS.items()}
_TAGS |= {-kind: f"</{name}>" for kind, name in _ELEMENTS.items()}
# The elements of blocks that are made of others, one to a line.
_CONTAINERS = {kinds.BLOCK_QUOTE: "blockquote", kinds.BULLET_LIST: "ul", kinds.NUMBERED_LIST: "ol"}
_CONTAINERS |= {kinds.DEFINITIONS: "dl", kinds.TABLE: "table", kinds.TABLE_ROW: "tr"}
_PARTS = {kinds.ITEM: "li", kinds.TERM: "dt", kinds.DEFINITION: "dd", kinds.CELL: "td", kinds.HEADER_CELL: "th"}


@stage("writing")
def write_html(document: Document) -> str:
    """Return a document as HTML, one block to a line."""
    return _blocks(document, [*document.parts()])


def _blocks(document: Document, blocks: list[int]) -> str:
    """Write blocks one to a line; captions with the image before them, or else the one after them, as a figure."""
    lines = []
    at = 0
    while at < len(blocks):
        size, captions = _figure(document, blocks, at)
        if captions:
            lines.append(_written_figure(document, blocks[at : at + size], captions))
        else:
            lines.append(_block(document, blocks[at]))
        at += size
    return "\n".join(lines)


def _figure(document: Document, blocks: list[int], at: int) -> tuple[int, list[int]]:
    """Return how many blocks from a place on are a figure, and which of them are captions; one and none otherwise."""
    first = at + document.is_image(blocks[at])
    end = first
    while end < len(blocks) and document.kind[blocks[end]] == kinds.CAPTION:
        end += 1
    captions = blocks[first:end]
    if captions and first == at and end < len(blocks) and document.is_image(blocks[end]):
        after = end + 1
        if after == len(blocks) or document.kind[blocks[after]] != kinds.CAPTION:
            end = after
    return max(end - at, 1), captions


def _written_figure(document: Document, blocks: list[int], captions: list[int]) -> str:
    inside = f"<figcaption>{'<br>'.join([_run(document, caption) for caption in captions])}</figcaption>"
    for block in blocks:
        if block < captions[0]:
            inside = f"{_run(document, block)}\n{inside}"
        elif block > captions[-1]:
            inside = f"{inside}\n{_run(document, block)}"
    return f"<figure>\n{inside}\n</figure>"


def _block(document: Document, block: int) -> str:
    kind = document.kind[block]
    if kind == kinds.PARAGRAPH:
        return f"<p>{_run(document, block)}</p>"
    if kind == kinds.HEADING:
        level = document.value[block]
        return f"<h{level}>{_run(document, block)}</h{level}>"
    if kind in _PARTS:
        return f"<{_PARTS[kind]}{_spans(document, block)}>{_flow(document, block)}</{_PARTS[kind]}>"
    if kind in _CONTAINERS:
        inside = _blocks(document, [*document.parts(block)])
        start = document.value[block]
        number = f' start="{start}"' if kind == kinds.NUMBERED_LIST and start != 1 else ""
        return f"<{_CONTAINERS[kind]}{number}>\n{inside}\n</{_CONTAINERS[kind]}>"
    if kind == kinds.CODE_BLOCK:
        language = document.language(block)
        attribute = f' class="language-{escape(language)}"' if language else ""
        return f"<pre><code{attribute}>{escape(document.text(block), quote=False)}</code></pre>"
    if kind == kinds.TABLE_CAPTION:
        return f"<caption>{' '.join([_run(document, part) for part in document.parts(block)])}</caption>"
    if kind == kinds.NOTE:
        return _blocks(document, [*document.parts(block)])
    assert kind == kinds.RULE
    return "<hr>"


def _flow(document: Document, above: int) -> str:
    """Return the inside of an item or cell: a paragraph that opens it needs no element of its own."""
    parts = [*document.parts(above)]
    kind = document.kind
    if parts and kind[parts[0]] == kinds.PARAGRAPH and (len(parts) == 1 or kind[parts[1]] > kinds.CAPTION):
        return "\n".join(filter(None, [_run(document, parts[0]), _blocks(document, parts[1:])]))
    return _blocks(document, parts)


def _spans(document: Document, cell: int) -> str:
    if document.kind[cell] < kinds.CELL:
        return ""
    columns, rows = document.begin[cell], document.stop[cell]
    return (f' colspan="{columns}"' if columns > 1 else "") + (f' rowspan="{rows}"' if rows > 1 else "")


def _run(document: Document, block: int) -> str:
    run = document.run(block)
    if len(run) == 1 and isinstance(run[0], str):
        return escape(run[0], quote=False)
    return "".join([escape(piece, quote=False) if isinstance(piece, str) else _mark(piece) for piece in run])


def _mark(mark: Mark) -> str:
    if mark.kind in _TAGS:
        return _TAGS[mark.kind]
    if mark.kind == kinds.LINK:
        return f'<a href="{escape(mark.url)}">'
    if mark.kind == kinds.IMAGE:
        return f'<img src="{escape(mark.url)}" alt="{escape(mark.text)}">'
    text = escape(mark.text, quote=False)
    return f"<code>{text}</code>" if mark.kind == kinds.CODE else text
