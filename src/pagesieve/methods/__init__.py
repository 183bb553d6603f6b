"""The methods that find an article: a page and options in, a selection out."""
