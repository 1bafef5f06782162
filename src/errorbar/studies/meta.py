"""How metrics agree with a human ranking: what ``errorbar meta`` and ``errorbar.meta`` compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from os import PathLike
from typing import Unpack

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons, MetricScores
from errorbar.formats.metric_scores import read_metric_scores
from errorbar.formats.opening import Source, display_name, rereadable
from errorbar.formats.ranking_files import is_ranking, read_rankings
from errorbar.ranking.judged_pairs import PairwiseAccuracy, pairwise_accuracy
from errorbar.ranking.metric_agreement import (
    HumanScores,
    MetricAgreement,
    MetricTest,
    common_systems,
    compare_metrics,
    human_scores,
    metric_agreement,
    plain_scores,
)
from errorbar.ranking.ranked import METHODS, Method, rank_systems, signature
from errorbar.studies.door import public
from errorbar.studies.rank import Ranked, drawn
from errorbar.tables.records import interval_record, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall-b": "Kendall"}
Scores = Source | MetricScores


@dataclass(frozen=True, slots=True, repr=False)
class MetaEvaluation(Result):
    """How metrics agree with humans.

    Attributes:
        human: The human scores of the systems, best first.
        method: How judgments became scores, and with the signature None where the humans gave scores.
        agreements: Correlations of each metric with the humans, with windows of neighbors if they were asked for.
        window: Systems in a window; 0: none.
        by_sentence: Pairwise accuracy of each metric with scores of sentences, if it was asked for.
        tests: Each pair of metrics.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    human: HumanScores
    method: Method | None
    agreements: Sequence[MetricAgreement]
    window: int
    by_sentence: Sequence[PairwiseAccuracy] | None
    tests: Sequence[MetricTest]
    signature: str | None
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Everything, tests and windows too."""
        human = dict(zip(self.human.systems, self.human.scores.tolist(), strict=True))
        return {
            "human": {"method": self.method, "scores": human},
            "metrics": [_record(each) for each in self.agreements],
            "window": self.window,
            "sentences": [_accuracy_record(each) for each in self.by_sentence or ()],
            "tests": [_test_record(each) for each in self.tests],
            "signature": self.signature,
        }

    def tables(self) -> list[Table]:
        """The correlations."""
        return [self._correlation_table()]

    def _correlation_table(self) -> Table:
        """A row for each metric and correlation, with an interval over systems and one over judgments."""
        judged = self.human.resampled is not None
        n = len(self.human.systems)
        rows: list[list[Cell]] = [
            [each.metric, kind, TITLES[kind], n, estimate, _ends(each.judged.get(kind)), each.p_values[kind]]
            for each in self.agreements
            for kind, estimate in each.correlations.items()
        ]
        beside = any(each.interval for one in self.agreements for each in one.correlations.values())
        notes = [f"{n} systems{'; the interval beside a value is over systems' * beside}"]
        if self.method is not None:
            notes += [f"human scores: {self.method}", str(self.signature)]
        columns = [
            Column("metric"),
            Column("correlation", only="data"),
            Column("correlation", key="title", only="shown"),
        ]
        columns += [Column("n", "count", only="data"), Column("value", "number", digits=3)]
        columns += [Column("over judgments", "number", "judgments", 3, "only", only="" if judged else "data")]
        columns += [Column("p", "p")]
        return Table(columns, rows, "Correlations with humans", "correlations", notes)

    def window_table(self) -> Table:
        """A row for each metric and window of neighbors in the human ranking."""
        systems, window = self.human.systems, self.window
        rows: list[list[Cell]] = [
            [
                each.metric,
                f"{at + 1}–{at + window}",
                " ".join(systems[at : at + window]),
                *(each.windows[kind][at] for kind in each.windows),
            ]
            for each in self.agreements
            for at in range(len(systems) - window + 1)
        ]
        columns = [Column(name) for name in ("metric", "places", "systems")]
        columns += [Column(title, "number", kind.replace("-", "_"), 3) for kind, title in TITLES.items()]
        notes = [f"windows of {window} neighbors in the human ranking; so few systems say little: see the intervals"]
        return Table(columns, rows, "Windows of neighbors", "windows", notes)

    def sentence_table(self) -> Table:
        """A row for each metric with scores of sentences."""
        names = ("calibrated", "plain", "decided")
        rows: list[list[Cell]] = [
            [
                *(each.metric, each.calibrated.n_units, each.n_ties, each.n_metric_ties, each.threshold),
                *(each.calibrated, each.plain, each.decided),
            ]
            for each in self.by_sentence or ()
        ]
        columns = [Column("metric"), *(Column(name, "count") for name in ("comparisons", "ties", "metric ties"))]
        columns += [Column("threshold", "number", digits=3), *(Column(name, "percent") for name in names)]
        notes = ["calibrated: ties within the threshold; plain: equal scores only; decided: without the judges' ties"]
        return Table(columns, rows, "Pairwise accuracy of sentence scores", "sentences", notes)

    def test_table(self) -> Table:
        """A row for each pair of metrics: Williams' test, and what swapping their scores shows."""
        rows: list[list[Cell]] = []
        for each in self.tests:
            williams = each.williams
            row: list[Cell] = [each.first, each.second, williams.undefined or williams.t, williams.p_value]
            for swap in each.permutation.values():
                row += [swap.difference, swap.p_value]
            rows.append(row)
        columns = [Column("first"), Column("second"), Column("Williams t", "number", digits=3), Column("p", "p")]
        for kind, title in TITLES.items():
            key = kind.replace("-", "_")
            columns += [Column(f"Δ {title}", "number", f"{key}_difference", 3, signed=True)]
            columns += [Column("p (swap)", "p", f"{key}_p")]
        swapped = ", ".join(sorted({each.swapped for each in self.tests}))
        notes = [f"swapped: {swapped}; p-values are not corrected for the number of tests"]
        return Table(columns, rows, "Tests between metrics", "tests", notes)


