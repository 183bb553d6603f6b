"""The node table: reading it, what is derived from it, saving and loading."""

from __future__ import annotations

import dataclasses
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID, TAGS
from pagesieve.page.lines import split
from pagesieve.page.table import COLUMNS, HIDDEN, SEEN, UNSEEN, Page
from tests.nonsense import pages
from tests.profiles import examples

SMALL = """<!doctype html><html lang=en><head><title>T</title><script>var a = "<p>";</script></head>
<body><!--c--><p class="x y" id=i>Hello <a href="/a">big <b>wide</b></a> world</p>
<ul hidden><li>one</ul><div style="color:red; DISPLAY : none">two</div><template>three</template><img src=p.png alt=P>
</body></html>"""


def row_of(page: Page, name: str) -> int:
    return int(page.rows(name)[0])


def test_rows_are_nodes_to_read() -> None:
    page = pagesieve.parse(SMALL, "https://example.org/")
    paragraph = page.node(row_of(page, "p"))
    assert paragraph.tag == "p"
    assert paragraph.attributes == {"class": "x y", "id": "i"}
    assert paragraph.get("id") == "i"
    assert paragraph.get("nope") is None
    assert paragraph.text == "Hello big wide world"
    assert paragraph.parent is not None
    assert paragraph.parent.tag == "body"
    assert [child.tag for child in paragraph.children] == ["#text", "a", "#text"]
    assert [node.tag for node in paragraph] == ["#text", "a", "#text", "b", "#text", "#text"]
    assert page.root.parent is None
    assert "Hello" in repr(next(iter(paragraph)))
    with pytest.raises(IndexError, match="row 999 of a page of"):
        page.node(999)


def test_nothing_is_lost_and_what_is_not_seen_is_known_as_such() -> None:
    page = pagesieve.parse(SMALL)
    states = {page.tag_name(row): page.visibility[row] for row in range(len(page))}
    assert [states[name] for name in ("script", "title", "#comment", "template")] == [UNSEEN] * 4
    assert [states[name] for name in ("ul", "li", "div")] == [HIDDEN] * 3
    assert states["p"] == SEEN
    assert "var a" in page.text(row_of(page, "script"))
    assert "three" in page.text(row_of(page, "template"))


HIDING = [
    ('style="display:none"', True),
    ('style="DISPLAY : None !important"', True),
    ('style="color:red;visibility:hidden"', True),
    ('style=" visibility :\n hidden "', True),
    ("hidden", True),
    ('hidden=""', True),
    ('style="display:block"', False),
    ('style="background-image:url(display:none)"', False),
    ('style="nodisplay:none"', False),
    ('style="displaynone"', False),
    ('style=""', False),
    ('data-style="display:none"', False),
    ('class="hidden"', False),
]


@pytest.mark.parametrize(("attribute", "hides"), HIDING)
def test_hidden_elements(attribute: str, hides: bool) -> None:
    page = pagesieve.parse(f"<div {attribute}><p>x</p></div>")
    assert (page.visibility[row_of(page, "p")] == HIDDEN) == hides
    assert (page.chars.sum(), page.hidden_chars.sum()) == ((0, 1) if hides else (1, 0))


def test_a_hidden_body_is_still_a_page() -> None:
    page = pagesieve.parse('<body style="display:none"><p>x</p>')
    assert page.text_chars[0] == 1


CHARACTERS = [
    ("abc", 3),
    (" a  b\n", 2),
    ("a\u00a0b\u3000c", 3),
    ("日本語", 3),
    ("é", 1),
    ("👩‍👩‍👧", 5),
    ("", 0),
]


@pytest.mark.parametrize(("text", "count"), CHARACTERS)
def test_characters_are_counted_without_blanks(text: str, count: int) -> None:
    assert pagesieve.parse(f"<p>{text}</p>").text_chars[0] == count


