"""Columns as a schema: golden tables of small pages, a rule each."""

from __future__ import annotations

import pytest

from pagesieve import parse
from pagesieve.records.results import Records, Segmentation
from pagesieve.records.values import find_ratings
from pagesieve.text.types import column_type, counted_in, is_priced, type_of, words_of

COLOURS = ("red", "green", "blue", "grey", "black", "white", "pink", "brown")


def table_of(bodies: list[str]) -> Records:
    page = parse(f"<ul>{''.join(f'<li>{body}</li>' for body in bodies)}</ul>", "https://shop.example.org/")
    rows = page.rows("li").tolist()
    return Records(page, [Segmentation(int(page.parent[rows[0]]), tuple((row,) for row in rows))], "static")


def bodies_of(pattern: str, count: int = 8) -> list[str]:
    return [pattern.replace("{n}", str(n + 1)).replace("{colour}", COLOURS[n]) for n in range(count)]


def columns_of(bodies: list[str]) -> list[tuple[str, str]]:
    return [(column.name, column.type) for column in table_of(bodies).columns]


TITLE = '<h3><a href="/{n}">The {colour} chair</a></h3>'


@pytest.mark.parametrize(
    ("body", "columns"),
    [
        # names: properties, attributes for tests and narrow screens, classes, what stands behind
        ('<b property="schema:brand">Ann {n}</b>', [("brand", "text")]),
        ('<b data-label="Maker" class="x">Ann {n}</b>', [("Maker", "text")]),
        ('<b data-testid="card-author">Ann {n}</b>', [("author", "text")]),
        ('<b class="css-1x9 maker">Ann {n}</b>', [("maker", "text")]),
        ("<div><span>{n}7</span> <i>views</i></div>", [("views", "count")]),
        ("<div>{n}7 replies</div>", [("replies", "count")]),
        # what a class calls by the value is no name, nor is what says nothing
        ('<b class="tint {colour}">{colour}</b>', [("details", "text")]),
        ('<b class="{colour}">{colour}</b>', [("details", "text")]),
        # types by the name, where the values are numbers
        ('<b class="comments">{n}</b>', [("comments", "count")]),
        ('<b class="stars">{n}</b>', [("stars", "rating")]),
        ('<b class="stars">{n}23</b>', [("stars", "count")]),
        ('<b class="score">{n}.5</b>', [("score", "rating")]),
        ('<b class="duration">0{n}:31</b>', [("duration", "text")]),
        ("<b>{n}:31</b>", [("details", "text")]),
        ("<b>1{n}:31</b>", [("date", "date")]),
        ("<b>Was ${n}.50</b>", [("price", "price")]),
        ("<b>${n},000 a year</b>", [("price", "price")]),
        # ratings are no dates, written or not
        ("<b>{n}/10</b>", [("rating", "rating")]),
        ('<b class="name">No. {n}</b><i title="{n}.5 out of 10 stars"></i>', [("title", "text"), ("rating", "rating")]),
        (
            '<b class="name">No. {n}</b><i class="bar stars"><u style="width:{n}0%"></u></i>',
            [("title", "text"), ("rating", "rating")],
        ),
        # all that is in a link around the record is no link, but for its title
        (
            '<a href="/{n}"><h3>Chair no. {n}</h3><b class="maker">Ann of {colour}</b></a>',
            [("title", "link"), ("maker", "text")],
        ),
        # the longest text without a name is the summary
        (
            TITLE + "<p>It is {colour}, and there are many words about it here.</p>",
            [("title", "link"), ("summary", "text")],
        ),
    ],
)
def test_names_and_types(body: str, columns: list[tuple[str, str]]) -> None:
    assert columns_of(bodies_of(body)) == columns


@pytest.mark.parametrize("wordings", [("Buy now",), ("Buy now", "Add to cart"), ("Details",)])
@pytest.mark.parametrize("lacking", [0, 1])
def test_constants_are_no_columns_even_where_a_few_records_lack_them(wordings: tuple[str, ...], lacking: int) -> None:
    bodies = [
        f"{body}<a href='/buy/{n}'>{wordings[n % len(wordings)]}</a>" if n >= lacking else body
        for n, body in enumerate(bodies_of(TITLE))
    ]
    found = table_of(bodies)
    assert [column.name for column in found.columns] == ["title"]
    assert found.records[-1].items[-1].text == wordings[7 % len(wordings)]


