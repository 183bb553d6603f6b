"""Pagesieve inside other tools. Each module imports its tool, so import the one that you need."""
