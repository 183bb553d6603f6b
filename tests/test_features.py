"""What a support vector machine is told of a page: the paper's ratios to three decimals, lines, signs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.methods.features import FIRST_FEATURES, describe
from pagesieve.methods.svm import FEATURE_SETS, measure, paper_ratios
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TEXT
from pagesieve.page.lines import readable
from pagesieve.page.static import parse
from tests.nonsense import pages
from tests.profiles import examples


def column(features: str, name: str, html: str) -> list[float]:
    page = parse(html)
    values = measure(features, page, readable(page)).values
    return [round(float(value), 3) for value in values[:, FEATURE_SETS[features].index(name)]]


def test_the_ratios_of_the_paper() -> None:
    # Tables 3 and 4: the lengths and numbers of six blocks, and what they make of the page's.
    sums = np.array(
        [[6, 10, 83, 13, 15, 65], [6, 10, 0, 0, 0, 0], [2, 5, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]], dtype=np.float64
    )
    text, link_text, links, images = sums
    found = paper_ratios(text, link_text, links, images, np.array([192.0, 16.0, 7.0, 1.0])).T
    expected = [
        [0.031, 0.052, 0.430, 0.067, 0.078, 0.337],
        [0.353, 0.588, 0, 0, 0, 0],
        [0.25, 0.625, 0, 0, 0, 0],
        [0, 0, 0, 0, 0.5, 0],
        [0.857, 0.909, 0, 0, 0, 0],
    ]
    np.testing.assert_allclose(found, expected, atol=0.0006)


PAGE = (
    "<body><div><a href=1>one</a> <a href=2>two</a></div><section>Some text<div>nested, <b>bold</b>"
    "<img src=x></div>and more</section><p>loose</p></body>"
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # body holds "loose", the first div the links, the section "Some text and more" without the div in it
        ("R1", [5 / 38, 6 / 38, 15 / 38, 11 / 38]),
        ("R2", [0, 6 / 7, 0, 0]),
        ("R3", [0, 2 / 3, 0, 0]),
        ("R4", [0, 0, 0, 1 / 2]),
        ("R5", [0, 6 / 7, 0, 0]),
    ],
)
def test_a_block_is_what_it_holds_itself(name: str, expected: list[float]) -> None:
    assert column("paper", name, PAGE) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("is_paragraph", [0, 1, 0]),
        ("is_heading", [1, 0, 0]),
        ("is_link", [0, 0, 1]),
        ("stop", [0, 1, 0]),
        ("mark_count", [0, round(float(np.log1p(2)), 3), 0]),
        ("from_h1", [0, round(float(np.log(2)), 3), round(float(np.log(3)), 3)]),
        ("has_h1", [1, 1, 1]),
        ("in_footer", [0, 0, 1]),
        ("next+1_stop", [0, 0, 1]),
        ("next-1_stop", [1, 0, 0]),
        ("line", [0, 0.333, 0.667]),
    ],
)
def test_a_line_and_its_surroundings(name: str, expected: list[float]) -> None:
    html = "<h1>Title</h1><p>One, <i>two</i> three.</p><footer><div><a href=x>About</a></div></footer>"
    assert column("all", name, html) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize("features", sorted(FEATURE_SETS))
def test_a_page_without_text_has_no_blocks(features: str) -> None:
    page = parse("<div><img src=x></div>")
    measured = measure(features, page, readable(page))
    assert measured.values.shape == (0, len(FEATURE_SETS[features]))


def test_what_is_worked_with_is_not_read() -> None:
    page = parse("<p>text</p><form><select><option>one<option>two</select><button>go</button><p>in a form</p></form>")
    assert [page.text(row) for row in np.flatnonzero(readable(page)).tolist()] == ["text", "in a form"]


def test_what_is_left_away_is_not_measured() -> None:
    page = parse("<div>one two</div><div><a href=x>three</a></div>")
    rows = readable(page) & (page.linked == 0)
    measured = measure("paper", page, rows)
    assert measured.values.tolist()[0] == pytest.approx([6 / 7, 0, 0, 0, 0])
    assert measured.rows.tolist() == np.flatnonzero(rows).tolist()


@given(pages)
@examples(60)
def test_every_page_has_finite_features(html: str) -> None:
    page = parse(html)
    for features, names in FEATURE_SETS.items():
        measured = measure(features, page, readable(page))
        assert measured.values.shape[1] == len(names)
        assert np.isfinite(measured.values).all()
        assert len(measured.rows) == len(measured.block) == np.count_nonzero(readable(page))


# The kernel's part

SIGNS = [
    ("a, b. c", 2, 0, False),
    ("The end.", 1, 0, True),
    ("“The end.” ", 1, 0, True),
    ("完了。", 1, 0, True),
    ("他说：“好！”", 2, 0, True),
    ("１２３ and 45", 0, 5, False),
    ("क्या?", 1, 0, True),
    ("यह है।", 1, 0, True),
    ("ما هذا؟", 1, 0, True),
    ("😀…", 1, 0, True),
    ("\u3000全角。\u3000", 1, 0, True),
    ("nbsp.\u00a0", 1, 0, True),
    ("(so.)", 1, 0, True),
    ("v1.2", 1, 2, False),
]


@pytest.mark.parametrize(("text", "marks", "digits", "stop"), SIGNS)
def test_characters_are_counted(text: str, marks: int, digits: int, stop: bool) -> None:
    found = counted(text.encode())
    assert (found[0], found[1], bool(found[2])) == (marks, digits, stop)


def counted(data: bytes) -> list[int]:
    """The marks, digits, sentence ends, prices and dates of a text."""
    page = replace(parse("x"), text_buffer=data)
    (row,) = np.flatnonzero(page.tag == TEXT)
    text_at = np.where(np.arange(len(page) + 1) > row, len(data), 0).astype(np.int32)
    columns = kernel.page.punctuation.count(replace(page, text_at=text_at), np.array([row], np.int32))
    return [int(column[0]) for column in columns]


@pytest.mark.parametrize(
    ("text", "joined", "plain"),
    [
        ("1998, 12:30", 2, 2),
        ("in 2024年", 1, 1),
        ("1066 or 20245", 0, 0),
        ("12:30来源", 0, 1),
        ("2019\u00a012:30", 0, 2),
        ("2024:15", 1, 2),
        ("1:am30", 0, 1),
    ],
)
def test_the_two_rules_for_dates(text: str, joined: int, plain: int) -> None:
    """The models were trained on them: SVM and kinds of pages on the one, the block model on the other."""
    assert counted(text.encode())[4] == joined
    described = describe(parse(f"<p>{text}"))
    assert described.values[0, FIRST_FEATURES.index("dates")] == plain


def test_full_width_digits_are_digits_of_the_svm_alone() -> None:
    described = describe(parse("<p>１２３"))
    assert counted("１２３".encode())[1] == 3
    assert described.values[0, FIRST_FEATURES.index("digits")] == 0


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_are_read_to_their_end(data: bytes) -> None:
    assert all(0 <= count <= len(data) for count in counted(data))


@given(pages)
@examples(60)
def test_the_nearest_row_above_that_is_marked(html: str) -> None:
    page = parse(html)
    marked = (page.tag % 3 == 0).view(np.uint8)
    nearest = list(kernel.lines.lines.nearest(page, marked))
    for row in range(1, len(page)):
        above = row
        while above > 0 and not marked[above]:
            above = int(page.parent[above])
        assert nearest[row] == above
