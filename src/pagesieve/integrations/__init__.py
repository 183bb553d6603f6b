"""Adapters of Pagesieve for other tools. Each module imports its tool, so import only the one that you need."""
