"""The modules of the kernel: the one list that the build, the loader and the tests read.

`CONSTANTS` are plain Python modules of whole numbers. The build writes a `.pxd` with an enum beside each, so that
compiled modules see C constants. `INLINE` are plain Python modules of functions that the `.pxd` beside each has inline
for compiled modules. `COMPILED` are in an order in which each uses only those before it.
"""

CONSTANTS = ("constants", "tags", "feature_table", "unit_table", "group_table")
INLINE = ("common",)
COMPILED = tuple(
    (
        "view digests derive suspects style_sheets lines tables units deciding punctuation stated posts features "
        "trees words wholes evidence stories recurring group_features record_cuts record_rows record_fields "
        "siblings line_sums places tokenizer builders tape roles document plaintext links addresses targets items "
        "main_list"
    ).split()
)
