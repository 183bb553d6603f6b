"""Small functions that several kernel modules share. A call from another module is a call through a pointer."""

# A column as the kernel reads it fastest: as it is when compiled, as a list when not.
cpdef object as_column(object column)
# Room for so many numbers, whatever they are now: to clear it may take as long as to read a page.
cpdef object int_room(Py_ssize_t count)
# So many zeros.
cpdef object int_zeros(Py_ssize_t count)

# Digests: 64-bit arithmetic that wraps around.
cdef unsigned long long mix(unsigned long long digest, unsigned long long value) noexcept nogil
cdef unsigned long long times(unsigned long long a, unsigned long long b) noexcept nogil
cdef unsigned long long plus(unsigned long long a, unsigned long long b) noexcept nogil
cdef unsigned long long scatter(unsigned long long digest) noexcept nogil

# White space of HTML: tab, line feed, vertical tab, form feed, carriage return, space.
cdef bint is_space(int c) noexcept nogil
