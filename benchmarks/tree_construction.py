"""How much of HTML's tree construction the table reproduces.

python -m benchmarks.tree_construction FOLDER [--show [FILE]]

FOLDER holds cases in the format of html5lib's tree-construction tests (`*.dat`), which come with the source of
html5lib; they are not part of the repository. Each is read as `parse` reads it, by the direct builder alone and
through the parser alone, and compared with the expected tree: elements, texts, comments, attributes, parents and order.

The table does not express namespaces, the identifiers of a doctype, and the inner document of a template, whose content
stands in the template itself; the expected trees are read so, too. Fragments (`#document-fragment`) are counted and not
run, since a page is always a whole document; so are cases with scripting (`#script-on`).

The tape of `reverse` is read forwards and backwards. Both give the same tree where every end tag closes the innermost
open element, or one around elements whose end tags may be left away; where an end tag closes nothing or crosses others,
what it means depends on the direction, and they may differ. `--show` prints every difference.

On purpose, a title, textarea, style or another element of text ends at the next tag where it is never closed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.lexbor_tree import difference, lost_by_serialising, table_rows, tree_rows

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import TOKEN_END, TOKEN_START
from pagesieve.page.kernel.html.tape import Tape
from pagesieve.page.static import NEVER_CLOSED, parse, repaired, within_limits
from pagesieve.page.table import Page

INDENT = 2
_NODE = re.compile(r"\| ( *)(.*)", re.DOTALL)
_ATTRIBUTE = re.compile(r'(?!".*"$)(?!<.*>$)(.+?)="(.*)"', re.DOTALL)
_ELEMENT = re.compile(r"<(?:svg |math )?([^ !?].*)>", re.DOTALL)

Row = tuple[int, str, str, tuple[tuple[str, str], ...]]  # depth, name, text, attributes in the order of their names


@dataclass(frozen=True, slots=True)
class Case:
    """A source, and the tree that it must give."""

    source: str
    tree: tuple[Row, ...]
    is_fragment: bool
    is_scripted: bool


# Reading cases


def read_cases(text: str) -> Iterator[Case]:
    """Yield the cases of a file."""
    for part in re.split(r"(?:^|\n)#data\n", text)[1:]:
        source, sections = _sections(part)
        yield Case(
            source, tuple(read_tree(sections["document"])), "document-fragment" in sections, "script-on" in sections
        )


def _sections(part: str) -> tuple[str, dict[str, str]]:
    """Return the source of a case, and its other sections by name."""
    source, _, rest = part.partition("#errors\n")
    pieces = re.split(r"(?:^|\n)#(new-errors|document-fragment|script-on|script-off|document)(?=\n)", f"\n{rest}")
    return source.removesuffix("\n"), dict(
        zip(pieces[1::2], (piece.strip("\n") for piece in pieces[2::2]), strict=True)
    )


def read_tree(text: str) -> Iterator[Row]:
    """Yield the rows of an expected tree, without the level that the content of a template has."""
    rows: list[tuple[int, str, str, list[tuple[str, str]]]] = []
    contents: list[int] = []  # the depths of the templates' contents that are open
    for line in re.split(r"\n(?=\| )", text):
        found = _NODE.match(line)
        if found is None:
            continue
        depth, node = len(found[1]) // INDENT, found[2]
        while contents and depth <= contents[-1]:
            contents.pop()
        if node == "content":
            contents.append(depth)
            continue
        depth -= len(contents)
        attribute = _ATTRIBUTE.fullmatch(node)
        if attribute and rows:
            rows[-1][3].append((attribute[1].replace(" ", ":"), attribute[2]))
        else:
            rows.append((depth, *_node(node), []))
    return ((depth, name, text, tuple(sorted(attributes))) for depth, name, text, attributes in rows)


def _node(node: str) -> tuple[str, str]:
    """Return the name and the text of a row."""
    if node.startswith('"'):
        return "#text", node[1:-1]
    if node.startswith("<!-- "):
        return "#comment", node[5:-4]
    if node.startswith("<!DOCTYPE"):
        return "#doctype", ""
    element = _ELEMENT.fullmatch(node)
    return (element[1], "") if element else ("#comment", node[1:-1])


# Our trees


def rows_of(page: Page) -> tuple[Row, ...]:
    """Return the rows of a table in the same form; texts side by side are one."""
    rows: list[Row] = []
    for row in range(1, len(page)):
        depth, name = int(page.depth[row]) - 1, page.tag_name(row)
        text = page.text(row) if name in ("#text", "#comment") else ""
        if name == "#text" and rows and rows[-1][:2] == (depth, name):
            rows[-1] = (depth, name, rows[-1][2] + text, ())
        else:
            rows.append((depth, name, text, tuple(sorted(page.attributes(row).items()))))
    return tuple(rows)


def direct(source: bytes) -> Page | None:
    """Return the table that the direct builder makes; None where it leaves the source to the parser."""
    columns = kernel.html.builders.from_source(source)
    return None if isinstance(columns, str) else Page.of_columns(columns)


def by_parser(source: bytes) -> Page:
    """Return the table of what the parser makes of a source."""
    return Page.of_columns(kernel.html.builders.from_serialised(repaired(within_limits(source)[0])))


def agrees(source: bytes) -> bool:
    """Whether the tape gives the same tree forwards and backwards."""
    tape = Tape(source)
    one, other = (way(tape, 0, len(tape)) for way in (kernel.html.tape.forwards, kernel.html.tape.backwards))
    return [list(column) for column in one] == [list(column) for column in other]


def is_nested(source: bytes) -> bool:
    """Whether every end tag of a source has its start tag, and crosses no element that needs an end tag."""
    tape = Tape(source)
    open_tags: list[int] = []
    for _, _, tag, what in tape.tokens():
        if what == TOKEN_START:
            open_tags.append(tag)
        elif what == TOKEN_END:
            while open_tags and open_tags[-1] != tag and kernel.html.tape.GROUPS[open_tags[-1]]:
                open_tags.pop()
            if not open_tags or open_tags.pop() != tag:
                return False
    return True


def reason(source: bytes, tree: tuple[Row, ...], found: tuple[Row, ...]) -> str:
    """Say why a table differs from the expected tree."""
    if any(note.startswith(NEVER_CLOSED) for note in parse(source.decode()).notes):
        return f"{NEVER_CLOSED}: it ends at the next tag here"
    if difference(tree_rows(source), table_rows(parse(source.decode()))) is None:
        bare = [[row[:2] for row in rows if row[1][0] != "#"] for rows in (tree, found)]
        return "the parser's own tree is the same as ours" + (
            ", in its elements as expected" if bare[0] == bare[1] else ""
        )
    return lost_by_serialising(source) or "ours alone"


@dataclass
class Tally:
    """The counts of a file, or of all."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, show: bool, where: str) -> None:
        """Run a case."""
        self.counts["cases"] += 1
        if case.is_fragment or case.is_scripted:
            self.counts["fragments" if case.is_fragment else "scripted"] += 1
            return
        source = case.source.encode("utf-8", "replace")
        self.counts["run"] += 1
        self.counts["agree"] += (agreed := agrees(source))
        nested = is_nested(source)
        self.counts["nested"] += nested
        self.counts["nested agree"] += nested and agreed
        found = rows_of(parse(case.source))
        self.counts["same"] += found == case.tree
        if (page := direct(source)) is not None:
            self.counts["direct"] += 1
            self.counts["direct same"] += rows_of(page) == case.tree
        self.counts["parser same"] += rows_of(by_parser(source)) == case.tree
        if found != case.tree:
            why = reason(source, case.tree, found)
            self.reasons[why] += 1
            if show:
                _show(where, why, case, found)
        if show and not agreed:
            sort = "" if nested else ", with end tags that close nothing or cross others"
            print(f"\n{where}: forwards and backwards differ{sort}\n{case.source}")

    def share(self, part: str, of: str) -> str:
        """Write a share in per cent."""
        return f"{100 * self.counts[part] / self.counts[of]:.1f} %" if self.counts[of] else "–"


