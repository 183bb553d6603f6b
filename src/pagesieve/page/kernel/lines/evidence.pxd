"""What the block model knows of a page's own statements: which lines repeat its title, its data, its description."""

from pagesieve.page.kernel.lines.features cimport Lines
from pagesieve.page.kernel.page.view cimport PageView
from pagesieve.page.kernel.lines.words cimport LineWords

cdef int tell_titles(PageView view, Lines lines, LineWords words, list titles) except -2
cdef unsigned long long[::1] line_runs(LineWords words)
cdef int tell_stated(
    Lines lines, LineWords words, const unsigned long long[::1] runs, bytes text, int at, int page_at
) except -1
