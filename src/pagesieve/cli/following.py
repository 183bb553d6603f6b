"""`--follow`: the other pages of an article, fetched as the first one was, or read from files beside it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

from pagesieve.article import Article
from pagesieve.cli.sources import STANDARD_INPUT_NAME
from pagesieve.errors import BadInput
from pagesieve.joining import follow
from pagesieve.text.urls import is_url

_LOCAL = "http://files.invalid/1-saved/"  # the address of a folder, where that of a file in it is not known

Read = Callable[[str, str | None], Article]  # given the name of a source and, for a file, the address of its page


def follow_source(first: Article, name: str, url: str | None, read: Read, most: int) -> Article:
    """Return the article of a source with all its pages; `url` is the address that was given for a file."""
    if name == STANDARD_INPUT_NAME:
        return first
    if is_url(name):
        return follow(first, lambda address: read(address, None), most=most)
    files = _Files(Path(name), url)
    joined = follow(
        first, lambda address: read(files.name(address), address if url else None), url=files.url, most=most
    )
    return replace(joined, parts=tuple(map(files.name, joined.parts)))


class _Files:
    """The files in the folder of the first one, by the addresses that links between them lead to."""

    def __init__(self, first: Path, url: str | None) -> None:
        self._folder = first.parent
        self.url = url or _LOCAL + quote(first.name)  # of the first page
        self._prefix = self.url.partition("?")[0].rpartition("/")[0] + "/"
        self._names = {self.url: str(first)}

    def name(self, address: str) -> str:
        """Return the name of the file of an address. Raises BadInput where that is outside of the folder, or none."""
        if address not in self._names:
            self._names[address] = str(self._path(address))
        return self._names[address]

    def _path(self, address: str) -> Path:
        path, _, query = address.partition("?")
        name = unquote(path.removeprefix(self._prefix)) + (f"?{query}" if query else "")
        if not path.startswith(self._prefix) or "\0" in name:
            raise BadInput(f"{address}: not in the folder of the first page")
        found = self._folder / name
        if found.is_dir():
            found /= "index.html"
        if not found.resolve().is_relative_to(self._folder.resolve()):
            raise BadInput(f"{found}: not in the folder of the first page")
        if found.exists() and not found.is_file():
            raise BadInput(f"{found}: not a regular file")
        return found
