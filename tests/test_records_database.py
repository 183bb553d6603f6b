"""Records in databases: tables with the types of their columns, every record once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import pagesieve
from pagesieve.records.outputs import record_keys
from tests import postgres

sqlalchemy = pytest.importorskip("sqlalchemy")

URL = "https://shop.example.org/chairs"


def page(*numbers: int, more: str = "", price: str = "£{n}.50", url: str | None = URL) -> pagesieve.Records:
    cards = "".join(
        f'<li class=card><h3><a href="/chair/{n}?utm_source=x{n % 2}">Chair number {n} of the house</a></h3>'
        f"<div class=price>{price.format(n=n)}</div><div class=views>{n}00 views</div>"
        f"<div class=date>{n} May 2024</div><div class=score>{n}.25</div><div class=tags>"
        f"{''.join(f'<a href=/tag/{k}>wood {k}</a> ' for k in range(1 + n % 3))}</div>{more.format(n=n)}</li>"
        for n in numbers
    )
    return pagesieve.records(f"<ul>{cards}</ul>", url, mode="static")


@pytest.fixture(params=["sqlite", "sqlite URL", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[str]:
    if request.param == "postgresql":
        with postgres.new_database(request.getfixturevalue("postgresql")) as url:
            yield url
    else:
        yield f"sqlite:///{tmp_path}/results.db" if request.param == "sqlite URL" else str(tmp_path / "results.db")


def engine_of(place: str) -> Any:
    name = place if "://" in place else f"sqlite:///{place}"
    return sqlalchemy.create_engine(name.replace("postgresql://", "postgresql+psycopg://"))


def rows(place: str, table: str = "records") -> list[dict[str, Any]]:
    engine = engine_of(place)
    found = sqlalchemy.Table(table, sqlalchemy.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        result = [dict(row._mapping) for row in connection.execute(sqlalchemy.select(found))]
    engine.dispose()
    return result


def run(place: str, statement: str) -> None:
    engine = engine_of(place)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


def test_values_have_the_types_of_their_columns(place: str) -> None:
    assert page(1, 2, 3, 4, 5).to_database(place) == 5
    stored = sorted(rows(place), key=lambda row: str(row["title"]))
    (tags,) = (name for name, value in stored[0].items() if isinstance(value, list))
    key = stored[1].pop("_key")
    assert len(key) == 32
    assert stored[1] == {
        "_page": URL,
        "title": "Chair number 2 of the house",
        "title_link": "https://shop.example.org/chair/2?utm_source=x0",
        "price": 2.5,
        "price_currency": "GBP",
        "views": 200,
        "date": "2024-05-02",
        "score": 2.25,
        tags: ["wood 0", "wood 1", "wood 2"],
    }


def test_prices_that_are_not_certain_have_a_column_of_texts(place: str) -> None:
    prices = ("£1.50", "£2.50", "£3.50", "£4.50", "£25,85000/package")
    cards = "".join(
        f"<li><h3><a href=/{n}>Chair number {n} of it</a></h3><p>{price}</p></li>" for n, price in enumerate(prices)
    )
    pagesieve.records(f"<ul>{cards}</ul>", URL, mode="static").to_database(place)
    stored = sorted(rows(place), key=lambda row: str(row["title"]))
    assert [row["price"] for row in stored] == [1.5, 2.5, 3.5, 4.5, None]
    assert [row["price_text"] for row in stored] == [None] * 4 + ["£25,85000/package"]
    assert stored[0]["price_currency"] == "GBP"


def test_a_record_is_stored_once(place: str) -> None:
    assert page(1, 2, 3, 4).to_database(place, "chairs") == 4
    assert page(1, 2, 3, 4).to_database(place, "chairs") == 0
    assert page(3, 4, 5, 6, price="£9.7{n}").to_database(place, "chairs") == 2
    stored = {row["title"]: row["price"] for row in rows(place, "chairs")}
    assert sorted(stored.values()) == [1.5, 2.5, 9.73, 9.74, 9.75, 9.76]  # a record that is there is updated


def test_new_columns_are_added(place: str) -> None:
    page(1, 2, 3, 4).to_database(place)
    assert page(5, 6, 7, 8, more='<p class="seller: 100%">Ann {n}</p><p class=Price>x{n}</p>').to_database(place) == 4
    names = list(rows(place)[0])
    assert names[:3] == ["_key", "_page", "title"]
    assert sum(row["seller"] is None for row in rows(place)) == 4
    assert sum(bool(row["seller"]) for row in rows(place)) == 4


def test_odd_names(place: str) -> None:
    odd = ["_key", "a:b%c", '"x"', "東京" * 20, "A", "b.c"]
    first = page(1, 2, 3, 4)
    columns = tuple(
        replace(column, name=name, link=None) for column, name in zip(first.schema.columns, odd, strict=True)
    )
    found = replace(first, applied=replace(first.schema, columns=columns, key=None))
    table = 'my "odd": 100% table'
    assert found.to_database(place, table) == 4
    assert found.to_database(place, table) == 0
    stored = rows(place, table)
    assert set(stored[0]) - {"_page", "_key"} == {
        "_key_2",
        "a:b%c",
        "a:b%c_currency",
        '"x"',
        "東京" * 9 + "東",
        "A",
        "b.c",
    }
    more = replace(page(7, 8, 9, more="<p class=seller>Ann {n}</p>"), applied=None)
    names = tuple(replace(column, name=f"{column.name}:%") for column in more.schema.columns)
    assert replace(more, applied=replace(more.schema, columns=names, key=None)).to_database(place, table) == 3
    assert "seller:%" in rows(place, table)[0]


def test_a_column_that_does_not_fit_is_told(place: str) -> None:
    page(1, 2, 3, 4).to_database(place)
    with pytest.raises(pagesieve.BadInput, match=r"the column 'price' of the table 'records' holds numbers, not 'on "):
        page(5, 6, 7, 8, price="on request {n}").to_database(place)
    assert len(rows(place)) == 4  # nothing of the page was stored


def test_texts_in_a_column_of_numbers_are_null_with_a_schema(place: str) -> None:
    first = page(1, 2, 3, 4)
    first.to_database(place)
    other = page(5, 6, 7, 8, price="on request")
    fitted = pagesieve.records(other.page, mode="static", schema=first.schema)
    assert fitted.to_database(place) == 4
    assert sum(row["price"] is None for row in rows(place)) == 4


def test_numbers_go_into_a_column_of_texts(place: str) -> None:
    page(1, 2, 3, 4, price="on request {n}").to_database(place)
    page(5, 6, 7, 8).to_database(place)
    assert {type(row["price"]) for row in rows(place)} == {str}


def test_a_table_of_something_else_is_left_alone(place: str) -> None:
    run(place, "CREATE TABLE records (id INTEGER)")
    with pytest.raises(pagesieve.BadInput, match="'records' is not one of records: its key is not '_key'"):
        page(1, 2, 3).to_database(place)
    assert rows(place) == []


def test_errors_are_one_line(tmp_path: Any) -> None:
    (tmp_path / "text.db").write_text("no database " * 99)
    for place, table, message in (
        (tmp_path / "missing" / "x.db", "t", "does not exist"),
        (tmp_path / "text.db", "t", "not a database of results"),
        (tmp_path, "t", "a folder"),
        ("mysql://me:s3cret@host/x", "t", "SQLite file or a PostgreSQL database"),
        (f"postgresql://me:s3cret@127.0.0.1:{postgres.free_port()}/x", "t", "connection"),
        (tmp_path / "x.db", " ", "not the name of a table"),
        (tmp_path / "x.db", "t" * 64, "not the name of a table"),
    ):
        with pytest.raises(pagesieve.BadInput, match=message) as error:
            page(1, 2, 3).to_database(place, table)
        assert "\n" not in str(error.value)
        assert "s3cret" not in str(error.value)


def test_a_database_without_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.delitem(sys.modules, "pagesieve.records.database", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(pagesieve.MissingExtra, match=r"a database needs .* pip install 'SQLAlchemy"):
        page(1, 2, 3).to_database(tmp_path / "x.db")


def test_keys() -> None:
    first, again = page(1, 2, 3), page(3, 2, url=f"{URL}?page=2")
    assert len({*record_keys(first)}) == 3
    assert record_keys(again) == record_keys(first)[:0:-1]  # of the link without its tracking parameter, and the site
    assert not {*record_keys(page(1, 2, 3, url="https://other.example.org/"))} & {*record_keys(first)}


def test_keys_without_links_are_of_the_values_that_last() -> None:
    def posts(views: int, ago: str) -> pagesieve.Records:
        html = "".join(
            f"<li><b class=author>Ann {n}</b><p class=body>What {n} says of it, at some length.</p>"
            f"<i class=date>{n} {ago} ago</i><div class=views>{n + views} views</div></li>"
            for n in range(2, 8)
        )
        return pagesieve.records(f"<ol>{html}</ol>", URL, mode="static")

    one, other = posts(10, "hours"), posts(70, "days")
    assert one.schema.key is None
    assert {"date", "count"} <= {column.type for column in one.columns}
    assert record_keys(one) == record_keys(other)
    assert len({*record_keys(one)}) == 6
