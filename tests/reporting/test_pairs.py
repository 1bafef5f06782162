"""The sentence on a pair, and the unit of its points."""

from __future__ import annotations

from dataclasses import replace

from errorbar.api import pair_table
from errorbar.core import Undefined
from tests.helpers.pairs import with_swaps, with_test
from tests.reporting.pages import text_rows
from tests.reporting.studies import comparison


def test_a_point_is_said_in_the_unit_of_the_measure() -> None:
    result = comparison({"b": 0.2, "a": 0.4}, {("a", "b"): 0.05})
    measures = [measure._replace(kind="number") for measure in result.measures]
    percent, number = pair_table(result, 0.95), pair_table(replace(result, measures=tuple(measures)), 0.95)
    assert "power at 1, %" in [column.title for column in percent.columns]
    assert "power at 0.01, %" in [column.title for column in number.columns]
    assert any("one point" in note for note in percent.notes)
    assert any(
        note.endswith("with 80% power; power at 0.01: how often it shows a difference of 0.01") for note in number.notes
    )
    assert not any("points" in note for note in number.notes)


def test_what_is_said_of_a_pair() -> None:
    result = comparison({"b": 0.2, "a": 0.4}, {("a", "b"): 0.05})
    (pair,) = result.pairs
    assert pair.sentence("document") == "a is significantly better than b at the 5% level"
    assert with_test(pair, alpha=0.01).sentence("document") == "a is not significantly better than b at the 1% level"
    floor = with_swaps(pair, smallest_p=0.02)
    assert floor.verdict.result == "significant"
    assert with_test(floor, alpha=0.01).sentence("document") == (
        "Whether a is better than b is undecided: with these documents and swaps no difference, however large, could "
        "be significant at the 1% level"
    )
    same = with_swaps(pair, p=None, alone_p_value=None, alone_undefined=Undefined.NO_DISAGREEMENT)
    assert same.sentence("document") == "a and b score alike in every document"
    exact = with_swaps(same, alone_exact=True)
    ((*_, p, verdict, _, _),) = text_rows(pair_table(result, 0.95, [exact]))
    assert (p, verdict) == ("–", "score alike")
