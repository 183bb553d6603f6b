"""What is public is exactly what stands here."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import subprocess
import sys
from pathlib import Path

import click
import pytest

import pagesieve
from pagesieve import errors
from pagesieve.article import ArticleKeywords, ArticleOptions, OptionKeywords
from pagesieve.cli import commands
from pagesieve.fetching import chromium, http
from pagesieve.fetching.options import FetchOptions, RenderOptions
from pagesieve.records.find import RecordOptions

PUBLIC = {
    "KERNEL",
    "AddressRefused",
    "Article",
    "BadInput",
    "BadLibrary",
    "BadModel",
    "BadOption",
    "Catalogue",
    "Column",
    "Decision",
    "FetchError",
    "Item",
    "Link",
    "MissingBrowser",
    "MissingExtra",
    "Node",
    "NotASibling",
    "NothingFound",
    "Page",
    "PagesieveError",
    "Post",
    "Record",
    "Records",
    "RenderError",
    "Schema",
    "Selection",
    "UnknownOption",
    "article",
    "catalogue",
    "extract",
    "extract_many",
    "fetch",
    "follow",
    "headline",
    "join",
    "kind",
    "open_sites",
    "parse",
    "records",
}
ARTICLE = {
    "as_dict",
    "as_json",
    "as_markdown",
    "author",
    "authors",
    "comments",
    "date",
    "decisions",
    "description",
    "encoding",
    "external",
    "headline",
    "html",
    "include_bylines",
    "include_comments",
    "kind",
    "language",
    "markdown",
    "metadata",
    "method",
    "next_part",
    "notes",
    "options",
    "page",
    "partial",
    "parts",
    "posts",
    "problem",
    "selection",
    "source",
    "tei",
    "text",
    "title",
    "url",
    "whole",
}
SIGNATURES = {
    "extract": "html, url, format, as_article",
    "extract_many": "pages, workers, threads, format, as_article",
    "article": "html, url, reference, sites, external, method, model, favor, "
    "include_comments, include_tables, include_links, include_images, include_bylines, include_captions",
    "catalogue": "html, url",
    "follow": "first, get, url, most",
    "headline": "html, url, external",
    "join": "articles, parts, notes",
    "kind": "html, url",
    "open_sites": "path_or_url, template_life",
    "parse": "html, url, content_type",
    "records": "html, url, mode, region, date, schema, sites, render",
}


def test_the_names_of_the_package() -> None:
    assert set(pagesieve.__all__) == PUBLIC
    assert {name for name in dir(pagesieve) if not name.startswith("_")} == PUBLIC


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'pagesieve' has no attribute 'nothing'"):
        _ = pagesieve.nothing  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        exec("from pagesieve import nothing")


@pytest.mark.parametrize("module", ["pagesieve.article", "pagesieve.records.find", "pagesieve.headlines.catalogue"])
def test_a_module_does_not_hide_the_function_of_its_name(module: str) -> None:
    code = (
        f"import {module}, pagesieve; print(*(type(getattr(pagesieve, name)).__name__ for name in pagesieve.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "module" not in done.stdout.split()


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(pagesieve.__file__ or "").read_text(encoding="utf-8"))
    (checked,) = (node for node in tree.body if isinstance(node, ast.If))
    places = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert places == pagesieve._HOME


@pytest.mark.parametrize("name", sorted(PUBLIC - {"KERNEL"}))
def test_every_public_thing_is_documented(name: str) -> None:
    assert (getattr(pagesieve, name).__doc__ or "").strip()


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_the_options(name: str) -> None:
    assert ", ".join(inspect.signature(getattr(pagesieve, name)).parameters) == SIGNATURES[name]


def test_the_options_of_an_article_are_the_keywords_and_have_the_defaults_of_the_contract() -> None:
    names = [field.name for field in dataclasses.fields(ArticleOptions)]
    assert list(OptionKeywords.__annotations__) == names
    parameters = inspect.signature(pagesieve.article).parameters
    assert set(ArticleKeywords.__annotations__) == set(parameters) - {"html", "url"}
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    assert defaults == dict.fromkeys(("html", "url", "reference", "sites", "model", "favor", "include_captions")) | {
        "method": "auto",
        "external": (),
        "include_comments": False,
        "include_tables": True,
        "include_links": False,
        "include_images": False,
        "include_bylines": False,
    }


@pytest.mark.parametrize("name", ["article", "batch"])
def test_a_command_has_the_options_of_an_article(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    options = {option.name: option for option in command.params if isinstance(option, click.Option)}
    for field in dataclasses.fields(ArticleOptions):
        option = options[field.name]
        assert option.get_default(click.Context(command)) == field.default
        assert (option.help or "").casefold() == f"{field.metadata['help']}.".casefold()


def test_the_options_of_records_are_the_keywords_and_have_their_defaults() -> None:
    parameters = inspect.signature(pagesieve.records).parameters
    declared = [field for field in dataclasses.fields(RecordOptions) if field.metadata]
    assert {field.name: parameters[field.name].default for field in declared} == {
        field.name: field.default for field in declared
    }


@pytest.mark.parametrize(
    ("command", "options", "names"),
    [
        ("records", RecordOptions, ["mode", "region"]),
        ("records", RenderOptions, ["scroll"]),
        *(
            (command, FetchOptions, ["cache", "user_agent", "allow_private"])
            for command in ("article", "headline", "catalogue", "records", "explain", "learn")
        ),
        *((command, FetchOptions, ["allow_private"]) for command in ("batch", "crawl", "serve", "mcp")),
    ],
)
def test_an_option_of_a_command_is_the_declared_one(command: str, options: type, names: list[str]) -> None:
    found = commands.get_command(click.Context(commands), command)
    assert found is not None
    parameters = {option.name: option for option in found.params if isinstance(option, click.Option)}
    for field in dataclasses.fields(options):
        if field.name in names:
            option = parameters[field.name]
            assert option.get_default(click.Context(found)) in (field.default, None)
            assert (option.help or "").casefold() == f"{field.metadata['help']}.".casefold()


def test_what_an_article_offers() -> None:
    fields = {field.name for field in dataclasses.fields(pagesieve.Article)}
    assert {name for name in {*dir(pagesieve.Article), *fields} if not name.startswith("_")} == ARTICLE


def test_the_options_of_fetching_and_rendering_are_also_beside_what_takes_them() -> None:
    assert http.FetchOptions is FetchOptions
    assert chromium.RenderOptions is RenderOptions


def test_the_error_tree_is_the_one_that_is_drawn() -> None:
    branches = [line for line in (errors.__doc__ or "").splitlines() if "── " in line]
    drawn = [line.split("── ")[1].split()[0] for line in branches]
    classes = [value for value in vars(errors).values() if getattr(value, "__module__", "") == errors.__name__]
    classes = [value for value in classes if inspect.isclass(value)]
    assert sorted(found.__name__ for found in classes) == sorted(["PagesieveError", *drawn])
    assert all(issubclass(found, errors.PagesieveError) for found in classes)
