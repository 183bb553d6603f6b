"""Characters, white space, dates, numbers and addresses. Knows nothing of pages."""
