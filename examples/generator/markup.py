"""Small things every page needs: templates with slots, escaping, relative links, dates in words."""

from __future__ import annotations

import json
import posixpath
import re
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path

PARTS = Path(__file__).parent / "parts"
SLOT = re.compile(r"\{\{([a-z0-9_]+)\}\}")
INLINE = re.compile(r"\[([^\]]+)\]\(([^)]+)\)|\*([^*]+)\*")
ENTITIES = {
    "’": "&#8217;",
    "“": "&ldquo;",
    "”": "&rdquo;",
    "—": "&mdash;",
    "–": "&#x2013;",
    " million": "&nbsp;million",
}


@cache
def part(name: str) -> str:
    """Return a file of the parts folder, without its last newline."""
    return (PARTS / name).read_text(encoding="utf-8").rstrip("\n")


def fill(name: str, /, **slots: object) -> str:
    """Fill the {{slots}} of a part. A slot without a value, or a value without a slot, is an error."""
    template = part(name)
    wanted = set(SLOT.findall(template))
    if wanted != set(slots):
        raise KeyError(f"{name}: slots differ from values: {sorted(wanted ^ set(slots))}")
    return SLOT.sub(lambda match: str(slots[match[1]]), template)


def text(value: str) -> str:
    """Escape text for element content."""
    return escape(value, quote=False)


def attr(value: str) -> str:
    """Escape text for a double-quoted attribute."""
    return escape(value, quote=True)


def named(value: str) -> str:
    """Write typographic characters of escaped text as entities, the way some editors do."""
    for character, entity in ENTITIES.items():
        value = value.replace(character, entity)
    return value


def plain(value: str) -> str:
    """Return what a reader sees of a text with [anchor](target) and *emphasis*."""
    return INLINE.sub(lambda match: match[1] or match[3], value)


def inline(value: str, targets: dict[str, str]) -> str:
    """Escape a text and write its links and emphasis as markup; targets maps article names to links."""

    def write(match: re.Match[str]) -> str:
        if match[3]:
            return f"<em>{match[3]}</em>"
        return f'<a href="{attr(targets.get(match[2], match[2]))}">{match[1]}</a>'

    return INLINE.sub(write, text(value))


def link(source: str, target: str) -> str:
    """Return the relative link from one page of the site to another."""
    return posixpath.relpath(target, posixpath.dirname(source))


def root(source: str, top: str) -> str:
    """Return the prefix that leads from a page to its site's top folder, '' or ending in a slash."""
    up = posixpath.relpath(top, posixpath.dirname(source))
    return "" if up == "." else up + "/"


def data(value: object) -> str:
    """Return JSON that may stand inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


def english_date(moment: datetime) -> str:
    """Return a date as '6 May 2024, 07.40'; strftime would depend on the locale."""
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    return f"{moment.day} {months[moment.month - 1]} {moment.year}, {moment:%H.%M}"


def lines(pieces: list[str]) -> str:
    """Join pieces of markup by newlines, leaving out the empty ones."""
    return "\n".join(piece for piece in pieces if piece)
