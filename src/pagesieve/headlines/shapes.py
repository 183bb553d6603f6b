"""What the shape of a URL says of the page behind it: an article, or a section, a tag, an archive, a next page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pagesieve.text.dates import YEAR

NEVER = -100.0  # points of what is no article, whatever stands around it
MANY_WORDS = 3  # in a slug: few sections have names so long
LONG_NUMBER = 5  # digits: the number of an article, not of a year or a page

# Points for an article, by what the URL has. They were weighed by eye on catalogue pages of many sites.
WORD_POINTS = (-1.0, 0.0, 1.0, 2.0, 3.0)  # by the marks between the words of the slug
DATE_POINTS = 2.0
ENDING_POINTS = 0.5
LONG_NUMBER_POINTS, NUMBER_POINTS = 2.0, 0.5
ASKED_LONG_POINTS, ASKED_POINTS, ASKED_NO_NUMBER_POINTS = 1.5, 1.0, -1.0
ROOT_POINTS, FOLDER_POINTS = -0.5, 0.5
LIST_POINTS, SERVICE_POINTS, BELOW_LIST_POINTS = -4.0, -3.0, -1.5
CHILD_POINTS, SIBLING_POINTS = 1.0, -1.5

_DATE = re.compile(rf"(?<!\d){YEAR}[/_.\-]?(?:0?[1-9]|1[0-2]|[a-z]{{3}})(?!\d{{5}})(?=[/_.\-\d])")
_ARCHIVE = re.compile(rf"(?:^|/){YEAR}(?:[/\-](?:\d{{1,2}}|[a-z]{{3}}))?(?:/\d{{1,2}})?$")
_NUMBER = re.compile(r"\d{3,}")
_PAGE = re.compile(
    r"(?:^|[/?&;_])(?:(?:page|paged|pagina|seite|pg|pn|pageno|pagenum|pageindex|start|offset)[/=_\-]?(\d{1,6})"
    r"|p[/=_\-]?(\d{1,2})|(?:index|list|default)[_\-](\d{1,4}))(?:\.\w+)?(?=/|&|$)",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(?:\.(?:jpe?g|png|gif|webp|svg|bmp|ico|css|js|json|xml|rss|atom|pdf|zip|gz|rar|exe|apk|dmg|mp3|mp4|m4a|ogg|avi|"
    r"mov|docx?|xlsx?|pptx?|epub|torrent|ics)$)|/uploads/",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.(?:s?html?|php\d?|aspx?|jsp|ece|cms|stm|amp)$", re.IGNORECASE)
# What parts the words of a slug; an escaped letter of another script says about as much as a word does.
_WORDS = re.compile(r"[-_+]|%20|%[0-9A-F]{2}%[0-9A-F]{2}(?:%[0-9A-F]{2})?")
_INDEX = re.compile(r"(?:^|/)(?:index|default|list)(?:\.\w+)?$")
_NUMBERED_LIST = re.compile(r"(?:cat|tag)\d+")
# Names of pages that list or serve, in the words of the systems that most sites run on.
_LISTS = frozenset(
    "tag tags tagged category categories cat author authors autor auteur topic topics thema themen tema temas label "
    "labels user users member members profile profiles by staff archive archives section sections seccion rubrique "
    "series podcast podcasts newsletter newsletters search keyword keywords index home".split()
)
_STATIC = "p"
_SERVICES = frozenset(
    "login signin signup register registration account subscribe subscription subscriptions feed rss atom comments "
    "about about-us contact contact-us contactus privacy privacy-policy terms terms-of-use terms-of-service "
    "terms-and-conditions cookie-policy cookies imprint impressum datenschutz agb aviso-legal mentions-legales "
    "advertise advertising careers jobs help faq sitemap cart checkout wishlist donate shop store print email share "
    "wp-login.php wp-admin intent sharer sharer.php submit user-agreement copyright disclaimer legal press".split()
)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a URL says of the page behind it."""

    points: float  # for an article
    page_number: int | None = None  # where it is a page of a longer list
    strong: bool = False  # it has a date or the number of an article
    signature: tuple[object, ...] = ()  # what the articles of one site have in common


