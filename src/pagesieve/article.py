"""The options of an article, listed once for the functions, the batch and the command line; and the article itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypedDict, get_args

from pagesieve import writing
from pagesieve.errors import BadOption, UnknownOption, closest
from pagesieve.headlines.headline import find_headline, without_headline
from pagesieve.methods.registry import AUTO, METHODS, MODELS, MethodInputs, parse_for, select
from pagesieve.methods.visibility import only_shown
from pagesieve.options import option
from pagesieve.page import kernel
from pagesieve.page.keeping import lazy
from pagesieve.page.lines import either
from pagesieve.page.stated import address
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.selection import Decision, PostRows, Selection
from pagesieve.stages import stage
from pagesieve.threads.comments import written_rows
from pagesieve.writing import Document, WriterOptions, build, write_text

if TYPE_CHECKING:
    from pagesieve.facts.fields import Metadata
    from pagesieve.kinds.kind import Kind
    from pagesieve.kinds.problem import Problem
    from pagesieve.methods.registry import Model
    from pagesieve.page.partial import Partial
    from pagesieve.sites.library import Sites
    from pagesieve.threads.thread import Post, Posts, Thread

Html = str | bytes | bytearray | Page
Format = Literal["text", "markdown", "html", "json", "tei"]

BODIES = ("text", "markdown", "html")  # what an article is written as
FORMATS: tuple[str, ...] = get_args(Format)
FAVORS = ("precision", "recall")
METHOD_NAMES = ("auto", *METHODS)


@dataclass(frozen=True, kw_only=True)
class ArticleOptions:
    """What to take for the article of a page, and what to write of it."""

    method: str = option("auto", "the method that finds the article", METHOD_NAMES)
    model: str | Path | Model | None = option(
        None,
        f"a file that `pagesieve train` wrote, in place of the shipped model; for the methods `{'`, `'.join(MODELS)}`",
    )
    favor: Literal["precision", "recall"] | None = option(
        None, "in case of doubt, drop a paragraph (`precision`) or keep it (`recall`)", FAVORS
    )
    include_comments: bool = option(False, "write the readers' comments below the article")
    include_tables: bool = option(True, "write tables")
    include_links: bool = option(False, "write the addresses of links")
    include_images: bool = option(False, "write images")
    include_bylines: bool = option(False, "in plain text too, begin each post of a thread with its author and date")
    include_captions: bool | None = option(
        None, "write the captions of images; by default, in every format but plain text"
    )

    def __post_init__(self) -> None:
        check("method", self.method, METHOD_NAMES)
        if self.favor is not None:
            check("favor", self.favor, FAVORS)
        if self.model is not None and self.method not in MODELS:
            raise BadOption(f"model: {', '.join(MODELS)} take one, not {self.method}")

    @lazy
    def writer(self) -> WriterOptions:
        """The part of them that is about writing."""
        return WriterOptions(
            links=self.include_links,
            images=self.include_images,
            tables=self.include_tables,
            captions=self.include_captions is not False,
            captions_in_text=bool(self.include_captions),
        )


class OptionKeywords(TypedDict, total=False):
    """The fields of ArticleOptions as keywords, for type checkers and editors."""

    method: str
    model: str | Path | Model | None
    favor: Literal["precision", "recall"] | None
    include_comments: bool
    include_tables: bool
    include_links: bool
    include_images: bool
    include_bylines: bool
    include_captions: bool | None


class ArticleKeywords(OptionKeywords, total=False):
    """All keywords of `article`."""

    reference: Html | Sequence[Html] | None
    sites: Sites | None
    external: Sequence[str]


# What other extractors call an option of `extract` and `article`, or reach by one, and how that is done here.
ELSEWHERE = {
    "format": "extract(…, format=…)",
    "output_format": "extract(…, format=…)",
    "include_formatting": "extract(…, format='markdown')",
    "preserve_formatting": "extract(…, format='markdown')",
    "html_partial": "extract(…, format='html')",
    "keep_article_html": "article(…).html",
    "with_metadata": "article(…).metadata, or extract(…, format='json')",
    "favor_precision": "favor='precision'",
    "favor_recall": "favor='recall'",
    "no_fallback": "method='reverse', the fastest",
    "fast": "method='reverse', the fastest",
    "target_language": "article(…).language, or `pagesieve batch --language`",
    "deduplicate": "`pagesieve batch --deduplicate`",
    "filecontent": "'html'",
    "htmlstring": "'html'",
    "input_html": "'html'",
    "raw_html": "'html'",
    "source_url": "'url'",
    "alt_texts": "'include_images'",
    "browser": "article(fetch(url, browser=True))",
    "options": "article(fetch(url, options=…))",
    "timeout": "article(fetch(url, options=…))",
    "request_timeout": "article(fetch(url, options=…))",
}


def refuse_unknown(function: str, given: Iterable[str], known: Collection[str]) -> NoReturn:
    """Raise UnknownOption for the first keyword that a function does not have."""
    name = next(name for name in given if name not in known)
    if "favor" in known and name in ELSEWHERE:
        raise UnknownOption(f"{function}() has no option {name!r}: did you mean {ELSEWHERE[name]}?")
    if meant := closest(name, known):
        raise UnknownOption(f"{function}() has no option {name!r}: did you mean {meant!r}?")
    raise UnknownOption(f"{function}() has no option {name!r}; it has {', '.join(known)}")


def check(option: str, value: object, known: Sequence[str]) -> None:
    """Raise BadOption where an option has a value that does not exist."""
    if value not in known:
        raise BadOption(f"{option} is one of {', '.join(known)}, not {value!r}")


def check_bodies(names: Sequence[str]) -> None:
    """Raise BadOption where an article cannot be written as one of some names."""
    for name in names:
        check("with", name, BODIES)


def _text_of_parts(selection: Selection) -> str:
    """Return the kept lines of each part, with an empty line between the parts."""
    blocks, kept = selection.blocks, selection.kept.tolist()
    spans = iter(blocks.below(list(chain.from_iterable(selection.parts))))
    texts = []
    for roots in selection.parts:
        lines = (line for first, stop in islice(spans, len(roots)) for line in range(first, stop) if kept[line])
        texts.append("\n".join(map(blocks.text, lines)))
    return "\n\n".join(filter(None, texts))


def page_facts(page: Page, external: Sequence[str] = ()) -> dict[str, Any]:
    """Return what `Article.as_dict` gives of a page without an article: all but what is made of its text."""
    from pagesieve.facts.metadata import metadata
    from pagesieve.kinds.kind import kind
    from pagesieve.kinds.problem import NOTES, problem

    facts, instead = metadata(page, external), problem(page)
    return {
        **facts.as_dict(),
        "found": dict(facts.found),
        "kind": kind(page),
        "problem": instead,
        "encoding": page.encoding,
        "notes": [*page.notes, *([NOTES[instead]] if instead else [])],
    }


@stage("steps of an article")
def read_article(
    source: PageSource, options: ArticleOptions, inputs: MethodInputs, external: Sequence[str] = ()
) -> Article:
    """Return the article of a page, found step by step; raise NothingFound where a step leaves nothing.

    A method selects rows of the page. The headline goes out of them, the posts of a thread become parts of their own,
    and what the page does not show is left out.
    """
    page, partial = parse_for(options.method, source, inputs)
    method, selection = select(page, options.method, inputs)
    headline = find_headline(page, external) if partial is None else None
    if headline is not None:
        selection = without_headline(selection, headline)
    if method in AUTO:  # the other methods answer as they are described, not by posts
        selection = _threaded(selection)
    own = page if page.has_same_rows(selection.blocks.page) else selection.blocks.page
    return Article(
        page=own,
        selection=only_shown(selection, own),
        headline=headline,
        method=method,
        options=options.writer,
        include_comments=options.include_comments,
        include_bylines=options.include_bylines,
        whole=partial or (page if own is not page else None),
        external=external,
    )


@stage("thread check")
def _threaded(selection: Selection) -> Selection:
    """Return the selection with its posts where the page is a thread; few pages may be one."""
    first = -1 if selection.parts else kernel.page.posts.may_be_thread(selection.blocks.page, selection.row_marks)
    if first < 0:
        return selection
    from pagesieve.threads.posts import with_posts

    return with_posts(selection, first)


@dataclass(frozen=True, repr=False)
class Article:
    """The article of a page. The texts are written on first access."""

    page: Page  # the one that holds the article: what was given, a part of it, or a small one made from its data
    selection: Selection
    headline: str | None  # None where only a part of the page was parsed: `title` then finds it
    method: str
    options: WriterOptions = field(default=WriterOptions())
    include_comments: bool = False
    include_bylines: bool = False
    whole: Page | Partial | None = None  # what was given, where `page` is not all of it
    external: Sequence[str] = ()  # what other pages call this one
    parts: tuple[str, ...] = ()  # the addresses of its pages, in order, where it was joined from several

    def __repr__(self) -> str:
        return f"<Article {self.title!r} by {self.method}>"

    @lazy
    def metadata(self) -> Metadata:
        """What the page says of itself, and where each fact was found; computed on first access."""
        from pagesieve.facts.metadata import metadata

        return metadata(self._whole, self.external, self.headline, lambda: self.text, self._first_post)

    @property
    def _first_post(self) -> PostRows | None:
        """The first post of a thread, where nothing stands before it: what does is the first post itself."""
        posts = self.selection.posts
        return posts[0] if posts and not self.selection.rows[: posts[0].root].any() else None

    @property
    def partial(self) -> Partial | None:
        """How much of the page was parsed, where that is only a part."""
        return None if isinstance(self.whole, Page) else self.whole

    @property
    def _written_page(self) -> Page:
        """The page that is written from.

        That of the selection may show what the page hides, but nothing of that is selected. Images are not selected.
        """
        selected_from = self.selection.blocks.page
        return self.page if self.options.images and self.page.has_same_rows(selected_from) else selected_from

    @property
    def _whole(self) -> Page:
        if self.whole is None:
            return self.page
        return self.whole if isinstance(self.whole, Page) else self.whole.page

    @lazy
    def kind(self) -> Kind:
        """What kind of page it is: article, catalogue, records or other."""
        from pagesieve.kinds.kind import kind

        return kind(self._whole)

    @lazy
    def problem(self) -> Problem | None:
        """What the page is instead of an article: robot check, consent, log-in or error; None where it may be one."""
        from pagesieve.kinds.problem import problem

        return None if isinstance(self.whole, Page) else problem(self._whole)  # which has the article in its data

    @property
    def title(self) -> str:
        """The headline; empty where the page has none."""
        return self.metadata.title if self.headline is None else self.headline

    @property
    def author(self) -> str | None:
        """Who wrote it, as the page says; several are separated by commas (`authors` lists them)."""
        return self.metadata.author

    @property
    def authors(self) -> tuple[str, ...]:
        """Who wrote it, each by name."""
        return self.metadata.authors

    @property
    def date(self) -> str | None:
        """When it was published, in ISO 8601: the day, with the time and the zone if the page gives them."""
        return self.metadata.published

    @property
    def source(self) -> str | None:
        """The name of the site or paper."""
        return self.metadata.sitename

    @property
    def language(self) -> str | None:
        """The language as BCP 47 writes it: as the page says, or else as its text tells."""
        return self.metadata.language

    @property
    def description(self) -> str | None:
        """What the page says it is about."""
        return self.metadata.description

    @property
    def url(self) -> str | None:
        """The address that was given, or else the one the page names as its own."""
        return address(self._whole)

    def next_part(self, url: str | None = None, skip: int = 0) -> str | None:
        """Return the address of the next page of the same article; None where this is the last one.

        `url` is the address of this page, where the article does not have it. `skip` pages after it are passed over.
        """
        from pagesieve.facts.next_part import next_part

        address = url or self.url
        return next_part(self._whole, address, skip) if address else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the page before it was read, and `problem` as a sentence, if there is one."""
        from pagesieve.kinds.problem import NOTES

        given = self.whole.notes if isinstance(self.whole, Page) else ()
        return (*given, *self.page.notes, *([NOTES[self.problem]] if self.problem else []))

    @property
    def encoding(self) -> str:
        """The encoding that the page was decoded with."""
        return self.page.encoding

    @lazy
    def _rows(self) -> Any:
        """What is written, as a mask of bytes."""
        rows = self.selection.row_marks
        return either(rows, self._comments) if self.include_comments else rows

    @lazy
    def _comments(self) -> Any:
        """The text rows of what readers wrote below, as a mask of bytes."""
        return written_rows(self.selection.blocks, self.selection.comment_marks)

    @lazy
    def _document(self) -> Document:
        return build(self._written_page, self._rows, self.options)

    @property
    def _documents(self) -> tuple[Document, ...]:
        """What the body is made of, in order."""
        return (self._document,)

    @lazy
    def _comment_document(self) -> Document:
        """What readers wrote below, as a document."""
        return build(self._written_page, self._comments, self.options)

    @lazy
    def text(self) -> str:
        """The body as plain text, without the headline. Records are separated by an empty line, posts by a rule."""
        if self.selection.parts:
            return _text_of_parts(self.selection)
        if self.selection.posts:
            return self._thread.text(self._before_posts, self.include_bylines)
        return write_text(self._document)

    @lazy
    def markdown(self) -> str:
        """The body as Markdown; posts begin with their author and date, and a rule is between them."""
        if self.selection.posts:
            return self._thread.markdown(self._before_posts)
        return writing.write_markdown(self._document)

    @lazy
    def html(self) -> str:
        """The body as clean HTML; posts begin with their author and date, and a rule is between them."""
        if self.selection.posts:
            return self._thread.html(self._before_posts)
        return writing.write_html(self._document)

    @lazy
    def tei(self) -> str:
        """The body and the facts as an XML document by the rules of TEI Lite."""
        facts = self.metadata
        header = writing.Header(
            title=self.title,
            authors=facts.authors,
            publisher=facts.sitename or facts.hostname,
            published=facts.published,
            url=self.url,
            language=facts.language,
            terms=tuple(dict.fromkeys((*facts.categories, *facts.tags))),
            description=facts.description,
            license=facts.license,
        )
        return writing.write_tei(self._documents, header)

    @lazy
    def posts(self) -> tuple[Post, ...]:
        """The posts of a thread, of a forum or of questions and answers; empty where the page is none."""
        return self._thread.first(len(self.selection.posts)).posts

    @lazy
    def comments(self) -> Posts:
        """What readers wrote below, as posts; empty where there is nothing. `str()` gives it as plain text."""
        from pagesieve.threads.thread import Posts

        if 1 not in self._comments:
            return Posts((), "")
        return Posts(self._comment_thread.posts, write_text(self._comment_document))

    @lazy
    def _comment_thread(self) -> Thread:
        """What readers wrote below, post by post."""
        from pagesieve.threads.thread import Thread

        return Thread.of(self._written_page, self._comment_posts, self.options)

    @lazy
    def _comment_posts(self) -> tuple[PostRows, ...]:
        from pagesieve.threads.posts import comment_posts

        return comment_posts(self.selection.blocks.page, self._comments)

    @lazy
    def _thread(self) -> Thread:
        """The posts of a thread, with the comments on them if asked."""
        from pagesieve.threads.thread import Thread

        comments = self._comment_posts if self.include_comments else ()
        return Thread.of(self._written_page, (*self.selection.posts, *comments), self.options)

    @lazy
    def _before_posts(self) -> Document:
        rows = self.selection.rows.copy()
        rows[self.selection.posts[0].root :] = False
        return build(self._written_page, rows, self.options)

    @lazy
    def decisions(self) -> tuple[Decision, ...]:
        """Every block of the page in order: kept or dropped, and why."""
        return tuple(self.selection.decisions())

    def as_dict(self, bodies: Sequence[str] = ("text", "markdown")) -> dict[str, Any]:
        """Return the facts, where they were found, and the body as each of `bodies`, ready for JSON."""
        check_bodies(bodies)
        texts = {name: getattr(self, name) for name in bodies}
        return {**self._facts_as_dict(), **texts, **self._posts_as_dict(bodies)}

    def _facts_as_dict(self) -> dict[str, Any]:
        """Return all that is known of the article but for what was written."""
        return {
            **self.metadata.as_dict(),
            "found": dict(self.metadata.found),
            "kind": self.kind,
            "problem": self.problem,
            "method": self.method,
            "encoding": self.encoding,
            "notes": list(self.notes),
            "parts": list(self.parts),
        }

    def _posts_as_dict(self, bodies: Sequence[str]) -> dict[str, Any]:
        """Return the posts and the comments, with the body of each as each of `bodies`, and how much was parsed."""
        posts, has_comments, part = len(self.selection.posts), 1 in self._comments, self.partial
        return {
            "posts": self._thread.first(posts).as_dicts(bodies) if posts else [],
            "comments": self._comment_thread.as_dicts(bodies) if has_comments else [],
        } | ({"partial": {"nodes": part.nodes, "bytes": part.size, "of": part.of}} if part is not None else {})

    def as_json(self, bodies: Sequence[str] = ("text",)) -> str:
        """Return `as_dict` as one line of JSON, with the text alone unless more is asked for."""
        from json import JSONEncoder

        from pagesieve.page.kernel.page.facts import quoted

        check_bodies(bodies)
        encode = JSONEncoder(ensure_ascii=False).encode
        texts = [f'"{name}": {quoted(getattr(self, name))}' for name in dict.fromkeys(bodies)]
        return ", ".join((encode(self._facts_as_dict())[:-1], *texts, encode(self._posts_as_dict(bodies))[1:]))

    def as_markdown(self) -> str:
        """Return a whole document: the facts as YAML front matter, the headline as a heading, and the body."""
        facts = self.metadata.as_dict() | {"problem": self.problem}
        parts = [writing.write_front_matter(facts), writing.write_heading([self.title], 1), self.markdown]
        return "\n\n".join(part for part in parts if part)
