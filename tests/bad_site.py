"""A server on this machine with pages that misbehave in every way we know, and some that do not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HTML = "text/html; charset=utf-8"

RECORD = (
    "<li style='height: 200px'><h3><a href=/{0}>Result number {0}</a></h3>"
    "<p>What it has to say of the matter, in some words of its own, variant {0}.</p></li>"
)

PAGES = {
    "plain": "<title>t</title><p>plain</p>",
    "styled": "<link rel=stylesheet href=/wide.css><div id=box>styled</div><img src=/dot.svg>",
    "dialogs": """<p>before</p><script>alert(1); confirm(2); prompt(3); print();
        onbeforeunload = () => 'stay'; open('/popup'); document.body.append('after')</script>""",
    "reloads": "<p>again and again</p><script>setTimeout(() => location.reload(), 1)</script>",
    "refreshes": "<meta http-equiv=refresh content=0><p>once more</p>",
    "hangs": "<p>never</p><script>for (;;);</script>",
    "crashes": "<script>const all = []; for (;;) all.push(new Array(1e6).fill(all.length))</script>",
    "waits": "<link rel=stylesheet href=/endless><p>shown all the same</p><img src=/silence>",
    "polls": "<p>polls</p><script>setInterval(() => fetch('/plain'), 20)</script>",
    "clicks": "<p>stays</p><script>location = '/zip'</script>",
    "late": """<ul></ul><script>const more = n => { const li = document.createElement('li');
        li.textContent = 'item ' + n; document.querySelector('ul').append(li); if (n < 5) setTimeout(more, 60, n + 1) };
        fetch('/slow').then(() => more(1))</script>""",
    "scrolls": """<ul></ul><script>let n = 0; const list = document.querySelector('ul');
        const more = () => { for (let i = 0; i < 60 && n < 180; i++) { const li = document.createElement('li');
        li.textContent = 'item ' + ++n; list.append(li) } }; more();
        onscroll = () => innerHeight + scrollY > document.body.scrollHeight - 50 && setTimeout(more, 50)</script>""",
    "goes_on": """<!doctype html><ul></ul><script>const list = document.querySelector('ul'); let at = 0, asked = false
        const more = async () => { if (asked || at === 4) return; asked = true
        const part = await (await fetch('/part?' + at++)).text(); list.insertAdjacentHTML('beforeend', part)
        asked = false }; more(); onscroll = () => innerHeight + scrollY > list.scrollHeight - 50 && more()</script>""",
    "posts": """<p id=p></p><script>fetch('/echo', {method: 'POST', body: 'é='}).then(r => r.text())
        .then(t => p.textContent = t)</script>""",
    "framed": "<iframe src=/plain></iframe><p>around</p>",
    "busy": """<ul></ul><script>for (let n = 1; n < 9; n++) document.querySelector('ul').insertAdjacentHTML('beforeend',
        `<li><h3><a href=/${n}>Result number ${n}</a></h3><p>What it has to say, in some words of its own.</p></li>`);
        alert(1); setInterval(() => fetch('/plain'), 20)</script>""",
}


class Handler(BaseHTTPRequestHandler):
    """Answers by the path; each method named after one writes the whole answer."""

    protocol_version = "HTTP/1.1"
    asked: list[str]  # hosts and paths

    def do_GET(self) -> None:
        self.asked.append(f"{self.headers['Host'].split(':')[0]}{self.path}")
        name = self.path.split("?")[0].strip("/").replace(".", "_").split("/")[0]
        if name in PAGES:
            self.answer(PAGES[name].encode())
        else:
            getattr(self, f"get_{name}", self.get_missing)()

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content_Type": HTML, "Content_Length": str(len(body)), **headers}.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def get_wide_css(self) -> None:
        self.answer(b"#box { width: 777px }", Content_Type="text/css")

    def get_dot_svg(self) -> None:
        drawing = b"<svg xmlns='http://www.w3.org/2000/svg' width='31' height='13'/>"
        self.answer(drawing, Content_Type="image/svg+xml")

    def get_app(self) -> None:
        self.answer((Path(__file__).parent.parent / "examples" / "site" / self.path[1:]).read_bytes())

    def get_to(self) -> None:
        """Redirect to whatever stands after the question mark."""
        self.answer(b"", 302, Location=self.path.partition("?")[2], Set_Cookie="seen=yes")

    def get_loop(self) -> None:
        self.answer(b"", 302, Location="/loop")

    def get_missing(self) -> None:
        self.answer(b"<p>not here", 404)

    def get_busy_server(self) -> None:
        self.answer(b"<p>not now", 503)

    def get_zip(self) -> None:
        self.answer(b"PK", Content_Type="application/zip")

    def get_attachment(self) -> None:
        self.answer(b"<p>a file", Content_Disposition="attachment; filename=a.html")

    def get_echo(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        said = f"{self.command} {self.rfile.read(length).decode()} {self.headers.get('Cookie')}"
        self.answer(said.encode())

    def get_slow(self) -> None:
        time.sleep(0.3)
        self.answer(b"slow")

    def get_part(self) -> None:
        """Ten records of a list that goes on: those after as many parts as stand after the question mark."""
        first = 10 * int(self.path.partition("?")[2])
        self.answer("".join(map(RECORD.format, range(first, first + 10))).encode())

    def get_silence(self) -> None:
        time.sleep(3)
        self.close_connection = True

    def get_endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/css")
        self.end_headers()
        try:
            for _ in range(30):
                self.wfile.write(b"/* */")
                time.sleep(0.1)
        except OSError:
            pass
        self.close_connection = True

    def get_gbk(self) -> None:
        self.answer("<meta charset=gbk><p>汉字".encode("gbk"), Content_Type="text/html")


@contextmanager
def serving() -> Iterator[ThreadingHTTPServer]:
    """The server, for as long as it is wanted."""
    Handler.asked = []
    running = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield running
    finally:
        running.shutdown()
        running.server_close()
