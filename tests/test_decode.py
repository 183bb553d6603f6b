"""Bytes to text: small cases for every kind of evidence, and what must hold for any bytes."""

import codecs
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagesieve.page import kernel
from pagesieve.page.static import (
    DECLARED_WITHIN,
    SAMPLE_WITHIN,
    TABLED,
    WEB_ENCODINGS,
    WIDER_CODECS,
    Decoded,
    as_utf8,
    decode,
    tables,
)
from tests.growing import growth

WHYS = {"ascii", "bom", "utf-8 body", "utf-16 body", "header", "meta", "detected", "default"}

SIMPLIFIED = (
    "昨天下午，市政府召开新闻发布会，介绍今年以来全市经济运行情况。记者了解到，前三季度生产总值同比增长百分之五。"
)
TRADITIONAL = (
    "昨天下午，市政府召開記者會，說明今年以來全市經濟發展情況。記者瞭解到，前三季生產總額比去年同期成長百分之五。"
)
JAPANESE = (
    "昨日の午後、市役所で記者会見が開かれ、今年の経済の状況について説明がありました。カメラとテレビが並んでいました。"
)
KOREAN = "어제 오후 시청에서 기자 회견이 열려 올해 경제 상황에 대한 설명이 있었습니다. 많은 시민들이 관심을 보였습니다."
RUSSIAN = "Вчера днём в администрации прошла встреча с журналистами, на которой рассказали об итогах года."
GREEK = "Χθες το απόγευμα πραγματοποιήθηκε συνέντευξη τύπου στο δημαρχείο για την πορεία της οικονομίας."
POLISH = "Wczoraj po południu w urzędzie miasta odbyła się konferencja, na której omówiono sytuację finansową."
FRENCH = "Hier après-midi, à l’hôtel de ville, une conférence a été donnée sur l’évolution de l’année écoulée."
HEBREW = "אתמול אחר הצהריים התקיימה מסיבת עיתונאים בבניין העירייה, ובה הוסבר המצב הכלכלי של העיר השנה."
ARABIC = "عقد أمس بعد الظهر مؤتمر صحفي في مبنى البلدية تم خلاله شرح الوضع الاقتصادي للمدينة خلال هذا العام."
THAI = "เมื่อวานนี้ตอนบ่าย มีการแถลงข่าวที่ศาลากลางจังหวัด เกี่ยวกับภาวะเศรษฐกิจของเมืองในปีนี้ และแผนงานในปีหน้า"

TEXTS = [
    ("gbk", "gb18030", SIMPLIFIED),
    ("big5", "big5hkscs", TRADITIONAL),
    ("shift_jis", "cp932", JAPANESE),
    ("euc-jp", "euc_jp", JAPANESE),
    ("euc-kr", "cp949", KOREAN),
    ("windows-1251", "cp1251", RUSSIAN),
    ("koi8-r", "koi8-r", RUSSIAN),
    ("windows-1253", "cp1253", GREEK),
    ("windows-1250", "cp1250", POLISH),
    ("iso-8859-2", "iso8859-2", POLISH),
    ("windows-1252", "cp1252", FRENCH),
    ("windows-1255", "cp1255", HEBREW),
    ("windows-1256", "cp1256", ARABIC),
    ("tis-620", "cp874", THAI),
]


def page(text: str, head: str = "") -> str:
    """A small page with some markup around the text, as the detector meets it."""
    return f"<!DOCTYPE html><html><head>{head}<title>{text[:20]}</title></head><body><p>{text}</p></body></html>"


def as_bytes(text: str, label: str) -> bytes:
    return text.encode("cp949" if label == "euc-kr" else label)


@pytest.mark.parametrize(("label", "encoding", "text"), TEXTS)
def test_each_encoding_by_header(label: str, encoding: str, text: str) -> None:
    html = page(text)
    assert decode(as_bytes(html, label), f"text/html; charset={label}") == Decoded(html, encoding, "header")


@pytest.mark.parametrize(("label", "encoding", "text"), TEXTS)
def test_each_encoding_by_meta(label: str, encoding: str, text: str) -> None:
    html = page(text, f'<meta charset="{label}">')
    assert decode(as_bytes(html, label)) == Decoded(html, encoding, "meta")


