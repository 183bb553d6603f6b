"""Site templates: when texts are close, how templates are found on a page, and how they are learnt."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pagesieve.errors import BadOption
from pagesieve.page.static import parse
from pagesieve.page.table import Bools, Ints
from pagesieve.sites import templates as module
from pagesieve.sites.templates import (
    LEAVES,
    MAX_TEXT,
    Counts,
    Leaves,
    Template,
    TemplateOptions,
    Templates,
    close,
    leaves,
)
from tests.profiles import examples

Leaf = tuple[str, str]  # tag, text


def page_of(*given: Leaf) -> Leaves:
    return leaves(parse("".join(f"<{tag}>{text}</{tag}>" for tag, text in given)))


def templates_of(*given: Leaf) -> Templates:
    return Templates(Template(tag, text, 3, "", "") for tag, text in given)


# Close texts

CLOSE = [
    ("abcdefg", "abcdefg", True),  # 7: equal
    ("abcdefg", "abcdefx", False),
    ("abcdefg", "abcdefgh", False),  # the shorter one decides
    ("abcdefgh", "abcdefgx", True),  # 8: one edit
    ("abcdefgh", "abcdefghi", True),
    ("abcdefgh", "abcdefxy", False),
    ("abcdefghijklmno", "abcdefghijklmnx", True),  # 15: one
    ("abcdefghijklmno", "abcdefghijklmxy", False),
    ("abcdefghijklmno", "abcdefghijklmnopq", False),
    ("abcdefghijklmnop", "abcdefghijklmnxy", True),  # 16: two
    ("abcdefghijklmnop", "abcdefghijklmxyz", False),
    ("责任编辑：张越", "责任编辑：王兵", False),  # 7
    ("本文来源：新华社电", "本文来源：新华社讯", True),
    ("本文来源：新华社电", "本文来源：人民网电", False),
    ("😀😀😀😀😀😀😀", "😀😀😀😀😀😀😁", False),  # a character is a code point, however many bytes it takes
    ("😀😀😀😀😀😀😀😀", "😀😀😀😀😀😀😀😁", True),
    ("cafe\u0301 noir", "café noir", False),  # an accent of its own is a character: two edits apart
    ("cafe\u0301 au lait ici", "café au lait ici", True),
    ("cafe\u0301s", "cafes", False),
    ("", "", True),
    ("a", "", False),
]


@pytest.mark.parametrize(("one", "two", "expected"), CLOSE)
def test_close(one: str, two: str, expected: bool) -> None:
    assert close(one, two) is close(two, one) is expected
    if one and two:
        assert templates_of(("p", one)).match(page_of(("p", two))).tolist() == [0 if expected else -1]
        assert templates_of(("p", two)).match(page_of(("p", one))).tolist() == [0 if expected else -1]


# Matching


def slowly_matched(given: Leaf, templates: list[Leaf]) -> int:
    """By looking at every template."""
    if len(given[1]) > MAX_TEXT:
        return -1
    fit = [k for k, (tag, text) in enumerate(templates) if tag == given[0] and len(text) <= MAX_TEXT]
    equal = [k for k in fit if templates[k] == given]
    near = [
        k
        for k in fit
        if Levenshtein.distance(given[1], templates[k][1]) <= min(len(given[1]), len(templates[k][1])) // 8
    ]
    return (equal + near + [-1])[0]


@st.composite
def leaves_much_alike(draw: st.DrawFn, most: int = 12) -> list[Leaf]:
    """Leaves made of a few texts by a few edits, so that many are close and many are nearly so."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    letters = draw(st.sampled_from(["ab", "abcdefgh", "新闻网国际军事", "a中😀\u0301"]))
    lengths = draw(st.sampled_from([(1, 12), (6, 20), (14, 40), (60, 70), (120, 150), (990, 1010)]))
    bases = ["".join(rng.choices(letters, k=rng.randint(*lengths))) for _ in range(3)]

    def edited(text: str) -> str:
        characters = list(text)
        for _ in range(rng.randint(0, len(text) // 8 + 1)):
            at = rng.randrange(len(characters) + 1)
            characters[at : at + rng.randint(0, 1)] = rng.choices(letters, k=rng.randint(0, 1))
        return "".join(characters) or "x"

    return [(rng.choice("pb"), edited(rng.choice(bases))) for _ in range(rng.randint(0, most))]


def test_matching_is_what_looking_at_every_template_gives() -> None:
    @given(leaves_much_alike())
    @examples(150)
    def check(both: list[Leaf]) -> None:
        known, on_page = both[::2], both
        found = templates_of(*known).match(page_of(*on_page)).tolist()
        assert found == [slowly_matched(leaf, known) for leaf in on_page]

    check()


def test_an_equal_template_is_preferred_and_else_the_first() -> None:
    known = templates_of(("p", "abcdefgx"), ("b", "abcdefgh"), ("p", "abcdefgh"), ("p", "abcdefgh"))
    assert known.match(
        page_of(("p", "abcdefgh"), ("p", "abcdefgy"), ("b", "abcdefgz"), ("i", "abcdefgh"))
    ).tolist() == [
        2,
        0,
        1,
        -1,
    ]


def test_a_set_of_templates_is_a_sequence() -> None:
    known = templates_of(("p", "one"), ("b", "two"))
    assert [template.text for template in known] == ["one", "two"]
    assert known[1].tag == "b"
    assert known[:1] == (known[0],)
    assert not Templates()
    assert Templates().match(page_of(("p", "one"))).tolist() == [-1]
    assert known.match(page_of()).tolist() == []


def random_texts(rng: random.Random, count: int) -> list[Leaf]:
    """Texts of words that they share, in Latin and Chinese."""
    latin = ["".join(rng.choices("abcdefghilmnoprstu", k=rng.randint(2, 9))) for _ in range(3000)]
    chinese = ["".join(chr(0x4E00 + rng.randrange(900)) for _ in range(rng.randint(1, 3))) for _ in range(3000)]
    found: dict[Leaf, None] = {}
    while len(found) < count:
        words, blank = (chinese, "") if rng.random() < 1 / 3 else (latin, " ")
        found[rng.choice(("a", "p", "li")), blank.join(rng.choices(words, k=rng.randint(1, 10)))] = None
    return list(found)


def changed(rng: random.Random, text: str) -> str:
    characters = list(text)
    for _ in range(len(text) // 8):
        characters[rng.randrange(len(characters))] = "z"
    return "".join(characters)


def seconds(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


def test_many_templates_cost_little_more_than_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    texts = random_texts(rng, 101_000)
    known, new = texts[:100_000], texts[100_000:]
    known_here = [known[k] for k in rng.sample(range(1000), 600)]
    page = page_of(*known_here, *((tag, changed(rng, text)) for tag, text in known_here), *new)
    checked = Counter[str]()
    real = module._close

    def counting(ones: list[str], twos: list[str], most: Ints) -> Bools:
        checked["pairs"] += len(ones)
        return real(ones, twos, most)

    few, many = templates_of(*known[:1000]), templates_of(*known)
    with monkeypatch.context() as watched:
        watched.setattr(module, "_close", counting)
        found = many.match(page)
    assert (found[:600] >= 0).all()
    assert (found[600:1200] >= 0).mean() > 0.9  # changed within what is close; a short text has nothing to change
    assert (found[1200:] >= 0).mean() < 0.1
    assert checked["pairs"] < len(page)
    # In turns, and the best of each: what else the machine does hits both.
    times = [(seconds(lambda: few.match(page)), seconds(lambda: many.match(page))) for _ in range(15)]
    few_best, many_best = (min(column) for column in zip(*times, strict=True))
    assert many_best < 4 * few_best


# Learning

MENU = "".join(f"<li><a>{name}</a></li>" for name in ("中国", "国际", "军事", "观点", "专题"))
NOTICE = "特别声明：以上文章内容仅代表作者本人观点，如需转载请与本站联系"
LICENCE = "本网站刊载的所有内容均由新闻中心提供，许可证编号一〇一二〇一七〇〇〇四"


def figure(first: str, editor: str, body: str, end: str) -> str:
    """A page built as those of the paper's figure 2 are."""
    facts = f"<div><span>来源: 新华社</span><span>责任编辑: {editor}</span></div>"
    return f"<body><div><ul>{MENU}</ul></div><div>{first}</div>{facts}{body}<div><p>{LICENCE}</p></div>{end}</body>"


def test_the_frequencies_of_the_papers_example() -> None:
    body = "".join(f"<p>正文部分{name}</p>" for name in "ABC")
    one = figure(NOTICE, "张越", f"<div>{body}</div>", "<a>广告A</a><a>广告B</a>")
    two = figure("有消息称...", "王兵", "", "")
    counts = Counts(TemplateOptions())
    for html in (one, two):
        counts.count(leaves(parse(html)), "")
    assert {(entry.tag, entry.text): entry.frequency for entry in counts.entries} == {
        **{("a", name): 2 for name in ("中国", "国际", "军事", "观点", "专题")},
        ("span", "来源: 新华社"): 2,
        ("p", LICENCE): 2,
        ("div", NOTICE): 1,
        **{("span", f"责任编辑: {name}"): 1 for name in ("张越", "王兵")},
        **{("p", f"正文部分{name}"): 1 for name in "ABC"},
        **{("a", f"广告{name}"): 1 for name in "AB"},
        ("div", "有消息称..."): 1,
    }


def learnt(pages: list[list[Leaf]], options: TemplateOptions = TemplateOptions()) -> Counts:
    counts = Counts(options)
    for number, page in enumerate(pages):
        counts.count(page_of(*page), f"day {number}")
    return counts


def listed(templates: Templates) -> dict[Leaf, int]:
    return {(template.tag, template.text): template.frequency for template in templates}


class Slow:
    """The rules of learning, word for word."""

    def __init__(self, options: TemplateOptions) -> None:
        self.options, self.pages, self.batch = options, 0, 0
        self.templates: list[list[object]] = []  # leaf, frequency, last page
        self.open: list[list[object]] = []

    def lives(self, entry: list[object]) -> bool:
        return self.pages - int(str(entry[2])) < self.options.life

    def count(self, page: list[Leaf]) -> None:
        seen: list[list[object]] = []
        live = [entry for entry in self.templates if self.lives(entry)]
        for leaf in page:
            for entries in (live, self.open):
                hit = slowly_matched(leaf, [entry[0] for entry in entries])  # type: ignore[misc]
                if hit >= 0:
                    seen.append(entries[hit])
                    break
            else:
                if len(leaf[1]) <= MAX_TEXT:
                    self.open.append([leaf, 0, 0])
                    seen.append(self.open[-1])
        self.pages += 1
        self.batch += 1
        for entry in {id(entry): entry for entry in seen}.values():
            entry[1], entry[2] = int(str(entry[1])) + 1, self.pages
        if self.batch == self.options.pages:
            frequent = [entry for entry in self.open if int(str(entry[1])) >= self.options.frequency]
            self.templates = [entry for entry in self.templates + frequent if self.lives(entry)]
            self.open, self.batch = [], 0

    def all(self) -> list[list[object]]:
        return [*self.templates, *self.open]


SITES = st.lists(leaves_much_alike(6), min_size=1, max_size=14)


@given(SITES, st.integers(2, 6), st.integers(1, 3), st.integers(1, 8))
@examples(60)
def test_learning_is_what_the_rules_say(pages: list[list[Leaf]], size: int, frequency: int, life: int) -> None:
    options = TemplateOptions(pages=size, frequency=frequency, life=life)
    # Pages of one site have leaves in common: each begins with those of the one before.
    pages = [[*before[:2], *page] for before, page in zip([[], *pages], pages, strict=False)]
    slow = Slow(options)
    for page in pages:
        slow.count(page)
    found = learnt(pages, options)
    assert [[(entry.tag, entry.text), entry.frequency, entry.last_page] for entry in found.entries] == slow.all()
    assert (found.pages, found.batch) == (slow.pages, slow.batch)


def menu_page(number: int, *more: Leaf) -> list[Leaf]:
    return [("a", "Home"), ("p", f"The story of {str(number) * 9}."), *more]


def test_a_batch_gives_templates_from_four_pages_on() -> None:
    counted = [listed(learnt([menu_page(k) for k in range(pages)]).templates()) for pages in range(12)]
    assert counted == [{}] * 4 + [{("a", "Home"): pages} for pages in range(4, 12)]


def test_what_is_not_frequent_in_its_batch_is_dropped() -> None:
    rare = ("b", "Twice only")
    pages = [menu_page(k, *([rare] if k in (8, 9) else [])) for k in range(10)]
    assert listed(learnt(pages).templates()) == {("a", "Home"): 10}
    assert len(learnt(pages).entries) == 1
    assert len(learnt(pages[:9]).entries) == 11


def test_a_leaf_counts_once_a_page() -> None:
    pages = [[("p", "again")] * 5 + [("p", f"nearly the same {k}") for k in range(10)] for _ in range(4)]
    assert listed(learnt(pages).templates()) == {("p", "again"): 4, ("p", "nearly the same 0"): 4}


def test_close_leaves_are_one_template() -> None:
    pages = [[("p", f"It is {hour} o'clock in the evening")] for hour in (7, 8, 9, 6)]
    assert listed(learnt(pages).templates()) == {("p", "It is 7 o'clock in the evening"): 4}


def test_many_leaves_that_are_close_are_still_the_first_of_them() -> None:
    """More than are compared at once: the result is that of comparing each with all before it that are apart."""
    rng = random.Random(4)
    bases = ["".join(rng.choices("abcdefgh", k=40)) for _ in range(5)]
    texts = list(dict.fromkeys(changed(rng, changed(rng, rng.choice(bases))) for _ in range(3 * module.AT_ONCE)))
    apart: list[str] = []
    for text in texts:
        if not any(close(text, other) for other in apart):
            apart.append(text)
    counts = Counts(TemplateOptions())
    counts.count(page_of(*(("p", text) for text in texts)), "")
    assert len(texts) > 2 * module.AT_ONCE
    assert [entry.text for entry in counts.entries] == apart


def test_close_leaves_are_compared_with_the_first_of_them_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text, pairs, real = "a text of some length that has a number at its very end: ", Counter[int](), module._close

    def counting(ones: list[str], twos: list[str], most: Ints) -> Bools:
        pairs[count] += len(ones)
        return real(ones, twos, most)

    monkeypatch.setattr(module, "_close", counting)
    for count in (2000, 4000):
        Counts(TemplateOptions()).count(page_of(*(("p", f"{text}{k:04}") for k in range(count))), "")
    assert 0 < pairs[4000] < 2.5 * pairs[2000]


def test_a_template_that_is_not_seen_dies() -> None:
    options = TemplateOptions(life=15)
    old, new = ("a", "Old menu"), ("a", "New menu")
    pages = [[old]] * 10 + [[new]] * 14
    assert listed(learnt(pages, options).templates()) == {old: 10, new: 14}
    assert listed(learnt([*pages, [new]], options).templates()) == {new: 15}
    assert len(learnt([*pages, [new]], options).entries) == 2  # no longer counts
    assert [entry.text for entry in learnt([*pages, *[[new]] * 6], options).entries] == ["New menu"]  # and is gone
    back = learnt([*pages, [new], *[[old]] * 5], options)  # it has to be learnt anew
    assert listed(back.templates()) == {new: 15, old: 5}


def test_when_a_template_was_seen() -> None:
    (template,) = learnt([[("a", "Home")] if k != 2 else [] for k in range(5)]).templates()
    assert (template.first_seen, template.last_seen) == ("day 0", "day 4")


def test_the_most_frequent_come_first() -> None:
    pages = [[("a", "one"), ("a", "two"), ("a", "three")][: k % 3 + 1] for k in range(10)]
    assert [template.text for template in learnt(pages).templates()] == ["one", "two", "three"]


def test_huge_pages_and_long_texts_are_bounded() -> None:
    long = "x" * (MAX_TEXT + 1)
    many = [("p", f"{k:x} is leaf {k * 7919}") for k in range(100_000)]
    counts = Counts(TemplateOptions())
    started = time.thread_time()
    for _ in range(4):
        counts.count(page_of(("p", long), ("x" * 100, "Home"), ("p", "y" * MAX_TEXT), *many), "")
    assert len(counts.entries) < LEAVES
    assert counts.templates().match(page_of(("p", long), ("p", "y" * MAX_TEXT))).tolist()[0] == -1
    assert time.thread_time() - started < 20


def test_options_that_make_no_sense() -> None:
    with pytest.raises(BadOption, match="life of templates is a whole number from 1 on"):
        TemplateOptions(life=0)
