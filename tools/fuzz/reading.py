"""Targets that read pages: the decoder, the tokenizer, the table and the tape."""

from __future__ import annotations

from tests.lexbor_tree import columns, difference, lost_by_serialising, table_rows, tree_rows
from tools.fuzz.bench import Bench
from tools.fuzz.checks import check

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import TOKEN_TEXT
from pagesieve.page.kernel.html.tape import Tape
from pagesieve.page.partial import Part
from pagesieve.page.static import as_utf8, decode, parse, repaired, within_limits

MAX_AROUND = 5  # texts of a page from which the elements around are found
HEADERS = (
    None,
    "text/html",
    "text/html; charset=gb18030",
    "text/html; charset=utf-16",
    "charset=x;charset=\"iso-8859-1'",
)


def decoding(data: bytes, bench: Bench) -> None:
    """Decode under several headers: there is text, and bytes that are UTF-8 as they are stay the same."""
    for header in HEADERS:
        decoded = decode(data, header)
        source = as_utf8(data, header)
        check(source.utf8 == decoded.text.encode("utf-8", "replace"), "as_utf8 and decode disagree")


def tokenizing(data: bytes, bench: Bench) -> None:
    """Scan a source into a tape: tokens in order, inside of the source."""
    before = 0
    for start, stop, _, _ in Tape(data).tokens():
        check(before <= start <= stop <= len(data), "tokens out of order")
        before = stop
    check(kernel.html.tokenizer.is_utf8(data) == _is_utf8(data), "is_utf8 is wrong")


def building(data: bytes, bench: Bench) -> None:
    """Build the table: sound, and as the parser reads the page."""
    source = decode(data).text.encode("utf-8", "replace")
    page = parse(source.decode())
    check(page.fault() is None, f"a damaged table: {page.fault()}")
    built = kernel.html.builders.from_source(source)
    # The parser is spared what nests too deep; what is read straight from the source has all of it.
    if lost_by_serialising(source) is None and not within_limits(source)[1]:
        if not isinstance(built, str):
            by_parser = kernel.html.builders.from_serialised(repaired(source))
            check(columns(built) == columns(by_parser), "source and parser give different tables")
        found = difference(tree_rows(source), table_rows(page))
        check(found is None, f"the parser's tree is another: {found}")


def partial_parsing(data: bytes, bench: Bench) -> None:
    """Read the tape both ways: trees in document order that hold every start tag and text; elements that nest."""
    tape, read = Tape(data), Tape(data).tokens()
    for way in (kernel.html.tape.forwards, kernel.html.tape.backwards):
        tokens, parents = way(tape, 0, len(tape))
        check(
            all(-1 <= parent < node for node, parent in enumerate(parents)), f"{way.__name__}: a node before its parent"
        )
        check(list(tokens) == sorted(set(tokens)), f"{way.__name__}: nodes out of order")
    for token in tape.longest(MAX_AROUND):
        check(read[token][3] == TOKEN_TEXT, "the longest text is none")
        first, stop = token, token + 1
        for outer, end in tape.around(token):
            check(outer < first and stop <= end <= len(tape), "elements around a text do not nest")
            first, stop = outer, end
    grown = tape.grown(20, 30, 1.2)
    if grown is not None:
        check(0 <= grown[0] < grown[1] <= len(tape), "a part outside of the tape")
        check(len(Part(tape, *grown).tree.names) <= grown[1] - grown[0], "a tree larger than its part")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
