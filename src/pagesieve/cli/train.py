"""`pagesieve train`: train a model on labelled pages."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from pagesieve.arrayfile import put_file
from pagesieve.cli import say
from pagesieve.errors import BadInput, BadOption, MissingExtra
from pagesieve.evaluate.archives import LabelledSet, find_sets, take_sample
from pagesieve.methods.svm import FEATURE_SETS
from pagesieve.training.report import EXTRA, PLOT_NAME, as_markdown, as_rich, plot

REPORT_NAME = "report.md"
PIPE_COLUMNS = 100
MAX_SEED = 2**32 - 1

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    folders: tuple[Path, ...]
    method: str
    output: Path
    features: str
    report: Path | None
    seed: int
    limit: int | None


@click.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--method",
    "--model",  # the older name
    "method",
    type=click.Choice(["auto", "svm", "kind", "reverse"]),
    required=True,
    help="The method to train a model for.",
)
@click.option(
    "-o", "--output", metavar="FILE", required=True, type=click.Path(path_type=Path), help="The file of the model."
)
@click.option(
    "--features",
    type=click.Choice(tuple(FEATURE_SETS)),
    default="all",
    show_default=True,
    help="The features of a block: the five ratios of the paper, or all.",
)
@click.option(
    "--report",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help=f"Also write {REPORT_NAME} (and, for svm, {PLOT_NAME}) to this folder.",
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=0, show_default=True, help="The seed for sampling blocks."
)
@click.option("--limit", type=click.IntRange(min=1), help="Pages to take from each set, evenly spread.")
def train(**given: Any) -> None:
    """Train a model on labelled pages, for the method auto (the default), svm or reverse, or for the kind of a page.

    To use a model, call `article(…, model=FILE)`: a model for auto works with the methods auto and blocks, a model for
    svm with svm and template.

    FOLDER is a set of labelled pages, or a folder of sets. A set holds pages/ID.html, and gold.jsonl with one object
    per line: "id", "text" (the article, as a person would copy it) and "site". Archives (.tar.xz) of sets need not be
    unpacked. The command labels blocks by the gold text in them, and chooses parameters by cross-validation
    between sites, so it needs pages of ten sites or more. The same pages and the same seed give the same file.

    For kind, the "page_type" labels a page (forum and collection are records, listing is a catalogue, the others are
    articles). The command also reads sets of records, and sets of headlines with their catalogue pages.

    \b
    labelled/
      ours/gold.jsonl      {"id": "4711", "site": "example.org", "text": "The harbour wall …"}
      ours/pages/4711.html

    \b
    pagesieve train labelled/ --method svm -o ours.model --report report/
    pagesieve evaluate others/ --method svm --model ours.model
    """
    request = Request(**given)
    _refuse_places(request)
    _refuse_missing(request)
    sets = find_sets(request.folders)
    {"auto": _train_auto, "svm": _train_svm, "kind": _train_kind, "reverse": _train_reverse}[request.method](
        request, sets
    )


def _refuse_places(request: Request) -> None:
    """Raise BadInput before the training if an output cannot be written."""
    _refuse_place(request.output)
    if request.output.exists() and not request.output.is_file():
        what = "a folder" if request.output.is_dir() else "not a file"
        raise BadInput(f"{request.output}: {what}; -o names the file to write")
    if request.report is not None:
        _refuse_place(request.report)
        if request.report.exists() and not request.report.is_dir():
            raise BadInput(f"{request.report}: --report names a folder, and this is a file")


def _refuse_place(path: Path) -> None:
    folder = path.absolute().parent
    if not folder.is_dir():
        raise BadInput(f"{path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{path}: the folder {folder} is not writable")


def _refuse_missing(request: Request) -> None:
    if find_spec("sklearn") is None:
        raise MissingExtra("training", EXTRA)
    if request.report is not None and find_spec("matplotlib") is None:
        raise MissingExtra("the report", EXTRA)


def _refuse_sets(sets: list[LabelledSet], limit: int | None, folds: int) -> None:
    """Raise BadInput if sets are too small to train on: no text, or fewer sites than folds."""
    golds = [(each.name, gold) for each in sets for gold in take_sample(each, limit).golds.values()]
    if not any(gold.text.strip() for _, gold in golds):
        raise BadInput(f"no page of {', '.join(each.name for each in sets)} has a text in its gold")
    # A page without a site counts as a separate site.
    sites = {gold.site if gold.site is not None else (name, gold.id) for name, gold in golds}
    if len(sites) < folds:
        raise BadInput(f"{len(sites)} sites in {len(golds)} pages; {folds} folds of sites need at least {folds}")


def _train_svm(request: Request, sets: list[LabelledSet]) -> None:
    from pagesieve.training import svm

    options = svm.TrainingOptions(features=request.features, seed=request.seed, limit=request.limit)
    _refuse_sets(sets, request.limit, options.folds)
    with _progress() as progress:
        training = svm.train(sets, options, progress)
    training.model.save(request.output)
    if request.report is not None:
        _write_report(request.report, as_markdown(training.report))
        plot(training.report, request.report / PLOT_NAME)
    _print(request, as_rich(training.report))


def _train_auto(request: Request, sets: list[LabelledSet]) -> None:
    from pagesieve.training import auto

    _refuse_options(request, {"--seed": request.seed, "--features": request.features != "all"})
    _refuse_sets(sets, request.limit, auto.FOLDS)
    with _progress() as progress:
        model, report = auto.train(sets, request.limit, progress)
    model.save(request.output)
    if request.report is not None:
        _write_report(request.report, auto.as_markdown(report))
    _print(request, auto.as_table(report))


def _refuse_options(request: Request, options: Mapping[str, object]) -> None:
    """Raise BadOption if an option is set that is not for the method."""
    for option, value in options.items():
        if value:
            raise BadOption(f"{option} is not for --method {request.method}")


def _train_kind(request: Request, sets: list[LabelledSet]) -> None:
    from pagesieve.training import kind

    unsupported = {"--report": request.report, "--seed": request.seed, "--features": request.features != "all"}
    _refuse_options(request, unsupported)
    with _progress() as progress:
        forest, report = kind.train(sets, request.limit, progress)
    forest.save(request.output, kind.MODEL)
    _print(request, kind.as_table(report))


def _train_reverse(request: Request, sets: list[LabelledSet]) -> None:
    from pagesieve.methods.reverse import MODEL
    from pagesieve.training import auto, reverse

    unsupported = {"--report": request.report, "--seed": request.seed, "--features": request.features != "all"}
    _refuse_options(request, unsupported)
    with _progress() as progress:
        forest, report = reverse.train(sets, request.limit, progress)
    forest.save(request.output, MODEL)
    _print(request, auto.as_table(report))


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show one bar per stage on standard error, if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield show


def _write_report(folder: Path, markdown: str) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot create the folder: {error.strerror or error}") from error
    put_file(folder / REPORT_NAME, markdown.encode())


def _print(request: Request, report: Any) -> None:
    """Print the report and the name of the model file."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=PIPE_COLUMNS)
    console.print(report)
    say(f"{request.output} written")
