"""The elements and attributes the kernel knows by number, and what sort of element each is.

A row's `tag` is an index into `TAGS`; names that are not in it get the numbers after it, page by page.
`TAG_FLAGS[tag]` is a set of the bits below, so that the kernel asks "is this a block?" with one look-up.
"""

from __future__ import annotations

from array import array

VOID = 1  # has no content and no end tag
RAW = 2  # its content is text, never markup
UNSEEN = 4  # a browser shows nothing of it (scripts, styles, the head, comments)
BLOCK = 8  # starts and ends a line
LINK = 16
IMAGE = 32
FOREIGN = 64  # svg and math: their descendants follow other rules
HTML_INSIDE = 128  # a foreign element whose children are HTML again

_VOID = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
_RAW = "iframe noembed noframes plaintext script style xmp"
_UNSEEN = (
    "#comment #doctype head title base link meta script style template noembed noframes iframe object "
    "datalist canvas audio video area map param source track applet"
)
_BLOCK = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol "
    "optgroup option p plaintext pre search section select summary table tbody td tfoot th thead tr ul xmp "
    "colgroup col button textarea"
)
_INLINE = (
    "#document #text a abbr acronym b bdi bdo big blink cite code data del dfn em font i img image input ins "
    "kbd label mark marquee math meter nobr noscript output picture progress q rb rp rt rtc ruby s samp slot "
    "small span strike strong sub sup svg time tt u var br wbr"
)
_MATH = (
    "mi mo mn ms mtext mrow mfrac msup msub msubsup msqrt mroot mover munder munderover mtable mtr mtd mspace "
    "mstyle mpadded mphantom mfenced menclose merror mmultiscripts mprescripts none semantics annotation "
    "annotation-xml maction"
)
_SVG = "path g use circle rect line polyline polygon ellipse text tspan defs symbol desc foreignObject mask"
_HTML_INSIDE = "mi mo mn ms mtext annotation-xml desc title foreignObject"


def _all_names() -> tuple[str, ...]:
    """Every known name once; the rows that are not elements come first."""
    lists = ("#document #text #comment #doctype", _BLOCK, _INLINE, _UNSEEN, _VOID, _RAW, _MATH, _SVG)
    return tuple(dict.fromkeys(" ".join(lists).split()))


TAGS: tuple[str, ...] = _all_names()
TAG_ID: dict[str, int] = {name: number for number, name in enumerate(TAGS)}

KNOWN_TAGS = len(TAGS)

DOCUMENT, TEXT, COMMENT, DOCTYPE = 0, 1, 2, 3
FIRST_ELEMENT = 4
IS_SEEN, IS_UNSEEN, IS_HIDDEN = 0, 1, 2  # visibility: unseen by its element, hidden by an attribute


def _tag_flags() -> array[int]:
    flags = array("i", [0] * len(TAGS))
    for bit, names in (
        (VOID, _VOID),
        (RAW, _RAW),
        (UNSEEN, _UNSEEN),
        (BLOCK, _BLOCK),
        (LINK, "a area"),
        (IMAGE, "img image"),
        (FOREIGN, "svg math"),
        (HTML_INSIDE, _HTML_INSIDE),
    ):
        for name in names.split():
            flags[TAG_ID[name]] |= bit
    return flags


TAG_FLAGS: array[int] = _tag_flags()

ATTRIBUTES: tuple[str, ...] = tuple(
    (
        "class id href src style title alt name content property rel type value width height target lang dir "
        "hidden role aria-hidden aria-label aria-expanded aria-labelledby aria-controls tabindex onclick "
        "data-src data-srcset srcset sizes loading charset http-equiv itemprop itemscope itemtype datetime "
        "colspan rowspan align valign border cellpadding cellspacing bgcolor color face size action method "
        "for placeholder checked selected disabled start reversed media async defer crossorigin integrity "
        "data-id data-type data-url data-title d fill viewBox xmlns stroke stroke-width x y transform points "
        "cx cy r clip-rule fill-rule xlink:href cite span scope encoding display data-lang data-language "
        "data-original data-lazy-src data-href"
    ).split()
)
ATTRIBUTE_ID: dict[str, int] = {name: number for number, name in enumerate(ATTRIBUTES)}
KNOWN_ATTRIBUTES: int = len(ATTRIBUTES)


