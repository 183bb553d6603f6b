"""The characters of a page that no reader sees (see pagesieve.text.invisible), dropped before the page is made."""

# Whether a span of UTF-8 may hold such a character.
cdef bint has_suspect(const unsigned char* data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
# Clean the texts of `rows` rows, but for scripts and styles: change `text_at` where texts get shorter or longer, and
# return the buffer, or the one that was given where nothing changes.
cdef bytes cleaned_texts(int rows, const int* tag, const int* parent, int* text_at, bytes text)
# The same for the values of `count` attributes.
cdef bytes cleaned_values(int count, int* value_at, bytes values)
