"""Find the further pages of a list: by stated relations, page numbers, and buttons that say "next"."""

import re
from collections.abc import Iterator

from pagesieve.headlines.anchors import read_anchor
from pagesieve.headlines.judgement import Judgement, list_of, page_number
from pagesieve.page.table import Ints, Page
from pagesieve.text.urls import absolute, host_of
from pagesieve.text.vocabulary import NEXT, pattern_of

_MAX_BUTTON_LENGTH = 30  # characters of "next page"
_MAX_NUMBER_LENGTH = 4  # characters of the number of a page
_MIN_NUMBERS, _MAX_NUMBERS = 2, 15  # consecutive page numbers; with more, they are days of a month
_DIGITS = re.compile(r"\d+")
_CLASS_WORDS = re.compile(r"[\s_-]+")

# The texts of buttons to the next page.
_NEXT = re.compile(
    rf"^(?:[›»→>⟩▶]+|(?:[›»→>]\s*)?(?:p[aá]gin[ae]\s+|page\s+)?(?:{pattern_of(NEXT)})[^.!?]*)$", re.IGNORECASE
)


def next_page(page: Page, url: str, start: int = 0) -> str | None:
    """Return the URL of the next page of a list, or None if there is none, or if `url` is not a URL.

    `start` is the first row of the list. If there are several links, those after this row come first.
    """
    address = absolute(url, url)
    if address is None:
        return None
    base = link_base(page, address)
    return find_pages(page, Judgement(page, address, base), address, base, start)[0]


def link_base(page: Page, url: str) -> str:
    """Return the base URL of the links of a page."""
    for row in page.rows("base").tolist():
        href = page.attribute(row, "href")
        if href is not None:
            return absolute(href, url) or url
    return url


def find_pages(
    page: Page, judgement: Judgement, url: str, base: str, start: int = 0
) -> tuple[str | None, tuple[str, ...]]:
    """Return the URL of the next page of a list, or None, and the URLs of all its linked pages."""
    own = list_of(url)
    linked = ((judgement.address(target), number) for target, number in judgement.judge.numbered())
    numbered = {address: number for address, number in linked if list_of(address) == own}
    following = (
        _other(_stated_next(page, base, start), url)
        or _other(_by_number(numbered, url), url)
        or _other(_by_button(judgement, url), url)
        or _other(_by_row_of_numbers(page, url, base), url)
        or _other(_by_class(page, base, start), url)
    )
    pages = dict.fromkeys((*numbered, *([following] if following else ())))
    return following, tuple(pages)


def _other(address: str | None, url: str) -> str | None:
    """Return an address, or None if it is that of the page itself."""
    return address if address != url else None


def _stated_next(page: Page, base: str, start: int) -> str | None:
    """Return the URL of a link with rel="next": of the whole page, or else the first after a row, or any."""
    for rows in (page.rows("link"), *_behind(page, start)):
        for row in rows.tolist():
            if states(page, row, "next") and (href := page.attribute(row, "href")):
                return absolute(href, base)
    return None


def _by_class(page: Page, base: str, start: int) -> str | None:
    """Return the URL of a link without text but with a class "next", which a style sheet shows as an arrow."""
    for rows in _behind(page, start):
        for row in rows[page.text_chars[rows] == 0].tolist():
            words = _CLASS_WORDS.split((page.attribute(row, "class") or "").lower())
            href = page.attribute(row, "href") if "next" in words and "disabled" not in words else None
            address = absolute(href, base) if href and not href.startswith("#") else None
            if address is not None and host_of(address) == host_of(base):
                return address
    return None


def _behind(page: Page, start: int) -> tuple[Ints, Ints]:
    """Return the links after a row, and the links before it."""
    rows = page.rows("a")
    return rows[rows >= start], rows[rows < start]


def states(page: Page, row: int, relation: str) -> bool:
    """Whether a link states a relation to the page, such as rel="next"."""
    return relation in (page.attribute(row, "rel") or "").lower().split()


def says_next(said: str) -> bool:
    """Whether a link says "next", in many languages, or shows an arrow."""
    return _NEXT.match(said) is not None


def _by_number(numbered: dict[str, int], url: str) -> str | None:
    """Return the URL with the next larger number; numbers that count entries rise by more than one."""
    here = page_number(url)
    later = {number: address for address, number in numbered.items() if number > (here or 0)}
    if here is None and len(later) > 1 and 1 in later:
        del later[1]
    return later[min(later)] if later else None


def _by_button(judgement: Judgement, url: str) -> str | None:
    """Return the URL of a button that says "next", in many languages."""
    home = host_of(url)
    for target in judgement.judge.no_articles():
        address = judgement.address(target)
        if host_of(address) == home:
            for number in judgement.targets.links_to(target):
                anchor = read_anchor(judgement.links, number)
                said = anchor.text or (anchor.said[0] if anchor.said else "")
                if len(said) <= _MAX_BUTTON_LENGTH and says_next(said):
                    return address
    return None


def _by_row_of_numbers(page: Page, url: str, base: str) -> str | None:
    """Return the URL of the link after the one number without a link, in a row of numbers: 1 2 3 [4] 5."""
    for row in _rows_of_numbers(page, base):
        linked = dict(row)
        here = next((number for number, address in row if address == url), None)
        if here is None:
            gaps = (number - 1 for number in linked if number > 1 and number - 1 not in linked)
            here = next((gap for gap in gaps if gap == 1 or gap - 1 in linked), None)
        if here is not None and here + 1 in linked:
            return linked[here + 1]
    return None


def _rows_of_numbers(page: Page, base: str) -> Iterator[list[tuple[int, str]]]:
    """Yield rows of links whose texts are ascending numbers and whose addresses differ only in digits."""
    found: list[tuple[int, str]] = []
    last = ""
    rows = page.rows("a")
    for row in rows[(page.text_chars[rows] > 0) & (page.text_chars[rows] <= _MAX_NUMBER_LENGTH)].tolist():
        text, href = page.text(row).strip(), page.attribute(row, "href")
        address = absolute(href, base) if text.isascii() and text.isdigit() and href else None
        if address is None or host_of(address) != host_of(base):
            continue
        plain = _DIGITS.sub("", address)
        if found and (plain != last or int(text) <= found[-1][0]):
            if _MAX_NUMBERS >= len(found) >= _MIN_NUMBERS:
                yield found
            found = []
        found.append((int(text), address))
        last = plain
    if _MAX_NUMBERS >= len(found) >= _MIN_NUMBERS:
        yield found