@pytest.mark.parametrize(("label", "encoding", "text"), TEXTS)
def test_each_encoding_detected(label: str, encoding: str, text: str) -> None:
    html = page(text)
    encoding = "koi8-u" if label == "koi8-r" else encoding  # which has the same letters, and more
    assert decode(as_bytes(html, label)) == Decoded(html, encoding, "detected")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", Decoded("", "utf-8", "ascii")),
        (b"<p>plain", Decoded("<p>plain", "utf-8", "ascii")),
        (b"a\0b", Decoded("a\0b", "utf-8", "ascii")),
        ("é".encode(), Decoded("é", "utf-8", "utf-8 body")),
        (b"\xef\xbb\xbf<p>\xc3\xa9", Decoded("<p>é", "utf-8", "bom")),
        (b"\xef\xbb\xbf<p>\xe9", Decoded("<p>\ufffd", "utf-8", "bom")),
        (b"\xff\xfe<\0p\0>\0", Decoded("<p>", "utf-16-le", "bom")),
        (b"\xfe\xff\0<\0p\0>", Decoded("<p>", "utf-16-be", "bom")),
        (b"\xff\xfe<\0p\0>", Decoded("<p\ufffd", "utf-16-le", "bom")),
        (b"\xff\xfe\0\0<\0\0\0", Decoded("<", "utf-32-le", "bom")),
        (page(RUSSIAN).encode("utf-16-le"), Decoded(page(RUSSIAN), "utf-16-le", "utf-16 body")),
        (page(SIMPLIFIED).encode("utf-16-be"), Decoded(page(SIMPLIFIED), "utf-16-be", "utf-16 body")),
        (page(JAPANESE).encode("iso2022_jp"), Decoded(page(JAPANESE), "iso2022_jp", "detected")),
        (b"\x1b$ is no Japanese", Decoded("\x1b$ is no Japanese", "utf-8", "ascii")),
        (b" " * SAMPLE_WITHIN + b"\xe9", Decoded(" " * SAMPLE_WITHIN + "é", "cp1252", "default")),
        (b"<p>Copyright \xa9 2002</p>", Decoded("<p>Copyright © 2002</p>", "cp1252", "detected")),
        (b"2+ADw-script+AD4- \xe9", Decoded("2+ADw-script+AD4- é", "cp1252", "detected")),
    ],
)
def test_bytes_that_speak_for_themselves(data: bytes, expected: Decoded) -> None:
    assert decode(data) == expected