@public()
def meta(
    human: Source | Comparisons | MetricScores,
    scores: Scores | Sequence[Scores],
    *,
    method: Method = METHODS[0],
    beta: float | Sequence[float] = (),
    sentences: bool = False,
    first_sentence: int = 1,
    tests: bool = True,
    permutations: int = 10_000,
    window: int = 0,
    **shared: Unpack[Ranked],
) -> MetaEvaluation:
    """Tell how metrics agree with a human ranking.

    Args:
        human: Judgments as ``rank`` takes them, or a table of systems and scores, or such scores.
        scores: Tables (system, score, maybe metric and sentence), JSON of ``errorbar score``, or lines of a system and
            its score; ``name=path`` names a metric; or ``MetricScores``. Higher must be better.
        method: How judgments become scores.
        beta: Further F with these betas, where a file has precision and recall.
        sentences: Compare sentence scores with the judgments too.
        first_sentence: How the judgments number the first sentence of ``errorbar score``.
        tests: Test every two metrics: does one agree better than the other?
        permutations: Ways to swap their scores.
        window: Correlate in windows of so many neighbors too.
        ci: Whether to make intervals over judgments; None: of up to 20,000 items. False: nor those over systems, which
            are a formula.
        lenient: Repair what can be repaired and note it; systems that not all have are left out.
        shared: How intervals are made.

    Raises:
        InputError: If a file is bad, or humans and metrics do not speak of the same systems.
        UsageError: If two metrics have one name, or arguments do not fit.
    """
    problems, by, seed = Problems(lenient=shared["lenient"]), shared["by"], shared["seed"]
    found = _human(human, problems)
    betas = [beta] if isinstance(beta, float | int) else beta
    metrics = _metrics(scores, betas, first_sentence, problems)
    how, signed, chosen = None, None, None
    if isinstance(found, Comparisons):
        how, chosen = drawn(found, shared, problems), method
        signed = signature(found, [method], how, by, seed)
        ranked = rank_systems(found, [method], how, by=by, seed=seed, progress=shared["progress"])
        everybody = human_scores(ranked[0])
    else:
        everybody = plain_scores(found.systems)
    common = common_systems(everybody, metrics, problems)
    level = shared["confidence"]
    agreements = [metric_agreement(common, each, window=window, confidence_level=level) for each in metrics]
    if shared["ci"] is False:
        agreements = list(map(_bare, agreements))
    accuracies = None
    if sentences:
        judged = _judged_sentences(found, metrics)
        accuracies = [pairwise_accuracy(judged, each, how, by=by) for each in metrics if each.sentences]
        for left in (each for each in accuracies if each.n_left_out):
            what = f"{left.metric} lacks scores for {left.n_left_out:,} comparisons; they are left out"
            problems.note(
                "meta-left-out", what, Place(), fix="see --first-sentence, if the numbers of sentences differ"
            )
    pairs = combinations(metrics, 2) if tests else ()
    tested = [compare_metrics(common, *pair, replicates=permutations, seed=seed) for pair in pairs]
    return MetaEvaluation(common, chosen, agreements, window, accuracies, tested, signed, tuple(problems.notes))


