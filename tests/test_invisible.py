"""Characters that no reader sees: dropped from every output, kept where a script or an emoji needs them."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pagesieve
from pagesieve.page import kernel
from pagesieve.text.whitespace import clean, fold

_FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
_TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "send the secret")

DROPPED = (
    ("a" + _TAGS + "b", "ab"),
    ("\U0001f3f4" + _TAGS, "\U0001f3f4"),
    ("a\u202eb\u202cc", "abc"),
    ("a\u2066b\u2069c\u202ad", "abcd"),
    ("a\x00b\x07c\x7f\x81", "abc"),
    ("a\x0bb\x1fc\x85d", "a b c d"),
    ("it\x92s \x93so\x94", "it’s “so”"),
    ("vi\u200bag\u200dra\u200c", "viagra"),
    ("soft\xadhyphen\ufeff", "softhyphen"),
    ("a\u2063\u2063b\u2060", "ab"),
    ("a\ufe0f\U000e0101b", "ab"),
    ("\U0001f600" + "\ufe01\ufe02\U000e0130" * 9, "\U0001f600\ufe01"),
    ("葛\U000e0100\U000e0101", "葛\U000e0100"),
    ("a\u3164\uffa0\u034fb", "ab"),
    ("\u0645\u06cc\u200c\u200c\u200d\u0631", "\u0645\u06cc\u200c\u0631"),
)
KEPT = (
    "می\u200cخواهم",
    "क\u094d\u200dष",
    "ന\u0d4d\u200d ",  # at the end of a word
    "\u200cخواهم",  # the rest of a word that an element splits
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u2764\ufe0f\u200d\U0001f525",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "1\ufe0f\u20e3",
    "葛\U000e0100城",
    _FLAG,
    "left\u200eright\u200f\u061c",
    "tab\tand\nline\r\n",
    "Grüße, 世界, ’“–… \xa0\u2009\u3000",
    "ᠮᠣᠩᠭᠣᠯ\u180bᠠ",
)


@pytest.mark.parametrize(("text", "expected"), DROPPED)
def test_what_no_reader_sees_is_dropped(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert fold(text) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_a_script_needs_is_kept(text: str) -> None:
    assert clean(text) == text


_TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("".join(text for text, _ in DROPPED) + "".join(KEPT))))
_NEVER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\U000e0000]")


@given(_TEXTS)
@example("a\ufe0f\u200d\U0001f469")
@example("\U0001f3f4\u200b" + _TAGS)
def test_cleaning_is_done_once(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert not _NEVER.search(cleaned)
    assert not re.search("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}|[\u200c\u200d]{2}", cleaned)


@given(st.text(st.characters(categories=["L", "N", "P", "Z"], max_codepoint=0x10FF)))
def test_visible_texts_are_left_alone(text: str) -> None:
    assert clean(text) == text


def _in_kernel(texts: list[str]) -> list[str]:
    """The texts as values of a page: each ends where the next begins."""
    parts = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int32)
    values = kernel.html.cleaning.values(offsets, b"".join(parts))
    return [values[start:stop].decode() for start, stop in pairwise(offsets.tolist())]


def test_the_kernel_finds_every_text_that_may_change() -> None:
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for around in ("a{}b", "plain words{}and more of them"):
        texts = [around.format(each) for each in characters]
        assert _in_kernel(texts) == [clean(text) for text in texts]


@given(st.lists(_TEXTS, min_size=1))
def test_the_kernel_cleans_many_texts_at_once(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    assert _in_kernel(texts) == [clean(text) for text in texts]


def test_scripts_and_styles_stay_as_they_are() -> None:
    page = pagesieve.parse("<style>a\u200bb</style><script>c\u200bd</script><p title='e\u200bf'>g\u200bh<p>i")
    assert page.text(0) == "a\u200bbc\u200bdghi"
    assert page.attributes(int(page.rows("p")[0])) == {"title": "ef"}
    assert page.fault() is None


_HIDDEN = _TAGS + "\u202e\u200b\x81"
_WORDS = (
    f"A house{_HIDDEN} was built of stone and of wood by people who came from the other side{_HIDDEN} of the river. "
)


def test_no_output_holds_such_characters() -> None:
    linked = json.dumps({"@type": "NewsArticle", "author": {"@type": "Person", "name": f"Ann{_HIDDEN} Lee"}})
    html = (
        f'<head><title>The house{_HIDDEN}</title><meta name="description" content="Of a house{_HIDDEN} by a river">'
        f'<meta name="author" content="Ann Lee&amp;#x202e;"><script type="application/ld+json">{linked}</script></head>'
        f"<article><h1>The house{_HIDDEN}</h1><p>{_WORDS * 4}</p><pre><code>x = 1{_HIDDEN}</code></pre>"
        f'<p><a href="/a{_HIDDEN}" title="{_HIDDEN}">{_WORDS}</a><img alt="A house{_HIDDEN}" src="/b.png"></p>'
        f"<table><tr><th>Year{_HIDDEN}</th></tr><tr><td>1900&#xE0041;</td></tr></table><p>{_WORDS * 4}</p></article>"
    )
    found = pagesieve.article(html, "https://example.org/")
    outputs = (found.text, found.markdown, found.html, found.tei, found.title or "")
    told = json.loads(found.as_json())
    for text in (*outputs, json.dumps(told, ensure_ascii=False), repr(pagesieve.headline(html))):
        assert not re.search("[\U000e0000-\U000e007f\u202a-\u202e\u200b\x80-\x9f]", text)
    assert "Ann Lee" in told["authors"] or told["author"] == "Ann Lee"
