"""The facts of a page, in one list that articles, JSON, the rows of a batch and the docs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

_MEANING = "meaning"  # the key of a field's description


def _fact(meaning: str) -> Any:
    """Return the field of a fact that is None if the page does not state it."""
    return field(default=None, metadata={_MEANING: meaning})


def _list_of_facts(meaning: str) -> Any:
    """Return the field of a fact with several values, empty if the page states none."""
    return field(default=(), metadata={_MEANING: meaning})


@dataclass(frozen=True, slots=True)
class Metadata:
    """The facts of a page, in the order of all outputs, and the source of each. Dates are in ISO 8601."""

    url: str | None = _fact("the URL with which the page was read, or else the canonical address that it states")
    title: str = field(default="", metadata={_MEANING: "the headline; empty if the page has none"})
    author: str | None = _fact("all `authors`, separated by commas; the older name")
    authors: tuple[str, ...] = _list_of_facts(
        "the people whom the page names as authors, each without prefix, role, date and address"
    )
    date: str | None = _fact("the same as `published`; the older name")
    published: str | None = _fact(
        "the date of publication in ISO 8601, with the time and the zone if the page states them"
    )
    modified: str | None = _fact("the date of the last change, in the same form")
    source: str | None = _fact("the same as `sitename`; the older name")
    sitename: str | None = _fact("the name of the site or paper")
    hostname: str | None = _fact("the host of `url`, without `www.`")
    language: str | None = _fact("a BCP 47 tag (`en`, `pt-BR`): as the page states it, or else detected from its text")
    description: str | None = _fact("the summary that the page states, in a sentence or two")
    canonical: str | None = _fact("the URL that the page states as its own, absolute if possible")
    image: str | None = _fact("the lead image, as an absolute URL if the URL of the page is known")
    categories: tuple[str, ...] = _list_of_facts("the sections of the site to which the page belongs")
    tags: tuple[str, ...] = _list_of_facts("distinct keywords, at most 50")
    license: str | None = _fact("the licence of the content: its URL, or else its name")
    page_type: str | None = _fact("the `og:type` (`article`, `website` …), or else the type of schema.org")
    fingerprint: str | None = _fact("a digest of the text that ignores blanks, punctuation and case")
    found: Mapping[str, str] = field(default_factory=dict)  # the source of each fact, by name

    def as_dict(self) -> dict[str, Any]:
        """Return the facts by name, ready for JSON."""
        values = {name: getattr(self, name) for name in FACTS}
        return values | {name: list(values[name]) for name in LISTS}

    def completed(self, other: Metadata) -> Metadata:
        """Return the facts, completed with facts from a later page of the same article."""
        names = [name for name in FACTS if name not in OF_ONE_PAGE and not getattr(self, name) and getattr(other, name)]
        found = {name: other.found[name] for name in names if name in other.found}
        return replace(self, **{name: getattr(other, name) for name in names}, found={**self.found, **found})


MEANINGS: Mapping[str, str] = {each.name: each.metadata[_MEANING] for each in fields(Metadata) if each.metadata}
FACTS = tuple(MEANINGS)  # their names, in order
LISTS = tuple(each.name for each in fields(Metadata) if each.default == ())  # the facts with several values
OLDER_NAMES: Mapping[str, str] = {"author": "authors", "date": "published", "source": "sitename"}
OF_ONE_PAGE = ("url", "hostname", "canonical", "title", "fingerprint")  # facts that a later page does not complete
