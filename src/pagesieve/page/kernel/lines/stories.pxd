"""What is known of the headings of a page that may begin another article than the page's own."""

from pagesieve.page.kernel.lines.features cimport Lines
from pagesieve.page.kernel.page.view cimport PageView

cdef tuple describe_headings(
    PageView view,
    Lines lines,
    const int[:, ::1] groups,
    const unsigned char[::1] kept,
    const double[::1] likelihood,
    int title,
)
