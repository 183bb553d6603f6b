"""HTML of what stands around articles: teasers, boxes of links, the next article, comments.

Pages differ in how they write these, so everything is drawn from several forms, plain ones among them: a model must not
learn the forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from random import Random

from research.apart import Article, Dress, Paragraph

# "Related", "next", "comments", "by", "read more", by language; English where a language is not here.
LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "related": ("You may also like", "Related", "Latest", "More stories", "Read also", "Most read", "Recommended"),
        "next": ("Next story", "Up next", "Next article", "Continue reading"),
        "comments": ("Comments", "Leave a reply", "What readers say"),
        "more": ("Read more", "More", "Full story"),
        "by": ("By",),
    },
    "de": {
        "related": ("Das könnte Sie auch interessieren", "Mehr zum Thema", "Aktuell", "Meistgelesen", "Lesen Sie auch"),
        "next": ("Nächster Artikel", "Weiterlesen"),
        "comments": ("Kommentare", "Lesermeinungen"),
        "more": ("Mehr", "Weiterlesen"),
        "by": ("Von",),
    },
    "fr": {
        "related": ("À lire aussi", "Sur le même sujet", "Les plus lus", "Vous aimerez aussi", "Articles récents"),
        "next": ("Article suivant",),
        "comments": ("Commentaires", "Vos réactions"),
        "more": ("Lire la suite", "En savoir plus"),
        "by": ("Par",),
    },
    "es": {
        "related": ("También te puede interesar", "Noticias relacionadas", "Lo más leído", "Últimas noticias"),
        "next": ("Siguiente noticia", "Siguiente artículo"),
        "comments": ("Comentarios",),
        "more": ("Leer más", "Seguir leyendo"),
        "by": ("Por",),
    },
    "it": {
        "related": ("Leggi anche", "Potrebbe interessarti", "Articoli correlati", "I più letti"),
        "next": ("Articolo successivo",),
        "comments": ("Commenti",),
        "more": ("Leggi tutto", "Continua"),
        "by": ("Di",),
    },
    "pt": {
        "related": ("Leia também", "Notícias relacionadas", "Mais lidas", "Últimas"),
        "next": ("Próxima notícia",),
        "comments": ("Comentários",),
        "more": ("Leia mais",),
        "by": ("Por",),
    },
    "nl": {
        "related": ("Lees ook", "Meer nieuws", "Meest gelezen"),
        "next": ("Volgend artikel",),
        "comments": ("Reacties",),
        "more": ("Lees meer",),
        "by": ("Door",),
    },
    "pl": {
        "related": ("Zobacz także", "Czytaj też", "Polecane", "Najnowsze"),
        "next": ("Następny artykuł",),
        "comments": ("Komentarze",),
        "more": ("Czytaj więcej", "Więcej"),
        "by": ("Autor:",),
    },
    "ru": {
        "related": ("Читайте также", "Похожие материалы", "Последние новости", "Самое читаемое"),
        "next": ("Следующая новость",),
        "comments": ("Комментарии",),
        "more": ("Подробнее", "Читать далее"),
        "by": ("Автор:",),
    },
    "el": {
        "related": ("Διαβάστε επίσης", "Σχετικά άρθρα", "Δημοφιλή"),
        "next": ("Επόμενο άρθρο",),
        "comments": ("Σχόλια",),
        "more": ("Περισσότερα",),
        "by": ("Του",),
    },
    "zh": {
        "related": ("相关阅读", "相关新闻", "推荐阅读", "热门文章", "猜你喜欢"),
        "next": ("下一篇",),
        "comments": ("评论", "网友评论"),
        "more": ("阅读全文", "更多"),
        "by": ("作者:",),
    },
    "ja": {
        "related": ("関連記事", "おすすめ記事", "あわせて読みたい", "最新記事"),
        "next": ("次の記事",),
        "comments": ("コメント",),
        "more": ("続きを読む", "もっと見る"),
        "by": ("文:",),
    },
    "ar": {
        "related": ("اقرأ أيضا", "مواضيع ذات صلة", "الأكثر قراءة"),
        "next": ("الخبر التالي",),
        "comments": ("تعليقات",),
        "more": ("المزيد", "اقرأ المزيد"),
        "by": ("بقلم",),
    },
    "tr": {
        "related": ("İlgili haberler", "Bunlar da ilginizi çekebilir", "Son haberler"),
        "next": ("Sonraki haber",),
        "comments": ("Yorumlar",),
        "more": ("Devamını oku",),
        "by": ("Yazan:",),
    },
}
# Names of classes, with "" for none and some that say nothing.
RELATED_CLASSES = (
    "related",
    "more-stories",
    "recommended",
    "latest",
    "teasers",
    "widget",
    "box",
    "list",
    "col-md-8",
    "",
)
CARD_CLASSES = ("card", "teaser", "item", "post", "story", "entry", "media", "")
BODY_CLASSES = ("article-body", "entry-content", "content", "story", "text", "post", "")
COMMENT_CLASSES = ("comments", "comment-list", "responses", "discussion", "replies", "")
SEPARATORS = ("<hr>", '<div class="separator"></div>', '<div class="ad">Advertisement</div>', "", "", "")
NAMES = ("Anna", "Peter K.", "mike72", "J. Costa", "Guest", "Olga", "sam_w", "Lee", "Marie", "Tom B.")

MIN_SENTENCES, MAX_SENTENCES = 1, 2
MAX_PARAGRAPHS = 6  # of a teaser with a whole text
TEASERS = (2, 7)
LINKS = (1, 5)
COMMENTS = (2, 8)

_END = r"[\"”’»)]*(?=\s|$)"
_SENTENCE = re.compile(rf"[.!?…]{{2,}}{_END}|.+?(?:(?<![.!?…])[.!?…]+{_END}|[。！？]+[」』”]*|$)", re.DOTALL)


def say(kind: str, lang: str | None, rng: Random) -> str:
    """Return a label of some kind in a language."""
    return rng.choice(LABELS.get((lang or "en").split("-")[0], LABELS["en"])[kind])


def next_article(article: Article, dress: Dress, lang: str | None, rng: Random) -> str:
    """Return an article in full, in its own markup or in that of the page's first one, perhaps with a label above."""
    own = article.whole is not None and rng.random() < 0.5
    inner = _renamed(str(article.whole), rng) if own else _dressed(article, dress, rng)
    label = f"<div{_class(rng, ('next', 'label', ''))}>{say('next', lang, rng)}</div>"
    return rng.choice(SEPARATORS) + (label if rng.random() < 0.3 else "") + inner


