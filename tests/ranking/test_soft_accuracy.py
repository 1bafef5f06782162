"""Soft pairwise accuracy: by hand, beside a plain twin, beside the shared task's program, and on resamples."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import Comparisons, Undefined
from errorbar.ranking.metric_agreement import JudgedPairs, sentence_chances, soft_accuracies
from errorbar.ranking.wins import By
from tests.ranking.examples import drawn

Outcomes = list[tuple[str, str, int]]


def chance(parts: list[float]) -> float:
    """The share of all ways to turn signs that make a larger sum, and half of those that make an equal one."""
    total = sum(parts)
    sums = [sum(a * b for a, b in zip(parts, signs, strict=True)) for signs in product((1, -1), repeat=len(parts))]
    return (sum(other > total for other in sums) + sum(other == total for other in sums) / 2) / len(sums)


class TestJudgments:
    def test_by_hand(self) -> None:
        # A beat B in 3 items and lost 1: 3/16. A beat C twice: of 4 ways one is as large, (0 + 1/2)/4.
        # B and C always tied: ½.
        triples: Outcomes = [("A", "B", 1)] * 3 + [("B", "A", 1)] + [("C", "A", -1)] * 2 + [("B", "C", 0)] * 5
        pairs = JudgedPairs(Comparisons.from_pairs(triples), "ABC", "item")
        assert pairs.chances == pytest.approx([3 / 16, 1 / 8, 1 / 2])
        # |3/16 - 1/16| = 2/16, |2/16 - 1/16| = 1/16, |8/16 - 13/16| = 5/16: the mean is 8/48.
        metric = np.array([1 / 16, 1 / 16, 13 / 16])
        (found,) = soft_accuracies(pairs, {"m": metric})
        assert found.accuracy.value == pytest.approx(1 - 8 / 48)
        assert (found.accuracy.n_units, found.accuracy.interval, found.accuracy.no_interval) == (3, None, None)

    def test_the_order_of_systems_changes_nothing(self) -> None:
        triples: Outcomes = [("A", "B", 1)] * 3 + [("B", "C", 1)] * 2 + [("A", "C", 0)]
        comparisons = Comparisons.from_pairs(triples)
        there, back = (JudgedPairs(comparisons, order, "item").chances for order in ("ABC", "CBA"))
        assert there == pytest.approx(1 - back[::-1])

    def test_what_is_drawn_as_one_is_swapped_as_one(self) -> None:
        triples: Outcomes = [("A", "B", 1), ("A", "B", 1), ("A", "B", 1), ("B", "A", 1)]
        comparisons = Comparisons.from_pairs(triples, items=["one", "one", "two", "two"])
        # The second item is even; turning the first makes 2 or -2.
        by: dict[By, float] = {"item": chance([2.0]), "comparison": chance([1.0, 1.0, 1.0, -1.0])}
        for unit, expected in by.items():
            assert JudgedPairs(comparisons, "AB", unit).chances[0] == pytest.approx(expected)

    def test_pairs_that_never_met_are_left_out(self) -> None:
        pairs = JudgedPairs(Comparisons.from_pairs([("A", "B", 1), ("B", "C", 1)]), "ABC", "item")
        assert np.isnan(pairs.chances[1])
        (found,) = soft_accuracies(pairs, {"m": np.full(3, 0.25)}, drawn(5))
        assert (found.accuracy.value, found.accuracy.n_units) == (1.0, 2)

    def test_systems_that_are_not_compared_are_left_out(self) -> None:
        triples: Outcomes = [("A", "B", 1), ("X", "B", 1), ("A", "X", 1)]
        assert JudgedPairs(Comparisons.from_pairs(triples), "BA", "item").chances == pytest.approx([3 / 4])

    @pytest.mark.parametrize("by", ["item", "sentence", "comparison"])
    @given(st.data())
    def test_its_readable_twin(self, by: By, data: st.DataObject) -> None:
        row = st.tuples(
            st.sampled_from([*combinations("ABC", 2), ("C", "A")]), st.sampled_from([-1, 0, 1]), st.integers(0, 3)
        )
        rows = data.draw(st.lists(row, min_size=1, max_size=9))
        triples = [(*pair, outcome) for pair, outcome, _ in rows]
        comparisons = Comparisons.from_pairs(triples, items=[str(item) for *_, item in rows])
        found = JudgedPairs(comparisons, "ABC", by).chances
        for p, pair in zip(found, combinations("ABC", 2), strict=True):
            parts: dict[int, float] = {}
            for at, (both, outcome, item) in enumerate(rows):
                if set(both) == set(pair):
                    unit = at if by == "comparison" else item
                    parts[unit] = parts.get(unit, 0) + (outcome if both == pair else -outcome)
            assert p == pytest.approx(chance(list(parts.values())) if parts else np.nan, nan_ok=True, abs=1e-12)

    @pytest.mark.parametrize("by", ["item", "comparison"])
    def test_subsamples_leave_out_a_twentieth(self, by: By) -> None:
        """Of one pair a subsample's p follows from how many items are won, lost and tied: hypergeometric numbers."""
        triples: Outcomes = [("A", "B", 1)] * 5 + [("A", "B", -1)] * 2 + [("A", "B", 0)] * 3
        pairs = JudgedPairs(Comparisons.from_pairs(triples), "AB", by)
        rng = np.random.default_rng(1)
        twins = [
            chance([1.0] * won + [-1.0] * lost)
            for won, lost, _ in rng.multivariate_hypergeometric([5, 2, 3], 9, 400).tolist()
        ]
        found = np.concatenate([*pairs.subsampled(drawn(4000))])[:, 0]
        assert len(found) == 4000
        assert found.mean() == pytest.approx(np.mean(twins), abs=0.03)
        assert found.std() == pytest.approx(np.std(twins), abs=0.03)

    def test_the_interval_holds_the_value_and_shrinks_with_more_judgments(self) -> None:
        widths = []
        once: Outcomes = [("A", "B", 1)] * 6 + [("A", "B", -1)] * 4 + [("B", "C", 1)] * 5 + [("C", "B", 1)] * 5
        for times in (1, 16):
            pairs = JudgedPairs(Comparisons.from_pairs(once * times), "ABC", "item")
            (found,) = soft_accuracies(pairs, {"m": np.array([0.1, 0.1, 0.4])}, drawn(500))
            assert found.accuracy.interval is not None
            assert found.accuracy.value is not None
            assert found.accuracy.interval.low <= found.accuracy.value <= found.accuracy.interval.high
            widths.append(found.accuracy.interval.high - found.accuracy.interval.low)
        assert widths[1] < widths[0]


