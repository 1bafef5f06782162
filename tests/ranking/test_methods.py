"""Expected Wins, Bradley–Terry, TrueSkill, rank ranges: hand-worked values, other programs' values, and properties."""

from __future__ import annotations

from itertools import combinations
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import Comparisons, Undefined, UsageError
from errorbar.ranking import (
    METHODS,
    Counts,
    bradley_terry,
    count,
    expected_wins,
    judge_agreement,
    rank_ranges,
    rank_systems,
)
from errorbar.ranking.ranked import Method, ranking_notes
from errorbar.ranking.wins import (
    ORIGINAL,
    Skill,
    count_resampled_wins,
    interchangeable_p,
    matched_runs,
    play,
    round_scores,
    wmt_skill,
)
from tests.helpers.expectations import require
from tests.helpers.page_rows import rows_of_page
from tests.ranking.examples import drawn
from tests.ranking.null_runs import POPULATIONS, row

# The statistics notes, section 11: three systems, wins in the row, and ties AB 2, AC 1, BC 3.
WINS = np.array([[0, 6, 8], [4, 0, 7], [2, 3, 0]], np.float64)
TIES = np.array([[0, 2, 1], [2, 0, 3], [1, 3, 0]], np.float64)
NONE = np.zeros((3, 3))


def pairs(wins: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Comparisons:
    names = "ABCD"
    triples = [
        (names[a], names[b], 1) for a in range(len(wins)) for b in range(len(wins)) for _ in range(int(wins[a, b]))
    ]
    return Comparisons.from_pairs(triples)


class TestExpectedWins:
    def test_by_hand(self) -> None:
        # A: (6/10 + 8/10)/2, B: (4/10 + 7/10)/2, C: (2/10 + 3/10)/2.
        assert expected_wins(Counts(WINS, TIES)) == pytest.approx([0.70, 0.55, 0.25])
        halves = expected_wins(Counts(WINS, TIES), half_ties=True)
        # A: (7/12 + 8.5/11)/2 and so on.
        assert halves == pytest.approx([(7 / 12 + 8.5 / 11) / 2, (5 / 12 + 8.5 / 13) / 2, (2.5 / 11 + 4.5 / 13) / 2])

    def test_only_systems_met_count(self) -> None:
        wins = np.zeros((4, 4))
        wins[0, 1] = wins[1, 2] = 1
        assert expected_wins(Counts(wins, np.zeros((4, 4)))) == pytest.approx([1.0, 0.5, 0.0, np.nan], nan_ok=True)

    def test_a_batch_is_its_parts(self) -> None:
        both = Counts(np.stack([WINS, WINS.T]), np.stack([TIES, TIES]))
        scores, swapped = expected_wins(both)
        assert scores == pytest.approx(expected_wins(Counts(WINS, TIES)))
        assert swapped == pytest.approx(1 - scores)


class TestBradleyTerry:
    # choix 0.4.1, ilsr_pairwise(n, data, alpha=0), on every win as one pair.
    @pytest.mark.parametrize(
        ("wins", "expected"),
        [
            (WINS, [0.59146768, 0.14910226, -0.74056994]),
            (
                np.array([[0, 9, 14, 3], [5, 0, 4, 8], [2, 6, 0, 7], [1, 5, 9, 0]], np.float64),
                [0.89369, -0.094405, -0.45216552, -0.34711948],
            ),
        ],
    )
    def test_another_program(
        self, wins: np.ndarray[tuple[int, ...], np.dtype[np.float64]], expected: list[float]
    ) -> None:
        found = bradley_terry(Counts(wins, np.zeros_like(wins)))
        assert found == pytest.approx(expected, abs=1e-7)

    def test_ties_are_half_a_win_or_nothing(self) -> None:
        # The statistics notes: .502211 .333551 .164239 of the normalized strengths.
        p = np.array([0.502211, 0.333551, 0.164239])
        expected = np.log(p) - np.log(p).mean()
        assert bradley_terry(Counts(WINS, TIES)) == pytest.approx(expected.tolist(), abs=1e-5)
        ignored = bradley_terry(Counts(WINS, TIES), half_ties=False)
        assert ignored == pytest.approx(bradley_terry(Counts(WINS, NONE)).tolist())

    def test_without_a_chain_of_wins_there_is_none(self) -> None:
        never_lost = np.array([[0, 1, 1], [0, 0, 2], [0, 3, 0]], np.float64)
        assert np.isnan(bradley_terry(Counts(never_lost, NONE))).all()
        assert not np.isnan(bradley_terry(Counts(never_lost, TIES))).any()

    @given(st.lists(st.integers(1, 30), min_size=12, max_size=12))
    def test_its_readable_twin(self, numbers: list[int]) -> None:
        """Hunter's MM: p_i = W_i / Σ n_ij / (p_i + p_j), again and again."""
        wins = np.zeros((4, 4))
        wins[~np.eye(4, dtype=bool)] = numbers
        p = [1.0] * 4
        for _ in range(2000):
            p = [
                sum(wins[i]) / sum((wins[i, j] + wins[j, i]) / (p[i] + p[j]) for j in range(4) if j != i)
                for i in range(4)
            ]
            p = [value / sum(p) for value in p]
        center = sum(map(log, p)) / 4
        expected = [log(value) - center for value in p]
        assert bradley_terry(Counts(wins, np.zeros((4, 4)))) == pytest.approx(expected, abs=1e-8)

    def test_a_long_way(self) -> None:
        """Odds of 10,000 to 1: θ differ by log 10,000, and the steps do not overshoot."""
        wins = np.array([[0.0, 10_000.0], [1.0, 0.0]])
        best, worst = bradley_terry(Counts(wins, np.zeros((2, 2))))
        assert exp(best - worst) == pytest.approx(10_000)


def once(outcomes: list[tuple[str, str, int]], skill: Skill) -> list[tuple[float, float]]:
    comparisons = Comparisons.from_pairs(outcomes)
    mu, sigma = play(comparisons, np.arange(len(outcomes), dtype=np.int32)[None], skill)
    return list(zip(mu[0].tolist(), sigma[0].tolist(), strict=True))


class TestTrueSkill:
    # The Python package trueskill 0.4.5 with backend="scipy" (its own normal distribution is right to 7 digits only),
    # rate_1vs1 with its default parameters.
    def test_one_comparison(self) -> None:
        assert once([("A", "B", 1)], ORIGINAL) == [
            pytest.approx((29.39583169299151, 7.17147580700922), abs=1e-12),
            pytest.approx((20.604168307008482, 7.17147580700922), abs=1e-12),
        ]
        assert once([("A", "B", 0)], ORIGINAL) == [pytest.approx((25, 6.457515683245051), abs=1e-12)] * 2

    def test_seven_comparisons(self) -> None:
        # trueskill 0.4.5, backend="scipy", with mu=0, sigma=.5, beta=.6, tau=.1, draw_probability=.25.
        outcomes = [("A", "B", 1), ("B", "C", 1), ("A", "C", 0), ("C", "A", 1)]
        outcomes += [("A", "B", 1), ("B", "C", 0), ("A", "B", -1)]
        assert once(outcomes, Skill(0.0, 0.5, 0.6, 0.1, 0.25)) == [
            pytest.approx((-0.09998496542934204, 0.38823023889565894), abs=1e-12),
            pytest.approx((0.032995895302905864, 0.38656319978586884), abs=1e-12),
            pytest.approx((0.00918251856801251, 0.3890586499219456), abs=1e-12),
        ]

    def test_whole_numbers_are_parameters_too(self) -> None:
        outcomes = [("A", "B", 1), ("B", "C", 0)]
        assert once(outcomes, Skill(mu=0, sigma=8, beta=4)) == once(outcomes, Skill(mu=0.0, sigma=8.0, beta=4.0))

    def test_an_order_with_gaps_is_the_order_without(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1), ("B", "C", 0), ("C", "A", 1)])
        orders = np.array([[2, 0, 1, -1, -1], [-1, 2, -1, 0, 1]], np.int32)
        mu, _ = play(comparisons, orders, ORIGINAL)
        assert mu[0].tolist() == mu[1].tolist()

    def test_hopeless_favorites(self) -> None:
        """Two hundred wins in a row, then an upset: nothing overflows, and the upset moves the beliefs."""
        outcomes = [("A", "B", 1)] * 200
        before, after = once(outcomes, ORIGINAL), once([*outcomes, ("A", "B", -1)], ORIGINAL)
        assert np.isfinite(before).all()
        assert np.isfinite(after).all()
        assert after[0][0] < before[0][0]
        assert after[1][0] > before[1][0]


