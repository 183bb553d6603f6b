"""Pages that training leaves out: by set and id, and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagesieve.evaluate.archives import Gold, find_set, read_gold
from pagesieve.training import left_out
from pagesieve.training.left_out import LEFT_OUT

DATA = Path(os.environ.get("PAGESIEVE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "articles"
REASONS = {left_out.CUT, left_out.HOLES, left_out.ONE_SLIDE, left_out.OTHER}


def test_pages_are_left_out_of_their_own_set_only() -> None:
    pytest.importorskip("sklearn")
    from pagesieve.training.auto import labelled_lines

    name = min(LEFT_OUT["news424"])
    for own, page, expected in (("news424", name, True), ("mine", name, False), ("news424", "other", False)):
        lines = labelled_lines(own, Gold(page, "text"), b"<p>text</p>")
        assert lines is not None
        assert lines.is_left_out is expected


def test_every_page_has_a_reason() -> None:
    assert {reason for pages in LEFT_OUT.values() for reason in pages.values()} == REASONS
    assert list(LEFT_OUT) == sorted(LEFT_OUT)
    assert all(list(pages) == sorted(pages) for pages in LEFT_OUT.values())


@pytest.mark.parametrize("name", LEFT_OUT)
def test_the_pages_are_there(name: str) -> None:
    if not DATA.is_dir():
        pytest.skip("no labelled pages")
    assert set(LEFT_OUT[name]) <= set(read_gold(find_set(DATA, name)))
