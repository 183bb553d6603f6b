"""Scoring records: the matching rule, the region, the items, and the command on a small set of our own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pagesieve import NothingFound
from pagesieve.cli.evaluate import evaluate
from pagesieve.evaluate import records as scoring
from pagesieve.evaluate.archives import Gold, GoldRecord, find_sets, take_sample
from pagesieve.evaluate.floors import Floors, read_floors, write_floors
from pagesieve.evaluate.records import LETTERS, MAX_MORE, available_modes, is_same, match, run_records, runs_of, score

COLOURS = ("red", "green", "blue", "grey", "black")
WORDS = "a chair of solid wood with four legs and a back"


def words(text: str) -> Counter[str]:
    return Counter(text.split())


LONG = " ".join(f"w{n}" for n in range(10))


@pytest.mark.parametrize(
    ("golds", "outputs", "pairs"),
    [
        (["a b", "c d"], ["c d", "a b"], {0: 1, 1: 0}),
        (["a b", "a b"], ["a b"], {0: 0}),  # one to one
        ([LONG], [LONG.replace("w0 w1", "x y")], {0: 0}),  # 8 of 10 words
        ([LONG], [LONG.replace("w0 w1 w2", "x y z")], {}),  # 7 of 10
        ([LONG], [LONG + " x" * 60], {0: 0}),  # three times as long, and 40 more
        ([LONG], [LONG + " x" * 61], {}),
        (["a b"], ["a b c c c", "a b"], {0: 1}),  # the surer one
        ([""], ["a"], {}),
        ([], [], {}),
    ],
)
def test_which_record_is_which(golds: list[str], outputs: list[str], pairs: dict[int, int]) -> None:
    assert match([words(gold) for gold in golds], [words(output) for output in outputs]) == pairs


@pytest.mark.parametrize(
    ("gold", "output", "is_found"),
    [
        ("Ann WoodMay 3Hello there", "Ann Wood\nMay 3\nHello there", True),
        ("Ann WoodMay 3Hello there", "Bob Wood\nMay 4\nHello you", False),
        ("ab", "a b", True),
        ("", "a", False),
        ("Ann WoodMay", "Ann Wood May" + " x" * 200, True),
        ("Ann WoodMay", "Ann Wood May" + " x" * 300, False),
    ],
)
def test_glued_words_are_found_by_their_characters(gold: str, output: str, is_found: bool) -> None:
    assert match([runs_of(gold)], [runs_of(output)], LETTERS * MAX_MORE) == ({0: 0} if is_found else {})


def test_glued_answers_are_right_by_their_own_figures_only() -> None:
    glued = Gold("p", "", None, records=tuple(GoldRecord(each.text.replace(" ", ""), ()) for each in _gold().records))
    found = score("static", glued, _page().encode(), scoring.FINDERS["static"])
    assert (found.right, found.right_glued, found.region_found, found.region_glued) == (0, 5, False, True)


@pytest.mark.parametrize(
    ("field", "item", "same"),
    [("a b", "b a", True), ("a", "a b", False), ("a b c d e", "a b c d", True), ("a b", "a", False)],
)
def test_when_an_item_is_a_field(field: str, item: str, same: bool) -> None:
    assert is_same(words(field), words(item)) is same


def _page(colours: tuple[str, ...] = COLOURS) -> str:
    hits = "".join(
        f"<li><h3>The {c} one</h3><p>{WORDS}, in {c}.</p><b class=price>£{n}.50</b></li>" for n, c in enumerate(colours)
    )
    return f"<nav><a>Home</a><a>Help</a></nav><ul>{hits}</ul>"


def _answer(name: str) -> dict[str, Any]:
    records = [
        {
            "text": f"The {c} one {WORDS}, in {c}. £{n}.50",
            "fields": {"a": f"The {c} one", "b": f"£{n}.50", "c": "unsaid"},
        }
        for n, c in enumerate(COLOURS)
    ]
    return {"id": name, "url": None, "site": "one.example", "kind": "search", "n_records": 5, "records": records}


def _gold() -> Gold:
    records = _answer("p")["records"]
    return Gold("p", "", records=tuple(GoldRecord(each["text"], tuple(each["fields"].values())) for each in records))


def test_the_score_of_a_page() -> None:
    found = score("static", _gold(), _page().encode(), scoring.FINDERS["static"])
    assert (found.found, found.right, found.region_found) == (5, 5, True)
    assert (found.fields, found.fields_right, found.fields_all) == (15, 10, 15)
    assert (found.precision, found.recall, found.f1) == (1.0, 1.0, 1.0)


def test_half_the_records_are_half_the_score() -> None:
    found = score("static", _gold(), _page(COLOURS[:3]).encode(), scoring.FINDERS["static"])
    assert (found.precision, found.recall, found.f1) == (1.0, 0.6, 0.75)
    assert not found.region_found


@pytest.mark.parametrize(
    ("error", "told"), [(NothingFound("no"), None), (RuntimeError("bad\nluck"), "RuntimeError: bad")]
)
def test_a_failure_is_a_page_without_records(error: Exception, told: str | None) -> None:
    def finder(html: bytes, url: str | None) -> Any:
        raise error

    found = score("static", _gold(), b"", finder)
    assert (found.found, found.f1, found.region_found, found.error) == (0, 0.0, False, told)


def test_the_example_site(root: Path, site: Path) -> None:
    fields, right = 0, 0
    for line in (root / "examples" / "records.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        records = tuple(GoldRecord(each["text"], tuple(each["fields"].values())) for each in row["records"])
        gold = Gold(row["id"], "", row["url"], records=records)
        found = score("static", gold, (site / row["id"]).read_bytes(), scoring.FINDERS["static"])
        assert (found.f1, found.region_found) == (1.0, True)
        fields, right = fields + found.fields, right + found.fields_right
    assert right >= 0.85 * fields


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of two pages."""
    found = tmp_path / "chairs"
    (found / "pages").mkdir(parents=True)
    (found / "gold.jsonl").write_text("".join(json.dumps(_answer(name)) + "\n" for name in ("p", "q")))
    for name in ("p", "q"):
        (found / "pages" / f"{name}.html").write_text(_page())
    return found


