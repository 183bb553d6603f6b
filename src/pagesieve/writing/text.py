"""A document as plain text; the kernel writes it."""

from __future__ import annotations

from pagesieve.page import kernel
from pagesieve.page.kernel.constants import SUBSCRIPT, SUPERSCRIPT
from pagesieve.writing.document import Document

_RAISED = {
    SUPERSCRIPT: dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True)),
    SUBSCRIPT: dict(zip("0123456789+-−=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓ", strict=True)),
}
_BETWEEN = frozenset(", –;")  # stand between raised numbers and have no raised form


def write_text(document: Document) -> str:
    """Return a document as plain text. Links and images are written as Markdown has them."""
    text: str = kernel.plaintext.text(document.table, document.targets, _raised)
    return text


def _raised(text: str, kind: int) -> str:
    """Return small digits and signs for superscripts and subscripts that have them; other text as it is."""
    signs = _RAISED[kind]
    if not any(c in signs for c in text) or not all(c in signs or c in _BETWEEN for c in text):
        return text
    return "".join(signs.get(c, c) for c in text)
