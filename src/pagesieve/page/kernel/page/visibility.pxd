"""What the elements and the style sheets of a page say of whether its rows are seen."""

ctypedef const unsigned char* Bytes


cdef extern from * nogil:
    """
    #if defined(__GNUC__) && defined(__SSE2__)
    #include <emmintrin.h>
    #define SIXTEEN(at) _mm_loadu_si128((const __m128i *)(css + (at)))
    #define ARE(bytes, byte) _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)(byte)))
    #endif
    /* Where one of three bytes stands in a span, or -1; there are `size` bytes to be read. */
    static inline Py_ssize_t next_of(
        const unsigned char *css, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t size, int a, int b, int c
    ) {
    #ifdef SIXTEEN
        for (; at < stop && at + 16 <= size; at += 16) {
            __m128i bytes = SIXTEEN(at);
            int found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(ARE(bytes, a), ARE(bytes, b)), ARE(bytes, c)));
            if (found) {
                at += __builtin_ctz(found);
                return at < stop ? at : -1;
            }
        }
    #endif
        for (; at < stop; at++) if (css[at] == a || css[at] == b || css[at] == c) return at;
        return -1;
    }
    /* Where a comment or the mark of one of HTML may begin or end in a span (as in slash-asterisk, <!--, -->), or -1. */
    static inline Py_ssize_t next_mark(const unsigned char *css, Py_ssize_t at, Py_ssize_t stop) {
    #ifdef SIXTEEN
        for (; at + 17 <= stop; at += 16) {
            __m128i one = SIXTEEN(at), two = SIXTEEN(at + 1);
            int found = _mm_movemask_epi8(_mm_or_si128(
                _mm_or_si128(_mm_and_si128(ARE(one, 47), ARE(two, 42)), _mm_and_si128(ARE(one, 60), ARE(two, 33))),
                _mm_and_si128(ARE(one, 45), ARE(two, 62))
            ));
            if (found) return at + __builtin_ctz(found);
        }
    #endif
        for (; at + 1 < stop; at++) {
            if (css[at] == 47 && css[at + 1] == 42) return at;
            if (css[at] == 60 && css[at + 1] == 33) return at;
            if (css[at] == 45 && css[at + 1] == 62) return at;
        }
        return -1;
    }
    """
    Py_ssize_t next_of(Bytes css, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t size, int a, int b, int c)
    Py_ssize_t next_mark(Bytes css, Py_ssize_t at, Py_ssize_t stop)
