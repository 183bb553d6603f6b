"""A search-result page: a result of each kind, an advertisement dressed as one, facets and a side panel."""

# ruff: noqa: E501  (a line of markup stays a line, so that it can be found in the page)

from __future__ import annotations

from dataclasses import dataclass

from .dice import Dice
from .markup import data, lines, part, text

PATH = "search/results.html"
HOST = "https://search.example.org/"
URL = HOST + "results.html?q=tide+tables+wexley"
QUERY = "tide tables wexley"


@dataclass(frozen=True)
class Hit:
    """A search result."""

    title: str
    address: str
    date: str
    snippet: str
    links: tuple[str, ...] = ()


HITS = [
    Hit("Wexley Harbour: tide tables 2024", "harbour.example.org › tides › wexley", "2 Jan 2024",
        "High and low water at Wexley for every day of the year, in local time, with heights above chart datum. Free to print on four sheets.",
        ("January to March", "April to June", "Corrections")),
    Hit("How to read a tide table | Halyard Sailing School", "halyard.example.com › learn › tides", "18 Mar 2023",
        "Springs, neaps and the rule of twelfths explained with a bathtub. What the figures mean, and why they are wrong when the wind is in the north."),
    Hit("Seal in the lido closes the slow lane", "news.example.org › 2024 › 05", "15 May 2024",
        "Staff believe the animal slipped in over the outer wall on the spring tide, which will not be as high again before the 23rd of May."),
    Hit("Tides and currents in the Race of Corran (PDF)", "pilot.example.org › publications › np-114.pdf", "Oct 2021",
        "Pilotage notes for small craft. Slack water lasts eleven minutes at neaps and does not exist at springs. Chartlets on pages 12 to 19."),
    Hit("Tide gauge WEX1, live reading", "gauges.example.org › wex1", "Today",
        "Water level 3.42 m and rising. Predicted high water 17.06. The gauge was moved to the new linkspan in February and reads two centimetres high.",
        ("Graph of the last week", "Download readings")),
    Hit("Mudlarking on the Wexley foreshore: permits and times", "council.example.org › foreshore", "9 Apr 2024",
        "You need a permit to dig, none to look. Go down two hours before low water and be back on the steps when the church strikes the hour."),
    Hit("Why the almanac and the app disagree", "salt-and-splinters.example.com › blog › almanac-vs-app", "27 Nov 2023",
        "I compared a year of predictions from the printed tables with four telephone apps. The worst was out by fifty minutes, and it is the popular one."),
    Hit("Tide tables for fishermen and walkers, pocket edition", "books.example.com › isbn › tables-pocket", "2024",
        "72 pages, stapled, fits a shirt pocket. Includes sunrise, moon phases and a list of slipways between Corran Head and Port Adele. 4.95, in stock."),
    Hit("Storm surge of 1953: the night the tables were wrong", "archive.example.org › essays › surge", "31 Jan 2013",
        "The printed height for Wexley that night was 4.1 metres. The mark scratched on the wall of the Customs House is at 6.3."),
    Hit("Harmonic constants for secondary ports", "hydro.example.org › data › constants", "5 Jun 2022",
        "Amplitude and phase of 37 constituents for 214 stations, as plain text. Wexley is station 0871; the record starts in 1911 with two gaps."),
    Hit("Bus to Hollin Sands: service depends on the tide", "transport.example.org › routes › t1", "1 Apr 2024",
        "Route T1 crosses the causeway and runs only when it is dry. Timetables are printed for a month at a time, from the harbour’s own tables."),
    Hit("Ask the harbour master: your questions about high water", "forum.example.org › board › harbour", "22 Feb 2024",
        "Is there a tide table for the canal? Why are there two high waters on some days at the bridge? Captain Adair answers 31 questions."),
]  # fmt: skip

PROMOS = [
    (
        "Tide clocks in solid brass",
        "clocks.example.com › sale",
        "Made to order, set for your harbour before dispatch. Free delivery this week.",
    ),
    (
        "Waterproof watches with tide display",
        "wrist.example.com › tide",
        "Over 40 models from 79.00. Change of strap included, returns for 60 days.",
    ),
]

