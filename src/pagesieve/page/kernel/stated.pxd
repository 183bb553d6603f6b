"""What other kernel modules ask of what a page states."""

cpdef dict meta_values(object page, bytes names)
