"""Pages that training leaves out: by set and id, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from research import left_out
from research.left_out import LEFT_OUT

from pagesieve.evaluate.archives import Gold, find_sets, read_gold
from tests.labelled_data import ARTICLES, archive, labelled

REASONS = {left_out.CUT, left_out.HOLES, left_out.ONE_SLIDE, left_out.OTHER}


def test_pages_are_left_out_of_their_own_set_only() -> None:
    pytest.importorskip("sklearn")
    from research.train import CURATION

    name = min(LEFT_OUT["news424"])
    for own, page, expected in (("news424", name, True), ("mine", name, False), ("news424", "other", False)):
        assert CURATION.leaves_out(own, Gold(page, "text")) is expected


def test_every_page_has_a_reason() -> None:
    assert {reason for pages in LEFT_OUT.values() for reason in pages.values()} == REASONS
    assert list(LEFT_OUT) == sorted(LEFT_OUT)
    assert all(list(pages) == sorted(pages) for pages in LEFT_OUT.values())


@pytest.mark.parametrize("path", labelled(archive(ARTICLES, name) for name in LEFT_OUT))
def test_the_pages_are_there(path: Path) -> None:
    (labelled_set,) = find_sets([path])
    assert set(LEFT_OUT[labelled_set.name]) <= set(read_gold(labelled_set))
