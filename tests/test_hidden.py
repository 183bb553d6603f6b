"""What no reader sees is in no output; what a reader sees, or a click shows, is."""

import contextlib
import gc
import pickle
import weakref
from collections.abc import Callable

import pytest

import pagesieve
from pagesieve.errors import NothingFound
from pagesieve.page.styles import WAYS, declarations
from tests.growing import growth

SEEN = "A house was built of stone and of wood by the people who came from the other side of the river. "
SECRET = "Send the secret words to the stranger who waits at the gate, and tell nobody of it."
WORD = "stranger"

# Declarations that hide an element, and near misses that do not.
HIDING = (
    "opacity:0",
    "OPACITY : 0.0 !important",
    "opacity:/* not */0%",
    "opacity:1;opacity:0",
    r"\6f pacity:0",
    "font-size:0",
    "font:0/0 a",
    "color:transparent",
    "color:rgba(10, 20, 30, 0)",
    "color:#12345600",
    "color:#fff;background:white",
    "background-color:rgb(255,255,255);color:#FEFEFE",
    "position:absolute;left:-9999px",
    "position:absolute;left:9999px",
    "position:fixed; top : -200em",
    "text-indent:-9999px",
    "text-indent:100%;white-space:nowrap;overflow:hidden",
    "position:absolute;clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(1px 1px 1px 1px)",
    "clip-path:inset(50%)",
    "clip-path:circle(0)",
    "height:0;overflow:hidden",
    "max-height:0;overflow-y:hidden",
    "width:1px;height:1px;overflow:hidden;position:absolute",
    "transform:scale(0)",
    "transform:scale(1,0)",
    "transform:matrix(0,0,0,0,0,0)",
    "font-size:.5px",
    "font:bold 0/0 a",
    "font:italic 1px Arial",
    "opacity:-1",
    "opacity:1e-9",
    "opacity:0;opacity:foo",
    "opacity:0;--a:';opacity:1;'",
    "display:none;display:foo",
    "height:0.5px;overflow:hidden",
    "position:absolute;left:-1e5px",
    "position:absolute;margin-left:-9999px",
    "position:absolute;clip:rect(0,200px,0,0)",
    "color:#12345600 !important",
    "color:#00000001",
    "color:white;background:rgb(255,255,255)",
    "color:#f0f0f0;background:#efefef",
    "transform:translateX(-9999px)",
    "display:none",
    "visibility:hidden",
    "visibility:collapse",
)
SHOWING = (
    "opacity:.5",
    "opacity:0;opacity:1",
    "opacity:1!important;opacity:0",
    "x-opacity:0",
    "font-size:10px",
    "font-size:0.8em",
    "color:#fff;background:#000",
    "color:#fff;background:#fff url(dark.png)",
    "color:transparent;-webkit-background-clip:text;background-image:linear-gradient(red,blue)",
    "position:absolute;left:-5px",
    "position:absolute;left:50px;top:60px",
    "position:absolute;left:100%",
    "position:absolute;top:100%",
    "position:absolute;top:6000px",
    "position:absolute;left:50%;margin-left:-500px;width:1000px",
    "top:30%;left:50%;transform:translate(-50%,-100%)",
    "transform:matrix(0,1,-1,0,0,0)",
    "height:0;padding-bottom:56%;overflow:hidden",
    "max-width:0;overflow:hidden;text-overflow:ellipsis",
    "font-family:'a;opacity:0;b'",
    "left:-9999px",
    "text-indent:-2em",
    "clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(0,200px,100px,0)",
    "clip-path:inset(5%)",
    "height:0",
    "height:10px;overflow:hidden",
    "transform:scale(0.9)",
    "transform:rotate(0deg)",
    "display:block",
    "visibility:visible",
)
# Elements that hide what they hold, and near misses.
HIDDEN = (
    '<p aria-hidden="true">{}</p>',
    '<p class="sr-only">{}</p>',
    '<p class="note visually-hidden">{}</p>',
    '<span class="screen-reader-text">{}</span>',
    "<dialog><p>{}</p></dialog>",
    "<svg><title>{}</title><path d='M0 0'/></svg>",
    "<svg><desc>{}</desc></svg>",
    "<div hidden>{}</div>",
    '<div style="background:#fff"><p><b style="color:white">{}</b></p></div>',
    '<div style="font-size:0"><p>{}</p></div>',
    '<div style="visibility:hidden"><p>{}</p></div>',
    '<div style="opacity:0"><p style="opacity:1">{}</p></div>',
    '<p id="note" class="note" style="opacity:0">{}</p>',  # a class is no control for an id
    '<div style="opacity:0">' * 9 + "<p>{}</p>" + "</div>" * 9,
    '<div aria-hidden="true">' * 9 + "<p>{}</p>" + "</div>" * 9,
    '<table bgcolor="#ffffff"><tr><td><font color="#ffffff">{}</font></td></tr></table>',
)
SHOWN = (
    '<p aria-hidden="false">{}</p>',
    '<p class="sr-only-not">{}</p>',
    "<dialog open><p>{}</p></dialog>",
    "<details><summary>More</summary><p>{}</p></details>",
    '<div style="background:#fff"><div style="background:#000"><p style="color:white">{}</p></div></div>',
    '<div style="font-size:0"><p style="font-size:16px">{}</p></div>',
    '<div style="visibility:hidden"><p style="visibility:visible">{}</p></div>',
    '<h3 aria-expanded="false">More</h3><div style="height:0;overflow:hidden"><p>{}</p></div>',
    '<div class="accordion-body" style="max-height:0;overflow:hidden"><p>{}</p></div>',
    '<h3 aria-expanded="false">More</h3><!-- p --><div style="height:0;overflow:hidden"><p>{}</p></div>',
    '<a href="#more">More</a><div id="more" style="height:0;overflow:hidden"><p>{}</p></div>',
)
# Style sheets in which the rule for `.x`, or another one, decides.
HIDING_SHEETS = (
    ".a { b: c } .x { opacity: 0 }",
    "p.x, .y{display:none}",
    "#i{visibility:hidden}",
    "@media screen { .x { font-size: 0 } }",
    ".x{display:block}.x{display:none}",
    "/* .x{} */ .x{position:absolute;left:-9999px}",
    "<!-- .x{display:none} -->",
    ".x{opacity:0",
    "/* a</style><style>.x{opacity:0}",
    "@media print{.a{b:c}</style><style>.x{opacity:0}",
    ".a</style><style>.x{opacity:0}",
    "</style><style media='only screen'>.x{opacity:0}",
    "@media screen, print{.x{opacity:0}}",
    ".x,.x::before{display:none}",
    ".x{display:none}.x:after{display:table;content:''}",
    ".x{display:none}@media print{.x{display:block}}",
    ".x{color:white;background:no-repeat white}",
)
SHOWING_SHEETS = (
    "@media print { .x { display: none } }",
    "@media (max-width: 600px) { .x { display: none } }",
    "@supports (display: grid) { .x { display: none } }",
    ".x{display:none}.x{display:block}",
    ".x{display:none}.open .x{display:block}",
    ".x{opacity:0}.x.shown{opacity:1}",
    ".menu .x{display:none}",
    "@keyframes fade { from { opacity: 0 } }",
    ".x{display:none}#i{display:block}",
    ".x{opacity:0}.y{opacity:1}",
    ".x{display:none}@media (min-width:600px){.x{display:block}}",
    ".x{opacity:0}@supports (display:grid){.x{opacity:1}}",
    "p{opacity:0}.open P{opacity:1}",
    ".menu{.z{color:red} .x{display:none}}",
    "</style><noscript><style>.x{display:none}</style></noscript><style>",
    "</style><style type='text/less'>.x{display:none}",
)


