"""A real Chromium, pages of all sorts from a server on this machine, and what must not happen whatever they do."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import pagesieve
from pagesieve.errors import AddressRefused, BadInput, FetchError, MissingBrowser, RenderError
from pagesieve.fetching import chromium, guard
from pagesieve.fetching.chromium import Browser, BrowserOptions, RenderOptions, find_browser
from pagesieve.page.rendered import RenderedPage
from tests.bad_site import PAGES, Handler
from tests.site_server import SiteServer

LOCAL = RenderOptions(allow_private=True, timeout=60, settle=5, quiet=0.2)
HASTY = replace(LOCAL, settle=0.8, timeout=120.0)
PATIENCE = 90  # seconds: a busy machine is slow too, but less than the time limit


@pytest.fixture
def asked(at: Callable[[str], str]) -> list[str]:
    """What the server was asked for, from now on."""
    Handler.asked = []
    return Handler.asked


@pytest.fixture(scope="module")
def browser() -> Browser:
    return chromium.shared()


def seen(page: RenderedPage) -> str:
    """The text that is laid out."""
    texts = [page.text(row) for row in range(len(page)) if page.laid_out[row] and page.tag_name(row) == "#text"]
    return " ".join(" ".join(texts).split())


# A page by its URL


def test_a_page_is_fetched_with_what_it_needs(browser: Browser, at: Callable[[str], str], asked: list[str]) -> None:
    page = browser.render(None, at("styled"), LOCAL)
    assert page.box[page.rows("div")[0]][2] == 777
    assert page.box[page.rows("img")[0]][2:].tolist() == [31, 13]
    assert page.url == at("styled")
    assert page.notes == ()
    assert asked[0] == "127.0.0.1/styled"
    assert sorted(asked[1:]) == ["127.0.0.1/dot.svg", "127.0.0.1/wide.css"]


def test_an_article_whose_text_a_script_file_holds(browser: Browser, site: Path, site_server: SiteServer) -> None:
    answers = map(json.loads, (site.parent / "crawl.jsonl").read_text(encoding="utf-8").splitlines())
    (gold,) = (answer for answer in answers if answer["scripts"])
    page = browser.render(None, site_server.url + gold["id"], LOCAL)
    assert pagesieve.article(page).text.strip() == gold["text"].replace("\n", "\n\n")


def test_the_page_that_a_script_builds(browser: Browser, at: Callable[[str], str]) -> None:
    page = browser.render(None, at("app/notes.html"), LOCAL)
    notes = [row for row in page.rows("article") if page.attribute(row, "class") == "note"]
    assert len(notes) >= 10
    assert all(page.laid_out[row] and page.box[row][2] > 500 for row in notes)
    tops = [float(page.box[row][1]) for row in notes]
    assert tops == sorted(tops)
    assert "First sightings this spring" in seen(page)


def test_what_comes_late_is_waited_for(browser: Browser, at: Callable[[str], str]) -> None:
    page = browser.render(None, at("late"), LOCAL)
    assert [page.text(row) for row in page.rows("li")] == [f"item {n}" for n in range(1, 6)]


def test_scrolling_loads_more(browser: Browser, at: Callable[[str], str]) -> None:
    assert len(browser.render(None, at("scrolls"), LOCAL).rows("li")) == 60
    page = browser.render(None, at("scrolls"), replace(LOCAL, scroll=9))
    assert len(page.rows("li")) == 180
    assert page.box[page.rows("li")[0]][1] < 100  # positions are the document's, wherever it was scrolled to


def test_redirects_cookies_and_posts(browser: Browser, at: Callable[[str], str]) -> None:
    page = browser.render(None, at("to?/to?/echo"), LOCAL)
    assert seen(page) == "GET seen=yes"
    assert page.url == at("echo")
    assert seen(browser.render(None, at("echo"), LOCAL)) == "GET None"  # nothing is kept from one page to the next
    assert seen(browser.render(None, at("posts"), LOCAL)) == "POST é= None"


def test_the_encoding_is_the_browsers(browser: Browser, at: Callable[[str], str]) -> None:
    page = browser.render(None, at("gbk"), LOCAL)
    assert (seen(page), page.encoding, page.encoding_why) == ("汉字", "gbk", "browser")


# Pages that misbehave


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("loop", "more than 10 redirects"),
        ("zip", "not a page but application/zip"),
        ("attachment", "not a page but a file to download"),
        ("nowhere", "the server answered 404"),
        ("to?ftp://example.org/", "cannot show it"),
        ("to?http://127.0.0.1:1/", "no connection"),
    ],
)
def test_what_is_no_page(browser: Browser, at: Callable[[str], str], path: str, message: str) -> None:
    with pytest.raises(FetchError, match=message) as caught:
        browser.render(None, at(path), LOCAL)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["dialogs", "reloads", "refreshes", "clicks", "framed"])
def test_what_goes_on_by_itself_is_stopped(browser: Browser, at: Callable[[str], str], path: str) -> None:
    page = browser.render(None, at(path), LOCAL)
    words = {"dialogs": "before after", "reloads": "again", "refreshes": "once", "clicks": "stays", "framed": "around"}
    assert words[path] in seen(page)
    assert page.url == at(path)


@pytest.mark.parametrize(("path", "words"), [("waits", "shown all the same"), ("polls", "polls")])
def test_a_page_that_never_stops_loading_is_taken_as_it_stands(
    browser: Browser, at: Callable[[str], str], path: str, words: str
) -> None:
    begin = time.monotonic()
    page = browser.render(None, at(path), HASTY)
    assert time.monotonic() - begin < PATIENCE
    assert words in seen(page)
    assert page.laid_out[page.rows("p")[0]]
    assert page.notes == ("taken as it stood after 0.8 s; it had not come to rest",)


def test_a_page_that_hangs_costs_its_time_and_nothing_else(browser: Browser, at: Callable[[str], str]) -> None:
    begin = time.monotonic()
    with pytest.raises(RenderError, match="not shown within 2 s"):
        browser.render(None, at("hangs"), replace(HASTY, timeout=2))
    assert time.monotonic() - begin < PATIENCE
    assert seen(browser.render("<p>next")) == "next"


def test_a_page_that_crashes_its_tab(browser: Browser, at: Callable[[str], str]) -> None:
    with pytest.raises(RenderError, match="crashes: the page crashed its tab"):
        browser.render(None, at("crashes"), LOCAL)
    assert seen(browser.render("<p>next")) == "next"


# Given HTML


def test_given_html_fetches_nothing_and_runs_nothing(
    browser: Browser, at: Callable[[str], str], asked: list[str]
) -> None:
    html = f"""<base href="{at("")}"><link rel=stylesheet href=wide.css><link rel=preload as=image href=dot.svg>
        <link rel=dns-prefetch href=//127.0.0.1><meta http-equiv=refresh content="0;{at("plain")}">
        <style>@import "wide.css"; p {{ background: url(dot.svg) }}</style><p>given</p><img src=dot.svg>
        <iframe src=plain></iframe><object data=plain></object><script src=late></script>
        <script>document.body.append('script')</script><noscript>still</noscript>"""
    page = browser.render(html, at("page"), replace(LOCAL, settle=3))
    assert "given" in seen(page)
    assert page.rows("noscript").size
    assert page.laid_out[page.rows("noscript")[0]]
    assert (page.url, page.notes) == (at("page"), ())
    scripted = browser.render(html.replace("refresh", ""), at("page"), replace(LOCAL, scripts=True))
    assert "script" in seen(scripted)
    assert "script" not in seen(page)
    assert asked == []


@pytest.mark.parametrize("url", [None, "", "page.html", "file:///etc/passwd", "http://[", "http://", "javascript:1"])
def test_any_address_will_do_for_given_html(browser: Browser, url: str | None) -> None:
    page = browser.render("<p>given", url)
    assert (seen(page), page.url) == ("given", url)


def test_bytes_files_and_their_encodings(browser: Browser, tmp_path: Path) -> None:
    source = "<meta charset=gbk><p>汉字".encode("gbk")
    (tmp_path / "a.html").write_bytes(source)
    for given in (source, tmp_path / "a.html"):
        page = browser.render(given)
        assert (seen(page), page.encoding) == ("汉字", "gb18030")
    assert seen(browser.render("<meta charset=gbk><p>汉字")) == "汉字"
    latin = browser.render("<p>é".encode("latin-1"), content_type="text/html; charset=iso-8859-1")
    assert seen(latin) == "é"
    with pytest.raises(BadInput, match="No such file"):
        browser.render(tmp_path / "b.html")
    with pytest.raises(BadInput, match="neither HTML nor a URL"):
        browser.render()
    with pytest.raises(FetchError, match="not an http or https URL"):
        browser.render(None, "file:///etc/passwd")


def test_a_picture_is_of_the_whole_page(browser: Browser) -> None:
    shot = browser.snapshot("<body style='margin:0'><div style='height:2000px'>tall", picture=True)
    assert shot.png.startswith(b"\x89PNG")
    assert int.from_bytes(shot.png[20:24]) == shot.page().size[1] == 2000
    assert browser.snapshot("<p>none").png == b""


# The guard


def test_private_addresses_are_refused(browser: Browser, at: Callable[[str], str], asked: list[str]) -> None:
    with pytest.raises(AddressRefused, match="not public"):
        browser.render(None, at("plain"), replace(LOCAL, allow_private=False))
    assert asked == []


def test_every_request_goes_through_the_guard(
    browser: Browser, at: Callable[[str], str], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One address of this machine counts as public here, so that a page can be had that reaches for another."""
    monkeypatch.setattr(guard, "is_public", lambda address: address == "127.0.0.1")
    careful = replace(LOCAL, allow_private=False)
    other = at("plain").replace("127.0.0.1", "127.0.0.2")
    monkeypatch.setitem(
        PAGES,
        "reaches",
        f"""<img src={other}?img><link rel=stylesheet href={other}?css><iframe src={other}?frame></iframe>
        <img src=/to?{other}><script src={other}?script></script><script>fetch('{other}?fetch', {{mode: 'no-cors'}});
        navigator.sendBeacon('{other}?beacon'); new Worker(URL.createObjectURL(new Blob(["fetch('{other}?worker')"])));
        open('{other}?popup')</script><p>had</p>""",
    )
    assert "had" in seen(browser.render(None, at("reaches"), careful))
    assert {path.partition("?")[0] for path in asked} == {"127.0.0.1/reaches", "127.0.0.1/to"}
    with pytest.raises(AddressRefused):
        browser.render(None, at(f"to?{other}"), careful)
    assert not any(path.startswith("127.0.0.2") for path in asked)


