"""The features of groups that recur on a page (see `group_features`): their names and the columns they stand in."""

from __future__ import annotations

# The order is that of the columns: GROUP_RECORDS is 0, and so on.
GROUP_NAMES = (
    "records free_text text share uneven_text alike same_class distinct with_link links images with_image "
    "with_heading cover depth bad_above bad good_above good controls close texts uneven_texts lead headed parted "
    "with_long_text head_with_link inline log_share"
).split()
GROUP_COLUMNS = len(GROUP_NAMES)
globals().update({f"GROUP_{name}".upper(): column for column, name in enumerate(GROUP_NAMES)})

# The words in the classes and ids of a row, as bits.
GOOD_HINT, BAD_HINT = 1, 2

# Roles of elements in a record, as bits.
ROLE_HEADING, ROLE_CONTROL, ROLE_ASIDE, ROLE_INLINE = 1, 2, 4, 8

# What is counted below each row.
HELD_CHARS, HELD_FREE, HELD_LINKS, HELD_IMAGES, HELD_TEXTS, HELD_LONG, HELD_HEADINGS, HELD_CONTROLS = range(8)
HELD = 8

LONG_FREE_TEXT = 40  # characters of a text outside of links that is more than a label
ENOUGH_RECORDS = 30  # more records do not add to the score
SHARE_PARTS = 50  # parts of the page's text: a group with less than one part counts as small
MAX_HINTS = 3
