"""Distinguish the main list of a page from the lists beside it: most read, related, recommended."""

import re
from typing import Any

from pagesieve.page import kernel
from pagesieve.page.table import Page

# Headings above links that are not in the main list.
_BESIDE = re.compile(
    r"\b(?:most (?:read|popular|viewed|shared|commented|discussed|recent|watched)|popular|trending|related|recommended|"
    r"recommendations|you (?:may|might)|top (?:posts|stories|news|articles)|(?:recent|latest|hot) comments|"
    r"recent (?:posts|entries|articles)|more (?:from|on|in)\b|editor.?s.? (?:picks?|choice)|don.t miss|"
    r"meistgelesen|beliebt|empfohlen|ähnliche|verwandte|das könnte|neueste (?:beiträge|kommentare)|"
    r"les? plus (?:lus?|populaires?|vus?)|plus lus|à lire aussi|recommandé|sur le même (?:sujet|thème)|"
    r"articles (?:récents|similaires)|"
    r"(?:lo )?más (?:leíd|vist|popular|comentad)|relacionad|recomendad|te puede interesar|entradas recientes|"
    r"mais (?:lid|vist|popular)|populares|posts recentes|più (?:lett|vist|popolar)|popolari|correlati|consigliati|"
    r"potrebbe interessar|articoli recenti|meest gelezen|populair|gerelateerd|aanbevolen|mest (?:läst|lest|læst|sett)|"
    r"najczęściej|najpopularniejsze|polecane|podobne|nejčtenější|populární|popüler|çok okunan|ilgili|önerilen|"
    r"terpopuler|terkait|populer|xem nhiều|liên quan|đọc nhiều|"
    r"популярн|самые? читаем|читайте также|похожие|рекоменд|последние комментарии|свежие комментарии|δημοφιλ|σχετικ)"
    r"|人気|関連|ランキング|おすすめ|最近の|最新コメント|热门|熱門|推荐|推薦|相关|相關|排行|点击|猜你喜欢|最热|热点"
    r"|인기|관련|추천|많이 본|الأكثر|ذات صلة|ยอดนิยม|เกี่ยวข้อง",
    re.IGNORECASE,
)


def main_targets(page: Page, judge: Any, items: Any, is_front: bool) -> bytes:
    """Return for each target whether it is in the main list. `judge` and `items` are objects of the kernel."""
    main = kernel.records.main_list.MainList(judge, items)
    beside = [row for row in main.headings() if _BESIDE.search(page.text(row))]
    found: bytes = main.find(is_front, beside)
    return found
