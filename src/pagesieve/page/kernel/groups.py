"""Constants of the groups that recur on a page (see `recurring`)."""

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
REACH = 6  # levels down that a sketch sees
TEXT_SPAN = 64  # bytes of a text that its digest sees
WORD_SLOTS = 512  # of the table of hints
CLASS_SHARE = 20  # what the same class adds to the likeness of two children, in hundredths
ENOUGH = 50  # hundredths that make two children alike,
NEARLY_ALL = 90  # or so many, where titles and bodies of records are much alike
LEADERS = 12  # sorts of children that are distinguished below one parent
MOST_GROUPS = 12  # in which a row can begin a record
LEAST_PART = 200  # a group holds at least one part in so many of the page's text
