"""Kill a crawl again and again: `python -m tests.crawl.kill_often [KILLS] [PAGES]`.

A crawl of a site on this machine is killed by SIGKILL at random moments and begun again, then left to end; its results
must be those of a crawl that was left alone. The suite kills but twice: see `test_example_site.py`.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.crawl.crawls import Crawled, command, crawl, environment
from tests.crawl.hostile_site import article, sitemap
from tests.site_server import SiteServer, serving_site


def site(pages: int) -> dict[str, bytes]:
    """Return the files of a site: articles, some of which have moved."""
    files = {}
    for number in range(pages):
        files[f"story-{number}.html"] = article(f"Story number {number} of all")
        if number % 5 == 0:
            moved = f"<meta http-equiv=refresh content='0; url=/story-{number}-moved.html'><p>It has moved."
            files[f"story-{number}.html"] = moved.encode()
            files[f"story-{number}-moved.html"] = article(f"Story number {number} of all, elsewhere")
    return files


def with_sitemap(server: SiteServer) -> str:
    """Let the server have a sitemap of all its pages; return its address."""
    server.put("sitemap.xml", sitemap(server.url + name for name in list(server.files) if "moved" not in name))
    return f"{server.url}sitemap.xml"


def killed(start: str, output: Path, server: SiteServer, after: float) -> bool:
    """Kill a crawl some seconds after its first request; return whether it was alive."""
    before = len(server.log)
    process = subprocess.Popen(command(start, "-o", output, "--rate", 5), stderr=subprocess.DEVNULL, env=environment())
    while process.poll() is None and len(server.log) == before:
        time.sleep(0.01)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def main(kills: int = 10, pages: int = 60) -> int:
    """Return 0 where the results are the same."""
    chance = random.Random(kills)
    with serving_site(site(pages)) as server, tempfile.TemporaryDirectory() as folder:
        start = with_sitemap(server)
        whole = crawl(start, output=Path(folder, "whole.jsonl"))
        server.log.clear()
        output = Path(folder, "killed.jsonl")
        for number in range(kills):
            wait = chance.uniform(0.0, 2.5)
            was_alive = killed(start, output, server, wait)
            print(f"{number + 1}: {'killed' if was_alive else 'ended'} after {wait:.1f} s, {len(server.log)} requests")
            if not was_alive:
                break
        began = time.monotonic()
        last = crawl(start, output=output)
        print(f"ended after {time.monotonic() - began:.1f} s with status {last.status}, {len(server.log)} requests")
        same = _texts(last) == _texts(whole)
        print(f"{len(last.rows)} results, {'as' if same else 'NOT AS'} those of a crawl that was left alone")
        return 0 if same and len(last.rows) == pages else 1


def _texts(crawled: Crawled) -> dict[str, str]:
    return {path: row["text"] for path, row in crawled.by_path().items()}


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
