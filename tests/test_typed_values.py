"""Types of columns, and the values of their texts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.records.values import Setting, read_values
from pagesieve.text.dates import resolve_date
from pagesieve.text.numbers import decimal_sign, number_in, price_in
from pagesieve.text.types import type_of

FORMS = Path(__file__).with_name("values.tsv")
ON = datetime(2024, 3, 1, 12, 30, tzinfo=UTC)


def price(amount: float, currency: str) -> dict[str, Any]:
    return {"amount": amount, "currency": currency}


COLUMNS: list[tuple[list[str], str, list[Any]]] = [
    (["4.5", "3.0", "5.0"], "number", [4.5, 3.0, 5.0]),
    (["4/5", "3/5"], "rating", [4.0, 3.0]),
    (["8.5/10", "10/10"], "rating", [8.5, 10.0]),
    (["4.5 out of 5 stars", "3 out of 5 stars"], "rating", [4.5, 3.0]),
    (["2,5 von 5 Sternen"], "rating", [2.5]),
    (["★★★★☆", "★☆☆☆☆"], "rating", [4.0, 1.0]),
    (["12 replies", "1.2k replies", "3M views"], "count", [12, 1200, 3_000_000]),
    (["(27)", "(1,341)"], "count", [27, 1341]),
    (["3 条回复", "12 条回复"], "count", [3, 12]),
    (["5 Antworten", "1.204 Antworten"], "count", [5, 1204]),
    (["1.234", "2.345"], "number", [1234, 2345]),
    (["1,234.5", "17"], "number", [1234.5, 17]),
    (["1 234", "12"], "number", [1234, 12]),
    (["#1", "#2"], "number", [1, 2]),
    (["65%", "7%"], "number", [65, 7]),
    (["-3", "−4"], "number", [-3, -4]),
    (["5/12/2016", "5/13/2016"], "date", ["2016-05-12", "2016-05-13"]),
    (["12/5/2016", "13/5/2016"], "date", ["2016-05-12", "2016-05-13"]),
    (["3 hours ago", "yesterday", "2 days ago"], "date", ["2024-03-01T09:30:00+00:00", "2024-02-29", "2024-02-28"]),
    (["Jun 2 '12", "Sep 24 '98 at 10:30"], "date", ["2012-06-02", "1998-09-24T10:30:00"]),
    (["12 Jan 2016 10:30", "3 Feb 2016"], "date", ["2016-01-12T10:30:00", "2016-02-03"]),
    (
        ["CA$ 18.77", "CA$1,200.00"],
        "price",
        [{"amount": 18.77, "currency": "CAD"}, {"amount": 1200.0, "currency": "CAD"}],
    ),
    (["18,77 €", "1.200,00 €"], "price", [{"amount": 18.77, "currency": "EUR"}, {"amount": 1200.0, "currency": "EUR"}]),
    (["$10 - $20"], "price", [{"amount": 10, "currency": "USD"}]),
    (["US $1-380 / Piece", "US $36-40"], "price", [price(1, "USD"), price(36, "USD")]),
    (["$25.00 CAD", "$3"], "price", [price(25.0, "CAD"), price(3, "USD")]),
    (["19.99 €", "18.99 €", "1.299,99 €"], "price", [price(19.99, "EUR"), price(18.99, "EUR"), price(1299.99, "EUR")]),
    (
        ["$1", "$2", "$3", "$4", "$25,85000/package"],
        "price",
        [*(price(n, "USD") for n in (1, 2, 3, 4)), "$25,85000/package"],
    ),
    (["$1", "$2", "$3", "$4", "Free"], "price", [*(price(n, "USD") for n in (1, 2, 3, 4)), None]),
    (["a word", "4.5"], "text", ["a word", "4.5"]),
    (["100 km", "3 km"], "text", ["100 km", "3 km"]),
]


@pytest.mark.parametrize(("texts", "type", "values"), COLUMNS, ids=[texts[0] for texts, _, _ in COLUMNS])
def test_columns(texts: list[str], type: str, values: list[Any]) -> None:
    assert type_of(texts) == type
    assert read_values(texts, type, Setting(ON)) == values


def _forms() -> list[list[str]]:
    """The forms of values.tsv: what they are, the country of their page, the text, and its value."""
    return [line.split("\t") for line in FORMS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("kind", "place", "text", "expected"), _forms())
def test_forms_of_many_countries(kind: str, place: str, text: str, expected: str) -> None:
    (value,) = read_values([text], "price" if kind == "uncertain" else kind, Setting(ON, place))
    if kind == "uncertain":
        assert value == text, "stays text"
        return
    assert type_of([text]) == kind
    assert (f"{value['amount']} {value['currency']}" if kind == "price" else str(value)) == expected


def test_dates_stay_texts_where_nothing_tells_what_they_count_from() -> None:
    assert read_values(["3 hours ago", "yesterday"], "date", Setting()) == ["3 hours ago", "yesterday"]
    assert read_values(["3 hours ago", "2024-02-03"], "date", Setting()) == [None, "2024-02-03"]


RELATIVE = [
    ("just now", "2024-03-01"),
    ("5 min ago", "2024-03-01T12:25:00+00:00"),
    ("an hour ago", "2024-03-01T11:30:00+00:00"),
    ("vor 2 Tagen", "2024-02-28"),
    ("vor einer Woche", "2024-02-23"),
    ("il y a 3 jours", "2024-02-27"),
    ("hace 2 meses", "2024-01-01"),
    ("há 3 dias", "2024-02-27"),
    ("2 ore fa", "2024-03-01T10:30:00+00:00"),
    ("3 дня назад", "2024-02-27"),
    ("2 года назад", "2022-03-01"),
    ("3天前", "2024-02-27"),
    ("5小时前", "2024-03-01T07:30:00+00:00"),
    ("3 か月前", "2023-12-01"),
    ("2일 전", "2024-02-28"),
    ("昨天 18:05", "2024-02-29T18:05:00"),
    ("Yesterday, 6:05 PM", "2024-02-29T18:05:00"),
    ("2h", "2024-03-01T10:30:00+00:00"),
    ("5 May", "2023-05-05"),
    ("Feb 29", "2024-02-29"),
    ("March 2", "2024-03-02"),
    ("3. März", "2023-03-03"),
    ("2月28日", "2024-02-28"),
    ("12-30 10:15", "2023-12-30T10:15:00"),
    ("5/3", None),
    ("no date", None),
    ("99999 years ago", None),
]


@pytest.mark.parametrize(("text", "expected"), RELATIVE, ids=[text for text, _ in RELATIVE])
def test_dates_that_need_another_one(text: str, expected: str | None) -> None:
    assert resolve_date(text, ON) == expected


@given(st.text(max_size=40))
def test_any_text_can_be_looked_at(text: str) -> None:
    number_in(text)
    price_in(text)
    resolve_date(text, ON)
    read_values([text], type_of([text]), Setting(ON))


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_thousands_are_read_back(numbers: list[int]) -> None:
    for sign in (",", ".", " ", "'"):
        texts = [f"{number:,}".replace(",", sign) for number in numbers]
        decimal = decimal_sign(texts)
        assert [number_in(text, decimal) for text in texts] == numbers


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("$14.98 (2 Offers)", 14.98),
        ("5 $20", 20),
        ("36-40 €", 36),
        ("19,- €", 19),
        ("12,99 € 500 g", 12.99),
        ("$19.97 $19.97", 19.97),
        ("₹1,25,000.50", 125000.5),
        ("€1.234.567,89", 1234567.89),
        ("$1.5M", 1_500_000),
        ("0.025 €", 0.025),
        ("$.50", 0.5),
        ("€ 1 299", 1299),
        ("1 299 $", 1299),
        ("ca.50 €", 50),
        ("19€97", 19.97),
        ("$ 19 . 97", 19.97),
        ("$5, 10 items", 5),
        # what cannot be read for certain
        ("$25,85000", None),
        ("$ 32 72", None),
        ("19 € 97", None),
        ("$19 189 reviews", None),
        ("€ 19 189 reviews", None),
        ("999999999999999999k €", None),
        ("70 CA$ 19", None),
        ("£24.90£29.90", None),
        ("24,90 € 29,90 €", None),
        ("$3.45⁹", None),
        ("$" + "9" * 1600, None),
        ("free", None),
    ],
)
def test_sums_of_money(text: str, amount: float | None) -> None:
    found = price_in(text)
    assert (found and found.amount) == amount


def test_thousandths() -> None:
    """Prices of fuel: a point with three digits behind groups nothing where another price of the column says so."""
    assert decimal_sign(["$3.459", "$3.469", "$3.49"]) == "."
    assert price_in("$3.459", ",", "us") is None, "not certain: thousands or thousandths"
    assert price_in("$24.990", ",", "cl") == (24990, "CLP")


@pytest.mark.parametrize(
    ("text", "place", "currency"),
    [
        ("$5", "", "USD"),
        ("$5", "ca", "CAD"),
        ("5 kr", "dk", "DKK"),
        ("¥5", "jp", "JPY"),
        ("￥5", "", "CNY"),
        ("5 EUR", "us", "EUR"),
    ],
)
def test_which_currency(text: str, place: str, currency: str) -> None:
    assert price_in(text, place=place) == (5, currency)


def test_a_list_as_values() -> None:
    rows = "".join(
        f"<li class=offer><h3><a href=/p{n}>Thing number {n}</a></h3><span class=price>{n},50 €</span>"
        f"<span class=stars>{n % 5}/5</span><span class=posted>{n + 1} days ago</span></li>"
        for n in range(1, 9)
    )
    found = pagesieve.records(f"<ul>{rows}</ul>", "https://shop.example/list", "static", date=ON)
    types = {column.name: column.type for column in found.columns}
    assert types["price"] == "price"
    assert types["stars"] == "rating"
    assert types["posted"] == "date"
    row = found.to_rows(typed=True)[1]
    assert row["price"] == {"amount": 2.5, "currency": "EUR"}
    assert row["stars"] == 2.0
    assert row["posted"] == "2024-02-27"
    assert found.to_rows()[1]["price"] == "2,50 €"


def test_names_of_many_digits_are_no_numbers() -> None:
    assert number_in("7" * 1600) is None
    rows = "".join(f"<li><b>Part number {n} of it</b> <i>{'7' * 1600}{n}</i></li>" for n in range(5))
    assert "7" * 1600 + "0" in pagesieve.records(f"<ul>{rows}</ul>", mode="static").to_rows(typed=True)[0].values()
