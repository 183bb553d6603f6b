"""What texts are made of: characters, words, numbers and marks, counted in one pass."""

cimport cython


@cython.final
cdef class CharCounter:
    # Counts of all texts read since `clear`.
    cdef int letters  # of ASCII
    cdef int capitals  # among them
    cdef int digits  # of ASCII
    cdef int wide_digits  # full-width ones, which the block model was trained without, and the others with
    cdef int ideographs
    cdef int words  # two ideographs to a word
    cdef int marks, prices
    # Years from 1900 to 2099 and the minutes of times, by two rules: the models were trained on one or the other.
    cdef int dates  # a number ends with its digits (the block model)
    cdef int joined_dates  # wide spaces do not end a number, and minutes end at the text's end or in ASCII (the others)
    cdef bint ended  # whether the last character ends a sentence
    # Of the text that is being read.
    cdef bint in_word
    cdef bint minutes  # whether a colon stands before, and a number before that
    cdef int joined  # digits of a number that may go on
    cdef int joined_number
    cdef bint joined_minutes

    cdef void clear(self) noexcept nogil
    cdef void read(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t read_digits(self, const unsigned char *text, Py_ssize_t i, Py_ssize_t stop) noexcept nogil
    cdef void read_ascii(self, int c) noexcept nogil
    cdef void read_wide(self, int code) noexcept nogil
    cdef void read_sign(self, int sort) noexcept nogil
    cdef void begin_word(self) noexcept nogil
    cdef void end_joined(self, int following) noexcept nogil
