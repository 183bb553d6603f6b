"""What the tests of the writers share: a page in, three texts out; and the files of cases."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pagesieve
from pagesieve.page.table import Bools, Page
from pagesieve.writing import WriterOptions, build, write_html, write_markdown, write_text

CASES = Path(__file__).parent / "cases"
EVERYTHING = WriterOptions(links=True, images=True)
URL = "https://example.org/dir/page.html"
DROP = "✂"  # texts with this sign are not selected


@dataclass(frozen=True)
class Written:
    text: str
    markdown: str
    html: str


@dataclass(frozen=True)
class Case:
    name: str
    source: str
    expected: Written


def selected(page: Page) -> Bools:
    """Every text that is seen and not blank, less those that hold the sign for dropping."""
    rows = page.chars > 0
    for row in np.flatnonzero(rows).tolist():
        rows[row] = DROP not in page.text(row)
    return rows


def write(source: str | Page, url: str | None = URL, options: WriterOptions = EVERYTHING) -> Written:
    page = pagesieve.parse(source, url)
    document = build(page, selected(page), options)
    return Written(write_text(document), write_markdown(document), write_html(document))


def read_cases(path: Path) -> list[Case]:
    """The cases of a file: `=== name`, the page, then `--- text`, `--- markdown`, `--- html`; ␠ is a blank."""
    cases = []
    for chunk in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
        name, _, rest = chunk.partition("\n")
        source, text, markdown, html = (part.strip("\n") for part in _parts(rest))
        cases.append(Case(name, source, Written(text, markdown, html)))
    return cases


def _parts(rest: str) -> list[str]:
    parts = []
    for label in ("\n--- text\n", "\n--- markdown\n", "\n--- html\n"):
        part, _, rest = rest.partition(label)
        parts.append(part.replace("␠", " "))
    return [*parts, rest.replace("␠", " ")]
