"""A page: one flat table in document order, a column per property, a row per element, text or comment.

Row 0 is the document. The descendants of row i are the rows from i+1 up to, but not including, end[i]. All texts are in
one buffer, in order, so the text below a row is a slice of it. A page is never changed after it has been built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias
from zipfile import ZIP_DEFLATED

from pagesieve import arrayfile
from pagesieve.arrayfile import FileSort, Spec
from pagesieve.errors import BadInput
from pagesieve.page import kernel
from pagesieve.page.hiding import MAX_STYLED, Hiding
from pagesieve.page.kernel.page.cache import lazy
from pagesieve.page.kernel.tags import (
    ATTRIBUTE_ID,
    ATTRIBUTES,
    COMMENT,
    IMAGE,
    IS_HIDDEN,
    IS_SEEN,
    IS_UNSEEN,
    TAG_FLAGS,
    TAG_ID,
    TAGS,
    TEXT,
)
from pagesieve.page.styles import look
from pagesieve.stages import stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagesieve.page.kernel.page.view import PageView

Ints: TypeAlias = "NDArray[np.int32]"  # as strings: without arrays, a page does not need numpy
Bools: TypeAlias = "NDArray[np.bool_]"

SEEN, UNSEEN, HIDDEN = IS_SEEN, IS_UNSEEN, IS_HIDDEN  # the values of Page.visibility
FORMAT = 2  # the version of the format of saved pages
SAVED_LIMIT = 1 << 32  # bytes of a saved page
COLUMNS = ("tag", "parent", "end", "depth", "text_at", "attribute_at", "attribute_name", "value_at")

view_of: Callable[[Page], PageView] = kernel.page.view.view_of
attribute: Callable[[Page, int, int], str | None] = kernel.page.stated.attribute
Marks = kernel.page.visibility.Marks


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array, made read-only."""
    array.flags.writeable = False
    return array


def _digest_column(names: tuple[str, ...]) -> NDArray[np.uint64]:
    import numpy as np

    return np.array([kernel.page.derive.digest(name.encode()) for name in names], dtype=np.uint64)


@cache
def _known_digests() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return _digest_column(TAGS), _digest_column(ATTRIBUTES)


