"""What is given back of a page with records: records, tables, formats; and the text of such a page."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from rich.console import Console

import pagesieve
from pagesieve.records.find import RecordOptions, find_records
from pagesieve.records.results import path_of

WORDS = "and some more words about it, so that it looks like something that somebody wrote"
POSTS = "".join(
    f'<li class="post"><b class="author">Ann {n}</b> <time>{n} May 2024</time>'
    f'<div class="body"><p>This is what {n} has to say, {WORDS}.</p>{"<p>And more.</p>" * (n % 3)}</div>'
    f'<a href="/quote/{n}">Quote</a></li>'
    for n in range(1, 9)
)
THREAD = f'<title>A thread</title><nav><a href="/">Home</a></nav><ol id="posts">{POSTS}</ol><p>About us</p>'
URL = "https://forum.example.org/t/1"


@pytest.fixture
def found() -> pagesieve.Records:
    return pagesieve.records(THREAD, URL, mode="static")


def test_the_records_of_a_page(found: pagesieve.Records) -> None:
    assert (len(found), found.mode, found.url, found.region.get("id")) == (8, "static", URL, "posts")
    first = found.records[0]
    assert first.text.splitlines()[0] == "Ann 1 1 May 2024"
    assert first.text.splitlines()[-1] == "Quote"
    assert [(item.name, item.type) for item in first.items][:3] == [
        ("author", "text"),
        ("date", "date"),
        ("body", "text"),
    ]
    assert [column.name for column in found.columns] == ["author", "date", "body"]
    assert repr(first) == "<Record 0 'Ann 1 1 May 2024 This is what 1 has to say, and some more w…'>"
    assert "8 in" in repr(found)


def test_the_rows_have_every_column(found: pagesieve.Records) -> None:
    rows = found.to_rows()
    assert all(list(row) == found.header for row in rows)
    assert found.header == ["author", "date", "body"]
    assert rows[1]["body"] == f"This is what 2 has to say, {WORDS}.\nAnd more.\nAnd more."
    assert found.records[1].items[-1].link == "https://forum.example.org/quote/2"


def test_the_regions_are_records_too(found: pagesieve.Records) -> None:
    assert found.regions[0].to_rows() == found.to_rows()
    assert all(len(region) for region in found.regions)


def test_csv_and_json(found: pagesieve.Records) -> None:
    assert list(csv.DictReader(io.StringIO(found.to_csv()))) == found.to_rows()
    told = json.loads(found.to_json())
    assert (told["url"], told["mode"], told["region"]) == (URL, "static", "ol#posts")
    assert told["columns"][0] == {"name": "author", "type": "text", "listed": False}
    assert told["records"][2] == {
        "text": found.records[2].text,
        "items": found.to_rows(typed=True)[2],
        "parent": None,
        "depth": 0,
    }


def shop(count: int, extra: str = "") -> pagesieve.Records:
    items = "".join(
        f'<li><h3><a href="/{n}">Chair *{n}* | oak</a></h3><b class=price>£{n}.50</b>{extra.format(n=n)}</li>'
        for n in range(count)
    )
    return pagesieve.records(f"<h1>Chairs</h1><ul>{items}</ul>", "https://shop.example.org/", mode="static")


PROSE = "<p>Number {n}: words about this chair, of which there are more than the cell of a table has room for.</p>"


def test_markdown_is_a_table() -> None:
    lines = shop(4).to_markdown().splitlines()
    assert lines[:3] == [
        "| title | price |",
        "| --- | --- |",
        r"| [Chair \*0\* \| oak](https://shop.example.org/0) | £0.50 |",
    ]
    assert len(lines) == 2 + 4


def test_markdown_of_long_records_is_a_list_of_cards() -> None:
    lines = shop(4, PROSE).to_markdown().splitlines()
    assert lines[:3] == [
        r"- [Chair \*0\* | oak](https://shop.example.org/0)",
        "  - price: £0.50",
        "  - summary: " + PROSE[3:-4].format(n=0),
    ]
    assert sum(line.startswith("- ") for line in lines) == 4


def test_a_card_without_a_title_names_its_values() -> None:
    html = "".join(
        f"<li>{f'<h3><a href=/{n}>Chair no. {n}</a></h3>' if n % 3 else ''}<b class=price>£{n}.50</b>"
        f"{PROSE.format(n=n)}</li>"
        for n in range(8)
    )
    markdown = pagesieve.records(f"<h1>Chairs</h1><ul>{html}</ul>", mode="static").to_markdown()
    assert markdown.startswith("- price: £0.50\n  - summary: Number 0")


@pytest.mark.parametrize("extra", ["", PROSE])
def test_text_and_markdown_have_the_same_records_in_the_same_order(extra: str) -> None:
    shown = shop(12, extra)
    markdown = shown.to_markdown()
    places = [markdown.find(f"(https://shop.example.org/{n})") for n in range(12)]
    assert -1 not in places
    assert places == sorted(places)
    assert [record.text.splitlines()[0] for record in shown.records] == [f"Chair *{n}* | oak" for n in range(12)]


def test_parquet(found: pagesieve.Records, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found.to_parquet(tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == found.to_rows(typed=True)
    with pytest.raises(pagesieve.BadInput, match="cannot be written"):
        found.to_parquet(tmp_path / "missing" / "t.parquet")


SUPERSCRIPTS = "".join(
    f"<li><h3><a href=/{n}>Drill number {n} of it</a></h3><p><span>$</span>{cost}<span>97</span></p></li>"
    for n, cost in enumerate((19, 24, 31, 42, 50))
)


def test_cents_are_cents_in_every_format(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = pagesieve.records(f"<ul>{SUPERSCRIPTS}</ul>", URL, mode="static")
    price = {"amount": 19.97, "currency": "USD"}
    found.to_parquet(tmp_path / "t.parquet")
    console = Console(width=80, file=io.StringIO())
    console.print(found.to_table(80))
    assert found.records[0].text == "Drill number 0 of it\n$19.97"
    assert found.to_rows()[0]["price"] == "$19.97"
    assert found.to_rows(typed=True)[0]["price"] == price
    assert json.loads(found.to_json())["records"][0]["items"]["price"] == price
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist()[0]["price"] == price
    assert "$19.97" in found.to_csv()
    assert "$19.97" in console.file.getvalue()  # type: ignore[attr-defined]
    assert found.notes == ()


def test_a_price_that_is_not_certain_stays_text_with_a_note(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    html = SUPERSCRIPTS.replace("50<span>97</span>", "25,85000/package")
    found = pagesieve.records(f"<ul>{html}</ul>", URL, mode="static")
    found.to_parquet(tmp_path / "t.parquet")
    stored = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    note = "column 'price': prices that cannot be read for certain stay text: 1"
    assert found.notes == (note,)
    assert json.loads(found.to_json())["notes"] == [note]
    assert found.to_rows(typed=True)[4]["price"] == found.to_rows()[4]["price"] == "$25,85000/package"
    assert (stored[4]["price"], stored[4]["price_text"]) == (None, "$25,85000/package")
    assert (stored[3]["price"]["amount"], stored[3]["price_text"]) == (42.97, None)


def test_a_column_of_prices_that_are_not_certain_has_a_note() -> None:
    html = "".join(f"<li><a href=/{k}>Thing {k}</a> <b class=price>${k},85000/package</b></li>" for k in range(20, 26))
    found = pagesieve.records(f"<ul>{html}</ul>", URL, mode="static")
    assert found.to_rows(typed=True)[0]["price"] == "$20,85000/package"
    assert found.notes == ("column 'price': prices that cannot be read for certain stay text: 6",)


def test_parquet_without_its_extra(found: pagesieve.Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(pagesieve.MissingExtra, match=r"pip install 'pyarrow"):
        found.to_parquet(tmp_path / "t.parquet")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_table_fits(found: pagesieve.Records, width: int) -> None:
    console = Console(width=width, file=io.StringIO())
    console.print(found.to_table(width))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= width
    assert any("Ann 8" in line for line in lines)
    assert any("not shown" in line for line in lines) == (width < 80)


def test_texts_of_pages_are_no_markup_for_a_terminal() -> None:
    html = "".join(
        f"<li><b class=name>[red]{n}\x1b[31m chairs[/]</b> <i class=stock>{n} left in stock</i></li>" for n in range(5)
    )
    console = Console(width=80, file=io.StringIO())
    console.print(pagesieve.records(f"<ul>{html}</ul>", mode="static").to_table(80))
    written = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[red]0" in written
    assert "\x1b" not in written


def test_records_can_be_pickled(found: pagesieve.Records) -> None:
    found.to_rows()
    assert pickle.loads(pickle.dumps(found)).to_rows() == found.to_rows()


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<div id=a><p class='x y'><b>t</b></p></div>", "div#a > p.x > b"),
        ("<b>t</b>", "html > body > b"),
    ],
)
def test_the_path_of_a_region(html: str, path: str) -> None:
    page = pagesieve.parse(html)
    assert path_of(page.node(int(page.rows("b")[0]))) == path


def test_the_next_page_of_a_list() -> None:
    html = THREAD + '<p><a href="?page=2">2</a> <a href="?page=3">3</a></p>'
    assert pagesieve.records(html, URL, mode="static").next_url == f"{URL}?page=2"
    assert pagesieve.records(html, f"{URL}?page=2", mode="static").next_url == f"{URL}?page=3"
    assert pagesieve.records(THREAD, URL, mode="static").next_url is None
    assert pagesieve.records(html, mode="static").next_url is None  # nothing tells where its links lead


OTHER_LIST = '<a rel="next" href="?other=2">next</a>'


@pytest.mark.parametrize(
    ("before", "behind", "address"),
    [
        (OTHER_LIST, '<a rel="next" href="/t/1?page=2">next</a>', "/t/1?page=2"),
        ('<a rel="next" href="/t/1?page=2">next</a>', "", "/t/1?page=2"),
        ("", '<a class="btn page-next" href="/results?q=a"></a>', "/results?q=a"),
        ("", '<a class="page-next-disabled" href="/results?q=a"></a>', None),
        ("", '<a class="slide-next" href="#slides"></a>', None),
        ("", '<a class="next" href="https://other.example/?q=a"></a>', None),
        ("", '<a href="">1</a> <a href="">2</a>', None),  # the page itself, by scripts
    ],
)
def test_which_link_leads_to_the_next_page(before: str, behind: str, address: str | None) -> None:
    found = pagesieve.records(f"<div>{before}</div>{THREAD}<div>{behind}</div>", URL, mode="static")
    assert found.next_url == (address and urljoin(URL, address))


@pytest.mark.parametrize("html", ["", "<p>One paragraph.</p>", "<ul><li>one</ul>"])
def test_pages_without_records(html: str) -> None:
    with pytest.raises(pagesieve.NothingFound):
        pagesieve.records(html, mode="static")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "magic"}, "mode is one of auto, visual, static"),
        ({"region": "magic"}, "region is one of best, paper"),
        ({"mode": "static", "region": "paper"}, "cannot be used with mode static"),
    ],
)
def test_bad_options(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(pagesieve.BadOption, match=message):
        pagesieve.records(THREAD, **arguments)


def test_bad_input() -> None:
    with pytest.raises(pagesieve.BadInput, match="give a page as html, or the url"):
        pagesieve.records(None)
    with pytest.raises(pagesieve.BadOption, match="needs its source"):
        pagesieve.records(pagesieve.parse(THREAD), mode="visual")
    with pytest.raises(pagesieve.BadInput, match="not a page but"):
        pagesieve.records(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")


# Which mode answers


class _NoBrowser:
    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, *_: object, **__: object) -> object:
        self.asked += 1
        raise pagesieve.MissingBrowser("no browser here")


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> _NoBrowser:
    nobody = _NoBrowser()
    monkeypatch.setattr(sys.modules["pagesieve.records.find"], "show", nobody)
    return nobody


def test_auto_starts_no_browser_where_the_page_holds_its_records(no_browser: _NoBrowser) -> None:
    assert pagesieve.records(THREAD).mode == "static"
    assert no_browser.asked == 0


def test_auto_asks_for_a_browser_where_scripts_write_the_page(no_browser: _NoBrowser) -> None:
    with pytest.raises(pagesieve.NothingFound, match="no browser here"):
        pagesieve.records("<div id=root></div><script>write()</script>")
    assert no_browser.asked == 1


def test_auto_keeps_what_it_has_where_there_is_no_browser(no_browser: _NoBrowser) -> None:
    found = pagesieve.records("<ul><li>one thing<li>two things<li>three things</ul><script>write()</script>")
    assert (found.mode, len(found), no_browser.asked) == ("static", 3, 1)


def test_visual_says_that_there_is_no_browser(no_browser: _NoBrowser) -> None:
    with pytest.raises(pagesieve.MissingBrowser):
        find_records(THREAD, URL, RecordOptions("visual"))


# The text of a page of records


def test_the_text_is_that_of_the_records_set_apart() -> None:
    article = pagesieve.article(THREAD, URL, method="records")
    parts = article.text.split("\n\n")
    assert len(parts) == 8
    assert parts[1] == f"Ann 2 2 May 2024\nThis is what 2 has to say, {WORDS}.\nAnd more.\nAnd more."
    assert "Quote" not in article.text
    assert "About us" not in article.markdown
    reasons = {decision.reason for decision in article.decisions}
    assert {"record 1 of 8", "record 8 of 8", "the same in all records: a button or a label", "in no record"} <= reasons


def test_auto_gives_the_records_of_the_example_thread(site: Path) -> None:
    html = (site / "forum" / "thread-4711-1.html").read_bytes()
    found, wanted = pagesieve.article(html), pagesieve.article(html, method="records")
    assert found.method == "blocks"
    posts = [max(part.splitlines(), key=len) for part in wanted.text.split("\n\n")]
    places = [found.text.find(post) for post in posts]
    assert -1 not in places
    assert places == sorted(places)


def test_an_article_is_none_of_records(site: Path) -> None:
    page = (site / "en" / "2024" / "05" / "seal-closes-pool-4181077.html").read_bytes()
    assert pagesieve.article(page).method == "blocks"


def test_the_module_does_not_hide_the_function() -> None:
    import pagesieve.records.find

    assert callable(pagesieve.records)
