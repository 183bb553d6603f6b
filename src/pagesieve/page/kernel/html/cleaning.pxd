"""The characters of a page that no reader sees (see pagesieve.text.whitespace), dropped before the page is made."""

cdef extern from * nogil:
    """
    #ifdef __GNUC__
    typedef unsigned char plain_block __attribute__((vector_size(16)));
    static int is_empty(plain_block odd) {
        unsigned long long halves[2];
        __builtin_memcpy(halves, &odd, 16);
        return (halves[0] | halves[1]) == 0;
    }
    /* Most blocks are told by their bytes alone; others, with quotes or the signs of Chinese and Japanese, by those
       after them. */
    static int is_plain(const unsigned char *data) {
        plain_block c, second, third, odd;
        __builtin_memcpy(&c, data, 16);
        odd = (plain_block)(((c < 32) & (c != 9) & (c != 10) & (c != 13)) | (c == 127) | (c == 0xCD) | (c == 0xE1)
            | (c == 0xF0) | (c == 0xF3));
        if (!is_empty(odd)) return 0;
        odd = (plain_block)((c == 0xC2) | (c == 0xE2) | (c == 0xE3) | (c == 0xEF));
        if (is_empty(odd)) return 1;
        __builtin_memcpy(&second, data + 1, 16);
        __builtin_memcpy(&third, data + 2, 16);
        odd = (plain_block)(((c == 0xC2) & ((second < 0xA0) | (second == 0xAD)))
            | ((c == 0xE2) & (second == 0x80) & (((third > 0x8A) & (third < 0x8E)) | ((third > 0xA9) & (third < 0xAF))))
            | ((c == 0xE2) & (second == 0x81)) | ((c == 0xE3) & (second == 0x85))
            | ((c == 0xEF) & ((second == 0xB8) | (second == 0xBB) | (second > 0xBD))));
        return is_empty(odd);
    }
    #else
    static int is_plain(const unsigned char *data) { (void)data; return 0; }
    #endif
    """
    # Whether no such character begins in 16 bytes, two more than which are read; False where it must be looked for one
    # by one.
    bint is_plain(const unsigned char* data)

# Whether a span of UTF-8 may hold such a character.
cdef bint has_suspect(const unsigned char* data, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
# Return the first row whose text may hold one, but for scripts and styles; `rows` without one.
cdef int first_unclean(
    int rows, const int* tag, const int* parent, int* text_at, const unsigned char* text
) noexcept nogil
# Return the texts of `rows` rows, cleaned from the row `first` on but for scripts and styles: change `text_at` where
# they get shorter or longer.
cdef bytes cleaned_texts(int rows, const int* tag, const int* parent, int* text_at, const unsigned char* text, int first)
# The same for the values of `count` attributes, which may be clean.
cdef bytes cleaned_values(int count, int* value_at, const unsigned char* values, bint is_clean)