def _renamed(html: str, rng: Random) -> str:
    """Return an article with its h1 as it is, or as an h2."""
    return html if rng.random() < 0.5 else re.sub(r"(</?)h1(?=[\s>])", r"\1h2", html)


def _dressed(article: Article, dress: Dress, rng: Random) -> str:
    """Return an article in the tags of another."""
    plain = (rng.choice(("<article>", "<div>", "<section>")), f"<div{_class(rng, BODY_CLASSES)}>")
    shell = dress.shell or plain
    above = dress.headline or "<h1>"
    if rng.random() < 0.4 or _name(above) in ("div", "span", "p"):
        above = rng.choice(("<h1>", "<h2>"))
    heading = f"{above}{_linked(escape(article.headline), rng, 0.3)}{_close(above)}{_byline(article, rng)}"
    if len(shell) == 1:
        return shell[0] + heading + _paragraphs(article.paragraphs, dress.paragraph) + _close(shell[0])
    inner = "".join(shell[1:]) + _paragraphs(article.paragraphs, dress.paragraph)
    return shell[0] + heading + inner + "".join(map(_close, shell[::-1]))


def _paragraphs(paragraphs: Sequence[Paragraph], opened: str) -> str:
    parts = []
    for is_list, run in groupby(paragraphs, key=lambda each: each.tag == "li"):
        inner = "".join(_element(each, opened) for each in run)
        parts.append(f"<ul>{inner}</ul>" if is_list else inner)
    return "".join(parts)


def _element(paragraph: Paragraph, opened: str) -> str:
    if paragraph.tag == "p":
        return opened + paragraph.html + _close(opened)
    return f"<{paragraph.tag}>{paragraph.html}</{paragraph.tag}>"


def _byline(article: Article, rng: Random) -> str:
    """Return author and date, where they are known."""
    gold = article.gold
    parts = [f"{say('by', gold.lang, rng)} {escape(gold.author)}"] if gold.author else []
    parts += [f"<time>{escape(gold.date)}</time>"] if gold.date else []
    return f"<div{_class(rng, ('byline', 'meta', 'author', ''))}>{' | '.join(parts)}</div>" if parts else ""


def short_teasers(articles: Sequence[Article], lang: str | None, rng: Random) -> str:
    """Return a box of teasers as they stand before an article: a headline each, with a paragraph below at most."""
    return _teasers(articles, rng.choice(("none", "sentences", "sentences", "paragraph")), lang, rng)


