"""Decide what is kept of a page by its units, given how likely each line is content."""

cimport cython


@cython.final
cdef class Rules:
    cdef object others
    cdef int least_stories
    # The options, see `pagesieve.methods.decisions.UnitOptions`.
    cdef double keep_share, drop_share, most_share, mean, row_share, amid_mean, figure_mean, alike_mean
    cdef double short_likelihood, section_share, heading_likelihood, value_likelihood, list_mean, list_links
    cdef int part_lines, part_chars, reach, short_line, long_line


cpdef tuple decide(object page, tuple lines, object likelihood, double threshold, object apart, Rules rules)
