"""Compare an output with the gold: words, shingles, snippets, title; and label the texts of a page by its gold.

Texts are normalised first (compatibility forms, case, invisible characters), and only bodies are compared: a headline
at the start of a text is removed, by the same list of headlines on both sides.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import html_to_unicode

from pagesieve.evaluate.archives import Gold
from pagesieve.page.kernel.constants import CAPTION
from pagesieve.page.lines import Blocks
from pagesieve.page.static import parse
from pagesieve.page.table import Bools, Page
from pagesieve.sites.templates import leaves
from pagesieve.writing import build

K = TypeVar("K", bound=Hashable)

SHINGLE_TOKENS = 4
MAX_HEADLINE_TOKENS = 80  # a page may put its whole text into an <h1>; that is not a headline
LOOSE_HEADLINE_TOKENS = 4  # a shorter one must fill its line: "Apple" may as well be the first word of the body

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

    A text that is only a headline stays unchanged.
    """
    words = tokens(text)
    for headline in sorted(headlines, key=len, reverse=True):
        if _opens(headline, words, text):
            return words[len(headline) :]
    return words


def _opens(headline: Sequence[str], words: Sequence[str], text: str) -> bool:
    size = len(headline)
    return (
        0 < size <= MAX_HEADLINE_TOKENS
        and size < len(words)
        and words[:size] == headline
        and (size >= LOOSE_HEADLINE_TOKENS or _fills_lines(text, size))
    )


def _fills_lines(text: str, size: int) -> bool:
    """Whether a line ends after the first `size` tokens."""
    count = 0
    for line in text.splitlines():
        count += len(tokens(line))
        if count >= size:
            break
    return count == size


def captions_of(html: bytes) -> list[str]:
    """Return the captions of a page's pictures, as `without_captions` takes them."""
    page = parse(html)
    document = build(page, page.chars > 0)
    runs = groupby(range(len(document) + 1), key=lambda block: document.kind[block] == CAPTION)
    return [_spaced(" ".join(map(document.text, blocks))) for is_caption, blocks in runs if is_caption]


def without_captions(text: str, captions: Iterable[str]) -> str:
    """Return a text without lines that are a caption or a part of one: some golds have captions, others do not."""
    lines = ((line, _spaced(line)) for line in text.splitlines())
    return "\n".join(line for line, words in lines if not words.strip() or not any(words in each for each in captions))


def _spaced(text: str) -> str:
    return f" {' '.join(tokens(text))} "


