"""Measure the house: python -m tools.walks [SRC]

Prints the files and lines of the package, with and without blank lines and comments, those of the kernel's `.pxd` files
apart, its largest files and longest functions, and the number of modules that only one other module imports. Then come
the walks: how many files and functions run for one page, and how often the running code changes from one file to
another. The walks of `crawl` and `serve` are those of their page processes; before them stands how many modules the
command loads. The kernel is compiled, so its functions do not count. SRC is the `src` folder of another version, which
is measured in place of this one.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parents[1]
SITE = HERE / "examples" / "site"
ARTICLE = SITE / "en" / "2024" / "05" / "seal-closes-pool-4181077.html"
LIST = SITE / "shop" / "grid.html"
ADDRESS = "https://www.example.com/en/2024/05/seal-closes-pool-4181077.html"
MAX_LINES = 700  # of a file
WRITTEN = "# Written by setup.py"  # begins the .pxd files that the build writes


def main() -> None:
    """Print all figures of a version."""
    if sys.argv[1:2] == ["--walk"]:
        print_walk(sys.argv[2])
        return
    source = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "src").resolve()
    package = source / "pagesieve"
    files = sorted(package.rglob("*.py"))
    lines = {path: path.read_text(encoding="utf8").splitlines() for path in files}
    code = sum(is_code(line) for each in lines.values() for line in each)
    print(f"{len(files)} files, {sum(map(len, lines.values())):,} lines, {code:,} without blank lines and comments")
    declarations = [path.read_text(encoding="utf8").splitlines() for path in package.rglob("*.pxd")]
    declarations = [each for each in declarations if not each[0].startswith(WRITTEN)]
    print(f"{len(declarations)} .pxd files, {sum(map(len, declarations)):,} lines")
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

Work = Callable[[], object]


def extract_article() -> Work:
    """Return the work of extracting an article."""
    import pagesieve

    return lambda: pagesieve.extract(ARTICLE.read_bytes())


def find_records() -> Work:
    """Return the work of finding the records of a list without a browser, as rows."""
    import pagesieve

    return lambda: pagesieve.records(LIST.read_bytes(), mode="static").to_rows()


def read_response() -> Work:
    """Return the work of a crawl's page process for one page."""
    from pagesieve.crawl.reading import Reader

    reader = Reader({"bodies": ["text"], "follow": True, "sites": None, "schema": None})
    return lambda: reader.answer(ARTICLE.read_bytes(), {"url": ADDRESS, "content_type": "text/html"})


def answer_request() -> Work:
    """Return the work of the service's page process for one article."""
    from pagesieve.service.jobs import PageJobs

    jobs = PageJobs({"sites": None, "nice": 0})
    about: dict[str, Any] = {"url": ADDRESS, "content_type": "text/html", "job": "article", "options": {}}
    return lambda: jobs.answer(ARTICLE.read_bytes(), about)


class Walk(NamedTuple):
    """What to do for one page, and what the command loads before it."""

    prepare: Callable[[], Work]
    module: str = ""


WALKS = {
    "extract": Walk(extract_article),
    "records": Walk(find_records),
    "crawl": Walk(read_response, "pagesieve.crawl.run"),
    "serve": Walk(answer_request, "pagesieve.service.app"),
}


def print_walk(name: str) -> None:
    """Print the modules that a command loads, and the files, functions and changes of file of one page.

    The page is read a second time for that: what is loaded once does not count.
    """
    walk, loads = WALKS[name], ""
    if walk.module:
        import_module(walk.module)
        loads = f"{sum(each.startswith('pagesieve.') for each in sys.modules)} modules loaded; "
    work = walk.prepare()
    work()
    visits = record_visits(work)
    files = {file for file, _ in visits}
    changes = sum(one[0] != other[0] for one, other in pairwise(visits))
    print(f"{loads}{len(files)} files, {len(set(visits))} functions, {changes} changes of file")


def record_visits(work: Work) -> list[tuple[str, str]]:
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
