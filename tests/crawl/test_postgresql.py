"""Results of a crawl in a PostgreSQL database: stored once, however often they are written."""

from __future__ import annotations

from typing import Any

import sqlalchemy

from pagesieve.crawl.outputs import write
from tests import postgres

PAGE: dict[str, Any] = {
    "url": "https://example.org/seal",
    "kind": "article",
    "title": "海豹 in the lido",
    "date": "2024-05-15",
    "authors": ["A. Author", "B. Writer"],
    "text": "A young grey seal\0 has moved in.",
}
TABLE: dict[str, Any] = {
    "url": "https://example.org/shop",
    "kind": "records",
    "title": "Garden tools",
    "columns": [
        {"name": "name", "type": "text", "listed": False},
        {"name": "price", "type": "price", "listed": False},
        {"name": "stars", "type": "rating", "listed": False},
    ],
    "records": [
        {"name": "Spade", "price": {"amount": 12.5, "currency": "EUR"}, "stars": 4.5},
        {"name": "Rake", "price": None, "stars": None},
    ],
    "keys": ["a", "b"],
}


def test_pages_and_records_are_stored_once(postgresql: str) -> None:
    results = [("article", PAGE), ("records", TABLE)]
    with postgres.new_database(postgresql) as url:
        write(results, url, table="news")
        write([("article", PAGE | {"title": "Seal in the lido"}), results[1]], url, table="news")
        engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        with engine.connect() as connection:
            pages = connection.exec_driver_sql("SELECT url, kind, title, authors FROM news ORDER BY url").all()
            records = connection.exec_driver_sql(
                "SELECT name, price, price_currency, stars FROM news_records ORDER BY name"
            ).all()
        engine.dispose()
    assert [tuple(row) for row in pages] == [
        ("https://example.org/seal", "article", "Seal in the lido", ["A. Author", "B. Writer"]),
        ("https://example.org/shop", "records", "Garden tools", None),
    ]
    assert [tuple(row) for row in records] == [("Rake", None, None, None), ("Spade", 12.5, "EUR", 4.5)]
