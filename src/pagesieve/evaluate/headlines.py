"""What may open a text as its headline, and is set aside before bodies are compared."""

import re

from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import html_to_unicode

from pagesieve.evaluate.archives import Gold

# "Headline | Site", "Headline - Site": each part of a <title> may be the headline.
_TITLE_PARTS = re.compile(r"\s+[\-–—»·:]\s+|\s*[|_]\s*")


def headlines_of(gold: Gold, html: bytes) -> list[str]:
    """Give what may open a text as its headline: the gold title, and what the page itself names one.

    It is never an extractor's own title, so the gold body is the same whoever is scored.
    """
    tree = LexborHTMLParser(html_to_unicode(None, html)[1])
    named = [node.text() for node in tree.css("h1")]
    titles = [gold.title or "", *(node.text() for node in tree.css("head title"))]
    return [*named, *titles, *(part for title in titles for part in _TITLE_PARTS.split(title))]
