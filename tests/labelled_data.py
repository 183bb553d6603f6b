"""The labelled pages, in PAGESIEVE_DATA or beside the repository: a sample in `make test`, all in `make test-data`.

Tests of single sets are parametrized by `labelled`. The smallest set of each test is the sample; the others are marked
`data`, which `make test` leaves out.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PAGESIEVE_DATA", ROOT.parent / "shared" / "data"))
ARTICLES, HEADLINES, RECORDS = DATA / "articles", DATA / "headlines", DATA / "records"
SUFFIX = ".tar.xz"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the labelled pages are not here")


def archive(folder: Path, name: str) -> Path:
    """Return the archive of a set."""
    return folder / f"{name}{SUFFIX}"


def labelled(archives: Iterable[Path], *more: Any) -> list[ParameterSet]:
    """Return a parameter for each archive, behind some others; all but the smallest archive are marked `data`."""
    paths = sorted(archives)
    sample = min(paths, key=_size, default=None)
    return [
        pytest.param(
            *more,
            path,
            marks=[needs_data] if path == sample else [needs_data, pytest.mark.data],
            id="-".join([*map(str, more), path.name.removesuffix(SUFFIX)]),
        )
        for path in paths
    ]


def _size(path: Path) -> tuple[int, str]:
    return path.stat().st_size if path.is_file() else 0, path.name
