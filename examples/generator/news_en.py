"""The English news site: a present-day template with menus, slots, hot list, related links and comments."""

# ruff: noqa: E501  (a line of markup stays a line, so that it can be found in the page)

from __future__ import annotations

import re
from datetime import datetime, timedelta

from .articles import Article, Block
from .dice import Dice
from .markup import attr, data, english_date, fill, inline, lines, link, named, part, root, text
from .news_en_lists import ADVERTS, FOOT, HOST, JOBS, MENU, NAME, OTHERS, POLLS, SECTIONS

TOP = "en"
FEED = f"{TOP}/feed.xml"
JSON_FEED = f"{TOP}/feed.json"
PORTAL = "https://www.example.org/"
SCRIPT = "script"  # the dirt of an article whose body a script builds
NOW = datetime(2024, 5, 15, 14, 0)
WORDS_A_MINUTE = 220
HIDDEN_AFTER = 3
# Where the template breaks into a body: after this many blocks comes this insert.
INSERTS = {2: "slot", 4: "read_more", 6: "newsletter", 9: "slot"}
WINDOWS_1252 = "cp1252"


def path(article: Article, number: int = 1) -> str:
    """Return where a page of an article lies in the site folder."""
    part_of = f"-{number}" if number > 1 else ""
    return f"{TOP}/{article.published:%Y/%m}/{article.name}-{article.id}{part_of}.html"


def url(page: str) -> str:
    """Return a page's address on the web."""
    return HOST + page.removeprefix(TOP + "/") if page.startswith(TOP) else PORTAL + page


def picture(article: Article) -> str:
    """Return where an article's picture lies."""
    return f"{TOP}/static/pic/{article.id}.svg"


def script(article: Article) -> str:
    """Return where the script lies that builds an article's body."""
    return f"{TOP}/static/js/{article.id}.js"


def charset(article: Article) -> tuple[str, str]:
    """Return the encoding a page declares and the one it is stored in."""
    return ("iso-8859-1", WINDOWS_1252) if WINDOWS_1252 in article.dirt else ("utf-8", "utf-8")


def slug(label: str) -> str:
    """Return a label as it stands in an address."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def section_href(page: str, section: str) -> str:
    """Return the link to a section: only one section's page is part of the example."""
    return link(page, f"{TOP}/world/index.html") if section == "world" else f"{HOST}{section}/"


def other_href(name: str) -> str:
    """Return the address of an article that is not part of the example."""
    return f"{HOST}2024/04/{name}-{Dice('other', name).number(4100000, 4179999)}.html"


# --- the body -------------------------------------------------------------------------------------------


def body(article: Article, page: str, articles: list[Article], number: int = 1) -> str:
    """Write the blocks of one page of an article, with the dirt it is to have and the inserts of the template."""
    if SCRIPT in article.dirt:
        return late_body(article, page)
    blocks = article.parts[number - 1]
    targets = {other.name: link(page, path(other)) for other in articles}
    dice = Dice("body", article.id)
    pieces: list[str] = []
    waiting = ""
    for count, block in enumerate(blocks, 1):
        pieces.append(body_block(block, article, page, targets))
        waiting = INSERTS.get(count, waiting)
        # An insert waits for a paragraph: between a heading and its text it would look wrong.
        if waiting and block.kind == "p" and count < len(blocks):
            pieces.append(insert(waiting, article, page, articles, dice))
            waiting = ""
        if count == HIDDEN_AFTER:
            pieces.append(hidden_note(article, dice))
    return lines(pieces)


def late_body(article: Article, page: str) -> str:
    """Write the place that a script fills with the body."""
    return lines(
        [
            f'<div id="late-{article.id}"></div>',
            "<noscript><p>This story needs JavaScript.</p></noscript>",
            f'<script src="{link(page, script(article))}"></script>',
        ]
    )


def write_script(article: Article) -> str:
    """Write the script that builds an article's body."""
    return fill(
        "en_story.js", id=article.id, paragraphs=data([piece for block in article.blocks for piece in block.pieces])
    )


def pager(article: Article, page: str, number: int) -> str:
    """Write the links between the pages of an article; empty where it has one page."""
    count = len(article.parts)
    if count == 1:
        return ""
    numbers = "".join(
        f"<li><b>{n}</b></li>" if n == number else f'<li><a href="{link(page, path(article, n))}">{n}</a></li>'
        for n in range(1, count + 1)
    )
    following = (
        f'<li><a rel="next" href="{link(page, path(article, number + 1))}">Next page</a></li>' if number < count else ""
    )
    return f'<nav class="story__pages" aria-label="Pages of this story"><ul class="pager">{numbers}{following}</ul></nav>\n'


