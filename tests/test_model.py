"""The block model: what it sees of each line; its file; what it keeps of pages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import pagesieve
from pagesieve.errors import BadInput, BadModel, BadOption, NothingFound
from pagesieve.methods.blocks import (
    RELATIVE,
    UNLIKELY,
    BlockModel,
    blocks_by_model,
    find_problem,
    page_threshold,
    shipped,
    word_table,
)
from pagesieve.methods.features import FIRST_FEATURES, SECOND_FEATURES, STORY_FEATURES, LineFeatures, describe
from pagesieve.page import kernel
from pagesieve.page.forest import Forest
from pagesieve.page.static import parse
from tests.growing import growth
from tests.nonsense import pages
from tests.profiles import examples

EXAMPLES = Path(__file__).parents[1] / "examples" / "site"
PARAGRAPH = "The harbour wall was finished in May, two years after the storm that had taken the old one away. "
HTML = (
    "<title>The wall</title><nav class=menu><ul><li><a href=/a>News</a><li><a href=/b>Sport 2024</a></ul></nav>"
    f"<main><h1>The wall</h1><div class='post entryBody' id=x7><p>{PARAGRAPH * 3}<p>{PARAGRAPH * 2}"
    f"<p>Stone came by barge, at € 5 a load.</div><div hidden><p>{PARAGRAPH}</div></main>"
    "<footer role=contentinfo>Copyright 1998, 12:30</footer>"
)


def stump(names: tuple[str, ...], feature: str, threshold: float, low: float, high: float) -> Forest:
    """A forest of one tree that asks one thing."""
    return Forest(
        names,
        np.array([names.index(feature), -1, -1], dtype=np.int16),
        np.array([threshold, 0, 0], dtype=np.float32),
        np.array([1, 0, 0], dtype=np.int32),
        np.array([0, low, high], dtype=np.float32),
        np.array([0], dtype=np.int32),
        np.array([0], dtype=np.int32),
        np.array([0.0]),
    )


def small_model() -> BlockModel:
    """Long lines are content, and so are lines in a container of such."""
    return BlockModel(
        stump(FIRST_FEATURES, "chars", 60, -2, 2),
        stump(SECOND_FEATURES, "first_around2", 0.5, -1, 1),
        stump(STORY_FEATURES, "level", 9, -9, -9),
        *word_table({5: 1.0, 6: -1.0}),
        np.array([0.6, 0.5, 0.2]),
    )


def named(described: LineFeatures, line: int) -> dict[str, float]:
    return dict(zip(SECOND_FEATURES, described.values[line].tolist(), strict=True))


def line_of(described: LineFeatures, text: str) -> int:
    return next(k for k in range(len(described.blocks)) if text in described.blocks.text(k))


def test_what_is_seen_of_a_line() -> None:
    described = describe(parse(HTML))
    barge = named(described, line_of(described, "barge"))
    assert barge["chars"] == len("".join("Stone came by barge, at € 5 a load.".split()))
    assert barge["words"] == 8
    assert (barge["stop"], barge["prices"], barge["mark_count"], barge["hidden"]) == (1, 1, 2, 0)
    assert (barge["is_0"], barge["in_main"], barge["in_nav"], barge["has_h1"]) == (1, 1, 0, 1)
    assert barge["around2_lines"] == 3
    foot = named(described, line_of(described, "Copyright"))
    assert (foot["dates"], foot["in_footer"]) == (2, 1)
    assert named(described, line_of(described, "Sport"))["links"] == pytest.approx(9 / 10)
    assert named(described, len(described.blocks) - 2)["hidden"] == 1


def test_words_of_classes_are_split_at_humps_and_signs() -> None:
    page = parse("<div class='post entryBody-2' id=mainNAV></div>")
    digests = kernel.lines.words.words(page)[1]
    alike = [parse(f"<p class={word}></p>") for word in ("post", "entry", "BODY", "main", "nav")]
    assert list(digests) == [kernel.lines.words.words(each)[1][0] for each in alike]


def test_words_say_what_the_table_says() -> None:
    described = describe(parse(HTML))
    post, menu = (kernel.lines.words.words(parse(f"<p class={word}>"))[1][0] for word in ("post", "menu"))
    described.add_words(*word_table({post: 2.0, menu: -3.0}))
    inside, outside = (named(described, line_of(described, text)) for text in ("barge", "Sport"))
    assert (inside["words_2"], inside["words_sum"], inside["words_most"]) == (2.0, 2.0, 2.0)
    assert (outside["words_sum"], outside["words_least"]) == (-3.0, -3.0)


def words_of(text: str) -> list[int]:
    return list(kernel.lines.words.text_words(describe(parse(f"<p>{text}</p>")).words)[1])


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Read more", "READ MORE!", True),
        ("Read <b>more</b>", "read more", True),
        ("read-more", "read more", True),
        ("Page 12", "Page 34", True),
        ("Page 12", "Page 345", False),
        ("Read more", "Read less", False),
        ("Ещё новости", "«Ещё новости…»", True),
        ("相关阅读", "【相关阅读】", True),
        ("相关阅读", "相关新闻", False),
    ],
)
def test_words_of_the_text(one: str, other: str, alike: bool) -> None:
    assert (words_of(one) == words_of(other)) is alike


def test_how_the_text_is_cut_into_words() -> None:
    sizes = {
        "": 0,
        "…": 0,
        "one": 2,
        "one two": 3,
        "责任编辑": 4,
        "责": 0,
        "a1b22": 5,
        "word " * 10: 11,
        "word " * 11: 11,
    }
    assert {text: len(words_of(text)) for text in sizes} == sizes  # short lines have one more: the whole
    assert len(words_of("word " * 500)) == 30
    assert words_of("post") != list(kernel.lines.words.words(parse("<p class=post>"))[1])


def test_what_the_words_of_the_text_say() -> None:
    stone, came, *_ = words_of("Stone came by")
    described = describe(parse(HTML))
    described.add_words(*word_table({stone: 2.0, came: -1.0, words_of("News")[-1]: -4.0}))
    barge, news = (named(described, line_of(described, text)) for text in ("barge", "News"))
    assert (barge["text_mean"], barge["text_least"], barge["text_first"], barge["text_whole"]) == (0.5, -1, 2, 0)
    assert (news["text_mean"], news["text_whole"]) == (0, -4)


def test_pictures_controls_and_repeats_are_counted() -> None:
    cards = "<div><img src=a><p>One card of many</p><button>Buy</button></div>" * 3
    described = describe(parse(f"<main>{cards}</main>"))
    seen = [named(described, k) for k in range(len(described.blocks)) if "card" in described.blocks.text(k)]
    assert [each["same_before"] for each in seen] == [0, 1, 2]
    assert {(each["around2_images"], each["around2_controls"], each["around3_images"]) for each in seen} == {(1, 1, 3)}


@examples(60)
@given(pages)
def test_the_features_of_any_page_are_numbers(html: str) -> None:
    described = describe(parse(html))
    described.add_words(
        *word_table({digest: float(digest % 7) - 3 for digest in kernel.lines.words.words(parse(html))[1]})
    )
    described.add_context(np.linspace(0, 1, len(described.blocks)))
    assert np.isfinite(described.values).all()


def test_what_is_no_text_is_none_where_it_is_hidden() -> None:
    page = parse(f"<div style='display:none'><style>p {{ color: red }}</style><p>{PARAGRAPH}</div>")
    assert "color" not in "".join(describe(page).blocks.text(k) for k in range(len(describe(page).blocks)))


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = small_model()
    model.save(tmp_path / "one.model")
    found = BlockModel.load(tmp_path / "one.model")
    found.save(tmp_path / "two.model")
    assert (tmp_path / "one.model").read_bytes() == (tmp_path / "two.model").read_bytes()
    page = parse(HTML)
    assert found.score_lines(page)[1] == model.score_lines(page)[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": np.ones(4, dtype=np.int64)}, "words"),
        ({"words": np.zeros(3, dtype=np.int64)}, "places for words"),
        ({"thresholds": np.array([0.5, 1.5, 0.5])}, "thresholds"),
        ({"thresholds": np.array([0.5])}, "thresholds"),
        ({"first": stump(SECOND_FEATURES, "chars", 1, 0, 1)}, "other features"),
    ],
)
def test_models_that_do_not_fit_together_are_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    model = replace(small_model(), **change)  # type: ignore[arg-type]
    if "words" in change:
        model = replace(model, word_scores=np.zeros(len(model.words), dtype=np.float32))
    assert message in (find_problem(model) or "")
    with pytest.raises(BadModel, match=message):
        model.save(tmp_path / "a.model")


def test_the_thresholds_go_with_what_is_favoured() -> None:
    page = parse(HTML)
    kept = [int(blocks_by_model(page, shipped(), favor).rows.sum()) for favor in ("precision", None, "recall")]
    assert kept == sorted(kept)


def test_where_all_is_unlikely_the_likeliest_is_kept() -> None:
    assert page_threshold(np.array([0.95, 0.4]), 0.5) == 0.5
    assert page_threshold(np.array([0.6, 0.2]), 0.5) == pytest.approx(RELATIVE * 0.6)
    assert page_threshold(np.array([0.1]), 0.5) == page_threshold(np.zeros(0), 0.5) == UNLIKELY
    assert page_threshold(np.array([0.1]), 0.2) == 0.2
    doubtful = replace(small_model(), thresholds=np.array([0.99, 0.98, 0.97]))
    assert PARAGRAPH.strip() in pagesieve.article(HTML, method="blocks", model=doubtful).text


def test_only_models_of_its_own_sort() -> None:
    assert PARAGRAPH.strip() in pagesieve.article(HTML, method="blocks", model=small_model()).text
    with pytest.raises(BadInput, match="BlockModel"):
        pagesieve.article(HTML, method="blocks", model=3)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="SvmModel"):
        pagesieve.article(HTML, method="svm", model=small_model())
    with pytest.raises(BadOption, match="auto, sharpened, blocks, template, svm take one"):
        pagesieve.article(HTML, method="layout", model=small_model())


def test_nothing_is_found_where_nothing_is() -> None:
    for html in ("", "<p></p>", "<nav><a href=/>Home</a></nav>"):
        with pytest.raises(NothingFound):
            pagesieve.article(html, method="blocks")


@pytest.mark.parametrize(("hidden", "kept"), [(1, False), (12, True)])
def test_hidden_text_is_kept_where_it_is_much_of_the_content(hidden: int, kept: bool) -> None:
    """A note to the editors is not, an article that a script will show is."""
    text = PARAGRAPH.replace("harbour", "hidden") * 2
    secret = "".join(f"<p>In {1900 + number} {text}</p>" for number in range(hidden))
    veiled = f"<div style='display: none'>{secret}</div>"
    page = f"<main><h1>The wall</h1><div>{f'<p>{PARAGRAPH * 3}</p>' * 4}{veiled}</div></main>"
    assert ("hidden wall" in pagesieve.article(page, method="blocks").text) == kept


def test_comments_in_code_are_no_readers_comments() -> None:
    code = '<pre><code><span class="token comment"># a wall</span>\nwall = stones(9)</code></pre>'
    page = f"<main><h1>The wall</h1>{f'<p>{PARAGRAPH * 3}</p>' * 4}{code}<p>{PARAGRAPH}</p></main>"
    assert "# a wall\nwall = stones(9)" in pagesieve.article(page, method="blocks").text


def test_comments_are_kept_apart() -> None:
    readers = "".join(f"<li class=comment><p>{PARAGRAPH.replace('wall', 'ship')}</p></li>" for _ in range(3))
    page = f"<main><h1>The wall</h1>{f'<p>{PARAGRAPH * 3}</p>' * 4}<ol class=commentlist>{readers}</ol></main>"
    found = pagesieve.article(page, method="blocks")
    assert "ship" not in found.text
    assert "ship" in str(found.comments)
    assert "ship" in pagesieve.article(page, method="blocks", include_comments=True).text


def test_every_block_has_a_reason() -> None:
    decisions = pagesieve.article(HTML, method="blocks").decisions
    reasons = {each.text.split()[0]: each.reason for each in decisions}
    assert reasons["News"] == "in a list of 2 links, dropped whole (.00)"
    assert re.fullmatch(r"[a-z0-9, ]+ \((\.\d\d|1\.00), \.55 needed\)", reasons["Stone"])
    assert reasons["The"]
    assert {each.kept for each in decisions} == {True, False}


def test_likely_lines_are_dropped_for_a_plain_reason() -> None:
    control = f"<button>{PARAGRAPH.replace('wall', 'gate')}</button>"
    hidden = f"<p hidden>{PARAGRAPH.replace('wall', 'pier')}</p>"
    page = f"<main><h1>The wall</h1><div>{f'<p>{PARAGRAPH * 3}</p>' * 4}{control}{hidden}</div></main>"
    found = pagesieve.article(page, method="blocks", model=small_model())
    reasons = {word: each.reason for each in found.decisions for word in ("gate", "pier") if word in each.text}
    assert reasons["gate"].endswith(", but a form control")
    assert reasons["pier"] == "not shown: hidden"


@pytest.mark.parametrize(
    "unit",
    ["<p>A line of text.</p>", "<li><a href=/x>A link</a></li>", "<h1>Head</h1>", "<div class=a>"],
    ids=["lines", "links", "headlines", "deep"],
)
def test_cost_grows_with_the_page(unit: str) -> None:
    def work(count: int) -> None:
        shipped().score_lines(prepared[count])

    prepared = {count: parse(f"<body>{unit * count}text") for count in (2000, 4000)}
    for page in prepared.values():
        _ = page.chars
    assert growth(work, 2000) < 3.0