def _bare(agreement: MetricAgreement) -> MetricAgreement:
    """Without intervals."""

    def bare(estimate: Estimate) -> Estimate:
        return replace(estimate, interval=None, no_interval=None)

    correlations = {kind: bare(each) for kind, each in agreement.correlations.items()}
    windows = {kind: tuple(map(bare, each)) for kind, each in agreement.windows.items()}
    return replace(agreement, correlations=correlations, windows=windows)


def _human(human: Source | Comparisons | MetricScores, problems: Problems) -> Comparisons | MetricScores:
    """The judgments, if there are any, or scores."""
    if isinstance(human, Comparisons | MetricScores):
        return human
    again = rereadable(human)
    if is_ranking(again):
        return read_rankings(again, problems)
    found = read_metric_scores(again, problems)
    if len(found) > 1:
        what = f"{len(found)} columns of human scores: {', '.join(each.metric for each in found)}"
        fix = "put each in a file of its own"
        raise UsageError(Problem("meta-human", what, Place(display_name(human)), "one", fix))
    return found[0]


def _metrics(
    scores: Scores | Sequence[Scores], betas: Sequence[float], first_sentence: int, problems: Problems
) -> list[MetricScores]:
    metrics: dict[str, MetricScores] = {}
    for given in [scores] if isinstance(scores, str | PathLike | MetricScores) else scores:
        path = ""
        if isinstance(given, MetricScores):
            found = [given]
        else:
            name, equals, path = str(given).partition("=")
            name, path = (name, path) if equals else ("", name)
            found = read_metric_scores(path, problems, name=name or None, betas=betas, first_sentence=first_sentence)
        for each in found:
            if each.metric in metrics:
                what = f"two metrics are called '{each.metric}'"
                raise UsageError(Problem("meta-same-name", what, Place(path), fix="name one: name=path"))
            metrics[each.metric] = each
    if not metrics:
        raise UsageError(Problem("no-systems", "there is no metric to look at", expected="at least one"))
    return list(metrics.values())


def _judged_sentences(human: Comparisons | MetricScores, metrics: Sequence[MetricScores]) -> Comparisons:
    """The judgments that sentence scores are compared with."""
    if not isinstance(human, Comparisons):
        what = "--sentences compares with judgments, and HUMAN has scores of systems"
        raise UsageError(Problem("meta-sentences", what, fix="name a file of judgments"))
    if not any(each.sentences for each in metrics):
        what = "no metric has scores of sentences"
        fix = "use errorbar score --by sentence --format json, or a table with the column sentence"
        raise UsageError(Problem("meta-sentences", what, fix=fix))
    return human


def _ends(estimate: Estimate | None) -> Interval | Undefined | None:
    return None if estimate is None else estimate.interval or estimate.no_interval


def _record(agreement: MetricAgreement) -> dict[str, object]:
    return {
        "metric": agreement.metric,
        "correlations": [
            {
                "kind": kind,
                **value_record(estimate),
                "interval_judgments": interval_record(agreement.judged[kind]) if kind in agreement.judged else None,
                "p_value": agreement.p_values[kind],
                "windows": [value_record(each) for each in agreement.windows[kind]],
            }
            for kind, estimate in agreement.correlations.items()
        ],
    }


def _accuracy_record(accuracy: PairwiseAccuracy) -> dict[str, object]:
    names = ("calibrated", "plain", "decided")
    others = ("metric", "threshold", "n_ties", "n_metric_ties", "n_left_out")
    return {
        **{name: getattr(accuracy, name) for name in others},
        **{name: value_record(getattr(accuracy, name)) for name in names},
    }


def _test_record(test: MetricTest) -> dict[str, object]:
    williams = test.williams
    return {
        "first": test.first,
        "second": test.second,
        "swapped": test.swapped,
        "williams": {
            "t": williams.t if williams.t is None or isfinite(williams.t) else None,
            **{"df": williams.df, "p_value": williams.p_value},
            "undefined": None if williams.undefined is None else str(williams.undefined),
        },
        "permutation": [
            {
                "kind": kind,
                "difference": each.difference,
                "p_value": each.p_value,
                "n_replicates": each.n_replicates,
                "exact": each.exact,
                "undefined": None if each.undefined is None else str(each.undefined),
            }
            for kind, each in test.permutation.items()
        ],
    }