def page_relations(article: Article, page: str, number: int) -> str:
    """Write what the head says of the pages before and after."""
    around = {"prev": number - 1, "next": number + 1}
    found = [
        f'<link rel="{name}" href="{link(page, path(article, n))}">'
        for name, n in around.items()
        if 1 <= n <= len(article.parts)
    ]
    return "".join(f"{each}\n" for each in found)


def body_block(block: Block, article: Article, page: str, targets: dict[str, str]) -> str:
    """Write one block of a body."""
    cells = [[inline(cell, targets) for cell in row] for row in block.rows]
    if "entities" in article.dirt:
        cells = [[named(cell) for cell in row] for row in cells]
    markup = {
        "p": paragraph,
        "h": heading,
        "quote": quote,
        "ul": bullets,
        "ol": bullets,
        "table": table,
        "figure": figure,
    }[block.kind](cells, article, page, block.kind)
    return shout(markup) if "uppercase" in article.dirt else markup


def paragraph(cells: list[list[str]], article: Article, page: str, kind: str) -> str:
    """Write a paragraph; some pages never close theirs."""
    key = Dice("p", article.id, cells[0][0]).token(6)
    opening = f"<p data-k={key} class=para>" if "unquoted" in article.dirt else f'<p data-k="{key}">'
    return opening + cells[0][0] + ("" if "unclosed-p" in article.dirt else "</p>")


def heading(cells: list[list[str]], article: Article, page: str, kind: str) -> str:
    """Write a sub-heading."""
    return f'<h2 id="h-{Dice("h", article.id, cells[0][0]).token(5)}">{cells[0][0]}</h2>'


def quote(cells: list[list[str]], article: Article, page: str, kind: str) -> str:
    """Write a pull quote and who said it."""
    return f"<blockquote><p>{cells[0][0]}</p><cite>{cells[0][1]}</cite></blockquote>"


def bullets(cells: list[list[str]], article: Article, page: str, kind: str) -> str:
    """Write a list."""
    closing = "" if "unclosed-li" in article.dirt else "</li>"
    return lines([f"<{kind}>", *(f"<li>{row[0]}{closing}" for row in cells), f"</{kind}>"])