def test_a_badge_of_some_records_is_a_column() -> None:
    bodies = [body + "<i class=badge>Sold out</i>" * (n % 2) for n, body in enumerate(bodies_of(TITLE))]
    assert columns_of(bodies) == [("title", "link"), ("badge", "text")]


def test_singular_and_plural_behind_numbers_are_no_column() -> None:
    bodies = [f"{body}<b>{n + 1}</b><i>{'vote' if n == 0 else 'votes'}</i>" for n, body in enumerate(bodies_of(TITLE))]
    assert columns_of(bodies) == [("title", "link"), ("votes", "count")]


def test_repeated_fields_are_one_list() -> None:
    bodies = [
        body + "".join(f"<span class=base>{colour}</span>" for colour in COLOURS[: n % 4 + 2])
        for n, body in enumerate(bodies_of(TITLE))
    ]
    found = table_of(bodies)
    assert [column.listed for column in found.columns] == [False, True]
    assert found.to_rows(typed=True)[2]["details"] == ["red", "green", "blue", "grey"]


def test_dates_among_repeated_fields_are_a_column_of_their_own() -> None:
    bodies = [
        f"{body}<div><span>by {COLOURS[n]}</span>{f'<span>{n} May 2024</span>' if n % 3 else ''}</div>"
        for n, body in enumerate(bodies_of(TITLE))
    ]
    assert columns_of(bodies) == [("title", "link"), ("details", "text"), ("date", "date")]


def test_namesakes_that_no_record_has_both_of_are_one_column() -> None:
    bodies = [
        f"{body}<div class={'sale' if n % 2 else 'plain'}><b class=price>£{n}.50</b></div>"
        for n, body in enumerate(bodies_of(TITLE))
    ]
    assert columns_of(bodies) == [("title", "link"), ("price", "price")]


def test_classes_that_tell_a_state_make_one_column() -> None:
    states = ("hot", "cold", "mild")
    bodies = [
        f"{body}<p class=pageviews><b class={states[n % 3]}>{n}00</b></p>" for n, body in enumerate(bodies_of(TITLE))
    ]
    assert columns_of(bodies) == [("title", "link"), ("pageviews", "count")]


def test_odd_properties_share_a_list() -> None:
    bodies = [
        f"{body}<p>Colour: {COLOURS[n]}</p><p>{COLOURS[n]}ness: {n}</p>" for n, body in enumerate(bodies_of(TITLE))
    ]
    found = table_of(bodies)
    assert [column.name for column in found.columns] == ["title", "Colour", "details"]
    assert found.to_rows(typed=True)[1]["details"] == ["greenness: 1"]


def test_what_one_record_has_without_a_name_is_an_item_and_no_column() -> None:
    bodies = [body + "<q>new words</q>" * (n == 3) for n, body in enumerate(bodies_of(TITLE))]
    found = table_of(bodies)
    assert [column.name for column in found.columns] == ["title"]
    assert [item.text for item in found.records[3].items] == ["The grey chair", "new words"]


def test_headings_and_tables_among_paragraphs_are_part_of_the_text() -> None:
    extra = ("", "<h2>Edit</h2><p>More.</p>", "<table><tr><td>1</td><td>2</td></tr></table>", "<p>a</p><p>b</p>")
    bodies = [
        f"{body}<div class=post-body><p>Words {n}.</p>{extra[n % 4]}</div>" for n, body in enumerate(bodies_of(TITLE))
    ]
    assert columns_of(bodies) == [("title", "link"), ("body", "text")]


def test_a_price_in_pieces_is_one_value_with_words_behind_it() -> None:
    bodies = bodies_of(TITLE + "<p>$<b>{n}</b><sup>.99</sup> <a href=/o/{n}>({n} offers)</a></p>")
    assert table_of(bodies).to_rows(typed=True)[0]["price"] == {"amount": 1.99, "currency": "USD"}


def test_what_is_counted_stays_with_its_number() -> None:
    assert table_of(bodies_of("<p><b>{n}</b> comments</p>")).to_rows()[0] == {"comments": "1 comments"}


