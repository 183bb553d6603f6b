"""Find the author and the date of a post in its elements and texts; `name_table` has the names of the elements."""

from __future__ import annotations

import re
from array import array
from functools import cached_property

from pagesieve.page import kernel
from pagesieve.page.kernel.tags import TAG_ID, TEXT
from pagesieve.page.table import Page, attribute, view_of
from pagesieve.text.dates import day_of, days_between, has_month_first, parse_datetime
from pagesieve.text.patterns import pattern
from pagesieve.text.types import is_date
from pagesieve.text.whitespace import fold

_MAX_AUTHOR_LENGTH = 40  # characters
_BEFORE, _NEAR = 24, 12  # characters, and rows, before a date that say what it refers to
_MIN_DATE, _MAX_DATE = 6, 100  # bytes of a text with little more than a date
_A = TAG_ID["a"]
_OF_MEMBERS = pattern(r"[^#]*[/=~@](?=[^/=~@#?&]+/?(?:$|#))")  # an address without its last part
_OF_STAFF = pattern(r"/authors?/$")  # authors of the site, not its members
_BEFORE_NAME = pattern(
    r"^\W*+(?:(?:posted|written|asked|answered|started|originally posted|reply|comment|author|from|автор|作者|楼主)"
    r"(?:\s+(?:by|von|par|por))?|by|von|par|por)(?:\s*+[:：])?\s++(?=\S)|^@",
    re.IGNORECASE,
)
_SAID = r"\b(?:says|wrote|said|schrieb|sagt|a écrit|dice|posted|replied|commented)\s*+"
_MARKS = "[:：,»|•·]"
_AFTER_NAME = pattern(
    rf"(?:(?<!\s)\s++(?:{_SAID})?{_MARKS}*+|{_SAID}{_MARKS}*+|(?<!{_MARKS}){_MARKS}++)\s*+$"  # from a run's beginning
)
_NOBODY = frozenset(
    """reply quote report share like edit delete link permalink profile website visit send message pm contact join
    posts post more follow offline online member senior junior admin moderator top up down guest login register
    author by von par por user username name flag parent prev next context full comments comment hide op
    回复 举报 引用 楼主 只看该作者 发消息 收听 加关注""".split()
)
_NO_DATE = pattern(
    r"join|member[ :]*(?:since|for|from)|since|regist|last |letzte|edit|updat|modif|dabei|注册|最后|inscri|регистр"
    r"|active|seen|born|visited"
)
_SHORT_YEAR = pattern(r"(?<!\d)(\d{1,2}-[^\W\d_]{3}-)([0-6]\d)(?!\d)")  # 16-Jun-20
_AUTHORS = ("data-author", "author")  # attributes with an author
_DATES = ("datetime", "title", "content", "data-time", "data-timestamp")  # attributes with a date
_DIGITS = pattern(r"\d+")


def given_authors(page: Page) -> dict[int, str]:
    """Return the authors in attributes of posts, by row."""
    numbers = [number for number in map(page.attribute_number, _AUTHORS) if number is not None]
    if not numbers:
        return {}
    rows = sorted({row for number in numbers for row, _ in view_of(page).with_attribute(number)})
    given = ((row, fold(next(filter(None, (page.attribute(row, name) for name in _AUTHORS)), ""))) for row in rows)
    return {row: name for row, name in given if 0 < len(name) <= _MAX_AUTHOR_LENGTH}


def dating_attributes(page: Page) -> array[int]:
    """Return the numbers of the attributes that may have a date."""
    return array("i", [number for number in map(page.attribute_number, _DATES) if number is not None])