def _show(where: str, why: str, case: Case, found: tuple[Row, ...]) -> None:
    print(f"\n{where}: {why}\n{case.source}")
    for one, other in zip(case.tree, found, strict=False):
        if one != other:
            print(f"  expected {one}\n  found    {other}")
            break
    else:
        print(f"  expected {len(case.tree)} rows, found {len(found)}")


def main() -> None:
    """Run all cases of a folder and print the shares."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument(
        "--show", metavar="FILE", nargs="?", const="", help="print the differences, of all files or one"
    )
    given = arguments.parse_args()
    paths = sorted(given.folder.rglob("*.dat"))
    if not paths:
        sys.exit(f"no *.dat in {given.folder}")
    total = Tally()
    columns = (
        "file",
        "cases",
        "fragments, scripts",
        "run",
        "same",
        "direct builder",
        "by the parser",
        "both ways agree",
        "of nested",
    )
    table = Table(*columns, "of nested", title="Trees as expected")
    for path in paths:
        tally = Tally()
        for number, case in enumerate(read_cases(path.read_bytes().decode("utf-8", "replace")), 1):
            tally.add(case, given.show in ("", path.name), f"{path.name} {number}")
        table.add_row(*_line(path.relative_to(given.folder).as_posix(), tally))
        total.counts += tally.counts
        total.reasons += tally.reasons
    table.add_section()
    table.add_row(*_line("all", total))
    reasons = Table("cases", "why the table differs")
    for why, number in total.reasons.most_common():
        reasons.add_row(str(number), why)
    for each in (table, reasons):
        Console(width=150).print(each)


def _line(name: str, tally: Tally) -> list[str]:
    counts = tally.counts
    return [
        name,
        str(counts["cases"]),
        f"{counts['fragments']}, {counts['scripted']}",
        str(counts["run"]),
        f"{counts['same']} ({tally.share('same', 'run')})",
        f"{counts['direct same']} of {counts['direct']}",
        f"{counts['parser same']} ({tally.share('parser same', 'run')})",
        f"{counts['agree']} ({tally.share('agree', 'run')})",
        f"{counts['nested agree']} of {counts['nested']}",
    ]


if __name__ == "__main__":
    main()
