"""The functions that people call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from pagesieve.articles.lineblocks import LineBlockOptions, lineblocks
from pagesieve.articles.metadata import metadata
from pagesieve.errors import BadOption, NothingFound
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.page.writer import WriterOptions
from pagesieve.page.writer.inline import fold
from pagesieve.results import Article, Decision, Selection

Html = str | bytes | Page
Format = Literal["text", "markdown", "html", "json"]
Favor = Literal["precision", "recall"]

FORMATS = ("text", "markdown", "html", "json")
FAVORS = ("precision", "recall")

# How far a wish for precision or recall moves a method's threshold.
_FAVORED = {None: 1.0, "precision": 1.5, "recall": 0.6}


def _by_lineblocks(page: Page, favor: str | None) -> Selection:
    options = LineBlockOptions()
    return lineblocks(page, replace(options, threshold=round(options.threshold * _FAVORED[favor])))


METHODS: dict[str, Callable[[Page, str | None], Selection]] = {"lineblocks": _by_lineblocks}
AUTO = ("lineblocks",)  # who answers for `auto`: the first that can


def extract(html: Html, url: str | None = None, *, format: Format = "text", **as_article: object) -> str | None:
    """The article of a page as text, Markdown, HTML or JSON; None where nothing is found.

    The other options are those of `article`.
    """
    _check("format", format, FORMATS)
    try:
        found = article(html, url, **as_article)  # type: ignore[arg-type]
    except NothingFound:
        return None
    return found.as_json() if format == "json" else str(getattr(found, format))


def article(
    html: Html,
    url: str | None = None,
    *,
    method: str = "auto",
    reference: object = None,
    sites: object = None,
    model: object = None,
    favor: Favor | None = None,
    include_comments: bool = False,
    include_tables: bool = True,
    include_links: bool = False,
    include_images: bool = False,
) -> Article:
    """The article of a page: body, headline, facts, and a decision about every block.

    `html` is text, bytes (the encoding is found) or a Page. `method` is `auto` or the name of a method. Raises
    NothingFound where the page holds no article; never returns None.
    """
    _check("method", method, ("auto", *METHODS))
    if favor is not None:
        _check("favor", favor, FAVORS)
    for name, value in (("reference", reference), ("sites", sites), ("model", model)):
        if value is not None:
            raise BadOption(f"{name}: no method of this version uses one; leave it away")
    page = parse(html, url)
    name, selection = _select(page, AUTO if method == "auto" else (method,), favor)
    facts = metadata(page)
    return Article(
        page=page,
        selection=_without_headline(page, selection, facts.title),
        metadata=facts,
        method=name,
        options=WriterOptions(links=include_links, images=include_images, tables=include_tables),
        include_comments=include_comments,
    )


def _check(option: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadOption(f"{option} is one of {', '.join(known)}, not {value!r}")


def _select(page: Page, names: tuple[str, ...], favor: str | None) -> tuple[str, Selection]:
    """The first method that can answer, and its answer."""
    reasons = []
    for name in names:
        try:
            return name, METHODS[name](page, favor)
        except NothingFound as error:
            reasons.append(f"{name}: {error}")
    raise NothingFound("; ".join(reasons))


def _without_headline(page: Page, selection: Selection, title: str) -> Selection:
    """The selection less the blocks that only repeat the headline before the body begins."""
    rows, dropped = selection.rows.copy(), list[Decision]()
    for decision in selection.decisions:
        if not decision.kept:
            continue
        if fold(page.text_buffer[page.text_at[decision.first] : page.text_at[decision.last + 1]].decode()) != title:
            break
        rows[decision.first : decision.last + 1] = False
        dropped.append(replace(decision, kept=False, reason="the headline"))
    return selection.keep(rows, tuple(dropped)) if dropped and rows.any() else selection
