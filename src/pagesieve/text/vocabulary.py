"""Words that pages use for one thing, by language: lists to go through, and to add to.

Each entry is a regular expression, mostly a word or the stem of one; `pattern_of` joins the entries of a list. The keys
are language codes of ISO 639; `""` has what belongs to no language.
"""

Words = dict[str, tuple[str, ...]]


def pattern_of(words: Words) -> str:
    """Return a regular expression that matches any of some words, without a group around it."""
    return "|".join(entry for entries in words.values() for entry in entries)


# Lists that go on on other pages

# How a button to the next page begins.
NEXT: Words = {
    "en": ("next", "older", "more recent", "load more"),
    "de": ("weiter", "nächste", "ältere"),
    "fr": ("suivant",),
    "es": ("siguiente", "anteriores", "entradas antiguas"),
    "pt": ("próxim", "proxim", "seguinte"),
    "it": ("successiv", "avanti"),
    "nl": ("volgende",),
    "sv": ("nästa",),
    "da": ("næste",),
    "no": ("neste",),
    "pl": ("następn",),
    "cs": ("další",),
    "ru": ("следующ", "дальше", "далее"),
    "uk": ("наступн",),
    "tr": ("sonraki",),
    "el": ("επόμεν",),
    "zh": ("下一页", "下一頁", "下页", "下頁"),
    "ja": ("次へ", "次の"),
    "ko": ("다음",),
    "ar": ("التالي",),
    "he": ("הבא",),
    "hi": ("अगला",),
    "th": ("ถัดไป",),
    "vi": ("tiếp",),
    "id": ("berikut",),
}
# Texts of links that lead through a list.
PAGER: Words = {
    "en": (
        r"(?:go to )?(?:the )?(?:(?:next|prev|previous)(?: page| results?| \d+)?|(?:first|last) page)",
        *("older", "newer", "(?:load|show|see) more", "more results", "back to top"),
    ),
    "de": ("weiter", "zurück", "nächste(?: seite)?", "vorherige(?: seite)?", "mehr anzeigen"),
    "fr": ("suivante?", "précédente?", "page suivante", "page précédente"),
    "es": ("siguiente", "anterior"),
    "pt": ("próxim[ao]", "seguinte"),
    "it": ("successiv[ao]", "precedente", "avanti", "indietro"),
    "nl": ("volgende", "vorige"),
    "sv": ("nästa", "föregående"),
    "da": ("næste", "forrige"),
    "no": ("neste",),
    "fi": ("seuraava", "edellinen"),
    "pl": ("następna", "poprzednia"),
    "cs": ("další", "předchozí"),
    "ru": ("следующая", "предыдущая", "вперед", "вперёд", "назад", "далее"),
    "uk": ("наступна", "попередня"),
    "tr": ("sonraki", "önceki"),
    "el": ("επόμενη", "προηγούμενη"),
    "zh": (
        *("上一[页頁]", "下一[页頁]", "上[页頁]", "下[页頁]", "首[页頁]", "尾[页頁]", "末[页頁]"),
        *("加载更多", "查看更多", "返回顶部", r"共\s*\d+\s*[页頁条條]"),
    ),
    "ja": ("前へ", "次へ", "前のページ", "次のページ"),
    "ko": ("이전", "다음"),
    "ar": ("التالي", "السابق"),
    "he": ("הבא", "הקודם"),
    "hi": ("अगला", "पिछला"),
    "th": ("ถัดไป", "ก่อนหน้า"),
    "vi": ("tiếp", "trước"),
    "id": ("berikutnya", "selanjutnya", "sebelumnya"),
}

# Prices

# Before a price where it is the least of several.
FROM: Words = {
    "en": ("from",),
    "de": ("ab",),
    "fr": ("dès", r"à\spartir\sde"),
    "es": ("desde", r"a\spartir\sde"),
    "it": ("da",),
    "nl": ("vanaf",),
    "sv": ("från", r"fr\."),
    "no": ("fra",),
    "fi": ("alkaen",),
    "pl": ("od",),
    "ru": ("от",),
    "uk": ("від",),
    "el": ("από",),
}
# Before any price: what it was, what it is for.
BEFORE_PRICE: Words = {
    **FROM,
    "en": (
        *("from", "was", "now", "sale", r"reg\.?", "regular", r"orig\.?", "original", "list", "only", "rrp", "msrp"),
        *("save", r"your\schoice", "special", "current", "price", "starting at"),
    ),
    "de": ("ab", "statt", "nur", "jetzt", "uvp", r"(?:alter\s)?preis"),
    "fr": (*FROM["fr"], "prix"),
    "es": (*FROM["es"], "precio", "antes", "ahora", "preço", "por"),
    "it": (*FROM["it"], "prezzo"),
    "nl": (*FROM["nl"], "nu", "prijs"),
    "pl": (*FROM["pl"], "cena"),
    "ru": (*FROM["ru"], "цена", "до"),
}
# After a price: whether it includes taxes.
WITH_TAXES: Words = {
    "en": (r"(?:inc|incl|ex|excl)\.?\s(?:vat|gst|tax)",),
    "de": (r"(?:inkl|zzgl)\.?\sMwSt\.?", "brutto", "netto"),
    "fr": ("ttc", "ht"),
    "ja": (r"\(?税込み?\)?", r"\(?税抜き?\)?"),
}
# Between a price and its unit.
PER: Words = {"en": (r"per\s", r"an?\s"), "de": (r"pro\s", r"je\s"), "fr": (r"la\s", r"le\s"), "ru": (r"за\s",)}
FREE: Words = {"en": ("free",), "de": ("gratis", "kostenlos"), "fr": ("gratuit",)}