def test_columns_stand_in_the_order_of_the_page() -> None:
    parts = ("<i class=author>Ann {n}</i>", "<i class=city>{colour}</i>", "<i class=year>200{n}</i>")
    orders = ((0, 2), (0, 1), (0, 1, 2), (0, 2), (1, 2), (0, 1, 2))
    bodies = [
        "".join(parts[k] for k in order).replace("{n}", str(n)).replace("{colour}", COLOURS[n])
        for n, order in enumerate(orders)
    ]
    assert [name for name, _ in columns_of(bodies)] == ["author", "city", "year"]


def test_names_do_not_depend_on_the_records_that_come_first() -> None:
    bodies = [f"<b class='{'promo-name' if n == 2 else 'name'}'>Chair {n}</b>" for n in range(8)]
    assert {tuple(columns_of(bodies[k:] + bodies[:k])) for k in range(8)} == {(("title", "text"),)}


@pytest.mark.parametrize(
    ("bodies", "ratings"),
    [
        (
            [f"<i aria-label='Rated {n}.5 out of 5'></i>" for n in range(4)],
            ["0.5 out of 5", "1.5 out of 5", "2.5 out of 5"],
        ),
        ([f"<i class='star-{n + 1}'></i>" for n in range(4)], ["1", "2", "3"]),
        ([f"<i class='icon-star star-{n + 1}-5'></i>" for n in range(4)], ["1.5", "2.5", "3.5"]),
        ([f"<p class='star-rating {word}'></p>" for word in ("One", "Five", "Two")], ["1", "5", "2"]),
        ([f"<i class=stars><b style='width: {n}5%'></b></i>" for n in range(1, 5)], ["15%", "25%", "35%"]),
        ([f"<i data-rating='4.{n}'></i>" for n in range(4)], ["4.0", "4.1", "4.2"]),
        # five stars to click on, the same for all, a bar that is none, too few
        (["".join(f"<i class=star-{k}></i>" for k in range(1, 6))] * 4, []),
        (["<i class=star-4></i>"] * 4, []),
        ([f"<i style='width: {n}5%'></i>" for n in range(1, 5)], []),
        ([f"<i class='star-{n + 1}'></i>" for n in range(2)], []),
    ],
)
def test_ratings_in_attributes(bodies: list[str], ratings: list[str]) -> None:
    page = parse(f"<ul>{''.join(f'<li>{body}</li>' for body in bodies)}</ul>")
    found = find_ratings(page, tuple((row,) for row in page.rows("li").tolist()))
    assert [words for _, (_, words) in found][:3] == ratings


def test_numbers_that_a_bar_of_stars_repeats_are_ratings() -> None:
    bodies = [
        f"{body}<b>{n}.5</b><i class=stars><u style='width:{n}5%'></u></i>" for n, body in enumerate(bodies_of(TITLE))
    ]
    assert columns_of(bodies) == [("title", "link"), ("rating", "rating")]


@pytest.mark.parametrize(
    ("texts", "name", "unit", "type"),
    [
        (["(5 reviews)", "(No reviews)", "(No reviews)"], "reviews", "", "count"),
        (["5", "some", "none"], "reviews", "", "text"),
        (["5", "7"], "", "views", "count"),
        (["5", "7"], "", "Report", "number"),
        (["4.5", "3.0"], "rating", "", "rating"),
        (["400", "310"], "rating", "", "number"),
        (["10-12", "12-14"], "Size", "", "text"),
        (["04/08", "09/13", "XL", "1/2", "2/3"], "Size", "", "text"),
        (["10-12", "12-14"], "", "", "text"),
        (["04/08", "09/13"], "", "", "date"),
        (["10-12", "11-30"], "last post", "", "date"),
        (["02-10", "06-16"], "", "", "date"),
        (["02-10 10:15", "06-16 20:00"], "Size", "", "date"),
    ],
)
def test_types_by_name(texts: list[str], name: str, unit: str, type: str) -> None:
    assert column_type(texts, words_of(name), unit) == type


@pytest.mark.parametrize("text", ["Was $5", "Reg. CAD 67.50", "$14 an hour", "+ £3.99 postage", "Free", "(£9.45/Unit)"])
def test_prices_with_words(text: str) -> None:
    assert is_priced(text)


