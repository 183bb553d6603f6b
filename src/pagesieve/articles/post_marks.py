"""What the elements of posts are called, and who wrote a post and when, as one of its elements says.

The words are those of the programs that forums, question-and-answer sites and blogs are made with: phpBB, vBulletin,
XenForo, Discourse, Invision, MyBB, SMF, FluxBB, Vanilla, NodeBB, Discuz!, Stack Exchange, Reddit, WordPress and others.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TEXT
from pagesieve.page.table import Page
from pagesieve.text.dates import is_date, parse_datetime
from pagesieve.text.whitespace import fold

# How sure an author is: as an attribute of the post states it, as microdata do, by a class, a link, a vaguer class.
# What stands before the body of the post counts one more: what follows may be who changed or liked it.
GIVEN, NAMED, STATED, SURE, LINKED, HINTED = 12, 10, 8, 6, 4, 2

_MOST = 20_000  # elements of a page that are looked at
_LONGEST_AUTHOR = 40  # characters
_LONGEST_NAMES = 1_000  # characters of a class or id that are read
_LONGEST_MARKED = 400  # bytes below an element that marks an author
_FEW = 4  # texts of such an element, of which one is the name
_BEFORE, _NEAR = 24, 12  # characters, and rows, before a date that say what it is the date of
_A = TAG_ID["a"]
_NAMING = bytes(ATTRIBUTE_ID[name] for name in ("class", "id", "itemtype"))
_MARKING = bytes(ATTRIBUTE_ID[name] for name in ("class", "id", "itemprop"))

# What names contain, as the kernel takes words: each ended by a zero, 64 letters in all.
_POST_WORDS = b"post\0omment\0essage\0answer\0repl\0uestion\0Post\0Answer\0thing\0comtr\0"
_BODY_WORDS = b"ody\0ext\0ontent\0essage\0cooked\0rapper\0md\0t_f\0inner\0pid_\0post\0omment\0copy\0msg\0"
_MARK_WORDS = b"uthor\0user\0User\0name\0poster\0creator\0nick\0fn\0date\0time\0posted\0profile\0left\0"

_POST_TYPES = ("/Comment", "/UserComments", "/Question", "/Answer", "/DiscussionForumPosting", "/SocialMediaPosting")
_BODY_PROPERTIES = ("text", "articleBody", "commentText")
# For lower case: a pattern that ignores case is many times slower.
_POST = re.compile(
    r"post|comment|message|answer|reply|replies|question|(?:^|[_-])(?:thing|comtr)(?:$|[_-])|topic-?body"
)
_NO_POST = re.compile(
    r"lists?$|count|form|link|button|btn|nav|foot|head|meta|info|author|user|avatar|date|title|subject|related|recent"
    r"|action|control|tool|menu|icon|signature|number|score|vote|rating|share|like|edit|attach|image|thumb|poster"
    r"|profile|permalink|anchor|popular|sidebar|widget|respond|pagination|details|sponsor|promo|notice|status$|option"
    r"|quote|badge|extra|stats|summary|preview|tags?$|labels?$"
)
_BODY = re.compile(
    r"(?:post|comment|message|answer|reply|question|topic)s?[_-]*(?:body|text|content|message|copy|entry|inner)s?\d*$"
    r"|^(?:content|cooked|bbwrapper|messagetext|commtext|md|t_f|entry-content|message|usertext-body|inner|text|body"
    r"|description|bbcode|prose|markdown|js-post-body|post|comment|entry|comment__body|msg|postmsg)$"
    r"|post_message_\d|postmessage_\d|pid_\d|post[-_]?(?:content|body)|comment[-_]?content|message[-_]?body|rich-?text$"
)
_NO_BODY = re.compile(r"user|author|avatar|profile|meta|foot|head")
_SIGNATURE = re.compile(r"signature|(?:^|[_-])(?:bb)?sign?(?:$|[_-])|last-?edit|edited|postedit")
_BESIDE = re.compile(
    rf"{_SIGNATURE.pattern}|^(?:reply|replies|buttons?|share|sharing|report|likes?|votes?|voting|permalink|reactions?)$"
    r"|controls$|toolbar$|action-?bar$|post-?likes|expandlink$"
)
_FURNITURE = re.compile(
    r"avatar|profile|user|author|poster|badge|rank|meta|foot|toolbar|tools|button|btn|control|action|share|like|vote"
    r"|score|reaction|report|reply|permalink|nav|menu|date|time|stats|signature|(?:^|[_-])sign?(?:$|[_-])"
    r"|edited|attribution|flag|karma|points|count|head|subject|number"
)
_AUTHOR = re.compile(
    r"author|user[-_]?name|poster|creator|nick|hnuser|(?:^|[_-])fn(?:$|[_-])|member-?name|display-?name"
    r"|user[-_]?(?:link|details|info|id)|post-?(?:left|profile)|(?:^|[_-])(?:user|name)(?:$|[_-])"
)
_SURE_AUTHOR = re.compile(
    r"user[-_]?(?:name|link)|hnuser|(?:^|[_-])fn(?:$|[_-])|author[-_]?(?:name|link)|display-?name|nick|^author$"
    r"|^creator$|^name$|comment[-_]?author$|comment-?user"
)
_NO_AUTHOR = re.compile(
    r"avatar|title|rank|status|group|stats|badge|sig|count|join|locat|posts|role|icon|reput|date|time|flair|img|image"
    r"|photo|extra|pic|level|hover|card|authoris|authoriz|points|karma|post_?number|tag|report"
)
_PROFILE = re.compile(
    r"(?:^|/)(?:u|users?|members?|profiles?|people|authors?|space|home|i|@)(?:[/@.?-]|$)|/@|member\.php|memberlist"
    r"|viewprofile|action=profile|uid[=-]\d|showuser|userinfo|[?&/]user(?:[=/-]|id)|/~|personal"
)
_BEFORE_NAME = re.compile(
    r"^\W*(?:(?:posted|written|asked|answered|started|originally posted|reply|comment|author|from|автор|作者|楼主)"
    r"(?:\s+(?:by|von|par|por))?|by|von|par|por)\s*[:：]?\s+(?=\S)|^@",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(
    r"\s*(?:\bsays|\bwrote|\bsaid|\bschrieb|\bsagt|\ba écrit|\bdice|\bposted|\breplied|\bcommented)?\s*[:：,»|•·]*\s*$"
)
_NOBODY = frozenset(
    """reply quote report share like edit delete link permalink profile website visit send message pm contact join
    posts post more follow offline online member senior junior admin moderator top up down guest login register
    author by von par por user username name flag parent prev next context full comments comment hide op
    回复 举报 引用 楼主 只看该作者 发消息 收听 加关注""".split()
)
_NO_DATE = re.compile(
    r"join|member|since|regist|last |letzte|edit|updat|modif|dabei|注册|最后|inscri|регистр|active|seen|born|visited"
)
_DATES = ("datetime", "title", "content", "data-time", "data-timestamp")  # attributes that have one
_NEVER = re.compile(r"(?!)")
_PICTURE = -1
_DIGITS = re.compile(r"\d+")


def _rows_with(page: Page, words: bytes, names: bytes, first: int, stop: int) -> list[int]:
    return [row for row, _ in kernel.stated.rows_with_word(page, words, names, first, stop, _MOST)]


def _names(page: Page, row: int) -> list[str]:
    """Return the class of a row, and its id without numbers: both recur from post to post. They are read once."""
    known: dict[int, list[str]] = page.__dict__.setdefault("_post_names", {})
    if row not in known:
        given = (page.attribute(row, "class"), _DIGITS.sub("0", page.attribute(row, "id") or ""))
        known[row] = [name for name in given if name]
    return known[row]


def _is_named(page: Page, row: int, pattern: re.Pattern[str], but: re.Pattern[str]) -> bool:
    """Whether a word of class or id has a pattern, and has not another."""
    return any(_has_word(name, pattern, but) for name in _names(page, row))


@lru_cache(maxsize=1 << 14)
def _has_word(names: str, pattern: re.Pattern[str], but: re.Pattern[str]) -> bool:
    return any(pattern.search(name) and not but.search(name) for name in names[:_LONGEST_NAMES].lower().split())


# Posts


def post_rows(page: Page, first: int, stop: int) -> list[int]:
    """Return the rows among some that are named as posts are, or what is around them, in order."""
    rows = [row for row in _rows_with(page, _POST_WORDS, _NAMING, first, stop) if is_post(page, row)]
    by_author = _rows_by_attribute(page, "author", first, stop)
    return sorted({*rows, *by_author}) if by_author else rows


def is_post(page: Page, row: int) -> bool:
    """Whether an element says that it is a post, or holds some."""
    if page.tag[row] == _A:
        return False
    return _is_named(page, row, _POST, _NO_POST) or (page.attribute(row, "itemtype") or "").endswith(_POST_TYPES)


def _rows_by_attribute(page: Page, name: str, first: int, stop: int) -> list[int]:
    """Return the elements with an attribute whose own name is that of a post: <some-comment author=…>."""
    number = page.attribute_number(name)
    if number is None or not page.more_tags:
        return []
    rows = np.searchsorted(page.attribute_at, np.flatnonzero(page.attribute_name == number), side="right") - 1
    return [row for row in rows.tolist() if first <= row < stop and _has_word(page.tag_name(row), _POST, _NO_POST)]


def sort_of(page: Page, row: int) -> tuple[int, str]:
    """Return what alike posts have in common: the name of their element, and its first class without numbers."""
    first = next(iter((page.attribute(row, "class") or "").split()), "")
    return int(page.tag[row]), _DIGITS.sub("", first)


# Their bodies


def body_rows(page: Page, first: int, stop: int) -> list[int]:
    """Return the rows among some that are named as the bodies of posts are, in order."""
    return [row for row in _rows_with(page, _BODY_WORDS, _MARKING, first, stop) if _is_body(page, row)]


def _is_body(page: Page, row: int) -> bool:
    if page.attribute(row, "itemprop") in _BODY_PROPERTIES:
        return True
    if not _is_named(page, row, _BODY, _NO_BODY):
        return False
    return not _is_signature(page, row) and not _is_signature(page, int(page.parent[row]))


def _is_signature(page: Page, row: int) -> bool:
    """Whether an element is a signature, or says when a post was changed."""
    return _is_named(page, row, _SIGNATURE, _NEVER)


def is_beside(page: Page, row: int) -> bool:
    """Whether an element in the body of a post is a signature or a row of buttons."""
    return _is_named(page, row, _BESIDE, _NEVER)


def is_furniture(page: Page, row: int) -> bool:
    """Whether an element is beside what was written: a user card, a date, a button."""
    return _is_named(page, row, _FURNITURE, _NEVER)


# Who and when


def mark_rows(page: Page, first: int, stop: int) -> list[int]:
    """Return the rows among some that may say who wrote a post or when, in order."""
    tags = page.tag[first:stop]
    links = np.flatnonzero(np.isin(tags, _MARK_TAGS)) + first
    return sorted({*_rows_with(page, _MARK_WORDS, _MARKING, first, stop), *links.tolist()})


_MARK_TAGS = [TAG_ID[name] for name in ("a", "time", "abbr")]


def given_author(page: Page, row: int) -> str:
    """Return the author that an attribute of a post states, or nothing."""
    given = fold(page.attribute(row, "data-author") or page.attribute(row, "author") or "")
    return given if len(given) <= _LONGEST_AUTHOR else ""


def author_at(page: Page, row: int) -> tuple[int, str] | None:
    """Return the name that an element marks as that of an author, after how sure that is; None where it is none."""
    if not 0 < page.text_at[page.end[row]] - page.text_at[row] <= _LONGEST_MARKED:
        return None
    strength = _author_strength(page, row)
    if not strength:
        return None
    texts = (row + np.flatnonzero(page.chars[row : page.end[row]] > 0)).tolist()
    least = 1 if len(texts) == 1 and strength >= SURE else 2  # a letter may stand for the picture of somebody
    names = (name_in(page.text(text)) for text in texts[:_FEW])
    return next(((strength, name) for name in names if len(name) >= least), None)


def _author_strength(page: Page, row: int) -> int:
    """Return how surely an element marks an author; 0 where it does not."""
    stated = page.attribute(row, "itemprop")
    if stated in ("name", "author", "creator"):
        return NAMED if stated == "name" else STATED
    named = [_strength_by(name) for name in _names(page, row)]
    if _PICTURE in named:
        return 0
    is_link = page.tag[row] == _A and is_profile(page.attribute(row, "href") or "")
    return max(0, *named, LINKED if is_link else 0)


@lru_cache(maxsize=1 << 14)
def _strength_by(names: str) -> int:
    """Return how surely a class or an id is that of an author."""
    words = names[:_LONGEST_NAMES].lower().split()
    if any("avatar" in word for word in words):
        return _PICTURE
    words = [word for word in words if not _NO_AUTHOR.search(word)]
    if any(map(_SURE_AUTHOR.search, words)):
        return SURE
    return HINTED if any(map(_AUTHOR.search, words)) else 0


def is_profile(href: str) -> bool:
    """Whether an address is that of somebody's profile."""
    return _PROFILE.search(href.lower()) is not None


