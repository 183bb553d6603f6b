"""A forum thread on two pages: posts with users, quotes and signatures, and the usual furniture around them."""

# ruff: noqa: E501  (a line of markup stays a line, so that it can be found in the page)

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .articles import TEXTS, split_pair
from .dice import Dice
from .markup import data, english_date, lines, part, text

TOP = "forum"
HOST = "https://forum.example.org/"
THREAD = 4711
TITLE = "Corvina 55 (1956): loud hum after replacing the paper capacitors"
POSTS_A_PAGE = 11
SPONSOR_AFTER = 4

BOARDS = [
    "Announcements", "Introduce yourself", "Help wanted: table radios", "Help wanted: radiograms", "Help wanted: televisions", "Tape and wire recorders",
    "Transistor sets", "Military and marine", "Gramophones", "Test gear", "Components and substitutes", "Cabinets, veneer and polish", "Dial glasses and knobs",
    "Circuit diagrams", "Success stories", "Gallery", "Gallery of horrors", "For sale", "Wanted", "Events and swap meets", "Off topic", "Forum software",
]  # fmt: skip

SIMILAR = [
    ("Hum in a 1961 radiogram, only on FM", "Pianola Pete", 23),
    ("Which capacitors are worth replacing first?", "MrsOhm", 118),
    ("Corvina 53: dial cord diagram wanted", "stringalong", 6),
    ("Magic eye substitutes that really fit", "Tonearm Tess", 41),
    ("Lamp limiter: what wattage?", "greybeard", 57),
    ("Smell of fish from the mains transformer", "nosy_parker", 34),
    ("Is my isolation transformer lying to me?", "Heterodyne_Hal", 19),
    ("Hiding new electrolytics inside the old can, step by step", "ValveDoctor", 72),
]

ONLINE = [
    "Pianola Pete",
    "MrsOhm",
    "greybeard",
    "stringalong",
    "lampenfieber",
    "Tonearm Tess",
    "nosy_parker",
    "dial_m",
    "Bakelite Bob",
    "rectifier_rose",
]

SCRIPT = """
function jumpTo(sel){var v=sel.options[sel.selectedIndex].value;if(v&&v<9999){location.hash='board-'+v;}}
function quotePost(id){var box=document.getElementById('quick'),src=document.getElementById('msg'+id);
if(box&&src){box.value+='[quote='+id+']'+src.textContent.replace(/<\\/?div>/g,'').substr(0,300)+'[/quote]';box.focus();}return false;}
function toggle(id){var el=document.getElementById(id);el.style.display=el.style.display==='none'?'':'none';return false;}
var tpl='<div class="post"><div class="post__main"></div></div>';if(tpl.length<3){document.write('</div>');}
"""


@dataclass(frozen=True)
class User:
    """A member of the forum."""

    name: str
    rank: str
    joined: str
    posts: str
    place: str
    signature: str


@dataclass(frozen=True)
class Post:
    """A post; quote is (who, words) or None."""

    number: int
    user: User
    moment: datetime
    quote: tuple[str, str] | None
    paragraphs: tuple[str, ...]


def path(page: int) -> str:
    """Return where a page of the thread lies in the site folder."""
    return f"{TOP}/thread-{THREAD}-{page}.html"


def url(page: int) -> str:
    """Return a page's address on the web."""
    return HOST + path(page).removeprefix(TOP + "/")


def read_posts() -> list[Post]:
    """Read the thread from its text file."""
    users: dict[str, User] = {}
    posts: list[Post] = []
    for chunk in (TEXTS / "forum.txt").read_text(encoding="utf-8").split("\n\n"):
        head, *rest = chunk.strip("\n").split("\n")
        if head.startswith("@user"):
            users = {user.name: user for user in (read_user(line) for line in [head, *rest])}
            continue
        name, when = split_pair(head.removeprefix("@post "), " | ")
        quoted = split_pair(rest.pop(0)[3:], ": ") if rest[0].startswith(">> ") else None
        posts.append(Post(len(posts) + 1, users[name], datetime.fromisoformat(when), quoted, tuple(rest)))
    return posts


