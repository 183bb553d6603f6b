"""Records of a page: search results, threads and lists, found and cut without anything labelled."""
