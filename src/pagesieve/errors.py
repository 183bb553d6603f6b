"""Every error that Pagesieve raises on purpose.

    PagesieveError
    ├── NothingFound        the page does not hold what was looked for
    │   └── NotASibling     the reference is no page of the same template, or has the same article
    ├── BadInput            what was given cannot be used
    │   ├── BadOption       an option has a value that does not exist
    │   ├── BadLibrary      a site library cannot be opened, read or written
    │   └── BadModel        a model file is damaged, of another kind or version, or its values are out of range
    ├── FetchError          a URL could not be fetched
    │   ├── AddressRefused  its address is not a public one
    │   └── RenderError     a browser could not show the page: it hung, crashed, or did not start
    ├── BatchStopped        a batch cannot go on: a full disk, a folder that cannot be written; --resume continues it
    └── MissingExtra        an optional part of Pagesieve is not installed
        └── MissingBrowser  no Chromium or Chrome was found, or it does not start

The message of each is one line: what was wrong, where, and what to do.
"""


class PagesieveError(Exception):
    """The root of the tree: catch this to catch everything Pagesieve raises on purpose."""


class NothingFound(PagesieveError):
    """The page does not hold what was looked for."""


class NotASibling(NothingFound):
    """The reference is no page of the same template, or has the same article."""


class BadInput(PagesieveError, ValueError):
    """What was given cannot be used."""


class BadOption(BadInput):
    """An option has a value that does not exist; the message lists those that do."""


class BadLibrary(BadInput):
    """A site library cannot be opened, read or written; it is left as it was."""


class BadModel(BadInput):
    """A model file is damaged, of another kind or version, or its values are out of range; nothing of it is loaded."""


class FetchError(PagesieveError):
    """A URL could not be fetched."""


class AddressRefused(FetchError):
    """The address behind a URL is not a public one, and private ones were not allowed."""


class RenderError(FetchError):
    """A browser could not show a page, given or fetched, within its time."""


class BatchStopped(PagesieveError):
    """A batch cannot go on; finished shards are kept, and `--resume` does the rest."""


class MissingExtra(PagesieveError, ImportError):
    """An optional part of Pagesieve is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'pagesieve[{extra}]'")


class MissingBrowser(MissingExtra):
    """There is no Chromium or Chrome on this machine, or none that starts."""

    def __init__(self, why: str) -> None:
        ImportError.__init__(
            self,
            f"{why}: install Chromium (apt-get install chromium), Google Chrome, "
            "or Playwright's own (playwright install --with-deps chromium)",
        )