@pytest.mark.parametrize("label", ["gb2312", "euc-jp", "iso-8859-1", "big5", "utf-16", "utf-7"])
def test_valid_utf8_is_utf8_whatever_is_declared(label: str) -> None:
    html = page("naïve 中文", f'<meta charset="{label}">')
    assert decode(html.encode(), f"text/html; charset={label}") == Decoded(html, "utf-8", "utf-8 body")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="gbk">', "gb18030"),
        ("<META CHARSET=GBK>", "gb18030"),
        ("<meta/charset='gb2312'/>", "gb18030"),
        ('<meta charset=" gbk ">', "gb18030"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', "gb18030"),
        ('<meta content="text/html;charset = gb2312" http-equiv=content-type>', "gb18030"),
        ('<meta http-equiv="Content-Type" content="text/html; charset="gb2312"">', "gb18030"),
        ('<meta charset="nonsense"><meta charset="gbk">', "gb18030"),
        ('<?xml version="1.0" encoding="gb2312"?>', "gb18030"),
        ("<!-- <meta charset=big5> --><meta charset=gbk>", "gb18030"),
        ("<!--><meta charset=gbk>", "gb18030"),
        ("<script>'<meta charset=big5>'</script><meta charset=gbk>", "gb18030"),
        ('<meta name="keywords" content="charset=big5"><meta charset=gbk>', "gb18030"),
        (f"<style>{'a{} ' * 10_000}</style><meta charset=gbk>", "gb18030"),
        ("<body><meta charset=gbk>", "gb18030"),
    ],
)
def test_where_a_meta_may_stand(head: str, encoding: str) -> None:
    html = head + SIMPLIFIED
    assert decode(html.encode("gbk")) == Decoded(html, encoding, "meta")


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("latin1", "cp1252"),
        ("ISO-8859-1", "cp1252"),
        ("iso88591", "cp1252"),
        ("us-ascii", "cp1252"),
        ("x-user-defined", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("iso-8859-15", "iso8859-15"),
        ("x-mac-roman", "mac-roman"),
        ("x-cp1250", "cp1250"),
        ("windows_1257", "cp1257"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str) -> None:
    decoded = decode(b"<p>caf\xe9</p>", f"text/html; charset={label}")
    assert (decoded.encoding, decoded.why) == (encoding, "header")


@pytest.mark.parametrize(
    "label", ["utf-7", "cp037", "rot13", "hex", "unicode_escape", "undefined", "idna", "x", "a\0b"]
)
def test_labels_that_browsers_do_not_know_are_ignored(label: str) -> None:
    html = page(FRENCH)
    assert decode(html.encode("cp1252"), f"text/html; charset={label}") == Decoded(html, "cp1252", "detected")


@pytest.mark.parametrize(
    ("content_type", "why"),
    [
        ("text/html; charset=windows-1251", "header"),
        ('text/html; Charset="windows-1251"', "header"),
        ("text/html;charset='windows-1251'; x=y", "header"),
        ("charset = cp1251", "header"),
        ("text/html; charset=", "detected"),
        ("text/html", "detected"),
        ("", "detected"),
        (None, "detected"),
    ],
)
def test_how_a_header_may_be_written(content_type: str | None, why: str) -> None:
    html = page(RUSSIAN)
    assert decode(html.encode("cp1251"), content_type) == Decoded(html, "cp1251", why)


@pytest.mark.parametrize(
    ("body", "declared", "why"),
    [
        (page(RUSSIAN).encode("cp1251"), "iso-8859-1", "detected"),
        (page(SIMPLIFIED).encode("gbk"), "iso-8859-1", "detected"),
        (page(SIMPLIFIED).encode("gbk"), "shift_jis", "detected"),
        (page(SIMPLIFIED).encode("gbk"), "big5", "detected"),
        (page(RUSSIAN).encode("cp1251"), "big5", "detected"),
        (page(RUSSIAN).encode("cp1251"), "utf-8", "detected"),
        (page(RUSSIAN).encode("cp1251"), "utf-16", "detected"),
        (page(FRENCH).encode("cp1252"), "utf-8", "detected"),
        (page(SIMPLIFIED, "<meta charset=gbk>").encode("gbk"), "iso-8859-1", "meta"),
        (page(SIMPLIFIED, "<meta charset=big5>").encode("gbk"), "gbk", "header"),
    ],
)
def test_a_declaration_the_bytes_contradict_is_passed_over(body: bytes, declared: str, why: str) -> None:
    decoded = decode(body, f"text/html; charset={declared}")
    assert decoded.why == why
    assert "\ufffd" not in decoded.text
    assert any(text in decoded.text for text in (RUSSIAN, SIMPLIFIED, FRENCH))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (RUSSIAN.encode() + b"\xd0", RUSSIAN + "\ufffd"),
        ("中文中文".encode() + b"\xe4\xb8" + "中文".encode(), "中文中文\ufffd中文"),
        ("naïve “quotes” ".encode() + b"caf\xe9", "naïve “quotes” caf\ufffd"),
    ],
)
def test_utf8_with_a_few_broken_bytes_stays_utf8(data: bytes, text: str) -> None:
    for content_type in (None, "text/html; charset=gbk", "text/html; charset=windows-1252"):
        assert decode(data, content_type) == Decoded(text, "utf-8", "utf-8 body")


def test_rows_of_dots_do_not_contradict_a_declared_latin_encoding() -> None:
    data = b"<meta charset=windows-1252>" + b"<td>\x95\x95\x95\x95</td>" * 20 + b"you\x92ll"
    assert (decode(data).why, decode(data).text[-6:]) == ("meta", "you’ll")


def test_a_multi_byte_encoding_is_detected_in_spite_of_some_damage() -> None:
    body = "".join(f"<p>{SIMPLIFIED}</p>" for _ in range(5)).encode("gbk")
    assert decode(body[:20] + b"\xff" + body[20:]).encoding == "gb18030"


def test_a_few_odd_bytes_in_english_are_windows_1252() -> None:
    line = (
        b"<p>the world of alternative medicine, healthy living, and Self-Managed Care%sSubscribe to the Update! "
        + b"x" * 99
    )
    data = b"".join(line % odd for odd in (b"\x99", b"\xe2\x84", b"\xe2\x80"))
    assert decode(data).encoding == "cp1252"


