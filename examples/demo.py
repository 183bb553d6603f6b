"""Show what Pagesieve does with pages of the example site: `make demo` runs this.

On a terminal the output has colours; through a pipe it is plain text, as wide as $COLUMNS says, or 80 characters.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from textwrap import shorten

from rich import box
from rich.console import Console
from rich.table import Table

import pagesieve

SITE = Path(__file__).parent / "site"
NEWS = "https://news.example.org/"
MALTHOUSE = "en/2024/05/brewers-buy-malthouse-4180715.html"
SEAL = "en/2024/05/seal-closes-pool-4181077.html"
CANAL = "en/2024/05/canal-walk-three-days-4181130.html"
THREAD = "forum/thread-4711-1.html"
SHOP = "shop/grid.html"
FACTS = ("title", "author", "date", "sitename", "language")
BLOCKS = ("The Wexley Courier", "Home", "We and our", "A young grey seal", "Read more", "© 1887")  # how some begin


def main() -> None:
    console = Console(highlight=False)
    console.print(
        "Pagesieve extracts articles, threads and tables from web pages. This demo runs it on some pages of "
        "examples/site (a newspaper, a forum, a shop); the line below each heading is the command that does the same."
    )
    show_article(console)
    show_reasons(console)
    show_thread(console)
    show_records(console)
    show_site(console)
    console.print("\nTry a page of your own:", style="bold")
    console.print("$ .venv/bin/pagesieve article -f markdown --with-metadata https://…", style="dim", soft_wrap=True)
    console.print("docs/tour.md shows every command and function; --help describes a command.")


def show_article(console: Console) -> None:
    """Show an article's facts, first paragraph and table."""
    command = f"article -f markdown --with-metadata {path(MALTHOUSE)}"
    heading(console, "1. An article with its facts, as Markdown", command)
    html = read(MALTHOUSE)
    article = pagesieve.article(html)
    facts = article.as_dict()
    paragraph, *others = article.markdown.split("\n\n")
    table = next(block for block in others if block.startswith("|"))
    console.print("---", style="dim")
    for name in FACTS:
        console.print(f'[cyan]{name}:[/] "{facts[name]}"')
    console.print("---\n", style="dim")
    console.print(shorten(paragraph, 230, placeholder=" …"))
    console.print(f"\n…\n\n{table}\n\n…", markup=False)
    summary(console, f"{len(html):,} bytes of HTML became {len(article.markdown):,} characters of Markdown.")


def show_reasons(console: Console) -> None:
    """Show some blocks of a page, kept and dropped, each with the reason."""
    heading(console, "2. Why each block was kept or dropped", f"article --why {path(SEAL)}")
    decisions = pagesieve.article(read(SEAL)).decisions
    table = columns("", "block", "reason (likelihood)")
    for beginning in BLOCKS:
        decision = next(each for each in decisions if each.text.startswith(beginning))
        table.add_row(verdict(decision.kept), shorten(decision.text, 32, placeholder=" …"), decision.reason)
    console.print(table)
    kept = sum(decision.kept for decision in decisions)
    summary(console, f"Of {len(decisions)} blocks, {kept} belong to the article. These are some of them.")


def show_thread(console: Console) -> None:
    """Show the first posts of a thread."""
    heading(console, "3. A thread with its posts", f"article -f json {path(THREAD)}")
    thread = pagesieve.article(read(THREAD))
    table = columns("author", "date", "post", title=thread.title)
    for post in thread.posts[:4]:
        date = (post.date or "")[:16].replace("T", " ")
        table.add_row(post.author, date, shorten(post.text, 100, placeholder=" …"))
    console.print(table)
    summary(console, f"The first 4 of {len(thread.posts)} posts. Signatures, ranks and buttons are left out.")


def show_records(console: Console) -> None:
    """Show the products of a shop, whose prices are numbers with a currency."""
    heading(console, "4. Records as a table, with typed prices", f"records {path(SHOP)}")
    records = pagesieve.records(read(SHOP))
    rows = records.to_rows(typed=True)
    table = columns("brand", "title", "stars", "price", "before", "stock")
    for row in rows[:5]:
        prices = price(row["price"]), price(row["old_price"])
        table.add_row(row["brand"], row["title"], f"{row['stars']:g}", *prices, row["stock"])
    console.print(table)
    amounts = [row["price"]["amount"] for row in rows]
    types = ", ".join(f"{column.name} ({column.type})" for column in records.columns)
    summary(
        console,
        f"5 of {len(rows)} products. Prices are numbers: from {min(amounts):.2f} to {max(amounts):.2f}. "
        f"Columns and their types, found on the page: {types}.",
    )


def show_site(console: Console) -> None:
    """Learn the other pages of a site, and show which block of a page this decides differently."""
    heading(
        console,
        "5. A site learnt from its own pages",
        f"learn {path('en/2024/')} --url {NEWS} --sites sites.db",
        f"article --why {path(CANAL)} --url {NEWS}2024/05/{Path(CANAL).name} --sites sites.db",
    )
    url, html = NEWS + CANAL.removeprefix("en/"), read(CANAL)
    others = [each for each in sorted((SITE / "en/2024").rglob("*.html")) if each != SITE / CANAL]
    with tempfile.TemporaryDirectory() as folder, pagesieve.open_sites(Path(folder, "sites.db")) as sites:
        learnt = sites.learn([(NEWS + each.relative_to(SITE / "en").as_posix(), each.read_bytes()) for each in others])
        repeated = len(sites.templates(url))
        before = pagesieve.article(html, url).decisions
        after = pagesieve.article(html, url, sites=sites).decisions
    table = columns("block", "the page alone", "the site learnt")
    for alone, known in zip(before, after, strict=True):
        if alone.kept != known.kept:
            text = shorten(known.text, 46, placeholder=" …")
            table.add_row(text, *(f"{verdict(each.kept)}: {each.reason}" for each in (alone, known)))
    console.print(table)
    summary(
        console,
        f"{learnt} pages learnt; {repeated} blocks recur on them, such as menus and footers. What recurs is a sign of "
        "boilerplate, and what occurs on one page alone is a sign of content.",
    )


def read(name: str) -> bytes:
    return (SITE / name).read_bytes()


def path(name: str) -> str:
    return f"examples/site/{name}"


def heading(console: Console, title: str, *commands: str) -> None:
    console.print(f"\n{title}", style="bold cyan")
    for command in commands:
        console.print(f"$ pagesieve {command}", style="dim", soft_wrap=True)
    console.print()


def summary(console: Console, text: str) -> None:
    console.print(f"\n{text}", style="green")


def columns(*names: str, title: str | None = None) -> Table:
    table = Table(*names, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        if column.header in ("stars", "price", "before"):
            column.justify, column.no_wrap = "right", True
        elif column.header in ("", "author", "date", "brand"):
            column.no_wrap = True
    return table


def verdict(kept: bool) -> str:
    return "[green]kept[/]" if kept else "[red]dropped[/]"


def price(value: dict[str, float | str] | None) -> str:
    return f"{value['amount']:.2f} {value['currency']}" if value else ""


if __name__ == "__main__":
    main()
