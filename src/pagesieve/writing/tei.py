"""A document as XML that follows the Text Encoding Initiative (TEI P5), with elements of TEI Lite.

TEI puts a heading at the beginning of the part that it heads. So the blocks up to the next heading of the same level
or a higher one are a `div`; a heading within a list, a table or a quotation is a paragraph.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from pagesieve.page.kernel import constants as kinds
from pagesieve.stages import stage
from pagesieve.writing.document import Document, Mark

NAMESPACE = "http://www.tei-c.org/ns/1.0"

_HI = {kinds.STRONG: "bold", kinds.EMPHASIS: "italic", kinds.STRIKE: "strikethrough"}
_HI |= {kinds.SUPERSCRIPT: "superscript", kinds.SUBSCRIPT: "subscript"}
_TAGS = {kinds.BREAK: "<lb/>", -kinds.LINK: "</ref>"}
_TAGS |= {kind: f'<hi rend="{name}">' for kind, name in _HI.items()} | {-kind: "</hi>" for kind in _HI}
_TAGS |= dict.fromkeys((kinds.QUOTE, kinds.INNER_QUOTE), "<q>")
_TAGS |= dict.fromkeys((-kinds.QUOTE, -kinds.INNER_QUOTE), "</q>")
_LISTS = {kinds.BULLET_LIST: "bulleted", kinds.NUMBERED_LIST: "numbered"}

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_ESCAPED = re.compile(r"%(?![0-9A-Fa-f]{2})")
_BEFORE_PATH = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)")
_HOST = re.compile(r"(?:[^@\[\]]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^@:\[\]]*)(?::\d*)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_WHEN = re.compile(r"(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The content of the header of a TEI document."""

    title: str
    authors: tuple[str, ...] = ()
    publisher: str | None = None
    published: str | None = None
    url: str | None = None
    language: str | None = None
    terms: tuple[str, ...] = ()
    description: str | None = None
    license: str | None = None


@stage("writing")
def write_tei(documents: Iterable[Document], header: Header) -> str:
    """Return documents as one of TEI, with its header."""
    language = (header.language or "").replace("_", "-")
    tag = language if _LANGUAGE.fullmatch(language) else ""
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<TEI xmlns="{NAMESPACE}"{_attribute("xml:lang", tag)}>',
            "<teiHeader>",
            *_file(header),
            *_profile(header, tag),
            "</teiHeader>",
            "<text>",
            "<body>",
            *_divisions(documents),
            "</body>",
            "</text>",
            "</TEI>",
        ]
    )


# The header


def _file(header: Header) -> Iterator[str]:
    authors = [f"<author>{_text(author)}</author>" for author in header.authors]
    title, date = f"<title>{_text(header.title)}</title>", _date(header.published)
    publisher = [f"<publisher>{_text(header.publisher)}</publisher>"] if header.publisher else []
    yield from ("<fileDesc>", f"<titleStmt>{title}{''.join(authors)}</titleStmt>")
    if publisher:
        yield f"<publicationStmt>{publisher[0]}{''.join(date)}{_licence(header.license)}</publicationStmt>"
    else:
        yield "<publicationStmt><p>The publisher is not known.</p></publicationStmt>"
    if header.description:
        yield f'<notesStmt><note type="description">{_text(header.description)}</note></notesStmt>'
    address = [f"<ref{_target(header.url)}>{_text(header.url)}</ref>"] if header.url else []
    yield f"<sourceDesc><bibl>{''.join([title, *authors, *publisher, *date, *address])}</bibl></sourceDesc>"
    yield "</fileDesc>"


def _licence(licence: str | None) -> str:
    if not licence:
        return ""
    target = _target(licence) if re.match(r"https?://", licence) else ""
    return f"<availability><licence{target}>{_text(licence)}</licence></availability>"


def _date(date: str | None) -> list[str]:
    if not date:
        return []
    # Without its seconds, a time is none for XML.
    match = _WHEN.match(date)
    when = (match[0] if match[0] == date else match[1]) if match else ""
    return [f"<date{_attribute('when', when)}>{_text(date)}</date>"]


def _profile(header: Header, language: str) -> Iterator[str]:
    if not language and not header.terms:
        return
    yield "<profileDesc>"
    if language:
        yield f'<langUsage><language ident="{language}">{language}</language></langUsage>'
    if header.terms:
        terms = "".join(f"<term>{_text(term)}</term>" for term in header.terms)
        yield f"<textClass><keywords>{terms}</keywords></textClass>"
    yield "</profileDesc>"


# The body


