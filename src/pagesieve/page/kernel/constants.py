"""The constants of the kernel, by what they are about; those of elements and of features have modules of their own."""

# The bytes of HTML

TAB = 9
LINE_FEED = 10
FORM_FEED = 12
CARRIAGE_RETURN = 13
SPACE = 32
EXCLAMATION = 33
QUOTATION_MARK = 34
HASH = 35
PERCENT = 37
AMPERSAND = 38
APOSTROPHE = 39
PLUS = 43
HYPHEN = 45
DOT = 46
SLASH = 47
DIGIT_0 = 48
DIGIT_9 = 57
COLON = 58
SEMICOLON = 59
LESS = 60
EQUALS = 61
GREATER = 62
QUESTION = 63
UPPER_A = 65
UPPER_Z = 90
LEFT_BRACKET = 91
BACKSLASH = 92
UNDERSCORE = 95
LOWER_A = 97
LOWER_M = 109
LOWER_U = 117
LOWER_Z = 122
LEFT_BRACE = 123


# Characters: what sort each is, in the scripts that pages are written in

# The bits of SIGNS.
IS_MARK = 1  # a comma, a colon, a stop
IS_STOP = 2  # ends a sentence
IS_CLOSING = 4  # a quote or bracket that may follow a stop
IS_PRICE = 8  # a currency sign

# Code points.
NO_BREAK_SPACE = 0xA0
LATIN_LETTERS = 0xC0  # and all letters after them
GENERAL_PUNCTUATION = 0x2000
CJK = 0x2E80  # Chinese, Japanese and Korean, up to SURROGATES
IDEOGRAPHIC_SPACE = 0x3000
KANA = 0x3040
YI = 0xA000
SURROGATES = 0xD800
WIDE_DIGIT_0 = 0xFF10
WIDE_DIGIT_9 = 0xFF19
NO_CHARACTER = 0xFFFF  # stands for any character of four bytes, and for one that is cut off

MAX_SEPARATOR_LENGTH = 10  # characters of SEPARATORS that may stand between two links

_SIGNS = {
    # Latin, Arabic, Devanagari, Urdu, Armenian, Burmese, and those of Chinese and Japanese.
    IS_MARK | IS_STOP: ".!?\u061f\u0964\u0965\u06d4\u0589\u104b\u2026\u3002\uff01\uff1f\uff0e\uff61",
    IS_MARK: ",:;\u060c\u061b\u0387\u3001\uff0c\uff1a\uff1b\uff64",
    IS_CLOSING: "\"')]\u00bb\u2019\u201d\u300d\u300f\uff09\u3011",
    # $, ¢ £ ¤ ¥, 元, 円, 원, and the block that has € ₽ ₹.
    IS_PRICE: "$\u00a2\u00a3\u00a4\u00a5\u5143\u5186\uc6d0\uffe5" + "".join(map(chr, range(0x20A0, 0x20C0))),
}

# The paper's separators of links, and numbers (ranks, counts, dates).
_SEPARATORS = " \t\r\n\f_-|[](){}<>【】（）「」«»‹›·•/,，、.:：0123456789\u00a0\u3000"


def _table(sorts: dict[int, str]) -> bytes:
    table = bytearray(0x10000)
    for bits, signs in sorts.items():
        for sign in signs:
            table[ord(sign)] = bits
    return bytes(table)


SIGNS: bytes = _table(_SIGNS)  # by code point, up to 0xFFFF; 0 for a letter, a digit and the rest
SEPARATORS: bytes = _table({1: _SEPARATORS})  # the same, 1 for each of them


# Tokens, and how trees are built of them

# What a token is. The first five are what the tape of a source holds.
TOKEN_TEXT = 0
TOKEN_LINKED = 1  # a text in a link
TOKEN_START = 2
TOKEN_END = 3
TOKEN_ALONE = 4  # an element without content, or one whose content is skipped
TOKEN_COMMENT = 5
TOKEN_BOGUS = 6  # markup that the standard takes for a comment: `<?x>`, `<!x>`, `</ x>`
TOKEN_DOCTYPE = 7
TOKEN_NONE = 8  # the source has ended

NAME_SLOTS = 1024  # of the tables of names: a power of 2
OTHER_NAMES = 16384  # numbers after those of the known elements, for names that are not known; a few names share one

# The insertion modes of the standard; what is inside tables and lists of options is told by the open elements.
BEFORE_HTML, BEFORE_HEAD, IN_HEAD, AFTER_HEAD, IN_BODY, AFTER_BODY, AFTER_HTML = range(7)

# What becomes of a start tag.
INSERT = 0
IGNORE = 1
MERGE = 2  # its attributes go to the html or body that is open already
REPROCESS = 3  # in the insertion mode that it has led to

