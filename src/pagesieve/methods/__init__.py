"""The methods that find an article: each takes a page and options, and returns a selection."""
