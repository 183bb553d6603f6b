"""`pagesieve evaluate`: measure Pagesieve next to its peers on labelled pages."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from pagesieve.api import extract
from pagesieve.cli.article import check_model, model_option
from pagesieve.errors import BadInput, BadOption, PagesieveError
from pagesieve.evaluate.archives import Sample, find_sets, read_pages, take_sample
from pagesieve.evaluate.facts import FACTS, FactFigures, FactSet, fact_json, fact_table, has_facts, run_facts
from pagesieve.evaluate.floors import (
    Floors,
    below_floors,
    floor_samples,
    raised,
    read_floors,
    refuse_trained,
    sites_of,
    write_floors,
)
from pagesieve.evaluate.headlines import (
    HEADLINE,
    HeadlineSet,
    TitleFigures,
    floored_headlines,
    headline_json,
    headline_table,
    run_headlines,
)
from pagesieve.evaluate.peers import OWN_NAME, PEERS, Extractor, load_peers, own_extractor
from pagesieve.evaluate.posts import POSTS, PostFigures, PostSet, has_posts, post_json, post_table, run_posts
from pagesieve.evaluate.records import RecordFigures, RecordSet, record_json, record_table, run_records
from pagesieve.evaluate.records import floored as floored_records
from pagesieve.evaluate.report import Evaluation, Figures, as_json, draw_plot, plain_table, tables
from pagesieve.evaluate.score import PageRow, run_samples, site_knowledge
from pagesieve.stages import Profile

Measured = (
    Mapping[str, Figures]
    | Mapping[str, TitleFigures]
    | Mapping[str, RecordFigures]
    | Mapping[str, FactFigures]
    | Mapping[str, PostFigures]
)

AGAINST = "--against"
STANDARD_OUTPUT = "-"
PIPE_COLUMNS = 110
BELOW_FLOOR = 1
PROFILE_ROUNDS = 3  # extractions of each page; the shortest time counts


class _BadUsage(click.ClickException):
    exit_code = 2


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command."""

    archives: tuple[Path, ...]
    method: str
    model: str | None
    against: tuple[str, ...]
    limit: int | None
    leave_out: tuple[Path, ...]
    json_file: str | None
    pages: bool
    plot: Path | None
    profile: bool
    floors: Path | None
    update_floors: bool
    allow_lower: bool


