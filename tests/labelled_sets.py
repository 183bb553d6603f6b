"""Small labelled sets of our own, for the tests of the evaluation."""

import io
import json
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pagesieve.errors import NothingFound
from pagesieve.evaluate.peers import Extracted, Extractor

BODY = "The harbour wall was built in nine weeks. Stone came by barge from the quarry across the bay."


def page(title: str = "A wall by the sea", body: str = BODY) -> bytes:
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{body}</p></body></html>".encode()


def answer(name: str, **known: Any) -> dict[str, Any]:
    return {"id": name, "url": None, "site": "one.example", "lang": "en", "text": BODY} | known


def write_folder(parent: Path, name: str, answers: Iterable[dict[str, Any]]) -> Path:
    folder = parent / name
    (folder / "pages").mkdir(parents=True)
    rows = list(answers)
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for row in rows:
        (folder / "pages" / f"{row['id']}.html").write_bytes(page(row.get("title") or "A wall by the sea"))
    return folder


def pack(folder: Path, archive: Path, *, gold_last: bool = False, odd: Iterable[tarfile.TarInfo] = ()) -> Path:
    files = sorted((file for file in folder.rglob("*") if file.is_file()), key=lambda file: file.name)
    files.sort(key=lambda file: (file.name == "gold.jsonl") == gold_last)
    with tarfile.open(archive, "w:xz") as tar:
        for member in odd:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
        for file in files:
            tar.add(file, f"{folder.name}/{file.relative_to(folder)}")
    return archive


def all_text(html: bytes, url: str | None) -> Extracted:
    """Give what stands between the tags: the simplest extractor there is."""
    text = html.decode()
    title, body = text.split("<h1>")[1].split("</h1><p>")
    return Extracted(f"{title}\n{body.split('</p>')[0]}", title)


def nothing(html: bytes, url: str | None) -> Extracted:
    raise NothingFound("nothing here")


def crash(html: bytes, url: str | None) -> Extracted:
    raise RuntimeError("broken\nin two lines")


def extractor(function: Any = all_text, name: str = "fake", **options: Any) -> Extractor:
    return Extractor(name, "1", function, **options)
