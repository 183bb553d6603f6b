"""White space: collapse it, drop invisible characters, and shorten texts."""

from pagesieve.text.invisible import clean
from pagesieve.text.patterns import pattern

_NOT_WORDS = pattern(r"[\W_]+")
# The same, and the letters in lower case, where it is quick.
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_LOWER = bytes(range(256)).lower()


def fold(text: str) -> str:
    """Return a text with every run of blanks collapsed to one space, none at its ends, without invisible characters."""
    if text.isascii() and text.isprintable() and "  " not in text:  # as most are
        return text.strip()
    words = " ".join(text.split())
    cleaned = clean(words)
    return words if cleaned is words else " ".join(cleaned.split())


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer one is cut and ends with an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def squeeze(text: str) -> str:
    """Return the form in which candidates are compared: case folded, without blanks and punctuation."""
    if text.isascii():
        words = text.encode().translate(_ASCII_LOWER, _ASCII_SIGNS).decode()
    else:
        words = _NOT_WORDS.sub("", text.casefold())
    return words or text.casefold().replace(" ", "")
