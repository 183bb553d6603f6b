"""Write the example site, or check that it is written as this generator would write it.

python examples/generate.py            rewrites examples/site, gold.jsonl, crawl.jsonl and records.jsonl
python examples/generate.py --check    writes nothing; exit status 1 and one line where files differ
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from generator.site import build

HERE = Path(__file__).resolve().parent
SITE = "site"


def differing(folder: Path) -> list[str]:
    """Return the paths that are missing in a folder, differ there, or should not be there."""
    files = build()
    present = {path.relative_to(folder).as_posix() for path in (folder / SITE).rglob("*") if path.is_file()}
    wrong = [path for path, content in files.items() if not has(folder / path, content)]
    return sorted([*wrong, *(present - set(files))])


def has(path: Path, content: bytes) -> bool:
    """Say whether a file has this content."""
    return path.is_file() and path.read_bytes() == content


def write(folder: Path) -> int:
    """Write every file, remove strangers from the site folder, and return how many files there are."""
    files = build()
    for path in (folder / SITE).rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return len(files)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Write the example site.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where files differ")
    parser.add_argument(
        "--folder", type=Path, default=HERE, help="where site/ and the gold go (default: beside this file)"
    )
    chosen = parser.parse_args(arguments)
    if not chosen.check:
        print(f"{write(chosen.folder)} files written to {chosen.folder}", file=sys.stderr)
        return 0
    wrong = differing(chosen.folder)
    if wrong:
        print(
            f"{len(wrong)} files differ from the generator's, first {wrong[0]}: run examples/generate.py",
            file=sys.stderr,
        )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
