"""Schemas: the columns of a list that stay the same from page to page; saved, edited, applied, merged, learnt."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.records.results import Mark, Place
from pagesieve.records.schema import ALIKE, TYPES, Schema, SchemaColumn, apply, likeness, merge, path_likeness

URL = "https://shop.example.org/chairs?page=1"
LOREM = "a chair for the kitchen, the garden and everywhere else that people like to sit down for a while"


def card(number: int, *, badge: str = "", stock: str = "", tags: int = 0, wrap: str = "h3") -> str:
    linked = "".join(f'<a class="tag" href="/tag/{k}">wood {k}</a> ' for k in range(tags))
    return (
        f'<li class="card card-{number}">{f"<em class=badge>{badge}</em>" if badge else ""}'
        f'<{wrap} class="name"><a href="/chair/{number}">Chair number {number} of the house</a></{wrap}>'
        f'<p class="about">Number {number}: {LOREM}.</p><span class="price">£{number}.50</span>'
        f"{f'<div class=stock>{stock}</div>' if stock else ''}"
        f"{f'<div class=tags>{linked}</div>' if tags else ''}<button>Buy now</button></li>"
    )


def shop(*cards: str, before: str = "") -> str:
    return f"<title>Chairs</title><nav><a href=/>Home</a></nav>{before}<ul id=chairs>{''.join(cards)}</ul><p>About</p>"


def found(html: str, **options: Any) -> pagesieve.Records:
    return pagesieve.records(html, URL, mode="static", **options)


PLAIN = shop(*(card(n, stock=f"{n} left") for n in range(1, 7)))
# The same shop: a badge in front of some, the stock is the same for all, the chairs are others.
OTHER = shop(*(card(n, badge="New" if n % 2 else "", stock="5 left") for n in range(11, 19)))


def forum(first: int, *, signature: bool) -> str:
    posts = "".join(
        f'<div class="post" id="p{n}"><b class="author">Ann{n}</b><time>{n} May 2024</time>'
        f'<div class="body"><p>Post {n} says {LOREM}.</p></div>'
        f"{f'<div class=sig>Signature of {n}</div>' if signature else ''}</div>"
        for n in range(first, first + 6)
    )
    return f"<title>Thread</title><div id=thread>{posts}</div>"


def test_the_schema_of_a_page() -> None:
    schema = found(PLAIN).schema
    assert [(column.name, column.type, column.link) for column in schema.columns] == [
        ("title", "link", "title_link"),
        ("summary", "text", None),
        ("price", "price", None),
        ("stock", "count", None),
    ]
    assert (schema.region, schema.record, schema.key, schema.pages) == ("ul#chairs", "li.card", "title_link", 1)
    assert schema.columns[0].mark.place == Place(("h3.name", "a"))
    assert schema.header == found(PLAIN).header


@pytest.mark.parametrize("html", [PLAIN, OTHER, forum(1, signature=True), forum(3, signature=False)])
def test_the_own_schema_of_a_page_gives_its_own_table(html: str) -> None:
    own = found(html)
    again = found(html, schema=own.schema)
    assert again.columns == own.columns
    assert again.header == own.header
    assert again.to_rows() == own.to_rows()
    assert again.to_rows(typed=True) == own.to_rows(typed=True)
    assert [record.items for record in again.records] == [record.items for record in own.records]
    assert (again.drift, again.schema) == ((), own.schema)


def test_another_page_has_the_columns_of_the_schema() -> None:
    other = found(OTHER, schema=found(PLAIN).schema)
    assert [column.name for column in other.columns] == ["title", "summary", "price", "stock"]
    assert other.to_rows()[0] == {
        "title": "Chair number 11 of the house",
        "title_link": "https://shop.example.org/chair/11",
        "summary": f"Number 11: {LOREM}.",
        "price": "£11.50",
        "stock": "5 left",  # although it is the same for all
    }
    assert other.drift == ("fields not in the schema: badge",)


def test_what_is_missing_is_null_and_told() -> None:
    other = found(shop(*(card(n) for n in range(20, 26))), schema=found(PLAIN).schema)
    assert {row["stock"] for row in other.to_rows()} == {None}
    assert other.drift == ("columns not found: stock",)
    assert other.as_dict()["drift"] == ["columns not found: stock"]


def test_a_redesigned_record_keeps_its_columns() -> None:
    """Another element around the name, and a wrapper around everything: by structure and values, not by position."""
    html = shop(*(card(n, wrap="h2", stock=f"{n} left") for n in range(1, 7)))
    html = html.replace('<p class="about">', '<div class="info"><p class="about">').replace(
        "<button>", "</div><button>"
    )
    other = found(html, schema=found(PLAIN).schema)
    assert other.drift == ()
    assert other.to_rows()[2] == found(PLAIN).to_rows()[2]


def test_the_list_of_the_schema_is_found_among_others() -> None:
    offers = "".join(
        f'<div class=offer><h4><a href="/o/{n}">Offer {n}: {LOREM}</a></h4><p>{LOREM} {n}, {LOREM}.</p></div>' * 2
        for n in range(12)
    )
    html = shop(*(card(n, stock=f"{n} left") for n in range(1, 7)), before=f"<div id=offers>{offers}</div>")
    assert found(html).region.get("id") == "offers"
    other = found(html, schema=found(PLAIN).schema)
    assert other.region.get("id") == "chairs"
    assert len(other) == 6
    assert [region.applied is None for region in other.regions] == [region is not other for region in other.regions]


def test_nothing_fits() -> None:
    with pytest.raises(pagesieve.NothingFound, match="the schema fits no list of this page"):
        found(forum(1, signature=False), schema=found(PLAIN).schema)


def test_a_repeated_field_stays_a_list() -> None:
    schema = found(shop(*(card(n, tags=1 + n % 4) for n in range(1, 9)))).schema
    (tags,) = (column for column in schema.columns if column.listed)
    other = found(shop(*(card(n, tags=1) for n in range(1, 9))), schema=schema)
    assert other.to_rows(typed=True)[0][tags.name] == ["wood 0"]
    edited = json.loads(schema.to_json())
    for column in edited["columns"]:
        column["listed"] = False
    first = found(shop(*(card(n, tags=3) for n in range(1, 9))), schema=Schema.from_json(json.dumps(edited)))
    assert first.to_rows(typed=True)[0][tags.name] == "wood 0"


# Files


def edited(schema: Schema, **columns: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(schema.to_json())
    for column in value["columns"]:
        column |= columns.get(column["name"], {})
    return value


def test_save_and_load(tmp_path: Path) -> None:
    schema = found(PLAIN).schema
    schema.save(tmp_path / "shop.json")
    assert Schema.load(tmp_path / "shop.json") == schema
    assert found(OTHER, schema=tmp_path / "shop.json").to_rows() == found(OTHER, schema=schema).to_rows()
    lines = (tmp_path / "shop.json").read_text().splitlines()
    assert sum('"name": "price", "type": "price"' in line for line in lines) == 1


def test_a_schema_edited_by_hand() -> None:
    value = edited(
        found(PLAIN).schema, title={"name": "chair", "link": None}, price={"type": "text"}, summary={"keep": False}
    )
    value["columns"].reverse()
    value["key"] = "chair"
    other = found(OTHER, schema=Schema.from_json(json.dumps(value)))
    assert other.header == ["stock", "price", "chair"]
    assert other.to_rows(typed=True)[0] == {"stock": 5, "price": "£11.50", "chair": "Chair number 11 of the house"}
    assert other.drift == ("fields not in the schema: badge",)


def test_a_column_may_be_deleted() -> None:
    value = edited(found(PLAIN).schema)
    value["columns"] = [column for column in value["columns"] if column["name"] in ("price", "stock")]
    value["key"] = None
    other = found(PLAIN, schema=Schema.from_json(json.dumps(value)))
    assert other.header == ["price", "stock"]
    assert other.drift == ("fields not in the schema: title, summary",)


GOOD = found(PLAIN).schema


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a schema: not JSON"),
        ("[1]", "it has no 'pagesieve_schema'"),
        ('{"pagesieve_schema": 2}', "a schema of version 2, and this is for version 1"),
        ('{"pagesieve_schema": 1}', "without columns"),
        ('{"pagesieve_schema": 1, "columns": [3]}', "a column without a name"),
        (json.dumps(edited(GOOD, price={"type": "money"})), "column 'price' has an unknown type 'money'"),
        (json.dumps(edited(GOOD, price={"name": "Stock"})), "two columns of one name: stock"),
        (json.dumps(edited(GOOD, price={"link": "stock"})), "two columns of one name: stock"),
        (json.dumps(edited(GOOD, price={"listed": "no"})), "column 'price' has a bad listed: 'no'"),
        (json.dumps(edited(GOOD, price={"pages": True})), "column 'price' has a bad pages: True"),
        (json.dumps(edited(GOOD, price={"colour": 1})), "column 'price' has an unknown entry 'colour'"),
        (json.dumps(edited(GOOD, price={"field": {}})), "the field of column 'price' has no path"),
        (json.dumps(edited(GOOD, price={"field": {"path": [1]}})), "the field of column 'price' has no path"),
        (json.dumps(edited(GOOD) | {"key": "other"}), "the key 'other' is no column"),
        (json.dumps(edited(GOOD) | {"region": 3}), "the schema has a bad region: 3"),
        ("[" * 100_000, "not a schema: not JSON"),
    ],
)
def test_bad_schemas_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(pagesieve.BadInput) as error:
        found(PLAIN, schema=file)
    assert str(error.value).startswith(f"{file}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(pagesieve.BadInput, match="No such file"):
        Schema.load(tmp_path / "missing.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(pagesieve.BadInput, match="not text in UTF-8"):
        Schema.load(tmp_path / "bytes.json")
    with pytest.raises(pagesieve.BadInput, match="cannot be written"):
        GOOD.save(tmp_path / "missing" / "shop.json")
    with pytest.raises(pagesieve.BadInput, match="a Schema or the name of its file"):
        found(PLAIN, schema=3)


texts = st.text(st.characters(codec="utf-8"), max_size=8)
marks = st.builds(
    Mark,
    st.builds(Place, st.lists(texts, max_size=3).map(tuple), st.integers(1, 9)),
    texts,
    st.sampled_from(TYPES),
    texts,
    texts,
    st.integers(0, 999),
)
columns = st.builds(
    SchemaColumn, st.just(""), st.sampled_from(TYPES), marks, st.booleans(), st.none(), st.just(True), st.integers(1, 9)
)


@given(st.lists(columns, min_size=1, max_size=6), texts, texts, st.integers(1, 99))
def test_every_schema_is_read_as_it_was_written(
    drawn: list[SchemaColumn], region: str, record: str, pages: int
) -> None:

    named = tuple(replace(column, name=f"c{number}") for number, column in enumerate(drawn))
    schema = Schema(named, region, record, "c0", pages)
    assert Schema.from_json(schema.to_json()) == schema


@given(marks, marks)
def test_likeness_is_symmetric_and_greatest_with_itself(one: Mark, other: Mark) -> None:
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, other) <= likeness(one, one)
    assert likeness(one, one) >= ALIKE


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("h3.name a", "h3.name a", 1.0),
        ("h3.name a", "h2.name a", 0.75),
        ("h3.name a", "div h3.name a", 0.8),
        ("td[1]", "td[2]", 0.5),
        ("p", "div", 0.0),
        ("li.a.b", "li.a.c", 2 / 3),
    ],
)
def test_the_likeness_of_paths(one: str, other: str, expected: float) -> None:
    assert path_likeness(tuple(one.split()), tuple(other.split())) == pytest.approx(expected)


# Several pages


def test_merged_schemas_have_the_fields_of_all_pages() -> None:
    both = merge([found(PLAIN).schema, found(OTHER).schema])
    assert both.pages == 2
    assert [(column.name, column.pages) for column in both.columns] == [
        ("title", 2),
        ("badge", 1),
        ("summary", 2),
        ("price", 2),
        ("stock", 1),
    ]
    assert both.key == "title_link"
    for html in (PLAIN, OTHER):
        assert found(html, schema=both).header == both.header


def test_a_field_of_few_pages_is_no_column() -> None:
    schemas = [found(shop(*(card(n, stock=f"{n} left") for n in range(k, k + 6)))).schema for k in range(4)]
    many = merge([*schemas, found(OTHER).schema])
    assert "badge" in {column.name for column in many.columns}
    assert "badge" not in many.common().header
    assert merge([*schemas[:2], found(OTHER).schema]).common().header.count("badge") == 1  # too few pages to tell


def test_other_lists_are_not_the_same() -> None:
    chairs, thread = found(PLAIN).schema, found(forum(1, signature=True)).schema
    assert chairs.shows_list_of(found(OTHER).schema)
    assert not chairs.shows_list_of(thread)
    assert thread.shows_list_of(found(forum(3, signature=False)).schema)
    with pytest.raises(pagesieve.BadInput, match="there are none"):
        merge([])


def test_names_stay_distinct() -> None:
    one = found(PLAIN).schema
    other = Schema.from_json(
        json.dumps(edited(one, price={"field": {"path": ["dl", "dd.x"], "label": "Weight", "type": "number"}}))
    )
    both = one.merged(other)
    assert len({name.casefold() for name in both.header}) == len(both.header)
    assert "price_2" in both.header


# Site libraries


@pytest.fixture
def library(tmp_path: Path) -> Any:
    pytest.importorskip("sqlalchemy")
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        yield sites


def page_of_shop(k: int) -> tuple[str, str]:
    return f"https://shop.example.org/chairs?page={k}", shop(
        *(card(n, badge="New" if k % 2 and n % 2 else "", stock=f"{n} left") for n in range(10 * k, 10 * k + 6))
    )


def test_a_library_learns_the_columns_of_a_list(library: Any) -> None:
    pages = [page_of_shop(k) for k in range(6)]
    assert library.learn(pages[:4]) == 4
    (schema,) = library.lists("shop.example.org")
    assert (schema.pages, schema.record) == (4, "li.card")
    headers = {tuple(found(html, sites=library).header) for _, html in pages}
    assert headers == {("title", "title_link", "badge", "summary", "price", "stock")}
    assert library.learn(pages[:4]) == 0
    assert library.lists("shop.example.org") == (schema,)


def test_a_library_keeps_several_lists_of_a_site(library: Any) -> None:
    threads = [(f"https://shop.example.org/t/{n}", forum(n, signature=bool(n % 2))) for n in range(1, 4)]
    library.learn([*map(page_of_shop, range(3)), *threads])
    assert {schema.record: schema.pages for schema in library.lists("shop.example.org")} == {
        "li.card": 3,
        "div.post": 3,
    }
    assert found(forum(9, signature=False), sites=library).header[:3] == ["author", "date", "body"]
    assert found(PLAIN, sites=library).header[2] == "badge"
    library.forget("shop.example.org")
    assert library.lists("shop.example.org") == ()


def test_a_page_that_fits_no_list_keeps_its_own_columns(library: Any) -> None:
    library.learn(map(page_of_shop, range(3)))
    own = found(forum(1, signature=True), sites=library)
    assert own.applied is None
    assert own.header == found(forum(1, signature=True)).header


def test_a_library_without_lists(library: Any) -> None:
    library.learn(map(page_of_shop, range(3)), lists=False)
    assert library.lists("shop.example.org") == ()


def test_what_contradicts_itself_is_refused(library: Any, tmp_path: Path) -> None:
    with pytest.raises(pagesieve.BadInput, match="give schema or sites, not both"):
        found(PLAIN, schema=GOOD, sites=library)
    with pytest.raises(pagesieve.BadInput, match="open_sites"):
        found(PLAIN, sites=str(tmp_path / "sites.db"))
    with pytest.raises(pagesieve.BadInput, match="give the url of the page"):
        pagesieve.records(PLAIN, mode="static", sites=library)


def test_a_damaged_list_is_told(library: Any) -> None:
    from pagesieve.sites import database

    library.learn(map(page_of_shop, range(3)))
    with database.writing(library._engine, library.name) as connection:
        connection.execute(database.lists.update().values(schema='{"pagesieve_schema": 9}'))
    library._drop_caches()
    with pytest.raises(pagesieve.BadLibrary, match="a damaged list in the library: a schema of version 9"):
        library.lists("shop.example.org")


def test_applying_to_a_result() -> None:
    assert apply(found(OTHER), [GOOD]).header == GOOD.header


def test_what_a_schema_has_no_column_for_stays_among_the_items() -> None:
    fitted = found(OTHER, schema=found(PLAIN).schema)
    assert "badge" not in fitted.header
    assert "New" in [item.text for item in fitted.records[0].items]


def test_odd_properties_are_the_same_column_on_other_pages() -> None:
    """The list that they share is not recognised by the label of the first of them."""

    def page(first: int) -> str:
        labels = "Fuel Seat Back Wood Legs Year Maker Shade".split()
        odd = (f"<li>{labels[(n + first) % 8]}: {n}</li>" for n in range(8))
        return shop(
            *(card(n).replace("<button>", f"<ul>{each}<li>Size: {n}</li></ul><button>") for n, each in enumerate(odd))
        )

    fitted = found(page(3), schema=found(page(0)).schema)
    assert fitted.drift == ()
