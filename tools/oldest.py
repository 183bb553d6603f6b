"""Print the oldest versions that pyproject.toml allows, as constraints for pip: `name==lowest`, one per line.

python tools/oldest.py [--extras sites,crawl,…] > constraints.txt

Extras that are not named are left out: the tests need only some of them, and the newest versions of the others.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]


def lowest(requirement: Requirement) -> Version:
    """Return the oldest version that a requirement allows."""
    floors = [Version(clause.version) for clause in requirement.specifier if clause.operator == ">="]
    if len(floors) != 1:
        raise SystemExit(f"{requirement} names no oldest version")
    return floors[0]


def listed(extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what the package and the extras need, for the Python that runs this."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    for text in (*project["dependencies"], *(each for extra in extras for each in optional[extra])):
        requirement = Requirement(text)
        if requirement.name != project["name"] and (requirement.marker is None or requirement.marker.evaluate()):
            yield requirement


def constraints(extras: Iterable[str]) -> dict[str, Version]:
    """Return the oldest version of each package by its name; of two that are named, the newer."""
    found: dict[str, Version] = {}
    for requirement in listed(extras):
        floor = lowest(requirement)
        found[requirement.name] = max(floor, found.get(requirement.name, floor))
    return found


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--extras", default="", help="names of extras, separated by commas")
    extras = [name for name in arguments.parse_args().extras.split(",") if name]
    sys.stdout.writelines(f"{name}=={floor}\n" for name, floor in sorted(constraints(extras).items()))