def read_user(line: str) -> User:
    """Read '@user name | rank | joined | posts | place | signature'."""
    return User(*(field.strip() for field in line.removeprefix("@user ").split("|")))


def pages() -> list[list[Post]]:
    """Return the posts of each page."""
    posts = read_posts()
    return [posts[start : start + POSTS_A_PAGE] for start in range(0, len(posts), POSTS_A_PAGE)]


def fields(post: Post) -> dict[str, str]:
    """Return a post's gold items, in the order in which they stand in the page."""
    found = {
        "author": post.user.name,
        "rank": post.user.rank,
        "joined": f"Joined: {post.user.joined}",
        "posts": f"Posts: {post.user.posts}",
        "place": f"Location: {post.user.place}",
        "date": english_date(post.moment),
        "number": f"#{post.number}",
    }
    if post.quote:
        found["quote"] = f"{post.quote[0]} wrote: {post.quote[1]}"
    found["text"] = " ".join(post.paragraphs)
    if post.user.signature:
        found["signature"] = post.user.signature
    return found


def write_post(post: Post) -> str:
    """Write a post, its paragraphs left open as the old software did."""
    dice, user = Dice("post", post.number), post.user
    key = 98000 + post.number * 7 + dice.number(0, 6)
    quoted = (
        f"<blockquote><cite>{text(post.quote[0])} wrote:</cite> {text(post.quote[1])}</blockquote>"
        if post.quote
        else ""
    )
    signature = f'<div class="post__sig">{text(user.signature)}</div>' if user.signature else ""
    return lines(
        [
            f'<div class="post{" odd" if post.number % 2 else ""}" id="p{key}" data-uid={dice.number(100, 9999)}>',
            f'<div class="post__user"><img src="img/{avatar(user)}" width=64 height=64 alt=""><dl><dt><a href="{HOST}user/{dice.token(6)}">{text(user.name)}</a></dt>'
            f"<dd>{user.rank}</dd><dd>Joined: {user.joined}</dd><dd>Posts: {user.posts}</dd><dd>Location: {user.place}</dd></dl></div>",
            f'<div class="post__main"><div class="post__head"><time datetime="{post.moment:%Y-%m-%dT%H:%M}">{english_date(post.moment)}</time>'
            f'<a href="#p{key}">#{post.number}</a></div>',
            f'<div class="post__text" id="msg{key}">{quoted}'
            + "\n".join(f"<p>{text(words)}" for words in post.paragraphs)
            + "</div>",
            signature,
            f'<ul class="post__buttons"><li><a href="#quick" onclick="return quotePost({key})">Quote</a><li><a href="{HOST}report?p={key}&amp;s={dice.token(8)}">Report</a>'
            f'<li><a href="{HOST}thank?p={key}">Thank</a></ul></div></div>',
        ]
    )


def avatar(user: User) -> str:
    """Return the file name of a user's picture."""
    return f"u{Dice('avatar', user.name).token(5)}.svg"


def pagination(page: int, count: int) -> str:
    """Write the page numbers."""
    numbers = [
        f"<strong>{n}</strong>" if n == page else f'<a href="thread-{THREAD}-{n}.html">{n}</a>'
        for n in range(1, count + 1)
    ]
    other = (
        f'<a href="thread-{THREAD}-{page + 1}.html" rel="next">Next</a>'
        if page < count
        else f'<a href="thread-{THREAD}-{page - 1}.html" rel="prev">Previous</a>'
    )
    return f'<div class="pages">Page {page} of {count} {"".join(numbers)}{other}</div>'


def sponsor(dice: Dice) -> str:
    """Write the advertisement that stands between two posts as if it were one."""
    return (
        f'<div class="spons" id="s{dice.token(6)}"><small>Sponsored</small><b>Hartley Transformers</b> Mains and output transformers wound to order, '
        f'including the odd ones. <a href="https://ads.example.com/{dice.token(10)}">See the catalogue</a></div>'
    )


