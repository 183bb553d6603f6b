"""`--follow`: the other pages of an article, fetched like the first one, or read from files next to it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

from pagesieve.article import Article
from pagesieve.cli.sources import STANDARD_INPUT_NAME
from pagesieve.errors import BadInput
from pagesieve.joining import follow
from pagesieve.text.urls import is_url

_LOCAL = "http://files.invalid/1-saved/"  # stands for the folder of a file without an address

Read = Callable[[str, str | None], Article]  # takes the name of a source and, for a file, the address of its page


def follow_source(first: Article, name: str, url: str | None, read: Read, most: int) -> Article:
    """Return the article of a source with all its pages; `url` is the option --url, the address of a file."""
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
    """The files in the folder of the first page, by the addresses in the links between them."""

    def __init__(self, first: Path, url: str | None) -> None:
        self._folder = first.parent
        self.url = url or _LOCAL + quote(first.name)  # of the first page
        self._prefix = self.url.partition("?")[0].rpartition("/")[0] + "/"
        self._names = {self.url: str(first)}

    def name(self, address: str) -> str:
        """Return the name of the file of an address. Raises BadInput if it is outside of the folder, or not a file."""
        if address not in self._names:
            self._names[address] = str(self._path(address))
        return self._names[address]

    def _path(self, address: str) -> Path:
        path, _, query = address.partition("?")
        name = unquote(path.removeprefix(self._prefix)) + (f"?{query}" if query else "")
        if not path.startswith(self._prefix) or "\0" in name:
            raise BadInput(f"{address}: not in the folder of the first page")
        file = self._folder / name
        if file.is_dir():
            file /= "index.html"
        if not file.resolve().is_relative_to(self._folder.resolve()):
            raise BadInput(f"{file}: not in the folder of the first page")
        if file.exists() and not file.is_file():
            raise BadInput(f"{file}: not a regular file")
        return file