QUESTIONS = [
    "What time is high tide at Wexley today?",
    "How long after high tide is low tide?",
    "Are tide tables accurate?",
    "What is chart datum?",
]
SEARCHES = [
    "tide times tomorrow",
    "wexley harbour webcam",
    "spring tide may 2024",
    "hollin sands causeway times",
    "sea temperature wexley",
    "moon phase calendar",
]
FACETS = {
    "Time": ["Any time", "Past day", "Past week", "Past month", "Past year", "Custom range"],
    "Kind": ["Everything", "Tables", "News", "Forums", "Books", "PDF documents"],
    "Place": ["Anywhere", "Wexley", "Corran", "Port Adele", "Hollin"],
    "Language": ["English", "Any language", "Norwegian", "Dutch"],
}
TABS = ["All", "Pictures", "News", "Maps", "Videos", "Shopping", "Books"]
TODAY = [
    ("Low water", "04.51", "0.9 m"),
    ("High water", "11.02", "5.2 m"),
    ("Low water", "17.14", "1.0 m"),
    ("High water", "23.25", "5.4 m"),
]
MORE = [
    "Settings",
    "Languages",
    "Safe search",
    "Advanced search",
    "Search history",
    "Help",
    "Send feedback",
    "Dark theme",
    "Voice",
    "Cookies",
]

SCRIPT = """
(function(){
  var start=Date.now(), seen={}, pending=[];
  function log(kind,key){ if(seen[kind+key]){return;} seen[kind+key]=1; pending.push(kind+':'+key+':'+(Date.now()-start)); }
  function closest(node,name){ while(node&&node.nodeType===1){ if((' '+node.className+' ').indexOf(' '+name+' ')>-1){return node;} node=node.parentNode; } return null; }
  document.addEventListener('click',function(event){
    var hit=closest(event.target,'hit'), menu=document.getElementById('more-menu');
    if(hit){ log('click',hit.getAttribute('data-ved')); }
    if(event.target.id==='more-button'){ menu.style.display=menu.style.display==='block'?'none':'block'; }
  });
  window.addEventListener('scroll',function(){
    var hits=document.querySelectorAll('.hit');
    for(var i=0;i<hits.length;i++){ if(hits[i].getBoundingClientRect().top<window.innerHeight){ log('view',hits[i].getAttribute('data-ved')); } }
  });
  window.SEARCH={suggest:function(q,done){ var box='<ul class="s"><li>'+q+'</li></ul></div>'; if(q.length<2){done('');}else{done(box);} }, pending:pending};
}());
"""


def fields(hit: Hit) -> dict[str, str]:
    """Return a result's gold items, in the order in which they stand in the page."""
    found = {"url": hit.address, "title": hit.title, "date": hit.date, "snippet": hit.snippet}
    if hit.links:
        found["links"] = " ".join(hit.links)
    return found


def marked(words: str) -> str:
    """Escape a text and set the query's words in em."""
    return text(words).replace("tide table", "<em>tide table</em>").replace("Wexley", "<em>Wexley</em>")


def address(hit: Hit) -> str:
    """Return the link of a result, made from the crumbs it shows."""
    return "https://" + hit.address.replace(" › ", "/")


def write_hit(hit: Hit, rank: int) -> str:
    """Write a result."""
    dice = Dice("hit", rank)
    links = "".join(f'<li><a href="{address(hit)}#{dice.token(4)}">{text(label)}</a>' for label in hit.links)
    return lines(
        [
            f'<div class="hit" data-ved="{dice.token(22)}" data-rank={rank}><div class="hit__crumb"><cite>{text(hit.address)}</cite></div>',
            f'<h3><a href="{address(hit)}" ping="{HOST}url?sa={dice.token(10)}">{text(hit.title)}</a></h3>',
            f'<p class="hit__snip"><span class="hit__date">{hit.date}</span> &mdash; {marked(hit.snippet)}</p>',
            f'<ul class="hit__links">{links}</ul>' if links else "",
            f'<div class="menu-more" id="m{dice.token(8)}"><a href="{HOST}cache?k={dice.token(16)}">Cached copy</a><a href="{HOST}about?r={dice.token(8)}">'
            "About this result</a></div></div>",
        ]
    )


def promo(number: int) -> str:
    """Write an advertisement that looks much like a result."""
    title, shown, words = PROMOS[number]
    dice = Dice("promo", number)
    return (
        f'<div class="promo" data-ved="{dice.token(22)}"><div class="hit__crumb"><b class="tag">Ad</b>{text(shown)}</div>'
        f'<h3><a href="https://ads.example.com/aclk?sa={dice.token(30)}">{text(title)}</a></h3><p>{text(words)}</p></div>'
    )


