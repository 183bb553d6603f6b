"""The article of a page, and its options, which the functions, the batch and the command line share."""

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
from pagesieve.options import option
from pagesieve.page import kernel
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.lines import either
from pagesieve.page.stated import address
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.selection import Decision, PostRows, Selection, only_shown
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

BODIES = ("text", "markdown", "html")  # the formats in which an article has its body
FORMATS: tuple[str, ...] = get_args(Format)
FAVORS = ("precision", "recall")
METHOD_NAMES = ("auto", *METHODS)


@dataclass(frozen=True, kw_only=True)
class ArticleOptions:
    """How to find the article of a page, and what to write of it."""

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
        """The options of the writers."""
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


# The options of other extractors, and the option or the call of Pagesieve that does the same.
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
    """Raise UnknownOption for the first keyword that is not an option of the function."""
    name = next(name for name in given if name not in known)
    if "favor" in known and name in ELSEWHERE:
        raise UnknownOption(f"{function}() has no option {name!r}: did you mean {ELSEWHERE[name]}?")
    if meant := closest(name, known):
        raise UnknownOption(f"{function}() has no option {name!r}: did you mean {meant!r}?")
    raise UnknownOption(f"{function}() has no option {name!r}; it has {', '.join(known)}")


def check(option: str, value: object, known: Sequence[str]) -> None:
    """Raise BadOption if the value of an option is not one of the valid values."""
    if value not in known:
        raise BadOption(f"{option} is one of {', '.join(known)}, not {value!r}")


def check_bodies(names: Sequence[str]) -> None:
    """Raise BadOption if one of the names is not a format of the body."""
    for name in names:
        check("with", name, BODIES)


def _text_of_parts(selection: Selection) -> str:
    """Return the lines that each part keeps, with an empty line between the parts."""
    blocks, kept = selection.blocks, selection.kept.tolist()
    spans = iter(blocks.below(list(chain.from_iterable(selection.parts))))
    texts = []
    for roots in selection.parts:
        lines = (line for first, stop in islice(spans, len(roots)) for line in range(first, stop) if kept[line])
        texts.append("\n".join(map(blocks.text, lines)))
    return "\n\n".join(filter(None, texts))


def page_facts(page: Page, external: Sequence[str] = ()) -> dict[str, Any]:
    """Return the values of `Article.as_dict` for a page without an article: all that do not need its text."""
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
    """Find the article of a page in four steps, and return it. Raise NothingFound if a step leaves no rows.

    A method selects rows of the page; the headline is removed from them; if the page is a thread, its posts are
    identified; and rows that the page does not show are removed.
    """
    page, partial = parse_for(options.method, source, inputs)
    method, selection = select(page, options.method, inputs)
    headline = find_headline(page, external) if partial is None else None
    if headline is not None:
        selection = without_headline(selection, headline)
    if method in AUTO:  # the other methods do what their papers describe, and know no posts
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
    """Return the selection with its posts if the page is a thread; a quick check excludes most pages."""
    first = -1 if selection.parts else kernel.page.posts.may_be_thread(selection.blocks.page, selection.row_marks)
    if first < 0:
        return selection
    from pagesieve.threads.posts import with_posts

    return with_posts(selection, first)


