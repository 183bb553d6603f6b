"""The page as a table of nodes: decoding, building, measuring and saving it."""