def head(page: int) -> str:
    """Write the head and everything above the posts."""
    dice = Dice("forum-head", page)
    settings = {
        "sid": dice.token(32),
        "thread": THREAD,
        "page": page,
        "now": f"2024-05-15 14:{dice.number(10, 59)}",
        "guest": True,
    }
    menu = "".join(
        f'<a href="{HOST}{name.lower()}">{name}</a>'
        for name in ("Boards", "New posts", "Members", "Gallery", "Diagrams", "Help", "Donate")
    )
    return lines(
        [
            '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
            "<html><head><meta http-equiv=Content-Type content='text/html; charset=utf-8'>",
            f"<title>{text(TITLE)} - Page {page} - The Valve Bench</title>",
            f'<link rel="canonical" href="{url(page)}">',
            f"<style>{part('forum.css')}</style>",
            f"<script>var SETTINGS={data(settings)};{SCRIPT}</script>",
            f'</head><body class="thread" data-sid="{dice.token(12)}">',
            f'<div class="bar">You are reading as a guest. <a href="{HOST}login?s={dice.token(20)}">Log in</a><a href="{HOST}register">Register</a></div>',
            '<div class="board-head"><h1>The Valve Bench</h1><p>Repair and restoration of vintage radio, since 2003</p></div>',
            f'<div class="board-nav">{menu}</div>',
            '<div class="shell">',
            f'<div class="crumb"><a href="{HOST}">The Valve Bench</a> &raquo; <a href="{HOST}board/3">Help wanted: table radios</a> &raquo; {text(TITLE)}</div>',
            '<div class="sticky-note"><b>Safety first.</b> Valve equipment holds lethal voltages, even unplugged. '
            f'Read <a href="{HOST}thread-12-1.html">the sticky</a> before you open a set.</div>',
            f'<h2 class="thread-title">{text(TITLE)}</h2>',
        ]
    )


def tail(page: int) -> str:
    """Write everything below the posts."""
    dice = Dice("forum-tail", page)
    similar = "".join(
        f'<li><a href="{HOST}thread-{dice.number(900, 4600)}-1.html">{text(title)}</a> by {text(name)}, {count} replies'
        for title, name, count in SIMILAR
    )
    options = "".join(f'<option value="{n}">{text(board)}</option>' for n, board in enumerate(BOARDS, 1))
    boards = "".join(
        f'<li><a href="{HOST}board/{n}">{text(board)}</a> <small>({dice.number(40, 9000)})</small>'
        for n, board in enumerate(BOARDS, 1)
    )
    online = ", ".join(f'<a href="{HOST}user/{dice.token(6)}">{text(name)}</a>' for name in dice.sample(ONLINE, 6))
    return lines(
        [
            f'<form class="quick" action="{HOST}reply" method="post"><h3>Quick reply</h3><textarea id="quick" name="words"></textarea>'
            f'<input type="hidden" name="form_token" value="{dice.token(40)}"><input type="hidden" name="creation_time" value="{dice.number(1715760000, 1715779999)}">'
            "<button>Send</button></form>",
            f'<div class="boxes"><section><h3>Similar threads</h3><ul>{similar}</ul></section><section><h3>All boards</h3><ul>{boards}</ul></section></div>',
            f'<div class="jump">Jump to: <select onchange="jumpTo(this)">{options}</select></div>',
            f'<div class="jump">Users reading this board: {online} and {dice.number(4, 60)} guests</div>',
            '<div class="hide" id="mod-tools"><a href="#">Lock thread</a> <a href="#">Split thread</a> <a href="#">Move thread</a></div>',
            '<!-- <div class="post"><div class="post__text"><p>template preview, remove before launch</div></div> -->',
            f'<div class="legal">Posts belong to their authors. The Valve Bench &copy; 2003&ndash;2024. All times are UTC. Page built in 0.{dice.number(11, 99)} s '
            f"with {dice.number(9, 21)} queries.</div></div>",
            "</body></html>",
        ]
    )


def write_page(page: int) -> str:
    """Write one page of the thread; pages count from 1."""
    everything = pages()
    posts = [write_post(post) for post in everything[page - 1]]
    posts.insert(SPONSOR_AFTER, sponsor(Dice("sponsor", page)))
    bar = pagination(page, len(everything))
    tools = f'<div class="tools"><a href="#quick">Post reply</a>{bar}</div>'
    return lines([head(page), tools, f'<div id="posts-{THREAD}">', *posts, "</div>", tools, tail(page)])
