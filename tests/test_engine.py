"""Articles stay right while other pages go through the engine, in this thread and in others."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import pagesieve
from pagesieve import Article, NothingFound

COUNT, THREADS = 1_000, 4
CASES = Path(__file__).parent / "posts" / "cases"

# What is asked of an article, in a form that can be compared.
QUESTIONS: tuple[Callable[[Article], object], ...] = (
    lambda article: article.text,
    lambda article: article.markdown,
    lambda article: article.html,
    lambda article: article.title,
    lambda article: article.as_dict(),
    lambda article: article.decisions,
    lambda article: [post.as_dict(()) for post in (*article.posts, *article.comments)],
    lambda article: article.kind,
    lambda article: article.selection.rows.tobytes(),
)


@pytest.fixture(scope="module")
def pages(articles: dict[str, bytes]) -> list[bytes]:
    """Pages of articles, threads, hidden text and repaired markup, none of them like another."""
    found = [*articles.values(), *(path.read_bytes() for path in sorted(CASES.glob("*.html")))]
    hidden = b"<p style='display:none'>Not shown at all, %d times.</p><b><p>Misnested</b> markup %d.</p>"
    return [html + hidden % (number, number) for number, html in enumerate(found)]


def ask(article: Article) -> list[object]:
    return [question(article) for question in QUESTIONS]


def read(html: bytes) -> Article | None:
    try:
        return pagesieve.article(html)
    except NothingFound:
        return None


def test_many_articles_asked_in_random_order_from_several_threads(pages: list[bytes]) -> None:
    expected = [None if article is None else ask(article) for article in map(read, pages)]
    assert sum(answer is not None for answer in expected) > 10
    chance = random.Random(31)
    chosen = [chance.randrange(len(pages)) for _ in range(COUNT)]
    with ThreadPoolExecutor(THREADS) as pool:
        kept = [*pool.map(lambda number: read(pages[number]), chosen)]
        questions = [
            (place, question)
            for place, article in enumerate(kept)
            if article is not None
            for question in chance.sample(range(len(QUESTIONS)), 3)
        ]
        chance.shuffle(questions)

        def answer(asked: tuple[int, int]) -> object:
            place, question = asked
            article = kept[place]
            assert article is not None
            if place % 7 == question:  # between the questions, other pages go through the engine of this thread
                read(pages[(place + 1) % len(pages)])
            return QUESTIONS[question](article)

        for (place, question), found in zip(questions, pool.map(answer, questions), strict=True):
            of_page = expected[chosen[place]]
            assert of_page is not None
            assert found == of_page[question]


def test_articles_stay_right_when_they_are_pickled_in_between(pages: list[bytes]) -> None:
    for html in pages[:12]:
        article = read(html)
        if article is not None:
            copy: Article = pickle.loads(pickle.dumps(article))
            for other in pages[:3]:
                read(other)
            assert ask(copy) == ask(article)
