"""Feeds: RSS, Atom and JSON Feed of all versions, as they are written and as they should not be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagesieve.crawl import feeds
from pagesieve.crawl.feeds import Feed, FeedEntry, plain_text, read_feed
from pagesieve.errors import BadFeed, PagesieveError
from pagesieve.text.urls import absolute

URL = "https://a.example/news/feed.xml"
HOME = "https://a.example/news/"


def read(text: str, url: str = URL) -> Feed:
    return read_feed(text.encode(), url)


# --- whole feeds

RSS_2 = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>News &amp; views</title><link>https://a.example/</link>
<atom:link rel="self" href="https://a.example/news/feed.xml"/>
<image><title>Logo</title><url>/logo.png</url><link>https://a.example/logo</link></image>
<item><title>First</title><link>https://a.example/1</link><pubDate>Mon, 06 May 2024 07:40:00 +0200</pubDate>
<description>What it is about</description><guid>https://a.example/?p=1</guid>
<media:content url="/1.jpg"><media:title>A picture</media:title></media:content></item>
<item><media:title>A picture</media:title><title>Second</title><link>/2</link></item>
</channel></rss>"""

RSS_091 = """<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><title>Old</title><item><title>One</title><link>/one</link></item></channel></rss>"""

RSS_1 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="/"><title>Journal</title><link>/</link></channel>
<item rdf:about="https://a.example/x"><title>By about</title><dc:date>2024-05-06T07:40Z</dc:date></item>
<item rdf:about="#2"><link>/y</link><dc:title>By link</dc:title></item></rdf:RDF>"""

RSS_090 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>Older</title></channel>
<item><title>One</title><link>one.html</link></item></rdf:RDF>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">A &lt;b&gt;bold&lt;/b&gt; feed</title>
<link rel="next" href="?page=2"/>
<entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Some <em>X</em>HTML</div></title>
<link rel="enclosure" href="/sound.mp3"/><link rel="alternate" type="application/json" href="/1.json"/>
<link type="text/html" href="/1.html"/><published>2024-05-06T07:40:00Z</published>
<updated>2024-05-07T07:40:00Z</updated><summary type="text">1 &lt; 2 &amp; 3</summary></entry>
<entry><title>Only an id</title><id>https://a.example/2.html</id><updated>2024-05-07</updated></entry>
<entry><title>By its content</title><id>tag:a.example,2024:3</id><content src="3.html" type="text/html"/></entry>
<entry><title>Nowhere</title><id>tag:a.example,2024:4</id></entry></feed>"""

ATOM_03 = """<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Early</title>
<entry><title mode="escaped" type="text/html">T</title><link rel="alternate" href="/t"/>
<issued>2004-05-06T07:40:00+01:00</issued><modified>2004-05-07T07:40:00+01:00</modified></entry></feed>"""

JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "JSON", "next_url": "feed.json?2", "items": [
 {"id": "1", "url": "/1", "title": "One", "summary": "S", "date_published": "2024-05-06T07:40:00-05:00",
  "date_modified": "2024-05-07"},
 {"id": "https://a.example/2", "external_url": "https://b.example/", "content_html": "<p>x"},
 {"id": "https://a.example/3", "title": 7}, {"id": 4}, "five", {"url": "mailto:x@a.example"}]}"""

WHOLE = {
    "RSS 2.0": (
        RSS_2,
        Feed(
            URL,
            "rss",
            "News & views",
            (
                FeedEntry("https://a.example/1", "First", "2024-05-06T07:40:00+02:00", None, "What it is about"),
                FeedEntry("https://a.example/2", "Second"),
            ),
        ),
    ),
    "RSS 0.91": (RSS_091, Feed(URL, "rss", "Old", (FeedEntry("https://a.example/one", "One"),))),
    "RSS 1.0": (
        RSS_1,
        Feed(
            URL,
            "rss",
            "Journal",
            (
                FeedEntry("https://a.example/x", "By about", "2024-05-06T07:40:00+00:00"),
                FeedEntry("https://a.example/y", "By link"),
            ),
        ),
    ),
    "RSS 0.90": (RSS_090, Feed(URL, "rss", "Older", (FeedEntry(HOME + "one.html", "One"),))),
    "Atom": (
        ATOM,
        Feed(
            URL,
            "atom",
            "A bold feed",
            (
                FeedEntry(
                    "https://a.example/1.html",
                    "Some XHTML",
                    "2024-05-06T07:40:00+00:00",
                    "2024-05-07T07:40:00+00:00",
                    "1 < 2 & 3",
                ),
                FeedEntry("https://a.example/2.html", "Only an id", None, "2024-05-07"),
                FeedEntry(HOME + "3.html", "By its content"),
            ),
            URL + "?page=2",
        ),
    ),
    "Atom 0.3": (
        ATOM_03,
        Feed(
            URL,
            "atom",
            "Early",
            (FeedEntry("https://a.example/t", "T", "2004-05-06T07:40:00+01:00", "2004-05-07T07:40:00+01:00"),),
        ),
    ),
    "JSON Feed": (
        JSON,
        Feed(
            URL,
            "json",
            "JSON",
            (
                FeedEntry("https://a.example/1", "One", "2024-05-06T07:40:00-05:00", "2024-05-07", "S"),
                FeedEntry("https://b.example/", ""),
                FeedEntry("https://a.example/3", ""),
            ),
            HOME + "feed.json?2",
        ),
    ),
}


@pytest.mark.parametrize(("text", "feed"), WHOLE.values(), ids=WHOLE)
def test_whole_feeds(text: str, feed: Feed) -> None:
    assert read(text) == feed


@pytest.mark.parametrize("path", ["en/feed.xml", "en/feed.json", "zh/atom.xml"])
def test_the_feeds_of_the_example_site(site: Path, gold: list[dict[str, Any]], path: str) -> None:
    feed = read_feed((site / path).read_bytes(), f"http://127.0.0.1:8000/{path}")
    lines = (site.parent / "crawl.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [*gold, *map(json.loads, lines)]
    wanted = {(one["id"], one["title"], one["date"]) for one in answers if one["id"].startswith(path[:3])}
    prefix = "http://127.0.0.1:8000/"
    assert {(one.url.removeprefix(prefix), one.title, (one.date or "")[:10]) for one in feed.entries} == wanted


# --- the parts of an entry


def rss_item(inside: str) -> FeedEntry | None:
    spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"'
    spaces += ' xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"'
    entries = read(f"<rss {spaces}><channel><item>{inside}</item></channel></rss>").entries
    return entries[0] if entries else None


TITLES = {
    "<title>Plain</title>": "Plain",
    "<title>AT&amp;T</title>": "AT&T",
    "<title>AT&T and R&D</title>": "AT&T and R&D",  # no reference at all
    "<title>AT&amp;amp;T</title>": "AT&T",
    "<title><![CDATA[AT&amp;T]]></title>": "AT&T",
    "<title>&lt;b&gt;Bo&lt;/b&gt;ld</title>": "Bold",
    "<title><![CDATA[One<br/>two<p>three</p>]]></title>": "One two three",
    "<title>1 &lt; 2, x&lt;y</title>": "1 < 2, x<y",
    "<title>1 < 2</title>": "1 < 2",
    "<title>caf&eacute;&nbsp;&hellip;&#8217;&#x2019;</title>": "café …’’",
    "<title>&undeclared; x</title>": "&undeclared; x",
    "<title>&LT;b&GT;</title>": "",  # a tag, once resolved
    "<title> much \n\t white  </title>": "much white",
    "<title/><dc:title>Other</dc:title>": "Other",
    "<Title>Capital</Title>": "Capital",
    "": "",
}


@pytest.mark.parametrize(("inside", "title"), TITLES.items())
def test_titles(inside: str, title: str) -> None:
    entry = rss_item(f"<link>/x</link>{inside}")
    assert entry == FeedEntry("https://a.example/x", title)


ADDRESSES = {
    "<link>https://a.example/x</link>": "https://a.example/x",
    "<link> \n/x </link>": "https://a.example/x",
    "<link>x</link>": HOME + "x",
    "<link>?id=1&amp;b=2</link>": URL + "?id=1&b=2",
    "<link>?id=1&b=2</link>": URL + "?id=1&b=2",
    "<link><![CDATA[/x?a=1&b=2]]></link>": "https://a.example/x?a=1&b=2",
    "<link>/x?utm_source=rss&amp;id=1#top</link>": "https://a.example/x?id=1",
    "<link>HTTPS://A.EXAMPLE:443/X</link>": "https://a.example/X",
    "<link>/x</link><guid>https://a.example/?p=1</guid>": "https://a.example/x",
    "<guid>https://a.example/?p=1</guid>": "https://a.example/?p=1",
    '<guid isPermaLink="true">https://a.example/?p=1</guid>': "https://a.example/?p=1",
    '<guid isPermaLink="false">https://a.example/?p=1</guid>': None,
    "<guid>12345</guid>": None,
    '<atom:link href="/self" rel="self"/><atom:link href="/x"/>': "https://a.example/x",
    '<link/><atom:link href="/x" rel="alternate"/>': "https://a.example/x",
    "<link>https://feeds.example/~r/1</link><feedburner:origLink>/x</feedburner:origLink>": "https://a.example/x",
    '<link xml:base="https://b.example/y/">x</link>': "https://b.example/y/x",
    '<link xml:base="javascript:alert(1)">x</link>': HOME + "x",
    "<link>javascript:alert(1)</link>": None,
    "<link>file:///etc/passwd</link>": None,
    "<link>ftp://a.example/x</link>": None,
    "<link>data:text/html,x</link>": None,
    "<link>http://</link><guid>https://a.example/g</guid>": "https://a.example/g",
    "<link></link>": None,
    '<enclosure url="/x.mp3"/>': None,
}


@pytest.mark.parametrize(("inside", "url"), ADDRESSES.items())
def test_addresses(inside: str, url: str | None) -> None:
    entry = rss_item(inside)
    assert (entry.url if entry else None) == url


DATES = {
    "<pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate>": "2002-09-07T00:00:01+00:00",
    "<pubDate>Sat, 7 Sep 02 9:00:01 EST</pubDate>": "2002-09-07T09:00:01-05:00",
    "<pubDate>2024-05-06</pubDate>": "2024-05-06",
    "<pubDate>yesterday</pubDate><dc:date>2024-05-06T07:40Z</dc:date>": "2024-05-06T07:40:00+00:00",
    "<pubDate/>": None,
    "<pubDate>Mon, 32 May 2024 00:00:00 GMT</pubDate>": None,
}


@pytest.mark.parametrize(("inside", "date"), DATES.items())
def test_dates(inside: str, date: str | None) -> None:
    entry = rss_item(f"<link>/x</link>{inside}")
    assert entry == FeedEntry("https://a.example/x", "", date)


def test_a_long_summary_is_cut_at_a_blank() -> None:
    entry = rss_item(f"<link>/x</link><description>{'word &lt;br&gt; ' * 5000}</description>")
    assert entry is not None
    assert entry.summary is not None
    assert feeds.MAX_SUMMARY - 10 < len(entry.summary) <= feeds.MAX_SUMMARY
    assert set(entry.summary.split()) == {"word"}


MARKUP = {
    "a<script>if (1 < 2) x()</script>b": "a b",
    "a<!-- <p>no --> b": "a b",
    "a<STYLE>p {}": "a",
    "<p class='x'>a</p><p>b</p>": "a b",
    "H<sub>2</sub>O": "H2O",
    "a <3 b": "a <3 b",
}


@pytest.mark.parametrize(("markup", "text"), MARKUP.items())
def test_the_text_of_markup(markup: str, text: str) -> None:
    assert plain_text(markup, 100) == text


# --- the feed around them


def test_xml_base_is_inherited() -> None:
    feed = read(
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/a/"><link rel="next" href="2"/>'
        '<entry xml:base="b/"><link href="c"/></entry><entry><link href="d"/></entry></feed>'
    )
    assert [entry.url for entry in feed.entries] == ["https://a.example/a/b/c", "https://a.example/a/d"]
    assert feed.next_url == "https://a.example/a/2"


@pytest.mark.parametrize(
    ("links", "next_url"),
    [
        ('<atom:link rel="next" href="?p=2"/>', URL + "?p=2"),
        ('<atom:link rel="prev-archive" href="/2023.xml"/>', "https://a.example/2023.xml"),
        ('<atom:link rel="prev-archive" href="/a"/><atom:link rel="NEXT" href="/b"/>', "https://a.example/b"),
        ('<atom:link rel="previous" href="?p=0"/>', None),
        ('<atom:link rel="next" href=""/>', None),
        (f'<atom:link rel="next" href="{URL}#x"/>', None),  # itself
        ('<atom:link rel="next" href="file:///etc/passwd"/>', None),
    ],
)
def test_the_next_page_of_a_feed(links: str, next_url: str | None) -> None:
    for text in (
        f'<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel>{links}</channel></rss>',
        f'<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><item><link>/x</link></item>{links}</channel></rss>',
    ):
        assert read(text).next_url == next_url


def test_an_entry_comes_once_and_only_so_many_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MAX_ENTRIES", 3)
    for urls, titles, is_cut in (
        ("aab", ["0", "2"], False),
        ("aabb", ["0", "2"], True),
        ("abcdefg", list("012"), True),
    ):
        items = "".join(f"<item><link>/{url}</link><title>{n}</title></item>" for n, url in enumerate(urls))
        values = [{"url": f"/{url}", "title": str(n)} for n, url in enumerate(urls)]
        json_feed = json.dumps({"version": "https://jsonfeed.org/version/1", "items": values})
        for feed in (read(f"<rss><channel>{items}</channel></rss>"), read(json_feed)):
            assert ([entry.title for entry in feed.entries], feed.is_cut) == (titles, is_cut)


TITLED = "<rss><channel><title>é</title></channel></rss>"
ENCODED = {
    "utf-8 with a mark": f"\ufeff{TITLED}".encode(),
    "utf-16": TITLED.encode("utf-16"),
    "utf-16 without a mark": TITLED.encode("utf-16-le"),
    "declared": f"<?xml version='1.0' encoding='iso-8859-1'?>{TITLED}".encode("iso-8859-1"),
    "declared wrongly": f"<?xml version='1.0' encoding='us-ascii'?>{TITLED}".encode(),
    "declared as utf-16": f"<?xml version='1.0' encoding='utf-16'?>{TITLED}".encode(),
    "unknown": f"<?xml version='1.0' encoding='nonsense'?>{TITLED}".encode(),
    "after a warning": f"\nWarning: é in line 3\n<?xml version='1.0'?>{TITLED}".encode(),
    "with zeros": b"<rss>\0<channel><ti\0tle>\xc3\xa9\0\x07\x1b</title></channel></rss>",
    "cut": "<rss><channel><title>é</title><item><link>/x</link></item><item><link>/y".encode(),
    "unclosed": "<rss><channel><title>é</title><item><link>/x</item></channel></rss>".encode(),
    "undeclared prefix": "<rss><channel><itunes:title>no</itunes:title><title>é</title></channel></rss>".encode(),
}


@pytest.mark.parametrize("body", ENCODED.values(), ids=ENCODED)
def test_broken_and_encoded_feeds_are_read(body: bytes) -> None:
    assert read_feed(body, URL).title == "é"


def test_what_stands_before_a_break_is_kept() -> None:
    for name in ("cut", "unclosed"):
        assert [entry.url for entry in read_feed(ENCODED[name], URL).entries][:1] == ["https://a.example/x"]


# --- what is no feed

NO_FEEDS = {
    b"": "not XML",
    b"\0\0": "not XML",
    b"hello": "not a feed but text",
    b"<!doctype html><html><p>x<br>": "not a feed but a page",
    b"<html><p>x</html>": "not a feed but <html>",
    b"<opml><body/></opml>": "not a feed but <opml>",
    b"<urlset><url><loc>/x</loc></url></urlset>": "not a feed but <urlset>",
    b"<rss></rss>": "no channel",
    b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><x/></rdf:RDF>": "no channel",
    b"<": "broken XML",
    b"\x89PNG\r\n\x1a\n": "an image",
    b"%PDF-1.4": "a PDF",
    b"{}": "not a JSON Feed",
    b'{"version": "https://jsonfeed.org/version/1", "items": {}}': "not a JSON Feed",
    b'{"version": 1, "items": []}': "not a JSON Feed",
    b'{"version"': "nor JSON that can be read",
    b"\x1f\x8b\x08": "gzip body ends early",
    b"\x1f\x8bnonsense": "not gzip",
}


@pytest.mark.parametrize(("body", "why"), NO_FEEDS.items())
def test_what_is_no_feed_is_one_clear_line(body: bytes, why: str) -> None:
    with pytest.raises(BadFeed) as raised:
        read_feed(body, URL)
    line = str(raised.value)
    assert line.startswith(f"{URL}: ")
    assert why in line
    assert len(line.splitlines()) == 1
    assert isinstance(raised.value, PagesieveError)


@pytest.mark.parametrize("url", ["", "feed.xml", "ftp://a.example/", "http://[", "javascript:x"])
def test_the_address_must_be_one(url: str) -> None:
    with pytest.raises(BadFeed, match="not the address of a feed"):
        read(RSS_2, url)


# --- anything at all

PIECES = st.sampled_from(
    [
        *r"""<rss> <channel> <item> </item> <title> </title> <link> </link> /x http://[ & &amp; &#xd800; &#0; &x;
        <![CDATA[ ]]> <!-- --> <feed> <entry> </entry> <link/href='//b.example:99999/'/> <?xml?> <!DOCTYPE [<!ENTITY é
        <pubDate> 2024-13-45 { "items":[ <urlset> <sitemapindex> <url> <loc> </loc> </url> <a:b> <news:news>
        <news:title>""".split(),
        *("\0", "\ufffe", "\ud800", "\U0001f600", " ", "<item xmlns='urn:x'>", "<link xml:base='http://['>"),
        *("<feed xmlns='http://www.w3.org/2005/Atom'>", "<?xml version='1.0' encoding='gbk'?>", "<link href='?'/>"),
    ]
)


def is_sound(feed: Feed) -> bool:
    urls = [entry.url for entry in feed.entries] + ([feed.next_url] if feed.next_url else [])
    texts = [feed.title, *(entry.title + (entry.summary or "") for entry in feed.entries)]
    return all(absolute(url, url) == url for url in urls) and all(text.encode() or not text for text in texts)


def feed_or_line(body: bytes) -> Feed | str:
    try:
        return read_feed(body, URL)
    except BadFeed as error:
        return str(error)


def check_any(body: bytes) -> None:
    found = feed_or_line(body)
    assert len(found.splitlines()) == 1 if isinstance(found, str) else is_sound(found)


@given(st.binary(max_size=300))
@example(b"<rss><channel><item><link>&#xd800;</link>")
def test_any_bytes_are_a_feed_or_none(body: bytes) -> None:
    check_any(body)


@given(st.lists(PIECES, max_size=25))
def test_any_markup_is_a_feed_or_none(pieces: list[str]) -> None:
    check_any("".join(pieces).encode("utf-8", "surrogatepass"))


@given(st.binary(max_size=60), st.integers(0, len(RSS_2) - 1), st.sampled_from([RSS_2, RSS_1, ATOM, JSON]))
def test_a_damaged_feed_is_a_feed_or_none(noise: bytes, at: int, text: str) -> None:
    body = text.encode()
    check_any(body[:at] + noise + body[at + len(noise) :])


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["/x", "\ud800", "2024"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "url", "title", "summary", "date_published"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(VALUES, max_size=4), VALUES, VALUES)
def test_any_json_is_a_feed_or_none(items: list[Any], title: Any, following: Any) -> None:
    value = {"version": "https://jsonfeed.org/version/1", "items": items, "title": title, "next_url": following}
    check_any(json.dumps(value).encode())
