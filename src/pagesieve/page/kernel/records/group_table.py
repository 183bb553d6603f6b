"""The features of groups that recur on a page (see `group_features`): their names and the columns they stand in."""

from __future__ import annotations

# The order is that of the columns: GROUP_RECORDS is 0, and so on.
GROUP_NAMES = (
    "records free_text text share uneven_text alike same_class distinct with_link links images with_image "
    "with_heading cover depth bad_above bad good_above good controls close texts uneven_texts lead headed parted "
    "with_long_text head_with_link inline log_share "
    # What surrounds the group,
    "before after heading_gap heading_level h1_gap h1_inside pager_after panel_above main_above nav_above aside_above "
    "form_above center_above twins parents parent_cover pager_gap "
    # what its records hold,
    "count link_text items with_number numbers with_price with_time with_paragraph shortest longest rows roots "
    # where their first links lead,
    "same_target other_target no_target "
    # what elements they are,
    "list_items table_rows articles paragraphs anchors boxes cells texts_alone in_list in_table same_path every "
    "tag_group "
    # and what page it is.
    "page_text page_links page_linked"
).split()
GROUP_COLUMNS = len(GROUP_NAMES)
globals().update({f"GROUP_{name}".upper(): column for column, name in enumerate(GROUP_NAMES)})

# The words in the classes and ids of a row, as bits.
GOOD_HINT, BAD_HINT, PANEL_HINT, MAIN_HINT, PAGER_HINT, NO_LIST_HINT = 1, 2, 4, 8, 16, 32
NO_LIST_ROLE = 64  # of words that are a hint only as a role

# Roles of elements in a record, as bits.
ROLE_HEADING, ROLE_CONTROL, ROLE_ASIDE, ROLE_INLINE, ROLE_ITEM = 1, 2, 4, 8, 16

# What is above a row, as bits.
ABOVE_PANEL, ABOVE_MAIN, ABOVE_NAV, ABOVE_ASIDE, ABOVE_FORM, ABOVE_CENTER, ABOVE_NO_LIST = 1, 2, 4, 8, 16, 32, 64

# What is counted below each row.
HELD_CHARS, HELD_FREE, HELD_LINKS, HELD_IMAGES, HELD_TEXTS, HELD_LONG, HELD_HEADINGS, HELD_CONTROLS = range(8)
HELD_ITEMS, HELD_NUMBERS, HELD_PRICES, HELD_TIMES, HELD_PARAGRAPHS, HELD_PAGERS = range(8, 14)
HELD = 14

LONG_FREE_TEXT = 40  # characters of a text outside of links that is more than a label
PARAGRAPH = 150  # characters of one that is a paragraph
NUMBER_SPAN = 48  # bytes of a text in which a digit or a sign of a currency is looked for
ENOUGH_RECORDS = 30  # more records do not add to the score
SHARE_PARTS = 50  # parts of the page's text: a group with less than one part counts as small
MAX_HINTS = 3
