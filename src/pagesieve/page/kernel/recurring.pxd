"""The types of `recurring`."""

cimport cython
from pagesieve.page.kernel.view cimport PageView

cdef int _role(int tag) noexcept nogil
cdef unsigned long long _seed() noexcept nogil
cdef unsigned long long _mix(unsigned long long digest, unsigned long long value) noexcept nogil
cdef int _bits(unsigned long long x) noexcept nogil
cdef bint _is_data(const unsigned char[::1] text, int i, int stop) noexcept nogil


@cython.final
cdef class _Hints:
    cdef unsigned int[::1] words  # 0 where a slot is free
    cdef unsigned char[::1] bits

    cdef int of_word(self, unsigned long long digest) noexcept nogil
    cdef int of_value(self, const unsigned char[::1] values, int start, int stop) noexcept nogil

cdef unsigned long long _first_name(const unsigned char[::1] values, int start, int stop) noexcept nogil


@cython.final
cdef class _Rows:
    cdef PageView view
    cdef int[::1] own  # its own characters; none in form controls, and none that are data for scripts
    cdef int[::1] before  # the characters before it, and before the end
    cdef unsigned char[::1] seen  # NOTHING, CONTENT, DIVIDER or EMPTY
    cdef unsigned long long[::1] sketch  # the set of tag paths below it, WORDS words each
    cdef int[::1] above  # the nearest row, at or above, that stands on paths
    cdef unsigned int[::1] classes  # a digest of its first class, without digits
    cdef unsigned char[::1] hints  # the bits of the words in its class and id
    cdef unsigned int[::1] texts  # a digest of its own text

    cdef void count_characters(self, unsigned char[::1] silent) noexcept
    cdef void see(self) noexcept
    cdef void draw(self) noexcept
    cdef void read_names(self, _Hints hints) noexcept
    cdef void digest_text(self, int row) noexcept nogil
    cdef int chars(self, int row) noexcept nogil
    cdef bint is_around_blocks(self, int row) noexcept nogil
    cdef int alike(self, int a, int b) noexcept nogil


cdef int[::1] _twice(int[::1] column)


@cython.final
cdef class _Groups:
    cdef _Rows rows
    cdef int[::1] kind  # of each group: how it was found,
    cdef int[::1] region  # the row that holds its records,
    cdef int[::1] first  # the number of its first record,
    cdef int[::1] lead  # and how many children of the region stand before that
    cdef int[::1] begin  # of each record: its first row,
    cdef int[::1] end  # and the row after its last
    cdef int groups, records
    cdef int room  # for groups, and for records
    cdef int least  # characters that a group has

    cdef void open(self, int kind, int region, int lead) noexcept nogil
    cdef void add(self, int begin, int end) noexcept nogil
    cdef void grow(self) noexcept with gil
    cdef void close(self) noexcept nogil


@cython.final
cdef class _Children:
    cdef _Rows rows
    cdef _Groups into
    cdef int region, count
    cdef int[::1] child
    cdef int[::1] label  # of each child the number of the leader that it goes with, or -1
    cdef int[::1] shape  # the labels by likeness
    cdef int labels
    cdef int[::1] leader  # the first child of each label,
    cdef int[::1] size  # and how many children have it
    cdef int[::1] known  # labels that were met, one on

    cdef void collect(self, int region) noexcept nogil
    cdef void gather(self, int region) noexcept nogil
    cdef void label_by_shape(self, int enough) noexcept nogil
    cdef int likeness(self, int leader, int child) noexcept nogil
    cdef void label_by_class(self) noexcept nogil
    cdef void set_label(self, int i, int label) noexcept nogil
    cdef bint differs(self) noexcept nogil
    cdef void by_label(self, int kind) noexcept nogil
    cdef int first(self, int label) noexcept nogil
    cdef void add(self, int first, int last) noexcept nogil
    cdef void singles(self, int kind, int label) noexcept nogil
    cdef bint is_regular(self, int head) noexcept nogil
    cdef int longest_run(self, int head) noexcept nogil
    cdef void headed(self, int head) noexcept nogil
    cdef void parted(self, int divider) noexcept nogil
    cdef bint alternates(self, int head) noexcept nogil
    cdef void by_tag(self) noexcept nogil
    cdef int common_tag(self) noexcept nogil


@cython.final
cdef class _Paths:
    cdef _Rows rows
    cdef _Groups into
    cdef unsigned int[::1] path  # a digest of each row's path of element names,
    cdef unsigned int[::1] key  # and what rows are grouped by
    cdef int slots
    cdef int[::1] head  # of each slot the first row of a key
    cdef int[::1] last  # of each first row the last of its key
    cdef int[::1] following  # the next row of the same key

    cdef void collect(self) noexcept nogil
    cdef void chain(self) noexcept nogil
    cdef void add_groups(self, int kind) noexcept nogil

# Tag paths of records, PATHS bytes each: 1 where the record has the path.
cdef void _mark_paths(const unsigned long long[::1] sketch, int row, unsigned char[::1] has, Py_ssize_t at) noexcept nogil
cdef void _share(const unsigned char[::1] has, const int[::1] having, int[::1] shares) noexcept nogil
