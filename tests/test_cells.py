"""Cells of CSV that no spreadsheet program runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.destinations import harmless


@pytest.mark.parametrize("cell", ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "+a"])
def test_what_begins_like_a_formula_gets_an_apostrophe(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a", "1=1", "-3", "+4.5", "-1,234.50", "-12%", "+12 %", "'=1", "– 3", "3-4"])
def test_other_cells_stay(cell: str) -> None:
    assert harmless(cell) == cell


@given(st.text())
def test_nothing_else_changes(cell: str) -> None:
    assert harmless(cell).removeprefix("'") == cell.removeprefix("'")
    assert harmless(harmless(cell)) == harmless(cell)


def test_the_csv_of_records() -> None:
    words = "that somebody wrote about it, at some length and not without reason"
    cells = "".join(
        f"<li><h3 class=name>=HYPERLINK({n})</h3><p class=about>Number {n} {words}.</p><p class=change>-{n}.5</p></li>"
        for n in range(1, 8)
    )
    found = pagesieve.records(f"<ul>{cells}</ul>", mode="static")
    assert found.to_csv().splitlines()[:2] == ["title,summary,number", f'\'=HYPERLINK(1),"Number 1 {words}.",-1.5']
    assert found.to_csv(harmless=False).splitlines()[1].startswith("=HYPERLINK(1),")
    assert found.to_csv(header=False).splitlines()[0].startswith("'=HYPERLINK(1),")
    odd = replace(found.schema, columns=(replace(found.schema.columns[0], name="=A1"),), key=None)
    assert replace(found, applied=odd).to_csv().splitlines()[0] == "'=A1"
