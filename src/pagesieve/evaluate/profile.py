"""Profile an extraction: the share of the time in each stage over a set of pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.table import Table

from pagesieve.api import extract
from pagesieve.errors import PagesieveError
from pagesieve.evaluate.archives import Progress, Sample, read_pages
from pagesieve.evaluate.report import plain_table
from pagesieve.stages import Profile

ROUNDS = 3  # extractions of each page; the shortest time counts


@dataclass(frozen=True, slots=True)
class StageTimes:
    """The time that each stage took on a set of pages, in microseconds a page; the longest first."""

    name: str
    pages: int
    failed: int  # pages on which nothing was found
    times: dict[str, float]


def profile_sample(sample: Sample, method: str, model: str | None, progress: Progress) -> StageTimes:
    """Extract the text of each page of a sample, from bytes, and return the times of the stages."""
    sums, done, failed = Counter[str](), 0, 0
    for gold, html in read_pages(sample):
        rounds = []
        for _ in range(ROUNDS):
            with Profile() as profile:
                result = _extracted(html, gold.url, method, model)
            rounds.append(profile.nanoseconds)
        sums.update(min(rounds, key=lambda times: sum(times.values())))
        done += 1
        failed += not result
        progress("pages", done, len(sample.golds))
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