def test_sums_over_subtrees() -> None:
    page = pagesieve.parse(SMALL)
    row = row_of(page, "p")
    assert page.text_chars[row] == len("Hellobigwideworld")
    assert page.link_chars[row] == len("bigwide")
    assert page.links[row] == 1
    assert page.links[0] == 1
    assert page.images[0] == 1
    assert page.text_chars[row_of(page, "ul")] == 0


def test_equal_subtrees_have_equal_digests_on_any_page() -> None:
    one = pagesieve.parse("<div><p class=a id=b>x  y<x-z q=1>z</x-z></p></div>")
    two = pagesieve.parse('<main><!--c--><p id="b" class="a"> x\ny<x-z q="1">z</x-z><!--d--></p></main>')
    assert one.digests[row_of(one, "p")] == two.digests[row_of(two, "p")]


@pytest.mark.parametrize(
    "other",
    [
        "<p class=a>y",
        "<p class=b>x",
        "<p id=a>x",
        "<p>x",
        "<div class=a>x",
        "<p class=a>x<b></b>",
        "<p class=a>x x",
        "<p class=a>",
    ],
)
def test_different_subtrees_have_different_digests(other: str) -> None:
    one, two = pagesieve.parse("<p class=a>x"), pagesieve.parse(other)
    assert one.digests[4] != two.digests[4]


def test_the_order_of_children_counts() -> None:
    one, two = pagesieve.parse("<div><b>x</b><i>y</i></div>"), pagesieve.parse("<div><i>y</i><b>x</b></div>")
    assert one.digests[4] != two.digests[4]


@examples(300)
@given(st.one_of(pages.map(lambda text: text.encode("utf-8", "replace")), st.binary(max_size=300)))
def test_what_the_limits_leave_out_is_in_order(data: bytes) -> None:
    for limits in ((4, 2, 2, 2), (512, 16, 512, 2000)):
        edits = kernel.html.builders.edits(data, *limits)
        flat = [place for start, end, _ in edits for place in (start, end)]
        assert flat == sorted(flat)
        assert all(0 <= place <= len(data) for place in flat)


def test_text_is_never_left_out_by_the_limits() -> None:
    page = pagesieve.parse("<div>a" * 600 + "<b>b" * 100 + "</b></div>" * 9)
    assert page.text_chars[0] == 700
    assert page.notes
    assert page.depth.max() < 600


NO_TAGS = [
    "<div><? <b>x",
    "<div><!x <b>x",
    "<div><script><!--<script></script><b>--></script>",
    "<div><plaintext><b>",
    "<div><p a=b<i>c",
    "<div><textarea><b></textarea>",
]


def test_options_beyond_the_limit_are_left_out() -> None:
    html = b"<select><option>a</option><option>b<option value=c>c</option></select>"
    left_out = [(html[start:end], instead) for start, end, instead in kernel.html.builders.edits(html, 512, 16, 512, 1)]
    assert left_out == [(b"<option>", b""), (b"<option value=c>", b"")]


@pytest.mark.parametrize("html", NO_TAGS)
def test_what_is_no_tag_is_not_limited(html: str) -> None:
    assert kernel.html.builders.edits(html.encode(), 1, 16, 512, 2000) == []


def test_limits_leave_ordinary_pages_alone() -> None:
    drawing = "<svg>" + "<path d='m0 0'/>" * 2000 + "</svg>"
    assert kernel.html.builders.edits(drawing.encode(), 512, 16, 512, 2000) == []
    table = "<table>" + "<tr><td><p>x<li>y" * 2000
    assert kernel.html.builders.edits(table.encode(), 512, 16, 512, 2000) == []
    filters = "<svg>" + "<feComposite in='a'/>" * 20 + "</svg>" + "<p><em>x</em>" * 20  # no formatting by its name
    assert kernel.html.builders.edits(filters.encode(), 512, 16, 512, 2000) == []


# Saving and loading


