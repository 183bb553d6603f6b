"""All errors that Pagesieve raises on purpose.

    PagesieveError
    ├── NothingFound        the page does not have the requested content
    │   └── NotASibling     the reference has another template, or the same article
    ├── BadInput            an argument or an input file cannot be used
    │   ├── BadOption       an option has an invalid value
    │   │   └── UnknownOption   a function has no option of that name; also a TypeError
    │   ├── BadFeed         a feed or a sitemap cannot be read, or exceeds the limits
    │   ├── BadLibrary      a site library cannot be opened, read or written
    │   └── BadModel        a model file is damaged, of another kind or version, or its values are out of range
    ├── FetchError          a URL could not be fetched
    │   ├── AddressRefused  its address is not a public one
    │   └── RenderError     a browser could not show the page: it hung, crashed, or did not start
    ├── RunStopped          a batch or a crawl cannot go on: a full disk, a folder that cannot be written
    ├── MissingExtra        an optional part of Pagesieve is not installed
    │   └── MissingBrowser  Chromium or Chrome is not installed, or does not start
    └── MissingKernel       the compiled part of Pagesieve is missing

Each message is one line: what is wrong, where, and what to do.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

MAX_MESSAGE = 1_000  # characters of a message about a server


def plain_line(text: str) -> str:
    """Return a text as one line of limited length, with unprintable characters escaped; servers may send any."""
    line = " ".join(text[: 2 * MAX_MESSAGE].split())
    line = line if line.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 1] + "…"


def unforeseen(error: BaseException) -> str:
    """Return a message for an unexpected error on one page that must not end the work on others."""
    return f"failed: {type(error).__name__}: {error}"


def closest(name: str, names: Collection[str]) -> str | None:
    """Return the most similar of some names, to suggest it for an unknown name, or None."""
    from difflib import get_close_matches

    similar = get_close_matches(name, names, n=1) or [longer for longer in names if name in longer.split("_")]
    return similar[0] if similar else None


class PagesieveError(Exception):
    """The base class of all errors that Pagesieve raises on purpose."""


class NothingFound(PagesieveError):
    """The page does not have the requested content.

    If an article was requested, `facts` has the facts that the page states anyway (title, author, date and so on), with
    the keys of `Article.as_dict`; otherwise it is empty. The facts are read on first access.
    """

    read_facts: Callable[[], dict[str, Any]] = dict

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts of the page, ready for JSON."""
        return self.read_facts()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it with its facts, not with its page."""
        return type(self), self.args, {"facts": self.facts}


class NotASibling(NothingFound):
    """The reference has another template than the page, or the same article."""


class BadInput(PagesieveError, ValueError):
    """An argument or an input file cannot be used."""


class BadOption(BadInput):
    """An option has an invalid value; the message lists the valid ones."""


class UnknownOption(BadOption, TypeError):
    """A function has no option of that name; the message suggests the most similar one."""


class BadFeed(BadInput):
    """A feed or a sitemap cannot be read, or exceeds the limits."""


class BadLibrary(BadInput):
    """A site library cannot be opened, read or written; it is left unchanged."""


class BadModel(BadInput):
    """A model file is damaged, of another kind or version, or has values out of range; nothing of it is loaded."""


class FetchError(PagesieveError):
    """A URL could not be fetched.

    `status` is the status of the response, if there was one, and `retry_after` the value of its header. `is_temporary`
    is true if a connection failed, or a name could not be resolved for now, so that another attempt may succeed.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: str | None = None, is_temporary: bool = False
    ) -> None:
        super().__init__(plain_line(message))
        self.status = status
        self.retry_after = retry_after
        self.is_temporary = is_temporary


class AddressRefused(FetchError):
    """The address of a URL is not public, and private addresses are not allowed."""


class RenderError(FetchError):
    """A browser could not render a page within the time limit."""


class RunStopped(PagesieveError):
    """A batch or a crawl cannot go on; finished work is kept, and the run can be resumed."""


def _libraries(extra: str, library: str) -> str:
    """Return the libraries of an extra, or one of them, as arguments of `pip install`.

    Naming the libraries works wherever Pagesieve was installed from, and does not build it again.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = [line for line in requires("pagesieve") or () if f'extra == "{extra}"' in line]
    except PackageNotFoundError:  # imported from a folder, not installed
        return f"'.[{extra}]' (in the folder of its source)"
    return " ".join(f"'{line.partition(';')[0].strip()}'" for line in lines if line.startswith(library))


class MissingExtra(PagesieveError, ImportError):
    """An optional part of Pagesieve is not installed: an extra, one library of it, or a library of no extra."""

    def __init__(self, what: str, extra: str | None, library: str = "") -> None:
        libraries = library if extra is None else _libraries(extra, library)
        super().__init__(f"{what} needs an optional part: pip install {libraries}")


class MissingBrowser(MissingExtra):
    """Chromium or Chrome is not installed, or does not start."""

    def __init__(self, why: str) -> None:
        ImportError.__init__(
            self,
            f"{why}: install Chromium (apt-get install chromium), Google Chrome, "
            "or Playwright's own (playwright install --with-deps chromium)",
        )


class MissingKernel(PagesieveError, ImportError):
    """A compiled module of Pagesieve is missing, or was built for another Python."""
