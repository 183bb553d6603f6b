"""Sets of labelled pages: a `.tar.xz` archive or an unpacked folder, read page by page, and written.

A set is `<name>/gold.jsonl`, with a JSON object on each line, and `<name>/pages/<id>.html`. An archive is streamed and
never unpacked: only regular files with a known id are read, so links and odd paths in it lead nowhere.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pagesieve.arrayfile import put_file
from pagesieve.errors import BadInput, BadOption

ARCHIVE_SUFFIX = ".tar.xz"
GOLD_NAME = "gold.jsonl"
PAGES_FOLDER = "pages"
PAGE_SUFFIX = ".html"

Progress = Callable[[str, int, int], None]  # stage, done, total


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """One record of a page: its text, and its fields if the set has them; the author and the date of a post."""

    text: str
    fields: tuple[str, ...] = ()
    author: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one page, as far as its set has it."""

    id: str
    text: str
    url: str | None = None
    site: str | None = None
    lang: str | None = None
    title: str | None = None
    page_type: str | None = None
    snippets_in: tuple[str, ...] = ()
    snippets_out: tuple[str, ...] = ()
    catalogues: tuple[tuple[str, str], ...] = ()  # id and URL of pages that link to this one
    records: tuple[GoldRecord, ...] = ()
    is_of_records: bool = False  # whether the records are the answer: without any, the page has no list
    date: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set by its name and its place, an archive or a folder."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Sample:
    """The pages of a set to score, by id."""

    labelled_set: LabelledSet
    golds: Mapping[str, Gold]

    @property
    def is_of_headlines(self) -> bool:
        """Whether it is a set of headlines: its answers have catalogue pages and no texts."""
        return all(gold.catalogues for gold in self.golds.values())

    @property
    def is_of_records(self) -> bool:
        """Whether it is a set of records: its answers are the texts of each record."""
        return all(gold.is_of_records for gold in self.golds.values())


def find_sets(paths: Iterable[Path]) -> list[LabelledSet]:
    """Return the sets at the paths; a path is an archive, an unpacked set, or a folder of either."""
    sets = [labelled_set for path in paths for labelled_set in _sets_at(path)]
    by_name: dict[str, LabelledSet] = {}
    for labelled_set in sets:
        other = by_name.setdefault(labelled_set.name, labelled_set)
        if other is not labelled_set:
            raise BadInput(f"two sets are named {other.name}: {other.path} and {labelled_set.path}")
    return sets


def find_set(folder: Path, name: str) -> LabelledSet:
    """Return the set of that name in a folder of sets."""
    labelled_set = _as_set(folder / name) or _as_set(folder / f"{name}{ARCHIVE_SUFFIX}")
    if labelled_set is not None:
        return labelled_set
    raise BadInput(f"{folder}: there is no set {name} in it")


def read_rows(labelled_set: LabelledSet) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the golds of any set unchecked, each with its file and line."""
    with _reading(labelled_set):
        for number, line in enumerate(_gold_bytes(labelled_set).splitlines(), start=1):
            if not line.strip():
                continue
            where = f"{labelled_set.path}: {GOLD_NAME} line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadInput(f"{where} is not JSON: {error}") from error
            if not isinstance(row, dict):
                raise BadInput(f"{where} is not a JSON object")
            yield where, row


def read_gold(labelled_set: LabelledSet) -> dict[str, Gold]:
    """Read the golds of a set of articles, by id."""
    golds: dict[str, Gold] = {}
    for where, row in read_rows(labelled_set):
        gold = _parse_gold(row, where)
        if gold.id in golds:
            raise BadInput(f"{where} repeats the id {gold.id}")
        golds[gold.id] = gold
    if not golds:
        raise BadInput(f"{labelled_set.path}: {GOLD_NAME} is empty")
    return golds


def take_sample(
    labelled_set: LabelledSet, limit: int | None = None, leave_out: Collection[str] = frozenset()
) -> Sample:
    """Choose the pages of a set to score: pages of sites that are not left out, evenly spread, up to the limit."""
    golds = read_gold(labelled_set)
    wanted = [name for name in sorted(golds) if golds[name].site not in leave_out]
    if not wanted:
        raise BadInput(f"{labelled_set.path}: every site in it is left out")
    return Sample(labelled_set, {name: golds[name] for name in thin(wanted, limit)})


def thin(names: Sequence[str], limit: int | None) -> list[str]:
    """Return `limit` names at even distances, always the same ones for the same names."""
    if limit is None or limit >= len(names):
        return list(names)
    return [names[i * len(names) // limit] for i in range(limit)]


def group_folds(sites: Sequence[str | None], k: int) -> list[int]:
    """Return the fold, 0 to k - 1, of each page, given its site; a page without a site is a group of its own.

    Folds split sites, never pages: a template seen in training is half an answer. The folds are about equally large,
    and the same sites in the same order always give the same folds.
    """
    if k < 2:
        raise BadOption(f"cross-validation needs at least 2 folds, not {k}")
    groups = [("page", str(i)) if site is None else ("site", site) for i, site in enumerate(sites)]
    sizes = Counter(groups)
    # Largest first into the emptiest fold keeps them even; the digest mixes sites of the same size, so that
    # a fold is no run of the alphabet.
    order = sorted(sizes, key=lambda group: (-sizes[group], sha256("\0".join(group).encode()).hexdigest()))
    filled = [0] * k
    fold_of: dict[tuple[str, str], int] = {}
    for group in order:
        fold = filled.index(min(filled))
        fold_of[group] = fold
        filled[fold] += sizes[group]
    return [fold_of[group] for group in groups]


def read_samples(
    sets: Sequence[LabelledSet], limit: int | None, progress: Progress
) -> Iterator[tuple[str, Gold, bytes]]:
    """Yield the pages of some sets, thinned to the limit, each with the name of its set and its answer."""
    samples = [take_sample(each, limit) for each in sets]
    total, done = sum(len(sample.golds) for sample in samples), 0
    for sample in samples:
        for gold, html in read_pages(sample):
            done += 1
            progress("pages", done, total)
            yield sample.labelled_set.name, gold, html


def read_pages(sample: Sample) -> Iterator[tuple[Gold, bytes]]:
    """Yield each page of a sample with its answer, one page in memory at a time, in the set's own order."""
    for name, html in read_named(sample.labelled_set, sample.golds):
        yield sample.golds[name], html


