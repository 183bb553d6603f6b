"""What a page says of itself: title, authors, dates, tags, its next part."""
