"""What the elements of posts are called, and who wrote a post and when, as one of its elements says.

The words are those of the programs that forums, question-and-answer sites and blogs are made with: phpBB, vBulletin,
XenForo, Discourse, Invision, MyBB, SMF, FluxBB, Vanilla, NodeBB, Discuz!, Stack Exchange, Reddit, WordPress and others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from pagesieve.articles.comments import LONGEST_FORM
from pagesieve.page import kernel
from pagesieve.page.kernel.tags import ATTRIBUTE_ID, TAG_ID, TEXT
from pagesieve.page.table import Bools, Ints, Page
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
_A, _BLOCKQUOTE, _PAGE, _DOCUMENT = (TAG_ID[name] for name in ("a", "blockquote", "body", "html"))
_CLASS, _ID, _ITEMPROP, _ITEMTYPE, _HREF = (
    bytes([ATTRIBUTE_ID[name]]) for name in ("class", "id", "itemprop", "itemtype", "href")
)
_ASKING = bytes(ATTRIBUTE_ID[name] for name in ("type", "name", "id"))
_NAMING, _MARKING = _CLASS + _ID + _ITEMTYPE, _CLASS + _ID + _ITEMPROP

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
    r"|controls$|toolbar$|action-?bar$|post-?likes|expandlink$|quote-?expand$"
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
_OF_MEMBERS = re.compile(r"[^#]*[/=~@](?=[^/=~@#?&]+/?(?:$|#))")  # an address but for its last part
_OF_STAFF = re.compile(r"/authors?/$")  # who writes for a site, not to it
_BEFORE_NAME = re.compile(
    r"^\W*+(?:(?:posted|written|asked|answered|started|originally posted|reply|comment|author|from|автор|作者|楼主)"
    r"(?:\s+(?:by|von|par|por))?|by|von|par|por)(?:\s*+[:：])?\s++(?=\S)|^@",
    re.IGNORECASE,
)
_SAID = r"\b(?:says|wrote|said|schrieb|sagt|a écrit|dice|posted|replied|commented)\s*+"
_MARKS = "[:：,»|•·]"
_AFTER_NAME = re.compile(
    rf"(?:(?<!\s)\s++(?:{_SAID})?{_MARKS}*+|{_SAID}{_MARKS}*+|(?<!{_MARKS}){_MARKS}++)\s*+$"  # from where a run begins
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
_PICTURE = 100  # of somebody: more than any strength
_DIGITS = re.compile(r"\d+")
_CACHED = 1 << 13  # names whose answers are remembered from page to page


def _rows_with(page: Page, words: bytes, names: bytes, first: int, stop: int) -> Ints:
    found = kernel.stated.rows_with_word(page, words, names, first, stop, _MOST)
    return np.array([row for row, _ in found], dtype=np.int32)


def _rows_having(page: Page, *names: str) -> Ints:
    """Return the rows that have one of some attributes, in order."""
    numbers = [number for number in map(page.attribute_number, names) if number is not None]
    if not numbers:
        return np.zeros(0, dtype=np.int32)
    places = np.flatnonzero(np.isin(page.attribute_name, numbers))
    return np.unique(np.searchsorted(page.attribute_at, places, side="right") - 1).astype(np.int32)


def _asked(page: Page, rows: Ints, names: bytes, ask: Callable[[str], int]) -> Ints:
    """Return the greatest answer about some attributes of each row, 0 where it has none of them."""
    return np.asarray(kernel.stated.ask_values(page, rows, names, ask))


def _are_named(page: Page, rows: Ints, ask: Callable[[str], bool]) -> Bools:
    """Return which of some rows have a class or an id that is answered with yes."""
    return _asked(page, rows, _CLASS + _ID, ask) > 0


def _has_word(names: str, pattern: re.Pattern[str], but: re.Pattern[str] | None = None) -> bool:
    """Whether a word of a class or id has a pattern, and has not another."""
    found = filter(pattern.search, names[:_LONGEST_NAMES].lower().split())
    return any(not (but and but.search(name)) for name in found)


# Posts


def post_rows(page: Page, first: int, stop: int) -> Ints:
    """Return the rows among some that are named as posts are, or what is around them, in order."""
    rows = posts_among(page, _rows_with(page, _POST_WORDS, _NAMING, first, stop))
    by_author = _rows_by_attribute(page, "author", first, stop)
    return np.union1d(rows, by_author) if len(by_author) else rows


def posts_among(page: Page, rows: Ints) -> Ints:
    """Return those of some elements that say that they are posts, or hold some."""
    tags = page.tag[rows]
    rows = rows[(tags != _A) & (tags != _PAGE) & (tags != _DOCUMENT)]  # a page may be named after its posts
    return rows[_are_named(page, rows, _is_post) | (_asked(page, rows, _ITEMTYPE, _is_post_type) > 0)]


@lru_cache(_CACHED)
def _is_post(names: str) -> bool:
    return _has_word(names, _POST, _NO_POST)


def _is_post_type(address: str) -> bool:
    return address.endswith(_POST_TYPES)


def _rows_by_attribute(page: Page, name: str, first: int, stop: int) -> Ints:
    """Return the elements with an attribute whose own name is that of a post: <some-comment author=…>."""
    rows = _rows_having(page, name) if page.more_tags else np.zeros(0, dtype=np.int32)
    return rows[[first <= row < stop and _is_post(page.tag_name(row)) for row in rows.tolist()]]


def sorts_of(page: Page, rows: Ints) -> list[tuple[int, str]]:
    """Return what alike posts have in common: the name of their element, and its first class without numbers."""
    firsts = [""]

    def number(names: str) -> int:
        firsts.append(_DIGITS.sub("", next(iter(names.split()), "")))
        return len(firsts) - 1

    numbers = _asked(page, rows, _CLASS, number).tolist()
    return [*zip(page.tag[rows].tolist(), map(firsts.__getitem__, numbers), strict=True)]


def are_alike(page: Page, row: int, other: int) -> bool:
    """Whether two elements have the same name and the same classes, numbers aside."""
    if page.tag[row] != page.tag[other]:
        return False
    names, others = classes_of(page, row), classes_of(page, other)
    return bool(names) and names == others


def classes_of(page: Page, row: int) -> tuple[str, ...]:
    """Return the classes of an element, without numbers."""
    return tuple(_DIGITS.sub("", page.attribute(row, "class") or "").split())


# Their bodies


def body_rows(page: Page, first: int, stop: int) -> Ints:
    """Return the rows among some that are named as the bodies of posts are, in order."""
    rows = _rows_with(page, _BODY_WORDS, _MARKING, first, stop)
    stated = _asked(page, rows, _ITEMPROP, _BODY_PROPERTIES.__contains__) > 0
    found = stated | _are_named(page, rows, _is_body)
    rows, stated = rows[found], stated[found]
    signed = _are_named(page, rows, _is_signature) | _are_named(page, page.parent[rows], _is_signature)
    return rows[stated | ~signed]


@lru_cache(_CACHED)
def _is_body(names: str) -> bool:
    return _has_word(names, _BODY, _NO_BODY)


@lru_cache(_CACHED)
def _is_signature(names: str) -> bool:
    """Whether an element is a signature, or says when a post was changed."""
    return _has_word(names, _SIGNATURE)


def beside_rows(page: Page, first: int, stop: int) -> Ints:
    """Return the elements among some that are signatures or rows of buttons, where they stand in the body of a post."""
    return _rows_named(page, first, stop, _is_beside)


@lru_cache(_CACHED)
def _is_beside(names: str) -> bool:
    return _has_word(names, _BESIDE)


def furniture_rows(page: Page, first: int, stop: int) -> Ints:
    """Return the elements among some that are beside what was written: user cards, dates, buttons."""
    return _rows_named(page, first, stop, _is_furniture)


@lru_cache(_CACHED)
def _is_furniture(names: str) -> bool:
    return _has_word(names, _FURNITURE)


def _rows_named(page: Page, first: int, stop: int, ask: Callable[[str], bool]) -> Ints:
    rows = np.flatnonzero(np.diff(page.attribute_at[first : stop + 1]) > 0).astype(np.int32) + np.int32(first)
    return rows[_are_named(page, rows, ask)]


def quotations(page: Page, first: int, stop: int) -> Ints:
    """Return the rows among some that are quotations, or what says who is quoted, in order."""
    named = _rows_with(page, _QUOTING_WORDS, _CLASS, first, stop)
    named = named[_are_named(page, named, _is_quotation)]
    quoted = first + np.flatnonzero(page.tag[first:stop] == _BLOCKQUOTE)
    return np.union1d(named, quoted.astype(np.int32))


@lru_cache(_CACHED)
def _is_quotation(names: str) -> bool:
    return _has_word(names, _QUOTATION, _NO_QUOTATION)


_QUOTING_WORDS = b"uote\0"
_QUOTATION = re.compile(r"quote")
_NO_QUOTATION = re.compile(r"button|btn|link|select|action|icon|expand|js-|multi|can|control|post-?quote")


# Who and when


def asking_rows(page: Page) -> Bools:
    """Return which rows are in a form, and no long one, that asks for a password or an email address."""
    found = np.zeros(len(page), dtype=np.bool_)
    inputs, forms = page.rows("input"), page.rows("form")
    asking = inputs[_asked(page, inputs, _ASKING, _asks_who) > 0]
    asks = np.searchsorted(asking, forms) < np.searchsorted(asking, page.end[forms])
    for form in forms[asks & (page.text_chars[forms] <= LONGEST_FORM)].tolist():
        found[form : page.end[form]] = True
    return found


@lru_cache(_CACHED)
def _asks_who(name: str) -> bool:
    return _WHO.search(name.lower()) is not None


_WHO = re.compile(r"password|passwd|^pwd$|e-?mail")


def mark_rows(page: Page, first: int, stop: int) -> Ints:
    """Return the rows among some that may say who wrote a post or when, in order."""
    links = first + np.flatnonzero(np.isin(page.tag[first:stop], _MARK_TAGS))
    return np.union1d(_rows_with(page, _MARK_WORDS, _MARKING, first, stop), links.astype(np.int32))


_MARK_TAGS = [TAG_ID[name] for name in ("a", "time", "abbr")]


def given_authors(page: Page) -> dict[int, str]:
    """Return the authors that attributes of posts state, by their rows."""
    rows = _rows_having(page, "data-author", "author").tolist()
    given = ((row, fold(page.attribute(row, "data-author") or page.attribute(row, "author") or "")) for row in rows)
    return {row: name for row, name in given if 0 < len(name) <= _LONGEST_AUTHOR}


def authors_at(page: Page, rows: Ints) -> dict[int, tuple[int, str]]:
    """Return the names that elements mark as those of authors, by their rows, each after how sure it is."""
    size = page.text_at[page.end[rows]] - page.text_at[rows]
    rows = rows[(size > 0) & (size <= _LONGEST_MARKED)]
    strengths = _author_strengths(page, rows)
    rows, strengths = rows[strengths > 0], strengths[strengths > 0]
    seen = np.flatnonzero(page.chars)
    first, stop = np.searchsorted(seen, rows).tolist(), np.searchsorted(seen, page.end[rows]).tolist()
    found: dict[int, tuple[int, str]] = {}
    for row, strength, start, end in zip(rows.tolist(), strengths.tolist(), first, stop, strict=True):
        least = 1 if end - start == 1 and strength >= SURE else 2  # a letter may stand for the picture of somebody
        names = (name_in(page.text(text)) for text in seen[start : min(end, start + _FEW)].tolist())
        name = next((name for name in names if len(name) >= least), None)
        if name:
            found[row] = strength, name
    return found


def _author_strengths(page: Page, rows: Ints) -> Ints:
    """Return how surely each of some elements marks an author; 0 where it does not."""
    named = _asked(page, rows, _CLASS + _ID, _strength_by)
    links = np.flatnonzero((page.tag[rows] == _A) & (named < LINKED))
    named[links[_asked(page, rows[links], _HREF, is_profile) > 0]] = LINKED
    stated = _asked(page, rows, _ITEMPROP, lambda name: _STATED.get(name, 0))
    return np.where(stated > 0, stated, np.where(named == _PICTURE, 0, named))


_STATED = {"name": NAMED, "author": STATED, "creator": STATED}


@lru_cache(_CACHED)
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


def members_folder(href: str) -> str:
    """Return what the profiles of all members of a site begin with, by the address of one; empty where it is none."""
    found = _OF_MEMBERS.match(href) if is_profile(href) else None
    return found[0] if found and not _OF_STAFF.search(found[0].lower()) else ""


def name_in(text: str) -> str:
    """Return the name of an author in a short text, without what is said of it; empty where it is none."""
    text = _AFTER_NAME.sub("", _BEFORE_NAME.sub("", fold(text)[: 2 * _LONGEST_AUTHOR]))
    if not 0 < len(text) <= _LONGEST_AUTHOR or text.lower() in _NOBODY or is_date(text):
        return ""
    is_name = any(map(str.isalnum, text)) and not text.lstrip("#").isdigit() and text[-1] not in "?？"
    return text if is_name else ""


def dates_at(page: Page, rows: Ints) -> dict[int, str]:
    """Return the dates of posts that elements state in attributes, by their rows."""
    dated = np.intersect1d(rows, _rows_having(page, *_DATES), assume_unique=True).tolist()
    return {row: found for row in dated if (found := _date_at(page, row))}


def _date_at(page: Page, row: int) -> str | None:
    """Return the date of a post that an element states in an attribute."""
    for name in _DATES:
        value = page.attribute(row, name)
        if value and any(map(str.isdigit, value)) and (at := parse_datetime(value)):
            said = f"{page.attribute(row, 'itemprop') or ''} {_text_before(page, row)}".lower()
            return None if _NO_DATE.search(said) else at
    return None


def date_in_text(page: Page, row: int, month_first: bool | None) -> str | None:
    """Return the date of a post that a text row names."""
    text = page.text(row)
    if _NO_DATE.search(f"{_text_before(page, row)} {text.lower()}"):
        return None
    return parse_datetime(text, month_first=month_first)


def _text_before(page: Page, row: int) -> str:
    """Return the end of the text that stands before a row, in lower case; a name between them does not count."""
    for before in range(row - 1, max(row - _NEAR, 0), -1):
        if page.tag[before] == TEXT and (text := fold(page.text(before))):
            link = int(page.parent[before])
            is_beside = page.tag[link] == _A and page.parent[link] == page.parent[row]
            if is_beside and is_profile(page.attribute(link, "href") or ""):
                continue
            return "" if any(map(str.isdigit, text)) else text[-_BEFORE:].lower()  # else it has its own date
    return ""
