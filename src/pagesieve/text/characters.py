"""What sort of sign a character is, in the scripts that pages are written in."""

from __future__ import annotations

MARK = 1  # a comma, a colon, a stop
STOP = 2  # what ends a sentence
CLOSING = 4  # a quote or bracket that may follow a stop
PRICE = 8  # a sign of money

_SIGNS = {
    # Latin, Arabic, Devanagari, Urdu, Armenian, Burmese, and those of Chinese and Japanese.
    MARK | STOP: ".!?\u061f\u0964\u0965\u06d4\u0589\u104b\u2026\u3002\uff01\uff1f\uff0e\uff61",
    MARK: ",:;\u060c\u061b\u0387\u3001\uff0c\uff1a\uff1b\uff64",
    CLOSING: "\"')]\u00bb\u2019\u201d\u300d\u300f\uff09\u3011",
    # $, ¢ £ ¤ ¥, 元, 円, 원, and the block of € ₽ ₹ and their like.
    PRICE: "$\u00a2\u00a3\u00a4\u00a5\u5143\u5186\uc6d0\uffe5" + "".join(map(chr, range(0x20A0, 0x20C0))),
}


def _table() -> bytes:
    table = bytearray(0x10000)
    for bits, signs in _SIGNS.items():
        for sign in signs:
            table[ord(sign)] = bits
    return bytes(table)


SIGNS: bytes = _table()  # by code point, up to 0xFFFF; 0 for a letter, a digit and the rest
