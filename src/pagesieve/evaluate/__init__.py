"""Measure the accuracy and speed of Pagesieve and its peers on labelled pages."""