class TestSentences:
    def test_by_hand(self) -> None:
        sentences = {"1": {"A": 1.0, "B": 0.5, "C": 0.0}, "2": {"A": 1.0, "B": 0.0}, "3": {"A": 0.0, "B": 0.25}}
        # A - B: .5, 1, -.25, of whose eight sums 1.75 is larger than 1.25, which is one of them: (1 + 1/2)/8.
        # C was scored in one sentence: (0 + 1/2)/2.
        assert sentence_chances(sentences, "ABC") == pytest.approx([3 / 16, 1 / 4, 1 / 4])

    def test_pairs_without_a_common_sentence(self) -> None:
        found = sentence_chances({"1": {"A": 1.0}, "2": {"B": 1.0}}, "AB")
        assert np.isnan(found).all()
        (soft,) = soft_accuracies(found, {"m": np.array([0.5])})
        assert (soft.accuracy.value, soft.accuracy.undefined) == (None, Undefined.NO_UNITS)

    def test_equal_scores_say_nothing(self) -> None:
        assert sentence_chances({"1": {"A": 1.0, "B": 1.0}}, "AB") == pytest.approx([0.5])

    @given(st.lists(st.lists(st.integers(-8, 8), min_size=3, max_size=3), min_size=1, max_size=9))
    def test_its_readable_twin(self, rows: list[list[int]]) -> None:
        sentences = {str(n): dict(zip("ABC", map(float, row), strict=True)) for n, row in enumerate(rows)}
        expected = [chance([float(row[a] - row[b]) for row in rows]) for a, b in combinations(range(3), 2)]
        assert sentence_chances(sentences, "ABC") == pytest.approx(expected)

    # 1 - PCE by pce.py of google-research/mt-metrics-eval (commit 1b47eab), of compute_pairwise_p_values with 200,000
    # permutations each; scores as below. With its usual 1,000 permutations: .4381, .4559, .4709.
    PUBLISHED: Mapping[int, float] = {2: 0.43995, 3: 0.45341, 5: 0.47035}

    @pytest.mark.parametrize("number", PUBLISHED)
    def test_the_program_of_the_shared_task(self, number: int) -> None:
        systems = [f"s{k}" for k in range(6)]

        def scores(factor: int, slope: float) -> dict[str, dict[str, float]]:
            k, s = np.arange(6)[:, None], np.arange(40)[None, :]
            table = np.sin(factor * (1 + k) * (1 + s)) + slope * k
            return {str(n): dict(zip(systems, column, strict=True)) for n, column in enumerate(table.T.tolist())}

        human = sentence_chances(scores(1, 0.08), systems)
        (found,) = soft_accuracies(human, {"m": sentence_chances(scores(number, -0.048), systems)})
        assert found.accuracy.value == pytest.approx(self.PUBLISHED[number], abs=0.01)


def test_scores_of_systems_alone_have_none() -> None:
    some = np.array([0.5])
    for human, metric in ((None, some), (some, None), (None, None)):
        (found,) = soft_accuracies(human, {"m": metric})
        assert (found.accuracy.value, found.accuracy.undefined) == (None, Undefined.SYSTEMS_ALONE)
