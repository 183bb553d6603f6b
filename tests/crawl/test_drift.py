"""A site that is built anew: the crawl says so, and the library forgets how it was."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from pagesieve import open_sites
from pagesieve.crawl.job import CrawlOptions, Progress
from pagesieve.crawl.reading import ALL, ENOUGH, EVERY, LAST, UNLIKE, Drift, Learner, Reader
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.schema import Schema

HOME = "http://a.example/"
OLD = (
    "<header><nav class=top><a href=/>Home</a><a href=/news>News</a><a href=/sport>Sport</a></nav></header>"
    "<aside class=side><h2>Most read today</h2><p>Subscribe to our letter for more of this.</p></aside>"
)
NEW = (
    "<div id=app><div class=bar><button>Menu</button><span>The New Herald</span></div>"
    "<section class=promo><em>Download the app and read on</em></section></div>"
)


def page(number: int, furniture: str) -> Page:
    """Return a page of which only the furniture is that of others."""
    words = [f"{blake2b(b'%d' % (1000 * number + at), digest_size=4).hexdigest()}" for at in range(160)]
    text = "".join(f"<p>{' '.join(words[at : at + 40])}.</p>" for at in range(0, 160, 40))
    tag = "h1" if furniture == OLD else "h2"
    body = f"<!doctype html><title>{words[0]}</title><body>{furniture}<{tag}>{words[1]} {words[2]}</{tag}>{text}"
    return parse(body.encode(), f"{HOME}story-{number}")


def learn(learner: Learner, numbers: range, furniture: str) -> list[Any]:
    return [learner.learn(f"{HOME}story-{number}", page(number, furniture)) for number in numbers]


@pytest.mark.parametrize("known", [ENOUGH, 2 * ENOUGH, ALL])
def test_the_fit_of_pages_that_are_alike_and_of_others(tmp_path: Path, known: int) -> None:
    with open_sites(tmp_path / "sites.db") as sites:
        learnt = learn(Learner(sites), range(known), OLD)
        assert [one["site_pages"] for one in learnt] == list(range(known))
        assert all(one["fit"] is None for one in learnt), "nothing was known before"
        assert all(one["fit"] > 0.8 for one in learn(Learner(sites), range(50, 50 + LAST), OLD))
        others = learn(Learner(sites), range(100, 100 + LAST), NEW)
        assert all(one["fit"] < UNLIKE for one in others), [one["fit"] for one in others]


def test_after_many_pages_few_are_learnt(tmp_path: Path) -> None:
    with open_sites(tmp_path / "sites.db") as sites:
        learner = Learner(sites)
        one = page(1, OLD)
        learnt = [learner.learn(f"{HOME}{number}", one) for number in range(ALL + 2 * EVERY)]
        known = {url for url, *_ in sites.pages(HOME)}
        late = {number for number in range(ALL, ALL + 2 * EVERY) if f"{HOME}{number}" in known}
        assert late == {ALL + EVERY - 1, ALL + 2 * EVERY - 1}
        assert learnt[-2] == {"site_pages": ALL, "fit": None}


def test_a_redesign_is_said_once_and_forgotten(tmp_path: Path) -> None:
    library = str(tmp_path / "sites.db")
    progress = Progress()
    drift = Drift(CrawlOptions(sites=library), progress.say)
    with open_sites(library) as sites:
        learn(Learner(sites), range(12), OLD)
        learner = Learner(sites)
        for number in range(100, 100 + LAST + 8):
            drift.check(f"{HOME}story-{number}", learner.learn(f"{HOME}story-{number}", page(number, NEW)))
        assert len(progress.messages) == 1
        assert progress.messages[0].startswith("a.example: looks different from what was learnt; ")
        left = {url for url, *_ in sites.pages(HOME)}
        assert left == {f"{HOME}story-{number}" for number in range(100 + LAST, 100 + LAST + 8)}


@pytest.mark.parametrize(
    "fits",
    [
        [0.05] * (LAST - 1),  # too few
        [0.05] * (LAST - 1) + [0.9] + [0.05] * (LAST - 1),  # one page of another sort among them
        [None, 0.05] * (LAST - 1),
    ],
)
def test_some_odd_pages_are_no_redesign(tmp_path: Path, fits: list[float | None]) -> None:
    progress = Progress()
    drift = Drift(CrawlOptions(sites=str(tmp_path / "sites.db")), progress.say)
    for fit in fits:
        drift.check(HOME, {"fit": fit})
    assert progress.messages == []


def test_what_a_schema_misses_is_said_once() -> None:
    progress = Progress()
    drift = Drift(CrawlOptions(), progress.say)
    for _ in range(3):
        drift.check(HOME, {"drift": ["no column for price any more"]})
    assert progress.messages == ["a.example: no column for price any more"]


def test_a_schema_that_fits_no_more(site: Path, tmp_path: Path) -> None:
    grid = (site / "shop" / "grid.html").read_bytes()
    found = find_static(parse(grid, HOME + "grid"))
    Schema.of(found).save(tmp_path / "schema.json")
    reader = Reader({"bodies": ["text"], "follow": True, "sites": None, "schema": str(tmp_path / "schema.json")})
    about = {"url": HOME + "grid", "role": "start"}
    assert reader.answer(grid, about)["drift"] == []
    without = re.sub(rb'<(\w+) class="item__brand">.*?</\1>', b"", grid)
    assert reader.answer(without, about)["drift"] == ["columns not found: brand"]
