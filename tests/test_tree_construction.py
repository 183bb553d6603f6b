"""The runner of tree-construction cases: it reads their format, and counts what the table reproduces."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.tree_construction import agrees, is_nested, read_cases, rows_of

from pagesieve.page.static import parse

CASES = """#data
<p a=1 B="x">One<!-- c --><p>Two
#errors
(1,0): expected-doctype-but-got-start-tag
#document
| <html>
|   <head>
|   <body>
|     <p>
|       a="1"
|       b="x"
|       "One"
|       <!--  c  -->
|     <p>
|       "Two"

#data
<!DOCTYPE html><svg><foreignObject xlink:href=y><template>a

b
#errors
#new-errors
(1:1) x
#document
| <!DOCTYPE html>
| <html>
|   <head>
|   <body>
|     <svg svg>
|       <svg foreignObject>
|         xlink href="y"
|         <template>
|           content
|             "a

b"

#data
<div <=x>
#errors
#document
| <html>
|   <head>
|   <body>
|     <div>
|       <="x"

#data
<td>x
#errors
#document-fragment
tr
#document
| <td>
|   "x"

#data
<noscript><p>
#errors
#script-on
#document
| <html>
|   <head>
|     <noscript>
|       "<p>"
|   <body>
"""


def test_cases_are_read() -> None:
    first, second, third, fragment, scripted = read_cases(CASES)
    assert first.source == '<p a=1 B="x">One<!-- c --><p>Two'
    assert first.tree[3] == (2, "p", "", (("a", "1"), ("b", "x")))
    assert first.tree[5] == (3, "#comment", " c ", ())
    assert second.source.endswith("<template>a\n\nb")
    assert second.tree[0] == (0, "#doctype", "", ())
    assert second.tree[5:] == (
        (3, "foreignObject", "", (("xlink:href", "y"),)),
        (4, "template", "", ()),
        (5, "#text", "a\n\nb", ()),
    )
    assert third.tree[-1] == (2, "div", "", (("<", "x"),))
    assert [case.is_fragment for case in (first, fragment, scripted)] == [False, True, False]
    assert [case.is_scripted for case in (first, fragment, scripted)] == [False, False, True]


def test_the_table_is_compared_row_by_row() -> None:
    first, second, *_ = read_cases(CASES)
    assert rows_of(parse(first.source)) == first.tree
    assert rows_of(parse(second.source)) == second.tree
    assert rows_of(parse(first.source.replace("Two", "Three"))) != first.tree


@pytest.mark.parametrize(
    ("source", "nested"),
    [
        (b"<div><p>a<p>b</div>", True),
        (b"<ul><li>a<li>b</ul>c", True),
        (b"<div>a</span></div>", False),
        (b"<b>a<i>b</b>c</i>", False),
        (b"</p>", False),
    ],
)
def test_end_tags_nest(source: bytes, nested: bool) -> None:
    assert is_nested(source) == nested
    assert agrees(source) or not nested


def test_shares_are_printed(tmp_path: Path, root: Path) -> None:
    wrong = CASES.replace('"One"', '"Other"')
    (tmp_path / "own.dat").write_text(CASES + "\n" + wrong, encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.tree_construction", str(tmp_path), "--show"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert "5 (83.3 %)" in done.stdout
    assert "own.dat 6: the parser's own tree is the same as ours, in its elements as expected" in done.stdout
    assert "found    (3, '#text', 'One', ())" in done.stdout
