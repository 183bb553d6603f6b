"""A folder with a file for each page. File names are safe and depend only on the page; files appear when complete."""

import os
import re
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from pagesieve.errors import BadInput
from pagesieve.fetching import PAGE_ENDINGS
from pagesieve.text.urls import is_url

MAX_NAME = 80  # bytes of a name, before its digest and ending
DIGEST = 5  # bytes: a million pages with similar names have a collision with a probability of one half
_UNSAFE = re.compile(r"[^\w.]+")


def file_name(source: str, ending: str) -> str:
    """Return the name of a page's file: a readable beginning and a digest of the whole name of the source."""
    if is_url(source):
        label = re.sub(r"^https?://(?:www\.)?", "", source)
        name = source
    else:
        label = os.path.basename(source)
        name = os.path.normpath(source)
    label = next((label[: -len(end)] for end in PAGE_ENDINGS if label.lower().endswith(end)), label)
    plain = _UNSAFE.sub("-", label.encode("utf-8", "replace").decode()).strip("-._")
    short = plain.encode()[:MAX_NAME].decode("utf-8", "ignore").rstrip("-._") or "page"
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=DIGEST).hexdigest()
    return f"{short}-{digest}{ending}"


class PageFiles:
    """The files of a command's results."""

    def __init__(self, folder: str, ending: str, *, overwrite: bool) -> None:
        """Create the folder if it does not exist. Raises BadInput if that fails."""
        self.folder, self._ending, self._overwrite = Path(folder), ending, overwrite
        self.count = self.existing = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{folder}: cannot create the folder: {error.strerror or error}") from error

    def has(self, source: str) -> bool:
        """Whether the file of a page exists and is not to be overwritten."""
        exists = not self._overwrite and self._path(source).exists()
        self.existing += exists
        return exists

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
        self.count += 1
        return path

    def _path(self, source: str) -> Path:
        return self.folder / file_name(source, self._ending)
