"""Find the next page of the same article, by the addresses and the texts of links.

Many links say "next": to the next article, to older posts, to more comments, to the next picture. So a link counts only
if its address is that of the page with the next number in it, and if its text says that it leads to a next page.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pagesieve.headlines.links import is_front, link_base, says_next, states
from pagesieve.kinds.kind import is_archive, kind
from pagesieve.page.lines import as_marks, split
from pagesieve.page.table import Page
from pagesieve.text.patterns import pattern
from pagesieve.text.urls import absolute, host_of, key
from pagesieve.text.whitespace import fold
from pagesieve.threads.comments import comment_rows, written_rows

_MAX_NUMBER = 99  # pages of an article: a larger number identifies an article, a year or a day
_MAX_LINK_LENGTH = 120  # characters of "next page: " with a heading
_MAX_BUTTON_LENGTH = 30  # characters of "next"
_MAX_PAGE_LINE_LENGTH, _MAX_LETTERS = 40, 16  # characters of "continued on page 2", letters beside "page"
_MAX_WORD_LENGTH = 15  # characters of a name that is one word
_NEAREST = 8  # elements around a link whose names are checked

# The positions of a page number in an address: after the word for page, separated from the rest, or anywhere.
_NAMED, _APART, _LOOSE = 2, 1, 0
_PAGE = r"(?:page|pagina|seite|strona|strana|sida|side|sayfa|sivu|oldal|halaman)"
_IN_QUERY = pattern(
    rf"(?:^|&)(?:({_PAGE}|paged|pg|pn|page_?(?:no|num|number|index|wanted)|(?:cur|current)_?page)|p|part)=(\d{{1,3}})(?=&|$)",
    re.IGNORECASE,
)
_IN_PATH = (
    (pattern(rf"[/,._-]{_PAGE}[/,_-]?(\d{{1,3}})(/?|\.\w{{2,5}})$", re.IGNORECASE), _NAMED),
    (pattern(r"(?:_|/(?!\d+\.))(\d{1,2})(/?|\.\w{2,5})$"), _APART),
    (pattern(r"(?:[-,]p?|/)(\d{1,2})(/?|\.\w{2,5})$", re.IGNORECASE), _LOOSE),
)
_INDEX = pattern(r"/(?:index|default)$", re.IGNORECASE)
_ENDING = pattern(r"\.[a-z]\w{1,4}$", re.IGNORECASE)

# Folders of an address for lists of articles, and for other content over several pages.
_LISTS = pattern(
    r"/(?:categor(?:y|ies|ia|ie)|kategorie|tags?|topics?|author|search|archives?|comments?|galler(?:y|ies)|galerie|"
    r"galeria|photos?|fotos?|slideshow|forums?|threads?)(?=/|$)",
    re.IGNORECASE,
)
# Names of elements that contain the page numbers of other content.
_ELSEWHERE = pattern(
    r"comment|respon[ds]|disqus|discuss|galler|galerie|slide|carousel|swiper|lightbox|related|calendar|archive|widget|(?:article|post|news)s?-list|"
    r"sidebar|post-navigation|nav-single|pinglun",
    re.IGNORECASE,
)
_OTHER_QUERY = pattern(r"(?:^|&)(?:c(?:omment)?_?page|comments?|replytocom|slide|image|photo|img|pic)\b", re.IGNORECASE)

# Texts of links to a page, with or without its number; the next thing may also be another article.
_PART_WORD = pattern(r"\b(?:part|teil|partie|parte|część|часть|частина)\b", re.IGNORECASE)
_PAGE_WORD = pattern(
    r"\b(?:page|pág(?:ina)?|pagina|seite|strona|stran[ay]|sid(?:a|e)|sayfa|sivu|oldal|halaman|trang|страниц|сторінк|"
    r"стр|σελίδα)\b|страниц|сторінк|[页頁]|ページ|페이지|쪽|صفحة|עמוד|पृष्ठ|หน้า",
    re.IGNORECASE,
)
_OTHER_THING = pattern(
    r"\b(?:older|newer|posts?|articles?|artikel|beitrag|beiträge|billet|story|stories|entr(?:y|ies|ada)|news|art[íi]culo|"
    r"articolo|artigo|noticia|notizia|notícia|nota|nyhet|wpis|artyku|článek|запис|стат|новост|haber|comment|kommentar|"
    r"coment|commento|komentarz|коммент|photos?|fotos?|image|imagen|immagine|bild|slide|galler|galerie|galer|video|topic|thread|"
    r"thema|issue|ausgabe|product|event|chapter|kapitel|lesson|project|week|month|day)|記事|投稿|写真|画像|글|기사|篇|条|张|图|圖|章",
    re.IGNORECASE,
)
_ANYTHING = pattern("")
_NUMBER, _LETTER = pattern(r"\d+"), pattern(r"[^\W\d_]")
_AROUND_NUMBER = "[](){}<>«»‹›→►▶|.:- "


class _Form(NamedTuple):
    """One interpretation of an address: a page number, and the stem that all pages of the article share."""

    stem: str
    number: int | None  # None if the address has none, as that of a first page
    standing: int  # the position of the number


def next_part(page: Page, url: str, skip: int = 0) -> str | None:
    """Return the URL of the next page of the article, or None if there is none, or if `url` is not a URL.

    `skip` is the number of following pages to skip, because they could not be read.
    """
    address = absolute(url, url)
    if address is None or is_front(address) or is_archive(address) or _is_list(address):
        return None
    found = _candidate(page, address, skip)
    if found is None:
        return None
    located = page if page.url else replace(page, url=address)  # the kind of a page also depends on its address
    return found if kind(located) == "article" else None


def names_page(text: str, number: int) -> bool:
    """Whether a line has only the number of this page or the next: page 2 of 3, continued on page 2."""
    if len(text) > _MAX_PAGE_LINE_LENGTH or not _PAGE_WORD.search(text):
        return False
    if not {str(number), str(number + 1)}.intersection(_NUMBER.findall(text)):
        return False
    return len(_LETTER.findall(_PAGE_WORD.sub("", text))) <= _MAX_LETTERS


def _candidate(page: Page, url: str, skip: int) -> str | None:
    """Return the first address with the right number whose link says that it leads to a next page."""
    base = link_base(page, url)
    forms = [form for form in _forms(url) if _is_name(form.stem)]
    numbered = list(_links(page, url, base, _wanted(forms, skip))) if forms else []
    earlier = {address for row, address in numbered if states(page, row, "prev")}
    for row, address in numbered:
        for form, other in _matches(forms, address, skip):
            if address in earlier or not _leads_on(page, row, form, other, skip) or _is_elsewhere(page, row):
                continue
            if _is_named(form) or any(_is_first(form, linked) for _, linked in _links(page, url, base)):
                return address
    return None


def _wanted(forms: list[_Form], skip: int) -> re.Pattern[str]:
    """Return a pattern that every address found by `_matches` fits, which quickly excludes most links."""
    numbers = {number + skip for form in forms for number in _next_numbers(form)}
    return re.compile(rf"(?<!\d)0*(?:{'|'.join(map(str, sorted(numbers)))})(?!\d)")


def _links(page: Page, url: str, base: str, wanted: re.Pattern[str] = _ANYTHING) -> Iterator[tuple[int, str]]:
    """Yield the links to the same host that are not empty, and their addresses."""
    home = host_of(url)
    rows = page.rows("link", "a")
    for row in rows[page.text_chars[rows] <= _MAX_LINK_LENGTH].tolist():
        href = page.attribute(row, "href")
        if not href or not wanted.search(href) or "#comment" in href:
            continue
        address = absolute(href, base)
        if address is not None and host_of(address) == home:
            yield row, address


def _is_list(url: str) -> bool:
    """Whether an address is that of other content over several pages."""
    path, _, query = url.partition("://")[2].partition("?")
    return bool(_LISTS.search(path) or _OTHER_QUERY.search(query))


# The addresses


def _forms(url: str) -> Iterator[_Form]:
    """Yield the interpretations of an address."""
    path, _, query = key(url).partition("?")
    yield _Form(_stem(path, query), None, _NAMED)
    for found in _IN_QUERY.finditer(query):
        rest = (query[: found.start()] + query[found.end() :]).strip("&")
        yield _Form(_stem(path, rest), int(found[2]), _NAMED if found[1] else _LOOSE)
    for form, standing in _IN_PATH:
        if match := form.search(path):
            yield _Form(_stem(path[: match.start()] + match[2], query), int(match[1]), standing)


def _stem(path: str, query: str) -> str:
    """Return the part that the addresses of all pages of an article share."""
    return f"{_INDEX.sub('', _ENDING.sub('', path.rstrip('/')))}?{query}"


def _matches(forms: list[_Form], address: str, skip: int) -> Iterator[tuple[_Form, _Form]]:
    """Yield the interpretations of two addresses by which the second is a later page of the article of the first."""
    for other in _forms(address):
        for form in forms:
            if other.number is None or other.number > _MAX_NUMBER or form.stem != other.stem:
                continue
            if other.number - skip in _next_numbers(form):
                yield form, other


def _next_numbers(form: _Form) -> tuple[int, ...]:
    """Return the possible numbers of the next page; some programs count from 0, and a first page has no number."""
    return (1, 2) if form.number is None else (form.number + 1,)


def _is_named(form: _Form) -> bool:
    """Whether an address is certainly that of a numbered page, or of a first page."""
    return form.standing == _NAMED or form.number == 1


def _is_first(form: _Form, address: str) -> bool:
    """Whether an address is that of the first page of the same article."""
    return any(other.stem == form.stem and other.number in (None, 0, 1) for other in _forms(address))


def _is_name(stem: str) -> bool:
    """Whether a stem may be that of an article; stems of lists are one word without a number."""
    name = stem.rpartition("/")[2]
    return bool(_NUMBER.search(stem)) or len(name) > _MAX_WORD_LENGTH or any(sign in name for sign in "-_%")


# The links


def _leads_on(page: Page, row: int, form: _Form, other: _Form, skip: int) -> bool:
    """Whether the text of a link says that it leads to the right page, by its number or as the next one."""
    said, number = _said(page, row), other.number or 0
    if len(said) > _MAX_LINK_LENGTH or _OTHER_THING.search(said):
        return False
    shown = _shown_number(said)
    if shown is not None:
        if form.number is None:
            return shown == skip + 2
        return shown == number or (shown == number + 1 and other.standing > _LOOSE)
    if skip:
        return False
    if says_next(said) and _PAGE_WORD.search(said):
        return True
    says = states(page, row, "next") or (len(said) <= _MAX_BUTTON_LENGTH and says_next(said))
    return says and other.standing > _LOOSE


def _said(page: Page, row: int) -> str:
    """Return the text of a link, or else its text for screen readers."""
    if text := fold(page.text(row)):
        return text
    stated = (page.attribute(row, name) for name in ("aria-label", "title"))
    images = (page.attribute(image, "alt") for image in page.rows("img").tolist() if row < image < page.end[row])
    return fold(next(filter(None, (*stated, *images)), ""))


def _shown_number(said: str) -> int | None:
    """Return the number in the text of a link, alone or after the word for page."""
    plain = _PART_WORD.sub("", _PAGE_WORD.sub("", said)).replace("第", "").strip(_AROUND_NUMBER)
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 3 else None


def _is_elsewhere(page: Page, row: int) -> bool:
    """Whether a link belongs to pictures or other content over several pages, or stands below comments."""
    if _has_comments(page, row):
        return True
    for _ in range(_NEAREST):
        row = int(page.parent[row])
        if row < 0 or page.tag_name(row) in ("body", "article", "main"):
            return False
        if any(_ELSEWHERE.search(page.attribute(row, name) or "") for name in ("class", "id")):
            return True
    return False


def _has_comments(page: Page, before: int) -> bool:
    """Whether a row comes after readers' comments."""
    rows = comment_rows(page)
    rows[before:] = False
    return 1 in written_rows(split(page), as_marks(rows))