def teasers(articles: Sequence[Article], lang: str | None, rng: Random) -> str:
    """Return a box of teasers: a headline each, with nothing, some sentences, a paragraph or a whole text below."""
    return _teasers(articles, rng.choice(("none", "sentences", "sentences", "paragraph", "whole")), lang, rng)


def _teasers(articles: Sequence[Article], amount: str, lang: str | None, rng: Random) -> str:
    outer, each, heading = rng.choice(
        (("div", "div", "h3"), ("section", "article", "h3"), ("ul", "li", "h4"), ("div", "article", "h2"))
    )
    card, body = _class(rng, CARD_CLASSES), rng.choice(("p", "div"))
    more = f'<a href="#">{say("more", lang, rng)}</a>' if rng.random() < 0.3 else ""
    image = '<img src="thumb.jpg" alt="">' if rng.random() < 0.4 else ""
    items = []
    for article in articles:
        title = f"<{heading}>{_linked(escape(article.headline), rng, 0.9)}</{heading}>"
        texts = "".join(f"<{body}>{text}</{body}>" for text in _taste(article, amount, rng))
        items.append(f"<{each}{card}>{image}{title}{texts}{more}</{each}>")
    return _labelled(f"<{outer}{_class(rng, RELATED_CLASSES)}>{''.join(items)}</{outer}>", "related", lang, rng)


def _taste(article: Article, amount: str, rng: Random) -> list[str]:
    """Return as much of an article as its teaser shows, paragraph by paragraph."""
    texts = [each for each in article.paragraphs if each.tag == "p"] or list(article.paragraphs)
    if amount == "none":
        return []
    if amount == "whole":
        return [each.html for each in texts[:MAX_PARAGRAPHS]]
    if amount == "paragraph":
        return [texts[0].html]
    return [escape(" ".join(list(_sentences(texts[0].text))[: rng.randint(MIN_SENTENCES, MAX_SENTENCES)]))]


def _sentences(text: str) -> Iterator[str]:
    return (sentence for found in _SENTENCE.finditer(text) if (sentence := found.group().strip()))


def links(articles: Sequence[Article], lang: str | None, rng: Random) -> str:
    """Return a box of headlines that are links, as they stand amid articles."""
    if len(articles) == 1 and rng.random() < 0.5:
        link = _linked(escape(articles[0].headline), rng, 1.0)
        return f"<p{_class(rng, RELATED_CLASSES)}>{say('related', lang, rng)}: {link}</p>"
    items = "".join(f"<li>{_linked(escape(article.headline), rng, 1.0)}</li>" for article in articles)
    outer = rng.choice(("div", "aside", "section"))
    box = _labelled(f"<ul>{items}</ul>", "related", lang, rng)
    return f"<{outer}{_class(rng, RELATED_CLASSES)}>{box}</{outer}>"


def comments(articles: Sequence[Article], lang: str | None, rng: Random) -> str:
    """Return a paragraph of each article as the comment of a reader."""
    texts = [rng.choice(article.paragraphs).text for article in articles]
    outer, each = rng.choice((("div", "div"), ("ol", "li"), ("section", "article"), ("ul", "li")))
    names = [rng.choice(NAMES) for _ in texts]
    own = _class(rng, ("comment", "reply", "response", "item", ""))
    items = (
        f"<{each}{own}><div><b>{name}</b> <span>{rng.randint(1, 23)}:{rng.randint(10, 59)}</span></div>"
        f"<p>{escape(text)}</p></{each}>"
        for name, text in zip(names, texts, strict=True)
    )
    return _labelled(f"<{outer}{_class(rng, COMMENT_CLASSES)}>{''.join(items)}</{outer}>", "comments", lang, rng)


def _labelled(html: str, kind: str, lang: str | None, rng: Random) -> str:
    """Return a box below its label, or now and then without one."""
    if rng.random() < 0.15:
        return html
    tag = rng.choice(("h2", "h3", "h4", "div", "p", "span"))
    return f"<div><{tag}>{say(kind, lang, rng)}</{tag}>{html}</div>"


def _linked(html: str, rng: Random, likely: float) -> str:
    return f'<a href="/{rng.randint(1000, 99999)}">{html}</a>' if rng.random() < likely else html


def _class(rng: Random, names: Sequence[str]) -> str:
    name = rng.choice(names)
    return f' class="{name}"' if name else ""


def _name(opened: str) -> str:
    return opened.strip("<>").split()[0]


def _close(opened: str) -> str:
    return f"</{_name(opened)}>"
