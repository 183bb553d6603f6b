"""What targets need besides their input: a folder for files, and a site library that has learnt some pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import TracebackType

from tools.fuzz import seeds

import pagesieve
from pagesieve.sites.library import Sites


class Bench:
    """A folder of one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, data: bytes) -> Path:
        """Write the input to a file, for targets that take a path."""
        path = self.folder / "input"
        path.write_bytes(data)
        return path

    @cached_property
    def sites(self) -> Sites:
        """A site library, made when it is first needed."""
        path = self.folder / "sites.db"
        seeds.learn(path)
        return pagesieve.open_sites(path)

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if "sites" in self.__dict__:
            self.sites.close()


Run = Callable[[bytes, Bench], None]
