"""What a document is made of, by number: the kinds of blocks and marks, the columns of their tables, the limits."""

# Kinds of blocks. A CAPTION is a paragraph that belongs to a picture.
DOCUMENT, PARAGRAPH, CAPTION, HEADING, CODE_BLOCK, RULE, BLOCK_QUOTE, BULLET_LIST, NUMBERED_LIST, ITEM = range(10)
DEFINITIONS, TERM, DEFINITION, TABLE, TABLE_CAPTION, TABLE_ROW, CELL, HEADER_CELL = range(10, 18)

# Columns of the block table. END is the block after the last part. BEGIN and STOP are bytes of the document's text; of
# a cell, they are the columns and the rows that it spans. MARKS and MARKS_END are the marks in the text. VALUE is the
# level of a heading, the first number of a list, the page row of a code block, the columns of a table (0 where it is
# written without empty cells), the column of a cell (-1 where it is left out).
KIND, END, BEGIN, STOP, MARKS, MARKS_END, VALUE, BLOCK_COLUMNS = range(8)
# While the table is built, blocks are linked: the first part in place of END, and two columns more.
FIRST, LAST, NEXT, LINKED_COLUMNS = 1, 7, 8, 9

# Kinds of marks. Those up to LINK go around words; the others up to FORMULA (which is not in TeX) go around the text of
# one thing; a BREAK is a byte of the text, the line end; an IMAGE takes no byte. The mark that closes is negative.
STRONG, EMPHASIS, STRIKE, SUPERSCRIPT, SUBSCRIPT, QUOTE, INNER_QUOTE, LINK = range(1, 9)
CODE, CHECKBOX, TEX, FORMULA, BREAK, IMAGE = range(9, 15)

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

# Limits.
DEEPEST = 40  # containers nested further are written as if they were not there
LONGEST_HEADING = 400  # characters: what is longer is an article in a heading that nobody closed
LONGEST_CAPTION = 300  # characters of a figure; with more, its text is more than a caption
LONGEST_PERMALINK = 8  # bytes
MOST_COLUMNS = 1000  # that a cell spans: the HTML standard's own limits
MOST_ROWS = 65534
LARGEST_GRID = 400_000  # places: a table that would fill more is written without its empty cells
LONG_CELL = 600  # characters: cells of data tables are shorter, those of a layout hold whole articles
MEAN_CELL = 150
HEADED = 4  # times as long where the table says what its columns are
CODE_LINES = 3  # code with as many lines is a block, also where the page does not say so
FIRST_IDEOGRAPH = 0x2E80  # from here on, words are not separated by blanks