class TextReader:
    """Reads the names and dates in the texts of a page, each once, for the kernel."""

    def __init__(self, page: Page, span: tuple[int, int]) -> None:
        self.page, self.span = page, span  # the rows in which posts are searched
        self._dating = dating_attributes(page)
        self._names: dict[str, str] = {}
        self._dates: dict[int, str | None] = {}

    @cached_property
    def month_first(self) -> bool | None:
        """Whether the dates of the page have the month first, or None if that is not known.

        If each of the dates can be read both ways, the way counts in which the posts are closer together.
        """
        texts = [self.page.text(row) for row in self.years(*self.span) if not self._is_other(row)]
        found = has_month_first(texts)
        if found is not None:
            return found
        spans = {way: _span([parse_datetime(text, month_first=way) for text in texts]) for way in (True, False)}
        return None if spans[True] == spans[False] else spans[True] < spans[False]

    def name(self, row: int) -> str:
        """Return the text of a row if it is the name of an author, or an empty string."""
        text = self.page.text(row)
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = name_in(text)
        return name

    def years(self, first: int, stop: int) -> list[int]:
        """Return the rows in a range that are short texts with a year."""
        rows: list[int] = kernel.page.stated.rows_with_year(self.page, first, stop, True, _MIN_DATE, _MAX_DATE)
        short: list[int] = kernel.page.posts.rows_with_short_year(self.page, first, stop, _MIN_DATE, _MAX_DATE)
        return sorted({*rows, *short}) if short else rows

    def is_date(self, row: int) -> bool:
        """Whether the text of a row has little more than a date."""
        return is_date(fold(self._dated(row)))

    def date_at(self, row: int) -> str | None:
        """Return the date of a post in an attribute of an element."""
        for number in self._dating:
            value = attribute(self.page, row, number)
            if value and (at := parse_datetime(value)):
                said = f"{self.page.attribute(row, 'itemprop') or ''} {_text_before(self.page, row)}".lower()
                return None if _NO_DATE.search(said) else at
        return None

    def date_in(self, row: int) -> str | None:
        """Return the date of a post in a short text with a year."""
        if row not in self._dates:
            text = self._dated(row)
            month_first = self.month_first if "/" in text or "-" in text else None
            self._dates[row] = None if self._is_other(row) else parse_datetime(text, month_first=month_first)
        return self._dates[row]

    def _dated(self, row: int) -> str:
        """Return the text of a row, with a year in full in place of a short one after the name of a month."""
        text = self.page.text(row)
        return _SHORT_YEAR.sub(r"\g<1>20\2", text) if text.count("-") > 1 else text

    def _is_other(self, row: int) -> bool:
        """Whether the date in a row is not that of a post: of an edit, of a registration, of the last visit."""
        return _NO_DATE.search(f"{_text_before(self.page, row)} {self.page.text(row).lower()}") is not None


def classes_of(page: Page, row: int) -> tuple[str, ...]:
    """Return the classes of an element, without numbers."""
    return tuple(_DIGITS.sub("", page.attribute(row, "class") or "").split())


def is_profile(href: str) -> bool:
    """Whether an address is that of a profile."""
    found: bool = kernel.page.names.is_profile(href.encode())
    return found


def members_folder(href: str) -> str:
    """Return the part of the address of a profile that all profiles of a site share; empty if it is not a profile."""
    found = _OF_MEMBERS.match(href) if is_profile(href) else None
    return found[0] if found and not _OF_STAFF.search(found[0].lower()) else ""


def name_in(text: str) -> str:
    """Return the name of an author in a short text, without words such as "posted by"; empty if it is not a name."""
    text = _AFTER_NAME.sub("", _BEFORE_NAME.sub("", fold(text)[: 2 * _MAX_AUTHOR_LENGTH]))
    if not 0 < len(text) <= _MAX_AUTHOR_LENGTH or text.lower() in _NOBODY or is_date(text):
        return ""
    is_name = any(map(str.isalnum, text)) and not text.lstrip("#").isdigit() and text[-1] not in "?？"
    return text if is_name else ""


def _span(dates: list[str | None]) -> int:
    """Return the number of days from the first to the last of some dates."""
    days = [day_of(date) for date in dates if date]
    return days_between(min(days), max(days)) if days else 0


def _has_digit(text: str) -> bool:
    return _DIGITS.search(text) is not None if text.isascii() else any(map(str.isdigit, text))


def _text_before(page: Page, row: int) -> str:
    """Return the end of the text before a row, in lower case, ignoring a name between them."""
    view = view_of(page)
    for before in range(row - 1, max(row - _NEAR, 0), -1):
        if view.tag_of(before) == TEXT and (text := fold(view.text_of(before))):
            link = view.parent_of(before)
            is_beside = view.tag_of(link) == _A and view.parent_of(link) == view.parent_of(row)
            if is_beside and is_profile(page.attribute(link, "href") or ""):
                continue
            return "" if _has_digit(text) else text[-_BEFORE:].lower()  # otherwise the text has its own date
    return ""
