"""What the catalogue step finds: how many articles are among the links of their catalogue pages, and what else is.

    python benchmarks/catalogue.py ../shared/data/headlines/metahtml_half.tar.xz

The links of 30 catalogue pages were judged one by one; `catalogue_judged.md` has the judgements, by a digest of the
URL, since the pages are not ours to publish. Links that are given today and were never judged are counted apart.
`main_links_judged.md` says of the links of 20 of these pages whether they stand in the page's own list.
`--list` writes the links of those pages with what was judged, to judge the new ones; `--cost` only times the step.
"""

from __future__ import annotations

import json
import sys
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser
from timing import by_turns, compared

import pagesieve
from pagesieve.text.urls import absolute, key

JUDGED = Path(__file__).with_name("catalogue_judged.md")
MAIN_JUDGED = Path(__file__).with_name("main_links_judged.md")
PAGES = 30
ROUNDS = 5
DIGEST = 12  # characters

Files = dict[str, bytes]


def read(path: Path) -> tuple[list[dict[str, Any]], Files]:
    """The gold of a set, and its pages by their ids; from an archive, or from its folder."""
    if path.is_dir():
        found = {file.name: file.read_bytes() for file in (path / "pages").iterdir()}
        found["gold.jsonl"] = (path / "gold.jsonl").read_bytes()
    else:
        with tarfile.open(path) as archive:
            members = [member for member in archive if member.isfile()]
            found = {Path(member.name).name: archive.extractfile(member).read() for member in members}  # type: ignore[union-attr]
    gold = [json.loads(line) for line in found.pop("gold.jsonl").decode().splitlines()]
    return gold, {name.removesuffix(".html"): html for name, html in found.items()}


def catalogues(gold: list[dict[str, Any]]) -> dict[str, str]:
    """The URL of each catalogue page, by its id, in the order of the ids."""
    pairs = sorted((page["id"], page["url"]) for answer in gold for page in answer["catalogues"])
    return dict(pairs)


def chosen(pages: dict[str, str]) -> list[str]:
    """The pages that were judged: at even steps among the sorted ids."""
    return list(pages)[:: len(pages) // PAGES][:PAGES]


def digest(url: str) -> str:
    return sha256(url.encode()).hexdigest()[-DIGEST:]


def judgements(path: Path) -> dict[tuple[str, str], str]:
    """What was judged of each link: by page and digest, `article` or what else it is; `list` or `beside`."""
    found, page = dict[tuple[str, str], str](), ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith("## "):
            page = line.split()[1]
        elif page and line.startswith("| ") and line[2].isdigit():
            _, _, code, verdict, *_ = (cell.strip() for cell in line.split("|"))
            found[page, code] = verdict
    return found


def coverage(gold: list[dict[str, Any]], found: dict[str, pagesieve.Catalogue]) -> None:
    keys = {page: {key(link.url) for link in listed.all_links} for page, listed in found.items()}
    one = both = pairs = named = 0
    for answer in gold:
        wanted = key(absolute(answer["url"], answer["url"]) or "")
        hits = [wanted in keys[page["id"]] for page in answer["catalogues"]]
        one += any(hits)
        both += sum(hits)
        pairs += len(hits)
        named += any(found[page["id"]].titles(answer["url"]) for page in answer["catalogues"])
    print(f"{len(gold)} articles; among the links of a catalogue page of theirs: {one} ({one / len(gold):.1%})")
    print(f"{pairs} pairs of article and catalogue page: {both} ({both / pairs:.1%})")
    print(f"titles found for {named} articles ({named / len(gold):.1%})")


def precision(found: dict[str, pagesieve.Catalogue], pages: list[str], *, listed: bool) -> None:
    known = judgements(JUDGED)
    right = wrong = new = 0
    for page in pages:
        if listed:
            print(f"## {page}: {found[page].url}")
        for number, link in enumerate(found[page].all_links, 1):
            verdict = known.get((page, digest(link.url)), "?")
            right += verdict == "article"
            new += verdict == "?"
            wrong += verdict not in ("article", "?")
            if listed:
                print(f"{number} {digest(link.url)} {verdict} | {link.url} | {link.title}")
    judged = right + wrong
    print(f"{right + wrong + new} links of {len(pages)} pages; {judged} were judged, {new} are new")
    if judged:
        print(f"articles among those judged: {right} ({right / judged:.1%})")


def main_links(found: dict[str, pagesieve.Catalogue]) -> None:
    """Print how many of the main links stand in the page's own list, and how many of that list are main."""
    known = judgements(MAIN_JUDGED)
    pages = dict.fromkeys(page for page, _ in known)
    given = [(link.main, known.get((page, digest(link.url)), "?")) for page in pages for link in found[page].all_links]
    main = [verdict for is_main, verdict in given if is_main]
    right, listed = main.count("list"), [verdict for _, verdict in given].count("list")
    print(f"{len(given)} links of {len(pages)} pages; {len(main)} are main, {main.count('?')} of them not judged")
    print(f"main links that stand in the list: {right} ({right / (len(main) or 1):.1%})")
    print(f"links of the list that are main: {right} of {listed} ({right / (listed or 1):.1%})")


def cost(gold: list[dict[str, Any]], files: Files) -> Iterator[str]:
    """Yield a table: what the step costs, bytes to titles or links, next to lexbor's parse of the page."""
    times = [
        _times(files[answer["catalogues"][0]["id"]], answer["catalogues"][0]["url"], answer["url"]) for answer in gold
    ]
    yield "| what | ms, median | next to lexbor's parse: all pages | median page |"
    yield "| --- | ---: | ---: | ---: |"
    for line in compared(("lexbor's parse", "our table", "the titles of one URL", "the list", "all links"), times):
        yield f"| {' | '.join(line)} |"


def _times(html: bytes, url: str, wanted: str) -> list[float]:
    works = (
        lambda: LexborHTMLParser(html),
        lambda: pagesieve.parse(html),
        lambda: pagesieve.catalogue(html, url).titles(wanted),
        lambda: pagesieve.catalogue(html, url).links,
        lambda: pagesieve.catalogue(html, url).all_links,
    )
    return by_turns(works, ROUNDS)


def main(arguments: list[str]) -> None:
    (path,) = (Path(argument) for argument in arguments if not argument.startswith("--"))
    gold, files = read(path)
    if "--cost" in arguments:
        print("\n".join(cost(gold, files)))
        return
    pages = catalogues(gold)
    found = {page: pagesieve.catalogue(files[page], url) for page, url in pages.items()}
    precision(found, chosen(pages), listed="--list" in arguments)
    main_links(found)
    coverage(gold, found)
    if "--list" not in arguments:
        print("\n".join(cost(gold, files)))


if __name__ == "__main__":
    main(sys.argv[1:])
