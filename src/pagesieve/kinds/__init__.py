"""The kind of a page, and its problem if it is not an article."""
