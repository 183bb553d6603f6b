"""Where the time of an extraction goes: the share of each stage over a set of pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.table import Table

from pagesieve.api import extract
from pagesieve.errors import PagesieveError
from pagesieve.evaluate.archives import Progress, Sample, read_pages
from pagesieve.evaluate.report import plain_table
from pagesieve.stages import Profile

ROUNDS = 3  # each page is extracted so often, and the quickest time counts


@dataclass(frozen=True, slots=True)
class StageTimes:
    """The time that each stage took on a set of pages, in microseconds a page; the longest first."""

    name: str
    pages: int
    failed: int  # pages on which nothing was found
    times: dict[str, float]


def profile_sample(sample: Sample, method: str, model: str | None, progress: Progress) -> StageTimes:
    """Extract the text of each page of a sample, bytes in, and return how long the stages took."""
    sums, done, failed = Counter[str](), 0, 0
    for gold, html in read_pages(sample):
        rounds = []
        for _ in range(ROUNDS):
            with Profile() as profile:
                found = _extracted(html, gold.url, method, model)
            rounds.append(profile.nanoseconds)
        sums.update(min(rounds, key=lambda times: sum(times.values())))
        done += 1
        failed += not found
        progress("pages", done, len(sample.golds))
    times = {stage: total / done / 1000 for stage, total in sums.most_common()}
    return StageTimes(sample.labelled_set.name, done, failed, times)


def _extracted(html: bytes, url: str | None, method: str, model: str | None) -> bool:
    try:
        return extract(html, url, method=method, model=model) is not None
    except PagesieveError:
        return False


def stage_table(found: StageTimes) -> Table:
    """Return the stages of a set as a table."""
    total = sum(found.times.values())
    title = f"{found.name}: {found.pages:,} pages, {total / 1000:.2f} ms of CPU time a page"
    if found.failed:
        title += f"; nothing found on {found.failed:,}"
    table = plain_table(title, ["stage"], ("us a page", "share"))
    table.min_width = len(title)
    for stage, time in found.times.items():
        table.add_row(stage, f"{time:,.0f}", f"{time / total:.1%}")
    return table


def stage_json(found: StageTimes) -> dict[str, object]:
    """Return the same, ready for JSON."""
    stages = {stage: round(time, 1) for stage, time in found.times.items()}
    return {"set": found.name, "pages": found.pages, "nothing_found": found.failed, "us_a_page": stages}
