"""The facts of a page: the one list that articles, JSON, the rows of a batch and the documentation take theirs from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

_MEANING = "meaning"  # what a field's own metadata say it is


def _fact(meaning: str) -> Any:
    """Return the field of a fact; None where the page does not say."""
    return field(default=None, metadata={_MEANING: meaning})


def _list_of_facts(meaning: str) -> Any:
    """Return the field of a fact that may be several; empty where the page does not say."""
    return field(default=(), metadata={_MEANING: meaning})


@dataclass(frozen=True, slots=True)
class Metadata:
    """The facts found, in the order of every output, and where. Dates are written as ISO 8601 has them."""

    url: str | None = _fact("the address that was given, or else the one that the page names as its own")
    title: str = field(default="", metadata={_MEANING: "the headline; empty if the page has none"})
    author: str | None = _fact("all of `authors`, separated by commas: the older name")
    authors: tuple[str, ...] = _list_of_facts(
        "the people the page names as authors, each without prefix, role, date and address"
    )
    date: str | None = _fact("the same as `published`: the older name")
    published: str | None = _fact(
        "when it was published, in ISO 8601 form: the day, with time and zone if they are given"
    )
    modified: str | None = _fact("when it was last changed")
    source: str | None = _fact("the same as `sitename`: the older name")
    sitename: str | None = _fact("the name of the site or paper")
    hostname: str | None = _fact("the host of `url`, without `www.`")
    language: str | None = _fact("as BCP 47 writes it (`en`, `pt-BR`): as the page says, or else as its text tells")
    description: str | None = _fact("what the page says it is about, in a sentence or two")
    canonical: str | None = _fact("the URL that the page names as its own, absolute if it can be")
    image: str | None = _fact("the lead image, as an absolute URL if the page's own is known")
    categories: tuple[str, ...] = _list_of_facts("the sections of the site that it belongs to, each once")
    tags: tuple[str, ...] = _list_of_facts("keywords, each once, at most 50")
    license: str | None = _fact("the licence of the content: its URL, or else its name")
    page_type: str | None = _fact("the `og:type` (`article`, `website` …), or else the type of schema.org")
    fingerprint: str | None = _fact(
        "a digest of the text, the same for texts that differ in blanks, punctuation and case only"
    )
    found: Mapping[str, str] = field(default_factory=dict)  # where each fact was found, by the fact's name

    def as_dict(self) -> dict[str, Any]:
        """The facts by their names, ready for JSON."""
        values = {name: getattr(self, name) for name in FACTS}
        return values | {name: list(values[name]) for name in LISTS}

    def completed(self, other: Metadata) -> Metadata:
        """Return the facts, with those of a later page of the same article where there are none."""
        names = [name for name in FACTS if name not in OF_ONE_PAGE and not getattr(self, name) and getattr(other, name)]
        found = {name: other.found[name] for name in names if name in other.found}
        return replace(self, **{name: getattr(other, name) for name in names}, found={**self.found, **found})


MEANINGS: Mapping[str, str] = {each.name: each.metadata[_MEANING] for each in fields(Metadata) if each.metadata}
FACTS = tuple(MEANINGS)  # their names, in order
LISTS = tuple(each.name for each in fields(Metadata) if each.default == ())  # those that may be several
OLDER_NAMES: Mapping[str, str] = {"author": "authors", "date": "published", "source": "sitename"}
OF_ONE_PAGE = ("url", "hostname", "canonical", "title", "fingerprint")  # those of another page are not its own
