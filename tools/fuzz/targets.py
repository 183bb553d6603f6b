"""The table of targets: what is run, on which seeds, and how those are changed.

A target is a function of bytes. It returns or raises an error of Pagesieve's own; whatever else it does is a fault:
another exception, a Fault of a check, a crash, or no answer within the limit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tools.fuzz import files, methods, mutators, reading, seeds, writing
from tools.fuzz.bench import Run
from tools.fuzz.mutators import Mutator
from tools.fuzz.seeds import Seeds


@dataclass(frozen=True)
class Target:
    """One target."""

    run: Run
    seeds: Seeds = seeds.pages
    mutate: Mutator = mutators.page

    def case(self, name: str, seed: int, number: int) -> bytes:
        """Return a case; the same for the same name, seed and number."""
        return self.mutate(random.Random(f"{name}/{seed}/{number}"), self.seeds())


METHODS = ("auto", "lineblocks", "svm", "reverse")
SITE_METHODS = ("sharpened", "layout", "template")

TARGETS: dict[str, Target] = {
    "decode": Target(reading.decoding, seeds.encoded_pages),
    "tokenizer": Target(reading.tokenizing),
    "table": Target(reading.building),
    "partial": Target(reading.partial_parsing),
    "writers": Target(writing.writing),
    **{name: Target(methods.by_method(name)) for name in METHODS},
    **{name: Target(methods.by_method(name, with_sites=True)) for name in SITE_METHODS},
    "engine": Target(methods.engine),
    "records": Target(methods.records),
    "catalogue": Target(methods.catalogue),
    "headline": Target(methods.headline),
    "kind": Target(methods.kind),
    "facts": Target(methods.facts),
    "snapshot": Target(files.saved_page, seeds.snapshots, mutators.zipped),
    "model": Target(files.model, seeds.models, mutators.zipped),
    "schema": Target(files.schema, seeds.schemas, mutators.with_pieces(mutators.JSON, mutators.MAX_STRICT_CHANGES)),
    "library": Target(files.library, seeds.libraries, mutators.binary),
    "warc": Target(files.archive, seeds.archives, mutators.archive),
    "feeds": Target(files.feed, seeds.feeds, mutators.with_pieces(mutators.XML)),
}
# The targets that run in the kernel: with the tests, what `make sanitize` runs.
IN_KERNEL = tuple(name for name, target in TARGETS.items() if target.seeds in (seeds.pages, seeds.encoded_pages))
