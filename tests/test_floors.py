"""The pinned floors, checked where the labelled pages are."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.evaluate.facts import FACTS, run_facts
from pagesieve.evaluate.floors import below_floors, floor_samples, read_floors
from pagesieve.evaluate.headlines import HEADLINE, floored_headlines, run_headlines
from pagesieve.evaluate.peers import OWN_NAME, own_extractor
from pagesieve.evaluate.posts import POSTS, run_posts
from pagesieve.evaluate.records import METHOD, available_modes, run_records
from pagesieve.evaluate.records import floored as floored_records
from pagesieve.evaluate.report import Evaluation
from pagesieve.evaluate.score import run_samples, site_knowledge
from pagesieve.page.stated import address
from tests.labelled_data import ARTICLES, HEADLINES, RECORDS, ROOT, archive, labelled, needs_data

FLOORS = ROOT / "benchmarks" / "floors.json"
MAX_TORN, MIN_HEADER_ROWS, MIN_HEADINGS = 0.015, 0.98, 0.97  # of units that are whole in the gold
PAGES_OF_SET = 8
OF_RECORDS = {f"{METHOD} {mode}": mode for mode in ("static", "visual")}
OF_ARTICLES = sorted(set(read_floors(FLOORS).methods) - {HEADLINE, FACTS, POSTS, *OF_RECORDS})


def floored(folder: Path, *methods: str) -> list[ParameterSet]:
    """Return each method with each set that it has floors for."""
    floors = read_floors(FLOORS)
    return [
        case
        for method in methods
        for case in labelled((archive(folder, name) for name in floors.of(method).sets), method)
    ]


def test_the_floors_can_be_read() -> None:
    assert {HEADLINE, FACTS, POSTS, "auto", *OF_RECORDS} <= set(read_floors(FLOORS).methods)


@pytest.mark.parametrize(("method", "path"), floored(ARTICLES, *OF_ARTICLES))
def test_no_figure_is_below_its_floor(method: str, path: Path) -> None:
    floors = read_floors(FLOORS)
    with site_knowledge(method, floor_samples(floors, method, find_sets([path]))) as parts:
        runs = [(samples, [own_extractor(method, sites)]) for sites, samples in parts]
        rows = [row for samples, own in runs for row in run_samples(samples, own)]
    assert below_floors(floors.of(method), Evaluation(runs[0][1], rows).set_figures(OWN_NAME)) == []


@pytest.mark.data
@needs_data
def test_a_page_has_one_text_with_and_without_the_address_it_names() -> None:
    pages = [page for each in find_sets([ARTICLES]) for _, page in read_pages(take_sample(each, PAGES_OF_SET))]
    named = [(page, own) for page in pages if (own := address(pagesieve.parse(page)))]
    assert len(named) > len(pages) / 2
    assert [own for page, own in named if pagesieve.extract(page) != pagesieve.extract(page, own)] == []


@pytest.mark.parametrize(("method", "path"), floored(ARTICLES, FACTS))
def test_no_date_or_author_figure_is_below_its_floor(method: str, path: Path) -> None:
    floors = read_floors(FLOORS)
    (facts,) = (run_facts(sample) for sample in floor_samples(floors, method, find_sets([path])))
    assert facts.name in floors.of(method).sets
    assert below_floors(floors.of(method), {facts.name: facts.figures}) == []


@pytest.mark.parametrize(("method", "path"), floored(HEADLINES, HEADLINE))
def test_no_headline_figure_is_below_its_floor(method: str, path: Path) -> None:
    floors = read_floors(FLOORS)
    headlines = [run_headlines(sample) for sample in floor_samples(floors, method, find_sets([path]))]
    assert below_floors(floors.of(method), floored_headlines(headlines)) == []


@pytest.mark.parametrize(("method", "path"), floored(RECORDS, *OF_RECORDS))
def test_no_record_figure_is_below_its_floor(method: str, path: Path) -> None:
    floors, mode = read_floors(FLOORS), OF_RECORDS[method]
    if mode not in available_modes():
        pytest.skip("no browser here")
    records = [run_records(sample, [mode]) for sample in floor_samples(floors, method, find_sets([path]))]
    figures = floored_records(records).get(method, {})
    assert figures
    assert below_floors(floors.of(method), figures) == []


@pytest.mark.parametrize(("method", "path"), floored(RECORDS, POSTS))
def test_no_post_figure_is_below_its_floor(method: str, path: Path) -> None:
    floors = read_floors(FLOORS)
    posts = [run_posts(sample) for sample in floor_samples(floors, method, find_sets([path]))]
    assert below_floors(floors.of(method), {each.name: each.figures for each in posts}) == []


@pytest.mark.parametrize("path", labelled(archive(ARTICLES, name) for name in ("kinds_own", "oss_sites")))
def test_few_lists_and_tables_are_torn(path: Path) -> None:
    counts = _benchmark("units").count_units(find_sets([path]), every=2)["units"]
    assert counts["torn"] <= MAX_TORN * counts["units"]
    assert counts["header rows kept"] >= MIN_HEADER_ROWS * counts["header rows"]
    assert counts["headings kept"] >= MIN_HEADINGS * counts["headings"]


def _benchmark(name: str) -> Any:
    """Return a program of the folder of benchmarks as a module."""
    spec = spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