# Numbers

# After a number. Percent signs are not among them, since progress bars have them, nor days and months, since buttons
# for a period have them.
UNITS: Words = {
    "": (
        *("[kmµ]?g", "[cdhm]?l", "[cdkmn]?m", "[ckm]?m[²2³3]", "km/h", "°[cf]?", "[kmgt]i?b", "[kmgt]bit/s"),
        *("[kmg]?hz", "[km]?wh?", "m?ah", "hp", "ps", "min", "sec", "hrs?"),
    ),
    "en": (
        *("lbs?", "oz", "fl oz", "ft", "sq ?ft", "sqft", "inch(?:es)?", "mi", "miles?", "mph", "mpg", "gal"),
        *("seconds?", "mins", "minutes?", "hours?"),
    ),
    "de": ("std", "stunden?", "minuten?"),
    "fr": ("heures?",),
    "es": ("horas?", "minutos?"),
    "ru": ("кг", "г", "м[²2]?", "км", "см", "мин", "ч"),
    "zh": ("平方米", "㎡", "公里", "分钟", "小时"),
    "ja": ("分", "時間"),
}

# Ratings

# Between a rating and the best one, as in "4 of 5".
OUT_OF: Words = {
    "": ("/",),
    "en": (r"out\sof", "of"),
    "de": ("von",),
    "fr": ("sur",),
    "es": ("de",),
    "it": ("su",),
    "nl": ("van",),
    "sv": ("av",),
    "pl": ("z",),
    "ru": ("из",),
}
STARS: Words = {
    "en": ("stars?",),
    "de": ("sterne?n?",),
    "fr": ("étoiles?",),
    "es": ("estrellas?", "estrelas?"),
    "it": ("stell[ae]",),
    "nl": ("sterren", "ster"),
    "sv": ("stjärnor",),
    "pl": ("gwiazd(?:ki|ek)",),
    "ru": ("зв[её]зд[аы]?",),
}
# Before a rating.
RATED: Words = {"en": ("rat(?:ed|ing)", "stars?"), "de": ("bewertung", "bewertet", "note")}

# How the names of what pages count begin.
COUNTED: Words = {
    "en": (
        *("view", "repl", "comment", "review", "rating", "vote", "like", "answer", "result", "post", "item", "point"),
        *("bid", "sold", "download", "play", "follower", "member", "topic", "share", "user", "people", "read", "click"),
        *("reaction", "subscriber", "visit", "order", "purchase", "left", r"in\sstock", "page", "note", "photo"),
        *("image", "video", "song", "track", "episode", "chapter", "word", "colou?r", "watching", "offer", "propert"),
    ),
    "de": ("kommentar", "antwort", "aufruf", "bewertung", "beitr", "seiten", "bilder", "rezension", "stimme"),
    "fr": ("commentaire", "vue", "avis", "réponse", "message"),
    "es": (
        "comentario",
        "vista",
        "opini",
        "respuesta",
        "voto",
        "foto",
        "página",
        "reseña",
        "valoraci",
        "avaliaç",
        "avaliac",
    ),
    "it": ("commenti", "visualizza", "recension", "visitator", "valutazion"),
    "nl": ("opmerking", "reactie", "beoordeling"),
    "sv": ("omdöme", "visning", "anmeldelse", "kommenter"),
    "fi": ("arvostelu", "vastaus"),
    "pl": ("opini", "komentarz", "ocen", "wyświetle"),
    "cs": ("hodnocen", "recenz"),
    "tr": ("yorum", "değerlendirme", "görüntüle"),
    "id": ("ulasan", "komentar", "terjual"),
    "vi": ("đánh giá", "bình luận", "lượt xem"),
    "ru": ("ответ", "просмотр", "отзыв", "коммент", "сообщен", "голос", "оцен"),
    "uk": ("відгук", "коментар", "перегляд"),
    "zh": (
        *("回复", "回覆", "评论", "評論", "浏览", "查看", "阅读", "点击", "人", "条", "條", "个", "個", "次", "件"),
        *("票", "赞", "篇"),
    ),
    "ja": ("レビュー", "回", "件", "個の評価"),
    "ko": ("댓글", "조회", "개", "리뷰", "명"),
}

# What stands before the name of an author.
BY: Words = {
    "en": (r"(?:posted |written |asked |answered |submitted |started )?by",),
    "de": ("von",),
    "fr": ("par",),
    "es": ("por",),
    "it": ("di",),
    "nl": ("door",),
    "pl": ("autor",),
    "ru": ("автор",),
    "zh": ("作者",),
}

# How the words of buttons begin.
ACTIONS: Words = {
    "en": (
        *(
            "add",
            "buy",
            "shop",
            "quick",
            "view",
            "see",
            "show",
            "read",
            "learn",
            "load",
            "play",
            "more",
            "less",
            "next",
        ),
        *("prev(?:ious)?", "follow", "unfollow", "subscribed?", "unsubscribe", "share", "reply", "report", "compare"),
        *("contact", "chat", "leave", "select", "choose", "expand", "close", "order", "pre-?order", "sign", "log"),
        *("click", "save", "email", "print", "download", "like", "edit", "delete", "cached", "text version", "similar"),
    ),
    "de": ("mehr", "weiter", "teilen", "kaufen", "in den"),
    "fr": ("voir", "lire", "ajouter", "acheter"),
    "es": ("ver", "leer", "comprar", "añadir"),
    "zh": ("更多", "查看", "分享", "收藏", "举报", "回复", "加入", "购买"),
}
