"""Memory for the features of lines that is used again from page to page; there is no module of this name."""

from cython cimport view as views

cdef extern from * nogil:
    """
    #include <stdlib.h>
    #include <string.h>

    /* Blocks of memory that are used again for the next page, since the first touch of new memory takes long. A block begins with its size, in as many bytes as leave what follows aligned. */
    enum { BLOCK_HEAD = 64, KEPT_BLOCKS = 2, MAX_KEPT_SIZE = 8 << 20 };
    static char *kept_blocks[KEPT_BLOCKS];

    static void *take_block(size_t size) {
        char *found = NULL;
        int k;
        for (k = 0; k < KEPT_BLOCKS && found == NULL; k++)
            if (kept_blocks[k] != NULL && *(size_t *)kept_blocks[k] >= size) {
                found = kept_blocks[k];
                kept_blocks[k] = NULL;
            }
        if (found != NULL) return found + BLOCK_HEAD;
        /* A large block goes back to the system: it needs no room to grow. */
        size_t room = size <= MAX_KEPT_SIZE ? size + size / 2 : size;
        found = malloc(room + BLOCK_HEAD);
        if (found == NULL) return NULL;
        *(size_t *)found = room;
        return found + BLOCK_HEAD;
    }

    static void leave_block(void *data) {
        char *block = (char *)data - BLOCK_HEAD;
        int k;
        for (k = 0; k < KEPT_BLOCKS && *(size_t *)block <= MAX_KEPT_SIZE; k++)
            if (kept_blocks[k] == NULL || *(size_t *)kept_blocks[k] < *(size_t *)block) {
                char *other = kept_blocks[k];
                kept_blocks[k] = block;
                free(other);
                return;
            }
        free(block);
    }
    """
    # Memory, which is not cleared, and what is done with it afterwards; both with the GIL.
    void *take_block(size_t size)
    void leave_block(void *data) noexcept


# A matrix of `float`, which is not cleared, with a row at least, in memory that is used again.
cdef inline object pooled_matrix(Py_ssize_t rows, Py_ssize_t columns):
    cdef tuple shape = (rows if rows > 0 else 1, columns)
    cdef views.array made = views.array(shape=shape, itemsize=4, format="f", allocate_buffer=False)
    made.data = <char *> take_block(made.len)
    made.callback_free_data = leave_block
    if made.data == NULL:
        raise MemoryError
    return made