@pytest.mark.parametrize("text", ["$5 was what it cost in 1990", "Freedom", "5", "About $", "KR161"])
def test_no_prices(text: str) -> None:
    assert not is_priced(text)


def test_a_column_that_only_says_free_is_text() -> None:
    assert type_of(["Free", "Free", "Free"]) == "text"


@pytest.mark.parametrize(
    ("texts", "counted"),
    [
        (["1 reply", "12 replies"], "replies"),
        (["5 views", "7 likes"], ""),
        (["5", "7"], ""),
        (["(3 offers)"], "offers"),
    ],
)
def test_what_is_counted(texts: list[str], counted: str) -> None:
    assert counted_in(texts) == counted


def test_a_table_is_the_same_from_page_to_page() -> None:
    """Pages of one site with other records, in other numbers, have the same columns."""
    body = (
        "<a class=title href=/{n}>Chair no. {n} in {colour}</a><span class='price'>£{n}.50</span>"
        "<span class=maker>Ann {colour}</span><span class=stock>{n} left</span>"
    )
    bodies = bodies_of(body)
    tables = {tuple(columns_of(bodies[first:last])) for first, last in ((0, 8), (2, 6), (5, 8))}
    assert tables == {(("title", "link"), ("price", "price"), ("maker", "text"), ("stock", "count"))}


def test_a_label_of_one_record_names_no_column() -> None:
    odd = "<div><div><h3 class=lead>Einstein: his life</h3><p>Words.</p></div><div>Note: it is new</div></div>"
    bodies = [odd, *bodies_of("<section><h3 class=lead>No. {n}</h3><p>Words {n}.</p></section>", 7)]
    assert "Einstein" not in [name for name, _ in columns_of(bodies)]


def rows_of(bodies: list[str]) -> list[dict[str, object]]:
    return table_of(bodies).to_rows()


@pytest.mark.parametrize(
    "pair",
    [
        "<div>Size:</div><div>{n}4K</div>",
        "<div>Size</div><div>{n}4K</div>",
        '<div class="p"><span class="k">Size</span><span class="v">{n}4K</span></div>',
        '<div class="p"><div class="k">Size:</div><div class="v">{n}4K</div></div>',
    ],
)
def test_a_label_before_the_value_is_the_name_and_no_column(pair: str) -> None:
    colour = pair.replace("Size", "Colour").replace("{n}4K", "{colour}")
    assert columns_of(bodies_of(TITLE + pair + colour)) == [
        ("title", "link"),
        ("Size", "number"),
        ("Colour", "text"),
    ]


def test_labels_and_values_side_by_side_may_be_missing() -> None:
    bodies = bodies_of(TITLE + "<div>Depth:</div><div>{n} m</div>")
    bodies[2:5] = [body + "<div>Size:</div><div>4K</div>" for body in bodies[2:5]]
    rows = rows_of(bodies)
    assert [row["Size"] for row in rows] == [None, None, *["4K"] * 3, None, None, None]
    assert rows[4]["Depth"] == "5 m"


def test_units_are_no_labels_of_what_comes_next() -> None:
    body = "<div><b>{n}7</b><i>views</i></div><div><b>{n}3</b><i>likes</i></div>"
    assert columns_of(bodies_of(TITLE + body))[1:] == [("views", "count"), ("likes", "count")]


def test_a_count_is_read_with_its_unit_and_valued_without() -> None:
    item = table_of(bodies_of(TITLE + "<div><span>{n}7</span> <i>views</i></div>")).records[0].items[1]
    assert (item.text, item.value, item.unit) == ("17 views", "17", "views")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("97% Size: {n}K Depth: {n}2", ["Size", "Depth"]),
        ("The {colour} one - Rated: T - Words: {n}00 - Published: May {n}, 2012", ["Words", "Published"]),
    ],
)
def test_pairs_in_one_text_are_columns(text: str, names: list[str]) -> None:
    found = table_of(bodies_of(TITLE + f"<p>{text}</p>"))
    assert [column.name for column in found.columns if column.name in names] == names
    assert found.records[0].items[-1].text == text.replace("{n}", "1").replace("{colour}", "red")  # as it is read