def read_named(labelled_set: LabelledSet, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the pages of these ids, each once, in the set's own order; raise if one is missing."""
    missing = set(names)
    pages = _archive_pages if labelled_set.path.is_file() else _folder_pages
    with _reading(labelled_set):
        for name, html in pages(labelled_set.path, names):
            if name in missing:
                missing.remove(name)
                yield name, html
    if missing:
        raise BadInput(f"{labelled_set.path}: {len(missing)} pages are missing, {min(missing)} among them")


def _sets_at(path: Path) -> list[LabelledSet]:
    labelled_set = _as_set(path)
    if labelled_set is not None:
        return [labelled_set]
    if not path.is_dir():
        reason = f"is not a {ARCHIVE_SUFFIX} archive" if path.exists() else "does not exist"
        raise BadInput(f"{path}: {reason}; give an archive, an unpacked set, or a folder of them")
    inside = [found for child in sorted(path.iterdir()) if (found := _as_set(child)) is not None]
    if not inside:
        raise BadInput(f"{path}: there is neither {GOLD_NAME} nor a set in it")
    return inside


def _as_set(path: Path) -> LabelledSet | None:
    if path.name.endswith(ARCHIVE_SUFFIX) and path.is_file():
        return LabelledSet(path.name.removesuffix(ARCHIVE_SUFFIX), path)
    if (path / GOLD_NAME).is_file():
        return LabelledSet(path.resolve().name, path)
    return None


def _parse_gold(row: dict[str, Any], where: str) -> Gold:
    catalogues = _parse_catalogues(row.get("catalogues"), where)
    records, is_of_records = _parse_records(row.get("records"), where), row.get("records") is not None
    name, text = row.get("id"), row.get("text", "" if catalogues or is_of_records else None)
    if not isinstance(name, str) or not isinstance(text, str):
        raise BadInput(f"{where} has no id or no text: this is not a set of labelled articles")
    return Gold(
        id=name,
        text=text,
        snippets_in=tuple(row.get("with") or ()),
        snippets_out=tuple(row.get("without") or ()),
        catalogues=catalogues,
        records=records,
        is_of_records=is_of_records,
        **{known: row.get(known) for known in ("url", "site", "lang", "title", "page_type", "date", "author")},
    )


def _parse_records(value: object, where: str) -> tuple[GoldRecord, ...]:
    try:
        return tuple(map(_parse_record, value or ()))  # type: ignore[call-overload]
    except (TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{where}: records are objects with text, and fields by name") from error


def _parse_record(record: dict[str, Any]) -> GoldRecord:
    fields = record.get("fields") or {}
    texts = tuple(map(str, fields.values()))
    return GoldRecord(str(record["text"]), texts, fields.get("author"), fields.get("date"))


def _parse_catalogues(value: object, where: str) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((str(page["id"]), str(page["url"])) for page in value or ())  # type: ignore[attr-defined]
    except (TypeError, KeyError) as error:
        raise BadInput(f"{where}: catalogues are objects with id and url") from error


@contextmanager
def _reading(labelled_set: LabelledSet) -> Iterator[None]:
    """Convert the errors of a damaged archive or folder to BadInput with one line."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise BadInput(f"{labelled_set.path}: cannot be read as a set: {error}") from error


def _gold_bytes(labelled_set: LabelledSet) -> bytes:
    if not labelled_set.path.is_file():
        return (labelled_set.path / GOLD_NAME).read_bytes()
    for path, file in _archive_files(labelled_set.path):
        if path.name == GOLD_NAME and len(path.parts) <= 2:
            return file.read()
    raise BadInput(f"{labelled_set.path}: there is no {GOLD_NAME} in it")


def _archive_files(archive: Path) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    with tarfile.open(archive, mode="r|xz") as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isreg() else None
            if file is not None:
                yield PurePosixPath(member.name), file


def _archive_pages(archive: Path, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for path, file in _archive_files(archive):
        if path.parent.name == PAGES_FOLDER and path.suffix == PAGE_SUFFIX and path.stem in wanted:
            yield path.stem, file.read()


def _folder_pages(folder: Path, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for name in sorted(wanted):
        page = folder / PAGES_FOLDER / f"{name}{PAGE_SUFFIX}"
        # An id is a file name, never a way out of the folder.
        if PurePosixPath(name).name == name and page.is_file() and not page.is_symlink():
            yield name, page.read_bytes()


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