def table(cells: list[list[str]], article: Article, page: str, kind: str) -> str:
    """Write a table whose first row is its head."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in cells[0])
    rows = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells[1:]]
    return lines([f"<table><thead><tr>{head}</tr></thead><tbody>", *rows, "</tbody></table>"])


def figure(cells: list[list[str]], article: Article, page: str, kind: str) -> str:
    """Write a picture with its caption; lazy pages keep the real one in a noscript."""
    source = link(page, picture(article))
    image = f'<img src="{source}" width="780" height="440" alt="{attr(article.alt)}">'
    if "noscript-img" in article.dirt:
        blank = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
        image = (
            f'<img class="lazy" src="{blank}" data-src="{source}" width="780" height="440"><noscript>{image}</noscript>'
        )
    return f'<figure class="fig" data-img="{Dice("fig", article.id).token(10)}">{image}<figcaption>{cells[0][0]}</figcaption></figure>'


def shout(markup: str) -> str:
    """Write tag and attribute names in capitals."""
    markup = re.sub(r"<(/?)([a-z0-9]+)", lambda tag: f"<{tag[1]}{tag[2].upper()}", markup)
    return re.sub(r' (class|id|src|width|height|alt|href|scope)="', lambda name: f' {name[1].upper()}="', markup)


# --- inserts that are not the article -------------------------------------------------------------------


def insert(kind: str, article: Article, page: str, articles: list[Article], dice: Dice) -> str:
    """Write something the template puts between the paragraphs."""
    if kind == "slot":
        return slot(dice, "mid")
    if kind == "newsletter":
        return newsletter(dice)
    other = dice.pick([each for each in articles if each is not article])
    return f'<aside class="inset inset--more"><b>Read more:</b> <a href="{link(page, path(other))}">{text(other.short)}</a></aside>'


def slot(dice: Dice, place: str) -> str:
    """Write an advertisement."""
    firm, words, action = dice.pick(ADVERTS)
    click = f"https://ads.example.com/c/{dice.token(12)}?z={place}&amp;cb={dice.number(10**8, 10**9)}"
    return (
        f'<div class="slot slot--{place}" id="slot-{dice.token(6)}" data-size="300x250"><span class="slot__label">Advertisement</span>'
        f'<b>{text(firm)}</b>{text(words)} <a href="{click}" rel="sponsored nofollow">{action}</a></div>'
    )


def newsletter(dice: Dice) -> str:
    """Write the box that asks for an address."""
    return (
        '<form class="inset" action="https://news.example.org/newsletter" method="post"><h3>The Morning Tide</h3>'
        "Five stories, one poem and the weather, at six every morning. "
        f'<input type="email" name="e-{dice.token(4)}" placeholder="you@example.com"><input type="hidden" name="csrf" value="{dice.token(40)}">'
        "<button>Sign up</button></form>"
    )


def hidden_note(article: Article, dice: Dice) -> str:
    """Write things nobody sees, on the pages that have them."""
    if "hidden" not in article.dirt:
        return ""
    left = dice.number(1, 4)
    return (
        f'<div class="meter" style="display:none" data-left="{left}"><p>You have read {left} of 5 free articles this month. '
        "Subscribe for less than the price of a loaf to go on reading without limits.</p></div>\n"
        f"<p hidden>Desk note {dice.token(5)}: picture rights run out at the end of the month, check before syndication.</p>"
    )


def share(article: Article, page: str) -> str:
    """Write the share bar with its icons."""
    target = attr(url(page))
    entries = [
        ("mail", "Mail", f"mailto:?body={target}"),
        ("post", "Post", f"https://social.example.com/share?u={target}"),
    ]
    entries += [("link", "Copy link", target), ("print", "Print", "#print"), ("chat", "Discuss", f"#talk-{article.id}")]
    items = [
        f'<li><a href="{href}" data-share="{icon}"><svg aria-hidden="true"><use href="#i-{icon}"/></svg>{label}</a></li>'
        for icon, label, href in entries
    ]
    return lines(['<ul class="share">', *items, "</ul>"])


def after(article: Article, dice: Dice) -> str:
    """Write what follows a body: topics, and the corrections notice."""
    labels = dice.sample([label for entries in MENU.values() for label in entries], 5)
    topics = "".join(
        f'<li><a href="{HOST}topics/{slug(label)}.html" rel="tag">{text(label)}</a></li>' for label in labels
    )
    return (
        f'<ul class="topics">{topics}</ul>\n<p class="notice">Spotted a mistake? '
        f'<a href="{HOST}corrections?story={article.id}">Tell the corrections desk</a>.</p>'
    )


def related(article: Article, page: str, articles: list[Article], dice: Dice) -> str:
    """Write the related links: four of the example, four from elsewhere."""
    own = dice.sample([other for other in articles if other is not article], 4)
    items = [
        f'<li><a href="{link(page, path(other))}"><img src="{link(page, picture(other))}" width="180" height="102" loading="lazy" '
        f'alt="{attr(other.alt)}">{text(other.title)}</a></li>'
        for other in own
    ]
    items += [f'<li><a href="{other_href(name)}">{text(title)}</a></li>' for name, title in dice.sample(OTHERS, 4)]
    return lines(['<section class="more"><h2>More on this</h2><ul class="more__grid">', *items, "</ul></section>"])


def comments(article: Article, dice: Dice) -> str:
    """Write the readers' comments."""
    moment, items = article.published, []
    for name, words in article.comments:
        moment += timedelta(minutes=dice.number(7, 190))
        number = dice.number(70000000, 79999999)
        items.append(
            f'<li class="talk__item" id="c{number}" data-comment="{number}"><span class="talk__who">{text(name)}</span>'
            f'<time class="talk__when" datetime="{moment:%Y-%m-%dT%H:%M}:{dice.number(10, 59)}Z">{english_date(moment)}</time>'
            f'<p class="talk__text">{text(words)}</p><div class="talk__tools"><button data-do="up">Agree ({dice.number(0, 96)})</button>'
            f'<button data-do="reply">Reply</button><button data-do="flag">Report</button></div></li>'
        )
    form = (
        f'<form action="https://talk.example.org/post" method="post"><input type="hidden" name="thread" value="{article.id}-{dice.token(8)}">'
        '<label>Your comment <textarea name="words" rows="4" cols="60"></textarea></label><button class="btn">Post comment</button></form>'
    )
    opening = f'<section class="talk" id="talk-{article.id}"><h2>{len(items)} comments</h2><ol class="talk__list">'
    rules = '<p class="talk__rules">Comments close after three days. Please stay civil; the moderators drink tea at four.</p>'
    return lines([opening, *items, "</ol>", rules, form, "</section>"])


