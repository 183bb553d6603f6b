"""The tape of a source, trees built forwards and backwards, what is around a text, and how alike two trees are."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import TOKEN_TEXT
from pagesieve.page.kernel.html.tape import Tape
from pagesieve.page.kernel.tags import TAG_ID, TAGS, TEXT
from pagesieve.page.partial import Part, Tree
from pagesieve.page.static import parse
from tests.growing import growth
from tests.nonsense import pages
from tests.profiles import examples

AGREED_WITH_STRAYS = 0.8  # the share of documents

Nested = tuple[Any, ...]  # a name and its children, or ("", text)


def tokens_of(source: bytes) -> list[tuple[str, str]]:
    sorts = ("text", "linked", "start", "end", "alone")
    return [
        (sorts[what], source[at:stop].decode() if what < 2 else name(tag))
        for at, stop, tag, what in Tape(source).tokens()
    ]


def name(number: int) -> str:
    return TAGS[number] if number < len(TAGS) else "?"


TAPES = [
    ("<p>a <b>b</b></p>", "start p, text a, start b, text b, end b, end p"),
    ("  a  ", "text a"),
    ("", ""),
    ("<", "text <"),
    ("a < b <c", "text a < b, start ?"),
    ("<!-- <p>x</p> --><p>y", "start p, text y"),
    ("<!--><p>y", "start p, text y"),
    ("<!--a--!><p>y", "start p, text y"),
    ("<!doctype html><?xml x?><p>y", "start p, text y"),
    ("<![CDATA[x]]>y", "text y"),
    ("<script>if (a<b) '</p>'</script>x", "alone script, text x"),
    ("<SCRIPT>a</scripty></SCRIPT >x", "alone script, text x"),
    ("<style>p > a {}</style><textarea><p></textarea>", "alone style, alone textarea"),
    ("<script>never <p>closed", "alone script"),
    ("<title>never closed<p>x", "alone title, start p, text x"),
    ("<textarea>a</p>b<textarea/><p>c", "alone textarea, end p, text b, alone textarea, start p, text c"),
    ("<script><!--<script></script><p>--></script>x", "alone script, text x"),
    ("<script><!--<script>--></script>x", "alone script, text x"),
    ("<script>a</script b='>'>x", "alone script, text x"),
    ('<a title="x > y" href=z>l</a>m', "start a, linked l, end a, text m"),
    ("<a title='x \" > y'>l</a>", "start a, linked l, end a"),
    ("<p title=a'b>c", "start p, text c"),
    ('<a href=?q="x>y', "start a, linked y"),
    ('<p a==">">b', 'start p, text ">b'),
    ('<p =">b', "start p, text b"),
    ("<p\x01>b", "start ?, text b"),
    ("<x-y a=b/>z", "start ?, text z"),
    ("a</", "text a</"),
    ("<IMG SRC=x><br/>y", "alone img, alone br, text y"),
    ("<x-y/>z</x-y>", "alone ?, text z, end ?"),
    ("<div/>z", "start div, text z"),
    ("</>a</ b>c</p>", "text a, text c, end p"),
    ("a<p", "text a, start p"),
    ("<中>x", "text <中>x"),
    ("&lt;p&gt;", "text &lt;p&gt;"),
]


@pytest.mark.parametrize(("source", "expected"), TAPES)
def test_the_tape_of_a_source(source: str, expected: str) -> None:
    assert ", ".join(f"{sort} {of}" for sort, of in tokens_of(source.encode())) == expected


# Trees


def nested(source: bytes, found: tuple[Any, Any]) -> list[Nested]:
    """A tree in a form that can be compared and read."""
    read = Tape(source).tokens()
    nodes: list[tuple[str, list[Any]]] = []
    roots: list[Any] = []
    for token, parent in zip(*found, strict=True):
        at, stop, tag, what = read[token]
        node: tuple[str, list[Any]] = (source[at:stop].decode() if what < 2 else name(tag), [])
        (nodes[parent][1] if parent >= 0 else roots).append(node)
        nodes.append(node)
    return [_frozen(node) for node in roots]


def _frozen(node: Any) -> Nested:
    return (node[0], *(_frozen(child) for child in node[1]))


def built(source: str, way: str) -> list[Nested]:
    data = source.encode()
    tape = Tape(data)
    return nested(data, getattr(kernel.html.tape, way)(tape, 0, len(tape)))


# The paper's example: E may contain F, C may not contain D, and the end tags of C and E are left away.
EXAMPLE = "<html><body><div><p><div></div><li><span></span></div><section></section></body></html>"


@pytest.mark.parametrize("way", ["forwards", "backwards"])
def test_the_example_of_the_paper(way: str) -> None:
    tree = ("html", ("body", ("div", ("p",), ("div",), ("li", ("span",))), ("section",)))
    assert built(EXAMPLE, way) == [tree]


STRAYS = [
    ("<div>x</b>y</div>", [("div", ("x",), ("y",))]),
    ("<div><span>a</div>b", [("div", ("span", ("a",))), ("b",)]),
    ("</div>a", [("a",)]),
    ("<table><tr><td>1<td>2<tr><td>3</table>z", None),
    ("<dl><dt>a<dd>b<dt>c</dl>", None),
    ("<ul><li>a<ul><li>b</ul><li>c</ul>", None),
    ("<p>a<p>b<div>c</div>d", None),
]


@pytest.mark.parametrize(("source", "expected"), STRAYS)
def test_what_is_missing_or_too_much(source: str, expected: list[Nested] | None) -> None:
    forwards = built(source, "forwards")
    assert forwards == built(source, "backwards")
    assert expected is None or forwards == expected


NAMES = "div section span b p ul li dl dt dd table tr td br".split()


def make(rng: random.Random, tag: str, depth: int) -> Nested:
    """A tree that obeys the rules: no element in one that could not hold it if its end tag were left away."""
    children: list[Nested] = []
    for _ in range(rng.randint(0, 4) if depth and tag != "br" else 0):
        child = rng.choice(NAMES)
        if rng.random() < 0.3:
            if not children or children[-1][0] != "":
                children.append(("", f"t{rng.randint(0, 99)}"))
        elif may_hold(tag, child):
            children.append(make(rng, child, depth - 1))
    return (tag, *children)


def written(rng: random.Random, node: Nested, following: str) -> str:
    """A tree as a source; `following` is the element whose start tag comes next, or / and that whose end tag does.

    An end tag may be left away if what comes next cannot be in the element; an end tag ends it with its parent, unless
    it would be taken for its own.
    """
    tag, *children = node
    if tag == "":
        return str(children[0])
    if tag == "br":
        return "<br>"
    ends = following.removeprefix("/") != tag if following[:1] == "/" else not may_hold(tag, following)
    leaves_away = bool(kernel.html.tape.GROUPS[TAG_ID[tag]]) and ends and rng.random() < 0.6
    afters = [*(child[0] for child in children[1:]), following if leaves_away else f"/{tag}"]
    text = f"<{tag}>" + "".join(written(rng, child, after) for child, after in zip(children, afters, strict=False))
    return text if leaves_away else f"{text}</{tag}>"


def may_hold(tag: str, child: str) -> bool:
    return child == "" or not kernel.html.tape.GROUPS[TAG_ID[tag]] & kernel.html.tape.BARRED[TAG_ID[child]]


def plainly(node: Nested) -> Nested:
    return (node[1],) if node[0] == "" else (node[0], *(plainly(child) for child in node[1:]))


@given(st.integers(0, 2**32))
@examples(400)
def test_backwards_and_forwards_give_the_tree_that_was_written(seed: int) -> None:
    rng = random.Random(seed)
    tree = make(rng, "div", 5)
    source = written(rng, tree, "/")
    assert built(source, "forwards") == [plainly(tree)]
    assert built(source, "backwards") == [plainly(tree)]


def with_strays(rng: random.Random, most: int = 4) -> bytes:
    """A document with up to so many tags that belong nowhere."""
    source = written(rng, make(rng, "div", 5), "/")
    for _ in range(rng.randint(1, most)):
        at = rng.choice([k for k, sign in enumerate(source) if sign == "<"])
        source = source[:at] + rng.choice(["<", "</"]) + rng.choice(NAMES) + ">" + source[at:]
    return source.encode()


def test_with_strays_the_two_ways_mostly_agree() -> None:
    """A tag that belongs nowhere is read differently from the two sides: how often is measured here."""
    agreed = 0
    for seed in range(1000):
        tape = Tape(with_strays(random.Random(seed), most=2))
        ways = (kernel.html.tape.forwards, kernel.html.tape.backwards)
        trees = [[list(column) for column in way(tape, 0, len(tape))] for way in ways]
        agreed += trees[0] == trees[1]
    assert agreed >= AGREED_WITH_STRAYS * 1000


@given(st.integers(0, 2**32))
@examples(300)
def test_strays_crash_nothing_and_lose_no_text(seed: int) -> None:
    data = with_strays(random.Random(seed))
    tape = Tape(data)
    texts = [k for k, (*_, what) in enumerate(tape.tokens()) if what < 2]
    for way in ("forwards", "backwards"):
        tokens, parents = getattr(kernel.html.tape, way)(tape, 0, len(tape))
        assert [token for token in tokens if token in texts] == texts
        assert all(parent < node for node, parent in enumerate(parents))


@given(st.integers(0, 2**32))
@examples(200)
def test_a_well_formed_page_is_as_the_table_has_it(seed: int) -> None:
    rng = random.Random(seed)
    inline = ["b", "span", "em"]

    def block(depth: int) -> str:
        tag = rng.choice(["div", "section", "ul", "p"])
        if tag == "p" or not depth:
            return f"<p>w{rng.randint(0, 9)}<{(of := rng.choice(inline))}>x</{of}></p>"
        inside = "".join(block(depth - 1) for _ in range(rng.randint(1, 3)))
        return f"<ul><li>{inside}</li></ul>" if tag == "ul" else f"<{tag}>{inside}</{tag}>"

    source = block(4)
    page = parse(source)
    body = next(row for row in range(len(page)) if page.tag_name(row) == "body")

    def table(row: int) -> Nested:
        if page.tag[row] == TEXT:
            return (page.text(row).strip(),)
        return (
            page.tag_name(row),
            *(table(child) for child in range(row + 1, int(page.end[row])) if page.parent[child] == row),
        )

    expected = [table(row) for row in range(body + 1, len(page)) if page.parent[row] == body]
    assert built(source, "forwards") == built(source, "backwards") == expected


# From a text outwards


@given(st.integers(0, 2**32))
@examples(300)
def test_what_is_around_a_text_is_what_the_tree_has(seed: int) -> None:
    rng = random.Random(seed)
    tape = Tape(written(rng, make(rng, "div", 6), "/").encode())
    texts = [k for k, (*_, what) in enumerate(tape.tokens()) if what == TOKEN_TEXT]
    if not texts:
        return
    text = rng.choice(texts)
    tokens, parents = kernel.html.tape.forwards(tape, 0, len(tape))
    expected, node = [], list(tokens).index(text)
    while parents[node] >= 0:
        node = parents[node]
        expected.append(tokens[node])
    around = tape.around(text)
    assert [start for start, _ in around] == expected
    inside = list(tokens)
    for start, stop in around:
        node = inside.index(start)
        below = [k for k in range(node, len(inside)) if _is_below(parents, k, node)]
        assert [inside[k] for k in below] == [token for token in inside if start <= token < stop]


def _is_below(parents: Any, node: int, above: int) -> bool:
    while node > above:
        node = parents[node]
    return node == above


@given(pages)
@examples(100)
def test_any_page_can_be_grown(html: str) -> None:
    tape = Tape(html.encode())
    for text in tape.longest(3):
        parts = tape.around(text)
        assert all(first < text < stop for first, stop in parts)
        for inner, outer in pairwise(parts):
            assert outer[0] < inner[0]
            assert inner[1] <= outer[1]


@given(pages, st.integers(1, 4), st.integers(0, 3), st.sampled_from((1.0, 1.5, 3.0)))
@examples(150)
def test_what_is_grown_is_what_the_rule_says(html: str, least: int, window: int, gain: float) -> None:
    tape = Tape(html.encode())
    grown = tape.grown(least, window, gain)
    sizes = [stop - at if what == TOKEN_TEXT and stop - at >= least else 0 for at, stop, _, what in tape.tokens()]
    near = [sum(sizes[max(k - window, 0) : k + window + 1]) if size else -1 for k, size in enumerate(sizes)]
    if not any(sizes):
        assert grown is None
        return
    densest = max(range(len(sizes)), key=lambda k: (near[k], sizes[k], -k))
    parts = tape.around(densest) or [(densest, densest + 1)]
    held = [sum(sizes[first:stop]) for first, stop in parts]
    assert held == sorted(held)
    best = next((level for level, size in enumerate(held) if size > held[0]), 0)
    for level in range(best + 1, len(held)):
        best = level if held[level] >= gain * held[best] else best
    assert grown == parts[best]


def test_names_that_share_a_count_are_told_apart() -> None:
    by_count: dict[int, bytes] = {}
    for number in range(2000):
        name = b"x-%d" % number
        count = Tape(b"<%b>" % name).tokens()[0][2] % 1024
        other = by_count.setdefault(count, name)
        if other != name and Tape(b"<%b>" % other).tokens()[0][2] != Tape(b"<%b>" % name).tokens()[0][2]:
            break
    assert Tape(b"<p><%b>text</%b>more</p>" % (name, other)).around(2) == [(1, 5), (0, 6)]
    assert Tape(b"<p><%b>text</%b>more</p>" % (name, name)).around(2) == [(1, 4), (0, 6)]


@pytest.mark.parametrize(("first", "stop"), [(-1, 1), (0, 0), (0, 4), (2, 1), (3, 4)])
def test_tokens_that_are_not_there(first: int, stop: int) -> None:
    tape = Tape(b"<p>text</p>")
    assert tape.span(0, 3) == (0, 11)
    with pytest.raises(IndexError):
        tape.span(first, stop)
    with pytest.raises(IndexError):
        tape.around(3)


def test_the_densest_text_is_not_the_lone_giant() -> None:
    story = "".join(f"<p>{'A sentence of the article, long enough to count. ' * 3}</p>" for _ in range(6))
    source = f"<div>{'We use cookies. ' * 40}</div>{'<i></i>' * 80}<article>{story}</article>".encode()
    tape = Tape(source)
    found = tape.grown(60, 30, 2.0)
    assert found is not None
    assert Part(tape, *found).source == f"<article>{story}</article>".encode()
    assert tape.longest(1)[0] < found[0]
    assert Tape(b"<p>short</p>").grown(60, 30, 2.0) is None


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "signs": lambda size: b"<" * (2 * size),
    "deep": lambda size: b"<div>" * size + b"</b>" * size,
    "unclosed": lambda size: b"<b>" * size + b"x",
    "stray": lambda size: b"</i>" * size + b"x" + b"<i>" * size,
    "titles without an end": lambda size: b"<title>" * size,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_cost_of_hostile_sources_grows_with_their_size(name: str) -> None:
    def match(size: int) -> None:
        tape = Tape(HOSTILE[name](size))
        kernel.html.tape.forwards(tape, 0, len(tape))
        kernel.html.tape.backwards(tape, 0, len(tape))
        for text in tape.longest(1):
            tape.around(text)

    assert growth(match, 50_000) < 3


# Similarity

Shape = tuple[Any, ...]
shapes = st.recursive(
    st.tuples(st.integers(0, 2)), lambda inner: st.tuples(st.integers(0, 2), inner, inner), max_leaves=12
)


def two_trees(one: Shape, two: Shape) -> tuple[Tree, int, int]:
    names: list[int] = []
    parents: list[int] = []

    def add(shape: Shape, parent: int) -> int:
        node = len(names)
        names.append(shape[0])
        parents.append(parent)
        for child in shape[1:]:
            add(child, node)
        return node

    first = add(one, -1)
    second = add(two, -1)
    return Tree.made(names, parents), first, second


def by_the_formula(one: Shape, two: Shape) -> float:
    if one[0] != two[0]:
        return 0.0
    shared = 2.0
    for own, others in ((one[1:], two[1:]), (two[1:], one[1:])):
        shared += sum(
            _size(child) * max((by_the_formula(child, other) for other in others), default=0.0) for child in own
        )
    return shared / (_size(one) + _size(two))


def _size(shape: Shape) -> int:
    return 1 + sum(_size(child) for child in shape[1:])


@given(shapes, shapes)
@examples(300)
def test_similarity(one: Shape, two: Shape) -> None:
    tree, first, second = two_trees(one, two)
    found = tree.similarity(first, second)
    assert found == pytest.approx(by_the_formula(one, two))
    assert found == pytest.approx(tree.similarity(second, first))
    assert 0 <= found <= 1 + 1e-9
    assert tree.similarity(first, first) == 1


def test_deep_trees_can_be_compared() -> None:
    parents = [-1, *range(5000), -1, *range(5001, 10_000)]
    names = [0] * 5000 + [1] + [0] * (len(parents) - 5001)
    names[5001] = 0
    assert 0 <= Tree.made(names, parents).similarity(0, 5001) <= 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *((unit, "") for unit in ("<", "<p>x", "<div><b>", "</b>", "<a b='", "<li>text", "<!-", "&lt;", "<b>")),
        *(("<script>", ""), ("<script><!--", ""), ("<script><!--<script>", ""), ("<div>", "</b>"), ("</i>", "<i>")),
    ],
)
def test_cost_grows_with_the_source(before: str, after: str) -> None:
    def work(size: int) -> None:
        count = size // len(before + after)
        tape = Tape(f"{before * count}and a text{after * count}".encode())
        kernel.html.tape.forwards(tape, 0, len(tape))
        for text in tape.longest(1):
            tape.around(text)

    assert growth(work, 500_000) < 2.6  # the larger of the two is of a million bytes
