"""Choose the images of a page to write: those with content, each once, with its real address.

The writers omit icons, emoji, badges, logos, buttons, portraits next to comments, tracking pixels and spacers, and the
second copies of images on pages that load them lazily: for readers without scripts, or for each slide of a gallery.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from pagesieve.page.kernel.tags import TAG_ID, tag_ids
from pagesieve.page.stated import base_url, image_url
from pagesieve.page.table import Page
from pagesieve.text.urls import split_url
from pagesieve.text.whitespace import fold

_NOSCRIPT, _LINK, _BUTTON = TAG_ID["noscript"], TAG_ID["a"], TAG_ID["button"]
_CELLS = tag_ids("td th")
_MIN_ICON_SIZE, _MAX_ICON_SIZE = 2, 40  # pixels: less counts visits; up to the other on both sides is an icon
_NEAR = 3  # levels above an image that are looked at

_NUMBER = re.compile(r"\s*+(\d{1,5})(?:\.\d+)?\s*+(?:px\s*+)?")
_STYLE_SIDE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*(\d{1,5})(?:\.\d+)?px", re.IGNORECASE)
_CLASSES = frozenset(
    "avatar badge badges emoji emojione emoticon favicon gravatar icon icons pixel share sharing smiley smilies social "
    "spacer spinner sprite tracking".split()
)
_CLASS_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
# Names of files and folders that say what an image is for.
_IDLE_NAME = re.compile(
    r"(?:^|/)(?:blank|clear|dot|empty|loader|loading|placeholder|pixel|spacer|spinner|trans|transparent|1x1|px)"
    r"(?:[-_.]\w{1,12})?\.(?:gif|png|svg|webp|jpe?g)$"
    r"|(?:^|/)(?:avatar\w{0,8}|badges?|buttons?|emojis?|emoticons?|favicons?|gravatar|icons?|smileys?|smilies|sprites?)/"
    r"|(?:^|/)(?:icon|ico|share|btn|button)[-_][^/]*$|[-_](?:icon|ico|btn|button|badge|avatar|sprite)\.\w{3,4}$"
    r"|(?:^|/)(?:(?:site|header|footer|main)[-_]?)?logo(?:[-_]\w{1,12})?\.\w{3,4}$",
    re.IGNORECASE,
)
_IDLE_HOST = re.compile(
    r"(?:^|\.)(?:shields\.io|badgen\.net|badge\.fury\.io|travis-ci\.(?:org|com)|codecov\.io|coveralls\.io|gravatar\.com|"
    r"pixel\.wp\.com|doubleclick\.net|scorecardresearch\.com|feeds?burner\.com)$"
)
_SHARING = re.compile(
    r"(?:facebook\.com/(?:sharer|share|dialog)|(?:twitter|x)\.com/(?:intent|share)|linkedin\.com/share|wa\.me/|whatsapp://|"
    r"pinterest\.\w+/pin/create|reddit\.com/submit|t\.me/share|telegram\.me/share|addtoany\.com|plus\.google\.com/share)",
    re.IGNORECASE,
)
# What the addresses of the sizes of one image differ in.
_SIZE = re.compile(r"[-_]\d{2,4}x\d{2,4}(?=\.\w{3,4}$)|-scaled(?=\.\w{3,4}$)|@\dx(?=\.\w{3,4}$)")
_FILE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)$", re.IGNORECASE)


def image_names(page: Page) -> frozenset[str]:
    """Return the names of the images of a page, the same for all sizes of an image."""
    base = base_url(page)
    urls = (image_url(page, row, base) for row in page.rows("img").tolist())
    return frozenset(_without_size(url) for url in urls if url)


class Images:
    """The images of a page to write, each once, in the order of the calls."""

    def __init__(self, page: Page, before: Iterable[str] = ()) -> None:
        self.page = page
        self._written = set(before)
        self._last = 0  # the row of the one written last

    @cached_property
    def _base(self) -> str | None:
        return base_url(self.page)

    def read(self, row: int) -> tuple[str, str] | None:
        """Return the address of an image and its alternative text; None if it is not written."""
        url = image_url(self.page, row, self._base)
        if not url or self._is_idle(row, url) or self._is_copy(row) or self._is_repeated(row, url):
            return None
        self._written.add(_without_size(url))
        self._last = row
        return url, fold(self.page.attribute(row, "alt") or "")

    def _is_idle(self, row: int, url: str) -> bool:
        """Whether an image has no content, judged by its size, name, class and link."""
        sides = self._sides(row)
        if any(side < _MIN_ICON_SIZE for side in sides) or (len(sides) == 2 and max(sides) <= _MAX_ICON_SIZE):
            return True
        address = split_url(url)
        if _IDLE_NAME.search(address.path) or _IDLE_HOST.search(address.hostname or ""):
            return True
        words = _CLASS_WORD.findall((self.page.attribute(row, "class") or "").lower())
        return not _CLASSES.isdisjoint(words) or self._is_button(row)

    def _sides(self, row: int) -> list[int]:
        """Return the width and height in the attributes, in pixels."""
        attributes = self.page.attributes(row)
        sides = dict(_STYLE_SIDE.findall(attributes.get("style", "").lower()))
        for name in ("width", "height"):
            match = _NUMBER.fullmatch(attributes.get(name, ""))
            if match:
                sides.setdefault(name, match[1])
        return [int(side) for side in sides.values()]

    def _is_button(self, row: int) -> bool:
        """Whether an image is a button, or a link that shares the page."""
        above = row
        for _ in range(_NEAR):
            above = int(self.page.parent[above])
            if above <= 0:
                return False
            if self.page.tag[above] == _BUTTON:
                return True
            if self.page.tag[above] == _LINK:
                return bool(_SHARING.search(self.page.attribute(above, "href") or ""))
        return False

    def _is_copy(self, row: int) -> bool:
        """Whether an image and the one before it are one, of which one is for readers without scripts."""
        if not self._last:
            return False
        for image, other in ((row, self._last), (self._last, row)):
            noscript = self._noscript(image)
            if noscript and int(self.page.parent[noscript]) < other < self.page.end[self.page.parent[noscript]]:
                start, stop = sorted((image, other))
                return not self.page.chars[start:stop].any()
        return False

    def _noscript(self, row: int) -> int:
        for _ in range(_NEAR):
            row = int(self.page.parent[row])
            if row <= 0:
                return 0
            if self.page.tag[row] == _NOSCRIPT:
                return row
        return 0

    def _is_repeated(self, row: int, url: str) -> bool:
        """Whether an image occurred before, in any size. In tables an image such as a check mark may be repeated."""
        if _without_size(url) not in self._written:
            return False
        above = row
        while above > 0 and self.page.tag[above] not in _CELLS:
            above = int(self.page.parent[above])
        return above <= 0


def _without_size(url: str) -> str:
    """Return the common part of the addresses of an image in several sizes."""
    address = split_url(url)
    if not _FILE.search(address.path):
        return url
    return f"{address.netloc}{_SIZE.sub('', address.path)}"
