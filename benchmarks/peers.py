"""Accuracy and speed next to peers: python -m benchmarks.peers ../shared/data/articles

Writes `peers.json`, from which `figures.py` draws and writes the tables. On sets that the model was not trained on,
all extractors are measured, on up to 200 pages a set of sites that stand in no training set. On the sets that it was
trained on, only peers are measured, the faster ones, on up to `--limit` pages a set; ours is what cross-validation
between sites gave, read from the model's card. Time is the CPU time of the thread, each page once, extractors by turns.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import thread_time

from research.left_out import LEFT_OUT
from rich.console import Console

import pagesieve
from pagesieve import __version__
from pagesieve.errors import MissingExtra
from pagesieve.evaluate.archives import Sample, find_set, read_pages, take_sample, thin
from pagesieve.evaluate.floors import floor_samples, read_floors
from pagesieve.evaluate.peers import PEERS, Extracted, Extractor, load_peers
from pagesieve.evaluate.score import Answer, caught, peers_kept_quiet

HERE = Path(__file__).parent
RESULT = HERE / "peers.json"
CARD = HERE.parent / "src" / "pagesieve" / "models" / "auto.md"
METHODS = ("auto", "reverse", "lineblocks", "svm")  # those that need nothing but the page
FAST_PEERS = ("trafilatura", "resiliparse", "readability", "justext")
CARD_ROW = re.compile(r"^\| (\w+) \((\d[\d,]*)\) \| [.\d]+ \| [.\d]+ \| ([.\d]+) \|$", re.MULTILINE)


@dataclass
class Measured:
    """What one extractor did on some pages."""

    scores: list[float]
    ms: list[float]
    errors: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="the folder with the sets of articles")
    parser.add_argument("--limit", type=int, default=100, help="pages of each set that the model was trained on")
    parser.add_argument(
        "--unseen", action="store_true", help="keep the figures of peers on those sets: ours are not in them"
    )
    options = parser.parse_args()
    floors = read_floors(HERE / "floors.json")
    unseen = floors.of("auto")
    peers = {peer.name: peer for peer in installed_peers()}
    fast = {name: peer for name, peer in peers.items() if name in FAST_PEERS}
    ours = {method: text_by(method) for method in METHODS}
    samples = floor_samples(floors, "auto", [find_set(options.data, name) for name in unseen.sets])
    trained_on = () if options.unseen else unseen.trained_on
    trained = [without_wrong(options.data, name, options.limit) for name in trained_on]
    with peers_kept_quiet():
        found = {each.labelled_set.name: measure(each, {**ours, **peers}) for each in samples}
        known = {each.labelled_set.name: measure(each, fast) for each in trained}
    kept = json.loads(RESULT.read_text(encoding="utf-8"))["cross_validated"] if options.unseen else {}
    crossed = {name: {"auto": card()[name], **rows(of)} for name, of in known.items()}
    result = {
        "versions": {"pagesieve": __version__, **{name: peer.version for name, peer in peers.items()}},
        "unseen": {name: rows(of) for name, of in found.items()},
        "cross_validated": kept | crossed,
        "speed": speed(found.values()),
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def installed_peers() -> Iterator[Extractor]:
    """The peers that are installed, as evaluation calls them; those that are not are named."""
    for name in PEERS:
        try:
            yield from load_peers([name])
        except MissingExtra as error:
            Console(stderr=True).print(f"left out: {error}")


def text_by(method: str) -> Extractor:
    """Ours, bytes in and text out."""
    return Extractor(method, __version__, lambda html, url: Extracted(pagesieve.extract(html, url, method=method)))


def without_wrong(data: Path, name: str, limit: int) -> Sample:
    """A sample of a set without the pages that training leaves out, as in cross-validation."""
    sample = take_sample(find_set(data, name))
    wanted = [page for page in sorted(sample.golds) if page not in LEFT_OUT.get(name, {})]
    return replace(sample, golds={page: sample.golds[page] for page in thin(wanted, limit)})


def measure(sample: Sample, extractors: Mapping[str, Extractor]) -> dict[str, Measured]:
    """Score and time the extractors on the pages of a sample; a first call of each is not timed."""
    found = {name: Measured([], []) for name in extractors}
    names = list(extractors)
    for number, (gold, html) in enumerate(read_pages(sample)):
        answer = Answer(gold, html)
        for name in names if number == 0 else ():
            caught(extractors[name].extract, html, gold.url)
        shift = number % len(names)
        for name in (*names[shift:], *names[:shift]):
            start = thread_time()
            output, error = caught(extractors[name].extract, html, gold.url)
            found[name].ms.append(1000 * (thread_time() - start))
            found[name].scores.append(answer.score(output or Extracted(None)).f1)
            found[name].errors += error is not None
    Console(stderr=True).print(f"{sample.labelled_set.name}: {len(sample.golds)} pages")
    return found


def rows(of: Mapping[str, Measured]) -> dict[str, dict[str, float]]:
    """The figures of each extractor on a set."""
    return {
        name: {"pages": len(each.scores), "f1": round(sum(each.scores) / len(each.scores), 4), "errors": each.errors}
        for name, each in of.items()
    }


def card() -> dict[str, dict[str, float]]:
    """Our own figures in cross-validation, by set, from the model's card."""
    text = CARD.read_text(encoding="utf-8")
    return {name: {"pages": int(pages.replace(",", "")), "f1": float(f1)} for name, pages, f1 in CARD_ROW.findall(text)}


def speed(sets: Iterable[Mapping[str, Measured]]) -> dict[str, dict[str, float]]:
    """The time of each extractor over all pages, and how many times that of ours: in sum, and at the median page."""
    times: dict[str, list[float]] = defaultdict(list)
    for of in sets:
        for name, each in of.items():
            times[name] += each.ms
    ours = times["auto"]
    return {
        name: {
            "ms": round(sum(each) / len(each), 3),
            "times": round(sum(each) / sum(ours), 3),
            "times_at_median": round(median(one / two for one, two in zip(each, ours, strict=True)), 3),
        }
        for name, each in times.items()
    }


if __name__ == "__main__":
    main()
