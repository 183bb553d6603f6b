"""Writes the pictures of docs/service.md, with Chromium: python docs/make_service_screenshots.py"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from make_screenshots import COLOURS, IMAGES, SITE
from PIL import Image
from playwright.sync_api import sync_playwright

from pagesieve.fetching.chromium import find_browser

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.service.running import Service, running
from tests.service.tabs import Tab

SEAL = SITE / "en/2024/05/seal-closes-pool-4181077.html"


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        options = ("--sites", f"{folder}/sites.db", "--corrections", f"{folder}/corrections")
        with running("--workers", "1", *options) as service:
            learn(service)
            with Tab(browser, service) as tab:
                show_correction(tab)
                shoot(tab, "service_correct.png")
            with Tab(browser, service, "phone", locale="zh-CN", color_scheme="dark") as tab:
                tab.choose_file(SEAL)
                tab.page.evaluate("scrollTo(0, document.getElementById('v0').offsetTop)")
                tab.unit("Staff believe").tap()
                shoot(tab, "service_phone.png")
            with Tab(browser, service) as tab:
                tab.choose("records")
                tab.choose_file(SITE / "shop/grid.html")
                tab.page.locator(".schema summary").click()
                tab.page.get_by_label("Keep image", exact=True).uncheck()
                tab.page.get_by_label("Name of name", exact=True).fill("product")
                tab.page.get_by_role("button", name="Apply to the table").click()
                tab.outcome(".schema .apply", "columns")
                tab.page.set_viewport_size({"width": 1280, "height": 1250})
                tab.page.evaluate("document.getElementById('result').scrollIntoView()")
                shoot(tab, "service_records.png")
            with Tab(browser, service) as tab:
                tab.page.locator("#to-sites").click()
                tab.page.locator(".show").first.click()
                tab.page.wait_for_selector(".known")
                tab.page.set_viewport_size({"width": 1280, "height": 640})
                shoot(tab, "service_sites.png")
        browser.close()


def learn(service: Service) -> None:
    """Let the library of a service know two sites."""
    for path in sorted((SITE / "en/2024/05").glob("*.html"))[:6]:
        page = {"url": f"https://courier.example.org/2024/05/{path.name}", "html": path.read_text("utf-8")}
        service.post("v1/sites", pages=[page])
    shop = {"url": "https://shop.example.com/garden-tools", "html": (SITE / "shop/grid.html").read_text("utf-8")}
    service.post("v1/sites", pages=[shop])


def show_correction(tab: Tab) -> None:
    """Bring about a result with two corrections."""
    tab.page.set_viewport_size({"width": 1280, "height": 1330})
    tab.choose_file(SEAL)
    tab.page.locator(".toggle").click()
    tab.unit("Season tickets").click()
    tab.page.evaluate("scrollTo(0, 0)")
    tab.unit("By Hannah Prowse").click()


def shoot(tab: Tab, name: str) -> None:
    """Write a picture of a tab."""
    shot = Image.open(io.BytesIO(tab.page.screenshot()))
    shot.convert("RGB").quantize(COLOURS).save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    main()