# How the HTML standard builds the tree: what the start and end tags of an element do to those around it.
SPECIAL = 1  # ends the search for what an end tag closes
CLOSES_P = 2  # its start tag closes an open p
FORMATTING = 4
SCOPE = 8  # what is open outside of it is out of reach
IMPLIED = 16  # its end tag may be left away
HEADING = 32
HEAD = 64  # goes where it stands, and does not end the head
TABLE_PART = 128
UNSURE = 256  # only the parser knows
BREAKS_OUT = 512  # of svg
CONTAINER = 1024  # its end tag closes all that is open inside
MARKER = 2048  # formatting that is open inside ends with it
ESCAPABLE = 4096  # its content is text with entities

_TREE_RULES = {
    SPECIAL: (
        "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup "
        "dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head "
        "header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes "
        "noscript object ol p param plaintext pre script search section select source style summary table tbody td "
        "template textarea tfoot th thead title tr track ul wbr xmp"
    ),
    CLOSES_P: (
        "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header "
        "hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form li dd dt hr xmp"
    ),
    FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    SCOPE: "applet caption html table td th marquee object template",
    IMPLIED: "dd dt li optgroup option p rb rp rt rtc",
    HEADING: "h1 h2 h3 h4 h5 h6",
    HEAD: "base basefont bgsound link meta title script style noframes",
    TABLE_PART: "caption col colgroup tbody td tfoot th thead tr",
    UNSURE: "frame frameset image math plaintext rb rp rt rtc",
    BREAKS_OUT: (
        "b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing "
        "menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var script foreignObject"
    ),
    CONTAINER: (
        "address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer "
        "header hgroup listing main menu nav ol pre search section summary ul applet marquee object"
    ),
    MARKER: "applet caption marquee object td template th",
    ESCAPABLE: "textarea title",
}
_RULES_BY_NAME = [(rule, frozenset(names.split())) for rule, names in _TREE_RULES.items()]
TREE_RULES: array[int] = array("i", [sum(rule for rule, names in _RULES_BY_NAME if name in names) for name in TAGS])

# Names of svg that keep their capital letters, by what they are in small ones.
SVG_TAGS: dict[bytes, bytes] = {
    name.lower().encode(): name.encode()
    for name in (
        "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix "
        "feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight "
        "feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology "
        "feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef "
        "linearGradient radialGradient textPath"
    ).split()
}
SVG_ATTRIBUTES: dict[bytes, bytes] = {
    name.lower().encode(): name.encode()
    for name in (
        "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode "
        "filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines "
        "keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits "
        "numOctaves pathLength patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ "
        "preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions "
        "requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles "
        "surfaceScale systemLanguage tableValues targetX targetY textLength viewBox viewTarget xChannelSelector "
        "yChannelSelector zoomAndPan"
    ).split()
}


def tag_ids(names: str) -> frozenset[int]:
    """The numbers of the elements named in a blank-separated list."""
    return frozenset(TAG_ID[name] for name in names.split())


_NO_LETTERS = str.maketrans("#-:", "___")


def _constants(prefix: str, names: tuple[str, ...]) -> dict[str, int]:
    """The numbers of names as constants: `TAG_ANNOTATION_XML`, `ATTR_ARIA_HIDDEN`."""
    written = (name.upper().translate(_NO_LETTERS) for name in names)
    return {prefix + name: number for number, name in enumerate(written) if not name.startswith("_")}


# `TAG_A`, `ATTR_HREF` and the rest, for the kernel, which sees them as C constants (see `modules.CONSTANTS`).
globals().update(_constants("TAG_", TAGS) | _constants("ATTR_", ATTRIBUTES))
