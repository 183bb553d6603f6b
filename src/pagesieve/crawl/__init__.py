"""A crawl from an address to articles and tables, on Scrapy; and the feeds and sitemaps that lead to pages."""
