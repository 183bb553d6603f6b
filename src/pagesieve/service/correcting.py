"""The right answer for a page, from the answer that there was and a reader's corrections of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from pagesieve import api
from pagesieve.article import ArticleOptions
from pagesieve.errors import BadInput
from pagesieve.page.static import PageSource
from pagesieve.records.find import RecordOptions, find_records
from pagesieve.records.results import Record
from pagesieve.report.build import record_units
from pagesieve.sites.library import Sites
from pagesieve.text.urls import site_key

Answer = dict[str, Any]


def corrected(source: PageSource, options: dict[str, Any], sites: Sites | None) -> Answer:
    """Return the answer for a page as a set of labelled pages has it, but for its id.

    The units that `belongs` and `belongs_not` name are those of its report. Raises BadInput where there are no such
    units, or where nothing is left.
    """
    belongs, belongs_not = frozenset(options["belongs"]), frozenset(options["belongs_not"])
    if both := belongs & belongs_not:
        raise BadInput(f"unit {min(both)} cannot both belong and not belong")
    about = {"url": source.url, "site": site_key(source.url) or None if source.url else None}
    if options["kind"] == "records":
        return about | _records(source, belongs, belongs_not)
    library = sites if options["sites"] else None
    return about | _article(source, ArticleOptions(method=options["method"]), library, belongs, belongs_not)


def _article(
    source: PageSource, options: ArticleOptions, sites: Sites | None, belongs: Collection[int], others: Collection[int]
) -> Answer:
    found = api.find_article(source, options, sites=sites)
    blocks, rows = found.selection.blocks, found.selection.rows.copy()
    _check({*belongs, *others}, range(len(blocks)))
    for units, value in ((belongs, True), (others, False)):
        for unit in units:
            rows[blocks.rows_of(unit)] = value
    text = replace(found, selection=replace(found.selection, rows=rows, parts=(), posts=())).text
    if not text.strip():
        raise BadInput("no unit of the page belongs: there is nothing to learn from it")
    return {"lang": found.language, "title": found.title, "text": text}


def _records(source: PageSource, belongs: Collection[int], others: Collection[int]) -> Answer:
    """Return the records that there were or that belong, in the order of the page."""
    found = find_records(source.page, source.url, RecordOptions("static"))
    units = [unit for unit in record_units(found) if unit.fate != "item"]
    _check({*belongs, *others}, [unit.id for unit in units])
    wanted = [unit for unit in units if (unit.kept or unit.id in belongs) and unit.id not in others]
    if not wanted:
        raise BadInput("no record of the page belongs: there is nothing to learn from it")
    records = [
        _record(found.records[int(unit.numbers["record"]) - 1])
        if unit.fate == "record"
        else {"text": " ".join(found.page.text(unit.rows[0]).split())}
        for unit in wanted
    ]
    return {"records": records}


def _record(record: Record) -> Answer:
    fields: dict[str, str] = {}
    for item in record.items:
        if item.text:
            fields[item.name] = f"{fields[item.name]} {item.text}" if item.name in fields else item.text
    return {"text": " ".join(record.text.split()), "fields": fields}


def _check(given: Collection[int], known: Collection[int]) -> None:
    unknown = set(given) - set(known)
    if unknown:
        raise BadInput(f"the page has no unit {min(unknown)} that could be corrected")
