"""Write a report as one self-contained HTML file, which loads nothing and runs only its own script.

The content security policy allows the styles and the script that are written here, by their hashes, and no others.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from typing import get_args

from pagesieve.article import check
from pagesieve.report.build import TABLE, Line, Picture, Report, Unit, View, fate_attributes
from pagesieve.selection import Fate

LANGUAGES = ("en", "zh")
STYLES = ("overlay.css", "report.css")
SCRIPTS = ("overlay.js", "report.js")
TEXTS = "texts.json"
MAX_SIDE_BY_SIDE = 3  # views in a row


@cache
def static_file(name: str) -> str:
    """Return a file of the overlay: a style sheet, a script, or the texts in all languages."""
    return resources.files("pagesieve.report").joinpath("static", name).read_text("utf-8")


def write_report(report: Report, language: str | None = None) -> str:
    """Return a report as HTML, in a language of LANGUAGES, by default the language of the reader's browser."""
    if language is not None:
        check("language", language, LANGUAGES)
    return _Writer(report, language).written()


class _Texts:
    """The words of a language, ready for HTML; each says which text it is, so that a script can change the language."""

    def __init__(self, language: str) -> None:
        self._table: dict[str, str] = json.loads(static_file(TEXTS))[language]
        self._plain: dict[tuple[str, str, str], str] = {}  # elements without values

    def plain(self, key: str, values: Mapping[str, object] | None = None) -> str:
        """Return a text, with values filled in."""
        return _VALUE.sub(lambda place: _filled(place, values or {}), self._table[key])

    def __call__(self, key: str, tag: str = "span", attributes: str = "", **values: object) -> str:
        """Return a text as an element. Those without values, of which tables have very many, are made once."""
        if not values:
            element = self._plain.get((key, tag, attributes))
            if element is None:
                element = f'<{tag} data-t="{key}"{attributes}>{_text(self.plain(key))}</{tag}>'
                self._plain[key, tag, attributes] = element
            return element
        all_attributes = attributes + "".join(f' data-{name}="{escape(str(value))}"' for name, value in values.items())
        return f'<{tag} data-t="{key}"{all_attributes}>{_text(self.plain(key, values))}</{tag}>'


