"""What is kept of a page, by its units, given how likely each line is content."""

cimport cython


@cython.final
cdef class _Decision:
    cdef const int[::1] units  # UNIT_COLUMNS numbers a unit
    cdef const int[::1] chars, linked
    cdef const double[::1] likelihood
    cdef int count, lines
    # By line: whether it is kept, what decided, and the unit that did.
    cdef unsigned char[::1] kept, why
    cdef int[::1] by
    # Before each line: characters, those kept, and characters times likelihoods.
    cdef double[::1] held, taken, weighed
    # The options, see `pagesieve.articles.by_units.UnitOptions`.
    cdef double keep_share, drop_share, most_share, mean, row_share, amid_mean, figure_mean, alike_mean
    cdef double short_likelihood, section_share, heading_likelihood, value_likelihood, list_mean, list_links
    cdef int part_lines, part_chars, reach, short_line, long_line

    cdef int set_up(
        self,
        const int[::1] units,
        const int[::1] chars,
        const int[::1] linked,
        const double[::1] likelihood,
        object options,
    ) except -1
    cdef int set_options(self, object options) except -1
    cdef int get(self, int unit, int column) noexcept nogil
    cdef void add_up(self) noexcept nogil
    cdef double share(self, int first, int end) noexcept nogil
    cdef double average(self, int first, int end) noexcept nogil
    cdef void put(self, int first, int end, int unit, bint kept, int why) noexcept nogil
    cdef void keep_likely(self, double threshold) noexcept nogil
    cdef void drop_apart(self, const unsigned char[::1] apart) noexcept nogil
    cdef void drop_stories(self, const unsigned char[::1] others) noexcept nogil
    cdef bint is_looked_into(self, int unit) noexcept nogil
    cdef void decide_lists(self) noexcept nogil
    cdef void decide_list(self, int unit) noexcept nogil
    cdef void decide_parts(self) noexcept nogil
    cdef void decide_group(self, int unit) noexcept nogil
    cdef void decide_pair(self, int unit) noexcept nogil
    cdef void decide_inserts(self) noexcept nogil
    cdef void keep_figures_alike(self) noexcept nogil
    cdef bint has_figure_amid(self) noexcept nogil
    cdef bint is_plain_list(self, int unit) noexcept nogil
    cdef double least_mean(self, int why) noexcept nogil
    cdef bint is_amid(self, int unit, double least) noexcept nogil
    cdef int reason(self, int kind) noexcept nogil
    cdef void keep_short_lines(self) noexcept nogil
    cdef bint any_kept(self, int first, int end) noexcept nogil
    cdef void decide_headings(self) noexcept nogil
    cdef bint has_more_than_headings(self) noexcept nogil
    cdef bint is_listed(self, int unit) noexcept nogil
    cdef void decide_heading(self, int unit, int last) noexcept nogil


cdef int _count_stories(const int[::1] units) noexcept nogil

