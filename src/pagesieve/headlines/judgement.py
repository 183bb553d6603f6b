"""Which links of a page lead to articles: by the shape of their URLs, their titles, their places, and similar links."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from pagesieve.headlines.anchors import Anchor, width_of
from pagesieve.text.dates import YEAR
from pagesieve.text.urls import address_of, host_of, key, same_family

# The shape of a URL

_NEVER = -100.0  # points of what is no article, whatever is around it
MANY_WORDS = 3  # in a slug: few sections have names so long
LONG_NUMBER = 5  # digits: the number of an article, not of a year or a page

# Points for an article, by what the URL has. They were set by eye on catalogue pages of many sites.
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
_DIGIT = re.compile(r"\d")
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
# What separates the words of a slug; an escaped letter of another script says about as much as a word.
_WORDS = re.compile(r"[-_+]|%20|%[0-9A-F]{2}%[0-9A-F]{2}(?:%[0-9A-F]{2})?")
_INDEX = re.compile(r"(?:^|/)(?:index|default|list)(?:\.\w+)?$")
_NUMBERED_LIST = re.compile(r"(?:cat|tag)\d+")
# Names of lists and of service pages, in the words of the systems that most sites run on.
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


class Shape(NamedTuple):
    """What a URL says of the page behind it."""

    points: float  # for an article
    page_number: int | None = None  # where it is a page of a longer list
    strong: bool = False  # it has a date or the number of an article
    signature: tuple[object, ...] = ()  # what the articles of one site have in common


_NO_ARTICLE = Shape(_NEVER)


class Shapes:
    """The URL of one page, which those of its links are compared with."""

    def __init__(self, url: str) -> None:
        self._host, self._path, _ = _parts(url)
        self._folder = self._path + "/" if self._path else ""
        self._siblings = self._path.rpartition("/")[0]

    def weigh(self, url: str) -> Shape:
        """Return the shape of a normal URL."""
        host, path, query = _parts(url)
        digits = _has_digit(path)
        number = _page_number(path, query) if digits or query else None
        if number is not None:
            return Shape(_NEVER, page_number=number)
        # Of the page itself, or of a section that it belongs to.
        above = host == self._host and (path == self._path or self._folder.startswith(path + "/"))
        if not query and (not path or above or (digits and _ARCHIVE.search(path))):
            return _NO_ARTICLE
        return _NO_ARTICLE if _is_file(path) else self._shape(host, path, query, digits)

    def _shape(self, host: str, path: str, query: str, digits: bool) -> Shape:
        folders, _, name = path.rpartition("/")
        ending = _ENDING.search(name) if "." in name else None
        last = name[: ending.start()] if ending else name
        words = WORD_POINTS[min(_count_marks(last), len(WORD_POINTS) - 1)]
        number = _number_points(last if digits else "", query)
        dated = bool(folders and digits and _DATE.search(path))
        points = words + number + _folder_points(folders, last.lower())
        points += (ENDING_POINTS if ending else 0.0) + (DATE_POINTS if dated else 0.0)
        if host == self._host:
            if self._folder and path.startswith(self._folder):
                points += CHILD_POINTS
            elif self._siblings and folders == self._siblings:
                points += SIBLING_POINTS
        asked = (name, *sorted(pair.partition("=")[0] for pair in query.split("&"))) if query else ()
        level = -1 if dated else path.count("/")
        signature = (host, level, bool(ending), words >= WORD_POINTS[MANY_WORDS], number >= LONG_NUMBER_POINTS, asked)
        return Shape(points, strong=dated or number >= ASKED_LONG_POINTS, signature=signature)


def page_number(url: str) -> int | None:
    """Return which page of a longer list a normal URL names."""
    _, path, query = _parts(url)
    return _page_number(path, query)


def list_of(url: str) -> str:
    """Return the URL of the list that a page belongs to: without the number of the page, and without its scheme."""
    host, path, query = _parts(url)
    whole = path + ("?" + query if query else "")
    return f"{host}/{_INDEX.sub('', _PAGE.sub('', whole).strip('/?&'))}"


def _parts(url: str) -> tuple[str, str, str]:
    """Return host, path without its outer slashes, and query of a normal URL."""
    host, _, rest = url.partition("://")[2].removeprefix("www.").partition("/")
    path, _, query = rest.partition("?")
    return host, path.strip("/"), query


# Most names of articles have neither digits nor dots, and need no closer look.


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _is_file(path: str) -> bool:
    return ("." in path or "uploads" in path.lower()) and _FILE.search(path) is not None


def _page_number(path: str, query: str) -> int | None:
    found = (query and _PAGE.search("?" + query)) or (_has_digit(path) and _PAGE.search(path))
    return int(next(number for number in found.groups() if number)) if found else None


def _count_marks(name: str) -> int:
    """Return how many marks stand between the words of a name."""
    if "%" in name:
        return len(_WORDS.findall(name))
    return name.count("-") + name.count("_") + name.count("+")


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
    return max(map(len, _NUMBER.findall(text)), default=0) if text else 0


def _folder_points(folders: str, last: str) -> float:
    if last in _SERVICES or last in _LISTS or (last[:3] in ("cat", "tag") and _NUMBERED_LIST.fullmatch(last)):
        return LIST_POINTS
    if not folders:
        return ROOT_POINTS
    names = folders.lower().split("/")
    if names[-1] in _LISTS:
        return LIST_POINTS
    if names[-1] == _STATIC or not _SERVICES.isdisjoint(names):
        return SERVICE_POINTS
    return FOLDER_POINTS if _LISTS.isdisjoint(names) else BELOW_LIST_POINTS


class _Points:
    """The points that decide, set by eye on catalogue pages of many sites and languages."""

    least: float = 2.0  # an article
    sure: float = 6.0  # an article that shows what the site's URLs are like
    widths: tuple[tuple[float, float], ...] = ((40, 2.0), (25, 1.5), (15, 0.5), (10, -0.5), (0, -1.5))
    repeated: float = -1.5  # a text that several links have: "more", "comments"
    heading: float = 1.5
    navigation: float = -2.5
    menu: float = -2.5  # more, where only navigation leads there, and its URL is not like those of articles
    label: float = -2.0
    header: float = -0.5
    inline: float = -1.0
    bookmark: float = 2.0  # rel="bookmark"
    label_rel: float = -4.0
    parent: float = -4.0  # other links lead to pages below it
    like: float = 1.5  # its URL is like those of the sure ones,
    unlike: float = -1.5  # or like none of them
    like_share: float = 0.25
    unlike_share: float = 0.05
    fewest_sure: int = 5
    place: float = 0.5  # how much the others in the same place count,
    place_most: float = 3.0  # with this many points at most
    outside: float = -2.0  # another site's, in a list of this one's
    outside_fewest: int = 5  # links of a list that leads to other sites,
    outside_share: float = 0.7  # of which most are sure


Repeated = frozenset[tuple[str, int]]  # texts, each with the size of all that its link shows

_LABEL_RELS = ("tag", "author", "category", "license", "sponsored")


@dataclass(slots=True)
class Target:
    """Where some links of a page lead, and whether that is an article."""

    url: str
    shape: Shape
    outside: bool  # of another site
    anchors: list[Anchor]
    points: float = 0.0
    is_article: bool = False


def find_targets(links: list[Anchor], url: str, base: str) -> dict[str, Target]:
    """Return where the links of a page lead, by the key of the URL, in order."""
    shapes, home = Shapes(url), host_of(url)
    keys: dict[str, str | None] = {}  # by `href`
    found: dict[str, Target] = {}
    for anchor in links:
        href = anchor.href
        if href not in keys:
            keys[href] = _add(found, href, base, shapes, home)
        name = keys[href]
        if name is not None:
            found[name].anchors.append(anchor)
    return found


def _add(found: dict[str, Target], href: str, base: str, shapes: Shapes, home: str) -> str | None:
    """Return the key of where a link leads, and add it where it is new; None where that is no other page."""
    address = address_of(href, base)
    if address is None:
        return None
    name = key(address)
    if name not in found:
        found[name] = Target(address, shapes.weigh(address), not same_family(home, host_of(address)), [])
    return name


def repeated_texts(targets: dict[str, Target]) -> Repeated:
    """Return what links to several pages say, which is no title of theirs."""
    counts = Counter[tuple[str, int]]()
    for target in targets.values():
        counts.update({(anchor.text, anchor.chars) for anchor in target.anchors if anchor.text})
    return frozenset(text for text, count in counts.items() if count > 1)


def judge(targets: dict[str, Target], repeated: Repeated) -> None:
    """Mark the targets that are articles."""
    for target in targets.values():
        best = max(_anchor_points(anchor, repeated) for anchor in target.anchors)
        target.points = target.shape.points + best
    _learn_from_places(targets)
    total = _learn_from_likes(targets)
    for target in targets.values():
        target.is_article = not target.outside and target.points >= _Points.least
    _judge_outside(targets, total)


def _anchor_points(anchor: Anchor, repeated: Repeated) -> float:
    place = anchor.place
    if (anchor.text, anchor.chars) in repeated:
        points = _Points.repeated
    else:
        width = anchor.width or max(map(width_of, anchor.said), default=0.0)
        points = next(points for least, points in _Points.widths if width >= least)
    if anchor.heading:
        points += _Points.heading
    elif place.label:
        points += _Points.label
    if place.navigation:
        points += _Points.navigation
    if place.header:
        points += _Points.header
    if anchor.inline:
        points += _Points.inline
    if anchor.rel:
        points += _rel_points(anchor.rel)
    return points


def _rel_points(rel: str) -> float:
    words = rel.split()
    if any(word in _LABEL_RELS for word in words):
        return _Points.label_rel
    return _Points.bookmark if "bookmark" in words else 0.0


def _learn_from_places(targets: dict[str, Target]) -> None:
    """Give each target a part of the mean points of those in the same place: the items of a list are alike."""
    sums: dict[int, list[float]] = {}
    most = _Points.place_most
    for target in targets.values():
        for number in {anchor.place.number for anchor in target.anchors}:
            both = sums.setdefault(number, [0.0, 0.0])
            both[0] += max(target.points, -most - 1)
            both[1] += 1
    for target in targets.values():
        mean = max(sums[anchor.place.number][0] / sums[anchor.place.number][1] for anchor in target.anchors)
        target.points += _Points.place * max(-most, min(most, mean))


def _learn_from_likes(targets: dict[str, Target]) -> int:
    """Compare URLs with those of the sure articles; return how many are sure."""
    likes = Counter[tuple[object, ...]]()
    for target in targets.values():
        if target.points >= _Points.sure and not target.outside and not _only_navigation(target):
            likes[target.shape.signature] += 1
    total = sum(likes.values())
    children = Counter(name.rpartition("/")[0] for name in targets)
    for name, target in targets.items():
        if total >= _Points.fewest_sure and not target.outside:
            target.points += _like_points(target, likes[target.shape.signature] / total)
        if children[name] > 1:
            target.points += _Points.parent
    return total


def _like_points(target: Target, share: float) -> float:
    if share >= _Points.like_share:
        return _Points.like
    points = _Points.unlike if share < _Points.unlike_share else 0.0
    return points + _Points.menu if not target.shape.strong and _only_navigation(target) else points


def _only_navigation(target: Target) -> bool:
    return all(anchor.place.navigation and not anchor.heading for anchor in target.anchors)


def _judge_outside(targets: dict[str, Target], sure: int) -> None:
    """Mark links to other sites that stand among the site's own articles, or are the list themselves."""
    own, others = Counter[int](), dict[int, list[Target]]()
    for target in targets.values():
        for number in {anchor.place.number for anchor in target.anchors if not anchor.inline}:
            if target.outside:
                others.setdefault(number, []).append(target)
            elif target.is_article:
                own[number] += 1
    for number, found in others.items():
        most_sure = sum(target.points >= _Points.sure for target in found) >= _Points.outside_share * len(found)
        is_list = most_sure and len(found) >= _Points.outside_fewest and len(found) > sure
        if is_list or own[number] > len(found):
            for target in found:
                target.is_article = target.points + _Points.outside >= _Points.least
