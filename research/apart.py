"""Take a labelled page apart: where its article stands, and what of it can be put into another page.

The gold says what the article is; aligned with the texts of the page, it shows the smallest element that holds nearly
all of it. A page that gives no clear answer is not taken apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pagesieve.evaluate.archives import Gold
from pagesieve.evaluate.metrics import body_tokens, headlines_of, matched, tokens
from pagesieve.page.static import decode
from pagesieve.text.whitespace import fold

MIN_WORDS = 80  # of a gold: shorter ones are notes, and say little of where they stand
MIN_FOUND = 0.8  # of the gold's words that are on the page
MIN_HELD = 0.9  # of those, that the body holds
MIN_PARAGRAPHS = 2
MIN_PARAGRAPH = 8  # words
# The article with its headline may have this many times the words of the body, and so many more.
MAX_AROUND, WORDS_AROUND = 1.5, 150

# The places of a page where something can be put in.
BEFORE, AMID, INSIDE, BELOW, AFTER, END = "before", "amid", "inside", "below", "after", "end"

UNSEEN = frozenset("head script style noscript template textarea select button title iframe svg".split())
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q s samp small span strike "
    "strong sub sup time tt u var".split()
)
# What can hold any block: elsewhere a parser would move it.
FLOW = frozenset("article aside body center dd div fieldset form li main section td".split())
PARAGRAPHS = frozenset("p li blockquote pre h2 h3 h4 h5 h6 div figcaption".split())
HEADLINES = "h1, h2, h3, [class*=title], [class*=headline]"

_MARK = "\ue0f0{}\ue0f1"
_MARKS = re.compile("\ue0f0([a-z]+)\ue0f1")
UNREAD = "script, style, noscript, template, iframe, link, meta"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of an article: its element's name, its HTML and its text."""

    tag: str
    html: str
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """What can be taken from a page: its article, as HTML of its own and by paragraphs."""

    gold: Gold
    headline: str
    whole: str | None  # the element of headline and body with all that is in it; None where there is no such element
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Dress:
    """The opening tags of an article: those from headline and body down to the body, the headline's, a paragraph's."""

    shell: tuple[str, ...]  # empty where no element holds headline and body and little else
    headline: str | None
    paragraph: str


@dataclass(frozen=True, slots=True)
class Host:
    """A page that things can be put into, and how its article is dressed."""

    gold: Gold
    pieces: tuple[str, ...]  # of the page's HTML: one more than places
    places: tuple[str, ...]
    dress: Dress

    def filled(self, inserts: dict[int, str]) -> str:
        """Return the page with HTML put in at some of its places, by their numbers."""
        parts = [self.pieces[0]]
        for number, piece in enumerate(self.pieces[1:]):
            parts += (inserts.get(number, ""), piece)
        return "".join(parts)


def take_apart(gold: Gold, html: bytes) -> tuple[Host, Article] | None:
    """Return a page as a host and its article; None where it is not clear where the article stands."""
    tree = LexborHTMLParser(decode(html).text)
    headlines = {words for headline in headlines_of(gold, html) if (words := tuple(tokens(headline)))}
    if tree.root is None:
        return None
    found = _Found(tree.root, body_tokens(gold.text, [list(headline) for headline in headlines]))
    if not found.is_clear:
        return None
    paragraphs = tuple(found.paragraphs())
    if len(paragraphs) < MIN_PARAGRAPHS:
        return None
    headline = found.headline(headlines)
    around = found.around(headline)
    whole = _whole(around) if around is not None else None
    shown = fold(headline.text() if headline is not None else gold.title or "")
    dress = Dress(
        tuple(_chain(around, found.body)) if around is not None else (),
        _open_tag(headline) if headline is not None else None,
        found.paragraph_tag(),
    )
    pieces = _marked(tree, found, around if around is not None else found.body)
    return Host(gold, tuple(pieces[::2]), tuple(pieces[1::2]), dress), Article(gold, shown, whole, paragraphs)


class _Found:
    """The gold in the tree of a page: the texts, how many words of each are the gold's, and the body."""

    def __init__(self, root: LexborNode, wanted: Sequence[str]) -> None:
        self.root = root
        self.wanted = len(wanted)
        texts = list(_seen(root))
        words, hits = matched([node.text_content or "" for node in texts], wanted)
        self.gold = [node for node, is_gold in zip(texts, hits * 2 > words, strict=True) if is_gold]
        self.found = int(hits.sum())
        self.words, self.hits = Counter[int](), Counter[int]()  # below each element
        for node, own, found in zip(texts, words.tolist(), hits.tolist(), strict=True):
            for above in _ancestors(node):
                self.words[above.mem_id] += own
                self.hits[above.mem_id] += found

    @property
    def is_clear(self) -> bool:
        """Whether nearly all of the gold is on the page."""
        return self.wanted >= MIN_WORDS and self.found >= MIN_FOUND * self.wanted and bool(self.gold)

    @cached_property
    def body(self) -> LexborNode:
        """The smallest element that holds nearly all of the gold."""
        least = MIN_HELD * self.found
        node = self.root
        while (inner := next((each for each in node.iter() if self.hits[each.mem_id] >= least), None)) is not None:
            node = inner
        return node

    @cached_property
    def blocks(self) -> list[LexborNode]:
        """The blocks that hold the gold, in order, each once."""
        return list({block.mem_id: block for block in map(_block, self.gold)}.values())

    def paragraphs(self) -> Iterator[Paragraph]:
        """Yield the paragraphs of the article: blocks without another in them."""
        for block in self.blocks:
            text, tag = fold(block.text()), block.tag or ""
            if tag in PARAGRAPHS and text and not any(node.tag not in INLINE | {"br"} for node in _elements(block)):
                yield Paragraph("p" if tag in ("div", "figcaption") else tag, block.inner_html or escape(text), text)

    def paragraph_tag(self) -> str:
        """Return the opening tag of most of the paragraphs."""
        tags = Counter(_open_tag(block) for block in self.blocks if block.tag in ("p", "div"))
        return tags.most_common(1)[0][0] if tags else "<p>"

    def headline(self, headlines: Collection[tuple[str, ...]]) -> LexborNode | None:
        """Return the element that shows the headline: the last one before the article, or the first of the page."""
        order = {node.mem_id: place for place, node in enumerate(self.root.traverse())}
        shown = [node for node in self.root.css(HEADLINES) if tuple(tokens(node.text())) in headlines]
        before = [node for node in shown if order[node.mem_id] < order[self.blocks[0].mem_id]]
        return before[-1] if before else next(iter(shown), None)

    def around(self, headline: LexborNode | None) -> LexborNode | None:
        """Return the smallest element that holds headline and body; None where it holds much else."""
        above = {node.mem_id for node in _ancestors(headline)} if headline is not None else set()
        most = MAX_AROUND * self.words[self.body.mem_id] + WORDS_AROUND
        for node in (self.body, *_ancestors(self.body)):
            if node.tag in ("body", "html") or self.words[node.mem_id] > most:
                break
            if node.mem_id in above:
                return node
        return None


