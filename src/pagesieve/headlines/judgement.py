"""Find the targets of the links of a page, and which of them are articles or pages of a longer list."""

import re
from functools import cached_property
from typing import Any

from pagesieve.page import kernel
from pagesieve.page.lines import split
from pagesieve.page.table import Page
from pagesieve.text.urls import address_of, host_of, key, same_family

_DIGIT = re.compile(r"\d")
_PAGE = re.compile(
    r"(?:^|[/?&;_])(?:(?:page|paged|pagina|seite|pg|pn|pageno|pagenum|pageindex|start|offset)[/=_\-]?(\d{1,6})"
    r"|p[/=_\-]?(\d{1,2})|(?:index|list|default)[_\-](\d{1,4}))(?:\.\w+)?(?=/|&|$)",
    re.IGNORECASE,
)
_INDEX = re.compile(r"(?:^|/)(?:index|default|list)(?:\.\w+)?$")


class Judgement:
    """The links of a page, their targets, and which targets are articles. Attributes are computed on first access."""

    def __init__(self, page: Page, url: str, base: str) -> None:
        self._page, self._url, self._base = page, url, base

    @cached_property
    def links(self) -> Any:
        """The links in the order of the page, the kernel's `Links`."""
        blocks = split(self._page)
        return kernel.page.links.Links(self._page, (blocks.rows, blocks.starts, blocks.chars, blocks.link_chars))

    @cached_property
    def targets(self) -> Any:
        """The targets of the links, the kernel's `Targets`."""
        bases = (*_bases(self._base), self._url.encode())
        return kernel.page.targets.Targets(self._page, self.links, bases, _Rare(self._url, self._base))

    @cached_property
    def judge(self) -> Any:
        """The kernel's `Judge`, which says whether a target is an article."""
        return kernel.page.targets.Judge(self.targets)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The title attributes that links to several pages share."""
        return frozenset(text.decode("utf-8", "replace") for text in self.links.labels())

    def address(self, target: int) -> str:
        """Return the address of a target."""
        found: str = self.targets.address_of(target).decode()
        return found


def _bases(base: str) -> tuple[bytes, bytes]:
    """Return the prefixes of absolute and of relative paths for a normalised URL; they are empty for a complex URL."""
    scheme, _, rest = base.partition("://")
    host, _, path = rest.partition("?")[0].partition("/")
    origin = f"{scheme}://{host}"
    folder = f"{origin}/{path[: path.rfind('/') + 1]}" if "//" not in f"/{path}" else ""  # joining leaves one slash
    return origin.encode(), folder.encode()


class _Rare:
    """Handles the rare addresses that the kernel does not handle itself."""

    def __init__(self, url: str, base: str) -> None:
        self._home, self._base = host_of(url), base

    def address(self, href: bytes) -> bytes | None:
        """Return the target of a link, or None if it is not another page."""
        found = address_of(href.decode("utf-8", "replace"), self._base)
        return None if found is None else found.encode()

    def key(self, address: bytes) -> bytes:
        """Return the key that all spellings of an address share."""
        return key(address.decode()).encode("utf-8", "replace")

    def is_outside(self, address: bytes) -> bool:
        """Whether an address belongs to another site than the page."""
        return not same_family(self._home, host_of(address.decode()))

    def page_number(self, address: bytes) -> int | None:
        """Return the page number in an address of a longer list, or None."""
        return page_number(address.decode())


def page_number(url: str) -> int | None:
    """Return the page number in a normalised URL of a longer list, or None."""
    _, path, query = _parts(url)
    found = (query and _PAGE.search("?" + query)) or (_DIGIT.search(path) and _PAGE.search(path))
    return int(next(number for number in found.groups() if number)) if found else None


def list_of(url: str) -> str:
    """Return the URL of the list to which a page belongs, without scheme and page number."""
    host, path, query = _parts(url)
    whole = path + ("?" + query if query else "")
    return f"{host}/{_INDEX.sub('', _PAGE.sub('', whole).strip('/?&'))}"


def is_front(url: str) -> bool:
    """Whether a normalised URL is that of the front page of a site, or of a later page of its list."""
    return list_of(url).endswith("/")


def _parts(url: str) -> tuple[str, str, str]:
    """Return host, path without its outer slashes, and query of a normalised URL."""
    host, _, rest = url.partition("://")[2].removeprefix("www.").partition("/")
    path, _, query = rest.partition("?")
    return host, path.strip("/"), query
