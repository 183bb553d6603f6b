"""A corpus run on both engines: python benchmarks/corpus.py ../shared/data/articles/*.tar.xz --pages 5000

Writes the labelled pages to Parquet, with ids and a column of their own, and runs `pagesieve batch` on them, to Parquet
with Markdown, filtered by language, deduplicated: with processes of this machine, and with Ray. Both have to write the
same bytes, and every id has to be in the results, the rejects or the duplicates, once. The table is Markdown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pyarrow
from pyarrow import parquet

from pagesieve.evaluate.archives import find_sets, read_pages, take_sample

ROW_GROUP = 50
SHARD_MB = 16
ENGINES = ("local", "ray")


def write_pages(path: Path, archives: Sequence[Path], pages: int) -> list[str]:
    """Write so many pages of the sets, each once; return their ids."""
    columns = ["id", "url", "set", "html"]
    schema = pyarrow.schema([(name, pyarrow.binary() if name == "html" else pyarrow.string()) for name in columns])
    rows = (
        {"id": f"{labelled.name}/{gold.id}", "url": gold.url, "set": labelled.name, "html": html}
        for labelled in find_sets(archives)
        for gold, html in read_pages(take_sample(labelled))
    )
    ids = []
    taken = islice(rows, pages)
    with parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(taken, ROW_GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
            ids += [row["id"] for row in group]
    return ids


def run(source: Path, out: Path, engine: str, workers: int, languages: str) -> float:
    """Run the command; return its seconds."""
    command = [sys.executable, "-m", "pagesieve", "batch", str(source), "-o", str(out), "-f", "parquet"]
    command += ["--with", "text,markdown", "--language", languages, "--min-words", "50", "--deduplicate"]
    command += ["--engine", engine, "--workers", str(workers), "--shard-size", str(SHARD_MB)]
    began = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - began


def written(out: Path) -> dict[str, bytes]:
    """All files of a run but for its figures, which have times in them."""
    return {path.name: path.read_bytes() for path in out.glob("part-*") if not path.name.endswith(".stats.json")}


def lines(out: Path, ending: str) -> list[dict[str, str]]:
    return [json.loads(line) for path in sorted(out.glob(f"part-*{ending}")) for line in path.open()]


def check(out: Path, ids: Sequence[str]) -> tuple[list[str], list[dict[str, str]], list[dict[str, str]]]:
    """Return the ids of the results, the rejects and the duplicates, which together are all ids, each once."""
    results = [name for path in sorted(out.glob("*.parquet")) for name in parquet.read_table(path)["id"].to_pylist()]
    rejects, duplicates = lines(out, ".rejects.jsonl"), lines(out, ".duplicates.jsonl")
    assert Counter(results + [row["id"] for row in (*rejects, *duplicates)]) == Counter(ids)
    assert {row["duplicate_of"] for row in duplicates} <= set(results)
    return results, rejects, duplicates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archives", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--languages", default="en,de,zh")
    parser.add_argument("--keep", type=Path, help="a folder for the results, which are removed otherwise")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        source = folder / "pages.parquet"
        ids = write_pages(source, given.archives, given.pages)
        seconds = {engine: run(source, folder / engine, engine, given.workers, given.languages) for engine in ENGINES}
        one, two = (written(folder / engine) for engine in ENGINES)
        assert one == two, [name for name in one if one.get(name) != two.get(name)]
        results, rejects, duplicates = check(folder / "local", ids)
        reasons = Counter(row["reason"].partition(":")[0] for row in rejects)
        exact = sum(float(row["similarity"]) == 1 for row in duplicates)
    print("| pages | results | rejects | duplicates, of them exact | local, s | Ray, s |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    print(f"| {len(ids):,} | {len(results):,} | {len(rejects):,} | {len(duplicates):,}, {exact:,} |", end="")
    print("".join(f" {seconds[engine]:.0f} |" for engine in ENGINES))
    print(f"\nequal bytes in {len(one)} files; rejects: {', '.join(f'{n} {why}' for why, n in reasons.most_common())}")


if __name__ == "__main__":
    main()
