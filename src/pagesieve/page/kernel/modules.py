"""The modules of the kernel: the one list that the build, the loader and the tests read.

`CONSTANTS` are plain Python modules of whole numbers. The build writes a `.pxd` with an enum beside each, so that
compiled modules see C constants. `COMPILED` are in an order in which each uses only those before it. They are all in
`LIBRARY`, together with `SHARED`: what Cython itself needs for memoryviews.
"""

LIBRARY = "compiled"
SHARED = "memoryviews"
CONSTANTS = ("constants", "tags", "feature_table", "unit_table", "group_table", "name_table")
COMPILED = (
    "view",
    "attributes",
    "cleaning",
    "digests",
    "derive",
    "names",
    "visibility",
    "lines",
    "tables",
    "units",
    "deciding",
    "punctuation",
    "stated",
    "facts",
    "posts",
    "features",
    "trees",
    "words",
    "wholes",
    "evidence",
    "stories",
    "recurring",
    "group_features",
    "record_cuts",
    "record_rows",
    "record_fields",
    "kinds",
    "places",
    "tokenizer",
    "builders",
    "tape",
    "roles",
    "document",
    "plaintext",
    "links",
    "addresses",
    "targets",
    "items",
    "main_list",
    "encodings",
    "headline",
    "engine",
)
