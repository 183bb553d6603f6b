"""Many pages at once: sources cut into shards, shards run by processes or a cluster, results in files.

Here are the data types: shards, items, options, statistics, and the plan of a run, which is written down.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self, get_args

from pagesieve.article import BODIES, ArticleOptions, check, check_bodies
from pagesieve.articles.facts import FACTS
from pagesieve.child import Limits
from pagesieve.errors import BadInput, BadOption
from pagesieve.text.urls import masked, masked_url

VERSION = 2  # of the manifest

LEAST_SIMILARITY = 0.5  # texts that share less are not taken for one another

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*")

What = Literal["article", "records", "headline", "all"]
Format = Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"]
WHATS: tuple[str, ...] = get_args(What)
FORMATS: tuple[str, ...] = get_args(Format)
OF_ARTICLES = ("article", "all")  # what has a text and a language

_READ = ("encoding", "notes")
_TABLE = ("columns", "records")
_ARTICLE = (*FACTS, "found", "method", *BODIES, "comments")


def row_fields(what: str, bodies: Sequence[str] = ("text",)) -> tuple[str, ...]:
    """Return the fields of a row, in order, by what is asked for. Every row has all of them."""
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
    """A part of the input: what one worker reads at a time, and what is repeated when it was not finished.

    A WARC or JSONL shard is the records that begin at the bytes from `start` up to `stop`, a Parquet shard its row
    groups, one of files or URLs its `names`.
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
        """The name of its files, without endings."""
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
    """A page of a source; or one whose bytes could not be read, with the reason."""

    id: str  # unique in a run and the same in every run: PATH#OFFSET, PATH#ROW, the path of a file, or the URL
    url: str | None
    data: bytes | None
    content_type: str | None = None
    fault: str | None = None
    own_id: str | None = None  # the one that its row has
    columns: Mapping[str, Any] = field(default_factory=dict)  # the others of its row, which are passed through

    @property
    def written_id(self) -> str:
        """The id in the results: that of its row, or else where it was read."""
        return self.own_id or self.id


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of a source that is no page, and why; it is only counted."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions(ArticleOptions):
    """What to make of each page, how to write it, and what a page may cost."""

    what: str = "article"
    format: str = "jsonl"
    bodies: tuple[str, ...] = ("text",)  # what articles are written as
    sites: str | None = None  # a site library: a path or a database URL
    timeout: float = 30.0  # seconds a page
    memory: int = 1024  # MB a page
    max_bytes: int = 20_000_000  # of a page
    allow_private: bool = False  # for lists of URLs
    learn: bool = False  # a pass before this one learns the sites of the pages into `sites`
    languages: tuple[str, ...] = ()  # pages in others are rejected
    min_words: int = 0  # pages with fewer are rejected
    deduplicate: bool = False  # a pass after this one leaves out pages that repeat others
    similarity: float = 0.8  # from which on a page repeats another; 1 for exact repetition only

    def __post_init__(self) -> None:
        ArticleOptions.__post_init__(self)
        object.__setattr__(self, "languages", tuple(map(_language, self.languages)))
        check("what", self.what, WHATS)
        check("format", self.format, FORMATS)
        check_bodies(self.bodies)
        assert self.limits  # which checks them
        if not LEAST_SIMILARITY <= self.similarity <= 1:
            raise BadOption(f"similarity is at least {LEAST_SIMILARITY} and at most 1, not {self.similarity}")
        if self.what not in OF_ARTICLES and (self.languages or self.min_words or self.deduplicate):
            raise BadOption(f"languages, min_words and deduplicate are for what {' or '.join(OF_ARTICLES)}")

    def as_dict(self) -> dict[str, Any]:
        """The options, ready for JSON."""
        return {**asdict(self), "bodies": list(self.bodies), "languages": list(self.languages)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """The options that `as_dict` gave."""
        return cls(**{**given, "bodies": tuple(given["bodies"])})

    @property
    def limits(self) -> Limits:
        """What a page may cost."""
        return Limits(timeout=self.timeout, memory=self.memory, max_bytes=self.max_bytes)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of every row, in order."""
        return row_fields(self.what, self.bodies)


@dataclass(slots=True)
class Stats:
    """Figures of the pages of a shard, or of all shards."""

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
        """Add the figures of another."""
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
        """The figures that `as_dict` gave."""
        stats = cls()
        for name, value in given.items():
            setattr(stats, name, Counter(value) if isinstance(value, dict) else value)
        return stats


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run is going to do; written down before it begins, so that it can be resumed."""

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
        """The plan that `as_dict` gave. Raises BadInput where it is of another version."""
        if given.get("version") != VERSION:
            raise BadInput(f"a plan of version {given.get('version')}, but this is version {VERSION}")
        shards = tuple(Shard.from_dict(shard) for shard in given["shards"])
        return cls(tuple(given["sources"]), BatchOptions.from_dict(given["options"]), shards, given["columns"])

    def check_same(self, sources: Sequence[str], options: BatchOptions) -> None:
        """Raise BadOption where a run is to be resumed with other sources or options than it was begun with."""
        if tuple(sources) != self.sources:
            raise BadOption(f"--resume: the run was begun with other sources: {masked(', '.join(self.sources[:5]))}")
        mine, other = (_without_password(each.as_dict()) for each in (self.options, options))
        for name, value in other.items():
            if mine[name] != value:
                raise BadOption(f"--resume: the run was begun with {name} {mine[name]!r}, not {value!r}")


def plain_language(given: str) -> str:
    """Return a language tag as tags are compared: en_US as en-us."""
    return given.strip().lower().replace("_", "-")


def _language(given: str) -> str:
    """Check a language that is asked for."""
    language = plain_language(given)
    if not _LANGUAGE.fullmatch(language):
        raise BadOption(f"languages are codes such as en, zh or pt-br, not {given!r}")
    return language


def _without_password(options: dict[str, Any]) -> dict[str, Any]:
    """Options as they may be written down: without the password of a database."""
    sites = options["sites"]
    return options if sites is None else {**options, "sites": masked_url(sites)}
