"""Write sets of labelled pages, as `pagesieve.evaluate.archives` reads them: into a folder, or as an archive."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pagesieve.arrayfile import put_file
from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import GOLD_NAME, PAGE_SUFFIX, PAGES_FOLDER, LabelledSet, read_rows

ID_BYTES = 8  # of a digest of the page
# The page is kept as it was decoded. A byte order mark says so whatever the page itself declares.
_ENCODING = "utf-8-sig"


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and its gold; the source identifies the page, so that it is in a set only once."""

    html: str
    answer: dict[str, Any]  # what a line of gold.jsonl has, but for the id

    @property
    def id(self) -> str:
        """The id of the page in a set."""
        return blake2b(self.data, digest_size=ID_BYTES).hexdigest()

    @property
    def data(self) -> bytes:
        """The file of the page."""
        return self.html.removeprefix("\ufeff").encode(_ENCODING, "replace")

    @property
    def row(self) -> dict[str, Any]:
        """The line of gold.jsonl."""
        return {"id": self.id} | self.answer


def add_pages(folder: Path, pages: Sequence[LabelledPage]) -> int:
    """Add pages to the set in a folder, which is created if needed; return the number of its pages.

    The gold of a page in the set is replaced. Raises BadInput if the folder cannot be written, or holds something else.
    """
    gold = folder / GOLD_NAME
    try:
        (folder / PAGES_FOLDER).mkdir(parents=True, exist_ok=True)
        rows = [row for _, row in read_rows(LabelledSet(folder.name, folder))] if gold.exists() else []
        golds = {str(row.get("id")): row for row in rows} | {page.id: page.row for page in pages}
        for page in pages:
            put_file(folder / PAGES_FOLDER / f"{page.id}{PAGE_SUFFIX}", page.data)
        put_file(gold, _lines(golds.values()))
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written: {error.strerror or error}") from error
    return len(golds)


def write_archive(name: str, pages: Sequence[LabelledPage]) -> bytes:
    """Return a set of that name as an archive (.tar.xz)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        for path, data in _files(pages):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def _files(pages: Sequence[LabelledPage]) -> Iterator[tuple[str, bytes]]:
    unique = {page.id: page for page in pages}
    yield GOLD_NAME, _lines(page.row for page in unique.values())
    for page in unique.values():
        yield f"{PAGES_FOLDER}/{page.id}{PAGE_SUFFIX}", page.data


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
