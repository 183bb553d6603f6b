"""Mutators: random changes of seeds that keep enough of their form to get past the first check of a reader.

Each takes a random generator and the seeds of a target, and returns one case. The same generator gives the same case.
"""

from __future__ import annotations

import gzip
import io
import random
import zipfile
import zlib
from collections.abc import Callable, Sequence

Mutator = Callable[[random.Random, Sequence[bytes]], bytes]

MAX_BYTES = 20_000  # bytes of one page
MAX_CHANGES = 60  # of one case
MAX_STRICT_CHANGES = 6  # of a case in a format that has check sums or a strict grammar
MAX_SPAN_LENGTH = 200  # bytes that are repeated or taken from another seed
ROUND_NUMBERS = (0, 1, 2, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63)

TAGS = (
    b"p div span a b i u em strong font nobr ul ol li dl dt dd table tr td th tbody thead tfoot caption colgroup col "
    b"h1 h2 h6 pre code blockquote q section article main nav aside header footer form select option optgroup button "
    b"textarea title script style svg math foreignObject desc mi mtext annotation-xml noscript template iframe object "
    b"ruby rt rp frameset plaintext image img br hr input meta link base details summary figure figcaption time x-y "
    b"html head body"
).split()
ATTRIBUTES = (
    b"",
    b' class="comments sidebar"',
    b' id="main"',
    b' href="?a=1&b=2&amp;c"',
    b' href="javascript:alert(1)"',
    b' src="data:image/png;base64,AA"',
    b' srcset="a.png 1x, b.png 2x"',
    b" hidden",
    b' aria-hidden="true"',
    b' style="display:none"',
    b" colspan=1000 rowspan=1000",
    b' datetime="2024-05-17T00:00:00Z"',
    b" onclick=x()",
    b' title="&quot;<p>&#0;"',
    b" a=1 A=2 =x '",
    b' start="-2147483649"',
    b' lang="zh-Hans"',
    b" =",
    # What the kernel reads of attributes: names of posts, bylines and hidden text, microdata, styles.
    b' class="post reply" id="comment-12"',
    b' class="byline author"',
    b' class="sr-only a"',
    b' class="\xe4\xb8\xad\xc2\xa0post__body post-body-text"',
    b' rel="author nofollow" href="/profile/user?id=7"',
    b' itemprop="author articleBody datePublished"',
    b' itemscope itemtype="https://schema.org/Comment"',
    b' role="presentation dialog"',
    b' style="position:absolute;left:-9999px;clip:rect(0 0 0 0)"',
    b' style="color:#fff;background:rgb(255,255,255,.9) /* ;"',
    b' style="font-size:0;opacity:.0;text-indent:-99em!important"',
    b' aria-modal=true open=""',
    b' title="May 17, 2024 10:00 AM"',
)
MARKUP = (
    *b"< > </ <!-- --> --!> <! <![CDATA[ ]]> /> \" ' = & &amp; &#x1f600; &#0; &#xd800; &notit; &nGt; \x00 \xff".split(),
    *b"\xe4\xb8\xad \xf0\x9f\x98\x80 \xed\xa0\x80 \xc2\xa0 \xe2\x80\x8b \x1b$B \xef\xbb\xbf \xff\xfe".split(),
    *b"` ``` ** __ ~~ | [^1]: ](x) ![ # --- > 1. \\".split(),
    b"\r\n",
    b"\n\n    ",
    b"<script><!--<script>",
    b'<meta charset="utf-16">',
    b'<meta http-equiv=content-type content="text/html; charset=gb18030">',
    b'<meta property="article:published_time" content="2024-05-17">',
    b'<script type="application/ld+json">{"@type": "Article", "author": "',
    b'<base href="//[::1">',
    b'<meta property="og:title" content="The same &amp; title | Site">',
    b'<script type="application/ld+json">[{"@graph":[{"@type":"Comment","text":"<p>\\ud83d"},{"articleBody":"x"}]}',
    b"<style>.a,#main>p:not(.b),[hidden]{display:none!important;color:#fff}@media print{.c{visibility:hidden}",
    b"</style>",
    b"/* } */ .a{clip-path:inset(50%);",
    b"<p>By Jane Doe and John Smith, May 17, 2024 10:00 AM</p>",
    b"<p>Jane wrote: 3 comments</p>",
    "Автор: 作者：2024年5月17日".encode(),
    b'<a rel=next href="?page=2">',
)
XML = (
    *b"< > </ <!-- --> <![CDATA[ ]]> <?xml /> & &amp; &lt; &#0; &nbsp; &x; xmlns= \x00 \xff \x1f\x8b".split(),
    *b"<item> </item> <entry> </entry> <link> </link> <url> </url> <loc> </loc> <channel> </channel> <title>".split(),
    b'<!DOCTYPE x [<!ENTITY x "y"><!ENTITY z SYSTEM "file:///etc/passwd">]>',
    b'<?xml version="1.0" encoding="utf-16"?>',
    b"<media:group xmlns:media='http://search.yahoo.com/mrss/'>",
    b"<link href='//[::1' rel='next'/>",
    b"<pubDate>Fri, 31 Feb 99999 25:61:61 +9999</pubDate>",
    b'{"items": [{"url": 1, "id": [], "date_published": "\\ud800"}]}',
)
ARCHIVE = (
    *b"WARC/1.0 WARC/ HTTP/1.1 \r\n \r\n\r\n : 200 \x1f\x8b\x08 \x00".split(b" "),
    b"Content-Length: 18446744073709551616\r\n",
    b"Content-Length: 0\r\n",
    b"Content-Length: -1\r\n",
    b"WARC-Type: response\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip, br, zstd\r\n",
    b"ffffffffffffff\r\n",
)
JSON = (*b'{ } [ ] , : " null true 1e999 -0 NaN \\ud800 \\u0000 "columns" "name" "type" "key" [[[['.split(), b'""')