# What a doctype says: that of HTML 5 leaves no quirks, none leaves them all, others are for the parser to tell.
QUIRKS_NONE, QUIRKS_ALL, QUIRKS_UNSURE = range(3)
# Rows of a text and the tag after it: html, head, body, formatting that waits before either, a section and a row of a
# table, the two themselves.
MAX_ROWS_AT_ONCE = 32
MAX_WAITING = 8  # formatting elements that may wait to be opened again
MAX_TURNS = 8  # of the standard's adoption agency algorithm
MAX_COPIED = 1 << 15  # bytes of attributes of formatting, which are written again
ENDED_FORM = 1 << 30  # in place of its tag while a form is left open only for what is open inside

# What the builder reads from a source; a page with more is left to the parser.
MAX_LEVELS = 500
MAX_ATTRIBUTES = 500  # of an element

# How the limits on nesting count an element; 0 is any other.
FLAT = 1  # not at all
FORMATTED = 2  # with a limit of its own
SHAPE = 3  # not if a slash closes it
ROOT = 4  # each start tag
MAX_ROOTS = 16

# Levels searched for what a tag belongs to, or a page of end tags that close nothing would take for ever.
MAX_DISTANCE = 512


# Documents: the kinds of blocks and marks, the columns of their tables

# Kinds of blocks. A CAPTION is a paragraph that belongs to a picture; a NOTE is a footnote outside of lists.
DOCUMENT, PARAGRAPH, CAPTION, HEADING, CODE_BLOCK, RULE, BLOCK_QUOTE, NOTE, BULLET_LIST, NUMBERED_LIST = range(10)
ITEM, DEFINITIONS, TERM, DEFINITION, TABLE, TABLE_CAPTION, TABLE_ROW, CELL, HEADER_CELL = range(10, 19)

# Columns of the block table. END is the block after the last part. BEGIN and STOP are bytes of the document's text; of
# a cell, they are the columns and the rows that it spans. MARKS and MARKS_END are the marks in the text. VALUE is the
# level of a heading, the first number of a list, the page row of a code block, the columns of a table (0 where it is
# written without empty cells), the column of a cell (-1 where it is left out), the number of a NOTE and of an ITEM that
# is a note, from 1 on.
KIND, END, BEGIN, STOP, MARKS, MARKS_END, VALUE, BLOCK_COLUMNS = range(8)
# While the table is built, blocks are linked: the first part in place of END, and three columns more.
FIRST, LAST, NEXT, PREVIOUS, LINKED_COLUMNS = 1, 7, 8, 9, 10

# Kinds of marks. Those up to LINK go around words; the others up to FORMULA (which is not in TeX) go around the text of
# one thing; a BREAK is a byte of the text, the line end; an IMAGE takes no byte. The mark that closes is negative. A
# REFERENCE goes around the sign that leads to a note, or from the note back.
STRONG, EMPHASIS, STRIKE, SUPERSCRIPT, SUBSCRIPT, QUOTE, INNER_QUOTE, REFERENCE, LINK = range(1, 10)
CODE, CHECKBOX, TEX, FORMULA, BREAK, IMAGE = range(10, 16)

# Columns of the mark table: MARK_AT is the byte of the text; MARK_VALUE the place in the list of targets, or -1.
MARK_KIND, MARK_AT, MARK_VALUE, MARK_COLUMNS = range(4)

# What a row of the page does. Up to LAST_IN_LINE: wherever its line has kept text; the others: where kept text is
# below them. From ON_STRONG to ON_QUOTE they are as the marks. Objects are shown though there is no text in them.
ON_BREAK, ON_INPUT, ON_IMAGE, ON_STRONG, ON_EMPHASIS, ON_STRIKE, ON_SUPERSCRIPT, ON_SUBSCRIPT, ON_QUOTE = range(1, 10)
ON_INSERTION, ON_LINK, ON_CODE, ON_PRE, ON_BULLET_LIST, ON_NUMBERED_LIST, ON_ITEM, ON_DEFINITIONS = range(10, 18)
ON_TERM, ON_DEFINITION, ON_HEADING, ON_BLOCK_QUOTE, ON_CAPTION, ON_TABLE, ON_CELL, ON_RUBY = range(18, 26)
ON_RULE, ON_MATH, ON_SCRIPT = range(26, 29)
LAST_IN_LINE = ON_IMAGE
FIRST_OBJECT = ON_RULE

# What is open until its element ends. A part belongs to a container; a stray item is outside of any list.
OPEN_MARK, OPEN_LINK, OPEN_CAPTION, OPEN_HEADING, OPEN_PART, OPEN_CONTAINER, OPEN_LIST, OPEN_STRAY_ITEM = range(8)
# Columns of the stack of what is open: the row where it ends, its kind, its block (of a link, its row), and the state
# around it.
OPEN_UNTIL, OPEN_KIND, OPEN_BLOCK, OPEN_TARGET, OPEN_LEVEL, OPEN_IN_CAPTION, OPEN_PREVIOUS, OPEN_COLUMNS = range(8)

