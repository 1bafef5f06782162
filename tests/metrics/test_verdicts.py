"""Which test decides on a pair, its p and its interval, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorbar import M2, compare
from errorbar.core import Interval, Undefined
from errorbar.metrics import DecidingTest, Folded, Opaque, Pair, Selection
from errorbar.metrics.over_judges import TTest
from tests.helpers.pairs import with_swaps, with_test
from tests.reporting.studies import comparison

DEMO = Path(__file__).parents[2] / "src/errorbar/demo"
ALL: Any = type("Sets", (), {"whole": True})()
SMALLER: Any = type("Sets", (), {"whole": False})()
"""Sets of all judges, and of fewer."""
T = TTest(0.2, Interval(0.05, 0.3, 0.95, "t"), None, 0.01, 0.02)


def pair(t: TTest | None = None, p_swaps: float | None = 0.04, **test: object) -> Pair:
    """A pair 0.2 apart, 0.19 to 0.21 over texts, with that p of swaps, and the t over texts and judges."""
    (swapped,) = comparison({"a": 0.4, "b": 0.2}, {("a", "b"): p_swaps}).pairs
    return (
        swapped
        if t is None
        else replace(with_test(swapped, **{"over": ("texts", "judges"), "judges": ALL, **test}), t=t)
    )


class TestRule:
    def test_swaps_decide_where_nothing_else_is_drawn_anew(self) -> None:
        verdict = pair().verdict
        assert (verdict.rule, verdict.p, verdict.result, verdict.interval) == (
            "swaps",
            0.04,
            "significant",
            pair().interval,
        )

    def test_else_the_t_decides(self) -> None:
        verdict = pair(T, p_swaps=0.2).verdict
        assert (verdict.rule, verdict.p, verdict.p_unadjusted, verdict.result) == ("t", 0.02, 0.01, "significant")

    @pytest.mark.parametrize(
        ("p_swaps", "p", "at_floor", "result"),
        [(0.2, 0.2, True, "not significant"), (0.004, 0.02, False, "significant")],
    )
    def test_of_few_texts_the_larger_p(self, p_swaps: float, p: float, at_floor: bool, result: str) -> None:
        verdict = with_swaps(pair(T, p_swaps, few=True), at_floor=True).verdict
        assert (verdict.rule, verdict.p, verdict.p_unadjusted) == ("larger", p, max(0.01, p_swaps))
        assert (verdict.at_floor, verdict.result) == (at_floor, result)

    def test_few_texts_with_a_t_of_which_nothing_is_known(self) -> None:
        unknown = TTest(0.2, Undefined.NO_VALUE, None, None)
        verdict = pair(unknown, 0.001, few=True).verdict
        assert (verdict.rule, verdict.p, verdict.result, verdict.undecided_by) == ("t", None, "undecided", "t")


class TestResult:
    def test_swaps_that_could_not_decide(self) -> None:
        hopeless: Mapping[str, float] = {"p": 0.2, "smallest_p": 0.1}
        assert with_swaps(pair(), **hopeless).verdict.undecided_by == "swaps"
        assert with_swaps(pair(T), **hopeless).verdict.result == "significant"  # they take no part in the t
        assert with_swaps(pair(T, few=True), **hopeless).verdict.undecided_by == "swaps"
        assert with_test(with_swaps(pair(), **hopeless), alpha=0.2).verdict.result == "significant"

    def test_systems_that_score_alike_or_have_no_value(self) -> None:
        assert pair(p_swaps=None).verdict.result == "score alike"
        undefined = with_swaps(pair(p_swaps=None), alone_undefined=Undefined.NOT_COMPARABLE)
        assert undefined.verdict.result == "not comparable"


class TestInterval:
    """That of the t is no narrower than the one over texts, 0.19 to 0.21 or as given."""

    def ends(self, low: float, high: float, over_texts: Interval, sets: object = ALL) -> tuple[float, float]:
        decided = replace(pair(T._replace(interval=Interval(low, high, 0.95, "t")), judges=sets), interval=over_texts)
        assert isinstance(decided.verdict.interval, Interval)
        return decided.verdict.interval.low, decided.verdict.interval.high

    def test_it_holds_the_one_over_texts(self) -> None:
        assert self.ends(0.2, 0.3, Interval(0.1, 0.25, 0.95, "bca")) == (0.1, 0.3)

    def test_but_for_one_that_leaves_out_0_as_the_t_does(self) -> None:
        assert self.ends(0.2, 0.3, Interval(-0.1, 0.25, 0.95, "bca")) == (0.2, 0.3)
        assert self.ends(-0.01, 0.3, Interval(-0.1, 0.25, 0.95, "bca")) == (-0.1, 0.3)

    def test_against_smaller_sets_of_judges_it_is_of_another_difference(self) -> None:
        assert self.ends(0.2, 0.3, Interval(0.1, 0.25, 0.95, "bca"), SMALLER) == (0.2, 0.3)


class TestWords:
    @pytest.mark.parametrize(
        ("over", "name", "swaps", "others"),
        [
            (("texts",), "max-T", "max-T", "none"),
            (("texts", "runs"), "t over texts and runs, max-T", "max-T, these runs", "runs"),
            (
                ("texts", "judges", "runs"),
                "t over texts, judges and runs, max-T",
                "max-T, these judges",
                "judges and runs",
            ),
        ],
    )
    def test_names(self, over: tuple[str, ...], name: str, swaps: str, others: str) -> None:
        test = DecidingTest(over=over)
        assert (test.name, test.swaps_name, test.others) == (name, swaps, others)

    def test_why_nothing_is_known_names_all_that_is_drawn_anew(self) -> None:
        """Runs were left out of it where judges were drawn anew, too."""
        unknown = TTest(0.2, Undefined.NO_VALUE, None, None)
        decided = with_test(pair(unknown), over=("texts", "judges", "runs"))
        assert decided.sentence("document") == (
            "Whether a is better than b is undecided: how they vary over texts, judges and runs is not known (there is "
            "no value), so that nothing can be said at the 5% level"
        )


class SometimesUndefined(M2):
    """M2 without a value for a system that corrects nothing."""

    def fold(self, statistics: Opaque, selection: Selection | None = None, **start: Any) -> Folded:  # noqa: ANN401
        folded = super().fold(statistics, selection, **start)
        return replace(folded, values=np.where(folded.values[:, 1:2] == 0, np.nan, folded.values))


def test_a_system_without_a_value_keeps_no_other_pair_from_a_verdict() -> None:
    """It ended in a traceback: its variance over judges was no number."""
    systems = [DEMO / f"{name}.txt" for name in ("careful", "greedy", "copy")]
    compared = compare(DEMO / "gold.jsonl", systems, SometimesUndefined(), swaps=50, ci=False)
    assert [pair.verdict.result for pair in compared.pairs] == ["not significant", "not comparable", "not comparable"]
    alone = compare(DEMO / "gold.jsonl", systems[:2], swaps=50, ci=False).pairs[0]
    assert alone.t is not None
    assert compared.pairs[0].t is not None
    assert compared.pairs[0].t.p_unadjusted == alone.t.p_unadjusted
