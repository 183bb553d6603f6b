"""The web page of a service in a tab of a browser, as a person uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.report.test_report_browser import DESKTOP, PHONE
from tests.service.running import Service

SIZES = {"desktop": DESKTOP, "phone": PHONE}
NEAR = 130  # pixels between a button and what it says: buttons are below each other on a phone
# Whether something is said about a button in its group, to screen readers too; null while it is not.
_SAID = """([button, part]) => {
  const pressed = document.querySelector(button);
  const line = pressed?.closest(":has(> .outcome)").querySelector(".outcome[role=status]");
  if (!line?.textContent.includes(part)) return null;
  const [one, two] = [pressed, line.firstChild].map((element) => element.getBoundingClientRect());
  return {
    below: two.top - one.bottom, beside: two.left - one.left,
    isSeen: two.top >= 0 && two.bottom <= innerHeight && two.left >= 0 && two.right <= innerWidth,
  };
}"""
DROP = """([name, text]) => {
  const moved = new DataTransfer();
  if (name) moved.items.add(new File([text], name, {type: "text/html"}));
  else moved.setData("text/plain", text);
  for (const type of ["dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: moved}));
  }
}"""


class Tab:
    """A tab with the web page; what it asks for and complains of is noted."""

    def __init__(self, chromium: Any, service: Service, size: str = "desktop", **options: Any) -> None:
        viewport = SIZES[size]
        self.service = service
        self.context = chromium.new_context(
            viewport=viewport, has_touch=size == "phone", locale=options.pop("locale", "en-GB"), **options
        )
        self.page = self.context.new_page()
        self.width = viewport["width"]
        self.requests, self.complaints = list[str](), list[str]()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.open(service.url)

    def __enter__(self) -> Tab:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def open(self, address: str) -> None:
        """Go to an address of the web page."""
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]")

    def reload(self) -> None:
        """Load the web page again, and wait for what it then shows."""
        self.page.reload()
        self.page.wait_for_selector("html[data-ready]")
        self.wait()

    def choose(self, mode: str) -> None:
        """Choose what to find."""
        self.page.locator(f"[name=mode][value={mode}]").check()

    def read(self, address: str) -> None:
        """Give an address, and press Enter."""
        self.page.fill("#address", address)
        self.page.keyboard.press("Enter")
        self.wait()

    def drop(self, name: str, text: str) -> None:
        """Drop a file; without a name, a text."""
        self.page.evaluate(DROP, [name, text])
        self.wait()

    def choose_file(self, path: Path) -> None:
        """Choose a file."""
        self.page.set_input_files("#file", path)
        self.wait()

    def wait(self) -> None:
        """Wait for the answer, or for what went wrong."""
        self.page.wait_for_selector("#read:enabled")
        self.page.wait_for_selector("#result:not([hidden]), #problem:not([hidden])")

    def text(self, where: str) -> str:
        """Return the text that is shown somewhere."""
        return str(self.page.locator(where).inner_text())

    def status(self, part: str) -> None:
        """Wait until the status says something."""
        self.page.wait_for_function(
            "part => document.getElementById('status').textContent.includes(part)", arg=part, timeout=20_000
        )

    def outcome(self, button: str, part: str) -> None:
        """Wait until what a button did is said, and check that this is seen where the button is."""
        where = self.page.wait_for_function(_SAID, arg=[button, part], timeout=20_000).json_value()
        assert where["isSeen"], where
        assert -NEAR <= where["below"] <= NEAR, where
        assert self.width < SIZES["desktop"]["width"] or abs(where["beside"]) <= NEAR, where

    def correct(self, text: str) -> None:
        """Correct the unit that begins with a text."""
        if self.page.locator(".toggle").get_attribute("aria-pressed") == "false":
            self.page.locator(".toggle").click()
        self.unit(text).click()

    def answer(self, name: str) -> str:
        """Press a button of the question that is asked; return the question."""
        text = self.text("dialog[open] p")
        self.page.locator("dialog[open]").get_by_role("button", name=name).click()
        return text

    def download(self, button: str) -> tuple[str, bytes]:
        """Press a button that downloads a file; return its name and what it holds."""
        with self.page.expect_download() as started:
            self.page.locator(button).click()
        return started.value.suggested_filename, Path(started.value.path()).read_bytes()

    def unit(self, text: str) -> Any:
        """Return the unit of the page that begins with a text."""
        return self.page.locator(".page .unit[id]").filter(has_text=text).first

    def fits(self) -> bool:
        """Whether nothing is wider than the window."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth") <= self.width)


class Held:
    """Requests of a tab that wait until they are let go."""

    def __init__(self, tab: Tab, path: str, part: str = "") -> None:
        self.tab, self.part = tab, part
        self.routes: list[Any] = []
        tab.page.route(path, self._take)

    def _take(self, route: Any) -> None:
        if self.part in (route.request.post_data or ""):
            self.routes.append(route)
        else:
            route.continue_()

    def wait(self) -> None:
        """Wait until a request is held."""
        for _ in range(1000):
            if self.routes:
                return
            self.tab.page.wait_for_timeout(20)
        raise TimeoutError(f"no request with {self.part!r} was sent")

    def release(self) -> None:
        """Let the requests go, and wait until the page has dealt with the answers."""
        for route in self.routes:
            with self.tab.page.expect_event("requestfinished", lambda each, of=route.request: each == of):
                route.continue_()
        self.tab.page.wait_for_timeout(200)
