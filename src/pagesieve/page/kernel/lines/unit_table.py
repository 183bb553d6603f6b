"""The constants of units (see `units`): parts of a page that are kept or dropped together."""

# Kinds of units. A GROUP is a term with its descriptions; a SECTION goes from its heading to the next of the same or a
# higher level in the same element; a STORY is an article element, which is a document of its own where several are; a
# PAIR is a short line that ends with a colon, with the line after it.
UNIT_TABLE, UNIT_ROW, UNIT_LIST, UNIT_DEFINITIONS, UNIT_GROUP, UNIT_FIGURE = range(1, 7)
UNIT_CODE, UNIT_QUOTATION, UNIT_POST, UNIT_SECTION, UNIT_STORY, UNIT_PAIR = range(7, 13)

# Columns of the table of units: the kind; the rows, from the first to the one after the last; the lines, in the same
# way; the unit around it, or -1; the level of a heading, 1 for a row of headers, how many items, rows or groups there
# are in a list or table; the line after a heading, the terms of a group or a label, otherwise the first line.
UNIT_KIND, UNIT_FIRST, UNIT_END, UNIT_LINE, UNIT_LINE_END, UNIT_PARENT, UNIT_LEVEL, UNIT_HEAD_END = range(8)
UNIT_COLUMNS = 8

# What decided about a line (see `deciding`): the model alone, or a unit, by a rule.
BY_MODEL = 0
BY_WHOLE = 1  # a table, list or definition list, kept or dropped whole
BY_ROW = 2  # the row of a table of which some is kept
BY_TERM = 3  # a term with its description
BY_POST = 4  # an embedded post amid what is kept, or of which some is kept
BY_QUOTATION = 5  # the same of a quotation,
BY_FIGURE = 6  # of a figure with its caption,
BY_CODE = 7  # and of code
BY_LINES = 8  # a short line between two long ones that are kept
BY_SECTION = 9  # a heading whose section is kept, or the last one, of whose section nothing is
BY_STORY = 10  # a part of another article on the page
BY_VALUE = 11  # a label or its value, by the value
BY_AMID = 12  # a list or table amid what is kept, though little of it is

MAX_LABEL_LENGTH = 30  # characters, of the label of a pair
MAX_VALUE_LENGTH = 120
MAX_BLOCK_LEVELS = 8  # up which the block element around a text is looked for
