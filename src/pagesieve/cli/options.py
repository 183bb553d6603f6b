"""The command-line options that say how to find an article and what to write of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from pagesieve.articles.methods import MODELS, load_model
from pagesieve.errors import BadOption
from pagesieve.options import FAVORS, METHOD_NAMES, ArticleOptions

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULTS = ArticleOptions()
_OPTIONS = (
    click.option(
        "--method",
        type=click.Choice(METHOD_NAMES),
        default=DEFAULTS.method,
        show_default=True,
        help="How to find the article.",
    ),
    click.option("--favor", type=click.Choice(FAVORS), help="Rather miss a paragraph, or rather keep one too many."),
    click.option(
        "--model",
        metavar="FILE",
        type=click.Path(),
        help=f"A model made by `pagesieve train`, for the methods {', '.join(MODELS)}.",
    ),
    click.option("--sites", metavar="DB", help="A site library made by `pagesieve learn`: a file, or a database URL."),
    click.option("--links/--no-links", "include_links", default=DEFAULTS.include_links, help="Keep the links."),
    click.option("--images/--no-images", "include_images", default=DEFAULTS.include_images, help="Keep the images."),
    click.option(
        "--tables/--no-tables",
        "include_tables",
        default=DEFAULTS.include_tables,
        show_default=True,
        help="Keep the tables.",
    ),
    click.option(
        "--comments/--no-comments",
        "include_comments",
        default=DEFAULTS.include_comments,
        help="Keep what readers wrote below.",
    ),
)


def with_article_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def article_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of ArticleOptions; refuse, before any page is read, what would be wrong for all of them."""
    method, model = given["method"], given["model"]
    if method == "template" and given["sites"] is None:
        raise BadOption("--method template needs --sites: a library that has learnt the site")
    if model is not None:
        if method not in MODELS:
            raise BadOption(f"--model is for --method {', '.join(MODELS)}, not {method}")
        load_model(model, method)
    return {name: given[name] for name in ArticleOptions.__dataclass_fields__}
