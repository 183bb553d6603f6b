"""Fuzzing: mutated files for everything that reads files of strangers, each case in a process that may die.

`python -m tools.fuzz` runs it; docs/testing.md describes it.
"""
