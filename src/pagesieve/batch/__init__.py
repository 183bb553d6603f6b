"""Extract many pages: sources are split into shards, processes or a cluster run the shards, results go to files.

This module has the data types: shards, items, options, statistics, and the plan of a run, which is saved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self, get_args

from pagesieve.article import BODIES, ArticleOptions, check, check_bodies
from pagesieve.errors import BadInput, BadOption
from pagesieve.facts.fields import FACTS
from pagesieve.fetching.options import FetchOptions
from pagesieve.options import option, same_option
from pagesieve.text.urls import masked, masked_url
from pagesieve.workers.child import Limits

VERSION = 2  # of the manifest

MIN_SIMILARITY = 0.5  # texts that share less are never duplicates

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*")

What = Literal["article", "records", "headline", "all"]
Format = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]
WHATS: tuple[str, ...] = get_args(What)
FORMATS: tuple[str, ...] = get_args(Format)
OF_ARTICLES = ("article", "all")  # the values of `what` with a text and a language

_READ = ("encoding", "notes")
_TABLE = ("columns", "records")
_ARTICLE = (*FACTS, "found", "method", *BODIES, "comments")


def row_fields(what: str, bodies: Sequence[str] = ("text",)) -> tuple[str, ...]:
    """Return the fields of every row, in order, for a value of `what`."""
    article = [name for name in _ARTICLE if name not in BODIES or name in bodies]
    fields = {
        "article": ("id", *article, *_READ),
        "records": ("id", "url", *_TABLE, *_READ),
        "headline": ("id", "url", "title", *_READ),
        "all": ("id", *article, "kind", *_TABLE, *_READ),
    }
    return fields[what]


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the input that one worker reads at a time, and that is repeated if it was not finished.

    A WARC or JSONL shard has the records that begin at the bytes from `start` up to `stop`, a Parquet shard the row
    groups from `start` to `stop`, a shard of files or URLs its `names`.
    """

    number: int
    kind: str  # warc, jsonl, parquet, files or urls
    path: str = ""
    start: int = 0
    stop: int = -1  # -1: to the end
    names: tuple[str, ...] = ()
    size: int = 0  # bytes, as far as known: for the progress display

    @property
    def name(self) -> str:
        """The name of the files of the shard, without endings."""
        return f"part-{self.number:05d}"

    def as_dict(self) -> dict[str, Any]:
        """The shard, ready for JSON."""
        return {**asdict(self), "names": list(self.names)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """The shard that `as_dict` wrote."""
        return cls(**{**given, "names": tuple(given["names"])})


@dataclass(frozen=True, slots=True)
class Item:
    """A page of a source, or the reason why its bytes could not be read."""

    id: str  # unique in a run and the same in every run: PATH#OFFSET, PATH#ROW, the path of a file, or the URL
    url: str | None
    data: bytes | None
    content_type: str | None = None
    fault: str | None = None
    own_id: str | None = None  # the id in its row
    columns: Mapping[str, Any] = field(
        default_factory=dict
    )  # the other columns of its row, which are copied to the results

    @property
    def written_id(self) -> str:
        """The id in the results: the id in its row, or else the place where it was read."""
        return self.own_id or self.id


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of a source that is not a page, with the reason; it is only counted."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions(ArticleOptions):
    """The options of a batch: what to extract from each page, how to write it, and the limits of a page."""

    what: str = option("article", "what to extract from each page; all extracts whatever the page has", WHATS)
    format: str = option("jsonl", "the format of the results", FORMATS)
    bodies: tuple[str, ...] = ("text",)  # the formats of the body
    sites: str | None = None  # a site library: a path or a database URL
    timeout: float = same_option(Limits, "timeout")
    memory: int = same_option(Limits, "memory")
    max_bytes: int = same_option(Limits, "max_bytes")
    allow_private: bool = same_option(FetchOptions, "allow_private")  # for lists of URLs
    learn: bool = option(
        False, "make two passes: first learn the sites of these pages into --sites, then extract with that knowledge"
    )
    languages: tuple[str, ...] = option(
        (), "reject pages in languages other than this one: en, pt-br, or several (en,de). May be repeated"
    )
    min_words: int = option(0, "reject pages with fewer words (characters, in scripts without blanks between words)")
    deduplicate: bool = option(False, "leave out pages whose text is equal or similar to that of an earlier page")
    similarity: float = option(
        0.8,
        "with --deduplicate: the share of runs of 5 words in common from which texts are similar; 1 for equal texts",
    )

    def __post_init__(self) -> None:
        ArticleOptions.__post_init__(self)
        object.__setattr__(self, "languages", tuple(map(_language, self.languages)))
        check("what", self.what, WHATS)
        check("format", self.format, FORMATS)
        check_bodies(self.bodies)
        assert self.limits  # which checks them
        if not MIN_SIMILARITY <= self.similarity <= 1:
            raise BadOption(f"similarity is at least {MIN_SIMILARITY} and at most 1, not {self.similarity}")
        if self.what not in OF_ARTICLES and (self.languages or self.min_words or self.deduplicate):
            raise BadOption(f"languages, min_words and deduplicate are for what {' or '.join(OF_ARTICLES)}")

    def as_dict(self) -> dict[str, Any]:
        """The options, ready for JSON."""
        return {**asdict(self), "bodies": list(self.bodies), "languages": list(self.languages)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the options that `as_dict` wrote."""
        return cls(**{**given, "bodies": tuple(given["bodies"])})

    @property
    def limits(self) -> Limits:
        """The limits of a page."""
        return Limits(timeout=self.timeout, memory=self.memory, max_bytes=self.max_bytes)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of every row, in order."""
        return row_fields(self.what, self.bodies)


@dataclass(slots=True)
class Stats:
    """Statistics of the pages of a shard, or of all shards."""

    pages: int = 0  # results, rejects and duplicates
    results: int = 0
    duplicates: int = 0
    bytes: int = 0  # of the pages
    seconds: float = 0.0
    rejected: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)

    def add(self, other: Stats) -> None:
        """Add the figures of other statistics to these."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def as_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON; the most frequent first."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, value in values.items():
            if isinstance(value, Counter):
                values[name] = dict(sorted(value.items(), key=lambda pair: (-pair[1], pair[0])))
        return values

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the statistics that `as_dict` wrote."""
        stats = cls()
        for name, value in given.items():
            setattr(stats, name, Counter(value) if isinstance(value, dict) else value)
        return stats


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a run, saved before it begins, so that it can be resumed."""

    sources: tuple[str, ...]
    options: BatchOptions
    shards: tuple[Shard, ...]
    columns: str = ""  # of the sources that are passed through to Parquet: see `columns`

    def as_dict(self) -> dict[str, Any]:
        """The plan, ready for JSON."""
        return {
            "version": VERSION,
            "sources": list(self.sources),
            "options": _without_password(self.options.as_dict()),
            "columns": self.columns,
            "shards": [shard.as_dict() for shard in self.shards],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the plan that `as_dict` wrote. Raises BadInput if it is of another version."""
        if given.get("version") != VERSION:
            raise BadInput(f"a plan of version {given.get('version')}, but this is version {VERSION}")
        shards = tuple(Shard.from_dict(shard) for shard in given["shards"])
        return cls(tuple(given["sources"]), BatchOptions.from_dict(given["options"]), shards, given["columns"])

    def check_same(self, sources: Sequence[str], options: BatchOptions) -> None:
        """Raise BadOption if a run is resumed with other sources or options than those it began with."""
        if tuple(sources) != self.sources:
            raise BadOption(f"--resume: the run was begun with other sources: {masked(', '.join(self.sources[:5]))}")
        mine, other = (_without_password(each.as_dict()) for each in (self.options, options))
        for name, value in other.items():
            if mine[name] != value:
                raise BadOption(f"--resume: the run was begun with {name} {mine[name]!r}, not {value!r}")


def plain_language(tag: str) -> str:
    """Return a language tag in the form for comparisons: en_US as en-us."""
    return tag.strip().lower().replace("_", "-")


def _language(tag: str) -> str:
    """Check the language tag of an option."""
    language = plain_language(tag)
    if not _LANGUAGE.fullmatch(language):
        raise BadOption(f"languages are codes such as en, zh or pt-br, not {tag!r}")
    return language


def _without_password(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options in the form that is saved: without the password of a database."""
    sites = options["sites"]
    return options if sites is None else {**options, "sites": masked_url(sites)}
