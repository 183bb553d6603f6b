"""The jobs of a service. Page processes run them, so that no page can harm the service."""

from __future__ import annotations

import json
import os
import pickle
from base64 import b64encode
from collections.abc import Callable, Collection, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pagesieve import api
from pagesieve.article import Article, ArticleOptions
from pagesieve.errors import BadInput, BadLibrary, NothingFound, PagesieveError
from pagesieve.page.static import PageSource, decode, other_than_page
from pagesieve.page.table import Page
from pagesieve.records.find import RecordOptions, find_records
from pagesieve.records.results import Record, Records
from pagesieve.records.schema import Schema
from pagesieve.report.build import build_report, record_units
from pagesieve.text.urls import site_key
from pagesieve.workers.child import About, Rejected

Result = dict[str, Any]

LIKELY = 0.5  # the probability from which a list is the page's own: `read` returns its records


class PageJobs:
    """The Maker of a page process that does the jobs. It opens the site library once."""

    def __init__(self, options: dict[str, Any]) -> None:
        os.nice(options["nice"])
        self.sites = None if options["sites"] is None else api.open_sites(options["sites"])
        self._jobs: dict[str, Callable[..., Result]] = {
            "article": self._article,
            "read": self._read,
            "explain": self._explain,
            "correct": self._correct,
            "headline": _headline,
            "catalogue": _catalogue,
            "records": self._records,
            "table": self._table,
            "learn": self._learn,
        }

    def answer(self, data: bytes, about: About) -> Result:
        """Return the result of a job."""
        if about.get("warming"):
            return self._warmed(data, about["url"])
        try:
            return self._jobs[about["job"]](_source(data, about), **about["options"])
        except (NothingFound, BadLibrary):  # the page process reports these itself
            raise
        except PagesieveError as error:
            raise Rejected(str(error)) from error

    def _warmed(self, data: bytes, url: str) -> Result:
        """Do the most frequent jobs once, to load everything that they need."""
        for job in ("article", "catalogue", "records"):
            with suppress(NothingFound):
                self._jobs[job](PageSource(data, url))
        return {}

    # Articles

    def _find_article(
        self,
        page: PageSource,
        *,
        reference: Sequence[str] = (),
        external: Sequence[str] = (),
        sites: bool = False,
        **options: Any,
    ) -> Article:
        references, library = api.parsed_references(reference), self.sites if sites else None
        return api.find_article(page, ArticleOptions(**options), references, library, external)

    def _article(self, page: PageSource, *, bodies: Sequence[str] = ("text", "markdown"), **options: Any) -> Result:
        return self._find_article(page, **options).as_dict(bodies)

    def _read(self, page: PageSource, *, bodies: Sequence[str] = (), **options: Any) -> Result:
        article = self._find_article(page, **options)
        with suppress(NothingFound):
            if article.kind == "records" and not article.posts:
                records = find_records(page.page, page.url, RecordOptions("visual" if page.page.rendered else "static"))
                if records.probability >= LIKELY:
                    return {"markdown": article.as_markdown(records.to_markdown())}
        return {"markdown": article.as_markdown()}

    def _explain(
        self,
        page: PageSource,
        /,
        *,
        methods: Sequence[str],
        records: bool,
        source: bool,
        reference: Sequence[str],
        sites: bool,
        **options: Any,
    ) -> Result:
        """Return the report of a page, and its source if `source` is true. Raise NothingFound if it is empty."""
        report = build_report(
            page,
            methods=methods,
            records=records,
            reference=reference,
            sites=self.sites if sites else None,
            options=ArticleOptions(**options),
        )
        if report.is_empty:
            raise NothingFound(report.views[0].failure)
        return report.as_dict() | ({"source": _source_text(page)} if source else {})

    def _correct(
        self,
        page: PageSource,
        *,
        kind: str,
        method: str,
        belongs: Collection[int],
        belongs_not: Collection[int],
        sites: bool,
    ) -> Result:
        """Return the corrected result of a page in the format of a set of labelled pages, without its id.

        `belongs` and `belongs_not` are ids of units of its report. Raise BadInput if the report has no such units, or
        if no unit is left.
        """
        right, wrong = frozenset(belongs), frozenset(belongs_not)
        if both := right & wrong:
            raise BadInput(f"unit {min(both)} cannot both belong and not belong")
        about = {"url": page.url, "site": site_key(page.url) or None if page.url else None}
        if kind == "records":
            return about | _correct_records(page, right, wrong)
        return about | _correct_article(self._find_article(page, method=method, sites=sites), right, wrong)

    # Records

    def _find_records(
        self,
        page: PageSource,
        *,
        region: str = "best",
        date: str | None = None,
        fit: dict[str, Any] | None = None,
        sites: bool = False,
    ) -> Records:
        mode = "visual" if page.page.rendered else "static"
        options = RecordOptions(mode, region, date=None if date is None else datetime.fromisoformat(date))
        schema = None if fit is None else Schema.from_json(json.dumps(fit))
        return api.with_columns(find_records(page.page, page.url, options), schema, self.sites if sites else None)

    def _records(self, page: PageSource, **options: Any) -> Result:
        records = self._find_records(page, **options)
        return records.as_dict() | {"schema": json.loads(records.schema.to_json())}

    def _table(self, page: PageSource, *, format: str, **options: Any) -> Result:
        """Return records as a file: CSV or Parquet, in Base64."""
        records = self._find_records(page, **options)
        if format == "csv":
            data = records.to_csv().encode("utf-8-sig", "replace")  # spreadsheet programs need the byte order mark
        else:
            with TemporaryDirectory(prefix="pagesieve-") as folder:
                path = Path(folder) / "records.parquet"
                records.to_parquet(path)
                data = path.read_bytes()
        return {"data": b64encode(data).decode()}

    def _learn(self, page: PageSource) -> Result:
        assert self.sites is not None
        assert page.url is not None
        return {"new": self.sites.learn([(page.url, page.page)])}


