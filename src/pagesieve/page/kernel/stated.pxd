"""The types of `stated`."""

cimport cython
from pagesieve.page.kernel.constants cimport KEYS
from pagesieve.page.kernel.view cimport PageView

cdef int _lower(int byte) noexcept nogil
cdef bint _among(int number, const unsigned char[::1] numbers) noexcept nogil
cdef bint _begins_with(PageView view, int k, const unsigned char[::1] word) noexcept nogil


@cython.final
cdef class _Words:
    cdef unsigned long long[::1] letters  # by byte: which letters of the words it is
    cdef int[::1] left  # by the bit that ends a word: how many more of it count
    cdef unsigned long long begins  # the bits that begin words,
    cdef unsigned long long ends  # and those that end them

    cdef int last_in(self, PageView view, int k) noexcept nogil

ctypedef const unsigned char* Bytes

cdef int _pair(Bytes data) noexcept nogil


@cython.final
cdef class _Word:
    cdef Bytes data
    cdef Py_ssize_t size
    cdef unsigned char[256] steps  # by the number of a pair: how far the word may be, 0 where it may end

    cdef void look_for(self, Bytes data, Py_ssize_t size) noexcept nogil
    cdef bint is_in(self, Bytes data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil


cdef _Word _word(bytes text)
cdef bint _is_of_word(int c) noexcept nogil
cdef Py_ssize_t _after_words(Bytes data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef Py_ssize_t _after_wide(Bytes data, Py_ssize_t start, Py_ssize_t stop) noexcept nogil

# Titles: where what begins at a character ends.
cdef Py_ssize_t _after_blanks(str text, Py_ssize_t at)
cdef Py_ssize_t _after_signs(str title, Py_ssize_t at)
cdef Py_ssize_t _after_parting(str title, Py_ssize_t start)
cdef str _longest_part(str title)

# Texts as a reader reads them.
cdef bint _has_wide_space(Bytes data, Py_ssize_t stop) noexcept nogil
cdef Py_ssize_t _fold(Bytes data, Py_ssize_t stop, unsigned char* into) noexcept nogil
cdef str _without_entities(str text)
cdef str _read(bytes text)
cdef bytes _cleaned(bytes text)
cdef bytes _joined(list texts)

# Strings of JSON.
cdef Py_ssize_t _string_end(Bytes data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef int _hex_number(Bytes data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef int _write_code(unsigned char* into, int code) noexcept nogil
cdef Py_ssize_t _unescape(Bytes data, Py_ssize_t start, Py_ssize_t stop, unsigned char* into) noexcept nogil
cdef bytes _string(Bytes data, Py_ssize_t start, Py_ssize_t stop)
cdef Py_ssize_t _after_space(Bytes data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef Py_ssize_t _value_at(Bytes data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef int _key_at(Bytes data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
cdef bint _is_called(Bytes values, Py_ssize_t start, Py_ssize_t stop, Bytes name, Py_ssize_t size) noexcept nogil


@cython.final
cdef class _Script:
    cdef Py_ssize_t start, stop
    cdef Py_ssize_t limit  # where the part ends that is read for texts
    cdef list found  # by key: its strings, or None where a value is a list, an object or a number
    cdef Py_ssize_t[KEYS] after  # by key: where its last value ends,
    cdef int[KEYS] left  # and how many more of its values are read

    cdef int read(self, Bytes data) except -1
    cdef int read_value(self, Bytes data, int key, Py_ssize_t at) except -1


@cython.final
cdef class Statements:
    cdef bytes text_buffer, value_buffer  # the buffers of the page,
    cdef Bytes text_data, value_data  # and their bytes
    cdef const int[::1] value_at
    # The facts in `meta` elements: the attributes with their names and contents, and whether the first is `property`.
    cdef int count
    cdef int[::1] names, contents
    cdef unsigned char[::1] is_property
    cdef list title_spans  # where the titles begin and end, up to one that surely has text
    cdef bint has_title, has_canonical
    cdef readonly str canonical, base
    cdef readonly list scripts
    # What was read; None as long as nobody asked for it.
    cdef str known_title
    cdef list known_headlines, known_titles
    cdef list said  # the strings of bodies, parts and summaries; or a key, and where the script with its values is
    cdef public object address, linked

    cdef int find(self, PageView view) except -1
    cdef int add(self, PageView view, int row, int tag) except -1
    cdef int add_title(self, PageView view, int row) except -1
    cdef int add_link(self, PageView view, int row) except -1
    cdef void add_fact(self, PageView view, int row) noexcept nogil
    cdef list places(self, str name, bint is_property)
    cdef bytes content(self, int at)
    cdef int read_scripts(self) except -1
    cdef list strings(self, list said, object read_key)


cdef bint _has_year(PageView view, int row) noexcept nogil
