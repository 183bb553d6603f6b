"""Templates and the support vector machine together: what goes, what stays, and what is said of it."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import pagesieve
from pagesieve.errors import BadInput, BadModel, BadOption, NothingFound
from pagesieve.methods.svm import FEATURE_SETS, PAPER, SvmModel, SvmOptions, shipped, template
from pagesieve.page.static import parse
from pagesieve.sites.templates import Template, Templates

STORY = [
    "The harbour wall was finished in May, two years after the storm that had taken the old one away.",
    "Three ships came in on the first day, and the fishermen, who had not expected that, helped to unload them.",
    "“It will hold for a hundred years,” said the engineer, before she left for the next town along the coast.",
]
NOTICE = (
    "All rights reserved: no part of this text may be copied, printed or sent on without our written consent, "
    "which we never give."
)
HTML = (
    "<body><div id=nav><a href=/>Home</a> <a href=/n>News</a></div><div id=story><h1>The wall</h1>"
    + "".join(f"<p>{paragraph}</p>" for paragraph in STORY)
    + f"<p>{NOTICE}</p></div><div id=foot>Copyright 2026 by the Harbour Post</div></body>"
)


def known(*pairs: tuple[str, str]) -> Templates:
    return Templates(
        [Template(tag, text, 7, "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00") for tag, text in pairs]
    )


def always(features: str = "all", margin: float = 1.0) -> SvmModel:
    """A machine that takes everything for text."""
    width = len(FEATURE_SETS[features])
    one = np.ones(width, dtype=np.float32)
    return SvmModel(features, 0 * one, one, one[None, :], np.zeros(1, dtype=np.float32), 1.0, margin)


def texts(selection: pagesieve.Selection) -> list[str]:
    page = selection.blocks.page
    return [page.text(row).strip() for row in np.flatnonzero(selection.rows).tolist()]


@pytest.mark.parametrize("features", sorted(FEATURE_SETS))
def test_a_leaf_that_is_a_template_goes(features: str) -> None:
    found = template(
        parse(HTML), always(features), known(("a", "Home"), ("div", "Copyright 2025 by the Harbour Post")), PAPER
    )
    assert texts(found) == ["News", "The wall", *STORY, NOTICE]


def test_the_same_text_in_another_element_stays() -> None:
    found = template(parse(HTML), always(), known(("span", "Home")), PAPER)
    assert "Home" in texts(found)


def test_a_long_template_among_the_paragraphs_stays() -> None:
    of_site = known(("p", NOTICE))
    assert NOTICE not in texts(template(parse(HTML), always(), of_site, PAPER))
    selection = template(parse(HTML), always(), of_site, SvmOptions(refine=False))
    assert NOTICE in texts(selection)
    (reason,) = [d.reason for d in selection.decisions() if d.text.startswith("All rights")]
    assert reason == (
        "among the article's paragraphs, though a template of the site, seen on 7 pages: "
        "<p> All rights reserved: no part of this text may be copied, pr…"
    )


def test_every_decision_names_the_template_or_the_margin() -> None:
    selection = template(parse(HTML), shipped(), known(("a", "Home"), ("a", "News")), SvmOptions())
    reasons = {decision.text[:40]: decision.reason for decision in selection.decisions()}
    assert reasons["Home News"] == "template of the site, seen on 7 pages: <a> Home"
    assert reasons[STORY[0][:40]].startswith("SVM margin +")
    assert texts(selection)[:3] == STORY or texts(selection)[1:4] == STORY


@pytest.mark.parametrize("html", ["", "<p></p>", "<div><img src=x></div>", "<select><option>one</select>"])
def test_a_page_without_text(html: str) -> None:
    with pytest.raises(NothingFound):
        template(parse(html), shipped())


def test_nothing_is_left_where_all_is_template() -> None:
    with pytest.raises(NothingFound):
        template(parse("<p>Imprint and privacy</p>"), always(), known(("p", "Imprint and privacy")))


def test_favor_moves_the_threshold() -> None:
    sizes = {}
    for favor in ("precision", None, "recall"):
        try:
            sizes[favor] = len(pagesieve.article(HTML, method="svm", favor=favor).text)
        except NothingFound:
            sizes[favor] = 0
    assert sizes["precision"] <= sizes[None] <= sizes["recall"]


# Through the interface


def test_svm_finds_the_articles_of_the_example_site(articles: dict[str, bytes], gold: list[dict[str, str]]) -> None:
    for answer in gold:
        found = pagesieve.article(articles[answer["id"]], method="svm")
        assert found.method == "svm"
        longest = max(answer["text"].splitlines(), key=len)
        assert longest[:40] in found.text, answer["id"]


def test_template_needs_a_library_and_an_address(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="needs a site library"):
        pagesieve.article(HTML, method="template")
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        with pytest.raises(BadInput, match="known by its url"):
            pagesieve.article(HTML, method="template", sites=sites)
        with pytest.raises(NothingFound, match="no template of the site"):
            pagesieve.article(HTML, "http://example.org/", method="template", sites=sites)


def test_template_learns_and_uses_a_site(
    articles: dict[str, bytes], gold: list[dict[str, str]], tmp_path: Path
) -> None:
    of_site = [answer for answer in gold if answer["site"] == gold[0]["site"]]
    with pagesieve.open_sites(tmp_path / "sites.db") as sites:
        sites.learn([(answer["url"], articles[answer["id"]]) for answer in of_site[1:]])
        assert len(sites.templates(of_site[0]["url"]))
        found = pagesieve.article(articles[of_site[0]["id"]], of_site[0]["url"], method="template", sites=sites)
    assert max(of_site[0]["text"].splitlines(), key=len)[:40] in found.text
    assert any(d.reason.startswith("template of the site") for d in found.decisions if not d.kept)
    assert pickle.loads(pickle.dumps(found)).text == found.text


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.model"
    always().save(path)
    assert STORY[0] in pagesieve.article(HTML, method="svm", model=str(path)).text
    always(margin=-1.0).save(path)  # read again, since the file changed
    with pytest.raises(NothingFound):
        pagesieve.article(HTML, method="svm", model=path)


def test_a_model_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"nonsense")
    for path in (tmp_path / "bad", tmp_path / "missing", tmp_path):
        with pytest.raises(BadModel):
            pagesieve.article(HTML, method="svm", model=path)
    with pytest.raises(BadOption, match="template, svm take one"):
        pagesieve.article(HTML, method="layout", model=tmp_path / "bad")
