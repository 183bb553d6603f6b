"""Articles over several pages: what is joined, what is there once, and what ends the walk from page to page."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import pagesieve
from pagesieve import Article, BadInput, BadOption, FetchError
from pagesieve.joining import MAX_PARTS

SCRIPT = [sys.executable, "-m", "pagesieve"]
CASES = Path(__file__).parent / "posts" / "cases"
HOST = "https://news.example.org"
STANDFIRST = "A journey along the longest river of the land, told in several parts for readers who have time."
END = "The author is a reporter who has travelled along the river for many years."
COMMENTS = (
    '<section id="comments" class="comments"><div class="comment"><b>Bob</b><p>I liked this story a lot, and I thank'
    " the author for it. It made me think of the sea.</p></div></section>"
)
WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


def paragraphs(word: str) -> list[str]:
    return [
        f"The {word} part, paragraph {number}: the boats went down the river, and people stood on its banks and waved"
        " at the travellers who passed by on their way to the sea."
        for number in range(4)
    ]


def page(word: str, links: str = "", *, head: str = "", more: str = "", comments: str = COMMENTS) -> str:
    """Return one page of an article, with the head that sites repeat on each page."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs(word))
    return (
        f"<!DOCTYPE html><html lang=en><head><title>The long river</title>{head}</head><body>"
        '<nav><a href="/">Home</a> <a href="/world">World</a></nav><article><h1>The long river</h1>'
        f'<p class="byline">By Ann Example</p><p class="standfirst">{STANDFIRST}</p>{body}{more}<p>{END}</p>'
        f'<div class="pagination">{links}</div></article>{comments}</body></html>'
    )


def numbers(here: int, count: int, address: Callable[[int], str] = lambda n: f"/long-river/{n}") -> str:
    """Return the row of numbers below one page of several."""
    linked = (f'<a href="{address(n)}">{n}</a>' if n != here else f"<b>{n}</b>" for n in range(1, count + 1))
    return " ".join(linked)


def site(count: int) -> dict[str, str]:
    """Return the pages of an article by their addresses."""

    def path(number: int) -> str:
        return "/long-river" if number == 1 else f"/long-river/{number}"

    return {path(n): page(WORDS[n - 1], numbers(n, count, path)) for n in range(1, count + 1)}


class Reader:
    """Reads the pages of a site, and remembers which."""

    def __init__(self, pages: dict[str, str], **options: bool) -> None:
        self.pages, self.options = pages, options
        self.read: list[str] = []

    def __call__(self, url: str) -> Article:
        self.read.append(url.removeprefix(HOST))
        if self.read[-1] not in self.pages:
            raise FetchError(f"{url}: 404 Not Found")
        return pagesieve.article(self.pages[self.read[-1]], url, **self.options)  # type: ignore[arg-type]

    def follow(self, path: str = "/long-river", **options: int) -> Article:
        return pagesieve.follow(self(HOST + path), self, **options)  # type: ignore[arg-type]


def expected(*words: str) -> str:
    """Return the text of an article with these parts."""
    return "\n\n".join([STANDFIRST, *(text for word in words for text in paragraphs(word)), END])


def body(article: Article) -> str:
    """Return the text of an article without its byline, which methods may keep or not."""
    return "\n\n".join(part for part in article.text.split("\n\n") if not part.startswith("By Ann"))


def test_all_pages_are_there_once_and_in_order() -> None:
    reader = Reader(site(4))
    joined = reader.follow()
    assert reader.read == ["/long-river", "/long-river/2", "/long-river/3", "/long-river/4"]
    assert body(joined) == expected(*WORDS[:4])
    assert joined.text.count("By Ann") <= 1
    assert joined.parts == tuple(HOST + path for path in reader.read)
    assert (joined.title, joined.author, joined.url, joined.notes) == (
        "The long river",
        "Ann Example",
        HOST + "/long-river",
        (),
    )
    assert joined.next_part() is None


def test_every_format_has_all_pages() -> None:
    joined = Reader(site(3)).follow()
    for name in ("text", "markdown", "html", "tei"):
        written = getattr(joined, name)
        assert [written.count(paragraphs(word)[0]) for word in WORDS[:4]] == [1, 1, 1, 0], name
        assert written.count(END) == written.count(STANDFIRST) == 1, name
    facts = joined.as_dict(("text", "markdown", "html"))
    assert facts["parts"] == list(joined.parts)
    assert facts["text"] == joined.text
    assert json.loads(joined.as_json())["parts"] == facts["parts"]
    assert pickle.loads(pickle.dumps(joined)).markdown == joined.markdown


