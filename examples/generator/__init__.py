"""Writes the example site: a small, dirty, repeatable piece of the web (see site.build)."""
