"""What the block model knows of the wholes that a line is part of: a list, a table, an article, what has the title."""

from pagesieve.page.kernel.lines.features cimport Lines
from pagesieve.page.kernel.page.view cimport PageView
from pagesieve.page.kernel.lines.words cimport LineWords

cdef int describe_wholes(PageView view, Lines lines, LineWords words, int title) except -1
