"""White space: folding it, leaving out what cannot be seen, and cutting texts short."""

import re

from pagesieve.text.invisible import clean

_NOT_WORDS = re.compile(r"[\W_]+")
# The same, and the letters in lower case, where it is quick.
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_LOWER = bytes(range(256)).lower()


def fold(text: str) -> str:
    """A text with every run of blanks folded into one space, none at its ends, without what cannot be seen."""
    words = " ".join(text.split())
    cleaned = clean(words)
    return words if cleaned is words else " ".join(cleaned.split())


def cut(text: str, most: int) -> str:
    """A text of so many characters at most: a longer one ends with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def squeeze(text: str) -> str:
    """The form in which candidates are compared: case folded, without blanks and punctuation."""
    if text.isascii():
        words = text.encode().translate(_ASCII_LOWER, _ASCII_SIGNS).decode()
    else:
        words = _NOT_WORDS.sub("", text.casefold())
    return words or text.casefold().replace(" ", "")
