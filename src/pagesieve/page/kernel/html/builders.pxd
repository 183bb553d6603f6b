"""The builders of the node table: its columns while they grow, and the standard's rules for building the tree."""

cdef enum:
    COLUMNS = 7  # that lie one after the other, by row
