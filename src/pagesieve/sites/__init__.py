"""What is known of sites: which URLs are alike, and a library of their pages."""
