"""Find the authors of a page: the names in a byline, and the places of visible bylines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pagesieve.facts.visible import MAX_LABEL, NEAR, REMEMBERED, REPORTER_LABELS, Visible, Words, is_of_others
from pagesieve.page.kernel.tags import ATTRIBUTE_ID
from pagesieve.text.patterns import pattern
from pagesieve.text.whitespace import fold

_MAX_BYLINE_LENGTH = 300  # characters
_MAX_NAME_LENGTH = 60
_MAX_WORDS = 7
_SHORT_SLOGAN = 3  # words; a slogan has more
_MAX_LIKELY = 5  # words of a likely name
_MAX_NAMES = 12
_MAX_HAN_LENGTH = 12  # characters of a name without blanks,
_MAX_SURE_HAN_LENGTH = 4  # and of an unmistakable name
_PREFIXES = 3  # consecutive prefixes before the names


def _any_of(words: str) -> str:
    """Return a pattern for any of the words; a dash in a word stands for a blank."""
    return "(?:" + "|".join(word.replace("-", r"\s") for word in words.split()) + ")"


# The prefixes of names: an optional verb with a preposition, or a word with a colon.
_VERBS = _any_of(
    """story article text words written posted published created reported reviewed guest-post contributed submitted
    authored medically-reviewed post review analysis opinion updated articles posts
    ein-artikel ein-beitrag ein-bericht ein-kommentar ein-gastbeitrag geschrieben verfasst veröffentlicht erstellt
    écrit rédigé publié posté propos-recueillis escrito publicado texto redactado scritto pubblicato articolo a-cura
    geschreven gepubliceerd skrevet tekst publisert skriven publicerad"""
)
_PREPOSITIONS = _any_of("by von par por da di door av af oleh yazan")
_NOUNS = _any_of(
    """authors? byline reporter writer editors? contributors? autor autorin autoren autores autora auteurs? autore
    autori journalist journalistin redaktion автор авторы автори текст yazar muhabir penulis toimittaja skribent
    reportér tekst text tác-giả συντάκτης"""
)
_HAN_NOUNS = "|".join(
    """本报记者 本网记者 记者 記者 作者 撰文 撰稿 责任编辑 責任編輯 责编 責編 编辑 編輯 文 執筆者? 著者 筆者 글쓴이
    글 기자""".split()
)
_BEFORE = (
    rf"(?:{_VERBS}\s+)?{_PREPOSITIONS}(?:\s*:|\s)\s*|{_NOUNS}\s*[:：]\s*"
    rf"|(?:{_HAN_NOUNS})\s*[:：/／|丨]\s*|本[报網网]记者\s*"
)
_BEGINNINGS = frozenset(  # the first two letters of these words
    word[:2] for words in (_VERBS, _PREPOSITIONS, _NOUNS) for word in words.removeprefix("(?:")[:-1].split("|")
)
_FIRST_LETTERS = pattern(r"\W{0,3}(\w\w)")
_DASH = pattern(r"\W{0,3}[-–—]")  # may also precede a name
_OPENING = pattern(rf"\W{{0,3}}(?:{_BEFORE})", re.I)  # always precedes a name
_PREFIX = pattern(rf"\W{{0,3}}(?:{_BEFORE}|[—–]\s*|-\s+)", re.I)

# The words and signs that end the names.
_ENDING = _any_of(
    """updated published posted last is-an? was has-been who covers writes via read-more follow view share about-the
    see-all see-more contact reviewed-by edited-by photos?-by aktualisiert veröffentlicht stand publié publicado
    actualizado mis-à-jour опубликовано"""
)
_DAYS = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun),)"
_AFTER = pattern(  # for lower case
    r"(?:(?<!\s)\s+)?(?:[|｜•●·»>\n\t(（\[【!?。：…]|\s[-–—]+\s|\s//|\s@"
    r"|, (?=(?:updated|published|posted|special|for )\b)"
    rf"|\b{_ENDING}\b|\bon (?=\w+ \d|\d)|\b(?:am|le|el|vom|il)\s(?=\d)|\b(?:on )?{_DAYS}\s"
    r"|\b[^\W\d_]{3,9}\.?\s\d{1,2}(?:,|$|\s)|(?<!\w)\d{1,2}[./:年-]\d|(?<!\w)\d{4}\b|(?<=[\u3040-\u9fff])\d"
    r"|责任|來源|来源|发表|發表|發佈|发布|报道|報導|摄)"
)
# In an ASCII text, only these words and signs can end or separate names. Most bylines have none of them.
_AFTER_WORDS = frozenset(
    """updated published posted last is was has who covers writes via read follow view share about see contact reviewed
    edited photo photos aktualisiert publicado actualizado mis stand special for on monday tuesday wednesday thursday
    friday saturday sunday mon tue wed thu fri sat sun""".split()
)
_AFTER_SIGNS = pattern(r"[|>(\[!?/@\d-]")
_AND_WORDS = frozenset("and und et y e og och en ve i with mit".split())
_AND_SIGNS = pattern(r"[,;&/+]")
_GLUED_BY = pattern(r"^(?:[Bb]y(?=[Bb]y\b)|By(?=[A-Z]))")  # "by" without a blank before the name or another "by"
_AND = _any_of("and und et y e og och en ve и та i with mit [+]")
_JOINED = pattern(rf"\s(?:{_AND}|&)\s", re.I)
_BETWEEN = pattern(
    rf"(?=[\s,;、，；&/])(?:(?<!\s)\s+)?(?:[,;、，；]|\s{_AND}\s|\s?&\s?|\s/\s|(?<=\w\w)/(?=\w\w))\s*", re.I
)

_SURNAME_FIRST = pattern(r"([^\W\d_][\w'’ -]{1,30}), ([^\W\d_][\w'’. -]{0,30})")

# Most pages state nothing but a name of two to four words, which needs no further analysis.
_PLAIN = pattern(r"[A-ZÀ-Þ][\w'’.-]{0,20}(?: [A-ZÀ-Þ][\w'’.-]{0,20}){1,3}")
_NOT_PLAIN = frozenset(
    """by von par por da di door af av oleh yazan written posted published updated staff last view follow share read on
    and und et is was who via le el il am vom contact editor author admin stand text story see about""".split()
)

# Texts that are not names.
HAN = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ADDRESS = pattern(r"https?:|://|^/|www\.|\.(?:html?|php|aspx?)\b", re.I)
_EMAIL = pattern(r"\(?[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{1,60}\)?")
_NOT_A_NAME = pattern(r"[@{}<>=\\#*:：]|^[A-Z]{1,3}\d+$|^[\W\d]*$|^[a-z]{2}$|\w\.\w+\.\w|_\d\d|\d .*\d")
_NOT_IN_HAN = pattern(
    r"点击|查看|资料|编辑$|声明|文章|评论|登录|注册|首页|全文|更多|网友|本站|转载|^来自|公司|版权|管理|关注|人[气氣]|素材|来源|出版社|期刊"
)
_HAN_ROLE = pattern(r"^(?:见习|实习|特约|本[报网])?(?:记者|記者|通讯员)(?=[\u4e00-\u9fff]{2,4}$)")
_NOBODY = frozenset(
    """administrator webmaster root user users guest guests author authors unknown none null undefined n/a na default
    test demo superuser super wordpress editor editors editorial contributor contributors anonymous redaktion redaktor
    redactor redazione rédaction redacción redacao web webteam it me you moderator by von par por via staff home menu
    share follow subscribe login comments comment profile website site blog news posts post about bio biography contact
    email twitter facebook linkedin instagram youtube developer dev администратор админ редакция 管理员 佚名 编辑 小编
    marketing team content writer posted published updated date name newsroom seo support info manager press articles
    article more advertisement reviewed written edited updates auteur autor members member sameas mon tue wed
    thu fri sat sun monday tuesday wednesday thursday friday saturday sunday today yesterday category categories tags
    community""".split()
)
_NOT_IN_NAMES = frozenset(
    """the a an our your this that all more how what why when where who best top new free get read view subscribe my
    using with without for from to in on at is are was be not and or as if no yes day days price date time rating
    popularity default product products category policy account profile store visit write sign login us join create
    click here learn see add cart shop buy review reviews article articles post comment comments anonymous page
    trial demo request tba tips details sensor app download home menu search back next previous share privacy terms
    cookie cookies hours minutes ago min rss edit explore onboarding artikel beitrag
    settings logout""".split()
)
# Words of slogans and calls to action of more than three words.
_IN_SLOGANS = frozenset(
    """our your my we you i how what why when where best top free get new download app here now this that these all more
    learn great tips guide try it's is are not never every always just only""".split()
)
_SMALL = frozenset("de da do dos das del della di la le van von der den ten ter zu af av al el bin ibn y e du".split())

