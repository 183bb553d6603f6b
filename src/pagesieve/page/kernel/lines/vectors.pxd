"""C that uses a processor's vectors; there is no module of this name.

`add_trees` takes rows through trees in step. The compiler makes it for vectors of four numbers and of eight, and the
processor decides which one runs; and for 8, 16 and 32 rows. Compilers without vectors get one number at a time.
"""

cdef extern from * nogil:
    """
    #include <string.h>

    enum { ROWS_AT_ONCE = 32 };

    #ifdef __GNUC__
    #define FIRST_BIT(bits) __builtin_ctz(bits)
    #define FETCH(address) __builtin_prefetch(address)
    #define VECTOR(type, bytes) type __attribute__((vector_size(bytes), aligned(4), may_alias))
    #define IS_ABOVE(value, limit) ((value) > (limit))
    #else
    #include <intrin.h>
    static int first_bit(unsigned int bits) { unsigned long at = 0; _BitScanForward(&at, bits); return (int)at; }
    #define FIRST_BIT(bits) first_bit(bits)
    #define FETCH(address) ((void)(address))
    #define VECTOR(type, bytes) type
    #define IS_ABOVE(value, limit) (-((value) > (limit)))
    #endif

    static void fetch_rows(const float *values, Py_ssize_t width, const int *rows, Py_ssize_t count) {
        Py_ssize_t row, at;
        for (row = 0; row < count; row++)
            for (at = 0; at < width; at += 16) FETCH(values + width * rows[row] + at);
    }

    /* Of `left`, a bit is a leaf that no gate of the tree has shut out yet. */
    #define ADD_TREES(name, rows, bytes, attribute) \\
    attribute static void name(const int *gate_at, const int *column, const float *limit, \\
            const unsigned int *remaining, const float *leaf, const float *by_feature, double *sums, \\
            int tree, int end) { \\
        typedef VECTOR(float, bytes) floats; \\
        typedef VECTOR(int, bytes) ints; \\
        enum { PARTS = rows * sizeof(int) / sizeof(ints) }; \\
        unsigned int bits[rows]; \\
        float found[rows]; \\
        ints left[PARTS]; \\
        int gate, part, row; \\
        for (; tree < end; tree++) { \\
            memset(left, 0xFF, sizeof left); \\
            for (gate = gate_at[tree]; gate < gate_at[tree + 1]; gate++) { \\
                const floats *values = (const floats *)(by_feature + rows * (size_t)column[gate]); \\
                const float most = limit[gate]; \\
                const int mask = (int)remaining[gate]; \\
                for (part = 0; part < PARTS; part++) left[part] &= ~IS_ABOVE(values[part], most) | mask; \\
            } \\
            memcpy(bits, left, sizeof bits); \\
            for (row = 0; row < rows; row++) found[row] = leaf[32 * (size_t)tree + FIRST_BIT(bits[row])]; \\
            for (row = 0; row < rows; row++) sums[row] += found[row]; \\
        } \\
    }

    #define ADD_ROWS(name, bytes, attribute) \\
    ADD_TREES(name##_8, 8, bytes, attribute) \\
    ADD_TREES(name##_16, 16, bytes, attribute) \\
    ADD_TREES(name##_32, 32, bytes, attribute) \\
    static void name(int rows, const int *gate_at, const int *column, const float *limit, \\
            const unsigned int *remaining, const float *leaf, const float *by_feature, double *sums, \\
            int tree, int end) { \\
        (rows == 8 ? name##_8 : rows == 16 ? name##_16 : name##_32)( \\
            gate_at, column, limit, remaining, leaf, by_feature, sums, tree, end); \\
    }

    #if defined(__GNUC__) && defined(__x86_64__)
    ADD_ROWS(add_trees_by_four, 16, )
    ADD_ROWS(add_trees_by_eight, 32, __attribute__((target("avx2"))))
    #define add_trees (__builtin_cpu_supports("avx2") ? add_trees_by_eight : add_trees_by_four)
    #else
    ADD_ROWS(add_trees, 16, )
    #endif
    """
    const Py_ssize_t ROWS_AT_ONCE
    int FIRST_BIT(unsigned int bits)  # the place of the lowest bit that is set
    # Have some rows of so many numbers brought from memory while something else is done.
    void fetch_rows(const float *values, Py_ssize_t width, const int *rows, Py_ssize_t count)
    # Add to the sums of 8, 16 or 32 rows what the trees from `tree` to `end` say of them; `by_feature` has their
    # features, one after the other.
    void add_trees(
        int rows, const int *gate_at, const int *column, const float *limit, const unsigned int *remaining,
        const float *leaf, const float *by_feature, double *sums, int tree, int end,
    )
