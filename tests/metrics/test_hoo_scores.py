"""HOO scores of runs: intervals, recall by type, teams, simulated teams."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Problems, Resampling, Score
from errorbar.core import InputError, Undefined, UsageError
from errorbar.edits import Edits
from errorbar.metrics import MEASURES, Hoo, Selection, TypeScore, best_runs, count_rows, row_names, score_runs, team_of
from errorbar.metrics.hoo import near_pairs
from errorbar.reproduce.hoo2011 import WRONG, SimulatedTeam, simulate_run
from errorbar.stats import draw_resamples
from tests.helpers.standoff import fragment, standoff
from tests.metrics.hoo_examples import BONUS, CORRECTION, DETECTION, PLAIN, RECOGNITION, figures_of, scored, three


class TestIntervals:
    gold = tuple(fragment(*(standoff(k, k + 1, "x") for k in range(0, 10, 2)), name=str(n)) for n in range(12))
    system = tuple(one.edits[: n % 6] for n, one in enumerate(gold))

    def score(self, resampling: Resampling, n: int = 12) -> Score:
        runs = {"a": self.system[:n]}
        return score_runs(self.gold[:n], runs, [Hoo()], Problems(), resampling=resampling)[0]

    def test_intervals_hold_the_value_and_depend_on_the_seed_alone(self) -> None:
        resampling = Resampling(method="percentile", replicates=500)
        first, again = self.score(resampling), self.score(resampling)
        recall = figures_of(first, PLAIN, DETECTION).recall
        assert recall.interval is not None
        assert recall.value is not None
        assert recall.interval.low < recall.value < recall.interval.high
        assert first.estimates == again.estimates
        other = self.score(replace(resampling, seed=2))
        assert figures_of(other, PLAIN, DETECTION).recall.interval != recall.interval
        assert "by:fragment,seed:0" in str(first.signature)

    @pytest.mark.parametrize("metric", [Hoo(), Hoo(aggregate="mean", empty="zero"), Hoo(unrecognized="one", beta=0.5)])
    def test_each_fragment_alone(self, metric: Hoo) -> None:
        """As weights say it: a row of the identity is one fragment."""
        gold = [*TestRecallByType.gold, fragment(name="nothing")]
        statistics = metric.measure(gold, [*TestRecallByType.system, ()])
        alone = metric.fold(statistics, Selection(weights=np.eye(len(gold)))).values
        values = metric.parts(statistics).values
        assert values is not None
        np.testing.assert_allclose(values, alone, rtol=1e-15)

    def test_intervals_are_those_of_the_resamples(self) -> None:
        """Of 5 gold edits in each of 12 fragments n % 6 are found, so R of a resample is a mean; more than a block."""
        many = figures_of(self.score(Resampling("percentile", 1500)), PLAIN, DETECTION).recall
        rows = np.concatenate(
            [draw() for draw in draw_resamples(np.arange(12), Resampling(replicates=1500), "bootstrap")]
        )
        recalls = (rows % 6).mean(axis=1) / 5
        assert many.interval is not None
        assert (many.interval.low, many.interval.high) == pytest.approx(tuple(np.quantile(recalls, [0.025, 0.975])))

    def test_none_where_nobody_asked(self) -> None:
        (score,) = score_runs(self.gold, {"a": self.system}, [Hoo()], Problems(), conventions=("x:y",))
        assert not score.has_intervals
        assert "|x:y|" in str(score.signature)

    def test_why_there_is_none(self) -> None:
        single = figures_of(self.score(Resampling(), n=1), PLAIN, DETECTION)
        assert single.recall.no_interval is Undefined.ONE_UNIT
        with pytest.raises(UsageError, match="no formula"):
            self.score(Resampling(method="closed"))


class TestSimulatedTeams:
    """Shares of 0 and 1 leave nothing to chance but which right words are deleted."""

    text = "one two three four"
    gold = fragment(standoff(4, 7, "zwei", "deux"), standoff(14, 14, "and "), standoff(0, 3), text=text)

    def run(self, team: SimulatedTeam, daring: float = 1.0) -> list[tuple[int, int, str]]:
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
        assert self.run(SimulatedTeam("T", {"": meets}, corrected, recognized, 0.0)) == expected

    def test_daring_and_the_type_of_an_edit(self) -> None:
        typed = SimulatedTeam("T", {"": 0.0, "MD": 1.0}, 1.0, 0.0, 0.0)
        assert self.run(typed) == []
        assert self.run(SimulatedTeam("T", {"": 1.0}, 1.0, 0.0, 0.0), daring=0.0) == []
        gold = fragment(standoff(0, 3, "x", kind="MD"), standoff(4, 7, "y", kind="S"), text=self.text)
        (edits,) = simulate_run([gold], typed, 1.0, np.random.default_rng(0))
        assert [(edit.start, edit.corrections) for edit in edits] == [(0, ("x",))]

    def test_noise_deletes_words(self) -> None:
        """Some 300 deletions of four words: every word, once."""
        assert self.run(SimulatedTeam("T", {"": 0.0}, 0.0, 0.0, 100.0)) == [
            (0, 3, ""),
            (4, 7, ""),
            (8, 13, ""),
            (14, 18, ""),
        ]
        nothing = fragment(standoff(0, 0, "x"), text="")  # no word to delete
        assert simulate_run(
            [nothing], SimulatedTeam("T", {"": 0.0}, 0.0, 0.0, 100.0), 1.0, np.random.default_rng(0)
        ) == [()]


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

    def rows(self, metric: Hoo, n: int = 5, resampling: Resampling | None = None) -> dict[str, TypeScore]:
        (score,) = score_runs(self.gold[:n], {"a": self.system[:n]}, [metric], Problems(), resampling=resampling)
        return {row.type: row for row in score.by_type}

    def test_values_are_the_counts(self) -> None:
        for metric in (Hoo(), Hoo(by="code"), Hoo(rows="MD=Noun")):
            for row in self.rows(metric).values():
                gold = row.counts["gold"]
                for measure, found in zip(MEASURES, ("detected", "recognized", "corrected"), strict=True):
                    recall = row[f"{measure}_recall"]
                    assert recall.value == (row.counts[found] / gold if gold else None)
                    assert (recall.interval, recall.no_interval) == (None, None)
                    assert (recall.undefined is Undefined.NOTHING_IN_REFERENCE) == (not gold)
        assert self.rows(Hoo())["Article"].counts == self.rows(Hoo(rows="MD=Noun"))["Noun"].counts

    def test_intervals_are_those_of_the_same_resamples(self) -> None:
        """MD: gold 2 in each unit, found 0, 1, 2, 0, 1, so that R of a resample is the mean of found / 2."""
        recall = self.rows(Hoo(by="code"), resampling=self.resampling)["MD"]["detection_recall"]
        assert recall.value == (0 + 1 + 2 + 0 + 1) / 10
        rows = np.concatenate([draw() for draw in draw_resamples(np.arange(5), self.resampling, "bootstrap")])
        means = np.array([0, 1, 2, 0, 1])[rows].mean(axis=1) / 2
        assert recall.interval is not None
        ends = tuple(np.quantile(means, [0.025, 0.975]))
        assert (recall.interval.low, recall.interval.high) == pytest.approx(ends)

    def test_why_there_is_none(self) -> None:
        found = self.rows(Hoo(by="code"), resampling=self.resampling)
        assert found["S"]["detection_recall"].no_interval is Undefined.ONE_UNIT  # one fragment has it
        # Two of five have it: a resample without either has no value, which happens in (3/5)^5 = 8% of them.
        assert found["FV"]["detection_recall"].no_interval is Undefined.RESAMPLES_UNDEFINED
        single = self.rows(Hoo(by="code"), 1, self.resampling)
        assert single["MD"]["detection_recall"].no_interval is Undefined.ONE_UNIT
        nothing = self.rows(Hoo(), resampling=self.resampling)["Noun"]["detection_recall"]
        assert (nothing.value, nothing.undefined) == (None, Undefined.NOTHING_IN_REFERENCE)


class TestTypes:
    def test_every_code_has_a_row(self) -> None:
        assert row_names()[0] == "Article"
        assert row_names()[-1] == "Other"
        assert len(row_names()) == 13
        for row, codes in {
            "Article": ("FD", "RD", "MD", "UD", "DD", "AGD", "CD", "DI"),
            "Other": ("CL", "L", "X", "CE", "ID", "AS", "W", "AG", "M", "R", "U", "nonsense"),
            "Compound Change": ("CC",),
        }.items():
            assert {name: n for name, n in count_rows(codes).items() if n} == {row: len(codes)}

    def test_rows_can_be_overridden(self) -> None:
        with pytest.raises(UsageError, match="did you mean 'Noun'"):
            Hoo.read({"rows": "MD=Verb;ID=Nouns"})
        assert str(Hoo(rows="CC=Compound Change").spec) == 'hoo(rows="CC=Compound Change")'

    def test_recall_by_type(self) -> None:
        gold = fragment(standoff(0, 1, "x", kind="MD"), standoff(2, 3, "x", kind="UD"), standoff(4, 5, "x", kind="S"))
        system = [standoff(0, 1, "x"), standoff(2, 3, "y")]

        def counts(metric: Hoo) -> dict[str, list[int]]:
            return {row.type: list(row.counts.values()) for row in scored(gold, system, metric).by_type}

        assert counts(Hoo())["Article"] == [2, 2, 2, 1]
        assert counts(Hoo())["Spelling"] == [1, 0, 0, 0]
        assert counts(Hoo(rows="UD=Noun"))["Noun"] == [1, 1, 1, 0]
        assert counts(Hoo(by="code")) == {"MD": [1, 1, 1, 1], "S": [1, 0, 0, 0], "UD": [1, 1, 1, 0]}


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
            (condition, measure, team): score.system
            for condition, measure, team, score in best_runs(score_runs(gold, runs, [Hoo()], Problems()))
        }
        assert best[PLAIN, DETECTION, "A"] == "A0"
        assert best[PLAIN, CORRECTION, "A"] == "A1"
        assert best[BONUS, RECOGNITION, "B"] == "B0"
        assert len(best) == 2 * 3 * 2


# Pairs of gold and system edits at one place: as the definition says, in linear time, with a limit.


SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), max_size=12)


@given(SPANS, SPANS, st.integers(0, 1))
def test_pairs_are_those_with_no_more_than_the_slack_between_them(
    gold: list[tuple[int, int]], system: list[tuple[int, int]], slack: int
) -> None:
    """Against every pair of numbers, looked at one by one."""
    one = fragment(*(standoff(start, start + length) for start, length in gold))
    said = [standoff(start, start + length) for start, length in system]
    g, s = near_pairs(one, said, slack)
    assert list(zip(g.tolist(), s.tolist(), strict=True)) == [
        (k, n)
        for k, wanted in enumerate(one.edits)
        for n, found in enumerate(said)
        if found.start <= wanted.end + slack and wanted.start <= found.end + slack
    ]


def test_edits_far_apart_make_no_pairs() -> None:
    """50,000 gold and 50,000 system edits: all pairs would be 2.5 billion."""
    edits = tuple(standoff(2 * k, 2 * k + 1, "x") for k in range(50_000))
    g, s = near_pairs(fragment(*edits), edits, 0)
    assert g.tolist() == s.tolist() == list(range(50_000))


@pytest.mark.parametrize("spec", ["hoo", "hoo(insertion=text)", "hoo(conventions=hoo2012-tool)"])
def test_edits_repeated_without_end_are_refused(spec: str) -> None:
    """500 edits at one place against 500 are 250,000 pairs; one more edit is too many."""
    gold = fragment(*[standoff(4, 4, "x")] * 500, text="abc def")
    assert three(scored(gold, [standoff(4, 4, "x")] * 500, spec)) == (500, 500, 500)
    with pytest.raises(InputError, match="fragment 1: 250,500 pairs of a gold and a system edit") as error:
        scored(gold, [standoff(4, 4, "x")] * 501, spec)
    assert error.value.code == "hoo-too-dense"
