"""Words of texts in any script, and boundaries between words without a blank."""

from collections.abc import Collection

from pagesieve.text.numbers import SIGNS, cents_sign
from pagesieve.text.patterns import pattern

# Scripts that write no blanks between words: there every character counts as one.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W{_UNPARTED}]+"
_WORD = pattern(rf"[{_UNPARTED}]|{_LETTERS}(?:['’]{_LETTERS})*")


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, and each character of a script without blanks."""
    return _WORD.findall(text)


# Texts of two elements that touch

_CLOSING = frozenset(")]!?%»”")
_LAST_WORD, _FIRST_WORD = pattern(r"(?<![^\W\d_])[^\W\d_]+\Z"), pattern(r"[^\W\d_]+")
_SUM_BEHIND = pattern(rf"(?<![\d.,{SIGNS}])(?<![{SIGNS}]\s)\d[\d.,]*\s?[{SIGNS}]\Z")  # and none before it
_WITH_CENTS = pattern(rf"[{SIGNS}]\s?\d[\d.,]*[.,]\d\d\Z")  # a sum with its cents,
_MORE_DIGITS = pattern(r"\d\s*\S")  # and another number; a single digit is a tenth of a cent, as in prices of fuel
_ONLY_UNPARTED = pattern(rf"[{_UNPARTED}]")
_NUMBER_IN_BRACKETS = pattern(rf"\([{SIGNS}]?\d")
_COUNTED = pattern(r"\s+[^\W\d_]")  # a word behind a number that may say what it counts
_CENTS = frozenset("cent cents decimal decimals fraction fractional mantissa".split())  # words of classes
_SHORT = 2  # letters behind a number that may be its unit or its ending: "km", "th"


def is_new_field(before: str, after: str, is_whole: bool) -> bool:
    """Whether the second of two adjacent texts of a record, one of them in a separate element, is another field.

    `is_whole`: each is in a separate element. A single letter continues the word, like drop caps and plurals, and a
    short word continues its number: "5km", "4th".
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
    """Whether a currency between two adjacent texts belongs to one of them alone: "£5" and "£6", "now" and "$5"."""
    last, first = before[-1:], after[:1]
    if not last or not first:
        return False
    if last in SIGNS:
        return first.isdigit() and _SUM_BEHIND.search(before) is not None
    if first not in SIGNS:
        return _WITH_CENTS.search(before) is not None and _MORE_DIGITS.match(after) is not None
    rest = after[1:].lstrip()
    if last.isdigit():
        return rest[:1].isdigit()
    return (last.islower() or last in _CLOSING) and (not rest or rest[0].isdigit())


def cents_joint(before: str, behind: str, is_apart: bool, names: Collection[str], classes: Collection[str]) -> str:
    """Return what separates two digits from an adjacent amount: the decimal separator, a blank, or nothing.

    `names` and `classes` belong to the elements around the digits alone. Digits in a link are a note, not cents.
    Neither are digits that count the following word ("$3" and "50 people"), unless the page marks them as cents: small,
    by a class, or next to an amount with a separate currency (`is_apart`).
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
