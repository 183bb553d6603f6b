"""The links of a page: their texts, their targets, the lines next to them, and the further pages of a list.

The further pages are found by stated relations, page numbers, and buttons that say "next".
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import IN_HEADING, IN_TEXT, IS_REPEATED, MAX_DATE_LINE_LENGTH
from pagesieve.page.lines import Blocks, split
from pagesieve.page.table import Ints, Page
from pagesieve.text.dates import date_in
from pagesieve.text.urls import absolute, address_of, host_of, key, same_family
from pagesieve.text.vocabulary import NEXT, pattern_of

WIDE = 2.5  # letters that have the content of one Chinese, Japanese or Korean character,
WIDE_BYTES = 2.4  # which takes more bytes than this


class Anchor(NamedTuple):
    """One link at one place in the page."""

    number: int  # the index among the links of the page
    row: int
    text: str  # the visible title; "" for a picture
    said: tuple[str, ...]  # its title attribute, and the alt texts of its pictures
    width: float  # the width of its text
    heading: bool  # whether it is inside a heading, or around one
    inline: bool  # whether it is in running text
    repeated: bool  # whether links to other addresses have the same text
    fragment: bool  # whether it leads to a fragment of a page


def read_anchor(links: Any, number: int) -> Anchor:
    """Read a link by its index among the links of a page."""
    row, flags, width, text, said, fragment = links.tell(number)
    stated = tuple(one.decode("utf-8", "replace") for one in said) if said else ()
    standing = (flags & IN_HEADING != 0, flags & IN_TEXT != 0, flags & IS_REPEATED != 0)
    return Anchor(number, row, text.decode("utf-8", "replace"), stated, width, *standing, fragment)


def width_of(text: str) -> float:
    """Return the width of a text: its number of letters, of which Chinese, Japanese and Korean ones count more."""
    letters = len(text)
    if text.isascii():
        return letters
    return letters * WIDE if len(text.encode("utf-8", "replace")) > letters * WIDE_BYTES else letters


# The date and the summary next to a link

_MIN_SUMMARY = 40  # width of a line
_MAX_SUMMARY_LENGTH = 400  # characters
_MAX_READ = 2000  # characters of a line


@dataclass(frozen=True, slots=True)
class Beside:
    """The date and the summary next to a link."""

    date: str | None = None
    summary: str | None = None


def beside(page: Page, items: Any, wanted: Iterable[tuple[Anchor, str]]) -> list[Beside]:
    """Return the date and summary next to each link of `wanted`, pairs of link and title; `items` is of the kernel."""
    blocks = split(page)

    @cache  # many links may have the same item
    def text(line: int) -> str:
        return blocks.text(line)[:_MAX_READ]

    found = []
    for anchor, title in wanted:
        times, dates, summaries = items.beside(anchor.number)
        date = _stated_date(page, times) or _written_date(dates, text, title)
        found.append(Beside(date, _summary(blocks, summaries, text, title)))
    return found


def _stated_date(page: Page, times: list[int]) -> str | None:
    """Return the date in the attributes of a `time` element."""
    stated = (date_in((page.attribute(row, "datetime") or "")[:10]) for row in times)
    return next((date for date in stated if date), None)


def _written_date(lines: list[int], read: Callable[[int], str], title: str) -> str | None:
    """Return the date in one of the lines that are short enough for a dateline."""
    for line in lines:
        if (text := read(line)) != title and (date := date_in(text)):
            return date
    return None


def _summary(blocks: Blocks, lines: list[int], read: Callable[[int], str], title: str) -> str | None:
    """Return the first line that is not made of links and is neither the title nor a date."""
    for line in lines:
        text = read(line).removeprefix(title).strip()
        if width_of(text) >= _MIN_SUMMARY and not (blocks.chars[line] <= MAX_DATE_LINE_LENGTH and date_in(text)):
            return _cut(text)
    return None


def _cut(text: str) -> str:
    """Cut a text after a word if it is too long."""
    if len(text) <= _MAX_SUMMARY_LENGTH:
        return text
    return text[:_MAX_SUMMARY_LENGTH].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


# Targets


_DIGIT = re.compile(r"\d")
_PAGE = re.compile(
    r"(?:^|[/?&;_])(?:(?:page|paged|pagina|seite|pg|pn|pageno|pagenum|pageindex|start|offset)[/=_\-]?(\d{1,6})"
    r"|p[/=_\-]?(\d{1,2})|(?:index|list|default)[_\-](\d{1,4}))(?:\.\w+)?(?=/|&|$)",
    re.IGNORECASE,
)
_INDEX = re.compile(r"(?:^|/)(?:index|default|list)(?:\.\w+)?$")


class Judgement:
    """The links of a page, their targets, and which targets are articles. Attributes are computed on first access."""

    def __init__(self, page: Page, url: str, base: str) -> None:
        self._page, self._url, self._base = page, url, base

    @cached_property
    def links(self) -> Any:
        """The links in the order of the page, the kernel's `Links`."""
        blocks = split(self._page)
        return kernel.page.links.Links(self._page, (blocks.rows, blocks.starts, blocks.chars, blocks.link_chars))

    @cached_property
    def targets(self) -> Any:
        """The targets of the links, the kernel's `Targets`."""
        bases = (*_bases(self._base), self._url.encode())
        return kernel.page.targets.Targets(self._page, self.links, bases, _Rare(self._url, self._base))

    @cached_property
    def judge(self) -> Any:
        """The kernel's `Judge`, which says whether a target is an article."""
        return kernel.page.targets.Judge(self.targets)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The title attributes that links to several pages share."""
        return frozenset(text.decode("utf-8", "replace") for text in self.links.labels())

    def address(self, target: int) -> str:
        """Return the address of a target."""
        found: str = self.targets.address_of(target).decode()
        return found


def _bases(base: str) -> tuple[bytes, bytes]:
    """Return the prefixes of absolute and of relative paths for a normalised URL; they are empty for a complex URL."""
    scheme, _, rest = base.partition("://")
    host, _, path = rest.partition("?")[0].partition("/")
    origin = f"{scheme}://{host}"
    folder = f"{origin}/{path[: path.rfind('/') + 1]}" if "//" not in f"/{path}" else ""  # joining leaves one slash
    return origin.encode(), folder.encode()


class _Rare:
    """Handles the rare addresses that the kernel does not handle itself."""

    def __init__(self, url: str, base: str) -> None:
        self._home, self._base = host_of(url), base

    def address(self, href: bytes) -> bytes | None:
        """Return the target of a link, or None if it is not another page."""
        found = address_of(href.decode("utf-8", "replace"), self._base)
        return None if found is None else found.encode()

    def key(self, address: bytes) -> bytes:
        """Return the key that all spellings of an address share."""
        return key(address.decode()).encode("utf-8", "replace")

    def is_outside(self, address: bytes) -> bool:
        """Whether an address belongs to another site than the page."""
        return not same_family(self._home, host_of(address.decode()))

    def page_number(self, address: bytes) -> int | None:
        """Return the page number in an address of a longer list, or None."""
        return page_number(address.decode())


def page_number(url: str) -> int | None:
    """Return the page number in a normalised URL of a longer list, or None."""
    _, path, query = _parts(url)
    found = (query and _PAGE.search("?" + query)) or (_DIGIT.search(path) and _PAGE.search(path))
    return int(next(number for number in found.groups() if number)) if found else None


def list_of(url: str) -> str:
    """Return the URL of the list to which a page belongs, without scheme and page number."""
    host, path, query = _parts(url)
    whole = path + ("?" + query if query else "")
    return f"{host}/{_INDEX.sub('', _PAGE.sub('', whole).strip('/?&'))}"


def is_front(url: str) -> bool:
    """Whether a normalised URL is that of the front page of a site, or of a later page of its list."""
    return list_of(url).endswith("/")


def _parts(url: str) -> tuple[str, str, str]:
    """Return host, path without its outer slashes, and query of a normalised URL."""
    host, _, rest = url.partition("://")[2].removeprefix("www.").partition("/")
    path, _, query = rest.partition("?")
    return host, path.strip("/"), query


# Further pages


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
