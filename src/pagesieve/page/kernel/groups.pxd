# Written by setup.py from the module beside it.
cdef enum:
    NOTHING = 0
    CONTENT = 1
    DIVIDER = 2
    EMPTY = 3
    ALIKE = 0
    SAME_TAG = 1
    HEADED = 2
    PARTED = 3
    SAME_PATH = 4
    SAME_TAGS = 5
    SAME_CLASS = 6
    EVERY = 7
    TRANSPARENT = 1
    DIVIDES = 2
    MUTE = 4
    WORDS = 4
    REACH = 6
    TEXT_SPAN = 64
    WORD_SLOTS = 512
    CLASS_SHARE = 20
    ENOUGH = 50
    NEARLY_ALL = 90
    LEADERS = 12
    MOST_GROUPS = 12
    LEAST_PART = 200
