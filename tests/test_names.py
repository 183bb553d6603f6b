"""What classes, ids and microdata say of elements: as the same patterns do as regular expressions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve import parse
from pagesieve.page import kernel
from pagesieve.page.kernel.page.name_table import (
    MAX_NAMES_LENGTH,
    NAME_AUTHOR,
    NAME_AUTHOR_PROPERTY,
    NAME_BODY,
    NAME_BODY_END,
    NAME_BODY_PROPERTY,
    NAME_COMMENT,
    NAME_NAME_PROPERTY,
    NAME_NO_SECTION,
    NAME_OF_COMMENTS,
    NAME_POST,
    NAME_POST_ELEMENT,
    NAME_POST_TYPE,
    NAME_SECTION,
    NAME_SURE_AUTHOR,
    PATTERNS,
    POST_NAMES,
    VALUE_PATTERNS,
    name_spellings,
    spellings,
)
from tests.growing import growth

OF_COMMENTS = NAME_COMMENT | NAME_SECTION | NAME_OF_COMMENTS | NAME_NO_SECTION
BODY = re.compile(rf"{POST_NAMES}[_-]*{PATTERNS[NAME_BODY_END][0]}")


def searched(bit: int, k: int) -> re.Pattern[str]:
    """Return what sets a bit of a word, or excludes it."""
    return re.compile("|".join(filter(None, (pair[k] for bits, pair in PATTERNS.items() if bits & bit))))


SEARCHED = [(1 << bit, searched(1 << bit, 0), searched(1 << bit, 1)) for bit in range(14)]


def of_word(word: str) -> int:
    """Return the bits of a word by regular expressions."""
    found = 0
    for bit, pattern, but in SEARCHED:
        has = pattern.search(word) or (bit == NAME_BODY and BODY.search(word))
        if has and not (but.pattern and but.search(word)):
            found |= bit
    return found


def of_value(value: str) -> int:
    """Return the bits of a class or id by regular expressions."""
    plain, found = re.sub("[0-9]+", "0", value), 0
    for text, bits in ((plain[:MAX_NAMES_LENGTH], ~OF_COMMENTS), (plain, OF_COMMENTS)):
        for word in text.lower().split():
            found |= of_word(word) & bits
    if not found & NAME_OF_COMMENTS:
        found &= ~NAME_COMMENT
    return found & ~NAME_SECTION if found & NAME_NO_SECTION else found


PIECES = st.sampled_from([spelling.strip("^$") for spelling, _ in name_spellings()])
AROUND = st.sampled_from([*"-_ s15xX^$\n\x1c", "Post", "COMMENT", "é", "评论", "\xa0", "\u3000", "\u2028"])
VALUES = st.lists(PIECES | AROUND, max_size=8).map("".join)


@given(VALUES, st.sampled_from([1, 1, 1, 90]))
def test_names_are_read_as_by_regular_expressions(value: str, times: int) -> None:
    assert kernel.page.names.names_in((value * times).encode()) == of_value(value * times)


@given(VALUES, VALUES)
def test_names_of_posts_and_comments_are_those_of_all_names(one: str, other: str) -> None:
    page = parse(f'<p class="{one}" id="{other}">words')
    (row,) = page.rows("p").tolist()
    wanted = NAME_POST | NAME_COMMENT | NAME_SECTION
    read = kernel.page.names.post_names_of(page)[row] & wanted
    assert read == kernel.page.names.post_names_of(page)[len(page)] & wanted
    assert read == kernel.page.names.names_among(page, 0, len(page))[row] & wanted
    assert read == (of_value(one) | of_value(other)) & wanted


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        ("comment-body2 wide", NAME_BODY | NAME_POST | NAME_COMMENT),
        ("posts__text", NAME_BODY),
        ("Post-TITLE", 0),
        ("comments", NAME_COMMENT | NAME_SECTION),
        ("comments comment-count", NAME_COMMENT),
        ("responses", 0),
        ("responses comment-x", NAME_COMMENT),
        ("user-name", NAME_SURE_AUTHOR | NAME_AUTHOR),
        ("user-name-date", 0),
    ],
)
def test_what_names_say(value: str, bits: int) -> None:
    wanted = NAME_BODY | NAME_COMMENT | NAME_SECTION | NAME_SURE_AUTHOR | NAME_AUTHOR | (bits & NAME_POST)
    assert kernel.page.names.names_in(value.encode()) & wanted == bits


@pytest.mark.parametrize(
    ("attribute", "bits"),
    [
        ('itemtype="https://schema.org/Comment"', NAME_POST_TYPE),
        ('itemtype="https://schema.org/Comments"', 0),
        ('itemprop="articleBody"', NAME_BODY_PROPERTY),
        ('itemprop="text"', NAME_BODY_PROPERTY),
        ('itemprop="a text"', 0),
        ('itemprop="name"', NAME_NAME_PROPERTY),
        ('itemprop="creator"', NAME_AUTHOR_PROPERTY),
        ('itemprop=""', 0),
        ('title="comments"', 0),
    ],
)
def test_what_microdata_say(attribute: str, bits: int) -> None:
    page = parse(f"<p>a<p {attribute}>b")
    names = kernel.page.names.names_among(page, 0, len(page))
    assert [names[row] for row in page.rows("p").tolist()] == [0, bits]


PROFILE = re.compile(
    r"(?:^|/)(?:u|users?|members?|profiles?|people|authors?|space|home|i|@)(?:[/@.?-]|$)|/@|member\.php|memberlist"
    r"|viewprofile|action=profile|uid[=-]\d|showuser|userinfo|[?&/]user(?:[=/-]|id)|/~|personal"
)
PARTS = st.sampled_from(
    [*"/@.?-=&~#:_0u", "users", "Member", "people", "user", "id", "uid", "i", "home", "é", "\n", "~me"]
)


@given(
    st.lists(
        PARTS | st.sampled_from([spelling.strip("^$") for spelling in spellings(VALUE_PATTERNS[1][0])]), max_size=6
    )
)
def test_addresses_of_profiles_are_those_of_a_regular_expression(parts: list[str]) -> None:
    address = "".join(parts)
    assert kernel.page.names.is_profile(address.encode()) == bool(PROFILE.search(address.lower()))


@pytest.mark.parametrize(
    ("tag", "bit"), [("a-comment author=ann", NAME_POST_ELEMENT), ("a-card author=ann", 0), ("a-comment", 0), ("p", 0)]
)
def test_elements_with_an_author_that_are_named_as_posts_are(tag: str, bit: int) -> None:
    page = parse(f"<{tag}>words")
    assert kernel.page.names.post_names_of(page)[len(page)] == bit


@pytest.mark.parametrize("span", [(-1, 1), (0, 99)])
def test_rows_that_a_page_does_not_have_are_an_error(span: tuple[int, int]) -> None:
    with pytest.raises(IndexError, match="rows"):
        kernel.page.names.names_among(parse("<p>a"), *span)


def test_spellings() -> None:
    assert spellings("a[-_]?(?:b|cd)s?$|e") == [
        f"a{sep}{end}{s}$" for sep in ("", "-", "_") for end in ("b", "cd") for s in ("", "s")
    ] + ["e"]
    assert spellings("") == []


TEXT = "x" * 90


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (f"{TEXT}<div class=comments>a<b>b</b></div>c", "ab"),
        (f"{TEXT}<div class=comments>a<b id=comments>b</b></div><p id=responses>c<p id=respond>d", "abd"),
        (f"<div class=comments>{TEXT}<p class=comments>b</p></div>", "b"),  # the page itself is no comment
        (f"{TEXT}<pre>c<i class=comment>d</i></pre><code class=comment>e</code><i class=comment>f</i>", "f"),
    ],
)
def test_texts_in_what_is_named_a_comment(html: str, texts: str) -> None:
    page = parse(html)
    rows = kernel.page.names.texts_in(page, NAME_COMMENT, 0.7)
    assert "".join(page.text(row) for row in range(len(page)) if rows[row]) == texts


@pytest.mark.parametrize(
    "unit", [b"<div class=comments>a", b"<p class='post post-title comments'>a", b"<p id=post-body0>a"]
)
def test_names_cost_what_they_are(unit: bytes) -> None:
    pages = {size: parse(unit * size) for size in (20_000, 40_000)}

    def work(size: int) -> object:
        pages[size].__dict__.pop("_post_names", None)
        kernel.page.names.names_among(pages[size], 0, len(pages[size]))
        return kernel.page.names.texts_in(pages[size], NAME_COMMENT, 0.7)

    assert growth(work, 20_000) < 3.0
