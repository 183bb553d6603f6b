"""The facts that a page states: title, authors, dates, tags, the next page of its article."""