def _marked(tree: LexborHTMLParser, found: _Found, around: LexborNode) -> list[str]:
    """Return the HTML of the page cut at the places where something can be put in, with their names between."""
    for name, node in ((BEFORE, around), (BELOW, found.body), (AFTER, around)):
        anchor = _anchor(node)
        if anchor is not None and name == BEFORE:
            anchor.insert_before(_MARK.format(name))
        elif anchor is not None:
            anchor.insert_after(_MARK.format(name))
    outer = _anchor(around)
    if outer is not None and outer.parent is not None:
        outer.parent.insert_child(_MARK.format(END))
    last = _anchor(found.blocks[-1], found.body)
    if last is not None:
        last.insert_after(_MARK.format(INSIDE))
    for upper, lower in pairwise(found.blocks):
        if _is_gap(upper, lower):
            lower.insert_before(_MARK.format(AMID))
    _declare_utf8(tree)
    return _MARKS.split(tree.html or "")


def _is_gap(upper: LexborNode, lower: LexborNode) -> bool:
    """Tell whether two blocks of the article are paragraphs, one below the other."""
    same = upper.parent is not None and lower.parent is not None and upper.parent.mem_id == lower.parent.mem_id
    return (
        same
        and upper.tag == lower.tag == "p"
        and upper.parent is not None
        and upper.parent.tag in FLOW
        and all(len(tokens(block.text())) >= MIN_PARAGRAPH for block in (upper, lower))
    )


def _anchor(node: LexborNode, within: LexborNode | None = None) -> LexborNode | None:
    """Return the element, or the closest one around it, that may have any block beside it."""
    for above in (node, *_ancestors(node)):
        if within is not None and above.mem_id == within.mem_id:
            return None
        if above.parent is None or above.tag in ("body", "html"):
            return None
        if above.parent.tag in FLOW:
            return above
    return None


def _declare_utf8(tree: LexborHTMLParser) -> None:
    """Let the page say that it is UTF-8, and nothing else."""
    for node in tree.css("meta[charset], meta[http-equiv]"):
        if "charset" in node.attributes or "charset" in (node.attributes.get("content") or "").lower():
            node.decompose()
    declared = LexborHTMLParser('<meta charset="utf-8">').css_first("meta", strict=False)
    first = tree.head.first_child if tree.head is not None else None
    if first is not None and declared is not None:
        first.insert_before(declared)
    elif tree.head is not None and declared is not None:
        tree.head.insert_child(declared)


def _whole(node: LexborNode) -> str:
    """Return the HTML of an element without what is not there to be read."""
    tree = LexborHTMLParser(node.html or "")
    for unread in tree.css(UNREAD):
        unread.decompose()
    return (tree.body.inner_html if tree.body is not None else None) or ""


def _chain(outer: LexborNode, inner: LexborNode) -> list[str]:
    """Return the opening tags of the elements from one down to another."""
    found = [_open_tag(inner)]
    for above in _ancestors(inner):
        if inner.mem_id == outer.mem_id:
            break
        found.append(_open_tag(above))
        if above.mem_id == outer.mem_id:
            break
    return found[::-1]


def _open_tag(node: LexborNode) -> str:
    names = [name for name in (node.attributes.get("class"),) if name]
    return f"<{node.tag}" + "".join(f' class="{escape(name)}"' for name in names) + ">"


def _block(node: LexborNode) -> LexborNode:
    """Return the closest element above a text that is not part of a line."""
    return next(above for above in _ancestors(node) if above.tag not in INLINE)


def _ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None and above.tag != "-document":
        yield above
        above = above.parent


def _elements(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the elements below one."""
    return (below for below in node.traverse() if below.mem_id != node.mem_id and not below.is_comment_node)


def _seen(root: LexborNode) -> Iterator[LexborNode]:
    """Yield the texts of a page that can be read."""
    for node in root.traverse(include_text=True):
        if node.is_text_node and not node.is_empty_text_node and not any(a.tag in UNSEEN for a in _ancestors(node)):
            yield node
