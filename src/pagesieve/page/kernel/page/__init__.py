"""What a page says of itself and of its elements: columns, names, visibility, facts, posts, links, the headline."""

from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.page.kernel import loaded

if TYPE_CHECKING:
    from pagesieve.page.kernel.page import (
        addresses,
        attributes,
        cache,
        derive,
        digests,
        facts,
        headline,
        kinds,
        links,
        names,
        places,
        posts,
        punctuation,
        stated,
        targets,
        view,
        visibility,
    )


def __getattr__(name: str) -> ModuleType:
    return loaded(__name__, name)