def page(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return a changed piece of a page."""
    source = rng.choice(seeds)
    start = 0 if rng.random() < 0.5 else rng.randrange(max(1, len(source) - MAX_BYTES // 2))
    return changed(rng, source[start : start + rng.randrange(10, MAX_BYTES)], seeds, MARKUP, MAX_CHANGES, _tag)


def with_pieces(pieces: Sequence[bytes], most: int = MAX_CHANGES) -> Mutator:
    """Return the mutator of a text format that has these pieces."""
    return lambda rng, seeds: changed(rng, rng.choice(seeds), seeds, pieces, most)


def binary(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return a changed file of any format."""
    return changed(rng, rng.choice(seeds), seeds, (b"\x00", b"\xff" * 4), MAX_STRICT_CHANGES)


def archive(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return a changed WARC: its bytes, or what is inside of its members, which are then packed again."""
    source = rng.choice(seeds)
    if rng.random() < 0.4:
        return changed(rng, source, seeds, ARCHIVE, MAX_STRICT_CHANGES)
    members = [
        changed(rng, one, [source], ARCHIVE, MAX_STRICT_CHANGES) if rng.random() < 0.3 else one
        for one in _members(source)
    ]
    rng.shuffle(members)
    level = rng.choice((0, 1, 9))
    return b"".join(gzip.compress(one, level, mtime=0) if rng.random() < 0.9 else one for one in members)


def zipped(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return a changed file of arrays: its bytes, or one of its arrays or its facts, with a new check sum."""
    source = rng.choice(seeds)
    if rng.random() < 0.2:
        return binary(rng, [source])
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as read, zipfile.ZipFile(out, "w") as put:
        names = read.namelist()
        chosen = rng.choice(names) if rng.random() < 0.7 else "facts.npy"
        for name in names:
            data = read.read(name)
            if name == chosen:
                data = _array(rng, data, name == "facts.npy")
            put.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 1)  # without a time
    return out.getvalue()


def changed(
    rng: random.Random,
    source: bytes,
    seeds: Sequence[bytes],
    pieces: Sequence[bytes],
    most: int,
    make: Callable[[random.Random], bytes] | None = None,
) -> bytes:
    """Return a source after some changes; `make` gives pieces besides those of the list."""
    data = bytearray(source)
    for _ in range(rng.randrange(1, most)):
        _change(rng, data, seeds, make(rng) if make and rng.random() < 0.5 else rng.choice(pieces))
    if rng.random() < 0.1:
        del data[rng.randrange(len(data) + 1) :]
    return bytes(data)


def _change(rng: random.Random, data: bytearray, seeds: Sequence[bytes], piece: bytes) -> None:
    """Insert a piece, delete, repeat, overwrite, move, or take something from another seed."""
    at, way = rng.randrange(len(data) + 1), rng.random()
    span = rng.randrange(1, MAX_SPAN_LENGTH)
    if way < 0.4:
        data[at:at] = piece
    elif way < 0.55:
        del data[at : at + rng.randrange(1, 30)]
    elif way < 0.65:
        data[at:at] = data[at : at + span] * rng.randrange(1, 20)
    elif way < 0.75:
        other = rng.choice(seeds)
        start = rng.randrange(len(other) + 1)
        data[at:at] = other[start : start + span]
    elif way < 0.8:
        moved = data[at : at + span]
        del data[at : at + span]
        to = rng.randrange(len(data) + 1)
        data[to:to] = moved
    elif way < 0.9 and at:
        data[at - 1] ^= 1 << rng.randrange(8)
    elif at:
        data[at - 1] = rng.randrange(256)


def _tag(rng: random.Random) -> bytes:
    name = rng.choice(TAGS)
    if rng.random() < 0.4:
        return b"</" + name + b">"
    return b"<" + name + rng.choice(ATTRIBUTES) + rng.choice((b">", b">", b">", b"/>", b" ", b""))


def _members(source: bytes) -> list[bytes]:
    """Return the gzip members of a file, unpacked; a file of another format as one."""
    found: list[bytes] = []
    while source.startswith(b"\x1f\x8b"):
        inflater = zlib.decompressobj(31)
        found.append(inflater.decompress(source))
        source = inflater.unused_data
    return [*found, source] if source else found


def _array(rng: random.Random, data: bytes, is_facts: bool) -> bytes:
    """Return an npy file with other numbers in it; sometimes with another header."""
    start = 10 + int.from_bytes(data[8:10], "little")
    if rng.random() < 0.2:
        return changed(rng, data, [data], (b"0", b"9", b", ", b"<i8", b"|O"), MAX_STRICT_CHANGES)
    if is_facts:
        told = changed(rng, data[start:], [data], JSON, MAX_STRICT_CHANGES)
        return data[:start].replace(b"(%d,)" % (len(data) - start), b"(%d,)" % len(told)) + told
    body = bytearray(data[start:])
    size = rng.choice((1, 4, 4, 8))
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(max(1, len(body) // size)) * size
        number = rng.choice(ROUND_NUMBERS) if rng.random() < 0.5 else rng.randrange(1000)
        body[at : at + size] = (rng.choice((1, -1)) * number % 256**size).to_bytes(size, "little")[: len(body) - at]
    return data[:start] + bytes(body)
