"""Try an installed Pagesieve: its version, an article, records, and the command: python tools/smoke.py

Needs nothing but the package and the two pages of examples/ that are in every source distribution. It is what
cibuildwheel runs for each wheel, and fails unless the package is an installed one.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARTICLE = ROOT / "examples/site/en/2024/05/seal-closes-pool-4181077.html"
SHOP = ROOT / "examples/site/shop/grid.html"
TITLE = "Seal in the lido closes the slow lane"
BEGINNING = "A young grey seal has moved into the sea-water lido on Harbour Parade"


def check(is_so: bool, what: str) -> None:
    """Print what was tried; end with status 1 where it failed."""
    print(f"{'ok' if is_so else 'FAILED'}: {what}", flush=True)
    if not is_so:
        raise SystemExit(1)


def try_package() -> None:
    """Check where the package is from, its version, and the article and records of a page."""
    import pagesieve

    place = Path(pagesieve.__file__ or "").resolve()
    check(ROOT / "src" not in place.parents, f"installed in {place.parent}")
    version = importlib.metadata.version("pagesieve")
    check(version == pagesieve.__version__, f"pagesieve {version} on Python {sys.version.split()[0]}")
    article = pagesieve.article(ARTICLE.read_bytes(), "https://news.example.org/2024/05/seal-closes-pool-4181077.html")
    check(article.title == TITLE and article.text.startswith(BEGINNING), f"article: {article.title}")
    check(article.language == "en" and bool(article.author), f"facts: {article.author}, {article.date}")
    found = pagesieve.records(SHOP.read_bytes(), "https://shop.example.com/")
    check((len(found), found.to_rows()[0]["price"]) == (24, "£18.50"), f"records: {len(found)}")


def try_command() -> None:
    """Check the command: its help, its version, and an article on standard output."""
    script = Path(sysconfig.get_path("scripts"), "pagesieve.exe" if os.name == "nt" else "pagesieve")
    for arguments, expected in (
        (["--help"], "Commands:"),
        (["--version"], importlib.metadata.version("pagesieve")),
        (["article", str(ARTICLE)], BEGINNING),
        (["article", "-f", "markdown", "--with-metadata", str(ARTICLE)], TITLE),
        (["records", str(SHOP), "-f", "csv"], "£18.50"),
    ):
        done = subprocess.run([str(script), *arguments], capture_output=True, check=False)
        shown = " ".join(arg.removeprefix(f"{ROOT}{os.sep}") for arg in arguments)
        check(done.returncode == 0 and expected in done.stdout.decode("utf-8"), f"pagesieve {shown}")


def main() -> None:
    """Try the package, then the command."""
    try_package()
    try_command()


if __name__ == "__main__":
    main()
