"""Makes the pictures of docs/methods from the example site: python docs/methods/make_pictures.py (needs Chromium)."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import pagesieve
from pagesieve.records.find import RecordOptions, find_visual, show
from pagesieve.records.picture import draw

HERE = Path(__file__).parent
SITE = HERE.parent.parent / "examples" / "site"
PAGE = SITE / "zh/jiaoyu/2024-05/15/c_1130146240.html"
REFERENCE = SITE / "zh/shehui/2024-05/07/c_1130145187.html"
RECORDS = {"search": "search/results.html", "grid": "shop/grid.html", "thread": "forum/thread-4711-1.html"}
WIDTH, HEIGHT, COLOURS = 760, 700, 256  # of a picture of records
FEW_COLOURS = 32  # enough for pages in black on white
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

SIDE_BY_SIDE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; font: 15px sans-serif; display: flex; gap: 12px; padding: 12px; background: #ddd }}
figure {{ margin: 0; background: white; height: 820px; overflow: hidden; position: relative }}
figcaption {{ background: #333; color: white; padding: 4px 8px; position: relative; z-index: 1 }}
iframe {{ border: 0; width: 1040px; height: 1640px; transform: scale(.5); transform-origin: 0 0 }}
.page {{ width: 520px }} .article {{ width: 420px }}
.article div {{ padding: 4px 14px; line-height: 1.5; font-size: 12px }}
td, th {{ border: 1px solid #aaa; padding: 1px 6px }} table {{ border-collapse: collapse }}
</style>
<figure class="page"><figcaption>the page</figcaption><iframe src="{page}"></iframe></figure>
<figure class="page"><figcaption>its sibling</figcaption><iframe src="{reference}"></iframe></figure>
<figure class="article"><figcaption>what the sibling does not have</figcaption>
<div><h3>{title}</h3>{html}</div></figure>
"""


def main() -> None:
    """Makes all of them."""
    draw_layout()
    for name, page in RECORDS.items():
        draw_records(SITE / page, HERE / "pictures" / f"records_{name}.png")


def draw_records(page: Path, to: Path) -> None:
    """Draws the records of a page over it: its upper part, made smaller."""
    shot = show(page.read_bytes(), None, RecordOptions("visual"), picture=True)
    found = find_visual(shot.page())
    items = [row for record in found.records for item in record.items for row in item.rows]
    with Image.open(io.BytesIO(draw(shot.png, found.page, found.segmentations, items))) as image:
        image = image.resize((WIDTH, image.height * WIDTH // image.width), Image.Resampling.LANCZOS)
        image.crop((0, 0, WIDTH, min(HEIGHT, image.height))).quantize(COLOURS).save(to, optimize=True)


def draw_layout() -> None:
    """Renders a page, its sibling and the result side by side."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("no Chromium here; on Debian: apt-get install chromium fonts-noto-cjk")
    found = pagesieve.article(PAGE.read_bytes(), method="layout", reference=REFERENCE.read_bytes())
    with TemporaryDirectory() as folder:
        both = Path(folder) / "both.html"
        pages = {"page": PAGE.as_uri(), "reference": REFERENCE.as_uri()}
        both.write_text(SIDE_BY_SIDE.format(**pages, title=found.title, html=found.html), "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1510,850"]
        options += [f"--user-data-dir={folder}/profile", "--disable-background-networking", "--no-first-run"]
        options += [f"--screenshot={folder}/layout.png"]
        subprocess.run([browser, *options, both.as_uri()], check=True, capture_output=True)
        with Image.open(Path(folder) / "layout.png") as image:
            image.convert("RGB").quantize(FEW_COLOURS).save(HERE / "pictures" / "layout.png", optimize=True)


if __name__ == "__main__":
    main()