class Shapes:
    """Weighs the URLs of the links of one page by their shape, and by how they relate to the page's own."""

    def __init__(self, url: str) -> None:
        self._host, self._path, _ = _parts(url)
        self._folder = self._path + "/" if self._path else ""
        self._siblings = self._path.rpartition("/")[0]

    def weigh(self, url: str) -> Shape:
        """The shape of a normal URL."""
        host, path, query = _parts(url)
        number = _page_number(path, query)
        if number is not None:
            return Shape(NEVER, page_number=number)
        if not query and (not path or self._is_above(host, path) or _ARCHIVE.search(path)):
            return Shape(NEVER)
        return Shape(NEVER) if _FILE.search(path) else self._shape(host, path, query)

    def _is_above(self, host: str, path: str) -> bool:
        """Whether it is the page itself, or the section that it belongs to."""
        return host == self._host and (path == self._path or self._folder.startswith(path + "/"))

    def _shape(self, host: str, path: str, query: str) -> Shape:
        folders, _, name = path.rpartition("/")
        ending = _ENDING.search(name)
        last = name[: ending.start()] if ending else name
        words = WORD_POINTS[min(len(_WORDS.findall(last)), len(WORD_POINTS) - 1)]
        number = _number_points(last, query)
        dated = bool(folders and _DATE.search(path))
        points = words + number + _folder_points(folders, last.lower())
        points += (ENDING_POINTS if ending else 0.0) + (DATE_POINTS if dated else 0.0)
        if host == self._host:
            points += self._kinship(path, folders)
        asked = (name, *sorted(pair.partition("=")[0] for pair in query.split("&"))) if query else ()
        level = -1 if dated else path.count("/")
        signature = (host, level, bool(ending), words >= WORD_POINTS[MANY_WORDS], number >= LONG_NUMBER_POINTS, asked)
        return Shape(points, strong=dated or number >= ASKED_LONG_POINTS, signature=signature)

    def _kinship(self, path: str, folders: str) -> float:
        """Pages below this one are likely its articles; those beside it likely lists, as it is one."""
        if self._folder and path.startswith(self._folder):
            return CHILD_POINTS
        return SIBLING_POINTS if self._siblings and folders == self._siblings else 0.0


def page_number(url: str) -> int | None:
    """Which page of a longer list a normal URL says it is."""
    _, path, query = _parts(url)
    return _page_number(path, query)


def list_of(url: str) -> str:
    """The list that a page of it belongs to: its URL without the number of the page, and without its scheme."""
    host, path, query = _parts(url)
    whole = path + ("?" + query if query else "")
    return f"{host}/{_INDEX.sub('', _PAGE.sub('', whole).strip('/?&'))}"


def _parts(url: str) -> tuple[str, str, str]:
    """Host, path without its outer slashes, and query of a normal URL."""
    host, _, rest = url.partition("://")[2].removeprefix("www.").partition("/")
    path, _, query = rest.partition("?")
    return host, path.strip("/"), query


def _page_number(path: str, query: str) -> int | None:
    found = (query and _PAGE.search("?" + query)) or _PAGE.search(path)
    return int(next(number for number in found.groups() if number)) if found else None


def _number_points(last: str, query: str) -> float:
    points = 0.0
    named = _longest_number(last)
    if named:
        points += LONG_NUMBER_POINTS if named >= LONG_NUMBER else NUMBER_POINTS
    if query:
        asked = _longest_number(query)
        if asked:
            points += ASKED_LONG_POINTS if asked >= LONG_NUMBER else ASKED_POINTS
        elif not named:
            points += ASKED_NO_NUMBER_POINTS
    return points


def _longest_number(text: str) -> int:
    return max(map(len, _NUMBER.findall(text)), default=0)


def _folder_points(folders: str, last: str) -> float:
    if last in _SERVICES or last in _LISTS or _NUMBERED_LIST.fullmatch(last):
        return LIST_POINTS
    if not folders:
        return ROOT_POINTS
    names = folders.lower().split("/")
    if names[-1] in _LISTS:
        return LIST_POINTS
    if names[-1] == _STATIC or not _SERVICES.isdisjoint(names):
        return SERVICE_POINTS
    return FOLDER_POINTS if _LISTS.isdisjoint(names) else BELOW_LIST_POINTS
