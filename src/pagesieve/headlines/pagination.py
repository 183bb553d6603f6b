"""The pages that a list goes on in."""

from __future__ import annotations

import re

from pagesieve.headlines.judgement import Target
from pagesieve.headlines.shapes import list_of, page_number
from pagesieve.page.table import Page
from pagesieve.text.urls import absolute, host_of

LONGEST_BUTTON = 30  # characters of "next page"

# What a button to the next page says. Signs and rel="next" come first; the words are for sites that have neither.
_NEXT = re.compile(
    r"^(?:[›»→>⟩▶]+|(?:[›»→>]\s*)?(?:next|older|more recent|load more|weiter|nächste|ältere|suivant|siguiente|"
    r"anteriores|entradas antiguas|próxim|proxim|seguinte|successiv|avanti|volgende|nästa|næste|neste|następn|další|"
    r"следующ|дальше|далее|наступн|sonraki|επόμεν|下一页|下一頁|下页|下頁|次へ|次の|다음|التالي|הבא|अगला|ถัดไป|tiếp|berikut)"
    r"[^.!?]*)$",
    re.IGNORECASE,
)


def pagination(page: Page, targets: dict[str, Target], url: str, base: str) -> tuple[str | None, tuple[str, ...]]:
    """The URL of the next page of a list, where there is one, and those of all its pages that are linked."""
    own = list_of(url)
    numbered = {
        target.url: target.shape.page_number
        for target in targets.values()
        if target.shape.page_number is not None and not target.outside and list_of(target.url) == own
    }
    following = _stated(page, base) or _by_number(numbered, url) or _by_button(targets, url)
    pages = dict.fromkeys((*numbered, *([following] if following else ())))
    return following, tuple(pages)


def _stated(page: Page, base: str) -> str | None:
    """What a `link` or a link with rel="next" names."""
    for row in page.rows("link", "a").tolist():
        rel = page.attribute(row, "rel")
        if rel and "next" in rel.lower().split() and (href := page.attribute(row, "href")):
            return absolute(href, base)
    return None


def _by_number(numbered: dict[str, int], url: str) -> str | None:
    """The page whose number follows this one's; lists that count entries go on by more than one."""
    here = page_number(url)
    later = {number: address for address, number in numbered.items() if number > (here or 0)}
    if here is None and len(later) > 1 and 1 in later:
        del later[1]
    return later[min(later)] if later else None


def _by_button(targets: dict[str, Target], url: str) -> str | None:
    """What a button says."""
    home = host_of(url)
    for target in targets.values():
        if host_of(target.url) == home and not target.is_article:
            for anchor in target.anchors:
                said = anchor.text or (anchor.said[0] if anchor.said else "")
                if 0 < len(said) <= LONGEST_BUTTON and _NEXT.match(said):
                    return target.url
    return None