@pytest.mark.parametrize(
    "text",
    [
        "Note: this is the {colour} chair, which nobody has ever sat on. Warning: it may be the last {n} there are",
        "He said: {colour}",
        "All of {colour} wood",
    ],
)
def test_prose_is_not_made_of_pairs(text: str) -> None:
    assert len(columns_of(bodies_of(TITLE + f"<p>{text}</p>"))) == 2


def test_pairs_that_few_records_have_are_a_text() -> None:
    bodies = bodies_of(TITLE + "<p>All of {colour} wood</p>")
    bodies[:2] = [body.replace("</p>", " Size: 4K Depth: 2</p>") for body in bodies[:2]]
    assert len(columns_of(bodies)) == 2


def test_what_says_the_same_is_no_title() -> None:
    """In six of eight records: in all of them it would be no column."""
    bodies = bodies_of('<a href="/{n}">The {colour} chair of the house</a>')
    bodies[:6] = ['<span class="title">Watch now</span>' + body for body in bodies[:6]]
    rows = rows_of(bodies)
    assert rows[0]["title"] == "The red chair of the house"


def test_a_date_is_no_title() -> None:
    bodies = bodies_of(
        '<h3 class="title"><a href="/{n}">{n} May 2024, 10:15</a></h3><p>The {colour} chair has a loose leg.</p>'
    )
    assert ("date", "date") in columns_of(bodies)


@pytest.mark.parametrize("every", [2, 7])
def test_words_in_the_place_of_a_price_go_with_the_price(every: int) -> None:
    bodies = bodies_of(TITLE + '<div class="price">${n}.50</div>')
    bodies = [
        body.replace('<div class="price">', '<div class="price">from</div><div class="price">')
        if not n % every
        else body
        for n, body in enumerate(bodies)
    ]
    found = table_of(bodies)
    assert [column.type for column in found.columns] == ["link", "price"]
    assert [row["price"] for row in found.to_rows()] == [f"${n}.50" for n in range(1, 9)]
    assert found.records[0].items[-1].text == "from $1.50"


def test_words_between_elements_are_the_label_of_the_next() -> None:
    body = '<div class="started">asked <span>Oct {n} 2012</span> by <a href="/u/{n}">Ann{n}</a></div>'
    items = table_of(bodies_of(TITLE + body)).records[0].items
    assert [item.text for item in items] == ["The red chair", "asked Oct 1 2012", "by Ann1"]


@pytest.mark.parametrize("note", ["<span>already viewed</span>", '<i class="x"></i><span class="flag">New</span>'])
@pytest.mark.parametrize("behind", [True, False])
def test_a_note_beside_a_text_is_no_part_of_it(note: str, behind: bool) -> None:
    title = "The {colour} chair {n}"
    bodies = bodies_of(f'<h3><a href="/{{n}}">{title + note if behind else note + title}</a></h3><p>No. {{n}}</p>')
    assert [row["title"] for row in rows_of(bodies)][:2] == ["The red chair 1", "The green chair 2"]


def test_a_marked_word_is_part_of_its_text() -> None:
    bodies = bodies_of('<h3><a href="/{n}"><b>Chair</b> of {colour} wood, number {n}</a></h3>')
    assert rows_of(bodies)[0]["title"] == "Chair of red wood, number 1"


def test_rows_with_different_labels_are_different_columns() -> None:
    row = '<tr><td><span class="k">{}:</span></td><td>the {} wood of {}</td></tr>'
    bodies = []
    for n, colour in enumerate(COLOURS):
        rows = row.format("Name", colour, n) + row.format("Seat" if n % 2 else "Back", n, colour)
        bodies.append(f"<h3>Chair {n}</h3><table>{rows}</table>")
    assert [name for name, _ in columns_of(bodies)] == ["title", "Name", "Back", "Seat"]


def test_a_text_where_others_are_links_is_in_their_column() -> None:
    bodies = bodies_of(TITLE + '<div>by <a class="author" href="/u/{n}">Ann {n}</a></div>')
    bodies[3] = TITLE.format(n=4, colour="grey") + '<div>by <b class="author">Ann 4</b></div>'
    assert [row["author"] for row in rows_of(bodies)][2:5] == ["Ann 3", "Ann 4", "Ann 5"]