# Roles and titles that follow a name and a comma.
_ROLES = frozenset(
    """staff writer reporter correspondent editor contributor journalist columnist producer senior associate assistant
    managing chief deputy executive director manager founder ceo cto cmo president analyst specialist contributing
    freelance freelancer photographer author md phd rn rd rdn ldn mba cpa jd esq msc ma bsc bs ba np pa mph dds dvm
    do facc facp facog faad facs cfp cfa ms med edd lcsw lmft psyd pharmd pt dpt jr sr ii iii iv redakteur redakteurin
    autor autorin korrespondent korrespondentin reporterin chefredakteur volontär volontärin journaliste rédacteur
    rédactrice periodista redactor redactora giornalista professor prof dr lecturer fellow intern host head vice
    strategist consultant expert coach marketer guest special political health business tech science technology sports
    sport news entertainment politics foreign affairs national the of for at in and digital media content marketing
    communications lead principal partner co-founder cofounder owner""".split()
)
_DESKS = frozenset(
    """staff desk team editor editors bureau agency news press board wire service services reporter reporters writer
    writers newsroom correspondent correspondents contributor contributors redaktion redazione redacción rédaction
    nachrichten reports media magazine times university institute association college department ministry ministerie
    corporation inc ltd gmbh llc society""".split()
)
_LETTERS = pattern(r"\w+")


