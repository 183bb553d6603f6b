"""White space and invisible characters: collapse or remove them, shorten texts, and compare texts without them.

Invisible are control and format characters, tags and selectors. They can carry words that only a program reads, reverse
the order in which a text is shown, or split a word so that a search fails. Most are dropped everywhere. Some are kept
where a script or an emoji needs them: joiners after letters that join, one variation selector after a character that
has variants, the tags of a flag. The marks U+200E, U+200F and U+061C are kept everywhere: they affect a single place
and cannot reverse the rest of a line.
"""

import re

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


_SPACES = "\x0b\x0c\x1c-\x1f\x85\u2061"  # control characters that part words, as for Python; "f applied to x"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MONGOLIAN = "\u180b-\u180f"  # selectors, and a vowel separator
_DROPPED = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # control characters
    "\xad\u200b\u2060\u2062-\u206f\ufeff"  # soft hyphens, spaces and signs without width, isolates, byte order marks
    "\u202a-\u202e"  # embeddings and overrides of the direction of a text
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters and marks without a shape
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags, the other selectors, and what may come to be like them
)
# Letters whose shape depends on joiners: Arabic, Syriac, N'Ko and others, those of India and around, Khmer, Mongolian.
_JOINING = (
    "\u0600-\u085f\u0860-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1810-\u18af\u1a00-\u1aaf"
    "\u1b00-\u1c4f\ua800-\ua82f\ua840-\ua8df\ua980-\ua9df\uaa00-\uaa7f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010a5f\U00010ac0-\U00010aff\U00010d00-\U00010d3f\U00011000-\U00011fff"
)
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_IDEOGRAPHS = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# What has variants that the selectors up to U+FE0F choose.
_VARYING = (
    "#*0-9\u00a9\u00ae\u1000-\u109f\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\u3163\u3165-\ud7ff\uf900-\ufaff"
    "\uff01-\uff9f\U00010000-\U0001bc9f\U0001bcb0-\U0001d172\U0001d180-\U0003ffff"
)

_SUSPECTS = pattern(f"[{_SPACES}{_JOINERS}{_SELECTORS}{_MONGOLIAN}{_DROPPED}]")
_STARTS = pattern(f"[\U0001f3f4{_SPACES}{_JOINERS}{_SELECTORS}{_MONGOLIAN}{_DROPPED}]")
# What is kept is the group; what matches without one is dropped.
_PIECES = pattern(
    "|".join(
        (
            "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)",  # the flag of a region
            f"(?<=[{_EMOJI}])(\ufe0f?\u200d)(?=[{_EMOJI}])",
            f"(?:(?<=[{_JOINING}])|\\A(?=[{_JOINERS}][{_JOINING}]))([{_JOINERS}])[{_JOINERS}]*",
            f"(?<=[{_VARYING}])([\ufe00-\ufe0f])[{_SELECTORS}]*",
            f"(?<=[{_IDEOGRAPHS}])([\U000e0100-\U000e01ef])[{_SELECTORS}]*",
            f"(?<=[\u1820-\u18aa])([{_MONGOLIAN}])[{_MONGOLIAN}]*",
            "(\u115f(?=[\u1161-\u11a7])|(?<=[\u1100-\u115e])\u1160)",
            f"([{_SPACES}])",
            f"[{_JOINERS}{_SELECTORS}{_MONGOLIAN}{_DROPPED}]",
        )
    )
)
_SPACE_GROUP = 8
# Control characters that a page has by mistake for those of Windows: quotation marks and dashes, as browsers read them
# where they are written as numbers.
_WINDOWS = {chr(code): shown for code in range(0x80, 0xA0) if (shown := bytes([code]).decode("cp1252", "ignore"))}


def clean(text: str) -> str:
    """Return a text without invisible characters.

    Control characters that separate words become spaces, and those that stand for Windows characters become these.
    """
    if (text.isascii() and text.isprintable()) or not _SUSPECTS.search(text):
        return text
    pieces, at = [], 0
    for suspect in _STARTS.finditer(
        text
    ):  # the positions where a piece may begin: far faster than trying every character
        if suspect.start() >= at and (match := _PIECES.match(text, suspect.start())):
            pieces += [text[at : match.start()], _replacement(match)]
            at = match.end()
    return "".join((*pieces, text[at:]))


def _replacement(match: re.Match[str]) -> str:
    group = match.lastindex
    if group is None:
        return _WINDOWS.get(match[0], "")
    return " " if group == _SPACE_GROUP else match[group]


# Fingerprints, to detect exact duplicates

_BYTES = 16  # of a digest: two different texts in 2 ** 64 have the same


def fingerprint(text: str) -> str:
    """Return the digest of a text, ignoring blanks, ASCII punctuation and the case of ASCII letters."""
    import hashlib

    squeezed = text.encode("utf-8", "replace").translate(_ASCII_LOWER, _ASCII_SIGNS)
    return hashlib.blake2b(squeezed, digest_size=_BYTES).hexdigest()
