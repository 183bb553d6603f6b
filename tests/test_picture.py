"""What was found, drawn over the picture of a page: the right colours in the right places."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from PIL import Image

from pagesieve.fetching import chromium
from pagesieve.fetching.chromium import Snapshot
from pagesieve.page.rendered import RenderedPage
from pagesieve.records import picture
from pagesieve.records.picture import ITEM, KEY_HEIGHT, NOISE, RECORDS, REGION, Box, draw, outline
from pagesieve.records.results import Segmentation

HTML = """<!doctype html><style>body { margin: 0; height: 700px } #list { margin: 50px; width: 400px }
    .row { height: 80px; margin-bottom: 20px } b { position: relative; left: 200px } .float { float: left; width: 30px }
    .wrap { display: contents } .gone { display: none } </style>
    <div id=list><div class=row><b>one</b></div><div class=row><b>two</b></div><div class=row>noise</div></div>
    <div id=aside class=row>aside</div><div class=floats><p class=float>a<p class=float>b</div>
    <div class=wrap><div class=row>wrapped</div></div><div class=gone>gone</div>"""


@pytest.fixture(scope="module")
def shot() -> Snapshot:
    return chromium.shared().snapshot(HTML, picture=True)


@pytest.fixture(scope="module")
def page(shot: Snapshot) -> RenderedPage:
    return shot.page()


@pytest.fixture(scope="module")
def found(page: RenderedPage) -> Segmentation:
    region, one, two, noise = (int(row) for row in page.rows("div")[:4])
    return Segmentation(region, ((one,), (two,)), (noise,))


def drawn(shot: Snapshot, found: list[Segmentation], items: list[int]) -> Image.Image:
    return Image.open(io.BytesIO(draw(shot.png, shot.page(), found, items)))


def is_at(image: Image.Image, x: int, y: int, colour: tuple[int, ...]) -> bool:
    """Whether a point of the page has a colour in the picture."""
    return pixel(image, x, y + KEY_HEIGHT) == colour


def pixel(image: Image.Image, x: int, y: int) -> tuple[int, ...]:
    colour = image.getpixel((x, y))
    assert isinstance(colour, tuple)
    return colour


def test_everything_is_where_it_is_on_the_page(shot: Snapshot, page: RenderedPage, found: Segmentation) -> None:
    items = [int(row) for row in page.rows("b")]
    image = drawn(shot, [found], items)
    plain = Image.open(io.BytesIO(shot.png))
    assert image.size == (plain.width, plain.height + KEY_HEIGHT)
    assert is_at(image, 48, 200, REGION)
    assert is_at(image, 300, 50, RECORDS[1])
    assert is_at(image, 300, 150, RECORDS[0])
    assert is_at(image, 250, 250, NOISE)
    assert is_at(image, 250, 290, NOISE)  # where the lines of the cross meet
    item = page.box[items[0]]
    assert is_at(image, int(item[0]) + 2, int(item[1]) - 1, ITEM)
    assert is_at(image, 800, 600, pixel(plain.convert("RGB"), 800, 600))


def test_a_record_is_tinted_so_that_the_page_can_still_be_read(shot: Snapshot, found: Segmentation) -> None:
    red, green, blue = pixel(drawn(shot, [found], []), 420, 90 + KEY_HEIGHT)
    assert min(red, green, blue) > 200
    assert (red, green, blue) != (255, 255, 255)


def test_other_regions_are_outlines(shot: Snapshot, page: RenderedPage, found: Segmentation) -> None:
    aside = next(row for row in range(len(page)) if page.attribute(row, "id") == "aside")
    image = drawn(shot, [found, Segmentation(aside, ())], [])
    top = int(page.box[aside][1])
    assert is_at(image, 600, top, REGION)
    assert is_at(image, 600, top + 40, (255, 255, 255))


def test_nothing_found_is_a_picture_too(shot: Snapshot) -> None:
    image = drawn(shot, [], [])
    plain = Image.open(io.BytesIO(shot.png)).convert("RGB")
    assert image.crop((0, KEY_HEIGHT, *image.size)).tobytes() == plain.tobytes()


def test_the_outline_of_rows(page: RenderedPage) -> None:
    divs = [int(row) for row in page.rows("div")]
    assert outline(page, divs[1:3]) == Box(50, 50, 450, 230)
    floats, wrap, gone = divs[5], divs[6], divs[8]
    assert page.box[floats][3] == 0
    assert outline(page, [floats]) == outline(page, map(int, page.rows("p")))
    assert outline(page, [wrap]) == outline(page, [divs[7]])
    assert outline(page, [gone]) is None
    assert outline(page, []) is None
    assert outline(page, [gone, divs[1]]) == outline(page, [divs[1]])


def test_what_lies_outside_of_the_picture_is_drawn_at_its_edge(shot: Snapshot, page: RenderedPage) -> None:
    box = page.box.copy()
    first = int(page.rows("div")[0])
    box[first] = (-1e6, -1e6, 3e6, 3e6)
    far = replace(page, box=box)
    image = Image.open(io.BytesIO(draw(shot.png, far, [Segmentation(first, ((first,),), (first,))], [first])))
    assert image.size == (1366, shot.page().size[1] + KEY_HEIGHT)


def test_without_pillow_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['PIL'] = None; from pagesieve.records.picture import draw;"
        "from pagesieve.errors import MissingExtra\n"
        "try: draw(b'', None, [])\nexcept MissingExtra as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("drawing the picture needs an optional part: pip install 'playwright")


def test_the_colours_can_be_told_apart() -> None:
    colours = {REGION, *RECORDS, ITEM, NOISE, picture.PAPER}
    assert len(colours) == 6