# --- furniture shared by all pages ----------------------------------------------------------------------


def head(page: str, title: str, extra: str, declared: str = "utf-8") -> str:
    """Write the head's common part."""
    dice = Dice("head", page)
    return lines(
        [
            f'<meta charset="{declared}">',
            f"<title>{text(title)} | {NAME}</title>",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<link rel="canonical" href="{url(page)}">',
            f'<link rel="alternate" type="application/rss+xml" title="{NAME}" href="{link(page, FEED)}">',
            f'<meta property="og:site_name" content="{NAME}">',
            f'<meta property="og:url" content="{url(page)}">',
            '<meta name="robots" content="max-image-preview:large">',
            f'<meta name="csrf-token" content="{dice.token(44)}">',
            extra,
            "<style>",
            part("en.css"),
            "</style>",
            f'<script nonce="{dice.token(16)}">window.__COURIER__={config(page, dice)};</script>',
        ]
    )


def config(page: str, dice: Dice) -> str:
    """Write the settings a page hands to its scripts: mostly tokens and times."""
    slots = [
        {"id": f"gpt-{dice.token(8)}", "sizes": [[300, 250], [970, 90]], "floor": dice.number(10, 90) / 100}
        for _ in range(5)
    ]
    return data(
        {
            "pageview": dice.token(32),
            "session": dice.token(24),
            "path": url(page),
            "rendered": f"{NOW:%Y-%m-%d}T{dice.number(10, 13)}:{dice.number(10, 59)}:{dice.number(10, 59)}.{dice.number(100, 999)}Z",
            "beacon": f"https://stats.example.com/b/{dice.token(10)}",
            "experiments": {f"x{dice.number(100, 999)}": dice.pick(["a", "b", "control"]) for _ in range(6)},
            "slots": slots,
            "flags": ["lazy", "talk2", "paywall_soft", dice.pick(["rail_v3", "rail_v4"])],
            "tmpl": "<div class='card'><a href='%s'>%s</a></div>",
        }
    )


def article_meta(article: Article, page: str) -> str:
    """Write the head of a detail page: OpenGraph and JSON-LD."""
    published = f"{article.published:%Y-%m-%dT%H:%M}:00Z"
    linked = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": published,
        "dateModified": f"{article.updated:%Y-%m-%dT%H:%M}:00Z",
        "author": [{"@type": "Person", "name": name} for name in article.author.split(" and ")],
        "publisher": {"@type": "NewsMediaOrganization", "name": NAME, "logo": HOST + "static/logo.svg"},
        "image": [url(picture(article))],
        "mainEntityOfPage": url(page),
        "isAccessibleForFree": True,
    }
    return lines(
        [
            f'<meta name="description" content="{attr(article.long)}">',
            f'<meta name="author" content="{attr(article.author)}">',
            '<meta property="og:type" content="article">',
            f'<meta property="og:title" content="{attr(article.title)}">',
            f'<meta property="og:description" content="{attr(article.long)}">',
            f'<meta property="og:image" content="{url(picture(article))}">',
            f'<meta property="article:published_time" content="{published}">',
            f'<meta property="article:section" content="{SECTIONS[article.section]}">',
            f'<script type="application/ld+json">{data(linked)}</script>',
        ]
    )


