"""p-values in words: never 0, bounds rounded up; what is said of a pair."""

from __future__ import annotations

from dataclasses import replace

import pytest

from errorbar.core.estimate import Undefined
from errorbar.reporting.pairs import p_text, pair_texts, result, verdict
from tests.reporting.studies import comparison


@pytest.mark.parametrize(
    ("value", "at_most", "text"),
    [
        (None, False, "–"),
        (0.0123, False, "0.0123"),
        (1.0, False, "1.0000"),
        (0.00049975, False, "0.0005"),
        (2 / 2**20, False, "0.0000019"),
        (1e-4, False, "0.0001"),
        (1 / 2001, True, "≤0.0005"),
        (105 / 2001, True, "≤0.053"),  # .05247: never rounded down
        (105 / 50_001, True, "≤0.0021"),
        (1 / 42_000, True, "≤0.000024"),
        (0.05, True, "≤0.05"),
    ],
)
def test_p_values(value: float | None, at_most: bool, text: str) -> None:
    assert p_text(value, at_most=at_most) == text


def test_what_is_said_of_a_pair() -> None:
    (pair,) = comparison({"b": 0.2, "a": 0.4}, {("a", "b"): 0.05}).pairs
    assert verdict(pair, 0.05, "document") == "a is significantly better than b at the 5% level"
    assert verdict(pair, 0.01, "document") == "a is not significantly better than b at the 1% level"
    floor = replace(pair, smallest_p=0.02)
    assert result(floor, 0.05) == "significant"
    assert verdict(floor, 0.01, "document") == (
        "Whether a is better than b is undecided: with these documents and swaps no difference, however large, could "
        "be significant at the 1% level"
    )
    same = replace(pair, p_adjusted=None, test=replace(pair.test, p_value=None, undefined=Undefined.NO_DISAGREEMENT))
    assert verdict(same, 0.05, "document") == "a and b never differ"
    assert pair_texts(replace(same, test=replace(same.test, exact=True)), 0.05)[4:7] == ["–", "–", "never differ"]
