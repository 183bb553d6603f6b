"""What `make demo` shows: Pagesieve at work on the example site."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.table import Table

import pagesieve

HERE = Path(__file__).parent
OUT = HERE.parent / "out"
ENGLISH = "en/2024/05/seal-closes-pool-4181077.html"


def main() -> None:
    console = Console()
    gold = [json.loads(line) for line in (HERE / "gold.jsonl").read_text("utf-8").splitlines()]
    chinese, sibling = [row["id"] for row in gold if row["lang"].startswith("zh")][:2]
    show_article(console, ENGLISH)
    show_article(console, chinese, sibling)
    show_reasons(console, ENGLISH)
    write_all(console, gold)


def read(name: str) -> bytes:
    return (HERE / "site" / name).read_bytes()


def show_article(console: Console, name: str, sibling: str | None = None) -> None:
    """The beginning of an article, found alone or by comparison with another page of the site."""
    html = read(name)
    found = pagesieve.article(html, reference=read(sibling) if sibling else None)
    console.rule(f"[bold]pagesieve article examples/site/{name}")
    if sibling:
        console.print(f"… --reference examples/site/{sibling}", style="bold", justify="center")
    facts = f"{len(html) / 1024:.0f} KB of {found.encoding} in, {len(found.text)} characters out, by {found.method}"
    beginning = found.text[:700].rsplit("\n", 1)[0]
    console.print(Panel(f"{beginning}\n…", title=f"[bold]{found.title}", subtitle=facts))


def show_reasons(console: Console, name: str) -> None:
    console.rule(f"[bold]pagesieve article --why examples/site/{name}")
    decisions = pagesieve.article(read(name)).decisions
    first = next(number for number, decision in enumerate(decisions) if decision.kept)
    table = Table("", "why", "block", title=f"{len(decisions)} blocks, some of them:", show_lines=False)
    for decision in [*decisions[:6], *decisions[first - 3 : first + 5], *decisions[-5:]]:
        mark = "[green]keep" if decision.kept else "[red]drop"
        table.add_row(mark, decision.reason, decision.text[:50])
    console.print(table)


def write_all(console: Console, gold: list[dict[str, str]]) -> None:
    OUT.mkdir(exist_ok=True)
    for row in gold:
        found = pagesieve.article(read(row["id"]), url=row["url"], include_links=True)
        target = OUT / f"{Path(row['id']).stem}.md"
        target.write_text(f"# {found.title}\n\n{found.markdown}\n", "utf-8")
    console.rule("[bold]all of it")
    console.print(f"The {len(gold)} articles of the example site are in [bold]{OUT.name}/[/] as Markdown.")
    console.print(
        "Now your own:  [bold].venv/bin/pagesieve article -f markdown https://…[/]   (--help teaches the rest)"
    )


if __name__ == "__main__":
    main()
