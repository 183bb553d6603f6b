"""Sets of labelled pages that are written are read as they were meant."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import (
    LabelledPage,
    LabelledSet,
    add_pages,
    find_sets,
    read_gold,
    read_pages,
    take_sample,
    write_archive,
)
from pagesieve.page.static import parse

BREAD = LabelledPage("<p>Brot für alle", {"text": "Brot für alle", "site": "example.org", "url": None})
CHINESE = LabelledPage('<meta charset="gbk"><p>天气晴朗', {"text": "天气晴朗"})  # as it was decoded


def texts(labelled_set: LabelledSet) -> dict[str, str]:
    """Return the texts of the pages of a set, by the texts of their answers."""
    found = {}
    for gold, html in read_pages(take_sample(labelled_set)):
        page = parse(html)
        found[gold.text] = "".join(page.text(row) for row in range(len(page)) if page.text_chars[row]).strip()
    return found


@pytest.mark.parametrize("is_archive", [False, True], ids=["folder", "archive"])
def test_what_is_written_is_read(is_archive: bool, tmp_path: Path) -> None:
    if is_archive:
        (tmp_path / "ours.tar.xz").write_bytes(write_archive("ours", [BREAD, CHINESE, BREAD]))
    else:
        assert add_pages(tmp_path / "ours", [BREAD, CHINESE]) == 2
    (found,) = find_sets([tmp_path])
    assert found.name == "ours"
    assert {key: value for key, value in texts(found).items() if key in value} == texts(found)
    assert [gold.site for gold in read_gold(found).values()] == ["example.org", None]


def test_a_page_is_there_once_with_its_last_answer(tmp_path: Path) -> None:
    add_pages(tmp_path, [BREAD, CHINESE])
    again = LabelledPage("\ufeff" + BREAD.html, {"text": "alle"})
    assert add_pages(tmp_path, [again]) == 2
    golds = read_gold(LabelledSet("ours", tmp_path))
    assert [gold.text for gold in golds.values()] == ["alle", "天气晴朗"]
    assert len(list((tmp_path / "pages").iterdir())) == 2


def test_an_archive_holds_plain_files_alone() -> None:
    with tarfile.open(fileobj=io.BytesIO(write_archive("ours", [BREAD]))) as archive:
        assert [member.name for member in archive] == ["ours/gold.jsonl", f"ours/pages/{BREAD.id}.html"]
        assert all(member.isreg() for member in archive)


def test_halves_of_characters_are_written_as_something(tmp_path: Path) -> None:
    assert add_pages(tmp_path, [LabelledPage("<p>a\ud800b", {"text": "a\ud800b"})]) == 1
    assert read_gold(LabelledSet("ours", tmp_path))


@pytest.mark.parametrize("there", ["file", "other answers"])
def test_other_files_are_not_overwritten(there: str, tmp_path: Path) -> None:
    if there == "file":
        (tmp_path / "ours").write_text("mine")
    else:
        (tmp_path / "ours").mkdir()
        (tmp_path / "ours" / "gold.jsonl").write_text("not JSON\n")
    with pytest.raises(BadInput):
        add_pages(tmp_path / "ours", [BREAD])
    kept = tmp_path / "ours" / ("" if there == "file" else "gold.jsonl")
    assert kept.read_text() in ("mine", "not JSON\n")
