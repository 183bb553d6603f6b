"""Generated nonsense: strings of tags, texts and attributes that parsers have opinions about."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = (
    "html head body p div span a b i ul ol li dl dt dd table tr td th tbody thead tfoot caption col colgroup h1 h2 "
    "select option optgroup form button pre textarea title script style svg path g noscript template br hr img input "
    "meta link x-y section main object iframe nobr font address details summary label fieldset menu listing xmp center "
    "dialog marquee datalist video source em strong code small DIV Svg viewBox foreignObject desc base noframes math "
    "mi ruby rt frameset plaintext image"
).split()
TEXTS = [
    "x",
    " ",
    "\n",
    "a&amp;b",
    "&nbsp;",
    "&copy=1",
    "<",
    "< ",
    "&#8217;",
    "a<b",
    "&#x41;",
    "&notin;",
    "&",
    "&#128;",
    "日本",
    "\r\n",
    "-->",
    "'",
    '"',
    "&am",
    "&lt;p&gt;",
    "&#0;",
    "&zz;",
    "&gt",
    "&#",
    "\x0c",
    "\t",
    "\u3000",
    "</",
    "<!",
    "&#xd800;",
    "&#1114112;",
    "&nGt;",
    "\x00",
    "\x01",
]
ATTRIBUTES = [
    "",
    "",
    "",
    " a=1",
    ' class="x y"',
    ' href="?a=1&b=2&amp;c"',
    " A=2 a=3",
    " b",
    " c='q\"'",
    ' d="<p>"',
    ' viewBox="0"',
    " =x",
    ' a"b=c',
    " e = f",
    " /",
    " hidden",
    " type=hidden",
    " lang=é",
    ' t="&quot;&#39;&copy"',
    ' style="Display : NONE"',
]
MARKUP = [
    "<!--c-->",
    "<!-- a > b -->",
    "<!doctype html>",
    "<!doctypehtml>",
    '<!DOCTYPE HTML PUBLIC "x">',
    "<?xml x?>",
    "<![if IE]>",
    "<!-->",
    "<!--->x-->",
    "<!---->",
    "<!--a--!>",
    "<!x>",
    "<![CDATA[x]]>",
    "<!--",
    "<script>a<b</script>",
    "<style>p{}</style>",
    "<script><!--<script></script>--></script>",
    "<style>a</style b='>'>",
    "</p c='>'>",
    "<title>a&amp;b</title>",
    "<textarea>\n<b></textarea>",
]

names = st.sampled_from(NAMES)
starts = st.builds(
    "<{}{}{}".format, names, st.sampled_from(ATTRIBUTES), st.sampled_from([">", ">", ">", ">", "/>", " >", ""])
)
ends = st.builds("</{}{}".format, names, st.sampled_from([">", ">", ">", " >", " a=1>"]))
pieces = st.one_of(starts, starts, ends, ends, st.sampled_from(TEXTS), st.sampled_from(MARKUP))
frames = st.sampled_from(
    ["{}", "{}", "<!doctype html><html><head><title>t</title></head><body>{}</body></html>\n", "<body>{}", "<p>{}</p>"]
)
soup = st.builds(lambda frame, body: frame.format(body), frames, st.lists(pieces, max_size=25).map("".join))


def _element(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    closed = st.builds("<{0}{1}>{2}</{0}>".format, names, st.sampled_from(ATTRIBUTES), content)
    left_open = st.builds("<{0}{1}>{2}".format, names, st.sampled_from(ATTRIBUTES), content)
    return st.lists(st.one_of(closed, closed, closed, left_open, st.sampled_from(TEXTS)), max_size=4).map("".join)


nested = st.recursive(st.sampled_from(TEXTS), _element, max_leaves=15)
pages = st.one_of(soup, nested, st.text(max_size=80))
