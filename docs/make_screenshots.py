"""Writes the pictures of the tutorial and of docs/explain.md, with Chromium: python docs/make_screenshots.py"""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import tempfile
import termios
from base64 import b64encode
from contextlib import suppress
from html import escape
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import pagesieve
from pagesieve.fetching.chromium import find_browser
from pagesieve.page.static import PageSource
from pagesieve.records.find import RecordOptions, find_visual, show
from pagesieve.records.picture import draw
from pagesieve.report import Report, build_report, write_report
from pagesieve.report.build import render

HERE = Path(__file__).parent
ROOT = HERE.parent
SITE = ROOT / "examples" / "site"
IMAGES = HERE / "images"
COLOURS = 128  # of a picture: enough for a page of text, and a third of the bytes
SEAL = "examples/site/en/2024/05/seal-closes-pool-4181077.html"
COLUMNS = 112  # of the terminal
TERMINALS = {  # pictures, the commands in them, and how many lines
    "terminal_article.png": (["article", SEAL], 16),
    "terminal_markdown.png": (["article", "-f", "markdown", "--with-metadata", SEAL], 28),
}
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #16211f; color: #dfe9e7; font: 14px/1.45 "DejaVu Sans Mono", monospace; width: 1000px }}
pre {{ margin: 0; padding: 18px 22px; white-space: pre-wrap; font: inherit }} b {{ color: #6fd6c4 }}
</style><pre><b>$</b> {command}
{output}</pre>"""
OVER_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; width: 1180px; background: white; font: 13px/1.35 "DejaVu Sans", sans-serif; color: #222 }}
div {{ height: 520px; overflow: hidden; border-bottom: 3px solid #00796b }}
img {{ width: 1180px; display: block; margin-top: -240px }}
table {{ border-collapse: collapse; width: 100% }} th {{ text-align: left; background: #e0f2f1 }}
td, th {{ padding: 6px 10px; border-bottom: 1px solid #ddd; white-space: nowrap; overflow: hidden; max-width: 250px }}
</style><div><img src="{picture}"></div><table>{rows}</table>"""


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    article = PageSource((ROOT / SEAL).read_bytes())
    shop = PageSource((SITE / "shop/grid.html").read_bytes())
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        shoot_report(browser, build_report(article, name="seal.html"), "explain.png", "article")
        records = build_report(render(shop), methods=[], records=True, name="grid.html")
        shoot_report(browser, records, "explain_records.png", "record", "dark")
        for name, (arguments, lines) in TERMINALS.items():
            shoot_html(browser, terminal(arguments, lines), name)
        shoot_html(browser, table_over_page(), "records_table.png", height=735)
        browser.close()


def shoot_report(browser: Browser, report: Report, name: str, fate: str, scheme: str = "light") -> None:
    """Write a picture of a report in which the pointer is on its third unit of a fate."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(write_report(report, "en"), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.goto(file.as_uri())
        page.locator(f".unit[id][data-fate={fate}]").nth(2).hover()
        shot = page.screenshot()
        page.close()
    save(shot, name)


def shoot_html(browser: Browser, html: str, name: str, height: int | None = None) -> None:
    """Write a picture of HTML, which is as wide as its body says, and as high as it is or is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(html, encoding="utf-8")
        page = browser.new_page(viewport={"width": 1180, "height": height or 400})
        page.goto(file.as_uri())
        box = page.locator("body").bounding_box()
        assert box is not None
        clip = {"x": 0.0, "y": 0.0, "width": box["width"], "height": float(height or box["height"])}
        shot = page.screenshot(clip=clip, full_page=True)
        page.close()
    save(shot, name)


def save(shot: bytes, name: str) -> None:
    """Write a picture with few colours."""
    with Image.open(io.BytesIO(shot)) as image:
        image.convert("RGB").quantize(COLOURS).save(IMAGES / name, optimize=True)


def terminal(arguments: list[str], lines: int) -> str:
    """Return what a command prints, as a terminal shows it: the first lines."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (lines, COLUMNS))
    command = [sys.executable, "-m", "pagesieve", *arguments]
    printed: list[str] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=theirs), open(ours, encoding="utf-8") as screen:
        os.close(theirs)
        with suppress(OSError):  # at the end
            printed.extend(line.rstrip() for line in screen)
    output = "\n".join([*printed[:lines], *(["…"] if len(printed) > lines else [])])
    return TERMINAL.format(command=escape(" ".join(["pagesieve", *arguments])), output=escape(output))


def table_over_page() -> str:
    """Return a picture of the shop with its records and their items marked, and below it the table that they make."""
    page = SITE / "shop/grid.html"
    shown = show(page.read_bytes(), None, RecordOptions("visual"), picture=True)
    found = find_visual(shown.page())
    items = [row for record in found.records for item in record.items for row in item.rows]
    picture = draw(shown.png, found.page, found.segmentations, items)
    records = pagesieve.records(page.read_bytes(), "https://shop.example.com/")
    names = [name for name in records.header if name not in ("image", "title_link", "old_price")]
    head = "".join(f"<th>{escape(name)}" for name in names)
    body = ["".join(f"<td>{escape(str(row[name] or ''))}" for name in names) for row in records.to_rows()]
    return OVER_PAGE.format(picture=as_data(picture), rows="".join(f"<tr>{row}" for row in [head, *body]))


def as_data(png: bytes) -> str:
    """Return a picture as an address."""
    return f"data:image/png;base64,{b64encode(png).decode()}"


if __name__ == "__main__":
    main()