TURKISH = "Dün öğleden sonra belediyede düzenlenen toplantıda yılın ekonomik gelişmeleri açıklandı, şehir için iyi."
CZECH = "Včera odpoledne se na radnici konala tisková konference, na níž byla představena situace města."
LITHUANIAN = "Vakar po pietų savivaldybėje įvyko spaudos konferencija, kurioje aptarta šių metų miesto būklė."


@pytest.mark.parametrize(
    ("label", "text"), [("cp1254", TURKISH), ("cp1250", CZECH), ("iso8859-2", CZECH), ("cp1257", LITHUANIAN)]
)
def test_the_neighbours_of_windows_1252_are_detected(label: str, text: str) -> None:
    html = page(text)
    assert decode(html.encode(label)) == Decoded(html, label, "detected")


def test_a_declared_multi_byte_encoding_survives_some_damage() -> None:
    data = (("中文" * 15).encode("gbk") + b"\xff ") * 20
    decoded = decode(data, "text/html; charset=gbk")
    assert decoded == Decoded(("中文" * 15 + "\ufffd ") * 20, "gb18030", "header")


def test_half_broken_utf8_is_utf8_where_it_says_so() -> None:
    data = b"\xe2\x80\x9cquoted\xe2\x80\x9d, then caf\xe9 and na\xefve"
    assert decode(data, "text/html; charset=utf-8") == Decoded(
        "“quoted”, then caf\ufffd and na\ufffdve", "utf-8", "header"
    )


def test_a_utf16_meta_in_readable_bytes_means_utf8() -> None:
    data = b"<meta charset=utf-16>\xe2\x80\x9cquoted\xe2\x80\x9d, then caf\xe9 and na\xefve"
    assert (decode(data).encoding, decode(data).why) == ("utf-8", "meta")


@pytest.mark.parametrize(
    ("data", "label", "text"),
    [
        (SIMPLIFIED.encode("gbk") + b" \x80 5", "gbk", SIMPLIFIED + " € 5"),
        (JAPANESE.encode("euc_jp") + b"\xad\xa1", "euc-jp", JAPANESE + "①"),
        (JAPANESE.encode("cp932") + b"\x87\x40", "shift_jis", JAPANESE + "①"),
    ],
)
def test_characters_browsers_know_beyond_the_standard(data: bytes, label: str, text: str) -> None:
    assert decode(data, f"text/html; charset={label}").text == text


def test_a_meta_is_not_looked_for_without_end() -> None:
    data = b" " * DECLARED_WITHIN + b"<meta charset=iso-8859-15>\xa4"
    assert decode(data).text[-1] == "¤"
    assert decode(data[100:]).text[-1] == "€"


@given(st.binary(), st.none() | st.text())
def test_never_raises(data: bytes, content_type: str | None) -> None:
    decoded = decode(data, content_type)
    assert decoded.why in WHYS
    "".encode(decoded.encoding)


@given(st.binary(), st.sampled_from(sorted(WEB_ENCODINGS)))
def test_never_raises_whatever_is_declared(data: bytes, label: str) -> None:
    for decoded in (
        decode(data, f"text/html; charset={label}"),
        decode(b"<meta charset=" + label.encode() + b">" + data),
    ):
        assert decoded.why in WHYS


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1b\ufeff")))
def test_utf8_text_comes_back(text: str) -> None:
    expected = "ascii" if text.isascii() else "utf-8 body"
    assert decode(text.encode()) == Decoded(text, "utf-8", expected)


# Bytes that begin, go on with or cannot be characters, and whole characters; so many that some are read at once.
PIECES = [
    b"a" * 130,
    b"\x1b",
    b"\0",
    *(bytes([byte]) for byte in b"\x41\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1"),
]
PIECES += [
    *(bytes([byte]) for byte in b"\xed\xee\xef\xf0\xf1\xf4\xf5\xff"),
    *(sign.encode() for sign in "é中😀\ufffd\ufeff"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join))