def ask() -> str:
    """Write the box of questions other people ask."""
    boxes = "".join(
        f'<details id="q{Dice("ask", question).token(6)}"><summary>{text(question)}</summary></details>'
        for question in QUESTIONS
    )
    return f'<div class="ask"><h3>People also ask</h3>{boxes}</div>'


def facets() -> str:
    """Write the filters at the left."""
    groups = []
    for label, values in FACETS.items():
        items = "".join(
            f'<li><a href="{HOST}results?q=tide+tables+wexley&amp;f={n}">{value}</a>' for n, value in enumerate(values)
        )
        groups.append(f"<h4>{label}</h4><ul>{items}</ul>")
    return f'<nav class="facets">{"".join(groups)}</nav>'


def panel() -> str:
    """Write the panel at the right: today's tides, which are no search results."""
    rows = "".join(f"<tr><td>{kind}<td>{time}<td>{height}" for kind, time, height in TODAY)
    return (
        f'<aside class="panel"><h2>Wexley</h2><p>Harbour town, 48,200 people</p><table>{rows}</table>'
        "<p>Heights above chart datum. Not to be used for navigation.</p></aside>"
    )


def write_page() -> str:
    """Write the page."""
    dice = Dice("search")
    settings = {
        "ei": dice.token(24),
        "sxsrf": dice.token(40),
        "q": QUERY,
        "t": dice.number(1715760000, 1715779999),
        "ab": [dice.token(6) for _ in range(12)],
    }
    results = [write_hit(hit, rank) for rank, hit in enumerate(HITS, 1)]
    results.insert(8, promo(1))
    results.insert(3, ask())
    numbers = "".join(f'<a href="{HOST}results?q=tide+tables+wexley&amp;start={n}0">{n + 1}</a>' for n in range(1, 10))
    return lines(
        [
            "<!doctype html>",
            f'<html lang="en" data-ei="{dice.token(20)}"><head><meta charset="utf-8"><title>{QUERY} - Lodestar Search</title>',
            '<meta name="robots" content="noindex"><meta name="referrer" content="origin">',
            f"<style>{part('search.css')}</style>",
            f'<script nonce="{dice.token(16)}">window.CONFIG={data(settings)};{SCRIPT}</script></head><body>',
            part("en_sprite.svg"),
            f'<header class="head"><a class="head__logo" href="{HOST}">Lodestar</a><form action="{HOST}results"><input name="q" value="{QUERY}" aria-label="Search">'
            f'<input type="hidden" name="sxsrf" value="{dice.token(40)}"><button>Search</button></form><a href="{HOST}login">Sign in</a></header>',
            '<ul class="tabs">'
            + "".join(
                f'<li{" class=on" if tab == "All" else ""}><a href="{HOST}{tab.lower()}">{tab}</a></li>' for tab in TABS
            ),
            '<li id="more-button">More</li></ul><div class="menu-more" id="more-menu">'
            + "".join(f'<a href="{HOST}{entry.lower().replace(" ", "-")}">{entry}</a>' for entry in MORE)
            + "</div>",
            f'<div class="main">{facets()}<div class="centre"><p class="stats">About 41,300 results (0.{dice.number(18, 61)} seconds)</p>',
            promo(0),
            '<h2 class="vh">Search results</h2><div id="results">',
            *results,
            "</div>",
            "<h3>Searches like this one</h3>",
            '<ul class="also">'
            + "".join(f'<li><a href="{HOST}results?q={query.replace(" ", "+")}">{query}</a></li>' for query in SEARCHES)
            + "</ul>",
            f'<div class="pager"><b>1</b>{numbers}<a href="{HOST}results?q=tide+tables+wexley&amp;start=10">Next</a></div></div>',
            panel(),
            "</div>",
            f'<footer class="bottom"><p>Wexley, from your address &middot; <a href="{HOST}location?{dice.token(8)}">Update location</a></p>'
            f'<a href="{HOST}about">About</a><a href="{HOST}privacy">Privacy</a><a href="{HOST}terms">Terms</a><a href="{HOST}business">Advertising</a>'
            "&copy; 2024 Lodestar Search</footer>",
            "</body></html>",
        ]
    )
