"""Services in processes of their own, on free ports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

PATIENCE = 60.0  # seconds, on a busy machine
HTML = {"Content-Type": "text/html; charset=utf-8"}
LARGE = "<h1>Title</h1><table>" + "<tr><td>a<td>12<td>b" * 400_000  # takes many seconds


@dataclass(frozen=True, slots=True)
class Service:
    """A service that runs."""

    process: subprocess.Popen[bytes]
    url: str
    client: httpx.Client
    stderr: Path

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rstrip("/").rpartition(":")[2])

    def post(self, path: str, headers: Mapping[str, str] | None = None, /, **given: Any) -> httpx.Response:
        """Send JSON."""
        return self.client.post(path, json=given, headers=headers)

    def log(self) -> list[dict[str, Any]]:
        """What it has logged."""
        lines = self.stderr.read_text("utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def line(self, answer: httpx.Response) -> dict[str, Any]:
        """Return what it logs of a request, which it does when it has answered."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for line in self.log():
                if line.get("id") == answer.headers["x-request-id"]:
                    return line
            time.sleep(0.02)
        raise AssertionError("nothing is logged")

    def pages(self) -> list[int]:
        """Return the ids of its page processes."""
        return children_of(self.process.pid)

    def wait_until(self, name: str, value: float) -> None:
        """Wait until a figure of /metrics has a value."""
        until = time.monotonic() + PATIENCE
        while self.figure(name) != value:
            assert time.monotonic() < until, f"{name} is {self.figure(name)}, not {value}"
            time.sleep(0.02)

    def figure(self, name: str) -> float:
        """Return a figure of /metrics; 0 where it is not there yet."""
        lines = self.client.get("metrics").text.splitlines()
        return next((float(line.split()[-1]) for line in lines if line.split()[0] == name), 0.0)


def children_of(parent: int) -> list[int]:
    """Return the ids of the processes that a process has started."""
    children: list[int] = []
    for thread in Path(f"/proc/{parent}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it may end while it is read
            children += map(int, (thread / "children").read_text().split())
    return children


def cpu_seconds(process: int) -> float:
    """Return how long a process has worked."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(
    *options: str, token: str | None = None, ready: bool = True, command: tuple[str, ...] = ("serve",)
) -> Iterator[Service]:
    """Run a service with some options of `pagesieve serve`, or of another command, and kill it in the end."""
    environment = {name: value for name, value in os.environ.items() if name != "PAGESIEVE_TOKEN"}
    if token is not None:
        environment["PAGESIEVE_TOKEN"] = token
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "stderr").open("wb") as stderr:
        arguments = [sys.executable, "-m", "pagesieve", *command, "--port", "0", *options]
        process = subprocess.Popen(arguments, stderr=stderr, stdout=subprocess.DEVNULL, env=environment)
        try:
            url = _address(process, Path(stderr.name))
            with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, trust_env=False) as client:
                service = Service(process, url, client, Path(stderr.name))
                if ready:
                    _wait(service)
                yield service
        finally:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[bytes], stderr: Path) -> str:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        first, end, _ = stderr.read_text("utf-8").partition("\n")
        if end:
            return str(json.loads(first)["url"])
        assert process.poll() is None, first
        time.sleep(0.05)
    raise AssertionError("the service does not start")


def _wait(service: Service) -> None:
    until = time.monotonic() + PATIENCE
    while service.client.get("readyz").status_code != 200:
        assert time.monotonic() < until, service.log()
        time.sleep(0.05)