MAKER = f"{PageJobs.__module__}:{PageJobs.__name__}"


def _source(data: bytes, about: About) -> PageSource:
    url = about.get("url")
    if about.get("rendered"):  # pickled by the service itself
        return PageSource(pickle.loads(data), url)
    if not data.strip():
        raise BadInput("the page is empty")
    if about.get("is_text"):
        return PageSource(data.decode(), url)
    if other := other_than_page(data):
        raise BadInput(f"not a page but {other}")
    return PageSource(data, url, about.get("content_type"))


def _source_text(page: PageSource) -> str | None:
    """Return the source of a page as text, or None if the page was rendered in a browser."""
    html = page.html
    if isinstance(html, Page):
        return None
    return html if isinstance(html, str) else decode(html, page.content_type).text


def _headline(page: PageSource, *, external: Sequence[str] = ()) -> Result:
    return {"headline": api.headline(page.page, None, external)}


def _catalogue(page: PageSource, *, all_links: bool = False) -> Result:
    catalogue = api.catalogue(page.page, page.url)
    links = catalogue.all_links if all_links else catalogue.links
    return {
        "url": catalogue.url,
        "links": [asdict(link) for link in links],
        "next_url": catalogue.next_url,
        "pages": list(catalogue.pages),
    }


# Corrections


def _correct_article(article: Article, right: Set[int], wrong: Set[int]) -> Result:
    blocks, rows = article.selection.blocks, article.selection.rows.copy()
    _check_units(right | wrong, range(len(blocks)))
    for units, value in ((right, True), (wrong, False)):
        for unit in units:
            rows[blocks.rows_of(unit)] = value
    text = replace(article, selection=replace(article.selection, rows=rows, parts=(), posts=())).text
    if not text.strip():
        raise BadInput("no unit of the page belongs: there is nothing to learn from it")
    return {"lang": article.language, "title": article.title, "text": text}


def _correct_records(page: PageSource, right: Set[int], wrong: Set[int]) -> Result:
    """Return the corrected list of records, in the order of the page."""
    records = find_records(page.page, page.url, RecordOptions("static"))
    units = [unit for unit in record_units(records) if unit.fate != "item"]
    _check_units(right | wrong, [unit.id for unit in units])
    units = [unit for unit in units if (unit.kept or unit.id in right) and unit.id not in wrong]
    if not units:
        raise BadInput("no record of the page belongs: there is nothing to learn from it")
    return {
        "records": [
            _record_fields(records.records[int(unit.numbers["record"]) - 1])
            if unit.fate == "record"
            else {"text": " ".join(records.page.text(unit.rows[0]).split())}
            for unit in units
        ]
    }


def _record_fields(record: Record) -> Result:
    fields: dict[str, str] = {}
    for item in record.items:
        if item.text:
            fields[item.name] = f"{fields[item.name]} {item.text}" if item.name in fields else item.text
    return {"text": " ".join(record.text.split()), "fields": fields}


def _check_units(ids: Set[int], known: Collection[int]) -> None:
    if unknown := ids - set(known):
        raise BadInput(f"the page has no unit {min(unknown)} that could be corrected")
