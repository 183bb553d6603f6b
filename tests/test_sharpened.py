"""The block model with knowledge of the site: how far each evidence moves a line, and who answers for `auto`."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pagesieve
from pagesieve.cli.evaluate import evaluate
from pagesieve.errors import NotASibling, NothingFound
from pagesieve.methods.blocks import BlockModel, blocks_by_model, shipped
from pagesieve.methods.features import describe
from pagesieve.methods.layout import LayoutOptions, SiteOptions, blocks_with_site
from pagesieve.page.static import parse
from tests.test_evaluate_sites import example_set

__all__ = ["example_set"]  # a fixture

SITE = Path(__file__).parent.parent / "examples" / "site"
GOLD = {row["id"]: row for row in map(json.loads, (SITE.parent / "gold.jsonl").read_text("utf-8").splitlines())}
ENGLISH = [name for name in GOLD if name.startswith("en/")]
CHINESE = [name for name in GOLD if name.startswith("zh/")]
ALIKE = LayoutOptions(least_alike=0.0, most_alike=1.0, odd=0.0, short_edge=0, date_edge=0, refine=False)
BODY = "<p>The harbour wall was finished in May, two years after the storm that had taken the old one away.</p>"
LONG = "A line of text that is as long as a sentence of an article, and longer than eighty characters."


def example(name: str) -> bytes:
    return (SITE / name).read_bytes()


def kept(monkeypatch: pytest.MonkeyPatch, likelihood: float, line: str, *references: str) -> tuple[bool, str]:
    """Whether a line that the model finds so likely, of 50 % needed, is kept beside an article; and why."""

    def score_lines(model: BlockModel, page: pagesieve.Page) -> tuple[object, object]:
        found = describe(page)
        lines = [found.blocks.text(k) for k in range(len(found.blocks))]
        return found, np.array([0.99 if text in BODY else likelihood for text in lines])

    monkeypatch.setattr(BlockModel, "score_lines", score_lines)
    model = replace(shipped(), thresholds=np.array([0.6, 0.5, 0.4]))
    page = parse(f"<body><div>{BODY}</div><div>{line}</div></body>")
    pages = [parse(f"<body>{reference}<i>of the site</i></body>") for reference in references]
    selection = blocks_with_site(page, model, pages, alike=ALIKE)
    decision = list(selection.decisions())[1]
    return decision.kept, decision.reason


TEASERS = "<a href=/1>Other</a> <a href=/2>articles</a>"


@pytest.mark.parametrize(
    ("line", "references", "least", "why"),
    [
        # What the model has to find it, at least, and what is said of it
        ("<p>Share this</p>", ["<p>Share this</p>"], 1 / (1 + np.exp(-2.0)), "on the other page of the site too"),
        ("<p>Share this</p>", ["<p>Share this</p>", "<b>x</b>"], 0.881, "on 1 of 2 other pages of the site too"),
        (f"<p>{LONG}</p>", [f"<p>{LONG}</p>"] * 3, 0.881, "on 3 of 3 other pages of the site too"),
        (
            f"<p>{LONG}</p>",
            ["<b>x</b>", f"<p>{LONG}</p>"],
            0.426,
            "on 1 of 2 other pages of the site too",
        ),  # it is long
        ("<p>A new line</p>", ["<p>Share this</p>"], 0.426, "on no other page of the site"),
        (f"<p>{TEASERS}</p>", ["<p>Share this</p>"], 0.731, "on no other page of the site"),
        (f"<p>{TEASERS * 9}</p>", ["<p>Share this</p>"], 0.5, "on no other page of the site"),  # it is long
        (f"<p>A new line</p>{BODY}", ["<p>Share this</p>"], 0.182, "on no other page of the site"),  # it is amid
        (f"<p>A new line</p>{'<p>x</p>' * 9}{BODY}", ["<p>Share this</p>"], 0.426, "on no other page of the site"),
    ],
)
def test_how_likely_a_line_has_to_be(
    monkeypatch: pytest.MonkeyPatch, line: str, references: list[str], least: float, why: str
) -> None:
    assert [kept(monkeypatch, least + more, line, *references)[0] for more in (-0.01, 0.01)] == [False, True]
    assert kept(monkeypatch, least, line, *references)[1].endswith(f"; {why}")


def test_what_stands_amid_the_article_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    notice = f"<p>{LONG} It is said in every article of the site, by its own wish.</p>"
    page = parse(f"<body><div>{BODY * 6}{notice}{BODY}</div></body>")
    monkeypatch.setattr(
        BlockModel, "score_lines", lambda model, page: (found := describe(page), np.full(len(found.blocks), 0.55))
    )
    selection = blocks_with_site(page, shipped(), [parse(f"<body>{notice}</body>")] * 2, alike=ALIKE)
    assert selection.kept.all()


def test_without_evidence_the_model_decides_alone() -> None:
    page = parse(example(ENGLISH[0]))
    found = blocks_with_site(
        page,
        shipped(),
        [parse(example(ENGLISH[1]))],
        options=SiteOptions(recurs=0.0, aside=0.0, new=0.0, amid=0.0),
    )
    assert (found.rows == blocks_by_model(page, shipped()).rows).all()


def test_a_reference_that_is_no_use_is_told() -> None:
    page = parse(example(ENGLISH[0]))
    for references, error in (([], NothingFound), ([parse(example(CHINESE[0]))], NotASibling), ([page], NotASibling)):
        with pytest.raises(error):
            blocks_with_site(page, shipped(), references)


# auto


@pytest.mark.parametrize("names", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_the_example_articles_are_found_with_one_reference(names: list[str]) -> None:
    recalls = []
    for name, other in zip(names, names[1:] + names[:1], strict=True):
        found = pagesieve.article(example(name), reference=example(other))
        assert found.method == "sharpened"
        words = [word for word in GOLD[name]["text"].split() if len(word) > 3]
        recalls.append(sum(word in found.text for word in words) / len(words))
    assert np.mean(recalls) >= 0.97


def test_a_library_gives_the_references(tmp_path: Path) -> None:
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        sites.learn((GOLD[name]["url"], example(name)) for name in ENGLISH)
        for name in ENGLISH:
            found = pagesieve.article(example(name), url=GOLD[name]["url"], sites=sites)
            assert found.method == "sharpened"
            assert any(decision.reason.endswith("other pages of the site too") for decision in found.decisions)
        unknown = pagesieve.article(example(CHINESE[0]), url="https://other.example.org/x", sites=sites)
        nameless = pagesieve.article(example(CHINESE[0]), sites=sites)
    assert (unknown.method, nameless.method) == ("blocks", "blocks")


def test_auto_goes_on_where_the_reference_is_no_use() -> None:
    assert pagesieve.article(example(ENGLISH[0]), reference=example(CHINESE[0])).method == "blocks"


def test_favor_and_model_are_passed_on() -> None:
    page, other = example(ENGLISH[0]), example(ENGLISH[1])
    sizes = [len(pagesieve.article(page, reference=other, favor=favor).text) for favor in ("precision", None, "recall")]
    assert sizes == sorted(sizes)
    deaf = replace(shipped(), second=replace(shipped().second, baseline=np.array([-60.0])))
    with pytest.raises(NothingFound, match=r"sharpened: .*; blocks: "):
        pagesieve.article(page, reference=other, model=deaf)


def test_an_article_can_be_pickled() -> None:
    found = pagesieve.article(example(ENGLISH[0]), reference=example(ENGLISH[1]))
    assert pickle.loads(pickle.dumps(found)).decisions == found.decisions


def test_it_is_measured_with_the_other_pages_of_the_site(example_set: Path) -> None:
    done = CliRunner().invoke(evaluate, [str(example_set), "--method", "sharpened", "--json", "-"])
    assert done.exit_code == 0, done.output
    groups = json.loads(done.stdout)["groups"]
    (figures,) = [group for group in groups if group["by"] == "set" and group["set"] == "example"]
    assert (figures["pages"], figures["failures"]) == (24, 0)
    assert figures["f1"] >= 0.95