def test_what_cannot_be_paused_has_no_network(
    browser: Browser, at: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        listener.settimeout(0.2)
        datagrams.bind(("127.0.0.1", 0))
        datagrams.settimeout(0.2)
        stun = f"stun:127.0.0.1:{datagrams.getsockname()[1]}"
        monkeypatch.setitem(
            PAGES,
            "sneaks",
            f"""<p>tried</p><link rel=preconnect href=http://127.0.0.1:{listener.getsockname()[1]}>
            <script>new WebSocket('ws://127.0.0.1:{listener.getsockname()[1]}/');
            const peer = new RTCPeerConnection({{iceServers: [{{urls: '{stun}'}}]}}); peer.createDataChannel('x');
            peer.createOffer().then(offer => peer.setLocalDescription(offer));
            navigator.serviceWorker && navigator.serviceWorker.register('/worker.js')</script>""",
        )
        assert "tried" in seen(browser.render(None, at("sneaks"), replace(LOCAL, quiet=0.6)))
        with pytest.raises(TimeoutError):
            listener.accept()
        with pytest.raises(TimeoutError):
            datagrams.recvfrom(100)


# The browser itself


def test_threads_share_a_browser(browser: Browser) -> None:
    pages = [f"<p>page {number}</p>" * (1 + number) for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        rendered = list(pool.map(browser.render, pages))
    assert [page.text(int(page.rows("p")[0])) for page in rendered] == [f"page {number}" for number in range(12)]
    assert [len(page.rows("p")) for page in rendered] == list(range(1, 13))


def test_the_life_of_a_browser(at: Callable[[str], str]) -> None:
    """It is restarted after so many pages and when it dies, even with a page; its end is told to those who wait."""
    with Browser(BrowserOptions(restart_after=2)) as browser, ThreadPoolExecutor(2) as pool:
        processes = [process_after_a_page(browser) for _ in range(3)]
        assert processes[0] == processes[1] != processes[2]
        late = pool.submit(browser.render, None, at("late"), replace(LOCAL, quiet=1))
        time.sleep(0.5)
        os.kill(processes[2], signal.SIGKILL)
        assert len(late.result().rows("li")) == 5
        waiting = [pool.submit(browser.render, None, at("waits"), LOCAL) for _ in range(2)]
        time.sleep(0.5)
        browser.close()
        for page in waiting:
            with pytest.raises(BadInput, match="closed"):
                page.result(timeout=PATIENCE)
    for process in processes:
        assert not is_running(process)
    with pytest.raises(BadInput, match="closed"):
        browser.render("<p>too late")


def process_after_a_page(browser: Browser) -> int:
    assert seen(browser.render("<p>page")) == "page"
    assert browser._owner._chromium is not None
    return browser._owner._chromium._process


def is_running(process: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_without_a_browser_there_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_browser().is_file()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "PLACES", ())
    with pytest.raises(MissingBrowser, match=r"^no Chromium was found: install Chromium .*playwright install"):
        Browser()
    own = tmp_path / "chromium-1200" / "chrome-linux" / "chrome"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\nexit 1\n")
    own.chmod(0o755)
    assert find_browser() == own
    with Browser() as browser, pytest.raises(MissingBrowser, match="does not start") as caught:
        browser.render("<p>page")
    assert "\n" not in str(caught.value)


def test_without_playwright_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['playwright'] = None; from pagesieve.errors import MissingExtra;"
        "from pagesieve.fetching.chromium import Browser\ntry: Browser()\nexcept MissingExtra as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rendering a page needs an optional part: pip install 'playwright")


def test_the_shared_browser_ends_with_its_process() -> None:
    code = (
        "from pagesieve.fetching.chromium import shared; b = shared(); assert b is shared();"
        "b.render('<p>page'); print(b._owner._chromium._process)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not is_running(int(done.stdout))
    assert done.stderr == ""
