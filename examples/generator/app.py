"""A page whose content is built by a script: the notes stand in embedded JSON, the markup holds an empty div."""

# ruff: noqa: E501  (a line of markup stays a line, so that it can be found in the page)

from __future__ import annotations

from typing import Any

from .articles import TEXTS, split_pair
from .dice import Dice
from .markup import data, lines, part

PATH = "app/notes.html"
HOST = "https://notes.example.com/"
URL = HOST + "notes.html"
AUTHORS = ["E. Marsh", "T. Okoro", "E. Marsh", "L. Penhale"]


def read_notes() -> list[dict[str, Any]]:
    """Read the notes: a line 'date | place | tags', then the text."""
    notes: list[dict[str, Any]] = []
    for number, chunk in enumerate((TEXTS / "notes.txt").read_text(encoding="utf-8").strip("\n").split("\n\n"), 1):
        head, words = split_pair(chunk, "\n")
        date, place, tags = head.split(" | ")
        dice = Dice("note", number)
        notes.append(
            {
                "id": dice.token(10),
                "date": date,
                "place": place,
                "tags": tags.split(", "),
                "author": dice.pick(AUTHORS),
                "text": words,
            }
        )
    return notes


def read_species() -> list[dict[str, str]]:
    """Read the species, a line 'name | latin name | group' each; the day of the first sighting is thrown."""
    found = []
    for line in (TEXTS / "species.txt").read_text(encoding="utf-8").splitlines():
        name, latin, group = line.split(" | ")
        dice = Dice("species", name)
        first = f"2024-{dice.number(2, 4):02d}-{dice.number(1, 28):02d}"
        found.append({"key": dice.token(6), "name": name, "latin": latin, "group": group, "first": first})
    return found


def write_page() -> str:
    """Write the page; it needs no network, so it also works from a file."""
    dice = Dice("app")
    notes = read_notes()
    store = {
        "version": 7,
        "build": dice.token(12),
        "csrf": dice.token(40),
        "locale": "en-GB",
        "flags": {f"f_{dice.token(5)}": bool(dice.number(0, 1)) for _ in range(24)},
        "routes": [
            {"name": name, "path": f"/{name}", "chunk": f"{name}.{dice.token(8)}.js"}
            for name in ("notes", "species", "places", "months", "people", "export")
        ],
        "sync": [
            {
                "note": note["id"],
                "rev": f"{dice.number(1, 9)}-{dice.token(32)}",
                "at": f"2024-05-15T1{dice.number(0, 3)}:{dice.number(10, 59)}:00Z",
            }
            for note in notes
        ],
        "notes": notes,
        "species": read_species(),
    }
    menu = "".join(f'<a href="{HOST}{name.lower()}">{name}</a>' for name in ("Notes", "Species", "Places", "Months"))
    return lines(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>Marsh notebook</title><link rel="canonical" href="{URL}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="generator" content="notebook 7.2">',
            f"<style>{part('app.css')}</style></head>",
            f'<body data-build="{dice.token(12)}">{part("en_sprite.svg")}',
            f'<header class="app-bar"><h1>Marsh notebook</h1><nav>{menu}</nav><input id="find" type="search" placeholder="Search"></header>',
            '<div class="app"><div id="root"></div></div>',
            "<noscript>The notebook needs JavaScript.</noscript>",
            '<div class="toast" id="toast"></div>',
            '<footer class="app-foot">Kept by the Wexley Naturalists since 1922. Records go to the county atlas.</footer>',
            f'<script id="store" type="application/json">{data(store)}</script>',
            f"<script>{part('app.js')}</script>",
            "</body></html>",
        ]
    )
