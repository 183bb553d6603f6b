"""Parse static HTML: decode it, and build its table, after lexbor has repaired it if its structure is not certain.

The evidence of the encoding, strongest first, is a byte order mark; bytes that are certainly UTF-16 or UTF-8; the HTTP
header; the `<meta>` or XML declaration of the page; a detector; and the default windows-1252. A declaration that the
bytes contradict is ignored. docs/decoding.md explains the order.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.table import Page
from pagesieve.stages import stage
from pagesieve.text.patterns import pattern
from pagesieve.text.urls import masked_url

DEFAULT_ENCODING = "cp1252"  # the default of browsers
DECLARED_WITHIN = 1 << 18  # bytes that are searched for a `<meta>`: pages with long inline styles declare late
DECLARED_EARLY = 1 << 11  # bytes that are searched first
MAX_LABELS = 8  # labels of a page that are looked up; Python keeps every unknown one in memory forever
SAMPLE_BYTES = 3000  # bytes for the detector; with more, it is slower, but hardly better
QUICK_BYTES = 1200  # bytes of the sample that suggest a multi-byte encoding to try
SAMPLE_PIECE = 500  # bytes of the sample from one place, so that one script or table cannot fill it
SAMPLE_BEFORE = 80  # bytes of ASCII text before a non-ASCII character that the sample has, too
SAMPLE_WITHIN = 1 << 20  # bytes of the body from which the sample is taken
# The share of broken characters up to which any body is UTF-8; text in another encoding has two thirds.
MOSTLY_UTF8 = 0.25
MAX_BROKEN_UTF8 = 0.5  # the same for a body that is declared to be UTF-8
MAX_BROKEN = 0.02  # the share of broken characters above which a declared encoding other than UTF-8 is doubted
# The share of broken characters that a detected single-byte encoding counts as having, since it fits almost all bytes.
SINGLE_BYTE_BROKEN = 0.1
LONG_RUN = 3  # consecutive non-ASCII bytes of a long run
# The share of bytes beyond ASCII in runs of three up to which a body is in a Latin script (seen: 0.04).
LATIN_RUN_SHARE = 0.15
# From where on, by share and by count, such runs contradict a declared Latin encoding.
DOUBTED_RUN_SHARE = 0.5
DOUBTED_RUN_BYTES = 40
# The share of bytes beyond ASCII from which a detected neighbour of windows-1252 is believed (seen: 0.018).
MIN_NEIGHBOUR_SHARE = 0.015
_MARKED = (b"\xef", b"\xff", b"\xfe", b"\0")  # the first bytes of byte order marks
UTF16_HEAD = 2048  # bytes that are checked for the zero bytes of UTF-16
# The share of these that must be zero, and the share of the zeros that may be in the wrong place.
MIN_ZERO_SHARE = 0.1
MAX_WRONG_ZERO_SHARE = 0.1

# The encodings of browsers, by Python's names. Python has more (EBCDIC, UTF-7, rot13, unicode_escape), which
# pages may not use: they turn harmless bytes into markup, or are not text encodings.
LATIN_ENCODINGS = frozenset(
    {"cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "mac-roman"}
    | {f"iso8859-{part}" for part in (2, 3, 4, 10, 13, 14, 15, 16)}
)
MULTI_BYTE_ENCODINGS = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "iso2022_jp", "cp949"})
UTF16_ENCODINGS = frozenset({"utf-16", "utf-16-le", "utf-16-be"})
WEB_ENCODINGS = (
    LATIN_ENCODINGS
    | MULTI_BYTE_ENCODINGS
    | UTF16_ENCODINGS
    | {
        "utf-8",
        *("cp1251", "cp866", "koi8-r", "koi8-u", "mac-cyrillic", "iso8859-5"),
        *("cp1253", "iso8859-7", "cp1255", "iso8859-8", "cp1256", "iso8859-6", "cp874"),
    }
)

# Labels of browsers that w3lib cannot resolve, not even without "x-" or "cs".
EXTRA_LABELS = {
    "cn-big5": "big5",
    "dos-874": "cp874",
    "gb_2312": "gb18030",
    "iso-8859-6-e": "iso-8859-6",
    "iso-8859-6-i": "iso-8859-6",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-8-i": "iso-8859-8",
    "iso-ir-149": "cp949",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "ks_c_5601-1989": "cp949",
    "ksc_5601": "cp949",
    "mac": "mac-roman",
    "mac-ukrainian": "mac-cyrillic",
    "ucs-2": "utf-16-le",
    "unicode": "utf-16-le",
    "unicode-1-1-utf-8": "utf-8",
    "user-defined": "cp1252",
    "windows-949": "cp949",
}

# Python's EUC-JP lacks the circled digits and unit signs that browsers show; this codec has them, and
# agrees with it on every two-byte character that both have.
WIDER_CODECS = {"euc_jp": "euc_jis_2004"}

# Encodings with one or two bytes per character, which the kernel decodes with tables if a page is undamaged.
TABLED = WEB_ENCODINGS - UTF16_ENCODINGS - {"utf-8", "iso2022_jp"}
FIRST_BYTES, SECOND_BYTES = range(0x80, 0x100), range(0x40, 0xFF)  # of pairs; other characters are longer

_LABEL = pattern(r"""charset\s*+=\s*+(?:["']\s*+)?([^\s"';,/>]{1,40})""", re.IGNORECASE)
# These four search text in lower case. Comments and scripts are consumed whole, to the end where they never close; so
# each byte is looked at once, and a `<meta>` written inside one declares nothing.
_DECLARATION = pattern(
    rb"""<!--(?:-?>|.*?(?:-->|\Z))
    | <(?P<raw>script|style|title|textarea)(?=[\s/>]).*?(?:</(?P=raw)|\Z)
    | <meta[\s/](?P<meta>[^<>]*)
    | <\?xml\s(?P<xml>[^<>]*)""",
    re.DOTALL | re.VERBOSE,
)
_META_LABEL = pattern(rb"""charset\s*+=\s*+(?:["']\s*+)?([^\s"';,/>]{1,40})""")
_XML_LABEL = pattern(rb"""encoding\s*+=\s*+(?:["']\s*+)?([^\s"'?>]{1,40})""")
# `<meta name="keywords" content="charset=...">` is not a declaration.
_NAMED = pattern(rb"""(?:^|[\s"'/])(?:name|property)\s*=""")

# What is no page

_SIGNATURES = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n\x1a\n", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"GIF87a", "an image (GIF)"),
    (b"GIF89a", "an image (GIF)"),
    (b"PK\x03\x04", "a zip file, or an office document in one"),
    (b"\x1f\x8b\x08", "compressed (gzip)"),
    (b"BZh91AY&SY", "compressed (bzip2)"),
    (b"\xfd7zXZ\0", "compressed (xz)"),
    (b"(\xb5/\xfd", "compressed (zstd)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"{\\rtf", "a document (RTF)"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a database (SQLite)"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_BEGINNINGS = tuple(start for start, _ in _SIGNATURES)
_BEGINNING = 4096  # bytes that are searched for control characters
_MIN_BYTES = 64  # bytes: fewer do not tell
_MAX_CONTROLS = 0.05  # of the bytes, except white space and the ESC of ISO-2022
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # only text has one
_UTF16_ZEROS = 0.1  # of the bytes of UTF-16, at least: every second byte of its markup is zero


def other_than_page(data: bytes) -> str | None:
    """Return what a file is, judged by its first bytes, if it cannot be a page; otherwise None."""
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return "an image or a recording (RIFF)"
    if data.startswith(_BEGINNINGS):
        return next(name for start, name in _SIGNATURES if data.startswith(start))
    size = min(len(data), _BEGINNING)
    if size < _MIN_BYTES:
        return None
    # Text in no encoding has many control characters, and is not UTF-16.
    zeros, controls = kernel.html.encodings.count_controls(data, size)
    is_text = controls <= _MAX_CONTROLS * size or zeros >= _UTF16_ZEROS * size or data.startswith(_BYTE_ORDER_MARKS)
    return None if is_text else "binary data"


# Encodings


class Decoded(NamedTuple):
    """The text of a page, its encoding, and the reason for the encoding.

    `encoding` is Python's name for it. `why` is one of "ascii", "bom", "utf-8 body", "utf-16 body",
    "header", "meta", "detected", "default".
    """

    text: str
    encoding: str
    why: str


class Source(NamedTuple):
    """A page as UTF-8, with its original encoding and the reason, as in `Decoded`."""

    utf8: bytes
    encoding: str
    why: str


def decode(data: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page. `content_type` is its Content-Type header, if any.

    This never raises an exception: bytes that cannot be decoded become U+FFFD.
    """
    source = as_utf8(data, content_type)
    return Decoded(source.utf8.decode(), source.encoding, source.why)


@stage("encoding")
def as_utf8(data: bytes, content_type: str | None = None) -> Source:
    """Return the result of `decode` encoded as UTF-8, without a copy if the page is UTF-8."""
    found = _by_bom(data) if data[:1] in _MARKED else None
    if found is None and b"\0" in data[:UTF16_HEAD]:
        found = _by_zero_bytes(data[:UTF16_HEAD], data)
    return found or _by_validity(data) or _by_declaration(data, content_type)


def _by_bom(data: bytes) -> Source | None:
    from w3lib.encoding import read_bom  # few pages need it, and its import takes time

    encoding, bom = read_bom(data)
    if encoding is None or bom is None:
        return None
    body = data[len(bom) :]
    return Source(
        body if encoding == "utf-8" and kernel.html.tokenizer.is_utf8(body) else _replaced(body, encoding),
        encoding,
        "bom",
    )


def _replaced(data: bytes, encoding: str) -> bytes:
    """Return bytes as UTF-8, with U+FFFD for broken characters."""
    return data.decode(encoding, "replace").encode("utf-8", "replace")


def _by_zero_bytes(head: bytes, data: bytes) -> Source | None:
    """Recognise UTF-16 without a byte order mark: in its markup, every second byte is zero."""
    first, second = head[0::2].count(0), head[1::2].count(0)
    few, many = sorted((first, second))
    if many < max(2, len(head) * MIN_ZERO_SHARE) or few > many * MAX_WRONG_ZERO_SHARE:
        return None
    encoding = "utf-16-le" if second > first else "utf-16-be"
    return Source(_replaced(data, encoding), encoding, "utf-16 body")


def _by_validity(data: bytes) -> Source | None:
    """Recognise ASCII, valid UTF-8, and UTF-8 with a few broken bytes."""
    if data.isascii():
        return (_by_escapes(data) if b"\x1b" in data else None) or Source(data, "utf-8", "ascii")
    if kernel.html.tokenizer.is_utf8(data):
        return Source(data, "utf-8", "utf-8 body")
    # On most pages, only a small part is not ASCII, which shows whether the whole page has to be decoded.
    broken, beyond_ascii = kernel.html.encodings.utf8_damage(data, MAX_BROKEN_UTF8)
    if broken > MAX_BROKEN_UTF8 * beyond_ascii:
        return None
    source, share = _attempt(data, "utf-8")
    return Source(source, "utf-8", "utf-8 body") if share <= MOSTLY_UTF8 else None


def _by_escapes(data: bytes) -> Source | None:
    """Recognise ISO-2022-JP, which is ASCII with escape sequences."""
    if b"\x1b$" not in data:
        return None
    source, broken = _attempt(data, "iso2022_jp")
    return Source(source, "iso2022_jp", "detected") if broken <= MAX_BROKEN else None


def _by_declaration(data: bytes, content_type: str | None) -> Source:
    """Decode with the first encoding that the bytes do not contradict, or else with the least contradicted one."""
    best, least = None, 2.0
    for encoding, why in _candidates(data, content_type):
        source, broken = _attempt(data, encoding)
        if why == "detected" and encoding not in MULTI_BYTE_ENCODINGS:
            broken = max(broken, SINGLE_BYTE_BROKEN)
        if broken < least:
            best, least = Source(source, encoding, why), broken
        if broken <= (MAX_BROKEN_UTF8 if encoding == "utf-8" else MAX_BROKEN):
            break
    return best or Source(_attempt(data, DEFAULT_ENCODING)[0], DEFAULT_ENCODING, "default")


def _candidates(data: bytes, content_type: str | None) -> Iterator[tuple[str, str]]:
    """Yield the encodings of the header, of the page's declaration and of the detector, each determined on demand."""
    header = _header_encoding(content_type)
    if header is not None:
        yield header, "header"
    meta = _meta_encoding(data)
    if meta is not None and meta != header:
        yield meta, "meta"
    for detected in _detected_encodings(data):
        yield detected, "detected"


def _attempt(data: bytes, encoding: str) -> tuple[bytes, float]:
    """Return a page as UTF-8, and the share of the non-ASCII characters that are broken."""
    codec = WIDER_CODECS.get(encoding, encoding)
    source: bytes | None = kernel.html.encodings.transcode(data, *tables(codec)) if encoding in TABLED else None
    if encoding in LATIN_ENCODINGS and _contradicts_latin(data):
        return source or _replaced(data, codec), 1.0
    if source is not None:
        return source, 0.0
    text = data.decode(codec, "replace")
    broken = text.count("\ufffd")
    if broken and encoding == "utf-8":
        # A page in UTF-8 may itself contain the replacement character from earlier damage.
        broken -= data.count(b"\xef\xbf\xbd")
    if not broken:
        return text.encode("utf-8", "replace"), 0.0
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    if encoding == "gb18030" and broken <= beyond_ascii * MAX_BROKEN:
        # Slow for each broken byte, but it decodes 0x80 in GBK as the euro sign, as browsers do.
        from w3lib.encoding import to_unicode

        text = to_unicode(data, codec)
    return text.encode("utf-8", "replace"), broken / beyond_ascii


@cache
def tables(codec: str) -> tuple[Any, Any]:
    """Return the code points of the bytes and of the pairs of bytes of a codec, in the kernel's format."""
    pairs = [bytes((first, second)) for first in FIRST_BYTES for second in SECOND_BYTES]
    singles, doubles = array("H", bytes(2 * 0x100)), array("H", bytes(2 * 0x8000))
    for byte in FIRST_BYTES:
        singles[byte] = _code_point(bytes((byte,)).decode(codec, "replace"))
    for pair, text in zip(pairs, b"\n".join(pairs).decode(codec, "replace").split("\n"), strict=True):
        doubles[(pair[0] & 0x7F) << 8 | pair[1]] = _code_point(text)
    return singles, doubles


def _code_point(text: str) -> int:
    """Return the code point of a character that has two or three bytes in UTF-8, otherwise 0."""
    return ord(text) if len(text) == 1 and "\x80" <= text < "\ufffd" else 0


def _contradicts_latin(data: bytes) -> bool:
    run_bytes, share = _long_runs(data)
    return run_bytes >= DOUBTED_RUN_BYTES and share > DOUBTED_RUN_SHARE


def _long_runs(data: bytes) -> tuple[int, float]:
    """Return the number of bytes in long non-ASCII runs, which Latin scripts hardly have, and their share."""
    run_bytes, beyond_ascii = kernel.html.encodings.long_runs(data, LONG_RUN)
    return run_bytes, run_bytes / max(1, beyond_ascii)


def _header_encoding(content_type: str | None) -> str | None:
    label = _LABEL.search(content_type or "")
    encoding = _resolve(label[1]) if label else None
    # UTF-16 would have been recognised by its zero bytes.
    return None if encoding in UTF16_ENCODINGS else encoding


def _meta_encoding(data: bytes) -> str | None:
    """Return the first encoding that the page declares with a label that browsers know."""
    for label in islice(_page_labels(data), MAX_LABELS):
        encoding = _resolve(label)
        if encoding is not None:
            # A page whose declaration is readable as ASCII is not UTF-16; browsers use UTF-8.
            return "utf-8" if encoding in UTF16_ENCODINGS else encoding
    return None


def _page_labels(data: bytes) -> Iterator[str]:
    """Yield the labels in the page's XML declaration and `<meta>` elements, in order."""
    early = data[:DECLARED_EARLY].lower()
    count = 0
    if len(data) > len(early):  # most pages declare early: a complete declaration there is the same in the rest
        for match in _DECLARATION.finditer(early):
            if match.end() == len(early):
                break
            count += 1
            if label := _label(match):
                yield label[1].decode("latin-1")
    head = data[:DECLARED_WITHIN].lower()
    if b"charset" not in head and b"encoding" not in head:
        return
    for match in islice(_DECLARATION.finditer(head), count, None):
        if label := _label(match):
            yield label[1].decode("latin-1")


def _label(match: re.Match[bytes]) -> re.Match[bytes] | None:
    """Return the label of a possible declaration."""
    if match["xml"] is not None:
        return _XML_LABEL.search(match["xml"])
    if match["meta"] is not None and not _NAMED.search(match["meta"]):
        return _META_LABEL.search(match["meta"])
    return None


@lru_cache(maxsize=64)
def _resolve(label: str) -> str | None:
    """Return Python's name of the encoding for which browsers use a label, or None."""
    label = label.strip("\"' \t").lower()
    bare = re.sub(r"^(x-)+|^cs(?=\w)", "", label)
    iso = re.sub(r"^iso8859(\d+)$", r"iso-8859-\1", bare)
    from w3lib.encoding import resolve_encoding

    for name in (label, bare, iso):
        encoding = resolve_encoding(EXTRA_LABELS.get(name, name))
        if encoding in WEB_ENCODINGS:
            return encoding
    return None


def _detected_encodings(data: bytes) -> Iterator[str]:
    """Yield the encodings that the detector finds in a sample of non-ASCII text, first in a small one if possible."""
    pieces = kernel.html.encodings.sample(data, SAMPLE_WITHIN, SAMPLE_BYTES, SAMPLE_PIECE, SAMPLE_BEFORE)
    sample = b"\n".join(pieces)
    if not sample:
        return
    run_share = _long_runs(sample)[1]
    if run_share <= LATIN_RUN_SHARE:
        is_rare = kernel.html.encodings.long_runs(sample, LONG_RUN)[1] < MIN_NEIGHBOUR_SHARE * len(sample)
        detected = DEFAULT_ENCODING if is_rare else _ask_detector(sample)
        yield detected if detected in LATIN_ENCODINGS else DEFAULT_ENCODING
        return
    # The whole page shows whether a multi-byte encoding fits, and the detector takes longer for a larger sample.
    if (quick := _ask_detector(sample[:QUICK_BYTES].rpartition(b"\n")[0] or sample)) in MULTI_BYTE_ENCODINGS:
        yield quick
    detected = _ask_detector(sample)
    if detected in LATIN_ENCODINGS and run_share > DOUBTED_RUN_SHARE:
        # For the detector, one broken character excludes a multi-byte encoding, so the pieces vote.
        votes = Counter(found for found in map(_ask_detector, pieces) if found not in LATIN_ENCODINGS)
        detected = votes.most_common(1)[0][0] if votes else detected
    yield detected


def _ask_detector(sample: bytes) -> str:
    from chardetng_py import EncodingDetector  # its import takes longer than most pages do

    detector = EncodingDetector()
    detector.feed(sample, last=True)
    return _resolve(detector.guess(tld=None, allow_utf8=False)) or DEFAULT_ENCODING


# Browsers stop nesting at about 512 levels; parsers need minutes for much deeper pages.
DEPTH_LIMIT, FORMATTING_LIMIT, ATTRIBUTE_LIMIT, OPTION_LIMIT = kernel.html.builders.LIMITS
SIZE_LIMIT = 1 << 30  # the table counts in 32 bits
BYTES = (bytes, bytearray, memoryview)  # a tuple: isinstance is faster with it than with a union
NEVER_CLOSED = "never closed"  # the beginning of the note about elements that would have contained the rest of a page


def parse(
    html: str | bytes | bytearray | memoryview | Page, url: str | None = None, *, content_type: str | None = None
) -> Page:
    """Parse a page into a table of nodes. `content_type` is the value of the HTTP header, if there was one.

    Any bytes can be parsed; nonsense gives a page with little content. A Page is returned unchanged.
    """
    if isinstance(html, BYTES):
        source, encoding, why = as_utf8(bytes(html), content_type)
    elif isinstance(html, str):
        source, encoding, why = html.encode("utf-8", "replace"), "utf-8", "text"
    elif isinstance(html, Page):
        return html
    else:
        raise BadInput(f"a page is str, bytes or Page, not {type(html).__name__}")
    return built(source, url, encoding, why)


class PageSource:
    """The source of a page, with its address and its Content-Type header; it is parsed on first access."""

    def __init__(self, html: str | bytes | Page, url: str | None = None, content_type: str | None = None) -> None:
        if url is not None:
            check_url(url)
        self.html, self.url, self.content_type = html, url, content_type

    @lazy
    def page(self) -> Page:
        """The whole page. If the source is a Page already, it gets the address of this object."""
        if isinstance(self.html, Page) and self.url not in (None, self.html.url):
            return replace(self.html, url=self.url)
        return parse(self.html, self.url, content_type=self.content_type)


def check_url(url: object) -> None:
    """Raise BadInput if an address is neither a str nor None."""
    if url is None:
        return
    if not isinstance(url, str):
        raise BadInput(f"url is a str, not {type(url).__name__}")
    try:
        url.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"url is not text: {masked_url(url)!r}") from error


@stage("tree")
def built(source: bytes, url: str | None, encoding: str, why: str) -> Page:
    """Build the page of a source in UTF-8. `encoding` was its encoding, and `why` is the reason for it."""
    if len(source) > SIZE_LIMIT:
        raise BadInput(f"a page of {len(source):,} bytes; {SIZE_LIMIT:,} is the most")
    columns = kernel.html.builders.from_source(source)
    if isinstance(columns, str):  # the reason why the structure of the source is not certain
        source, notes = within_limits(source)
        columns = kernel.html.builders.from_serialised(repaired(source))
    else:
        notes = _unclosed(columns.unclosed) if columns.unclosed else ()
    return Page.of_columns(columns, url, encoding, why, notes)


def within_limits(source: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a page within the limits of a parser, and notes on the changes.

    Elements that are nested too deeply are left out. A text element that is never closed gets an end tag before the
    next tag.
    """
    edits = kernel.html.builders.edits(source, *kernel.html.builders.LIMITS)
    if not edits:
        return source, ()
    pieces, at = list[bytes](), 0
    for start, end, instead in edits:
        pieces += source[at:start], instead
        at = end
    ends = [instead.decode()[2:-1] for _, _, instead in edits if instead]
    return b"".join((*pieces, source[at:])), (*_left_out(len(edits) - len(ends)), *_unclosed(ends))


def _left_out(count: int) -> tuple[str, ...]:
    return (f"{count} tags beyond the limits of nesting, attributes and options were left out",) if count else ()


def _unclosed(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note about elements that would contain the rest of the page in a browser."""
    if not names:
        return ()
    listed = ", ".join(f"<{name}>" for name in dict.fromkeys(names))
    return (f"{NEVER_CLOSED}, so read as if closed before the next tag: {listed}",)


def repaired(source: bytes) -> bytes:
    """Return the page as the parser understands it, with all tags written out."""
    from selectolax.lexbor import LexborHTMLParser  # most pages do not need it

    return (LexborHTMLParser(source).html or "").encode("utf-8", "replace")
