"""Records without a browser: which region, which cuts, on small pages of every shape; what always holds; the cost."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.errors import NothingFound
from pagesieve.page.kernel.records.group_table import GROUP_NAMES
from pagesieve.page.static import parse
from pagesieve.page.table import Page
from pagesieve.records.find import find_static
from pagesieve.records.regions import RegionOptions, find_candidates, segment
from pagesieve.records.results import Segmentation
from tests.growing import growth
from tests.profiles import examples

TREES = "oak ash elm fir yew box bay fig may nut".split()
ABOUT = [
    "is slow to grow and quick to please, and it stands on the hill behind the mill",
    "was brought here by sailors who had nothing else to bring home with them",
    "bears fruit in its ninth year, if the frost of April spares the flowers",
    "has a bark so thin that children write their names into it with a nail",
    "is not one tree but two that have grown into each other over the years",
    "gives the wood that the old ships of the harbour were mended with in winter",
    "stands alone, for nothing else will live in the shade of its dense leaves",
    "smells of honey in the first warm week, and the whole village walks there",
    "drops its leaves late, all in one night, so that the street is yellow",
    "can be cut down to the ground and comes again with three stems the next year",
]
MENU = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in "home news shop help contact about".split())
HEAD = f"<body><ul class=nav>{MENU}</ul>"
FOOT = f"<div class=footer><ul>{MENU}</ul></div></body>"


def link(k: int) -> str:
    return f'<a href="/tree/{k}">The {TREES[k]} tree</a>'


def lines(form: str, count: int = 10) -> str:
    """The records, each written into a form with {link}, {about}, {tree} and {k}."""
    return "".join(form.format(link=link(k), about=ABOUT[k], tree=TREES[k], k=k) for k in range(count))


def grid(columns: int) -> str:
    """The records as cells of rows."""
    cells = [f"<td>{link(k)}<p>{ABOUT[k]}</p></td>" for k in range(10)]
    rows = (cells[k : k + columns] for k in range(0, 10, columns))
    return "".join(f"<tr>{''.join(row)}</tr>" for row in rows)


ONE_ROW = "<tr><td>{k}</td><td>{link}</td><td>{about}</td></tr>"
TWO_ROWS = "<tr><td colspan=2><b>{link}</b></td></tr><tr><td><img src=x.png></td><td>{about}</td></tr>"
LINKED_ROWS = "<tr><td>{link}</td></tr><tr><td>{about} <a href=/more/{k}>more</a></td></tr>"
SPACED = TWO_ROWS + "<tr><td colspan=2><img src=blank.gif></td></tr>"
DIV = "<div class=item><h3>{link}</h3><p>{about}</p></div>"
LI = "<li><h3>{link}</h3><p>{about}</p></li>"
FACETS = "".join(f'<li><a href="/size/{k}">{k} metres</a> ({k})</li>' for k in range(20))
ADVERTISEMENT = "<div class=promo><img src=buy.png></div>"

SHAPES = {
    "divs": f"<div>{lines(DIV)}</div>",
    "list": f"<ol>{lines(LI)}</ol>",
    "paragraphs": f"<div>{lines('<p>{link}<br>{about}</p>')}</div>",
    "table": f"<table>{lines(ONE_ROW)}</table>",
    "rows of two": f"<table>{lines(TWO_ROWS)}</table>",
    "rows of two with links": f"<table>{lines(LINKED_ROWS)}</table>",
    "rows of two and a spacer": f"<table>{lines(SPACED)}</table>",
    "terms": f"<dl>{lines('<dt>{link}</dt><dd>{about}</dd>')}</dl>",
    "headings": f"<div>{lines('<h3>{link}</h3><p>{about}</p>')}</div>",
    "title and body of one name": f"<div>{lines('<div class=t>{link}</div><div class=b>{about}</div>')}</div>",
    "rules between": f"<div>{lines('<b>{link}</b> {about}<hr>')}</div>",
    "breaks between": f"<div>{lines('{link}<br>{about}<br><br>')}</div>",
    "grid of two": f"<table>{grid(2)}</table>",
    "grid of five": f"<table>{grid(5)}</table>",
    "lists in sections": f"<div><section><ul>{lines(LI, 5)}</ul></section><section><ul>"
    + "".join(LI.format(link=link(k), about=ABOUT[k]) for k in range(5, 10))
    + "</ul></section></div>",
    "odd and even": "<table>"
    + "".join(f"<tr class={'odd' if k % 2 else 'even'}><td>{link(k)}</td><td>{ABOUT[k]}</td></tr>" for k in range(10))
    + "</table>",
    "wrapped twice": f"<div>{lines('<div><div>' + DIV + '</div></div>')}</div>",
    "heading of the list": f"<div><div class=count>10 trees found</div>{lines(DIV)}</div>",
    "pages below": f"<div>{lines(DIV)}<div class=pager><a href=/2>2</a> <a href=/3>3</a> <a href=/4>on</a></div></div>",
    "advertisements between": f"<div>{lines(DIV, 5)}{ADVERTISEMENT}"
    + "".join(DIV.format(link=link(k), about=ABOUT[k]) for k in range(5, 10))
    + "</div>",
    "a column of facets": f"<table><tr><td><ul>{FACETS}</ul></td><td><div>{lines(DIV)}</div></td></tr></table>",
    "a source in a control": f"<div>{lines(DIV)}</div><textarea>{'<p>more text than there is</p>' * 90}</textarea>",
    "data for scripts": f"<div>{lines(DIV)}</div><div>[{{ &quot;trees&quot;: &quot;{'tree ' * 2000}&quot; }}]</div>",
    "optional fields": "<div>"
    + "".join(
        f"<div><h3>{link(k)}</h3>{'<i>sold</i>' * (k % 3 == 0)}{'<img src=a.png>' * (k % 2)}<p>{ABOUT[k]}</p></div>"
        for k in range(10)
    )
    + "</div>",
    "quotes in posts": "<div>"
    + "".join(
        f"<div><b>{TREES[k]}</b><blockquote>{ABOUT[k - 1]}</blockquote><p>{ABOUT[k]}</p><p>So it is.</p></div>"
        for k in range(10)
    )
    + "</div>",
}


def texts(page: Page, found: Segmentation) -> list[str]:
    return [" ".join(" ".join(page.text(row) for row in record).split()) for record in found.records]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_cut_into_its_records(shape: str) -> None:
    page = parse(HEAD + SHAPES[shape] + FOOT)
    cut = texts(page, segment(page)[0])
    assert len(cut) == 10
    for k, text in enumerate(cut):
        assert TREES[k] in text
        assert ABOUT[k] in text
        assert sum(about in text for about in ABOUT) <= (2 if shape == "quotes in posts" else 1)


def test_what_is_no_record_is_noise() -> None:
    page = parse(HEAD + SHAPES["heading of the list"] + FOOT)
    found = segment(page)[0]
    assert [page.text(row) for row in found.noise] == ["10 trees found"]


def test_what_follows_one_record_of_many_is_noise() -> None:
    """Records of several subtrees are cut from one to the next; where most are one, a box between two is of neither."""
    asked = "<div class=ask><b>People also ask</b><ul><li>When do they flower?<li>How tall are they?</ul></div>"
    page = parse(HEAD + SHAPES["advertisements between"].replace(ADVERTISEMENT, asked) + FOOT)
    found = segment(page)[0]
    assert [len(record) for record in found.records] == [1] * 10
    assert [page.attribute(row, "class") for row in found.noise] == ["ask"]


def test_several_regions_come_best_first_and_apart() -> None:
    small = "".join(f"<li><a href=/b/{k}>Book {k}</a> by {TREES[k]}, {k} pages long</li>" for k in range(1, 7))
    page = parse(f"{HEAD}<div>{lines(DIV)}</div><div><h2>Books</h2><ol>{small}</ol></div>{FOOT}")
    first, *others = segment(page)
    assert len(first.records) == 10
    assert [len(other.records) for other in others if "Book 1" in page.text(other.records[0][0])] == [6]
    assert [each.score for each in [first, *others]] == sorted((each.score for each in [first, *others]), reverse=True)
    assert len(segment(page, RegionOptions(max_regions=1))) == 1


def test_a_text_in_the_searched_word_changes_nothing() -> None:
    html = HEAD + SHAPES["divs"] + FOOT
    page, marked = parse(html), parse(html.replace("years", "<b>years</b>").replace("year,", "<em>year</em>,"))
    assert texts(page, segment(page)[0]) == texts(marked, segment(marked)[0])


@pytest.mark.parametrize(
    "html",
    [
        "",
        "words",
        "<p>one</p>",
        "<p>a</p><p>b</p>",
        HEAD + FOOT,
        f"{HEAD}<div>{lines(DIV, 1)}</div>{FOOT}",
        "<div hidden>" + lines(DIV) + "</div>",
        "<textarea>" + lines(DIV) + "</textarea>",
    ],
)
def test_a_page_without_a_list_is_said_to_have_none(html: str) -> None:
    with pytest.raises(NothingFound):
        segment(parse(html))


def test_two_records_are_a_list() -> None:
    page = parse(f"{HEAD}<div>{lines(DIV, 2)}</div>{FOOT}")
    assert [TREES[k] in text for k, text in enumerate(texts(page, segment(page)[0]))] == [True, True]


def test_five_thousand_records() -> None:
    page = parse(
        "<div>" + "".join(DIV.format(link=f"<a href=/{k}>Tree {k}</a>", about=ABOUT[k % 10]) for k in range(5000))
    )
    assert len(segment(page)[0].records) == 5000


def test_every_name_has_its_feature() -> None:
    candidates = find_candidates(parse(HEAD + SHAPES["divs"] + FOOT))
    found = dict(zip(GROUP_NAMES, candidates.values.T, strict=True))
    assert list(found) == list(GROUP_NAMES)
    for values in found.values():
        assert values.shape == (len(candidates),)
        assert np.isfinite(values).all()


PARAGRAPH = "<p>In the morning the mayor opened the bridge, and by noon the first carts had crossed it twice.</p>"
COOKIES = "<div class=cookie-consent role=dialog><h2>We use cookies</h2><ul>{}</ul></div>".format(
    "".join(
        f"<li><b>Purpose {k}</b><p>So that partner {k} may measure what you read, and for how long.</p></li>"
        for k in range(12)
    )
)


@pytest.mark.parametrize(
    "beside", [COOKIES, f"<div class=story>{PARAGRAPH * 4}</div>", f"<aside><ul>{FACETS}</ul></aside>"]
)
def test_what_stands_beside_the_list_is_not_chosen(beside: str) -> None:
    for html in (f"{HEAD}{beside}<div>{lines(DIV)}</div>{FOOT}", f"{HEAD}<div>{lines(DIV)}</div>{beside}{FOOT}"):
        page = parse(html)
        assert TREES[0] in texts(page, segment(page)[0])[0]


def test_a_list_has_the_name_of_its_heading_and_says_how_likely_it_is() -> None:
    small = "".join(f"<li><a href=/b/{k}>Book {k}</a> by {TREES[k]}, {k} pages long</li>" for k in range(1, 7))
    page = f"{HEAD}<h2>Trees</h2><div>{lines(DIV)}</div><div><h2>Books</h2><ol>{small}</ol></div>{FOOT}"
    trees, *others = find_static(parse(page)).regions
    books = next(each for each in others if "Book 1" in each.records[0].text)
    assert (trees.name, books.name) == ("Trees", "Books")
    assert 1 > trees.probability > 0.5 > books.probability > 0
    assert (trees.as_dict()["name"], trees.as_dict()["probability"]) == ("Trees", round(trees.probability, 3))


TAG = st.sampled_from("div p ul li table tr td a b br hr span h3 img textarea dl dt dd".split())
TREE = st.recursive(
    st.text("ab c", max_size=12),
    lambda inner: st.tuples(
        TAG, st.sampled_from(["", " class=x", " class='y z'", " href=/u", " hidden"]), st.lists(inner, max_size=6)
    ),
    max_leaves=60,
)


def written(tree: object) -> str:
    if isinstance(tree, str):
        return tree
    assert isinstance(tree, tuple)
    tag, attribute, inner = tree
    return f"<{tag}{attribute}>{''.join(map(written, inner))}</{tag}>"


@given(st.lists(TREE, min_size=1, max_size=8), st.integers(1, 4))
@examples(150)
def test_records_are_disjoint_in_order_and_inside_their_region(trees: list[object], times: int) -> None:
    page = parse("".join(map(written, trees)) * times)
    try:
        found = segment(page, RegionOptions(min_score=-100.0))
    except NothingFound:
        return
    for each in found:
        rows = [row for record in each.records for row in record]
        assert len(each.records) >= 2
        assert all(each.records)
        assert each.region < rows[0]
        assert page.end[rows[-1]] <= page.end[each.region]
        assert all(page.end[row] <= after for row, after in pairwise(rows))
        for row in each.noise:
            assert each.region < row < page.end[each.region]
            assert not any(row < page.end[other] and other < page.end[row] for other in rows)


@pytest.mark.parametrize(
    "record",
    [
        DIV.format(link="<a href=/x>A tree</a>", about="text of some length"),
        TWO_ROWS.format(link="<a href=/x>A tree</a>", about="text of some length"),
        "<li>x</li>",
        "word<br>",
        "<p class=a{k}>a</p><b>c</b>",
    ],
)
def test_twice_the_records_cost_about_twice(record: str) -> None:
    def work(size: int) -> object:
        return segment(pages[size], RegionOptions(min_score=-100.0))

    size = 4000
    pages = {each: parse(f"<div>{record * each}</div>") for each in (size, 2 * size)}
    assert growth(work, size) < 3.0


def test_a_list_of_which_nothing_is_shown_is_none() -> None:
    page = parse(
        "><style>.menu__item{font-size:.9</style>"
        "<li class=menu__item><ul class=''><li><a>one</ul></a><ul class>Arci></ul>"
        "<li class=menu__item><ul class><li><a>s</a></li>hecatThepostclosed,thepaymentswenton,and"
    )
    with pytest.raises(NothingFound):
        segment(page)
    assert all(segment(page, RegionOptions(min_score=-100.0))[0].records)  # of what is shown
