"""The modules of the kernel: the one list that the build, the loader and the tests read.

`CONSTANTS` are plain Python modules of whole numbers. The build writes a `.pxd` with an enum beside each, so that
compiled modules see C constants. `COMPILED` are in an order in which each uses only those before it.
"""

CONSTANTS = ("tags", "ascii", "blocks")
COMPILED = (
    "common",
    "view",
    "derive",
    "lines",
    "punctuation",
    "features",
    "trees",
    "stated",
    "leaves",
    "recurring",
    "clustering",
    "nesting",
    "builders",
    "tape",
    "matching",
    "document",
    "plaintext",
)
