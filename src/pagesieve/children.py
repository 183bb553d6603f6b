"""Several page processes, for programs that do other things meanwhile: a thread waits for each process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pagesieve.child import About, Limits, Reason, thread_child
from pagesieve.processes import available_cpus


class Children:
    """As many page processes as asked for, one for each CPU if not; each is started when there is a page for it."""

    def __init__(self, maker: str, options: Mapping[str, Any], limits: Limits, count: int | None = None) -> None:
        self._maker = maker  # of the answers: MODULE:CLASS of a Maker
        self._options = options  # that it is made with
        self._limits = limits
        self.count = count or available_cpus()
        self._threads = ThreadPoolExecutor(self.count, "pagesieve-page")

    async def answer(self, data: bytes, about: About) -> dict[str, Any] | Reason:
        """Return what is made of a page, or why nothing is. Raises RunStopped where the page is not the cause."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, data, about)

    def _answer(self, data: bytes, about: About) -> dict[str, Any] | Reason:
        return thread_child(self._maker, self._options, self._limits).answer(data, about)

    def close(self) -> None:
        """End the processes, which end with their threads."""
        self._threads.shutdown(cancel_futures=True)
