"""Metrics beside humans as tables and as JSON: what ``errorbar meta`` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from errorbar.core.errors import Problem
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.ranking.judged_pairs import PairwiseAccuracy
from errorbar.ranking.metric_agreement import HumanScores, MetricAgreement, MetricTest
from errorbar.ranking.ranked import Method
from errorbar.ranking.soft_accuracy import SoftAccuracy
from errorbar.tables.records import interval_record, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

SOFT = "soft-pairwise-accuracy"
TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall-b": "Kendall"}


@dataclass(frozen=True, slots=True, repr=False)
class MetaEvaluation(Result):
    """How metrics agree with humans.

    Attributes:
        human: The human scores of the systems, best first.
        method: How judgments became scores, and with the signature None where the humans gave scores.
        agreements: Correlations of each metric with the humans, with windows of neighbors if they were asked for.
        soft: Soft pairwise accuracy of each metric.
        window: Systems in a window; 0: none.
        by_sentence: Pairwise accuracy of each metric with scores of sentences, if it was asked for.
        tests: Each pair of metrics.
        signature: What was computed on which data how.
        signatures: Of each metric that was computed here, or has soft accuracy from recorded scores of sentences;
            None: its scores of systems were taken as they are.
        notes: Warnings and repairs.
    """

    human: HumanScores
    method: Method | None
    agreements: Sequence[MetricAgreement]
    soft: Sequence[SoftAccuracy]
    window: int
    by_sentence: Sequence[PairwiseAccuracy] | None
    tests: Sequence[MetricTest]
    signature: str | None
    signatures: Mapping[str, str | None]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Everything, tests and windows too."""
        human = dict(zip(self.human.systems, self.human.scores.tolist(), strict=True))
        return {
            "human": {"method": self.method, "scores": human},
            "metrics": [
                {
                    **_record(each),
                    "soft_pairwise_accuracy": _soft_record(soft.accuracy),
                    "signature": self.signatures[each.metric],
                }
                for each, soft in zip(self.agreements, self.soft, strict=True)
            ],
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
        judged = self.human.subsampled is not None
        n = len(self.human.systems)
        softly = any(each.accuracy.value is not None for each in self.soft)
        rows: list[list[Cell]] = []
        for each, soft in zip(self.agreements, self.soft, strict=True):
            for kind, estimate in each.correlations.items():
                judgments = _ends(each.judged.get(kind))
                rows.append([each.metric, kind, TITLES[kind], n, estimate, judgments, each.p_values[kind]])
            if softly:
                accuracy = soft.accuracy
                bare = replace(accuracy, interval=None, no_interval=None)
                rows.append([each.metric, SOFT, "SPA", accuracy.n_units, bare, _ends(accuracy), None])
        beside = any(each.interval for one in self.agreements for each in one.correlations.values())
        notes = [f"{n} systems{'; the interval beside a value is over systems' * beside}"]
        if not softly:
            notes += ["no soft pairwise accuracy (SPA): humans or metrics have scores of systems alone"]
        else:
            pairs = f"the {n * (n - 1) // 2} pairs" if n > 2 else "the only pair"
            notes += [f"SPA: soft pairwise accuracy over {pairs} of systems"]
        if self.method is not None:
            notes += [f"human scores: {self.method}", str(self.signature)]
        notes += [each for each in self.signatures.values() if each is not None]
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


def _soft_record(accuracy: Estimate) -> dict[str, object]:
    record = value_record(accuracy)
    judgments = record.pop("interval")
    return {**record, "interval_judgments": judgments if accuracy.interval or accuracy.no_interval else None}


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
