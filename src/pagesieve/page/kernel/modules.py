"""The modules of the kernel: the one list that the build, the loader and the tests read.

`CONSTANTS` are plain Python modules of whole numbers. The build writes a `.pxd` with an enum beside each, so that
compiled modules see C constants. `ROOMS` are the folders of what is compiled, by what it is for. All of it is in
`LIBRARY`, together with `SHARED`: what Cython itself needs for memoryviews.
"""

LIBRARY = "compiled"
SHARED = "memoryviews"
CONSTANTS = ("constants", "tags", "lines.feature_table", "lines.unit_table", "records.group_table", "page.name_table")
ROOMS = {
    "html": ("encodings", "cleaning", "tokenizer", "builders", "tape"),
    "page": (
        "cache",
        "view",
        "attributes",
        "digests",
        "derive",
        "names",
        "punctuation",
        "visibility",
        "stated",
        "facts",
        "posts",
        "places",
        "kinds",
        "addresses",
        "links",
        "targets",
        "headline",
    ),
    "lines": (
        "lines",
        "tables",
        "units",
        "features",
        "words",
        "wholes",
        "evidence",
        "stories",
        "trees",
        "deciding",
        "engine",
    ),
    "records": ("groups", "group_features", "cuts", "rows", "fields", "main_list"),
    "document": ("roles", "document", "plaintext"),
}
COMPILED = tuple(f"{room}.{name}" for room, names in ROOMS.items() for name in names)
