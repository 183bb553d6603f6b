"""The kind of a page: the example site, the two rules, and the forest behind them."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.cli.train import train as train_command
from pagesieve.errors import BadModel, BadOption
from pagesieve.kinds.kind import KIND_FEATURES, KINDS, STATED, is_archive, measure, shipped
from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.kernel.tags import KNOWN_TAGS
from pagesieve.page.lines import split
from pagesieve.page.static import parse
from tests.nonsense import pages
from tests.profiles import examples

LISTS = {
    "zh/index.html": "catalogue",
    "zh/shehui/index.html": "catalogue",
    "forum/thread-4711-1.html": "records",
    "search/results.html": "records",
    "shop/grid.html": "records",
}


def test_the_pages_of_the_example_site(site: Path, articles: dict[str, bytes], gold: list[dict[str, str]]) -> None:
    called = [pagesieve.kind(articles[answer["id"]], answer["url"]) for answer in gold]
    assert called.count("article") >= 0.9 * len(called)
    for name, expected in LISTS.items():
        assert pagesieve.kind((site / name).read_bytes(), f"https://example.org/{name}") == expected, name


@pytest.mark.parametrize("html", ["", "<p>Not found</p>", "<form><input name=user><button>Log in</button></form>"])
def test_a_page_with_next_to_no_text_is_none_of_them(html: str) -> None:
    assert pagesieve.kind(html) == "other"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/2020/", True),
        ("https://example.org/blog/2020/03", True),
        ("https://example.org/2020/03/14/", True),
        ("https://example.org/2020/03/14/a-title/", False),
        ("https://example.org/1234/", False),
        ("https://example.org/p?year=/2020/", False),
        ("http://[bad", False),
        (None, False),
    ],
)
def test_addresses_of_archives(url: str | None, expected: bool) -> None:
    assert is_archive(url) is expected


def test_an_article_tells_the_kind_of_its_page(articles: dict[str, bytes]) -> None:
    found = pagesieve.article(next(iter(articles.values())))
    assert found.kind == pagesieve.kind(next(iter(articles.values())))
    assert json.loads(found.as_json())["kind"] == found.kind


@given(pages)
@examples(60)
def test_every_page_has_finite_features(html: str) -> None:
    page = parse(html, "https://example.org/a/b?c=d")
    values = measure(page)
    assert values.shape == (len(KIND_FEATURES),)
    assert np.isfinite(values).all()
    assert pagesieve.kind(page) in (*KINDS, "other")


SUMS = (
    "lines chars linked longest long_lines very_long_lines long_chars very_long_chars longest_run link_lines "
    "short_link_lines link_line_chars headings linked_headings titles title_chars numbers asked"
).split()


def sums_of(page: pagesieve.Page) -> dict[str, object]:
    """What is summed up of the lines of a page."""
    blocks = split(page)
    found = kernel.page.kinds.LineSums(12, 6)
    found.read(kernel.page.kinds.PageSums(page), blocks.columns)
    return {name: getattr(found, name) for name in SUMS} | {"between": found.most_between()}


def test_sums_of_lines_by_hand() -> None:
    page = parse(
        "<nav><a href=/>Start here</a></nav><h1>Some words</h1><p>Words and more words of it</p>"
        "<h2><a href=/a>A title</a></h2><p>Words, words</p><p><a href=/2> 2 </a></p><p><a href=/3>３</a></p>"
    )
    found = sums_of(page)
    sizes = [9, 9, 21, 6, 11, 1, 1]
    assert found == {
        "lines": 7,
        "chars": sum(sizes),
        "linked": 9 + 6 + 1 + 1,
        "longest": 21,
        "long_lines": 1,
        "very_long_lines": 0,
        "long_chars": 21,
        "very_long_chars": 0,
        "longest_run": 2,  # as long as three quarters of a long one
        "link_lines": 2,
        "short_link_lines": 2,
        "link_line_chars": 9 + 6,
        "headings": 2,
        "linked_headings": 1,
        "titles": 1,
        "title_chars": 6,
        "numbers": 1,
        "asked": [6],  # a wide digit
        "between": (9 + 21, 9 + 21),
    }


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("12", 1),
        ("1 2", 0),
        ("p1", 0),
        ("<b>1</b><i>2</i>", 1),
        ("<b>1</b><i>x</i>", 0),
        ("٣", 1),
        ("»", 0),
        ("1234", 0),
    ],
)
def test_links_that_are_numbers(inner: str, expected: int) -> None:
    values = measure(parse(f"<p>Words and words</p><p><a href=/x>{inner}</a></p>"))
    assert values[KIND_FEATURES.index("numbered_links")] == np.float32(np.log1p(expected))


def test_siblings_by_hand() -> None:
    page = parse("<ul><li>one<li><a href=x>two</a><li>three, at length<li><img src=x><li hidden>four</ul>")
    (group,) = kernel.page.kinds.PageSums(page).siblings(KNOWN_TAGS, 2, 10, 20).groups()
    texts = [3, 3, 14]  # characters, the image alone has none
    assert group == (3, sum(texts), sum(size * size for size in texts), 3, 0, 1, 1)


@given(st.text("aZ.!)1920:  \u00a0\u3000,€$１５。中", max_size=30))
def test_signs_are_counted_as_by_the_counter_of_other_models(text: str) -> None:
    page = parse(f"<p>{text}</p>")
    found = kernel.page.kinds.PageSums(page).signs()
    rows = np.flatnonzero(page.chars > 0).astype(np.int32)
    columns = kernel.page.punctuation.count(page, rows)
    sums = [sum(column) for column in columns]
    assert [found.texts, found.marks, found.digits, found.stops, found.prices, found.dates] == [len(rows), *sums]


@pytest.mark.parametrize(
    ("html", "names", "published"),
    [
        ('<script type="application/ld+json">{"@type": "Article", "x": "Products"}</script>', {"Article"}, False),
        ('<div itemtype="https://schema.org/NewsArticle">', {"NewsArticle"}, False),
        ('<a href="https://schema.org/Product">', set(), False),
        ('<meta property="article:published_time" content="2024">', set(), True),
        ('<p class="article:published_time">', set(), False),
    ],
)
def test_what_a_page_states(html: str, names: set[str], published: bool) -> None:
    values = dict(zip(KIND_FEATURES, measure(parse(html)).tolist(), strict=True))
    assert {name for name in STATED if values[f"says_{name}"]} == names
    assert bool(values["published"]) == published


# The forest


def stump(**changed: object) -> Forest:
    """One tree: more than 1 of the first feature is the second kind."""
    forest = Forest(
        names=("first", "second"),
        feature=np.array([0, -1, -1], dtype=np.int16),
        threshold=np.array([1, 0, 0], dtype=np.float32),
        child=np.array([1, 0, 0], dtype=np.int32),
        score=np.array([0, -2, 3], dtype=np.float32),
        roots=np.array([0], dtype=np.int32),
        kind=np.array([1], dtype=np.int32),
        baseline=np.array([0.5, 0.25]),
    )
    return replace(forest, **changed)  # type: ignore[arg-type]


def bush(feature: list[int], child: list[int], roots: Sequence[int] = (0,)) -> dict[str, object]:
    """Return the columns of other trees: the features and children of their nodes, and their roots."""
    return {
        "feature": np.array(feature, dtype=np.int16),
        "child": np.array(child, dtype=np.int32),
        "threshold": np.zeros(len(feature), dtype=np.float32),
        "score": np.arange(len(feature), dtype=np.float32),
        "roots": np.array(roots, dtype=np.int32),
        "kind": np.zeros(len(roots), dtype=np.int32),
    }


def test_a_tree_of_32_leaves() -> None:
    # A chain: each choice is between a leaf and the rest.
    chain = stump(**bush([0, -1] * 31 + [-1], [k + 1 if k % 2 == 0 else 0 for k in range(63)]))
    chain = replace(chain, threshold=np.arange(63, dtype=np.float32))
    values = np.array([[k, 0] for k in range(-1, 64)], dtype=np.float32)
    expected = [min(2 * -(-max(k, 0) // 2) + 1, 62) + 0.5 for k in range(-1, 64)]
    assert chain.scores(values)[:, 0].tolist() == expected


def test_a_tree_adds_its_score_to_its_kind(tmp_path: Path) -> None:
    values = np.array([[1, 0], [1.5, 0]], dtype=np.float32)
    assert stump().scores(values).tolist() == [[0.5, -1.75], [0.5, 3.25]]
    stump().save(tmp_path / "a", "test")
    again = Forest.load(tmp_path / "a", "test", ("first", "second"))
    assert again.scores(values).tolist() == [[0.5, -1.75], [0.5, 3.25]]
    assert stump().scores(values[:0]).shape == (0, 2)


@pytest.mark.parametrize(
    "changed",
    [
        {"feature": np.array([2, -1, -1], dtype=np.int16)},
        {"feature": np.array([-2, -1, -1], dtype=np.int16)},
        {"child": np.array([0, 0, 0], dtype=np.int32)},
        {"child": np.array([2, 0, 0], dtype=np.int32)},
        {"child": np.array([2**31 - 1, 0, 0], dtype=np.int32)},  # one more is below nothing
        {"child": np.array([1, 0], dtype=np.int32)},
        {"roots": np.array([3], dtype=np.int32)},
        {"roots": np.array([-1], dtype=np.int32)},
        {"kind": np.array([2], dtype=np.int32)},
        {"kind": np.array([], dtype=np.int32)},
        {"baseline": np.array([])},
        {"roots": np.array([0, 0], dtype=np.int32), "kind": np.array([0, 0], dtype=np.int32)},
        bush([0, -1, 0, -1, -1], [1, 0, 3, 0, 0], roots=[0, 1]),  # a child in another tree
        bush([0, 0, -1, -1], [1, 2, 0, 0]),  # a child of two
        bush([0, -1, -1, -1], [1, 0, 0, 0]),  # a node of no tree
        bush([0, -1] * 32 + [-1], [k + 1 for k in range(65)]),  # 33 leaves
    ],
)
def test_a_forest_that_leads_astray_is_refused(changed: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(BadModel):
        stump(**changed).save(tmp_path / "a", "test")
    assert not (tmp_path / "a").exists()


def test_a_forest_of_other_features_is_refused(tmp_path: Path) -> None:
    stump().save(tmp_path / "a", "test")
    with pytest.raises(BadModel, match="other features"):
        Forest.load(tmp_path / "a", "test", ("first", "third"))
    with pytest.raises(BadModel):
        Forest.load(tmp_path / "a", "kind", ("first", "second"))


@given(st.integers(0, 2**32 - 1))
@examples(20)
def test_scores_are_those_of_the_leaves_that_rows_come_to(seed: int) -> None:
    forest = shipped()
    values = np.random.default_rng(seed).normal(1, 3, (3, len(KIND_FEATURES))).astype(np.float32)
    rows = np.array([0, 2], dtype=np.int32)
    scores, expected = (np.zeros((3, len(KINDS))) for _ in range(2))
    forest.add(scores, values, rows)
    for row in rows:
        for node, kind in zip(forest.roots, forest.kind, strict=True):
            while (feature := forest.feature[node]) >= 0:
                node = forest.child[node] + int(values[row, feature] > forest.threshold[node])
            expected[row, kind] += forest.score[node]
    np.testing.assert_array_equal(scores, expected)
    for row in rows:
        assert forest.best(array("f", values[row])) == (forest.baseline + expected[row]).argmax()


def test_a_forest_wants_all_features() -> None:
    with pytest.raises(ValueError, match="features in place of"):
        shipped().best(array("f", [0.0]))


def test_a_forest_gives_what_scikit_learn_gives() -> None:
    pytest.importorskip("sklearn")
    from sklearn.ensemble import HistGradientBoostingClassifier

    from pagesieve.training.forests import grow

    random = np.random.default_rng(1)
    values = random.integers(0, 99, (400, 5)).astype(np.float32) / np.float32(33)
    labels = (values[:, 0] + random.normal(0, 0.3, 400) > 1).astype(np.intp) + (values[:, 1] > 2)
    forest = grow(values, labels, np.ones(400), tuple("abcde"), max_iter=20, max_leaf_nodes=31)
    machine = HistGradientBoostingClassifier(early_stopping=False, random_state=0, max_iter=20, max_leaf_nodes=31)
    machine.fit(values, labels, sample_weight=np.ones(400))
    np.testing.assert_allclose(forest.scores(values), machine._raw_predict(values), atol=1e-4)


def test_a_forest_whose_trees_are_one_leaf_each() -> None:
    pytest.importorskip("sklearn")
    from pagesieve.training.forests import grow

    labels = np.arange(30) % 3
    forest = grow(np.zeros((30, 5), dtype=np.float32), labels, np.ones(30), tuple("abcde"), max_iter=2)
    assert forest.scores(np.zeros((2, 5), dtype=np.float32)).std(axis=0).max() == 0
    assert forest.best(array("f", [0.0] * 5)) in (0, 1, 2)


# Training


def test_training_the_kind(
    tmp_path: Path, site: Path, articles: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pytest.importorskip("pagesieve.training.kind").FOREST, "max_iter", 8)
    rows = []
    (tmp_path / "set" / "pages").mkdir(parents=True)
    lists = {"listing": site / "en" / "index.html", "collection": next((site / "shop").glob("*.html"))}
    for number, html in enumerate([*articles.values()][:12]):
        for kind, data in {"article": html, **{name: path.read_bytes() for name, path in lists.items()}}.items():
            (tmp_path / "set" / "pages" / f"{kind}{number}.html").write_bytes(data)
            rows.append({"id": f"{kind}{number}", "site": f"s{number}", "text": "", "page_type": kind})
    (tmp_path / "set" / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    written = []
    for name in ("one", "two"):
        args = [str(tmp_path / "set"), "--method", "kind", "-o", str(tmp_path / name)]
        done = CliRunner().invoke(train_command, args)
        assert done.exit_code == 0, done.output
        assert "macro F1" in done.stdout
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    Forest.load(tmp_path / "one", "kind", KIND_FEATURES)
    for option in (["--features", "paper"], ["--seed", "1"], ["--report", str(tmp_path / "report")]):
        done = CliRunner().invoke(train_command, [*args, *option])
        assert isinstance(done.exception, BadOption)