def top(page: str, articles: list[Article]) -> str:
    """Write everything above the content: bar, masthead, menu, ticker."""
    dice = Dice("top", page)
    items = []
    for label, entries in MENU.items():
        subs = "".join(f'<li><a href="{HOST}{slug(label)}/{slug(entry)}/">{entry}</a></li>' for entry in entries)
        items.append(
            f'<li class="menu__item"><a href="{section_href(page, slug(label))}">{label}</a><ul class="menu__sub">{subs}</ul>'
        )
    name, breaking = dice.pick(OTHERS)
    prefix = root(page, TOP)
    return lines(
        [
            f'<div class="topbar"><div class="wrap"><span>Wednesday 15 May 2024 &middot; {dice.number(9, 16)}&deg;C, light wind</span>'
            f'<span><a href="{HOST}account?t={dice.token(10)}">Sign in</a><a href="{HOST}subscribe">Subscribe</a>'
            f'<a href="{HOST}search"><svg width="14" height="14"><use href="#i-find"/></svg> Search</a></span></div></div>',
            f'<header class="masthead"><div class="wrap"><a class="masthead__name" href="{prefix}index.html">{NAME}</a>'
            '<div class="masthead__tag">Independent since 1887</div></div></header>',
            f'<nav class="menu" aria-label="Sections"><div class="wrap"><ul class="menu__list">\n<li class="menu__item"><a href="{prefix}index.html">Home</a>',
            *items,
            "</ul></div></nav>",
            f'<div class="ticker"><div class="wrap"><b>Latest</b><a href="{other_href(name)}">{text(breaking)}</a></div></div>',
            f'<div id="consent" class="consent" role="dialog" data-v="{dice.token(8)}"><p>We and our {dice.number(118, 140)} partners use cookies to '
            "measure how the site is read and to show advertising that pays for it. You can change your mind at any time.</p>"
            '<button class="btn" data-consent="all">Accept all</button> <button data-consent="none">Only what is necessary</button></div>',
        ]
    )


def rail(page: str, articles: list[Article]) -> str:
    """Write the right-hand column: hot list, picks, advertisement, poll, jobs."""
    dice = Dice("rail", page)
    hot = [(link(page, path(each)), each.short) for each in dice.sample(articles, 5)]
    hot += [(other_href(name), title) for name, title in dice.sample(OTHERS, 5)]
    hot_items = "\n".join(
        f'<li><a href="{href}" data-rank="{n}">{text(label)}</a></li>' for n, (href, label) in enumerate(hot, 1)
    )
    picks = "\n".join(
        f'<li><a href="{link(page, path(each))}"><img src="{link(page, picture(each))}" width="92" height="52" alt="{attr(each.alt)}"></a>'
        f'<a href="{link(page, path(each))}">{text(each.title)}</a></li>'
        for each in dice.sample(articles, 4)
    )
    question, answers = dice.pick(POLLS)
    options = "".join(
        f'<label><input type="radio" name="poll-{dice.token(4)}" value="{n}"> {text(answer)}</label><br>'
        for n, answer in enumerate(answers)
    )
    jobs = "".join(
        f"<li><b>{text(job)}</b>, {text(firm)} <span>{pay}</span></li>" for job, firm, pay in dice.sample(JOBS, 4)
    )
    return lines(
        [
            '<aside class="rail">',
            slot(dice, "rail"),
            f'<section class="rail__box"><h2>Most read</h2><ol class="hot">\n{hot_items}\n</ol></section>',
            f'<section class="rail__box"><h2>Editor&#8217;s picks</h2><ul class="picks">\n{picks}\n</ul></section>',
            f'<section class="rail__box"><h2>Poll</h2><p>{text(question)}</p>{options}<button class="btn">Vote</button> '
            f"<small>{dice.number(310, 4800)} votes so far</small></section>",
            f'<section class="rail__box"><h2>Jobs</h2><ul>{jobs}</ul><a href="{HOST}services/jobs/">All jobs</a></section>',
            slot(dice, "rail2"),
            "</aside>",
        ]
    )


def foot(page: str) -> str:
    """Write the footer and the tracking pixel."""
    dice = Dice("foot", page)
    columns = []
    for label, entries in FOOT.items():
        items = "".join(
            f'<li><a href="{HOST}{slug(label)}/{slug(entry)}.html">{text(entry)}</a></li>' for entry in entries
        )
        columns.append(f"<div><h4>{label}</h4><ul>{items}</ul></div>")
    return lines(
        [
            '<footer class="site-foot"><div class="wrap"><div class="site-foot__cols">',
            *columns,
            "</div>",
            '<div class="site-foot__small">&copy; 1887&ndash;2024 Wexley Courier Press Ltd. All rights reserved. Registered office: 14 Harbour Parade, '
            "Wexley. The Courier is a member of the Regional Press Council and follows its code. No part of this site may be reproduced without "
            f"written permission.<br>Page {dice.token(7)}, edition {dice.number(41200, 41299)}.</div></div></footer>",
            f'<img src="https://stats.example.com/p.gif?u={dice.token(20)}&amp;t={dice.number(1715700000, 1715799999)}" width="1" height="1" '
            'style="position:absolute;left:-9999px" alt="">',
        ]
    )