@dataclass(frozen=True, eq=False, slots=False)
class Page:
    """The node table of one page. Build it with `pagesieve.parse`; read it by columns or by `Node`s."""

    tag: Ints  # the number of the row's element (see pagesieve.page.kernel.tags), or of its sort of row
    parent: Ints  # -1 for row 0
    end: Ints  # the row after the last descendant
    depth: Ints
    text_at: Ints  # rows + 1 offsets: the text of a text or comment row, the text below any row
    attribute_at: Ints  # rows + 1 offsets into the attribute table
    attribute_name: Ints
    value_at: Ints  # attributes + 1 offsets
    text_buffer: bytes = field(repr=False)  # UTF-8
    value_buffer: bytes = field(repr=False)  # UTF-8
    more_tags: tuple[str, ...] = ()  # the names of tag numbers from len(TAGS) on
    more_attributes: tuple[str, ...] = ()
    url: str | None = None
    encoding: str = "utf-8"  # the encoding with which the bytes were decoded,
    encoding_why: str = "text"  # and the reason for it
    notes: tuple[str, ...] = ()  # notes on how the page was repaired, cut or decoded

    rendered: ClassVar[bool] = False  # whether a browser has rendered the page: then it is a RenderedPage

    @classmethod
    def of_columns(
        cls,
        columns: PageView,
        url: str | None = None,
        encoding: str = "utf-8",
        encoding_why: str = "text",
        notes: tuple[str, ...] = (),
    ) -> Self:
        """Create a page from the columns of a kernel's builder. A column becomes an array on first access."""
        page = object.__new__(cls)
        page.__dict__.update(
            _view=columns,
            text_buffer=columns.text_buffer,
            value_buffer=columns.value_buffer,
            more_tags=columns.more_tags,
            more_attributes=columns.more_attributes,
            url=url,
            encoding=encoding,
            encoding_why=encoding_why,
            notes=notes,
        )
        return page

    def __len__(self) -> int:
        return view_of(self).rows

    def __repr__(self) -> str:
        return f"<Page of {len(self)} rows{f' from {self.url}' if self.url else ''}>"

    def __getstate__(self) -> dict[str, Any]:
        """Pickle only the columns, from which everything else is derived, and the hidden rows of a variant."""
        told = ("ways", "_is_variant") if "_is_variant" in self.__dict__ else ()
        return {each.name: getattr(self, each.name) for each in fields(self)} | {
            name: self.__dict__[name] for name in told
        }

    # Reading by row

    def node(self, row: int) -> Node:
        """Return a row as a Node."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of a page of {len(self)} rows")
        return Node(self, row)

    @property
    def root(self) -> Node:
        """The document: row 0."""
        return Node(self, 0)

    def tag_name(self, row: int) -> str:
        """Return the name of the row's element; `#text`, `#comment`, `#doctype` or `#document` for the others."""
        number = view_of(self).tag_of(row)
        return TAGS[number] if number < len(TAGS) else self.more_tags[number - len(TAGS)]

    def text(self, row: int) -> str:
        """Return all text below a row, unchanged and including scripts; of a text row, its own text."""
        return view_of(self).text_of(row)

    def attribute(self, row: int, name: str) -> str | None:
        """Return the value of one attribute of a row, or None."""
        number = ATTRIBUTE_ID[name] if name in ATTRIBUTE_ID else self.attribute_number(name)
        return None if number is None else attribute(self, row, number)

    def attribute_of_each(self, rows: Iterable[int], name: str) -> list[str | None]:
        """Return the value of one attribute of each of some rows, or None."""
        number = self.attribute_number(name)
        return [None if number is None else attribute(self, row, number) for row in rows]

    def attributes(self, row: int) -> dict[str, str]:
        """Return all attributes of a row, in the order of the page."""
        span = range(self.attribute_at[row], self.attribute_at[row + 1])
        return {self._attribute_names[self.attribute_name[k]]: self.attribute_value(k) for k in span}

    def attributes_of_each(self, rows: Iterable[int]) -> list[dict[str, str]]:
        """Return all attributes of each of some rows, in the order of the page."""
        return list(map(self.attributes, rows))

    def attribute_names(self, start: int, stop: int) -> set[str]:
        """Return the names of all attributes of the rows `start` to `stop`."""
        numbers = self.attribute_name[self.attribute_at[start] : self.attribute_at[stop]]
        return {self._attribute_names[number] for number in set(numbers.tolist())}

    def rows(self, *names: str) -> Ints:
        """Return the rows of all elements with one of the names, in order."""
        import numpy as np

        marked = np.zeros(len(self), dtype=np.bool_)
        for number in map(self.tag_number, names):
            if number is not None:
                marked |= self.tag == number
        return np.flatnonzero(marked).astype(np.int32)

    def tag_number(self, name: str) -> int | None:
        """Return the number that `tag` has for an element, or None if no row can have it."""
        if name in TAG_ID:
            return TAG_ID[name]
        return len(TAGS) + self.more_tags.index(name) if name in self.more_tags else None

    def attribute_number(self, name: str) -> int | None:
        """Return the number of an attribute in `attribute_name`, or None."""
        if name in ATTRIBUTE_ID:
            return ATTRIBUTE_ID[name]
        return len(ATTRIBUTES) + self.more_attributes.index(name) if name in self.more_attributes else None

    def attribute_value(self, k: int) -> str:
        """Return the value of an attribute by its index in the attribute table."""
        return view_of(self).value_of(k)

    @lazy
    def _attribute_names(self) -> tuple[str, ...]:
        return ATTRIBUTES + self.more_attributes

    # Derived columns

    @lazy
    def tag_flags(self) -> Ints:
        """The flags of each row's element: the bits of pagesieve.page.kernel.tags."""
        import numpy as np

        flags: Ints = np.array([*TAG_FLAGS, *[0] * len(self.more_tags)], dtype=np.int32)
        return flags[self.tag]

    @lazy
    @stage("visibility")
    def measures(self) -> tuple[Any, Any, Any, Any]:
        """The columns `visibility`, `chars`, `linked` and `hidden_chars`, in the kernel's format."""
        measures: tuple[Any, Any, Any, Any] = self._marks.measures(self.ways)
        return measures

    @lazy
    def _marks(self) -> Marks:
        """The kernel's marks of visibility, by the elements of the page."""
        return Marks(self, look, MAX_STYLED)

    @lazy
    def _is_soft(self) -> bool:
        """Whether rows can only be hidden in soft ways, which `_marks` has."""
        marks = self._marks
        return not (marks.may_hide() or any(marks.rows[5:]) or self.rendered)  # the last are style sheets

    @lazy
    def _hiding(self) -> Hiding:
        return Hiding(self, self._marks)

    @lazy
    @stage("visibility")
    def ways(self) -> bytearray | None:
        """The column `hidden_by` as bytes."""
        return self._marks.soft if self._is_soft else self._hiding.all

    @lazy
    def hidden_by(self) -> NDArray[np.uint8] | None:
        """The way in which each row is hidden, a number of `pagesieve.page.styles.WAYS`, or 0; None if no row is."""
        import numpy as np

        return None if self.ways is None else np.frombuffer(self.ways, np.uint8)

    def hidden_by_browser(self) -> Iterable[tuple[Bools, int]]:
        """Yield masks of the rows that a browser hides, with the number of the way; none without a browser."""
        return ()

    @property
    @stage("visibility")
    def unveiled(self) -> Self:
        """The page as methods were trained to read it: rows that are UNSEEN, but not by their element, are visible.

        It has the same rows. `pagesieve.selection` later removes hidden rows from the selection.
        """
        known: Self | None = self.__dict__.get("_unveiled")
        return self._variant("_unveiled", self._marks.soft) if known is None else known

    @stage("visibility")
    def showing(self, rows: Any, rules: bool = True) -> Self:
        """Return the page, or an existing variant that hides the same of some rows, with or without rules.

        `rows` is a mask with a byte for each row.
        """
        if "_is_variant" in self.__dict__ or self._is_soft:
            return self
        holds, is_marked, styles = self._marks.asked(rows)
        if rules and self._hiding.rules_any(holds):
            return self
        may_hide = is_marked or any(self._hiding.is_suspect(place, bits) for _, place, bits in styles)
        ways = self._hiding.by_markup if may_hide else None
        return self.unveiled if ways is None else self._variant("_unruled", ways)

    def _variant(self, name: str, ways: bytearray | None) -> Self:
        """Return a variant with other hidden rows, created once; the page itself if it hides the same rows."""
        if "_is_variant" in self.__dict__ or self._is_soft:
            return self
        found: Self | None = self.__dict__.get(name)
        if found is None:
            found = self.__dict__[name] = self._hidden_as(ways)
        return found

    def has_same_rows(self, other: Page) -> bool:
        """Whether another page is this one, or a variant of it with other hidden rows."""
        return self is other or view_of(self).has_rows_of(view_of(other))

    def _hidden_as(self, ways: bytearray | None) -> Self:
        """Return a copy of the page with other hidden rows."""
        page = object.__new__(type(self))
        names = type(self).__dataclass_fields__
        page.__dict__.update({name: value for name, value in self.__dict__.items() if name in names})
        page.__dict__.update(_marks=self._marks, ways=ways, _is_variant=True)
        if columns := view_of(self).with_own_measures():
            page.__dict__["_view"] = columns
        return page

    def changed(self, **values: Any) -> Self:
        """Return a copy of the page with other values of some fields, and the same hidden rows."""
        page = replace(self, **values)
        same = ("ways", "_is_variant", *(("_marks", "measures") if values.keys() == {"url"} else ()))
        page.__dict__.update({name: self.__dict__[name] for name in same if name in self.__dict__})
        return page

    @lazy
    def visibility(self) -> NDArray[np.uint8]:
        """The visibility of each row: SEEN; HIDDEN in a way that scripts often undo; or UNSEEN.

        Rows are UNSEEN because of their element or in any other way. `pagesieve.page.hiding` decides, and `hidden_by`
        has the way.
        """
        import numpy as np

        return np.frombuffer(self.measures[0], np.uint8)

    @lazy
    def chars(self) -> Ints:
        """The number of characters of each visible text row, without white space, and 0 for other rows."""
        import numpy as np

        return np.frombuffer(self.measures[1], np.int32)

    @lazy
    def linked(self) -> NDArray[np.uint8]:
        """1 for each row inside a link."""
        import numpy as np

        return np.frombuffer(self.measures[2], np.uint8)

    @lazy
    def hidden_chars(self) -> Ints:
        """The number of characters of each HIDDEN text row, which scripts often show."""
        import numpy as np

        return np.frombuffer(self.measures[3], np.int32)

    def below(self, own: NDArray[Any]) -> Ints:
        """Return the sum of a column over each row and its descendants."""
        import numpy as np

        sums = np.zeros(len(self) + 1, dtype=np.int32)
        np.cumsum(own, out=sums[1:])
        return sums[self.end] - sums[:-1]

    @lazy
    def text_chars(self) -> Ints:
        """The number of visible characters in each subtree, without white space."""
        return self.below(self.chars)

    @lazy
    def link_chars(self) -> Ints:
        """The number of visible characters in links in each subtree."""
        return self.below(self.chars * self.linked)

    @lazy
    def links(self) -> Ints:
        """The number of links in each subtree."""
        import numpy as np

        inside = np.concatenate([[0], self.linked[self.parent[1:]]])
        return self.below((self.linked > inside).astype(np.int32))

    @lazy
    def images(self) -> Ints:
        """The number of images in each subtree."""
        import numpy as np

        return self.below(((self.tag_flags & IMAGE) > 0).astype(np.int32))

    @lazy
    def digests(self) -> NDArray[np.uint64]:
        """A digest of each subtree, with white space folded and without comments. Equal subtrees of any page agree."""
        import numpy as np

        return np.frombuffer(kernel.page.derive.digests(self, *self.name_digests), dtype=np.uint64)

    @property
    def name_digests(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The digests of the names of elements and of attributes, by number."""
        import numpy as np

        tags, names = _known_digests()
        if self.more_tags:
            tags = np.concatenate([tags, _digest_column(self.more_tags)])
        if self.more_attributes:
            names = np.concatenate([names, _digest_column(self.more_attributes)])
        return tags, names

    def part(self, row: int, url: str | None) -> Page:
        """Return an element with its descendants as a page of its own: row 0 is the document, row 1 the element."""
        end, columns = view_of(self).end_of(row), view_of(self).part(row)
        part = Page.of_columns(columns, url, self.encoding, self.encoding_why)
        part.__dict__.update(more_tags=self.more_tags, more_attributes=self.more_attributes)
        ways = self.ways  # depends on the whole page
        part.__dict__["ways"] = None if ways is None else ways[:1] + ways[row:end]
        above = view_of(self).parent_of(row)
        # If the parent hides the element or is in a link, the measures of the part differ from those of the page.
        if not self._marks.by_element[0][above] and not self.measures[2][above]:
            part.__dict__["measures"] = tuple(each[:1] + each[row:end] for each in self.measures)
        return part

    # Saving and loading

    def save(self, path: str | Path) -> None:
        """Write the columns of the page to a file for `load`, without derived values."""
        arrayfile.write(path, "page", FORMAT, self._facts(), self._arrays(), self._SAVED)

    def _facts(self) -> dict[str, Any]:
        """The facts in a saved page, besides its arrays."""
        return {
            "more_tags": self.more_tags,
            "more_attributes": self.more_attributes,
            "url": self.url,
            "encoding": self.encoding,
            "encoding_why": self.encoding_why,
            "notes": self.notes,
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a saved page."""
        import numpy as np

        return {
            "text_buffer": np.frombuffer(self.text_buffer, dtype=np.uint8),
            "value_buffer": np.frombuffer(self.value_buffer, dtype=np.uint8),
            **{name: getattr(self, name) for name in COLUMNS},
        }

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved page. Raise BadInput if the file is not one, or if its columns do not fit together."""
        facts, arrays = arrayfile.read(path, "page", FORMAT, cls._SPECS, cls._SAVED)
        try:
            if not isinstance(facts["url"], str | None):
                raise TypeError("an address is text")
            page = cls(**cls._fields(facts, arrays))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path}: not {cls._SAVED.name}") from error
        problem = page.fault()
        if problem:
            raise BadInput(f"{path}: a damaged page: {problem}")
        return page

    _SAVED: ClassVar[FileSort] = FileSort("a saved page", SAVED_LIMIT, ZIP_DEFLATED, BadInput)
    _SPECS: ClassVar[dict[str, Spec]] = {
        **dict.fromkeys(COLUMNS, Spec("int32", 1)),
        **dict.fromkeys(("text_buffer", "value_buffer"), Spec("uint8", 1)),
    }

    @classmethod
    def _fields(cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the fields of a page from a saved one."""
        return {
            **{name: arrays[name] for name in COLUMNS},
            "text_buffer": arrays["text_buffer"].tobytes(),
            "value_buffer": arrays["value_buffer"].tobytes(),
            "more_tags": tuple(map(str, facts["more_tags"])),
            "more_attributes": tuple(map(str, facts["more_attributes"])),
            "url": facts["url"],
            "encoding": str(facts["encoding"]),
            "encoding_why": str(facts["encoding_why"]),
            "notes": tuple(map(str, facts["notes"])),
        }

    def fault(self) -> str | None:
        """Return what is wrong with the columns, or None. All methods rely on these invariants."""
        rows, pairs = len(self.tag), len(self.attribute_name)
        if rows == 0 or any(len(column) != rows for column in (self.parent, self.end, self.depth)):
            return "columns of different lengths"
        if len(self.text_at) != rows + 1 or len(self.attribute_at) != rows + 1 or len(self.value_at) != pairs + 1:
            return "offsets of the wrong length"
        for offsets, last in (
            (self.text_at, len(self.text_buffer)),
            (self.attribute_at, pairs),
            (self.value_at, len(self.value_buffer)),
        ):
            if not are_offsets(offsets, last):
                return "offsets out of order"
        if not _within(self.tag, len(TAGS) + len(self.more_tags)) or not _within(
            self.attribute_name, len(ATTRIBUTES) + len(self.more_attributes)
        ):
            return "names that are not there"
        return _tree_fault(self)


class _Column:
    """A column of a page as an array over the memory of its view, created on first access."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __get__(self, page: Page | None, owner: type[Page]) -> _Column | Ints:
        import numpy as np

        if page is None:
            return self
        numbers, count, at = view_of(page).column(self.number)
        column: Ints = frozen(np.frombuffer(numbers, np.int32, count, at))
        page.__dict__[COLUMNS[self.number]] = column
        return column


for _number, _name in enumerate(COLUMNS):  # after the dataclass, which would take them for defaults
    setattr(Page, _name, _Column(_number))


def are_offsets(column: Ints, last: int) -> bool:
    """Whether a column goes from 0 to `last` and never decreases, without differences, which could overflow."""
    return bool(column[0] == 0 and column[-1] == last and (column[1:] >= column[:-1]).all())


def _within(numbers: Ints, limit: int) -> bool:
    return bool(((numbers >= 0) & (numbers < limit)).all())


def _tree_fault(page: Page) -> str | None:
    import numpy as np

    rows = np.arange(len(page))
    if page.parent[0] != -1 or page.depth[0] != 0 or page.end[0] != len(page):
        return "row 0 is not the document"
    if (page.end <= rows).any() or (page.end > len(page)).any():
        return "a row that ends before it begins"
    leaves = np.flatnonzero((page.tag == TEXT) | (page.tag == COMMENT))
    if (page.end[leaves] != leaves + 1).any():
        return "a text with rows below it"
    if _parents(page.end.tolist()) != page.parent.tolist():
        return "subtrees that do not nest"
    if (page.depth[1:] != page.depth[page.parent[1:]] + 1).any():
        return "depths that do not follow"
    return None


def _parents(end: list[int]) -> list[int]:
    """Return the parent of each row, the innermost row that is still open, from the ends of the rows."""
    parents, open_rows = [-1], [0]
    for row in range(1, len(end)):
        while row >= end[open_rows[-1]]:
            open_rows.pop()
        if end[row] > end[open_rows[-1]]:
            return []
        parents.append(open_rows[-1])
        open_rows.append(row)
    return parents


@dataclass(frozen=True, slots=True)
class Node:
    """One row of a page, read-only. It has no data of its own."""

    page: Page
    row: int

    @property
    def tag(self) -> str:
        """The name of the element, or `#text`, `#comment`, `#doctype`, `#document`."""
        return self.page.tag_name(self.row)

    @property
    def text(self) -> str:
        """All text below the row, unchanged."""
        return self.page.text(self.row)

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes, in the order of the page."""
        return self.page.attributes(self.row)

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of one attribute, or the default."""
        value = self.page.attribute(self.row, name)
        return default if value is None else value

    @property
    def parent(self) -> Node | None:
        """The parent, or None for the document."""
        above = int(self.page.parent[self.row])
        return None if above < 0 else Node(self.page, above)

    @property
    def children(self) -> Iterator[Node]:
        """The children, in order."""
        row, end = self.row + 1, self.page.end[self.row]
        while row < end:
            yield Node(self.page, row)
            row = int(self.page.end[row])

    def __iter__(self) -> Iterator[Node]:
        """Iterate over all descendants, in document order."""
        return (Node(self.page, row) for row in range(self.row + 1, self.page.end[self.row]))

    @property
    def seen(self) -> bool:
        """Whether the row is visible: not a script, not a comment, not hidden."""
        return bool(self.page.visibility[self.row] == SEEN)

    def __repr__(self) -> str:
        shown = self.text if self.tag == "#text" else " ".join(f'{k}="{v}"' for k, v in self.attributes.items())
        return f"<{self.tag} row {self.row} {shown[:60]!r}>"