def test_the_fingerprint_is_that_of_the_whole() -> None:
    joined = Reader(site(3)).follow()
    first = pagesieve.article(site(3)["/long-river"], HOST + "/long-river")
    assert joined.metadata.fingerprint != first.metadata.fingerprint


def test_an_article_of_one_page_stays_as_it_is() -> None:
    first = pagesieve.article(page("first"), HOST + "/long-river")
    assert pagesieve.follow(first, Reader({})) is first
    assert (first.parts, first.as_dict()["parts"]) == ((), [])


def test_without_an_address_nothing_is_followed() -> None:
    first = pagesieve.article(site(2)["/long-river"])
    assert pagesieve.follow(first, Reader(site(2))) is first
    assert pagesieve.follow(first, Reader(site(2)), url=HOST + "/long-river").parts[1:] == (HOST + "/long-river/2",)


def test_comments_are_there_once_and_last() -> None:
    pages = site(3)
    pages["/long-river/3"] = pages["/long-river/3"].replace(
        "</section>", "<div class=comment><b>Eve</b><p>Me too, I have to say.</p></div></section>"
    )
    joined = Reader(pages, include_comments=True).follow()
    assert joined.text.count("I liked this story") == joined.markdown.count("I liked this story") == 1
    assert joined.text.index(END) < joined.text.index("I liked this story") < joined.text.index("Me too")
    assert str(joined.comments).count("I liked this story") == str(joined.comments).count("Me too") == 1
    assert "I liked" not in Reader(pages).follow().text


@pytest.mark.parametrize("missing", [2, 3, 4])
def test_a_missing_page_is_noted_and_passed_over(missing: int) -> None:
    pages = site(4)
    del pages[f"/long-river/{missing}"]
    joined = Reader(pages).follow()
    assert body(joined) == expected(*(word for number, word in enumerate(WORDS[:4], 1) if number != missing))
    assert joined.notes == (f"page {missing} is missing: {HOST}/long-river/{missing}: 404 Not Found",)
    assert f"{HOST}/long-river/{missing}" not in joined.parts


def test_after_three_failures_nothing_more_is_tried() -> None:
    reader = Reader({"/long-river": page("first", numbers(1, 9))})
    joined = reader.follow()
    assert len(reader.read) == 1 + 3
    assert [note.split(":")[0] for note in joined.notes] == [f"page {n} is missing" for n in (2, 3, 4)]


def test_a_page_without_an_article_is_noted() -> None:
    joined = Reader(site(3) | {"/long-river/2": "<p>Gone."}).follow()
    assert body(joined) == expected("first", "third")
    assert joined.notes[0].startswith("page 2 is missing: ")