# What is between two words; and the classes of characters.
NO_GAP, BLANK_GAP, LINE_GAP = range(3)
WORD, BLANK, INVISIBLE = range(3)

# What the class of an element says of it, as bits.
ROLE_UNREAD = 1  # is read out, or is a control: nobody who looks at the page reads it
ROLE_ICON = 2
ROLE_CAPTION = 4
ROLE_ANCHOR = 8  # beside a heading, leads to it
ROLE_TOOL = 16  # belongs to the tool bar of code, where it is in code

# What links say of notes, by row: a row that is a note has its number, a link to it the number less than 0, and a link
# back this.
LEADS_BACK = 1 << 30

# Limits.
MAX_UNREAD_LENGTH = 200  # characters: more is an article in an element with the wrong class
MAX_CLASS_CAPTION_LENGTH = 600  # characters of a caption by its class
FAR_IMAGE = 64  # rows before such a caption that are searched for its image
MAX_TOOL_LENGTH = 40  # bytes of a line that belongs to the tool bar of code,
MAX_TABS_LENGTH = 100  # and of one that names the languages of its tabs
MAX_TOOL_LINES = 3
MAX_LABELS = 6  # rows at the beginning of code that are looked at: one may be a label
MAX_BLOCK_DEPTH = 40  # containers nested further are written as if they were not there
MAX_HEADING_LENGTH = 400  # characters: what is longer is an article in a heading that nobody closed
MAX_CAPTION_LENGTH = 300  # characters of a figure; with more, its text is more than a caption
MAX_PERMALINK_LENGTH = 8  # bytes
MAX_COLUMNS = 1000  # that a cell spans: the HTML standard's own limits
MAX_ROWS = 65534
MAX_GRID_SIZE = 400_000  # places: a table that would fill more is written without its empty cells
LONG_CELL = 600  # characters: cells of data tables are shorter, those of a layout hold whole articles
MEAN_CELL = 150
HEADED_TIMES = 4  # times as long where the table says what its columns are
# What the cells of a table say of it: that it lays out a page, nothing, or that it has headers.
CELLS_LAYOUT, CELLS_BARE, CELLS_HEADED = range(3)
CODE_LINES = 3  # code with as many lines is a block, also where the page does not say so
FIRST_IDEOGRAPH = 0x2E80  # from here on, words are not separated by blanks


# Groups that recur on a page (see `groups`)

# What a reader sees of a row.
NOTHING = 0
CONTENT = 1  # text or an image
DIVIDER = 2  # a line or a line break
EMPTY = 3  # an element without content

# How a group was found.
ALIKE = 0  # children that are alike
SAME_TAG = 1  # children of one element name
HEADED = 2  # runs of siblings that begin with alike children
PARTED = 3  # runs of siblings between alike children without text: lines, blank rows, line breaks
SAME_PATH = 4  # elements on one path of element names and of one class, anywhere on the page
SAME_TAGS = 5  # elements on one path of element names
SAME_CLASS = 6  # children of one element name and class
EVERY = 7  # all children with text

# Roles of elements, as bits.
TRANSPARENT = 1  # only changes the look of letters
DIVIDES = 2  # draws a line, or begins one
MUTE = 4  # its content is not text of the page

WORDS = 4  # of 64 bits, in the sketch of a subtree
PATHS = 64 * WORDS  # bits of it
REACH = 6  # levels down that a sketch sees
TEXT_SPAN = 64  # bytes of a text that its digest sees
WORD_SLOTS = 512  # of the table of hints
CLASS_SHARE = 20  # what the same class adds to the likeness of two children, in hundredths
ENOUGH = 50  # hundredths that make two children alike,
NEARLY_ALL = 90  # or so many, where titles and bodies of records are much alike
LEADERS = 12  # sorts of children that are distinguished below one parent
ROOM = 2  # for so many records a row, at first: a row can begin one in many groups
MIN_PART = 200  # a group holds at least one part in so many of the page's text


# Forests

MAX_LEAVES = 32  # of a tree: a bit each


# What a page states of itself (see `stated`)

MAX_FACT_LENGTH = 1000  # characters: what is longer is no name, date or headline
MAX_STATING = 1000  # elements of one name; a page with more of them is up to something
MAX_CONTENTS = 50  # of one name of a fact
MAX_CONTENT_LENGTH = 4000  # bytes
MAX_SCRIPTS = 12  # of JSON-LD that are read
MAX_SCRIPT_BYTES = 400_000  # of a script that are read for texts

