"""Floors: figures below which a method must not fall, in a file. Lowering one takes an option.

    {"sample": 200, "margin": 0.005,
     "methods": {"auto": {"trained_on": ["a"], "out_of_fold": ["a"], "sets": {"a": {"f1": 0.9}}}}}

`sample` is the number of pages of each set that the floors apply to (null: all). A method that was trained on a set has
a floor on it only where `out_of_fold` says that the figures come from models that had not seen the page's site. On
every other set, the sites that also occur in a training set are left out.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pagesieve.errors import BadInput, BadOption
from pagesieve.evaluate.archives import LabelledSet, Sample, find_set, read_gold, take_sample
from pagesieve.evaluate.facts import FactFigures
from pagesieve.evaluate.headlines import TitleFigures
from pagesieve.evaluate.posts import PostFigures
from pagesieve.evaluate.records import RecordFigures
from pagesieve.evaluate.report import Figures

FLOORED = (
    *("f1", "captionless_f1", "shingle_f1", "snippets_in", "snippets_out", "title_exact", "title_f1"),
    *("leaf_precision", "leaf_recall", "answered", "region_found", "items_found", "none_right"),
    *("date_right", "author_right", "posts_f1", "post_author_f1", "post_date_f1"),
)
STEPS = 10_000

SetFloors = Mapping[str, float]
Measured = Figures | TitleFigures | RecordFigures | FactFigures | PostFigures


@dataclass(frozen=True, slots=True)
class MethodFloors:
    """The floors of one method by set, the sets it was trained on, and those measured out of fold."""

    trained_on: tuple[str, ...] = ()
    out_of_fold: tuple[str, ...] = ()
    sets: Mapping[str, SetFloors] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Floors:
    """The content of the file."""

    sample: int | None
    margin: float
    methods: Mapping[str, MethodFloors]

    def of(self, method: str) -> MethodFloors:
        """Return the floors of a method, empty if the file has none."""
        return self.methods.get(method, MethodFloors())


def read_floors(path: Path) -> Floors:
    """Read and check the file."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        methods = {
            name: MethodFloors(
                tuple(entry.get("trained_on", ())), tuple(entry.get("out_of_fold", ())), dict(entry.get("sets", {}))
            )
            for name, entry in raw["methods"].items()
        }
        floors = Floors(raw["sample"], raw["margin"], methods)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path}: cannot be read as floors: {error}") from error
    for name, entry in methods.items():
        for set_name, figures in entry.sets.items():
            refuse_trained(name, entry, set_name, out_of_fold=set_name in entry.out_of_fold)
            if unknown := sorted(set(figures) - set(FLOORED)):
                where = f"{path}: {name}, {set_name}"
                raise BadInput(f"{where}: no floor can be set on {unknown[0]}; choose from {', '.join(FLOORED)}")
    return floors


def refuse_trained(method: str, entry: MethodFloors, set_name: str, *, out_of_fold: bool) -> None:
    """Raise BadOption if a method was trained on a set and its figures are not out of fold."""
    if set_name in entry.trained_on and not out_of_fold:
        raise BadOption(f"method {method} was trained on {set_name}: floor it there out of fold only")


def write_floors(floors: Floors, path: Path) -> None:
    """Write the file in a canonical form, so that it differs only if a floor does."""
    path.write_text(json.dumps(asdict(floors), indent=2, sort_keys=True) + "\n", encoding="utf-8")


def floor_samples(floors: Floors, method: str, sets: Iterable[LabelledSet]) -> list[Sample]:
    """Choose the pages that the floors of a method apply to."""
    entry = floors.of(method)
    samples = []
    for labelled_set in sets:
        left_out: frozenset[str] = frozenset()
        if labelled_set.name not in entry.trained_on:
            left_out = sites_of(find_set(labelled_set.path.parent, name) for name in entry.trained_on)
        samples.append(take_sample(labelled_set, floors.sample, left_out))
    return samples


def sites_of(sets: Iterable[LabelledSet]) -> frozenset[str]:
    """Return every site in the sets."""
    return frozenset(gold.site for each in sets for gold in read_gold(each).values() if gold.site)


def below_floors(entry: MethodFloors, measured: Mapping[str, Measured]) -> list[str]:
    """Return a line for each figure that is below its floor, or missing."""
    return [
        f"{set_name}: {name} is {'missing' if value is None else f'{value:.4f}'}, its floor {floor}"
        for set_name, figures in measured.items()
        for name, floor in entry.sets.get(set_name, {}).items()
        if (value := getattr(figures, name, None)) is None or value < floor
    ]


def raised(
    floors: Floors,
    method: str,
    measured: Mapping[str, Measured],
    *,
    allow_lower: bool = False,
    out_of_fold: bool = False,
) -> Floors:
    """Return the floors raised to the measured figures less the margin.

    A figure below its floor raises BadOption, unless lowering is allowed; then its floor is lowered.
    """
    entry = floors.of(method)
    for set_name in measured:
        refuse_trained(method, entry, set_name, out_of_fold=out_of_fold)
    low = below_floors(entry, measured)
    if low and not allow_lower:
        raise BadOption(f"floors are not lowered without --allow-lower: {'; '.join(low)}")
    sets = dict(entry.sets)
    for set_name, figures in measured.items():
        sets[set_name] = _raised_set(entry.sets.get(set_name, {}), figures, floors.margin)
    trained = {name for name in measured if name in entry.trained_on}
    entry = replace(entry, sets=sets, out_of_fold=tuple(sorted(trained.union(entry.out_of_fold))))
    return replace(floors, methods={**floors.methods, method: entry})


def _raised_set(old: SetFloors, figures: Measured, margin: float) -> SetFloors:
    new: dict[str, float] = {}
    for name in FLOORED:
        value = getattr(figures, name, None)
        if value is not None:
            # Rounded down, so that the figure a floor was made from never fails it.
            floor, before = max(0.0, math.floor((value - margin) * STEPS) / STEPS), old.get(name, 0.0)
            # Within the margin above it, a floor stays where it is.
            new[name] = floor if value < before else max(before, floor)
    return new