LOOPS = {
    "back to the first": {"/long-river/2": page("second", '<a rel=next href="/long-river">Next page</a>')},
    "to itself": {"/long-river/2": page("second", '<a rel=next href="/long-river/2">Next page</a>')},
    "the first again": {
        "/long-river/2": page("second", '<a rel=next href="/long-river/3">3</a>'),
        "/long-river/3": page("first", '<a rel=next href="/long-river/4">4</a>'),
    },
    "the last again and again": {
        "/long-river/2": page("second", '<a rel=next href="/long-river/3">3</a>'),
        "/long-river/3": page("second", '<a rel=next href="/long-river/4">4</a>'),
        "/long-river/4": page("second", '<a rel=next href="/long-river/5">5</a>'),
    },
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_end(name: str) -> None:
    back = '<a href="/long-river">1</a>'
    pages = {
        path: html.replace('<div class="pagination">', f'<div class="pagination">{back}')
        for path, html in LOOPS[name].items()
    }
    reader = Reader({"/long-river": page("first", numbers(1, 2)), **pages})
    assert body(reader.follow()) == expected("first", "second")
    assert len(reader.read) <= 3


def test_a_redirect_back_ends_the_walk() -> None:
    pages = site(3)

    def get(url: str) -> Article:
        return pagesieve.article(pages["/long-river"], HOST + "/long-river")  # as after a redirect

    first = pagesieve.article(pages["/long-river"], HOST + "/long-river")
    assert pagesieve.follow(first, get) is first


def test_the_number_of_pages_is_limited() -> None:
    def get(url: str) -> Article:
        number = int(url.rpartition("/")[2])
        links = f'<a href="/long-river">1</a> <a rel=next href="/long-river/{number + 1}">{number + 1}</a>'
        return pagesieve.article(page(f"{number}th", links), url)

    first = pagesieve.article(page("first", numbers(1, 2)), HOST + "/long-river")
    assert len(pagesieve.follow(first, get).parts) == MAX_PARTS
    assert len(pagesieve.follow(first, get, most=3).parts) == 3
    assert pagesieve.follow(first, get, most=1) is first
    with pytest.raises(BadOption, match="at least 1"):
        pagesieve.follow(first, get, most=0)


def test_facts_are_those_of_the_first_page_that_has_them() -> None:
    date = '<meta property="article:published_time" content="2020-05-03T10:00:00Z">'
    tags = '<meta name="keywords" content="rivers, boats">'
    canonical = f'<link rel=canonical href="{HOST}/long-river/2">'
    pages = {
        "/long-river": page("first", numbers(1, 2), head=tags),
        "/long-river/2": page("second", head=date + canonical + '<meta name="keywords" content="lakes">'),
    }
    facts = Reader(pages).follow().metadata
    assert (facts.published, facts.date) == ("2020-05-03T10:00:00+00:00",) * 2
    assert facts.tags == ("rivers", "boats")
    assert (facts.url, facts.canonical) == (HOST + "/long-river", None)
    assert set(facts.found) >= {"published", "date", "tags"}


def test_decisions_say_of_which_page_they_are() -> None:
    joined = Reader(site(2)).follow()
    assert {decision.part for decision in joined.decisions} == {0, 1}
    repeated = [d.text for d in joined.decisions if d.reason == "repeated from another page"]
    assert STANDFIRST[:20] in " ".join(repeated)


def test_a_new_paragraph_that_says_the_same_stays() -> None:
    refrain = "<p>And the river flows on and on, down to the sea.</p>"
    pages = {
        "/long-river": page("first", numbers(1, 2), more=refrain),
        "/long-river/2": page("second", more=refrain + "<p>So the travellers say, and they should know.</p>"),
    }
    assert Reader(pages).follow().text.count("And the river flows on") == 2


def test_links_are_relative_to_their_own_page() -> None:
    link = '<p>More of this is told in <a href="other">another story of ours</a>, which is about the sea.</p>'
    pages = {
        "/long-river": page("first", numbers(1, 2), more=link),
        "/long-river/2": page("second", more=link.replace("told", "written")),
    }
    markdown = Reader(pages, include_links=True).follow().markdown
    assert f"({HOST}/other)" in markdown
    assert f"({HOST}/long-river/other)" in markdown


def test_notes_of_several_pages_have_labels_of_their_own() -> None:
    note = (
        '<p>He said so himself.<sup id="r1"><a href="#n1">1</a></sup> {0} it is.</p><ol><li id="n1">Note of the {0}'
        ' page, which is long enough to be one. <a href="#r1">↩</a></li></ol>'
    )
    pages = {
        "/long-river": page("first", numbers(1, 2), more=note.format("first")),
        "/long-river/2": page("second", more=note.format("second")),
    }
    markdown = Reader(pages).follow().markdown
    labels = [line.partition("]:")[0] for line in markdown.splitlines() if line.startswith("[^")]
    assert labels == ["[^1", "[^p2-1"]
    assert "himself.[^p2-1] second" in markdown


def test_an_image_of_each_page_is_there_once() -> None:
    image = '<figure><img src="/lead{0}.jpg" alt="A boat" width=800 height=500></figure>'
    pages = {path: html.replace("</h1>", "</h1>" + image.format("")) for path, html in site(3).items()}
    pages["/long-river/2"] = pages["/long-river/2"].replace("</figure>", "</figure>" + image.format(2))
    markdown = Reader(pages, include_images=True).follow().markdown
    assert (markdown.count("/lead.jpg"), markdown.count("/lead2.jpg")) == (1, 1)


PAGE_LINES = ("Page {0} of 3", "Seite {0} von 3", "第{0}页 共3页", "Continued on page {1}", "Fortsetzung auf Seite {1}")


@pytest.mark.parametrize("line", PAGE_LINES)
def test_the_number_of_a_page_is_no_part_of_the_text(line: str) -> None:
    pages = {
        path: html.replace('<div class="pagination">', f"<p>{line.format(n, n + 1)}</p><div class=pagination>")
        for n, (path, html) in enumerate(site(3).items(), 1)
    }
    assert body(Reader(pages).follow()) == expected(*WORDS[:3])


def test_join_takes_articles() -> None:
    articles = [pagesieve.article(html, HOST + path) for path, html in site(3).items()]
    joined = pagesieve.join(articles)
    assert body(joined) == expected(*WORDS[:3])
    assert joined.parts == tuple(HOST + path for path in site(3))
    assert body(pagesieve.join([*articles, articles[0]])) == body(joined)
    for wrong in ([], [1], [site(1)["/long-river"]]):
        with pytest.raises(BadInput):
            pagesieve.join(wrong)  # type: ignore[arg-type]


def test_threads_are_joined_post_by_post() -> None:
    thread = (CASES / "phpbb.html").read_bytes()
    other = thread.replace(b" the ", b" that ").replace(b" and ", b" or ")  # the texts of a second page
    pages = [pagesieve.article(html, f"{HOST}/{number}") for number, html in enumerate((thread, other))]
    joined = pagesieve.join(pages)
    assert len(joined.posts) == sum(len(page.posts) for page in pages) > 5
    assert joined.text.count("\n---\n") == joined.html.count("<hr>") == len(joined.posts) - 1
    assert [post.text for post in joined.posts] == [post.text for page in pages for post in page.posts]


def test_the_numbers_of_posts_go_on() -> None:
    name = "wordpress_comments.html"
    first = pagesieve.article(page("first", comments=""), HOST + "/long-river")
    second = pagesieve.article((CASES / name).read_bytes(), f"{HOST}/{name}")
    third = pagesieve.article(page("third"), HOST + "/long-river/3")
    assert [post.parent for post in pagesieve.join([first, second]).comments] == [None, 0, None]
    assert [post.parent for post in pagesieve.join([third, second]).comments] == [None, None, 1, None]


# The command line


class Handler(BaseHTTPRequestHandler):
    """The pages of an article of four, of which one that is not there, and one of another host."""

    pages = site(4)

    def do_GET(self) -> None:
        found = self.pages.get(self.path.removeprefix("/gap")) if self.path != "/gap/long-river/3" else None
        content = (found or "").replace(
            'href="/long', 'href="/gap/long' if self.path.startswith("/gap") else 'href="/long'
        )
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def run(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [*SCRIPT, "article", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd, encoding="utf-8")


def test_the_command_line_follows_urls(server: str) -> None:
    done = run("--follow", "--allow-private", "-f", "json", "--with", "text,markdown", server + "/long-river")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["parts"] == [f"{server}/long-river", *(f"{server}/long-river/{n}" for n in (2, 3, 4))]
    assert [facts["markdown"].count(paragraphs(word)[0]) for word in WORDS[:4]] == [1] * 4
    alone = json.loads(run("--allow-private", "-f", "json", server + "/long-river").stdout)
    assert (alone["parts"], alone["text"].count("The second part")) == ([], 0)


def test_the_command_line_says_which_page_is_missing(server: str) -> None:
    done = run("--follow", "--allow-private", server + "/gap/long-river")
    assert done.returncode == 0
    assert f"page 3 is missing: {server}/gap/long-river/3" in done.stderr
    assert "The fourth part" in done.stdout


def test_the_command_line_limits_the_pages(server: str) -> None:
    done = run("--follow", "--max-parts", "2", "--allow-private", server + "/long-river")
    assert "The second part" in done.stdout
    assert "The third part" not in done.stdout
    assert "--follow" in run("--max-parts", "2", server + "/long-river").stderr


def test_a_page_that_was_joined_is_not_written_again(server: str) -> None:
    done = run("--follow", "--allow-private", "-f", "json", server + "/long-river/3", server + "/long-river")
    assert len(done.stdout.splitlines()) == 1


def save(folder: Path, pages: dict[str, str]) -> None:
    for name, html in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(html, encoding="utf-8")


def names(number: int) -> str:
    return "river.html" if number == 1 else f"river-{number}.html"


def test_files_are_followed_beside_the_first(tmp_path: Path) -> None:
    save(tmp_path, {names(n): page(WORDS[n - 1], numbers(n, 3, names)) for n in (1, 2, 3)})
    for source in ("river.html", "."):
        done = run("--follow", "-f", "json", source, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        (line,) = done.stdout.splitlines()
        assert json.loads(line)["parts"] == [names(n) for n in (1, 2, 3)]
        assert [json.loads(line)["text"].count(paragraphs(word)[0]) for word in WORDS[:3]] == [1] * 3


def test_files_in_folders_and_with_an_address(tmp_path: Path) -> None:
    save(
        tmp_path,
        {
            "index.html": page("first", '<a rel=next href="2/">2</a>'),
            "2/index.html": page("second", '<a href="../">1</a> <a rel=next href="../3/">3</a>'),
            "3/index.html": page("third", '<a href="../">1</a>'),
        },
    )
    assert (
        json.loads(run("--follow", "-f", "json", "index.html", cwd=tmp_path).stdout)["text"].count(", paragraph 0") == 3
    )
    done = run("--follow", "-f", "json", "--url", f"{HOST}/long-river/", "index.html", cwd=tmp_path)
    assert json.loads(done.stdout)["text"].count(", paragraph 0") == 3
    assert json.loads(done.stdout)["url"] == f"{HOST}/long-river/"


EXAMPLES = Path(__file__).parent.parent / "examples"
SEVERAL = [
    each
    for each in map(json.loads, (EXAMPLES / "crawl.jsonl").read_text("utf-8").splitlines())
    if len(each["pages"]) > 1
]


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("wanted", SEVERAL, ids=lambda wanted: wanted["site"])
@pytest.mark.parametrize("has_address", [True, False])
def test_the_articles_of_the_example_site(wanted: dict[str, Any], has_address: bool) -> None:
    address = ("--url", wanted["url"]) if has_address else ()
    done = run("--follow", "-f", "json", *address, wanted["id"], cwd=EXAMPLES / "site")
    found = json.loads(done.stdout)
    assert (found["parts"], found["title"]) == (wanted["pages"], wanted["title"])
    whole, at = letters(wanted["text"]), 0
    paragraphs = [letters(text) for text in found["text"].split("\n\n")]
    for paragraph in paragraphs:  # each in its order, and nothing twice
        at = whole.index(paragraph, at) + len(paragraph)
    assert sum(map(len, paragraphs)) >= 0.97 * len(whole)


OUTSIDE = {
    "above": "../river-2.html",
    "above, escaped": "%2e%2e/river-2.html",
    "above, a slash escaped": "..%2friver-2.html",
    "a link to above": "link/river-2.html",
    "a file that links to above": "river-2.html",
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_files_outside_of_the_folder_are_not_read(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "in"
    save(tmp_path, {"river-2.html": page("secret")})
    save(inside, {"river.html": page("first", f'<a rel=next href="{OUTSIDE[name]}">2</a>')})
    os.symlink(tmp_path, inside / "link")
    if name.startswith("a file"):
        os.symlink(tmp_path / "river-2.html", inside / "river-2.html")
    done = run("--follow", "-f", "json", inside / "river.html")
    assert done.returncode == 0, done.stderr
    assert "secret" not in done.stdout


def test_the_network_is_not_asked_for_a_file(tmp_path: Path, server: str) -> None:
    save(tmp_path, {"long-river.html": page("first", f'<a rel=next href="{server}/long-river/2">2</a>')})
    done = run("--follow", "--allow-private", "--url", server + "/long-river", tmp_path / "long-river.html")
    assert "The second part" not in done.stdout
    assert "page 2 is missing" in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    save(tmp_path, {"river.html": page("first", numbers(1, 2, names))})
    os.mkfifo(tmp_path / names(2))
    done = run("--follow", "river.html", cwd=tmp_path)
    assert (done.returncode, "not a regular file" in done.stderr) == (0, True)


def test_standard_input_is_one_page() -> None:
    done = subprocess.run(
        [*SCRIPT, "article", "--follow", "-"], input=site(2)["/long-river"].encode(), capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