# The keys of JSON-LD whose strings are read: of texts that stand in the page too (the article's, parts of recipes and
# guides, answers), of what sums it up, and of headlines.
_BODY_KEYS = ("articleBody", "reviewBody")
_PART_KEYS = ("recipeIngredient", "ingredients", "recipeInstructions", "text")
_SUMMARY_KEYS = ("description", "abstract")
STATED_KEYS: tuple[bytes, ...] = tuple(
    f'"{key}"'.encode() for key in (*_BODY_KEYS, *_PART_KEYS, *_SUMMARY_KEYS, "headline")
)
FIRST_PART_KEY: int = len(_BODY_KEYS)
FIRST_SUMMARY_KEY: int = FIRST_PART_KEY + len(_PART_KEYS)
HEADLINE_KEY: int = FIRST_SUMMARY_KEY + len(_SUMMARY_KEYS)
KEYS: int = HEADLINE_KEY + 1
MAX_KEY_VALUES = 500  # of one key in one script

# A phrase of a script: words in a row, or bytes of letters beyond ASCII.
MIN_SAID_WORDS, MAX_SAID_WORDS = 5, 8
MIN_SAID_BYTES, MAX_SAID_BYTES = 45, 60


# Links (see `places`, `links`, `addresses`, `targets`)

MIN_LINE = 20  # width of the line of a card that is its title
INLINE_BEFORE = 12  # characters before a link in running text, at least
MAX_TEXTS = 50  # in a link: one with more was never closed

# What is known of a place, as bits.
PLACE_NAVIGATION = 1
PLACE_LABEL = 2  # tags, sections, the author of an item
PLACE_HEADER = 4
PLACE_UNTOLD = 8  # of an element: its classes say nothing of the place
PLACE_SIDE = 16  # a column beside the page's own list, or a list of what is read most
PLACE_WIDGET = 32  # a part that sites put into side columns, and some around everything
PLACE_MAIN = 64  # what holds the page's own content
PLACE_AROUND = 128  # holds a list too: the bits for navigation and a side are about another part of it

MAX_PART_HEADING_LENGTH = 40  # characters of what is above a part of the page, as "Most read"

# How a link stands, as bits.
IN_HEADING = 1  # or around one
IN_TEXT = 2  # stands in running text
IS_BOOKMARK = 4  # by its `rel`
IS_LABEL = 8
IS_REPEATED = 16  # links that lead elsewhere show the same

# Where a link leads: to no page, to one whose address is written, or to one that is not plain to see.
LEADS_NOWHERE, LEADS_THERE, LEADS_UNSURE = range(3)
MAX_PLAIN_LENGTH = 900  # bytes of an address, and of the page's own, that is plain

# What a character of an address may be part of, as bits.
IN_PATH = 1
IN_QUERY = 2
IN_HOST = 4

# What a name in an address is, as bits.
NAMES_LIST = 1
NAMES_SERVICE = 2
NAMES_STATIC = 4
NAMES_FILE = 8  # the end of the name of a file that is no page
NAMES_ENDING = 16  # the end of the name of one that is
NAMES_PAGE = 32  # may stand before the number of a page

MANY_WORDS = 3  # in a slug: few sections have names so long
LONG_NUMBER = 5  # digits: the number of an article, not of a year or a page
MIN_NUMBER = 3  # digits
MAX_ARCHIVE_LENGTH = 11  # bytes: year, month, day

# What stands next to a link (see `items`)

MAX_ABOVE_LINK = 3  # block elements from a link that stands alone to its item
MAX_LINES_BESIDE = 40  # of an item that are looked at, as it may be a whole article
MAX_TIMES_BESIDE = 40  # `time` elements
MAX_DATE_LINE_LENGTH = 100  # characters of a line that is there for the date
MIN_SUMMARY_CHARS = 8  # of a line, without blanks: one with fewer is not as wide as a summary


# What hides a row

# Of the ways of `pagesieve.page.styles.WAYS`, those up to LAST_SOFT: methods judge whether a script shows the text
# after all, as there are many such pages.
SHOWN = 0
HIDDEN_ATTRIBUTE = 1
NOT_DISPLAYED = 2
NOT_VISIBLE = 3
LAST_SOFT = NOT_VISIBLE

# What a quick look at an inline style tells, as bits: of the element itself,
STYLE_GONE = 1  # it is not displayed
STYLE_VISIBLE = 2
STYLE_INVISIBLE = 4
STYLE_ODD = 8  # only a closer look tells these
STYLE_HARD = 16  # it may be hidden in another way
# and of what it inherits to those inside.
STYLE_SIZE = 32
STYLE_COLOUR = 64
STYLE_BEHIND = 128  # the colour behind its text
STYLE_IMAGE = 256  # the image behind it

MAX_WORD_LENGTH = 31  # bytes of a class for screen readers
SIEVE_SIZE = 1 << 14  # places of a sieve of names, a power of two
