"""What other kernel modules ask of what a page states."""

cpdef list meta_values(object page, bytes names, Py_ssize_t most)
