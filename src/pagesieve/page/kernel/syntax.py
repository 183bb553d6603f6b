"""The numbers that the tokenizer and those who read its tokens share."""

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
BEFORE_HTML = 0
BEFORE_HEAD = 1
IN_HEAD = 2
AFTER_HEAD = 3
IN_BODY = 4
AFTER_BODY = 5
AFTER_HTML = 6

# What becomes of a start tag.
INSERT = 0
IGNORE = 1
MERGE = 2  # its attributes go to the html or body that is open already
REPROCESS = 3  # in the insertion mode that it has led to

# What the builder reads from a source; a page with more is left to the parser.
DEEPEST = 500  # levels
MOST_ATTRIBUTES = 500  # of an element

# How the limits on nesting count an element; 0 is any other.
FLAT = 1  # not at all
FORMATTED = 2  # with a limit of its own
SHAPE = 3  # not if a slash closes it
ROOT = 4  # each start tag
MOST_ROOTS = 16
