"""A product grid: rows of three, with prices, ratings and stock, one row broken by a banner."""

# ruff: noqa: E501  (a line of markup stays a line, so that it can be found in the page)

from __future__ import annotations

from dataclasses import dataclass

from .dice import Dice
from .markup import attr, data, lines, part, text

PATH = "shop/grid.html"
HOST = "https://shop.example.com/"
URL = HOST + "grid.html"
A_ROW = 3
BANNER_AFTER_ROW = 4
LOW_STOCK = 5


@dataclass(frozen=True)
class Product:
    """A product; old is the price before a reduction, or ''."""

    brand: str
    name: str
    price: str
    old: str
    rating: float
    reviews: int
    stock: int


PRODUCTS = [
    Product("Fernhill", "Hand trowel, ash handle", "18.50", "", 4.7, 212, 40),
    Product("Fernhill", "Transplanting spade with measuring marks", "24.90", "29.90", 4.5, 98, 12),
    Product("Brockhouse", "Bypass secateurs No. 8", "42.00", "", 4.9, 611, 33),
    Product("Brockhouse", "Telescopic lopper, 65 to 98 cm", "57.50", "", 4.3, 74, 4),
    Product("Quarrier", "Galvanised watering can, 9 litres", "36.00", "", 4.8, 340, 21),
    Product("Quarrier", "Long-reach watering can with brass rose, 5 litres", "44.75", "49.75", 4.6, 129, 9),
    Product("Hollin & Sons", "Willow trug, medium", "31.20", "", 4.4, 57, 3),
    Product("Hollin & Sons", "Potting bench in larch, flat packed", "149.00", "", 4.2, 38, 7),
    Product("Loam", "Peat-free seed compost, 20 litres", "7.95", "", 4.1, 480, 200),
    Product("Loam", "Mycorrhizal root powder, 360 g", "11.40", "", 4.0, 66, 58),
    Product("Tolland", "Garden twine, jute, 250 metres", "6.20", "", 4.8, 903, 150),
    Product("Tolland", "Bamboo canes, 180 cm, bundle of twenty", "13.90", "", 3.9, 84, 26),
    Product("Nightjar", "Solar lantern for paths, set of four", "39.00", "52.00", 3.7, 151, 18),
    Product("Nightjar", "Weatherproof string lights, 10 metres", "27.30", "", 4.4, 233, 44),
    Product("Brockhouse", "Pruning saw, folding, 210 mm", "33.60", "", 4.9, 275, 15),
    Product("Quarrier", "Hose reel, wall mounted, 30 metres", "89.90", "", 4.2, 117, 2),
    Product("Fernhill", "Dibber with steel tip", "14.80", "", 4.6, 64, 31),
    Product("Loam", "Tomato feed from seaweed, 1 litre", "9.10", "", 4.5, 391, 96),
    Product("Hollin & Sons", "Bird table with slate roof", "74.00", "88.00", 4.7, 45, 5),
    Product("Nightjar", "Bat box, cedar, three chambers", "28.50", "", 4.8, 102, 19),
    Product("Tolland", "Horticultural fleece, 2 by 10 metres", "8.60", "", 4.0, 72, 61),
    Product("Quarrier", "Rain gauge, glass and copper", "21.00", "", 4.3, 88, 14),
    Product("Brockhouse", "Leather gauntlets, size 8 to 10", "34.25", "", 4.6, 198, 22),
    Product("Fernhill", "Kneeling board, recycled rubber", "16.40", "19.40", 4.2, 53, 37),
]

MENU = {
    "Garden tools": ["Digging", "Cutting", "Watering", "Lawn", "Sharpening", "Children’s tools"],
    "Seeds & bulbs": ["Vegetables", "Herbs", "Annuals", "Perennials", "Bulbs", "Wildflowers", "Green manure"],
    "Pots & beds": ["Terracotta", "Zinc", "Raised beds", "Window boxes", "Hanging baskets"],
    "Wildlife": ["Bird boxes", "Feeders", "Bees", "Bats", "Hedgehogs"],
    "Clothing": ["Boots", "Gloves", "Aprons", "Hats", "Waterproofs"],
    "Books": ["Growing", "Design", "Natural history", "Almanacs"],
    "Gifts": ["Under 10", "Under 25", "Sets", "Vouchers"],
}

