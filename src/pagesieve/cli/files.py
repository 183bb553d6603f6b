"""A folder with one file a page: names that are safe, and always the same for a page; nothing half written."""

import os
import re
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from pagesieve.errors import BadInput
from pagesieve.fetching import PAGE_ENDINGS
from pagesieve.text.urls import is_url

LONGEST_NAME = 80  # bytes of a name, before its digest and ending
DIGEST = 5  # bytes: two of a million pages whose names are alike have the same by a chance of one in two
_UNSAFE = re.compile(r"[^\w.]+")


def file_name(source: str, ending: str) -> str:
    """Return the name of a page's file: readable by its beginning, unique by a digest of its source's whole name."""
    if is_url(source):
        shown = re.sub(r"^https?://(?:www\.)?", "", source)
        named = source
    else:
        shown = os.path.basename(source)
        named = os.path.normpath(source)
    shown = next((shown[: -len(end)] for end in PAGE_ENDINGS if shown.lower().endswith(end)), shown)
    plain = _UNSAFE.sub("-", shown.encode("utf-8", "replace").decode()).strip("-._")
    short = plain.encode()[:LONGEST_NAME].decode("utf-8", "ignore").rstrip("-._") or "page"
    digest = blake2b(named.encode("utf-8", "surrogateescape"), digest_size=DIGEST).hexdigest()
    return f"{short}-{digest}{ending}"


class PageFiles:
    """The files of a command's results."""

    def __init__(self, folder: str, ending: str, *, overwrite: bool) -> None:
        """Make the folder where there is none. Raises BadInput where that is not possible."""
        self.folder, self._ending, self._overwrite = Path(folder), ending, overwrite
        self.written = self.kept = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{folder}: cannot be a folder of results: {error.strerror or error}") from error

    def has(self, source: str) -> bool:
        """Whether a page has its file already, which is not to be written again."""
        there = not self._overwrite and self._path(source).exists()
        self.kept += there
        return there

    def write(self, source: str, text: str) -> Path:
        """Write the file of a page under a hidden name, and rename it when it is complete; return its path."""
        path = self._path(source)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(text, encoding="utf-8", errors="replace", newline="")
            os.replace(temporary, path)
        except BaseException as error:
            with suppress(OSError):
                temporary.unlink()
            if isinstance(error, OSError):
                raise BadInput(f"{path}: cannot be written: {error.strerror or error}") from error
            raise
        self.written += 1
        return path

    def _path(self, source: str) -> Path:
        return self.folder / file_name(source, self._ending)