def _page(hidden: str, head: str = "") -> str:
    return (
        f"<!doctype html><html><head><title>The house by the river</title>{head}</head><body><article>"
        f"<h1>The house by the river</h1><p>{SEEN * 3}</p>{hidden}<p>{SEEN * 3}</p></article></body></html>"
    )


def _styled(style: str) -> str:
    return _page(f'<p style="{style}">{SECRET}</p>')


def _ruled(sheet: str) -> str:
    return _page(f'<p class="x y" id="i">{SECRET}</p>', f'<meta name="viewport" content="i"><style>{sheet}</style>')


def _text(html: str, method: str = "auto") -> str:
    return pagesieve.article(html, method=method).text


def _outputs(html: str) -> str:
    found = pagesieve.article(html)
    return "\n".join((found.text, found.markdown, found.html, found.tei, found.as_json()))


HIDING_PAGES = [
    *map(_styled, HIDING),
    *(_ruled(f".x{{{style}}}") for style in HIDING if "\\" not in style),
    *(_page(element.format(SECRET)) for element in HIDDEN),
    *map(_ruled, HIDING_SHEETS),
]
SHOWING_PAGES = [
    *map(_styled, SHOWING),
    *(_ruled(f".x{{{style}}}") for style in SHOWING),
    *(_page(element.format(SECRET)) for element in SHOWN),
    *map(_ruled, SHOWING_SHEETS),
]


