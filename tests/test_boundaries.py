"""A mistake of Pagesieve's own, or a server that nobody foresaw, costs one page and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pagesieve.cli.article
import pagesieve.cli.headlines
import pagesieve.cli.records
from pagesieve import api
from pagesieve.batch import BatchOptions, Shard
from pagesieve.batch.sources import read_shard
from pagesieve.cli import BAD_INPUT, commands
from pagesieve.fetching import http

PARAGRAPH = "<p>A sentence that is long enough to be a line of an article, and has a comma, and goes on. Another.</p>"
ITEMS = "".join(f"<li><h2><a href=/news/2024/05/{n}.html>Title number {n} of the day</a></h2></li>" for n in range(9))
BAD = "bad.html"


@pytest.fixture
def pages(tmp_path: Path) -> list[str]:
    """Three pages, the second of which will make Pagesieve fail."""
    for name in ("a.html", BAD, "c.html"):
        body = f"<title>{name} title</title><h1>{name} title</h1>{PARAGRAPH * 9}<ul>{ITEMS}</ul>"
        (tmp_path / name).write_text(body)
    return [str(tmp_path / name) for name in ("a.html", BAD, "c.html")]


def failing(work: Callable[..., Any], is_bad: Callable[..., bool]) -> Callable[..., Any]:
    """Return a function that fails for the bad page, as no function is meant to."""

    def failing_work(*given: Any, **named: Any) -> Any:
        if is_bad(*given):
            raise KeyError("unforeseen")
        return work(*given, **named)

    return failing_work


@pytest.mark.parametrize(
    ("command", "module", "name"),
    [
        (["article"], pagesieve.cli.article, "find_article"),
        (["headline"], pagesieve.cli.headlines, "find_headline"),
        (["catalogue", "--url", "https://example.org/"], api, "catalogue"),
        (["records"], pagesieve.cli.records, "find_records"),
    ],
)
def test_commands(
    command: list[str], module: Any, name: str, pages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def is_second(*_: Any) -> bool:
        seen.append(1)
        return len(seen) == 2

    monkeypatch.setattr(module, name, failing(getattr(module, name), is_second))
    done = CliRunner().invoke(commands, [*command, *pages], standalone_mode=False)
    assert done.return_value == BAD_INPUT
    assert f"pagesieve: {pages[1]}: failed: KeyError: 'unforeseen'" in done.stderr.splitlines()
    assert "a.html" in done.stdout
    assert "c.html" in done.stdout


def test_fetched_pages_of_a_batch(monkeypatch: pytest.MonkeyPatch, at: Callable[[str], str]) -> None:
    urls = (at("busy"), at("nowhere"), at("busy?again"))
    monkeypatch.setattr(http, "fetch", failing(http.fetch, lambda url, _: url == urls[1]))
    items = [*read_shard(Shard(0, "urls", "", names=urls), BatchOptions(allow_private=True))]
    assert [getattr(item, "fault", "") for item in items] == [None, "failed: KeyError: 'unforeseen'", None]


def test_pages_of_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi")
    from pagesieve.service import ServiceOptions
    from pagesieve.service import engine as module
    from pagesieve.service.responses import Problem
    from pagesieve.service.schemas import Job

    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("unforeseen")

    monkeypatch.setattr(module, "fetch_page", fail)

    async def ask() -> None:
        engine = module.Engine(ServiceOptions(workers=1))
        try:
            await engine.answer(Job(name="article", url="https://example.org/"))
        finally:
            engine.close()

    with pytest.raises(Problem, match="an error of Pagesieve") as caught:
        asyncio.run(ask())
    assert caught.value.sort == "failed"
