"""Every error that Pagesieve raises on purpose.

    PagesieveError
    ├── NothingFound        the method looked, and the page holds nothing it can give
    │   └── Unlike          what the page was to be compared with is not like it, or is the same
    ├── BadInput            what was given cannot be read as what was asked for
    │   ├── BadOption       an option has a value that does not exist
    │   ├── BadLibrary      a site library cannot be opened, read or written
    │   └── BadModel        a model file is damaged, of another kind or version, or holds what no model holds
    ├── FetchError          a URL could not be fetched
    │   └── AddressRefused  its address is not a public one
    └── MissingExtra        an optional part of Pagesieve is not installed

The message of each is one line: what was wrong, where, and what to do.
"""


class PagesieveError(Exception):
    """The root of the tree: catch this to catch everything Pagesieve raises on purpose."""


class NothingFound(PagesieveError):
    """The method looked, and the page holds nothing it can give."""


class Unlike(NothingFound):
    """What the page was to be compared with is no sibling of it, or is the same article."""


class BadInput(PagesieveError, ValueError):
    """What was given cannot be read as what was asked for."""


class BadOption(BadInput):
    """An option has a value that does not exist; the message lists those that do."""


class BadLibrary(BadInput):
    """A site library cannot be opened, read or written; it is left as it was."""


class BadModel(BadInput):
    """A model file is damaged, of another kind or version, or holds what no model holds; nothing of it is loaded."""


class FetchError(PagesieveError):
    """A URL could not be fetched."""


class AddressRefused(FetchError):
    """The address behind a URL is not a public one, and private ones were not allowed."""


class MissingExtra(PagesieveError, ImportError):
    """An optional part of Pagesieve is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'pagesieve[{extra}]'")
