"""Is one system better than another: what ``errorbar compare`` and ``errorbar.compare`` compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Unpack

from errorbar.core.errors import Problem
from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.base import Metric
from errorbar.metrics.comparison import Comparison, Pair, Ranked, System, compare_systems, warn_hopeless
from errorbar.metrics.swaps import Adjust, SwapPlan
from errorbar.stats.resampling import Method, Resampling
from errorbar.studies.door import public, resampling, sentence_metric
from errorbar.studies.inputs import Comparing, Gold, Loaded, ReadingOptions, Systems, load, usual_metric
from errorbar.studies.score_result import measure_column
from errorbar.studies.signatures import made_by
from errorbar.studies.significance import group_legend, pair_table, result, verdict
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

FEW = 3
"""Systems whose pairs are always shown: there are no more pairs than systems."""


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Result):
    """Systems compared with each other.

    Attributes:
        found: Scores, and differences of pairs with what was tested of them.
        confidence: Confidence level of the intervals.
        unit: What is resampled and swapped: ``document`` or ``sentence``.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    found: Comparison
    confidence: float
    unit: str
    signature: str
    notes: Sequence[Problem] = ()

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return 1 - self.confidence

    @property
    def pairs(self) -> Sequence[Pair]:
        """Every pair of systems."""
        return self.found.pairs

    def ranking(self) -> list[Ranked]:
        """The systems, the best first, with letters for what is significant."""
        return self.found.ranking(self.alpha)

    def to_dict(self) -> dict[str, object]:
        """Systems in the order of the input, and every pair."""
        names = ["system", *(measure.name for measure in self.found.measures)]
        rows = zip(self.found.names, self.found.scores.tolist(), strict=True)
        return {
            "systems": [dict(zip(names, (name, *map(_known, row)), strict=True)) for name, row in rows],
            "pairs": [_record(pair, self.alpha) for pair in self.found.pairs],
            "adjust": self.found.testing.adjust,
            "swaps": self.found.testing.number(len(self.found.names), self.alpha),
            "unit": self.unit,
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """The systems; of two or three, every pair too."""
        return [self.system_table(), *([self.pair_table()] if len(self.found.names) <= FEW else [])]

    def system_table(self) -> Table:
        """The systems, the best first."""
        ranking = self.ranking()
        unknown = any(one.undecided for one in ranking)
        columns = [Column("", key="letter"), Column("system"), *map(measure_column, self.found.measures)]
        columns += [Column("significantly better than", key="better_than")]
        columns += [Column("undecided", only="" if unknown else "data"), Column("group")]
        rows: list[list[Cell]] = [
            [one.letter, one.name, *one.scores, " ".join(one.better), " ".join(one.undecided), one.group]
            for one in ranking
        ]
        few = len(self.found.names) <= FEW
        notes = [*group_legend(self.found, self.alpha), *([] if few else [f"signature {self.signature}"])]
        return Table(columns, rows, name="systems", notes=notes)

    def pair_table(self) -> Table:
        """Every pair: its difference with an interval, its p-values, and what the corpus can show."""
        made = pair_table(self.found, self.confidence)
        sign = self.found.measures[self.found.main].sign
        one = len(self.pairs) == 1
        said = [f"{verdict(self.pairs[0], self.alpha, self.unit, sign)}."] if one else []
        return Table(made.columns, made.rows, "", made.name, [*said, *made.notes, f"signature {self.signature}"])


@public()
def compare(
    gold: Gold,
    systems: Systems,
    metric: Metric | str | None = None,
    *,
    beta: float | None = None,
    adjust: Adjust = "max-t",
    swaps: int | None = None,
    ci_method: Method = "bca",
    **shared: Unpack[Comparing],
) -> Compared:
    """Tell whether systems differ by more than chance, on the same corpus.

    Args:
        gold: The reference, as for ``score``.
        systems: At least two systems, as for ``score``.
        metric: What is computed; its main measure is compared. None: M2, or ``tokens`` of token labels.
        beta: Weight of recall in F, short for the metric's parameter.
        adjust: How p-values are adjusted for the number of pairs: ``max-t`` or ``holm``.
        swaps: How many random ways to swap; None: as many as the level asks for.
        ci_method: ``bca``, ``percentile`` or ``basic``.
        ci: Whether to make intervals of differences; None: yes.
        confidence: Confidence level, a fraction; tests are at the level that it leaves.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there are fewer than two systems, documents or sentences, or an argument will not do.
    """
    parsed = sentence_metric(usual_metric(gold, metric), beta, "compare")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]))
    data.problems.raise_errors()
    data.corpus.need([] if parsed.annotator is None else [parsed.annotator])
    how = resampling(shared, ci_method, shared["jobs"])
    return compared(data, parsed, how, SwapPlan(adjust, swaps), intervals=shared["ci"] is not False)


def compared(data: Loaded, metric: Metric, how: Resampling, testing: SwapPlan, *, intervals: bool = True) -> Compared:
    """Compare what was read; errors are those of ``compare``."""
    measured = [System(system.name, metric.measure(data.corpus, system.lines)) for system in data.systems]
    confidence, unit = how.confidence_level, data.documents.unit
    found = compare_systems(metric, measured, data.documents.clusters(), how, testing, intervals=intervals)
    data.documents.warn(data.problems, intervals=intervals)
    warn_hopeless(found, 1 - confidence, data.problems, unit=unit)
    by = data.documents.clustering
    drawn = how.convention(by) if intervals else f"level:{confidence},by:{by},seed:{how.seed}"
    made = made_by(metric, (system.statistics for system in measured))
    said = *made, drawn, testing.convention(len(measured), 1 - confidence)
    return Compared(found, confidence, unit, data.signature(str(metric.spec), *said), tuple(data.problems.notes))


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def _record(pair: Pair, alpha: float) -> dict[str, object]:
    interval: dict[str, object] | None = None
    if isinstance(pair.interval, Interval):
        interval = {"low": pair.interval.low, "high": pair.interval.high, "method": pair.interval.method}
    elif isinstance(pair.interval, Undefined):
        interval = {"low": None, "high": None, "reason": str(pair.interval)}
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": _known(pair.difference),
        "interval": interval,
        "p_value": pair.test.p_value,
        "p_adjusted": pair.p_adjusted,
        "p_at_floor": pair.test.at_floor,
        "p_adjusted_at_floor": pair.at_floor,
        "smallest_p_adjusted": pair.smallest_p,
        "result": result(pair, alpha),
        "exact": pair.test.exact,
        "n_replicates": pair.test.n_replicates,
        "undefined": None if pair.test.undefined is None else str(pair.test.undefined),
        "power_at_one_point": pair.power.power,
        "detectable_difference": pair.power.detectable,
        "units_needed_for_one_point": pair.power.units_needed,
    }