@pytest.fixture
def static_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "available_modes", lambda: ("static",))


def test_a_set(folder: Path) -> None:
    (labelled_set,) = find_sets([folder])
    sample = take_sample(labelled_set)
    assert sample.is_of_records
    assert not sample.is_of_headlines
    figures = run_records(sample, ["static"]).figures["static"]
    assert (figures.f1, figures.region_found, figures.answered) == (1.0, 1.0, 1.0)
    assert figures.items_found == figures.items_all == pytest.approx(2 / 3)


@pytest.mark.usefixtures("static_only")
def test_the_command(folder: Path) -> None:
    done = CliRunner().invoke(evaluate, [str(folder), "--json", "-", "--pages"])
    (told,) = json.loads(done.stdout)["records"]
    assert (told["set"], told["pages"], told["sites"], told["errors"]) == ("chairs", 2, 1, [])
    assert told["modes"][0]["mode"] == "static"
    assert [row["right"] for row in told["rows"]] == [5, 5]
    assert "chairs: 2 pages, 1 sites" in CliRunner().invoke(evaluate, [str(folder)]).stdout


@pytest.mark.usefixtures("static_only")
def test_floors(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "floors.json"
    write_floors(Floors(None, 0.005, {}), file)
    assert CliRunner().invoke(evaluate, [str(folder), "--floors", str(file), "--update-floors"]).exit_code == 0
    floors = read_floors(file).of("records static").sets["chairs"]
    assert floors["f1"] == floors["region_found"] == 0.995
    (folder / "pages" / "q.html").write_text("<p>Nothing</p>")
    done = CliRunner().invoke(evaluate, [str(folder), "--floors", str(file)])
    assert done.exit_code == 1
    assert "below its floor: chairs: f1 is 0.5000" in done.stderr


@pytest.mark.parametrize("records", [[1], [{"fields": {}}], [{"text": "x", "fields": [1]}]])
def test_damaged_answers(folder: Path, records: object) -> None:
    (folder / "gold.jsonl").write_text(json.dumps(_answer("p") | {"records": records}))
    done = CliRunner().invoke(evaluate, [str(folder)])
    assert done.exit_code == 2
    assert "records are objects with text" in done.stderr


def test_the_modes_that_can_be_measured() -> None:
    assert available_modes()[0] == "static"
