"""Records of a page: search results, threads and lists, found without labelled pages."""
