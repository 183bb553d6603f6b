"""What mkdocs needs besides mkdocs.yml: the pages that stand outside of docs/, and links that lead to and from them;
the rank of each page in the search; and the script by which the search works without a server, where npm has installed
it (see the Makefile).

The same files are read in the repository and in the site. So a link is written as it is true in the repository, and is
turned here into one that is true in the site.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DOCS = "docs/"
FOLDERS = {"src/pagesieve/models/": "models/", "benchmarks/": "benchmarks/", "": ""}  # in the repository, in the site
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
WORKER = Path(sys.prefix) / "node/node_modules/iframe-worker/shim/index.js"
WORKER_PLACE = "assets/iframe-worker.js"
RANKS = {  # by the beginning of its path, how much a match in a page counts; elsewhere 1, and 1000 in a title
    **dict.fromkeys(("index.md", "tutorial.md", "tour.md", "howto/"), 8.0),
    **dict.fromkeys(("coming_from.md", "api.md", "cli.md", "writing.md", "metadata.md"), 2.0),
    **dict.fromkeys(("methods/", "models/", "design/", "threat_model.md", "releasing.md", "testing.md"), 0.5),
    **dict.fromkeys(("architecture.md", "benchmarks/", "changelog.md", "contributing.md"), 0.001),
}
SESSION = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def outside() -> dict[str, str]:
    """Return the documents outside of docs/ by their paths in the repository, and where they are in the site."""
    found = {}
    for folder, target in FOLDERS.items():
        for path in sorted((ROOT / folder).glob("*.md")):
            name = "index.md" if path.name == "README.md" else path.name.lower()
            found[folder + path.name] = target + name
    del found["README.md"]  # docs/index.md stands in for it
    return found


PLACES = outside()
SOURCES = {place: path for path, place in PLACES.items()}


@event_priority(-100)  # after the plugin that would take the script from elsewhere
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let the search use its script; without one it needs a server, but loads nothing from elsewhere."""
    config.extra["polyfills"] = [WORKER_PLACE] if WORKER.exists() else []
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents outside of docs/, and the script of the search."""
    if WORKER.exists():
        files.append(File.generated(config, WORKER_PLACE, abs_src_path=str(WORKER)))
    for path, place in PLACES.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rank a page in the search, turn its links into those of the site, and say which examples are sessions."""
    place = page.file.src_uri
    page.meta.setdefault("search", {"boost": rank(place)})
    if page.parent is None:
        page.meta["hide"] = ["navigation"]  # it stands alone in its tab
    parts = CODE.split(SESSION.sub("```pycon\n", markdown))
    return "".join(part if number % 2 else turn_links(part, place) for number, part in enumerate(parts))


def rank(place: str) -> float:
    """Return how much a match in a page counts in the search."""
    return next((boost for beginning, boost in RANKS.items() if place.startswith(beginning)), 1.0)


def turn_links(text: str, place: str) -> str:
    """Turn the links of a text, which is at this place of the site."""
    folder = posixpath.dirname(SOURCES.get(place, DOCS + place))

    def turned(link: re.Match[str]) -> str:
        bang, words, target, anchor = link.groups(default="")
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        leads_to = PLACES.get(path) or (path.removeprefix(DOCS) if path.startswith(DOCS) else None)
        if leads_to is None and (ROOT / path).exists():
            return words  # a file of the repository that the site does not have
        leads_to = leads_to or path
        return f"{bang}[{words}]({posixpath.relpath(leads_to, posixpath.dirname(place) or '.')}{anchor})"

    return LINK.sub(turned, text)
