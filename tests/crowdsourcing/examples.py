"""Judgments whose results are published or derived by hand."""

from __future__ import annotations

from errorbar import Judgments

# Dawid and Skene 1979, table 1: classes 1 to 4 of 45 patients, three statements of observer 1, one each of 2 to 5.
_TABLE = (
    "1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 "
    "1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 "
    "1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343 "
    "2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222"
)
_PATIENTS = _TABLE.split()


def patients() -> Judgments:
    rows = [(str(n), who, said) for n, row in enumerate(_PATIENTS, 1) for who, said in zip("1112345", row, strict=True)]
    return Judgments.from_columns(*zip(*rows, strict=True), labels="1234")


def toy() -> Judgments:
    """Five items, three raters: STATISTICS.md section 4, "small data warning"."""
    said = {"t1": "EEO", "t2": "OOO", "t3": "EOO", "t4": "EEE", "t5": "EOE"}
    rows = [(item, rater, label) for item, row in said.items() for rater, label in zip("abc", row, strict=True)]
    return Judgments.from_columns(*zip(*rows, strict=True), labels="EO")
