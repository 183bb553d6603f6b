"""What `make demo` prints: a few lines of each thing that Pagesieve does, plain in a pipe and as wide as is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parent.parent / "examples" / "demo.py"
PARTS = {
    "1. An article with its facts, as Markdown": ['author: "Priya Raman"', "| Old Tolland | 65 | 180 |"],
    "2. Why each block was kept or dropped": ["dropped Home in a list of 9 links", "kept A young grey seal"],
    "3. A thread with its posts": ["MrsOhm 2024-05-02 19:41 Welcome", "The first 4 of 11 posts."],
    "4. Records as a table, with typed prices": ["24.90 GBP 29.90 GBP In stock", "from 6.20 to 149.00"],
    "5. A site learnt from its own pages": ["Lock 7 at Vessin", "no other page of the", "16 pages learnt; 252 blocks"],
}


@pytest.mark.parametrize("width", [80, 120])
def test_the_demo_shows_each_part_in_a_few_lines(width: int, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    environment = os.environ | {"COLUMNS": str(width), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, str(DEMO)], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert (done.stderr, list(tmp_path.iterdir())) == (b"", [])
    text = done.stdout.decode()
    assert "\x1b" not in text
    assert not re.search(r"[\u3000-\u9fff]", text), "readers may not read Chinese"
    assert max(len(line) for line in text.splitlines() if not line.startswith("$ ")) <= width
    headings = list(PARTS)
    for heading, following in zip(headings, [*headings[1:], "Try a page of your own:"], strict=True):
        part = text[text.index(f"\n{heading}\n") : text.index(f"\n{following}\n")]
        assert len(part.splitlines()) < 36
        folded = " ".join(part.split())
        for words in PARTS[heading]:
            assert words in folded


def test_commands_of_the_demo_name_files_that_exist() -> None:
    listing = subprocess.run([sys.executable, str(DEMO)], capture_output=True, check=True).stdout.decode()
    names = re.findall(r"examples/site/\S+", "".join(line for line in listing.splitlines(True) if line[0] == "$"))
    assert len(names) == 6
    assert all((DEMO.parent.parent / name).exists() for name in names)
