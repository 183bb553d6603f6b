"""Write the list of files in ARCHITECTURE.md from their docstrings: python docs/make_architecture.py"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "pagesieve"
FILE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- files: written by docs/make_architecture.py -->", "<!-- end of files -->"


def modules() -> list[Path]:
    """Return the modules of the package but its `__init__` files, in the order of the list: folder by folder."""
    found = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
    return sorted((path for path in found if path.name != "__init__.py"), key=lambda path: (path.parent, path))


def first_line(path: Path) -> str:
    """Return the first paragraph of a module's docstring as one line."""
    docstring = ast.get_docstring(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split()).replace("|", r"\|")


def listed() -> Iterator[str]:
    """Yield the lines of the list: a heading and a table for each folder."""
    folder = None
    for path in modules():
        if path.parent != folder:
            folder = path.parent
            name = "pagesieve" if folder == Path() else folder.as_posix()
            yield from ("", f"### {name}/", "", first_line(folder / "__init__.py"), "")
            yield from ("| file | what it does |", "| --- | --- |")
        yield f"| `{path.as_posix()}` | {first_line(path)} |"


def document(text: str) -> str:
    """Return the document with its list of files as the sources have it."""
    before, _, rest = text.partition(BEGIN)
    return "\n".join([before + BEGIN, *listed(), "", END + rest.partition(END)[2]])


if __name__ == "__main__":
    FILE.write_text(document(FILE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{FILE} written\n")