class TestMatchmaking:
    def test_pairs_weigh_the_same_however_often_they_were_judged(self) -> None:
        """A beats B in 80 of 100 and C in 8 of 10: to the program both are the same win."""
        triples = [("A", "B", 1)] * 80 + [("B", "A", 1)] * 20 + [("A", "C", 1)] * 8 + [("C", "A", 1)] * 2
        triples += [("B", "C", 1)] * 25 + [("C", "B", 1)] * 25
        comparisons = Comparisons.from_pairs(triples)
        mu = matched_runs(comparisons, wmt_skill(len(comparisons)), 400, np.random.default_rng(1))
        a, b, c = mu.mean(axis=0)
        error = mu.std(axis=0).max() / 20
        assert a > 5 * error
        assert abs(b - c) < 4 * error

    def test_a_step_is_that_of_trueskill(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", -1)])
        expected, _ = play(comparisons, np.zeros((1, 1), np.int32), ORIGINAL)
        for seed in range(4):  # whichever system is chosen first
            found = matched_runs(comparisons, ORIGINAL, 2, np.random.default_rng(seed))
            assert found == pytest.approx(np.repeat(expected, 2, axis=0))


class TestRanges:
    def test_ranks_and_clusters(self) -> None:
        scores = np.array([0.9, 0.5, 0.4, 0.1])
        resampled = np.array([[0.9, 0.5, 0.4, 0.1], [0.8, 0.4, 0.5, 0.1], [0.9, 0.5, 0.3, 0.2]])
        ranges = rank_ranges(scores, resampled, confidence_level=0.99)  # cuts one resample at either side
        assert ranges.rank.tolist() == [1, 2, 3, 4]
        assert (ranges.low.tolist(), ranges.high.tolist()) == ([1, 2, 3, 4], [1, 2, 3, 4])
        wide = rank_ranges(scores, resampled[1:], confidence_level=0.99)  # two resamples: none can be left out
        assert (wide.low.tolist(), wide.high.tolist()) == ([1, 2, 2, 4], [1, 3, 3, 4])
        assert wide.cluster.tolist() == [1, 2, 2, 3]

    def test_ties_and_undefined_scores_widen(self) -> None:
        scores = np.array([0.5, 0.5, np.nan])
        ranges = rank_ranges(scores, np.array([[0.5, 0.5, np.nan]] * 4))
        assert ranges.rank.tolist() == [1, 1, 0]
        assert ranges.low.tolist() == [1, 1, 1]
        assert ranges.high.tolist() == [2, 2, 3]
        assert ranges.cluster.tolist() == [1, 1, 1]

    def test_rounding_leaves_scores_where_they_are(self) -> None:
        made = round_scores(np.array([[0.1 + 0.2, 0.3], [np.nan, -2.0]]))
        assert made[0, 0] == made[0, 1]
        assert made == pytest.approx(np.array([[0.3, 0.3], [np.nan, -2.0]]), nan_ok=True)
        assert round_scores(np.zeros(2)).tolist() == [0, 0]


class TestThinData:
    @pytest.mark.parametrize("n", [1, 3, 5])
    def test_few_items_separate_nobody(self, n: int) -> None:
        """Of two equal systems one wins all three comparisons one time in four, and one comparison always."""
        comparisons = Comparisons.from_pairs([("A", "B", 1)] * n)
        (result,) = rank_systems(comparisons, how=drawn(100))
        assert [(system.low, system.high, system.cluster) for system in result.systems] == [(1, 2, 1)] * 2
        (note,) = ranking_notes(comparisons, [result])
        assert (note.code, note.fix) == ("ranking-few", f"judge at least {6 - n} more")

    def test_six_unanimous_items_separate_two(self) -> None:
        # Two of 2^6 ways to swap leave the two as far apart: p = .031.
        comparisons = Comparisons.from_pairs([("A", "B", 1)] * 6)
        (result,) = rank_systems(comparisons, how=drawn(100))
        assert [system.cluster for system in result.systems] == [1, 2]
        assert not ranking_notes(comparisons, [result])
        assert interchangeable_p(comparisons, (0, 1), "item", half_ties=False, level=0.05) == 2 / 2**6

    def test_swapping_moves_what_others_said_too(self) -> None:
        """Three items, A > C and C > B in each: swapping A and B in all or none leaves them as far apart, 2 of 8."""
        triples = [("A", "C", 1), ("C", "B", 1)] * 3
        comparisons = Comparisons.from_pairs(triples, items=[str(at // 2) for at in range(6)])
        a, b = (comparisons.systems.index(name) for name in "AB")
        assert interchangeable_p(comparisons, (a, b), "item", half_ties=False, level=0.05) == 0.25

    def test_ten_resamples_that_agree_are_not_enough(self) -> None:
        """Eight of ten: of 1,024 ways 112 are as far apart, and the two stay together."""
        comparisons = Comparisons.from_pairs([("A", "B", 1)] * 8 + [("A", "B", -1)] * 2)
        (result,) = rank_systems(comparisons, how=drawn(400))
        assert interchangeable_p(comparisons, (0, 1), "item", half_ties=False, level=0.05) == 112 / 1024
        assert [system.cluster for system in result.systems] == [1, 1]
        assert [(system.low, system.high) for system in result.systems] == [(1, 2)] * 2

    def test_parts_that_nothing_connects(self) -> None:
        triples = [("A", "B", 1), ("C", "D", 1)] * 50 + [("B", "C", 0)]
        comparisons = Comparisons.from_pairs(triples)
        counting, dropping = rank_systems(comparisons, ["bradley-terry", "expected-wins"], drawn(50))
        assert [sorted(part) for part in counting.parts] == [["A", "B", "C", "D"]]
        assert {frozenset(part) for part in dropping.parts} == {frozenset("AB"), frozenset("CD")}
        assert all((system.low, system.high, system.cluster) == (1, 4, 1) for system in dropping.systems)
        (note,) = [note for note in ranking_notes(comparisons, [dropping]) if note.code == "ranking-disconnected"]
        assert "A, B; C, D" in note.what

    def test_ties_alone(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 0)] * 20)
        for method in METHODS:
            (result,) = rank_systems(comparisons, [method], drawn(20))
            (note,) = ranking_notes(comparisons, [result])
            assert note.code == "ranking-ties"
            assert "expected-wins" not in f"{note.what} {note.fix}"
        (result,) = rank_systems(comparisons, how=drawn(20))
        assert result.systems[0].score.undefined is Undefined.ONLY_TIES

    def test_a_system_with_ties_alone(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1), ("A", "C", 0)] * 10)
        (result,) = rank_systems(comparisons, how=drawn(20))
        (note,) = ranking_notes(comparisons, [result])
        assert note.fix == "use expected-wins-half-ties, or judge more"


