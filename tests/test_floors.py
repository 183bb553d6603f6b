"""The pinned floors, checked where the labelled pages are: in PAGESIEVE_DATA, or beside the repository."""

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import pagesieve
from pagesieve.evaluate.archives import find_sets, read_pages, take_sample
from pagesieve.evaluate.facts import FACTS, run_facts
from pagesieve.evaluate.floors import below_floors, floor_samples, read_floors
from pagesieve.evaluate.headlines import HEADLINE, floored_headlines, run_headlines
from pagesieve.evaluate.peers import OWN_NAME, own_extractor
from pagesieve.evaluate.records import METHOD as RECORDS
from pagesieve.evaluate.records import available_modes, run_records
from pagesieve.evaluate.records import floored as floored_records
from pagesieve.evaluate.report import Evaluation
from pagesieve.evaluate.score import run_samples, site_knowledge
from pagesieve.page.stated import address

ROOT = Path(__file__).parents[1]
FLOORS = ROOT / "benchmarks" / "floors.json"
FOLDER = Path(os.environ.get("PAGESIEVE_DATA", ROOT.parent / "shared" / "data"))
DATA, HEADLINES, RECORD_SETS = FOLDER / "articles", FOLDER / "headlines", FOLDER / "records"
MOST_TORN, LEAST_HEADER_ROWS, LEAST_HEADINGS = 0.015, 0.98, 0.97  # of units that are whole in the gold
PAGES_OF_SET = 8
OF_RECORDS = {f"{RECORDS} {mode}": mode for mode in ("static", "visual")}


def test_the_floors_can_be_read() -> None:
    assert {HEADLINE, FACTS, "auto", *OF_RECORDS} <= set(read_floors(FLOORS).methods)


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the labelled pages are not here")
@pytest.mark.parametrize("method", sorted(set(read_floors(FLOORS).methods) - {HEADLINE, FACTS, *OF_RECORDS}))
def test_no_figure_is_below_its_floor(method: str) -> None:
    floors = read_floors(FLOORS)
    floored = [each for each in find_sets([DATA]) if each.name in floors.of(method).sets]
    with site_knowledge(method, floor_samples(floors, method, floored)) as parts:
        runs = [(samples, [own_extractor(method, sites)]) for sites, samples in parts]
        rows = [row for samples, own in runs for row in run_samples(samples, own)]
    assert below_floors(floors.of(method), Evaluation(runs[0][1], rows).set_figures(OWN_NAME)) == []


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the labelled pages are not here")
def test_a_page_has_one_text_with_and_without_the_address_it_names() -> None:
    pages = [page for each in find_sets([DATA]) for _, page in read_pages(take_sample(each, PAGES_OF_SET))]
    named = [(page, own) for page in pages if (own := address(pagesieve.parse(page)))]
    assert len(named) > len(pages) / 2
    assert [own for page, own in named if pagesieve.extract(page) != pagesieve.extract(page, own)] == []


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the labelled pages are not here")
def test_no_date_or_author_figure_is_below_its_floor() -> None:
    floors = read_floors(FLOORS)
    sets = [each for each in find_sets([DATA]) if each.name in floors.of(FACTS).sets]
    found = [run_facts(sample) for sample in floor_samples(floors, FACTS, sets)]
    assert {each.name for each in found} == set(floors.of(FACTS).sets)
    assert below_floors(floors.of(FACTS), {each.name: each.figures for each in found}) == []


@pytest.mark.data
@pytest.mark.skipif(not HEADLINES.is_dir(), reason="the labelled headlines are not here")
def test_no_headline_figure_is_below_its_floor() -> None:
    floors = read_floors(FLOORS)
    found = [run_headlines(sample) for sample in floor_samples(floors, HEADLINE, find_sets([HEADLINES]))]
    assert {each.name for each in found} == set(floors.of(HEADLINE).sets)
    assert below_floors(floors.of(HEADLINE), floored_headlines(found)) == []


@pytest.mark.data
@pytest.mark.skipif(not RECORD_SETS.is_dir(), reason="the labelled records are not here")
@pytest.mark.parametrize("method", OF_RECORDS)
def test_no_record_figure_is_below_its_floor(method: str) -> None:
    floors, mode = read_floors(FLOORS), OF_RECORDS[method]
    if mode not in available_modes():
        pytest.skip("no browser here")
    sets = [each for each in find_sets([RECORD_SETS]) if each.name in floors.of(method).sets]
    found = [run_records(sample, [mode]) for sample in floor_samples(floors, method, sets)]
    assert below_floors(floors.of(method), floored_records(found).get(method, {})) == []


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the labelled pages are not here")
def test_few_lists_and_tables_are_torn() -> None:
    units = _benchmark("units")
    names = ("kinds_own", "oss_sites")
    counts = units.count_units([each for each in find_sets([DATA]) if each.name in names], every=2)["units"]
    assert counts["torn"] <= MOST_TORN * counts["units"]
    assert counts["header rows kept"] >= LEAST_HEADER_ROWS * counts["header rows"]
    assert counts["headings kept"] >= LEAST_HEADINGS * counts["headings"]


def _benchmark(name: str) -> Any:
    """Return a program of the folder of benchmarks as a module."""
    spec = spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