class _SeveralPeers(click.Command):
    """A command whose --against takes every peer's name that follows it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread_peers(args))


def spread_peers(args: Sequence[str]) -> list[str]:
    """Write `--against a b ARCHIVE` as `--against a --against b ARCHIVE`, which click understands."""
    spread: list[str] = []
    rest = iter(args)
    taking = False
    for arg in rest:
        if arg == "--":
            return [*spread, arg, *rest]
        if arg == AGAINST:
            spread += [arg, *(name for name in [next(rest, None)] if name is not None)]
            taking = True
        elif taking and all(name in PEERS for name in _names(arg)):
            spread += [AGAINST, arg]
        else:
            spread.append(arg)
            taking = arg.startswith(f"{AGAINST}=")
    return spread


def _names(arg: str) -> list[str]:
    return [name.strip() for name in arg.split(",")]


@click.command(cls=_SeveralPeers)
@click.argument("archives", metavar="ARCHIVE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--method", default="auto", show_default=True, help="The method of Pagesieve to measure.")
@model_option
@click.option(
    AGAINST,
    "against",
    multiple=True,
    metavar="PEER...",
    help=f"Peers to run on the same pages: {', '.join(PEERS)}.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Pages to take from each set, evenly spread.")
@click.option(
    "--leave-out",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="ARCHIVE",
    help="Leave out pages of sites that also occur in this set, such as a set that a model was trained on.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write all figures as JSON; - for standard output.")
@click.option("--pages", is_flag=True, help="Add a row for every page to the JSON.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw accuracy against speed.")
@click.option("--profile", is_flag=True, help="Instead of accuracy, measure the time of each stage of `extract`.")
@click.option(
    "--floors", type=click.Path(path_type=Path), metavar="FILE", help="Check the figures against these floors."
)
@click.option("--update-floors", is_flag=True, help="Raise the floors to the measured figures.")
@click.option("--allow-lower", is_flag=True, help="Allow --update-floors to lower a floor.")
def evaluate(**given: Any) -> None:
    """Measure accuracy and speed on labelled pages, alone or next to other extractors.

    ARCHIVE is a .tar.xz of labelled pages, an unpacked one, or a folder of either. A method that uses knowledge of a
    site learns the site's other pages first; only sites with five pages or more are scored. For a set of headlines,
    the command scores headlines with and without the pages that link to them. For a set of records, it scores records
    and their items in static mode and, if a browser is installed, in visual mode; if they are posts with authors, it
    also scores the posts of the article. If the gold of articles has dates and authors, it also scores facts, next to
    those of peers that return facts.
    """
    try:
        low = _measure(Request(**given))
    except PagesieveError as error:
        raise _BadUsage(str(error)) from error
    for line in low:
        click.echo(f"below its floor: {line}", err=True)
    if low:
        raise SystemExit(BELOW_FLOOR)


def _measure(request: Request) -> list[str]:
    """Measure and write the figures; return those that are below their floors."""
    _refuse_contradictions(request)
    floors = read_floors(request.floors) if request.floors is not None else None
    names = [name for arg in request.against for name in _names(arg)]
    samples = _samples(request, floors)
    if request.profile:
        return _profile(request, samples)
    peers = load_peers(names)
    of_headlines = [run_headlines(sample, peers) for sample in samples if sample.is_of_headlines]
    of_records = [run_records(sample) for sample in samples if sample.is_of_records]
    of_posts = [run_posts(sample) for sample in samples if has_posts(sample)]
    of_articles = [sample for sample in samples if not sample.is_of_headlines and not sample.is_of_records]
    evaluation = _evaluate(of_articles, request, peers)
    of_facts = [run_facts(sample, peers) for sample in _fact_samples(of_articles, floors) if has_facts(sample)]
    _write(request, evaluation, of_headlines, of_records, of_posts, of_facts)
    if floors is None:
        return []
    measured: dict[str, Measured] = {
        request.method: evaluation.set_figures(OWN_NAME),
        HEADLINE: floored_headlines(of_headlines),
    }
    measured |= floored_records(of_records) | {FACTS: {each.name: each.figures for each in of_facts}}
    measured[POSTS] = {each.name: each.figures for each in of_posts}
    return _settle_floors(request, floors, measured)


def _profile(request: Request, samples: list[Sample]) -> list[str]:
    """Write the time of each stage on each set; return no figures below a floor."""
    with _bar() as bar:
        task = bar.add_task("pages")
        profiles = [
            profile_sample(
                each, request.method, request.model, lambda done, of: bar.update(task, completed=done, total=of)
            )
            for each in samples
        ]
    if request.json_file is not None:
        _write_json(
            {"method": request.method, "model": request.model, "profile": [*map(stage_json, profiles)]},
            request.json_file,
        )
    if request.json_file != STANDARD_OUTPUT:
        for each in profiles:
            _console().print(stage_table(each), "")
    return []


def _fact_samples(samples: list[Sample], floors: Floors | None) -> list[Sample]:
    """Return the pages whose facts are scored. With floors, they are the same for every method."""
    return samples if floors is None else floor_samples(floors, FACTS, [sample.labelled_set for sample in samples])


def _evaluate(samples: list[Sample], request: Request, peers: list[Extractor]) -> Evaluation:
    """Measure on sets of articles; return an empty evaluation if there are none."""
    method, model = request.method, request.model
    if not samples:
        return Evaluation([own_extractor(method), *peers], [])
    with site_knowledge(method, samples) as parts:
        runs = [(part, [own_extractor(method, sites, model), *peers]) for sites, part in parts]
        return Evaluation(runs[0][1], _run_with_bar(runs))


def _refuse_contradictions(request: Request) -> None:
    if request.profile and (request.against or request.plot or request.floors or request.pages):
        raise BadOption("--profile does not measure accuracy: omit --against, --plot, --floors and --pages")
    check_model(request.model, request.method)
    if request.floors is not None and request.model is not None:
        raise BadOption("--floors are of the models that come with Pagesieve: omit --model")
    if request.floors is not None and (request.limit is not None or request.leave_out):
        raise BadOption("--floors determines the pages: omit --limit and --leave-out")
    for option, needed, wrong in (
        ("--update-floors", "--floors", request.update_floors and request.floors is None),
        ("--allow-lower", "--update-floors", request.allow_lower and not request.update_floors),
        ("--pages", "--json", request.pages and request.json_file is None),
    ):
        if wrong:
            raise BadOption(f"{option} needs {needed}")


def _samples(request: Request, floors: Floors | None) -> list[Sample]:
    sets = find_sets(request.archives)
    if floors is None:
        left_out = sites_of(find_sets(request.leave_out))
        return [take_sample(labelled_set, request.limit, left_out) for labelled_set in sets]
    if request.update_floors:
        for labelled_set in sets:
            entry = floors.of(request.method)
            refuse_trained(request.method, entry, labelled_set.name, out_of_fold=False)
    return floor_samples(floors, request.method, sets)


def _bar() -> Progress:
    """Return a progress bar on standard error, hidden if that is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _console() -> Console:
    """Return standard output, wide enough for the tables if it is not a terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=PIPE_COLUMNS)


def _run_with_bar(runs: Sequence[tuple[Sequence[Sample], Sequence[Extractor]]]) -> list[PageRow]:
    with _bar() as progress:
        task = progress.add_task("pages", total=sum(len(sample.golds) for samples, _ in runs for sample in samples))
        return [
            row
            for samples, extractors in runs
            for row in run_samples(samples, extractors, on_page=lambda: progress.advance(task))
        ]


def _write(
    request: Request,
    evaluation: Evaluation,
    of_headlines: Sequence[HeadlineSet],
    of_records: Sequence[RecordSet],
    of_posts: Sequence[PostSet],
    of_facts: Sequence[FactSet],
) -> None:
    if request.json_file is not None:
        settings = {"method": request.method, "model": request.model, "limit": request.limit}
        report = as_json(evaluation, settings, request.pages)
        if of_headlines:
            report["headlines"] = [headline_json(each, request.pages) for each in of_headlines]
        if of_records:
            report["records"] = [record_json(each, request.pages) for each in of_records]
        if of_posts:
            report["posts"] = [post_json(each, request.pages) for each in of_posts]
        if of_facts:
            report["facts"] = [fact_json(each, request.pages) for each in of_facts]
        _write_json(report, request.json_file)
    if request.json_file != STANDARD_OUTPUT:
        console = _console()
        of_articles = tables(evaluation) if evaluation.rows else []
        of_others = (*map(headline_table, of_headlines), *map(record_table, of_records))
        of_details = (*([fact_table(of_facts)] if of_facts else []), *([post_table(of_posts)] if of_posts else []))
        for table in (*of_articles, *of_details, *of_others):
            console.print(table, "")
    if request.plot is not None:
        if not evaluation.rows:
            raise BadOption("--plot draws figures of articles, and there are none")
        draw_plot(evaluation, request.plot)


def _write_json(report: dict[str, Any], file: str) -> None:
    text = json.dumps(report, ensure_ascii=False, indent=1)
    if file == STANDARD_OUTPUT:
        click.echo(text)
        return
    try:
        Path(file).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from error


def _settle_floors(request: Request, floors: Floors, measured: Mapping[str, Measured]) -> list[str]:
    """Raise the floors of each measured method, or return the figures below them."""
    if not request.update_floors:
        return [low for method, of_sets in measured.items() for low in below_floors(floors.of(method), of_sets)]
    for method, of_sets in measured.items():
        if of_sets:
            floors = raised(floors, method, of_sets, allow_lower=request.allow_lower)
    write_floors(floors, cast(Path, request.floors))
    return []


# --profile: the share of the time in each stage over a set of pages


@dataclass(frozen=True, slots=True)
class StageTimes:
    """The time that each stage took on a set of pages, in microseconds a page; the longest first."""

    name: str
    pages: int
    failed: int  # pages on which nothing was found
    times: dict[str, float]


def profile_sample(
    sample: Sample, method: str, model: str | None, progress: Callable[[int, int], object]
) -> StageTimes:
    """Extract the text of each page of a sample, from bytes, and return the times of the stages."""
    sums, done, failed = Counter[str](), 0, 0
    for gold, html in read_pages(sample):
        rounds = []
        for _ in range(PROFILE_ROUNDS):
            with Profile() as profile:
                result = _extracted(html, gold.url, method, model)
            rounds.append(profile.nanoseconds)
        sums.update(min(rounds, key=lambda times: sum(times.values())))
        done += 1
        failed += not result
        progress(done, len(sample.golds))
    times = {stage: total / done / 1000 for stage, total in sums.most_common()}
    return StageTimes(sample.labelled_set.name, done, failed, times)


def _extracted(html: bytes, url: str | None, method: str, model: str | None) -> bool:
    try:
        return extract(html, url, method=method, model=model) is not None
    except PagesieveError:
        return False


def stage_table(profile: StageTimes) -> Table:
    """Return the stages of a set as a table."""
    total = sum(profile.times.values())
    title = f"{profile.name}: {profile.pages:,} pages, {total / 1000:.2f} ms of CPU time a page"
    if profile.failed:
        title += f"; nothing found on {profile.failed:,}"
    table = plain_table(title, ["stage"], ("us a page", "share"))
    table.min_width = len(title)
    for stage, time in profile.times.items():
        table.add_row(stage, f"{time:,.0f}", f"{time / total:.1%}")
    return table


def stage_json(profile: StageTimes) -> dict[str, object]:
    """Return the same, ready for JSON."""
    stages = {stage: round(time, 1) for stage, time in profile.times.items()}
    return {"set": profile.name, "pages": profile.pages, "nothing_found": profile.failed, "us_a_page": stages}