@examples(60)
@given(text=pages)
def test_saving_and_loading_is_the_identity(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    page = pagesieve.parse(text, "https://example.org/ü")
    path = tmp_path_factory.mktemp("pages") / "page.npz"
    page.save(path)
    again = Page.load(path)
    for field in dataclasses.fields(Page):
        one, two = getattr(page, field.name), getattr(again, field.name)
        assert np.array_equal(one, two) if field.name in COLUMNS else one == two


def test_a_page_is_accepted_wherever_html_is() -> None:
    page = pagesieve.parse("<p>x</p>")
    assert pagesieve.parse(page) is page


def test_nobody_changes_a_page() -> None:
    page = pagesieve.parse("<p>x</p>")
    with pytest.raises(ValueError, match="read-only"):
        page.tag[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.url = "x"  # type: ignore[misc]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04" + bytes(100)])
def test_a_file_that_is_no_page(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "page.npz"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="not a saved page"):
        Page.load(path)


def test_a_page_saved_by_an_older_version_is_named(tmp_path: Path) -> None:
    facts = np.frombuffer(b'{"format": 1}', dtype=np.uint8)
    columns: dict[str, Any] = {name: np.zeros(1, dtype=np.int32) for name in COLUMNS}
    buffers: dict[str, Any] = {name: np.zeros(0, dtype=np.uint8) for name in ("text_buffer", "value_buffer")}
    np.savez_compressed(tmp_path / "page.npz", facts=facts, **columns, **buffers)
    with pytest.raises(BadInput, match=r"not a saved page: .* version 0\.1\.0 are no longer read$"):
        Page.load(tmp_path / "page.npz")


DAMAGE = {
    "parent": lambda column: column.__setitem__(3, 5),
    "end": lambda column: column.__setitem__(2, 99),
    "depth": lambda column: column.__setitem__(2, 7),
    "tag": lambda column: column.__setitem__(2, 10_000),
    "text_at": lambda column: column.__setitem__(-1, 1_000_000),
    "attribute_name": lambda column: column.__setitem__(0, -1),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_page_is_refused(tmp_path: Path, name: str) -> None:
    page = pagesieve.parse("<div id=a><p>x</p><p>y</p></div>")
    column = getattr(page, name).copy()
    DAMAGE[name](column)
    path = tmp_path / "page.npz"
    dataclasses.replace(page, **{name: column}).save(path)
    with pytest.raises(BadInput, match="a damaged page"):
        Page.load(path)


def test_fault_finds_nothing_wrong_with_a_good_page() -> None:
    assert pagesieve.parse(SMALL).fault() is None


def test_known_tags_stand_once() -> None:
    assert len(set(TAGS)) == len(TAGS)
    assert [TAG_ID[name] for name in ("#document", "#text", "#comment", "#doctype")] == [0, 1, 2, 3]


def test_a_page_and_an_article_can_be_pickled_once_they_are_read() -> None:
    page = pagesieve.parse("<h1>The wall</h1>" + f"<p>{'It was finished in May. ' * 9}" * 4)
    found = pagesieve.article(page)
    assert found.text
    again = pickle.loads(pickle.dumps(page))
    assert again.__dict__.keys() == {each.name for each in dataclasses.fields(page)}  # nothing derived, and no view
    assert (again.chars == page.chars).all()
    assert len(split(again)) == len(split(page))
    copy = pickle.loads(pickle.dumps(found))
    assert (copy.text, copy.markdown) == (found.text, found.markdown)
    assert [each.reason for each in copy.decisions] == [each.reason for each in found.decisions]


def test_the_lines_of_a_page_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []
    found = kernel.lines.lines.split

    def counted(*given: Any) -> Any:
        calls.append(given)
        return found(*given)

    monkeypatch.setattr(kernel.lines.lines, "split", counted)
    page = pagesieve.parse("<p>one<p>two<p hidden>three")
    assert [len(split(page)), len(split(page)), len(split(page, hidden=True)), len(split(page, hidden=True))] == [
        *(2, 2),
        *(3, 3),
    ]
    assert [hidden for _, hidden in calls] == [False, True]
    seen = weakref.ref(page)
    del page, calls[:]
    assert seen() is None  # what is kept with a page does not keep it alive