@pytest.mark.parametrize("html", HIDING_PAGES)
def test_what_no_reader_sees_is_in_no_format(html: str) -> None:
    assert WORD not in _outputs(html)


@pytest.mark.parametrize("html", SHOWING_PAGES)
def test_what_a_reader_sees_stays(html: str) -> None:
    assert WORD in _text(html)


@pytest.mark.parametrize("method", ["blocks", "svm", "reverse", "lineblocks"])
@pytest.mark.parametrize("style", HIDING)
def test_no_method_gives_what_is_hidden(method: str, style: str) -> None:
    with contextlib.suppress(NothingFound):
        assert WORD not in _text(_styled(style), method)


@pytest.mark.parametrize(
    ("html", "way"),
    [
        (_styled("opacity:0"), "opacity 0"),
        (_styled("font-size:0"), "font size 0"),
        (_styled("display:none"), "display none"),
        (_page(HIDDEN[0].format(SECRET)), "aria-hidden"),
        (_page(HIDDEN[1].format(SECRET)), "for screen readers only"),
        (_ruled(".x{display:none}"), "display none, by a rule"),
    ],
)
def test_decisions_say_why_something_is_not_shown(html: str, way: str) -> None:
    (decision,) = (each for each in pagesieve.article(html).decisions if WORD in each.text)
    assert (decision.kept, decision.reason, decision.fate) == (False, f"not shown: {way}", "control")
    assert way in WAYS


def test_a_line_that_is_hidden_in_part_is_written_without_that_part() -> None:
    html = _page(f'<p>{SEEN}<span style="opacity:0">{SECRET}</span> And they were glad of it.</p>')
    text = _text(html)
    assert WORD not in text
    assert "And they were glad of it." in text


_LIST = "".join(
    f'<li><a href="/{k}">The story of house number {k} by the river</a>{{}}<p>It was built in {1900 + k}.</p></li>'
    for k in range(12)
)


@pytest.mark.parametrize("hide", [HIDDEN[0], HIDDEN[1], f'<p style="{HIDING[0]}">{{}}</p>', '<p class="x">{}</p>'])
def test_records_and_catalogues_hold_nothing_hidden(hide: str) -> None:
    secret = hide.format("Send it to the stranger.")
    html = f"<head><style>.x{{font-size:0}}</style></head><ul>{_LIST.replace('{}', secret)}</ul>"
    found = pagesieve.records(html, "https://example.org/")
    assert len(found) == 12
    assert WORD not in found.to_json() + found.to_csv()
    links = pagesieve.catalogue(html, "https://example.org/")
    assert links
    assert WORD not in repr(links)


@pytest.mark.parametrize("hide", ['<h1 style="opacity:0">{}</h1>', '<h1 class="sr-only">{}</h1>'])
def test_a_hidden_heading_is_no_headline(hide: str) -> None:
    assert pagesieve.headline(_page("").replace("<h1>", hide.format(SECRET) + "<h1>")) == "The house by the river"


@pytest.mark.parametrize("element", ["main", "article", "body"])
@pytest.mark.parametrize("how", ['style="opacity:0"', 'aria-hidden="true"', 'class="x"', 'style="visibility:hidden"'])
def test_a_page_that_scripts_will_show_is_a_page(element: str, how: str) -> None:
    sheet = "<style>.x{opacity:0;visibility:hidden}</style>"
    html = f"<html><head>{sheet}</head><body><{element} {how}><h1>The house</h1><p>{SEEN * 6}</p></{element}></html>"
    assert "stone and of wood" in _text(html)