def scripts(page: str) -> str:
    """Write the scripts at the end of a page."""
    dice = Dice("scripts", page)
    return lines(
        [
            f'<script nonce="{dice.token(16)}">',
            part("en.js"),
            "</script>",
            f'<script nonce="{dice.token(16)}">var _q=_q||[];_q.push(["set","uid","{dice.token(18)}"]);_q.push(["html","<div></div></div><p>"]);'
            f'if(1<2&&"{dice.token(6)}"!=="</p>"){{_q.push(["view",{dice.number(1, 9**9)}]);}}</script>',
        ]
    )


def stamps(page: str) -> dict[str, str]:
    """Return the slots every page of the site fills with accidents of its rendering."""
    dice = Dice("stamps", page)
    return {
        "request": f"{dice.token(8)}-{dice.token(4)}-{dice.token(12)}",
        "page_key": dice.token(20),
        "server": f"web-{dice.number(1, 16):02d}",
        "rendered": f"0.{dice.number(61, 420):03d}s {NOW:%Y-%m-%d}T{dice.number(10, 13)}:{dice.number(10, 59)}:{dice.number(10, 59)}Z",
        "token": dice.token(32),
    }


# --- whole pages ----------------------------------------------------------------------------------------

OLD_BROWSER = (
    "<!--[if lt IE 9]><div class=\"oldie\"><p>Your browser is out of date. <a href='https://browsers.example.com/'>Get a new one</a>"
    ' to read the Courier as it was meant.</p></div><![endif]-->\n<!--[if gte IE 9]><!--><span class="modern"></span><!--<![endif]-->'
)


def detail(article: Article, articles: list[Article], number: int = 1) -> str:
    """Write one page of an article."""
    page, dice = path(article, number), Dice("detail", article.id)
    changed = article.updated != article.published
    return fill(
        "en_detail.html",
        **stamps(page),
        head=head(
            page,
            article.title,
            page_relations(article, page, number) + article_meta(article, page),
            charset(article)[0],
        ),
        section=article.section,
        id=article.id,
        conditional=OLD_BROWSER if "conditional" in article.dirt else "",
        sprite=part("en_sprite.svg"),
        top=top(page, articles),
        root=root(page, TOP),
        section_href=section_href(page, article.section),
        section_name=SECTIONS[article.section],
        short=text(article.short),
        banner=slot(dice, "banner"),
        revision=dice.token(7),
        title=text(article.title),
        author=text(article.author),
        published=f"{article.published:%Y-%m-%dT%H:%M}:00",
        published_words=english_date(article.published),
        updated_words=f"<span>Updated {english_date(article.updated)}</span>" if changed else "",
        minutes=max(1, round(len(article.text.split()) / WORDS_A_MINUTE)),
        n_comments=len(article.comments),
        share=share(article, page),
        nonce=dice.token(12),
        body=body(article, page, articles, number),
        after=pager(article, page, number) + after(article, dice),
        related=related(article, page, articles, dice),
        # One end tag too many: it closes the columns early, and the browser puts up with it.
        stray="</div>" if "stray-div" in article.dirt else "",
        comments=comments(article, dice),
        rail=rail(page, articles),
        foot=foot(page),
        scripts=scripts(page),
    )


def catalogue(page: str, title: str, crumbs: str, lists: str, articles: list[Article]) -> str:
    """Write a catalogue page around its lists."""
    feed = f'<link rel="alternate" type="application/feed+json" title="{NAME}" href="{link(page, JSON_FEED)}">\n'
    return fill(
        "en_catalogue.html",
        **stamps(page),
        head=head(page, title, f'{feed}<meta property="og:title" content="{attr(title)}">'),
        section=slug(title),
        sprite=part("en_sprite.svg"),
        top=top(page, articles),
        crumbs=crumbs,
        banner=slot(Dice("banner", page), "banner"),
        lists=lists,
        rail=rail(page, articles),
        foot=foot(page),
        scripts=scripts(page),
    )