def name_in(text: str) -> str:
    """Return the name of an author in a short text, without what is said of it; empty where it is none."""
    text = _AFTER_NAME.sub("", _BEFORE_NAME.sub("", fold(text)[: 2 * _LONGEST_AUTHOR]))
    if not 0 < len(text) <= _LONGEST_AUTHOR or text.lower() in _NOBODY or is_date(text):
        return ""
    return text if any(map(str.isalnum, text)) and not text.isdigit() and text[-1] not in "?？" else ""


def dated_rows(page: Page) -> set[int]:
    """Return the rows with an attribute that may have a date."""
    numbers = [number for number in map(page.attribute_number, _DATES) if number is not None]
    places = np.flatnonzero(np.isin(page.attribute_name, numbers))
    return {*(np.searchsorted(page.attribute_at, places, side="right") - 1).tolist()}


def date_at(page: Page, row: int) -> str | None:
    """Return the date of a post that an element states in an attribute."""
    for name in _DATES:
        value = page.attribute(row, name)
        if value and any(map(str.isdigit, value)) and (at := parse_datetime(value)):
            return None if _NO_DATE.search(_text_before(page, row)) else at
    return None


def date_in_text(page: Page, row: int, month_first: bool | None) -> str | None:
    """Return the date of a post that a text row names."""
    text = page.text(row)
    if _NO_DATE.search(f"{_text_before(page, row)} {text.lower()}"):
        return None
    return parse_datetime(text, month_first=month_first)


def _text_before(page: Page, row: int) -> str:
    """Return the end of the text that stands before a row, in lower case."""
    for before in range(row - 1, max(row - _NEAR, 0), -1):
        if page.tag[before] == TEXT and (text := fold(page.text(before))):
            return "" if any(map(str.isdigit, text)) else text[-_BEFORE:].lower()  # else it has its own date
    return ""
