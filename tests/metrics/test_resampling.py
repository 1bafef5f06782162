"""Intervals of a score: what is resampled, what changes the digits and what does not, and how often they cover."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from errorbar import M2, Problems, Resampling, Sentence
from errorbar.core import Interval, Undefined, UsageError
from errorbar.metrics import Documents, Metric, ScoringPlan, Selection, fold_resampled_values, score_corpus
from errorbar.metrics.edit_metric import EditStatistics, score_totals
from errorbar.metrics.folding import FEW_DOCUMENTS, MORE_DOCUMENTS
from errorbar.metrics.intervals import left_out_values
from errorbar.stats import Method, draw_resamples
from errorbar.stats import resampling as units
from tests.ceilings.examples import random_corpus
from tests.helpers.counts import Counts
from tests.helpers.folds import fold_resamples, left_out, score_intervals
from tests.helpers.page_rows import rows_of_page
from tests.helpers.scoring import score
from tests.thirdparty.character_rate import CharacterRate

Units = NDArray[np.int64]
METHODS: tuple[Method, ...] = ("bca", "percentile", "basic", "closed")


def measured() -> tuple[EditStatistics, Units]:
    data, systems = random_corpus()
    statistics = M2().measure(data, systems[0].lines)
    documents = Documents()
    documents.add(data.sentences)
    return statistics, documents.clusters()


def intervals(resampling: Resampling, clusters: Units | None = None) -> Sequence[Interval | Undefined]:
    statistics, documents = measured()
    return score_intervals(M2(), statistics, documents if clusters is None else clusters, resampling)


def test_formulas_keep_no_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    """They need the counts of the corpus alone, however many sentences it has."""
    data, systems = random_corpus()
    joined: list[int] = []

    def join(metric: M2, parts: Sequence[EditStatistics]) -> EditStatistics:
        joined.append(len(parts))
        return whole(metric, parts)

    whole = M2.join
    monkeypatch.setattr(M2, "join", join)
    for method in ("closed", "percentile"):
        (found,) = score_corpus(data, systems[:1], ScoringPlan([M2()], resampling=Resampling(method, 50)), Problems())
        assert found.f.interval is not None
    assert joined == [0, 1]


class TestResamples:
    def test_documents_are_drawn_whole_and_in_corpus_order(self) -> None:
        clusters = np.array([0, 0, 0, 1, 2, 2, 0])
        (draw,) = draw_resamples(clusters, Resampling(replicates=50), "x")
        members = {0: [0, 1, 2, 6], 1: [3], 2: [4, 5]}
        seen = set()
        for row in draw().tolist():
            units = [unit for unit in row if unit >= 0]
            times = [units.count(members[k][0]) for k in range(3)]
            assert units == [unit for k in range(3) for unit in members[k] * times[k]]
            assert sum(times) == 3  # as many as there are
            seen.add(tuple(times))
        assert len(seen) == 10  # 3 draws from 3 documents: all multisets

    def test_a_draw_is_the_same_at_every_call(self) -> None:
        """Systems that are compared share the draws: each must see the same resamples."""
        draws = draw_resamples(np.arange(20), Resampling(replicates=2500), "x")
        assert [len(draw()) for draw in draws] == [1000, 1000, 500]
        for draw in draws:
            np.testing.assert_array_equal(draw(), draw())
        assert not np.array_equal(draws[0](), draws[1]())

    def test_what_is_kept_changes_no_digit_and_cannot_be_changed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Few resamples are kept for the next system, many are drawn again; so are the rows that leave one out."""
        statistics, clusters = measured()
        kept = [draw() for draw in draw_resamples(clusters, Resampling(replicates=1500), "x")]
        rows = left_out(M2(), statistics, clusters)
        with pytest.raises(ValueError, match="read-only"):
            kept[0][0, 0] = 1
        monkeypatch.setattr("errorbar.stats.resampling.MOST_KEPT", 0)
        drawn = draw_resamples(clusters, Resampling(replicates=1500), "x")
        for one, draw in zip(kept, drawn, strict=True):
            np.testing.assert_array_equal(one, draw())
            np.testing.assert_array_equal(one, draw())  # at the second call too
        np.testing.assert_array_equal(left_out(M2(), statistics, clusters), rows)

    def test_streams_are_named(self) -> None:
        def first(name: str, seed: int = 0) -> Units:
            return draw_resamples(np.arange(20), Resampling(replicates=9, seed=seed), name)[0]()

        np.testing.assert_array_equal(first("x"), first("x"))
        assert not np.array_equal(first("x"), first("y"))
        assert not np.array_equal(first("x"), first("x", seed=1))

    def test_a_resample_folds_like_a_corpus(self) -> None:
        statistics, clusters = measured()
        draws = draw_resamples(clusters, Resampling(replicates=7), "x")
        folded = fold_resamples(M2(), statistics, draws)
        for row, values in zip(draws[0](), folded, strict=True):
            corpus = statistics.take(row[row >= 0])
            np.testing.assert_array_equal(values, score_totals(M2().fold(corpus).counts[0], 0.5))

    def test_leaving_out(self) -> None:
        statistics, clusters = measured()
        table = left_out(M2(), statistics, clusters)
        assert table.shape == (6, 3)
        for k in range(6):
            rest = statistics.take(np.flatnonzero(clusters != k))
            np.testing.assert_array_equal(table[k], score_totals(M2().fold(rest).counts[0], 0.5))

    @pytest.mark.slow
    @pytest.mark.parametrize("metric", [M2(), CharacterRate()])
    @pytest.mark.parametrize("together", [False, True])
    def test_few_rows_are_held_at_a_time(self, metric: Metric, together: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        """So memory does not grow with the resamples, nor four times as fast where rows become weights."""
        data, systems = random_corpus()
        statistics, n = metric.measure(data, systems[0].lines), len(data)
        clusters = measured()[1] if together else np.arange(n)
        sizes = []

        def fold(selection: Selection) -> NDArray[np.float64]:
            table = selection.weights if metric.additive else selection.units
            assert table is not None
            sizes.append(len(table))
            return metric.fold(statistics, selection).values

        def found() -> list[NDArray[np.float64]]:
            sizes.clear()
            drawn = fold_resampled_values(metric, fold, clusters, Resampling(replicates=1030))
            return [drawn, left_out_values(metric, fold, clusters)]

        whole = found()
        assert max(sizes) == 1000
        monkeypatch.setattr("errorbar.metrics.intervals.MOST_HELD", 28 * n)
        for one, other in zip(whole, found(), strict=True):
            np.testing.assert_array_equal(one, other)
        assert max(sizes) == (7 if metric.additive else 28)

    def test_many_sentences_are_left_out_in_groups(self) -> None:
        statistics, _ = measured()
        n = units.MOST_GROUPS + 50
        many = statistics.take(np.arange(n) % len(statistics))
        assert left_out(M2(), many, np.arange(n)).shape == (units.MOST_GROUPS, 3)


class TestIntervals:
    @pytest.mark.parametrize("method", METHODS)
    def test_workers_change_no_digit_and_seeds_do(self, method: Method) -> None:
        def found(seed: int = 0, jobs: int = 1) -> Sequence[Interval | Undefined]:
            return intervals(Resampling(method, 2100, 0.9, seed, jobs))

        assert found() == found(jobs=2) == found(jobs=3)
        assert (found() != found(seed=1)) is (method != "closed")

    @pytest.mark.parametrize("method", METHODS)
    def test_they_hold_the_value_and_grow_with_the_level(self, method: Method) -> None:
        statistics, _ = measured()
        counts = Counts(*M2().fold(statistics).counts[0].tolist())
        narrow, wide = (intervals(Resampling(method, 500, level)) for level in (0.8, 0.99))
        for value, a, b in zip((counts.precision, counts.recall, counts.f(0.5)), narrow, wide, strict=True):
            assert isinstance(a, Interval)
            assert isinstance(b, Interval)
            assert b.low < a.low < value < a.high < b.high
            assert (a.confidence_level, b.confidence_level) == (0.8, 0.99)

    def test_closed_precision_and_recall_are_wilsons(self) -> None:
        statistics, _ = measured()
        counts = Counts(*M2().fold(statistics).counts[0].tolist())
        found = intervals(Resampling("closed"))
        for interval, n in zip(found, (counts.proposed, counts.gold), strict=False):
            oracle = binomtest(counts.correct, n).proportion_ci(method="wilson")  # scipy's
            assert isinstance(interval, Interval)
            assert (interval.low, interval.high) == pytest.approx((oracle.low, oracle.high), rel=1e-9)

    def test_the_percentile_interval_is_the_quantiles_of_the_folded_resamples(self) -> None:
        statistics, clusters = measured()
        draws = draw_resamples(clusters, Resampling("percentile", 400), "bootstrap")
        values = fold_resamples(M2(), statistics, draws)
        found = intervals(Resampling("percentile", 400))
        for k, interval in enumerate(found):
            assert isinstance(interval, Interval)
            assert [interval.low, interval.high] == pytest.approx(np.quantile(values[:, k], [0.025, 0.975]), rel=1e-12)

    @pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
    def test_one_document_has_no_interval(self, method: Method) -> None:
        assert intervals(Resampling(method), np.zeros(30, np.int64)) == [Undefined.ONE_UNIT] * 3

    def test_a_value_that_never_changes_has_no_interval(self) -> None:
        data, _ = random_corpus()
        source = [s.text for s in data.sentences]
        statistics = M2().measure(data, source)  # proposes nothing: P = 1 by convention, R = F = 0
        assert (
            score_intervals(M2(), statistics, np.arange(30), Resampling(replicates=100)) == [Undefined.NO_VARIATION] * 3
        )

    @pytest.mark.parametrize("level", [-1, 0, 1, 95])
    def test_a_level_that_does_not_exist(self, level: float) -> None:
        with pytest.raises(UsageError, match="between 0 and 1"):
            Resampling(confidence_level=level)

    def test_a_method_that_does_not_exist(self) -> None:
        with pytest.raises(UsageError, match="no interval is called 'bcaa'; did you mean 'bca'"):
            Resampling("bcaa")  # type: ignore[arg-type]  # what a user may type

    def test_no_resample(self) -> None:
        with pytest.raises(UsageError, match="number of resamples must be at least 1, got 0"):
            intervals(Resampling("percentile", 0))

    def test_the_signature_names_what_changes_digits(self) -> None:
        assert Resampling("bca", 500, 0.9, 3, jobs=7).convention("document") == "ci:bca,0.9,500,by:document,seed:3"
        assert Resampling().convention("sentence") == "ci:bca,0.95,2000,by:sentence,seed:0"
        assert Resampling("closed", 500, 0.9, 3).convention("document") == "ci:closed,0.9"
        assert Resampling(confidence_level=0.9999999).convention("sentence").startswith("ci:bca,0.9999999,")


class TestDocuments:
    def documents(self, *names: str) -> Documents:
        made = Documents()
        made.add([Sentence("a", document=name) for name in names[:2]])  # a stream comes in parts
        made.add([Sentence("a", document=name) for name in names[2:]])
        return made

    def test_sentences_of_one_name_are_one_document_wherever_they_stand(self) -> None:
        made = self.documents("x", "y", "x", "x")
        assert (made.clusters().tolist(), made.n_clusters, made.unit) == ([0, 1, 0, 0], 2, "document")

    def test_without_documents_every_sentence_is_its_own(self) -> None:
        made = self.documents("", "", "")
        assert (made.clusters().tolist(), made.n_clusters, made.unit) == ([0, 1, 2], 3, "sentence")
        problems = Problems()
        made.warn(problems)
        assert problems.notes == []

    def test_a_sentence_without_a_document_among_others_is_noted(self) -> None:
        made = self.documents("x", "", "x", "")
        assert (made.clusters().tolist(), made.n_clusters, made.unit) == ([0, 1, 0, 2], 3, "document")
        problems = Problems()
        made.warn(problems)
        found = {note.code: note.what for note in problems.notes}
        assert found["documents-missing"].startswith("2 of 4 sentences have no document")
        problems = Problems()
        self.documents("x", "", "x").warn(problems)
        assert [note.what.split(";")[0] for note in problems.notes if note.code == "documents-missing"] == [
            "1 of 3 sentences have no document"
        ]

    @pytest.mark.parametrize(
        ("n", "codes"), [(FEW_DOCUMENTS, []), (FEW_DOCUMENTS - 1, ["few-documents"]), (2, ["few-documents"])]
    )
    def test_few_documents_are_noted(self, n: int, codes: list[str]) -> None:
        problems = Problems()
        self.documents(*map(str, range(n))).warn(problems)
        assert [note.code for note in problems.notes] == codes

    def test_one_document_has_no_intervals_and_a_way_out(self) -> None:
        problems = Problems()
        self.documents("x", "x").warn(problems, intervals=False)
        assert problems.notes == []
        self.documents("x", "x").warn(problems)
        (note,) = problems.notes
        assert (note.code, note.fix) == ("one-unit", MORE_DOCUMENTS)
        assert note.what.startswith("no intervals: all sentences are of one document")

    def test_a_score_carries_its_intervals_and_clusters(self) -> None:
        data, systems = random_corpus()
        (found,) = score(data, systems[:1], [M2()], resampling=Resampling(replicates=200))
        assert [found.precision.interval, found.recall.interval, found.f.interval] == intervals(
            Resampling(replicates=200)
        )
        assert (found.f.n_clusters, found.f.n_units) == (6, 30)
        assert re.search(r"\|ci:bca,0\.95,200,by:document:[0-9a-f]{12},seed:0\|", str(found.signature))
        for sentence in data.sentences:
            sentence.document = ""
        (alone,) = score(data, systems[:1], [M2()], resampling=Resampling(replicates=200))
        assert alone.f.n_clusters is None
        assert alone.f.interval != found.f.interval
        assert alone.f.value == found.f.value


@dataclass(frozen=True)
class World:
    """Simulated essays of very different difficulty: sentences of one essay resemble each other."""

    n_documents: int = 50
    per_document: int = 8

    def statistics(self, rng: np.random.Generator, n_documents: int = 0) -> EditStatistics:
        n = n_documents or self.n_documents
        skill = rng.beta(2, 2, n).repeat(self.per_document)  # the share of proposals that are right, by essay
        many = rng.gamma(2, 0.75, n).repeat(self.per_document)  # proposals per sentence
        proposed = rng.poisson(many)
        counts = np.empty((proposed.size, 2, 3), np.int32)
        for annotator in range(2):
            correct = rng.binomial(proposed, skill)
            counts[:, annotator] = np.stack([correct, proposed, correct + rng.poisson(1.2 * many)], axis=1)
        return EditStatistics(counts, np.ones((proposed.size, 2), np.uint8), ("0", "1"))

    def clusters(self) -> Units:
        return np.arange(self.n_documents).repeat(self.per_document)


@pytest.mark.parametrize(("runs", "resamples"), rows_of_page([(200, 400), (1000, 1000)]))
def test_the_interval_of_f_covers_about_nominally_over_documents(runs: int, resamples: int) -> None:
    """Coverage of F0.5 with the running choice: 1,000 simulated corpora of 50 essays, 95 % intervals; in CI 200.

    The true value is that of 40,000 essays. The standard error of a share of 0.95 in 1,000 is 0.007. This test printed
    0.935 for bca and 0.937 for percentile over documents, 0.695 for bca over sentences, 0.654 for the closed formula.
    """
    world, rng, metric = World(), np.random.default_rng(1), M2()
    truth = score_totals(metric.fold(world.statistics(rng, 40_000)).counts[0], 0.5)[2]
    covered = dict.fromkeys(("bca by document", "percentile by document", "bca by sentence", "closed"), 0)
    for run in range(runs):
        statistics = world.statistics(rng)
        for name in covered:
            method, _, unit = name.partition(" by ")
            clusters = np.arange(len(statistics)) if unit == "sentence" else world.clusters()
            resampling = Resampling(method, resamples, seed=run)  # type: ignore[arg-type]  # one of the names above
            interval = score_intervals(metric, statistics, clusters, resampling)[2]
            covered[name] += isinstance(interval, Interval) and interval.low <= truth <= interval.high
    shares = {name: hits / runs for name, hits in covered.items()}
    print(shares)  # noqa: T201 - the measured figures, with pytest -s
    assert 0.92 <= shares["bca by document"] <= 0.97
    assert 0.92 <= shares["percentile by document"] <= 0.97
    # What takes sentences or edits for independent must be seen to fail here, else this test shows nothing.
    assert shares["bca by sentence"] < 0.9
    assert shares["closed"] < 0.9
