"""From an address to articles and tables: a crawl on Scrapy, and the lists, feeds and sitemaps that lead to pages."""

EXTRA = "crawl"  # the optional part of Pagesieve that this folder needs
