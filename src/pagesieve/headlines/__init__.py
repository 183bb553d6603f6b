"""Headlines: the catalogue step, which reads what other pages call an article, and the headline itself."""
