"""The facts of a page: headline, authors, dates, source, language, URL, image, tags.

Each fact has a list of sources, from metadata for machines to visible text. The first source that has the fact
determines it, and `found` names this source; later ones are not read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from pagesieve.facts.authors import (
    HAN,
    byline,
    is_name,
    is_surely_name,
    is_weak,
    labelled,
    marked_authors,
    names_in,
    reporters,
    stated_names,
    surname_last,
)
from pagesieve.facts.dates import TEXT, SeenDates
from pagesieve.facts.fields import OLDER_NAMES, Metadata
from pagesieve.facts.keywords import MAX_LIST_LENGTH, sections, tags
from pagesieve.facts.visible import AUTHOR_LABELS, EDITOR_LABELS, REPORTER_LABELS, SOURCE_LABELS, Visible
from pagesieve.headlines.headline import find_headline
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.linked import LinkedData, Property, breadcrumbs, linked_data, microdata, type_names
from pagesieve.page.stated import address, base_url, canonical_url, html_language, license_links, meta
from pagesieve.page.table import Page
from pagesieve.selection import PostRows
from pagesieve.stages import stage
from pagesieve.text.dates import (
    YEAR,
    day_of,
    days_between,
    has_time,
    parse_datetime,
    same_instant,
    swap_day_month,
    writes_month_first,
)
from pagesieve.text.languages import language_tag, spoken_language
from pagesieve.text.patterns import pattern
from pagesieve.text.urls import safe_url, split_url, web_url
from pagesieve.text.whitespace import fingerprint, fold, squeeze

# The names of each fact in `meta` elements, the most reliable first.
_PUBLISHED = (
    *("article:published_time", "og:article:published_time", "og:published_time", "article:published"),
    *("datePublished", "parsely-pub-date", "sailthru.date", "cXenseParse:recs:publishtime"),
    *("shareaholic:article_published_time", "citation_publication_date", "citation_online_date", "citation_date"),
    *("prism.publicationDate", "DC.date.issued", "dcterms.issued", "DC.date.created", "dcterms.created", "DC.date"),
    *("dcterms.date", "DC.created", "pubdate", "publish-date", "publication_date", "published-date", "published_time"),
    *("published_at", "publishtime", "published", "w-published-date", "article_date_original"),
    *("originalpublicationdate", "rnews:datePublished", "bt:pubDate", "vr:published_time", "weibo:article:create_at"),
    *("apub:time", "mediator_published_time", "iso-8601-publish-date", "displaydate", "ptime", "cdate"),
    *("creation_date", "dateCreated", "article.created", "created", "blog-publish-time", "first-published"),
    *("date", "ms.date", "timestamp"),
)
_MODIFIED = (
    *("article:modified_time", "og:article:modified_time", "og:updated_time", "article:updated_time", "dateModified"),
    *("modified-date", "dcterms.modified", "DC.date.modified", "DC.modified", "lastmod", "last-modified", "revised"),
    *("weibo:article:update_at", "shareaholic:article_modified_time", "article.updated", "modified", "modified_time"),
    *("updated", "updated_time", "moddate"),
)
_AUTHORS = (
    *("author", "article:author", "og:article:author", "article:author_name", "parsely-author", "sailthru.author"),
    *(
        "citation_author",
        "citation_authors",
        "byl",
        "byline",
        "author_name",
        "authors",
        "DC.creator",
        "dcterms.creator",
    ),
    *("cXenseParse:author", "shareaholic:article_author_name", "mediator_author", "rbauthors", "bt:author", "creator"),
    *("DC.contributor", "lp.article:author", "og:author", "dable:author", "nrbi:author"),
)
_SURNAME_FIRST = ("citation_author", "citation_authors", "DC.creator", "dcterms.creator", "DC.contributor")
_LABELLED = (
    ("twitter:label1", "twitter:data1"),
    ("twitter:label2", "twitter:data2"),
)  # the name of a fact, and the fact
_SITES = ("og:site_name", "citation_journal_title", "DC.publisher", "dcterms.publisher", "application-name")
_IMAGES = (
    *("og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url"),
    "image",
)
_TAGS = ("article:tag", "news_keywords", "keywords", "parsely-tags", "sailthru.tags", "citation_keywords", "DC.subject")
_DESCRIPTIONS = ("description", "og:description", "twitter:description", "DC.description", "dcterms.description")
_SECTIONS = (
    "article:section",
    "og:article:section",
    "parsely-section",
    "sailthru.section",
    "DC.type.section",
    "section",
)
_LICENSES = ("license", "dcterms.license", "DC.rights.license", "cc:license")
_RIGHTS = ("DC.rights", "dcterms.rights", "rights", "copyright")  # may name a licence
_LANGUAGES = ("og:locale", "content-language", "DC.language", "language", "citation_language")

_MAX_TEXT_LENGTH = 4000  # characters of a description
_MAX_MARKED = 4  # authors in microdata; more show a list
_MAX_BYLINES = 3  # visible bylines that are compared with the stated authors
_SURNAME = 6  # letters at the end of a name that identify a person
_LONG_NAME = 15  # characters
_MAX_FULL_NAME_LENGTH = 3  # words
_MAX_BEGINNING = 4000  # bytes
_CORRECTED = 2  # days in which a change is a correction; later, the article is published anew

_WRITTEN_BY = pattern(
    r"written|author|by\b|verfasst|geschrieben|écrit|escrito|scritto|geschreven|автор|作者|yazar|skrev", re.I
)
# The separators before another name; there may be none between two elements.
_ANOTHER = pattern(r"(?:(?<!\s)\s+)?(?:[,;&|/]|(?i:and|und|et|y|e|och|og|en|mit|with)\s)\s*[^\W\d_]|[A-ZÀ-Þ]")
_BY_PROFILE = "href of an element"  # the least reliable source: the link may lead to a person in the news
_NOT_OF_SOURCE = pattern(r"[\s,，;；]|\d{4}[-年/]")  # ends the name of a source
_MARKUP = pattern(r"</?[a-zA-Z][^<>]*>")
# An unfilled template.
_UNFILLED = pattern(r"\W*(?:null|undefined|none|description|n/a)\W*$", re.I)
_TEMPLATE_SIGNS = ("{{", "%%", "${", "<?")
_MAX_LICENSE_LENGTH = 100  # characters of the name of a licence
_FREE_URL = pattern(r"https?://creativecommons\.org/[\w./-]*\w/?")
_FREE = pattern(r"creative commons|\bCC[ -](?:BY|0)", re.I)
_HOMES = frozenset(
    """home homepage startseite accueil inicio início principal start főoldal stronagłówna hjem etusivu forside index
    главная 首页 首頁 ホーム トップ 홈 beranda anasayfa trangchủ""".split()
)
_SHORT_TITLE = 12  # characters that the name of a section may share with a headline
_URL_DATE = pattern(rf"(?<!\d)({YEAR})([-/_.]?)(0[1-9]|1[0-2]|[1-9](?=\D))\2(0[1-9]|[12]\d|3[01]|[1-9])(?!\d)")


@stage("facts")
def metadata(
    page: Page,
    external: Iterable[str] = (),
    title: str | None = None,
    text: Callable[[], str] | None = None,
    first_post: PostRows | None = None,
) -> Metadata:
    """Return the facts of a page, with `title` as its headline, which is found if it is None.

    `external` has the titles that other pages give this one. `text` returns the text of the article; without it, facts
    that need the text are missing. `first_post` is the first post of a thread.
    """
    headline = find_headline(page, external) if title is None else title
    return _Facts(page, headline, text, first_post).all()


class _Facts:
    """The facts of one page. Each is found on first use."""

    def __init__(
        self, page: Page, title: str, text: Callable[[], str] | None = None, first_post: PostRows | None = None
    ) -> None:
        self.page, self.title, self._text, self.first_post = page, title, text, first_post
        self.key = squeeze(title)  # for comparing other texts with the headline
        self.meta, self.root_language = meta(page), html_language(page)

    def all(self) -> Metadata:
        """Return all facts and their sources."""
        found: dict[str, str] = {}
        values: dict[str, Any] = {}
        for name, finder in _FINDERS.items():
            value, where = next(finder(self), (None, ""))
            if value is not None:
                values[name], found[name] = value, where
        for older, name in OLDER_NAMES.items():
            if name in values:
                values[older], found[older] = values[name], found[name]
        if "author" in values:
            values["author"] = ", ".join(values["author"])
        return Metadata(**values, found=found)

    @lazy
    def text(self) -> str:
        """The text of the article, or an empty string if it is not known."""
        return self._text() if self._text is not None else ""

    @lazy
    def linked(self) -> LinkedData:
        return linked_data(self.page, self.title)

    @lazy
    def properties(self) -> list[Property]:
        return microdata(self.page)

    @lazy
    def visible(self) -> Visible:
        return Visible(self.page, self.title)

    @lazy
    def dates(self) -> SeenDates:
        return SeenDates(
            self.visible, "zh" if self.is_han and not self.root_language else self.root_language, self.month_first
        )

    @lazy
    def url(self) -> str:
        return address(self.page) or ""

    @lazy
    def host(self) -> str:
        return split_url(self.url).hostname or ""

    @lazy
    def month_first(self) -> bool | None:
        """Whether dates of the page have the month before the day, or None if that is unknown."""
        return writes_month_first(self.root_language, self.host)

    @lazy
    def is_han(self) -> bool:
        """Whether the headline or the beginning of the page is in Chinese, Japanese or Korean."""
        if self.root_language[:2].lower() in ("zh", "ja", "ko"):
            return True
        return bool(HAN.search(self.title or self.page.text_buffer[:_MAX_BEGINNING].decode("utf-8", "ignore")))

    # One method for each fact, which yields values and their sources, the most reliable source first.

    def authors(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield people first, then editorial desks, login names, and sites with the name of a person.

        The author of the first post of a thread comes last.
        """
        weak: list[tuple[tuple[str, ...], str]] = []
        for names, where in self._authors():
            people = [name for name in names if not is_weak(name) and not self._is_site(name)]
            if people and not (weak and where == _BY_PROFILE):
                yield tuple(self._all_authors(people, where)), where
            elif others := tuple(name for name in names if self._may_write(name)):
                weak.append((others, where))
        yield from weak[:1]
        if self.first_post is not None and self.first_post.author:
            yield (self.first_post.author,), "first post"

    def _may_write(self, name: str) -> bool:
        """Whether the name of a desk, a user or the site may be an author."""
        if not self._is_site(name):
            return True
        return not is_weak(name) and is_surely_name(name.title()) and len(name.split()) <= _MAX_FULL_NAME_LENGTH

    def _all_authors(self, names: list[str], where: str) -> list[str]:
        """Return the stated authors, or all names in the visible byline if it includes the stated ones."""
        if not where.startswith(("JSON-LD", "meta", "microdata")) or not self.visible.goes_on(names[-1], _ANOTHER):
            return names
        keys = [squeeze(name) for name in names]
        for seen, _, is_sure in islice(marked_authors(self.visible), _MAX_BYLINES):
            shown = [squeeze(name) for name in seen]
            if is_sure and len(seen) > len(names) and all(any(key in each for each in shown) for key in keys):
                pairs = zip(seen, shown, strict=True)
                return names + [name for name, key in pairs if self._is_another(name, key, keys)]
        return names

    def _is_another(self, name: str, key: str, keys: list[str]) -> bool:
        """Whether a name in a byline is an additional person."""
        is_new = not any(known in key or key in known or key.endswith(known[-_SURNAME:]) for known in keys)
        return is_new and is_surely_name(name) and not is_weak(name) and not self._is_site(name)

    def _authors(self) -> Iterator[tuple[list[str], str]]:
        """Yield every byline, the most reliable first; organisations that JSON-LD names as author come last."""
        groups: list[str] = []
        for value in self.linked.values("author"):
            names = self.linked.names(value)
            groups += [fold(html.unescape(name)) for name, is_group in names if is_group]
            people = [each for name, is_group in names if not is_group for each in self._names(html.unescape(name))]
            yield list(dict.fromkeys(people)), "JSON-LD author"
        yield from self._meta_authors(groups)
        marked = dict.fromkeys(each.value for each in self.properties if each.name in ("author", "creator"))
        if len(marked) <= _MAX_MARKED:
            yield list(dict.fromkeys(name for value in marked for name in names_in(value))), "microdata author"
        yield from ((names, f"{where} of an element") for names, where, _ in marked_authors(self.visible))
        if self.is_han:
            yield from self._labelled_authors()
        yield byline(self.visible), "text"
        # A single word is a company, which is not an author.
        yield [name for name in groups if is_name(name) and " " in name and not self._is_site(name)], "JSON-LD author"

    def _meta_authors(self, groups: list[str]) -> Iterator[tuple[list[str], str]]:
        """Yield the authors that `meta` elements name."""
        for name, values in self.meta.values(*_AUTHORS, folded=False):
            texts = map(surname_last, values) if name in _SURNAME_FIRST else values
            names = [each for value in texts for each in self._names(value)]
            yield list(dict.fromkeys(each for each in names if each not in groups)), f"meta {name}"
        for label, fact in _LABELLED:
            if any(_WRITTEN_BY.search(text) for _, text in self.meta.firsts(label)):
                yield from ((names_in(text), f"meta {fact}") for _, text in self.meta.firsts(fact))

    def _names(self, text: str) -> list[str]:
        """Return the names in a stated byline, or none if it repeats the headline."""
        return [] if len(text) > _LONG_NAME and squeeze(text) == self.key else stated_names(text)

    def _labelled_authors(self) -> Iterator[tuple[list[str], str]]:
        """Yield the authors after a label in the text, editors last."""
        labels = self.visible.labels
        for label in filter(labels.__contains__, AUTHOR_LABELS):
            yield names_in(labelled(self.visible, label)), f"text {label}"
        if not labels.isdisjoint(REPORTER_LABELS):
            yield names_in(reporters(self.visible)), "text 记者"
        for label in filter(labels.__contains__, EDITOR_LABELS):
            yield names_in(labelled(self.visible, label)), f"text {label}"

    def _is_site(self, name: str) -> bool:
        """Whether a name is the name of the site."""
        key, (sites, host) = squeeze(name), self._site_names
        return key in sites or (len(key) > 2 and host.startswith(key)) or key == host

    @lazy
    def _site_names(self) -> tuple[list[str], str]:
        """The names of the site and its host, in the form for comparisons."""
        sites = [squeeze(each) for _, values in self.meta.values(*_SITES) for each in values]
        return sites, squeeze(self.host.removeprefix("www."))

    def published(self) -> Iterator[tuple[str, str]]:
        """Yield the date of publication: stated, visible, or else the date of a change.

        A thread shows the dates of all its posts; the date of the first one counts.
        """
        if self.first_post is not None and self.first_post.date:
            yield from self._stated_dates()
            yield self.first_post.date, "first post"
        yield from (self._as_shown(at, where) for at, where in self._stated_dates())
        yield from self._seen_dates(changed=False)
        yield from self.modified()
        yield from self._seen_dates(changed=True)

    def _stated_dates(self) -> Iterator[tuple[str, str]]:
        """Yield the dates of publication in metadata."""
        for name in ("datePublished", "dateCreated", "uploadDate"):
            if texts := self.linked.strings(name):
                yield from self._dates(texts, f"JSON-LD {name}")
        for name, values in self.meta.values(*_PUBLISHED):
            yield from self._dates(values, f"meta {name}")
        for each in self.properties:
            if each.name in ("datepublished", "datecreated"):
                yield from self._dates([each.value], "microdata datePublished")

    def _as_shown(self, at: str, where: str) -> tuple[str, str]:
        """Return a stated date, or the date beneath the headline if it differs.

        Many sites state the day on which they built their pages or wrote the first draft, and state it in UTC. The
        visible date is the date of publication.
        """
        lines = self.dates.datelines
        changes = {day_of(each) for each, changed, _ in lines if changed}
        shown = [(each, place) for each, _, place in lines if day_of(each) not in changes]
        if any(day_of(each) in (day_of(at), swap_day_month(at)) for each, _ in shown):
            return at, where
        local = [(each, place) for each, _, place in lines if place != TEXT or has_time(each)]
        for one in local:
            if same_instant(one[0], at):
                return one
        # An article is not changed before its publication.
        shown = shown or [(each, place) for each, _, place in lines if each < day_of(at)]
        is_one = len({day_of(each) for each, _ in shown}) == 1
        return shown[0] if is_one and self._may_be_first(*shown[0], at) else (at, where)

    def _may_be_first(self, shown: str, place: str, at: str) -> bool:
        """Whether a visible date can be the date of publication although the page states another one."""
        if shown < at:
            return True
        changed = next(self._stated_changes(), ("", ""))[0]
        return place != TEXT and day_of(shown) <= day_of(changed) and days_between(shown, at) > _CORRECTED

    def _seen_dates(self, *, changed: bool) -> Iterator[tuple[str, str]]:
        """Yield the visible dates, of publication or of a change."""
        dates = self.dates
        yield from ((at, "time element") for at, is_change in dates.times(near=True) if is_change == changed)
        yield from ((at, "class of an element") for at, is_change in dates.marked() if is_change == changed)
        if not changed:
            yield from self._url_dates()
        yield from ((at, "text") for at, is_change, _ in dates.texts if is_change == changed)
        yield from ((at, "time element") for at, is_change in dates.times(near=False) if is_change == changed)
        yield from ((at, "text") for at, is_change in dates.lines() if is_change == changed)
        yield from ((at, "text") for at, is_change in dates.labelled() if is_change == changed)
        yield from ((at, "text") for at, is_change in dates.lone() if is_change == changed)

    def _url_dates(self) -> Iterator[tuple[str, str]]:
        """Yield the day in the page's URL."""
        found = _URL_DATE.search(self.url)
        return self._dates([f"{found[1]}-{found[3]}-{found[4]}"] if found else [], "URL")

    def modified(self) -> Iterator[tuple[str, str]]:
        """Yield the date of the last change."""
        yield from self._stated_changes()
        yield from ((at, "time element") for at, changed in self.dates.times(near=True) if changed)
        yield from ((at, "text") for at, changed, _ in self.dates.texts if changed)

    def _stated_changes(self) -> Iterator[tuple[str, str]]:
        """Yield the dates of changes in metadata."""
        yield from self._dates(self.linked.strings("dateModified"), "JSON-LD dateModified")
        for name, values in self.meta.values(*_MODIFIED):
            yield from self._dates(values, f"meta {name}")
        for each in self.properties:
            if each.name == "datemodified":
                yield from self._dates([each.value], "microdata dateModified")

    def _dates(self, texts: Iterable[str], where: str) -> Iterator[tuple[str, str]]:
        """Yield the texts that are dates, with their source."""
        return ((at, where) for text in texts if (at := parse_datetime(text, month_first=self.month_first)))

    def sitename(self) -> Iterator[tuple[str, str]]:
        """Yield the name of the site or paper."""
        yield from ((text, where) for text, where in self._first(_SITES[:1]) if "://" not in text)
        for value in self.linked.values("publisher"):
            yield from ((fold(html.unescape(name)), "JSON-LD publisher") for name, _ in self.linked.names(value)[:1])
        yield from self._first(_SITES[1:])
        if self.is_han:
            for label in filter(self.visible.labels.__contains__, SOURCE_LABELS):
                text = _NOT_OF_SOURCE.split(labelled(self.visible, label))[0]
                if text:
                    yield text, f"text {label}"

    def _first(self, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the first value of each `meta` name."""
        return ((text, f"meta {name}") for name, text in self.meta.firsts(*names))

    def language(self) -> Iterator[tuple[str, str]]:
        """Yield the language: the declared one, or that of the text if none is declared or the text contradicts it."""
        declared = next(self._declared_languages(), None)
        if self.text and (spoken := spoken_language(self.text, declared and declared[0])):
            yield spoken, "text"
        if declared is not None:
            yield declared

    def _declared_languages(self) -> Iterator[tuple[str, str]]:
        """Yield the languages that the page declares."""
        stated = [(self.root_language, "html lang")] if self.root_language else []
        linked = ((text, "JSON-LD inLanguage") for text in self.linked.strings("inLanguage"))
        for text, where in chain(stated, linked, self._first(_LANGUAGES)):
            if tag := language_tag(text):
                yield tag, where

    def headline(self) -> Iterator[tuple[str, str]]:
        """Yield the headline, whose source is not known."""
        if self.title:
            row = self.visible.headline
            is_shown = row > 0 and squeeze(self.visible.text_below(row)) == self.key
            row = row if self.page.tag_name(row) != "#text" else int(self.page.parent[row])
            yield self.title, self.page.tag_name(row) if is_shown else "title"

    def address(self) -> Iterator[tuple[str, str]]:
        """Yield the URL with which the page was read, or the address that the page states as its own."""
        if self.page.url:
            yield self.page.url, "given"
        yield from ((url, where) for url, where in self._canonical if url == self.url)

    def hostname(self) -> Iterator[tuple[str, str]]:
        """Yield the host of the address."""
        for url, where in self.address():
            if host := (self.host if url == self.url else split_url(url).hostname):
                yield host.removeprefix("www."), where

    def canonical(self) -> Iterator[tuple[str, str]]:
        """Yield the URLs that the page states as its own; those that cannot be made absolute come last."""
        return iter(self._canonical)

    @lazy
    def _canonical(self) -> list[tuple[str, str]]:
        stated = [(canonical_url(self.page) or "", "link canonical"), *self._first(("og:url",))]
        found = [(self._absolute(url), where) for url, where in stated if url]
        of_web = [(web, where) for url, where in found if (web := web_url(url))]
        return of_web + [(url, where) for url, where in found if url and "://" not in url]

    def description(self) -> Iterator[tuple[str, str]]:
        """Yield the summary that the page states."""
        stated = (
            (values, f"meta {name}") for name, values in self.meta.values(*_DESCRIPTIONS, longest=_MAX_TEXT_LENGTH)
        )
        linked = (([html.unescape(text)], "JSON-LD description") for text in self.linked.strings("description"))
        for values, where in chain(stated, linked):
            found = (fold(_MARKUP.sub(" ", text)) if "<" in text else text for text in values)
            yield from ((text, where) for text in found if len(text) > 1 and not _is_unfilled(text))

    def categories(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the sections of the site to which the page belongs."""
        for name, values in self.meta.values(*_SECTIONS):
            yield from _some(sections(values), f"meta {name}")
        for value in self.linked.values("articleSection"):
            names = [html.unescape(name) for name, _ in self.linked.names(value)]
            yield from _some(sections(names), "JSON-LD articleSection")
        trail = [name for name in breadcrumbs(self.page) if not self._is_no_section(squeeze(name))]
        yield from _some(sections(trail), "JSON-LD BreadcrumbList")

    def _is_no_section(self, key: str) -> bool:
        """Whether a squeezed name in a breadcrumb trail is the name of the site or of the page itself."""
        if key in self._no_sections or (len(key) > _SHORT_TITLE and key in self.key):
            return True
        return any(site and key.startswith(site) for site in self._site_names[0])

    @lazy
    def _no_sections(self) -> frozenset[str]:
        """The squeezed names of the site, its home page and the page itself."""
        sites, host = self._site_names
        return frozenset((*_HOMES, *sites, host, self.key))

    def license(self) -> Iterator[tuple[str, str]]:
        """Yield the licence of the content."""
        for row, name in license_links(self.page):
            if url := self._absolute(self.page.attribute(row, "href") or ""):
                yield url, f"{name} license"
        yield from self._first(_LICENSES)
        yield from ((text, "JSON-LD license") for text in self.linked.strings("license"))
        for text, where in self._first(_RIGHTS):
            if found := _FREE_URL.search(text):
                yield found[0], where
            elif len(text) <= _MAX_LICENSE_LENGTH and _FREE.search(text):
                yield text, where

    def page_type(self) -> Iterator[tuple[str, str]]:
        """Yield the type of the page."""
        stated = ((text.lower(), where) for text, where in self._first(("og:type",)))
        yield from ((text, where) for text, where in stated if " " not in text)
        for _, thing in self.linked.things[:1]:
            yield from ((name, "JSON-LD @type") for name in type_names(thing)[:1])

    def fingerprint(self) -> Iterator[tuple[str, str]]:
        """Yield the digest of the text."""
        if self.text:
            yield fingerprint(self.text), "text"

    def image(self) -> Iterator[tuple[str, str]]:
        """Yield the URL of the lead image."""
        found = ((self._absolute(text), where) for text, where in self._first(_IMAGES))
        yield from ((url, where) for url, where in found if url)
        for value in self.linked.values("image"):
            one = value[0] if isinstance(value, list) and value else value
            one = one.get("url") if isinstance(one, dict) else one
            if isinstance(one, str) and (url := self._absolute(one)):
                yield url, "JSON-LD image"

    def _absolute(self, url: str) -> str:
        """Return a URL as absolute, or an empty string if it is not safe to write."""
        if "://" in url[:8]:
            return safe_url(url, None)
        found = safe_url(url, base_url(self.page))
        return f"https:{found}" if found.startswith("//") else found

    def tags(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the tags of each source that has some."""
        for value in self.linked.values("keywords"):
            names = [html.unescape(name) for name, _ in self.linked.names(value)]
            yield from _some(tags(names, self.title), "JSON-LD keywords")
        for name, values in self.meta.values(*_TAGS, longest=MAX_LIST_LENGTH):
            yield from _some(tags(values, self.title), f"meta {name}")


_FINDERS: dict[str, Callable[[_Facts], Iterator[tuple[Any, str]]]] = {
    "url": _Facts.address,
    "title": _Facts.headline,
    "authors": _Facts.authors,
    "published": _Facts.published,
    "modified": _Facts.modified,
    "sitename": _Facts.sitename,
    "hostname": _Facts.hostname,
    "language": _Facts.language,
    "description": _Facts.description,
    "canonical": _Facts.canonical,
    "image": _Facts.image,
    "categories": _Facts.categories,
    "tags": _Facts.tags,
    "license": _Facts.license,
    "page_type": _Facts.page_type,
    "fingerprint": _Facts.fingerprint,
}


def _is_unfilled(text: str) -> bool:
    """Whether a text is an unfilled template."""
    return any(sign in text for sign in _TEMPLATE_SIGNS) or _UNFILLED.match(text) is not None


def _some(found: tuple[str, ...], where: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield a list and its source, unless the list is empty."""
    if found:
        yield found, where