def names_in(text: str) -> list[str]:
    """Return the names in a byline; the list may be empty."""
    if not text:
        return []
    text = fold(text)[:_MAX_BYLINE_LENGTH]
    if text[1:2] == "y":
        text = _GLUED_BY.sub("", text)
    if _PLAIN.fullmatch(text) and _NOT_PLAIN.isdisjoint(text.lower().split()):
        return [_trimmed(text)]
    if (":" in text or "/" in text or "." in text) and _ADDRESS.search(text):
        return []
    text = _without_prefix(text)
    text = fold(_EMAIL.sub(" ", text) if "@" in text else text)
    if not text:
        return []
    words = _LETTERS.findall(text.lower()) if text.isascii() else None
    if words is None or not _AFTER_WORDS.isdisjoint(words) or _AFTER_SIGNS.search(text):
        lower = text.lower()
        end = _AFTER.search(lower if len(lower) == len(text) else text)
        text = text[: end.start()] if end else text
    is_one = words is not None and _AND_WORDS.isdisjoint(words) and not _AND_SIGNS.search(text)
    parts = (text,) if is_one else _parts(text)
    return list(dict.fromkeys(name for name in map(_trimmed, parts) if is_name(name)))[:_MAX_NAMES]


def stated_names(text: str) -> list[str]:
    """Return the names in a byline from metadata.

    A line after the first one with names counts only if it is a full name; otherwise it is a place or a role.
    """
    if "\n" not in text:
        return names_in(text)
    first, *others = [names for names in map(names_in, text.splitlines()) if names] or [[]]
    return list(dict.fromkeys([*first, *(name for names in others for name in names if is_surely_name(name))]))


def surname_last(text: str) -> str:
    """Return a name of the form "Surname, Given Name" as "Given Name Surname"."""
    found = _SURNAME_FIRST.fullmatch(fold(text))
    return f"{found[2]} {found[1]}" if found and not (_is_role(found[2]) or _JOINED.search(text)) else text


def _without_prefix(text: str) -> str:
    for _ in range(_PREFIXES):
        found = _PREFIX.match(text) if _may_open(text) or _DASH.match(text) else None
        if found is None:
            break
        text = text[found.end() :]
    return text


def _parts(text: str) -> Iterator[str]:
    """Split a byline between its names, and leave out the roles that follow names."""
    for k, part in enumerate(part for part in _BETWEEN.split(text) if part):
        if k == 0 or (is_likely_name(part) and not _is_role(part)):
            yield from part.split(" ") if _is_han_list(part) else (part,)


def _is_han_list(part: str) -> bool:
    """Whether a part is a list of names in a script that writes names without blanks."""
    words = part.split(" ")
    return len(words) > 1 and all(HAN.search(word) and 1 < len(word) <= _MAX_SURE_HAN_LENGTH for word in words)


def _is_role(part: str) -> bool:
    words = [word.strip(".").lower() for word in part.split()]
    if len(words) == 1 and part.upper() == part and not HAN.search(part):
        return True
    return sum(word in _ROLES for word in words) * 2 >= len(words)


def _trimmed(name: str) -> str:
    name = name.strip(" -–—|/:：,;.·•\"'“”()[]<>")
    if not name.isascii():
        name = _HAN_ROLE.sub("", name)
    return name.title() if name.isupper() and " " in name else name


