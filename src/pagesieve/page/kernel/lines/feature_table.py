"""The features of the block model: the one table that yields their names and the columns they stand in.

A group of features is a constant's name, the beginnings of the names of its repetitions, and what is told in each. Its
constants are the columns in the first repetition: `AROUND_LINKS`; those of the k-th are `k * AROUND_WIDTH` further on.
The shipped models name their features, so neither a name nor the order may change without training them again.
"""

from __future__ import annotations

LEVELS = 5  # of block elements around a line
NEAR, FAR = 3, 10  # lines on either side, in a window
SHIFTS = 2  # lines on either side that are looked at one by one
FIRST_SHIFTS = 3  # the same, of what the first stage said of them
FIRST_NEAR, FIRST_FAR = 3, 8
LONG_LINE = 120  # characters
MAX_WORD_LENGTH = 24  # letters of a word that count
MAX_CLASS_WORDS = 64  # of one element: a page could make them up by the thousand
MAX_TEXT_WORDS = 30  # that a line begins with
MAX_WHOLE = 10  # words of a line that is looked up as a whole

# What a line may stand in anywhere: a bit each.
INSIDE = {
    "nav": "nav menu",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "form": "form fieldset",
    "article": "article",
    "main": "main",
    "list": "ul ol dl",
    "table": "table",
    "quote": "blockquote",
    "figure": "figure",
    "heading": "h1 h2 h3 h4 h5 h6",
    "code": "pre code",
    "details": "details dialog summary",
}
# The same, said by an element's role.
ROLES = {
    b"navigation": "nav",
    b"banner": "header",
    b"contentinfo": "footer",
    b"complementary": "aside",
    b"search": "form",
    b"article": "article",
    b"main": "main",
    b"dialog": "details",
}
# What it may stand in directly: the nearest block element, a number each.
DIRECTLY = (
    "p",
    "li dd dt",
    "td th",
    "h1 h2 h3 h4 h5 h6",
    "div section article main body center",
    "pre listing",
    "blockquote",
    "figcaption caption legend",
)
# The inline element around its first text.
INLINE = ("a", "strong b em i", "span font", "time small label cite")
# What the block elements further out are.
AROUND_SORTS = (
    *("ul ol dl menu", "table tbody tr thead tfoot", "div", "section article main", "body html"),
    "li dd dt td th",
)
MAX_TITLES = 16  # that the lines of a page are compared with
MAX_STATED_WORDS = 20_000  # of a text that the page states
MAX_RUN_LENGTH = 3  # words in a row that are looked up in it
HOME_WORDS = 120  # that the text below the title begins with
SHORT_LINE = 80  # characters: one with a date may be the date of an article
MIN_ALIKE = 50  # hundredths: a line less like a title than this is none
# What a page says that it is, in its meta elements and its JSON-LD.
STATED_TYPES = {
    "article": (b"Article", b"article", b"BlogPosting", b"Report"),
    "product": (b"Product", b"product", b"Offer"),
    "list": (b"ItemList", b"CollectionPage", b"SearchResultsPage", b"OfferCatalog"),
    "forum": (b"DiscussionForumPosting", b"QAPage", b"Question"),
    "faq": (b"FAQPage",),
    "site": (b"website", b"WebSite"),
}


def _shifts(most: int) -> list[int]:
    return [by for by in range(-most, most + 1) if by]