class _Writer:
    """Writes one report."""

    def __init__(self, report: Report, language: str | None) -> None:
        self._report, self._language = report, language
        self._t = _Texts(language or LANGUAGES[0])

    def written(self) -> str:
        """Return the whole file."""
        report, t = self._report, self._t
        styles = [*map(static_file, STYLES), *self._places()]
        scripts = ["\n".join(map(static_file, SCRIPTS))]
        wanted = f' data-language="{self._language}"' if self._language else ""
        across = min(len(report.views), MAX_SIDE_BY_SIDE)
        parts = [
            f'<!doctype html>\n<html lang="{self._language or LANGUAGES[0]}"{wanted}>\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(styles, scripts, report.picture)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">',
            f"<title>{_text(report.title)} – Pagesieve</title>",
            *(f"<style>{style}</style>" for style in styles),
            f'</head>\n<body>\n<header class="top">\n{"".join(self._top())}\n</header>',
            f'<main class="views views-{across}">',
            *(self._view(number, view) for number, view in enumerate(report.views)),
            f"</main>\n<footer>{t('made')}</footer>",
            f'<script type="application/json" id="texts">{_json(static_file(TEXTS))}</script>',
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        ]
        return "\n".join(parts)

    def _top(self) -> Iterator[str]:
        report, t = self._report, self._t
        yield f'<a class="skip" href="#v0">{t("skip")}</a><h1 dir="auto">{_text(report.title)}</h1>'
        yield f"<p>{t('source')}: {_text(report.name)}</p>"
        yield from (f"<p>{_text(note)}</p>" for note in report.notes)
        counts = Counter(unit.fate for view in report.views for unit in view.units)
        entries = (
            f'<li data-fate="{fate}"><span class="letter">{t(f"fate.{fate}")}</span>'
            f' <span class="count">{counts[fate]}</span></li>'
            for fate in get_args(Fate)
            if fate in counts
        )
        yield f'<ul class="legend" aria-label="{escape(t.plain("what"))}" data-t-label="what">{"".join(entries)}</ul>'
        yield t("keys", "p", ' class="keys"')

    # Views

    def _view(self, number: int, view: View) -> str:
        t, name = self._t, f"v{number}"
        heading = t("records") if view.asked == TABLE else t("method", asked=view.asked)
        facts = [] if view.method == view.asked else [t("answered", method=view.method)]
        if view.failure:
            inside = f'<p class="failure">{t("nothing", why=view.failure)}</p>'
        else:
            count = sum(unit.kept for unit in view.units)
            facts.append(t("counts", kept=count, all=len(view.units)))
            panels = self._page(name, view), self._result(name, view), self._table(name, view)
            inside = f'<div class="panels">{"".join(panels)}</div>'
        notes = "".join(f"<p>{_text(note)}</p>" for note in view.notes if note not in self._report.notes)
        summary = f"<p>{' · '.join(facts)}</p>" if facts else ""
        kind = " table" if view.asked == TABLE else ""
        return (
            f'<section class="view{kind}" id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{heading}</h2>'
            f"{summary}{notes}{inside}</section>"
        )

    def _panel(self, kind: str, name: str, inside: str, about: str = "") -> str:
        """Return one panel of a view, which scrolls."""
        more = f"<small>{self._t(about)}</small>" if about else ""
        label = f"{name}-{kind}"
        return (
            f'<div class="panel {kind}"><h3 id="{label}">{self._t(kind)}{more}</h3>'
            f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{name}-h {label}">{inside}</div></div>'
        )

    def _page(self, name: str, view: View) -> str:
        if view.source:
            return self._panel("page", name, f'<div class="redrawn" dir="auto">{view.source}</div>', "redrawn")
        boxes = "".join(
            f'<div id="{name}-u{unit.id}" class="unit"{fate_attributes(unit)}></div>'
            for unit in view.units  # items are over their records
            if unit.box is not None
        )
        return self._panel("page", name, f'<div class="shot">{boxes}</div>', "picture")

    def _result(self, name: str, view: View) -> str:
        fates = {unit.id: unit for unit in view.units}
        shown_units: set[int] = set()
        lines = "".join(self._line(name, line, fates, shown_units) for line in view.result)
        return self._panel("result", name, f'<div class="lines" dir="auto">{lines}</div>')

    def _line(self, name: str, line: Line, units: Mapping[int, Unit], shown_units: set[int]) -> str:
        if not line.units:
            return f'<span class="line">{_text(line.text)}</span>'
        first = units[line.units[0]]
        numbers = " ".join(map(str, line.units))
        target = f' id="{name}-r{first.id}"' if first.id not in shown_units else ""
        shown_units.add(first.id)
        return (
            f'<a class="line"{target} href="#{name}-d{first.id}" data-units="{numbers}" data-fate="{first.fate}">'
            f"{_text(line.text)}</a>"
        )

    def _table(self, name: str, view: View) -> str:
        t = self._t
        head = "".join(t(key, "th", ' scope="col"') for key in _COLUMNS)
        rows = "".join(self._decision(name, unit, view) for unit in view.units)
        return self._panel("decisions", name, f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")

    def _decision(self, name: str, unit: Unit, view: View) -> str:
        t = self._t
        label = t("kept" if unit.kept else "dropped", "small")
        unseen = "" if view.source or unit.box is not None else t("unseen", "small")
        named = f' data-name="{escape(unit.name)}"' if unit.name else ""
        rows = f"{unit.rows[0]}-{unit.rows[-1]}" if unit.rows and not view.has_own_page else ""
        child = ' class="child"' if unit.parent is not None else ""
        facts = f'<span class="facts">{self._numbers(unit)}</span>' if unit.numbers and unit.fate != "record" else ""
        return (
            f'<tr id="{name}-d{unit.id}" data-units="{unit.id}" data-rows="{rows}" data-fate="{unit.fate}"'
            f"{' data-kept' if unit.kept else ''}{named}{child}>"
            f'<td class="number"><a href="#{name}-u{unit.id}">{unit.id + 1}</a></td>'
            f'<td class="fate"><span class="letter">{t(f"fate.{unit.fate}")}</span>{label}{unseen}</td>'
            f'<td><span class="reason">{_text(unit.reason)}</span>{facts}</td>'
            f'<td class="text" dir="auto">{_text(unit.text)}</td></tr>'
        )

    def _numbers(self, unit: Unit) -> str:
        """Return the numbers of a decision, each with its name; "of" belongs to the number before it."""
        parts = list[str]()
        for key, value in unit.numbers.items():
            if key == "of" and parts:
                parts[-1] += f" / {_short(value)}"
            else:
                parts.append(f"{self._t(f'number.{key}')} {_short(value)}")
        return " · ".join(parts)

    def _places(self) -> Iterator[str]:
        """Yield a style sheet with the picture and where units are on it, since attributes may hold no styles."""
        picture = self._report.picture
        if picture is None:
            return
        rules = [f".shot{{aspect-ratio:{picture.width}/{picture.height};background-image:url({picture.url})}}"]
        for number, view in enumerate(self._report.views):
            rules += [_place(f"v{number}-u{unit.id}", unit, picture) for unit in view.units if unit.box is not None]
        yield "\n".join(rules)


_COLUMNS = ("number", "fate", "reason", "text")


# `{name}` in a text is a value, and `{name|page|pages}` a word that goes with a number; overlay.js reads the same.
_VALUE = re.compile(r"\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}")


def _filled(place: re.Match[str], values: Mapping[str, object]) -> str:
    name, one, many = place.groups()
    value = values[name]
    return str(value) if many is None else one if value == 1 else many


def _place(name: str, unit: Unit, picture: Picture) -> str:
    assert unit.box is not None
    left, top, width, height = unit.box
    across, down = 100 / picture.width, 100 / picture.height
    return (
        f"#{name}{{left:{left * across:.3f}%;top:{top * down:.4f}%;"
        f"width:{width * across:.3f}%;height:{height * down:.4f}%}}"
    )


def _policy(styles: list[str], scripts: list[str], picture: Picture | None) -> str:
    """Return the content security policy, which allows the styles and the script of the file by their hashes."""
    images = " img-src data:;" if picture is not None else ""
    return (
        f"default-src 'none'; style-src {_hashes(styles)}; script-src {_hashes(scripts)};{images}"
        " base-uri 'none'; form-action 'none'"
    )


def _hashes(texts: list[str]) -> str:
    return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)


def _json(text: str) -> str:
    """Return JSON that is safe in a script element."""
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _text(text: str) -> str:
    """Return a text as HTML, without characters that HTML forbids."""
    return escape(text.replace("\0", ""), quote=False)


def _short(value: float) -> str:
    """Return a number for display: counts as integers, others with two decimals."""
    return str(value) if isinstance(value, int) else f"{value:.2f}"