@pytest.mark.parametrize("population", rows_of_page(POPULATIONS))
def test_clusters_separate_equals_in_a_twentieth_of_runs_at_most(population: str) -> None:
    page = (Path(__file__).parents[2] / "tests/measured/ranking.md").read_text(encoding="utf-8")
    line = row(population)
    assert line in page
    # 400 runs of .05 have a standard error of .011.
    assert all(float(cell) <= 0.05 + 2 * 0.011 for cell in line.split("|")[2:-1])


class TestRanking:
    def test_every_method_puts_them_in_the_same_order(self) -> None:
        results = rank_systems(pairs(WINS), METHODS, drawn(20))
        assert [result.method for result in results] == list(METHODS)
        for result in results:
            assert [system.system for system in result.systems] == ["A", "B", "C"]
            assert result.resampled.shape == (20, 3)
            assert all(system.low <= system.rank <= system.high for system in result.systems)

    def test_the_seed_and_nothing_else_moves_intervals(self) -> None:
        first, again = (rank_systems(pairs(WINS), METHODS, drawn(20, seed=3)) for _ in range(2))
        other = rank_systems(pairs(WINS), METHODS, drawn(20, seed=4))
        for a, b, c in zip(first, again, other, strict=True):
            assert np.array_equal(a.resampled, b.resampled)
            assert not np.array_equal(a.resampled, c.resampled)

    def test_ranges_have_the_confidence_asked_for(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1)] * 11 + [("A", "B", -1)] * 6)  # a sign test: p = .33
        spans = {}
        for level in (0.5, 0.99):
            (result,) = rank_systems(comparisons, how=drawn(200, confidence_level=level))
            scores = np.array([system.score.value for system in result.systems], np.float64)
            expected = rank_ranges(scores, result.resampled, confidence_level=level)
            spans[level] = [(system.low, system.high) for system in result.systems]
            assert spans[level] == list(zip(expected.low.tolist(), expected.high.tolist(), strict=True))
            interval = require(result.systems[0].score.interval)
            assert interval.confidence_level == level
        assert spans == {0.5: [(1, 1), (2, 2)], 0.99: [(1, 2), (1, 2)]}

    def test_what_is_drawn_as_one(self) -> None:
        """Ten copies of each comparison in one item tell no more than one copy; taken apart, they seem to."""
        triples = [("A", "B", outcome) for outcome in (1, 1, 1, -1, 1, -1, 1, 1, 0, -1) for _ in range(10)]
        comparisons = Comparisons.from_pairs(triples, items=[str(n // 10) for n in range(100)])
        widths = {}
        for by in ("item", "comparison"):
            (result,) = rank_systems(comparisons, how=drawn(400), by=by)
            interval = require(result.systems[0].score.interval)
            widths[by] = interval.high - interval.low
        # √10 times as wide, or nearly.
        assert 2.4 < widths["item"] / widths["comparison"] < 4.2
        assert result.systems[0].score.n_clusters is None

    @pytest.mark.slow
    @pytest.mark.parametrize(("n_items", "share"), [(6, 0.85), (20, 0.94)])
    def test_coverage_of_few_items(self, n_items: int, share: float) -> None:
        """As the page says. Four systems with Gumbel's noise in each item, so that the chances of wins are logistic."""
        qualities, rng, held = np.array([0, 0.3, 0.6, 1.2]), np.random.default_rng(3), []
        chances = 1 / (1 + np.exp(qualities - qualities[:, None]))
        truth = (chances.sum(axis=1) - 0.5) / 3
        for trial in range(150):
            seen = qualities + rng.gumbel(size=(n_items, 4))
            pairs = [(at, a, b) for at in range(n_items) for a, b in combinations(range(4), 2)]
            triples = [(str(a), str(b), 1 if seen[at, a] > seen[at, b] else -1) for at, a, b in pairs]
            comparisons = Comparisons.from_pairs(triples, items=[str(at) for at, _, _ in pairs])
            (result,) = rank_systems(comparisons, how=drawn(300, seed=trial))
            for system in result.systems:
                interval = system.score.interval
                held.append(interval is not None and interval.low <= truth[int(system.system)] <= interval.high)
        assert np.mean(held) == pytest.approx(share, abs=0.03)

    @pytest.mark.slow
    def test_coverage(self) -> None:
        """Each item brings four equal comparisons: intervals by item cover, those by comparison are half as wide."""
        chances = {("A", "B"): 0.6, ("A", "C"): 0.7, ("B", "C"): 0.5}
        truth = (0.6 + 0.7) / 2
        rng = np.random.default_rng(11)
        covered = {"item": 0, "comparison": 0}
        trials = 200
        for trial in range(trials):
            triples, items = [], []
            for pair, chance in chances.items():
                for number in range(60):
                    outcome = 1 if rng.random() < chance else -1
                    triples += [(*pair, outcome)] * 4
                    items += [f"{pair}{number}"] * 4
            comparisons = Comparisons.from_pairs(triples, items=items)
            for by in ("item", "comparison"):
                (result,) = rank_systems(comparisons, how=drawn(200, seed=trial), by=by)
                (score,) = [system.score for system in result.systems if system.system == "A"]
                assert score.interval is not None
                covered[by] += score.interval.low <= truth <= score.interval.high
        # 95 % nominal; 200 trials have a standard error of .015. Half the width covers 67 %.
        assert covered["item"] / trials > 0.90
        assert covered["comparison"] / trials < 0.80

    def test_resamples_keep_items_whole(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1), ("A", "B", 1), ("B", "A", 1)], items=["x", "x", "y"])
        counts = count_resampled_wins(comparisons, drawn(200))
        seen = {(int(wins[0, 1]), int(wins[1, 0])) for block in counts for wins in block.wins}
        assert seen == {(4, 0), (2, 1), (0, 2)}

    def test_undefined_scores_are_named(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1), ("B", "C", 1)])
        (result,) = rank_systems(comparisons, ["bradley-terry"], drawn(10))
        assert {system.score.undefined for system in result.systems} == {Undefined.NOT_CONNECTED}
        note, few = ranking_notes(comparisons, [result])
        assert few.code == "ranking-few"
        assert "no chain of wins leads from each system to each other" in note.what

    def test_each_trueskill_has_its_own_parameters(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1)])
        results = rank_systems(comparisons, ["trueskill", "trueskill-original", "trueskill-wmt"], drawn(3))
        for result, skill in zip(results, (wmt_skill(1), ORIGINAL, wmt_skill(1)), strict=True):
            expected = [mu for mu, _ in once([("A", "B", 1)], skill)]
            assert [system.score.value for system in result.systems] == pytest.approx(expected), result.method

    @pytest.mark.parametrize("method", ["trueskill", "trueskill-wmt"])
    def test_progress_goes_from_nothing_to_no_more_than_all_resamples(self, method: Method) -> None:
        told: list[int] = []
        comparisons = Comparisons.from_pairs([("A", "B", 1)] * 1500 + [("B", "A", 1)] * 1000)
        rank_systems(comparisons, [method], drawn(250), progress=told.append)
        # Steps 0, 1000 and 2000 of 2500: of 250 resamples at once, or of 200 and then 50.
        assert told == ([0, 100, 200] if method == "trueskill-wmt" else [0, 80, 160, 200, 220, 240])

    def test_refused(self) -> None:
        with pytest.raises(UsageError, match="did you mean 'trueskill'"):
            rank_systems(pairs(WINS), ["trueskil"])  # type: ignore[list-item]  # wrong on purpose
        with pytest.raises(UsageError, match="no comparison to rank from"):
            rank_systems(Comparisons.from_pairs([]))

    @given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("DEF"), st.sampled_from([-1, 0, 1])), min_size=1))
    def test_counts_are_the_comparisons(self, triples: list[tuple[str, str, int]]) -> None:
        comparisons = Comparisons.from_pairs(triples)
        counts = count(comparisons)
        names = comparisons.systems
        for a, system in enumerate(names):
            for b, opponent in enumerate(names):
                won = sum((x, y, o) in ((system, opponent, 1), (opponent, system, -1)) for x, y, o in triples)
                tied = sum({x, y} == {system, opponent} and o == 0 for x, y, o in triples)
                assert (counts.wins[a, b], counts.ties[a, b]) == (won, tied if system != opponent else 0)


