"""Every error that Pagesieve raises on purpose.

    PagesieveError
    ├── NothingFound        the page does not hold what was looked for
    │   └── NotASibling     the reference is no page of the same template, or has the same article
    ├── BadInput            what was given cannot be used
    │   ├── BadOption       an option has a value that does not exist
    │   │   └── UnknownOption   a function has no option of that name; also a TypeError
    │   ├── BadFeed         what should be a feed or a sitemap is none, or is beyond the limits
    │   ├── BadLibrary      a site library cannot be opened, read or written
    │   └── BadModel        a model file is damaged, of another kind or version, or its values are out of range
    ├── FetchError          a URL could not be fetched
    │   ├── AddressRefused  its address is not a public one
    │   └── RenderError     a browser could not show the page: it hung, crashed, or did not start
    ├── RunStopped          a batch or a crawl cannot go on: a full disk, a folder that cannot be written
    ├── MissingExtra        an optional part of Pagesieve is not installed
    │   └── MissingBrowser  no Chromium or Chrome was found, or it does not start
    └── MissingKernel       the compiled part of Pagesieve is not there

The message of each is one line: what was wrong, where, and what to do.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

LONGEST_MESSAGE = 1_000  # characters of what is said of a server


def plain_line(text: str) -> str:
    """Return a text as one line, cut where it is too long, with escapes for what cannot be seen: servers write some."""
    line = " ".join(text[: 2 * LONGEST_MESSAGE].split())
    line = line if line.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def unforeseen(error: BaseException) -> str:
    """Return in words that a page made Pagesieve fail, where one page's failure is not to end the work on others."""
    return f"failed: {type(error).__name__}: {error}"


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the one of some names that another was probably meant for, for messages; None where there is none."""
    from difflib import get_close_matches

    similar = get_close_matches(name, known, n=1) or [longer for longer in known if name in longer.split("_")]
    return similar[0] if similar else None


class PagesieveError(Exception):
    """The root of the tree: catch this to catch everything Pagesieve raises on purpose."""


class NothingFound(PagesieveError):
    """The page does not hold what was looked for.

    If it was an article, `facts` holds what the page still states about itself (title, author, date and so on), with
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
    """The reference is no page of the same template, or has the same article."""


class BadInput(PagesieveError, ValueError):
    """What was given cannot be used."""


class BadOption(BadInput):
    """An option has a value that does not exist; the message lists those that do."""


class UnknownOption(BadOption, TypeError):
    """A function has no option of that name; the message says which one was probably meant."""


class BadFeed(BadInput):
    """What should be a feed or a sitemap is none, or is beyond the limits of what is read."""


class BadLibrary(BadInput):
    """A site library cannot be opened, read or written; it is left as it was."""


class BadModel(BadInput):
    """A model file is damaged, of another kind or version, or its values are out of range; nothing of it is loaded."""


class FetchError(PagesieveError):
    """A URL could not be fetched.

    `status` is what the server answered, if it did, and `retry_after` the value of that header. `is_temporary` says
    that a connection failed, or a name could not be looked up for now, so that another attempt may succeed.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: str | None = None, is_temporary: bool = False
    ) -> None:
        super().__init__(plain_line(message))
        self.status = status
        self.retry_after = retry_after
        self.is_temporary = is_temporary


class AddressRefused(FetchError):
    """The address behind a URL is not a public one, and private ones were not allowed."""


class RenderError(FetchError):
    """A browser could not show a page, given or fetched, within its time."""


class RunStopped(PagesieveError):
    """A batch or a crawl cannot go on; what is done is kept, and resuming does the rest."""


def _libraries(extra: str) -> str:
    """Return the libraries of an extra, as arguments of `pip install`.

    They are named one by one: that works wherever Pagesieve was installed from, and does not build it again.
    """
    from importlib.metadata import PackageNotFoundError, requires

    own = "pagesieve["
    try:
        needed = [
            line.partition(";")[0].strip() for line in requires("pagesieve") or () if f'extra == "{extra}"' in line
        ]
    except PackageNotFoundError:  # imported from a folder, not installed
        return f"'.[{extra}]' (in the folder of its source)"
    named = [_libraries(line[len(own) : -1]) if line.startswith(own) else f"'{line}'" for line in needed]
    return " ".join(named)


class MissingExtra(PagesieveError, ImportError):
    """An optional part of Pagesieve is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install {_libraries(extra)}")


class MissingBrowser(MissingExtra):
    """There is no Chromium or Chrome on this machine, or none that starts."""

    def __init__(self, why: str) -> None:
        ImportError.__init__(
            self,
            f"{why}: install Chromium (apt-get install chromium), Google Chrome, "
            "or Playwright's own (playwright install --with-deps chromium)",
        )


class MissingKernel(PagesieveError, ImportError):
    """A compiled module of Pagesieve is not there, or not one for this Python."""