FILTERS = {
    "Price": ["Under 10", "10 to 25", "25 to 50", "50 to 100", "Over 100"],
    "Brand": ["Brockhouse", "Fernhill", "Hollin & Sons", "Loam", "Nightjar", "Quarrier", "Tolland"],
    "Rating": ["4 stars and up", "3 stars and up", "Any rating"],
    "Material": [
        "Ash",
        "Bamboo",
        "Brass",
        "Cedar",
        "Copper",
        "Galvanised steel",
        "Jute",
        "Larch",
        "Leather",
        "Rubber",
        "Slate",
        "Stainless steel",
    ],
    "Delivery": ["Tomorrow", "Within three days", "Collect in shop"],
}

SCRIPT = """
var Basket={items:{},add:function(sku){this.items[sku]=(this.items[sku]||0)+1;this.draw();},
count:function(){var n=0;for(var k in this.items){n+=this.items[k];}return n;},
draw:function(){var el=document.getElementById('basket');if(el){el.textContent='Basket ('+this.count()+')';}}};
document.addEventListener('click',function(e){var b=e.target;if(b.tagName==='BUTTON'&&b.getAttribute('data-sku')){Basket.add(b.getAttribute('data-sku'));}});
var cardTemplate='<div class="item"><div class="item__name"></div></div>';for(var i=0;i<0;i++){document.write(cardTemplate+'</div>');}
"""


def sku(product: Product) -> str:
    """Return a product's number."""
    return f"G{Dice('sku', product.name).number(100000, 999999)}"


def picture(product: Product) -> str:
    """Return where a product's picture lies."""
    return f"shop/img/{sku(product).lower()}.svg"


def stars(rating: float) -> str:
    """Return a rating as five stars."""
    full = round(rating)
    return "★" * full + "☆" * (5 - full)


def stock(product: Product) -> str:
    """Return what the page says of a product's stock."""
    return f"Only {product.stock} left" if product.stock <= LOW_STOCK else "In stock"


def fields(product: Product) -> dict[str, str]:
    """Return a product's gold items, in the order in which they stand in the page."""
    found = {"flag": "Sale"} if product.old else {}
    found |= {"brand": product.brand, "name": product.name, "stars": stars(product.rating)}
    found |= {"reviews": f"{product.rating} ({product.reviews} reviews)", "price": f"£{product.price}"}
    if product.old:
        found["old_price"] = f"£{product.old}"
    return found | {"stock": stock(product)}


def write_item(product: Product) -> str:
    """Write one product."""
    dice, number = Dice("item", product.name), sku(product)
    href = f"{HOST}p/{number.lower()}?pos={dice.token(6)}"
    old = f'<span class="item__old">£{product.old}</span>' if product.old else ""
    low = " low" if product.stock <= LOW_STOCK else ""
    return lines(
        [
            f'<div class="item" data-sku="{number}" data-imp="{dice.token(14)}">{"<span class=item__flag>Sale</span>" if product.old else ""}'
            f'<a href="{href}"><img src="{picture(product).removeprefix("shop/")}" width="290" height="200" alt="{attr(product.name)}"></a>',
            f'<div class="item__brand">{text(product.brand)}</div><a class="item__name" href="{href}">{text(product.name)}</a>',
            f'<div><span class="item__stars" aria-hidden="true">{stars(product.rating)}</span> <span class="item__count">{product.rating} ({product.reviews} reviews)</span></div>',
            f'<div class="item__price">£{product.price}{old}</div><div class="item__stock{low}">{stock(product)}</div>',
            f'<button type="button" data-sku="{number}">Add to basket</button></div>',
        ]
    )


