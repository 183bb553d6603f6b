"""`pagesieve serve` under load: python benchmarks/service.py [--seconds 10] [--minutes 10] [--workers 2]

Articles of the example site are asked for over loopback by clients that wait for an answer before they ask again:
requests a second and latencies with 1, 8 and 64 clients; then with a hostile page in every tenth request, next to the
same without; with a page process that is killed every second; and with --minutes, as many clients as the service takes
at a time, with the memory of all its processes. Hostile pages are not waited for: they come as often whatever they
cost. The clients take CPU from the service, so the figures are those of both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SITE = Path(__file__).resolve().parent.parent / "examples" / "site" / "en" / "2024"
HOSTILE = (
    b"<table>" + b"<tr><td>a<td>12<td>b" * 100_000,
    b"<div>" * 400_000 + b"words",
    b"<ul>" + b"<li><a href=/x>Word</a> words, and 10 more" * 50_000,
    b"<p>" + b"<b><i><u>words " * 120_000,
)
TENTH = 10
KILLS = 1.0  # seconds between two
SETTLING = 10.0  # seconds until the hostile pages that were begun are done


@dataclass(slots=True)
class Load:
    """What clients have seen."""

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)  # 0: no answer

    @property
    def rate(self) -> float:
        return len(self.times) / self.seconds

    def figures(self) -> str:
        ordered = sorted(self.times)
        p50, p99 = statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
        seen = shown(self.statuses)
        return f"{self.rate:6.0f} requests/s  p50 {1000 * p50:6.1f} ms  p99 {1000 * p99:6.1f} ms  ({seen})"


def shown(statuses: Counter[int]) -> str:
    return ", ".join(f"{number} of {status}" for status, number in sorted(statuses.items()))


def request(body: bytes) -> bytes:
    head = f"Host: localhost\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return f"POST /v1/article?bodies=text HTTP/1.1\r\n{head}".encode() + body


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> int:
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.split(b":")[1]))
    return int(head.split(b" ", 2)[1])


async def client(port: int, requests: Sequence[bytes], until: float, number: int, load: Load) -> None:
    """Ask again and again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    while time.perf_counter() < until:
        number += 1
        began = time.perf_counter()
        try:
            status = await ask(reader, writer, requests[number % len(requests)])
        except (OSError, asyncio.IncompleteReadError):
            status = 0
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        load.times.append(time.perf_counter() - began)
        load.statuses[status] += 1
    writer.close()


def attack(port: int, rate: float, seconds: float) -> Counter[int]:
    """Send hostile requests, so many a second, and wait for none; return the statuses of those that were answered."""
    requests, statuses = [request(body) for body in HOSTILE], Counter[int]()

    async def ask_once(sent: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        try:
            statuses[await ask(reader, writer, sent)] += 1
        except (OSError, asyncio.IncompleteReadError):
            statuses[0] += 1
        finally:
            writer.close()

    async def whole() -> None:
        sent = set()
        for number in range(int(rate * seconds)):
            sent.add(asyncio.create_task(ask_once(requests[number % len(requests)])))
            await asyncio.sleep(1 / rate)
        await asyncio.wait(sent, timeout=SETTLING)

    asyncio.run(whole())
    return statuses


def run(
    port: int, clients: int, seconds: float, requests: Sequence[bytes], beside: Callable[[], object] | None = None
) -> Load:
    """Ask for some seconds; `beside` is called every second meanwhile."""
    load = Load()

    async def tick() -> None:
        while beside is not None:
            await asyncio.sleep(KILLS)
            beside()

    async def whole() -> None:
        ticking = asyncio.create_task(tick())
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in range(clients):
                group.create_task(client(port, requests, began + seconds, number * 7, load))
        load.seconds = time.perf_counter() - began
        ticking.cancel()

    asyncio.run(whole())
    return load


def processes(parent: int) -> list[int]:
    threads = Path(f"/proc/{parent}/task").iterdir()
    return [int(found) for thread in threads for found in (thread / "children").read_text().split()]


def memory(parent: int) -> float:
    """Return the megabytes that a process and its page processes hold."""
    pages = 0
    for process in (parent, *processes(parent)):
        try:
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except OSError:  # it has ended meanwhile
            continue
    return pages * os.sysconf("SC_PAGESIZE") / (1 << 20)


@contextmanager
def serving(*options: str) -> Iterator[tuple[int, int]]:
    """Run a service; yield its process and its port."""
    command = [sys.executable, "-m", "pagesieve", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        url = json.loads(process.stderr.readline())["url"]
        drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
        time.sleep(5)
        yield process.pid, int(url.rstrip("/").rpartition(":")[2])
        process.terminate()
        print(f"ended with status {process.wait()}")
        drain.wait()
    finally:
        process.kill()


def at_the_limit(process: int, port: int, clients: int, minutes: float, requests: Sequence[bytes]) -> None:
    """Print the memory in every tenth of the time."""
    seen: list[float] = []
    load = run(port, clients, 60 * minutes, requests, lambda: seen.append(memory(process)))
    print(f"{minutes:g} minutes, {clients} clients: {load.figures()}")
    tenth = max(1, len(seen) // 10)
    print("  MB:", *(f"{max(seen[at : at + tenth]):.0f}" for at in range(0, len(seen), tenth)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each figure")
    parser.add_argument("--minutes", type=float, default=0.0, help="at the limit")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--queue", type=int, default=128)
    options = parser.parse_args()
    pages = [request(path.read_bytes()) for path in sorted(SITE.rglob("*.html"))]
    print(f"{len(pages)} pages, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {options.workers} workers")
    with (
        serving("--workers", str(options.workers), "--queue", str(options.queue)) as (process, port),
        ProcessPoolExecutor(1) as beside,
    ):
        for clients in (1, 8, 64):
            print(f"{clients:3} clients:          {run(port, clients, options.seconds, pages).figures()}")
        for clients in (8, 64):
            alone = run(port, clients, options.seconds, pages)
            print(f"{clients:3} clients, alone:   {alone.figures()}")
            attacking = beside.submit(attack, port, alone.rate / TENTH, options.seconds)
            print(f"{clients:3} clients, hostile: {run(port, clients, options.seconds, pages).figures()}")
            print(f"    {alone.rate / TENTH:.0f} hostile pages/s: {shown(attacking.result())}")

        def kill() -> None:
            os.kill(random.choice(processes(process)), signal.SIGKILL)

        load = run(port, 8, options.seconds, pages, kill)
        print(f"  8 clients, kill -9 every {KILLS:g} s: {load.figures()}")
        if options.minutes:
            at_the_limit(process, port, options.workers + options.queue, options.minutes, pages)


if __name__ == "__main__":
    main()
