"""Words of texts in any script, and where one ends although no blank follows."""

import re
from collections.abc import Collection

from pagesieve.text.numbers import SIGNS, cents_sign

# Scripts that write no blanks between words: there every character counts as one.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W{_UNPARTED}]+"
_WORD = re.compile(rf"[{_UNPARTED}]|{_LETTERS}(?:['’]{_LETTERS})*")


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, and each character of a script without blanks."""
    return _WORD.findall(text)


# Texts of two elements that touch

_CLOSING = frozenset(")]!?%»”")
_LAST_WORD, _FIRST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+\Z"), re.compile(r"[^\W\d_]+")
_SUM_BEHIND = re.compile(rf"(?<![\d.,{SIGNS}])(?<![{SIGNS}]\s)\d[\d.,]*\s?[{SIGNS}]\Z")  # and none before it
_ONLY_UNPARTED = re.compile(rf"[{_UNPARTED}]")
_NUMBER_IN_BRACKETS = re.compile(rf"\([{SIGNS}]?\d")
_COUNTED = re.compile(r"\s+[^\W\d_]")  # a word behind a number that may say what it counts
_CENTS = frozenset("cent cents decimal decimals fraction fractional mantissa".split())  # words of classes
_SHORT = 2  # letters behind a number that may be its unit or its ending: "km", "th"


def is_new_field(before: str, after: str, is_whole: bool) -> bool:
    """Whether the second of two texts of a record that touch, one in an element of its own, is another field.

    `is_whole`: each is in one of its own. A letter alone goes on with the word, as drop caps and plurals do, and a
    short word goes on with its number: "5km", "4th".
    """
    last, first = before[-1:], after[:1]
    if first == "(":
        return last.isalnum() and _NUMBER_IN_BRACKETS.match(after) is not None
    if not first.isalnum() or last in SIGNS:
        return is_new_sum(before, after)
    if _ONLY_UNPARTED.match(first) or _ONLY_UNPARTED.match(last):
        return False
    if first.isdigit():
        return last.isalpha() or (is_whole and last.isdigit()) or last in _CLOSING
    head, tail = _LAST_WORD.search(before), _FIRST_WORD.match(after)
    length = len(tail[0]) if tail else 0
    if last.isdigit():
        return length > _SHORT or (first.isupper() and length == _SHORT)
    if last in _CLOSING:
        return first.isupper() or is_whole or (last == "%" and length > _SHORT)
    if head is None or len(head[0]) == 1:
        return False
    if first.isupper():  # capitals behind capitals may be one word in several colours
        return last.islower() or after[1:2].islower()
    return is_whole and length > 1


def is_new_sum(before: str, after: str) -> bool:
    """Whether a currency between two texts that touch belongs to one of them alone: "£5" and "£6", "now" and "$5"."""
    last, first = before[-1:], after[:1]
    if not last or not first:
        return False
    if last in SIGNS:
        return first.isdigit() and _SUM_BEHIND.search(before) is not None
    if first not in SIGNS:
        return False
    rest = after[1:].lstrip()
    if last.isdigit():
        return rest[:1].isdigit()
    return (last.islower() or last in _CLOSING) and (not rest or rest[0].isdigit())


def cents_joint(before: str, behind: str, is_apart: bool, names: Collection[str], classes: Collection[str]) -> str:
    """Return what parts two digits from an amount that they touch: the sign of cents, a blank, or nothing.

    `names` and `classes` are those of the elements around the digits alone. A link is a note and no cents. Digits that
    count what follows them ("$3" and "50 people") are none either, unless the page sets them as cents: small, by a
    class, or beside an amount whose currency stands apart from it (`is_apart`).
    """
    words_of_classes = {word for name in classes for word in name.lower().replace("_", "-").split("-")}
    is_named = not _CENTS.isdisjoint(words_of_classes)
    sign = cents_sign(before, behind, is_named)
    if not sign:
        return ""
    if "a" in names:
        return " "
    is_set = is_named or is_apart or "sup" in names or "small" in names
    if is_set or not _COUNTED.match(behind) or cents_sign("0", behind, False):  # "0": whether a currency is behind
        return sign
    return " "
