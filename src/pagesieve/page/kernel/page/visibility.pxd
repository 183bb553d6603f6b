"""What the elements and the style sheets of a page say of whether its rows are seen."""

ctypedef const unsigned char* Bytes

# Constants that the compiler knows: a module's own variables would be read again and again.
# Bytes.
cdef enum:
    _RIGHT_BRACE = 125, _LEFT_PARENTHESIS = 40, _RIGHT_PARENTHESIS = 41, _BACKSLASH = 92, _AT = 64,
    _COMMA = 44, _ASTERISK = 42, _A = 97, _C = 99, _E = 101, _F = 102, _H = 104, _R = 114, _S = 115, _V = 118,
    _DOLLAR = 36, _T = 116
# What a byte may be: white space, or a part of a name.
cdef enum:
    _IS_SPACE = 1, _IN_NAME = 2
# In place of a tone.
cdef enum:
    _NO_TONE = -1, _ANY_TONE = -2
# How the value of a property is looked at.
cdef enum:
    _DISPLAY = 1
    _VISIBILITY = 2
    _CONTENT = 3
    _OPACITY = 4
    _FONT = 5  # the size of letters
    _SIZE = 6  # of a box, which hides where what overflows is cut
    _CUTS = 7  # what overflows
    _POSITION = 8
    _SIDE = 9  # a length that hides where the element is placed
    _CLIP = 10  # whatever it is, there
    _ANY = 11  # whatever it is, anywhere
    _FAR = 12  # a length of three digits, anywhere
    _SCALE = 13
    _MOVED = 14  # a length of three digits, or a call that may scale
    _PAINTED = 15  # a colour that may be clear
    _BEHIND = 16  # the colour behind it
    _IMAGE = 17  # the image behind it
    _SHADOW = 18  # what shows letters whatever their colour: they count as black
# Any other value than those that say something.
cdef enum:
    _OTHER = 4
# The sorts of rows that are collected.
cdef enum:
    _WITH_HIDDEN = 0, _WITH_ARIA = 1, _IS_READ_OUT = 2, _IS_DIALOG = 3, _IS_DESCRIPTION = 4, _IS_SHEET = 5,
    _MAY_BE_SHEET = 6
# How a row is hidden while rows are read: a way of those that nothing inside undoes, and a bit.
cdef enum:
    _WAY = 3, _INVISIBLE = 4
# The names of panels that are also in other words.
cdef enum:
    _WOW = 2, _TAB = 3


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