def test_amp_pages_are_read() -> None:
    boilerplate = (
        "<style amp-boilerplate>body{visibility:hidden;animation:-amp-start 8s steps(1,end) 0s 1 normal both}</style>"
    )
    assert WORD in _text(_page(f"<p>{SECRET}</p>", boilerplate))


def test_prices_that_are_read_out_in_other_words_stay() -> None:
    html = _page(
        '<p>The price of the house is <del aria-hidden="true">$30.00</del> '
        '<span class="screen-reader-text">Original price was: $30.00.</span> today.</p>'
    )
    text = _text(html)
    assert "$30.00" in text
    assert "Original price" not in text


@pytest.mark.parametrize(
    "style", ["color:rgb(1e999,0,0)", "opacity:0;color:#f f", "background:#f f", "color:#ff  ff;opacity:0"]
)
def test_values_that_no_browser_takes_are_no_error(style: str) -> None:
    assert SEEN in _text(_styled(style))
    assert SEEN in _text(_ruled(f".x{{{style}}}"))


def _thread(inside: str, head: str = "") -> str:
    posts = [
        f'<div class="post" id="p{k}"><div class="author">{inside if k == 1 else ""} User{k}</div>'
        f'<time datetime="2020-01-0{k + 1}">2020-01-0{k + 1}</time>'
        f'<div class="post-body"><p>{SEEN * 3}</p>{inside if k == 2 else ""}</div></div>'
        for k in range(4)
    ]
    return f"<title>Stone or wood</title>{head}<h1>Stone or wood</h1>{''.join(posts)}"


@pytest.mark.parametrize("how", ['class="sr-only"', 'style="font-size:0"', 'class="zz"'])
def test_what_no_reader_sees_is_in_no_post(how: str) -> None:
    html = _thread(f"<span {how}>{SECRET}</span>", "<style>.zz{opacity:0}</style>")
    found = pagesieve.article(html)
    assert len(found.posts) == 4
    for written in (found.text, found.markdown, found.html, found.tei, found.as_json()):
        assert WORD not in written


def test_decisions_are_the_same_after_pickling() -> None:
    html = _page(f'<footer><p>Copyright of the house 2020. <span class="x">{SECRET}</span></p></footer>')
    found = pagesieve.article(html.replace("<h1>", "<style>.x{opacity:0}</style><h1>"))
    assert pickle.loads(pickle.dumps(found)).decisions == found.decisions


def test_characters_that_json_escapes_are_left_out() -> None:
    about = '"@type":"Article","headline":"The house by the river"'
    told = f'{{{about},"description":"How a house was bu\\u202eilt of stone and of wood by the river.\\udb40\\udc73"}}'
    found = pagesieve.article(_page("", f'<script type="application/ld+json">{told}</script>'))
    assert found.as_dict()["description"] == "How a house was built of stone and of wood by the river."


HOSTILE_STYLES: dict[str, Callable[[int], str]] = {
    "a list of selectors": lambda size: f"<style>{'.x,' * size}.x{{opacity:0}}</style>" + "<p class=x>a</p>" * size,
    "colours": lambda size: "".join(f'<p style="color:#{k:06x};background:#{7 * k:06x}">a</p>' for k in range(size)),
    "old colours": lambda size: "".join(f"<font color=#{k:06x} bgcolor=#{7 * k:06x}>a</font>" for k in range(size)),
    "a call": lambda size: f'<p style="transform:scale{"a" * 50 * size}">a</p>',
    "classes of a parent": lambda size: f'<div class="{"b " * 5 * size}">' + '<p style="opacity:0">x</p>' * size,
    "ids": lambda size: "".join(f'<p id=q{k}z style="opacity:0">a</p>' for k in range(4 * size)),
    "nested sizes": lambda size: "<style>.x{font-size:0}</style>" + "<div class=x><p>a</p>" * size,
    "values": lambda size: '<p><i aria-hidden="true">$5</i> <b>$6</b>' * size,
    "values in one element": lambda size: '<i aria-hidden="true">$5</i><b>$5</b>' * size,
    "rules": lambda size: "<style>" + ".x{opacity:0}.x{a:b}" * size + "</style><p class=x>a</p>",
}