def test_judges_by_hand() -> None:
    """Ann and Bob on two questions, Ann twice on the first: agreements by counting."""
    columns = {
        "first": [0, 1, 0, 0, 0],
        "second": [1, 0, 1, 1, 1],
        "outcome": [1, -1, 1, 0, 1],  # the second row is turned around: B against A, and A is better
        "judge": [0, 0, 1, 0, 1],
        "sentence": [0, 0, 0, 1, 1],
    }
    code = {name: np.array(values, np.int32) for name, values in columns.items()}
    marks = np.zeros(5, np.bool_)
    comparisons = Comparisons(
        code["first"],
        code["second"],
        code["outcome"].astype(np.int8),
        np.arange(5, dtype=np.int32),
        code["judge"],
        code["sentence"],
        marks,
        ~marks,
        ("A", "B"),
        tuple("vwxyz"),
        ("ann", "bob"),
        ("0", "1"),
    )
    inter, intra = judge_agreement(comparisons)
    # Between: (1, 3) and (2, 3) agree on sentence 0, (4, 5) does not on sentence 1: 2/3. One of the six answers in
    # these pairs is a tie, so chance is (1/6)² + 2 (5/12)².
    assert inter.observed == pytest.approx(2 / 3)
    assert inter.expected == pytest.approx(13.5 / 36)
    assert inter.kappa.value == pytest.approx((2 / 3 - 0.375) / 0.625)
    # With herself: one pair, the same answer twice, no tie.
    assert (intra.observed, intra.expected, intra.kappa.value) == (1.0, 0.5, 1.0)


def test_judges_who_only_tie() -> None:
    comparisons = Comparisons.from_pairs([("A", "B", 0), ("A", "B", 0)], items=["x", "x"])
    inter, intra = judge_agreement(comparisons)
    assert (inter.kappa.value, inter.kappa.undefined) == (None, Undefined.TOO_FEW_RATERS)
    assert (intra.kappa.value, intra.kappa.undefined) == (None, Undefined.ONE_LABEL)


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_systems_with_the_same_wins_share_a_rank_whatever_the_order_of_the_sum(order: tuple[int, int, int]) -> None:
    """A and B have the same record against three others, in another order: .1 + .2 + .3 is not .3 + .2 + .1."""
    record = [(1, 9), (2, 8), (3, 7)]
    triples = []
    for name, others in (("A", (0, 1, 2)), ("B", order)):
        for (won, lost), other in zip(record, others, strict=True):
            triples += [(name, f"X{other}", 1)] * won + [(name, f"X{other}", -1)] * lost
    (result,) = rank_systems(Comparisons.from_pairs(triples), how=drawn(20))
    placed = {system.system: system for system in result.systems}
    assert placed["A"].rank == placed["B"].rank == 4
