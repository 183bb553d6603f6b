"""What sort of character each is, in the scripts that pages are written in."""

from __future__ import annotations

# The bits of SIGNS.
MARK = 1  # a comma, a colon, a stop
STOP = 2  # ends a sentence
CLOSING = 4  # a quote or bracket that may follow a stop
PRICE = 8  # a currency sign

# Code points.
NO_BREAK_SPACE = 0xA0
LATIN_LETTERS = 0xC0  # and all letters after them
GENERAL_PUNCTUATION = 0x2000
CJK = 0x2E80  # Chinese, Japanese and Korean, up to SURROGATES
IDEOGRAPHIC_SPACE = 0x3000
KANA = 0x3040
YI = 0xA000
SURROGATES = 0xD800
WIDE_DIGIT_0 = 0xFF10
WIDE_DIGIT_9 = 0xFF19
NO_CHARACTER = 0xFFFF  # stands for any character of four bytes, and for one that is cut off

_SIGNS = {
    # Latin, Arabic, Devanagari, Urdu, Armenian, Burmese, and those of Chinese and Japanese.
    MARK | STOP: ".!?\u061f\u0964\u0965\u06d4\u0589\u104b\u2026\u3002\uff01\uff1f\uff0e\uff61",
    MARK: ",:;\u060c\u061b\u0387\u3001\uff0c\uff1a\uff1b\uff64",
    CLOSING: "\"')]\u00bb\u2019\u201d\u300d\u300f\uff09\u3011",
    # $, ¢ £ ¤ ¥, 元, 円, 원, and the block that has € ₽ ₹.
    PRICE: "$\u00a2\u00a3\u00a4\u00a5\u5143\u5186\uc6d0\uffe5" + "".join(map(chr, range(0x20A0, 0x20C0))),
}


def _table() -> bytes:
    table = bytearray(0x10000)
    for bits, signs in _SIGNS.items():
        for sign in signs:
            table[ord(sign)] = bits
    return bytes(table)


SIGNS: bytes = _table()  # by code point, up to 0xFFFF; 0 for a letter, a digit and the rest
