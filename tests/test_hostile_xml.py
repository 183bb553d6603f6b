"""XML that was written to do harm is read harmlessly, or refused with one line; neither takes long or much memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pagesieve.crawl import feeds
from pagesieve.crawl.feeds import read_feed, read_parts, read_sitemap
from pagesieve.errors import BadFeed

URL = "https://a.example/x"
ITEM = "<item><title>{}</title><link>/x</link></item>"
MILLION = 1_000_000


def rss(inside: str, before: str = "") -> bytes:
    return f"{before}<rss><channel>{inside}</channel></rss>".encode()


def numbered(pattern: str, count: int) -> str:
    return " ".join(pattern.format(n) for n in range(count))


def laughs(levels: int) -> str:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!DOCTYPE rss [<!ENTITY l0 "{"lol" * 100}">{entities}]>'


SECRET, HERE = "these words are nobody's business", Path(__file__).as_uri()  # which entities ask for

READ: dict[str, Callable[[], bytes]] = {
    "billion laughs": lambda: rss(ITEM.format("&l9;"), laughs(10)),
    "billion laughs in an attribute": lambda: rss('<title x="&l9;">t</title>' + ITEM.format("t"), laughs(10)),
    "quadratic blow-up": lambda: rss(ITEM.format("&a;" * 10_000), f'<!DOCTYPE rss [<!ENTITY a "{"a" * 100_000}">]>'),
    "entity of itself": lambda: rss(ITEM.format("&a;"), '<!DOCTYPE rss [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
    "external entity": lambda: rss(ITEM.format("&a;"), f'<!DOCTYPE rss [<!ENTITY a SYSTEM "{HERE}">]>'),
    "external entity in an address": lambda: rss(
        "<item><link>/x?&a;</link></item>", f'<!DOCTYPE rss [<!ENTITY a SYSTEM "{HERE}">]>'
    ),
    "external parameter entity": lambda: rss(ITEM.format("t"), f'<!DOCTYPE rss [<!ENTITY % a SYSTEM "{HERE}"> %a;]>'),
    "external DTD": lambda: rss(ITEM.format("t"), f'<!DOCTYPE rss SYSTEM "{HERE}">'),
    "stylesheet": lambda: rss(ITEM.format("t"), f'<?xml-stylesheet href="{HERE}"?>'),
    "XInclude": lambda: rss(
        f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{HERE}" parse="text"/>' + ITEM.format("t")
    ),
    "many attributes": lambda: rss("<item " + numbered("a{}=''", 100_000) + "><link>/x</link></item>"),
    "many namespaces": lambda: rss("<x " + numbered("xmlns:a{0}='u{0}'", 10_000) + "/>" + ITEM.format("t")),
    "deep, after an entry": lambda: rss(ITEM.format("t") + "<x>" * MILLION),
    "huge text, after an entry": lambda: rss(ITEM.format("t") + f"<x>{'x' * 20 * MILLION}</x>"),
    "surrogates and controls": lambda: rss(ITEM.format("&#xd800;&#xdfff;&#0;&#x1f;&#xffff;&#9999999;&#99999999999;")),
    "scripts without end": lambda: rss(ITEM.format("&lt;script" * 100_000)),
    "CDATA without end": lambda: rss(ITEM.format("t") + "<![CDATA[" * MILLION),
    "comments without end": lambda: rss(ITEM.format("t") + "<!--" * MILLION),
}
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "deep": (lambda: b"<rss><channel>" + b"<x>" * MILLION, "no channel could be read"),
    "deep JSON": (lambda: b'{"items":' + b"[" * MILLION, "nor JSON"),
    "long number in JSON": (lambda: b'{"items":[' + b"1" * MILLION + b"]}", "nor JSON"),
    "gzip bomb": (lambda: gzip.compress(b"<rss>" + bytes(100 * MILLION)), "larger than"),
    "too many stray signs": (lambda: b"<rss>" + b"&" * 3 * MILLION, "too broken"),
    "too many brackets": (lambda: b"<rss>" + b"<" * 3 * MILLION, "too broken"),
    "too many elements": (lambda: b"<rss><channel>" + b"<a/>" * 3 * MILLION, "too many elements"),
    "too many elements of one entry": (lambda: b"<rss><channel><item>" + b"<a/>" * MILLION, "too many elements"),
    "nothing but DOCTYPEs": (lambda: b"<!DOCTYPE rss [" * MILLION, "broken XML"),
}


@pytest.mark.parametrize("make", READ.values(), ids=READ)
def test_it_is_read_harmlessly(make: Callable[[], bytes]) -> None:
    body = make()
    feed = read_feed(body, URL)
    for found in (feed.entries, read_sitemap(body, URL).pages):
        assert [one.url.partition("?")[0] for one in found] == [URL]
    assert "lollol" not in repr(feed)
    assert SECRET not in repr(feed)
    assert len(repr(feed).encode()) < 10_000


def test_references_among_elements_are_none_of_them() -> None:
    assert read_feed(b'<feed s="<![CDATA["><e></<entry>&x;', URL).entries == ()
    assert read_sitemap(b'<sitemapindex s="<![CDATA["><sitemap><c></&p;', URL).sitemaps == ()


@pytest.mark.parametrize(("make", "why"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_with_one_line(make: Callable[[], bytes], why: str) -> None:
    with pytest.raises(BadFeed, match=why) as raised:
        read_feed(make(), URL)
    assert len(str(raised.value).splitlines()) == 1


def test_the_elements_of_all_entries_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MAX_ELEMENTS", 100)
    for count, is_too_many in ((9, False), (11, True)):
        body = rss(("<item>" + "<a/>" * 9 + "</item>") * count)
        with pytest.raises(BadFeed, match="too many elements") if is_too_many else nullcontext():
            assert read_feed(body, URL).entries == ()


def test_nothing_is_asked_of_the_network() -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}/x.dtd"
        for doctype in (
            f'<!DOCTYPE rss SYSTEM "{place}">',
            f'<!DOCTYPE rss PUBLIC "-//x" "{place}">',
            f'<!DOCTYPE rss [<!ENTITY a SYSTEM "{place}">]>',
            f'<!DOCTYPE rss [<!ENTITY % a SYSTEM "{place}"> %a;]>',
        ):
            assert read_feed(rss(ITEM.format("&a;"), doctype), URL).entries
        server.shutdown()
    assert asked == []


def test_memory_does_not_grow_with_the_number_of_entries() -> None:
    """A tree of a sitemap with 400,000 elements would take some 100 MB."""
    program = """
import resource, sys
from pagesieve.crawl.feeds import read_sitemap
from pagesieve.crawl import feeds
feeds.MAX_URLS = 10
links = "<l href='x'/>" * 8
body = ("<urlset>" + f"<url><loc>/x</loc>{links}</url>" * 40_000 + "</urlset>").encode()
read_sitemap(body[:100_000], "https://a.example/")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in feeds.read_parts(body.decode(), "https://a.example/"): pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 40


def test_references_are_resolved_and_strays_escaped() -> None:
    parts = read_parts("<r><p a='x & y < z'>&eacute; &lt; & &copy; &x; <![CDATA[& <]]></p></r>", URL)
    assert [(part.get("a"), feeds.text_of(part)) for part in parts][1] == ("x & y < z", "é < & © &x; & <")


def test_a_part_is_complete_while_it_is_looked_at() -> None:
    parts = read_parts("<r><a><b>1</b></a><channel><c>2</c></channel></r>", URL)
    assert [(part.tag, feeds.text_of(part)) for part in parts][1:] == [("a", "1"), ("c", "2"), ("channel", "")]
