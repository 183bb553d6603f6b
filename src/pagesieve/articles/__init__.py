"""Finding the article: one module a method, and what they share."""
