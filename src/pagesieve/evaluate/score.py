"""The score of one page: what every extractor's output on it is compared with, and the comparison."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.headlines import headlines_of
from pagesieve.evaluate.labels import LeafCounts, count_leaves
from pagesieve.evaluate.metrics import (
    body_tokens,
    character_f1,
    fold_blanks,
    fold_title,
    overlap,
    share_in,
    shingles,
    tokens,
)
from pagesieve.evaluate.peers import Extracted
from pagesieve.page.static import parse


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one output; None where the answer has nothing to compare with."""

    precision: float
    recall: float
    f1: float
    shingle_f1: float
    snippets_in: float | None
    snippets_out: float | None
    title_exact: float | None
    title_f1: float | None
    failed: bool
    leaves: LeafCounts | None = None


class Answer:
    """One page's gold, prepared once so that every extractor's output meets the same thing."""

    def __init__(self, gold: Gold, html: bytes) -> None:
        self.gold, self.html = gold, html
        self.headlines = [tokens(headline) for headline in headlines_of(gold, html)]
        body = body_tokens(gold.text, self.headlines)
        self.words = Counter(body)
        self.shingles = shingles(body)
        self.title = fold_title(gold.title or "")
        self.snippets_in = _body_snippets(gold)
        self.snippets_out = [fold_blanks(snippet) for snippet in gold.snippets_out]

    def score(self, output: Extracted, gives_titles: bool = True, gives_leaves: bool = False) -> Score:
        """Score an output; one without text has failed, unless the gold body is empty too."""
        text = output.text or ""
        body = body_tokens(text, self.headlines)
        words = overlap(self.words, Counter(body))
        present, absent = self._score_snippets(text)
        exact, characters = self._score_title(output.title) if gives_titles else (None, None)
        return Score(
            precision=words.precision,
            recall=words.recall,
            f1=words.f1,
            shingle_f1=overlap(self.shingles, shingles(body)).f1,
            snippets_in=present,
            snippets_out=absent,
            title_exact=exact,
            title_f1=characters,
            failed=bool(self.words) and not text.strip(),
            leaves=self._count_leaves(output) if gives_leaves else None,
        )

    def _count_leaves(self, output: Extracted) -> LeafCounts:
        if output.article is not None:
            return count_leaves(output.article.page, output.article.selection.rows, self.gold, self.html)
        page = parse(self.html)
        return count_leaves(page, np.zeros(len(page), dtype=np.bool_), self.gold, self.html)

    def _score_snippets(self, text: str) -> tuple[float | None, float | None]:
        folded = fold_blanks(text) if self.snippets_in or self.snippets_out else ""
        present = share_in(self.snippets_in, folded) if self.snippets_in else None
        absent = 1.0 - share_in(self.snippets_out, folded) if self.snippets_out else None
        # An output without text leaves out the wrong snippets too; that is no merit.
        return present, 0.0 if absent is not None and not folded else absent

    def _score_title(self, title: str | None) -> tuple[float | None, float | None]:
        if not self.title:
            return None, None
        given = fold_title(title or "")
        return float(given == self.title), character_f1(self.title, given)


def _body_snippets(gold: Gold) -> list[str]:
    """Fold the snippets that must be in the body; one that is the headline, or of it, is set aside."""
    title = fold_blanks(gold.title or "")
    return [snippet for snippet in map(fold_blanks, gold.snippets_in) if snippet not in title]