def shingles(words: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Count the runs of four tokens; a shorter text is one run."""
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


# Labels: the gold says what the article is, not where it stands. The longest common subsequence of the page's words and
# the gold's finds it, whatever was left out in between; where the gold has another order than the page, a text whose
# runs of words occur in the gold belongs to it too. A line is text when most of its words are the gold's. A line that
# only repeats the headline, above the text, is neither text nor noise: some sets include headlines and others do not.
# Below, it is the headline of something else.

MIN_SHARE = 0.5  # of a block's words in the gold, for it to be text
RUN = 5  # words in a row that do not stand in the gold by chance
MIN_RUN = 3  # words in a row that are aligned; fewer may be a menu's that fill a gap of the gold
MAX_CELLS = 2_000_000_000  # of the alignment's matrix of bits
# "Headline | Site", "Headline - Site": each part of a <title> may be the headline.
_TITLE_PARTS = re.compile(r"(?<!\s)\s+[\-–—»·:]\s+|(?:(?<!\s)\s+)?[|_]\s*")


def headlines_of(gold: Gold, html: bytes) -> list[str]:
    """Return the headlines with which a text may start: the gold title, and the titles on the page itself.

    They never include an extractor's own title, so the gold body is the same for all extractors.
    """
    tree = LexborHTMLParser(html_to_unicode(None, html)[1])
    named = [node.text() for node in tree.css("h1")]
    titles = [gold.title or "", *(node.text() for node in tree.css("head title"))]
    return [*named, *titles, *(part for title in titles for part in _TITLE_PARTS.split(title))]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """For some text rows of a page: the number of words of each (0 for a headline), and how many are in the gold."""

    words: NDArray[np.int64]
    hits: NDArray[np.int64]

    def of_blocks(self, block: NDArray[np.intp], count: int) -> tuple[Bools, Bools]:
        """Return for each block whether it is text by the gold, and whether it has words (`block`: of each row)."""
        words = np.bincount(block, self.words, count)
        hits = np.bincount(block, self.hits, count)
        return hits >= MIN_SHARE * np.maximum(words, 1), words > 0


def label(page: Page, rows: NDArray[np.intp], gold: Gold, html: bytes) -> Labels:
    """The labels of some text rows of a page, given its gold and its source."""
    headlines = [tokens(headline) for headline in headlines_of(gold, html)]
    texts = [page.text(row) for row in rows.tolist()]
    words, hits = matched(texts, body_tokens(gold.text, headlines))
    token_lists = {tuple(headline) for headline in headlines if headline}
    opening = np.arange(len(texts)) <= (np.flatnonzero(hits)[0] if hits.any() else len(texts))
    for k in np.flatnonzero(opening & (hits < words) & (words <= max(map(len, token_lists), default=0))).tolist():
        if tuple(tokens(texts[k])) in token_lists:
            words[k] = hits[k] = 0
    return Labels(words, hits)


def label_lines(blocks: Blocks, gold: Gold, html: bytes) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return how many words each line has, how many of them are the gold's, and how many the gold has."""
    labels = label(blocks.page, blocks.rows, gold, html)
    line = np.repeat(np.arange(len(blocks)), np.diff(np.append(blocks.starts, len(blocks.rows))))
    words, hits = (np.bincount(line, column, len(blocks)).astype(np.float64) for column in (labels.words, labels.hits))
    return words, hits, len(body_tokens(gold.text, [tokens(headline) for headline in headlines_of(gold, html)]))


@dataclass(frozen=True, slots=True)
class LeafCounts:
    """Counts of leaves by label and decision; text is the positive class."""

    tp: int
    fp: int
    fn: int


def count_leaves(page: Page, mask: Bools, gold: Gold, html: bytes) -> LeafCounts:
    """Compare the kept rows of a page, as a mask, with its gold, leaf by leaf.

    A leaf is kept if some of its text is. Leaves without words, or that only repeat the headline, do not count.
    """
    page_leaves = leaves(page)
    of_text = page_leaves.leaf_of_text.astype(np.intp)
    text, is_labelled = label(page, page_leaves.texts.astype(np.intp), gold, html).of_blocks(of_text, len(page_leaves))
    called = np.bincount(of_text, mask[page_leaves.texts], len(page_leaves)) > 0
    cells = (called & text & is_labelled, called & ~text & is_labelled, ~called & text & is_labelled)
    return LeafCounts(*(int(np.count_nonzero(cell)) for cell in cells))


def matched(texts: Sequence[str], wanted: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each text of a page, in order, the number of its words and of those that the gold has (`wanted`)."""
    words = [tokens(text) for text in texts]
    hits = np.zeros(len(words), dtype=np.int64)
    rest = _align(words, wanted, hits)
    runs = frozenset(run for part in rest for run in _runs(part))
    for k, own in enumerate(words):
        if runs and hits[k] < len(own) >= RUN:
            hits[k] = max(hits[k], _in_runs(own, runs))
    return np.array([len(own) for own in words], dtype=np.int64), hits


def _align(words: Sequence[Sequence[str]], wanted: Sequence[str], hits: NDArray[np.int64]) -> list[Sequence[str]]:
    """Counts the aligned words of each text into `hits`; gives the parts of the gold that nothing is aligned with."""
    vocabulary = set(wanted)
    places = [(k, word) for k, own in enumerate(words) for word in own if word in vocabulary]
    if len(places) * len(wanted) > MAX_CELLS:
        return [wanted]
    rest = list[Sequence[str]]()
    for code in LCSseq.opcodes([word for _, word in places], list(wanted)):
        if code.tag == "equal" and code.src_end - code.src_start >= MIN_RUN:
            np.add.at(hits, [places[i][0] for i in range(code.src_start, code.src_end)], 1)
        else:
            rest.append(wanted[code.dest_start : code.dest_end])
    return rest


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)]


def _in_runs(words: Sequence[str], runs: frozenset[tuple[str, ...]]) -> int:
    """How many of the words stand in a run that the gold has too."""
    flags = bytearray(len(words))
    for i, run in enumerate(_runs(words)):
        if run in runs:
            flags[i : i + RUN] = b"\1" * RUN
    return sum(flags)