def _divisions(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the blocks of documents, those below a heading in a division."""
    levels: list[int] = []
    is_empty = True
    for document, block in ((each, block) for each in documents for block in each.parts()):
        if document.kind[block] == kinds.HEADING:
            level = document.value[block]
            while levels and levels[-1] >= level:
                levels.pop()
                yield "</div>"
            levels.append(level)
            yield f"<div>\n<head>{_run(document, block)}</head>"
        else:
            yield _block(document, block)
        is_empty = False
    yield from ["</div>"] * len(levels)
    if is_empty:
        yield "<p/>"


def _block(document: Document, block: int) -> str:
    kind = document.kind[block]
    if kind == kinds.PARAGRAPH:
        return f"<p>{_run(document, block)}</p>"
    if kind == kinds.CAPTION:
        return f'<p rend="caption">{_run(document, block)}</p>'
    if kind == kinds.HEADING:
        return f'<p rend="heading">{_run(document, block)}</p>'
    if kind == kinds.CODE_BLOCK:
        return f"<eg{_attribute('rend', document.language(block))}>{_text(document.text(block))}</eg>"
    if kind == kinds.BLOCK_QUOTE:
        return f'<q rend="block">\n{_blocks(document, document.parts(block))}\n</q>'
    if kind in _LISTS:
        return f'<list rend="{_LISTS[kind]}">\n{_items(document, block)}\n</list>'
    if kind == kinds.DEFINITIONS:
        return f'<list type="gloss">\n{_glosses(document, block)}\n</list>'
    if kind == kinds.TABLE:
        return f"<table>\n{_blocks(document, document.parts(block))}\n</table>"
    if kind == kinds.TABLE_CAPTION:
        return f"<head>{_line(document, block)}</head>"
    if kind == kinds.TABLE_ROW:
        return f"<row>{''.join(_cell(document, cell) for cell in document.parts(block))}</row>"
    if kind == kinds.RULE:
        return '<milestone unit="section" rend="rule"/>'
    return _blocks(document, document.parts(block))  # of a block that has no element of its own


def _blocks(document: Document, blocks: Iterable[int]) -> str:
    return "\n".join([_block(document, block) for block in blocks])


def _items(document: Document, above: int) -> str:
    number, is_numbered = document.value[above], document.kind[above] == kinds.NUMBERED_LIST
    items = []
    for item in document.parts(above):
        items.append(f"<item{_attribute('n', str(number) if is_numbered else '')}>{_flow(document, item)}</item>")
        number += 1
    return "\n".join(items)


def _glosses(document: Document, above: int) -> str:
    """Write terms and definitions alternately, as TEI requires; several of a kind in a row are joined."""
    pairs: list[tuple[list[int], list[int]]] = []
    for part in document.parts(above):
        is_term = document.kind[part] == kinds.TERM
        if not pairs or (is_term and pairs[-1][1]):
            pairs.append(([], []))
        pairs[-1][not is_term].append(part)
    return "\n".join(
        f"<label>{'<lb/>'.join(_line(document, term) for term in terms)}</label>"
        f"<item>{''.join(_flow(document, each) for each in definitions)}</item>"
        for terms, definitions in pairs
    )


def _cell(document: Document, cell: int) -> str:
    columns, rows = document.begin[cell], document.stop[cell]
    role = "label" if document.kind[cell] == kinds.HEADER_CELL else ""
    spans = _attribute("cols", str(columns) if columns > 1 else "") + _attribute("rows", str(rows) if rows > 1 else "")
    return f"<cell{_attribute('role', role)}{spans}>{_flow(document, cell)}</cell>"


def _flow(document: Document, above: int) -> str:
    """Return the inside of an item or cell: a single paragraph needs no element of its own."""
    parts = [*document.parts(above)]
    if len(parts) == 1 and document.kind[parts[0]] <= kinds.CAPTION:
        return _run(document, parts[0])
    return _blocks(document, parts)


def _line(document: Document, above: int) -> str:
    """Return the inside of a block that holds one line: its paragraphs, with breaks between them."""
    lines = range(above + 1, document.end[above])
    return "<lb/>".join(_run(document, part) for part in lines if document.kind[part] <= kinds.HEADING)


def _run(document: Document, block: int) -> str:
    return "".join([_text(piece) if isinstance(piece, str) else _mark(piece) for piece in document.run(block)])


def _mark(mark: Mark) -> str:
    if mark.kind in _TAGS:
        return _TAGS[mark.kind]
    if mark.kind == kinds.LINK:
        return f"<ref{_target(mark.url)}>"
    if mark.kind == kinds.IMAGE:
        url = _address(mark.url)
        says = f"<figDesc>{_text(mark.text)}</figDesc>" if mark.text else ""
        return f'<figure><graphic url="{url}"/>{says}</figure>' if url else _text(mark.text)
    if mark.kind == kinds.CODE:
        return f"<code>{_text(mark.text)}</code>"
    if mark.kind == kinds.TEX:
        return f'<formula notation="TeX">{_text(mark.text)}</formula>'
    return "" if abs(mark.kind) < kinds.LINK else _text(mark.text)  # of those around words, others have no element


# XML


def _text(text: str) -> str:
    """Escape a text; characters that XML does not have are left out."""
    return escape(_NOT_XML.sub("", text), quote=False)


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(_NOT_XML.sub("", value))}"' if value else ""


def _target(url: str) -> str:
    address = _address(url)
    return f' target="{address}"' if address else ""


def _address(url: str) -> str:
    """Escape an address so that it has no blanks, since TEI has lists of addresses; empty if the host is not valid."""
    quoted = _NOT_ESCAPED.sub("%25", quote(url, safe="%/:=&?~#+!$,;'@()*[]", errors="replace"))
    host = _BEFORE_PATH.match(quoted)
    before = host[0] if host else ""
    if host and not _HOST.fullmatch(host[1]):
        return ""
    address, mark, part = quoted[len(before) :].replace("[", "%5B").replace("]", "%5D").partition("#")
    return escape(before + address + mark + part.replace("#", "%23"))
