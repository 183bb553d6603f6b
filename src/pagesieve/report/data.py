"""The data of a report: for each method, the units of a page with their fates, and the result."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pagesieve.selection import Fate


class Box(NamedTuple):
    """A rectangle of the picture, in pixels."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a page: a block, a record, an item of one, or text that belongs to no record."""

    id: int  # from 0, in the order of the page; unique in a view
    rows: tuple[int, ...]  # of the page, each with what is below it
    fate: Fate
    kept: bool
    reason: str
    text: str  # the beginning of its text
    numbers: Mapping[str, float] = field(default_factory=dict)  # on which the decision rests
    name: str = ""  # of an item, its column's
    parent: int | None = None  # of an item, the record that holds it
    box: Box | None = None  # its place in the picture, if the picture shows it

    def as_dict(self) -> dict[str, Any]:
        """Return the unit ready for JSON."""
        return {
            "id": self.id,
            "rows": list(self.rows),
            "fate": self.fate,
            "kept": self.kept,
            "reason": self.reason,
            "numbers": dict(self.numbers),
            "text": self.text,
            "name": self.name,
            "parent": self.parent,
            "box": self.box and self.box._asdict(),
        }


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result in Markdown, and its units."""

    text: str
    units: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """The result of one method."""

    asked: str  # the requested method, or `table` for the records
    method: str  # the method that found the article, or the mode of the records
    units: tuple[Unit, ...]
    result: tuple[Line, ...]  # in Markdown
    title: str = ""
    notes: tuple[str, ...] = ()
    source: str = ""  # the page's own source, redrawn, with units marked; empty if the picture shows the page
    failure: str = ""  # why there is no result
    has_own_page: bool = False  # rows are not those of the page, but of a part of it, or of its data

    @property
    def markdown(self) -> str:
        """The result in Markdown."""
        return "\n".join(line.text for line in self.result)

    def as_dict(self) -> dict[str, Any]:
        """Return the view ready for JSON. `source` is HTML of `div`, `span` and `br` alone, safe to insert."""
        return {
            "asked": self.asked,
            "method": self.method,
            "title": self.title,
            "notes": list(self.notes),
            "failure": self.failure,
            "has_own_page": self.has_own_page,
            "units": [unit.as_dict() for unit in self.units],
            "lines": [{"text": line.text, "units": list(line.units)} for line in self.result],
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a page, as a browser shows it."""

    data: bytes
    media_type: str
    width: int
    height: int

    @property
    def url(self) -> str:
        """The picture as a data URL."""
        return f"data:{self.media_type};base64,{b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class Report:
    """The results of several methods for one page."""

    name: str  # the file or address of the page
    url: str | None
    views: tuple[View, ...]
    picture: Picture | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The headline; without one, the name of the page."""
        return next((view.title for view in self.views if view.title), self.name)

    @property
    def is_empty(self) -> bool:
        """Whether no method found anything."""
        return all(view.failure for view in self.views)

    def as_dict(self) -> dict[str, Any]:
        """Return the report ready for JSON; the picture is a data URL."""
        picture = self.picture
        image = picture and {"width": picture.width, "height": picture.height, "url": picture.url}
        return {
            "name": self.name,
            "url": self.url,
            "title": self.title,
            "notes": list(self.notes),
            "picture": image,
            "views": [view.as_dict() for view in self.views],
        }
