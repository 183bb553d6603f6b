"""The page as a table of nodes: how it is read, built, measured and written."""