def card(article: Article, page: str, level: str) -> str:
    """Write a teaser: a picture link, the headline, a summary link, the comments link, all to one page."""
    href = link(page, path(article))
    return (
        f'<article class="card" data-story="{article.id}"><a href="{href}"><img src="{link(page, picture(article))}" width="360" height="203" '
        f'alt="{attr(article.alt)}"></a><{level}><a href="{href}">{text(article.title)}</a></{level}><p class="card__stand">{text(article.long)}. '
        f'<a href="{href}">Read the story</a></p><div class="card__foot"><time datetime="{article.published:%Y-%m-%dT%H:%M}">'
        f'{english_date(article.published)}</time> &middot; <a href="{href}#talk-{article.id}">{len(article.comments)} comments</a></div></article>'
    )


def home(articles: list[Article]) -> str:
    """Write the home page."""
    page = f"{TOP}/index.html"
    lead, second, third, *_ = articles
    parts = [
        f'<section class="front"><div class="card--lead">{card(lead, page, "h2")}</div><div>{card(second, page, "h3")}{card(third, page, "h3")}</div></section>'
    ]
    for section, label in SECTIONS.items():
        own = [each for each in articles if each.section == section]
        shorts = [
            f'<li><a href="{link(page, path(each))}" title="{attr(each.title)}">{text(each.short)}</a>' for each in own
        ] + [
            f'<li><a href="{other_href(name)}">{text(other)}</a>'
            for name, other in Dice("home", section).sample(OTHERS, 4)
        ]
        parts.append(
            f'<section class="more"><h2><a href="{section_href(page, section)}">{label}</a></h2><div class="strip">'
            + "\n".join(card(each, page, "h3") for each in own[:3])
            + f'</div><ul class="shorts">{"".join(shorts)}</ul></section>'
        )
    return catalogue(page, "News from the harbour and the world", "", lines(parts), articles)


def world_path(number: int) -> str:
    """Return where a page of the World section's catalogue lies."""
    return f"{TOP}/world/index{f'-{number}' if number > 1 else ''}.html"


def world(articles: list[Article], listed: list[Article], number: int) -> str:
    """Write a page of the World section's catalogue: a row an article, long titles, and older entries."""
    page = world_path(number)
    rows = []
    for article in listed:
        href = link(page, path(article))
        rows.append(
            f'<div class="listing__row" data-story="{article.id}"><a href="{href}"><img src="{link(page, picture(article))}" width="210" height="118" '
            f'alt="{attr(article.alt)}"></a><div><h3><a href="{href}">{text(article.title)}</a></h3><p><a href="{href}">{text(article.long)}</a></p>'
            f'<span class="card__foot">{text(article.author)}, {english_date(article.published)}</span></div></div>'
        )
    dice = Dice("world") if number == 1 else Dice("world", number)
    for name, title in dice.sample(OTHERS, 10):
        rows.append(
            f'<div class="listing__row listing__row--old"><span></span><div><h3><a href="{other_href(name)}">{text(title)}</a></h3>'
            f'<span class="card__foot">{dice.number(11, 30)} Apr 2024</span></div></div>'
        )
    first, second = (link(page, world_path(n)) for n in (1, 2))
    numbers = (
        f'<li>1</li><li><a href="{second}">2</a></li><li><a href="{second}">Next</a></li>'
        if number == 1
        else f'<li><a href="{first}">1</a></li><li>2</li>'
    )
    crumbs = f'<ol class="crumbs"><li><a href="{link(page, TOP + "/index.html")}">Home</a></li><li>World</li></ol>'
    lists = lines(
        [
            "<h1>World</h1>",
            '<div class="listing">',
            *rows,
            "</div>",
            f'<ul class="pager">{numbers}</ul>',
        ]
    )
    return catalogue(page, "World", crumbs, lists, articles)


def portal(articles: list[Article], neighbours: dict[str, str]) -> str:
    """Write the page at the top of the site folder: the latest of the Courier, and its neighbours by path."""
    page = "index.html"
    cards = "\n".join(card(each, page, "h3") for each in articles[:6])
    links = "".join(
        f'<li><a href="{link(page, target)}">{text(label)}</a></li>' for target, label in neighbours.items()
    )
    lists = lines(
        [
            "<h1>Wexley online</h1>",
            f'<section class="more"><h2><a href="{link(page, TOP + "/index.html")}">{NAME}</a></h2><div class="strip">{cards}</div></section>',
            f'<section class="more"><h2>Elsewhere</h2><ul class="shorts">{links}</ul></section>',
        ]
    )
    return catalogue(page, "Wexley online", "", lists, articles)
