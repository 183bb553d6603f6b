"""White space: folding it, and leaving out what cannot be seen."""

import re

# Soft hyphens, zero-width spaces and joiners of lines, byte order marks; and control characters.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1b\x7f]")
_NOT_WORDS = re.compile(r"[\W_]+")
# The same, and the letters in lower case, where it is quick.
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_LOWER = bytes(range(256)).lower()


def clean(text: str) -> str:
    """A text without characters that are not to be seen."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)


def fold(text: str) -> str:
    """A text with every run of blanks folded into one space, none at its ends."""
    words = " ".join(text.split())
    # What is not to be seen is not printable either, and that is quickly asked.
    return words if words.isprintable() else " ".join(clean(words).split())


def squeeze(text: str) -> str:
    """The form in which candidates are compared: case folded, without blanks and punctuation."""
    if text.isascii():
        words = text.encode().translate(_ASCII_LOWER, _ASCII_SIGNS).decode()
    else:
        words = _NOT_WORDS.sub("", text.casefold())
    return words or text.casefold().replace(" ", "")
