"""What the page processes of a service make of a page. No page can harm the service from here."""

from __future__ import annotations

import json
import os
import pickle
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pagesieve import api
from pagesieve.article import Article, ArticleOptions
from pagesieve.child import About
from pagesieve.errors import BadInput, BadLibrary, NothingFound, PagesieveError
from pagesieve.fetching import other_than_page
from pagesieve.page.static import PageSource
from pagesieve.records.find import RecordOptions, find_records
from pagesieve.records.results import Records
from pagesieve.records.schema import Schema
from pagesieve.service.correcting import corrected
from pagesieve.service.explaining import explained

Options = dict[str, Any]
Made = dict[str, Any]


class PageMaker:
    """Does what is asked of a page; a Maker of the page process. The site library is opened once."""

    def __init__(self, options: Options) -> None:
        os.nice(options["nice"])
        self.sites = None if options["sites"] is None else api.open_sites(options["sites"])
        self._jobs: dict[str, Callable[[PageSource, Options], Made]] = {
            "article": self._article,
            "explain": lambda source, options: explained(source, options, self.sites),
            "correct": lambda source, options: corrected(source, options, self.sites),
            "read": lambda source, options: {"markdown": self._found(source, options).as_markdown()},
            "headline": lambda source, options: {"headline": api.headline(source.page, None, options["external"])},
            "catalogue": _catalogue,
            "records": self._records,
            "table": lambda source, options: _table(self._table(source, options), options["format"]),
            "learn": self._learn,
        }

    def answer(self, data: bytes, about: About) -> Made:
        """Return the result of a job as JSON, or the message of the error that there was."""
        if about.get("warming"):
            return self._warmed(data, about["url"])
        try:
            made = self._jobs[about["job"]](_source(data, about), about["options"])
            return {"result": json.dumps(made, ensure_ascii=False, separators=(",", ":"))}
        except (NothingFound, BadLibrary):  # of which the process tells itself
            raise
        except PagesieveError as error:
            return {"error": " ".join(str(error).split())}

    def _warmed(self, data: bytes, url: str) -> Made:
        """Do the most frequent jobs once, so that all that they need is loaded."""
        for job in ("article", "catalogue", "records"):
            with suppress(NothingFound):
                self._jobs[job](PageSource(data, url), {"bodies": ["text", "markdown"]})
        return {}

    def _found(self, source: PageSource, options: Options) -> Article:
        options = dict(options)
        options.pop("bodies", None)
        references, external = options.pop("reference", []), options.pop("external", [])
        sites = self.sites if options.pop("sites", False) else None
        return api.find_article(
            source,
            ArticleOptions(**options),
            references=api.parsed_references(references),
            sites=sites,
            external=external,
        )

    def _article(self, source: PageSource, options: Options) -> Made:
        return self._found(source, options).as_dict(options["bodies"])

    def _records(self, source: PageSource, options: Options) -> Made:
        found = self._table(source, options)
        return found.as_dict() | {"schema": json.loads(found.schema.to_json())}

    def _table(self, source: PageSource, options: Options) -> Records:
        date, fit = options.get("date"), options.get("fit")
        is_rendered = source.page.rendered
        wanted = RecordOptions(
            "visual" if is_rendered else "static",
            options.get("region", "best"),
            date=None if date is None else datetime.fromisoformat(date),
        )
        schema = None if fit is None else Schema.from_json(json.dumps(fit))
        return api.with_columns(
            find_records(source.page, source.url, wanted), schema, self.sites if options.get("sites") else None
        )

    def _learn(self, source: PageSource, options: Options) -> Made:
        assert self.sites is not None
        assert source.url is not None
        return {"new": self.sites.learn([(source.url, source.page)])}


MAKER = f"{PageMaker.__module__}:{PageMaker.__name__}"


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


def _table(found: Records, form: str) -> Made:
    """Return records as a file: CSV or Parquet, in Base64."""
    if form == "csv":
        data = found.to_csv().encode("utf-8-sig", "replace")  # spreadsheet programs know UTF-8 by its mark
    else:
        with TemporaryDirectory(prefix="pagesieve-") as folder:
            path = Path(folder) / "records.parquet"
            found.to_parquet(path)
            data = path.read_bytes()
    return {"data": b64encode(data).decode()}


def _catalogue(source: PageSource, options: Options) -> Made:
    found = api.catalogue(source.page, source.url)
    links = found.all_links if options.get("all_links") else found.links
    return {
        "url": found.url,
        "links": [asdict(link) for link in links],
        "next_url": found.next_url,
        "pages": list(found.pages),
    }
