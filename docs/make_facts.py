"""Write the tables of facts in metadata.md and batch.md from the one list of them: python docs/make_facts.py"""

from __future__ import annotations

import sys
from pathlib import Path

from pagesieve.articles.facts import LISTS, MEANINGS

FOLDER = Path(__file__).resolve().parent
BEGIN, END = "<!-- facts: written by docs/make_facts.py -->", "<!-- end of facts -->"
ELSEWHERE = {"url": "all", "title": "article, headline, all"}  # what rows without an article have too


def of_articles() -> list[str]:
    """Return the lines of the table in metadata.md."""
    return ["| fact | what it is |", "| --- | --- |", *(f"| `{name}` | {what} |" for name, what in MEANINGS.items())]


def of_rows() -> list[str]:
    """Return the lines of the table in batch.md, with the types of columns."""
    types = {name: "list<string>" if name in LISTS else "string" for name in MEANINGS}
    rows = [
        f"| `{name}` | `{types[name]}` | {ELSEWHERE.get(name, 'article, all')} | {what} |"
        for name, what in MEANINGS.items()
    ]
    return ["| fact | type | in | |", "| --- | --- | --- | --- |", *rows]


TABLES = {"metadata.md": of_articles, "batch.md": of_rows}


def document(name: str, text: str) -> str:
    """Return a document with its table as the list has it."""
    before, _, rest = text.partition(BEGIN)
    return "\n".join([before + BEGIN, *TABLES[name](), END + rest.partition(END)[2]])


if __name__ == "__main__":
    for name in TABLES:
        path = FOLDER / name
        path.write_text(document(name, path.read_text(encoding="utf-8")), encoding="utf-8")
        sys.stdout.write(f"{path} written\n")
