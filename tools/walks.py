"""Measure the house: python -m tools.walks [SRC]

Prints the files and lines of the package, with and without blank lines and comments, its largest files and longest
functions, and the number of modules that only one other module imports. Then come the walks: how many files and
functions run for `extract` and `records`, and how often the running code changes from one file to another; and how many
modules `crawl` and `serve` load. The kernel is compiled, so its functions do not count. SRC is the `src` folder of
another version, which is measured in place of this one.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType

HERE = Path(__file__).resolve().parents[1]
SITE = HERE / "examples" / "site"
ARTICLE = SITE / "en" / "2024" / "05" / "seal-closes-pool-4181077.html"
LIST = SITE / "shop" / "grid.html"
MAX_LINES = 700  # of a file


def main() -> None:
    """Print all figures of a version."""
    if sys.argv[1:2] == ["--walk"]:
        walk(sys.argv[2])
        return
    source = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "src").resolve()
    package = source / "pagesieve"
    files = sorted(package.rglob("*.py"))
    lines = {path: path.read_text(encoding="utf8").splitlines() for path in files}
    code = sum(is_code(line) for each in lines.values() for line in each)
    print(f"{len(files)} files, {sum(map(len, lines.values())):,} lines, {code:,} without blank lines and comments")
    large = [(len(each), path) for path, each in lines.items() if len(each) > MAX_LINES]
    for count, path in sorted(large, reverse=True):
        print(f"  {count:,} lines: {path.relative_to(package)}")
    print("longest functions:", *(f"{size} {name}" for size, name in longest_functions(files, package)[:5]), sep="\n  ")
    users = module_users(files, package)
    single = [path for path in files if len(users[path]) == 1 and path.name != "__init__.py"]
    short = sum(len(lines[path]) < 70 for path in single)
    print(f"{len(single)} modules with one user, {short} of them below 70 lines")
    for name in WALKS:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(HERE)])}
        command = [sys.executable, "-m", "tools.walks", "--walk", name]
        result = subprocess.run(command, env=environment, cwd=HERE, capture_output=True, text=True, check=False)
        print(f"{name}: {result.stdout.strip() or result.stderr.strip().splitlines()[-1]}")


def is_code(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def longest_functions(files: list[Path], package: Path) -> list[tuple[int, str]]:
    """Return the functions of some files with their lines, the longest first."""
    sizes = []
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or 0) - node.lineno + 1
                sizes.append((size, f"{path.relative_to(package)}:{node.name}"))
    return sorted(sizes, reverse=True)


def module_users(files: list[Path], package: Path) -> dict[Path, set[Path]]:
    """Return the modules of the package that import each module."""
    names = {module_name(path, package): path for path in files}
    users: dict[Path, set[Path]] = defaultdict(set)
    for path in files:
        for name in imported_names(ast.parse(path.read_text(encoding="utf8"))):
            target = names.get(name) or names.get(name.rpartition(".")[0])
            if target is not None and target != path:
                users[target].add(path)
    return users


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Iterate over the modules that a module imports, and the names that it imports from modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.replace("cython.cimports.", "")
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield f"{node.module}.{alias.name}".replace("cython.cimports.", "")


# Walks


def walk_extract() -> object:
    """Extract an article, a second time: what is loaded once does not count."""
    import pagesieve

    return pagesieve.extract(ARTICLE.read_bytes())


def walk_records() -> object:
    """Find the records of a list without a browser, and write them as rows."""
    import pagesieve

    return pagesieve.records(LIST.read_bytes(), mode="static").to_rows()


def walk_crawl() -> object:
    """Load all that a crawl imports."""
    import pagesieve.crawl.run

    return pagesieve.crawl.run


def walk_serve() -> object:
    """Load all that the service imports."""
    import pagesieve.service.app

    return pagesieve.service.app


WALKS: dict[str, Callable[[], object]] = {
    "extract": walk_extract,
    "records": walk_records,
    "crawl": walk_crawl,
    "serve": walk_serve,
}


def walk(name: str) -> None:
    """Print the files, functions and changes of file of one walk; of imports, the files alone."""
    if name in ("crawl", "serve"):
        before = set(sys.modules)
        WALKS[name]()
        loaded = {each for each in set(sys.modules) - before if each.startswith("pagesieve.")}
        print(f"{len(loaded)} modules loaded")
        return
    WALKS[name]()
    visits = record_visits(WALKS[name])
    files = {file for file, _ in visits}
    changes = sum(one[0] != other[0] for one, other in pairwise(visits))
    print(f"{len(files)} files, {len(set(visits))} functions, {changes} changes of file")


def record_visits(work: Callable[[], object]) -> list[tuple[str, str]]:
    """Return the file and the name of each function of the package that runs, in order; a return counts as a visit."""
    import pagesieve

    package = str(Path(pagesieve.__file__).parent)
    visits: list[tuple[str, str]] = []
    stack: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if not file.startswith(package):
            return
        if event == "call":
            stack.append((file, frame.f_code.co_qualname))
            visits.append(stack[-1])
        elif event == "return" and stack:
            stack.pop()
            if stack:
                visits.append(stack[-1])

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return visits


if __name__ == "__main__":
    main()
