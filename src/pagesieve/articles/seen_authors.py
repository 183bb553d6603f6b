"""Who wrote a page, as it shows its readers: elements that are marked as bylines, lines that read like one, labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.articles.bylines import OPENING, is_likely_name, is_surely_name, names_in
from pagesieve.articles.visible import NEAR, Visible, is_of_others
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID

_NEAR_PROFILE = 60  # rows from the headline: links to people further on are in the text
_LISTED = 3  # as many different names far from the headline are those of a list
_A = TAG_ID["a"]
_CLASS, _ID, _REL, _HREF = (ATTRIBUTE_ID[name] for name in ("class", "id", "rel", "href"))
_NAMES = {_CLASS: "class", _ID: "id", _REL: "rel", _HREF: "href"}
_MARKED, _MARKED_NEAR = bytes([_CLASS, _ID, _REL]), bytes([_CLASS, _ID, _REL, _HREF])
_MARKS = b"byline\0author\0Author\0Byline\0"  # as the kernel takes words
_PROFILES = b"/people/\0/profile\0/contributor\0/staff/\0"
_IDS = frozenset(("author", "byline", "author-name", "authorname", "post-author", "article-author"))
# These are asked of small letters: a pattern that takes both is many times slower.
_STRONG = re.compile(
    r"^authors?$|author[-_]*(?:name|link|title)|byline[-_]*(?:name|author|link)|(?:post|entry|article)[-_]*author$"
)
_NO_BYLINE = re.compile(
    r"authori[tsz]|bio|avatar|image|img|photo|pic|social|follow|comment|related|recent|box|about|desc|date|time"
    r"|title$|count|icon|thumb|list|grid|card|menu|nav|widget|footer|sidebar|popup|meta$|job|role"
)
_LABELLED = re.compile(
    r"\s*[:：]\s*([^\s:：|｜)）】\]]{1,30}(?:[ \u3000][^\s:：|｜()（）】\]]{1,6}(?=[\s)）】\]|]|$)){0,5})"
)
_REPORTERS = ("记者", "記者", "执笔", "通讯员")
_REPORTED = re.compile(r"人?[\s:：/]+([\u4e00-\u9fff·]{2,4}(?:[\s、][\u4e00-\u9fff·]{2,4}){0,5})(?=[\s）)】/，。,]|$)")


def marked_authors(visible: Visible) -> Iterator[tuple[list[str], str]]:
    """The names in elements whose class, id, rel or address says so, the likeliest first, and what marks each.

    Those near the headline, or else those anywhere unless they are many.
    """
    near = _marked(visible, _MARKS + _PROFILES, _MARKED_NEAR, near=True)
    first = next(near, None)
    if first is not None:
        yield first
        yield from near
        return
    far = list(_marked(visible, _MARKS, _MARKED, near=False))
    if len({names[0] for names, _ in far}) < _LISTED:
        yield from far


def _marked(visible: Visible, marks: bytes, attributes: bytes, *, near: bool) -> Iterator[tuple[list[str], str]]:
    """The names in marked elements, the surest marks first, and of these the nearest to the headline."""
    found = []
    for row, attribute in visible.marked(marks, attributes, near=near):
        distance, strength = visible.distance(row), _strength(visible, row, attribute)
        if strength and (not near or distance <= NEAR):
            found.append((-strength, distance, row, attribute))
    for _, _, row, attribute in sorted(found):
        names = [name for name in names_in(visible.text(row)) if is_likely_name(name)]
        if names and not visible.is_aside(row):
            yield names, _NAMES[attribute]


def _strength(visible: Visible, row: int, attribute: int) -> int:
    """How surely a mark is that of a byline: 0 where it is not."""
    page = visible.page
    if attribute == _REL:
        return 3
    if attribute == _ID:
        return 2 if (page.attribute(row, "id") or "").lower() in _IDS else 0
    if attribute == _HREF:
        return 1 if int(page.tag[row]) == _A and visible.distance(row) <= _NEAR_PROFILE else 0
    tokens = [token for token in (page.attribute(row, "class") or "").lower().split() if _is_marked(token)]
    if any(_STRONG.search(token) and not is_of_others(token) for token in tokens):
        return 2
    return 1 if any(not _NO_BYLINE.search(token) for token in tokens) else 0


def _is_marked(token: str) -> bool:
    return "author" in token or "byline" in token


def byline(visible: Visible) -> list[str]:
    """The names in the first line near the headline that begins as a byline does."""
    for text in visible.lines:
        if OPENING.match(text):
            names = [name for name in names_in(text) if is_surely_name(name)]
            if names:
                return names
    return []


def labelled(visible: Visible, label: str) -> str:
    """What follows a label and a colon in a text that is seen; empty where it stands nowhere."""
    found = (_LABELLED.match(visible.after(row, at)) for row, at in visible.places(label))
    return next((one[1] for one in found if one), "")


def reporters(visible: Visible) -> str:
    """The names after the word for a reporter, as Chinese papers have them at the beginning or the end."""
    places = (place for label in _REPORTERS for place in visible.places(label))
    found = (_REPORTED.match(visible.after(row, at)) for row, at in places)
    return next((one[1] for one in found if one), "")
