"""Draw the charts of the docs, and write the tables of figures: python benchmarks/figures.py (make figures)

All figures come from files: `peers.json` and `extract.json`, which the scripts of these names write, `results/`, which
has one file for each other benchmark, the model's card, and `errors.md`. So nothing is measured, and the labelled pages
are not needed. A document says by a comment where a table belongs (see `BLOCK`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

HERE = Path(__file__).parent
ROOT = HERE.parent
IMAGES = ROOT / "docs" / "images"
CARD = ROOT / "src" / "pagesieve" / "models" / "auto.md"
OURS, PEERS = "#0072B2", "#B04A00"  # told apart by those who see no red or no green, too
INK, FAINT = "#222222", "#8a8a8a"
BLOCK = re.compile(r"(<!-- ([\w ]+): written by benchmarks/figures\.py -->\n).*?(<!-- end of \2 -->)", re.DOTALL)
DOCUMENTS = (ROOT / "README.md", HERE / "README.md")
NAMES = {
    "auto": "pagesieve",
    "reverse": "pagesieve, reverse",
    "lineblocks": "pagesieve, lineblocks",
    "svm": "pagesieve, svm",
}
IN_TABLE = ("auto", "trafilatura", "resiliparse", "readability", "justext")
PACKAGES = {"readability": "readability-lxml", "justext": "jusText"}
SETS = {  # of the table, and what they are
    "dragnet_train": "English blogs and news, old",
    "omnivore": "long blog posts",
    "cleanportaleval": "news portals",
    "wcxb_dev": "seven types of pages",
    "news424": "news",
    "fundus_half": "news of many countries",
    "magic_html": "articles and forums",
    "zh_cwced": "Chinese",
    "readability": "its own output is the gold",
}
ACCURACY = (  # files of results/, in the order of the tables
    *("headline", "catalogue", "kind", "layout", "template_svm", "papers", "composed", "units", "records", "lists"),
    *("posts", "columns", "schemas", "next_pages", "tree_construction"),
)
SPEED = (
    *("start", "table", "layout_speed", "templates", "svm", "reverse", "headline_speed", "kind_speed"),
    *("catalogue_speed", "records_speed", "browser", "writing", "growth", "growing_pages", "hostile", "gil"),
)
SCALE = ("many", "batch", "corpus", "crawling", "service", "memory", "soak", "fuzz")
TABLES = ("facts", "markdown")  # those whose figures are a table of their own
DATA_FOLDER, DATA = "../shared/data", "DATA"  # as commands call the labelled pages, here and in the tables
RATIOS = {  # of extract.json, with what they should be at most, or at least
    "text / resiliparse": ("≤", 0.8),
    "reverse / resiliparse": ("≤", 0.25),
    "turbohtml / resiliparse": None,
    "Markdown / text": ("≤", 1.2),
    "JSON / text": ("≤", 1.4),
    "trafilatura / text": ("≥", 15.0),
}
LABELS = {  # where a label stands beside its point, in points
    "auto": (0, 10, "center"),
    "reverse": (-4, 9, "left"),
    "resiliparse": (0, -16, "center"),
}

Result = dict[str, Any]


def main() -> None:
    rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "pagesieve", "font.size": 10, "text.color": INK})
    rcParams.update({"axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": FAINT})
    result = read_result()
    IMAGES.mkdir(exist_ok=True)
    save(draw_accuracy(result), "accuracy_speed")
    save(draw_curve(learning_curve()), "learning_curve")
    save(draw_losses(losses()), "losses")
    for path in DOCUMENTS:
        path.write_text(with_tables(path.read_text("utf-8")), encoding="utf-8")


def read_result(name: str = "peers") -> Result:
    result: Result = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    return result


def save(figure: Figure, name: str) -> None:
    figure.savefig(IMAGES / f"{name}.svg", facecolor="white", metadata={"Date": None})


def axes_of(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)  # type: ignore[union-attr]
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0)
    return figure, axes


# --- accuracy against speed


def mean_f1(sets: dict[str, Result], name: str) -> float:
    """The mean over all pages of some sets."""
    found = [of[name] for of in sets.values()]
    return float(sum(each["f1"] * each["pages"] for each in found) / sum(each["pages"] for each in found))


def draw_accuracy(result: Result) -> Figure:
    """Each extractor by its time next to ours and its F1, on pages of sites that no model has seen."""
    figure, axes = axes_of(8, 4.6)
    pages = sum(of["auto"]["pages"] for of in result["unseen"].values())
    for name, timed in result["speed"].items():
        is_ours = name in NAMES
        x, y = timed["times"], mean_f1(result["unseen"], name)
        right, up, align = LABELS.get(name, (9, -3, "left"))
        size, colour = (90 if name == "auto" else 45), (OURS if is_ours else PEERS)
        axes.scatter([x], [y], s=size, color=colour, marker="o" if is_ours else "D", zorder=3)
        label = f"{NAMES.get(name, name)} {y:.3f}".replace(" 0.", " .")
        weight = "bold" if name == "auto" else "normal"
        axes.annotate(label, (x, y), (right, up), textcoords="offset points", ha=align, color=colour, weight=weight)
    axes.set_xscale("log")
    ticks = [0.5, 1, 2, 5, 10, 20, 50]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([f"{tick:g}×" for tick in ticks])
    axes.set_xlim(0.25, 110)  # with room for the labels at the right
    axes.margins(y=0.12)
    axes.set_xlabel("CPU time next to ours: less is better")
    axes.set_ylabel("word F1 of the article")
    axes.set_title(f"{pages} pages of sites that no model here was trained on", loc="left", fontsize=11)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure


# --- what the model's card and errors.md say


def rows_of(text: str, heading: str) -> Iterator[list[str]]:
    """The rows of the first table after some words."""
    lines = text.partition(heading)[2].partition("\n| -")[2].splitlines()[1:]
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def learning_curve() -> list[tuple[float, float]]:
    """Shares of the sites, and the F1 of a model that was trained on them."""
    rows = rows_of(CARD.read_text("utf-8"), "**The learning curve**")
    return [(float(share.rstrip(" %")) / 100, float(f1)) for share, f1 in rows]


def losses() -> list[tuple[str, float]]:
    """What is lost, by cause, the largest first."""
    rows = rows_of((HERE / "errors.md").read_text("utf-8"), "| words | before | after | share |")
    found = [(cause, float(after)) for cause, _, after, _ in rows if cause != "all"]
    return sorted(found, key=lambda each: -each[1])


def draw_curve(curve: Sequence[tuple[float, float]]) -> Figure:
    figure, axes = axes_of(6, 3)
    shares, f1 = zip(*curve, strict=True)
    axes.plot(shares, f1, color=OURS, marker="o", linewidth=2)
    for x, y in curve:
        axes.annotate(f"{y:.3f}".lstrip("0"), (x, y), (0, 9), textcoords="offset points", ha="center", color=OURS)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(shares))
    axes.set_xticklabels([f"{share:.0%}" for share in shares])
    axes.set_xlabel("sites that the model was trained on")
    axes.set_title("Word F1 on sites that the model had not seen", loc="left", fontsize=11)
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.12, y=0.35)
    return figure


def draw_losses(found: Sequence[tuple[str, float]]) -> Figure:
    figure, axes = axes_of(8, 4.4)
    for place, (cause, lost) in enumerate(found):
        axes.barh(place, lost, color=PEERS if cause.startswith("kept") else OURS, height=0.7)
        axes.annotate(f"{lost:.4f}".lstrip("0"), (lost, place), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(found)), [cause.partition(": ")[2] for cause, _ in found])
    axes.invert_yaxis()
    axes.xaxis.set_visible(False)
    axes.spines[["bottom", "left"]].set_visible(False)
    axes.margins(x=0.08, y=0.02)
    for y, words, colour in (
        (0.32, "kept, and not of the article", PEERS),
        (0.24, "of the article, and dropped", OURS),
    ):
        axes.text(1, y, words, transform=axes.transAxes, ha="right", color=colour, weight="bold")
    total = sum(lost for _, lost in found)
    axes.set_title(f"What is lost of F1, by cause ({total:.4f} in all)".replace("0.0", ".0"), loc="left", fontsize=11)
    return figure


# --- the table against peers


def table(result: Result) -> list[str]:
    versions = result["versions"]
    heads = ["pagesieve", *(f"{PACKAGES.get(name, name)} {versions[name]}" for name in IN_TABLE[1:])]
    return [
        f"| word F1 of the article | {' | '.join(heads)} |",
        f"| --- |{' ---: |' * len(heads)}",
        *(row(f"{name} ({SETS[name]})", of) for name, of in result["unseen"].items()),
        *(
            row(f"{name} ({what}) †", result["cross_validated"][name])
            for name, what in SETS.items()
            if name in result["cross_validated"]
        ),
        row(f"mean of {len(result['cross_validated'])} sets †", means(result["cross_validated"])),
        f"| CPU time | {' | '.join(times(result, name) for name in IN_TABLE)} |",
    ]


def means(sets: dict[str, Result]) -> Result:
    return {name: {"f1": sum(of[name]["f1"] for of in sets.values()) / len(sets)} for name in IN_TABLE}


def row(words: str, of: Result) -> str:
    figures = [round(of[name]["f1"], 3) for name in IN_TABLE]
    cells = [f"{each:.3f}".lstrip("0") for each in figures]
    marked = [f"**{cell}**" if each == max(figures) else cell for cell, each in zip(cells, figures, strict=True)]
    return f"| {words} | {' | '.join(marked)} |"


def times(result: Result, name: str) -> str:
    return f"{result['speed'][name]['times']:.2g}×"


# --- the other tables


def with_tables(text: str) -> str:
    """Return a document with its tables as the result files have them."""
    return BLOCK.sub(lambda block: "\n".join([block[1] + block_lines(block[2]), block[3]]), text)


def block_lines(name: str) -> str:
    """Return the table of some name, as Markdown."""
    return "\n".join(WRITERS[name]())


def measures_table(names: Sequence[str]) -> list[str]:
    """Return what some benchmarks measure: a row for each with its command, and one for each measure that has a target.

    Where no measure of a benchmark has a target, all are shown.
    """
    lines = ["| what | target | measured | reached |", "| --- | --- | --- | --- |"]
    for name in names:
        result = read_result(f"results/{name}")
        lines.append(f"| **[{result['title']}](results/{name}.json)** {command_of(result)} |")
        rows = [measure_cells(measure) for measure in result["measures"]]
        lines += [f"| {' | '.join(row)} |" for row in [row for row in rows if row[1]] or rows]
    return lines


def command_of(result: Result) -> str:
    """Return the command of a benchmark, as Markdown."""
    return f"`{result['command'].replace(DATA_FOLDER, DATA)}`"


def measure_cells(measure: Result) -> tuple[str, str, str, str]:
    """Return what is measured, the target, what was measured, and whether the target is reached."""
    measured, form = measure["measured"], measure.get("form", "{}")
    values = measured if isinstance(measured, dict) else {"": measured}
    shown = ", ".join(f"{name} {figure(value, form)}".strip() for name, value in values.items())
    for bound, sign in (("at_most", "≤"), ("at_least", "≥")):
        if bound in measure:
            target = measure[bound]
            missing = sum(value > target if bound == "at_most" else value < target for value in values.values())
            return measure["what"], f"{sign} {short(figure(target, form))}", shown, verdict(missing, len(values))
    reached = {True: "yes", False: "**no**", None: ""}.get(measure.get("reached"), measure.get("reached"))
    return measure["what"], measure.get("target", ""), shown, str(reached)


def figure(value: float | str, form: str) -> str:
    """Return a figure as it is written; `f1` is the form of shares: .938."""
    return f"{value:.3f}".removeprefix("0") if form == "f1" else form.format(value)


def short(figure: str) -> str:
    """Return a figure without zeros at its end: 2.50 s is 2.5 s."""
    return re.sub(r"(\.\d*?)0+(?!\d)", r"\1", figure).replace(". ", " ").removesuffix(".")


def verdict(missing: int, count: int) -> str:
    """Return whether a target is reached, by how many of some figures miss it."""
    if not missing:
        return "yes"
    return "**no**" if missing == count else f"**no**, by {missing} of {count}"


def result_table(name: str) -> list[str]:
    """Return the table of a result file, with its command above."""
    result = read_result(f"results/{name}")
    head, rows = result["table"]["head"], result["table"]["rows"]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    lines.insert(1, f"| --- |{' ---: |' * (len(head) - 1)}")
    return [f"{command_of(result)} ([figures](results/{name}.json))", "", *lines]


def speed_table() -> list[str]:
    """Return the ratios of extract.json, with the targets, and how many of the sets reach them."""
    sets = read_result("extract")
    rows = [[name, str(of["pages"]), *(f"{of[each][0]:.2f}" for each in RATIOS)] for name, of in sets.items()]
    targets = ["" if target is None else f"{target[0]} {target[1]:g}" for target in RATIOS.values()]
    counts = [reached_by(sets, name, target) for name, target in RATIOS.items()]
    cells = [["set", "pages", *RATIOS], *rows, ["target", "", *targets], ["reached by", "", *counts]]
    lines = [f"| {' | '.join(each)} |" for each in cells]
    lines.insert(1, f"| --- |{' ---: |' * (len(RATIOS) + 1)}")
    return lines


def reached_by(sets: Mapping[str, Result], name: str, target: tuple[str, float] | None) -> str:
    """Return how many of the sets reach the target of a ratio."""
    if target is None:
        return ""
    sign, bound = target
    ratios = [of[name][0] for of in sets.values()]
    reached = sum(ratio <= bound if sign == "≤" else ratio >= bound for ratio in ratios)
    return f"{reached} of {len(ratios)}" if reached else f"**none of {len(ratios)}**"


def claim() -> list[str]:
    """Return the sentence of the README about accuracy and speed, on sites that no model has seen."""
    result = read_result()
    unseen = result["unseen"]
    pages = sum(of["auto"]["pages"] for of in unseen.values())
    ours, *others = (figure(mean_f1(unseen, name), "f1") for name in ("auto", "readability", "trafilatura"))
    times = [f"{result['speed'][name]['times']:.1f}" for name in ("readability", "trafilatura")]
    return [
        f"On {pages} pages of sites that its model has not seen, it finds the article with a word F1 of **{ours}**.",
        f"readability-lxml reaches {others[0]} in {times[0]} times the CPU time, "
        f"trafilatura {others[1]} in {times[1]} times.",
    ]


WRITERS: Mapping[str, Callable[[], list[str]]] = {
    "claim": claim,
    "peers": lambda: table(read_result()),
    "extract": speed_table,
    "accuracy": partial(measures_table, ACCURACY),
    "speed": partial(measures_table, SPEED),
    "scale": partial(measures_table, SCALE),
    **{name: partial(result_table, name) for name in TABLES},
}


if __name__ == "__main__":
    main()
