# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Small functions that several kernel modules share, inlined into each: there is no module of this name."""

from cpython cimport array
from cpython.ref cimport Py_INCREF, PyObject
from cython cimport view
from libc.stdlib cimport calloc, free, malloc

from pagesieve.page.kernel.constants cimport DIGIT_0, DIGIT_9, LOWER_A, LOWER_Z, SPACE, TAB, CARRIAGE_RETURN
from pagesieve.page.kernel.constants cimport IDEOGRAPHIC_SPACE, NO_BREAK_SPACE, NO_CHARACTER


# A column as it is; a leftover of when columns could be lists.
cdef inline object as_column(object column):
    return column


cdef extern from *:
    """
    static PyObject *empty_arrays[128]; /* by type code; a module keeps its own */
    """
    PyObject *empty_arrays[128]


# An array of zeros, which are written once. One is made after another of its type: Python's own constructor would read
# its arguments, and copy the zeros from a bytes object.
cdef inline object zeros(str code, Py_ssize_t count):
    cdef int letter = ord(code) & 127
    if empty_arrays[letter] == NULL:
        kept = array.array(code)
        Py_INCREF(kept)
        empty_arrays[letter] = <PyObject *> kept
    return array.clone(<array.array> empty_arrays[letter], count, count > 0)  # nothing has no memory to clear


cdef extern from * nogil:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    /* The first touch of memory costs time for every page of it: large blocks get large pages, where the system has them. */
    static void ask_for_large_pages(char *data, size_t size) {
        size_t skipped = (4096 - ((size_t)data & 4095)) & 4095;
        if (size >= (4u << 20)) (void)madvise(data + skipped, size - skipped, 14);  /* MADV_HUGEPAGE */
    }
    #else
    static void ask_for_large_pages(char *data, size_t size) { (void)data; (void)size; }
    #endif
    """
    void ask_for_large_pages(char *data, size_t size)


# Memory for so many bytes, which `free` takes back; it is not cleared.
cdef inline void *room_for(size_t size) except NULL nogil:
    cdef void *found = malloc(size + 8)
    if found == NULL:
        with gil:
            raise MemoryError
    return found


# A matrix of zeros, of numbers of so many bytes; a row at least, since an empty one cannot be made.
cdef inline object matrix(str format, Py_ssize_t size, Py_ssize_t rows, Py_ssize_t columns):
    cdef tuple shape = (rows if rows > 0 else 1, columns)
    cdef view.array made = view.array(shape=shape, itemsize=size, format=format, allocate_buffer=False)
    made.data = <char *> calloc(made.len, 1)  # which does not touch what the system gives as zeros
    made.callback_free_data = free
    if made.data == NULL:
        raise MemoryError
    ask_for_large_pages(made.data, made.len)
    return made


# How many of some numbers in ascending order are below a number: the place of the first that is not.
cdef inline int count_below(const int *numbers, int count, int number) noexcept nogil:
    cdef int low = 0
    cdef int middle
    while low < count:
        middle = (low + count) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            count = middle
    return low


# Digests: 64-bit arithmetic that wraps around.
cdef inline unsigned long long times(unsigned long long a, unsigned long long b) noexcept nogil:
    return a * b


cdef inline unsigned long long plus(unsigned long long a, unsigned long long b) noexcept nogil:
    return a + b


# FNV-1a: what a digest begins with, and a digest with one more value.
cdef inline unsigned long long fnv_seed() noexcept nogil:
    return 0xCBF29CE484222325ULL


cdef inline unsigned long long fnv(unsigned long long digest, unsigned long long value) noexcept nogil:
    return (digest ^ value) * 0x100000001B3ULL


# The same, with the high bits mixed into the low ones.
cdef inline unsigned long long mix(unsigned long long digest, unsigned long long value) noexcept nogil:
    digest = fnv(digest, value)
    return digest ^ (digest >> 29)


# Spread a change of any bit over all bits, so that sums of digests do not cancel out.
cdef inline unsigned long long scatter(unsigned long long digest) noexcept nogil:
    digest = (digest ^ (digest >> 32)) * 0xD6E8FEB86659FD93ULL
    digest = (digest ^ (digest >> 32)) * 0xD6E8FEB86659FD93ULL
    return digest ^ (digest >> 32)


# White space of HTML: tab, line feed, vertical tab, form feed, carriage return, space.
cdef inline bint is_space(int c) noexcept nogil:
    return c == SPACE or TAB <= c <= CARRIAGE_RETURN


# White space beyond ASCII: the two code points that pages use like a space.
cdef inline bint is_wide_space(int code) noexcept nogil:
    return code == NO_BREAK_SPACE or code == IDEOGRAPHIC_SPACE


cdef inline bint is_digit(int c) noexcept nogil:
    return DIGIT_0 <= c <= DIGIT_9


# Letters of ASCII, of either case.
cdef inline bint is_letter(int c) noexcept nogil:
    return LOWER_A <= (c | 0x20) <= LOWER_Z


# UTF-8: how many bytes a character beyond ASCII has, by the first of them; and its code point.
cdef inline int utf8_width(int first) noexcept nogil:
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4


cdef inline int utf8_code(const unsigned char[::1] text, Py_ssize_t i, Py_ssize_t stop) noexcept nogil:
    cdef int first = text[i]
    if first < 0xE0 and i + 1 < stop:
        return (first & 0x1F) << 6 | (text[i + 1] & 0x3F)
    if 0xE0 <= first < 0xF0 and i + 2 < stop:
        return (first & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | (text[i + 2] & 0x3F)
    return NO_CHARACTER
