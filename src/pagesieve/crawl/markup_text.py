"""The plain text of titles and summaries, which feeds write as text, as escaped markup or as either."""

import html
import re

from pagesieve.text.whitespace import fold

_MOST_READ = 20  # characters of markup for one of text

_TAG = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|</?([A-Za-z][\w:-]*)(?:\s[^<>]*|/)?>",
    re.DOTALL | re.IGNORECASE,
)
# Elements that part no words.
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup "
    "tt u var wbr".split()
)


def plain_text(markup: str, longest: int) -> str:
    """Return the text of markup, its blanks folded, cut at a blank where it is longer than `longest`."""
    markup = markup[: longest * _MOST_READ]
    return readable(_TAG.sub(_between, markup) if "<" in markup else markup, longest)


def _between(found: re.Match[str]) -> str:
    return "" if found[2] and found[2].lower() in _INLINE else " "


def readable(text: str, longest: int) -> str:
    """Return a text with its references resolved: many sites escape one once too often."""
    text = text[: longest * _MOST_READ]
    text = fold(html.unescape(text) if "&" in text else text)
    if len(text) <= longest:
        return text
    return text[:longest].rpartition(" ")[0] or text[:longest]
