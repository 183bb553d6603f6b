"""Bad input: no crash, no recursion error, no hang, no memory without measure; a result or a clear error."""

from __future__ import annotations

import gc
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkServerContext

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from tests.bad_pages import ALL, FORMATS, PAGES, SLOW, WORDS, Outcome, numbered, try_out
from tests.growing import keep_memory
from tests.profiles import examples

SECONDS = 60  # for all formats of one page, on a slow machine
TIMES_THE_PAGE, AND_BYTES = 20, 200_000_000
GROWTH = 2.6  # of the time, for each doubling of the page
# At once: where the features of all lines outgrow the processor's cache, one doubling costs up to three times.
DOUBLINGS = 3
ATTEMPTS = 24


@pytest.fixture(scope="module")
def server() -> ForkServerContext:
    """Where the children come from: a small process that has Pagesieve loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.bad_pages"])
    return context


def outcome(server: ForkServerContext, name: str) -> Outcome:
    """What becomes of a page in a process of its own, which is ended where it takes too long."""
    receiver, sender = server.Pipe(duplex=False)
    child = server.Process(target=try_out, args=(name, sender))
    child.start()
    sender.close()
    try:
        assert receiver.poll(SECONDS), f"no answer within {SECONDS} s"
        found: Outcome = receiver.recv()
        return found
    except EOFError:
        child.join()
        pytest.fail(f"the process ended with {child.exitcode}")
    finally:
        child.kill()
        child.join()


def check(found: Outcome) -> None:
    assert found.error is None
    assert found.more_bytes <= TIMES_THE_PAGE * found.page_bytes + AND_BYTES
    assert list(found.lengths) == list(FORMATS)
    assert len({length is None for length in found.lengths.values()}) == 1


@pytest.mark.parametrize("name", PAGES)
def test_bad_pages(server: ForkServerContext, name: str) -> None:
    check(outcome(server, name))


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_bad_pages_that_take_long(server: ForkServerContext, name: str) -> None:
    check(outcome(server, name))


@pytest.mark.parametrize("name", ["200,000 div", "200,000 div, closed", "nested template", "nested formatting"])
def test_what_nests_too_deep_is_noted(name: str) -> None:
    (note,) = pagesieve.parse(ALL[name]()).notes
    assert "beyond the limits of nesting" in note


def test_the_result_carries_the_note() -> None:
    found = pagesieve.article(ALL["200,000 div, closed"]())
    assert found.notes == found.page.notes != ()
    assert WORDS.decode().strip() in found.text


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("an image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("an image", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
        ("a PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nstream\n"),
    ],
)
def test_other_files_are_a_clear_error(name: str, start: bytes) -> None:
    with pytest.raises(pagesieve.BadInput, match=name):
        pagesieve.extract(start + random.Random(2).randbytes(100_000))


@pytest.mark.parametrize("data", [bytes(range(256)) * 4000, random.Random(1).randbytes(100_000)], ids=["all", "noise"])
def test_binary_data_is_a_clear_error(data: bytes) -> None:
    with pytest.raises(pagesieve.BadInput, match=r"^not a page but binary data$"):
        pagesieve.extract(data)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-16", "iso-2022-jp", "shift-jis", "gb18030"]
)
def test_text_in_any_encoding_is_no_binary_data(encoding: str) -> None:
    page = f"<html><body>{'<p>今日は天気がいいです。 And so it went on, for a while.</p>' * 30}</body></html>"
    assert pagesieve.extract(page.encode(encoding)) is not None


@pytest.mark.parametrize("text", ["\ud800", "a\udfff" * 1000, "<p title='\udc80'>\ud83d" + "words " * 50])
def test_surrogates_in_text(text: str) -> None:
    found = pagesieve.extract(text, format="json")
    assert found is None or found.encode()


@pytest.mark.parametrize("url", [None, "https://example.org/a/", "http://[x/"])
@pytest.mark.parametrize(
    "address", ["http://[x/a.jpg", "//[", "http://[::1", "http://a:b/c.jpg", "http://a]/", "http://℀/"]
)
def test_malformed_addresses(address: str, url: str | None) -> None:
    paragraph = (
        f"<p>{'Some words about a harbour, and a wall. ' * 9}<a href='{address}'>link</a><img src='{address}'></p>"
    )
    item = f"<li><h2><a href='{address}'>The title of an item</a></h2><img src='{address}'> 12 May 2024</li>"
    head = "".join(f"<meta property=og:{name} content='{address}'>" for name in ("url", "image", "site_name"))
    for base in ("", f"<base href='{address}'>"):
        html = (
            f"<head>{base}<link rel=canonical href='{address}'>{head}</head><h1><a href='{address}'>Title</a></h1>"
            f"{paragraph * 4}<ul>{item * 6}</ul><a rel=next href='{address}'>2</a>"
        )
        found = pagesieve.article(html, url, include_links=True, include_images=True)
        assert all((found.text, found.markdown, found.html, found.tei, found.as_json()))
        assert found.next_part() is None
        assert pagesieve.records(html, url, "static").to_rows()
        assert pagesieve.headline(html, url)
        assert pagesieve.catalogue(html, "https://example.org/").all_links == ()


@examples(300)
@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    try:
        found = pagesieve.extract(data, format="html")
    except pagesieve.BadInput:
        return
    assert found is None or found.encode()


tags = st.sampled_from(
    "p div b i a ul li ol table tr td th caption h1 pre code svg math mi template select option br img "
    "script style title textarea blockquote dl dt dd ruby rt sup form body html head button q".split()
)
pieces = st.one_of(
    tags.map("<{}>".format),
    tags.map("</{}>".format),
    tags.map("<{} ".format),
    st.sampled_from([*" <>&/=\"'!-?", "<!--", "-->", "&amp", "&#", "href=x", "<![CDATA[", "]]>", "\0", WORDS.decode()]),
    st.text(max_size=5),
)


@examples(400)
@given(st.lists(pieces, max_size=60).map("".join))
def test_any_soup(html: str) -> None:
    page = pagesieve.parse(html)
    assert page.fault() is None
    try:
        found = pagesieve.article(page, include_links=True, include_images=True, include_comments=True)
    except pagesieve.NothingFound:
        return
    for written in (found.text, found.markdown, found.html, found.as_json()):
        assert written.encode()
    assert all(decision.reason for decision in found.decisions)


# How the time grows

GROWING: dict[str, Callable[[int], bytes]] = {
    "paragraphs": lambda size: (b"<p>" + WORDS * 4 + b"<a href=/x>words</a></p>\n") * (size // 350),
    "one text": lambda size: b"<p>" + WORDS * (size // len(WORDS)),
    "lines": lambda size: (WORDS + b"<br>") * (size // (len(WORDS) + 4)),
    "nested div": lambda size: b"<div>" * (size // 5) + WORDS * 3,
    "nested lists": lambda size: (b"<ul><li>" + WORDS) * (size // (len(WORDS) + 8)),
    "open formatting": lambda size: (b"<p><b><i>" + WORDS) * (size // (len(WORDS) + 9)),
    "links": lambda size: WORDS * 3 + b"<a href=/x>words</a> " * (size // 21),
    "table": lambda size: b"<table>" + (b"<tr><td>" + WORDS + b"<td>words") * (size // (len(WORDS) + 17)),
    "stray end tags": lambda size: WORDS * 3 + b"</b></div></p>" * (size // 14),
    "ampersands": lambda size: b"<p>" + b"&amp words " * (size // 11),
    "attributes": lambda size: numbered(b"<p class=c%d>words and more of them", size // 38),
    "sections of comments": lambda size: b"<p class=comments>words</p>" * (size // 27) + WORDS * 3,
}


@pytest.fixture
def own_garbage() -> Iterator[None]:
    """Keeps the collector from walking through the objects of the tests, whose number is not the page's."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("own_garbage")
@pytest.mark.parametrize("name", GROWING)
def test_twice_the_page_is_about_twice_the_time(name: str) -> None:
    keep_memory()
    pages = [GROWING[name](400_000), GROWING[name](400_000 << DOUBLINGS)]
    best = [float("inf")] * len(pages)
    for _ in range(ATTEMPTS):
        best = [min(before, _seconds(page)) for before, page in zip(best, pages, strict=True)]
        if best[1] <= GROWTH**DOUBLINGS * best[0]:
            return
    pytest.fail(f"{best[0]:.4f} s, and {best[1]:.4f} s after {DOUBLINGS} doublings")


def _seconds(page: bytes) -> float:
    """Of the processor: what else runs on the machine does not count."""
    start = time.thread_time()
    pagesieve.extract(page)
    return time.thread_time() - start
