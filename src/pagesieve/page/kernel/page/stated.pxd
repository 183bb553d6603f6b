"""The types of `stated`."""

cimport cython
from pagesieve.page.kernel.page.view cimport PageView

ctypedef const unsigned char* Bytes


@cython.final
cdef class Statements:
    cdef bytes text_buffer, value_buffer  # the buffers of the page,
    cdef Bytes text_data, value_data  # and their bytes
    cdef const int[::1] value_at
    # The facts in `meta` elements: the attributes with their names and contents, and whether the first is `property`.
    cdef int count
    cdef int[::1] names, contents
    cdef unsigned char[::1] is_property
    cdef dict places_of  # the places of the contents of each name, by its letters; None before one is asked for
    cdef list title_spans  # where the titles begin and end, up to one that surely has text
    cdef bint has_title, has_canonical
    cdef readonly str canonical, base
    cdef readonly list scripts
    # What was read; None as long as nobody asked for it.
    cdef str known_title
    cdef list known_headlines, known_titles, known_social
    cdef list said  # the strings of bodies, parts and summaries; or a key, and where the script with its values is
    cdef public object address, linked

    cdef int find(self, PageView view) except -1
    cdef int add(self, PageView view, int row, int tag) except -1
    cdef int add_title(self, PageView view, int row) except -1
    cdef int add_link(self, PageView view, int row) except -1
    cdef void add_fact(self, PageView view, int row) noexcept nogil
    cdef list places(self, str name)
    cdef int sort_places(self) except -1
    cdef bytes content(self, int at)
    cdef list social_titles(self)
    cdef int read_scripts(self) except -1
    cdef list strings(self, list said, object read_key)


cpdef Statements statements(object page)
cpdef str folded(bytes text)