def test_what_is_utf8_as_it_is(data: bytes) -> None:
    try:
        data.decode()
        is_valid = True
    except UnicodeDecodeError:
        is_valid = False
    assert kernel.html.tokenizer.is_utf8(data) == is_valid
    source = as_utf8(data)
    if is_valid and not any(special in data for special in (b"\x1b", b"\0")) and not data.startswith(codecs.BOM_UTF8):
        assert source == (data, "utf-8", "ascii" if data.isascii() else "utf-8 body")


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join))
def test_how_far_bytes_are_utf8(data: bytes) -> None:
    beyond_ascii = bytes(byte for byte in data if byte >= 0x80)
    text = beyond_ascii.decode("utf-8", "replace")
    broken = text.count("\ufffd") - beyond_ascii.count("\ufffd".encode())
    assert kernel.html.encodings.utf8_damage(data, 1.0) == (broken, len(text))
    some, seen = kernel.html.encodings.utf8_damage(data, 0.5)
    assert (some > 0.5 * seen) == (broken > 0.5 * len(text))


@given(st.lists(st.sampled_from([*PIECES, b"<", b">", b" text "]), max_size=20).map(b"".join))
def test_a_sample_has_the_text_around_characters_beyond_ascii(data: bytes) -> None:
    pieces = kernel.html.encodings.sample(data, 300, 200, 50, 20)
    ends, expected = [0], list[bytes]()
    while sum(map(len, expected)) < 200 and (match := re.compile(rb"[\x80-\xff]").search(data, ends[-1], 300)):
        text = re.compile(rb"[\x80-\xff][^<>]{0,50}[^\x00-\x3f]*").match(data, match.start(), 300)
        assert text is not None
        before = data[max(ends[-1], match.start() - 20) : match.start()]
        expected.append(re.split(rb"[<>]", before)[-1] + text[0])
        ends.append(text.end())
    assert pieces == expected


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join))
def test_bytes_in_long_runs(data: bytes) -> None:
    runs = re.findall(rb"[\x80-\x9f\xa1-\xff]+", data)
    expected = sum(len(run) for run in runs if len(run) >= 3 and len(set(run)) > 1)
    assert kernel.html.encodings.long_runs(data, 3) == (expected, sum(byte >= 0x80 for byte in data))


@pytest.mark.parametrize("encoding", sorted(TABLED))
def test_tables_give_what_the_codec_gives(encoding: str) -> None:
    codec = WIDER_CODECS.get(encoding, encoding)
    for first in range(0x80, 0x100):
        whole = [bytes((first, second)) for second in range(0x100)]
        for data in (b"a" * 20 + b"".join(whole), *whole):
            source = kernel.html.encodings.transcode(data, *tables(codec))
            if source is not None:
                assert source.decode() == data.decode(codec)


@given(st.text("a<é中國港の😀 ", max_size=40), st.sampled_from(["gb18030", "big5hkscs", "cp932", "cp949", "cp1252"]))
def test_texts_that_tables_have(text: str, encoding: str) -> None:
    data = text.encode(encoding, "ignore")
    source = kernel.html.encodings.transcode(data, *tables(encoding))
    assert "😀" in data.decode(encoding) if source is None else source == data.decode(encoding).encode()


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "metas": lambda n: b"<meta " * (n // 6) + b"\xff",
    "labels": lambda n: b"".join(b"<meta charset=z%d>" % i for i in range(n // 20)) + b"\xff",
    "comments": lambda n: b"<!--" * (n // 4) + b"\xff",
    "scripts": lambda n: b"<script>" * (n // 8) + b"\xff",
    "one attribute": lambda n: b'<meta content="' + b"x" * n + b"\xff",
    "spaces": lambda n: b"<meta charset" + b" " * n + b"\xff",
    "high bytes": lambda n: b"\xff" * n,
    "broken gbk": lambda n: b"<meta charset=gbk>" + (b"\xd6\xd0" * 30 + b"\xff ") * (n // 62),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_no_faster_than_the_page(make: Callable[[int], bytes]) -> None:
    decode(make(1000))  # the detector's import
    pages = {size: make(size) for size in (1 << 19, 1 << 20)}
    assert growth(lambda size: decode(pages[size]), 1 << 19) < 3


def test_the_detector_is_imported_only_when_needed() -> None:
    code = (
        "import sys; from pagesieve.page.static import decode;"
        "decode('é'.encode()); decode(b'<meta charset=gbk>\\xd6\\xd0');"
        "assert 'chardetng_py' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_examples_in_the_documentation() -> None:
    text = (Path(__file__).parent.parent / "docs" / "decoding.md").read_text(encoding="utf-8")
    blocks = text.split("```python\n")[1:]
    assert blocks
    for block in blocks:
        exec(block.split("```")[0], {})
