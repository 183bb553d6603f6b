"""What the words of classes and ids say of an element: a bit for each thing, and the patterns of words that say it.

The words are those of the programs that forums, question-and-answer sites and blogs are made with: phpBB, vBulletin,
XenForo, Discourse, Invision, MyBB, SMF, FluxBB, Vanilla, NodeBB, Discuz!, Stack Exchange, Reddit, WordPress and others.

A pattern is a regular expression of nothing but letters, alternatives, sets and `?`, so that it stands for a number of
spellings (see `spellings`), and all patterns are looked for at once (see `names`). It is searched for in a word in
lower case, with every number as 0; `^` and `$` are where the word begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# What a class or id says, by bits: a word has the pattern, and not the one that excludes it.
NAME_POST = 1 << 0  # a post, or what is around some
NAME_BODY = 1 << 1  # the body of a post
NAME_SIGNATURE = 1 << 2  # a signature, or when a post was changed
NAME_BESIDE = 1 << 3  # a signature or a row of buttons in the body of a post
NAME_FURNITURE = 1 << 4  # what is beside what was written: user cards, dates, buttons
NAME_PICTURE = 1 << 5  # of somebody
NAME_SURE_AUTHOR = 1 << 6
NAME_AUTHOR = 1 << 7
NAME_QUOTATION = 1 << 8  # a quotation, or who is quoted
NAME_COMMENT = 1 << 9  # a comment, or what is around some: a hint, no proof
NAME_SECTION = 1 << 10  # a section of comments, not a count of them or a link to them
# What the words before count for.
NAME_OF_COMMENTS = 1 << 11  # a value without it has no NAME_COMMENT
NAME_NO_SECTION = 1 << 12  # a value with it has no NAME_SECTION
NAME_BODY_END = 1 << 13  # a word with it is a NAME_BODY where the name of a post stands before
NAME_INSERT = 1 << 14  # an attached file, or the preview of a page that a post links to
NAME_EXCLUDED = 16  # the bits from this one on: what a word is not
# What other attributes say.
NAME_POST_TYPE = 1 << 16  # itemtype: a post
NAME_BODY_PROPERTY = 1 << 17  # itemprop: the body of a post
NAME_NAME_PROPERTY = 1 << 18  # itemprop: a name
NAME_AUTHOR_PROPERTY = 1 << 19  # itemprop: an author
NAME_POST_ELEMENT = 1 << 20  # an element with an author is named as posts are
# What values say that are no names.
VALUE_PROFILE = 1 << 0  # href: the address of somebody's profile
VALUE_ASKING = 1 << 1  # of an input: a password or an email address

# How words are read, a symbol for each character: letters from 1 on, hyphen, underscore, and these; 0 for all else.
SYMBOL_DIGIT = 29
SYMBOL_EDGE = 30  # of a word
SYMBOL_WIDE = 31  # a byte beyond ASCII
SYMBOLS = 32

MAX_NAMES_LENGTH = 1000  # characters of a class or id that are read, but for those of comments
MAX_VALUE_LENGTH = 4000  # bytes of another value

_BODY_ENDS = "body|text|content|message|copy|entry|inner"
_SIGNATURE = "signature|(?:^|[_-])(?:bb)?sign?(?:$|[_-])|last-?edit|edited|postedit"

PATTERNS = {
    NAME_POST: (
        "post|comment|message|answer|reply|replies|question|(?:^|[_-])(?:thing|comtr)(?:$|[_-])|topic-?body",
        "lists?$|count|form|link|button|btn|nav|foot|head|meta|info|author|user|avatar|date|title|subject|related"
        "|recent|action|control|tool|menu|icon|signature|number|score|vote|rating|share|like|edit|attach|image|thumb"
        "|poster|profile|permalink|anchor|popular|sidebar|widget|respond|pagination|details|sponsor|promo|notice"
        "|status$|option|quote|badge|extra|stats|summary|preview|tags?$|labels?$",
    ),
    NAME_BODY: (
        "^(?:content|cooked|bbwrapper|messagetext|commtext|md|t_f|entry-content|message|usertext-body|inner|text|body"
        "|description|bbcode|prose|markdown|js-post-body|post|comment|entry|comment__body|msg|postmsg)$"
        "|post_message_0|postmessage_0|pid_0|post[-_]?(?:content|body)|comment[-_]?content|message[-_]?body|rich-?text$",
        "user|author|avatar|profile|meta|foot|head",
    ),
    NAME_BODY_END: (f"(?:{_BODY_ENDS})s?0?$", ""),
    NAME_SIGNATURE: (_SIGNATURE, ""),
    NAME_BESIDE: (
        f"{_SIGNATURE}|^(?:reply|replies|buttons?|share|sharing|report|likes?|votes?|voting|permalink|reactions?)$"
        "|controls$|toolbar$|action-?bar$|post-?likes|expandlink$|quote-?expand$",
        "",
    ),
    NAME_FURNITURE: (
        "avatar|profile|user|author|poster|badge|rank|meta|foot|toolbar|tools|button|btn|control|action|share|like|vote"
        "|score|reaction|report|reply|permalink|nav|menu|date|time|stats|signature|(?:^|[_-])sign?(?:$|[_-])"
        "|edited|attribution|flag|karma|points|count|head|subject|number",
        "",
    ),
    NAME_PICTURE: ("avatar", ""),
    NAME_SURE_AUTHOR: (
        "user[-_]?(?:name|link)|hnuser|(?:^|[_-])fn(?:$|[_-])|author[-_]?(?:name|link)|display-?name|nick|^author$"
        "|^creator$|^name$|comment[-_]?author$|comment-?user",
        "",
    ),
    NAME_AUTHOR: (
        "author|user[-_]?name|poster|creator|nick|hnuser|(?:^|[_-])fn(?:$|[_-])|member-?name|display-?name"
        "|user[-_]?(?:link|details|info|id)|post-?(?:left|profile)|(?:^|[_-])(?:user|name)(?:$|[_-])",
        "",
    ),
    NAME_SURE_AUTHOR | NAME_AUTHOR: (
        "",
        "avatar|title|rank|status|group|stats|badge|sig|count|join|locat|posts|role|icon|reput|date|time|flair|img"
        "|image|photo|extra|pic|level|hover|card|authoris|authoriz|points|karma|post_?number|tag|report",
    ),
    NAME_QUOTATION: (
        "quote",
        "button|btn|link|select|action|icon|expand|js-|multi|can|control|post-?quote",
    ),
    NAME_INSERT: ("attach|onebox|unfurl", ""),
    NAME_COMMENT: (
        "(?:^|[_-])(?:comments?|comment-?(?:list|area|section|wrap|wrapper|box|container|thread|body|text|content|entry"
        "|item)|respond|responses?|pinglun)(?:$|[_-])",
        "count|link|num|closed|button|no-comments|form",
    ),
    NAME_OF_COMMENTS: ("comment|respond|pinglun", ""),
    NAME_SECTION: (
        "(?:^|[_-])(?:comments|commentlist|comment-?(?:list|area|section|wrap|wrapper|box|container|thread)|respond"
        "|reader-?comments|pinglun)(?:$|[_-])",
        "",
    ),
    NAME_NO_SECTION: ("count|link|num|closed|button|no-comments", ""),
}
VALUE_PATTERNS = {
    VALUE_PROFILE: (
        "(?:^|/)(?:u|users?|members?|profiles?|people|authors?|space|home|i|@)(?:[/@.?-]|$)|/@|member.php|memberlist"
        "|viewprofile|action=profile|uid[=-]0|showuser|user_?info|[?&/]user(?:[=/-]|id)|/~|personal",
        "",
    ),
    VALUE_ASKING: ("password|passwd|^pwd$|e-?mail", ""),
}
# A word ends with the first of these, maybe before a number, and has the second before that, and any number of - and _
# between them: `comment-body2`, `posts__text`.
BODY_ENDS = f"(?:{_BODY_ENDS})s?"
POST_NAMES = "(?:post|comment|message|answer|reply|question|topic)s?"

# One of these is in every class or id that names posts or comments: at most 16, of four letters or more.
POST_WORDS = ("comment", "respond", "pinglun", "post", "messag", "answer", "repl", "questi", "thing", "comtr", "topic")

# What itemtype ends with, and what itemprop is.
POST_TYPES = "/(?:Comment|UserComments|Question|Answer|DiscussionForumPosting|SocialMediaPosting)"
BODY_PROPERTIES, NAME_PROPERTIES, AUTHOR_PROPERTIES = "text|articleBody|commentText", "name", "author|creator"


def name_spellings(patterns: Mapping[int, tuple[str, str]] = PATTERNS) -> Iterator[tuple[str, int]]:
    """Yield what is looked for in words, and the bits that it sets."""
    for bits, (pattern, but) in patterns.items():
        yield from ((spelling, bits) for spelling in spellings(pattern))
        yield from ((spelling, bits << NAME_EXCLUDED) for spelling in spellings(but))


def spellings(pattern: str) -> list[str]:
    """Return all that a pattern stands for; none for an empty one."""
    return _alternatives(pattern, 0)[0] if pattern else []


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    """Read alternatives to the end, or to the bracket that closes them; return their spellings and where they end."""
    found: list[str] = []
    sequence = [""]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            found += sequence
            sequence, at = [""], at + 1
            continue
        options, at = _options(pattern, at)
        if pattern[at : at + 1] == "?":
            options, at = ["", *options], at + 1
        sequence = [before + option for before in sequence for option in options]
    return found + sequence, at


def _options(pattern: str, at: int) -> tuple[list[str], int]:
    """Read a letter, a set of them or a group; return what it stands for, and where it ends."""
    if pattern.startswith("(?:", at):
        options, at = _alternatives(pattern, at + 3)
        return options, at + 1
    if pattern[at] == "[":
        end = pattern.index("]", at)
        return [*pattern[at + 1 : end]], end + 1
    return [pattern[at]], at + 1
