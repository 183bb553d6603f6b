"""Measuring a method that knows sites: the example site as a set of labelled pages, each page left out in turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pagesieve.cli.evaluate import evaluate
from pagesieve.errors import BadInput
from pagesieve.evaluate.archives import find_sets, take_sample
from pagesieve.evaluate.score import of_known_sites

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def example_set(tmp_path: Path) -> Path:
    """The articles of the example site as an unpacked set; one Chinese page has a site of its own."""
    folder = tmp_path / "example"
    (folder / "pages").mkdir(parents=True)
    lines = []
    for number, line in enumerate((EXAMPLES / "gold.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        (folder / "pages" / f"{number}.html").write_bytes((EXAMPLES / "site" / row["id"]).read_bytes())
        lines.append(
            json.dumps({**row, "id": str(number), "site": "lone.example.org" if number == 24 else row["site"]})
        )
    (folder / "gold.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def test_pages_of_small_sites_are_not_scored(example_set: Path) -> None:
    (sample,) = of_known_sites([take_sample(labelled_set) for labelled_set in find_sets([example_set])])
    assert len(sample.golds) == 24
    assert all(gold.url and gold.url.startswith(f"http://example.{gold.site}/") for gold in sample.golds.values())


def test_a_set_of_small_sites_alone_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    (folder / "pages").mkdir(parents=True)
    (folder / "pages" / "a.html").write_text("<p>x</p>", "utf-8")
    (folder / "gold.jsonl").write_text(json.dumps({"id": "a", "text": "x", "site": "example.org"}), "utf-8")
    with pytest.raises(BadInput, match="no site has 5 pages"):
        of_known_sites([take_sample(labelled_set) for labelled_set in find_sets([folder])])


def test_layout_is_measured_with_the_other_pages_of_the_site(example_set: Path) -> None:
    figures = {}
    for method in ("layout", "lineblocks"):
        done = CliRunner().invoke(evaluate, [str(example_set), "--method", method, "--json", "-"])
        assert done.exit_code == 0, done.output
        report = json.loads(done.stdout)
        (figures[method],) = [group for group in report["groups"] if group["by"] == "set" and group["set"] == "example"]
    assert figures["layout"]["pages"] == 24
    assert figures["lineblocks"]["pages"] == 25
    assert figures["layout"]["failures"] == 0
    assert figures["layout"]["recall"] >= 0.97
    assert figures["layout"]["f1"] > figures["lineblocks"]["f1"]


def test_template_is_measured_by_parts_and_leaves(example_set: Path) -> None:
    figures = {}
    for method in ("template", "svm"):
        done = CliRunner().invoke(evaluate, [str(example_set), "--method", method, "--json", "-", "--pages"])
        assert done.exit_code == 0, done.output
        report = json.loads(done.stdout)
        (figures[method],) = [group for group in report["groups"] if group["by"] == "set" and group["set"] == "example"]
        assert sum(page["leaves"]["tp"] for page in report["pages"]) > 50
    assert figures["template"]["pages"] == 24
    assert figures["template"]["failures"] == 0
    assert figures["template"]["recall"] >= 0.95
    assert figures["template"]["leaf_precision"] >= figures["svm"]["leaf_precision"]
    assert figures["template"]["precision"] >= figures["svm"]["precision"]
