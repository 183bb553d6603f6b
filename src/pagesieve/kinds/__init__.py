"""The kind of a page, and what it is instead of an article."""
