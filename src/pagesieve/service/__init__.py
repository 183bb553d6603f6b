"""Pagesieve over HTTP: pages in, by body or address, and articles, records and Markdown out, within limits."""
