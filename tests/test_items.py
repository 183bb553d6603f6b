"""Items: what records hold, laid under each other as columns with names and types."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve import Page, parse
from pagesieve.page import kernel
from pagesieve.records.columns import align
from pagesieve.records.fields import FieldValues, Reader, label_of
from pagesieve.records.names import Namer, distinct
from pagesieve.records.results import Items, Place, Records, Segmentation
from pagesieve.text.types import is_date, is_number, is_price, type_of
from tests.drawn_pages import draw
from tests.growing import growth
from tests.profiles import examples

COLOURS = ("red", "green", "blue", "grey", "black", "white")


def records_of(page: Page, tag: str = "li") -> Segmentation:
    """Every element of a name as a record."""
    rows = page.rows(tag).tolist()
    return Segmentation(int(page.parent[rows[0]]) if rows else 0, tuple((row,) for row in rows))


def table_of(
    bodies: list[str], url: str | None = "https://shop.example.org/list/", around: str = "ul"
) -> list[dict[str, Any]]:
    page = parse(f"<{around}>{''.join(f'<li>{body}</li>' for body in bodies)}</{around}>", url)
    return Records(page, [records_of(page)], "static").to_rows()


def items_of(html: str, tag: str = "li") -> Items:
    page = parse(html, "https://shop.example.org/list/")
    return align(page, records_of(page, tag))


def each(pattern: str, count: int = 4) -> list[str]:
    return [pattern.replace("{n}", str(n + 1)).replace("{colour}", COLOURS[n]) for n in range(count)]


def test_what_changes_is_a_column_and_what_stays_is_dropped() -> None:
    rows = table_of(each('<b class="name">Chair {n}</b> <i class="price">£{n}.50</i> <button>Add to cart</button>'))
    assert rows == [{"title": f"Chair {n}", "price": f"£{n}.50"} for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("count", [1, 2])
def test_few_records_cannot_tell_what_stays(count: int) -> None:
    rows = table_of(each('<b class="name">Chair</b> <i class="status">Add to cart</i>', count))
    assert rows == [{"title": "Chair", "status": "Add to cart"}] * count


def test_records_that_are_all_the_same_keep_everything() -> None:
    assert table_of(["<p>the same</p>"] * 5) == [{"details": "the same"}] * 5


@pytest.mark.parametrize(
    ("body", "column", "value"),
    [
        ("<h3>Chair {n}</h3>", "title", "Chair 1"),
        ('<span itemprop="sku">A{n}</span>', "sku", "A1"),
        ('<span itemprop="sku" class="x y">A{n}</span>', "sku", "A1"),
        ('<span class="item__author">Ann {colour}</span>', "author", "Ann red"),
        ('<span class="css-1x2y">{colour}</span>', "details", "red"),
        ('<a href="/{n}">A chair, no. {n}</a>', "title", "A chair, no. 1"),
        ('<time datetime="x">{n} May 2024</time>', "date", "1 May 2024"),
        ("<span>{n} May 2024</span>", "date", "1 May 2024"),
        ("<span>${n}.99</span>", "price", "$1.99"),
        ("<p>Colour: {colour}</p>", "Colour", "red"),
        ("<p><b>Colour:</b> {colour}</p>", "Colour", "red"),
        ("<p><b>Colour:</b> <span>{colour}</span></p>", "Colour", "red"),
        ("<dl><dt>Colour</dt><dd>{colour}</dd></dl>", "Colour", "red"),
        ("<table><tr><th>Colour</th><td>{colour}</td></tr><tr><th>No.</th><td>{n}</td></tr></table>", "Colour", "red"),
    ],
)
def test_names_come_from_the_page(body: str, column: str, value: str) -> None:
    assert table_of(each(body))[0][column] == value


def test_names_of_cells_come_from_the_head_of_their_table() -> None:
    head = "<tr><th>Team</th><th colspan=2>Score</th><th>Coach</th></tr>"
    body = "".join(
        f"<tr class=r><td>Team {c}</td><td>{n}</td><td></td><td>{c} Ann</td></tr>" for n, c in enumerate(COLOURS)
    )
    page = parse(f"<table>{head}{body}</table>")
    rows = tuple((row,) for row in page.rows("tr").tolist()[1:])
    assert Records(page, [Segmentation(0, rows)], "static").to_rows()[1] == {
        "Team": "Team green",
        "Score": "1",
        "Coach": "green Ann",
    }


@pytest.mark.parametrize(
    ("body", "values"),
    [
        # words that a mark cuts are one text, however often it does
        ("<p>Some <b>{colour}</b> words and <em>number {n}</em> of it.</p>", ["Some red words and number 1 of it."]),
        # words between elements that never change are glue
        ('by <a href="/{n}">Ann {n}</a> in <a href="/c{n}">{colour}</a>', ["Ann 1", "red"]),
        # words that change make a sentence of the elements in them
        ('Ann {n} wrote of <a href="/{n}">chair {n}</a>', ["Ann 1 wrote of chair 1"]),
        # a price in pieces is one price; two prices are two
        ("<span>$</span><span>{n}</span><sup>.99</sup>", ["$1.99"]),
        ("<div>£{n}.10 <s>£{n}.90</s></div>", ["£1.10", "£1.90"]),
        ("<div>£{n}.10<s>£{n}.90</s></div>", ["£1.10", "£1.90"]),
        # cents in an element of their own are cents
        ("<span>$</span>1{n}<span>97</span>", ["$11.97"]),
        ("<span>$</span><span>1,29{n}</span><sup>97</sup>", ["$1,291.97"]),
        ("<sup>$</sup> 1{n} <sup>97</sup>", ["$ 11.97"]),
        ("<b>1{n}</b><sup>99</sup> €", ["11.99 €"]),
        ("<b>1.29{n}</b><i>99</i> €", ["1.291,99 €"]),
        ("<span class=price-characteristic>1{n}</span><span class=price-mantissa>97</span>", ["11.97"]),
        # digits that count something are none
        ("<span>$1{n}</span><span>{n}7</span> reviews", ["$11", "17"]),
        # lines of one element
        ("<div>Title {n}<br>{colour} street<br>no. {n}</div>", ["Title 1", "red street", "no. 1"]),
        # signs between things are nothing
        ("<b>{colour}</b> | <b>no. {n}</b>", ["red", "no. 1"]),
    ],
)
def test_where_texts_are_parted(body: str, values: list[str]) -> None:
    page = parse("<ul>" + "".join(f"<li>{each_}</li>" for each_ in each(body, 6)) + "</ul>")
    found = align(page, records_of(page)).records[0]
    got = [piece for item in found for piece in (item.value or "").split("\n")]
    assert got == values


TOUCHING = {
    # texts that only styles keep apart
    "<span>164</span><span>11K</span>": "164 11K",
    "<span>Oilers</span><span>05/02/2017 19:00</span><span>Ice Hockey</span>": "Oilers 05/02/2017 19:00 Ice Hockey",
    "Oilers<span>05/02/2017 19:00</span>Ice Hockey": "Oilers 05/02/2017 19:00 Ice Hockey",
    "<span>£24.90</span><span>£29.90</span>": "£24.90 £29.90",
    "<s>24,90 €</s>29,90 €": "24,90 € 29,90 €",
    "<span>now</span><span>$5</span>": "now $5",
    "<a href=/a>php</a><a href=/b>mysql</a>": "php mysql",
    "<strong>4</strong>answers": "4 answers",
    "<span>5</span><span>€20</span>": "5 €20",
    "<strong>75%</strong>success rate": "75% success rate",
    "<span>75%</span><span>on hats</span>": "75% on hats",
    "<i class=icon></i>7/9/05<i class=icon></i>7:57 PM": "7/9/05 7:57 PM",
    "<span>A shop (new)</span><span>Game</span>": "A shop (new) Game",
    "<span>4.2</span>(305)": "4.2 (305)",
    "<span>$25.00</span><span>($75.00 value)</span>": "$25.00 ($75.00 value)",
    "<b>19</b><i>97</i>": "19 97",
    "$30.00 <b>$</b>21.00": "$30.00 $21.00",
    "<span>$1.50</span>19 reviews": "$1.50 19 reviews",
    # digits behind a sum that are no cents, for they count something or are a note
    "<span>$19</span><span>97</span> reviews": "$19 97 reviews",
    "$19<span>97</span> reviews": "$19 97 reviews",
    "<b>$20</b><a href=#n>12</a>": "$20 12",
    "<b>$20</b><sup><a href=#n>12</a></sup>": "$20¹²",
    "<span>$19</span><small>97</small> each": "$19.97 each",
    "<span>$</span>19<span>97</span> each": "$19.97 each",
    "<span>$19</span><span>97</span> USD": "$19.97 USD",
    # and pieces of one word or number
    "H<sub>2</sub>O": "H2O",
    "<span>19</span><sup>€97</sup>": "19€97",
    "1,5<sup>th</sup>": "1,5th",
    "<span>T</span>he": "The",
    "<span>T</span><span>he</span>": "The",
    "<b>20</b>17": "2017",
    "<em>3</em><em>0%</em>": "30%",
    "<span>BR</span><span>AVE</span>": "BRAVE",
    "Inter<wbr>National": "InterNational",
    "<span>1.2</span><span>K</span>": "1.2K",
    "<span>5</span><span>km</span>": "5km",
    "<a href=/a>cancer</a>s": "cancers",
    "US<span>$5</span>": "US$5",
    "<b>中</b><span>文</span>": "中文",
    "4<!-- -->.<!-- -->5": "4.5",
    # raised digits make no other number
    "10<sup>6</sup>": "10⁶",
    "$3.45<sup>9</sup>": "$3.45⁹",
    "2019<sup>12</sup>": "2019¹²",
}


@pytest.mark.parametrize("body", TOUCHING)
def test_texts_that_touch(body: str) -> None:
    page = parse(f"<ul><li>{body}</li></ul>")
    assert Records(page, [records_of(page)], "static").records[0].text == TOUCHING[body]


@pytest.mark.parametrize(
    ("body", "columns"),
    [
        ("<i>${n}.50</i> <s>${n}.90</s>", ["price", "old_price"]),
        ("<div><del><bdi>${n}.90</bdi></del> <ins>${n}.50</ins></div>", ["old_price", "price"]),
        ("<b class='price strike'>${n}.90</b><b class=price>${n}.50</b>", ["old_price", "price"]),
        ("<b class='css-1'><strike>${n}.90</strike></b><b>${n}.50</b>", ["old_price", "price"]),
        ('<b>${n}.50</b><b style="text-decoration:line-through">${n}.90</b>', ["price", "old_price"]),
        ("<b class=was>${n}.90</b><b>${n}.50</b>", ["old_price", "price"]),
        ("<div><b>$</b><b>1{n}</b><b>97</b> <s><b>$</b><b>2{n}</b><b>97</b></s></div>", ["price", "old_price"]),
        # a price is no title, whatever its class says
        ("<b class='lh-title'>${n}.50</b><s>${n}.90</s>", ["price", "old_price"]),
        ("Was <s>${n}.90</s>, now <b>${n}.50</b>", ["old_price", "price"]),
        # beside no other, it is the price
        ("<b class='old price'>${n}.50</b>", ["price"]),
        # another price with a name of its own
        ("<b>${n}.50</b><s class=regular-price>${n}.90</s>", ["price", "regular_price"]),
        ("<b class=bold>${n}.90</b><b class=sold>${n}.50</b>", ["price", "price_2"]),
    ],
)
def test_prices_that_are_struck_out_have_their_own_name(body: str, columns: list[str]) -> None:
    assert list(table_of(each(f"<p>{body}</p>"))[0]) == columns


def test_a_label_is_in_the_text_and_not_in_the_value() -> None:
    (item,) = items_of("".join(f"<li>Rating: <b>{n}%</b></li>" for n in (81, 85, 90))).records[0]
    assert (item.name, item.text, item.value, item.label) == ("Rating", "Rating: 81%", "81%", "Rating:")


@pytest.mark.parametrize("colours", [("black", "black", "black", "black"), ("black", "black", "grey", "black")])
def test_a_text_that_stays_but_changes_its_look_is_dynamic(colours: tuple[str, ...]) -> None:
    bodies = (
        f'<b class=name>Chair {n}</b><i class=stock look="color: {c}">In stock</i>' for n, c in enumerate(colours)
    )
    page = draw("<ul>" + "".join(f"<li>{body}</li>" for body in bodies) + "</ul>")
    found = align(page, records_of(page))
    assert [column.name for column in found.columns] == ["title"]
    assert [item.text for item in found.others[2]] == (["In stock"] if len(set(colours)) > 1 else [])


def test_optional_fields_leave_holes_and_move_nothing() -> None:
    bodies = [
        f"<b class=name>Chair {n}</b>{'<i class=flag>New</i>' * (n % 2)}<u class=stock>{n} left</u>" for n in range(6)
    ]
    rows = table_of(bodies)
    assert [row["flag"] for row in rows] == [None, "New"] * 3
    assert [row["stock"] for row in rows] == [f"{n} left" for n in range(6)]


def test_labelled_rows_are_aligned_by_their_labels() -> None:
    specs = [("Colour", "Size"), ("Size",), ("Colour", "Weight", "Size"), ("Weight", "Colour")]
    bodies = ["".join(f"<p>{name}: {name.lower()} {n}</p>" for name in names) for n, names in enumerate(specs)]
    rows = table_of(bodies)
    assert [row["Size"] for row in rows] == ["size 0", "size 1", "size 2", None]
    assert [row["Colour"] for row in rows] == ["colour 0", None, "colour 2", "colour 3"]


def test_names_in_definition_lists_are_labels_only_where_records_share_them() -> None:
    bodies = [
        f"<dl><dt>{colour} ann</dt><dd>Posts: {n}</dd><dd>since 20{n}1</dd></dl>" for n, colour in enumerate(COLOURS)
    ]
    assert all(f"{colour} ann" in row.values() for colour, row in zip(COLOURS, table_of(bodies), strict=True))


def test_tags_are_items_of_one_column() -> None:
    bodies = [" ".join(f"<a class=tag href=/t/{c}>{c}</a>" for c in COLOURS[: n + 1]) for n in range(6)]
    items = items_of("".join(f"<li><h3>Post {n}</h3>{body}</li>" for n, body in enumerate(bodies)))
    assert [column.name for column in items.columns if column.listed] == ["tag"]
    assert [item.text for item in items.records[2] if item.name == "tag"] == ["red", "green", "blue"]


def test_paragraphs_are_one_item() -> None:
    bodies = [
        f"<h3>Post {n}</h3><div class=body>{'<p>Words, words.</p>' * (n + 1)}<p>End {n}.</p></div>" for n in range(5)
    ]
    assert table_of(bodies)[1]["body"] == "Words, words.\nWords, words.\nEnd 1."


def test_odd_and_even_rows_share_their_columns() -> None:
    bodies = [f"<div class='{('odd', 'even')[n % 2]} p{n}'><b class=name>Chair {n}</b></div>" for n in range(6)]
    assert table_of(bodies) == [{"title": f"Chair {n}"} for n in range(6)]


def test_links_are_absolute_and_told_once() -> None:
    rows = table_of(each('<a href="../p/{n}"><b class=name>Chair {n}</b></a> <a href="../p/{n}">No. {n}</a>'))
    assert rows[0] == {"title": "Chair 1", "title_link": "https://shop.example.org/p/1", "link": "No. 1"}


@pytest.mark.parametrize("href", ["javascript:buy()", "#", "data:text/html,x"])
def test_what_leads_nowhere_is_no_link(href: str) -> None:
    assert table_of(each(f'<a href="{href}">Chair no. {{n}}</a>')) == [
        {"title": f"Chair no. {n}"} for n in (1, 2, 3, 4)
    ]


def test_images_have_an_address_and_what_stands_in_for_them() -> None:
    items = items_of(
        "".join(f'<li><img src="data:," data-src="/i/{n}.png" alt="No. {n}"> <b>{n} left</b></li>' for n in range(4))
    )
    image = items.records[3][0]
    assert (image.name, image.type, image.text) == ("image", "image", "No. 3")
    assert image.link == image.value == "https://shop.example.org/i/3.png"


def test_links_that_always_say_the_same_are_items_and_no_column() -> None:
    page = parse(
        f"<ul>{''.join(f'<li><b class=name>No. {n}</b> <a href=/r/{n}>Report</a></li>' for n in range(4))}</ul>"
    )
    found = Records(page, [records_of(page)], "static")
    assert [column.name for column in found.columns] == ["title"]
    assert [item.text for item in found.records[1].items] == ["No. 1", "Report"]


def test_what_is_said_twice_in_every_record_is_one_column() -> None:
    assert table_of(each('<b class="laptop">Chair {n}</b><b class="phone">Chair {n}</b>')) == [
        {"details": f"Chair {n}"} for n in (1, 2, 3, 4)
    ]


def test_of_two_that_say_the_same_the_one_that_is_shown_stays() -> None:
    bodies = (f'<b class=laptop box="">Chair {n}</b><b class=phone>Chair {n}</b>' for n in range(4))
    page = draw("<ul>" + "".join(f"<li>{body}</li>" for body in bodies) + "</ul>")
    assert [column.name for column in align(page, records_of(page)).columns] == ["phone"]


def test_records_of_several_subtrees() -> None:
    rows = "".join(
        f"<tr><td><a href=/{n}>Book no. {n}</a></td></tr><tr><td>by {c}</td></tr>" for n, c in enumerate(COLOURS)
    )
    page = parse(f"<table>{rows}</table>")
    roots = page.rows("tr").tolist()
    records = tuple(zip(roots[::2], roots[1::2], strict=True))
    assert [len(record) for record in align(page, Segmentation(0, records)).records] == [2] * 6


TYPES = {
    is_price: ("$3", "£1,299.00", "CA$13.46", "12,50 €", "1.299 kr", "US $5-7", "from $9.99", "¥300", "300元", "C$ 65"),
    is_number: ("3", "1,299", "#11", "69%", "4.5", "(28)", "12k", "+7"),
    is_date: (
        *("2024-05-01", "1 May 2024", "May 1, 2024", "3 days ago", "19:31", "May 18 '16", "2024年5月1日", "5小时前"),
        *("Jan 23, 2017, 3:29pm EST", "yesterday", "8/2/16 11:00 AM"),
    ),
}


@pytest.mark.parametrize(("test", "text"), [(test, text) for test, texts in TYPES.items() for text in texts])
def test_types(test: object, text: str) -> None:
    assert test(text)  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    [
        "Chair",
        "1.2.3",
        "3-33",
        "99/2",
        "1999-13",
        "KR161",
        "7" * 40,
        "the 3 chairs",
        "3 chairs of 2024-05-01, and a table besides them",
        "",
        "$",
        "May",
    ],
)
def test_plain_text_is_of_no_type(text: str) -> None:
    assert not any(test(text) for test in (is_price, is_number, is_date))


def test_a_column_is_what_most_of_it_is() -> None:
    assert type_of(["£1", "£2", "£3", "£4", "sold out"]) == "price"
    assert type_of(["£1", "£2", "sold out"]) == "text"
    assert type_of([]) == "text"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Price: 3", "Price:"),
        ("价格：3", "价格："),
        ("Price:", "Price:"),
        ("http://x", ""),
        ("12:30", ""),
        ("3: 4", ""),
    ],
)
def test_labels(text: str, label: str) -> None:
    assert label_of(text) == label


def test_names_are_distinct() -> None:
    assert distinct(["a", "b", "a", "A", "a_2"]) == ["a", "b", "a_2", "A_3", "a_2_2"]


def test_a_namer_has_no_name_for_nothing() -> None:
    page = parse("<ul><li>one<li>two</ul>")
    reader = Reader.of(page, records_of(page).records)
    (field,) = kernel.records.fields.find(reader.rows, page, records_of(page).records)
    assert Namer(reader).names([FieldValues(reader, field, Place(()), False)], [""]) == [""]


BODIES = st.recursive(
    st.sampled_from(
        ["word", "£3.50", "2024-05-01", "Price: 3", "", "|", "<img src=/i.png>", "<br>", "<dt>t</dt><dd>d</dd>"]
    ),
    lambda inner: st.builds(
        lambda tag, name, parts: f"<{tag} class='{name}'>{' '.join(parts)}</{tag}>",
        st.sampled_from("div p span b a dl ul td button".split()),
        st.sampled_from(["", "x", "x y", "n1"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@examples(150)
@given(st.lists(BODIES, min_size=1, max_size=6))
def test_every_text_is_in_at_most_one_item_and_none_is_lost_where_nothing_is_static(bodies: list[str]) -> None:
    page = parse("<main>" + "".join(f"<section>{n}{body}</section>" for n, body in enumerate(bodies)) + "</main>")
    found = align(page, records_of(page, "section"))
    for (root,), items in zip(records_of(page, "section").records, found.records, strict=True):
        spans = sorted((row, int(page.end[row])) for item in items for row in item.rows)
        assert all(root <= first < last <= page.end[root] for first, last in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
    names = [column.name for column in found.columns]
    assert len(set(names)) == len(names)
    assert {item.name for items in found.records for item in items} <= set(names)


@examples(50)
@given(st.lists(BODIES, min_size=2, max_size=6))
def test_what_is_between_records_is_outside_of_them(bodies: list[str]) -> None:
    page = parse("<main>" + "<hr>between".join(f"<section>{n}{body}</section>" for n, body in enumerate(bodies)))
    (region,), begin = page.rows("main"), page.rows("section")
    spans = begin.tolist(), page.end[begin].tolist()
    assert kernel.records.cuts.roots(page, *spans) == [(row,) for row in spans[0]]
    assert len(kernel.records.cuts.outside(page, page.text_chars, region, *spans)) == len(bodies) - 1


def test_the_cost_grows_with_the_records() -> None:
    def page(count: int) -> Page:
        item = "<li><h3><a href=/{n}>Chair no. {n}</a></h3><p>Words about {n}.</p><i class=price>£{n}.50</i></li>"
        return parse(f"<ul>{''.join(item.format(n=n) for n in range(count))}</ul>")

    pages = {count: page(count) for count in (1000, 2000)}
    assert growth(lambda count: align(pages[count], records_of(pages[count])), 1000) < 2.8


def test_nesting_deeper_than_python_recurses() -> None:
    deep = "<div>" * 450 + "word {n}" + "</div>" * 450
    assert [row["details"] for row in table_of(each(deep))] == ["word 1", "word 2", "word 3", "word 4"]
