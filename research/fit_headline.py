"""Fits the weights of the default headline rule.

    python research/fit_headline.py ../shared/data/articles/{wcxb_dev,news424,fundus_half}.tar.xz

Each page is a choice among its candidates, of which those that are the gold title are right; the weights are those of a
conditional logit model. Sites that have all that a modern page has would teach the rule to look at nothing else, so
each page is shown in other guises too: without declared titles, without headings, with the site's name as its `h1`. And
every heading and line is a candidate here, though the rule itself passes over those that cannot win: what a headline is
not has to be learnt as well. Titles that do not stand in their page are left out. Prints the share of pages that are
right by cross-validation between sites, and the weights. Needs scipy.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pagesieve.evaluate.archives import Gold, Sample, find_sets, group_folds, read_gold, read_pages
from pagesieve.evaluate.metrics import fold_title
from pagesieve.evaluate.report import site_key
from pagesieve.headlines.headline import WEIGHTS
from pagesieve.page import kernel
from pagesieve.page.stated import address
from pagesieve.page.static import parse
from pagesieve.page.table import Page

FOLDS = 5
PENALTY = 30.0
OWN_SHARE = 2  # how often a page as it is counts

_HEADING = re.compile(rb"<(/?)h[1-6](?=[\s>])", re.IGNORECASE)
_H1 = re.compile(rb"<(/?)h1(?=[\s>])", re.IGNORECASE)
_DECLARED = re.compile(rb'og:title|twitter:title|"headline"|itemprop="headline"', re.IGNORECASE)
_BODY = re.compile(rb"<body[^>]*>", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_PARTS = re.compile(rb"\s+(?:-|\xe2\x80\x93)\s+|[|_]")


class Choice(NamedTuple):
    """The candidates of a page by their signs, and which of them are right."""

    site: str
    signs: NDArray[np.float64]
    right: NDArray[np.bool_]
    as_it_is: bool


def guises(html: bytes) -> Iterator[bytes]:
    """A page, then the same in other guises."""
    bare = _DECLARED.sub(b"x", html)
    yield from (html, bare, _HEADING.sub(rb"<\1div", bare))
    title = _TITLE.search(html)
    parts = [part for part in _PARTS.split(title[1]) if part.strip()] if title else []
    if len(parts) > 1:
        name = min(parts, key=len)
        demoted = _H1.sub(rb"<\1h2", bare)
        yield _BODY.sub(lambda body: body[0] + b'<h1><a href="/">%s</a></h1>' % name, demoted, count=1)


def stands(gold: Gold, page: Page) -> bool:
    """Whether the gold title is to be seen in the page."""
    texts = " ".join(page.text(row) for row in np.flatnonzero(page.chars).tolist())
    return fold_title(gold.title or "") in fold_title(texts)


def choice(gold: Gold, page: Page, as_it_is: bool) -> Choice:
    """The candidates of a page, judged."""
    witnesses = kernel.page.headline.witnesses_of(page, (), address(page) or "")
    found = kernel.page.headline.candidates(page, witnesses, every=True)
    title = fold_title(gold.title or "")
    right = [fold_title(kernel.page.headline.text_of(page, one)) == title for one in found]
    signs = np.array(kernel.page.headline.signs(page, witnesses, found), dtype=np.float64).reshape(-1, len(WEIGHTS))
    return Choice(site_key(gold), signs, np.array(right, dtype=np.bool_), as_it_is)


def fit(choices: list[Choice]) -> NDArray[np.float64]:
    """The weights under which the right candidates are likeliest."""
    useful = [one for one in choices if one.right.any() and not one.right.all()]
    signs, right = np.vstack([one.signs for one in useful]), np.concatenate([one.right for one in useful])
    sizes = np.array([len(one.right) for one in useful])
    starts = np.cumsum(sizes) - sizes
    times = np.array([OWN_SHARE if one.as_it_is else 1 for one in useful], dtype=np.float64)
    spread = signs.std(axis=0) + 1e-9
    scaled = signs / spread

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = scaled @ weights
        likely = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        every, good = np.add.reduceat(likely, starts), np.add.reduceat(likely * right, starts) + 1e-300
        total = times @ (np.log(every) - np.log(good)) + PENALTY * (weights @ weights) / 2
        pull = np.repeat(times / every, sizes) * likely - np.repeat(times / good, sizes) * likely * right
        return float(total), scaled.T @ pull + PENALTY * weights

    found: NDArray[np.float64] = minimize(loss, np.zeros(signs.shape[1]), jac=True, method="L-BFGS-B").x
    return found / spread


def share_right(choices: list[Choice], weights: NDArray[np.float64]) -> list[bool]:
    return [bool(one.right[np.argmax(one.signs @ weights)]) for one in choices if one.as_it_is and len(one.right)]


def main(paths: list[Path]) -> None:
    choices: list[Choice] = []
    for labelled_set in find_sets(paths):
        golds = {name: gold for name, gold in read_gold(labelled_set).items() if fold_title(gold.title or "")}
        for gold, html in read_pages(Sample(labelled_set, golds)):
            if not stands(gold, parse(html)):
                continue
            for number, guise in enumerate(guises(html)):
                choices.append(choice(gold, parse(guise, gold.url), number == 0))
    judged = []
    folds = group_folds([one.site for one in choices], FOLDS)
    for number in range(FOLDS):
        weights = fit([one for one, fold in zip(choices, folds, strict=True) if fold != number])
        judged += share_right([one for one, fold in zip(choices, folds, strict=True) if fold == number], weights)
    sys.stdout.write(f"{len(judged)} pages, right by cross-validation between sites: {np.mean(judged):.4f}\n")
    for name, weight in zip(WEIGHTS, fit(choices), strict=True):
        sys.stdout.write(f'    "{name}": {weight:.1f},\n')


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