def is_name(name: str) -> bool:
    """Whether a text can be the name of a person, or of an editorial desk."""
    lower = name.lower()
    if (
        not 1 < len(name) <= _MAX_NAME_LENGTH
        or (len(name) == 2 and name.isascii() and name == lower)
        or (not name.replace(" ", "").isalpha() and _NOT_A_NAME.search(name))
        or "admin" in lower
    ):
        return False
    words = lower.split()
    if len(words) > _MAX_WORDS or all(word.strip(".") in _NOBODY for word in words):
        return False
    if len(words) > _SHORT_SLOGAN and not _IN_SLOGANS.isdisjoint(words):
        return False
    if HAN.search(name):
        return len(name) <= _MAX_HAN_LENGTH * len(words) and not _NOT_IN_HAN.search(name)
    return True


def is_likely_name(name: str) -> bool:
    """Whether a text looks like a name: one word, or words with capital letters except for particles."""
    words = name.split()
    if HAN.search(name):
        return len(name) <= _MAX_HAN_LENGTH
    if len(words) > _MAX_LIKELY or any(word.lower().strip(".,'’") in _NOT_IN_NAMES for word in words):
        return False
    if len(words) > 1 and any(word[0].isdigit() for word in words):
        return False
    return len(words) == 1 or all(not word[0].islower() or word.lower() in _SMALL for word in words)


def is_surely_name(name: str) -> bool:
    """Whether a text is a name even without a prefix or a mark."""
    if HAN.search(name):
        return 1 < len(name) <= _MAX_SURE_HAN_LENGTH
    return len(name.split()) > 1 and is_likely_name(name)


def is_weak(name: str) -> bool:
    """Whether a name is an editorial desk or a login name, so that any other name is better."""
    lower = name.lower()
    if not _DESKS.isdisjoint(_LETTERS.findall(lower)):
        return True
    return name == lower and " " not in name and not HAN.search(name)


# The places of bylines

_NEAR_PROFILE = 60  # rows from the headline: links to people further away are in the text
_MAX_BETWEEN = 24  # bytes of text between the elements of two authors: a comma, an "and"
_LISTED = 3  # different names far from the headline that show a list
_CLASS, _ID, _REL, _HREF = (ATTRIBUTE_ID[name] for name in ("class", "id", "rel", "href"))
_NAMES = {_CLASS: "class", _ID: "id", _REL: "rel", _HREF: "href"}
_MARKED, _MARKED_NEAR = bytes([_CLASS, _ID, _REL]), bytes([_CLASS, _ID, _REL, _HREF])
_MARK_WORDS = ("byline", "author", "Author", "Byline")
_MARKS = Words(*_MARK_WORDS)
_MARKS_NEAR = Words(*_MARK_WORDS, "/people/", "/profile", "/contributor", "/staff/")
_IDS = frozenset(("author", "byline", "author-name", "authorname", "post-author", "article-author"))
# For lower case: a pattern that ignores case is many times slower.
_STRONG = pattern(
    r"^authors?$|author[-_]*(?:name|link|title)|byline[-_]*(?:name|author|link)|(?:post|entry|article)[-_]*author$"
)
_NO_BYLINE = pattern(
    r"authori[tsz]|bio|avatar|image|img|photo|pic|social|follow|comment|related|recent|box|about|desc|date|time"
    r"|title$|count|icon|thumb|list|grid|card|menu|nav|widget|footer|sidebar|popup|meta$|job|role"
)
_LABELLED = pattern(
    r"\s*[:：]\s*([^\s:：|｜)）】\]]{1,30}(?:[ \u3000][^\s:：|｜()（）】\]]{1,6}(?=[\s)）】\]|]|$)){0,5})"
)
_REPORTED = pattern(r"人?[\s:：/]+([\u4e00-\u9fff·]{2,4}(?:[\s、][\u4e00-\u9fff·]{2,4}){0,5})(?=[\s）)】/，。,]|$)")


def marked_authors(visible: Visible) -> Iterator[tuple[list[str], str, bool]]:
    """Yield the names in elements whose class, id, rel or URL marks a byline, the likeliest first.

    Also yield the attribute, and whether all names are certainly people: because each has an element of its own, or the
    last one follows an "and". Other elements count only if no element near the headline has names, and few names are in
    them.
    """
    near = _marked(visible, _MARKS_NEAR, _MARKED_NEAR, near=True)
    first = next(near, None)
    if first is not None:
        yield first
        yield from near
        return
    far = list(_marked(visible, _MARKS, _MARKED, near=False))
    if len({names[0] for names, _, _ in far}) < _LISTED:
        yield from far


