"""The results of the tools as agents get them: structured, with the schema that tells what is in them, and as text."""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

LONGEST_CELL = 2_000  # characters of a value in a table or a list
_CUT = "…"  # the end of one that is longer

Made = dict[str, Any]  # what a page process has made of a page


class Result(BaseModel):
    """A result: what the tool says itself, then between two marks what is from the page."""

    # Serialized results have all fields, and their schema says so.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    notice: str = Field(default="", description="Whose words these are: values that it does not name are the page's.")
    begin: str = Field(default="", description="The mark before what is from the page, with a random boundary.")
    end: str = Field(default="", description="The mark after it, with the same boundary.")

    def split(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the tool says itself, and what is from the page, ready for JSON."""
        own, marks = set(Part.model_fields) - set(Result.model_fields), set(Result.model_fields)
        return self.model_dump(mode="json", include=own), self.model_dump(mode="json", exclude=own | marks)


class Part(Result):
    """A result that may be too long for one call."""

    total: int = Field(description="How much there is in all: characters of a text, entries of a list.")
    start: int = Field(description="Where this part begins.")
    next_start: int | None = Field(description="The start for the next part; null where this is the last.")


class PageText(Part):
    """A page as Markdown."""

    markdown: str = Field(description="This part of the page, with its facts as YAML front matter at the beginning.")


class PageTable(Part):
    """The records of a page."""

    columns: list[dict[str, Any]] = Field(description="Name and type of each column.")
    rows: list[dict[str, Any]] = Field(description="The records of this part: values by the names of the columns.")
    next_url: str | None = Field(description="The page on which the list goes on.")


class PageLinks(Part):
    """The articles that a page links to."""

    links: list[dict[str, Any]] = Field(description="title, url, date, summary; main: in the page's own list.")
    next_url: str | None = Field(description="The page on which the list goes on.")


class PageReasons(Part):
    """What became of each block of a page."""

    title: str | None
    method: str = Field(description="The method that found the article.")
    notes: list[str] = Field(description="What the method says of the page as a whole.")
    blocks: list[dict[str, Any]] = Field(description="kept; fate, what became of it; reason; how its text begins.")


class PageHeadline(Result):
    """The headline of a page."""

    headline: str = Field(description="Empty where the page has none.")


class Shown(NamedTuple):
    """A result, and the text of the page in it for those who read no structured results."""

    result: Result
    text: str


def page_text(made: Made, start: int, length: int) -> Shown:
    """Return a part of the Markdown of a page. It ends with a line where one ends in its second half."""
    text: str = made["markdown"]
    end = start + length
    if end < len(text):
        line_end = text.rfind("\n", start + length // 2, end)
        end = end if line_end < 0 else line_end + 1
    part = text[start:end]
    return Shown(PageText(**_place(len(text), start, start + len(part)), markdown=part), part)


def page_table(made: Made, start: int, count: int) -> Shown:
    """Return some of the records of a page; as text they are CSV."""
    rows = [_shortened(one["items"]) for one in made["records"][start : start + count]]
    place = _place(len(made["records"]), start, start + len(rows))
    columns = [_shortened({"name": column["name"], "type": column["type"]}) for column in made["columns"]]
    lines = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(names)
    table.writerows([_cell(row.get(name)) for name in names] for row in rows)
    next_url = _short(made["next_url"])
    text = lines.getvalue() + _further(next_url)
    return Shown(PageTable(**place, columns=columns, rows=rows, next_url=next_url), text)


def page_links(made: Made, start: int, count: int) -> Shown:
    """Return some of the links of a page; as text they are a list in Markdown."""
    names = ("title", "url", "date", "summary", "main")
    links = [_shortened({name: link[name] for name in names}) for link in made["links"][start : start + count]]
    place = _place(len(made["links"]), start, start + len(links))
    next_url = _short(made["next_url"])
    text = "".join(f"{number}. {_link(link)}\n" for number, link in enumerate(links, start + 1)) + _further(next_url)
    return Shown(PageLinks(**place, links=links, next_url=next_url), text)


def page_reasons(made: Made, start: int, count: int) -> Shown:
    """Return what became of some of the blocks of a page, a line each."""
    (view,) = made["views"]
    units = view["units"][start : start + count]
    blocks = [_shortened({name: unit[name] for name in ("kept", "fate", "reason", "text")}) for unit in units]
    place = _place(len(view["units"]), start, start + len(blocks))
    facts = _shortened({name: view[name] for name in ("title", "method", "notes")})
    head = [f"title: {facts['title']}", f"method: {facts['method']}", *(f"note: {note}" for note in facts["notes"])]
    lines = [f"{'kept' if one['kept'] else 'dropped'}\t{one['reason']}\t{one['text']}" for one in blocks]
    return Shown(PageReasons(**place, **facts, blocks=blocks), "\n".join([*head, *lines]))


def page_headline(made: Made) -> Shown:
    """Return the headline of a page."""
    headline = _short(made["headline"])
    return Shown(PageHeadline(headline=headline), headline)


def _place(total: int, start: int, end: int) -> dict[str, Any]:
    return {"total": total, "start": start, "next_start": end if start < end < total else None}


def _shortened(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose names and texts are not longer than a value may be; names are cut as those of columns are."""
    return {_short(name): _short(value) for name, value in row.items()}


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(one) for one in value[:LONGEST_CELL]]
    if isinstance(value, dict):
        return _shortened(value)
    return value[:LONGEST_CELL] + _CUT if isinstance(value, str) and len(value) > LONGEST_CELL else value


def _cell(value: Any) -> str:
    """Write a value of a record: a price has its currency, a list is separated by semicolons."""
    if isinstance(value, list):
        return "; ".join(map(_cell, value))
    if isinstance(value, dict):
        return " ".join(_cell(one) for one in value.values() if one is not None)
    return "" if value is None else str(value)


def _link(link: dict[str, Any]) -> str:
    more = [part for part in (link["date"], link["summary"]) if part]
    return " — ".join([f"[{link['title']}](<{link['url']}>)", *more])


def _further(next_url: str | None) -> str:
    return f"next page: {next_url}\n" if next_url else ""
