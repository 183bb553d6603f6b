"""Facts as YAML front matter of Markdown documents, for pandoc, Hugo, Jekyll, Obsidian and others."""

import json
import re
from collections.abc import Mapping
from typing import Any

# What YAML does not allow as it is, or takes for the end of a line.
_UNWRITTEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write_front_matter(facts: Mapping[str, Any]) -> str:
    """Return facts, texts or lists of texts, as front matter between its two lines, without the empty ones."""
    lines = ["---"]
    for name, value in facts.items():
        if isinstance(value, str) and value:
            lines.append(f"{name}: {_quoted(value)}")
        elif value:
            lines += [f"{name}:", *(f"  - {_quoted(each)}" for each in value)]
    return "\n".join([*lines, "---"])


def _quoted(text: str) -> str:
    """Return a text in quotes: a string of JSON is one of YAML, but for a few characters."""
    whole = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return _UNWRITTEN.sub(lambda found: f"\\u{ord(found[0]):04x}", whole)
