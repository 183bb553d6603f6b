"""Compare one output with one answer: words, shingles, snippets, title.

Texts are folded first (compatibility forms, case, invisible characters), and only bodies are compared: a headline at
the start of a text is removed, by the same headlines on both sides.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rapidfuzz.distance import LCSseq

K = TypeVar("K", bound=Hashable)

SHINGLE_TOKENS = 4

# A page may put its whole text into an <h1>; that is not a headline.
MAX_HEADLINE_TOKENS = 80

# A shorter headline must fill its line: "Apple" may as well be the first word of the body.
LOOSE_HEADLINE_TOKENS = 4

# Han and kana are written without blanks, so each character counts as a word. Hangul has blanks.
_BY_CHARACTER = "々-〇ぁ-ゖゝ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-龎\U00020000-\U0003ffff"
# Characters inside words that Python's \w does not match (accents, Hebrew, Arabic, Indic, Thai).
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    "\u0900-\u0963\u0971-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e"
)
_LETTER = f"[^\\W_{_BY_CHARACTER}]"
_TOKEN = re.compile(f"[{_BY_CHARACTER}]|{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_BLANKS = re.compile(r"\s+")
_NOT_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and F1 of one multiset against another."""

    precision: float
    recall: float
    f1: float


def fold(text: str) -> str:
    """Return the form in which texts are compared."""
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()


def tokens(text: str) -> list[str]:
    """Split a text into folded words; Han and kana into characters."""
    return _TOKEN.findall(fold(text))


def body_tokens(text: str, headlines: Iterable[Sequence[str]]) -> list[str]:
    """Return the tokens of a text without the longest of the headlines (given as tokens) that it starts with.

    A text that is a headline and nothing else stays as it is.
    """
    found = tokens(text)
    for headline in sorted(headlines, key=len, reverse=True):
        if _opens(headline, found, text):
            return found[len(headline) :]
    return found


def _opens(headline: Sequence[str], found: Sequence[str], text: str) -> bool:
    size = len(headline)
    return (
        0 < size <= MAX_HEADLINE_TOKENS
        and size < len(found)
        and found[:size] == headline
        and (size >= LOOSE_HEADLINE_TOKENS or _fills_lines(text, size))
    )


def _fills_lines(text: str, size: int) -> bool:
    """Tell whether a line ends after the first `size` tokens."""
    count = 0
    for line in text.splitlines():
        count += len(tokens(line))
        if count >= size:
            break
    return count == size


def shingles(words: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Count the runs of four tokens; a shorter text is one run of what it has."""
    if len(words) < SHINGLE_TOKENS:
        return Counter([tuple(words)] if words else [])
    return Counter(zip(*(words[i:] for i in range(SHINGLE_TOKENS)), strict=False))


def overlap(gold: Counter[K], output: Counter[K]) -> Overlap:
    """Compare two multisets; two empty ones agree."""
    gold_size, output_size = gold.total(), output.total()
    if not gold_size or not output_size:
        same = float(gold_size == output_size)
        return Overlap(same, same, same)
    common = (gold & output).total()
    return Overlap(common / output_size, common / gold_size, 2 * common / (gold_size + output_size))


def fold_blanks(text: str) -> str:
    """Fold a text, and every run of blanks in it to one blank: the form in which snippets are searched for."""
    return _BLANKS.sub(" ", fold(text)).strip()


def share_in(snippets: Sequence[str], text: str) -> float:
    """Return the share of the snippets (at least one) that occur in the text, all of them folded."""
    return sum(snippet in text for snippet in snippets) / len(snippets)


def fold_title(title: str) -> str:
    """Fold a title: case, and blanks and punctuation to one blank."""
    return _NOT_WORDS.sub(" ", fold(title)).strip()


def character_f1(gold: str, output: str) -> float:
    """Return twice the longest common subsequence over the summed lengths; two empty strings agree."""
    size = len(gold) + len(output)
    return 2 * LCSseq.similarity(gold, output) / size if size else 1.0
