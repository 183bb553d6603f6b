"""Write the tables of facts, options and attributes into the docs, from the code: python docs/make_facts.py"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from inspect import getdoc, isbuiltin, isfunction, signature
from pathlib import Path

from pagesieve.article import Article, ArticleOptions
from pagesieve.facts.fields import LISTS, MEANINGS
from pagesieve.fetching.options import USER_AGENT, FetchOptions, RenderOptions
from pagesieve.headlines.catalogue import Catalogue
from pagesieve.records.find import RecordOptions
from pagesieve.records.results import Records
from pagesieve.sites.library import Sites

FOLDER = Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- ([\w ]+): written by docs/make_facts\.py -->\n).*?(<!-- end of \2 -->)", re.DOTALL)
ELSEWHERE = {"url": "all", "title": "article, headline, all"}  # what rows without an article have too
NOT_DESCRIBED = {  # public members that are parts of the machinery
    Article: {"partial"},
    Records: {"segmentation", "table", "fitted", "reader", "link_names", "depths", "parents"},
}


def of_articles() -> list[str]:
    """Return the lines of the table in metadata.md."""
    return ["| fact | what it is |", "| --- | --- |", *(f"| `{name}` | {what} |" for name, what in MEANINGS.items())]


def of_rows() -> list[str]:
    """Return the lines of the table in batch.md, with the types of columns."""
    types = {name: "list<string>" if name in LISTS else "string" for name in MEANINGS}
    rows = [
        f"| `{name}` | `{types[name]}` | {ELSEWHERE.get(name, 'article, all')} | {what} |"
        for name, what in MEANINGS.items()
    ]
    return ["| fact | type | in | |", "| --- | --- | --- | --- |", *rows]


def of_options(options: type) -> list[str]:
    """Return the lines of the table of the options that a class declares."""
    rows = []
    for each in fields(options):
        if "help" not in each.metadata:
            continue
        help = each.metadata["help"]
        choices = [name for name in each.metadata["choices"] if name not in help]
        meaning = f"{help}: `{'`, `'.join(choices)}`" if choices else help
        rows.append(f"| `{each.name}` | {code(str(each.type))} | `{written(each.default)}` | {meaning} |")
    return ["| option | type | default | meaning |", "| --- | --- | --- | --- |", *rows]


def written(default: object) -> str:
    """Return a default as Python has it; a function by its name, and the user agent of any version."""
    if isfunction(default) or isbuiltin(default):
        return f"{default.__module__}.{default.__qualname__}".removeprefix(f"{FetchOptions.__module__}.")
    return repr(default).replace(USER_AGENT, "pagesieve/VERSION")


def of_class(described: type) -> list[str]:
    """Return the lines of a table of a class: its properties and methods, with the first sentence about each."""
    rows = [
        f"| {code(heading(name, member))} | {code(type_of(member))} | {first_sentence(member)} |"
        for name, member in vars(described).items()
        if not name.startswith("_") and getdoc(member) and name not in NOT_DESCRIBED.get(described, ())
        if isfunction(member) or read_by(member) is not None
    ]
    return ["| attribute | type | what it is |", "| --- | --- | --- |", *rows]


def read_by(member: object) -> Callable[..., object] | None:
    """Return the function of a property; None for what is no property."""
    for name in ("fget", "func", "read"):  # of property, cached_property and lazy
        if found := getattr(member, name, None):
            return found  # type: ignore[no-any-return]
    return None


def heading(name: str, member: object) -> str:
    """Return the name of a property, or a method with the names of its parameters."""
    if not isfunction(member):
        return name
    parameters = [each for each in signature(member).parameters.values() if each.name != "self"]
    return f"{name}({', '.join(each.name for each in parameters)})"


def type_of(member: object) -> str:
    """Return the type of a property's value, or of what a method returns."""
    written = str((read_by(member) or member).__annotations__["return"])
    return re.sub(r"(?:\w+\.)+(?=[A-Z])", "", written)


def first_sentence(member: object) -> str:
    """Return the first sentence of a docstring, which begins with a capital and has no full stop at its end."""
    sentence = re.split(r"(?<=\w)\.(?:\s|$)", " ".join(str(getdoc(member)).split()), maxsplit=1)[0]
    return sentence.rstrip(".")


def code(text: str) -> str:
    """Return text as code in the cell of a table."""
    return f"`{text}`".replace("|", "\\|")


TABLES: Mapping[str, Mapping[str, Callable[[], list[str]]]] = {
    "metadata.md": {"facts": of_articles},
    "batch.md": {"facts": of_rows},
    "fetching.md": {"FetchOptions": partial(of_options, FetchOptions)},
    "api.md": {
        "options": partial(of_options, ArticleOptions),
        "RecordOptions": partial(of_options, RecordOptions),
        "RenderOptions": partial(of_options, RenderOptions),
        "Article": partial(of_class, Article),
        "Catalogue": partial(of_class, Catalogue),
        "Records": partial(of_class, Records),
        "Sites": partial(of_class, Sites),
    },
}


def document(name: str, text: str) -> str:
    """Return a document with its tables as the code has them."""
    return BLOCK.sub(lambda block: "\n".join([block[1] + "\n".join(TABLES[name][block[2]]()), block[3]]), text)


if __name__ == "__main__":
    for name in TABLES:
        path = FOLDER / name
        path.write_text(document(name, path.read_text(encoding="utf-8")), encoding="utf-8")
        sys.stdout.write(f"{path} written\n")
