"""What stands where something ordinary is expected: numbers, names and words that have broken readers before."""

from __future__ import annotations

NUMBERS = (
    *("-1", "0", "-0", "1", "2", "3", "007", "1.5", "1e3", "1e400", "-1e400", "NaN", "inf", "-Infinity"),
    *("2147483648", "-2147483649", "9223372036854775808", "-9223372036854775809", "1_000", "0x10", "1,5", ""),
    *("9" * 20, "9" * 400, "9" * 5000, "0." + "3" * 4000, "٣", "½", "²", "１２", "-", "+5", " 5 ", "1e-400"),
)
GENTLE_NUMBERS = ("0", "1", "2", "3", "4", "5", "7", "10")

# Text is fuzzed as UTF-8 with surrogateescape: a lone surrogate of U+DC80 to U+DCFF here is a byte that is not UTF-8.
WORDS = (
    *("", " ", "  ", "\t", "-", "|", "||", "|||", "'", '"', '""', ",", ";", "\\", "<", ">", "&", "&amp;", "=1+1", "@x"),
    *("null", "None", "nan", "true", "noop", "-NONE-", "REQUIRED", "OPTIONAL", "S ", "A 0 1|||", "<s>", "{", "[]"),
    *("\x00", "\x01", "\x07", "\x1b[31mred\x1b[0m", "\x7f", "\x85", "\x9b", "\r", "\n", "\r\n", "\v", "\f", "\x1c"),
    *(
        "\u2028",
        "\u2029",
        "\u202e",
        "\u2066",
        "\u200b",
        "\ufeff",
        "\ufffe",
        "\u00a0",
        "\u3000",
        "e\u0301",
        "𝔘𝔫𝔦",
        "漢字",
    ),
    *(
        "\udcff",
        "\udcc3",
        "a\udce2\udc82",
        "naïve",
        "İ",
        "ß",
        "ﬁ",
        "x" * 300,
        "é" * 5000,
        "a " * 400,
        "../../x",
        "%s{0}",
    ),
)
GENTLE_WORDS = (
    "the",
    "word",
    "naïve",
    "dogs",
    "a",
    "B",
    "x1",
    "did n't",
    "well",
    "sono",
    "漢字",
    "O'Neil",
    "e-mail",
    "no",
)

JSON_TEXTS = (
    *(r"\ud800", r"\udc00x", r"\u0000", r"\u001b[2J", r"\n", r"\u2028", r"\ufffe", r"\/", r"\ud83d\ude00", r"\u202e"),
    *("", " ", "x" * 300, r"a\tb", r"\"", r"\\"),
)
"""Texts as they stand between the quotes of JSON."""
JSON_VALUES = (
    *("null", "true", "false", "0", "-1", "1.5", "1e400", "NaN", "-Infinity", "9" * 20, "9" * 5000, '""', "[]", "{}"),
    *('[""]', "[null]", '{"": 0}', "[[1]]", "1E5", "-0.0"),
)
