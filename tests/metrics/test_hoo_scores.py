"""HOO scores of runs: intervals, recall by type, teams, simulated teams."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from errorbar.core.errors import UsageError
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problems
from errorbar.edits.standoff_simulate import WRONG, Team, simulate_run
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_rows import code_recalls, row_recalls
from errorbar.metrics.hoo_score import (
    HooScore,
    best_runs,
    recall_by_code,
    recall_by_row,
    score_runs,
    team_of,
    weight_blocks,
)
from errorbar.metrics.hoo_types import check_overrides, row_names, row_of
from errorbar.stats.resampling import Resampling
from tests.helpers.standoff import fragment, standoff
from tests.metrics.hoo_examples import BONUS, CORRECTION, DETECTION, PLAIN, RECOGNITION, Edits, scored


class TestIntervals:
    gold = tuple(fragment(*(standoff(k, k + 1, "x") for k in range(0, 10, 2)), name=str(n)) for n in range(12))
    system = tuple(one.edits[: n % 6] for n, one in enumerate(gold))

    def score(self, resampling: Resampling, n: int = 12) -> HooScore:
        runs = {"a": self.system[:n]}
        return score_runs(self.gold[:n], runs, [Hoo()], Problems(), resampling=resampling)[0]

    def test_intervals_hold_the_value_and_depend_on_the_seed_alone(self) -> None:
        resampling = Resampling(method="percentile", replicates=500)
        first, again = self.score(resampling), self.score(resampling)
        recall = first.figures[PLAIN, DETECTION].recall
        assert recall.interval is not None
        assert recall.value is not None
        assert recall.interval.low < recall.value < recall.interval.high
        assert first.figures == again.figures
        other = self.score(replace(resampling, seed=1))
        assert other.figures[PLAIN, DETECTION].recall.interval != recall.interval
        assert "by:fragment,seed:0" in str(first.signature)

    @pytest.mark.parametrize("metric", [Hoo(), Hoo(aggregate="mean", empty="zero"), Hoo(unrecognized="one", beta=0.5)])
    def test_each_fragment_alone_and_left_out(self, metric: Hoo) -> None:
        """As weights say it: a row of the identity is one fragment, one minus it is all but one."""
        gold = [*TestRecallByType.gold, fragment(name="nothing")]
        statistics = metric.measure(gold, [*TestRecallByType.system, ()])
        one = np.eye(len(gold))
        np.testing.assert_allclose(metric.fold_each(statistics), metric.fold(statistics, one), rtol=1e-15)
        np.testing.assert_allclose(metric.fold_left_out(statistics), metric.fold(statistics, 1 - one), rtol=1e-15)

    def test_resamples_are_drawn_in_blocks(self) -> None:
        """More than one block: the first thousand resamples are those that a thousand would be."""
        first, second = weight_blocks(12, Resampling(replicates=1500))
        (alone,) = weight_blocks(12, Resampling(replicates=1000))
        assert (first.shape, second.shape) == ((1000, 12), (500, 12))
        np.testing.assert_array_equal(first, alone)
        many = self.score(Resampling(method="percentile", replicates=1500)).figures[PLAIN, DETECTION].recall
        recalls = np.concatenate([first, second]) @ [n % 6 for n in range(12)] / (5 * 12)
        assert many.interval is not None
        assert (many.interval.low, many.interval.high) == pytest.approx(tuple(np.quantile(recalls, [0.025, 0.975])))

    def test_none_where_nobody_asked(self) -> None:
        (score,) = score_runs(self.gold, {"a": self.system}, [Hoo()], Problems(), conventions=("x:y",))
        for figures in score.figures.values():
            assert [(e.interval, e.no_interval) for e in (figures.precision, figures.recall, figures.f)] == [
                (None, None)
            ] * 3
        assert "|x:y|" in str(score.signature)

    def test_why_there_is_none(self) -> None:
        single = self.score(Resampling(), n=1).figures[PLAIN, DETECTION]
        assert single.recall.no_interval is Undefined.ONE_UNIT
        with pytest.raises(UsageError, match="no formula"):
            self.score(Resampling(method="closed"))


class TestSimulatedTeams:
    """Shares of 0 and 1 leave nothing to chance but which right words are deleted."""

    text = "one two three four"
    gold = fragment(standoff(4, 7, "zwei", "deux"), standoff(14, 14, "and "), standoff(0, 3), text=text)

    def run(self, team: Team, daring: float = 1.0) -> list[tuple[int, int, str]]:
        (edits,) = simulate_run([self.gold], team, daring, np.random.default_rng(0))
        assert [edit.original for edit in edits] == [self.text[edit.start : edit.end] for edit in edits]
        assert [edit.index for edit in edits] == [f"1-{k:04d}" for k in range(1, len(edits) + 1)]
        return [(edit.start, edit.end, edit.corrections[0]) for edit in edits]

    @pytest.mark.parametrize(
        ("meets", "corrected", "recognized", "expected"),
        [
            (1.0, 1.0, 0.0, [(4, 7, "zwei"), (14, 14, "and ")]),  # not the one without a correction
            (1.0, 0.0, 1.0, [(4, 7, WRONG), (14, 14, WRONG)]),
            (1.0, 0.0, 0.0, [(3, 8, WRONG), (13, 15, WRONG)]),  # one more character on either side
            (0.0, 1.0, 0.0, []),
        ],
    )
    def test_edits_that_are_met(
        self, meets: float, corrected: float, recognized: float, expected: list[tuple[int, int, str]]
    ) -> None:
        assert self.run(Team("T", {"": meets}, corrected, recognized, 0.0)) == expected

    def test_daring_and_the_type_of_an_edit(self) -> None:
        typed = Team("T", {"": 0.0, "MD": 1.0}, 1.0, 0.0, 0.0)
        assert self.run(typed) == []
        assert self.run(Team("T", {"": 1.0}, 1.0, 0.0, 0.0), daring=0.0) == []
        gold = fragment(standoff(0, 3, "x", kind="MD"), standoff(4, 7, "y", kind="S"), text=self.text)
        (edits,) = simulate_run([gold], typed, 1.0, np.random.default_rng(0))
        assert [(edit.start, edit.corrections) for edit in edits] == [(0, ("x",))]

    def test_noise_deletes_words(self) -> None:
        """Some 300 deletions of four words: every word, once."""
        assert self.run(Team("T", {"": 0.0}, 0.0, 0.0, 100.0)) == [(0, 3, ""), (4, 7, ""), (8, 13, ""), (14, 18, "")]
        nothing = fragment(standoff(0, 0, "x"), text="")  # no word to delete
        assert simulate_run([nothing], Team("T", {"": 0.0}, 0.0, 0.0, 100.0), 1.0, np.random.default_rng(0)) == [[]]


class TestRecallByType:
    """Five units; MD in all of them, S in one, FV in two."""

    gold = tuple(
        fragment(
            standoff(0, 1, "x", kind="MD"),
            standoff(2, 3, "x", kind="MD"),
            *([standoff(4, 5, "x", kind="S")] if n == 0 else []),
            *([standoff(6, 7, "x", kind="FV")] if n < 2 else []),
            name=str(n),
        )
        for n in range(5)
    )
    system = tuple(one.edits[: n % 3] for n, one in enumerate(gold))
    resampling = Resampling(method="percentile", replicates=400)

    def score(self, n: int = 5) -> HooScore:
        return score_runs(self.gold[:n], {"a": self.system[:n]}, [Hoo()], Problems(), resampling=self.resampling)[0]

    def test_values_are_the_counts(self) -> None:
        score = self.score()
        for rows, counts in (
            (row_recalls(score), recall_by_row(score)),
            (code_recalls(score), recall_by_code(score)),
            (row_recalls(score, {"MD": "Noun"}), recall_by_row(score, {"MD": "Noun"})),
        ):
            assert {row.type: row.counts for row in rows} == counts
            for row in rows:
                for k, recall in enumerate(row.recalls, 1):
                    assert recall.value == (row.counts[k] / row.counts[0] if row.counts[0] else None)
                    assert (recall.interval, recall.no_interval) == (None, None)
                    assert (recall.undefined is Undefined.NOTHING_IN_REFERENCE) == (not row.counts[0])

    def test_intervals_are_those_of_the_same_resamples(self) -> None:
        """MD: gold 2 in each unit, found 0, 1, 2, 0, 1, so that R of a resample is the mean of found / 2."""
        (md,) = [row for row in code_recalls(self.score(), self.resampling) if row.type == "MD"]
        assert md.recalls[0].value == (0 + 1 + 2 + 0 + 1) / 10
        (weights,) = weight_blocks(5, self.resampling)
        means = weights @ np.array([0, 1, 2, 0, 1]) / 10
        interval = md.recalls[0].interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))

    def test_why_there_is_none(self) -> None:
        found = {row.type: row.recalls[0] for row in code_recalls(self.score(), self.resampling)}
        assert found["S"].no_interval is Undefined.ONE_UNIT  # one fragment has it
        # Two of five have it: a resample without either has no value, which happens in (3/5)^5 = 8% of them.
        assert found["FV"].no_interval is Undefined.RESAMPLES_UNDEFINED
        assert code_recalls(self.score(1), self.resampling)[0].recalls[0].no_interval is Undefined.ONE_UNIT
        nothing = {row.type: row.recalls[0] for row in row_recalls(self.score(), resampling=self.resampling)}["Noun"]
        assert (nothing.value, nothing.undefined) == (None, Undefined.NOTHING_IN_REFERENCE)


class TestTypes:
    def test_every_code_has_a_row(self) -> None:
        assert row_names()[0] == "Article"
        assert row_names()[-1] == "Other"
        assert len(row_names()) == 13
        assert {row_of(code) for code in ("FD", "RD", "MD", "UD", "DD", "AGD", "CD", "DI")} == {"Article"}
        assert {row_of(code) for code in ("CL", "L", "X", "CE", "ID", "AS", "W", "AG", "M", "R", "U")} == {"Other"}
        assert row_of("CC") == "Compound Change"
        assert row_of("nonsense") == "Other"

    def test_rows_can_be_overridden(self) -> None:
        assert row_of("ID", {"ID": "Noun"}) == "Noun"
        with pytest.raises(UsageError, match="did you mean 'Noun'"):
            check_overrides({"ID": "Nouns"})

    def test_recall_by_type(self) -> None:
        gold = fragment(standoff(0, 1, "x", kind="MD"), standoff(2, 3, "x", kind="UD"), standoff(4, 5, "x", kind="S"))
        score = scored(gold, [standoff(0, 1, "x"), standoff(2, 3, "y")])
        assert recall_by_row(score)["Article"] == (2, 2, 2, 1)
        assert recall_by_row(score)["Spelling"] == (1, 0, 0, 0)
        assert recall_by_row(score, {"UD": "Noun"})["Noun"] == (1, 1, 1, 0)
        assert recall_by_code(score) == {"MD": (1, 1, 1, 1), "S": (1, 0, 0, 0), "UD": (1, 1, 1, 0)}


class TestTeams:
    @pytest.mark.parametrize(
        ("run", "team"), [("UI0", "UI"), ("UI-0", "UI"), ("UI.10", "UI"), ("mine", "mine"), ("7", "7")]
    )
    def test_names(self, run: str, team: str) -> None:
        assert team_of(run) == team

    def test_the_best_run_of_each_team_and_measure(self) -> None:
        """A0 detects both gold edits, A1 corrects one."""
        gold = [fragment(standoff(0, 2, "x"), standoff(4, 6, "x"))]
        runs: dict[str, list[Edits]] = {
            "A0": [(standoff(0, 1, "y"), standoff(4, 5, "y"))],
            "A1": [(standoff(0, 2, "x"),)],
            "B0": [()],
        }
        best = {
            (condition, measure, score.team): score.run
            for condition, measure, score in best_runs(score_runs(gold, runs, [Hoo()], Problems()))
        }
        assert best[PLAIN, DETECTION, "A"] == "A0"
        assert best[PLAIN, CORRECTION, "A"] == "A1"
        assert best[BONUS, RECOGNITION, "B"] == "B0"
        assert len(best) == 2 * 3 * 2