def _marked(visible: Visible, marks: Words, attributes: bytes, *, near: bool) -> Iterator[tuple[list[str], str, bool]]:
    """Yield the names in marked elements, the most reliable marks first, and of these the nearest to the headline."""
    found = []
    for row, attribute in visible.marked(marks, attributes, near=near):
        distance, strength = visible.distance(row), _strength(visible, row, attribute)
        if strength and (not near or distance <= NEAR):
            found.append((-strength, distance, row, attribute))
    rows = sorted(row for _, _, row, _ in found)
    for _, _, row, attribute in sorted(found):
        names = _names_at(visible, row, attribute)
        if names and not visible.is_aside(row):
            others = _names_after(visible, row, attribute, rows)
            is_sure = len(names) == 1 or _JOINED.search(visible.text(row)) is not None
            yield list(dict.fromkeys(names + others)), _NAMES[attribute], is_sure


def _names_at(visible: Visible, row: int, attribute: int) -> list[str]:
    """Return the names in a marked element. A link to a profile must have the names in its URL, too."""
    names = [name for name in names_in(visible.text(row)) if is_likely_name(name)]
    if len(names) > 1:  # otherwise they may be topics
        names = [name for name in names if not name.islower()]
    if attribute != _HREF:
        return names
    href = (visible.page.attribute(row, "href") or "").lower()
    return [name for name in names if HAN.search(name) or any(word in href for word in name.lower().split())]


def _names_after(visible: Visible, row: int, attribute: int, rows: list[int]) -> list[str]:
    """Return the names in the marked elements directly after one, if each author has an element of its own."""
    found = list[str]()
    stop = visible.rows.end(row)
    for after in rows:
        if after >= stop and len(found) < _MAX_NAMES:
            is_near = visible.rows.place(after) - visible.rows.place(stop) <= _MAX_BETWEEN
            if not is_near or visible.label(after) != visible.label(row):
                break
            found += [name for name in _names_at(visible, after, attribute) if is_surely_name(name)]
            stop = visible.rows.end(after)
    return list(dict.fromkeys(found))


def _strength(visible: Visible, row: int, attribute: int) -> int:
    """Return how certainly a mark is that of a byline; 0 means that it is not."""
    page = visible.page
    if attribute == _REL:
        return 3
    if attribute == _ID:
        return 2 if (page.attribute(row, "id") or "").lower() in _IDS else 0
    if attribute == _HREF:
        return 1 if page.tag_name(row) == "a" and visible.distance(row) <= _NEAR_PROFILE else 0
    words = (page.attribute(row, "class") or "").lower().split()
    marks = (word for word in words if ("author" in word or "byline" in word) and len(word) <= MAX_LABEL)
    return max(map(_strength_of_word, marks), default=0)


@lru_cache(REMEMBERED)
def _strength_of_word(word: str) -> int:
    """Return how certainly a word of a class marks a byline."""
    if _STRONG.search(word) and not is_of_others(word):
        return 2
    return 0 if _NO_BYLINE.search(word) else 1


def byline(visible: Visible) -> list[str]:
    """Return the names in the first line near the headline that begins like a byline."""
    for text in visible.lines:
        if _may_open(text) and _OPENING.match(text):
            names = [name for name in names_in(text) if is_surely_name(name)]
            if names:
                return names
    return []


def _may_open(text: str) -> bool:
    """Whether the first two letters of a text may begin a byline, which excludes most lines."""
    start = text[:2]
    if start.isascii() and start.isalpha():  # the usual case
        return start.lower() in _BEGINNINGS
    found = _FIRST_LETTERS.match(text)
    return found is None or not found[1].isascii() or found[1].lower() in _BEGINNINGS


def labelled(visible: Visible, label: str) -> str:
    """Return the text after a label and a colon in a visible text, or an empty string without such a label."""
    found = (_LABELLED.match(visible.after(row, at)) for row, at in visible.places(label))
    return next((one[1] for one in found if one), "")


def reporters(visible: Visible) -> str:
    """Return the names after the word for reporter, which is at the beginning or the end of Chinese articles."""
    places = (place for label in REPORTER_LABELS for place in visible.places(label))
    found = (_REPORTED.match(visible.after(row, at)) for row, at in places)
    return next((one[1] for one in found if one), "")
