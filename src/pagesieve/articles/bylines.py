"""Who wrote it: the names in a byline, without what stands around them, and what is no name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagesieve.articles.moments import moment
from pagesieve.page.writer.inline import fold

LONGEST_BYLINE = 300  # characters
_LONGEST_NAME = 60
_MOST_WORDS = 7
_MOST_NAMES = 12
_LONGEST_HAN = 12  # characters of a name that is written without blanks

# What stands before the names: a verb or not, and a preposition; or a word and a colon.
_BEFORE = (
    r"(?:(?:story|article|text|words?|written|posted|published|created|reported|reviewed|guest post|contributed|submitted"
    r"|authored|medically reviewed|post|review|analysis|opinion|updated)\s+)?by(?:\s*:|\s)\s*"
    r"|(?:ein\s+(?:artikel|beitrag|bericht|kommentar|gastbeitrag|interview|essay)\s+)?(?:(?:geschrieben|verfasst|veröffentlicht"
    r"|erstellt|text)\s+)?von(?:\s*:|\s)\s*"
    r"|(?:(?:écrit|rédigé|publié|posté|propos recueillis)\s+)?par(?:\s*:|\s)\s*"
    r"|(?:(?:escrito|publicado|texto|redactado)\s+)?por(?:\s*:|\s)\s*"
    r"|(?:(?:scritto|pubblicato|articolo|a cura)\s+)?(?:da|di)(?:\s*:|\s)\s*"
    r"|(?:(?:geschreven|gepubliceerd|door)\s+)?door(?:\s*:|\s)\s*"
    r"|(?:skrevet|tekst|publisert|skriven|publicerad|text)\s+av(?:\s*:|\s)\s*|af\s+|av\s+"
    r"|oleh\s*:?\s+|yazan\s*:?\s+"
    r"|(?:authors?|written by|byline|reporter|writer|editors?|contributors?|autor(?:in|en|es|a)?|auteurs?|autore|autori|auteur|journalist(?:in)?"
    r"|redaktion|автор(?:ы|и)?|текст|yazar|muhabir|penulis|reporter|editor|toimittaja|skribent|reportér|tekst|text|foto och text"
    r"|tác giả|συντάκτης)\s*[:：]\s*"
    r"|(?:本报记者|本网记者|记者|記者|作者|撰文|撰稿|文|编辑|編輯|责任编辑|責任編輯|责编|責編|執筆|執筆者|著者|筆者|글|기자)\s*[:：/／|丨]\s*"
    r"|(?:本报记者|本网记者|记者|記者|作者)\s*"
    r"|—\s*|–\s*|-\s+"
)
_PREFIX = re.compile(rf"^\W{{0,3}}(?:{_BEFORE})", re.I)
OPENING = re.compile(rf"^\W{{0,3}}(?:{_BEFORE.rpartition('|—')[0]})", re.I)  # what says by itself that a name follows
_PREFIXES = 3
# Where the names end.
_AFTER = re.compile(
    r"\s*(?:[|｜•●·»>\n\t]|\s[-–—]+\s|\(|（|\[|【|, (?=(?:updated|published|posted|special|for )\b)"
    r"|\b(?:updated|published|posted|last|on (?=\w+ \d|\d)|is an?|was|has been|who|covers|writes|via|read more|follow"
    r"|view (?:all|more|profile)|share|about the|see (?:all|more)|contact|view)\b"
    r"|\b(?:am|le|el|vom|il)\s(?=\d)|\b(?:aktualisiert|veröffentlicht|stand|publié|publicado|actualizado|mis à jour|опубликовано)\b"
    r"|\d{1,2}[./:年-]\d|\d{4}\b|[!?。：]|…|\s@|责任|來源|来源|发表|發表|發佈|发布|报道|報導|摄)",
    re.I,
)
_BETWEEN = re.compile(
    r"\s*(?:[,;、，；]|\s(?:and|und|et|y|e|og|och|en|ve|и|та|i|with|&|\+|mit)\s|\s?&\s?|\s/\s|(?<=\w\w)/(?=\w\w))\s*", re.I
)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NOT_A_NAME = re.compile(r"https?:|www\.|\.(?:com|org|net|html?|php|aspx?)\b(?!\w)|[@{}<>=_\\#*]|\d{3}|^\W*$", re.I)
_EMAIL = re.compile(r"\(?[\w.+-]+@[\w-]+\.[\w.-]+\)?")
_NOBODY = frozenset(
    """admin administrator webmaster root user users guest guests author authors unknown none null undefined n/a na
    default test demo superuser super sysadmin wpadmin wordpress editor editors editorial contributor contributors
    anonymous redaktion redaktor redactor redazione rédaction redacción redacao web webteam it me you moderator
    by von par por via staff home menu share follow subscribe login comments comment profile website site blog news
    posts post about bio biography contact email twitter facebook linkedin instagram youtube website developer dev
    администратор админ редакция 管理员 佚名 编辑 小编 admin1 siteadmin marketing team content writer posted
    published updated date name newsroom seo support info manager press articles article more advertisement
    reviewed written edited updates""".split()
)
_ROLES = frozenset(
    """staff writer reporter correspondent editor contributor journalist columnist producer senior associate assistant
    managing chief deputy executive director manager founder ceo cto cmo president analyst specialist contributing
    freelance freelancer photographer author md phd rn rd rdn ldn mba cpa jd esq msc ma bsc bs ba np pa mph dds dvm
    do facc facp facog faad facs cfp cfa ms med edd lcsw lmft psyd pharmd pt dpt jr sr ii iii iv redakteur redakteurin
    autor autorin korrespondent korrespondentin reporterin chefredakteur volontär volontärin journaliste rédacteur
    rédactrice periodista redactor redactora giornalista journalist professor prof dr lecturer fellow intern host
    head vice strategist consultant expert coach marketer writer/editor guest special political health business tech
    science technology sports sport news entertainment politics foreign affairs national the of for at in
    and digital media content marketing communications lead principal partner co-founder cofounder owner""".split()
)
_SMALL = frozenset("de da do dos das del della di la le van von der den ten ter zu af av al el bin ibn y e du und".split())
_DESK = re.compile(
    r"\b(?:staff|desk|team|editors?|bureau|agency|news|press|board|wire|service|services|reporters?|writers?|newsroom"
    r"|correspondents?|contributors?)\b",
    re.I,
)


def names_in(text: str) -> list[str]:
    """The names in a byline; none where it names nobody."""
    text = fold(text)[:LONGEST_BYLINE]
    for _ in range(_PREFIXES):
        text, before = _PREFIX.sub("", text), text
        if text == before:
            break
    text = fold(_EMAIL.sub(" ", text))
    end = _AFTER.search(text)
    if end:
        text = text[: end.start()]
    parts = _parts(text)
    return list(dict.fromkeys(name for name in map(_trimmed, parts) if is_name(name)))[:_MOST_NAMES]


def _parts(text: str) -> Iterator[str]:
    """A byline cut between its names; what follows a name is left away where it tells what they are."""
    parts = [part for part in _BETWEEN.split(text) if part]
    for k, part in enumerate(parts):
        if k == 0 or not _is_role(part):
            yield from part.split(" ") if _is_han_list(part) else (part,)


def _is_han_list(part: str) -> bool:
    """Whether a part is several names in a script that has no blanks inside of names."""
    words = part.split(" ")
    return len(words) > 1 and all(_HAN.search(word) and 1 < len(word) <= 4 for word in words)


def _is_role(part: str) -> bool:
    words = [word.strip(".").lower() for word in part.split()]
    return bool(words) and (
        sum(word in _ROLES for word in words) * 2 >= len(words)
        or (len(words) == 1 and part.upper() == part and not _HAN.search(part))
    )


def _trimmed(name: str) -> str:
    name = name.strip(" \t-–—|/:：,;.·•\"'“”()[]<>")
    return name.title() if name.isupper() and " " in name else name


def is_name(name: str) -> bool:
    """Whether a text can be somebody's name: a person, or a desk that is named."""
    if not 1 < len(name) <= _LONGEST_NAME or _NOT_A_NAME.search(name) or name.lower() in _NOBODY:
        return False
    words = name.split()
    if len(words) > _MOST_WORDS or all(word.lower().strip(".") in _NOBODY for word in words):
        return False
    if _HAN.search(name):
        return len(name) <= _LONGEST_HAN * max(1, len(words))
    return any(c.isalpha() for c in name)


def is_surely_name(name: str) -> bool:
    """Whether a text is a name even where nothing says so: some words, each with a capital letter but for particles."""
    words = name.split()
    if _HAN.search(name):
        return 1 < len(name) <= 4
    if not 2 <= len(words) <= 5 or any(word.lower() in _NOT_IN_NAMES for word in words):
        return False
    return all(word[0].isupper() or word.lower() in _SMALL for word in words) and words[-1][0].isupper()


_NOT_IN_NAMES = frozenset(
    """the a an our your this that all more how what why when where who best top new free get read view subscribe
    using with without for from to in on at is are was be not and or as if no yes day days price date time rating
    popularity default product products category policy""".split()
)


def is_desk(name: str) -> bool:
    """Whether a name is that of a desk or an office, not of a person."""
    return bool(_DESK.search(name))


def has_date(text: str) -> bool:
    """Whether a byline holds a date as well."""
    return moment(text) is not None
