"""Words of texts in any script."""

import re

# Scripts that write no blanks between words: there every character counts as one.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W{_UNPARTED}]+"
_WORD = re.compile(rf"[{_UNPARTED}]|{_LETTERS}(?:['’]{_LETTERS})*")


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, and each character of a script without blanks."""
    return _WORD.findall(text)
