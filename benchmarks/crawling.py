"""A crawl of generated pages next to plain Scrapy with trafilatura in the callback: python benchmarks/crawling.py

Serves 10,000 pages on loopback (`--pages N`), made of the articles of the example site, no two equal, on lists of 100
links that go on from page to page. Both crawls take them all, each in a process of its own, one after the other: pages
a second, the CPU time of all its processes, and the most memory that they had in the first fifth and in all.
The server is a process too, and the same for both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import Process, Queue
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

SITE = Path(__file__).parent.parent / "examples" / "site" / "en" / "2024" / "05"
PER_LIST = 100
AT_ONCE = 16

_PARAGRAPH = re.compile(r"(<p[^>]*>)([^<]{40,})(?=<)")
_TITLE = re.compile(r"(<h1[^>]*>)([^<]*)(?=<)")

SCRAPY = """
import sys
import scrapy, trafilatura
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [sys.argv[1]]

    def parse(self, response):
        yield from response.follow_all(css="li a", callback=self.page)
        yield from response.follow_all(css="a.next", callback=self.parse)

    def page(self, response):
        yield {"url": response.url, "text": trafilatura.extract(response.text, url=response.url)}

process = CrawlerProcess({
    "LOG_LEVEL": "ERROR", "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "ROBOTSTXT_OBEY": True,
    "FEEDS": {sys.argv[2]: {"format": "jsonlines"}},
})
process.crawl(Pages)
process.start()
"""


# The server


def made_pages() -> list[str]:
    """Return the articles of the example that have one page and need no scripts."""
    texts = [path.read_text("utf-8", "replace") for path in sorted(SITE.glob("*.html"))]
    return [text for text in texts if 'rel="next"' not in text and len(_PARAGRAPH.findall(text)) > 5]


def article(pages: list[str], number: int) -> bytes:
    """Return an article: one of the example, with its words in another order, and a headline of its own."""
    dice = Random(number)
    page = pages[number % len(pages)]

    def shuffled(found: re.Match[str]) -> str:
        words = found[2].split()
        dice.shuffle(words)
        return found[1] + " ".join(words)

    page = _PARAGRAPH.sub(shuffled, page)
    return _TITLE.sub(lambda found: f"{found[1]}{found[2]}, part {number}", page, count=1).encode()


def catalogue(number: int, count: int) -> bytes:
    first, last = number * PER_LIST, min((number + 1) * PER_LIST, count)
    links = "".join(
        f'<li><a href="/2024/05/story-{k}.html">The story of the day, number {k}</a></li>' for k in range(first, last)
    )
    following = f'<a class="next" rel="next" href="/list/{number + 1}.html">Next page</a>' if last < count else ""
    return f"<!doctype html><title>News</title><h1>News</h1><ul>{links}</ul>{following}".encode()


def serve(count: int, port: Queue[int]) -> None:
    pages = made_pages()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ", 2)[1].decode()
            body, status = b"", "404 Not Found"
            if found := re.fullmatch(r"/2024/05/story-(\d+)\.html", path):
                body, status = article(pages, int(found[1])), "200 OK"
            elif found := re.fullmatch(r"/list/(\d+)\.html", path):
                body, status = catalogue(int(found[1]), count), "200 OK"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n".encode())
            writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()

    async def quietly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(quietly, "127.0.0.1", 0)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


# The crawls


def memory_of(pid: int) -> int:
    """Return the bytes of a process and its children."""
    total = 0
    for each in [pid, *children(pid)]:
        with suppress(OSError):
            total += int(Path(f"/proc/{each}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return total


def children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in found:
            yield child
            yield from children(child)


def measured(command: list[str]) -> dict[str, Any]:
    """Run a crawl; return its seconds, the CPU time of its processes, and its memory as it went."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    memory: list[int] = []

    def watch() -> None:
        while process.poll() is None:
            memory.append(memory_of(process.pid))
            time.sleep(0.5)

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    early = max(memory[: max(1, len(memory) // 5)], default=0)
    return {
        "status": status, "seconds": time.perf_counter() - began, "cpu": cpu, "early": early,
        "most": max(memory, default=0),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    count = parser.parse_args().pages
    port: Queue[int] = Queue()
    server = Process(target=serve, args=(count, port), daemon=True)
    server.start()
    start = f"http://127.0.0.1:{port.get(timeout=30)}/list/0.html"
    table = Table("crawl", "pages", "seconds", "pages/s", "CPU s", "MB early", "MB most")
    speeds = []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/ours.jsonl", f"{folder}/theirs.jsonl"
        Path(folder, "plain.py").write_text(SCRAPY)
        options = ["--no-throttle", "--per-host", str(AT_ONCE), "--list-pages", str(count), "--allow-private"]
        commands = {
            "pagesieve": ([sys.executable, "-m", "pagesieve", "crawl", start, "-o", ours, *options], ours),
            "scrapy, trafilatura": ([sys.executable, f"{folder}/plain.py", start, theirs], theirs),
        }
        for name, (command, output) in commands.items():
            found = measured(command)
            rows = [json.loads(line) for line in Path(output).read_text("utf-8").splitlines()]
            texts = sum(bool(row.get("text")) for row in rows)
            speeds.append(texts / found["seconds"])
            megabytes = (f"{found[key] / 1e6:.0f}" for key in ("early", "most"))
            table.add_row(
                name, str(texts), f"{found['seconds']:.1f}", f"{speeds[-1]:.0f}", f"{found['cpu']:.1f}", *megabytes
            )
    server.terminate()
    Console().print(table)
    print(f"{speeds[0] / speeds[1]:.2f} times as many pages a second")


if __name__ == "__main__":
    main()