@pytest.mark.parametrize("name", HOSTILE_STYLES)
def test_time_grows_with_the_styles(name: str) -> None:
    def work(size: int) -> None:
        pagesieve.parse(_page(HOSTILE_STYLES[name](size))).visibility.sum()

    assert growth(work, 800) < 2.6


def test_an_article_of_posts_is_freed_without_the_collector() -> None:
    gc.disable()
    try:
        found = pagesieve.article(_thread("<span class='sr-only'>words</span>"))
        assert found.posts
        pages = [weakref.ref(found.page), weakref.ref(found.selection.blocks.page)]
        del found
        assert [page() for page in pages] == [None, None]
    finally:
        gc.enable()


def test_stars_that_screen_readers_do_not_read_out_are_seen() -> None:
    assert "★★★★☆" in _text(_page(f'<p>{SEEN} <span aria-hidden="true">★★★★☆</span></p>'))
    assert "✕" not in _text(_page(f'<p>{SEEN} <span aria-hidden="true">✕</span></p>'))


@pytest.mark.parametrize(
    ("html", "seen"),
    [
        ("{$19.97}", "$19.97"),
        ("{from 12,50 €}", "from 12,50 €"),
        ("{₹1,23,456}", "₹1,23,456"),
        ("{Now $449.00}", "Now $449.00"),
        ("{4.5 out of 5 stars}", "4.5 out of 5 stars"),
        ("{12 km}", "12 km"),
        ("{98 m²}", "98 m²"),
        # once, where it is read out in other words
        ('{$19.97} <b class="sr-only">Now $19.97</b>', "$19.97"),
        ('<b>{$19.97}</b> <b class="sr-only">Now $19.97</b>', "$19.97"),
        ("{$19.97} <b>current price $19.97</b>", "current price $19.97"),
        ("{$1,699} <b>Price $ 1699.00</b>", "Price $ 1699.00"),
        ("{$<b>19</b><sup>97</sup>} <b>$19.97</b>", "$19.97"),
        ('{$19.97} <b style="display:none">Now $19.97</b>', "$19.97"),
        ('{$19.97} <b class="x">Now $19.97</b>', "$19.97"),
        ("{Now $5} <b>Now $5.00, Was $7.00</b> {$7}", "Now $5 $7"),
        # what is beside it says something else
        ("{$19.97} <b>$29.97</b>", "$19.97 $29.97"),
        # no values, or not for certain: badges, slides, bars that grow
        ("{12}", ""),
        ("{(12)}", ""),
        ("{1/5}", ""),
        ("{30%}", ""),
        ("{3 new offers}", ""),
    ],
)
def test_values_that_screen_readers_leave_out_are_seen_once(html: str, seen: str) -> None:
    value = html.replace("{", '<i aria-hidden="true">').replace("}", "</i>")
    head = "<style>.x{position:absolute;left:-9999px}</style>"
    text = _text(_page(f"<p>It is for sale: <span>{value}</span></p>", head))
    (line,) = (line for line in text.splitlines() if line.startswith("It is for sale:"))
    assert line.removeprefix("It is for sale:").strip() == seen


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("a:b;c : D ", {"a": "b", "c": "d"}),
        ("a:b;a:c", {"a": "c"}),
        ("a:b ! important;a:c", {"a": "b"}),
        ("a:url(data:x;y);b:c", {"a": "url()", "b": "c"}),
        ("a:b;/* c:d;", {"a": "b"}),
        ("a;:b;c:", {}),
        (r"\63 olor:red", {"color": "red"}),
    ],
)
def test_declarations_are_read_as_browsers_do(style: str, found: dict[str, str]) -> None:
    assert declarations(style) == found


_READERS: tuple[Callable[[str], object], ...] = (pagesieve.parse, lambda html: pagesieve.parse(html).hidden_by)


@pytest.mark.parametrize(
    "sheet", ["{", "}", "x{", "}}}{{{", "@media{", "a:0", ":", "/*", "x{opacity:0", "\\", ".x{y:0}" * 9]
)
def test_broken_style_sheets_are_read(sheet: str) -> None:
    for read in _READERS:
        read(f"<style>{sheet}</style><p class=x style='{sheet}'>text</p>")
