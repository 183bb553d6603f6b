"""The types of `trees`."""

cimport cython


@cython.final
cdef class Gates:
    """Trees as gates: each shuts out some leaves of its tree.

    The leaves of a tree are numbered from left to right. A row passes the gate of a choice to the left; where it does
    not, it shuts out the leaves on the left. Of those that no gate has shut out, the first is the row's. So rows go
    through all gates in step, whichever way they take, which is what a processor does best.
    """
    cdef const int[::1] used  # the features in use
    cdef const int[::1] column  # of each gate: the place of its feature among these,
    cdef const float[::1] limit  # what passes it,
    cdef const unsigned int[::1] remaining  # and the leaves that remain where a row does not, a bit each
    cdef const int[::1] gate_at  # of each tree: its first gate; and the end of all gates
    cdef const float[::1] leaf  # the scores of the leaves, MAX_LEAVES a tree
    cdef const int[::1] kind  # the column of scores that each tree speaks for

    # Add every tree's score of some rows of features, `width` each, to their rows of scores, `kinds` each.
    cdef int add(
        self, const float *values, Py_ssize_t width, const int *rows, Py_ssize_t count, double *scores, Py_ssize_t kinds
    ) except -1 nogil
    cdef void take(
        self, const float *values, Py_ssize_t width, const int *rows, Py_ssize_t count, Py_ssize_t together,
        float *by_feature,
    ) noexcept nogil


@cython.final
cdef class Scoring:
    cdef const float[:, ::1] values
    cdef Py_ssize_t count
    cdef double *sums
    cdef int *rows
    cdef double[::1] found
    cdef object likelihood  # `found` as an array

    cdef int set_up(self, const float[:, ::1] values, Py_ssize_t count) except -1
    cdef int add(self, Gates gates, Py_ssize_t count) except -1 nogil
    cdef int fill(self, Gates gates, Py_ssize_t count) except -1 nogil
    cdef int score_first(self, Gates early, Gates rest, double baseline, double least, double unlikely) except -1 nogil
    cdef int score_second(self, Gates gates, double baseline, double least) except -1 nogil


cpdef double page_threshold(const double[::1] likelihood, double threshold, double share, double least) except? -1
