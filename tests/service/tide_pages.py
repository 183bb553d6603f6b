"""Pages of which the models that are shipped keep the wrong part: short lines of figures are wanted, not the prose."""

from __future__ import annotations

_NOTICE = (
    "The harbour office of {name} publishes these figures without any warranty, and whoever sails by them does so at"
    " their own risk, whatever the weather may be.",
    "Visitors of {name} are asked to keep to the marked channel, to slow down beside the moorings, and to leave the"
    " berths of the fishing boats free until the evening.",
    "Reproduction of this page, as a whole or in part, needs the written consent of the harbour master of {name}, who"
    " answers letters on the first Tuesday of each month.",
)
_NAMES = (
    "Skarn", "Wexley", "Orrin", "Tolland", "Maring", "Hesper", "Quarrick", "Fernhill", "Ladoga", "Brink", "Sallow",
    "Petrel", "Anvik",
)  # fmt: skip
COUNT = len(_NAMES)
MARK = "High water"


def tide_page(number: int) -> str:
    """Return a page with times of high water between paragraphs of a notice."""
    name = _NAMES[number]
    times = "".join(
        f"<p>{MARK} at {4 + k:02}:{(number * 7 + k * 11) % 60:02}, {k % 3 + 4}.{number % 10} m</p>" for k in range(8)
    )
    before, *after = (f"<p>{text.format(name=name)}</p>" for text in _NOTICE)
    return (
        f"<!doctype html><html lang=en><head><title>Tides at {name}</title></head><body><h1>Tides at {name}</h1>"
        f"<div>{before}</div><div>{times}</div><div>{''.join(after)}</div></body></html>"
    )


def is_wanted(text: str) -> bool:
    """Whether a unit belongs to what is wanted of such a page."""
    return text.startswith(MARK)