def grid() -> str:
    """Write the rows."""
    pieces = []
    for start in range(0, len(PRODUCTS), A_ROW):
        pieces += ['<div class="row">', *(write_item(product) for product in PRODUCTS[start : start + A_ROW]), "</div>"]
        if start // A_ROW + 1 == BANNER_AFTER_ROW:
            pieces.append(
                '<div class="banner"><b>Sharp for the season.</b> Bring any two blades to the shop in May and we grind the second one free. '
                f'<a href="{HOST}sharpening">How it works</a></div>'
            )
    return lines(pieces)


def menu() -> str:
    """Write the menu with its hidden second level."""
    items = []
    for n, (label, entries) in enumerate(MENU.items(), 1):
        subs = "".join(f'<li><a href="{HOST}c/{n}{m:02d}">{text(entry)}</a>' for m, entry in enumerate(entries, 1))
        items.append(f'<li><a href="{HOST}c/{n}00">{text(label)}</a><ul class="sub">{subs}</ul>')
    return f'<nav class="shop-nav"><ul>{"".join(items)}</ul></nav>'


def filters() -> str:
    """Write the filters at the left."""
    dice, groups = Dice("filters"), []
    for label, values in FILTERS.items():
        items = "".join(
            f'<li><label><input type="checkbox" name="{label.lower()}" value="{n}"> {text(value)} <small>({dice.number(2, 88)})</small></label>'
            for n, value in enumerate(values)
        )
        groups.append(f"<h3>{label}</h3><ul>{items}</ul>")
    return f'<aside class="filters">{"".join(groups)}</aside>'


def write_page() -> str:
    """Write the page."""
    dice = Dice("shop")
    settings = {
        "visitor": dice.token(32),
        "list": "garden-tools",
        "skus": [sku(product) for product in PRODUCTS],
        "currency": "GBP",
        "ts": dice.number(1715760000, 1715779999),
    }
    seen = "".join(
        f'<li><a href="{HOST}p/{sku(product).lower()}">{text(product.name)}</a></li>'
        for product in dice.sample(PRODUCTS, 4)
    )
    return lines(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><title>Garden tools | Moss &amp; Marrow</title>',
            f'<link rel="canonical" href="{URL}"><meta name="viewport" content="width=device-width"><meta name="csrf" content="{dice.token(40)}">',
            f"<style>{part('shop.css')}</style><script>var SHOP={data(settings)};{SCRIPT}</script></head><body>",
            '<div class="promo-strip">Free delivery over £50 &middot; Orders before two o&#8217;clock leave today</div>',
            f'<header class="shop-head"><a class="shop-head__logo" href="{HOST}">Moss &amp; Marrow</a><form action="{HOST}search"><input name="q" placeholder="Search 3,400 garden things"></form>'
            f'<span><a href="{HOST}account">Account</a> &nbsp; <a id="basket" href="{HOST}basket?s={dice.token(16)}">Basket (0)</a></span></header>',
            menu(),
            '<div class="page">',
            filters(),
            f'<main><p class="crumb"><a href="{HOST}">Home</a> / Garden tools</p><h1>Garden tools</h1>',
            f'<div class="sort"><span>1 to {len(PRODUCTS)} of 163 products</span><label>Sort by <select><option>Most popular<option>Price, low to high<option>Price, high to low<option>Newest</select></label></div>',
            grid(),
            "<div class=pages><b>1</b>"
            + "".join(f'<a href="{HOST}garden-tools?page={n}">{n}</a>' for n in range(2, 8))
            + "</div>",
            f'<section class="seen"><h2>You looked at</h2><ul>{seen}</ul></section></main></div>',
            '<div class="modal" id="wishlist"><h2>Sign in to keep a wish list</h2><p>It takes a minute, and we remember your sizes.</p></div>',
            '<footer class="shop-foot"><div><p>Moss &amp; Marrow, 3 Almoner&#8217;s Row, Wexley. Open Tuesday to Saturday, nine to half past five.</p>'
            "<p>Prices include VAT. Returns within sixty days, unused and with the label. &copy; 2011&ndash;2024 Moss &amp; Marrow Ltd.</p></div></footer>",
            "</body></html>",
        ]
    )