@dataclass(frozen=True, repr=False)
class Article:
    """The article of a page. The texts are written on first access."""

    page: Page  # the page that holds the article: the whole page, a part of it, or a small page made from its data
    selection: Selection
    headline: str | None  # None if only a part of the page was parsed: `title` then finds it
    method: str
    options: WriterOptions = field(default=WriterOptions())
    include_comments: bool = False
    include_bylines: bool = False
    whole: Page | Partial | None = None  # the whole page, if `page` is not all of it
    external: Sequence[str] = ()  # the titles that other pages give this one
    parts: tuple[str, ...] = ()  # the addresses of its pages, in order, if it was joined from several

    def __repr__(self) -> str:
        return f"<Article {self.title!r} by {self.method}>"

    @lazy
    def metadata(self) -> Metadata:
        """The facts that the page states about its article, and the source of each; computed on first access."""
        from pagesieve.facts.metadata import metadata

        return metadata(self._whole, self.external, self.headline, lambda: self.text, self._first_post)

    @property
    def _first_post(self) -> PostRows | None:
        """The first post of a thread, or None if text precedes it: that text is then the opening contribution."""
        posts = self.selection.posts
        return posts[0] if posts and not self.selection.rows[: posts[0].root].any() else None

    @property
    def partial(self) -> Partial | None:
        """The parsed part of the page, if the page was not parsed whole."""
        return None if isinstance(self.whole, Page) else self.whole

    @property
    def _written_page(self) -> Page:
        """The page from which the texts are written.

        The page of the selection may contain text that the page hides, but the selection has no such text. A selection
        has no images, so they are written from the page itself.
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
        """The kind of the page: article, catalogue, records or other."""
        from pagesieve.kinds.kind import kind

        return kind(self._whole)

    @lazy
    def problem(self) -> Problem | None:
        """The kind of page that a server sent instead of the article: robot check, consent, log-in, error; or None."""
        from pagesieve.kinds.problem import problem

        return None if isinstance(self.whole, Page) else problem(self._whole)  # which has the article in its data

    @property
    def title(self) -> str:
        """The headline, or an empty string if the page has none."""
        return self.metadata.title if self.headline is None else self.headline

    @property
    def author(self) -> str | None:
        """The authors that the page states, separated by commas (`authors` lists them)."""
        return self.metadata.author

    @property
    def authors(self) -> tuple[str, ...]:
        """The names of the authors."""
        return self.metadata.authors

    @property
    def date(self) -> str | None:
        """The date of publication in ISO 8601, with the time and the zone if the page states them."""
        return self.metadata.published

    @property
    def source(self) -> str | None:
        """The name of the site or paper."""
        return self.metadata.sitename

    @property
    def language(self) -> str | None:
        """The language as a BCP 47 tag: as the page states it, or else detected from its text."""
        return self.metadata.language

    @property
    def description(self) -> str | None:
        """The summary that the page states."""
        return self.metadata.description

    @property
    def url(self) -> str | None:
        """The URL with which the page was read, or else the canonical address that the page states."""
        return address(self._whole)

    def next_part(self, url: str | None = None, skip: int = 0) -> str | None:
        """Return the address of the next page of the same article, or None if this is the last one.

        `url` is the address of this page, if the article does not have it. `skip` is the number of pages to skip.
        """
        from pagesieve.facts.next_part import next_part

        address = url or self.url
        return next_part(self._whole, address, skip) if address else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the page was repaired, cut or decoded, and `problem` as a sentence if there is one."""
        from pagesieve.kinds.problem import NOTES

        given = self.whole.notes if isinstance(self.whole, Page) else ()
        return (*given, *self.page.notes, *([NOTES[self.problem]] if self.problem else []))

    @property
    def encoding(self) -> str:
        """The encoding with which the page was decoded."""
        return self.page.encoding

    @property
    def _rows(self) -> Any:
        """The rows to write, as a mask of bytes."""
        rows = self.selection.row_marks
        return either(rows, self._comments) if self.include_comments else rows

    @lazy
    def _comments(self) -> Any:
        """The text rows of the comments, as a mask of bytes."""
        return written_rows(self.selection.blocks, self.selection.comment_marks)

    @lazy
    def _document(self) -> Document:
        return build(self._written_page, self._rows, self.options)

    @property
    def _documents(self) -> tuple[Document, ...]:
        """The documents of the body, in order."""
        return (self._document,)

    @lazy
    def _comment_document(self) -> Document:
        """The comments as a document."""
        return build(self._written_page, self._comments, self.options)

    @lazy
    def text(self) -> str:
        """The body as plain text, without the headline. Empty lines separate records, rules separate posts."""
        if self.selection.parts:
            return _text_of_parts(self.selection)
        if self.selection.posts:
            return self._thread.text(self._before_posts, self.include_bylines)
        return write_text(self._document)

    @lazy
    def markdown(self) -> str:
        """The body as Markdown. Each post begins with its author and date; rules separate posts."""
        if self.selection.posts:
            return self._thread.markdown(self._before_posts)
        return writing.write_markdown(self._document)

    @lazy
    def html(self) -> str:
        """The body as clean HTML. Each post begins with its author and date; rules separate posts."""
        if self.selection.posts:
            return self._thread.html(self._before_posts)
        return writing.write_html(self._document)

    @lazy
    def tei(self) -> str:
        """The body and the facts as an XML document in TEI Lite."""
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
        """The posts of a thread: of a forum topic, or of a question with its answers. Empty for other pages."""
        return self._thread.first(len(self.selection.posts)).posts

    @lazy
    def comments(self) -> Posts:
        """The readers' comments below the article, as posts; `str()` returns their plain text."""
        from pagesieve.threads.thread import Posts

        if 1 not in self._comments:
            return Posts((), "")
        return Posts(self._comment_thread.posts, write_text(self._comment_document))

    @lazy
    def _comment_thread(self) -> Thread:
        """The comments as a thread."""
        from pagesieve.threads.thread import Thread

        return Thread.of(self._written_page, self._comment_posts, self.options)

    @lazy
    def _comment_posts(self) -> tuple[PostRows, ...]:
        from pagesieve.threads.posts import comment_posts

        return comment_posts(self.selection.blocks.page, self._comments)

    @lazy
    def _thread(self) -> Thread:
        """The posts of a thread, with the comments on them if `include_comments` is true."""
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
        """The decisions about all blocks of the page, in order: kept or dropped, and why."""
        return tuple(self.selection.decisions())

    def as_dict(self, bodies: Sequence[str] = ("text", "markdown")) -> dict[str, Any]:
        """Return a dict for JSON: the facts, the source of each fact, and the body in each format of `bodies`."""
        check_bodies(bodies)
        texts = {name: getattr(self, name) for name in bodies}
        return {**self._facts_as_dict(), **texts, **self._posts_as_dict(bodies)}

    def _facts_as_dict(self) -> dict[str, Any]:
        """Return everything about the article except its texts."""
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
        """Return the posts and the comments in the formats of `bodies`, and the size of the parsed part, if any."""
        posts, has_comments, part = len(self.selection.posts), 1 in self._comments, self.partial
        return {
            "posts": self._thread.first(posts).as_dicts(bodies) if posts else [],
            "comments": self._comment_thread.as_dicts(bodies) if has_comments else [],
        } | ({"partial": {"nodes": part.nodes, "bytes": part.size, "of": part.of}} if part is not None else {})

    def as_json(self, bodies: Sequence[str] = ("text",)) -> str:
        """Return `as_dict` as one line of JSON; by default, the only format of the body is text."""
        from pagesieve.page.kernel.page.facts import as_json

        return as_json(self.as_dict(bodies))

    def as_markdown(self, body: str | None = None) -> str:
        """Return a Markdown document: the facts as YAML front matter, the headline as a heading, and the body.

        A given `body`, such as the records of the page, replaces that of the article.
        """
        facts = self.metadata.as_dict() | {"problem": self.problem}
        body = self.markdown if body is None else body
        parts = [writing.write_front_matter(facts), writing.write_heading([self.title], 1), body]
        return "\n\n".join(part for part in parts if part)