_OWN = (
    "chars links words marks mark_count stop digits capitals ideographs dates prices link_count texts word_size hidden"
)
_PLACE = (
    "share of_longest line before unlinked_before from_h1 has_h1 from_longest depth from_heading heading_level "
    "heading_links"
)
_AROUND = "chars links share line_chars lines paragraphs place sort images controls"
_AROUND_NAMES = [f"around{level}_" for level in range(1, LEVELS + 1)]
Groups = tuple[tuple[str, list[str], str], ...]
_LINE: Groups = (
    ("OWN", [""], _OWN),
    ("PLACE", [""], _PLACE),
    ("PAGE", ["page_"], "lines chars links paragraphs in_main in_article long"),
    ("IS", [f"is_{k}" for k in range(len(DIRECTLY))], ""),
    ("IN_INLINE", [f"in_inline_{k}" for k in range(len(INLINE))], ""),
    ("IN", [f"in_{name}" for name in INSIDE], ""),
    ("AROUND", _AROUND_NAMES, _AROUND),
    ("NEXT", [f"next{by:+}_" for by in _shifts(SHIFTS)], "chars links stop depth path"),
    ("WITHIN", [f"within{size}_" for size in (NEAR, FAR)], "chars links marks"),
    ("GROUP", ["path_", "style_"], "lines share line_chars links"),
    ("SAME", ["same_"], "text before"),
    ("ALIKE", [f"alike{level}_" for level in range(1, LEVELS + 1)], "count share"),
    ("PAGE_IS", [f"page_is_{name}" for name in STATED_TYPES], ""),
    ("COMMENTS", [""], "in_comments page_in_comments"),
    ("TITLE", ["title_"], "of_line of_title alike found from headings higher same dates around"),
    ("HOME", ["home_"], "around from topic"),
    ("ARTICLE", ["article_"], "count at share of_largest title"),
    ("LIST", ["list_"], "lines links line_chars items place depth"),
    ("TABLE", ["table_"], "lines links line_chars rows columns header place depth"),
    ("SAID", ["said_"], "body body_page other other_page description"),
)
_WORDS: Groups = (
    ("WORDS", ["words_"], "1 2 3 sum least most faded"),
    ("TEXT", ["text_"], "mean least first whole"),
)
_CONTEXT: Groups = (
    ("FIRST", ["first"], ""),
    ("FIRST_NEXT", [f"first{by:+}" for by in _shifts(FIRST_SHIFTS)], ""),
    ("FIRST_WITHIN", [f"first_within{size}" for size in (FIRST_NEAR, FIRST_FAR)], ""),
    ("FIRST_AROUND", [f"first_around{level}" for level in range(1, LEVELS + 1)], ""),
    ("FIRST_GROUP", ["first_path", "first_style"], ""),
    ("FIRST_OF", ["first_"], "most page before after up down"),
)

# What is told of a heading that may begin another article.
_STORY: Groups = (
    (
        "STORY",
        [""],
        "level title_level same_style title_around title_before home_around home_before gap_lines gap_chars before "
        "section before_share section_share dates links before_text topic same higher title_dates other_article "
        "article_title articles style_before style_lines likelihood section_likelihood title_alike page_chars "
        "section_lines depth around1 around2 around3",
    ),
)


def _names(groups: Groups) -> tuple[str, ...]:
    return tuple(begin + what for _, begins, whats in groups for begin in begins for what in whats.split() or [""])


def _columns(groups: Groups) -> dict[str, int]:
    """Return the constants of the groups: the columns of their first repetitions, how wide and how many those are."""
    constants = {}
    at = 0
    for group, begins, whats in groups:
        columns = whats.split()
        constants[group] = at
        constants |= {f"{group}_{what}".upper(): at + k for k, what in enumerate(columns)}
        constants |= {f"{group}_WIDTH": max(len(columns), 1), f"{group}_TIMES": len(begins)}
        at += len(begins) * max(len(columns), 1)
    return constants


LINE_NAMES: tuple[str, ...] = _names(_LINE)
FIRST_NAMES: tuple[str, ...] = LINE_NAMES + _names(_WORDS)  # what the first stage sees
SECOND_NAMES: tuple[str, ...] = FIRST_NAMES + _names(_CONTEXT)
STORY_NAMES: tuple[str, ...] = _names(_STORY)
MIN_STORY = 150  # characters that are kept before such a heading, and below it
globals().update(_columns(_LINE + _WORDS + _CONTEXT) | _columns(_STORY))
# The bits of two of INSIDE.
MAIN_BIT, ARTICLE_BIT = (1 << [*INSIDE].index(name) for name in ("main", "article"))
