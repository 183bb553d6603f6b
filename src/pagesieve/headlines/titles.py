"""Find the titles that the links of a page give an article, ignoring the labels of buttons."""

import re
from collections.abc import Iterable

from pagesieve.headlines.anchors import Anchor, width_of
from pagesieve.text.dates import date_in

MAX_TITLE_LENGTH = 300  # characters: anything longer is not a title
MAX_DATE_LENGTH = 40  # characters of a link whose text is only a date
LETTERS_WITH_FIGURES = 5  # letters besides a date in figures: "pm", "Uhr"
WORDS_WITH_MONTH = 4  # words besides a date with the name of its month: "Published Tuesday", "de"
UNFINISHED = ("…", "...", "···", "[…]")

MIN_WORD = 15  # width of a title of one word: a shorter one names the section
MIN_TELLING = 30  # width of a text that needs no word of the title

# Words, or pairs of characters in scripts that do not separate words.
_TELLING = re.compile(r"[぀-鿿가-힯]{2}|[^\W\d_぀-鿿가-힯]{4,}|\d{2,}")
# A count of comments, views or shares. The quantifier is possessive, since digits match in many ways.
_COUNT = re.compile(r"\W*+\d[\d.,]*+\W*+(?:\w++\W*+){0,2}+")
_FILE_NAME = re.compile(r"\S+\.(?:jpe?g|png|gif|webp)|(?:IMG|DSC)[_\d\W]+", re.IGNORECASE)
_WORD, _FIGURES = re.compile(r"[^\W\d_年月日년월일]+"), re.compile(r"\d\s?[./年년-]\s?\d")
# Substitutes for pictures, dates of changes, and labels of buttons for comments.
_NO_TITLE = re.compile(
    r"\W*(?:no[\s_-]*(?:image|photo|picture|thumbnail|title)(?:[\s_-]+(?:available|found|yet))?|"
    r"(?:image|photo|picture)[\s_-]+not[\s_-]+(?:available|found)|(?:default|featured|post)[\s_-]*(?:image|thumbnail)|"
    r"image|photo|thumbnail|placeholder|read this (?:post|article))\W*"
    r"|(?:last )?(?:updated|published|posted)(?: on)?\b.{0,12}\d.*"
    r"|(?:leave a|\d+|no) (?:comments?|reply|replies|responses?) (?:on|to)\b.*",
    re.IGNORECASE,
)
_BUTTON_BEFORE = re.compile(r"(?:permalink|permanent link|link)(?: to)?[:\s]+(?=\S)", re.IGNORECASE)
# A date in figures, the year first, before or after a title: lists have it, and headlines do not.
_DAY = (
    r"[\[(（【]?\b(?:19|20)\d\d(?:[-/.]\d{1,2}[-/.]\d{1,2}|年\d{1,2}月\d{1,2}日)"
    r"(?:\s\d{1,2}:\d\d(?::\d\d)?)?\b[\])）】]?"
)
_DAY_BEFORE, _DAY_AFTER = re.compile(rf"{_DAY}[\s:|·–-]*+"), re.compile(rf"[\s|·–-]{_DAY}$")
_SIGNS = " |·–-"  # separate a title from the text next to it


def titles_of(anchors: Iterable[Anchor], labels: frozenset[str]) -> tuple[str, ...]:
    """Return the titles in the texts and attributes of links to one page, the best first, without labels of buttons.

    `labels` are the title attributes that links to other pages have, too.
    """
    shown: list[tuple[str, Anchor]] = []
    weak: list[str] = []
    shared: list[str] = []
    stated: list[str] = []
    for anchor in anchors:
        if anchor.said:
            stated += [title for text in anchor.said if text not in labels and _is_title(title := _bare(text))]
        if not anchor.text:
            continue
        title = _bare(anchor.text)
        if anchor.repeated:
            if anchor.heading and anchor.width >= MIN_WORD and _is_title(title):
                shared.append(title)
        elif not _is_title(title):
            if not _says_nothing(title):
                weak.append(title)
        elif anchor.inline or anchor.fragment:
            weak.append(title)
        else:
            shown.append((title, anchor))
    if not shown:
        return tuple(dict.fromkeys((*stated, *weak) if stated or not shared else shared))
    if len(shown) == 1 and not stated:
        return (shown[0][0],)
    best = _finished(max(shown, key=_rank)[0], stated)
    texts = dict.fromkeys((*(title for title, _ in shown), *stated))
    texts.pop(best, None)
    return best, *(text for text in texts if _tells_of(text, best))


def _bare(text: str) -> str:
    """Return a text without a date before or after it, a sign before it, or "Permalink to"."""
    if text[:1] in "|·•":
        text = text.lstrip("|·• ")
    if text[:1] in "PpLl":
        text = _BUTTON_BEFORE.sub("", text, count=1) if _BUTTON_BEFORE.match(text) else text
    if ("20" in text or "19" in text) and not text.isalpha():
        before = _DAY_BEFORE.match(text)
        bare = _DAY_AFTER.sub("", text[before.end() :] if before else text)
        return (bare.rstrip(_SIGNS) if len(bare) < len(text) else text) or text
    return text


def _rank(shown: tuple[str, Anchor]) -> tuple[bool, bool, int]:
    """Rank whole titles before shortened ones, headings before other texts, long ones before short ones."""
    title, anchor = shown
    titled = anchor.heading and (" " in title or anchor.width >= MIN_WORD)
    return not title.endswith(UNFINISHED), titled, len(title)


def _finished(title: str, stated: list[str]) -> str:
    """Return a title, or the longest stated one that begins with it, since lists cut titles without a mark."""
    begin = title.rstrip(".…·[] ") if title.endswith(UNFINISHED) else title
    return max((text for text in stated if text.startswith(begin)), key=len, default=title)


def _tells_of(text: str, title: str) -> bool:
    """Whether another text can be a title too: it is long, or has a word of the title, unlike "Read on"."""
    if width_of(text) >= MIN_TELLING:
        return True
    title = title.casefold()
    return any(word in title for word in _TELLING.findall(text.casefold()))


def _is_title(text: str) -> bool:
    """Whether a text can be a title: it is not too long, and not a date, count, image file or label of a button."""
    if (
        len(text) > MAX_TITLE_LENGTH
        or _COUNT.fullmatch(text)
        or _FILE_NAME.fullmatch(text)
        or _NO_TITLE.fullmatch(text)
    ):
        return False
    return len(text) > MAX_DATE_LENGTH or date_in(text) is None


def _says_nothing(text: str) -> bool:
    """Whether a text is only a date, a substitute for a picture, or the label of a button."""
    if not text or _NO_TITLE.fullmatch(text):
        return True
    if len(text) > MAX_DATE_LENGTH or date_in(text) is None:
        return False
    words = _WORD.findall(text)
    return len("".join(words)) <= LETTERS_WITH_FIGURES if _FIGURES.search(text) else len(words) <= WORDS_WITH_MONTH
