"""Posts of threads, and comments below articles."""
