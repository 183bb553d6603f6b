"""Pages that break programs, each made by a small function; and one in a child process that can be measured."""

from __future__ import annotations

import random
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

import pagesieve
from pagesieve.options import Format

WORDS = b"words and more of them, as many as it takes to fill a line or two of an article "
ARTICLE = b"<p>" + WORDS * 2 + b"</p>"
FORMATS: tuple[Format, ...] = ("text", "markdown", "html", "json")
URL = "https://example.org/a"


def numbered(form: bytes, count: int) -> bytes:
    """A form filled with the numbers up to a count."""
    return b"".join(form % number for number in range(count))


def noise(size: int) -> bytes:
    """Bytes without any order, the same in each run."""
    return random.Random(1).randbytes(size)


Make = Callable[[], bytes]

# What the page says is in the name; each is some megabytes or would take a careless program very long.
PAGES: dict[str, Make] = {
    # No page at all
    "empty": lambda: b"",
    "whitespace": lambda: b" \n\t\r\n" * 1000,
    "no HTML": lambda: WORDS * 20,
    "a lone <": lambda: b"<",
    "NUL bytes": lambda: b"\0" * 1_000_000,
    "NUL bytes in an article": lambda: ARTICLE.replace(b"w", b"\0w") * 2000,
    # Without a page before them they are refused: see test_bad_input.
    "all bytes": lambda: ARTICLE * 30 + bytes(range(256)) * 4000,
    "noise": lambda: ARTICLE * 30 + noise(1_000_000),
    # Never closed
    "unclosed comment": lambda: ARTICLE * 9 + b"<!-- never closed <p> " * 100_000,
    "unclosed script": lambda: ARTICLE * 9 + b"<script>var a = '<p>';" * 100_000,
    "unclosed attribute": lambda: ARTICLE * 9 + b'<a href="' + b"x <p> " * 200_000,
    "unclosed title": lambda: b"<title>" + b"</titl " * 300_000,
    "unclosed textarea": lambda: ARTICLE * 9 + b"<textarea>" + b"</textare<p>" * 200_000,
    "unclosed CDATA": lambda: ARTICLE * 9 + b"<svg>" + b"<![CDATA[" * 200_000,
    "unclosed h1": lambda: (b"<h1>" + WORDS) * 20_000,
    # Nested
    "200,000 div": lambda: b"<div>" * 200_000,
    "200,000 div with text": lambda: (b"<div>" + WORDS) * 20_000 + b"<div>" * 180_000,
    "200,000 div, closed": lambda: b"<div>" * 200_000 + ARTICLE * 9 + b"</div>" * 200_000,
    "nested tables": lambda: (b"<table><tr><td>" + WORDS) * 20_000,
    "nested lists": lambda: (b"<ul><li>" + WORDS) * 20_000,
    "nested quotes": lambda: (b"<blockquote>" + WORDS) * 20_000,
    "nested definitions": lambda: (b"<dl><dd>" + WORDS) * 20_000,
    "nested spans": lambda: (b"<span>" + WORDS) * 20_000,
    "nested formatting": lambda: (b"<em><b><i><u>" + WORDS) * 20_000,
    "nested sup": lambda: (b"<sup>" + WORDS) * 20_000,
    "nested pre": lambda: (b"<pre>" + WORDS) * 20_000,
    "nested code": lambda: (b"<code>" + WORDS) * 20_000,
    "nested q": lambda: (b"<q>" + WORDS) * 20_000,
    "nested svg": lambda: ARTICLE * 9 + b"<svg>" * 200_000,
    "nested g": lambda: ARTICLE * 9 + b"<svg>" + b"<g>" * 200_000,
    "nested foreignObject": lambda: ARTICLE * 9 + b"<svg><foreignObject>" * 50_000,
    "nested fractions": lambda: ARTICLE * 9 + b"<math>" + b"<mfrac><mi>x</mi>" * 50_000,
    "nested template": lambda: ARTICLE * 9 + b"<template>" * 200_000,
    "nested select": lambda: ARTICLE * 9 + b"<select><option>words" * 100_000,
    "nested button": lambda: (b"<button>" + WORDS) * 20_000,
    "nested object": lambda: ARTICLE * 9 + b"<object>words" * 50_000,
    "frames": lambda: b"<frameset><frame>" * 50_000,
    # Formatting that has to be opened again and again
    "100,000 b, then paragraphs": lambda: b"<b id=i>" * 100_000 + (b"<p>" + WORDS) * 10_000,
    "100,000 other b, then paragraphs": lambda: numbered(b"<b id=%d>", 100_000) + (b"<p>" + WORDS) * 10_000,
    "fonts and paragraphs": lambda: numbered(b"<font size=%d><p>" + WORDS, 20_000),
    "misnested formatting": lambda: (b"<p><b><i><u>" + WORDS + b"</p>") * 10_000,
    "misnested links": lambda: (b"<a href=x><div>" + WORDS + b"</a>") * 10_000,
    "b and div, crossed": lambda: b"<b>" * 60 + b"<div></b>" * 20_000,
    # Many of one thing
    "1,000,000 br": lambda: b"<br>" * 1_000_000,
    "lines between br": lambda: (WORDS + b"<br>") * 30_000,
    "1,000,000 <": lambda: b"<" * 1_000_000,
    "500,000 <!": lambda: b"<!" * 500_000,
    "500,000 </": lambda: b"</" * 500_000,
    "500,000 <?": lambda: b"<?" * 500_000,
    "1,000,000 stray end tags": lambda: ARTICLE * 9 + b"</b></p></div></x>" * 250_000,
    "stray end tags far down": lambda: b"<div>" * 500 + b"</span>" * 300_000 + ARTICLE * 9,
    "200,000 a": lambda: ARTICLE * 9 + b'<a href="/x">words</a>' * 200_000,
    "200,000 open a": lambda: ARTICLE * 9 + b'<a href="/x">words ' * 200_000,
    "100,000 comments": lambda: b"<p>" + b"words and more<!-- a comment -->" * 100_000,
    "100,000 h1": lambda: (b"<h1>words and more of these</h1>" + ARTICLE) * 10_000 + b"<h1>words</h1>" * 90_000,
    "200,000 meta": lambda: b'<meta name=author content="some words">' * 200_000 + ARTICLE * 9,
    "100,000 sections of comments": lambda: b'<p class="comments">words and words</p>' * 100_000 + ARTICLE * 9,
    "100,000 hidden": lambda: b'<p style="display : none">words and words</p>' * 100_000 + ARTICLE * 9,
    "200,000 items": lambda: b"<ol>" + b"<li><li>words and more here, of some length" * 100_000,
    "100,000 images": lambda: (ARTICLE + b'<img src="x y.png" alt=words>') * 5_000 + b"<img src=x>" * 95_000,
    "100,000 names": lambda: numbered(b"<x%d>words and more of them ", 100_000),
    "100,000 attributes' names": lambda: numbered(b"<p a%d=1>words and more of them ", 100_000),
    # Long
    "10 MB attribute": lambda: b'<p title="' + b"x" * 10_000_000 + b'">' + WORDS * 9,
    "10 MB class": lambda: b'<p class="' + b"comments " * 1_100_000 + b'">' + WORDS * 9,
    "10 MB style": lambda: b'<p style="' + b"display:;" * 1_100_000 + b'">' + WORDS * 9,
    "10 MB href": lambda: ARTICLE * 9 + b'<a href="' + b"../" * 3_300_000 + b'">words</a>' + ARTICLE,
    "10 MB srcset": lambda: ARTICLE * 9 + b'<img srcset="' + b"a.png 1x, " * 1_000_000 + b'">' + ARTICLE,
    "300,000 equal attributes": lambda: b"<p " + b"a=1 " * 300_000 + b">" + WORDS * 9,
    "long tag": lambda: b"<" + b"x" * 5_000_000 + b">" + ARTICLE * 9,
    "long attribute name": lambda: b"<p " + b"x" * 5_000_000 + b">" + ARTICLE * 9,
    "20 MB text": lambda: b"<p>" + WORDS * 250_000,
    "20 MB word": lambda: b"<p>" + b"x" * 20_000_000,
    "20 MB of a script": lambda: ARTICLE * 9 + b"<script>" + b"x" * 20_000_000 + b"</script>",
    "30 MB page": lambda: (b"<p>" + WORDS * 6 + b"<a href=/x>" + WORDS + b"</a></p>\n") * 52_000,
    # Signs
    "500,000 &amp": lambda: b"<p>" + b"&amp" * 500_000,
    "1,000,000 &": lambda: b"<p>" + b"&" * 1_000_000,
    "500,000 &#x": lambda: b"<p>" + b"&#x" * 500_000,
    "long entity": lambda: b"<p>" + WORDS * 2 + b"&" + b"a" * 2_000_000,
    "long number of a character": lambda: b"<p>" + WORDS * 2 + b"&#" + b"9" * 2_000_000 + b";",
    "signs of Markdown": lambda: b"<p>" + b"*_`[]()~#>$|\\" * 100_000,
    "backticks": lambda: ARTICLE * 2 + b"<p><code>" + b" ".join(b"`" * n for n in range(2000)) + b"</code>" + WORDS,
    "marks that turn the text": lambda: b"<p>" + "\u202e\u200b\u0301".encode() * 500_000 + WORDS * 2,
    # Tables
    "colspan 100,000,000": lambda: (
        b"<table>" + (b'<tr><td colspan="100000000">' + WORDS + b"<td rowspan=100000000>" + WORDS) * 20
    ),
    "largest spans": lambda: b"<table>" + (b"<tr><td colspan=1000>" + WORDS + b"<td rowspan=65534>words") * 2000,
    "rising spans": lambda: (
        b"<table>" + b"".join(b"<tr><td colspan=%d>w<td rowspan=%d>%s" % (n % 999 + 1, n, WORDS) for n in range(2000))
    ),
    "wide table": lambda: b"<table><tr>" + (b"<td>words" * 100_000) + b"<tr><td>" + WORDS * 2,
    "long table": lambda: b"<table>" + b"<tr><td>words and more<td>of them, enough for a line" * 50_000,
    "100,000 col": lambda: b"<table><colgroup>" + b"<col span=1000>" * 100_000 + b"<tr><td>" + WORDS * 2,
    # Encodings
    "wrong charset": lambda: b"<meta charset=gbk><p>" + "Größe, naïve, café, ".encode() * 100_000,
    "no charset": lambda: b"<p>" + "Größe, naïve, café, ".encode("cp1252") * 100_000,
    "unknown charset": lambda: b"<meta charset=klingon>" * 10_000 + ARTICLE * 9 + b"\xe9",
    "mixed encodings": lambda: b"<p>" + ("中文的文字".encode("gbk") + "é, 中文".encode()) * 100_000,
    "high bytes": lambda: b"<p>" + b"\x80\xff\xfe" * 700_000,
    "encoded surrogates": lambda: b"<p>" + b"\xed\xa0\x80 words" * 100_000,
    "broken UTF-16": lambda: b"\xff\xfe" + bytes(range(256)) * 4000,
    "escapes of ISO-2022-JP": lambda: b"<p>" + b"\x1b$B$3$l\x1b(B words " * 100_000,
    "UTF-7": lambda: b"<meta charset=utf-7><p>" + b"words +AGE- +ADw-script+AD4- " * 50_000,
    "replacement characters": lambda: b"<p>" + "\ufffd".encode() * 500_000 + WORDS * 9,
}
# Those that need more than ten seconds.
SLOW: dict[str, Make] = {
    "300,000 attributes": lambda: b"<p " + numbered(b"a%d=1 ", 300_000) + b">" + WORDS * 9,
    "100,000 body": lambda: numbered(b"<body a%d=1>", 100_000) + ARTICLE * 9,
    "100,000 html": lambda: numbered(b"<html a%d=1>", 100_000) + ARTICLE * 9,
}
ALL = PAGES | SLOW


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a page: the lengths of its formats (None: nothing found), any error, and what it took."""

    lengths: dict[str, int | None]
    error: str | None
    page_bytes: int
    more_bytes: int  # at the peak, over what the process had with the page in its memory
    notes: tuple[str, ...]


def peak_bytes() -> int:
    """The most memory this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def try_out(name: str, answer: Connection) -> None:
    """Extracts one of the pages in every format and sends the outcome: to be run in a process of its own."""
    html = ALL[name]()
    before = peak_bytes()
    lengths: dict[str, int | None] = {}
    error, notes = None, tuple[str, ...]()
    try:
        for format in FORMATS:
            found = pagesieve.extract(html, URL, format=format, include_links=True, include_images=True)
            lengths[format] = None if found is None else len(found)
        notes = pagesieve.parse(html).notes
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    answer.send(Outcome(lengths, error, len(html), peak_bytes() - before, notes))
